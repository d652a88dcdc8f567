"""The editor of a comment."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, TextArea

from daoqi_tui.i18n import _
from daoqi_tui.record.text import plain
from daoqi_tui.tui.screens.dialogs import Dialog


class CommentScreen(Dialog[str | None]):
    """Asks for the comment on a move."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape", "cancel", show=False, priority=True),
        Binding("ctrl+s", "keep", show=False, priority=True),
    ]

    def __init__(self, comment: str) -> None:
        super().__init__()
        self._comment = plain(comment)

    def compose(self) -> ComposeResult:
        """Lay out the editor above its buttons."""
        with Vertical(classes="dialog", id="comment-editor") as dialog:
            dialog.border_title = _("Comment")
            yield TextArea(self._comment, compact=True)
            with Horizontal(classes="buttons"):
                yield Button(_("Keep (Ctrl+S)"), id="keep", variant="primary")
                yield Button(_("Cancel (Esc)"), id="cancel")

    def on_mount(self) -> None:
        """Go on writing at the end."""
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)
        area.focus()

    @on(Button.Pressed, "#keep")
    def action_keep(self) -> None:
        """Close with what is written."""
        self.dismiss(self.query_one(TextArea).text.strip())

    @on(Button.Pressed, "#cancel")
    def action_cancel(self) -> None:
        """Close and leave the comment as it was."""
        self.dismiss(None)
