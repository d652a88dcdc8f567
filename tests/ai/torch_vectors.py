"""What torch makes of a few small inputs, kept beside this file so that numpy is compared with torch without torch.

    python -m tests.ai.torch_vectors

writes ``torch_vectors.npz`` anew; torch has to be installed. That is due when the network that comes with the program
is another, or when what a network computes has changed. The networks are the one that comes with the program and
small ones with random weights, which have every kind of block, both paddings and several sizes and batches.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.nets import USUAL, NetworkFiles, net_of
from daoqi_tui.ai.network.layout import Padding
from daoqi_tui.ai.network.network import Outputs, Parameters
from daoqi_tui.ai.network.npz import read_npz
from daoqi_tui.ai.search.evaluator import HISTORY
from daoqi_tui.engine import Board, torus_of
from tests.ai.network_reference import random_parameters, torch_reference

FILE = Path(__file__).with_name("torch_vectors.npz")
OUTPUTS = ("policy", "value", "score", "ownership")


@dataclass(frozen=True)
class Case:
    """A network, and how many boards of which size it is given."""

    network: str
    padding: Padding
    size: int
    boards: int

    @property
    def name(self) -> str:
        return f"{self.network}-{self.padding}-{self.size}-{self.boards}"


CASES = (
    Case("shipped", "wrap", 9, 2),
    Case("shipped", "wrap", 16, 1),
    Case("random", "wrap", 5, 9),
    Case("random", "wrap", 16, 1),
    Case("random", "zero", 7, 2),
)


def parameters_of(network: str) -> Parameters:
    if network == "random":
        return random_parameters(1, kernel=5)
    path = net_of(USUAL)
    assert path is not None
    return read_npz(Path(path))[1]


def digest_of(parameters: Parameters) -> str:
    """Tells whether two networks have the same weights."""
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
    """What the network that comes with the program sees after random moves; for the others random numbers."""
    rng = np.random.RandomState(case.size * 100 + case.boards)
    if case.network == "random":
        planes = rng.rand(case.boards, case.size**2, parameters.first.weights.shape[2]) < 0.3
        return planes.astype(np.float32), rng.normal(size=(case.boards, len(parameters.first_globals))).astype(
            np.float32
        )
    network = NetworkFiles().load(str(net_of(USUAL)))
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
    """Ask torch, and keep what it says with what it was asked."""
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
    """A case as it is kept."""

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
