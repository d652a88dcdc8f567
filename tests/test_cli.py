"""The command line: help and version, wrong usage, other errors, and what a start imports."""

from __future__ import annotations

import argparse
import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

import daoqi_tui
from daoqi_tui.cli import play
from daoqi_tui.cli.main import main
from daoqi_tui.cli.options import elo, frame_seconds, seconds
from daoqi_tui.cli.parsers import parser_for
from daoqi_tui.text import cell_width
from tests.forked import run_python

CHECKOUT = Path(__file__).resolve().parents[1]


def run(*arguments: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program without a terminal."""
    environment = {**os.environ, "COLUMNS": "80", **({"HOME": str(home)} if home else {})}
    return run_python(["-m", "daoqi_tui", *arguments], CHECKOUT, environment)


def test_help_tells_what_there_is() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "--version" in done.stdout
    assert "Daoqi" in done.stdout


def test_a_start_without_arguments_has_the_defaults_of_the_parser() -> None:
    parsed = vars(parser_for("play").parse_args(["play"]))
    assert {name: value for name, value in parsed.items() if name not in ("lang", "debug")} == play.DEFAULTS


def test_the_help_of_the_board_names_its_options() -> None:
    done = run("play", "--help")
    assert done.returncode == 0
    for option in ("--size", "--komi", "--handicap"):
        assert option in done.stdout


def test_the_help_of_the_board_says_that_there_are_half_levels() -> None:
    words = " ".join(run("play", "--help").stdout.split())
    assert words.count("a level from 1 to 10 in steps of 0.5") == 2


def test_the_help_says_how_play_is_reached_without_its_name() -> None:
    words = " ".join(run("--help").stdout.split())
    assert words.startswith("usage: daoqi-tui [OPTION]... [FILE] daoqi-tui COMMAND [OPTION]... [ARGUMENT]...")
    assert "That is short for daoqi-tui play and takes its options" in words
    assert "daoqi-tui play --help lists them" in words


def test_a_chinese_help_is_no_wider_than_the_terminal() -> None:
    done = run("--lang", "zh", "serve", "--help")
    assert done.returncode == 0
    assert done.stdout
    assert [line for line in done.stdout.splitlines() if cell_width(line) > 80] == []


@pytest.mark.parametrize("arguments", [(), ("play",), ("match",), ("config",)])
def test_a_chinese_help_is_aligned_and_has_chinese_punctuation(arguments: tuple[str, ...]) -> None:
    page = run("--lang", "zh", *arguments, "--help").stdout
    assert not re.search(r"[\u2e80-\uffff][:,;?!()]", page)
    assert "选项：\n" in page
    usage, *rest = page.split("\n\n")[0].splitlines()
    # Continuation lines of the usage are aligned with the program name, or with what follows it.
    begins = {cell_width(usage.partition("daoqi-tui")[0]), cell_width(usage[: usage.rindex("daoqi-tui") + 10])}
    begins.add(cell_width(usage.partition(" [")[0]) + 1)
    assert {len(line) - len(line.lstrip()) for line in rest} <= begins
    # The explanations of all arguments start in the same column.
    explained = re.findall(r"^(  \S.*?  +)\S", page.partition("选项：")[2].partition("\n\n")[0], re.MULTILINE)
    assert len(explained) >= 2
    assert len({cell_width(argument) for argument in explained}) == 1


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str) -> None:
    done = run(option)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"daoqi-tui {daoqi_tui.__version__}\n", "")


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_a_word_about_itself_imports_neither_numpy_nor_textual(argument: str) -> None:
    code = (
        "import sys, daoqi_tui.cli.main\n"
        "try:\n    daoqi_tui.cli.main.main(sys.argv[1:])\n"
        "finally:\n    print({'numpy', 'textual', 'rich'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, argument], capture_output=True, text=True, check=True)
    assert done.stderr == "set()\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--size", "4"],
        ["--size", "26"],
        ["--size", "nine"],
        ["--size", "²"],
        ["--size", "1" * 5000],
        ["--komi", "much"],
        ["--komi", "nan"],
        ["--komi", "1e9"],
        ["--rules", "chess"],
        ["--rules", "superko=never"],
        ["--handicap", "1"],
        ["--handicap", "10"],
        ["--handicap", "-2"],
        ["--size"],
        ["--no-such-option"],
        ["play", "--torus", "--flat"],
    ],
    ids=lambda arguments: " ".join(arguments)[:30],
)
def test_wrong_usage_exits_with_2_and_says_what_would_be_right(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "daoqi-tui" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["shwo"], "unknown command 'shwo'; did you mean show?"),
        (["shwo", "game.sgf"], "unknown command 'shwo'; did you mean show?"),
        (["Score"], "unknown command 'Score'; did you mean score?"),
        (["--lang", "en", "exprot"], "unknown command 'exprot'; did you mean export?"),
        (["help"], "unknown command 'help'; see daoqi-tui --help"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistyped_command_brings_the_nearest(arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"daoqi-tui: {words}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--siz", "9"], "unknown option --siz; did you mean --size?"),
        (["--vers"], "unknown option --vers; see daoqi-tui play --help"),
        (["play", "--hadicap=2"], "unknown option --hadicap; did you mean --handicap?"),
        (["show", "game.sgf", "--coord", "gtp"], "unknown option --coord; did you mean --coordinates?"),
        (["ladder", "game.sgf", "--pont", "K9"], "unknown option --pont; did you mean --point?"),
        (["score", "--yaml", "game.sgf"], "unknown option --yaml; see daoqi-tui score --help"),
        (["score", "-x", "game.sgf"], "unknown option -x; see daoqi-tui score --help"),
        (["score", "a.sgf", "b.sgf"], "unexpected argument b.sgf; see daoqi-tui score --help"),
        (["score"], "the following arguments are required: FILE; see daoqi-tui score --help"),
        (["completion", "bahs"], "shell: 'bahs' is not one of bash, zsh, fish; did you mean bash?"),
        (
            ["--stones", "disks"],
            "--stones: 'disks' is not one of auto, discs, round, blocks, ascii; did you mean discs?",
        ),
        (["--lang"], "--lang needs a language: auto, en, zh, zh-TW"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_one_sentence_with_the_right_word_or_the_way_to_the_help(arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"daoqi-tui: {words}\n")


@pytest.mark.parametrize("number", ["1_0", "１０", "٣", " 5", "nan", "0x5", "-1", "5000"])
@pytest.mark.parametrize("read", [seconds, frame_seconds, elo])
def test_numbers_are_typed_in_ascii_digits(read: Callable[[str], float], number: str) -> None:
    assert read("7.5") == 7.5
    if not (read is elo and number == "-1"):
        with pytest.raises(argparse.ArgumentTypeError, match=re.escape(f"{number!r} is not a")):
            read(number)


def test_no_option_of_any_command_can_be_cut_short() -> None:
    everything = parser_for()
    assert not everything.allow_abbrev
    assert [name for name, parser in everything.commands.items() if parser.allow_abbrev] == []


def test_words_behind_two_hyphens_are_no_options(tmp_path: Path) -> None:
    done = run("score", "--", "--siz", home=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "unknown option" not in done.stderr


def test_a_suggestion_is_translated() -> None:
    done = run("--lang", "zh", "shwo")
    assert (done.returncode, done.stderr) == (2, "daoqi-tui: 未知命令 'shwo'；是否想用 show？\n")


def test_a_file_with_the_name_of_no_command_is_opened(tmp_path: Path) -> None:
    (tmp_path / "shwo").write_bytes(b"no game")
    done = subprocess.run(
        [sys.executable, "-m", "daoqi_tui", "shwo"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "SGF" in done.stderr


def test_every_help_stands_alone() -> None:
    def helps(parser: argparse.ArgumentParser) -> Iterator[str]:
        for action in parser._actions:
            if action.help != argparse.SUPPRESS and not isinstance(action, argparse._SubParsersAction):
                yield action.help or ""
            if isinstance(action, argparse._SubParsersAction):
                yield from (choice.help or "" for choice in action._choices_actions)
                for command in action.choices.values():
                    yield from helps(command)

    found = list(helps(parser_for()))
    assert len(found) > 80
    assert not [words for words in found if not words or words.startswith("…")]


def test_without_a_terminal_one_line_says_so(tmp_path: Path) -> None:
    done = run(home=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "terminal" in done.stderr


@pytest.mark.parametrize("content", [None, b"", b"no game", b"(;SZ[99])", b"\xff\xfe\x00", b"(;FF[4]GM[2])"], ids=repr)
def test_a_file_that_cannot_be_read_is_one_line_and_1(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "game.sgf"
    if content is not None:
        path.write_bytes(content)
    done = run(str(path), home=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_a_folder_is_no_game(tmp_path: Path) -> None:
    done = run(str(tmp_path), home=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1


def test_the_console_script_and_the_module_are_the_same_program() -> None:
    import tomllib

    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"]["daoqi-tui"] == "daoqi_tui.__main__:main"


@pytest.mark.parametrize(
    "arguments", [["review", ""], ["train", ""], [""], ["convert", "-", ""], ["match", "1", "2", "--out="]], ids=str
)
def test_an_empty_name_is_not_the_current_folder(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """As of a variable of the shell without a value: ``review "$GAMES"``."""
    assert not [
        action for parser in parser_for().commands.values() for action in parser._actions if action.type is Path
    ]
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(
        r"daoqi-tui: argument \S+: the name is empty; the current folder is \.; see daoqi-tui \w+ --help\n", err
    )


@pytest.mark.parametrize(
    "arguments", [["admin", "delete", "ke", "--database", ""], ["serve", "--lobby", "--database="]]
)
def test_an_empty_address_is_not_the_usual_database(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    said = "argument --database: the address is empty; leave the option out for the usual database; see daoqi-tui "
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["review", "."], ["openings", "."], ["search", ".", "game.sgf"]])
def test_a_folder_that_cannot_be_read_is_an_error(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.sgf").write_text("(;FF[4]GM[1]SZ[5]TO[3];B[cc])")
    monkeypatch.chdir(tmp_path)

    def closed(folder: str | Path) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 1
    assert capsys.readouterr() == ("", "daoqi-tui: . cannot be read: Permission denied\n")
