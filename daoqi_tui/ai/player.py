"""The computer player as the app sees it: asked with ``await``, thinking in a process of its own.

Importing this costs next to nothing; what the player needs to think is imported in its process. Nothing here
starts a thread, so that the screen keeps its pace while the player thinks.

The process is started with the first request. If it dies, the request at hand raises :class:`PlayerCrashed`, whose
text is one line for a person, and the next request starts another.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from daoqi_tui.ai.protocol import (
    Answer,
    Estimate,
    Estimated,
    Failure,
    Position,
    Progress,
    Ready,
    Reply,
    Request,
    Stop,
    Think,
    decode,
    encode,
)

COMMAND: Final = (sys.executable, "-P", "-m", "daoqi_tui.ai.worker")
LONGEST_LINE: Final = 1 << 20
"""Bytes of a message; the ownership of the largest board takes a few thousand."""
PATIENCE: Final = 1.0
"""Seconds a process may take to end by itself."""


class PlayerError(Exception):
    """The player could not do what it was asked; the text is one line."""


class PlayerCrashed(PlayerError):
    """The player's process ended in the middle of a request; the next request starts it anew."""


class Player:
    """A computer player. Requests are answered one after another; any number may wait.

    Args:
        command: starts the process, the player's own unless a test says otherwise; our process id is added.
    """

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command = tuple(command)
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._complaining: asyncio.Task[None] | None = None
        self._complaints: deque[str] = deque(maxlen=20)
        self._waiting: dict[int, asyncio.Future[Reply]] = {}
        self._progress: dict[int, Callable[[Progress], None]] = {}
        self._starting = asyncio.Lock()
        self._last_id = 0
        self.speed = ""
        """``interpreted`` or ``compiled``, empty before the process is up."""

    @property
    def pid(self) -> int | None:
        """The process, None while there is none."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def __aenter__(self) -> Player:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # Asking

    async def think(
        self,
        position: Position,
        level: int,
        *,
        playouts: int | None = None,
        seconds: float | None = None,
        seed: int | None = None,
        analyse: bool = False,
        net: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Answer:
        """The player's move. Cancelling the task stops the thinking and drops its answer.

        Args:
            position: where; the game must not be over.
            level: 1 to 10.
            playouts: a limit instead of the level's.
            seconds: the same.
            seed: for the same answer every time, as far as no clock ends the thinking.
            analyse: think until :meth:`hurry`, or a limit given here, and report rather than decide.
            net: the file of a network to think with.
            on_progress: called a few times a second; what it raises ends the request and is raised here.

        Raises:
            PlayerError: the request cannot be answered.
            PlayerCrashed: the process died.
        """
        request = Think(self._new_id(), position, level, playouts, seconds, seed, analyse, net)
        reply = await self._ask(request, on_progress)
        assert isinstance(reply, Answer)
        return reply

    async def estimate(
        self,
        position: Position,
        *,
        playouts: int = 400,
        seconds: float | None = None,
        seed: int | None = None,
        net: str | None = None,
    ) -> Estimated:
        """Ownership of all points and the expected margin; raises as :meth:`think` does."""
        reply = await self._ask(Estimate(self._new_id(), position, playouts, seconds, seed, net), None)
        assert isinstance(reply, Estimated)
        return reply

    def hurry(self) -> None:
        """Have everything asked so far answered now, with what is known."""
        for request in tuple(self._waiting):
            self._stop(request)

    async def close(self) -> None:
        """End the process; what still waits raises :class:`PlayerCrashed`."""
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        await _end(process)
        for task in (self._listening, self._complaining):
            if task is not None:
                await task
        self._process = None

    # The process

    def _new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    async def _ask(self, request: Think | Estimate, on_progress: Callable[[Progress], None] | None) -> Reply:
        async with self._starting:
            if self.pid is None:
                await self.close()
                await self._start()
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = future
        if on_progress is not None:
            self._progress[request.id] = on_progress
        try:
            self._send(request)
            reply = await future
        except asyncio.CancelledError:
            self._stop(request.id)
            raise
        finally:
            self._waiting.pop(request.id, None)
            self._progress.pop(request.id, None)
        if isinstance(reply, Failure):
            raise PlayerError(reply.text)
        return reply

    async def _start(self) -> None:
        root = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
        self._complaints.clear()
        self.speed = ""
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                *self._command,
                str(os.getpid()),
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                limit=LONGEST_LINE,
                # Numpy reads this when it is imported; a second thread slows the small products of a network.
                env={"OPENBLAS_NUM_THREADS": "1", **os.environ, "PYTHONPATH": path},
                # Ctrl+C in the terminal is for the app alone; the process ends with its input.
                start_new_session=True,
            )
        except OSError as error:
            raise PlayerError(f"the computer player could not be started: {error}") from error
        self._listening = asyncio.create_task(self._listen(process))
        self._complaining = asyncio.create_task(self._hear_complaints(process))

    def _send(self, request: Request) -> None:
        process = self._process
        if process is not None and process.stdin is not None and not process.stdin.is_closing():
            process.stdin.write(encode(request))

    def _stop(self, request: int) -> None:
        self._send(Stop(request))

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Hand replies to those who wait, until the process ends; then tell them so."""
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                self._hear(decode(line))
        except ValueError:
            # Whatever speaks there is not the player.
            _kill(process)
        code = await _end(process)
        if self._complaining is not None:
            await self._complaining
        crash = self._crash_text(code)
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(PlayerCrashed(crash))

    def _hear(self, reply: Reply | Request) -> None:
        match reply:
            case Ready(speed=speed):
                self.speed = speed
            case Progress():
                self._tell(reply)
            case Answer(id=request) | Estimated(id=request) | Failure(id=request):
                future = self._waiting.get(request)
                if future is not None and not future.done():
                    future.set_result(reply)

    def _tell(self, progress: Progress) -> None:
        """Call who wanted to know; what that raises fails the one request, and the others go on being heard."""
        tell = self._progress.get(progress.id)
        if tell is None:
            return
        try:
            tell(progress)
        except Exception as error:
            del self._progress[progress.id]
            self._stop(progress.id)
            future = self._waiting[progress.id]
            if not future.done():
                future.set_exception(error)

    async def _hear_complaints(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        with contextlib.suppress(ValueError):
            while line := await process.stderr.readline():
                if text := line.decode(errors="replace").strip():
                    self._complaints.append(text)

    def _crash_text(self, code: int) -> str:
        how = f"with status {code}"
        if code < 0:
            with contextlib.suppress(ValueError):
                how = f"by {signal.Signals(-code).name}"
        said = f": {self._complaints[-1]}" if self._complaints else ""
        return f"the computer player's process ended {how}{said}; it starts anew with the next move"


async def _end(process: asyncio.subprocess.Process) -> int:
    """Wait for the end of a process that has been told, or is about, to end; force it when it does not."""
    try:
        return await asyncio.wait_for(process.wait(), PATIENCE)
    except TimeoutError:
        _kill(process)
        return await process.wait()


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
