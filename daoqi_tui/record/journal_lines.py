"""The lines of a journal: a checksum, a running number and an entry, so that what is sound can be told.

    3f2a90c1 17 ["move",12,11,1,136]

The checksum (CRC-32, which finds every burst of up to 32 wrong bits) covers the rest of the line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final
from zlib import crc32

from daoqi_tui.record.journal_entries import Entry
from daoqi_tui.record.journal_json import UnknownEntry, decode_entry, encode_entry

LONGEST_LINE: Final = 32 * 2**20
"""Bytes; a node's comment is the longest thing a line holds, and no record over 16 MB is read."""
_MOST_UNSOUND: Final = 64 * 2**20
"""Bytes without a sound line after which the rest of a file is not looked at."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a journal.

    Attributes:
        place: counted from 1.
        sequence: its running number, counted from 0; -1 when the line is unsound.
        entry: what it says, None when the line is unsound or of an unknown kind.
        end: the offset in bytes just behind it.
    """

    place: int
    sequence: int
    entry: Entry | None
    end: int

    @property
    def sound(self) -> bool:
        """Whether the line is as it was written."""
        return self.sequence >= 0


def encode_line(sequence: int, entry: Entry) -> bytes:
    """The bytes of a line, its end included."""
    body = b"%d %s" % (sequence, encode_entry(entry))
    return b"%08x %s\n" % (crc32(body), body)


def read_lines(file: BinaryIO) -> Iterator[Line]:
    """Every line of a file, sound or not; a file that is no journal at all soon ends it."""
    end = unsound = place = 0
    while data := file.readline(LONGEST_LINE):
        end += len(data)
        place += 1
        sequence, entry = _decode_line(data)
        yield Line(place, sequence, entry, end)
        unsound = unsound + len(data) if sequence < 0 else 0
        if unsound > _MOST_UNSOUND:
            return


def _decode_line(data: bytes) -> tuple[int, Entry | None]:
    """The running number, -1 for an unsound line, and the entry."""
    checksum, _, body = data[:-1].partition(b" ")
    if data[-1:] != b"\n" or checksum != b"%08x" % crc32(body):
        return -1, None
    digits, _, payload = body.partition(b" ")
    if not digits.isdigit() or len(digits) > 15:
        return -1, None
    try:
        return int(digits), decode_entry(payload)
    except UnknownEntry:
        return int(digits), None
    except ValueError:
        return -1, None
