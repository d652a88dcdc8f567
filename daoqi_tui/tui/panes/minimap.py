"""The whole board in few pixels: the map with the outline of the window, and small boards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import isqrt
from typing import Final

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.engine import BLACK, Style, torus_of
from daoqi_tui.i18n import _
from daoqi_tui.pictures.palettes import RGB, Shades, blend
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.board.viewport import Viewport
from daoqi_tui.tui.look import StoneSigns, signs_of
from daoqi_tui.tui.output import DrawnWidget, PixelStrip, StripWidget, packed

_OUTSIDE: Final = 0.55
_OUTLINE: Final = 0.65
_LARGEST: Final = 8
_USUAL: Final = 16
"""The board size assumed before a board is shown."""

Rows = tuple[tuple[RGB, ...], ...]


def fitting_scale(size: int, width: int, height: int) -> int:
    """Return how many pixels per point fit into ``width`` × ``height`` pixels, at most 8; 0 if not even one does."""
    return min(width // size, height // size, _LARGEST)


def point_at(size: int, scale: int, x: int, y: int) -> tuple[int, int]:
    """Return the shown ``(row, column)`` at a pixel; beside the board, the nearest one."""
    return max(0, min(size - 1, y // scale)), max(0, min(size - 1, x // scale))


def window_of(viewport: Viewport, scale: int) -> tuple[range, range]:
    """Return the ranges of pixels across and down that the window shows; they may extend past the end of the board."""
    return (
        _window(viewport.x + viewport.bright_columns.start, viewport.bright_columns, viewport.cell.width, scale),
        _window(viewport.y + viewport.bright_rows.start, viewport.bright_rows, viewport.cell.height, scale),
    )


def _window(origin: int, bright: range, step: int, scale: int) -> range:
    start = round(origin * scale / step)
    return range(start, start + round((len(bright)) * scale / step))


def draw(picture: Picture, viewport: Viewport, scale: int, shades: Shades, sky: RGB) -> list[list[RGB]]:
    """Draw ``picture`` at ``scale`` pixels per point, with the outline of the window, as rows of pixels."""
    bright, dim = _board(picture.stones, picture.last, scale, shades, sky)
    length = picture.size * scale
    across, down = window_of(viewport, scale)
    inside_x, edge_x = _places(across, length)
    inside_y, edge_y = _places(down, length)
    rows = []
    for y in range(length):
        if y not in inside_y:
            rows.append(list(dim[y]))
            continue
        row = [bright[y][x] if x in inside_x else dim[y][x] for x in range(length)]
        for x in inside_x if y in edge_y else edge_x:
            row[x] = blend(row[x], shades.label, _OUTLINE)
        rows.append(row)
    return rows


def _places(span: range, length: int) -> tuple[frozenset[int], frozenset[int]]:
    """Return the places of a span, wrapped to ``length``, and those at its two ends."""
    inside = frozenset(place % length for place in span)
    return inside, frozenset({span.start % length, (span.stop - 1) % length})


@lru_cache(maxsize=4)
def _board(stones: bytes, last: int | None, scale: int, shades: Shades, sky: RGB) -> tuple[Rows, Rows]:
    """Draw the board without an outline, as it looks inside the window, and as it looks outside."""
    bright = tuple(board_pixels(stones, last, scale, shades))
    dim = tuple(tuple(blend(colour, sky, _OUTSIDE) for colour in row) for row in bright)
    return bright, dim


def alternate(shades: Shades) -> RGB:
    """Return the colour of every other point of a board without lines."""
    return blend(shades.board, shades.line, 0.16)


def board_pixels(stones: bytes, last: int | None, scale: int, shades: Shades) -> Iterator[tuple[RGB, ...]]:
    """Draw a board at ``scale`` pixels per point; yield a row of colours for each row of pixels.

    Where there is no room for lines the points are alternately darker, so that distances can be seen.
    """
    size, disc, middle = isqrt(len(stones)), _disc(scale), scale // 2
    line = blend(shades.board, shades.line, 0.45)
    grounds = shades.board, shades.board if scale > 2 else alternate(shades)
    for row in range(size):
        for y in range(scale):
            pixels: list[RGB] = []
            for column in range(size):
                point = row * size + column
                colour = stones[point]
                stone = shades.black if colour == BLACK else shades.white_fill
                for x in range(scale):
                    if colour and disc[y][x]:
                        marked = point == last and scale > 1 and abs(x - middle) + abs(y - middle) <= (scale > 4)
                        pixels.append(shades.last if marked else stone)
                    else:
                        pixels.append(line if scale > 2 and middle in (x, y) else grounds[(row + column + 1) % 2])
            yield tuple(pixels)


def board_signs(
    stones: bytes, empty: Sequence[str], signs: StoneSigns, step: int, last: int | None = None
) -> list[str]:
    """Write a board without colours, one string per row.

    Args:
        stones: the colour of each point.
        empty: the character at each point if it is empty.
        signs: the characters of the stones.
        step: the number of columns of a point.
        last: the point whose stone is marked.
    """
    size = isqrt(len(stones))
    written = [signs.sign(colour) if colour else sign for colour, sign in zip(stones, empty, strict=True)]
    if last is not None and stones[last]:
        written[last] = signs.last_sign(stones[last])
    points = [f"{sign:{step}}" for sign in written]
    return ["".join(points[first : first + size]) for first in range(0, len(points), size)]


@lru_cache(maxsize=16)
def _disc(scale: int) -> Sequence[Sequence[bool]]:
    """Return which pixels of a point belong to its stone; all of them below three pixels per point."""
    middle, radius = (scale - 1) / 2, scale / 2
    reach = radius * radius * 0.93 if scale > 2 else radius * radius + 1
    return [[(x - middle) ** 2 + (y - middle) ** 2 <= reach for x in range(scale)] for y in range(scale)]


_FEWEST_LINES: Final = 4
"""In fewer lines the window's corners are named instead of drawn; without colours the map needs a line per row."""


class MinimapPane(DrawnWidget, StripWidget):
    """A map of the whole board with the window. A click or a drag centres a point in the window."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    MinimapPane { width: 1fr; height: 1fr; }
    """

    _shown: tuple[Picture, Viewport, StoneSigns, Style] | None = None
    _pressed = False
    _board: BoardView | None = None
    _style: Style = "daoqi"

    def follow(self, board: BoardView, style: Style) -> None:
        """Follow a board on the screen from now on, with points named in ``style``."""
        self._style = style
        if self._board is not board:
            self._board = board
            board.changed.subscribe(self, self._show_board, immediate=True)
        self._show_board(board)

    def _show_board(self, board: BoardView) -> None:
        if self.display:
            self.show(board.shown, board.viewport, StoneSigns(board.palette, board.glyphs), self._style)

    def show(self, picture: Picture, viewport: Viewport, signs: StoneSigns, style: Style) -> None:
        shown = picture, viewport, signs, style
        if shown != self._shown:
            resized = self._shown is None or self._shown[0].size != picture.size
            self._shown = shown
            self.redraw(layout=resized)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 (Textual's form)
        """Return the height of the map at its largest, for a height of ``auto``."""
        size = self._shown[0].size if self._shown is not None else _USUAL
        return size if self.app.no_color else -(-size * fitting_scale(size, width, width) // 2)

    # Drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """Render as the base class does, with the window that a layout has just given the board."""
        if self._board is not None:
            self._show_board(self._board)
        return super().render_lines(crop)

    def _draw(self) -> list[Strip]:
        if self._shown is None:
            return []
        picture, viewport, signs, style = self._shown
        scale = self._scale(picture)
        if not scale:
            return self._words(viewport, style)
        if self.app.no_color:
            return self._signs(picture, viewport, signs, scale)
        palette = signs.palette
        rows = draw(picture, viewport, scale, palette.bright, palette.frame)
        left, top = self._corner(picture, scale)
        sky = packed(palette.frame)
        lines = [
            [sky] * left + [packed(colour) for colour in row] + [sky] * (self.size.width - left - len(row))
            for row in rows
        ]
        lines = [[sky] * self.size.width] * top + lines
        lines += [[sky] * self.size.width] * (2 * self.size.height - len(lines))
        return [PixelStrip(*pair, blocks=signs.glyphs.blocks) for pair in zip(lines[::2], lines[1::2], strict=True)]

    def _signs(self, picture: Picture, viewport: Viewport, signs: StoneSigns, scale: int) -> list[Strip]:
        across, down = ({place % picture.size for place in span} for span in window_of(viewport, 1))
        left, step = self._columns(picture, scale)
        places = range(picture.size)
        empty = ["·" if row in down and column in across else " " for row in places for column in places]
        rows = board_signs(picture.stones, empty, signs, step)
        return [Strip([Segment(f"{' ' * left + row:{self.size.width}}")], self.size.width) for row in rows]

    def _columns(self, picture: Picture, scale: int) -> tuple[int, int]:
        """Return the first column of the map without colours, and the number of columns of a point."""
        step = min(scale, 2)
        return (self.size.width - picture.size * step) // 2, step

    def _scale(self, picture: Picture) -> int:
        if self.size.height < (picture.size if self.app.no_color else _FEWEST_LINES):
            return 0
        return fitting_scale(picture.size, self.size.width, 2 * self.size.height)

    def _corner(self, picture: Picture, scale: int) -> tuple[int, int]:
        length = picture.size * scale
        return (self.size.width - length) // 2, min(2, 2 * self.size.height - length)

    def _words(self, viewport: Viewport, style: Style) -> list[Strip]:
        torus, across, along = torus_of(viewport.size), viewport.bright_columns, viewport.bright_rows
        names = []
        for x, y in ((across.start, along.start), (across.stop - 1, along.stop - 1)):
            shown = viewport.row_at(y)[0], viewport.column_at(x)[0]
            names.append(torus.name(torus.point(*viewport.orientation.board(viewport.size, *shown)), style))
        dim = self.rich_style + RichStyle(dim=True)
        lines = [Strip([Segment(_("Window"), dim)]), Strip([Segment(" – ".join(names), self.rich_style)])]
        return [line.adjust_cell_length(self.size.width, self.rich_style) for line in lines]

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()
        if event.button == 1:
            self.capture_mouse()
            self._pressed = True
            self._go(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        event.stop()
        if not event.button:
            # A dialog that opened meanwhile received the release.
            self._let_go()
        elif self._pressed:
            self._go(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        event.stop()
        self._let_go()

    def _let_go(self) -> None:
        if self._pressed:
            self.release_mouse()
            self._pressed = False

    def _go(self, event: events.MouseEvent) -> None:
        if self._shown is None:
            return
        picture, viewport, *_look = self._shown
        scale = self._scale(picture)
        if not scale:
            return
        if self.app.no_color:
            left, step = self._columns(picture, scale)
            shown = point_at(picture.size, step, event.x - left, event.y * step)
        else:
            left, top = self._corner(picture, scale)
            shown = point_at(picture.size, scale, event.x - left, 2 * event.y + 1 - top)
        point = torus_of(picture.size).point(*viewport.orientation.board(picture.size, *shown))
        self.post_message(BoardView.PointRecentred(picture.size, point))


def in_signs(widget: Widget) -> bool:
    """Return whether small boards are drawn in characters, since colours or half blocks are missing."""
    return widget.app.no_color or not signs_of(widget).glyphs.blocks


class SmallBoard(DrawnWidget):
    """A board in the colours of the game's, drawn in pixels, as large as it fits, or in signs; see :func:`in_signs`."""

    DEFAULT_CSS = """
    SmallBoard { width: 1fr; height: 1fr; }
    """

    _stones = b""
    _last: int | None = None

    def on_mount(self) -> None:
        """Set a class for the style sheets, since a board in characters needs more lines."""
        self.set_class(in_signs(self), "-signs")

    def show(self, stones: bytes, last: int | None = None) -> None:
        resized = len(stones) != len(self._stones)
        self._stones, self._last = stones, last
        self.redraw(layout=resized)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the height of the largest board that ``width`` and the limit of the style allow, for ``auto``."""
        side = isqrt(len(self._stones))
        if in_signs(self) or not side:
            return side
        limit = self.styles.max_height
        most = container.height if limit is None else int(limit.resolve(container, viewport))
        return (side * fitting_scale(side, width, 2 * most) + 1) // 2

    def _draw(self) -> list[Strip]:
        side = isqrt(len(self._stones))
        if not side:
            return []
        if in_signs(self):
            return self._signs(side)
        width, height = self.size
        scale = fitting_scale(side, width, 2 * height)
        if not scale:
            return []
        rows = [[packed(colour) for colour in row] for row in self._pixels(scale)]
        if len(rows) % 2:
            ground = self.rich_style.bgcolor
            below = signs_of(self).palette.frame if ground is None or ground.triplet is None else ground.triplet
            rows.append([packed(below)] * (side * scale))
        return [self._centred(PixelStrip(*pair)) for pair in zip(rows[::2], rows[1::2], strict=True)]

    def _signs(self, side: int) -> list[Strip]:
        step = min(self.size.width // side, 2)
        if not step or self.size.height < side:
            return []
        rows = board_signs(self._stones, "·" * len(self._stones), signs_of(self), step, self._last)
        return [self._centred(Strip([Segment(row, self.rich_style)], side * step)) for row in rows]

    def _centred(self, strip: Strip) -> Strip:
        left = (self.size.width - strip.cell_length) // 2
        rest = self.size.width - left - strip.cell_length
        return Strip.join([Strip.blank(left, self.rich_style), strip, Strip.blank(rest, self.rich_style)])

    def _pixels(self, scale: int) -> list[tuple[RGB, ...]]:
        return list(board_pixels(self._stones, self._last, scale, signs_of(self).palette.bright))
