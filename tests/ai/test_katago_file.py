"""Network files: read whole, written small for the tests, and refused in one sentence when they are something else."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daoqi_tui.ai.katago import KataGo, judgements
from daoqi_tui.ai.katago_file import read_network
from daoqi_tui.ai.katago_format import INPUTS, SUPPORTED, NetError, read_header
from daoqi_tui.ai.network import Network, Outputs
from daoqi_tui.ai.network_parameters import Filter, Norm, Parameters
from daoqi_tui.engine import BLACK, Board, torus_of
from tests.ai.network_reference import furthest, numpy_reference, random_parameters, torch_reference
from tests.shared_data import data_path

SCORES = {3: 1, 4: 2, 5: 2, 6: 2, 7: 2, 8: 4}


class Writer:
    """Writes a network as KataGo's files have it, numbers as text or as binary."""

    def __init__(self, *, binary: bool) -> None:
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
        """As a mean of 1/2 and a variance of 3/4 with what makes the norm of them."""
        count = len(norm.scale)
        self.words("bn", count, 0.25, 1, 1)
        self.floats(np.full(count, 0.5))
        self.floats(np.full(count, 0.75))
        self.floats(norm.scale)
        self.floats(norm.bias + norm.scale / 2)
        self.words("relu")

    def matrix(self, weights: Any) -> None:
        self.words("matmul", *weights.shape)
        self.floats(weights)

    def bias(self, numbers: Any) -> None:
        self.words("bias", len(numbers))
        self.floats(numbers)

    def network(self, parameters: Parameters, model_format: int) -> bytes:
        planes, whole = INPUTS[model_format]
        channels = parameters.first.weights.shape[3]
        self.words("small-net", model_format, planes, whole, "trunk", len(parameters.blocks), channels, 8, 8, 8, 8)
        self.conv(parameters.first)
        self.matrix(parameters.first_globals)
        for block in parameters.blocks:
            self.words("gpool_block" if block.pooling else "ordinary_block", "block")
            self.norm(block.before)
            self.conv(block.first)
            if block.pooling:
                self.conv(block.pooling.conv)
                self.norm(block.pooling.norm)
                self.matrix(block.pooling.weights)
            self.norm(block.between)
            self.conv(block.second)
        self.norm(parameters.tip)
        policy, value = parameters.policy, parameters.value
        self.words("policyhead")
        self.conv(policy.conv)
        self.conv(policy.pooling.conv)
        self.norm(policy.pooling.norm)
        self.matrix(policy.pooling.weights)
        self.norm(policy.norm)
        self.conv(policy.plays)
        self.matrix(policy.pass_weights)
        self.words("valuehead")
        self.conv(value.conv)
        self.norm(value.norm)
        self.matrix(value.hidden)
        self.bias(value.hidden_bias)
        self.words("relu")
        self.matrix(value.value)
        self.bias(value.value_bias)
        scores = SCORES[model_format]
        self.matrix(value.score[:, :scores])
        self.bias(value.score_bias[:scores])
        self.conv(value.ownership)
        return self.content


def content_of(model_format: int = 8, *, binary: bool = True) -> bytes:
    planes, whole = INPUTS[model_format]
    return Writer(binary=binary).network(random_parameters(7, planes, whole), model_format)


def file_with(folder: Path, content: bytes, name: str = "net.bin.gz") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    return path


@pytest.mark.parametrize("model_format", sorted(INPUTS))
@pytest.mark.parametrize("name", ["net.bin.gz", "net.txt.gz", "net.bin", "net.txt"])
def test_every_format_is_read_as_it_was_written(tmp_path: Path, model_format: int, name: str) -> None:
    planes, whole = INPUTS[model_format]
    path = file_with(tmp_path, content_of(model_format, binary="bin" in name), name)
    header, parameters = read_network(path)
    assert (header.name, header.format, header.planes, header.globals) == ("small-net", model_format, planes, whole)
    assert read_header(path) == header
    written = random_parameters(7, planes, whole)
    rng = np.random.default_rng(1)
    points = rng.random((2, 49, planes)).astype(np.float32)
    board = rng.random((2, whole)).astype(np.float32)
    found, wanted = Network(parameters).run(points, board, 7), Network(written).run(points, board, 7)
    scores = SCORES[model_format]
    wanted = Outputs(wanted.policy, wanted.value, wanted.score[:, :scores], wanted.ownership)
    assert furthest(found, wanted) < 1e-4
    judgement = KataGo.load(path).judge([KataGo.load(path).look(Board(torus_of(7)), 4, (), 0)], 7)[0]
    assert judgement.policy.shape == (50,)
    assert judgement.policy.sum() == pytest.approx(1, abs=1e-5)
    assert 0 <= judgement.win <= 1
    assert np.abs(judgement.owner).max() <= 1


def test_outputs_mean_what_each_format_says() -> None:
    outputs = Outputs(
        np.array([[0, 0, np.log(2)]], np.float32),
        np.array([[np.log(3), 0, 50]], np.float32),
        np.array([[0.5, 0, 0.25, 0]], np.float32),
        np.array([[0, 20]], np.float32),
    )
    newest, older, oldest = (judgements(outputs, model_format, 9)[0] for model_format in (8, 4, 3))
    assert newest.policy.tolist() == pytest.approx([0.25, 0.25, 0.5])
    assert newest.win == pytest.approx(0.75)
    assert newest.owner.tolist() == pytest.approx([0, 1])
    assert (newest.lead, older.lead, oldest.lead) == pytest.approx((5, 10, 9))
    assert (newest.spread, older.spread, oldest.spread) == pytest.approx((20 * np.log(2), 20 * np.log(2), 0))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is no KataGo network"),
        (b"(;FF[4]GM[1]SZ[19])", "is no KataGo network"),
        (b"\x00\xff\xfe" * 50, "is no KataGo network"),
        (b"net 15 22 19 1.0", "has model format 15"),
        (b"net 2 22 19 trunk", "has model format 2"),
        (b"net 8 13 12 trunk", "takes 13 and 12 inputs"),
    ],
)
def test_other_files_are_refused_in_one_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    path = file_with(tmp_path, content)
    for read in (read_header, read_network, KataGo.load):
        with pytest.raises(NetError, match=says) as refused:
            read(path)
        assert str(refused.value).endswith(SUPPORTED)
        assert "\n" not in str(refused.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(NetError, match=r"cannot be read \(No such file"):
        read_header(tmp_path / "net.bin.gz")
    with pytest.raises(NetError, match=r"cannot be read \(Is a directory"):
        read_header(tmp_path)


@pytest.mark.parametrize("binary", [True, False])
def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path, *, binary: bool) -> None:
    content = content_of(binary=binary)
    rng = np.random.default_rng(3)
    # A number that stands as text may lose its last digits and remain a number.
    for length in (*rng.integers(60, len(content) - 40, 40).tolist(), len(content) - 40):
        with pytest.raises(NetError):
            read_network(file_with(tmp_path, content[:length]))
    packed = gzip.compress(content)
    (tmp_path / "cut.bin.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(NetError, match="damaged or cut short"):
        read_network(tmp_path / "cut.bin.gz")


def test_damage_is_refused_or_read_but_never_a_traceback_of_ours(tmp_path: Path) -> None:
    content = content_of()
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
        (b"gpool_block", b"nested_bottleneck_block", "a block of the kind nested_bottleneck_block"),
        (b"ordinary_block", b"dilated_block", "a block of the kind dilated_block"),
        (b"conv\n1\n1\n8\n5\n", b"conv\n2\n2\n8\n5\n", "a convolution of 2×2 points"),
        (b"conv\n1\n1\n8\n5\n", b"conv\n1\n1\n9\n5\n", "9 channels where 8 belong"),
        (b"bn\n8\n0.25\n", b"bn\n8\nabout\n", "damaged or cut short"),
        (b"bn\n8\n0.25\n", b"bn\n8\n-1\n", "damaged or cut short"),
    ],
)
def test_odd_networks_are_refused(tmp_path: Path, before: bytes, after: bytes, says: str) -> None:
    content = content_of()
    assert before in content
    with pytest.raises(NetError, match=says):
        read_network(file_with(tmp_path, content.replace(before, after, 1)))


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    content = content_of()
    start = content.index(b"@BIN@") + 5
    infinite = np.array([np.inf], "<f4").tobytes()
    with pytest.raises(NetError, match="weights that are no numbers"):
        read_network(file_with(tmp_path, content[:start] + infinite + content[start + 4 :]))


@pytest.mark.parametrize("size", [5, 9, 16, 19])
@pytest.mark.parametrize("reference", [numpy_reference, torch_reference])
def test_a_real_network_agrees_with_other_ways_of_computing_it(reference: Any, size: int) -> None:
    _, parameters = read_network(data_path("nets", "g170-b6c96.bin.gz"))
    judge = KataGo.load(data_path("nets", "g170-b6c96.bin.gz"))
    rng = np.random.default_rng(size)
    board, recent, looks = Board(torus_of(size)), [], []
    for _ in range(4):
        for _ in range(size):
            move = int(rng.choice(board.torus.points_in(board.legal_mask())))
            board.play(move)
            recent = [*recent, move][-5:]
        looks.append(judge.look(board, 4, recent, 0))
    planes, whole = np.stack([look.planes for look in looks]), np.stack([look.whole for look in looks])
    found = Network(parameters).run(planes, whole, size)
    assert furthest(found, reference(parameters, planes, whole, size, "wrap")) < 2e-4
    policy = np.exp(found.policy - found.policy.max(axis=1, keepdims=True))
    wanted = reference(parameters, planes, whole, size, "wrap").policy
    wanted = np.exp(wanted - wanted.max(axis=1, keepdims=True))
    apart = policy / policy.sum(axis=1, keepdims=True) - wanted / wanted.sum(axis=1, keepdims=True)
    assert np.abs(apart).max() < 1e-4


def test_a_real_network_thinks_the_same_wherever_a_position_stands() -> None:

    judge = KataGo.load(data_path("nets", "g170-b6c96.bin.gz"))
    choices = []
    for shift in range(9):
        board = Board(torus_of(9))
        colours = list(board.colours)
        for point, colour in ((40, 2), (39, 1), (49, 1), (50, 1)):
            colours[board.torus.shift(point, shift, shift)] = colour
        board.setup(colours, BLACK)
        judgement = judge.judge([judge.look(board, 4, (), 0)], 9)[0]
        choices.append(board.torus.shift(int(judgement.policy.argmax()), -shift, -shift))
    assert len(set(choices)) == 1
