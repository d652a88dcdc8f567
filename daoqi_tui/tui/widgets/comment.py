"""The comment on a move."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from daoqi_tui.i18n import _


class CommentPane(VerticalScroll):
    """Shows a comment, and nothing at all where there is none."""

    can_focus = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._text: str | None = None
        self._body = Static("")

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        yield self._body

    def show(self, comment: str, *, titled: bool) -> None:
        """Show a comment, its control characters already made harmless."""
        self.border_title = _("Comment") if titled else None
        if comment != self._text:
            self._text = comment
            self.display = bool(comment)
            self._body.update(Text(comment))
            self.scroll_home(animate=False)
