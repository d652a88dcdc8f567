"""Players and an adviser that answer at once, or when they are let, in place of those that think."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from daoqi_tui.ai.player import PlayerError
from daoqi_tui.ai.protocol import Answer, Estimated, Line, Position, Progress
from daoqi_tui.engine import Board
from daoqi_tui.tui import minds
from daoqi_tui.tui.minds import Net, usual_net
from daoqi_tui.tui.opponents import Seat
from daoqi_tui.tui.screens.computer_turns import ComputerTurns


def answer(move: int, win: float = 0.5, *, hopeless: bool = False, line: tuple[int, ...] = ()) -> Answer:
    lines = (Line(move, 100, win, line or (move,)),)
    return Answer(1, move, win, hopeless, 100, 1.0, lines, 0.0)


def first_legal(board: Board) -> int:
    return next(point for point in range(board.torus.points) if board.refusal(point) is None)


class QuickMind:
    """Plays the moves of ``script``, then the first legal ones; waits for :attr:`may_answer`."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.net: Net = usual_net
        self.script: list[Answer | PlayerError] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.hurried = 0
        self.closed = 0
        self.asked: list[Position] = []
        self.seconds: list[float | None] = []
        self.progress: Callable[[Progress], None] | None = None

    async def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Answer:
        self.asked.append(position)
        self.seconds.append(seconds)
        self.progress = on_progress
        await self.may_answer.wait()
        if self.script:
            step = self.script.pop(0)
            if isinstance(step, PlayerError):
                raise step
            return step
        return answer(first_legal(position.board()))

    def hurry(self) -> None:
        self.hurried += 1
        self.may_answer.set()

    async def close(self) -> None:
        self.closed += 1


class Room:
    """All minds that were made, in order."""

    def __init__(self) -> None:
        self.minds: list[QuickMind] = []
        self.script: list[Answer | PlayerError] = []
        self.holding = False

    def make(self, seat: Seat, net: Net) -> QuickMind:
        mind = QuickMind(seat)
        mind.net = net
        mind.script = self.script
        if self.holding:
            mind.may_answer.clear()
        self.minds.append(mind)
        return mind

    @property
    def last(self) -> QuickMind:
        return self.minds[-1]


@contextmanager
def quick_minds(monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    """Have all computers be quick ones."""
    room = Room()
    monkeypatch.setattr(minds, "make_mind", room.make)
    monkeypatch.setattr(ComputerTurns, "pace", 0.0)
    yield room


class QuickAdviser:
    """Answers from tables by the number of actions of the position."""

    def __init__(self) -> None:
        self.answers: dict[int, Answer] = {}
        self.ownership: tuple[float, ...] | None = None
        self.problem: PlayerError | None = None
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.closed = False
        self.nets: list[str | None] = []

    async def think(
        self,
        position: Position,
        level: int,
        *,
        playouts: int | None = None,
        seconds: float | None = None,
        analyse: bool = False,
        net: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Answer:
        await self.may_answer.wait()
        if self.problem is not None:
            raise self.problem
        assert analyse
        self.nets.append(net)
        found = self.answers.get(len(position.actions))
        return answer(first_legal(position.board())) if found is None else found

    async def estimate(
        self, position: Position, *, playouts: int = 400, seconds: float | None = None, net: str | None = None
    ) -> Estimated:
        await self.may_answer.wait()
        if self.problem is not None:
            raise self.problem
        self.nets.append(net)
        board = position.board()
        ownership = self.ownership or (0.0,) * board.torus.points
        return Estimated(1, 400, ownership, 6.5, 9.0, 0.8)

    async def close(self) -> None:
        self.closed = True
