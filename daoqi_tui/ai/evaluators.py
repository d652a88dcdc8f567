"""Evaluates batches for one search in separate processes, so that a network uses all processor cores.

The search keeps its tree and encodes positions; each :class:`Evaluators` process has the same network and evaluates a
batch at a time. Numbers pass through shared memory, an unnamed file that vanishes with the last process; pipes carry a
line for each batch, a line back for each result, and one when the network is there. All evaluators map the network's
weights from another such file, in the form they are computed with, so that they share one copy in memory. An evaluator
ends when its standard input does.

Run as a program, this module is one evaluator: its arguments are the descriptors of its shared file and of the
network's.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
import queue
import selectors
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, Final, Literal

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.compiled import compile_all
from daoqi_tui.ai.network.convolution import KERNELS
from daoqi_tui.ai.network.values import with_races
from daoqi_tui.ai.search import Evaluation, Inputs, NetworkEvaluator
from daoqi_tui.children import command, environment
from daoqi_tui.memory_limits import unlimited

BATCH: Final = 8
"""The maximum positions of a batch. Larger ones are hardly faster, and the search selects leaves with less
information."""
_POINTS: Final = 25 * 25
_NUMBERS: Final = 40 * _POINTS
"""Room for the numbers of one position, inputs or outputs."""
_BYTES: Final = 4 * BATCH * _NUMBERS
_READY: Final = b"=\n"
"""The line that an evaluator prints when it is ready for a batch: with the network there, or the results written."""
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
    process: subprocess.Popen[bytes]
    memory: _Memory
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
            for _ in range(self.count):
                self._start_one(weights.fileno())

    def _start_one(self, weights: int) -> None:
        with tempfile.TemporaryFile() as file:
            if hasattr(os, "posix_fallocate"):
                # On a full disk this raises; writing to a sparse file there would kill the program instead.
                os.posix_fallocate(file.fileno(), 0, _BYTES)
            else:
                file.truncate(_BYTES)
            with unlimited():
                process = subprocess.Popen(
                    (*command("daoqi_tui.ai.evaluators"), str(file.fileno()), str(weights)),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    pass_fds=(file.fileno(), weights),
                    env=environment(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1"),
                    start_new_session=True,
                )
            one = _Evaluator(process, _Memory(file.fileno()))
            self._running.append(one)
            assert process.stdout is not None
            self._selector.register(process.stdout, selectors.EVENT_READ, one)

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
        return tuple(one.process.pid for one in self._running)

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
            assert one.process.stdin is not None
            try:
                one.process.stdin.write(f"{size} {len(batch)} {widths[0]} {widths[1]}\n".encode())
                one.process.stdin.flush()
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
            assert one.process.stdout is not None
            if one.process.stdout.readline() == _READY:
                one.state = "free"
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
        self._running.remove(one)
        assert one.process.stdout is not None
        self._selector.unregister(one.process.stdout)
        one.process.kill()
        one.process.communicate()
        self.lost(self.running)

    def close(self) -> None:
        for one in self._running:
            one.process.kill()
            one.process.communicate()
        self._running.clear()
        self._again.clear()
        self._found.clear()
        self._selector.close()


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


def _read(lines: queue.SimpleQueue[bytes]) -> None:
    """Read batches; end the process with its input, even while it loads or evaluates."""
    for line in sys.stdin.buffer:
        lines.put(line)
    os._exit(0)


def _signal_ready() -> None:
    sys.stdout.buffer.write(_READY)
    sys.stdout.buffer.flush()


def main() -> None:
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines,), name="read batches", daemon=True).start()
    memory = _Memory(int(sys.argv[1]))
    network = map_network(int(sys.argv[2]))
    compile_all(KERNELS)
    _signal_ready()
    while True:
        line = lines.get()
        size, count, planes, whole = map(int, line.split())
        rows = memory.rows(count, planes + whole)
        # Copied, since the outputs overwrite them.
        batch = [Inputs(row[:planes].reshape(size * size, -1).copy(), row[planes:].copy()) for row in rows]
        found = memory.rows(count, 2 * size * size + 4)
        for row, evaluation in zip(found, network.evaluate(batch, size), strict=True):
            row[:3] = evaluation.win, evaluation.lead, evaluation.spread
            row[3 : size * size + 4] = evaluation.policy
            row[size * size + 4 :] = evaluation.owner
        _signal_ready()


if __name__ == "__main__":
    main()
