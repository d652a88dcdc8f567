"""What servers are asked while none of their games is open: of saved seats, finished games, lobbies and accounts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlencode

from aiohttp import ClientError, ClientSession, ClientTimeout, WSMsgType

from daoqi_tui import codec
from daoqi_tui.engine import Game
from daoqi_tui.gtp import vertex_name
from daoqi_tui.message import Message, problem_of
from daoqi_tui.play.background import begin_task
from daoqi_tui.play.keeper import open_library
from daoqi_tui.play.online.accounts import POSITIONS, Endpoint, FoundPosition, bearer
from daoqi_tui.play.online.anywhere import reached
from daoqi_tui.play.online.client import OnlineClient, trouble_with
from daoqi_tui.play.online.listing import CHALLENGE, NEW_GAME, Challenge, NewGame, Opened
from daoqi_tui.play.online.protocol import (
    FROM_SERVER,
    LONGEST_FROM_SERVER,
    VERSION,
    Join,
    ProtocolError,
    Refused,
    Role,
    SideTime,
    State,
    Welcome,
    cleaned,
    decode,
    describe_reason,
    encode,
)
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook, Standing
from daoqi_tui.record.sgf.info import Info

PATIENCE: Final = 5.0
"""The timeout in seconds for asking a server about a game."""
_NEVER_GIVEN: Final = ("code", "key", "no-game")
"""Refusals after which a requested seat was certainly not given; after any other it may be this player's."""


async def _asked(seat: SavedSeat, patience: float) -> tuple[State, Role] | Message | str:
    """Return the state of a game and the role of a seat in it, or the reason if the server does not tell; take none."""
    role: Role = "spectator"
    try:
        async with (
            # The session's own timeout does not cover reads from a WebSocket.
            asyncio.timeout(patience),
            ClientSession() as session,
            reached(seat.server) as server,
            session.ws_connect(
                replace(seat.invitation, server=server).url, max_msg_size=LONGEST_FROM_SERVER, compress=0
            ) as socket,
        ):
            await socket.send_str(encode(Join(VERSION, seat.name, key=seat.key, peek=True)))
            async for received in socket:
                if received.type is not WSMsgType.TEXT:
                    break
                message = decode(received.data, FROM_SERVER)
                if isinstance(message, Welcome):
                    role = message.role
                if isinstance(message, State):
                    return message, role
                if isinstance(message, Refused):
                    return describe_reason(message)
    except TimeoutError:
        return Message("the server does not answer")
    except (ClientError, OSError, ProtocolError, UnicodeError) as error:
        # UnicodeError comes from the resolver, for an invalid name.
        return trouble_with(seat.server, error).reason
    return Message("the server closed the connection")


async def current_states(seats: list[SavedSeat], patience: float = PATIENCE) -> list[Standing]:
    """Ask the servers of seats, all at once, how the games stand."""
    answers = await asyncio.gather(*(_asked(seat, patience) for seat in seats))
    return [
        Standing(seat.seen(*answer), left=_left(answer[0])) if isinstance(answer, tuple) else Standing(seat, answer)
        for seat, answer in zip(seats, answers, strict=True)
    ]


def _left(state: State) -> SideTime | None:
    if state.clock is None or state.phase != "playing":
        return None
    return (state.clock.black, state.clock.white)[state.mover]


async def waiting_for_me(folder: Path, patience: float = PATIENCE) -> int:
    """Return the number of games waiting for this player's move, ignoring servers that do not answer in time."""
    seats = await asyncio.to_thread(SeatBook.in_folder(folder).seats)
    going_on = [seat for seat in seats if seat.phase != "over"]
    if not going_on:
        return 0
    return sum(
        seat.my_turn and seat.phase != "over" and not reason
        for seat, reason, _left in await current_states(going_on, patience)
    )


class Recorder:
    """Saves the seat of a client between starts, and puts its finished games into the library.

    Files are written in other threads, one after the other.

    Args:
        book: stores the seats.
        seat: the seat, None before it is taken.
        library: the folder of finished games, None if someone else writes them.
        notify: called with messages: where a game was saved, or why something could not be written.
    """

    def __init__(
        self,
        book: SeatBook,
        seat: SavedSeat | None,
        library: Path | None,
        notify: Callable[[Message], object] = lambda _: None,
    ) -> None:
        self._book = book
        self._seat = seat
        self._saved: SavedSeat | None = None
        """The last saved seat; None at first, so that the most recently joined game comes first in the book."""
        self._library = library
        self._notify = notify
        self._failed = False
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def joining(self, client: OnlineClient) -> None:
        """Save the seat that a client is about to request, since the program may end before the answer arrives."""
        if self._seat is None:
            place = client.invitation
            self._seat = SavedSeat(place.server, place.game, client.key, client.name)
            await asyncio.shield(self._begin(partial(self._book.put, self._seat)))

    async def listens(self, address: str) -> None:
        """Save where the server of a host's seat listens now."""
        if self._seat is not None:
            self._seat = replace(self._seat, listen=address)
            await asyncio.shield(self._begin(partial(self._book.put, self._seat)))

    def save(self, client: OnlineClient) -> None:
        """Save changes; called after every event of the client. Needs a running event loop."""
        state, place = client.state, client.invitation
        if client.ended is not None and client.ended.code == "account":
            # The next time as a guest.
            self._begin(partial(self._book.put_account, place.server, ""))
        if state is None or not client.key:
            refused = client.ended is not None and client.ended.code in _NEVER_GIVEN
            if refused and self._seat is not None and not self._seat.phase:
                self._begin(partial(self._book.remove, self._seat))
            return
        before = self._seat or SavedSeat(place.server, place.game, client.key, client.name)
        now = replace(before, key=client.key).seen(state, client.role)
        if now == self._saved:
            return
        self._seat = self._saved = now
        ended = state.phase == "over" and (before.phase, before.round) != ("over", state.round)
        files = [partial(self._file, client.game, state)] if ended and self._library is not None else []
        self._begin(*files, partial(self._book.put, now))

    def _begin(self, *writes: Callable[[], Message | None]) -> asyncio.Task[None]:
        return begin_task(self._write(*writes), self._tasks)

    async def _write(self, *writes: Callable[[], Message | None]) -> None:
        """Write one after the other, up to the first failure, and report each message."""
        async with self._turn:
            try:
                for write in writes:
                    told = await asyncio.to_thread(write)
                    if told is not None:
                        self._notify(told)
            except OSError as error:
                if not self._failed:
                    self._notify(Message("This cannot be saved: {reason}", reason=problem_of(error)))
                self._failed = True

    def _file(self, game: Game, state: State) -> Message:
        assert self._library is not None
        date = f"{datetime.now().astimezone():%Y-%m-%d}"
        library = open_library(self._library)
        try:
            info = Info(black=state.black, white=state.white, handicap=state.handicap, date=date)
            return Message("The game is saved in the library as {file}.", file=library.add(game, info).name)
        finally:
            library.close()

    async def close(self) -> None:
        while self._tasks:
            await asyncio.gather(*self._tasks)


T = TypeVar("T")


async def take_seat(server: str, asked: Challenge | NewGame, account: str = "") -> SavedSeat | Message | str:
    """Begin a game with a bot of a lobby, or open one of one's own there; return one's seat, or why there is none."""
    opened = await ask(server, CHALLENGE if isinstance(asked, Challenge) else NEW_GAME, asked, account)
    if not isinstance(opened, Opened):
        return opened
    return SavedSeat(server, opened.game, opened.key, asked.name, code=opened.code)


async def find_position(server: str, game: Game) -> FoundPosition | Message | str:
    """Return the games of a server that reached the position of a game, or why they cannot be seen."""
    moves = " ".join(vertex_name(game.torus, move.point) for move in game.moves())
    query = urlencode({"size": game.torus.size, "moves": moves})
    return await ask(server, Endpoint(f"{POSITIONS}?{query}", FoundPosition))


async def ask(server: str, endpoint: Endpoint[T], asked: object = None, account: str = "") -> T | Message | str:
    """Return what a server answers to the owner of an account, or why it does not.

    Args:
        server: its URL.
        endpoint: what is wanted.
        asked: what is sent along, None for nothing.
        account: the secret of the account, empty for a guest.
    """
    url = re.sub("^ws", "http", server) + endpoint.path
    sent = None if asked is None else codec.encode(asked)
    try:
        async with (
            ClientSession(timeout=ClientTimeout(PATIENCE)) as session,
            session.request("GET" if sent is None else "POST", url, data=sent, headers=bearer(account)) as answer,
        ):
            received = b""
            async for chunk in answer.content.iter_any():
                received += chunk
                if len(received) > LONGEST_FROM_SERVER:
                    break
            if answer.ok:
                return cleaned(codec.decode(received, endpoint.answer))
            refused = decode(received, FROM_SERVER)
            if isinstance(refused, Refused):
                return describe_reason(refused)
    except (codec.JsonError, ProtocolError):
        pass
    except (TimeoutError, ClientError, OSError, UnicodeError) as error:
        return trouble_with(server, error).reason
    return Message("the server has no lobby; ask for an invitation")
