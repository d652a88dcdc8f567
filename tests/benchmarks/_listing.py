"""The reference listing of 2022, the yardstick of the engine's speed, imported from where it lies."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any, Final

LISTING: Final = Path(__file__).resolve().parents[3] / "shared" / "reference" / "go_2022.py"


def load_listing() -> Any:
    """The listing as a module; ends the script with status 1 and one clear line where it is missing."""
    if not LISTING.is_file():
        sys.exit(f"the reference listing is missing: {LISTING} (put the shared folder beside the checkout)")
    spec = importlib.util.spec_from_file_location("go_2022", LISTING)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
