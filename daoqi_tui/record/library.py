"""The library: the folder of played and imported games, one SGF each, with an index that makes it quick.

The files are the truth. They may be added, changed and removed by anyone at any time; the index follows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from daoqi_tui.engine import Game
from daoqi_tui.record.files import read_record, write_atomically
from daoqi_tui.record.info import Info
from daoqi_tui.record.library_entry import Entry, entry_of, folded
from daoqi_tui.record.library_files import move, reserve, scan
from daoqi_tui.record.library_index import Index
from daoqi_tui.record.library_names import stem_of, with_token
from daoqi_tui.record.library_rewrite import renamed, split
from daoqi_tui.record.paths import library_folder
from daoqi_tui.record.portable import dump_portable
from daoqi_tui.record.problem import SgfError, reason_of
from daoqi_tui.record.sgf import dump, load
from daoqi_tui.record.text import plain_line

INDEX: Final = ".index.sqlite3"
TRASH: Final = "trash"
_BATCH: Final = 50
_BUDGET: Final = 0.1


@dataclass(frozen=True, slots=True)
class Listing:
    """The games of a library, newest first.

    Attributes:
        entries: what is known.
        unread: how many files are still to be read; :meth:`Library.refresh` reads them.
        problem: why the folder cannot be read, empty when it can.
    """

    entries: tuple[Entry, ...]
    unread: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did.

    Attributes:
        files: the names under which games are now in the library.
        problems: a sentence for each file or game that is not.
    """

    files: tuple[str, ...]
    problems: tuple[str, ...]


class Library:
    """The games in ``folder``, by default where the system keeps a program's data.

    Methods wait for the disk. Those that write raise OSError as the system gives it, and then nothing is lost.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder: Final = library_folder() if folder is None else folder
        self._opened: Index | None = None

    @property
    def _index(self) -> Index:
        if self._opened is None:
            self._opened = Index(self.folder / INDEX)
        return self._opened

    def close(self) -> None:
        """Give up the index; the next use takes it up again."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    # Looking

    def games(self, budget: float = _BUDGET) -> Listing:
        """All games; new and changed files are read for at most ``budget`` seconds."""
        try:
            files = scan(self.folder)
        except FileNotFoundError:
            return Listing((), 0)
        except OSError as error:
            return Listing((), 0, plain_line(f"{self.folder} cannot be read: {error.strerror or error}"))
        rows = self._index.rows()
        self._index.remove(rows.keys() - files.keys())
        stale = [file for file, stamp in files.items() if file not in rows or _stamp(rows[file]) != stamp]
        end = time.monotonic() + budget
        unread = len(stale)
        for batch in self._read(stale):
            rows |= {entry.file: entry for entry, _ in batch}
            unread -= len(batch)
            if time.monotonic() > end:
                break
        entries = [entry for file, entry in rows.items() if file in files]
        entries.sort(key=lambda entry: (entry.date, entry.modified, entry.file), reverse=True)
        return Listing(tuple(entries), unread)

    def refresh(self, progress: Callable[[int, int], object] | None = None) -> None:
        """Read every file the index does not know as it is; tells ``progress`` how many of how many are read."""
        files = scan(self.folder) if self.folder.is_dir() else {}
        rows = self._index.rows()
        stale = [file for file, stamp in files.items() if file not in rows or _stamp(rows[file]) != stamp]
        done = 0
        for batch in self._read(stale):
            done += len(batch)
            if progress is not None:
                progress(done, len(stale))

    def search(self, text: str, among: Iterable[Entry]) -> tuple[Entry, ...]:
        """Those of ``among`` in whose players, date, result, names or first comments every word of ``text`` occurs."""
        words = folded(text).split()
        if not words:
            return tuple(among)
        found = self._index.matching(words)
        return tuple(entry for entry in among if entry.file in found)

    def path(self, file: str) -> Path:
        """Where a game of the library is."""
        return self.folder / Path(file).name

    # Adding

    def new_name(self, info: Info) -> str:
        """A file name for a game that is to be :meth:`put` there later."""
        return with_token(stem_of(info))

    def put(self, file: str, data: bytes) -> Path:
        """Write a record under a name given by :meth:`new_name`, in place of what is there; it is then on the disk."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.path(file)
        write_atomically(path, data)
        self._note(path, data)
        return path

    def add(self, game: Game, info: Info | None = None) -> Path:
        """Write a game into the library, under a name of its own."""
        info = info or Info()
        return self._add_bytes(stem_of(info), dump(game, info))

    def import_files(self, paths: Iterable[Path], torus: bool | None = None) -> Imported:
        """Copy games of other files into the library; of a file with several games each becomes a file.

        A game that is there already, byte for byte under the name it would have, is not added again.

        Args:
            paths: the files.
            torus: how records that do not say it are to be read, as in :func:`~daoqi_tui.record.sgf.load`.
        """
        files: list[str] = []
        problems: list[str] = []
        for path in paths:
            try:
                games = split(read_record(path))
            except SgfError as error:
                problems.append(plain_line(f"{path.name}: {error}"))
                continue
            for place, data in enumerate(games, 1):
                where = path.name if len(games) == 1 else f"{path.name}, game {place}"
                try:
                    loaded = load(data, torus)
                    if torus and loaded.declared is None:
                        data = dump(loaded.game, loaded.info)  # So that it now says what it was said to be.
                    stem = stem_of(loaded.info) if loaded.info.black or loaded.info.white else path.stem
                    files.append(self._add_bytes(stem, data).name)
                except (SgfError, OSError) as error:
                    reason = reason_of(error)
                    problems.append(plain_line(f"{where}: {reason}"))
        return Imported(tuple(files), tuple(problems))

    # Changing

    def rename(self, file: str, *, black: str | None = None, white: str | None = None, name: str | None = None) -> Path:
        """Change players or the name of a game in its record, and its file name with them.

        Everything else in the record stays. Had reading it to skip something, the old file is kept in the trash.

        Raises:
            SgfError: the record cannot be read.
        """
        path = self.path(file)
        old = read_record(path)
        rewritten = renamed(old, black=black, white=white, name=name)
        if rewritten.skips:
            write_atomically(reserve(self.folder / TRASH, path.stem), old)
        write_atomically(path, rewritten.data)
        target = path
        if stem_of(rewritten.info) != stem_of(rewritten.info_before):
            target = reserve(self.folder, stem_of(rewritten.info))
            path.replace(target)
            self._index.remove([file])
        self._note(target, rewritten.data)
        return target

    def export(self, file: str, target: Path, *, portable: bool = False, overwrite: bool = False) -> None:
        """Copy a game to ``target``; ``portable`` for programs that know only a flat board.

        Raises:
            FileExistsError: the target is there and ``overwrite`` is not given.
            SgfError: the record cannot be read.
        """
        if not overwrite and target.exists():
            raise FileExistsError(f"{target} is there already; choose another name")
        data = read_record(self.path(file))
        if portable:
            loaded = load(data)
            data = dump_portable(loaded.game, loaded.info)
        write_atomically(target, data)

    def delete(self, file: str) -> Path:
        """Move a game to the trash folder; returns where it is now."""
        path = self.path(file)
        target = reserve(self.folder / TRASH, path.stem)
        move(path, target)
        self._index.remove([file])
        return target

    def restore(self, trashed: Path) -> Path:
        """Bring a game back from the trash; returns where it is now."""
        target = reserve(self.folder, trashed.stem)
        move(trashed, target)
        return target

    # Below the surface

    def _read(self, files: list[str]) -> Iterator[list[tuple[Entry, str]]]:
        """Read files into the index, a batch at a time."""
        for start in range(0, len(files), _BATCH):
            batch = []
            for file in files[start : start + _BATCH]:
                try:
                    modified = self.path(file).stat().st_mtime_ns
                    data = read_record(self.path(file))
                except (OSError, SgfError) as error:
                    modified, data = 0, b""
                    batch.append((_unreadable(file, str(error)), folded(file)))
                    continue
                batch.append(entry_of(file, modified, data))
            self._index.put(batch)
            yield batch

    def _note(self, path: Path, data: bytes) -> None:
        """Put a file just written into the index."""
        try:
            modified = path.stat().st_mtime_ns
        except OSError:
            return
        self._index.put([entry_of(path.name, modified, data)])

    def _add_bytes(self, stem: str, data: bytes) -> Path:
        """Write a record under a free name, or find it there."""
        target = reserve(self.folder, stem, data)
        if target.stat().st_size:
            return target
        try:
            write_atomically(target, data)
        except BaseException:
            target.unlink(missing_ok=True)
            raise
        self._note(target, data)
        return target


def _stamp(entry: Entry) -> tuple[int, int]:
    return entry.modified, entry.length


def _unreadable(file: str, reason: str) -> Entry:
    return Entry(file, 0, 0, "", "", "", "", 0, 0, 0, "", b"", plain_line(reason))
