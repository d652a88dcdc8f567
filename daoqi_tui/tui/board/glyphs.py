"""The characters a board is drawn with."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

Shape: TypeAlias = tuple[str, ...]
"""A stone of a larger cell, a text a line, in the colour of the stone; a space is bare board.

Its lower edge is written in :data:`CUT`: there are lower blocks of every eighth of a cell, but hardly any upper ones.
"""


CUT: Final = "▁▂▃"
"""Blocks of the board on the stone, where all others are of the stone on the board."""

ROUND_STONES: Final[Mapping[int, Shape]] = MappingProxyType({2: ("▗▆▆▖", "▝▂▂▘"), 3: ("▗▅▆▅▖", "█████", "▝▃▂▃▘")})
"""Circles that leave a quarter, and a sixth, of the cell free on all sides, by the height of the cell."""

SQUARE_STONES: Final[Mapping[int, Shape]] = MappingProxyType({2: ("███ ", "▀▀▀ "), 3: ("█████", "█████", "▀▀▀▀▀")})


Figures = Mapping[int, tuple[tuple[str, ...], tuple[str, ...]]]
"""By the height of a cell: a black and a white stone, a text for each line; ``.`` lets the grid show through."""
_NO_FIGURES: Final[Figures] = MappingProxyType({})
_NO_SHAPES: Final[Mapping[int, Shape]] = MappingProxyType({})


class Glyphs(NamedTuple):
    """The characters for each element of a board.

    A sign is one character, one cell wide; a stone of a small cell may take both its characters.

    Attributes:
        dead: a dead stone; ``white_dead`` where colours do not tell White's.
        atari, ladder: stand beside a stone that is in danger.
        black_strength: what is Black's, the less certain first; as ``white_strength`` for White.
        black_sign, white_sign: stones in running text, empty if they are written as on the board. Full blocks would
            hide the scrap of the board that a sign stands on, and Black's would be dark on dark.
        blocks: whether half blocks can be shown.
        shapes: how stones of larger cells look where colours tell them apart, by the height of a cell.
        figures: how they look where characters have to; without either, a stone of a larger cell is one sign.
        labels: what stands for a sign of a record's marks and of a problem's area that cannot be shown.
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
"""Full discs of black and white, for terminals with enough colours to tell them apart."""

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
"""Square stones where colours are few: White's are hatched."""

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
"""For terminals and fonts that know nothing else; what is a player's has other signs than the grid.

In sixteen colours Black's area is drawn in the ink of the grid.
"""

GLYPH_NAMES: Final = ("auto", "discs", "round", "blocks", "ascii")


def glyphs_for(name: str, *, many_colours: bool, plain_text: bool) -> Glyphs:
    """Return the set for a choice.

    Args:
        name: one of :data:`GLYPH_NAMES`.
        many_colours: whether colour alone may tell black from white.
        plain_text: whether the terminal should be sent ASCII only, unless the person chose otherwise.
    """
    if name == "ascii" or (name == "auto" and plain_text):
        return ASCII
    if name == "blocks":
        return TILES if many_colours else HATCHED
    return DISCS if many_colours and name != "round" else ROUND
