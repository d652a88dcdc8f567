"""Gives engines ample time to start and to respond."""

from __future__ import annotations

import pytest

from daoqi_tui.ai.process import PlayerProcess
from daoqi_tui.gtp.client import Engine
from tests.forked import forked_command
from tests.waiting import HANG


@pytest.fixture(autouse=True)
def _patient_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the default patience of an engine to ``HANG``: a busy machine starts processes slowly."""
    monkeypatch.setattr(Engine.__init__, "__defaults__", (HANG,))


@pytest.fixture(autouse=True)
def _players_in_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have computer players run in forks of a process that has loaded kernels and networks."""
    monkeypatch.setattr(PlayerProcess.__init__, "__defaults__", (forked_command("-m", "daoqi_tui.ai.worker"),))
