"""Reads ladders in a process of its own: a request a line on standard input, an answer a line on standard output.

It ends with its standard input, so with whoever started it, in the middle of a reading too: a thread waits for the
next line while the main one reads. Nothing here imports Textual or numpy, so that an answer takes no longer than the
start of Python.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from typing import Any, Final

from daoqi_tui.ai.protocol import Layout, Position
from daoqi_tui.analysis.ladder import ladder_points, read_ladder, threatened_chains
from daoqi_tui.engine import Board

NICENESS: Final = 5
"""Below the app, which goes on panning."""


def answer(request: dict[str, Any], board: Board) -> dict[str, Any]:
    """The answer to ``ladder``, ``points`` or ``threatened`` on ``board``."""
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


def position_of(value: dict[str, Any]) -> Position:
    """A position as it came out of JSON."""
    actions = [
        action
        if isinstance(action, int)
        else Layout(tuple(action["black"]), tuple(action["white"]), tuple(action["empty"]), action["to_move"])
        for action in value["actions"]
    ]
    return Position(value["size"], value["komi"], tuple(actions))


def main() -> None:
    """Serve until the input ends."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        request = json.loads(requests.get())
        try:
            reply = answer(request, position_of(request["position"]).board())
        except ValueError as error:
            reply = {"error": str(error)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


def _listen(requests: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
