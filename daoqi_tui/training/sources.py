"""Where positions come from: games one by one on processor cores, or by the thousand on one device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import torch

from daoqi_tui.training.batch_raw_play import raw_positions
from daoqi_tui.training.batch_search_play import search_set
from daoqi_tui.training.judges import batch_judge_of, judge_of
from daoqi_tui.training.positions import Positions, positions_of
from daoqi_tui.training.raw_play import raw_games
from daoqi_tui.training.search_play import search_games
from daoqi_tui.training.settings import Settings

Source: TypeAlias = Callable[[int], Iterator[Positions]]
"""Plays on boards of a size for a while; games of the policy alone go on where they were."""
LOT: Final = 2048
"""Positions in a file; fewer where games end slowly."""
_MOVES: Final = 8
"""Moves made before boards of another size may have their turn, where games are played by the policy alone."""


def source_of(net: Path | None, settings: Settings, rng: np.random.Generator, *, search: bool) -> Source:
    """The source of positions that the settings name.

    Args:
        net: the network's file, None for one that knows nothing yet.
        settings: everything else.
        rng: where chance is from.
        search: play by search rather than by the policy alone.

    Raises:
        NetError: the network cannot be used.
    """
    if settings.batched == "yes":
        return _many(net, settings, rng, search=search)
    return _single(net, settings, rng, search=search)


def _single(net: Path | None, settings: Settings, rng: np.random.Generator, *, search: bool) -> Source:
    judge, boards, play = judge_of(net, settings), settings.boards, settings.play
    raw = {int(size): raw_games(judge, int(size), play, rng, boards) for size in settings.sizes if not search}

    def searched(size: int) -> Iterator[Positions]:
        for game in search_games(judge, size, settings.searching, play, rng, games=boards, boards=boards):
            if game:
                yield positions_of([look for look, _ in game], [target for _, target in game], size)

    def played(size: int) -> Iterator[Positions]:
        for _ in range(_MOVES):
            yield positions_of(*next(raw[size]), size)

    return searched if search else played


def _many(net: Path | None, settings: Settings, rng: np.random.Generator, *, search: bool) -> Source:
    torch.set_num_threads(settings.threads)
    judge, boards, play = batch_judge_of(net, settings), settings.boards, settings.play
    raw = {int(size): raw_positions(judge, int(size), play, rng, boards) for size in settings.sizes if not search}

    def searched(size: int) -> Iterator[Positions]:
        games = search_set(judge, size, settings.searching, play, rng, boards=boards)
        if games.positions is not None:
            # Whole games stand together, so that those in files kept for testing are not learnt from.
            order = games.game.sort(stable=True).indices.cpu().numpy()
            for start in range(0, len(order), LOT):
                yield games.positions.taken(order[start : start + LOT])

    def played(size: int) -> Iterator[Positions]:
        for _ in range(_MOVES):
            yield next(raw[size])

    return searched if search else played
