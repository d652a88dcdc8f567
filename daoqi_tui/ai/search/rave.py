"""Monte Carlo tree search over playouts with RAVE (rapid action value estimation, Gelly and Silver 2007)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.protocol import Restriction
from daoqi_tui.ai.search.evaluator import PATH_A_POINT, BatchEvaluator, Evaluator, Outcome, Stopped
from daoqi_tui.ai.search.mcts import RaveParameters, SearchNode, TreeSearch
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour
from daoqi_tui.reading.ladder import read_ladder

BURST: Final = 64
"""Playouts of each thread between two looks at the limits: some milliseconds."""
BATCH: Final = 8
"""The most playouts that a thread makes at a time. More virtual losses distort the search."""
VISITS_PER_LEAF: Final = 8
"""The batch grows by one playout for each so many visits of the root."""
CERTAIN: Final = 30.0
"""Virtual playouts won by a pass that is known to win."""


class RaveSearch(TreeSearch[SearchNode]):
    """A search tree whose leaves are evaluated by playouts.

    Of several threads each walks down the tree and backs up while it holds a lock, and plays out beside the others:
    compiled playouts leave the interpreter's lock to them. A visit counts as lost until its playout is over.

    Args:
        board, komi, passes_in_row, restrictions: as in :class:`~daoqi_tui.ai.search.mcts.TreeSearch`.
        evaluator: evaluates leaves and gives the priors of new nodes.
        parameters: of move selection.
        last: the point of the move that led here, PASS for a pass or none.

    Attributes:
        threads: how many grow the tree, where the evaluator can run in several.
    """

    min_visits = 64
    proof_visits = 200

    def __init__(
        self,
        board: Board,
        komi: float,
        evaluator: Evaluator,
        parameters: RaveParameters | None = None,
        *,
        last: int = PASS,
        passes_in_row: int = 0,
        restrictions: Sequence[Restriction] = (),
    ) -> None:
        super().__init__(board, komi, passes_in_row, restrictions)
        self.evaluator = evaluator
        self.parameters: Final = parameters or RaveParameters()
        self.threads = 1
        self._lock = threading.Lock()
        # A node takes some 30 bytes a point; the tree grows ever more slowly beyond a few hundred megabytes.
        self._room = 3e6 / board.torus.points
        self._longest = PATH_A_POINT * board.torus.points
        self.root = self._enter(last, None)

    def fork(self, board: Board) -> Self:
        """As :meth:`daoqi_tui.ai.search.mcts.TreeSearch.fork` says, with an evaluator that knows its own root."""
        other = super().fork(board)
        other.evaluator = copy(self.evaluator)
        return other

    def _enter(self, move: int, kept: SearchNode | None) -> SearchNode:
        self.evaluator.begin(self.board, self.komi, move)
        self._balance = self.board.passes[WHITE] - self.board.passes[BLACK]
        self._owned = np.zeros((2, self.board.torus.points), dtype=np.int64)
        self._policy: NDArray[np.float32] | None = None
        return kept or self._open([], self.passes_in_row)

    # Growing the tree

    def _grow(self, left: float) -> None:
        twins = self.evaluator.twins(self.threads) if self.threads > 1 else ()
        if len(twins) < 2:
            self.step()
            return
        most = self.root.total_visits + min(left, BURST * len(twins))
        with ThreadPoolExecutor(len(twins) - 1, "grow the tree") as others:
            growing = [others.submit(self._grow_until, most, twin) for twin in twins[1:]]
            self._grow_until(most, twins[0])
        for grown in growing:
            grown.result()

    def _grow_until(self, most: float, evaluator: BatchEvaluator) -> None:
        """Evaluate leaves, beside other threads, until the root has ``most`` visits."""
        leaves: list[list[tuple[SearchNode, int]]] = []
        outcomes: list[Outcome] = []
        while True:
            with self._lock:
                for nodes, outcome in zip(leaves, outcomes, strict=True):
                    self._note(outcome)
                    self._back_up(nodes, outcome)
                leaves, paths = self._choose_batch(most)
                leads = [self._balance + self._paid(path) for path in paths]
            if not leaves:
                return
            outcomes = evaluator.evaluate_batch(paths, leads)

    def _choose_batch(self, most: float) -> tuple[list[list[tuple[SearchNode, int]]], list[list[int]]]:
        """Walk down to leaves and count their visits, as long as the root has less than ``most``.

        Ends of the game are backed up at once and are none of the leaves.

        Returns:
            For each leaf the nodes above it with the indices of the moves chosen, and those moves.
        """
        leaves: list[list[tuple[SearchNode, int]]] = []
        paths: list[list[int]] = []
        size = min(BATCH, 1 + self.root.total_visits // VISITS_PER_LEAF)
        while len(leaves) < size and self.root.total_visits < most:
            nodes, path, outcome = self._descend(None)
            for node, index in nodes:
                node.visit(index)
            if outcome is None:
                leaves.append(nodes)
                paths.append(path)
            else:
                self._note(outcome)
                self._back_up(nodes, outcome)
        return leaves, paths

    def step(self, first: int | None = None) -> None:
        """Evaluate one leaf, below the root's move at index ``first`` where it is given.

        Nothing is backed up where the evaluator is stopped meanwhile.
        """
        nodes, path, outcome = self._descend(first)
        if outcome is None:
            try:
                outcome = self.evaluator.evaluate(path, self._balance + self._paid(path))
            except Stopped:
                return
        for node, index in nodes:
            node.visit(index)
        self._note(outcome)
        self._back_up(nodes, outcome)

    def _descend(self, first: int | None) -> tuple[list[tuple[SearchNode, int]], list[int], Outcome | None]:
        """Walk down the tree, which may grow by a node, from the root's move at index ``first`` where it is given.

        Returns:
            The nodes with the indices of the moves chosen, those moves, and the outcome where the game ends with them.
        """
        node = self.root
        nodes: list[tuple[SearchNode, int]] = []
        path: list[int] = []
        while True:
            index = first if first is not None and not path else node.select(self.parameters)
            nodes.append((node, index))
            path.append(int(node.moves[index]))
            child = node.children.get(index)
            if child is None:
                child = self._reach(node, index, path)
            # Nodes that another search shares may lie deeper.
            if child is None or child.terminal is not None or len(path) == self._longest:
                break
            node = child
        return nodes, path, child.terminal if child is not None else None

    def _paid(self, path: Sequence[int]) -> int:
        """Return what passes along ``path`` cost White less what they cost Black, in points."""
        balance, cost = 0, self.board.rules.pass_cost if self.root.to_move == WHITE else -self.board.rules.pass_cost
        for move in path:
            if move == PASS:
                balance += cost
            cost = -cost
        return balance

    def _reach(self, node: SearchNode, index: int, path: list[int]) -> SearchNode | None:
        """Expand the node at the end of ``path`` if it has enough visits or ends the game; else return None."""
        passes = self._passes(path)
        if passes < 2 and node.visits[index] < self.evaluator.expansion_visits * (1 + self._opened / self._room):
            return None
        node.children[index] = child = self._open(path, passes)
        return child

    def _open(self, path: Sequence[int], passes_in_row: int) -> SearchNode:
        with self._at(path) as board:
            if path and (terminal := self._outcome(passes_in_row)) is not None:
                return SearchNode(board.to_move, (), None, terminal)
            moves = [*board.torus.points_in(self._plays(board, board.legal_mask())), PASS]
            self._opened += 1
            prior = self.evaluator.prior(path, moves)
            if passes_in_row == 1 and self._pass_wins():
                prior.visits[-1] += CERTAIN
                prior.value_sum[-1] += CERTAIN
            return self._restrict(SearchNode(board.to_move, moves, prior), len(path))

    @contextmanager
    def _at(self, path: Sequence[int]) -> Iterator[Board]:
        """Yield the board with the moves of ``path`` made; they are undone afterwards."""
        board = self.board
        for move in path:
            board.make(move)
        try:
            yield board
        finally:
            for _ in path:
                board.undo()

    def _note(self, outcome: Outcome) -> None:
        self._evaluated += 1
        self._margins += outcome.margin
        self._owned[0] += outcome.owner == BLACK
        self._owned[1] += outcome.owner == WHITE

    def _back_up(self, nodes: list[tuple[SearchNode, int]], outcome: Outcome) -> None:
        first = outcome.first
        rave = self.parameters.rave and first is not None
        for node, index in reversed(nodes):
            win = outcome.black if node.to_move == BLACK else 1.0 - outcome.black
            node.add_value(index, win, outcome.margin)
            if rave:
                assert first is not None
                move = node.moves[index]
                if move >= 0:
                    first[move] = node.to_move
                node.update_rave(first, win)

    # What was found

    def policy(self) -> NDArray[np.float32]:
        """As :meth:`daoqi_tui.ai.search.mcts.TreeSearch.policy` says."""
        if self._policy is None:
            self._policy = self.evaluator.policy([int(move) for move in self.root.moves])
        return self._policy

    def ownership(self) -> NDArray[np.float64]:
        """As :meth:`daoqi_tui.ai.search.mcts.TreeSearch.ownership` says."""
        shares = (self._owned[0] - self._owned[1]) / max(1, self._evaluated)
        return np.asarray(shares, dtype=np.float64)


LADDER_NODES: Final = 3000
"""The most moves tried for one ladder; an undecided one is left to the search."""
LADDER_WEIGHT: Final = 20.0
"""Virtual wins for a working capture; twice as many losses for a vain escape, half as many wins for a timely one."""


def add_ladder_priors(board: Board, root: SearchNode, stopped: Callable[[], bool] = lambda: False) -> bool:
    """Read the ladders on ``board`` and add the results to the prior of ``root``, its node.

    Playouts are poor at ladders, which on a torus may circle the whole board before they meet their own start. Weak
    levels do without, and so fall into ladders as beginners do.

    Returns:
        Whether all were read; nothing is added where ``stopped`` ended that.
    """
    mine = board.to_move
    seen = 0
    found: list[_LadderMove] = []
    for point in board.torus.points_in(board.torus.full ^ board.empty):
        if seen >> point & 1:
            continue
        if stopped():
            return False
        chain = board.chain_at(point)
        assert chain is not None
        seen |= board.torus.mask(chain.stones)
        if len(chain.liberties) > 2:
            continue
        if chain.colour == mine:
            found += _of_own_chain(board, point, chain.liberties, stopped)
        elif (line := _captured(board, point, mine, stopped)) is not None:
            found.append(_LadderMove(line[0], LADDER_WEIGHT, won=True))
    if stopped():
        # The last reading may have been broken off, and a ladder is undecided then.
        return False
    for move in found:
        _add_prior(root, move)
    return True


class _LadderMove(NamedTuple):
    """A move by which a ladder works or fails, with the virtual playouts it is given."""

    move: int
    games: float
    won: bool


def _of_own_chain(
    board: Board, point: int, liberties: tuple[int, ...], stopped: Callable[[], bool]
) -> list[_LadderMove]:
    """Discourage a vain escape from atari; encourage an escape before the opponent begins a working ladder."""
    mine = board.to_move
    if len(liberties) == 1:
        if _captured(board, point, mine, stopped) is not None:
            return [_LadderMove(liberties[0], 2 * LADDER_WEIGHT, won=False)]
    elif _captured(board, point, 3 - mine, stopped) is not None:
        ladder = read_ladder(board, point, mine, LADDER_NODES, stopped)
        if ladder.result == "escapes" and ladder.line:
            return [_LadderMove(ladder.line[0], LADDER_WEIGHT / 2, won=True)]
    return []


def _captured(board: Board, point: int, to_move: Colour, stopped: Callable[[], bool]) -> tuple[int, ...] | None:
    """Return the line by which a ladder captures the chain on ``point`` when ``to_move`` begins, else None."""
    ladder = read_ladder(board, point, to_move, LADDER_NODES, stopped)
    return ladder.line if ladder.result == "captured" and ladder.line else None


def _add_prior(root: SearchNode, found: _LadderMove) -> None:
    index = root.index_of(found.move)
    if index is None:
        return
    for counted, value_sum in ((root.prior_visits, root.prior_value_sum), (root.rave_visits, root.rave_value_sum)):
        counted[index] += found.games
        if found.won:
            value_sum[index] += found.games
