"""Read SGF: :func:`load` turns the bytes of a record into a game.

Everything else in a record is kept in :attr:`Node.properties <daoqi_tui.engine.tree.Node>` as raw values by property
name (:mod:`daoqi_tui.record.sgf.markup` reads and edits them), and
:mod:`daoqi_tui.record.sgf.write` writes it back unchanged.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from daoqi_tui.engine import Colour, Game
from daoqi_tui.message import Message, Translate, first_of
from daoqi_tui.record.files import read_record
from daoqi_tui.record.formats import parse
from daoqi_tui.record.sgf import Collection, RawNode
from daoqi_tui.record.sgf.build import Builder, replay_plain
from daoqi_tui.record.sgf.import_stage import Start, games_of, standardise
from daoqi_tui.record.sgf.info import HEADER_PROPERTIES, Info, last_of, read_ending, read_info
from daoqi_tui.record.text import SgfError, SgfProblem, decode


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
        games: the number of games of Go in the file.
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


@_collector_paused()
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
    problems = [problem.as_message() for problem in loaded.problems]
    return "".join(f"{translate(line)}\n" for line in first_of(problems, loaded.more_problems))


class Outline(NamedTuple):
    """What a list shows of a game.

    Attributes:
        info: the game information.
        comment: that of the root.
        size, komi: of the game.
        moves: plays and passes of the main line.
        colours: the colour of each point at the end of the main line.
        beginning: a game that begins as this one does, to its second move or farther.
    """

    info: Info
    comment: str
    size: int
    komi: float
    moves: int
    colours: list[Colour]
    beginning: Game


@_collector_paused()
def outline(data: bytes) -> Outline:
    """Read the first game of a file as :func:`load` does, without its tree where that can be done.

    Raises:
        SgfError: it cannot be read.
    """
    collection = _parsed(data)
    root = collection.roots[0]
    start = standardise(collection, root)
    plain = replay_plain(collection, root, start.size, flat=not start.torus)
    if plain is None:
        game = _built(collection, root, start)
        moves, colours, properties = last_of(game).number, game.board.colours, game.root.properties or {}
    else:
        game = Game(start.size)
        for point in plain.beginning:
            game.play(point)
        moves, colours, properties = plain.moves, plain.colours, root.properties
    said = "\n".join(decode(raw) for raw in properties.get("C", ()))
    return Outline(read_info(properties), said, start.size, start.komi, moves, colours, game)


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
    return tuple(read_info(root.properties) for root in _parsed(data).roots)


def _parsed(source: bytes | Path, encoding: str | None = None) -> Collection:
    """Return the games of Go in a file."""
    collection = parse(read_record(source) if isinstance(source, Path) else source, encoding)
    collection.roots = games_of(collection)
    return collection


def _loaded(collection: Collection, root: RawNode, torus: bool | None) -> Loaded:
    """Return the game that starts at one of the roots."""
    start = standardise(collection, root, torus)
    game = _built(collection, root, start)
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
        start.declared,
        start.torus,
        torus is None and start.declared is None,
        len(collection.roots),
        collection.encoding,
        collection.guessed,
    )


def _built(collection: Collection, root: RawNode, start: Start) -> Game:
    game = Game(start.size, start.komi, rules=start.rules)
    Builder(collection, game, flat=not start.torus).build(root)
    return game
