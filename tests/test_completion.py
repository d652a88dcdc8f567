"""Shell completion and manual page: they cover every command and option, and shells accept them."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from daoqi_tui.cli.options import Parser
from daoqi_tui.cli.parsers import COMMANDS, parser_for
from daoqi_tui.cli.program import completion, manual_page
from tests.waiting import HANG

ROOT: Final = Path(__file__).parents[1]


def needed(program: str) -> str:
    """Return the path of a program; skip the test if it is not installed."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def scripted(shell: str, tmp_path: Path, parser: Parser | None = None) -> Path:
    file = tmp_path / f"completion.{shell}"
    file.write_text(completion(shell, parser or parser_for()), encoding="utf-8")
    return file


def run(*command: str) -> str:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=HANG)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def translate(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield all commands and options of a parser."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices
            for command in action.choices.values():
                yield from translate(command)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_option_is_there(shell: str) -> None:
    script = completion(shell, parser_for())
    assert set(COMMANDS) <= set(translate(parser_for()))
    for word in translate(parser_for()):
        assert (word.lstrip("-") if shell == "fish" else word) in script


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_no_command_is_described_by_more_than_a_line(shell: str) -> None:
    assert "score a game" in completion(shell, parser_for()) or shell == "bash"
    assert "Tromp-Taylor" not in completion(shell, parser_for())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_accepts_its_script(shell: str, tmp_path: Path) -> None:
    program = needed(shell)
    run(program, "--no-execute" if shell == "fish" else "-n", str(scripted(shell, tmp_path)))


def difficult() -> Parser:
    """Return a parser whose texts contain characters that shells interpret."""
    parser = Parser(prog="daoqi-tui")
    commands = parser.add_subparsers()
    play = commands.add_parser("play", help='it\'s `rm` $HOME: 100% \\ "really" [so] (too)')
    play.add_argument("--odd", metavar="X", help='it\'s `rm` $HOME: 100%% \\ "really" [so] (too)')
    return parser


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_words_in_help_are_no_orders(shell: str, tmp_path: Path) -> None:
    program = needed(shell)
    run(program, "--no-execute" if shell == "fish" else "-n", str(scripted(shell, tmp_path, difficult())))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sc"], {"score"}),
        (["--pl"], {"--plain"}),
        (["--plain", "--ko"], {"--komi"}),
        (["completion", ""], {"bash", "zsh", "fish"}),
        (["show", "ga"], {"game.sgf"}),
        (["--size", "9", "--st"], {"--stones"}),
        (["show", "--format", ""], {"text", "ansi", "svg"}),
        (["show", "--coor"], {"--coordinates"}),
        (["play", "--size", ""], set()),
        (["--versi"], {"--version"}),
        (["config", "g"], {"get"}),
        (["config", "set", "look.b"], {"look.board"}),
    ],
)
def test_bash_completes(words: list[str], expected: set[str], tmp_path: Path) -> None:
    bash = needed("bash")
    script = scripted("bash", tmp_path)
    (tmp_path / "game.sgf").touch()
    call = (
        f'cd {tmp_path}; source {script}; COMP_WORDS=(daoqi-tui "$@"); COMP_CWORD=$#; '
        '_shtab_daoqi_tui daoqi-tui "${COMP_WORDS[COMP_CWORD]}"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert set(run(bash, "-c", call, "bash", *words).split()) == expected


def test_bash_completes_names_of_files_where_no_command_fits(tmp_path: Path) -> None:
    from ptyprocess import PtyProcessUnicode

    (tmp_path / "kifu.sgf").touch()
    script = scripted("bash", tmp_path)
    process = PtyProcessUnicode.spawn([needed("bash"), "--norc", "-i"], dimensions=(40, 120), cwd=str(tmp_path))
    try:
        process.write(f"source {script}; echo re''ady\n")
        _read_until(process, "ready\r\n")
        process.write("daoqi-tui ki\t")
        _read_until(process, "daoqi-tui kifu.sgf")
        process.write("\x15daoqi-tui scor\t")
        _read_until(process, "daoqi-tui score")
    finally:
        process.terminate(force=True)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("daoqi-tui sc", {"score"}),
        ("daoqi-tui completion ", {"bash", "zsh", "fish"}),
        ("daoqi-tui show --format ", {"text", "ansi", "svg"}),
        ("daoqi-tui --pl", {"--plain"}),
        ("daoqi-tui --plain --ko", {"--komi"}),
        ("daoqi-tui score --pl", set()),
        ("daoqi-tui ga", {"game.sgf", "games"}),
        ("daoqi-tui score ga", {"game.sgf"}),
        ("daoqi-tui gtp ga", set()),
        ("daoqi-tui --versi", {"--version"}),
        ("daoqi-tui config g", {"get"}),
        ("daoqi-tui config set look.b", {"look.board"}),
    ],
)
def test_fish_completes(line: str, expected: set[str], tmp_path: Path) -> None:
    fish = needed("fish")
    (tmp_path / "game.sgf").touch()
    script = scripted("fish", tmp_path)
    done = run(fish, "--no-config", "-c", f"cd {tmp_path}; source {script}; complete -C '{line}'")
    assert {row.split("\t")[0] for row in done.splitlines()} == expected


def test_zsh_completes(tmp_path: Path) -> None:
    zsh = needed("zsh")
    folder = tmp_path / "functions"
    folder.mkdir()
    (folder / "_daoqi-tui").write_text(completion("zsh", parser_for()), encoding="utf-8")
    from ptyprocess import PtyProcessUnicode

    (tmp_path / "kifu.sgf").touch()
    process = PtyProcessUnicode.spawn([zsh, "-f", "-i"], dimensions=(40, 120), cwd=str(tmp_path))
    try:
        process.write(
            f"PS1='%% '; fpath=({folder} $fpath); autoload -U compinit; compinit -u -d {tmp_path}/dump; print re''ady\n"
        )
        seen = _read_until(process, "ready")
        process.write("daoqi-tui completion \t\t")
        seen = _read_until(process, "fish")
        assert "bash" in seen
        assert "zsh" in seen
        process.write("\x15daoqi-tui config set look.b\t")
        _read_until(process, "look.board")
        process.write("\x15daoqi-tui --plai\t")
        _read_until(process, "--plain")
        process.write("\x15daoqi-tui scor\t")
        _read_until(process, "score")
        process.write("\x15daoqi-tui ki\t")
        _read_until(process, "kifu.sgf")
    finally:
        process.terminate(force=True)


def _read_until(process: object, words: str) -> str:
    import select

    from ptyprocess import PtyProcessUnicode

    assert isinstance(process, PtyProcessUnicode)
    seen = ""
    while select.select([process.fd], [], [], HANG)[0]:
        seen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x07|.\x08", "", seen + process.read(4096))
        if words in seen:
            return seen
    raise AssertionError(f"{words!r} did not come, but {seen!r}")


def test_the_manual_names_every_command_and_option() -> None:
    page = manual_page(parser_for()).replace("\\-", "-")
    assert all(f".SS {command}\n" in page for command in COMMANDS)
    assert all(word in page for word in translate(parser_for()))


def test_the_manual_has_the_sections_that_manuals_have() -> None:
    page = manual_page(parser_for())
    assert re.findall(r"^\.SH (.+)$", page, re.MULTILINE) == [
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "COMMANDS",
        "OPTIONS",
        "FILES",
        "ENVIRONMENT",
        "EXIT STATUS",
        "EXAMPLES",
        "SEE ALSO",
    ]
    words = page.replace("\\-", "-")
    for part in ("config.toml", "DAOQI_TUI_LOOK_BOARD", "DAOQI_LOG", "XDG_STATE_HOME", "NO_COLOR", "128+N"):
        assert part in words
    for example in parser_for().commands["config"].examples:
        assert f"\n{example}\n" in words


def test_no_line_of_the_manual_is_an_order_by_mistake() -> None:
    parser = Parser(prog="daoqi-tui", description=".so /etc/passwd\n\n'quoted' and a back\\slash")
    parser.examples = (".so /etc/passwd",)
    page = manual_page(parser)
    assert page.count("\n\\&.so /etc/passwd\n") == 2
    assert "\n\\&'quoted' and a back\\eslash\n" in page
    assert page.isascii()


def rendered(*command: str) -> str:
    """Return the manual as rendered by a program, which must not print warnings."""
    done = subprocess.run(
        command,
        input=manual_page(parser_for()),
        capture_output=True,
        text=True,
        check=False,
        env={"GROFF_NO_SGR": "1", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_groff_sets_the_manual_without_a_warning() -> None:
    assert "道棋" in rendered(needed("groff"), "-man", "-Tutf8", "-ww")


def test_man_shows_the_manual() -> None:
    shown = rendered(needed("man"), "--warnings", "-P", "cat", "-l", "-")
    assert "道棋" in shown
    assert re.search(r"^EXIT STATUS$", re.sub(r".\x08", "", shown), re.MULTILINE)


def test_mandoc_has_nothing_to_say_against_the_manual_but_that_it_has_no_date() -> None:
    mandoc = needed("mandoc")
    page = manual_page(parser_for())
    done = subprocess.run(
        [mandoc, "-T", "lint", "-W", "warning"], input=page, capture_output=True, text=True, check=False
    )
    # The page is regenerated for each version and needs no date.
    assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []
    assert "WARNING: missing date" in done.stdout


def test_what_is_made_while_the_package_is_built_needs_no_more_than_its_build_requires() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    allowed = {re.split(r"[<>=]", each)[0] for each in settings["build-system"]["requires"]}
    script = f"""
import sys
from importlib.metadata import packages_distributions
found = packages_distributions().items()
known = {{name for name, made in found if name != "daoqi_tui" and not {allowed!r} & set(made)}}
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in known:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from daoqi_tui.cli.parsers import parser_for
from daoqi_tui.cli.program import completion, manual_page
assert manual_page(parser_for()) and completion("bash", parser_for())
"""
    run(sys.executable, "-c", script)
