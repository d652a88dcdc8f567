"""Lines of analysis as Leela Zero's ``lz-analyze`` and KataGo's ``kata-analyze`` write them.

Both are told by KataGo's GTP_Extensions document. Win rates and scores are those of the side to move.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from daoqi_tui.ai.protocol import Line, Progress
from daoqi_tui.engine import BLACK, Colour, Torus
from daoqi_tui.gtp.parsing import GtpError, parse_vertex, vertex_name

Dialect: TypeAlias = Literal["lz", "kata"]
_Z: float = 1.96
"""Standard deviations of a 95 % confidence bound."""
_LONGEST_LINE_OF_PLAY = 60
_MOST_MOVES = 100


def write_infos(torus: Torus, colour: Colour, progress: Progress, dialect: Dialect, most: int | None = None) -> str:
    """One line for what a search has found so far, ``colour`` to move.

    The score is that of the whole search, since playouts tell no score move by move.
    """
    lead = progress.margin if colour == BLACK else -progress.margin
    parts = []
    for order, line in enumerate(progress.lines[:most]):
        bound = line.win - _Z * math.sqrt(line.win * (1 - line.win) / max(1, line.visits))
        moves = " ".join(vertex_name(torus, move) for move in line.line or (line.move,))
        head = f"info move {vertex_name(torus, line.move)} visits {line.visits}"
        if dialect == "lz":
            rates = f"winrate {round(10000 * line.win)} lcb {round(10000 * max(0.0, bound))}"
        else:
            score = f"scoreMean {lead:.3f} scoreLead {lead:.3f}"
            rates = f"utility {2 * line.win - 1:.6f} winrate {line.win:.6f} {score} lcb {max(0.0, bound):.6f}"
        parts.append(f"{head} {rates} order {order} pv {moves}")
    return " ".join(parts)


def write_root(colour: Colour, progress: Progress) -> str:
    """KataGo's ``rootInfo``: the search as a whole; before any visit it is as good as its first move."""
    lead = progress.margin if colour == BLACK else -progress.margin
    visits = sum(line.visits for line in progress.lines)
    first = progress.lines[0].win if progress.lines else 0.0
    win = sum(line.win * line.visits for line in progress.lines) / visits if visits else first
    return f"rootInfo visits {progress.playouts} winrate {win:.6f} scoreLead {lead:.3f}"


def write_ownership(colour: Colour, ownership: Iterable[float]) -> str:
    """KataGo's ``ownership``: who will own each point, from the top left, 1 for the side to move."""
    sign = 1 if colour == BLACK else -1
    return "ownership " + " ".join(f"{sign * share:.3f}" for share in ownership)


def read_infos(torus: Torus, colour: Colour, text: str, seconds: float = 0.0) -> Progress | None:
    """What a line of either dialect says, best move first; None where it says nothing of moves.

    Fields that are unknown, and moves that are none, are passed over.
    """
    words = text.split()
    found: list[tuple[int, Line]] = []
    margin, visits = 0.0, 0
    for section in _sections(words):
        fields, moves = _fields(section)
        try:
            move = parse_vertex(torus, fields["move"])
            line = tuple(_vertices(torus, moves))
            count, win = _count(fields["visits"]), _rate(fields["winrate"])
            order = _count(fields.get("order", str(len(found))))
        except (KeyError, GtpError, ValueError):
            continue
        if not found:
            margin = _score(fields)
        visits += count
        found.append((order, Line(move, count, win, line or (move,))))
        if len(found) == _MOST_MOVES:
            break
    if not found:
        return None
    found.sort(key=lambda pair: pair[0])
    lines = tuple(line for _, line in found)
    return Progress(0, visits, seconds, lines, margin if colour == BLACK else -margin)


def _sections(words: Sequence[str]) -> Iterator[list[str]]:
    """The words after each ``info``, without what other sections say."""
    section: list[str] | None = None
    for word in words:
        if word in ("info", "rootInfo", "ownership", "ownershipStdev"):
            if section is not None:
                yield section
            section = [] if word == "info" else None
        elif section is not None:
            section.append(word)
    if section is not None:
        yield section


def _fields(section: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The fields before the line of play, and the words of that."""
    place = section.index("pv") if "pv" in section else len(section)
    fields = dict(zip(section[0:place:2], section[1:place:2], strict=False))
    return fields, list(section[place + 1 : place + 1 + _LONGEST_LINE_OF_PLAY])


def _vertices(torus: Torus, words: Iterable[str]) -> Iterator[int]:
    for word in words:
        try:
            yield parse_vertex(torus, word)
        except GtpError:
            return


def _count(word: str) -> int:
    number = float(word)
    if not 0 <= number <= 1e12:
        raise ValueError(f"{word} is no count")
    return int(number)


def _rate(word: str) -> float:
    """A win rate from 0 to 1: Leela Zero writes ten thousandths, without a point, KataGo fractions."""
    rate = float(word) if "." in word or "e" in word or word in ("0", "1") else int(word) / 10000
    if not -0.01 <= rate <= 1.01:
        raise ValueError(f"{word} is no win rate")
    return min(1.0, max(0.0, rate))


def _score(fields: dict[str, str]) -> float:
    """The lead in points that the first move has, 0 where none is told."""
    try:
        score = float(fields.get("scoreLead", fields.get("scoreMean", "0")))
    except ValueError:
        return 0.0
    return score if math.isfinite(score) else 0.0
