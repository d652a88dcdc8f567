"""Draw pictures to share: a board, a game move by move, a pan around the torus, the turning torus.

Nothing here needs a terminal; both the command line and the screen call it.
"""

from __future__ import annotations

import io
import math
from collections.abc import Generator
from contextlib import closing
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from PIL import Image
from PIL.GifImagePlugin import getdata, getheader

from daoqi_tui.engine import Game, Node
from daoqi_tui.message import Message
from daoqi_tui.pictures.palettes import BOARDS
from daoqi_tui.pictures.picture import (
    USUAL,
    CancelledExport,
    Drawing,
    Picture,
    Progress,
    column_names,
    last_point,
    picture_of,
    row_names,
)
from daoqi_tui.pictures.raster import Indices, LabelStyle, Pixels, Raster, dimmed, dimming_steps, label_strip, outside
from daoqi_tui.pictures.torus import Camera, Scene, render

Animation: TypeAlias = Literal["game", "pan", "torus"]
_PAN_FRAMES_A_POINT: Final = 3
_TORUS_FRAMES: Final = 80
_FRAME: Final = 0.07
"""The duration of a frame of a pan and of the turning torus in seconds."""
_TILT: Final = 0.6
"""The tilt of the view on the turning torus, in radians."""
_PAUSE: Final = 3.0
"""Additional seconds for the last move of a game."""
_MOST: Final = 80_000_000
"""The maximum number of pixels of a picture: larger ones take gigabytes to draw, and many programs reject them."""


class _Kind(NamedTuple):
    """The parameters of an animation, chosen for small files.

    Attributes:
        point: the default size of a point in pixels.
        colours: the number of colours of all frames together.
        grain: whether wood shows its grain.
        kept: whether a frame omits the unchanged pixels: most of a game, none of a pan.
    """

    point: int
    colours: int
    grain: bool
    kept: bool


_KINDS: Final[dict[Animation, _Kind]] = {
    "game": _Kind(36, 255, grain=True, kept=True),
    "pan": _Kind(20, 64, grain=False, kept=False),
    "torus": _Kind(32, 127, grain=True, kept=True),
}
_POINT: Final = 36
"""The default size of a point in a still picture in pixels."""


class PictureTooLarge(ValueError):
    """A picture would have too many pixels; the message is one sentence."""


def still_of(game: Game, drawing: Drawing = USUAL, form: str = "PNG") -> bytes:
    """Draw the position at the game's cursor as a file in one of the formats of Pillow.

    Raises:
        PictureTooLarge: the picture would have too many pixels.
    """
    board = _Board(game, drawing._replace(point=drawing.point or _POINT))
    file = io.BytesIO()
    picture = picture_of(game)._replace(mistakes=drawing.mistakes)
    Image.fromarray(board.framed(board.window(picture))).save(file, form, optimize=True)
    return file.getvalue()


def gif_of(game: Game, animation: Animation, drawing: Drawing = USUAL, progress: Progress | None = None) -> bytes:
    """Draw an animation as a GIF file that repeats for ever.

    Args:
        game: the game; the animation ``game`` shows the line through its cursor, the others the position there.
        animation: a game move by move, a pan around the torus, or the turning torus.
        drawing: the options.
        progress: called after each frame; it may cancel the drawing.

    Raises:
        CancelledExport: ``progress`` returned False.
        PictureTooLarge: a frame would have too many pixels.
    """
    kind = _KINDS[animation]
    drawing = drawing._replace(point=drawing.point or kind.point)
    if animation == "torus":
        frames, count, seconds = _turn(game, drawing), _TORUS_FRAMES, _FRAME
        swatch = _torus_swatch(game, drawing)
    else:
        board = _Board(game, drawing, grain=kind.grain)
        swatch = board.swatch()
        if animation == "game":
            frames, count, seconds = _moves(game, board), len(_line(game)), drawing.seconds
        else:
            frames, count, seconds = _pan(game, board), game.torus.size * _PAN_FRAMES_A_POINT, _FRAME
    table = Image.fromarray(swatch).quantize(kind.colours, Image.Quantize.MEDIANCUT, kmeans=1)
    colours = table.getpalette() or []
    stays = len(colours) // 3
    file = io.BytesIO()
    shown: Indices | None = None
    # Frames are written one by one, since those of a long game together take too much memory.
    with closing(frames):
        for number, frame in enumerate(frames):
            indices = np.asarray(Image.fromarray(frame).quantize(palette=table, dither=Image.Dither.NONE), np.uint8)
            part, place = (indices, (0, 0)) if shown is None or not kind.kept else _changes(shown, indices, stays)
            shown = indices
            image = Image.fromarray(part)
            image.putpalette([*colours, 0, 0, 0])
            if number == 0:
                file.writelines(getheader(image, info={"loop": 0})[0])
            pause = _PAUSE if animation == "game" and number + 1 == count else 0.0
            duration = round(1000 * (seconds + pause))
            file.writelines(getdata(image, place, duration=duration, disposal=1, transparency=stays))
            if progress is not None and not progress((number + 1) / count):
                raise CancelledExport
    file.write(b";")
    return file.getvalue()


def _changes(before: Indices, after: Indices, stays: int) -> tuple[Indices, tuple[int, int]]:
    """Return the rectangle of a frame that changed, its unchanged pixels as ``stays``, and its top left corner."""
    differs = before != after
    # A frame must have at least one pixel.
    differs[0, 0] |= not differs.any()
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    part = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return np.where(differs[part], after[part], np.uint8(stays)), (int(columns[0]), int(rows[0]))


class _Board:
    """A board with its margin of copies and the names around it."""

    def __init__(self, game: Game, drawing: Drawing, *, grain: bool = True) -> None:
        self.size = game.torus.size
        self._drawing = drawing
        self._point = Pixels(drawing.point, drawing.point)
        side = self.places * drawing.point + 2 * self._breadth
        if side**2 > _MOST:
            raise PictureTooLarge(
                Message(
                    "a picture of {side} × {side} pixels is too large; draw smaller points or fewer periods", side=side
                )
            )
        theme = BOARDS[drawing.theme]
        self._palette = theme if grain else theme._replace(grain=0.0)
        self._raster = Raster(self._palette, self._point)
        self._colours = dimmed(self._raster.colours, self._palette.dimming, self._palette.dimming_colours)
        """The colours of the board, and those of its copies at each step of the dimming."""
        along = np.arange(self.places * drawing.point)
        span = range(drawing.margin * drawing.point, drawing.margin * drawing.point + drawing.periods * self.period)
        away = outside(len(along), span)
        self._dimming = dimming_steps(away, away, None, self._point)
        self._columns = tuple(column_names(game, drawing.names))
        self._rows = tuple(row_names(game, drawing.names))

    def swatch(self) -> Indices:
        """Return pixels of every colour that a window and its names may have."""
        sample, style = self._raster.sample, self._label_style()
        names = _coloured(*label_strip(self._columns, self._breadth, style, across=True))
        copies = int(self._dimming[len(self._dimming) // 2, self._drawing.margin * self._drawing.point // 2])
        # Few points have the mark of the last move, which is to stand out all the same.
        mark = np.tile(np.array(self._palette.bright.last, np.uint8), (1, self._drawing.point**2, 1))
        parts = self._colours[0, sample], self._colours[copies, sample], names, mark
        return np.concatenate([part.reshape(1, -1, 3) for part in parts], axis=1)

    @property
    def period(self) -> int:
        """The length of a side of the board without its copies, in pixels."""
        return self.size * self._drawing.point

    @property
    def places(self) -> int:
        return self._drawing.periods * self.size + 2 * self._drawing.margin

    def window(self, picture: Picture, right: int = 0, down: int = 0) -> Indices:
        """Draw the board and its copies, panned by pixels, as red, green and blue of shape ``(height, width, 3)``."""
        point, margin = self._drawing.point, self._drawing.margin
        period = self._raster.draw(picture)
        along = np.arange(self.places * point) - margin * point
        whole = self.period
        seen = period[((along + down) % whole)[:, None], ((along + right) % whole)[None, :]]
        return self._colours[self._dimming, seen]

    def framed(self, window: Indices, right: int = 0, down: int = 0) -> Indices:
        """Put the names of columns and rows around a window."""
        point, breadth, style = self._drawing.point, self._breadth, self._label_style()
        side = len(window)
        whole = np.empty((side + 2 * breadth, side + 2 * breadth, 3), np.uint8)
        whole[:] = self._palette.frame
        whole[breadth:-breadth, breadth:-breadth] = window
        along = (np.arange(side) - self._drawing.margin * point) % self.period
        across = _coloured(*label_strip(self._columns, breadth, style, across=True))
        down_strip = _coloured(*label_strip(self._rows, breadth, style, across=False))
        whole[:breadth, breadth:-breadth] = across[:, (along + right) % across.shape[1]]
        whole[-breadth:, breadth:-breadth] = across[:, (along + right) % across.shape[1]]
        whole[breadth:-breadth, :breadth] = down_strip[(along + down) % len(down_strip)]
        whole[breadth:-breadth, -breadth:] = down_strip[(along + down) % len(down_strip)]
        return whole

    @property
    def _breadth(self) -> int:
        """The width of the border with the names, in pixels."""
        return max(18, self._drawing.point * 4 // 5)

    def _label_style(self) -> LabelStyle:
        cell = Pixels(self._breadth // 3, self._breadth)
        return LabelStyle(self._point, cell, self._palette.frame, self._palette.bright.label)


def _coloured(indices: Indices, colours: bytes) -> Indices:
    return np.frombuffer(colours, np.uint8).reshape(-1, 3)[indices]


def _moves(game: Game, board: _Board) -> Generator[Indices]:
    """Draw the line through the cursor from the start; the cursor is restored."""
    here, line = game.node, _line(game)
    try:
        for node in line:
            game.goto(node)
            yield board.framed(board.window(picture_of(game)))
    finally:
        game.goto(here)


def _line(game: Game) -> list[Node]:
    return [*game.node.path(), *game.node.line()]


def _pan(game: Game, board: _Board) -> Generator[Indices]:
    """Draw a pan once around the torus, down and to the right, back to its start."""
    picture = picture_of(game)
    steps = board.size * _PAN_FRAMES_A_POINT
    whole = board.period
    for step in range(steps):
        way = round(step * whole / steps)
        yield board.framed(board.window(picture, way, way), way, way)


def _turn(game: Game, drawing: Drawing) -> Generator[Indices]:
    """Draw the torus as it turns once around its axis and once around its tube."""
    for step in range(_TORUS_FRAMES):
        yield _torus(drawing, bytes(game.board.colours), last_point(game), step / _TORUS_FRAMES)


def _torus_swatch(game: Game, drawing: Drawing) -> Indices:
    """Draw a torus with all colours of the animation: stones of both players, empty points and the last move's mark."""
    return _torus(drawing, bytes(point % 3 for point in range(game.torus.size**2)), 0, 0)


def _torus(drawing: Drawing, stones: bytes, last: int | None, turned: float) -> Indices:
    palette, size = BOARDS[drawing.theme], math.isqrt(len(stones))
    side = max(120, drawing.point * size * 3 // 4)
    scene = Scene(stones, size, palette.bright, palette.frame, last)
    return render(scene, Camera(turned * size, turned * size, _TILT), side, side * 3 // 4)
