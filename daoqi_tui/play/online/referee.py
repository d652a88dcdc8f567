"""The server's game: it alone decides what is legal, who is to move, the time, the count and the result.

A :class:`Referee` serves one table: two seats and who watches. Everything that changes the game is on the disk before
anybody hears of it, so that a server that is killed has lost nothing that it acknowledged.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import secrets
from base64 import b32encode
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any, Final, Literal, Protocol, TypeAlias, cast

from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, Game, GameOver, Repeats, TwoPasses, opponent, parse_rules
from daoqi_tui.engine.clock import TimeControl, TimeLeft
from daoqi_tui.message import Message
from daoqi_tui.play.events import Declined as MatchDeclined
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.match import Background, Match, Work
from daoqi_tui.play.online.protocol import (
    FROM_SERVER,
    REASONS,
    REQUESTS,
    ROLES,
    VERSION,
    Agree,
    Answer,
    Ask,
    ClientMessage,
    ClockState,
    Declined,
    Join,
    MarkDead,
    Moved,
    OpenRequest,
    Phase,
    Play,
    PlayOn,
    Point,
    Pointed,
    ProtocolError,
    RefusalCode,
    Refused,
    RequestKind,
    Resign,
    Role,
    Said,
    Say,
    ServerMessage,
    Share,
    SideTime,
    State,
    TimeSettings,
    Welcome,
    decode,
    encode,
)
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record.files import write_atomically
from daoqi_tui.record.journal.file import InUse, lock
from daoqi_tui.record.journal.journal import JournalError

MOST_LAG: Final = 1.0
"""Seconds of lag a move that the clock does not count, at most."""
AFTER_RESTART: Final = 300.0
"""Seconds after a restart of the server within which the clock waits for the side to move to come back."""
_FILE: Final = "game.json"
_CHAT: Final = "chat.jsonl"
_CHAT_KEPT: Final = 50
"""Lines of chat that are sent to whoever joins."""
_FORMAT: Final = 1
_RETRY: Final = 0.2
"""Seconds until the disk is looked at again while it does not take what was played."""

Chooser: TypeAlias = Literal["host", "guest", "nigiri"]
HOST, GUEST = 0, 1


class RefusedError(Exception):
    """What a client asked for is refused; :attr:`code` says why, ``detail`` more exactly where there is more to say."""

    def __init__(self, code: RefusalCode, detail: str = "") -> None:
        super().__init__(code)
        self.code: Final[RefusalCode] = code
        self.detail: Final = detail

    def message(self, what: str, *, fatal: bool = False) -> Refused:
        """Return the answer to a message of type ``what``."""
        return Refused(what[:20], self.code, (self.detail or str(REASONS[self.code]))[:400], fatal)


class GameFileError(Exception):
    """A table cannot be taken up again."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What the host decides before the game.

    Attributes:
        black: who plays Black in the first game.
        undo: whether undo may be requested.
        watch: whether others may watch.
        delay: seconds by which they see the game late.
        open: whether anyone may sit down, so that the server tells the code.
    """

    size: int = 16
    komi: float = 4.0
    handicap: int = 0
    rules: str = "daoqi"
    time: TimeControl | None = None
    black: Chooser = "nigiri"
    undo: bool = True
    watch: bool = True
    delay: int = 0
    open: bool = False

    def setup(self, black: str, white: str) -> GameSetup:
        """Return the setup of a game between two names.

        Raises:
            ValueError: the rules are unknown.
        """
        return GameSetup(
            self.size, self.komi, self.handicap, black, white, self.time, rules=parse_rules(self.rules), resigns=False
        )


class Listener(Protocol):
    """A connection."""

    lag: float
    """Seconds from a message to the answer of the other side, as far as is known."""

    def send(self, message: ServerMessage) -> None:
        """Queue a message; never waits."""

    def drop(self, refusal: Refused) -> None:
        """Send the refusal and close."""


def new_code() -> str:
    """Return a one-time code of 100 bits."""
    return b32encode(secrets.token_bytes(13)).decode().rstrip("=").lower()[:20]


def _locked(folder: Path) -> Callable[[], object]:
    """Keep other processes off a table; returns what releases it. Raises InUse where another process has it."""
    path = folder / "lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        release = lock(descriptor, path)
    except BaseException:
        os.close(descriptor)
        raise

    def end() -> None:
        release()
        os.close(descriptor)

    return end


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _is(secret: str, digest: str) -> bool:
    return bool(secret) and bool(digest) and hmac.compare_digest(_digest(secret), digest)


@dataclass
class _Table:
    """What the file of a table holds; of codes and keys only their digests."""

    terms: Terms
    code: str = ""
    keys: list[str] = field(default_factory=lambda: ["", ""])
    names: list[str] = field(default_factory=lambda: ["", ""])
    blacks: list[int] = field(default_factory=list)
    stopped: Literal["", "paused", "adjourned"] = ""
    counted: bool = False
    request: list[str] | None = None
    """What is requested and by which side; the file has it, so that it survives a restart."""

    def as_json(self) -> bytes:
        terms = {name: getattr(self.terms, name) for name in Terms.__slots__}
        time = self.terms.time
        terms["time"] = None if time is None else [time.main, time.periods, time.period, time.increment]
        held = {name: value for name, value in vars(self).items() if name != "terms"}
        return json.dumps({"format": _FORMAT, "terms": terms, **held}, indent=1).encode()

    @staticmethod
    def from_json(data: bytes) -> _Table:
        """Read the file. Raises GameFileError where it is none."""
        try:
            held: dict[str, Any] = json.loads(data)
            if held.pop("format") != _FORMAT:
                raise GameFileError(Message("the game was kept by a newer version of the program"))
            terms: dict[str, Any] = held.pop("terms")
            if terms["time"] is not None:
                terms["time"] = TimeControl(*terms["time"])
            table = _Table(Terms(**terms), **held)
            right = (
                len(table.keys) == len(table.names) == 2
                and all(isinstance(text, str) for text in (*table.keys, *table.names, table.code))
                and bool(table.blacks)
                and set(table.blacks) <= {HOST, GUEST}
                and (table.request is None or _is_request(table.request))
            )
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise GameFileError(Message("the file of the game is damaged")) from error
        if not right:
            raise GameFileError(Message("the file of the game is damaged"))
        return table


def _is_request(held: object) -> bool:
    return isinstance(held, list) and len(held) == 2 and held[0] in REQUESTS and held[1] in ROLES.values()


class DelayedFeed:
    """What spectators see of a game, ``delay`` seconds late; all at once when it is over.

    Args:
        first: what they see at first.
        delay: in seconds.
    """

    def __init__(self, first: State, delay: float) -> None:
        self.state = first
        self._delay = delay
        self._coming: deque[tuple[float, State | Moved | Said | Declined]] = deque()

    def put(self, message: State | Moved | Said | Declined, now: float) -> None:
        """Take a message that the players get now."""
        self._coming.append((now + self._delay, message))

    def due(self, now: float, *, all_of_it: bool) -> list[ServerMessage]:
        """Return what spectators may see by now, or ``all_of_it``."""
        found: list[ServerMessage] = []
        while self._coming and (all_of_it or self._coming[0][0] <= now):
            message = self._coming.popleft()[1]
            if isinstance(message, State):
                self.state = message
            elif isinstance(message, Moved):
                self.state = replace(self.state, moves=(*self.state.moves, message.move), clock=message.clock)
            found.append(message)
        return found


class Referee:
    """One table of two seats. Made by :meth:`open` or :meth:`load`.

    Commands are served one after the other; each is on the disk before the next is looked at.

    Args:
        name: the id of the game.
        folder: of this table.
        library: where finished games go.
        now: the time by which the clocks go, in seconds of a steady clock.
    """

    def __init__(
        self, name: str, folder: Path, table: _Table, library: Path, now: Callable[[], float] = monotonic
    ) -> None:
        self.name: Final = name
        self._folder = folder
        self._table = table
        self._library = library
        self._now = now
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._seated: dict[Listener, int] = {}
        self._watching: dict[Listener, str] = {}
        self._sharing: set[int] = set()
        self._agreed: set[Colour] = set()
        self._release = _locked(folder)
        self._restarted: float | None = None
        """When a running game was taken up after a restart, while its clock waits for the side to move."""
        try:
            self._match = self._take_up()
            self._chat = _ChatLog(folder / _CHAT)
        except BaseException:
            self._release()
            raise
        # What was played before a restart is shown late, too.
        delay = table.terms.delay
        self._feed = DelayedFeed(replace(self.state(), moves=(), dead=(), result="") if delay else self.state(), delay)
        if delay:
            self._feed.put(self.state(), now())

    @classmethod
    def open(
        cls,
        name: str,
        folder: Path,
        terms: Terms,
        host: str,
        *,
        library: Path,
        now: Callable[[], float] = monotonic,
    ) -> tuple[Referee, str, str]:
        """Lay a new table; waits for the disk.

        Returns:
            The referee, the key of the host's seat, and the one-time code of the other.

        Raises:
            ValueError: the terms are impossible.
            OSError: it cannot be written.
        """
        setup = terms.setup("", "")
        Game(setup.size, setup.komi, setup.handicap, setup.rules)
        key, code = secrets.token_urlsafe(24), new_code()
        first = {"host": HOST, "guest": GUEST}.get(terms.black, secrets.randbelow(2))
        table = _Table(terms, _digest(code), [_digest(key), ""], [host, ""], [first])
        folder.mkdir(parents=True, mode=0o700)
        write_atomically(folder / _FILE, table.as_json())
        return cls(name, folder, table, library, now), key, code

    @classmethod
    def load(cls, name: str, folder: Path, *, library: Path, now: Callable[[], float] = monotonic) -> Referee:
        """Take a table up again; waits for the disk.

        Raises:
            GameFileError: it is damaged.
            InUse: another process serves it.
        """
        try:
            table = _Table.from_json((folder / _FILE).read_bytes())
            return cls(name, folder, table, library, now)
        except InUse:
            raise
        except (OSError, ValueError, TypeError, JournalError) as error:
            raise GameFileError(Message("the game cannot be taken up again: {reason}", reason=error)) from error

    # Taking up and keeping

    def _new_keeper(self) -> Keeper:
        folders = Folders(self._folder / str(len(self._table.blacks)), self._library)
        return Keeper(lambda: folders, lambda _state: None, now=self._now)

    def _take_up(self) -> Match:
        """Make the match of the current round, from its journal where there is one."""
        keeper = self._new_keeper()
        self._file_earlier_rounds()
        journals = sorted(keeper.folders.journal.glob("*.journal"), key=lambda path: path.stat().st_mtime)
        if journals:
            resumable = keeper.open(journals[-1])
            keeper.take(resumable)
            session = resumable.session
            session.game.goto(session.front or session.game.node)
            session.front = session.game.node
        else:
            session = Session(self._table.terms.setup(self._name_of(BLACK), self._name_of(WHITE)))
        match = Match(session, PlayerTable, keeper, spawn=self._spawn, now=self._now)
        match.pause()
        if journals and not self._table.stopped and session.clock is not None and not session.is_over:
            self._restarted = self._now()
        elif self._table.keys[GUEST] and not self._table.stopped:
            match.unpause()
        return match

    def _file_earlier_rounds(self) -> None:
        """Put into the library what a kill kept from it."""
        for number in range(1, len(self._table.blacks)):
            for path in (self._folder / str(number)).glob("*.journal"):
                keeper = self._new_keeper()
                with suppress(OSError, JournalError):
                    keeper.take(keeper.open(path))
                    keeper.leave()

    def _spawn(self, work: Work) -> Background:
        task = asyncio.get_running_loop().create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _save_table(self) -> None:
        await asyncio.to_thread(write_atomically, self._folder / _FILE, self._table.as_json())

    async def _settled(self) -> None:
        """Wait until everything that happened is on the disk, however long that takes."""
        keeper = self._match.keeper
        assert keeper is not None
        if keeper.has_news:
            ticket = keeper.follow(self._match.session)
            while not ticket.done:
                if not await ticket:
                    await asyncio.sleep(_RETRY)
        while not self._match.written:
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Leave the table as it is, to be taken up later."""
        async with self._lock:
            await self._idle()
            assert self._match.keeper is not None
            await asyncio.to_thread(self._match.keeper.close)
            self._release()

    def discard(self) -> None:
        """Put a game that is over into the library and remove its journal. Waits for the disk."""
        assert self._match.keeper is not None
        with suppress(OSError):
            self._match.keeper.leave()
        self._release()

    async def _idle(self) -> None:
        """Wait until a game that ended is in the library."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    # What there is to know

    @property
    def _request(self) -> OpenRequest | None:
        held = self._table.request
        return None if held is None else OpenRequest(cast("RequestKind", held[0]), held[1])

    @property
    def terms(self) -> Terms:
        """What the host decided."""
        return self._table.terms

    @property
    def phase(self) -> Phase:
        """Where the game stands."""
        table, game = self._table, self._match.game
        if not table.keys[GUEST]:
            return "waiting"
        if isinstance(game.ending, TwoPasses) and not table.counted:
            return "counting"
        if game.is_over:
            return "over"
        return table.stopped or "playing"

    @property
    def host_name(self) -> str:
        """What the host is called."""
        return self._table.names[HOST]

    @property
    def listeners(self) -> int:
        """How many connections there are."""
        return len(self._seated) + len(self._watching)

    def summary(self) -> dict[str, object]:
        """Return what a list of games says about this one."""
        game = self._match.game
        return {
            "game": self.name,
            "black": self._name_of(BLACK),
            "white": self._name_of(WHITE),
            "size": game.torus.size,
            "moves": len(self._feed.state.moves),
            "phase": self.phase,
            "watch": self._table.terms.watch,
        }

    def _name_of(self, colour: Colour) -> str:
        return self._table.names[self._seat_of(colour)]

    def _seat_of(self, colour: Colour) -> int:
        black = self._table.blacks[-1]
        return black if colour == BLACK else 1 - black

    def _colour_of(self, seat: int) -> Colour:
        return BLACK if seat == self._table.blacks[-1] else WHITE

    def _role_of(self, listener: Listener) -> Role:
        seat = self._seated.get(listener)
        return "spectator" if seat is None else ROLES[self._colour_of(seat)]

    def _listener_at(self, seat: int) -> Listener | None:
        return next((listener for listener, at in self._seated.items() if at == seat), None)

    def state(self) -> State:
        """Return all there is to know of the game."""
        game, table, phase = self._match.game, self._table, self.phase
        name = game.torus.name
        dead = game.ending.dead if isinstance(game.ending, TwoPasses) else frozenset()
        return State(
            round=len(table.blacks),
            size=game.torus.size,
            komi=game.komi,
            handicap=game.handicap,
            rules=str(game.rules),
            black=self._name_of(BLACK),
            white=self._name_of(WHITE),
            phase=phase,
            moves=tuple("pass" if move.is_pass else name(move.point, "gtp") for move in game.moves()),
            dead=tuple(name(point, "gtp") for point in sorted(dead)),
            agreed=tuple(ROLES[colour] for colour in sorted(self._agreed)),
            result=str(game.result) if phase == "over" else "",
            undo=table.terms.undo,
            request=self._request,
            present=tuple(sorted({ROLES[self._colour_of(seat)] for seat in self._seated.values()})),
            spectators=len(self._watching),
            clock=self._clock_state(),
            time=None if table.terms.time is None else TimeSettings(**asdict(table.terms.time)),
            sharing=tuple(sorted(ROLES[self._colour_of(seat)] for seat in self._sharing)),
            delay=table.terms.delay,
        )

    def _clock_state(self) -> ClockState | None:
        clock = self._match.session.clock
        if clock is None:
            return None
        black, white = (_side_time(clock.left(colour, self._now())) for colour in (BLACK, WHITE))
        return ClockState(black, white, ROLES[clock.running] if clock.running is not None else "")

    def _tell(self, message: State | Moved | Said | Declined) -> None:
        for listener in self._seated:
            listener.send(message)
        self._feed.put(message, self._now())
        self._feed_spectators()

    def _feed_spectators(self) -> None:
        for message in self._feed.due(self._now(), all_of_it=self.phase == "over"):
            for listener in self._watching:
                listener.send(message)

    def _tell_state(self) -> None:
        self._tell(self.state())

    # Coming and going

    async def enter(self, listener: Listener, join: Join) -> None:
        """Let a connection in, by code, by key, or to watch; it hears where the game stands.

        One that only peeks does not stay.

        Raises:
            RefusedError: it may not come in.
        """
        async with self._lock:
            await self._settled()
            key = join.key
            if join.version != VERSION:
                raise RefusedError("version")
            if join.code:
                key, seat = await self._claim(join.code, join.name), GUEST
            elif join.key:
                found = [seat for seat in (HOST, GUEST) if _is(join.key, self._table.keys[seat])]
                if not found:
                    raise RefusedError("key")
                seat = found[0]
                if join.peek:
                    listener.send(Welcome(VERSION, self.name, ROLES[self._colour_of(seat)], key))
                    listener.send(self.state())
                    return
            else:
                if not self._table.terms.watch:
                    raise RefusedError("not-watched")
                self._feed_spectators()
                self._watching[listener] = join.name
                listener.send(Welcome(VERSION, self.name, "spectator"))
                listener.send(self._feed.state)
                if not self._table.terms.delay:
                    self._send_chat(listener)
                self._tell_state()
                return
            before = self._listener_at(seat)
            if before is not None:
                del self._seated[before]
                before.drop(RefusedError("replaced").message("join", fatal=True))
            self._seated[listener] = seat
            if self._restarted is not None and self._colour_of(seat) == self._match.game.to_move:
                self._go_on_after_restart()
            listener.send(Welcome(VERSION, self.name, self._role_of(listener), key))
            self._tell_state()
            self._send_chat(listener)

    async def claim(self, code: str, name: str) -> str:
        """Take the guest's seat with its one-time code, and begin the game; returns the key of the seat.

        Raises:
            RefusedError: the code is wrong.
        """
        async with self._lock:
            key = await self._claim(code, name)
            self._tell_state()
            return key

    async def _claim(self, code: str, name: str) -> str:
        if not _is(code, self._table.code):
            raise RefusedError("code")
        key = secrets.token_urlsafe(24)
        self._table.code, self._table.keys[GUEST] = "", _digest(key)
        self._table.names[GUEST] = name
        await self._save_table()
        self._begin_game()
        return key

    def invite_anew(self) -> str:
        """Return a new code for the guest's seat, in place of the one before; waits for the disk."""
        code = new_code()
        self._table.code = _digest(code)
        write_atomically(self._folder / _FILE, self._table.as_json())
        return code

    def _send_chat(self, listener: Listener) -> None:
        for said in self._chat.lines:
            listener.send(said)

    async def leave(self, listener: Listener) -> None:
        """Forget a connection; its seat stays its own, and its clock runs on."""
        async with self._lock:
            known = self._seated.pop(listener, None) is not None
            if (self._watching.pop(listener, None) is not None) or known:
                await self._settled()
                self._tell_state()

    def _begin_game(self) -> None:
        session = self._match.session
        session.setup = session.setup._replace(black=self._name_of(BLACK), white=self._name_of(WHITE))
        assert self._match.keeper is not None
        self._match.keeper.begin(session)
        self._match.unpause()

    def _go_on_after_restart(self) -> None:
        self._restarted = None
        self._match.unpause()

    # Commands

    async def handle(self, listener: Listener, message: ClientMessage) -> None:
        """Do what a connection asks for; everyone concerned hears what came of it.

        Raises:
            RefusedError: it is refused, and nothing has changed.
        """
        if isinstance(message, Say):
            async with self._lock:
                said = await self._chat.add(self._name(listener), self._role_of(listener), message.text)
                self._tell(said)
            return
        if isinstance(message, Point):
            self._point(listener, message)
            return
        async with self._lock:
            seat = self._seated.get(listener)
            if seat is None:
                raise RefusedError("spectator")
            # A clock that ran out meanwhile ends the game before anything else does.
            await self._tick()
            await self._do(listener, self._colour_of(seat), message)

    def _point(self, listener: Listener, message: Point) -> None:
        """Show the opponent a cursor, if both agreed to that."""
        seat = self._seated.get(listener)
        if seat is None or len(self._sharing) < 2:
            return
        other = self._listener_at(1 - seat)
        if other is not None:
            other.send(Pointed(message.point))

    def _name(self, listener: Listener) -> str:
        seat = self._seated.get(listener)
        return self._watching.get(listener, "") if seat is None else self._table.names[seat]

    async def _do(self, listener: Listener, colour: Colour, message: ClientMessage) -> None:
        match message:
            case Play():
                await self._play(listener, colour, message)
            case Resign():
                self._expect("playing", "paused", "adjourned", "counting")
                if self.phase == "counting":
                    self._match.resume()
                self._match.resign(colour)
                await self._changed()
            case Ask(what=what):
                await self._ask(colour, what)
            case Answer(what=what, accept=accept):
                await self._answer(colour, what, accept=accept)
            case MarkDead(point=name):
                await self._mark_dead(name)
            case Agree(dead=dead):
                await self._agree(colour, dead)
            case Share(on=on):
                (self._sharing.add if on else self._sharing.discard)(self._seat_of(colour))
                self._tell_state()
            case PlayOn():
                self._expect("counting", code="not-counting")
                self._agreed.clear()
                self._match.resume()
                await self._changed()
            case _:
                raise RefusedError("not-now")

    def _expect(self, *phases: Phase, code: RefusalCode = "not-playing") -> None:
        if self.phase not in phases:
            raise RefusedError(code)

    async def _play(self, listener: Listener, colour: Colour, message: Play) -> None:
        match, game = self._match, self._match.game
        moves = game.moves()
        try:
            point = PASS if message.move.lower() == "pass" else game.torus.parse(message.move, "gtp")
        except ValueError as error:
            raise RefusedError("illegal", str(error)) from None
        if message.number <= len(moves):
            made = moves[message.number - 1]
            if made.colour == colour and made.point == point:
                # It came before the line was lost; the answer did not.
                listener.send(Moved(message.number, ROLES[colour], message.move, self._clock_state()))
                return
            raise RefusedError("old-position")
        self._expect("playing")
        if message.number != len(moves) + 1:
            raise RefusedError("old-position")
        if game.to_move != colour:
            raise RefusedError("not-your-turn")
        if point != PASS:
            refusal = game.refusal(point)
            if refusal is not None:
                repeats = isinstance(refusal, Repeats | GameOver)
                detail = refusal.as_message()
                raise RefusedError("illegal", str(detail) if repeats else f"{message.move}: {detail}")
        if self._restarted is not None:
            self._go_on_after_restart()
        clock = match.session.clock
        if clock is not None:
            clock.give_back(min(max(listener.lag, 0.0), MOST_LAG), self._now())
        declined = match.pass_turn() if point == PASS else match.play(point)
        assert declined is None
        await self._settled()
        await self._close_request()
        name = "pass" if point == PASS else game.torus.name(point, "gtp")
        self._tell(Moved(len(moves) + 1, ROLES[colour], name, self._clock_state()))
        if game.is_over:
            self._agreed.clear()
            self._tell_state()

    async def _changed(self) -> None:
        """Have a change of the game written down, and tell it."""
        await self._settled()
        await self._close_request()
        self._tell_state()

    async def _close_request(self) -> None:
        if self._table.request is not None:
            self._table.request = None
            await self._save_table()

    # Requests

    async def _ask(self, colour: Colour, what: RequestKind) -> None:
        if self._request is not None:
            raise RefusedError("asked-already")
        if what == "undo":
            if not self._table.terms.undo:
                raise RefusedError("no-undo")
            self._expect("playing", "counting")
            if not any(move.colour == colour for move in self._match.game.moves()):
                raise RefusedError("nothing-to-undo")
        else:
            right: dict[RequestKind, tuple[Phase, ...]] = {
                "pause": ("playing",),
                "adjourn": ("playing", "paused"),
                "continue": ("paused", "adjourned"),
                "rematch": ("over",),
            }
            self._expect(*right[what], code="not-now")
        self._table.request = [what, ROLES[colour]]
        await self._save_table()
        self._tell_state()

    async def _answer(self, colour: Colour, what: RequestKind, *, accept: bool) -> None:
        request = self._request
        own = request is not None and request.by == ROLES[colour]
        if request is None or request.what != what or (own and accept):
            raise RefusedError("no-request")
        if not accept:
            await self._close_request()
            self._tell(Declined(what, ROLES[colour]))
            self._tell_state()
            return
        # Saved with what comes of it.
        self._table.request = None
        asker = opponent(colour)
        match what:
            case "undo":
                self._undo(asker)
                await self._save_table()
            case "pause" | "adjourn":
                self._table.stopped = "paused" if what == "pause" else "adjourned"
                self._match.pause()
                await self._save_table()
            case "continue":
                self._table.stopped = ""
                await self._save_table()
                self._match.unpause()
            case "rematch":
                await self._rematch()
        await self._changed()

    def _undo(self, asker: Colour) -> None:
        """Take moves back until the last one of ``asker`` is gone."""
        game, match = self._match.game, self._match
        self._agreed.clear()
        if game.is_over:
            match.resume()
        gone = False
        while not gone or game.to_move != asker:
            gone = True
            assert match.undo() is None

    async def _rematch(self) -> None:
        match, table, before = self._match, self._table, self._match.keeper
        await self._idle()
        table.blacks.append(1 - table.blacks[-1])
        table.counted, table.stopped = False, ""
        self._agreed.clear()
        await self._save_table()
        # Only now: a journal that is left over here is put into the library at the next start.
        assert before is not None
        with suppress(OSError):
            await asyncio.to_thread(before.leave)
        match.keeper = self._new_keeper()
        match.begin(Session(table.terms.setup(self._name_of(BLACK), self._name_of(WHITE))))
        self._begin_game()
        for listener in self._seated:
            listener.send(Welcome(VERSION, self.name, self._role_of(listener)))

    # The count

    async def _mark_dead(self, name: str) -> None:
        self._expect("counting", code="not-counting")
        try:
            point = self._match.game.torus.parse(name, "gtp")
        except ValueError as error:
            raise RefusedError("no-stone", str(error)) from None
        if self._match.mark_dead(point) is MatchDeclined.NO_STONE:
            raise RefusedError("no-stone")
        self._agreed.clear()
        await self._changed()

    async def _agree(self, colour: Colour, dead: tuple[str, ...]) -> None:
        self._expect("counting", code="not-counting")
        if {name.upper() for name in dead} != set(self.state().dead):
            raise RefusedError("other-count")
        self._agreed.add(colour)
        if len(self._agreed) == 2:
            self._table.counted = True
            await self._save_table()
        await self._changed()

    # The clock

    async def tick(self) -> None:
        """Look at the clock, a few times a second; a side whose time is up loses."""
        if self._lock.locked():
            # What is done at the moment looks at the clock itself.
            return
        async with self._lock:
            await self._tick()
            self._feed_spectators()

    async def _tick(self) -> None:
        if self._restarted is not None and self._now() - self._restarted > AFTER_RESTART:
            self._go_on_after_restart()
            self._tell_state()
        match, clock = self._match, self._match.session.clock
        if clock is None or clock.running is None:
            return
        # A move may be on its way; it gets the same lag off.
        listener = self._listener_at(self._seat_of(clock.running))
        lag = min(listener.lag, MOST_LAG) if listener is not None else 0.0
        now = self._now()
        if not clock.left(clock.running, now).is_out or clock.left(clock.running, now - lag).is_out:
            match.tick()
            if match.game.is_over:
                await self._changed()


class _ChatLog:
    """The last lines of chat, in a file that lines are appended to.

    Attributes:
        lines: the last ones, the oldest first.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.lines: deque[Said] = deque(maxlen=_CHAT_KEPT)
        self._count = 0
        with suppress(FileNotFoundError):
            for line in path.read_text("utf-8", "replace").splitlines():
                # A line that a kill cut off is no message any more.
                with suppress(ProtocolError):
                    said = decode(line, FROM_SERVER)
                    if isinstance(said, Said):
                        self.lines.append(said)
                        self._count = max(self._count, said.number)

    async def add(self, name: str, role: Role, text: str) -> Said:
        """Keep another line, and return it."""
        self._count += 1
        said = Said(name, role, text, self._count)
        self.lines.append(said)
        await asyncio.to_thread(self._append, f"{encode(said)}\n")
        return said

    def _append(self, line: str) -> None:
        # Chat is not worth stopping a game on a full disk.
        with suppress(OSError), self._path.open("a", encoding="utf-8") as file:
            file.write(line)


def _side_time(left: TimeLeft) -> SideTime:
    return SideTime(round(left.seconds, 3), left.periods, left.in_byoyomi)
