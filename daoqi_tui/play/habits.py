"""What the program remembers of the person at this keyboard, in files of the state folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeGuard

from daoqi_tui.numbers import STRONGEST, WEAKEST
from daoqi_tui.play.seats import USUAL_LEVEL, Computer, Seat

FILE: Final = "habits.json"
_MOST_BYTES: Final = 1 << 16
_MOST_USES: Final = 1_000_000


class Habits:
    """The habits of the person at this keyboard.

    Args:
        folder: returns the state folder; called when the habits are first asked for. None keeps nothing.
    """

    def __init__(self, folder: Callable[[], Path] | None = None) -> None:
        self._folder = folder
        self._commands: dict[str, int] = {}
        self._level = USUAL_LEVEL
        self._read = False

    @property
    def level(self) -> int:
        """The level of the computer that was last played against."""
        self._load()
        return self._level

    def played_by(self, seats: Iterable[Seat]) -> bool:
        """Note who plays a game; return whether that changes the level of the computer last played against."""
        level = next((seat.level for seat in seats if isinstance(seat, Computer)), None)
        if level is None or level == self.level:
            return False
        self._level = level
        return True

    def used(self, command: str) -> None:
        """Note that a command was chosen in the menu."""
        self._load()
        self._commands[command] = min(self._commands.get(command, 0) + 1, _MOST_USES)

    def uses(self, command: str) -> int:
        """Return how often a command was chosen in the menu."""
        self._load()
        return self._commands.get(command, 0)

    def _load(self) -> None:
        if self._read or self._folder is None:
            return
        self._read = True
        from daoqi_tui.record.files import read_json  # noqa: PLC0415 (a start reads none)

        with suppress(OSError, ValueError):
            kept = read_json(self._folder() / FILE, _MOST_BYTES)
            if isinstance(kept, dict):
                self._take(kept)

    def _take(self, kept: dict[str, object]) -> None:
        """Take over what is as it should be."""
        level, commands = kept.get("level"), kept.get("commands")
        if _is_whole(level, WEAKEST, STRONGEST):
            self._level = level
        if isinstance(commands, dict):
            self._commands = {name: uses for name, uses in commands.items() if _is_whole(uses, 1, _MOST_USES)}

    def save(self) -> None:
        """Write the file, if that is possible. Waits for the disk."""
        if self._folder is None:
            return
        from daoqi_tui.record.files import write_atomically  # noqa: PLC0415 (only changes need it)

        data = json.dumps({"level": self._level, "commands": self._commands}, indent=1)
        with suppress(OSError):
            folder = self._folder()
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / FILE, data.encode())


def _is_whole(value: object, least: int, most: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_first_start() -> bool:
    """Return True the first time it is ever called, from then on False.

    A file in the state folder marks that. Where it cannot be written, return False: better never to be welcomed than
    at every start.
    """
    from daoqi_tui.record.files import journal_folder  # noqa: PLC0415 (only a start without a file asks)

    mark = journal_folder().parent / "welcomed"
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.open("x").close()
    except OSError:
        return False
    return True
