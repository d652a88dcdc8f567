"""Write games as SGF, FF[4] in UTF-8: :func:`dump`, :func:`save`, and :func:`dump_portable` for other programs.

A program that knows only flat boards captures too much, since chains have fewer liberties there, or too little, since
fewer chains touch. Wherever it would show a different position after a move, a portable record has a setup node that
corrects it. When read as a torus game again, those nodes change nothing.

On the unrolled board the torus is repeated side by side, and every node sets up the stones that have changed, on all
copies, since a move on a flat board is made once.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from daoqi_tui import __version__
from daoqi_tui.engine import BLACK, EMPTY, WHITE, Colour, Game, Move, Node, Setup, opponent
from daoqi_tui.message import Message
from daoqi_tui.record.files import write_atomically
from daoqi_tui.record.sgf import RawNode
from daoqi_tui.record.sgf.build import flat_of, play_on
from daoqi_tui.record.sgf.info import (
    HEADER_PROPERTIES,
    INFO_PROPERTIES,
    TORUS_GAME,
    Info,
    ending_properties,
    info_properties,
    komi_text,
    last_of,
    result_of,
    rules_text,
)
from daoqi_tui.record.sgf.markup import LETTER_OF, masks_of, names_of, values_of
from daoqi_tui.record.text import SgfError, safe

_NODES_PER_LINE: Final = 10


def dump(game: Game, info: Info | None = None) -> bytes:
    """Write a game as SGF with all variations; the cursor of the game stays."""
    return serialise(tree_of(game, info))


def save(path: Path, game: Game, info: Info | None = None) -> None:
    """Write the record of a game to a file, atomically.

    Raises:
        OSError: as the system gives it; an existing file is unchanged.
    """
    write_atomically(path, dump(game, info))


def serialise(root: RawNode) -> bytes:
    """Write one tree in UTF-8. Lines are broken only between nodes, where white space is insignificant."""
    pieces: list[str] = ["("]
    waiting: list[RawNode | str] = [")\n", root]
    on_line = 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            pieces.append(node)
            on_line = 0
            continue
        if on_line >= _NODES_PER_LINE:
            pieces.append("\n")
            on_line = 0
        pieces.append(";")
        for name, values in node.properties.items():
            pieces.append(name)
            pieces += [f"[{safe(raw)}]" for raw in values]
        # The root and nodes with a comment or markup end their line.
        on_line = on_line + 1 if len(node.properties) == 1 else _NODES_PER_LINE
        if len(node.children) == 1:
            waiting.append(node.children[0])
        else:
            for child in reversed(node.children):
                waiting += (")", child, "\n(")
    return "".join(pieces).encode("utf-8", "replace")


# From a game to raw nodes


def tree_of(game: Game, info: Info | None = None, origins: dict[RawNode, Node] | None = None) -> RawNode:
    """Return the raw tree of a game, in this program's normal form.

    If ``info`` leaves the result to the game, that at the end of the main line is written. For each
    raw node except the root, ``origins``, if given, receives the node it was made from.
    """
    size = game.torus.size
    info = info or Info()
    info = replace(
        info,
        handicap=info.handicap or game.handicap,
        result=result_of(game) if info.result is None else info.result,
        rules=rules_text(game, info.rules),
    )
    start = _start_of(game)
    own = game.root.properties or {}
    root = RawNode()
    root.properties = {
        "FF": ["4"],
        "GM": [TORUS_GAME],
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
    root.properties |= {name: values for name, values in own.items() if name not in INFO_PROPERTIES | HEADER_PROPERTIES}
    last = last_of(game)
    for node in (start, game.root):  # One node in the record; an ending at the root comes before one after it.
        root.properties |= ending_properties(node, size, main_end=node is last, result=info.result)
    _write_nodes(start, root, side, game=game, result=info.result, origins=origins)
    return root


def _start_of(game: Game) -> Node:
    """Return the root, or the node with the handicap stones, which records have in the root."""
    root = game.root
    if game.handicap and root.action is None and len(root.children) == 1:
        first = root.children[0]
        if isinstance(first.action, Setup) and not first.properties:
            return first
    return root


def _write_nodes(
    start: Node, root: RawNode, side: Colour, *, game: Game, result: str | None, origins: dict[RawNode, Node] | None
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
            raw.properties[LETTER_OF[action.colour]] = [names[action.point]]
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
            if node.ending is not None or node.resumed:
                raw.properties |= ending_properties(node, size, main_end=node is last, result=result)
        waiting += [(child, raw, side) for child in reversed(node.children)]


def _only_turns(node: Node, action: Setup, side: Colour) -> bool:
    """Return whether a node only switches the side to move, which the colours of the next moves also show."""
    return (
        action.to_move != side
        and not (action.black or action.white or action.empty or node.properties or node.ending)
        and bool(node.children)
        and all(isinstance(child.action, Move) for child in node.children)
    )


def _setup_properties(
    node: Node, action: Setup, own: dict[str, list[str]], side: Colour, size: int
) -> dict[str, list[str]]:
    """Return AB, AW, AE and PL of a setup node.

    PL is written here even if the record had it, so that writing again gives the same order.
    """
    pairs = (("AB", action.black), ("AW", action.white), ("AE", action.empty))
    properties = {name: values_of(mask, size) for name, mask in pairs if mask}
    unclear = action.to_move != side or (properties and _next_colour(node) not in (None, action.to_move))
    if "PL" in own:
        properties["PL"] = own["PL"]
    elif unclear:
        properties["PL"] = [LETTER_OF[action.to_move]]
    return properties


def _next_colour(node: Node) -> Colour | None:
    """Return the colour of the first move after ``node``, which readers assume to be to move without PL."""
    if not node.children:
        return None
    child = node.children[0]
    if isinstance(child.action, Move):
        return child.action.colour
    return child.action.to_move if isinstance(child.action, Setup) and not child.properties else None


# For flat boards


def dump_portable(game: Game, info: Info | None = None) -> bytes:
    """Write a game as SGF that flat-board programs show as it was played; the cursor of the game stays.

    Wherever flat rules would lead to a different position, a setup node follows.
    """
    size = game.torus.size
    origins: dict[RawNode, Node] = {}
    root = tree_of(game, info, origins)
    root.properties["GM"] = ["1"]
    start = [EMPTY] * game.torus.points
    for colour, mask in enumerate(masks_of(root.properties, size)):
        _lay_out(start, colour, mask)
    waiting = [(child, start) for child in reversed(root.children)]
    while waiting:
        raw, before = waiting.pop()
        action = origins[raw].action
        following = raw.children
        after = before.copy()
        if isinstance(action, Move):
            play_on(game.torus, after, [(action.colour, action.point)], onto=True)
            shown = before.copy()
            play_on(flat_of(size), shown, [(action.colour, action.point)], onto=True)
            if shown != after and not _is_corrected(following, shown, after, size):
                correction = RawNode()
                correction.properties = _difference(shown, after, size)
                correction.properties["PL"] = [LETTER_OF[opponent(action.colour)]]
                correction.children = following
                raw.children = [correction]
        elif isinstance(action, Setup):
            for colour, mask in ((BLACK, action.black), (WHITE, action.white), (EMPTY, action.empty)):
                _lay_out(after, colour, mask)
        waiting += [(child, after) for child in reversed(following)]
    return serialise(root)


def _is_corrected(following: list[RawNode], shown: list[Colour], meant: list[Colour], size: int) -> bool:
    """Return whether the next node already corrects the flat position, as in a portable record that was read."""
    if len(following) != 1:
        return False
    corrected = shown.copy()
    for colour, mask in enumerate(masks_of(following[0].properties, size)):
        _lay_out(corrected, colour, mask)
    return corrected == meant


def _lay_out(colours: list[Colour], colour: Colour, mask: int) -> None:
    for point in range(mask.bit_length()):
        if mask >> point & 1:
            colours[point] = colour


def _difference(shown: list[Colour], meant: list[Colour], size: int) -> dict[str, list[str]]:
    """Return the setup properties that turn one position into another."""
    masks = [0, 0, 0]
    for point, (was, colour) in enumerate(zip(shown, meant, strict=True)):
        if was != colour:
            masks[colour] |= 1 << point
    pairs = (("AB", masks[BLACK]), ("AW", masks[WHITE]), ("AE", masks[EMPTY]))
    return {name: values_of(mask, size) for name, mask in pairs if mask}


_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The names of rows and columns in SGF, which bound the size of a board."""
_STONES: Final = {BLACK: "AB", WHITE: "AW", EMPTY: "AE"}
_TEXTS: Final = ("C", "N")
"""The properties of a node that are kept; marks and letters belong to the points of a single board."""


def dump_unrolled(game: Game, info: Info | None = None, periods: int = 2) -> bytes:
    """Write a game as SGF with the board repeated ``periods`` times across and down; the cursor of the game stays.

    Raises:
        SgfError: no board of SGF is so large.
    """
    info = info or Info()
    size = game.torus.size
    side = size * periods
    if side > len(_LETTERS):
        raise SgfError(
            Message(
                "{periods} boards of size {size} make {side} points across; SGF has room for {most}",
                periods=periods,
                size=size,
                side=side,
                most=len(_LETTERS),
            )
        )
    names = [_copies(point, size, periods) for point in range(size * size)]
    here = game.node
    root = _raw(game, game.root, [EMPTY] * (size * size), names)
    header = {"FF": ["4"], "GM": ["1"], "CA": ["UTF-8"], "AP": [f"daoqi_tui:{__version__}"], "SZ": [str(side)]}
    result = result_of(game) if info.result is None else info.result
    information = info_properties(replace(info, result=result), game.root.properties or {})
    for name in ("HA", "RU"):
        # The handicap is set up, and the rules are not those of a flat board.
        information.pop(name, None)
    root.properties = {**header, "KM": [komi_text(game.komi)], **information, **root.properties}
    waiting = [(game.root, root)]
    while waiting:
        node, raw = waiting.pop()
        game.goto(node)
        before, side = list(game.board.colours[: size * size]), game.to_move
        for child in node.children:
            turns = isinstance(child.action, Setup) and _only_turns(child, child.action, side)
            for shown in child.children if turns else (child,):
                made = _raw(game, shown, before, names)
                raw.children.append(made)
                waiting.append((shown, made))
    game.goto(here)
    return serialise(root)


def _raw(game: Game, node: Node, before: list[int], names: list[tuple[str, ...]]) -> RawNode:
    """Return a node that changes the stones from ``before`` to those after ``node``, and marks its move."""
    game.goto(node)
    raw = RawNode()
    changed: dict[str, list[str]] = {}
    for point, colour in enumerate(game.board.colours[: len(names)]):
        if colour != before[point]:
            changed.setdefault(_STONES[colour], []).extend(names[point])
    raw.properties = changed
    raw.properties["PL"] = [LETTER_OF[game.board.to_move]]
    if isinstance(node.action, Move) and node.action.point >= 0 and game.board.colours[node.action.point]:
        raw.properties["CR"] = list(names[node.action.point])
    raw.properties |= {name: values for name, values in (node.properties or {}).items() if name in _TEXTS}
    return raw


def _copies(point: int, size: int, periods: int) -> tuple[str, ...]:
    row, column = divmod(point, size)
    return tuple(
        _LETTERS[column + size * across] + _LETTERS[row + size * down]
        for down in range(periods)
        for across in range(periods)
    )
