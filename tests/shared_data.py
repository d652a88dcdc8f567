"""Locates the reference data for the tests, in ``shared/`` beside the checkout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

SHARED: Final = Path(__file__).resolve().parents[2] / "shared"
DATA: Final = SHARED / "data"


def data_path(*parts: str) -> Path:
    """Return the file or folder ``parts`` below ``shared/data``; skip the test with a message if it is missing."""
    path = DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no truth data at {path}; put the shared folder beside the checkout to run this test")
    return path


def data_json(*parts: str) -> Any:
    """Return a parsed JSON file below ``shared/data``; skip like :func:`data_path`."""
    return json.loads(data_path(*parts).read_text(encoding="utf-8"))
