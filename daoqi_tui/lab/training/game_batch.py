"""The interface that self-play needs from many simultaneous games: rules, network inputs and evaluations, search.

:class:`~daoqi_tui.lab.training.engine_games.EngineGames` plays them on the engine's boards, with any network;
:class:`~daoqi_tui.lab.training.tensor_games.TensorGames` in tensors, by the thousand on a GPU. All decisions about
games are made by :mod:`daoqi_tui.lab.training.self_play`, which drives either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import torch
from torch import Tensor

from daoqi_tui.engine import Rules
from daoqi_tui.lab.training.batch_evaluator import BatchEvaluation
from daoqi_tui.lab.training.batch_features import BatchInputs
from daoqi_tui.lab.training.gumbel import SearchTrees


@dataclass(frozen=True, slots=True)
class PositionBatch:
    """The positions of many games, as needed by self-play. The first dimension of all tensors is the games.

    Attributes:
        komi: points for White, ``(games,)``, float32.
        inputs: of the playing network.
        teacher_inputs: inputs of the teacher, the same unless its format differs.
        plays: the legal plays, ``(games, points)``, bool.
        to_move: BLACK or WHITE, ``(games,)``, int64.
        pass_balance: the balance of the passes so far, in points for Black, ``(games,)``, float32.
    """

    komi: Tensor
    inputs: BatchInputs
    teacher_inputs: BatchInputs
    plays: Tensor
    to_move: Tensor
    pass_balance: Tensor

    def taken(self, chosen: Tensor) -> Self:
        """Return the positions at ``chosen``, a mask or indices."""
        inputs = self.inputs.taken(chosen)
        teacher_inputs = inputs if self.teacher_inputs is self.inputs else self.teacher_inputs.taken(chosen)
        others = {
            name: getattr(self, name)[chosen] for name in self.__slots__ if name not in ("inputs", "teacher_inputs")
        }
        return type(self)(inputs=inputs, teacher_inputs=teacher_inputs, **others)


@dataclass(frozen=True, slots=True)
class CurrentScore:
    """How far the boards of many games are settled, as needed to decide on a pass.

    Attributes:
        enclosed: points all of whose neighbours are stones of the side to move, ``(games, points)``, bool.
        margin: the area of the side to move minus the opponent's on the current board, with komi and passes;
            ``(games,)``, float32.
    """

    enclosed: Tensor
    margin: Tensor

    def taken(self, chosen: Tensor) -> Self:
        """Return those of the games at ``chosen``, a mask or indices."""
        return type(self)(self.enclosed[chosen], self.margin[chosen])


@dataclass(frozen=True, slots=True)
class FinalScores:
    """The area scores of games.

    Attributes:
        margin: Black's points minus White's, ``(games,)``, float32.
        black: 1 for Black's points, −1 for White's, 0 for nobody's; ``(games, points)``, float32.
        pass_balance: the balance of the passes, in points for Black, ``(games,)``, float32.
    """

    margin: Tensor
    black: Tensor
    pass_balance: Tensor


class GameBatch(Protocol):
    """Simultaneous games on boards of one size, and the network that plays them."""

    @property
    def size(self) -> int:
        """The number of points along a side."""

    @property
    def rules(self) -> Rules:
        """The rules of the games; komi is given where it is needed."""

    @property
    def device(self) -> torch.device:
        """The device of all tensors."""

    @property
    def plies(self) -> Tensor:
        """The number of moves in each game, ``(games,)``, int64."""

    @property
    def over(self) -> Tensor:
        """A mask of the games ended by two passes in a row, ``(games,)``, bool."""

    def __len__(self) -> int:
        """Return the number of games."""

    def legal_plays(self) -> Tensor:
        """Return where the side to move may play, ``(games, points)``, bool; a pass is always legal."""

    def positions(self, komi: Tensor) -> PositionBatch:
        """Return the positions, with ``komi`` points for White in each game, ``(games,)``."""

    def positions_after(self, chosen: Tensor, moves: Tensor, komi: Tensor) -> PositionBatch:
        """Return the positions after a legal move in each game at the indices ``chosen``, which may repeat.

        The games stay as they are. ``moves`` and ``komi`` have an entry for each index.
        """

    def current_score(self, komi: Tensor) -> CurrentScore:
        """Return how far the boards are settled, with ``komi`` points for White in each game."""

    def evaluate(self, positions: PositionBatch) -> BatchEvaluation:
        """Return the network's evaluation of positions."""

    def teach(self, positions: PositionBatch) -> BatchEvaluation | None:
        """Return the teacher's evaluation of positions; None without a teacher."""

    def trees(self, positions: PositionBatch, chosen: Tensor, evaluation: BatchEvaluation, visits: int) -> SearchTrees:
        """Return search trees for some of the games.

        Args:
            positions: of these games.
            chosen: their indices.
            evaluation: of their positions.
            visits: the required capacity in evaluations.
        """

    def scores(self, komi: Tensor, chosen: Tensor) -> FinalScores:
        """Return the scores of the current boards of the games at the indices ``chosen``, with their ``komi``."""

    def play(self, moves: Tensor, where: Tensor | None = None) -> None:
        """Make one legal move in each game, or in the games ``where``; the number of points stands for a pass."""

    def forget_passes(self) -> None:
        """Reset the consecutive passes, so that another pass does not end the game."""

    def restart(self, where: Tensor) -> None:
        """Restart the games ``where``, a mask, on empty boards."""

    def keep(self, indices: Tensor) -> None:
        """Keep only the games at ``indices``."""
