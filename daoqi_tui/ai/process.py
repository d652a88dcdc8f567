"""Runs a computer player in a separate process, with an async interface.

Importing this is cheap, since the search's dependencies are imported in that process. Nothing here starts a thread, so
that the screen stays responsive during a search.

The process is started with the first request. If it dies, the current request raises :class:`PlayerCrashed`, whose text
is one line for the user, and the next request starts a new process. The dead process's standard error goes to the log
and into a report, whose file the line names.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from daoqi_tui import log
from daoqi_tui.ai import (
    CPU_TIME,
    NICE,
    THREADS,
    USUAL,
    Answer,
    Estimate,
    Estimated,
    Failure,
    Forget,
    Position,
    Prepare,
    Prepared,
    Preparing,
    Progress,
    Ready,
    Reply,
    Request,
    Stage,
    Stop,
    Think,
    decode,
    encode,
)
from daoqi_tui.children import command, complete, ended, environment, kill, unlimited
from daoqi_tui.message import Message, reason_of
from daoqi_tui.text import plain, plain_line
from daoqi_tui.typed import MOST_THREADS

_R = TypeVar("_R", Prepared, Answer, Estimated)
COMMAND: Final = command("daoqi_tui.ai.worker")
LONGEST_LINE: Final = 1 << 20
"""The maximum bytes of a message; the ownership of the largest board takes a few thousand."""
MOST_STDERR: Final = 1 << 20
"""The number of bytes of standard error that are kept: the last ones."""
PATIENCE: Final = 1.0
"""Seconds a process may take to end by itself."""


def thread_count(choice: str, *, spared: int = 0) -> int:
    """Return the number of threads for a choice: a number, or ``auto`` for all cores but those ``spared``."""
    if choice != "auto":
        return int(choice)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores - spared, MOST_THREADS))


class PlayerError(Exception):
    """A request that could not be answered; the text says why."""


class PlayerCrashed(PlayerError):
    """The player's process died during a request; the next request restarts it."""


class PlayerProcess:
    """The process of a computer player. Requests are answered one after another; any number may wait.

    Args:
        command: starts the process. Tests pass another than the default.
        cpu: limits in seconds apply to the CPU time of the search, so that a busy machine does not weaken it.
        threads: processor cores that a search uses; with ``cpu`` always one.
        nice: whether the process has a lower priority, so that the screen stays responsive.
    """

    def __init__(
        self, command: Sequence[str] = COMMAND, *, cpu: bool = False, threads: int = 1, nice: bool = True
    ) -> None:
        options = [CPU_TIME] if cpu else [THREADS, str(threads)] if threads > 1 else []
        self._command = (*command, *options, *([NICE] if nice else []))
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[Reply]] = {}
        self._progress: dict[int, Callable[[Any], object]] = {}
        """Called with the progress of a request, or the stages of a preparation."""
        self._prepared: set[tuple[int, float, str | None]] = set()
        self._last_id = 0
        self._hurried = 0
        """The last request that was asked to end its search."""
        self._starting = asyncio.Lock()
        self.speed = ""
        """The kernels in use, ``interpreted`` or ``compiled``; empty before the process is up."""

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def __aenter__(self) -> PlayerProcess:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # Asking

    async def prepare(
        self,
        size: int,
        level: float,
        *,
        net: str = USUAL,
        wait: bool = True,
        on_stage: Callable[[Stage], object] | None = None,
    ) -> None:
        """Load and compile what moves on boards of a size need, so that no move has to wait for it.

        Does nothing if the process has done so already. Cancelling the task, or :meth:`hurry`, ends it soon.

        Args:
            size: points along a side.
            level: as of :class:`Think`.
            net: likewise.
            wait: whether to wait for the compiler where nothing is cached, rather than let it work beside the moves.
            on_stage: called with what is being done.

        Raises:
            PlayerError: as :meth:`think`.
        """
        key = size, level, net
        if self.pid is not None and key in self._prepared:
            return
        if (await self._ask(Prepared, Prepare(size, level, net, wait), on_stage)).complete:
            self._prepared.add(key)

    async def think(self, request: Think, on_progress: Callable[[Progress], None] | None = None) -> Answer:
        """Return the player's move. Cancelling the task stops the search and drops its answer.

        Args:
            request: the position, in which the game must not be over, and the limits of the search.
            on_progress: called a few times a second; an exception in it ends the request and is raised here.

        Raises:
            PlayerError: the request cannot be answered.
            PlayerCrashed: the process died.
        """
        return await self._ask(Answer, request, on_progress)

    async def estimate(self, position: Position, *, net: str = USUAL) -> Estimated:
        """Return the ownership of all points and the score lead; raises as :meth:`think` does."""
        return await self._ask(Estimated, Estimate(position, net))

    def hurry(self) -> None:
        """End the searches requested so far; each is answered with its current result."""
        self._hurried = self._last_id
        for request in tuple(self._waiting):
            self._send(Stop(request))

    def forget(self) -> None:
        self._send(Forget())

    async def close(self) -> None:
        """End the process; pending requests raise :class:`PlayerCrashed`."""
        await complete(self._close())

    async def _close(self) -> None:
        # Also wait for a process that is starting, or whose start was cancelled: none may be left behind.
        async with self._starting:
            await self._end_process()

    async def _end_process(self) -> None:
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        await ended(process, PATIENCE)
        if self._reader is not None:
            await self._reader
        self._process = None

    # The process

    async def _ask(
        self, kind: type[_R], request: Think | Estimate | Prepare, on_progress: Callable[[Any], object] | None = None
    ) -> _R:
        """Send a request; return its reply, which is of a kind."""
        self._last_id += 1
        request = replace(request, id=self._last_id)
        async with self._starting:
            if self.pid is None:
                # If this request is cancelled, the task that fails the old process's requests must not be.
                await complete(self._end_process())
                await self._start()
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = future
        if on_progress is not None:
            self._progress[request.id] = on_progress
        try:
            self._send(request)
            # It may have been hurried while the process was being started.
            if request.id <= self._hurried:
                self._send(Stop(request.id))
            reply = await future
        except asyncio.CancelledError:
            self._send(Stop(request.id))
            raise
        finally:
            self._waiting.pop(request.id, None)
            self._progress.pop(request.id, None)
        if isinstance(reply, Failure):
            raise PlayerError(reply.message or reply.text)
        assert isinstance(reply, kind)
        return reply

    async def _start(self) -> None:
        self._prepared.clear()
        self.speed = ""
        pipe = asyncio.subprocess.PIPE
        try:
            # The process limits its own memory, depending on its network.
            with unlimited():
                self._process = process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=pipe,
                    stdout=pipe,
                    stderr=pipe,
                    limit=LONGEST_LINE,
                    # Numpy reads this on import; a second thread slows down the network's small matrix products.
                    env=environment(OPENBLAS_NUM_THREADS="1"),
                    # Ctrl+C in the terminal must only reach the app; the process ends with its input.
                    start_new_session=True,
                )
        except OSError as error:
            raise PlayerError(
                Message("the computer player could not be started: {reason}", reason=reason_of(error))
            ) from error
        log.info("computer player %d started", process.pid)
        self._reader = asyncio.create_task(self._read(process))

    def _send(self, request: Request) -> None:
        process = self._process
        if process is not None and process.stdin is not None and not process.stdin.is_closing():
            process.stdin.write(encode(request))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Hand replies to the waiting requests; when the process ends, fail the remaining ones."""
        assert process.stdout is not None
        reading_errors = asyncio.create_task(_read_errors(process))
        try:
            while line := await process.stdout.readline():
                self._take(decode(line))
        except ValueError:
            # Not a reply, so this process is not the player.
            kill(process)
        code = await ended(process, PATIENCE)
        log.info("computer player %d ended with status %d", process.pid, code)
        written = plain((await reading_errors).decode(errors="replace").strip())
        if written:
            log.warning("computer player %d wrote to standard error:\n%s", process.pid, written)
        if left := [future for future in self._waiting.values() if not future.done()]:
            crashed = _crash_message(code, written)
            for future in left:
                future.set_exception(PlayerCrashed(crashed))

    def _take(self, reply: Reply | Request) -> None:
        match reply:
            case Ready(speed=speed):
                self.speed = speed
            case Progress():
                self._report(reply.id, reply)
            case Preparing():
                self._report(reply.id, reply.stage)
            case Answer(id=request) | Estimated(id=request) | Prepared(id=request) | Failure(id=request):
                future = self._waiting.get(request)
                if future is not None and not future.done():
                    future.set_result(reply)

    def _report(self, request: int, news: Progress | Stage) -> None:
        """Pass news on to the caller of a request; an exception in it fails only this request."""
        on_progress = self._progress.get(request)
        if on_progress is None:
            return
        try:
            on_progress(news)
        except Exception as error:
            del self._progress[request]
            self._send(Stop(request))
            future = self._waiting[request]
            if not future.done():
                future.set_exception(error)


async def _read_errors(process: asyncio.subprocess.Process) -> bytes:
    """Return the last bytes of a process's standard error when that has ended."""
    assert process.stderr is not None
    kept = b""
    while written := await process.stderr.read(1 << 16):
        kept = (kept + written)[-MOST_STDERR:]
    return kept


def _crash_message(code: int, written: str) -> Message:
    """Return the error message for a process that ended with ``code``, and report what it has ``written``."""
    how = Message("with status {status}", status=code)
    if code < 0:
        with contextlib.suppress(ValueError):
            how = Message("by {signal}", signal=signal.Signals(-code).name)
    if not written:
        return Message("the computer player's process ended {how}; it restarts with the next move", how=how)
    from daoqi_tui.crash import write_report  # noqa: PLC0415 (as rare as a crash)

    try:
        file = write_report(f"The computer player's process ended {how}:\n\n{written}\n")
    except OSError as error:
        return Message(
            "the computer player's process ended {how}, and no report of it could be written: "
            "{reason}; it restarts with the next move",
            how=how,
            reason=reason_of(error),
        )
    return Message(
        "the computer player's process ended {how}; a report of it is in {file}, and it restarts with the next move",
        how=how,
        file=plain_line(str(file)),
    )
