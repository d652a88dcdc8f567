"""Accounts and rated games on a running server: who is admitted as whom, and that each game counts exactly once."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra server is not installed: pip install -e '.[server]'")

from sqlalchemy import create_engine, text

from daoqi_tui import codec, crash, log
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.online.accounts import (
    ACCOUNTS,
    LINKS,
    ME,
    PLAYERS,
    RECORDS,
    Endpoint,
    OwnAccount,
    Profile,
    RatedGame,
    bearer,
)
from daoqi_tui.play.online.connections import Pass
from daoqi_tui.play.online.limits import DAY, Limits
from daoqi_tui.play.online.protocol import Answer, Ask, Refused, Resign, State, Welcome
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.store import Store, StoreError
from daoqi_tui.play.online.table import StoredTable, Table, Terms, digest
from tests.play.online.table import Server, Time, Wire, server
from tests.waiting import until

RATED = Terms(size=5, black="host", undo=False, rated=True, open=True)


@asynccontextmanager
async def club(
    folder: Path, now: Callable[[], float] | None = None, limits: Limits | None = None
) -> AsyncIterator[Server]:
    clock = now or Time()
    store = Store(f"sqlite:///{folder}/accounts.db", clock)
    try:
        async with server(folder, limits, clock, store=store) as running:
            yield running
    finally:
        store.close()


async def ask(table: Server, there: Endpoint[Any] | str, secret: str = "", **asked: object) -> tuple[int, bytes]:
    """Get something, or post what is asked."""
    url = "http" + table.url[2:] + (there if isinstance(there, str) else there.path)
    body = codec.encode(asked) if asked else None
    async with table.session.request("POST" if asked else "GET", url, data=body, headers=bearer(secret)) as answer:
        return answer.status, await answer.read()


async def joined(table: Server, name: str) -> OwnAccount:
    status, body = await ask(table, ACCOUNTS, name=name)
    assert status == 200, body
    return codec.decode(body, OwnAccount)


async def refusal(table: Server, there: Endpoint[Any] | str, secret: str = "", **asked: object) -> str:
    status, body = await ask(table, there, secret, **asked)
    assert status == 403, body
    return codec.decode(body, Refused).code


async def rated_game(table: Server, ke: OwnAccount, lu: OwnAccount, terms: Terms = RATED) -> tuple[Wire, Wire]:
    """Open a rated game of Ke's, with Black, and have Lu sit down."""
    account = table.lobby.store.account(ke.id)
    referee, table.host_key, table.code = await table.lobby.open(terms, "", account=account)
    table.game = referee.name
    host, guest = await table.wire(secret=ke.secret), await table.wire(secret=lu.secret)
    assert isinstance(await host.join(key=table.host_key), Welcome)
    assert isinstance(await guest.join(code=table.code, name="Somebody"), Welcome)
    return host, guest


async def over(wire: Wire) -> State:
    while (state := await wire.hear(State)).phase != "over":
        pass
    return state


async def test_two_accounts_play_a_rated_game(tmp_path: Path) -> None:
    async with club(tmp_path) as table:
        ke, lu = await joined(table, "Ke"), await joined(table, "Lu")
        host, guest = await rated_game(table, ke, lu)
        await guest.say(Resign())
        state = await over(host)
        assert (state.black, state.white, state.result) == ("Ke", "Lu", "B+R")
        store = table.lobby.store
        await until(store.games)
        [game] = store.games()
        assert (game.black_name, game.white_name, game.result, game.size) == ("Ke", "Lu", "B+R", 5)
        status, body = await ask(table, f"{PLAYERS}/{ke.id}")
        profile = codec.decode(body, Profile)
        assert status == 200
        assert profile.player.name == "Ke"
        assert profile.ratings[0].value > 1500
        assert profile.games == (game,)
        assert (await ask(table, ME, lu.secret))[1] == (await ask(table, f"{PLAYERS}/{lu.id}"))[1]
        record = (await ask(table, f"{RECORDS}/{game.name}"))[1]
        assert b"RE[B+R]" in record
        assert b"PB[Ke]" in record
        assert game.name.encode() in (await ask(table, f"{RECORDS}?name=ke&size=5&winner=B"))[1]
        assert game.name.encode() not in (await ask(table, f"{RECORDS}?name=ke&winner=W"))[1]
        # A rematch is another game.
        await host.say(Ask("rematch"))
        await guest.say(Answer("rematch", accept=True))
        await until(lambda: table.lobby.games[table.game].state().round == 2)
        await guest.say(Resign())
        await until(lambda: len(store.games()) == 2)
        assert store.games()[0].name[:-1] == game.name[:-1]
        assert len(store.recorded(9)) == 2
        # Of a game that nobody may watch, the result alone is known.
        _host, guest = await rated_game(table, ke, lu, replace(RATED, watch=False))
        await guest.say(Resign())
        await until(lambda: len(store.games()) == 3)
        assert [each.has_record for each in store.games()].count(False) == 1
        assert len(store.recorded(9)) == 2


async def test_rated_games_are_even_and_between_two_accounts(tmp_path: Path) -> None:
    async with club(tmp_path, limits=Limits(rated_daily=1)) as table:
        ke, lu = await joined(table, "Ke"), await joined(table, "Lu")
        account = table.lobby.store.account(ke.id)
        for terms in (replace(RATED, undo=True), replace(RATED, handicap=2), replace(RATED, komi=0.0)):
            with pytest.raises(RefusedError, match="uneven"):
                await table.lobby.open(terms, "Ke", account=account)
        with pytest.raises(RefusedError, match="rated"):
            await table.lobby.open(RATED, "Nobody")
        referee, _key, code = await table.lobby.open(RATED, "", account=account)
        table.game = referee.name
        for secret in ("", ke.secret):
            wire = await table.wire(secret=secret)
            assert (await wire.join(code=code)).code == "rated"
        with pytest.raises(RefusedError, match="rated"):
            await table.lobby.claim(referee.name, code, "Somebody", "")
        assert referee.phase == "waiting"
        assert isinstance(await (await table.wire(secret=lu.secret)).join(code=code), Welcome)
        # As many a day as they may.
        with pytest.raises(RefusedError, match="quota"):
            await table.lobby.open(RATED, "", account=account)


async def test_nobody_is_taken_for_somebody_else(tmp_path: Path) -> None:
    async with club(tmp_path) as table:
        ke = await joined(table, "Ke Jie")
        assert await refusal(table, ACCOUNTS, name="ke-jié") == "name"
        assert await refusal(table, ACCOUNTS, name="Bot level 5") == "name"
        table.lay(Terms(size=5, black="host", open=True))
        host, guest, _key = await table.two()
        watcher, forger, owner = (
            await table.wire(),
            await table.wire(secret="x" * 32),
            await table.wire(secret=ke.secret),
        )
        assert (await forger.join()).code == "account"
        assert await refusal(table, ME, "x" * 32) == await refusal(table, ME) == "account"
        for name in ("Ke Jie", "KE_JlE", "ｋｅ ｊｉｅ"):
            assert await table.lobby.name_for(name, None) == f"~{name}"
        assert await table.lobby.name_for("Another", None) == "Another"
        assert await table.lobby.name_for("Another", table.lobby.store.account(ke.id)) == "Ke Jie"
        await watcher.join(name="Ke Jie")
        await owner.join(name="Another")
        assert sorted(table.lobby.games[table.game]._audience.watching.values()) == ["Ke Jie", "~Ke Jie"]
        assert host is not guest


async def test_a_banned_account_is_kept_out_of_every_request_and_its_seat(tmp_path: Path) -> None:
    async with club(tmp_path) as table:
        ke, lu = await joined(table, "Ke"), await joined(table, "Lu")
        host, _guest = await rated_game(table, ke, lu)
        await host.socket.close()
        engine = create_engine(f"sqlite:///{tmp_path}/accounts.db")
        with engine.begin() as db:
            db.execute(text("UPDATE accounts SET banned = 'spam' WHERE name = 'Ke'"))
        engine.dispose()
        for wire in (await table.wire(secret=ke.secret), await table.wire()):
            # By the account, and by the key of the seat alone.
            assert (await wire.join(key=table.host_key)).code == "banned"
        assert await refusal(table, ME, ke.secret) == await refusal(table, LINKS, ke.secret, alone=True) == "banned"


async def test_links_open_an_account_until_it_has_new_ones(tmp_path: Path) -> None:
    async with club(tmp_path) as table:
        ke = await joined(table, "Ke")
        other = codec.decode((await ask(table, LINKS, ke.secret, alone=False))[1], dict[str, str])["secret"]
        assert (await ask(table, ME, other))[0] == 200
        new = codec.decode((await ask(table, LINKS, other, alone=True))[1], dict[str, str])["secret"]
        assert [await refusal(table, ME, old) for old in (ke.secret, other)] == ["account"] * 2
        assert (await ask(table, ME, new))[0] == 200


async def test_a_secret_stands_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    for level in ("info", "warning", "error"):
        monkeypatch.setattr(log, level, lambda *words: told.append(repr(words)))
    async with club(tmp_path) as table:
        ke, lu = await joined(table, "Ke"), await joined(table, "Lu")
        host, guest = await rated_game(table, ke, lu)
        await guest.say(Resign())
        await over(host)
        await until(table.lobby.store.games)
        seen = [(await ask(table, path))[1] for path in ("/games", f"{PLAYERS}/{ke.id}", f"{PLAYERS}?size=5", RECORDS)]
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for secret in (ke.secret, lu.secret):
        assert secret.encode() not in files
        assert digest(secret).encode() in files
        assert not any(secret.encode() in body or digest(secret).encode() in body for body in seen)
        assert not any(secret in words for words in told)


async def test_accounts_from_an_address_are_limited(tmp_path: Path) -> None:
    clock = Time()
    async with club(tmp_path, now=clock, limits=Limits(accounts_daily=2, lookups=3)) as table:
        await joined(table, "Ke"), await joined(table, "Lu")
        assert await refusal(table, ACCOUNTS, name="Wu") == "full"
        clock.now += DAY + 1
        await joined(table, "Wu")
        for _ in range(3):
            assert (await ask(table, RECORDS))[0] == 200
        assert await refusal(table, RECORDS) == "too-fast"
        for wrong in ("?size=x", "?size=99", "?winner=X"):
            assert (await ask(table, f"{RECORDS}{wrong}"))[0] == 400
        assert (await ask(table, ACCOUNTS, name=7))[0] == 400


async def test_a_program_with_a_pass_speaks_for_its_visitor(tmp_path: Path) -> None:
    async with club(tmp_path, limits=Limits(lookups=1)) as table:
        ke = await joined(table, "Ke")
        assert (await ask(table, RECORDS))[0] == 200
        assert await refusal(table, RECORDS) == "too-fast"
        with table.lobby.passes.given(Pass("203.0.113.7", ke.id)) as secret:
            # Another address, and an account.
            assert (await ask(table, ME, secret))[0] == 200
        assert await refusal(table, ME, secret) == "account"
        with table.lobby.passes.given(Pass("203.0.113.8")) as secret:
            assert (await ask(table, RECORDS, secret))[0] == 200
            assert await refusal(table, ME, secret) == "account"


class FragileStore:
    """A store whose server is killed before or after it has counted a game."""

    def __init__(self, store: Store, when: str) -> None:
        self.store, self.when = store, when

    def record(self, game: RatedGame, record: str | None) -> bool:
        if self.when == "before":
            raise StoreError("the server was killed")
        self.store.record(game, record)
        raise StoreError("the server was killed")

    def __getattr__(self, name: str) -> object:
        return getattr(self.store, name)


@pytest.mark.parametrize("after", ["nothing", "rematch", "adjourned", "archived"])
@pytest.mark.parametrize("killed", ["before", "after"])
async def test_a_game_counts_once_wherever_the_server_is_killed(killed: str, after: str, tmp_path: Path) -> None:
    """Killed after the journal and before the database, or after the database and before the server knows."""
    clock, limits = Time(), Limits(first_move=60, absent=60, forgotten=600)
    store = Store(f"sqlite:///{tmp_path}/accounts.db", clock)
    fragile = FragileStore(store, killed)
    async with server(tmp_path, limits, clock, store=fragile) as table:  # type: ignore[arg-type]
        ke, lu = await joined(table, "Ke"), await joined(table, "Lu")
        host, guest = await rated_game(table, ke, lu)
        await guest.say(Resign())
        await over(host)
        referee = table.lobby.games[table.game]
        await until(lambda: table.lobby._uncounted)
        if after == "rematch":
            await host.say(Ask("rematch"))
            await guest.say(Answer("rematch", accept=True))
            # The journal of the game has to stay.
            while (await guest.hear(Refused)).code != "unsaved":
                pass
            assert len(referee.table.blacks) == 1
        for wire in (host, guest):
            await wire.socket.close()
        await until(lambda: not referee.listeners)
        if after in ("adjourned", "archived"):
            clock.now += 61
            await until(lambda: not table.lobby.games and not table.lobby._moving)
        if after == "archived":
            clock.now += 601
            left = table.lobby.tables.lives[table.game].left
            await until(lambda: table.lobby.tables.lives[table.game].left > left)
            assert (tmp_path / "online" / table.game).exists()
        name = table.game
    assert len(store.games()) == (killed == "after")
    # A later start finds the journal.
    async with server(tmp_path, limits, clock, store=store) as table:
        clock.now += 10
        await until(lambda: not table.lobby.games or table.lobby.games[name].uncounted is None)
        if table.lobby.games:
            await until(lambda: table.lobby.games[name]._counted)
    async with server(tmp_path, limits, clock, store=store) as table:
        clock.now += 10
    assert len(store.games()) == 1
    assert [len(store.history(account.id, 5)) for account in (ke, lu)] == [1, 1]
    store.close()


class AwayStore:
    """A database that can be away, or fail with some games."""

    def __init__(self, store: Store) -> None:
        self.store, self.away = store, True
        self.refused: dict[str, Exception] = {}
        self.tried: list[str] = []

    def record(self, game: RatedGame, record: str | None) -> bool:
        self.tried.append(game.name)
        if self.away:
            raise StoreError("the database is away")
        if game.name in self.refused:
            raise self.refused[game.name]
        return self.store.record(game, record)

    def __getattr__(self, name: str) -> object:
        return getattr(self.store, name)


@pytest.mark.parametrize("after", ["nothing", "adjourned", "restarted", "adjourned and restarted", "killed"])
async def test_games_are_counted_as_of_the_time_at_which_they_ended(
    tmp_path: Path, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, limits = Time(), Limits(first_move=60, absent=60)
    away = AwayStore(Store(f"sqlite:///{tmp_path}/accounts.db", clock))
    if after == "killed":
        # Before the time was stored.
        monkeypatch.setattr(StoredTable, "change", refusing_ends(StoredTable.change))
    ended: dict[str, float] = {}
    async with server(tmp_path, limits, clock, store=away) as table:  # type: ignore[arg-type]
        people = [await joined(table, name) for name in ("Ke", "Lu", "Mo", "Nan")]
        for black, white in itertools.pairwise(people):
            host, guest = await rated_game(table, black, white)
            await guest.say(Resign())
            await over(host)
            game = table.lobby.games[table.game]
            if after != "killed":
                await until(lambda game=game: game.table.ended)
            ended[table.game] = table.lobby.date()
            clock.now += 7
            for wire in (host, guest):
                await wire.socket.close()
        if "adjourned" in after:
            clock.now += 61
            await until(lambda: not table.lobby.games and not table.lobby._moving)
        if "restarted" not in after and after != "killed":
            away.away = False
            clock.now += 100
            await until(lambda: len(away.store.games()) == len(ended))
    monkeypatch.undo()
    clock.now += 1000
    away.away = False
    async with server(tmp_path, limits, clock, store=away) as table:  # type: ignore[arg-type]
        clock.now += 10
        await until(lambda: len(away.store.games()) == len(ended))
    counted = {game.name.partition("-")[0]: game.played for game in reversed(away.store.games())}
    assert list(counted) == list(ended)
    if after != "killed":
        assert counted == pytest.approx(ended, abs=1e-3)
    away.store.close()


@pytest.mark.parametrize("error", [StoreError("it is there already"), ZeroDivisionError()], ids=["refused", "mistake"])
async def test_a_game_that_can_never_be_counted_delays_no_other(
    tmp_path: Path, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their tables are gone meanwhile; a mistake is reported once, however often it is tried."""
    reported: list[BaseException] = []
    monkeypatch.setattr(crash, "report", reported.append)
    clock, limits = Time(), Limits(first_move=60, absent=60)
    away = AwayStore(Store(f"sqlite:///{tmp_path}/accounts.db", clock))
    async with server(tmp_path, limits, clock, store=away) as table:  # type: ignore[arg-type]
        people = [await joined(table, name) for name in ("Ke", "Lu", "Mo")]
        for black, white in itertools.pairwise(people):
            host, guest = await rated_game(table, black, white)
            await guest.say(Resign())
            await over(host)
            for wire in (host, guest):
                await wire.socket.close()
        games = table.lobby.games
        await until(lambda: len(table.lobby._uncounted) == 2 and not any(game.listeners for game in games.values()))
        clock.now += 61
        await until(lambda: not games and not table.lobby._moving)
        first, second = table.lobby._uncounted
        away.refused[first] = error
        away.away = False
        before = away.tried.count(first)

        def later(counted: int) -> bool:
            # Each try is some time after the one before.
            clock.now += 100
            return away.tried.count(first) > before + 3 and len(away.store.games()) == counted

        await until(lambda: later(1))
        assert [game.name for game in away.store.games()] == [second]
        assert reported == ([error] if isinstance(error, ZeroDivisionError) else [])
        del away.refused[first]
        await until(lambda: later(2))
    away.store.close()


async def test_a_rematch_counts_as_of_its_own_end(tmp_path: Path) -> None:
    """Also on a server that has loaded the table with the game before it, and on a disk that was full for long."""
    clock = Time()
    async with club(tmp_path, clock) as table:
        ke, lu = await joined(table, "Ke"), await joined(table, "Lu")
        account = table.lobby.store.account(ke.id)
        referee, table.host_key, table.code = await table.lobby.open(RATED, "", account=account)
        name, keys = referee.name, [table.host_key]
        guest = await table.wire(name, secret=lu.secret)
        keys.append((await guest.join(code=table.code)).key)
        await guest.say(Resign())
        await over(guest)
        await until(table.lobby.store.games)
    clock.now += 1000
    async with club(tmp_path, clock) as table:
        host, guest = await table.wire(name, secret=ke.secret), await table.wire(name, secret=lu.secret)
        for wire, key in zip((host, guest), keys, strict=True):
            assert isinstance(await wire.join(key=key), Welcome)
        game = table.lobby.games[name]
        await host.say(Ask("rematch"))
        await until(lambda: game.state().request)
        await guest.say(Answer("rematch", accept=True))
        await until(lambda: game.state().round == 2 and not game.stored.match.game.is_over)
        clock.now += 1000
        ended = table.lobby.date()
        with pytest.MonkeyPatch.context() as full:
            full.setattr(StoredTable, "change", refusing_ends(StoredTable.change))
            await guest.say(Resign())
            await until(lambda: game.phase == "over" and game._count_after > clock.now)
        clock.now += 1000
        await until(lambda: len(table.lobby.store.games()) == 2)
        assert table.lobby.store.games()[0].played == pytest.approx(ended, abs=1e-3)


def refusing_ends(change: Callable[[StoredTable, Table], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    async def refusing(stored: StoredTable, table: Table) -> None:
        if table.ended:
            raise OSError("the disk is full")
        await change(stored, table)

    return refusing


OLDEST_TABLE = """{
 "format": 1,
 "terms": {
  "size": 5, "komi": 4.0, "handicap": 0, "rules": "daoqi", "time": [60.0, 3, 10.0, 0],
  "black": "host", "undo": true, "watch": true, "delay": 0, "open": false
 },
 "code": "", "open_code": "", "keys": ["ab", "cd"], "names": ["Ke", "Lu"], "blacks": [0, 1],
 "stopped": "paused", "counted": false, "request": ["undo", "white"]
}"""
"""As version 1.0.0 wrote it."""


def test_a_table_is_read_as_it_was_written_also_by_the_first_version(tmp_path: Path) -> None:
    rated, _key, _code = Table.lay(replace(RATED, time=TimeControl(0, 1, DAY)), "Ke", "abcdefgh")
    rated.save(tmp_path)
    assert Table.load(tmp_path) == rated
    (tmp_path / "game.json").write_text(OLDEST_TABLE)
    oldest = Table.load(tmp_path)
    assert oldest.terms == Terms(size=5, time=TimeControl(60, 3, 10), black="host")
    assert (oldest.names, oldest.blacks, oldest.request) == (("Ke", "Lu"), (0, 1), ("undo", "white"))
    assert (oldest.accounts, oldest.warned, oldest.plans) == (("", ""), None, (None, None))
