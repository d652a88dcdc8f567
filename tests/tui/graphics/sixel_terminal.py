"""A terminal that shows Sixel pictures as the manual of the VT340 has it, and characters over them."""

from __future__ import annotations

import re
from collections import deque
from typing import Any, TypeAlias

import numpy as np

Picture: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"

_SEQUENCES = re.compile(
    r"\x1bP0;1;0q\"1;1;(?P<width>\d+);(?P<height>\d+)(?P<data>[^\x1b]*)\x1b\\"
    r"|\x1b\[(?P<row>\d+);(?P<column>\d+)H|(?P<save>\x1b7)|(?P<restore>\x1b8)"
)
_COLOURS = re.compile(r"(?:#\d+;2;\d+;\d+;\d+)*")
_LINE = re.compile(r"(?:#\d+(?:!\d+[?-~]|[?-~])+)*")
"""What is painted at one go from the left edge of six rows: colours, each with columns of six pixels."""
_RUN = re.compile(r"!(\d+)(.)")


def decode(width: int, height: int, data: str) -> Picture:
    """Read a picture: red, green, blue, and whether anything was painted."""
    defined = _COLOURS.match(data)
    assert defined
    known = np.zeros((256, 4), np.uint8)
    for each in defined[0].split("#")[1:]:
        number, _rgb, *parts = map(int, each.split(";"))
        known[number] = *(round(part * 255 / 100) for part in parts), 255
    # The colour of each pixel counted from 1, six rows at a time.
    bands = data[defined.end() :].split("-")
    seen = np.zeros((len(bands), 6, width), np.uint16)
    for band, text in zip(seen, bands, strict=True):
        for line in text.split("$"):
            assert _LINE.fullmatch(line), line[:80]
            x = 0
            for each in line.split("#")[1:]:
                colour = int(each[: len(each) - len(each.lstrip("0123456789"))])
                signs = _RUN.sub(lambda run: run[2] * int(run[1]), each.lstrip("0123456789"))
                assert x + len(signs) <= width, "beyond the right edge"
                painted = np.frombuffer(signs.encode(), np.uint8) - 63 >> np.arange(6)[:, None] & 1 > 0
                area = band[:, x : x + len(signs)]
                assert not area[painted].any(), "painted twice"
                assert known[colour, 3], "a colour nobody defined"
                area[painted] = colour + 1
                x += len(signs)
    found = np.concatenate((np.zeros((1, 4), np.uint8), known))[seen.reshape(-1, width)]
    assert not found[height:].any(), "below the foot"
    return found[:height]


MOST = 16
"""How many pictures xterm keeps: it drops the oldest of more."""


class SixelTerminal:
    """Reads sequences, and asserts that they paint where a terminal may be painted.

    Attributes:
        received: how many characters have come.
        pictures: how many pictures have come.
        colours: the most colours that one had.
    """

    def __init__(self, columns: int, rows: int, cell: tuple[int, int], largest: tuple[int, int] | None = None) -> None:
        self.cell = cell
        self.size = columns, rows
        self.largest = largest
        self._kept: deque[tuple[int, int, Picture]] = deque(maxlen=MOST)
        self.received = self.pictures = self.colours = 0
        self._cursor = (0, 0)
        self._saved: tuple[int, int] | None = None

    def write(self, text: str) -> None:
        """Obey what a program writes."""
        self.received += len(text)
        at = 0
        for match in _SEQUENCES.finditer(text):
            assert match.start() == at, repr(text[at : at + 80])
            at = match.end()
            if match["width"]:
                self._paint(int(match["width"]), int(match["height"]), match["data"])
            elif match["row"]:
                self._cursor = int(match["row"]) - 1, int(match["column"]) - 1
            elif match["save"]:
                self._saved = self._cursor
            else:
                assert self._saved is not None
                self._cursor, self._saved = self._saved, None
        assert at == len(text), repr(text[at : at + 80])
        assert self._saved is None, "the cursor was not put back"

    def _paint(self, width: int, height: int, data: str) -> None:
        self.pictures += 1
        self.colours = max(self.colours, len(re.findall(r"#\d+;2;", data)))
        assert self.largest is None or (width <= self.largest[0] and height <= self.largest[1])
        top, left = self._cursor[0] * self.cell[1], self._cursor[1] * self.cell[0]
        assert top + height <= (self.size[1] - 1) * self.cell[1], "on the last line it would scroll"
        assert left + width <= self.size[0] * self.cell[0], "off the screen"
        self._kept.append((left, top, decode(width, height, data)))

    @property
    def seen(self) -> Picture:
        """The pixels of pictures, the last of each whether there is one."""
        found = np.zeros((self.size[1] * self.cell[1], self.size[0] * self.cell[0], 4), np.uint8)
        for left, top, picture in self._kept:
            area = found[top : top + picture.shape[0], left : left + picture.shape[1]]
            shown = picture[: area.shape[0], : area.shape[1]]
            area[shown[:, :, 3] > 0] = shown[shown[:, :, 3] > 0]
        return found

    def characters(self, x: int, y: int, width: int, height: int) -> None:
        """Show characters: of the pictures nothing is left there."""
        across, down = self.cell
        for left, top, picture in self._kept:
            rows, columns = (
                slice(max(0, place * length - corner), max(0, (place + count) * length - corner))
                for place, count, length, corner in ((y, height, down, top), (x, width, across, left))
            )
            picture[rows, columns] = 0
