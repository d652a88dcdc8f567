"""The torus in space: which part of the board each sample of a picture shows, and how it is lit.

A square board wrapped in both directions maps conformally onto a torus in space whose radii are as √2 to 1 (the
stereographic projection of the Clifford torus): every cell is a square and every stone a round disc, large outside and
small around the hole. With ``v`` the angle around the tube, 0 at the outer equator, the height on the board is
``2 atan((√2 − 1) tan(v / 2))``.

Nothing here depends on the stones: :mod:`daoqi_tui.pictures.torus` paints them on the surface.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]

OUTER: Final = float(np.sqrt(2.0))
"""The radius of the circle in the middle of the tube; the radius of the tube is 1."""
SAMPLES: Final = 2
"""Samples of a pixel in each direction, for antialiasing."""
_DISTANCE: Final = 8.6
_BEGIN: Final = _DISTANCE - 1 - OUTER - 0.1
_END: Final = _DISTANCE + 1 + OUTER + 0.3
"""The distances from the viewer at which the torus begins and ends."""
_MARGIN: Final = 1.04
"""The ratio of the picture's size to the torus's, in the direction where it is smaller."""
_STEPS: Final = 48
_NEAR: Final = 1e-3
_CLOSE: Final = 0.15
"""The distance below which the surface is almost flat."""
_SPARSE: Final = 4
_ALIKE: Final = 0.1
"""The largest difference between the distances of neighbouring sparse rays that hit a continuous surface."""
_FEW: Final = 4000
"""Up to this many rays are traced directly, without a sparse pass first."""
_JUMP: Final = 12
"""Adjacent pixels show different parts of the torus if their depths differ by more than this many pixels."""
_TABLE: Final = (128, 96)
"""The number of places of the shadow table along the ring and around the tube."""
_FACING: Final = 0.8
"""The angle around the tube that faces the viewer, as a fraction of the inclination."""
_LIGHT: Final = (-0.48, -0.66, 0.72)
"""The direction towards the light, in the viewer's coordinates: right, ahead, up."""


class Frame(NamedTuple):
    """The size of a picture and the position of the torus in it: everything that determines the surface.

    Attributes:
        width: the width in pixels.
        height: the height in pixels.
        tilt: the inclination from which the viewer looks down on the torus, in radians.
        zoom: the magnification; at 1 the torus fits the picture.
        samples: samples of a pixel in each direction.
        aspect: the ratio of height to width of a pixel.
        bend: the shape, from 0 (a flat board) through 0.5 (a tube) to 1 (the torus).
    """

    width: int
    height: int
    tilt: float
    zoom: float = 1.0
    samples: int = SAMPLES
    aspect: float = 1.0
    bend: float = 1.0


@dataclass(frozen=True, slots=True)
class Surface:
    """Everything about a picture that does not depend on the board; arrays with one value per sample that hits.

    Attributes:
        width: samples across.
        height: samples down.
        hit: the indices of the samples that hit the torus, in the flattened grid of samples.
        across: the position on the board to the right of the facing meridian, as a fraction of the period.
        down: the position below the outer equator, as a fraction of the period.
        facing: the ``down`` of the point that faces the viewer.
        spread: how many periods of the board a sample covers; lines finer than that fade out.
        plain: the cosine between the light and the surface normal.
        light_across: the cosine between the light and the board's rightward direction.
        light_down: the same for the downward direction.
        shine: the three above for the direction halfway between light and viewer.
        lit: 1 in the light, less in shadow and where the surface faces away from it.
    """

    width: int
    height: int
    hit: NDArray[np.intp]
    across: Floats
    down: Floats
    facing: float
    spread: Floats
    plain: Floats
    light_across: Floats
    light_down: Floats
    shine: tuple[Floats, Floats, Floats]
    lit: Floats


class _View(NamedTuple):
    """The directions of a viewer at negative y, and the size of a pixel and the middle of the picture at distance 1."""

    right: Floats
    ahead: Floats
    up: Floats
    scale: float
    middle: float

    @property
    def eye(self) -> Floats:
        return -self.ahead * np.float32(_DISTANCE)

    @property
    def light(self) -> Floats:
        light = self.right * _LIGHT[0] + self.up * _LIGHT[2] + self.ahead * _LIGHT[1]
        return np.asarray(light / np.linalg.norm(light), np.float32)


class _Spots(NamedTuple):
    """Places on the surface with the local geometry; arrays of shape (3, n) or (n,).

    Attributes:
        along: the angle along the ring.
        tube: the angle around the tube.
        depth: the distance from the viewer.
        way: the unit vector from the viewer.
        normal: the surface normal on the viewer's side.
        right: the board's rightward direction.
        below: the board's downward direction.
        length: the length of one period of the board there.
    """

    along: Floats
    tube: Floats
    depth: Floats
    way: Floats
    normal: Floats
    right: Floats
    below: Floats
    length: Floats


def _directions(tilt: float) -> tuple[Floats, Floats, Floats]:
    """Return the unit vectors right, ahead and up of a viewer looking down by ``tilt``."""
    sine, cosine = np.sin(tilt), np.cos(tilt)
    return (
        np.array((1, 0, 0), np.float32),
        np.array((0, cosine, -sine), np.float32),
        np.array((0, sine, cosine), np.float32),
    )


@lru_cache(maxsize=8)
def _view_of(frame: Frame) -> _View:
    right, ahead, up = _directions(frame.tilt)
    turn = np.linspace(-np.pi, np.pi, 73, dtype=np.float32)
    places = _Sheet(frame.bend).place(*(part.ravel() for part in np.meshgrid(turn, turn)))
    depth = ahead @ places + np.float32(_DISTANCE)
    across, height = right @ places / depth, up @ places / depth
    bottom, top = float(height.min()), float(height.max())
    scale = max((top - bottom) / (frame.height * frame.aspect), 2 * float(across.max()) / frame.width)
    # Zooming in centres the picture on the place that faces the viewer.
    tube = np.array([frame.tilt * _FACING], np.float32)
    point = _Sheet(frame.bend).place(np.zeros(1, np.float32), tube)[:, 0]
    facing = float(up @ point / (ahead @ point + _DISTANCE))
    middle = facing + ((top + bottom) / 2 - facing) / frame.zoom
    return _View(right, ahead, up, scale * _MARGIN / frame.zoom, middle)


class _Sheet:
    """The board between flat and torus: first it is bent into a tube, then the tube into a ring.

    A place has two angles: ``along`` the ring, 0 towards the viewer, and around the ``tube``, 0 outside.
    """

    def __init__(self, bend: float) -> None:
        self._curl = max(1e-3, min(1.0, 2 * bend))
        self._closed = max(1e-3, min(1.0, 2 * bend - 1))
        ring = OUTER + 1
        # The length of a period along the front: at first that around the tube, so that the flat board is square.
        self._length = 1 + (ring - 1) * self._closed
        self._curve = self._closed / ring
        self._back = ring * self._closed

    def place(self, along: Floats, tube: Floats) -> Floats:
        """Return the position in space of places, shape (3, n)."""
        out, height = self._profile(tube)
        angle = along * np.float32(self._curve * self._length)
        ring = out + np.float32(1 / self._curve)
        return np.stack((ring * np.sin(angle), np.float32(1 / self._curve - self._back) - ring * np.cos(angle), height))

    def down(self, tube: Floats) -> Floats:
        """Return the positions below the outer equator, as fractions of the period.

        On the closed torus the mapping is conformal.
        """
        conformal = 2 * np.arctan(np.float32(OUTER - 1) * np.tan(tube / 2)).astype(np.float32)
        upwards = tube + (conformal - tube) * np.float32(self._closed)
        return np.asarray(upwards / np.float32(-2 * np.pi), np.float32)

    def pixels(self, size: float) -> tuple[int, int]:
        """Return how many places along and around the sheet are about one sample apart.

        Args:
            size: the size of a sample at distance 1.
        """
        near = _DISTANCE - self._back
        # As the ring closes, its near side is much larger than the rest; gaps there are filled in later.
        dense = (1.7 - 0.6 * self._closed) * 2 * np.pi / (size * near)
        return math.ceil(dense * self._length), math.ceil(dense)

    def spots(self, along: Floats, tube: Floats, place: Floats, eye: Floats) -> _Spots:
        """Return the local geometry of places."""
        angle, turn = along * np.float32(self._curve * self._length), tube * np.float32(self._curl)
        sine, cosine, outwards, upwards = np.sin(angle), np.cos(angle), np.cos(turn), np.sin(turn)
        way = place - eye[:, None]
        depth = np.sqrt((way * way).sum(0))
        way /= depth
        normal = np.stack((outwards * sine, -outwards * cosine, upwards))
        right = np.stack((cosine, sine, np.zeros_like(sine)))
        below = np.stack((upwards * sine, -upwards * cosine, -outwards))
        out, _ = self._profile(tube)
        length = (1 + np.float32(self._curve) * out) * np.float32(2 * np.pi * self._length)
        # A sheet that is not closed is visible from inside, too.
        normal = np.where((normal * way).sum(0) > 0, -normal, normal) if self._closed < 1 else normal
        return _Spots(along, tube, depth, way, normal, right, below, length)

    def _profile(self, tube: Floats) -> tuple[Floats, Floats]:
        """Return how far outwards and how high places of the bent sheet lie."""
        curl = np.float32(self._curl)
        turn = tube * curl
        return (np.cos(turn) - 1) / curl, np.sin(turn) / curl


def _march(start: Floats, way: Floats, begin: Floats, reach: float) -> tuple[NDArray[np.intp], Floats]:
    """Trace rays to the torus by sphere tracing (Hart 1996), with Newton's method near the surface.

    Args:
        start: the origins of the rays, shape (3, n) or (3, 1).
        way: their unit directions, shape (3, n).
        begin: a distance along each ray before which it meets nothing.
        reach: the maximum distance.

    Returns:
        The indices of the rays that meet the torus within ``reach``, and their distances.
    """
    places = np.arange(way.shape[1])
    travelled = begin.astype(np.float32)
    origins = np.broadcast_to(start, way.shape)
    met: list[tuple[NDArray[np.intp], Floats]] = []
    for _ in range(_STEPS):
        x, y, z = (origins[axis] + way[axis] * travelled for axis in range(3))
        ring = np.sqrt(x * x + y * y)
        beside = ring - np.float32(OUTER)
        middle = np.sqrt(beside * beside + z * z)
        gap = middle - np.float32(1)
        near = np.abs(gap) < _NEAR
        slope = ((x * way[0] + y * way[1]) / ring * beside + z * way[2]) / middle
        travelled = travelled + np.where(gap < _CLOSE, gap / np.clip(-slope, np.float32(0.35), 1), gap)
        alive = ~near & (travelled < reach)
        left = int(alive.sum())
        if left < 0.8 * alive.size or not left:
            met.append((places[near], travelled[near]))
            if not left:
                break
            places, travelled, way, origins = places[alive], travelled[alive], way[:, alive], origins[:, alive]
    hit = np.concatenate([each for each, _ in met]) if met else np.zeros(0, np.intp)
    far = np.concatenate([each for _, each in met]) if met else np.zeros(0, np.float32)
    order = np.argsort(hit, kind="stable")
    return hit[order], far[order]


def _rays(view: _View, xs: Floats, ys: Floats) -> Floats:
    """Return the unit directions of samples at ``xs``, ``ys`` of a picture at distance 1, shape (3, n)."""
    way: Floats = view.ahead[:, None] + view.right[:, None] * xs + view.up[:, None] * ys
    way /= np.sqrt((way * way).sum(0))
    return way


def _grid(xs: Floats, ys: Floats) -> tuple[Floats, Floats]:
    """Return the coordinates of all samples in columns ``xs`` and rows ``ys``, row by row."""
    across, down = np.meshgrid(xs, ys)
    return across.ravel(), down.ravel()


def _meet(view: _View, xs: Floats, ys: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return the indices of the samples of a picture that hit the torus, and where in space, shape (3, n)."""
    way = _rays(view, *_grid(xs, ys))
    eye = view.eye[:, None]
    near = np.full(way.shape[1], _BEGIN, np.float32)
    if near.size <= _FEW:
        hit, far = _march(eye, way, near, _END)
        return hit, eye + way[:, hit] * far
    # Every fourth ray gives the distances of those between, or at least where these may start and which cannot hit.
    few = [np.append(each[::_SPARSE], each[-1:]) for each in (xs, ys)]
    hit, far = _march(eye, _rays(view, *_grid(*few)), np.full(few[0].size * few[1].size, _BEGIN, np.float32), _END)
    sparse = np.full((few[1].size, few[0].size), np.inf, np.float32)
    sparse.ravel()[hit] = far
    between = _between(_between(sparse, xs.size).T, ys.size).T.ravel()
    smooth = np.flatnonzero(np.isfinite(between))
    close, far = _corrected(eye, way[:, smooth], between[smooth])
    met, travelled = smooth[close], far[close]

    nearest = _least(_least(sparse).T).T
    begin = np.repeat(np.repeat(nearest, _SPARSE, 0), _SPARSE, 1)[: ys.size, : xs.size].ravel()
    begin[met] = np.inf
    rest = np.flatnonzero(np.isfinite(begin))
    hit, far = _march(eye, way[:, rest], np.maximum(near[rest], begin[rest] - np.float32(0.03)), _END)
    distance = np.zeros(near.size, np.float32)
    distance[met], distance[rest[hit]] = travelled, far
    hit = np.flatnonzero(distance)
    return hit, eye + way[:, hit] * distance[hit]


def _between(values: Floats, count: int) -> Floats:
    """Interpolate a table with every fourth of ``count`` columns; NaN or infinite between values that differ much."""
    left = np.arange(count) // _SPARSE
    right = np.minimum(left + 1, values.shape[1] - 1)
    step = np.maximum(1, np.minimum(right * _SPARSE, count - 1) - left * _SPARSE)
    share = ((np.arange(count) - left * _SPARSE) / step).astype(np.float32)
    with np.errstate(invalid="ignore"):
        change = np.diff(values, axis=1, append=values[:, -1:])
        change[np.abs(change) > _ALIKE] = np.nan
        between: Floats = values[:, left] + change[:, left] * share
    return between


def _corrected(eye: Floats, way: Floats, travelled: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Take a Newton step from places near the torus; return for which it was enough, and the distances."""
    x, y, z = (eye[axis] + way[axis] * travelled for axis in range(3))
    ring = np.sqrt(x * x + y * y)
    beside = ring - np.float32(OUTER)
    middle = np.sqrt(beside * beside + z * z)
    gap = middle - np.float32(1)
    slope = ((x * way[0] + y * way[1]) / ring * beside + z * way[2]) / middle
    # The error of the step is about the square of its length over twice the slope.
    close = (slope < np.float32(-0.1)) & (gap * gap < np.float32(2 * _NEAR) * slope * slope * -slope)
    return close, travelled - gap / slope


def _least(values: Floats) -> Floats:
    """Return for each row but the last the elementwise minimum of the rows from one before it to two after it."""
    padded = np.pad(values, ((1, 1), (0, 0)), mode="edge")
    count = len(values) - 1
    return np.asarray(np.minimum.reduce([padded[start : start + count] for start in range(4)]), np.float32)


@lru_cache(maxsize=8)
def _shadows(tilt: float) -> Floats:
    """Return how much light reaches the torus, from 0 to 1: a table of shape (around the tube, along the ring)."""
    light = _View(*_directions(tilt), 1.0, 0.0).light
    along, tube = np.meshgrid(*(np.arange(count, dtype=np.float32) * (2 * np.pi / count) for count in _TABLE))
    along, tube = along.ravel().astype(np.float32), tube.ravel().astype(np.float32)
    sheet = _Sheet(1.0)
    place = sheet.place(along, tube)
    normal = np.stack((np.cos(tube) * np.sin(along), -np.cos(tube) * np.cos(along), np.sin(tube)))
    towards = np.flatnonzero(light @ normal > 0)
    start = (place + normal * np.float32(0.02))[:, towards].astype(np.float32)
    way = np.ascontiguousarray(np.broadcast_to(light[:, None], start.shape))
    dark, _ = _march(start, way, np.zeros(towards.size, np.float32), 2 * (1 + OUTER))
    table = np.ones(along.size, np.float32)
    table[towards[dark]] = 0
    table = table.reshape(_TABLE[1], _TABLE[0])
    beside = [np.roll(table, (row, column), (0, 1)) for row in (-1, 0, 1) for column in (-1, 0, 1)]
    return np.asarray(np.add.reduce(beside) / np.float32(9), np.float32)


def _looked_up(table: Floats, along: Floats, tube: Floats) -> Floats:
    """Interpolate a periodic table of tube by ring bilinearly at the given angles."""
    rows, columns = table.shape
    across, down = along * np.float32(columns / (2 * np.pi)), tube * np.float32(rows / (2 * np.pi))
    left, above = np.floor(across), np.floor(down)
    across, down = across - left, down - above
    column, row = left.astype(np.intp) % columns, above.astype(np.intp) % rows
    flat, start, beside = table.ravel(), row * columns, (column + 1) % columns
    below = (row + 1) % rows * columns
    upper = flat[start + column] * (1 - across) + flat[start + beside] * across
    lower = flat[below + column] * (1 - across) + flat[below + beside] * across
    return np.asarray(upper + (lower - upper) * down, np.float32)


@lru_cache(maxsize=4)
def shape_of(frame: Frame) -> Surface:
    view, sheet, (xs, ys) = _view_of(frame), _Sheet(frame.bend), _places(frame, 0, frame.height)
    if frame.bend < 1:
        hit, along, tube, place = _cast(sheet, view, xs, ys)
    else:
        hit, place = _meet(view, xs, ys)
        along, tube = _angles(place)
    return _surface(frame, (xs.size, ys.size), hit, sheet.spots(along, tube, place, view.eye))


class Edged(NamedTuple):
    """The surface that some lines of a picture show: one sample per pixel, and more along edges.

    Attributes:
        surface: one sample per pixel.
        edges: the pixels at the outline of the torus or of a part in front, as indices into the flattened grid.
        fine: the samples of these pixels, one row each.
    """

    surface: Surface
    edges: NDArray[np.intp]
    fine: Surface


def edged_shape_of_rows(frame: Frame, first: int, count: int) -> Edged:
    """Return the surface in ``count`` lines of a picture of the closed torus, supersampled along edges only.

    Grid lines and stones are antialiased as they are painted.
    """
    coarse = frame._replace(samples=1)
    view, width = _view_of(coarse), frame.width
    # The lines above and below are needed to find the edges at the first line and at the last.
    xs, ys = _places(coarse, first - 1, count + 2)
    hit, place = _meet(view, xs, ys)
    depth = np.full(ys.size * width, np.float32(2 * _END))
    depth[hit] = view.ahead @ place + np.float32(_DISTANCE)
    within = (hit >= width) & (hit < (count + 1) * width)
    surface = _surface_at(coarse, (width, count), hit[within] - width, place[:, within])

    edges = np.flatnonzero(_jumps(depth.reshape(ys.size, width), _JUMP * view.scale * _DISTANCE)[1:-1])
    samples = frame.samples
    steps = (np.arange(samples, dtype=np.float32) + np.float32(0.5)) / np.float32(samples) - np.float32(0.5)
    right, down = _grid(steps, steps)
    places = xs[edges % width][:, None] + right * np.float32(view.scale)
    heights = ys[1:][edges // width][:, None] - down * np.float32(view.scale * frame.aspect)
    way = _rays(view, places.ravel(), heights.ravel())
    met, far = _march(view.eye[:, None], way, np.full(way.shape[1], _BEGIN, np.float32), _END)
    fine = _surface_at(frame, (samples**2, edges.size), met, view.eye[:, None] + way[:, met] * far)
    return Edged(surface, edges, fine)


def _jumps(depth: Floats, least: float) -> NDArray[np.bool_]:
    """Return the pixels whose depth differs from a neighbour's by more than ``least``."""
    jumps = np.zeros(depth.shape, np.bool_)
    across, down = np.abs(np.diff(depth, axis=1)) > least, np.abs(np.diff(depth, axis=0)) > least
    jumps[:, 1:] |= across
    jumps[:, :-1] |= across
    jumps[1:] |= down
    jumps[:-1] |= down
    return jumps


def place_at(frame: Frame, x: float, y: float) -> tuple[float, float] | None:
    """Return ``across`` and ``down``, as in :class:`Surface`, at a position in pixels; None beside the torus."""
    view = _view_of(frame)
    xs = np.array([(x - frame.width / 2) * view.scale], np.float32)
    ys = np.array([(frame.height / 2 - y) * view.scale * frame.aspect + view.middle], np.float32)
    hit, place = _meet(view, xs, ys)
    if not hit.size:
        return None
    along, tube = _angles(place)
    return float(along[0]) / (2 * math.pi), float(_Sheet(1.0).down(tube)[0])


def _places(frame: Frame, first: int, count: int) -> tuple[Floats, Floats]:
    """Return the coordinates of the sample columns, and of the sample rows of ``count`` lines, at distance 1."""
    view, fine = _view_of(frame), frame.samples
    width, height = frame.width * fine, frame.height * fine
    pixel, high = np.float32(view.scale / fine), np.float32(view.scale * frame.aspect / fine)
    xs = (np.arange(width, dtype=np.float32) - np.float32((width - 1) / 2)) * pixel
    rows = np.arange(first * fine, (first + count) * fine, dtype=np.float32)
    return xs, (np.float32((height - 1) / 2) - rows) * high + np.float32(view.middle)


def _angles(place: Floats) -> tuple[Floats, Floats]:
    """Return the angles along the ring and around the tube of places on the torus."""
    ring = np.sqrt(place[0] ** 2 + place[1] ** 2)
    return np.arctan2(place[0], -place[1]), np.arctan2(place[2], ring - np.float32(OUTER))


def _cast(sheet: _Sheet, view: _View, xs: Floats, ys: Floats) -> tuple[NDArray[np.intp], Floats, Floats, Floats]:
    """Project a bent sheet onto a picture: enough places that hardly a sample is missed, of which the nearest wins.

    Returns:
        The indices of the samples that show the sheet, and the angles and positions of the places they show.
    """
    counts = sheet.pixels(float(xs[1] - xs[0]) if xs.size > 1 else view.scale)
    angles = (
        np.arange(0.5, count, dtype=np.float32) * np.float32(2 * np.pi / count) - np.float32(np.pi) for count in counts
    )
    along, tube = (part.ravel() for part in np.meshgrid(*angles))
    place = sheet.place(along, tube)
    depth = view.ahead @ place + np.float32(_DISTANCE)
    column = np.rint((view.right @ place / depth - xs[0]) / (xs[-1] - xs[0]) * np.float32(xs.size - 1)).astype(np.intp)
    row = np.rint((view.up @ place / depth - ys[0]) / (ys[-1] - ys[0]) * np.float32(ys.size - 1)).astype(np.intp)
    inside = np.flatnonzero((column >= 0) & (column < xs.size) & (row >= 0) & (row < ys.size))
    # Keys of sixteen bits are radix-sorted; the nearest place comes last and overwrites the others.
    order = inside[np.argsort((65535 - depth[inside] * 4000).astype(np.uint16), kind="stable")]
    found = np.full(xs.size * ys.size, -1, np.intp)
    found[row[order] * xs.size + column[order]] = order
    for step in (1, xs.size):
        # A sample far behind both its neighbours is seen through a gap between projected places.
        far = np.where(found >= 0, depth[found], np.float32(np.inf))
        nearer = np.maximum(far[: -2 * step], far[2 * step :])
        gap = np.flatnonzero(far[step:-step] > nearer + _CLOSE) + step
        found[gap] = found[gap - step]
    hit = np.flatnonzero(found >= 0)
    shown = found[hit]
    return hit, along[shown], tube[shown], place[:, shown]


def _surface_at(frame: Frame, size: tuple[int, int], hit: NDArray[np.intp], place: Floats) -> Surface:
    """Compute the lighting of the places of the closed torus that samples show."""
    return _surface(frame, size, hit, _Sheet(1.0).spots(*_angles(place), place, _view_of(frame).eye))


def _surface(frame: Frame, size: tuple[int, int], hit: NDArray[np.intp], spots: _Spots) -> Surface:
    """Compute the lighting of the places that samples show."""
    view = _view_of(frame)
    light, way, normal = view.light, spots.way, spots.normal
    half = light[:, None] - way
    half /= np.sqrt((half * half).sum(0))
    plain = light @ normal
    lit = _looked_up(_shadows(frame.tilt), spots.along, spots.tube)
    # The shadow of the ring on itself appears gradually as it closes.
    lit = 1 - (1 - lit) * np.float32(max(0.0, 4 * frame.bend - 3))
    lit = np.minimum(lit, np.clip(plain * 6, 0, 1))
    steepness = np.maximum(0.08, -(normal * way).sum(0))
    pixel = view.scale / frame.samples * np.sqrt(frame.aspect)
    spread = spots.depth * np.float32(pixel) / np.sqrt(steepness) / spots.length
    return Surface(
        width=size[0],
        height=size[1],
        hit=hit,
        across=spots.along / np.float32(2 * np.pi),
        down=_Sheet(frame.bend).down(spots.tube),
        facing=facing_of(frame.tilt, frame.bend),
        spread=spread,
        plain=plain,
        light_across=light @ spots.right,
        light_down=light @ spots.below,
        shine=((half * normal).sum(0), (half * spots.right).sum(0), (half * spots.below).sum(0)),
        lit=lit,
    )


def facing_of(tilt: float, bend: float = 1.0) -> float:
    """Return the position below the outer equator that faces the viewer, as a fraction of the period."""
    return float(_Sheet(bend).down(np.array([tilt * _FACING], np.float32))[0])
