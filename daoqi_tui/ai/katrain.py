"""Finds the KataGo network of an installed KaTrain, importing nothing of it.

KaTrain carries a network among the data of its package, and keeps those that it downloads in ``~/.katrain``.
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
    """Return the first usable network: those of the package first, then the downloaded ones, the newest first."""
    for path in (*_packaged(), *_downloaded()):
        try:
            read_header(path)
        except NetError:
            # KaTrain also downloads networks that imitate players of a rank.
            continue
        return path
    return None


def not_found() -> NetError:
    """Return the error where KaTrain has no network for us."""
    return NetError(
        Message(
            "no usable network of KaTrain was found: neither in the installed package {package} nor in {folder}",
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
    # There may be no such folder, or no home.
    with suppress(OSError, RuntimeError):
        for path in (Path.home() / _FOLDER).iterdir():
            # A link that leads nowhere is passed over.
            with suppress(OSError):
                found.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(found, reverse=True) if path.name.endswith(_ENDINGS)]
