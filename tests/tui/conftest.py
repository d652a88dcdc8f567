"""Fixtures that isolate the TUI tests from the developer's terminal, settings and games."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from daoqi_tui.gtp.client import Engine
from daoqi_tui.play import players
from daoqi_tui.record.journal.writer import JournalWriter
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.screen import GameScreen
from tests import waiting
from tests.play.quick import PlayerFactory
from tests.tui import cheaper, driving
from tests.waiting import HANG

_OF_THE_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "LINES", "CLICOLOR")


@pytest.fixture(autouse=True, scope="session")
def _textual_does_less() -> Iterator[None]:
    with cheaper.cheaper():
        yield


@pytest.fixture
def every_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each frame painted: for tests of what depends on that, and of states that no other test has."""
    monkeypatch.setattr(cheaper, "EVERY_FRAME", True)


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise Textual's 30-second and the engines' 20-second timeouts: the machine may be busy."""
    monkeypatch.setattr(Engine.__init__, "__defaults__", (HANG,))
    monkeypatch.setattr(Pilot, "_wait_for_screen", partialmethod(Pilot._wait_for_screen, HANG))


_textual_pause = Pilot.pause


async def _pause(pilot: Pilot[Any], delay: float | None = None) -> None:
    """Wait until all is processed and drawn; Textual waits for 20 ms without work, of a second at most."""
    app = pilot.app
    if delay is not None or not isinstance(app, DaoqiApp):
        await _textual_pause(pilot, delay)
        return
    # The app hands a new size on to its screen after a moment.
    await waiting.until(lambda: not app._resize_event or app._exit or app._exception)
    await driving.settle(app)
    await driving.draw(app)


@pytest.fixture(autouse=True)
def _states_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pilot, "pause", _pause)


@pytest.fixture(autouse=True)
def _saving_is_tried_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have games that could not be saved tried again after a fifth of a second, in place of two seconds."""
    monkeypatch.setitem(JournalWriter.__init__.__kwdefaults__, "retry", 0.2)


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


@pytest.fixture
def factory(monkeypatch: pytest.MonkeyPatch) -> PlayerFactory:
    """Replace all computer players with quick fakes, which answer at once, or when released."""
    factory = PlayerFactory()
    monkeypatch.setattr(players, "make_player", factory.make)
    monkeypatch.setattr(GameScreen, "pace", 0.0)
    return factory
