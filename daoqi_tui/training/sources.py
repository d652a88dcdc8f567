"""Where positions come from: games one by one on processor cores, or by the thousand on one device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import torch

from daoqi_tui.training.batch_finished_play import finished_set
from daoqi_tui.training.batch_games import Set
from daoqi_tui.training.batch_raw_play import raw_positions
from daoqi_tui.training.batch_search_play import search_set
from daoqi_tui.training.endings import Lesson
from daoqi_tui.training.finished_play import finished_games
from daoqi_tui.training.judges import batch_judge_of, judge_of
from daoqi_tui.training.positions import Positions, positions_of
from daoqi_tui.training.raw_play import raw_games
from daoqi_tui.training.search_play import search_games
from daoqi_tui.training.settings import Kind, Settings

Source: TypeAlias = Callable[[int], Iterator[Positions]]
"""Plays on boards of a size for a while; games of the policy alone go on where they were."""
LOT: Final = 2048
"""Positions in a file; fewer where games end slowly."""
_MOVES: Final = 8
"""Moves made before boards of another size may have their turn, where games are played by the policy alone."""


def source_of(net: Path | None, settings: Settings, rng: np.random.Generator, kind: Kind) -> Source:
    """The source of positions that the settings name.

    Args:
        net: the network's file, None for one that knows nothing yet.
        settings: everything else.
        rng: where chance is from.
        kind: how games are played.

    Raises:
        NetError: the network cannot be used.
    """
    if settings.batched == "yes":
        return _many(net, settings, rng, kind)
    return _single(net, settings, rng, kind)


def _single(net: Path | None, settings: Settings, rng: np.random.Generator, kind: Kind) -> Source:
    judge, boards, play, finishing = judge_of(net, settings), settings.boards, settings.play, settings.finishing
    sizes = [int(size) for size in settings.sizes]
    if kind == Kind.SEARCHED:

        def searched(size: int) -> Iterator[Positions]:
            for game in search_games(
                judge, size, settings.searching, play, finishing, rng=rng, games=boards, boards=boards
            ):
                if game:
                    yield _positions_of_game(game, size)

        return searched
    if kind == Kind.FINISHED:
        teacher = judge_of(settings.teacher_file, settings) if settings.teacher_file else None
        whole = {size: finished_games(judge, teacher, size, play, finishing, rng=rng, boards=boards) for size in sizes}

        def finished(size: int) -> Iterator[Positions]:
            yield _positions_of_game(next(whole[size]), size)

        return finished
    raw = {size: raw_games(judge, size, play, rng, boards) for size in sizes}

    def played(size: int) -> Iterator[Positions]:
        for _ in range(_MOVES):
            yield positions_of(*next(raw[size]), size)

    return played


def _positions_of_game(game: Sequence[Lesson], size: int) -> Positions:
    return positions_of([look for look, _ in game], [target for _, target in game], size)


def _many(net: Path | None, settings: Settings, rng: np.random.Generator, kind: Kind) -> Source:
    torch.set_num_threads(settings.threads)
    judge, boards = batch_judge_of(net, settings), settings.boards
    play, finishing = settings.play, settings.finishing
    if kind == Kind.RAW:
        raw = {int(size): raw_positions(judge, int(size), play, rng, boards) for size in settings.sizes}

        def played(size: int) -> Iterator[Positions]:
            for _ in range(_MOVES):
                yield next(raw[size])

        return played
    if kind == Kind.FINISHED:
        teacher = batch_judge_of(settings.teacher_file, settings) if settings.teacher_file else None

        def finished(size: int) -> Iterator[Positions]:
            return _lots(finished_set(judge, teacher, size, play, finishing, rng=rng, boards=boards))

        return finished

    def searched(size: int) -> Iterator[Positions]:
        return _lots(search_set(judge, size, settings.searching, play, finishing, rng=rng, boards=boards))

    return searched


def _lots(games: Set) -> Iterator[Positions]:
    """Positions of whole games, so that those in files kept for testing are not of games that are learnt from."""
    if games.positions is not None:
        order = games.game.sort(stable=True).indices.cpu().numpy()
        for start in range(0, len(order), LOT):
            yield games.positions.taken(order[start : start + LOT])
