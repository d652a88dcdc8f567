"""A whole training on a CUDA device, from its games to a network that plays in numpy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
if not torch.cuda.is_available():
    pytest.skip("torch finds no CUDA device, so that training on one is not tested", allow_module_level=True)

from daoqi_tui.ai.network.network import Network  # noqa: E402
from daoqi_tui.ai.network.npz import read_npz  # noqa: E402
from daoqi_tui.ai.network.torch_network import TorchNetwork  # noqa: E402
from daoqi_tui.lab.training.evaluators import resolved  # noqa: E402
from daoqi_tui.lab.training.run import Training  # noqa: E402
from daoqi_tui.lab.training.settings import Finishing, Searching, Teaching  # noqa: E402
from tests.lab.training.test_learning import SMALL, teacher_in  # noqa: E402


def test_a_training_runs_through_on_cuda(tmp_path: Path):
    """All stages: a teacher's games, settled games with its labels, searched games, and learning from each."""
    settings = replace(
        SMALL,
        device="cuda",
        boards=64,
        sizes={"5": 1.0},
        teacher=teacher_in(tmp_path),
        teaching=Teaching(positions=512),
        finishing=Finishing(positions=64, samples=64, recorded=1.0, exploratory=0.0, longest=9.0),
        searching=Searching(rounds=1, positions=8, visits=4, considered=2, samples=64),
        # Which is only for a CPU.
        learning=replace(SMALL.learning, compiled=(5,)),
    )
    assert resolved(settings).batched == "yes"
    network = Training(tmp_path / "training", settings).run()
    header, parameters = read_npz(network)
    assert not header.ladders
    rng = np.random.default_rng(1)
    inputs = rng.integers(0, 2, (3, 25, 22)).astype(np.float32), rng.normal(size=(3, 19)).astype(np.float32)
    here = Network(parameters).run(*inputs, 5)
    there = TorchNetwork(parameters, torch.device("cuda"), kind=torch.float32).run(*inputs, 5)
    assert np.abs(here.policy - there.policy).max() < 0.01
