"""Bots in online games: a :class:`Bot` plays for a client, and a :class:`House` has those that wait in a lobby.

A bot of the house is a client of the server like any other. All of them think in the same few processes
(:class:`Workers`), which are the server's whole budget of CPU for them; a move that finds none free waits for its turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Final, TypeAlias, TypeVar

from aiohttp import web

from daoqi_tui import codec, crash, log
from daoqi_tui.ai import Answer as PlayerAnswer
from daoqi_tui.ai import Estimated, Position, Think
from daoqi_tui.ai.process import PlayerError, PlayerProcess
from daoqi_tui.engine import DAOQI, Game
from daoqi_tui.gtp.player import RESIGN, LevelPlayer, Player, ResignationPolicy, asked_again
from daoqi_tui.i18n import bot_name
from daoqi_tui.message import Message
from daoqi_tui.play.analyst import propose_dead
from daoqi_tui.play.online.accounts import Account
from daoqi_tui.play.online.client import ClientEvent, OnlineClient
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.listing import CHALLENGE, Bots, Challenge, Opened
from daoqi_tui.play.online.protocol import (
    Agree,
    Answer,
    MarkDead,
    PlayOn,
    ProposeDead,
    Refused,
    RequestKind,
    Resign,
    State,
    Welcome,
    cleaned,
)
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.server import Lobby, as_json, available
from daoqi_tui.play.online.table import GUEST, Terms
from daoqi_tui.play.players import MoveTime, time_for_move
from daoqi_tui.record.files import write_atomically
from daoqi_tui.typed import LEVEL_NUMBERS

T = TypeVar("T")

_ACCEPTED: Final[frozenset[RequestKind]] = frozenset({"pause", "adjourn", "continue", "rematch"})
Judge: TypeAlias = Callable[[Game], Awaitable[frozenset[int]]]
"""Returns the points of the stones that are dead after two passes."""


class Bot:
    """Plays for a client: moves when it is its turn, and answers whatever it is asked.

    Args:
        client: the seat.
        player: chooses the moves.
        notify: called with the reason when its process has died, before the request is repeated, and when it stops
            making moves.
        accepts: the requests that it accepts; it refuses the others.
        judge: finds the dead stones; without one, all stones count as alive.

    Attributes:
        stopped: whether it makes no more moves, because its player failed.
    """

    def __init__(
        self,
        client: OnlineClient,
        player: Player | _Share,
        notify: Callable[[PlayerError | Message], object] = lambda _: None,
        *,
        accepts: frozenset[RequestKind] = _ACCEPTED,
        judge: Judge | None = None,
    ) -> None:
        self.stopped = False
        self._notify = notify
        self._client = client
        self._player = player
        self._accepts = accepts
        self._judge = judge
        self._resignation = ResignationPolicy()
        self._thought: asyncio.Task[None] | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._judging: asyncio.Task[None] | None = None
        self._question: object = None
        self._proposed: object = None
        """The end of play at which it has marked dead stones, which it does once."""

    def react(self, event: ClientEvent) -> None:
        client, state = self._client, self._client.state
        if isinstance(event, Welcome | Refused):
            # An answer may have been lost with the connection, or not been saved; the next event asks again.
            self._question = None
            if isinstance(event, Refused) and (event.what, event.code) == ("move", "illegal"):
                self._stop(Message("the engine's move is illegal"))
            return
        if state is None or self.stopped or client.colour is None or not client.connected:
            return
        if self._preparing is None:
            # Before its turn, if possible, since the server's clock does not wait.
            self._preparing = asyncio.get_running_loop().create_task(self._prepare())
        question = state.round, state.moves, state.phase, state.dead, state.request
        if question != self._question:
            self._question = question
            self._answer(state)
        if client.my_turn and (self._thought is None or self._thought.done()):
            self._thought = asyncio.get_running_loop().create_task(self._move())

    def _answer(self, state: State) -> None:
        """Answer what a state asks of this side.

        Only once: other states may come before the answer has been handled, such as when the opponent agrees as well.
        """
        client = self._client
        if state.request is not None:
            if state.request.by != client.role:
                client.send(Answer(state.request.what, accept=state.request.what in self._accepts))
        elif state.phase == "counting" and client.role not in state.agreed:
            if self._judge is None:
                client.send(PlayOn() if state.dead else Agree())
                return
            if self._judging is not None:
                self._judging.cancel()
            self._judging = asyncio.get_running_loop().create_task(self._count(self._judge, state))

    async def _count(self, judge: Judge, state: State) -> None:
        """Mark the stones that are dead, once; then agree, unless the marks cost stones of this side that live."""
        client, game = self._client, self._client.game
        try:
            evaluated = await judge(game)
        except PlayerError as error:
            self._notify(error)
            evaluated = frozenset[int]()
        if self._question != (state.round, state.moves, state.phase, state.dead, state.request):
            return
        name = partial(game.torus.name, style="gtp")
        marked = frozenset(game.torus.parse(point, "gtp") for point in state.dead)
        end = state.round, state.moves
        if evaluated - marked and self._proposed != end:
            self._proposed = end
            if not marked:
                client.send(ProposeDead(tuple(map(name, sorted(evaluated)))))
                return
            chains = {frozenset(chain.stones) for point in evaluated - marked if (chain := game.chain_at(point))}
            for chain_points in chains:
                client.send(MarkDead(name(min(chain_points))))
            return
        own = {point for point in marked | evaluated if game.board.colours[point] == client.colour}
        costs = (marked - evaluated) & own or (evaluated - marked) - own
        client.send(PlayOn() if costs else Agree(state.dead))

    async def _prepare(self) -> None:
        # What fails here fails again with the first move, and is reported then.
        with suppress(PlayerError):
            await self._player.prepare(Position.of(self._client.game))

    async def _move(self) -> None:
        client = self._client
        if self._preparing is not None:
            # The clock of the server is running.
            self._preparing.cancel()
            await asyncio.wait((self._preparing,))
        node, moves, position = client.game.node, len(client.game.moves()), Position.of(client.game)

        async def ask() -> PlayerAnswer:
            time = self._time()
            return await self._player.think(Think(position, seconds=time.seconds, extra=time.extra))

        try:
            answer = await asked_again(ask, self._notify)
        except PlayerError as error:
            self._stop(error)
            return
        if not client.my_turn or len(client.game.moves()) != moves or client.game.node.action != node.action:
            # The state has changed meanwhile; the next event asks again.
            return
        if answer.move == RESIGN or self._resignation.should_resign(client.game, client.game.to_move, answer):
            client.send(Resign())
        elif answer.move >= 0 and client.game.refusal(answer.move) is not None:
            self._stop(Message("the engine's move is illegal"))
        else:
            client.play(answer.move)

    def _time(self) -> MoveTime:
        client, state = self._client, self._client.state
        assert state is not None
        timed = None
        if state.clock is not None and state.time is not None:
            own = state.clock.black if client.role == "black" else state.clock.white
            timed = state.time, own.left
        return time_for_move(None, timed, points=client.game.torus.points, played=client.game.node.number)

    def _stop(self, problem: PlayerError | Message) -> None:
        self.stopped = True
        self._notify(problem)

    async def close(self) -> None:
        self.stopped = True
        tasks = [task for task in (self._preparing, self._thought, self._judging) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._player.close()


# The bots of a lobby

SIZES: Final = (9, 13, 16)
_SEAT: Final = "bot.json"
"""The file of a bot's seat in the folder of its table, with which it goes."""
_SEAT_BYTES: Final = 1000
_LOOK: Final = 0.25
"""Seconds between looks at who is present."""
_PATIENCE: Final = 60.0
"""Seconds for which a bot waits for an opponent who has left; it comes back when the opponent does."""
_LEAST_SECONDS: Final = 0.1
"""What is left of a move's time when it has waited too long for a worker."""


class Workers:
    """A number of processes that think for many players, each for one request at a time.

    When all are busy, the next one free takes the request of the player who has had the least of their time since they
    all began to wait, the oldest among equals (fair queueing). So many games of one player do not delay another's.

    Args:
        count: of the processes, each on one core. They are started when they are needed.
        make: makes one.
        now: returns the time by which their use is counted.
    """

    def __init__(
        self, count: int, make: Callable[[], PlayerProcess] | None = None, now: Callable[[], float] = monotonic
    ) -> None:
        make = make or partial(PlayerProcess, cpu=True)
        self._idle = [make() for _ in range(count)]
        self._all = tuple(self._idle)
        self._now = now
        self._used: dict[str, float] = {}
        """The seconds each player with a request has had, from where the least of them was when it came."""
        self._waiting: dict[asyncio.Future[PlayerProcess], str] = {}
        self._busy: dict[PlayerProcess, tuple[str, float]] = {}

    async def use(self, whose: str, work: Callable[[PlayerProcess], Awaitable[T]]) -> T:
        """Return the result of some work with a process, for a player."""
        self._used.setdefault(whose, min(map(self._use_of, self._used), default=0.0))
        turn: asyncio.Future[PlayerProcess] = asyncio.get_running_loop().create_future()
        self._waiting[turn] = whose
        self._go_on()
        try:
            process = await turn
            return await work(process)
        finally:
            self._waiting.pop(turn, None)
            if turn.done() and not turn.cancelled():
                process = turn.result()
                _whose, since = self._busy.pop(process)
                self._used[whose] += self._now() - since
                self._idle.append(process)
            if whose not in self._waiting.values() and whose not in (user for user, _since in self._busy.values()):
                del self._used[whose]
            self._go_on()

    def _use_of(self, whose: str) -> float:
        now = self._now()
        return self._used[whose] + sum(now - since for user, since in self._busy.values() if user == whose)

    def _go_on(self) -> None:
        while self._idle and (waiting := [turn for turn in self._waiting if not turn.done()]):
            turn = min(waiting, key=lambda turn: self._use_of(self._waiting[turn]))
            process = self._idle.pop()
            self._busy[process] = self._waiting.pop(turn), self._now()
            turn.set_result(process)

    async def close(self) -> None:
        await asyncio.gather(*(process.close() for process in self._all))


class _Share:
    """A player at a level that thinks with the workers, for whoever is its opponent."""

    def __init__(self, workers: Workers, level: float, whose: Callable[[], str]) -> None:
        self._workers, self._level, self._whose = workers, level, whose

    async def prepare(self, position: Position) -> None:
        """Do nothing: the next move may be another worker's."""

    async def think(self, request: Think) -> PlayerAnswer:
        asked = monotonic()

        async def think(process: PlayerProcess) -> PlayerAnswer:
            seconds = request.seconds
            left = None if seconds is None else max(_LEAST_SECONDS, seconds - (monotonic() - asked))
            # Within the time of its level, so that no move holds a worker for long.
            player = LevelPlayer(self._level, process=process, on_crash=None, hasty=True)
            # What was searched for another game, or a stronger level, is no help.
            player.forget()
            return await player.think(replace(request, seconds=left))

        return await self._workers.use(self._whose(), think)

    async def estimate(self, position: Position) -> Estimated:
        return await self._workers.use(self._whose(), lambda process: process.estimate(position))

    async def close(self) -> None:
        """Do nothing: others think with the workers too."""


@dataclass(frozen=True, slots=True)
class _Seat:
    """The seat of a bot: its level, and the key."""

    level: float
    key: str


class _Sitting:
    """A bot at a table, as long as its opponent is there."""

    def __init__(self, server: str, game: str, seat: _Seat, workers: Workers, whose: Callable[[], str]) -> None:
        self._left: float | None = None
        self._client = OnlineClient(Invitation(server, game), bot_name(seat.level), self._react, key=seat.key)
        share = _Share(workers, seat.level, whose)
        self._bot = Bot(
            self._client,
            share,
            lambda problem: log.warning("game %s: %s", game, problem),
            accepts=_ACCEPTED | {"undo"},
            judge=partial(_dead_stones, share),
        )
        self.task: Final = asyncio.create_task(self._client.run())

    def _react(self, event: ClientEvent) -> None:
        self._bot.react(event)
        state = self._client.state
        if self._bot.stopped and state is not None and state.phase != "over":
            # Its opponent must not wait for a move that never comes.
            self._client.send(Resign())

    def is_left(self, *, alone: bool, now: float) -> bool:
        """Return whether it has been alone for a while, and its opponent does not wait for its move."""
        if not alone or self._client.my_turn:
            self._left = None
        elif self._left is None:
            self._left = now
        return self._left is not None and now - self._left > _PATIENCE

    async def leave(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        await self._bot.close()


async def _dead_stones(share: _Share, game: Game) -> frozenset[int]:
    return (await propose_dead(share.estimate, game)).stones


class House:
    """The bots that wait in a lobby, one for each level and size; each plays any number of games.

    A bot is at a table while its opponent is, so that a table where nobody is can be adjourned. It returns to its seats
    after a restart of the server.

    Args:
        lobby: opens their games.
        workers: think for them.
        now: returns the time by which they wait for an opponent.
    """

    def __init__(self, lobby: Lobby, workers: Workers, now: Callable[[], float] = monotonic) -> None:
        self._seats: dict[str, _Seat] = {}
        lobby.bots, lobby.house = Bots(LEVEL_NUMBERS, SIZES), self._seats
        self._lobby = lobby
        self._workers = workers
        self._now = now
        self._sitting: dict[str, _Sitting] = {}

    def add_to(self, app: web.Application) -> None:
        app.router.add_post(CHALLENGE.path, as_json("challenge", self._answer))

    async def _answer(self, request: web.Request) -> Opened:
        challenge = cleaned(codec.decode(await request.read(), Challenge))
        account = await self._lobby.account_of(request)
        return await self.challenge(challenge, self._lobby.visitor(request), account)

    async def challenge(self, challenge: Challenge, address: str, account: Account | None = None) -> Opened:
        """Begin a game with a bot, for a visitor from an address.

        Raises:
            RefusedError: there is no such bot, or too many games are open.
        """
        if challenge.level not in LEVEL_NUMBERS or challenge.size not in SIZES:
            raise RefusedError("no-game")
        terms = Terms(challenge.size, DAOQI.komi, rules=str(DAOQI), black=challenge.black)
        referee, bot_key, code = await self._lobby.open(terms, bot_name(challenge.level), address)
        name, seat = referee.name, _Seat(challenge.level, bot_key)
        await available(lambda: write_atomically(self._lobby.folder / name / _SEAT, codec.encode(seat)))
        self._seats[name] = seat
        return Opened(name, await self._lobby.claim(name, code, challenge.name, address, account))

    def load(self) -> None:
        """Read the seats of the bots; waits for the disk."""
        for file in self._lobby.folder.glob(f"*/{_SEAT}"):
            try:
                self._seats[file.parent.name] = codec.decode(file.read_bytes()[:_SEAT_BYTES], _Seat)
            except (OSError, codec.JsonError) as error:
                log.warning("%s: %s", file, error)

    async def run(self, server: str) -> None:
        """Play, until cancelled; ``server`` is the address under which this computer reaches the server."""
        try:
            while True:
                await self.look(server)
                await asyncio.sleep(_LOOK)
        finally:
            await asyncio.gather(*(sitting.leave() for sitting in self._sitting.values()))
            await self._workers.close()

    async def look(self, server: str) -> None:
        """Sit down where an opponent is, and leave where none has been for a while."""
        lobby = self._lobby
        for game in tuple(self._seats):
            if game not in lobby.tables.lives:
                del self._seats[game]
            elif game not in self._sitting and self._has_guest(game):
                self._sit(server, game)
        for game, sitting in tuple(self._sitting.items()):
            if sitting.task.done():
                # The server will not have it back.
                self._seats.pop(game, None)
            if sitting.task.done() or sitting.is_left(alone=not self._has_guest(game), now=self._now()):
                del self._sitting[game]
                await sitting.leave()

    def _has_guest(self, game: str) -> bool:
        return game in self._lobby.games and self._lobby.games[game].is_present(GUEST)

    def _sit(self, server: str, game: str) -> None:
        def whose() -> str:
            life = self._lobby.tables.lives.get(game)
            return life.addresses[-1] if life is not None and life.addresses[-1] else game

        self._sitting[game] = sitting = _Sitting(server, game, self._seats[game], self._workers, whose)
        sitting.task.add_done_callback(_report)


def _report(task: asyncio.Task[object]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        crash.report(error)
