"""The opening of a game, and the index of a folder's openings: new and changed files read, deleted ones dropped."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from daoqi_tui.analysis.opening import Opening, class_count, find_opening, opening_moves
from daoqi_tui.analysis.opening_index import DEPTH, GameRecord, IndexUpdate, OpeningIndex, PositionStatistics, look_up
from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Colour, Game
from daoqi_tui.message import Message, reason_of
from daoqi_tui.paths import own_folder
from daoqi_tui.record.files import library_folder, record_bytes
from daoqi_tui.record.formats import records_below
from daoqi_tui.record.sgf.read import Loaded, load_all
from daoqi_tui.record.text import SgfError

_MOST_MARKED: Final = 64
"""The maximum number of equivalent points that are marked."""


@dataclass(frozen=True, slots=True)
class OpeningView:
    """The opening of the game shown.

    Attributes:
        opening: class and standard form.
        classes: the number of opening classes on this size.
        found: the next moves in other games; None without an index, or beyond its depth.
    """

    opening: Opening
    classes: int
    found: PositionStatistics | None

    def counts(self) -> dict[int, str]:
        """Return how often each point was played next, as labels for the board."""
        counts: dict[int, str] = {}
        for move in self.found.moves if self.found else ():
            if move.points != (PASS,) and len(move.points) <= _MOST_MARKED:
                games = move.tally.games
                counts.update((point, str(games) if games < 100 else "+") for point in move.points)
        return counts


def opening_view(game: Game, index: OpeningIndex | None) -> OpeningView:
    """Return the opening of ``game`` at its cursor, with statistics from ``index`` if there is one."""
    start, moves = opening_moves(game)
    size = game.torus.size
    opening = find_opening(size, moves[:DEPTH], start)
    found = look_up(index, lambda index: index.at(game.board), None) if len(moves) <= DEPTH else None
    return OpeningView(opening, class_count(size), found)


def library_index() -> OpeningIndex | None:
    """Open the index of the library as it was last updated; None without a library. The caller closes it."""
    folder = library_folder()
    if not folder.is_dir():
        return None
    try:
        return open_index(folder)
    except (OSError, ValueError):
        return None


def index_file(folder: Path) -> Path:
    name = hashlib.blake2b(str(folder.resolve()).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    return own_folder("cache") / "openings" / f"{name}.sqlite"


def open_index(folder: Path) -> OpeningIndex:
    """Open the index of ``folder``, created if missing; it is not updated.

    Raises:
        OSError: it cannot be opened.
        ValueError: there is something else in its place.
    """
    file = index_file(folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    return OpeningIndex(file)


def indexed(folder: Path, encoding: str | None = None) -> tuple[OpeningIndex, IndexUpdate]:
    """Open and update the index of ``folder``; return it and what was done.

    Where it cannot be stored on disk, it is built in memory.

    Raises:
        OSError: the folder cannot be read.
        ValueError: something else lies in the place of the index.
    """
    index = None
    try:
        index = open_index(folder)
        return index, update(index, folder, encoding)
    except (OSError, sqlite3.DatabaseError):
        if index is not None:
            index.close()
    index = OpeningIndex(":memory:")
    return index, update(index, folder, encoding)


def update(index: OpeningIndex, folder: Path, encoding: str | None = None) -> IndexUpdate:
    """Update ``index`` from the SGF files below ``folder``; return what was done and the problems.

    A damaged index is rebuilt.

    Args:
        index: the index.
        folder: the folder.
        encoding: the encoding of all files, overriding their own; with a different one, all files are read again.
    """
    index.repair()
    known = index.fingerprints()
    below = records_below(folder)
    refused = [(_name_of(Path(error.filename)), reason_of(error)) for error in below.unreadable]
    files = {_name_of(file): file for file in below.files}
    versions: dict[str, str] = {}
    for name, file in files.items():
        try:
            versions[name] = _version(file, encoding)
        except OSError as error:
            refused.append((name, reason_of(error)))
    fresh = {name: files[name] for name, version in versions.items() if known.get(f"{name}#1") != version}
    # A file that has changed may contain fewer games than before.
    kept = versions.keys() - fresh.keys()
    index.remove([source for source in known if source.rpartition("#")[0] not in kept])
    added = index.add(_records(fresh, versions, refused, encoding))
    unchanged = added.unchanged + sum(source.rpartition("#")[0] not in fresh for source in index.fingerprints())
    return IndexUpdate(added.indexed, unchanged, (*refused, *added.refused))


def _name_of(file: Path) -> str:
    """Return the name of a file in the index: its path, with escapes for bytes that are not UTF-8."""
    return os.fsencode(file).decode("utf-8", "backslashreplace")


def _version(file: Path, encoding: str | None) -> str:
    status = file.stat()
    return ":".join(filter(None, (str(status.st_mtime_ns), str(status.st_size), encoding)))


def _records(
    files: Mapping[str, Path],
    versions: Mapping[str, str],
    refused: list[tuple[str, Message | str]],
    encoding: str | None,
) -> Iterator[GameRecord]:
    """Yield the games of each file, the first one last; the source of the second one in a file ends with ``#2``.

    So if a file's first game is in the index, all its games are, wherever the update was interrupted.
    """
    for name, file in files.items():
        games: list[GameRecord] = []
        try:
            for number, loaded in enumerate(load_all(record_bytes(file), encoding=encoding), 1):
                games.append(GameRecord.of(f"{name}#{number}", loaded.game, _winner(loaded), versions[name]))
        except (SgfError, OSError) as error:
            refused.append((name, reason_of(error)))
        yield from reversed(games)


def _winner(loaded: Loaded) -> Colour:
    return {"B+": BLACK, "W+": WHITE}.get(loaded.info.result[:2].upper(), EMPTY)
