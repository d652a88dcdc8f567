"""The protocol of players, our own player at a level, and resigning."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol, TypeAlias, TypeVar

from daoqi_tui.ai.levels import level_of
from daoqi_tui.ai.nets import checked
from daoqi_tui.ai.process import PlayerCrashed, PlayerError, PlayerProcess
from daoqi_tui.ai.protocol import SHOWN, USUAL, Answer, Estimated, Position, Progress, Restriction, Stage, Think
from daoqi_tui.engine import PASS, Colour, Game, Node
from daoqi_tui.numbers import STRONGEST, check_seconds

T = TypeVar("T")

RESIGN: Final = -3
"""Resignation, as the move of an :class:`~daoqi_tui.ai.protocol.Answer`."""
HOPELESS_MOVES: Final = 3
"""A player resigns after this many consecutive moves with hopeless answers."""
LONGEST_THOUGHT: Final = 86_400
"""The maximum time limit of a move in seconds."""

Net: TypeAlias = Callable[[], str]
"""Returns the network to think with as :func:`~daoqi_tui.ai.nets.net_of` does; called for every move."""


class Player(Protocol):
    """A source of moves: our own player at a level, or a GTP engine.

    Failures are :class:`~daoqi_tui.ai.process.PlayerError`. The next request restarts a process that has ended.
    """

    @property
    def pid(self) -> int | None:
        """The id of its process, None while there is none."""

    async def prepare(
        self, position: Position, on_stage: Callable[[Stage], object] = lambda _: None, *, wait: bool = True
    ) -> None:
        """Start the process and load what moves from a position on need, so that no move's time pays for it.

        Does nothing if all is there already.

        Args:
            position: of the next move.
            wait: whether to wait for what can be done beside the moves too, such as compiling.
            on_stage: called with what is being done.
        """

    async def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        extra: float = 0.0,
        visits: int | None = None,
        analyse: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
        shown: int = SHOWN,
        restrictions: Sequence[Restriction] = (),
    ) -> Answer:
        """Return the move: a point, PASS or :data:`RESIGN`.

        Args:
            position: the position; the game must not be over.
            seconds: the time limit; None for the player's own.
            extra: additional seconds while the player is undecided.
            visits: the limit of evaluations of an analysis; None for none.
            analyse: search until :meth:`hurry` or a limit, for the progress rather than for a move.
            on_progress: called a few times a second.
            shown: how many candidate moves are reported.
            restrictions: moves to avoid or allow.
        """

    async def estimate(self, position: Position) -> Estimated:
        """Return the expected ownership and the score lead."""

    def hurry(self) -> None:
        """Answer the current request now, if possible."""

    def forget(self) -> None:
        """Drop the search tree kept from earlier requests."""

    async def close(self) -> None:
        """End its process."""


class LevelPlayer:
    """Our own player at a level.

    Args:
        level: of play, see :mod:`daoqi_tui.ai.levels`.
        seconds: the time limit of a move; None for no limit, or at the strongest level for the level's own.
        process: to think in.
        on_crash: called when that process has died, before the request is repeated; None raises instead.
        net: the network: a file, ``auto`` for the built-in ones, or a function that returns what
            :func:`~daoqi_tui.ai.nets.net_of` does.
        hasty: keep to the level's own time limit if no other is given; on a slow machine this means fewer evaluations
            than the level has.
        visits: evaluations per move instead of the level's, regardless of time.
        cpu: limit the CPU time of its process; ignored for a given process.
        threads: processor cores that it uses; ignored for a given process.
        nice: whether its process has a lower priority, for the sake of a screen; ignored for a given process.

    Raises:
        ValueError: there is no such level, the time is out of range, or the network cannot be used.
    """

    def __init__(
        self,
        level: float = STRONGEST,
        seconds: float | None = None,
        process: PlayerProcess | None = None,
        on_crash: Callable[[str], object] | None = lambda _: None,
        net: str | Net = USUAL,
        *,
        hasty: bool = False,
        visits: int | None = None,
        cpu: bool = False,
        threads: int = 1,
        nice: bool = False,
    ) -> None:
        self.level: Final = level_of(level)
        check_seconds(seconds, LONGEST_THOUGHT)
        if isinstance(net, str):
            chosen = checked(net)
            self._net: Net = lambda: chosen
        else:
            self._net = net
        self._on_crash = on_crash
        self._seconds = seconds
        self._hasty = hasty
        self._visits = visits
        self._process = process or PlayerProcess(cpu=cpu, threads=threads, nice=nice)

    @property
    def pid(self) -> int | None:
        return self._process.pid

    async def prepare(
        self, position: Position, on_stage: Callable[[Stage], object] = lambda _: None, *, wait: bool = True
    ) -> None:
        net, level = self._net(), self.level.number

        async def ask() -> None:
            await self._process.prepare(position.size, level, net=net, wait=wait, on_stage=on_stage)

        tell = self._on_crash
        await (ask() if tell is None else asked_again(ask, lambda error: tell(str(error))))

    async def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        extra: float = 0.0,
        visits: int | None = None,
        analyse: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
        shown: int = SHOWN,
        restrictions: Sequence[Restriction] = (),
    ) -> Answer:
        limit = seconds
        if not analyse:
            # Without the level's own time limit, the number of evaluations ends the search; a level without one needs
            # its time limit.
            own = None if self._visits is None and (self._hasty or self.level.timed) else LONGEST_THOUGHT
            limit = min((limit for limit in (self._seconds, seconds) if limit is not None), default=own)

        request = Think(
            position,
            self.level.number,
            visits=visits if analyse else self._visits,
            seconds=limit,
            analyse=analyse,
            shown=shown,
            restrictions=tuple(restrictions),
            # A move never takes more than its own limit.
            extra=extra if limit is not None and limit == seconds else 0.0,
        )

        async def ask() -> Answer:
            return await self._process.think(replace(request, net=self._net()), on_progress)

        tell = self._on_crash
        return await (ask() if tell is None else asked_again(ask, lambda error: tell(str(error))))

    async def estimate(self, position: Position) -> Estimated:
        return await self._process.estimate(position, net=self._net())

    def hurry(self) -> None:
        self._process.hurry()

    def forget(self) -> None:
        self._process.forget()

    async def close(self) -> None:
        await self._process.close()


async def asked_again(ask: Callable[[], Awaitable[T]], on_crash: Callable[[PlayerError], object]) -> T:
    """Return the answer of ``ask``; if the process crashed, call ``on_crash`` and ask once more.

    Raises:
        PlayerError: there is no answer.
    """
    try:
        return await ask()
    except PlayerError as error:
        if not has_crashed(error):
            raise
        on_crash(error)
    return await ask()


def has_crashed(error: PlayerError) -> bool:
    """Return whether the error is the crash of a process, which the next request restarts."""
    from daoqi_tui.gtp.client import EngineError  # noqa: PLC0415 (our own player needs no client)

    return isinstance(error, PlayerCrashed) or (isinstance(error, EngineError) and error.fault == "crashed")


class ResignationPolicy:
    """Decides when a player resigns, by the number of hopeless moves in a row; undone moves do not count."""

    def __init__(self) -> None:
        self._hopeless: dict[Colour, tuple[int, Node]] = {}

    def clear(self) -> None:
        """Reset the counts for a new game or other players."""
        self._hopeless.clear()

    def should_resign(self, game: Game, colour: Colour, answer: Answer) -> bool:
        """Return whether a player should resign instead of making the move of its answer."""
        count, where = self._hopeless.get(colour, (0, game.root))
        before = game.node.parent
        # Its last move was two moves ago, or one if a controller has a player move twice in a row.
        follows = before is not None and where in (before, before.parent)
        count = (count if follows else 0) + 1 if answer.hopeless else 0
        self._hopeless[colour] = count, game.node
        # If its pass ends the game, the score decides.
        ends = answer.move == PASS and game.node.passes_in_row == 1
        return count >= HOPELESS_MOVES and not ends


def apply_answer(game: Game, answer: Answer, resignation: ResignationPolicy | None) -> None:
    """Play, pass or resign for the side to move.

    Args:
        game: a game that has not ended.
        answer: of the player to move.
        resignation: decides when to resign; None never does.

    Raises:
        IllegalMove: the rules refuse the move; nothing changes.
    """
    hopeless = resignation is not None and resignation.should_resign(game, game.to_move, answer)
    if hopeless or answer.move == RESIGN:
        game.resign()
        if resignation is not None:
            # Play may be resumed.
            resignation.clear()
    elif answer.move == PASS:
        game.pass_turn()
    else:
        game.play(answer.move)
