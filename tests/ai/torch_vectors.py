"""Stored outputs of torch for a few small inputs, so that numpy can be compared with torch without installing it.

    python -m tests.ai.torch_vectors

rewrites ``torch_vectors.npz`` and requires torch. Run it when a built-in network or the computation of networks has
changed. The cases are the built-in networks and a small one with random weights, which has plain, dilated and pooling
blocks, with both paddings and several board and batch sizes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.nets import SHIPPED, SHIPPED_LARGE, NetworkFiles
from daoqi_tui.ai.network.layout import Padding
from daoqi_tui.ai.network.network import Outputs, Parameters
from daoqi_tui.ai.network.npz import read_npz
from daoqi_tui.ai.search import HISTORY
from daoqi_tui.engine import Board, torus_of
from daoqi_tui.paths import assets_folder
from tests.ai.network_reference import random_parameters, torch_reference

FILE = Path(__file__).with_name("torch_vectors.npz")
RANDOM = "random"
OUTPUTS = ("policy", "value", "score", "ownership")


@dataclass(frozen=True)
class Case:
    """A network (a file in the assets folder, or :data:`RANDOM`), and the size and number of the boards to evaluate."""

    network: str
    padding: Padding
    size: int
    boards: int

    @property
    def name(self) -> str:
        return f"{self.network}-{self.padding}-{self.size}-{self.boards}"


CASES = (
    Case(SHIPPED, "wrap", 9, 2),
    Case(SHIPPED, "wrap", 16, 1),
    Case(SHIPPED_LARGE, "wrap", 16, 1),
    Case(RANDOM, "wrap", 5, 9),
    Case(RANDOM, "wrap", 16, 1),
    Case(RANDOM, "zero", 7, 2),
)


def parameters_of(network: str) -> Parameters:
    return random_parameters(1, kernel=5) if network == RANDOM else read_npz(assets_folder() / network)[1]


def digest_of(parameters: Parameters) -> str:
    """Return a digest that identifies the weights of a network."""
    digest = hashlib.sha256()
    for weights in _weights(parameters):
        digest.update(repr(weights.shape).encode() + np.ascontiguousarray(weights, "<f4").tobytes())
    return digest.hexdigest()


def _weights(value: Any) -> Iterator[NDArray[np.float32]]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _weights(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _weights(getattr(value, field.name))


def inputs_of(case: Case, parameters: Parameters) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return inputs: features after random moves for a built-in network, random numbers for others."""
    rng = np.random.RandomState(case.size * 100 + case.boards)
    if case.network == RANDOM:
        planes = rng.rand(case.boards, case.size**2, parameters.first.weights.shape[2]) < 0.3
        return planes.astype(np.float32), rng.normal(size=(case.boards, len(parameters.first_globals))).astype(
            np.float32
        )
    network = NetworkFiles().load(str(assets_folder() / case.network))
    batch = []
    for number in range(case.boards):
        board, recent = Board(torus_of(case.size)), []
        for _ in range(case.size * (number + 2)):
            recent.append(int(rng.choice(board.torus.points_in(board.legal_mask()))))
            board.play(recent[-1])
        batch.append(network.encode(board, 4.0, recent[-HISTORY:], 0))
    return np.stack([inputs.planes for inputs in batch]), np.stack([inputs.whole for inputs in batch])


def by_torch(case: Case, planes: NDArray[np.float32], whole: NDArray[np.float32]) -> Outputs:
    return torch_reference(parameters_of(case.network), planes, whole, case.size, case.padding)


def write() -> None:
    """Compute the outputs with torch, and store them with the inputs."""
    kept: dict[str, NDArray[Any]] = {}
    for network in sorted({case.network for case in CASES}):
        kept[f"{network}.weights"] = np.array(digest_of(parameters_of(network)))
    for case in CASES:
        planes, whole = inputs_of(case, parameters_of(case.network))
        assert np.isin(planes, (0, 1)).all(), "a bit is kept of each"
        found = by_torch(case, planes, whole)
        kept[f"{case.name}.planes"] = np.packbits(planes.astype(bool))
        kept[f"{case.name}.whole"] = whole
        kept |= {f"{case.name}.{name}": getattr(found, name) for name in OUTPUTS}
    np.savez_compressed(FILE, **kept)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Vector:
    """A stored case."""

    weights: str
    planes: NDArray[np.float32]
    whole: NDArray[np.float32]
    outputs: Outputs


def read(case: Case) -> Vector:
    shape = case.boards, case.size**2, parameters_of(case.network).first.weights.shape[2]
    with np.load(FILE) as kept:
        planes = np.unpackbits(kept[f"{case.name}.planes"], count=int(np.prod(shape)))
        return Vector(
            str(kept[f"{case.network}.weights"]),
            planes.reshape(shape).astype(np.float32),
            kept[f"{case.name}.whole"],
            Outputs(*(kept[f"{case.name}.{name}"] for name in OUTPUTS)),
        )


if __name__ == "__main__":
    write()
