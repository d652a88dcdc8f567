"""The server as referee, with clients on real sockets."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import random
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from socket import SO_RCVBUF, SOL_SOCKET

import pytest

from daoqi_tui import crash
from daoqi_tui.engine import Game
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.online import connections
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.protocol import (
    FROM_CLIENT,
    REASONS,
    VERSION,
    Agree,
    Answer,
    Ask,
    Declined,
    Join,
    MarkDead,
    Moved,
    OpenRequest,
    Ping,
    Play,
    PlayOn,
    Point,
    Pointed,
    ProposeDead,
    Refused,
    Resign,
    Said,
    Say,
    ServerMessage,
    Share,
    State,
    Welcome,
    encode,
)
from daoqi_tui.play.online.referee import AFTER_RESTART
from daoqi_tui.play.online.table import Table, Terms
from daoqi_tui.record.journal.writer import JournalFile
from tests.play.online.table import SMALL, Player, Time, Wire, server, tick
from tests.thorough import rounds
from tests.waiting import HANG, until


async def state_where(wire: Wire, **members: object) -> State:
    """Return the next state with these field values."""
    while True:
        state = await wire.hear(State)
        assert state is not None, f"closed before {members}"
        if all(getattr(state, name) == value for name, value in members.items()):
            return state


async def play(mover: Wire, other: Wire, number: int, move: str) -> None:
    await mover.say(Play(number, move))
    for wire in (mover, other):
        moved = await wire.hear(Moved)
        assert (moved.number, moved.move) == (number, move)


async def test_two_play_and_one_watches(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, komi=3.5, black="host"))
        host, guest, _key = await table.two()
        watcher = await table.wire()
        assert (await watcher.join()).role == "spectator"
        state = await state_where(watcher, phase="playing")
        assert (state.black, state.white, state.komi, state.size) == ("Lu", "Ke", 3.5, 5)
        await play(host, guest, 1, "C3")
        await play(guest, host, 2, "B3")
        assert [(await watcher.hear(Moved)).move for _ in range(2)] == ["C3", "B3"]
        await watcher.say(Say("well played"))
        assert await watcher.hear(Said) == Said("Ke 2", "spectator", "well played", 1)
        for message in (Play(3, "D4"), Resign(), Ask("undo"), PlayOn()):
            await watcher.say(message)
            assert (await watcher.hear(Refused)).code == "spectator"
        await guest.say(Resign())
        assert (await state_where(host, phase="over")).result == "B+R"
        await until(lambda: list((tmp_path / "library").glob("*.sgf")))
    [record] = (tmp_path / "library").glob("*.sgf")
    assert b"RE[B+R]" in record.read_bytes()
    assert b"PB[Lu]" in record.read_bytes()


async def test_what_the_rules_forbid_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        host, guest, _key = await table.two()
        await play(host, guest, 1, "C3")
        for sender, message, code in (
            (host, Play(2, "D3"), "not-your-turn"),
            (guest, Play(2, "C3"), "illegal"),
            (guest, Play(2, "Z9"), "illegal"),
            (guest, Play(2, ""), "illegal"),
            (guest, Play(1, "D3"), "old-position"),
            (guest, Play(3, "D3"), "old-position"),
            (guest, MarkDead("C3"), "not-counting"),
            (guest, Agree(), "not-counting"),
            (guest, PlayOn(), "not-counting"),
            (guest, Answer("undo", accept=True), "no-request"),
            (guest, Ask("undo"), "nothing-to-undo"),
            (guest, Ask("rematch"), "not-now"),
            (guest, Ask("continue"), "not-now"),
        ):
            await sender.say(message)
            assert (await sender.hear(Refused)).code == code, message
        assert referee.state().moves == ("C3",)


async def test_a_move_sent_again_is_acknowledged_again(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        host, guest, _key = await table.two()
        await play(host, guest, 1, "C3")
        await host.say(Play(1, "C3"))
        assert (await host.hear(Moved)).number == 1
        assert referee.state().moves == ("C3",)


@pytest.mark.parametrize("moves", [["C3"], ["pass"], ["C3", "pass"], ["C3", "D3"]])
async def test_a_move_of_the_opponent_is_not_acknowledged_as_one_s_own(moves: list[str], tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        host, guest, _key = await table.two()
        for number, move in enumerate(moves, 1):
            await play(*((host, guest) if number % 2 else (guest, host)), number, move)
        for number, move in enumerate(moves, 1):
            other = guest if number % 2 else host
            await other.say(Play(number, move))
            answer = await other.hear(Moved | Refused)
            assert isinstance(answer, Refused)
            assert answer.code == "old-position"
        assert referee.state().moves == tuple(moves)


async def test_codes_are_used_once(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        await table.two()
        late = await table.wire()
        refused = await late.join(code=table.code)
        assert (refused.code, refused.fatal) == ("code", True)
        assert await late.hear() is None


async def test_a_code_whose_answer_was_lost_leads_to_the_same_seat(tmp_path: Path) -> None:
    key = "k" * 20
    async with server(tmp_path) as table:
        table.lay()
        for _ in range(2):
            guest = await table.wire()
            assert await guest.join(table.code, key) == Welcome(1, table.game, "white", key)
        assert (await (await table.wire()).join(table.code, "l" * 20)).code == "code"
        table.lay()
        welcome = await (await table.wire()).join(table.code, "short")
        assert len(welcome.key) >= 20


async def test_codes_can_be_tried_ten_times_a_minute(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        table.lay()
        for _ in range(10):
            assert (await (await table.wire()).join(code="aaaaaaaaaaaaaaaaaaaa")).code == "code"
        assert (await (await table.wire()).join(code="aaaaaaaaaaaaaaaaaaaa")).code == "too-many-tries"
        time.now += 61
        assert (await (await table.wire()).join(code="aaaaaaaaaaaaaaaaaaaa")).code == "code"


@pytest.mark.parametrize("page", [False, True], ids=["client", "page of the lobby"])
async def test_the_right_code_is_good_from_an_address_of_many_wrong_ones(tmp_path: Path, *, page: bool) -> None:
    async with server(tmp_path, now=Time()) as table:
        referee = table.lay()
        for _ in range(12):
            await (await table.wire()).join(code="aaaaaaaaaaaaaaaaaaaa")
        if page:
            assert await table.lobby.claim(referee.name, table.code, "Mu", "127.0.0.1")
        else:
            assert isinstance(await (await table.wire()).join(code=table.code), Welcome)
        assert referee.phase == "playing"


async def test_a_seat_comes_back_with_its_key_and_only_with_it(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        host, guest, key = await table.two()
        await play(host, guest, 1, "C3")
        again = await table.wire()
        welcome = await again.join(key=key)
        assert (welcome.role, welcome.key) == ("white", key)
        assert (await again.hear(State)).moves == ("C3",)
        assert (await guest.hear(Refused)).code == "replaced"
        assert await guest.hear() is None
        stranger = await table.wire()
        assert (await stranger.join(key=f"{key}x")).code == "key"


async def test_who_leaves_while_the_table_is_busy_is_gone_afterwards(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        watcher = await table.wire()
        await watcher.join()
        async with referee._lock:
            await watcher.socket.close()
            await until(lambda: referee._lock._waiters)
            for connection in tuple(table.lobby._open):
                connection.end()
            await until(lambda: not table.lobby._open)
        await until(lambda: not referee.listeners, lambda: f"{referee.listeners} are still there")


async def test_who_leaves_while_it_waits_to_enter_is_gone_afterwards(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        host = await table.wire()
        async with referee._lock:
            await host.say(Join(VERSION, "Lu", key=table.host_key))
            await until(lambda: referee._lock._waiters)
            for connection in tuple(table.lobby._open):
                connection.end()
            # One to enter, and one to leave after that.
            await until(lambda: len(referee._lock._waiters) == 2)
        await until(lambda: not table.lobby._open)
        assert not referee.listeners


async def test_undo_is_requested_and_granted_or_not(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        host, guest, _key = await table.two()
        await play(host, guest, 1, "C3")
        await play(guest, host, 2, "D3")
        await host.say(Ask("undo"))
        request = (await state_where(guest)).request
        while request is None:
            request = (await guest.hear(State)).request
        assert (request.what, request.by) == ("undo", "black")
        await host.say(Answer("undo", accept=True))
        assert (await host.hear(Refused)).code == "no-request"
        await guest.say(Answer("undo", accept=False))
        assert await host.hear(Declined) == Declined("undo", "white")
        await host.say(Ask("undo"))
        await guest.say(Answer("undo", accept=False))
        await host.hear(Declined)
        await host.say(Ask("undo"))
        await state_where(host, request=None)
        await until(lambda: table.lobby.games[table.game].state().request is not None)
        await guest.say(Answer("undo", accept=True))
        await state_where(host, moves=())
        await play(host, guest, 1, "B2")


async def test_a_move_closes_the_request_for_everybody(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        host = Player(table.url, table.game, key=table.host_key)
        guest = Player(table.url, table.game, code=table.code)
        await host.my_turn()
        host.client.play(12)
        await guest.my_turn()
        host.client.send(Ask("undo"))
        await guest.until(lambda: guest.client.state.request is not None)
        guest.client.play(13)
        for player in (host, guest):
            await player.moves(2)
            assert player.client.state.request is None
            await player.end()
        assert referee._audience.watched.request is None


async def test_without_undo_none_is_requested(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, black="host", undo=False, watch=False))
        host, guest, _key = await table.two()
        await play(host, guest, 1, "C3")
        await host.say(Ask("undo"))
        assert (await host.hear(Refused)).code == "no-undo"
        assert (await (await table.wire()).join()).code == "not-watched"


async def test_what_a_computer_proposes_is_marked_for_both_unless_something_is_marked(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, komi=0, black="host"))
        host, guest, _key = await table.two()
        await play(host, guest, 1, "C3")
        await play(guest, host, 2, "A1")
        await guest.say(ProposeDead(("A1",)))
        assert (await guest.hear(Refused)).code == "not-counting"
        await play(host, guest, 3, "pass")
        await play(guest, host, 4, "pass")
        await state_where(host, phase="counting")
        for wrong in ("B2", "Z9"):
            await guest.say(ProposeDead(("A1", wrong)))
            assert (await guest.hear(Refused)).code == "no-stone"
        await guest.say(Agree())
        await state_where(host, agreed=("white",))
        await guest.say(ProposeDead())
        await host.say(ProposeDead(("A1",)))
        await state_where(guest, dead=("A1",), agreed=())
        # Proposals by the opponent's computer now come too late and are ignored, whether or not they agree.
        await guest.say(ProposeDead(("A1",)))
        await guest.say(ProposeDead(("C3",)))
        for wire in (guest, host):
            await wire.say(Agree(("A1",)))
        assert (await state_where(guest, phase="over")).dead == ("A1",)


async def test_both_agree_on_dead_stones(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, komi=0, black="host"))
        host, guest, _key = await table.two()
        await play(host, guest, 1, "C3")
        await play(guest, host, 2, "A1")
        await play(host, guest, 3, "pass")
        await play(guest, host, 4, "pass")
        await state_where(host, phase="counting")
        await host.say(MarkDead("A1"))
        await state_where(guest, dead=("A1",))
        await guest.say(Agree())
        assert (await guest.hear(Refused)).code == "other-count"
        await guest.say(Agree(("A1",)))
        await state_where(host, agreed=("white",))
        await host.say(MarkDead("A1"))
        await state_where(guest, dead=(), agreed=())
        await host.say(MarkDead("A1"))
        await state_where(guest, dead=("A1",))
        for wire in (host, guest):
            await wire.say(Agree(("A1",)))
        over = await state_where(guest, phase="over")
        game = Game(5, 0)
        for move in (12, 20):
            game.play(move)
        game.pass_turn()
        game.pass_turn()
        game.agree_dead([20])
        assert over.result == str(game.result)


async def test_play_goes_on_instead_of_counting(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        host, guest, _key = await table.two()
        await play(host, guest, 1, "pass")
        await play(guest, host, 2, "pass")
        await state_where(guest, phase="counting")
        await guest.say(PlayOn())
        await state_where(host, phase="playing")
        await play(host, guest, 3, "C3")


@pytest.mark.parametrize("answer", [Answer("rematch", accept=True), Ask("rematch")])
async def test_a_rematch_changes_colours(answer: Answer | Ask, tmp_path: Path) -> None:
    """Whoever asks for what the opponent has asked for agrees."""
    async with server(tmp_path) as table:
        referee = table.lay()
        host, guest, key = await table.two()
        await play(host, guest, 1, "C3")
        await guest.say(Resign())
        await state_where(guest, phase="over")
        await host.say(Ask("rematch"))
        await until(lambda: referee.state().request is not None)
        await guest.say(answer)
        state = await state_where(guest, round=2)
        assert (state.black, state.white, state.moves, state.phase) == ("Ke", "Lu", (), "playing")
        await play(guest, host, 1, "B2")
    async with server(tmp_path) as table:
        table.game = referee.name
        back = await table.wire()
        assert (await back.join(key=key)).role == "black"
        assert (await back.hear(State)).moves == ("B2",)


CLOCK = Terms(size=5, black="host", time=TimeControl(60))


async def test_the_clock_is_the_server_s(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(CLOCK)
        host, guest, _key = await table.two()
        time.now += 20
        await play(host, guest, 1, "C3")
        clock = referee.state().clock
        assert clock is not None
        assert (clock.black.seconds, clock.white.seconds, clock.running) == (40, 60, "white")
        time.now += 61
        await tick(referee)
        assert (await state_where(host, phase="over")).result == "B+T"


@pytest.mark.parametrize(("lag", "left"), [(0.5, 50.5), (30.0, 51.0), (-5.0, 50.0)])
async def test_lag_is_not_counted_up_to_a_maximum(lag: float, left: float, tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(CLOCK)
        host, guest, _key = await table.two()
        next(listener for listener, seat in referee._audience.seated.items() if seat == 0).lag = lag
        time.now += 10
        await play(host, guest, 1, "C3")
        clock = referee.state().clock
        assert clock is not None
        assert clock.black.seconds == left


async def test_the_clock_pauses_by_agreement_and_adjourned_games_stay_so(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(CLOCK)
        host, guest, key = await table.two()
        host_key = table.host_key
        await play(host, guest, 1, "C3")
        await guest.say(Ask("adjourn"))
        await until(lambda: referee.state().request is not None)
        time.now += 10
        await host.say(Answer("adjourn", accept=True))
        await state_where(guest, phase="adjourned")
        time.now += 1000
        await tick(referee)
        await guest.say(Play(2, "D3"))
        assert (await guest.hear(Refused)).code == "not-playing"
    async with server(tmp_path, now=time) as table:
        table.game, referee = referee.name, table.lobby.games[referee.name]
        host, guest = await table.wire(), await table.wire()
        await host.join(key=host_key)
        await guest.join(key=key)
        assert (await state_where(guest, phase="adjourned")).moves == ("C3",)
        await host.say(Ask("continue"))
        await until(lambda: referee.state().request is not None)
        await guest.say(Answer("continue", accept=True))
        await state_where(host, phase="playing")
        clock = referee.state().clock
        assert clock is not None
        assert (clock.white.seconds, clock.running) == (50, "white")


class FullDisk:
    """A simulated full disk on which table files cannot be saved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path | None = None) -> None:
        save = Table.save
        self.full = True
        self.error: Exception = OSError(errno.ENOSPC, "No space left on device")

        def try_to_save(table: Table, into: Path) -> None:
            if self.full and folder in (None, into):
                raise self.error
            save(table, into)

        monkeypatch.setattr(Table, "save", try_to_save)


async def test_what_the_disk_does_not_take_has_not_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crash, "report", lambda _error: None)
    async with server(tmp_path, now=Time()) as table:
        referee = table.lay(CLOCK)
        disk = FullDisk(monkeypatch)
        host, guest = await table.wire(), await table.wire()
        await host.join(key=table.host_key)
        key = "k" * 20
        assert (await guest.join(table.code, key)).fatal
        assert (referee.phase, referee.state().white) == ("waiting", "")
        disk.full = False
        guest = await table.wire()
        assert isinstance(await guest.join(table.code, key), Welcome)
        assert (referee.phase, referee.state().clock.running, referee.state().white) == ("playing", "black", "Ke")
        await play(host, guest, 1, "C3")

        async def fails(key: str, message: object) -> Wire:
            """Send a message whose effect cannot be saved, then reconnect and return the new connection."""
            disk.full = True
            wire = await table.wire()
            await wire.join(key=key)
            before = replace(referee.state(), present=())
            await wire.say(message)
            assert (await wire.hear(Refused)).code == "unsaved"
            assert replace(referee.state(), present=()) == before, message
            disk.full = False
            wire = await table.wire()
            await wire.join(key=key)
            return wire

        guest = await fails(key, Ask("adjourn"))
        await guest.say(Ask("adjourn"))
        await until(lambda: referee.state().request is not None)
        for accept in (True, False):
            host = await fails(table.host_key, Answer("adjourn", accept=accept))
        await host.say(Answer("adjourn", accept=True))
        await state_where(host, phase="adjourned")
        await host.say(Ask("continue"))
        await until(lambda: referee.state().request is not None)
        guest = await fails(key, Answer("continue", accept=True))
        await guest.say(Answer("continue", accept=True))
        await state_where(guest, phase="playing")
        await play(guest, host, 2, "pass")
        await play(host, guest, 3, "pass")
        await guest.say(Agree())
        await state_where(host, agreed=("white",))
        host = await fails(table.host_key, Agree())
        await host.say(Agree())
        await state_where(host, phase="over")
        await host.say(Ask("rematch"))
        await until(lambda: referee.state().request is not None)
        guest = await fails(key, Answer("rematch", accept=True))
        await guest.say(Answer("rematch", accept=True))
        await state_where(guest, round=2)
    async with server(tmp_path) as table:
        assert table.lobby.games[referee.name].state().round == 2


async def test_a_server_ends_though_the_disk_takes_no_move_and_nobody_hears_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_file: JournalFile, _data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async with server(tmp_path) as table:
        referee = table.lay()
        host, guest, key = await table.two()
        await play(host, guest, 1, "C3")
        with monkeypatch.context() as patched:
            patched.setattr(JournalFile, "append", full)
            await guest.say(Play(2, "D3"))
            await until(lambda: referee._lock.locked() and len(referee.state().moves) == 2)
            async with asyncio.timeout(HANG):
                await table.lobby.close()
        for connection in tuple(table.lobby._open):
            connection.end()
        assert await guest.hear() is None
    async with server(tmp_path) as table:
        table.game = referee.name
        again = await table.wire()
        await again.join(key=key)
        await again.hear(State)


async def test_a_move_is_told_where_the_disk_does_not_take_that_it_closed_a_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crash, "report", lambda _error: None)
    async with server(tmp_path) as table:
        referee = table.lay()
        host, guest, _key = await table.two()
        await play(host, guest, 1, "C3")
        await host.say(Ask("undo"))
        await until(lambda: referee.state().request is not None)
        disk = FullDisk(monkeypatch)
        await play(guest, host, 2, "D3")
        assert referee.state().request is None
        disk.full = False
        await until(lambda: Table.load(tmp_path / "online" / referee.name).request is None)


async def test_a_game_that_fails_stops_no_other_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[BaseException] = []
    monkeypatch.setattr(crash, "report", reported.append)
    time = Time()
    async with server(tmp_path, now=time) as table:
        games = []
        for _ in range(2):
            games.append(table.lay(CLOCK))
            _host, guest, _key = await table.two()
            await guest.say(Ask("adjourn"))
            await until(lambda: games[-1].state().request is not None)
        FullDisk(monkeypatch, tmp_path / "online" / games[0].name).error = ZeroDivisionError()
        time.now += 61
        await until(lambda: games[1].phase == "over" and reported, lambda: str(reported))
        assert [type(error) for error in reported] == [ZeroDivisionError]


async def test_after_a_restart_the_clock_waits_for_the_side_to_move(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(CLOCK)
        host, guest, key = await table.two()
        host_key = table.host_key
        await play(host, guest, 1, "C3")
    time.now += 500
    async with server(tmp_path, now=time) as table:
        table.game, referee = referee.name, table.lobby.games[referee.name]
        time.now += AFTER_RESTART - 1
        await tick(referee)
        assert referee.state().clock.running == ""
        await (await table.wire()).join(key=key)
        clock = referee.state().clock
        assert (clock.white.seconds, clock.running) == (60, "white")
    async with server(tmp_path, now=time) as table:
        table.game, referee = referee.name, table.lobby.games[referee.name]
        time.now += 2 * AFTER_RESTART
        await tick(referee)
        assert referee.state().clock.running == "", "nobody is there to win on time"
        await (await table.wire()).join(key=host_key)
        time.now += AFTER_RESTART - 1
        await tick(referee)
        assert referee.state().clock.running == ""
        time.now += 2
        await tick(referee)
        assert referee.state().clock.running == "white"


async def test_a_pause_agreed_on_after_a_restart_lasts_until_both_go_on(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(CLOCK)
        host, guest, key = await table.two()
        host_key = table.host_key
        await play(host, guest, 1, "C3")
        await guest.say(Ask("pause"))
        await until(lambda: referee.state().request is not None)
    async with server(tmp_path, now=time) as table:
        table.game, referee = referee.name, table.lobby.games[referee.name]
        host, guest = await table.wire(), await table.wire()
        await host.join(key=host_key)
        await host.say(Answer("pause", accept=True))
        await state_where(host, phase="paused")
        await guest.join(key=key)
        time.now += AFTER_RESTART + 1
        await tick(referee)
        assert (referee.phase, referee.state().clock.running) == ("paused", "")


async def test_after_a_restart_before_the_first_move_the_clock_waits_as_well(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(CLOCK)
        host_key = table.host_key
        _host, _guest, key = await table.two()
    async with server(tmp_path, now=time) as table:
        table.game, referee = referee.name, table.lobby.games[referee.name]
        time.now += AFTER_RESTART - 1
        await tick(referee)
        assert referee.phase == "playing"
        host, guest = await table.wire(), await table.wire()
        await guest.join(key=key)
        assert referee.state().clock.running == "", "the side to move is not back yet"
        await host.join(key=host_key)
        clock = referee.state().clock
        assert (clock.black.seconds, clock.running) == (60, "black")
        await play(host, guest, 1, "C3")
    async with server(tmp_path, now=time) as table:
        assert table.lobby.games[referee.name].state().moves == ("C3",)


async def test_chat_and_an_open_request_survive_a_restart(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        host, guest, key = await table.two()
        host_key = table.host_key
        await play(host, guest, 1, "C3")
        for text in ("hello", "undo, please"):
            await host.say(Say(text))
            await guest.hear(Said)
        await host.say(Ask("undo"))
        await until(lambda: referee.state().request is not None)
    # A line cut off by a kill is skipped.
    with (tmp_path / "online" / referee.name / "chat.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"type":"chat","na')
    async with server(tmp_path) as table:
        table.game = referee.name
        guest = Player(table.url, table.game, key=key)
        await guest.until(lambda: sum(isinstance(event, Said) for event in guest.heard) == 2)
        assert guest.client.state.request.what == "undo"
        said = [event for event in guest.heard if isinstance(event, Said)]
        assert [(line.text, line.number) for line in said] == [("hello", 1), ("undo, please", 2)]
        host = await table.wire()
        await host.join(key=host_key)
        await host.say(Say("still here"))
        await guest.until(lambda: guest.client.chat == 3)
        guest.client.send(Answer("undo", accept=True))
        await state_where(host, moves=())
        await guest.end()
    async with server(tmp_path) as table:
        assert table.lobby.games[referee.name].state().request is None


async def test_a_message_is_encoded_once_however_many_are_sent_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[object] = []

    def counting(message: ServerMessage) -> str:
        if not isinstance(message, Ping):
            encoded.append(type(message))
        return encode(message)

    async with server(tmp_path) as table:
        table.lay()
        host, guest, _key = await table.two()
        watchers = [await table.wire() for _ in range(5)]
        for watcher in watchers:
            await watcher.join()
            await state_where(host, spectators=watchers.index(watcher) + 1)
        monkeypatch.setattr("daoqi_tui.play.online.connections.encode", counting)
        await play(host, guest, 1, "C3")
        for watcher in watchers:
            assert (await watcher.hear(Moved)).move == "C3"
        assert encoded == [Moved]
        await host.say(Ask("undo"))
        for wire in (guest, *watchers):
            await state_where(wire, request=OpenRequest("undo", "black"))
        assert encoded == [Moved, State]


async def test_spectators_see_the_game_late_if_the_host_wants_that(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(Terms(size=5, black="host", delay=60))
        host, guest, _key = await table.two()
        watcher = await table.wire()
        await watcher.join()
        time.now += 30
        await play(host, guest, 1, "C3")
        await guest.say(Say("a secret plan"))
        await host.hear(Said)
        late = await table.wire()
        await late.join()
        state = await late.hear(State)
        assert (state.moves, state.delay) == ((), 60)
        assert referee.listed().moves == 0
        time.now += 61
        await tick(referee)
        assert (await watcher.hear(Moved)).move == "C3"
        assert (await watcher.hear(Said)).text == "a secret plan"
        await play(guest, host, 2, "D3")
        await guest.say(Resign())
        # The delay ends with the game.
        over = await state_where(watcher, phase="over")
        assert (over.moves, over.result) == (("C3", "D3"), "B+R")
    async with server(tmp_path, now=time) as table:
        table.game = referee.name
        watcher = await table.wire()
        await watcher.join()
        assert (await watcher.hear(State)).moves == ("C3", "D3")


async def test_the_list_and_a_restart_tell_spectators_no_more_than_the_delay(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, now=time) as table:
        referee = table.lay(Terms(size=5, black="host", delay=60, time=TimeControl(100)))
        host, guest, _key = await table.two()
        time.now += 61
        await tick(referee)
        await play(host, guest, 1, "pass")
        await play(guest, host, 2, "pass")
        await host.say(Agree())
        await state_where(guest, agreed=("black",))
        await guest.say(Ask("undo"))
        await state_where(host, request=OpenRequest("undo", "white"))
        [listed] = table.lobby.listing().games
        assert (listed.phase, listed.moves) == ("playing", 0)
    async with server(tmp_path, now=time) as table:
        table.game, referee = referee.name, table.lobby.games[referee.name]
        watcher = await table.wire()
        await watcher.join()
        state = await watcher.hear(State)
        assert (state.phase, state.moves, state.agreed, state.request, state.clock) == ("playing", (), (), None, None)
        assert table.lobby.listing().games[0].phase == "playing"
        time.now += 61
        await tick(referee)
        assert (await state_where(watcher, phase="counting")).request == OpenRequest("undo", "white")
        assert table.lobby.listing().games[0].phase == "counting"


async def test_cursors_are_shown_if_both_agree(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        host, guest, _key = await table.two()
        await host.say(Share(True))
        await state_where(guest, sharing=("black",))
        await host.say(Point("C3"))
        await guest.say(Share(True))
        await state_where(host, sharing=("black", "white"))
        await host.say(Point("D3"))
        assert await guest.hear(Pointed) == Pointed("D3")
        await guest.say(Share(False))
        await state_where(host, sharing=("black",))


# The program's client


async def test_clients_play_a_game_over_lost_lines(tmp_path: Path) -> None:
    """The server restarts on the same port between moves; every move is played exactly once."""
    game = Game(5)
    async with server(tmp_path) as table:
        table.lay()
        port, name, url = table.address[1], table.game, table.url
        host = Player(url, name, key=table.host_key)
        guest = Player(url, name, code=table.code)
        await host.my_turn()
        host.client.play(12)
        await guest.moves(1)
    game.play(12)
    guest.client.play(13)
    assert guest.client.pending is not None
    for step in range(3):
        async with server(tmp_path, port=port) as table:
            mover, other = (guest, host) if step % 2 == 0 else (host, guest)
            await mover.moves(2 + step)
            await other.moves(2 + step)
            await other.my_turn()
        # Played while disconnected; the client sends it once it has reconnected.
        point = other.client.game.legal_points()[0]
        other.client.play(point)
    async with server(tmp_path, port=port):
        await host.moves(5)
        await guest.moves(5)
        assert host.client.pending is None
        assert guest.client.pending is None
        assert host.client.state.moves == guest.client.state.moves
    await host.end()
    await guest.end()


async def test_a_client_shows_a_refused_move_no_more(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        host = Player(table.url, table.game, key=table.host_key)
        guest = Player(table.url, table.game, code=table.code)
        await host.my_turn()
        host.client.play(12)
        await guest.my_turn()
        guest.client.play(12)
        await guest.until(lambda: any(isinstance(event, Refused) for event in guest.heard))
        assert guest.client.pending is None
        assert guest.client.state.moves == ("C3",)
        await host.end()
        await guest.end()


async def test_a_client_gives_up_where_trying_again_would_not_help(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay()
        wrong = Player(table.url, table.game, code="aaaaaaaaaaaaaaaaaaaa")
        assert (await wrong.task).reason == REASONS["code"]


# Hostile clients

HOSTILE = [
    "",
    "{",
    "null",
    "[" * 8000,
    '{"a":' * 1200 + "1" + "}" * 1200,
    "9" * 8000,
    '{"type":"join"}',
    '{"type":"move","number":1e400,"move":"A1"}',
    '{"type":"move","number":1,"move":"\\u001b[2J"}',
    '{"type":"dead","point":"\\ud800"}',
    '{"type":"chat","text":"\\u001b]0;title\\u0007"}',
    '{"type":"agree","dead":[[]]}',
    '{"type":"welcome","version":1,"game":"x","role":"black"}',
]


MESSAGES = rounds(400, 10_000)


async def catch_up(wire: Wire) -> None:
    """Read all messages sent so far, up to the refusal of an invalid message that is sent now as a marker."""
    await wire.socket.send_bytes(b"\xff\x00")
    while (refused := await wire.hear(Refused)).text != "messages are text, not binary":
        assert refused.text


VALUES = (
    *("A1", "C3", "pass", "undo", "pause", "adjourn", "continue", "rematch", "", "\x1b[2J", "\u202eA1", "x" * 401),
    *(1, 2, 3, 0, -1, 0.5, 1e9, 10**30, True, False, None, [], ["A1"], [[]], {}, {"A1": 1}),
)


def hostile_message(chance: random.Random) -> str:
    """A message of a known type, whose members may be anything, and sometimes with another character somewhere."""
    name, kind = chance.choice([*FROM_CLIENT.items(), ("fly", Play)])
    members = {each.name: chance.choice(VALUES) for each in fields(kind) if chance.random() < 0.9}
    text = json.dumps({"type": name, **members})
    if chance.random() < 0.2:
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice('{}[]",:0\\\0é') + text[at + 1 :]
    return text


async def test_hostile_messages_are_answered_and_hurt_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Players and a spectator at one table say anything; those at another finish their game."""
    reported: list[BaseException] = []
    monkeypatch.setattr(crash, "report", reported.append)
    chance = random.Random(5)
    loose = Limits(burst=10**9, chat=10**9)
    async with server(tmp_path, loose) as table:
        table.lay()
        honest = (await table.two())[:2]
        referee = table.lay()
        host, guest, key = await table.two()
        watcher = await table.wire()
        await watcher.join()
        for text in HOSTILE:
            first = await table.wire()
            await first.say(text)
            refused = await first.hear(Refused)
            assert refused.fatal, text
            assert await first.hear() is None
        hostile = (host, guest, watcher)
        for count in range(MESSAGES):
            text = HOSTILE[count] if count < len(HOSTILE) else hostile_message(chance)
            await chance.choice(hostile).say(text)
            if count % 20 == 0 or count == MESSAGES - 1:
                # A client that reads nothing would be disconnected, which another test covers.
                for wire in hostile:
                    await catch_up(wire)
        # A dataclass shows its fields by repr, which writes the character as an escape sequence.
        assert "\\x1b" not in str(referee.state())
        again = await table.wire()
        assert (await again.join(key=key)).role in ("black", "white")
        big = await table.wire()
        await big.say("x" * 100_000)
        assert await big.hear() is None
        for number, move in enumerate(("C3", "B2", "pass", "pass"), 1):
            await play(honest[1 - number % 2], honest[number % 2], number, move)
        for wire in honest:
            await state_where(wire, phase="counting")
            await wire.say(Agree(()))
        for wire in honest:
            assert (await state_where(wire, phase="over")).result
        assert reported == []


@pytest.mark.parametrize(("message", "code"), [(Answer("undo", accept=True), "no-request"), ("{", "bad-message")])
async def test_too_many_messages_end_the_connection(
    message: object, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[BaseException] = []
    monkeypatch.setattr(crash, "report", reported.append)
    async with server(tmp_path, Limits(burst=20), Time()) as table:
        table.lay()
        host, guest, _key = await table.two()
        for _ in range(30):
            await guest.say(message)
        while (refused := await guest.hear(Refused)).code == code and not refused.fatal:
            pass
        assert (refused.code, refused.fatal, reported) == ("too-fast", True, [])
        await host.say(Play(1, "C3"))
        assert (await host.hear(Moved)).number == 1


async def test_who_connects_again_may_not_chat_more(tmp_path: Path) -> None:
    time = Time()
    async with server(tmp_path, Limits(chat=3), time) as table:
        table.lay()
        for texts in (("1", "2"), ("3", "4")):
            watcher = await table.wire()
            await watcher.join()
            for text in texts:
                await watcher.say(Say(text))
            if "2" in texts:
                while (await watcher.hear(Said)).text != "2":
                    pass
        refused = await watcher.hear(Refused)
        assert (refused.code, refused.fatal) == ("too-fast", False)
        time.now += 11
        await watcher.say(Say("5"))
        while (said := await watcher.hear(Said)).text != "5":
            assert said.text in "123"


async def test_a_client_that_reads_nothing_is_closed_and_the_others_play_on(tmp_path: Path) -> None:
    async with server(tmp_path, Limits(burst=10**9, chat=10**9)) as table:
        referee = table.lay()
        host, guest, _key = await table.two()
        asleep = await table.wire()
        await asleep.join()
        asleep.socket._conn.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_RCVBUF, 4096)
        # Stop reading from the socket so that its buffers fill up.
        asleep.socket._conn.transport.pause_reading()
        said = 0
        while len(referee._audience.watching):
            await guest.say(Say("x" * 400))
            await guest.hear(Said)
            await host.hear(Said)
            said += 1
            assert said < 200_000
        await play(host, guest, 1, "C3")


async def test_connections_without_a_request_are_aborted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with server(tmp_path) as table:
        table.lay()
        watcher = await table.wire()
        await watcher.join()
        monkeypatch.setattr(connections, "_REQUEST", 0.1)
        for sent in (b"", b"GET /games HTTP/1.1\r\nHost: x\r\nX: "):
            reader, writer = await asyncio.open_connection(*table.address)
            writer.write(sent)
            with suppress(ConnectionResetError):
                async with asyncio.timeout(HANG):
                    assert await reader.read() == b""
            writer.close()
        await watcher.say(Say("still here"))
        assert (await watcher.hear(Said)).text == "still here"


async def test_what_is_no_http_is_refused_quietly(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    async with server(tmp_path) as table:
        for sent in (b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nCookie: %s\r\n\r\n" % (b"x" * 9000)):
            reader, writer = await asyncio.open_connection(*table.address)
            writer.write(sent)
            async with asyncio.timeout(HANG):
                assert (await reader.readline()).split()[1] == b"400"
            writer.close()
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


async def test_a_page_of_another_site_may_not_connect(tmp_path: Path) -> None:
    from aiohttp import WSServerHandshakeError

    async with server(tmp_path) as table:
        table.lay()
        for origin in ("http://evil.example", "http://["):
            with pytest.raises(WSServerHandshakeError) as refused:
                await table.session.ws_connect(f"{table.url}/game/{table.game}", headers={"Origin": origin})
            assert refused.value.status == 403


async def test_there_are_limits_for_games_connections_and_spectators(tmp_path: Path) -> None:
    from daoqi_tui.play.online.referee import RefusedError

    async with server(tmp_path, Limits(games=1, per_address=1)) as table:
        table.lay()
        await table.two()
        with pytest.raises(RefusedError, match="full"):
            table.lobby.host(SMALL, "Lu")
        watchers = [await table.wire() for _ in range(2)]
        assert [type(await wire.join()) for wire in watchers] == [Welcome, Refused]
    async with server(tmp_path, Limits(spectators=1)) as table:
        [table.game] = table.lobby.games
        watchers = [await table.wire() for _ in range(4)]
        assert [type(await wire.join()) for wire in watchers] == [Welcome, Refused, Refused, Refused]


async def test_a_table_removed_during_a_greeting_is_no_game_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[BaseException] = []
    monkeypatch.setattr(crash, "report", reported.append)
    time = Time()
    async with server(tmp_path, Limits(absent=60, forgotten=60), time) as table:
        for watches in (False, True):
            table.lay()
            greeting = await table.wire()
            time.now += 61
            await until(lambda: table.game not in table.lobby.tables.lives)
            await until(lambda: not (tmp_path / "online" / table.game).exists())
            assert (await greeting.join("" if watches else table.code)).code == "no-game"
    assert reported == []


async def test_a_table_is_not_adjourned_where_a_player_came_first_and_comes_back_for_who_came_too_late(
    tmp_path: Path,
) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        async with referee._lock:
            host = await table.wire()
            joined = asyncio.create_task(host.join(key=table.host_key))
            await until(lambda: referee._lock._waiters)
            table.lobby._leave(table.game, "adjourn")
            await until(lambda: len(referee._lock._waiters) == 2)
        assert isinstance(await joined, Welcome)
        await until(lambda: not table.lobby._moving)
        assert table.lobby.games[table.game] is referee
        assert table.lobby.tables.lives[table.game].in_use
        await host.socket.close()
        await until(lambda: not referee.listeners)
        async with referee._lock:
            table.lobby._leave(table.game, "adjourn")
            await until(lambda: referee._lock._waiters)
            late = [asyncio.create_task((await table.wire()).join(code)) for code in (table.code, "")]
        answers = [await each for each in late]
        assert table.lobby.games[table.game] is not referee
        assert isinstance(answers[0], Welcome)
        # The spectator may be faster or slower than the guest, whose code resumes the game.
        assert isinstance(answers[1], Welcome) or answers[1].code == "adjourned"


@pytest.mark.parametrize("rounds", [1, 2])
async def test_a_table_stays_until_its_games_are_in_the_library(rounds: int, tmp_path: Path) -> None:
    time, library = Time(), tmp_path / "library"
    library.write_text("in the way", "utf-8")
    async with server(tmp_path, Limits(absent=60, forgotten=60), time) as table:
        referee = table.lay()
        folder = tmp_path / "online" / table.game
        host, guest, _key = await table.two()
        await play(host, guest, 1, "C3")
        await guest.say(Resign())
        for number in range(1, rounds):
            await state_where(host, round=number, phase="over")
            await host.say(Ask("rematch"))
            await until(lambda: referee.state().request is not None)
            await guest.say(Answer("rematch", accept=True))
            await state_where(host, round=number + 1)
            await play(guest, host, 1, "B2")
            await guest.say(Resign())
        await until(lambda: referee.phase == "over")
        for wire in (host, guest):
            await wire.socket.close()
        await until(lambda: not referee.listeners)
        time.now += 61
        await until(lambda: not table.lobby.tables.lives and not table.lobby._moving)
        assert len(list(folder.glob("*/*.journal"))) == rounds
    library.unlink()
    for path in (folder, *folder.glob("*/*.journal")):
        os.utime(path, (0, 0))
    async with server(tmp_path) as table:
        assert not table.lobby.games
    assert not folder.exists()
    assert len(list(library.glob("*.sgf"))) == rounds


async def test_the_list_of_games_names_those_that_may_be_watched(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, watch=False))
        table.lay()
        async with table.session.get(f"http://{table.address[0]}:{table.address[1]}/games") as response:
            [listed] = (await response.json())["games"]
        assert (listed["game"], listed["phase"], listed["size"]) == (table.game, "waiting", 5)


async def test_an_invitation_that_anyone_may_take_is_good_once_after_a_restart_too(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        table.lay(Terms(size=5, open=True))
        name, code = table.game, table.code
    async with server(tmp_path) as table:
        # Its host is not back, so that it is on no list.
        assert table.lobby.listing().games == ()
        assert isinstance(await (await table.wire(name)).join(code=code), Welcome)
        assert [game.code for game in table.lobby.listing().games] == [""]
        refused = await (await table.wire(name)).join(code=code)
        assert (refused.code, refused.fatal) == ("code", True)


async def test_a_damaged_table_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        name = table.lay().name
    for text in (
        *("{", "{}", "[]", "[" * 200_000, '{"format": 1, "terms": 3}'),
        '{"format":1,"terms":{"time":null,"size":"x"},"blacks":[0]}',
    ):
        broken = tmp_path / "online" / "broken"
        await asyncio.to_thread(broken.mkdir, exist_ok=True)
        (broken / "game.json").write_text(text, encoding="utf-8")
        async with server(tmp_path) as table:
            assert list(table.lobby.games) == [name]
            assert [str(problem).startswith("broken: ") for problem in table.lobby.problems] == [True]


async def test_a_table_that_could_not_be_laid_is_not_told_and_a_missing_file_is_told_in_words(tmp_path: Path) -> None:
    for folder in ("empty", "damaged/1"):
        (tmp_path / "online" / folder).mkdir(parents=True)
    async with server(tmp_path) as table:
        problems = [str(problem) for problem in table.lobby.problems]
    file = tmp_path / "online" / "damaged" / "game.json"
    assert problems == [f"damaged: the game cannot be resumed: {file}: No such file or directory"]
