"""Gives engines ample time to start and to respond."""

from __future__ import annotations

import pytest

from daoqi_tui.gtp.client import Engine
from tests.waiting import HANG


@pytest.fixture(autouse=True)
def _patient_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the default patience of an engine to ``HANG``: a busy machine starts processes slowly."""
    monkeypatch.setattr(Engine.__init__, "__defaults__", (HANG,))
