"""Fast line rendering: strips that render themselves, and a widget that passes its strips on unchanged.

In a moving picture hardly two characters have the same colours: a line of 60 would be 60 segments with a style each,
and making those takes longer than drawing the picture. So the strip stores the colours and makes segments only on
demand, for a filter, a dialog that covers part of the line, or a terminal with few colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import ClassVar, Final

from rich.color import Color, ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.filter import ANSIToTruecolor, LineFilter
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.pictures.palettes import RGB
from daoqi_tui.tui.look import style_of

_DECIMAL: Final = tuple(str(number) for number in range(256))


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

    def render(self, console: Console) -> str:
        """Render as terminal sequences that set colours only where they change."""
        # A private name that Textual's own strip uses, too: rich has no public one for the enumeration.
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
    """Return a colour as an integer, as :class:`PixelStrip` takes it."""
    red, green, blue = colour
    return red << 16 | green << 8 | blue


def _rgb(colour: int) -> RGB:
    return colour >> 16, colour >> 8 & 255, colour & 255


_RESET: Final = "\x1b[0m"


class CompactStrip(Strip):
    """A strip whose segments all set both colours, or none does, and no attributes but the four written here."""

    def render(self, console: Console) -> str:
        """Render as terminal sequences, ending in a reset."""
        if self._render_cache is None:
            # A private name that Textual's own strip uses, too: rich has no public one for the enumeration.
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
