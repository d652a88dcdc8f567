"""A line of half blocks, two square pixels to a character, that writes itself without a segment a character.

A moving picture has hardly two characters of one colour: a line of 60 would be 60 segments with a style each, and
making those takes longer than drawing the picture. So the strip keeps the colours and becomes segments only where
something asks for them, such as a filter, a dialog that covers half of the line, or a terminal with few colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from textual.strip import Strip

from daoqi_tui.tui.palette import RGB, style_of

_DECIMAL: Final = tuple(str(number) for number in range(256))


class PixelStrip(Strip):
    """One line of characters from two lines of pixels.

    Args:
        upper: the colours of the upper pixels, :func:`packed`.
        lower: those of the lower ones, as many.
        blocks: whether the terminal has half blocks; without them a character has the lower colour alone.
    """

    def __init__(self, upper: Sequence[int], lower: Sequence[int], *, blocks: bool = True) -> None:
        self._upper, self._lower = (upper, lower) if blocks else (lower, lower)
        self._made: list[Segment] | None = None
        super().__init__((), len(upper))

    @property
    def _segments(self) -> list[Segment]:
        if not self._made:
            self._made = list(self._runs())
        return self._made

    @_segments.setter
    def _segments(self, segments: list[Segment]) -> None:
        self._made = segments

    def _runs(self) -> Iterable[Segment]:
        for upper, lower in zip(self._upper, self._lower, strict=True):
            yield Segment("▀" if upper != lower else " ", style_of(_rgb(upper), _rgb(lower)))

    def divide(self, cuts: Iterable[int]) -> list[Strip]:
        """Divide the strip; whole, where nothing else stands on its line, it stays as it is."""
        places = list(cuts)
        return [self] if places == [self.cell_length] else list(super().divide(places))

    def render(self, console: Console) -> str:
        """Render into terminal sequences, each colour named only where it changes."""
        # A private name, and the one Textual's own strip asks: rich has no public one for the enumeration.
        if console._color_system not in (None, ColorSystem.TRUECOLOR):  # noqa: SLF001
            return super().render(console)
        if self._render_cache is None:
            decimal = _DECIMAL
            pieces: list[str] = []
            ink = ground = -1
            for upper, lower in zip(self._upper, self._lower, strict=True):
                if lower != ground:
                    ground = lower
                    pieces.append(
                        f"\x1b[48;2;{decimal[lower >> 16]};{decimal[lower >> 8 & 255]};{decimal[lower & 255]}m"
                    )
                if upper == lower:
                    pieces.append(" ")
                    continue
                if upper != ink:
                    ink = upper
                    pieces.append(
                        f"\x1b[38;2;{decimal[upper >> 16]};{decimal[upper >> 8 & 255]};{decimal[upper & 255]}m"
                    )
                pieces.append("▀")
            pieces.append("\x1b[0m")
            self._render_cache = "".join(pieces)
        return self._render_cache


def packed(colour: RGB) -> int:
    """A colour as the strip takes it."""
    red, green, blue = colour
    return red << 16 | green << 8 | blue


def _rgb(colour: int) -> RGB:
    return colour >> 16, colour >> 8 & 255, colour & 255
