"""The whole board once, as a small picture of square pixels with the window's outline; pure, no screen.

The board lies as the view has it turned, its first row and column at the top left; only the outline moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import isqrt
from typing import Final

from daoqi_tui.engine import BLACK
from daoqi_tui.tui.palette import RGB, Shades, blend
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.viewport import Span, Viewport

_OUTSIDE: Final = 0.55
"""How far what lies outside the window is darkened."""
_OUTLINE: Final = 0.65
_LARGEST: Final = 8

Rows = tuple[tuple[RGB, ...], ...]


def fitting_scale(size: int, width: int, height: int) -> int:
    """Pixels a point, as many as fit into ``width`` × ``height`` pixels; 0 where not even one does."""
    return min(width // size, height // size, _LARGEST)


def point_at(size: int, scale: int, x: int, y: int) -> tuple[int, int]:
    """The shown ``(row, column)`` at a pixel, the nearest one for a pixel beside the board."""
    return max(0, min(size - 1, y // scale)), max(0, min(size - 1, x // scale))


def window_of(viewport: Viewport, scale: int) -> tuple[Span, Span]:
    """The pixels across and down that the window shows; they may run on over the end of the board."""
    return (
        _window(viewport.x + viewport.bright_columns.start, viewport.bright_columns, viewport.cell.width, scale),
        _window(viewport.y + viewport.bright_rows.start, viewport.bright_rows, viewport.cell.height, scale),
    )


def _window(origin: int, bright: Span, step: int, scale: int) -> Span:
    start = round(origin * scale / step)
    return Span(start, start + round((bright.end - bright.start) * scale / step))


def draw(picture: Picture, viewport: Viewport, scale: int, shades: Shades, sky: RGB) -> list[list[RGB]]:
    """The rows of pixels of ``picture`` as the view has it, at ``scale`` pixels a point."""
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
            row[x] = blend(row[x], shades.cursor, _OUTLINE)
        rows.append(row)
    return rows


def _places(span: Span, length: int) -> tuple[frozenset[int], frozenset[int]]:
    """The places of a span round a line of ``length``, and those at its two ends."""
    inside = frozenset(place % length for place in range(span.start, span.end))
    return inside, frozenset({span.start % length, (span.end - 1) % length})


@lru_cache(maxsize=4)
def _board(stones: bytes, last: int | None, scale: int, shades: Shades, sky: RGB) -> tuple[Rows, Rows]:
    """The board without an outline, as it looks inside the window and outside it."""
    bright = tuple(board_pixels(stones, last, scale, shades))
    dim = tuple(tuple(blend(colour, sky, _OUTSIDE) for colour in row) for row in bright)
    return bright, dim


def board_pixels(stones: bytes, last: int | None, scale: int, shades: Shades) -> Iterator[tuple[RGB, ...]]:
    """Draw a board at ``scale`` pixels a point: a row of colours for each row of pixels."""
    size, disc, middle = isqrt(len(stones)), _disc(scale), scale // 2
    line = blend(shades.board, shades.line, 0.45)
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
                        pixels.append(line if scale > 2 and middle in (x, y) else shades.board)
            yield tuple(pixels)


@lru_cache(maxsize=16)
def _disc(scale: int) -> Sequence[Sequence[bool]]:
    """Which pixels of a point belong to its stone; below three a point, all."""
    middle, radius = (scale - 1) / 2, scale / 2
    reach = radius * radius * 0.93 if scale > 2 else radius * radius + 1
    return [[(x - middle) ** 2 + (y - middle) ** 2 <= reach for x in range(scale)] for y in range(scale)]
