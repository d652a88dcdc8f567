"""Paths that a person types."""

from __future__ import annotations

import os
import re
from pathlib import Path


def typed_path(text: str) -> Path:
    """Return a typed path with ``~`` expanded, and without quotes around it unless there is a file with them.

    Terminals put quotes around the path of a file that is dropped on them. The path stays as typed where there is no
    such user.
    """
    path = _expanded(text)
    quoted = re.fullmatch(r"(['\"])(.+)\1", text.strip())
    return path if quoted is None or is_there(path) else _expanded(quoted[2])


def _expanded(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


# Those of os.path say no where those of pathlib raise: too long a name, a folder that may not be looked into.


def is_there(path: Path) -> bool:
    """Return whether the path exists; False where it cannot be looked up."""
    return os.path.exists(path)  # noqa: PTH110


def is_folder(path: Path) -> bool:
    """Return whether the path is a folder; False where it cannot be looked up."""
    return os.path.isdir(path)  # noqa: PTH112
