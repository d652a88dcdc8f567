"""Fits the value head of a network to the values of recorded positions; its trunk, policy and ownership stay the same.

``python -m daoqi_tui.lab.training.fit_value_head NET FOLDER… --out FILE`` reads a network and positions of ``daoqi-tui
train``, fits the hidden layer and its outputs, and writes the network with them. This takes minutes where training the
whole network takes hours: after weights were pruned or interpolated, or to teach a network the win rates of another one
that knows the torus better.

With ``--komi`` the positions are those of games that were played to the end, whose result at any komi is known: each is
seen at two komis drawn at random, so that a network learns how the win rate follows komi.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from daoqi_tui.ai.nets import read, runner_of
from daoqi_tui.ai.network import NetError
from daoqi_tui.ai.network.features import KOMI, LAYOUTS, komi_parity_wave
from daoqi_tui.ai.network.layout import Floats
from daoqi_tui.ai.network.network import Outputs, Parameters, Runner, ValueHead
from daoqi_tui.lab.training.batch_features import FORMAT
from daoqi_tui.lab.training.learn import value_losses
from daoqi_tui.lab.training.model import matrix_of, numbers_of, set_matrix
from daoqi_tui.lab.training.network_file import Storage, rounded, write_npz, write_with_value_head
from daoqi_tui.lab.training.positions import Positions, files, load
from daoqi_tui.lab.training.settings import Learning

BATCH: Final = 256
RATE: Final = 2e-3
"""The learning rate of AdamW at first; it falls to zero."""
DECAY: Final = 0.1
"""Its weight decay."""
_HELD_OUT: Final = 0.1
"""The share of positions that are held out for testing."""
_EVALUATED: Final = 16
"""Positions that the network evaluates in a batch."""
_WEIGHTS: Final = Learning()
"""The weights of the losses."""
_LAYOUT: Final = LAYOUTS[FORMAT]


class TooFewPositions(Exception):
    """There are fewer positions with values than in a batch."""


class UnfinishedGames(Exception):
    """The values of positions are estimates, which cannot be told for another komi."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What the hidden layer sees of positions, and the targets.

    Attributes:
        pooled: the inputs of the hidden layer, ``(positions, features)``.
        value: win rate, lead in points, and its standard deviation or a negative number, ``(positions, 3)``.
        size: of the boards, ``(positions,)``.
    """

    pooled: Tensor
    value: Tensor
    size: NDArray[np.int_]

    def __len__(self) -> int:
        return len(self.value)

    def taken(self, chosen: NDArray[np.int_]) -> Sample:
        """Return the positions at ``chosen``."""
        return Sample(self.pooled[chosen], self.value[chosen], self.size[chosen])


def sample_of(parameters: Parameters, lots: Iterator[Positions], komi: Komi | None = None) -> Sample:
    """Return the positions that have values, as the hidden layer of a network's value head sees them.

    Args:
        parameters: of the network.
        lots: the positions.
        komi: draws two komis for each position; without it they keep theirs.

    Raises:
        TooFewPositions: there are fewer than in a batch.
        UnfinishedGames: a value is no outcome, and the komi is to be drawn.
    """
    probe = runner_of(replace(parameters, value=_showing_inputs(parameters.value)))
    pooled, value, size = [], [], []
    for every in lots:
        lot = every.taken(np.flatnonzero(every.value[:, 0] >= 0))
        side = int(lot.size)
        planes = lot.planes_of().reshape(len(lot), side * side, -1)
        seen = [lot] if komi is None else komi.drawn(lot, _counts(probe, planes, lot.whole, side))
        for one in seen:
            pooled += [outputs.value for outputs in _run(probe, planes, one.whole, side)]
            value.append(one.value)
            size.append(np.full(len(one), side))
    if sum(map(len, value)) < BATCH:
        raise TooFewPositions
    return Sample(
        torch.from_numpy(np.concatenate(pooled)), torch.from_numpy(np.concatenate(value)), np.concatenate(size)
    )


def _run(runner: Runner, planes: Floats, whole: Floats, side: int) -> Iterator[Outputs]:
    for start in range(0, len(planes), _EVALUATED):
        some = slice(start, start + _EVALUATED)
        yield runner.run(planes[some], whole[some], side)


def _counts(runner: Runner, planes: Floats, whole: Floats, side: int) -> Floats:
    """Return the lead of the side to move by the sum of the ownership, without komi and passes; ``(positions,)``."""
    found = [np.tanh(outputs.ownership).sum(axis=1) for outputs in _run(runner, planes, whole, side)]
    return np.concatenate(found) if found else np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True)
class Komi:
    """Draws other komis for positions of finished games.

    Attributes:
        spread: the standard deviation in points, about the komi of the game and about the one that is fair by count.
        rng: draws them.
    """

    spread: float
    rng: np.random.Generator

    def drawn(self, lot: Positions, counts: Floats) -> list[Positions]:
        """Return the positions at two komis: one near that of the game, one at which the count is about even.

        Neither depends on how the game ended. Komi moves by whole points, so that ties stay what they were.

        Args:
            lot: the positions; their values are outcomes.
            counts: the lead of the side to move without komi and passes, ``(positions,)``.

        Raises:
            UnfinishedGames: a value is no outcome.
        """
        if not np.isin(lot.value[:, 0], (0.0, 0.5, 1.0)).all():
            raise UnfinishedGames
        own = lot.whole[:, KOMI] * _LAYOUT.komi_unit
        most = int(lot.size) ** 2
        return [
            self._moved(lot, np.clip(own + np.rint(shift), -most, most) - own)
            for shift in (
                self.rng.normal(0.0, self.spread, len(lot)),
                self.rng.normal(-counts - own, self.spread),
            )
        ]

    def _moved(self, lot: Positions, shift: Floats) -> Positions:
        """Return the positions with as many points more for the side to move."""
        points = int(lot.size) ** 2
        whole, value = lot.whole.copy(), lot.value.copy()
        own = whole[:, KOMI] * _LAYOUT.komi_unit + shift
        whole[:, KOMI] = own / _LAYOUT.komi_unit
        whole[:, _LAYOUT.parity] = [komi_parity_wave(float(each), points) for each in own]
        value[:, 1] += shift
        value[:, 0] = 0.5 + 0.5 * np.sign(value[:, 1])
        return replace(lot, whole=whole, value=value)


def _showing_inputs(head: ValueHead) -> ValueHead:
    """Return a value head whose values are the inputs of the hidden layer of another one.

    These are the means of rectified channels, times factors that may be negative. So the hidden layer has each of them
    twice, once negated, before it is rectified.
    """
    count = len(head.hidden)
    same = np.eye(count, dtype=np.float32)
    return replace(
        head,
        hidden=np.hstack((same, -same)),
        hidden_bias=np.zeros(2 * count, np.float32),
        value=np.vstack((same, -same)),
        value_bias=np.zeros(count, np.float32),
        score=np.zeros((2 * count, head.score.shape[1]), np.float32),
    )


class HeadFit:
    """The hidden layer of a value head and its outputs, to be fitted.

    Args:
        head: where the fit begins.
        rng: draws the batches.
    """

    def __init__(self, head: ValueHead, rng: np.random.Generator) -> None:
        self._head, self._rng = head, rng
        self._hidden = _linear(head.hidden, head.hidden_bias)
        self._value = _linear(head.value, head.value_bias)
        self._score = _linear(head.score, head.score_bias)

    def losses(self, sample: Sample) -> tuple[Tensor, Tensor, Tensor]:
        """Return the losses of win rate, lead and spread for each position: nats beyond the target's, and Huber."""
        hidden = functional.relu(self._hidden(sample.pooled))
        win, lead, spread = value_losses(self._value(hidden), self._score(hidden), sample.value)
        return win, lead, spread * (sample.value[:, 2] >= 0)

    def fit(self, sample: Sample, epochs: int) -> None:
        """Fit by AdamW; each position counts ``epochs`` times."""
        layers = nn.ModuleList((self._hidden, self._value, self._score))
        optimizer = torch.optim.AdamW(layers.parameters(), lr=RATE, weight_decay=DECAY)
        steps = max(1, epochs * len(sample) // BATCH)
        for step in range(steps):
            for group in optimizer.param_groups:
                group["lr"] = RATE * (1.0 - step / steps)
            batch = sample.taken(self._rng.integers(len(sample), size=BATCH))
            win, lead, spread = (loss.mean() for loss in self.losses(batch))
            optimizer.zero_grad()
            (_WEIGHTS.value * win + _WEIGHTS.lead * lead + _WEIGHTS.spread * spread).backward()
            optimizer.step()

    @property
    def head(self) -> ValueHead:
        """The value head with the weights as they are now."""
        (hidden, hidden_bias), (value, value_bias), (score, score_bias) = (
            (matrix_of(layer), numbers_of(layer.bias)) for layer in (self._hidden, self._value, self._score)
        )
        return replace(
            self._head,
            hidden=hidden,
            hidden_bias=hidden_bias,
            value=value,
            value_bias=value_bias,
            score=score,
            score_bias=score_bias,
        )

    def row(self, name: str, sample: Sample) -> str:
        """Return a line with the mean losses of win rate and lead, and that of the win rate for each size."""
        with torch.no_grad():
            win, lead, _ = (loss.numpy() for loss in self.losses(sample))
        by_size = (f"{size}×{size} {win[sample.size == size].mean():.4f}" for size in np.unique(sample.size))
        return "  ".join((f"{name:7} win {win.mean():.4f}  lead {lead.mean():.4f}", *by_size))


def _linear(weights: Floats, bias: Floats) -> nn.Linear:
    layer = nn.Linear(*weights.shape)
    with torch.no_grad():
        set_matrix(layer, weights, bias)
    return layer


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit to the positions of some folders and write the network."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("net", type=Path, help="a network's file")
    options.add_argument("folders", type=Path, nargs="+", metavar="folder", help="of positions of a training")
    options.add_argument("--out", type=Path, required=True, help="the file to write, ending in .npz")
    options.add_argument("--name", help="of the network (default: as it was)")
    options.add_argument("--epochs", type=int, default=20)
    options.add_argument(
        "--komi",
        type=float,
        metavar="SPREAD",
        help="see each position, of a finished game, at two komis drawn with this standard deviation in points",
    )
    options.add_argument(
        "--storage", choices=list(Storage), help="round all weights anew (default: the others stay as they are stored)"
    )
    given = options.parse_args(arguments)
    rng = np.random.default_rng(1)
    try:
        header, parameters = read(given.net)
        if header.format != FORMAT:
            options.error(f"{given.net} has model format {header.format}; a value head is fitted with {FORMAT} alone")
        if given.storage is not None:
            # The head makes up for what rounding the rest of the network costs.
            parameters = rounded(parameters, Storage(given.storage))
        komi = None if given.komi is None else Komi(given.komi, rng)
        sample = sample_of(parameters, (load(file) for folder in given.folders for file in files(folder)), komi)
        fit = HeadFit(parameters.value, rng)
        held = rng.random(len(sample)) < _HELD_OUT
        test, learnt = (sample.taken(np.flatnonzero(mask)) for mask in (held, ~held))
        sys.stdout.write(fit.row("before", test) + "\n")
        fit.fit(learnt, given.epochs)
        sys.stdout.write(fit.row("after", test) + "\n")
        named = replace(header, name=given.name or header.name)
        if given.storage is not None:
            write_npz(given.out, named, replace(parameters, value=fit.head), Storage(given.storage))
        else:
            write_with_value_head(given.net, given.out, named.name, fit.head)
    except NetError as error:
        options.error(str(error))
    except UnfinishedGames:
        options.error("--komi takes the outcomes of finished games, and some values are estimates")
    except TooFewPositions:
        options.error(f"these folders hold fewer than {BATCH} positions with values")


if __name__ == "__main__":
    main()
