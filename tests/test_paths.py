"""Paths as users type them and as terminals paste them, and the program's own folders."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import pytest

from daoqi_tui.paths import Kind, NoHome, dropped_file, own_folder, typed_path
from tests.forked import run_python
from tests.plain.test_game import home

CHECKOUT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("game.sgf", "game.sgf"),
        ("'my game.sgf'", "my game.sgf"),
        ('"道棋 1.sgf"', "道棋 1.sgf"),
        (" 'game.sgf' ", "game.sgf"),
        ("'game.sgf\"", "'game.sgf\""),
        ("it's.sgf", "it's.sgf"),
        ("''", "''"),
        ("~nobody-of-this-name/a.sgf", "~nobody-of-this-name/a.sgf"),
    ],
)
def test_quotes_around_a_path_are_no_part_of_it(typed: str, meant: str) -> None:
    assert typed_path(typed) == Path(meant)


def test_home_is_expanded_within_quotes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert typed_path("~/a.sgf") == typed_path("'~/a.sgf'") == tmp_path / "a.sgf"


def test_a_file_with_quotes_in_its_name_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("'a.sgf'").write_text("", "utf-8")
    assert typed_path("'a.sgf'") == Path("'a.sgf'")


@pytest.mark.parametrize("name", ["game.sgf", "my game.sgf", "it's.sgf", "道棋 (1).sgf", "a&b.sgf", "50%.sgf"])
def test_a_dropped_file_in_every_form_that_terminals_give(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text("(;SZ[9])", "utf-8")
    escaped = re.sub(r"([^\w/.%-])", r"\\\1", str(file))
    forms = [str(file), shlex.quote(str(file)), f'"{file}"', escaped, file.as_uri(), f"& '{file}'"]
    for form in forms if "'" not in name else [form for form in forms if not form.startswith("&")]:
        for typed in (form, f" {form} ", f"{form}\n"):
            assert typed_path(typed.strip()) == file, typed
            assert dropped_file(typed) == file, typed
    assert dropped_file(f"{shlex.quote(str(file))} /nowhere/b.sgf") == file


@pytest.mark.parametrize("text", ["", " \n", "no such file", "/no/a.sgf", "'", "a\0b", "x" * 100_000, "(;SZ[9])"])
def test_text_that_names_no_file(text: str) -> None:
    assert dropped_file(text) is None


needs_xdg = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="written for the folders of XDG")


def known_user(uid: int) -> SimpleNamespace:
    return SimpleNamespace(pw_dir=f"/users/{uid}")


def unknown_user(uid: int) -> SimpleNamespace:
    raise KeyError(uid)


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Remove every source of a home folder: the environment variables and the user database."""
    for name in ("HOME", *(f"XDG_{kind.upper()}_HOME" for kind in get_args(Kind))):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown_user)
    return monkeypatch


@needs_xdg
@pytest.mark.parametrize("home", [None, "", "relative/home"])
def test_without_a_home_in_the_variables_it_is_that_of_the_user(nowhere: pytest.MonkeyPatch, home: str | None) -> None:
    nowhere.setattr("pwd.getpwuid", known_user)
    if home is not None:
        nowhere.setenv("HOME", home)
    of_user = Path("/users", str(os.getuid()))
    assert {own_folder(kind) for kind in get_args(Kind)} == {
        of_user / ".config/daoqi-tui",
        of_user / ".local/share/daoqi-tui",
        of_user / ".local/state/daoqi-tui",
        of_user / ".cache/daoqi-tui",
    }


@needs_xdg
@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_folder_that_is_named_needs_no_home(nowhere: pytest.MonkeyPatch, kind: Kind) -> None:
    with pytest.raises(NoHome, match="your home folder is not known; set the variable HOME to its path"):
        own_folder(kind)
    nowhere.setenv(f"XDG_{kind.upper()}_HOME", "relative")
    with pytest.raises(NoHome):
        own_folder(kind)
    nowhere.setenv(f"XDG_{kind.upper()}_HOME", "/named")
    assert own_folder(kind) == Path("/named/daoqi-tui")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "pipe"),
        ("problems", "list", "pipe"),
        ("gtp", "--net", "pipe.npz"),
        ("gtp", "--net", "pipe.bin.gz"),
        ("judge", "pipe"),
        ("config",),
        ("config", "set", "look.board", "slate"),
        ("config", "--init", "--force"),
    ],
    ids=" ".join,
)
def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(arguments: tuple[str, ...], tmp_path: Path) -> None:
    settings = tmp_path / "config" / "daoqi-tui" / "config.toml"
    settings.parent.mkdir(parents=True)
    for pipe in [settings] if arguments[0] == "config" else map(tmp_path.joinpath, ("pipe", "pipe.npz", "pipe.bin.gz")):
        os.mkfifo(pipe)
    done = run_python(["-m", "daoqi_tui", *arguments], tmp_path, {**home(tmp_path), "PYTHONPATH": str(CHECKOUT)})
    assert done.returncode in (1, 2)
    assert "it is a pipe or a device, not a file" in done.stderr
    assert all(line.startswith("daoqi-tui: ") for line in done.stderr.splitlines())
