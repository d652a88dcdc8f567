"""An index of openings up to symmetry: the moves played in a position, how often, and who won.

It is one SQLite file. A query for a position is one look-up in a sorted table instead of a pass over all games, adding
a few games rewrites a few pages, a crash leaves the last committed state, and two running programs can share it; a file
of JSON lines offers none of these. Positions are stored as exact keys of a few bytes per stone, not as hashes, so that
there are no collisions.

The index can be rebuilt from the games, so a file of another version is simply emptied.
"""

from __future__ import annotations

import hashlib
import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from daoqi_tui.analysis.opening import OpeningClass, find_opening, opening_classes, opening_moves
from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Board, Colour, Game, Style, torus_of
from daoqi_tui.message import Message, reason_of
from daoqi_tui.reading.symmetry import BoardPosition, CanonicalPosition, canonical_position

DEPTH: Final = 30
"""Positions after 0 to this many moves are indexed."""
_VERSION: Final = 1
_MARK: Final = int.from_bytes(b"Daoq", "big")
"""SQLite's application id, which identifies files of the index."""
_BATCH: Final = 500
"""Games added per transaction: the number a crash may lose, and that is held in memory."""
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


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game to be indexed.

    Attributes:
        source: a permanent identifier, such as the path of its file.
        size: the side of the board.
        moves: points and passes, with alternating colours; only the first 31 matter.
        winner: the colour that won, EMPTY if unknown.
        start: the position it starts from, None for the empty board with Black to move.
        version: changes when the game does, such as a file's time and length; empty to compare the game itself.
    """

    source: str
    size: int
    moves: tuple[int, ...]
    winner: Colour = EMPTY
    start: BoardPosition | None = None
    version: str = ""

    @classmethod
    def of(cls, source: str, game: Game, winner: Colour = EMPTY, version: str = "") -> Self:
        """Return the record of a game's main line, including setup at its start; the game is not changed."""
        start, moves = opening_moves(game, (game.root, *game.root.line())[-1])
        return cls(source, game.torus.size, moves, winner, start, version)

    def fingerprint(self) -> str:
        """Return :attr:`version`, or a digest of the indexed parts of the game."""
        if self.version:
            return self.version
        kept = (self.size, self.moves[: DEPTH + 1], self.winner, self.start)
        return hashlib.blake2b(repr(kept).encode(), digest_size=16).hexdigest()

    def positions(self) -> Iterator[tuple[BoardPosition, int | None]]:
        """Yield the position after each of the first moves, with the move played next, None if there is none.

        Raises:
            ValueError: a move is off the board or on a stone, or the start has a chain without a liberty.
        """
        torus = torus_of(self.size)
        board = Board(torus)
        if self.start is not None:
            board.lay_out(self.start.black, self.start.white, 0, self.start.to_move)
        for move in self.moves[:DEPTH]:
            if not PASS <= move < torus.points:
                raise ValueError(f"move {move} is off the board: 0 to {torus.points - 1}, or {PASS} for a pass")
            yield BoardPosition.of(board), move
            board.replay(move)
        yield BoardPosition.of(board), self.moves[DEPTH] if len(self.moves) > DEPTH else None


@dataclass(frozen=True, slots=True)
class WinCounts:
    """The number of games, and of wins by each colour; the result of the others is unknown."""

    games: int
    black: int
    white: int

    def as_dict(self) -> dict[str, int]:
        return {"games": self.games, "black": self.black, "white": self.white}


@dataclass(frozen=True, slots=True)
class NextMove:
    """A move played from a position.

    Attributes:
        points: the equivalent points of the move in the queried position; several if the position is symmetric,
            ``(PASS,)`` for a pass.
        tally: the games in which it was played.
    """

    points: tuple[int, ...]
    tally: WinCounts


@dataclass(frozen=True, slots=True)
class PositionStatistics:
    """The statistics of a position.

    Attributes:
        tally: the games that reached it, in any orientation.
        moves: the moves played there, the most frequent first; games that ended there add none.
    """

    tally: WinCounts
    moves: tuple[NextMove, ...]

    def as_dict(self, size: int, style: Style = "daoqi") -> dict[str, Any]:
        torus = torus_of(size)
        moves = [
            {
                "points": ["pass" if point == PASS else torus.name(point, style) for point in move.points],
                **move.tally.as_dict(),
            }
            for move in self.moves
        ]
        return {**self.tally.as_dict(), "moves": moves}


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """The number of games of an opening class."""

    kind: OpeningClass
    tally: WinCounts

    def as_dict(self) -> dict[str, Any]:
        return {
            "class": self.kind.number,
            "displacement": list(self.kind.displacement),
            "english": self.kind.name.english,
            "chinese": self.kind.name.chinese,
            **self.tally.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class IndexUpdate:
    """The result of adding games to the index.

    Attributes:
        indexed: games now in the index that were new or had changed.
        unchanged: games that were already in it.
        refused: sources of games that could not be indexed, with the reasons.
    """

    indexed: int
    unchanged: int
    refused: tuple[tuple[str, Message | str], ...]


Found = TypeVar("Found")


def look_up(index: OpeningIndex | None, query: Callable[[OpeningIndex], Found], otherwise: Found) -> Found:
    """Return the result of a query of an index; ``otherwise`` without an index, or if its file cannot be read.

    The file may have been deleted or damaged; it is only a cache.
    """
    if index is None:
        return otherwise
    try:
        return query(index)
    except sqlite3.Error:
        return otherwise


class OpeningIndexError(ValueError):
    """A file is not an index of openings; the text is one sentence."""


class OpeningIndex:
    """The index in a file, created if missing; close it, or use it in a ``with`` block.

    Args:
        path: the file, or ``":memory:"`` for an index that is gone afterwards.

    Raises:
        OpeningIndexError: the file is something else.
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path | str) -> None:
        self._path: Final = path
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def repair(self) -> None:
        """Replace the file with an empty index if any page of it is damaged.

        Raises:
            OSError: it cannot be replaced.
        """
        try:
            (found,) = self._file.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.OperationalError:
            # It cannot be read now, which does not mean that it is damaged.
            raise
        except sqlite3.DatabaseError:
            found = "damaged"
        if found != "ok":
            self._file.close()
            Path(self._path).unlink()
            self._open()

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
        form = canonical_position(position)
        rows = self._file.execute(
            f"SELECT next, {_TALLY} FROM seen JOIN games ON id = game WHERE position = ? "
            "GROUP BY next ORDER BY count(*) DESC, next",
            (_key(form.position),),
        ).fetchall()
        tallies = [WinCounts(*row[1:]) for row in rows]
        total = WinCounts(*(sum(getattr(counts, name) for counts in tallies) for name in ("games", "black", "white")))
        moves = [NextMove(form.back(row[0]), WinCounts(*row[1:])) for row in rows if row[0] is not None]
        return PositionStatistics(total, tuple(moves))

    def games_at(self, position: BoardPosition | Board) -> tuple[str, ...]:
        key = _key(canonical_position(position).position)
        rows = self._file.execute(
            "SELECT source FROM seen JOIN games ON id = game WHERE position = ? ORDER BY source", (key,)
        )
        return tuple(row[0] for row in rows)

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
        except sqlite3.DatabaseError as error:
            self._file.close()
            raise OpeningIndexError(
                Message("{file} is not an index of openings; choose another file, or delete it", file=self._path)
            ) from error

    def _is_prepared(self) -> bool:
        mark, version, tables = (
            self._file.execute(question).fetchone()[0]
            for question in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
        )
        if tables and mark != _MARK:
            raise sqlite3.DatabaseError("the tables of another program")
        return bool(tables) and version == _VERSION

    def _prepare(self) -> None:
        if self._is_prepared():
            return
        with self._transaction():
            # Another program may have created and filled the tables meanwhile.
            if self._is_prepared():
                return
            self._file.execute("DROP TABLE IF EXISTS games")
            self._file.execute("DROP TABLE IF EXISTS seen")
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
            seen: list[tuple[bytes, int, int | None]] = []
            for game in games:
                try:
                    forms = [(canonical_position(position), move) for position, move in game.positions()]
                    kind = find_opening(game.size, game.moves[:2], game.start).kind
                    # A source that is not valid text, as a file name may be, cannot be written.
                    cursor = self._file.execute(
                        "INSERT INTO games (source, fingerprint, size, class, winner) VALUES (?, ?, ?, ?, ?)",
                        (game.source, game.fingerprint(), game.size, kind.number if kind else None, game.winner),
                    )
                except ValueError as error:
                    refused.append((game.source, reason_of(error)))
                    continue
                assert cursor.lastrowid is not None
                seen += [_row(form, move, cursor.lastrowid) for form, move in forms]
                indexed += 1
            # Sorted rows fill the table page by page. A game that reaches a position again counts once there.
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


def _unwritable(file: Path | str, error: sqlite3.Error) -> OSError:
    return OSError(Message("{file} cannot be written: {reason}", file=file, reason=str(error)))


def _row(form: CanonicalPosition, move: int | None, game: int) -> tuple[bytes, int, int | None]:
    return _key(form.position), game, None if move is None else form.move(move)


def _key(position: BoardPosition) -> bytes:
    """Encode a canonical position: size, side to move, number of black stones, then the points of the stones."""
    torus = torus_of(position.size)
    black, white = torus.points_in(position.black), torus.points_in(position.white)
    head = bytes((position.size, position.to_move)) + len(black).to_bytes(2, "big")
    if torus.points <= 256:
        return head + bytes(black + white)
    return head + b"".join(point.to_bytes(2, "big") for point in black + white)


# Estimates


_Z: Final = 1.959964
"""The 97.5 % quantile of the normal distribution, for 95 % intervals."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float


def share_of_wins(wins: float, games: int) -> Interval:
    """Return the share of games won, with the score interval of Wilson.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
    Statistical Association 22 (1927). It is valid for few games too, and if none or all of them were won.

    >>> interval = share_of_wins(30, 40)
    >>> f"{interval.value:.3f} {interval.low:.3f} {interval.high:.3f}"
    '0.750 0.598 0.858'
    """
    if not games:
        return Interval(0.5, 0.0, 1.0)
    share = wins / games
    squared = _Z * _Z
    centre = (share + squared / (2 * games)) / (1 + squared / games)
    reach = _Z / (1 + squared / games) * math.sqrt(share * (1 - share) / games + squared / (4 * games * games))
    return Interval(share, max(0.0, centre - reach), min(1.0, centre + reach))
