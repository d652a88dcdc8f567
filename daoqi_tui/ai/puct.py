"""Tree search with a network: it proposes moves and judges positions, and the search finds out which hold.

Every position in the tree is one by the rules, as in :mod:`~daoqi_tui.ai.search`: its moves come from the engine's
board with all that was faced, and where two passes end the game the board is counted. Leaves are judged in batches;
while a leaf waits, the moves that led to it count as lost, so that the next leaf is another.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.evaluator import Outcome
from daoqi_tui.ai.network_judge import HISTORY, Judge, Judgement, Look
from daoqi_tui.ai.playouts import MARGIN_SHARE, worth
from daoqi_tui.ai.puct_tree import NO_MOVES, Puct, PuctNode
from daoqi_tui.ai.search import Candidate, Limits, sensible_plays
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, area

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


class PuctSearch:
    """One search tree on one board.

    Args:
        board: the position; the search plays on it and undoes all it played.
        komi: points for White.
        judge: the network.
        puct: how the tree weighs moves.
        recent: the last moves that led here by turns, the last one last; the board can undo them.
        passes_in_row: how many passes in a row led here; with one, another ends the game.
    """

    least: Final = 8
    """Evaluations without which ownership says nothing."""
    proof: Final = 32
    """Evaluations spent on what the opponent could do after a pass, and before a game is given up."""

    def __init__(
        self,
        board: Board,
        komi: float,
        judge: Judge,
        puct: Puct | None = None,
        *,
        recent: Sequence[int] = (),
        passes_in_row: int = 0,
    ) -> None:
        self.board: Final = board
        self.komi: Final = komi
        self.judge: Final = judge
        self.puct: Final = puct or Puct()
        self._room = ROOM / board.torus.points
        self._recent = tuple(recent)[-HISTORY:]
        self.passes_in_row = passes_in_row
        self.root = self._begin(None)

    def advance(self, move: int) -> None:
        """Make ``move`` on the board and go on from there with what the tree knows of it.

        Raises:
            IllegalMove: the rules refuse it; nothing changes.
        """
        if move == PASS:
            self.board.pass_turn()
            self.passes_in_row += 1
        else:
            self.board.play(move)
            self.passes_in_row = 0
        self._recent = (*self._recent, move)[-HISTORY:]
        place = self.root.place(move)
        child = None if place is None else self.root.children.get(place)
        kept = isinstance(child, PuctNode) and child.ending is None
        self.root = self._begin(child if kept and isinstance(child, PuctNode) else None)

    def _begin(self, kept: PuctNode | None) -> PuctNode:
        """The root of the position on the board; ``kept`` where the tree has it already."""
        self._opened = 0
        leaf = self._see((), (), self.passes_in_row)
        judgement = self._judge([leaf])[0]
        self._owned = np.zeros(self.board.torus.points)
        self._margins = 0.0
        self._evaluated = 0
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

    def run(
        self,
        limits: Limits,
        stopped: Callable[[], bool] = lambda: False,
        progress: Callable[[], None] | None = None,
        pace: float = 0.2,
    ) -> None:
        """Think until a limit is reached or ``stopped`` says so; calls ``progress`` every ``pace`` seconds."""
        start = time.perf_counter()
        due = start + pace
        deadline = start + limits.seconds if limits.seconds is not None else math.inf
        most = limits.playouts if limits.playouts is not None else math.inf
        while self.root.total < most and not stopped():
            now = time.perf_counter()
            if now >= deadline:
                break
            if progress is not None and now >= due:
                progress()
                due = now + pace
            self._grow(int(min(BATCH, 1 + self.root.total // VISITS_A_LEAF, most - self.root.total)))

    def step(self, first: int | None = None) -> None:
        """Evaluate one more leaf, below the move at place ``first`` of the root where one is given."""
        self._grow(1, first)

    def _grow(self, most: int, first: int | None = None) -> None:
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
            assert isinstance(child, PuctNode)
            node = child
            if node.ending is not None:
                return self._count(nodes, node, node.ending)
        parent, place = nodes[-1]
        if place in parent.waiting:
            return None
        passes = self._passes(path)
        if passes >= 2:
            child = parent.children[place] = self._ended(path)
            assert child.ending is not None
            return self._count(nodes, child, child.ending)
        for parent, place in nodes:
            parent.await_leaf(place)
        return self._see(path, nodes, passes)

    def _passes(self, path: Sequence[int]) -> int:
        passes = self.passes_in_row if len(path) == 1 else 0
        for move in path[-2:]:
            passes = passes + 1 if move == PASS else 0
        return passes

    def _see(self, path: Sequence[int], nodes: Sequence[tuple[PuctNode, int]], passes: int) -> Leaf:
        """The position that ``path`` leads to, as the network is to see it."""
        board = self.board
        self._follow(path)
        try:
            recent = (*self._recent, *path)[-HISTORY:]
            look = self.judge.look(board, self.komi, recent, passes)
            moves = (*sensible_plays(board), PASS)
            return Leaf(tuple(nodes), board.to_move, moves, look, passes == 1 and self._pass_wins())
        finally:
            self._return(path)

    def _ended(self, path: Sequence[int]) -> PuctNode:
        board = self.board
        self._follow(path)
        count = area(board, self.komi)
        black = worth(count.margin, board.torus.points)
        owner = np.frombuffer(count.owners, dtype=np.int8)
        to_move = board.to_move
        self._return(path)
        mine = black if to_move == BLACK else 1.0 - black
        return PuctNode(to_move, (), NO_MOVES, mine, Outcome(black, count.margin, owner, None))

    def _follow(self, path: Sequence[int]) -> None:
        for move in path:
            if move == PASS:
                self.board.pass_turn()
            else:
                self.board.play(move)

    def _return(self, path: Sequence[int]) -> None:
        for _ in path:
            self.board.undo()

    def _pass_wins(self) -> bool:
        """Whether a pass here, the second in a row, wins for the side to move."""
        mine = self.board.to_move
        margin = area(self.board, self.komi).margin + (1 if mine == WHITE else -1)
        return (margin > 0) == (mine == BLACK)

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
        clear = 0.5 + 0.5 * math.tanh(4.0 * judgement.lead / self.board.torus.points)
        return (1.0 - MARGIN_SHARE) * judgement.win + MARGIN_SHARE * clear

    def _count(self, nodes: Sequence[tuple[PuctNode, int]], node: PuctNode, ending: Outcome) -> PuctNode:
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

    # What was found

    @property
    def playouts(self) -> int:
        """Evaluations below the root, those kept from before included."""
        return self.root.total

    def candidates(self, most: int = 3) -> tuple[Candidate, ...]:
        """The moves most visited, best first; before any is, those that the network likes most."""
        root = self.root
        return tuple(
            Candidate(int(root.moves[place]), int(root.visits[place]), root.rate(place), tuple(root.line(place)))
            for place in root.best()[:most]
            if root.visits[place] or not root.total or place == root.best()[0]
        )

    def ownership(self) -> NDArray[np.float64]:
        """Whose the points are thought since the last move, from −1 (White's) to 1 (Black's)."""
        return self._owned / self._evaluated

    @property
    def margin(self) -> float:
        """The mean margin expected since the last move, Black's points less White's."""
        return self._margins / self._evaluated


def _back_up(nodes: Sequence[tuple[PuctNode, int]], black: float) -> None:
    for node, place in nodes:
        node.learn(place, black if node.to_move == BLACK else 1.0 - black)
