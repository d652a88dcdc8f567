"""Convolutions in bytes and bfloat16: the kernel as its instructions are defined, and the instructions themselves."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from daoqi_tui.ai.compiled import compile_all, functions_of
from daoqi_tui.ai.evaluators import map_network, write_network
from daoqi_tui.ai.nets import SHIPPED, SHIPPED_LARGE
from daoqi_tui.ai.network import amx_instructions, amx_kernel
from daoqi_tui.ai.network.amx_instructions import rounded, widened
from daoqi_tui.ai.network.convolution import AMX, Quantised, Rounded, check_tiles, whole_convolution
from daoqi_tui.ai.network.layout import ZERO, TiledVector, Workspace, grid_of
from daoqi_tui.ai.network.network import LoadedNetwork, Network
from daoqi_tui.ai.network.npz import read_npz
from daoqi_tui.engine import LARGEST, SMALLEST, Board, Torus
from daoqi_tui.paths import assets_folder
from tests.ai.network_reference import furthest, random_parameters
from tests.ai.torch_vectors import CASES, parameters_of, read

INTERPRETED = SimpleNamespace(**functions_of((amx_kernel,)))


@pytest.fixture(scope="module")
def compiled() -> SimpleNamespace:
    """Return the compiled kernel, which only some processors can run."""
    pytest.importorskip("numba", reason="numba is not installed, so there is no compiled kernel to test")
    if not amx_instructions.allowed():
        pytest.skip("the processor or the system has no tiles of matrices (AMX)")
    AMX.compile()
    functions: SimpleNamespace = AMX.functions
    return functions


@pytest.fixture(params=["interpreted", "compiled"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    functions = INTERPRETED if request.param == "interpreted" else request.getfixturevalue("compiled")
    monkeypatch.setattr(AMX, "functions", functions)
    return str(request.param)


def in_bfloat16(numbers: np.ndarray) -> np.ndarray:
    """Return numbers rounded to 8 significant bits, by arithmetic alone: adding and taking away a multiple of each."""
    exact = numbers.astype(np.float64)
    step = 2.0 ** (np.floor(np.log2(np.abs(exact), where=exact != 0, out=np.zeros_like(exact))) - 7)
    return np.rint(exact / step) * step


def test_numbers_are_rounded_to_the_nearest_and_ties_to_even() -> None:
    numbers = np.random.default_rng(1).normal(size=1000).astype(np.float32)
    numbers = np.concatenate((numbers, np.float32([0, 1, -1, 1 + 2**-8, 1 + 3 * 2**-8, -(1 + 2**-8), 1e-30, 3e30])))
    assert np.array_equal(widened(rounded(numbers)), in_bfloat16(numbers))
    assert [widened(rounded(np.float32([each])))[0] for each in (np.inf, -np.inf)] == [np.inf, -np.inf]
    assert np.isnan(widened(rounded(np.float32([np.nan]))))[0]


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
    ],
)
def test_a_convolution_is_exact_but_for_the_rounding(
    form: str, shape: tuple[int, int, int, int, int], in_8_bits: bool
) -> None:
    """Of size, boards, inputs, outputs and kernel. The reference rounds as well, and is in float64 otherwise."""
    size, boards, inputs, outputs, kernel = shape
    if form == "interpreted" and boards * size * inputs > 3000:
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
    assert isinstance(layer, Quantised if in_8_bits and inputs % 64 == 0 else Rounded)
    limited = np.maximum(given, least)
    products = np.repeat((bias + added)[:, None], size * size, axis=1).astype(np.float64)
    if isinstance(layer, Quantised):
        products += np.einsum("ijco,c->o", weights, least)
        limited, filters = in_bytes(limited - least, 255, (1, 2, 3)), in_bytes(weights, 127, (0, 1, 2))
    else:
        limited, filters = in_bfloat16(limited), in_bfloat16(weights)
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
    "broken", ["load", "store", "add_product", "half", "add_byte_product", "put_bytes", "put_sums"]
)
def test_a_machine_on_which_an_instruction_does_something_else_is_found_out(
    monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    monkeypatch.setattr(amx_kernel, broken, lambda *_: 0)
    with pytest.raises(ArithmeticError):
        check_tiles(SimpleNamespace(**functions_of((amx_kernel,))))


def test_a_machine_without_the_instructions_is_not_asked_to_use_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpus = tmp_path / "cpuinfo"
    cpus.write_text("processor : 0\nflags : fpu avx2 avx512f amx_tile amx_int8 avx512_bf16\n")
    monkeypatch.setattr(amx_instructions, "_CPUS", cpus)
    monkeypatch.setattr(amx_instructions.ctypes, "CDLL", lambda _: pytest.fail("the system was asked"))
    assert not amx_instructions.allowed()
    cpus.unlink()
    assert not amx_instructions.allowed()


def test_a_system_that_does_not_grant_them_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cpus = tmp_path / "cpuinfo"
    cpus.write_text("flags : amx_bf16 amx_tile amx_int8\n")
    monkeypatch.setattr(amx_instructions, "_CPUS", cpus)
    monkeypatch.setattr(amx_instructions.sys, "platform", "linux")
    monkeypatch.setattr(amx_instructions.platform, "machine", lambda: "x86_64")
    for answer in (-1, 0):
        monkeypatch.setattr(amx_instructions.ctypes, "CDLL", lambda _, a=answer: SimpleNamespace(syscall=lambda *_: a))
        assert amx_instructions.allowed() == (answer == 0)


def test_a_compiler_that_knows_no_tiles_is_not_given_any(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM would end the process."""
    pytest.importorskip("numba", reason="numba is not installed, so there is no compiler to ask")
    from numba.core.registry import cpu_target

    old = SimpleNamespace(codegen=lambda: SimpleNamespace(magic_tuple=lambda: ("x86_64", "generic", "+avx2,-amx-tile")))
    monkeypatch.setattr(type(cpu_target), "target_context", old)
    monkeypatch.setattr(AMX, "functions", None)
    compile_all((AMX,))
    assert AMX.functions is None


def test_a_network_of_any_layers_agrees_with_the_exact_one(form: str) -> None:
    """Layers that do not fit tiles, with dilation or few outputs, are computed exactly."""
    parameters = random_parameters(3, channels=32, kernel=5)
    exact, quick = Network(parameters), Network(parameters, rounded=True)
    rng = np.random.default_rng(1)
    for size in (SMALLEST, 9) if form == "interpreted" else range(SMALLEST, LARGEST + 1):
        planes = (rng.random((2, size * size, exact.planes)) < 0.3).astype(np.float32)
        whole = rng.normal(size=(2, exact.globals)).astype(np.float32)
        wanted = exact.run(planes, whole, size)
        scale = max(np.abs(wanted.policy).max(), np.abs(wanted.ownership).max())
        assert 0 < furthest(quick.run(planes, whole, size), wanted) < 0.03 * scale, size


def test_weights_mapped_from_a_file_give_the_same_and_are_compiled_already(
    compiled: SimpleNamespace, tmp_path: Path
) -> None:
    header, parameters = read_npz(assets_folder() / SHIPPED)
    network = LoadedNetwork(header, Network(parameters, rounded=True))
    inputs = network.encode(Board(Torus(9)), 4.0, (), 0)
    before = len(compiled.multiply.signatures)
    with (tmp_path / "network").open("w+b") as file:
        write_network(network, file)
        mapped = map_network(file.fileno())
    assert np.array_equal(mapped.evaluate([inputs], 9)[0].policy, network.evaluate([inputs], 9)[0].policy)
    assert len(compiled.multiply.signatures) == before


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
