"""The folder of journals: which games can be resumed. No file in it, whatever it is, keeps a start from going well."""

from __future__ import annotations

import secrets
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from daoqi_tui.record.info import Info
from daoqi_tui.record.journal_entries import About, Begin
from daoqi_tui.record.journal_file import TEMPORARY, set_aside
from daoqi_tui.record.journal_lines import read_lines
from daoqi_tui.record.journal_lock import is_locked
from daoqi_tui.record.text import plain_line

SUFFIX: Final = ".journal"
_HEAD_LINES: Final = 4
_DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A game that can be resumed.

    Attributes:
        path: its journal.
        size: of the board.
        names: players and whatever else was said of the game at first.
        created: when it was begun, ISO 8601.
        changed: when it was played on last, in seconds since the epoch.
    """

    path: Path
    size: int
    names: Info
    created: str
    changed: float


@dataclass(frozen=True, slots=True)
class Found:
    """What a look into the folder found.

    Attributes:
        journals: games to resume, the one played on last first.
        problems: a sentence for each file that could not be used.
    """

    journals: tuple[Unfinished, ...]
    problems: tuple[str, ...]


def new_path(folder: Path, now: datetime) -> Path:
    """A name for a new journal that no other window will choose."""
    return folder / f"{now:%Y-%m-%d-%H%M%S}-{secrets.token_hex(4)}{SUFFIX}"


def unfinished(folder: Path) -> list[Unfinished]:
    """The games that can be resumed and that no living window plays, the one played on last first."""
    return list(look(folder).journals)


def look(folder: Path) -> Found:
    """Look for games to resume. A journal without a sound beginning is set aside under another name. Never raises."""
    journals: list[Unfinished] = []
    problems: list[str] = []
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix in (SUFFIX, TEMPORARY))
    except FileNotFoundError:
        return Found((), ())
    except OSError as error:
        problem = f"the folder of running games, {folder}, cannot be read: {error.strerror or error}"
        return Found((), (plain_line(problem),))
    for path in paths:
        try:
            if path.suffix == TEMPORARY:
                _tidy(path)
                continue
            found = _examine(path)
        except OSError as error:
            found = f"{path.name} cannot be read: {error.strerror or error}"
        if isinstance(found, str):
            problems.append(plain_line(found))
        elif found is not None:
            journals.append(found)
    journals.sort(key=lambda journal: journal.changed, reverse=True)
    return Found(tuple(journals), tuple(problems))


def _examine(path: Path) -> Unfinished | str | None:
    """A journal, what is wrong with it, or None where nothing is to be said."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        return f"{path.name} is no file and was passed over"
    if is_locked(path):
        return None
    begin: Begin | None = None
    names = Info()
    with path.open("rb") as file:
        for line in read_lines(file):
            if isinstance(line.entry, Begin):
                begin = line.entry
            elif isinstance(line.entry, About):
                names = line.entry.info
            if line.place >= _HEAD_LINES:
                break
    if begin is None:
        return f"{path.name} is damaged from its beginning and was kept as {set_aside(path).name}"
    return Unfinished(path, begin.size, names, begin.created, status.st_mtime)


def _tidy(path: Path) -> None:
    """Remove what a process left that died while it was making a journal; nothing was ever shown of it."""
    if path.name.startswith(".") and path.name.endswith(SUFFIX + TEMPORARY):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _DAY:
                path.unlink()
