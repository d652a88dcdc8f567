"""The training set: batches of its positions, unchanged except for the 8 symmetries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")

from daoqi_tui.lab.training.dataset import Dataset, is_held_out, turned  # noqa: E402
from daoqi_tui.lab.training.positions import files, load  # noqa: E402
from tests.lab.training.test_positions import PLANES, made, save  # noqa: E402


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
    sizes, turnings = set(), set()
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
            original = torch.from_numpy(first.planes_of(found)[0].transpose(2, 0, 1).copy())
            ways = [way for way in range(8) if torch.equal(turned(original, way), batch.planes[place])]
            assert len(ways) == 1
            plays = torch.from_numpy(first.policy[found[0], :-1]).float().reshape(5, 5)
            assert torch.equal(turned(plays, ways[0]).flatten(), batch.policy[place, :-1])
            assert batch.policy[place, -1] == first.policy[found[0], -1]
            owner = torch.from_numpy(first.owner[found[0]]).float().reshape(5, 5) / 127
            assert torch.equal(turned(owner, ways[0]).flatten(), batch.owner[place])
            turnings.add(ways[0])
    assert sizes == {5, 7}
    assert turnings == set(range(8))


def test_the_eight_ways_differ():
    board = torch.arange(9).reshape(1, 3, 3)
    assert len({tuple(turned(board, way).flatten().tolist()) for way in range(8)}) == 8


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
            (same,) = dataset._sizes
            assert np.array_equal(same.planes.numpy(), np.concatenate(wanted))


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
