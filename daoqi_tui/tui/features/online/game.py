"""An online game on the screen: the pending move, presence, requests, chat, and the opponent's cursor."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from daoqi_tui.commands import BY_NAME
from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.i18n import _, words_of
from daoqi_tui.message import Message, reason_of
from daoqi_tui.pictures.picture import Ghost, Picture
from daoqi_tui.play.events import Declined
from daoqi_tui.play.online.events import ClientEvent, Ended, Lost, Pending
from daoqi_tui.play.online.hosting import Place
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.match import OnlineMatch
from daoqi_tui.play.online.protocol import Declined as RequestDeclined
from daoqi_tui.play.online.protocol import (
    Moved,
    Ping,
    Point,
    Pointed,
    Refused,
    RequestKind,
    Said,
    Say,
    Share,
    State,
    Welcome,
)
from daoqi_tui.play.online.seats import Recorder, SeatBook
from daoqi_tui.play.online.words import (
    declined_request_words,
    declined_words,
    guest_lines,
    lost_words,
    pending_words,
    presence_words,
    reach_words,
    refused_words,
    request_words,
    said_words,
    waiting_mark,
    warning_words,
)
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.view import Changed, View
from daoqi_tui.play.words import result_words, sentence, turn_words, with_keys
from daoqi_tui.text import plain_line
from daoqi_tui.tui.feature import Feature, Handlers, Remarks
from daoqi_tui.tui.features.playing.counting import Counting
from daoqi_tui.tui.host import Host

if TYPE_CHECKING:
    from textual.timer import Timer

    from daoqi_tui.tui.screens.dialogs import ChoiceDialog

_POINTING: Final = 0.2
"""The minimum seconds between messages about the cursor."""
_LINES: Final = 8
"""The number of lines of chat shown."""
_GOOD: Final = 0.15
_FAIR: Final = 0.5
"""The maximum seconds of lag of a good, and of a fair connection."""


class OnlinePlay(Feature):
    """The additional parts of a game screen for an online game.

    Args:
        host: the screen that shows the game.
        counting: the count of that host.
        place: the player's place at the game.
        make_players: creates the computer players.

    Attributes:
        muted: whether chat is hidden.
    """

    def __init__(self, host: Host, counting: Counting, place: Place, make_players: Callable[[], PlayerTable]) -> None:
        super().__init__(host)
        self._counting = counting
        self._match = OnlineMatch(place, make_players, spawn=host.spawn, recorder=self._recorder(place))
        self._match.subscribe_to_server(self.hear)
        self.muted = False
        self._chat: deque[str] = deque(maxlen=_LINES)
        self._before: State | None = None
        self._theirs: int | None = None
        """The point of the opponent's cursor."""
        self._sent = ""
        """The point of this player's cursor that was sent last."""
        self._timer: Timer | None = None
        self._lost = ""
        self._ended = ""
        self._news = ""
        self._mark: tuple[str, str] | None = None
        """What is shown about a move that is not saved yet."""
        self._inviting: ChoiceDialog[str] | None = None
        """The invitation while it is shown."""

    @property
    def match(self) -> OnlineMatch:
        """The game."""
        return self._match

    def handlers(self) -> Handlers:
        """Return the commands of an online game."""
        return {
            "accept": partial(self.answer, accept=True),
            "decline": partial(self.answer, accept=False),
            "chat": self.asking(self.say),
            "mute": self.mute,
            "listen": self.listen,
            "claim": self.claim,
            "adjourn": partial(self.request, "adjourn"),
            "rematch": partial(self.request, "rematch"),
            "share_cursor": self.share_cursor,
            "invitation": self.asking(self.show_invitation),
        }

    def connect(self) -> None:
        """Connect to the server."""
        self._timer = self.host.set_interval(_POINTING, self._tell_cursor)
        self.match.connect()

    def _recorder(self, place: Place) -> Recorder | None:
        """Return the recorder of the seat and the finished games, None if nothing is saved."""
        folders = self.host.folders
        if folders is None:
            return None
        book = SeatBook.in_folder(folders.online)

        def tell(message: Message) -> None:
            self.host.say("  ·  ".join(filter(None, (self.status(), plain_line(words_of(message))))))

        return Recorder(book, place.seat, None if place.hosts else folders.library, tell)

    # Events

    def hear(self, event: ClientEvent) -> None:
        """Handle an event of the connection."""
        host = self.host
        if not host.shows_events:
            return
        match event:
            case Welcome():
                self._lost = ""
            case State():
                self._take_state(event)
            case Moved():
                self._theirs = None
            case Lost():
                self._lost = lost_words(event)
            case Ended(reason=reason):
                self._ended = sentence(plain_line(words_of(reason)))
            case Said():
                self._chat.append(said_words(event))
                if not self.muted:
                    host.say(self._chat[-1])
            case Refused(fatal=False):
                host.show_board()
                host.say(refused_words(event))
                host.ring("refusal")
            case RequestDeclined():
                self._news = declined_request_words(event, self.match.client.role)
                host.say(self._news)
            case Pointed(point=name):
                self._theirs = self._point(name)
            case Pending():
                pass
        self._entitle()
        if isinstance(event, Said | Ping):
            host.show_panes()
        elif isinstance(event, Pointed):
            host.show_board()
        elif isinstance(event, Pending | Lost | Ended | Welcome):
            host.show_position()

    def _take_state(self, state: State) -> None:
        before, self._before = self._before, state
        host, counting = self.host, self._counting
        if state.phase == "counting":
            if before is None or before.phase != "counting":
                counting.begin_marking()
        elif before is not None and before.phase == "counting":
            counting.on = False
        host.show_position()
        if before is None or (before.phase, before.round) != (state.phase, state.round):
            # Whether analysis panes are allowed may have changed.
            host.fit_soon()
        if state.phase != "waiting" and self._inviting is not None:
            self._inviting.dismiss("")
        if before is None:
            if state.phase == "waiting" and self.match.place.guest is not None:
                host.questions.run_in_turn(self._invite)
            return
        # A declined request is announced before the state without it.
        told = [self._news] if self._news else []
        told += presence_words(before, state, self.match.client.role)
        if state.sharing != before.sharing and self.match.client.colour is not None:
            self._theirs, self._sent = None, ""
            told.append(self._sharing_words(state))
        self._news = ""
        if told:
            host.say("  ·  ".join((host.said, *told)))
        own = state.request is not None and state.request.by == self.match.client.role
        if state.request is not None and state.request != before.request and not own:
            host.ring("turn")

    def _entitle(self) -> None:
        """Show in the window's title whose move it is."""
        title = ""
        if self.match.state is not None and self.match.client.colour is not None:
            title = _("Your move") if self.match.client.my_turn else _("The opponent's move")
        if self.match.state is not None and self.match.state.phase != "playing":
            title = ""
        app = self.host.program
        if title == _("Your move") and app.window_title != title:
            self.host.ring("turn")
        app.name_window(title)

    def _point(self, name: str) -> int | None:
        try:
            return self.match.game.torus.parse(name, "gtp") if name else None
        except ValueError:
            return None

    # Display

    def show(self, view: View) -> None:
        """Drop the opponent's cursor."""
        super().show(view)
        if Changed.POSITION in view.changed:
            self._theirs = None

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
        theirs = self._theirs
        if theirs is not None and picture.ghost is None and not picture.stones[theirs] and colour is not None:
            picture = picture._replace(ghost=Ghost(theirs, WHITE if colour == BLACK else BLACK))
        return picture

    def unsaved_words(self) -> tuple[str, str] | None:
        """Return the mark shown while a move is not saved by the server, with the reason."""
        return waiting_mark(self.match.place, self.match.client)

    def line(self) -> str:
        """Describe the connection and who is present, for the game pane."""
        state, client = self.match.state, self.match.client
        if self._ended:
            return _("Disconnected")
        if not client.connected or state is None:
            return _("No connection, trying again") if self._lost else _("Connecting …")
        parts = [_quality(client.lag)]
        colour = client.colour
        other = "white" if colour == BLACK else "black"
        if colour is not None and other not in state.present and state.phase != "waiting":
            parts.append(_("opponent offline"))
        if state.spectators:
            parts.append(_("{count} watching").format(count=state.spectators))
        if client.role in state.listening:
            parts.append(_("spectators are heard"))
        if self.muted:
            parts.append(_("chat muted"))
        return " · ".join(parts)

    def remarks(self) -> Remarks:
        """Return the last lines of chat, or nothing while chat is muted."""
        return Remarks("" if self.muted else "\n".join(self._chat), _("Chat"), at_end=True)

    def status(self) -> str | None:
        """Describe the state of the game; return None for the usual words about whose move it is."""
        state, client = self.match.state, self.match.client
        if self._ended or self._lost:
            return self._ended or self._lost
        if state is None:
            return _("Connecting to {address} …").format(address=plain_line(client.invitation.server))
        if state.request is not None:
            own = state.request.by == client.role
            answers = with_keys(_("{accept} accepts, {decline} declines"))
            words = request_words(state.request, client.role, answers)
            return f"{words} " + with_keys(_("{decline} withdraws it")) if own else words
        if client.pending is not None:
            return pending_words(client)
        if state.phase == "counting" and client.colour is not None:
            if client.role in state.agreed:
                return _("You agree; the opponent has not yet.")
            if state.agreed:
                return with_keys(_("The opponent agrees to the count; {accept} agrees as well, {resume} plays on"))
            return with_keys(
                _("Mark the dead stones, {dead} proposes them; {accept} agrees to the count, {resume} plays on")
            )
        if state.phase == "waiting":
            return with_keys(_("Waiting for the guest; {invitation} shows the invitation"))
        if state.phase == "paused":
            return with_keys(_("The clock is paused; {resume} requests to play on"))
        if state.phase == "adjourned":
            return with_keys(_("The game is adjourned; {resume} requests to play on"))
        if state.phase == "over" and self.match.game.result is not None and self.match.game.is_over:
            words = with_keys(_("{rematch} requests a rematch, {quit} leaves"))
            return f"{result_words(self.match.game.result)}  ·  {words}"
        if state.warned is not None:
            return f"{turn_words(self.match.game)}  ·  {warning_words(state, client.role)}"
        return None

    # Commands

    @property
    def counts(self) -> bool:
        """True if this player takes part in agreeing on the count."""
        return self.match.awaits_count and self.match.client.colour is not None

    def forbids(self, name: str) -> str | None:
        """Return why a command is not available in this game now, None if it is available."""
        state, command = self.match.state, BY_NAME[name]
        if command.elsewhere:
            return with_keys(_("This is an online game: {quit} leaves it"))
        if command.helps and (state is None or (state.phase != "over" and self.match.client.colour is not None)):
            return _("No help while an online game is on")
        return None

    def decline(self, reason: Declined) -> None:
        """Show why a command did nothing."""
        if reason is Declined.VIEWING:
            self.host.say(with_keys(_("You view an earlier move: {end} goes back to the game")))
        else:
            self.host.say(declined_words(reason, self.match.state, self.match.client))

    def _done(self, reason: Declined | None) -> None:
        if reason is not None:
            self.decline(reason)

    def request(self, what: RequestKind) -> None:
        """Send a request to the opponent."""
        self._done(self.match.request(what))

    def pause(self) -> None:
        """Request to pause the clock, or to resume."""
        self._done(self.match.unpause() if self.match.paused else self.match.pause())

    def answer(self, *, accept: bool) -> None:
        """Answer a request, or the count."""
        reason = self.match.answer(accept=accept)
        if reason is Declined.NOT_NOW:
            self.host.say(_("There is no request."))
        else:
            self._done(reason)

    async def say(self) -> None:
        """Ask for a line of chat and send it."""
        from daoqi_tui.tui.screens.dialogs import Prompt  # noqa: PLC0415 (dialogs cost a start 10 ms)

        text = await self.host.questions.answer_to(Prompt(_("Say: "), "", lambda _text: None))
        if text is not None and text.strip():
            self._done(self.match.send(Say(plain_line(text.strip())[:400])))

    def mute(self) -> None:
        """Hide chat, or show it again."""
        self.muted = not self.muted
        self.host.show_panes()
        self.host.say(_("Chat is muted.") if self.muted else _("Chat is shown."))

    def listen(self) -> None:
        """Hear what spectators say, or no longer."""
        self._done(self.match.listen())

    def claim(self) -> None:
        """Warn the absent opponent, or claim the win after that."""
        self._done(self.match.claim())

    def share_cursor(self) -> None:
        """Agree to share cursors with the opponent, or withdraw that."""
        state, client = self.match.state, self.match.client
        on = state is not None and client.role not in state.sharing
        self._done(self.match.send(Share(on)) if client.colour is not None else Declined.WATCHING)

    def _sharing_words(self, state: State) -> str:
        if len(state.sharing) == 2:
            return _("You see each other's cursors")
        if not state.sharing:
            return _("Cursors are not shared")
        if self.match.client.role in state.sharing:
            return _("Your cursor shows once the opponent agrees, too")
        return with_keys(_("The opponent would show you the cursor and see yours: {share_cursor} agrees"))

    def _tick(self) -> None:
        self._tell_cursor()
        mark = self.unsaved_words()
        if mark != self._mark:
            self._mark = mark
            self.host.show_game()
            self.host.show_status()

    def _tell_cursor(self) -> None:
        """Send the position of this player's cursor, if both agreed to share."""
        match, state = self.match, self.match.state
        if state is None or len(state.sharing) < 2 or match.client.colour is None:
            return
        there = match.game.torus.name(self.host.cursor.pointed_at, "gtp") if self.host.is_active else ""
        if there != self._sent and match.send(Point(there)) is None:
            self._sent = there

    async def _invite(self) -> None:
        """Show the invitation, unless the guest came while it waited for its turn."""
        if self.match.state is not None and self.match.state.phase == "waiting":
            await self.show_invitation()

    async def show_invitation(self) -> None:
        """Show the commands for the guest and spectators; copy the guest's, or let this network in."""
        from daoqi_tui.tui.screens.dialogs import ChoiceDialog  # noqa: PLC0415 (dialogs cost a start 10 ms)

        host = self.host
        while True:
            place = self.match.place
            text, copied = self._invitation()
            answers = [("c", _("Copy"), "copy"), ("escape", _("Close"), "")]
            if place.let_in is not None and place.networks:
                answers.insert(1, ("l", _("Let this network in"), "let in"))
            self._inviting = ChoiceDialog(text, answers, left="")
            chosen = await host.questions.answer_to(self._inviting)
            self._inviting = None
            if chosen == "let in":
                try:
                    await self.match.let_in()
                except OSError as error:
                    host.say(_("The game stays on this computer: {reason}").format(reason=words_of(reason_of(error))))
                    return
                continue
            if chosen == "copy":
                host.app.copy_to_clipboard(copied.join_command)
                told = _("Invitation copied to the clipboard")
                if place.is_local:
                    told = _("Invitation copied: it works on this computer only")
                elif len(place.addresses) > 1:
                    told = _("Invitation copied: it works from this network")
                host.say(told)
            return

    def _invitation(self) -> tuple[str, Invitation]:
        """Return the words about the invitations to the game, and the one to copy."""
        place, state = self.match.place, self.match.state
        invited = place.guest if state is None or state.phase == "waiting" else None
        watch = place.watch or Invitation((*place.addresses, place.invitation.server)[0], place.invitation.game)
        # Text to copy is on separate lines.
        parts: list[tuple[str, str]] = []
        if invited is not None:
            parts += guest_lines(place, invited)
            if place.page:
                parts.append((_("or opens in a browser:"), f"{place.table_page}?code={invited.code}"))
        elif place.hosts and state is not None and state.phase == "waiting":
            parts.append((_("The invitation that you sent your guest is still good."), ""))
        parts.append((reach_words(place), ""))
        if state is None or state.watch:
            parts.append((_("Spectators type:"), watch.join_command))
            if place.page:
                parts.append((_("or open in a browser:"), place.table_page))
        elif invited is None:
            parts.append((_("This game has no spectators."), ""))
        return "\n\n".join("\n".join(filter(None, part)) for part in parts if any(part)), invited or watch

    async def agreed_to_leave(self) -> bool:
        """Ask whether to leave the game, if necessary."""
        state, client = self.match.state, self.match.client
        place = self.match.place
        serves = place.hosts and not place.page
        if state is None or client.colour is None or state.phase == "over" or self._ended:
            return True
        if state.phase == "waiting" and not serves:
            return True
        words = _("The game goes on: daoqi-tui join takes your seat again. Leave it?")
        if place.page:
            words = _("The game goes on: {address} leads back to your seat. Leave it?")
            words = words.format(address=place.table_page)
        elif state.phase == "waiting":
            words = _("Your guest cannot come without you: daoqi-tui host --resume opens the game again. Leave it?")
        elif serves:
            words = _("Your guest cannot play on without you: daoqi-tui host --resume opens the game again. Leave it?")
        return await self.host.questions.ask(words, _("Leave"), _("Keep playing"))

    async def close(self) -> None:
        """Stop sending the cursor, and restore the window's title."""
        if self._timer is not None:
            self._timer.stop()
        self.host.program.name_window("")


def _quality(lag: float | None) -> str:
    if lag is None:
        return _("Connected")
    words = _("good line") if lag <= _GOOD else _("fair line") if lag <= _FAIR else _("slow line")
    return _("{line} ({time} ms)").format(line=words, time=round(lag * 1000))
