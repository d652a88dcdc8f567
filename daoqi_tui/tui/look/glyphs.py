"""The characters a board is drawn with."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

Shape: TypeAlias = tuple[str, ...]
"""A stone in a larger cell, one string per line, in the colour of the stone; a space is bare board.

Its lower edge is drawn with :data:`CUT`: Unicode has lower blocks of every eighth of a cell, but hardly any upper ones.
"""


CUT: Final = "▁▂▃"
"""Blocks drawn in the colour of the board on that of the stone, unlike all others."""

ROUND_STONES: Final[Mapping[int, Shape]] = MappingProxyType({2: ("▗▆▆▖", "▝▂▂▘"), 3: ("▗▅▆▅▖", "█████", "▝▃▂▃▘")})
"""Circles, by the height of the cell."""

SQUARE_STONES: Final[Mapping[int, Shape]] = MappingProxyType({2: ("███ ", "▀▀▀ "), 3: ("█████", "█████", "▀▀▀▀▀")})


Figures = Mapping[int, tuple[tuple[str, ...], tuple[str, ...]]]
"""By the height of a cell: a black and a white stone, one string per line; ``.`` leaves the grid visible."""
_NO_FIGURES: Final[Figures] = MappingProxyType({})
_NO_SHAPES: Final[Mapping[int, Shape]] = MappingProxyType({})


class Glyphs(NamedTuple):
    """The characters for each element of a board.

    Each is a single character, except that a stone in the smallest cell may take both columns of its cell.

    Attributes:
        dead: a dead stone; ``white_dead`` is used for White's if it is not empty.
        atari, ladder: warnings beside a stone in danger.
        black_strength: Black's likely points, from the least certain to the most; ``white_strength`` those of White.
        black_sign, white_sign: stones in running text; empty if they are the same as on the board. Full blocks would
            hide the piece of board that a sign is drawn on, and Black's would be dark on dark.
        blocks: whether half blocks can be shown.
        shapes: stones in larger cells where colours distinguish them, by the height of a cell.
        figures: stones in larger cells where characters have to; without either, a stone is a single character.
        labels: replacements for the signs of a record's marks and of a problem's area that cannot be shown.
    """

    name: str
    black: str
    white: str
    black_last: str
    white_last: str
    dead: str
    liberty: str
    black_area: str
    white_area: str
    cross: str
    across: str
    down: str
    seam_down: str
    seam_cross: str
    blocks: bool
    black_sign: str = ""
    white_sign: str = ""
    white_dead: str = ""
    shapes: Mapping[int, Shape] = _NO_SHAPES
    figures: Figures = _NO_FIGURES
    labels: Mapping[str, str] = MappingProxyType({})
    atari: str = "!"
    ladder: str = "•"
    black_strength: tuple[str, str, str] = ("·", "▪", "■")
    white_strength: tuple[str, str, str] = ("·", "▫", "□")


ROUND: Final = Glyphs(
    name="round",
    black="●",
    white="○",
    black_last="◉",
    white_last="◎",
    dead="×",
    white_dead="⊗",
    liberty="•",
    black_area="▪",
    white_area="▫",
    cross="┼",
    across="─",
    down="│",
    seam_down="║",
    seam_cross="╫",
    blocks=True,
)
"""Stones that differ by shape as well as by colour."""

DISCS: Final = ROUND._replace(
    name="discs",
    white="●",
    white_last="◉",
    white_dead="×",
    white_area="▪",
    shapes=ROUND_STONES,
)
"""Full discs for both players, for terminals with enough colours to distinguish them."""

TILES: Final = DISCS._replace(
    name="blocks",
    black="██",
    white="██",
    black_last="█◆",
    white_last="█◆",
    black_sign="■",
    white_sign="■",
    shapes=SQUARE_STONES,
)
"""Square stones that fill their cells."""

HATCHED: Final = ROUND._replace(
    name="blocks",
    black="██",
    white="▒▒",
    black_last="█◆",
    white_last="▒◇",
    black_sign="■",
    white_sign="□",
    figures=MappingProxyType(
        {
            2: (("████", "████"), ("▒▒▒▒", "▒▒▒▒")),
            3: (("█████", "█████", "█████"), ("▒▒▒▒▒", "▒▒▒▒▒", "▒▒▒▒▒")),
        }
    ),
)
"""Square stones for terminals with few colours: White's are hatched."""

ASCII: Final = Glyphs(
    name="ascii",
    black="X",
    white="O",
    black_last="#",
    white_last="@",
    dead="x",
    white_dead="o",
    liberty="*",
    black_area="&",
    white_area="=",
    cross="+",
    across="-",
    down="|",
    seam_down=":",
    seam_cross=":",
    blocks=False,
    figures=MappingProxyType(
        {
            2: (("XXX.",), ("OOO.",)),
            3: ((".XXX.", "XXXXX", ".XXX."), (".OOO.", "O   O", ".OOO.")),
        }
    ),
    labels=MappingProxyType({"▲": "^", "■": "$", "○": "o", "×": "x", "▫": "~"}),
    ladder="%",
    black_strength=(",", ";", "&"),
    white_strength=(".", ":", "="),
)
"""For terminals and fonts with nothing else.

The signs of areas differ from those of the grid, since in sixteen colours Black's area has the colour of the grid.
"""

GLYPH_NAMES: Final = ("auto", "discs", "round", "blocks", "ascii")


def glyphs_for(name: str, *, many_colours: bool, plain_text: bool) -> Glyphs:
    """Return the glyphs for a setting.

    Args:
        name: one of :data:`GLYPH_NAMES`.
        many_colours: whether colour alone can distinguish black from white.
        plain_text: whether ``auto`` means ASCII.
    """
    if name == "ascii" or (name == "auto" and plain_text):
        return ASCII
    if name == "blocks":
        return TILES if many_colours else HATCHED
    return DISCS if many_colours and name != "round" else ROUND
