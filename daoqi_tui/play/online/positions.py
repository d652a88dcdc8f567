"""The rated games of a server by position: which of them reached one, and what was played there next.

The index is the library's (:mod:`~daoqi_tui.analysis.opening_index`), in a file of its own. It has only games whose
records everybody can download, the last ones first; what one search costs is bounded, however many there are.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from daoqi_tui.analysis.opening_index import OpeningIndex
from daoqi_tui.analysis.opening_records import Hit, statistics_of
from daoqi_tui.engine import BLACK, PASS, Game
from daoqi_tui.play.online.accounts import FoundGame, FoundMove, FoundPosition
from daoqi_tui.play.openings import game_records
from daoqi_tui.record.text import SgfError

if TYPE_CHECKING:
    from daoqi_tui.play.online.store import Store

T = TypeVar("T")

_MOST_GAMES: Final = 10_000
"""The games in the index: with 250 moves each, they take 60 MB when they are searched."""
_AT_ONCE: Final = 50
"""The most games that one search adds to the index, so that nobody waits long for it."""
_SHOWN: Final = 50
"""The moves, and the games, in an answer."""


class PositionSearch:
    """Searches in the games of a store, one at a time.

    Args:
        store: of the server.
        file: of the index, made when it is first searched.
    """

    def __init__(self, store: Store, file: Path) -> None:
        self._store = store
        self._file = file
        self._index: OpeningIndex | None = None
        # SQLite's connection stays in its thread.
        self._thread: Final = ThreadPoolExecutor(1, "positions")

    async def find(self, game: Game) -> FoundPosition:
        """Return the games that reached the position of a game. Raises OSError if the database or the index fails."""
        return await self._in_thread(partial(self._find, game))

    async def close(self) -> None:
        if self._index is not None:
            await self._in_thread(self._index.close)
        self._thread.shutdown()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _find(self, game: Game) -> FoundPosition:
        try:
            return self._found(game)
        except sqlite3.Error:
            # The index is only a cache.
            if self._index is not None:
                self._index.repair()
            return self._found(game)

    def _found(self, game: Game) -> FoundPosition:
        if self._index is None:
            self._index = OpeningIndex(self._file)
        index = self._index
        self._update(index)
        hits = sorted(index.find(game.board))
        found, torus = statistics_of(hits), game.torus
        numbers = {_name(hit): hit.number for hit in hits}
        return FoundPosition(
            sum(index.sizes().values()),
            found.tally.games,
            found.tally.black,
            found.tally.white,
            tuple(
                FoundMove(
                    tuple("pass" if point == PASS else torus.name(point, "gtp") for point in move.points[:_SHOWN]),
                    "black" if move.colour == BLACK else "white",
                    move.tally.games,
                    move.tally.black,
                    move.tally.white,
                )
                for move in found.moves[:_SHOWN]
            ),
            tuple(FoundGame(each, numbers[each.name]) for each in self._store.games_named(list(numbers), _SHOWN)),
        )

    def _update(self, index: OpeningIndex) -> None:
        """Remove the games whose records are gone, and add some of those that are new, the last ones first."""
        known = index.fingerprints()
        there = dict.fromkeys(self._store.recorded(_MOST_GAMES))
        gone = [source for source in known if source.rpartition("#")[0] not in there]
        if gone:
            index.remove(gone)
        new = [name for name in there if f"{name}#1" not in known][:_AT_ONCE]
        for name in new:
            record = self._store.record_of(name)
            with suppress(SgfError):
                index.add(game_records(name, (record or "").encode()))


def _name(hit: Hit) -> str:
    return hit.source.rpartition("#")[0]
