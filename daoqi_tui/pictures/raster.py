"""Draw a board as pixels: round stones with light and shadow, thin lines, marks, numbers and territory.

Each appearance of a point is drawn once and cached as a block of palette indices; a board is assembled from such
blocks. So a move costs only the few blocks that are new, and a picture has one byte per pixel.
"""

from __future__ import annotations

import io
import itertools
import struct
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from daoqi_tui.engine import BLACK, EMPTY, WHITE
from daoqi_tui.pictures.palettes import GRADES, RGB, STEPS, Palette, Shades, blend
from daoqi_tui.pictures.picture import DOT, PLATE, PUNISHED, RADIUS, Mistake, Picture, strokes_of

Floats: TypeAlias = NDArray[np.float32]
Indices: TypeAlias = NDArray[np.uint8]
Mask: TypeAlias = NDArray[np.bool_]
Distances: TypeAlias = NDArray[np.int64]

CLEAR: Final = 255
"""The palette index that no picture has, for pixels that stay as they are."""
_SIGNS: Final = ("seam", "cursor", "last", "liberty", "refused", "label_mark", *GRADES, "graded")
"""The shades that tell something by their colour."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_MOST_BLOCKS: Final = 2048
"""The maximum number of cached blocks: far more than a board needs at once, and a few megabytes."""
_STREAKS: Final = 7
_LIBERTY: Final = 0.16
_BADGE: Final = 0.17
_BESIDE: Final = 0.185
"""How far a badge is from the middle of a stone, to the right and up: inside its outline."""
_WIDEST: Final = 0.34
"""Half the width of the widest text on a point: at this distance a stone is still high enough for it."""
_EDGE: Final = 0.25
"""The part of a point beyond the seam over which the shade begins: a sharper edge would look like a frame."""
_REACH: Final = 6
"""The number of points beyond the bright period over which the light falls off."""
_LIGHT: Final = np.array([-0.42, -0.56, 0.714], dtype=np.float32)
"""The unit vector towards the light: from the top left, in front of the board."""


class Pixels(NamedTuple):
    """A width and a height in pixels."""

    width: int
    height: int


class Point(NamedTuple):
    """Everything that determines the appearance of a point.

    Attributes:
        stone: the shade of its stone, ``black`` or ``white``; empty if there is none.
        solid: whether the stone is on the board and alive, not proposed (as by a hint) or dead.
        owner: the shade of the player it counts for, or empty.
        certainty: how certain that is, from 1 to 3; 0 if there is no owner.
        label: a number or a character written there.
        mark: the kind of a mark on an empty point.
        badge: the warning on a stone, ``atari`` or ``ladder``, or empty.
        signs: those of ``last``, ``cursor``, ``refused`` and, on an empty point, ``chain`` that apply.
        shadows: whether stones to the left, above, and diagonally above left cast a shadow here.
        streak: the pattern of the grain in its column.
        seam: whether the board's seam runs along its right edge, and along its lower edge.
        chip: the grade and the two-digit win rate of an analysed move.
        mistake: the mark of a move that lost points, on its stone.
    """

    stone: str = ""
    solid: bool = True
    owner: str = ""
    certainty: int = 0
    label: str = ""
    mark: str = ""
    badge: str = ""
    signs: frozenset[str] = frozenset()
    shadows: tuple[bool, bool, bool] = (False, False, False)
    streak: int = 0
    seam: tuple[bool, bool] = (False, False)
    chip: tuple[int, str] | None = None
    mistake: Mistake | None = None


class Raster:
    """Draws boards in one palette with points of one size.

    Attributes:
        colours: the palette of all its pictures, shape ``(256, 3)``.
        sample: points of all kinds side by side, as palette indices.
    """

    def __init__(self, palette: Palette, point: Pixels) -> None:
        self.point = point
        self._shades = palette.bright
        self._grain = palette.grain
        self._blocks: dict[Point, Indices] = {}
        signs = [getattr(self._shades, name) for name in _SIGNS]
        self._table = _quantized(_atlas(self._shades, self._grain, point), signs)
        self.sample = np.asarray(self._table, np.uint8)
        self._liberty: int = self.sample[0, -1]
        table = np.zeros((CLEAR + 1, 3), np.uint8)
        found = np.array(self._table.getpalette(), np.uint8).reshape(-1, 3)
        table[: len(found)] = found
        self.colours = table

    def draw(self, picture: Picture) -> Indices:
        """Draw one period of a board, as palette indices of shape ``(size * height, size * width)``."""
        size = picture.size
        width, height = self.point
        canvas = np.empty((size, height, size, width), np.uint8)
        if len(self._blocks) > _MOST_BLOCKS:
            # Numbers, marks and win rates combine in thousands of ways; the blocks in use are quickly redrawn.
            self._blocks.clear()
        for place, look in enumerate(_points(picture)):
            block = self._blocks.get(look)
            if block is None:
                block = self._blocks[look] = self._quantize(draw_point(look, self._shades, self._grain, self.point))
            row, column = divmod(place, size)
            canvas[row, :, column] = block
        period = canvas.reshape(size * height, size * width)
        stones, liberties = (points_mask(points, size) for points in chain_of(picture))
        if stones.any():
            period[chain_mask(stones, liberties, self.point, wraps=True)] = self._liberty
        if picture.links:
            # The rim tells them from stones of any colour.
            for colour, rim in ((self._shades.on_label, 1), (self._shades.label_mark, 0)):
                ink = self._quantize(np.full((1, 1, 3), colour, np.float32))[0, 0]
                period[_links_mask(picture, self.point, rim)] = ink
        return period

    def _quantize(self, block: Floats) -> Indices:
        image = Image.fromarray(_bytes(block)).quantize(palette=self._table, dither=Image.Dither.NONE)
        return np.asarray(image, np.uint8)


def _links_mask(picture: Picture, point: Pixels, rim: int) -> Mask:
    """Return the pixels of the arrows and lines of a board, wider by a rim."""
    width, height = point
    image = Image.new("1", (picture.size * width, picture.size * height))
    draw = ImageDraw.Draw(image)
    rim *= max(1, round(min(point) / 24))
    thick = max(2, round(min(point) / 11)) + 2 * rim
    for stroke in strokes_of(picture.links, picture.size):
        start, end, *head = (
            ((x + 0.5) * width, (y + 0.5) * height) for x, y in (stroke.start, stroke.end, *stroke.head)
        )
        draw.line((start, end), 1, thick)
        if head:
            draw.polygon(head, 1, 1, 1 + 2 * rim)
    return np.asarray(image, np.bool_)


def chain_of(picture: Picture) -> tuple[frozenset[int], frozenset[int]]:
    """Return the stones of the marked chain, and those of its liberties on which nothing is written."""
    stones = frozenset(point for point in picture.chain if picture.stone_at(point)[0] != EMPTY)
    return stones, picture.liberties - picture.labels.keys() - picture.marks.keys() - picture.chips.keys()


def points_mask(points: Iterable[int], size: int) -> Mask:
    mask = np.zeros(size * size, np.bool_)
    mask[list(points)] = True
    return mask.reshape(size, size)


def _points(picture: Picture) -> list[Point]:
    """Return the appearance of each point of a board."""
    size = picture.size
    found = []
    named = {"last": {picture.last}, "cursor": {picture.cursor}, "refused": {picture.refused}}
    sets = {**named, "chain": picture.chain}
    for point in range(size * size):
        row, column = divmod(point, size)
        above, left = (row - 1) % size * size, (column - 1) % size
        colour, played = picture.stone_at(point)
        stone, solid = _stone(colour), played and point not in picture.dead
        owner, certainty = _owner(picture, point)
        chip = picture.chips.get(point)
        shadows = (row * size + left, above + column, above + left)
        found.append(
            Point(
                stone,
                solid,
                owner,
                certainty,
                picture.labels.get(point, ""),
                picture.marks.get(point, ""),
                picture.badges.get(point, ""),
                frozenset(name for name, points in sets.items() if point in points),
                (
                    _casts(picture, shadows[0]),
                    _casts(picture, shadows[1]),
                    _casts(picture, shadows[2]),
                ),
                (column * 3) % _STREAKS,
                (column == size - 1, row == size - 1),
                None if stone or chip is None else (chip.grade, chip.short),
                picture.mistakes.get(point) if stone and solid else None,
            )
        )
    return found


def _stone(colour: int) -> str:
    return "" if colour == EMPTY else "black" if colour == BLACK else "white"


def _casts(picture: Picture, point: int) -> bool:
    return picture.stones[point] != EMPTY and point not in picture.dead


def _owner(picture: Picture, point: int) -> tuple[str, int]:
    if (owner := picture.owner_at(point)) != EMPTY:
        return _stone(owner), 3
    value = picture.strength_at(point)
    return _stone(EMPTY if not value else BLACK if value > 0 else WHITE), abs(value)


def draw_point(look: Point, shades: Shades, grain: float, size: Pixels) -> Floats:
    """Draw one point as an array of shape ``(height, width, 3)`` with values from 0 to 255."""
    width, height = size
    block = np.empty((height, width, 3), np.float32)
    block[:] = shades.board
    if grain:
        block *= (1 + grain * _streaks(width, look.streak))[None, :, None]
    block = np.clip(block, 0, 255)
    if "chain" in look.signs and not look.stone:
        _fill(block, 1.0, shades.chain)
    _lines(block, look, shades)
    if "refused" in look.signs and not look.stone:
        _fill(block, _disc(size, 0.47), shades.refused, 0.75)
    _shadows(block, look, size)
    if look.stone and "refused" in look.signs:
        _fill(block, _disc(size, 0.56), shades.refused, 0.9)
    if look.stone:
        opacity = 1.0 if look.solid else 0.5
        if look.solid:
            _fill(block, _disc(size, RADIUS, 0.03, 0.04), (0, 0, 0), 0.35)
        _fill(block, _disc(size, RADIUS), _stone_colours(look.stone, shades, size), opacity)
        if look.stone == "white":
            _fill(block, _ring(size, RADIUS, 0.02), blend(shades.white_shade, (0, 0, 0), 0.55), 0.7 * opacity)
    _marks(block, look, shades, size)
    return block


def _lines(block: Floats, look: Point, shades: Shades) -> None:
    height, width = block.shape[:2]
    thick = max(1, round(min(width, height) / 34))
    top, left = (height - thick) // 2, (width - thick) // 2
    block[top : top + thick] = shades.line
    block[:, left : left + thick] = shades.line
    dash, seam = max(2, min(width, height) // 8), thick + 1
    right, foot = look.seam
    if right:
        run = np.arange(height) % (2 * dash) < dash
        block[run, width - seam :] = shades.seam
    if foot:
        run = np.arange(width) % (2 * dash) < dash
        block[height - seam :, run] = shades.seam


def _shadows(block: Floats, look: Point, size: Pixels) -> None:
    """Darken the board under the shadows of the neighbours and of the stone itself."""
    for falls, (right, down) in zip(look.shadows, ((-1, 0), (0, -1), (-1, -1)), strict=True):
        if falls:
            _fill(block, _shadow(size, right, down), (0, 0, 0), 0.42)
    if look.stone and look.solid:
        _fill(block, _shadow(size, 0, 0), (0, 0, 0), 0.42)


def _marks(block: Floats, look: Point, shades: Shades, size: Pixels) -> None:
    """Draw the marks, labels and signs of a point, on its stone or on the board."""
    signs, stone = look.signs, look.stone
    on_stone = shades.white_fill if stone == "black" else shades.black
    if look.owner:
        area = shades.black_area if look.owner == "black" else shades.white_area_fill
        side = (0.0, 0.11, 0.15, 0.19)[look.certainty]
        opacity = (0.0, 0.55, 0.8, 1.0)[look.certainty]
        _fill(block, _square(size, side + 0.02), blend(area, shades.board, 0.6), opacity * 0.8)
        _fill(block, _square(size, side), area, opacity)
    if look.mark and not stone:
        colours = {"black": shades.black, "white": shades.white_fill}
        _fill(block, _cross(size, 0.2), colours.get(look.mark, shades.label_mark))
    if "refused" in signs and not stone:
        _fill(block, _cross(size, 0.26), shades.on_refused)
    grades = shades.good, shades.inaccuracy, shades.mistake, shades.blunder
    if look.chip is not None:
        grade, short = look.chip
        _fill(block, _disc(size, RADIUS), grades[grade])
        _fill(block, _sign(short, size), shades.graded)
    elif look.label and not (stone and look.owner):
        # A dead stone shows whose it is: its number would be illegible on that.
        if not stone:
            _fill(block, _square(size, PLATE), shades.label_mark)
        ink = on_stone if stone else shades.on_label
        if look.mistake is not None:
            ink = grades[look.mistake.grade]
        elif stone and "last" in signs:
            ink = shades.last
        sign = _sign(look.label[:3], size)
        # On the smallest points three digits are wider than a stone: the font has a least size.
        _fill(block, sign * _disc(size, RADIUS - 0.03) if stone else sign, ink)
    elif look.mistake is not None:
        radius = PUNISHED if look.mistake.punished else DOT
        # The rim tells it from the stone; that of the last move is its mark.
        _fill(block, _disc(size, radius + 0.04), on_stone)
        _fill(block, _disc(size, radius), grades[look.mistake.grade])
        if "last" in signs:
            _fill(block, _ring(size, PUNISHED + 0.1, 0.05), shades.last)
    elif "last" in signs:
        _fill(block, _disc(size, DOT), shades.last)
    if look.badge:
        place = _BESIDE, -_BESIDE
        # The rim tells it from the stone, which may be as dark.
        _fill(block, _disc(size, _BADGE, *place), on_stone)
        _fill(block, _disc(size, _BADGE - 0.03, *place), shades.refused if look.badge == "atari" else shades.seam)
        if look.badge == "atari":
            _fill(block, _text("!", size, 0.3, *place), shades.on_refused)
    if "cursor" in signs:
        _fill(block, _corners(size), shades.cursor)


def _fill(block: Floats, cover: Floats | float, colour: RGB | Floats, opacity: float = 1.0) -> None:
    """Blend a colour into a block; ``cover`` is the coverage of each pixel, from 0 to 1."""
    share = np.asarray(cover, np.float32) * opacity
    if share.ndim:
        share = share[:, :, None]
    block += (np.asarray(colour, np.float32) - block) * share


# Shapes, as the coverage of each pixel. Lengths are in units of the smaller side of a point.


def _cover(inside: NDArray[np.floating]) -> Floats:
    """Return the coverage of pixels by how far inside a shape they are."""
    return np.asarray(np.clip(inside, 0, 1), np.float32)


@lru_cache(maxsize=8)
def _grid(size: Pixels) -> tuple[Floats, Floats]:
    width, height = size
    across = np.arange(width, dtype=np.float32) - (width - 1) / 2
    down = np.arange(height, dtype=np.float32) - (height - 1) / 2
    return across[None, :], down[:, None]


@lru_cache(maxsize=512)
def _disc(size: Pixels, radius: float, right: float = 0.0, down: float = 0.0) -> Floats:
    across, along = _grid(size)
    unit = min(size)
    distance = np.hypot(across - right * unit, along - down * unit)
    return _cover(radius * unit - distance + 0.5)


@lru_cache(maxsize=64)
def _ring(size: Pixels, radius: float, thickness: float) -> Floats:
    inner = radius - max(thickness, 1 / min(size))
    return _disc(size, radius) - _disc(size, inner)


@lru_cache(maxsize=64)
def _shadow(size: Pixels, right: int, down: int) -> Floats:
    across, along = _grid(size)
    unit = min(size)
    distance = np.hypot(
        across - right * size.width - 0.07 * unit,
        along - down * size.height - 0.09 * unit,
    )
    return _cover((0.53 * unit - distance) / (0.1 * unit))


@lru_cache(maxsize=64)
def _square(size: Pixels, half: float) -> Floats:
    across, along = _grid(size)
    reach = half * min(size)
    return _cover(reach - abs(across) + 0.5) * _cover(reach - abs(along) + 0.5)


@lru_cache(maxsize=16)
def _cross(size: Pixels, reach: float) -> Floats:
    across, along = _grid(size)
    unit = min(size)
    thick = 0.05 * unit
    near = np.minimum(abs(across - along), abs(across + along)) / np.sqrt(2)
    return _cover(thick - near + 0.5) * _cover(reach * unit - np.maximum(abs(across), abs(along)) + 0.5)


@lru_cache(maxsize=4)
def _corners(size: Pixels) -> Floats:
    """Return the keyboard cursor: four corner brackets around the point."""
    across, along = abs(_grid(size)[0]), abs(_grid(size)[1])
    unit = min(size)
    outer, thick, arm = 0.49 * unit, max(1.5, 0.07 * unit), 0.22 * unit
    edge = np.maximum(across, along)
    frame = _cover(outer - edge + 0.5) * _cover(edge - (outer - thick) + 0.5)
    return frame * (np.minimum(across, along) > outer - arm)


@lru_cache(maxsize=4)
def _triangle(size: Pixels) -> Floats:
    across, along = _grid(size)
    unit = min(size)
    # Distances from the three sides of an equilateral triangle, positive inside it.
    reach = 0.14 * unit
    foot = reach - along
    slope = reach + along * 0.5 - abs(across) * np.sqrt(3) / 2
    return _cover(np.minimum(foot, slope) + 0.5)


def _sign(label: str, size: Pixels) -> Floats:
    """Return a mark, or the text of a label; the font has only Latin characters, so others become an asterisk."""
    match label:
        case "▲":
            return _triangle(size)
        case "■":
            return _square(size, 0.17)
        case "○":
            return _ring(size, 0.24, 0.06)
        case "×":
            return _cross(size, 0.2)
    return _text(label if label.isascii() else "*", size)


@lru_cache(maxsize=1024)
def _text(text: str, size: Pixels, height: float = 0.0, right: float = 0.0, down: float = 0.0) -> Floats:
    """Return a text centred on the middle of a point, or offset from it."""
    unit = min(size)
    share = height or (0.62, 0.52, 0.4)[min(len(text), 3) - 1]
    image = Image.new("L", size, 0)
    draw = ImageDraw.Draw(image)
    place = (size.width / 2 + right * unit, size.height / 2 + down * unit)
    wide, most = draw.textlength(text, font(share * unit)) / unit, 2 * _WIDEST
    if wide > most:
        share *= most / wide
    draw.text(place, text, fill=255, font=font(share * unit), anchor="mm", stroke_width=0)
    return np.asarray(image, np.float32) / np.float32(255)


@lru_cache(maxsize=16)
def font(height: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return Pillow's built-in font for a height in pixels."""
    return ImageFont.load_default(max(6.0, height))


@lru_cache(maxsize=32)
def _streaks(width: int, which: int) -> Floats:
    """Return the grain of a column, from about -1 to 1: narrow lines of darker wood."""
    chance = np.random.default_rng(which)
    across = np.arange(width, dtype=np.float32)
    total = np.zeros(width, np.float32)
    for _each in range(4):
        middle, breadth, depth = chance.uniform(0, width), chance.uniform(0.02, 0.12) * width, chance.uniform(-1, 0.6)
        total += depth * np.exp(-(((across - middle) / breadth) ** 2))
    # The edges are the same in all columns, so that no joint shows.
    return (total * np.sin(np.pi * (across + 0.5) / width)).astype(np.float32)


@lru_cache(maxsize=8)
def _stone_colours(stone: str, shades: Shades, size: Pixels) -> Floats:
    """Return the colours of a stone lit from the top left, for the whole block."""
    across, along = _grid(size)
    radius = RADIUS * min(size)
    right, down = across / radius, along / radius
    flat = np.clip(right**2 + down**2, 0, 1)
    # A stone is a lens, flatter in the middle than a sphere.
    front = np.sqrt(1 - 0.82 * flat)
    slant = np.sqrt(0.82)
    light = np.clip(right * slant * _LIGHT[0] + down * slant * _LIGHT[1] + front * _LIGHT[2], 0, 1)
    shine = np.exp(-((right + 0.36) ** 2 + (down + 0.42) ** 2) / 0.09)
    if stone == "black":
        base, top = np.array(shades.black, np.float32), np.array(shades.black_shine, np.float32)
        colours = base + (top - base) * (0.35 * light**2)[..., None]
        return np.asarray(np.clip(colours + (0.85 * shine)[..., None] * (top - base), 0, 255), np.float32)
    base, top = np.array(shades.white_shade, np.float32), np.array(shades.white_fill, np.float32)
    edge = base * 0.86
    colours = edge + (top - edge) * np.clip(0.25 + 1.05 * light, 0, 1)[..., None]
    return np.asarray(np.clip(colours + (0.6 * shine)[..., None] * (255 - colours), 0, 255), np.float32)


def _atlas(shades: Shades, grain: float, size: Pixels) -> Floats:
    """Draw points that together have all the colours a board may need, side by side."""
    seams = (True, True)
    looks = [Point(streak=streak) for streak in range(_STREAKS)]
    looks += [Point(seam=seams), Point(shadows=(True, True, True)), Point(signs=frozenset(("chain",)))]
    for stone in ("black", "white"):
        looks += [
            Point(stone),
            Point(stone, shadows=(True, True, True)),
            Point(stone, solid=False),
            Point(stone, signs=frozenset(("last",))),
            Point(stone, signs=frozenset(("last",)), label="88"),
            Point(stone, signs=frozenset(("cursor",))),
            Point(stone, label="88"),
            Point(stone, badge="atari"),
            Point(stone, badge="ladder"),
            *(Point(stone, mistake=Mistake(grade, punished=True)) for grade in (1, 2, 3)),
            Point(mark=stone),
            *(Point(owner=stone, certainty=certainty) for certainty in (1, 2, 3)),
        ]
    looks += [Point(signs=frozenset((sign,))) for sign in ("cursor", "refused", "last")]
    looks += [Point(label="8"), Point(mark="both"), *(Point(chip=(grade, "88")) for grade in range(4))]
    blocks = [draw_point(look, shades, grain, size) for look in looks]
    blocks.append(np.broadcast_to(np.array(shades.liberty, np.float32), (size.height, size.width // 4, 3)))
    return np.concatenate(blocks, axis=1)


def _quantized(atlas: Floats, signs: Sequence[RGB]) -> Image.Image:
    """Reduce the colours to a palette that has those of ``signs`` as they are, however few pixels have them."""
    image = Image.fromarray(_bytes(atlas))
    found = image.quantize(CLEAR - len(signs), Image.Quantize.MEDIANCUT, kmeans=1).getpalette() or []
    table = Image.new("P", (1, 1))
    table.putpalette([*found, *itertools.chain(*signs)])
    return image.quantize(palette=table, dither=Image.Dither.NONE)


def _bytes(block: Floats) -> Indices:
    return np.clip(np.rint(block), 0, 255).astype(np.uint8)


# The light, which falls off with the distance from the bright period.


def outside(length: int, inner: range) -> Distances:
    """Return the distance of each of ``length`` pixels from a span of them, 0 inside it."""
    places = np.arange(length)
    return np.maximum(np.maximum(inner.start - places, places - inner.stop + 1), 0)


def dimming_steps(across: Distances, down: Distances, margin: tuple[int, int] | None, step: Pixels) -> Indices:
    """Return the step of :attr:`~daoqi_tui.pictures.palettes.Palette.dimming` for each pixel, ``(rows, columns)``.

    Args:
        across: the distance of each column from the bright period, in pixels.
        down: the distance of each row.
        margin: the distances across and down beyond which nothing is shown; None if there is no limit.
        step: the size of a point.
    """
    across, down = across[None, :], down[:, None]
    far = np.hypot(across / step.width, down / step.height)
    light = np.interp(far, (0, _EDGE, _REACH), (1, 1 + STEPS // 2, STEPS - 1))
    shade = np.floor(light).astype(np.uint8)
    shade[np.broadcast_to((across == 0) & (down == 0), shade.shape)] = 0
    if margin is not None:
        shade[np.broadcast_to((across > margin[0]) | (down > margin[1]), shade.shape)] = STEPS
    return shade


def dimmed(colours: np.ndarray[Any, Any], shares: tuple[float, ...], shades: tuple[RGB, ...]) -> Indices:
    """Return colours at each step of the dimming, of shape ``(steps, colours, 3)``."""
    covered, over = np.array(shares)[:, None, None], np.array(shades)[:, None]
    return np.asarray(np.rint(colours[None] + (over - colours[None]) * covered), np.uint8)


# Sprites over the board, and labels beside it.


def ghost_sprite(colour: int, shades: Shades, size: Pixels) -> Indices:
    """Draw the preview of a stone, as red, green, blue and opacity of shape ``(height, width, 4)``."""
    stone = _stone(colour)
    return _sprite(_stone_colours(stone, shades, size), _disc(size, RADIUS) * 0.55)


def cursor_sprite(shades: Shades, size: Pixels) -> Indices:
    height, width = size.height, size.width
    colours = np.empty((height, width, 3), np.float32)
    colours[:] = shades.cursor
    return _sprite(colours, _corners(size))


def chain_mask(stones: Mask, liberties: Mask, size: Pixels, *, wraps: bool) -> Mask:
    """Return the pixels of the marks of a chain: its outline, and a dot on each liberty.

    Both are made of few different rows of pixels, so that a picture of them takes few bytes.

    Args:
        stones: the points of the chain, of shape ``(rows, columns)``.
        liberties: its liberties.
        size: the size of a point.
        wraps: whether the points are those of a whole board.
    """
    width, height = size
    rows, columns = stones.shape
    thick = max(2, round(min(size) / 16))
    around = np.pad(stones, 1, mode="wrap") if wraps else np.pad(stones, 1)
    sides = {-1: slice(0, thick), 0: slice(None), 1: slice(-thick, None)}
    mask = np.zeros((rows, height, columns, width), np.bool_)
    for down, right in itertools.product(sides, sides):
        ends = stones & ~around[1 + down : 1 + down + rows, 1 + right : 1 + right + columns]
        mask[:, sides[down], :, sides[right]] |= ends[:, None, :, None]
    across, along = map(np.abs, _grid(size))
    radius = _LIBERTY * min(size)
    # In a large dot two lines each are alike, from its edge on: as long as one between them would be.
    last, alike = along[along < radius].max(), 1 + (radius > 6)
    dot = np.hypot(across, last - (last - along) // alike * alike - (alike - 1) / 2) < radius
    mask |= liberties[:, None, :, None] & dot[:, None, :]
    return mask.reshape(rows * height, columns * width)


def chain_sprite(stones: Mask, liberties: Mask, shades: Shades, size: Pixels) -> bytes:
    """Draw the marks of a chain as a PNG file, clear elsewhere; see :func:`chain_mask`."""
    mask = chain_mask(stones, liberties, size, wraps=False)
    return png(mask.astype(np.uint8), bytes(2 * shades.liberty), bytes(1))


def _sprite(colours: Floats, opacity: Floats) -> Indices:
    return np.concatenate([_bytes(colours), _bytes(opacity * 255)[:, :, None]], axis=2)


class LabelStyle(NamedTuple):
    """The style of the names of columns and rows.

    Attributes:
        point: the size of a point.
        cell: the size of a character.
        ground, ink: the background and text colours.
    """

    point: Pixels
    cell: Pixels
    ground: RGB
    ink: RGB


def label_size(breadth: int, style: LabelStyle, *, across: bool) -> float:
    """Return the height of the names in a strip in pixels; the arguments are those of :func:`label_strip`."""
    return 0.8 * min(style.cell.height, breadth, style.point.width if across else style.point.height)


def label_strip(texts: tuple[str, ...], breadth: int, style: LabelStyle, *, across: bool) -> tuple[Indices, bytes]:
    """Draw the names of all columns side by side (``across``), or those of all rows one below the other.

    Args:
        texts: the names.
        breadth: the height of the strip of columns, or the width of that of rows, in pixels.
        style: the style.
        across: whether they are the names of columns.

    Returns:
        Palette indices, and the palette's colours as three bytes each.
    """
    point, cell = style.point, style.cell
    step = point.width if across else point.height
    length = len(texts) * step
    image = Image.new("L", (length, breadth) if across else (breadth, length), 0)
    draw = ImageDraw.Draw(image)
    letters = font(label_size(breadth, style, across=across))
    for place, text in enumerate(texts):
        middle = (place + 0.5) * step
        where = (middle, breadth / 2) if across else (breadth - cell.width * 1.5, middle)
        draw.text(where, text, fill=255, font=letters, anchor="mm")
    last = 15
    indices = (np.asarray(image, np.uint16) * last // 255).astype(np.uint8)
    colours = b"".join(bytes(blend(style.ground, style.ink, shade / last)) for shade in range(last + 1))
    return indices, colours


# Files.


class _PngFile(io.BytesIO):
    """A file in memory, named so that Pillow loads its code for PNG alone, not that for four other formats (10 ms)."""

    name = "picture.png"


def png_file(image: Image.Image, **options: Any) -> bytes:  # noqa: ANN401 (Pillow's options)
    file = _PngFile()
    image.save(file, **options)
    return file.getvalue()


def png(indices: Indices, colours: bytes, alpha: bytes = b"") -> bytes:
    """Encode a PNG file with a palette.

    Pillow would filter the lines of pictures of two colours, which takes a third more bytes.

    Args:
        indices: the colour of each pixel, of shape ``(height, width)``.
        colours: three bytes per colour, at most 256 colours.
        alpha: the opacity of the first colours, one byte each; the others are opaque.
    """
    height, width = indices.shape
    bits, level, lines = (1, 9, np.packbits(indices, axis=1)) if len(colours) <= 6 else (8, -1, indices)
    data = zlib.compress(np.pad(lines, ((0, 0), (1, 0))).tobytes(), level)
    parts = {b"IHDR": struct.pack(">IIBBxxx", width, height, bits, 3), b"PLTE": colours, b"tRNS": alpha, b"IDAT": data}
    chunks = [kind + part for kind, part in parts.items() if part] + [b"IEND"]
    return _PNG + b"".join(
        struct.pack(">I", len(each) - 4) + each + struct.pack(">I", zlib.crc32(each)) for each in chunks
    )


def png_rgba(pixels: Indices) -> bytes:
    """Encode a PNG file of pixels of shape ``(height, width, 4)``: red, green, blue and opacity."""
    return png_file(Image.fromarray(pixels))


def sheet(width: int, height: int, colour: RGB, opacity: float = 1.0) -> bytes:
    return png(np.zeros((height, width), np.uint8), bytes(colour), bytes([round(255 * opacity)]))
