"""The child process that reads ladders, proves problems, and indexes and searches the library.

A request is a line of JSON on standard input, its answer a line on standard output, after lines that say how much is
done. The process ends with its standard
input, even during a request: a thread waits for the next line while the main thread works. Only requests that need
numpy import it, so that a ladder takes little longer than starting Python.
"""

from __future__ import annotations

import os
import queue
import sqlite3
import sys
import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from daoqi_tui.ai import Position
from daoqi_tui.codec import decode, encode
from daoqi_tui.engine import BLACK, PASS, Colour
from daoqi_tui.message import problem_of
from daoqi_tui.reading.ladder import ladder_points, read_ladder, threatened_chains
from daoqi_tui.reading.symmetry import BoardPosition

if TYPE_CHECKING:
    from daoqi_tui.analysis.opening_index import OpeningIndex

NICENESS: Final = 5
"""Niceness: a lower priority than the app, so that panning stays smooth."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request: ``index`` for a folder, or one of the others about a position.

    Attributes:
        shape: to search for, as top, left, rows and columns on the board; None for the position.
    """

    kind: Literal["ladder", "points", "threatened", "problem", "index", "search"]
    position: Position | None = None
    point: int = PASS
    to_move: Colour = BLACK
    nodes: int = 0
    folder: str = ""
    shape: tuple[int, int, int, int] | None = None


def answer(request: Request) -> object:
    """Return the answer to a request."""
    if request.kind == "index":
        from daoqi_tui.play.openings import update  # noqa: PLC0415 (ladders need none of it)

        return update(_index(request.folder), Path(request.folder), progress=_report).indexed
    assert request.position is not None
    board = request.position.board()
    match request.kind:
        case "search":
            from daoqi_tui.play.openings import search_updated  # noqa: PLC0415

            return search_updated(_index(request.folder), Path(request.folder), board, request.shape, _report)
        case "ladder":
            return read_ladder(board, request.point, request.to_move)
        case "points":
            return ladder_points(board, request.point, request.to_move)
        case "threatened":
            return [stone for ladder in threatened_chains(board, request.nodes) for stone in ladder.target.stones]
        case "problem":
            from daoqi_tui.analysis import problems  # noqa: PLC0415 (ladders need none of it)

            return problems.prove_position(BoardPosition.of(board), request.point)


@lru_cache(maxsize=1)
def _index(folder: str) -> OpeningIndex:
    """Return the index of a folder, left open: the next search need not read it again."""
    from daoqi_tui.play.openings import open_index  # noqa: PLC0415

    return open_index(Path(folder))


_reported = -1


def _report(share: float) -> None:
    """Tell each hundredth that is done."""
    global _reported  # noqa: PLW0603 (one request at a time)
    if int(100 * share) != _reported:
        _reported = int(100 * share)
        _write({"progress": share})


def _write(reply: dict[str, object]) -> None:
    sys.stdout.buffer.write(encode(reply) + b"\n")
    sys.stdout.buffer.flush()


def main() -> None:
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        request = decode(requests.get(), Request)
        try:
            _write({"answer": answer(request)})
        except (ValueError, OSError, sqlite3.Error) as error:
            # The file of the index may have been replaced.
            _index.cache_clear()
            _write({"error": problem_of(error)})


def _listen(requests: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
