"""Our own network files: numpy archives of weights, named as in :mod:`~daoqi_tui.ai.network_parameters`.

An entry is called by its way through the values, as in ``blocks.2.first.weights``; beside the weights stand the
network's ``name``, the ``format`` of its inputs and outputs, which are those of KataGo's networks of that model
format, and whether ``ladders`` are to be read for it, which they are where nothing is said. Weights may be kept as
16-bit floats.
"""

from __future__ import annotations

import zipfile
from dataclasses import fields, is_dataclass
from io import BytesIO
from pathlib import Path
from types import NoneType
from typing import Any, Final, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai.katago_format import INPUTS, LARGEST, Header, NetError
from daoqi_tui.ai.network import Network
from daoqi_tui.ai.network_parameters import Parameters

ENDING: Final = ".npz"
_TRIAL: Final = 7
"""Points along the side of the board on which a network read is tried."""


def write_npz(path: Path, header: Header, parameters: Parameters, *, exact: bool = False) -> None:
    """Write a network to a file: whole, or not at all.

    Args:
        path: the file; it ends in ``.npz``.
        header: name, model format and ladders; the inputs follow from the format.
        parameters: the weights.
        exact: keep 32 bits of each weight rather than 16.
    """
    # Players only read.
    from daoqi_tui.record.files import write_atomically  # noqa: PLC0415

    kind = np.float32 if exact else np.float16
    entries = {name: weights.astype(kind) for name, weights in _flat(parameters, "")}
    told = {"name": header.name, "format": header.format, "ladders": header.ladders}
    packed = BytesIO()
    np.savez_compressed(packed, **{name: np.array(value) for name, value in told.items()}, **entries)  # type: ignore[arg-type]
    write_atomically(path, packed.getvalue())


def read_npz(path: Path) -> tuple[Header, Parameters]:
    """The header and the weights in a file that :func:`write_npz` wrote.

    Raises:
        NetError: it cannot be read, or holds no network that works.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST:
                raise NetError(f"{path.name} is larger than any network")
        with np.load(path) as archive:
            entries = {name: archive[name] for name in archive.files}
    except OSError as error:
        raise NetError(f"{path} cannot be read: {error.strerror or 'damaged'}") from error
    except (ValueError, EOFError, zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError) as error:
        raise NetError(f"{path.name} is damaged or no archive of a network") from error
    try:
        header = _header(entries)
        parameters: Parameters = _built(Parameters, "", entries)
        _try(parameters, header)
    except (KeyError, ValueError, IndexError, TypeError) as error:
        raise NetError(f"{path.name} is no network of ours: its parts are incomplete or do not fit") from error
    return header, parameters


def _header(entries: dict[str, NDArray[Any]]) -> Header:
    model_format = int(entries["format"])
    ladders = bool(entries.get("ladders", True))
    return Header(str(entries["name"])[:200], model_format, *INPUTS[model_format], ladders)


def _try(parameters: Parameters, header: Header) -> None:
    """Run the network on an empty board, which shows whether its parts fit.

    Raises:
        ValueError: they do not, or numbers run over.
    """
    network = Network(parameters)
    points = _TRIAL * _TRIAL
    planes, whole = np.zeros((1, points, header.planes), np.float32), np.zeros((1, header.globals), np.float32)
    found = network.run(planes, whole, _TRIAL)
    shapes = found.policy.shape, found.value.shape, found.score.shape, found.ownership.shape
    if shapes != ((1, points + 1), (1, 3), (1, 4), (1, points)):
        raise ValueError("the outputs have other shapes")
    if not all(np.isfinite(part).all() for part in (found.policy, found.value, found.score, found.ownership)):
        raise ValueError("the outputs are no numbers")


def _flat(value: Any, name: str) -> list[tuple[str, NDArray[Any]]]:  # noqa: ANN401 - whatever the fields hold
    """All weights in a value, by name; a part that is missing has none."""
    if is_dataclass(value):
        parts = [(field.name, getattr(value, field.name)) for field in fields(value)]
    elif isinstance(value, tuple):
        parts = [(str(place), part) for place, part in enumerate(value)]
    else:
        return [] if value is None else [(name, np.asarray(value))]
    return [entry for part, held in parts for entry in _flat(held, f"{name}.{part}" if name else part)]


def _built(kind: Any, name: str, entries: dict[str, NDArray[Any]]) -> Any:  # noqa: ANN401 - as the kind says
    """The value of a kind whose weights are called ``name`` and what follows."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        parts = {part: _built(hints[part], f"{name}.{part}" if name else part, entries) for part in hints}
        return kind(**parts)  # type: ignore[operator]
    if get_origin(kind) is tuple:
        count = len({entry[len(name) + 1 :].split(".")[0] for entry in entries if entry.startswith(f"{name}.")})
        return tuple(_built(get_args(kind)[0], f"{name}.{place}", entries) for place in range(count))
    if NoneType in get_args(kind):
        if not any(entry.startswith(f"{name}.") for entry in entries):
            return None
        return _built(get_args(kind)[0], name, entries)
    if kind is int:
        return int(entries[name])
    return np.ascontiguousarray(entries[name].astype(np.float32))
