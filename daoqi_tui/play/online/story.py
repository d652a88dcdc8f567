"""An online game in words, once for all faces: what its state means, what is new in it, and why a command did nothing.

A face prints what :class:`Story` says where it belongs. Commands are named as in every sentence: by the keys of the
screen, or by their names in text mode.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from math import ceil
from typing import Final

from daoqi_tui.analysis.opening_records import NextMove, WinCounts
from daoqi_tui.commands import Command
from daoqi_tui.engine import BLACK, Game, Torus
from daoqi_tui.i18n import N_, _, listed, name_in_language, plural, translate
from daoqi_tui.message import Message, filled, reason_of
from daoqi_tui.paths import SLOW
from daoqi_tui.play.events import Declined
from daoqi_tui.play.online.accounts import (
    ACCOUNTS,
    LINKS,
    ME,
    ClaimError,
    FoundMove,
    FoundPosition,
    Link,
    NewAccount,
    NewLink,
    OwnAccount,
    OwnGame,
    OwnGames,
    Profile,
    RatedGame,
    check_claim,
)
from daoqi_tui.play.online.client import ClientEvent, Ended, Lost, OnlineClient
from daoqi_tui.play.online.correspondence import point_of, read_lines
from daoqi_tui.play.online.hosting import Place, Visit
from daoqi_tui.play.online.invitation import Invitation, is_local, link_to_account, shortened
from daoqi_tui.play.online.listing import Bots, ListedGame, Listing
from daoqi_tui.play.online.match import OnlineMatch
from daoqi_tui.play.online.protocol import (
    COLOURS,
    LONGEST_PLAN,
    Ask,
    Claim,
    Listen,
    OpenRequest,
    Phase,
    Plan,
    Refused,
    RequestKind,
    Said,
    Say,
    Share,
    SideTime,
    State,
    Welcome,
    describe_reason,
)
from daoqi_tui.play.online.protocol import Declined as RequestDeclined
from daoqi_tui.play.online.ratings import sparkline
from daoqi_tui.play.online.seat_book import SeatBook, describe_time
from daoqi_tui.play.online.seats import ask, find_position
from daoqi_tui.play.openings import describe_next
from daoqi_tui.play.wording import brief_result, describe_turn, describe_unsaved, sentence, with_keys
from daoqi_tui.text import half_width, plain_line

REQUESTS: Final[dict[RequestKind, str]] = {
    "undo": N_("undo"),
    "pause": N_("pause the clock"),
    "adjourn": N_("adjourn the game"),
    "continue": N_("continue the game"),
    "rematch": N_("a rematch with colours changed"),
}

_SHORT: Final = 15.0
"""The seconds of a pause between attempts to connect from which on it is shown."""


_GRAPH: Final = 40
"""The games in a graph of one line."""
_LAST_GAMES: Final = 10


def role_word(role: str) -> str:
    return {"black": _("Black"), "white": _("White")}.get(role, _("Spectator"))


def phase_word(phase: Phase) -> str:
    return {
        "waiting": _("waiting for the guest"),
        "playing": _("playing"),
        "paused": _("paused"),
        "adjourned": _("adjourned"),
        "counting": _("counting"),
        "over": _("over"),
    }[phase]


def describe_listed(game: ListedGame) -> str:
    """Return a line about a game of a lobby: who plays, on which board, and how far they are."""
    players = " – ".join(plain_line(name_in_language(name)) for name in (game.black, game.white) if name) or "?"
    moves = f"{plural('{count} move', '{count} moves', game.moves)}, " if game.moves else ""
    rated = f", {_('rated')}" if game.rated else ""
    days = f", {plural('{count} day a move', '{count} days a move', game.days)}" if game.days else ""
    server = f"  {host_of(game.server)}" if game.server else ""
    return f"{players}  {game.size}×{game.size}  {moves}{phase_word(game.phase)}{rated}{days}{server}"


def host_of(server: str) -> str:
    """Return what is shown of the URL of a server."""
    return plain_line(server.partition("://")[2])


def describe_cut_off(listing: Listing) -> str:
    """Say that games of other servers are missing in a lobby, nothing if they are not."""
    if not listing.cut_off:
        return ""
    return _("The games of the other servers are missing at the moment; those of this one go on.")


def describe_own(game: OwnGame) -> str:
    """Return a line about a correspondence game of one's own: whose turn it is, with the time left for it."""
    if game.counting:
        turn = _("the count is to be agreed on")
    else:
        turn = _("your move") if game.my_turn else _("the opponent's move")
    text = filled(
        _("against {name}: {state}, {time} left"),
        name=plain_line(name_in_language(game.opponent)) or "?",
        state=turn,
        time=describe_time(SideTime(game.seconds)),
    )
    away = f", {_('on vacation')}" if game.away else ""
    return f"{text}{away}  {game.size}×{game.size}  {plural('{count} move', '{count} moves', game.moves)}"


def describe_vacation(own: OwnGames) -> str:
    """Say whether one is on vacation, and how many days are left."""
    left = plural("{count} day of vacation left this year", "{count} days of vacation left this year", own.days)
    if not own.vacation:
        return left
    return _("on vacation for {time}; {left}").format(time=describe_time(SideTime(own.vacation)), left=left)


def describe_webhook(own: OwnGames) -> str:
    if not own.webhook:
        return _("You are told of your turn nowhere but here.")
    return _("Your turn is told to {address}.").format(address=plain_line(own.webhook))


def profile_lines(profile: Profile) -> Iterator[str]:
    """Yield a player's ratings, each with its graph, and their last games."""
    yield plain_line(profile.player.name)
    for each in profile.ratings:
        graph = sparkline([value for _at, value in each.history], _GRAPH)
        yield f"{each.size}×{each.size}  {each.value:.0f} ± {each.deviation:.0f}  {graph}"
    if not profile.ratings:
        yield _("No rated game yet.")
    for game in profile.games[:_LAST_GAMES]:
        yield _game_line(game)


def _game_line(game: RatedGame) -> str:
    day = datetime.fromtimestamp(game.played, UTC).astimezone()
    black, white = (plain_line(name_in_language(name)) or "–" for name in (game.black_name, game.white_name))
    result = plain_line(brief_result(game.result))
    return f"{day:%Y-%m-%d}  {game.size}×{game.size}  {black} – {white}  {result}"


def position_lines(found: FoundPosition, torus: Torus) -> Iterator[str]:
    """Yield how often a position was reached, what was played there, and the games."""
    games = plural("{count} game", "{count} games", found.games)
    searched = plural("{count} game searched", "{count} games searched", found.searched)
    won = _("Black won {black}, White won {white}").format(black=found.black, white=found.white)
    yield f"{games}{_(': ')}{won} ({searched})"
    for move in found.moves:
        yield f"  {describe_next(next_move(move, torus), torus, 'daoqi')}"
    for each in found.found:
        yield f"{_game_line(each.game)}  {_('move {number}').format(number=each.move)}"


async def found_lines(server: str, game: Game) -> list[str]:
    """Return what is known of the position of a game in a server's games, or why nothing is."""
    found = await find_position(server, game)
    return [*position_lines(found, game.torus)] if isinstance(found, FoundPosition) else [sentence(translate(found))]


def next_move(move: FoundMove, torus: Torus) -> NextMove:
    """Return a move as the search in the library has it."""
    points = tuple(point_of(torus, name) for name in move.points)
    return NextMove(points, WinCounts(move.games, move.black, move.white), COLOURS[move.colour])


async def account_at(visit: Visit, name: str, book: SeatBook) -> tuple[Visit, list[str]]:
    """Return a visit with the visitor's account, and what is said about it.

    Args:
        visit: to the lobby.
        name: of the account to make where there is none yet; empty to make none.
        book: keeps what opens it.
    """
    refused: Message | str = Message("you have no account here yet: account NAME makes one")
    if visit.account:
        profile = await ask(visit.server, ME, account=visit.account)
        if isinstance(profile, Profile):
            return visit, list(profile_lines(profile))
    if not name:
        return visit, [sentence(translate(refused))]
    try:
        made = await ask(visit.server, ACCOUNTS, NewAccount(check_claim(name)), visit.account)
    except ClaimError as error:
        return visit, [sentence(translate(error))]
    if not isinstance(made, OwnAccount):
        return visit, [sentence(translate(made))]
    said = [filled(_("The account {name} is yours."), name=plain_line(made.name))]
    try:
        await asyncio.to_thread(book.put_account, visit.server, made.secret)
    except OSError as error:
        said.append(_("This cannot be saved: {reason}").format(reason=translate(error)))
    return replace(visit, name=made.name, account=made.secret), [*said, *_link_lines(visit.server, made.secret)]


async def link_lines(visit: Visit, book: SeatBook) -> list[str]:
    """Return what is said about the link to the visitor's account: the one that is kept, or where none is, a new one.

    A new one may replace an old one, so that none is made without need.
    """
    if visit.account and visit.account == await asyncio.to_thread(book.account, visit.server):
        return _link_lines(visit.server, visit.account)
    made = await ask(visit.server, LINKS, NewLink(), visit.account)
    if not isinstance(made, Link):
        return [sentence(translate(made))]
    return _link_lines(visit.server, made.secret)


def _link_lines(server: str, secret: str) -> list[str]:
    said = _("In a browser, or with daoqi-tui join on another computer, whoever has this link plays as you:")
    return [said, link_to_account(server, secret)]


def describe_bots(bots: Bots) -> str:
    return _("Bots: levels {least} to {most}, board sizes {sizes}").format(
        least=f"{min(bots.levels):g}", most=f"{max(bots.levels):g}", sizes=listed(list(map(str, bots.sizes)))
    )


def who(name: str, role: str) -> str:
    return plain_line(name_in_language(name)) or role_word(role)


def guest_text(place: Place, guest: Invitation) -> str:
    """Return what a guest types: a command, or in the lobby itself the name of the game with its code."""
    return f"{guest.game}-{guest.code}" if place.unreached else guest.join_command


def guest_lines(place: Place, guest: Invitation) -> Iterator[tuple[str, str]]:
    """Yield for each address under which a guest reaches the host's server what to say, and the line to type."""
    if place.unreached:
        text = _("Your guest opens this lobby over ssh as you did, chooses “Sit down with an invitation”, and types:")
        yield text, guest_text(place, guest)
        return
    yield _("Your guest types:"), guest.join_command
    for address in place.addresses[1:]:
        text = _("or, on this computer:") if is_local(address) else _("or, if that address is not reached:")
        yield text, replace(guest, server=address).join_command


def invited_by(place: Place, state: State | None) -> Invitation | None:
    return place.guest if state is None or state.phase == "waiting" else None


def watched_by(place: Place) -> Invitation:
    return place.watch or Invitation((*place.addresses, place.invitation.server)[0], place.invitation.game)


def invitations(place: Place, state: State | None) -> Iterator[tuple[str, str]]:
    """Yield how others come to a game: what to say, and the line to type or open for it, of which one may be empty."""
    guest = invited_by(place, state)
    if guest is not None:
        yield from guest_lines(place, guest)
    elif place.hosts and state is not None and state.phase == "waiting":
        yield _("The invitation that you sent your guest is still good."), ""
    if reach := describe_reach(place):
        yield reach, ""
    if place.unreached:
        if state is not None and state.watch:
            yield _("Whoever opens this lobby finds the game there, to watch it."), ""
        return
    if place.watch is not None if state is None else state.watch:
        yield _("Spectators type:"), watched_by(place).join_command
    elif state is not None and guest is None:
        yield _("This game has no spectators."), ""


def invitation_lines(place: Place, state: State | None) -> Iterator[str]:
    return (" ".join(filter(None, part)) for part in invitations(place, state))


def scanned(place: Place, state: State | None) -> str:
    """Return what the QR code of an invitation holds: what is typed."""
    return str(invited_by(place, state) or watched_by(place))


def describe_reach(place: Place) -> str:
    """Say from where the host's server is reached; nothing if it is in another program."""
    if place.ticket:
        return _("Whoever has the invitation reaches the game, from anywhere; by its first line all is encrypted.")
    networks = listed(list(place.networks))
    if place.is_local and not networks:
        return _("Only this computer reaches the game: it is in no network.")
    if place.is_local:
        return _("Only this computer reaches the game. Its network would reach it at {addresses}.").format(
            addresses=networks
        )
    if place.is_in_network:
        return _("The computers in this network reach the game. Nothing is encrypted.")
    if place.addresses:
        return _("Whoever reaches {address} reaches the game.").format(address=place.addresses[0])
    return ""


def waiting_mark(place: Place, client: OnlineClient) -> tuple[str, str] | None:
    """Return the mark shown while a move waits for the server or for its disk, with the reason; None if none does."""
    if (mark := _slow_mark(client)) is not None:
        return mark
    slowest = place.disks.slowest if place.disks is not None else None
    return None if slowest is None else describe_unsaved(slowest.failing, slowest.waited)


def _slow_mark(client: OnlineClient) -> tuple[str, str] | None:
    if not client.connected or client.waited < SLOW:
        return None
    return _("NOT SAVED YET"), _("slow server, {seconds} s").format(seconds=int(client.waited))


def describe_pending(client: OnlineClient) -> str:
    """Say that the server has not acknowledged a move yet, and for how long if that is unusual."""
    mark = _slow_mark(client)
    return _("Your move is on its way.") if mark is None else _("{mark}: {why}").format(mark=mark[0], why=mark[1])


def describe_lost(event: Lost) -> str:
    reason = plain_line(translate(event.reason))
    if event.wait < _SHORT:
        return _("No connection: {reason}. Trying again.").format(reason=reason)
    return _("No connection: {reason}. Trying again in {seconds} s.").format(reason=reason, seconds=ceil(event.wait))


def describe_refused(event: Refused) -> str:
    reason = sentence(plain_line(translate(describe_reason(event))))
    if event.code == "reported":
        return reason[0].upper() + reason[1:]
    text = _("The move was refused: {reason}") if event.what == "move" else _("Refused: {reason}")
    return text.format(reason=reason)


def describe_said(event: Said) -> str:
    """Return a line of chat, with the role of its speaker, since a name proves nothing."""
    name, role = plain_line(event.name), role_word(event.role)
    speaker = _("{name} ({role})").format(name=name, role=role) if name else role
    return f"<{speaker}> {plain_line(event.text)}"


def describe_declined_request(event: RequestDeclined, request: OpenRequest | None, role: str) -> str:
    """Say that a request that was open was declined, or withdrawn by the side that had made it."""
    if request is not None and request.by == event.by:
        text = _("Withdrawn: {what}.")
    else:
        is_opponent = role in ("black", "white") and event.by != role
        text = _("The opponent declined: {what}.") if is_opponent else _("Declined: {what}.")
    return text.format(what=_(REQUESTS[event.what]))


def describe_request(request: OpenRequest, role: str) -> str:
    what = _(REQUESTS[request.what])
    if request.by == role:
        return with_keys(_("Requested: {what}. Withdraw it with {decline}."), what=what)
    if role in ("black", "white"):
        return with_keys(_("The opponent requests: {what}. Answer with {accept} or {decline}."), what=what)
    return _("Requested: {what}.").format(what=what)


def describe_warning(side: str, seconds: float, role: str) -> str:
    """Say that a side is warned for its absence, and what follows in some seconds."""
    time = _describe_span(seconds)
    if side == role:
        if not seconds:
            return _("You were away: play on, or the opponent may claim the win when you leave again.")
        text = _("You were away and are warned: play on within {time}, or the opponent may claim the win.")
        return text.format(time=time)
    if seconds:
        return _("The absent side is warned: the win can be claimed in {time}.").format(time=time)
    if role not in ("black", "white"):
        return _("The absent side was warned: the win can be claimed.")
    return with_keys(_("The absent side was warned: {claim} claims the win."))


def _describe_span(seconds: float) -> str:
    minutes = max(1, ceil(seconds / 60))
    if minutes < 120:
        return plural("{count} minute", "{count} minutes", minutes)
    return plural("{count} hour", "{count} hours", ceil(minutes / 60))


def describe_presence(before: State, state: State, role: str) -> Iterator[str]:
    for side, name in (("black", state.black), ("white", state.white)):
        if side in state.present and side not in before.present and side != role:
            yield filled(_("{name} is here."), name=who(name, side))
        elif side in before.present and side not in state.present:
            text = _("{name} has lost the connection.")
            if state.clock is not None and state.phase == "playing":
                text = _("{name} has lost the connection; the clock runs on.")
            yield filled(text, name=who(name, side))
        if side in state.listening and side not in before.listening:
            yield filled(_("{name} hears what spectators say."), name=who(name, side))
        elif side in before.listening and side not in state.listening:
            yield filled(_("{name} no longer hears what spectators say."), name=who(name, side))
    if state.spectators != before.spectators:
        yield _("Spectators: {count}.").format(count=state.spectators)


_CHAT_LINES: Final = 8
_LONGEST_LINE: Final = 400
_GOOD: Final = 0.15
_FAIR: Final = 0.5
"""The maximum seconds of lag of a good, and of a fair connection."""


class Story:
    """Follows an online game, of which the face passes on every event of the server and the connection.

    Args:
        match: the game.

    Attributes:
        match: the game.
        muted: whether chat is hidden.
        lost: why there is no connection; empty while there is one.
        ended: why the server no longer admits this client; empty while it does.
    """

    def __init__(self, match: OnlineMatch) -> None:
        self.match: Final = match
        self.muted = False
        self.lost = self.ended = ""
        self._last_reason = ""
        self._chat: deque[str] = deque(maxlen=_CHAT_LINES)

    # Events

    def news(self, event: ClientEvent) -> list[str]:
        """Follow an event; return what is new besides the moves and what properties say, a sentence each."""
        role = self.match.client.role
        match event:
            case Welcome():
                told = [_("Connected again.")] if self.lost else []
                self.lost = self._last_reason = ""
                return told
            case Lost(reason=reason, refused=refused):
                # Not again at each attempt, unless the server refuses for another reason.
                is_new = not self.lost or (refused and str(reason) != self._last_reason)
                self.lost = describe_lost(event)
                if not is_new:
                    return []
                self._last_reason = str(reason)
                return [self.lost]
            case Ended(reason=reason):
                self.ended = sentence(plain_line(translate(reason)))
                return [self.ended]
            case State():
                before = self.match.client.before
                if before is None:
                    return []
                told = list(describe_presence(before, event, role))
                if (before.phase, event.phase, before.moves) == ("counting", "playing", event.moves):
                    told.append(_("The count was not agreed: the game goes on."))
                return told
            case Said():
                self._chat.append(describe_said(event))
                return [] if self.muted else [self._chat[-1]]
            case Plan():
                return [_("Conditional moves: {moves}.").format(moves=self.plan or _("none"))]
            case Refused(code="warned") if self.warning:
                return [self.warning]
            case Refused(fatal=False):
                return [describe_refused(event)]
            case RequestDeclined():
                request = None if self.match.state is None else self.match.state.request
                return [describe_declined_request(event, request, role)]
        return []

    # The state

    @property
    def standing(self) -> tuple[str, ...]:
        """What the state means and what can be done about it, in parts; empty while it is as usual whose move it is."""
        state, client, game = self.match.state, self.match.client, self.match.game
        if self.ended or self.lost:
            return (self.ended or self.lost,)
        if state is None:
            return (_("Connecting to {address} …").format(address=shortened(client.invitation.server)),)
        if state.request is not None:
            return (describe_request(state.request, client.role),)
        if client.pending is not None:
            return (describe_pending(client),)
        match state.phase:
            case "counting" if client.colour is not None:
                return (self._describe_count(state),)
            case "waiting":
                return (with_keys(_("Waiting for the guest; {invitation} shows the invitation")),)
            case "paused":
                return (with_keys(_("The clock is paused; {resume} requests to play on")),)
            case "adjourned":
                return (with_keys(_("The game is adjourned; {resume} requests to play on")),)
            case "over" if game.is_over:
                return describe_turn(game), with_keys(_("{rematch} requests a rematch, {quit} leaves"))
        return ()

    def _describe_count(self, state: State) -> str:
        if self.match.client.role in state.agreed:
            return _("You agree; the opponent has not yet.")
        if state.agreed:
            return with_keys(_("The opponent agrees to the count; {accept} agrees as well, {resume} plays on"))
        return with_keys(
            _("Mark the dead stones, {dead} proposes them; {accept} agrees to the count, {resume} plays on")
        )

    @property
    def warning(self) -> str:
        """What the absence of a side leads to, in the time that is left by now; empty if it leads to nothing."""
        state, client = self.match.state, self.match.client
        if state is None or state.warned is None:
            return ""
        if state.warned.side != client.role and state.warned.side in state.present:
            return ""
        return describe_warning(state.warned.side, client.claimable_in, client.role)

    @property
    def turn(self) -> str:
        state, client = self.match.state, self.match.client
        if state is None or state.phase != "playing" or client.colour is None:
            return ""
        return _("Your move") if client.my_turn else _("The opponent's move")

    @property
    def line(self) -> str:
        state, client = self.match.state, self.match.client
        if self.ended:
            return _("Disconnected")
        if not client.connected or state is None:
            return _("No connection, trying again") if self.lost else _("Connecting …")
        parts = []
        other = "white" if client.colour == BLACK else "black"
        # What there is no room for is left out from the end.
        if client.colour is not None and other not in state.present and state.phase != "waiting":
            parts.append(_("opponent offline"))
        parts.append(_quality(client.lag))
        if state.spectators:
            parts.append(_("{count} watching").format(count=state.spectators))
        if client.role in state.listening:
            parts.append(_("spectators are heard"))
        if self.muted:
            parts.append(_("chat muted"))
        if state.moves and client.colour is not None:
            # The server tells of a move once it is on its disk.
            parts.append(_("move {number} saved").format(number=len(state.moves)))
        if client.lag is not None:
            parts.append(_("{time} ms").format(time=round(client.lag * 1000)))
        return " · ".join(parts)

    @property
    def chat(self) -> str:
        return "" if self.muted else "\n".join(self._chat)

    @property
    def sharing(self) -> str:
        state = self.match.state
        if state is None or not state.sharing:
            return _("Cursors are not shared")
        if len(state.sharing) == 2:
            return _("You see each other's cursors")
        if self.match.client.role in state.sharing:
            return _("Your cursor shows once the opponent agrees, too")
        return with_keys(_("The opponent would show you the cursor and see yours: {share_cursor} agrees"))

    @property
    def leaving(self) -> str:
        """What leaving means for the game, with the question whether to leave; empty if nothing is left behind."""
        state, place = self.match.state, self.match.place
        if state is None or self.match.client.colour is None or state.phase == "over" or self.ended:
            return ""
        waiting = state.phase == "waiting"
        if place.hosts and waiting:
            return _("Your guest cannot come without you: daoqi-tui host --resume opens the game again. Leave it?")
        if place.hosts:
            return _("Your guest cannot play on without you: daoqi-tui host --resume opens the game again. Leave it?")
        return "" if waiting else _("The game goes on: daoqi-tui join takes your seat again. Leave it?")

    # Commands; each returns what to say, mostly nothing

    def forbidden(self, command: Command) -> str:
        state = self.match.state
        if command.elsewhere:
            return with_keys(_("This is an online game: {quit} leaves it"))
        if command.helps and (state is None or (state.phase != "over" and self.match.client.colour is not None)):
            return _("No help while an online game is on")
        return ""

    def done(self, reason: Declined | None) -> str:
        match reason:
            case None:
                return ""
            case _ if self.ended:
                return self.ended
            case Declined.VIEWING:
                return with_keys(_("You view an earlier move: {end} goes back to the game"))
            case Declined.WATCHING:
                return _("You watch this game.")
            case Declined.PENDING:
                return describe_pending(self.match.client)
            case Declined.NOT_YOUR_TURN:
                return _("It is the opponent's turn.")
            case Declined.NOT_CONNECTED if self.match.state is not None:
                return _("There is no connection at the moment.")
        if self.match.state is None:
            return _("The server has not answered yet.")
        if self.match.client.colour is None:
            return _("You watch this game.")
        return next(iter(self.standing), _("The game is on."))

    def request(self, what: RequestKind) -> str:
        return self.done(self.match.command(Ask(what)))

    def pause(self) -> str:
        return self.done(self.match.unpause() if self.match.turns.paused else self.match.pause())

    def answer(self, *, accept: bool) -> str:
        reason = self.match.answer(accept=accept)
        return _("There is no request.") if reason is Declined.NOT_NOW else self.done(reason)

    def say(self, text: str) -> str:
        return self.done(self.match.send(Say(plain_line(text.strip())[:_LONGEST_LINE])))

    def mute(self) -> str:
        self.muted = not self.muted
        return _("Chat is muted.") if self.muted else _("Chat is shown.")

    def listen(self) -> str:
        state = self.match.state
        on = state is not None and self.match.client.role not in state.listening
        return self.done(self.match.command(Listen(on)))

    def claim(self) -> str:
        return self.done(self.match.command(Claim()))

    @property
    def plan(self) -> str:
        """The conditional moves that the server has, as they are typed; empty for none."""
        plan, torus = self.match.client.plan, self.match.game.torus
        if plan is None:
            return ""
        named = (
            (each if each == "pass" else torus.name(point_of(torus, each)) for each in line) for line in plan.lines
        )
        return "; ".join(map(" ".join, named))

    def make_plan(self, text: str) -> str:
        """Send conditional moves as they are typed; return what to say."""
        try:
            lines = read_lines(half_width(text), self.match.game.torus)
        except ValueError as error:
            return sentence(translate(error))
        state = self.match.state
        if len(lines) > LONGEST_PLAN or any(len(line) > LONGEST_PLAN for line in lines):
            return _("There is room for {most} lines of {most} moves.").format(most=LONGEST_PLAN)
        return self.done(self.match.command(Plan(0 if state is None else len(state.moves), lines)))

    def share_cursor(self) -> str:
        state = self.match.state
        on = state is not None and self.match.client.role not in state.sharing
        return self.done(self.match.command(Share(on)))

    async def let_in(self, *, anywhere: bool = False) -> str:
        try:
            await self.match.let_in(anywhere=anywhere)
        except OSError as error:
            text = (
                _("Not reached from anywhere: {reason}") if anywhere else _("The game stays on this computer: {reason}")
            )
            return text.format(reason=translate(reason_of(error)))
        return ""


def _quality(lag: float | None) -> str:
    if lag is None:
        return _("Connected")
    return _("good line") if lag <= _GOOD else _("fair line") if lag <= _FAIR else _("slow line")
