"""A GTP 2 engine on given text streams.

Every command is answered, with ``=`` or ``?``, whatever the line holds; only empty lines and comments are not, as
GTP has it. Lines are read while a command is at work, so that an analysis ends with the next one.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import traceback
from dataclasses import dataclass
from typing import Final, TextIO

from daoqi_tui.ai.levels import STRONGEST
from daoqi_tui.ai.nets import USUAL
from daoqi_tui.ai.player import PlayerError
from daoqi_tui.engine import STANDARD_KOMI, STANDARD_SIZE
from daoqi_tui.gtp.commands import COMMANDS
from daoqi_tui.gtp.context import Context
from daoqi_tui.gtp.giving_up import GivingUp
from daoqi_tui.gtp.lines import Lines
from daoqi_tui.gtp.parsing import LONGEST_LINE, Command, GtpError, parse_line
from daoqi_tui.gtp.reply import Reply
from daoqi_tui.gtp.session import Session
from daoqi_tui.gtp.thinker import LevelThinker, Thinker
from daoqi_tui.standard_streams import StreamError, check_input, output_error


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How the engine starts.

    Attributes:
        size: of the board, 2 to 25.
        komi: points for White.
        level: 1 to 10.
        time: seconds a move takes at most, None for what the level and the controller's clock say.
        resign: whether it may give up when it has long had no hope.
        net: the network to think with: a file, ``auto`` for the program's own, ``none`` for playouts.
    """

    size: int = STANDARD_SIZE
    komi: float = STANDARD_KOMI
    level: int = STRONGEST
    time: float | None = None
    resign: bool = True
    net: str = USUAL


class Server:
    """One engine.

    Args:
        source: commands are read from here.
        target: answers are written there.
        thinker: makes the moves.
        options: how to start.

    Raises:
        ValueError: the size or komi is out of range.
    """

    def __init__(
        self,
        source: TextIO,
        target: TextIO,
        thinker: Thinker,
        options: ServeOptions = ServeOptions(),
    ) -> None:
        self._source: Final = source
        self._target: Final = target
        self._thinker: Final = thinker
        self._options: Final = options
        self.session: Final = Session(options.size, options.komi)

    async def run(self) -> None:
        """Serve until ``quit``, the end of the input, or until nobody reads the answers any more.

        Raises:
            StreamError: the answers cannot be written, and not because nobody reads them.
        """
        lines = Lines(self._source)
        context = Context(
            self.session,
            self._thinker,
            lines,
            tuple(COMMANDS),
            Reply("", self._write),
            giving_up=GivingUp() if self._options.resign else None,
        )
        try:
            while not context.quitting and (line := await lines.get()) is not None:
                command = parse_line(line)
                if command is not None:
                    context.reply = Reply(command.id, self._write)
                    await self._answer(context, command, too_long=len(line) > LONGEST_LINE)
        except BrokenPipeError:
            pass
        finally:
            await self._thinker.close()

    async def _answer(self, context: Context, command: Command, *, too_long: bool) -> None:
        handler = COMMANDS.get(command.name)
        try:
            if too_long:
                raise GtpError(f"syntax error: the line is longer than {LONGEST_LINE} characters")
            if not command.name:
                raise GtpError("syntax error: no command follows the id")
            if handler is None:
                raise GtpError("unknown command")
            result = handler(context, command.arguments)
            context.reply.finish(result if isinstance(result, str) else await result)
        except (BrokenPipeError, StreamError):
            raise
        except PlayerError as error:
            # An analysis that has begun has no room for the reason in its answer.
            _log(str(error))
            context.reply.fail(str(error))
        except GtpError as error:
            context.reply.fail(str(error))
        except Exception as error:  # whatever goes wrong, the controller waits for an answer
            traceback.print_exc(file=sys.stderr)
            context.reply.fail(f"internal error: {type(error).__name__}: {error}")

    def _write(self, text: str) -> None:
        try:
            self._target.write(text)
            self._target.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise output_error(error) from error


def _log(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201 - an engine's standard error is its log


def serve(options: ServeOptions) -> int:
    """Serve on standard input and output; returns the exit status.

    Raises:
        ValueError: an option is out of range, or the network cannot be used.
        StreamError: standard input or output cannot be used.
    """
    check_input()
    thinker = LevelThinker(options.level, options.time, on_crash=_log, net=options.net)
    # A copy of the standard input: interpreters wait at their end for the original, which a thread may be reading.
    source = os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8", errors="replace", newline="\n")
    target = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        asyncio.run(Server(source, target, thinker, options).run())
    finally:
        # What could not be written has been told of already.
        with contextlib.suppress(OSError):
            target.close()
    return 0
