"""Training positions: stored in files and drawn in batches, unchanged except for the 8 symmetries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from daoqi_tui.ai.search.evaluator import Evaluation, Inputs
from daoqi_tui.training.dataset import Dataset, is_held_out, turned
from daoqi_tui.training.positions import Positions, file_name, files, joined, load, packed, parts_of
from tests.training.one_game import positions_of

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


def test_files_for_testing_are_kept_apart(tmp_path: Path):
    for seed in range(3):
        save(made(2 + seed, 5, seed), tmp_path)
    rng = np.random.default_rng(1)
    dataset, tests = Dataset([tmp_path], rng), Dataset([tmp_path], rng, held_out=True)
    assert [is_held_out(path) for path in files(tmp_path)] == [False, True, False]
    assert (len(dataset), len(tests)) == (2 + 4, 3)


def test_a_batch_is_of_one_size_and_each_position_only_turned(tmp_path: Path):
    save(made(6, 5), tmp_path)
    save(made(6, 5, seed=2), tmp_path)
    save(made(6, 7, seed=3), tmp_path)
    dataset = Dataset([tmp_path], np.random.default_rng(5))
    source = {5: load(next(iter(files(tmp_path))))}
    sizes = set()
    for _ in range(40):
        batch = dataset.draw(4)
        size = batch.planes.shape[2]
        sizes.add(size)
        assert batch.planes.shape == (4, PLANES, size, size)
        assert batch.policy.shape == (4, size * size + 1)
        assert batch.owner.shape == (4, size * size)
        if size != 5:
            continue
        first = source[5]
        for place in range(4):
            found = [row for row in range(len(first)) if np.array_equal(first.whole[row], batch.whole[place])]
            if not found:
                continue
            original = first.planes_of(found)[0].transpose(2, 0, 1)
            ways = [way for way in range(8) if np.array_equal(turned(original, way), batch.planes[place])]
            assert len(ways) == 1
            plays = first.policy[found[0], :-1].astype(np.float32).reshape(5, 5)
            assert np.array_equal(turned(plays, ways[0]).ravel(), batch.policy[place, :-1])
            assert batch.policy[place, -1] == first.policy[found[0], -1]
            owner = first.owner[found[0]].astype(np.float32).reshape(5, 5) / np.float32(127)
            assert np.array_equal(turned(owner, ways[0]).ravel(), batch.owner[place])
    assert sizes == {5, 7}


def test_the_eight_ways_differ():
    board = np.arange(9, dtype=np.float32).reshape(1, 3, 3)
    assert len({turned(board, way).tobytes() for way in range(8)}) == 8


def test_folders_are_read_in_the_order_in_which_they_are_named(tmp_path: Path):
    """The positions that a seed draws depend on it."""
    names = ["new", "older", "oldest", "first", "second"]
    for seed, name in enumerate(names):
        save(made(20, 5, seed), tmp_path / name)
    for order in (names, names[::-1]):
        folders = [tmp_path / name for name in order]
        whole, policies = (
            Dataset(folders, np.random.default_rng(1)),
            Dataset([], np.random.default_rng(1), policy_of=folders),
        )
        wanted = [load(path).planes for folder in folders for path in files(folder)]
        for dataset in (whole, policies):
            found = [lot.planes for lot in dataset._lots]
            assert all(np.array_equal(one, other) for one, other in zip(found, wanted, strict=True))


def test_more_is_drawn_of_what_is_new(tmp_path: Path):
    for seed in range(5):
        save(made(20, 5, seed), tmp_path / "before")
        save(made(20, 5, seed), tmp_path / "policies")
    save(made(20, 7), tmp_path / "new")
    rng = np.random.default_rng(4)
    before, policies, new = (tmp_path / name for name in ("before", "policies", "new"))

    def share_of_sevens(dataset: Dataset) -> float:
        return float(np.mean([dataset.draw(1).planes.shape[2] == 7 for _ in range(400)]))

    assert share_of_sevens(Dataset([new], rng, also=[before], policy_of=[policies])) < 0.2
    assert 0.5 < share_of_sevens(Dataset([new], rng, also=[before], policy_of=[policies], share=0.6)) < 0.7
    assert share_of_sevens(Dataset([new], rng, share=0.6)) == 1.0
    assert share_of_sevens(Dataset([tmp_path / "nothing"], rng, also=[new], share=0.6)) == 1.0
