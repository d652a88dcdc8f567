"""Networks written as ONNX files compute what ours do, on boards of every size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from daoqi_tui.ai.nets import named_file, read
from daoqi_tui.ai.network.network import Network, Outputs, Parameters
from daoqi_tui.cli import CommandError
from daoqi_tui.cli.main import run
from tests.ai.network_reference import furthest, nested_parameters, random_parameters

onnx = pytest.importorskip("onnx", reason="onnx is not installed, so no network can be written: pip install onnx")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: pip install onnxruntime")


def differences(model: bytes, parameters: Parameters, sizes: tuple[int, ...]) -> list[float]:
    """Return the largest difference between a model and the network in numpy for boards of each size."""
    session, network = runtime.InferenceSession(model, providers=["CPUExecutionProvider"]), Network(parameters)
    chance, found = np.random.default_rng(1), []
    for size in sizes:
        planes = (chance.random((2, size * size, network.planes)) < 0.3).astype(np.float32)
        whole = chance.normal(size=(2, network.globals)).astype(np.float32)
        boards = np.ascontiguousarray(planes.reshape(2, size, size, -1).transpose(0, 3, 1, 2))
        computed = session.run(["policy", "value", "score", "ownership"], {"planes": boards, "globals": whole})
        found.append(furthest(Outputs(*computed), network.run(planes, whole, size)))
    return found


@pytest.mark.parametrize(
    "parameters",
    [
        random_parameters(1, kernel=5),
        nested_parameters(2, hidden_pass=True),
        nested_parameters(3, hidden_pass=False),
    ],
    ids=("pooling and dilation", "nested with a hidden pass", "nested"),
)
def test_every_kind_of_network_computes_the_same(parameters: Parameters) -> None:
    from daoqi_tui.lab.onnx_graph import onnx_of

    assert max(differences(onnx_of(parameters, {}), parameters, (5, 6, 9, 16, 25))) < 1e-4


@pytest.mark.parametrize("name", ["daoqi", "daoqi-large"])
def test_the_programs_own_networks_are_exported(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / f"{name}.onnx"
    assert run(["export-net", name, str(file)]) == 0
    assert capsys.readouterr().out == f"the network is in {file}\n"
    header, parameters = read(named_file(name))
    model = onnx.load(file)
    onnx.checker.check_model(model)
    properties = {each.key: each.value for each in model.metadata_props}
    assert properties["name"] == header.name
    assert properties["points"] == "mean 20, spread 20, lead 20"
    assert max(differences(file.read_bytes(), parameters, (5,))) < 1e-3
    with pytest.raises(CommandError, match="exists: choose another name, or --force to replace it"):
        run(["export-net", name, str(file)])
    assert run(["export-net", name, str(file), "--force"]) == 0
