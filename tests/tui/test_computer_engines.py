"""Tests GTP engines as players, with a fake that can misbehave, and the command-line options for the players."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from daoqi_tui.cli import UsageError
from daoqi_tui.cli import play as cli_play
from daoqi_tui.cli.main import run
from daoqi_tui.cli.parsers import COMMANDS
from daoqi_tui.cli.play import seats
from daoqi_tui.config import Config
from daoqi_tui.engine import BLACK, WHITE, Colour
from daoqi_tui.play.session import PERSON, Computer, EngineSeat, GameSetup, Seat, Session
from daoqi_tui.tui.screens import EngineLog
from tests.tui.driving import playing, until

ENGINE = """
import sys
print("I am awake", file=sys.stderr, flush=True)
moves = iter(sys.argv[1:])
for line in sys.stdin:
    number, name, *_ = line.split()
    answer = {"name": "Tiny", "list_commands": "name\\nplay\\ngenmove"}.get(name, "")
    if name == "fail":
        sys.exit(0)
    if name == "echo":
        answer = "told " + " ".join([name, *_])
    if name == "wrong":
        print(f"?{number} unknown command\\n", flush=True)
        continue
    if name == "kata-analyze":
        print(f"={number}", flush=True)
        for _each in range(3):
            print("info move A1 visits 9 winrate 0.5 pv A1", flush=True)
        sys.stdin.readline()
        print(flush=True)
        continue
    if name == "genmove":
        answer = next(moves, "pass")
        if answer == "die":
            sys.exit(3)
    print(f"={number} {answer}\\n", flush=True)
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Callable[..., EngineSeat]:
    """Return a function that makes a seat for a fake engine with the given moves."""
    script = tmp_path / "tiny.py"
    script.write_text(ENGINE)

    def seat(*moves: str) -> EngineSeat:
        return EngineSeat(shlex.join([sys.executable, str(script), *moves]))

    return seat


async def test_an_engine_plays_and_its_words_can_be_read(tiny: Callable[..., EngineSeat]) -> None:
    async with playing(setup=GameSetup(size=9, white_seat=tiny("J9", "A1"))) as person:
        await person.press("E")
        assert "No GTP engine" in person.status
        await person.press("enter")
        await until(person, lambda: len(person.moves) == 2)
        # GTP has no letter I, so its J is our I.
        assert person.moves == ["E5", "I9"]
        await person.press("E")
        await person.wait()
        said = shown(person.open(EngineLog))
        assert "! I am awake" in said
        order = [said.index(line) for line in ("> name", "= Tiny", "> boardsize 9", "> genmove white", "= J9")]
        assert order == sorted(order)
        await person.press("escape")
        assert person.at_the_board


def shown(log: EngineLog) -> list[str]:
    """Return the lines of the first engine."""
    return str(log.query(".said").first(Static).content).splitlines()


async def test_an_engine_is_told_commands_and_plays_on_all_the_same(tiny: Callable[..., EngineSeat]) -> None:
    async with playing(setup=GameSetup(size=9, white_seat=tiny("J9", "A1"))) as person:
        await person.press("enter")
        await until(person, lambda: len(person.moves) == 2)
        await person.press("E")
        log = person.open(EngineLog)
        await person.press("tab", *"echo E5", "enter")
        await until(person, lambda: shown(log)[-2:] == ["> echo E5", "= told echo E5"])
        assert log.query_one(Input).value == ""
        await person.press(*"wrong", "enter")
        await until(person, lambda: shown(log)[-2:] == ["> wrong", "? unknown command"])
        await person.press(*"kata-analyze", "enter")
        await until(person, lambda: shown(log)[-1] == "info move A1 visits 9 winrate 0.5 pv A1")
        assert [line[:4] for line in shown(log)].count("info") == 1, "of one analysis the last report is kept"
        # It ends by itself after a second.
        await until(person, lambda: all(worker.is_finished for worker in person.app.workers if worker.node is log))
        await person.press("escape")
        assert person.at_the_board
        # The board is set up anew, since the commands may have changed it.
        await person.play("F6")
        await until(person, lambda: len(person.moves) == 4)
        assert person.moves[3] == "A1"
        await person.press("E")
        await until(person, lambda: shown(person.open(EngineLog)).count("> clear_board") == 2)


async def test_an_engine_that_is_told_to_quit_is_reported_and_starts_again(tiny: Callable[..., EngineSeat]) -> None:
    async with playing(setup=GameSetup(size=9, white_seat=tiny("J9", "A1"))) as person:
        await person.press("enter")
        await until(person, lambda: len(person.moves) == 2)
        await person.press("E")
        log = person.open(EngineLog)
        await person.press("tab", *"fail", "enter")
        await until(person, lambda: any("Tiny ended" in str(each.message) for each in person.app._notifications))
        await person.press(*"echo", "enter")
        await until(person, lambda: shown(log)[-1] == "= told echo")


@pytest.mark.parametrize(
    ("move", "words"),
    [("E5", "illegal on the torus"), ("Z99", "not a move"), ("die", "ended with status 3")],
)
async def test_an_engine_that_misbehaves_is_one_sentence(
    tiny: Callable[..., EngineSeat], move: str, words: str
) -> None:
    async with playing(setup=GameSetup(size=9, white_seat=tiny(move))) as person:
        await person.press("enter")
        await until(person, lambda: person.screen.match.turns.paused)
        assert words in person.status
        assert "\n" not in person.status
        assert person.moves == ["E5"]
        await person.play("D4")
        assert person.moves == ["E5", "D4"]


async def test_a_program_that_is_not_there_is_one_sentence() -> None:
    async with playing(setup=GameSetup(size=9, white_seat=EngineSeat("/nowhere/engine --gtp"))) as person:
        await person.press("enter")
        await until(person, lambda: person.screen.match.turns.paused)
        assert "'/nowhere/engine' cannot be started" in person.status
        assert "C changes the players" in person.status


# The command line


def options(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    for name in ("play", "gtp", "match"):
        COMMANDS[name].add_parser(subparsers)
    return parser.parse_args(arguments)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), (None, None)),
        (("--white", "3"), (None, Computer(3))),
        (("--black", "mine", "--time", "2"), (Computer(seconds=2, mine=True), None)),
        (("--black", "person", "--white", "10", "--time", "2.5"), (PERSON, Computer(10, 2.5))),
        (("--black-engine", "gnugo --mode gtp", "--white", "1"), (EngineSeat("gnugo --mode gtp"), Computer(1))),
    ],
)
def test_who_plays(arguments: tuple[str, ...], expected: object) -> None:
    assert seats(options("play", *arguments)) == expected


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "--white", "11"),
        ("play", "--white", "0"),
        ("play", "--white", "gnugo"),
        ("play", "--white", "3", "--white-engine", "gnugo"),
        ("play", "--time", "0"),
        ("gtp", "--level", "11"),
        ("gtp", "--time", "-1"),
        ("gtp", "--size", "30"),
        ("match", "level:1"),
        ("match", "level:1", "level:2", "--games", "0"),
    ],
)
def test_wrong_usage_is_refused(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        options(*arguments)
    assert end.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_an_unreadable_command_line_is_refused() -> None:
    with pytest.raises(UsageError, match="--white-engine: the command"):
        seats(options("play", "--white-engine", "'a"))


@pytest.mark.parametrize("option", [("--size", "9"), ("--komi", "4"), ("--handicap", "2")])
def test_what_is_said_of_a_new_game_is_refused_with_a_file(option: tuple[str, str], tmp_path: Path) -> None:
    file = tmp_path / "a.sgf"
    file.write_text("(;GM[1]SZ[9]TO[3])")
    with pytest.raises(UsageError, match="for a new game"):
        run(["play", str(file), *option])


def test_too_many_stones_for_a_small_board_are_wrong_usage() -> None:
    with pytest.raises(UsageError, match="handicap 9"):
        run(["play", "--size", "5", "--handicap", "9"])


@pytest.mark.parametrize("text", ["00099", "004", "5" * 5000])
def test_a_size_is_what_it_looks_like(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        options("play", "--size", text)
    assert end.value.code == 2


def test_the_settings_say_who_plays_a_new_game() -> None:
    config = Config(Path("config.toml"), values={"play.black": "time:2 level:4", "play.white": "person"})
    assert cli_play._players_in(config) == (Computer(4, 2.0), PERSON)
    assert cli_play._players_in(config, 5.0) == (Computer(4, 5.0), PERSON), "with --time 5"
    engine = Config(Path("config.toml"), values={"play.black": "person", "play.white": "engine:gnugo"})
    assert cli_play._players_in(engine, 5.0) == (PERSON, EngineSeat("gnugo", 5.0))


@pytest.mark.parametrize(
    "arguments",
    [("play", "--time", "5"), ("play", "--time", "5", "--black", "person"), ("--time", "5")],
)
def test_a_time_of_a_move_reaches_the_computer_of_the_settings(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seated: list[Mapping[Colour, Seat]] = []
    (tmp_path / "daoqi-tui").mkdir()
    (tmp_path / "daoqi-tui" / "config.toml").write_text('[play]\nwhite = "level:3"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    def play(session: Session, _config: Config) -> int:
        seated.append(session.seats)
        return 0

    monkeypatch.setattr("daoqi_tui.plain.start", play)
    assert run([*arguments, "--plain"]) == 0
    assert seated == [{BLACK: PERSON, WHITE: Computer(3, 5.0)}]


@pytest.mark.parametrize("option", [("--game", "7"), ("--flat",), ("--torus",), ("--encoding", "gbk")])
def test_what_is_said_of_a_file_is_refused_without_one(option: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="--game, --torus, --flat and --encoding are for a file: name it"):
        run(["play", *option])


def test_a_match_between_levels(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(["match", "level:1", "level:1", "--games", "1", "--size", "5", "--out", str(out)]) == 0
    assert "1/1" in capsys.readouterr().out
    assert list(out.glob("*.sgf"))
