"""The computer player in its own process: answers, stops and crashes; it never outlives the app."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from daoqi_tui import log
from daoqi_tui.ai import CPU_TIME, FIRST_VISITS, USUAL, Position, Prepare, Progress, Think, encode, nets, worker
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.ai.process import PlayerCrashed, PlayerError, PlayerProcess
from daoqi_tui.ai.search.puct import PuctSearch
from daoqi_tui.children import environment
from daoqi_tui.engine import PASS
from tests.forked import forked_command
from tests.waiting import HANG, is_running, until

OPEN = Position(9, 4, (40, 41))
FORKED = forked_command("-m", "daoqi_tui.ai.worker")
"""The command for what does not depend on how the process is started."""


async def gone(pid: int) -> bool:
    await until(lambda: not is_running(pid))
    return True


def test_the_search_has_one_thread_for_products_whatever_the_shell_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """With --cpu-time, only the search's own thread is counted."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    assert environment(OPENBLAS_NUM_THREADS="1")["OPENBLAS_NUM_THREADS"] == "1"


async def test_a_move_an_estimate_and_progress() -> None:
    told: list[Progress] = []

    def tell(progress: Progress) -> None:
        told.append(progress)
        # By then at least three moves have been tried.
        if len(told) >= 2 and progress.visits >= 100:
            player.hurry()

    async with PlayerProcess() as player:
        answer = await player.think(Think(OPEN, 10, seconds=3600), tell)
        assert 0 <= answer.move < 81
        assert 0 <= answer.win <= 1
        assert answer.lines[0].line[0] == answer.lines[0].move
        assert len(answer.lines) == 3
        assert told[-1].visits <= answer.visits
        found = await player.estimate(OPEN)
        assert len(found.ownership) == 81
        pid = player.pid
        assert pid is not None
    assert await gone(pid)


async def test_the_same_seed_gives_the_same_answer_in_another_process() -> None:
    answers = []
    for _ in range(2):
        async with PlayerProcess() as player:
            answer = await player.think(Think(OPEN, 4, seconds=HANG, seed=5))
            answers.append((answer.move, answer.lines))
    assert answers[0] == answers[1]


async def test_hurry_has_it_answer_now() -> None:
    async with PlayerProcess(FORKED) as player:
        started = asyncio.Event()
        asking = asyncio.create_task(player.think(Think(OPEN, 10, seconds=3600), lambda _: started.set()))
        await asyncio.wait_for(started.wait(), HANG)
        player.hurry()
        answer = await asyncio.wait_for(asking, HANG)
        assert answer.visits > 0
        assert answer.seconds < HANG


async def test_what_a_listener_raises_ends_its_request_and_no_other() -> None:
    def told(_: Progress) -> None:
        raise BrokenPipeError("nobody reads")

    async with PlayerProcess(FORKED) as player:
        with pytest.raises(BrokenPipeError, match="nobody reads"):
            await asyncio.wait_for(player.think(Think(OPEN, 10, analyse=True), told), HANG)
        # The abandoned search has been stopped, and the process still answers.
        answer = await asyncio.wait_for(player.think(Think(OPEN, 1)), HANG)
        assert 0 <= answer.move < 81


async def test_a_cancelled_thought_makes_room_for_the_next() -> None:
    async with PlayerProcess(FORKED) as player:
        started = asyncio.Event()
        asking = asyncio.create_task(player.think(Think(OPEN, 10, seconds=3600), lambda _: started.set()))
        await asyncio.wait_for(started.wait(), HANG)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        answer = await asyncio.wait_for(player.think(Think(OPEN, 2)), HANG)
        assert answer.seconds < HANG


async def test_a_search_can_be_hurried_while_its_process_is_being_started() -> None:
    async with PlayerProcess() as player:
        asking = asyncio.create_task(player.think(Think(OPEN, 10, seconds=3600)))
        await asyncio.sleep(0)
        assert player.pid is None
        player.hurry()
        answer = await asyncio.wait_for(asking, HANG)
        assert 0 <= answer.move < 81
        # Only requests made before the call are hurried.
        answer = await asyncio.wait_for(player.think(Think(OPEN, 10, visits=200, seconds=HANG)), HANG)
        assert answer.visits >= 200


async def test_a_search_of_the_opponents_position_ends_at_once_and_its_tree_is_kept() -> None:
    told: list[Progress] = []
    async with PlayerProcess(FORKED) as player:
        pondering = asyncio.create_task(player.think(Think(OPEN, 10, visits=1_000_000, analyse=True), told.append))
        await until(lambda: bool(told) and told[-1].lines[0].visits > 1000)
        expected = told[-1].lines[0]
        pondering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await pondering
        after = Position(9, 4, (*OPEN.actions, expected.move))
        answer = await asyncio.wait_for(player.think(Think(after, 10, seconds=0.001)), HANG)
        assert answer.visits >= expected.visits // 2, "the subtree below the move is taken along"


async def test_requests_wait_for_each_other() -> None:
    async with PlayerProcess(FORKED) as player:
        positions = [Position(5, 4, (move,)) for move in range(6)]
        answers = await asyncio.wait_for(asyncio.gather(*(player.think(Think(p, 1)) for p in positions)), HANG)
        assert [answer.id for answer in answers] == sorted(answer.id for answer in answers)
        assert all(answer.move != place for place, answer in enumerate(answers))


@pytest.mark.parametrize(
    ("position", "level", "said"),
    [
        (Position(5, 4, (1, 99)), 1, "action 99 is no point of the board: 0 to 24"),
        (Position(5, 4, (PASS, PASS)), 1, "the game is over"),
        (OPEN, 11, "there is no level 11: 1 to 10"),
        (Position(99, 4), 1, "out of range"),
    ],
)
async def test_what_cannot_be_answered_is_refused_in_one_line(position: Position, level: int, said: str) -> None:
    async with PlayerProcess(FORKED) as player:
        with pytest.raises(PlayerError, match=said) as caught:
            await player.think(Think(position, level))
        assert "\n" not in str(caught.value)
        assert not isinstance(caught.value, PlayerCrashed)
        assert (await player.think(Think(OPEN, 1))).move >= 0


async def test_a_crash_is_told_in_one_line_and_play_goes_on() -> None:
    async with PlayerProcess() as player:
        started = asyncio.Event()
        asking = asyncio.create_task(player.think(Think(OPEN, 10, seconds=3600), lambda _: started.set()))
        await asyncio.wait_for(started.wait(), HANG)
        assert player.pid is not None
        os.kill(player.pid, signal.SIGKILL)
        with pytest.raises(PlayerCrashed, match="SIGKILL") as caught:
            await asyncio.wait_for(asking, HANG)
        assert "\n" not in str(caught.value)
        assert (await player.think(Think(OPEN, 1))).move >= 0


@pytest.mark.parametrize(
    "code",
    [
        "print('hello'); import time; time.sleep(60)",
        "import sys; sys.stdin.readline(); print('{}', flush=True)",
        "import sys; sys.stdin.readline()",
    ],
)
async def test_whatever_the_process_does_the_request_ends(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    async with PlayerProcess([sys.executable, "-c", code]) as player:
        with pytest.raises(PlayerCrashed, match="ended"):
            await asyncio.wait_for(player.think(Think(OPEN, 1)), HANG)
    assert not list(tmp_path.rglob("*.txt")), "there is nothing to report"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
async def test_a_request_that_is_cancelled_leaves_those_of_a_dead_process_their_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # A child of the process keeps its standard error open until something is written to the pipe.
    code = f"import subprocess, sys; subprocess.Popen(['head', '-c1', {str(pipe)!r}]); sys.stdin.readline()"
    async with PlayerProcess([sys.executable, "-c", code]) as player:
        waiting = asyncio.create_task(player.think(Think(OPEN, 1)))
        await until(lambda: player._process is not None and player.pid is None)
        cancelled = asyncio.create_task(player.think(Think(OPEN, 1)))
        for _ in range(20):
            await asyncio.sleep(0)
        cancelled.cancel()
        with pipe.open("r+b", buffering=0) as end:
            end.write(b".")
            with pytest.raises(PlayerCrashed, match="ended"):
                await asyncio.wait_for(waiting, HANG)
        with pytest.raises(asyncio.CancelledError):
            await cancelled


BROKEN = """
from daoqi_tui.ai import player, worker

def think(*_):
    raise {error}

player.SearchPlayer.think = think
worker.main()
"""


async def crash_of(code: str) -> str:
    """Ask a player whose process runs ``code`` for a move; return the message about its crash."""
    async with PlayerProcess([sys.executable, "-c", code]) as player:
        with pytest.raises(PlayerCrashed) as caught:
            await asyncio.wait_for(player.think(Think(OPEN, 1)), HANG)
    return str(caught.value)


async def test_an_unexpected_exception_is_reported_whole_and_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(log, "_logger", logging.getLogger("daoqi_tui"))
    with caplog.at_level(logging.DEBUG, "daoqi_tui"):
        told = await crash_of(BROKEN.format(error="KeyError('x')"))
    [file] = tmp_path.rglob("*.txt")
    assert told == (
        f"the computer player's process ended with status 70; a report of it is in {file}, "
        "and it restarts with the next move"
    )
    for text in (file.read_text("utf-8"), caplog.text):
        assert "Traceback (most recent call last)" in text
        assert "in think" in text
        assert "KeyError: 'x'" in text


async def test_all_that_a_crashed_process_wrote_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    # More than a pipe can buffer, in one line and in many, with an escape sequence at the end.
    lines = "''.join(f'line {n}\\n' for n in range(9000))"
    code = f"import sys; sys.stderr.write('a' * 100_000 + '\\n' + {lines}); raise SystemExit('\\x1b[2Jno memory left')"
    told = await crash_of(code)
    [file] = tmp_path.rglob("*.txt")
    assert str(file) in told
    assert "no memory" not in told
    text = file.read_text("utf-8")
    assert "a" * 100_000 in text
    assert all(f"\nline {number}\n" in text for number in range(9000))
    assert text.endswith("no memory left\n")
    assert "\x1b" not in text


async def test_a_crash_that_cannot_be_reported_is_told_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").write_text("not a folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    told = await crash_of("raise SystemExit('no memory left')")
    assert "ended with status 1, and no report of it could be written: " in told
    assert "\n" not in told


@pytest.mark.parametrize("error", ["KeyError('x')", "ValueError('shapes do not fit')", "MemoryError()"])
def test_an_unexpected_exception_reaches_the_parent_with_its_traceback(error: str) -> None:
    command = [sys.executable, "-c", BROKEN.format(error=error)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stderr is not None
        worker.stdin.write(encode(Think(OPEN, 1)))
        worker.stdin.flush()
        # The input stays open: closing it would end the process, too.
        told = worker.stderr.read().decode()
        assert worker.wait(HANG) == 70
        assert told.startswith("Traceback (most recent call last):\n")
        assert "in think" in told
        assert told.splitlines()[-1].startswith(error.split("(", maxsplit=1)[0])
        assert b"Failure" not in worker.stdout.read()


def test_cpu_time_is_that_of_the_search_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "Worker", lambda *_: SimpleNamespace(run=lambda: None))
    monkeypatch.setattr(sys, "argv", ["worker", CPU_TIME])
    monkeypatch.setattr(sys, "setswitchinterval", lambda _: None)
    # Restores the clock, which the worker replaces, after the test.
    monkeypatch.setattr(PuctSearch, "clock", PuctSearch.clock)
    worker.main()

    def compute() -> None:
        start = time.process_time()
        while time.process_time() < start + 0.3:
            pass

    before = PuctSearch.clock()
    compiling = threading.Thread(target=compute)
    compiling.start()
    compiling.join()
    assert PuctSearch.clock() - before < 0.1
    compute()
    assert PuctSearch.clock() - before >= 0.2


async def test_a_command_that_does_not_exist() -> None:
    async with PlayerProcess(["/nowhere/at-all"]) as player:
        with pytest.raises(PlayerError, match="could not be started"):
            await player.think(Think(OPEN, 1))


async def test_closing_ends_a_thought() -> None:
    player = PlayerProcess()
    started = asyncio.Event()
    asking = asyncio.create_task(player.think(Think(OPEN, 10, seconds=3600), lambda _: started.set()))
    await asyncio.wait_for(started.wait(), HANG)
    pid = player.pid
    assert pid is not None
    await player.close()
    with pytest.raises(PlayerCrashed):
        await asking
    assert await gone(pid)


APP = """
import asyncio, os, sys, time
from daoqi_tui.ai.process import PlayerProcess
from daoqi_tui.ai import Position, Think

async def main():
    player = PlayerProcess()
    asyncio.create_task(player.think(Think(Position(16, 4, (1, 2)), 10, seconds=3600)))
    while player.pid is None:
        await asyncio.sleep(0.01)
    await asyncio.sleep(float(sys.argv[1]))
    if sys.argv[2] == "fork" and os.fork() == 0:
        # Another child that holds every pipe of the app open.
        os.write(1, b"%d\\n" % os.getpid())
        time.sleep(120)
    os.write(1, b"%d\\n" % player.pid)
    await asyncio.sleep(120)

asyncio.run(main())
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc, which this system lacks")
@pytest.mark.parametrize("delay", ["0.0", "0.7"])
@pytest.mark.parametrize("sibling", ["none", "fork"])
async def test_the_app_killed_leaves_no_orphan(delay: str, sibling: str) -> None:
    with subprocess.Popen([sys.executable, "-c", APP, delay, sibling], stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        others = [int(app.stdout.readline()) for _ in range(2 if sibling == "fork" else 1)]
        kept = alive_player(others, app.pid)
        assert is_running(kept)
        app.send_signal(signal.SIGKILL)
        app.wait()
        try:
            assert await gone(kept)
        finally:
            for pid in others:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def alive_player(pids: list[int], app: int) -> int:
    """Return the process that is the player: it has its own session."""
    return next(pid for pid in pids if os.getsid(pid) != os.getsid(app))


def test_a_prepared_player_has_its_network(monkeypatch: pytest.MonkeyPatch) -> None:
    player = SearchPlayer()
    player.prepare(Prepare(13, 10, USUAL))

    def read(path: Path) -> object:
        raise AssertionError(f"{path.name} is read during a move")

    monkeypatch.setattr(nets, "read", read)
    assert 0 <= player.think(Think(Position(13, 4), 10, visits=1, net=USUAL)).move < 169


async def test_a_preparation_says_what_it_does_and_is_done_once() -> None:
    stages: list[str] = []
    async with PlayerProcess() as player:
        await player.prepare(9, 5, net=USUAL, on_stage=stages.append)
        assert stages[-1] == "loading"
        assert set(stages) <= {"compiling", "loading"}
        if find_spec("numba") is not None:
            assert player.speed == "compiled"
        del stages[:]
        await player.prepare(9, 5, net=USUAL, on_stage=stages.append)
        assert stages == []
        await player.prepare(13, 5, net=USUAL, on_stage=stages.append)
        assert stages == ["loading"]


async def test_where_nothing_is_cached_the_compiler_is_named_and_nobody_waits_for_it_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba", reason="numba is not installed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    stages: list[str] = []
    async with PlayerProcess() as player:
        await player.prepare(9, 1, wait=False, on_stage=stages.append)
        assert stages == ["compiling"]
        assert player.speed == "interpreted"
        assert 0 <= (await player.think(Think(Position(9, 4), 1))).move < 81
        waiting = asyncio.create_task(player.prepare(9, 1, on_stage=stages.append))
        await until(lambda: len(stages) == 2)
        assert not waiting.done()
        player.hurry()
        await waiting
        assert stages == ["compiling", "compiling", "loading"]


async def test_a_preparation_that_fails_says_why(tmp_path: Path) -> None:
    async with PlayerProcess(FORKED) as player:
        with pytest.raises(PlayerError, match=r"missing\.npz"):
            await player.prepare(9, 5, net=str(tmp_path / "missing.npz"))


def test_a_first_look_does_not_wait_for_the_larger_network(monkeypatch: pytest.MonkeyPatch) -> None:
    files: list[str] = []
    read = nets.read

    def noted(path: Path) -> tuple[Any, Any]:
        files.append(path.name)
        return read(path)

    monkeypatch.setattr(nets, "read", noted)
    player, request = SearchPlayer(), Think(Position(16, 4), 10, analyse=True, shown=5)
    first = player.look_first(request)
    assert files == [nets.SHIPPED], "not the larger one"
    assert first is not None
    assert first.visits == FIRST_VISITS
    assert first.lines
    assert player.look_first(Think(Position(9, 4), 10, analyse=True)) is None, "the network for 9×9 is loaded as fast"
    player._networks.load(str(nets.file_for(USUAL, 5)))
    assert player.look_first(request) is None, "nothing has to be loaded first"
