"""A strip that writes fewer bytes: only what changes from one segment to the next.

Textual's own strip names both colours for every segment and resets after each. A board line has dozens of
segments that differ in one colour, so this halves what a pan sends, which is felt over ssh.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from rich.color import Color, ColorSystem
from rich.console import Console
from rich.style import Style
from textual.strip import Strip

_RESET: Final = "\x1b[0m"


class CompactStrip(Strip):
    """A strip whose segments all name both colours or none does, with no attributes but the four written here."""

    def render(self, console: Console) -> str:
        """Render into terminal sequences, ending in a reset."""
        if self._render_cache is None:
            # A private name, and the one Textual's own strip asks: rich has no public one for the enumeration.
            system = console._color_system or ColorSystem.TRUECOLOR  # noqa: SLF001
            pieces: list[str] = []
            current: Style | None = None
            for text, style, _ in self._segments:
                if style is not None and style != current:
                    pieces.append(_change(current, style, system))
                    current = style
                pieces.append(text)
            pieces.append(_RESET)
            self._render_cache = "".join(pieces)
        return self._render_cache


@lru_cache(maxsize=8192)
def _change(before: Style | None, style: Style, system: ColorSystem) -> str:
    """Return the sequence that turns one style into another."""
    codes: list[str] = []
    attributes = _attributes(style)
    fresh = before is None or _attributes(before) != attributes
    if fresh:
        codes.append("0")
        codes.extend(code for code, on in zip(("1", "2", "4", "7"), attributes, strict=True) if on)
    if style.color is not None and (fresh or before is None or before.color != style.color):
        codes.extend(_codes(style.color, system, foreground=True))
    if style.bgcolor is not None and (fresh or before is None or before.bgcolor != style.bgcolor):
        codes.extend(_codes(style.bgcolor, system, foreground=False))
    return f"\x1b[{';'.join(codes)}m"


def _attributes(style: Style) -> tuple[bool | None, ...]:
    return style.bold, style.dim, style.underline, style.reverse


@lru_cache(maxsize=1024)
def _codes(color: Color, system: ColorSystem, *, foreground: bool) -> tuple[str, ...]:
    return tuple(color.downgrade(system).get_ansi_codes(foreground))
