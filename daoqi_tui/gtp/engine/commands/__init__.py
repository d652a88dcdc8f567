"""The GTP commands of the engine, by name, one module for each subject."""

from __future__ import annotations

from typing import Final

from daoqi_tui.gtp.engine.commands import analysis, daoqi, gogui, rules, standard
from daoqi_tui.gtp.engine.session import CommandTable

COMMANDS: Final = CommandTable(
    {**standard.COMMANDS, **rules.COMMANDS, **analysis.COMMANDS, **gogui.COMMANDS, **daoqi.COMMANDS}
)
"""In the order of ``list_commands``."""
