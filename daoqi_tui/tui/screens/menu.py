"""The menu in which any command can be found by name."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import Any, Final

from textual import work
from textual.await_complete import AwaitComplete
from textual.command import CommandPalette
from textual.css.query import NoMatches

# The base class has this as a method that starts a worker; what the worker does is inside it.
_GATHER: Final[Any] = inspect.unwrap(CommandPalette._gather_commands)  # noqa: SLF001


class Menu(CommandPalette):
    """Textual's command palette, which can be closed as fast as it was opened, and a second click cannot harm."""

    @work(exclusive=True, group=CommandPalette._GATHER_COMMANDS_GROUP)  # noqa: SLF001 (the group its base cancels)
    async def _gather_commands(self, search_value: str) -> None:
        """Gather what matches, unless the list that is to show it has gone."""
        with suppress(NoMatches):
            await _GATHER(self, search_value)

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close, once, as every dialog here does."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()
