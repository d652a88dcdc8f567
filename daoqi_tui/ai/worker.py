"""Runs the player's process: reads requests from standard input, a line each, writes replies to standard output.

It is started by :mod:`~daoqi_tui.ai.process`. The end of its standard input ends it at once, even in the middle of a
search, as does that of its parent (:mod:`daoqi_tui.children`).

A request that cannot be answered (an illegal position, an unreadable network file) is answered by a one-line
:class:`~daoqi_tui.ai.Failure`. Any other exception is a mistake in the program: its traceback goes to standard
error, which the parent reads, and the process ends with status 70, so that the request fails as a crash.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Final

from daoqi_tui.ai import (
    CPU_TIME,
    NICE,
    THREADS,
    Estimate,
    Failure,
    Forget,
    Prepare,
    Prepared,
    Preparing,
    Ready,
    Reply,
    Request,
    Stop,
    Think,
    decode,
    encode,
)
from daoqi_tui.ai.compiled import CacheState, compile_all
from daoqi_tui.ai.network import NetError
from daoqi_tui.ai.network.convolution import ROUNDED
from daoqi_tui.ai.player import KERNELS, BadRequest, SearchPlayer, cache_state
from daoqi_tui.ai.search.puct import PuctSearch
from daoqi_tui.children import PLAYER_MEMORY, limit_memory
from daoqi_tui.crash import EXIT_STATUS
from daoqi_tui.message import message_of, reason_of

_POLL: Final = 0.1
NICENESS: Final = 5
"""A lower priority than the app's, which must stay responsive."""
SWITCH_SECONDS: Final = 0.001
"""The interpreter's thread switch interval, so that the thread which reads a Stop soon gets its turn."""


class Worker:
    """Answers the requests that come in, one after another.

    Args:
        threads: processor cores that a search uses.
    """

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._requests: queue.SimpleQueue[Think | Estimate | Prepare | Forget] = queue.SimpleQueue()
        self._stopped: set[int] = set()
        self._compiler = threading.Thread(target=self._compile, name="compile kernels", daemon=True)
        self._cached: CacheState = "no compiler"
        """Whether what is compiled was cached before this process."""
        # Accidental prints must not end up among the replies.
        self._out = os.dup(1)
        os.dup2(2, 1)
        self._writing = threading.Lock()

    def run(self) -> None:
        threading.Thread(target=self._read, name="read requests", daemon=True).start()
        self.send(Ready("interpreted"))
        self._cached = cache_state()
        search_player = SearchPlayer(self._threads)
        while True:
            request = self._requests.get()
            if isinstance(request, Forget):
                search_player.forget()
                continue
            self.send(self._reply(search_player, request))
            self._stopped.discard(request.id)

    def _compile(self) -> None:
        compile_all(KERNELS)
        if all(kernel.functions is not None for kernel in KERNELS if kernel is not ROUNDED):
            self.send(Ready("compiled"))

    def _reply(self, search_player: SearchPlayer, request: Think | Estimate | Prepare) -> Reply:
        def stopped() -> bool:
            return request.id in self._stopped

        try:
            if isinstance(request, Think) and request.analyse and (first := search_player.look_first(request)):
                self.send(first)
            # Not before: both would take twice as long.
            if self._compiler.ident is None:
                self._compiler.start()
            if isinstance(request, Prepare):
                self._await_compiler(request, stopped)
                search_player.prepare(request, stopped)
                return Prepared(request.id, complete=not self._compiler.is_alive() and not stopped())
            if isinstance(request, Estimate):
                return search_player.estimate(request)
            return search_player.think(request, stopped, self.send)
        except (BadRequest, NetError) as error:
            return Failure(request.id, str(reason := reason_of(error)), message_of(reason))
        except BaseException:
            # The board and the tree may be in the middle of a move, so they must not be used for later requests.
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(EXIT_STATUS)

    def _await_compiler(self, request: Prepare, stopped: Callable[[], bool]) -> None:
        """Say what is being done for a request, and wait until everything is compiled if it asks for that.

        What is cached is loaded so soon that the request waits for it in any case.
        """
        compiles = self._cached in ("missing", "impossible") and self._compiler.is_alive()
        self.send(Preparing(request.id, "compiling" if compiles else "loading"))
        if compiles and not request.wait:
            return
        while self._compiler.is_alive() and not stopped():
            self._compiler.join(_POLL)
        if compiles:
            self.send(Preparing(request.id, "loading"))

    def send(self, reply: Reply) -> None:
        line = encode(reply)
        try:
            with self._writing:
                while line:
                    line = line[os.write(self._out, line) :]
        except OSError:
            os._exit(0)

    def _read(self) -> None:
        for line in sys.stdin.buffer:
            try:
                message = decode(line)
            except ValueError as error:
                self.send(Failure(-1, str(error)))
                continue
            self._take(message)
        os._exit(0)

    def _take(self, message: Request | Reply) -> None:
        if isinstance(message, Stop):
            self._stopped.add(message.id)
        elif isinstance(message, (Think, Estimate, Prepare, Forget)):
            self._requests.put(message)


def main() -> None:
    options = sys.argv[1:]
    if NICE in options and hasattr(os, "nice"):
        os.nice(NICENESS)
    sys.setswitchinterval(SWITCH_SECONDS)
    served = bool(os.environ.get("TEXTUAL_DRIVER"))
    if served:
        # The game is shown in a browser, possibly one of many.
        limit_memory(PLAYER_MEMORY)
    if CPU_TIME in options:
        # For this thread, which searches, while kernels are compiled in another.
        PuctSearch.clock = staticmethod(time.thread_time)
    threads = int(options[options.index(THREADS) + 1]) if THREADS in options and not served else 1
    Worker(threads).run()


if __name__ == "__main__":
    main()
