"""A client that keeps its seat: it reconnects automatically, catches up, and resends what was not acknowledged.

Its events are the messages of the server, and the state of the connection.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
import random
import re
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorError,
    ClientError,
    ClientHandlerType,
    ClientRequest,
    ClientResponse,
    ClientResponseError,
    ClientSession,
    ClientTimeout,
    ClientWSTimeout,
    ServerDisconnectedError,
    ServerTimeoutError,
    WSMsgType,
    WSServerHandshakeError,
)

from daoqi_tui.engine import Colour, Game, parse_rules
from daoqi_tui.engine.rules import BLACK, WHITE
from daoqi_tui.gtp import vertex_name
from daoqi_tui.message import Message, reason_of
from daoqi_tui.play.events import Declined as Reason
from daoqi_tui.play.online.accounts import bearer
from daoqi_tui.play.online.anywhere import AnywhereError, reached
from daoqi_tui.play.online.correspondence import make_move, point_of
from daoqi_tui.play.online.invitation import ANYWHERE, Invitation, is_local
from daoqi_tui.play.online.protocol import (
    COLOURS,
    FINAL,
    FROM_SERVER,
    LONGEST_FROM_SERVER,
    ROLES,
    VERSION,
    ClientMessage,
    Declined,
    Join,
    Moved,
    Ping,
    Plan,
    Play,
    Pointed,
    Pong,
    ProtocolError,
    Refused,
    Role,
    Said,
    State,
    Welcome,
    after_move,
    decode,
    describe_reason,
    encode,
)
from daoqi_tui.play.online.table import new_key

_PAUSES: Final = (0.1, 0.3, 1.0, 2.0, 5.0, 10.0)
"""Seconds before each attempt to reconnect; the last one is repeated."""
_JITTER: Final = 0.25
"""The largest part by which a pause is longer, so that not all clients of a server come back at once."""
_PATIENCE: Final = 20.0
"""The timeout in seconds for joining, since a server may accept the connection and then stay silent."""
_HEARTBEAT: Final = 20.0
_FAREWELL: Final = 1.0
"""The timeout in seconds for a server to close a connection that we close."""
_SENT: Final = 1000
"""The maximum number of messages queued while disconnected."""


class OnlineClient:
    """A seat in an online game, or a place to watch from.

    What the server sent is the truth: :attr:`game` is built from it. A move made here is pending until the server
    acknowledges it, and resent after a disconnection.

    Args:
        invitation: with the address of the game.
        name: of the player.
        on_event: called with events, after :attr:`state` and :attr:`game` are updated.
        key: the session key of a seat taken before.
        joining: awaited each time before a code is sent, to save :attr:`key`: once the server has received the code it
            is used up, even if its answer is lost.
        account: the secret of the player's account at the server, empty for a guest.
        sleep: waits for a number of seconds between attempts to connect.
        now: returns the time by which :attr:`waited` counts.

    Attributes:
        state: the server's last state of the game, with the moves made since; None before the first.
        before: the state before that, likewise.
        game: the game as the server has it.
        role: of this client in the game.
        name: what the player is called.
        pending: the move that the server has not acknowledged yet.
        plan: the conditional moves of this player that the server has; None if it has none.
        connected: whether there is a connection.
        lag: the round-trip time in seconds, None until it is known.
        chat: the number of the last line of chat.
        ended: the reason why this client has stopped trying, None while it has not.
    """

    def __init__(
        self,
        invitation: Invitation,
        name: str,
        on_event: Callable[[ClientEvent], object],
        *,
        key: str = "",
        joining: Callable[[], Awaitable[object]] | None = None,
        account: str = "",
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.invitation: Final = invitation
        self.state: State | None = None
        self.before: State | None = None
        self.game = Game()
        self.role: Role = "spectator"
        self.pending: Play | None = None
        self.plan: Plan | None = None
        self.connected = False
        self.lag: float | None = None
        self.chat = 0
        # Chosen here, so that the seat is ours even if the connection is lost before the answer to the code arrives.
        self.key = key or (new_key() if invitation.code else "")
        self._code = invitation.code
        # Whoever was admitted once keeps trying: the address was right, so what is wrong now may pass.
        self._admitted = bool(key)
        self.name: Final = name
        self._on_event = on_event
        self._joining = joining
        self._account = account
        self._sleep = sleep
        self._now = now
        self._told_at = 0.0
        self._pending_since = 0.0
        self._outbox: asyncio.Queue[ClientMessage] = asyncio.Queue(_SENT)
        self.ended: Ended | None = None
        self._closed_with: Refused | None = None

    @property
    def colour(self) -> Colour | None:
        return COLOURS.get(self.role)

    @property
    def my_turn(self) -> bool:
        return self.why_not is None

    @property
    def waited(self) -> float:
        """The seconds for which the pending move has been waiting for the server; 0 if none is."""
        return 0.0 if self.pending is None else self._now() - self._pending_since

    @property
    def claimable_in(self) -> float:
        """Seconds until the win may be claimed against the side that the state says is warned."""
        warned = self.state.warned if self.state is not None else None
        return 0.0 if warned is None else max(0.0, warned.seconds - (self._now() - self._told_at))

    @property
    def why_not(self) -> Reason | None:
        if self.state is None:
            return Reason.NOT_CONNECTED
        if self.colour is None:
            return Reason.WATCHING
        if self.pending is not None:
            return Reason.PENDING
        if self.state.phase != "playing" or self.game.is_over:
            return Reason.NOT_NOW
        return Reason.NOT_YOUR_TURN if self.game.to_move != self.colour else None

    # Commands

    def play(self, point: int) -> None:
        """Play at a point, or pass; the move is pending until the server acknowledges it."""
        name = vertex_name(self.game.torus, point)
        self.pending, self._pending_since = Play(len(self.game.moves()) + 1, name), self._now()
        self._on_event(self.pending)
        self.send(self.pending)

    def send(self, message: ClientMessage) -> None:
        """Send a message; while disconnected, everything but a move, which is resent, is dropped."""
        if self.connected and not self._outbox.full():
            self._outbox.put_nowait(message)

    # The line

    async def run(self) -> Ended:
        """Connect, and reconnect, until it makes no sense to try again; return the reason."""
        attempt = 0
        async with ClientSession(
            timeout=ClientTimeout(total=None, sock_connect=10.0), middlewares=(self._show_account,)
        ) as session:
            while self.ended is None:
                trouble = Trouble(Message("the server closed the connection"))
                self._closed_with = None
                wait = 0.0
                try:
                    # After a refusal, for example of too many messages, the pauses go on growing.
                    if await self._talk(session) and self._closed_with is None:
                        attempt = 0
                except (TimeoutError, ClientError, OSError, UnicodeError) as error:
                    # UnicodeError comes from the resolver, for an invalid host name, which a saved seat may contain.
                    trouble, wait = trouble_with(self.invitation.server, error), retry_after(error)
                except ProtocolError as error:
                    trouble = Trouble(Message("the server broke the protocol: {reason}", reason=str(error)))
                reason: Message | str = trouble.reason
                self.connected = False
                if trouble.lasts and not self._admitted:
                    self.ended = Ended(reason)
                if self.ended is None:
                    if self._closed_with is not None:
                        reason, wait = describe_reason(self._closed_with), bounded_wait(self._closed_with.wait)
                    pause = max(_PAUSES[min(attempt, len(_PAUSES) - 1)], wait)
                    pause *= 1 + random.uniform(0, _JITTER)
                    self._on_event(Lost(reason, pause, self._closed_with is not None))
                    await self._sleep(pause)
                    attempt += 1
        self._on_event(self.ended)
        return self.ended

    async def _show_account(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """Tell the account to the server, and to another of its lobby to which it sends us, but not without its TLS."""
        if request.url.scheme in ("https", "wss") or not self.invitation.server.startswith("wss:"):
            request.headers.update(bearer(self._account))
        return await handler(request)

    async def _talk(self, session: ClientSession) -> bool:
        """Connect once, until the connection is lost; return whether the server admitted us."""
        entered = caught_up = False
        async with (
            asyncio.timeout(_PATIENCE) as patience,
            reached(self.invitation.server) as server,
            session.ws_connect(
                replace(self.invitation, server=server).url,
                timeout=ClientWSTimeout(ws_close=_FAREWELL),
                max_msg_size=LONGEST_FROM_SERVER,
                heartbeat=_HEARTBEAT,
                compress=0,
            ) as socket,
        ):
            if self._code and self._joining is not None:
                await self._joining()
            await socket.send_str(encode(Join(VERSION, self.name, self._code, self.key)))

            async def write() -> None:
                while True:
                    await socket.send_str(encode(await self._outbox.get()))

            writer = asyncio.create_task(write())
            try:
                async for received in socket:
                    if received.type is not WSMsgType.TEXT:
                        break
                    message = decode(received.data, FROM_SERVER)
                    if isinstance(message, Ping):
                        self.send(Pong(message.id))
                        self.lag = message.lag or self.lag
                        self._on_event(message)
                        continue
                    if isinstance(message, State) and caught_up and self._is_overtaken(message):
                        raise ProtocolError("an old state came")
                    if isinstance(message, Welcome):
                        entered = True
                        patience.reschedule(None)
                    if not entered and not isinstance(message, Refused):
                        raise ProtocolError("a message came before the welcome")
                    caught_up = caught_up or isinstance(message, State)
                    self._take(message)
                    if self.ended is not None:
                        break
            finally:
                writer.cancel()
                # Its cancellation must not be taken for our own, which would be lost.
                await asyncio.wait({writer})
                with suppress(asyncio.CancelledError, ConnectionError, ClientError):
                    writer.result()
                while not self._outbox.empty():
                    self._outbox.get_nowait()
        return entered

    # Messages of the server

    def _take(self, message: Welcome | State | Moved | Refused | Said | Declined | Pointed | Plan) -> None:
        match message:
            case Welcome():
                self.connected = self._admitted = True
                self.role = message.role
                self.key = message.key or self.key
                self._code = ""
            case State():
                self._take_state(message)
            case Moved():
                if not self._take_move(message):
                    return
            case Plan():
                self.plan = message
            case Said(number=number) if number:
                if number <= self.chat:
                    # Repeated because the connection was lost in between.
                    return
                self.chat = number
            case Refused(fatal=True):
                if message.code in FINAL:
                    self.ended = Ended(describe_reason(message), message.code)
                    return
                self._closed_with = message
            case Refused(what="move"):
                self.pending = None
        self._on_event(message)
        if isinstance(message, State) and self.pending is not None:
            # The connection was lost before the answer arrived.
            self.send(self.pending)

    def _is_overtaken(self, state: State) -> bool:
        """Return whether a state is older than ours: moves disappear only by an undo.

        Accepting it would mean waiting for a move that was made long ago.
        """
        known = self.state
        # The end is the last state of a round; a delayed spectator receives it instead of the undo before it.
        if known is None or state.round != known.round or state.phase == "over":
            return False
        undone = known.request is not None and known.request.what == "undo"
        began_before = state.phase == "waiting" and known.phase != "waiting"
        return began_before or (len(state.moves) < len(known.moves) and not undone)

    def _take_state(self, state: State) -> None:
        try:
            game = _game_of(state)
        except ValueError as error:
            raise ProtocolError(f"the server sent an impossible game: {error}") from error
        pending, moves = self.pending, state.moves
        if pending is not None and (
            self.state is None
            # In one round only a broken or hostile server changes these, but the point may not be on the new board.
            or state.terms != self.state.terms
            or pending.number != len(moves) + 1
            or state.phase != "playing"
        ):
            self.pending = None
        self.game, self.before, self.state = game, self.state, state
        self._told_at = self._now()
        self._forget_plan()

    def _take_move(self, moved: Moved) -> bool:
        """Apply a move; return False if it was known already."""
        if self.state is None:
            raise ProtocolError("a move came before the state")
        known = len(self.state.moves)
        if self.pending is not None and self.pending.number <= moved.number:
            self.pending = None
        if moved.number <= known:
            return False
        if moved.number != known + 1 or ROLES[self.game.to_move] != moved.colour:
            raise ProtocolError("a move came that does not follow the last one")
        try:
            make_move(self.game, point_of(self.game.torus, moved.move))
        except ValueError as error:
            raise ProtocolError(f"the server sent an impossible move: {error}") from error
        self.state = after_move(self.state, moved)
        self._forget_plan()
        return True

    def _forget_plan(self) -> None:
        """Forget a plan that was for another position; the server sends what is left of it."""
        if self.plan is not None and self.state is not None and self.plan.number != len(self.state.moves):
            self.plan = None


def _game_of(state: State) -> Game:
    """Return the game of a state.

    Raises:
        ValueError: there is no such game.
    """
    game = Game(state.size, state.komi, state.handicap, parse_rules(state.rules))
    for name in state.moves:
        make_move(game, point_of(game.torus, name))
    lost = state.result.endswith(("+R", "+T"))
    if game.is_over and (lost or state.phase not in ("counting", "over")):
        # Two passes were not the end: play was resumed, or a side lost during scoring.
        game.resume()
    if state.dead:
        game.agree_dead(game.torus.parse(name, "gtp") for name in state.dead)
    if lost:
        loser = WHITE if state.result.startswith("B") else BLACK
        (game.resign if state.result.endswith("R") else game.lose_on_time)(loser)
    return game


class Lost(NamedTuple):
    """The connection was lost, or the server cannot be reached or refuses for now; the client tries again.

    Attributes:
        reason: why, in words.
        wait: the seconds until the next attempt.
        refused: whether the server refused, with a reason of its own.
    """

    reason: Message | str
    wait: float = 0.0
    refused: bool = False


_UNAVAILABLE: Final = (502, 503, 504)
"""The HTTP statuses of a server that is overloaded, and of a proxy before one that is being restarted."""
_LONGEST_WAIT: Final = 300.0
"""The maximum seconds for which a client waits because a server asks it to."""
_UNREACHED: Final = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ETIMEDOUT, errno.EHOSTDOWN, errno.EADDRNOTAVAIL)
_OVERLAY: Final = ipaddress.IPv4Network("100.64.0.0/10")
"""The addresses that overlay networks such as Tailscale give, and some providers."""


class Trouble(NamedTuple):
    """Why a server cannot be joined.

    Attributes:
        reason: why, and what would help.
        lasts: whether trying again does not help.
    """

    reason: Message | str
    lasts: bool = False


def trouble_with(server: str, error: Exception, own: str | None = None) -> Trouble:
    """Explain why a server cannot be joined.

    Args:
        server: its URL.
        error: what the attempt to connect raised.
        own: the address of this computer on the way there, empty if there is no way; None looks it up.
    """
    if isinstance(error, AnywhereError):
        return Trouble(reason_of(error), error.lasts)
    if server.startswith(ANYWHERE):
        return Trouble(Message("the line to the host's computer was lost"))
    parts = urlsplit(server)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "wss" else 80)
    # Of an answer that does not open a WebSocket.
    if isinstance(error, ClientResponseError):
        return _trouble_with_answer(host, port, error)
    if isinstance(error, ClientConnectorCertificateError):
        return Trouble(
            Message(
                "the certificate of {host} is not valid ({reason}); check the name, and the clock of this computer",
                host=host,
                reason=getattr(error.certificate_error, "verify_message", "") or str(error.certificate_error),
            ),
            lasts=True,
        )
    cause = error.os_error if isinstance(error, ClientConnectorError) else error
    if isinstance(cause, ssl.SSLError):
        text = Message(
            "{host} does not speak TLS at port {port}; without TLS an invitation begins with ws:// in place of wss://",
            host=host,
            port=port,
        )
        return Trouble(text, lasts=True)
    if isinstance(cause, socket.gaierror | UnicodeError):
        return _trouble_with_name(host, cause)
    number = cause.errno if isinstance(cause, OSError) else None
    if number in _UNREACHED or isinstance(error, ServerTimeoutError):
        return _trouble_on_the_way(host, port, _own_address(host, port) if own is None else own)
    if isinstance(error, TimeoutError):
        return Trouble(Message("{host} accepts connections at port {port}, but does not answer", host=host, port=port))
    if number == errno.ECONNREFUSED:
        text = Message(
            "the computer {host} is there, but serves no game at port {port}; the host closed it, or the port is wrong",
            host=host,
            port=port,
        )
        if is_local(server) or host == "localhost":
            text = Message(
                "{host} is this computer, which serves no game at port {port}; for a host on another computer, ask for "
                "an invitation that works from here",
                host=host,
                port=port,
            )
        return Trouble(text)
    if number == errno.ECONNRESET or isinstance(error, ServerDisconnectedError):
        return Trouble(
            Message(
                "{host} closes connections at port {port} at once; behind a tunnel, the host has closed the game, and "
                "with TLS an invitation begins with wss://",
                host=host,
                port=port,
            )
        )
    if isinstance(cause, OSError) and cause.errno:
        # asyncio's own text has the address in place of the reason.
        return Trouble(reason_of(OSError(cause.errno, os.strerror(cause.errno))))
    return Trouble(str(error))


def _trouble_with_answer(host: str, port: int, error: ClientResponseError) -> Trouble:
    if not isinstance(error, WSServerHandshakeError):
        text = Message(
            "what answers at port {port} of {host} is another program; ask the host for the port", host=host, port=port
        )
        return Trouble(text, lasts=True)
    match error.status:
        case status if status in _UNAVAILABLE:
            return Trouble(Message("a proxy answers for {host}, but the server behind it does not", host=host))
        case 429:
            return Trouble(Message("{host} takes no more requests from here at the moment", host=host))
        case 401 | 407:
            text = Message("{host} asks for a password, which an invitation does not have", host=host)
        case 403:
            text = Message(
                "the server does not let in who calls it {host}; its host has to give that name with --public-url",
                host=host,
            )
        case 400:
            text = Message(
                "the server at port {port} of {host} expects something else; with TLS an invitation begins with wss://",
                host=host,
                port=port,
            )
        case status if status >= 500:
            return Trouble(Message("the server of {host} fails, with HTTP status {status}", host=host, status=status))
        case status:
            text = Message(
                "a web server answers at port {port} of {host}, but it serves no Daoqi games (HTTP status {status}); "
                "check the address",
                host=host,
                port=port,
                status=status,
            )
    return Trouble(text, lasts=True)


def _trouble_with_name(host: str, cause: socket.gaierror | UnicodeError) -> Trouble:
    if isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_AGAIN:
        return Trouble(Message("the name {host} cannot be looked up: is this computer on the internet?", host=host))
    if host.endswith(".local") or "." not in host:
        text = Message(
            "the name {host} is known in the host's own network only; ask for an invitation with an address", host=host
        )
        return Trouble(text, lasts=True)
    return Trouble(Message("there is no computer of the name {host}; check the invitation", host=host), lasts=True)


def _trouble_on_the_way(host: str, port: int, own: str) -> Trouble:
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        address = None
    if not own and address is not None and address.version == 6:
        text = Message("{host} is an IPv6 address, which this network does not reach; ask for another one", host=host)
        return Trouble(text, lasts=True)
    if not own:
        return Trouble(Message("this computer is in no network from which it would reach {host}", host=host))
    if isinstance(address, ipaddress.IPv4Address) and address in _OVERLAY:
        text = Message(
            "{host} is an address of an overlay network, such as Tailscale; both computers have to be in it", host=host
        )
        return Trouble(text, lasts=True)
    if address is not None and address.is_private:
        # The usual size of a home's network, since the system does not say of another computer's what it is.
        nearby = ipaddress.ip_network((own, 24 if address.version == 4 else 64), strict=False)
        text = Message(
            "{host} is a private address in another network than {own}, this computer's; ask the host for an "
            "invitation that works over the internet",
            host=host,
            own=own,
        )
        if address in nearby:
            text = Message(
                "no computer answers at {host} in this network; if the host is in another one, ask for an invitation "
                "that works over the internet",
                host=host,
            )
        return Trouble(text, lasts=True)
    return Trouble(
        Message(
            "{host} does not answer at port {port}; perhaps its router or firewall does not let guests in: the host "
            "can have it forward the port, or invite through a server",
            host=host,
            port=port,
        )
    )


def _own_address(host: str, port: int) -> str:
    """Return the address of this computer on the way to another, empty if there is no way; nothing is sent."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            # A name is not looked up again: what matters is whether there is a way to other networks.
            probe.connect((host if re.fullmatch(r"[\d.]+|.*:.*", host) else "192.0.2.1", port))
            return str(probe.getsockname()[0])
    except OSError:
        return ""


def retry_after(error: Exception) -> float:
    """Return the seconds that an answer to an attempt to connect asks to wait (``Retry-After``), 0 if it does not."""
    headers = getattr(error, "headers", None) or {}
    told = str(headers.get("Retry-After", ""))
    if told.isdecimal():
        return bounded_wait(float(told))
    try:
        until = parsedate_to_datetime(told)
        return bounded_wait((until - datetime.now(until.tzinfo)).total_seconds())
    except (ValueError, OverflowError):
        return 0.0


def bounded_wait(seconds: float) -> float:
    return min(max(seconds, 0.0), _LONGEST_WAIT)


class Ended(NamedTuple):
    """The server will not admit this client again, or cannot be reached as things are; the client has stopped.

    Attributes:
        reason: why, in words.
        code: the same as the server sent it, one of those in :data:`~daoqi_tui.play.online.protocol.FINAL`; empty if no
            server was reached.
    """

    reason: Message | str
    code: str = ""


ClientEvent: TypeAlias = (
    Welcome | State | Moved | Refused | Said | Declined | Pointed | Plan | Ping | Lost | Play | Ended
)
