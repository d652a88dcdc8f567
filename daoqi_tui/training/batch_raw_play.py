"""Games by a network's policy alone, as :mod:`daoqi_tui.training.raw_play`, by the thousand in tensors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from daoqi_tui.training.areas import areas_of
from daoqi_tui.training.batch_features import looks_of
from daoqi_tui.training.batch_judge import BatchJudge, drawn_moves, legal_policies
from daoqi_tui.training.batch_plans import Plans, chance_on
from daoqi_tui.training.batch_positions import packed, positions_from
from daoqi_tui.training.boards import Boards
from daoqi_tui.training.positions import Positions
from daoqi_tui.training.raw_play import RawPlay


def raw_positions(
    judge: BatchJudge, size: int, play: RawPlay, rng: np.random.Generator, boards: int
) -> Iterator[Positions]:
    """Play games without end; after each move, how all the games were seen and what the network said.

    Args:
        judge: the network.
        size: points along a side.
        play: how games are played.
        rng: where chance is from.
        boards: games under way at a time.
    """
    chance = chance_on(judge.device, rng)
    plans = Plans(boards, size, play, chance)
    games = Boards(boards, size, judge.device, plans.longest + size)
    _stagger(games, chance)
    grid = games.grid
    while True:
        states, plays = games.states, games.legal().plays
        looks = looks_of(grid, states, games.chains, plays, areas_of(grid, states), komi=plans.komi)
        found = judge.judge(looks, size)
        policy = legal_policies(found.policy, plays)
        yield positions_from(packed(looks), policy, torch.stack((found.win, found.lead, found.spread), 1), found.owner)
        games.play(drawn_moves(*loosened(policy, plays, games.plies < plans.free, play, chance), chance))
        ended = games.states.over | (games.plies >= plans.longest)
        games.restart(ended)
        plans.renew(Plans(boards, size, play, chance), ended)


def loosened(
    policy: Tensor, plays: Tensor, opening: Tensor, play: RawPlay, chance: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Policies, some of which like any play alike, and the temperature at which each is drawn from.

    Args:
        policy: of legal moves, ``(games, points + 1)``.
        plays: where may be played, ``(games, points)``.
        opening: which games are in their opening, ``(games,)``.
        play: how games are played.
        chance: where it is from.
    """
    anywhere = torch.rand(len(policy), generator=chance, device=policy.device) < play.random
    any_play = legal_policies(functional.pad(plays.float(), (0, 1)), plays)
    chosen = torch.where(anywhere[:, None], any_play, policy)
    return chosen, torch.where(opening, play.opening_temperature, play.temperature)


def _stagger(games: Boards, chance: torch.Generator) -> None:
    """Make some moves by chance: games that all began together would all be in the same stage."""
    grid, count = games.grid, len(games)
    moves = torch.randint(grid.size, (count,), generator=chance, device=grid.device)
    alike = torch.ones((count, grid.points + 1), device=grid.device)
    for made in range(grid.size - 1):
        move = drawn_moves(legal_policies(alike, games.legal().plays), torch.ones_like(alike[:, 0]), chance)
        games.play(move, moves > made)
        games.forget_passes(games.states.in_row > 0)
