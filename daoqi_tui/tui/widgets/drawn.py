"""Widgets that draw their lines themselves, once, and hand them to the compositor as they are."""

from __future__ import annotations

from typing import ClassVar

from textual.filter import ANSIToTruecolor, LineFilter
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


class Drawn(Widget):
    """A widget without border, padding or tint, whose ``render_line`` keeps the strips it has drawn.

    The base class would pass each through its own cache of borders, padding and tints, which takes three times as
    long as everything else a pan costs.
    """

    # Only true colours are drawn, which the filter for the sixteen of the terminal leaves alone.
    NEEDLESS_FILTERS: ClassVar[tuple[type[LineFilter], ...]] = (ANSIToTruecolor,)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Hand the strips to the compositor, filtered as the terminal asks and cropped."""
        strips = [self.render_line(y) for y in crop.line_range]
        filters = [each for each in self.get_line_filters() if not isinstance(each, self.NEEDLESS_FILTERS)]
        if filters:
            background = self.background_colors[1]
            for line_filter in filters:
                strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        self._dirty_regions.clear()
        return strips
