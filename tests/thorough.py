"""How long open-ended tests run: with ``DAOQI_TESTS=thorough``, for minutes."""

from __future__ import annotations

import os
from typing import Final

THOROUGH: Final = os.environ.get("DAOQI_TESTS") == "thorough"


def rounds(quick: int, thorough: int) -> int:
    """Return ``thorough`` in thorough mode, otherwise ``quick``."""
    return thorough if THOROUGH else quick


def report(**figures: int) -> None:
    """Print figures of a test, which ``-rP`` shows."""
    print(*(f"{name.replace('_', ' ')}: {figure}" for name, figure in figures.items()), sep=", ")  # noqa: T201
