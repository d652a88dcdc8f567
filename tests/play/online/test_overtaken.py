"""A client that hears messages in another order connects again; it does not wait for what happened already."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from daoqi_tui.play.online.protocol import OpenRequest, State
from tests.play.online.scripted import WELCOME, hearing, reconnects
from tests.play.online.table import server


async def after_two_moves(folder: Path) -> State:
    """Where a game stands after two moves."""
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


async def test_a_state_before_the_welcome_has_the_client_connect_again(tmp_path: Path) -> None:
    async with hearing(await after_two_moves(tmp_path), WELCOME) as player:
        await player.until(lambda: reconnects(player))
        assert player.client.state is None
