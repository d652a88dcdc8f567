"""The player in its own process: answers, stops, crashes, and never outlives the app."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from daoqi_tui.ai.player import Player, PlayerCrashed, PlayerError
from daoqi_tui.ai.protocol import Position, Progress
from daoqi_tui.engine import PASS

OPEN = Position(9, 4, (40, 41))
SOON = 30.0
"""Seconds after which a test gives up on something that should come at once."""


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


async def gone(pid: int) -> bool:
    end = time.monotonic() + SOON
    while alive(pid) and time.monotonic() < end:
        await asyncio.sleep(0.05)
    return not alive(pid)


async def test_a_move_an_estimate_and_progress() -> None:
    told: list[Progress] = []
    async with Player() as player:
        answer = await player.think(OPEN, 10, seconds=0.8, on_progress=told.append)
        assert 0 <= answer.move < 81
        assert 0 <= answer.win <= 1
        assert answer.lines[0].line[0] == answer.lines[0].move
        assert len(answer.lines) == 3
        assert told
        assert told[-1].playouts <= answer.playouts
        found = await player.estimate(OPEN, playouts=30, seed=1)
        assert len(found.ownership) == 81
        pid = player.pid
        assert pid is not None
    assert await gone(pid)


async def test_the_same_seed_gives_the_same_answer_in_another_process() -> None:
    answers = []
    for _ in range(2):
        async with Player() as player:
            answer = await player.think(OPEN, 4, seconds=SOON, seed=5)
            answers.append((answer.move, answer.lines))
    assert answers[0] == answers[1]


async def test_hurry_has_it_answer_now() -> None:
    async with Player() as player:
        started = asyncio.Event()
        asking = asyncio.create_task(player.think(OPEN, 10, seconds=3600, on_progress=lambda _: started.set()))
        await asyncio.wait_for(started.wait(), SOON)
        player.hurry()
        answer = await asyncio.wait_for(asking, SOON)
        assert answer.playouts > 0
        assert answer.seconds < SOON


async def test_what_a_listener_raises_ends_its_request_and_no_other() -> None:
    def told(_: Progress) -> None:
        raise BrokenPipeError("nobody reads")

    async with Player() as player:
        with pytest.raises(BrokenPipeError, match="nobody reads"):
            await asyncio.wait_for(player.think(OPEN, 10, analyse=True, on_progress=told), SOON)
        # The thought that nobody waits for has been stopped, and the process is still heard.
        answer = await asyncio.wait_for(player.think(OPEN, 1), SOON)
        assert 0 <= answer.move < 81


async def test_a_cancelled_thought_makes_room_for_the_next() -> None:
    async with Player() as player:
        started = asyncio.Event()
        asking = asyncio.create_task(player.think(OPEN, 10, seconds=3600, on_progress=lambda _: started.set()))
        await asyncio.wait_for(started.wait(), SOON)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        answer = await asyncio.wait_for(player.think(OPEN, 2), SOON)
        assert answer.seconds < SOON


async def test_requests_wait_for_each_other() -> None:
    async with Player() as player:
        positions = [Position(5, 4, (move,)) for move in range(6)]
        answers = await asyncio.wait_for(asyncio.gather(*(player.think(p, 1) for p in positions)), SOON)
        assert [answer.id for answer in answers] == sorted(answer.id for answer in answers)
        assert all(answer.move != place for place, answer in enumerate(answers))


@pytest.mark.parametrize(
    ("position", "level", "said"),
    [
        (Position(5, 4, (1, 1)), 1, "a stone stands there already"),
        (Position(5, 4, (PASS, PASS)), 1, "the game is over"),
        (OPEN, 11, "level 11 is out of range"),
        (Position(99, 4), 1, "out of range"),
    ],
)
async def test_what_cannot_be_answered_is_refused_in_one_line(position: Position, level: int, said: str) -> None:
    async with Player() as player:
        with pytest.raises(PlayerError, match=said) as caught:
            await player.think(position, level)
        assert "\n" not in str(caught.value)
        assert not isinstance(caught.value, PlayerCrashed)
        assert (await player.think(OPEN, 1)).move >= 0


async def test_a_crash_is_told_in_one_line_and_play_goes_on() -> None:
    async with Player() as player:
        started = asyncio.Event()
        asking = asyncio.create_task(player.think(OPEN, 10, seconds=3600, on_progress=lambda _: started.set()))
        await asyncio.wait_for(started.wait(), SOON)
        assert player.pid is not None
        os.kill(player.pid, signal.SIGKILL)
        with pytest.raises(PlayerCrashed, match="SIGKILL") as caught:
            await asyncio.wait_for(asking, SOON)
        assert "\n" not in str(caught.value)
        assert (await player.think(OPEN, 1)).move >= 0


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise SystemExit('no memory left')", "no memory left"),
        ("print('hello'); import time; time.sleep(60)", "ended"),
        ("import sys; sys.stdin.readline(); print('{}', flush=True)", "ended"),
    ],
)
async def test_whatever_the_process_does_the_request_ends(code: str, said: str) -> None:
    async with Player([sys.executable, "-c", code]) as player:
        with pytest.raises(PlayerCrashed, match=said):
            await asyncio.wait_for(player.think(OPEN, 1), SOON)


async def test_a_command_that_does_not_exist() -> None:
    async with Player(["/nowhere/at-all"]) as player:
        with pytest.raises(PlayerError, match="could not be started"):
            await player.think(OPEN, 1)


async def test_closing_ends_a_thought() -> None:
    player = Player()
    started = asyncio.Event()
    asking = asyncio.create_task(player.think(OPEN, 10, seconds=3600, on_progress=lambda _: started.set()))
    await asyncio.wait_for(started.wait(), SOON)
    pid = player.pid
    assert pid is not None
    await player.close()
    with pytest.raises(PlayerCrashed):
        await asking
    assert await gone(pid)


APP = """
import asyncio, os, sys, time
from daoqi_tui.ai.player import Player
from daoqi_tui.ai.protocol import Position

async def main():
    player = Player()
    asyncio.create_task(player.think(Position(16, 4, (1, 2)), 10, seconds=3600))
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
        assert alive(kept)
        app.send_signal(signal.SIGKILL)
        app.wait()
        try:
            assert await gone(kept)
        finally:
            for pid in others:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def alive_player(pids: list[int], app: int) -> int:
    """Which of the processes is the player: it has a session of its own."""
    return next(pid for pid in pids if os.getsid(pid) != os.getsid(app))
