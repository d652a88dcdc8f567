"""The index of a library: the metadata of each file, so that ten thousand need not be parsed again.

It is an SQLite database, so that a changed game costs one row and not the whole file, two windows can write at once,
and searches run inside the database. If it is damaged, outdated or missing, it is rebuilt from the files; if it cannot
be stored on disk, it is kept in memory.
"""

from __future__ import annotations

import contextlib
import operator
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from daoqi_tui.codec import decode, encode
from daoqi_tui.engine import BLACK, EMPTY, WHITE, Colour, Game
from daoqi_tui.message import Message
from daoqi_tui.record.sgf.info import standard_result
from daoqi_tui.record.sgf.read import outline
from daoqi_tui.record.text import SgfError
from daoqi_tui.text import plain_line

_MOST_COMMENT: Final = 20_000
_MOST_FIELD: Final = 200
_VERSION: Final = 3
_COLUMNS: Final = """
    "file" TEXT PRIMARY KEY NOT NULL, "modified" INTEGER NOT NULL, "length" INTEGER NOT NULL, "black" TEXT NOT NULL,
    "white" TEXT NOT NULL, "date" TEXT NOT NULL, "name" TEXT NOT NULL, "size" INTEGER NOT NULL,
    "moves" INTEGER NOT NULL, "komi" REAL NOT NULL, "result" TEXT NOT NULL, "opening" INTEGER NOT NULL,
    "board" BLOB NOT NULL,
    "problem" TEXT NOT NULL, "searched" TEXT NOT NULL
"""
_TYPES: Final = (str | bytes, int, int, str, str, str, str, int, int, float, str, int, bytes, str)
_MOST_WORDS: Final = 100
_BUSY: Final = 2.0
"""Seconds to wait while another window writes."""


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """A game of the library. All texts are one line, safe to display.

    Attributes:
        file: its name in the folder of the library.
        modified: when the file was changed last, in nanoseconds since the epoch.
        length: of the file in bytes.
        black, white: players with their ranks.
        date: as the record has it, normally ISO 8601.
        name: of the game, or the event.
        size: of the board; 0 when the file cannot be read.
        moves: plays and passes of the main line.
        komi: in points.
        result: in the form of SGF, or as the record has it.
        opening: the number of the opening class; 0 if it has none, or none was asked for.
        board: the position at the end of the main line, packed: four points a byte (see :meth:`stones`).
        problem: why the file cannot be read, None when it can.
    """

    file: str
    modified: int
    length: int
    black: str
    white: str
    date: str
    name: str
    size: int
    moves: int
    komi: float
    result: str
    opening: int
    board: bytes
    problem: Message | None

    def stones(self) -> bytes:
        """Return the colour of each point of the final board, row by row."""
        colours = bytes(packed >> shift & 3 for packed in self.board for shift in (0, 2, 4, 6))
        return colours[: self.size * self.size]


_NAMES: Final = ", ".join(f'"{field.name}"' for field in fields(LibraryEntry))


class Index:
    """The index in an SQLite file. Its methods are thread-safe and never raise because of the disk."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._lock = threading.RLock()
        self._database = self._open()

    def rows(self) -> dict[str, LibraryEntry]:
        with self._lock:
            for _attempt in range(2):
                try:
                    found = self._database.execute(f"SELECT {_NAMES} FROM games").fetchall()
                    entries = (_entry(row) for row in found if _is_sound(row))
                    return {entry.file: entry for entry in entries}
                except (sqlite3.Error, ValueError) as error:
                    if _passes(error):
                        break  # Read the files again; the index may be usable later.
                    self._begin_anew()
        return {}

    def put(self, rows: Iterable[tuple[LibraryEntry, str]]) -> None:
        """Add or replace entries, each with the text in which it is searched."""
        values = [(*_row(entry), searched) for entry, searched in rows]
        marks = ", ".join("?" * len(values[0])) if values else ""
        self._write(f"INSERT OR REPLACE INTO games VALUES ({marks})", values)

    def remove(self, files: Iterable[str]) -> None:
        self._write("DELETE FROM games WHERE file = ?", [(_key(file),) for file in files])

    def matching(self, words: Iterable[str]) -> set[str]:
        """Return the names of the files in whose text every one of ``words``, already folded, occurs."""
        words = list(words)
        with self._lock:
            try:
                return self._matching(words)
            except UnicodeEncodeError:
                pass  # A word that no file can contain.
            except (sqlite3.Error, ValueError) as error:
                if not _passes(error):
                    self._begin_anew()
        return set()

    def _matching(self, words: list[str]) -> set[str]:
        """Return what :meth:`matching` does.

        Raises:
            sqlite3.Error, ValueError: the index is busy or damaged, or a word is no text.
        """
        found: set[str] | None = None
        # SQLite limits the depth of an expression to 1000.
        for start in range(0, max(len(words), 1), _MOST_WORDS):
            some = words[start : start + _MOST_WORDS]
            condition = " AND ".join(["instr(searched, ?)"] * len(some)) or "1"
            rows = self._database.execute(f"SELECT file FROM games WHERE {condition}", some)
            files = {os.fsdecode(key) for (key,) in rows}
            found = files if found is None else found & files
        return found or set()

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def _write(self, command: str, values: Sequence[tuple[object, ...]]) -> None:
        if not values:
            return
        with self._lock:
            for _attempt in range(2):
                try:
                    with self._database:
                        self._database.executemany(command, values)
                except sqlite3.OperationalError:
                    return  # Busy, full or read-only: the files are checked again later.
                except sqlite3.Error:
                    self._begin_anew()
                else:
                    return

    def _open(self) -> sqlite3.Connection:
        """Open the database on the disk, else create an empty one there, else one in memory."""
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        for fresh in (False, True):
            try:
                if fresh:
                    self._path.unlink(missing_ok=True)
                return _connect(str(self._path))
            except (sqlite3.Error, OSError):
                continue
        return _connect(":memory:")

    def _begin_anew(self) -> None:
        self._database.close()
        with contextlib.suppress(OSError):
            self._path.unlink()
        self._database = self._open()


def _connect(name: str) -> sqlite3.Connection:
    """Open a database and check that it is intact and of this version.

    Raises:
        sqlite3.Error: it is neither, or cannot be opened or written.
    """
    database = sqlite3.connect(name, timeout=_BUSY, check_same_thread=False)
    try:
        if database.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise sqlite3.DatabaseError
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version != _VERSION:
            with database:
                database.execute("BEGIN IMMEDIATE")
                database.execute("DROP TABLE IF EXISTS games")
                database.execute(f"CREATE TABLE games ({_COLUMNS})")
                database.execute(f"PRAGMA user_version = {_VERSION}")
    except BaseException:
        database.close()
        raise
    return database


def _passes(error: Exception) -> bool:
    """Return whether an error is transient, such as a busy database, and not the fault of the index."""
    # SQLITE_ERROR: it has no such table or column. Python's own error for invalid UTF-8 has no code.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_ERROR


def _row(entry: LibraryEntry) -> tuple[object, ...]:
    problem = "" if entry.problem is None else encode(entry.problem).decode()
    return (_key(entry.file), *(getattr(entry, field.name) for field in fields(LibraryEntry)[1:-1]), problem)


def _key(file: str) -> str | bytes:
    """Return the name of a file for the database: its bytes if they are not UTF-8."""
    try:
        file.encode()
    except UnicodeEncodeError:
        return os.fsencode(file)
    return file


def _entry(row: tuple[Any, ...]) -> LibraryEntry:
    """Return the entry of a valid row.

    Raises:
        ValueError: its problem is not a message.
    """
    problem = decode(row[-1], Message) if row[-1] else None
    values: list[Any] = [os.fsdecode(row[0]), *row[1:-1], problem]
    return LibraryEntry(*values)


def _is_sound(row: tuple[object, ...]) -> bool:
    return all(map(isinstance, row, _TYPES))


Classify: TypeAlias = Callable[[Game], int]
"""Returns the number of a game's opening class, 0 if it has none; the game may end after its second move."""


def no_class(game: Game) -> int:  # noqa: ARG001 (as the type has it)
    return 0


def entry_of(file: str, modified: int, data: bytes, classify: Classify = no_class) -> tuple[LibraryEntry, str]:
    """Return the entry of a file, and its searchable text."""
    try:
        game = outline(data)
    except SgfError as error:
        entry = LibraryEntry(file, modified, len(data), "", "", "", "", 0, 0, 0, "", 0, b"", error.as_message())
        return entry, _searched(entry)
    info = game.info
    entry = LibraryEntry(
        file,
        modified,
        len(data),
        _short(f"{info.black} {info.black_rank}"),
        _short(f"{info.white} {info.white_rank}"),
        _short(info.date),
        _short(info.name or info.event),
        game.size,
        game.moves,
        game.komi,
        _short(info.result or ""),
        classify(game.beginning),
        _packed(game.colours),
        None,
    )
    return entry, _searched(entry, info.event, info.place, info.annotator, info.comment, game.comment)


def folded(text: str) -> str:
    """Return ``text`` normalised for searching, case-folded."""
    return plain_line(text).casefold()


def _short(text: str) -> str:
    return plain_line(text)[:_MOST_FIELD]


def _searched(entry: LibraryEntry, *more: str) -> str:
    own = (entry.black, entry.white, entry.date, entry.result, entry.name, entry.file)
    return "\n".join(folded(text[:_MOST_COMMENT]) for text in (*own, *more) if text)


_DIGITS: Final = bytes.maketrans(bytes((EMPTY, BLACK, WHITE)), b"012")


def _packed(colours: list[Colour]) -> bytes:
    """Pack a board, four points a byte, the first in the lowest bits."""
    # As one number of base 4, whose first digit is the last point.
    return int(bytes(colours[::-1]).translate(_DIGITS), 4).to_bytes((len(colours) + 3) // 4, "little")


FIELDS: Final[Mapping[str, Callable[[LibraryEntry], Any]]] = {
    "black": lambda entry: folded(entry.black),
    "white": lambda entry: folded(entry.white),
    "player": lambda entry: f"{folded(entry.black)}\n{folded(entry.white)}",
    "name": lambda entry: folded(entry.name),
    "result": lambda entry: _result(entry.result),
    "date": lambda entry: folded(entry.date),
    "size": lambda entry: entry.size,
    "moves": lambda entry: entry.moves,
    "komi": lambda entry: entry.komi,
    "opening": lambda entry: entry.opening,
}


def _result(text: str) -> str:
    """Return a result as it is compared: ``b+r`` for one in words or in SGF."""
    wording = text if _BEGINNING.fullmatch(text) else standard_result(text)
    return folded(wording or text)


_BEGINNING = re.compile(r"[bw]\+?[\d.]*", re.IGNORECASE)
"""The beginning of a result, which a condition may give alone."""
_CONDITION = re.compile(rf"({'|'.join(FIELDS)}):(<=|>=|<|>|=)?(.+)")
"""Matched with case-folded text; matching case-insensitively would also accept ``whıte``, with a Turkish ı."""
_COMPARED: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}
_NUMBERS: Final = frozenset({"size", "moves", "komi", "opening"})


class Condition(NamedTuple):
    """A condition on one field.

    Attributes:
        field: a key of :data:`FIELDS`.
        sign: the comparison operator; empty if the field has to contain the text, or begin with it (a date or a
            result).
        value: the operand: a number for a number, else case-folded text.
    """

    field: str
    sign: str
    value: float | str

    def holds(self, entry: LibraryEntry) -> bool:
        """Return whether an entry meets the condition; an unreadable entry meets none."""
        if entry.problem is not None:
            return False
        found = FIELDS[self.field](entry)
        if self.sign:
            shown, value = found, self.value
            if isinstance(value, str) and self.field == "date":
                # Compare prefixes: 2024-05 is neither before nor after 2024, nor is 2024 before or after 2024-05.
                shown = found[: len(value)]
                value = value if self.sign == "=" else value[: len(found)]
            return bool(found != "" and _COMPARED[self.sign](shown, value))
        if self.field in _NUMBERS:
            return bool(found == self.value)
        return found.startswith(self.value) if self.field in ("date", "result") else self.value in found


class Query(NamedTuple):
    """A query: words that have to occur somewhere, and conditions."""

    words: tuple[str, ...]
    conditions: tuple[Condition, ...]

    @staticmethod
    def parse(text: str) -> Query:
        """Parse typed text; anything that is not a condition is a word."""
        words, conditions = [], []
        for word in folded(text).split():
            condition = _condition(word)
            if condition is None:
                words.append(word)
            else:
                conditions.append(condition)
        return Query(tuple(words), tuple(conditions))

    def holds(self, entry: LibraryEntry) -> bool:
        return all(condition.holds(entry) for condition in self.conditions)


def _condition(word: str) -> Condition | None:
    found = _CONDITION.fullmatch(word)
    if found is None:
        return None
    field, sign, value = found[1], found[2] or "", found[3]
    if field not in _NUMBERS:
        return Condition(field, sign, _result(value) if field == "result" else value)
    try:
        return Condition(field, sign, float(value))
    except ValueError:
        return None
