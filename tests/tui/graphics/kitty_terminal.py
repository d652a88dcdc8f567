"""A terminal that speaks the kitty graphics protocol as its specification has it, and shows what a person would see."""

from __future__ import annotations

import io
import re
from base64 import standard_b64decode
from typing import Any, TypeAlias

import numpy as np
from PIL import Image, ImageChops

Picture: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"

_SEQUENCES = re.compile(
    r"\x1b_G(?P<keys>[^;\x1b]*)(?:;(?P<data>[^\x1b]*))?\x1b\\|\x1b\[(?P<row>\d+);(?P<column>\d+)H|(?P<save>\x1b7)|(?P<restore>\x1b8)"
)


class KittyTerminal:
    """Reads sequences; asserts that the protocol has each, and that none asks for the impossible.

    Attributes:
        images: the pictures it holds, by their numbers.
        placements: by the numbers of picture and placement: source rectangle, place on the screen, level, size there.
        received: how many characters have come.
        transmitted: how many of them sent pictures.
        sent: how many pictures and parts of pictures have come.
    """

    def __init__(self, columns: int, rows: int, cell: tuple[int, int], *, edits: bool = True) -> None:
        self.cell = cell
        self.edits = edits
        self.size = columns * cell[0], rows * cell[1]
        self.images: dict[int, Picture] = {}
        self.placements: dict[
            tuple[int, int], tuple[tuple[int, int, int, int], tuple[int, int], int, tuple[int, int]]
        ] = {}
        self.received = self.transmitted = 0
        self._cursor = (0, 0)
        self._saved: tuple[int, int] | None = None
        self._parts: list[str] = []
        self._sending: dict[str, str] = {}

    def write(self, text: str) -> None:
        """Obey what a program writes."""
        self.received += len(text)
        at = 0
        for match in _SEQUENCES.finditer(text):
            assert match.start() == at, repr(text[at : match.start()][:80])
            at = match.end()
            if match["keys"] is not None:
                self._graphics(dict(pair.split("=") for pair in match["keys"].split(",")), match["data"] or "")
                if match["data"]:
                    self.transmitted += len(match[0])
            elif match["row"]:
                self._cursor = int(match["column"]) - 1, int(match["row"]) - 1
            elif match["save"]:
                self._saved = self._cursor
            else:
                assert self._saved is not None
                self._cursor, self._saved = self._saved, None
        assert at == len(text), repr(text[at : at + 80])
        assert self._saved is None, "the cursor was not put back"

    def _graphics(self, keys: dict[str, str], data: str) -> None:
        assert keys.get("q") == "2", "its answers would be read as keys"
        action = keys.get("a")
        assert len(data) <= 4096
        if data:
            first = self._sending or keys
            if keys is not first:
                same = ("a", "i", "r") if first["a"] == "f" else ()
                assert {key: keys[key] for key in keys if key not in "qm"} == {key: first[key] for key in same}
            self._sending = first
            self._parts.append(data)
            if keys["m"] == "0":
                self._receive(first, Image.open(io.BytesIO(standard_b64decode("".join(self._parts)))))
                self._parts, self._sending = [], {}
            return
        assert not self._sending, "a picture was not sent to its end"
        image = int(keys["i"])
        if action == "d" and keys["d"] == "I":
            # As kitty 0.26: with this picture go all that are not shown, which others may take for theirs.
            for key in [key for key in self.placements if key[0] == image]:
                del self.placements[key]
            shown = {number for number, _ in self.placements}
            self.images = {number: kept for number, kept in self.images.items() if number in shown}
            return
        assert image in self.images, f"picture {image} was never sent, or has been deleted"
        if action == "p":
            assert keys["C"] == "1", "the cursor would move"
            x, y, width, height = (int(keys.get(name, 0)) for name in "xywh")
            high, wide = self.images[image].shape[:2]
            assert 0 <= x < x + width <= wide
            assert 0 <= y < y + height <= high
            right, down = int(keys.get("X", 0)), int(keys.get("Y", 0))
            assert 0 <= right < self.cell[0]
            assert 0 <= down < self.cell[1]
            place = self._cursor[0] * self.cell[0] + right, self._cursor[1] * self.cell[1] + down
            shown = width, height
            if "c" in keys:
                shown = int(keys["c"]) * self.cell[0], int(keys["r"]) * self.cell[1]
                assert (right, down) == (0, 0), "scaled over whole characters"
            self.placements[image, int(keys["p"])] = (x, y, width, height), place, int(keys.get("z", 0)), shown
        elif action == "c":
            assert (keys["r"], keys["c"], keys["C"]) == ("1", "1", "1")
            x, y, width, height = (int(keys.get(name, 0)) for name in "xywh")
            target = self.images[image][y : y + height, x : x + width]
            assert target.shape == (height, width, 4), "outside the picture"
            assert x >= width or y >= height, "source and target may not overlap"
            target[:] = self.images[image][:height, :width]
        else:
            assert keys["d"] == "i"
            del self.placements[image, int(keys["p"])]

    def _receive(self, keys: dict[str, str], file: Image.Image) -> None:
        number, pixels = int(keys["i"]), np.array(file.convert("RGBA"))
        assert keys["f"] == "100"
        if keys["a"] == "t":
            assert number not in self.images
            self.images[number] = pixels
            return
        assert self.edits, "this terminal has no animations"
        assert (keys["a"], keys["r"]) == ("f", "1")
        x, y, (height, width) = int(keys["x"]), int(keys["y"]), pixels.shape[:2]
        part = self.images[number][y : y + height, x : x + width]
        assert part.shape == pixels.shape, "outside the picture"
        assert set(np.unique(pixels[:, :, 3])) <= {0, 255}
        part[pixels[:, :, 3] > 0] = pixels[pixels[:, :, 3] > 0]

    def screen(self, ground: tuple[int, int, int] = (0, 0, 0)) -> Picture:
        """What is seen of the pictures: red, green, blue, and whether there is any, ``(height, width, 4)``.

        Args:
            ground: the background of the characters below them.
        """
        width, height = self.size
        seen, covered = Image.new("RGB", self.size, ground), Image.new("L", self.size)
        ordered = sorted(self.placements.items(), key=lambda each: (each[1][2], each[0]))
        for (image, _), ((x, y, across, down), (left, top), _level, (wide, high)) in ordered:
            assert 0 <= left <= width - wide, "off the screen"
            assert 0 <= top <= height - high, "off the screen"
            part = self.images[image][y : y + down, x : x + across]
            if (across, down) != (wide, high):
                part = part[np.ix_(np.arange(high) * down // high, np.arange(wide) * across // wide)]
            shown = Image.fromarray(np.ascontiguousarray(part))
            share = shown.getchannel("A")
            seen.paste(shown.convert("RGB"), (left, top), share)
            covered.paste(ImageChops.lighter(share, covered.crop((left, top, left + wide, top + high))), (left, top))
        return np.dstack([seen, covered])
