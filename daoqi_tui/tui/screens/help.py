"""Every key, read off the table of commands."""

from __future__ import annotations

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from daoqi_tui.i18n import N_, _
from daoqi_tui.tui.bound_keys import keys_now
from daoqi_tui.tui.commands import COMMANDS, key_signs
from daoqi_tui.tui.screens.dialogs import Page

_MOUSE = (
    (N_("Left click"), N_("Play on the point")),
    (N_("Drag"), N_("Pan the board in any direction, without end")),
    (N_("Wheel"), N_("Pan up and down; with Shift to the sides")),
    (N_("Right click"), N_("Bring the point into the middle")),
    (N_("Click a move"), N_("Go to that move of the history")),
)


class HelpScreen(Page):
    """The list of keys."""

    BINDINGS = [Binding("escape,question_mark,f1,q,enter", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def compose(self) -> ComposeResult:
        """Lay out one scrolling page."""
        with VerticalScroll(classes="dialog", id="help") as page:
            page.border_title = _("Keys")
            page.border_subtitle = self.way_out()
            yield Static(_keys_table())


def _keys_table() -> Table:
    signs = {command.id: key_signs(keys_now(command)) for command in COMMANDS}
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(
        no_wrap=True,
        style="bold",
        width=max(cell_len(words) for words in (*signs.values(), *(_(gesture) for gesture, _deed in _MOUSE))),
    )
    table.add_column(ratio=1)
    group = ""
    for command in COMMANDS:
        if command.group != group:
            if group:
                table.add_row("", "")
            group = command.group
            table.add_row("", Text(_(group), style="bold underline"))
        table.add_row(Text(signs[command.id]), Text(_(command.help)))
    table.add_row("", "")
    table.add_row("", Text(_("The mouse"), style="bold underline"))
    for gesture, deed in _MOUSE:
        table.add_row(Text(_(gesture)), Text(_(deed)))
    return table
