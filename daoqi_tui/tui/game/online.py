"""An online game on the screen: the pending move, presence, requests, chat, and the opponent's cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from daoqi_tui.commands import BY_NAME
from daoqi_tui.engine import BLACK, WHITE, Node
from daoqi_tui.i18n import _, words_of
from daoqi_tui.message import Message
from daoqi_tui.pictures.picture import Ghost, Picture
from daoqi_tui.play.events import Declined
from daoqi_tui.play.online.events import ClientEvent, Ended, Lost, Pending
from daoqi_tui.play.online.hosting import Place
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
    State,
    Welcome,
)
from daoqi_tui.play.online.seats import Recorder, SeatBook
from daoqi_tui.play.online.story import Story
from daoqi_tui.play.online.words import invitations, invited_by, waiting_mark, watched_by
from daoqi_tui.play.words import sentence, turn_words
from daoqi_tui.text import plain_line
from daoqi_tui.tui.fitting import fit_soon
from daoqi_tui.tui.game.overlay import Overlay

if TYPE_CHECKING:
    from textual.timer import Timer

    from daoqi_tui.tui.game.screen import GameScreen
    from daoqi_tui.tui.screens.dialogs import ChoiceDialog

_POINTING: Final = 0.2
"""The minimum seconds between messages about the cursor."""


class OnlinePlay(Overlay):
    """The additional parts of a game screen for an online game.

    Args:
        screen: the screen that shows the game.
        place: the player's place at the game.
        recorder: saves the seat and the finished games; None saves nothing.

    Attributes:
        match: the game.
        story: the same, in words.
    """

    def __init__(self, screen: GameScreen, place: Place, recorder: Recorder | None) -> None:
        self._screen = screen
        self.match = OnlineMatch(place, screen.make_players, spawn=screen.spawn, recorder=recorder)
        self.match.subscribe_to_server(self.hear)
        self.story = Story(self.match)
        self._before: State | None = None
        self._theirs: int | None = None
        """The point of the opponent's cursor."""
        self._sent = ""
        """The point of this player's cursor that was sent last."""
        self._timer: Timer | None = None
        self._news: list[str] = []
        self._mark: tuple[str, str] | None = None
        """What is shown about a move that is not saved yet."""
        self._inviting: ChoiceDialog[str] | None = None
        """The invitation while it is shown."""

    def connect(self) -> None:
        """Connect to the server."""
        self._timer = self._screen.set_interval(_POINTING, self._tick)
        if (disks := self.match.place.disks) is not None:
            disks.report_to(lambda message: self._screen.say(sentence(words_of(message))))
        self.match.connect()
        self._screen.add_class("-online")

    # Events

    def hear(self, event: ClientEvent) -> None:
        """Handle an event of the connection."""
        screen = self._screen
        if not screen.shows_events:
            return
        told = self.story.news(event)
        match event:
            case State():
                self._take_state(event, told)
            case Moved():
                self._theirs = None
            case Said():
                self._say(*told)
            case Refused(fatal=False):
                screen.show_board()
                self._say(*told)
                screen.ring("refusal")
            case RequestDeclined():
                # Announced before the state without the request, which is shown with it.
                self._news = told
                self._say(*told)
            case Pointed(point=name):
                self._theirs = self._point(name)
        self._entitle()
        if isinstance(event, Said | Ping):
            screen.panes.show()
        elif isinstance(event, Pointed):
            screen.show_board()
        elif isinstance(event, Pending | Lost | Ended | Welcome):
            screen.show_position()

    def _take_state(self, state: State, told: list[str]) -> None:
        before, self._before = self._before, state
        screen, counting = self._screen, self._screen.counting
        if state.phase == "counting":
            if before is None or before.phase != "counting":
                counting.begin_marking()
        elif before is not None and before.phase == "counting":
            counting.on = False
        screen.show_position()
        if before is None or (before.phase, before.round) != (state.phase, state.round):
            # Whether analysis panes are allowed may have changed.
            fit_soon(screen)
        if state.phase != "waiting" and self._inviting is not None:
            self._inviting.dismiss("")
        if before is None:
            if state.phase == "waiting" and self.match.place.guest is not None:
                screen.questions.run_in_turn(self._invite)
            return
        told, self._news = [*self._news, *told], []
        if state.sharing != before.sharing and self.match.client.colour is not None:
            self._theirs, self._sent = None, ""
            told.append(self.story.sharing)
        if told:
            self._say(screen.status.words, *told)
        own = state.request is not None and state.request.by == self.match.client.role
        if state.request is not None and state.request != before.request and not own:
            screen.ring("turn")

    def _entitle(self) -> None:
        """Show in the window's title whose move it is."""
        app, title = self._screen.daoqi, self.story.turn
        if title == _("Your move") and app.window_title != title:
            self._screen.ring("turn")
        app.name_window(title)

    def _say(self, *words: str) -> None:
        """Say something in parts, of which there may be none."""
        if any(words):
            self._screen.say("  ·  ".join(filter(None, words)))

    def _point(self, name: str) -> int | None:
        try:
            return self.match.game.torus.parse(name, "gtp") if name else None
        except ValueError:
            return None

    # Display

    def moved(self, node: Node) -> None:  # noqa: ARG002 (the interface)
        """Drop the opponent's cursor."""
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

    def line_words(self) -> str:
        """Describe the connection and who is present, for the game pane."""
        return self.story.line

    def chat_words(self) -> str:
        """Return the last lines of chat, or nothing while chat is muted."""
        return self.story.chat

    def status_words(self) -> str | None:
        """Describe the state of the game; return None for the usual words about whose move it is."""
        parts = self.story.standing
        if not parts and self.story.warning:
            parts = (turn_words(self.match.game), self.story.warning)
        return "  ·  ".join(parts) or None

    # Commands

    @property
    def counts(self) -> bool:
        """True if this player takes part in agreeing on the count."""
        return self.match.awaits_count and self.match.client.colour is not None

    def forbids(self, name: str) -> str | None:
        """Return why a command is not available in this game now, None if it is available."""
        return self.story.forbidden(BY_NAME[name]) or None

    def decline(self, reason: Declined) -> None:
        """Show why a command did nothing."""
        self._say(self.story.done(reason))

    def request(self, what: RequestKind) -> None:
        """Send a request to the opponent."""
        self._say(self.story.request(what))

    def pause(self) -> None:
        """Request to pause the clock, or to resume."""
        self._say(self.story.pause())

    def answer(self, *, accept: bool) -> None:
        """Answer a request, or the count."""
        self._say(self.story.answer(accept=accept))

    async def say(self) -> None:
        """Ask for a line of chat and send it."""
        from daoqi_tui.tui.screens.dialogs import Prompt  # noqa: PLC0415 (dialogs cost a start 10 ms)

        text = await self._screen.questions.answer_to(Prompt(_("Say: "), "", lambda _text: None))
        if text is not None and text.strip():
            self._say(self.story.say(text))

    def mute(self) -> None:
        """Hide chat, or show it again."""
        told = self.story.mute()
        self._screen.panes.show()
        self._say(told)

    def listen(self) -> None:
        """Hear what spectators say, or no longer."""
        self._say(self.story.listen())

    def claim(self) -> None:
        """Warn the absent opponent, or claim the win after that."""
        self._say(self.story.claim())

    def share_cursor(self) -> None:
        """Agree to share cursors with the opponent, or withdraw that."""
        self._say(self.story.share_cursor())

    def _tick(self) -> None:
        self._tell_cursor()
        mark = self.unsaved_words()
        if mark != self._mark:
            self._mark = mark
            self._screen.panes.show_game()
            self._screen.status.show()

    def _tell_cursor(self) -> None:
        """Send the position of this player's cursor, if both agreed to share."""
        match, state = self.match, self.match.state
        if state is None or len(state.sharing) < 2 or match.client.colour is None:
            return
        there = match.game.torus.name(self._screen.cursor.pointed_at, "gtp") if self._screen.is_active else ""
        if there != self._sent and match.send(Point(there)) is None:
            self._sent = there

    async def _invite(self) -> None:
        """Show the invitation, unless the guest came while it waited for its turn."""
        if self.match.state is not None and self.match.state.phase == "waiting":
            await self.show_invitation()

    async def show_invitation(self) -> None:
        """Show the commands for the guest and spectators; copy the guest's, or let this network in."""
        from daoqi_tui.tui.screens.dialogs import ChoiceDialog  # noqa: PLC0415 (dialogs cost a start 10 ms)

        screen = self._screen
        while True:
            place = self.match.place
            invited = invited_by(place, self.match.state)
            # Text to copy is on separate lines.
            parts = ("\n".join(filter(None, part)) for part in invitations(place, self.match.state))
            answers = [("c", _("Copy"), "copy"), ("escape", _("Close"), "")]
            if place.let_in is not None and place.networks:
                answers.insert(1, ("l", _("Let this network in"), "let in"))
            self._inviting = ChoiceDialog("\n\n".join(parts), answers, left="")
            chosen = await screen.questions.answer_to(self._inviting)
            self._inviting = None
            if chosen == "let in":
                if problem := await self.story.let_in():
                    screen.say(problem)
                    return
                continue
            if chosen == "copy":
                screen.app.copy_to_clipboard((invited or watched_by(place)).join_command)
                told = _("Invitation copied to the clipboard")
                if place.is_local:
                    told = _("Invitation copied: it works on this computer only")
                elif len(place.addresses) > 1:
                    told = _("Invitation copied: it works from this network")
                screen.say(told)
            return

    async def agreed_to_leave(self) -> bool:
        """Ask whether to leave the game, if necessary."""
        words = self.story.leaving
        return not words or await self._screen.questions.ask(words, _("Leave"), _("Keep playing"))

    async def close(self) -> None:
        """Stop sending the cursor, and restore the window's title."""
        if self._timer is not None:
            self._timer.stop()
        self._screen.daoqi.name_window("")


def recorder_of(screen: GameScreen, place: Place) -> Recorder | None:
    """Return the recorder of the seat and the finished games, None if nothing is saved."""
    folders = screen.folders
    if folders is None:
        return None
    book = SeatBook.in_folder(folders.online)

    def tell(message: Message) -> None:
        standing = screen.online.status_words() if screen.online is not None else None
        screen.say("  ·  ".join(filter(None, (standing, plain_line(words_of(message))))))

    return Recorder(book, place.seat, None if place.hosts else folders.library, tell)
