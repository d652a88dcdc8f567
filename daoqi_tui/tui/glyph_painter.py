"""Draws stones as characters: one sign in the middle of a cell, or a figure of several."""

from __future__ import annotations

from daoqi_tui.tui.line_painter import CURSOR, MARKS, SHAPED_MARKS, Ink, LinePainter, on_stone


class GlyphLine(LinePainter):
    """One character a stone, in the middle of its cell."""

    def grid(self, *, last: bool) -> tuple[list[str], list[Ink]]:
        """One cell of empty grid."""
        glyphs, (width, _) = self.glyphs, self.cell
        middle_x, middle_y = self.cell.middle
        pattern = [glyphs.across if self.line == middle_y else " "] * width
        pattern[middle_x] = glyphs.cross if self.line == middle_y else glyphs.down
        self.seam, self.seam_over = glyphs.seam_down, (glyphs.across, " ")
        return pattern, [("line", "board", False, last)] * width

    def point(self, point: int, start: int, background: str) -> None:
        """Draw a point on this line."""
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
            sign = glyphs.breaker if glyphs.black == glyphs.white else SHAPED_MARKS[kind]
            self.put(place, sign, MARKS[kind], background, bold=True)
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
            ink = "last" if point == self.picture.last else on_stone(stone)
            background = stone
        number = f"{label[-2:]:<2}" if stone else label[-2:]
        for at, character in enumerate(number, place):
            self.put(at, character, ink, background, bold=True)

    def bracket(self, start: int) -> None:
        """Mark the point under the keyboard cursor."""
        middle_x, middle_y = self.cell.middle
        if self.line != middle_y:
            return
        label = self.picture.labels.get(self.picture.cursor or 0, "")
        if len(label) > 1 and label.isdecimal():
            # Brackets would hide half of the number.
            for place in (start + middle_x, start + middle_x + 1):
                ink = self.inks[place % len(self.inks)][0]
                self.put(place, self.characters[place % len(self.characters)], ink, CURSOR, bold=True)
        elif len(self.glyphs.black) > 1:
            self._frame_tile(start)
        elif self.cell.height in self.glyphs.figures:
            for place, character in ((start - 1, "["), (start + self.cell.width // 4 * 2 + 1, "]")):
                self.put(place, character, CURSOR, self.inks[place % len(self.inks)][1], bold=True)
        else:
            for place, character in ((start + middle_x - 1, "["), (start + middle_x + 1, "]")):
                self.put(place, character, CURSOR, self.inks[place % len(self.inks)][1], bold=True)

    def _frame_tile(self, start: int) -> None:
        """Mark a cell that a stone fills: brackets would stand on the stones beside it."""
        if self.glyphs.black != self.glyphs.white:
            self.put(start, "[", CURSOR, self.inks[start][1], bold=True)
            return
        for place, half in ((start, "▐"), (start + 1, "▌")):
            character, ink = self.characters[place], self.inks[place][0]
            self.put(place, half if character == "█" else character, ink, CURSOR)
