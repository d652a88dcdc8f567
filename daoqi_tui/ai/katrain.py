"""Finds the KataGo network of an installed KaTrain, without importing KaTrain.

KaTrain's package data includes a network, and it stores downloaded ones in ``~/.katrain``. Since 1.19 the packaged one
is a transformer, which is not supported.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from daoqi_tui.ai.katago.format import NetError, read_header
from daoqi_tui.message import Message

PACKAGE: Final = "katrain"
_FOLDER: Final = ".katrain"
_ENDINGS: Final = (".bin.gz", ".txt.gz")


def katrain_network() -> Path | None:
    """Return the first usable network: the package's first, then downloaded ones, newest first."""
    for path in (*_packaged(), *_downloaded()):
        try:
            read_header(path)
        except NetError:
            # A transformer, say; KaTrain also downloads networks that imitate human players of a given rank.
            continue
        return path
    return None


def not_found() -> NetError:
    """Return the error for a KaTrain without a usable network."""
    return NetError(
        Message(
            "no usable KaTrain network was found, neither in the installed package {package} nor in {folder};"
            " those that KaTrain includes since 1.19 are transformers, which are not supported",
            package=PACKAGE,
            folder=f"~/{_FOLDER}",
        )
    )


def _packaged() -> Iterator[Path]:
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 (most starts need it not)

    try:
        files = distribution(PACKAGE).files or ()
    except PackageNotFoundError:
        return
    for file in files:
        if file.name.endswith(_ENDINGS):
            yield Path(str(file.locate()))


def _downloaded() -> list[Path]:
    found: list[tuple[int, Path]] = []
    # The folder, or the home directory, may not exist.
    with suppress(OSError, RuntimeError):
        for path in (Path.home() / _FOLDER).iterdir():
            # Skip broken links.
            with suppress(OSError):
                found.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(found, reverse=True) if path.name.endswith(_ENDINGS)]
