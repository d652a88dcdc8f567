"""Games in which the network searches, as :mod:`daoqi_tui.training.search_play`, by the thousand in tensors.

A move of all games at once gets a full search or a quick one.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from daoqi_tui.training.batch_games import GameSet, Seen, Set
from daoqi_tui.training.batch_gumbel import GumbelRoots
from daoqi_tui.training.batch_judge import BatchJudge, drawn_moves
from daoqi_tui.training.batch_plans import Plans, chance_on
from daoqi_tui.training.batch_positions import Packed, packed
from daoqi_tui.training.batch_tree import BatchTree
from daoqi_tui.training.boards import Boards
from daoqi_tui.training.raw_play import RawPlay
from daoqi_tui.training.settings import Searching


def search_set(
    judge: BatchJudge, size: int, searching: Searching, play: RawPlay, rng: np.random.Generator, *, boards: int
) -> Set:
    """Play games to their end, all at once.

    Args:
        judge: the network.
        size: points along a side.
        searching: how moves are searched.
        play: openings, komi, and when a game is cut off.
        rng: where chance is from.
        boards: how many games.
    """
    chance = chance_on(judge.device, rng)
    games = GameSet(Boards(boards, size, judge.device), Plans(boards, size, play, chance))
    while len(games.boards):
        full = bool(rng.random() < searching.full)
        games.make(_choose(games, judge, searching, play, chance, full=full))
    return games.ended(searching.outcome)


def _choose(
    games: GameSet, judge: BatchJudge, searching: Searching, play: RawPlay, chance: torch.Generator, *, full: bool
) -> Tensor:
    """The next moves; what a full search finds of positions past their opening is noted."""
    boards, plans = games.boards, games.plans
    opening = boards.plies < plans.free
    searched = not bool(opening.all())
    visits = (searching.visits if full else searching.quick_visits) if searched else 0
    tree = BatchTree(judge, boards, plans.komi, visits)
    free = drawn_moves(tree.policy[:, 0], torch.full_like(plans.komi, play.opening_temperature), chance)
    if not searched:
        return free
    gumbel = GumbelRoots(tree, visits, searching.considered, chance if full else None)
    gumbel.search()
    best = gumbel.best()
    if full:
        past, looks = ~opening, packed(tree.looks)
        looks = Packed(looks.planes[past], looks.whole[past])
        to_move = boards.states.to_move[past]
        games.note(Seen(games.numbers[past], looks, to_move, gumbel.policy()[past], gumbel.rates(best)[past]))
    return torch.where(opening, free, best)
