"""Write Sixel pictures: https://vt100.net/docs/vt3xx-gp/chapter14.html, and read what a terminal says of them.

A Sixel picture takes the place of the characters it is painted over, until others are written there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np

ASK: Final = "\x1b[?1;1;0S\x1b[?2;4;0S\x1b[c"
"""Asks how many colours a picture may have, and how large it may be; what the terminal is ends the answers."""
ABILITY: Final = "4"
"""Stands for Sixel pictures where a terminal tells what it can do."""
_COLOURS: Final = 256
"""Of a picture where the terminal does not say."""
_HEIGHT: Final = 6
"""Pixels of a sixel, one above the other."""
_SHORT: Final = 3
"""As many alike are written one by one."""

ANSWER: Final = r"\x1b\[\?(?P<item>[12]);(?P<status>\d{1,3})(?P<values>(?:;\d{1,6}){0,2})S"


class Sixel(NamedTuple):
    """What Sixel pictures a terminal shows; None if it has not said.

    Attributes:
        colours: how many a picture may have.
        largest: the width and height of the largest picture.
    """

    colours: int | None = None
    largest: tuple[int, int] | None = None

    @property
    def most(self) -> int:
        """How many colours a picture may have."""
        return self.colours or _COLOURS

    def then(self, answer: Sixel) -> Sixel:
        """What is known after an answer more."""
        return Sixel(answer.colours or self.colours, answer.largest or self.largest)


def read(match: re.Match[str]) -> Sixel:
    """Return what an answer that is an :data:`ANSWER` says."""
    values = [int(value) for value in match["values"].split(";") if value]
    if match["status"] != "0":
        return Sixel()
    if match["item"] == "1":
        return Sixel(colours=values[0] if values and values[0] > 1 else None)
    return Sixel(largest=(values[0], values[1]) if len(values) == 2 and all(values) else None)


def is_remote(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal is on another machine: a whole picture has hundreds of kilobytes."""
    return bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))


def is_shared(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal is tmux or screen, which write characters over pictures as they like."""
    name = environment.get("TERM", "")
    return bool(environment.get("TMUX") or environment.get("STY")) or name.startswith(("screen", "tmux"))


def encode(indices: np.ndarray[Any, np.dtype[np.uint8]], colours: np.ndarray[Any, np.dtype[np.uint8]]) -> str:
    """Write a picture.

    Args:
        indices: the colour of each pixel, of shape ``(height, width)``.
        colours: red, green and blue of each colour.
    """
    import numpy as np  # noqa: PLC0415 (a terminal without pictures needs none of it)

    height, width = indices.shape
    bands = -(-height // _HEIGHT)
    used = np.zeros((bands, len(colours)), bool)
    rows = np.arange(height)
    used[(rows // _HEIGHT)[:, None], indices] = True
    # One line of sixels for each colour of a band: which of six pixels have it.
    band, colour = np.nonzero(used)
    line_of = np.zeros(used.shape, np.int32)
    line_of[band, colour] = np.arange(len(band))
    sixels = np.zeros((len(band), width), np.uint8)
    across = np.arange(width)
    for down in range(_HEIGHT):
        pixels = indices[down::_HEIGHT]
        lines = line_of[np.arange(len(pixels))[:, None], pixels]
        sixels[lines, across] |= np.uint8(1 << down)
    percent = np.rint(colours.astype(np.float32) * (100 / 255)).astype(int)
    palette = "".join("#{};2;{};{};{}".format(each, *percent[each]) for each in np.flatnonzero(used.any(axis=0)))
    heads = [f"#{each}".encode() for each in range(len(colours))]
    # A line of another colour begins at the same place again. Below the last band nothing begins: it would scroll.
    last = np.append(band[1:] != band[:-1], False)
    pieces = _runs(sixels, last)
    data = b"".join(piece for head, line in zip(colour.tolist(), pieces, strict=True) for piece in (heads[head], line))
    return f'\x1bP0;1;0q"1;1;{width};{height}{palette}{data.decode("ascii")}\x1b\\'


def _runs(sixels: np.ndarray[Any, np.dtype[np.uint8]], last: np.ndarray[Any, np.dtype[np.bool_]]) -> list[bytes]:
    """Write lines of sixels, runs of alike ones by their number; ``last`` tells which lines end a band."""
    import numpy as np  # noqa: PLC0415

    count, width = sixels.shape
    begins = np.ones((count, width), bool)
    begins[:, 1:] = sixels[:, 1:] != sixels[:, :-1]
    line, start = np.nonzero(begins)
    value = sixels[line, start]
    end = np.empty_like(start)
    end[:-1] = np.where(line[1:] == line[:-1], start[1:], width)
    end[-1:] = width
    # What is empty up to the end of the line need not be written.
    kept = (value > 0) | (end < width)
    line, value, length = line[kept], value[kept], (end - start)[kept]
    digits = np.where(length > 999, 4, np.where(length > 99, 3, np.where(length > 9, 2, 1)))
    size = np.where(length > _SHORT, digits + 2, length)
    place = np.cumsum(size) - size
    text = np.empty(int(size.sum()), np.uint8)
    text[:] = np.repeat(value + 63, size)
    long = length > _SHORT
    text[place[long]] = ord("!")
    for power in range(4):
        of = long & (digits > power)
        text[place[of] + digits[of] - power] = ord("0") + length[of] // 10**power % 10
    written = text.tobytes()
    sizes = np.bincount(line, weights=size, minlength=count).astype(int)
    ends = np.cumsum(sizes)
    return [
        written[until - many : until] + (b"-" if closes else b"$")
        for until, many, closes in zip(ends.tolist(), sizes.tolist(), last.tolist(), strict=True)
    ]
