"""Paths as people type them: whatever is wrong with one, asking about it raises nothing."""

from __future__ import annotations

import os
from pathlib import Path


def typed_path(text: str) -> Path:
    """A path in which ``~`` stands for the person's folder; it stays as typed where nobody has that name."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


# Those of os.path say no where those of pathlib raise: too long a name, a folder that may not be looked into.


def is_there(path: Path) -> bool:
    """Whether something is there that can be seen."""
    return os.path.exists(path)  # noqa: PTH110


def is_folder(path: Path) -> bool:
    """Whether it is a folder that can be seen."""
    return os.path.isdir(path)  # noqa: PTH112
