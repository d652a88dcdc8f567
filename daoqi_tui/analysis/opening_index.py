"""An index of games by position, up to symmetry and exchange of colours: which moves were played, and who won.

A row of an SQLite file has all positions of a game: the key of each, the move played there, and each change of a point
with the stones around it. A search reads these rows as arrays, which takes milliseconds for a million positions; adding
a few games writes a few pages, a crash leaves the last committed state, and two running programs can share it. Each row
has a checksum. Only adding and searching need :mod:`~daoqi_tui.analysis.opening_arrays`, and with it numpy.

The index can be rebuilt from the games, so a file of another version is simply emptied.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from daoqi_tui.analysis.opening import find_opening, opening_classes
from daoqi_tui.analysis.opening_records import (
    ClassCounts,
    GameRecord,
    Hit,
    IndexUpdate,
    PositionStatistics,
    Shape,
    WinCounts,
    statistics_of,
)
from daoqi_tui.engine import BLACK, WHITE, Board
from daoqi_tui.engine.tree import Setup
from daoqi_tui.message import Message, reason_of
from daoqi_tui.reading.symmetry import BoardPosition

if TYPE_CHECKING:
    from daoqi_tui.analysis.opening_arrays import Contents

_VERSION: Final = 3
_MARK: Final = int.from_bytes(b"Daoq", "big")
"""SQLite's application id, which identifies files of the index."""
_BATCH: Final = 100
"""Games added per transaction: the number a crash may lose, and that is held in memory."""
_TABLES: Final = """
    CREATE TABLE games (
        id INTEGER PRIMARY KEY, source TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL,
        size INTEGER NOT NULL, class INTEGER, winner INTEGER NOT NULL, first INTEGER NOT NULL,
        keys BLOB NOT NULL, plays BLOB NOT NULL, changes BLOB NOT NULL, checksum INTEGER NOT NULL
    );
    CREATE INDEX games_by_class ON games (size, class);
"""
_TALLY: Final = f"count(*), count(*) FILTER (WHERE winner = {BLACK}), count(*) FILTER (WHERE winner = {WHITE})"


Found = TypeVar("Found")


def look_up(index: OpeningIndex | None, query: Callable[[OpeningIndex], Found]) -> Found | None:
    """Return the result of a query of an index; None without an index, or if its file cannot be read.

    The file may have been deleted or damaged; it is only a cache.
    """
    try:
        return None if index is None else query(index)
    except sqlite3.Error:
        return None


class OpeningIndex:
    """The index in a file, created if missing or something else; the caller closes it.

    Args:
        path: the file, or ``":memory:"`` for an index that is gone afterwards.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path | str) -> None:
        self._path: Final = path
        self._loaded: tuple[tuple[int, int, int], Contents] | None = None
        self._open()

    def close(self) -> None:
        self._file.close()

    def repair(self) -> None:
        """Replace the file with an empty index if any page or row of it is damaged.

        Raises:
            OSError: it cannot be replaced.
        """
        try:
            (found,) = self._file.execute("PRAGMA integrity_check(1)").fetchone()
            for size in self.sizes() if found == "ok" else ():
                self._contents(size)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # That it cannot be read now does not mean that it is damaged. Text that is not UTF-8 has no error code.
            if isinstance(error, sqlite3.OperationalError) and hasattr(error, "sqlite_errorcode"):
                raise
            found = "damaged"
        if found != "ok":
            self._begin_anew()

    # Adding and removing

    def add(self, games: Iterable[GameRecord]) -> IndexUpdate:
        """Add games to the index; unchanged ones are skipped, changed ones replaced.

        A game that cannot be replayed is refused with a reason, and the others are still added.
        """
        known = self.fingerprints()
        indexed = unchanged = 0
        refused: list[tuple[str, Message | str]] = []
        batch: dict[str, GameRecord] = {}
        for game in games:
            fingerprint = game.fingerprint()
            if known.get(game.source) == fingerprint:
                unchanged += 1
                continue
            known[game.source] = fingerprint
            batch[game.source] = game
            if len(batch) == _BATCH:
                indexed += self._add_batch(list(batch.values()), refused)
                batch = {}
        indexed += self._add_batch(list(batch.values()), refused)
        return IndexUpdate(indexed, unchanged, tuple(refused))

    def remove(self, sources: Iterable[str]) -> int:
        with self._transaction():
            return self._forget(sources)

    def fingerprints(self) -> dict[str, str]:
        return dict(self._file.execute("SELECT source, fingerprint FROM games"))

    # Queries

    def at(self, position: BoardPosition | Board) -> PositionStatistics:
        return statistics_of(self.find(position))

    def games_at(self, position: BoardPosition | Board) -> tuple[str, ...]:
        return tuple(sorted(hit.source for hit in self.find(position)))

    def find(self, position: BoardPosition | Board) -> list[Hit]:
        """Return the games that reached a position, side to move included."""
        from daoqi_tui.analysis.opening_arrays import find  # noqa: PLC0415 (numpy costs 100 ms)

        if isinstance(position, Board):
            position = BoardPosition.of(position)
        return find(self._contents(position.size), position)

    def find_shape(self, shape: Shape) -> list[Hit]:
        """Return the games in which a shape stood, and the moves that were played in its rectangle next."""
        from daoqi_tui.analysis.opening_arrays import find_shape  # noqa: PLC0415

        return sorted(find_shape(self._contents(shape.board.size), shape))

    def sizes(self) -> dict[int, int]:
        return dict(self._file.execute("SELECT size, count(*) FROM games GROUP BY size ORDER BY size"))

    def classes(self, size: int) -> tuple[ClassCounts, ...]:
        rows = self._file.execute(
            f"SELECT class, {_TALLY} FROM games WHERE size = ? AND class IS NOT NULL GROUP BY class",
            (size,),
        )
        found = {row[0]: WinCounts(*row[1:]) for row in rows}
        return tuple(ClassCounts(kind, found.get(kind.number, WinCounts(0, 0, 0))) for kind in opening_classes(size))

    def as_dict(self, size: int) -> dict[str, Any]:
        played = sorted(
            (entry for entry in self.classes(size) if entry.tally.games), key=lambda entry: -entry.tally.games
        )
        return {"size": size, "games": self.sizes().get(size, 0), "openings": [entry.as_dict() for entry in played]}

    # Internals

    def _open(self) -> None:
        try:
            self._file = sqlite3.connect(self._path, isolation_level=None)
        except sqlite3.OperationalError as error:
            raise OSError(Message("{file} cannot be opened: {reason}", file=self._path, reason=str(error))) from error
        try:
            self._prepare()
        except sqlite3.OperationalError as error:
            self._file.close()
            raise _unwritable(self._path, error) from error
        except OSError:
            self._file.close()
            raise
        except (sqlite3.DatabaseError, UnicodeDecodeError):  # The latter from damaged text in SQLite's error.
            self._begin_anew()

    def _begin_anew(self) -> None:
        self._file.close()
        Path(self._path).unlink()
        self._open()

    def _is_prepared(self) -> bool:
        marks = [self._file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        return marks == [_MARK, _VERSION]

    def _prepare(self) -> None:
        if self._is_prepared():
            return
        with self._transaction():
            # Another program may have created and filled the tables meanwhile.
            if self._is_prepared():
                return
            self._file.execute("DROP TABLE IF EXISTS games")
            self._file.execute("DROP TABLE IF EXISTS seen")  # of the first version
            for statement in _TABLES.split(";"):
                self._file.execute(statement)
            self._file.execute(f"PRAGMA application_id = {_MARK}")
            self._file.execute(f"PRAGMA user_version = {_VERSION}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit a transaction after the block, or roll it back on an error.

        Raises:
            OSError: the file is locked for long, or cannot be written, as on a full disk.
        """
        try:
            self._file.execute("BEGIN IMMEDIATE")
            with self._file:
                yield
        except sqlite3.OperationalError as error:
            raise _unwritable(self._path, error) from error

    def _add_batch(self, games: list[GameRecord], refused: list[tuple[str, Message | str]]) -> int:
        indexed = 0
        with self._transaction():
            self._forget(game.source for game in games)
            for game in games:
                try:
                    # A source that is not valid text, as a file name may be, cannot be written.
                    row = _row(game)
                    marks = ", ".join("?" * len(row))
                    self._file.execute(f"INSERT INTO games ({_FIELDS}) VALUES ({marks})", row)
                except ValueError as error:
                    refused.append((game.source, reason_of(error)))
                else:
                    indexed += 1
        return indexed

    def _contents(self, size: int) -> Contents:
        """Return the games of a size, read from the file when it has changed.

        Raises:
            sqlite3.DatabaseError: a row does not have its checksum.
        """
        from daoqi_tui.analysis.opening_arrays import Contents  # noqa: PLC0415

        (version,) = self._file.execute("PRAGMA data_version").fetchone()
        state = version, self._file.total_changes, size
        if self._loaded is None or self._loaded[0] != state:
            self._loaded = None
            # The index of openings would lead to the rows one by one.
            rows = self._file.execute(f"SELECT {_FIELDS} FROM games NOT INDEXED WHERE size = ?", (size,)).fetchall()
            if any(row[-1] != _checksum(row[:-1]) for row in rows):
                raise sqlite3.DatabaseError("checksum")
            self._loaded = state, Contents.of(rows, size)
        return self._loaded[1]

    def _forget(self, sources: Iterable[str]) -> int:
        known = dict(self._file.execute("SELECT source, id FROM games"))
        gone = [(known[source],) for source in sources if source in known]
        if gone:
            self._file.executemany("DELETE FROM games WHERE id = ?", gone)
        return len(gone)


def _unwritable(file: Path | str, error: sqlite3.Error) -> OSError:
    return OSError(Message("{file} cannot be written: {reason}", file=file, reason=str(error)))


_FIELDS: Final = "source, fingerprint, size, class, winner, first, keys, plays, changes, checksum"


def _row(game: GameRecord) -> tuple[Any, ...]:
    """Return the row of a game.

    Raises:
        ValueError: it cannot be replayed, or is too long.
    """
    from daoqi_tui.analysis.opening_arrays import encoded  # noqa: PLC0415

    arrays = encoded(game)
    kind = None
    if not any(isinstance(move, Setup) for move in game.moves[:2]):
        kind = find_opening(game.size, [move for move in game.moves[:2] if isinstance(move, int)], game.start).kind
    number = kind.number if kind else None
    row = (game.source, game.fingerprint(), game.size, number, game.winner, game.first, *arrays)
    return *row, _checksum(row)


def _checksum(row: Sequence[Any]) -> int:
    *fields, keys, plays, changes = row
    value = zlib.crc32(repr(fields).encode())
    for data in (keys, plays, changes):
        value = zlib.crc32(data, value)
    return value
