"""Plays for positions in processes of their own, each writing to a folder of its own.

There is one process a core, or a single one where all games are played at once on a device.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from pathlib import Path

from daoqi_tui.training.positions import Positions, count, files
from daoqi_tui.training.settings import Kind, Settings

PAUSE = 0.5
"""Seconds between two looks at how far the processes have come."""


class PlayFailed(Exception):
    """A process that plays has ended by itself; what it said stands on the screen."""


def play_until(
    wanted: int, folder: Path, net: Path | None, settings: Settings, *, kind: Kind, tell: Callable[[int], None]
) -> None:
    """Play until a folder holds the positions wanted; those it holds already count.

    Args:
        wanted: positions.
        folder: where they go; each process has a folder in it.
        net: the network's file, None for one that knows nothing yet.
        settings: everything else.
        kind: how games are played.
        tell: told now and then how many positions there are.

    Raises:
        PlayFailed: a process ended.
    """
    folders = [folder / str(place) for place in range(processes_of(settings))]
    context = get_context("spawn")
    # Numpy reads this when it is imported; processes are the better use of several cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    processes: list[SpawnProcess] = []
    try:
        while (there := sum(map(count, folders))) < wanted:
            tell(there)
            if not processes:
                for place, own in enumerate(folders):
                    seed = (settings.seed, place, sum(1 for _ in files(own)), list(Kind).index(kind))
                    process = context.Process(target=_play, args=(own, net, settings, seed, kind), daemon=True)
                    process.start()
                    processes.append(process)
            if any(process.exitcode is not None for process in processes):
                raise PlayFailed("a process that plays games has ended; what it said stands above")
            time.sleep(PAUSE)
        tell(there)
    finally:
        # Files appear whole, so that nothing is lost but games under way.
        for process in processes:
            process.terminate()
            process.join()


def processes_of(settings: Settings) -> int:
    """How many processes play: batched games need but one."""
    return 1 if settings.batched == "yes" else settings.threads


def play_folders(folder: Path) -> list[Path]:
    """The folders of all processes that ever played for ``folder``."""
    return sorted(path for path in folder.glob("*") if path.is_dir())


def _play(folder: Path, net: Path | None, settings: Settings, seed: tuple[int, ...], kind: Kind) -> None:
    """Play without end."""
    import numpy as np  # noqa: PLC0415 - after the environment says how many threads it may use

    from daoqi_tui.training.positions import joined, save  # noqa: PLC0415
    from daoqi_tui.training.sources import LOT, source_of  # noqa: PLC0415

    if hasattr(os, "nice"):
        os.nice(5)
    rng = np.random.default_rng(seed)
    source = source_of(net, settings, rng, kind)
    sizes = [int(size) for size in settings.sizes]
    shares = np.array(list(settings.sizes.values()), np.float64)
    shares /= shares.sum()
    lots: dict[int, list[Positions]] = {size: [] for size in sizes}
    while True:
        size = int(rng.choice(sizes, p=shares))
        for positions in source(size):
            lots[size].append(positions)
            if sum(map(len, lots[size])) >= LOT:
                save(joined(lots[size]), folder)
                lots[size] = []
        # Searched games are few; what there is of them is not kept waiting.
        if lots[size] and kind == Kind.SEARCHED:
            save(joined(lots[size]), folder)
            lots[size] = []
