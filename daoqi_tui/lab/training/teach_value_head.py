"""Teaches a new value head the values of a stronger network; the trunk and the policy of the network stay the same.

``python -m daoqi_tui.lab.training.teach_value_head NET TEACHER FOLDER… --out FILE`` reads a network, a stronger one and
positions of finished games. What the value head sees of a position, the tip of the trunk, is computed once, so that
learning takes minutes: the head gets more channels than it had and learns win rate, lead and ownership, those of the
teacher and of the games' ends. Each position is seen at the komi of its game and at one drawn at random.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import not_
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from daoqi_tui.ai.compiled import compile_all
from daoqi_tui.ai.nets import COUNTING, compiled_runner_of, read
from daoqi_tui.ai.network import Counting, NetError
from daoqi_tui.ai.network.features import KOMI, LAYOUTS, MINE, THEIRS
from daoqi_tui.ai.network.layout import Floats, Grid, Workspace
from daoqi_tui.ai.network.network import (
    LEAD,
    Filter,
    Network,
    Norm,
    Outputs,
    Parameters,
    Runner,
    ValueHead,
    counted,
)
from daoqi_tui.ai.network.torch_network import value_features
from daoqi_tui.ai.player import KERNELS
from daoqi_tui.ai.search import Evaluation
from daoqi_tui.lab.training.batch_features import FORMAT
from daoqi_tui.lab.training.fit_value_head import BATCH, Komi, TooFewPositions, UnfinishedGames
from daoqi_tui.lab.training.learn import entropies_beyond, value_losses
from daoqi_tui.lab.training.model import POOLED_FEATURES, SCORES, VALUES, matrix_of, numbers_of, set_matrix
from daoqi_tui.lab.training.network_file import write_with_value_head
from daoqi_tui.lab.training.positions import Positions, files, load

OPEN: Final = (0.04, 0.12)
"""The shares of points with stones up to which the targets are the network's own and from which on the teacher's: the
values of networks for flat boards mean nothing on a nearly empty torus."""
RATE: Final = 1.5e-3
"""The learning rate of AdamW at first; it falls to zero."""
_LEARNT: Final = 64
"""Positions in a batch that is learnt from, on boards of one size."""
_HELD_OUT: Final = (4, 5)
"""Of each 20 lots of positions those that are held out for testing."""
_UNIT: Final = LAYOUTS[FORMAT].komi_unit


class TipNetwork(Network):
    """A network that remembers the tip of its trunk, ``(boards, points, channels)``, of what it computed last."""

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self.tips: list[NDArray[np.float16]] = []

    def _value(self, tip: Floats, grid: Grid, work: Workspace) -> tuple[Floats, Floats, Floats]:
        self.tips.append(grid.to_boards(tip).astype(np.float16))
        return super()._value(tip, grid, work)


@dataclass(frozen=True, slots=True)
class TaughtPositions:
    """Positions on boards of one size as the value head sees them, and what it learns.

    Attributes:
        size: points along a side.
        tips: the tip of the trunk, ``(positions, points, channels)``, float16.
        value: win rate, lead in points, and −1, ``(positions, 3)``.
        owner: from −1 to 1, ``(positions, points)``.
    """

    size: int
    tips: NDArray[np.float16]
    value: Floats
    owner: Floats

    def __len__(self) -> int:
        return len(self.value)


@dataclass(frozen=True, slots=True)
class Teaching:
    """How targets are made.

    Attributes:
        network: whose value head is taught.
        teacher: whose values it learns.
        counting: the shares of points counted by ownership in the network's own values.
        share: of the networks in the targets; the rest is the end of the game.
        komi: draws other komis.
    """

    network: TipNetwork
    teacher: Runner
    counting: Counting
    share: float
    komi: Komi

    def taught(self, lots: Iterator[Positions]) -> Iterator[TaughtPositions]:
        """Yield what is learnt of positions of finished games.

        Raises:
            UnfinishedGames: a value is no outcome.
        """
        for every in lots:
            lot = every.taken(np.flatnonzero(every.value[:, 0] >= 0))
            if not len(lot):
                continue
            planes = lot.planes_of().reshape(len(lot), int(lot.size) ** 2, -1)
            tips, own = self._own(lot, planes)
            even = self.komi.drawn(lot, np.tanh(own.ownership).sum(axis=1))
            yield self._targets(lot, planes, tips, own)
            other = even[int(self.komi.rng.random() < 0.5)]
            yield self._targets(other, planes, *self._own(other, planes))

    def _own(self, lot: Positions, planes: Floats) -> tuple[NDArray[np.float16], Outputs]:
        self.network.tips = []
        outputs = self.network.run(planes, lot.whole, int(lot.size))
        return np.concatenate(self.network.tips), outputs

    def _targets(self, lot: Positions, planes: Floats, tips: NDArray[np.float16], own: Outputs) -> TaughtPositions:
        theirs = self.teacher.run(planes, lot.whole, int(lot.size))
        filled = planes[:, :, [MINE, THEIRS]].sum((1, 2)) / planes.shape[1]
        by_teacher = np.interp(filled, OPEN, (0.0, 1.0)).astype(np.float32)
        networks = by_teacher[:, None] * _values(theirs) + (1.0 - by_teacher[:, None]) * self._counted(lot, own)
        value = self.share * networks + (1.0 - self.share) * lot.value[:, :2]
        owners = by_teacher[:, None] * np.tanh(theirs.ownership) + (1.0 - by_teacher[:, None]) * np.tanh(own.ownership)
        owner = self.share * owners + (1.0 - self.share) * lot.owner / 127
        unknown = np.full((len(lot), 1), -1.0)
        return TaughtPositions(
            int(lot.size), tips, np.hstack((value, unknown)).astype(np.float32), owner.astype(np.float32)
        )

    def _counted(self, lot: Positions, own: Outputs) -> Floats:
        """Return the network's own values with its counting, ``(positions, 2)``."""
        value, owner, beside = _values(own), np.tanh(own.ownership), lot.whole[:, KOMI] * _UNIT
        nothing = np.zeros(0, np.float32)
        found = [
            counted(Evaluation(nothing, float(win), float(lead), 0.0, points), float(extra), self.counting)
            for (win, lead), points, extra in zip(value, owner, beside, strict=True)
        ]
        return np.array([(one.win, one.lead) for one in found], np.float32).reshape(-1, 2)


def _values(outputs: Outputs) -> Floats:
    """Return win rates and leads in points, ``(positions, 2)``."""
    wins = 1.0 / (1.0 + np.exp(outputs.value[:, 1] - outputs.value[:, 0]))
    return np.stack((wins, outputs.score[:, LEAD] * _UNIT), axis=1)


class NewHead(nn.Module):
    """A value head on the tip of a trunk, which begins as another one with fewer channels.

    Args:
        head: the other one.
        channels: of the convolution, at least as many as it has.
        hidden: width of the hidden layer, at least as much as it has.
    """

    def __init__(self, head: ValueHead, channels: int, hidden: int) -> None:
        super().__init__()
        given, had = head.conv.weights.shape[2:]
        self.conv = nn.Linear(given, channels, bias=False)
        self.scale = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.hidden = nn.Linear(POOLED_FEATURES * channels, hidden)
        self.value = nn.Linear(hidden, VALUES)
        self.score = nn.Linear(hidden, SCORES)
        self.ownership = nn.Linear(channels, 1, bias=False)
        self._head = head
        with torch.no_grad():
            self.conv.weight[:had] = torch.from_numpy(np.ascontiguousarray(head.conv.weights[0, 0].T))
            self.scale[:had], self.bias[:had] = (torch.from_numpy(part) for part in (head.norm.scale, head.norm.bias))
            # New channels and units change nothing at first.
            set_matrix(self.hidden, *_wider(head, channels, hidden))
            for layer, weights, bias in (
                (self.value, head.value, head.value_bias),
                (self.score, head.score, head.score_bias),
            ):
                set_matrix(
                    layer, np.vstack((weights, np.zeros((hidden - len(weights), weights.shape[1]), np.float32))), bias
                )
            owner = np.zeros((channels, 1), np.float32)
            owner[:had] = head.ownership.weights[0, 0]
            set_matrix(self.ownership, owner)

    def forward(self, tips: Tensor, size: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return value, score and ownership for tips ``(boards, points, channels)``."""
        inner = functional.relu(self.conv(tips) * self.scale + self.bias)
        hidden = functional.relu(self.hidden(value_features(inner.mean(dim=1), size)))
        return self.value(hidden), self.score(hidden), self.ownership(inner)[:, :, 0]

    def losses(self, taught: TaughtPositions, chosen: NDArray[np.int_]) -> tuple[Tensor, Tensor, Tensor]:
        """Return the mean losses of win rate, lead and ownership of some positions."""
        wins, scores, owned = self(torch.from_numpy(taught.tips[chosen]).float(), taught.size)
        win, lead, _ = value_losses(wins, scores, torch.from_numpy(taught.value[chosen]))
        owner = entropies_beyond(2.0 * owned, (1.0 + torch.from_numpy(taught.owner[chosen])) / 2)
        return win.mean(), lead.mean(), owner.mean()

    @property
    def head(self) -> ValueHead:
        """The value head with the weights as they are now."""
        return replace(
            self._head,
            conv=_filter(self.conv),
            norm=Norm(numbers_of(self.scale), numbers_of(self.bias)),
            hidden=matrix_of(self.hidden),
            hidden_bias=numbers_of(self.hidden.bias),
            value=matrix_of(self.value),
            value_bias=numbers_of(self.value.bias),
            score=matrix_of(self.score),
            score_bias=numbers_of(self.score.bias),
            ownership=_filter(self.ownership),
        )


def _wider(head: ValueHead, channels: int, hidden: int) -> tuple[Floats, Floats]:
    """Return the weights and the bias of a hidden layer of more inputs and units; new units have small weights."""
    had, width = head.conv.weights.shape[3], len(head.hidden_bias)
    weights = torch.randn(POOLED_FEATURES, channels, hidden).numpy() * np.float32(0.05)
    weights[:, had:, :width] = 0
    weights[:, :had, :width] = head.hidden.reshape(POOLED_FEATURES, had, width)
    return weights.reshape(-1, hidden), np.append(head.hidden_bias, np.zeros(hidden - width, np.float32))


def _filter(layer: nn.Linear) -> Filter:
    return Filter(matrix_of(layer)[None, None])


def learn(head: NewHead, taught: Sequence[TaughtPositions], epochs: float, rng: np.random.Generator) -> None:
    """Learn by AdamW; each position counts ``epochs`` times."""
    counts = np.array([len(lot) for lot in taught], np.float64)
    steps = max(1, round(epochs * counts.sum() / _LEARNT))
    optimizer = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=0.01)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 50) * (1.0 - step / steps)
        lot = taught[rng.choice(len(taught), p=counts / counts.sum())]
        win, lead, owner = head.losses(lot, rng.integers(len(lot), size=_LEARNT))
        optimizer.zero_grad()
        (win + lead + 0.7 * owner).backward()
        optimizer.step()


def row(head: NewHead, taught: Sequence[TaughtPositions]) -> str:
    """Return the mean losses of positions as a line."""
    with torch.no_grad():
        found = np.array([[float(part) for part in head.losses(lot, np.arange(len(lot)))] for lot in taught])
    win, lead, owner = np.average(found, axis=0, weights=[len(lot) for lot in taught])
    return f"win {win:.4f}  lead {lead:.4f}  ownership {owner:.4f}\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Teach the value head of a network and write it with the rest of the network as it was."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("net", type=Path, help="a network's file")
    options.add_argument("teacher", type=Path, help="the file of a stronger one with the same inputs")
    options.add_argument("folders", type=Path, nargs="+", metavar="folder", help="of positions of finished games")
    options.add_argument("--out", type=Path, required=True, help="the file to write, ending in .npz")
    options.add_argument("--name", help="of the network (default: as it was)")
    options.add_argument("--channels", type=int, default=64, help="of the new value head")
    options.add_argument("--hidden", type=int, default=128, help="the width of its hidden layer")
    options.add_argument("--epochs", type=float, default=6.0)
    options.add_argument("--share", type=float, default=0.8, help="of the teacher; the rest is the end of the game")
    options.add_argument("--komi", type=float, default=8.0, help="the standard deviation of the drawn komis, in points")
    given = options.parse_args(arguments)
    rng = np.random.default_rng(1)
    torch.manual_seed(1)
    try:
        header, parameters = read(given.net)
        teacher, of_teacher = read(given.teacher)
        if header.format != FORMAT or LAYOUTS[teacher.format] != LAYOUTS[FORMAT]:
            options.error(f"both networks need the inputs of model format {FORMAT}, and {given.net} the format as well")
        compile_all(KERNELS)
        taught = _taught(given.net, parameters, compiled_runner_of(of_teacher), given, rng)
        head = NewHead(parameters.value, given.channels, given.hidden)
        # Both komis of the positions of a file.
        is_held = [number % 20 in _HELD_OUT for number in range(len(taught))]
        held = list(compress(taught, is_held)) or taught
        sys.stdout.write("before " + row(head, held))
        learn(head, list(compress(taught, map(not_, is_held))) or taught, given.epochs, rng)
        sys.stdout.write("after  " + row(head, held))
        write_with_value_head(given.net, given.out, given.name or header.name, head.head)
    except NetError as error:
        options.error(str(error))
    except UnfinishedGames:
        options.error("the positions have to be those of finished games, and some values are estimates")
    except TooFewPositions:
        options.error(f"these folders hold fewer than {BATCH} positions of finished games")


def _taught(
    net: Path, parameters: Parameters, teacher: Runner, given: argparse.Namespace, rng: np.random.Generator
) -> list[TaughtPositions]:
    counting = COUNTING.get(net.name, Counting())
    teaching = Teaching(TipNetwork(parameters), teacher, counting, given.share, Komi(given.komi, rng))
    taught = list(teaching.taught(load(file) for folder in given.folders for file in files(folder)))
    if sum(map(len, taught)) < BATCH:
        raise TooFewPositions
    return taught


if __name__ == "__main__":
    main()
