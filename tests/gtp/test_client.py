"""The GTP client, with our own engine and with engines that misbehave in every way we could think of."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from daoqi_tui import signals
from daoqi_tui.ai import Candidate, Position, Progress, Think
from daoqi_tui.engine import BLACK, PASS, TROMP_TAYLOR, WHITE, Game, Setup, torus_of
from daoqi_tui.gtp import client, player
from daoqi_tui.gtp.client import Engine, EngineError, Fault
from daoqi_tui.gtp.player import RESIGN, EnginePlayer, legal_part
from tests.forked import forked_command
from tests.waiting import HANG, is_running, until

HERE = Path(__file__).parent
OURS = forked_command("-m", "tests.gtp.simple", "9")
E5 = torus_of(9).parse("E5", "gtp")


def misbehaving(mode: str, patience: float = HANG) -> Engine:
    return Engine([sys.executable, str(HERE / "misbehaving.py"), mode], patience)


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="this system does not tell of processes in /proc"
)


async def ended(pid: int) -> bool:
    """Wait until a process has ended."""
    await until(lambda: not is_running(pid))
    return True


async def test_our_own_engine():
    async with Engine(OURS) as engine:
        assert engine.name == "Daoqi"
        assert "genmove" in engine.known
        assert await engine.send("boardsize 5") == ""
        await engine.send("play b C3")
        assert (await engine.send("showboard")).splitlines()[3] == " 3 . .(X). .  3"
        with pytest.raises(EngineError, match="Daoqi refused 'play b C3': illegal move") as told:
            await engine.send("play b C3")
        assert told.value.fault == "refused"
        assert await engine.send("list_stones b") == "C3"
    assert engine.pid is None


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("no-such-program --gtp", r"'no-such-program' cannot be started: No such file or directory"),
        ("/etc", r"'/etc' cannot be started: Permission denied"),
        ("", r"no command is given.*"),
        ("  ", r"no command is given.*"),
        ("a 'b", r"the command \"a 'b\" cannot be read: a quotation mark is not closed"),
    ],
)
async def test_wrong_commands(command: str, text: str):
    with pytest.raises(EngineError) as told:
        await Engine(command).start()
    assert told.value.fault == "not started"
    assert re.fullmatch(text, str(told.value))


@pytest.mark.parametrize(
    ("mode", "fault", "text"),
    [
        (
            "crash",
            "crashed",
            "Misbehaving crash ended with status 3 instead of answering 'genmove black'; it said: out of luck",
        ),
        (
            "occupied",
            "illegal move",
            "Misbehaving occupied played E5, which is illegal on the torus: that point is occupied; .*",
        ),
        ("nowhere", "nonsense", "Misbehaving nowhere answered 'Z99', which is not a move"),
        ("refuses", "refused", "Misbehaving refuses refused 'genmove black': I would rather not"),
        (
            "endless line",
            "nonsense",
            "Misbehaving endless line wrote a line without an end in answer to 'genmove black'",
        ),
        (
            "endless answer",
            "nonsense",
            "Misbehaving endless answer gave an answer to 'genmove black' that does not end",
        ),
        ("chatter", "nonsense", r"Misbehaving chatter wrote \d+ lines that are not GTP instead of answering"),
        (
            "silence, line by line",
            "nonsense",
            r"Misbehaving silence, line by line wrote \d+ lines that are not GTP instead of answering",
        ),
        ("silent", "silent", "Misbehaving silent did not answer 'genmove black' within 0.5 seconds and was ended"),
    ],
)
async def test_one_sentence_for_every_fault(mode: str, fault: Fault, text: str):
    game = Game(9)
    game.play(E5)
    game.pass_turn()
    engine = misbehaving(mode)
    thinker = EnginePlayer(engine, patience=0.5 if mode == "silent" else HANG)
    with pytest.raises(EngineError) as told:
        await thinker.think(Think(Position.of(game)))
    assert told.value.fault == fault
    assert re.fullmatch(text, str(told.value))
    # The engine survives a refused or illegal move; after any other fault it is terminated.
    assert (engine.pid is None) is (mode not in ("occupied", "nowhere", "refuses"))
    await thinker.close()
    assert engine.pid is None


async def nothing(_command: str) -> None:
    pass


def commands_sent(monkeypatch: pytest.MonkeyPatch, answered: Callable[[str], Awaitable[None]] = nothing) -> list[str]:
    """Record the commands sent to any engine from now on; ``answered`` runs before each response is returned."""
    sent: list[str] = []
    send = Engine.send

    async def noting(self: Engine, command: str, *how: object) -> str:
        sent.append(command)
        answer = await send(self, command, *how)
        await answered(command)
        return answer

    monkeypatch.setattr(Engine, "send", noting)
    return sent


async def test_a_limit_is_taken_back_when_there_is_none_any_more(monkeypatch: pytest.MonkeyPatch):
    thinker = EnginePlayer(Engine(OURS))
    sent = commands_sent(monkeypatch)
    for seconds in (None, 7, None, None):
        await thinker.think(Think(Position(9, 4), seconds=seconds))
    await thinker.close()
    clocks = [command for command in sent if command.startswith(("time_", "genmove"))]
    move = "genmove black"
    assert clocks == [move, "time_settings 0 7 1", "time_left black 7 1", move, "time_settings 0 1 0", move, move]


@pytest.mark.parametrize(("seconds", "sent_as"), [(7.9, 7), (1.6, 1), (0.4, 1)])
async def test_a_limit_is_not_rounded_up_unless_it_is_below_a_second(
    seconds: float, sent_as: int, monkeypatch: pytest.MonkeyPatch
):
    thinker = EnginePlayer(Engine(OURS))
    sent = commands_sent(monkeypatch)
    await thinker.think(Think(Position(9, 4), seconds=seconds))
    await thinker.close()
    clocks = [command for command in sent if command.startswith("time_")]
    assert clocks == [f"time_settings 0 {sent_as} 1", f"time_left black {sent_as} 1"]


async def test_an_engine_that_knows_half_of_the_commands_for_clocks_is_sent_those(monkeypatch: pytest.MonkeyPatch):
    thinker = EnginePlayer(misbehaving("half a clock"))
    sent = commands_sent(monkeypatch)
    assert (await thinker.think(Think(Position.of(Game(9)), seconds=7))).move == PASS
    assert [command for command in sent if command.startswith("time")] == ["time_settings 0 7 1"]
    await thinker.close()


async def test_a_limit_that_was_being_set_when_the_request_was_cancelled_is_taken_back(monkeypatch: pytest.MonkeyPatch):
    async def interrupt(command: str) -> None:
        if command.startswith("time_left"):
            raise asyncio.CancelledError

    thinker = EnginePlayer(Engine(OURS))
    sent = commands_sent(monkeypatch, interrupt)
    with pytest.raises(asyncio.CancelledError):
        await thinker.think(Think(Position(9, 4), seconds=7))
    await thinker.think(Think(Position(9, 4)))
    await thinker.close()
    assert "time_settings 0 1 0" in sent


async def test_silence_from_the_start():
    engine = misbehaving("mute", patience=0.5)
    with pytest.raises(EngineError, match=r"did not answer 'name' within 0.5 seconds and was ended") as told:
        await engine.start()
    assert told.value.fault == "silent"
    assert engine.pid is None


@needs_proc
async def test_an_engine_whose_start_was_cancelled_is_ended_and_started_anew(tmp_path: Path):
    engine = misbehaving(f"starts after {tmp_path / 'go'}")
    thinker = EnginePlayer(engine)
    thinking = asyncio.create_task(thinker.think(Think(Position(9, 4, rules=TROMP_TAYLOR))))
    await until(lambda: engine.pid)
    pid = engine.pid
    assert pid is not None
    thinking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await thinking
    assert engine.pid is None
    assert await ended(pid)
    (tmp_path / "go").touch()
    await thinker.think(Think(Position(9, 4, rules=TROMP_TAYLOR)))
    assert "kata-set-rules" in engine.known
    await thinker.close()


async def test_an_engine_that_is_closed_while_it_starts_is_ended():
    engine = Engine(OURS)
    starting = asyncio.create_task(engine.start())
    await asyncio.sleep(0)
    assert engine.pid is None, "its process is being made"
    await engine.close()
    with pytest.raises(EngineError):
        await starting
    assert engine.pid is None


async def test_an_end_at_the_start_tells_what_the_engine_said():
    engine = misbehaving("dies at once")
    with pytest.raises(EngineError, match=r"ended with status 1 .*; it said: no network file"):
        await engine.start()
    assert engine.errors == ("no network file",)


async def test_after_an_end_there_is_a_sentence_too():
    engine = misbehaving("crash")
    await engine.start()
    with pytest.raises(EngineError):
        await engine.send("genmove b")
    with pytest.raises(EngineError, match="is not running"):
        await engine.send("genmove b")
    await engine.close()


async def test_answers_without_id_and_answers_too_late():
    for mode in ("no id", "late"):
        async with misbehaving(mode) as engine:
            assert engine.name == f"Misbehaving {mode}"
            assert await engine.send("genmove b") == "pass"


async def test_what_an_engine_complains_is_kept_within_bounds():
    async with misbehaving("noisy") as engine:
        await engine.send("genmove b")
    assert len(engine.errors) == 200
    assert max(map(len, engine.errors)) <= 500
    assert engine.errors[-1] == "�[31mlast"


async def test_a_name_is_kept_within_bounds():
    async with misbehaving("long name") as engine:
        assert engine.name == engine.version == "x" * 200 + "…"


@needs_proc
async def test_a_deaf_engine_is_ended_all_the_same():
    engine = misbehaving("deaf")
    await engine.start()
    pid = engine.pid
    assert pid is not None
    await engine.close()
    assert await ended(pid)


async def test_an_engine_gone_before_it_is_asked_is_told_of_by_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    # The engine is still running, so the client would wait the full time for its end.
    monkeypatch.setattr(client, "_DYING", 0.3)
    engine = misbehaving("deaf")
    await engine.start()

    async def broken(_text: str) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(engine._running(), "write", broken)
    with pytest.raises(EngineError) as gone:
        await engine.send("genmove b")
    assert "'genmove b'" in str(gone.value)
    await engine.close()


async def test_an_end_that_is_cancelled_is_waited_for_all_the_same(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(client, "_QUITTING", 0.3)
    engine = misbehaving("deaf")
    await engine.start()
    program = engine._running()
    closing = asyncio.create_task(engine.close())
    for _time in range(2):
        await asyncio.sleep(0)
        closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert program.pid is None, "the event loop may end now, and would not see the end of the process"


@needs_proc
async def test_what_an_engine_started_is_ended_with_it():
    engine = misbehaving("child")
    await engine.start()
    await until(lambda: engine.errors)
    child = int(engine.errors[0].split()[1])
    assert is_running(child)
    await engine.close()
    assert await ended(child)


@needs_proc
async def test_what_an_engine_that_ended_had_started_is_ended_before_the_next_start():
    thinker = EnginePlayer(misbehaving("child that stays"))
    kept = set(signals.last_resorts)
    children = []
    for _move in range(2):
        await thinker.think(Think(Position.of(Game(9))))
        await until(lambda: thinker.engine.errors)
        children.append(int(thinker.engine.errors[0].removeprefix("child ")))
        await until(lambda: thinker.pid is None)
    assert await ended(children[0])
    assert is_running(children[1])
    await thinker.close()
    assert await ended(children[1])
    assert signals.last_resorts == kept


@needs_proc
async def test_a_cancelled_thought_leaves_no_process():
    engine = misbehaving("silent")
    await engine.start()
    pid = engine.pid
    assert pid is not None
    thinking = asyncio.create_task(engine.send("genmove b"))
    await until(lambda: "thinking" in engine.errors)
    thinking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await thinking
    await engine.close()
    assert await ended(pid)


async def cancelled_after_sending(engine: Engine, command: str, patience: float = HANG) -> None:
    """Send a command and cancel it as soon as it is written, before the response is read."""
    thinking = asyncio.create_task(engine.send(command, patience))
    await asyncio.sleep(0)
    thinking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await thinking


@pytest.mark.parametrize("analysing", [False, True])
async def test_nothing_is_sent_before_a_cancelled_command_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, analysing: bool
):
    # The time limit of the next command must start only when it is sent.
    engine = misbehaving(f"waits for {tmp_path / 'go'}")
    await engine.start()
    sent: list[str] = []
    program = engine._running()
    write = program.write

    async def noting(text: str) -> None:
        sent.append(text.partition(" ")[2].strip())
        await write(text)

    monkeypatch.setattr(program, "write", noting)
    await cancelled_after_sending(engine, "genmove b")
    asking = engine.analyse("analyse", lambda _line: None, asyncio.Event()) if analysing else engine.send("boardsize 5")
    next_command = asyncio.create_task(asking)
    for _moment in range(10):
        await asyncio.sleep(0.01)
        assert sent == ["genmove b"]
    (tmp_path / "go").touch()
    await next_command
    assert sent == ["genmove b", "analyse" if analysing else "boardsize 5"]
    await engine.close()


async def test_a_cancelled_command_has_no_more_time_than_it_was_given():
    engine = misbehaving("silent")
    await engine.start()
    await cancelled_after_sending(engine, "genmove b", 0.5)
    with pytest.raises(EngineError, match=r"did not answer 'genmove b' within 0.5 seconds and was ended") as told:
        await engine.send("boardsize 5")
    assert told.value.fault == "silent"
    assert engine.pid is None
    await engine.start()
    assert await engine.send("boardsize 5") == ""
    await engine.close()


async def test_the_answer_to_a_cancelled_command_is_not_taken_for_that_to_the_next():
    async with misbehaving("no id") as engine:
        await cancelled_after_sending(engine, "genmove b")
        assert await engine.send("name") == "Misbehaving\tno id"


async def test_an_answer_that_came_in_time_may_be_read_much_later():
    async with misbehaving("well") as engine:
        await cancelled_after_sending(engine, "genmove b", 0.1)
        output, asked = engine._running()._process.stdout, engine._unanswered
        assert output is not None
        assert asked is not None
        await until(lambda: b"pass" in output._buffer)
        await until(lambda: asyncio.get_running_loop().time() > asked.deadline)
        assert await engine.send("boardsize 5") == ""


async def test_an_analysis_that_was_cancelled_twice_is_waited_for(tmp_path: Path):
    async with misbehaving(f"waits for {tmp_path / 'go'}") as engine:
        analysing = asyncio.create_task(engine.analyse("genmove b", lambda _line: None, asyncio.Event()))
        await asyncio.sleep(0)
        for _time in range(2):
            await asyncio.sleep(0)
            analysing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await analysing
        next_command = asyncio.create_task(engine.send("name"))
        await asyncio.sleep(0.1)
        assert not next_command.done()
        (tmp_path / "go").touch()
        assert (await next_command).startswith("Misbehaving")


@needs_proc
async def test_an_app_that_ends_without_closing_leaves_no_process():
    script = (
        "import asyncio, sys; from daoqi_tui.gtp.client import Engine\n"
        "async def main():\n"
        "    engine = Engine(sys.argv[1:]); await engine.start(); print(engine.pid, flush=True)\n"
        "    raise SystemExit\n"
        "asyncio.run(main())"
    )
    command = [sys.executable, "-c", script, sys.executable, str(HERE / "misbehaving.py"), "deaf"]
    app = await asyncio.create_subprocess_exec(
        *command,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(HERE.parents[1])},
    )
    output, _ = await app.communicate()
    assert await ended(int(output))


async def test_analysis_is_told_and_ends_when_told():
    game = Game(9)
    thinker = EnginePlayer(Engine(OURS))
    heard: list[Progress] = []

    def hear(progress: Progress) -> None:
        heard.append(progress)
        if len(heard) == 3:
            thinker.hurry()

    answer = await thinker.think(Think(Position.of(game), analyse=True), hear)
    assert len(heard) >= 3
    assert heard[0].lines[0].win == 0.625
    assert heard[0].margin == 3.5
    assert answer.lines == heard[-1].lines
    assert answer.move == heard[-1].lines[0].move
    move = await thinker.think(Think(Position.of(game)), hear)
    assert move.lines
    assert move.move == answer.move
    await thinker.close()


async def test_a_cancelled_analysis_leaves_an_engine_that_answers():
    thinker = EnginePlayer(Engine(OURS))
    for _again in range(2):
        started = asyncio.Event()
        asking = asyncio.create_task(
            thinker.think(Think(Position.of(Game(9)), analyse=True), lambda _, started=started: started.set())
        )
        await asyncio.wait_for(started.wait(), HANG)
        pid = thinker.pid
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    assert thinker.pid == pid, "the same engine goes on"
    answer = await asyncio.wait_for(thinker.think(Think(Position(9, 4, (40,)))), HANG)
    assert answer.move != 40
    await thinker.close()


async def test_an_analysis_ends_when_it_has_its_visits():
    thinker = EnginePlayer(Engine(OURS))
    answer = await asyncio.wait_for(thinker.think(Think(Position.of(Game(9)), analyse=True, visits=10)), HANG)
    assert answer.visits == 10
    await thinker.close()


async def test_win_rates_are_read_in_the_dialect_of_the_engine():
    thinker = EnginePlayer(misbehaving("sees no hope"))
    found = await thinker.think(Think(Position.of(Game(9))), lambda _: None)
    assert (found.move, found.win) == (E5, 0.0001)
    await thinker.close()


def test_what_an_engine_reports_is_cut_to_what_is_legal_on_the_torus():
    position = Position(5, 4, (12, 13))
    board = position.board()
    before = str(board)
    lines = (
        Candidate(12, 50, 0.9, (12, 0), 3.0),
        Candidate(7, 40, 0.6, (7, 8, 7, 9), 1e9),
        Candidate(8, 30, 0.5, (9, 8), 0.0),
        Candidate(PASS, 20, 0.1, (PASS, PASS, 1), -1e9),
    )
    found = legal_part(Progress(1, 140, 1.0, lines, 3.0), board, 4)
    assert found is not None
    assert [(line.move, line.line, line.margin) for line in found.lines] == [
        (7, (7, 8), 29.0),
        (PASS, (PASS,), -29.0),
    ]
    assert found.margin == 29.0
    assert str(board) == before
    assert legal_part(Progress(1, 140, 1.0, lines[:1], 3.0), board, 4) is None


async def test_an_engine_follows_the_game():
    engine = Engine(OURS)
    thinker = EnginePlayer(engine)
    game = Game(9, komi=5.5)
    for _ in range(6):
        answer = await thinker.think(Think(Position.of(game)))
        game.play(answer.move)
    game.undo()
    game.undo()
    game.pass_turn()
    await thinker.think(Think(Position.of(game)))
    assert await engine.send("get_komi") == "5.5"
    # The engine's own move is already on its board, in addition to the stones of the game.
    assert len((await engine.send("list_stones b") + " " + await engine.send("list_stones w")).split()) == 5
    await thinker.close()


async def test_an_engine_that_reports_for_ever_is_ended_when_its_time_is_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(player, "_SPARE", 0.5)
    thinker = EnginePlayer(misbehaving("endless reports"))
    text = r"did not answer 'lz-genmove_analyze black 20' within 1 seconds and was ended"
    with pytest.raises(EngineError, match=text):
        await asyncio.wait_for(thinker.think(Think(Position(9, 4), seconds=0.5), lambda _: None), HANG)
    assert thinker.pid is None


async def test_stones_laid_out_by_hand():
    engine = Engine(OURS)
    thinker = EnginePlayer(engine)
    position = Position(9, 4, (Setup(0b11, 0b100, 0, WHITE),))
    await thinker.think(Think(position))
    assert (await engine.send("list_stones b")).split() == ["A9", "B9"]
    assert "C9" in (await engine.send("list_stones w")).split()
    with pytest.raises(EngineError, match="cannot be sent over GTP"):
        await thinker.think(Think(Position(9, 4, (Setup(0, 0, 1, BLACK),))))
    await thinker.close()


async def test_resignation_and_pass():
    for mode, move in (("resigns", RESIGN), ("well", PASS)):
        thinker = EnginePlayer(misbehaving(mode))
        assert (await thinker.think(Think(Position(9, 4)))).move == move
        await thinker.close()


async def test_an_engine_that_knows_only_flat_boards():
    game = Game(9)
    game.play(E5)
    thinker = EnginePlayer(misbehaving("bordered"))
    text = "Misbehaving bordered refused 'play black E5': illegal move, although the move is legal on the torus"
    with pytest.raises(EngineError, match=re.escape(text)):
        await thinker.think(Think(Position.of(game)))
    await thinker.close()


async def test_an_engine_is_told_daoqis_rules_too(monkeypatch: pytest.MonkeyPatch):
    thinker = EnginePlayer(Engine(f"{shlex.join(OURS)} tromp-taylor"))
    sent = commands_sent(monkeypatch)
    for _again in range(2):
        await thinker.think(Think(Position(9, 4)))
        assert json.loads(await thinker.engine.send("kata-get-rules"))["passCost"] == 1
        thinker.forget()
    await thinker.close()
    assert sent.count("kata-set-rules daoqi") == 1, "once is enough"


async def test_an_engine_that_does_not_know_the_name_of_daoqis_rules_may_play_by_them(
    monkeypatch: pytest.MonkeyPatch,
):
    thinker = EnginePlayer(misbehaving("knows other rules"))
    sent = commands_sent(monkeypatch)
    for _again in range(2):
        assert (await thinker.think(Think(Position(9, 4)))).move == PASS
        thinker.forget()
    await thinker.close()
    assert "kata-set-rules daoqi" in sent


async def test_rules_that_an_engine_refuses_are_refused_every_time():
    thinker = EnginePlayer(misbehaving("knows other rules"))
    tromp_taylor = Position(9, 4, rules=TROMP_TAYLOR)
    assert (await thinker.think(Think(tromp_taylor))).move == PASS
    for _again in range(2):
        with pytest.raises(EngineError, match="refused 'kata-set-rules daoqi': unknown rules"):
            await thinker.think(Think(Position(9, 4)))
    assert (await thinker.think(Think(tromp_taylor))).move == PASS
    await thinker.close()


async def test_rules_are_sent_again_where_it_is_not_known_whether_they_were_set(monkeypatch: pytest.MonkeyPatch):
    asked = asyncio.Event()

    async def wait(command: str) -> None:
        if command == "kata-set-rules daoqi":
            asked.set()
            await asyncio.Event().wait()

    thinker = EnginePlayer(Engine(OURS))
    sent = commands_sent(monkeypatch, wait)
    tromp_taylor = Position(9, 4, rules=TROMP_TAYLOR)
    await thinker.think(Think(tromp_taylor))
    thinking = asyncio.create_task(thinker.think(Think(Position(9, 4))))
    await asked.wait()
    thinking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await thinking
    await thinker.think(Think(tromp_taylor))
    await thinker.close()
    rules = [command for command in sent if command.startswith("kata-set-rules")]
    assert rules == ["kata-set-rules tromp-taylor", "kata-set-rules daoqi", "kata-set-rules tromp-taylor"]
