"""Records for programs that know only a flat board.

Such a program captures too much, since chains have fewer liberties there, or too little, since fewer chains touch.
Wherever it would show another position after a move, a node with setup follows that puts it right. Read as a
torus game again, those nodes change nothing.
"""

from __future__ import annotations

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Colour, Game, Move, Node, Setup, opponent
from daoqi_tui.record.flat import flat_of, play_on
from daoqi_tui.record.info import Info
from daoqi_tui.record.points import masks_of, values_of
from daoqi_tui.record.sgf import tree_of
from daoqi_tui.record.sgf_parse import RawNode
from daoqi_tui.record.sgf_write import serialise


def dump_portable(game: Game, info: Info | None = None) -> bytes:
    """The record of a game that any SGF program shows as it was played; the cursor of the game stays."""
    return serialise(portable_tree(game, info))


def portable_tree(game: Game, info: Info | None = None) -> RawNode:
    """As :func:`~daoqi_tui.record.sgf.tree_of`, with setup nodes wherever flat rules would show another position.

    A move that reading had to skip, kept in the record as it came, is left out: another program might play it.
    """
    size = game.torus.size
    origins: dict[RawNode, Node] = {}
    root = tree_of(game, info, origins)
    start = [EMPTY] * game.torus.points
    for colour, mask in enumerate(masks_of(root.properties, size).masks):
        _lay_out(start, colour, mask)
    waiting = [(child, start) for child in reversed(root.children)]
    while waiting:
        raw, before = waiting.pop()
        action = origins[raw].action
        following = raw.children
        after = before.copy()
        if isinstance(action, Move):
            play_on(game.torus, after, action.colour, action.point)
            shown = before.copy()
            play_on(flat_of(size), shown, action.colour, action.point)
            if shown != after:
                correction = RawNode()
                correction.properties = _difference(shown, after, size)
                correction.properties["PL"] = ["B" if opponent(action.colour) == BLACK else "W"]
                correction.children = following
                raw.children = [correction]
        elif isinstance(action, Setup):
            for colour, mask in ((BLACK, action.black), (WHITE, action.white), (EMPTY, action.empty)):
                _lay_out(after, colour, mask)
            raw.properties.pop("B", None)
            raw.properties.pop("W", None)
        waiting += [(child, after) for child in reversed(following)]
    return root


def _lay_out(colours: list[Colour], colour: Colour, mask: int) -> None:
    for point in range(mask.bit_length()):
        if mask >> point & 1:
            colours[point] = colour


def _difference(shown: list[Colour], meant: list[Colour], size: int) -> dict[str, list[str]]:
    """The setup properties that turn one position into another."""
    masks = [0, 0, 0]
    for point, (was, colour) in enumerate(zip(shown, meant, strict=True)):
        if was != colour:
            masks[colour] |= 1 << point
    pairs = (("AB", masks[BLACK]), ("AW", masks[WHITE]), ("AE", masks[EMPTY]))
    return {name: values_of(mask, size) for name, mask in pairs if mask}
