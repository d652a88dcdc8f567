"""Draws one period of a board line as characters and inks; the widget repeats, shades and crops it.

An *ink* names what a character is drawn with, ``(foreground, background, bold, underline)``, the first two
being fields of :class:`~daoqi_tui.tui.palette.Shades`; so one drawing serves both brightnesses.

Small cells hold one sign a point. Larger cells hold stones made of square pixels, two to a character, where
colours tell black from white (see :mod:`daoqi_tui.tui.pixels`), and figures of characters where shapes have to.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from daoqi_tui.engine import BLACK, EMPTY
from daoqi_tui.tui.glyphs import Glyphs
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.pixels import RINGS
from daoqi_tui.tui.viewport import Cell

Ink: TypeAlias = tuple[str, str, bool, bool]

_LINE: Final[Ink] = ("line", "board", False, False)
_CURSOR: Final = "cursor"
_MARKS: Final = {"black": "black", "white": "white", "both": "label_mark"}
"""The ink of each kind of mark."""
NOBODY: Final = 128
"""The strength of a point that is nobody's."""
_STRENGTHS: Final = {
    2: (("▗▖", "▝▘"), ("▄▄", "▀▀"), ("▐██▌", "▐██▌")),
    3: (("", "▪", ""), ("", "▐█▌", ""), ("▗▄▖", "▐█▌", "▝▀▘")),
}
"""By the height of a cell and the certainty of an owner: what is drawn on each line, in the middle of the cell."""
_HOLLOW: Final = {
    2: (("╭╮", "╰╯"), ("┌┐", "└┘"), ("┌──┐", "└──┘")),
    3: (("", "▫", ""), ("", "□", ""), ("┌─┐", "│ │", "└─┘")),
}
"""The same for White where shapes have to tell."""
_SHAPED_MARKS: Final = {"black": "x", "white": "o", "both": "*"}


class Line(NamedTuple):
    """One period of one line of the board, as wide as the period: a character and an ink per cell."""

    characters: list[str]
    inks: list[Ink]


def paint(picture: Picture, cell: Cell, glyphs: Glyphs, row: int, line: int) -> Line:
    """Draw line ``line`` of the cells of board row ``row``."""
    if cell.height in glyphs.pixels:
        return _PixelLine(picture, cell, glyphs, row, line).painted()
    if glyphs.blocks and cell.height in glyphs.figures:
        return _ShapeLine(picture, cell, glyphs, row, line).painted()
    return _GlyphLine(picture, cell, glyphs, row, line).painted()


class _LinePainter:
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


def _on(stone: str) -> str:
    """The ink of what is written on a stone."""
    return "white" if stone.startswith("black") else "black"


class _GlyphLine(_LinePainter):
    """One character a stone, in the middle of its cell."""

    def grid(self, *, last: bool) -> tuple[list[str], list[Ink]]:
        glyphs, (width, _) = self.glyphs, self.cell
        middle_x, middle_y = self.cell.middle
        pattern = [glyphs.across if self.line == middle_y else " "] * width
        pattern[middle_x] = glyphs.cross if self.line == middle_y else glyphs.down
        self.seam, self.seam_over = glyphs.seam_down, (glyphs.across, " ")
        return pattern, [("line", "board", False, last)] * width

    def point(self, point: int, start: int, background: str) -> None:
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
        elif stone and not figured:
            self._sign(place, glyphs.black if black else glyphs.white, stone, background)
        elif point in picture.liberties:
            self.put(place, glyphs.liberty, "liberty", background, bold=True)
        elif point in picture.marks:
            kind = picture.marks[point]
            sign = glyphs.breaker if glyphs.black == glyphs.white else _SHAPED_MARKS[kind]
            self.put(place, sign, _MARKS[kind], background, bold=True)
        elif owner:
            self.put(place, glyphs.black_area if owner == "black_area" else glyphs.white_area, owner, background)
        elif certain:
            signs = glyphs.black_strength if shade.startswith("black") else glyphs.white_strength
            self.put(place, signs[certain - 1], shade, background)
        if point in picture.badges:
            self.put(place + 1, self.badge(point), "white", "refused", bold=True)

    def _sign(self, place: int, sign: str, ink: str, background: str) -> None:
        for at, character in enumerate(sign, place):
            self.put(at, character, ink, background, bold=not self.glyphs.blocks)

    def _figure(self, start: int, stone: str, background: str) -> bool:
        """Draw this line of a stone larger than one sign, if the set has one; tells whether it has."""
        if self.cell.height not in self.glyphs.figures:
            return False
        figure = self.glyphs.figures[self.cell.height][not stone.startswith("black")]
        if self.line < len(figure):
            for place, character in enumerate(figure[self.line], start):
                if character != ".":
                    self.put(place, character, stone, background, bold=not self.glyphs.blocks)
        return True

    def _label(self, place: int, point: int, stone: str, background: str) -> None:
        """Write a number of two digits or another single character; a number on a stone fills it."""
        label = self.picture.labels[point]
        if not label.isdecimal():
            self.put(place, label[:1], stone or "label_mark", background, bold=True)
            return
        ink = "label_mark"
        if stone:
            ink = "last" if point == self.picture.last else _on(stone)
            background = stone
        number = f"{label[-2:]:<2}" if stone else label[-2:]
        for at, character in enumerate(number, place):
            self.put(at, character, ink, background, bold=True)

    def bracket(self, start: int) -> None:
        middle_x, middle_y = self.cell.middle
        if self.line != middle_y:
            return
        label = self.picture.labels.get(self.picture.cursor or 0, "")
        if len(label) > 1 and label.isdecimal():
            # Brackets would hide half of the number.
            for place in (start + middle_x, start + middle_x + 1):
                ink = self.inks[place % len(self.inks)][0]
                self.put(place, self.characters[place % len(self.characters)], ink, _CURSOR, bold=True)
        elif len(self.glyphs.black) > 1:
            self._frame_tile(start)
        elif self.cell.height in self.glyphs.figures:
            for place, character in ((start - 1, "["), (start + self.cell.width // 4 * 2 + 1, "]")):
                self.put(place, character, _CURSOR, self.inks[place % len(self.inks)][1], bold=True)
        else:
            for place, character in ((start + middle_x - 1, "["), (start + middle_x + 1, "]")):
                self.put(place, character, _CURSOR, self.inks[place % len(self.inks)][1], bold=True)

    def _frame_tile(self, start: int) -> None:
        """Mark a cell that a stone fills: brackets would stand on the stones beside it."""
        if self.glyphs.black != self.glyphs.white:
            self.put(start, "[", _CURSOR, self.inks[start][1], bold=True)
            return
        for place, half in ((start, "▐"), (start + 1, "▌")):
            character, ink = self.characters[place], self.inks[place][0]
            self.put(place, half if character == "█" else character, ink, _CURSOR)


class _PixelLine(_LinePainter):
    """Stones of square pixels.

    The crossing of a cell of 4 × 2 lies between its characters: there the grid is drawn with the thin block at
    the left of a character and with underlines.
    """

    def grid(self, *, last: bool) -> tuple[list[str], list[Ink]]:
        glyphs, (width, height) = self.glyphs, self.cell
        if height == 2:
            self.seam, self.seam_over = "▕", (" ",)
            ink: Ink = ("seam" if last else "line", "board", False, last or self.line == 0)
            down: Ink = ("line", "board", False, last or self.line == 0)
            return [" ", " ", "▏", " "], [ink, ink, down, ink]
        self.seam, self.seam_over = glyphs.seam_down, (glyphs.across, " ")
        middle_x, middle_y = self.cell.middle
        pattern = [glyphs.across if self.line == middle_y else " "] * width
        pattern[middle_x] = glyphs.cross if self.line == middle_y else glyphs.down
        return pattern, [("seam" if last else "line", "board", False, last)] * width

    def point(self, point: int, start: int, background: str) -> None:
        picture = self.picture
        stone, owner = self.stone(point), self.owner(point)
        shade, certain = self.strength(point)
        if stone:
            self._disc(start, stone, background)
        spot = ""
        if point in picture.liberties and not stone:
            spot = "liberty"
        elif point in picture.dead or (owner and not stone):
            spot = owner
        elif stone and point == picture.last:
            spot = "last"
        label = picture.labels.get(point)
        if label is not None:
            ink = "last" if point == picture.last else _on(stone)
            self._label(start, label, self.under(stone, background), ink if stone else "label_mark")
        elif spot:
            self._spot(start, spot, self.under(stone, background))
        elif point in picture.marks:
            self._mark(start, picture.marks[point], background)
        elif certain:
            text = self.strengths(shade)[certain - 1][self.line]
            for place, character in enumerate(text, start + (self.cell.width - len(text)) // 2):
                self.put(place, character, shade, background)
        if point in picture.badges and self.line == 0:
            self.put(start + self.cell.width - 1, self.badge(point), "white", "refused", bold=True)

    def under(self, stone: str, background: str) -> str:
        """Name the shade that lies under what is drawn in the middle of a cell."""
        return stone or background

    def strengths(self, shade: str) -> tuple[tuple[str, ...], ...]:  # noqa: ARG002 (what shapes have to tell)
        """What stands for a strength, the least certain first."""
        return _STRENGTHS[self.cell.height]

    def _mark(self, start: int, kind: str, under: str) -> None:
        """Draw this line of a small square in the middle of the cell; crosses would run together."""
        ink = _MARKS[kind]
        if self.cell.height == 2:
            for place, character in enumerate(("▄▄", "▀▀")[self.line], start + 1):
                self.put(place, character, ink, under)
        elif self.line == 1:
            self.put(start + 2, "x", ink, under, bold=True)

    def _disc(self, start: int, stone: str, background: str) -> None:
        """Draw this line of a stone."""
        shades = {".": background, "a": stone, "b": stone, "c": stone}
        if stone == "black":
            shades["a"] = "black_shine"
        elif stone == "white":
            shades["c"] = "white_shade"
        disc = self.glyphs.pixels[self.cell.height]
        for place, (upper, lower) in enumerate(zip(disc[2 * self.line], disc[2 * self.line + 1], strict=True), start):
            self._pixels(place, shades[upper], shades[lower])

    def _pixels(self, place: int, upper: str, lower: str) -> None:
        if upper == lower:
            self.put(place, " ", upper, lower)
        else:
            self.put(place, "▀", upper, lower)

    def _spot(self, start: int, spot: str, under: str) -> None:
        """Draw this line of a small block in the middle of the cell."""
        if self.cell.height == 2:
            for place, character in enumerate(("▗▖", "▝▘")[self.line], start + 1):
                self.put(place, character, spot, under)
        elif self.line == 1:
            self.put(start + 2, "■", spot, under)

    def _label(self, start: int, label: str, under: str, ink: str) -> None:
        """Write one or more characters into the middle of the cell."""
        if self.line == self.cell.middle[1]:
            for place, character in enumerate(label[: self.cell.width - 1], start + self.cell.middle[0]):
                self.put(place, character, ink, under, bold=True)

    def bracket(self, start: int) -> None:
        """Colour the corners that the disc of a stone leaves free."""
        ring = RINGS[self.cell.height]
        for place, (upper, lower) in enumerate(zip(ring[2 * self.line], ring[2 * self.line + 1], strict=True), start):
            if (upper, lower) == (".", "."):
                continue
            _, background, _, _ = self.inks[place]
            character = self.characters[place]
            foreground = self.inks[place][0]
            top = foreground if character == "▀" else background
            bottom = background
            self._pixels(place, _CURSOR if upper == "x" else top, _CURSOR if lower == "x" else bottom)


class _ShapeLine(_PixelLine):
    """Black stones filled, White's hollow, drawn on the grid of :class:`_PixelLine`."""

    def under(self, stone: str, background: str) -> str:
        return stone if stone.startswith("black") else background

    def strengths(self, shade: str) -> tuple[tuple[str, ...], ...]:
        return (_STRENGTHS if shade.startswith("black") else _HOLLOW)[self.cell.height]

    def _disc(self, start: int, stone: str, background: str) -> None:
        figure = self.glyphs.figures[self.cell.height][not stone.startswith("black")]
        for place, character in enumerate(figure[self.line], start):
            self.put(place, character, stone, background)

    def _spot(self, start: int, spot: str, under: str) -> None:
        if spot == "white_area":
            text = _HOLLOW[self.cell.height][1][self.line]
        elif spot == "black_area":
            text = _STRENGTHS[self.cell.height][1][self.line]
        else:
            super()._spot(start, spot, under)
            return
        for place, character in enumerate(text, start + (self.cell.width - len(text)) // 2):
            self.put(place, character, spot, under)

    def _mark(self, start: int, kind: str, under: str) -> None:
        if self.line == self.cell.middle[1]:
            self.put(start + self.cell.middle[0], _SHAPED_MARKS[kind], _MARKS[kind], under, bold=True)

    def bracket(self, start: int) -> None:
        """Light the corners."""
        ring = RINGS[self.cell.height]
        for place, (upper, lower) in enumerate(zip(ring[2 * self.line], ring[2 * self.line + 1], strict=True), start):
            if (upper, lower) == (".", "."):
                continue
            character, (ink, background, _, _) = self.characters[place], self.inks[place]
            filled = character in "▀▄█▒"
            corner = "▀" if upper == "x" else "▄"
            if filled and character != corner and character in "▀▄":
                self.put(place, character, ink, _CURSOR)
            else:
                self.put(place, corner, _CURSOR, ink if filled else background)
