"""The box of forms that is ticked or not."""

from __future__ import annotations

from textual.widgets import Checkbox


class Switch(Checkbox):
    """A checkbox that differs by shape where colours are missing."""

    def watch_value(self) -> None:
        """Show a cross, or none."""
        self.BUTTON_INNER = "X" if self.value else " "
        super().watch_value()
