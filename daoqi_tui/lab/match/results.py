"""The results of a match: its log, from which it resumes, and its table with confidence intervals.

The log has JSON lines, one for the settings and one for each finished game.
"""

from __future__ import annotations

import json
import math
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from daoqi_tui.message import Message, reason_of
from daoqi_tui.record.files import InUse, lock_file

End: TypeAlias = Literal["passes", "resignation", "forfeit", "length"]
"""The ways a game of a match can end; at the maximum length it is scored as it stands."""
LOG_NAME: Final = "games.jsonl"
RECORD_NAME: Final = "game-{}.sgf"
_VERSION: Final = 1
_BEGINNING: Final = b'{"match":'
"""The beginning of the first line of every log."""


class MatchError(Exception):
    """A match cannot be played or resumed."""


class WrongMatch(MatchError):
    """The options of the match are invalid."""


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game in the log.

    Attributes:
        game: its number from 1.
        black: which engine had Black.
        winner: which engine won, None for a drawn game.
        result: as in records.
        end: how it ended.
        moves: plays and passes.
        seconds: it took.
        reason: of a forfeit.
        cpu: CPU seconds that A and B used, None if unknown.
    """

    game: int
    black: Literal["A", "B"]
    winner: Literal["A", "B"] | None
    result: str
    end: End
    moves: int
    seconds: float
    reason: str = ""
    cpu: tuple[float | None, float | None] = (None, None)

    @property
    def score(self) -> float:
        """A's score: 1 for a win, one half for a drawn game."""
        return {"A": 1.0, "B": 0.0, None: 0.5}[self.winner]


_BEFORE: Final = {"opening": 0, "rules": "Daoqi", "visits": None, "cpu": False}
"""Settings missing from old logs, with the values they had then."""


class MatchLog:
    """The log in a folder, created if necessary. It is locked until :meth:`close`, or until this object is collected.

    Args:
        folder: for the log and the records of the games.
        settings: of the match; a log with other settings is refused.

    Raises:
        MatchError: the folder cannot be used, contains another match or other records, or is in use by another run.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder: Final = folder
        self._path = folder / LOG_NAME
        self.played: Final[dict[int, Played]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not self._path.exists():
                # Checked here too, so that no empty log is left behind.
                self._refuse_other_records()
            self._unlock = _locked(self, self._path)
        except (FileExistsError, NotADirectoryError) as error:
            raise MatchError(
                Message("{folder} is not a folder; name one for the log and the records", folder=folder)
            ) from error
        except InUse as error:
            raise MatchError(
                Message(
                    "another match is writing to {folder}; wait until it ends, or use another folder", folder=folder
                )
            ) from error
        except OSError as error:
            raise MatchError(
                Message("the log {file} cannot be used: {reason}", file=self._path, reason=reason_of(error))
            ) from error
        try:
            self._resume(settings)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the lock; nothing can be added afterwards."""
        self._unlock()

    def _refuse_other_records(self) -> None:
        """Refuse to begin a match whose games could overwrite records."""
        record = min(self.folder.glob(RECORD_NAME.format("*")), default=None)
        if record is not None:
            raise MatchError(
                Message(
                    "{folder} holds {file} and no match to continue; use another folder",
                    folder=self.folder,
                    file=record.name,
                )
            )

    def _resume(self, settings: Mapping[str, Any]) -> None:
        try:
            data = self._path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            # Refuse another program's file before changing anything in it.
            if whole:
                self._read(whole.decode(), settings)
            elif not data.startswith(_BEGINNING[: len(data)]):
                raise MatchError(self._foreign(1))
            else:
                self._refuse_other_records()
            # An incomplete line was being written when the match was interrupted; its game is played again.
            if len(whole) < len(data):
                os.truncate(self._path, len(whole))
            if not whole:
                self._append({"match": _VERSION, **settings})
        except (OSError, UnicodeDecodeError) as error:
            raise MatchError(
                Message("the log {file} cannot be used: {reason}", file=self._path, reason=reason_of(error))
            ) from error

    def add(self, played: Played) -> None:
        """Append a finished game and flush it to the disk.

        Raises:
            MatchError: it cannot be written.
        """
        self.played[played.game] = played
        try:
            self._append(asdict(played))
        except OSError as error:
            raise MatchError(
                Message("the log {file} cannot be written: {reason}", file=self._path, reason=reason_of(error))
            ) from error

    def _append(self, values: Mapping[str, Any]) -> None:
        with self._path.open("ab") as file:
            # Escaped, since a command line may contain bytes that are not UTF-8.
            file.write(json.dumps(values).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self, text: str, settings: Mapping[str, Any]) -> None:
        # Unescaped names and reasons may contain characters that count as line ends elsewhere.
        for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
            try:
                values = json.loads(line)
                if number == 1:
                    self._compare(values, settings)
                    continue
                played = _played(values)
            except (ValueError, TypeError, RecursionError) as error:
                raise MatchError(self._foreign(number)) from error
            self.played[played.game] = played

    def _foreign(self, line: int) -> Message:
        """Return the message for a line that was not written by a match."""
        return Message("line {line} of {file} is not part of a match; use another folder", line=line, file=self._path)

    def _compare(self, values: object, settings: Mapping[str, Any]) -> None:
        if not isinstance(values, dict) or values.pop("match", None) != _VERSION:
            raise ValueError("no head")
        for name, value in settings.items():
            held = values.get(name, _BEFORE.get(name))
            if held != value:
                raise MatchError(
                    Message(
                        "{folder} holds another match: {setting} is {there} there and {here} here; use the "
                        "same settings to continue, or another folder",
                        folder=self.folder,
                        setting=name,
                        there=repr(held),
                        here=repr(value),
                    )
                )


def _played(values: object) -> Played:
    """Return the game in a line of a log.

    Raises:
        ValueError, TypeError: it has none.
    """
    if not isinstance(values, dict):
        raise ValueError("no game")
    played = Played(**{**values, "cpu": tuple(values.get("cpu", (None, None)))})
    if not (
        all(number.__class__ is int for number in (played.game, played.moves))
        and played.game >= 1
        and played.moves >= 0
        and played.black in ("A", "B")
        and played.winner in ("A", "B", None)
        and played.end in get_args(End)
        and isinstance(played.result, str)
        and isinstance(played.reason, str)
        and _is_time(played.seconds)
        and len(played.cpu) == 2
        and all(seconds is None or _is_time(seconds) for seconds in played.cpu)
    ):
        raise ValueError("no game")
    return played


def _is_time(seconds: object) -> bool:
    return isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds < math.inf


def _locked(owner: object, path: Path) -> Callable[[], object]:
    """Lock ``path``, created if missing, while ``owner`` lives; returns a function that releases the lock earlier.

    Raises:
        InUse: it is locked already.
        OSError: it cannot be opened.
    """
    return weakref.finalize(owner, lock_file(path, mode=0o666))


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


def elo_difference(wins: float, games: int) -> Interval:
    """Return the Elo difference for which the share of wins is the expected score; infinite if one side won all.

    >>> interval = elo_difference(30, 40)
    >>> f"{interval.value:+.0f} {interval.low:+.0f} {interval.high:+.0f}"
    '+191 +69 +313'
    """
    share = share_of_wins(wins, games)
    return Interval(_elo(share.value), _elo(share.low), _elo(share.high))


def expected_score(elo: float) -> float:
    """Return the expected score of a player that is ``elo`` stronger, A. Elo, "The Rating of Chessplayers" (1978).

    >>> expected_score(400) == 10 / 11
    True
    """
    return 1 / (1 + 10 ** (-elo / 400))


def _elo(share: float) -> float:
    """Return the inverse of :func:`expected_score`."""
    if share <= 0:
        return -math.inf
    if share >= 1:
        return math.inf
    return 400 * math.log10(share / (1 - share))


@dataclass(frozen=True, slots=True)
class Standing:
    """The table of a match.

    A forfeit means that an engine failed or plays by other rules, not that it is weak: such games are counted
        separately.

    Attributes:
        names: of A and B.
        games: played to a result, excluding forfeits.
        wins: of A; a drawn game counts half.
        as_black, as_white: A's wins and games with that colour.
        forfeits: games that A and that B forfeited.
        moves: the mean length of a game.
        share: of games won by A.
        elo: A's rating advantage.
        cpu: CPU seconds per move of A and of B, None if unknown.
    """

    names: tuple[str, str]
    games: int
    wins: float
    as_black: tuple[float, int]
    as_white: tuple[float, int]
    forfeits: tuple[int, int]
    moves: float
    share: Interval
    elo: Interval
    cpu: tuple[float | None, float | None] = (None, None)


def standing(names: tuple[str, str], played: Sequence[Played], opening: int = 0) -> Standing:
    """Return the table of finished games between A and B, with ``opening`` random moves at their start."""
    whole = [game for game in played if game.end != "forfeit"]
    takers = [game.winner for game in played if game.end == "forfeit"]
    black = [game.score for game in whole if game.black == "A"]
    white = [game.score for game in whole if game.black == "B"]
    wins = sum(black) + sum(white)
    return Standing(
        names,
        len(whole),
        wins,
        (sum(black), len(black)),
        (sum(white), len(white)),
        (takers.count("B"), takers.count("A")),
        sum(game.moves for game in whole) / max(1, len(whole)),
        share_of_wins(wins, len(whole)),
        elo_difference(wins, len(whole)),
        (_cpu_a_move(whole, 0, opening), _cpu_a_move(whole, 1, opening)),
    )


def _cpu_a_move(played: Sequence[Played], side: Literal[0, 1], opening: int) -> float | None:
    """Return the mean CPU seconds of a side's moves; each side makes half of the moves of a game after the opening."""
    known = [(seconds, game.moves - opening) for game in played if (seconds := game.cpu[side]) is not None]
    moves = sum(count for _, count in known) / 2
    return sum(seconds for seconds, _ in known) / moves if moves else None
