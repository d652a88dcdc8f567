"""The characters a board is drawn with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One character, one cell wide, for each thing on a board.

    Attributes:
        breaker: marks an empty point where one more stone would matter.
        atari, ladder: stand beside a stone that is in danger.
        black_strength: what is Black's, the less certain first; as ``white_strength`` for White.
        blocks: whether large cells are filled with half blocks, to draw round stones.
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
    seam_across: str
    seam_down: str
    blocks: bool
    breaker: str = "x"
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
    liberty="•",
    black_area="▪",
    white_area="▫",
    cross="┼",
    across="─",
    down="│",
    seam_across="┄",
    seam_down="┊",
    blocks=True,
)
"""Stones that differ by shape as well as by colour."""

DISCS: Final = Glyphs(
    name="discs",
    black="●",
    white="●",
    black_last="◉",
    white_last="◉",
    dead="×",
    liberty="•",
    black_area="▪",
    white_area="▪",
    white_strength=("·", "▪", "■"),
    cross="┼",
    across="─",
    down="│",
    seam_across="┄",
    seam_down="┊",
    blocks=True,
)
"""Full discs of black and white, for terminals with enough colours to tell them apart."""
