"""Plays the lots of a stage, in processes on this machine or on a cluster, until there are enough positions."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count as numbers_from
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, TypeAlias

import torch

from daoqi_tui.ai.network import NetError
from daoqi_tui.lab.cluster import Cluster
from daoqi_tui.lab.training.lots import LotFile, NetworkFile, Play, lots_in, play_elsewhere, remove_lot, write_lot
from daoqi_tui.lab.training.settings import Settings
from daoqi_tui.message import Message, reason_of

LOTS: Final = "lots"
"""The folder of a stage's lots."""


MOST_EMPTY: Final = 20
"""The number of consecutive empty lots after which no more are played."""


class PlayFailed(Exception):
    """A worker has died, and its error is on the screen; or the games yield no positions."""


def play_until(
    wanted: int, folder: Path, play: Play, report: Callable[[int], None], cluster: Cluster | None = None
) -> int:
    """Play lots until a folder contains the wanted number of positions; return the number of lots beyond them.

    Existing lots count, from the first without gaps. The existing ones beyond the last needed one are kept; of those
    played now they are removed, since their number depends on that of the workers. :func:`needed` says which to learn.

    Args:
        wanted: the number of positions.
        folder: of the stage.
        play: how lots are played.
        report: called occasionally with the number of positions so far.
        cluster: plays them, None for processes on this machine.

    Raises:
        PlayFailed: a worker died, or lots have no positions.
        NetError: a network cannot be used.
    """
    folder = folder / LOTS
    done = lots_in(folder)
    before = frozenset(done)
    if needed(done, wanted) is None:
        with _workers(play) if cluster is None else _cluster_workers(play, cluster) as workers:
            _play(wanted, folder, done, workers, report)
    last = needed(done, wanted)
    assert last is not None
    beyond = {number for number in done if number >= last}
    for number in beyond - before:
        remove_lot(folder, number)
    report(sum(count for number, count in done.items() if number < last))
    return len(beyond & before)


def needed(done: dict[int, int], wanted: int) -> int | None:
    """Return the number of lots, from the first, with the wanted positions in total; None if there are not enough."""
    there = 0
    for number in numbers_from():
        if there >= wanted:
            return number
        if number not in done:
            return None
        there += done[number]
    return None


def workers_of(settings: Settings) -> int:
    """Return the number of workers: batched games need only one."""
    return 1 if settings.batched == "yes" else settings.threads


_Submit: TypeAlias = Callable[[int], "Future[list[LotFile]]"]


@dataclass(frozen=True, slots=True)
class _Workers:
    """The workers that play lots.

    Attributes:
        count: the number of lots played at a time.
        submit: starts one.
    """

    count: int
    submit: _Submit


def _play(wanted: int, folder: Path, done: dict[int, int], workers: _Workers, report: Callable[[int], None]) -> None:
    """Play lots and write them, until ``done`` has enough positions; lots still in progress are cancelled."""
    following = (number for number in numbers_from() if number not in done)
    under_way: dict[Future[list[LotFile]], int] = {}
    empty = 0
    try:
        while needed(done, wanted) is None:
            report(sum(done.values()))
            while len(under_way) < workers.count:
                number = next(following)
                under_way[workers.submit(number)] = number
            for lot in wait(under_way, return_when=FIRST_COMPLETED).done:
                number = under_way.pop(lot)
                try:
                    done[number] = write_lot(folder, number, lot.result())
                except BrokenProcessPool as error:
                    raise PlayFailed("a process that plays games has ended; what it said stands above") from error
                empty = 0 if done[number] else empty + 1
                if empty == MOST_EMPTY:
                    raise PlayFailed(
                        f"{MOST_EMPTY} lots in a row have no positions: no game came to an end, or no move was "
                        "recorded; raise finishing.longest, boards or the share of positions recorded"
                    )
    finally:
        for lot in under_way:
            lot.cancel()


@contextmanager
def _workers(play: Play) -> Iterator[_Workers]:
    """Start processes on this machine; games in progress are lost when they end."""
    settings = play.settings
    context = get_context("spawn")
    # The other end closes with `lives` or with the training itself, however it ends.
    life, lives = context.Pipe(duplex=False)
    # Numpy reads this on import; processes use several cores better than threads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    threads = settings.threads if settings.batched == "yes" else 1
    pool = ProcessPoolExecutor(workers_of(settings), context, _initialise_worker, (life, threads))
    try:
        yield _Workers(workers_of(settings), lambda number: pool.submit(play.lot, number))
    finally:
        lives.close()
        pool.shutdown()


def _initialise_worker(life: Connection, threads: int) -> None:
    """Initialise a worker process: it ends as soon as the other end of ``life`` is closed."""
    if hasattr(os, "nice"):
        os.nice(5)
    # Ctrl+C must only reach the training, which then ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(threads)

    def watch() -> None:
        with contextlib.suppress(EOFError, OSError):
            life.recv()
        os._exit(0)

    threading.Thread(target=watch, name="watch the training", daemon=True).start()


@contextmanager
def _cluster_workers(play: Play, cluster: Cluster) -> Iterator[_Workers]:
    """Send the networks to a cluster and play on its workers."""
    net, teacher = (
        None if file is None else cluster.share(NetworkFile(file.name, _content(file)))
        for file in (play.net, play.teacher)
    )
    yield _Workers(cluster.processors, lambda number: cluster.submit(play_elsewhere, play, net, teacher, number))


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise NetError(Message("{file} cannot be read: {reason}", file=file, reason=reason_of(error))) from error
