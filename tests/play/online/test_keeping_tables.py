"""Tables of a running server: adjourned, resumed by the keys of their players, and archived as records."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import pytest

from daoqi_tui.play.online.client import Lost
from daoqi_tui.play.online.limits import DAY, Limits
from daoqi_tui.play.online.protocol import Moved, Play, Refused, State, Welcome
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.online.table import Terms
from tests.play.online.table import SMALL, Player, Server, Time, server
from tests.waiting import until

LIMITS = Limits()


async def played(table: Server, terms: Terms = SMALL) -> str:
    """Play a move, and have both leave; return the guest's key."""
    table.lay(terms)
    host, guest, key = await table.two()
    await host.say(Play(1, "C3"))
    await guest.hear(Moved)
    for wire in (host, guest):
        await wire.socket.close()
    await until(lambda: not table.lobby.games[table.game].listeners)
    return key


async def until_adjourned(table: Server, time: Time) -> None:
    time.now += LIMITS.absent + 1
    await until(lambda: not table.lobby.games and not table.lobby._moving)


async def test_an_abandoned_game_leaves_the_list_and_the_keys_of_its_players_resume_it(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        key = await played(table)
        watcher = Player(table.url, table.game)
        await watcher.moves(1)
        assert [game.game for game in table.lobby.listing().games] == [table.game]
        await until_adjourned(table, time)
        assert table.lobby.listing().games == ()
        # A spectator waits for the players, and is told why.
        await watcher.until(lambda: any(isinstance(e, Lost) and "adjourned" in str(e.reason) for e in watcher.heard))
        assert (await (await table.wire()).join()).code == "adjourned"
        for code, wrong in (("a" * 20, ""), ("", "k" * 20)):
            assert (await (await table.wire()).join(code, wrong)).code == ("code" if code else "key")
        assert not table.lobby.games
        guest = await table.wire()
        assert (await guest.join(key=key)).role == "white"
        assert (await guest.hear(State)).moves == ("C3",)
        assert [game.game for game in table.lobby.listing().games] == [table.game]
        await guest.say(Play(2, "D3"))
        assert (await guest.hear(Moved)).number == 2
        await watcher.moves(2)
        await watcher.end()


async def test_a_table_that_waits_for_its_guest_is_resumed_by_the_code(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        table.lay()
        await until_adjourned(table, time)
        guest = await table.wire()
        assert isinstance(await guest.join(table.code), Welcome)
        assert table.lobby.games[table.game].phase == "playing"


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_game_that_nobody_resumes_becomes_a_record_and_its_keys_are_no_longer_good(
    restarts: bool, tmp_path: Path
) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        key, game = await played(table), table.game
        folder = tmp_path / "online" / game
        await until_adjourned(table, time)
        assert folder.exists()
        if not restarts:
            time.now += LIMITS.archived
            await until(lambda: not folder.exists())
            assert (await (await table.wire()).join(key=key)).code == "no-game"
    if restarts:
        for path in (folder, *folder.glob("*/*.journal")):
            os.utime(path, (0, 0))
        async with server(tmp_path, now=time) as table:
            assert not table.lobby.games
            assert (await (await table.wire(game)).join(key=key)).code == "no-game"
    assert not folder.exists()
    [record] = (tmp_path / "library").glob("*.sgf")
    text = record.read_bytes()
    assert b"PB[Lu]" in text
    assert b"RE[Void]" in text
    assert text.count(b";B[") == 1


async def test_a_table_without_a_move_leaves_nothing(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        table.lay()
        host, guest, _key = await table.two()
        for wire in (host, guest):
            await wire.socket.close()
        await until(lambda: not table.lobby.games[table.game].listeners)
        await until_adjourned(table, time)
        time.now += LIMITS.forgotten
        await until(lambda: not (tmp_path / "online" / table.game).exists())
    assert not list((tmp_path / "library").glob("*.sgf"))


async def test_a_game_that_was_away_for_long_is_not_loaded_at_a_start_unless_there_is_room(tmp_path: Path) -> None:
    async with server(tmp_path, now=Time()) as table:
        keys = [(await played(table), table.game) for _ in range(4)]
    for age, (_key, game) in enumerate(keys):
        folder = tmp_path / "online" / game
        for path in (folder, *folder.glob("*/*.journal")):
            times = path.stat().st_mtime - age * DAY
            os.utime(path, (times, times))
    async with server(tmp_path, Limits(games=2), Time()) as table:
        assert set(table.lobby.games) == {game for _key, game in keys[:2]}
        for key, game in reversed(keys):
            wire = await table.wire(game)
            assert isinstance(await wire.join(key=key), Welcome)
            assert (await wire.hear(State)).moves == ("C3",)
        # Who has a seat is admitted although the server is full.
        await until(lambda: len(table.lobby.games) == 4)
        with pytest.raises(RefusedError, match="full"):
            table.lobby.host(SMALL, "Lu", "1.2.3.4")


async def test_one_address_that_fills_the_server_keeps_no_honest_host_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each of the hours ends with a look at the tables.
    monkeypatch.setattr("daoqi_tui.play.online.server._TICK", 0.02)
    time = Time()
    limits = Limits(games=12, tables_per_address=6, opened=3, kept=10)
    async with server(tmp_path, limits, time) as table:
        lobby = table.lobby
        opened = 0
        for hour in range(12):
            time.now += 3600
            for number in range(20):
                with suppress(RefusedError):
                    lobby.host(SMALL, "Evil", f"10.6.6.{number % 4}")
                    opened += 1
            # Refused are those who ask for much, and nobody else.
            lobby.host(SMALL, "Another", f"10.0.1.{hour}")
            await until(lambda: not lobby._moving and not list(lobby.tables.due(lobby.date())))
            assert len(lobby.games) <= limits.games
            assert len(lobby.tables.lives) <= limits.games + limits.kept
        assert opened == 12 * 4 * limits.opened
        assert len(list((tmp_path / "online").iterdir())) == len(lobby.tables.lives)


async def test_an_address_sits_at_a_number_of_tables_and_who_has_a_seat_is_not_counted(tmp_path: Path) -> None:
    async with server(tmp_path, Limits(tables_per_address=2)) as table:
        codes = []
        for _ in range(3):
            table.lay()
            codes.append((table.game, table.code, table.host_key))
        keys = [(await (await table.wire(game)).join(code)).key for game, code, _host in codes[:2]]
        game, code, host = codes[2]
        refused = await (await table.wire(game)).join(code)
        assert (refused.code, refused.fatal) == ("quota", True)
        assert isinstance(await (await table.wire(game)).join(key=host), Welcome)
        assert isinstance(await (await table.wire(codes[0][0])).join(key=keys[0]), Welcome)
        with pytest.raises(RefusedError, match="quota"):
            table.lobby.host(SMALL, "Lu", "127.0.0.1")


async def test_a_key_sits_at_a_number_of_tables(tmp_path: Path) -> None:
    async with server(tmp_path, Limits(tables_per_key=2)) as table:
        answers = []
        for _ in range(3):
            table.lay()
            answers.append(await (await table.wire()).join(table.code, "k" * 20))
            await until(lambda: True)
            table.lobby._look()
        assert [type(answer) for answer in answers] == [Welcome, Welcome, Refused]


async def test_a_server_that_ends_waits_for_tables_that_are_adjourned(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        key = await played(table)
        table.lobby._leave(table.game, "adjourn")
    async with server(tmp_path) as again:
        again.game = table.game
        assert isinstance(await (await again.wire()).join(key=key), Welcome)


async def test_a_library_that_cannot_be_written_keeps_the_table(tmp_path: Path) -> None:
    time = Time()
    library = tmp_path / "library"
    library.write_text("in the way", "utf-8")
    async with server(tmp_path, now=time) as table:
        await played(table)
        folder = tmp_path / "online" / table.game
        await until_adjourned(table, time)
        time.now += LIMITS.archived
        await until(lambda: not table.lobby.tables.lives and not table.lobby._moving)
        assert list(folder.glob("*/*.journal"))
    library.unlink()
    lobby = Lobby(tmp_path / "online", library)
    await asyncio.to_thread(os.utime, folder, (0, 0))
    for path in folder.glob("*/*.journal"):
        os.utime(path, (0, 0))
    lobby.load()
    assert not folder.exists()
    assert len(list(library.glob("*.sgf"))) == 1
    await lobby.close()
