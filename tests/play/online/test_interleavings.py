"""Both players, spectators, the clock and the disk at the same time, in every order: all see one game, the server's.

The clients are the program's own, without sockets: a test hands over each message when chance says so.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from daoqi_tui.engine import BLACK, PASS, WHITE
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.online.client import OnlineClient
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.protocol import (
    FROM_CLIENT,
    FROM_SERVER,
    VERSION,
    Agree,
    Answer,
    Ask,
    Claim,
    Join,
    Listen,
    MarkDead,
    Play,
    PlayOn,
    ProposeDead,
    Refused,
    Resign,
    Say,
    ServerMessage,
    Share,
    State,
    decode,
    encode,
    type_of,
)
from daoqi_tui.play.online.referee import Referee, RefusedError
from daoqi_tui.play.online.table import HOST, StoredTable, Terms
from daoqi_tui.play.session import Session
from tests.thorough import rounds

CONTROLS = [None, TimeControl(120), TimeControl(60, increment=5), TimeControl(30, 3, 20)]


class Line:
    """A connection of a client: what is under way in both directions."""

    def __init__(self) -> None:
        self.lag = 0.0
        self.coming: deque[str] = deque()
        self.closed = False
        self.busy: asyncio.Task[None] | None = None

    def send(self, message: ServerMessage) -> None:
        if not self.closed:
            self.coming.append(encode(message))

    def drop(self, refusal: Refused) -> None:
        self.send(refusal)
        self.closed = True


class Person:
    """A client, and its present line to the server."""

    def __init__(self, name: str, *, key: str = "", code: str = "") -> None:
        self.client = OnlineClient(Invitation("ws://127.0.0.1", "aaaaaaaa", code), name, lambda _event: None, key=key)
        self.line = Line()
        self.caught_up = False
        self.agreed: set[tuple[str, ...]] = set()
        """The dead stones of the counts to which this player has agreed."""

    async def join(self, referee: Referee) -> None:
        """Lose the line, and get another."""
        client, before, self.line, self.caught_up = self.client, self.line, Line(), False
        client.connected = False
        while not client._outbox.empty():
            client._outbox.get_nowait()
        before.closed = True
        entering = referee.enter(self.line, Join(VERSION, client.name, client._code, client.key))
        await asyncio.gather(entering, referee.leave(before))

    def hear(self) -> None:
        """Take the next message as a client does; a sequence that no server may send is an error."""
        message = decode(self.line.coming.popleft(), FROM_SERVER)
        if isinstance(message, State):
            assert not (self.caught_up and self.client._is_overtaken(message)), "an old state came"
            self.caught_up = True
        self.client._take(message)

    def speak(self, referee: Referee) -> None:
        """Have the server handle the next message, unless it is busy with the one before."""
        client, line = self.client, self.line
        if client._outbox.empty() or line.closed or (line.busy is not None and not line.busy.done()):
            return
        message = decode(encode(client._outbox.get_nowait()), FROM_CLIENT)
        if isinstance(message, Agree):
            self.agreed.add(message.dead)

        async def handle() -> None:
            try:
                await referee.handle(line, message)
            except RefusedError as error:
                line.send(error.message(type_of(message)))

        line.busy = asyncio.create_task(handle())


class World:
    """A table with two players and some spectators, to whom everything happens by chance."""

    def __init__(self, folder: Path, chance: Random, time: TimeControl | None) -> None:
        self.folder, self.chance, self.now = folder, chance, 1000.0
        self.control, self.begun = time, self.now
        self.terms = Terms(size=5, black="nigiri", time=time, delay=0 if time else 3)
        stored, key, code = StoredTable.lay(folder / "a", self.terms, "Lu", folder / "library", self.time)
        self.referee = self.serve(stored)
        self.players = [Person("Lu", key=key), Person("Ke", code=code)]
        self.spectators: list[Person] = []

    def time(self) -> float:
        return self.now

    def serve(self, stored: StoredTable) -> Referee:
        return Referee("a", stored, Limits(away=30.0, warning=30.0), None, now=self.time, date=self.time)

    @property
    def everybody(self) -> list[Person]:
        return [*self.players, *self.spectators]

    def act(self, person: Person) -> None:
        """Have a player do something, mostly what makes sense in the position that the player knows."""
        client, chance = person.client, self.chance
        state, game = client.state, client.game
        if state is None:
            return
        asked: list[Callable[[], object]] = [
            lambda: client.send(Ask(chance.choice(("undo", "undo", "pause", "adjourn", "continue", "rematch")))),
            lambda: client.send(Share(chance.random() < 0.5)),
            lambda: client.send(Listen(chance.random() < 0.5)),
            lambda: client.send(Say("hello")),
            lambda: client.send(Claim()),
            lambda: client.send(Play(chance.randrange(1, len(state.moves) + 3), chance.choice(("A1", "C3", "pass")))),
        ]
        if state.request is not None:
            what = state.request.what
            asked += [lambda: client.send(Answer(what, chance.random() < 0.7))] * 6
        if client.my_turn:
            legal = [PASS, *(point for point in range(25) if game.refusal(point) is None)]
            asked += [lambda: client.play(chance.choice(legal))] * 25
            asked += [lambda: client.play(PASS)] * (25 if state.moves[-1:] == ("pass",) else 3)
        if state.phase == "counting":
            stones = [point for point, colour in enumerate(game.board.colours) if colour]
            names = [game.torus.name(point, "gtp") for point in stones]
            asked += [lambda: client.send(Agree(state.dead))] * 8
            asked += [lambda: client.send(PlayOn())] * 4
            if names:
                asked += [lambda: client.send(MarkDead(chance.choice(names)))] * 4
                asked += [lambda: client.send(ProposeDead((chance.choice(names),)))] * 2
        if state.phase in ("paused", "adjourned"):
            asked += [lambda: client.send(Ask("continue"))] * 8
        if state.phase == "over":
            asked += [lambda: client.send(Ask("rematch"))] * 8
        if chance.random() < 0.005:
            asked = [lambda: client.send(Resign())]
        chance.choice(asked)()

    async def step(self) -> None:
        chance = self.chance
        person = chance.choice(self.players if chance.random() < 0.8 else self.everybody)
        what = chance.random()
        if what < 0.35:
            self.act(chance.choice(self.players))
        elif what < 0.6:
            person.speak(self.referee)
        elif what < 0.8:
            for _message in range(min(chance.randrange(1, 5), len(person.line.coming))):
                person.hear()
        elif what < 0.86:
            self.now += chance.choice((0.1, 1.0, 9.0, 31.0 if self.control is None else 2.0))
        elif what < 0.9:
            await self.referee.tick()
        elif what < 0.93:
            await person.join(self.referee)
        elif what < 0.95:
            if len(self.spectators) < 4:
                self.spectators.append(Person("Mo"))
                await self.spectators[-1].join(self.referee)
        elif what < 0.96:
            if self.spectators:
                await self.referee.leave(self.spectators.pop(chance.randrange(len(self.spectators))).line)
        else:
            await asyncio.sleep(chance.choice((0, 0, 0.001)))

    async def settle(self) -> None:
        """Hand over everything that is under way."""
        for person in self.everybody:
            if person.line.closed or person.client.ended is not None:
                person.client.ended = None
                await person.join(self.referee)
        while True:
            for person in self.everybody:
                person.speak(self.referee)
            if working := [person.line.busy for person in self.everybody if person.line.busy is not None]:
                await asyncio.gather(*working)
            if not any(person.line.coming or not person.client._outbox.empty() for person in self.everybody):
                break
            for person in self.everybody:
                while person.line.coming:
                    person.hear()
        for _look in range(2):
            await self.referee.tick()
            for person in self.everybody:
                while person.line.coming:
                    person.hear()
            self.now += self.terms.delay

    async def restart(self) -> None:
        await self.settle()
        await self.referee.close()
        self.referee = self.serve(StoredTable.load(self.folder / "a", self.folder / "library", self.time))
        for person in self.everybody:
            await person.join(self.referee)

    def check(self) -> None:
        """Check that all have the same game as the server, and that the clocks are right."""
        referee, game = self.referee, self.referee._match.game
        truth = referee.state()
        for person in self.everybody:
            client = person.client
            assert client.connected
            assert client.pending is None
            state = client.state
            assert state is not None
            for field in ("round", "phase", "moves", "dead", "agreed", "result", "request", "sharing", "listening"):
                assert getattr(state, field) == getattr(truth, field), (field, state, truth)
            assert set(state.present) == {"black", "white"}
            assert client.game.board.colours == game.board.colours
            assert client.game.board.captured == game.board.captured
            assert client.game.to_move == game.to_move
            refusals = [[each.refusal(point) for point in range(25)] for each in (client.game, game)]
            assert refusals[0] == refusals[1], "another ko"
            assert str(client.game.result) == str(game.result)
        if referee.table.counted:
            assert all(truth.dead in person.agreed for person in self.players)
        roles = [person.client.role for person in self.players]
        assert sorted(roles) == ["black", "white"]
        assert [person.client.role for person in self.spectators] == ["spectator"] * len(self.spectators)
        assert roles[HOST] == ("black" if referee.table.blacks[-1] == HOST else "white")
        if self.control is None or truth.clock is None:
            return
        waits = referee._restarted is not None
        mover = {BLACK: "black", WHITE: "white"}[game.to_move]
        assert truth.clock.running == (mover if truth.phase == "playing" and not waits else "")
        for colour, left in ((BLACK, truth.clock.black), (WHITE, truth.clock.white)):
            moves = sum(move.colour == colour for move in game.moves())
            most = max(self.control.main, self.control.period) + moves * self.control.increment
            assert 0 <= left.seconds <= most
            assert 0 <= left.periods <= self.control.periods
            assert truth.result.endswith("+T") or left.seconds > 0 or truth.phase == "over"

    def record(self) -> bytes:
        game = self.referee._match.game
        return Session(game=game).record()


@pytest.mark.parametrize("seed", range(6))
async def test_all_see_one_game_whatever_happens_at_the_same_time(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)
    for game in range(rounds(1, 60)):
        world = World(tmp_path / str(game), chance, CONTROLS[(seed + game) % len(CONTROLS)])
        for person in world.players:
            await person.join(world.referee)
        rounds_seen, longest = 0, 0
        for step in range(1200):
            await world.step()
            if chance.random() < 0.02 or step == 1199:
                await world.settle()
                world.check()
                longest = max(longest, len(world.referee.state().moves))
                rounds_seen = world.referee.state().round
            if chance.random() < 0.004:
                await world.restart()
                await world.settle()
                world.check()
        assert longest > 3 or rounds_seen > 1
        record = world.record()
        await world.referee.close()
        again = StoredTable.load(tmp_path / str(game) / "a", tmp_path / "library", world.time)
        assert Session(game=again.match.game).record() == record
        await again.close()


async def test_what_waits_for_a_table_while_it_is_closed_changes_nothing(tmp_path: Path) -> None:
    """Another server may have it by then."""
    world = World(tmp_path, Random(1), TimeControl(120))
    for person in world.players:
        await person.join(world.referee)
    referee, lines = world.referee, [person.line for person in world.players]
    before = (tmp_path / "a" / "game.json").read_bytes()
    async with referee._lock:
        closing = asyncio.create_task(referee.close())
        await asyncio.sleep(0)
        late = [
            asyncio.create_task(work)
            for work in (
                referee.handle(lines[0], Ask("pause")),
                referee.handle(lines[1], Say("hello")),
                referee.enter(lines[0], Join(VERSION, "Lu", "", world.players[0].client.key)),
                referee.leave(lines[1]),
            )
        ]
        await asyncio.sleep(0)
    await closing
    ends = await asyncio.gather(*late, return_exceptions=True)
    world.now += 1000
    await referee.tick()
    await referee.count()
    assert [getattr(end, "code", end) for end in ends] == ["in-use", "in-use", None, None]
    assert (tmp_path / "a" / "game.json").read_bytes() == before
    assert not (tmp_path / "a" / "chat.jsonl").exists()
    again = StoredTable.load(tmp_path / "a", tmp_path / "library", world.time)
    assert not again.match.game.is_over
    await again.close()
