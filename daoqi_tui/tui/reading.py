"""Ladders read, and openings indexed, in a child process: asked with ``await``, killed when the waiting is cancelled.

No thread of this process reads, so that the board keeps its pace. The child ends with its standard input, which the
system closes however this process ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from daoqi_tui.engine import Board, Colour

if TYPE_CHECKING:
    from daoqi_tui.ai.protocol import Position
    from daoqi_tui.analysis.ladder import Ladder, LadderPoints

COMMAND: Final = (sys.executable, "-P", "-m", "daoqi_tui.tui.reading_worker")
LONGEST_LINE: Final = 1 << 22
"""Bytes of an answer; the longest lines of play read so far take a few thousand."""


class ReadingFailed(Exception):
    """The child process ended, or could not be started; the text is one sentence."""


class Reader:
    """A child process that reads. Ask one thing at a time.

    Args:
        command: starts the process, unless a test says otherwise the real one.
    """

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command: Final = tuple(command)
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        """The process, None while there is none."""
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    async def ladder(self, position: Position, board: Board, point: int, to_move: Colour) -> Ladder:
        """The reading of the chain on ``point`` of ``board``, which stands at ``position``.

        Raises:
            ReadingFailed: there is no answer.
        """
        from daoqi_tui.analysis.ladder import Ladder  # noqa: PLC0415 (a start reads nothing)

        chain = board.chain_at(point)
        if chain is None:
            raise ReadingFailed("the stones there have gone meanwhile")
        reply = await self._ask({"kind": "ladder", "point": point, "to_move": to_move}, position)
        return Ladder(reply["result"], chain, to_move, tuple(reply["line"]), reply["nodes"])

    async def points(self, position: Position, point: int, to_move: Colour) -> LadderPoints:
        """Where one more stone changes that answer; raises as :meth:`ladder` does."""
        from daoqi_tui.analysis.ladder import LadderPoints  # noqa: PLC0415

        reply = await self._ask({"kind": "points", "point": point, "to_move": to_move}, position)
        return LadderPoints(reply["result"], tuple(reply["black"]), tuple(reply["white"]), ())

    async def threatened(self, position: Position, nodes: int) -> frozenset[int]:
        """The stones a ladder captures if the other side moves now; raises as :meth:`ladder` does.

        ``nodes`` is the budget of each chain; one whose reading takes longer is not named.
        """
        reply = await self._ask({"kind": "threatened", "nodes": nodes}, position)
        return frozenset(reply["stones"])

    async def update_index(self, folder: Path) -> None:
        """Bring the index of openings of ``folder`` up to date; raises as :meth:`ladder` does."""
        await self._ask({"kind": "index", "folder": str(folder)}, None)

    async def close(self) -> None:
        """End the process, in the middle of a reading too."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()

    async def _ask(self, request: dict[str, Any], position: Position | None) -> dict[str, Any]:
        import json  # noqa: PLC0415 (costs a start, which reads nothing, a millisecond)

        process = await self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        if position is not None:
            request |= {"position": asdict(position)}
        line = json.dumps(request, separators=(",", ":")) + "\n"
        try:
            process.stdin.write(line.encode())
            reply: dict[str, Any] = json.loads(await process.stdout.readline())
        except asyncio.CancelledError:
            # Whatever it reads is no longer wanted, and it listens to nothing meanwhile.
            await asyncio.shield(self.close())
            raise
        except (OSError, ValueError) as error:
            await self.close()
            raise ReadingFailed("The process that reads ladders ended; ask again to start another") from error
        if "error" in reply:
            raise ReadingFailed(reply["error"])
        return reply

    async def _running(self) -> asyncio.subprocess.Process:
        if self.pid is None:
            await self.close()
            root = str(Path(__file__).resolve().parents[2])
            path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.DEVNULL,
                    limit=LONGEST_LINE,
                    env={**os.environ, "PYTHONPATH": path},
                    # Ctrl+C in the terminal is for the app alone.
                    start_new_session=True,
                )
            except OSError as error:
                raise ReadingFailed(f"Ladders cannot be read, the process did not start: {error}") from error
        assert self._process is not None
        return self._process
