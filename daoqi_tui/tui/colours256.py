"""The fixed colours of a terminal that has 256, and the most similar of them to any colour.

Rich rounds red, green and blue separately, and makes a colour of little saturation grey: light browns become pink and
mauve, and wood behind a dialog olive beside grey.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from itertools import product
from typing import Final, TypeAlias

from daoqi_tui.pictures.palettes import RGB, contrast

_Oklab: TypeAlias = tuple[float, float, float]

FIRST: Final = 16
"""The number of the first fixed colour; those before it are the terminal's own."""
_LEVELS: Final = (0, 95, 135, 175, 215, 255)
FIXED: Final[tuple[RGB, ...]] = (
    *product(_LEVELS, _LEVELS, _LEVELS),
    *((level, level, level) for level in range(8, 239, 10)),
)
"""The fixed colours in the order of their numbers."""
_HUE: Final = 2.0
"""How much more a difference of hue counts than one of lightness."""


@lru_cache(maxsize=512)
def nearest(colour: RGB, seen_on: tuple[tuple[RGB, float], ...] = ()) -> RGB:
    """Return the most similar fixed colour, or where none has the contrast wanted, the one with most of it.

    Args:
        colour: the colour wanted.
        seen_on: grounds, each with the minimum contrast.
    """
    wanted = _oklab(colour)

    def fit(pair: tuple[_Oklab, int]) -> tuple[float, float]:
        enough = min((contrast(FIXED[pair[1]], ground) / least for ground, least in seen_on), default=1.0)
        return min(enough, 1.0), -_distance(pair[0], wanted)

    return FIXED[max(_by_lightness(), key=fit)[1]]


@lru_cache(maxsize=1 << 15)
def number_of(colour: RGB) -> int:
    """Return the number of the most similar fixed colour.

    A picture of the torus has hundreds of colours: fixed ones whose lightness alone differs by more are not compared.
    """
    wanted = _oklab(colour)
    known = _by_lightness()
    above = bisect_left(known, (wanted, 0))
    below = above - 1
    least, found = 9.0, 0
    while True:
        up = known[above][0][0] - wanted[0] if above < len(known) else 3.0
        down = wanted[0] - known[below][0][0] if below >= 0 else 3.0
        if min(up, down) ** 2 >= least:
            return FIRST + found
        place, above, below = (above, above + 1, below) if up <= down else (below, above, below - 1)
        distance = _distance(known[place][0], wanted)
        if distance < least:
            least, found = distance, known[place][1]


def _distance(one: _Oklab, other: _Oklab) -> float:
    light, green_red, blue_yellow = one[0] - other[0], one[1] - other[1], one[2] - other[2]
    return light * light + _HUE * (green_red * green_red + blue_yellow * blue_yellow)


@lru_cache(maxsize=1)
def _by_lightness() -> tuple[tuple[_Oklab, int], ...]:
    """Return the fixed colours by lightness, each with its place in :data:`FIXED`."""
    return tuple(sorted((_oklab(colour), place) for place, colour in enumerate(FIXED)))


def _oklab(colour: RGB) -> _Oklab:
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
