"""Games in which the network searches, as :mod:`daoqi_tui.training.search_play`, by the thousand in tensors.

A move of all games at once gets a full search or a quick one. Games are played in sets, each to the end of its last
game: had what games end early been learnt from first, short games would be learnt from too much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from daoqi_tui.engine import BLACK
from daoqi_tui.training.areas import areas_of
from daoqi_tui.training.batch_gumbel import GumbelRoots
from daoqi_tui.training.batch_judge import BatchJudge, drawn_moves
from daoqi_tui.training.batch_plans import Plans, chance_on
from daoqi_tui.training.batch_positions import Packed, packed, positions_from
from daoqi_tui.training.batch_tree import BatchTree
from daoqi_tui.training.boards import Boards
from daoqi_tui.training.positions import Positions
from daoqi_tui.training.raw_play import RawPlay
from daoqi_tui.training.settings import Searching


@dataclass(frozen=True, slots=True)
class _Found:
    """Positions searched in full: of which games, how they were seen, who was to move, the policy and win found."""

    game: Tensor
    looks: Packed
    to_move: Tensor
    policy: Tensor
    win: Tensor


@dataclass(frozen=True, slots=True)
class Set:
    """Games that were played to their end.

    Attributes:
        positions: what there is to learn from, None where no position was searched in full.
        game: of which game each position is, in the order of play; ``(positions,)``.
        komi: points for White in each game, ``(games,)``.
        moves: of each game, ``points`` for a pass, and -1 after its end; ``(games, moves)``.
    """

    positions: Positions | None
    game: Tensor
    komi: Tensor
    moves: Tensor


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
    games = _Games(judge, searching, play, chance_on(judge.device, rng), Boards(boards, size, judge.device))
    while len(games.boards):
        games.move(full=bool(rng.random() < searching.full))
    return games.ended()


class _Games:
    """Games under way; those that end are dropped, their results kept.

    Args:
        judge, searching, play: as in :func:`search_set`.
        chance: where it is from.
        boards: the games.
    """

    def __init__(
        self, judge: BatchJudge, searching: Searching, play: RawPlay, chance: torch.Generator, boards: Boards
    ) -> None:
        self.boards = boards
        self._judge = judge
        self._searching = searching
        self._temperature = play.opening_temperature
        self._chance = chance
        device, count, grid = judge.device, len(boards), boards.grid
        self._plans = Plans(count, grid.size, play, chance)
        self._komi = self._plans.komi
        # Which of the games that began together each of those still under way is.
        self._numbers = torch.arange(count, device=device)
        self._moves = torch.full((count, self._plans.longest), -1, dtype=torch.int16, device=device)
        self._margins = torch.zeros(count, device=device)
        self._black = torch.zeros((count, grid.points), device=device)
        self._found: list[_Found] = []

    def move(self, *, full: bool) -> None:
        """Make a move in each game, after a full search or a quick one."""
        boards, numbers, plans = self.boards, self._numbers, self._plans
        move = self._choose(full=full)
        self._moves[numbers, boards.plies] = move.to(torch.int16)
        boards.play(move)
        over = boards.states.over | (boards.plies >= plans.longest)
        if not over.any():
            return
        count = areas_of(boards.grid, boards.states)
        self._margins[numbers[over]] = count.margin(boards.states.passes, plans.komi)[over]
        self._black[numbers[over]] = count.black[over]
        left = (~over).nonzero()[:, 0]
        self._numbers = numbers[left]
        boards.keep(left)
        plans.keep(left)

    def _choose(self, *, full: bool) -> Tensor:
        """The next moves; what a full search finds of positions past their opening is noted."""
        searching, chance, plans = self._searching, self._chance, self._plans
        opening = self.boards.plies < plans.free
        searched = not bool(opening.all())
        visits = (searching.visits if full else searching.quick_visits) if searched else 0
        tree = BatchTree(self._judge, self.boards, plans.komi, visits)
        free = drawn_moves(tree.policy[:, 0], torch.full_like(plans.komi, self._temperature), chance)
        if not searched:
            return free
        gumbel = GumbelRoots(tree, visits, searching.considered, chance if full else None)
        gumbel.search()
        best = gumbel.best()
        if full:
            past, looks, to_move = ~opening, packed(tree.looks), self.boards.states.to_move
            looks = Packed(looks.planes[past], looks.whole[past])
            self._found.append(
                _Found(self._numbers[past], looks, to_move[past], gumbel.policy()[past], gumbel.rates(best)[past])
            )
        return torch.where(opening, free, best)

    def ended(self) -> Set:
        """The games, now that all have ended."""
        found = self._found
        positions = _lessons(found, self._margins, self._black, self._searching.outcome) if found else None
        game = torch.cat([part.game for part in found]) if found else self._numbers
        return Set(positions, game, self._komi, self._moves)


def _lessons(found: list[_Found], margins: Tensor, black: Tensor, outcome: float) -> Positions:
    """What the ends of the games say of each position that was searched in full.

    Args:
        found: the positions.
        margins: Black's points less White's, ``(games,)``.
        black: 1 for Black's points, -1 for White's; ``(games, points)``.
        outcome: how much of the value to be learnt is the game's outcome.
    """
    game = torch.cat([part.game for part in found])
    is_black = torch.cat([part.to_move for part in found]) == BLACK
    sign = torch.where(is_black, 1.0, -1.0)
    won = ((margins[game] > 0) == is_black).float()
    win = outcome * won + (1.0 - outcome) * torch.cat([part.win for part in found])
    value = torch.stack((win, sign * margins[game], torch.full_like(win, -1.0)), dim=1)
    looks = Packed(torch.cat([part.looks.planes for part in found]), torch.cat([part.looks.whole for part in found]))
    return positions_from(looks, torch.cat([part.policy for part in found]), value, sign[:, None] * black[game])
