"""Textual's list of options, robust against late clicks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Self

from textual import events, widgets
from textual.strip import Strip
from textual.types import OptionListContent
from textual.widgets.option_list import Option

_EDITION: Final = "edition"
"""What the style of a drawn option says besides its place in the list: which list that is."""


class OptionList(widgets.OptionList):
    """A list of options that may be replaced while it is shown.

    Textual 8.2 reads the place of an option off the style under the mouse as the button is released, and looks the
    option up when the click is dealt with. A click whose options have been replaced in between does nothing here.
    """

    _edition = 0
    """How often options were taken away."""

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
        """Draw one line, and note in its style which list it is of."""
        return super().render_line(y).apply_meta({_EDITION: self._edition})

    def on_click(self, event: events.Click) -> None:
        """Ignore a click that was meant for options of before."""
        if event.style.meta.get(_EDITION) != self._edition:
            event.prevent_default()
