"""The menu in which any command can be found by name."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.command import CommandPalette


class Menu(CommandPalette):
    """Textual's command palette, which a second click on its way out cannot harm."""

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close, once, as every dialog here does."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()
