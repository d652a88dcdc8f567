"""Monte Carlo tree search: which move wins most often, found by trying the promising ones more and more.

Every position in the tree is one by the rules: its moves come from the engine's board with all that was faced,
so that superko holds in the tree as at the root, and where two passes end the game the board is counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.evaluator import Evaluator, Outcome, Stopped
from daoqi_tui.ai.playouts import worth
from daoqi_tui.ai.tree import Formula, Node
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, area, opponent

CERTAIN: Final = 30.0
"""Imagined games won by a pass that is known to win."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop thinking: whichever comes first; without any, when told to.

    Attributes:
        playouts: evaluations, those counted that a tree kept from earlier has already.
        seconds: of thinking.
    """

    playouts: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move with what the search found of it.

    Attributes:
        move: a point or PASS.
        visits: evaluations below it.
        win: the mover's share of them, 0 to 1.
        line: the expected moves, this one first.
    """

    move: int
    visits: int
    win: float
    line: tuple[int, ...]


class Search:
    """One search tree on one board.

    Args:
        board: the position; the search plays on it and undoes all it played.
        komi: points for White.
        evaluator: judges leaves and new moves.
        formula: how the tree weighs moves.
        last: the point of the move that led here, PASS for a pass or none.
        passes_in_row: how many passes in a row led here; with one, another ends the game.
    """

    least: Final = 64
    """Evaluations without which ownership says nothing."""
    proof: Final = 200
    """Evaluations spent on what the opponent could do after a pass, and before a game is given up."""

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
        self.board: Final = board
        self.komi: Final = komi
        self.evaluator: Final = evaluator
        self.formula: Final = formula or Formula()
        # A node takes some 30 bytes a point; the tree grows ever more slowly beyond a few hundred megabytes.
        self._room = 3e6 / board.torus.points
        self._begin(last, passes_in_row)
        self.root = self._open([], passes_in_row)

    def _begin(self, last: int, passes_in_row: int) -> None:
        self.passes_in_row = passes_in_row
        self.evaluator.begin(self.board, self.komi, last)
        self._balance = self.board.passes[WHITE] - self.board.passes[BLACK]
        self._owned = np.zeros((2, self.board.torus.points), dtype=np.int64)
        self._margins = 0.0
        self._opened = 0
        self._evaluated = 0

    def advance(self, move: int) -> None:
        """Make ``move`` on the board and go on from there with what the tree knows of it.

        Raises:
            IllegalMove: the rules refuse it; nothing changes.
        """
        if move == PASS:
            self.board.pass_turn()
            passes = self.passes_in_row + 1
        else:
            self.board.play(move)
            passes = 0
        place = self.root.place(move)
        child = None if place is None else self.root.children.get(place)
        self._begin(move, passes)
        self.root = child if child is not None and child.ending is None else self._open([], passes)

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
        deadline = start + limits.seconds if limits.seconds is not None else float("inf")
        most = limits.playouts if limits.playouts is not None else float("inf")
        while self.root.total < most and not stopped():
            now = time.perf_counter()
            if now >= deadline:
                break
            if progress is not None and now >= due:
                progress()
                due = now + pace
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
                outcome = self.evaluator.evaluate(path, self._balance + _passed(path, self.root.to_move))
            except Stopped:
                return
        self._note(outcome)
        self._back_up(nodes, outcome)

    def _reach(self, node: Node, place: int, path: list[int]) -> Node | None:
        """Open the node at the end of ``path`` when it has been patiently looked at, or ends the game."""
        passes = self.passes_in_row if len(path) == 1 else 0
        for move in path[-2:]:
            passes = passes + 1 if move == PASS else 0
        if passes < 2 and node.visits[place] < self.evaluator.patience * (1 + self._opened / self._room):
            return None
        node.children[place] = child = self._open(path, passes)
        return child

    def _open(self, path: Sequence[int], passes_in_row: int) -> Node:
        board = self.board
        for move in path:
            if move == PASS:
                board.pass_turn()
            else:
                board.play(move)
        try:
            if path and passes_in_row >= 2:
                count = area(board, self.komi)
                owner = np.frombuffer(count.owners, dtype=np.int8)
                outcome = Outcome(worth(count.margin, board.torus.points), count.margin, owner, None)
                return Node(board.to_move, (), None, outcome)
            moves = [*sensible_plays(board), PASS]
            self._opened += 1
            prior = self.evaluator.prior(path, moves)
            if passes_in_row == 1 and self._pass_wins():
                prior.games[-1] += CERTAIN
                prior.wins[-1] += CERTAIN
            return Node(board.to_move, moves, prior)
        finally:
            for _ in path:
                board.undo()

    def _pass_wins(self) -> bool:
        """Whether a pass here, the second in a row, wins for the side to move."""
        mine = self.board.to_move
        margin = area(self.board, self.komi).margin + (1 if mine == WHITE else -1)
        return (margin > 0) == (mine == BLACK)

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

    @property
    def playouts(self) -> int:
        """Evaluations below the root, those kept from before included."""
        return self.root.total

    def candidates(self, most: int = 3) -> tuple[Candidate, ...]:
        """The moves most visited, best first."""
        root = self.root
        return tuple(
            Candidate(int(root.moves[place]), int(root.visits[place]), root.rate(place), tuple(root.line(place)))
            for place in root.best()[:most]
            if root.visits[place] or place == root.best()[0]
        )

    def ownership(self) -> NDArray[np.float64]:
        """How the points fell in the evaluations since the last move, from −1 (White's) to 1 (Black's)."""
        shares = (self._owned[0] - self._owned[1]) / max(1, self._evaluated)
        return np.asarray(shares, dtype=np.float64)

    @property
    def margin(self) -> float:
        """The mean margin of the evaluations since the last move, Black's points less White's."""
        return self._margins / max(1, self._evaluated)


def sensible_plays(board: Board) -> list[int]:
    """The legal plays; of all one-stone suicides, which lead to the same state, only the first."""
    torus = board.torus
    legal = board.legal_mask()
    mine = board.stones(board.to_move)
    lone = legal & ~torus.dilate(board.empty | mine)
    kept = False
    for point in torus.points_in(lone):
        chains = (board.chain_at(nearby) for nearby in torus.neighbours[point])
        if any(chain is not None and len(chain.liberties) == 1 for chain in chains):
            continue
        if kept:
            legal ^= torus.bits[point]
        kept = True
    return list(torus.points_in(legal))


def _passed(path: Sequence[int], to_move: int) -> int:
    """White's passes less Black's along a path that ``to_move`` begins."""
    balance = 0
    for move in path:
        if move == PASS:
            balance += 1 if to_move == WHITE else -1
        to_move = opponent(to_move)
    return balance
