"""Pruning: the blocks of a network become narrower, and the rest makes up for what is lost."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be trained")
from torch import Tensor  # noqa: E402

from daoqi_tui.ai.network import NetError  # noqa: E402
from daoqi_tui.lab.training.evaluators import evaluator_of, header_of, model_from, new_model  # noqa: E402
from daoqi_tui.lab.training.model import BlockLayer, Model, parameters_of  # noqa: E402
from daoqi_tui.lab.training.network_file import Storage, write_npz  # noqa: E402
from daoqi_tui.lab.training.pruning import prune, sampled_positions  # noqa: E402
from daoqi_tui.lab.training.settings import NetworkShape, Settings  # noqa: E402
from tests.lab.training.test_learning import SMALL, assert_equal_outputs, stirred  # noqa: E402
from tests.shared_data import data_path  # noqa: E402

WIDE = replace(SMALL, sizes={"5": 1.0}, shape=NetworkShape(3, 12, (1,), 4, 8, 8))
WHOLE = NetworkShape(6, 96, (2, 4), 32, 32, 64, kernel=5)
"""Of KataGo's g170-b6c96."""
NARROW = replace(WIDE, shape=replace(WIDE.shape, middle=5, pooled=2))


def inputs(seed: int, count: int = 200, size: int = 6) -> tuple[Tensor, Tensor]:
    """Return random inputs of positions."""
    generator = torch.Generator().manual_seed(seed)
    planes = (torch.rand((count, 22, size, size), generator=generator) < 0.3).float()
    return planes, torch.rand((count, 19), generator=generator)


def with_idle_channels() -> Model:
    """Return a model that is as wide as ``WIDE``, but in which only as many channels as in ``NARROW`` do anything.

    Of the others, some do not reach the trunk, some add the same everywhere.
    """
    model = stirred(WIDE)
    with torch.no_grad():
        for index, block in enumerate(model.blocks):
            assert isinstance(block, BlockLayer)
            middle = block.second.weight.shape[1]
            idle = torch.randperm(middle, generator=torch.Generator().manual_seed(index))[5:]
            block.second.weight[:, idle[:2]] = 0
            constant = idle[2:]
            block.between.weight[constant] = 0
            block.between.bias[constant] = 1.5
            if block.pooling is not None:
                block.pooling.weights.weight.view(middle, 3, 4)[:, :, [0, 3]] = 0
    return model


def test_channels_that_do_nothing_are_no_loss():
    wide, narrow = with_idle_channels(), new_model(NARROW)
    prune(wide, narrow, *inputs(1))
    assert_equal_outputs(wide, parameters_of(narrow), 7)
    assert [block.second.weight.shape[1] for block in narrow.blocks] == [5, 5, 5]


def test_what_is_left_makes_up_for_what_is_lost():
    """On other positions than those it was fitted to."""
    wide, narrow = stirred(WIDE), new_model(NARROW)
    prune(wide, narrow, *inputs(1))
    # The same channels with the weights they had.
    cut = deepcopy(narrow)
    with torch.no_grad():
        for ours, block in zip(cut.blocks, wide.blocks, strict=True):
            kept = [int((block.first.weight == row).flatten(1).all(dim=1).nonzero()[0, 0]) for row in ours.first.weight]
            ours.second.weight.copy_(block.second.weight[:, kept])
        wanted, fitted, unfitted = (model.eval()(*inputs(2)) for model in (wide, narrow, cut))
    for want, fit, without in zip(wanted, fitted, unfitted, strict=True):
        assert (fit - want).square().mean() < 0.8 * (without - want).square().mean()


def test_training_begins_with_a_pruned_network(tmp_path: Path):
    wide = with_idle_channels()
    write_npz(tmp_path / "wide.npz", header_of(WIDE), parameters_of(wide), Storage.FLOAT32)
    assert_equal_outputs(wide, parameters_of(model_from(str(tmp_path / "wide.npz"), NARROW)), 7)


def test_a_pruned_network_of_katago_still_plays():
    file = data_path("nets", "g170-b6c96.bin.gz")
    shape = replace(WHOLE, middle=48, pooled=16)
    settings = replace(SMALL, sizes={"7": 1.0}, shape=shape)
    planes, whole = sampled_positions(evaluator_of(file, settings), replace(settings, seed=2))
    with torch.no_grad():
        wanted = torch.softmax(model_from(str(file), replace(settings, shape=WHOLE)).eval()(planes, whole)[0], dim=1)
        found = torch.log_softmax(model_from(str(file), settings).eval()(planes, whole)[0], dim=1)
    agreed = (found.argmax(dim=1) == wanted.argmax(dim=1)).float().mean()
    assert agreed > 0.5
    assert torch.nn.functional.kl_div(found, wanted, reduction="batchmean") < 0.5


@pytest.mark.parametrize(
    "shape",
    [
        replace(NARROW.shape, middle=0, pooled=3),
        replace(NARROW.shape, middle=9),
        replace(NARROW.shape, pooled=5),
        replace(NARROW.shape, blocks=2),
        replace(NARROW.shape, channels=13),
        replace(NARROW.shape, pooling=(0,)),
        replace(NARROW.shape, hidden=9),
        replace(NARROW.shape, bottleneck=6),
    ],
    ids=["not narrower", "middle", "pooled", "blocks", "channels", "pooling", "hidden", "bottleneck"],
)
def test_a_network_of_another_shape_is_refused(tmp_path: Path, shape: NetworkShape):
    file = tmp_path / "wide.npz"
    write_npz(file, header_of(WIDE), parameters_of(stirred(WIDE)))
    settings: Settings = replace(NARROW, shape=shape)
    with pytest.raises(NetError, match=r"\[shape\] must say how it was made"):
        model_from(str(file), settings)
