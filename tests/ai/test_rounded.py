"""Convolutions in bytes: the kernels as their instructions are defined, and the instructions."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from daoqi_tui.ai.compiled import compile_all, functions_of
from daoqi_tui.ai.evaluators import map_network, write_network
from daoqi_tui.ai.nets import SHIPPED, SHIPPED_LARGE
from daoqi_tui.ai.network import convolution, instructions, rounded_kernel
from daoqi_tui.ai.network.convolution import ROUNDED, Gathered, Quantised, check_products, whole_convolution
from daoqi_tui.ai.network.layout import ZERO, TiledVector, Workspace, grid_of
from daoqi_tui.ai.network.network import Activation, Block, Filter, LoadedNetwork, NestedBlock, Network, Norm
from daoqi_tui.ai.network.npz import read_npz
from daoqi_tui.engine import LARGEST, SMALLEST, Board, Torus
from daoqi_tui.paths import assets_folder
from tests.ai.network_reference import furthest, random_parameters
from tests.ai.torch_vectors import CASES, parameters_of, read

INTERPRETED = SimpleNamespace(**functions_of((rounded_kernel,)))


@pytest.fixture(scope="module")
def compiled() -> SimpleNamespace:
    """Return the compiled kernel, which only some processors can run."""
    pytest.importorskip("numba", reason="numba is not installed, so there is no compiled kernel to test")
    if convolution.INSTRUCTIONS is None:
        pytest.skip("the processor has no instructions for products of bytes (AVX-512 VNNI, AVX-VNNI, AMX)")
    ROUNDED.compile()
    functions: SimpleNamespace = ROUNDED.functions
    return functions


@pytest.fixture(params=["tiles", "dots", "compiled"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Interpreted with one kind of instructions or the other, or compiled with those of this processor."""
    if request.param == "compiled":
        monkeypatch.setattr(ROUNDED, "functions", request.getfixturevalue("compiled"))
    else:
        monkeypatch.setattr(ROUNDED, "functions", INTERPRETED)
        monkeypatch.setattr(convolution, "INSTRUCTIONS", request.param)
    return str(request.param)


def in_bytes(numbers: np.ndarray, most: int, axes: tuple[int, ...]) -> np.ndarray:
    """Return numbers rounded to whole steps, of which there are ``most`` up to the largest along the axes."""
    step = np.abs(numbers.astype(np.float64)).max(axis=axes, keepdims=True) / most
    return np.rint(numbers / step) * step


@pytest.mark.parametrize("in_8_bits", [False, True])
@pytest.mark.parametrize(
    "shape",
    [
        (2, 1, 32, 32, 5),
        (5, 3, 64, 32, 3),
        (7, 2, 22, 32, 5),
        (9, 1, 48, 64, 3),
        (9, 1, 64, 64, 3),
        (17, 1, 32, 32, 3),
        (17, 2, 128, 32, 3),
        (25, 1, 22, 32, 5),
        (13, 8, 192, 96, 3),
        (6, 1, 48, 48, 3),
        (5, 2, 16, 16, 5),
    ],
)
def test_a_convolution_is_exact_but_for_the_rounding(
    form: str, shape: tuple[int, int, int, int, int], in_8_bits: bool
) -> None:
    """Of size, boards, inputs, outputs and kernel. The reference rounds as well, and is in float64 otherwise."""
    size, boards, inputs, outputs, kernel = shape
    if form != "compiled" and boards * size * inputs > 3000:
        pytest.skip("Python would take seconds")
    rng, grid, work = np.random.default_rng(size), grid_of(size, whole=True), Workspace()
    weights = rng.normal(size=(kernel, kernel, inputs, outputs)).astype(np.float32)
    bias, least = rng.normal(size=outputs).astype(np.float32), rng.integers(-40, 41, inputs).astype(np.float32)
    # None lies in the middle between two steps, where the last bit would decide.
    shape_of_boards = boards, size, size, inputs
    above = rng.integers(-100, 255, shape_of_boards) + rng.uniform(-0.4, 0.4, shape_of_boards)
    above[:, 0, 0, 0] = 255
    given = (least + above).astype(np.float32)
    added = rng.normal(size=(boards, outputs)).astype(np.float32)
    before = rng.normal(size=(boards, size * size, outputs)).astype(np.float32)
    layer = whole_convolution(weights, bias, least=least if in_8_bits else None)
    assert isinstance(layer, Quantised if in_8_bits and inputs % 16 == 0 else Gathered)
    limited = np.maximum(given, least)
    products = np.repeat((bias + added)[:, None], size * size, axis=1).astype(np.float64)
    if isinstance(layer, Quantised):
        products += np.einsum("ijco,c->o", weights, least)
        limited, filters = in_bytes(limited - least, 255, (1, 2, 3)), in_bytes(weights, 127, (0, 1, 2))
    else:
        filters = weights
    for row, column in np.ndindex(kernel, kernel):
        moved = np.roll(limited, (kernel // 2 - row, kernel // 2 - column), (1, 2)).reshape(boards, size * size, inputs)
        products += moved @ filters[row, column]
    laid = grid.to_tiles(given.reshape(boards, size * size, inputs))
    for onto in (None, grid.to_tiles(before)):
        transformed = layer.transform(laid, grid, work, TiledVector(least))
        found = layer.apply(transformed, grid, work, "out", added=added, onto=onto)
        wanted = products if onto is None else products + before
        assert np.abs(grid.to_boards(found) - wanted).max() < 1e-5 * np.abs(wanted).max()


def test_boards_of_a_batch_are_rounded_each_by_itself(form: str) -> None:
    """So an evaluation does not depend on what it is computed with."""
    rng, grid, work = np.random.default_rng(1), grid_of(5, whole=True), Workspace()
    boards = rng.random((3, 25, 64)).astype(np.float32) * np.float32([[[1]], [[0]], [[1000]]])
    layer = whole_convolution(rng.normal(size=(3, 3, 64, 32)).astype(np.float32), least=np.zeros(64, np.float32))

    def outputs_of(some: np.ndarray) -> np.ndarray:
        transformed = layer.transform(grid.to_tiles(some), grid, work, ZERO)
        return grid.to_boards(layer.apply(transformed, grid, work, "out")).copy()

    assert np.array_equal(outputs_of(boards), np.concatenate([outputs_of(each[None]) for each in boards]))


@pytest.mark.parametrize(
    ("kind", "broken"),
    [
        *(("tiles", each) for each in ("load", "store", "add_byte_product")),
        ("dots", "add_dots"),
        *((kind, each) for kind in ("tiles", "dots") for each in ("put_bytes", "put_sums")),
    ],
)
def test_a_machine_on_which_an_instruction_does_something_else_is_found_out(
    monkeypatch: pytest.MonkeyPatch, kind: str, broken: str
) -> None:
    monkeypatch.setattr(convolution, "INSTRUCTIONS", kind)
    monkeypatch.setattr(rounded_kernel, broken, lambda *_: 0)
    with pytest.raises(ArithmeticError):
        check_products(SimpleNamespace(**functions_of((rounded_kernel,))))


def sums_of(inputs: np.ndarray, weights: np.ndarray, size: int, before: np.ndarray | None = None) -> np.ndarray:
    """Return what a convolution of whole numbers gives; the largest input is 255, and the largest weight 127."""
    grid, work = grid_of(size, whole=True), Workspace()
    layer = whole_convolution(weights.astype(np.float32), least=np.zeros(inputs.shape[-1], np.float32))
    assert isinstance(layer, Quantised)
    transformed = layer.transform(grid.to_tiles(inputs.astype(np.float32)), grid, work, ZERO)
    onto = None if before is None else grid.to_tiles(before.astype(np.float32))
    return grid.to_boards(layer.apply(transformed, grid, work, "out", onto=onto))


def check_every_size(sizes: range) -> None:
    """Compare sums of products of bytes with those of numpy's whole numbers."""
    rng = np.random.default_rng(1)
    for size in sizes:
        for kernel, boards, channels, outputs in ((3, 1, 48, 48), (3, 1, 64, 64), (5, 2, 128, 32)):
            inputs = rng.integers(0, 256, (boards, size * size, channels))
            inputs[:, 0, 0] = 255
            weights = rng.integers(-127, 128, (kernel, kernel, channels, outputs))
            weights[0, 0, 0] = -127
            wanted = np.zeros((boards, size, size, outputs), np.int64)
            square = inputs.reshape(boards, size, size, channels)
            for row, column in np.ndindex(kernel, kernel):
                moved = np.roll(square, (kernel // 2 - row, kernel // 2 - column), (1, 2))
                wanted += (moved.astype(float) @ weights[row, column]).astype(np.int64)
            wanted = wanted.reshape(boards, size * size, outputs)
            assert np.array_equal(sums_of(inputs, weights, size), wanted.astype(np.float32)), (size, kernel)
            before = rng.integers(-100, 100, wanted.shape)
            found = sums_of(inputs, weights, size, before)
            assert np.array_equal(found, wanted.astype(np.float32) + before.astype(np.float32)), (size, kernel)


def test_the_sums_of_products_of_bytes_are_exact_on_every_board(form: str) -> None:
    check_every_size(range(2, LARGEST + 1) if form == "compiled" else range(SMALLEST, SMALLEST + 2))


def test_they_are_exact_with_few_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ROUNDED, "functions", INTERPRETED)
    monkeypatch.setattr(convolution, "INSTRUCTIONS", "dots")
    monkeypatch.setattr(rounded_kernel, "most_points", lambda: 6)
    check_every_size(range(7, 8))


def test_they_are_exact_on_a_processor_with_registers_of_256_bits() -> None:
    """AVX-VNNI, which a processor with AVX-512 has, too, if it is new."""
    llvm = pytest.importorskip("llvmlite.binding", reason="numba is not installed, so there is no compiler")
    features = llvm.get_host_cpu_features()
    if not features.get("avxvnni"):
        pytest.skip("the processor has no AVX-VNNI")
    known = ",".join(
        f"{'+' if has and not name.startswith(('avx512', 'avx10')) else '-'}{name}" for name, has in features.items()
    )
    code = (
        "from tests.ai.test_rounded import *; convolution.INSTRUCTIONS = 'dots'; ROUNDED.compile();"
        "check_every_size(range(2, LARGEST + 1))"
    )
    environment = {**os.environ, "NUMBA_CPU_NAME": "alderlake", "NUMBA_CPU_FEATURES": known}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_largest_sum_that_may_occur_does_not_overflow(form: str, sign: int) -> None:
    """Of the largest bytes there are, as many as a convolution in bytes may add."""
    kernel, channels = 5, 64 * 41
    weights = np.full((kernel, kernel, channels, 32), 127 * sign)
    found = sums_of(np.full((1, 4, channels), 255), weights, 2)
    assert np.array_equal(found, np.full((1, 4, 32), np.float32(255 * 127 * kernel**2 * channels * sign)))
    more = np.zeros((kernel, kernel, channels + 64, 32), np.float32)
    assert not isinstance(whole_convolution(more, least=np.zeros(channels + 64, np.float32)), Quantised)


@pytest.mark.parametrize(
    ("flags", "answer", "kind"),
    [
        ("fpu avx2 avx512f amx_tile amx_bf16", None, None),
        ("fpu avx2 avx512f amx_tile avx512_vnni", None, "dots"),
        ("fpu avx2 avx_vnni", None, "dots"),
        ("amx_tile amx_int8 avx512_vnni", 0, "tiles"),
        ("amx_tile amx_int8", -1, None),
        ("amx_tile amx_int8 avx512_vnni", -1, "dots"),
    ],
)
def test_instructions_that_the_machine_lacks_or_the_system_does_not_grant_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, answer: int | None, kind: str | None
) -> None:
    """The system is not asked for what the processor does not have."""
    cpus = tmp_path / "cpuinfo"
    cpus.write_text(f"processor : 0\nflags : {flags}\n")

    def system(_: None) -> SimpleNamespace:
        assert answer is not None, "the system was asked"
        return SimpleNamespace(syscall=lambda *_: answer)

    monkeypatch.setattr(instructions, "_CPUS", cpus)
    monkeypatch.setattr(instructions.sys, "platform", "linux")
    monkeypatch.setattr(instructions.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(instructions.ctypes, "CDLL", system)
    assert instructions.available() == kind
    cpus.unlink()
    assert instructions.available() is None


@pytest.mark.parametrize(("known", "has_tiles"), [("+avx2,-amx-tile", None), ("+avx512vnni,-amx-tile", False)])
def test_a_compiler_is_given_no_instructions_that_it_does_not_know(
    monkeypatch: pytest.MonkeyPatch, known: str, has_tiles: bool | None
) -> None:
    """LLVM would end the process."""
    pytest.importorskip("numba", reason="numba is not installed, so there is no compiler to ask")
    from numba.core.registry import cpu_target

    old = SimpleNamespace(codegen=lambda: SimpleNamespace(magic_tuple=lambda: ("x86_64", "generic", known)))
    monkeypatch.setattr(type(cpu_target), "target_context", old)
    if has_tiles is not None:
        assert ("load" in instructions.compiled()) == has_tiles
        return
    monkeypatch.setattr(ROUNDED, "functions", None)
    compile_all((ROUNDED,))
    assert ROUNDED.functions is None


def test_a_network_of_any_layers_agrees_with_the_exact_one(form: str) -> None:
    """Layers that do not fit tiles, with dilation or few outputs, are computed exactly."""
    parameters = random_parameters(3, channels=32, kernel=5)
    exact, quick = Network(parameters), Network(parameters, rounded=True)
    rng = np.random.default_rng(1)
    for size in (SMALLEST, 9) if form != "compiled" else range(SMALLEST, LARGEST + 1):
        planes = (rng.random((2, size * size, exact.planes)) < 0.3).astype(np.float32)
        whole = rng.normal(size=(2, exact.globals)).astype(np.float32)
        wanted = exact.run(planes, whole, size)
        scale = max(np.abs(wanted.policy).max(), np.abs(wanted.ownership).max())
        assert 0 < furthest(quick.run(planes, whole, size), wanted) < 0.03 * scale, size


@pytest.mark.parametrize("activation", Activation)
def test_convolutions_behind_any_activation_with_a_least_value_are_in_bytes(form: str, activation: Activation) -> None:
    """The first convolution has no activation before it, and the identity no least value."""
    parameters = random_parameters(3, channels=64)
    block = parameters.blocks[0]
    assert isinstance(block, Block)
    # A norm with a scale below 0 cannot be folded into a maximum.
    norms = (Norm(-norm.scale, norm.bias, activation) for norm in (block.before, block.between))
    block = replace(block, before=next(norms), between=next(norms))
    parameters = replace(parameters, blocks=(block, *parameters.blocks[1:]))
    exact, quick = Network(parameters), Network(parameters, rounded=True)
    in_bytes = {isinstance(each, Quantised) for each in (quick._blocks[0]._first, quick._blocks[0]._second)}
    assert in_bytes == {activation is not Activation.IDENTITY}
    check_nearly_exact(quick, exact)


@pytest.mark.parametrize("kernels", [(1, 3), (3, 1)])
@pytest.mark.parametrize("activation", [Activation.RELU, Activation.MISH])
def test_convolutions_of_nested_blocks_are_in_bytes(
    form: str, activation: Activation, kernels: tuple[int, int]
) -> None:
    """They are given inputs that are never less than the least value, but not this."""
    parameters = random_parameters(3, channels=64)
    block, rng = parameters.blocks[0], np.random.default_rng(1)
    assert isinstance(block, Block)
    norms = (Norm(np.abs(norm.scale) + 0.1, norm.bias, activation) for norm in (block.before, block.between))
    narrow, widen = (
        Filter(np.asarray(rng.normal(size=(kernel, kernel, 64, 64)) / (8 * kernel), np.float32)) for kernel in kernels
    )
    parameters = replace(parameters, blocks=(NestedBlock(next(norms), narrow, (), next(norms), widen),))
    exact, quick = Network(parameters), Network(parameters, rounded=True)
    assert isinstance(quick._blocks[0]._narrow, Quantised)
    assert isinstance(quick._blocks[0]._widen, Quantised)
    check_nearly_exact(quick, exact)


def check_nearly_exact(quick: Network, exact: Network) -> None:
    rng = np.random.default_rng(1)
    planes, whole = (
        rng.random((1, 25, exact.planes), np.float32),
        rng.normal(size=(1, exact.globals)).astype(np.float32),
    )
    wanted = exact.run(planes, whole, 5)
    scale = max(np.abs(wanted.policy).max(), np.abs(wanted.ownership).max())
    assert furthest(quick.run(planes, whole, 5), wanted) < 0.03 * scale


def test_weights_mapped_from_a_file_give_the_same_and_are_compiled_already(
    compiled: SimpleNamespace, tmp_path: Path
) -> None:
    header, parameters = read_npz(assets_folder() / SHIPPED)
    network = LoadedNetwork(header, Network(parameters, rounded=True))
    inputs = network.encode(Board(Torus(9)), 4.0, (), 0)
    multiply = compiled.multiply_bytes if convolution.INSTRUCTIONS == "tiles" else compiled.multiply_dots
    before = len(multiply.signatures)
    with (tmp_path / "network").open("w+b") as file:
        write_network(network, file)
        mapped = map_network(file.fileno())
    assert np.array_equal(mapped.evaluate([inputs], 9)[0].policy, network.evaluate([inputs], 9)[0].policy)
    assert len(multiply.signatures) == before


def softmax(logits: np.ndarray) -> np.ndarray:
    risen = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return risen / risen.sum(axis=-1, keepdims=True)


def test_the_shipped_network_says_nearly_the_same(compiled: SimpleNamespace) -> None:
    """Against what torch gave in float32."""
    (case,) = (case for case in CASES if case.network == SHIPPED_LARGE)
    kept = read(case)
    found = Network(parameters_of(case.network), rounded=True).run(kept.planes, kept.whole, case.size)
    assert np.abs(softmax(found.policy) - softmax(kept.outputs.policy)).max() < 0.03
    assert np.abs(softmax(found.value[:, :2]) - softmax(kept.outputs.value[:, :2])).max() < 0.02
    assert np.abs(found.score - kept.outputs.score).max() < 0.05
    assert np.abs(np.tanh(found.ownership) - np.tanh(kept.outputs.ownership)).max() < 0.05
