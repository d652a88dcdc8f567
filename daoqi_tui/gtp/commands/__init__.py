"""All commands of the server, by name."""

from __future__ import annotations

from typing import Final

from daoqi_tui.gtp.commands import admin, analysis, clocks, daoqi, gogui, moves, scoring, setup
from daoqi_tui.gtp.context import Table

COMMANDS: Final[Table] = {
    name: handler
    for group in (admin, setup, moves, clocks, scoring, analysis, gogui, daoqi)
    for name, handler in group.COMMANDS.items()
}
"""In the order in which ``list_commands`` tells them."""
