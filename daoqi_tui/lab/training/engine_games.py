"""Many games on the engine's boards with batched network evaluation: any network, with or without ladders.

This module loops over games; decisions about them are made in :mod:`daoqi_tui.lab.training.self_play`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from daoqi_tui.ai.network.features import mask_to_array
from daoqi_tui.ai.search import HISTORY, Evaluation, Inputs, NetworkEvaluator
from daoqi_tui.ai.search.puct import Leaf, PuctSearch
from daoqi_tui.engine import BLACK, DAOQI, PASS, WHITE, Board, Colour, Rules, area, torus_of
from daoqi_tui.lab.training.batch_evaluator import BatchEvaluation
from daoqi_tui.lab.training.batch_features import BatchInputs
from daoqi_tui.lab.training.game_batch import CurrentScore, FinalScores, PositionBatch
from daoqi_tui.lab.training.gumbel import RootStatistics

_CPU: Final = torch.device("cpu")


@dataclass(slots=True)
class EngineGame:
    """One game: the board, the moves so far, and the passes in a row that led to the position."""

    board: Board
    moves: list[int] = field(default_factory=list)
    passes: int = 0

    def make(self, move: int) -> None:
        """Make a move, which may be PASS."""
        self.board.make(move)
        self.passes = self.passes + 1 if move == PASS else 0
        self.moves.append(move)

    @contextmanager
    def after(self, move: int) -> Iterator[None]:
        """Make a move for the time of a ``with`` statement."""
        passes = self.passes
        self.make(move)
        try:
            yield
        finally:
            self.board.undo()
            self.moves.pop()
            self.passes = passes

    def pass_balance(self) -> int:
        """Return the balance of the passes so far, in points for Black."""
        return self.board.passes[WHITE] - self.board.passes[BLACK]

    def encode(self, network: NetworkEvaluator, komi: float) -> Inputs:
        """Return the inputs of a network for the position."""
        return network.encode(self.board, komi, self.moves[-HISTORY:], self.passes)


class _Seen(NamedTuple):
    """One game's entries of a :class:`PositionBatch`."""

    komi: float
    inputs: Inputs
    teacher_inputs: Inputs
    plays: int
    to_move: Colour
    pass_balance: int


class EngineGames:
    """Games on the engine's boards: a :class:`~daoqi_tui.lab.training.game_batch.GameBatch`.

    Args:
        network: plays the games.
        size: points along a side.
        games: their number.
        teacher: the network whose policy is learnt; its inputs may have another format.
        rules: of the games.
    """

    device: Final = _CPU

    def __init__(
        self,
        network: NetworkEvaluator,
        size: int,
        games: int,
        teacher: NetworkEvaluator | None = None,
        *,
        rules: Rules = DAOQI,
    ) -> None:
        self.size: Final = size
        self.rules: Final = rules
        self._network: Final = network
        self._teacher: Final = teacher
        # Else the teacher's inputs are encoded separately.
        self._shares_inputs: Final = teacher is None or teacher.inputs == network.inputs
        self.games = [self._new_game() for _ in range(games)]

    def _new_game(self) -> EngineGame:
        return EngineGame(Board(torus_of(self.size), self.rules))

    def __len__(self) -> int:
        return len(self.games)

    @property
    def plies(self) -> Tensor:
        return torch.tensor([len(game.moves) for game in self.games], dtype=torch.int64)

    @property
    def over(self) -> Tensor:
        return torch.tensor([game.passes >= 2 for game in self.games], dtype=torch.bool)

    def legal_plays(self) -> Tensor:
        return self._from_masks([game.board.legal_mask() for game in self.games])

    def positions(self, komi: Tensor) -> PositionBatch:
        return self._joined([self._look(game, value) for game, value in zip(self.games, komi.tolist(), strict=True)])

    def positions_after(self, chosen: Tensor, moves: Tensor, komi: Tensor) -> PositionBatch:
        seen = []
        for index, move, value in zip(chosen.tolist(), moves.tolist(), komi.tolist(), strict=True):
            game = self.games[index]
            with game.after(self._move(move)):
                seen.append(self._look(game, value))
        return self._joined(seen)

    def _look(self, game: EngineGame, komi: float) -> _Seen:
        """Return what is seen of a game's position."""
        inputs = game.encode(self._network, komi)
        teacher_inputs = game.encode(self._teacher, komi) if self._teacher and not self._shares_inputs else inputs
        board = game.board
        return _Seen(komi, inputs, teacher_inputs, board.legal_mask(), board.to_move, game.pass_balance())

    def _joined(self, seen: Sequence[_Seen]) -> PositionBatch:
        inputs = _batched([one.inputs for one in seen])
        return PositionBatch(
            torch.tensor([one.komi for one in seen]),
            inputs,
            inputs if self._shares_inputs else _batched([one.teacher_inputs for one in seen]),
            self._from_masks([one.plays for one in seen]),
            torch.tensor([one.to_move for one in seen]),
            torch.tensor([one.pass_balance for one in seen], dtype=torch.float32),
        )

    def current_score(self, komi: Tensor) -> CurrentScore:
        boards = [game.board for game in self.games]
        margins = [area(board, value).margin for board, value in zip(boards, komi.tolist(), strict=True)]
        owned = [margin if board.to_move == BLACK else -margin for board, margin in zip(boards, margins, strict=True)]
        enclosed = self._from_masks([_enclosed(board) for board in boards])
        return CurrentScore(enclosed, torch.tensor(owned, dtype=torch.float32))

    def evaluate(self, positions: PositionBatch) -> BatchEvaluation:
        return _evaluated(self._network, positions.inputs, self.size)

    def teach(self, positions: PositionBatch) -> BatchEvaluation | None:
        return None if self._teacher is None else _evaluated(self._teacher, positions.teacher_inputs, self.size)

    def trees(
        self,
        positions: PositionBatch,
        chosen: Tensor,
        evaluation: BatchEvaluation,
        visits: int,  # noqa: ARG002 - these trees grow as they must
    ) -> EngineTrees:
        searches = []
        for row, index in enumerate(chosen.tolist()):
            game = self.games[index]
            found = Evaluation(
                evaluation.policy[row].numpy(),
                float(evaluation.win[row]),
                float(evaluation.lead[row]),
                float(evaluation.spread[row]),
                evaluation.owner[row].numpy(),
            )
            search = PuctSearch(
                game.board,
                float(positions.komi[row]),
                self._network,
                recent=game.moves,
                passes_in_row=game.passes,
                evaluation=found,
            )
            searches.append(search)
        return EngineTrees(searches)

    def scores(self, komi: Tensor, chosen: Tensor) -> FinalScores:
        games = [self.games[index] for index in chosen.tolist()]
        counts = [area(game.board, float(value)) for game, value in zip(games, komi, strict=True)]
        owners = torch.from_numpy(np.stack([np.frombuffer(count.owners, np.int8) for count in counts]))
        return FinalScores(
            torch.tensor([count.margin for count in counts], dtype=torch.float32),
            (owners == BLACK).float() - (owners == WHITE).float(),
            _pass_balances(games),
        )

    def play(self, moves: Tensor, where: Tensor | None = None) -> None:
        made = [True] * len(self) if where is None else where.tolist()
        for game, move, makes in zip(self.games, moves.tolist(), made, strict=True):
            if makes:
                game.make(self._move(move))

    def _move(self, index: int) -> int:
        return PASS if index == self.size * self.size else index

    def forget_passes(self) -> None:
        for game in self.games:
            game.passes = 0

    def restart(self, where: Tensor) -> None:
        self.games = [
            self._new_game() if restarts else game for game, restarts in zip(self.games, where.tolist(), strict=True)
        ]

    def keep(self, indices: Tensor) -> None:
        self.games = [self.games[index] for index in indices.tolist()]

    def _from_masks(self, masks: Sequence[int]) -> Tensor:
        """Return masks of points as a tensor, ``(games, points)``, bool."""
        return torch.from_numpy(np.stack([mask_to_array(mask, self.size * self.size) for mask in masks]) > 0)


class EngineTrees:
    """Search trees of several games, whose leaves are evaluated together: :class:`~.gumbel.SearchTrees`."""

    def __init__(self, searches: Sequence[PuctSearch]) -> None:
        self._searches: Final = searches
        self._points: Final = searches[0].board.torus.points
        self._moves: Final = [
            [self._points if move == PASS else int(move) for move in search.root.moves] for search in searches
        ]

    def roots(self) -> RootStatistics:
        """Return the statistics of the roots."""
        roots = [search.root for search in self._searches]
        policy, visits, value_sum = (
            self._spread([getattr(root, name) for root in roots]) for name in ("policy", "visits", "value_sum")
        )
        allowed = self._spread([np.ones(len(moves)) for moves in self._moves]) > 0
        return RootStatistics(allowed, policy, visits, value_sum, torch.tensor([root.value for root in roots]))

    def _spread(self, columns: Sequence[NDArray[Any]]) -> Tensor:
        """Scatter numbers for the moves of each root to rows of all points and the pass, ``(games, points + 1)``."""
        rows = np.zeros((len(columns), self._points + 1), np.float32)
        for row, moves, column in zip(rows, self._moves, columns, strict=True):
            row[moves] = column
        return torch.from_numpy(rows)

    def evaluate(self, first: Tensor) -> None:
        leaves: list[tuple[PuctSearch, Leaf]] = []
        for search, moves, move in zip(self._searches, self._moves, first.tolist(), strict=True):
            leaf = search.select_leaf(moves.index(move))
            if isinstance(leaf, Leaf):
                leaves.append((search, leaf))
        if leaves:
            network, size = self._searches[0].network, self._searches[0].board.torus.size
            evaluated = network.evaluate([leaf.inputs for _, leaf in leaves], size)
            for (search, leaf), evaluation in zip(leaves, evaluated, strict=True):
                search.expand(leaf, evaluation)


def _evaluated(network: NetworkEvaluator, inputs: BatchInputs, size: int) -> BatchEvaluation:
    planes = inputs.planes.transpose(1, 2).float().contiguous().numpy()
    batch = [Inputs(*each) for each in zip(planes, inputs.whole.numpy(), strict=True)]
    return batch_evaluation(network.evaluate(batch, size))


def batch_evaluation(found: Sequence[Evaluation]) -> BatchEvaluation:
    """Return evaluations of single positions as tensors."""
    win, lead, spread = (
        torch.tensor([getattr(one, name) for one in found], dtype=torch.float32) for name in ("win", "lead", "spread")
    )
    policy, owner = (torch.from_numpy(np.stack([getattr(one, name) for one in found])) for name in ("policy", "owner"))
    return BatchEvaluation(policy, win, lead, spread, owner)


def _batched(inputs: Sequence[Inputs]) -> BatchInputs:
    planes = np.stack([one.planes for one in inputs]).transpose(0, 2, 1) > 0
    return BatchInputs(torch.from_numpy(planes), torch.from_numpy(np.stack([one.whole for one in inputs])))


def _pass_balances(games: Sequence[EngineGame]) -> Tensor:
    return torch.tensor([game.pass_balance() for game in games], dtype=torch.float32)


def _enclosed(board: Board) -> int:
    """Return the mask of the points all of whose neighbours are stones of the side to move."""
    torus = board.torus
    return torus.full & ~torus.dilate(torus.full & ~board.stones(board.to_move))
