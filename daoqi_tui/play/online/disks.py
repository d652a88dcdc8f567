"""The disk of a server, watched for its operator: what waits for it, and what it does not take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Final

from daoqi_tui import log
from daoqi_tui.message import Message
from daoqi_tui.paths import SLOW
from daoqi_tui.play.wording import Stored
from daoqi_tui.record.journal import SaveFailure

_LOOK: Final = 0.25
"""Seconds between two looks at the games."""


class DiskWatch:
    """Tells the operator of a server when a change has to wait for the disk, and when that is over.

    Args:
        games: of the server, by name.
    """

    def __init__(self, games: Mapping[str, Stored]) -> None:
        self._games = games
        self._told: dict[str, tuple[float, SaveFailure | None]] = {}
        """The games of which the operator was told, with the time since which they wait, and why."""
        self._report: Callable[[Message], object] = lambda _message: None

    def report_to(self, report: Callable[[Message], object]) -> None:
        """Have the operator told by ``report``, besides the log."""
        self._report = report

    def tell(self, message: Message) -> None:
        log.warning("%s", message)
        self._report(message)

    async def run(self) -> None:
        while True:
            await asyncio.sleep(_LOOK)
            self.look()

    def look(self) -> None:
        """Tell the operator of the games whose changes have begun to wait, and of those where that is over."""
        for name, game in self._games.items():
            waited, failing = game.waited, game.failing
            told = self._told.get(name)
            if waited >= SLOW and (told is None or told[1] != failing):
                self._told[name] = monotonic() - waited, failing
                self.tell(_message(name, waited, failing))
        for name, (since, _failing) in tuple(self._told.items()):
            if name not in self._games or not self._games[name].waited:
                del self._told[name]
                seconds = int(monotonic() - since)
                self.tell(Message("game {game}: saved, after {seconds} s", game=name, seconds=seconds))

    @property
    def slowest(self) -> Stored | None:
        """The game with the change that has been waiting longest, if that takes more than a moment."""
        slow = (game for game in self._games.values() if game.waited >= SLOW)
        return max(slow, key=lambda game: game.waited, default=None)


def _message(name: str, waited: float, failing: SaveFailure | None) -> Message:
    if failing is None:
        return Message(
            "game {game}: not saved yet: a change has been waiting for the disk for {seconds} s",
            game=name,
            seconds=int(waited),
        )
    return Message(
        "game {game}: not saved: {file} cannot be written: {reason}; saving is tried again",
        game=name,
        file=failing.file,
        reason=failing.cause,
    )
