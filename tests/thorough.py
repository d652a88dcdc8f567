"""How long open-ended tests run: with ``DAOQI_TESTS=thorough``, for minutes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import cycle
from typing import Final

THOROUGH: Final = os.environ.get("DAOQI_TESTS") == "thorough"


def rounds(quick: int, thorough: int) -> int:
    """Return ``thorough`` in thorough mode, otherwise ``quick``."""
    return thorough if THOROUGH else quick


def report(**figures: int) -> None:
    """Print figures of a test, which ``-rP`` shows."""
    print(*(f"{name.replace('_', ' ')}: {figure}" for name, figure in figures.items()), sep=", ")  # noqa: T201


def in_turn(cases: Iterable[tuple[object, ...]], values: Sequence[object]) -> list[tuple[object, ...]]:
    """Return each case with one of the values, which take turns; in thorough runs with each of them."""
    listed = list(cases)
    if THOROUGH:
        return [(*case, value) for case in listed for value in values]
    return [(*case, value) for case, value in zip(listed, cycle(values), strict=False)]
