"""The board, with grid and stones, painted on a shaded 3-D torus: a picture in pixels, independent of any screen.

The surface and its lighting are computed once for a size and an inclination; a frame only looks up the stones.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.pictures.palettes import RGB, Shades
from daoqi_tui.pictures.torus_surface import (
    SAMPLES,
    Floats,
    Frame,
    Surface,
    edged_shape_of_rows,
    facing_of,
    place_at,
    shape_of,
)

PixelArray: TypeAlias = NDArray[np.uint8]
"""Colours of pixels, shape (rows of pixels, columns, 3)."""

STEEPEST: Final = float(np.radians(86))
"""The largest inclination in radians: beyond it the picture would tip over."""
_STONE: Final = 0.455
_GHOST: Final = 0.5
_TONES: Final = ".:-=+*"
_LINE: Final = (0.016, 0.045)
"""Half the thickness of a grid line in cells: the minimum (in fine pictures) and the maximum (in coarse ones)."""


class Camera(NamedTuple):
    """The direction the torus is seen from.

    Attributes:
        column: the board column that faces the viewer, with fractions.
        row: the row that faces the viewer, with fractions.
        tilt: the inclination from which the viewer looks down on the torus, in radians.
        zoom: the magnification; at 1 the torus fits the picture.
        bend: the shape, from 0 (a flat board) through 0.5 (a tube) to 1 (the torus).
    """

    column: float
    row: float
    tilt: float
    zoom: float = 1.0
    bend: float = 1.0

    def frame(self, width: int, height: int, samples: int = SAMPLES, aspect: float = 1.0) -> Frame:
        """Return the frame of a picture of ``width`` × ``height`` pixels that are ``aspect`` times as high as wide."""
        return Frame(width, height, self.tilt, self.zoom, samples, aspect, self.bend)


@dataclass(frozen=True, slots=True)
class Scene:
    """The board painted on the torus.

    Attributes:
        stones: the colour of each point.
        size: the number of points along a side.
        shades: the colours of the board.
        sky: the colour around the torus.
        last: the point of the last move, which gets a mark.
        ghost: the point and colour of a stone's preview, drawn translucent.
    """

    stones: bytes
    size: int
    shades: Shades
    sky: RGB
    last: int | None = None
    ghost: tuple[int, int] | None = None


class _Board(NamedTuple):
    """The board position of each sample, in cells.

    Attributes:
        column: the column, not wrapped.
        row: the row, not wrapped.
        right: the offset to the right of the nearest point.
        below: the offset below the nearest point.
        blur: the number of cells that the sample covers.
    """

    column: Floats
    row: Floats
    right: Floats
    below: Floats
    blur: Floats


def _lie(shape: Surface, scene: Scene, view: Camera) -> tuple[_Board, NDArray[np.intp]]:
    """Return the board position of each sample, and the nearest point."""
    size = scene.size
    # Reduced modulo the size in double precision: after hours of turning, float32 could not resolve parts of a point.
    column = shape.across * np.float32(size) + np.float32(view.column % size)
    row = (shape.down - np.float32(shape.facing)) * np.float32(size) + np.float32(view.row % size)
    nearest_column, nearest_row = np.rint(column), np.rint(row)
    point = nearest_row.astype(np.intp) % size * size + nearest_column.astype(np.intp) % size
    board = _Board(column, row, column - nearest_column, row - nearest_row, shape.spread * np.float32(size))
    return board, point


def render(scene: Scene, view: Camera, width: int, height: int) -> PixelArray:
    """Draw a board on the torus, ``width`` × ``height`` square pixels."""
    return render_frame(scene, view, view.frame(width, height))


def render_frame(scene: Scene, view: Camera, frame: Frame) -> PixelArray:
    """Draw a board on the torus; the surface is cached for the next picture of the same torus."""
    shape, samples = shape_of(frame), frame.samples
    drawn = _on_sky(shape, _painted(shape, scene, view)[0], scene.sky)
    if samples > 1:
        grid = drawn.reshape(frame.height, samples, frame.width, samples, 3)
        each = range(samples)
        drawn = np.zeros((frame.height, frame.width, 3), np.float32)
        for row, column in product(each, each):
            drawn += grid[:, row, :, column]
        drawn /= np.float32(samples**2)
    return _rounded(drawn.reshape(frame.height, frame.width, 3))


def render_rows(
    scene: Scene, view: Camera, frame: Frame, first: int, count: int
) -> tuple[PixelArray, NDArray[np.bool_]]:
    """Draw ``count`` lines of pixels of a picture of the closed torus, from line ``first`` on, antialiased.

    Returns:
        The pixels, and for each point of the board whether they show it.
    """
    shape = edged_shape_of_rows(frame, first, count)
    picture, seen = _painted(shape.surface, scene, view)
    drawn = _on_sky(shape.surface, picture, scene.sky)
    finely, seen_finely = _painted(shape.fine, scene, view)
    samples = _on_sky(shape.fine, finely, scene.sky).reshape(len(shape.edges), frame.samples**2, 3)
    drawn[shape.edges] = samples.mean(axis=1)
    return _rounded(drawn.reshape(count, frame.width, 3)), seen | seen_finely


def _painted(shape: Surface, scene: Scene, view: Camera) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the colours of the samples that show the board, shape (samples, 3), and which points they show."""
    board, point = _lie(shape, scene, view)
    picture = _ground(shape, board, scene)
    colours = np.frombuffer(scene.stones, np.uint8)
    opacity = None
    if scene.ghost is not None and not colours[scene.ghost[0]]:
        opacity = np.ones(colours.size, np.float32)
        opacity[scene.ghost[0]] = _GHOST
        colours = colours.copy()
        colours[scene.ghost[0]] = scene.ghost[1]
    _paint_stones(
        picture,
        shape,
        board,
        colours[point],
        scene.shades,
        opacity=None if opacity is None else opacity[point],
    )
    if scene.last is not None:
        _paint_last(picture, board, np.flatnonzero(point == scene.last), scene.shades)
    return picture, np.bincount(point, minlength=scene.size**2) > 0


def _on_sky(shape: Surface, picture: Floats, sky: RGB) -> Floats:
    """Return all samples of a surface, with the sky where they miss the torus, shape (height * width, 3)."""
    drawn: Floats = np.empty((shape.height * shape.width, 3), np.float32)
    drawn[:] = sky
    drawn[shape.hit] = picture
    return drawn


def _rounded(drawn: Floats) -> PixelArray:
    return np.asarray(np.clip(drawn + np.float32(0.5), 0, 255), np.uint8)


def point_at(view: Camera, size: int, frame: Frame, x: float, y: float) -> int | None:
    """Return the point of a board of ``size`` at a position in a picture, in pixels; None beside the torus."""
    place = place_at(frame, x, y)
    if place is None:
        return None
    column = round(place[0] * size + view.column)
    row = round((place[1] - facing_of(view.tilt)) * size + view.row)
    return row % size * size + column % size


def sketch(scene: Scene, view: Camera, width: int, height: int, stones: tuple[str, str]) -> list[str]:
    """Draw a board on the torus without colours, in lines of characters that are denser where there is more light.

    Args:
        scene: the board; its colours are not used.
        view: the orientation of the torus.
        width: the width in characters.
        height: the number of lines, each twice as high as a character is wide.
        stones: the characters of a black and a white stone.
    """
    shape = shape_of(view.frame(width, 2 * height))
    board, point = _lie(shape, scene, view)
    light = np.maximum(0, shape.plain) * (0.3 + 0.7 * shape.lit)
    tones = np.array(list(_TONES))
    signs = tones[np.minimum(light * len(tones), len(tones) - 1).astype(np.intp)]
    colours = np.where(np.hypot(board.right, board.below) < _STONE, np.frombuffer(scene.stones, np.uint8)[point], 0)
    signs = np.where(colours == BLACK, stones[0], np.where(colours == WHITE, stones[1], signs))
    samples = np.full(2 * height * SAMPLES * width * SAMPLES, " ")
    samples[shape.hit] = signs
    middles = samples.reshape(height, 2 * SAMPLES, width, SAMPLES)[:, SAMPLES, :, 0]
    return ["".join(line) for line in middles.tolist()]


def _ground(shape: Surface, board: _Board, scene: Scene) -> Floats:
    """Return the lit board with its lines and the seam, without stones, shape (samples, 3)."""
    shades, blur = scene.shades, board.blur
    thickness = np.clip(np.float32(0.8) * blur, *_LINE)
    off = np.minimum(np.abs(board.right), np.abs(board.below))
    line = np.clip((thickness + blur / 2 - off) / blur, 0, 1) * np.minimum(1, 2 * thickness / blur + 0.12)
    ground = _mixed(shades.board, shades.line, line)
    beside = np.minimum(_seam_distance(board.column, scene.size), _seam_distance(board.row, scene.size))
    seam = np.clip((1.5 * thickness + blur / 2 - beside) / blur, 0, 1) * np.minimum(0.65, 3 * thickness / blur)
    ground += (np.array(shades.seam, np.float32) - ground) * seam[:, None]
    bright = np.float32(0.40) + np.float32(0.72) * np.maximum(0, shape.plain) * (0.30 + 0.70 * shape.lit)
    # Light reflected from below keeps the dark side from looking flat.
    bright += np.float32(0.08) * np.maximum(0, -shape.plain)
    gloss = np.float32(26) * np.maximum(0, shape.shine[0]) ** 28 * shape.lit
    return ground * bright[:, None] + gloss[:, None]


def _seam_distance(place: Floats, size: int) -> Floats:
    """Return the distance of positions from the line between the last row or column and the first, in cells."""
    wrapped = (place + np.float32(0.5)) / np.float32(size)
    return np.asarray(np.abs(wrapped - np.rint(wrapped)) * np.float32(size), np.float32)


def _paint_stones(
    picture: Floats,
    shape: Surface,
    board: _Board,
    colours: NDArray[np.uint8],
    shades: Shades,
    *,
    opacity: Floats | None = None,
) -> None:
    """Paint the stones, and the shadows that they cast on the board beside them."""
    where = np.flatnonzero(colours)
    if not where.size:
        return
    right, below, blur, black = board.right[where], board.below[where], board.blur[where], colours[where] == BLACK
    light_across, light_down = shape.light_across[where], shape.light_down[where]
    shadow_off = np.hypot(right + np.float32(0.1) * light_across, below + np.float32(0.1) * light_down)
    soft = np.maximum(blur, np.float32(0.1))
    shadow = np.clip((np.float32(_STONE + 0.02) - shadow_off) / soft + 0.5, 0, 1)
    # Each point is painted separately, so the shadow has to fade out before the next one.
    shadow *= np.clip((np.float32(0.5) - np.maximum(np.abs(right), np.abs(below))) / np.float32(0.07), 0, 1)
    cover = np.clip((np.float32(_STONE) - np.hypot(right, below)) / blur + 0.5, 0, 1)
    if opacity is not None:
        shadow, cover = shadow * opacity[where], cover * opacity[where]
    picture[where] *= (1 - 0.42 * shadow)[:, None]

    # A stone is a lens: its surface leans outwards towards the rim.
    lean_right, lean_below = right * np.float32(1.9), below * np.float32(1.9)
    length = np.sqrt(1 + lean_right**2 + lean_below**2)
    towards = (shape.plain[where] + lean_right * light_across + lean_below * light_down) / length
    ahead, across, down = (part[where] for part in shape.shine)
    shine = np.maximum(0, (ahead + lean_right * across + lean_below * down) / length)
    lit = shape.lit[where]
    body = np.where(black[:, None], np.array(shades.black, np.float32), np.array(shades.white_fill, np.float32))
    bright = np.where(black, 0.75, 0.56) + np.where(black, 1.1, 0.50) * np.maximum(0, towards) * (0.35 + 0.65 * lit)
    gloss = np.where(black, 150, 30) * shine**26 * (0.25 + 0.75 * lit)
    stone = (body * bright[:, None] + gloss[:, None]).astype(np.float32)
    before = picture[where]
    picture[where] = before + (stone - before) * cover[:, None]


def _paint_last(picture: Floats, board: _Board, where: NDArray[np.intp], shades: Shades) -> None:
    off = np.hypot(board.right[where], board.below[where])
    cover = np.clip((np.float32(0.17) - off) / board.blur[where] + 0.5, 0, 1)[:, None]
    picture[where] += (np.array(shades.last, np.float32) * 1.1 - picture[where]) * cover


def _mixed(colour: RGB, other: RGB, share: Floats) -> Floats:
    """Mix ``share`` of ``other`` into ``colour`` for each sample, shape (samples, 3)."""
    start = np.array(colour, np.float32)
    return start + (np.array(other, np.float32) - start) * share[:, None]
