"""Correspondence games: deadlines that are dates, vacations, conditional moves, and that a restart changes nothing."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra server is not installed: pip install -e '.[server]'")

from daoqi_tui import codec
from daoqi_tui.engine import PASS, Game
from daoqi_tui.engine.clock import DAY, parse_clock
from daoqi_tui.play.online.accounts import OWN_GAMES, VACATION, OwnAccount, OwnGames
from daoqi_tui.play.online.correspondence import (
    VACATION_DAYS,
    YEAR,
    PlanError,
    Vacation,
    check_plan,
    deadline,
    read_lines,
    read_moves,
    time_left,
)
from daoqi_tui.play.online.protocol import (
    Agree,
    Answer,
    Ask,
    MarkDead,
    Moved,
    Plan,
    Play,
    PlayOn,
    Refused,
    State,
    Welcome,
)
from daoqi_tui.play.online.referee import Referee, RefusedError
from daoqi_tui.play.online.store import Store
from daoqi_tui.play.online.table import Terms
from tests.play.online.table import Server, Time, Wire, server, tick
from tests.play.online.test_accounts import ask, joined, refusal
from tests.waiting import until

THREE_DAYS = Terms(size=5, black="host", open=True, time=parse_clock("3d"))


class Calendar(Time):
    """A fake clock, and the date of the same time."""

    def date(self) -> float:
        return 1_700_000_000.0 + self.now


@asynccontextmanager
async def club(folder: Path, at: Calendar) -> AsyncIterator[Server]:
    store = Store(f"sqlite:///{folder}/accounts.db", at.date)
    try:
        async with server(folder, now=at, store=store, wall=at.date) as running:
            yield running
    finally:
        store.close()


async def begun(
    table: Server, terms: Terms = THREE_DAYS, *, members: tuple[OwnAccount, OwnAccount] | None = None
) -> tuple[OwnAccount, OwnAccount]:
    """Have Ke, with Black, and Lu begin a game; return their accounts."""
    ke, lu = members or (await joined(table, "Ke"), await joined(table, "Lu"))
    referee, table.host_key, table.code = await table.lobby.open(terms, "", account=table.lobby.store.account(ke.id))
    table.game = referee.name
    await table.lobby.claim(table.game, table.code, "", "", table.lobby.store.account(lu.id))
    return ke, lu


def game_of(table: Server) -> Referee:
    return table.lobby.games[table.game]


async def seated(table: Server, account: OwnAccount) -> Wire:
    """Take the seat of an account by nothing but its secret."""
    wire = await table.wire(secret=account.secret)
    assert (await wire.join()).role != "spectator"
    return wire


async def own_games(table: Server, account: OwnAccount) -> OwnGames:
    status, body = await ask(table, OWN_GAMES, account.secret)
    assert status == 200, body
    return codec.decode(body, OwnGames)


async def is_told(table: Server, account: OwnAccount, moves: int) -> OwnGames:
    """Wait until the database has a turn of an account after so many moves; return its games."""
    store = table.lobby.store
    await until(lambda: [turn.moves for turn in store.turns_of(account.id)] == [moves])
    return await own_games(table, account)


async def over(table: Server, at: Calendar) -> State:
    """Wait until the game is over, while time passes."""

    async def pause(seconds: float) -> None:
        at.now += 1
        await asyncio.sleep(seconds)

    await until(lambda: table.game in table.lobby.games and game_of(table).phase == "over", pause=pause)
    return game_of(table).state()


# Dates


@pytest.mark.parametrize("seed", range(20))
def test_a_deadline_counts_every_hour_that_is_not_vacation_once(seed: int) -> None:
    rng = random.Random(seed)
    edges = sorted(rng.sample(range(400), 6))
    vacations = [Vacation(*pair) for pair in zip(edges[::2], edges[1::2], strict=True)]
    began, seconds = rng.randrange(200), rng.randrange(1, 150)
    due = deadline(began, seconds, rng.sample(vacations, 3))

    def counted(start: float) -> int:
        return sum(not any(a <= hour < b for a, b in vacations) for hour in range(int(start), int(due)))

    assert counted(began) == seconds
    for now in range(began, int(due) + 20):
        assert time_left(began, seconds, vacations, now) == counted(now)


@pytest.mark.parametrize("seed", range(3))
def test_in_any_year_no_account_has_more_vacation_than_there_is(address: str, seed: int) -> None:
    rng, now = random.Random(seed), [1e9]
    store = Store(address, lambda: now[0])
    try:
        ke = store.claim("Ke", "digest", "link").id
        taken: dict[float, float] = {}
        for _step in range(120):
            now[0] += rng.choice((0.0, 0.5, 3, 20, 90)) * DAY
            store.go_on_vacation(ke, rng.choice((0, 1, 7, 15, 30, 31)))
            lately = dict(store.vacations(ke))
            assert sum(ended > now[0] for ended in lately.values()) <= 1
            # The store tells those of the last year alone.
            taken = {begun: ended for begun, ended in taken.items() if ended <= now[0] - YEAR} | lately
            for end in taken.values():
                inside = sum(max(0.0, min(b, end) - max(a, end - YEAR)) for a, b in taken.items())
                assert inside <= VACATION_DAYS * DAY + 1
        assert taken
    finally:
        store.close()


@pytest.mark.parametrize("typed", ["0d", "15d", "3days", "d", "-1d"])
def test_a_move_has_a_number_of_days_within_bounds(typed: str) -> None:
    with pytest.raises(ValueError, match=r"days|clock"):
        parse_clock(typed)


# Games


async def test_only_members_play_and_two_different_ones(tmp_path: Path) -> None:
    async with club(tmp_path, Calendar()) as table:
        ke = await joined(table, "Ke")
        with pytest.raises(RefusedError, match="members"):
            await table.lobby.open(THREE_DAYS, "Somebody")
        with pytest.raises(ValueError, match="account"):
            table.lobby.host(THREE_DAYS, "Somebody")
        account = table.lobby.store.account(ke.id)
        referee, _key, code = await table.lobby.open(THREE_DAYS, "", account=account)
        table.game = referee.name
        for player in (None, account):
            with pytest.raises(RefusedError, match="members"):
                await table.lobby.claim(table.game, code, "", "", player)
        assert (await (await table.wire()).join(code=code)).code == "members"
        assert referee.phase == "waiting"


async def test_a_deadline_is_the_same_after_a_restart_and_ends_a_game_that_nobody_has_open(tmp_path: Path) -> None:
    at = Calendar()
    async with club(tmp_path, at) as table:
        ke, lu = await begun(table)
        host = await seated(table, ke)
        began = at.date()
        assert game_of(table).turn.began == began
    at.now += DAY
    async with club(tmp_path, at) as again:
        again.game = table.game
        assert (game_of(again).turn.began, game_of(again).turn.mover) == (began, "black")
        host = await seated(again, ke)
        await host.say(Play(1, "C3"))
        assert (await host.hear(Moved)).clock.running == "white"
        assert [game.my_turn for game in (await is_told(again, lu, 1)).games] == [True]
    at.now += 2 * DAY
    async with club(tmp_path, at) as again:
        again.game = table.game
        assert game_of(again).turn.began == began + DAY
        watcher = await again.wire()
        await watcher.join()
        assert (await watcher.hear(State)).clock.white.seconds == DAY
        assert [game.seconds for game in (await is_told(again, lu, 1)).games] == [DAY]
        await watcher.socket.close()
        # With nobody there the table leaves the memory; its deadline does not.
        at.now += 20 * 60
        await until(lambda: again.game not in again.lobby.games)
        assert (await own_games(again, lu)).games
        at.now += DAY
        assert (await over(again, at)).result == "B+T"
        await until(lambda: not again.lobby.store.turns_of(lu.id))


async def test_a_vacation_stops_ones_own_time_alone_and_then_it_goes_on(tmp_path: Path) -> None:
    at = Calendar()
    async with club(tmp_path, at) as table:
        ke, lu = await begun(table)
        guest = await seated(table, lu)
        await is_told(table, ke, 0)
        at.now += 2 * DAY
        assert await refusal(table, VACATION, ke.secret, days=31) == "vacation"
        status, body = await ask(table, VACATION, ke.secret, days=10)
        assert status == 200
        own = codec.decode(body, OwnGames)
        assert (own.days, own.vacation, own.games[0].away, own.games[0].seconds) == (20, 10 * DAY, True, DAY)
        while "black" not in (state := await guest.hear(State)).vacation:
            pass
        assert (state.clock.running, state.clock.black.seconds) == ("", DAY)
        at.now += 9 * DAY
        await ask(table, VACATION, ke.secret, days=0)
        while "black" in (state := await guest.hear(State)).vacation:
            pass
        assert (state.clock.running, state.clock.black.seconds) == ("black", DAY)
        # The opponent's vacation does not stop it.
        await ask(table, VACATION, lu.secret, days=30)
        at.now += DAY - 1
        await tick(game_of(table))
        assert game_of(table).phase == "playing"
        at.now += 1
        assert (await over(table, at)).result == "W+T"


async def test_a_move_after_the_deadline_is_too_late_even_before_the_server_has_looked(tmp_path: Path) -> None:
    at = Calendar()
    async with club(tmp_path, at) as table:
        ke, _lu = await begun(table)
        host = await seated(table, ke)
        game_of(table)._following = True
        at.now += 3 * DAY
        await host.say(Play(1, "C3"))
        assert (await host.hear(Refused)).code == "not-playing"
        assert game_of(table).state().result == "W+T"


async def test_a_count_stands_as_it_is_marked_when_its_time_is_over(tmp_path: Path) -> None:
    at = Calendar()
    async with club(tmp_path, at) as table:
        ke, lu = await begun(table)
        host, guest = await seated(table, ke), await seated(table, lu)
        for number, move in enumerate(("C3", "A1", "pass", "pass"), 1):
            await (host if number % 2 else guest).say(Play(number, move))
            await until(lambda number=number: len(game_of(table).state().moves) == number)
        at.now += 2 * DAY
        await host.say(MarkDead("A1"))
        await until(lambda: game_of(table).state().dead)
        await host.say(Agree(("A1",)))
        await until(lambda: game_of(table).state().agreed)
        assert game_of(table).turn.began == at.date()
    # Who has agreed is known after a restart as well.
    at.now += 2 * DAY
    async with club(tmp_path, at) as again:
        again.game = table.game
        assert (game_of(again).phase, game_of(again).state().agreed) == ("counting", ("black",))
        at.now += DAY
        state = await over(again, at)
        assert (state.dead, state.result) == (("A1",), "B+21")


async def test_there_is_no_pause_but_a_rematch_with_a_new_deadline(tmp_path: Path) -> None:
    at = Calendar()
    async with club(tmp_path, at) as table:
        ke, lu = await begun(table)
        host, guest = await seated(table, ke), await seated(table, lu)
        for what in ("pause", "adjourn"):
            await host.say(Ask(what))
            assert (await host.hear(Refused)).code == "not-now"
        at.now += 3 * DAY
        await over(table, at)
        await host.say(Ask("rematch"))
        await guest.say(Answer("rematch", accept=True))
        await until(lambda: game_of(table).state().round == 2 and game_of(table).turn is not None)
        assert game_of(table).turn.began == at.date()


# Conditional moves


async def plan(wire: Wire, number: int, text: str) -> Any:
    await wire.say(Plan(number, tuple(tuple(line.split()) for line in text.split(";")) if text else ()))
    while not isinstance(answer := await wire.hear(), Plan | Refused):
        pass
    return answer


async def test_conditional_moves_are_played_at_once_and_nobody_else_learns_of_them(tmp_path: Path) -> None:
    at = Calendar()
    async with club(tmp_path, at) as table:
        ke, lu = await begun(table)
        host, guest, watcher = await seated(table, ke), await seated(table, lu), await table.wire()
        await watcher.join()
        assert (await plan(guest, 0, "c3 d3 b3 b2; C3 D3 D4 D5; A1 A2")).lines[0] == ("C3", "D3", "B3", "B2")
        heard: list[str] = []
        for move, count in (("C3", 2), ("D4", 4)):
            await host.say(Play(count - 1, move))
            for wire in (host, watcher):
                while (moved := await wire.hear()) is None or not isinstance(moved, Moved) or moved.number < count:
                    assert not isinstance(moved, Plan)
                    heard.append(codec.encode(moved).decode())
        assert game_of(table).state().moves == ("C3", "D3", "D4", "D5")
        assert not any(secret in line for line in heard for secret in ("B3", "B2", "A1", "A2"))
        # What did not come true is gone, and what was played is in the journal.
        await until(lambda: game_of(table).table.plans == (None, None))
    async with club(tmp_path, at) as again:
        again.game = table.game
        assert game_of(again).state().moves == ("C3", "D3", "D4", "D5")


async def test_what_is_left_waits_for_the_next_move_after_a_restart(tmp_path: Path) -> None:
    at = Calendar()
    async with club(tmp_path, at) as table:
        ke, lu = await begun(table)
        host, guest = await seated(table, ke), await seated(table, lu)
        await plan(guest, 0, "C3 D3 B3 B2 A1 A2")
        await host.say(Play(1, "C3"))
        await until(lambda: len(game_of(table).state().moves) == 2)
    async with club(tmp_path, at) as again:
        again.game = table.game
        host, guest = await seated(again, ke), await seated(again, lu)
        assert (await guest.hear(Plan)) == Plan(2, (("B3", "B2", "A1", "A2"),))
        await host.say(Play(3, "B3"))
        await until(lambda: len(game_of(again).state().moves) == 4)
        await host.say(Play(5, "E1"))
        await until(lambda: len(game_of(again).state().moves) == 5)
        # The guest's plan for A1 has not come true; the host may plan now.
        assert (await plan(host, 5, "pass a4; A1 A2")).lines == (("pass", "A4"), ("A1", "A2"))
        await guest.say(Play(6, "pass"))
        await until(lambda: len(game_of(again).state().moves) == 7)
        assert game_of(again).state().moves[4:] == ("E1", "pass", "A4")


async def test_a_plan_is_refused_where_it_could_not_be_followed(tmp_path: Path) -> None:
    async with club(tmp_path, Calendar()) as table:
        ke, lu = await begun(table)
        host, guest = await seated(table, ke), await seated(table, lu)
        for number, text, code in (
            (0, "C3", "plan"),
            (0, "C3 D3; C3 E3", "plan"),
            (0, "C3 C3", "plan"),
            (0, "C3 Z9", "plan"),
            (0, "pass pass C3 D3", "plan"),
            (1, "C3 D3", "old-position"),
        ):
            assert (await plan(guest, number, text)).code == code
        assert (await plan(host, 0, "C3 D3")).code == "plan"
        assert (await plan(await joined_as_spectator(table), 0, "C3 D3")).code == "spectator"
        assert await plan(guest, 0, "C3 D3") == Plan(0, (("C3", "D3"),))
        assert await plan(guest, 0, "") == Plan(0)
        assert game_of(table).table.plans == (None, None)


async def joined_as_spectator(table: Server) -> Wire:
    wire = await table.wire()
    assert isinstance(await wire.join(), Welcome)
    return wire


async def test_an_undone_move_takes_its_plan_along(tmp_path: Path) -> None:
    async with club(tmp_path, Calendar()) as table:
        ke, lu = await begun(table)
        host, guest = await seated(table, ke), await seated(table, lu)
        await plan(guest, 0, "C3 D3 B3 B2")
        await host.say(Play(1, "C3"))
        await until(lambda: len(game_of(table).state().moves) == 2)
        await guest.say(Ask("undo"))
        await until(lambda: game_of(table).state().request is not None)
        await host.say(Answer("undo", accept=True))
        await until(lambda: game_of(table).state().moves == ("C3",))
        assert game_of(table).table.plans == (None, None)
        await guest.say(Play(2, "E5"))
        await until(lambda: len(game_of(table).state().moves) == 2)


async def test_a_restart_between_a_move_and_its_answer_plays_the_answer(tmp_path: Path) -> None:
    at = Calendar()
    async with club(tmp_path, at) as table:
        ke, lu = await begun(table)
        host, guest = await seated(table, ke), await seated(table, lu)
        await plan(guest, 0, "C3 D3")
        referee = game_of(table)
        # As if the server were killed once the move is on the disk.
        referee._play_ahead = nothing
        await host.say(Play(1, "C3"))
        await until(lambda: len(referee.state().moves) == 1)
    async with club(tmp_path, at) as again:
        again.game = table.game
        await until(lambda: game_of(again).state().moves == ("C3", "D3"))


async def nothing() -> None:
    pass


async def test_a_conditional_move_that_has_become_illegal_is_dropped(tmp_path: Path) -> None:
    async with club(tmp_path, Calendar()) as table:
        ke, lu = await begun(table)
        host = await seated(table, ke)
        referee = game_of(table)
        # Only a file that was changed by hand holds such a plan.
        referee.stored.table = replace(referee.table, plans=(None, Plan(0, (("C3", "C3"),))))
        await host.say(Play(1, "C3"))
        await until(lambda: referee.table.plans == (None, None))
        assert referee.state().moves == ("C3",)
        assert referee.phase == "playing"
        assert lu


def test_lines_are_read_as_they_are_typed() -> None:
    game = Game(9)
    assert read_lines(" d4 i5 Pass A9;; D4 ", game.torus) == (("D4", "J5", "pass", "A9"), ("D4",))
    assert read_lines("", game.torus) == ()
    with pytest.raises(ValueError, match="point"):
        read_lines("d4 x77", game.torus)
    with pytest.raises(PlanError, match=r"occupied|stone"):
        check_plan(game, [], Plan(0, (("D4", "D4"),)))
    assert [move.point for move in read_moves(9, "D4, pass e5").moves()] == [48, PASS, 40]


async def test_play_goes_on_from_a_count_with_a_new_deadline(tmp_path: Path) -> None:
    at = Calendar()
    async with club(tmp_path, at) as table:
        ke, lu = await begun(table)
        host, guest = await seated(table, ke), await seated(table, lu)
        for number in (1, 2):
            await (host if number % 2 else guest).say(Play(number, "pass"))
            await until(lambda number=number: len(game_of(table).state().moves) == number)
        at.now += DAY
        await guest.say(PlayOn())
        await until(lambda: game_of(table).phase == "playing")
        assert game_of(table).turn.began == at.date()
        assert game_of(table).turn.mover == "black"
