"""When to pass, and what to do before: Tromp–Taylor counts what stands on the board, and a pass costs a point.

The rules this module keeps, whatever the playouts think:

* after the opponent's pass, pass when that wins by the exact count, and at once;
* with nothing passed yet, pass only when the board as it stands is won and the opponent, given the move,
  finds nothing; or when the game is lost and nothing is left to hope for;
* a won game in which dead stones still stand, and count as alive, goes on until they are captured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from daoqi_tui.ai.puct_tree import PuctNode
from daoqi_tui.ai.tree import Node
from daoqi_tui.ai.tree_search import Limits, TreeSearch, wins_paying
from daoqi_tui.engine import BLACK, PASS, Area, Colour, area, opponent

SAFE: Final = 0.9
"""The share of games won from which a game counts as won, and one less this as lost nearly so."""
LOST: Final = 0.05
SETTLED: Final = 0.7
"""Ownership from which a point is decided."""
DOUBTS: Final = 16
"""The board is settled when fewer than one point in so many is undecided."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What to play.

    Attributes:
        move: a point or PASS.
        win: the mover's expected share of games.
        hopeless: whether nothing is left that could win.
    """

    move: int
    win: float
    hopeless: bool = False


Thought: TypeAlias = TreeSearch[Node] | TreeSearch[PuctNode]
"""A search, by playouts or with a network, that can be asked to think on."""


def at_once(search: Thought) -> int | None:
    """The move that needs no thought: a winning second pass, or the first stone, which may stand anywhere."""
    board = search.board
    if search.passes_in_row == 1 and _pass_wins(search, area(board, search.komi)):
        return PASS
    if board.empty == board.torus.full and search.passes_in_row == 0 and board.move_number == 0:
        return board.torus.point(board.torus.rows // 2, board.torus.columns // 2)
    return None


def decide(search: Thought, stopped: Callable[[], bool] = lambda: False) -> Decision:
    """The move to make after the search has thought; thinks on to be sure of an ending, unless ``stopped``."""
    board, root = search.board, search.root
    plays = [place for place in root.best() if root.moves[place] != PASS]
    passing = len(root.moves) - 1
    if not plays:
        return Decision(PASS, root.rate(passing))
    count = area(board, search.komi)
    play = _sound(search, plays)
    win = root.rate(play)
    if (win >= SAFE or win <= 1 - SAFE) and not stopped():
        search.run(Limits(playouts=search.least), stopped)
        if _is_settled(search):
            won = _pass_wins(search, count)
            if won and _nothing_happens(search, passing, stopped):
                return Decision(PASS, root.rate(passing))
            if not won and _is_lost(search, stopped):
                return Decision(PASS, root.rate(passing), hopeless=True)
            if win >= SAFE and (capture := _capture(search, win, stopped)) is not None:
                return Decision(int(root.moves[capture]), root.rate(capture))
    if not _is_sound(search, play) and _pass_wins(search, count) and _nothing_happens(search, passing, stopped):
        # Nothing else came near it, so there is nothing left to play for; a few playouts may not see the danger.
        return Decision(PASS, root.rate(passing))
    if _pass_is_best(search, count, play, passing):
        return Decision(PASS, root.rate(passing))
    lost = LOST if search.playouts >= search.proof else search.lost_at_a_glance
    return Decision(int(root.moves[play]), win, hopeless=win < lost)


def _pass_wins(search: Thought, count: Area) -> bool:
    """Whether the side to move wins by the count if it passes and the opponent has passed or passes then."""
    cost = search.board.pass_cost if search.passes_in_row == 1 else 0
    return wins_paying(search.board.to_move, cost, count.margin)


def _is_settled(search: Thought) -> bool:
    owned = search.ownership()
    return int((abs(owned) < SETTLED).sum()) * DOUBTS < len(owned)


def _nothing_happens(search: Thought, passing: int, stopped: Callable[[], bool]) -> bool:
    """Whether the game stays won when the side to move passes and the opponent searches for something.

    Where the proof is cut short, the answer is no.
    """
    root = search.root
    for _ in range(search.proof):
        if stopped():
            return False
        search.step(passing)
    node = root.children.get(passing)
    if node is None or root.rate(passing) < SAFE:
        return False
    if node.ending is not None:
        return True
    return node.rate(node.best()[0]) <= 1 - SAFE


def _is_lost(search: Thought, stopped: Callable[[], bool]) -> bool:
    search.run(Limits(playouts=search.proof), stopped)
    if search.playouts < search.proof:
        return False
    root = search.root
    plays = [place for place in root.best() if root.moves[place] != PASS]
    return all(root.rate(place) < LOST for place in plays[:5] if root.visits[place])


def _sound(search: Thought, plays: list[int]) -> int:
    """The first of ``plays`` that neither fills an own eye nor is a lone suicide, unless nothing else comes near."""
    root = search.root
    best = plays[0]
    for place in plays[:8]:
        if _is_sound(search, place) and root.rate(place) >= root.rate(best) - 0.05:
            return place
    return best


def _is_sound(search: Thought, place: int) -> bool:
    """Whether a play puts a stone neither among the player's own on all sides nor alone among the opponent's."""
    board = search.board
    mine = board.stones(board.to_move)
    around = board.torus.around[int(search.root.moves[place])]
    return bool(around & (board.empty | mine) and around & ~mine)


def _capture(search: Thought, win: float, stopped: Callable[[], bool]) -> int | None:
    """A play that brings the capture of dead stones nearer, at no risk; None where none stand, or when ``stopped``."""
    board, root = search.board, search.root
    mine = board.to_move
    sign = 1 if mine == BLACK else -1
    owned = search.ownership() * sign
    best: tuple[int, int] | None = None
    seen: set[int] = set()
    for point in board.torus.points_in(board.stones(opponent(mine))):
        if point in seen or owned[point] < SETTLED:
            continue
        chain = board.chain_at(point)
        assert chain is not None
        seen.update(chain.stones)
        for liberty in chain.liberties:
            place = root.place(liberty)
            if place is None or (best is not None and best[0] <= len(chain.liberties)):
                continue
            if not _has_room(search, liberty, mine) and len(chain.liberties) > 1:
                continue
            while root.visits[place] < search.least // 4:
                if stopped():
                    return None
                search.step(place)
            if root.rate(place) >= win - 0.03:
                best = len(chain.liberties), place
    return best[1] if best else None


def _has_room(search: Thought, point: int, mine: Colour) -> bool:
    """Whether a stone of ``mine`` on ``point`` has, alone or with its friends, two liberties."""
    board = search.board
    liberties = set(board.torus.points_in(board.torus.around[point] & board.empty))
    for nearby in board.torus.neighbours[point]:
        chain = board.chain_at(nearby)
        if chain is not None and chain.colour == mine:
            liberties.update(chain.liberties)
    return len(liberties - {point}) >= 2


def _pass_is_best(search: Thought, count: Area, play: int, passing: int) -> bool:
    """Whether the search wants to pass and has seen that the answering pass does not lose."""
    root = search.root
    if root.visits[passing] <= root.visits[play] or root.rate(passing) <= root.rate(play):
        return False
    return _pass_wins(search, count)
