"""What every tree search has in common, whatever judges its leaves: the board, the way down it, when to stop.

Every position in the tree is one by the rules: its moves come from the engine's board with all that was faced,
so that superko holds in the tree as at the root, and where two passes end the game the board is counted.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.evaluator import Outcome
from daoqi_tui.ai.playouts import worth
from daoqi_tui.ai.tree import Node
from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, area

AnyNode = TypeVar("AnyNode", bound=Node)


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


class TreeSearch(ABC, Generic[AnyNode]):
    """One search tree on one board.

    Args:
        board: the position; the search plays on it and undoes all it played.
        komi: points for White.
        passes_in_row: how many passes in a row led here; with one, another ends the game.

    Attributes:
        root: the position on the board.
    """

    least: ClassVar[int]
    """Evaluations without which ownership says nothing."""
    proof: ClassVar[int]
    """Evaluations spent on what the opponent could do after a pass, and before a game is given up."""
    lost_at_a_glance: ClassVar[float] = 0.0
    """The chance to win below which a game is given up with fewer than that."""
    ranks_untried: ClassVar[bool] = False
    """Whether moves have an order before any of them was tried."""

    root: AnyNode

    def __init__(self, board: Board, komi: float, passes_in_row: int) -> None:
        self.board: Final = board
        self.komi: Final = komi
        self.passes_in_row = passes_in_row
        self._margins = 0.0
        self._opened = 0
        self._evaluated = 0

    def advance(self, move: int) -> None:
        """Make ``move`` on the board and go on from there with what the tree knows of it.

        Raises:
            IllegalMove: the rules refuse it; nothing changes.
        """
        self.board.make(move)
        self.passes_in_row = self.passes_in_row + 1 if move == PASS else 0
        place = self.root.place(move)
        child = None if place is None else self.root.children.get(place)
        self._margins, self._opened, self._evaluated = 0.0, 0, 0
        self.root = self._enter(move, child if child is not None and child.ending is None else None)

    @abstractmethod
    def _enter(self, move: int, kept: AnyNode | None) -> AnyNode:
        """The root after ``move``, which stands on the board; ``kept`` where the tree has it already."""

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
            self._grow(most - self.root.total)

    @abstractmethod
    def _grow(self, left: float) -> None:
        """Evaluate a leaf, or several at once, but at most ``left``."""

    @abstractmethod
    def step(self, first: int | None = None) -> None:
        """Evaluate one more leaf, below the move at place ``first`` of the root where one is given."""

    # Along a path from the root

    @contextmanager
    def _followed(self, path: Sequence[int]) -> Iterator[Board]:
        """The board with the moves of ``path`` made on it, which are undone afterwards."""
        board = self.board
        for move in path:
            board.make(move)
        try:
            yield board
        finally:
            for _ in path:
                board.undo()

    def _passes(self, path: Sequence[int]) -> int:
        """How many passes in a row lead to the end of ``path``, which is not empty; two end the game."""
        passes = self.passes_in_row if len(path) == 1 else 0
        for move in path[-2:]:
            passes = passes + 1 if move == PASS else 0
        return passes

    def _count(self) -> Outcome:
        """The outcome of a game that ends with the board as it stands."""
        count = area(self.board, self.komi)
        owner = np.frombuffer(count.owners, dtype=np.int8)
        return Outcome(worth(count.margin, self.board.torus.points), count.margin, owner, None)

    def _pass_wins(self) -> bool:
        """Whether a pass on the board as it stands, the second in a row, wins for the side to move."""
        return wins_paying(self.board.to_move, self.board.pass_cost, area(self.board, self.komi).margin)

    # What was found

    @property
    def playouts(self) -> int:
        """Evaluations below the root, those kept from before included."""
        return self.root.total

    def candidates(self, most: int = 3) -> tuple[Candidate, ...]:
        """The moves most visited, best first."""
        root, best = self.root, self.root.best()
        untried = self.ranks_untried and not root.total
        return tuple(
            Candidate(int(root.moves[place]), int(root.visits[place]), root.rate(place), tuple(root.line(place)))
            for place in best[:most]
            if root.visits[place] or untried or place == best[0]
        )

    @abstractmethod
    def policy(self) -> NDArray[np.float32]:
        """How likely each move of the root comes to mind before any was tried; the sum is 1."""

    @abstractmethod
    def ownership(self) -> NDArray[np.float64]:
        """Whose each point was found to be since the last move, from −1 (White's) to 1 (Black's)."""

    @property
    def margin(self) -> float:
        """The mean margin found since the last move, Black's points less White's."""
        return bounded(self._margins / max(1, self._evaluated), self.board, self.komi)


def bounded(margin: float, board: Board, komi: float) -> float:
    """A margin, Black's points less White's, as far as a board can hold it: a network may say more."""
    points = board.torus.points
    beside = board.passes[WHITE] - board.passes[BLACK] - komi
    return min(max(margin, beside - points), beside + points)


def wins_paying(colour: Colour, cost: int, margin: float) -> bool:
    """Whether ``colour`` pays ``cost`` points and wins, where Black has ``margin`` more before; White wins a tie."""
    return margin > cost if colour == BLACK else margin + cost <= 0


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
