"""Stones as square pixels, two to a character, by the height of a cell.

``.`` board, ``a`` lit, ``b`` body, ``c`` shaded; in the rings ``x`` marks the corners that show the cursor.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

Pixels: TypeAlias = tuple[str, ...]
"""Lines of pixels from the top, two lines to a line of characters."""

DISC_STONES: Final[Mapping[int, Pixels]] = MappingProxyType(
    {
        2: (".ab.", "abbb", "bbbc", ".bc."),
        3: (".aab.", "aabbb", "abbbb", "bbbbb", "bbbbc", ".bcc."),
    }
)

TILE_STONES: Final[Mapping[int, Pixels]] = MappingProxyType(
    {
        2: ("aab.", "abb.", "bbc.", "...."),
        3: ("aaaab", "abbbb", "abbbb", "bbbbc", "bbbbc", "bcccc"),
    }
)

RINGS: Final[Mapping[int, Pixels]] = MappingProxyType(
    {
        2: ("x..x", "....", "....", "x..x"),
        3: ("x...x", ".....", ".....", ".....", ".....", "x...x"),
    }
)
