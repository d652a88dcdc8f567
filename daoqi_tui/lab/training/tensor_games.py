"""Many games in tensors on one device, from the rules to the search trees, without a loop over games."""

from __future__ import annotations

from copy import copy
from typing import Final

import torch
from torch import Tensor

from daoqi_tui.engine import BLACK, DAOQI, Rules
from daoqi_tui.lab.training.batch_evaluator import BatchEvaluation, BatchEvaluator
from daoqi_tui.lab.training.batch_features import inputs_of
from daoqi_tui.lab.training.batch_tree import BatchTree
from daoqi_tui.lab.training.boards import Boards
from daoqi_tui.lab.training.game_batch import CurrentScore, FinalScores, PositionBatch


class TensorGames:
    """Games in tensors: a :class:`~daoqi_tui.lab.training.game_batch.GameBatch`.

    Args:
        network: plays the games, on its device.
        size: points along a side.
        games: their number.
        teacher: the network whose policy is learnt, on the same device.
        room: the initial capacity in moves, as for :class:`Boards`.
        rules: of the games.
    """

    def __init__(
        self,
        network: BatchEvaluator,
        size: int,
        games: int,
        teacher: BatchEvaluator | None = None,
        room: int = 0,
        *,
        rules: Rules = DAOQI,
    ) -> None:
        self.size: Final = size
        self.device: Final = network.device
        self._network: Final = network
        self._teacher: Final = teacher
        self.rules: Final = rules
        self.boards = Boards(games, size, network.device, room, rules=rules)

    def __len__(self) -> int:
        return len(self.boards)

    @property
    def plies(self) -> Tensor:
        return self.boards.plies

    @property
    def over(self) -> Tensor:
        return self.boards.states.over

    def legal_plays(self) -> Tensor:
        return self.boards.legal().plays

    def positions(self, komi: Tensor) -> PositionBatch:
        return _positions(self.boards, komi)

    def positions_after(self, chosen: Tensor, moves: Tensor, komi: Tensor) -> PositionBatch:
        boards = self._taken(chosen)
        boards.play(moves)
        return _positions(boards, komi)

    def current_score(self, komi: Tensor) -> CurrentScore:
        grid, states = self.boards.grid, self.boards.states
        black = self.boards.areas.margin(states.passes, komi)
        return CurrentScore(grid.around(states.own).all(1), black.where(states.to_move == BLACK, -black))

    def evaluate(self, positions: PositionBatch) -> BatchEvaluation:
        return self._network.evaluate(positions.inputs, self.size)

    def teach(self, positions: PositionBatch) -> BatchEvaluation | None:
        """Return the teacher's targets; the teacher has the same inputs as the network."""
        return None if self._teacher is None else self._teacher.evaluate(positions.teacher_inputs, self.size)

    def trees(self, positions: PositionBatch, chosen: Tensor, evaluation: BatchEvaluation, visits: int) -> BatchTree:
        return BatchTree(self._network, self._taken(chosen), positions.komi, visits, evaluation=evaluation)

    def scores(self, komi: Tensor, chosen: Tensor) -> FinalScores:
        boards = self._taken(chosen)
        areas, passes = boards.areas, boards.states.passes
        return FinalScores(areas.margin(passes, komi), areas.black, _pass_balance(passes))

    def play(self, moves: Tensor, where: Tensor | None = None) -> None:
        self.boards.play(moves, where)

    def forget_passes(self) -> None:
        self.boards.forget_passes(torch.ones_like(self.over))

    def restart(self, where: Tensor) -> None:
        self.boards.restart(where)

    def keep(self, indices: Tensor) -> None:
        self.boards.keep(indices)

    def _taken(self, indices: Tensor) -> Boards:
        boards = copy(self.boards)
        boards.keep(indices)
        return boards


def _positions(boards: Boards, komi: Tensor) -> PositionBatch:
    grid, states, legal = boards.grid, boards.states, boards.legal()
    inputs = inputs_of(grid, states, boards.chains, legal.banned, boards.areas, komi=komi)
    return PositionBatch(komi, inputs, inputs, legal.plays, states.to_move, _pass_balance(states.passes))


def _pass_balance(passes: Tensor) -> Tensor:
    return (passes[:, 1] - passes[:, 0]).float()
