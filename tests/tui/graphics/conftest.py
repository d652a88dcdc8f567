"""Pictures are sent after the frame that leaves room for them."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _frames_are_painted(every_frame: None) -> None:
    pass
