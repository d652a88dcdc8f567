"""An online game on the screen: opening one, the pending move, presence, requests, chat, and cursors."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import Final

from rich.cells import cell_len
from rich.text import Text
from textual.geometry import Size
from textual.timer import Timer

from daoqi_tui.commands.screen import BY_NAME
from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.i18n import _, translate
from daoqi_tui.message import Message
from daoqi_tui.pictures.picture import Ghost, Picture
from daoqi_tui.play.events import Declined
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.match import Changed, View
from daoqi_tui.play.online.client import ClientEvent, Ended, Lost
from daoqi_tui.play.online.hosting import (
    HERE,
    NoGameError,
    Place,
    Visit,
    at_seat,
    back_at,
    hosting,
    join,
    listening_everywhere,
    listening_near,
    reached_by_others,
    served_at,
)
from daoqi_tui.play.online.invitation import PORT, Invitation, qr_code
from daoqi_tui.play.online.match import OnlineMatch
from daoqi_tui.play.online.protocol import (
    REASONS,
    Moved,
    Phase,
    Ping,
    Plan,
    Play,
    Point,
    Pointed,
    Refused,
    Said,
    State,
    Welcome,
)
from daoqi_tui.play.online.protocol import Declined as RequestDeclined
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook, own_name
from daoqi_tui.play.online.seats import Recorder
from daoqi_tui.play.online.story import (
    Story,
    guest_text,
    invitations,
    invited_by,
    scanned,
    waiting_mark,
    watched_by,
)
from daoqi_tui.play.online.table import Terms
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.wording import Unable, colour_word, describe_turn, sentence, two_sentences, with_keys
from daoqi_tui.text import plain_line
from daoqi_tui.tui.access import LocalAccess, copy, copy_unasked, local_access
from daoqi_tui.tui.features.counting import Counting
from daoqi_tui.tui.features.online.form import Hosting, Joining, Linked
from daoqi_tui.tui.features.online.lobby import LobbyScreen
from daoqi_tui.tui.host import Feature, Handlers, Host, NotGivenError, Remarks, given
from daoqi_tui.tui.panes import GameStage
from daoqi_tui.tui.screens import FRAME_ENDS, ChoiceDialog, Prompt, TextPage


async def open_online(
    host: Host, access: LocalAccess, folders: Folders, chosen: Hosting | Joining | Linked | SavedSeat | str
) -> None:
    """Show what was chosen in the form: a game, or the lobby at an address; to be run in a worker."""
    book = SeatBook.in_folder(folders.online)
    if isinstance(chosen, Linked):
        try:
            await asyncio.to_thread(book.put_account, chosen.server, chosen.secret)
        except OSError as error:
            raise Unable(_("This cannot be saved: {reason}"), reason=translate(error)) from error
        chosen = chosen.server
    if isinstance(chosen, str):
        host.program.visit = Visit(chosen, own_name(), await asyncio.to_thread(book.account, chosen))
        await show_lobby(host, host.program.visit)
        return
    try:
        place = await _place(access, chosen, book, folders)
    except (OSError, RefusedError) as error:
        reason = REASONS[error.code] if isinstance(error, RefusedError) else error
        raise Unable(_("No game can be opened here: {reason}"), reason=translate(reason)) from error
    host.program.open_online(place)


async def show_lobby(host: Host, visit: Visit) -> None:
    """Show a lobby, and then the game that is chosen there; to be run in a worker."""
    if host.folders is None:
        raise Unable(_("Games are not saved in this window"))
    program = host.program
    book = SeatBook.in_folder(host.folders.online)
    seats = [
        seat for seat in await asyncio.to_thread(book.seats) if seat.server == visit.server and seat.phase != "over"
    ]
    screen = LobbyScreen(visit, book, seats, partial(host.ring, "turn"))
    chosen = await host.questions.answer_to(screen)
    visit = program.visit = screen.visit
    if chosen is None:
        host.say(with_keys(_("{network} opens the lobby again")))
        if local_access(host.app) is not None:
            raise NotGivenError
        # A visitor of this computer is here for the lobby alone.
        host.program.leave_game()
    elif isinstance(chosen, SavedSeat):
        program.open_online(_as_visitor(host, at_seat(chosen, visit.account), visit))
    else:
        place = await asyncio.to_thread(join, chosen.invitation, chosen.name, book)
        program.open_online(_as_visitor(host, replace(place, account=visit.account), visit))


def _as_visitor(host: Host, place: Place, visit: Visit) -> Place:
    """Return a place in a lobby; a visitor of this computer is there at an address that nobody else reaches."""
    return place if local_access(host.app) is not None else reached_by_others(place, visit)


async def _place(
    access: LocalAccess,  # noqa: ARG001 (proof of the permission to connect from this computer)
    chosen: Hosting | Joining | SavedSeat,
    book: SeatBook,
    folders: Folders,
) -> Place:
    if isinstance(chosen, SavedSeat):
        if chosen.host:
            # If another program serves the game already, it is joined.
            with suppress(NoGameError):
                return await _serve(listening_near(*served_at(chosen)), [chosen], chosen.name, folders)
        return await asyncio.to_thread(back_at, chosen, book)
    if isinstance(chosen, Joining):
        return await asyncio.to_thread(join, chosen.invitation, chosen.name, book)
    listening = await asyncio.to_thread(
        listening_everywhere if chosen.everywhere else partial(listening_near, HERE), PORT
    )
    return await _serve(listening, chosen.terms, chosen.name, folders)


async def _serve(listening: socket.socket, opened: Terms | Sequence[SavedSeat], name: str, folders: Folders) -> Place:
    """Start to serve a game; leaving the returned place stops the server."""
    async with AsyncExitStack() as stack:
        stack.enter_context(listening)
        serving = hosting(listening, opened, name, folder=folders.online, library=folders.library)
        place, _problems = await stack.enter_async_context(serving)
        return replace(place, server=stack.pop_all())


_POINTING: Final = 0.2
"""The minimum seconds between messages about the cursor."""


_STAGES: Final[Mapping[Phase, GameStage]] = {
    "waiting": "waiting",
    "playing": "online",
    "paused": "paused",
    "adjourned": "paused",
    "counting": "agreeing",
    "over": "over",
}


class OnlinePlay(Feature):
    """The additional parts of a game screen for an online game.

    Args:
        host: the screen that shows the game.
        place: the player's place at the game.
        make_players: creates the computer players.

    Attributes:
        story: the game in words.
    """

    match: OnlineMatch

    def __init__(self, host: Host, place: Place, make_players: Callable[[], PlayerTable]) -> None:
        recorder = self._recorder(place, host.folders)
        super().__init__(host, OnlineMatch(place, make_players, spawn=host.spawn, recorder=recorder))
        self.match.subscribe_to_server(self.handle_event)
        self.story = Story(self.match)
        self._plan: Plan | None = None
        self._their_cursor: int | None = None
        self._sent_cursor = ""
        self._timer: Timer | None = None
        self._news: list[str] = []
        self._mark: tuple[tuple[str, str] | None, str] = None, ""

    def handlers(self) -> Handlers:
        story = self.story
        return {
            "accept": self._saying(partial(story.answer, accept=True)),
            "decline": self._saying(partial(story.answer, accept=False)),
            "chat": self.asking(self.chat),
            "plan": self.asking(self.plan),
            "mute": self.mute,
            "listen": self._saying(story.listen),
            "claim": self._saying(story.claim),
            "adjourn": self._saying(partial(story.request, "adjourn")),
            "rematch": self._saying(partial(story.request, "rematch")),
            "share_cursor": self._saying(story.share_cursor),
            "invitation": self.asking(self.show_invitation),
        }

    def connect(self, counting: Counting) -> None:
        """Connect to the server, whose players may come to agree on the count of the screen."""
        self._counting = counting
        self._timer = self.host.set_interval(_POINTING, self._tick)
        if (disks := self.match.place.disks) is not None:
            disks.report = lambda message: self.host.say(sentence(translate(message)))
        self.match.connect()

    def _recorder(self, place: Place, folders: Folders | None) -> Recorder | None:
        if folders is None:
            return None
        book = SeatBook.in_folder(folders.online)

        def notify(message: Message) -> None:
            self._say(self.status() or "", plain_line(translate(message)))

        return Recorder(book, place.seat, None if place.hosts else folders.library, notify)

    # Events

    def handle_event(self, event: ClientEvent) -> None:
        if self.host.shows_events:
            self._show_event(event)
            self.host.questions.renew()

    def _show_event(self, event: ClientEvent) -> None:
        host, told = self.host, self.story.news(event)
        match event:
            case State():
                self._take_state(event, told)
            case Welcome() if self.match.state is not None:
                # Said with the state that follows.
                self._news = told
            case Moved():
                self._their_cursor = None
            case Said():
                if self._news:
                    # Missed while there was no connection.
                    self._news += told
                self._say(*told)
            case Plan():
                # Told again at each connection.
                if event != self._plan:
                    self._say(host.said if self._plan is None else "", *told)
                    self._plan = event
            case Refused(fatal=False):
                host.show_board()
                self._say(*told)
                host.ring("refusal")
            case RequestDeclined():
                # Announced before the state without the request, which is shown with it.
                self._news = told
                self._say(*told)
            case Pointed(point=name):
                self._their_cursor = self._point(name)
            case Lost() | Ended() if told and self.match.state is None:
                # The status line may have no room for what would help.
                host.questions.run_in_turn(partial(self._explain, told))
        self._entitle()
        if isinstance(event, Said | Ping):
            host.show_panes()
        elif isinstance(event, Pointed):
            host.show_board()
        elif isinstance(event, Play | Lost | Ended | Welcome):
            host.show_position()

    def _take_state(self, state: State, told: list[str]) -> None:
        before, host, counting = self.match.client.before, self.host, self._counting
        if state.phase == "counting":
            if before is None or before.phase != "counting":
                counting.begin_marking()
        elif before is not None and before.phase == "counting":
            counting.on = False
        host.show_position()
        if before is None or (before.phase, before.round) != (state.phase, state.round):
            # Whether analysis panes are allowed may have changed.
            host.fit_soon()
        if before is None:
            if state.phase == "waiting" and self.match.place.guest is not None:
                host.questions.run_in_turn(self._invite)
            return
        told, self._news = [*self._news, *told], []
        colour = self.match.client.colour
        if before.round != state.round and colour is not None:
            told.insert(0, _("You play {colour}.").format(colour=colour_word(colour)))
        if state.sharing != before.sharing and self.match.client.colour is not None:
            self._their_cursor, self._sent_cursor = None, ""
            told.append(self.story.sharing)
        if told:
            self._say(host.said, *told)
        own = state.request is not None and state.request.by == self.match.client.role
        if state.request is not None and state.request != before.request and not own:
            host.ring("turn")

    def _entitle(self) -> None:
        app, title = self.host.program, self.story.turn
        if title == _("Your move") and app.window_title != title:
            self.host.ring("turn")
        app.name_window(title)

    def _say(self, *text: str) -> None:
        """Say something in parts, of which there may be none."""
        if any(text):
            self.host.say("  ·  ".join(filter(None, text)))

    def _saying(self, act: Callable[[], str]) -> Callable[[], None]:
        return lambda: self._say(act())

    def _point(self, name: str) -> int | None:
        try:
            return self.match.game.torus.parse(name, "gtp") if name else None
        except ValueError:
            return None

    # Display

    def show(self, view: View) -> None:
        """Drop the opponent's cursor."""
        if Changed.POSITION in view.changed:
            self._their_cursor = None

    def decorate(self, picture: Picture) -> Picture:
        """Show the pending move, with a question mark, and the opponent's cursor."""
        match, game = self.match, self.match.game
        pending, colour = match.client.pending, match.client.colour
        if pending is not None and colour is not None and pending.move != "pass":
            point = game.torus.parse(pending.move, "gtp")
            if not picture.stones[point]:
                return picture._replace(
                    proposed={**picture.proposed, point: colour}, labels={**picture.labels, point: "?"}, ghost=None
                )
        theirs = self._their_cursor
        if theirs is not None and picture.ghost is None and not picture.stones[theirs] and colour is not None:
            picture = picture._replace(ghost=Ghost(theirs, WHITE if colour == BLACK else BLACK))
        return picture

    def describe_unsaved(self) -> tuple[str, str] | None:
        return waiting_mark(self.match.place, self.match.client)

    def line(self) -> str:
        return self.story.line

    def remarks(self) -> Remarks:
        return Remarks(self.story.chat, _("Chat"), at_end=True)

    def status(self) -> str | None:
        """Describe the state of the game; return None for the usual words about whose move it is."""
        parts = self.story.standing
        if not parts and self.story.warning:
            parts = (describe_turn(self.match.game), self.story.warning)
        return "  ·  ".join(parts) or None

    # Commands

    @property
    def watches(self) -> bool:
        """True for a spectator: who has neither seat nor code, until the server says so."""
        client = self.match.client
        return not client.key if self.match.state is None else client.colour is None

    @property
    def stage(self) -> GameStage:
        state = self.match.state
        if self.story.ended:
            return "turned away"
        if self.watches:
            return "watching"
        if state is None:
            return "waiting"
        if state.request is not None:
            asked = state.request.by != self.match.client.role
            if state.phase == "over":
                return "challenged" if asked else "challenging"
            return "asked" if asked else "requesting"
        if state.phase == "playing" and not self._has_undo(state):
            return "online forward"
        return _STAGES[state.phase]

    def _has_undo(self, state: State) -> bool:
        colour = self.match.client.colour
        return state.undo and any(move.colour == colour for move in self.match.client.game.moves())

    @property
    def counts(self) -> bool:
        return self.match.awaits_count and self.match.client.colour is not None

    def forbids(self, name: str) -> str:
        return self.story.forbidden(BY_NAME[name])

    def why(self, reason: Declined) -> str:
        return self.story.done(reason)

    def pause(self) -> None:
        self._say(self.story.pause())

    async def chat(self) -> None:
        text = given(await self.host.questions.answer_to(Prompt(_("Say: "), "", str)))
        if text.strip():
            self._say(self.story.say(text))

    async def plan(self) -> None:
        title = _("Conditional moves: ")
        hint = _("their move, your answer, and so on; lines between ;")
        prompt = Prompt(title, hint, str, self.story.plan)
        self._say(self.story.make_plan(given(await self.host.questions.answer_to(prompt))))

    def mute(self) -> None:
        told = self.story.mute()
        self.host.show_panes()
        self._say(told)

    def _tick(self) -> None:
        self._send_cursor()
        # The time until an absent opponent has lost goes by without a message.
        mark = (self.describe_unsaved(), self.story.warning)
        if mark != self._mark:
            self._mark = mark
            self.host.show_game()
            self.host.show_status()

    def _send_cursor(self) -> None:
        match, state = self.match, self.match.state
        if state is None or len(state.sharing) < 2 or match.client.colour is None:
            return
        there = match.game.torus.name(self.host.cursor.pointed_at, "gtp") if self.host.is_active else ""
        if there != self._sent_cursor and match.send(Point(there)) is None:
            self._sent_cursor = there

    async def _invite(self) -> None:
        # The guest may have come while it waited for its turn.
        if self.match.state is not None and self.match.state.phase == "waiting":
            await self.show_invitation()

    async def _explain(self, told: Sequence[str]) -> None:
        await self.host.app.push_screen_wait(TextPage(_("Online game"), "\n".join(told)))

    async def show_invitation(self) -> None:
        """Copy and show the command for the guest, or its QR code, and that for spectators; or let this network in."""
        host = self.host
        while True:
            if self.story.ended:
                raise Unable(self.story.ended)
            place = self.match.place
            invited = invited_by(place, self.match.state)
            copied = invited is not None and copy_unasked(host.app, guest_text(place, invited))
            answers = [("c", _("Copy"), "copy"), ("q", _("QR code"), "code"), ("escape", _("Close"), "")]
            if place.unreached:
                # A camera leads nowhere, and in the lobby itself only a guest types something.
                useless = ("code",) if invited is not None else ("copy", "code")
                answers = [answer for answer in answers if answer[2] not in useless]
            if place.let_in is not None and place.networks:
                answers.insert(1, ("l", _("This network"), "network"))
            if place.offer is not None:
                answers.insert(-2, ("a", _("Anywhere"), "anywhere"))
            text = partial(self._inviting, invited=invited, copied=copied)
            chosen = await host.questions.answer_to(ChoiceDialog(text, answers, left=""))
            if chosen in ("network", "anywhere"):
                if chosen == "anywhere":
                    host.say(_("Looking for a way in from anywhere …"))
                if problem := await self.story.let_in(anywhere=chosen == "anywhere"):
                    await self._explain([problem])
                continue
            if chosen == "code":
                page = TextPage(_("QR code"), _drawn(scanned(place, self.match.state), host.app.size), as_wide=True)
                await host.app.push_screen_wait(page)
                continue
            if chosen == "copy":
                command = watched_by(place).join_command if invited is None else guest_text(place, invited)
                told = copy(host.app, command, _("Invitation copied to the clipboard"))
                if place.is_local:
                    told = two_sentences(told, _("The invitation is local: it works on this computer only"))
                elif place.is_in_network:
                    told = two_sentences(told, _("The invitation is local: it works from this network"))
                host.say(told)
            return

    def _inviting(self, *, invited: Invitation | None, copied: bool) -> str:
        """Return the invitations; empty once the guest has come who was ``invited``, or the game cannot be reached."""
        place, state = self.match.place, self.match.state
        if self.story.ended or (invited is not None and invited_by(place, state) is None):
            return ""
        # Text to copy is on separate lines.
        parts = ["\n".join(filter(None, part)) for part in invitations(place, state)]
        if copied:
            parts.append(_("The line for your guest is on the clipboard, if this terminal allows it."))
        return "\n\n".join(parts)

    async def agreed_to_leave(self) -> bool:
        if not self.story.leaving:
            return True
        return await self.host.questions.ask(lambda: self.story.leaving, _("Leave"), _("Keep playing"))

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self.host.program.name_window("")


def _drawn(text: str, window: Size) -> Text:
    """Draw a QR code, of which a camera has to see all."""
    lines = qr_code(text)
    columns, rows = cell_len(lines[0]) + FRAME_ENDS + 4, len(lines) + 4
    if columns > window.width or rows > window.height:
        wording = _("The QR code needs a window of {columns}×{rows}; in a smaller one, copy the invitation.")
        return Text(wording.format(columns=columns, rows=rows))
    return Text("\n".join(lines), style="#ffffff on #000000", no_wrap=True)
