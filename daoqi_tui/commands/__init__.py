"""The commands of the program as data: names, keys, labels, help, groups and search words, without their functions.

Keys, menu, help, settings and docs are generated from :data:`COMMANDS`; a face registers a function for each name. The
keys that the user has chosen apply to the whole process. What is typed in text mode is in
:mod:`daoqi_tui.commands.text`.
"""

from __future__ import annotations

from collections.abc import Mapping

from daoqi_tui.commands.command import Command, key_sign
from daoqi_tui.commands.screen import BY_NAME, COMMANDS
from daoqi_tui.i18n import _

_rebound: Mapping[str, tuple[str, ...]] | None = None
"""The keys that replace those of commands; None where commands are typed, as in text mode."""


def use_keys(rebound: Mapping[str, tuple[str, ...]]) -> None:
    """Apply the keys that replace those of commands, by name, and use them in sentences."""
    global _rebound  # noqa: PLW0603 (the one keyboard of the process)
    _rebound = rebound


def keys_now(command: Command) -> tuple[str, ...]:
    """Return the keys of a command, by Textual's names; none if others have taken them all."""
    rebound = _rebound or {}
    if command.name in rebound:
        return rebound[command.name]
    given = {key for keys in rebound.values() for key in keys}
    return tuple(key for key in command.keys if key not in given)


def key_of(name: str) -> str:
    """Return how a sentence refers to a command: its first key, or without one its name in the menu.

    Where commands are typed, it is the name itself.

    Raises:
        KeyError: there is no such command.
    """
    if _rebound is None:
        return name
    command = BY_NAME[name]
    keys = keys_now(command)
    return key_sign(keys[0]) if keys else f"“{_(command.label)}”"


__all__ = ["BY_NAME", "COMMANDS", "key_of", "keys_now", "use_keys"]
