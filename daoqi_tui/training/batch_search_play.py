"""Games in which the network searches, as :mod:`daoqi_tui.training.search_play`, by the thousand in tensors.

A move of all games at once gets a full search, a quick one, or none.
"""

from __future__ import annotations

import numpy as np
import torch

from daoqi_tui.training.batch_finished_play import FinishedGames
from daoqi_tui.training.batch_games import Set
from daoqi_tui.training.batch_gumbel import GumbelRoots
from daoqi_tui.training.batch_judge import BatchJudge
from daoqi_tui.training.batch_plans import chance_on
from daoqi_tui.training.batch_tree import BatchTree
from daoqi_tui.training.boards import Boards
from daoqi_tui.training.raw_play import RawPlay
from daoqi_tui.training.search_play import SURE
from daoqi_tui.training.settings import Finishing, Searching


def search_set(
    judge: BatchJudge,
    size: int,
    searching: Searching,
    play: RawPlay,
    finishing: Finishing,
    *,
    rng: np.random.Generator,
    boards: int,
) -> Set:
    """Play games to their end, all at once; ``boards`` is how many.

    The other arguments are those of :func:`daoqi_tui.training.search_play.search_games`.
    """
    chance = chance_on(judge.device, rng)
    games = FinishedGames(judge, Boards(boards, size, judge.device), play, finishing, chance=chance)
    while len(games.set.boards):
        full = bool(rng.random() < searching.full)
        _move(games, judge, searching, chance, full=full)
    return games.ended(searching.outcome)


def _move(
    games: FinishedGames, judge: BatchJudge, searching: Searching, chance: torch.Generator, *, full: bool
) -> None:
    """Make a move in each game; what a full search finds of those played in earnest is noted."""
    thoughts, boards = games.think(), games.set.boards
    visits = searching.visits if full else searching.quick_visits
    if not visits or not thoughts.serious.any():
        games.make(thoughts)
        return
    gumbel = GumbelRoots(
        BatchTree(judge, boards, games.set.plans.komi, visits), visits, searching.considered, chance if full else None
    )
    gumbel.search()
    best, policy = gumbel.best(), games.without_passes(gumbel.policy(), thoughts)
    if full:
        decided = (thoughts.win - 0.5).abs() > SURE - 0.5
        noted = thoughts.serious & games.happens(torch.where(decided, searching.decided, 1.0))
        if noted.any():
            games.note(noted, thoughts, policy, gumbel.rates(best))
    # Where the search would pass too early, what it likes next is played.
    passes_early = (best == boards.grid.points) & (policy[:, -1] == 0)
    games.make(thoughts, torch.where(passes_early, policy.argmax(1), best))
