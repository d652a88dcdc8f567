"""Every move gets all the evaluations of its level, whatever commands surround it; time is never measured."""

from __future__ import annotations

import asyncio
import io
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui.ai import Answer, Position, Think
from daoqi_tui.ai.levels import level_of
from daoqi_tui.engine import BLACK, WHITE, Game
from daoqi_tui.gtp.engine import ServeOptions, Server
from daoqi_tui.gtp.player import LevelPlayer
from daoqi_tui.lab.match import match
from daoqi_tui.lab.match.match import EngineMatch, MatchOptions, referee
from tests.gtp.talking import split

SIZE = 5
PLAYERS = [7, 8, 9]
"""Levels that search."""


class Counting(LevelPlayer):
    """Our own player, which records the number of evaluations of each move."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.counts: list[int] = []

    async def think(self, request: Think, *rest: Any) -> Answer:
        answer = await super().think(request, *rest)
        position = request.position
        # On an empty board, and where a pass wins at once, nothing is searched.
        if position.actions and position.passes_in_row == 0 and not request.analyse:
            self.counts.append(answer.visits)
        return answer


def evaluations(level: int) -> int:
    count = level_of(level).effort.evaluations_on(SIZE)
    assert count
    return count


def decided_from(level: int) -> int:
    """Return the fewest evaluations that can decide a move: the leader then has more than half of the total."""
    return evaluations(level) // 2 + 1


def counts(level: int, *commands: str) -> list[int]:
    """Return the number of evaluations of each move that the commands asked for."""
    thinker = Counting(level)
    target = io.StringIO()

    async def run() -> None:
        source = io.StringIO("".join(f"{command}\n" for command in commands))
        await Server(source, target, thinker, ServeOptions(SIZE, resign=False)).run()

    asyncio.run(run())
    assert {answer.sign for answer in split(target.getvalue())} == {"="}
    return thinker.counts


@pytest.mark.parametrize("level", PLAYERS)
def test_without_a_clock(level: int):
    found = counts(level, "play b C3", *["genmove w", "genmove b"] * 3)
    assert len(found) >= 5
    assert min(found) >= decided_from(level)


def test_with_time_enough():
    settings = (
        "time_settings 100000 0 0",
        "time_settings 0 1 0",
        "time_settings 0 0 0",
        "time_settings 0 100000 1",
        "kgs-time_settings none",
        "kgs-time_settings byoyomi 0 100000 5",
        "kgs-time_settings canadian 0 100000 1",
        "kata-time_settings byoyomi 0 2147483647 1",
        "kata-time_settings fischer 2147483647 2147483647",
    )
    games = [("clear_board", "play b C3", setting, *["genmove w", "genmove b"] * 2) for setting in settings]
    found = counts(8, *chain.from_iterable(games))
    assert len(found) == 4 * len(settings)
    assert min(found) >= decided_from(8)


def test_whatever_came_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.sgf").write_text("(;SZ[5]TO[3];B[aa];W[cc];B[bb])", "utf-8")
    moves = ("genmove w", "genmove b")
    kinds = (
        ("clear_board", "play b C3"),
        ("undo",),
        ("undo", "undo", "reg_genmove w"),
        ("gg-undo 2",),
        ("boardsize 5", "play b C3"),
        ("kata-genmove_analyze b",),
        ("loadsgf game.sgf",),
        ("clear_board", "place_free_handicap 2"),
    )
    games = [("clear_board", "play b C3", *moves, *between, *moves, *between, *moves) for between in kinds]
    found = counts(8, *chain.from_iterable(games))
    assert len(found) >= 6 * len(kinds)
    assert min(found) >= decided_from(8)


def test_a_clock_that_ran_out_is_not_that_of_the_next_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.sgf").write_text("(;SZ[5]TO[3];B[aa];W[cc])", "utf-8")
    clock = ("clear_board", "play b C3", "time_settings 100000 0 0", "time_left w 0 0", "time_left b 0 0", "genmove w")
    kinds = ("clear_board", "loadsgf game.sgf")
    games = [(*clock, between, "play b C2", "genmove w") for between in kinds]
    found = counts(8, *chain.from_iterable(games))
    # The first move of each game had no time left; the second has the full time again.
    assert len(found) == 2 * len(kinds)
    assert min(found[1::2]) >= decided_from(8)


async def test_in_a_match_without_a_time_limit():
    players = {BLACK: Counting(8), WHITE: Counting(7)}
    game = Game(SIZE)
    try:
        await referee(game, players, limit=8)
    finally:
        for player in players.values():
            await player.close()
    for player, least in ((players[BLACK], decided_from(8)), (players[WHITE], decided_from(7))):
        assert len(player.counts) >= 3
        assert min(player.counts) >= least


def test_a_match_asks_for_no_limit(monkeypatch: pytest.MonkeyPatch):
    asked: list[float | None] = []

    class Slow(LevelPlayer):
        async def think(self, request: Think, *rest: Any) -> Answer:
            asked.append(request.seconds)
            return await super().think(request, *rest)

    monkeypatch.setattr(match, "LevelPlayer", Slow)
    asyncio.run(EngineMatch(MatchOptions("level:1", "level:1", games=1, size=SIZE, limit=4)).run())
    assert set(asked) == {None}


async def test_a_level_is_not_cut_short_by_its_own_time(monkeypatch: pytest.MonkeyPatch):
    """The levels' time limits are for the TUI; over GTP they would make a level weaker on a slow machine."""
    thinker = LevelPlayer(9)
    asked: list[float | None] = []

    async def think(request: Think, *_: object) -> Answer:
        asked.append(request.seconds)
        return Answer(1, 0, 0.5, False, 0, 0.0, (), 0.0)

    monkeypatch.setattr(thinker._process, "think", think)
    await thinker.think(Think(Position(SIZE, 4)))
    await thinker.think(Think(Position(SIZE, 4), seconds=40))
    assert asked[0] is not None
    assert asked[0] > 3600
    assert asked[1] == 40
