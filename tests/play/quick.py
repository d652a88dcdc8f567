"""Fake players and analysts that answer immediately, or when a test allows it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from daoqi_tui.ai import Answer, Candidate, Estimated, Position, Progress, Stage, Think
from daoqi_tui.ai.process import PlayerError
from daoqi_tui.engine import Board
from daoqi_tui.play.players import Net, usual_net
from daoqi_tui.play.session import Seat


def answer(move: int, win: float = 0.5, *, hopeless: bool = False, line: tuple[int, ...] = ()) -> Answer:
    lines = (Candidate(move, 100, win, line or (move,)),)
    return Answer(1, move, win, hopeless, 100, 1.0, lines, 0.0)


def first_legal(board: Board) -> int:
    return next(point for point in range(board.torus.points) if board.refusal(point) is None)


class QuickPlayer:
    """A fake player: plays the moves of ``script``, then the first legal points; waits for :attr:`may_answer`."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.net: Net = usual_net
        self.script: list[Answer | PlayerError] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.pondered: list[Position] = []
        self.ended = 0
        self.crash = asyncio.Event()
        self.hurried = 0
        self.closed = 0
        self.asked: list[Position] = []
        self.seconds: list[float | None] = []
        self.progress: Callable[[Progress], None] | None = None
        self.stages: tuple[Stage, ...] = ()
        """What is reported while the player loads, which lasts until :attr:`may_load`."""
        self.waited: bool | None = None
        """Whether the last preparation was to wait for the compiler."""
        self.may_load = asyncio.Event()
        self.may_load.set()

    async def prepare(
        self, position: Position, on_stage: Callable[[Stage], object] = lambda _: None, *, wait: bool = True
    ) -> None:
        self.waited = wait
        for stage in self.stages:
            on_stage(stage)
        await self.may_load.wait()

    async def think(self, request: Think, on_progress: Callable[[Progress], None] | None = None) -> Answer:
        position = request.position
        if request.analyse:
            self.pondered.append(position)
            try:
                await self.crash.wait()
                raise PlayerError("the process ended")
            finally:
                self.pondered.remove(position)
                self.ended += 1
        self.asked.append(position)
        self.seconds.append(request.seconds)
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


def leading(position: Position, lead: float, *moves: int, win: float = 0.5, visits: int = 100) -> Answer:
    """Return an answer in which Black leads by ``lead``, with ``moves`` from best to worst, each a point worse."""
    board = position.board()
    sign = 1 if board.to_move == 1 else -1
    moves = moves or (first_legal(board),)
    lines = tuple(
        Candidate(move, visits - 10 * place, win, (move,), lead - sign * place) for place, move in enumerate(moves)
    )
    return Answer(1, moves[0], win, False, visits, 1.0, lines, lead)


class QuickAnalyst:
    """A fake analyst: answers from tables by the position's number of actions, by default with an even score.

    While :attr:`may_answer` is clear, it only reports its answer as progress.
    """

    def __init__(self) -> None:
        self.answers: dict[int, Answer] = {}
        self.leads: dict[int, float] = {}
        self.leads_alone = 0.0
        """The lead reported when the search is restricted to certain moves."""
        self.ownership: tuple[float, ...] | None = None
        self.problem: PlayerError | None = None
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.closed = False
        self.asked: list[Position] = []
        self.budgets: list[tuple[int | None, float | None]] = []
        self.cancelled = 0

    async def think(self, request: Think, on_progress: Callable[[Progress], None] | None = None) -> Answer:
        position = request.position
        assert request.analyse
        if request.restrictions:
            (only,) = request.restrictions
            return leading(position, self.leads_alone, *only.moves)
        self.asked.append(position)
        self.budgets.append((request.visits, request.seconds))
        count = len(position.actions)
        found = self.answers.get(count) or leading(position, self.leads.get(count, 0.0))
        if self.problem is not None:
            raise self.problem
        if on_progress is not None:
            on_progress(Progress(1, found.visits, 0.1, found.lines[: request.shown], found.margin))
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return found

    async def estimate(self, position: Position) -> Estimated:
        await self.may_answer.wait()
        if self.problem is not None:
            raise self.problem
        ownership = self.ownership or (0.0,) * position.board().torus.points
        return Estimated(1, ownership, 6.5, 9.0, 0.8)

    def hurry(self) -> None:
        self.may_answer.set()

    async def close(self) -> None:
        self.closed = True


class PlayerFactory:
    """A factory that records all players it makes, in order."""

    def __init__(self) -> None:
        self.players: list[QuickPlayer] = []
        self.script: list[Answer | PlayerError] = []
        self.holding = False

    def make(self, seat: Seat, net: Net, threads: int = 1) -> QuickPlayer:
        player = QuickPlayer(seat)
        player.net = net
        player.script = self.script
        if self.holding:
            player.may_answer.clear()
        self.players.append(player)
        return player

    @property
    def last(self) -> QuickPlayer:
        return self.players[-1]
