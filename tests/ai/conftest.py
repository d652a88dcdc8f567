"""The playout kernel in both forms, interpreted and compiled."""

from __future__ import annotations

import pytest

from daoqi_tui.ai.playout.backend import Backend, compiled, interpreted


@pytest.fixture(params=["interpreted", "compiled"])
def backend(request: pytest.FixtureRequest) -> Backend:
    if request.param == "interpreted":
        return interpreted()
    pytest.importorskip("numba", reason="numba is not installed, so there is no compiled kernel to test")
    return compiled()
