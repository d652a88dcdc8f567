"""A value head is fitted to the values of positions; nothing else of the network changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from daoqi_tui.ai.nets import read
from daoqi_tui.ai.network import INPUTS, Header
from daoqi_tui.ai.network.features import Features
from daoqi_tui.ai.network.network import Network, Parameters
from daoqi_tui.engine import Board, torus_of
from daoqi_tui.lab.training.network_file import Storage, write_npz
from daoqi_tui.lab.training.positions import Positions
from tests.lab.training.test_positions import made, save

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be fitted")
from daoqi_tui.lab.training.batch_features import FORMAT  # noqa: E402
from daoqi_tui.lab.training.fit_value_head import (  # noqa: E402
    BATCH,
    HeadFit,
    Komi,
    TooFewPositions,
    UnfinishedGames,
    main,
    sample_of,
)
from daoqi_tui.lab.training.model import Model, parameters_of  # noqa: E402
from daoqi_tui.lab.training.settings import NetworkShape  # noqa: E402

SHAPE = NetworkShape(blocks=1, channels=8, pooling=(0,), pooled=2, head=4, hidden=6)


def network(seed: int) -> Parameters:
    torch.manual_seed(seed)
    return parameters_of(Model(SHAPE, *INPUTS[FORMAT]))


def run(parameters: Parameters, positions: Positions) -> tuple[np.ndarray, ...]:
    """Return the outputs of a network: policy, value, score and ownership."""
    size = int(positions.size)
    planes = positions.planes_of().reshape(len(positions), size * size, -1)
    found = Network(parameters).run(planes, positions.whole, size)
    return found.policy, found.value, found.score, found.ownership


def with_other_values(parameters: Parameters, positions: Positions) -> Positions:
    """Return positions with the win rates and leads of a network that differs in its value head; without spreads."""
    other = network(2).value
    head = replace(parameters.value, hidden=other.hidden, value=other.value, score=other.score)
    _, value, score, _ = run(replace(parameters, value=head), positions)
    logits, leads = value[:, 0] - value[:, 1], score[:, 2]
    wins = 1 / (1 + np.exp(-2 * (logits - logits.mean()) / logits.std()))
    leads = 20 * (leads - leads.mean()) / leads.std()
    return replace(positions, value=np.stack((wins, leads, np.full(len(wins), -1)), axis=1).astype(np.float32))


def means_of(losses: Iterable[torch.Tensor]) -> list[float]:
    return [float(loss.detach().mean()) for loss in losses]


def write(parameters: Parameters, path: Path) -> Path:
    write_npz(path, Header("small", FORMAT, *INPUTS[FORMAT], ladders=True), parameters, Storage.FLOAT32)
    return path


@pytest.mark.parametrize("size", [7, 9, 19])
def test_the_hidden_layer_sees_what_it_sees_in_the_network(size: int) -> None:
    parameters, positions = network(1), made(BATCH + 5, size)
    sample = sample_of(parameters, iter([positions]))
    head = parameters.value
    hidden = np.maximum(sample.pooled.numpy() @ head.hidden + head.hidden_bias, 0)
    assert np.allclose(hidden @ head.value + head.value_bias, run(parameters, positions)[1], atol=1e-5)
    assert np.array_equal(sample.value.numpy(), positions.value)
    assert set(sample.size) == {size}


def test_positions_whose_values_are_unknown_do_not_count() -> None:
    positions = made(BATCH + 9, 7)
    positions.value[:9, 0] = -1
    assert len(sample_of(network(1), iter([positions]))) == BATCH
    positions.value[9, 0] = -1
    with pytest.raises(TooFewPositions):
        sample_of(network(1), iter([positions]))


def test_the_values_of_another_network_are_learnt() -> None:
    ours = network(1)
    lots = [with_other_values(ours, made(400, size, seed=size)) for size in (7, 9)]
    sample = sample_of(ours, iter(lots))
    fit = HeadFit(ours.value, np.random.default_rng(1))
    before = means_of(fit.losses(sample))
    assert before[2] == 0
    fit.fit(sample, 400)
    after = means_of(fit.losses(sample))
    assert after[0] < 0.7 * before[0]
    assert after[1] < 0.7 * before[1]


def test_a_network_is_written_that_differs_in_its_values_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = network(1)
    net = write(ours, tmp_path / "ours.npz")
    for size in (7, 9):
        save(with_other_values(ours, made(300, size)), tmp_path / "lots")
    out = tmp_path / "fitted.npz"
    main([str(net), str(tmp_path / "lots"), "--out", str(out), "--name", "ours-2", "--storage", "float32"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["before", "after"]
    assert all("7×7" in line and "9×9" in line for line in lines)
    header, fitted = read(out)
    assert header.name == "ours-2"
    positions = made(20, 9, seed=3)
    same = [np.array_equal(was, now) for was, now in zip(run(ours, positions), run(fitted, positions), strict=True)]
    assert same == [True, False, False, True]


def test_the_other_weights_stay_as_they_are_stored(tmp_path: Path) -> None:
    write_npz(tmp_path / "ours.npz", Header("small", FORMAT, *INPUTS[FORMAT], ladders=True), network(1), Storage.INT8)
    save(with_other_values(network(1), made(300, 7)), tmp_path / "lots")
    main([str(tmp_path / "ours.npz"), str(tmp_path / "lots"), "--out", str(tmp_path / "fitted.npz")])
    with np.load(tmp_path / "ours.npz") as was, np.load(tmp_path / "fitted.npz") as now:
        assert set(was) == set(now)
        changed = {entry for entry in was if not np.array_equal(was[entry], now[entry])}
    assert changed == {
        f"value.{part}" for part in ("hidden", "hidden_bias", "value", "value_bias", "score", "score_bias")
    }


def test_the_head_is_fitted_to_the_network_as_it_is_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours = network(1)
    net, out = write(ours, tmp_path / "ours.npz"), tmp_path / "fitted.npz"
    save(with_other_values(ours, made(300, 7)), tmp_path / "lots")
    for storage in (Storage.FLOAT32, Storage.INT8):
        main([str(net), str(tmp_path / "lots"), "--out", str(out), "--storage", storage, "--epochs", "0"])
    exact, quantised = capsys.readouterr().out.splitlines()[::2]
    assert exact != quantised


@pytest.mark.parametrize("size", [7, 8])
def test_a_position_at_another_komi_is_what_the_encoder_says_of_it(size: int) -> None:
    """Inputs at a drawn komi are those of the board at that komi, and the result is the margin moved by as much."""
    board, komi, margin = Board(torus_of(size)), 4, -3.5
    for point in (3, 11, 20):
        board.make(point)
    encode = Features(FORMAT, ladders=True).encode
    here, count = encode(board, komi, (), 0), 40
    lot = replace(
        made(count, size),
        whole=np.repeat(here.whole[None], count, axis=0),
        value=np.repeat(np.array([[0.0, margin, -1.0]], np.float32), count, axis=0),
    )
    drawn = Komi(8.0, np.random.default_rng(1)).drawn(lot, np.full(count, 30.0))
    for each, centre in zip(drawn, (komi, -30), strict=True):
        more = each.value[:, 1] - margin
        for whole, shift in zip(each.whole, more, strict=True):
            # White is to move, whose points komi is.
            there = encode(board, komi + float(shift), (), 0)
            assert np.allclose(whole, there.whole, atol=1e-6)
        assert abs(float(more.mean()) + komi - centre) < 4
        assert len(set(more)) > 10
        assert np.array_equal(each.value[:, 0], (each.value[:, 1] > 0) + 0.5 * (each.value[:, 1] == 0))
    lot.value[0, 0] = 0.7
    with pytest.raises(UnfinishedGames):
        Komi(8.0, np.random.default_rng(1)).drawn(lot, np.zeros(count))


def errors(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    return capsys.readouterr().err.splitlines()[-1].split("error: ", 1)[1]


def test_what_cannot_be_fitted_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net, out = write(network(1), tmp_path / "ours.npz"), tmp_path / "fitted.npz"
    save(made(3, 7), tmp_path / "lots")
    few = errors([str(net), str(tmp_path / "lots"), "--out", str(out)], capsys)
    assert few == f"these folders hold fewer than {BATCH} positions with values"
    (tmp_path / "broken.npz").write_bytes(b"no network")
    broken = errors([str(tmp_path / "broken.npz"), str(tmp_path), "--out", str(out)], capsys)
    assert broken.startswith("broken.npz is damaged")
    newer = Header("newer", 9, *INPUTS[9], ladders=True)
    head = network(1).value
    six = replace(head, score=np.zeros((6, 6), np.float32), score_bias=np.zeros(6, np.float32))
    write_npz(tmp_path / "newer.npz", newer, replace(network(1), value=six))
    other = errors([str(tmp_path / "newer.npz"), str(tmp_path), "--out", str(out)], capsys)
    assert other.endswith("newer.npz has model format 9; a value head is fitted with 8 alone")
    assert not out.exists()
