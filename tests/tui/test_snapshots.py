"""Two snapshots of the whole screen; run ``pytest --snapshot-update`` after an intended change of the look.

Behaviour is tested elsewhere, without snapshots.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.app import DaoqiApp

pytest.importorskip("pytest_textual_snapshot", reason="pytest-textual-snapshot, which takes the pictures, is missing")


def game() -> DaoqiApp:
    """Return an app with a game in which White has captured a stone across the seam."""
    session = Session(GameSetup(size=9, black="Ada", white="Ben"))
    for name in ["A5", "B5", "E5", "A6", "E4", "A4", "C7", "I5", "G3", "G7"]:
        session.game.play(session.game.torus.parse(name))
    return DaoqiApp(session)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["120x40", "80x24"])
def test_the_screen_looks_as_it_did(snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    assert snap_compare(game(), terminal_size=size, press=["t"])
