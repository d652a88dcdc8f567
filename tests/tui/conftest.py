"""Keeps the developer's own terminal, settings and games out of the tests of the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

_OF_THE_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "LINES", "CLICOLOR")


@pytest.fixture(autouse=True)
def _no_settings_of_the_developer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test as a person who has just installed the program would."""
    import os

    for name in list(os.environ):
        if name.startswith("TEXTUAL_SNAPSHOT"):
            continue  # where the plugin that compares pictures puts its report
        if name in _OF_THE_TERMINAL or name.startswith(("TEXTUAL", "DAOQI_TUI", "XDG_", "LC_", "LANGUAGE")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TERM", "xterm-256color")
