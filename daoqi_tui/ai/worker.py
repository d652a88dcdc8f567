"""The player's process: reads requests from standard input, a line each, and writes replies to standard output.

It is started by :mod:`~daoqi_tui.ai.player` and dies with whoever started it: the end of its standard input and
the loss of its parent both end it at once, in the middle of a thought too.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from typing import Final

from daoqi_tui.ai.backend import Quickening
from daoqi_tui.ai.katago_format import NetError
from daoqi_tui.ai.protocol import Estimate, Failure, Ready, Reply, Request, Stop, Think, decode, encode
from daoqi_tui.ai.thinker import Thinker

WATCH_SECONDS: Final = 0.5
"""How often the parent is looked after; the end of the input usually tells sooner."""
NICENESS: Final = 5
"""Below the app that waits for the answer and scrolls meanwhile."""

SWITCH_SECONDS: Final = 0.001
"""How long a thought may keep the interpreter from the thread that hears a stop."""


class Worker:
    """Answers the requests that come in, one after another.

    Args:
        parent: the process to die with. It may be gone by now, so it has to be told.
    """

    def __init__(self, parent: int) -> None:
        self._parent = parent
        self._requests: queue.SimpleQueue[Think | Estimate] = queue.SimpleQueue()
        self._stopped: set[int] = set()
        self._quickening = Quickening()
        # Whatever prints by mistake must not end up among the replies.
        self._out = os.dup(1)
        os.dup2(2, 1)
        self._writing = threading.Lock()

    def run(self) -> None:
        """Serve until the input ends."""
        threading.Thread(target=self._read, name="read requests", daemon=True).start()
        threading.Thread(target=_watch_parent, args=(self._parent,), name="watch parent", daemon=True).start()
        self.say(Ready(self._quickening.backend.name))
        self._quickening.start(lambda: self.say(Ready(self._quickening.backend.name)))
        thinker = Thinker(lambda: self._quickening.backend)
        while True:
            request = self._requests.get()
            self.say(self._reply(thinker, request))
            self._stopped.discard(request.id)

    def _reply(self, thinker: Thinker, request: Think | Estimate) -> Reply:
        def stopped() -> bool:
            return request.id in self._stopped

        try:
            if isinstance(request, Estimate):
                return thinker.estimate(request, stopped)
            return thinker.think(request, stopped, self.say)
        except NetError as error:
            return Failure(request.id, str(error).splitlines()[0])
        except Exception as error:
            return Failure(request.id, f"{type(error).__name__}: {error}".splitlines()[0])

    def say(self, reply: Reply) -> None:
        """Send ``reply``; where nobody listens any more, end."""
        line = encode(reply)
        try:
            with self._writing:
                while line:
                    line = line[os.write(self._out, line) :]
        except OSError:
            os._exit(0)

    def _read(self) -> None:
        """Take requests in, in their own thread, so that a stop is heard in the middle of a thought."""
        for line in sys.stdin.buffer:
            try:
                message = decode(line)
            except ValueError as error:
                self.say(Failure(-1, str(error)))
                continue
            self._take(message)
        os._exit(0)

    def _take(self, message: Request | Reply) -> None:
        if isinstance(message, Stop):
            self._stopped.add(message.id)
        elif isinstance(message, (Think, Estimate)):
            self._requests.put(message)


def _watch_parent(parent: int) -> None:
    """End when the parent is gone, even where another process holds the other end of the input open."""
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(0)


def main() -> None:
    """Serve; the one argument is the parent's process id."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    sys.setswitchinterval(SWITCH_SECONDS)
    Worker(int(sys.argv[1]) if len(sys.argv) > 1 else os.getppid()).run()


if __name__ == "__main__":
    main()
