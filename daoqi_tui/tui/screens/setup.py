"""The new-game screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Checkbox, Input, Label, Select, Static

from daoqi_tui.engine import Game, points_text
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.i18n import _
from daoqi_tui.tui.screens.dialogs import Dialog
from daoqi_tui.tui.session import GameSetup
from daoqi_tui.tui.widgets.seat_fields import SeatFields, WrongField

_Number = TypeVar("_Number", int, float)

SMALLEST_OFFERED = 5
_OFF, _BYOYOMI, _FISCHER = "off", "byoyomi", "fischer"


class SetupScreen(Dialog[GameSetup | None]):
    """Asks for size, komi, handicap, players and clock."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape", "cancel", show=False),
        Binding("ctrl+s", "begin", show=False, priority=True),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(self, before: GameSetup) -> None:
        super().__init__()
        self._before = before

    def compose(self) -> ComposeResult:
        """Lay out the form."""
        before, time = self._before, self._before.time
        kind = _OFF if time is None else _FISCHER if time.increment else _BYOYOMI
        with Vertical(classes="dialog", id="setup") as dialog:
            dialog.border_title = _("New game")
            with VerticalScroll():
                yield from _field("size", _("Board size (5–25)"), str(before.size))
                yield from _field("komi", _("Komi for White"), points_text(before.komi))
                yield from _field("handicap", _("Handicap (0, 2–9)"), str(before.handicap))
                yield SeatFields("black", _("Black is played by"), before.black_seat)
                yield SeatFields("white", _("White is played by"), before.white_seat)
                yield from _field("black", _("Black's name"), before.black)
                yield from _field("white", _("White's name"), before.white)
                with Horizontal(classes="field"):
                    yield Label(_("Clock"))
                    yield Select(
                        [(_("off"), _OFF), (_("byo-yomi"), _BYOYOMI), (_("Fischer"), _FISCHER)],
                        value=kind,
                        allow_blank=False,
                        id="clock",
                        compact=True,
                    )
                yield from _field("main", _("Main time, minutes"), points_text(time.main / 60 if time else 10))
                yield from _field("periods", _("Byo-yomi periods"), str(time.periods if time and time.periods else 3))
                yield from _field(
                    "period", _("Seconds a period"), points_text(time.period if time and time.period else 30)
                )
                yield from _field(
                    "increment",
                    _("Seconds added a move"),
                    points_text(time.increment if time and time.increment else 10),
                )
                with Horizontal(classes="field"):
                    yield Checkbox(_("A computer may resign"), before.resigns, compact=True, id="resigns")
            yield Static("", id="complaint")
            with Horizontal(classes="buttons"):
                yield Button(_("Begin (Enter)"), id="begin", variant="primary")
                yield Button(_("Cancel (Esc)"), id="cancel")

    def on_mount(self) -> None:
        """Start at the size, clock details hidden unless a clock is on."""
        self._show_clock_fields()
        self.query_one("#size", Input).focus()

    @on(Select.Changed, "#clock")
    def _show_clock_fields(self) -> None:
        kind = self.query_one("#clock", Select).value
        for name, kinds in (
            ("main", (_BYOYOMI, _FISCHER)),
            ("periods", (_BYOYOMI,)),
            ("period", (_BYOYOMI,)),
            ("increment", (_FISCHER,)),
        ):
            self.query_one(f"#field-{name}").display = kind in kinds

    @on(Input.Submitted)
    @on(Button.Pressed, "#begin")
    def action_begin(self) -> None:
        """Begin the game if the form is right, else say what is wrong."""
        try:
            setup = self._read()
        except WrongField as wrong:
            self._complain(wrong)
            return
        self.dismiss(setup)

    @on(Button.Pressed, "#cancel")
    def action_cancel(self) -> None:
        """Go back to the game as it was."""
        self.dismiss(None)

    def _complain(self, wrong: WrongField) -> None:
        self.query_one("#complaint", Static).update(Text(str(wrong)))
        self.query_one(f"#{wrong.field}", Input).focus()

    def _read(self) -> GameSetup:
        size = self._number("size", int, _("The board size is a whole number from 5 to 25"), SMALLEST_OFFERED, 25)
        komi = self._number("komi", float, _("Komi is a number such as 4 or 3.75"), -200, 200)
        handicap = self._number("handicap", int, _("The handicap is 0, or 2 to 9 stones"), 0, 9)
        try:
            Game(size, komi, handicap)
        except ValueError:
            raise WrongField("handicap", _("The handicap is 0, or 2 to 9 stones that fit the board")) from None
        black, white = (fields.read() for fields in self.query(SeatFields))
        return GameSetup(
            size,
            komi,
            handicap,
            self._text("black"),
            self._text("white"),
            self._time(),
            black,
            white,
            self.query_one("#resigns", Checkbox).value,
        )

    def _time(self) -> TimeControl | None:
        kind = self.query_one("#clock", Select).value
        if kind == _OFF:
            return None
        wrong = _("A time is a number, 0 or more")
        main = 60 * self._number("main", float, _("Main time is a number of minutes"), 0, 6000)
        if kind == _FISCHER:
            increment = self._number("increment", float, wrong, 0, 3600)
            if not main:
                raise WrongField("main", _("Fischer time needs some main time"))
            return TimeControl(main, increment=increment)
        periods = self._number("periods", int, _("Periods are a whole number from 0 to 100"), 0, 100)
        period = self._number("period", float, wrong, 0, 3600)
        if not main and not periods * period:
            raise WrongField("main", _("A clock needs some time to start with"))
        return TimeControl(main, periods, period)

    def _text(self, field: str) -> str:
        return " ".join(self.query_one(f"#{field}", Input).value.split())

    def _number(self, field: str, kind: Callable[[str], _Number], wrong: str, least: float, most: float) -> _Number:
        try:
            number = kind(self._text(field))
        except ValueError:
            raise WrongField(field, wrong) from None
        if not least <= number <= most:
            raise WrongField(field, wrong)
        return number


def _field(name: str, label: str, value: str) -> ComposeResult:
    with Horizontal(classes="field", id=f"field-{name}"):
        yield Label(label)
        yield Input(value, id=name, compact=True)
