"""The keys that the commands have now, for the sentences that name them.

A person may have given any command other keys, so no sentence names a key itself: it names the command, in braces,
``"{take_back} takes your move back"``, and :func:`with_keys` puts the key there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from daoqi_tui.i18n import _
from daoqi_tui.tui.commands import COMMANDS, Command, key_sign, keys_of

_BY_NAME: Final = {command.name: command for command in COMMANDS}
_rebound: Mapping[str, tuple[str, ...]] = {}


def use_keys(rebound: Mapping[str, tuple[str, ...]]) -> None:
    """Take the keys that commands, by name, were given in place of their own."""
    global _rebound  # noqa: PLW0603 (the one keyboard of the process)
    _rebound = rebound


def keys_now(command: Command) -> tuple[str, ...]:
    """The keys of a command, by Textual's names; none where others have taken them all."""
    return keys_of(command, _rebound)


def key_of(name: str) -> str:
    """How a person calls the command of that name up: its first key, or without one its name in the menu.

    Raises:
        KeyError: there is no such command.
    """
    command = _BY_NAME[name]
    keys = keys_now(command)
    return key_sign(keys[0]) if keys else f"“{_(command.label)}”"


def with_keys(sentence: str, **parts: object) -> str:
    """Put ``parts`` into a translated sentence, and keys where it has names of commands in braces."""
    return sentence.format_map(_Parts(parts))


class _Parts(dict[str, object]):
    def __missing__(self, name: str) -> str:
        return key_of(name)
