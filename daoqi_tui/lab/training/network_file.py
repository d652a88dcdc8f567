"""Writes network files, which :mod:`daoqi_tui.ai.network.npz` describes and reads."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import StrEnum, auto
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.network import Header, NetError
from daoqi_tui.ai.network.network import Activation, Parameters, ValueHead
from daoqi_tui.ai.network.npz import STEP, parameters_in
from daoqi_tui.message import Message
from daoqi_tui.record.files import write_atomically

_STEPS: Final = 6.0
"""The steps in a standard deviation of the weights of a channel. They are rounded by 5 % of it, root mean square."""
_MOST: Final = 127


class Storage(StrEnum):
    """The kinds of numbers that weights are stored as."""

    FLOAT32 = auto()
    FLOAT16 = auto()
    INT8 = auto()
    """Convolutions wider than one point are quantised, everything else is 16-bit floats."""


def write_npz(path: Path, header: Header, parameters: Parameters, storage: Storage = Storage.FLOAT16) -> None:
    """Write a network to a file, atomically.

    Args:
        path: the file; it ends in ``.npz``.
        header: name, model format and ladders; the inputs follow from the format.
        parameters: the weights.
        storage: the kind of numbers for the weights.

    Raises:
        NetError: a weight is not a number, or too large for 16 bits; the file stays as it was.
    """
    entries = _entries(parameters, storage)
    if not all(value.dtype.kind == "U" or np.isfinite(value).all() for value in entries.values()):
        raise NetError(
            Message("the weights of {name} are not finite; {file} is not written", name=header.name, file=path)
        )
    told = {"name": header.name, "format": header.format, "ladders": header.ladders}
    packed = BytesIO()
    np.savez_compressed(packed, **{name: np.array(value) for name, value in told.items()}, **entries)  # type: ignore[arg-type]
    write_atomically(path, packed.getvalue())


def write_with_value_head(source: Path, path: Path, name: str, head: ValueHead) -> None:
    """Write the network of another file with the value head ``head``, atomically.

    All other weights stay as they are stored, to the bit.

    Args:
        source: the other file.
        path: the file to write.
        name: of the network in it.
        head: its value head.
    """
    with np.load(source) as entries:
        kept = {entry: entries[entry] for entry in entries if not entry.startswith("value.")}
        storage = Storage.FLOAT32 if entries["value.hidden"].dtype == np.float32 else Storage.FLOAT16
    stored = {
        entry: numbers for part, value in _flat(head, "value") for entry, numbers in _stored(part, value, storage)
    }
    packed = BytesIO()
    np.savez_compressed(packed, **{**kept, **stored, "name": np.array(name)})
    write_atomically(path, packed.getvalue())


def rounded(parameters: Parameters, storage: Storage) -> Parameters:
    """Return weights as they are read again from a file with this kind of numbers."""
    return parameters_in(_entries(parameters, storage))


def _entries(parameters: Parameters, storage: Storage) -> dict[str, NDArray[Any]]:
    with np.errstate(over="ignore", invalid="ignore"):
        return {
            entry: numbers for name, value in _flat(parameters, "") for entry, numbers in _stored(name, value, storage)
        }


def _stored(name: str, value: NDArray[Any], storage: Storage) -> list[tuple[str, NDArray[Any]]]:
    if value.dtype.kind == "U":
        return [(name, value)]
    if storage is Storage.INT8 and value.ndim == 4 and len(value) > 1:
        channels = value.reshape(-1, value.shape[-1])
        steps = np.maximum(channels.std(axis=0) / _STEPS, np.abs(channels).max(axis=0) / _MOST).astype(np.float32)
        codes = np.rint(value / np.where(steps > 0, steps, 1))
        return [(name, codes.astype(np.int8)), (name + STEP, steps)]
    return [(name, value.astype(np.float32 if storage is Storage.FLOAT32 else np.float16))]


def _flat(value: Any, name: str) -> list[tuple[str, NDArray[Any]]]:  # noqa: ANN401 - whatever the fields hold
    """Return all weights in a value with their names; parts that are None and the default activation have none."""
    if is_dataclass(value):
        parts = [(field.name, getattr(value, field.name)) for field in fields(value)]
    elif isinstance(value, tuple):
        parts = [(str(index), part) for index, part in enumerate(value)]
    else:
        return [] if value is None or value is Activation.RELU else [(name, np.asarray(value))]
    return [entry for part, held in parts for entry in _flat(held, f"{name}.{part}" if name else part)]
