"""What the terminal shows, and the shortest text that turns it into the next frame.

Textual writes every strip of a changed widget, whether it looks different or not. :class:`Terminal` keeps the cells
that the terminal shows, and writes only those that change: row by row or, if that is shorter, all cells of a style
before those of the next, with the fewest changes of colours and attributes, and the cursor moved by the shortest way.
The invariant: afterwards a terminal shows exactly what it would show had all frames been written whole, and a frame
equal to what is shown is an empty text.

In 256 colours it writes the most similar one (:func:`fixed_number`).

A widget that moves gives its lines as they are to be written: a :class:`StripWidget` passes them to the compositor
unchanged. In a picture hardly two characters have the same colours: a line of 60 would be 60 segments with a style
each, and making those takes longer than drawing it. So a :class:`PixelStrip` stores the colours and makes segments only
on demand, for a filter, a dialog that covers part of the line, or a terminal with few colours.

Nothing here knows the program, so that Textual could use it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, product
from math import hypot
from threading import Lock
from typing import ClassVar, Final, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.color import Color, ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.filter import ANSIToTruecolor, LineFilter
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

_UNKNOWN: Final = -1
"""A cell whose contents are not known, which is therefore written."""
_REST: Final = -2
"""A cell of a wide character after its first one."""
_BLOCK: Final = 1 << 62
"""The bit of an upper half block: its lower and its upper colour follow, without an entry in the tables."""
_STYLE_BITS: Final = 20
"""The number of bits of a style in other cells; those above are the text."""
_STYLE_MASK: Final = (1 << _STYLE_BITS) - 1
_MOST_SEGMENTS: Final = 1 << 15
"""The number of different segments after which all tables are begun anew."""
_LONGEST_BRIDGE: Final = 4
"""The most unchanged cells that may be shorter to write again than to move over."""
_MOVE: Final = 6
"""About how many bytes move the cursor."""
_COLOUR: Final = 17
"""About how many bytes set a colour."""
_ATTRIBUTES: Final = (
    *(("bold", "1"), ("dim", "2"), ("italic", "3"), ("underline", "4"), ("blink", "5"), ("blink2", "6")),
    *(("reverse", "7"), ("conceal", "8"), ("strike", "9"), ("underline2", "21"), ("frame", "51")),
    *(("encircle", "52"), ("overline", "53")),
)
"""The attributes of a style by their names, with the codes that set them."""
_SYSTEMS: Final[dict[str | None, ColorSystem | None]] = {
    None: None,
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
    "windows": ColorSystem.WINDOWS,
}
PART: Final = 4_000
"""About how many characters of a frame are sent before it may be given up."""
_PLAIN: Final = "\x1b]8;;\x1b\\\x1b[m"
_DECIMAL: Final = tuple(str(number) for number in range(256))


class CellStyle(NamedTuple):
    """A style as a terminal takes it: the codes of its attributes and of both colours, empty for the terminal's own."""

    attributes: tuple[str, ...] = ()
    foreground: str = ""
    background: str = ""
    link: str = ""


def cell_style_of(style: Style | None, system: ColorSystem | None) -> CellStyle:
    """Return a style for a terminal with these colours; without any, styles are not shown at all."""
    if style is None or system is None:
        return CellStyle()
    codes = [
        "" if color is None else _colour_code(color, system, is_foreground=is_foreground)
        for color, is_foreground in ((style.color, True), (style.bgcolor, False))
    ]
    foreground, background = ("" if code in ("39", "49") else code for code in codes)
    return CellStyle(
        tuple(code for name, code in _ATTRIBUTES if getattr(style, name)), foreground, background, style.link or ""
    )


def _colour_code(color: Color, system: ColorSystem, *, is_foreground: bool) -> str:
    if system is ColorSystem.EIGHT_BIT and color.triplet is not None:
        return f"{38 if is_foreground else 48};5;{fixed_number(color.triplet)}"
    return ";".join(color.downgrade(system).get_ansi_codes(is_foreground))


def change(before: CellStyle | None, after: CellStyle) -> str:
    """Return the shortest sequence that sets a style instead of another one; None is a style that is not known."""
    link = f"\x1b]8;;{after.link}\x1b\\" if (before or CellStyle()).link != after.link else ""
    codes = (*after.attributes, after.foreground, after.background)
    whole = f"\x1b[{';'.join(('0', *filter(None, codes))) if any(codes) else ''}m"
    if before is None or not set(before.attributes) <= set(after.attributes):
        return link + whole
    added = [code for code in after.attributes if code not in before.attributes]
    added += [after.foreground or "39"] * (before.foreground != after.foreground) + [after.background or "49"] * (
        before.background != after.background
    )
    step = f"\x1b[{';'.join(added)}m" if added else ""
    return link + min(step, whole, key=len)


_width: Final = lru_cache(maxsize=4096)(cell_len)
"""Returns the width of a character: Rich's own function is called more than a thousand times in a first frame."""


def clusters(text: str) -> list[str]:
    """Return the characters of a text, each with the characters of no width that follow it."""
    if text.isascii():
        return list(text)
    widths = list(map(_width, text))
    if all(widths) and sum(widths) == cell_len(text):
        return list(text)
    found: list[str] = []
    for character in text:
        if found and (found[-1][-1] == "\u200d" or not _width(character)):
            found[-1] += character
        else:
            found.append(character)
    # Of a sequence that the above divides at the wrong places at least the width is right.
    return found if sum(map(cell_len, found)) == cell_len(text) else [text]


class Frame(str):
    """The text of a frame, of which the rest may be left out, as when its screen is left while a slow line takes it."""

    __slots__ = ("_given_up", "_is_last", "_lock")

    def __init__(self, _text: str) -> None:
        self._lock = Lock()
        self._given_up = self._is_last = False

    def parts(self) -> Iterator[str]:
        """Yield the text, cut between sequences; if it is given up in the meantime, then what makes the style plain."""
        begin = 0
        while begin < len(self):
            end = self.find("\x1b", begin + PART)
            with self._lock:
                self._is_last = end < 0
                if self._given_up:
                    break
            yield self[begin : len(self) if end < 0 else end]
            begin = len(self) if end < 0 else end
        else:
            return
        yield _PLAIN

    def give_up(self) -> bool:
        """Leave out what is not sent yet; return whether that is anything: what the terminal shows is then unknown."""
        with self._lock:
            self._given_up = not self._is_last
            return self._given_up


class Terminal:
    """The cells that a terminal shows. A cell is a number: the places of text and style in tables, or two colours.

    Without numpy, whose import would take half as long as the whole first frame.

    Attributes:
        changed: the columns of the cells that the last frame has written, by their rows.
    """

    def __init__(self) -> None:
        self._shown: list[list[int]] = []
        self.changed: dict[int, list[int]] = {}
        self._size = 0, 0
        self._system: ColorSystem | None = None
        self._cursor: tuple[int, int] | None = None
        self._begin()

    def _begin(self) -> None:
        self._tables = _Tables()
        self._segments: dict[tuple[str, Style | None], list[int]] = {}
        self._styles: dict[Style | None, int] = {}
        self.forget()

    def forget(self, region: Region | None = None) -> None:
        """Forget what the terminal shows, everywhere or in a region, so that a frame writes it whole again."""
        columns, rows = self._size
        if region is None:
            self._shown = [[_UNKNOWN] * columns for _ in range(rows)]
            self._cursor = None
            return
        left, right = max(0, region.x), min(columns, region.right)
        for line in self._shown[max(0, region.y) : max(0, region.bottom)]:
            line[left:right] = [_UNKNOWN] * (right - left)

    def frame(
        self, update: CompositorUpdate, console: Console, size: tuple[int, int], cursor: tuple[int, int]
    ) -> str | None:
        """Return the text that shows an update of Textual's compositor; None if its kind is not known.

        Args:
            update: what is to be shown.
            console: the console with the terminal's colours.
            size: the columns and rows of the terminal.
            cursor: the column and row where the cursor is to be left.
        """
        system = _SYSTEMS[console.color_system]
        if (size, system) != (self._size, self._system) or len(self._segments) > _MOST_SEGMENTS:
            self._size, self._system = size, system
            self._begin()
        pieces = pieces_of(update)
        if pieces is None:
            self.forget()
            return None
        wanted: dict[int, list[int]] = {}
        for x, y, strip in pieces:
            if 0 <= y < size[1] and x < size[0]:
                line = wanted.get(y)
                if line is None:
                    line = wanted[y] = self._shown[y].copy()
                cells = self._cells(strip)
                line[x : x + len(cells)] = cells
        self.changed = {}
        for y, line in wanted.items():
            del line[size[0] :]
            shown = self._shown[y]
            if line != shown:
                self.changed[y] = _changed(line, shown)
                self._shown[y] = line
        writer = _Writer(self._tables, self._cursor, size[0])
        writer.write(self._in_order(_runs_of(self.changed, wanted)), wanted)
        self._cursor = cursor
        return writer.end(cursor)

    def _in_order(self, runs: list[_Run]) -> list[_Run]:
        """Return runs in the order in which they are shorter to write: by rows, or all of a style before the next."""
        styles = [style for style, _y, _places in runs]
        cost = self._tables.cost
        in_rows = sum(count * cost(*pair) for pair, count in Counter(pairwise(styles)).items())
        by_style = sum(cost(*pair) for pair in pairwise(sorted(set(styles))))
        return sorted(runs) if by_style + _MOVE * len(runs) < in_rows + _MOVE * len(self.changed) else runs

    def areas(self) -> Iterator[Region]:
        """Yield the cells that the last frame has written, as regions of one row each."""
        for y, places in self.changed.items():
            begin = end = places[0]
            for place in places:
                if place > end:
                    yield Region(begin, y, end - begin, 1)
                    begin = place
                end = place + 1
            yield Region(begin, y, end - begin, 1)

    def _cells(self, strip: Iterable[Segment]) -> list[int]:
        if isinstance(strip, PixelStrip) and self._system is ColorSystem.TRUECOLOR:
            return [_BLOCK | lower << 24 | upper for upper, lower in zip(*strip.half_blocks, strict=True)]
        cells: list[int] = []
        known = self._segments
        for text, style, control in strip:
            if not control:
                found = known.get((text, style))
                if found is None:
                    number = self._styles.get(style)
                    if number is None:
                        number = self._styles[style] = self._tables.style_number(cell_style_of(style, self._system))
                    found = known[text, style] = self._tables.cells(text, number)
                cells += found
        return cells


_Run: TypeAlias = tuple[int, int, list[int]]
"""Changed cells of one style in a row: the style, or the cell of a half block; the row; and the columns."""


def _runs_of(changed: Mapping[int, list[int]], wanted: Mapping[int, list[int]]) -> list[_Run]:
    """Return the runs of all rows, from left to right."""
    runs: list[_Run] = []
    for y, places in changed.items():
        line, before, run = wanted[y], -1, places
        for place in places:
            cell = line[place]
            # The first cell of a wide character writes it.
            if cell >= 0:
                style = cell if cell >= _BLOCK else cell & _STYLE_MASK
                if style != before:
                    before, run = style, []
                    runs.append((style, y, run))
                run.append(place)
    return runs


def _changed(line: Sequence[int], shown: Sequence[int]) -> list[int]:
    """Return the places of different cells; with a part of a wide character also those before it."""
    places = [place for place, (cell, before) in enumerate(zip(line, shown, strict=True)) if cell != before]
    if _REST not in line:
        return places
    found: list[int] = []
    for place in places:
        begin = place
        while begin and line[begin] == _REST and (not found or begin - 1 > found[-1]):
            begin -= 1
        found += range(begin, place + 1)
    return found


class _Tables:
    """The texts and styles of cells by their numbers, and the sequences between styles."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.widths: list[int] = []
        self.unsure: list[bool] = []
        """Whether terminals do not agree on the width of a text."""
        self.styles = [CellStyle()]
        self._text_numbers: dict[str, int] = {}
        self._style_numbers = {CellStyle(): 0}
        self._changes: dict[tuple[int, int], str] = {}

    def style_number(self, style: CellStyle) -> int:
        number = self._style_numbers.setdefault(style, len(self.styles))
        if number == len(self.styles):
            self.styles.append(style)
        return number

    def cells(self, text: str, style: int) -> list[int]:
        """Return the cells of a text in a style, given by its number."""
        cells = []
        for cluster in clusters(text):
            found = self._text_numbers.get(cluster)
            if found is None:
                found = self._text_numbers[cluster] = len(self.texts)
                self.texts.append(cluster)
                self.widths.append(cell_len(cluster))
                self.unsure.append(len(cluster) > 1 or cluster >= "\U0001f000")
            if width := self.widths[found]:
                cells.append(found << _STYLE_BITS | style)
                if width > 1:
                    cells += [_REST] * (width - 1)
        return cells

    def change(self, before: int, after: int) -> str:
        """Return the sequence from one style to another; -1 is one that is not in the table."""
        found = self._changes.get((before, after))
        if found is None:
            known = None if before < 0 else self.styles[before]
            found = self._changes[before, after] = change(known, self.styles[after])
        return found

    def cost(self, before: int, after: int) -> int:
        """Return about how many bytes change a style, or the colours of a half block, into another."""
        if before == after:
            return 0
        if before < _BLOCK and after < _BLOCK:
            return len(self.change(before, after))
        if before < _BLOCK or after < _BLOCK:
            return 2 * _COLOUR
        return _COLOUR * ((before ^ after) & 0xFFFFFF != 0) + _COLOUR * ((before ^ after) >> 24 != 0)


class _Writer:
    """Writes one frame. Its style is the number of one in the table, -1 for that of a half block."""

    def __init__(self, tables: _Tables, at: tuple[int, int] | None, columns: int) -> None:
        self._tables = tables
        self._at = at
        self._columns = columns
        self._style = 0
        self._colours = -1, -1
        self._out: list[str] = []

    def write(self, runs: Iterable[_Run], wanted: Mapping[int, list[int]]) -> None:
        """Write runs of cells, in this order, of rows that are to be."""
        out, texts, widths, unsure = self._out, self._tables.texts, self._tables.widths, self._tables.unsure
        for style, y, places in runs:
            cells = wanted[y]
            x = -1 if self._at is None or self._at[1] != y else self._at[0]
            block = ""
            for place in places:
                if place != x and not (0 <= x < place and self._bridge(cells[x:place])):
                    out.append(move(self._at if x < 0 else (x, y), (place, y)))
                if style >= _BLOCK:
                    block = block or self._set_colours(style)
                    out.append(block)
                    x = place + 1
                else:
                    if style != self._style:
                        out.append(self._tables.change(self._style, style))
                        self._style = style
                    text = cells[place] >> _STYLE_BITS
                    out.append(texts[text])
                    x = place + widths[text]
                    if unsure[text]:
                        x, self._at = -1, None
                if x >= self._columns:
                    # There the cursor waits for the next character before it wraps.
                    x, self._at = -1, None
            if x >= 0:
                self._at = x, y

    def _set_colours(self, cell: int) -> str:
        """Set the colours of a half block, and return its character."""
        lower, upper = cell >> 24 & 0xFFFFFF, cell & 0xFFFFFF
        if self._style >= 0:
            link = "\x1b]8;;\x1b\\" if self._tables.styles[self._style].link else ""
            self._out.append(link + ("\x1b[m" if self._style else ""))
            self._style, self._colours = -1, (-1, -1)
        foreground, background = self._colours
        if lower != background:
            self._out.append(f"\x1b[48;2;{_rgb(lower)}m")
        if upper not in (lower, foreground):
            foreground = upper
            self._out.append(f"\x1b[38;2;{_rgb(upper)}m")
        self._colours = foreground, lower
        return " " if upper == lower else "▀"

    def _bridge(self, cells: list[int]) -> bool:
        """Write unchanged cells again if that is shorter than moving the cursor over them; return whether it was."""
        if len(cells) > _LONGEST_BRIDGE or any(
            not 0 <= cell < _BLOCK
            or cell & _STYLE_MASK != self._style
            or not self._tables.texts[cell >> _STYLE_BITS].isascii()
            for cell in cells
        ):
            return False
        self._out.extend(self._tables.texts[cell >> _STYLE_BITS] for cell in cells)
        return True

    def end(self, cursor: tuple[int, int]) -> str:
        """Return what has been written, after which the style is plain and the cursor at its place."""
        if self._style:
            self._out.append(self._tables.change(self._style, 0))
        if self._at != cursor:
            self._out.append(move(self._at, cursor))
        return "".join(self._out)


def _rgb(colour: int) -> str:
    return f"{_DECIMAL[colour >> 16]};{_DECIMAL[colour >> 8 & 255]};{_DECIMAL[colour & 255]}"


def move(before: tuple[int, int] | None, after: tuple[int, int]) -> str:
    """Return the shortest sequence that moves the cursor; its place before is None if it is not known."""
    (x, y) = after
    absolute = f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H"
    if before is None:
        return absolute
    right, down = x - before[0], y - before[1]
    ways = [absolute]
    if not down and right:
        ways.append(_steps(abs(right), "C" if right > 0 else "D"))
    elif not right and down:
        ways.append(_steps(abs(down), "B" if down > 0 else "A"))
    return min(ways, key=len)


def _steps(count: int, way: str) -> str:
    return f"\x1b[{count}{way}" if count > 1 else f"\x1b[{way}"


def pieces_of(update: CompositorUpdate) -> Iterator[tuple[int, int, Strip]] | None:
    """Return the column, row and contents of each strip that Textual would write for an update; None if not known."""
    match update:
        case LayoutUpdate(strips=strips, region=region):
            return _of_layout(strips, region)
        case ChopsUpdate():
            return _of_chops(update)
    return None


def _of_layout(strips: Sequence[Iterable[Strip]], region: Region) -> Iterator[tuple[int, int, Strip]]:
    for y, line in enumerate(strips, region.y):
        x = region.x
        for strip in line:
            yield x, y, strip
            x += strip.cell_length


def _of_chops(update: ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
    for y, left, right in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            # As Textual does: a strip that begins before a span is written from its beginning.
            if strip is not None and x <= right and end > left:
                yield x, y, strip if x >= left and end <= right else strip.crop(0, min(end, right) - x)


# The fixed colours of a terminal that has 256. Rich rounds red, green and blue separately, and makes a colour of little
# saturation grey: light browns become pink and mauve, and wood behind a dialog olive beside grey.

_RGB: TypeAlias = tuple[int, int, int]
_Oklab: TypeAlias = tuple[float, float, float]

FIRST_FIXED: Final = 16
"""The number of the first fixed colour; those before it are the terminal's own."""
_LEVELS: Final = (0, 95, 135, 175, 215, 255)
FIXED: Final[tuple[_RGB, ...]] = (
    *product(_LEVELS, _LEVELS, _LEVELS),
    *((level, level, level) for level in range(8, 239, 10)),
)
"""The fixed colours in the order of their numbers."""
_HUE: Final = 2.0
"""How much more a difference of hue counts than one of lightness."""


@lru_cache(maxsize=1 << 15)
def fixed_number(colour: _RGB, turned: float = 0.0) -> int:
    """Return the number of the most similar fixed colour.

    A picture of the torus has hundreds of colours: fixed ones whose lightness alone differs by more are not compared.

    Args:
        colour: the colour wanted.
        turned: how much more another hue counts than another saturation.
    """
    wanted = oklab(colour)
    known = fixed_by_lightness()
    above = bisect_left(known, (wanted, 0))
    below = above - 1
    least, found = 9.0, 0
    while True:
        up = known[above][0][0] - wanted[0] if above < len(known) else 3.0
        down = wanted[0] - known[below][0][0] if below >= 0 else 3.0
        if min(up, down) ** 2 >= least:
            return FIRST_FIXED + found
        place, above, below = (above, above + 1, below) if up <= down else (below, above, below - 1)
        distance = difference(known[place][0], wanted, turned)
        if distance < least:
            least, found = distance, known[place][1]


def difference(one: _Oklab, other: _Oklab, turned: float = 0.0) -> float:
    """Return the squared difference of two colours in Oklab, in which hue counts more than lightness."""
    light, green_red, blue_yellow = one[0] - other[0], one[1] - other[1], one[2] - other[2]
    found = light * light + _HUE * (green_red * green_red + blue_yellow * blue_yellow)
    if turned:
        around = hypot(*one[1:]) * hypot(*other[1:]) - one[1] * other[1] - one[2] * other[2]
        found += turned * 2 * max(0.0, around)
    return found


@lru_cache(maxsize=1)
def fixed_by_lightness() -> tuple[tuple[_Oklab, int], ...]:
    """Return the fixed colours by lightness, each with its place in :data:`FIXED`."""
    return tuple(sorted((oklab(colour), place) for place, colour in enumerate(FIXED)))


def oklab(colour: _RGB) -> _Oklab:
    """Return lightness and two hue axes of a perceptually uniform colour space (Ottosson, Oklab, 2020)."""
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in colour)
    )
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


# Widgets that give their lines as they are to be written


@lru_cache(maxsize=4096)
def style_of(foreground: _RGB, background: _RGB, bold: bool = False, underline: bool = False) -> Style:
    """Return the Rich style of two colours, cached."""
    return Style(
        color=Color.from_rgb(*foreground),
        bgcolor=Color.from_rgb(*background),
        bold=bold or None,
        underline=underline or None,
    )


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
            yield Segment("▀" if upper != lower else " ", style_of(_colour(upper), _colour(lower)))

    def divide(self, cuts: Iterable[int]) -> list[Strip]:
        """Divide the strip; it is kept as it is if the only cut is at its end."""
        places = list(cuts)
        return [self] if places == [self.cell_length] else list(super().divide(places))

    @property
    def half_blocks(self) -> tuple[Sequence[int], Sequence[int]]:
        """The colours of the upper and of the lower pixels."""
        return self._upper, self._lower


def packed(colour: _RGB) -> int:
    """Return a colour as an integer, as :class:`PixelStrip` takes it."""
    red, green, blue = colour
    return red << 16 | green << 8 | blue


def _colour(colour: int) -> _RGB:
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


class DrawnWidget(Widget):
    """A widget whose lines are drawn together, as soon as one of them is shown, and kept until its size changes."""

    _strips: Sequence[Strip] | None = None
    _drawn_for: Size | None = None

    def render_line(self, y: int) -> Strip:
        if self._strips is None or self._drawn_for != self.size:
            self._strips, self._drawn_for = self._draw(), self.size
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, self.rich_style)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        # The theme may have changed, and with it the colours of boards.
        self._strips = None

    def _draw(self) -> Sequence[Strip]:
        raise NotImplementedError

    def redraw(self, *, layout: bool = False) -> None:
        """Draw the lines again; with ``layout`` there may be more or fewer."""
        self._strips = None
        self.refresh(layout=layout)
