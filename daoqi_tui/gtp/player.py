"""Players: their protocol, our own at a level, and GTP engines; and resigning."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Literal, Protocol, TypeAlias, TypeVar

from daoqi_tui.ai import (
    RESUME,
    USUAL,
    Answer,
    Candidate,
    Estimated,
    Position,
    PositionAction,
    Progress,
    Stage,
    Think,
)
from daoqi_tui.ai.levels import level_of
from daoqi_tui.ai.nets import checked
from daoqi_tui.ai.process import PlayerCrashed, PlayerError, PlayerProcess
from daoqi_tui.engine import (
    BLACK,
    DAOQI,
    PASS,
    WHITE,
    Board,
    Colour,
    Game,
    IllegalMove,
    Node,
    Rules,
    Setup,
    Torus,
    opponent,
    points_text,
    torus_of,
)
from daoqi_tui.gtp import Dialect, GtpError, colour_name, parse_vertex, read_infos, shown, vertex_name
from daoqi_tui.gtp.client import Engine, EngineError
from daoqi_tui.message import Message
from daoqi_tui.typed import STRONGEST, check_seconds, checked_style

T = TypeVar("T")

RESIGN: Final = -3
"""Resignation, as the move of an :class:`~daoqi_tui.ai.Answer`."""
_COMMANDED_ANALYSIS: Final = 1.0
"""Seconds of an analysis that the user asks an engine for by its command."""
HOPELESS_MOVES: Final = 3
"""A player resigns after this many consecutive moves with hopeless answers."""
LONGEST_THOUGHT: Final = 86_400

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

    async def think(self, request: Think, on_progress: Callable[[Progress], None] | None = None) -> Answer:
        """Return the move: a point, PASS or :data:`RESIGN`.

        Args:
            request: the position, whose game must not be over, the limits, and what is reported. Level, style, network
                and seed are the player's own. An analysis goes on until :meth:`hurry` or a limit; only it is limited in
                evaluations. The extra time is used while the player is undecided.
            on_progress: called a few times a second.
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
        style: of play, one of :data:`~daoqi_tui.typed.STYLES`; empty for none.

    Raises:
        ValueError: there is no such level or style, the time is out of range, or the network cannot be used.
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
        style: str = "",
    ) -> None:
        self.level: Final = level_of(level)
        self._style = style and checked_style(style)
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

        await self._ask(lambda: self._process.prepare(position.size, level, net=net, wait=wait, on_stage=on_stage))

    async def think(self, request: Think, on_progress: Callable[[Progress], None] | None = None) -> Answer:
        seconds = limit = request.seconds
        if not request.analyse:
            # Without the level's own time limit, the number of evaluations ends the search; a level without one needs
            # its time limit.
            own = None if self._visits is None and (self._hasty or self.level.timed) else LONGEST_THOUGHT
            limit = min((limit for limit in (self._seconds, seconds) if limit is not None), default=own)

        own_request = replace(
            request,
            level=self.level.number,
            visits=request.visits if request.analyse else self._visits,
            seconds=limit,
            style=self._style,
            # A move never takes more than its own limit.
            extra=request.extra if limit is not None and limit == seconds else 0.0,
        )

        return await self._ask(lambda: self._process.think(replace(own_request, net=self._net()), on_progress))

    async def _ask(self, ask: Callable[[], Awaitable[T]]) -> T:
        notify = self._on_crash
        return await (ask() if notify is None else asked_again(ask, lambda error: notify(str(error))))

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
        # The next request restarts a process that has crashed.
        if not (isinstance(error, PlayerCrashed) or (isinstance(error, EngineError) and error.fault == "crashed")):
            raise
        on_crash(error)
    return await ask()


class ResignationPolicy:
    """Decides when a player resigns, by the number of hopeless moves in a row; undone moves do not count."""

    def __init__(self) -> None:
        self._hopeless: dict[Colour, tuple[int, Node]] = {}

    def clear(self) -> None:
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
    else:
        game.make(answer.move)


MOVE_PATIENCE: Final = 120.0
"""The timeout of a move in seconds, if no time limit is given."""
_LOADING: Final = 300.0
"""The timeout in seconds of the commands that fix the size of the board: ours compiles before it answers them."""
_SPARE: Final = 30.0
"""The tolerance in seconds beyond an engine's time limit."""
_INTERVAL: Final = 20
"""Centiseconds between lines of analysis."""


class EnginePlayer:
    """A :class:`~daoqi_tui.gtp.player.Player` that wraps an engine, which is started with the first request.

    It raises only :class:`~daoqi_tui.gtp.client.EngineError`. If a failure ended the engine, the next request restarts
    it.

    Args:
        engine: not yet started.
        patience: seconds a move may take where no time limit is given.
    """

    def __init__(self, engine: Engine, patience: float = MOVE_PATIENCE) -> None:
        self.engine: Final = engine
        self._patience = patience
        self._at: Position | None = None
        self._rules: Rules | Literal["its own"] | None = "its own"
        self._stop = asyncio.Event()
        self._busy = asyncio.Lock()
        self._timed = False

    @property
    def pid(self) -> int | None:
        return self.engine.pid

    async def start(self) -> None:
        """Start the engine, without any setup; otherwise the first request starts it.

        Raises:
            EngineError: it cannot be started, or does not speak GTP.
        """
        self._at, self._timed, self._rules = None, False, "its own"
        await self.engine.start()

    async def prepare(
        self,
        position: Position,
        on_stage: Callable[[Stage], object] = lambda _: None,
        *,
        wait: bool = True,  # noqa: ARG002 - an engine has no such choice
    ) -> None:
        """As in the protocol: starts the engine and sets up the position.

        Raises:
            EngineError: as :meth:`think`.
        """
        async with self._busy:
            if self._at != position or self.engine.pid is None:
                on_stage("starting")
                await self._bring_to(position)

    async def think(self, request: Think, on_progress: Callable[[Progress], None] | None = None) -> Answer:
        """As in the protocol; win rates and lines are reported if the engine provides them.

        Raises:
            EngineError: the engine fails, its move is illegal on the torus, or moves are restricted.
        """
        if request.restrictions:
            raise EngineError(
                "refused",
                Message(
                    "{engine} cannot be asked to leave moves out; the built-in computer can", engine=self.engine.name
                ),
            )
        async with self._busy:
            return await self._think(request, on_progress)

    async def _think(self, request: Think, on_progress: Callable[[Progress], None] | None) -> Answer:
        position, seconds, visits, analyse = request.position, request.seconds, request.visits, request.analyse
        self._stop.clear()
        board = position.board()
        colour = board.to_move
        await self._bring_to(position)
        start = time.monotonic()
        last: Progress | None = None
        move: str | None = None

        def read_report(dialect: Dialect, line: str) -> None:
            nonlocal last, move
            if line.startswith("play "):
                move = line[5:].strip()
                return
            news = read_infos(board.torus, colour, line, dialect, time.monotonic() - start)
            checked = None if news is None else legal_part(news, board, position.komi)
            if checked is not None:
                last = checked
                if on_progress is not None:
                    on_progress(checked)
                if analyse and visits is not None and checked.visits >= visits:
                    self._stop.set()

        side = colour_name(colour)
        if analyse:
            dialect = self._dialect("analyze")
            if dialect is None:
                raise EngineError(
                    "refused", Message("{engine} supports neither kata-analyze nor lz-analyze", engine=self.engine.name)
                )
            await self._analyse(f"{dialect}-analyze {side} {_INTERVAL}", partial(read_report, dialect), seconds)
            if last is None:
                nothing = Message("{engine} reported no move that is legal on the torus", engine=self.engine.name)
                raise EngineError("nonsense", nothing)
            return _answer(last, last.lines[0].move, start)
        await self._set_clock(side, seconds)
        patience = self._patience if seconds is None else seconds + _SPARE
        # Until its move has arrived, the state of its board is unknown.
        self._at = None
        dialect = self._dialect("genmove_analyze") if on_progress is not None else None
        if dialect is not None:
            command = f"{dialect}-genmove_analyze {side} {_INTERVAL}"
            await self.engine.send(command, patience, partial(read_report, dialect), by_line=seconds is None)
        else:
            move = await self.engine.send(f"genmove {side}", patience)
        chosen = await self._checked(position, move or "")
        return _answer(last, chosen, start)

    async def estimate(
        self,
        position: Position,  # noqa: ARG002 - the protocol's form
    ) -> Estimated:
        """Raise: GTP has no command for it.

        Raises:
            EngineError: always.
        """
        raise EngineError(
            "refused",
            Message("{engine} cannot be asked for ownership; the built-in computer can", engine=self.engine.name),
        )

    async def send_command(self, command: str) -> EngineError | None:
        """Send a command of the user's, an analysis for a second; the answer is in the engine's dialogue.

        The board is set up anew for the next request.

        Returns:
            Why it was not answered; None if it was, even by a refusal.
        """
        stop = asyncio.Event()
        async with self._busy:
            self._at = None
            try:
                if self.engine.pid is None:
                    await self.engine.start()
                if "analyze" in command.split(maxsplit=1)[0]:
                    asyncio.get_running_loop().call_later(_COMMANDED_ANALYSIS, stop.set)
                    await self.engine.analyse(command, lambda _line: None, stop)
                else:
                    await self.engine.send(command)
            except EngineError as error:
                return None if error.fault == "refused" else error
        return None

    def hurry(self) -> None:
        """End an analysis; GTP has no way to hurry a move."""
        self._stop.set()

    def forget(self) -> None:
        """As in the protocol; the engine's board is cleared and set up again for the next request."""
        self._at = None

    async def close(self) -> None:
        self._at = None
        await self.engine.close()

    async def _set_clock(self, side: str, seconds: float | None) -> None:
        if "time_settings" not in self.engine.known:
            return
        if seconds is not None:
            # If this is cancelled in between, the engine may have received the limit all the same.
            self._timed = True
            # Overtime for one stone is GTP's way to set seconds per move, in whole ones: no more than there are.
            limit = max(1, int(seconds))
            await self.engine.send(f"time_settings 0 {limit} 1")
            if "time_left" in self.engine.known:
                await self.engine.send(f"time_left {side} {limit} 1")
        elif self._timed:
            # Overtime for 0 stones is its way to set no limit.
            await self.engine.send("time_settings 0 1 0")
            self._timed = False

    async def _analyse(self, command: str, read_report: Callable[[str], None], seconds: float | None) -> None:
        timer = None
        if seconds is not None:
            timer = asyncio.get_running_loop().call_later(seconds, self._stop.set)
        try:
            await self.engine.analyse(command, read_report, self._stop)
        finally:
            if timer is not None:
                timer.cancel()

    def _dialect(self, command: str) -> Dialect | None:
        dialects: tuple[Dialect, ...] = ("kata", "lz")
        return next((dialect for dialect in dialects if f"{dialect}-{command}" in self.engine.known), None)

    async def _checked(self, position: Position, word: str) -> int:
        board = position.board()
        move = RESIGN
        if word.lower() != "resign":
            try:
                move = parse_vertex(board.torus, word)
            except GtpError as error:
                self._at = None
                nonsense = Message(
                    "{engine} answered {word}, which is not a move", engine=self.engine.name, word=shown(word)
                )
                raise EngineError("nonsense", nonsense) from error
            try:
                if move != PASS:
                    board.play(move)
            except IllegalMove as error:
                self._at = None
                illegal = Message(
                    "{engine} played {move}, which is illegal on the torus: {reason}",
                    engine=self.engine.name,
                    move=word.upper(),
                    reason=error,
                )
                raise EngineError("illegal move", illegal) from error
            self._at = replace(position, actions=(*position.actions, move))
        return move

    async def _bring_to(self, position: Position) -> None:
        """Set up the position on the engine's board with as few commands as possible."""
        engine = self.engine
        if engine.pid is None:
            await self.start()
        done = self._known_part(position)
        self._at = None
        torus = torus_of(position.size)
        moves = list(_moves(position.actions, done or 0, torus))
        if done is None:
            await engine.send(f"boardsize {position.size}", _LOADING)
            await engine.send("clear_board", _LOADING)
            await self._set_rules(position.rules)
            await engine.send(f"komi {points_text(position.komi)}")
        for mover, point in moves:
            await self._play(mover, vertex_name(torus, point))
        self._at = position

    async def _set_rules(self, rules: Rules) -> None:
        """Send the rules if the engine has others; an engine without the command keeps those it was started with."""
        before = self._rules
        if rules == before or "kata-set-rules" not in self.engine.known:
            return
        # Until the engine has answered, its rules are unknown, even if the task is cancelled.
        self._rules = None
        try:
            # KataGo also accepts the names of presets.
            await self.engine.send(f"kata-set-rules {str(rules).lower()}")
        except EngineError as error:
            self._rules = before
            # An engine that always plays by Daoqi's rules need not know their name.
            if before != "its own" or rules != DAOQI or error.fault != "refused":
                raise
        self._rules = rules

    async def _play(self, mover: Colour, vertex: str) -> None:
        try:
            await self.engine.send(f"play {colour_name(mover)} {vertex}")
        except EngineError as error:
            if error.fault == "refused":
                refused = Message("{problem}, although the move is legal on the torus", problem=error)
                raise EngineError("refused", refused) from error
            raise

    def _known_part(self, position: Position) -> int | None:
        """Return how many of the actions are on the engine's board already; None if it must be cleared."""
        if self._at is None or replace(position, actions=self._at.actions) != self._at:
            return None
        known = self._at.actions
        return len(known) if position.actions[: len(known)] == known else None


def _moves(actions: Sequence[PositionAction], start: int, torus: Torus) -> Iterator[tuple[Colour, int]]:
    """Return the moves of the actions from ``start`` on, each with its colour; setup stones become moves.

    Raises:
        EngineError: the setup removes stones, for which GTP has no command.
    """
    mover = BLACK
    for place, action in enumerate(actions):
        if isinstance(action, Setup):
            if action.empty:
                raise EngineError(
                    "refused", Message("a position from which stones were removed by hand cannot be sent over GTP")
                )
            if place >= start:
                yield from ((BLACK, point) for point in torus.points_in(action.black))
                yield from ((WHITE, point) for point in torus.points_in(action.white))
            mover = action.to_move
        elif action != RESUME:
            if place >= start:
                yield mover, action
            mover = opponent(mover)


def legal_part(found: Progress, board: Board, komi: float) -> Progress | None:
    """Return an engine's report without moves that are illegal on the torus; None if no move is left.

    A line ends before its first illegal move, and a score lead beyond what the board allows is cut off.
    """
    lines = []
    farthest = board.torus.points + abs(komi) + sum(board.passes)
    for candidate in found.lines:
        line = _legal_moves(board, candidate.line)
        if line and line[0] == candidate.move:
            lines.append(replace(candidate, line=line, margin=max(-farthest, min(candidate.margin, farthest))))
    return replace(found, lines=tuple(lines), margin=lines[0].margin) if lines else None


def _legal_moves(board: Board, moves: Sequence[int]) -> tuple[int, ...]:
    """Return the moves up to the first illegal one, or the second pass in a row."""
    made = 0
    try:
        for move in moves:
            if move == PASS and made and moves[made - 1] == PASS:
                break
            board.make(move)
            made += 1
    except IllegalMove:
        pass
    finally:
        for _move in range(made):
            board.undo()
    return tuple(moves[:made])


def _answer(last: Progress | None, move: int, start: float) -> Answer:
    seconds = time.monotonic() - start
    if last is None:
        return Answer(0, move, 0.5, False, 0, seconds, (), 0.0)
    chosen = next((line for line in last.lines if line.move == move), Candidate(move, 0, last.lines[0].win, (move,)))
    return Answer(0, move, chosen.win, False, last.visits, seconds, last.lines, last.margin)
