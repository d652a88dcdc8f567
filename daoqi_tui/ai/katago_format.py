"""What KataGo network files are supported, and a first look into one. Needs the standard library alone.

A file is a gzip-packed run of words; numbers stand as text (``.txt.gz``) or, after the mark ``@BIN@``, as 32-bit
floats (``.bin.gz``). It begins with the network's name, the model format, and how many inputs the network takes.
"""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

SUPPORTED: Final = (
    "KataGo networks of model formats 3 to 8 with ordinary and global-pooling blocks (.bin.gz or .txt.gz) are supported"
)
INPUTS: Final = {3: (22, 14), 4: (22, 14), 5: (22, 14), 6: (13, 12), 7: (22, 16), 8: (22, 19)}
"""For each model format how many inputs there are for each point and for the whole board."""
LARGEST: Final = 1 << 30
"""Bytes unpacked; the largest network in the formats supported has a fifth of it."""
_LOOK: Final = 4096


class NetError(ValueError):
    """A network file that cannot be used; the text is one sentence that says what is supported."""


@dataclass(frozen=True, slots=True)
class Header:
    """How a file begins.

    Attributes:
        name: the network's.
        format: the model format.
        planes, globals: inputs for a point and for the whole board.
        ladders: whether it learnt with ladders read for it; a network plays worse with inputs it is not used to.
    """

    name: str
    format: int
    planes: int
    globals: int
    ladders: bool = True


def read_header(path: Path) -> Header:
    """The header of a network file, checked.

    Raises:
        NetError: the file cannot be read, or is none that is supported.
    """
    return header_of(unpacked(path, _LOOK)[:_LOOK].split(maxsplit=5), path)


def header_of(words: list[bytes], path: Path) -> Header:
    """The header in the first words of a file; raises as :func:`read_header` does."""
    try:
        name = words[0].decode("ascii")
        numbers = [int(word) for word in words[1:4]]
        model_format, planes, whole = numbers
    except (IndexError, ValueError):
        raise NetError(f"{path.name} is no KataGo network; {SUPPORTED}") from None
    if model_format not in INPUTS:
        raise NetError(f"{path.name} has model format {model_format}; {SUPPORTED}")
    if (planes, whole) != INPUTS[model_format]:
        raise NetError(
            f"{path.name} takes {planes} and {whole} inputs, which format {model_format} does not; {SUPPORTED}"
        )
    return Header(name, model_format, planes, whole)


def unpacked(path: Path, least: int = LARGEST) -> bytes:
    """The content of a file, unpacked where it is packed: all of it, or not much more than ``least`` bytes.

    Raises:
        NetError: the file cannot be read or unpacked, or is far too large.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            content = _take(gzip.GzipFile(fileobj=file) if packed else file, least)
    except OSError as error:
        reason = error.strerror or "damaged"
        raise NetError(f"{path} cannot be read ({reason}); {SUPPORTED}") from error
    except (EOFError, zlib.error) as error:
        raise NetError(f"{path.name} is damaged or cut short; {SUPPORTED}") from error
    if len(content) > LARGEST:
        raise NetError(f"{path.name} is larger than any network; {SUPPORTED}")
    return content


def _take(file: BinaryIO | gzip.GzipFile, least: int) -> bytes:
    content = bytearray()
    while len(content) <= least and (part := file.read(1 << 20)):
        content += part
    return bytes(content)
