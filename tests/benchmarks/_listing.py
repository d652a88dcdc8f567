"""Imports the reference listing of 2022, the baseline for the engine's speed, from the shared folder."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any, Final

LISTING: Final = Path(__file__).resolve().parents[3] / "shared" / "reference" / "go_2022.py"


def load_listing() -> Any:
    """Return the listing as a module; exit with status 1 and a message if it is missing."""
    if not LISTING.is_file():
        sys.exit(f"the reference listing is missing: {LISTING} (put the shared folder beside the checkout)")
    spec = importlib.util.spec_from_file_location("go_2022", LISTING)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
