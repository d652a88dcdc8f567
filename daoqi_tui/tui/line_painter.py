"""What all ways of drawing a line of the board share: the canvas, and what stands on a point.

An *ink* names what a character is drawn with, ``(foreground, background, bold, underline)``, the first two
being fields of :class:`~daoqi_tui.tui.palette.Shades`; so one drawing serves both brightnesses.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from daoqi_tui.engine import BLACK, EMPTY
from daoqi_tui.tui.glyphs import Glyphs
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.viewport import Cell

Ink: TypeAlias = tuple[str, str, bool, bool]

CURSOR: Final = "cursor"
MARKS: Final = {"black": "black", "white": "white", "both": "label_mark"}
"""The ink of each kind of mark."""
SHAPED_MARKS: Final = {"black": "x", "white": "o", "both": "*"}
"""Its sign, where shapes have to tell."""
NOBODY: Final = 128
"""The strength of a point that is nobody's."""


class Line(NamedTuple):
    """One period of one line of the board, as wide as the period: a character and an ink per cell."""

    characters: list[str]
    inks: list[Ink]


class LinePainter:
    """What both ways of drawing share: the canvas, and what stands on a point."""

    def __init__(self, picture: Picture, cell: Cell, glyphs: Glyphs, row: int, line: int) -> None:
        self.picture, self.cell, self.glyphs = picture, cell, glyphs
        self.row, self.line = row, line
        self.characters: list[str] = []
        self.inks: list[Ink] = []

    def painted(self) -> Line:
        """Draw the grid, then every point, then the seam and the cursor."""
        picture, size = self.picture, self.picture.size
        pattern, inks = self.grid(last=self.row == size - 1 and self.line == self.cell.height - 1)
        self.characters, self.inks = pattern * size, inks * size
        for column in range(size):
            point = self.row * size + column
            start = column * self.cell.width
            background = self.background(point)
            if background != "board":
                for place in range(start, start + self.cell.width):
                    foreground, _, bold, underline = self.inks[place]
                    self.inks[place] = (foreground, background, bold, underline)
            self.point(point, start, background)
        if self.characters[-1] in self.seam_over:
            self.characters[-1] = self.seam
            self.inks[-1] = ("seam", self.inks[-1][1], False, self.inks[-1][3])
        if picture.cursor is not None and picture.cursor // size == self.row:
            self.bracket(picture.cursor % size * self.cell.width)
        return Line(self.characters, self.inks)

    seam: str = ""
    seam_over: tuple[str, ...] = ()

    def grid(self, *, last: bool) -> tuple[list[str], list[Ink]]:
        """One cell of empty grid; ``last`` for the line above the seam."""
        raise NotImplementedError

    def point(self, point: int, start: int, background: str) -> None:
        """Draw a point, whose cell begins at ``start``, on this line."""
        raise NotImplementedError

    def bracket(self, start: int) -> None:
        """Mark the point under the keyboard cursor."""
        raise NotImplementedError

    def put(self, place: int, character: str, foreground: str, background: str, bold: bool = False) -> None:
        """Draw one character; places wrap."""
        place %= len(self.characters)
        self.characters[place] = character
        self.inks[place] = (foreground, background, bold, False)

    def background(self, point: int) -> str:
        """Name the shade of the board under a point."""
        if point == self.picture.refused:
            return "refused"
        return "chain" if point in self.picture.chain else "board"

    def stone(self, point: int) -> str:
        """Name the shade of the stone, or of the ghost of one, on a point; empty where there is none."""
        colour = self.picture.stones[point]
        if colour != EMPTY:
            return "black" if colour == BLACK else "white"
        ghost = self.picture.ghost
        if ghost is not None and ghost.point == point:
            return "black_ghost" if ghost.colour == BLACK else "white_ghost"
        return ""

    def strength(self, point: int) -> tuple[str, int]:
        """The shade of what an empty point is worth to a player, and how certain that is: 1 to 3, 0 for nobody's."""
        values = self.picture.strength
        if values is None or values[point] == NOBODY or self.picture.stones[point] != EMPTY:
            return "", 0
        level = abs(values[point] - NOBODY)
        side = "black" if values[point] > NOBODY else "white"
        return f"{side}_{('faint', 'fair', 'area')[level - 1]}", level

    def badge(self, point: int) -> str:
        """The character that warns of what may become of a stone."""
        return self.glyphs.atari if self.picture.badges[point] == "atari" else self.glyphs.ladder

    def owner(self, point: int) -> str:
        """Name the shade of the player an empty or dead point counts for; empty when nobody's."""
        owners = self.picture.owners
        if owners is None or owners[point] == EMPTY or owners[point] == self.picture.stones[point]:
            return ""
        return "black_area" if owners[point] == BLACK else "white_area"


def on_stone(stone: str) -> str:
    """The ink of what is written on a stone."""
    return "white" if stone.startswith("black") else "black"
