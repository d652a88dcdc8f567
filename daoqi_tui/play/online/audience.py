"""The audience of a table and its messages: two seats at once, spectators with a delay, and the last lines of chat.

There are two rooms for chat: the players', and the spectators'. What is said in a room is heard there at once. It
reaches the other room no earlier than the delay of the game, unless the game is over, and players only if they listen.
What a spectator says about a position reaches a player at least twice the delay after that position was on the board.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from daoqi_tui.play.background import DiskWork
from daoqi_tui.play.online.protocol import (
    FROM_SERVER,
    Declined,
    Moved,
    Phase,
    Pointed,
    ProtocolError,
    Refused,
    Role,
    Said,
    ServerMessage,
    State,
    after_move,
    decode,
    encode,
)
from daoqi_tui.record.files import write_atomically

_CHAT_KEPT: Final = 50
"""The number of lines of chat of each room that are sent to whoever joins."""
_MOST_HELD_BACK: Final = 1000
"""The number of lines of spectators that are held back for players; more are not passed on."""
_CHAT_WRITTEN: Final = 1000
"""The number of lines of chat in the file before it is rewritten with the last ones."""


class Listener(Protocol):
    """A connection."""

    lag: float

    def send(self, message: ServerMessage) -> None:
        """Queue a message; never waits."""

    def drop(self, refusal: Refused) -> None:
        """Send the refusal and close."""


def _position(state: State) -> tuple[object, ...]:
    return state.round, state.phase, state.moves


class DelayedFeed:
    """The spectators' view of a game, ``delay`` seconds late; everything at once when it is over.

    Args:
        first: the first message they see.
        delay: in seconds.
    """

    def __init__(self, first: State, delay: float) -> None:
        self.state = first
        self._delay = delay
        self._coming: deque[tuple[float, State | Moved | Said | Declined]] = deque()

    def put(self, message: State | Moved | Said | Declined, now: float) -> None:
        """Queue a message that the players get now.

        Messages do not pile up, even if spectators, requests or marks come and go.
        """
        last = self._coming[-1] if self._coming else None
        if last is not None and isinstance(message, State) and isinstance(last[1], State):
            merged = replace(
                last[1],
                present=message.present,
                spectators=message.spectators,
                sharing=message.sharing,
                listening=message.listening,
            )
            if replace(merged, clock=message.clock, warned=message.warned) == message:
                self._coming[-1] = (last[0], merged)
                return
        if isinstance(message, State):
            self._forget_between(message)
        self._coming.append((now + self._delay, message))

    def _forget_between(self, state: State) -> None:
        since: list[tuple[float, State | Moved | Said | Declined]] = []
        first = 0
        for entry in reversed(self._coming):
            message = entry[1]
            if isinstance(message, Moved) or (isinstance(message, State) and _position(message) != _position(state)):
                break
            since.append(entry)
            if isinstance(message, State):
                first = len(since)
        forgotten = {id(entry) for entry in since[: max(0, first - 1)] if not isinstance(entry[1], Said)}
        if forgotten:
            self._coming = deque(entry for entry in self._coming if id(entry) not in forgotten)

    def is_due(self, now: float, *, all_of_it: bool) -> bool:
        """Return whether :meth:`due` has messages."""
        return bool(self._coming) and (all_of_it or self._coming[0][0] <= now)

    def due(self, now: float, *, all_of_it: bool) -> list[ServerMessage]:
        """Return the messages spectators may see by now; with ``all_of_it`` one state, after the last lines of chat.

        A message for each delayed move would be more than a connection accepts at once.
        """
        many = all_of_it and len(self._coming) > 1
        found: list[ServerMessage] = []
        while self._coming and (all_of_it or self._coming[0][0] <= now):
            message = self._coming.popleft()[1]
            if isinstance(message, State):
                self.state = message
            elif isinstance(message, Moved):
                self.state = after_move(self.state, message)
            found.append(message)
        if many:
            return [*[message for message in found if isinstance(message, Said)][-_CHAT_KEPT:], self.state]
        return found


class ChatLog:
    """The last lines of chat, in a file that lines are appended to.

    Args:
        path: the file.
        disk: writes it.

    Attributes:
        players, spectators: the last ones of each room, the oldest first; one that talks much displaces only its own.
    """

    def __init__(self, path: Path, disk: DiskWork) -> None:
        self._path = path
        self._disk = disk
        self.players: deque[Said] = deque(maxlen=_CHAT_KEPT)
        self.spectators: deque[Said] = deque(maxlen=_CHAT_KEPT)
        self._count = 0
        self._written = 0
        with suppress(FileNotFoundError):
            for line in path.read_text("utf-8", "replace").splitlines():
                self._written += 1
                # A line that was cut off by a kill is not a message.
                with suppress(ProtocolError):
                    said = decode(line, FROM_SERVER)
                    if isinstance(said, Said):
                        self._room(said.role).append(said)
                        self._count = max(self._count, said.number)

    def _room(self, role: Role) -> deque[Said]:
        return self.spectators if role == "spectator" else self.players

    async def add(self, name: str, role: Role, text: str) -> Said:
        self._count += 1
        said = Said(name, role, text, self._count)
        self._room(role).append(said)
        await self._disk.do(partial(self._write, said, self.last(players=True, spectators=True)))
        return said

    def last(self, *, players: bool, spectators: bool) -> list[Said]:
        rooms = (self.players if players else (), self.spectators if spectators else ())
        return sorted((said for room in rooms for said in room), key=lambda said: said.number)

    def _write(self, said: Said, last: Sequence[Said]) -> None:
        """Append a line, or rewrite the file with the ``last`` ones if it has grown long."""
        # Chat must not stop a game on a full disk.
        with suppress(OSError):
            if self._written >= _CHAT_WRITTEN:
                write_atomically(self._path, "".join(f"{encode(line)}\n" for line in last).encode())
                self._written = len(last)
                return
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{encode(said)}\n")
            self._written += 1


class Audience:
    """The connections at a table: its two seats, and spectators.

    Args:
        chat: the lines that are repeated to whoever joins.
        now: returns the time for the delay, in seconds of a monotonic clock.

    Attributes:
        seated: the connections of seats.
        watching: those of spectators, with their names.
        sharing: the seats that agreed to show their cursors.
        listening: the seats that hear what spectators say.
    """

    def __init__(self, chat: ChatLog, now: Callable[[], float]) -> None:
        self.seated: Final[dict[Listener, int]] = {}
        self.watching: Final[dict[Listener, str]] = {}
        self.sharing: Final[set[int]] = set()
        self.listening: Final[set[int]] = set()
        self.chat: Final = chat
        self._now = now
        self._delay = 0
        self._feed: DelayedFeed
        self._for_players: deque[tuple[float, Said]] = deque()
        """What spectators said, with the time from which players may hear it."""

    def begin(self, state: State, delay: int) -> None:
        self._delay = delay
        phase: Phase = "waiting" if state.phase == "waiting" else "playing"
        first = replace(state, phase=phase, moves=(), dead=(), agreed=(), result="", request=None, clock=None)
        self._feed = DelayedFeed(first if delay else state, delay)
        if delay:
            self._feed.put(state, self._now())

    @property
    def watched(self) -> State:
        return self._feed.state

    def __len__(self) -> int:
        return len(self.seated) + len(self.watching)

    def at(self, seat: int) -> Listener | None:
        return next((listener for listener, taken in self.seated.items() if taken == seat), None)

    def sit(self, listener: Listener, seat: int) -> Listener | None:
        """Give a seat to a connection; return the previous one."""
        before = self.at(seat)
        if before is not None:
            del self.seated[before]
        self.seated[listener] = seat
        return before

    def remove(self, listener: Listener) -> bool:
        seated, watching = self.seated.pop(listener, None), self.watching.pop(listener, None)
        return seated is not None or watching is not None

    def send(self, message: State | Moved | Declined, *, over: bool) -> None:
        """Send a message to the players now, and to spectators after the delay, or at once if the game is ``over``."""
        for listener in self.seated:
            listener.send(message)
        self._feed.put(message, self._now())
        self.catch_up(over=over)

    def say(self, said: Said, *, over: bool) -> None:
        """Send a line to the room of its speaker now, to the other one after the delay, or at once if ``over``."""
        from_spectator = said.role == "spectator"
        for listener in self.watching if from_spectator else self.seated:
            listener.send(said)
        # Clients drop lines with a lower number than the last one, which a late line has.
        late = replace(said, number=0) if self._delay and not over else said
        if from_spectator:
            # A player who begins to listen hears what is said from then on.
            if self.listening and len(self._for_players) < _MOST_HELD_BACK:
                self._for_players.append((self._now() + self._delay, late))
        else:
            self._feed.put(late, self._now())
        self.catch_up(over=over)

    def is_due(self, *, over: bool) -> bool:
        """Return whether :meth:`catch_up` has something to send."""
        now = self._now()
        said = self._for_players
        return self._feed.is_due(now, all_of_it=over) or (bool(said) and (over or said[0][0] <= now))

    def catch_up(self, *, over: bool) -> None:
        """Send spectators and players the messages they may see by now."""
        for message in self._feed.due(self._now(), all_of_it=over):
            for listener in self.watching:
                listener.send(message)
        while self._for_players and (over or self._for_players[0][0] <= self._now()):
            said = self._for_players.popleft()[1]
            for listener, seat in self.seated.items():
                if seat in self.listening:
                    listener.send(said)

    def send_chat(self, listener: Listener, *, over: bool) -> None:
        """Repeat the last lines of the room of a connection, and those of the other one if they come without delay."""
        at_once = over or not self._delay
        seat = self.seated.get(listener)
        players = seat is not None or at_once
        spectators = seat is None or (seat in self.listening and at_once)
        for said in self.chat.last(players=players, spectators=spectators):
            listener.send(said)

    def point(self, listener: Listener, point: str) -> None:
        """Show the opponent a cursor, if both agreed to share."""
        seat = self.seated.get(listener)
        if seat is None or len(self.sharing) < 2:
            return
        other = self.at(1 - seat)
        if other is not None:
            other.send(Pointed(point))
