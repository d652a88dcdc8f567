"""Draws stones of square pixels, two to a character, or as figures of block characters on the same grid."""

from __future__ import annotations

from typing import Final

from daoqi_tui.tui.line_painter import CURSOR, MARKS, SHAPED_MARKS, Ink, LinePainter, on_stone
from daoqi_tui.tui.pixels import RINGS

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


class PixelLine(LinePainter):
    """Stones of square pixels.

    The crossing of a cell of 4 × 2 lies between its characters: there the grid is drawn with the thin block at
    the left of a character and with underlines.
    """

    def grid(self, *, last: bool) -> tuple[list[str], list[Ink]]:
        """One cell of empty grid."""
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
        """Draw a point on this line."""
        picture = self.picture
        stone, owner = self.stone(point), self.owner(point)
        shade, certain = self.strength(point)
        if stone:
            self._disc(start, stone, background)
        spot = ""
        if point in picture.liberties and not stone:
            spot = "liberty"
        elif owner and not stone:
            spot = owner
        elif stone and point in picture.dead:
            # Its captor's, also where the ground it stands on is nobody's.
            spot = owner or ("white_area" if stone.startswith("black") else "black_area")
        elif stone and point == picture.last:
            spot = "last"
        label = picture.labels.get(point)
        if label is not None:
            ink = "last" if point == picture.last else on_stone(stone)
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
        ink = MARKS[kind]
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
            self._pixels(place, CURSOR if upper == "x" else top, CURSOR if lower == "x" else bottom)


class ShapeLine(PixelLine):
    """Black stones filled, White's hollow, drawn on the grid of :class:`PixelLine`."""

    def under(self, stone: str, background: str) -> str:
        """Only black stones are filled."""
        return stone if stone.startswith("black") else background

    def strengths(self, shade: str) -> tuple[tuple[str, ...], ...]:
        """White's are hollow."""
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
            self.put(start + self.cell.middle[0], SHAPED_MARKS[kind], MARKS[kind], under, bold=True)

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
                self.put(place, character, ink, CURSOR)
            else:
                self.put(place, corner, CURSOR, ink if filled else background)
