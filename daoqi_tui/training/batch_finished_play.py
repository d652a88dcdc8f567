"""Games played until nothing is left to settle, as :mod:`~daoqi_tui.training.finished_play`, by the thousand."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    games = FinishedGames(
        judge, Boards(boards, size, judge.device), play, finishing, chance=chance_on(judge.device, rng)
    )
    while len(games.set.boards):
        games.move(teacher)
    return games.ended(finishing.outcome)


@dataclass(frozen=True, slots=True)
class Thoughts:
    """What the network thinks of each game.

    Attributes:
        looks: how it saw them.
        plays: where may be played, ``(games, points)``.
        policy: of legal moves, ``(games, points + 1)``.
        win: for the side to move.
        settled: whether that side gets, by the count as it stands, what it is thought to get.
        serious: whether the game is played as well as the network can.
    """

    looks: Looks
    plays: Tensor
    policy: Tensor
    win: Tensor
    settled: Tensor
    serious: Tensor


class FinishedGames:
    """Games under way: first they go astray, then they are played as well as the network can.

    Args:
        judge: the network.
        boards: where they begin.
        play: openings, komi, and how games go astray.
        finishing: how far they go astray, and their length.
        chance: where it is from.

    Attributes:
        set: the games.
    """

    def __init__(
        self, judge: BatchJudge, boards: Boards, play: RawPlay, finishing: Finishing, *, chance: torch.Generator
    ) -> None:
        grid, count, device = boards.grid, len(boards), judge.device
        plans = Plans(count, grid.size, replace(play, longest=finishing.longest), chance)
        self.set = GameSet(boards, plans)
        self._judge = judge
        self._play = play
        self._finishing = finishing
        self._chance = chance
        most = 1 + round(finishing.astray * grid.points)
        self._astray = torch.randint(most, (count,), generator=chance, device=device)
        # What passes were worth to Black when the first was thought of, nothing where none was.
        self._before = torch.full((count,), torch.nan, device=device)

    def move(self, teacher: BatchJudge | None) -> None:
        """Make a move in each game; what is seen of some is noted, with the teacher's policy or else its own."""
        thoughts, size = self.think(), self.set.boards.grid.size
        noted = thoughts.serious & self.happens(self._finishing.noted)
        if noted.any():
            taught = thoughts.policy[noted]
            if teacher is not None:
                found = teacher.judge(thoughts.looks.taken(noted), size)
                taught = legal_policies(found.policy, thoughts.plays[noted])
            policy = thoughts.policy.masked_scatter(noted[:, None], taught)
            self.note(noted, thoughts, self.without_passes(policy, thoughts), thoughts.win)
        self.make(thoughts)

    def happens(self, chance: float | Tensor) -> Tensor:
        """Whether something of this chance happens in each game."""
        boards = self.set.boards
        return torch.rand(len(boards), generator=self._chance, device=boards.grid.device) < chance

    def think(self) -> Thoughts:
        """Ask the network."""
        games = self.set
        boards, plans = games.boards, games.plans
        states, grid, plays = boards.states, boards.grid, boards.legal().plays
        areas = areas_of(grid, states)
        looks = looks_of(grid, states, boards.chains, plays, areas, komi=plans.komi)
        judged = self._judge.judge(looks, grid.size)
        margin = areas.margin(states.passes, plans.komi)
        settled = margin.where(states.to_move == BLACK, -margin) >= judged.lead - SLACK
        serious = boards.plies >= self._astray[games.numbers]
        return Thoughts(looks, plays, legal_policies(judged.policy, plays), judged.win, settled, serious)

    def without_passes(self, policy: Tensor, thoughts: Thoughts) -> Tensor:
        """Policies without passes that would leave things unsettled; ``(games, points + 1)``."""
        boards = self.set.boards
        # Points amid one's own stones are eyes, mostly; to fill them settles nothing.
        free = ~boards.grid.around(boards.states.own).all(1)
        plays = functional.pad(policy[:, :-1] * free, (0, 1))
        total = plays.sum(1, keepdim=True)
        refused = (_likes_pass(policy) & ~thoughts.settled)[:, None] & (total > 0)
        return torch.where(refused, plays / total, policy)

    def note(self, noted: Tensor, thoughts: Thoughts, policy: Tensor, win: Tensor) -> None:
        """Learn from some games' positions when they have ended: what of the policy, and what chance was thought."""
        games, seen = self.set, packed(thoughts.looks.taken(noted))
        games.note(Seen(games.numbers[noted], seen, games.boards.states.to_move[noted], policy[noted], win[noted]))

    def make(self, thoughts: Thoughts, found: Tensor | None = None) -> None:
        """Make a move in each game; ``found`` are those that a search found, for the serious ones, ``(games,)``."""
        games, chance = self.set, self._chance
        boards, numbers, serious = games.boards, games.numbers, thoughts.serious
        first = self._before[numbers]
        begins = serious & _likes_pass(thoughts.policy) & first.isnan()
        self._before[numbers] = torch.where(begins, worth_of_passes(boards.states), first)
        opening = boards.plies < games.plans.free
        loose, heat = loosened(thoughts.policy, thoughts.plays, opening, self._play, chance)
        chosen = torch.where(serious[:, None], self.without_passes(thoughts.policy, thoughts), loose)
        moves = drawn_moves(chosen, torch.where(serious, self._finishing.temperature, heat), chance)
        games.make(moves if found is None else torch.where(serious, found, moves))

    def ended(self, outcome: float) -> Set:
        """The games, now that all have ended; passes made while stones were taken off do not count.

        Args:
            outcome: how much of the chance to win to be learnt is the game's outcome; the rest is what was thought.
        """
        more = (self._before - self.set.passes).nan_to_num(0.0)
        return self.set.ended(outcome, more=more)


def _likes_pass(policy: Tensor) -> Tensor:
    """Whether a pass, the last entry, is the likeliest move of each policy; ``(games,)``."""
    return policy.argmax(1) == policy.shape[1] - 1
