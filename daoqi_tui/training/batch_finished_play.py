"""Games played until nothing is left to settle, as :mod:`~daoqi_tui.training.finished_play`, by the thousand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from daoqi_tui.engine import BLACK
from daoqi_tui.training.areas import areas_of
from daoqi_tui.training.batch_features import Looks, looks_of
from daoqi_tui.training.batch_games import GameSet, Seen, Set, worth_of_passes
from daoqi_tui.training.batch_judge import BatchJudge, drawn_moves, legal_policies
from daoqi_tui.training.batch_plans import Plans, chance_on
from daoqi_tui.training.batch_positions import packed
from daoqi_tui.training.batch_raw_play import loosened
from daoqi_tui.training.boards import Boards
from daoqi_tui.training.finished_play import SLACK
from daoqi_tui.training.grid import Grid
from daoqi_tui.training.raw_play import RawPlay
from daoqi_tui.training.settings import Finishing


def finished_set(
    judge: BatchJudge,
    teacher: BatchJudge | None,
    size: int,
    play: RawPlay,
    finishing: Finishing,
    *,
    rng: np.random.Generator,
    boards: int,
) -> Set:
    """Play games to their end, all at once; ``boards`` is how many.

    The other arguments are those of :func:`daoqi_tui.training.finished_play.finished_games`.
    """
    games = _Games(
        judge, teacher, Boards(boards, size, judge.device), play, finishing, chance=chance_on(judge.device, rng)
    )
    while len(games.set.boards):
        games.move()
    return games.ended()


class _Games:
    """Games under way: first they go astray, then they are played as well as the network can."""

    def __init__(
        self,
        judge: BatchJudge,
        teacher: BatchJudge | None,
        boards: Boards,
        play: RawPlay,
        finishing: Finishing,
        *,
        chance: torch.Generator,
    ) -> None:
        grid, count, device = boards.grid, len(boards), judge.device
        plans = Plans(count, grid.size, replace(play, longest=finishing.longest), chance)
        self.set = GameSet(boards, plans)
        self._judge = judge
        self._teacher = teacher
        self._play = play
        self._finishing = finishing
        self._chance = chance
        most = 1 + round(finishing.astray * grid.points)
        self._astray = torch.randint(most, (count,), generator=chance, device=device)
        # What passes were worth to Black when the first was thought of, nothing where none was.
        self._before = torch.full((count,), torch.nan, device=device)

    def move(self) -> None:
        """Make a move in each game; what is seen of some is noted."""
        games, finishing, chance = self.set, self._finishing, self._chance
        boards, plans, numbers = games.boards, games.plans, games.numbers
        states, grid, plays = boards.states, boards.grid, boards.legal().plays
        areas = areas_of(grid, states)
        looks = looks_of(grid, states, boards.chains, plays, areas, komi=plans.komi)
        judged = self._judge.judge(looks, grid.size)
        policy = legal_policies(judged.policy, plays)
        margin = areas.margin(states.passes, plans.komi)
        settled = margin.where(states.to_move == BLACK, -margin) >= judged.lead - SLACK
        serious = boards.plies >= self._astray[numbers]
        noted = serious & (torch.rand(len(boards), generator=chance, device=grid.device) < finishing.noted)
        if noted.any():
            seen, taught = Looks(looks.planes[noted], looks.whole[noted]), policy[noted]
            if self._teacher is not None:
                taught = legal_policies(self._teacher.judge(seen, grid.size).policy, plays[noted])
            wanted = _without_passes(grid, states.own[noted], taught, settled[noted])
            games.note(Seen(numbers[noted], packed(seen), states.to_move[noted], wanted, judged.win[noted]))
        first = self._before[numbers]
        begins = serious & _likes_pass(policy) & first.isnan()
        self._before[numbers] = torch.where(begins, worth_of_passes(states), first)
        loose, heat = loosened(policy, plays, boards.plies < plans.free, self._play, chance)
        chosen = torch.where(serious[:, None], _without_passes(grid, states.own, policy, settled), loose)
        games.make(drawn_moves(chosen, torch.where(serious, finishing.temperature, heat), chance))

    def ended(self) -> Set:
        """The games, now that all have ended; passes made while stones were taken off do not count."""
        more = (self._before - self.set.passes).nan_to_num(0.0)
        return self.set.ended(self._finishing.outcome, more=more, cut=False)


def _likes_pass(policy: Tensor) -> Tensor:
    """Whether a pass, the last entry, is the likeliest move of each policy; ``(games,)``."""
    return policy.argmax(1) == policy.shape[1] - 1


def _without_passes(grid: Grid, own: Tensor, policy: Tensor, settled: Tensor) -> Tensor:
    """Policies without passes that would leave things unsettled.

    Args:
        grid: for the boards.
        own: the stones of the side to move, ``(games, points)``.
        policy: shape ``(games, points + 1)``.
        settled: where nothing is left to settle, ``(games,)``.
    """
    # Points amid one's own stones are eyes, mostly; to fill them settles nothing.
    free = ~grid.around(own).all(1)
    plays = functional.pad(policy[:, :-1] * free, (0, 1))
    total = plays.sum(1, keepdim=True)
    refused = (_likes_pass(policy) & ~settled)[:, None] & (total > 0)
    return torch.where(refused, plays / total, policy)
