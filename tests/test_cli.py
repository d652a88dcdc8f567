"""The command line: help and version, wrong usage, other errors, and what a start imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import daoqi_tui

CHECKOUT = Path(__file__).resolve().parents[1]


def run(*arguments: str, code: str | None = None, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program, or Python code, apart from any terminal."""
    command = [sys.executable, *(["-c", code] if code else ["-m", "daoqi_tui"]), *arguments]
    environment = {**os.environ, "COLUMNS": "80", **({"HOME": str(home)} if home else {})}
    return subprocess.run(
        command, cwd=CHECKOUT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def test_help_tells_what_there_is() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "--version" in done.stdout
    assert "Daoqi" in done.stdout


def test_the_help_of_the_board_names_its_options() -> None:
    done = run("play", "--help")
    assert done.returncode == 0
    for option in ("--size", "--komi", "--handicap"):
        assert option in done.stdout


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"daoqi-tui {daoqi_tui.__version__}\n", "")


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_a_word_about_itself_imports_neither_numpy_nor_textual(argument: str) -> None:
    code = (
        "import sys, daoqi_tui.cli\n"
        "try:\n    daoqi_tui.cli.main(sys.argv[1:])\n"
        "finally:\n    print({'numpy', 'textual', 'rich'} & set(sys.modules), file=sys.stderr)"
    )
    done = run(argument, code=code)
    assert done.returncode == 0
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
    assert project["scripts"]["daoqi-tui"] == "daoqi_tui.cli:main"
