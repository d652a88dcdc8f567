"""Training positions: stored in files and read again, bit by bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from daoqi_tui.ai.search import Evaluation, Inputs
from daoqi_tui.lab.training.positions import Positions, file_name, files, joined, load, packed, parts_of
from tests.lab.training.one_game import positions_of

PLANES, WHOLE = 22, 19


def made(number: int, size: int, seed: int = 1) -> Positions:
    """Return random positions whose policy and ownership can be learnt from the planes."""
    rng = np.random.default_rng(seed)
    points = size * size
    batch, targets = [], []
    for _ in range(number):
        planes = rng.integers(0, 2, (points, PLANES)).astype(np.float32)
        batch.append(Inputs(planes, rng.normal(size=WHOLE).astype(np.float32)))
        policy = np.append(0.1 + 5.0 * planes[:, 3], 1.0).astype(np.float32)
        owner = 0.8 * planes[:, 1] - 0.5 * planes[:, 2]
        targets.append(Evaluation(policy / policy.sum(), rng.random(), rng.normal() * 9, 3.0, owner))
    return positions_of(batch, targets, size)


def save(positions: Positions, folder: Path) -> Path:
    """Write positions to the next file of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name(1 + max((parts_of(path).number for path in files(folder)), default=-1), positions)
    path.write_bytes(packed(positions))
    return path


def count(folder: Path) -> int:
    """Return the number of positions in a folder, by the names of its files."""
    return sum(parts_of(path).positions for path in files(folder))


@pytest.mark.parametrize("size", [5, 7, 16])
def test_files_hold_what_was_put_in(tmp_path: Path, size: int):
    positions = joined([made(3, size), made(4, size, seed=2)])
    back = load(save(positions, tmp_path))
    assert len(back) == 7
    assert int(back.size) == size
    for name in ("planes", "whole", "policy", "value", "owner"):
        assert np.array_equal(getattr(back, name), getattr(positions, name))


def test_planes_are_kept_bit_by_bit():
    rng = np.random.default_rng(3)
    planes = rng.integers(0, 2, (49, PLANES)).astype(np.float32)
    target = Evaluation(np.full(50, 0.02, np.float32), 0.5, 0.0, 0.0, np.zeros(49, np.float32))
    positions = positions_of([Inputs(planes, np.zeros(WHOLE, np.float32))], [target], 7)
    assert np.array_equal(positions.planes_of()[0].reshape(49, PLANES), planes)


def test_files_are_counted_by_name(tmp_path: Path):
    save(made(3, 5), tmp_path)
    save(made(4, 7), tmp_path)
    assert [parts_of(path).positions for path in files(tmp_path)] == [3, 4]
    assert [path.stem for path in files(tmp_path)] == ["000000-5-3", "000001-7-4"]
    assert not list(files(tmp_path / "nowhere"))
