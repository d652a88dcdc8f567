"""The match referee, resumed matches, and the statistics in the results table."""

from __future__ import annotations

import asyncio
import io
import json
import math
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal

import pytest
from rich.cells import cell_len
from rich.console import Console

from daoqi_tui.ai import THREADS, Answer, Think
from daoqi_tui.ai.process import PlayerError
from daoqi_tui.cli.main import main
from daoqi_tui.engine import BLACK, DAOQI, EMPTY, PASS, TROMP_TAYLOR, WHITE, Game
from daoqi_tui.gtp.client import Engine, EngineProcess
from daoqi_tui.gtp.player import RESIGN, LevelPlayer
from daoqi_tui.i18n import use_language
from daoqi_tui.lab.match.match import (
    EngineMatch,
    Finished,
    MatchOptions,
    PlayedGame,
    _PlayerPair,
    make_player,
    play_game,
    referee,
)
from daoqi_tui.lab.match.report import elo_text, run_match, table
from daoqi_tui.lab.match.results import (
    LOG_NAME,
    End,
    MatchError,
    Played,
    WrongMatch,
    elo_difference,
    share_of_wins,
    standing,
)
from daoqi_tui.lab.match.sprt import Sprt
from daoqi_tui.record import load
from tests.forked import forked_command
from tests.gtp.simple import SimplePlayer
from tests.waiting import wait_until

ENGINES = Path(__file__).parents[2] / "gtp"
SIMPLE = shlex.join(forked_command("-m", "tests.gtp.simple", "5"))


def misbehaving(mode: str) -> str:
    return f"'{sys.executable}' '{ENGINES / 'misbehaving.py'}' '{mode}'"


class Scripted(SimplePlayer):
    """Plays the given moves in turn; an exception among them is raised."""

    def __init__(self, *moves: int | Exception, hopeless: bool = False) -> None:
        super().__init__()
        self.moves = list(moves)
        self.hopeless = hopeless

    async def think(self, _request: Think) -> Answer:
        move = self.moves.pop(0)
        if isinstance(move, Exception):
            raise move
        return Answer(0, move, 0.5, self.hopeless, 0, 0.0, (), 0.0)


async def test_a_game_ends_with_two_passes():
    game = Game(5, komi=4)
    outcome = await referee(game, {BLACK: Scripted(0, PASS), WHITE: Scripted(PASS)})
    # Black owns all 25 points and has passed once, White has passed once.
    assert (outcome.winner, outcome.result, outcome.end) == (BLACK, "B+21", "passes")


async def test_a_tie_is_whites():
    outcome = await referee(Game(5, komi=0), {BLACK: Scripted(PASS), WHITE: Scripted(PASS)})
    assert (outcome.winner, outcome.result) == (WHITE, "W+0")


async def test_an_equal_game_is_drawn_where_the_rules_have_no_tie_rule():
    game = Game(5, komi=25, rules=TROMP_TAYLOR)
    outcome = await referee(game, {BLACK: Scripted(0, PASS), WHITE: Scripted(PASS)})
    assert (outcome.winner, outcome.result, outcome.end) == (EMPTY, "0", "passes")


def test_a_match_is_played_by_its_rules(tmp_path: Path):
    options = MatchOptions(SIMPLE, SIMPLE, games=2, size=5, out=tmp_path, rules=TROMP_TAYLOR)
    played = asyncio.run(EngineMatch(options).run()).games
    assert played == 2
    assert load(tmp_path / "game-0001.sgf").game.rules == TROMP_TAYLOR
    with pytest.raises(MatchError, match="rules is 'Tromp-Taylor' there and 'Daoqi' here"):
        EngineMatch(replace(options, rules=DAOQI))


def test_an_engine_that_ended_between_games_is_told_the_rules_again(monkeypatch: pytest.MonkeyPatch):
    sent: list[str] = []
    send = Engine.send

    async def noting(self: Engine, command: str, *how: Any) -> str:
        sent.append(command)
        return await send(self, command, *how)

    monkeypatch.setattr(Engine, "send", noting)
    options = MatchOptions(SIMPLE, SIMPLE, size=5, rules=TROMP_TAYLOR, limit=4)

    async def play() -> None:
        seats = _PlayerPair(options)
        try:
            for number in (1, 2):
                await play_game(options, number, seats)
                # As if the engine had ended by itself.
                await seats.player("A").close()
        finally:
            await seats.leave("A", "B")

    asyncio.run(play())
    # To A in each game, to B in the first only.
    assert sent.count("kata-set-rules tromp-taylor") == 3


def test_a_drawn_game_counts_half():
    won = Played(1, "A", "A", "B+3", "passes", 10, 1.0)
    drawn = Played(2, "B", None, "0", "passes", 10, 1.0)
    found = standing(("x", "y"), [won, drawn])
    assert (found.wins, found.as_black, found.as_white, found.share.value) == (1.5, (1, 1), (0.5, 1), 0.75)
    console = Console(file=io.StringIO(), width=120)
    console.print(table(found))
    assert "1.5/2" in console.file.getvalue()  # type: ignore[attr-defined]


async def test_resignation_at_once_and_after_long_hopelessness():
    game = Game(5)
    outcome = await referee(game, {BLACK: Scripted(RESIGN), WHITE: Scripted()})
    assert (outcome.winner, outcome.result, outcome.end) == (WHITE, "W+R", "resignation")
    assert game.is_over
    players = {BLACK: Scripted(0, 1, 2), WHITE: Scripted(10, 11, 12, hopeless=True)}
    game = Game(5)
    assert (await referee(game, players)).result == "B+R"
    assert game.node.number == 5


@pytest.mark.parametrize(
    ("fault", "reason"),
    [(PlayerError("it broke"), "it broke"), (0, "the move A5 is illegal: that point is occupied; .*")],
)
async def test_whoever_fails_forfeits(fault: int | Exception, reason: str):
    outcome = await referee(Game(5), {BLACK: Scripted(0), WHITE: Scripted(fault)})
    assert (outcome.winner, outcome.result, outcome.end) == (BLACK, "B+F", "forfeit")
    assert str(outcome.reason).startswith(reason.removesuffix(".*"))


async def test_a_game_without_end_is_counted():
    outcome = await referee(Game(5), {BLACK: Scripted(0, 2), WHITE: Scripted(1)}, limit=3)
    assert (outcome.result, outcome.end) == ("W+3", "length")


def run(options: MatchOptions) -> EngineMatch:
    match = EngineMatch(options)
    asyncio.run(match.run())
    return match


def test_a_match_leaves_records_and_a_log(tmp_path: Path):
    options = MatchOptions(SIMPLE, SIMPLE, games=4, size=5, out=tmp_path / "match", opening=0)
    match = run(options)
    assert [played.game for played in match.played] == [1, 2, 3, 4]
    assert [played.black for played in match.played] == ["A", "B", "A", "B"]
    # The simple player is deterministic, so the colour alone decides the result.
    assert len({played.result for played in match.played}) == 1
    assert match.standing.wins == 2
    assert match.standing.elo.value == 0
    for played in match.played:
        loaded = load(tmp_path / "match" / f"game-{played.game:04}.sgf")
        assert loaded.info.result == played.result
        assert loaded.game.node.number == played.moves
        assert loaded.torus


def opening_of(path: Path, moves: int) -> list[int]:
    game = load(path).game
    game.goto(game.root.line()[moves - 1])
    return [move.point for move in game.moves()]


def test_every_two_games_begin_alike_and_others_do_not(tmp_path: Path):
    match = run(MatchOptions(SIMPLE, SIMPLE, games=8, size=5, out=tmp_path, opening=3))
    openings = [opening_of(tmp_path / f"game-{played.game:04}.sgf", 3) for played in match.played]
    assert openings[::2] == openings[1::2]
    assert len({tuple(opening) for opening in openings}) == 4


def test_a_log_from_before_there_were_openings_is_gone_on_with(tmp_path: Path):
    options = MatchOptions(SIMPLE, SIMPLE, games=1, size=5, out=tmp_path, opening=0)
    run(options)
    log = tmp_path / LOG_NAME
    log.write_text(log.read_text("utf-8").replace('"opening": 0, ', ""), "utf-8")
    assert EngineMatch(options).standing.games == 1
    with pytest.raises(MatchError, match="opening is 0 there and 2 here"):
        EngineMatch(replace(options, opening=2))


async def test_a_cancelled_match_waits_for_the_end_of_all_engines(monkeypatch: pytest.MonkeyPatch):
    end = EngineProcess.end
    ended: list[bool] = []

    async def slowly(program: EngineProcess, patience: float = 0.0) -> int:
        number = len(ended)
        ended.append(False)
        # Delay each end differently, so that parallel games do not end at the same moment.
        await asyncio.sleep(0.05 * number)
        code = await end(program, patience)
        ended[number] = True
        return code

    monkeypatch.setattr(EngineProcess, "end", slowly)
    match = EngineMatch(MatchOptions(SIMPLE, SIMPLE, games=6, size=5, parallel=3))
    enough = asyncio.Event()
    running = asyncio.create_task(match.run(lambda event: enough.set() if isinstance(event, Finished) else None))
    await enough.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ended
    assert all(ended)


def test_a_match_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    options = MatchOptions(SIMPLE, SIMPLE, games=6, size=5, out=tmp_path, parallel=1)

    async def interrupted() -> int:
        match = EngineMatch(options)
        enough = asyncio.Event()

        def tell(event: object) -> None:
            if isinstance(event, Finished) and event.played.game == 3:
                enough.set()

        running = asyncio.create_task(match.run(tell))
        await enough.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return len(match.played)

    assert asyncio.run(interrupted()) == 3
    log = tmp_path / LOG_NAME
    kept = log.read_bytes()
    # A line cut off by a crash while it was written.
    log.write_bytes(kept + b'{"game": 4, "bla')
    (tmp_path / "game-0002.sgf").unlink()
    match = run(options)
    assert log.read_bytes().startswith(kept)
    assert sorted(json.loads(line)["game"] for line in log.read_text().splitlines()[1:]) == [1, 2, 3, 4, 5, 6]
    assert match.standing.games == 6
    # A game in the log is not played again, so its lost record stays lost.
    assert not (tmp_path / "game-0002.sgf").exists()
    assert EngineMatch(replace(options, games=8)).standing.games == 6


def test_another_match_is_not_mixed_in(tmp_path: Path):
    options = MatchOptions(SIMPLE, SIMPLE, games=1, size=5, out=tmp_path)
    run(options)
    with pytest.raises(MatchError, match="holds another match: komi is 4 there and 5 here; use the same settings"):
        EngineMatch(replace(options, komi=5))
    (tmp_path / LOG_NAME).write_text('{"match": 9}\n')
    with pytest.raises(MatchError, match=r"line 1 of .* is not part of a match; use another folder"):
        EngineMatch(options)


@pytest.mark.parametrize(
    "data",
    [
        b"my list of games",
        b'{"game": "one"}',
        b'{"game": "one"}\n{"game": "two"}\n{"game": "three"}',
        b'\xff\n{"game"',
        b'{"match": 9}\n{"game"',
    ],
)
def test_a_file_of_another_program_is_left_as_it_is(tmp_path: Path, data: bytes):
    log = tmp_path / LOG_NAME
    log.write_bytes(data)
    with pytest.raises(MatchError, match=r"line 1 of .* is not part of a match; use another folder|cannot be used"):
        EngineMatch(MatchOptions(SIMPLE, SIMPLE, games=1, size=5, out=tmp_path))
    assert log.read_bytes() == data


@pytest.mark.parametrize("log", [None, b"", b'{"match": 1, "eng'])
def test_records_that_are_not_of_the_match_are_left_as_they_are(tmp_path: Path, log: bytes | None):
    record = tmp_path / "game-0001.sgf"
    record.write_text("my own game")
    if log is not None:
        (tmp_path / LOG_NAME).write_bytes(log)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(MatchError) as told:
        EngineMatch(MatchOptions(SIMPLE, SIMPLE, games=1, size=5, out=tmp_path))
    assert str(told.value) == f"{tmp_path} holds game-0001.sgf and no match to continue; use another folder"
    assert record.read_text() == "my own game"
    assert sorted(tmp_path.iterdir()) == before
    assert log is None or (tmp_path / LOG_NAME).read_bytes() == log


def test_a_folder_with_other_files_may_hold_a_match(tmp_path: Path):
    (tmp_path / "game.sgf").write_text("my own game")
    run(MatchOptions(SIMPLE, SIMPLE, games=1, size=5, out=tmp_path))
    assert (tmp_path / "game-0001.sgf").exists()
    assert (tmp_path / "game.sgf").read_text() == "my own game"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("game", "1"),
        ("game", 0),
        ("game", [1]),
        ("black", "C"),
        ("winner", "C"),
        ("winner", []),
        ("result", None),
        ("end", "boredom"),
        ("moves", "10"),
        ("moves", True),
        ("seconds", None),
        ("seconds", math.nan),
        ("reason", 5),
        ("cpu", 5),
        ("cpu", [1.0]),
        ("cpu", [1.0, "2"]),
        ("unknown", 1),
    ],
)
def test_a_damaged_log_is_refused_by_its_line(tmp_path: Path, field: str, value: object):
    options = MatchOptions(SIMPLE, SIMPLE, games=2, size=5, out=tmp_path)
    EngineMatch(options)
    good = asdict(Played(1, "A", "A", "B+3", "passes", 10, 1.0))
    log = tmp_path / LOG_NAME
    head = log.read_text("utf-8")
    log.write_text(head + json.dumps(good) + "\n", "utf-8")
    assert EngineMatch(options).standing.games == 1
    log.write_text(f"{head}{json.dumps(good)}\n{json.dumps({**good, field: value})}\n", "utf-8")
    with pytest.raises(MatchError, match=r"line 3 of .* is not part of a match"):
        EngineMatch(options)


@pytest.mark.parametrize("line", ["[" * 100_000, "[]", "5", '{"game": 1}'], ids=["deep", "list", "number", "part"])
def test_a_line_of_a_log_that_is_no_game_is_refused(tmp_path: Path, line: str):
    options = MatchOptions(SIMPLE, SIMPLE, games=2, size=5, out=tmp_path)
    EngineMatch(options)
    with (tmp_path / LOG_NAME).open("a", encoding="utf-8") as log:
        log.write(f"{line}\n")
    with pytest.raises(MatchError, match=r"line 2 of .* is not part of a match"):
        EngineMatch(options)


def test_a_log_may_hold_characters_that_end_lines_elsewhere(tmp_path: Path):
    options = MatchOptions(SIMPLE, f"{SIMPLE} \u2028\x85", games=2, size=5, out=tmp_path)
    match = EngineMatch(options)
    match._keep(
        PlayedGame(Played(1, "A", "A", "B+F", "forfeit", 10, 1.0, "it said: \u2028 \x0c"), b"", None), lambda _: None
    )
    match._log.close()
    assert [played.reason for played in EngineMatch(options).played] == ["it said: \u2028 \x0c"]


def test_a_command_line_need_not_be_utf_8(tmp_path: Path):
    command = f"'{sys.executable}' '{ENGINES / 'misbehaving.py'}' '\udcff' 'resigns'"
    options = MatchOptions(SIMPLE, command, games=1, size=5, out=tmp_path)
    assert [played.end for played in run(options).played] == ["resignation"]
    assert EngineMatch(replace(options, games=2)).standing.games == 1


def test_a_log_without_escapes_is_read(tmp_path: Path):
    options = MatchOptions(SIMPLE, f"{SIMPLE} é\u2028\x85", games=2, size=5, out=tmp_path)
    EngineMatch(options)
    log = tmp_path / LOG_NAME
    lines = [json.loads(log.read_text("utf-8")), asdict(Played(1, "A", "A", "B+F", "forfeit", 10, 1.0, "é\u2028\x0c"))]
    log.write_bytes(b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines))
    assert [played.reason for played in EngineMatch(options).played] == ["é\u2028\x0c"]


@pytest.mark.parametrize("written", [0, 1, 5, 20, -1])
def test_a_log_whose_first_line_was_not_finished_begins_anew(tmp_path: Path, written: int):
    options = MatchOptions(SIMPLE, SIMPLE, games=1, size=5, out=tmp_path)
    EngineMatch(options)
    log = tmp_path / LOG_NAME
    head = log.read_bytes()
    log.write_bytes(head[:written])
    EngineMatch(options)
    assert log.read_bytes() == head


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (MatchOptions("level:0", SIMPLE), "there is no level 0: 1 to 10"),
        (MatchOptions("", SIMPLE), "no command is given"),
        (MatchOptions(SIMPLE, SIMPLE, size=99), "size 99 is out of range"),
        (
            MatchOptions(SIMPLE, SIMPLE, size=5, opening=7),
            "7 opening moves are out of range: 0 to 6 on this board",
        ),
        (MatchOptions(SIMPLE, SIMPLE, visits=4), "limit level:N and net:FILE alone, and neither player is one"),
        (MatchOptions("level:10", SIMPLE, cpu=True), "CPU time is given without an amount; add --time"),
        (MatchOptions(SIMPLE, SIMPLE, games=0), "0 games are out of range"),
        (MatchOptions("level:100", SIMPLE), "there is no level 100: 1 to 10, in steps of 0.5"),
        (MatchOptions("level:4.25", SIMPLE), "there is no level 4.25"),
        (MatchOptions("level:4,5", SIMPLE), "there is no level 4,5"),
        (MatchOptions("level:four net:none", SIMPLE), "there is no level four"),
        (MatchOptions(SIMPLE, SIMPLE, seconds=-1), "-1 seconds per move are out of range: more than 0"),
        (MatchOptions(SIMPLE, SIMPLE, seconds=math.nan), "nan seconds per move are out of range"),
        (MatchOptions(SIMPLE, SIMPLE, patience=0), "0 seconds per move are out of range"),
        (MatchOptions(SIMPLE, SIMPLE, patience=math.inf), "inf seconds per move are out of range"),
        (MatchOptions(SIMPLE, SIMPLE, limit=0), "a limit of 0 moves is out of range: at least 1"),
        (MatchOptions(SIMPLE, "level:1", visits=0), "0 visits per move are out of range: at least 1"),
        (MatchOptions(SIMPLE, "level:1", visits=-4), "-4 visits per move are out of range"),
        (MatchOptions(SIMPLE, SIMPLE, parallel=0), "0 games at a time are out of range"),
    ],
)
def test_options_out_of_range(options: MatchOptions, text: str):
    with pytest.raises(WrongMatch, match=text):
        EngineMatch(options)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["level:0", "level:1"], 2, "there is no level 0: 1 to 10, in steps of 0.5"),
        (["level:1", ""], 2, "no command is given; write the program and its arguments"),
        (["level:1", "no-such-engine", "--games", "1"], 1, "'no-such-engine' cannot be started"),
        (["level:1", "level:1", "--games", "0000099999999"], 2, "is not a number of games: 1 to 100000"),
        (["level:1", "level:1", "--sprt", "5", "0"], 2, "between 5 and 0 Elo; the second must be larger"),
        (["level:1", "level:1", "--sprt", "0", "much"], 2, "'much' is not an Elo difference: -1000 to 1000"),
        (["level:1", "level:1", "--visits", "0"], 2, "'0' is not a number of visits: 1 to 1000000"),
        (["level:1", "level:1", "--opening", "000000101"], 2, "is not a number of plays: 0 to 100"),
        (["level:1", "level:1", "--out", str(ENGINES / "simple.py")], 1, "is not a folder"),
    ],
)
def test_errors_go_where_all_go(arguments: list[str], status: int, words: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as end:
        main(["match", "--size", "5", *arguments])
    output, errors = capsys.readouterr()
    assert end.value.code == status
    assert words not in output
    assert errors.splitlines()[-1].startswith(("daoqi-tui: ", "daoqi-tui match: error: "))
    assert words in errors


def test_a_wrong_command_ends_the_match():
    match = EngineMatch(MatchOptions(SIMPLE, "no-such-engine", size=5))
    with pytest.raises(MatchError, match="'no-such-engine' cannot be started"):
        asyncio.run(match.run())
    assert match.played == ()


def test_an_engine_that_crashes_forfeits_each_game():
    match = run(MatchOptions(SIMPLE, misbehaving("crash"), games=2, size=5))
    assert [(played.winner, played.end) for played in match.played] == [("A", "forfeit")] * 2
    assert match.standing.forfeits == (0, 2)
    # Forfeits say nothing about strength.
    assert (match.standing.games, match.standing.wins) == (0, 0)
    assert match.standing.as_black == match.standing.as_white == (0, 0)
    assert match.played[0].reason.startswith("Misbehaving crash ended with status 3")


def played(game: int, winner: Literal["A", "B"], end: End) -> Played:
    return Played(game, "A" if game % 2 else "B", winner, "B+1", end, 10 * game, 1.0)


def test_forfeits_are_left_out_of_the_share_and_the_elo():
    games = [
        played(1, "A", "passes"),
        played(2, "A", "forfeit"),
        played(3, "B", "resignation"),
        played(4, "A", "length"),
        played(5, "A", "forfeit"),
        played(6, "B", "forfeit"),
        played(7, "A", "passes"),
    ]
    found = standing(("one", "other"), games)
    assert (found.games, found.wins, found.as_black, found.as_white) == (4, 3, (2, 3), (1, 1))
    assert found.forfeits == (1, 2)
    assert found.moves == (10 + 30 + 40 + 70) / 4
    assert (found.share, found.elo) == (share_of_wins(3, 4), elo_difference(3, 4))
    text = io.StringIO()
    Console(file=text, width=200).print(table(found))
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.getvalue().splitlines()]
    (first, second) = [row for row in rows if row[:1] in (["A"], ["B"])]
    assert (first[1], first[-1]) == ("3/4", "1")
    assert (second[1], second[-1]) == ("1/4", "2")
    assert first[4].startswith("75.0% ")
    assert "without 3 forfeits" in text.getvalue()


def test_where_all_was_forfeited_nothing_is_said_of_strength():
    text = io.StringIO()
    Console(file=text, width=200).print(table(standing(("one", "other"), [played(1, "A", "forfeit")])))
    assert "without 1 forfeit" in text.getvalue()
    assert "%]" not in text.getvalue().split("forfeited")[1]
    assert "nan" not in text.getvalue()
    assert "inf" not in text.getvalue()


def test_random_moves_of_the_opening_take_no_cpu_time():
    games = [
        Played(1, "A", "A", "B+1", "passes", 14, 1.0, "", (5.0, None)),
        Played(2, "B", "A", "W+1", "passes", 14, 1.0),
    ]
    assert standing(("one", "other"), games, opening=4).cpu == (1.0, None)
    assert standing(("one", "other"), [replace(games[0], moves=4)], opening=4).cpu == (None, None)


@pytest.fixture
def _in_chinese() -> Iterator[None]:
    use_language("zh")
    yield
    use_language("en")


@pytest.mark.usefixtures("_in_chinese")
def test_the_table_in_chinese_keeps_its_columns():
    text = io.StringIO()
    games = [played(1, "A", "passes"), played(2, "B", "passes"), played(3, "A", "forfeit")]
    Console(file=text, width=120).print(table(standing(("one", "other"), games)))
    rows = [line for line in text.getvalue().splitlines() if line[:1] in tuple("┏┃┡│└")]
    assert len(rows) == 6
    assert len({cell_len(row.rstrip()) for row in rows}) == 1
    # The column dividers of every text row line up with those of the header.
    places = [[cell_len(row[:at]) for at, sign in enumerate(row) if sign in "┃│"] for row in rows if row[0] in "┃│"]
    assert all(each == places[0] for each in places)
    words = re.sub(r"\b(A|B|Elo|Wilson)\b", "", text.getvalue())
    assert not re.search("[a-z]", words)
    assert "执黑" in words


@pytest.mark.usefixtures("_in_chinese")
def test_the_report_in_chinese(tmp_path: Path):
    text = io.StringIO()
    options = MatchOptions(SIMPLE, misbehaving("crash"), games=1, size=5, out=tmp_path / "[bold]")
    run_match(options, Console(file=text, width=300))
    run_match(options, Console(file=text, width=300))
    words = text.getvalue()
    assert "第 1 局：A 执黑，B 执白：B+F" in words
    assert "结束" in words
    # The log stays in English, and the name of a folder is not parsed as markup.
    assert match_log(options)[-1]["reason"].startswith("Misbehaving crash ended with status 3")
    assert f"{tmp_path / '[bold]'} 中已有 1 局" in words


def match_log(options: MatchOptions) -> list[dict[str, object]]:
    assert options.out is not None
    return [json.loads(line) for line in (options.out / LOG_NAME).read_text("utf-8").splitlines()]


def test_no_engine_is_offered_that_cannot_play_on_a_torus(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["match", "--help"])
    words = capsys.readouterr().out
    assert "gnu" not in words.lower()
    assert "daoqi-tui gtp" in words


@pytest.mark.parametrize(("given", "threads"), [({}, "3"), ({"visits": 100}, None), ({"cpu": True}, None)])
def test_games_at_a_time_share_the_cores(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], threads: str | None
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(7)), raising=False)
    player = MatchOptions("level:10", "level:9", parallel=2, **given).player("A")
    assert isinstance(player, LevelPlayer)
    command = player._process._command
    assert (command[command.index(THREADS) + 1] if THREADS in command else None) == threads


def test_levels_are_players():
    player = make_player("level:3")
    assert isinstance(player, LevelPlayer)
    assert player.level.number == 3


def test_our_own_levels_play_a_match():
    match = run(MatchOptions("level:1", SIMPLE, games=1, size=5, limit=10))
    assert match.played[0].end != "forfeit"
    assert match.played[0].moves > 1


def test_our_own_players_search_as_many_visits_as_they_are_given(tmp_path: Path):
    options = MatchOptions("level:10", SIMPLE, games=1, size=5, limit=8, opening=0, visits=3, out=tmp_path)
    match = run(options)
    assert match.played[0].end in ("length", "passes", "resignation")
    with pytest.raises(MatchError, match="visits is 3 there and 4 here"):
        EngineMatch(replace(options, visits=4))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="CPU time is read from /proc")
def test_the_cpu_time_of_each_side_is_in_the_log(tmp_path: Path):
    """Our own player searches until its time is up or the move is decided; the simple player answers at once."""
    options = MatchOptions("level:10", SIMPLE, games=2, size=5, seconds=0.1, cpu=True, limit=10, out=tmp_path)
    match = run(options)
    for played in match.played:
        ours, other = played.cpu
        assert ours is not None
        assert other is not None
        assert ours > 0
        assert other >= 0
    # The games run in parallel, and each is logged when it ends.
    assert sorted(line["cpu"] for line in match_log(options)[1:]) == sorted([*played.cpu] for played in match.played)
    text = io.StringIO()
    Console(file=text, width=200).print(table(EngineMatch(options).standing))
    assert "A took " in text.getvalue()


def test_a_test_of_two_differences_ends_the_match_early(tmp_path: Path):
    text = io.StringIO()
    options = MatchOptions(
        "level:1", misbehaving("resigns"), games=100, size=5, out=tmp_path, opening=0, parallel=1, sprt=Sprt(0, 300)
    )
    run_match(options, Console(file=text, width=200))
    match = EngineMatch(options)
    assert match.verdict == "elo1"
    assert len(match.played) < 20
    assert "A is stronger by more than 0 Elo (LLR +" in text.getvalue()
    del match
    assert EngineMatch(replace(options, sprt=None)).verdict is None


def test_the_games_under_way_do_not_take_a_verdict_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A wins until the test is decided, and loses the five games still in progress at that point."""
    sprt = Sprt(0, 300)
    decisive = next(count for count in range(1, 50) if sprt.log_likelihood_ratio([1.0] * count) >= sprt.bounds[1])

    async def play(_options: MatchOptions, number: int, *_how: object) -> PlayedGame:
        await asyncio.sleep(0)
        winner: Literal["A", "B"] = "A" if number <= 2 * decisive else "B"
        return PlayedGame(played(number, winner, "passes"), b"", None)

    monkeypatch.setattr("daoqi_tui.lab.match.match.play_game", play)
    options = MatchOptions(SIMPLE, SIMPLE, games=1000, size=5, out=tmp_path, parallel=6, sprt=sprt)
    assert (match := run(options)).verdict == "elo1"
    assert match.standing.games == 2 * decisive + 5, "they count in the table, and no other is begun"
    text = io.StringIO()
    run_match(options, Console(file=text, width=200))
    ratio = f"LLR {sprt.log_likelihood_ratio([1.0] * decisive):+.2f} of -2.94 to +2.94, {decisive} pairs of games"
    assert f"A is stronger by more than 0 Elo ({ratio})" in text.getvalue()
    assert f"{2 * decisive + 5} of 1000 games are already in {tmp_path}; nothing is left to play" in text.getvalue()
    assert EngineMatch(options).standing.games == 2 * decisive + 5, "a resumed match plays none either"


def test_a_killed_match_goes_on_where_it_was(tmp_path: Path):
    """SIGKILL leaves no time to clean up; the finished games are in the log, and no game is played twice."""
    out = tmp_path / "match"
    command = [sys.executable, "-m", "daoqi_tui", "match", SIMPLE, SIMPLE, "--size", "5", "--out", str(out)]
    log = out / LOG_NAME
    with subprocess.Popen([*command, "--games", "1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as match:
        wait_until(lambda: log.exists() and log.read_text("utf-8").count("\n") > 4)
        match.kill()
        match.wait()
    kept = log.read_bytes()
    finished = kept.count(b"\n") - 1
    options = MatchOptions(SIMPLE, SIMPLE, games=finished + 2, size=5, out=out)
    again = run(options)
    assert log.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    games = [line["game"] for line in match_log(options)[1:]]
    assert len(games) == len(set(games))
    assert set(range(1, finished + 3)) <= set(games)
    assert again.standing.games == len(games)
    assert load(out / f"game-{finished + 2:04}.sgf").game.torus


def test_the_report(tmp_path: Path):
    text = io.StringIO()
    console = Console(file=text, width=200)
    options = MatchOptions(SIMPLE, misbehaving("resigns"), games=2, size=5, out=tmp_path)
    assert run_match(options, console) == 0
    assert run_match(options, console) == 0
    assert "2 of 2 games are already in" in text.getvalue()
    assert text.getvalue().count("2/2") >= 2
    assert "above -113" in text.getvalue()
    with pytest.raises(MatchError, match="holds another match"):
        run_match(replace(options, size=7), console)


def test_the_table_of_a_match_knows_its_opening(tmp_path: Path):
    options = MatchOptions(SIMPLE, SIMPLE, size=5, opening=4, out=tmp_path)
    match = EngineMatch(options)
    match._keep(PlayedGame(Played(1, "A", "A", "B+1", "passes", 14, 1.0, "", (5.0, None)), b"", None), lambda _: None)
    assert match.standing.cpu == (1.0, None)


def test_a_folder_with_more_games_than_are_asked_for(tmp_path: Path):
    options = MatchOptions(SIMPLE, misbehaving("resigns"), games=4, size=5, out=tmp_path)
    assert run_match(options, Console(file=io.StringIO())) == 0
    text = io.StringIO()
    assert run_match(replace(options, games=2), Console(file=text, width=200)) == 0
    assert f"2 of 2 games are already in {tmp_path}; nothing is left to play" in text.getvalue()
    assert "4/2" not in text.getvalue()
    assert "4/4" in text.getvalue(), "the table has all of them"


def test_what_was_played_is_shown_before_an_error(tmp_path: Path):
    text = io.StringIO()
    options = MatchOptions(SIMPLE, SIMPLE, games=1, size=5, out=tmp_path)
    run(options)
    # A folder with the name of a record prevents writing it.
    (tmp_path / "game-0002.sgf").mkdir()
    with pytest.raises(MatchError, match=r"game-0002\.sgf cannot be written"):
        run_match(replace(options, games=2), Console(file=text, width=200))
    assert "A: " in text.getvalue()


def test_a_folder_is_played_into_by_one_match_at_a_time(tmp_path: Path):
    options = MatchOptions(SIMPLE, SIMPLE, games=1, size=5, out=tmp_path / "match")
    match = EngineMatch(options)
    kept = (tmp_path / "match" / LOG_NAME).read_bytes()
    with pytest.raises(MatchError, match=r"another match is writing to .*match; wait until it ends, or use another"):
        EngineMatch(options)
    assert (tmp_path / "match" / LOG_NAME).read_bytes() == kept
    asyncio.run(match.run())
    # Once it has ended, another match may continue.
    again = run(replace(options, games=2))
    assert again.standing.games == 2


def test_a_file_is_no_folder_for_a_match(tmp_path: Path):
    for name in ("file", "file/below"):
        (tmp_path / "file").touch()
        with pytest.raises(MatchError, match="is not a folder; name one for the log and the records"):
            EngineMatch(MatchOptions(SIMPLE, SIMPLE, size=5, out=tmp_path / name))


def test_intervals_of_wilson():
    # Wilson (1927), computed by hand for 0 of 10: the upper bound is z²/(n + z²).
    assert share_of_wins(0, 10).low == 0
    assert share_of_wins(0, 10).high == pytest.approx(3.841459 / 13.841459, abs=1e-6)
    assert share_of_wins(0, 0).value == 0.5
    assert elo_difference(20, 40).value == 0
    low, high = elo_difference(20, 40).low, elo_difference(20, 40).high
    assert low == pytest.approx(-high)
    # Odds of ten to one are 400 Elo.
    assert elo_difference(100, 110).value == pytest.approx(400)
    assert elo_difference(5, 5).value == math.inf
    assert elo_text(elo_difference(5, 5)).startswith("above ")
    assert elo_text(elo_difference(0, 5)).startswith("below ")
