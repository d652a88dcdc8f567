"""The computer players of a game, each in its own process, and the progress of their searches in words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from daoqi_tui import log
from daoqi_tui.ai import USUAL, Answer, Position, Progress, Stage, Think
from daoqi_tui.ai.levels import extra_time, moves_left
from daoqi_tui.ai.process import PlayerError
from daoqi_tui.engine import Colour, Node, Style, Torus, opponent
from daoqi_tui.engine.clock import TimeControl, TimeLeft
from daoqi_tui.gtp.client import Engine
from daoqi_tui.gtp.player import EnginePlayer, LevelPlayer, Net, Player, asked_again
from daoqi_tui.i18n import _
from daoqi_tui.message import filled
from daoqi_tui.play.background import Background, Spawn, Wait, begin_task
from daoqi_tui.play.session import Computer, EngineSeat, Person, Seat
from daoqi_tui.play.wording import describe_line, fitting, move_name, with_keys
from daoqi_tui.text import cell_width, plain_line
from daoqi_tui.typed import STRONGEST

PONDER_VISITS: Final = 10_000
PONDER_SECONDS: Final = 300.0
"""The limit of pondering, since the user may be away for long."""
_REPLY: Final = 1.0
"""Seconds of a byo-yomi period or an increment reserved for the answer to arrive; a fifth of a short one."""
_LEAST: Final = 0.05


def usual_net() -> str:
    """Return the choice of the built-in networks."""
    return USUAL


def make_player(seat: Seat, net: Net = usual_net, threads: int = 1) -> Player:
    """Return the player for a seat; its process is started with the first request.

    Args:
        seat: who sits there.
        net: our own player's network.
        threads: processor cores that it uses.

    Raises:
        PlayerError: the command of an engine cannot be parsed.
        ValueError: a person sits there.
    """
    match seat:
        case Computer(level=level, style=style):
            # The table repeats requests after a crash, for engines as well.
            return LevelPlayer(level, on_crash=None, net=net, hasty=True, threads=threads, nice=True, style=style)
        case EngineSeat(command=command):
            return EnginePlayer(Engine(command))
        case Person():
            raise ValueError("a person is not asked for moves")


class MoveTime(NamedTuple):
    """The time of a move, in seconds.

    Attributes:
        seconds: the limit; None for the player's own.
        extra: additional time for an undecided player.
    """

    seconds: float | None = None
    extra: float = 0.0


PLAYERS_OWN: Final = MoveTime()
"""The player's own time."""
AT_ONCE: Final = MoveTime(_LEAST)
"""The time of a move that the user does not want to wait for."""


class PlayerTable:
    """The computer players of a game, one for each side, an adviser, and an analyst.

    Each side has its own process, so that a weak player does not profit from the search tree of a strong one. Two
    equal computers share one, which takes half the memory.

    Args:
        make: makes the player of a seat; :func:`make_player` by default.
        net: our own players' network.
        threads: processor cores that each of them uses.
        analyst: returns the command of the GTP engine that analyses, empty for the adviser.
    """

    def __init__(
        self,
        make: Callable[[Seat], Player] | None = None,
        net: Net = usual_net,
        threads: int = 1,
        analyst: Callable[[], str] = str,
    ) -> None:
        self._make = make or partial(make_player, net=net, threads=threads)
        self._net = net
        self._analyst_command = analyst
        self._engine: tuple[str, Player] | None = None
        self._players: dict[Colour, tuple[Seat, Player]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._adviser: Player | None = None
        self._pondering: Background | None = None

    @property
    def adviser(self) -> Player:
        """Our own player at its strongest, for estimates; created on first use. Ends pondering."""
        self.rest()
        if self._adviser is None:
            self._adviser = self._make(Computer(STRONGEST))
        return self._adviser

    @property
    def analyst(self) -> tuple[Player, str]:
        """The player that analyses: the chosen GTP engine, with its name, or the adviser with an empty name.

        Ends pondering, with which its user must not share the processor.

        Raises:
            PlayerError: the command of the engine cannot be read.
        """
        self.rest()
        command = self._analyst_command()
        self._dismiss_engine_unless(command)
        if not command:
            return self.adviser, ""
        if self._engine is None:
            try:
                seat = EngineSeat(command)
            except ValueError as error:
                raise PlayerError(*error.args) from error
            self._engine = command, self._make(seat)
        return self._engine[1], _engine_name(self._engine[1], command)

    def _dismiss_engine_unless(self, command: str) -> list[asyncio.Task[None]]:
        """End the analysis engine, unless it has this command."""
        if self._engine is None or self._engine[0] == command:
            return []
        (_command, player), self._engine = self._engine, None
        return [self._end(player)]

    @property
    def analyst_command(self) -> str:
        """The command of the GTP engine that analyses, empty for the adviser."""
        return self._analyst_command()

    @property
    def network(self) -> str:
        """The file name of our own players' network, empty for the built-in ones."""
        net = self._net()
        return "" if net == USUAL else plain_line(Path(net).name)

    def of(self, colour: Colour, seat: Seat) -> Player:
        """Return the player of a side, ending the one it had for another seat. Raises as ``make`` does."""
        before = self._players.get(colour)
        if before is not None:
            if before[0] == seat:
                return before[1]
            self.dismiss(colour)
        other = self._players.get(opponent(colour))
        is_same = isinstance(seat, Computer) and other is not None and other[0] == seat
        player = other[1] if other is not None and is_same else self._make(seat)
        self._players[colour] = seat, player
        return player

    async def prepare(
        self,
        colour: Colour,
        seat: Seat,
        position: Position,
        *,
        wait: bool,
        on_stage: Callable[[Stage], object],
        on_crash: Callable[[PlayerError], None] = lambda _: None,
    ) -> None:
        """Have the player of a side load what it needs for a position; otherwise as :meth:`think`."""

        async def ask() -> None:
            await self.of(colour, seat).prepare(position, on_stage, wait=wait)

        await asked_again(ask, on_crash)

    async def think(
        self,
        colour: Colour,
        seat: Seat,
        position: Position,
        *,
        time: MoveTime = PLAYERS_OWN,
        on_progress: Callable[[Progress], None] | None = None,
        on_crash: Callable[[PlayerError], None] = lambda _: None,
    ) -> Answer:
        """Ask the player of a side for a move; if its process ends, call ``on_crash`` and ask once more.

        Raises:
            PlayerError: there is no answer.
        """

        async def ask() -> Answer:
            request = Think(position, seconds=time.seconds, extra=time.extra)
            return await self.of(colour, seat).think(request, on_progress)

        return await asked_again(ask, on_crash)

    def ponder(self, colour: Colour, seat: Seat, position: Position, spawn: Spawn) -> None:
        """Have the player of a side search the opponent's position, keeping the tree, until :meth:`rest`."""

        async def search() -> None:
            try:
                player = self.of(colour, seat)
                await player.think(Think(position, seconds=PONDER_SECONDS, visits=PONDER_VISITS, analyse=True))
            except PlayerError as error:
                # The next request will report it, or do without.
                log.warning("pondering ended: %s", error)

        self.rest()
        self._pondering = spawn(search)

    def rest(self) -> None:
        if self._pondering is not None:
            pondering, self._pondering = self._pondering, None
            pondering.cancel()

    def dismiss(self, colour: Colour) -> list[asyncio.Task[None]]:
        """End the player of a side, unless the other has it, too; return what is done when its process is gone."""
        before = self._players.pop(colour, None)
        if before is None or any(player is before[1] for _seat, player in self._players.values()):
            return []
        return [self._end(before[1])]

    def _end(self, player: Player) -> asyncio.Task[None]:
        return begin_task(player.close(), self._ending)

    def dismiss_absent(self, seats: Mapping[Colour, Seat]) -> list[asyncio.Task[None]]:
        """End the players without a seat, and an engine that is no longer the analyst; return as :meth:`dismiss`."""
        gone = [colour for colour, (seat, _player) in self._players.items() if seats[colour] != seat]
        ended = [task for colour in gone for task in self.dismiss(colour)]
        return [*ended, *self._dismiss_engine_unless(self._analyst_command())]

    def engines(self) -> tuple[EnginePlayer, ...]:
        """Return the GTP engines: those of the seats, and the analyst."""
        players = [player for _colour, (_seat, player) in sorted(self._players.items())]
        players += [self._engine[1]] if self._engine is not None else []
        return tuple(player for player in players if isinstance(player, EnginePlayer))

    async def close(self) -> None:
        """End all processes."""
        self.rest()
        for colour in tuple(self._players):
            self.dismiss(colour)
        for player in (self._adviser, self._engine[1] if self._engine is not None else None):
            if player is not None:
                await player.close()
        await asyncio.gather(*self._ending, return_exceptions=True)


def _engine_name(player: Player, command: str) -> str:
    """Return the name an engine gave itself, or its program's before that."""
    return player.engine.name if isinstance(player, EnginePlayer) else EngineSeat(command).program


def time_for_move(
    seconds: float | None, timed: tuple[TimeControl, TimeLeft] | None, *, points: int, played: int
) -> MoveTime:
    """Return the time of a move, limited by ``seconds`` and by the clock.

    Args:
        seconds: the limit of the player, None for its own.
        timed: the settings of its clock, and what is left on it; None without one.
        points: of the board.
        played: moves of both players so far.
    """
    if timed is None:
        return MoveTime(seconds)
    control, left = timed
    # A move may take the rest of the main time and the first period, as every move takes a period afterwards.
    overtime = control.period if left.periods and not left.in_byoyomi else 0.0
    most = _before_reply(left.seconds + overtime)
    moves = moves_left(points, played)
    share = most if left.in_byoyomi else left.seconds / moves + _before_reply(control.increment)
    allowed = max(_LEAST, min(most, max(share, _before_reply(overtime))))
    if seconds is not None and seconds <= allowed:
        return MoveTime(seconds)
    extra = 0.0 if left.in_byoyomi else max(0.0, min(extra_time(left.seconds, moves), most - allowed))
    return MoveTime(allowed, extra if seconds is None else min(extra, seconds - allowed))


def _before_reply(seconds: float) -> float:
    return max(seconds - _REPLY, seconds * 0.8)


@dataclass(eq=False)
class Thinking:
    """A running search for a move.

    Attributes:
        node: the node it searches at.
        colour: the side to move.
        name: of the player.
        since: its start, in seconds of a monotonic clock.
        progress: the last report.
        hurried: whether the player was asked to move at once.
        ready: whether the player has loaded what it needs, so that its time runs.
        stage: what it does before that; compiling may go on afterwards.
        is_engine: whether it is a GTP engine, which can be stopped but not hurried.
        evaluating: the judgement of the move before it, which comes first.
    """

    node: Node
    colour: Colour
    name: str
    since: float
    progress: Progress | None = None
    hurried: bool = False
    ready: bool = False
    stage: Stage | None = None
    is_engine: bool = False
    evaluating: Wait | None = None

    def describe(self, now: float, torus: Torus, style: Style, room: int) -> str:
        """Word the progress in at most ``room`` cells; the line of moves is cut first."""
        head = filled(_("{name} is thinking"), name=self.name)
        seconds = _("{seconds} s").format(seconds=f"{max(0.0, now - self.since):.1f}")
        hint = with_keys(_("{clear}: stop waiting") if self.is_engine else _("{clear}: move now"))
        if self.evaluating is not None:
            return fitting([self.evaluating.what, self.evaluating.how_far, hint], room)
        if not self.ready and self.stage is not None:
            return fitting([self.describe_stage(), seconds, hint], room)
        progress = self.progress
        beside = [_("compiling too, only this once")] if self.stage == "compiling" else []
        if progress is None or not progress.lines:
            return fitting([head, seconds, *beside, hint], room)
        best = progress.lines[0]
        parts = [
            head,
            evaluations(progress),
            seconds,
            f"{move_name(best.move, torus, style)} {best.win:.0%}",
        ]
        line = describe_line(best.line[1:6], torus, style)
        if line and cell_width("  ·  ".join([*parts, line, hint])) <= room:
            parts[-1] += f" {line}"
        return fitting([*parts, *beside, hint], room)

    def describe_stage(self) -> str:
        match self.stage:
            case "compiling":
                return _("Compiling for this processor: only this once, about a minute")
            case "loading":
                return _("Loading the network")
        return filled(_("{name} is starting"), name=self.name)


def evaluations(found: Progress | Answer) -> str:
    return _("{count} visits").format(count=f"{found.visits:,}")
