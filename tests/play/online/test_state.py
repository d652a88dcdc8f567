"""A client accepts every state that a server can send and reconnects if a state is impossible."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui.engine import BLACK, WHITE, Ending, OutOfTime, Resignation
from daoqi_tui.play.online.client import Lost, OnlineClient
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.protocol import (
    REASONS,
    Moved,
    Play,
    PlayOn,
    RefusalCode,
    Refused,
    Resign,
    State,
)
from tests.play.online.scripted import WELCOME, hearing, reconnects
from tests.play.online.table import Player, server


async def after_two_passes(folder: Path) -> State:
    """Return the state of a game after a move and two passes."""
    async with server(folder) as table:
        referee = table.lay()
        await table.two()
        return replace(referee.state(), moves=("C3", "pass", "pass"), phase="counting")


@pytest.mark.parametrize(
    ("result", "ending"),
    [("W+R", Resignation(BLACK)), ("B+R", Resignation(WHITE)), ("W+T", OutOfTime(BLACK)), ("B+T", OutOfTime(WHITE))],
)
async def test_a_side_loses_after_two_passes(result: str, ending: Ending, tmp_path: Path) -> None:
    counting = await after_two_passes(tmp_path)
    over = replace(counting, phase="over", result=result)
    for told in ((counting, over), (over,)):
        async with hearing(WELCOME, *told) as player:
            await player.until(lambda: player.client.state == over)
            assert player.client.game.ending == ending
            assert not reconnects(player)


@pytest.mark.parametrize("plays_on", [False, True])
async def test_who_resigns_during_the_count_or_after_it_loses_for_both(plays_on: bool, tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        host = Player(table.url, table.game, key=table.host_key)
        guest = Player(table.url, table.game, code=table.code)
        for number, mover in ((1, host), (2, guest)):
            await mover.my_turn()
            mover.client.send(Play(number, "pass"))
        await guest.until(lambda: guest.client.state.phase == "counting")
        if plays_on:
            guest.client.send(PlayOn())
            await host.until(lambda: host.client.state.phase == "playing")
        host.client.send(Resign())
        for player in (host, guest):
            await player.until(lambda player=player: player.client.state.phase == "over" or player.task.done())
            assert not player.task.done()
            assert player.client.game.ending == Resignation(BLACK)
            await player.end()


@pytest.mark.parametrize("change", [{"size": 6}, {"handicap": 2}, {"rules": "Tromp-Taylor"}], ids=str)
async def test_a_pending_move_is_not_kept_for_another_board(change: dict[str, Any], tmp_path: Path) -> None:
    now = replace(await after_two_passes(tmp_path), moves=(), phase="playing")
    client = OnlineClient(Invitation("ws://127.0.0.1", "aaaaaaaa"), "Ke", lambda _event: None)
    client._take_state(now)
    client.pending = Play(1, "E5")
    client._take_state(replace(now, spectators=1))
    assert client.pending == Play(1, "E5")
    client._take_state(replace(now, **change))
    assert client.pending is None


@pytest.mark.parametrize(
    "changes",
    [
        {"rules": "banana"},
        {"dead": ("Z9",)},
        {"dead": ("D4",)},
        {"dead": ("C3",), "moves": ("C3",)},
        {"size": 2, "handicap": 9, "moves": ()},
        {"moves": ("C3", "C3")},
    ],
    ids=str,
)
async def test_an_impossible_state_has_the_client_connect_again(changes: dict[str, Any], tmp_path: Path) -> None:
    now = await after_two_passes(tmp_path)
    async with hearing(WELCOME, replace(now, **changes)) as player:
        await player.until(lambda: reconnects(player) or player.task.done())
        assert not player.task.done()
        assert player.client.state is None


@pytest.mark.parametrize("code", ["full", "too-slow", "too-fast", "bad-message"])
async def test_why_the_server_closes_the_connection_is_the_reason_that_it_is_lost(code: RefusalCode) -> None:
    async with hearing(WELCOME, Refused("", code, "why", fatal=True)) as player:
        await player.until(lambda: reconnects(player))
        lost = next(event for event in player.heard if isinstance(event, Lost))
        assert lost.reason == ("why" if code == "bad-message" else REASONS[code])


async def test_an_impossible_move_has_the_client_connect_again(tmp_path: Path) -> None:
    now = replace(await after_two_passes(tmp_path), moves=("C3",), phase="playing")
    async with hearing(WELCOME, now, Moved(2, "white", "C3")) as player:
        await player.until(lambda: reconnects(player) or player.task.done())
        assert not player.task.done()
