"""Training a network: learning, resuming after interruptions, and numpy outputs equal to torch."""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from daoqi_tui.ai import USUAL
from daoqi_tui.ai.nets import NetworkFiles, file_for, read
from daoqi_tui.ai.network import NetError, convolution
from daoqi_tui.ai.network.convolution import ROUNDED
from daoqi_tui.ai.network.features import LAYOUTS
from daoqi_tui.ai.network.layout import Floats
from daoqi_tui.ai.network.network import Block, LoadedNetwork, NestedBlock, Network, Parameters, corrected
from daoqi_tui.ai.network.npz import read_npz
from daoqi_tui.cli import is_expected
from daoqi_tui.engine import PASS, Board, Torus, torus_of
from daoqi_tui.lab.training.network_file import Storage, write_npz
from daoqi_tui.lab.training.positions import WrongPositions, files, load, packed
from daoqi_tui.lab.training.settings import (
    CORRECTED,
    Finishing,
    Learning,
    NetworkShape,
    Searching,
    Settings,
    SettingsError,
    Teaching,
    toml_of,
)
from daoqi_tui.record.files import InUse
from tests.lab.training.test_positions import count, made, save
from tests.shared_data import data_path

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
from daoqi_tui.ai.network.torch_network import TorchNetwork, fast_network, pad_circular  # noqa: E402
from daoqi_tui.lab.training.dataset import Dataset  # noqa: E402
from daoqi_tui.lab.training.evaluators import evaluator_of, header_of, model_from, new_model, teacher_of  # noqa: E402
from daoqi_tui.lab.training.learn import Diverged, Learner, Losses, fix_norms  # noqa: E402
from daoqi_tui.lab.training.model import ConvolutionLayer, Model, parameters_of  # noqa: E402
from daoqi_tui.lab.training.run import Training, settings_of  # noqa: E402
from daoqi_tui.lab.training.workers import PlayFailed  # noqa: E402
from tests.waiting import is_running, wait_until  # noqa: E402

SMALL = Settings(
    name="small",
    threads=1,
    boards=4,
    device="cpu",
    sizes={"5": 1.0, "6": 1.0},
    shape=NetworkShape(2, 12, (1,), 4, 8, 8),
    learning=Learning(samples=192, batch=16, save_minutes=0.0),
)
BOTTLENECKS = replace(SMALL, shape=replace(SMALL.shape, bottleneck=6))
CPU = torch.device("cpu")
# A second thread would only wait when other tests run in parallel.
torch.set_num_threads(1)


def stirred(settings: Settings) -> Model:
    """Return a model with random weights and norms that are not the identity."""
    model = new_model(settings)
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.normal_(module.weight, 1, 0.2)
            torch.nn.init.normal_(module.bias, 0, 0.2)
            torch.nn.init.normal_(module.running_mean, 0, 0.3)
            torch.nn.init.uniform_(module.running_var, 0.5, 2)
        elif isinstance(module, torch.nn.Conv2d):
            torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
    return model.eval()


def teacher_in(folder: Path) -> str:
    """Write a teacher's network to a folder; return the name of its file."""
    path = folder / "teacher.npz"
    write_npz(path, header_of(SMALL), parameters_of(stirred(SMALL)))
    return str(path)


def assert_equal_outputs(model: Model, parameters: Parameters, size: int) -> None:
    """Assert that a model in torch and its weights in numpy evaluate three positions alike."""
    rng = np.random.default_rng(1)
    planes = rng.random((3, size * size, 22)).astype(np.float32)
    whole = rng.random((3, 19)).astype(np.float32)
    found = Network(parameters).run(planes, whole, size)
    with torch.no_grad():
        boards = torch.from_numpy(planes.reshape(3, size, size, 22).transpose(0, 3, 1, 2).copy())
        wanted = model(boards, torch.from_numpy(whole))
    for ours, theirs in zip((found.policy, found.value, found.score, found.ownership), wanted, strict=True):
        # The outputs of a large network reach 100 for such inputs.
        assert np.abs(ours - theirs.numpy()).max() < 1e-5 * max(10.0, np.abs(ours).max())


@pytest.mark.parametrize("size", [5, 8, 16, 19])
@pytest.mark.parametrize("settings", [SMALL, BOTTLENECKS], ids=["plain", "bottlenecks"])
def test_numpy_plays_what_torch_has_learnt(tmp_path: Path, settings: Settings, size: int):
    model = stirred(settings)
    path = tmp_path / "small.npz"
    write_npz(path, header_of(settings), parameters_of(model), Storage.FLOAT32)
    header, parameters = read_npz(path)
    assert header == header_of(settings)
    assert_equal_outputs(model, parameters, size)


def test_blocks_in_bottlenecks_are_those_of_the_shape():
    parameters = parameters_of(new_model(BOTTLENECKS))
    assert len(parameters.blocks) == 2
    for index, outer in enumerate(parameters.blocks):
        assert isinstance(outer, NestedBlock)
        assert outer.narrow.weights.shape == (1, 1, 12, 6)
        assert outer.widen.weights.shape == (1, 1, 6, 12)
        first, second = outer.blocks
        assert isinstance(first, Block)
        assert isinstance(second, Block)
        # The second bottleneck has the pooling, in its first block.
        assert (first.pooling is not None) == (index == 1)
        assert first.first.weights.shape == (3, 3, 6, 2 if index else 6)
        assert second.pooling is None
        assert second.second.weights.shape == (3, 3, 6, 6)


def test_training_goes_on_from_a_network_with_bottlenecks(tmp_path: Path):
    path, model = tmp_path / "begin.npz", stirred(BOTTLENECKS)
    write_npz(path, header_of(BOTTLENECKS), parameters_of(model), Storage.FLOAT32)
    assert_equal_outputs(model_from(str(path), BOTTLENECKS).eval(), parameters_of(model), 7)
    with pytest.raises(NetError, match="shape"):
        model_from(str(path), SMALL)


@pytest.mark.parametrize("size", [7, 16])
def test_a_network_of_katago_can_be_trained_further(size: int):
    """Its first convolution is wider than the default."""
    file = data_path("nets", "g170-b6c96.bin.gz")
    model = model_from(str(file), replace(SMALL, shape=NetworkShape(6, 96, (2, 4), 32, 32, 64, kernel=5)))
    assert_equal_outputs(model.eval(), read(file)[1], size)


@pytest.mark.parametrize("ladders", [True, False])
def test_a_network_is_told_of_ladders_as_it_was_when_it_learnt(tmp_path: Path, ladders: bool):
    path = tmp_path / "small.npz"
    write_npz(path, replace(header_of(SMALL), ladders=ladders), parameters_of(new_model(SMALL)))
    board = Board(Torus(9))
    for point in (40, 39, PASS, 49, PASS, 50, PASS, 31):
        board.pass_turn() if point == PASS else board.play(point)
    planes = NetworkFiles().load(str(path)).encode(board, 4.0, (), 0).planes
    assert planes[40, LAYOUTS[8].ladders] == ladders


def test_a_file_that_says_nothing_of_ladders_is_read_as_ever(tmp_path: Path):
    path = tmp_path / "small.npz"
    write_npz(path, replace(header_of(SMALL), ladders=False), parameters_of(new_model(SMALL)))
    entries = {name: value for name, value in np.load(path).items() if name != "ladders"}
    np.savez(path, **entries)
    assert read_npz(path)[0].ladders


def test_fewer_bits_are_nearly_as_good(tmp_path: Path):
    parameters = parameters_of(stirred(SMALL))
    kinds = Storage.FLOAT32, Storage.FLOAT16, Storage.INT8
    paths = [tmp_path / f"{kind}.npz" for kind in kinds]
    for path, kind in zip(paths, kinds, strict=True):
        write_npz(path, header_of(SMALL), parameters, kind)
    planes, whole = np.ones((1, 81, 22), np.float32), np.ones((1, 19), np.float32)
    full, half, quarter = (Network(read_npz(path)[1]).run(planes, whole, 9) for path in paths)
    assert 0 < np.abs(full.policy - half.policy).max() < 0.05
    assert 0 < np.abs(full.policy - quarter.policy).max() < 0.2
    sizes = [path.stat().st_size for path in paths]
    assert sizes[1] < 0.7 * sizes[0]
    assert sizes[2] < 0.8 * sizes[1], "most of this small network is not convolutions"


@pytest.mark.parametrize("settings", [SMALL, BOTTLENECKS], ids=["plain", "bottlenecks"])
def test_what_is_learnt_shows(tmp_path: Path, settings: Settings):
    for seed in range(3):
        save(made(16, 5, seed), tmp_path)
    dataset = Dataset([tmp_path], np.random.default_rng(1))
    learning = Learning(batch=16, rate=5e-3)
    learner = Learner(new_model(settings), learning, CPU, 16 * 100)
    told = []
    while not learner.done:
        told.append(learner.step(dataset))
    first, last = told[:10], told[-10:]
    assert np.mean([loss.owner for loss in last]) < 0.8 * np.mean([loss.owner for loss in first])
    assert np.mean([loss.policy for loss in last]) < 0.8 * np.mean([loss.policy for loss in first])
    assert learner.test(dataset).owner < 0.8 * np.mean([loss.owner for loss in first])


@pytest.mark.parametrize("size", [2, 3, 6])
@pytest.mark.parametrize("kernel", [3, 5])
def test_gradients_pass_around_the_torus(size: int, kernel: int):
    """Padding has a backward pass of its own, which is compared with automatic differentiation."""
    layer = ConvolutionLayer(3, 4, kernel).double()
    given = torch.randn(2, 3, size, size, dtype=torch.double, requires_grad=True)
    wanted = torch.nn.functional.conv2d(pad_circular(given, kernel // 2), layer.weight)
    weights = torch.randn_like(wanted)
    gradients = [torch.autograd.grad((made * weights).sum(), given)[0] for made in (layer(given), wanted)]
    assert torch.allclose(*gradients)


def test_a_network_learns_in_the_end_what_it_is_when_it_plays():
    """The boards of a batch have one size; normalised by it, the network would differ for every size."""
    model = stirred(SMALL)
    rng = np.random.default_rng(1)
    planes = torch.from_numpy(rng.integers(0, 2, (8, 22, 5, 5)).astype(np.float32))
    whole = torch.from_numpy(rng.normal(size=(8, 19)).astype(np.float32))

    def values() -> object:
        with torch.no_grad():
            return model(planes, whole)[1]

    playing, _ = values(), model.train()
    assert not torch.allclose(values(), playing, atol=0.01)
    model = stirred(SMALL)
    playing, _ = values(), model.train()
    fix_norms(model)
    assert torch.allclose(values(), playing)


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler, so nothing can be compiled")
@pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")
def test_a_compiled_network_learns_the_same(tmp_path: Path) -> None:
    """One board size uses the compiled network, the other the plain one; both share their weights."""
    for size in (5, 6):
        save(made(16, size), tmp_path)
    tiny = replace(SMALL, shape=NetworkShape(1, 8, (), 0, 8, 8))
    learners = [Learner(stirred(tiny), Learning(batch=8, compiled=sizes), CPU, 8 * 40) for sizes in ((), (5,))]
    told = []
    for learner in learners:
        dataset = Dataset([tmp_path], np.random.default_rng(1))
        told.append([learner.step(dataset) for _ in range(6)])
    for one, other in zip(*told, strict=True):
        assert one.policy == pytest.approx(other.policy, rel=0.05)
        assert one.owner == pytest.approx(other.owner, rel=0.05)
    assert list(learners[1].model.state_dict()) == list(new_model(tiny).state_dict())


@pytest.mark.parametrize(
    ("instructions", "kind"),
    [("amx_bf16", torch.bfloat16), ("avx512_bf16", torch.bfloat16), ("avx512_f", torch.float32)],
)
def test_a_cpu_learns_in_16_bits_where_it_has_instructions_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instructions: str, kind: torch.dtype
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {instructions: True}, raising=False)
    save(made(8, 5), tmp_path)
    learner = Learner(stirred(SMALL), Learning(batch=8), CPU, 8 * 40)
    kinds: list[object] = []
    learner.model.first.register_forward_hook(lambda _layer, _given, boards: kinds.append(boards.dtype))
    learner.step(Dataset([tmp_path], np.random.default_rng(1)))
    assert kinds == [kind]


def test_normalisation_is_settled_before_the_end(tmp_path: Path):
    save(made(32, 5), tmp_path)
    dataset = Dataset([tmp_path], np.random.default_rng(1))
    learner = Learner(new_model(SMALL), Learning(batch=8, frozen_norm=0.4), CPU, 8 * 10)
    means = []
    while not learner.done:
        learner.step(dataset)
        means.append(learner.model.tip.running_mean.clone())
    moved = [not torch.equal(one, other) for one, other in pairwise(means)]
    assert moved == [True] * 5 + [False] * 4


def test_an_interrupted_learning_goes_on_as_if_it_had_not_been(tmp_path: Path):
    save(made(16, 5), tmp_path / "lessons")

    def learner() -> Learner:
        return Learner(new_model(SMALL), Learning(batch=8), CPU, 8 * 20)

    whole, interrupted, resumed = learner(), learner(), learner()
    dataset = Dataset([tmp_path / "lessons"], np.random.default_rng(1))
    for _ in range(6):
        whole.step(dataset)
    dataset = Dataset([tmp_path / "lessons"], np.random.default_rng(1))
    for _ in range(3):
        interrupted.step(dataset)
    interrupted.save(tmp_path / "state.pt")
    resumed.load(tmp_path / "state.pt")
    assert resumed.seen == interrupted.seen == 24
    for _ in range(3):
        resumed.step(dataset)
    for one, other in zip(whole.model.state_dict().values(), resumed.model.state_dict().values(), strict=True):
        assert torch.allclose(one.float(), other.float(), atol=1e-5)


def test_a_training_from_nothing_runs_to_its_end_and_only_once(tmp_path: Path):
    searching = Searching(rounds=2, positions=8, visits=4, quick_visits=2, considered=2, samples=48)
    settings = Settings(**{**vars_of(SMALL), "searching": searching})
    told = io.StringIO()
    network = Training(tmp_path, settings, Console(file=told, width=100)).run()
    assert re.search(r"round-1: positions .*8/8", told.getvalue()), "the bar is full"
    assert re.search(r"round-2: learning .*48/48", told.getvalue())
    assert count(tmp_path / "round-1" / "lots") >= 8
    assert not list(tmp_path.rglob("state.pt"))
    assert evaluator_of(network, settings).name == "small"
    before = network.stat().st_mtime_ns
    assert Training(tmp_path, settings).run() == network
    assert network.stat().st_mtime_ns == before


def test_of_some_positions_the_policy_alone_is_learnt(tmp_path: Path):
    save(made(16, 5), tmp_path / "whole")
    save(made(16, 5, 1), tmp_path / "policy")
    rng = np.random.default_rng(1)
    learner = Learner(new_model(SMALL), Learning(batch=16), CPU, 160)
    told = learner.test(Dataset([], rng, policy_of=[tmp_path / "policy"]))
    assert told.policy > 0
    assert (told.value, told.lead, told.spread, told.owner) == (0, 0, 0, 0)
    told = learner.test(Dataset([tmp_path / "whole"], rng, policy_of=[tmp_path / "policy"]))
    assert min(told.policy, told.value, told.lead, told.owner) > 0


def test_weights_half_way_are_half_of_each(tmp_path: Path):
    learner = Learner(new_model(SMALL), Learning(batch=16), CPU, 160)
    learner.save_weights(tmp_path / "before.pt")
    before = {name: value.clone() for name, value in learner.averaged.state_dict().items()}
    with torch.no_grad():
        for weights in learner.averaged.parameters():
            weights += 1.0
    learner.mix(tmp_path / "before.pt", 0.25)
    mixed = learner.averaged.state_dict()
    names = [name for name, _ in learner.averaged.named_parameters()]
    assert all(torch.allclose(mixed[name], before[name] + 0.25, atol=1e-6) for name in names)


def test_a_training_goes_on_from_a_networks_file(tmp_path: Path):
    teacher = Path(teacher_in(tmp_path))
    settings = replace(SMALL, begin=str(teacher))
    rng = np.random.default_rng(1)
    planes = rng.integers(0, 2, (3, 36, 22)).astype(np.float32)
    whole = rng.normal(size=(3, 19)).astype(np.float32)

    def policy(path: Path) -> Floats:
        return Network(read_npz(path)[1]).run(planes, whole, 6).policy

    network = Training(tmp_path / "training", settings).run()
    assert np.allclose(policy(network), policy(teacher), atol=1e-5), "nothing was to be learnt"
    searching = Searching(rounds=1, positions=8, visits=4, considered=2, samples=48)
    network = Training(tmp_path / "further", replace(settings, searching=searching)).run()
    off = np.abs(policy(network) - policy(teacher)).max()
    assert 0 < off < 3, "it learns on from there"


def test_a_stage_that_is_killed_at_its_very_end_ends_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seed, which decides which positions are drawn, is also the same."""
    finishing = Finishing(positions=16, samples=48, share=0.5)
    settings = replace(SMALL, begin=teacher_in(tmp_path), finishing=finishing)
    for name in ("whole", "killed"):
        save(made(16, 5), tmp_path / name / "finished" / "lots")
    whole = Training(tmp_path / "whole", settings).run()
    unlink = Path.unlink

    def killed(path: Path, missing_ok: bool = False) -> None:
        if path.name == "state.pt":
            raise KeyboardInterrupt
        unlink(path, missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", killed)
        with pytest.raises(KeyboardInterrupt):
            Training(tmp_path / "killed", settings).run()
    resumed = Training(tmp_path / "killed", settings).run()
    assert resumed.read_bytes() == whole.read_bytes()
    assert not (tmp_path / "killed" / "finished" / "state.pt").exists()


def test_a_stage_that_is_killed_before_its_state_was_saved_is_learnt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finishing = Finishing(positions=16, samples=16 * 100)
    settings = replace(
        SMALL, begin=teacher_in(tmp_path), finishing=finishing, learning=Learning(batch=16, save_minutes=60.0)
    )
    save(made(16, 5), tmp_path / "training" / "finished" / "lots")
    write_line, lines = Training._log, list[int]()

    def killed(*given: Any) -> None:
        lines.append(1)
        if len(lines) > 1:
            raise KeyboardInterrupt
        write_line(*given)

    with monkeypatch.context() as patch:
        patch.setattr(Training, "_log", killed)
        with pytest.raises(KeyboardInterrupt):
            Training(tmp_path / "training", settings).run()
    log = tmp_path / "training" / "finished" / "log.csv"
    assert log.read_text("utf-8").count("\n") == 2
    before = (tmp_path / "training" / "network.npz").read_bytes()
    assert Training(tmp_path / "training", settings).run().read_bytes() != before
    assert log.read_text("utf-8").splitlines()[-1].startswith("1600,")


def test_a_log_tells_of_each_step_once_however_often_it_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(SMALL, begin=teacher_in(tmp_path), finishing=Finishing(positions=16, samples=16 * 160))
    settings = replace(settings, learning=Learning(batch=16, save_minutes=0.0))
    save(made(16, 5), tmp_path / "training" / "finished" / "lots")
    log = tmp_path / "training" / "finished" / "log.csv"
    keep = Training._keep

    def killed(training: Training, stage: str, learner: Learner) -> None:
        if learner.seen == 16 * 40:
            keep(training, stage, learner)
        elif learner.done:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        # At the end of learning; the saved state is that of the first line.
        patch.setattr(Training, "_keep", killed)
        with pytest.raises(KeyboardInterrupt):
            Training(tmp_path / "training", settings).run()
    assert log.read_text("utf-8").count("\n") == 5
    *whole, _ = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(whole) + b"25")
    Training(tmp_path / "training", settings).run()
    told = [line.split(",")[0] for line in log.read_text("utf-8").splitlines()]
    assert told == ["samples", "640", "1280", "1920", "2560"]


@pytest.mark.parametrize(
    ("begin", "told"),
    [
        ("none", "begin is 'none', which is no network"),
        ("auto", r"daoqi-\S+ is not of the shape that the settings name"),
    ],
)
def test_a_training_begins_with_no_other_network(tmp_path: Path, begin: str, told: str):
    with pytest.raises(NetError, match=told):
        Training(tmp_path / "training", replace(SMALL, begin=begin)).run()
    assert not (tmp_path / "training" / "network.npz").exists()


def test_a_training_whose_only_positions_are_held_out_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daoqi_tui.lab.training.dataset.is_held_out", lambda _path: True)
    settings = replace(SMALL, finishing=Finishing(positions=8, samples=32))
    save(made(8, 5), tmp_path / "finished" / "lots")
    with pytest.raises(PlayFailed, match="all 8 positions of finished are held out for testing"):
        Training(tmp_path, settings, Console(file=io.StringIO())).run()
    assert not (tmp_path / "finished" / "state.pt").exists()


def test_positions_beyond_the_wanted_ones_are_kept_but_not_learnt(tmp_path: Path):
    """In the stage itself, in the later one that learns them again, and where a lot is there only in part."""
    settings = replace(
        SMALL,
        begin=teacher_in(tmp_path),
        finishing=Finishing(positions=16, samples=48),
        searching=Searching(rounds=1, positions=8, samples=48),
    )
    for name in ("plain", "added"):
        for positions, stage in ((16, "finished"), (8, "round-1")):
            save(made(positions, 5), tmp_path / name / stage / "lots")
    added = []
    for stage in ("finished", "round-1"):
        lots = tmp_path / "added" / stage / "lots"
        save(made(40, 5, seed=2), lots)
        added += [next(lots.glob("000001-*")), lots / "000002-5-40-1of2.npz"]
        shutil.copy(*added[-2:])
    told = io.StringIO()
    plain = Training(tmp_path / "plain", settings, Console(file=io.StringIO())).run()
    learnt = Training(tmp_path / "added", settings, Console(file=told, width=300)).run()
    assert learnt.read_bytes() == plain.read_bytes()
    assert [path.exists() for path in added] == [True] * 4
    file = tmp_path / "added" / "settings.toml"
    for stage, wanted, setting in (("finished", 16, "finishing.positions"), ("round-1", 8, "searching.positions")):
        told_of = f"{stage}: 1 lot beyond the {wanted} positions is kept, but not learnt; raise {setting} in {file}"
        assert told_of in told.getvalue()
    again = io.StringIO()
    Training(tmp_path / "added", settings, Console(file=again, width=300)).run()
    assert "beyond" not in again.getvalue(), "nothing is left to learn"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mine.npz", r"mine\.npz is not named as a file of positions: 000012-16-2048\.npz, for lot 12 on 16×16"),
        ("000001-5-9-1.npz", r"000001-5-9-1\.npz is not named as a file of positions"),
        ("000000-5-9.npz", r"000000-5-9\.npz is damaged, or not a file of positions"),
    ],
)
def test_a_file_that_holds_no_positions_is_named(tmp_path: Path, name: str, told: str):
    settings = replace(SMALL, begin=teacher_in(tmp_path), finishing=Finishing(positions=9, samples=48))
    lots = tmp_path / "training" / "finished" / "lots"
    lots.mkdir(parents=True)
    (lots / "000000-5-9.npz").write_bytes(packed(made(9, 5))[:-9] if name == "000000-5-9.npz" else packed(made(9, 5)))
    (lots / "._000000-5-9.npz").write_bytes(b"what macOS writes beside a file")
    if name != "000000-5-9.npz":
        (lots / name).write_bytes(b"")
    with pytest.raises(WrongPositions, match=told) as raised:
        Training(tmp_path / "training", settings, Console(file=io.StringIO())).run()
    assert is_expected(raised.value)


def test_own_games_are_played_to_their_end_and_learnt_from(tmp_path: Path):
    settings = replace(
        SMALL,
        teacher=teacher_in(tmp_path),
        boards=16,
        sizes={"4": 1.0},
        teaching=Teaching(positions=2048),
        finishing=Finishing(positions=2048, samples=64, recorded=1.0),
    )
    network = Training(tmp_path / "training", settings).run()
    assert count(tmp_path / "training" / "finished" / "lots") >= 2048
    assert (tmp_path / "training" / "finished" / "log.csv").read_text("utf-8").count("\n") == 2
    evaluator_of(network, settings)
    before = network.stat().st_mtime_ns
    Training(tmp_path / "training", settings).run()
    assert network.stat().st_mtime_ns == before


def test_a_teacher_labels_the_games_of_another_network(tmp_path: Path):
    """The training begins with the network that plays the games, and learns the teacher's policy from them."""
    begin = tmp_path / "begin.npz"
    write_npz(begin, header_of(SMALL), parameters_of(stirred(replace(SMALL, seed=5))))
    settings = replace(
        SMALL,
        teacher=teacher_in(tmp_path),
        begin=str(begin),
        boards=16,
        sizes={"4": 1.0},
        teaching=Teaching(positions=2048, player=str(begin), labelled=0.5, values="player"),
    )
    Training(tmp_path / "training", settings).run()
    positions = load(next(files(tmp_path / "training" / "teacher" / "lots")))
    inputs = positions.planes_of().reshape(len(positions), 16, -1), positions.whole
    labels = {name: Network(read_npz(tmp_path / f"{name}.npz")[1]).run(*inputs, 4) for name in ("teacher", "begin")}
    legal = positions.policy > 0
    off = {
        name: np.abs(softmax(np.where(legal, found.policy, -np.inf)) - positions.policy).max()
        for name, found in labels.items()
    }
    assert off["teacher"] < 0.01 < off["begin"]
    win = {name: softmax(found.value[:, :2])[:, 0] for name, found in labels.items()}
    off = {name: np.abs(found - positions.value[:, 0]).max() for name, found in win.items()}
    assert off["begin"] < 0.01 < off["teacher"]


@pytest.mark.parametrize("has_kernel", [False, True])
def test_a_network_labels_positions_in_bytes_where_that_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_kernel: bool
) -> None:
    """Only the choice is tested, so that a processor without the instructions can."""
    monkeypatch.setattr(ROUNDED, "functions", object() if has_kernel else None)
    monkeypatch.setattr(convolution, "CHANNELS", SMALL.shape.channels)
    evaluator = evaluator_of(Path(teacher_in(tmp_path)), SMALL)
    assert isinstance(evaluator, LoadedNetwork)
    assert isinstance(evaluator._runner, Network)
    assert evaluator._runner.rounded == has_kernel


@pytest.mark.parametrize("size", [5, 16])
def test_the_built_in_network_corrects_the_values_of_a_teacher(size: int) -> None:
    """Each part is asked alone, and put together as in a game with ``--net katrain``."""
    settings = replace(SMALL, teaching=replace(SMALL.teaching, values=CORRECTED))
    flat, own = (Path(file_for(USUAL, *chosen)) for chosen in ((9,), ()))
    board = Board(torus_of(size))
    for point in range(0, size * size, 4):
        board.make(point)
    both, teacher, player = teacher_of(flat, settings), evaluator_of(flat, settings), NetworkFiles().load(str(own))
    found, theirs, ours = (
        network.evaluate([network.encode(board, 4.0, (), 0)], size)[0] for network in (both, teacher, player)
    )
    expected = corrected(theirs, ours, 1 - board.empty.bit_count() / size**2)
    assert found.win == pytest.approx(expected.win)
    assert found.win != pytest.approx(theirs.win)
    assert np.array_equal(found.policy, theirs.policy)
    assert teacher_of(flat, SMALL).evaluate([teacher.encode(board, 4.0, (), 0)], size)[0].win == theirs.win


@pytest.mark.parametrize("has_gpu", [False, True])
@pytest.mark.parametrize("fits", [False, True])
def test_torch_runs_networks_on_a_gpu_that_has_room_for_them(
    monkeypatch: pytest.MonkeyPatch, has_gpu: bool, fits: bool
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: has_gpu)
    monkeypatch.setattr(TorchNetwork, "run", (lambda *_: None) if fits else refuse)
    assert (fast_network(parameters_of(stirred(SMALL))) is not None) == (has_gpu and fits)


def refuse(*_: object) -> None:
    raise RuntimeError("out of memory")


@pytest.mark.parametrize(("size", "reach"), [(5, 1), (5, 2), (3, 3), (2, 5)])
def test_boards_are_padded_around(size: int, reach: int) -> None:
    boards = torch.arange(2 * 3 * size * size).view(2, 3, size, size)
    around = np.arange(-reach, size + reach) % size
    assert torch.equal(pad_circular(boards, reach), boards[:, :, around][:, :, :, around])


def softmax(logits: Floats) -> Floats:
    risen = np.exp(logits - logits.max(axis=1, keepdims=True))
    return risen / risen.sum(axis=1, keepdims=True)


def test_the_player_that_teaching_names_must_be_a_network(tmp_path: Path):
    settings = replace(SMALL, teacher=teacher_in(tmp_path), teaching=Teaching(positions=8, player="none"))
    with pytest.raises(NetError, match=r"teaching\.player is 'none', which is no network"):
        Training(tmp_path / "training", settings).run()


def test_a_killed_training_goes_on(tmp_path: Path):
    """The teacher is the network of an earlier training; a training killed while it learns is resumed."""
    settings = Settings(
        **{
            **vars_of(SMALL),
            "teacher": teacher_in(tmp_path),
            "teaching": Teaching(positions=2048),
            "learning": Learning(samples=16 * 4000, batch=16, save_minutes=0.0),
        }
    )
    (tmp_path / "settings.toml").write_text(toml_of(settings), "utf-8")
    folder = tmp_path / "training"
    command = [sys.executable, "-m", "daoqi_tui", "train", str(folder), "--settings", str(tmp_path / "settings.toml")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    state = folder / "teacher" / "state.pt"
    wait_until(lambda: state.exists() or process.poll() is not None)
    assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    learner = Learner(new_model(settings), settings.learning, CPU, 16)
    learner.load(state)
    assert 0 < learner.seen < settings.learning.samples
    positions = count(folder / "teacher" / "lots")
    shorter = Settings(**{**vars_of(settings), "learning": Learning(samples=learner.seen + 64, batch=16)})
    (folder / "settings.toml").write_text(toml_of(shorter), "utf-8")
    assert Training(folder, settings_of(folder, None)).run().exists()
    assert count(folder / "teacher" / "lots") == positions, "no position was played again"
    assert not state.exists()


ORPHAN = """
import sys, time
from multiprocessing import active_children
from pathlib import Path
from threading import Thread
from daoqi_tui.lab.training.lots import Play
from daoqi_tui.lab.training.settings import PlayKind, read_settings
from daoqi_tui.lab.training.workers import play_until
folder, settings = Path(sys.argv[1]), read_settings(Path(sys.argv[2]))
if __name__ == "__main__":
    def play(): play_until(10**9, folder, Play("played", None, settings, PlayKind.SEARCHED), lambda there: None)
    Thread(target=play, daemon=True).start()
    while not active_children(): time.sleep(0.01)
    print(active_children()[0].pid, flush=True)
    time.sleep(10**6)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the state of a process is read from /proc")
def test_a_worker_ends_when_its_training_was_killed(tmp_path: Path):
    searching = Searching(visits=2, full=1.0, considered=2)
    settings = replace(SMALL, searching=searching, sizes={"4": 1.0})
    (tmp_path / "settings.toml").write_text(toml_of(settings), "utf-8")
    (tmp_path / "orphan.py").write_text(ORPHAN, "utf-8")
    command = [sys.executable, str(tmp_path / "orphan.py"), str(tmp_path / "played"), str(tmp_path / "settings.toml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as training:
        assert training.stdout is not None
        worker = int(training.stdout.readline())
        try:
            wait_until(lambda: count(tmp_path / "played" / "lots") > 0)
            training.kill()
            training.wait()
            wait_until(lambda: not is_running(worker))
        finally:
            training.kill()
            if is_running(worker):
                os.kill(worker, signal.SIGKILL)


def test_a_diverged_learning_ends_and_leaves_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = replace(SMALL, begin=teacher_in(tmp_path), finishing=Finishing(positions=16, samples=48))
    save(made(16, 5), tmp_path / "training" / "finished" / "lots")
    steps, step = list[int](), Learner.step

    def spoilt(learner: Learner, dataset: Dataset) -> Losses:
        losses = step(learner, dataset)
        steps.append(1)
        if len(steps) == 2:
            # As if a gradient had overflowed.
            for model in (learner.model, learner.averaged):
                torch.nn.init.constant_(model.tip.weight, torch.nan)
        return losses

    monkeypatch.setattr(Learner, "step", spoilt)
    with pytest.raises(NetError, match="the weights of small are not finite"):
        Training(tmp_path / "training", settings).run()
    read_npz(tmp_path / "training" / "network.npz")
    state = tmp_path / "training" / "finished" / "state.pt"
    assert torch.load(state, weights_only=True)["seen"] == 16
    steps.clear()
    state.unlink()
    later = replace(settings, learning=replace(settings.learning, save_minutes=60.0))
    with pytest.raises(Diverged, match="after 32 samples the loss is no number any more"):
        Training(tmp_path / "training", later).run()
    read_npz(tmp_path / "training" / "network.npz")


def test_a_stage_that_diverged_is_learnt_anew_without_its_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the error message advises, even if there is a log."""
    settings = replace(SMALL, begin=teacher_in(tmp_path), finishing=Finishing(positions=16, samples=16 * 50))
    stage = tmp_path / "training" / "finished"
    save(made(16, 5), stage / "lots")
    losses_of = Learner._losses

    def spoilt(learner: Learner, *given: Any) -> Any:
        loss, losses = losses_of(learner, *given)
        return (loss * torch.nan if learner.seen == 16 * 45 else loss), losses

    with monkeypatch.context() as patch:
        patch.setattr(Learner, "_losses", spoilt)
        with pytest.raises(Diverged, match=r"after 720 samples .* begin the stage anew, without its state\.pt"):
            Training(tmp_path / "training", settings).run()
    assert (stage / "log.csv").exists()
    (stage / "state.pt").unlink()
    before = (tmp_path / "training" / "network.npz").read_bytes()
    assert Training(tmp_path / "training", settings).run().read_bytes() != before
    told = [line.split(",")[0] for line in (stage / "log.csv").read_text("utf-8").splitlines()]
    assert told == ["samples", "640", "800"]
    assert (stage / "weights.pt").exists()


def test_weights_too_large_for_the_file_leave_it_as_it_was(tmp_path: Path):
    path, parameters = tmp_path / "net.npz", parameters_of(stirred(SMALL))
    write_npz(path, header_of(SMALL), parameters)
    before = path.read_bytes()
    with pytest.raises(NetError, match=r"net\.npz is not written"):
        write_npz(path, header_of(SMALL), replace(parameters, first_globals=parameters.first_globals + 1e5))
    assert path.read_bytes() == before


def test_a_folder_is_trained_in_by_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    training = Training(tmp_path / "training", SMALL)

    def twice(_: Training) -> Path:
        with pytest.raises(InUse, match="training is in use by another daoqi-tui"):
            Training(tmp_path / "training", SMALL).run()
        return training.network

    monkeypatch.setattr(Training, "_run", twice)
    for _again in range(2):
        assert training.run() == training.network


def test_settings_are_kept_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        settings_of(tmp_path / "training", None)
    assert not (tmp_path / "training" / "settings.toml").exists()


def test_a_folder_begun_with_other_settings_is_left_alone(tmp_path: Path):
    other = tmp_path / "other.toml"
    other.write_text("seed = 2", "utf-8")
    settings_of(tmp_path / "training", None)
    with pytest.raises(SettingsError, match=r"begun with other settings; leave other\.toml out"):
        settings_of(tmp_path / "training", other)


@pytest.mark.parametrize("spoil", ["empty", "text", "cut", "missing part", "wrong shape", "not a number"])
def test_a_spoilt_network_file_is_told_in_a_sentence(tmp_path: Path, spoil: str):
    path = tmp_path / "net.npz"
    write_npz(path, header_of(SMALL), parameters_of(stirred(SMALL)))
    entries = dict(np.load(path))
    match spoil:
        case "empty":
            path.write_bytes(b"")
        case "text":
            path.write_text("no network")
        case "cut":
            path.write_bytes(path.read_bytes()[:-500])
        case "missing part":
            del entries["tip.scale"]
        case "wrong shape":
            entries["tip.scale"] = entries["tip.scale"][:-1]
        case "not a number":
            entries["tip.scale"] = entries["tip.scale"] * np.nan
    if spoil in ("missing part", "wrong shape", "not a number"):
        np.savez(path, **entries)
    with pytest.raises(NetError, match=r"net\.npz") as error:
        read_npz(path)
    assert "\n" not in str(error.value)


def vars_of(settings: Settings) -> dict[str, object]:
    return {name: getattr(settings, name) for name in Settings.__slots__}
