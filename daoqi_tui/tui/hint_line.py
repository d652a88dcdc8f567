"""A line of keys and what they do, as many as fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.style import Style
from rich.text import Text

_GAP: Final = "   "


def hint_line(hints: Sequence[tuple[str, str]], key_style: Style, width: int) -> Text:
    """Join ``(key, deed)`` pairs into at most ``width`` columns; the first and the last, the way out, always stay."""
    parts = [Text.assemble((key, key_style), f" {deed}") for key, deed in hints]
    while len(parts) > 2 and Text(_GAP).join(parts).cell_len > width:
        del parts[-2]
    return Text(_GAP, no_wrap=True, overflow="ellipsis").join(parts)
