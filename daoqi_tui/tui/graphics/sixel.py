"""Write Sixel pictures (https://vt100.net/docs/vt3xx-gp/chapter14.html), and read a terminal's answers about them.

A Sixel picture replaces the characters it is painted over, until others are written there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np

ASK: Final = "\x1b[?1;1;0S\x1b[?2;4;0S\x1b[c"
"""Queries the maximum number of colours and size of a picture; the device attributes mark the end of the answers."""
ABILITY: Final = "4"
"""The number for Sixel pictures in a terminal's device attributes."""
_COLOURS: Final = 256
"""The number of colours of a picture where the terminal does not report it."""
_HEIGHT: Final = 6
"""The height of a sixel in pixels."""
_SHORT: Final = 3
"""The longest run of equal sixels that is written out; longer ones become a repeat count."""

ANSWER: Final = r"\x1b\[\?(?P<item>[12]);(?P<status>\d{1,3})(?P<values>(?:;\d{1,6}){0,2})S"


class Sixel(NamedTuple):
    """A terminal's limits for Sixel pictures; None where it has not reported them.

    Attributes:
        colours: the maximum number of colours of a picture.
        largest: the maximum width and height of a picture in pixels.
    """

    colours: int | None = None
    largest: tuple[int, int] | None = None

    @property
    def most(self) -> int:
        """The maximum number of colours of a picture, 256 if not reported."""
        return self.colours or _COLOURS

    def then(self, answer: Sixel) -> Sixel:
        """Return this merged with a later answer, which takes precedence."""
        return Sixel(answer.colours or self.colours, answer.largest or self.largest)


def read(match: re.Match[str]) -> Sixel:
    """Return the limit reported in a match of :data:`ANSWER`."""
    values = [int(value) for value in match["values"].split(";") if value]
    if match["status"] != "0":
        return Sixel()
    if match["item"] == "1":
        return Sixel(colours=values[0] if values and values[0] > 1 else None)
    return Sixel(largest=(values[0], values[1]) if len(values) == 2 and all(values) else None)


def is_remote(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal is on another machine, where a picture of hundreds of kilobytes takes long."""
    return bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))


def is_shared(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal is tmux or screen, which may write characters over pictures at any time."""
    name = environment.get("TERM", "")
    return bool(environment.get("TMUX") or environment.get("STY")) or name.startswith(("screen", "tmux"))


def encode(indices: np.ndarray[Any, np.dtype[np.uint8]], colours: np.ndarray[Any, np.dtype[np.uint8]]) -> str:
    """Encode a picture as a Sixel sequence.

    Args:
        indices: the colour of each pixel, of shape ``(height, width)``.
        colours: red, green and blue of each colour, from 0 to 255, shape ``(colours, 3)``.
    """
    import numpy as np  # noqa: PLC0415 (terminals without pictures need not wait for it)

    height, width = indices.shape
    bands = -(-height // _HEIGHT)
    used = np.zeros((bands, len(colours)), bool)
    rows = np.arange(height)
    used[(rows // _HEIGHT)[:, None], indices] = True
    # One line of sixels for each colour of a band: the bits are the six pixels of a column that have the colour.
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
    # The lines of a band are drawn over each other ("$" returns to its left edge); "-" goes on to the next band. After
    # the last one it is left out, since it could scroll the screen.
    last = np.append(band[1:] != band[:-1], False)
    pieces = _runs(sixels, last)
    data = b"".join(piece for head, line in zip(colour.tolist(), pieces, strict=True) for piece in (heads[head], line))
    return f'\x1bP0;1;0q"1;1;{width};{height}{palette}{data.decode("ascii")}\x1b\\'


def _runs(sixels: np.ndarray[Any, np.dtype[np.uint8]], last: np.ndarray[Any, np.dtype[np.bool_]]) -> list[bytes]:
    """Encode lines of sixels, longer runs of equal ones as repeat counts; ``last`` tells which lines end a band."""
    import numpy as np  # noqa: PLC0415

    count, width = sixels.shape
    begins = np.ones((count, width), bool)
    begins[:, 1:] = sixels[:, 1:] != sixels[:, :-1]
    line, start = np.nonzero(begins)
    value = sixels[line, start]
    end = np.empty_like(start)
    end[:-1] = np.where(line[1:] == line[:-1], start[1:], width)
    end[-1:] = width
    # Empty sixels at the end of a line need not be written.
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
