"""Monte Carlo tree search: which move wins most often, found by trying the promising ones more and more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.evaluator import Evaluator, Outcome, Stopped
from daoqi_tui.ai.tree import Formula, Node
from daoqi_tui.ai.tree_search import TreeSearch, sensible_plays
from daoqi_tui.engine import BLACK, PASS, WHITE, Board

CERTAIN: Final = 30.0
"""Imagined games won by a pass that is known to win."""


class Search(TreeSearch[Node]):
    """One search tree whose leaves are played out.

    Args:
        board, komi, passes_in_row: as in :class:`~daoqi_tui.ai.tree_search.TreeSearch`.
        evaluator: judges leaves and new moves.
        formula: how the tree weighs moves.
        last: the point of the move that led here, PASS for a pass or none.
    """

    least = 64
    proof = 200

    def __init__(
        self,
        board: Board,
        komi: float,
        evaluator: Evaluator,
        formula: Formula | None = None,
        *,
        last: int = PASS,
        passes_in_row: int = 0,
    ) -> None:
        super().__init__(board, komi, passes_in_row)
        self.evaluator: Final = evaluator
        self.formula: Final = formula or Formula()
        # A node takes some 30 bytes a point; the tree grows ever more slowly beyond a few hundred megabytes.
        self._room = 3e6 / board.torus.points
        self.root = self._enter(last, None)

    def _enter(self, move: int, kept: Node | None) -> Node:
        self.evaluator.begin(self.board, self.komi, move)
        self._balance = self.board.passes[WHITE] - self.board.passes[BLACK]
        self._owned = np.zeros((2, self.board.torus.points), dtype=np.int64)
        return kept or self._open([], self.passes_in_row)

    # Growing the tree

    def _grow(self, left: float) -> None:  # noqa: ARG002 - one at a time is never too many
        self.step()

    def step(self, first: int | None = None) -> None:
        """Evaluate one more leaf, below the move at place ``first`` of the root where one is given.

        Nothing is counted where the evaluator is stopped meanwhile.
        """
        node = self.root
        nodes: list[tuple[Node, int]] = []
        path: list[int] = []
        while True:
            place = first if first is not None and not path else node.select(self.formula)
            nodes.append((node, place))
            path.append(int(node.moves[place]))
            child = node.children.get(place)
            if child is None:
                child = self._reach(node, place, path)
            if child is None or child.ending is not None:
                break
            node = child
        outcome = child.ending if child is not None else None
        if outcome is None:
            try:
                outcome = self.evaluator.evaluate(path, self._balance + self._paid(path))
            except Stopped:
                return
        self._note(outcome)
        self._back_up(nodes, outcome)

    def _paid(self, path: Sequence[int]) -> int:
        """What passes along ``path`` cost White more than they cost Black, in points."""
        balance, cost = 0, self.board.pass_cost if self.root.to_move == WHITE else -self.board.pass_cost
        for move in path:
            if move == PASS:
                balance += cost
            cost = -cost
        return balance

    def _reach(self, node: Node, place: int, path: list[int]) -> Node | None:
        """Open the node at the end of ``path`` when it has been patiently looked at, or ends the game."""
        passes = self._passes(path)
        if passes < 2 and node.visits[place] < self.evaluator.patience * (1 + self._opened / self._room):
            return None
        node.children[place] = child = self._open(path, passes)
        return child

    def _open(self, path: Sequence[int], passes_in_row: int) -> Node:
        with self._followed(path) as board:
            if path and passes_in_row >= 2:
                return Node(board.to_move, (), None, self._count())
            moves = [*sensible_plays(board), PASS]
            self._opened += 1
            prior = self.evaluator.prior(path, moves)
            if passes_in_row == 1 and self._pass_wins():
                prior.games[-1] += CERTAIN
                prior.wins[-1] += CERTAIN
            return Node(board.to_move, moves, prior)

    def _note(self, outcome: Outcome) -> None:
        self._evaluated += 1
        self._margins += outcome.margin
        self._owned[0] += outcome.owner == BLACK
        self._owned[1] += outcome.owner == WHITE

    def _back_up(self, nodes: list[tuple[Node, int]], outcome: Outcome) -> None:
        first = outcome.first
        rave = self.formula.rave and first is not None
        for node, place in reversed(nodes):
            win = outcome.black if node.to_move == BLACK else 1.0 - outcome.black
            node.learn(place, win)
            if rave:
                assert first is not None
                move = node.moves[place]
                if move >= 0:
                    first[move] = node.to_move
                node.learn_firsts(first, win)

    # What was found

    def policy(self) -> NDArray[np.float32]:
        """As :meth:`daoqi_tui.ai.tree_search.TreeSearch.policy` says."""
        return self.evaluator.policy([int(move) for move in self.root.moves])

    def ownership(self) -> NDArray[np.float64]:
        """How the points fell in the evaluations since the last move, from −1 (White's) to 1 (Black's)."""
        shares = (self._owned[0] - self._owned[1]) / max(1, self._evaluated)
        return np.asarray(shares, dtype=np.float64)
