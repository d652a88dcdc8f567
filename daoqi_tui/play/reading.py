"""Reads ladders, proves problems and searches the library in a child process, killed when the request is cancelled.

It is a process rather than a thread, so that panning stays smooth.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from daoqi_tui.children import command, complete, environment, kill
from daoqi_tui.engine import Board, Colour
from daoqi_tui.message import Message, reason_of

if TYPE_CHECKING:
    from daoqi_tui.ai import Position
    from daoqi_tui.analysis.opening_records import SearchResult, Shape
    from daoqi_tui.analysis.problems import Problem, Unproved
    from daoqi_tui.reading.ladder import Ladder, LadderPoints

COMMAND: Final = command("daoqi_tui.play.reading_worker")
Answer = TypeVar("Answer")
LONGEST_LINE: Final = 1 << 22
"""The maximum bytes of an answer; the longest lines read so far take a few thousand."""


class ReadingFailed(Exception):
    """The child process ended or could not be started, or the request was invalid."""


class Reader:
    """A child process for reading. It takes one request at a time.

    Args:
        command: starts the process; tests pass another than the default.
    """

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command: Final = tuple(command)
        self._process: asyncio.subprocess.Process | None = None
        self._killed: set[asyncio.subprocess.Process] = set()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    async def ladder(self, position: Position, board: Board, point: int, to_move: Colour) -> Ladder:
        """Read the ladder of the chain on ``point`` of ``board``, whose position is ``position``.

        Raises:
            ReadingFailed: there is no answer.
        """
        from daoqi_tui.reading.ladder import Ladder  # noqa: PLC0415 (a start reads nothing)

        if board.chain_at(point) is None:
            raise ReadingFailed(Message("those stones are no longer on the board"))
        return await self._ask(Ladder, "ladder", position=position, point=point, to_move=to_move)

    async def points(self, position: Position, point: int, to_move: Colour) -> LadderPoints:
        """Return the ladder breakers and makers; raises as :meth:`ladder` does."""
        from daoqi_tui.reading.ladder import LadderPoints  # noqa: PLC0415

        return await self._ask(LadderPoints, "points", position=position, point=point, to_move=to_move)

    async def threatened(self, position: Position, nodes: int) -> frozenset[int]:
        """Return the stones that a ladder captures if the other side moves now; raises as :meth:`ladder` does.

        ``nodes`` is the node budget of each chain; a chain that needs more is skipped.
        """
        return await self._ask(frozenset[int], "threatened", position=position, nodes=nodes)

    async def problem(self, position: Position, target: int) -> Problem | Unproved:
        """Return the proved problem of the chain on ``target``, or why there is none; raises as :meth:`ladder` does."""
        from daoqi_tui.analysis.problems import Problem, Unproved  # noqa: PLC0415

        kinds: Any = Problem | Unproved
        return await self._ask(kinds, "problem", position=position, point=target)

    async def update_index(self, folder: Path) -> None:
        """Update the opening index of ``folder``; raises as :meth:`ladder` does."""
        await self._ask(int, "index", folder=str(folder))

    async def search(
        self,
        folder: Path,
        position: Position,
        shape: Shape | None,
        report: Callable[[float], object] = lambda _share: None,
    ) -> SearchResult:
        """Return the games of ``folder`` with a position, or with a shape on its board; raises as :meth:`ladder` does.

        ``report`` is called with the share of the new games that are indexed.
        """
        from daoqi_tui.analysis.opening_records import SearchResult  # noqa: PLC0415 (few search)

        place = None if shape is None else (shape.top, shape.left, shape.rows, shape.columns)
        request = {"folder": str(folder), "position": position, "shape": place}
        return await self._ask(SearchResult, "search", report, **request)

    async def close(self) -> None:
        """End the process, even during a request, and wait until every killed process is gone."""
        self._kill()
        await self._wait_for_killed()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            self._killed.add(process)
            kill(process)
            if process.stdin is not None:
                process.stdin.close()

    async def _wait_for_killed(self) -> None:
        for killed in tuple(self._killed):
            await killed.wait()
            self._killed.discard(killed)

    async def _ask(
        self,
        answer: type[Answer],
        kind: str,
        report: Callable[[float], object] = lambda _share: None,
        **request: object,
    ) -> Answer:
        """Send a request to :mod:`~daoqi_tui.play.reading_worker`; return its answer, which is of the given type."""
        from daoqi_tui.codec import convert, decode, encode  # noqa: PLC0415 (a first paint reads nothing)

        process = await self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(encode({"kind": kind, **request}) + b"\n")
            # Until there is an answer, or an error, replies are the share of the work that is done.
            while (reply := decode(await process.stdout.readline(), dict[str, Any])).keys() == {"progress"}:
                report(reply["progress"])
        except asyncio.CancelledError:
            # Its result is no longer needed, and it cannot be interrupted. The next request may begin before the wait
            # does, and must not find this process.
            self._kill()
            await complete(self._wait_for_killed())
            raise
        except (OSError, ValueError) as error:
            await self.close()
            raise ReadingFailed(Message("The reading process ended; ask again to start another")) from error
        if (failed := reply.get("error")) is not None:
            raise ReadingFailed(convert(failed, Message) if isinstance(failed, dict) else failed)
        return convert(reply.get("answer"), answer)

    async def _running(self) -> asyncio.subprocess.Process:
        if self.pid is None:
            await self.close()
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.DEVNULL,
                    limit=LONGEST_LINE,
                    env=environment(),
                    # Ctrl+C in the terminal must only reach the app.
                    start_new_session=True,
                )
            except OSError as error:
                raise ReadingFailed(
                    Message("The reading process did not start: {reason}", reason=reason_of(error))
                ) from error
        assert self._process is not None
        return self._process
