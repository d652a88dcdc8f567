"""Tree search with a network: it proposes moves and judges positions, and the search finds out which hold.

Leaves are judged in batches; while a leaf waits, the moves that led to it count as lost, so that the next leaf is
another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.evaluator import Outcome
from daoqi_tui.ai.network_judge import HISTORY, Judge, Judgement, Look
from daoqi_tui.ai.playouts import blended
from daoqi_tui.ai.puct_tree import NO_MOVES, Puct, PuctNode
from daoqi_tui.ai.tree_search import TreeSearch, sensible_plays
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour

BATCH: Final = 8
"""Leaves judged at once, at most; a network is not much faster with more, and the tree would be less sure."""
VISITS_A_LEAF: Final = 6
"""A tree is given one more leaf at once for so many visits it has."""
ROOM: Final = 1.5e7
"""Moves in the nodes of a tree, some 20 bytes each; a leaf beyond is judged, but not kept."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A position that waits for the network: how it is reached, its moves, and how the network sees it."""

    nodes: tuple[tuple[PuctNode, int], ...]
    to_move: Colour
    moves: tuple[int, ...]
    look: Look
    pass_wins: bool


class PuctSearch(TreeSearch[PuctNode]):
    """One search tree whose leaves a network judges.

    Args:
        board, komi, passes_in_row: as in :class:`~daoqi_tui.ai.tree_search.TreeSearch`.
        judge: the network.
        puct: how the tree weighs moves.
        recent: the last moves that led here by turns, the last one last; the board can undo them.
        judgement: what the network thinks of the position; it is asked where none is given.
    """

    least = 8
    proof = 32
    lost_at_a_glance = 0.02
    ranks_untried = True

    def __init__(
        self,
        board: Board,
        komi: float,
        judge: Judge,
        puct: Puct | None = None,
        *,
        recent: Sequence[int] = (),
        passes_in_row: int = 0,
        judgement: Judgement | None = None,
    ) -> None:
        super().__init__(board, komi, passes_in_row)
        self.judge: Final = judge
        self.puct: Final = puct or Puct()
        self._room = ROOM / board.torus.points
        self._recent = tuple(recent)[-HISTORY:]
        self.root = self._begin(None, judgement)

    def _enter(self, move: int, kept: PuctNode | None) -> PuctNode:
        self._recent = (*self._recent, move)[-HISTORY:]
        return self._begin(kept)

    def _begin(self, kept: PuctNode | None, judgement: Judgement | None = None) -> PuctNode:
        """The root of the position on the board; ``kept`` where the tree has it already, ``judgement`` likewise."""
        leaf = self._see((), (), self.passes_in_row)
        judgement = judgement or self._judge([leaf])[0]
        self._owned = np.zeros(self.board.torus.points)
        self._note(leaf.to_move, judgement)
        return kept or self._node(leaf, judgement)

    def stir(self, random: np.random.Generator, share: float = 0.25, evenness: float = 10.8) -> None:
        """Mix noise into the policy of the root, so that games differ (Dirichlet noise, Silver et al. 2018).

        Args:
            random: where the noise is from.
            share: of the noise.
            evenness: the sum of the distribution's parameters; the less, the fewer moves are given most of it.
        """
        count = len(self.root.moves)
        noise = random.dirichlet(np.full(count, evenness / count))
        self.root.policy = np.asarray((1.0 - share) * self.root.policy + share * noise, np.float32)

    # Growing the tree

    def _grow(self, left: float) -> None:
        self._evaluate(int(min(BATCH, 1 + self.root.total // VISITS_A_LEAF, left)))

    def step(self, first: int | None = None) -> None:
        """As :meth:`daoqi_tui.ai.tree_search.TreeSearch.step` says."""
        self._evaluate(1, first)

    def _evaluate(self, most: int, first: int | None = None) -> None:
        """Evaluate up to ``most`` leaves at once."""
        leaves: list[Leaf] = []
        for _ in range(most):
            found = self.descend(first)
            if found is None:
                break
            if isinstance(found, Leaf):
                leaves.append(found)
        for leaf, judgement in zip(leaves, self._judge(leaves), strict=True):
            self.settle(leaf, judgement)

    def settle(self, leaf: Leaf, judgement: Judgement) -> None:
        """Add a leaf that :meth:`descend` came to, now that it was judged, and learn from it."""
        for node, place in leaf.nodes:
            node.forget_leaf(place)
        parent, place = leaf.nodes[-1]
        if self._opened < self._room:
            parent.children[place] = self._node(leaf, judgement)
        self._note(leaf.to_move, judgement)
        mine = self._worth(judgement)
        _back_up(leaf.nodes, mine if leaf.to_move == BLACK else 1.0 - mine)

    def descend(self, first: int | None = None) -> Leaf | PuctNode | None:
        """Go down to a leaf that is to be judged, or count an ended game; None where the leaf is waiting already.

        Args:
            first: the place in the root's moves of the one to go down by; the tree chooses where none is given.
        """
        node = self.root
        nodes: list[tuple[PuctNode, int]] = []
        path: list[int] = []
        while True:
            place = first if first is not None and not path else node.choose(self.puct)
            nodes.append((node, place))
            path.append(int(node.moves[place]))
            child = node.children.get(place)
            if child is None:
                break
            node = child
            if node.ending is not None:
                return self._learn(nodes, node, node.ending)
        parent, place = nodes[-1]
        if place in parent.waiting:
            return None
        passes = self._passes(path)
        if passes >= 2:
            child, ending = self._ended(path)
            parent.children[place] = child
            return self._learn(nodes, child, ending)
        for parent, place in nodes:
            parent.await_leaf(place)
        return self._see(path, nodes, passes)

    def _see(self, path: Sequence[int], nodes: Sequence[tuple[PuctNode, int]], passes: int) -> Leaf:
        """The position that ``path`` leads to, as the network is to see it."""
        with self._followed(path) as board:
            recent = (*self._recent, *path)[-HISTORY:]
            look = self.judge.look(board, self.komi, recent, passes)
            moves = (*sensible_plays(board), PASS)
            return Leaf(tuple(nodes), board.to_move, moves, look, passes == 1 and self._pass_wins())

    def _ended(self, path: Sequence[int]) -> tuple[PuctNode, Outcome]:
        """The node at which the game ends with ``path``, and how it ends."""
        with self._followed(path) as board:
            ending, to_move = self._count(), board.to_move
        mine = ending.black if to_move == BLACK else 1.0 - ending.black
        return PuctNode(to_move, (), NO_MOVES, mine, ending), ending

    def _judge(self, leaves: Sequence[Leaf]) -> list[Judgement]:
        return self.judge.judge([leaf.look for leaf in leaves], self.board.torus.size) if leaves else []

    def _node(self, leaf: Leaf, judgement: Judgement) -> PuctNode:
        self._opened += 1
        # A pass is the last entry of the policy, where −1 points to.
        policy = judgement.policy[list(leaf.moves)]
        if leaf.pass_wins:
            policy[-1] += 1.0
        total = float(policy.sum())
        policy = policy / np.float32(total) if total > 0 else np.full(len(policy), 1 / len(policy), np.float32)
        return PuctNode(leaf.to_move, leaf.moves, policy, self._worth(judgement))

    def _worth(self, judgement: Judgement) -> float:
        """The worth to the side to move: the chance to win, and a little by how much, as in playouts."""
        return blended(judgement.win, judgement.lead, self.board.torus.points)

    def _learn(self, nodes: Sequence[tuple[PuctNode, int]], node: PuctNode, ending: Outcome) -> PuctNode:
        self._evaluated += 1
        self._margins += ending.margin
        self._owned += (ending.owner == BLACK).astype(np.float64) - (ending.owner == WHITE)
        _back_up(nodes, ending.black)
        return node

    def _note(self, to_move: Colour, judgement: Judgement) -> None:
        sign = 1.0 if to_move == BLACK else -1.0
        self._evaluated += 1
        self._margins += sign * judgement.lead
        self._owned += sign * judgement.owner

    def policy(self) -> NDArray[np.float32]:
        """As :meth:`daoqi_tui.ai.tree_search.TreeSearch.policy` says."""
        return self.root.policy

    def ownership(self) -> NDArray[np.float64]:
        """As :meth:`daoqi_tui.ai.tree_search.TreeSearch.ownership` says."""
        return self._owned / self._evaluated


def _back_up(nodes: Sequence[tuple[PuctNode, int]], black: float) -> None:
    for node, place in nodes:
        node.learn(place, black if node.to_move == BLACK else 1.0 - black)
