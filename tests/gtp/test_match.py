"""The referee, matches that resume, and the figures in their table."""

from __future__ import annotations

import asyncio
import io
import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from daoqi_tui.ai.player import PlayerError
from daoqi_tui.ai.protocol import Answer, Position
from daoqi_tui.cli import main
from daoqi_tui.engine import BLACK, PASS, WHITE, Game
from daoqi_tui.gtp.giving_up import RESIGN
from daoqi_tui.gtp.match import Finished, Match, MatchOptions, make_player
from daoqi_tui.gtp.match_log import LOG_NAME, MatchError, WrongMatch
from daoqi_tui.gtp.match_report import run_match
from daoqi_tui.gtp.rating import elo_difference, elo_text, share_of_wins
from daoqi_tui.gtp.referee import referee
from daoqi_tui.gtp.thinker import LevelThinker
from daoqi_tui.record import load
from tests.gtp.simple import SimpleThinker

HERE = Path(__file__).parent
SIMPLE = f"'{sys.executable}' '{HERE / 'simple.py'}' 5"


def misbehaving(mode: str) -> str:
    return f"'{sys.executable}' '{HERE / 'misbehaving.py'}' '{mode}'"


class Scripted(SimpleThinker):
    """Plays the moves it was given, in turn; whatever else stands there is raised."""

    def __init__(self, *moves: int | Exception, hopeless: bool = False) -> None:
        super().__init__()
        self.moves = list(moves)
        self.hopeless = hopeless

    async def think(self, position: Position, **how: object) -> Answer:
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
    [(PlayerError("it broke"), "it broke"), (0, "the move A5 is illegal: a stone stands there already; .*")],
)
async def test_whoever_fails_forfeits(fault: int | Exception, reason: str):
    outcome = await referee(Game(5), {BLACK: Scripted(0), WHITE: Scripted(fault)})
    assert (outcome.winner, outcome.result, outcome.end) == (BLACK, "B+F", "forfeit")
    assert outcome.reason.startswith(reason.removesuffix(".*"))


async def test_a_game_without_end_is_counted():
    outcome = await referee(Game(5), {BLACK: Scripted(0, 2), WHITE: Scripted(1)}, limit=3)
    assert (outcome.result, outcome.end) == ("W+3", "length")


def run(options: MatchOptions) -> Match:
    match = Match(options)
    asyncio.run(match.run())
    return match


def test_a_match_leaves_records_and_a_log(tmp_path: Path):
    options = MatchOptions(SIMPLE, SIMPLE, games=4, size=5, out=tmp_path / "match", opening=0)
    match = run(options)
    assert [played.game for played in match.played] == [1, 2, 3, 4]
    assert [played.black for played in match.played] == ["A", "B", "A", "B"]
    # The simple player always plays the same from the same position, so the colour alone decides.
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
    assert Match(options).standing.games == 1
    with pytest.raises(MatchError, match="opening is 0 there and 2 here"):
        Match(replace(options, opening=2))


def test_a_match_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    options = MatchOptions(SIMPLE, SIMPLE, games=6, size=5, out=tmp_path, parallel=1)

    async def interrupted() -> int:
        match = Match(options)
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
    # What a crash in the middle of writing leaves.
    log.write_bytes(kept + b'{"game": 4, "bla')
    (tmp_path / "game-0002.sgf").unlink()
    match = run(options)
    assert log.read_bytes().startswith(kept)
    assert sorted(json.loads(line)["game"] for line in log.read_text().splitlines()[1:]) == [1, 2, 3, 4, 5, 6]
    assert match.standing.games == 6
    # A game in the log is not played again, so its lost record stays lost.
    assert not (tmp_path / "game-0002.sgf").exists()
    assert Match(replace(options, games=8)).standing.games == 6


def test_another_match_is_not_mixed_in(tmp_path: Path):
    options = MatchOptions(SIMPLE, SIMPLE, games=1, size=5, out=tmp_path)
    run(options)
    with pytest.raises(MatchError, match="holds another match: komi is 4 there and 5 here; use the same settings"):
        Match(replace(options, komi=5))
    (tmp_path / LOG_NAME).write_text('{"match": 9}\n')
    with pytest.raises(MatchError, match=r"line 1 of .* is no part of a match; use another folder"):
        Match(options)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (MatchOptions("level:0", SIMPLE), "level 0 is out of range"),
        (MatchOptions("", SIMPLE), "no command is given"),
        (MatchOptions(SIMPLE, SIMPLE, size=99), "size 99 is out of range"),
        (
            MatchOptions(SIMPLE, SIMPLE, size=5, opening=7),
            "an opening of 7 plays is out of range: 0 to 6 on this board",
        ),
        (MatchOptions(SIMPLE, SIMPLE, games=0), "0 games cannot be played"),
        (MatchOptions(SIMPLE, SIMPLE, parallel=0), "0 games at a time are out of range"),
    ],
)
def test_options_out_of_range(options: MatchOptions, text: str):
    with pytest.raises(WrongMatch, match=text):
        Match(options)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["level:0", "level:1"], 2, "level 0 is out of range: 1 to 10"),
        (["level:1", ""], 2, "no command is given; write the program and its arguments"),
        (["level:1", "no-such-engine", "--games", "1"], 1, "'no-such-engine' cannot be started"),
        (["level:1", "level:1", "--games", "0000099999999"], 2, "is not a number of games: 1 to 100000"),
        (["level:1", "level:1", "--opening", "000000101"], 2, "is not a number of plays: 0 to 100"),
        (["level:1", "level:1", "--out", str(HERE / "simple.py")], 1, "is not a folder"),
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
    match = Match(MatchOptions(SIMPLE, "no-such-engine", size=5))
    with pytest.raises(MatchError, match="'no-such-engine' cannot be started"):
        asyncio.run(match.run())
    assert match.played == ()


def test_an_engine_that_crashes_forfeits_each_game():
    match = run(MatchOptions(SIMPLE, misbehaving("crash"), games=2, size=5))
    assert [(played.winner, played.end) for played in match.played] == [("A", "forfeit")] * 2
    assert match.standing.forfeits == (0, 2)
    assert match.played[0].reason.startswith("Misbehaving crash ended with status 3")


def test_levels_are_players():
    player = make_player("level:3")
    assert isinstance(player, LevelThinker)
    assert player.level.number == 3


def test_our_own_levels_play_a_match():
    match = run(MatchOptions("level:1", SIMPLE, games=1, size=5, limit=10))
    assert match.played[0].end != "forfeit"
    assert match.played[0].moves > 1


def test_the_report(tmp_path: Path):
    text = io.StringIO()
    console = Console(file=text, width=200)
    options = MatchOptions(SIMPLE, misbehaving("resigns"), games=2, size=5, out=tmp_path)
    assert run_match(options, console) == 0
    assert run_match(options, console) == 0
    assert "2 of 2 games are in" in text.getvalue()
    assert text.getvalue().count("2/2") >= 2
    assert "above -113" in text.getvalue()
    with pytest.raises(MatchError, match="holds another match"):
        run_match(replace(options, size=7), console)


def test_what_was_played_is_shown_before_an_error(tmp_path: Path):
    text = io.StringIO()
    options = MatchOptions(SIMPLE, SIMPLE, games=1, size=5, out=tmp_path)
    run(options)
    # A folder in the place of a record cannot be written.
    (tmp_path / "game-0002.sgf").mkdir()
    with pytest.raises(MatchError, match=r"game-0002\.sgf cannot be written"):
        run_match(replace(options, games=2), Console(file=text, width=200))
    assert "A: " in text.getvalue()


def test_a_folder_is_played_into_by_one_match_at_a_time(tmp_path: Path):
    options = MatchOptions(SIMPLE, SIMPLE, games=1, size=5, out=tmp_path / "match")
    match = Match(options)
    kept = (tmp_path / "match" / LOG_NAME).read_bytes()
    with pytest.raises(MatchError, match=r"another match is playing into .*match; wait for its end, or use another"):
        Match(options)
    assert (tmp_path / "match" / LOG_NAME).read_bytes() == kept
    asyncio.run(match.run())
    # When it has ended, another may go on.
    again = run(replace(options, games=2))
    assert again.standing.games == 2


def test_a_file_is_no_folder_for_a_match(tmp_path: Path):
    for name in ("file", "file/below"):
        (tmp_path / "file").touch()
        with pytest.raises(MatchError, match="is not a folder; name one for the log and the records"):
            Match(MatchOptions(SIMPLE, SIMPLE, size=5, out=tmp_path / name))


def test_intervals_of_wilson():
    # Wilson (1927) by hand for 0 of 10: the upper end is z²/(n + z²).
    assert share_of_wins(0, 10).low == 0
    assert share_of_wins(0, 10).high == pytest.approx(3.841459 / 13.841459, abs=1e-6)
    assert share_of_wins(0, 0).value == 0.5
    assert elo_difference(20, 40).value == 0
    low, high = elo_difference(20, 40).low, elo_difference(20, 40).high
    assert low == pytest.approx(-high)
    # Ten to one is 400 points of Elo.
    assert elo_difference(100, 110).value == pytest.approx(400)
    assert elo_difference(5, 5).value == math.inf
    assert elo_text(elo_difference(5, 5)).startswith("above ")
    assert elo_text(elo_difference(0, 5)).startswith("below ")
