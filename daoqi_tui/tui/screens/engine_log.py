"""What GTP engines wrote to their standard error, to be read when one misbehaves."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from daoqi_tui.i18n import _
from daoqi_tui.tui.screens.dialogs import Page


class EngineLog(Page):
    """The last lines of each engine.

    Args:
        said: names with lines.
    """

    BINDINGS = [Binding("escape,E,q,enter", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, said: Sequence[tuple[str, Sequence[str]]]) -> None:
        super().__init__()
        self._said = said

    def compose(self) -> ComposeResult:
        """Lay out one scrolling page."""
        text = Text()
        for name, lines in self._said:
            text.append(f"{name}\n", style="bold")
            text.append("\n".join(lines) if lines else _("It wrote nothing."))
            text.append("\n\n")
        text.rstrip()
        with VerticalScroll(classes="dialog", id="help") as page:
            page.border_title = _("Engines' words")
            page.border_subtitle = self.way_out()
            yield Static(text)

    def on_mount(self) -> None:
        """Begin at the last line."""
        self.query_one(VerticalScroll).scroll_end(animate=False)
