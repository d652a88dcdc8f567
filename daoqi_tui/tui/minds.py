"""The players that think for the screen, each in a process of its own, made when it is first asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Protocol, TypeAlias

from daoqi_tui.ai.nets import USUAL, net_of
from daoqi_tui.ai.player import Player, PlayerError
from daoqi_tui.ai.protocol import Answer, Position, Progress
from daoqi_tui.engine import Colour
from daoqi_tui.engine.clock import TimeLeft
from daoqi_tui.tui.opponents import Computer, EngineSeat, Person, Seat

_MOVES_LEFT: Final = 30
"""Moves the main time has to last for."""
_OF_PERIOD: Final = 0.8
"""The share of a byo-yomi period that is used, so that the answer is there in time."""
_LEAST: Final = 0.05


Net: TypeAlias = Callable[[], str | None]


def usual_net() -> str | None:
    """The file of the network that comes with the program, None where none does."""
    return net_of(USUAL)


class Mind(Protocol):
    """Something that can be asked for moves. What goes wrong is a ``PlayerError``, one line."""

    async def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Answer:
        """The move: a point, PASS, or ``RESIGN`` of the GTP room."""

    def hurry(self) -> None:
        """Have what was asked answered now, where that can be done."""

    async def close(self) -> None:
        """End its process."""


class LevelMind:
    """Our own player at a level.

    Args:
        seat: the level.
        player: the process to think in.
        net: says which network's file to think with, None for playouts; asked at every move.
    """

    def __init__(self, seat: Computer, player: Player | None = None, net: Net = usual_net) -> None:
        self._seat = seat
        self._net = net
        self.player: Final = player or Player()

    async def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Answer:
        """As in :class:`Mind`."""
        return await self.player.think(
            position, self._seat.level, seconds=seconds, net=self._net(), on_progress=on_progress
        )

    def hurry(self) -> None:
        """As in :class:`Mind`."""
        self.player.hurry()

    async def close(self) -> None:
        """As in :class:`Mind`."""
        await self.player.close()


def make_mind(seat: Seat, net: Net = usual_net) -> Mind:
    """The player for a seat, with a network where it is ours; nothing is started yet.

    Raises:
        PlayerError: the command of an engine cannot be read.
        ValueError: a person sits there.
    """
    match seat:
        case Computer():
            return LevelMind(seat, net=net)
        case EngineSeat(command=command):
            from daoqi_tui.gtp.client import Engine  # noqa: PLC0415
            from daoqi_tui.gtp.engine_thinker import EngineThinker  # noqa: PLC0415

            return EngineThinker(Engine(command))
        case Person():
            raise ValueError("a person thinks for themself")


class Minds:
    """The players of a game, one a side, so that a weak one does not profit from what a strong one has thought.

    Args:
        make: makes the player of a seat, :func:`make_mind` unless a test says otherwise.
        net: says which network our own player thinks with.
    """

    def __init__(self, make: Callable[[Seat], Mind] | None = None, net: Net = usual_net) -> None:
        self._make = make or partial(make_mind, net=net)
        self._minds: dict[Colour, tuple[Seat, Mind]] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def of(self, colour: Colour, seat: Seat) -> Mind:
        """The player of a side; another seat than before ends the player that sat there. Raises as the maker does."""
        before = self._minds.get(colour)
        if before is not None:
            if before[0] == seat:
                return before[1]
            self.dismiss(colour)
        mind = self._make(seat)
        self._minds[colour] = seat, mind
        return mind

    async def think(
        self,
        colour: Colour,
        seat: Seat,
        position: Position,
        *,
        seconds: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        on_crash: Callable[[PlayerError], None] = lambda _: None,
    ) -> Answer:
        """Ask the player of a side for a move; one whose process ended is asked once more, after ``on_crash``.

        Raises:
            PlayerError: there is no answer.
        """
        try:
            return await self.of(colour, seat).think(position, seconds=seconds, on_progress=on_progress)
        except PlayerError as error:
            if not can_be_asked_again(error):
                raise
            on_crash(error)
        return await self.of(colour, seat).think(position, seconds=seconds, on_progress=on_progress)

    def dismiss(self, colour: Colour) -> asyncio.Future[None]:
        """End the player of a side; what is returned may be waited for."""
        loop = asyncio.get_running_loop()
        before = self._minds.pop(colour, None)
        if before is None:
            ended: asyncio.Future[None] = loop.create_future()
            ended.set_result(None)
            return ended
        task = loop.create_task(before[1].close())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        return task

    async def seated(self, seats: Mapping[Colour, Seat]) -> None:
        """End the players of sides that others play now."""
        gone = [colour for colour, (seat, _mind) in self._minds.items() if seats[colour] != seat]
        await asyncio.gather(*map(self.dismiss, gone), return_exceptions=True)

    def said(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What the GTP engines wrote to their standard error: the name of each with its last lines."""
        from daoqi_tui.gtp.engine_thinker import EngineThinker  # noqa: PLC0415

        minds = [mind for _colour, (_seat, mind) in sorted(self._minds.items())]
        return tuple((mind.engine.name, mind.engine.errors) for mind in minds if isinstance(mind, EngineThinker))

    async def close(self) -> None:
        """End all."""
        for colour in tuple(self._minds):
            self.dismiss(colour)
        await asyncio.gather(*self._ending, return_exceptions=True)


def can_be_asked_again(error: PlayerError) -> bool:
    """Whether what went wrong was the end of a process, which the next request starts anew."""
    from daoqi_tui.ai.player import PlayerCrashed  # noqa: PLC0415
    from daoqi_tui.gtp.client import EngineError  # noqa: PLC0415

    return isinstance(error, PlayerCrashed) or (isinstance(error, EngineError) and error.fault == "crashed")


def time_for_move(seconds: float | None, left: TimeLeft | None) -> float | None:
    """Seconds for a move: at most what was chosen, and what the clock allows; None for as long as the player likes."""
    if left is None:
        return seconds
    allowed = left.seconds * _OF_PERIOD if left.in_byoyomi else max(left.seconds / _MOVES_LEFT, _LEAST)
    allowed = max(_LEAST, min(allowed, left.seconds * _OF_PERIOD))
    return allowed if seconds is None else min(seconds, allowed)
