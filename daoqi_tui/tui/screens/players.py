"""Who plays from here on: computers sit down or leave in the middle of a game."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Checkbox, Input, Static

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.i18n import _
from daoqi_tui.tui.opponents import Seat
from daoqi_tui.tui.screens.dialogs import Dialog
from daoqi_tui.tui.session import Session
from daoqi_tui.tui.widgets.seat_fields import SeatFields, WrongField


@dataclass(frozen=True, slots=True)
class Chosen:
    """Who plays each side, and whether a computer may resign."""

    black: Seat
    white: Seat
    resigns: bool

    @classmethod
    def of(cls, session: Session) -> Chosen:
        """As it is in a session."""
        return cls(session.seats[BLACK], session.seats[WHITE], session.resigns)


class PlayersScreen(Dialog[Chosen | None]):
    """Asks who plays each side."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape", "cancel", show=False),
        Binding("ctrl+s", "begin", show=False, priority=True),
        Binding("enter", "begin", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(self, before: Chosen) -> None:
        super().__init__()
        self._before = before

    def compose(self) -> ComposeResult:
        """Lay out the form."""
        with Vertical(classes="dialog", id="setup") as dialog:
            dialog.border_title = _("Who plays from here on")
            with VerticalScroll():
                yield SeatFields("black", _("Black is played by"), self._before.black)
                yield SeatFields("white", _("White is played by"), self._before.white)
                with Horizontal(classes="field"):
                    yield Checkbox(_("A computer may resign"), self._before.resigns, compact=True, id="resigns")
            yield Static("", id="complaint")
            with Horizontal(classes="buttons"):
                yield Button(_("Play (Enter)"), id="begin", variant="primary")
                yield Button(_("Cancel (Esc)"), id="cancel")

    @on(Input.Submitted)
    @on(Button.Pressed, "#begin")
    def action_begin(self) -> None:
        """Play on with those chosen if the form is right, else say what is wrong."""
        try:
            black, white = (fields.read() for fields in self.query(SeatFields))
        except WrongField as wrong:
            self.query_one("#complaint", Static).update(Text(str(wrong)))
            self.query_one(f"#{wrong.field}").focus()
            return
        self.dismiss(Chosen(black, white, self.query_one("#resigns", Checkbox).value))

    @on(Button.Pressed, "#cancel")
    def action_cancel(self) -> None:
        """Leave everybody where they are."""
        self.dismiss(None)
