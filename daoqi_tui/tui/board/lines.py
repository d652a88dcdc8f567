"""The lines of a window over the endless board, cached by their appearance.

One period of a line is painted once, as characters and inks, and composed into the line of the window once for each
horizontal offset. Both are cached by the appearance of the board row, so that they are reused when a row looks the same
again.

In small cells a point is one sign. In larger ones stones are shapes of several characters where colours distinguish
black from white, otherwise figures or single signs (see :class:`~daoqi_tui.tui.look.Glyphs`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from daoqi_tui.engine import BLACK, EMPTY, STYLES, WHITE, torus_of
from daoqi_tui.engine import Style as NameStyle
from daoqi_tui.pictures.palettes import GRADES, KAYA, Palette
from daoqi_tui.pictures.picture import Chip, Picture, with_link_signs
from daoqi_tui.tui.board.viewport import CELLS, UPRIGHT, Cell, Viewport, turned
from daoqi_tui.tui.look import CUT, DISCS, Glyphs, Shape, plain_style
from daoqi_tui.tui.output import style_of

Ink: TypeAlias = tuple[str, str, bool, bool]

CURSOR: Final = "cursor"
MARKS: Final = {"black": "black", "white": "white", "both": "label_mark"}
SHAPED_MARKS: Final = {"black": "x", "white": "o", "both": "*"}
"""The sign of each kind of mark where colours do not distinguish the players."""
_STONES: Final = {
    (EMPTY, False): "",
    (BLACK, True): "black",
    (WHITE, True): "white",
    (BLACK, False): "black_ghost",
    (WHITE, False): "white_ghost",
}
"""The ink of a stone by its colour and whether it has been played."""
_CORNERS: Final = "▗▖▝▘▐▌"
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
            background = "refused" if point == picture.refused else "chain" if point in picture.chain else "board"
            stone = _STONES[picture.stone_at(point)]
            if background != "board":
                for place in range(start, start + self.cell.width):
                    foreground, _, bold, underline = self.inks[place]
                    self.inks[place] = (foreground, background, bold, underline)
            self.point(point, start, background, stone)
            if not stone and (chip := picture.chips.get(point)) is not None:
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

    def point(self, point: int, start: int, background: str, stone: str) -> None:
        """Draw this line of a point, whose cell begins at ``start``, with its stone, if any: the name of its shade."""
        raise NotImplementedError

    def bracket(self, start: int) -> None:
        raise NotImplementedError

    def put(self, place: int, signs: str, foreground: str, background: str, bold: bool = False) -> None:
        """Draw characters, one after another; places wrap."""
        for at, sign in enumerate(signs, place):
            self.characters[at % len(self.characters)] = sign
            self.inks[at % len(self.characters)] = (foreground, background, bold, False)

    def write(self, place: int, text: str, foreground: str, background: str, bold: bool = True) -> None:
        """Write text that stays readable under the cursor."""
        self.put(place, text, foreground, background, bold)
        self.written.update(at % len(self.characters) for at in range(place, place + len(text)))

    def tint(self, place: int) -> None:
        self.put(place, self.characters[place], "on_cursor", CURSOR, bold=True)

    def plate(self, place: int, text: str) -> None:
        """Write a label on an empty point, on a ground of its own: letters are lost among the lines of the grid."""
        self.write(place, text, "on_label", "label_mark")
        if len(text) == 1 and self.cell.width > CELLS[0].width and self.glyphs.blocks:
            for side, half in ((place - 1, "▐"), (place + 1, "▌")):
                self.put(side, half, "label_mark", self.inks[side % len(self.inks)][1])

    def on_stone(self, place: int, text: str, point: int, stone: str) -> None:
        """Write text on the ground of a stone."""
        ink = "last" if point == self.picture.last else "white_fill" if stone.startswith("black") else "black"
        if point in self.picture.mistakes:
            ink = GRADES[self.picture.mistakes[point].grade]
        ground = _FILL.get(stone, stone)
        # In the smallest cells two digits run into those of the next stone.
        alternates = self.cell == CELLS[0] and text.isdecimal() and place // self.cell.width % 2 == 1
        if alternates and stone in {"black", "white"} and ink != "last":
            ground = f"{stone}_beside"
        self.write(place, text, ink, ground, bold=not alternates)

    def chip(self, chip: Chip, start: int) -> None:
        """Write the analysis of a move on its cell, on the colour of its grade.

        A cell of one line shows the rank beside the grid: two digits would run into those of a neighbour.
        """
        width, height = self.cell
        row = chip.rows[self.line] if self.line < len(chip.rows) else ""
        text = chip.sign if height == 1 else f"{row:^{width}}"
        self.write(start, text, "graded", GRADES[chip.grade], bold=self.line == 0)

    def strength(self, point: int) -> tuple[str, int]:
        """Return the name of the shade of a point's likely owner, and its certainty: 1 to 3, 0 for nobody's."""
        value = self.picture.strength_at(point)
        side, level = "black" if value > 0 else "white", abs(value)
        return (f"{side}_{('faint', 'fair', 'area')[level - 1]}", level) if level else ("", 0)

    def badge(self, point: int) -> str:
        return self.glyphs.atari if self.picture.badges[point] == "atari" else self.glyphs.ladder

    def owner(self, point: int) -> str:
        """Return the name of the shade of the player for whom a point counts; empty if nobody's."""
        owner = self.picture.owner_at(point)
        return "" if owner == EMPTY else "black_area" if owner == BLACK else "white_area"


def fitted(label: str, room: int) -> str:
    """Return as much of a label as fits: of a number, its last digits."""
    return label[-room:] if label.isdecimal() else label[:room]


class GlyphLine(LinePainter):
    """Stones as one sign in the middle of the cell, or as figures."""

    def grid(self, *, last: bool) -> tuple[list[str], list[Ink]]:
        glyphs, (width, _) = self.glyphs, self.cell
        middle_x, middle_y = self.cell.middle
        pattern = [glyphs.across if self.line == middle_y else " "] * width
        pattern[middle_x] = glyphs.cross if self.line == middle_y else glyphs.down
        self.seam = {" ": glyphs.seam_down, glyphs.across: glyphs.seam_cross}
        below = last and self.cell.height > 1
        return pattern, [("seam" if below else "line", "board", False, last)] * width

    def point(self, point: int, start: int, background: str, stone: str) -> None:
        middle_x, middle_y = self.cell.middle
        picture, glyphs = self.picture, self.glyphs
        figure = self._figure(stone)
        # A dead stone is as pale as one that is not on the board.
        ink = _STONES[picture.stones[point], False] if stone and point in picture.dead else stone
        if figure:
            self._draw(figure, start, ink, background)
        if self.line != middle_y:
            return
        place = start + middle_x
        if stone:
            self._marked(place, point, ink, background, figure)
            return
        owner = self.owner(point) if picture.owners is not None or picture.dead else ""
        shade, certain = self.strength(point) if picture.strength is not None else ("", 0)
        if point in picture.labels:
            text = fitted(self._label(point), min(3, self.cell.width))
            self.plate(place - (len(text) == 3), text)
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

    def _marked(self, place: int, point: int, stone: str, background: str, figure: tuple[str, ...]) -> None:
        """Draw the middle line of a stone with what marks it; it takes the places of an unmarked stone."""
        picture, glyphs, black = self.picture, self.glyphs, stone.startswith("black")
        sign = glyphs.black if black else glyphs.white
        tile = len(sign) > 1
        ground = _FILL.get(stone, stone)
        if not figure and (tile or point not in picture.dead):
            self._sign(place, sign, stone, background)
        if point in picture.labels:
            text = fitted(self._label(point), min(3, self.cell.width))
            start = place - (len(text) == 3)
            if figure:
                room = len(figure[self.line].rstrip("."))
                if not glyphs.blocks:
                    # An O beside a number would be read as a digit.
                    text = text.center(3)
                start = place - self.cell.middle[0] + (room - len(text) + 1) // 2
            self.on_stone(start, text, point, stone)
        elif point in picture.dead:
            dead = glyphs.dead if black else glyphs.white_dead or glyphs.dead
            if tile:
                self.put(place, dead, "white_fill" if black else "black", ground, bold=True)
            else:
                self.put(place, dead, "black" if black else "white", background, bold=True)
        elif point == picture.last:
            last = glyphs.black_last if black else glyphs.white_last
            if tile:
                self.put(place + (not figure), last[-1], "last", ground)
            else:
                self._sign(place, last, stone, background)
        if point in picture.mistakes and point not in picture.labels and point not in picture.dead:
            mistake = picture.mistakes[point]
            sign, ink = glyphs.mistakes[mistake.punished], GRADES[mistake.grade]
            if figure or tile:
                self.put(place + (not figure), sign, ink, ground, bold=True)
            else:
                self.put(place + 1, sign, ink, background, bold=True)
        if point in picture.badges:
            beside = place + 1 if not figure else place - self.cell.middle[0] + self.cell.width - 1
            self.write(beside, self.badge(point), "on_refused", "refused")

    def _sign(self, place: int, sign: str, ink: str, background: str) -> None:
        self.put(place, sign, ink, background, bold=not self.glyphs.blocks)

    def _figure(self, stone: str) -> tuple[str, ...]:
        """Return the lines of a stone that is drawn as a figure; empty if there is none."""
        if not stone or self.cell.height not in self.glyphs.figures:
            return ()
        return self.glyphs.figures[self.cell.height][not stone.startswith("black")]

    def _draw(self, figure: tuple[str, ...], start: int, ink: str, background: str) -> None:
        if self.line < len(figure):
            for place, character in enumerate(figure[self.line], start):
                if character != ".":
                    self.put(place, character, ink, background, bold=not self.glyphs.blocks)

    def _label(self, point: int) -> str:
        label = self.picture.labels[point]
        return self.glyphs.labels.get(label, label)

    def bracket(self, start: int) -> None:
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

    def point(self, point: int, start: int, background: str, stone: str) -> None:
        picture = self.picture
        owner = self.owner(point) if picture.owners is not None or picture.dead else ""
        shade, certain = self.strength(point) if picture.strength is not None else ("", 0)
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
            self._label(start, label, point, stone)
        elif point == picture.refused and not stone:
            self._cross(start, background)
        elif stone and point in picture.mistakes and point not in picture.dead:
            mistake = picture.mistakes[point]
            self._spot_on_stone(start, GRADES[mistake.grade], stone, large=mistake.punished and point != picture.last)
        elif spot and stone:
            self._spot_on_stone(start, spot, stone)
        elif spot:
            self._spot(start, spot, background)
        elif point in picture.marks and not stone:
            self._mark(start, picture.marks[point], background)
        elif certain:
            text = _STRENGTHS[self.cell.height][certain - 1][self.line]
            self.put(start + (self.cell.width - len(text)) // 2, text, shade, background)
        if point in picture.badges:
            self._warn(start, point)

    @property
    def _shape(self) -> Shape:
        return self.glyphs.shapes[self.cell.height]

    def _warn(self, start: int, point: int) -> None:
        """Draw the badge of a stone beside it, or inside where its shape takes the whole cell."""
        place = start + self.cell.width - 1
        if self._shape[0][self.cell.width - 1 :].strip():
            if self.line == self.cell.middle[1]:
                place = start + self._inside[-1]
                if place not in self.written:
                    self.write(place, self.badge(point), "on_refused", "refused")
                else:
                    # A number that leaves no room for the badge is written in its colours.
                    for at in self._inside:
                        self.put(start + at, self.characters[start + at], "on_refused", "refused", bold=True)
        elif self.line == 0:
            self.write(place, self.badge(point), "on_refused", "refused")

    def _mark(self, start: int, kind: str, under: str) -> None:
        """Draw this line of a mark: in cells of two lines a small square, since crosses would run together."""
        ink = MARKS[kind]
        if self.cell.height == 2:
            self.put(start + 1, ("▄▄", "▀▀")[self.line], ink, under)
        elif self.line == 1:
            self.put(start + 2, "x", ink, under, bold=True)

    def _stone(self, start: int, stone: str, background: str) -> None:
        shape = self._shape
        last = len(shape[-1].rstrip()) - 1
        for place, character in enumerate(shape[self.line]):
            ink = stone
            # On a stone of two lines, light and shade would be as large as a corner, and look like one that is missing.
            if len(shape) > 2:
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
        if self.line == self.cell.middle[1]:
            sign = self.glyphs.dead * (2 if self.cell.height == 2 else 1)
            self.put(start + self.cell.middle[0], sign, "on_refused", under, bold=True)

    def _spot(self, start: int, spot: str, under: str) -> None:
        if self.cell.height == 2:
            self.put(start + 1, ("▗▖", "▝▘")[self.line], spot, under)
        elif self.line == 1:
            self.put(start + 2, "■", spot, under)

    def _spot_on_stone(self, start: int, spot: str, stone: str, *, large: bool = False) -> None:
        if self.line != self.cell.middle[1]:
            return
        inside = self._inside
        text = "■" if self.cell.height > 2 else "▄" if len(inside) % 2 else "▗▖"
        if large:
            text = "▐█▌" if self.cell.height > 2 else "▄" * len(inside)
        self.put(start + inside.start + (len(inside) - len(text)) // 2, text, spot, stone)

    @property
    def _inside(self) -> range:
        """The places in the line with the middle of a stone where its outline does not depend on the character."""
        line = self._shape[self.cell.middle[1]]
        return range(line.index("█"), line.rindex("█") + 1)

    def _label(self, start: int, label: str, point: int, stone: str) -> None:
        if self.line != self.cell.middle[1]:
            return
        if stone:
            inside = self._inside
            text = fitted(label, min(3, len(inside)))
            self.on_stone(start + inside.start + (len(inside) - len(text)) // 2, text, point, stone)
        else:
            text = fitted(label, 3)
            self.plate(start + self.cell.middle[0] - (len(text) - 1) // 2, text)

    def bracket(self, start: int) -> None:
        shape = self._shape
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


GUTTER: Final = 3
HEADER: Final = 1
_MOST_STRIPS: Final = 2400
_GRID: Final = ("line", "seam")
_LABELS: Final = -1
_NOTHING: Final = -2
"""Used in place of a board row for lines of the window that show the column labels, or nothing."""


class BoardLines:
    """The lines of a window with their labels, as strips.

    Attributes:
        viewport: the window.
        shown: the picture in the orientation of the view.
        palette, glyphs, names: the colours, characters and notation of points; call :meth:`forget_styles` after a
            change.
    """

    def __init__(self, picture: Picture, viewport: Viewport) -> None:
        self.palette: Palette = KAYA
        self.glyphs: Glyphs = DISCS
        self.names: NameStyle = STYLES[0]
        self.shown = self._written = picture
        self._signatures = picture.row_signatures()
        self._lines: dict[tuple[Hashable, int], PaintedLine] = {}
        self._bodies: dict[tuple[Hashable, int, bool, int], list[Segment]] = {}
        """The lines of the window without the names of their rows."""
        self._strips: dict[tuple[Hashable, int, bool, int], Strip] = {}
        self.move_to(viewport)
        self.forget_styles()

    def move_to(self, viewport: Viewport) -> None:
        """Show another part of the board; call :meth:`forget` after any change but a pan."""
        self.viewport = viewport
        # Stored, since each line needs them.
        self._shown_rows, self._bright_rows = viewport.shown_rows, viewport.bright_rows
        self._shown_columns, self._bright_columns = viewport.shown_columns, viewport.bright_columns
        self._middle = viewport.cell.middle[1]

    def show(self, picture: Picture) -> list[int]:
        """Show another picture in the orientation of the view; return the lines of the window that have changed.

        The column labels are not counted.
        """
        known, orientation = self._signatures, self.viewport.orientation
        self.shown = picture if orientation == UPRIGHT else turned(picture, orientation)
        self._written = with_link_signs(self.shown) if self.shown.links else self.shown
        self._signatures = self._written.row_signatures()
        if len(known) != len(self._signatures):
            return list(range(self.viewport.height))
        rows = {row for row, pair in enumerate(zip(self._signatures, known, strict=True)) if pair[0] != pair[1]}
        return [y for y in range(self.viewport.height) if self.viewport.row_at(y)[0] in rows]

    def forget(self) -> None:
        self._lines.clear()
        self._bodies.clear()
        self._strips.clear()
        self._row_labels: list[str] = []

    def forget_styles(self) -> None:
        """Redraw every line, in other colours or characters."""
        self.forget()
        self._styles: dict[tuple[bool, Ink], Style] = {}
        palette = self.palette
        if palette.plain:
            self._frame = plain_style("label", "board", False, False, True)
            self._label_styles = tuple(plain_style("label", "board", False, False, bright) for bright in (False, True))
        else:
            self._frame = style_of(palette.dim.label, palette.frame)
            self._label_styles = self._frame, style_of(palette.bright.label, palette.frame)

    def strip(self, y: int) -> Strip:
        """Return line ``y`` of the widget; the column labels are the first."""
        viewport = self.viewport
        y -= HEADER
        row, line, bright = _LABELS, 0, False
        if y >= 0:
            row, line = viewport.row_at(y)
            bright = y in self._bright_rows
            if y not in self._shown_rows:
                row, line = _NOTHING, 0
        key = (self._signatures[row] if row >= 0 else row, line, bright, viewport.x)
        strip = self._strips.get(key)
        if strip is None:
            if len(self._strips) >= _MOST_STRIPS:
                self.forget()
            strip = self._strips[key] = self._compose_line(row, line, bright)
        return strip

    def _compose_line(self, row: int, line: int, bright: bool) -> Strip:
        """Compose a line of the widget from the label, the copies and the bright period."""
        viewport, frame = self.viewport, self._frame
        width = viewport.width
        if row == _NOTHING:
            return Strip([Segment(" " * (width + GUTTER), frame)], width + GUTTER)
        if not self._row_labels:
            self._row_labels = [
                f"{self.label_of(each, 0, across=False):>{GUTTER - 1}} " for each in range(viewport.size)
            ]
        label = self._row_labels[row] if row >= 0 and line == self._middle else " " * GUTTER
        segments = [Segment(label, self._label_styles[bright])]
        if row == _LABELS:
            return Strip(segments + self._column_labels(), width + GUTTER)
        signature = self._signatures[row]
        # Of rows without marks only the names differ, except for the last one, which is above the seam.
        alike = signature if signature[-1] or row == viewport.size - 1 else signature[1:]
        key = (alike, line, bright, viewport.x)
        body = self._bodies.get(key)
        if body is None:
            painted = self._lines.get((alike, line))
            if painted is None:
                painted = self._lines[alike, line] = paint(self._written, viewport.cell, self.glyphs, row, line)
            body = self._bodies[key] = []
            shown, middle = self._shown_columns, self._bright_columns
            if shown.start:
                body.append(Segment(" " * shown.start, frame))
            if bright:
                body += self._run(painted, shown.start, middle.start, False)
                body += self._run(painted, middle.start, middle.stop, True)
                body += self._run(painted, middle.stop, shown.stop, False)
            else:
                body += self._run(painted, shown.start, shown.stop, False)
            if shown.stop < width:
                body.append(Segment(" " * (width - shown.stop), frame))
        return Strip(segments + body, width + GUTTER)

    def _run(self, painted: PaintedLine, start: int, end: int, bright: bool) -> Iterable[Segment]:
        """Yield segments for the window columns from ``start`` to ``end``, joining characters of the same ink."""
        characters, inks = painted
        styles = self._styles
        period = len(characters)
        # Without colours, the copies differ by showing only the crossings of the grid.
        hidden = self.palette.plain and not bright
        cross = self.glyphs.cross
        first = (self.viewport.x + start) % period
        last = first + end - start
        turns = last // period + 1
        characters, inks = characters * turns, inks * turns
        for ink, run in groupby(range(first, last), inks.__getitem__):
            places = list(run)
            text = "".join(characters[places[0] : places[-1] + 1])
            if hidden and ink[0] in _GRID:
                text = "".join([character if character == cross else " " for character in text])
            style = styles.get((bright, ink))
            if style is None:
                style = styles[bright, ink] = self._style(bright, ink)
            yield Segment(text, style)

    def _style(self, bright: bool, ink: Ink) -> Style:
        foreground, background, bold, underline = ink
        if self.palette.plain:
            return plain_style(foreground, background, bold, underline, bright)
        shades = self.palette.bright if bright else self.palette.dim
        written, ground = getattr(shades, foreground), getattr(shades, background)
        if written == ground:
            # In sixteen colours a white ring has the same colour as the ground of a refused play.
            written = shades.on_refused
        return style_of(written, ground, bold, underline)

    def label_of(self, row: int, column: int, *, across: bool) -> str:
        """Return the letter or number of a shown column (``across``), or of a shown row."""
        size, orientation = self.shown.size, self.viewport.orientation
        torus = torus_of(size)
        name = torus.name(torus.point(*orientation.board(size, row, column)), self.names)
        return name[0] if across != orientation.swapped else name[1:]

    def _column_labels(self) -> list[Segment]:
        viewport = self.viewport
        bright, shown, cell = self._bright_columns, self._shown_columns, viewport.cell
        labels = [self.label_of(0, column, across=True) for column in range(viewport.size)]
        if cell.width == CELLS[0].width and any(len(label) > 1 for label in labels):
            # Numbers of two digits would run together, so only every other one is shown.
            labels = ["" if label.isdecimal() and int(label) % 2 else label for label in labels]
        segments = []
        for in_bright, run in groupby(range(viewport.width), bright.__contains__):
            letters = []
            for x in run:
                column, place = viewport.column_at(x)
                letter = labels[column][place - cell.middle[0] :][:1] if place >= cell.middle[0] else ""
                letters.append(letter if letter and x in shown else " ")
            segments.append(Segment("".join(letters), self._label_styles[in_bright]))
        return segments
