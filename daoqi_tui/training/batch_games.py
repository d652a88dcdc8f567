"""Sets of games in tensors, each played to the end of its last game, and what their ends say of what was seen.

Had what games end early been learnt from first, short games would be learnt from too much.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from daoqi_tui.engine import BLACK
from daoqi_tui.training.areas import areas_of
from daoqi_tui.training.batch_plans import Plans
from daoqi_tui.training.batch_positions import Packed, positions_from
from daoqi_tui.training.boards import Boards
from daoqi_tui.training.positions import Positions
from daoqi_tui.training.states import States


@dataclass(frozen=True, slots=True)
class Seen:
    """Positions to be learnt from: :class:`daoqi_tui.training.endings.Seen` as tensors, with the game of each.

    Attributes:
        game: of the games that began together, ``(positions,)``.
        looks: how they were seen.
        to_move: who was to move.
        policy: shape ``(positions, points + 1)``.
        win: the chance to win that was thought.
    """

    game: Tensor
    looks: Packed
    to_move: Tensor
    policy: Tensor
    win: Tensor


@dataclass(frozen=True, slots=True)
class Set:
    """Games that were played to their end.

    Attributes:
        positions: what there is to learn from, None where nothing was noted.
        game: of which game each position is, in the order of play; ``(positions,)``.
        komi: points for White in each game, ``(games,)``.
        moves: of each game, ``points`` for a pass, and -1 after its end; ``(games, moves)``.
    """

    positions: Positions | None
    game: Tensor
    komi: Tensor
    moves: Tensor


class GameSet:
    """Games under way; those that end are dropped, their results kept.

    Args:
        boards: the games.
        plans: what is settled of them.

    Attributes:
        numbers: which of the games that began together each of those still under way is, ``(games,)``.
        passes: what the passes of each game that has ended were worth to Black, ``(games,)``.
    """

    def __init__(self, boards: Boards, plans: Plans) -> None:
        self.boards = boards
        self.plans = plans
        device, count, points = boards.grid.device, len(boards), boards.grid.points
        self.numbers = torch.arange(count, device=device)
        self.passes = torch.zeros(count, device=device)
        self._komi = plans.komi
        self._moves = torch.full((count, plans.longest), -1, dtype=torch.int16, device=device)
        self._margins = torch.zeros(count, device=device)
        self._black = torch.zeros((count, points), device=device)
        self._settled = torch.zeros(count, dtype=torch.bool, device=device)
        self._seen: list[Seen] = []

    def note(self, seen: Seen) -> None:
        """Learn from some positions when their games have ended."""
        self._seen.append(seen)

    def make(self, move: Tensor) -> None:
        """Make a move in each game, ``(games,)``."""
        boards, numbers, plans = self.boards, self.numbers, self.plans
        self._moves[numbers, boards.plies] = move.to(torch.int16)
        boards.play(move)
        over = boards.states.over | (boards.plies >= plans.longest)
        if over.any():
            count = areas_of(boards.grid, boards.states)
            self._margins[numbers[over]] = count.margin(boards.states.passes, plans.komi)[over]
            self._black[numbers[over]] = count.black[over]
            self._settled[numbers[over]] = boards.states.over[over]
            self.passes[numbers[over]] = worth_of_passes(boards.states)[over]
        left = (~over).nonzero()[:, 0]
        if len(left) < len(numbers):
            self.numbers = numbers[left]
            boards.keep(left)
            plans.keep(left)

    def ended(self, outcome: float, *, more: Tensor) -> Set:
        """The games, now that all have ended; from those that were cut off nothing is learnt.

        Args:
            outcome: how much of the chance to win to be learnt is the game's outcome; the rest is what was thought.
            more: points added to Black's margin in each game, ``(games,)``.
        """
        seen = self._seen
        game = torch.cat([part.game for part in seen]) if seen else self.numbers[:0]
        learnt = self._settled[game]
        game = game[learnt]
        if not len(game):
            return Set(None, game, self._komi, self._moves)
        margins = (self._margins + more)[game]
        is_black = torch.cat([part.to_move for part in seen])[learnt] == BLACK
        sign = torch.where(is_black, 1.0, -1.0)
        won = ((margins > 0) == is_black).float()
        win = outcome * won + (1.0 - outcome) * torch.cat([part.win for part in seen])[learnt]
        value = torch.stack((win, sign * margins, torch.full_like(win, -1.0)), dim=1)
        planes, whole = (torch.cat([getattr(part.looks, name) for part in seen])[learnt] for name in Packed.__slots__)
        policy = torch.cat([part.policy for part in seen])[learnt]
        owner = sign[:, None] * self._black[game]
        return Set(positions_from(Packed(planes, whole), policy, value, owner), game, self._komi, self._moves)


def worth_of_passes(states: States) -> Tensor:
    """What the passes so far are worth to Black, ``(games,)``."""
    return (states.passes[:, 1] - states.passes[:, 0]).float()
