"""The bots of a lobby: they play whole games, with few workers, and are never missing where somebody waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from daoqi_tui.ai import Answer, Estimated, Position, Think
from daoqi_tui.ai.process import PlayerCrashed, PlayerProcess
from daoqi_tui.engine import PASS
from daoqi_tui.i18n import bot_name
from daoqi_tui.play.online.bots import House, Workers
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.listing import Challenge
from daoqi_tui.play.online.protocol import Agree, Ask, Declined, MarkDead, Resign
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.table import GUEST
from tests.play.online.table import Player, Server, Time, server
from tests.play.quick import answer, first_legal
from tests.waiting import until


class Brain:
    """What the worker processes of a test do: they play the first legal points, and pass after a pass.

    Attributes:
        asked: the positions that moves were asked for.
        most: how many requests were answered at the same time.
        crashes: how many of the next requests fail.
        free: set while requests are answered.
        closed: the number of processes that were ended.
    """

    def __init__(self) -> None:
        self.asked: list[Position] = []
        self.most = self.busy = self.crashes = self.closed = 0
        self.free = asyncio.Event()
        self.free.set()

    def make(self) -> PlayerProcess:
        return _Process(self)  # type: ignore[return-value]


class _Process:
    def __init__(self, brain: Brain) -> None:
        self._brain = brain

    async def think(self, request: Think, _on_progress: object = None) -> Answer:
        brain = self._brain
        brain.asked.append(request.position)
        brain.busy += 1
        brain.most = max(brain.most, brain.busy)
        try:
            await brain.free.wait()
            if brain.crashes:
                brain.crashes -= 1
                raise PlayerCrashed("the process ended")
        finally:
            brain.busy -= 1
        passed = request.position.passes_in_row
        return answer(PASS if passed else first_legal(request.position.board()))

    async def estimate(self, position: Position, **_: str) -> Estimated:
        board = position.board()
        return Estimated(1, tuple({0: 0.0, 1: 0.9, 2: -0.9}[colour] for colour in board.colours), 0.0, 5.0, 0.5)

    def forget(self) -> None: ...

    async def close(self) -> None:
        self._brain.closed += 1


@asynccontextmanager
async def house(table: Server, brain: Brain, *, workers: int = 1, now: Time | None = None) -> AsyncIterator[House]:
    """Bots in the lobby of a running server."""
    bots = House(table.lobby, Workers(workers, brain.make), now or Time())
    await asyncio.to_thread(bots.load)
    playing = asyncio.create_task(bots.run(table.url))
    try:
        yield bots
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    assert brain.closed == workers


async def challenge(
    table: Server, bots: House, level: float = 3.5, black: str = "guest", address: str = "1.2.3.4"
) -> Player:
    begun = await bots.challenge(Challenge(level, 9, "Ke", black), address)  # type: ignore[arg-type]
    return Player(table.url, begun.game, key=begun.key)


async def test_a_bot_answers_whatever_it_is_asked_until_its_opponent_has_had_enough(tmp_path: Path) -> None:
    brain = Brain()
    async with server(tmp_path) as table, house(table, brain) as bots:
        person = await challenge(table, bots)
        client = person.client
        await person.my_turn()
        state = client.state
        assert state is not None
        assert (state.black, state.white) == ("Ke", "Bot level 3.5")
        [listed] = table.lobby.listing().games
        assert (listed.white, listed.size, listed.watch, listed.code) == ("Bot level 3.5", 9, True, "")
        client.play(40)
        await person.moves(2)
        # One reply to each turn.
        assert len(brain.asked) == 1
        client.send(Ask("undo"))
        await person.moves(0)
        client.play(41)
        await person.moves(2)
        assert [len(position.actions) for position in brain.asked] == [1, 1]
        for request in ("pause", "continue", "adjourn", "continue"):
            client.send(Ask(request))  # type: ignore[arg-type]
            phase = {"pause": "paused", "continue": "playing", "adjourn": "adjourned"}[request]
            await person.until(lambda phase=phase: client.state is not None and client.state.phase == phase)
        client.play(PASS)
        await person.until(lambda: client.state is not None and client.state.agreed == ("white",))
        client.send(Agree(client.state.dead))  # type: ignore[union-attr]
        await person.until(lambda: client.state is not None and client.state.phase == "over")
        client.send(Ask("rematch"))
        await person.until(lambda: client.state is not None and client.state.round == 2)
        # White now: the bot begins.
        await person.until(lambda: client.state is not None and len(client.state.moves) == 1)
        client.send(Resign())
        await person.until(lambda: client.state is not None and client.state.phase == "over")
        assert not [event for event in person.heard if isinstance(event, Declined)]
        await person.end()


async def test_marks_that_cost_a_bot_nothing_are_agreed_to_and_others_played_out(tmp_path: Path) -> None:
    brain = Brain()
    async with server(tmp_path) as table, house(table, brain) as bots:
        person = await challenge(table, bots)
        client = person.client
        await person.my_turn()
        client.play(40)
        await person.moves(2)
        await person.my_turn()
        client.play(PASS)
        await person.until(lambda: client.state is not None and client.state.agreed == ("white",))
        # The person gives away a stone, then claims one of the bot's.
        name = client.game.torus.name(40, "gtp")
        client.send(MarkDead(name))
        await person.until(
            lambda: client.state is not None and client.state.dead == (name,) and client.state.agreed == ("white",)
        )
        client.send(MarkDead(client.state.moves[1]))  # type: ignore[union-attr]
        await person.until(lambda: client.state is not None and client.state.phase == "playing")
        await person.end()


async def test_all_bots_together_use_no_more_workers_than_there_are(tmp_path: Path) -> None:
    brain = Brain()
    brain.free.clear()
    async with server(tmp_path, Limits(opened=50)) as table, house(table, brain, workers=2) as bots:
        people = [await challenge(table, bots, level, "host") for level in (1, 2, 3.5, 5, 10)]
        await until(lambda: brain.busy == 2)
        brain.free.set()
        for person in people:
            await person.moves(1)
        assert brain.most == 2
        assert len(brain.asked) == len(people)
        for person in people:
            await person.end()


async def test_a_move_of_one_who_had_little_time_comes_before_many_of_one_who_had_much() -> None:
    clock, brain = Time(), Brain()
    workers = Workers(1, brain.make, clock)
    order: list[str] = []
    step = asyncio.Condition()

    async def move(whose: str, seconds: float) -> None:
        async def work(_process: PlayerProcess) -> None:
            async with step:
                await step.wait()
            clock.now += seconds
            order.append(whose)

        await workers.use(whose, work)

    tasks = [asyncio.create_task(move("many", 5)) for _ in range(6)]
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(move("one", 1)), asyncio.create_task(move("other", 1))]
    while not all(task.done() for task in tasks):
        async with step:
            step.notify_all()
        await asyncio.sleep(0)
    assert order == ["many", "one", "other", "many", "many", "many", "many", "many"]
    assert not workers._used
    assert not workers._waiting


async def test_games_go_on_after_a_restart_and_a_bot_is_there_while_its_opponent_is(tmp_path: Path) -> None:
    brain, clock = Brain(), Time()
    async with server(tmp_path) as table, house(table, brain, now=clock) as bots:
        first = await challenge(table, bots, address="127.0.0.1")
        game, key = first.client.invitation.game, first.client.key
        await first.my_turn()
        first.client.play(40)
        await first.moves(2)
        referee = table.lobby.games[game]
        # A bot counts for no address: its connection is from this computer.
        assert table.lobby.tables.lives[game].addresses == ("", "127.0.0.1")
        await first.end()
        await until(lambda: not referee.is_present(GUEST))
        # It waits a minute, then leaves the table to be adjourned.
        await until(lambda: bots._sitting[game]._left is not None)
        await until(lambda: setattr(clock, "now", clock.now + 61) or not referee.sight.players)  # type: ignore[func-returns-value]
        back = Player(table.url, game, key=key)
        await back.my_turn()
        back.client.play(70)
        await back.moves(4)
        # In the middle of a move.
        brain.free.clear()
        await back.my_turn()
        back.client.play(60)
        await back.moves(5)
        await back.end()
    second = Brain()
    async with server(tmp_path) as table, house(table, second, now=clock):
        again = Player(table.url, game, key=key)
        await again.moves(6)
        assert len(second.asked) == 1
        await again.end()


@pytest.mark.parametrize("crashes", [1, 2])
async def test_a_bot_whose_player_fails_twice_resigns(tmp_path: Path, crashes: int) -> None:
    brain = Brain()
    async with server(tmp_path) as table, house(table, brain) as bots:
        brain.crashes = crashes
        person = await challenge(table, bots, black="host")
        await person.until(lambda: person.client.state and (person.client.state.moves or person.client.state.result))
        state = person.client.state
        assert state is not None
        assert (len(state.moves), state.result) == ((1, "") if crashes == 1 else (0, "W+R"))
        await person.end()


async def test_only_bots_that_there_are_can_be_challenged_and_quotas_count(tmp_path: Path) -> None:
    brain = Brain()
    async with server(tmp_path, Limits(opened=2)) as table, house(table, brain) as bots:
        right = Challenge(1, 9, "Ke")
        for wrong in (replace(right, level=1.2), replace(right, size=11)):
            with pytest.raises(RefusedError, match="no-game"):
                await bots.challenge(wrong, "1.2.3.4")
        for _ in range(2):
            await bots.challenge(right, "1.2.3.4")
        with pytest.raises(RefusedError, match="quota"):
            await bots.challenge(right, "1.2.3.4")
        assert bot_name(right.level) == "Bot level 1"
