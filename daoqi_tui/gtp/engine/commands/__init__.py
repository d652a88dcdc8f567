"""The GTP commands of the engine, by name, one module for each subject."""

from __future__ import annotations

from typing import Final

from daoqi_tui.gtp.engine.commands import admin, analysis, daoqi, gogui, play, rules, setup
from daoqi_tui.gtp.engine.session import CommandTable

COMMANDS: Final[CommandTable] = {
    name: handler
    for group in (admin, setup, rules, play, analysis, gogui, daoqi)
    for name, handler in group.COMMANDS.items()
}
"""In the order of ``list_commands``."""
