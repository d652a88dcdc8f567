"""Neural networks in numpy: weights, convolutions, files, and evaluation in batches.

Here is the header of KataGo's network files, which says what a network takes and gives, and which ones are supported;
this needs only the standard library. A file is a gzip-compressed sequence of words; numbers are text (``.txt.gz``) or,
after the marker ``@BIN@``, 32-bit floats (``.bin.gz``). It begins with the network's name, the model format, and the
numbers of inputs; then follow, since format 13, the multipliers of the score outputs, and since format 15, a number of
options.
"""

from __future__ import annotations

import gzip
import math
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from daoqi_tui.message import Message, reason_of
from daoqi_tui.paths import open_file

SUPPORTED: Final = Message(
    "KataGo networks of model formats 3 to 16 made of residual blocks (.bin.gz or .txt.gz) are supported"
)
INPUTS: Final = {
    3: (22, 14),
    4: (22, 14),
    5: (22, 14),
    6: (13, 12),
    7: (22, 16),
    **dict.fromkeys(range(8, 17), (22, 19)),
}
"""For each model format the number of spatial and of global inputs."""
SCORES: Final = {3: 1, **dict.fromkeys(range(4, 8), 2), 8: 4, **dict.fromkeys(range(9, 17), 6)}
"""For each model format the number of score outputs: mean and spread; lead and time left; two short-term errors."""
POLICIES: Final = {**dict.fromkeys(range(3, 12), 1), **dict.fromkeys(range(12, 16), 2), 16: 4}
"""For each model format the number of policies: the ordinary one, the optimistic one, two predictions of values."""
NAMED_ACTIVATIONS: Final = 11
"""The first model format that names its activation functions; before that, all are ReLU."""
MULTIPLIERS: Final = 13
OPTIONS: Final = 15
"""The first model format with options in the header and with a hidden layer for the pass."""
TRANSFORMERS: Final = 17
SCORE_UNIT: Final = 20.0
"""Points for a score output of 1, in formats that do not say otherwise."""
MAX_BYTES: Final = 512 << 20
"""The maximum bytes unpacked; networks of 28 blocks of 512 channels, and of 60 blocks of 320, have fewer."""
MAX_CHANNELS: Final = 4096
"""The maximum channels or blocks of a valid file."""
MAX_NESTING: Final = 8
"""The maximum depth of nested blocks; known networks have 3."""
MAX_KERNEL: Final = 25
"""The largest kernel size; known networks have at most 7."""
LOOK: Final = 4096
"""The number of bytes that contains every header."""
TRUNK_OPTIONS: Final = 6
"""The number of options since format 15 that follow the numbers of the trunk; those of transformers are among them."""


_TRUNK: Final = 7
"""The number of words after a header that describe the trunk: its name, and the numbers of blocks and channels."""
_MULTIPLIERS: Final = 7
_OPTIONS: Final = 8
_WORDS: Final = 4 + _MULTIPLIERS + _OPTIONS + _TRUNK + TRUNK_OPTIONS
"""The maximum number of words in a header and in the description of the trunk."""


class NetError(ValueError):
    """Raised for a network file that cannot be used; the message says what is supported."""


class ScoreUnits(NamedTuple):
    """The points for an output of 1: of the mean score, of its spread, and of the lead."""

    mean: float = SCORE_UNIT
    spread: float = SCORE_UNIT
    lead: float = SCORE_UNIT


USUAL_UNITS: Final = ScoreUnits()


class Counting(NamedTuple):
    """The shares, 0 to 1, that the points counted by a network's ownership have in its outputs.

    See :func:`daoqi_tui.ai.network.network.counted`.

    Attributes:
        lead: in the lead.
        win: in the win rate.
        open: in the win rate of an empty board; it falls to ``win`` as stones are played.
    """

    lead: float = 0.0
    win: float = 0.0
    open: float = 0.0


NO_COUNT: Final = Counting()


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a network file.

    Attributes:
        name: the network's.
        format: the model format.
        planes, globals: the number of spatial and of global inputs.
        ladders: whether it was trained with ladder features; a network plays worse with inputs it was not trained with.
        units: of its score outputs.
        counting: the shares of the points counted by its ownership.
    """

    name: str
    format: int
    planes: int
    globals: int
    ladders: bool = True
    units: ScoreUnits = USUAL_UNITS
    counting: Counting = NO_COUNT


def read_header(path: Path) -> Header:
    return header_of(unpacked(path, LOOK), path)[0]


def header_of(content: bytes | bytearray, path: Path) -> tuple[Header, int]:
    """Return the header at the beginning of a file's content, and its number of words.

    Raises:
        NetError: as :func:`read_header`.
    """
    words = content[:LOOK].split(maxsplit=_WORDS)[:_WORDS]
    try:
        name = words[0].decode("ascii")
        model_format, planes, whole = (int(word) for word in words[1:4])
    except (IndexError, ValueError):
        raise NetError(
            Message("{file} is not a KataGo network; {supported}", file=path.name, supported=SUPPORTED)
        ) from None
    if model_format >= TRANSFORMERS:
        raise NetError(
            Message(
                "{file} has model format {format}, which is for transformer networks; {supported}",
                file=path.name,
                format=model_format,
                supported=SUPPORTED,
            )
        )
    if model_format not in INPUTS:
        raise NetError(
            Message(
                "{file} has model format {format}; {supported}",
                file=path.name,
                format=model_format,
                supported=SUPPORTED,
            )
        )
    if (planes, whole) != INPUTS[model_format]:
        raise NetError(
            Message(
                "{file} has {planes} and {whole} inputs, which is wrong for model format {format}; {supported}",
                file=path.name,
                planes=planes,
                whole=whole,
                format=model_format,
                supported=SUPPORTED,
            )
        )
    length, units = 4, USUAL_UNITS
    if model_format >= MULTIPLIERS:
        units = _units(words[length : length + _MULTIPLIERS], path)
        length += _MULTIPLIERS
    if model_format >= OPTIONS:
        _check_options(words[length : length + _OPTIONS], path)
        length += _OPTIONS
        # KaTrain's transformer has an older format, and is told by these alone.
        if any(_integers(words[length + _TRUNK :], path)):
            raise _unknown_option(path)
    return Header(name, model_format, planes, whole, units=units), length


def _units(words: Sequence[bytes | bytearray], path: Path) -> ScoreUnits:
    """Return the units from the multipliers of a header: those after the final score's and before the time's."""
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        raise damaged(path) from None
    if len(numbers) < _MULTIPLIERS or not all(math.isfinite(number) and number > 0 for number in numbers):
        raise damaged(path)
    return ScoreUnits(*numbers[1:4])


def _check_options(words: Sequence[bytes | bytearray], path: Path) -> None:
    """Raise :class:`NetError` for options that change what a network needs or computes: all nonzero ones."""
    options = _integers(words, path)
    if len(options) < _OPTIONS:
        raise damaged(path)
    if options[0]:
        raise NetError(
            Message(
                "{file} imitates players of a rank and needs to be told it, which is not supported; {supported}",
                file=path.name,
                supported=SUPPORTED,
            )
        )
    if any(options):
        raise _unknown_option(path)


def _integers(words: Sequence[bytes | bytearray], path: Path) -> list[int]:
    try:
        return [int(word) for word in words]
    except ValueError:
        raise damaged(path) from None


def _unknown_option(path: Path) -> NetError:
    return NetError(
        Message(
            "{file} is a transformer network or has other options that are not supported; {supported}",
            file=path.name,
            supported=SUPPORTED,
        )
    )


def unpacked(path: Path, least: int = MAX_BYTES) -> bytearray:
    """Return the content of a file, unpacked if it is gzipped: all of it, or at least ``least`` bytes.

    Raises:
        NetError: the file cannot be read or unpacked, or is far too large.
    """
    try:
        with open_file(path) as file:
            packed = file.read(2) == b"\x1f\x8b"
            # Do not unpack a file that claims to be too large. A truncated one may claim anything.
            if _declared_size(file, packed=packed) > MAX_BYTES and (not packed or _is_too_large(file)):
                raise _too_large(path)
            file.seek(0)
            content = _take(gzip.GzipFile(fileobj=file) if packed else file, least)
    except NetError:
        raise
    except (OSError, ValueError) as error:
        # A ValueError means that no file can have such a name; gzip raises an OSError without a reason.
        reason = Message("damaged") if isinstance(error, OSError) and not error.strerror else reason_of(error)
        raise NetError(
            Message("{file} cannot be read ({reason}); {supported}", file=path, reason=reason, supported=SUPPORTED)
        ) from error
    except (EOFError, zlib.error) as error:
        raise damaged(path) from error
    if len(content) > MAX_BYTES:
        raise _too_large(path)
    return content


def damaged(path: Path) -> NetError:
    return NetError(Message("{file} is damaged or cut short; {supported}", file=path.name, supported=SUPPORTED))


def _too_large(path: Path) -> NetError:
    return NetError(
        Message(
            "{file} is too large for a network: the limit is {size} MiB unpacked; {supported}",
            file=path.name,
            size=MAX_BYTES >> 20,
            supported=SUPPORTED,
        )
    )


def _declared_size(file: BinaryIO, *, packed: bool) -> int:
    """Return the unpacked size: from the last four bytes of a gzip file (RFC 1952), or the size of the file."""
    size = file.seek(0, os.SEEK_END)
    if not packed:
        return size
    file.seek(max(0, size - 4))
    return int.from_bytes(file.read(4), "little")


def _is_too_large(file: BinaryIO) -> bool:
    """Return whether a packed file is too large, by unpacking and discarding it in parts."""
    file.seek(0)
    unpacking, size = gzip.GzipFile(fileobj=file), 0
    while size <= MAX_BYTES and (part := unpacking.read(1 << 20)):
        size += len(part)
    return size > MAX_BYTES


def _take(file: BinaryIO | gzip.GzipFile, least: int) -> bytearray:
    content = bytearray()
    while len(content) <= least and (part := file.read(1 << 20)):
        content += part
    return content
