"""Fits the weights of :mod:`daoqi_tui.ai.playout.policy_features` to a network's policy, by maximum likelihood.

``python -m daoqi_tui.lab.training.fit_policy_features FOLDER`` reads positions of ``daoqi-tui train`` and prints the
numbers in the form used in that module. The model is described there; its likelihood has a unique maximum, which L-BFGS
finds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from daoqi_tui.ai.katago.features import LAYOUTS
from daoqi_tui.ai.playout import features, policy_features
from daoqi_tui.ai.playout.backend import Backend, Tables, compiled, interpreted
from daoqi_tui.engine import BLACK, torus_of
from daoqi_tui.lab.training.positions import Positions, files, load

FARTHEST: Final = 11
"""The maximum distance from a move; greater ones are clamped to it."""
NO_MOVE: Final = FARTHEST + 1
_LAYOUT: Final = LAYOUTS[8]
_TACTICS: Final = [field.name for field in fields(policy_features.Tactics)]
_REGULARISATION: Final = 1e-5
"""The weight of L2 regularisation, which keeps the weights of rare features near 0."""


class NoPositions(Exception):
    """There are no positions to fit to."""


@dataclass(frozen=True, slots=True)
class MoveFeatures:
    """The features of the legal moves of all positions, concatenated, with an entry per move.

    Attributes:
        position: the index of its position, ascending from 0.
        shape: its pattern class.
        doing: its column in :func:`tactical_table`.
        near, before: the distance from the last move and from the one before.
        chance: its probability in the policy; those of a position sum to 1.
    """

    position: NDArray[np.int64]
    shape: NDArray[np.int64]
    doing: NDArray[np.int64]
    near: NDArray[np.int64]
    before: NDArray[np.int64]
    chance: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fitted:
    """The fitted weights, and how well the model predicts the policy.

    Attributes:
        shapes: by class.
        doings: in the order of the fields of ``Tactics``.
        near, before: by distance.
        lost: the mean Kullback–Leibler divergence from the policy, in nats.
        first: the share of positions in which the most likely move is the policy's.
    """

    shapes: Tensor
    doings: Tensor
    near: Tensor
    before: Tensor
    lost: float
    first: float


def tactical_table() -> NDArray[np.float32]:
    """Return which fields of ``Tactics`` are added, by field and by ``stake * (F_ALL + 1) + marks``."""
    table = np.zeros((len(_TACTICS), policy_features.STAKES, features.F_ALL + 1), np.float32)
    for stake, marks in np.ndindex(table.shape[1:]):
        for name in policy_features.tactical_terms(stake, marks):
            table[_TACTICS.index(name), stake, marks] = 1.0
    return table.reshape(len(_TACTICS), -1)


def move_features_of(lots: Iterator[Positions], most: int) -> MoveFeatures:
    """Return the features of the legal plays of up to ``most`` positions; boards smaller than 9×9 are skipped.

    Raises:
        NoPositions: there are none.
    """
    try:
        backend = compiled()
    except ImportError:
        backend = interpreted()
    seen: list[tuple[NDArray[np.int64], ...]] = []
    chances: list[NDArray[np.float32]] = []
    readers: dict[int, _FeatureReader] = {}
    for lot in lots:
        size = int(lot.size)
        if size < 9:
            continue
        if size not in readers:
            readers[size] = _FeatureReader(size, backend)
        planes = lot.planes_of().astype(np.bool_)
        for index in range(len(lot)):
            if len(seen) == most:
                break
            plays, *found = readers[size].read(planes[index].reshape(size * size, -1))
            chance = lot.policy[index, :-1].astype(np.float32)[plays]
            if chance.sum() > 0.5:
                seen.append((np.full(len(plays), len(seen)), *found))
                chances.append(chance / chance.sum())
        if len(seen) == most:
            break
    if not seen:
        raise NoPositions
    position, shape, doing, near, before = (np.concatenate(column) for column in zip(*seen, strict=True))
    return MoveFeatures(position, shape, doing, near, before, np.concatenate(chances))


class _FeatureReader:
    """Computes the features of moves on boards of one size by the kernel."""

    def __init__(self, size: int, backend: Backend) -> None:
        torus = torus_of(size)
        self._backend, self._tables = backend, Tables.of(torus, backend)
        self._state = backend.empty_state(torus.points)
        self._found = tuple(backend.sequence([0] * torus.points) for _ in range(3))
        self._apart = policy_features.distances(torus).clip(0, FARTHEST)
        self._classes = policy_features.pattern_classes(BLACK)

    def read(self, planes: NDArray[np.bool_]) -> tuple[NDArray[np.int64], ...]:
        """Return the legal plays, and the entries of :class:`MoveFeatures` for them, with the side to move as Black."""
        backend, tables = self._backend, self._tables
        mine, theirs, banned = planes[:, 1], planes[:, 2], planes[:, _LAYOUT.banned]
        backend.load(tables.points, tables.near, self._state, backend.sequence((mine + 2 * theirs).tolist()))
        backend.move_features(tables.points, tables.near, tables.diagonal, self._state, BLACK, *self._found)
        plays = np.flatnonzero(~(mine | theirs | banned))
        marks, amount, shapes = (np.array(numbers)[plays] for numbers in self._found)
        doing = policy_features.stake_classes(amount) * (features.F_ALL + 1) + marks
        near = [self._from(np.flatnonzero(planes[:, _LAYOUT.moves + ago]), plays) for ago in (0, 1)]
        return plays, self._classes[shapes], doing, *near

    def _from(self, move: NDArray[np.int64], plays: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._apart[move[0], plays] if len(move) else np.full(len(plays), NO_MOVE)


def fit(seen: MoveFeatures, rounds: int = 200) -> Fitted:
    """Return the weights with the highest likelihood of the policy, by L-BFGS."""
    index = {name: torch.from_numpy(getattr(seen, name)) for name in ("position", "shape", "doing", "near", "before")}
    wanted, table = torch.from_numpy(seen.chance), torch.from_numpy(tactical_table())
    sizes = int(policy_features.pattern_classes(BLACK).max()) + 1, len(_TACTICS), NO_MOVE + 1, NO_MOVE + 1
    shapes, doings, near, before = values = [torch.zeros(size, requires_grad=True) for size in sizes]
    count = int(seen.position[-1]) + 1

    def log_probabilities() -> Tensor:
        """Return the log probability of each move."""
        value = shapes[index["shape"]] + (doings @ table)[index["doing"]]
        value = value + near[index["near"]] + before[index["before"]]
        # No value comes near the overflow of the exponential.
        total = torch.zeros(count).index_add(0, index["position"], value.exp())
        return value - total.log()[index["position"]]

    def loss() -> Tensor:
        optimizer.zero_grad()
        divergence = -(wanted * log_probabilities()).sum() / count
        regularised: Tensor = divergence + _REGULARISATION * sum((value * value).sum() for value in values)
        regularised.backward()  # type: ignore[no-untyped-call]
        return regularised

    optimizer = torch.optim.LBFGS(values, max_iter=rounds, line_search_fn="strong_wolfe")
    optimizer.step(loss)  # type: ignore[arg-type]
    with torch.no_grad():
        found = log_probabilities()
        lost = float(functional.kl_div(found, wanted, reduction="sum")) / count
        starts = np.flatnonzero(np.diff(seen.position, prepend=-1))
        first = np.mean(
            [
                ours.argmax() == theirs.argmax()
                for ours, theirs in zip(
                    np.split(found.numpy(), starts[1:]), np.split(seen.chance, starts[1:]), strict=True
                )
            ]
        )
    shapes, doings, near, before = (value.detach() for value in values)
    return Fitted(shapes, doings, near, before, lost, float(first))


def written(found: Fitted) -> str:
    """Return the values in the form used in :mod:`daoqi_tui.ai.playout.policy_features`, and the quality of the fit."""
    lines = [
        f"the first choice in {found.first:.1%}; {found.lost:.3f} lost to the policy",
        f"shapes: {policy_features.encode_weights(found.shapes.numpy())}",
        *(f"{name}: {value:.2f}" for name, value in zip(_TACTICS, found.doings.tolist(), strict=True)),
    ]
    for name, values in (("near", found.near), ("before", found.before)):
        lines.append(f"{name}: {', '.join(f'{value:.2f}' for value in values.tolist()[: FARTHEST + 1])}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Fit to a folder of positions and print."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("folder", type=Path, help="of positions, as in DIR/teacher/lots of a training")
    options.add_argument("--positions", type=int, default=36_000)
    given = options.parse_args()
    try:
        seen = move_features_of(map(load, files(given.folder)), given.positions)
    except NoPositions:
        options.error(f"{given.folder} holds no positions of boards from 9×9 on")
    sys.stdout.write(written(fit(seen)))


if __name__ == "__main__":
    main()
