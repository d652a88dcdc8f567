"""The sign of a player in running text: a stone of its colour, on a scrap of the board where there are colours.

A light disc on a dark ground would be taken for white, whichever player it stands for.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from daoqi_tui.engine import BLACK, WHITE, Colour
from daoqi_tui.tui.glyphs import DISCS, Glyphs
from daoqi_tui.tui.palette import KAYA, Palette, style_of

STONES: Final = {BLACK: "●", WHITE: "○"}
"""The signs as words contain them; :meth:`StoneSigns.dress` turns them into what the board draws."""


class StoneSigns(NamedTuple):
    """How the stones of a board are written."""

    palette: Palette = KAYA
    glyphs: Glyphs = DISCS

    def sign(self, colour: Colour) -> str:
        """Return the character of a stone, the half of one that takes two."""
        return (self.glyphs.black if colour == BLACK else self.glyphs.white)[0]

    def style(self, colour: Colour, around: Style, *, dim: bool = False) -> Style:
        """Return the style of a stone among text of the style ``around``, as on the copies of the board if ``dim``."""
        if self.palette.plain:
            return around
        shades = self.palette.dim if dim else self.palette.bright
        return style_of(shades.black if colour == BLACK else shades.white, shades.board)

    def dress(self, text: Text) -> None:
        """Draw the stones that a text contains."""
        plain = text.plain
        for colour, sign in STONES.items():
            for place, character in enumerate(plain):
                if character == sign:
                    text.stylize(self.style(colour, Style.null()), place, place + 1)
        text.plain = plain.translate({ord(sign): self.sign(colour) for colour, sign in STONES.items()})


def signs_of(widget: Widget) -> StoneSigns:
    """Return how stones are written on the screen of a widget."""
    signs = getattr(widget.screen, "stone_signs", None)
    return signs if isinstance(signs, StoneSigns) else StoneSigns()
