"""The program as a GTP 2 engine, on given text streams.

Every command is answered with ``=`` or ``?``; empty lines and comments are not, as GTP specifies. Lines are read while
a command runs, so that the next line ends an analysis.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TextIO

from daoqi_tui import __version__, signals
from daoqi_tui.ai import USUAL
from daoqi_tui.ai.process import PlayerError
from daoqi_tui.engine import DAOQI, STANDARD_KOMI, STANDARD_SIZE, Rules
from daoqi_tui.gtp import LONGEST_LINE, GtpCommand, GtpError, is_too_long, parse_line
from daoqi_tui.gtp.engine import daoqi_commands, katago_commands, standard_commands
from daoqi_tui.gtp.engine.analysis import DEFAULT_VISITS, AnalysisServer
from daoqi_tui.gtp.engine.session import (
    CommandTable,
    Context,
    GameSaver,
    GtpSession,
    LineReader,
    Response,
    internal_error,
    write_now,
)
from daoqi_tui.gtp.player import LevelPlayer, Player, ResignationPolicy
from daoqi_tui.streams import StreamError, check_input, write_error
from daoqi_tui.typed import STRONGEST

COMMANDS: Final = CommandTable({**standard_commands.COMMANDS, **katago_commands.COMMANDS, **daoqi_commands.COMMANDS})


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The engine's options.

    Attributes:
        size: of the board, 2 to 25.
        komi: points for White.
        level: of play, see :mod:`daoqi_tui.ai.levels`.
        time: maximum seconds per move, None for the limits of the level and the controller's clock.
        style: of play, see :mod:`daoqi_tui.ai.player`; empty for none.
        resign: whether it may resign.
        net: the network: a file, or ``auto`` for the built-in ones.
        rules: of the game, until the controller sets others.
        visits: evaluations per move instead of the level's; None for the level's.
        cpu: limit CPU time rather than wall-clock time, with one thread.
        threads: processor cores that a search uses.
        name: what the engine calls itself.
        version: of the engine, as it tells it.
    """

    size: int = STANDARD_SIZE
    komi: float = STANDARD_KOMI
    level: float = STRONGEST
    time: float | None = None
    style: str = ""
    resign: bool = True
    net: str = USUAL
    rules: Rules = DAOQI
    visits: int | None = None
    cpu: bool = False
    threads: int = 1
    name: str = "Daoqi"
    version: str = __version__


class Server:
    """One engine.

    Args:
        source: commands are read from here.
        target: answers are written there.
        player: makes the moves.
        options: how to start.
        saver: saves the games; None saves nothing.

    Raises:
        ValueError: the size or komi is out of range.
    """

    def __init__(
        self,
        source: TextIO,
        target: TextIO,
        player: Player,
        options: ServeOptions = ServeOptions(),
        saver: GameSaver | None = None,
    ) -> None:
        self._source: Final = source
        self._target: Final = target
        self._player: Final = player
        self._options: Final = options
        self._saver: Final = saver
        self.session: Final = GtpSession(options.size, options.komi, options.rules)

    async def run(self) -> None:
        """Serve until ``quit``, the end of the input, or the closing of the output.

        Raises:
            StreamError: the answers cannot be written, for a reason other than a closed pipe.
        """
        lines = LineReader(self._source)
        write = partial(write_now, self._target)
        context = Context(
            self.session,
            self._player,
            lines,
            tuple(COMMANDS),
            self._options.name,
            self._options.version,
            Response("", write),
            resignation=ResignationPolicy() if self._options.resign else None,
            saver=self._saver,
        )
        try:
            while not context.quitting and (line := await lines.get()) is not None:
                command = parse_line(line)
                if command is not None:
                    context.reply, context.rest = Response(command.id, write), command.rest
                    await self._answer(context, command, too_long=is_too_long(line))
        except BrokenPipeError:
            pass
        finally:
            if self._saver is not None:
                await self._saver.close()
            await self._player.close()

    async def _answer(self, context: Context, command: GtpCommand, *, too_long: bool) -> None:
        known = COMMANDS.get(command.name)
        try:
            if too_long:
                raise GtpError(f"syntax error: the line is longer than {LONGEST_LINE} characters")
            if not command.name:
                raise GtpError("syntax error: no command follows the id")
            if known is None:
                raise GtpError("unknown command")
            known.check(command.arguments)
            result = known.run(context, *command.arguments)
            text = result if result is None or isinstance(result, str) else await result
            await context.save()
            context.reply.finish(text or "")
        except (BrokenPipeError, StreamError):
            raise
        except PlayerError as error:
            # An answer that has been started can no longer report the reason.
            _log(str(error))
            context.reply.fail(str(error))
        except GtpError as error:
            context.reply.fail(str(error))
        except Exception as error:  # whatever goes wrong, the controller is waiting for an answer
            context.reply.fail(internal_error(error))


def _log(text: str) -> None:
    # An engine's standard error is its log.
    write_error(f"{text}\n")


def serve(options: ServeOptions, saver: GameSaver | None = None) -> int:
    """Serve GTP on standard input and output; returns the exit status.

    Args:
        options: how to start.
        saver: saves the games; None saves nothing.

    Raises:
        ValueError: an option is out of range, or the network cannot be used.
        StreamError: standard input or output cannot be used.
    """
    return _serve(options, lambda source, target, player: Server(source, target, player, options, saver).run())


def serve_analysis(options: ServeOptions) -> int:
    """Serve KataGo's analysis protocol; arguments, result and errors as for :func:`serve`."""

    def run(source: TextIO, target: TextIO, player: Player) -> Coroutine[Any, Any, None]:
        visits = options.visits or DEFAULT_VISITS
        return AnalysisServer(source, target, player, rules=options.rules, visits=visits, version=options.version).run()

    return _serve(options, run)


def _serve(options: ServeOptions, run: Callable[[TextIO, TextIO, Player], Coroutine[Any, Any, None]]) -> int:
    check_input()
    player = LevelPlayer(
        options.level,
        options.time,
        on_crash=_log,
        net=options.net,
        visits=options.visits,
        cpu=options.cpu,
        threads=options.threads,
        style=options.style,
    )
    # A copy of standard input: on exit the interpreter waits for the original, which a thread may be reading.
    # Some Windows programs begin their output with a byte order mark, which is not part of the first command.
    source = os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8-sig", errors="replace", newline="\n")
    target = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", errors="backslashreplace", newline="\n")
    # Otherwise Ctrl+C, however often, waits for somebody to read what is written.
    signals.take_interrupts()
    try:
        signals.run(run(source, target, player))
    finally:
        # A failed write has been reported already.
        with contextlib.suppress(OSError):
            target.close()
    return 0
