"""The shape of a torus in a picture: which part of the board each sample shows, and how light falls on it. Pure.

Found by sphere tracing, once for a size and an inclination: turning the torus about its axis changes what is
painted on it, and not its shape, light and shadow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]

OUTER: Final = float(np.sqrt(2.0))
"""Radius of the circle in the middle of the tube; the tube's own is 1."""
SAMPLES: Final = 2
"""Samples of a pixel in each direction, against jagged edges."""
_DISTANCE: Final = 8.6
_MARGIN: Final = 1.04
"""Picture over torus, along the side where it is tighter."""
_STEPS: Final = 48
_NEAR: Final = 2e-3
_LIGHT: Final = (-0.48, -0.66, 0.72)
"""Towards the light, in the viewer's directions: right, into the picture, up."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Everything about a picture that does not depend on the board; arrays of one value a sample that hits.

    Attributes:
        width: pixels across.
        height: pixels down.
        hit: places of the samples that hit the torus, in the flattened grid of samples.
        across: where on the board, as a share of the period to the right of the facing meridian.
        down: the share of the period below the outer equator.
        facing: the ``down`` of the point that faces the viewer.
        spread: how many periods of the board a sample covers; lines finer than that fade out.
        plain: cosine between the light and the surface.
        light_across: cosine between the light and the board's rightward direction.
        light_down: the same for the downward direction.
        shine: as the three above for the direction half way between light and viewer.
        lit: 1 in the light, less in shadow and towards the hole.
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


def _distance(place: Floats) -> Floats:
    """Distance of places, shape (3, n), from the torus; negative inside."""
    ring = np.sqrt(place[0] * place[0] + place[1] * place[1]) - np.float32(OUTER)
    gap: Floats = np.sqrt(ring * ring + place[2] * place[2]) - np.float32(1)
    return gap


def _march(start: Floats, way: Floats, reach: float) -> tuple[NDArray[np.intp], Floats]:
    """Sphere tracing (Hart 1996): which rays meet the torus within ``reach``, and how far along each is then.

    Args:
        start: where the rays begin, shape (3, n).
        way: their directions, length 1, same shape.
        reach: how far to look.
    """
    travelled = np.zeros(start.shape[1], np.float32)
    alive = np.arange(start.shape[1])
    met = np.zeros(start.shape[1], np.bool_)
    for _ in range(_STEPS):
        gap = _distance(start[:, alive] + way[:, alive] * travelled[alive])
        travelled[alive] += gap
        near = gap < _NEAR
        met[alive[near]] = True
        alive = alive[~near & (travelled[alive] < reach)]
        if not alive.size:
            break
    hit = np.flatnonzero(met)
    return hit, travelled[hit]


def _extent(right: Floats, ahead: Floats, up: Floats) -> tuple[float, float, float]:
    """How far the torus reaches in the picture at distance 1: to the side, to the bottom and to the top."""
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False, dtype=np.float32)
    along, tube = (part.ravel() for part in np.meshgrid(turn, turn))
    ring = np.float32(OUTER) + np.cos(tube)
    surface = np.stack((ring * np.sin(along), -ring * np.cos(along), np.sin(tube)))
    depth = ahead @ surface + np.float32(_DISTANCE)
    across, height = right @ surface / depth, up @ surface / depth
    return float(across.max()), float(height.min()), float(height.max())


@lru_cache(maxsize=4)
def shape_of(width: int, height: int, tilt: float) -> Shape:
    """The torus in a picture of ``width`` × ``height`` square pixels, seen at an inclination of ``tilt`` radians."""
    fine = SAMPLES
    sine, cosine = np.sin(tilt), np.cos(tilt)
    # The viewer stands towards -y; "up" of the picture leans over with the inclination.
    right = np.array((1, 0, 0), np.float32)
    ahead = np.array((0, cosine, -sine), np.float32)
    up = np.array((0, sine, cosine), np.float32)
    half_width, bottom, top = _extent(right, ahead, up)
    scale = max((top - bottom) / height, 2 * half_width / width) * _MARGIN / fine
    middle = (top + bottom) / 2
    xs = (np.arange(width * fine, dtype=np.float32) - np.float32((width * fine - 1) / 2)) * np.float32(scale)
    ys = (np.float32((height * fine - 1) / 2) - np.arange(height * fine, dtype=np.float32)) * np.float32(scale)
    x, y = (part.ravel() for part in np.meshgrid(xs, ys + np.float32(middle)))
    way = ahead[:, None] + right[:, None] * x + up[:, None] * y
    way /= np.sqrt((way * way).sum(0))
    eye = -ahead[:, None] * np.float32(_DISTANCE)
    begin = np.float32(_DISTANCE - 1 - OUTER - 0.1)
    hit, travelled = _march(eye + way * begin, way, 2 * (1 + OUTER) + 0.4)
    way = way[:, hit]
    travelled = travelled + begin
    place = eye + way * travelled

    ring = np.sqrt(place[0] ** 2 + place[1] ** 2)
    tube = np.arctan2(place[2], ring - np.float32(OUTER))
    along = np.arctan2(place[0], -place[1])
    upward = 2 * np.arctan(np.float32(OUTER - 1) * np.tan(tube / 2))
    normal = np.stack((place[0] / ring * np.cos(tube), place[1] / ring * np.cos(tube), np.sin(tube)))
    board_right = np.stack((-place[1] / ring, place[0] / ring, np.zeros_like(ring)))
    board_down = -np.stack((-place[0] / ring * np.sin(tube), -place[1] / ring * np.sin(tube), np.cos(tube)))

    light = right * _LIGHT[0] + up * _LIGHT[2] + ahead * _LIGHT[1]
    light = (light / np.linalg.norm(light)).astype(np.float32)
    half = light[:, None] - way
    half /= np.sqrt((half * half).sum(0))
    plain = light @ normal
    start = place + normal * np.float32(0.02)
    shaded, _ = _march(start, np.broadcast_to(light[:, None], start.shape), 2 * (1 + OUTER))
    lit = np.ones(hit.size, np.float32)
    lit[shaded] = 0.0
    lit = np.minimum(lit, np.clip(plain * 6, 0, 1))
    steepness = np.maximum(0.08, -(normal * way).sum(0))
    # A cell at this place is 2π ring / size wide, whatever the direction.
    spread = travelled * np.float32(scale) / np.sqrt(steepness) / (2 * np.pi * ring)
    return Shape(
        width=width,
        height=height,
        hit=hit,
        across=(along / (2 * np.pi)).astype(np.float32),
        down=(-upward / (2 * np.pi)).astype(np.float32),
        facing=float(-2 * np.arctan((OUTER - 1) * np.tan(tilt * 0.8 / 2)) / (2 * np.pi)),
        spread=spread.astype(np.float32),
        plain=plain,
        light_across=light @ board_right,
        light_down=light @ board_down,
        shine=((half * normal).sum(0), (half * board_right).sum(0), (half * board_down).sum(0)),
        lit=lit,
    )
