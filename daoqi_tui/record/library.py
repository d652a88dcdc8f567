"""The library: a folder of played and imported games, one SGF file each, with an index for fast listing and search.

The files are authoritative: other programs may add, change and remove them at any time, and the index is updated.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import re
import secrets
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Final

from daoqi_tui.engine import BLACK, WHITE, Game
from daoqi_tui.engine.rules import colour_message
from daoqi_tui.message import Message, Translate, message_of, problem_of, reason_of
from daoqi_tui.paths import library_folder
from daoqi_tui.record.files import TRASH, read_record, record_bytes, write_atomically
from daoqi_tui.record.formats import parse, records_below
from daoqi_tui.record.library_index import Classify, Index, LibraryEntry, Query, entry_of, folded, no_class
from daoqi_tui.record.sgf import RawNode
from daoqi_tui.record.sgf.import_stage import games_of, standardise
from daoqi_tui.record.sgf.info import Info, read_info, result_message
from daoqi_tui.record.sgf.read import load
from daoqi_tui.record.sgf.write import dump, serialise
from daoqi_tui.record.text import SgfError, SgfProblem, encode_line
from daoqi_tui.text import plain_line

SUFFIX: Final = ".sgf"
_LONGEST: Final = 180
"""Bytes of a name in UTF-8 without its ending; systems allow 255 with everything added."""
_UNSAFE = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f␀-␡�]+')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
INDEX: Final = ".index.sqlite3"
_BATCH: Final = 50


@dataclass(frozen=True, slots=True)
class Listing:
    """The games of a library, newest first.

    Attributes:
        entries: the games read so far.
        unread: the number of files still to be read, for which the time given to :meth:`Library.games` did not suffice.
        problem: why the folder cannot be read, None when it can.
    """

    entries: tuple[LibraryEntry, ...]
    unread: int
    problem: Message | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import.

    Attributes:
        files: the names of the games in the library.
        problems: a sentence for each file or game that could not be imported.
        repairs: a sentence for each thing that was skipped or read as other programs mean it.
    """

    files: tuple[str, ...]
    problems: tuple[Message, ...]
    repairs: tuple[Message, ...] = ()


class Library:
    """The games in ``folder``, by default the one in the system's data directory.

    Methods wait for the disk. Those that write raise OSError as the system gives it, and then nothing is lost.

    Args:
        folder: of the games.
        classify: returns the opening class of a game that is read into the index.
        translate: translates what is searched as it is shown, and the name of a colour, which stands for a player
            without a name in the name of a file.
    """

    def __init__(self, folder: Path | None = None, classify: Classify = no_class, translate: Translate = str) -> None:
        self.folder: Final = library_folder() if folder is None else folder
        self._classify: Final = classify
        self._translate: Final = translate
        self._opened: Index | None = None
        self._opening: Final = Lock()

    @property
    def _index(self) -> Index:
        with self._opening:
            if self._opened is None:
                self._opened = Index(self.folder / INDEX)
            return self._opened

    def close(self) -> None:
        """Close the index; it is opened again when it is needed."""
        with self._opening:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    # Listing and searching

    def games(self, budget: float = math.inf) -> Listing:
        """List all games; new and changed files are read first, but no further batch after ``budget`` seconds."""
        try:
            files = scan(self.folder)
        except FileNotFoundError:
            return Listing((), 0)
        except OSError as error:
            return Listing((), 0, _unreadable_message(self.folder, error))
        rows = self._index.rows()
        self._index.remove(rows.keys() - files.keys())
        stale = _stale(files, rows)
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

    def search(self, text: str, among: Iterable[LibraryEntry]) -> tuple[LibraryEntry, ...]:
        """Return the entries of ``among`` that ``text`` describes.

        Every plain word must occur in players, date, size, result, names or comment, or as these are shown to the user;
        a word with a colon, such as ``white:ke`` or ``moves:>100``, is a condition
        (:mod:`daoqi_tui.record.library_index`).
        """
        query = Query.parse(text)
        entries = tuple(entry for entry in among if query.holds(entry))
        # Few of them differ, and the index does not depend on the language.
        shown = {key: self._shown(*key) for key in {(entry.size, entry.result) for entry in entries}}
        rest = []
        for word in dict.fromkeys(query.words):
            keys = {key for key, words in shown.items() if word in words}
            if keys:
                found = self._index.matching([word])
                entries = tuple(e for e in entries if (e.size, e.result) in keys or e.file in found)
            else:
                rest.append(word)
        if not rest:
            return entries
        found = self._index.matching(rest)
        return tuple(entry for entry in entries if entry.file in found)

    def _shown(self, size: int, result: str) -> str:
        """Return how a row shows a size and a result, in forms in which they may be typed."""
        message = result_message(result)
        words = folded(message if isinstance(message, str) else self._translate(message))
        return "\n".join((f"{size}×{size}", f"{size}x{size}", words, words.replace(" ", "")))

    def path(self, file: str) -> Path:
        return self.folder / Path(file).name

    # Adding

    def new_name(self, info: Info) -> str:
        """Return a file name for a game that is :meth:`put` there later, which no other window will choose as well."""
        return f"{stem_of(info, self._translate)} {secrets.token_hex(3)}{SUFFIX}"

    def put(self, file: str, data: bytes) -> Path:
        """Write a record under a name given by :meth:`new_name`, replacing any; flush it to the disk."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.path(file)
        write_atomically(path, data)
        self._note(path, data)
        return path

    def add(self, game: Game, info: Info | None = None) -> Path:
        """Write a game into the library, under a name of its own."""
        info = info or Info()
        data = dump(game, info)
        path, is_new = self._add_bytes(stem_of(info, self._translate), data, _Names(self.folder))
        if is_new:
            self._note(path, data)
        return path

    def import_files(self, paths: Iterable[Path], torus: bool | None = None) -> Imported:
        """Copy games of other files into the library; of a file with several games each becomes a file.

        A game that already exists under the same name with the same bytes is not added again.

        Args:
            paths: the files.
            torus: how to read records without a declaration, as in :func:`~daoqi_tui.record.sgf.read.load`.
        """
        files: list[str] = []
        problems: list[Message] = []
        repairs: list[Message] = []
        taken = _Names(self.folder)
        entries: list[tuple[LibraryEntry, str]] = []
        for path in paths:
            try:
                games, found = split(record_bytes(path))
            except (OSError, SgfError) as error:
                problems.append(_refused(path.name, error))
                continue
            repairs += (_refused(path.name, repair.as_message()) for repair in found)
            for place, data in enumerate(games, 1):
                where = path.name if len(games) == 1 else Message("{file}, game {number}", file=path.name, number=place)
                try:
                    loaded = load(data, torus)
                    if torus and loaded.declared is None:
                        data = dump(loaded.game, loaded.info)  # So that the file now declares what it was taken for.
                    named = loaded.info.black or loaded.info.white
                    stem = stem_of(loaded.info, self._translate) if named else safe_stem(path.stem)
                    file, is_new = self._add_bytes(stem, data, taken)
                except SgfError as error:
                    problems.append(_refused(where, error))
                    continue
                except OSError as error:
                    # It names the file in the library.
                    problems.append(_refused(where, problem_of(error)))
                    continue
                files.append(file.name)
                repairs += (_refused(where, repair.as_message()) for repair in loaded.problems)
                if is_new:
                    entries += self._entries(file, data)
                # Each change of the index waits for the disk.
                if len(entries) >= _BATCH:
                    self._index.put(entries)
                    entries.clear()
        if entries:
            self._index.put(entries)
        return Imported(tuple(files), tuple(problems), tuple(repairs))

    def import_below(self, folder: Path) -> Imported:
        """Copy the games of a folder, and of those below it, into the library; as :meth:`import_files`."""
        below = records_below(folder)
        imported = self.import_files(below.files)
        unreadable = (_refused(Path(error.filename).name, error) for error in below.unreadable)
        return replace(imported, problems=(*unreadable, *imported.problems))

    # Changing

    def rename(self, file: str, *, black: str | None = None, white: str | None = None, name: str | None = None) -> Path:
        """Change players or the name of a game in its record, and its file name with them.

        Everything else in the record stays. If reading it had to skip something, the old file goes to the trash.

        Raises:
            SgfError: the record cannot be read.
        """
        path = self.path(file)
        old = read_record(path)
        rewritten = renamed(old, black=black, white=white, name=name)
        if rewritten.skips:
            _fill(reserve(self.folder / TRASH, path.stem), old)
        write_atomically(path, rewritten.data)
        target = path
        stem = stem_of(rewritten.info, self._translate)
        if stem != stem_of(rewritten.info_before, self._translate):
            target = reserve(self.folder, stem)
            move(path, target)
            self._index.remove([file])
        self._note(target, rewritten.data)
        return target

    def delete(self, file: str) -> Path:
        """Move a game to the trash folder; returns its new path."""
        path = self.path(file)
        target = reserve(self.folder / TRASH, path.stem, path.suffix)
        move(path, target)
        self._index.remove([file])
        return target

    def restore(self, trashed: Path, file: str) -> Path:
        """Restore a game from the trash under ``file``, its former name; if that is taken, under a free one.

        Returns:
            Its new path.
        """
        own = self.path(file)
        target = reserve(self.folder, own.stem, own.suffix)
        move(trashed, target)
        return target

    # Internals

    def _read(self, files: list[str]) -> Iterator[list[tuple[LibraryEntry, str]]]:
        """Read files into the index, a batch at a time."""
        for start in range(0, len(files), _BATCH):
            batch = []
            for file in files[start : start + _BATCH]:
                path = self.path(file)
                try:
                    modified = path.stat().st_mtime_ns
                    data = read_record(path)
                except (OSError, SgfError) as error:
                    batch.append((_unreadable(file, error), folded(file)))
                    continue
                batch.append(entry_of(file, modified, data, self._classify))
            self._index.put(batch)
            yield batch

    def _note(self, path: Path, data: bytes) -> None:
        self._index.put(self._entries(path, data))

    def _entries(self, path: Path, data: bytes) -> list[tuple[LibraryEntry, str]]:
        """Return the entry of a file that was just written; none if it is gone already."""
        try:
            modified = path.stat().st_mtime_ns
        except OSError:
            return []
        return [entry_of(path.name, modified, data, self._classify)]

    def _add_bytes(self, stem: str, data: bytes, taken: _Names) -> tuple[Path, bool]:
        """Write a record under a free name, unless it already exists; return its path, and whether it was written."""
        target = taken.reserve(stem, data)
        if target.stat().st_size:
            return target, False
        _fill(target, data)
        return target, True


def _stale(files: Mapping[str, tuple[int, int]], rows: Mapping[str, LibraryEntry]) -> list[str]:
    """Return the files that are new or have changed since they were read into the index."""
    known = {file: (entry.modified, entry.length) for file, entry in rows.items()}
    return [file for file, stamp in files.items() if known.get(file) != stamp]


def _unreadable(file: str, error: OSError | SgfError) -> LibraryEntry:
    return LibraryEntry(
        file, 0, 0, "", "", "", "", 0, 0, 0, "", 0, b"", message_of(error) or _unreadable_message(file, error)
    )


def _unreadable_message(path: Path | str, error: Exception) -> Message:
    return Message("{file} cannot be read: {reason}", file=path, reason=reason_of(error)).map_text(plain_line)


def _refused(where: Message | str, problem: Exception | Message | str) -> Message:
    reason = reason_of(problem) if isinstance(problem, Exception) else problem
    return Message("{place}: {reason}", place=where, reason=reason).map_text(plain_line)


def safe_stem(text: str) -> str:
    r"""Return ``text`` as a file name without ending, for Linux, macOS and Windows alike.

    >>> safe_stem("../a: b?\x1b[31m"), safe_stem("con"), safe_stem("...")
    ('a b [31m', 'con_', 'game')
    """
    text = _UNSAFE.sub(" ", unicodedata.normalize("NFC", plain_line(text)))
    text = " ".join(text.split()).strip(". ")
    while len(text.encode()) > _LONGEST:
        text = text[: min(len(text) - 1, _LONGEST)].rstrip(". ")
    if _RESERVED.match(text):
        text = f"{text.partition('.')[0]}_"
    return text or "game"


def stem_of(info: Info, translate: Translate = str) -> str:
    """Return the file name stem for a game: its date and players, or its name.

    >>> stem_of(Info(black="Ke Jie", white="Go", date="2024-05-01"))
    '2024-05-01 Ke Jie – Go'
    """
    names = ((info.black, BLACK), (info.white, WHITE))
    players = " – ".join(name[:60] or translate(colour_message(colour)) for name, colour in names)
    players = players if info.black or info.white else ""
    return safe_stem(f"{info.date[:10]} {players or info.name[:100]}")


def numbered(stem: str, number: int, suffix: str = SUFFIX) -> str:
    return f"{stem}{suffix}" if number < 2 else f"{stem} ({number}){suffix}"


def scan(folder: Path) -> dict[str, tuple[int, int]]:
    """Return modification time in nanoseconds and size in bytes of each record in ``folder``, by file name.

    Empty files are skipped: they only reserve a name.

    Raises:
        OSError: the folder cannot be read.
    """
    found = {}
    with os.scandir(folder) as places:
        for place in places:
            if place.name.lower().endswith(SUFFIX) and not place.name.startswith("."):
                try:
                    status = place.stat()
                    if place.is_file() and status.st_size:
                        found[place.name] = (status.st_mtime_ns, status.st_size)
                except OSError:
                    continue  # Just removed, or a broken link.
    return found


def reserve(folder: Path, stem: str, suffix: str = SUFFIX) -> Path:
    """Create an empty file under a free name; the folder is created if missing.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        path = folder / numbered(stem, number, suffix)
        try:
            path.open("xb").close()
        except FileExistsError:
            number += 1
        else:
            return path


class _Names:
    """The taken names in a folder, as far as known.

    Each file is checked once, and read only if a game of its size is added, however many games share a stem.
    """

    def __init__(self, folder: Path) -> None:
        self._folder: Final = folder
        self._next: dict[str, int] = {}
        """The first number of each stem that may be free."""
        self._unread: dict[tuple[str, int], list[Path]] = {}
        self._by_content: dict[tuple[str, bytes], Path] = {}

    def reserve(self, stem: str, data: bytes) -> Path:
        """Create an empty file under a free name, or find one that contains ``data``; a missing folder is created.

        Raises:
            OSError: the folder cannot be written.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        content = stem, _digest(data)
        while True:
            self._read(stem, len(data))
            found = self._by_content.get(content)
            if found is not None and found.is_file():
                return found
            number = self._next.get(stem, 1)
            path = self._folder / numbered(stem, number)
            try:
                path.open("xb").close()
            except FileExistsError:
                self._next[stem] = number + 1
                with contextlib.suppress(OSError):
                    if path.is_file():
                        self._unread.setdefault((stem, path.stat().st_size), []).append(path)
            else:
                # The number is kept as the next one: if the file cannot be written, it is free again.
                return path

    def _read(self, stem: str, size: int) -> None:
        for path in self._unread.pop((stem, size), ()):
            with contextlib.suppress(OSError):
                self._by_content.setdefault((stem, _digest(path.read_bytes())), path)


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data).digest()


@contextlib.contextmanager
def _reservation(target: Path) -> Iterator[None]:
    """Remove a reserved name if it is not taken in the block."""
    try:
        yield
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def move(path: Path, target: Path) -> None:
    """Rename a file to a reserved name; if that fails, the reservation is removed.

    Raises:
        OSError: it cannot be renamed.
    """
    with _reservation(target):
        path.replace(target)


def _fill(target: Path, data: bytes) -> None:
    with _reservation(target):
        write_atomically(target, data)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The result of :func:`renamed`.

    Attributes:
        data: the new record.
        info, info_before: the information of the (first) game after and before.
        skips: whether the new record may lack parts of the old one, because reading skipped them or guessed the
            encoding.
    """

    data: bytes
    info: Info
    info_before: Info
    skips: bool


def split(data: bytes) -> tuple[list[bytes], list[SgfProblem]]:
    """Split a file into one record for each game; SGF with a single game is returned unchanged.

    Returns:
        The records, and the repairs that do not show in them any more.

    Raises:
        SgfError: there is no game in it.
    """
    collection = parse(data)
    roots = [root for root in collection.roots if root.properties or root.children]
    if collection.format != "SGF":
        # Written as SGF, a record no longer shows whose units and conventions it follows.
        for root in roots:
            standardise(collection, root)
    elif len(roots) == 1:
        return [data], []
    return [_written(root) for root in roots], collection.problems


def renamed(data: bytes, *, black: str | None, white: str | None, name: str | None) -> Rewritten:
    """Return the record with other players or another name; None keeps a field, an empty text removes it.

    Raises:
        SgfError: there is no game in it.
    """
    collection = parse(data)
    root = games_of(collection)[0]
    before = read_info(root.properties)
    for key, text in (("PB", black), ("PW", white), ("GN", name)):
        if text is None:
            continue
        root.properties.pop(key, None)
        if text.strip():
            root.properties[key] = [encode_line(text)]
    written = b"".join(_written(root) for root in collection.roots)
    return Rewritten(written, read_info(root.properties), before, bool(collection.problems) or collection.guessed)


def _written(root: RawNode) -> bytes:
    """Serialise one game in UTF-8 with a matching CA; the order of the other properties stays."""
    properties = root.properties
    if "CA" in properties or not all(raw.isascii() for values in properties.values() for raw in values):
        root.properties = {"CA": ["UTF-8"]} | {key: values for key, values in properties.items() if key != "CA"}
    return serialise(root)
