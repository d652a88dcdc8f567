"""The 3-D torus as a picture: coarse while it moves, and sharp, band by band, once it rests.

A coarse picture has a fraction of the screen's pixels and is scaled by the terminal, so that a frame is cheap to draw
and to send. A sharp one takes a third of a second to draw, and longer to send over a slow line: it is sent in bands,
each when the terminal has taken the one before, so that input is handled between them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from time import monotonic
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from daoqi_tui.pictures.raster import png_file
from daoqi_tui.pictures.torus import PixelArray, Scene, render_frame, render_rows
from daoqi_tui.pictures.torus_surface import Frame
from daoqi_tui.tui.graphics import Placement
from daoqi_tui.tui.graphics.shown import LEVELS, Canvas, Shown
from daoqi_tui.tui.panes.torus import TorusShot, TorusView

_FEW: Final = 90_000
"""Pixels of a coarse picture: about 15 ms to draw."""
_FEWER: Final = 38_000
"""Pixels of a coarse picture while the shape changes from frame to frame."""
_BAND: Final = 50_000
"""Pixels of a band of a sharp picture: about 30 ms to draw."""
_FEWEST: Final = 22_000
"""Pixels of a coarse picture while the board is being bent."""
_SWATCH: Final = 22_000
"""Pixels of the sample from which the colours of a sharp picture are chosen: about 30 ms."""
_REST: Final = 0.15


class _Band(NamedTuple):
    """A part of the sharp picture: its image number, its height in characters, and which points it shows.

    ``points`` is empty if the band is out of date.
    """

    image: int
    rows: int
    points: NDArray[np.bool_]


class PixelTorus(Shown):
    """Shows a torus view as pictures.

    Args:
        view: the torus.
        canvas: the terminal's pictures.
    """

    def __init__(self, view: TorusView, canvas: Canvas) -> None:
        super().__init__(view, canvas.ready)
        self._torus: Final = view
        self._canvas = canvas
        self._drawn: tuple[object, ...] | None = None
        """What the latest pictures depend on: the camera, the region, and the scene without stones and marks."""
        self._scene: Scene | None = None
        self._coarse: Placement | None = None
        self._bands: dict[int, _Band] = {}
        """The bands of the sharp picture by their first row of characters."""
        self._colours: Image.Image | None = None
        self._moved_at = 0.0

    @property
    def aspect(self) -> float:
        return self._canvas.cell[1] / 2 / self._canvas.cell[0]

    def draw(self) -> None:
        region, seen = self._torus.region, self._torus.seen()
        if seen is None or not self._torus.is_on_screen:
            self.hide()
        else:
            self._draw(seen, (region.x, region.y, region.width, region.height))

    def erase(self) -> None:
        self._forget()
        self._canvas.show((), ())

    def free(self) -> None:
        self._forget()
        self._canvas.stage.clear()

    def _forget(self) -> None:
        self._drawn = self._scene = self._coarse = None
        self._bands.clear()

    # Drawing

    def _draw(self, seen: TorusShot, region: tuple[int, int, int, int]) -> None:
        scene = seen.scene
        drawn = seen.camera, seen.columns, region, scene.size, scene.shades, scene.sky
        if drawn != self._drawn:
            self._drawn, self._moved_at = drawn, monotonic()
            self._colours = None
            self._bands.clear()
            self._draw_coarse(seen, region)
        elif scene != self._scene:
            assert self._scene is not None
            self._outdate(_differing(self._scene, scene))
            if self._coarse is not None:
                # It is visible where there is no band yet.
                self._draw_coarse(seen, region)
        elif not seen.moving and (left := self._moved_at + _REST - monotonic()) > 0:
            self.again(left)
        elif not seen.moving:
            self._draw_next_band(seen, region)
        self._scene = scene
        if not seen.moving and not self._sharp(region[3]):
            self.again()
        self._canvas.show(self._placements(seen, region), self.covers)

    def _sharp(self, rows: int) -> bool:
        """Return whether all bands of the sharp picture are drawn and up to date."""
        return sum(band.rows for band in self._bands.values()) == rows and not self._stale

    @property
    def _stale(self) -> list[int]:
        return [row for row, band in self._bands.items() if not band.points.size]

    def _outdate(self, points: NDArray[np.bool_]) -> None:
        """Mark the bands that show any of these points as out of date; they stay visible until they are redrawn."""
        for row, band in self._bands.items():
            if band.points.size and (band.points & points).any():
                self._bands[row] = band._replace(points=np.zeros(0, np.bool_))

    def _draw_coarse(self, seen: TorusShot, region: tuple[int, int, int, int]) -> None:
        """Draw the whole picture with fewer pixels, the same number for each character."""
        x, y, width, height = region
        cell_width, cell_height = self._canvas.cell
        most = _FEWEST if seen.camera.bend < 1 else _FEWER if seen.changing else _FEW
        share = min(1.0, math.sqrt(most / (seen.columns * cell_width * height * cell_height)))
        across, down = max(1, round(cell_width * share)), max(1, round(cell_height * share))
        aspect = (cell_height / down) / (cell_width / across)
        frame = seen.camera.frame(seen.columns * across, height * down, 1, aspect)
        image = self._canvas.stage.frame(_file(render_frame(seen.scene, seen.camera, frame)))
        left, top = (x + (width - seen.columns) // 2) * cell_width, y * cell_height
        level = self._canvas.level
        self._coarse = Placement(
            image, 0, 0, frame.width, frame.height, left, top, level, columns=seen.columns, rows=height
        )

    def _draw_next_band(self, seen: TorusShot, region: tuple[int, int, int, int]) -> None:
        """Redraw a band that is out of date, or draw the next one; the first call only chooses the colours."""
        cell_width, cell_height = self._canvas.cell
        rows = max(1, _BAND // (seen.columns * cell_width * cell_height))
        missing = [row for row in range(0, region[3], rows) if row not in self._bands]
        todo = self._stale or missing
        if not todo:
            return
        row = todo[0]
        rows = min(rows, region[3] - row)
        frame = seen.camera.frame(seen.columns * cell_width, region[3] * cell_height)
        if self._colours is None:
            self._colours = _colours(seen, frame)
            return
        pixels, points = render_rows(seen.scene, seen.camera, frame, row * cell_height, rows * cell_height)
        self._bands[row] = _Band(self._canvas.stage.frame(_sharp_file(pixels, self._colours)), rows, points)
        if self._sharp(region[3]):
            self._coarse = None

    def _placements(self, seen: TorusShot, region: tuple[int, int, int, int]) -> Iterator[Placement]:
        x, y, width, _height = region
        cell_width, cell_height = self._canvas.cell
        left, level = (x + (width - seen.columns) // 2) * cell_width, self._canvas.level
        if self._coarse is not None:
            yield self._coarse
        for row, band in self._bands.items():
            size = seen.columns * cell_width, band.rows * cell_height
            yield Placement(band.image, 0, 0, *size, left, (y + row) * cell_height, level + 1)
        if self.shaded:
            yield self._canvas.shade(self._torus.region, seen.scene.sky, level + LEVELS - 1)


def _differing(one: Scene, other: Scene) -> NDArray[np.bool_]:
    """Return which points look different in two scenes."""
    before, after = np.frombuffer(one.stones, np.uint8), np.frombuffer(other.stones, np.uint8)
    points: NDArray[np.bool_] = before != after
    if one.last != other.last:
        points[[each for each in (one.last, other.last) if each is not None]] = True
    if one.ghost != other.ghost:
        points[[each[0] for each in (one.ghost, other.ghost) if each is not None]] = True
    return points


def _file(pixels: PixelArray) -> bytes:
    """Encode a PNG file of at most 256 colours, quickly."""
    return png_file(Image.fromarray(pixels).quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))


def _sharp_file(pixels: PixelArray, colours: Image.Image) -> bytes:
    return png_file(Image.fromarray(pixels).quantize(palette=colours, dither=Image.Dither.NONE))


def _colours(seen: TorusShot, frame: Frame) -> Image.Image:
    """Choose 256 colours that suit a torus of this orientation with any stones on it."""
    size, camera = seen.scene.size, seen.camera
    facing = round(camera.row) % size * size + round(camera.column) % size
    stones = bytes(point % 3 for point in range(size * size))
    share = math.sqrt(_SWATCH / (frame.width * frame.height))
    width, height = max(1, round(frame.width * share)), max(1, round(frame.height * share))
    swatch = render_frame(replace(seen.scene, stones=stones, last=facing), camera, camera.frame(width, height, 1))
    return Image.fromarray(swatch).quantize(256, method=Image.Quantize.MEDIANCUT, kmeans=1)
