"""The colours of a board, and the nearest ones in a 256-colour terminal.

By default, Rich rounds red, green and blue separately, which turns light browns into pink and mauve.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple

from rich.color import Color
from rich.style import Style
from textual.color import Color as TextualColor
from textual.theme import Theme

RGB = tuple[int, int, int]


class Shades(NamedTuple):
    """Colours of one brightness, each as ``(red, green, blue)`` from 0 to 255."""

    board: RGB
    line: RGB
    seam: RGB
    black: RGB
    black_shine: RGB
    white: RGB
    white_shade: RGB
    black_ghost: RGB
    white_ghost: RGB
    cursor: RGB
    last: RGB
    chain: RGB
    liberty: RGB
    black_area: RGB
    white_area: RGB
    refused: RGB
    label: RGB
    label_mark: RGB
    good: RGB = (95, 175, 255)
    inaccuracy: RGB = (215, 215, 95)
    mistake: RGB = (255, 175, 0)
    blunder: RGB = (255, 95, 95)
    graded: RGB = (16, 16, 16)
    """The ink on the colours of the grades of moves, which are distinct with red-green colour blindness, too."""

    @property
    def white_fill(self) -> RGB:
        """The fill of White's stones in pixels; in characters they may be rings in Black's ink."""
        return self.white_shade if self.white == self.black else self.white

    @property
    def white_ghost_fill(self) -> RGB:
        """The same for White's proposed stones."""
        return self.white_shade if self.white == self.black else self.white_ghost

    @property
    def white_area_fill(self) -> RGB:
        """The same for the points that count for White."""
        return self.white_shade if self.white_area == self.black_area else self.white_area

    @property
    def on_refused(self) -> RGB:
        """The ink on a point where a play was refused."""
        return max(self.black, self.white_fill, key=lambda ink: contrast(ink, self.refused))

    @property
    def on_cursor(self) -> RGB:
        """The ink of text under the keyboard cursor."""
        return max(self.black, self.white_fill, key=lambda ink: contrast(ink, self.cursor))

    @property
    def black_faint(self) -> RGB:
        """The colour of points that are more likely Black's than not."""
        return self._towards(self.black_area, 0.45)

    @property
    def black_fair(self) -> RGB:
        """The colour of points that are probably Black's."""
        return self._towards(self.black_area, 0.72)

    @property
    def white_faint(self) -> RGB:
        """The colour of points that are more likely White's than not."""
        return self._towards(self.white_area, 0.45)

    @property
    def white_fair(self) -> RGB:
        """The colour of points that are probably White's."""
        return self._towards(self.white_area, 0.72)

    def _towards(self, area: RGB, share: float) -> RGB:
        return blend(self.board, area, share)


class Palette(NamedTuple):
    """The colours of a board, bright and dimmed, and of its surroundings.

    Attributes:
        plain: whether the board is drawn without colours, the copies dim; the shades are not used then.
        grain: the strength of the wood's grain when drawn in pixels, 0 for stone and paper.
    """

    name: str
    bright: Shades
    dim: Shades
    frame: RGB
    plain: bool = False
    grain: float = 0.0


def blend(colour: RGB, other: RGB, share: float) -> RGB:
    """Mix ``share`` of ``other`` into ``colour``."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(colour, other, strict=True))
    return red, green, blue


def contrast(one: RGB, other: RGB) -> float:
    """Return the contrast of two colours by WCAG 2: 1 for the same, 21 for black and white."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: RGB) -> float:
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def written(colour: RGB) -> str:
    """Return a colour in the notation of themes."""
    return "#" + "".join(f"{channel:02x}" for channel in colour)


def readable(ink: RGB, grounds: tuple[RGB, ...], share: float, least: float) -> RGB:
    """Mix as little of an ink, but at least ``share``, into the first ground as is readable on all of them.

    Args:
        ink: the ink.
        grounds: the backgrounds.
        share: the least fraction of the ink.
        least: the minimum contrast with each ground.
    """
    mixed = (blend(grounds[0], ink, percent / 100) for percent in range(round(100 * share), 100, 2))
    return next((colour for colour in mixed if all(contrast(colour, ground) >= least for ground in grounds)), ink)


LEAST: Final[Mapping[str, float]] = MappingProxyType(
    {
        "black": 3.0,
        "white_fill": 3.0,
        "line": 2.5,
        "seam": 2.5,
        "cursor": 3.0,
        "liberty": 3.0,
        "refused": 3.0,
        "label_mark": 3.0,
    }
)
"""The minimum contrast of each element with the bright board, by WCAG 2."""
LEAST_ON_COPIES: Final[Mapping[str, float]] = MappingProxyType(
    {"black": 1.5, "white_fill": 1.5, "line": 1.5, "seam": 1.5}
)
"""The same on the copies: dimmed, but visible."""
LEAST_ON_STONES: Final = 3.0
"""The minimum contrast of the mark of the last move with the stones of both players."""
_SPARE: Final = 0.1
"""The additional contrast for copies, since colours are rounded."""


def dimmed(shades: Shades, board: RGB, share: float) -> Shades:
    """Move all colours towards ``board``, the ground of the copies, but only as far as they remain visible there."""
    mixed = {field: blend(getattr(shades, field), board, share) for field in Shades._fields}
    for field, end in (
        ("line", _end_of(shades.line, shades.board)),
        ("seam", _end_of(shades.seam, shades.board)),
        ("black", _BLACKEST),
        ("white", _WHITEST),
    ):
        wanted = LEAST_ON_COPIES["white_fill" if field == "white" else field] + _SPARE
        steps = (blend(mixed[field], end, percent / 100) for percent in range(101))
        mixed[field] = next((colour for colour in steps if contrast(colour, board) >= wanted), end)
    return Shades(**{**mixed, "board": board})


_BLACKEST: Final[RGB] = (0, 0, 0)
_WHITEST: Final[RGB] = (255, 255, 255)


def _end_of(colour: RGB, board: RGB) -> RGB:
    """Return black for a colour that is darker than its board, else white."""
    return _BLACKEST if _luminance(colour) < _luminance(board) else _WHITEST


def board_of(bright: Shades, name: str, copies: RGB, frame: RGB, share: float = 0.45) -> Palette:
    """Return a board with these bright shades, and with copies dimmed on the ground ``copies``."""
    return Palette(name, bright, dimmed(bright, copies, share), frame)


def framed(palette: Palette, background: RGB, foreground: RGB) -> Palette:
    """Return a board in a frame of other colours, with readable coordinates."""
    return palette._replace(
        frame=background,
        bright=palette.bright._replace(label=blend(background, foreground, 0.85)),
        dim=palette.dim._replace(label=blend(background, foreground, 0.45)),
    )


KAYA: Final = board_of(
    Shades(
        board=(184, 140, 80),
        line=(98, 68, 30),
        seam=(142, 30, 12),
        black=(18, 18, 22),
        black_shine=(70, 70, 78),
        white=(255, 254, 250),
        white_shade=(214, 208, 198),
        black_ghost=(84, 66, 42),
        white_ghost=(226, 203, 168),
        cursor=(22, 30, 136),
        last=(214, 64, 44),
        chain=(214, 172, 108),
        liberty=(8, 66, 96),
        black_area=(62, 42, 18),
        white_area=(255, 250, 236),
        refused=(132, 0, 24),
        label=(226, 200, 150),
        label_mark=(12, 40, 110),
    ),
    "kaya",
    copies=(112, 86, 50),
    frame=(24, 20, 16),
)._replace(grain=0.07)


@lru_cache(maxsize=4096)
def style_of(foreground: RGB, background: RGB, bold: bool = False, underline: bool = False) -> Style:
    """Return the Rich style of two colours, cached."""
    return Style(
        color=Color.from_rgb(*foreground),
        bgcolor=Color.from_rgb(*background),
        bold=bold or None,
        underline=underline or None,
    )


@lru_cache(maxsize=256)
def plain_style(foreground: str, background: str, bold: bool, underline: bool, bright: bool) -> Style:
    """Return the style of an ink without colours.

    Text on a dark ground is reversed; copies, proposed stones and the grid are dim if the terminal supports it.
    """
    return Style(
        bold=bold or None,
        underline=(underline and bright) or None,
        reverse=background in _REVERSED or None,
        dim=not bright or "_ghost" in foreground + background or foreground == "line" or None,
    )


_REVERSED: Final = frozenset(("black", "black_ghost", "cursor", "refused"))


_LEVELS: Final = (0, 95, 135, 175, 215, 255)
_GROUNDS: Final[dict[str, RGB]] = {"slate": (95, 135, 175)}
"""The grounds, by the name of the board, where the nearest colour would be that of another board."""
_HUE: Final = 2.0
"""The weight of a difference in hue relative to one in lightness."""


def palette256(palette: Palette) -> Palette:
    """Return the board in the colours of a 256-colour terminal."""
    ground = _GROUNDS.get(palette.name) or nearest(palette.bright.board)
    return palette._replace(
        bright=_shades(palette.bright, ground, LEAST),
        dim=_shades(palette.dim, nearest(palette.dim.board), LEAST_ON_COPIES),
        frame=nearest(palette.frame),
    )


def frame256(theme: Theme) -> Theme:
    """Return the frame in the fixed colours, with text in a neutral grey, whose mixtures stay grey."""
    if theme.foreground is None:
        return theme
    grey = round(255 * TextualColor.parse(theme.foreground).brightness)
    return replace(
        theme,
        foreground=written((grey, grey, grey)),
        background=_fixed(theme.background),
        surface=_fixed(theme.surface),
        panel=_fixed(theme.panel),
        variables={name: written(nearest(TextualColor.parse(colour).rgb)) for name, colour in theme.variables.items()},
    )


def _fixed(colour: str | None) -> str | None:
    return colour and written(nearest(TextualColor.parse(colour).rgb))


def _shades(shades: Shades, ground: RGB, least: Mapping[str, float]) -> Shades:
    """Return shades in the fixed colours with sufficient contrast on a ground."""
    names = [name for name in Shades._fields if name != "board"]
    found = {
        name: nearest(getattr(shades, name), ((ground, least.get("white_fill" if name == "white" else name, 1.0)),))
        for name in names
    }
    stones = ((found["black"], LEAST_ON_STONES), (found["white"], LEAST_ON_STONES))
    found["last"] = nearest(shades.last, stones if least is LEAST else ())
    return Shades(board=ground, **found)


@lru_cache(maxsize=512)
def nearest(colour: RGB, seen_on: tuple[tuple[RGB, float], ...] = ()) -> RGB:
    """Return the most similar of the 240 fixed colours.

    Args:
        colour: the colour wanted.
        seen_on: grounds, each with the minimum contrast.
    """
    wanted = _oklab(colour)
    known = (pair for pair in _known() if all(contrast(pair[0], ground) >= least for ground, least in seen_on))
    return min(known, key=lambda pair: _distance(pair[1], wanted))[0]


def _distance(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    light, green_red, blue_yellow = (a - b for a, b in zip(one, other, strict=True))
    return light * light + _HUE * (green_red * green_red + blue_yellow * blue_yellow)


@lru_cache(maxsize=1)
def _known() -> tuple[tuple[RGB, tuple[float, float, float]], ...]:
    cube = [(red, green, blue) for red, green, blue in product(_LEVELS, repeat=3)]
    greys = [(level, level, level) for level in range(8, 239, 10)]
    return tuple((colour, _oklab(colour)) for colour in (*cube, *greys))


def _oklab(colour: RGB) -> tuple[float, float, float]:
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
