"""The search behind the ladder reader: who wins the race of atari and escape, by proof.

The game that is searched:

* The attacker must give atari with every move: play on one of the two liberties of the chain so that it has one
  left, or capture it when it has one.
* The defender, in atari, may play anything. Only these can help, so only these are tried: the last liberty, the
  capture of attackers in atari that touch the chain, and, rarely, a move elsewhere or a pass after which the capture
  would repeat a faced state.
* A chain with three liberties has escaped; so it has when the attacker has no legal atari. A chain that removes
  itself by suicide is captured.

Every line is finite because no state comes twice (superko), so the answer is a proof and not a matter of depth.
Lines are followed with a list instead of recursion: with captures they may outgrow Python's stack.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from daoqi_tui.analysis.reading_board import ReadingBoard
from daoqi_tui.engine import BLACK, PASS, Colour, IllegalMove, opponent

Line: TypeAlias = tuple[int, int, "Line | None"]
"""A line of moves: its length, its first move, the rest."""


GLANCE: Final = 32
"""Moves tried between two looks at whether to go on: about a millisecond."""


class BudgetSpent(Exception):
    """The caller's number of nodes is used up, or the caller wants no more."""


class Frame:
    """A position on the line being read: the side to move and what is left to try."""

    __slots__ = ("ataris", "attacking", "captured", "line", "move", "moves")

    def __init__(self, move: int, attacking: bool, ataris: list[int]) -> None:
        self.move = move
        """The move that led here."""
        self.attacking = attacking
        self.ataris = ataris
        """A stone of every attacking chain that may be in atari."""
        self.moves: list[int] = []
        """Moves to try, the best last."""
        self.captured = not attacking
        """The answer here: unless a move says otherwise, the side to move fails."""
        self.line: Line | None = None
        """The line of that answer; of several that fail, the longest."""


class LadderSearch:
    """Reads one chain on a board of its own.

    Args:
        board: the position, with the side to read for to move; it is played on.
        point: a stone of the chain.
        budget: how many moves may be tried, None for as many as it takes.
        stopped: asked now and then whether to give up.

    Attributes:
        nodes: moves tried so far.
    """

    def __init__(
        self, board: ReadingBoard, point: int, budget: int | None, stopped: Callable[[], bool] | None = None
    ) -> None:
        self._board: Final = board
        self._stopped: Final = stopped
        self._point: Final = point
        self._defender: Final[Colour] = board.colours[point]
        self._attacker: Final[Colour] = opponent(self._defender)
        self._budget: Final = budget
        self._before: int | None = None
        self.nodes = 0

    def solve(self) -> tuple[bool, Line | None]:
        """Whether the chain is captured, and the line that shows it.

        Raises:
            BudgetSpent: the budget ended first, or the caller's patience.
        """
        board, point = self._board, self._point
        count = board.liberties_of(point).bit_count()
        attacking = board.to_move == self._attacker
        if count > 2:
            return False, None
        if attacking and count == 1:
            return self._capture()
        ataris = [stone for stone in board.chains_of(self._attacker) if board.liberties_of(stone).bit_count() == 1]
        root = Frame(PASS, attacking, ataris)
        if attacking:
            self._list_ataris(root)
        else:
            self._list_defences(root)
            if count == 2:
                # Nothing presses yet, so any move of the defender may be the one that saves the chain.
                self._add_elsewhere(root)
        return self._run(root)

    def _run(self, root: Frame) -> tuple[bool, Line | None]:
        board = self._board
        frames = [root]
        while True:
            frame = frames[-1]
            if frame.moves:
                if self.nodes == self._budget:
                    raise BudgetSpent
                move = frame.moves.pop()
                try:
                    if move == PASS:
                        board.pass_turn()
                    else:
                        board.play(move)
                except IllegalMove:
                    continue
                self.nodes += 1
                if self._stopped is not None and self.nodes % GLANCE == 0 and self._stopped():
                    raise BudgetSpent
                reached = self._attacked(frame, move) if frame.attacking else self._defended(frame, move)
                if isinstance(reached, Frame):
                    frames.append(reached)
                    continue
                board.undo()
                if reached is None:
                    continue
                captured, line = reached
            else:
                frames.pop()
                if not frames:
                    return frame.captured, frame.line
                board.undo()
                move, captured, line = frame.move, frame.captured, frame.line
                frame = frames[-1]
            length = line[0] + 1 if line else 1
            if captured == frame.attacking:
                frame.moves.clear()
                frame.captured, frame.line = captured, (length, move, line)
            elif frame.line is None or length > frame.line[0]:
                frame.line = (length, move, line)

    def _capture(self) -> tuple[bool, Line | None]:
        """The answer with the attacker to move against a chain in atari: it is taken unless superko forbids."""
        last = self._board.liberties_of(self._point).bit_length() - 1
        if self._board.refusal(last) is None:
            return True, (1, last, None)
        return False, None

    def _attacked(self, frame: Frame, move: int) -> Frame | None:
        """What the attacker's ``move``, just made, leads to; None when it gave no atari."""
        board = self._board
        if board.liberties_of(self._point).bit_count() != 1:
            return None  # the attacker's own suicide
        ataris = frame.ataris
        if board.liberties_of(move).bit_count() == 1:
            ataris = [*ataris, move]
        reached = Frame(move, False, ataris)
        self._list_defences(reached)
        return reached

    def _defended(self, frame: Frame, move: int) -> Frame | tuple[bool, Line | None] | None:
        """What the defender's ``move``, just made, leads to; None when it was the chain's own suicide."""
        board, attacker = self._board, self._attacker
        colours = board.colours
        if colours[self._point] != self._defender:
            return None
        count = board.liberties_of(self._point).bit_count()
        if count > 2:
            return False, None
        if count == 1:
            return self._capture()
        ataris = frame.ataris
        if move != PASS:
            # Only chains beside the new stone have lost a liberty.
            for nearby in board.torus.neighbours[move]:
                if colours[nearby] == attacker and board.liberties_of(nearby).bit_count() == 1:
                    ataris = [*ataris, nearby]
        reached = Frame(move, True, ataris)
        self._list_ataris(reached)
        return reached

    def _list_ataris(self, frame: Frame) -> None:
        """The attacker's moves against a chain with two liberties: first the one that leaves the fewer liberties."""
        board = self._board
        liberties = board.liberties_of(self._point)
        one, two = liberties & -liberties, liberties & (liberties - 1)
        choices = []
        for atari, last in ((one, two), (two, one)):
            move, extension = atari.bit_length() - 1, last.bit_length() - 1
            room = self._extension(extension) & ~atari
            count = room.bit_count()
            if count > 2 and not board.vacated(self._defender) & last:
                # The extension escapes, and where no stone has been none can repeat a state: no need to try.
                if board.torus.around[move] & board.empty and board.refusal(move) is None:
                    frame.line = (2, move, (1, extension, None))
            else:
                choices.append((count, move))
        choices.sort(reverse=True)
        frame.moves = [move for _, move in choices]

    def _extension(self, point: int) -> int:
        """The liberties that the chain would surely have through a new stone on ``point``, one of its last two."""
        board = self._board
        room = board.torus.around[point] & board.empty
        colours = board.colours
        for nearby in board.torus.neighbours[point]:
            if colours[nearby] == self._defender and board.head_of(nearby) != board.head_of(self._point):
                room |= board.liberties_of(nearby)
        return room & ~(1 << point)

    def _list_defences(self, frame: Frame) -> None:
        """The defender's moves that can help, the extension first."""
        board = self._board
        liberties = board.liberties_of(self._point)
        moves = [bit.bit_length() - 1 for bit in (liberties & -liberties, liberties & (liberties - 1)) if bit]
        frame.ataris = [stone for stone in frame.ataris if self._in_atari(stone)]
        for stone in frame.ataris:
            capture = board.liberties_of(stone).bit_length() - 1
            if capture not in moves and self._touches(stone):
                moves.append(capture)
        moves.reverse()
        frame.moves = moves
        if not liberties & (liberties - 1):
            frame.line = (2, PASS, (1, moves[-1], None))
            if board.vacated(self._attacker) & liberties and self._before_mask() & liberties:
                self._add_elsewhere(frame)

    def _add_elsewhere(self, frame: Frame) -> None:
        """Let the defender try every point and the pass, after what is there already."""
        board = self._board
        known = set(frame.moves)
        frame.moves[:0] = [PASS, *(point for point in board.torus.points_in(board.empty) if point not in known)]

    def _in_atari(self, stone: int) -> bool:
        board = self._board
        return board.colours[stone] == self._attacker and board.liberties_of(stone).bit_count() == 1

    def _touches(self, stone: int) -> bool:
        """Whether the attacking chain on ``stone`` is next to the chain being read."""
        board = self._board
        head = board.head_of(self._point)
        return any(
            board.colours[nearby] == self._defender and board.head_of(nearby) == head
            for own in board.stones_of(stone)
            for nearby in board.torus.neighbours[own]
        )

    def _before_mask(self) -> int:
        """Where attackers stood in states faced before the chain did: only there can superko forbid its capture.

        The state after the capture is one without the chain, so it can only have been faced before this reading.
        """
        if self._before is None:
            board = self._board
            count = board.torus.points
            shift = 0 if self._attacker == BLACK else count
            self._before = 0
            for key in board.faced_without(self._point, self._defender, self._defender):
                self._before |= key >> shift & board.torus.full
        return self._before
