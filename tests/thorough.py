"""How long tests go on that could go on for ever: ``DAOQI_TESTS=thorough`` has them do so for minutes."""

from __future__ import annotations

import os
from typing import Final

THOROUGH: Final = os.environ.get("DAOQI_TESTS") == "thorough"


def rounds(quick: int, thorough: int) -> int:
    """So many, or in the thorough mode so many."""
    return thorough if THOROUGH else quick
