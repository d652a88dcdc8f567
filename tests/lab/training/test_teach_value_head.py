"""A new value head learns the values of a stronger network; nothing else of the network changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from daoqi_tui.ai.nets import read
from daoqi_tui.ai.network import Counting
from daoqi_tui.ai.network.network import Network
from daoqi_tui.lab.training.positions import Positions
from tests.lab.training.test_positions import made, save

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be taught")
from daoqi_tui.lab.training.fit_value_head import BATCH, Komi, UnfinishedGames  # noqa: E402
from daoqi_tui.lab.training.teach_value_head import (  # noqa: E402
    NewHead,
    TaughtPositions,
    Teaching,
    TipNetwork,
    learn,
    main,
)
from tests.lab.training.test_fit_value_head import network, run, write  # noqa: E402


def finished(count: int, size: int, *, seed: int = 0) -> Positions:
    """Return positions whose values are outcomes."""
    positions = made(count, size, seed)
    value = positions.value.copy()
    value[:, 1] = np.rint(value[:, 1]) + 0.5
    value[:, 0] = value[:, 1] > 0
    return replace(positions, value=value)


def taught(share: float, size: int = 7) -> tuple[list[TaughtPositions], Positions]:
    tips = TipNetwork(network(1))
    teaching = Teaching(tips, Network(network(2)), Counting(), share, Komi(4.0, np.random.default_rng(1)))
    positions = finished(40, size)
    return list(teaching.taught(iter([positions]))), positions


@pytest.mark.parametrize("size", [7, 9])
def test_wider_the_head_says_the_same_at_first(size: int) -> None:
    parameters, (lot, _), positions = network(1), *taught(1.0, size)
    _, value, score, ownership = run(parameters, positions)
    with torch.no_grad():
        found = NewHead(parameters.value, 8, 16)(torch.from_numpy(lot.tips).float(), size)
    for part, wanted in zip(found, (value, score, ownership), strict=True):
        assert np.allclose(part.numpy(), wanted, atol=2e-2), "the tips are of 16 bits"


def test_targets_are_the_teachers_and_the_end_of_the_game_by_their_shares() -> None:
    (by_networks, _), positions = taught(1.0)
    _, value, score, ownership = run(network(2), positions)
    filled = positions.planes_of()[..., [1, 2]].sum((1, 2, 3)) / 49
    assert (filled > 0.12).all(), "the boards are not nearly empty"
    assert np.allclose(by_networks.value[:, 0], 1 / (1 + np.exp(value[:, 1] - value[:, 0])), atol=1e-5)
    assert np.allclose(by_networks.value[:, 1], 20 * score[:, 2], atol=1e-4)
    assert np.allclose(by_networks.owner, np.tanh(ownership), atol=1e-5)
    (by_ends, _), _ = taught(0.0)
    assert np.array_equal(by_ends.value[:, :2], positions.value[:, :2])
    assert np.allclose(by_ends.owner, positions.owner / 127, atol=1e-6)
    (half, _), _ = taught(0.5)
    assert np.allclose(half.value, (by_networks.value + by_ends.value) / 2, atol=1e-4)


def test_on_a_nearly_empty_board_the_targets_are_its_own() -> None:
    positions = finished(3, 9)
    empty = replace(positions, planes=np.zeros_like(positions.planes))
    teaching = Teaching(
        TipNetwork(network(1)), Network(network(2)), Counting(), 1.0, Komi(4.0, np.random.default_rng(1))
    )
    lot = next(teaching.taught(iter([empty])))
    _, value, score, _ = run(network(1), empty)
    assert np.allclose(lot.value[:, 0], 1 / (1 + np.exp(value[:, 1] - value[:, 0])), atol=1e-5)
    assert np.allclose(lot.value[:, 1], 20 * score[:, 2], atol=1e-4)


def test_each_position_is_seen_at_another_komi_as_well() -> None:
    (own, other), positions = taught(0.0)
    assert np.array_equal(own.value[:, 1], positions.value[:, 1])
    moved = other.value[:, 1] - own.value[:, 1]
    assert np.any(moved)
    assert np.array_equal(moved, np.rint(moved)), "ties stay what they were"
    assert np.array_equal(other.value[:, 0] > 0.5, other.value[:, 1] > 0)


def test_it_learns() -> None:
    torch.manual_seed(1)
    lots, _ = taught(1.0)
    head = NewHead(network(1).value, 8, 16)
    chosen = np.arange(len(lots[0]))
    before = sum(float(part.detach()) for part in head.losses(lots[0], chosen))
    learn(head, lots, 60, np.random.default_rng(1))
    assert sum(float(part.detach()) for part in head.losses(lots[0], chosen)) < 0.7 * before


def test_the_program_changes_the_value_head_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, teacher = write(network(1), tmp_path / "net.npz"), write(network(2), tmp_path / "teacher.npz")
    for seed in range(3):
        save(finished(BATCH, 7, seed=seed), tmp_path / "lots")
    out = tmp_path / "taught.npz"
    names = [str(source), str(teacher), str(tmp_path / "lots"), "--out", str(out), "--name", "taught"]
    main([*names, "--channels", "6", "--hidden", "9", "--epochs", "1"])
    assert capsys.readouterr().out.count("ownership") == 2
    header, parameters = read(out)
    assert header.name == "taught"
    assert parameters.value.conv.weights.shape[3] == 6
    assert parameters.value.hidden.shape == (18, 9)
    with np.load(source) as before, np.load(out) as after:
        same = [entry for entry in before if entry != "name" and not entry.startswith("value.")]
        assert all(np.array_equal(before[entry], after[entry]) for entry in same)
        assert {entry for entry in after if entry.startswith("value.")} == {
            entry for entry in before if entry.startswith("value.")
        }


def test_positions_without_outcomes_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    teaching = Teaching(
        TipNetwork(network(1)), Network(network(2)), Counting(), 1.0, Komi(4.0, np.random.default_rng(1))
    )
    with pytest.raises(UnfinishedGames):
        next(teaching.taught(iter([made(5, 7)])))
    source = write(network(1), tmp_path / "net.npz")
    save(made(BATCH, 7), tmp_path / "lots")
    for folder, told in ((tmp_path / "lots", "finished games"), (tmp_path / "none", "fewer than")):
        folder.mkdir(exist_ok=True)
        with pytest.raises(SystemExit):
            main([str(source), str(source), str(folder), "--out", str(tmp_path / "out.npz")])
        assert told in capsys.readouterr().err
        assert not (tmp_path / "out.npz").exists()


def test_positions_of_which_only_the_policy_is_known_are_left_out() -> None:
    positions = finished(5, 7)
    unknown = replace(positions, value=np.full_like(positions.value, -1.0))
    teaching = Teaching(
        TipNetwork(network(1)), Network(network(2)), Counting(), 1.0, Komi(4.0, np.random.default_rng(1))
    )
    assert [len(lot) for lot in teaching.taught(iter([unknown, positions]))] == [5, 5]
