"""Evaluates batches for one search in separate processes, so that a network uses all processor cores.

The search keeps its tree and encodes positions; each :class:`Evaluators` process has the same network and evaluates a
batch at a time. Numbers pass through shared memory, an unnamed file that vanishes with the last process; a socket
carries a line for each batch, a line back for each result, and one when the network is there. All evaluators map the
network's weights from another such file, in the form they are computed with, so that they share one copy in memory.

On Linux one process is started, and becomes all evaluators by forks once it has everything: so they also share the
interpreter, numpy and what is compiled, nearly all that a process takes. They end with it, and it with its parent.

Run as a program, this module is one evaluator, or several: its arguments are the descriptors of the network's file and,
for each evaluator, of its shared file and its socket.
"""

from __future__ import annotations

import gc
import io
import mmap
import os
import pickle
import selectors
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO, Final, Literal

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.compiled import compile_all
from daoqi_tui.ai.network.convolution import KERNELS
from daoqi_tui.ai.network.network import with_races
from daoqi_tui.ai.search import Evaluation, Inputs, NetworkEvaluator
from daoqi_tui.children import command, end_with, environment, unlimited

BATCH: Final = 8
"""The maximum positions of a batch. Larger ones are hardly faster, and the search selects leaves with less
information."""
_POINTS: Final = 25 * 25
_NUMBERS: Final = 40 * _POINTS
"""Room for the numbers of one position, inputs or outputs."""
_BYTES: Final = 4 * BATCH * _NUMBERS
_MAPPED_FROM: Final = 1 << 16
"""The least bytes of an array to be mapped. Smaller ones are copied: not all code takes arrays that are read-only."""
_ALIGNMENT: Final = 64


def can_share() -> bool:
    return os.name == "posix"


class _Memory:
    """The memory shared with one evaluator: its inputs, later overwritten by its outputs."""

    def __init__(self, file: int) -> None:
        self._map = mmap.mmap(file, _BYTES)
        self._numbers: NDArray[np.float32] = np.frombuffer(self._map, np.float32)

    def rows(self, count: int, width: int) -> NDArray[np.float32]:
        return self._numbers[: count * width].reshape(count, width)


def write_network(network: NetworkEvaluator, file: IO[bytes]) -> None:
    """Write a network to an empty file for :func:`map_network`.

    The file has the large arrays first, then a pickle of the rest, and in its last eight bytes where that begins.
    """
    large: list[memoryview] = []

    def is_small(buffer: pickle.PickleBuffer) -> bool:
        numbers = buffer.raw()
        if numbers.nbytes < _MAPPED_FROM:
            return True
        large.append(numbers)
        return False

    rest = pickle.dumps(network, protocol=5, buffer_callback=is_small)
    places: list[tuple[int, int]] = []
    for numbers in large:
        start = file.seek(-(-file.tell() // _ALIGNMENT) * _ALIGNMENT)
        file.write(numbers)
        places.append((start, file.tell()))
    start = file.tell()
    pickle.dump(places, file)
    file.write(rest)
    file.write(start.to_bytes(8, "little"))
    file.flush()


def map_network(file: int) -> NetworkEvaluator:
    """Return the network that :func:`write_network` wrote, with its large arrays in the file's memory, read-only.

    Args:
        file: the descriptor. Only files of this program are read: a pickle may run any code.
    """
    memory = memoryview(mmap.mmap(file, 0, access=mmap.ACCESS_READ))
    rest = io.BytesIO(memory[int.from_bytes(memory[-8:], "little") :])
    places: list[tuple[int, int]] = pickle.load(rest)
    network: NetworkEvaluator = pickle.load(rest, buffers=[memory[start:end] for start, end in places])
    return network


def _memory_file() -> IO[bytes]:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("daoqi-tui network"), "w+b")
    return tempfile.TemporaryFile()


@dataclass(slots=True, eq=False)
class _Evaluator:
    """What the search knows of an evaluator.

    Attributes:
        process: the one that was started, for it and maybe others.
        memory: shared with it.
        replies: from it: its process id, a line, when it is ready for a batch: with the network there, or the results
            written.
        requests: to it.
        pid: its process id, as far as it is known.
    """

    process: subprocess.Popen[bytes]
    memory: _Memory
    replies: IO[bytes]
    requests: socket.socket
    pid: int
    state: Literal["loading", "free", "busy"] = "loading"
    batch: tuple[Inputs, ...] = ()
    size: int = 0
    ticket: int = -1


@dataclass(slots=True)
class Evaluators:
    """A number of evaluator processes with one network.

    Args:
        network: what they evaluate with; it can be pickled.
        count: the number of processes.
        lost: called with the number of remaining evaluators whenever one has died.
    """

    network: NetworkEvaluator
    count: int
    lost: Callable[[int], object] = lambda _: None
    _running: list[_Evaluator] = field(init=False, default_factory=list)
    _found: list[tuple[int, list[Evaluation] | tuple[Inputs, ...]]] = field(init=False, default_factory=list)
    _again: list[tuple[int, tuple[Inputs, ...], int]] = field(init=False, default_factory=list)
    _selector: selectors.BaseSelector = field(init=False, default_factory=selectors.DefaultSelector)
    _tickets: int = field(init=False, default=0)

    def start(self) -> None:
        """Start the processes; each is :attr:`ready` once it has the network.

        From then on :attr:`network` is the one that they have, whose weights are in memory only once.

        Raises:
            OSError: a process cannot be started.
        """
        with _memory_file() as weights:
            write_network(self.network, weights)
            self.network = map_network(weights.fileno())
            together = self.count if sys.platform == "linux" else 1
            for _ in range(0, self.count, together):
                self._start_some(together, weights.fileno())

    def _start_some(self, count: int, weights: int) -> None:
        with ExitStack() as theirs, ExitStack() as ours:
            started: list[tuple[_Memory, socket.socket]] = []
            passed = [weights]
            for _ in range(count):
                file = theirs.enter_context(tempfile.TemporaryFile())
                if hasattr(os, "posix_fallocate"):
                    # On a full disk this raises; writing to a sparse file there would kill the program instead.
                    os.posix_fallocate(file.fileno(), 0, _BYTES)
                else:
                    file.truncate(_BYTES)
                here, there = socket.socketpair()
                ours.enter_context(here)
                theirs.enter_context(there)
                started.append((_Memory(file.fileno()), here))
                passed += file.fileno(), there.fileno()
            with unlimited():
                process = subprocess.Popen(
                    (*command("daoqi_tui.ai.evaluators"), *map(str, passed)),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=passed,
                    env=environment(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1"),
                    start_new_session=True,
                )
            ours.pop_all()
        for memory, here in started:
            one = _Evaluator(process, memory, here.makefile("rb"), here, process.pid)
            self._running.append(one)
            self._selector.register(here, selectors.EVENT_READ, one)

    @property
    def running(self) -> int:
        return len(self._running)

    @property
    def loading(self) -> int:
        """The number of evaluators that do not have the network yet, as of the last :meth:`poll`."""
        return sum(one.state == "loading" for one in self._running)

    @property
    def ready(self) -> int:
        """The number of evaluators that have the network, as of the last :meth:`poll`."""
        return self.running - self.loading

    @property
    def pids(self) -> tuple[int, ...]:
        """Those that are known: before the evaluators are ready, that of the process from which they come."""
        return tuple(dict.fromkeys(one.pid for one in self._running))

    @property
    def is_full(self) -> bool:
        return not self._in("free")

    def _in(self, state: str) -> list[_Evaluator]:
        return [one for one in self._running if one.state == state]

    def submit(self, batch: Sequence[Inputs], size: int) -> int:
        """Give a batch of at most :data:`BATCH` positions to a free evaluator; return its ticket."""
        self._tickets += 1
        self._send(self._tickets, tuple(batch), size)
        return self._tickets

    def _send(self, ticket: int, batch: tuple[Inputs, ...], size: int) -> None:
        while free := self._in("free"):
            one = free[-1]
            planes = np.stack([inputs.planes.reshape(-1) for inputs in batch])
            whole = np.stack([inputs.whole for inputs in batch])
            widths = planes.shape[1], whole.shape[1]
            one.memory.rows(len(batch), sum(widths))[:] = np.concatenate((planes, whole), axis=1)
            one.batch, one.size, one.ticket = batch, size, ticket
            try:
                one.requests.sendall(f"{size} {len(batch)} {widths[0]} {widths[1]}\n".encode())
            except OSError:
                self._drop(one)
                continue
            one.state = "busy"
            return
        self._again.append((ticket, batch, size))

    def poll(self, seconds: float | None = 0.0) -> bool:
        """Handle replies of evaluators; return whether there was one within ``seconds`` (None: no limit)."""
        replies = self._selector.select(seconds)
        for key, _ in replies:
            one: _Evaluator = key.data
            was_busy = one.state == "busy"
            if reply := _line(one.replies):
                one.pid, one.state = int(reply), "free"
                if was_busy:
                    self._found.append((one.ticket, _evaluations(one)))
            else:
                self._drop(one)
                if was_busy:
                    self._again.append((one.ticket, one.batch, one.size))
        again, self._again = self._again, []
        for ticket, batch, size in again:
            self._send(ticket, batch, size)
        return bool(replies)

    def collect(self, seconds: float | None = None) -> list[tuple[int, list[Evaluation] | tuple[Inputs, ...]]]:
        """Wait up to ``seconds`` for a batch, and return all that are ready by their tickets.

        If a batch's evaluator has died and no other can take the batch, its inputs are returned.
        """
        while not self._found and self._in("busy") and self.poll(seconds):
            pass
        found, self._found = self._found, []
        if not self._in("busy"):
            found += [(ticket, batch) for ticket, batch, _ in self._again]
            self._again.clear()
        return found

    def _drop(self, one: _Evaluator) -> None:
        self._end(one)
        self.lost(self.running)

    def _end(self, one: _Evaluator) -> None:
        self._running.remove(one)
        self._selector.unregister(one.requests)
        one.replies.close()
        one.requests.close()
        if all(other.process is not one.process for other in self._running):
            one.process.kill()
            one.process.wait()

    def close(self) -> None:
        for one in tuple(self._running):
            self._end(one)
        self._again.clear()
        self._found.clear()
        self._selector.close()


def _line(replies: IO[bytes]) -> bytes:
    """Return the next line, nothing if the process at the other end is gone."""
    try:
        return replies.readline()
    except ConnectionResetError:
        # It had not read everything.
        return b""


def _evaluations(one: _Evaluator) -> list[Evaluation]:
    points = one.size * one.size
    rows = one.memory.rows(len(one.batch), 2 * points + 4).copy()
    return [
        with_races(
            Evaluation(row[3 : points + 4], float(row[0]), float(row[1]), float(row[2]), row[points + 4 :]),
            inputs.races,
        )
        for row, inputs in zip(rows, one.batch, strict=True)
    ]


def _fork(count: int) -> int:
    """Become ``count`` processes, of which the others end with the first; return the number of this one.

    Only a process without threads may do so, since they would be missing in the others.
    """
    first = os.getpid()
    # What is there now is never collected, so that it stays shared.
    gc.freeze()
    for number in range(1, count):
        if os.fork() == 0:
            end_with(first)
            return number
    return 0


def main() -> None:
    weights, *others = map(int, sys.argv[1:])
    network = map_network(weights)
    compile_all(KERNELS)
    files, sockets = others[::2], others[1::2]
    mine = _fork(len(files))
    for number, each in enumerate(sockets):
        if number != mine:
            # Its end is to be seen when the one that it belongs to has ended.
            os.close(each)
    memory = _Memory(files[mine])
    with socket.socket(fileno=sockets[mine]) as to_search, to_search.makefile("rb") as batches:
        ready = f"{os.getpid()}\n".encode()
        to_search.sendall(ready)
        for line in batches:
            size, count, planes, whole = map(int, line.split())
            rows = memory.rows(count, planes + whole)
            # Copied, since the outputs overwrite them.
            batch = [Inputs(row[:planes].reshape(size * size, -1).copy(), row[planes:].copy()) for row in rows]
            found = memory.rows(count, 2 * size * size + 4)
            for row, evaluation in zip(found, network.evaluate(batch, size), strict=True):
                row[:3] = evaluation.win, evaluation.lead, evaluation.spread
                row[3 : size * size + 4] = evaluation.policy
                row[size * size + 4 :] = evaluation.owner
            to_search.sendall(ready)


if __name__ == "__main__":
    main()
