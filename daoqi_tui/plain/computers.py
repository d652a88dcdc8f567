"""Computers asked by a program that waits for lines: their event loop runs only while one of them thinks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from daoqi_tui.ai.player import Player, PlayerError
from daoqi_tui.ai.protocol import Answer, Estimated, Position
from daoqi_tui.engine import Game
from daoqi_tui.i18n import _
from daoqi_tui.lower_words import said
from daoqi_tui.plain.sentences import sentence
from daoqi_tui.tui.judging import ESTIMATE_PLAYOUTS, ESTIMATE_SECONDS, HINT_SECONDS
from daoqi_tui.tui.minds import Minds, Net
from daoqi_tui.tui.opponents import STRONGEST, Computer, EngineSeat, seat_name
from daoqi_tui.tui.session import Session

T = TypeVar("T")

_LONG: Final = 1.0
"""Seconds after which a person is told that somebody thinks."""


class Computers:
    """The players of a game that are not persons, and an adviser.

    What is asked for is waited for; Ctrl+C stops it with a ``KeyboardInterrupt``.

    Args:
        net: says which network our own player thinks with.
        tell: called with a line while somebody thinks.
    """

    def __init__(self, net: Net, tell: Callable[[str], object]) -> None:
        self._net = net
        self._write = tell
        self.last_told = ""
        """What was told last while somebody thought."""
        self._minds = Minds(net=net)
        self._adviser = Player()
        self._runner = asyncio.Runner()

    def _tell(self, line: str) -> None:
        self.last_told = line
        self._write(line)

    def seated(self, session: Session) -> None:
        """End the players that sit at the board no longer."""
        self._runner.run(self._minds.seated(session.seats))

    def move(self, game: Game, seat: Computer | EngineSeat) -> Answer:
        """The move of a player for the side to move.

        Raises:
            PlayerError: there is no answer.
        """
        self.last_told = ""
        return self._runner.run(self._move(game, seat))

    async def _move(self, game: Game, seat: Computer | EngineSeat) -> Answer:
        def told(error: PlayerError) -> None:
            self._tell(sentence(said(error)))

        colour = game.to_move
        asked = self._minds.think(colour, seat, Position.of(game), seconds=seat.seconds, on_crash=told)
        try:
            return await self._patiently(asked, _("{name} thinks.").format(name=seat_name(seat)))
        except asyncio.CancelledError:
            # What a GTP engine was asked for cannot be called off, so it is ended and begins anew.
            if isinstance(seat, EngineSeat):
                await self._minds.dismiss(colour)
            raise

    def hint(self, game: Game) -> Answer:
        """The best moves for the side to move; raises as :meth:`move` does."""
        asked = self._adviser.think(Position.of(game), STRONGEST, seconds=HINT_SECONDS, analyse=True, net=self._net())
        return self._runner.run(self._patiently(asked, _("Looking for the best moves.")))

    def estimate(self, game: Game) -> Estimated:
        """Who will own what, and the margin to be expected; raises as :meth:`move` does."""
        asked = self._adviser.estimate(
            Position.of(game), playouts=ESTIMATE_PLAYOUTS, seconds=ESTIMATE_SECONDS, net=self._net()
        )
        return self._runner.run(self._patiently(asked, _("Estimating.")))

    async def _patiently(self, asked: Awaitable[T], words: str) -> T:
        """Wait for an answer; where it takes long, ``words`` say what is waited for."""
        timer = asyncio.get_running_loop().call_later(_LONG, self._tell, words)
        try:
            return await asked
        finally:
            timer.cancel()

    def close(self) -> None:
        """End their processes."""
        self._runner.run(self._close())
        self._runner.close()

    async def _close(self) -> None:
        await asyncio.gather(self._minds.close(), self._adviser.close())
