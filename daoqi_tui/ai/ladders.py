"""Ladders read out at the root, as a player does before thinking about anything else.

Playouts are poor at ladders, which on a torus may circle the whole board before they meet their own start. Weak
levels do without, and so walk into them as people do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from daoqi_tui.ai.tree import Node
from daoqi_tui.analysis.ladder import read_ladder
from daoqi_tui.engine import Board, Colour

NODES: Final = 3000
"""Moves tried for one ladder before it is left to the search."""
WEIGHT: Final = 20.0
"""Imagined games for a capture that works; twice as many against a flight in vain, half for a timely escape."""


def heed_ladders(board: Board, root: Node, stopped: Callable[[], bool] = lambda: False) -> None:
    """Add to the prior of ``root``, the node of the position on ``board``, what its ladders say, until ``stopped``."""
    mine = board.to_move
    seen = 0
    for point in board.torus.points_in(board.torus.full ^ board.empty):
        if seen >> point & 1:
            continue
        if stopped():
            return
        chain = board.chain_at(point)
        assert chain is not None
        seen |= board.torus.mask(chain.stones)
        if len(chain.liberties) > 2:
            continue
        if chain.colour == mine:
            _heed_own(board, root, point, chain.liberties, stopped)
        elif (line := _captured(board, point, mine, stopped)) is not None:
            _add(root, line[0], WEIGHT, won=True)


def _heed_own(board: Board, root: Node, point: int, liberties: tuple[int, ...], stopped: Callable[[], bool]) -> None:
    """Do not run where running is in vain; escape in time where the opponent threatens a ladder."""
    mine = board.to_move
    if len(liberties) == 1:
        if _captured(board, point, mine, stopped) is not None:
            _add(root, liberties[0], 2 * WEIGHT, won=False)
    elif _captured(board, point, 3 - mine, stopped) is not None:
        ladder = read_ladder(board, point, mine, NODES, stopped)
        if ladder.result == "escapes" and ladder.line:
            _add(root, ladder.line[0], WEIGHT / 2, won=True)


def _captured(board: Board, point: int, to_move: Colour, stopped: Callable[[], bool]) -> tuple[int, ...] | None:
    """The line by which a ladder captures the chain on ``point`` when ``to_move`` begins, else None."""
    ladder = read_ladder(board, point, to_move, NODES, stopped)
    return ladder.line if ladder.result == "captured" and ladder.line else None


def _add(root: Node, move: int, games: float, *, won: bool) -> None:
    place = root.place(move)
    if place is None:
        return
    for counted, wins in ((root.prior_games, root.prior_wins), (root.rave_visits, root.rave_wins)):
        counted[place] += games
        if won:
            wins[place] += games
