"""The dialogs of notes: the editor of a comment, and the form for what a record says of its game.

They are imported when they open: the editor needs a widget, and the form what reads records, which few games need.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Button, TextArea

from daoqi_tui.engine import Rules, parse_rules, points_text
from daoqi_tui.i18n import N_, _
from daoqi_tui.play.editing import INFORMATION
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import brief_result
from daoqi_tui.record.sgf.info import Info, read_result, result_of
from daoqi_tui.text import plain, plain_line
from daoqi_tui.tui.screens import Dialog, ask_to_leave, buttons
from daoqi_tui.tui.screens.form import Form, checked, labelled, value_of
from daoqi_tui.tui.screens.setup import rules_choice
from daoqi_tui.typed import read_komi


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


class InformationScreen(Form[tuple[Info, float, Rules] | None]):
    """The form for the game information of a record, its komi and its rules."""

    heading = N_("Game information")
    submits = N_("Save (Enter)")
    AUTO_FOCUS = "#black"

    def __init__(self, session: Session) -> None:
        super().__init__()
        info, game = session.described(), session.game
        self._info, self._komi, self._rules = info, game.komi, game.rules
        shown = replace(info, result=result_of(game) if info.result is None else info.result)
        shown = replace(shown, result=brief_result(shown.result or ""))
        self._shown = {name: plain_line(getattr(shown, name)) for name in INFORMATION}

    def fields(self) -> Iterable[Widget]:
        for name, label in INFORMATION.items():
            yield labelled(name, _(label), self._shown[name])
        yield labelled("komi", _("Komi"), points_text(self._komi))
        yield rules_choice(self._rules)

    def read(self) -> tuple[Info, float, Rules]:
        typed = {name: self.text(name) for name in INFORMATION}
        # What is not changed stays as it is written in the record.
        changed: dict[str, Any] = {
            name: text for name, text in typed.items() if text != " ".join(self._shown[name].split())
        }
        if "result" in changed:
            changed["result"] = read_result(changed["result"])
        komi, rules = self._komi, parse_rules(value_of(self, "rules"))
        if self.text("komi") != points_text(komi):
            komi = checked("komi", read_komi, self.text("komi"))
        return replace(self._info, **changed), komi, self._rules if str(rules) == str(self._rules) else rules
