"""Drives any GTP engine as a subprocess.

Whatever an engine does wrong becomes one :class:`EngineError`, whose text is a sentence for a person: a command that
does not exist, silence, a crash, nonsense, a refusal. After all but a refusal the engine is ended, since nobody can
tell what it would answer next; :attr:`Engine.errors` keeps what it wrote to its standard error.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, NoReturn, TypeAlias

from daoqi_tui.ai.player import PlayerError
from daoqi_tui.gtp.parsing import shown
from daoqi_tui.gtp.process import Program
from daoqi_tui.gtp.wording import one_line, shown_line, signal_name
from daoqi_tui.record.problem import reason_of

Fault: TypeAlias = Literal["not started", "crashed", "silent", "nonsense", "refused", "illegal move"]

PATIENCE: Final = 20.0
"""Seconds an engine may take to answer anything but a move; large networks take long to load."""
_QUITTING: Final = 1.0
_LONGEST_ANSWER: Final = 1 << 22
_MOST_CHATTER: Final = 10_000
"""Lines that are no answer, after which an engine is taken not to speak GTP."""
_HEAD = re.compile(r"([=?])([0-9]*)(?:[ \t]+|$)(.*)", re.DOTALL)


class EngineError(PlayerError):
    """An engine did something wrong; the text is one sentence.

    Attributes:
        fault: what kind of wrong.
    """

    def __init__(self, fault: Fault, text: str) -> None:
        super().__init__(text)
        self.fault: Final = fault


class _Refused(EngineError):
    def __init__(self, name: str, command: str, text: str) -> None:
        why = shown_line(text) if text else "without a reason"
        super().__init__("refused", f"{name} refused {shown(command)}: {why}")
        self.text = text


class Engine:
    """An engine, started by :meth:`start` and ended by :meth:`close`, or by an ``async with`` block.

    Args:
        command: program and arguments, as one line quoted as for a shell, or as words.
        patience: seconds an answer may take where a call does not say otherwise.

    Attributes:
        command: as one line.
        name: what it calls itself; the name of the program before it is started.
        known: the commands it has.
    """

    def __init__(self, command: str | Sequence[str], patience: float = PATIENCE) -> None:
        try:
            self._words = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise EngineError("not started", f"the command {shown(str(command))} cannot be read: {error}") from error
        self.command: Final = command if isinstance(command, str) else shlex.join(command)
        if not self._words:
            raise EngineError("not started", "no command is given; write the program and its arguments")
        self.name = re.split(r"[/\\]", self._words[0])[-1]
        self.version = ""
        self.known: frozenset[str] = frozenset()
        self._patience = patience
        self._program: Program | None = None
        self._errors: Iterable[str] = ()
        self._last_id = 0
        self._busy = asyncio.Lock()

    async def __aenter__(self) -> Engine:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def pid(self) -> int | None:
        """Its process, None while there is none."""
        return self._program.pid if self._program is not None else None

    @property
    def errors(self) -> tuple[str, ...]:
        """The last lines of its standard error, also after its end."""
        return tuple(self._errors)

    async def start(self) -> None:
        """Start it and ask what it is.

        Raises:
            EngineError: it cannot be started, or does not speak GTP.
        """
        try:
            self._program = await Program.start(self._words)
        except (OSError, ValueError) as error:
            reason = reason_of(error)
            raise EngineError("not started", f"{shown(self._words[0])} cannot be started: {reason}") from error
        self._errors = self._program.errors
        # An engine may know neither name nor version and still play.
        with contextlib.suppress(_Refused):
            self.name = one_line(await self.send("name")) or self.name
        with contextlib.suppress(_Refused):
            self.version = one_line(await self.send("version"))
        with contextlib.suppress(_Refused):
            self.known = frozenset((await self.send("list_commands")).split())

    async def close(self) -> None:
        """End it: ask it to quit, then end its process group, by force if need be. May be called at any time."""
        program, self._program = self._program, None
        if program is None:
            return
        with contextlib.suppress(OSError):
            await asyncio.wait_for(program.write("quit\n"), _QUITTING)
        await asyncio.shield(program.end(_QUITTING))

    async def send(
        self, command: str, patience: float | None = None, on_line: Callable[[str], None] | None = None
    ) -> str:
        """Send a command; returns the text of its answer.

        Args:
            command: with its arguments, in one line, without an id.
            patience: seconds to wait for the answer, or with ``on_line`` for each line of it.
            on_line: is given every line as it comes.

        Raises:
            EngineError: it refuses, with fault ``refused``; or it fails in another way, and is ended.
        """
        async with self._busy:
            return await self._send(command, self._patience if patience is None else patience, on_line)

    async def analyse(
        self, command: str, on_line: Callable[[str], None], stop: asyncio.Event, patience: float | None = None
    ) -> None:
        """Send a command that goes on until it is interrupted, and interrupt it when ``stop`` is set.

        Raises:
            EngineError: as :meth:`send`; silence counts from the interruption on.
        """
        patience = self._patience if patience is None else patience
        async with self._busy:
            answering = asyncio.create_task(self._send(command, None, on_line))
            stopping = asyncio.create_task(stop.wait())
            try:
                await asyncio.wait((answering, stopping), return_when=asyncio.FIRST_COMPLETED)
                if not answering.done():
                    await self._write("\n")
                    await asyncio.wait((answering,), timeout=patience)
                if not answering.done():
                    await self._silent(command, patience)
                await answering
            finally:
                answering.cancel()
                stopping.cancel()

    async def _send(self, command: str, patience: float | None, on_line: Callable[[str], None] | None) -> str:
        self._last_id += 1
        number = str(self._last_id)
        try:
            # With lines being told each has its own time, so that a long thought is no silence.
            whole = None if on_line is not None else patience
            async with asyncio.timeout(whole):
                await self._write(f"{number} {command}\n")
                each = patience if on_line is not None else None
                while True:
                    answer = await self._answer(command, each, on_line)
                    if answer[1] in ("", number):
                        break
        except TimeoutError:
            await self._silent(command, patience or 0)
        sign, _, text = answer
        if sign == "?":
            raise _Refused(self.name, command, text)
        return text

    async def _answer(
        self, command: str, patience: float | None, on_line: Callable[[str], None] | None
    ) -> tuple[str, str, str]:
        """The sign, id and text of the next answer; lines that stand before one are passed over."""
        head: re.Match[str] | None = None
        lines: list[str] = []
        length = chatter = 0
        while True:
            async with asyncio.timeout(patience):
                line = await self._line(command)
            line = line.rstrip("\r\n")
            if head is None:
                head = _HEAD.fullmatch(line)
                if head is None:
                    chatter += bool(line.strip())
                    if chatter > _MOST_CHATTER:
                        await self._fail("nonsense", f"wrote {chatter} lines that are no GTP instead of answering")
                    continue
                line = head[3]
            elif not line.strip():
                return head[1], head[2], "\n".join(lines).strip()
            length += len(line)
            if length > _LONGEST_ANSWER:
                await self._fail("nonsense", f"gave an answer to {shown(command)} that does not end")
            # Of an analysis nobody wants all lines once they have been told.
            if on_line is None:
                lines.append(line)
            elif line:
                lines = [line]
                length = 0
                on_line(line)

    async def _line(self, command: str) -> str:
        program = self._running()
        try:
            line = await program.read_line()
        except ValueError:
            await self._fail("nonsense", f"wrote a line without an end in answer to {shown(command)}")
        if line is None:
            await self._crashed(command)
        return line

    async def _write(self, text: str) -> None:
        try:
            await self._running().write(text)
        except OSError:
            await self._crashed(text.strip())

    async def _silent(self, command: str, patience: float) -> NoReturn:
        await self._fail("silent", f"did not answer {shown(command)} within {patience:g} seconds and was ended")

    async def _crashed(self, command: str) -> NoReturn:
        program, self._program = self._program, None
        how = "ended"
        if program is not None:
            # Its output has ended; it is given a moment to end by itself, so that the status is its own.
            code = await asyncio.shield(program.end(0.5))
            how = f"ended with status {code}" if code >= 0 else f"was ended by {signal_name(-code)}"
        last = next((line for line in reversed(self.errors) if line.strip()), "")
        said = f"; it said: {shown_line(last)}" if last else ""
        raise EngineError("crashed", f"{self.name} {how} instead of answering {shown(command)}{said}")

    async def _fail(self, fault: Fault, text: str) -> NoReturn:
        """End the engine and tell why."""
        program, self._program = self._program, None
        if program is not None:
            await asyncio.shield(program.end())
        raise EngineError(fault, f"{self.name} {text}")

    def _running(self) -> Program:
        if self._program is None:
            raise EngineError("crashed", f"{self.name} is not running; start it anew")
        return self._program
