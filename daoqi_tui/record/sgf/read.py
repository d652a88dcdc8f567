"""Read SGF: :func:`load` turns the bytes of a record into a game.

Everything else in a record is kept in :attr:`Node.properties <daoqi_tui.engine.tree.Node>` as raw values by property
name (:mod:`daoqi_tui.record.sgf.markup` reads and edits them), and
:mod:`daoqi_tui.record.sgf.write` writes it back unchanged.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from daoqi_tui.engine import DAOQI, LARGEST, SMALLEST, STANDARD_KOMI, Game, points_text
from daoqi_tui.engine.game import LARGEST_KOMI
from daoqi_tui.message import Message, Translate
from daoqi_tui.record.files import read_record
from daoqi_tui.record.formats import parse
from daoqi_tui.record.sgf.build import Builder, legal_only_on_torus
from daoqi_tui.record.sgf.info import HEADER_PROPERTIES, Info, last_of, parse_komi, read_ending, read_info, read_rules
from daoqi_tui.record.sgf.parse import Collection, RawNode
from daoqi_tui.record.text import SgfError, SgfProblem, decode_line

_TORUS_GAMES: Final = ("q5go-1", "10")
_OTHER_GAMES: Final = {
    "2": Message("Othello"),
    "3": Message("chess"),
    "4": Message("Gomoku"),
    "7": Message("Chinese chess"),
    "8": Message("Shogi"),
    "11": Message("Hex"),
}
_SPEC_SIZE: Final = 19
"""SGF: the board of a Go record without SZ."""
_KOMI_OF_RULES: Final = {
    "daoqi": STANDARD_KOMI,
    "japanese": 6.5,
    "korean": 6.5,
    "chinese": 7.5,
    "aga": 7.5,
    "nz": 7,
    "new zealand": 7,
    "goe": 8,
    "ing": 8,
}
"""The komi that rules prescribe for an even game, by their names in RU."""


@dataclass(frozen=True)
class Loaded:
    """A game read from a record.

    Attributes:
        game: the whole tree; the cursor is at the end of the main line.
        info: the game information.
        problems: the parts that were skipped or reinterpreted, at most 100.
        more_problems: the number of further ones.
        declared: whether the record declares a torus; None without a declaration.
        torus: whether it was read as played on a torus. If not, setup nodes were inserted wherever the torus would lead
            to a different position.
        ask: whether the user should be asked, since neither the record nor the caller specified it; :attr:`torus` is
            then the default answer.
        games: the number of games in the file.
        encoding: the encoding used.
        guessed: whether the encoding was guessed among several that fit.
    """

    game: Game
    info: Info
    problems: tuple[SgfProblem, ...]
    more_problems: int
    declared: bool | None
    torus: bool
    ask: bool
    games: int
    encoding: str
    guessed: bool


def load(source: bytes | Path, torus: bool | None = None, index: int = 0, *, encoding: str | None = None) -> Loaded:
    """Read a game.

    Args:
        source: the bytes of a file, or its path.
        torus: whether it was played on a torus; None uses the record's declaration, or without one, whether its main
            line is legal only on a torus.
        index: which game of the file.
        encoding: the encoding of the file, overriding its declaration; None uses the declaration, or the most likely
            one.

    Raises:
        SgfError: it cannot be read; one sentence, with line and column if known.
    """
    with _collector_paused():
        collection = _parsed(source, encoding)
        if not 0 <= index < len(collection.roots):
            raise SgfError(
                Message(
                    "there is no game {number} in the file; it holds {count}",
                    number=index + 1,
                    count=len(collection.roots),
                )
            )
        return _loaded(collection, collection.roots[index], torus)


def problems_text(loaded: Loaded, translate: Translate = str) -> str:
    """List the problems of reading, a line each, for standard error; empty if there are none."""
    lines = [translate(problem.as_message()) for problem in loaded.problems]
    if loaded.more_problems:
        lines.append(translate(Message("and {count} more like these", count=loaded.more_problems)))
    return "".join(f"{line}\n" for line in lines)


def load_all(source: bytes | Path, *, encoding: str | None = None) -> Iterator[Loaded]:
    """Yield all games of a file, which is parsed once; arguments and errors are those of :func:`load`."""
    with _collector_paused():
        collection = _parsed(source, encoding)
    shared, more = len(collection.problems), collection.more_problems
    for root in collection.roots:
        # Problems of earlier games do not belong to this one.
        del collection.problems[shared:]
        collection.more_problems = more
        with _collector_paused():
            loaded = _loaded(collection, root, None)
        yield loaded


def games_in(data: bytes) -> tuple[Info, ...]:
    """Return the game information of each game in a file.

    Raises:
        SgfError: there is no game in it.
    """
    return tuple(read_info(root.properties) for root in parse(data).roots)


def _parsed(source: bytes | Path, encoding: str | None) -> Collection:
    return parse(read_record(source) if isinstance(source, Path) else source, encoding)


def _loaded(collection: Collection, root: RawNode, torus: bool | None) -> Loaded:
    """Return the game that starts at one of the roots."""
    _check_game(collection, root)
    size = _size_of(collection, root)
    declared = _declared_torus(root)
    ask = torus is None and declared is None
    if torus is None:
        torus = legal_only_on_torus(root, size) if declared is None else declared
    rules = read_rules(read_info(root.properties).rules) or DAOQI
    game = Game(size, _komi(collection, root, torus=torus), rules=rules)
    Builder(collection, game, flat=not torus).build(root)
    properties = game.root.properties or {}
    info = read_info(properties)
    game.root.properties = {
        name: values for name, values in properties.items() if name not in HEADER_PROPERTIES
    } or None
    last = last_of(game)
    if last.ending is None:
        # Even after two passes, since scoring may have been abandoned.
        last.ending = read_ending(info.result)
    return Loaded(
        game,
        info,
        tuple(collection.problems),
        collection.more_problems,
        declared,
        torus,
        ask,
        len(collection.roots),
        collection.encoding,
        collection.guessed,
    )


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the garbage collector: building a large tree makes no cycles, and searching for them doubles the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


# The root node


def _first(root: RawNode, name: str) -> str:
    values = root.properties.get(name)
    return decode_line(values[0]) if values else ""


def _size_of(collection: Collection, root: RawNode) -> int:
    """Return the size of the board.

    Raises:
        SgfError: SZ is invalid, not square, or out of range.
    """
    text = _first(root, "SZ")
    if "SZ" not in root.properties:
        return _SPEC_SIZE
    found = re.fullmatch(r"0*(\d{1,9})\s*(?:[:xX×]\s*0*(\d{1,9}))?", text, re.ASCII)
    shown = text if len(text) <= 12 else text[:12] + "…"
    if not found:
        wrong = Message(
            "the size SZ[{text}] is not a number; it should be {least} to {most}",
            text=shown,
            least=SMALLEST,
            most=LARGEST,
        )
        raise collection.error(root.at, wrong)
    if found[2] and int(found[2]) != int(found[1]):
        raise collection.error(
            root.at, Message("the board SZ[{text}] is not square; only square boards can be read", text=shown)
        )
    size = int(found[1])
    if not SMALLEST <= size <= LARGEST:
        beyond = Message(
            "the size SZ[{text}] is out of range: {least} to {most}", text=shown, least=SMALLEST, most=LARGEST
        )
        raise collection.error(root.at, beyond)
    return size


def _check_game(collection: Collection, root: RawNode) -> None:
    """Check that the record is one of Go.

    Raises:
        SgfError: it is a record of another game, or of Go on a cylinder.
    """
    game = _first(root, "GM").lower()
    if game not in ("", "1", *_TORUS_GAMES):
        known = _OTHER_GAMES.get(game, Message("another game"))
        shown = game if len(game) <= 12 else game[:12] + "…"
        other = Message("GM[{text}] is {game}; only records of Go, GM[1], can be read", text=shown, game=known)
        raise collection.error(root.at, other)
    if _first(root, "TO") in ("1", "2"):
        cylinder = Message("TO[1] and TO[2] are a board that wraps in one direction only; the torus is TO[3]")
        raise collection.error(root.at, cylinder)


def _declared_torus(root: RawNode) -> bool | None:
    """Return whether the record declares a torus: True, False (``TO[0]``), or None if it says nothing."""
    wraps = _first(root, "TO")
    if wraps in ("0", "3"):
        return wraps == "3"
    program = "".join(root.properties.get("AP", ())).lower()
    if _first(root, "GM").lower() in _TORUS_GAMES or "daoqi" in program:
        return True
    return None


def _komi(collection: Collection, root: RawNode, *, torus: bool) -> float:
    """Return the komi of the record, or else of its rules."""
    usual = STANDARD_KOMI if torus else _flat_komi(root)
    values = root.properties.get("KM")
    if not values or not values[0].strip():
        return usual
    text = decode_line(values[0])
    komi = parse_komi(text)
    if komi is None:
        wrong = Message(
            "KM[{text}] is not a number of points from {least} to {most}; komi {komi} is used",
            text=text[:20],
            least=-LARGEST_KOMI,
            most=LARGEST_KOMI,
            komi=points_text(usual),
        )
        collection.report(root.at, wrong)
        return usual
    return int(komi) if komi == int(komi) else komi


def _flat_komi(root: RawNode) -> float:
    """Return the default komi of a flat-board record: 0, unless its rules prescribe one.

    Old games had none, and neither have handicap games.
    """
    info = read_info(root.properties)
    return 0 if info.handicap else _KOMI_OF_RULES.get(info.rules.lower(), 0)
