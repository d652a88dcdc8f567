"""Seats that are saved between starts of the program, and their finished games."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, cast

from aiohttp import ClientError, ClientSession, WSMsgType

from daoqi_tui import codec
from daoqi_tui.engine import Game
from daoqi_tui.message import Message, problem_of
from daoqi_tui.play.keeper import open_library
from daoqi_tui.play.online.anywhere import reached
from daoqi_tui.play.online.client import OnlineClient, trouble_with
from daoqi_tui.play.online.invitation import Invitation
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
    decode,
    describe_reason,
    encode,
)
from daoqi_tui.record.files import changing, read_json, write_atomically
from daoqi_tui.record.sgf.info import Info

PATIENCE: Final = 5.0
"""The timeout in seconds for asking a server about a game."""
_MOST_BYTES: Final = 16 * 2**20
_FORMAT: Final = 1
_NEVER_GIVEN: Final = ("code", "key", "no-game")
"""Refusals after which a requested seat was certainly not given; after any other it may be this player's."""


async def peek(seat: SavedSeat, patience: float = PATIENCE) -> SavedSeat | Message | str:
    """Return a seat with the current state of its game, or the reason if the server does not tell; takes no seat."""
    answer = await _asked(seat, patience)
    return seat.seen(*answer) if isinstance(answer, tuple) else answer


async def _asked(seat: SavedSeat, patience: float) -> tuple[State, Role] | Message | str:
    """Return the state of a game and the role of a seat in it, or the reason if the server does not tell."""
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


@dataclass(frozen=True, slots=True)
class SavedSeat:
    """A seat in a game that may continue.

    Attributes:
        server, game: as in :class:`Invitation`.
        key: the session key.
        name: of the player.
        opponent: the name of the other player.
        phase: of the game when it was last seen.
        round: of the table, as in :class:`~daoqi_tui.play.online.protocol.State`.
        my_turn: whether a move, an agreement or an answer of this player was waited for then.
        host: whether this player opened the game. A host may also be the guest, in another window.
        listen: the address on which the server of a host listened.
        public: the address under which others reach that server, empty if the host gave none.
    """

    server: str
    game: str
    key: str
    name: str
    opponent: str = ""
    phase: str = ""
    round: int = 0
    my_turn: bool = False
    host: bool = False
    listen: str = ""
    public: str = ""

    @property
    def invitation(self) -> Invitation:
        return Invitation(self.server, self.game)

    @property
    def place(self) -> tuple[str, str, bool]:
        """The server, the game, and the side of the table, which identify the seat.

        A host may serve the same game elsewhere each time.
        """
        return "" if self.host else self.server, self.game, self.host

    def seen(self, state: State, role: Role) -> SavedSeat:
        opponent = state.white if role == "black" else state.black
        waits = (
            (state.phase == "playing" and role == ("black", "white")[state.mover])
            or (state.phase == "counting" and role not in state.agreed)
            or (state.request is not None and state.request.by != role)
        )
        return replace(self, opponent=opponent, phase=state.phase, round=state.round, my_turn=waits)


class SeatsError(OSError):
    """The file of seats is damaged or of another format; the text is one sentence."""


class SeatBook:
    """The user's seats, in one file; since it holds keys, nobody else may read it."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path

    @staticmethod
    def in_folder(folder: Path) -> SeatBook:
        return SeatBook(folder / "seats.json")

    def seats(self) -> list[SavedSeat]:
        try:
            entries = self._entries()
        except OSError:
            return []
        return [seat for entry in entries if (seat := _seat_of(entry)) is not None]

    def _entries(self) -> list[object]:
        """Return the contents of the file, one entry per seat.

        Raises:
            SeatsError: it is damaged or of another format.
            OSError: it cannot be read.
        """
        try:
            if not self._path.stat().st_size:
                # Created for the first seat, which a kill prevented from being written.
                return []
            held = read_json(self._path, _MOST_BYTES)
            if held["format"] == _FORMAT and isinstance(held["seats"], list):
                return held["seats"]
        except FileNotFoundError:
            return []
        except (ValueError, TypeError, KeyError):
            pass
        raise SeatsError(
            Message("{file} is damaged or of a newer version; move it away to start a new one", file=self._path)
        )

    def put(self, seat: SavedSeat) -> None:
        """Save a seat, replacing its old entry; waits for the disk.

        Two windows may have requested the same seat, each with its own key, and one of them gets it. A seat that the
        server has confirmed replaces all that were requested; a requested one only its own entry.

        Raises:
            SeatsError: the file cannot be read, and is not replaced.
            OSError: it cannot be written.
        """
        self._change(lambda other: other.place == seat.place and (bool(seat.phase) or other.key == seat.key), seat)

    def remove(self, seat: SavedSeat) -> None:
        """Forget a seat; not one with another key at the same table, which another window may have.

        Raises:
            SeatsError: the file cannot be read, and is not replaced.
            OSError: the file cannot be written.
        """
        self._change(lambda other: (other.place, other.key) == (seat.place, seat.key))

    def find(self, invitation: Invitation) -> SavedSeat | None:
        place = (invitation.server, invitation.game, False)
        found = [seat for seat in self.seats() if seat.place == place]
        return next((seat for seat in found if seat.phase), found[0] if found else None)

    def _change(self, is_replaced: Callable[[SavedSeat], bool], *instead: SavedSeat) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with changing(self._path):
            others = [
                entry for entry in self._entries() if (known := _seat_of(entry)) is None or not is_replaced(known)
            ]
            with suppress(FileExistsError):
                self._path.touch(0o600, exist_ok=False)
            saved = [*instead, *others]
            write_atomically(self._path, codec.encode({"format": _FORMAT, "seats": saved}))


def _seat_of(entry: object) -> SavedSeat | None:
    with suppress(codec.JsonError):
        seat = codec.convert(entry, SavedSeat)
        if {field.name for field in fields(seat)}.issuperset(cast("dict[str, object]", entry)):
            return seat
    return None


class Standing(NamedTuple):
    """How a game stands.

    Attributes:
        seat: with the state of the game, as it was last seen if the server did not answer.
        reason: why it did not answer, empty if it did.
        left: the time of the side to move, None if none is known to run.
    """

    seat: SavedSeat
    reason: Message | str = ""
    left: SideTime | None = None


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
        tell: called with messages: where a game was saved, or why something could not be written.
    """

    def __init__(
        self,
        book: SeatBook,
        seat: SavedSeat | None,
        library: Path | None,
        tell: Callable[[Message], object] = lambda _: None,
    ) -> None:
        self._book = book
        self._seat = seat
        self._saved: SavedSeat | None = None
        """The last saved seat; None at first, so that the most recently joined game comes first in the book."""
        self._library = library
        self._tell = tell
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
        task = asyncio.get_running_loop().create_task(self._write(*writes))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _write(self, *writes: Callable[[], Message | None]) -> None:
        """Write one after the other, up to the first failure, and report each message."""
        async with self._turn:
            try:
                for write in writes:
                    told = await asyncio.to_thread(write)
                    if told is not None:
                        self._tell(told)
            except OSError as error:
                if not self._failed:
                    self._tell(Message("This cannot be saved: {reason}", reason=problem_of(error)))
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
