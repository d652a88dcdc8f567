"""Keeps an index of openings for a folder of SGF files: reads what is new or changed, forgets what is gone."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from daoqi_tui.analysis.opening_records import Added, GameRecord
from daoqi_tui.analysis.openings import OpeningIndex
from daoqi_tui.engine import BLACK, EMPTY, WHITE, Colour
from daoqi_tui.record.problem import SgfError
from daoqi_tui.record.sgf import Loaded, load

_NAME: Final = "daoqi-tui"


def index_file(folder: Path) -> Path:
    """Where the index of ``folder`` is kept: among the caches of this person, since it can be made anew."""
    from platformdirs import user_cache_path  # noqa: PLC0415 (costs up to 25 ms)

    name = hashlib.blake2b(str(folder.resolve()).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    return user_cache_path(_NAME, appauthor=False) / "openings" / f"{name}.sqlite"


def open_index(folder: Path) -> OpeningIndex:
    """The index of ``folder``, made where there is none yet; it is not brought up to date.

    Raises:
        OSError: it cannot be opened.
        ValueError: something else lies in its place.
    """
    file = index_file(folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    return OpeningIndex(file)


def indexed(folder: Path) -> tuple[OpeningIndex, Added]:
    """The index of ``folder``, brought up to date, and what was done.

    Where none can be kept, it is made in memory: what the games say does not depend on it.

    Raises:
        OSError: the folder cannot be read.
        ValueError: something else lies in the place of the index.
    """
    index = None
    try:
        index = open_index(folder)
        return index, update(index, folder)
    except (OSError, sqlite3.DatabaseError):
        if index is not None:
            index.close()
    index = OpeningIndex(":memory:")
    return index, update(index, folder)


def update(index: OpeningIndex, folder: Path) -> Added:
    """Bring ``index`` up to date with the SGF files below ``folder``; returns what was done and what was refused."""
    known = index.fingerprints()
    files = {_name_of(file): file for file in _files(folder)}
    versions = {name: _version(file) for name, file in files.items()}
    index.remove([source for source in known if source.rpartition("#")[0] not in versions])
    refused: list[tuple[str, str]] = []
    fresh = {name: files[name] for name, version in versions.items() if known.get(f"{name}#1") != version}
    added = index.add(_records(fresh, versions, refused))
    unchanged = added.unchanged + sum(source.rpartition("#")[0] not in fresh for source in index.fingerprints())
    return Added(added.indexed, unchanged, (*refused, *added.refused))


def _files(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.rglob("*")) if file.suffix.lower() == ".sgf" and file.is_file())


def _name_of(file: Path) -> str:
    """The name of a file in the index: its path, with escapes for what is not UTF-8, which no database takes."""
    return os.fsencode(file).decode("utf-8", "backslashreplace")


def _version(file: Path) -> str:
    status = file.stat()
    return f"{status.st_mtime_ns}:{status.st_size}"


def _records(
    files: Mapping[str, Path], versions: Mapping[str, str], refused: list[tuple[str, str]]
) -> Iterator[GameRecord]:
    """The games of each file; the source of the second one in a file ends with ``#2``."""
    for name, file in files.items():
        number = total = 1
        while number <= total:
            try:
                loaded = load(file, index=number - 1)
            except (SgfError, OSError) as error:
                refused.append((name, str(error)))
                break
            total = loaded.games
            yield GameRecord.of(f"{name}#{number}", loaded.game, _winner(loaded), versions[name])
            number += 1


def _winner(loaded: Loaded) -> Colour:
    return {"B+": BLACK, "W+": WHITE}.get(loaded.info.result[:2].upper(), EMPTY)
