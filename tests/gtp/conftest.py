"""Gives engines all the time they need to start and to answer."""

from __future__ import annotations

import pytest

from daoqi_tui.gtp.client import Engine
from tests.waiting import HANG


@pytest.fixture(autouse=True)
def _patient_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine may take 20 seconds where nothing else is said, which a busy machine needs to start one."""
    monkeypatch.setattr(Engine.__init__, "__defaults__", (HANG,))
