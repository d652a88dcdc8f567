"""Textual's list of options, robust against late clicks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Self

from textual import events, widgets
from textual.strip import Strip
from textual.types import OptionListContent
from textual.widgets.option_list import Option

_EDITION: Final = "edition"
"""The key in the style's metadata for the version of the list."""


class OptionList(widgets.OptionList):
    """A list of options that may be replaced while it is shown.

    Textual 8.2 reads the index of an option from the style under the mouse when the button is released, and looks the
    option up when the click is handled. A click is ignored here if the options were replaced in between.
    """

    _edition = 0
    """The number of times that options were removed."""

    def clear_options(self) -> Self:
        """Remove all options."""
        self._edition += 1
        return super().clear_options()

    def set_options(self, options: Iterable[OptionListContent]) -> Self:
        """Replace all options."""
        self._edition += 1
        return super().set_options(options)

    def _pre_remove_option(self, option: Option, index: int) -> None:
        self._edition += 1
        super()._pre_remove_option(option, index)

    def render_line(self, y: int) -> Strip:
        """Draw one line, with the version of the list in its style."""
        return super().render_line(y).apply_meta({_EDITION: self._edition})

    def on_click(self, event: events.Click) -> None:
        """Ignore a click on options that have been replaced."""
        if event.style.meta.get(_EDITION) != self._edition:
            event.prevent_default()
