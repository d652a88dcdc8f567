"""The rating of the person at this keyboard on each board size: the level against which half the games are won.

Half a level is assumed to win three games out of four, which is close to what was measured (``docs/strength.md``). So
against level ``L`` a player rated ``R`` is expected to score ``1 / (1 + 9 ** (L - R))``. The rating for a size is the
maximum-likelihood estimate of ``R`` from the last :data:`GAMES` results there, to which a win and a loss against the
level of the first of them are added, which keep it finite.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from daoqi_tui import log
from daoqi_tui.engine import Setup, opponent
from daoqi_tui.i18n import _, plural
from daoqi_tui.numbers import STRONGEST, WEAKEST, is_level, nearest_level
from daoqi_tui.play.seats import Computer
from daoqi_tui.play.session import Session

FILE: Final = "ratings.json"
GAMES: Final = 20
"""The number of games that a rating is computed from."""
ODDS: Final = 9.0
"""The odds at which a player beats one rated a whole level lower."""
LEAST_MOVES: Final = 10
"""Shorter games are not rated."""
_MOST_BYTES: Final = 1 << 20


class Played(NamedTuple):
    """A rated game: the level of the computer, and the human's score: 1 for a win, 0 for a loss, 0.5 for a draw."""

    level: float
    score: float


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

    def words(self) -> str:
        """Word the rating: ``Your rating on 9×9: level 4.3 (+0.4), 7 games``."""
        games = plural("{count} game", "{count} games", self.games)
        if self.change is None:
            words = _("Your rating on {size}×{size}: level {rating}, {games}")
        else:
            words = _("Your rating on {size}×{size}: level {rating} ({change}), {games}")
        change = _tenths(self.change or 0, sign="+")
        return words.format(size=self.size, rating=_tenths(self.value), change=change, games=games)


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


class Ratings:
    """The last results against the computer on each size.

    Args:
        folder: of the file.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[int, list[Played]] | None = None
        self._unsaved: list[_Noted] = []

    @property
    def _games(self) -> dict[int, list[Played]]:
        if self._kept is None:
            self._kept = {}
            with suppress(OSError, ValueError):
                self._kept = _read(self._folder / FILE)
        return self._kept

    def of(self, size: int) -> Rating | None:
        """Return the rating on boards of a size, None before the first game."""
        games = self._games.get(size)
        return Rating(size, rating_of(games), len(games)) if games else None

    def level(self, size: int, otherwise: float) -> float:
        """Return the level nearest to the player's rating on boards of a size; ``otherwise`` before the first game."""
        rating = self.of(size)
        return rating.level if rating is not None else otherwise

    def note(self, size: int, game: Played, *, again: bool = False) -> Rating:
        """Note a result; ``again`` replaces the last one, if the same game has ended differently."""
        known = self._games.get(size, [])
        noted = _Noted(size, game, known[-1] if again and known else None)
        others = _without(known, noted.replaced)
        self._unsaved.append(noted)
        noted.add_to(self._games)
        games = self._games[size]
        value = rating_of(games)
        return Rating(size, value, len(games), value - rating_of(others) if others else None)

    def save(self) -> None:
        """Add the noted results to the file, to which another window may have added some meanwhile. Waits for the disk.

        A file that cannot be parsed is moved aside.

        Raises:
            OSError: it cannot be read or written.
        """
        noted = tuple(self._unsaved)
        if not noted:
            return
        from daoqi_tui.record.files import (  # noqa: PLC0415 (only games that end need it)
            changing,
            set_aside,
            write_atomically,
        )

        folder = self._folder
        folder.mkdir(parents=True, exist_ok=True)
        with changing(folder / FILE):
            try:
                kept = _read(folder / FILE)
            except ValueError as error:
                log.warning("%s is damaged and was kept as %s: %s", FILE, set_aside(folder / FILE), error)
                kept = {}
            for each in noted:
                each.add_to(kept)
            data = {str(size): games for size, games in sorted(kept.items())}
            write_atomically(folder / FILE, json.dumps(data).encode())
        del self._unsaved[: len(noted)]
        for each in self._unsaved:
            each.add_to(kept)
        self._kept = kept


class _Noted(NamedTuple):
    """A result on a size, and the one that it replaces."""

    size: int
    game: Played
    replaced: Played | None

    def add_to(self, kept: dict[int, list[Played]]) -> None:
        kept[self.size] = [*_without(kept.get(self.size, []), self.replaced), self.game][-GAMES:]


def _without(games: Sequence[Played], replaced: Played | None) -> list[Played]:
    """Return results without the newest that equals ``replaced``."""
    if replaced is None or replaced not in games:
        return list(games)
    place = len(games) - 1 - games[::-1].index(replaced)
    return [*games[:place], *games[place + 1 :]]


def _read(file: Path) -> dict[int, list[Played]]:
    """Read the results from a file, none if there is none; what is not as it should be is left out.

    Raises:
        ValueError: there are no results in it.
        OSError: it cannot be read.
    """
    from daoqi_tui.record.files import read_json  # noqa: PLC0415 (a start asks for no rating)

    try:
        kept: object = read_json(file, _MOST_BYTES)
    except FileNotFoundError:
        return {}
    if not isinstance(kept, dict):
        raise ValueError(FILE)
    found = {}
    for size, entries in kept.items():
        if size.isdecimal() and len(size) <= 2 and isinstance(entries, list):
            games = [Played(*entry) for entry in entries if _is_played(entry)]
            if games:
                found[int(size)] = games[-GAMES:]
    return found


def _is_played(entry: object) -> bool:
    return (
        isinstance(entry, list) and len(entry) == len(Played._fields) and is_level(entry[0]) and entry[1] in (0, 0.5, 1)
    )
