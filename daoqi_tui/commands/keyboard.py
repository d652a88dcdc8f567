"""The current keys of commands, and how a sentence refers to a command."""

from __future__ import annotations

from collections.abc import Mapping

from daoqi_tui.commands import BY_NAME
from daoqi_tui.commands.command import Command, key_sign, keys_of
from daoqi_tui.i18n import _

_rebound: Mapping[str, tuple[str, ...]] | None = None
"""The keys that replace those of commands; None where commands are typed, as in text mode."""


def use_keys(rebound: Mapping[str, tuple[str, ...]]) -> None:
    """Apply the keys that replace those of commands, by name, and use them in sentences."""
    global _rebound  # noqa: PLW0603 (the one keyboard of the process)
    _rebound = rebound


def keys_now(command: Command) -> tuple[str, ...]:
    """Return the keys of a command, by Textual's names; none if others have taken them all."""
    return keys_of(command, _rebound or {})


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
