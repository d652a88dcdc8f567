"""The session of a GTP controller: its game, its clock, and the context of its commands.

The game is a single line, in which either colour may move at any time, even after the end.
Every change of it is on disk before it is answered, where games are saved.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TextIO, TypeAlias

from daoqi_tui import crash
from daoqi_tui.ai import RESUME, Position, Stage
from daoqi_tui.ai.levels import extra_time, moves_left
from daoqi_tui.ai.process import PlayerError
from daoqi_tui.engine import DAOQI, Colour, Ending, Game, IllegalMove, Node, Refusal, Rules, Setup, Suicide
from daoqi_tui.engine.tree import make
from daoqi_tui.gtp import LONGEST_LINE, GtpError, counted, is_too_long, parse_colour, parse_line, vertex_name
from daoqi_tui.gtp.player import Player, ResignationPolicy
from daoqi_tui.message import message_of, problem_of
from daoqi_tui.paths import SLOW
from daoqi_tui.streams import output_error, write_error

if TYPE_CHECKING:
    from daoqi_tui.record import Info
    from daoqi_tui.record.journal import Journal, SaveFailure, Ticket
    from daoqi_tui.record.library import Library


SHORTEST: Final = 0.02
_LAG: Final = 0.1
"""Seconds reserved in each move for the delay between the controller's clock and this program."""
_MOST: Final = 0.9
"""The most that a move may use of a period, or of what is left before an increment."""


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """A time system, in seconds.

    Attributes:
        system: ``none`` is no limit; ``canadian`` gives ``period`` for each ``stones`` moves after the main time,
            ``byoyomi`` for each move, with ``stones`` periods; ``fischer`` adds ``increment`` after each move,
            ``fischer-capped`` within limits.
        main: main time.
        period: of the overtime.
        stones: moves or periods of it.
        increment: added to the main time after each move.
        most: main time that an increment does not exceed; infinite without such a limit.
        most_of_move: that a move may take; likewise.

    Settings without any time, as in ``time_settings 0 0 0``, also mean no limit: otherwise every game would be lost
    before its first move. GNU Go interprets them in the same way.
    """

    system: Literal["none", "absolute", "canadian", "byoyomi", "fischer", "fischer-capped"] = "none"
    main: float = 0
    period: float = 0
    stones: int = 0
    increment: float = 0
    most: float = math.inf
    most_of_move: float = math.inf

    @property
    def has_overtime(self) -> bool:
        return self.period > 0 and self.stones > 0

    @property
    def is_unlimited(self) -> bool:
        return self.system == "none" or not (self.main or self.increment or self.has_overtime)


@dataclass(frozen=True, slots=True)
class _TimeLeft:
    seconds: float
    stones: int
    """Moves or periods of the overtime; 0 in the main time."""


@dataclass(frozen=True, slots=True)
class _TimeSpent:
    colour: Colour
    seconds: float
    """Less the increment."""
    played: int
    """The number of earlier moves of both players."""


class Timing:
    """The clocks of both players, as sent by the controller."""

    def __init__(self) -> None:
        self._settings = TimeSettings()
        self._left: dict[Colour, _TimeLeft] = {}
        self._spent: list[_TimeSpent] = []

    def set(self, settings: TimeSettings) -> None:
        self._settings = settings
        self.restart()

    def restart(self) -> None:
        self._left.clear()
        self._spent.clear()

    def set_left(self, colour: Colour, seconds: float, stones: int) -> None:
        """Set the time a player has left: main time if ``stones`` is 0, else overtime for that many moves.

        Without a time limit controllers send 0 s, which is ignored.
        """
        if seconds == 0 and self._settings.is_unlimited:
            self._left.pop(colour, None)
        else:
            self._left[colour] = _TimeLeft(seconds, stones)
        # The controller's clock is the one that counts, even after an undo.
        self._spent = [spent for spent in self._spent if spent.colour != colour]

    def spend(self, colour: Colour, seconds: float, played: int) -> None:
        """Subtract the time a move took and add its increment, for controllers that never send ``time_left``.

        Args:
            colour: of the move.
            seconds: spent.
            played: the number of earlier moves of both players.
        """
        if self._is_off(colour):
            return
        left = self._left.get(colour, _TimeLeft(self._settings.main, 0))
        if left.stones == 0:
            # A limit takes away what the increment would add beyond it, not what is there already.
            seconds = min(seconds, left.seconds)
            room = max(0.0, self._settings.most - (left.seconds - seconds))
            seconds -= min(self._settings.increment, room)
            self._left[colour] = _TimeLeft(left.seconds - seconds, 0)
            self._spent.append(_TimeSpent(colour, seconds, played))

    def take_back(self, played: int) -> None:
        """Restore the time of moves that were undone.

        Args:
            played: the number of remaining moves of both players.
        """
        while self._spent and self._spent[-1].played >= played:
            spent = self._spent.pop()
            self._left[spent.colour] = _TimeLeft(self._left[spent.colour].seconds + spent.seconds, 0)

    def budget(self, colour: Colour, points: int, played: int) -> float | None:
        """Return the seconds for the next move, None if there is no limit.

        Args:
            colour: whose move it is.
            points: of the board.
            played: moves of both players so far.
        """
        if self._is_off(colour):
            return None
        settings = self._settings
        left = self._left.get(colour, _TimeLeft(settings.main, 0))
        if left.stones:
            moves = 1 if settings.system == "byoyomi" else left.stones
            return _without_lag(left.seconds / moves)
        over = 0.0
        if settings.has_overtime:
            over = settings.period if settings.system == "byoyomi" else settings.period / settings.stones
        moves = moves_left(points, played)
        if settings.increment:
            share = (left.seconds + settings.increment * (moves - 1)) / moves
            # Beyond the limit increments are lost: spend at least what the next one could not add.
            share = max(share, min(settings.increment, left.seconds + settings.increment - settings.most))
            return _without_lag(min(share, left.seconds * _MOST, settings.most_of_move))
        # Before the overtime begins, one move may use what is left of the main time and its part of the overtime.
        return _without_lag(max(left.seconds / moves, min(left.seconds, over) if over else 0.0, over * _MOST))

    def extra(self, colour: Colour, points: int, played: int) -> float:
        """Return the seconds beyond :meth:`budget` that an undecided move may take of the main time."""
        if self._is_off(colour):
            return 0.0
        left = self._left.get(colour, _TimeLeft(self._settings.main, 0))
        if left.stones:
            return 0.0
        extra = extra_time(left.seconds, moves_left(points, played))
        if self._settings.increment:
            # The increment comes only after the move.
            most = min(left.seconds * _MOST, self._settings.most_of_move)
            extra = min(extra, most - (self.budget(colour, points, played) or 0.0))
        return max(0.0, extra - _LAG)

    def _is_off(self, colour: Colour) -> bool:
        """Return whether a player has no clock: no time settings and no ``time_left``."""
        return self._settings.is_unlimited and colour not in self._left


def _without_lag(seconds: float) -> float:
    return max(SHORTEST, seconds - _LAG, seconds * 0.5)


@dataclass(frozen=True, slots=True)
class _Step:
    """The state that undoing a move restores: the node before it, with the ending recorded there."""

    node: Node
    ending: Ending | None
    resumed: bool


class GtpSession:
    """A game under a controller.

    Attributes:
        game: the game; its tree is one line, which ends at the cursor.

    GTP allows moves out of turn, the rules do not. Such a move is preceded by a setup that changes the side to move;
    as after every setup, the superko history restarts.
    """

    def __init__(self, size: int, komi: float, rules: Rules = DAOQI) -> None:
        self.game = Game(size, komi, rules=rules)
        self._handicap = 0
        self._loaded: Info | None = None
        self._steps: list[_Step] = []

    @property
    def info(self) -> Info:
        """The game information: of the record that the game was loaded from, otherwise only the handicap."""
        from daoqi_tui.record import Info  # noqa: PLC0415 - an engine starts without the readers of records

        return self._loaded or Info(handicap=self._handicap)

    def begin_record(self, handicap: int) -> None:
        self._handicap, self._loaded = handicap, None

    @property
    def is_empty(self) -> bool:
        return self.game.board.empty == self.game.torus.full

    def new_game(self, size: int | None = None, handicap: int = 0) -> None:
        """Start a new game with the same komi and rules, and the same size by default.

        Raises:
            ValueError: the size or the handicap is out of range.
        """
        game = self.game
        self.game = Game(game.torus.size if size is None else size, game.komi, handicap, game.rules)
        self.begin_record(handicap)
        self._steps.clear()

    def set_rules(self, rules: Rules) -> None:
        """Change the rules, keeping the moves so far and their undo history.

        Raises:
            IllegalMove: one of them is suicide, which the rules forbid; nothing changes.
        """
        old = self.game
        if rules == old.rules:
            return
        game = Game(old.torus.size, old.komi, old.handicap, rules)
        # A record may begin with setup stones, which belong to its root.
        start, root = old.root, game.root
        root.against = make(game.board, start.action)
        root.action, root.ending, root.properties = start.action, start.ending, start.properties
        # The new game already has its handicap stones.
        path, twins = old.node.path(), game.node.path()
        for step in path[len(twins) :]:
            if step.action is not None:
                node = game.record(step.action)
                if isinstance(node.against, Suicide) and step.against is None:
                    raise IllegalMove(node.against)
                node.ending, node.resumed, node.properties = step.ending, step.resumed, step.properties
            twins.append(game.node)
        self.game = game
        self._steps = [replace(step, node=twins[step.node.depth]) for step in self._steps]

    @property
    def playable_game(self) -> Game:
        """Return the game.

        Raises:
            GtpError: no play and no score goes on from the position, since a chain has no liberties.
        """
        if refusal := self.game.board.no_liberties():
            raise GtpError(str(IllegalMove(refusal)))
        return self.game

    def load(self, game: Game, info: Info, repairs: str) -> None:
        """Adopt a game up to its cursor, as if its moves had been played here; ``repairs`` go into its comment."""
        game.prune()
        self.game = game
        self._steps = [
            _Step(node.parent, node.parent.ending, node.parent.resumed)
            for node in game.node.path()
            if node.move is not None and node.parent is not None
        ]
        # The result belonged to the whole game.
        comment = "\n".join(filter(None, (info.comment, repairs.rstrip("\n"))))
        self._loaded = replace(info, comment=comment, result=None)

    def play(self, colour: Colour, point: int) -> None:
        """Play at a point, or pass.

        Raises:
            IllegalMove: the rules refuse it; nothing changes.
        """
        step = self.turn_to(colour)
        try:
            self.game.make(point)
        except IllegalMove:
            self._return_to(step)
            raise
        self._steps.append(step)

    def play_all(self, moves: Iterable[tuple[Colour, int]]) -> None:
        """Make several moves, or none of them.

        Raises:
            IllegalMove: the rules refuse one; nothing changes.
        """
        before = len(self._steps)
        try:
            for colour, point in moves:
                self.play(colour, point)
        except IllegalMove:
            self.undo(len(self._steps) - before)
            raise

    def lay_out(self, black: Iterable[int], white: Iterable[int], to_move: Colour) -> None:
        """Start a new game with stones on the board.

        Raises:
            GtpError: a chain would have no liberty, or a point is named twice; nothing changes.
        """
        torus = self.game.torus
        game = Game(torus.size, self.game.komi, rules=self.game.rules)
        try:
            game.setup(black=black, white=white, to_move=to_move)
        except ValueError as error:
            # Its text uses point names, in which GTP skips the letter I.
            reason = message_of(error)
            text = error if reason is None else reason.map_text(lambda name: vertex_name(torus, torus.parse(name)))
            raise GtpError(f"bad vertex list: {text}") from error
        self.new_game()
        self.game = game

    def undo(self, moves: int = 1) -> None:
        """Undo a number of moves; there is no redo.

        Raises:
            ValueError: there are fewer moves; nothing changes.
        """
        if moves > len(self._steps):
            made = len(self._steps)
            raise ValueError(f"there {'is' if made == 1 else 'are'} {counted(made, 'move')} to undo")
        for _ in range(moves):
            self._return_to(self._steps.pop())

    def refusal(self, colour: Colour, point: int) -> Refusal | None:
        step = self.turn_to(colour)
        refusal = self.game.refusal(point)
        self._return_to(step)
        return refusal

    def legal_points(self, colour: Colour) -> tuple[int, ...]:
        step = self.turn_to(colour)
        points = self.game.legal_points()
        self._return_to(step)
        return points

    def position(self, colour: Colour) -> Position:
        position = Position.of(self.game)
        more = (RESUME,) if self.game.is_over else ()
        turn = () if self.game.to_move == colour else (Setup(0, 0, 0, colour),)
        return replace(position, actions=position.actions + more + turn)

    def turn_to(self, colour: Colour) -> _Step:
        """Set the side to move, resuming a finished game; return the step that undoes it."""
        game = self.game
        step = _Step(game.node, game.node.ending, game.node.resumed)
        if game.is_over:
            game.resume()
        if game.to_move != colour:
            game.setup(to_move=colour)
        return step

    def _return_to(self, step: _Step) -> None:
        self.game.goto(step.node)
        for child in step.node.children:
            self.game.delete(child)
        step.node.ending, step.node.resumed = step.ending, step.resumed


_PENDING: Final = 10_000
"""The maximum number of lines read ahead; further input waits in the pipe."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
Arguments: TypeAlias = tuple[str, ...]


@dataclass(slots=True)
class Context:
    """The state that commands read and change.

    Attributes:
        session: the game.
        player: chooses the moves.
        lines: the input, for commands that run until the next line.
        names: the names of all commands.
        engine_name: answers ``name``.
        engine_version: answers ``version``.
        reply: the response to the current command.
        rest: the raw text after the name of the current command.
        timing: the clocks.
        resignation: decides when to resign; None never does.
        saver: saves the game; None saves nothing.
        quitting: whether the session ends after this command.
    """

    session: GtpSession
    player: Player
    lines: LineReader
    names: Sequence[str]
    engine_name: str
    engine_version: str
    reply: Response
    rest: str = ""
    timing: Timing = field(default_factory=Timing)
    resignation: ResignationPolicy | None = None
    saver: GameSaver | None = None
    quitting: bool = False

    def budget(self, colour: Colour) -> float | None:
        """Return the seconds for the next move of a colour, None if there is no limit."""
        game = self.session.game
        return self.timing.budget(colour, game.torus.points, game.node.number)

    async def save(self) -> None:
        """Wait until the game is on disk as it is, before a change of it is answered."""
        if self.saver is not None:
            await self.saver.save(self.session.game, self.session.info)

    def begin_anew(self) -> None:
        self.timing.restart()
        if self.resignation is not None:
            self.resignation.clear()

    async def prepare(self) -> None:
        """Have the player load what its moves in this game need; a failure is reported with its first move."""
        game = self.session.game
        with contextlib.suppress(PlayerError):
            await self.player.prepare(self.session.position(game.to_move), _log_stage)


def _log_stage(stage: Stage) -> None:
    if stage == "compiling":
        # An engine's standard error is its log.
        write_error("compiling the search for this processor: this is done once, and takes about a minute\n")


Handler: TypeAlias = Callable[..., str | Awaitable[str | None] | None]
"""Carries out a command, with a :class:`Context` and its arguments; returns the answer, None for an empty one."""


class Command(NamedTuple):
    """A command.

    Attributes:
        run: carries it out.
        form: its name and arguments, optional ones in brackets; with ``…`` it checks their number itself.
    """

    run: Handler
    form: str

    def check(self, arguments: Arguments) -> None:
        """Check the number of arguments.

        Raises:
            GtpError: it is wrong.
        """
        _name, *words = self.form.split()
        if "…" not in words:
            check_count(arguments, sum(not word.startswith("[") for word in words), len(words), self.form)


class CommandTable(dict[str, Command]):
    """Commands by their names."""

    def command(self, form: str) -> Callable[[Handler], Handler]:
        def enter(run: Handler) -> Handler:
            self[form.split(maxsplit=1)[0]] = Command(run, form)
            return run

        return enter


def check_count(arguments: Arguments, least: int, most: int, form: str) -> None:
    """Check the number of arguments.

    Raises:
        GtpError: it is wrong; ``form`` is the syntax of the command.
    """
    if not least <= len(arguments) <= most:
        raise GtpError(f"syntax error: {counted(len(arguments), 'argument')}; the form is: {form}")


def colour_or_turn(context: Context, arguments: Arguments) -> Colour:
    """Parse the first argument as a colour; without arguments, return the side to move."""
    return parse_colour(arguments[0]) if arguments else context.session.game.to_move


class LineReader:
    """Reads the lines of a text stream in a separate thread.

    A line longer than :data:`~daoqi_tui.gtp.LONGEST_LINE` is truncated to one character more.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[str | None] = deque()
        self._arrived = asyncio.Event()
        self._free = threading.Semaphore(_PENDING)
        threading.Thread(target=self._read, name="read GTP", daemon=True).start()

    async def get(self) -> str | None:
        """Wait for the next line; None at the end of the input."""
        await self._arrived.wait()
        line = self._waiting.popleft()
        self._free.release()
        if line is None:
            self._waiting.append(None)
        elif not self._waiting:
            self._arrived.clear()
        return line

    async def arrival(self) -> None:
        """Wait for a line or the end of the input, without consuming it."""
        await self._arrived.wait()

    def _read(self) -> None:
        while self._free.acquire():
            try:
                line = self._stream.readline(LONGEST_LINE + 1)
                rest = line
                while len(rest) > LONGEST_LINE and not rest.endswith("\n"):
                    rest = self._stream.readline(LONGEST_LINE + 1)
            except (OSError, ValueError):
                line = ""
            # The loop may have been closed while this thread was waiting for input.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._hand_over, line or None)
            if not line or _ends(line):
                return

    def _hand_over(self, line: str | None) -> None:
        self._waiting.append(line)
        self._arrived.set()


def _ends(line: str) -> bool:
    """Return whether a line is ``quit``, after which reading stops, since a blocked thread would outlive the server."""
    if is_too_long(line):
        # It will be answered with an error, and the server continues.
        return False
    command = parse_line(line)
    return command is not None and command.name == "quit" and not command.arguments


def write_now(target: TextIO, text: str) -> None:
    """Write and flush text for the other end of a pipe.

    Raises:
        BrokenPipeError: it is closed.
        StreamError: it cannot be written for another reason.
    """
    try:
        target.write(text)
        target.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise output_error(error) from error


def internal_error(error: Exception) -> str:
    """Return the answer to what failed unexpectedly, once a report of it is written."""
    report = crash.report(error)
    text = f"internal error: {type(error).__name__}: {error}"
    return text if report is None else f"{text}\na report of it is in {report}"


class Response:
    """The response to a command; it may be sent in pieces, as for an analysis.

    Args:
        number: the id of the command, as received.
        write: writes and flushes text.
    """

    def __init__(self, number: str, write: Callable[[str], None]) -> None:
        self._number = number
        self._write = write
        self._begun = False

    def say(self, line: str) -> None:
        head = "" if self._begun else f"={self._number}\n"
        self._begun = True
        self._write(f"{head}{_tidy(line)}\n")

    def finish(self, text: str) -> None:
        if self._begun:
            self._write(_tidy(text) + "\n\n" if text else "\n")
        else:
            space = "" if text[:1] in ("", "\n") else " "
            self._write(f"={self._number}{space}{_tidy(text)}\n\n")

    def fail(self, text: str) -> None:
        """Send a failure; an answer that has been started can only be ended."""
        if self._begun:
            self._write("\n")
        else:
            self._write(f"?{self._number} {_tidy(text)}".rstrip(" ") + "\n\n")


def _tidy(text: str) -> str:
    """Return ``text`` without empty lines, the first of which would end the answer, and control characters."""
    first, *others = _CONTROL.sub("�", text.replace("\r\n", "\n")).split("\n")
    return "\n".join([first, *(line for line in others if line.strip())]).rstrip("\n")


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
        self._reported: SaveFailure | None = None

    async def save(self, game: Game, info: Info) -> None:
        """Wait until the game is on disk as it is; if it cannot be written, the log says so and the game goes on."""
        from daoqi_tui.record.journal import Journal  # noqa: PLC0415 (most engines save nothing)

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
            before.journal.write_info(info)
        self._komi = game.komi
        await self._wait(before.journal, before.journal.follow())

    async def close(self) -> None:
        if self._saved is not None:
            await _leave(self._saved, self._open_library)

    async def _wait(self, journal: Journal, ticket: Ticket) -> None:
        waiting = asyncio.ensure_future(ticket)
        done, _late = await asyncio.wait((waiting,), timeout=SLOW)
        if not done:
            # An engine's standard error is its log.
            write_error("not saved yet: waiting for the disk\n")
        await waiting
        if journal.failing != self._reported:
            self._reported = journal.failing
            write_error(f"{self._reported or 'everything is saved now'}\n")


async def _leave(saved: _Saved, open_library: Callable[[], Library], *, discards: bool = False) -> None:
    """Put a game into the library, or ``discard`` it; one without a move leaves nothing."""
    game, journal = saved

    def leave() -> None:
        if discards or not journal.begun:
            journal.discard()
            return
        journal.write_info(replace(journal.info, result=str(game.result) if game.is_over else _UNFINISHED))
        try:
            with closing(open_library()) as library:
                journal.finish(library)
        except OSError as error:
            write_error(f"the game stays unfinished: {problem_of(error)}\n")
            journal.close()

    await asyncio.to_thread(leave)
