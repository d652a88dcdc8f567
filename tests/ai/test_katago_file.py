"""KataGo network files: all formats are read, and other files are refused with a single sentence."""

from __future__ import annotations

import gzip
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daoqi_tui.ai import network as katago_format
from daoqi_tui.ai.network import INPUTS, SUPPORTED, USUAL_UNITS, Header, NetError, ScoreUnits, read_header
from daoqi_tui.ai.network.network import (
    Activation,
    Block,
    Filter,
    LoadedNetwork,
    NestedBlock,
    Network,
    Norm,
    Outputs,
    Parameters,
    evaluations_of,
)
from daoqi_tui.ai.network.reader import read_network
from daoqi_tui.engine import BLACK, Board, torus_of
from tests.ai import network_reference
from tests.ai.katago_reference import TorchKataGo
from tests.ai.network_reference import (
    furthest,
    nested_parameters,
    numpy_reference,
    random_parameters,
    torch_reference,
)
from tests.shared_data import data_path

FORMATS = range(3, 17)
SCORES = {3: 1, 4: 2, 5: 2, 6: 2, 7: 2, 8: 4} | dict.fromkeys(range(9, 17), 6)
POLICIES = dict.fromkeys(range(3, 12), 1) | dict.fromkeys(range(12, 16), 2) | {16: 4}
MULTIPLIERS = (20.0, 25.0, 10.0, 40.0, 40.0, 0.25, 30.0)
"""The multipliers of the final score, the score mean, its spread, the lead, the variance time, and the errors of value
and score."""


class Writer:
    """Writes a network in KataGo's file format, with numbers as text or binary."""

    def __init__(self, model_format: int, *, binary: bool) -> None:
        self.format = model_format
        self.binary = binary
        self.content = b""

    def words(self, *words: Any) -> None:
        self.content += "".join(f"{word}\n" for word in words).encode()

    def floats(self, numbers: Any) -> None:
        numbers = np.asarray(numbers, np.float32).reshape(-1)
        if self.binary:
            self.content += b"@BIN@" + numbers.astype("<f4").tobytes() + b"\n"
        else:
            self.content += b" ".join(repr(float(number)).encode() for number in numbers) + b"\n"

    def conv(self, layer: Filter) -> None:
        kernel, _, given, made = layer.weights.shape
        self.words("conv", kernel, kernel, given, made, layer.dilation, layer.dilation)
        self.floats(layer.weights)

    def norm(self, norm: Norm) -> None:
        """Write an equivalent batch norm with a mean of 1/2, a variance of 3/4 and an epsilon of 1/4."""
        count = len(norm.scale)
        self.words("bn", count, 0.25, 1, 1)
        self.floats(np.full(count, 0.5))
        self.floats(np.full(count, 0.75))
        self.floats(norm.scale)
        self.floats(norm.bias + norm.scale / 2)
        self.activation(norm.activation)

    def activation(self, activation: Activation) -> None:
        self.words("activation")
        if self.format >= 11:
            self.words(f"ACTIVATION_{activation.upper()}")
        else:
            assert activation is Activation.RELU

    def matrix(self, weights: Any) -> None:
        self.words("matmul", *weights.shape)
        self.floats(weights)

    def bias(self, numbers: Any) -> None:
        self.words("bias", len(numbers))
        self.floats(numbers)

    def block(self, block: Block | NestedBlock) -> None:
        if isinstance(block, NestedBlock):
            self.words("nested_bottleneck_block", "block", len(block.blocks))
            self.norm(block.before)
            self.conv(block.narrow)
            for nested in block.blocks:
                self.block(nested)
            self.norm(block.after)
            self.conv(block.widen)
            return
        self.words("gpool_block" if block.pooling else "ordinary_block", "block")
        self.norm(block.before)
        self.conv(block.first)
        if block.pooling:
            self.conv(block.pooling.conv)
            self.norm(block.pooling.norm)
            self.matrix(block.pooling.weights)
        self.norm(block.between)
        self.conv(block.second)

    def policies(self, plain: Any) -> Any:
        """Return the weights of the plain policy followed by those of the others, which must be ignored."""
        others = np.full((*plain.shape[:-1], POLICIES[self.format] - 1), 9.0, np.float32)
        return np.concatenate((plain, others), axis=-1)

    def network(self, parameters: Parameters) -> bytes:
        planes, whole = INPUTS[self.format]
        channels = parameters.first.weights.shape[3]
        self.words("small-net", self.format, planes, whole)
        if self.format >= 13:
            self.words(*MULTIPLIERS)
        if self.format >= 15:
            self.words(*[0] * 8)
        self.words("trunk", len(parameters.blocks), channels, 8, 8, 8, 8)
        if self.format >= 15:
            self.words(*[0] * 6)
        self.conv(parameters.first)
        self.matrix(parameters.first_globals)
        for block in parameters.blocks:
            self.block(block)
        self.norm(parameters.tip)
        policy, value = parameters.policy, parameters.value
        self.words("policyhead")
        self.conv(policy.conv)
        self.conv(policy.pooling.conv)
        self.norm(policy.pooling.norm)
        self.matrix(policy.pooling.weights)
        self.norm(policy.norm)
        self.conv(Filter(self.policies(policy.plays.weights)))
        if policy.pass_layer:
            self.matrix(policy.pass_weights)
            self.bias(policy.pass_layer.bias)
            self.activation(policy.pass_layer.activation)
            self.matrix(self.policies(policy.pass_layer.weights))
        else:
            self.matrix(self.policies(policy.pass_weights))
        self.words("valuehead")
        self.conv(value.conv)
        self.norm(value.norm)
        self.matrix(value.hidden)
        self.bias(value.hidden_bias)
        self.activation(value.activation)
        self.matrix(value.value)
        self.bias(value.value_bias)
        scores = SCORES[self.format]
        self.matrix(value.score[:, :scores])
        self.bias(value.score_bias[:scores])
        self.conv(value.ownership)
        return self.content


def parameters_for(model_format: int) -> Parameters:
    """Return a small network for a file of this format, with all features that the format supports."""
    planes, whole = INPUTS[model_format]
    if model_format < 9:
        return random_parameters(7, planes, whole)
    activations = tuple(Activation) if model_format >= 11 else (Activation.RELU,)
    return nested_parameters(7, planes, whole, hidden_pass=model_format >= 15, activations=activations)


def content_of(model_format: int = 8, *, binary: bool = True) -> bytes:
    return Writer(model_format, binary=binary).network(parameters_for(model_format))


def file_with(folder: Path, content: bytes, name: str = "net.bin.gz") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    return path


@pytest.mark.parametrize("model_format", FORMATS)
@pytest.mark.parametrize("name", ["net.bin.gz", "net.txt.gz", "net.bin", "net.txt"])
def test_every_format_is_read_as_it_was_written(tmp_path: Path, model_format: int, name: str) -> None:
    planes, whole = INPUTS[model_format]
    path = file_with(tmp_path, content_of(model_format, binary="bin" in name), name)
    header, parameters = read_network(path)
    assert (header.name, header.format, header.planes, header.globals) == ("small-net", model_format, planes, whole)
    assert read_header(path) == header
    assert header.units == (MULTIPLIERS[1:4] if model_format >= 13 else (20, 20, 20))
    points, board = random_inputs(model_format, 7)
    found = Network(parameters).run(points, board, 7)
    wanted = numpy_reference(parameters_for(model_format), points, board, 7)
    scores = SCORES[model_format]
    wanted = Outputs(wanted.policy, wanted.value, wanted.score[:, :scores], wanted.ownership)
    assert found.score.shape == (2, scores)
    assert furthest(found, wanted) < 1e-4
    network = network_reference.load(path)
    evaluation = network.evaluate([network.encode(Board(torus_of(7)), 4, (), 0)], 7)[0]
    assert evaluation.policy.shape == (50,)
    assert evaluation.policy.sum() == pytest.approx(1, abs=1e-5)
    assert 0 <= evaluation.win <= 1
    assert np.abs(evaluation.owner).max() <= 1


def random_inputs(model_format: int, size: int) -> tuple[Any, Any]:
    planes, whole = INPUTS[model_format]
    rng = np.random.default_rng(1)
    return rng.random((2, size * size, planes)).astype(np.float32), rng.random((2, whole)).astype(np.float32)


@pytest.mark.parametrize("model_format", FORMATS)
@pytest.mark.parametrize(("name", "padding"), [("net.bin.gz", "wrap"), ("net.txt", "zero")])
def test_every_format_agrees_with_another_reader_in_torch(
    tmp_path: Path, model_format: int, padding: Any, name: str
) -> None:
    path = file_with(tmp_path, content_of(model_format, binary="bin" in name), name)
    reference = TorchKataGo(path, padding)
    network = Network(read_network(path)[1], padding)
    for size in (7, 9):
        given = random_inputs(model_format, size)
        assert furthest(network.run(*given, size), reference.run(*given, size)) < 1e-4


def header_for(model_format: int, units: ScoreUnits = USUAL_UNITS) -> Header:
    return Header("some", model_format, *INPUTS[model_format], units=units)


def test_outputs_mean_what_each_format_says() -> None:
    outputs = Outputs(
        np.array([[0, 0, np.log(2)]], np.float32),
        np.array([[np.log(3), 0, 50]], np.float32),
        np.array([[0.5, 0, 0.25, 0]], np.float32),
        np.array([[0, 20]], np.float32),
    )
    told = header_for(14, ScoreUnits(1.0, 10.0, 40.0))
    headers = (header_for(8), header_for(4), header_for(3), header_for(9), told)
    newer, older, oldest, later, newest = (evaluations_of(outputs, header, 9)[0] for header in headers)
    assert newer.policy.tolist() == pytest.approx([0.25, 0.25, 0.5])
    assert newer.win == pytest.approx(0.75)
    assert newer.owner.tolist() == pytest.approx([0, 1])
    assert (newer.lead, older.lead, oldest.lead) == pytest.approx((5, 10, 9))
    assert (newer.spread, older.spread, oldest.spread) == pytest.approx((20 * np.log(2), 20 * np.log(2), 0))
    assert (later.lead, later.spread) == pytest.approx((5, 20 * np.log(2)))
    assert (newest.lead, newest.spread) == pytest.approx((10, 10 * np.log(2)))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not a KataGo network"),
        (b"(;FF[4]GM[1]SZ[19])", "is not a KataGo network"),
        (b"\x00\xff\xfe" * 50, "is not a KataGo network"),
        (b"net 17 22 19 1.0", "has model format 17, which is for transformer networks"),
        (b"net 99999 22 19 1.0", "has model format 99999, which is for transformer networks"),
        (b"net 14 22 19 20 20 20 20 40 0.25", "damaged or cut short"),
        (b"net 14 22 19 20 20 nan 20 40 0.25 30 trunk", "damaged or cut short"),
        (b"net 14 22 19 20 20 20 -1 40 0.25 30 trunk", "damaged or cut short"),
        (b"net 14 22 19 20 20 20 many 40 0.25 30 trunk", "damaged or cut short"),
        (b"net 15 22 19 20 20 20 20 40 0.25 30 1 0 0 0 0 0 0 0 trunk", "imitates players of a rank"),
        (b"net 15 22 19 20 20 20 20 40 0.25 30 0 0 0 0 7 0 0 0 trunk", "options that are not supported"),
        (
            b"net 15 22 19 20 20 20 20 40 0.25 150 0 0 0 0 0 0 0 0 trunk 10 384 192 144 48 48 1 0 0 0 0 0 conv",
            "is a transformer network or has other options",
        ),
        (
            b"net 15 22 19 20 20 20 20 40 0.25 150 0 0 0 0 0 0 0 0 trunk 10 384 192 144 48 48 0 0 a 0 0 0 conv",
            "damaged or cut short",
        ),
        (b"net 16 22 19 20 20 20 20 40 0.25 30 0 0 0 0 0 0 0 trunk", "damaged or cut short"),
        (b"net 2 22 19 trunk", "has model format 2"),
        (b"net 8 13 12 trunk", "has 13 and 12 inputs"),
    ],
)
def test_other_files_are_refused_in_one_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    path = file_with(tmp_path, content)
    for read in (read_header, read_network, network_reference.load):
        with pytest.raises(NetError, match=says) as refused:
            read(path)
        assert str(refused.value).endswith(str(SUPPORTED))
        assert "\n" not in str(refused.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(NetError, match=r"cannot be read \(No such file"):
        read_header(tmp_path / "net.bin.gz")
    with pytest.raises(NetError, match=r"cannot be read \(Is a directory"):
        read_header(tmp_path)
    with pytest.raises(NetError, match=r"cannot be read \(embedded null byte"):
        read_header(tmp_path / "net\0.bin.gz")


@pytest.mark.parametrize("model_format", [8, 16])
@pytest.mark.parametrize("binary", [True, False])
def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path, model_format: int, *, binary: bool) -> None:
    content = content_of(model_format, binary=binary)
    rng = np.random.default_rng(3)
    # At least 40 bytes are cut off: as text, the last number could lose its last digits and still be valid.
    for length in (*rng.integers(60, len(content) - 40, 40).tolist(), len(content) - 40):
        with pytest.raises(NetError):
            read_network(file_with(tmp_path, content[:length]))
    packed = gzip.compress(content)
    (tmp_path / "cut.bin.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(NetError, match="damaged or cut short"):
        read_network(tmp_path / "cut.bin.gz")


@pytest.mark.parametrize("model_format", [8, 16])
def test_damage_is_refused_or_read_but_never_a_traceback_of_ours(tmp_path: Path, model_format: int) -> None:
    content = content_of(model_format)
    rng = np.random.default_rng(4)
    refused = 0
    for _ in range(150):
        damaged = bytearray(content)
        for place in rng.integers(0, len(damaged), 20):
            damaged[place] = rng.integers(0, 256)
        try:
            read_network(file_with(tmp_path, bytes(damaged)))
        except NetError:
            refused += 1
    assert refused > 0


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (b"ordinary_block", b"dilated_block", "a block of the unsupported kind dilated_block"),
        (b"gpool_block", b"transformer_ffn_block", "is a transformer network, which is not supported"),
        (b"conv\n1\n1\n8\n5\n", b"conv\n2\n2\n8\n5\n", "an unsupported 2×2 convolution"),
        (b"conv\n1\n1\n8\n5\n", b"conv\n27\n27\n8\n5\n", "an unsupported 27×27 convolution"),
        (b"conv\n1\n1\n8\n5\n", b"conv\n1\n1\n9\n5\n", "9 channels where 8 are expected"),
        (b"bn\n8\n0.25\n", b"bn\n8\nabout\n", "damaged or cut short"),
        (b"bn\n8\n0.25\n", b"bn\n8\n-1\n", "damaged or cut short"),
    ],
)
def test_odd_networks_are_refused(tmp_path: Path, before: bytes, after: bytes, says: str) -> None:
    content = content_of()
    assert before in content
    with pytest.raises(NetError, match=says):
        read_network(file_with(tmp_path, content.replace(before, after, 1)))


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (b"ACTIVATION_MISH", b"ACTIVATION_GELU", "the unsupported activation ACTIVATION_GELU"),
        (b"ACTIVATION_MISH", b"RELU6", "the unsupported activation RELU6"),
        (b"trunk\n4\n12\n8\n8\n8\n8\n0\n", b"trunk\n4\n12\n8\n8\n8\n8\n1\n", "options that are not supported"),
        (b"trunk\n4\n12\n8\n8\n8\n8\n0\n", b"trunk\n9\n12\n8\n8\n8\n8\n0\n", "a block of the unsupported kind"),
        (
            b"nested_bottleneck_block\nblock\n2\n",
            b"nested_bottleneck_block\nblock\n3\n",
            "damaged or cut short|kind bn",
        ),
        (b"nested_bottleneck_block\nblock\n2\n", b"nested_bottleneck_block\nblock\n-2\n", "damaged or cut short"),
        (b"policyhead\nconv\n1\n1\n12\n5\n", b"policyhead\nconv\n1\n1\n12\n9\n", "damaged or cut short"),
        (b"conv\n1\n1\n5\n4\n", b"conv\n1\n1\n5\n2\n", "2 channels where 4 are expected"),
        (b"bn\n12\n0.25\n", b"bn\n12\nnan\n", "damaged or cut short"),
        (b"bn\n12\n0.25\n", b"bn\n12\ninf\n", "damaged or cut short"),
    ],
)
def test_odd_networks_of_the_newest_format_are_refused(tmp_path: Path, before: bytes, after: bytes, says: str) -> None:
    content = content_of(16)
    assert before in content
    with pytest.raises(NetError, match=says) as refused:
        read_network(file_with(tmp_path, content.replace(before, after, 1)))
    assert "\n" not in str(refused.value)


def test_blocks_nested_without_end_are_refused(tmp_path: Path) -> None:
    planes, whole = INPUTS[14]
    writer = Writer(14, binary=False)
    writer.words("net", 14, planes, whole, *MULTIPLIERS, "trunk", 1, 1, 1, 1, 1, 1)
    writer.conv(Filter(np.zeros((1, 1, planes, 1))))
    writer.matrix(np.zeros((whole, 1)))
    for _ in range(5000):
        writer.words("nested_bottleneck_block", "block", 1)
        writer.norm(Norm(np.ones(1, np.float32), np.ones(1, np.float32)))
        writer.conv(Filter(np.ones((1, 1, 1, 1))))
    with pytest.raises(NetError, match="damaged or cut short"):
        read_network(file_with(tmp_path, writer.content, "net.txt"))


def test_a_network_that_runs_over_is_told_when_it_is_used(tmp_path: Path) -> None:
    parameters = parameters_for(14)
    huge = replace(parameters, first=Filter(np.full_like(parameters.first.weights, 1e38)))
    path = file_with(tmp_path, Writer(14, binary=True).network(huge))
    network = network_reference.load(path)
    with pytest.raises(NetError, match="the network small-net computes no numbers"):
        network.evaluate([network.encode(Board(torus_of(7)), 4, (), 0)], 7)


@pytest.mark.parametrize("score", [(0, 0, 3e38, 0), (0, 3e38, 0, 0), (0, 3e38, -1e30, 0)])
def test_a_score_that_runs_over_in_points_is_told(score: tuple[float, ...]) -> None:
    class Runner:
        def run(self, planes: Any, whole: Any, size: int) -> Outputs:
            return Outputs(
                np.zeros((1, size * size + 1), np.float32),
                np.array([[1, 0, 0]], np.float32),
                np.array([score], np.float32),
                np.zeros((1, size * size), np.float32),
            )

    network = LoadedNetwork(header_for(8), Runner())
    with pytest.raises(NetError, match="the network some computes no numbers"):
        network.evaluate([network.encode(Board(torus_of(7)), 4, (), 0)], 7)


@pytest.mark.parametrize("read", [read_header, read_network])
def test_a_file_that_unpacks_to_far_too_much_takes_no_memory(tmp_path: Path, read: Any) -> None:
    path = tmp_path / "net.bin.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(content_of())
        for _ in range(513):
            file.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(NetError, match=r"^net\.bin\.gz is too large for a network: the limit is 512 MiB unpacked"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_a_file_that_lies_about_its_size_is_not_unpacked_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A gzip file may have several members; the size at its end is that of the last member only.
    path = tmp_path / "net.bin.gz"
    path.write_bytes(gzip.compress(bytes(6 << 20)) + gzip.compress(b" "))
    monkeypatch.setattr(katago_format, "MAX_BYTES", 2 << 20)
    monkeypatch.setattr(katago_format.unpacked, "__defaults__", (2 << 20,))
    taken: list[int] = []
    read = gzip.GzipFile.read

    def noted(self: gzip.GzipFile, size: int | None = -1) -> bytes:
        part = read(self, size)
        taken.append(len(part))
        return part

    monkeypatch.setattr(gzip.GzipFile, "read", noted)
    with pytest.raises(NetError, match=r"^net\.bin\.gz is too large for a network"):
        read_network(path)
    assert sum(taken) <= 3 << 20


@pytest.mark.parametrize("binary", [True, False])
def test_shapes_that_the_file_cannot_hold_take_no_memory(tmp_path: Path, *, binary: bool) -> None:
    planes, whole = INPUTS[8]
    words = f"net 8 {planes} {whole} trunk 1 4096 8 8 8 8 conv 25 25 {planes} 4096 1 1 ".encode()
    path = file_with(tmp_path, words + (b"@BIN@" if binary else b"0.5 ") * 1000)
    tracemalloc.start()
    try:
        with pytest.raises(NetError, match="damaged or cut short"):
            read_network(path)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_many_numbers_as_text_take_little_more_memory_than_as_numbers(tmp_path: Path) -> None:
    planes, whole = INPUTS[8]
    count = planes * 4096 * 9
    words = f"net 8 {planes} {whole} trunk 1 4096 8 8 8 8 conv 3 3 {planes} 4096 1 1 ".encode()
    path = file_with(tmp_path, words + b"1.5 " * count)
    tracemalloc.start()
    try:
        with pytest.raises(NetError, match="damaged or cut short"):
            read_network(path)
        # Each number takes 4 bytes in the file and 4 as a float; as a Python string it would take about 40.
        assert tracemalloc.get_traced_memory()[1] < 4 * 4 * count
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("place", [0, 1, 70_000])
def test_a_number_of_endless_digits_is_refused(tmp_path: Path, place: int) -> None:
    planes, whole = INPUTS[8]
    words = f"net 8 {planes} {whole} trunk 1 4096 8 8 8 8 conv 1 1 {planes} 4096 1 1 ".encode()
    numbers = [b"1"] * (planes * 4096)
    numbers[place] = b"1" * 2_000_000
    with pytest.raises(NetError, match="damaged or cut short"):
        read_network(file_with(tmp_path, words + b" ".join(numbers), "net.txt.gz"))


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    content = content_of()
    start = content.index(b"@BIN@") + 5
    infinite = np.array([np.inf], "<f4").tobytes()
    with pytest.raises(NetError, match="weights that are not numbers"):
        read_network(file_with(tmp_path, content[:start] + infinite + content[start + 4 :]))


@pytest.mark.parametrize("size", [5, 9, 16, 19])
@pytest.mark.parametrize("reference", [numpy_reference, torch_reference])
def test_a_real_network_agrees_with_other_ways_of_computing_it(reference: Any, size: int) -> None:
    _, parameters = read_network(data_path("nets", "g170-b6c96.bin.gz"))
    network = network_reference.load(data_path("nets", "g170-b6c96.bin.gz"))
    rng = np.random.default_rng(size)
    board, recent, batch = Board(torus_of(size)), [], []
    for _ in range(4):
        for _ in range(size):
            move = int(rng.choice(board.torus.points_in(board.legal_mask())))
            board.play(move)
            recent = [*recent, move][-5:]
        batch.append(network.encode(board, 4, recent, 0))
    planes, whole = np.stack([inputs.planes for inputs in batch]), np.stack([inputs.whole for inputs in batch])
    found = Network(parameters).run(planes, whole, size)
    assert furthest(found, reference(parameters, planes, whole, size, "wrap")) < 2e-4
    policy = np.exp(found.policy - found.policy.max(axis=1, keepdims=True))
    wanted = reference(parameters, planes, whole, size, "wrap").policy
    wanted = np.exp(wanted - wanted.max(axis=1, keepdims=True))
    apart = policy / policy.sum(axis=1, keepdims=True) - wanted / wanted.sum(axis=1, keepdims=True)
    assert np.abs(apart).max() < 1e-4


def test_a_real_network_thinks_the_same_wherever_a_position_stands() -> None:

    network = network_reference.load(data_path("nets", "g170-b6c96.bin.gz"))
    choices = []
    for shift in range(9):
        board = Board(torus_of(9))
        colours = list(board.colours)
        for point, colour in ((40, 2), (39, 1), (49, 1), (50, 1)):
            colours[board.torus.shift(point, shift, shift)] = colour
        board.setup(colours, BLACK)
        evaluation = network.evaluate([network.encode(board, 4, (), 0)], 9)[0]
        choices.append(board.torus.shift(int(evaluation.policy.argmax()), -shift, -shift))
    assert len(set(choices)) == 1
