"""The bot that plays for a client."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from daoqi_tui.ai.process import PlayerCrashed
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.online.bots import Bot
from daoqi_tui.play.online.client import ClientEvent
from daoqi_tui.play.online.protocol import Agree, Answer, ClientMessage, OpenRequest, Play, PlayOn, State
from daoqi_tui.play.online.table import Terms
from daoqi_tui.play.players import moves_left
from daoqi_tui.play.session import Computer
from tests.play.online.scripted import WELCOME, hearing
from tests.play.online.table import Player, Time, server
from tests.play.quick import QuickPlayer


async def test_what_a_move_adds_to_the_clock_is_there_to_be_thought(tmp_path: Path) -> None:
    async with server(tmp_path, now=Time()) as table:
        table.lay(Terms(size=5, black="host", time=TimeControl(60, increment=10)))
        quick = QuickPlayer(Computer())
        player = Player(table.url, table.game, key=table.host_key)
        bot = Bot(player.client, quick)
        player.client._on_event = bot.react
        await (await table.wire()).join(code=table.code)
        await player.until(lambda: quick.seconds)
        [seconds] = quick.seconds
        assert seconds is not None
        assert seconds > 60 / moves_left(25, 0) + 5
        await bot.close()
        await player.end()


COUNTING = State(1, 5, 4.0, 0, "Daoqi", "Lu", "Ke", "counting", ("pass", "pass"))
ASKED = replace(COUNTING, phase="playing", moves=("A1",), request=OpenRequest("undo", "black"))


@pytest.mark.parametrize(
    ("first", "then", "answer"),
    [
        (COUNTING, replace(COUNTING, agreed=("black",)), Agree()),
        (COUNTING, replace(COUNTING, spectators=1), Agree()),
        (ASKED, replace(ASKED, sharing=("black",)), Answer("undo", accept=False)),
    ],
)
async def test_a_question_is_answered_once_and_again_on_another_connection(
    first: State, then: State, answer: ClientMessage
) -> None:
    sent: list[ClientMessage] = []
    # The server closes each connection when something is sent to it.
    async with hearing(WELCOME, first, then) as player:
        client = player.client
        bot = Bot(client, QuickPlayer(Computer()))
        send = client.send

        def note(message: ClientMessage) -> None:
            if not isinstance(message, Play):
                sent.append(message)
            send(message)

        def hear(event: ClientEvent) -> None:
            if player.heard.count(then) < 2:
                player.heard.append(event)
                bot.react(event)

        client.send = note  # type: ignore[method-assign]
        client._on_event = hear
        await player.until(lambda: player.heard.count(then) == 2)
        await bot.close()
    assert sent == [answer, answer]


async def test_marks_that_change_are_answered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[ClientMessage] = []
    moves = ("A1", "B1", "pass", "pass")
    unmarked, marked = replace(COUNTING, moves=moves), replace(COUNTING, moves=moves, dead=("A1",))
    async with hearing(WELCOME, unmarked, marked) as player:
        bot = Bot(player.client, QuickPlayer(Computer()))
        monkeypatch.setattr(player.client, "send", sent.append)
        player.client._on_event = bot.react
        await player.until(lambda: player.client.state == marked)
        await bot.close()
    assert sent == [Agree(), PlayOn()]


@pytest.mark.parametrize("crashes", [1, 2])
async def test_a_player_that_crashes_is_asked_once_more(crashes: int) -> None:
    told: list[object] = []
    crash = PlayerCrashed("the process ended")
    async with hearing(WELCOME, replace(COUNTING, phase="playing", moves=("A1",))) as player:
        quick = QuickPlayer(Computer())
        quick.script = [crash] * crashes
        bot = Bot(player.client, quick, told.append)
        player.client._on_event = bot.react
        await player.until(lambda: player.client.pending is not None or len(told) == 2)
        await bot.close()
    assert len(quick.asked) == 2
    assert told == [crash] * crashes
