"""The record of a controller's games: every change is on disk before it is answered.

A game that is cut off can be resumed in the program, as one that was played there; all others go into the library.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from daoqi_tui.paths import SLOW
from daoqi_tui.streams import write_error

if TYPE_CHECKING:
    from daoqi_tui.engine import Game
    from daoqi_tui.record.journal.journal import Journal, SaveFailure, Ticket
    from daoqi_tui.record.library import Library
    from daoqi_tui.record.sgf.info import Info

_UNFINISHED: Final = "Void"
"""The result of a game without an end, as SGF writes it."""


class _Saved(NamedTuple):
    game: Game
    journal: Journal


class GameSaver:
    """Saves one game of a session after another.

    Args:
        folder: for journals.
        open_library: opens the library of finished games.
    """

    def __init__(self, folder: Path, open_library: Callable[[], Library]) -> None:
        self._folder: Final = folder
        self._open_library: Final = open_library
        self._saved: _Saved | None = None
        self._komi = 0.0
        self._told: SaveFailure | None = None

    async def save(self, game: Game, info: Info) -> None:
        """Wait until the game is on disk as it is; if it cannot be written, the log says so and the game goes on."""
        from daoqi_tui.record.journal.journal import Journal  # noqa: PLC0415 (most engines save nothing)

        before = self._saved
        if before is None or before.game is not game:
            self._komi = game.komi
            self._saved = _Saved(game, Journal.begin(game, info, folder=self._folder))
            if game.root.children:
                await self._wait(self._saved.journal, self._saved.journal.whole())
            if before is not None:
                # The rules were changed: the same moves in another game.
                await _leave(before, self._open_library, discards=before.game.moves() == game.moves())
            return
        if before.journal.info != info or self._komi != game.komi:
            before.journal.about(info)
        self._komi = game.komi
        await self._wait(before.journal, before.journal.follow())

    async def close(self) -> None:
        """Put the game into the library."""
        if self._saved is not None:
            await _leave(self._saved, self._open_library)

    async def _wait(self, journal: Journal, ticket: Ticket) -> None:
        waiting = asyncio.ensure_future(ticket)
        done, _late = await asyncio.wait((waiting,), timeout=SLOW)
        if not done:
            # An engine's standard error is its log.
            write_error("not saved yet: waiting for the disk\n")
        await waiting
        if journal.failing != self._told:
            self._told = journal.failing
            write_error(f"{self._told or 'everything is saved now'}\n")


async def _leave(saved: _Saved, open_library: Callable[[], Library], *, discards: bool = False) -> None:
    """Put a game into the library, or ``discard`` it; one without a move leaves nothing."""
    game, journal = saved

    def leave() -> None:
        if discards or not journal.begun:
            journal.discard()
            return
        journal.about(replace(journal.info, result=str(game.result) if game.is_over else _UNFINISHED))
        try:
            with closing(open_library()) as library:
                journal.finish(library)
        except OSError as error:
            write_error(f"the game stays unfinished: {error}\n")
            journal.close()

    await asyncio.to_thread(leave)
