"""Every field of :class:`Rules` with values to try; a new field has to be given some, and then reaches every test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import combinations, product
from typing import Any, Final

from daoqi_tui.engine import BLACK, POSITIONAL, PRESETS, SIMPLE, SITUATIONAL, WHITE, Rules

VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "superko": (SITUATIONAL, POSITIONAL, SIMPLE),
    "suicide": (True, False),
    "pass_cost": (1, 0, 3),
    "komi": (4, 7.5, -2),
    "tie": (WHITE, BLACK, None),
}
assert list(VALUES) == [field.name for field in fields(Rules)], "a field of the rules has no values to try"

VARIED: Final = tuple(
    dict.fromkeys(
        replace(preset, **{name: value}) for preset, name in product(PRESETS.values(), VALUES) for value in VALUES[name]
    )
)
"""The presets, each with every field changed to every value."""

LEGALITIES: Final = tuple(
    dict.fromkeys((*VARIED, *(Rules(*both) for both in product(VALUES["superko"], VALUES["suicide"]))))
)
"""The same, with superko and suicide in all combinations, which interact."""


def differing() -> Iterator[tuple[str, Rules, Rules]]:
    """Yield every field, and rules that differ in it alone."""
    for name, values in VALUES.items():
        for preset in PRESETS.values():
            for one, other in combinations(values, 2):
                yield name, replace(preset, **{name: one}), replace(preset, **{name: other})
