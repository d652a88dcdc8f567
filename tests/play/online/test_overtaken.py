"""A client that receives messages out of order reconnects instead of waiting for the missing ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from daoqi_tui.play.online.protocol import Answer, Ask, Moved, OpenRequest, Play, Resign, State
from tests.play.online.scripted import WELCOME, hearing, reconnects
from tests.play.online.table import SMALL, Player, Time, server
from tests.waiting import until


async def after_two_moves(folder: Path) -> State:
    """Return the state of a game after two moves."""
    async with server(folder) as table:
        referee = table.lay()
        await table.two()
        return replace(referee.state(), moves=("C3", "B2"))


async def test_a_state_that_a_later_one_overtook_is_not_believed(tmp_path: Path) -> None:
    now = await after_two_moves(tmp_path)
    for old in (replace(now, moves=("C3",)), replace(now, phase="waiting")):
        async with hearing(WELCOME, now, old) as player:
            await player.until(lambda: reconnects(player))
            assert player.client.state == now


async def test_an_undo_takes_moves_away(tmp_path: Path) -> None:
    now = await after_two_moves(tmp_path)
    asked = replace(now, request=OpenRequest("undo", "white"))
    undone = replace(now, moves=("C3",))
    async with hearing(WELCOME, now, asked, undone) as player:
        await player.until(lambda: player.client.state == undone)
        assert not reconnects(player)


async def test_a_late_spectator_hears_the_end_in_place_of_an_undo_before_it(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(replace(SMALL, delay=60))
        host, guest, _key = await table.two()
        watcher = Player(table.url, table.game)
        for mover, number, move in ((host, 1, "C3"), (guest, 2, "B2"), (host, 3, "D4")):
            await mover.say(Play(number, move))
            # Announced, and so queued for spectators, before the time goes on.
            while (await mover.hear(Moved)).number != number:
                pass
        time.now += 61
        await watcher.moves(3)
        await host.say(Ask("undo"))
        await until(lambda: referee.state().request)
        await guest.say(Answer("undo", accept=True))
        await guest.say(Resign())
        await watcher.until(lambda: watcher.client.state.phase == "over")  # type: ignore[union-attr]
        assert not reconnects(watcher)
        await watcher.end()


async def test_a_state_before_the_welcome_has_the_client_connect_again(tmp_path: Path) -> None:
    async with hearing(await after_two_moves(tmp_path), WELCOME) as player:
        await player.until(lambda: reconnects(player))
        assert player.client.state is None
