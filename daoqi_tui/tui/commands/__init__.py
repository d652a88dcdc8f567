"""The commands of the game screen. Keys, menu, help, README and settings are generated from :data:`COMMANDS`.

To add a command, write its function and its entry in the module of its subject. Nothing here imports Textual.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from daoqi_tui.i18n import _
from daoqi_tui.play.words import call_commands_by
from daoqi_tui.tui.commands import analysis, navigation, online, playing, program
from daoqi_tui.tui.commands.table import Command, key_sign, keys_of

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

_rebound: Mapping[str, tuple[str, ...]] = {}


def use_keys(rebound: Mapping[str, tuple[str, ...]]) -> None:
    """Apply the keys that replace those of commands, by name, and use them in sentences."""
    global _rebound  # noqa: PLW0603 (the one keyboard of the process)
    _rebound = rebound
    call_commands_by(key_of)


def keys_now(command: Command) -> tuple[str, ...]:
    """Return the keys of a command, by Textual's names; none if others have taken them all."""
    return keys_of(command, _rebound)


def key_of(name: str) -> str:
    """Return how the user invokes a command: its first key, or without one its name in the menu.

    Raises:
        KeyError: there is no such command.
    """
    command = BY_NAME[name]
    keys = keys_now(command)
    return key_sign(keys[0]) if keys else f"“{_(command.label)}”"
