"""A match whose referee is a server: the user's actions are requested there, and the server's messages are shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import (
    PASS,
    Colour,
    OutOfTime,
    Refusal,
    Resignation,
    TwoPasses,
    parse_rules,
)
from daoqi_tui.engine.clock import Clock, TimeControl
from daoqi_tui.i18n import _, name_in_language
from daoqi_tui.play.background import Spawn
from daoqi_tui.play.events import Began, Declined, Kind
from daoqi_tui.play.match import Match
from daoqi_tui.play.online.client import ClientEvent, OnlineClient
from daoqi_tui.play.online.correspondence import make_move
from daoqi_tui.play.online.hosting import Place
from daoqi_tui.play.online.protocol import (
    COLOURS,
    Agree,
    Answer,
    Ask,
    ClientMessage,
    ClockState,
    MarkDead,
    Moved,
    PlayOn,
    ProposeDead,
    Resign,
    State,
)
from daoqi_tui.play.session import GameSetup, Seat, Session

if TYPE_CHECKING:
    from daoqi_tui.play.online.seats import Recorder
    from daoqi_tui.play.players import PlayerTable
    from daoqi_tui.play.position import PositionEditor

_ENDED: Final[Mapping[type[object], Kind]] = {TwoPasses: "dead", Resignation: "resign", OutOfTime: "time"}
"""What has changed when the game ends in these ways."""


class OnlineMatch(Match):
    """A match that follows a client. Its game has what the server acknowledged; earlier moves may be viewed.

    Args:
        place: in the game.
        make_players: as for :class:`Match`.
        recorder: saves the seat and finished games; None saves nothing.
        spawn, now: as for :class:`Match`.

    Attributes:
        place: where the game is, and who plays.
        client: the connection to the server.
    """

    def __init__(
        self,
        place: Place,
        make_players: Callable[[], PlayerTable],
        *,
        spawn: Spawn,
        recorder: Recorder | None = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        # The server keeps the time.
        super().__init__(Session(), make_players, spawn=spawn, now=now, keeps_time=False)
        self.place = place
        self.client: Final = OnlineClient(
            place.invitation,
            place.name,
            self._on_event,
            key=place.key,
            joining=self._keep_seat,
            now=now,
            account=place.account,
        )
        self._subscribers: list[Callable[[ClientEvent], object]] = []
        self._recorder = recorder
        self._line: asyncio.Task[object] | None = None

    # The connection

    def connect(self) -> None:
        """Connect to the server, and stay connected until :meth:`close`."""
        if self._line is None:
            line = self._line = asyncio.get_running_loop().create_task(self.client.run())
            assert self._spawn is not None
            self._spawn(partial(_until_done, line))

    async def let_in(self, *, anywhere: bool = False) -> None:
        """Let the networks of this computer reach the server in this program, or guests from ``anywhere``.

        Raises:
            OSError: that is impossible.
        """
        opened = self.place.offer if anywhere else self.place.let_in
        if opened is not None:
            self.place = await opened(self.place)
            if self._recorder is not None and self.place.seat is not None:
                await self._recorder.listens(self.place.seat.listen)

    async def close(self) -> None:
        await super().close()
        if self._line is not None:
            self._line.cancel()
            # An unexpected error is reported by the background runner.
            await asyncio.wait({self._line})
        if self._recorder is not None:
            await self._recorder.close()
        if self.place.server is not None:
            await self.place.server.aclose()

    # Messages of the server

    @property
    def state(self) -> State | None:
        return self.client.state

    def subscribe_to_server(self, subscriber: Callable[[ClientEvent], object]) -> None:
        """Call ``subscriber`` with all messages of the server, and with the state of the connection, from now on.

        Changes of the game have already been sent to the subscribers of the match.
        """
        self._subscribers.append(subscriber)

    async def _keep_seat(self) -> None:
        if self._recorder is not None:
            await self._recorder.joining(self.client)

    def _on_event(self, event: ClientEvent) -> None:
        if isinstance(event, State):
            self._take_state(event)
        elif isinstance(event, Moved):
            self._follow()
        if self._recorder is not None:
            self._recorder.save(self.client)
        for subscriber in tuple(self._subscribers):
            subscriber(event)

    def _take_state(self, state: State) -> None:
        before = self.client.before
        self.turns.paused = state.phase in ("paused", "adjourned")
        if before is None or before.terms != state.terms:
            session = Session(
                GameSetup(
                    state.size,
                    state.komi,
                    state.handicap,
                    name_in_language(state.black),
                    name_in_language(state.white),
                    state.time,
                    resigns=False,
                    rules=parse_rules(state.rules),
                )
            )
            self.begin(session)
            self._follow(silent=True)
            self.notify(Began(session))
            # Beginning a session starts computer players.
            self.turns.paused = state.phase in ("paused", "adjourned")
            return
        black, white = name_in_language(state.black), name_in_language(state.white)
        self.session.setup = self.session.setup._replace(black=black, white=white)
        self._follow()
        if before.phase != "over" and state.phase == "over" and isinstance(self.game.ending, TwoPasses):
            self._changed("agreed")

    def _follow(self, *, silent: bool = False) -> None:
        """Bring the session up to date with the server's game, and announce the changes."""
        session, game, theirs = self.session, self.game, self.client.game
        state = self.client.state
        self._set_clock(state.clock if state is not None else None)
        viewed = game.node
        game.goto(session.front or game.node)
        path = [session.start, *(node for node in game.node.path() if node.move is not None)]
        wanted = theirs.moves()
        common = next(
            (place for place, (node, move) in enumerate(zip(path[1:], wanted, strict=False)) if node.move != move),
            min(len(path) - 1, len(wanted)),
        )
        game.goto(path[common])
        colours = bytes(game.board.colours)
        for move in wanted[common:]:
            colours = bytes(game.board.colours)
            make_move(game, move.point)
        session.front = game.node
        fresh, undone = len(wanted) - common, common < len(path) - 1
        kind: Kind | None = None
        if fresh == 1 and not undone:
            kind = "move"
        elif fresh or undone:
            kind = "goto" if fresh else "undo"
        ended = self._take_ending()
        if silent:
            return
        if kind is not None:
            own = wanted[-1].colour == self.client.colour if wanted else False
            self._changed(kind, self._removed(colours) if kind == "move" else (), tree=bool(fresh), computer=not own)
        if ended is not None:
            self._changed(ended)
        elif kind is None:
            # Nothing was played, so a user viewing an earlier move stays there.
            game.goto(viewed)

    def _take_ending(self) -> Kind | None:
        """Have the game end as that of the server; return the change, None if there is none."""
        game, theirs = self.game, self.client.game
        if game.ending == theirs.ending:
            return None
        game.node.ending, game.node.resumed = theirs.node.ending, theirs.node.resumed
        return _ENDED.get(type(theirs.ending), "resume")

    def _set_clock(self, told: ClockState | None) -> None:
        """Set the clock to the server's time; it continues from there."""
        session = self.session
        if told is None:
            session.clock = None
            return
        if session.clock is None:
            session.clock = Clock(session.setup.time or TimeControl(1))
        session.clock.set_left(told.black.left, told.white.left)
        if told.running:
            session.clock.start(COLOURS[told.running], self._now())

    # Properties of a match

    @property
    def persons(self) -> tuple[Colour, ...]:
        return () if self.client.colour is None else (self.client.colour,)

    @property
    def resigning(self) -> Colour | None:
        """The side that :meth:`resign` means, None if there is nothing to resign."""
        phase = self.state.phase if self.state is not None else "over"
        return self.client.colour if phase not in ("over", "waiting") else None

    @property
    def awaits_person(self) -> bool:
        return self.client.my_turn

    @property
    def awaits_count(self) -> bool:
        passed = isinstance(self.game.ending, TwoPasses)
        return passed and self.state is not None and self.state.phase != "over"

    # Commands of the user

    def play(self, point: int) -> Refusal | Declined | None:
        """Play at ``point``; the move is pending until the server acknowledges it."""
        declined = self._may_not_move()
        if declined is not None:
            return declined
        refusal = self.game.refusal(point)
        if refusal is None:
            self.client.play(point)
        return refusal

    def pass_turn(self) -> Declined | None:
        declined = self._may_not_move()
        if declined is None:
            self.client.play(PASS)
        return declined

    def _may_not_move(self) -> Declined | None:
        reason = self.client.why_not
        return Declined.VIEWING if reason is None and self.game.node is not self.session.front else reason

    def undo(self) -> Declined | None:
        return self.command(Ask("undo"))

    def redo(self) -> Declined | None:
        return Declined.NOTHING_TO_REDO

    def resign(self, loser: Colour | None = None) -> Declined | None:  # noqa: ARG002 (only one's own side)
        if self.client.colour is not None and self.resigning is None:
            return Declined.NOT_NOW
        return self.command(Resign())

    def pause(self) -> Declined | None:
        return self.command(Ask("pause"))

    def unpause(self) -> Declined | None:
        return self.command(Ask("continue"))

    def resume(self) -> Declined | None:
        """Continue play instead of scoring, or request to continue a game that is paused or adjourned."""
        # Not the viewed node, which may be an earlier move.
        if self.state is not None and self.state.phase == "counting":
            return self.command(PlayOn())
        return self.unpause() if self.turns.paused else Declined.NOT_OVER

    async def seat(
        self,
        black: Seat | None,  # noqa: ARG002 (who plays is settled at the server)
        white: Seat | None,  # noqa: ARG002
        *,
        resigns: bool | None = None,  # noqa: ARG002
    ) -> Declined:
        return Declined.NOT_NOW

    def set_up(self, editor: PositionEditor) -> Declined:  # noqa: ARG002 (the position is the server's)
        return Declined.NOT_NOW

    @property
    def refuses_edits(self) -> str:
        return _("A game played online cannot be edited; save it, and open the file")

    def move_now(self) -> Declined:
        return Declined.NOT_NOW

    def mark_dead(self, point: int) -> Declined | None:
        if not self.awaits_count:
            return Declined.NOT_COUNTED
        if self.game.chain_at(point) is None:
            return Declined.NO_STONE
        return self.command(MarkDead(self.game.torus.name(point, "gtp")))

    def agree_dead(self, dead: frozenset[int]) -> Declined | None:
        """Propose to both which stones are dead; the server marks them unless something is marked already."""
        if not self.awaits_count:
            return Declined.NOT_COUNTED
        name = self.game.torus.name
        return self.command(ProposeDead(tuple(name(point, "gtp") for point in sorted(dead))))

    def answer(self, *, accept: bool) -> Declined | None:
        """Accept or decline the opponent's request, or else the score; one's own request is withdrawn."""
        state = self.state
        if state is None:
            return Declined.NOT_CONNECTED
        if state.request is not None:
            return self.command(Answer(state.request.what, accept=accept))
        if state.phase != "counting":
            return Declined.NOT_NOW
        return self.agree() if accept else self.resume()

    def agree(self) -> Declined | None:
        state = self.state
        if state is None or state.phase != "counting":
            return Declined.NOT_COUNTED
        return self.command(Agree(state.dead))

    def send(self, message: ClientMessage) -> Declined | None:
        """Send a message that spectators may send as well."""
        if not self.client.connected:
            return Declined.NOT_CONNECTED
        self.client.send(message)
        return None

    def command(self, message: ClientMessage) -> Declined | None:
        """Send a message that only a player may send."""
        # Who plays is not known before the server has answered.
        watches = self.state is not None and self.client.colour is None
        return Declined.WATCHING if watches else self.send(message)


async def _until_done(line: asyncio.Task[object]) -> None:
    """Raise the error that ended the connection unexpectedly, so that the background runner reports it."""
    await asyncio.shield(line)
