"""An exact solver for captures in an enclosed area: whether a chain is captured or survives with best play.

>>> from daoqi_tui.engine import BLACK, Game
>>> game = Game(size=5)
>>> point = game.torus.parse
>>> black = [point(name) for name in ("B4", "C4", "B2", "C2", "A3")]
>>> node = game.setup(black=black, white=[point("B3"), point("C3")], to_move=BLACK)
>>> Solver(game.board, point("B3")).outcome(depth=3)
Outcome(captured=True, plies=1)

The game that is solved: both sides play on any point of an *area*, a mask of points, or pass; two passes end it. The
attacker wins when the target, a stone of the defender, is removed, the defender if the game ends before. Nobody plays
outside the area, so a chain with a liberty there is safe forever. Suicide is legal.

A side *wins within d plies* if it succeeds within d plies against every answer. This is determined by iterative
deepening, for both sides in turn. Nothing is estimated:

* The states along a win are at decreasing distances from its end, so none repeats, and superko never forbids the
  winner's moves. Superko is therefore not checked, which only gives the loser more moves, and results hold with and
  without it, and with any number of ko threats elsewhere. A state is the board and the side to move, one exact integer,
  and the transposition table is valid on every path.
* The attacker never passes, since the defender would pass too. The defender wins immediately if the attacker has no
play.
* The attacker's single-stone suicide is excluded when searching for the defender's win: the defender passes, and
  superko forbids it the second time.
* The defender has won if the target is unconditionally alive (Benson 1976): its side may pass forever. Since suicide is
  legal here, a region counts for a chain only if *all* its points, including those with enemy stones, are adjacent to
  the chain.
* Each play of the attacker takes at most one liberty, so a chain with n liberties is not captured in fewer than 2n - 1
  plies.

If the outcome depends on a repetition, neither side wins that way. With ``superko`` the solver follows the rules
exactly, including the states of the game: there is no table, and it takes longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Colour, IllegalMove, opponent
from daoqi_tui.reading.ladder import BudgetSpent, ReadingBoard
from daoqi_tui.reading.status import pass_alive

DEEPEST: Final = 40
"""More plies than any search reaches."""


class Outcome(NamedTuple):
    """The outcome with best play.

    Attributes:
        captured: whether the target is captured; otherwise it survives.
        plies: the number of moves until that is settled, which the winner minimises and the loser maximises.
    """

    captured: bool
    plies: int


class _FreeBoard(ReadingBoard):
    def _is_banned(self, _key: int) -> bool:
        return False


@dataclass(slots=True)
class _Known:
    wins: int = DEEPEST + 1
    fails: int = -1
    move: int = PASS
    """The last move that won or refuted."""


class Solver:
    """Solves the fight for one stone.

    Args:
        board: the position, which is not changed, with the states of its game.
        target: the stone in question.
        area: where both sides may play; by default the whole board.
        superko: whether superko is followed exactly.
        budget: the node budget, None for no limit.

    Attributes:
        board: a copy, to be played on with its own methods; queries refer to its current position.
        attacker, defender: the two sides.
        nodes: moves tried so far.

    Raises:
        ValueError: no stone stands on ``target``, or a chain extends outside the area and has no liberty there: it
            might be captured, and nobody could play where it was.
    """

    def __init__(
        self, board: Board, target: int, area: int | None = None, *, superko: bool = False, budget: int | None = None
    ) -> None:
        self.board: Final = ReadingBoard(board) if superko else _FreeBoard(board)
        torus = board.torus
        self.target: Final = target
        self.area: Final = torus.full if area is None else area
        self.defender: Final[Colour] = board.colours[target]
        if not self.defender:
            raise ValueError(f"there is no stone at {torus.name(target)}")
        self.attacker: Final[Colour] = opponent(self.defender)
        self.budget = budget
        self.nodes = 0
        self._superko: Final = superko
        self._outside: Final = board.empty & ~self.area
        self._attacks: dict[int, _Known] = {}
        self._defences: dict[int, _Known] = {}
        self._safe: dict[int, int] = {}
        for colour in (BLACK, WHITE):
            for head in board.chains_of(colour):
                leaves = torus.mask(board.stones_of(head)) & ~self.area
                if leaves and not board.liberties_of(head) & self._outside:
                    raise ValueError(f"the chain at {torus.name(head)} reaches out of the area")

    def moves(self) -> tuple[int, ...]:
        """Return the points where the side to move may play, ignoring superko."""
        return self.board.torus.points_in(self.board.empty & self.area)

    @property
    def is_captured(self) -> bool:
        return self.board.colours[self.target] != self.defender

    @property
    def is_safe(self) -> bool:
        """True if the target can never be captured, even if its side always passes."""
        stones = self.board.stones(self.defender)
        safe = self._safe.get(stones)
        if safe is None:
            torus = self.board.torus
            regions = list(torus.regions(torus.full & ~stones))
            safe = self._safe[stones] = pass_alive(torus, stones, regions, immortal=self._outside)
        return bool(safe >> self.target & 1)

    def outcome(self, depth: int) -> Outcome | None:
        """Return the outcome if it is settled within ``depth`` plies, else None.

        Raises:
            BudgetSpent: the budget did not suffice.
        """
        if self.is_captured:
            return Outcome(captured=True, plies=0)
        for plies in range(depth + 1):
            if self.is_captured_within(plies):
                return Outcome(captured=True, plies=plies)
            if self.survives_within(plies):
                return Outcome(captured=False, plies=plies)
        return None

    def outcome_after(self, move: int, depth: int) -> Outcome | None:
        """Return the outcome after ``move``, counted from then on.

        Raises:
            IllegalMove: superko forbids it.
            BudgetSpent: the budget did not suffice.
        """
        self.board.make(move)
        try:
            return self.outcome(depth)
        finally:
            self.board.undo()

    def is_captured_within(self, depth: int) -> bool:
        """Return whether the attacker captures the target in at most ``depth`` plies against every answer."""
        if self.is_captured:
            return True
        attacking = self.board.to_move == self.attacker
        liberties = self.board.liberties_of(self.target)
        if 2 * liberties.bit_count() - attacking > depth or liberties & self._outside:
            return False
        if attacking and not liberties & (liberties - 1) and not self._superko:
            return True
        if self.is_safe:
            return False
        return self._search(self._attacks, self._defences, depth, self.attacker)

    def survives_within(self, depth: int) -> bool:
        """Return whether the target's survival is settled within ``depth`` plies against every answer."""
        if self.is_captured:
            return False
        if self.is_safe:
            return True
        if depth == 0:
            return False
        if self.board.to_move == self.attacker and not self._superko:
            liberties = self.board.liberties_of(self.target)
            if not liberties & (liberties - 1):
                return False
        return self._search(self._defences, self._attacks, depth, self.defender)

    def _search(self, table: dict[int, _Known], other: dict[int, _Known], depth: int, side: Colour) -> bool:
        """Return whether ``side`` wins within ``depth`` plies: some move of its own, or every move against it, does."""
        board = self.board
        known = _Known() if self._superko else table.get(board.key)
        if known is None:
            known = table[board.key] = _Known()
        elif known.wins <= depth:
            return True
        elif known.fails >= depth:
            return False
        if not self._superko and (lost := other.get(board.key)) is not None and lost.wins <= DEEPEST:
            known.fails = DEEPEST
            return False
        own = board.to_move == side
        ask = self.is_captured_within if side == self.attacker else self.survives_within
        wins = not own
        for move in self._ordered(known.move, side):
            try:
                board.make(move)
            except IllegalMove:
                continue
            if self.nodes == self.budget:
                board.undo()
                raise BudgetSpent
            self.nodes += 1
            try:
                won = ask(depth - 1)
            finally:
                board.undo()
            if won == own:
                known.move = move
                wins = own
                break
        if wins:
            known.wins = min(known.wins, depth)
        else:
            known.fails = max(known.fails, depth)
        return wins

    def _ordered(self, first: int, side: Colour) -> Iterator[int]:
        """Yield the moves to try: the one that was good before, liberties of the target, then the others."""
        board = self.board
        empty = board.empty & self.area
        moving = board.to_move
        if first != PASS:
            yield first
        near = board.liberties_of(self.target)
        listed = (*board.torus.points_in(empty & near), *board.torus.points_in(empty & ~near))
        if moving == self.defender:
            if side == self.attacker:
                yield PASS
                yield from (move for move in listed if move != first)
                return
            yield from (move for move in listed if move != first)
            yield PASS
            return
        for move in listed:
            if move != first and not (side == self.defender and self._is_lone_suicide(move)):
                yield move

    def _is_lone_suicide(self, point: int) -> bool:
        """Return whether the attacker's play at an empty point would be single-stone suicide."""
        board = self.board
        for nearby in board.torus.neighbours[point]:
            colour = board.colours[nearby]
            if colour != self.defender or board.liberties_of(nearby) == 1 << point:
                return False
        return True

    def line(self, depth: int) -> tuple[int, ...]:
        """Return the main line: the winner shortens it, the loser prolongs it. Empty if nothing is settled.

        Raises:
            BudgetSpent: the budget did not suffice.
        """
        found = self.outcome(depth)
        moves: list[int] = []
        while found is not None and found.plies:
            move = self.best_move(found)
            if move is None:
                break
            self.board.make(move)
            moves.append(move)
            found = self.outcome(found.plies - 1)
        for _ in moves:
            self.board.undo()
        return tuple(moves)

    def best_move(self, settled: Outcome) -> int | None:
        """Return the best move of the side to move in a position that is settled; None if there is none.

        This is the winner's shortest win or the loser's longest defence. The loser passes only without a play, and
        does not remove the target itself.
        """
        winning = settled.captured == (self.board.to_move == self.attacker)
        gone = Outcome(captured=True, plies=0)
        found: list[tuple[bool, int, int]] = []
        for move in self._ordered(PASS, self.attacker if settled.captured else self.defender):
            try:
                after = self.outcome_after(move, settled.plies - 1)
            except IllegalMove:
                continue
            if after is not None and after.captured == settled.captured and (winning or after != gone):
                found.append((move == PASS, after.plies if winning else -after.plies, move))
        if not found:
            return None
        # Of equally good moves the first that was tried.
        key = (lambda entry: (entry[1], entry[0])) if winning else (lambda entry: entry[:2])
        return min(found, key=key)[2]
