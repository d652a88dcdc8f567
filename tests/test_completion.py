"""Completion and manual page: they know every command and option the parsers know, and shells accept them."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from daoqi_tui.cli import COMMANDS, parser_for
from daoqi_tui.completion import SHELLS, commands_of, completion
from daoqi_tui.manual import manual_page


def needed(program: str) -> str:
    """Where a program is; without it the test is skipped."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def scripted(shell: str, tmp_path: Path, parser: argparse.ArgumentParser | None = None) -> Path:
    file = tmp_path / f"completion.{shell}"
    file.write_text(completion(shell, parser or parser_for()), encoding="utf-8")
    return file


def run(*command: str) -> str:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_the_commands_are_those_of_the_command_line() -> None:
    assert [command.name for command in commands_of(parser_for())] == ["", *COMMANDS]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_there(shell: str) -> None:
    script = completion(shell, parser_for())
    for command in commands_of(parser_for()):
        assert command.name in script
        for option in command.options:
            for name in option.names:
                assert (name.lstrip("-") if shell == "fish" else name) in script


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_accepts_its_script(shell: str, tmp_path: Path) -> None:
    program = needed(shell)
    run(program, "--no-execute" if shell == "fish" else "-n", str(scripted(shell, tmp_path)))


def difficult() -> argparse.ArgumentParser:
    """A parser with everything in its words that shells take for orders."""
    parser = argparse.ArgumentParser(prog="daoqi-tui")
    commands = parser.add_subparsers()
    play = commands.add_parser("play", help='it\'s `rm` $HOME: 100% \\ "really" [so] (too)')
    play.add_argument("--odd", metavar="X", help='it\'s `rm` $HOME: 100%% \\ "really" [so] (too)')
    return parser


@pytest.mark.parametrize("shell", SHELLS)
def test_words_in_help_are_no_orders(shell: str, tmp_path: Path) -> None:
    program = needed(shell)
    run(program, "--no-execute" if shell == "fish" else "-n", str(scripted(shell, tmp_path, difficult())))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sc"], {"score"}),
        (["--pl"], {"--plain"}),
        (["--plain", "--ko"], {"--komi"}),
        (["completion", ""], {"bash", "zsh", "fish", "-h", "--help"}),
        (["show", "--format", ""], {"text", "ansi", "svg"}),
        (["show", "--coor"], {"--coordinates"}),
        (["play", "--size", ""], set()),
    ],
)
def test_bash_completes(words: list[str], expected: set[str], tmp_path: Path) -> None:
    bash = needed("bash")
    script = scripted("bash", tmp_path)
    call = (
        f'source {script}; COMP_WORDS=(daoqi-tui "$@"); COMP_CWORD=$#; _daoqi_tui; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    assert set(run(bash, "-c", call, "bash", *words).split()) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("daoqi-tui sc", {"score"}),
        ("daoqi-tui completion ", {"bash", "zsh", "fish"}),
        ("daoqi-tui show --format ", {"text", "ansi", "svg"}),
        ("daoqi-tui --pl", {"--plain"}),
        ("daoqi-tui --plain --ko", {"--komi"}),
        ("daoqi-tui score --pl", set()),
    ],
)
def test_fish_completes(line: str, expected: set[str], tmp_path: Path) -> None:
    fish = needed("fish")
    done = run(fish, "--no-config", "-c", f"source {scripted('fish', tmp_path)}; complete -C '{line}'")
    assert {row.split("\t")[0] for row in done.splitlines()} == expected


def test_zsh_completes(tmp_path: Path) -> None:
    zsh = needed("zsh")
    folder = tmp_path / "functions"
    folder.mkdir()
    (folder / "_daoqi-tui").write_text(completion("zsh", parser_for()), encoding="utf-8")
    from ptyprocess import PtyProcessUnicode

    process = PtyProcessUnicode.spawn([zsh, "-f", "-i"], dimensions=(40, 120))
    try:
        process.write(
            f"PS1='%% '; fpath=({folder} $fpath); autoload -U compinit; compinit -u -d {tmp_path}/dump; print re''ady\n"
        )
        seen = _read_until(process, "ready")
        process.write("daoqi-tui completion \t\t")
        seen = _read_until(process, "fish")
        assert "bash" in seen
        assert "zsh" in seen
        process.write("\x15daoqi-tui --plai\t")
        _read_until(process, "--plain")
        process.write("\x15daoqi-tui scor\t")
        _read_until(process, "score")
    finally:
        process.terminate(force=True)


def _read_until(process: object, words: str) -> str:
    import select

    from ptyprocess import PtyProcessUnicode

    assert isinstance(process, PtyProcessUnicode)
    seen = ""
    while select.select([process.fd], [], [], 10)[0]:
        seen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x07|.\x08", "", seen + process.read(4096))
        if words in seen:
            return seen
    raise AssertionError(f"{words!r} did not come, but {seen!r}")


def test_the_manual_names_every_command_and_option() -> None:
    page = manual_page(parser_for()).replace("\\-", "-")
    for command in commands_of(parser_for()):
        if command.name:
            assert f".SS {command.name}\n" in page
        for option in command.options:
            assert all(name in page for name in option.names)


def test_no_line_of_the_manual_is_an_order_by_mistake() -> None:
    parser = argparse.ArgumentParser(
        prog="daoqi-tui", description=".so /etc/passwd", epilog="'quoted' and a back\\slash"
    )
    page = manual_page(parser)
    assert "\n\\&.so /etc/passwd\n" in page
    assert "\n\\&'quoted' and a back\\eslash\n" in page
    assert page.isascii()


def test_groff_sets_the_manual_without_a_warning() -> None:
    groff = needed("groff")
    done = subprocess.run(
        [groff, "-man", "-Tutf8", "-ww"],
        input=manual_page(parser_for()),
        capture_output=True,
        text=True,
        check=True,
        env={"GROFF_NO_SGR": "1", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
    )
    assert done.stderr == ""
    assert "道棋" in done.stdout
