"""Journals, read without the program's code."""

from __future__ import annotations

import json
from pathlib import Path
from zlib import crc32


def moves_in(path: Path) -> tuple[int, ...]:
    """Return the points of the moves from the start to the cursor; a last line that was cut off does not count."""
    parents, points, at = {0: 0}, {}, 0
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    for number, line in enumerate(lines):
        checksum, _space, body = line[:-1].partition(b" ")
        sequence, _space, entry = body.partition(b" ")
        assert (int(checksum, 16), int(sequence)) == (crc32(body), number), line
        told = json.loads(entry)
        # An edit has several entries, of which all or none are on the disk.
        for each in told[1] if told[0] == "edit" else [told]:
            match each:
                case ["move", node, parent, _colour, point]:
                    parents[node], points[node], at = parent, point, node
                case ["setup", node, parent, *_stones]:
                    parents[node], at = parent, node
                case ["at", node]:
                    at = node
    found = []
    while at:
        if at in points:
            found.append(points[at])
        at = parents[at]
    return tuple(reversed(found))
