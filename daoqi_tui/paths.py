"""Paths that a person types."""

from __future__ import annotations

import os
from pathlib import Path


def typed_path(text: str) -> Path:
    """Expand ``~`` in a typed path; it stays as typed where there is no such user."""
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
