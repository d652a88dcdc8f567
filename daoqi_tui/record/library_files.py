"""The folder of a library: what is in it, and how files get names there without treading on each other."""

from __future__ import annotations

import os
from pathlib import Path

from daoqi_tui.record.library_names import SUFFIX, numbered


def scan(folder: Path) -> dict[str, tuple[int, int]]:
    """Time of change in nanoseconds and size in bytes of each record in ``folder``, by file name.

    Empty files are passed over: they are names that are only reserved.

    Raises:
        OSError: the folder cannot be read.
    """
    found = {}
    with os.scandir(folder) as places:
        for place in places:
            if place.name.lower().endswith(SUFFIX) and not place.name.startswith("."):
                try:
                    status = place.stat()
                    if place.is_file() and status.st_size:
                        found[place.name] = (status.st_mtime_ns, status.st_size)
                except OSError:
                    continue  # Removed this moment, or a link that leads nowhere.
    return found


def reserve(folder: Path, stem: str, same: bytes | None = None) -> Path:
    """Make an empty file under a free name, or find one that holds ``same``; the folder is made if it is missing.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        path = folder / numbered(stem, number)
        try:
            path.open("xb").close()
        except FileExistsError:
            if same is not None and path.is_file() and path.read_bytes() == same:
                return path
            number += 1
        else:
            return path


def move(path: Path, target: Path) -> None:
    """Rename a file onto a name that was reserved for it; if that fails, the name is given up.

    Raises:
        OSError: it cannot be renamed.
    """
    try:
        path.replace(target)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
