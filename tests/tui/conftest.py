"""Keeps the developer's own terminal, settings and games out of the tests of the screen."""

from __future__ import annotations

from functools import partialmethod
from pathlib import Path

import pytest
from textual.pilot import Pilot

from daoqi_tui.gtp.client import Engine
from daoqi_tui.tui.game.screen import GameScreen
from tests.waiting import HANG

_OF_THE_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "LINES", "CLICOLOR")


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a screen longer than Textual's 30 seconds, and engines longer than 20: the machine may be busy."""
    monkeypatch.setattr(Engine.__init__, "__defaults__", (HANG,))
    monkeypatch.setattr(Pilot, "_wait_for_screen", partialmethod(Pilot._wait_for_screen, HANG))


@pytest.fixture(autouse=True)
def _no_result_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the board in view at the end of a game; tests of the result card switch it on again."""
    monkeypatch.setattr(GameScreen, "shows_result", False)


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
