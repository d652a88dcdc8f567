"""A GTP controller: runs any engine as a subprocess.

Every failure is an :class:`EngineError` with a message for the user: a program that does not exist, a timeout, a crash,
invalid output, a failed command. After any failure other than a failed command the engine is ended, since its next
answers could not be matched to commands; :attr:`Engine.errors` keeps the last lines of its standard error.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shlex
import signal
import subprocess
import weakref
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Final, Literal, NamedTuple, NoReturn, TypeAlias

from daoqi_tui import log, signals
from daoqi_tui.ai.process import PlayerError
from daoqi_tui.children import Guard, complete, unlimited
from daoqi_tui.gtp import shown
from daoqi_tui.message import Message, reason_of

Fault: TypeAlias = Literal["not started", "crashed", "silent", "nonsense", "refused", "illegal move"]
PATIENCE: Final = 20.0
"""Seconds an engine may take to answer any command other than a move; large networks load slowly."""
_QUITTING: Final = 1.0
_DYING: Final = 5.0
"""Seconds an engine may take to exit after closing its output."""
_LONGEST_ANSWER: Final = 1 << 22
_MAX_CHATTER: Final = 10_000
"""The number of lines outside any answer after which a program is assumed not to speak GTP."""
_HEAD = re.compile(r"([=?])([0-9]*)(?:[ \t]+|$)(.*)", re.DOTALL)


def unreadable_command(command: str) -> Message:
    return Message("the command {command} cannot be read: a quotation mark is not closed", command=command)


class EngineError(PlayerError):
    """An engine failed.

    Attributes:
        fault: the kind of failure.
    """

    def __init__(self, fault: Fault, message: Message) -> None:
        super().__init__(message)
        self.fault: Final = fault


class _Refused(EngineError):
    def __init__(self, name: str, command: str, text: str) -> None:
        why = shown_line(text) if text else Message("without a reason")
        super().__init__(
            "refused",
            Message("{engine} refused {command}: {reason}", engine=name, command=shown(command), reason=why),
        )
        self.text = text


class _SentCommand(NamedTuple):
    """A command that was sent.

    Attributes:
        number: its id.
        command: with its arguments.
        patience: the timeout in seconds of the answer, or of each line of it; None for an analysis, which has none.
        deadline: of the whole answer, by the clock of the event loop; None if each line has its own.
    """

    number: str
    command: str
    patience: float | None
    deadline: float | None


class Engine:
    """An engine, started by :meth:`start` and ended by :meth:`close`, or by an ``async with`` block.

    Args:
        command: program and arguments, as one line quoted as for a shell, or as words.
        patience: the default timeout of an answer in seconds.

    Attributes:
        command: as one line.
        name: its answer to ``name``; before the start, the program's name.
        known: the commands it supports.
    """

    def __init__(self, command: str | Sequence[str], patience: float = PATIENCE) -> None:
        try:
            self._words = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise EngineError("not started", unreadable_command(shown(str(command)))) from error
        self.command: Final = command if isinstance(command, str) else shlex.join(command)
        if not self._words:
            raise EngineError("not started", Message("no command is given; write the program and its arguments"))
        self.name = re.split(r"[/\\]", self._words[0])[-1]
        self.version = ""
        self.known: frozenset[str] = frozenset()
        self._patience = patience
        self._program: EngineProcess | None = None
        self._errors: Iterable[str] = ()
        self._dialogue: Iterable[str] = ()
        self._last_id = 0
        self._unanswered: _SentCommand | None = None
        self._busy = asyncio.Lock()
        self._starting = asyncio.Lock()

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

    @property
    def dialogue(self) -> tuple[str, ...]:
        """The last lines of what was said, also after its end: ``>`` a command, ``!`` a line of its standard error."""
        return tuple(self._dialogue)

    async def start(self) -> None:
        """Start the engine and ask for its name, version and commands; if cancelled, the engine is ended.

        Raises:
            EngineError: it cannot be started, or does not speak GTP.
        """
        try:
            async with self._starting:
                old, self._program = self._program, None
                if old is not None:
                    # Even if it has exited, its child processes may still be running.
                    await complete(old.end())
                program = self._program = await EngineProcess.start(self._words)
        except (OSError, ValueError) as error:
            message = Message(
                "{program} cannot be started: {reason}", program=shown(self._words[0]), reason=reason_of(error)
            )
            raise EngineError("not started", message) from error
        self._errors, self._dialogue = program.errors, program.dialogue
        self._unanswered = None
        try:
            await self._introduce()
        except BaseException:
            # An engine with unknown commands would be treated as one that supports none.
            if self._program is program:
                self._program = None
                await complete(program.end())
            raise

    async def _introduce(self) -> None:
        # An engine may support neither name nor version and still play.
        with contextlib.suppress(_Refused):
            self.name = shown_line(await self.send("name")) or self.name
        with contextlib.suppress(_Refused):
            self.version = shown_line(await self.send("version"))
        with contextlib.suppress(_Refused):
            self.known = frozenset((await self.send("list_commands")).split())

    async def close(self) -> None:
        """Send ``quit``, then end the process group, with SIGKILL if necessary. May be called at any time."""
        # Wait for a process that is just being created, which takes a moment.
        async with self._starting:
            program, self._program = self._program, None
        if program is not None:
            await complete(_quit(program))

    async def send(
        self,
        command: str,
        patience: float | None = None,
        on_line: Callable[[str], None] | None = None,
        *,
        by_line: bool = True,
    ) -> str:
        """Send a command; returns the text of its answer.

        If the task is cancelled, the engine continues with the command, and the next command waits for it.

        Args:
            command: with its arguments, on one line, without an id.
            patience: the timeout in seconds of the answer, or with ``on_line`` of each line of it.
            on_line: called with every line as it arrives.
            by_line: if false, the timeout applies to the whole answer even with ``on_line``.

        Raises:
            EngineError: the command fails, with fault ``refused``; or the engine fails in another way, and is ended.
        """
        async with self._busy:
            await self._settle()
            return await self._send(command, self._patience if patience is None else patience, on_line, by_line=by_line)

    async def analyse(
        self, command: str, on_line: Callable[[str], None], stop: asyncio.Event, patience: float | None = None
    ) -> None:
        """Send a command that runs until it is interrupted, and interrupt it when ``stop`` is set.

        Cancelling the task interrupts the command as well; the task ends when the engine has answered.

        Raises:
            EngineError: as :meth:`send`; the timeout starts with the interruption.
        """
        patience = self._patience if patience is None else patience
        async with self._busy:
            await self._settle()
            answering = asyncio.create_task(self._send(command, None, on_line))
            stopping = asyncio.create_task(stop.wait())
            try:
                await asyncio.wait((answering, stopping), return_when=asyncio.FIRST_COMPLETED)
                await self._interrupt(answering, command, patience)
                await answering
            except asyncio.CancelledError:
                # The next command must not be sent before its answer is read.
                with contextlib.suppress(EngineError):
                    await self._interrupt(answering, command, patience)
                raise
            finally:
                answering.cancel()
                stopping.cancel()

    async def _interrupt(self, answering: asyncio.Task[str], command: str, patience: float) -> None:
        if not answering.done():
            await self._write("\n", command)
            await asyncio.wait((answering,), timeout=patience)
        if not answering.done():
            await self._silent(command, patience)

    async def _settle(self) -> None:
        """Read the answer to a command whose task was cancelled, within its timeout."""
        sent = self._unanswered
        if sent is None:
            return
        if sent.patience is None:
            # Cancelling an analysis has interrupted it, so it will end soon.
            sent = sent._replace(patience=self._patience)
        async with self._within_patience(sent):
            await self._receive(sent, lambda _line: None)

    async def _send(
        self,
        command: str,
        patience: float | None,
        on_line: Callable[[str], None] | None,
        *,
        by_line: bool = True,
    ) -> str:
        self._last_id += 1
        # A search without a limit does not time out as long as it reports progress.
        whole = None if on_line is not None and by_line else patience
        deadline = None if whole is None else asyncio.get_running_loop().time() + whole
        sent = self._unanswered = _SentCommand(str(self._last_id), command, patience, deadline)
        async with self._within_patience(sent):
            await self._write(f"{sent.number} {command}\n", command)
            sign, text = await self._receive(sent, on_line)
        if sign == "?":
            raise _Refused(self.name, command, text)
        return text

    @contextlib.asynccontextmanager
    async def _within_patience(self, sent: _SentCommand) -> AsyncIterator[None]:
        """End the engine if a command is not answered in time."""
        try:
            async with asyncio.timeout_at(sent.deadline):
                yield
        except TimeoutError:
            await self._silent(sent.command, sent.patience or 0)

    async def _receive(self, sent: _SentCommand, on_line: Callable[[str], None] | None) -> tuple[str, str]:
        """Return the sign and text of the answer to a command; answers to others are skipped."""
        each = sent.patience if sent.deadline is None else None
        while True:
            sign, number, text = await self._answer(sent.command, each, on_line)
            if number in ("", sent.number):
                self._unanswered = None
                return sign, text

    async def _answer(
        self, command: str, patience: float | None, on_line: Callable[[str], None] | None
    ) -> tuple[str, str, str]:
        """Return the sign, id and text of the next answer; lines before it are skipped."""
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
                    # Count empty lines too: as long as there are lines in the buffer, no other task gets a turn.
                    chatter += 1
                    if chatter > _MAX_CHATTER:
                        message = Message(
                            "{engine} wrote {lines} lines that are not GTP instead of answering",
                            engine=self.name,
                            lines=chatter,
                        )
                        await self._fail("nonsense", message)
                    continue
                line = head[3]
            elif not line.strip():
                return head[1], head[2], "\n".join(lines).strip()
            length += len(line)
            if length > _LONGEST_ANSWER:
                message = Message(
                    "{engine} gave an answer to {command} that does not end",
                    engine=self.name,
                    command=shown(command),
                )
                await self._fail("nonsense", message)
            # Lines that were passed on are not stored.
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
            message = Message(
                "{engine} wrote a line without an end in answer to {command}", engine=self.name, command=shown(command)
            )
            await self._fail("nonsense", message)
        if line is None:
            await self._crashed(command)
        program.note(line)
        return line

    async def _write(self, text: str, command: str) -> None:
        try:
            self._running().note(f"> {text.partition(' ')[2]}" if text.strip() else "")
            await self._running().write(text)
        except OSError:
            await self._crashed(command)

    async def _silent(self, command: str, patience: float) -> NoReturn:
        message = Message(
            "{engine} did not answer {command} within {seconds} seconds and was ended",
            engine=self.name,
            command=shown(command),
            seconds=f"{patience:g}",
        )
        await self._fail("silent", message)

    async def _crashed(self, command: str) -> NoReturn:
        program, self._program = self._program, None
        engine, quoted = self.name, shown(command)
        message = Message("{engine} ended instead of answering {command}", engine=engine, command=quoted)
        if program is not None:
            # Its output has ended; give it a moment to exit, so that the exit status is its own.
            code = await complete(program.end(_DYING))
            if code >= 0:
                message = Message(
                    "{engine} ended with status {status} instead of answering {command}",
                    engine=engine,
                    status=code,
                    command=quoted,
                )
            else:
                message = Message(
                    "{engine} was ended by {signal} instead of answering {command}",
                    engine=engine,
                    signal=signal_name(-code),
                    command=quoted,
                )
        last = next((line for line in reversed(self.errors) if line.strip()), "")
        if last:
            message = Message("{problem}; it said: {words}", problem=message, words=shown_line(last))
        raise EngineError("crashed", message)

    async def _fail(self, fault: Fault, message: Message) -> NoReturn:
        program, self._program = self._program, None
        if program is not None:
            await complete(program.end())
        raise EngineError(fault, message)

    def _running(self) -> EngineProcess:
        if self._program is None:
            raise EngineError("crashed", Message("{engine} is not running; start it again", engine=self.name))
        return self._program


async def _quit(program: EngineProcess) -> None:
    with contextlib.suppress(OSError):
        await asyncio.wait_for(program.write("quit\n"), _QUITTING)
    await program.end(_QUITTING)


def one_line(text: str) -> str:
    """Return the first non-empty line, without control characters."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return " ".join("".join(sign if sign.isprintable() else " " for sign in line).split())


def shown_line(text: str) -> str:
    """Return the first line of what an engine wrote, shortened, without control characters."""
    line = one_line(text)
    return line if len(line) <= 200 else line[:200] + "…"


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


LONGEST_LINE: Final = 1 << 20
"""The maximum bytes in a line of output; an analysis of the largest board takes about 20,000."""
_NUMBERED: Final = re.compile(r"^([=?])\d+")
_ERROR_LINES: Final = 200
_DIALOGUE_LINES: Final = 500
_ERROR_COLUMNS: Final = 500
_LAST_WORDS: Final = 2.0
"""Seconds to read the rest of its standard error after it has ended."""
_HAS_GROUPS: Final = hasattr(os, "killpg")


class EngineProcess:
    """A subprocess in its own process group, with its standard streams.

    Attributes:
        errors: the last lines of its standard error.
        dialogue: the last lines of what was said, see :attr:`Engine.dialogue`.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._guard: Guard | None = None
        self.errors: Final[deque[str]] = deque(maxlen=_ERROR_LINES)
        self.dialogue: Final[deque[str]] = deque(maxlen=_DIALOGUE_LINES)
        self._listening = asyncio.create_task(self._keep_errors())
        self._last_resort = weakref.finalize(self, _signal, process.pid, force=True)
        signals.last_resorts.add(self._last_resort)

    @classmethod
    async def start(cls, words: Sequence[str]) -> EngineProcess:
        """Start a program.

        Raises:
            OSError: it cannot be started.
        """
        # The program was chosen by the user who runs the server, so the server's limits do not apply to it.
        with unlimited():
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                limit=LONGEST_LINE,
                start_new_session=_HAS_GROUPS,
            )
        log.info("engine %d started: %s", process.pid, words)
        program = cls(process)
        if _HAS_GROUPS:
            try:
                program._guard = await Guard.of(process.pid)
            except asyncio.CancelledError:
                await complete(program.end())
                raise
        return program

    @property
    def pid(self) -> int | None:
        """Its process, None when it has ended."""
        return self._process.pid if self._process.returncode is None else None

    async def write(self, text: str) -> None:
        """Write to its standard input.

        Raises:
            OSError: the process has closed its standard input.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode())
        await self._process.stdin.drain()

    async def read_line(self) -> str | None:
        """Return a line of its standard output, None when that has ended.

        Raises:
            ValueError: the line is longer than :data:`LONGEST_LINE`.
        """
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        return line.decode(errors="replace") if line else None

    async def end(self, patience: float = 0.0) -> int:
        """End the process group; returns the exit status of the program, negative where a signal ended it.

        Args:
            patience: seconds it may take to exit by itself, and again after SIGTERM.
        """
        assert self._process.stdin is not None
        self._process.stdin.close()
        ending = asyncio.ensure_future(self._process.wait())
        await asyncio.wait((ending,), timeout=patience)
        if not ending.done():
            _signal(self._process.pid, force=False)
            await asyncio.wait((ending,), timeout=max(patience, 0.2))
        # Its child processes may outlive it, so the group is ended in any case.
        _signal(self._process.pid, force=True)
        if self._guard is not None:
            await self._guard.release()
        self._last_resort.detach()
        signals.last_resorts.discard(self._last_resort)
        code = await ending
        log.info("engine %d ended with status %d", self._process.pid, code)
        # All writers have ended, so reading the rest takes only a moment, except on a busy machine.
        await asyncio.wait((self._listening,), timeout=_LAST_WORDS)
        self._listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._listening
        return code

    def note(self, line: str) -> None:
        """Add a line to the dialogue; of the reports of one analysis the last is kept."""
        line = _NUMBERED.sub(r"\1", _shortened(line))
        if line.startswith("info ") and self.dialogue and self.dialogue[-1].startswith("info "):
            self.dialogue[-1] = line
        elif line:
            self.dialogue.append(line)

    async def _keep_errors(self) -> None:
        assert self._process.stderr is not None
        while True:
            try:
                line = await self._process.stderr.readline()
            except ValueError:
                # A line beyond the limit; later lines may be readable again.
                continue
            if not line:
                return
            self.errors.append(_shortened(line.decode(errors="replace")))
            self.note(f"! {self.errors[-1]}")


def _shortened(line: str) -> str:
    return "".join(sign if sign.isprintable() else "�" for sign in line.rstrip()[:_ERROR_COLUMNS])


def _signal(pid: int, *, force: bool) -> None:
    """Send SIGTERM to a process group, or SIGKILL with ``force``."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if _HAS_GROUPS:
            os.killpg(pid, signal.SIGKILL if force else signal.SIGTERM)
        else:
            os.kill(pid, signal.SIGTERM)
