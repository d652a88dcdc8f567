"""Ladders (征子): whether a series of ataris captures a chain with one or two liberties.

>>> from daoqi_tui.engine import BLACK, Game
>>> game = Game(size=9)
>>> node = game.setup(white=[40], black=[39, 49, 50], to_move=BLACK)
>>> ladder = read_ladder(game.board, 40)
>>> ladder.result, ladder.plies, ladder.line[:4]
('captured', 33, (31, 41, 42, 32))

On a torus a ladder has no edge to run into: it circles the board and meets its own start. The rules are the engine's,
including superko over the states of the game and of the line. The search follows these rules:

* The attacker must give atari with every move: play on one of the two liberties of the chain so that it has one
  left, or capture it when it has one.
* The defender, in atari, may play anything. Only moves that can help are tried: the last liberty, the capture of
  attackers in atari that touch the chain, and, rarely, a move elsewhere or a pass after which the capture would repeat
  a state.
* A chain with three liberties has escaped, and so it has if the attacker has no legal atari. A chain that removes
  itself by suicide is captured.

Every line is finite because no state repeats (superko), so the answer is a proof, independent of depth.
The search uses an explicit stack instead of recursion, since lines with captures may exceed Python's recursion limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from daoqi_tui.engine import (
    BLACK,
    EMPTY,
    PASS,
    SIMPLE,
    SITUATIONAL,
    WHITE,
    Board,
    Chain,
    Colour,
    IllegalMove,
    Style,
    Torus,
    opponent,
)
from daoqi_tui.engine.torus import off_board
from daoqi_tui.message import Message

MoveList: TypeAlias = tuple[int, int, "MoveList | None"]
"""A line of moves: its length, its first move, the rest."""


class ReadingBoard(Board):
    """A copy of ``board``, including its past states; the original is never changed.

    Args:
        board: the position to read from.
        to_move: the colour to read for. If it is not to move, the other side passes first.
    """

    def __init__(self, board: Board, to_move: Colour | None = None) -> None:
        # Copying the lists costs a tenth of setting the position up again. Earlier moves cannot be undone here.
        self.__dict__.update(board.__dict__)
        self.colours = self.colours.copy()
        self.captured, self.suicided, self.passes = self.captured.copy(), self.suicided.copy(), self.passes.copy()
        self.faced = self.faced.copy()
        self._heads, self._borders = self._heads.copy(), self._borders.copy()
        self._stones = [stones.copy() for stones in self._stones]
        self._vacated = self._vacated.copy()
        newest = board.newest()
        self._newest = newest, EMPTY if newest == PASS else self.colours[newest]
        self._records = []
        if self.rules.superko == SIMPLE:
            # Lines are finite only if no state repeats.
            self.rules = replace(self.rules, superko=SITUATIONAL)
        if to_move is not None and to_move != self.to_move:
            self.pass_turn()

    def keeps_newest(self, chain: int) -> bool:
        """Return whether the last stone before this reading survives any one move and the capture of a chain.

        If so, no state from before that stone can recur. The chain is the one on ``chain``, in atari, with its side to
        move.
        """
        point, colour = self._newest
        if point == PASS or self.colours[point] != colour or self.head_of(point) == self.head_of(chain):
            return False
        liberties = self.liberties_of(point)
        return colour == self.colours[chain] or liberties & (liberties - 1) != 0

    def faced_without(self, point: int, colour: Colour, to_move: Colour) -> Iterator[int]:
        """Return the keys of past states with ``to_move`` to move and no stone of ``colour`` on ``point``."""
        count = self.torus.points
        bit = 1 << (point + count * (colour == WHITE))
        turn = self._turn if to_move == WHITE else 0
        return (key for key in self.faced if not key & bit and key & self._turn == turn)

    def lay(self, point: int, colour: Colour) -> None:
        """Put one more stone on an empty ``point``, as if it had stood there since the start.

        This is not a move: the turn does not change, and past states in which the point was empty get the stone.

        Raises:
            ValueError: some chain would have no liberty. Nothing changes.
        """
        black, white = 1 << point, 1 << (point + self.torus.points)
        stone = white if colour == WHITE else black
        mask = 1 << point
        self._relay((0, 0, mask) if colour == WHITE else (0, mask, 0))
        self.key |= stone
        self.faced = {key | stone: number for key, number in self.faced.items() if not key & (black | white)}


class BudgetSpent(Exception):
    """The node budget is used up."""


@dataclass(slots=True, eq=False)
class Frame:
    """A position on the line being read: the side to move and the moves left to try.

    Attributes:
        move: the move that led here.
        attacking: whether the attacker is to move.
        ataris: a stone of every attacking chain that may be in atari.
        moves: to try, the best last.
        line: for the answer here; of several failing ones, the longest.
        captured: the answer: unless a move proves otherwise, the side to move fails.
    """

    move: int
    attacking: bool
    ataris: list[int]
    moves: list[int] = field(default_factory=list)
    line: MoveList | None = None
    captured: bool = field(init=False)

    def __post_init__(self) -> None:
        self.captured = not self.attacking


class LadderSearch:
    """Reads the ladder of one chain on its own copy of the board.

    Args:
        board: the position, with the side to read for to move; moves are made on it.
        point: a stone of the chain.
        budget: the maximum number of moves to try, None for no limit.

    Attributes:
        nodes: moves tried so far.
    """

    def __init__(self, board: ReadingBoard, point: int, budget: int | None) -> None:
        self._board: Final = board
        self._point: Final = point
        self._defender: Final[Colour] = board.colours[point]
        self._attacker: Final[Colour] = opponent(self._defender)
        self._budget: Final = budget
        self.nodes = 0

    def solve(self) -> tuple[bool, MoveList | None]:
        """Return whether the chain is captured, and the line that shows it.

        Raises:
            BudgetSpent: the node budget is used up.
        """
        board, point = self._board, self._point
        count = board.liberties_of(point).bit_count()
        attacking = board.to_move == self._attacker
        if count > 2:
            return False, None
        if attacking and count == 1:
            return self._capture()
        ataris = [stone for stone in board.chains_of(self._attacker) if board.liberties_of(stone).bit_count() == 1]
        ataris.sort(key=board.liberties_of)
        root = Frame(PASS, attacking, ataris)
        if attacking:
            self._list_ataris(root)
        else:
            self._list_defences(root)
            if count == 2:
                # The chain is not in atari, so any move of the defender may save it.
                self._add_elsewhere(root)
        return self._run(root)

    def _run(self, root: Frame) -> tuple[bool, MoveList | None]:
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

    def _capture(self) -> tuple[bool, MoveList | None]:
        """Return the result with the attacker to move against a chain in atari: captured unless superko forbids it."""
        last = self._board.liberties_of(self._point).bit_length() - 1
        if self._board.refusal(last) is None:
            return True, (1, last, None)
        return False, None

    def _attacked(self, frame: Frame, move: int) -> Frame | None:
        """Return the position after the attacker's ``move``, just made; None if it gave no atari."""
        board = self._board
        if board.liberties_of(self._point).bit_count() != 1:
            return None  # the attacker's own suicide
        ataris = frame.ataris
        if board.liberties_of(move).bit_count() == 1:
            ataris = [*ataris, move]
        reached = Frame(move, False, ataris)
        self._list_defences(reached)
        return reached

    def _defended(self, frame: Frame, move: int) -> Frame | tuple[bool, MoveList | None] | None:
        """Return the position after the defender's ``move``, just made; None if it was the chain's own suicide."""
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
            # Only chains next to the new stone have lost a liberty.
            for nearby in board.torus.neighbours[move]:
                if colours[nearby] == attacker and board.liberties_of(nearby).bit_count() == 1:
                    ataris = [*ataris, nearby]
        reached = Frame(move, True, ataris)
        self._list_ataris(reached)
        return reached

    def _list_ataris(self, frame: Frame) -> None:
        """List the attacker's moves against a chain with two liberties, the one that leaves fewer liberties first."""
        board = self._board
        liberties = board.liberties_of(self._point)
        one, two = liberties & -liberties, liberties & (liberties - 1)
        choices = []
        for atari, last in ((one, two), (two, one)):
            move, extension = atari.bit_length() - 1, last.bit_length() - 1
            room = self._extension(extension) & ~atari
            count = room.bit_count()
            if count > 2 and not board.vacated(self._defender) & last:
                # The extension escapes, and on a point that never had a stone it cannot repeat a state: no need to try.
                if board.torus.around[move] & board.empty and board.refusal(move) is None:
                    frame.line = (2, move, (1, extension, None))
            else:
                choices.append((count, move))
        choices.sort(reverse=True)
        frame.moves = [move for _, move in choices]

    def _extension(self, point: int) -> int:
        board = self._board
        room = board.torus.around[point] & board.empty
        colours = board.colours
        for nearby in board.torus.neighbours[point]:
            if colours[nearby] == self._defender and board.head_of(nearby) != board.head_of(self._point):
                room |= board.liberties_of(nearby)
        return room & ~(1 << point)

    def _list_defences(self, frame: Frame) -> None:
        """List the defender's moves that can help, the extension first."""
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
            if (
                board.vacated(self._attacker) & liberties
                and not board.keeps_newest(self._point)
                and self._before_mask & liberties
            ):
                self._add_elsewhere(frame)

    def _add_elsewhere(self, frame: Frame) -> None:
        """Add every other empty point and the pass to the defender's moves, to be tried last."""
        board = self._board
        known = set(frame.moves)
        frame.moves[:0] = [PASS, *(point for point in board.torus.points_in(board.empty) if point not in known)]

    def _in_atari(self, stone: int) -> bool:
        board = self._board
        return board.colours[stone] == self._attacker and board.liberties_of(stone).bit_count() == 1

    def _touches(self, stone: int) -> bool:
        """Return whether the attacking chain on ``stone`` is next to the chain being read."""
        board = self._board
        head = board.head_of(self._point)
        return any(
            board.colours[nearby] == self._defender and board.head_of(nearby) == head
            for own in board.stones_of(stone)
            for nearby in board.torus.neighbours[own]
        )

    @cached_property
    def _before_mask(self) -> int:
        """Return the attacker's stones in past states without the chain: only there can superko forbid its capture.

        The state after the capture lacks the chain, so it can only have occurred before this reading.
        """
        board = self._board
        before = 0
        shift = 0 if self._attacker == BLACK else board.torus.points
        for key in board.faced_without(self._point, self._defender, self._defender):
            before |= key >> shift & board.torus.full
        return before


Verdict: TypeAlias = Literal["captured", "escapes", "undecided"]


@dataclass(frozen=True, slots=True)
class Ladder:
    """The result for one chain.

    Attributes:
        result: ``captured``, ``escapes``, or ``undecided`` if the node budget was spent.
        target: the stones of the chain.
        to_move: the colour that moves first.
        line: the main line, with alternating colours, ``PASS`` for a pass. It ends with the capture, or if the chain
            escapes, with its third liberty or where the attacker has no atari.
        nodes: moves tried.
    """

    result: Verdict
    target: Chain
    to_move: Colour
    line: tuple[int, ...]
    nodes: int

    @property
    def plies(self) -> int:
        return len(self.line)

    def as_dict(self, torus: Torus, style: Style = "daoqi") -> dict[str, Any]:
        names = ["pass" if point == PASS else torus.name(point, style) for point in self.line]
        return {"result": self.result, "plies": self.plies, "line": names}


@dataclass(frozen=True, slots=True)
class LadderPoints:
    """Ladder breakers or makers: points where one more stone, there since the start, changes the result.

    Attributes:
        result: the answer without such a stone.
        black: points where a black stone changes it.
        white: points where a white stone changes it.
        undecided: queries that the node budget left open, as (colour, point).
    """

    result: Verdict
    black: tuple[int, ...]
    white: tuple[int, ...]
    undecided: tuple[tuple[Colour, int], ...]

    @property
    def undecided_points(self) -> int:
        return len({point for _, point in self.undecided})

    def as_dict(self, torus: Torus, style: Style = "daoqi") -> dict[str, Any]:
        """Return ``{"breakers": {"black": […], "white": […]}, "makers": …, "undecided": …}`` by name.

        Breakers or makers are empty.
        """

        def named(black: Iterable[int], white: Iterable[int]) -> dict[str, list[str]]:
            return {
                "black": [torus.name(point, style) for point in black],
                "white": [torus.name(point, style) for point in white],
            }

        found, none = named(self.black, self.white), named((), ())
        black, white = ([point for side, point in self.undecided if side == colour] for colour in (BLACK, WHITE))
        captured = self.result == "captured"
        return {
            "breakers": found if captured else none,
            "makers": none if captured else found,
            "undecided": named(black, white),
        }


def read_ladder(
    board: Board,
    point: int,
    to_move: Colour | None = None,
    nodes: int | None = None,
) -> Ladder:
    """Read the chain on ``point``; ``board`` stays as it is.

    Args:
        board: the position, with the states faced in its game.
        point: any stone of the chain.
        to_move: the colour to move first, by default whose turn it is. If it is not, the other side passes first.
        nodes: the number of moves to try before giving up as ``undecided``; None reads to the end.

    Raises:
        ValueError: no stone stands on ``point``, it is off the board, or ``nodes`` is negative.
    """
    target = _chain(board, point)
    if nodes is not None and nodes < 0:
        raise ValueError(Message("the node budget must be 0 or more, not {nodes}", nodes=nodes))
    return _read(ReadingBoard(board, to_move), target, point, nodes)


def ladder_points(board: Board, point: int, to_move: Colour | None = None, nodes: int | None = None) -> LadderPoints:
    """Find every point where one more stone of either colour changes the answer: breakers and makers.

    A stone that would leave some chain without a liberty cannot be added, so it changes nothing. ``nodes`` is the
    budget of each single reading; the other arguments and the errors are those of :func:`read_ladder`.
    """
    start = read_ladder(board, point, to_move, nodes)
    found: dict[Colour, list[int]] = {BLACK: [], WHITE: []}
    undecided: list[tuple[Colour, int]] = []
    for extra in board.torus.points_in(board.empty):
        for colour in (BLACK, WHITE):
            trial = ReadingBoard(board, to_move)
            try:
                trial.lay(extra, colour)
            except ValueError:
                continue
            result = _read(trial, start.target, point, nodes).result
            if "undecided" in (result, start.result):
                undecided.append((colour, extra))
            elif result != start.result:
                found[colour].append(extra)
    return LadderPoints(start.result, tuple(found[BLACK]), tuple(found[WHITE]), tuple(undecided))


def threatened_chains(board: Board, nodes: int | None = None) -> tuple[Ladder, ...]:
    """Return the ladders that capture a chain of either colour if the other side moves now."""
    ladders = []
    reading = ReadingBoard(board)
    for colour in (BLACK, WHITE):
        for point in reading.chains_of(colour):
            if reading.liberties_of(point).bit_count() <= 2:
                ladder = read_ladder(board, point, opponent(colour), nodes)
                if ladder.result == "captured":
                    ladders.append(ladder)
    return tuple(ladders)


def _chain(board: Board, point: int) -> Chain:
    if not 0 <= point < board.torus.points:
        raise ValueError(off_board(point, board.torus.points))
    chain = board.chain_at(point)
    if chain is None:
        raise ValueError(
            Message("there is no stone at {point}; name a stone of the chain to read", point=board.torus.name(point))
        )
    return chain


def _read(board: ReadingBoard, target: Chain, point: int, nodes: int | None) -> Ladder:
    to_move = board.to_move
    search = LadderSearch(board, point, nodes)
    try:
        captured, line = search.solve()
    except BudgetSpent:
        return Ladder("undecided", target, to_move, (), search.nodes)
    return Ladder("captured" if captured else "escapes", target, to_move, tuple(_moves(line)), search.nodes)


def _moves(line: MoveList | None) -> Iterator[int]:
    while line is not None:
        _, move, line = line
        yield move
