"""Memory that a network computes in, kept from batch to batch."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import prod
from typing import Any, Final, TypeVar

import numpy as np

from daoqi_tui.ai.network_grid import Floats

Kept = TypeVar("Kept")
_MOST: Final = 64
"""Things kept; about 15 KB each, and one for every shape of a batch and kind of layer."""


class Workspace:
    """Arrays that are used again and again, by name; making them anew costs as much as the arithmetic.

    All shapes of a name share one piece of memory, as large as the largest of them.
    """

    def __init__(self) -> None:
        self._memory: dict[str, Floats] = {}
        self._arrays: dict[tuple[str, tuple[int, ...]], Floats] = {}
        self._kept: dict[Hashable, Any] = {}

    def array(self, name: str, *shape: int) -> Floats:
        """An array with whatever was in it; arrays of the same name overwrite one another."""
        array = self._arrays.get((name, shape))
        if array is None:
            size = prod(shape)
            memory = self._memory.get(name)
            if memory is None or len(memory) < size:
                self._arrays = {key: kept for key, kept in self._arrays.items() if key[0] != name}
                self._kept.clear()
                memory = self._memory[name] = np.empty(size, dtype=np.float32)
            array = self._arrays[name, shape] = memory[:size].reshape(shape)
        return array

    def kept(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What was made for ``key`` the first time; it may hold arrays of this workspace."""
        found: Kept | None = self._kept.get(key)
        if found is None:
            found = make()
            if len(self._kept) >= _MOST:
                self._kept.clear()
            self._kept[key] = found
        return found
