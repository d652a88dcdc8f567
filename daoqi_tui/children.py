"""The environment of child processes that run a module of this package."""

from __future__ import annotations

import os
from pathlib import Path


def environment(**defaults: str) -> dict[str, str]:
    """Return this process's environment, with this package on the child's path wherever it was imported from.

    Args:
        defaults: variables for the child where this process does not have them.
    """
    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
    return {**defaults, **os.environ, "PYTHONPATH": path}
