"""An index of games by position, up to symmetry and exchange of colours: which moves were played, and who won.

A row of an SQLite file has all positions of a game: the key of each, as
:func:`~daoqi_tui.reading.symmetry.symmetric_keys` makes it, the move played there, and each change of a point with the
stones around it. A search reads these rows as arrays, which takes milliseconds for a million positions; adding a few
games writes a few pages, a crash leaves the last committed state, and two running programs can share it. Each row has a
checksum.

A shape can only begin to stand where a point in it changes. So the changes are compared with each place of the shape at
once, by the stones around both; a table has the answer for all that can be around a point. What is left, mostly what
is found, is compared point by point.

The index can be rebuilt from the games, so a file of another version is simply emptied.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.analysis.opening import OpeningClass, find_opening, opening_classes, opening_moves
from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Board, Colour, Game, Style, Torus, opponent, torus_of
from daoqi_tui.engine.tree import Move, Setup
from daoqi_tui.message import Message, reason_of
from daoqi_tui.reading.symmetry import MATRICES, BoardPosition, symmetric_keys

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


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game to be indexed.

    Attributes:
        source: a permanent identifier, such as the path of its file.
        size: the side of the board.
        moves: points and passes, with alternating colours, and setups between them.
        winner: the colour that won, EMPTY if unknown.
        start: the position it starts from, None for the empty board with Black to move.
        version: changes when the game does, such as a file's time and length; empty to compare the game itself.
        first: the depth of the node with the start in the record.
    """

    source: str
    size: int
    moves: tuple[int | Setup, ...]
    winner: Colour = EMPTY
    start: BoardPosition | None = None
    version: str = ""
    first: int = 0

    @classmethod
    def of(cls, source: str, game: Game, winner: Colour = EMPTY, version: str = "") -> Self:
        """Return the record of a game's main line, including setup at its start; the game is not changed."""
        end = (game.root, *game.root.line())[-1]
        start, _moves = opening_moves(game, end)
        actions = [node.action for node in end.path()]
        first = next((depth for depth, action in enumerate(actions) if isinstance(action, Move)), len(actions)) - 1
        first = max(first, 0)
        line = (action for action in actions[first + 1 :] if action is not None)
        moves = tuple(action.point if isinstance(action, Move) else action for action in line)
        return cls(source, game.torus.size, moves, winner, start, version, first)

    def fingerprint(self) -> str:
        """Return :attr:`version`, or a digest of the game."""
        if self.version:
            return self.version
        kept = (self.size, self.moves, self.winner, self.start)
        return hashlib.blake2b(repr(kept).encode(), digest_size=16).hexdigest()

    def positions(self) -> Iterator[tuple[bytes, Colour, int | None]]:
        """Yield the colours of all points and the side to move, before each move and last, and the move, if any.

        Raises:
            ValueError: a move is off the board, or the start has a chain without a liberty.
        """
        torus = torus_of(self.size)
        board = Board(torus)
        if self.start is not None:
            board.lay_out(self.start.black, self.start.white, 0, self.start.to_move, recorded=True)
        for move in self.moves:
            if isinstance(move, Setup):
                yield bytes(board.colours), board.to_move, None
                board.lay_out(move.black, move.white, move.empty, move.to_move, recorded=True)
                continue
            if not PASS <= move < torus.points:
                raise ValueError(f"move {move} is off the board: 0 to {torus.points - 1}, or {PASS} for a pass")
            yield bytes(board.colours), board.to_move, move
            board.replay(move)
        yield bytes(board.colours), board.to_move, None


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
        colour: the side that played it.
    """

    points: tuple[int, ...]
    tally: WinCounts
    colour: Colour


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
                "colour": _COLOUR_NAMES[move.colour],
                **move.tally.as_dict(),
            }
            for move in self.moves
        ]
        return {**self.tally.as_dict(), "moves": moves}


class Hit(NamedTuple):
    """A game in which a position or a shape was found, where it was found first.

    Attributes:
        source: the identifier of the game.
        depth: of the node in its main line.
        number: of the moves made until there.
        next: the move played there, as equivalent points of the queried board; empty if there is none.
        colour: the side that played it, in the colours of the query.
        winner: of the game, in the colours of the query; EMPTY if unknown.
    """

    source: str
    depth: int
    number: int
    next: tuple[int, ...]
    colour: Colour
    winner: Colour

    def as_dict(self, torus: Torus, style: Style = "daoqi") -> dict[str, Any]:
        return {
            "source": self.source,
            "move": self.number,
            "next": ["pass" if point == PASS else torus.name(point, style) for point in self.next],
            "colour": _COLOUR_NAMES[self.colour],
            "winner": _COLOUR_NAMES[self.winner],
        }


_COLOUR_NAMES: Final = {EMPTY: None, BLACK: "black", WHITE: "white"}


def statistics_of(hits: Sequence[Hit]) -> PositionStatistics:
    """Count the games found, and the moves played next."""
    won = Counter((hit.next, hit.colour, hit.winner) for hit in hits)

    def counted(chosen: Callable[[tuple[int, ...], Colour], bool]) -> WinCounts:
        found = Counter[Colour]()
        for (points, colour, winner), games in won.items():
            if chosen(points, colour):
                found[winner] += games
        return WinCounts(found.total(), found[BLACK], found[WHITE])

    played = {(points, colour) for points, colour, _winner in won if points}
    moves = [NextMove(move[0], counted(lambda *other, move=move: other == move), move[1]) for move in played]
    moves.sort(key=lambda move: (-move.tally.games, move.points, move.colour))
    return PositionStatistics(counted(lambda *_move: True), tuple(moves))


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found: statistics of all games, and the first of them."""

    statistics: PositionStatistics
    hits: tuple[Hit, ...]


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
        self._loaded: tuple[tuple[int, int, int], _Contents] | None = None
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
        return statistics_of(self.find(position))

    def games_at(self, position: BoardPosition | Board) -> tuple[str, ...]:
        return tuple(sorted(hit.source for hit in self.find(position)))

    def find(self, position: BoardPosition | Board) -> list[Hit]:
        """Return the games that reached a position, side to move included."""
        if isinstance(position, Board):
            position = BoardPosition.of(position)
        games, count = self._contents(position.size), position.size**2
        colours = [1 * (position.black >> point & 1) or 2 * (position.white >> point & 1) for point in range(count)]
        keys, move_keys = symmetric_keys(
            position.size,
            np.tile(np.array(colours, np.uint8), (count, 1)),
            np.full(count, position.to_move, np.uint8),
            range(count),
        )
        places = np.flatnonzero(games.keys | np.uint64(1) == keys[0] | np.uint64(1))
        owners, earliest = np.unique(np.searchsorted(games.starts, places, "right") - 1, return_index=True)
        points: dict[int, list[int]] = {_PASS_KEY: [PASS]}
        for point, key in enumerate(move_keys.tolist()):
            # A record may play on a stone.
            points.setdefault(key, []).append(point)
        hits = []
        for owner, place in zip(owners.tolist(), places[earliest].tolist(), strict=True):
            is_exchanged = int(games.keys[place]) & 1 != (position.to_move == WHITE)
            next_points = tuple(points.get(int(games.move_keys[place]), ()))
            hits.append(games.hit(owner, place, next_points, position.to_move, is_exchanged=is_exchanged))
        return sorted(hits)

    def find_shape(self, shape: Shape) -> list[Hit]:
        """Return the games in which a shape stood, and the moves that were played in its rectangle next."""
        return sorted(_shape_hits(self._contents(shape.board.size), shape))

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
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # The latter from damaged text in SQLite's error.
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

    def _contents(self, size: int) -> _Contents:
        """Return the games of a size, read from the file when it has changed.

        Raises:
            sqlite3.DatabaseError: a row does not have its checksum.
        """
        (version,) = self._file.execute("PRAGMA data_version").fetchone()
        state = version, self._file.total_changes, size
        if self._loaded is None or self._loaded[0] != state:
            self._loaded = None
            # The index of openings would lead to the rows one by one.
            rows = self._file.execute(f"SELECT {_FIELDS} FROM games NOT INDEXED WHERE size = ?", (size,)).fetchall()
            if any(row[-1] != _checksum(row[:-1]) for row in rows):
                raise sqlite3.DatabaseError("checksum")
            self._loaded = state, _Contents.of(rows, size)
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
_END: Final = 65535
"""Stands for the end of a game, so a game has fewer positions."""
_PASSED: Final = 65535
_NOTHING: Final = 65534
_PLAYS: Final = np.dtype([("move_key", "<u4"), ("move", "<u2")])
"""The move after a position: its key (0 for none), and its point, ``_PASSED`` or ``_NOTHING``."""
_PASS_KEY: Final = 1
_RINGS: Final = ("near", "far", "knight")
_CHANGES: Final = np.dtype([("point", "<u2"), ("place", "<u2"), *((ring, "<u2") for ring in _RINGS)])
"""A change: point · 3 + the colour that it has then, the first position with it, and the colours of the points around
it there, as digits of base 3."""
_NEAR: Final = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0))
_FAR: Final = tuple((2 * down, 2 * right) for down, right in _NEAR)
_KNIGHT: Final = tuple((down, right) for down in (-2, -1, 1, 2) for right in (-2, -1, 1, 2) if abs(down * right) == 2)
_OFFSETS: Final = np.array((_NEAR, _FAR, _KNIGHT))
_POWERS: Final = 3 ** np.arange(len(_NEAR))


@lru_cache(maxsize=8)
def _moved(size: int) -> NDArray[np.int32]:
    """Return each point after each shift, as down · size + to the right: (size², size²)."""
    rows, columns = np.divmod(np.arange(size * size), size)
    down, right = rows[:, None], columns[:, None]
    points: NDArray[np.int32] = ((rows + down) % size * size + (columns + right) % size).astype(np.int32)
    return points


def _row(game: GameRecord) -> tuple[Any, ...]:
    """Return the row of a game.

    Raises:
        ValueError: it cannot be replayed, or is too long.
    """
    if len(game.moves) >= _NOTHING:
        raise ValueError(Message("a game of {moves} moves is too long for the index", moves=len(game.moves)))
    played = list(game.positions())
    kind = None
    if not any(isinstance(move, Setup) for move in game.moves[:2]):
        kind = find_opening(game.size, [move for move in game.moves[:2] if isinstance(move, int)], game.start).kind
    points = game.size * game.size
    boards = np.frombuffer(b"".join(colours for colours, _mover, _move in played), np.uint8).reshape(-1, points)
    movers = np.array([mover for _colours, mover, _move in played], np.uint8)
    moves = np.array([_NOTHING if move is None else _PASSED if move == PASS else move for *_, move in played], "<u2")
    keys, move_keys = symmetric_keys(
        game.size, boards, movers, np.where(moves < points, moves.astype(int), -1).tolist()
    )
    move_keys[moves == _PASSED] = _PASS_KEY
    plays = np.empty(len(played), _PLAYS)
    plays["move_key"], plays["move"] = move_keys, moves
    point, place = np.nonzero(np.diff(boards, axis=0, prepend=np.zeros((1, points), np.uint8)).T)
    changes = np.empty(len(point), _CHANGES)
    changes["point"], changes["place"] = 3 * point + boards[place, point], place
    shifts = _OFFSETS % game.size @ (game.size, 1)
    around = boards[place, _moved(game.size)[shifts[..., None], point]]
    for ring, colours in zip(_RINGS, around, strict=True):
        changes[ring] = _POWERS @ colours
    row = (
        game.source,
        game.fingerprint(),
        game.size,
        kind.number if kind else None,
        game.winner,
        game.first,
        keys.astype("<u8").tobytes(),
        plays.tobytes(),
        changes.tobytes(),
    )
    return *row, _checksum(row)


def _checksum(row: Sequence[Any]) -> int:
    *fields, keys, plays, changes = row
    value = zlib.crc32(repr(fields).encode())
    for data in (keys, plays, changes):
        value = zlib.crc32(data, value)
    return value


@dataclass(frozen=True)
class _Contents:
    """The games of a size, one after the other.

    Attributes:
        size: the side of their boards.
        sources, winners, firsts: of each game, as in its record.
        starts: of each game's positions in the next arrays, with one more entry for the end.
        keys, move_keys, moves: of each position, and of the move after it.
        change_counts: of each game.
        changes: of all games.
    """

    size: int
    sources: list[str]
    winners: list[Colour]
    firsts: list[int]
    starts: NDArray[np.intp]
    keys: NDArray[np.uint64]
    move_keys: NDArray[np.uint32]
    moves: NDArray[np.uint16]
    change_counts: list[int]
    changes: NDArray[np.void]

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]], size: int) -> Self:
        keys = np.frombuffer(b"".join(row[6] for row in rows), "<u8")
        plays = np.frombuffer(b"".join(row[7] for row in rows), _PLAYS)
        changes = np.frombuffer(b"".join(row[8] for row in rows), _CHANGES)
        starts = np.cumsum([0, *(len(row[6]) // keys.itemsize for row in rows)])
        sources, winners, firsts = ([row[field] for row in rows] for field in (0, 4, 5))
        counts = [len(row[8]) // changes.itemsize for row in rows]
        move_keys, moves = (np.ascontiguousarray(plays[name]) for name in ("move_key", "move"))
        return cls(size, sources, winners, firsts, starts, keys, move_keys, moves, counts, changes)

    @cached_property
    def stones(self) -> _Stones:
        return _Stones.of(self)

    @cached_property
    def made(self) -> NDArray[np.int32]:
        """The number of moves before each position, counted through all games."""
        is_move = self.moves != _NOTHING
        made: NDArray[np.int32] = np.cumsum(is_move, dtype=np.int32) - is_move
        return made

    def hit(self, game: int, place: int, points: tuple[int, ...], colour: Colour, *, is_exchanged: bool) -> Hit:
        """Return the hit at a place among all positions."""
        winner = self.winners[game]
        start = int(self.starts[game])
        depth = self.firsts[game] + place - start
        number = int(self.made[place] - self.made[start])
        return Hit(self.sources[game], depth, number, points, colour, _seen(winner, is_exchanged=is_exchanged))


class _Stones(NamedTuple):
    """The stones of all games of a size; a cell is a point of a game, as game · size² + point.

    Attributes:
        cells, places, colours: of each change, in order of cell and place.
        rings: what was around each.
        starts: of the changes of each cell, with one more entry for the end.
        first: the place of the first change of each cell, ``_END`` if there is none.
        since: that of the first with Black, and with White: (2, cells).
    """

    cells: NDArray[np.int32]
    places: NDArray[np.uint16]
    colours: NDArray[np.uint8]
    rings: tuple[NDArray[np.uint16], ...]
    starts: NDArray[np.int32]
    first: NDArray[np.uint16]
    since: NDArray[np.uint16]

    @classmethod
    def of(cls, games: _Contents) -> Self:
        count = games.size**2
        points, colours = np.divmod(games.changes["point"], np.uint16(3))
        cells = np.repeat(np.arange(0, len(games.sources) * count, count, dtype=np.int32), games.change_counts)
        cells += points
        places, *rings = (np.ascontiguousarray(games.changes[name]) for name in ("place", *_RINGS))
        starts = np.zeros(len(games.sources) * count + 1, np.int32)
        np.cumsum(np.bincount(cells, minlength=len(starts) - 1), out=starts[1:])
        first = np.full(len(starts) - 1, _END, np.uint16)
        first[cells[::-1]] = places[::-1]  # The last assignment stands.
        since = np.full((2, len(first)), _END, np.uint16)
        for colour in (BLACK, WHITE):
            those = np.flatnonzero(colours == colour)[::-1]
            since[colour - 1, cells[those]] = places[those]
        return cls(cells, places, colours.astype(np.uint8), tuple(rings), starts, first, since)

    def at(self, cells: NDArray[np.int32], places: NDArray[np.uint16]) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
        """Return the colours of some cells, each in a position of its game, and when it changes next."""
        colours, ends = np.zeros(len(cells), np.uint8), self.first.take(cells)
        changed = np.flatnonzero(ends <= places)
        cells, places = cells[changed], places[changed]
        # The change after that in question.
        after, stop = self.starts[cells] + 1, self.starts[cells + 1]
        left = np.flatnonzero(after < stop)
        while len(left):
            left = left[self.places[after[left]] <= places[left]]
            after[left] += 1
            left = left[after[left] < stop[left]]
        colours[changed] = self.colours[after - 1]
        ends[changed] = np.where(after < stop, self.places[np.minimum(after, len(self.places) - 1)], _END)
        return colours, ends


# Shapes


@dataclass(frozen=True, slots=True)
class Shape:
    """A rectangle of a board, empty points included; it may cross the seam.

    Attributes:
        board: the position around it.
        top, left: its first row and column.
        rows, columns: its height and width.
    """

    board: BoardPosition
    top: int
    left: int
    rows: int
    columns: int

    def __post_init__(self) -> None:
        if not (0 < self.rows <= self.board.size and 0 < self.columns <= self.board.size):
            raise ValueError(Message("a shape has 1 to {size} rows and columns", size=self.board.size))
        if not any(self.colours().values()):
            raise ValueError(Message("there is no stone in this shape"))

    def colours(self) -> dict[int, Colour]:
        """Return the colour of each of its points."""
        torus, board = torus_of(self.board.size), self.board
        corner = torus.point(self.top % board.size, self.left % board.size)
        points = [torus.shift(corner, row, column) for row in range(self.rows) for column in range(self.columns)]
        return {
            point: BLACK if board.black >> point & 1 else WHITE if board.white >> point & 1 else EMPTY
            for point in points
        }

    def variants(self) -> list[_Variant]:
        """Return its different images, each shifted so that the first of its rows and columns are 0."""
        torus, colours = torus_of(self.board.size), self.colours()
        found: dict[tuple[_Cell, ...], None] = {}
        ways: list[tuple[_Back, bool]] = []
        for a, b, c, d in MATRICES:
            images = {}
            for point in colours:
                row, column = torus.position(torus.shift(point, -self.top, -self.left))
                images[a * row + b * column, c * row + d * column] = point
            top, left = min(row for row, _ in images), min(column for _, column in images)
            back = {(row - top, column - left): point for (row, column), point in images.items()}
            for is_exchanged in (False, True):
                ways.append((back, is_exchanged))
                pattern = [
                    _Cell(row, column, _seen(colours[point], is_exchanged=is_exchanged))
                    for (row, column), point in back.items()
                ]
                # Stones first, since they exclude most.
                pattern.sort(key=lambda cell: (cell.colour == EMPTY, cell))
                found[tuple(pattern)] = None
        return [_Variant(pattern, self._ways(pattern, ways, colours)) for pattern in found]

    def _ways(
        self, pattern: Sequence[_Cell], ways: Sequence[tuple[_Back, bool]], colours: dict[int, Colour]
    ) -> tuple[tuple[_Back, bool], ...]:
        """Return those of ``ways`` that lead to a pattern, also shifted along rows or columns that are closed."""
        size = self.board.size
        height, width = (1 + max(cell[axis] for cell in pattern) for axis in (0, 1))
        found = []
        for back, is_exchanged in ways:
            if (height - 1, width - 1) not in back:
                continue
            for down in range(size if height == size else 1):
                for right in range(size if width == size else 1):
                    shifted = partial(_shifted, back, down, right, size)
                    if all(_seen(colours[shifted(cell)], is_exchanged=is_exchanged) == cell.colour for cell in pattern):
                        found.append(({cell[:2]: shifted(cell) for cell in pattern}, is_exchanged))
        return tuple(found)


def _seen(colour: Colour, *, is_exchanged: bool) -> Colour:
    return opponent(colour) if is_exchanged and colour != EMPTY else colour


def _shifted(back: _Back, down: int, right: int, size: int, cell: _Cell) -> int:
    return back[(cell.row + down) % size, (cell.column + right) % size]


_Back: TypeAlias = dict[tuple[int, int], int]
"""The point of a shape for each row and column of an image of it."""


class _Cell(NamedTuple):
    row: int
    column: int
    colour: Colour


class _Variant(NamedTuple):
    """An image of a shape.

    Attributes:
        cells: of the image.
        ways: how the shape leads there: the point of the shape for each row and column of the image, and whether
            colours are exchanged. There are several if the shape is symmetric.
    """

    cells: tuple[_Cell, ...]
    ways: tuple[tuple[_Back, bool], ...]

    @property
    def stones(self) -> Iterator[_Cell]:
        return (cell for cell in self.cells if cell.colour != EMPTY)


class _Anchor(NamedTuple):
    """A point of an image of a shape.

    Attributes:
        number: of the image.
        row, column: in it.
        allowed: which colours each of the points around it may have: (rings, 8, 3).
        others: up to ``_OTHERS`` other stones: how far down and to the right, and the colour.
    """

    number: int
    row: int
    column: int
    allowed: NDArray[np.bool_]
    others: tuple[_Cell, ...]


_OTHERS: Final = 3
_ALLOWED: Final = np.array([*np.eye(3, dtype=np.bool_), (True, True, True)])
"""Which colours are allowed where one is wanted, and last where none is."""


def _anchors(variants: Sequence[_Variant], size: int) -> dict[Colour, list[_Anchor]]:
    """Return the points of all images, by colour."""
    found: dict[Colour, list[_Anchor]] = {}
    seen = {(0, 0), *map(tuple, (_OFFSETS % size).reshape(-1, 2).tolist())}
    for number, variant in enumerate(variants):
        rows, columns, colours = np.array(variant.cells).T
        board = np.full((size, size), -1)
        board[rows, columns] = colours
        around = (np.stack((rows, columns), axis=1)[:, None, None] + _OFFSETS) % size
        for cell, allowed in zip(variant.cells, _ALLOWED[board[around[..., 0], around[..., 1]]], strict=True):
            stones = (
                _Cell((stone.row - cell.row) % size, (stone.column - cell.column) % size, stone.colour)
                for stone in variant.stones
            )
            others = tuple(islice((stone for stone in stones if stone[:2] not in seen), _OTHERS))
            found.setdefault(cell.colour, []).append(_Anchor(number, cell.row, cell.column, allowed, others))
    return found


_BITS: Final = 64
"""Anchors that are compared at a time: each is a bit."""


class _Block(NamedTuple):
    """Some anchors, and for each ring which of them allow what is there around a change, as bits."""

    anchors: Sequence[_Anchor]
    rings: tuple[NDArray[np.uint64], ...]

    @classmethod
    def of(cls, anchors: Sequence[_Anchor]) -> Self:
        bits = np.uint64(1) << np.arange(len(anchors), dtype=np.uint64)
        allowed = np.array([anchor.allowed for anchor in anchors]) * bits[:, None, None, None]
        tables = []
        for digits in allowed.sum(axis=0, dtype=np.uint64):
            table = digits[-1]
            # The last digit counts most.
            for fits in digits[-2::-1]:
                table = (table[:, None] & fits).ravel()
            tables.append(table)
        return cls(anchors, tuple(tables))

    @classmethod
    def all_of(cls, anchors: Sequence[_Anchor]) -> list[Self]:
        """Return the blocks of many anchors: if there are several, first one in which a bit stands for several."""
        blocks = [cls.of(anchors[first : first + _BITS]) for first in range(0, len(anchors), _BITS)]
        if len(blocks) > 1:
            tables = zip(*(block.rings for block in blocks), strict=True)
            blocks.insert(0, cls((), tuple(np.bitwise_or.reduce(some) for some in tables)))
        return blocks

    def matching(self, stones: _Stones, changes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.uint64]]:
        """Return the changes that match any anchor, and which, as bits."""
        bits = np.full(len(changes), 2**64 - 1, np.uint64)
        for table, around in zip(self.rings, stones.rings, strict=True):
            bits &= table.take(around.take(changes))
            kept = np.flatnonzero(bits != 0)  # Several times as fast as of the numbers themselves.
            changes, bits = changes[kept], bits[kept]
        return changes, bits


class _Standing(NamedTuple):
    """Where images of a shape stand: game, image, its corner, the first position, and the first after it."""

    games: NDArray[np.int32]
    numbers: NDArray[np.int32]
    corners: NDArray[np.int32]
    places: NDArray[np.uint16]
    ends: NDArray[np.uint16]

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> _Standing:
        arrays: tuple[NDArray[Any], ...] = self
        return _Standing(*(array[which] for array in arrays))


class _ShapeSearch:
    """A search for the images of a shape."""

    def __init__(self, games: _Contents, shape: Shape) -> None:
        self.variants: Final = shape.variants()
        self._size: Final = games.size
        self._stones: Final = games.stones
        anchors = _anchors(self.variants, games.size)
        self._blocks: Final = {colour: _Block.all_of(some) for colour, some in anchors.items()}
        # All images have as many points, stones first.
        self._cells: Final = np.array([variant.cells for variant in self.variants])

    def standing_after(self, changes: NDArray[np.intp]) -> _Standing:
        """Return where an image stands after one of some changes."""
        colours = self._stones.colours[changes]
        parts = [
            part
            for colour, blocks in self._blocks.items()
            for part in self._candidates(changes[colours == colour], blocks)
        ]
        none = np.empty(0, np.int32)
        games, numbers, corners, places = (
            np.concatenate(arrays) for arrays in zip((none, none, none, none.astype(np.uint16)), *parts, strict=True)
        )
        return self._compared(_Standing(games, numbers, corners, places, np.full(len(places), _END, np.uint16)))

    def _candidates(self, changes: NDArray[np.intp], blocks: Sequence[_Block]) -> Iterator[tuple[NDArray[Any], ...]]:
        """Yield where an image may stand, as game, number, corner and first position."""
        size, stones, moved = self._size, self._stones, _moved(self._size)
        for block in blocks:
            chosen, bits = block.matching(stones, changes)
            if not block.anchors:
                changes = chosen
            for place, anchor in enumerate(block.anchors):
                matching = chosen[np.flatnonzero(bits & np.uint64(1 << place) != 0)]
                cells = stones.cells.take(matching)
                games = cells // (size * size)
                for down, right, colour in anchor.others:
                    if not len(cells):
                        break
                    begins = games * (size * size)
                    others = begins + moved[down * size + right][cells - begins]
                    kept = np.flatnonzero(stones.since[colour - 1].take(others) <= stones.places.take(matching))
                    matching, cells, games = matching[kept], cells[kept], games[kept]
                if len(cells):
                    corners = moved[-anchor.row % size * size + -anchor.column % size][cells - games * (size * size)]
                    yield games, np.full(len(games), anchor.number, np.int32), corners, stones.places[matching]

    def _compared(self, found: _Standing) -> _Standing:
        """Return those places where all the points of an image have their colours."""
        size, moved = self._size, _moved(self._size)
        for rows, columns, colours in self._cells.transpose(1, 2, 0):
            shifts = (rows * size + columns).astype(np.int32)[found.numbers]
            cells = found.games * np.int32(size * size) + moved[shifts, found.corners]
            there, ends = self._stones.at(cells, found.places)
            np.minimum(found.ends, ends, out=found.ends)
            kept = there == colours[found.numbers]
            if not kept.all():
                found = found.chosen(kept)
        return found


def _shape_hits(games: _Contents, shape: Shape) -> Iterator[Hit]:
    """Yield where the shape stands first in each game."""
    search, places = _ShapeSearch(games, shape), games.stones.places
    begin, is_open = 0, np.ones(len(games.sources), np.bool_)
    most = places.max(initial=0)
    while begin <= most and is_open.any():
        # Positions not far apart at first, since a shape of few stones stands early in most games.
        end = max(2, 2 * begin)
        chosen = (places >= begin) & (places < end) & np.repeat(is_open, games.change_counts)
        found = search.standing_after(np.flatnonzero(chosen))
        begin = end
        found = found.chosen(np.lexsort((found.ends, found.places, found.games)))
        owners, firsts, sizes = np.unique(found.games, return_index=True, return_counts=True)
        is_open[owners] = False
        first = np.repeat(firsts, sizes)
        is_best = (found.places == found.places[first]) & (found.ends == found.ends[first])
        yield from _described(games, search.variants, found.chosen(is_best))


def _described(games: _Contents, variants: Sequence[_Variant], found: _Standing) -> Iterator[Hit]:
    """Yield the hit of each game where images stand, with the move in the shape that ended it."""
    size = games.size
    begins = games.starts[found.games]
    is_ended = found.ends != _END
    last = np.where(is_ended, begins + found.ends - 1, 0)
    moves = games.moves[last].astype(np.intp)
    rows, columns = (moves // size - found.corners // size) % size, (moves - found.corners) % size
    cells = np.where(is_ended & (moves < size * size), rows * size + columns, -1)
    movers = np.where(games.keys[last] & np.uint64(1) != 0, WHITE, BLACK)
    winners = np.array(games.winners)[found.games]
    kinds = np.stack((found.numbers, cells, movers, winners))
    codes = np.ravel_multi_index((found.numbers, cells + 1, movers, winners), (len(variants), size * size + 1, 3, 3))
    _codes, examples, which = np.unique(codes, return_index=True, return_inverse=True)
    described = []
    for number, cell, mover, winner in kinds[:, examples].T.tolist():
        points, colour, is_exchanged = _next_move(variants, size, number, cell, mover)
        described.append((points, colour, _seen(winner, is_exchanged=is_exchanged), is_exchanged))
    ranked = sorted(set(described))
    ranks = np.array([ranked.index(entry) for entry in described], np.intp)
    owners, firsts = np.unique(found.games, return_index=True)
    best = np.minimum.reduceat(ranks[which], firsts) if len(firsts) else ranks
    places = (begins + found.places)[firsts]
    for game, place, rank in zip(owners.tolist(), places.tolist(), best.tolist(), strict=True):
        points, colour, _winner, is_exchanged = ranked[rank]
        yield games.hit(game, place, points, colour, is_exchanged=is_exchanged)


def _next_move(
    variants: Sequence[_Variant], size: int, number: int, cell: int, mover: Colour
) -> tuple[tuple[int, ...], Colour, bool]:
    """Return a move in an image as points of the shape, its colour there, and whether colours are exchanged.

    A ``cell`` that is not in the image, counted row by row on a board, is no such move.
    """
    place = divmod(cell, size)
    ways = variants[number].ways
    played = sorted(
        (opponent(mover) if is_exchanged else mover, back[place], is_exchanged)
        for back, is_exchanged in ways
        if place in back
    )
    if not played:
        return (), EMPTY, min(is_exchanged for _back, is_exchanged in ways)
    colour, _point, is_exchanged = played[0]
    return tuple(sorted({point for other, point, _exchanged in played if other == colour})), colour, is_exchanged
