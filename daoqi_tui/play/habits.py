"""The local user's habits, in files of the state folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple, TypeGuard

from daoqi_tui import log
from daoqi_tui.numbers import is_level
from daoqi_tui.play.seats import USUAL_LEVEL, Computer, Seat

FILE: Final = "habits.json"
_MOST_BYTES: Final = 1 << 16
_MOST_USES: Final = 1_000_000


class Habits:
    """The local user's habits.

    Args:
        folder: the state folder; None keeps nothing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._kept = _Kept(USUAL_LEVEL, {})
        self._read = False
        self._unsaved: list[str] = []
        """The commands used since the last save."""
        self._unsaved_level: float | None = None

    @property
    def level(self) -> float:
        """The level of the last computer opponent."""
        self._load()
        return self._unsaved_level or self._kept.level

    def played_by(self, seats: Iterable[Seat]) -> bool:
        """Note who plays a game; return whether that changes the level of the last computer opponent."""
        level = next((seat.level for seat in seats if isinstance(seat, Computer)), None)
        if level is None or level == self.level:
            return False
        self._unsaved_level = level
        return True

    def used(self, command: str) -> None:
        """Note that a command was chosen in the menu."""
        self._load()
        self._kept.add((command,))
        self._unsaved.append(command)

    def uses(self, command: str) -> int:
        """Return how often a command was chosen in the menu."""
        self._load()
        return self._kept.commands.get(command, 0)

    def _load(self) -> None:
        if self._read or self._folder is None:
            return
        self._read = True
        with suppress(OSError, ValueError):
            self._kept = _kept_in(self._folder / FILE)

    def save(self) -> None:
        """Merge the changes into the file, which another window may have changed. Waits for the disk.

        A damaged file is set aside. If the file cannot be read or written, the habits last until the program ends.
        """
        if self._folder is None:
            return
        from daoqi_tui.record.files import (  # noqa: PLC0415 (only changes need it)
            changing,
            set_aside,
            write_atomically,
        )

        with suppress(OSError):
            path = self._folder / FILE
            path.parent.mkdir(parents=True, exist_ok=True)
            with changing(path):
                try:
                    kept = _kept_in(path)
                except ValueError as error:
                    log.warning("%s is damaged and was kept as %s: %s", FILE, set_aside(path), error)
                    kept = _Kept(USUAL_LEVEL, {})
                used, level = tuple(self._unsaved), self._unsaved_level
                kept = kept._replace(level=level or kept.level)
                kept.add(used)
                write_atomically(path, json.dumps(kept._asdict(), indent=1).encode())
                if self._unsaved_level == level:
                    self._unsaved_level = None
                del self._unsaved[: len(used)]
                kept.add(self._unsaved)
                self._kept = kept


class _Kept(NamedTuple):
    """The contents of the file: the level of the last computer opponent, and how often each command was used."""

    level: float
    commands: dict[str, int]

    def add(self, used: Iterable[str]) -> None:
        for command in used:
            self.commands[command] = min(self.commands.get(command, 0) + 1, _MOST_USES)


def _kept_in(path: Path) -> _Kept:
    """Return the valid contents of a file, nothing if there is none.

    Raises:
        ValueError: there are no habits in it.
        OSError: it cannot be read.
    """
    from daoqi_tui.record.files import read_json  # noqa: PLC0415 (a start reads none)

    kept = _Kept(USUAL_LEVEL, {})
    try:
        held: object = read_json(path, _MOST_BYTES)
    except FileNotFoundError:
        return kept
    if not isinstance(held, dict):
        raise ValueError(FILE)
    level, commands = held.get("level"), held.get("commands")
    if is_level(level):
        kept = kept._replace(level=level)
    if isinstance(commands, dict):
        kept.commands.update((name, uses) for name, uses in commands.items() if _is_whole(uses, 1, _MOST_USES))
    return kept


def _is_whole(value: object, least: int, most: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_first_start() -> bool:
    """Return True the first time it is ever called, and False afterwards.

    A marker file in the state folder records this. If it cannot be written, return False: better no welcome than one at
    every start.
    """
    from daoqi_tui.record.files import journal_folder  # noqa: PLC0415 (only a start without a file asks)

    mark = journal_folder().parent / "welcomed"
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.open("x").close()
    except OSError:
        return False
    return True
