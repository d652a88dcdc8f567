"""Network files in our own format: hostile ones are refused with a single sentence, before they take up memory."""

from __future__ import annotations

import io
import tracemalloc
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daoqi_tui.ai.network import INPUTS, Header, NetError
from daoqi_tui.ai.network import npz as network_npz
from daoqi_tui.ai.network.network import Filter, Network
from daoqi_tui.ai.network.npz import read_npz
from daoqi_tui.lab.training.network_file import Storage, rounded, write_npz
from tests.ai.network_reference import furthest, nested_parameters, random_parameters


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """A valid network file."""
    path = tmp_path / "net.npz"
    planes, whole = INPUTS[8]
    write_npz(path, Header("small", 8, planes, whole), random_parameters(7, planes, whole))
    return path


def entries_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {part.filename: archive.read(part) for part in archive.infolist()}


def rewrite(path: Path, entries: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def npy(value: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, value)
    return buffer.getvalue()


def claiming(header: str) -> bytes:
    """Return an array file with a header and no content."""
    text = header.encode("latin-1") + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def refused(path: Path) -> str:
    """Return the error message for a file; assert that reading it takes little memory."""
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(NetError) as error:
                read_npz(path)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
    assert str(error.value).startswith(path.name)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_what_is_written_is_read_back(sound: Path) -> None:
    header, parameters = read_npz(sound)
    assert header == Header("small", 8, *INPUTS[8])
    written = random_parameters(7, *INPUTS[8])
    assert np.array_equal(parameters.first.weights, written.first.weights.astype(np.float16).astype(np.float32))


def test_blocks_in_blocks_and_their_activations_are_read_back(tmp_path: Path) -> None:
    path, header = tmp_path / "net.npz", Header("nested", 14, *INPUTS[14])
    written = nested_parameters(7, *INPUTS[14], hidden_pass=True)
    write_npz(path, header, written, Storage.FLOAT32)
    read_header, parameters = read_npz(path)
    assert read_header == header
    given = np.ones((1, 49, INPUTS[14][0]), np.float32), np.ones((1, INPUTS[14][1]), np.float32)
    assert furthest(Network(parameters).run(*given, 7), Network(written).run(*given, 7)) == 0


@pytest.mark.parametrize("storage", list(Storage))
def test_weights_are_rounded_as_a_file_rounds_them(storage: Storage, tmp_path: Path) -> None:
    written = random_parameters(7, *INPUTS[8])
    write_npz(tmp_path / "net.npz", Header("small", 8, *INPUTS[8]), written, storage)
    given = np.ones((1, 49, INPUTS[8][0]), np.float32), np.ones((1, INPUTS[8][1]), np.float32)
    found = Network(rounded(written, storage)).run(*given, 7)
    assert furthest(found, Network(read_npz(tmp_path / "net.npz")[1]).run(*given, 7)) == 0
    assert (furthest(found, Network(written).run(*given, 7)) == 0) is (storage is Storage.FLOAT32)


def test_integers_are_multiplied_by_the_steps_of_their_channels(tmp_path: Path) -> None:
    path, header = tmp_path / "net.npz", Header("small", 8, *INPUTS[8])
    wide = np.random.default_rng(1).normal(size=(5, 5, 22, 8)).astype(np.float32)
    # One channel without weights, and one with an outlier farther off than 127 usual steps.
    wide[..., :2] = 0
    wide[0, 0, 0, 1] = 1000
    written = replace(random_parameters(7, *INPUTS[8]), first=Filter(wide))
    write_npz(path, header, written, Storage.INT8)
    assert np.load(path)["first.weights"].dtype == np.int8
    _, parameters = read_npz(path)
    found, wanted = parameters.first.weights, written.first.weights
    steps = np.maximum(wanted.std(axis=(0, 1, 2)) / 6, np.abs(wanted).max(axis=(0, 1, 2)) / 127)
    assert (np.abs(found - wanted).max(axis=(0, 1, 2)) <= steps / 2 * 1.001).all()
    assert found[0, 0, 0, 1] == pytest.approx(1000)
    assert wanted[..., 1].std() < 1000 / 127 * 6
    assert np.array_equal(parameters.policy.conv.weights, written.policy.conv.weights.astype(np.float16))


@pytest.mark.parametrize("count", [0, 1, 7, 9])
def test_steps_that_are_not_one_for_each_channel_are_refused(sound: Path, count: int) -> None:
    channels = read_npz(sound)[1].blocks[0].first.weights.shape[-1]
    assert count != channels
    rewrite(sound, entries_of(sound) | {"blocks.0.first.weights.step.npy": npy(np.ones(count, np.float32))})
    assert refused(sound) == "net.npz is not a daoqi-tui network: its parts are incomplete or do not match"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tip.activation", np.array("gelu")),
        ("tip.activation", np.float32(1)),
        ("blocks.1.narrow.weights", np.zeros((1, 1, 8, 4), np.float32)),
        (f"blocks.0{'.blocks.0' * 3000}.before.scale", np.zeros(8, np.float32)),
        (f"blocks.0{'.blocks.0' * 20}.before.scale", np.zeros(8, np.float32)),
    ],
    ids=lambda value: str(value)[:30],
)
def test_odd_blocks_are_refused(sound: Path, name: str, value: Any) -> None:
    rewrite(sound, entries_of(sound) | {f"{name}.npy": npy(value)})
    assert refused(sound) == "net.npz is not a daoqi-tui network: its parts are incomplete or do not match"


def test_an_archive_that_unpacks_to_far_too_much_is_refused_unread(sound: Path) -> None:
    with (
        zipfile.ZipFile(sound, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("x.npy", "w") as entry,
    ):
        for _ in range(513):
            entry.write(bytes(1 << 20))
    assert sound.stat().st_size < 4 << 20
    assert "too large for a network: the limit is 512 MiB unpacked" in refused(sound)


def test_many_small_weights_that_would_be_large_as_numbers_are_refused(
    sound: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One byte each in the archive, four in memory.
    rewrite(sound, entries_of(sound) | {f"x{part}.npy": npy(np.zeros((1000, 1000), np.int8)) for part in range(3)})
    monkeypatch.setattr(network_npz, "MAX_BYTES", 8 << 20)
    assert "too large for a network" in refused(sound)


def test_an_archive_of_too_many_parts_is_refused(sound: Path) -> None:
    rewrite(sound, {f"blocks.{part}.npy": b"" for part in range(10_001)}, zipfile.ZIP_STORED)
    assert "too large for a network" in refused(sound)


@pytest.mark.parametrize(
    ("shape", "shown"),
    [
        ("(9000000000000, )", "9000000000000"),
        ("(3, 3, 22, 100000)", "3×3×22×100000"),
        ("(1, 1, 1, 1, 1)", "1×1×1×1×1"),
        ("(12289,)", "12289"),
    ],
)
def test_a_shape_that_no_network_has_is_refused_before_there_is_room_made(sound: Path, shape: str, shown: str) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    rewrite(sound, entries_of(sound) | {"first.weights.npy": claiming(header)})
    assert f"has an array of shape {shown}, which no network has" in refused(sound)


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4096, 4096, 25, 25), }",
        "{'descr': '<U2000000000', 'fortran_order': False, 'shape': (), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (True, ), }",
        "{'descr': '<f4', 'shape': (), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, ), }",
        "{'descr': '<f3', 'fortran_order': False, 'shape': (), }",
        f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({'9' * 5000}, ), }}",
        "-" * 380 + "1",
        "[" * 380,
        "(" * 65_000,
        "'" * 9,
        "{" + "\x00" * 9,
        "",
    ],
    ids=lambda header: header[:60],
)
def test_odd_headers_are_refused(sound: Path, header: str) -> None:
    rewrite(sound, entries_of(sound) | {"first.weights.npy": claiming(header)})
    refused(sound)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("format", np.float64("inf")),
        ("format", np.array([8, 8])),
        ("format", np.array("eight")),
        ("first.weights", np.zeros((3, 3, 22), np.float16)),
        ("first.weights", np.zeros((201, 201, 22, 1), np.float16)),
        ("first.weights", np.full((3, 3, 22, 8), np.inf, np.float16)),
        ("first.dilation", np.int64(2**62)),
        ("first.dilation", np.int64(0)),
        ("value.value", np.full((7, 3), 1e300)),
        ("first_globals", np.zeros((0, 0), np.float16)),
        ("first_globals", np.zeros(19, np.float16)),
    ],
)
def test_parts_that_do_not_fit_are_refused(sound: Path, name: str, value: Any) -> None:
    entries = entries_of(sound)
    assert f"{name}.npy" in entries
    rewrite(sound, entries | {f"{name}.npy": npy(value)})
    assert refused(sound) == "net.npz is not a daoqi-tui network: its parts are incomplete or do not match"


def test_one_number_is_not_repeated_for_every_channel(sound: Path) -> None:
    entries = entries_of(sound)
    held = {name: np.load(io.BytesIO(content)) for name, content in entries.items()}
    narrowed = 0
    for name, array in held.items():
        if array.ndim and array.shape[-1] > 1:
            rewrite(sound, entries | {name: npy(array[..., :1])}, zipfile.ZIP_STORED)
            refused(sound)
            narrowed += 1
    assert narrowed > 20


@pytest.mark.parametrize("part", ["tip.scale", "tip.bias", "blocks.0.before.scale"])
def test_an_empty_normalisation_is_refused(sound: Path, part: str) -> None:
    activation = f"{part.rsplit('.', 1)[0]}.activation.npy"
    rewrite(sound, entries_of(sound) | {f"{part}.npy": npy(np.zeros(0, np.float16)), activation: npy(np.array("mish"))})
    assert refused(sound) == "net.npz is not a daoqi-tui network: its parts are incomplete or do not match"


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing_are_refused(sound: Path, kind: int) -> None:
    rewrite(sound, entries_of(sound), kind)
    refused(sound)


def test_damage_is_refused_or_read_but_is_never_an_error_of_another_kind(sound: Path) -> None:
    content = sound.read_bytes()
    rng = np.random.default_rng(4)
    told = 0
    for _ in range(150):
        damaged = bytearray(content)
        for place in rng.integers(0, len(damaged), 3):
            damaged[place] = rng.integers(0, 256)
        sound.write_bytes(damaged)
        try:
            read_npz(sound)
        except NetError:
            told += 1
    assert told > 0
