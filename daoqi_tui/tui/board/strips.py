"""Fast line rendering: strips that render themselves, and a widget that passes its strips on unchanged.

In a moving picture hardly two characters have the same colours: a line of 60 would be 60 segments with a style each,
and making those takes longer than drawing the picture. So the strip stores the colours and makes segments only on
demand, for a filter, a dialog that covers part of the line, or a terminal with few colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.filter import ANSIToTruecolor, LineFilter
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.pictures.palettes import RGB
from daoqi_tui.tui.look import style_of


class PixelStrip(Strip):
    """One line of characters from two lines of pixels.

    Args:
        upper: the colours of the upper pixels, each :func:`packed`.
        lower: those of the lower pixels, the same number.
        blocks: whether the terminal has half blocks; without them a character has only the lower colour.
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
        """Divide the strip; it is kept as it is if the only cut is at its end."""
        places = list(cuts)
        return [self] if places == [self.cell_length] else list(super().divide(places))

    @property
    def half_blocks(self) -> tuple[Sequence[int], Sequence[int]]:
        """The colours of the upper and of the lower pixels."""
        return self._upper, self._lower


def packed(colour: RGB) -> int:
    """Return a colour as an integer, as :class:`PixelStrip` takes it."""
    red, green, blue = colour
    return red << 16 | green << 8 | blue


def _rgb(colour: int) -> RGB:
    return colour >> 16, colour >> 8 & 255, colour & 255


class StripWidget(Widget):
    """A widget without border, padding or tint, whose ``render_line`` caches its strips.

    The base class would pass each strip through its own cache of borders, padding and tints, which takes three times as
    long as all other work of a pan.
    """

    # Only true colours are drawn, which the filter for the terminal's sixteen colours leaves unchanged.
    NEEDLESS_FILTERS: ClassVar[tuple[type[LineFilter], ...]] = (ANSIToTruecolor,)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the strips for the compositor, filtered as the terminal requires and cropped."""
        strips = [self.render_line(y) for y in crop.line_range]
        if any(strip.cell_length < crop.right for strip in strips):
            # The widget has not yet been told its new size.
            blank = Strip.blank(crop.right, self.rich_style)
            strips = [blank if strip.cell_length < crop.right else strip for strip in strips]
        filters = [each for each in self.get_line_filters() if not isinstance(each, self.NEEDLESS_FILTERS)]
        if filters:
            background = self.background_colors[1]
            for line_filter in filters:
                strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        self._dirty_regions.clear()
        return strips
