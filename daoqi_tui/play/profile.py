"""The person at this keyboard: habits, and the rating on each board size, in files that several windows share.

The rating is the level against which half the games are won. Half a level is assumed to win three games out of four,
which is close to what was measured (``docs/strength.md``). So against level ``L`` a player rated ``R`` is expected to
score ``1 / (1 + 9 ** (L - R))``. The rating for a size is the maximum-likelihood estimate of ``R`` from the last
:data:`GAMES` results there, to which a win and a loss against the level of the first of them are added, which keep it
finite.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Final, NamedTuple, TypeAlias

from msgspec import Meta

from daoqi_tui.engine import Setup, opponent
from daoqi_tui.i18n import _, plural
from daoqi_tui.paths import journal_folder
from daoqi_tui.play.session import USUAL_LEVEL, Computer, Seat, Session
from daoqi_tui.record.files import SharedFile
from daoqi_tui.typed import STRONGEST, WEAKEST, nearest_level

HABITS: Final = "habits.json"
RATINGS: Final = "ratings.json"
_MOST_USES: Final = 1_000_000
_Level: TypeAlias = Annotated[float, Meta(ge=WEAKEST, le=STRONGEST, multiple_of=0.5)]


# Habits


@dataclass(slots=True)
class _Habits:
    level: _Level = USUAL_LEVEL
    commands: dict[str, Annotated[int, Meta(ge=1, le=_MOST_USES)]] = field(default_factory=dict)

    def add(self, command: str) -> None:
        self.commands[command] = min(self.commands.get(command, 0) + 1, _MOST_USES)


class Habits:
    """The local user's habits.

    Args:
        folder: the state folder; None keeps nothing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._file: Final = SharedFile(folder and folder / HABITS, _Habits, _Habits)

    @property
    def level(self) -> float:
        return nearest_level(self._file.contents.level)

    def played_by(self, seats: Iterable[Seat]) -> bool:
        """Note who plays a game; return whether that changes the level of the last computer opponent."""
        level = next((seat.level for seat in seats if isinstance(seat, Computer)), self.level)
        if level == self.level:
            return False
        self._file.change(lambda habits: setattr(habits, "level", level))
        return True

    def used(self, command: str) -> None:
        self._file.change(lambda habits: habits.add(command))

    def uses(self, command: str) -> int:
        return self._file.contents.commands.get(command, 0)

    def save(self) -> None:
        """Add the changes to the file. Waits for the disk; without one, the habits last until the program ends."""
        with suppress(OSError):
            self._file.save()


def is_first_start() -> bool:
    """Return True the first time it is ever called, and False afterwards.

    A marker file in the state folder records this. If it cannot be written, return False: better no welcome than one at
    every start.
    """
    mark = journal_folder().parent / "welcomed"
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.open("x").close()
    except OSError:
        return False
    return True


# Ratings

GAMES: Final = 20
"""The number of games that a rating is computed from."""
ODDS: Final = 9.0
"""The odds at which a player beats one rated a whole level lower."""
LEAST_MOVES: Final = 10
"""Shorter games are not rated."""


class Played(NamedTuple):
    """A rated game: the level of the computer, and the human's score: 1 for a win, 0 for a loss, 0.5 for a draw."""

    level: _Level
    score: Annotated[float, Meta(ge=0, le=1, multiple_of=0.5)]


class Rating(NamedTuple):
    """A rating on one size.

    Attributes:
        size: points along a side.
        value: a level, with fractions.
        games: the number of games it is computed from.
        change: by the last game; None if that was the first.
    """

    size: int
    value: float
    games: int
    change: float | None = None

    @property
    def level(self) -> float:
        return nearest_level(self.value)

    def describe(self) -> str:
        """Word the rating: ``Your rating on 9×9: level 4.3 (+0.4), 7 games``."""
        games = plural("{count} game", "{count} games", self.games)
        if self.change is None:
            text = _("Your rating on {size}×{size}: level {rating}, {games}")
        else:
            text = _("Your rating on {size}×{size}: level {rating} ({change}), {games}")
        change = _tenths(self.change or 0, sign="+")
        return text.format(size=self.size, rating=_tenths(self.value), change=change, games=games)


def _tenths(number: float, sign: str = "") -> str:
    return f"{number:{sign}z.1f}".replace("-", "−")


def expected(rating: float, level: float) -> float:
    """Return the expected score of a player with this rating against a level.

    >>> expected(5, 5), round(expected(6, 5), 2), round(expected(3, 5), 2)
    (0.5, 0.9, 0.01)
    """
    return 1.0 / (1.0 + math.pow(ODDS, level - rating))


def rating_of(games: Sequence[Played]) -> float:
    """Return the most likely rating after some games; there must be one.

    >>> rating_of([Played(5, 1), Played(5, 0)])
    5.0
    >>> round(rating_of([Played(5, 1)] * 4), 1)
    5.7
    """
    first = games[0].level
    known = [Played(first, 1), Played(first, 0), *games]
    low, high = WEAKEST - 5.0, STRONGEST + 5.0
    # The sum of actual minus expected scores decreases as the rating rises.
    for _step in range(40):
        middle = (low + high) / 2
        if sum(game.score - expected(middle, game.level) for game in known) > 0:
            low = middle
        else:
            high = middle
    return round((low + high) / 2, 3)


def played_in(session: Session) -> Played | None:
    """Return the game that ended where a person played the computer without help and on even terms, else None.

    Even terms are an empty board, the komi of the rules, and a computer with its level's time.
    """
    game, persons, result = session.game, session.persons, session.game.result
    if len(persons) != 1 or session.helped or result is None:
        return None
    other = session.seats[opponent(persons[0])]
    if not isinstance(other, Computer) or other.seconds is not None or game.node.number < LEAST_MOVES:
        return None
    set_up = any(isinstance(node.action, Setup) for node in game.node.path())
    if set_up or game.komi != game.rules.komi:
        return None
    return Played(other.level, 1.0 if result.winner == persons[0] else 0.0 if result.winner else 0.5)


_Games: TypeAlias = dict[Annotated[str, Meta(pattern=r"^[0-9]{1,2}$")], list[Played]]
"""The last results on each size."""


class Ratings:
    """The last results against the computer on each size.

    Args:
        folder: of the file.
    """

    def __init__(self, folder: Path) -> None:
        self._file: Final = SharedFile[_Games](folder / RATINGS, _Games, dict)

    def _games(self, size: int) -> list[Played]:
        return self._file.contents.get(str(size), [])

    def of(self, size: int) -> Rating | None:
        """Return the rating on boards of a size, None before the first game."""
        games = self._games(size)
        return Rating(size, rating_of(games), len(games)) if games else None

    def level(self, size: int, otherwise: float) -> float:
        """Return the level nearest to the player's rating on boards of a size; ``otherwise`` before the first game."""
        rating = self.of(size)
        return rating.level if rating is not None else otherwise

    def note(self, size: int, game: Played, *, again: bool = False) -> Rating:
        """Note a result; ``again`` replaces the last one, if the same game has ended differently."""
        known = self._games(size)
        replaced = known[-1] if again and known else None
        others = _without(known, replaced)
        self._file.change(partial(_add, size=str(size), game=game, replaced=replaced))
        games = self._games(size)
        value = rating_of(games)
        return Rating(size, value, len(games), value - rating_of(others) if others else None)

    def save(self) -> None:
        """Add the noted results to the file. Waits for the disk.

        Raises:
            OSError: it cannot be read or written.
        """
        self._file.save()


def _add(games: _Games, size: str, game: Played, replaced: Played | None) -> None:
    games[size] = [*_without(games.get(size, []), replaced), game][-GAMES:]


def _without(games: Sequence[Played], replaced: Played | None) -> list[Played]:
    """Return results without the newest that equals ``replaced``."""
    if replaced is None or replaced not in games:
        return list(games)
    place = len(games) - 1 - games[::-1].index(replaced)
    return [*games[:place], *games[place + 1 :]]
