"""The colours a board is drawn in."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from rich.color import Color
from rich.style import Style

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

    @property
    def white_fill(self) -> RGB:
        """What White's stones are filled with where they are drawn in pixels; as rings they may be of Black's ink."""
        return self.white_shade if self.white == self.black else self.white

    @property
    def black_faint(self) -> RGB:
        """What is likelier Black's than not."""
        return self._towards(self.black_area, 0.45)

    @property
    def black_fair(self) -> RGB:
        """What is probably Black's."""
        return self._towards(self.black_area, 0.72)

    @property
    def white_faint(self) -> RGB:
        """What is likelier White's than not."""
        return self._towards(self.white_area, 0.45)

    @property
    def white_fair(self) -> RGB:
        """What is probably White's."""
        return self._towards(self.white_area, 0.72)

    def _towards(self, area: RGB, share: float) -> RGB:
        return blend(self.board, area, share)


class Palette(NamedTuple):
    """A board in its two brightnesses, and what lies around it.

    Attributes:
        plain: whether it is drawn without any colour, the copies dim; the shades are not used then.
    """

    name: str
    bright: Shades
    dim: Shades
    frame: RGB
    plain: bool = False


def blend(colour: RGB, other: RGB, share: float) -> RGB:
    """Mix ``share`` of ``other`` into ``colour``."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(colour, other, strict=True))
    return red, green, blue


def dimmed(shades: Shades, board: RGB, share: float) -> Shades:
    """Move all colours towards ``board``, the colour the copies lie on."""
    mixed = {field: blend(getattr(shades, field), board, share) for field in Shades._fields}
    return Shades(**{**mixed, "board": board})


def board_of(bright: Shades, name: str, copies: RGB, frame: RGB, share: float = 0.45) -> Palette:
    """Make a board from its bright shades and the colour that its copies lie on."""
    return Palette(name, bright, dimmed(bright, copies, share), frame)


def framed(palette: Palette, background: RGB, foreground: RGB) -> Palette:
    """Lay a board into a frame of other colours, with names of points that can be read there."""
    return palette._replace(
        frame=background,
        bright=palette.bright._replace(label=blend(background, foreground, 0.85)),
        dim=palette.dim._replace(label=blend(background, foreground, 0.45)),
    )


KAYA: Final = board_of(
    Shades(
        board=(222, 184, 110),
        line=(150, 113, 58),
        seam=(176, 88, 40),
        black=(22, 22, 26),
        black_shine=(74, 74, 82),
        white=(250, 248, 242),
        white_shade=(206, 200, 188),
        black_ghost=(122, 103, 68),
        white_ghost=(240, 222, 184),
        cursor=(196, 60, 40),
        last=(214, 64, 44),
        chain=(240, 212, 128),
        liberty=(28, 110, 140),
        black_area=(92, 66, 34),
        white_area=(255, 250, 232),
        refused=(220, 40, 40),
        label=(226, 200, 150),
        label_mark=(40, 70, 130),
    ),
    "kaya",
    copies=(131, 106, 66),
    frame=(24, 20, 16),
)


@lru_cache(maxsize=4096)
def style_of(foreground: RGB, background: RGB, bold: bool = False, underline: bool = False) -> Style:
    """The shared rich style of two colours."""
    return Style(
        color=Color.from_rgb(*foreground),
        bgcolor=Color.from_rgb(*background),
        bold=bold or None,
        underline=underline or None,
    )


@lru_cache(maxsize=256)
def plain_style(foreground: str, background: str, bold: bool, underline: bool, bright: bool) -> Style:
    """The style of an ink where no colour may be used.

    What lies on a dark ground is reversed; copies, ghosts and the grid are dim, where the terminal knows dim.
    """
    return Style(
        bold=bold or None,
        underline=(underline and bright) or None,
        reverse=background in _REVERSED or None,
        dim=not bright or foreground.endswith("_ghost") or foreground == "line" or None,
    )


_REVERSED: Final = frozenset(("black", "cursor", "refused"))
