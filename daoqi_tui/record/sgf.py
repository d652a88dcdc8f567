"""Games as SGF: :func:`load` reads what programs have written, :func:`dump` writes FF[4].

What a record says beyond the moves stays in :attr:`Node.properties <daoqi_tui.engine.node.Node>` as raw
values by property name (:mod:`daoqi_tui.record.markup` reads and edits them) and is written back as it came.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from daoqi_tui import __version__
from daoqi_tui.engine import BLACK, STANDARD_KOMI, WHITE, Colour, Game, Move, Node, Setup, opponent
from daoqi_tui.record.files import read_record, write_atomically
from daoqi_tui.record.flat import legal_only_on_torus
from daoqi_tui.record.info import INFO_PROPERTIES, Info, info_properties, komi_text, parse_komi, read_info
from daoqi_tui.record.kind import check_game, declared_torus, size_of
from daoqi_tui.record.points import names_of, values_of
from daoqi_tui.record.problem import Problem, SgfError
from daoqi_tui.record.result import ending_properties, last_of, read_ending, result_of
from daoqi_tui.record.sgf_build import Builder
from daoqi_tui.record.sgf_parse import Collection, RawNode, parse
from daoqi_tui.record.sgf_write import serialise
from daoqi_tui.record.text import decode_line

_HEADER: Final = frozenset(("FF", "GM", "CA", "AP", "SZ", "KM", "TO"))
"""Root properties that say how the file is to be read; written anew each time."""


@dataclass(frozen=True)
class Loaded:
    """A game read from a record.

    Attributes:
        game: the whole tree; the cursor is at the end of the main line.
        info: what the record says about the game.
        problems: what was skipped or read otherwise than written, at most 100 of them.
        more_problems: how many there were beyond those.
        declared: whether the record says it was played on a torus; None when it says nothing.
        torus: whether it was read as played on a torus. If not, setup nodes were put in wherever the torus
            would show another position than the flat board did.
        ask: whether a person should be asked if it was, since neither the record nor the caller said so;
            :attr:`torus` is then the default answer.
        games: how many games the file holds.
    """

    game: Game
    info: Info
    problems: tuple[Problem, ...]
    more_problems: int
    declared: bool | None
    torus: bool
    ask: bool
    games: int


def load(source: bytes | Path, torus: bool | None = None, index: int = 0) -> Loaded:
    """Read a game.

    Args:
        source: the bytes of a file, or where it is.
        torus: whether it was played on a torus; None goes by what the record says, and where it says nothing, by
            whether its main line is legal on a torus only.
        index: which game of the file.

    Raises:
        SgfError: it cannot be read; one sentence, with line and column where it has a place.
    """
    with _collector_paused():
        return _load(read_record(source) if isinstance(source, Path) else source, torus, index)


def _load(data: bytes, torus: bool | None, index: int) -> Loaded:
    collection = parse(data)
    if not 0 <= index < len(collection.roots):
        raise SgfError(f"there is no game {index + 1} in the file; it holds {len(collection.roots)}")
    root = collection.roots[index]
    check_game(collection, root)
    size = size_of(collection, root)
    declared = declared_torus(root)
    ask = torus is None and declared is None
    if torus is None:
        torus = legal_only_on_torus(root, size) if declared is None else declared
    game = Game(size, _komi(collection, root))
    Builder(collection, game, flat=not torus).build(root)
    properties = game.root.properties or {}
    info = read_info(properties)
    game.root.properties = {name: values for name, values in properties.items() if name not in _HEADER} or None
    last = last_of(game)
    if last.ending is None and last.passes_in_row < 2:
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
    )


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Without looking for garbage: a large tree grows for a moment and has none, yet looking doubles the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def dump(game: Game, info: Info | None = None) -> bytes:
    """The record of a game, all variations included; the cursor of the game stays."""
    return serialise(tree_of(game, info))


def save(path: Path, game: Game, info: Info | None = None) -> None:
    """Write the record of a game to a file, atomically.

    Raises:
        OSError: as the system gives it; a file that was there is unchanged.
    """
    write_atomically(path, dump(game, info))


def tree_of(game: Game, info: Info | None = None, origins: dict[RawNode, Node] | None = None) -> RawNode:
    """The raw tree of a game, in the one spelling this program writes.

    Without a result in ``info``, that of the end of the main line is written if the game is over there. For each
    raw node but the root, ``origins``, if given, receives the node it was made from.
    """
    size = game.torus.size
    info = info or Info()
    info = replace(info, handicap=info.handicap or game.handicap, result=info.result or result_of(game))
    start = _start_of(game)
    own = game.root.properties or {}
    root = RawNode()
    root.properties = {
        "FF": ["4"],
        "GM": ["1"],
        "CA": ["UTF-8"],
        "AP": [f"daoqi_tui:{__version__}"],
        "SZ": [str(size)],
        "KM": [komi_text(game.komi)],
    }
    information = info_properties(info, own)
    if "RU" in information:
        root.properties["RU"] = information.pop("RU")
    root.properties["TO"] = ["3"]
    if "HA" in information:
        root.properties["HA"] = information.pop("HA")
    side = BLACK
    if isinstance(start.action, Setup):
        root.properties |= _setup_properties(start, start.action, own, side, size)
        side = start.action.to_move
    root.properties |= information
    root.properties |= {name: values for name, values in own.items() if name not in INFO_PROPERTIES | _HEADER}
    _write_nodes(start, root, side, game=game, result=info.result, origins=origins)
    return root


def _start_of(game: Game) -> Node:
    """The root, or the node that laid out the handicap, which records have in the root."""
    root = game.root
    if game.handicap and root.action is None and len(root.children) == 1:
        first = root.children[0]
        if isinstance(first.action, Setup) and not first.properties:
            return first
    return root


def _write_nodes(
    start: Node, root: RawNode, side: Colour, *, game: Game, result: str, origins: dict[RawNode, Node] | None
) -> None:
    """Add raw nodes for everything below ``start`` to ``root``; ``side`` is to move at ``start``."""
    size, last = game.torus.size, last_of(game)
    names = names_of(size)
    waiting = [(child, root, side) for child in reversed(start.children)]
    while waiting:
        node, parent, side = waiting.pop()
        action = node.action
        raw = parent
        if isinstance(action, Move):
            raw = RawNode()
            raw.properties["B" if action.colour == BLACK else "W"] = [names[action.point]]
            side = opponent(action.colour)
        elif isinstance(action, Setup):
            if not _only_turns(node, action, side):
                raw = RawNode()
                raw.properties |= _setup_properties(node, action, node.properties or {}, side, size)
            side = action.to_move
        if raw is not parent:
            parent.children.append(raw)
            if origins is not None:
                origins[raw] = node
            if node.properties:
                raw.properties |= node.properties
            if node.ending is not None:
                raw.properties |= ending_properties(node, size, main_end=node is last, result=result)
        waiting += [(child, raw, side) for child in reversed(node.children)]


def _only_turns(node: Node, action: Setup, side: Colour) -> bool:
    """Whether a node does no more than turn the side to move for the moves after it, which their colours say."""
    return (
        action.to_move != side
        and not (action.black or action.white or action.empty or node.properties or node.ending)
        and bool(node.children)
        and all(isinstance(child.action, Move) for child in node.children)
    )


def _setup_properties(
    node: Node, action: Setup, own: dict[str, list[str]], side: Colour, size: int
) -> dict[str, list[str]]:
    """AB, AW, AE and PL. No PL beside a move that was kept although it could not be played."""
    pairs = (("AB", action.black), ("AW", action.white), ("AE", action.empty))
    properties = {name: values_of(mask, size) for name, mask in pairs if mask}
    unclear = action.to_move != side or (properties and _next_colour(node) not in (None, action.to_move))
    if unclear and not {"PL", "B", "W"} & own.keys():
        properties["PL"] = ["B" if action.to_move == BLACK else "W"]
    return properties


def _next_colour(node: Node) -> Colour | None:
    """The colour of the move that a reader finds first after ``node``; without PL it takes that one to be to move."""
    if not node.children:
        return None
    child = node.children[0]
    if isinstance(child.action, Move):
        return child.action.colour
    kept = child.properties or {}
    if kept:
        return BLACK if "B" in kept else WHITE if "W" in kept else None
    return child.action.to_move if isinstance(child.action, Setup) else None


def _komi(collection: Collection, root: RawNode) -> float:
    """Komi; where the record does not say, the standard one."""
    values = root.properties.get("KM")
    if not values or not values[0].strip():
        return STANDARD_KOMI
    text = decode_line(values[0])
    komi = parse_komi(text)
    if komi is None:
        wrong = f"KM[{text[:20]}] is not a number of points from -1000 to 1000"
        collection.report(root.at, f"{wrong}; komi {STANDARD_KOMI} taken")
        return STANDARD_KOMI
    return int(komi) if komi == int(komi) else komi
