"""The part of a form that asks who plays a side."""

from __future__ import annotations

from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Label, Select

from daoqi_tui.engine import points_text
from daoqi_tui.i18n import _
from daoqi_tui.numbers_typed import whole_number
from daoqi_tui.tui.opponents import LONGEST, PERSON, STRONGEST, USUAL_LEVEL, WEAKEST, Computer, EngineSeat, Seat

_PERSON, _COMPUTER, _ENGINE = "person", "computer", "engine"
_OF_KIND: Final = {_PERSON: (), _COMPUTER: ("level", "seconds"), _ENGINE: ("command", "seconds")}


class WrongField(Exception):
    """What is wrong with a field of a form; ``field`` is its identifier."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


class SeatFields(Vertical):
    """Asks for a person, a level, or an engine's command, and for seconds a move.

    Args:
        side: ``black`` or ``white``; the fields are called ``black-kind`` and so on.
        label: what is asked.
        seat: who plays as yet.
    """

    DEFAULT_CSS = """
    SeatFields { height: auto; width: 52; max-width: 100%; }
    .-narrow SeatFields { width: 36; }
    """

    def __init__(self, side: str, label: str, seat: Seat) -> None:
        super().__init__()
        self._side, self._label, self._seat = side, label, seat

    def compose(self) -> ComposeResult:
        """Lay out the fields; those the kind of player has no use for are hidden."""
        seat = self._seat
        kind = {Computer: _COMPUTER, EngineSeat: _ENGINE}.get(type(seat), _PERSON)
        kinds = [(_("a person"), _PERSON), (_("the computer"), _COMPUTER), (_("a GTP engine"), _ENGINE)]
        if self.app.is_web and kind != _ENGINE:
            del kinds[2]
        with Horizontal(classes="field"):
            yield Label(self._label)
            yield Select(
                kinds,
                value=kind,
                allow_blank=False,
                compact=True,
                id=self._called("kind"),
            )
        level = str(seat.level if isinstance(seat, Computer) else USUAL_LEVEL)
        command = seat.command if isinstance(seat, EngineSeat) else ""
        seconds = None if seat == PERSON else seat.seconds  # type: ignore[union-attr]
        yield from self._field("level", _("  Level (1–10)"), level)
        yield from self._field("command", _("  Command"), command, _("gnugo --mode gtp"))
        text = "" if seconds is None else points_text(seconds)
        yield from self._field("seconds", _("  Seconds a move"), text, _("as it sees fit"))

    def _called(self, field: str) -> str:
        return f"{self._side}-{field}"

    def _field(self, name: str, label: str, value: str, hint: str = "") -> ComposeResult:
        with Horizontal(classes="field", id=f"field-{self._called(name)}"):
            yield Label(label)
            # Whoever may name a command may do anything; what the owner named, others may play against.
            fixed = name == "command" and self.app.is_web
            yield Input(value, hint, id=self._called(name), compact=True, disabled=fixed)

    def on_mount(self) -> None:
        """Show the fields of the kind of player."""
        self._show_fields()

    @on(Select.Changed)
    def _show_fields(self) -> None:
        for field in ("level", "command", "seconds"):
            self.query_one(f"#field-{self._called(field)}").display = field in _OF_KIND[self._kind]

    @property
    def _kind(self) -> str:
        return str(self.query_one(f"#{self._called('kind')}", Select).value)

    def read(self) -> Seat:
        """Who is to play.

        Raises:
            WrongField: a field does not say what it should.
        """
        kind = self._kind
        if kind == _PERSON:
            return PERSON
        seconds = self._seconds()
        if kind == _COMPUTER:
            text = self._text("level")
            level = whole_number(text, WEAKEST, STRONGEST)
            if level is None:
                raise WrongField(self._called("level"), _("The level is a whole number from 1 to 10"))
            return Computer(level, seconds)
        command = self._text("command")
        if not command:
            raise WrongField(self._called("command"), _("Name a program and its arguments, such as gnugo --mode gtp"))
        try:
            return EngineSeat(command, seconds)
        except ValueError as error:
            raise WrongField(self._called("command"), str(error)) from None

    def _seconds(self) -> float | None:
        text = self._text("seconds")
        if not text:
            return None
        try:
            seconds = float(text)
        except ValueError:
            seconds = 0
        if not 0 < seconds <= LONGEST:
            raise WrongField(self._called("seconds"), _("Seconds a move are a number up to 3600, or nothing"))
        return seconds

    def _text(self, field: str) -> str:
        return self.query_one(f"#{self._called(field)}", Input).value.strip()
