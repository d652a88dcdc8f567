"""Reads daoqi-tui's network files: numpy archives of :mod:`~daoqi_tui.ai.network.network`.

An entry is named by its path through the dataclasses, as in ``blocks.2.first.weights``. Besides the weights, there are
the network's ``name``, the ``format`` of its inputs and outputs, which is a KataGo model format, and whether it takes
``ladders`` as inputs (the default). Activation functions are named unless they are ReLU. Weights may be stored as
16-bit floats; those of convolutions also quantised to 8-bit integers, to be multiplied by the step size of their output
channel, in the entry with the same name and ``.step``. Most of these integers are small, so that the archive takes less
than five bits for each.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from dataclasses import fields, is_dataclass
from math import prod
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.network import (
    INPUTS,
    MAX_BYTES,
    MAX_CHANNELS,
    MAX_KERNEL,
    MAX_NESTING,
    SCORES,
    Header,
    NetError,
)
from daoqi_tui.ai.network.layout import Floats
from daoqi_tui.ai.network.network import Activation, Block, Filter, NestedBlock, Network, Norm, Parameters, Pooling
from daoqi_tui.message import Message, reason_of
from daoqi_tui.paths import open_file

_MAX_ENTRIES: Final = 10_000
"""The maximum number of entries; a network of sixty blocks has a tenth of it."""
STEP: Final = ".step"
"""The suffix of the entry with the step sizes of quantised weights."""
_MAGIC: Final = b"\x93NUMPY\x01\x00"
_HEADER: Final = re.compile(
    rb"\{'descr': '([<>|=][biufU]\d{1,6})', 'fortran_order': (True|False), 'shape': \(([\d, ]{0,100})\), \} *\n"
)
"""The header that numpy writes before an array of numbers or text. Numpy's own reader evaluates Python literals and may
raise any error."""
_WEIGHT_BYTES: Final = 4
_TRIAL: Final = 7


def read_npz(path: Path) -> tuple[Header, Parameters]:
    """Read the header and the weights from a file in the form above.

    Raises:
        NetError: it cannot be read, or does not contain a working network.
    """
    try:
        with open_file(path) as file, zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
            # Before anything is unpacked. No entry can be larger than declared here: zipfile stops reading there.
            if sum(part.file_size for part in parts) > MAX_BYTES or len(parts) > _MAX_ENTRIES:
                raise _too_large(path)
            entries = {part.filename.removesuffix(".npy"): _entry(archive, part, path) for part in parts}
    except NetError:
        raise
    except OSError as error:
        reason = reason_of(error) if error.strerror else Message("damaged")
        raise NetError(Message("{file} cannot be read: {reason}", file=path, reason=reason)) from error
    except (ValueError, TypeError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:
        # zipfile raises a RuntimeError for what it cannot unpack, numpy a TypeError for unknown kinds of numbers.
        raise NetError(Message("{file} is damaged or not a network archive", file=path.name)) from error
    if sum(weights.size for weights in entries.values()) * _WEIGHT_BYTES > MAX_BYTES:
        raise _too_large(path)
    try:
        # Overflows are found in the outputs.
        with np.errstate(all="ignore"):
            header = _header(entries)
            parameters = parameters_in(entries)
            _check_channels(parameters, header)
            _try(parameters, header)
    except (KeyError, ValueError, IndexError, TypeError, ArithmeticError) as error:
        raise NetError(
            Message("{file} is not a daoqi-tui network: its parts are incomplete or do not match", file=path.name)
        ) from error
    return header, parameters


def _too_large(path: Path) -> NetError:
    return NetError(
        Message(
            "{file} is too large for a network: the limit is {size} MiB unpacked", file=path.name, size=MAX_BYTES >> 20
        )
    )


def _entry(archive: zipfile.ZipFile, part: zipfile.ZipInfo, path: Path) -> NDArray[Any]:
    """Return an array of an archive, after checking its shape before memory is allocated for it.

    Raises:
        NetError: no network can have an array of that shape.
        ValueError: it is not an array of numbers or text, or its length is not as declared.
    """
    if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("compressed in another way")
    with archive.open(part) as file:
        start = file.read(len(_MAGIC) + 2)
        length = int.from_bytes(start[len(_MAGIC) :], "little")
        header = _HEADER.fullmatch(file.read(length)) if start.startswith(_MAGIC) else None
        if header is None:
            raise ValueError("neither numbers nor text")
        kind = np.dtype(header[1].decode())
        shape = tuple(int(word) for word in header[3].replace(b",", b" ").split())
        if len(shape) > 4 or max(shape, default=0) > 3 * MAX_CHANNELS:
            raise NetError(
                Message(
                    "{file} has an array of shape {shape}, which no network has",
                    file=path.name,
                    shape="×".join(map(str, shape[:6])),
                )
            )
        if len(start) + length + prod(shape) * kind.itemsize != part.file_size:
            raise ValueError("not as long as it says")
        return np.frombuffer(file.read(), kind).reshape(shape, order="F" if header[2] == b"True" else "C")


def _header(entries: dict[str, NDArray[Any]]) -> Header:
    model_format = int(entries["format"])
    ladders = bool(entries.get("ladders", True))
    return Header(str(entries["name"])[:200], model_format, *INPUTS[model_format], ladders)


def _try(parameters: Parameters, header: Header) -> None:
    """Run the network on empty boards to check that its parts fit together.

    Raises:
        ValueError: they do not fit, or an output overflows.
    """
    network = Network(parameters)
    points = _TRIAL * _TRIAL
    # With a single board, a vector with a number per board could pass for one with a number per channel.
    planes, whole = np.zeros((2, points, header.planes), np.float32), np.zeros((2, header.globals), np.float32)
    found = network.run(planes, whole, _TRIAL)
    shapes = found.policy.shape, found.value.shape, found.score.shape, found.ownership.shape
    if shapes != ((2, points + 1), (2, 3), (2, SCORES[header.format]), (2, points)):
        raise ValueError("the outputs have other shapes")
    if not all(np.isfinite(part).all() for part in (found.policy, found.value, found.score, found.ownership)):
        raise ValueError("the outputs are no numbers")


def _check_channels(parameters: Parameters, header: Header) -> None:
    """Raise ValueError where parts have another number of channels than those they belong to.

    Not all of that would be found by running them: where many are wanted numpy repeats a single one.
    """
    channels = _outputs(parameters.first, header.planes)
    _check_shape(parameters.first_globals, header.globals, channels)
    for block in parameters.blocks:
        _check_block(block, channels)
    _check_norm(parameters.tip, channels)
    policy, value = parameters.policy, parameters.value
    inner = _outputs(policy.conv, channels)
    pooled = _check_pooling(policy.pooling, channels, inner)
    _check_norm(policy.norm, inner)
    _outputs(policy.plays, inner)
    passing = policy.pass_weights.shape[1]
    _check_shape(policy.pass_weights, 3 * pooled, passing)
    if policy.pass_layer is not None:
        _check_shape(policy.pass_layer.bias, passing)
        _check_shape(policy.pass_layer.weights, passing, policy.pass_layer.weights.shape[1])
    inner = _outputs(value.conv, channels)
    _check_norm(value.norm, inner)
    hidden, scores = value.hidden.shape[1], SCORES[header.format]
    for weights, bias, shape in (
        (value.hidden, value.hidden_bias, (3 * inner, hidden)),
        (value.value, value.value_bias, (hidden, 3)),
        (value.score, value.score_bias, (hidden, scores)),
    ):
        _check_shape(weights, *shape)
        _check_shape(bias, shape[1])
    _outputs(value.ownership, inner)


def _check_block(block: Block | NestedBlock, channels: int) -> None:
    _check_norm(block.before, channels)
    if isinstance(block, NestedBlock):
        inner = _outputs(block.narrow, channels)
        for each in block.blocks:
            _check_block(each, inner)
        _check_norm(block.after, inner)
        _check_shape(block.widen.weights[0, 0], inner, channels)
        return
    middle = _outputs(block.first, channels)
    if block.pooling is not None:
        _check_pooling(block.pooling, channels, middle)
    _check_norm(block.between, middle)
    _check_shape(block.second.weights[0, 0], middle, channels)


def _check_pooling(pooling: Pooling, channels: int, outputs: int) -> int:
    """Check a pooling; return how many channels it pools."""
    pooled = _outputs(pooling.conv, channels)
    _check_norm(pooling.norm, pooled)
    _check_shape(pooling.weights, 3 * pooled, outputs)
    return pooled


def _check_norm(norm: Norm, channels: int) -> None:
    _check_shape(norm.scale, channels)
    _check_shape(norm.bias, channels)


def _outputs(layer: Filter, inputs: int) -> int:
    """Return how many channels a convolution makes of so many."""
    made: int = layer.weights.shape[-1]
    _check_shape(layer.weights[0, 0], inputs, made)
    return made


def _check_shape(array: Floats, *shape: int) -> None:
    if array.shape != shape:
        raise ValueError(f"an array has the shape {array.shape}, not {shape}")


def _check(layer: Filter) -> None:
    """Raise ValueError for an unsupported convolution, before memory is allocated for its transforms."""
    rows, columns, _, _ = layer.weights.shape
    if rows != columns or not rows % 2 or rows > MAX_KERNEL or not 1 <= layer.dilation <= MAX_KERNEL:
        raise ValueError("the kernel is of another kind")


def parameters_in(entries: dict[str, NDArray[Any]]) -> Parameters:
    """Return the weights in the entries of an archive.

    Raises:
        KeyError, ValueError: some are missing, or do not belong together.
    """
    found: Parameters = _built(Parameters, "", entries)
    return found


def _built(kind: Any, name: str, entries: dict[str, NDArray[Any]]) -> Any:  # noqa: ANN401 - as the kind says
    """Return a value of type ``kind`` from the entries whose names begin with ``name``."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        parts = {part: _built(hints[part], f"{name}.{part}" if name else part, entries) for part in hints}
        value = kind(**parts)  # type: ignore[operator]
        if isinstance(value, Filter):
            _check(value)
        return value
    if get_origin(kind) is tuple:
        if name.count("blocks") > MAX_NESTING + 1:
            raise ValueError("nested too deeply")
        count = len({entry[len(name) + 1 :].split(".")[0] for entry in entries if entry.startswith(f"{name}.")})
        return tuple(_built(get_args(kind)[0], f"{name}.{index}", entries) for index in range(count))
    if get_origin(kind) in (Union, UnionType):
        found = {entry[len(name) + 1 :].split(".")[0] for entry in entries if entry.startswith(f"{name}.")}
        if NoneType in get_args(kind) and not found:
            return None
        for one in get_args(kind):
            if is_dataclass(one) and found <= {field.name for field in fields(one)}:
                return _built(one, name, entries)
        raise ValueError("parts that do not belong together")
    if kind is Activation:
        return Activation(str(entries[name])) if name in entries else Activation.RELU
    if kind is int:
        return int(entries[name])
    return _weights(entries[name], entries.get(name + STEP))


def _weights(stored: NDArray[Any], steps: NDArray[Any] | None) -> Floats:
    weights: Floats = np.ascontiguousarray(stored.astype(np.float32))
    if steps is not None:
        _check_shape(steps, *stored.shape[-1:])
        weights *= steps.astype(np.float32)
    return weights
