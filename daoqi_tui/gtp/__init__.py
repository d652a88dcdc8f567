"""The Go Text Protocol (GTP): the program as an engine, any engine as a player, and matches between players.

Here both sides of it are parsed and written: commands, their arguments, and analysis lines.
GTP 2 is specified at https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from daoqi_tui.ai import Answer, Candidate, Ownership, Progress
from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, Torus

LONGEST_LINE: Final = 1 << 16
"""The longest line in characters; commands are far shorter."""

_DROPPED: Final = dict.fromkeys((*range(9), *range(11, 32), 127)) | {ord("\t"): " "}
COLOURS: Final[dict[str, Colour]] = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_WHOLE = re.compile(r"([+-]?)0*([0-9]+)")
_BEYOND: Final = 10
"""Numbers with more digits are out of every range."""


class GtpError(Exception):
    """A command fails; the message is the answer to the controller."""

    @classmethod
    @contextmanager
    def instead_of(cls, kind: type[Exception], text: str) -> Iterator[None]:
        """Raise this error in place of another kind; a text that ends with a colon is followed by the reason."""
        try:
            yield
        except kind as error:
            raise cls(f"{text} {error}" if text.endswith(":") else text) from error


@dataclass(frozen=True, slots=True)
class GtpCommand:
    """A line of GTP.

    Attributes:
        id: the leading digits, unchanged; empty if there are none.
        name: of the command; empty if the line is only an id.
        arguments: the words after it.
        rest: the raw text after it, for commands that take a file name.
    """

    id: str
    name: str
    arguments: tuple[str, ...]
    rest: str


def parse_line(line: str) -> GtpCommand | None:
    r"""Parse a line; None if it is empty or a comment, which GTP leaves unanswered.

    Words are separated by spaces and tabs; other Unicode spaces are ordinary characters.

    >>> parse_line("12\tplay B  D4 # the first stone\r\n")
    GtpCommand(id='12', name='play', arguments=('B', 'D4'), rest='B  D4')
    """
    text = line.partition("#")[0].translate(_DROPPED).strip(" \n")
    if not text:
        return None
    number, name, rest = "", *_first_word(text)
    if name.isascii() and name.isdigit():
        number, name, rest = name, *_first_word(rest)
    return GtpCommand(number, name, tuple(word for word in rest.split(" ") if word), rest)


def _first_word(text: str) -> tuple[str, str]:
    word, _, rest = text.partition(" ")
    return word, rest.lstrip(" ")


def is_too_long(line: str) -> bool:
    """Return whether a line has more than :data:`LONGEST_LINE` characters without its end."""
    return len(line.removesuffix("\n")) > LONGEST_LINE


def parse_colour(word: str) -> Colour:
    """Parse a colour: ``b``, ``black``, ``w`` or ``white``, upper or lower case.

    Raises:
        GtpError: it names none.
    """
    try:
        return COLOURS[word.lower()]
    except KeyError:
        raise GtpError(f"invalid color or coordinate: {shown(word)} is not a color; write black or white") from None


def parse_vertex(torus: Torus, word: str) -> int:
    """Parse a vertex to a point, or PASS for ``pass``.

    Raises:
        GtpError: it names none; the message has a hint if the column is I, which GTP skips.
    """
    return PASS if word.lower() == "pass" else _point(torus, word, ", or pass")


def parse_point(torus: Torus, word: str) -> int:
    """Parse a vertex where a pass is not allowed; raises as :func:`parse_vertex`."""
    if word.lower() == "pass":
        raise GtpError("invalid color or coordinate: a point is wanted here, not pass")
    return _point(torus, word)


def _point(torus: Torus, word: str, others: str = "") -> int:
    try:
        return torus.parse(word, "gtp")
    except ValueError:
        pass
    last = vertex_name(torus, torus.columns - 1)[0]
    reason = f"{shown(word)} is not a vertex: a letter from A to {last} and a number from 1 to {torus.rows}{others}"
    if word[:1].upper() == "I":
        reason += "; GTP skips the letter I, so the column after H is J"
    raise GtpError(f"invalid color or coordinate: {reason}")


def parse_whole(word: str, least: int, most: int, beyond: str = "") -> int:
    """Parse a whole number from ``least`` to ``most``.

    Args:
        word: the raw word.
        least: the minimum.
        most: the maximum, with at most nine digits.
        beyond: GTP's standard answer for a number out of range, empty if it has none.

    Raises:
        GtpError: it is none, or out of range.
    """
    found = _WHOLE.fullmatch(word)
    number = int(found[1] + found[2][:_BEYOND]) if found else None
    if number is not None and least <= number <= most:
        return number
    if number is not None and beyond:
        raise GtpError(beyond)
    raise GtpError(f"syntax error: {shown(word)} is not a whole number from {least} to {most}")


def parse_number(word: str, least: float, most: float) -> float:
    """Parse a number from ``least`` to ``most``.

    Raises:
        GtpError: it is none, or out of range.
    """
    try:
        number = float(word) if word.isascii() and "_" not in word else math.nan
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        raise GtpError(f"syntax error: {shown(word)} is not a number from {least:g} to {most:g}")
    return number


def vertex_name(torus: Torus, point: int) -> str:
    return "pass" if point == PASS else torus.name(point, "gtp")


def colour_name(colour: Colour) -> str:
    return "black" if colour == BLACK else "white"


def shown(word: str) -> str:
    """Quote a word of the input for a message, shortened if it is long."""
    return repr(word if len(word) <= 40 else word[:40] + "…")


def counted(count: int, noun: str) -> str:
    """Format a count with its noun, in English like all GTP answers: ``1 move``, ``2 moves``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


Dialect: TypeAlias = Literal["lz", "kata"]
_Z: float = 1.96
"""Standard deviations of a 95 % confidence bound."""
_LONGEST_LINE_OF_PLAY = 60
_MOST_MOVES = 100


Switch: TypeAlias = Literal[
    "rootInfo",
    "ownership",
    "ownershipStdev",
    "movesOwnership",
    "movesOwnershipStdev",
    "pvVisits",
    "pvEdgeVisits",
]
"""What KataGo writes where it is asked to."""
SWITCHES: Final[tuple[Switch, ...]] = get_args(Switch)
OWNERSHIP: Final[frozenset[Switch]] = frozenset({"ownership", "ownershipStdev"})
OWNERSHIP_OF_MOVES: Final[frozenset[Switch]] = frozenset({"movesOwnership", "movesOwnershipStdev"})


def write_analysis(
    torus: Torus, colour: Colour, progress: Progress, dialect: Dialect, switches: Set[Switch] = frozenset()
) -> str:
    """Format the progress of a search with ``colour`` to move, on one line; all values are from that side's view."""
    parts = []
    for order, line in enumerate(progress.lines):
        parts.append(f"{_info(torus, colour, line, dialect)} order {order} {_line(torus, line, switches)}")
        if line.ownership is not None:
            parts += _ownership(colour, line.ownership, switches, "movesOwnership", "movesOwnershipStdev")
    if "rootInfo" in switches:
        parts.append(_root(colour, progress))
    if progress.details is not None:
        parts += _ownership(colour, progress.details.ownership, switches, "ownership", "ownershipStdev")
    return " ".join(parts)


def lower_bound(line: Candidate) -> float:
    """Return the lower bound of the win rate, with 95 % confidence."""
    return max(0.0, line.win - _Z * math.sqrt(line.win * (1 - line.win) / max(1, line.visits)))


def root_win(progress: Progress | Answer) -> float:
    """Return the win rate of the search as a whole; before any visit that of the first move."""
    visits = sum(line.visits for line in progress.lines)
    first = progress.lines[0].win if progress.lines else 0.0
    return sum(line.win * line.visits for line in progress.lines) / visits if visits else first


def _info(torus: Torus, colour: Colour, line: Candidate, dialect: Dialect) -> str:
    """Format a move; one without visits is written with one, since controllers divide by the visits."""
    bound = lower_bound(line)
    head = f"info move {vertex_name(torus, line.move)} visits {max(1, line.visits)}"
    if dialect == "lz":
        return f"{head} winrate {round(10000 * line.win)} prior {round(10000 * line.prior)} lcb {round(10000 * bound)}"
    lead = line.margin if colour == BLACK else -line.margin
    rates = f"utility {2 * line.win - 1:.6f} winrate {line.win:.6f} scoreMean {lead:.3f} scoreLead {lead:.3f}"
    return f"{head} {rates} prior {line.prior:.6f} lcb {bound:.6f}"


def _line(torus: Torus, line: Candidate, switches: Set[Switch]) -> str:
    moves = " ".join(vertex_name(torus, move) for move in line.line or (line.move,))
    visits = " ".join(map(str, line.line_visits))
    # A position has one node for each way to it, so that as many visits lead to it as there are in it.
    more = [f" {name} {visits}" for name in ("pvVisits", "pvEdgeVisits") if name in switches and visits]
    return f"pv {moves}{''.join(more)}"


def _root(colour: Colour, progress: Progress) -> str:
    lead = progress.margin if colour == BLACK else -progress.margin
    return f"rootInfo visits {progress.visits} winrate {root_win(progress):.6f} scoreLead {lead:.3f}"


def _ownership(colour: Colour, found: Ownership, switches: Set[Switch], mean: Switch, deviation: Switch) -> list[str]:
    """Format the ownership of the points from the top left, 1 for ``colour``."""
    sign = 1 if colour == BLACK else -1
    shown = {mean: [sign * share for share in found.mean], deviation: found.deviation}
    return [f"{name} {' '.join(f'{share:.3f}' for share in shown[name])}" for name in shown if name in switches]


def read_infos(torus: Torus, colour: Colour, text: str, dialect: Dialect, seconds: float = 0.0) -> Progress | None:
    """Parse a line of a dialect, best move first; None if it has no moves.

    Unknown fields and invalid moves are skipped.
    """
    words = text.split()
    found: list[tuple[int, Candidate]] = []
    visits = 0
    for section in _sections(words):
        fields, moves = _fields(section)
        try:
            move = parse_vertex(torus, fields["move"])
            line = tuple(_vertices(torus, moves))
            count, win = _count(fields["visits"]), _rate(fields["winrate"], dialect)
            order = _count(fields.get("order", str(len(found))))
            score = _score(fields) if colour == BLACK else -_score(fields)
            prior = _prior(fields, dialect)
        except (KeyError, GtpError, ValueError):
            continue
        visits += count
        found.append((order, Candidate(move, count, win, line or (move,), score, prior)))
        if len(found) == _MOST_MOVES:
            break
    if not found:
        return None
    found.sort(key=lambda pair: pair[0])
    lines = tuple(line for _, line in found)
    return Progress(0, visits, seconds, lines, lines[0].margin)


def _sections(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words of each ``info`` section, without those of other sections."""
    section: list[str] | None = None
    for word in words:
        if word in ("info", "rootInfo", *OWNERSHIP):
            if section is not None:
                yield section
            section = [] if word == "info" else None
        elif section is not None:
            section.append(word)
    if section is not None:
        yield section


def _fields(section: Sequence[str]) -> tuple[dict[str, str], list[str]]:
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


def _rate(word: str, dialect: Dialect) -> float:
    """Parse a win rate to 0…1: Leela Zero writes ten-thousandths without a decimal point, KataGo fractions."""
    is_fraction = "." in word or "e" in word or (dialect == "kata" and word == "1")
    rate = float(word) if is_fraction else int(word) / 10000
    if not -0.01 <= rate <= 1.01:
        raise ValueError(f"{word} is no win rate")
    return min(1.0, max(0.0, rate))


def _prior(fields: dict[str, str], dialect: Dialect) -> float:
    try:
        return _rate(fields.get("prior", "0"), dialect)
    except ValueError:
        return 0.0


def _score(fields: dict[str, str]) -> float:
    try:
        score = float(fields.get("scoreLead", fields.get("scoreMean", "0")))
    except ValueError:
        return 0.0
    return score if math.isfinite(score) else 0.0
