"""How the numbers of :mod:`daoqi_tui.ai.glance` were made: fitted to a policy, by maximum likelihood.

``python -m daoqi_tui.training.glances FOLDER`` reads positions that ``daoqi-tui train`` has written and prints the
numbers as they stand in that module. The model is the one described there; its likelihood has one maximum, which
L-BFGS finds.
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

from daoqi_tui.ai import features, glance
from daoqi_tui.ai.backend import Backend, Tables, compiled, interpreted
from daoqi_tui.ai.katago_features import LAYOUTS
from daoqi_tui.engine import BLACK, torus_of
from daoqi_tui.training.positions import Positions, files, load

FARTHEST: Final = 11
"""All points farther from a move are taken to be as far as this."""
NO_MOVE: Final = FARTHEST + 1
_LAYOUT: Final = LAYOUTS[8]
_DOINGS: Final = [field.name for field in fields(glance.Tactics)]
_RESTRAINT: Final = 1e-5
"""Keeps the values of what is hardly ever seen near to nothing."""


@dataclass(frozen=True, slots=True)
class Sights:
    """Moves as they look, of one position after another; an entry a move.

    Attributes:
        position: whose move it is, ascending from 0.
        shape: its class of surroundings.
        doing: its column of :func:`doings_table`.
        near, before: how far it is from the last move and from the one before.
        chance: how likely the policy has it; those of a position sum to 1.
    """

    position: NDArray[np.int64]
    shape: NDArray[np.int64]
    doing: NDArray[np.int64]
    near: NDArray[np.int64]
    before: NDArray[np.int64]
    chance: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fitted:
    """The values found, and how near the model comes to the policy with them.

    Attributes:
        shapes: by class.
        doings: in the order of the fields of ``Tactics``.
        near, before: by distance.
        lost: by how many natural units a move is told worse than by the policy itself.
        first: the share of positions in which the likeliest move is the policy's.
    """

    shapes: Tensor
    doings: Tensor
    near: Tensor
    before: Tensor
    lost: float
    first: float


def doings_table() -> NDArray[np.float32]:
    """Which fields of ``Tactics`` are added, by field and by ``stake * (F_ALL + 1) + marks``."""
    table = np.zeros((len(_DOINGS), glance.STAKES, features.F_ALL + 1), np.float32)
    for stake, marks in np.ndindex(table.shape[1:]):
        for name in glance.doings(stake, marks):
            table[_DOINGS.index(name), stake, marks] = 1.0
    return table.reshape(len(_DOINGS), -1)


def sights(lots: Iterator[Positions], most: int) -> Sights:
    """How the legal plays of up to ``most`` positions look; boards below 9×9 are left out."""
    try:
        backend = compiled()
    except ImportError:
        backend = interpreted()
    seen: list[tuple[NDArray[np.int64], ...]] = []
    chances: list[NDArray[np.float32]] = []
    eyes: dict[int, _Eye] = {}
    for lot in lots:
        size = int(lot.size)
        if size < 9:
            continue
        if size not in eyes:
            eyes[size] = _Eye(size, backend)
        planes = lot.planes_of().astype(np.bool_)
        for place in range(len(lot)):
            if len(seen) == most:
                break
            plays, *found = eyes[size].sight(planes[place].reshape(size * size, -1))
            chance = lot.policy[place, :-1].astype(np.float32)[plays]
            if chance.sum() > 0.5:
                seen.append((np.full(len(plays), len(seen)), *found))
                chances.append(chance / chance.sum())
        if len(seen) == most:
            break
    position, shape, doing, near, before = (np.concatenate(column) for column in zip(*seen, strict=True))
    return Sights(position, shape, doing, near, before, np.concatenate(chances))


class _Eye:
    """Sees positions on boards of one size through the kernel."""

    def __init__(self, size: int, backend: Backend) -> None:
        torus = torus_of(size)
        self._backend, self._tables = backend, Tables.of(torus, backend)
        self._state = backend.empty_state(torus.points)
        self._found = tuple(backend.sequence([0] * torus.points) for _ in range(3))
        self._apart = glance.nearness(torus).clip(0, FARTHEST)
        self._classes = glance.shape_classes(BLACK)

    def sight(self, planes: NDArray[np.bool_]) -> tuple[NDArray[np.int64], ...]:
        """The legal plays, and the entries of :class:`Sights` for them, the side to move taken for Black."""
        backend, tables = self._backend, self._tables
        mine, theirs, banned = planes[:, 1], planes[:, 2], planes[:, _LAYOUT.banned]
        backend.load(tables.points, tables.near, self._state, backend.sequence((mine + 2 * theirs).tolist()))
        backend.judge(tables.points, tables.near, tables.diagonal, self._state, BLACK, *self._found)
        plays = np.flatnonzero(~(mine | theirs | banned))
        marks, amount, shapes = (np.array(numbers)[plays] for numbers in self._found)
        doing = glance.stakes(amount) * (features.F_ALL + 1) + marks
        near = [self._from(np.flatnonzero(planes[:, _LAYOUT.moves + ago]), plays) for ago in (0, 1)]
        return plays, self._classes[shapes], doing, *near

    def _from(self, move: NDArray[np.int64], plays: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._apart[move[0], plays] if len(move) else np.full(len(plays), NO_MOVE)


def fit(seen: Sights, rounds: int = 200) -> Fitted:
    """The values that make the policy's moves likeliest."""
    index = {name: torch.from_numpy(getattr(seen, name)) for name in ("position", "shape", "doing", "near", "before")}
    wanted, table = torch.from_numpy(seen.chance), torch.from_numpy(doings_table())
    sizes = int(glance.shape_classes(BLACK).max()) + 1, len(_DOINGS), NO_MOVE + 1, NO_MOVE + 1
    shapes, doings, near, before = values = [torch.zeros(size, requires_grad=True) for size in sizes]
    count = int(seen.position[-1]) + 1

    def logarithms() -> Tensor:
        """Of the chance of each move."""
        value = shapes[index["shape"]] + (doings @ table)[index["doing"]]
        value = value + near[index["near"]] + before[index["before"]]
        # No value comes near to where the exponential runs over.
        total = torch.zeros(count).index_add(0, index["position"], value.exp())
        return value - total.log()[index["position"]]

    def loss() -> Tensor:
        optimizer.zero_grad()
        told = -(wanted * logarithms()).sum() / count
        restrained: Tensor = told + _RESTRAINT * sum((value * value).sum() for value in values)
        restrained.backward()  # type: ignore[no-untyped-call]
        return restrained

    optimizer = torch.optim.LBFGS(values, max_iter=rounds, line_search_fn="strong_wolfe")
    optimizer.step(loss)  # type: ignore[arg-type]
    with torch.no_grad():
        told = logarithms()
        lost = float(functional.kl_div(told, wanted, reduction="sum")) / count
        starts = np.flatnonzero(np.diff(seen.position, prepend=-1))
        first = np.mean(
            [
                ours.argmax() == theirs.argmax()
                for ours, theirs in zip(
                    np.split(told.numpy(), starts[1:]), np.split(seen.chance, starts[1:]), strict=True
                )
            ]
        )
    shapes, doings, near, before = (value.detach() for value in values)
    return Fitted(shapes, doings, near, before, lost, float(first))


def written(found: Fitted) -> str:
    """The values as they stand in :mod:`daoqi_tui.ai.glance`, and how good they are."""
    lines = [
        f"the first choice in {found.first:.1%}; {found.lost:.3f} lost to the policy",
        f"shapes: {glance.letters(found.shapes.numpy())}",
        *(f"{name}: {value:.2f}" for name, value in zip(_DOINGS, found.doings.tolist(), strict=True)),
    ]
    for name, values in (("near", found.near), ("before", found.before)):
        lines.append(f"{name}: {', '.join(f'{value:.2f}' for value in values.tolist()[: FARTHEST + 1])}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Fit to a folder of positions and print."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("folder", type=Path, help="of positions, as in DIR/teacher/0 of a training")
    options.add_argument("--positions", type=int, default=36_000)
    given = options.parse_args()
    sys.stdout.write(written(fit(sights(map(load, files(given.folder)), given.positions))))


if __name__ == "__main__":
    main()
