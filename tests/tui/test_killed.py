"""Kills the program at random moments of a game: no move it showed may be lost, and every start must work.

``DAOQI_KILLS=1000 python -m pytest tests/tui/test_killed.py`` runs longer.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from daoqi_tui.record.journal import replay
from tests.thorough import report, rounds
from tests.tui.in_terminal import Driven, journal_of, place
from tests.waiting import HANG

pytest.importorskip("termios", reason="this system has no pseudo-terminals to play in")

KILLS = int(os.environ.get("DAOQI_KILLS", str(rounds(6, 1000))))
GAME = 5
"""The number of kills per game; after them a new game begins in an empty folder."""


def test_killed_at_random_moments(tmp_path: Path) -> None:
    rng = random.Random(2004)
    counts = [
        kill_through_a_game(tmp_path / str(begun), rng, min(GAME, KILLS - begun)) for begun in range(0, KILLS, GAME)
    ]
    report(kills=KILLS, acknowledged=sum(counts))


def kill_through_a_game(folder: Path, rng: random.Random, kills: int) -> int:
    """Return how many moves and undos were acknowledged."""
    points = rng.sample(range(256), 256)
    acknowledged = count = 0
    for kill in range(kills):
        program = Driven(folder)
        app = program.terminal
        pending: set[int] = set()
        # Every fifth time, the program is killed while it starts.
        until = time.monotonic() + (rng.uniform(0.0, 0.5) if kill % 5 == 4 else HANG)
        kept = journal_of(folder) is not None
        greeting = b"Unfinished games" if kept else b"Move 1"
        ready = app.wait_until(greeting, until - time.monotonic())
        if ready and kept:
            app.send("\r")
            # Before that, a click would select something in the list of unfinished games.
            ready = app.wait_until(b"Game resumed", until - time.monotonic())
        if ready and app.wait_for(acknowledged, until):
            until = time.monotonic() + rng.uniform(0.0, 0.6)
            while time.monotonic() < until and points:
                step = -1 if acknowledged and rng.random() < 0.2 else 1
                if step < 0:
                    app.send("u")
                else:
                    x, y = place(points.pop())
                    app.send(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m")
                pending = {acknowledged + step}
                if not app.wait_for(acknowledged + step, until):
                    break
                acknowledged += step
                count += 1
                pending = set()
        else:
            assert kill % 5 == 4, app.output[-2000:]
        program.kill()
        journal = journal_of(folder)
        if journal is None:
            assert not acknowledged
            continue
        restored = replay(journal)
        assert not restored.damaged
        assert restored.game.node.number in {acknowledged} | pending
        acknowledged = restored.game.node.number
    return count
