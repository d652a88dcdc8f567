"""Encodes positions as inputs of KataGo's networks, model formats 3 to 16, on a torus under the rules of the game.

The inputs are those of KataGo's nninputs.cpp for area scoring; what a pass costs is part of the komi. Inputs for
territory scoring, for the phases after it, for group tax, the button and handicap by
playouts stay zero, as they do in KataGo under such rules.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.compiled import LateKernel
from daoqi_tui.ai.network import INPUTS, board_kernel, reading_kernel
from daoqi_tui.ai.network.board_kernel import Hashes, Work
from daoqi_tui.ai.search import HISTORY, Inputs, captures
from daoqi_tui.engine import (
    BLACK,
    EMPTY,
    PASS,
    POSITIONAL,
    SIMPLE,
    SITUATIONAL,
    WHITE,
    Board,
    Colour,
    IllegalMove,
    Repeats,
    Rules,
    Torus,
    opponent,
    torus_of,
)
from daoqi_tui.reading.ladder import BudgetSpent, LadderSearch, ReadingBoard
from daoqi_tui.reading.status import area_points, safe_points

NODES: Final = 250
"""The most moves tried for one ladder; an undecided one counts as no capture."""
MOST_CACHED: Final = 4000
"""The most positions whose ladders are cached."""


@dataclass(frozen=True, slots=True)
class Ladders:
    """The stones that a ladder captures, and the plays with which the side to move begins one: 1 for these points."""

    stones: NDArray[np.float32]
    moves: NDArray[np.float32]


_Key: TypeAlias = tuple[int, Rules, Colour, int]


class LadderReader:
    """Reads the ladders of positions with a cache: the inputs include those of one and two moves ago.

    Args:
        readings: the arrays of the compiled kernel.
    """

    def __init__(self, readings: Readings | None = None) -> None:
        # With the faced states, since superko may decide a ladder.
        self._known: OrderedDict[_Key, tuple[Ladders, tuple[int, ...]]] = OrderedDict()
        self._readings = readings or Readings(NODES)

    def before(self, board: Board, moves: int, states: tuple[int, ...] = ()) -> Ladders | None:
        """Return the ladders ``moves`` plays and passes before the position on ``board``, None where not read yet.

        ``states`` are those that the board has faced, where the caller knows them already.
        """
        to_move = board.to_move if moves % 2 == 0 else opponent(board.to_move)
        # Under positional superko the board's key does not say whose move it is.
        key = board.torus.size, board.rules, to_move, board.key_before(moves) if moves else board.key
        known = self._known.get(key)
        if known is None:
            return None
        ladders, faced = known
        now, count, last = states or tuple(board.faced), len(faced), board.move_number - moves
        # The states are in the order in which they were first faced.
        if now[:count] != faced or board.faced[now[count - 1]] > last:
            return None
        return ladders if count == len(now) or board.faced[now[count]] > last else None

    def read(self, board: Board) -> Ladders:
        """Return the ladders on ``board``, which is unchanged afterwards.

        A chain with one liberty is laddered when its own side, moving first, cannot save it; one with two, when the
        opponent, moving first, captures it.
        """
        states = tuple(board.faced)
        if (found := self.before(board, 0, states)) is None:
            functions = KERNEL.functions
            if functions is None:
                found = _read(board)
            else:
                found = _ladders_of(board, *self._readings.of(board.torus).read_ladders(functions, board))
            self.store(board, found, states)
        return found

    def with_earlier(
        self, board: Board, recent: Sequence[int], now: Ladders, states: tuple[int, ...]
    ) -> tuple[Ladders, Ladders, Ladders]:
        """Return the ladders now, one move ago and two; without moves before, those of the first position.

        Args:
            board: the position, unchanged afterwards.
            recent: the last moves, oldest first.
            now: the ladders of the position.
            states: those that the board has faced.
        """
        one = (self.before(board, 1, states) or self._read_before(board, recent[-1:])) if recent else now
        two = (self.before(board, 2, states) or self._read_before(board, recent[-2:])) if len(recent) > 1 else one
        return now, one, two

    def _read_before(self, board: Board, moves: Sequence[int]) -> Ladders:
        for _ in moves:
            board.undo()
        ladders = self.read(board)
        for move in moves:
            board.replay(move)
        return ladders

    def store(self, board: Board, ladders: Ladders, states: tuple[int, ...]) -> None:
        self._known[board.torus.size, board.rules, board.to_move, board.key] = ladders, states
        if len(self._known) > MOST_CACHED:
            self._known.popitem(last=False)


def _ladders_of(board: Board, found: NDArray[np.float32], left: Sequence[int]) -> Ladders:
    """Return the ladders that the kernel found, and of the chains on ``left`` for which it had too little room."""
    for point in left:
        own = ReadingBoard(board)
        for row, mask in enumerate(_read_chain(own, own.head_of(point), board.to_move)):
            found[row, list(board.torus.points_in(mask))] = 1.0
    return Ladders(found[0], found[1])


def _read(board: Board) -> Ladders:
    reading = ReadingBoard(board)
    stones = moves = 0
    for colour in (BLACK, WHITE):
        for head in sorted(reading.chains_of(colour), key=lambda head: min(reading.stones_of(head))):
            captured, working = _read_chain(reading, head, board.to_move)
            stones |= captured
            moves |= working
    return Ladders(*(mask_to_array(mask, board.torus.points) for mask in (stones, moves)))


def _read_chain(reading: ReadingBoard, head: int, to_move: Colour) -> tuple[int, int]:
    """Return the masks of the chain's stones if a ladder captures it, and of the plays that begin one."""
    one = reading.liberties_of(head)
    rest = one & (one - 1)
    if rest & (rest - 1):
        return 0, 0
    colour = reading.colours[head]
    working = 0
    if not rest:
        laddered = not _runs(reading, colour, one, 0) and _is_captured(reading, head, colour)
    else:
        one ^= rest
        for atari, left in ((one, rest), (rest, one)):
            if not _runs(reading, colour, left, atari) and _works(reading, head, colour, atari):
                working |= atari
        laddered = working > 0
    stones = reading.torus.mask(reading.stones_of(head)) if laddered else 0
    return stones, working if colour != to_move else 0


def _runs(board: Board, colour: Colour, last: int, taken: int) -> bool:
    """Return whether a chain of ``colour`` gets three liberties by a play at its last one, and so escapes.

    ``last`` and ``taken``, where the opponent has just played, are masks of a point. Most ladders are decided here.
    """
    torus, point = board.torus, last.bit_length() - 1
    liberties = torus.around[point] & board.empty & ~taken
    if liberties.bit_count() >= 3:
        return True
    for nearby in torus.neighbours[point]:
        if board.colours[nearby] == colour:
            liberties |= board.liberties_of(nearby)
    return (liberties & ~taken & ~last).bit_count() >= 3


def _works(board: ReadingBoard, head: int, colour: Colour, atari: int) -> bool:
    """Return whether the opponent's play at ``atari``, a mask, begins a ladder that captures the chain."""
    point = atari.bit_length() - 1
    before = board.move_number
    if board.to_move == colour:
        board.pass_turn()
    try:
        board.play(point)
    except IllegalMove:
        works = False
    else:
        # A suicide gives no atari.
        is_atari = board.colours[point] != EMPTY and board.liberties_of(head).bit_count() == 1
        works = is_atari and _is_captured(board, head, colour)
    _take_back(board, before)
    return works


def _is_captured(board: ReadingBoard, head: int, colour: Colour) -> bool:
    before = board.move_number
    if board.to_move != colour:
        board.pass_turn()
    try:
        return LadderSearch(board, head, NODES).solve()[0]
    except BudgetSpent:
        return False
    finally:
        _take_back(board, before)


def _take_back(board: Board, number: int) -> None:
    while board.move_number > number:
        board.undo()


@dataclass(frozen=True, slots=True)
class InputLayout:
    """The indices of a format's inputs; None for those it does not have.

    Attributes:
        liberties: the first of the planes for one, two and three liberties.
        banned: the plane of empty points that superko forbids.
        moves: the first of the planes for the last moves.
        ladders: the first of the planes for laddered stones now, one and two moves ago, and for working moves.
        area: the first of the planes for the area of the side to move and of the opponent.
        safe: whether the area is what cannot be captured alone.
        komi_unit: points of komi for an input of 1.
        komi_reach: points by which komi may exceed the board before it is cut.
        ending: the input for a pass that would end the game.
        parity: the input for the wave of komi and board parity.
    """

    liberties: int | None
    banned: int
    moves: int
    ladders: int | None
    area: int | None
    safe: bool
    komi_unit: float
    komi_reach: float
    ending: int | None
    parity: int | None


_EARLY: Final = InputLayout(3, 6, 9, 14, 18, False, 15.0, 1.0, 12, 13)
LAYOUTS: Final = {
    3: _EARLY,
    4: _EARLY,
    5: InputLayout(3, 6, 9, 14, 18, True, 15.0, 1.0, 12, 13),
    6: InputLayout(None, 3, 6, None, None, False, 15.0, 1.0, None, None),
    7: InputLayout(3, 6, 9, 14, 18, False, 20.0, 1.0, 14, 15),
    **dict.fromkeys(range(8, 17), InputLayout(3, 6, 9, 14, 18, False, 20.0, 20.0, 14, 18)),
}
ON_BOARD, MINE, THEIRS = 0, 1, 2
"""The indices of planes that all formats have."""
KOMI: Final = 5
SUPERKO_INPUTS: Final = {SIMPLE: (0.0, 0.0), POSITIONAL: (1.0, 0.5), SITUATIONAL: (1.0, -0.5)}


def rule_inputs(rules: Rules) -> dict[int, float]:
    """Return the global inputs, by index, that tell a network of the rules: superko, of which kind, and suicide."""
    superko, kind = SUPERKO_INPUTS[rules.superko]
    return {6: superko, 7: kind, 8: float(rules.suicide)}


class Features:
    """Encodes positions for networks of a format.

    Args:
        model_format: 3 to 16.
        ladders: whether ladders are read; a network that is used to them plays worse without.
    """

    def __init__(self, model_format: int, *, ladders: bool = True) -> None:
        self._layout = LAYOUTS[model_format]
        self._planes, self._globals = INPUTS[model_format]
        self._readings = Readings(NODES)
        self._ladders = LadderReader(self._readings) if ladders and self._layout.ladders is not None else None

    def encode(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Inputs:
        layout, points = self._layout, board.torus.points
        planes = np.zeros((points, self._planes), np.float32)
        whole = np.zeros(self._globals, np.float32)
        functions, reader, states = KERNEL.functions, self._ladders, tuple(board.faced)
        ladders = None if reader is None else reader.before(board, 0, states)
        if functions is None:
            self._fill_board(planes, board)
        else:
            are_wanted = reader is not None and ladders is None
            reading = self._readings.of(board.torus)
            found, left = reading.fill(
                functions,
                board,
                planes,
                layout.liberties,
                layout.area,
                only_safe=layout.safe,
                with_ladders=are_wanted,
            )
            if reader is not None and are_wanted:
                ladders = _ladders_of(board, found, left)
                reader.store(board, ladders, states)
        if reader is not None:
            assert layout.ladders is not None
            now = ladders or reader.read(board)
            planes[:, layout.ladders + 3] = now.moves
            for ago, then in enumerate(reader.with_earlier(board, recent, now, states)):
                planes[:, layout.ladders + ago] = then.stones
        if illegal := board.empty & ~board.legal_mask():
            # KataGo holds a stone alone without a liberty for suicide, and not for a repetition, under any rules.
            near = board.torus.dilate(board.empty | board.stones(board.to_move))
            for point in board.torus.points_in(illegal):
                if near & board.torus.bits[point] or captures(board, point):
                    planes[point, layout.banned] = isinstance(board.refusal(point), Repeats)
        for ago, move in enumerate(reversed(recent[-HISTORY:])):
            if move == PASS:
                whole[ago] = 1.0
            else:
                planes[move, layout.moves + ago] = 1.0
        own_komi = mover_komi(board, komi)
        reach = points + layout.komi_reach
        whole[KOMI] = min(max(own_komi, -reach), reach) / layout.komi_unit
        for index, value in rule_inputs(board.rules).items():
            whole[index] = value
        if layout.ending is not None:
            whole[layout.ending] = passes_in_row == 1
        if layout.parity is not None:
            whole[layout.parity] = komi_parity_wave(min(max(own_komi, -reach), reach), points)
        return Inputs(planes, whole)

    def _fill_board(self, planes: NDArray[np.float32], board: Board) -> None:
        layout, points = self._layout, board.torus.points
        planes[:, ON_BOARD] = 1.0
        planes[:, MINE] = mask_to_array(board.stones(board.to_move), points)
        planes[:, THEIRS] = mask_to_array(board.stones(opponent(board.to_move)), points)
        if layout.liberties is not None:
            self._fill_liberties(planes, board, layout.liberties)
        if layout.area is not None:
            owned = (safe_points if layout.safe else area_points)(board, board.rules)
            planes[:, layout.area] = mask_to_array(owned[board.to_move], points)
            planes[:, layout.area + 1] = mask_to_array(owned[opponent(board.to_move)], points)

    @staticmethod
    def _fill_liberties(planes: NDArray[np.float32], board: Board, first: int) -> None:
        few: tuple[list[int], ...] = ([], [], [])
        for head in (*board.chains_of(BLACK), *board.chains_of(WHITE)):
            count = board.liberties_of(head).bit_count()
            if count <= len(few):
                few[count - 1].extend(board.stones_of(head))
        for count, stones in enumerate(few):
            planes[stones, first + count] = 1.0


def mover_komi(board: Board, komi: float) -> float:
    """Return the side to move's points beside its area: komi, passes, and half a point for who wins ties."""
    white = komi + board.passes[BLACK] - board.passes[WHITE] + tie_break(board.rules, komi)
    return white if board.to_move == WHITE else -white


def tie_break(rules: Rules, komi: float) -> float:
    """Return White's bonus for ties in points: half a point won, lost, or neither, and 0 where none can happen."""
    if komi != int(komi):
        return 0.0
    return 0.5 - rules.value(0)


def mask_to_array(mask: int, points: int) -> NDArray[np.float32]:
    packed = np.frombuffer(mask.to_bytes((points + 7) // 8, "little"), np.uint8)
    return np.unpackbits(packed, count=points, bitorder="little").astype(np.float32)


def komi_parity_wave(own_komi: float, points: int) -> float:
    """Return KataGo's komi parity feature: a triangular wave of period 2."""
    even = points % 2 == 0
    floor = math.floor(own_komi / 2) * 2 if even else math.floor((own_komi - 1) / 2) * 2 + 1
    above = own_komi - floor
    if above < 0.5:
        return above
    return 1.0 - above if above < 1.5 else above - 2.0


# The compiled kernel


class Reading:
    """The tables and arrays of the kernel for boards of one torus.

    Args:
        torus: the points and their neighbours.
        budget: the most moves tried for one ladder.
    """

    def __init__(self, torus: Torus, budget: int) -> None:
        points = torus.points
        self._points = points
        near = [point for nearby in torus.neighbours for point in (*nearby, *(points,) * 4)[:4]]
        self._near = np.array(near, np.int32)
        self._work = _work(points, budget)
        self._keys: Any = np.random.default_rng(2026).integers(1, 1 << 62, 2 * points + 1, np.int64)
        self._line = _zeros(budget + 8, np.int64)
        # A state has the bits of all stones and of the side to move.
        self._words = (2 * points >> 6) + 1
        self._faced: list[int] = []
        self._make_room(2 * points)
        self._work.info[board_kernel.I_BUDGET] = budget
        self._bytes = 8 * ((4 * points >> 6) + 1)

    def _make_room(self, states: int) -> None:
        self._faced.clear()
        self._hashes = Hashes(self._keys, self._line, _zeros(states, np.int64), _zeros(states * self._words, np.int64))

    def _prepare(self, board: Board) -> NDArray[np.int64]:
        """Set the rules to read by, and return the position on ``board`` as :func:`.board_kernel.load` takes it."""
        info = self._work.info
        info[board_kernel.I_SUICIDE] = board.rules.suicide
        info[board_kernel.I_TURN] = board.rules.superko != POSITIONAL
        points = self._points
        stones = board.stones(BLACK) | board.stones(WHITE) << points
        lost = board.vacated(BLACK) | board.vacated(WHITE) << points
        return np.frombuffer((stones | lost << 2 * points).to_bytes(self._bytes, "little"), np.int64)

    def read_with_history(self, functions: Any, board: Board, found: NDArray[np.float32], count: int) -> int:  # noqa: ANN401
        """Read the ``count`` ladders that the history decides, or may; return how many are left."""
        self._remember(functions, board)
        return int(
            functions.read_chains(self._points, self._near, self._work, self._hashes, board.to_move, found, count)
        )

    def _remember(self, functions: Any, board: Board) -> None:  # noqa: ANN401
        """Set up the history of ``board``, which is loaded; most of its states are those of the last time."""
        faced, known = list(board.faced), 0
        if len(faced) > len(self._hashes.faced):
            self._make_room(2 * len(faced))
        for state, before in zip(faced, self._faced, strict=False):
            if state != before:
                break
            known += 1
        added = b"".join([state.to_bytes(8 * self._words, "little") for state in faced[known:]])
        self._hashes.states[known * self._words : len(faced) * self._words] = np.frombuffer(added, np.int64)
        self._faced = faced
        functions.remember(self._points, self._work, self._hashes, known, len(faced))

    def fill(
        self,
        functions: Any,  # noqa: ANN401
        board: Board,
        planes: NDArray[np.float32],
        liberties: int | None,
        area: int | None,
        *,
        only_safe: bool,
        with_ladders: bool,
    ) -> tuple[NDArray[np.float32], list[int]]:
        """Set the planes of the stones on ``board``; where wanted, others, too, and read the ladders.

        Those of chains with few liberties begin at ``liberties``. Plane ``area`` is for the area of the side to move,
        the next for the opponent's.

        Returns:
            As :meth:`read_ladders`; without ladders, nothing.
        """
        position = self._prepare(board)
        found = np.zeros((2 * with_ladders, self._points), np.float32)
        count = functions.fill(
            self._points,
            self._near,
            self._work,
            self._hashes,
            position,
            board.to_move,
            board.newest(),
            planes,
            liberties or 0,
            area or 0,
            only_safe,
            found,
        )
        return found, self._left(functions, board, found, count)

    def read_ladders(self, functions: Any, board: Board) -> tuple[NDArray[np.float32], list[int]]:  # noqa: ANN401
        """Read the ladders of ``board``.

        Returns:
            For each point 1 where a ladder captures the stone, in the first row, and where a play of the side to move
            begins one, in the second; and a stone of each chain for which the arrays have too little room.
        """
        position = self._prepare(board)
        found = np.zeros((2, self._points), np.float32)
        arrays = self._points, self._near, self._work, self._hashes, position, board.to_move
        count = functions.load_and_read(*arrays, board.newest(), found)
        return found, self._left(functions, board, found, count)

    def _left(self, functions: Any, board: Board, found: NDArray[np.float32], count: int) -> list[int]:  # noqa: ANN401
        """Read the ladders that the history decides, and return a stone of each chain left."""
        if count:
            count = self.read_with_history(functions, board, found, count)
        return [int(point) for point in self._work.labels[:count]] if count else []


def _zeros(length: int, kind: type[np.signedinteger[Any]] = np.int32) -> Any:  # noqa: ANN401 (to mypy an array is no MutableSequence)
    return np.zeros(length, kind)


def _work(points: int, budget: int) -> Work:
    return Work(
        colour=_zeros(points + 1),
        mark=_zeros(points + 1),
        mark2=_zeros(points + 1),
        stones=_zeros(points),
        free=_zeros(points),
        vacated=_zeros(points),
        gone=_zeros(points + budget + 8),
        trail=_zeros(3 * (budget + 8)),
        frames=_zeros(reading_kernel.FRAME * (budget + 4)),
        tries=_zeros(16 * (points + budget)),
        labels=_zeros(points),
        counts=_zeros(points),
        status=_zeros(points),
        owned=_zeros(points),
        info=_zeros(board_kernel.INFO),
    )


class Readings:
    """The :class:`Reading` of each torus that has been asked for."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._of: dict[Torus, Reading] = {}

    def __reduce__(self) -> tuple[type[Readings], tuple[int]]:
        return Readings, (self._budget,)

    def of(self, torus: Torus) -> Reading:
        found = self._of.get(torus)
        if found is None:
            found = self._of[torus] = Reading(torus, self._budget)
        return found


def _warm_up(functions: Any) -> None:  # noqa: ANN401
    board = Board(torus_of(5))
    for point in (6, 7, 11, 5):
        board.play(point)
    reading = Reading(board.torus, 10)
    planes = np.zeros((board.torus.points, 22), np.float32)
    found, _ = reading.fill(functions, board, planes, 3, 18, only_safe=False, with_ladders=True)
    reading.read_ladders(functions, board)
    reading.read_with_history(functions, board, found, 0)


MODULES: Final = (board_kernel, reading_kernel)
KERNEL: Final = LateKernel(MODULES, _warm_up)
