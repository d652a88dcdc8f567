"""A line of keys and what they do, as many as fit; a click does the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from textual.content import Content

_GAP: Final = "   "


class KeyHint(NamedTuple):
    """A key and what it does.

    Attributes:
        key: as a person reads it.
        deed: what it does, in a word.
        action: what a click on it does, without arguments; empty for keys that need a direction.
    """

    key: str
    deed: str
    action: str = ""


def hint_line(hints: Sequence[KeyHint], width: int, *, last: int = 1, least: int = 2) -> Content:
    """Join hints into at most ``width`` columns.

    Args:
        hints: the way out at their end.
        width: in cells.
        last: so many at the end always stay; those before them go first.
        least: so many stay, whether they fit or not.
    """
    parts = [_part(hint) for hint in hints]
    while len(parts) > least and Content(_GAP).join(parts).cell_length > width:
        del parts[-last - 1]
    return Content(_GAP).join(parts)


def _part(hint: KeyHint) -> Content:
    part = Content.styled(hint.key, "bold") + f" {hint.deed}"
    return part.stylize(f"@click={hint.action}") if hint.action else part
