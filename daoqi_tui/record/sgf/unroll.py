"""Write games as SGF on the unrolled board: the torus repeated side by side, for programs that know only flat boards.

Every node sets up the stones that have changed, on all copies of the board, since a move on a flat board is made once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from daoqi_tui import __version__
from daoqi_tui.engine import BLACK, EMPTY, WHITE, Game, Move, Node
from daoqi_tui.message import Message
from daoqi_tui.record.sgf.info import Info, info_properties, komi_text, result_of
from daoqi_tui.record.sgf.parse import RawNode
from daoqi_tui.record.sgf.write import serialise
from daoqi_tui.record.text import SgfError

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
    return serialise(unrolled_tree(game, info or Info(), periods))


def unrolled_tree(game: Game, info: Info, periods: int) -> RawNode:
    """Return the raw tree of a game on the unrolled board, variations included; the cursor of the game stays.

    Raises:
        SgfError: no board of SGF is so large.
    """
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
    information = info_properties(replace(info, result=info.result or result_of(game)), game.root.properties or {})
    for name in ("HA", "RU"):
        # The handicap is set up, and the rules are not those of a flat board.
        information.pop(name, None)
    root.properties = {**header, "KM": [komi_text(game.komi)], **information, **root.properties}
    waiting = [(game.root, root)]
    while waiting:
        node, raw = waiting.pop()
        game.goto(node)
        before = list(game.board.colours[: size * size])
        for child in node.children:
            made = _raw(game, child, before, names)
            raw.children.append(made)
            waiting.append((child, made))
    game.goto(here)
    return root


def _raw(game: Game, node: Node, before: list[int], names: list[tuple[str, ...]]) -> RawNode:
    """Return a node that changes the stones from ``before`` to those after ``node``, and marks its move."""
    game.goto(node)
    raw = RawNode()
    changed: dict[str, list[str]] = {}
    for point, colour in enumerate(game.board.colours[: len(names)]):
        if colour != before[point]:
            changed.setdefault(_STONES[colour], []).extend(names[point])
    raw.properties = changed
    raw.properties["PL"] = ["B" if game.board.to_move == BLACK else "W"]
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
