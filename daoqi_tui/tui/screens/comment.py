"""The editor for a comment: apart from the other dialogs, which need no editor."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Button, TextArea

from daoqi_tui.i18n import _
from daoqi_tui.text import plain
from daoqi_tui.tui.screens.dialogs import Dialog, ask_to_leave, buttons


class CommentScreen(Dialog[str | None]):
    """The editor for the comment on a move."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape", "close", show=False, priority=True),
        Binding("ctrl+s", "keep", show=False, priority=True),
    ]

    def __init__(self, comment: str) -> None:
        super().__init__()
        self._comment = plain(comment)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="comment-editor") as dialog:
            dialog.border_title = _("Comment")
            yield TextArea(self._comment, compact=True)
            yield buttons(("keep", _("Save (Ctrl+S)")), ("cancel", _("Cancel (Esc)")))

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)
        area.focus()

    @on(Button.Pressed, "#keep")
    def action_keep(self) -> None:
        self.dismiss(self._written)

    @property
    def _written(self) -> str:
        return self.query_one(TextArea).text.strip()

    def action_close(self) -> None:
        """Close without changing the comment; ask first if the text was changed."""
        if self._written == self._comment.strip():
            self.dismiss(None)
        else:
            ask_to_leave(self, _("The comment is not saved. Leave it?"))
