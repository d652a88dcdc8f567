"""Fake computer players and a fake analyst for the screen; they answer at once, or when released."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from daoqi_tui.play import players as table
from daoqi_tui.tui.screen import GameScreen
from tests.play.quick import PlayerFactory, QuickAnalyst
from tests.tui.driving import Person


@contextmanager
def quick_players(monkeypatch: pytest.MonkeyPatch) -> Iterator[PlayerFactory]:
    """Replace all computer players with quick fakes."""
    factory = PlayerFactory()
    monkeypatch.setattr(table, "make_player", factory.make)
    monkeypatch.setattr(GameScreen, "pace", 0.0)
    yield factory


def analysed_by(person: Person) -> QuickAnalyst:
    """Replace the real analyst with a quick fake."""
    analyst = QuickAnalyst()
    person.screen.match.players._adviser = analyst  # type: ignore[assignment]
    return analyst
