"""The server's game: it alone decides legality, the turn, the time, the score and the result.

A :class:`Referee` serves one table: two seats and spectators. Every change to the game is on disk before anybody is
told, so that a killed server loses nothing that it acknowledged.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, GameOver, Repeats, TwoPasses, opponent
from daoqi_tui.engine.clock import Clock, TimeLeft
from daoqi_tui.gtp import vertex_name
from daoqi_tui.play.online.accounts import RatedGame
from daoqi_tui.play.online.audience import Audience, Listener
from daoqi_tui.play.online.correspondence import (
    PlanError,
    Turn,
    Vacation,
    check_plan,
    deadline,
    is_away,
    point_of,
    still_planned,
    time_left,
)
from daoqi_tui.play.online.limits import Limits, Sight
from daoqi_tui.play.online.listing import ListedGame
from daoqi_tui.play.online.protocol import (
    COLOURS,
    REASONS,
    ROLES,
    TAKEN,
    VERSION,
    Agree,
    Answer,
    Ask,
    Claim,
    ClientMessage,
    ClockState,
    Declined,
    Join,
    Listen,
    MarkDead,
    Moved,
    OpenRequest,
    Phase,
    Plan,
    Play,
    PlayOn,
    Point,
    ProposeDead,
    RefusalCode,
    Refused,
    RequestKind,
    Resign,
    Role,
    Say,
    Share,
    SideTime,
    State,
    Warned,
    Welcome,
)
from daoqi_tui.play.online.table import GUEST, HOST, StoredTable, Table, digest, distinct
from daoqi_tui.record.sgf.write import dump

MOST_LAG: Final = 1.0
"""The maximum lag per move, in seconds, that the clock does not count."""
_REPORTED: Final = 30
"""The lines of chat that a report keeps."""
_LOOK_AGAIN: Final = 60.0
"""Seconds after which the vacations of the players are looked up again."""
_COUNT_AGAIN: Final = 5.0
"""Seconds after which it is tried again to count a game."""
AFTER_RESTART: Final = 300.0
"""Seconds for which the clock waits, after a restart of the server, for the side to move to return.

They count from the opponent's return, so that nobody loses on time in a game that neither side has resumed.
"""


class RefusedError(Exception):
    """A client's request is refused.

    Attributes:
        code: the reason.
        detail: specifics, if any.
        wait: the seconds after which trying again makes sense, 0 if unknown.
        what: the type of the refused message, None if whoever answers it knows that.
    """

    def __init__(self, code: RefusalCode, detail: str = "", *, wait: float = 0.0, what: str | None = None) -> None:
        super().__init__(code)
        self.code: Final[RefusalCode] = code
        self.detail: Final = detail
        self.wait: Final = wait
        self.what: Final = what

    def message(self, what: str, *, fatal: bool = False) -> Refused:
        text = (self.detail or str(REASONS[self.code]))[:400]
        return Refused((what if self.what is None else self.what)[:20], self.code, text, fatal, math.ceil(self.wait))


class Book(NamedTuple):
    """What a server has in its database of the games of all tables; each raises OSError if the database fails.

    Attributes:
        record: counts a rated game that is over, with its record as SGF, once however often it is told.
        put: notes the turn of a correspondence game, None if it has none.
        vacations: returns those of an account in the last year.
    """

    record: Callable[[RatedGame, str | None], Awaitable[object]]
    put: Callable[[str, Turn | None], Awaitable[object]]
    vacations: Callable[[str], Awaitable[list[Vacation]]]


class Referee:
    """One table of two seats.

    Commands are handled one after the other; each is on disk before the next is handled.

    Args:
        name: the id of the game.
        stored: the table.
        limits: of the server.
        book: of the server; None where nothing is rated, and there are no correspondence games.
        now: the time by which the clocks go, in seconds of a steady clock.
        date: returns the seconds of the epoch by that clock, which does not jump.
    """

    def __init__(
        self,
        name: str,
        stored: StoredTable,
        limits: Limits,
        book: Book | None,
        *,
        now: Callable[[], float],
        date: Callable[[], float],
    ) -> None:
        self.name: Final = name
        self.stored: Final = stored
        self._match: Final = stored.match
        self._now = now
        self._date: Final = date
        self._limits: Final = limits
        self._counted = 0
        """The last round that was counted since the table was loaded."""
        self._count_after = now()
        self._lock = asyncio.Lock()
        self._agreed: set[Colour] = set()
        self._book = book
        self._vacations: tuple[Sequence[Vacation], Sequence[Vacation]] = ((), ())
        """Of host and guest, as they were known last."""
        self._look_after = -math.inf
        self._turn_after = -math.inf
        """When the turn of a correspondence game is followed again, if nothing changes before."""
        self._has_changed = self._following = False
        self._announced: list[Turn | None] = []
        """The turn that the book has; empty while that is not known."""
        self._ended = stored.written if self.phase == "over" else 0.0
        """When the game ended, as far as the disk tells or as was first noticed; 0 while that is not known."""
        self._plans_due = any(self.table.plans)
        """Whether conditional moves may have to be played, as after a restart between a move and its answer."""
        self._gone: RefusalCode | None = None
        self._away: dict[int, float] = {HOST: now(), GUEST: now()}
        self._restarted: float | None = None
        """The time since which the clock of a game resumed after a restart has been waiting for the side to move."""
        if self.table.has_guest and not self.table.stopped:
            if self._clock is not None and not self._days and not self._match.session.is_over:
                self._restarted = now()
            else:
                self._match.unpause()
        self._came_or_went = False
        """Whether spectators came or went since a state was told: once for all of them, by the next tick.

        Told one by one, a room that fills or empties would send each of them as many states as there are others.
        """
        if self._days and self._clock is not None and not self._clock.turn_began:
            # No move was made yet.
            self._clock.turn_began = self.table.begun
        self._audience = Audience(stored.chat, now)
        if self._days and self.phase == "counting" and self.table.agreed[1] == self._count_mark():
            self._agreed = {COLOURS[side] for side in self.table.agreed[0]}
        self._audience.begin(self.state(), self.table.terms.delay)

    # The end

    async def close(self) -> None:
        self.stored.closing = True
        async with self._lock:
            if self._gone is None:
                # What comes late must not change it: another server may have it already.
                self._gone = "in-use"
                await self.stored.close()

    @property
    def sight(self) -> Sight:
        clock, over, days = self._clock, self.phase == "over", bool(self._days)
        return Sight(
            len(set(self._audience.seated.values())),
            begun=bool(self._match.session.start.children) or (days and self.table.has_guest),
            over=over,
            timed=clock is not None and clock.running is not None and not over and not days,
            keys=self.table.keys,
            offered=days and bool(self.table.open_code),
        )

    async def adjourn(self) -> bool:
        """Close the table, to be loaded when a player returns; return False if one is here."""
        async with self._lock:
            if self._gone is not None or self._audience.seated:
                return False
            self._gone = "adjourned"
            for listener in self._audience.watching:
                listener.drop(RefusedError("adjourned").message("join", fatal=True))
            await self.stored.close()
            return True

    @property
    def _is_uncounted(self) -> bool:
        rated = self._book is not None and self.table.terms.rated
        return rated and self._counted != len(self.table.blacks) and self.phase == "over"

    @property
    def uncounted(self) -> tuple[RatedGame, str | None] | None:
        """The game of this round, with its record, if it is over and rated, and not yet known to be counted."""
        table, game, session = self.table, self._match.game, self._match.session
        number = len(table.blacks)
        if not self._is_uncounted:
            return None
        black, white = table.seat_of(BLACK), table.seat_of(WHITE)
        # The id of a table is not so long that no other server could ever have the same.
        mark = digest(table.keys[HOST])[:8]
        record = dump(game, session.record_info()).decode() if table.terms.watch else None
        rated = RatedGame(
            f"{self.name}-{mark}-{number}",
            game.torus.size,
            table.accounts[black],
            table.accounts[white],
            table.names[black],
            table.names[white],
            str(game.result),
            len(game.moves()),
            table.ended,
            has_record=record is not None,
        )
        return rated, record

    async def count(self) -> None:
        """Have the game counted if it is rated and over; once is enough, more often does no harm.

        Raises:
            OSError: it cannot be counted now, and its journal must stay.
        """
        async with self._lock:
            await self._note_end()
        # Without the lock: nobody at the table waits for the database.
        await self._count()

    async def _note_end(self) -> None:
        """Store when a rated game ended: games count in that order, however late. Raises OSError if that fails."""
        if self._is_uncounted and not self.table.ended and self._gone is None:
            # Not when it is stored: a disk may be full for long.
            self._ended = self._ended or self._date()
            await self.stored.change(replace(self.table, ended=self._ended))

    async def _count(self) -> None:
        finished, number = self.uncounted, len(self.table.blacks)
        if finished is not None and self._book is not None and self.table.ended:
            await self._book.record(*finished)
            self._counted = max(number, self._counted)

    async def archive(self) -> bool:
        """Put the games into the library and remove the table, admitting nobody any more; False if somebody is here."""
        async with self._lock:
            if self._gone is not None or self.listeners:
                return False
            self._gone = "no-game"
            await self.stored.archive()
            return True

    # State

    @property
    def table(self) -> Table:
        return self.stored.table

    @property
    def _clock(self) -> Clock | None:
        return self._match.session.clock

    @property
    def _days(self) -> int:
        return self.table.terms.days

    @property
    def _request(self) -> OpenRequest | None:
        held = self.table.request
        return None if held is None else OpenRequest(*held)

    @property
    def phase(self) -> Phase:
        table, game = self.table, self._match.game
        if not table.has_guest:
            return "waiting"
        if isinstance(game.ending, TwoPasses) and not table.counted:
            return "counting"
        if game.is_over:
            return "over"
        return table.stopped or "playing"

    def seat_of(self, listener: Listener) -> int | None:
        return self._audience.seated.get(listener)

    @property
    def listeners(self) -> int:
        return len(self._audience)

    @property
    def spectators(self) -> int:
        return len(self._audience.watching)

    def is_present(self, seat: int) -> bool:
        return self._audience.at(seat) is not None

    def listed(self) -> ListedGame:
        table, watched = self.table, self._audience.watched
        return ListedGame(
            self.name,
            table.name_of(BLACK),
            table.name_of(WHITE),
            watched.size,
            len(watched.moves),
            watched.phase,
            table.terms.watch,
            table.open_code,
            table.terms.rated,
            self._days,
        )

    def _role_of(self, listener: Listener) -> Role:
        seat = self._audience.seated.get(listener)
        return "spectator" if seat is None else ROLES[self.table.colour_of(seat)]

    def state(self) -> State:
        game, table, phase = self._match.game, self.table, self.phase
        return State(
            round=len(table.blacks),
            size=game.torus.size,
            komi=game.komi,
            handicap=game.handicap,
            rules=str(game.rules),
            black=self.table.name_of(BLACK),
            white=self.table.name_of(WHITE),
            phase=phase,
            moves=tuple(vertex_name(game.torus, move.point) for move in game.moves()),
            dead=tuple(vertex_name(game.torus, point) for point in sorted(game.dead)),
            agreed=tuple(ROLES[colour] for colour in sorted(self._agreed)),
            result=str(game.result) if phase == "over" else "",
            undo=table.terms.undo,
            request=self._request,
            present=self._sides(set(self._audience.seated.values())),
            spectators=self.spectators,
            clock=self._clock_state(),
            time=table.terms.time,
            sharing=self._sides(self._audience.sharing),
            listening=self._sides(self._audience.listening),
            warned=self._warned(),
            delay=table.terms.delay,
            watch=table.terms.watch,
            vacation=self._sides([seat for seat in (HOST, GUEST) if is_away(self._vacations[seat], self._date())]),
        )

    def _sides(self, seats: Collection[int]) -> tuple[str, ...]:
        return tuple(sorted(ROLES[self.table.colour_of(seat)] for seat in seats))

    def _clock_state(self) -> ClockState | None:
        clock = self._clock
        if clock is None:
            return None
        if self._days:
            return self._days_left(clock)
        black, white = (_side_time(clock.left(colour, self._now())) for colour in (BLACK, WHITE))
        return ClockState(black, white, ROLES[clock.running] if clock.running is not None else "")

    def _send(self, message: State | Moved | Declined) -> None:
        self._has_changed = True
        self._audience.send(message, over=self.phase == "over")

    def _send_state(self) -> None:
        self._came_or_went = False
        self._send(self.state())

    # Joining and leaving

    async def enter(self, listener: Listener, join: Join, account: str = "") -> None:
        """Admit a connection, by code, by key, or to watch, and send it the state; a new seat is of an account.

        A connection that only peeks is closed.

        Raises:
            RefusedError: it is not admitted.
        """
        async with self._lock:
            if not await self.stored.settled():
                return
            self._expect_admission()
            if join.version != VERSION:
                raise RefusedError("version")
            seat = self.table.seat_for(join.key, "" if join.code else account)
            key = join.key if self.table.seat_with(join.key) == seat else ""
            if seat is None and join.code:
                key, seat = await self._claim(join.code, join.name, join.key, account=account), GUEST
            if seat is not None and join.peek:
                listener.send(Welcome(VERSION, self.name, ROLES[self.table.colour_of(seat)], key))
                listener.send(self.state())
            elif seat is not None:
                self._sit(listener, seat, key)
            elif join.key:
                raise RefusedError("key")
            else:
                self._watch(listener, join.name)

    def _expect_admission(self) -> None:
        if self._gone is not None:
            raise RefusedError(self._gone)

    def _sit(self, listener: Listener, seat: int, key: str) -> None:
        before = self._audience.sit(listener, seat)
        if before is not None:
            before.drop(RefusedError("replaced").message("join", fatal=True))
        self._away.pop(seat, None)
        if self._restarted is not None and self.table.colour_of(seat) == self._match.game.to_move:
            self._go_on_after_restart()
        listener.send(Welcome(VERSION, self.name, self._role_of(listener), key))
        # The state is the last word, not a line of chat that was said before.
        self._audience.send_chat(listener, over=self.phase == "over")
        self._send_state()
        self._send_plan(seat)

    def _watch(self, listener: Listener, name: str) -> None:
        if not self.table.terms.watch:
            raise RefusedError("not-watched")
        over = self.phase == "over"
        self._audience.catch_up(over=over)
        self._audience.watching[listener] = distinct(name, self._names())
        listener.send(Welcome(VERSION, self.name, "spectator"))
        self._audience.send_chat(listener, over=over)
        listener.send(self._audience.watched)
        self._came_or_went = True

    def _names(self) -> list[str]:
        return [*self.table.names, *self._audience.watching.values()]

    async def claim(self, code: str, name: str, account: str = "") -> str:
        """Take the guest's seat with its one-time code, and begin the game; return the key of the seat.

        Raises:
            RefusedError: the code is wrong, or the game is rated and not for this account.
        """
        async with self._lock:
            self._expect_admission()
            key = await self._claim(code, name, account=account)
            self._send_state()
            return key

    async def _claim(self, code: str, name: str, wanted: str = "", *, account: str) -> str:
        if not self.table.opens(code):
            raise RefusedError("code", "" if self.table.code else str(TAKEN))
        if (self.table.terms.rated or self._days) and account in ("", self.table.accounts[HOST]):
            raise RefusedError("rated" if self.table.terms.rated else "members")
        table, key = self.table.given_to_guest(wanted, distinct(name, self.table.names), account)
        await self.stored.change(self._with_start(table))
        self.stored.begin_game()
        # A spectator cannot keep a player from a name.
        watching = self._audience.watching
        for listener, watcher in tuple(watching.items()):
            watching[listener] = ""
            watching[listener] = distinct(watcher, self._names())
        return key

    def _with_start(self, table: Table) -> Table:
        """Return a table with the time at which a round of a correspondence game begins, now."""
        return replace(table, begun=self._date(), plans=(None, None)) if self._days else table

    async def leave(self, listener: Listener) -> None:
        """Remove a connection; its seat is kept, and its clock keeps running."""
        async with self._lock:
            seat = self._audience.seated.get(listener)
            if not self._audience.remove(listener):
                return
            if seat is not None:
                self._away[seat] = self._now()
            if seat is None:
                self._came_or_went = True
            elif self._gone is None and await self.stored.settled():
                self._send_state()

    def _go_on_after_restart(self) -> None:
        self._restarted = None
        self._match.unpause()

    # Reports

    def report(self, listener: Listener, text: str) -> tuple[str, str, str] | None:
        """Return whom a report is about, that player's account, and the last lines of chat; None if it is nobody here.

        A player who names nobody means the opponent.
        """
        seat = self._audience.seated.get(listener)
        said = self._audience.chat.last(players=True, spectators=True)
        accounts = {name: account for name, account in zip(self.table.names, self.table.accounts, strict=True) if name}
        names = {*self._names(), *(line.name for line in said)} - {"", self.name_of(listener)}
        begun = [name for name in names if text.casefold().startswith(name.casefold())]
        if begun:
            name = max(begun, key=len)
        elif seat is not None and self.table.names[1 - seat]:
            name = self.table.names[1 - seat]
        else:
            return None
        chat = "\n".join(f"{line.name} ({line.role}): {line.text}" for line in said[-_REPORTED:])
        return name, accounts.get(name, ""), chat

    # Commands

    async def handle(self, listener: Listener, message: ClientMessage) -> None:
        """Handle a request of a connection, and send the outcome to everyone concerned.

        Raises:
            RefusedError: it is refused, and nothing has changed.
        """
        if isinstance(message, Say):
            async with self._lock:
                self._expect_admission()
                said = await self._audience.chat.add(self.name_of(listener), self._role_of(listener), message.text)
                self._audience.say(said, over=self.phase == "over")
            return
        if isinstance(message, Point):
            self._audience.point(listener, message.point)
            return
        await self._expire()
        arrived = self._now()
        async with self._lock:
            self._expect_admission()
            seat = self._audience.seated.get(listener)
            if seat is None:
                raise RefusedError("spectator")
            colour = self.table.colour_of(seat)
            if isinstance(message, Play) and self._clock is not None and self._clock.running == colour:
                self._forgive_since(arrived)
            # A clock that ran out meanwhile ends the game before anything else does.
            await self._tick()
            await self._do(listener, colour, message)

    def name_of(self, listener: Listener) -> str:
        seat = self._audience.seated.get(listener)
        return self._audience.watching.get(listener, "") if seat is None else self.table.names[seat]

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
            case Plan():
                await self._plan(listener, colour, message)
            case Claim():
                await self._claim_win(opponent(colour))
            case MarkDead(point=name):
                await self._mark_dead(name)
            case ProposeDead(dead=dead):
                await self._propose_dead(dead)
            case Agree(dead=dead):
                await self._agree(colour, dead)
            case Share(on=on) | Listen(on=on):
                seats = self._audience.sharing if isinstance(message, Share) else self._audience.listening
                (seats.add if on else seats.discard)(self.table.seat_of(colour))
                self._send_state()
            case PlayOn():
                self._expect("counting", code="not-counting")
                self._agreed.clear()
                self._begin_turn()
                self._match.resume()
                await self._changed()
            case _:
                raise RefusedError("not-now")

    def _expect(self, *phases: Phase, code: RefusalCode = "not-playing") -> None:
        if self.phase not in phases:
            raise RefusedError(code)

    async def _play(self, listener: Listener, colour: Colour, message: Play) -> None:
        game = self._match.game
        moves = game.moves()
        try:
            point = point_of(game.torus, message.move)
        except ValueError as error:
            raise RefusedError("illegal", str(error)) from None
        if message.number <= len(moves):
            made = moves[message.number - 1]
            if made.colour == colour and made.point == point:
                # The move arrived before the connection was lost; its answer did not.
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
        if self._clock is not None and not self._days:
            self._clock.give_back(min(max(listener.lag, 0.0), MOST_LAG), self._now())
        if await self._make(point):
            await self._play_ahead()

    async def _make(self, point: int) -> bool:
        """Make a legal move of the side to move, and tell everyone; return False if the table is closed before."""
        match, game, colour = self._match, self._match.game, self._match.game.to_move
        self._begin_turn()
        declined = match.pass_turn() if point == PASS else match.play(point)
        assert declined is None
        if not await self._settled():
            return False
        await self.stored.close_request()
        self._send(Moved(len(game.moves()), ROLES[colour], vertex_name(game.torus, point), self._clock_state()))
        if game.is_over:
            self._agreed.clear()
            self._send_state()
        return True

    async def _changed(self) -> None:
        if await self._settled():
            await self.stored.close_request()
            self._send_state()

    async def _settled(self) -> bool:
        """Wait until a change is on disk; return False if the table is closed before that."""
        changed = self._now()
        is_settled = await self.stored.settled()
        self._forgive_since(changed)
        return is_settled

    def _forgive_since(self, begun: float) -> None:
        """Give back the time for which the side to move waited for the disk: nobody loses by that of the server."""
        if self._clock is not None and not self._days:
            self._clock.give_back(self._now() - begun, self._now())

    # Requests

    async def _ask(self, colour: Colour, what: RequestKind) -> None:
        if self._request is not None:
            if what == "undo" or self._request.what != what or self._request.by == ROLES[colour]:
                raise RefusedError("asked-already")
            # Both want the same.
            await self._answer(colour, what, accept=True)
            return
        if what == "undo":
            if not self.table.terms.undo:
                raise RefusedError("no-undo")
            self._expect("playing", "counting")
            if not any(move.colour == colour for move in self._match.game.moves()):
                raise RefusedError("nothing-to-undo")
        else:
            right: dict[RequestKind, tuple[Phase, ...]] = {
                # In a correspondence game a vacation does.
                "pause": () if self._days else ("playing",),
                "adjourn": () if self._days else ("playing", "paused"),
                "continue": ("paused", "adjourned"),
                "rematch": ("over",),
            }
            self._expect(*right[what], code="not-now")
        await self.stored.change(replace(self.table, request=(what, ROLES[colour])))
        self._send_state()

    async def _answer(self, colour: Colour, what: RequestKind, *, accept: bool) -> None:
        request = self._request
        own = request is not None and request.by == ROLES[colour]
        if request is None or request.what != what or (own and accept):
            raise RefusedError("no-request")
        # Saved together with its outcome.
        closed = replace(self.table, request=None)
        if not accept:
            await self.stored.change(closed)
            self._send(Declined(what, ROLES[colour]))
            self._send_state()
            return
        match what:
            case "undo":
                # What was planned for another position does not come back with it.
                await self.stored.change(replace(closed, plans=(None, None)))
                self._undo(opponent(colour))
            case "pause" | "adjourn":
                await self.stored.change(replace(closed, stopped="paused" if what == "pause" else "adjourned"))
                # No more waiting for a side: the clock continues when both agree.
                self._restarted = None
                self._match.pause()
            case "continue":
                await self.stored.change(replace(closed, stopped=""))
                self._match.unpause()
            case "rematch":
                await self._rematch(closed)
        await self._changed()

    def _undo(self, asker: Colour) -> None:
        """Undo moves until the last one of ``asker`` is gone."""
        game, match = self._match.game, self._match
        self._agreed.clear()
        self._begin_turn()
        if game.is_over:
            match.resume()
        gone = False
        while not gone or game.to_move != asker:
            gone = True
            declined = match.undo()
            assert declined is None

    async def _rematch(self, closed: Table) -> None:
        try:
            await self._note_end()
            await self._count()
        except OSError as error:
            raise RefusedError("unsaved") from error
        table = replace(closed, blacks=(*closed.blacks, 1 - closed.blacks[-1]), counted=False, stopped="", ended=0.0)
        await self.stored.begin_round(self._with_start(table))
        self._ended = 0.0
        self._agreed.clear()
        for listener in self._audience.seated:
            listener.send(Welcome(VERSION, self.name, self._role_of(listener)))

    # Absence

    def _warned(self) -> Warned | None:
        if self.table.warned is None:
            return None
        side, since = self.table.warned
        # A clock of the system that went wrong meanwhile makes no warning longer.
        left = min(since + self._limits.warning - self._date(), self._limits.warning)
        return Warned(side, round(max(0.0, left), 3))

    async def _claim_win(self, absent: Colour) -> None:
        """Warn an absent side, or end the game by the absence of one that was warned."""
        self._expect("playing", "counting")
        if self._match.session.clock is not None:
            raise RefusedError("timed")
        owes = self._match.game.to_move == absent
        if self.phase == "counting":
            owes = absent not in self._agreed and opponent(absent) in self._agreed
        since = self._away.get(self.table.seat_of(absent))
        if not owes or since is None or self._now() - since < self._limits.away:
            raise RefusedError("not-away")
        warned = self._warned()
        if warned is None or warned.side != ROLES[absent]:
            warning = (ROLES[absent], self._date())
            await self.stored.change(replace(self.table, warned=warning))
            self._send_state()
            return
        if warned.seconds:
            raise RefusedError("warned")
        if self.phase == "counting":
            self._match.resume()
        self._match.lose_on_time(absent)
        await self._changed()

    # Scoring

    async def _mark_dead(self, name: str) -> None:
        self._expect("counting", code="not-counting")
        stones = self._stones(name)
        self._begin_turn()
        self._match.mark_dead(stones[0])
        self._agreed.clear()
        await self._changed()

    async def _propose_dead(self, names: tuple[str, ...]) -> None:
        self._expect("counting", code="not-counting")
        dead = frozenset(stone for name in names for stone in self._stones(name))
        if not dead or self.state().dead:
            # The opponent was faster: marks by the players, or an earlier proposal, are kept.
            return
        self._begin_turn()
        self._match.agree_dead(dead)
        self._agreed.clear()
        await self._changed()

    def _stones(self, name: str) -> tuple[int, ...]:
        """Return the stones of the chain on a named point. Raises RefusedError where none stands there."""
        game = self._match.game
        try:
            chain = game.chain_at(game.torus.parse(name, "gtp"))
        except ValueError as error:
            raise RefusedError("no-stone", str(error)) from None
        if chain is None:
            raise RefusedError("no-stone")
        return tuple(chain.stones)

    async def _agree(self, colour: Colour, dead: tuple[str, ...]) -> None:
        self._expect("counting", code="not-counting")
        if {name.upper() for name in dead} != set(self.state().dead):
            raise RefusedError("other-count")
        agreed = self._agreed | {colour}
        if len(agreed) == 2:
            await self.stored.change(replace(self.table, counted=True))
        elif self._days:
            sides = tuple(ROLES[each] for each in sorted(agreed))
            await self.stored.change(replace(self.table, agreed=(sides, self._count_mark())))
        self._agreed = agreed
        await self._changed()

    def _count_mark(self) -> str:
        """Return what identifies the count: the moves and the dead stones."""
        state = self.state()
        return digest(" ".join((*state.moves, "dead", *state.dead)))

    # Correspondence

    def _begin_turn(self) -> None:
        """Begin a turn of a correspondence game, before the journal is told of the change that ends the last one."""
        if self._days and self._clock is not None:
            self._clock.begin_turn(self._date(), self._now())

    def _days_left(self, clock: Clock) -> ClockState:
        seconds, now = clock.control.period, self._date()
        playing, counting = self.phase == "playing", self.phase == "counting"
        mover = self._match.game.to_move
        left = [
            time_left(clock.turn_began, seconds, self._vacations[self.table.seat_of(colour)], now)
            if counting or (playing and colour == mover)
            else seconds
            for colour in (BLACK, WHITE)
        ]
        away = is_away(self._vacations[self.table.seat_of(mover)], now)
        black, white = (SideTime(round(each, 3)) for each in left)
        return ClockState(black, white, ROLES[mover] if playing and not away else "")

    @property
    def turn(self) -> Turn | None:
        """The turn of a correspondence game; None before it begins, after its end, and for other games."""
        clock, table, phase = self._clock, self.table, self.phase
        if not self._days or clock is None or phase not in ("playing", "counting"):
            return None
        game = self._match.game
        black, white = table.seat_of(BLACK), table.seat_of(WHITE)
        return Turn(
            self.name,
            game.torus.size,
            table.accounts[black],
            table.accounts[white],
            table.names[black],
            table.names[white],
            len(game.moves()),
            ROLES[game.to_move] if phase == "playing" else "",
            clock.turn_began,
            clock.control.period,
        )

    def look_again(self) -> None:
        """Have the vacations of the players looked up soon."""
        self._look_after = self._turn_after = -math.inf

    async def _look_at_vacations(self) -> None:
        """Look up the vacations of the players; without the lock, so that nobody waits for the database."""
        if self._book is None or not self._days or not self.table.has_guest:
            return
        self._look_after = self._now() + _LOOK_AGAIN
        host, guest = self.table.accounts
        before = self.state().vacation
        self._vacations = await self._book.vacations(host), await self._book.vacations(guest)
        if self.state().vacation != before:
            async with self._lock:
                self._send_state()

    def _deadline(self) -> float | None:
        """Return when the turn of a correspondence game ends; None while there is no turn."""
        turn = self.turn
        if turn is None:
            return None
        waited = [colour for colour in (BLACK, WHITE) if colour not in self._agreed]
        if turn.mover:
            waited = [COLOURS[turn.mover]]
        ends = (deadline(turn.began, turn.seconds, self._vacations[self.table.seat_of(each)]) for each in waited)
        return max(ends, default=None)

    async def _expire(self) -> None:
        """End a correspondence game whose deadline is over: as a loss on time, or with the count as it is marked.

        Raises:
            OSError: the vacations cannot be looked up, or the table not be written; nothing has changed.
        """
        due = self._deadline()
        if due is None or self._date() < due:
            return
        # They may have changed since.
        await self._look_at_vacations()
        async with self._lock:
            due = self._deadline()
            if due is None or self._date() < due or self._gone is not None:
                return
            if self.phase == "counting":
                await self.stored.change(replace(self.table, counted=True))
            else:
                self._match.lose_on_time(self._match.game.to_move)
            await self._changed()

    @property
    def _is_turn_due(self) -> bool:
        is_waited_for = self._has_changed or self._now() >= self._turn_after
        return bool(self._days) and is_waited_for and not self._following and self._gone is None

    async def _follow_turn(self) -> None:
        """Look up vacations from time to time, end a game at its deadline, and tell the book of a new turn."""
        self._following, self._has_changed = True, False
        self._turn_after = self._now() + _COUNT_AGAIN
        try:
            # Where the database or the disk fails, it is tried again.
            with suppress(OSError):
                if self._now() >= self._look_after:
                    await self._look_at_vacations()
                await self._expire()
                if self._plans_due:
                    async with self._lock:
                        self._plans_due = False
                        await self._play_ahead()
                turn = self.turn
                if self._announced != [turn] and self._book is not None:
                    await self._book.put(self.name, turn)
                    self._announced = [turn]
                due = self._deadline()
                self._turn_after = min(self._look_after, math.inf if due is None else self._now() + due - self._date())
        finally:
            self._following = False

    # Conditional moves

    async def _plan(self, listener: Listener, colour: Colour, message: Plan) -> None:
        game, moves = self._match.game, self.state().moves
        if not self._days:
            raise RefusedError("not-now")
        self._expect("playing")
        if message.number != len(moves):
            raise RefusedError("old-position")
        if game.to_move == colour:
            raise RefusedError("plan")
        try:
            plan = check_plan(game, moves, message)
        except PlanError as error:
            raise RefusedError("plan", str(error)) from None
        seat = self.table.seat_of(colour)
        await self._keep_plan(seat, plan if plan.lines else None)
        listener.send(plan)

    async def _keep_plan(self, seat: int, plan: Plan | None) -> None:
        plans = (plan, self.table.plans[GUEST]) if seat == HOST else (self.table.plans[HOST], plan)
        await self.stored.change(replace(self.table, plans=plans))

    def _planned(self, seat: int) -> Plan | None:
        """Return what is left of the plan of a seat in this position."""
        plan = self.table.plans[seat]
        return None if plan is None else still_planned(plan, self.state().moves)

    def _send_plan(self, seat: int) -> None:
        listener, moves = self._audience.at(seat), self.state().moves
        if listener is not None and self.table.plans[seat] is not None:
            listener.send(self._planned(seat) or Plan(len(moves)))

    async def _play_ahead(self) -> None:
        """Play the conditional move whose condition has come true; drop those that are impossible now."""
        if not any(self.table.plans):
            return
        game = self._match.game
        plan = self._planned(self.table.seat_of(game.to_move)) if self.phase == "playing" else None
        if plan is not None:
            point = point_of(game.torus, plan.lines[0][0])
            if (point == PASS or game.refusal(point) is None) and not await self._make(point):
                return
        for seat in (HOST, GUEST):
            if self.table.plans[seat] is not None:
                self._send_plan(seat)
                if self._planned(seat) is None or game.to_move == self.table.colour_of(seat):
                    # One that stays on a full disk has no effect: it is known by the moves that it is over.
                    with suppress(OSError):
                        await self._keep_plan(seat, None)

    # The clock

    @property
    def is_due(self) -> bool:
        """True if :meth:`tick` would do something."""
        return (
            self._came_or_went
            or self._restarted is not None
            or self.stored.is_unwritten
            or self._audience.is_due(over=self.phase == "over")
            or (self._is_turn_due if self._days else self._match.clock_is_due)
            or (self._is_uncounted and self._now() >= self._count_after)
        )

    async def tick(self) -> None:
        """Check the clock, a few times a second; a side whose time is up loses."""
        if self._is_turn_due:
            await self._follow_turn()
        if self._lock.locked():
            # The command in progress checks the clock itself.
            return
        async with self._lock:
            if self._gone is not None:
                return
            await self._tick()
            self._audience.catch_up(over=self.phase == "over")
            await self.stored.catch_up()
            if self._came_or_went and await self.stored.settled():
                self._send_state()
        if self.phase == "over" and self._now() >= self._count_after:
            self._count_after = math.inf
            again = self._now() + _COUNT_AGAIN
            try:
                with suppress(OSError):
                    await self.count()
                    again = self._now()
            finally:
                self._count_after = again

    async def _tick(self) -> None:
        if self._restarted is not None:
            if not self._audience.seated:
                self._restarted = self._now()
            elif self._now() - self._restarted > AFTER_RESTART:
                self._go_on_after_restart()
                self._send_state()
        match, clock = self._match, self._clock
        if clock is None or clock.running is None or self._days:
            return
        # A move may be in transit; it gets the same lag compensation.
        listener = self._audience.at(self.table.seat_of(clock.running))
        lag = min(listener.lag, MOST_LAG) if listener is not None else 0.0
        now = self._now()
        if not clock.left(clock.running, now).is_out or clock.left(clock.running, now - lag).is_out:
            match.tick()
            if match.game.is_over:
                await self._changed()


def _side_time(left: TimeLeft) -> SideTime:
    return SideTime(round(left.seconds, 3), left.periods, left.in_byoyomi)
