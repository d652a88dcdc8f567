"""The index of a library: what is known of each file, kept so that ten thousand need not be read again.

It is an SQLite database, since a changed game then costs one row and not the whole file, two windows may write at
once, and a search runs inside the database. It holds nothing that the games do not say themselves: damaged,
outdated or missing, it is simply made again; where it cannot be kept on the disk it is kept in memory.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import astuple, fields
from pathlib import Path
from typing import Final

from daoqi_tui.record.library_entry import Entry

_VERSION: Final = 1
_NAMES: Final = ", ".join(f'"{field.name}"' for field in fields(Entry))
_COLUMNS: Final = """
    "file" TEXT PRIMARY KEY NOT NULL, "modified" INTEGER NOT NULL, "length" INTEGER NOT NULL, "black" TEXT NOT NULL,
    "white" TEXT NOT NULL, "date" TEXT NOT NULL, "name" TEXT NOT NULL, "size" INTEGER NOT NULL,
    "moves" INTEGER NOT NULL, "komi" REAL NOT NULL, "result" TEXT NOT NULL, "board" BLOB NOT NULL,
    "problem" TEXT NOT NULL, "searched" TEXT NOT NULL
"""
_TYPES: Final = (str, int, int, str, str, str, str, int, int, float, str, bytes, str)
_BUSY: Final = 2.0
"""Seconds to wait while another window writes."""


class Index:
    """Rows by file name. Its methods may be called from any thread, and never raise for what is on the disk."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._lock = threading.RLock()
        self._database = self._open()

    def rows(self) -> dict[str, Entry]:
        """All entries by file name."""
        with self._lock:
            for _attempt in range(2):
                try:
                    found = self._database.execute(f"SELECT {_NAMES} FROM games").fetchall()
                    return {row[0]: Entry(*row) for row in found if _is_sound(row)}
                except (sqlite3.Error, ValueError):
                    self._begin_anew()
        return {}

    def put(self, rows: Iterable[tuple[Entry, str]]) -> None:
        """Add or replace entries, each with the text in which it is searched."""
        values = [(*astuple(entry), searched) for entry, searched in rows]
        marks = ", ".join("?" * len(values[0])) if values else ""
        self._write(f"INSERT OR REPLACE INTO games VALUES ({marks})", values)

    def remove(self, files: Iterable[str]) -> None:
        """Forget files."""
        self._write("DELETE FROM games WHERE file = ?", [(file,) for file in files])

    def matching(self, words: Iterable[str]) -> set[str]:
        """The names of the files in whose text every one of ``words``, already folded, occurs."""
        words = list(words)
        condition = " AND ".join(["instr(searched, ?)"] * len(words)) or "1"
        with self._lock:
            try:
                found = self._database.execute(f"SELECT file FROM games WHERE {condition}", words)
                return {file for (file,) in found}
            except (sqlite3.Error, ValueError):
                self._begin_anew()
        return set()

    def close(self) -> None:
        """Give up the database."""
        with self._lock:
            self._database.close()

    def _write(self, command: str, values: list[tuple[object, ...]] | list[tuple[str]]) -> None:
        if not values:
            return
        with self._lock:
            for _attempt in range(2):
                try:
                    with self._database:
                        self._database.executemany(command, values)
                except sqlite3.OperationalError:
                    return  # Busy, full or read-only: the files are looked at again another time.
                except sqlite3.Error:
                    self._begin_anew()
                else:
                    return

    def _open(self) -> sqlite3.Connection:
        """The database as it is on the disk, else an empty one there, else one in memory."""
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
        """Put an empty index in place of one that turned out damaged."""
        self._database.close()
        with contextlib.suppress(OSError):
            self._path.unlink()
        self._database = self._open()


def _connect(name: str) -> sqlite3.Connection:
    """Open a database and see that it is sound and of this version.

    Raises:
        sqlite3.Error: it is neither, or cannot be opened or written.
    """
    database = sqlite3.connect(name, timeout=_BUSY, check_same_thread=False)
    try:
        if database.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("the index is damaged")
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


def _is_sound(row: tuple[object, ...]) -> bool:
    return all(map(isinstance, row, _TYPES))
