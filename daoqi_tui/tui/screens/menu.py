"""The menu in which any command can be found by name."""

from __future__ import annotations

from textual.command import CommandPalette

from daoqi_tui.tui.screens.dialogs import ClosesOnce


class Menu(ClosesOnce[None], CommandPalette):
    """Textual's command palette, which a second click on its way out cannot harm."""
