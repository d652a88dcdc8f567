"""The child process that reads ladders, proves problems and indexes openings.

A request is a line of JSON on standard input, its answer a line on standard output. The process ends with its standard
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
from pathlib import Path
from typing import Final, Literal

from daoqi_tui.ai.protocol import Position
from daoqi_tui.codec import decode, encode
from daoqi_tui.engine import BLACK, PASS, Colour
from daoqi_tui.message import problem_of
from daoqi_tui.reading.ladder import ladder_points, read_ladder, threatened_chains

NICENESS: Final = 5
"""Niceness: a lower priority than the app, so that panning stays smooth."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request: ``index`` for a folder, or one of the others about a position."""

    kind: Literal["ladder", "points", "threatened", "problem", "index"]
    position: Position | None = None
    point: int = PASS
    to_move: Colour = BLACK
    nodes: int = 0
    folder: str = ""


def answer(request: Request) -> object:
    """Return the answer to a request."""
    if request.kind == "index":
        from daoqi_tui.play.openings import open_index, update  # noqa: PLC0415 (numpy costs 100 ms)

        folder = Path(request.folder)
        with open_index(folder) as index:
            return update(index, folder).indexed
    assert request.position is not None
    board = request.position.board()
    match request.kind:
        case "ladder":
            return read_ladder(board, request.point, request.to_move)
        case "points":
            return ladder_points(board, request.point, request.to_move)
        case "threatened":
            return [stone for ladder in threatened_chains(board, request.nodes) for stone in ladder.target.stones]
        case "problem":
            from daoqi_tui.analysis import problems  # noqa: PLC0415 (ladders need none of it)

            return problems.prove_position(problems.Position.of(board), request.point)


def main() -> None:
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        request = decode(requests.get(), Request)
        try:
            reply = {"answer": answer(request)}
        except (ValueError, OSError, sqlite3.Error) as error:
            reply = {"error": problem_of(error)}
        sys.stdout.buffer.write(encode(reply) + b"\n")
        sys.stdout.buffer.flush()


def _listen(requests: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
