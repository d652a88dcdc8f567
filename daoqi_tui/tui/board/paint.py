"""Draws one period of a board line as characters and inks; the widget repeats, shades and crops it.

In small cells a point is one sign. In larger ones stones are shapes of several characters where colours distinguish
black from white, otherwise figures or single signs (see :mod:`daoqi_tui.tui.look.glyphs`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from daoqi_tui.engine import BLACK, EMPTY
from daoqi_tui.pictures.picture import Chip, Picture
from daoqi_tui.tui.board.viewport import Cell
from daoqi_tui.tui.look.glyphs import CUT, Glyphs

Ink: TypeAlias = tuple[str, str, bool, bool]

CURSOR: Final = "cursor"
MARKS: Final = {"black": "black", "white": "white", "both": "label_mark"}
"""The ink of each kind of mark."""
SHAPED_MARKS: Final = {"black": "x", "white": "o", "both": "*"}
"""The sign of each kind of mark where colours do not distinguish the players."""
GRADES: Final = ("good", "inaccuracy", "mistake", "blunder")
"""The ink of each grade of a move."""
_CORNERS: Final = "▗▖▝▘"
"""The corners of a round stone."""
_FILL: Final = {"white": "white_fill", "white_ghost": "white_ghost_fill"}
"""The background of a number on a stone, if not the stone's ink: White's rings may be drawn in Black's ink."""
_NO_SEAM: Final[Mapping[str, str]] = MappingProxyType({})


class PaintedLine(NamedTuple):
    """One period of one line of the board: a character and an ink per character cell."""

    characters: list[str]
    inks: list[Ink]


class LinePainter:
    """The common base of both ways of drawing: the line, and the contents of a point."""

    def __init__(self, picture: Picture, cell: Cell, glyphs: Glyphs, row: int, line: int) -> None:
        self.picture, self.cell, self.glyphs = picture, cell, glyphs
        self.row, self.line = row, line
        self.characters: list[str] = []
        self.inks: list[Ink] = []
        self.written: set[int] = set()
        """The places of text, which the cursor does not hide."""

    def painted(self) -> PaintedLine:
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
            if (chip := picture.chips.get(point)) is not None and not self.stone(point):
                self.chip(chip, start)
        seam = self.seam.get(self.characters[-1])
        if seam is not None:
            self.characters[-1] = seam
            self.inks[-1] = ("seam", self.inks[-1][1], False, self.inks[-1][3])
        if picture.cursor is not None and picture.cursor // size == self.row:
            self.bracket(picture.cursor % size * self.cell.width)
        return PaintedLine(self.characters, self.inks)

    seam: Mapping[str, str] = _NO_SEAM
    """The characters of the seam at the right of the board, by the part of the grid there."""

    def grid(self, *, last: bool) -> tuple[list[str], list[Ink]]:
        """Return one cell of empty grid; ``last`` for the line above the seam."""
        raise NotImplementedError

    def point(self, point: int, start: int, background: str) -> None:
        """Draw this line of a point, whose cell begins at ``start``."""
        raise NotImplementedError

    def bracket(self, start: int) -> None:
        """Mark the point under the keyboard cursor."""
        raise NotImplementedError

    def put(self, place: int, character: str, foreground: str, background: str, bold: bool = False) -> None:
        """Draw one character; places wrap."""
        place %= len(self.characters)
        self.characters[place] = character
        self.inks[place] = (foreground, background, bold, False)

    def write(self, place: int, text: str, foreground: str, background: str, bold: bool = True) -> None:
        """Write text that stays readable under the cursor."""
        for at, character in enumerate(text, place):
            self.put(at, character, foreground, background, bold)
            self.written.add(at % len(self.characters))

    def tint(self, place: int) -> None:
        """Show the cursor on a character of a text."""
        self.put(place, self.characters[place], "on_cursor", CURSOR, bold=True)

    def chip(self, chip: Chip, start: int) -> None:
        """Write the analysis of a move on its cell, on the colour of its grade.

        A cell of one line shows the rank beside the grid: two digits would run into those of a neighbour.
        """
        width, height = self.cell
        row = chip.rows[self.line] if self.line < len(chip.rows) else ""
        text = chip.sign if height == 1 else f"{row:^{width}}"
        self.write(start, text, "graded", GRADES[chip.grade], bold=self.line == 0)

    def background(self, point: int) -> str:
        """Return the name of the board's shade under a point."""
        if point == self.picture.refused:
            return "refused"
        return "chain" if point in self.picture.chain else "board"

    def stone(self, point: int) -> str:
        """Return the name of the shade of a point's stone, or of a proposed one; empty if there is none."""
        colour, played = self.picture.stone_at(point)
        if colour == EMPTY:
            return ""
        return ("black" if colour == BLACK else "white") + ("" if played else "_ghost")

    def strength(self, point: int) -> tuple[str, int]:
        """Return the name of the shade of a point's likely owner, and its certainty: 1 to 3, 0 for nobody's."""
        value = self.picture.strength_at(point)
        side, level = "black" if value > 0 else "white", abs(value)
        return (f"{side}_{('faint', 'fair', 'area')[level - 1]}", level) if level else ("", 0)

    def badge(self, point: int) -> str:
        """Return the character of the warning on a stone."""
        return self.glyphs.atari if self.picture.badges[point] == "atari" else self.glyphs.ladder

    def owner(self, point: int) -> str:
        """Return the name of the shade of the player for whom a point counts; empty if nobody's."""
        owner = self.picture.owner_at(point)
        return "" if owner == EMPTY else "black_area" if owner == BLACK else "white_area"


def on_stone(stone: str) -> str:
    """Return the ink of text on a stone."""
    return "white_fill" if stone.startswith("black") else "black"


class GlyphLine(LinePainter):
    """Stones as one sign in the middle of the cell, or as figures."""

    def grid(self, *, last: bool) -> tuple[list[str], list[Ink]]:
        """Return one cell of empty grid."""
        glyphs, (width, _) = self.glyphs, self.cell
        middle_x, middle_y = self.cell.middle
        pattern = [glyphs.across if self.line == middle_y else " "] * width
        pattern[middle_x] = glyphs.cross if self.line == middle_y else glyphs.down
        self.seam = {" ": glyphs.seam_down, glyphs.across: glyphs.seam_cross}
        below = last and self.cell.height > 1
        return pattern, [("seam" if below else "line", "board", False, last)] * width

    def point(self, point: int, start: int, background: str) -> None:
        """Draw this line of a point."""
        middle_x, middle_y = self.cell.middle
        picture, glyphs = self.picture, self.glyphs
        stone = self.stone(point)
        black = stone.startswith("black")
        figured = bool(stone) and point not in picture.dead and self._figure(start, stone, background)
        if self.line != middle_y:
            return
        place = start + middle_x
        owner = self.owner(point)
        shade, certain = self.strength(point)
        if point in picture.labels:
            self._label(place, point, stone, background)
        elif point in picture.dead:
            self.put(place, glyphs.dead if black else glyphs.white_dead or glyphs.dead, stone, background, bold=True)
        elif stone and point == picture.last:
            self._sign(place, glyphs.black_last if black else glyphs.white_last, stone, background)
        elif stone:
            if not figured:
                self._sign(place, glyphs.black if black else glyphs.white, stone, background)
        elif point == picture.refused:
            self.put(place, glyphs.dead, "on_refused", background, bold=True)
        elif point in picture.liberties:
            self.put(place, glyphs.liberty, "liberty", background, bold=True)
        elif point in picture.marks:
            kind = picture.marks[point]
            sign = "x" if glyphs.black == glyphs.white else SHAPED_MARKS[kind]
            self.put(place, sign, MARKS[kind], background, bold=True)
        elif owner:
            self.put(place, glyphs.black_area if owner == "black_area" else glyphs.white_area, owner, background)
        elif certain:
            signs = glyphs.black_strength if shade.startswith("black") else glyphs.white_strength
            self.put(place, signs[certain - 1], shade, background)
        if point in picture.badges:
            self.write(place + 1, self.badge(point), "on_refused", "refused")

    def _sign(self, place: int, sign: str, ink: str, background: str) -> None:
        for at, character in enumerate(sign, place):
            self.put(at, character, ink, background, bold=not self.glyphs.blocks)

    def _figure(self, start: int, stone: str, background: str) -> bool:
        """Draw this line of a stone's figure, if the glyphs have one; return whether they do."""
        if self.cell.height not in self.glyphs.figures:
            return False
        figure = self.glyphs.figures[self.cell.height][not stone.startswith("black")]
        if self.line < len(figure):
            for place, character in enumerate(figure[self.line], start):
                if character != ".":
                    self.put(place, character, stone, background, bold=not self.glyphs.blocks)
        return True

    def _label(self, place: int, point: int, stone: str, background: str) -> None:
        """Write as much of a label as fits, of a number its last digits; a number on a stone covers it."""
        label, room = self.picture.labels[point], min(3, self.cell.width)
        label = self.glyphs.labels.get(label, label)
        text, ink = label[:room], stone or "label_mark"
        if label.isdecimal():
            text = label[-room:]
            if stone:
                text = f"{text:<2}"
                ink = "last" if point == self.picture.last else on_stone(stone)
                background = _FILL.get(stone, stone)
        self.write(place - (len(text) == 3), text, ink, background)

    def bracket(self, start: int) -> None:
        """Mark the point under the keyboard cursor."""
        (width, height), (middle_x, middle_y) = self.cell, self.cell.middle
        if self.line != middle_y:
            return
        tile = len(self.glyphs.black) > 1
        if tile:
            # Brackets would lie on the stones beside it.
            left, right = start, start + 1
        elif height in self.glyphs.figures:
            left, right = start - 1, start + width - 1
        else:
            left, right = start + middle_x - 1, start + middle_x + 1
        here = self.written.intersection(range(start, start + width))
        if here.intersection((left, right)):
            # Brackets would hide the text here.
            for place in here:
                self.tint(place)
        elif tile:
            self._frame_tile(start)
        else:
            for place, character in ((left, "["), (right, "]")):
                # The text of a neighbour may extend to here.
                if place % len(self.characters) not in self.written:
                    self.put(place, character, CURSOR, self.inks[place][1], bold=True)

    def _frame_tile(self, start: int) -> None:
        """Mark a cell that a stone fills."""
        if self.glyphs.black != self.glyphs.white:
            self.put(start, "[", CURSOR, self.inks[start][1], bold=True)
            return
        for place, half in ((start, "▐"), (start + 1, "▌")):
            character, ink = self.characters[place], self.inks[place][0]
            self.put(place, half if character == "█" else character, ink, CURSOR)


_STRENGTHS: Final = {
    2: (("▗▖", "▝▘"), ("▄▄", "▀▀"), ("▐██▌", "▐██▌")),
    3: (("", "▪", ""), ("", "▐█▌", ""), ("▗▄▖", "▐█▌", "▝▀▘")),
}
"""By the height of a cell and the certainty of an owner: the text of each line, in the middle of the cell."""


class ShapeLine(LinePainter):
    """Stones as shapes of several characters.

    The crossing of a cell of 4 × 2 lies between its characters: the grid is drawn there with thin blocks at the left of
    a character and with underlines.
    """

    def grid(self, *, last: bool) -> tuple[list[str], list[Ink]]:
        """Return one cell of empty grid."""
        glyphs, (width, height) = self.glyphs, self.cell
        if height == 2:
            self.seam = {" ": "▕"}
            ink: Ink = ("seam" if last else "line", "board", False, last or self.line == 0)
            down: Ink = ("line", "board", False, last or self.line == 0)
            return [" ", " ", "▏", " "], [ink, ink, down, ink]
        self.seam = {" ": glyphs.seam_down, glyphs.across: glyphs.seam_cross}
        middle_x, middle_y = self.cell.middle
        pattern = [glyphs.across if self.line == middle_y else " "] * width
        pattern[middle_x] = glyphs.cross if self.line == middle_y else glyphs.down
        return pattern, [("seam" if last else "line", "board", False, last)] * width

    def point(self, point: int, start: int, background: str) -> None:
        """Draw this line of a point."""
        picture = self.picture
        stone, owner = self.stone(point), self.owner(point)
        shade, certain = self.strength(point)
        if stone:
            self._stone(start, stone, background)
        spot = ""
        if point in picture.liberties and not stone:
            spot = "liberty"
        elif owner:
            spot = owner
        elif stone and point == picture.last:
            spot = "last"
        label = picture.labels.get(point)
        if label is not None:
            ink = "last" if point == picture.last else on_stone(stone)
            self._label(start, label, _FILL.get(stone, stone) or background, ink if stone else "label_mark")
        elif point == picture.refused and not stone:
            self._cross(start, background)
        elif spot:
            self._spot(start, spot, stone or background)
        elif point in picture.marks and not stone:
            self._mark(start, picture.marks[point], background)
        elif certain:
            text = _STRENGTHS[self.cell.height][certain - 1][self.line]
            for place, character in enumerate(text, start + (self.cell.width - len(text)) // 2):
                self.put(place, character, shade, background)
        if point in picture.badges and self.line == 0:
            self.write(start + self.cell.width - 1, self.badge(point), "on_refused", "refused")

    def _mark(self, start: int, kind: str, under: str) -> None:
        """Draw this line of a mark: in cells of two lines a small square, since crosses would run together."""
        ink = MARKS[kind]
        if self.cell.height == 2:
            for place, character in enumerate(("▄▄", "▀▀")[self.line], start + 1):
                self.put(place, character, ink, under)
        elif self.line == 1:
            self.put(start + 2, "x", ink, under, bold=True)

    def _stone(self, start: int, stone: str, background: str) -> None:
        """Draw this line of a stone."""
        shape = self.glyphs.shapes[self.cell.height]
        last = len(shape[0].rstrip()) - 1
        for place, character in enumerate(shape[self.line]):
            ink = stone
            if (stone, self.line, place) == ("black", 0, 0):
                ink = "black_shine"
            elif (stone, self.line, place) == ("white", len(shape) - 1, last):
                ink = "white_shade"
            if character == " ":
                ink = background
            if character in CUT:
                self.put(start + place, character, background, ink)
            else:
                self.put(start + place, character, ink, background)

    def _cross(self, start: int, under: str) -> None:
        """Cross out the middle of the cell."""
        if self.line == self.cell.middle[1]:
            sign = self.glyphs.dead * (2 if self.cell.height == 2 else 1)
            for place, character in enumerate(sign, start + self.cell.middle[0]):
                self.put(place, character, "on_refused", under, bold=True)

    def _spot(self, start: int, spot: str, under: str) -> None:
        """Draw this line of a small block in the middle of the cell."""
        if self.cell.height == 2:
            for place, character in enumerate(("▗▖", "▝▘")[self.line], start + 1):
                self.put(place, character, spot, under)
        elif self.line == 1:
            self.put(start + 2, "■", spot, under)

    def _label(self, start: int, label: str, under: str, ink: str) -> None:
        """Write a label in the middle of the cell."""
        if self.line == self.cell.middle[1]:
            self.write(start + self.cell.middle[0], label[: self.cell.width - 1], ink, under)

    def bracket(self, start: int) -> None:
        """Mark the point under the keyboard cursor by colouring the corners around a stone."""
        shape = self.glyphs.shapes[self.cell.height]
        if self.line not in (0, len(shape) - 1):
            return
        for place in (start, start + len(shape[0]) - 1):
            character, (ink, background, _, _) = self.characters[place], self.inks[place]
            if place in self.written:
                self.tint(place)
            elif character in _CORNERS:
                self.put(place, character, ink, CURSOR)
            else:
                self.put(place, "▄" if self.line else "▀", CURSOR, ink if character in "█▀" else background)


def paint(picture: Picture, cell: Cell, glyphs: Glyphs, row: int, line: int) -> PaintedLine:
    """Draw line ``line`` of the cells of the shown row ``row``."""
    if cell.height in glyphs.shapes:
        return ShapeLine(picture, cell, glyphs, row, line).painted()
    return GlyphLine(picture, cell, glyphs, row, line).painted()
