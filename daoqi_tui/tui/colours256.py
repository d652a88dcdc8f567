"""Colours for terminals that have 256: the nearest to the eye, chosen here.

Left to itself, rich rounds red, green and blue one by one, which turns light browns into pink and mauve.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Final

from textual.color import Color
from textual.theme import Theme

from daoqi_tui.tui.palette import RGB, Palette, Shades

_LEVELS: Final = (0, 95, 135, 175, 215, 255)
_GROUNDS: Final[dict[str, RGB]] = {"slate": (95, 135, 175)}
"""Grounds whose nearest colour is that of another board; the name of the board gives its ground."""
_HUE: Final = 2.0
"""How much more a difference of hue counts than one of lightness."""


def palette256(palette: Palette) -> Palette:
    """Return the board in colours that such a terminal has."""
    bright = _shades(palette.bright)
    ground = _GROUNDS.get(palette.name, bright.board)
    return palette._replace(
        bright=bright._replace(board=ground), dim=_shades(palette.dim), frame=nearest(palette.frame)
    )


def frame256(theme: Theme) -> Theme:
    """Return the frame with text of a neutral grey, whose mixtures stay grey."""
    if theme.foreground is None:
        return theme
    grey = round(255 * Color.parse(theme.foreground).brightness)
    return replace(
        theme,
        foreground=_written((grey, grey, grey)),
        background=_fixed(theme.background),
        surface=_fixed(theme.surface),
        panel=_fixed(theme.panel),
    )


def _fixed(colour: str | None) -> str | None:
    return colour and _written(nearest(Color.parse(colour).rgb))


def _written(colour: RGB) -> str:
    return "#" + "".join(f"{channel:02x}" for channel in colour)


def _shades(shades: Shades) -> Shades:
    found = Shades(**{name: nearest(getattr(shades, name)) for name in Shades._fields})
    # Lines as faint as those of the copies may come to lie on the colour of their ground, and would be gone.
    return found._replace(line=nearest(shades.line, but=found.board))


@lru_cache(maxsize=512)
def nearest(colour: RGB, but: RGB | None = None) -> RGB:
    """Return the colour of the 240 fixed ones that looks most like ``colour``, leaving out ``but``."""
    wanted = _oklab(colour)
    return min((known for known in _known() if known[0] != but), key=lambda known: _distance(known[1], wanted))[0]


def _distance(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    light, green_red, blue_yellow = (a - b for a, b in zip(one, other, strict=True))
    return light * light + _HUE * (green_red * green_red + blue_yellow * blue_yellow)


@lru_cache(maxsize=1)
def _known() -> tuple[tuple[RGB, tuple[float, float, float]], ...]:
    cube = [(red, green, blue) for red, green, blue in product(_LEVELS, repeat=3)]
    greys = [(level, level, level) for level in range(8, 239, 10)]
    return tuple((colour, _oklab(colour)) for colour in (*cube, *greys))


def _oklab(colour: RGB) -> tuple[float, float, float]:
    """Lightness and two axes of hue in which distances are as the eye sees them (Ottosson, Oklab, 2020)."""
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
