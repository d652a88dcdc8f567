"""Plays for positions in processes of their own, one a core, each writing to a folder of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from pathlib import Path

from daoqi_tui.training.positions import Positions, count, files
from daoqi_tui.training.settings import Settings

PAUSE = 0.5
"""Seconds between two looks at how far the processes have come."""
LOT = 2048
"""Positions in a file; fewer where games end slowly."""


class PlayFailed(Exception):
    """A process that plays has ended by itself; what it said stands on the screen."""


def play_until(
    wanted: int, folder: Path, net: Path | None, settings: Settings, *, search: bool, tell: Callable[[int], None]
) -> None:
    """Play until a folder holds the positions wanted; those it holds already count.

    Args:
        wanted: positions.
        folder: where they go; each process has a folder in it.
        net: the network's file, None for one that knows nothing yet.
        settings: everything else.
        search: play by search rather than by the policy alone.
        tell: told now and then how many positions there are.

    Raises:
        PlayFailed: a process ended.
    """
    folders = [folder / str(place) for place in range(settings.threads)]
    context = get_context("spawn")
    # Numpy reads this when it is imported; processes are the better use of several cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    processes: list[SpawnProcess] = []
    try:
        while (there := sum(map(count, folders))) < wanted:
            tell(there)
            if not processes:
                for place, own in enumerate(folders):
                    seed = (settings.seed, place, sum(1 for _ in files(own)), int(search))
                    process = context.Process(target=_play, args=(own, net, settings, seed, search), daemon=True)
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


def play_folders(folder: Path) -> list[Path]:
    """The folders of all processes that ever played for ``folder``."""
    return sorted(path for path in folder.glob("*") if path.is_dir())


def _play(folder: Path, net: Path | None, settings: Settings, seed: tuple[int, ...], search: bool) -> None:
    """Play without end."""
    import numpy as np  # noqa: PLC0415 - after the environment says how many threads it may use

    from daoqi_tui.training.judges import judge_of  # noqa: PLC0415
    from daoqi_tui.training.positions import joined, positions_of, save  # noqa: PLC0415
    from daoqi_tui.training.raw_play import raw_games  # noqa: PLC0415
    from daoqi_tui.training.search_play import search_games  # noqa: PLC0415

    if hasattr(os, "nice"):
        os.nice(5)
    rng = np.random.default_rng(seed)
    judge = judge_of(net, settings)
    sizes = [int(size) for size in settings.sizes]
    shares = np.array(list(settings.sizes.values()), np.float64)
    shares /= shares.sum()
    raw = {size: raw_games(judge, size, settings.play, rng, settings.boards) for size in sizes} if not search else {}
    lots: dict[int, list[Positions]] = {size: [] for size in sizes}
    while True:
        size = int(rng.choice(sizes, p=shares))
        if search:
            games = search_games(
                judge, size, settings.searching, settings.play, rng, games=settings.boards, boards=settings.boards
            )
            lots[size] += [
                positions_of([look for look, _ in game], [target for _, target in game], size) for game in games if game
            ]
        else:
            lots[size] += [positions_of(*next(raw[size]), size) for _ in range(8)]
        if lots[size] and (search or sum(map(len, lots[size])) >= LOT):
            save(joined(lots[size]), folder)
            lots[size] = []
