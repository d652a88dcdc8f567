"""The log of a match: JSON lines, one for the settings and one for each finished game, from which it resumes."""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from daoqi_tui.gtp.referee import End
from daoqi_tui.record.journal_lock import InUse, lock
from daoqi_tui.record.problem import reason_of

LOG_NAME: Final = "games.jsonl"
_VERSION: Final = 1


class MatchError(Exception):
    """A match cannot be played or resumed; the text is one sentence."""


class WrongMatch(MatchError):
    """No match can be played with such options."""


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game.

    Attributes:
        game: its number from 1.
        black: which engine had Black.
        winner: which engine won.
        result: as records have it.
        end: how it ended.
        moves: plays and passes.
        seconds: it took.
        reason: of a forfeit.
    """

    game: int
    black: Literal["A", "B"]
    winner: Literal["A", "B"]
    result: str
    end: End
    moves: int
    seconds: float
    reason: str = ""


_BEFORE: Final = {"opening": 0}
"""Settings that old logs do not have, with what they were then."""


class MatchLog:
    """The log in a folder, which is made where there is none. It is locked until it is closed, or this object goes.

    Args:
        folder: where the log and the records of the games lie.
        settings: of the match; a log with others is not gone on with.

    Raises:
        MatchError: the folder cannot be used, holds another match, or another run is playing into it.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder: Final = folder
        self._path = folder / LOG_NAME
        self.played: Final[dict[int, Played]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._unlock = _locked(self, self._path)
        except (FileExistsError, NotADirectoryError) as error:
            raise MatchError(f"{folder} is not a folder; name one for the log and the records") from error
        except InUse as error:
            raise MatchError(
                f"another match is playing into {folder}; wait for its end, or use another folder"
            ) from error
        except OSError as error:
            raise MatchError(f"the log {self._path} cannot be used: {error.strerror or error}") from error
        try:
            self._resume(settings)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give up the lock; nothing is added any more."""
        self._unlock()

    def _resume(self, settings: Mapping[str, Any]) -> None:
        try:
            data = self._path.read_bytes()
            # A line without its end was being written when the match was interrupted; its game is played again.
            whole = data[: data.rfind(b"\n") + 1]
            if len(whole) < len(data):
                os.truncate(self._path, len(whole))
            if whole:
                self._read(whole.decode(), settings)
            else:
                self._append({"match": _VERSION, **settings})
        except (OSError, UnicodeDecodeError) as error:
            reason = reason_of(error)
            raise MatchError(f"the log {self._path} cannot be used: {reason}") from error

    def add(self, played: Played) -> None:
        """Note a finished game, for good.

        Raises:
            MatchError: it cannot be written.
        """
        self.played[played.game] = played
        try:
            self._append(asdict(played))
        except OSError as error:
            raise MatchError(f"the log {self._path} cannot be written: {error.strerror or error}") from error

    def _append(self, values: Mapping[str, Any]) -> None:
        with self._path.open("ab") as file:
            file.write(json.dumps(values, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self, text: str, settings: Mapping[str, Any]) -> None:
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                values = json.loads(line)
                if number == 1:
                    self._compare(values, settings)
                    continue
                played = Played(**values)
            except (ValueError, TypeError) as error:
                raise MatchError(f"line {number} of {self._path} is no part of a match; use another folder") from error
            self.played[played.game] = played

    def _compare(self, values: object, settings: Mapping[str, Any]) -> None:
        if not isinstance(values, dict) or values.pop("match", None) != _VERSION:
            raise ValueError("no head")
        for name, value in settings.items():
            held = values.get(name, _BEFORE.get(name))
            if held != value:
                text = f"{self.folder} holds another match: {name} is {held!r} there and {value!r} here"
                raise MatchError(f"{text}; use the same settings to go on, or another folder")


def _locked(owner: object, path: Path) -> Callable[[], object]:
    """Lock ``path``, made where it is missing, as long as ``owner`` lives; what is returned gives the lock up before.

    Raises:
        InUse: it is locked already.
        OSError: it cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
    try:
        release = lock(descriptor, path)
    except BaseException:
        os.close(descriptor)
        raise

    def unlock() -> None:
        release()
        os.close(descriptor)

    return weakref.finalize(owner, unlock)
