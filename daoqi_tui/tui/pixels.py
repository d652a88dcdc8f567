"""Stones as square pixels, two to a character, by the height of a cell.

``.`` board, ``a`` lit, ``b`` body, ``c`` shaded; in the rings ``x`` marks the corners that show the cursor.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DISCS: Final[Mapping[int, tuple[str, ...]]] = {
    2: (".ab.", "abbb", "bbbc", ".bc."),
    3: (".aab.", "aabbb", "abbbb", "bbbbb", "bbbbc", ".bcc."),
}

RINGS: Final[Mapping[int, tuple[str, ...]]] = {
    2: ("x..x", "....", "....", "x..x"),
    3: ("x...x", ".....", ".....", ".....", ".....", "x...x"),
}
