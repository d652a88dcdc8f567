"""The bot that plays for a client."""

from __future__ import annotations

from pathlib import Path

from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.online.bot import Bot
from daoqi_tui.play.online.table import Terms
from daoqi_tui.play.players import moves_left
from daoqi_tui.play.seats import Computer
from tests.play.online.table import Player, Time, server
from tests.play.quick import QuickPlayer


async def test_what_a_move_adds_to_the_clock_is_there_to_be_thought(tmp_path: Path) -> None:
    async with server(tmp_path, now=Time()) as table:
        table.lay(Terms(size=5, black="host", time=TimeControl(60, increment=10)))
        quick = QuickPlayer(Computer())
        player = Player(table.url, table.game, key=table.host_key)
        bot = Bot(player.client, quick)
        player.client._hear = bot.hear
        await (await table.wire()).join(code=table.code)
        await player.until(lambda: quick.seconds)
        [seconds] = quick.seconds
        assert seconds is not None
        assert seconds > 60 / moves_left(25, 0) + 5
        await bot.close()
        await player.end()
