"""The commands of the program as data: names, keys, labels, help, groups and search words, without their functions.

Keys, menu, help, settings and docs are generated from :data:`COMMANDS`; a face registers a function for each name. What
is typed in text mode is in :mod:`daoqi_tui.commands.text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from daoqi_tui.commands import analysis, navigation, online, playing, program
from daoqi_tui.commands.command import Command

COMMANDS: Final[tuple[Command, ...]] = (
    *navigation.BOARD,
    *playing.COMMANDS,
    *navigation.GAME,
    *analysis.NOTES,
    *analysis.READING,
    *online.COMMANDS,
    *program.COMMANDS,
)
BY_NAME: Final[Mapping[str, Command]] = {command.name: command for command in COMMANDS}
