"""The network in numpy: it equals the reference implementations on every size, and commutes with translations."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from daoqi_tui.ai.compiled import functions_of
from daoqi_tui.ai.network import winograd_kernel
from daoqi_tui.ai.network.convolution import KERNEL, convolution, convolve
from daoqi_tui.ai.network.layout import TiledVector, Workspace, grid_of
from daoqi_tui.ai.network.network import Activation, Network, activate
from daoqi_tui.engine import LARGEST, SMALLEST
from tests.ai.network_reference import (
    ACTIVATIONS,
    Reference,
    furthest,
    nested_parameters,
    numpy_reference,
    random_parameters,
    torch_reference,
)

CLOSE = 1e-4


@pytest.fixture(params=["numpy", "compiled"], autouse=True)
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run each test with the transforms in numpy, and again with compiled ones."""
    if request.param == "compiled":
        pytest.importorskip("numba", reason="numba is not installed, so there are no compiled transforms to test")
        KERNEL.compile()
    else:
        monkeypatch.setattr(KERNEL, "functions", None)
    return str(request.param)


def inputs(seed: int, boards: int, size: int, planes: int = 5, whole: int = 3):
    rng = np.random.default_rng(seed)
    points = rng.random((boards, size * size, planes)) < 0.3
    return points.astype(np.float32), rng.normal(size=(boards, whole)).astype(np.float32)


@pytest.mark.parametrize("reference", [numpy_reference, torch_reference])
@pytest.mark.parametrize("padding", ["wrap", "zero"])
def test_every_size_agrees_with_the_reference(reference: Reference, padding: str) -> None:
    parameters = random_parameters(1, kernel=5)
    network = Network(parameters, padding)  # type: ignore[arg-type]
    for size in range(SMALLEST, LARGEST + 1):
        planes, whole = inputs(size, 2, size)
        found = network.run(planes, whole, size)
        assert found.policy.shape == (2, size * size + 1)
        assert found.ownership.shape == (2, size * size)
        assert furthest(found, reference(parameters, planes, whole, size, padding)) < CLOSE, size


@pytest.mark.parametrize("reference", [numpy_reference, torch_reference])
@pytest.mark.parametrize("padding", ["wrap", "zero"])
@pytest.mark.parametrize("hidden_pass", [True, False])
def test_blocks_in_blocks_agree_with_the_reference(reference: Reference, padding: str, *, hidden_pass: bool) -> None:
    parameters = nested_parameters(1, hidden_pass=hidden_pass)
    network = Network(parameters, padding)  # type: ignore[arg-type]
    for size, boards in ((9, 2), (7, 1), (16, 3), (9, 5)):
        planes, whole = inputs(size, boards, size)
        found = network.run(planes, whole, size)
        assert furthest(found, reference(parameters, planes, whole, size, padding)) < CLOSE, size


@pytest.mark.parametrize("activation", Activation)
def test_activations_are_what_they_are_called(activation: Activation) -> None:
    numbers = np.concatenate((np.linspace(-120, 120, 70_001), (-1e30, 1e30, 0, -1e-30))).astype(np.float32)
    with np.errstate(over="ignore"):
        wanted = ACTIVATIONS[activation](numbers.astype(np.float64))
    assert np.allclose(activate(activation, numbers.copy()), wanted, rtol=1e-6, atol=5e-6)


@pytest.mark.parametrize("reference", [numpy_reference, torch_reference])
@pytest.mark.parametrize("boards", [1, 2, 7, 8, 9, 31, 32])
def test_every_batch_agrees_with_the_reference(reference: Reference, boards: int) -> None:
    parameters = random_parameters(2, channels=16)
    planes, whole = inputs(boards, boards, 16)
    found = Network(parameters).run(planes, whole, 16)
    assert furthest(found, reference(parameters, planes, whole, 16, "wrap")) < CLOSE


@pytest.mark.parametrize("size", [5, 9, 16, 19])
def test_shifting_the_board_shifts_the_outputs(size: int) -> None:
    network = Network(random_parameters(3))
    planes, whole = inputs(3, 1, size)
    shifted = np.roll(planes.reshape(1, size, size, -1), (2, 3), (1, 2)).reshape(planes.shape)
    one, other = network.run(planes, whole, size), network.run(shifted, whole, size)
    for before, after in ((one.policy[:, :-1], other.policy[:, :-1]), (one.ownership, other.ownership)):
        moved = np.roll(before.reshape(size, size), (2, 3), (0, 1)).reshape(1, -1)
        assert np.abs(moved - after).max() < CLOSE
    assert np.abs(one.value - other.value).max() < CLOSE
    assert np.abs(one.policy[:, -1] - other.policy[:, -1]).max() < CLOSE


def test_a_border_is_seen_where_there_is_one() -> None:
    parameters = random_parameters(4)
    planes, whole = inputs(4, 1, 9)
    torus, bordered = Network(parameters), Network(parameters, "zero")
    assert furthest(torus.run(planes, whole, 9), bordered.run(planes, whole, 9)) > 0.01


def test_results_survive_the_next_batch() -> None:
    network = Network(random_parameters(5))
    one, other = inputs(5, 3, 9), inputs(6, 3, 9)
    first = network.run(*one, 9)
    kept = [first.policy.copy(), first.value.copy(), first.score.copy(), first.ownership.copy()]
    network.run(*other, 9)
    for before, after in zip(kept, (first.policy, first.value, first.score, first.ownership), strict=True):
        assert np.array_equal(before, after)


def test_sizes_and_batches_in_any_order_give_what_a_fresh_network_gives() -> None:
    parameters = random_parameters(7)
    network = Network(parameters)
    order = [(9, 3), (16, 12), (9, 3), (5, 1), (25, 2), (9, 1), (9, 3), (13, 40), (16, 12)]
    for seed, (size, boards) in enumerate(order):
        given = inputs(seed, boards, size)
        assert furthest(network.run(*given, size), Network(parameters).run(*given, size)) < CLOSE


@pytest.mark.parametrize("scale", [-0.7, 0.0, 1e-30, 1e-4, 3.0])
@pytest.mark.parametrize("bias", [-2.0, 0.0, 0.5])
def test_norms_of_every_kind_agree_with_the_reference(scale: float, bias: float) -> None:
    """Including those that cannot be reduced to a maximum: their scale is negative, zero or tiny."""
    parameters = random_parameters(8)
    odd = parameters.blocks[1].before
    odd.scale[2], odd.bias[2] = scale, bias
    parameters.tip.scale[1], parameters.tip.bias[1] = scale, bias
    planes, whole = inputs(8, 2, 9)
    found = Network(parameters).run(planes, whole, 9)
    assert furthest(found, numpy_reference(parameters, planes, whole, 9)) < CLOSE


def test_numpy_is_left_as_it_was() -> None:
    before = np.getbufsize()
    network = Network(random_parameters(9))
    network.run(*inputs(9, 2, 9), 9)
    assert np.getbufsize() == before


def test_a_workspace_keeps_no_more_than_the_largest_of_each_name() -> None:
    work = Workspace()
    large = work.array("some", 4, 5)
    small = work.array("some", 2, 3)
    assert np.shares_memory(large, small)
    assert work.array("some", 4, 5) is large
    made = [work.cached(number, lambda number=number: [number]) for number in range(1000)]
    assert work.cached(999, lambda: [0]) is made[999]
    assert work.cached(0, lambda: [0]) is not made[0], "old things are let go"


def test_the_layout_goes_there_and_back() -> None:
    for size in range(SMALLEST, LARGEST + 1):
        boards = np.random.default_rng(size).normal(size=(3, size * size, 2)).astype(np.float32)
        grid = grid_of(size)
        assert np.array_equal(grid.to_boards(grid.to_tiles(boards)), boards)
        assert int(grid.inside.sum()) == size * size


def test_a_single_weight_moves_a_stone_round_the_torus() -> None:
    """The kernel's only weight is one point up and to the left."""
    weights = np.zeros((3, 3, 1, 1), np.float32)
    weights[0, 0] = 1
    board = "X.......................X"
    planes = np.array([[[sign == "X"] for sign in board]], dtype=np.float32)
    grid = grid_of(5)
    moved = grid.to_boards(convolve(grid.to_tiles(planes), convolution(weights), grid, Workspace(), "moved"))
    drawn = "".join("X" if stone > 0.5 else "." for stone in moved[0, :, 0])
    assert drawn == "X.....X.................."


def test_wrong_shapes_are_refused() -> None:
    network = Network(random_parameters(6))
    planes, whole = inputs(6, 2, 9)
    with pytest.raises(ValueError, match=r"planes has the shape \(2, 81, 5\), not \(2, 100, 5\)"):
        network.run(planes, whole, 10)
    with pytest.raises(ValueError, match=r"whole has the shape \(2, 2\), not \(2, 3\)"):
        network.run(planes, whole[:, :2], 9)


@pytest.mark.parametrize("interpreted", [True, False])
@pytest.mark.parametrize(("size", "boards", "channels"), [(3, 1, 1), (4, 2, 3), (5, 1, 70), (9, 3, 50), (16, 1, 130)])
def test_a_convolution_limits_inputs_and_adds_to_its_outputs(
    monkeypatch: pytest.MonkeyPatch, form: str, size: int, boards: int, channels: int, *, interpreted: bool
) -> None:
    """With channel counts that split into pieces of various lengths; the reference is numpy in float64."""
    if interpreted:
        if form == "numpy" or size > 5:
            pytest.skip("the same was tested, or Python would take seconds")
        monkeypatch.setattr(KERNEL, "functions", SimpleNamespace(**functions_of((winograd_kernel,))))
    rng, grid, work = np.random.default_rng(size), grid_of(size), Workspace()
    given = rng.normal(size=(boards, size, size, channels)).astype(np.float32)
    weights = rng.normal(size=(3, 3, channels, 5)).astype(np.float32)
    bias, least, added = (rng.normal(size=shape).astype(np.float32) for shape in ((5,), (channels,), (boards, 5)))
    before = rng.normal(size=(boards, size * size, 5)).astype(np.float32)
    limited = np.maximum(given, least).astype(np.float64)
    wanted = before + np.repeat(bias + added[:, None], size * size, axis=1).astype(np.float64)
    for row, column in np.ndindex(3, 3):
        moved = np.roll(limited, (1 - row, 1 - column), (1, 2)).reshape(boards, size * size, channels)
        wanted += moved @ weights[row, column].astype(np.float64)
    layer, onto = convolution(weights, bias), grid.to_tiles(before)
    inputs = grid.to_tiles(given.reshape(boards, size * size, channels))
    transformed = layer.transform(inputs, grid, work, TiledVector(least))
    found = layer.apply(transformed, grid, work, "out", added=added, onto=onto)
    assert found is onto
    assert np.abs(grid.to_boards(onto) - wanted).max() < 1e-4 * np.abs(wanted).max()


def test_compiled_transforms_give_the_same_to_the_last_bit(form: str) -> None:
    """A search must give the same result whether or not its evaluators have compiled their transforms yet."""
    if form == "numpy":
        pytest.skip("this compares the two")
    parameters = random_parameters(9, channels=24)
    functions, plain, quick = KERNEL.functions, Network(parameters), Network(parameters)
    for size in range(SMALLEST, LARGEST + 1):
        given = inputs(size, 1 + size % 3, size)
        found = quick.run(*given, size)
        KERNEL.functions = None
        wanted = plain.run(*given, size)
        KERNEL.functions = functions
        for name in ("policy", "value", "score", "ownership"):
            assert np.array_equal(getattr(found, name), getattr(wanted, name)), (size, name)
