"""The child process that reads ladders, proves problems and indexes openings.

A request is a line of JSON on standard input, its answer a line on standard output. The process ends with its standard
input, even during a request: a thread waits for the next line while the main thread works. Only requests that need
numpy import it, so that a ladder takes little longer than starting Python.
"""

from __future__ import annotations

import json
import os
import queue
import sqlite3
import sys
import threading
from pathlib import Path
from typing import Any, Final

from daoqi_tui.ai.protocol import Position
from daoqi_tui.codec import convert
from daoqi_tui.engine import Board
from daoqi_tui.message import Message, problem_of
from daoqi_tui.reading.ladder import ladder_points, read_ladder, threatened_chains

NICENESS: Final = 5
"""Niceness: a lower priority than the app, so that panning stays smooth."""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a request: ``index`` for a folder, or one of the others about a position."""
    if request["kind"] == "index":
        return _index(Path(request["folder"]))
    board = convert(request["position"], Position).board()
    if request["kind"] == "problem":
        return _problem(board, request["target"])
    match request["kind"]:
        case "ladder":
            ladder = read_ladder(board, request["point"], request["to_move"])
            return {"result": ladder.result, "line": ladder.line, "nodes": ladder.nodes}
        case "points":
            points = ladder_points(board, request["point"], request["to_move"])
            return {"result": points.result, "black": points.black, "white": points.white}
        case "threatened":
            chains = threatened_chains(board, request["nodes"])
            return {"stones": [stone for ladder in chains for stone in ladder.target.stones]}
    raise ValueError(f"no such reading: {request['kind']!r}")


def _problem(board: Board, target: int) -> dict[str, Any]:
    from daoqi_tui.analysis.problems import Position, prove_position  # noqa: PLC0415 (ladders need none of it)
    from daoqi_tui.play.problem_files import record_of  # noqa: PLC0415

    found = prove_position(Position.of(board), target)
    if isinstance(found, str):
        return {"unproved": found}
    return {"unproved": None, "record": record_of(found).decode()}


def _index(folder: Path) -> dict[str, Any]:
    from daoqi_tui.play.openings import open_index, update  # noqa: PLC0415 (numpy costs 100 ms)

    with open_index(folder) as index:
        return {"indexed": update(index, folder).indexed}


def main() -> None:
    """Serve until the input ends."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        request = json.loads(requests.get())
        try:
            reply = answer(request)
        except (ValueError, OSError, sqlite3.Error) as error:
            reply = {"error": problem_of(error)}
        sys.stdout.write(json.dumps(reply, default=Message.as_json) + "\n")
        sys.stdout.flush()


def _listen(requests: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
