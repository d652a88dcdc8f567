"""Who thinks about the moves: the interface the server and matches use, and our own player behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from daoqi_tui.ai.levels import STRONGEST, level_of
from daoqi_tui.ai.nets import USUAL, checked
from daoqi_tui.ai.player import Player, PlayerCrashed
from daoqi_tui.ai.protocol import Answer, Estimated, Position, Progress

LONGEST_THOUGHT: Final = 86_400
"""Seconds a move may be given."""


class Thinker(Protocol):
    """A player that is asked for moves. Failures are :class:`~daoqi_tui.ai.player.PlayerError`, one line each."""

    @property
    def pid(self) -> int | None:
        """The process it thinks in, None while there is none."""

    async def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        analyse: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Answer:
        """The move: a point, PASS or :data:`~daoqi_tui.gtp.giving_up.RESIGN`.

        Args:
            position: where; the game must not be over.
            seconds: at most so long, None for as long as the player sees fit.
            analyse: think until :meth:`hurry`, and report rather than decide.
            on_progress: called now and then.
        """

    async def estimate(self, position: Position) -> Estimated:
        """Who will own what."""

    def hurry(self) -> None:
        """Have what was asked answered now."""

    async def close(self) -> None:
        """End it."""


class LevelThinker:
    """Our own player at a level.

    Args:
        level: 1 to 10.
        seconds: a move takes at most so long, instead of what the level says.
        player: the process to think in.
        on_crash: is told when that process died and is started anew.
        net: the network to think with: a file, ``auto`` for the program's own, ``none`` for playouts.

    Raises:
        ValueError: there is no such level, the time is none, or the network cannot be used.
    """

    def __init__(
        self,
        level: int = STRONGEST,
        seconds: float | None = None,
        player: Player | None = None,
        on_crash: Callable[[str], None] = lambda _: None,
        net: str = USUAL,
    ) -> None:
        self.level: Final = level_of(level)
        if seconds is not None and not 0 < seconds <= LONGEST_THOUGHT:
            raise ValueError(f"{seconds:g} seconds a move are out of range: more than 0, up to {LONGEST_THOUGHT}")
        self._net = checked(net)
        self._on_crash = on_crash
        self._seconds = seconds
        self._player = player or Player()

    @property
    def pid(self) -> int | None:
        """As in :class:`Thinker`."""
        return self._player.pid

    async def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        analyse: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Answer:
        """As in :class:`Thinker`. A player that crashes is started anew and asked once more."""
        limit = seconds
        if not analyse:
            own = self.level.seconds if self._seconds is None and not self.level.timed else self._seconds
            limit = min((limit for limit in (own, seconds) if limit is not None), default=None)

        async def ask() -> Answer:
            return await self._player.think(
                position, self.level.number, seconds=limit, analyse=analyse, net=self._net, on_progress=on_progress
            )

        try:
            return await ask()
        except PlayerCrashed as crash:
            self._on_crash(str(crash))
            return await ask()

    async def estimate(self, position: Position) -> Estimated:
        """As in :class:`Thinker`."""
        return await self._player.estimate(position, seconds=1.0, net=self._net)

    def hurry(self) -> None:
        """As in :class:`Thinker`."""
        self._player.hurry()

    async def close(self) -> None:
        """As in :class:`Thinker`."""
        await self._player.close()
