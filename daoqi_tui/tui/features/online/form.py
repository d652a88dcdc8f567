"""The form that begins an online game: one to host, an invitation, a lobby, or a seat to go back to.

It opens no connection, and needs nothing of what does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from textual import on
from textual.widget import Widget

from daoqi_tui.engine.clock import parse_time_control
from daoqi_tui.i18n import N_, _, name_in_language
from daoqi_tui.message import filled
from daoqi_tui.play.online.invitation import (
    LONGEST_DELAY,
    LONGEST_NAME,
    Invitation,
    account_link,
    read_address,
    without_command,
)
from daoqi_tui.play.online.seat_book import SavedSeat, Standing, describe_standing, own_name
from daoqi_tui.play.session import GameSetup
from daoqi_tui.text import plain_line
from daoqi_tui.tui.screens.form import Choice, Form, Switch, WrongField, checked, labelled, numbers, value_of
from daoqi_tui.tui.screens.setup import board_fields, clock_field, read_board, rules_choice
from daoqi_tui.typed import whole_number

if TYPE_CHECKING:
    from daoqi_tui.play.online.table import Chooser, Terms

_DELAYS: Final = (0, 10, 30, 60, 120, 300, 600)
_HOST, _JOIN, _BACK = "host", "join", "back"
_HOSTING: Final = ("size", "komi", "handicap", "rules", "colour", "clock", "undo", "spectators", "delay", "everywhere")


@dataclass(frozen=True, slots=True)
class Hosting:
    """A game to be hosted: its terms, the name of the host, and whether other computers can reach it."""

    terms: Terms
    name: str
    everywhere: bool


@dataclass(frozen=True, slots=True)
class Joining:
    """A game to join, or to watch."""

    invitation: Invitation
    name: str


@dataclass(frozen=True, slots=True)
class Linked:
    """The account at a server that a link opens, to be kept and used in its lobby."""

    server: str
    secret: str


def describe_seat(standing: Standing) -> str:
    # In a form there is no room for a reason.
    text = _("against {name}: {state}; not reached") if standing.reason else _("against {name}: {state}")
    state = describe_standing(standing._replace(reason=""))
    return filled(text, name=plain_line(name_in_language(standing.seat.opponent)) or "?", state=state)


class NetworkScreen(Form[Hosting | Joining | Linked | SavedSeat | str | None]):
    """The form for a game to host, an invitation, a lobby, a link to an account there, or a seat to go back to.

    Args:
        before: the current game, which gives the defaults of a new one.
        seats: the seats in unfinished games.
    """

    heading = N_("Play online")
    AUTO_FOCUS = "#kind"

    def __init__(self, before: GameSetup, seats: list[SavedSeat]) -> None:
        super().__init__()
        self._before, self._seats = before, seats

    def fields(self) -> Iterable[Widget]:
        before = self._before
        kinds = [(_("Host a game: you invite"), _HOST), (_("Join a game: you were invited"), _JOIN)]
        if self._seats:
            kinds.append((_("Go back to a game"), _BACK))
        colours = [(_("Random (nigiri)"), "nigiri"), (_("I play Black"), "host"), (_("I play White"), "guest")]
        yield Choice(_("What to do"), kinds, kinds[-1][1] if self._seats else _HOST, id="kind")
        if self._seats:
            seats = [(describe_seat(Standing(seat)), place) for place, seat in enumerate(self._seats)]
            yield Choice(_("Game"), seats, 0, id="seat")
        yield labelled("invitation", _("Invitation, lobby or account"), "", hint="192.168.1.5:7777#…")
        yield labelled("name", _("Your name"), own_name())
        yield from board_fields(before.size, before.komi, before.handicap)
        yield rules_choice(before.rules)
        yield Choice(_("Your colour"), colours, "nigiri", id="colour")
        yield clock_field(_("off"), time=before.time)
        yield Switch(_("Undo may be requested"), True, id="undo")
        yield Switch(_("Others may watch"), True, id="spectators")
        yield labelled("delay", _("Seconds they see it late"), "0", offers=numbers(_DELAYS))
        yield Switch(_("Reachable from other computers"), False, id="everywhere")

    def on_mount(self) -> None:
        self._show_fields()
        if self._seats:
            self.run_worker(self._ask())

    async def _ask(self) -> None:
        """Ask the servers of the games how they stand."""
        await asyncio.to_thread(import_module, "daoqi_tui.play.online.seats")
        from daoqi_tui.play.online.seats import current_states  # noqa: PLC0415 (the form opens without)

        standing = await current_states(self._seats)
        for choice in self.query("#seat").results(Choice):
            choice.choices = tuple((describe_seat(each), place) for place, each in enumerate(standing))
            choice.refresh(layout=True)

    @on(Choice.Changed, "#kind")
    def _show_fields(self) -> None:
        kind = value_of(self, "kind")
        shown = {_HOST: (*_HOSTING, "name"), _JOIN: ("invitation", "name"), _BACK: ("seat",)}[str(kind)]
        for name in (*_HOSTING, "name", "invitation", "seat"):
            for field in self.query(f"#field-{name}, Choice#{name}, Switch#{name}"):
                field.display = name in shown

    def read(self) -> Hosting | Joining | Linked | SavedSeat | str:
        kind = value_of(self, "kind")
        if kind == _BACK:
            place: int = value_of(self, "seat")
            return self._seats[place]
        name = plain_line(self.text("name"))[:LONGEST_NAME]
        if kind == _JOIN:
            pasted = without_command(self.text("invitation"))
            if linked := checked("invitation", account_link, pasted):
                return Linked(*linked)
            address = checked("invitation", read_address, pasted)
            return address if isinstance(address, str) else Joining(address, name)
        size, komi, handicap = read_board(self)
        clock = self.text("clock")
        time = checked("clock", parse_time_control, clock) if clock else None
        delay = whole_number(self.text("delay"), 0, LONGEST_DELAY)
        if delay is None:
            raise WrongField(
                "delay", _("The delay of spectators must be a whole number from 0 to {most}"), most=LONGEST_DELAY
            )
        rules, colour = value_of(self, "rules"), value_of(self, "colour")
        black: Chooser = {"host": "host", "guest": "guest"}.get(str(colour), "nigiri")  # type: ignore[assignment]
        undo, watch = value_of(self, "undo"), value_of(self, "spectators")
        from daoqi_tui.play.online.table import Terms  # noqa: PLC0415 (the form opens without)

        terms = Terms(size, komi, handicap, rules, time, black, undo, watch, delay)
        return Hosting(terms, name, value_of(self, "everywhere"))
