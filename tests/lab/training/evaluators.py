"""Fake networks that evaluate quickly, and games played by them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from daoqi_tui.ai.network.features import KOMI, MINE, THEIRS, Features
from daoqi_tui.ai.network.network import LoadedNetwork
from daoqi_tui.ai.search import Evaluation, Inputs, NetworkEvaluator
from daoqi_tui.engine import Board

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
from daoqi_tui.lab.training.batch_evaluator import BatchEvaluation  # noqa: E402
from daoqi_tui.lab.training.batch_features import BatchInputs  # noqa: E402
from daoqi_tui.lab.training.engine_games import EngineGames, batch_evaluation  # noqa: E402
from daoqi_tui.lab.training.tensor_games import TensorGames  # noqa: E402


class WithoutRaces(LoadedNetwork):
    """A network that reads no races, as those of games in tensors do not."""

    def encode(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Inputs:
        return super().encode(board, komi, recent, passes_in_row)._replace(races=())


class Even:
    """A fake network with a uniform policy and even evaluations; it records the sizes of its batches."""

    name = "even"
    inputs = (8, "no ladders")

    def __init__(self) -> None:
        self._features = Features(8, ladders=False)
        self.batches: list[int] = []

    def encode(self, board: Board, komi: float, recent: Sequence[int], passes_in_row: int) -> Inputs:
        return self._features.encode(board, komi, recent, passes_in_row)

    def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
        self.batches.append(len(batch))
        points = size * size
        policy = np.full(points + 1, 1.0 / (points + 1), np.float32)
        return [Evaluation(policy, 0.5, 0.0, 1.0, np.zeros(points, np.float32)) for _ in batch]


class Counting:
    """A fake batch evaluator with a uniform policy and, by default, even evaluations; it records its batch sizes.

    Args:
        black: Black's win rate. The side to move is found by the sign of the komi feature.
        stones: how strongly the win rate depends on the difference in stones.
    """

    device = torch.device("cpu")

    def __init__(self, black: float = 0.5, stones: float = 0.0) -> None:
        self.asked: list[int] = []
        self._black = black
        self._stones = stones

    def evaluate(self, inputs: BatchInputs, size: int) -> BatchEvaluation:
        count, points = len(inputs.whole), size * size
        self.asked.append(count)
        nothing = torch.zeros(count)
        win = torch.where(inputs.whole[:, KOMI] > 0, 1 - self._black, self._black)
        ahead = (inputs.planes[:, MINE].float() - inputs.planes[:, THEIRS].float()).mean(1)
        win = (win + self._stones * ahead / 2).clamp(0, 1)
        policy = torch.full((count, points + 1), 1 / (points + 1))
        return BatchEvaluation(policy, win, nothing, nothing + 1, torch.zeros(count, points))


class InTensors:
    """A batch evaluator made of a network for single positions."""

    device = torch.device("cpu")

    def __init__(self, network: NetworkEvaluator) -> None:
        self._network = network

    def evaluate(self, inputs: BatchInputs, size: int) -> BatchEvaluation:
        planes = inputs.planes.transpose(1, 2).float().contiguous().numpy()
        batch = [Inputs(*each) for each in zip(planes, inputs.whole.numpy(), strict=True)]
        return batch_evaluation(self._network.evaluate(batch, size))


def engine_games(
    network: NetworkEvaluator, size: int, games: int, teacher: NetworkEvaluator | None = None
) -> EngineGames:
    """Return games on the engine's boards."""
    return EngineGames(network, size, games, teacher)


def tensor_games(
    network: NetworkEvaluator, size: int, games: int, teacher: NetworkEvaluator | None = None
) -> TensorGames:
    """Return games in tensors, played by the same networks."""
    return TensorGames(InTensors(network), size, games, None if teacher is None else InTensors(teacher))


BEGIN = pytest.mark.parametrize("begin", [engine_games, tensor_games])
"""Runs a test with both kinds of games."""


def seeded(seed: int) -> object:
    """Return a torch generator."""
    return torch.Generator().manual_seed(seed)
