"""An index of games by position, up to symmetry and exchange of colours: which moves were played, and who won.

A row of an SQLite file has all positions of a game: the key of each, as
:class:`~daoqi_tui.reading.symmetry.SymmetricHash` makes it, the move played there, and which stone stood where, from
which position on until which. A search reads these rows as arrays, which takes milliseconds for a million positions;
adding a few games writes a few pages, a crash leaves the last committed state, and two running programs can share it.
Each row has a checksum.

The index can be rebuilt from the games, so a file of another version is simply emptied.
"""

from __future__ import annotations

import hashlib
import math
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.analysis.opening import OpeningClass, find_opening, opening_classes, opening_moves
from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Board, Colour, Game, Style, Torus, opponent, torus_of
from daoqi_tui.engine.tree import Move, Setup
from daoqi_tui.message import Message, reason_of
from daoqi_tui.reading.symmetry import MATRICES, BoardPosition, SymmetricHash

_VERSION: Final = 2
_MARK: Final = int.from_bytes(b"Daoq", "big")
"""SQLite's application id, which identifies files of the index."""
_BATCH: Final = 100
"""Games added per transaction: the number a crash may lose, and that is held in memory."""
_TABLES: Final = """
    CREATE TABLE games (
        id INTEGER PRIMARY KEY, source TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL,
        size INTEGER NOT NULL, class INTEGER, winner INTEGER NOT NULL, first INTEGER NOT NULL,
        keys BLOB NOT NULL, plays BLOB NOT NULL, spans BLOB NOT NULL, checksum INTEGER NOT NULL
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

    def positions(self) -> Iterator[tuple[BoardPosition, int | None]]:
        """Yield the position before each move and the last one, with the move played next, None if there is none.

        Raises:
            ValueError: a move is off the board, or the start has a chain without a liberty.
        """
        torus = torus_of(self.size)
        board = Board(torus)
        if self.start is not None:
            board.lay_out(self.start.black, self.start.white, 0, self.start.to_move, recorded=True)
        for move in self.moves:
            if isinstance(move, Setup):
                yield BoardPosition.of(board), None
                board.lay_out(move.black, move.white, move.empty, move.to_move, recorded=True)
                continue
            if not PASS <= move < torus.points:
                raise ValueError(f"move {move} is off the board: 0 to {torus.points - 1}, or {PASS} for a pass")
            yield BoardPosition.of(board), move
            board.replay(move)
        yield BoardPosition.of(board), None


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
            for size in self.sizes():
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
        games = self._contents(position.size)
        hashed = SymmetricHash(position.size)
        key = np.uint64(hashed.key(position) | 1)
        places = np.flatnonzero(games.keys | np.uint64(1) == key)
        owners, earliest = np.unique(np.searchsorted(games.starts, places, "right") - 1, return_index=True)
        points: dict[int, list[int]] = {1: [PASS]}
        for point in range(position.size**2) if len(owners) else ():
            # A record may play on a stone.
            points.setdefault(hashed.move_key(point), []).append(point)
        hits = []
        for owner, place in zip(owners.tolist(), places[earliest].tolist(), strict=True):
            is_exchanged = int(games.keys[place]) & 1 != (position.to_move == WHITE)
            next_points = tuple(points.get(int(games.move_keys[place]), ()))
            hits.append(games.hit(owner, place, next_points, position.to_move, is_exchanged=is_exchanged))
        return sorted(hits)

    def find_shape(self, shape: Shape) -> list[Hit]:
        """Return the games in which a shape stood, and the moves that were played in its rectangle next."""
        games = self._contents(shape.board.size)
        variants = shape.variants()
        chunks = range(0, len(games.sources), _CHUNK)
        chosen = (range(start, min(start + _CHUNK, len(games.sources))) for start in chunks)
        return sorted(hit for some in chosen for hit in _shape_hits(games, some, shape, variants))

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
            rows = self._file.execute(f"SELECT {_FIELDS} FROM games WHERE size = ? ORDER BY source", (size,)).fetchall()
            if any(row[-1] != _checksum(row[:-1]) for row in rows):
                raise sqlite3.DatabaseError("checksum")
            self._loaded = state, _Contents.of(rows)
        return self._loaded[1]

    def _forget(self, sources: Iterable[str]) -> int:
        known = dict(self._file.execute("SELECT source, id FROM games"))
        gone = [(known[source],) for source in sources if source in known]
        if gone:
            self._file.executemany("DELETE FROM games WHERE id = ?", gone)
        return len(gone)


def _unwritable(file: Path | str, error: sqlite3.Error) -> OSError:
    return OSError(Message("{file} cannot be written: {reason}", file=file, reason=str(error)))


_FIELDS: Final = "source, fingerprint, size, class, winner, first, keys, plays, spans, checksum"
_END: Final = 65535
"""Stands for the end of a game, so a game has fewer positions."""
_PASSED: Final = 65535
_NOTHING: Final = 65534
_PLAYS: Final = np.dtype([("move_key", "<u4"), ("move", "<u2")])
"""The move after a position: its key (0 for none), and its point, ``_PASSED`` or ``_NOTHING``."""
_SPANS: Final = np.dtype([("stone", "<u2"), ("start", "<u2"), ("end", "<u2")])
"""A stone, as point · 2 + (is it white), with the first position that has it and the first after it, or ``_END``."""


def _row(game: GameRecord) -> tuple[Any, ...]:
    """Return the row of a game.

    Raises:
        ValueError: it cannot be replayed, or is too long.
    """
    if len(game.moves) >= _NOTHING:
        raise ValueError(Message("a game of {moves} moves is too long for the index", moves=len(game.moves)))
    kind = None
    if not any(isinstance(move, Setup) for move in game.moves[:2]):
        kind = find_opening(game.size, [move for move in game.moves[:2] if isinstance(move, int)], game.start).kind
    hashed = SymmetricHash(game.size)
    points = game.size * game.size
    keys, plays, spans = [], [], []
    standing: dict[int, int] = {}
    before = 0
    for place, (position, move) in enumerate(game.positions()):
        now = position.black | position.white << points
        changed, before = now ^ before, now
        while changed:
            bit = changed & -changed
            changed ^= bit
            is_white, point = divmod(bit.bit_length() - 1, points)
            stone = 2 * point + is_white
            if now & bit:
                standing[stone] = place
            else:
                spans.append((stone, standing.pop(stone), place))
        keys.append(hashed.key(position))
        if move is None:
            plays.append((0, _NOTHING))
        else:
            plays.append((hashed.move_key(move), _PASSED if move == PASS else move))
    spans += [(stone, start, _END) for stone, start in standing.items()]
    row = (
        game.source,
        game.fingerprint(),
        game.size,
        kind.number if kind else None,
        game.winner,
        game.first,
        np.array(keys, "<u8").tobytes(),
        np.array(plays, _PLAYS).tobytes(),
        np.array(spans, _SPANS).tobytes(),
    )
    return *row, _checksum(row)


def _checksum(row: Sequence[Any]) -> int:
    *fields, keys, plays, spans = row
    value = zlib.crc32(repr(fields).encode())
    for data in (keys, plays, spans):
        value = zlib.crc32(data, value)
    return value


class _Contents(NamedTuple):
    """The games of a size, one after the other.

    Attributes:
        sources, winners, firsts: of each game, as in its record.
        starts, span_starts: of each game's positions and spans in the arrays below, with one more entry for the end.
        keys, move_keys, moves: of each position, and of the move after it.
        spans: the spans of stones.
    """

    sources: list[str]
    winners: list[Colour]
    firsts: list[int]
    starts: NDArray[np.intp]
    span_starts: NDArray[np.intp]
    keys: NDArray[np.uint64]
    move_keys: NDArray[np.uint32]
    moves: NDArray[np.uint16]
    spans: NDArray[np.void]

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]]) -> Self:
        keys = np.frombuffer(b"".join(row[6] for row in rows), "<u8")
        plays = np.frombuffer(b"".join(row[7] for row in rows), _PLAYS)
        spans = np.frombuffer(b"".join(row[8] for row in rows), _SPANS)
        starts = np.cumsum([0, *(len(row[6]) // keys.itemsize for row in rows)])
        span_starts = np.cumsum([0, *(len(row[8]) // spans.itemsize for row in rows)])
        sources, winners, firsts = ([row[field] for row in rows] for field in (0, 4, 5))
        move_keys, moves = np.ascontiguousarray(plays["move_key"]), np.ascontiguousarray(plays["move"])
        return cls(sources, winners, firsts, starts, span_starts, keys, move_keys, moves, spans)

    def hit(self, game: int, place: int, points: tuple[int, ...], colour: Colour, *, is_exchanged: bool) -> Hit:
        """Return the hit at a place among all positions."""
        winner = self.winners[game]
        start = int(self.starts[game])
        depth = self.firsts[game] + place - start
        number = int(np.count_nonzero(self.moves[start:place] != _NOTHING))
        return Hit(self.sources[game], depth, number, points, colour, _seen(winner, is_exchanged=is_exchanged))


# Shapes

_CHUNK: Final = 256
"""Games compared with a shape at a time: their arrays fit into the cache of a core."""
_DENSE: Final = 8
"""Points of a shape that are compared everywhere; the others only where these fit."""


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


class _Found(NamedTuple):
    """Where an image of a shape stands in a game: the positions from ``start`` to before ``end``."""

    start: int
    end: int
    variant: _Variant
    corner: int


class _Spans(NamedTuple):
    """The times of some games, as indices of their positions.

    Attributes:
        first: when each point first has each colour, ``_END`` for never: (3, size², games).
        last: when it last has it, 0 for never.
        busy: whether the point lost a stone; only then is it without the colour between ``first`` and ``last``.
    """

    first: NDArray[np.uint16]
    last: NDArray[np.uint16]
    busy: NDArray[np.bool_]

    @classmethod
    def of(cls, games: _Contents, chosen: range, points: int) -> Self:
        count = len(chosen)
        bounds = games.span_starts[chosen.start : chosen.stop + 1]
        spans = games.spans[bounds[0] : bounds[-1]]
        game = np.repeat(np.arange(count), np.diff(bounds))
        point, colour = spans["stone"] >> 1, (spans["stone"] & 1) + 1
        start, end = spans["start"].astype(np.uint16), spans["end"].astype(np.uint16)
        first = np.full((3, points, count), _END, np.uint16)
        last = np.zeros((3, points, count), np.uint16)
        first[EMPTY], last[EMPTY] = 0, _END - 1
        busy = np.zeros((points, count), bool)
        busy[point[end != _END], game[end != _END]] = True
        np.minimum.at(first, (colour, point, game), start)
        np.maximum.at(last, (colour, point, game), end - np.uint16(1))
        # At most one span of a point is there from the first position, and one to the end.
        early, late = start == 0, end == _END
        first[EMPTY, point[early], game[early]] = end[early]
        last[EMPTY, point[late], game[late]] = np.maximum(start[late], 1) - 1
        return cls(first, last, busy)


def _shape_hits(games: _Contents, chosen: range, shape: Shape, variants: Sequence[_Variant]) -> Iterator[Hit]:
    """Yield where the shape stands first in each of some games."""
    size = shape.board.size
    spans = _Spans.of(games, chosen, size * size)
    tables = [_candidates(spans, variant, number, size) for number, variant in enumerate(variants)]
    candidates = np.concatenate(tables)
    candidates = candidates[np.lexsort((candidates[:, 1], candidates[:, 0]))]
    owners, begins = np.unique(candidates[:, 0], return_index=True)
    for owner, rows in zip(owners.tolist(), np.split(candidates, begins[1:]), strict=False):
        game = chosen[owner]
        found: list[_Found] = []
        # The start of a candidate is a lower bound of the real one.
        for _owner, start, last, number, corner in map(np.ndarray.tolist, rows):
            if found and start > found[0].start:
                break
            points = [
                (corner // size + cell.row) % size * size + (corner % size + cell.column) % size
                for cell in variants[number].cells
            ]
            if spans.busy[points, owner].any():
                exact = _first_time(games, game, points, variants[number])
            else:
                exact = start, _END if last == _END - 1 else last + 1
            if exact is not None and (not found or exact[0] <= found[0].start):
                found = [entry for entry in found if entry.start == exact[0]]
                found.append(_Found(*exact, variants[number], corner))
        if found:
            end = min(entry.end for entry in found)
            yield min(_shape_hit(games, game, entry, shape) for entry in found if entry.end == end)


def _candidates(spans: _Spans, variant: _Variant, number: int, size: int) -> NDArray[np.intp]:
    """Return where an image of a shape may stand: (found, 5), with game, first and last position, number and corner."""
    count = spans.first.shape[-1]
    periods = (2, 2, 1)
    grid = (3, size, size, count)
    first, last = spans.first.reshape(grid), spans.last.reshape(grid)
    tiles = {
        colour: (np.tile(first[colour], periods), np.tile(last[colour], periods))
        for colour in {cell.colour for cell in variant.cells}
    }
    start = np.zeros((size, size, count), np.uint16)
    end = np.full((size, size, count), _END, np.uint16)
    dense, sparse = variant.cells[:_DENSE], variant.cells[_DENSE:]
    for row, column, colour in dense:
        window = slice(row, row + size), slice(column, column + size)
        np.maximum(start, tiles[colour][0][window], out=start)
        np.minimum(end, tiles[colour][1][window], out=end)
    rows, columns, owners = np.nonzero(start <= end)
    starts, ends = start[rows, columns, owners], end[rows, columns, owners]
    for row, column, colour in sparse:
        at = rows + row, columns + column, owners
        starts, ends = np.maximum(starts, tiles[colour][0][at]), np.minimum(ends, tiles[colour][1][at])
        kept = starts <= ends
        if not kept.all():
            rows, columns, owners, starts, ends = (part[kept] for part in (rows, columns, owners, starts, ends))
    numbers = np.full(len(owners), number)
    return np.stack((owners, starts, ends, numbers, rows * size + columns), axis=1).astype(np.intp)


def _first_time(games: _Contents, game: int, points: Sequence[int], variant: _Variant) -> tuple[int, int] | None:
    """Return the first position at which all the points have their colours, and the first after it; None if never."""
    spans = games.spans[games.span_starts[game] : games.span_starts[game + 1]]
    times = [(0, _END)]
    for point, cell in zip(points, variant.cells, strict=True):
        own = spans[spans["stone"] >> 1 == point]
        stones = [(stone & 1, start, end) for stone, start, end in np.sort(own, order="start").tolist()]
        if cell.colour == EMPTY:
            changes = [0, *(time for _stone, start, end in stones for time in (start, end)), _END]
            wanted = list(zip(changes[::2], changes[1::2], strict=True))
        else:
            wanted = [(start, end) for stone, start, end in stones if stone == cell.colour - 1]
        both = [(max(a, c), min(b, d)) for a, b in times for c, d in wanted]
        times = [(start, end) for start, end in both if start < end]
    return min(times, default=None)


def _shape_hit(games: _Contents, game: int, found: _Found, shape: Shape) -> Hit:
    """Return the hit of a shape, with the move in its rectangle that ended it."""
    size = shape.board.size
    place = int(games.starts[game]) + found.start
    before = int(games.starts[game]) + found.end - 1
    cell = (-1, -1)
    mover = EMPTY
    if found.end != _END and (move := int(games.moves[before])) < size * size:
        cell = (move // size - found.corner // size) % size, (move % size - found.corner % size) % size
        mover = WHITE if int(games.keys[before]) & 1 else BLACK
    played = sorted(
        (opponent(mover) if is_exchanged else mover, back[cell], is_exchanged)
        for back, is_exchanged in found.variant.ways
        if cell in back
    )
    if not played:
        is_exchanged = min(is_exchanged for _back, is_exchanged in found.variant.ways)
        return games.hit(game, place, (), EMPTY, is_exchanged=is_exchanged)
    colour, _point, is_exchanged = played[0]
    points = sorted({point for other, point, _exchanged in played if other == colour})
    return games.hit(game, place, tuple(points), colour, is_exchanged=is_exchanged)


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
