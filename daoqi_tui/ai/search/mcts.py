"""Monte Carlo tree search: what RAVE over playouts and PUCT with a network have in common.

Every move in the tree is legal by the rules: moves come from the engine's board with its whole history, so that
superko holds in the tree as at the root, and where two passes end the game the board is scored.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import ClassVar, Final, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.protocol import Candidate, Restriction
from daoqi_tui.ai.search.evaluator import Outcome, Prior, game_value
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, area, opponent
from daoqi_tui.reading.last_eyes import final_margin


@dataclass(frozen=True, slots=True)
class RaveParameters:
    """Parameters of move selection by RAVE and UCB1.

    Attributes:
        rave: the equivalence parameter: the visits at which the win rate of a move counts about as much as its AMAF
            win rate (Gelly and Silver 2007); 0 for plain UCT.
        exploration: the weight of the UCB1 term; with RAVE, 0 is usual.
    """

    rave: float = 1500.0
    exploration: float = 0.0


RIVAL_SHARE: Final = 0.25
"""A move is a rival of the one visited most from this share of its visits on."""


class SearchNode:
    """An expanded position in the tree with the statistics of its moves. Values are for the side to move, 0 to 1.

    Attributes:
        moves: plays and, last, PASS.
        children: the expanded child nodes, by index in ``moves``.
        visits, value_sum: the number and the sum of values of the evaluations below each move.
        total_visits: the sum of ``visits``.
        margins: the sum of the scores below moves, Black's points less White's, by index in ``moves``. Few moves of a
            node are ever tried, so that a dictionary is smaller and faster than an array.
        excluded: a mask of moves that restrictions exclude; None where none are.
        prior_visits, prior_value_sum: virtual playouts, see :class:`~daoqi_tui.ai.search.evaluator.Prior`.
        rave_visits, rave_value_sum: the same for AMAF: playouts through this node in which the side to move was the
            first to play there; they begin with the prior.
        terminal: the outcome where the game has ended here, else None.
    """

    __slots__ = (
        "children",
        "excluded",
        "margins",
        "moves",
        "prior_value_sum",
        "prior_visits",
        "rave_value_sum",
        "rave_visits",
        "terminal",
        "to_move",
        "total_visits",
        "value_sum",
        "visits",
    )

    def __init__(
        self,
        to_move: Colour,
        moves: Sequence[int] | NDArray[np.intp],
        prior: Prior | None,
        terminal: Outcome | None = None,
    ) -> None:
        count = len(moves)
        self.to_move: Final = to_move
        self.moves: Final[NDArray[np.intp]] = np.asarray(moves, dtype=np.intp)
        self.children: dict[int, Self] = {}
        self.terminal: Final = terminal
        self.total_visits = 0
        self.visits = np.zeros(count, dtype=np.float32)
        self.value_sum = np.zeros(count, dtype=np.float32)
        self.margins: dict[int, float] = {}
        self.excluded: NDArray[np.bool_] | None = None
        if prior is None:
            # The arrays are shared: without a prior there are no AMAF statistics either.
            self.prior_visits = self.rave_visits = self.visits
            self.prior_value_sum = self.rave_value_sum = self.value_sum
        else:
            self.prior_visits, self.prior_value_sum = prior.visits, prior.value_sum
            self.rave_visits, self.rave_value_sum = prior.visits.copy(), prior.value_sum.copy()

    def index_of(self, move: int) -> int | None:
        """Return the index of a move in ``moves``, None where it is not among them."""
        indices = np.flatnonzero(self.moves == move)
        return int(indices[0]) if len(indices) else None

    def after(self, move: int) -> Self | None:
        """Return the node after a move; None where it was not expanded, or the game ends with it."""
        index = self.index_of(move)
        child = None if index is None else self.children.get(index)
        return child if child is not None and child.terminal is None else None

    def count(self) -> int:
        """Return the number of nodes from this one on in which the game goes on."""
        found, waiting = 0, [self]
        while waiting:
            node = waiting.pop()
            found += node.terminal is None
            waiting.extend(node.children.values())
        return found

    def select(self, parameters: RaveParameters) -> int:
        """Return the index of the move with the highest RAVE and UCB1 value."""
        games = self.visits + self.prior_visits
        value = (self.value_sum + self.prior_value_sum) / games
        if parameters.rave:
            seen = self.rave_visits
            beta = seen / (seen + games + seen * games * (1.0 / parameters.rave))
            value += beta * (self.rave_value_sum / seen - value)
        if parameters.exploration:
            value += np.sqrt(np.log(self.total_visits + 2.0) / games) * parameters.exploration
        if self.excluded is not None:
            value[self.excluded] = -np.inf
        return int(value.argmax())

    def visit(self, index: int) -> None:
        """Count a visit of the move at ``index``, lost until :meth:`add_value`."""
        self.total_visits += 1
        self.visits[index] += 1.0

    def add_value(self, index: int, value: float, margin: float) -> None:
        """Add what a visit of the move at ``index`` found.

        Args:
            index: in ``moves``.
            value: for the side to move, 0 to 1.
            margin: Black's points less White's.
        """
        self.value_sum[index] += value
        self.margins[index] = self.margins.get(index, 0.0) + margin

    def update_rave(self, first: NDArray[np.int8], value: float) -> None:
        """Add a playout to the AMAF statistics of all moves that the side to move was the first to play."""
        played = first[self.moves] == self.to_move
        self.rave_visits += played
        if value:
            self.rave_value_sum += played * np.float32(value)

    def best(self) -> list[int]:
        """Return the indices of all moves, most visited first; of those equally visited the higher value first."""
        value = (self.value_sum + self.prior_value_sum) / (self.visits + self.prior_visits)
        order = np.lexsort((-value, -self.visits))
        return [int(index) for index in order]

    def leader_is_best(self) -> bool:
        """Return whether the move visited most has the highest value of those visited nearly as often."""
        most = self.visits.max()
        if not most:
            return True
        rivals = np.flatnonzero(self.visits >= RIVAL_SHARE * most)
        values = self.value_sum[rivals] / self.visits[rivals]
        return bool(self.visits[rivals[values.argmax()]] == most)

    def win_rate(self, index: int) -> float:
        """Return the mean value of the move at ``index``; that of its prior where it was not visited."""
        games, value_sum = self.visits[index], self.value_sum[index]
        if games:
            return float(value_sum / games)
        return float(self.prior_value_sum[index] / self.prior_visits[index])

    def margin(self, index: int) -> float | None:
        """Return the mean score below the move at ``index``, Black's less White's; None where it was not visited."""
        visits = self.visits[index]
        return self.margins[index] / float(visits) if visits else None

    def line(self, index: int, longest: int = 12) -> list[int]:
        """Return the principal variation from the move at ``index``: the most visited move each time."""
        moves = [int(self.moves[index])]
        node = self.children.get(index)
        while node is not None and node.total_visits and len(moves) < longest:
            index = int(node.visits.argmax())
            moves.append(int(node.moves[index]))
            node = node.children.get(index)
        return moves


AnyNode = TypeVar("AnyNode", bound=SearchNode)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a search; the first one reached ends it.

    Attributes:
        playouts: evaluations, including those of a reused tree; None for no limit.
        seconds: of search; None for no limit.
        extra: seconds more, while the move visited most is not the best one (Huang, Coulom and Lin 2010).
        until_decided: end the search as soon as no move can be visited as often as the leader within the limits.
    """

    playouts: int | None = None
    seconds: float | None = None
    extra: float = 0.0
    until_decided: bool = False


MOST_VISITS: Final = 16_000_000
"""Visits of the root that end any search: numbers of 32 bits count no further than 2 ** 24."""
DECISION_INTERVAL: Final = 16
"""Visits between two checks whether a search is decided."""


class TreeSearch(ABC, Generic[AnyNode]):
    """One search tree on one board.

    Args:
        board: the position; the search plays on it and undoes all it played.
        komi: points for White.
        passes_in_row: the consecutive passes before this position; with one, another ends the game.
        restrictions: moves to exclude; their plies are counted from this position.

    Attributes:
        root: the position on the board.
    """

    min_visits: ClassVar[int]
    """Evaluations below which the ownership is too noisy to use."""
    proof_visits: ClassVar[int]
    """Evaluations spent on refuting a pass, and before resigning."""
    lost_win_rate: ClassVar[float] = 0.0
    """The win rate below which a game counts as lost with fewer evaluations than that."""
    ranks_unvisited: ClassVar[bool] = False
    """Whether :meth:`candidates` ranks moves by the policy before any was visited."""
    clock: ClassVar[staticmethod[[], float]] = staticmethod(time.perf_counter)
    """The clock of :attr:`Limits.seconds`; benchmarks that run both players in one process set it to CPU time."""

    root: AnyNode

    def __init__(self, board: Board, komi: float, passes_in_row: int, restrictions: Sequence[Restriction] = ()) -> None:
        self.board = board
        self._restrictions = tuple(restrictions)
        self.komi: Final = komi
        self.passes_in_row = passes_in_row
        self._margins = 0.0
        self._opened = 0
        self._evaluated = 0

    def advance(self, move: int) -> None:
        """Make ``move`` on the board and keep the subtree below it.

        Raises:
            IllegalMove: the rules refuse it; nothing changes.
        """
        self.board.make(move)
        self.passes_in_row = self.passes_in_row + 1 if move == PASS else 0
        self._margins, self._opened, self._evaluated = 0.0, 0, 0
        kept = self.root.after(move)
        self.root = self._enter(move, kept)
        if kept is not None:
            self._opened = kept.count()

    def fork(self, board: Board) -> Self:
        """Return another search that shares this tree, on ``board``, which holds the same position.

        Either may advance without the other; what both visit afterwards grows for both.
        """
        other = copy(self)
        other.board = board
        return other

    @abstractmethod
    def _enter(self, move: int, kept: AnyNode | None) -> AnyNode:
        """Return the root after ``move``, which is on the board already; ``kept`` is its node if it was expanded."""

    # Growing the tree

    def run(
        self,
        limits: Limits,
        stopped: Callable[[], bool] = lambda: False,
        progress: Callable[[], None] | None = None,
        pace: float = 0.2,
    ) -> None:
        """Search until a limit is reached or ``stopped`` returns true; calls ``progress`` every ``pace`` seconds.

        No search has more visits than :data:`MOST_VISITS`.
        """
        start, known = self.clock(), self.root.total_visits
        due = start + pace
        deadline = start + limits.seconds if limits.seconds is not None else math.inf
        most = MOST_VISITS if limits.playouts is None else min(limits.playouts, MOST_VISITS)
        checked = known if limits.until_decided else math.inf
        while self.root.total_visits < most and not stopped():
            now = self.clock()
            if now >= deadline and (now >= deadline + limits.extra or self.root.leader_is_best()):
                break
            if self.root.total_visits >= checked + DECISION_INTERVAL:
                checked = self.root.total_visits
                rate = (checked - known) / max(now - start, 1e-9)
                if self._is_decided(min(most - checked, rate * (deadline + limits.extra - now))):
                    break
            if progress is not None and now >= due:
                # Visits without a value would be told as lost.
                self._settle()
                progress()
                due = now + pace
            left = most - self.root.total_visits
            made = self.root.total_visits - known
            end = deadline if now < deadline else deadline + limits.extra
            if made and end < math.inf:
                # A batch that begins before the end shall not go on long after it.
                left = min(left, max(1, int((end - now) * made / max(now - start, 1e-9))))
            self._grow(left)
        self._settle()

    def _is_decided(self, left: float) -> bool:
        """Return whether the leader is the best, and stays the move visited most when ``left`` more visits are made.

        Those visits might still find another move to be better; the search does not wait for that.
        """
        if len(self.root.visits) == 1:
            return True
        second, first = np.partition(self.root.visits, -2)[-2:]
        return bool(first - second > left) and self.root.leader_is_best()

    def _settle(self) -> None:
        """Wait for evaluations that are under way."""

    @abstractmethod
    def _grow(self, left: float) -> None:
        """Evaluate one leaf or a batch, at most ``left`` of them."""

    @abstractmethod
    def step(self, first: int | None = None) -> None:
        """Evaluate one leaf, below the root's move at index ``first`` where it is given."""

    def grow_below(self, first: int, left: int) -> None:  # noqa: ARG002 - one is never too many
        """Evaluate one leaf or a batch below the root's move at index ``first``, with at most ``left`` visits."""
        self.step(first)

    # Along a path from the root

    def _plays(self, board: Board, legal: int) -> int:
        """Return the mask of the plays to search: all ``legal`` where restrictions may leave only a senseless one."""
        return legal if self._restrictions else sensible_plays(board, legal)

    def _restrict(self, node: AnyNode, plies: int) -> AnyNode:
        """Exclude the restricted moves of a node ``plies`` moves from the root, unless no move would be left."""
        for restriction in self._restrictions:
            if restriction.colour == node.to_move and plies < restriction.plies:
                excluded = np.isin(node.moves, restriction.moves, invert=restriction.only)
                excluded = excluded if node.excluded is None else excluded | node.excluded
                if not excluded.all():
                    node.excluded = excluded
        return node

    def _passes(self, path: Sequence[int]) -> int:
        """Return the consecutive passes at the end of ``path``, which is not empty; two end the game."""
        passes = self.passes_in_row if len(path) == 1 else 0
        for move in path[-2:]:
            passes = passes + 1 if move == PASS else 0
        return passes

    def _outcome(self, passes: int) -> Outcome | None:
        """Return the outcome if the game has ended with the board as it stands, or who wins is certain; else None.

        ``passes`` are the consecutive ones before.
        """
        ended = passes >= 2
        certain = None if ended or self._restrictions else final_margin(self.board, self.komi, passed=passes == 1)
        if certain is None and not ended:
            return None
        count = area(self.board, self.komi)
        margin = count.margin if certain is None else certain
        owner = np.frombuffer(count.owners, dtype=np.int8)
        return Outcome(game_value(self.board.rules, margin, self.board.torus.points), margin, owner, None)

    def _pass_wins(self) -> bool:
        """Return whether a second pass in a row, which ends the game, wins for the side to move."""
        return value_after_cost(self.board, self.board.rules.pass_cost, area(self.board, self.komi).margin) == 1

    # What was found

    @property
    def playouts(self) -> int:
        """Evaluations below the root, including those of a reused tree."""
        return self.root.total_visits

    @property
    def owner_playouts(self) -> int:
        """Evaluations in :meth:`ownership`: those of a reused tree are not, since their ownership is not kept."""
        return min(self._evaluated, self.root.total_visits)

    def candidates(self, most: int = 3) -> tuple[Candidate, ...]:
        """Return up to ``most`` moves in the order of :meth:`SearchNode.best`."""
        root = self.root
        best = [index for index in root.best() if root.excluded is None or not root.excluded[index]]
        untried = self.ranks_unvisited and not root.total_visits
        told = [index for index in best[:most] if root.visits[index] or untried or index == best[0]]
        return tuple(self._candidate(index) for index in told)

    def _candidate(self, index: int) -> Candidate:
        root = self.root
        found = root.margin(index)
        return Candidate(
            int(root.moves[index]),
            int(root.visits[index]),
            root.win_rate(index),
            tuple(root.line(index)),
            self.margin if found is None else found,
            float(self.policy()[index]),
        )

    @abstractmethod
    def policy(self) -> NDArray[np.float32]:
        """Return the policy at the root, one probability per move; the sum is 1."""

    @abstractmethod
    def ownership(self) -> NDArray[np.float64]:
        """Return the mean ownership since the last move, from −1 (White's) to 1 (Black's); shape ``(points,)``."""

    @property
    def margin(self) -> float:
        """The mean score since the last move, Black's less White's; the tree's until anything is evaluated."""
        root = self.root
        if not self._evaluated and root.total_visits:
            return sum(root.margins.values()) / root.total_visits
        return self._margins / max(1, self._evaluated)


def clamp_margin(margin: float, board: Board, komi: float) -> float:
    """Return a score, Black's less White's, clamped to what the board allows; a network may exceed that."""
    least, most = margin_bounds(board, komi)
    return min(max(margin, least), most)


def margin_bounds(board: Board, komi: float) -> tuple[float, float]:
    """Return the lowest and the highest score possible on a board, Black's points less White's."""
    points = board.torus.points
    beside = board.passes[WHITE] - board.passes[BLACK] - komi
    return beside - points, beside + points


def value_after_cost(board: Board, cost: int, margin: float) -> float:
    """Return what a game that ends now is worth to the side to move, which first pays ``cost`` points.

    Args:
        board: says whose move it is, and by its rules who wins a tie.
        cost: in points.
        margin: Black's points less White's before the payment.

    Returns:
        1 for a won, 0.5 for a drawn, 0 for a lost game.
    """
    if board.to_move == BLACK:
        return board.rules.value(margin - cost)
    return 1 - board.rules.value(margin + cost)


def sensible_plays(board: Board, legal: int) -> int:
    """Return the ``legal`` plays with only the first of all one-stone suicides, which lead to the same position."""
    torus = board.torus
    mine = board.stones(board.to_move)
    lone = legal & ~torus.dilate(board.empty | mine)
    if not lone:
        return legal
    kept = False
    for point in torus.points_in(lone):
        if captures(board, point):
            continue
        if kept:
            legal ^= torus.bits[point]
        kept = True
    return legal


def captures(board: Board, point: int) -> bool:
    """Return whether a play of the side to move at ``point`` captures stones of the opponent."""
    theirs, own = opponent(board.to_move), board.torus.bits[point]
    return any(
        board.colours[nearby] == theirs and board.liberties_of(nearby) == own
        for nearby in board.torus.neighbours[point]
    )
