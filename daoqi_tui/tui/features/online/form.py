"""The form for hosting or joining an online game."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from daoqi_tui.engine import DAOQI, PRESETS, points_text
from daoqi_tui.engine.clock import parse_time_control
from daoqi_tui.i18n import _, translate
from daoqi_tui.numbers import whole_number
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.online.hosting import (
    HERE,
    NoGameError,
    Place,
    hosting,
    join,
    listening_everywhere,
    listening_near,
    own_name,
    served_at,
)
from daoqi_tui.play.online.invitation import JOIN_COMMAND, PORT, Invitation
from daoqi_tui.play.online.protocol import LONGEST_DELAY, LONGEST_NAME, REASONS
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.seats import SavedSeat, SeatBook
from daoqi_tui.play.online.table import Chooser, Terms
from daoqi_tui.play.session import GameSetup
from daoqi_tui.play.setup_text import read_handicap, read_komi, read_size
from daoqi_tui.play.wording import describe_rules
from daoqi_tui.text import plain_line
from daoqi_tui.tui.access import LocalAccess, local_access
from daoqi_tui.tui.host import Host
from daoqi_tui.tui.screens.dialogs import buttons
from daoqi_tui.tui.screens.form import Choice, Fields, Form, Switch, WrongField, checked, labelled, value_of

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


class NetworkScreen(Form[Hosting | Joining | SavedSeat | None]):
    """The form for a game to host, an invitation to join, or a seat to go back to.

    Args:
        before: the current game, which gives the defaults of a new one.
        seats: the seats in unfinished games.
    """

    def __init__(self, before: GameSetup, seats: list[SavedSeat]) -> None:
        super().__init__()
        self._before, self._seats = before, seats

    def compose(self) -> ComposeResult:
        """Lay out the form."""
        before = self._before
        offered = dict.fromkeys((*PRESETS.values(), replace(before.rules, komi=DAOQI.komi)))
        kinds = [(_("Host a game"), _HOST), (_("Join with an invitation"), _JOIN)]
        if self._seats:
            kinds.append((_("Go back to a game"), _BACK))
        colours = [(_("Nigiri"), "nigiri"), (_("I play Black"), "host"), (_("I play White"), "guest")]
        with Vertical(classes="dialog", id="setup") as dialog:
            dialog.border_title = _("Play online")
            with Fields():
                yield Choice(_("What to do"), kinds, kinds[-1][1] if self._seats else _HOST, id="kind")
                if self._seats:
                    seats = [(_describe_seat(seat), place) for place, seat in enumerate(self._seats)]
                    yield Choice(_("Game"), seats, 0, id="seat")
                yield labelled("invitation", _("Invitation"), "", hint="192.168.1.5:7777#…")
                yield labelled("name", _("Your name"), own_name())
                yield labelled("size", _("Board size (5–25)"), str(before.size))
                yield labelled("komi", _("Komi"), points_text(before.komi))
                yield labelled("handicap", _("Handicap (0, 2–9)"), "0")
                yield Choice(
                    _("Rules"),
                    [(describe_rules(rules), str(rules)) for rules in offered],
                    str(before.rules),
                    id="rules",
                )
                yield Choice(_("Your colour"), colours, "nigiri", id="colour")
                yield labelled("clock", _("Clock, such as 20+3x30"), "", hint=_("off"))
                yield Switch(_("Undo may be requested"), True, id="undo")
                yield Switch(_("Others may watch"), True, id="spectators")
                yield labelled("delay", _("Seconds they see it late"), "0")
                yield Switch(_("Reachable from other computers"), False, id="everywhere")
            yield Static("", id="complaint")
            yield buttons(("begin", _("Start (Enter)")), ("cancel", _("Cancel (Esc)")))

    def on_mount(self) -> None:
        """Show the fields of the chosen kind."""
        self._show_fields()
        self.query_one("#kind", Choice).focus()

    @on(Choice.Changed, "#kind")
    def _show_fields(self) -> None:
        kind = value_of(self, "kind")
        shown = {_HOST: (*_HOSTING, "name"), _JOIN: ("invitation", "name"), _BACK: ("seat",)}[str(kind)]
        for name in (*_HOSTING, "name", "invitation", "seat"):
            for field in self.query(f"#field-{name}, Choice#{name}, Switch#{name}"):
                field.display = name in shown

    def read(self) -> Hosting | Joining | SavedSeat:
        kind = value_of(self, "kind")
        if kind == _BACK:
            place: int = value_of(self, "seat")
            return self._seats[place]
        name = plain_line(self.text("name"))[:LONGEST_NAME]
        if kind == _JOIN:
            pasted = self.text("invitation").removeprefix(JOIN_COMMAND)
            return Joining(checked("invitation", Invitation.parse, pasted), name)
        size = checked("size", read_size, self.text("size"))
        komi = checked("komi", read_komi, self.text("komi"))
        handicap = checked("handicap", read_handicap, self.text("handicap"), size)
        clock = self.text("clock")
        time = checked("clock", parse_time_control, clock) if clock else None
        delay = whole_number(self.text("delay"), 0, LONGEST_DELAY)
        if delay is None:
            words = _("The delay of spectators must be a whole number from 0 to {most}")
            raise WrongField("delay", words.format(most=LONGEST_DELAY))
        rules, colour = value_of(self, "rules"), value_of(self, "colour")
        black: Chooser = {"host": "host", "guest": "guest"}.get(str(colour), "nigiri")  # type: ignore[assignment]
        undo, watch = value_of(self, "undo"), value_of(self, "spectators")
        terms = Terms(size, komi, handicap, rules, time, black, undo, watch, delay)
        return Hosting(terms, name, value_of(self, "everywhere"))


def _describe_seat(seat: SavedSeat) -> str:
    words = _("against {name} (your move)") if seat.my_turn else _("against {name}")
    return words.format(name=plain_line(seat.opponent) or "?")


async def open_online(host: Host, pasted: Invitation | None = None) -> None:
    """Ask what to host or to join, unless an invitation was pasted, and show the game; to be run in a worker."""
    access = local_access(host.app)
    if access is None:
        host.say(_("Online games in a browser begin on the lobby page of daoqi-tui serve"))
        return
    folders = host.folders
    if folders is None:
        host.say(_("Games are not saved in this window"))
        return
    book = SeatBook.in_folder(folders.online)
    seats = [seat for seat in await asyncio.to_thread(book.seats) if seat.phase != "over"]
    chosen: Hosting | Joining | SavedSeat | None
    if pasted is not None:
        words = _("Join the game at {address}?").format(address=plain_line(pasted.server))
        chosen = Joining(pasted, own_name()) if await host.questions.ask(words, _("Join"), _("Cancel")) else None
    else:
        chosen = await host.questions.answer_to(NetworkScreen(host.match.session.setup, seats))
    if chosen is None:
        return
    try:
        place = await _place(access, chosen, book, folders)
    except (OSError, RefusedError) as error:
        reason = REASONS[error.code] if isinstance(error, RefusedError) else error
        host.say(_("No game can be opened here: {reason}").format(reason=translate(reason)))
        return
    host.program.open_online(place)


async def _place(
    access: LocalAccess,  # noqa: ARG001 (proof of the permission to connect from this computer)
    chosen: Hosting | Joining | SavedSeat,
    book: SeatBook,
    folders: Folders,
) -> Place:
    """Return the place at the chosen game; start its server if this player hosts it."""
    if isinstance(chosen, SavedSeat):
        if chosen.host:
            # If another program serves the game already, it is joined.
            with suppress(NoGameError):
                return await _serve(listening_near(*served_at(chosen)), [chosen], chosen.name, folders)
        return Place(chosen.invitation, chosen.name, chosen)
    if isinstance(chosen, Joining):
        return await asyncio.to_thread(join, chosen.invitation, chosen.name, book)
    listening = await asyncio.to_thread(listening_everywhere if chosen.everywhere else _listening_here, PORT)
    return await _serve(listening, chosen.terms, chosen.name, folders)


def _listening_here(number: int) -> socket.socket:
    return listening_near(HERE, number)


async def _serve(listening: socket.socket, opened: Terms | Sequence[SavedSeat], name: str, folders: Folders) -> Place:
    """Start to serve a game; leaving the returned place stops the server."""
    async with AsyncExitStack() as stack:
        stack.enter_context(listening)
        serving = hosting(listening, opened, name, folder=folders.online, library=folders.library)
        place, _problems = await stack.enter_async_context(serving)
        return replace(place, server=stack.pop_all())
