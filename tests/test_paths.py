"""Paths as people type them, and as terminals paste them."""

from __future__ import annotations

from pathlib import Path

import pytest

from daoqi_tui.paths import typed_path


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
