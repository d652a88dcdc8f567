"""Fixtures that isolate the TUI tests from the developer's terminal, settings and games."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partialmethod
from pathlib import Path
from typing import Final

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot

from daoqi_tui.gtp.client import Engine
from daoqi_tui.tui.screen import GameScreen
from tests.waiting import HANG

_OF_THE_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "LINES", "CLICOLOR")

_parse_rules: Final = Stylesheet._parse_rules
_parsed: Final[dict[tuple[object, ...], list[RuleSet]]] = {}


def _parse_once(self: Stylesheet, *given: object, **named: object) -> list[RuleSet]:
    """Return the rules of a style sheet, parsed once for all screens that the tests start, with the same colours."""
    key = (given, *sorted(named.items()), *sorted(self._variables.items()))
    if key not in _parsed:
        _parsed[key] = _parse_rules(self, *given, **named)  # type: ignore[arg-type]
    return _parsed[key]


@pytest.fixture(autouse=True, scope="session")
def _one_style_sheet() -> Iterator[None]:
    """Keep what Textual keeps for one app, the parsed style sheets, for all: a fifth of the time of a short test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", _parse_once)
        yield


@pytest.fixture(autouse=True, scope="session")
def _rules_are_hashed_in_c() -> Iterator[None]:
    """Hash the rules of style sheets by identity, as their own method does in Python: hundreds for each widget."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RuleSet, "__hash__", object.__hash__)
        yield


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise Textual's 30-second and the engines' 20-second timeouts: the machine may be busy."""
    monkeypatch.setattr(Engine.__init__, "__defaults__", (HANG,))
    monkeypatch.setattr(Pilot, "_wait_for_screen", partialmethod(Pilot._wait_for_screen, HANG))


@pytest.fixture(autouse=True)
def _no_result_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the result card at the end of a game; tests of the card turn it back on."""
    monkeypatch.setattr(GameScreen, "shows_result", False)


@pytest.fixture(autouse=True)
def _no_settings_of_the_developer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test as if the program had just been installed."""
    import os

    for name in list(os.environ):
        if name.startswith("TEXTUAL_SNAPSHOT"):
            continue  # where the snapshot plugin puts its report
        if name == "XDG_CACHE_HOME":
            continue  # where all tests have their compiled kernels
        if name in _OF_THE_TERMINAL or name.startswith(("TEXTUAL", "DAOQI_TUI", "XDG_", "LC_", "LANGUAGE")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TERM", "xterm-256color")
