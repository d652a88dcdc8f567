"""An index of how games begin, up to symmetry: what was played from a position, how often, and who won.

It lies in one SQLite file. A question about a position is then one look-up in a sorted table instead of a pass over
all games, adding a few games rewrites a few pages, a crash in the middle leaves the last whole state, and two running
programs may share it; a file of JSON lines offers none of these. Positions are kept as exact keys of a
few bytes a stone, not as hashes, so no two are ever taken for each other.

The index holds nothing that the games themselves do not, so a file of another version is simply emptied.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from daoqi_tui.analysis.canonical import CanonicalPosition, Position, canonical_position
from daoqi_tui.analysis.opening_class import find_opening, opening_classes
from daoqi_tui.analysis.opening_records import Added, ClassTally, Found, GameRecord, NextMove, Tally
from daoqi_tui.engine import BLACK, WHITE, Board, torus_of

_VERSION: Final = 1
_MARK: Final = int.from_bytes(b"Daoq", "big")
"""SQLite's application id, by which the index knows its own files."""
_BATCH: Final = 500
"""Games added before the file is written: what a crash may cost, and what is held in memory."""

_TABLES: Final = """
    CREATE TABLE games (
        id INTEGER PRIMARY KEY, source TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL,
        size INTEGER NOT NULL, class INTEGER, winner INTEGER NOT NULL
    );
    CREATE INDEX games_by_class ON games (size, class);
    CREATE TABLE seen (
        position BLOB NOT NULL, game INTEGER NOT NULL, next INTEGER, PRIMARY KEY (position, game)
    ) WITHOUT ROWID;
"""
_TALLY: Final = f"count(*), count(*) FILTER (WHERE winner = {BLACK}), count(*) FILTER (WHERE winner = {WHITE})"


class OpeningIndex:
    """The index in a file, made where there is none yet; close it, or use it in a ``with`` block.

    Args:
        path: the file, or ``":memory:"`` for an index that is gone afterwards.

    Raises:
        ValueError: the file is something else.
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path | str) -> None:
        self._path: Final = path
        try:
            self._file = sqlite3.connect(path, isolation_level=None)
        except sqlite3.OperationalError as error:
            raise OSError(f"{path} cannot be opened: {error}") from error
        try:
            self._prepare()
        except sqlite3.OperationalError as error:
            self._file.close()
            raise OSError(f"{path} cannot be written: {error}") from error
        except sqlite3.DatabaseError as error:
            self._file.close()
            raise ValueError(f"{path} is not an index of openings; choose another file, or delete it") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; everything added is in it."""
        self._file.close()

    # Filling

    def add(self, games: Iterable[GameRecord]) -> Added:
        """Index games; those already in it in the same version are skipped, changed ones replaced.

        A game that cannot be played through is refused with a reason, and the rest goes on.
        """
        known = self.fingerprints()
        indexed = unchanged = 0
        refused: list[tuple[str, str]] = []
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
        return Added(indexed, unchanged, tuple(refused))

    def remove(self, sources: Iterable[str]) -> int:
        """Forget games by their source; returns how many were known."""
        with self._transaction():
            return self._forget(sources)

    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of each game in the index by its source."""
        return dict(self._file.execute("SELECT source, fingerprint FROM games"))

    # Asking

    def at(self, position: Position | Board) -> Found:
        """What the games did in a position, in whatever orientation they came to it."""
        form = canonical_position(position)
        rows = self._file.execute(
            f"SELECT next, {_TALLY} FROM seen JOIN games ON id = game WHERE position = ? "
            "GROUP BY next ORDER BY count(*) DESC, next",
            (_key(form.position),),
        ).fetchall()
        tallies = [Tally(*row[1:]) for row in rows]
        total = Tally(*(sum(getattr(tally, name) for tally in tallies) for name in ("games", "black", "white")))
        moves = [NextMove(form.back(row[0]), Tally(*row[1:])) for row in rows if row[0] is not None]
        return Found(total, tuple(moves))

    def games_at(self, position: Position | Board) -> tuple[str, ...]:
        """The sources of the games that came to a position, in order."""
        key = _key(canonical_position(position).position)
        rows = self._file.execute(
            "SELECT source FROM seen JOIN games ON id = game WHERE position = ? ORDER BY source", (key,)
        )
        return tuple(row[0] for row in rows)

    def sizes(self) -> dict[int, int]:
        """How many games there are of each board size."""
        return dict(self._file.execute("SELECT size, count(*) FROM games GROUP BY size ORDER BY size"))

    def classes(self, size: int) -> tuple[ClassTally, ...]:
        """All classes of openings on boards of ``size`` by number, with how often each was played."""
        rows = self._file.execute(
            f"SELECT class, {_TALLY} FROM games WHERE size = ? AND class IS NOT NULL GROUP BY class",
            (size,),
        )
        found = {row[0]: Tally(*row[1:]) for row in rows}
        return tuple(ClassTally(kind, found.get(kind.number, Tally(0, 0, 0))) for kind in opening_classes(size))

    def games_of_class(self, size: int, number: int) -> tuple[str, ...]:
        """The sources of the games that began with a class of openings, in order."""
        rows = self._file.execute(
            "SELECT source FROM games WHERE size = ? AND class = ? ORDER BY source", (size, number)
        )
        return tuple(row[0] for row in rows)

    def common(self, size: int, least: int = 2, limit: int = 100) -> tuple[tuple[Position, Tally], ...]:
        """The canonical positions on boards of ``size`` that at least ``least`` games came to, most first."""
        rows = self._file.execute(
            f"SELECT position, {_TALLY} FROM seen JOIN games ON id = game WHERE position >= ? AND position < ? "
            "GROUP BY position HAVING count(*) >= ? ORDER BY count(*) DESC, position LIMIT ?",
            (bytes((size,)), bytes((size + 1,)), least, limit),
        )
        return tuple((_position(row[0]), Tally(*row[1:])) for row in rows)

    def as_dict(self, size: int) -> dict[str, Any]:
        """The classes that were played on boards of ``size`` as plain values, the most frequent first."""
        played = sorted(
            (entry for entry in self.classes(size) if entry.tally.games), key=lambda entry: -entry.tally.games
        )
        return {"size": size, "games": self.sizes().get(size, 0), "openings": [entry.as_dict() for entry in played]}

    # Below the surface

    def _prepare(self) -> None:
        mark, version, tables = (
            self._file.execute(question).fetchone()[0]
            for question in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
        )
        if tables and mark != _MARK:
            raise sqlite3.DatabaseError("the tables of another program")
        if tables and version == _VERSION:
            return
        with self._transaction():
            self._file.execute("DROP TABLE IF EXISTS games")
            self._file.execute("DROP TABLE IF EXISTS seen")
            for statement in _TABLES.split(";"):
                self._file.execute(statement)
            self._file.execute(f"PRAGMA application_id = {_MARK}")
            self._file.execute(f"PRAGMA user_version = {_VERSION}")

    def _transaction(self) -> sqlite3.Connection:
        """Begin a transaction: a ``with`` block commits it, or takes it back on an error."""
        self._file.execute("BEGIN IMMEDIATE")
        return self._file

    def _add_batch(self, games: list[GameRecord], refused: list[tuple[str, str]]) -> int:
        indexed = 0
        with self._transaction():
            self._forget(game.source for game in games)
            seen: list[tuple[bytes, int, int | None]] = []
            for game in games:
                try:
                    forms = [(canonical_position(position), move) for position, move in game.positions()]
                    kind = find_opening(game.size, game.moves[:2], game.start).kind
                except ValueError as error:
                    refused.append((game.source, str(error)))
                    continue
                cursor = self._file.execute(
                    "INSERT INTO games (source, fingerprint, size, class, winner) VALUES (?, ?, ?, ?, ?)",
                    (game.source, game.fingerprint(), game.size, kind.number if kind else None, game.winner),
                )
                assert cursor.lastrowid is not None
                seen += [_row(form, move, cursor.lastrowid) for form, move in forms]
                indexed += 1
            # Sorted rows fill the table page by page. A game that comes to a position again counts there once.
            seen.sort(key=lambda row: row[:2])
            self._file.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", seen)
        return indexed

    def _forget(self, sources: Iterable[str]) -> int:
        known = dict(self._file.execute("SELECT source, id FROM games"))
        gone = [(known[source],) for source in sources if source in known]
        if gone:
            self._file.executemany("DELETE FROM games WHERE id = ?", gone)
            self._file.execute("DELETE FROM seen WHERE game NOT IN (SELECT id FROM games)")
        return len(gone)


def _row(form: CanonicalPosition, move: int | None, game: int) -> tuple[bytes, int, int | None]:
    return _key(form.position), game, None if move is None else form.move(move)


def _key(position: Position) -> bytes:
    """A canonical position as bytes: size, side to move, number of black stones, then the points of the stones."""
    torus = torus_of(position.size)
    black, white = torus.points_in(position.black), torus.points_in(position.white)
    head = bytes((position.size, position.to_move)) + len(black).to_bytes(2, "big")
    if torus.points <= 256:
        return head + bytes(black + white)
    return head + b"".join(point.to_bytes(2, "big") for point in black + white)


def _position(key: bytes) -> Position:
    """The reverse of :func:`_key`."""
    size, to_move, count, torus = key[0], key[1], int.from_bytes(key[2:4], "big"), torus_of(key[0])
    step = 1 if torus.points <= 256 else 2
    points = [int.from_bytes(key[start : start + step], "big") for start in range(4, len(key), step)]
    return Position(size, torus.mask(points[:count]), torus.mask(points[count:]), to_move)
