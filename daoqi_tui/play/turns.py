"""The turns of the computers in a match: whose turn it is, the current thought, teach mode and pondering."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from daoqi_tui.engine import BLACK, WHITE, Colour, GameOver, IllegalMove, Node, Refusal, opponent
from daoqi_tui.engine.clock import TimeControl, TimeLeft
from daoqi_tui.message import Message
from daoqi_tui.play.background import Background, Spawn
from daoqi_tui.play.evaluation import EvaluatedMove, Evaluation, Evaluations
from daoqi_tui.play.events import (
    Answered,
    Crashed,
    Declined,
    Event,
    NotEvaluated,
    Prepares,
    Questioned,
    Thinks,
    Trouble,
)
from daoqi_tui.play.session import PERSON, Computer, EngineSeat, Seat, Session, seat_name

if TYPE_CHECKING:
    from daoqi_tui.ai import Answer, Position, Progress, Stage
    from daoqi_tui.ai.process import PlayerError
    from daoqi_tui.gtp.player import ResignationPolicy
    from daoqi_tui.play.players import PlayerTable, Thinking


class TurnsHost(Protocol):
    """What the computers' turns ask of the match in which they play."""

    @property
    def session(self) -> Session:
        """What is played."""

    @property
    def evaluations(self) -> Evaluations:
        """The evaluations of the positions of the game."""

    def time_left(self, colour: Colour) -> tuple[TimeControl, TimeLeft] | None:
        """Return the settings of the clock, and what a side has left on it; None if no time is kept."""

    def make_move(self, make: Callable[[], object], *, computer: bool) -> Refusal | None:
        """Make a computer's move, which may turn out to be a resignation."""

    def goto(self, node: Node) -> None:
        """View another node."""

    def note_help(self) -> None:
        """Note that the human had help."""

    def sync_clock(self) -> None:
        """Start or stop the clock, according to :meth:`Turns.holds_clock`."""

    def notify(self, event: Event) -> None:
        """Send an event to all subscribers."""


class Turns:
    """The computers' turns in a match.

    Args:
        match: makes their moves, sends events, and has the clock.
        make_players, spawn, teach, pace, ponders: as for :class:`~daoqi_tui.play.match.Match`.

    Attributes:
        thinking: the current thought, None while no computer thinks.
        due: the computer that is to move now, None if a human, or nobody, is to move.
        paused: whether the computers wait until they are told to move.
        trouble: the reason why they wait, None if the user paused them.
        questioned: the human's move that teach mode warns about; the computer waits until it is kept or undone.
        single: the level that makes single moves if there is no computer: the last one that played.
    """

    def __init__(
        self,
        match: TurnsHost,
        make_players: Callable[[], PlayerTable],
        *,
        spawn: Spawn | None,
        teach: Callable[[], float],
        pace: Callable[[], float],
        ponders: Callable[[], bool],
    ) -> None:
        self.thinking: Thinking | None = None
        self.due: Computer | EngineSeat | None = None
        self.paused = False
        self.trouble: PlayerError | IllegalMove | None = None
        self.questioned: EvaluatedMove | None = None
        self.single = Computer()
        self._match = match
        self._make_players = make_players
        self._players: PlayerTable | None = None
        self._spawn = spawn
        self._teach = teach
        self._pace = pace
        self._ponders = ponders
        self._taught: Node | None = None
        """The last move that teach mode judged, or could not judge."""
        self._evaluating: Node | None = None
        """The move that teach mode is judging."""
        self._turn: Background | None = None
        self._resignation: ResignationPolicy | None = None

    # The players

    @property
    def players(self) -> PlayerTable:
        if self._players is None:
            self._players = self._make_players()
        return self._players

    @property
    def has_players(self) -> bool:
        return self._players is not None

    def begin(self) -> None:
        """Switch to the session of the match, in which no computer moves yet.

        Players without a seat there are ended; without ``spawn``, :meth:`release_absent` does that.
        """
        if self._players is not None and self._spawn is not None:
            self._players.dismiss_absent(self._match.session.seats)
        self._taught = None
        self.forget()

    def forget(self) -> None:
        """Reset the pause of the computers, and drop earlier requests to the players."""
        self.paused, self.trouble, self.questioned, self._resignation = False, None, None, None

    async def release_absent(self) -> None:
        """End the players without a seat in the session, and wait until they are gone."""
        if self._players is not None:
            await asyncio.gather(*self._players.dismiss_absent(self._match.session.seats), return_exceptions=True)

    async def close(self) -> None:
        self.stop()
        if self._players is not None:
            players, self._players = self._players, None
            await players.close()

    # Whose turn it is

    def go_on(self, *, asked: bool = False) -> None:
        """Let a computer move if it is its turn.

        Viewing earlier moves neither starts nor ends a search: a computer moves at the end of a line, or when ``asked``
        to, as after a move just made.
        """
        session = self._match.session
        if self.thinking is not None:
            return
        if session.seats[BLACK] == session.seats[WHITE] == PERSON:
            self.due = None
            return
        waits = self._waits(asked=asked)
        self._set_due(None if waits else _computer(session.seats[session.game.to_move]))
        if not waits and self.due is None and self._spawn is not None:
            self._ponder(self._spawn)

    def _waits(self, *, asked: bool) -> bool:
        """Return whether computers neither move nor ponder here, as :meth:`go_on` says."""
        game = self._match.session.game
        seen_before = bool(game.node.children) and not asked
        board = game.board
        stands = game.is_over or (board.stifled and board.no_liberties() is not None)
        return self.paused or stands or seen_before or self.questioned is not None

    def follow(self) -> None:
        """Follow a change of position, which ends a thought or question about another one."""
        self._rest()
        here = self._match.session.game.node
        if self.questioned is not None and self.questioned.node is not here:
            self.questioned = None
        if self.thinking is not None:
            at = self.thinking.node
            # The opponent continues to think while the user looks back.
            if at.is_over or (at is not here and at is not self._match.session.front):
                self.stop()

    def holds_clock(self, front: Node) -> bool:
        """Return whether the clock is stopped at the front of the game.

        A computer's clock runs only while it thinks, so that one that waits until its turn is viewed loses no time, nor
        one that loads its network.
        """
        if self.paused or self.questioned is not None or self._evaluating is front:
            return True
        thinks = self.thinking is not None and self.thinking.node is front and self.thinking.ready
        return not thinks and _computer(self._match.session.seats[front.to_move]) is not None

    def stop(self) -> None:
        self.thinking = self.due = None
        self._rest()
        if self._turn is not None:
            turn, self._turn = self._turn, None
            turn.cancel()

    def _rest(self) -> None:
        if self._players is not None:
            self._players.rest()

    def pause(self) -> None:
        self.paused, self.trouble = True, None
        self.stop()
        self._match.sync_clock()

    def unpause(self) -> None:
        self.paused, self.trouble = False, None
        self._match.sync_clock()
        self.go_on(asked=True)

    def move_now(self) -> Refusal | Declined | None:
        session = self._match.session
        mover = session.game.to_move
        if session.game.is_over:
            return GameOver()
        if refusal := session.game.board.no_liberties():
            return refusal
        if self.thinking is not None:
            return Declined.THINKING
        self.questioned = None
        if mover in session.persons:
            self._match.note_help()
        self._set_due(_computer(session.seats[mover]) or self.single)
        return None

    def hurry(self) -> Declined | None:
        """Have the thinking computer move at once, which counts as help for its human opponent.

        A GTP engine cannot be told to, and may hang: it is ended instead, and the computers are paused.
        """
        thought = self.thinking
        if thought is None or self.due is None:
            return Declined.NOT_THINKING
        if thought.evaluating is not None:
            # The move is not judged to the end; the computer goes on with its own.
            self.players.analyst[0].hurry()
        if isinstance(self.due, EngineSeat):
            from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415 (a start needs no player)

            self.stop()
            self._wait(PlayerError(Message("{name} was stopped before it had moved", name=thought.name)))
            return None
        if not thought.hurried:
            thought.hurried = True
            if self._match.session.persons:
                self._match.note_help()
            self.players.of(thought.colour, self.due).hurry()
        return None

    # Pondering

    @property
    def may_ponder(self) -> bool:
        """True if a computer may ponder while a human thinks here."""
        return self.due is None and not self._waits(asked=False) and self._ponderer() is not None

    async def ponder_until(self, moment: Awaitable[object]) -> None:
        """Let the computer ponder, if enabled, until ``moment``: for a face that blocks afterwards."""
        if self.may_ponder:
            self._ponder(lambda work: asyncio.create_task(work()))
        try:
            await moment
        finally:
            self._rest()
            # Stop the process before the face blocks.
            await asyncio.sleep(0)

    def _ponderer(self) -> Computer | None:
        """Return the computer that is to ponder the position of the human to move, None if there is none.

        Only a level whose strength is limited by time ponders: any other would become stronger.
        """
        game = self._match.session.game
        other = self._match.session.seats[opponent(game.to_move)]
        if not isinstance(other, Computer) or not game.node.number or not self._ponders():
            return None
        from daoqi_tui.ai.levels import level_of  # noqa: PLC0415 (a start needs no player)

        return other if level_of(other.level).timed else None

    def _ponder(self, spawn: Spawn) -> None:
        ponderer = self._ponderer()
        if ponderer is None:
            return
        from daoqi_tui.ai import Position  # noqa: PLC0415 (a start needs no player)

        game = self._match.session.game
        self.players.ponder(opponent(game.to_move), ponderer, Position.of(game), spawn)

    # A thought

    def _set_due(self, seat: Computer | EngineSeat | None) -> None:
        self.due = seat
        if seat is not None and self._spawn is not None:
            self._begin_thought(seat)
            self._turn = self._spawn(self._take_turn)

    def _begin_thought(self, seat: Computer | EngineSeat) -> Thinking:
        from daoqi_tui.play.players import Thinking  # noqa: PLC0415 (a start waits for no thought)

        if isinstance(seat, Computer):
            self.single = seat
        self.trouble = None
        game = self._match.session.game
        is_engine = isinstance(seat, EngineSeat)
        thought = Thinking(game.node, game.to_move, seat_name(seat), monotonic(), is_engine=is_engine)
        self.thinking = thought
        self._match.sync_clock()
        self._match.notify(Thinks(thought))
        return thought

    async def _take_turn(self) -> None:
        thought = self.thinking
        assert thought is not None
        evaluated = await self.judge()
        if self.thinking is not thought:
            return
        if evaluated is not None:
            self.question(evaluated)
            return
        answer = await self.ask()
        if not self._match.session.persons:
            await asyncio.sleep(self._pace() - (monotonic() - thought.since))
        if self.thinking is thought:
            self._turn = None
            self.make(answer)

    async def ask(self) -> Answer | PlayerError:
        """Ask the computer that is :attr:`due` for its move; return its answer, or the error."""
        from daoqi_tui.ai import Position  # noqa: PLC0415
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415 (a start needs no player)
        from daoqi_tui.play.players import AT_ONCE, time_for_move  # noqa: PLC0415

        seat, players, game = self.due, self.players, self._match.session.game
        assert seat is not None, "no computer is to move"
        thought = self.thinking or self._begin_thought(seat)
        node = thought.node
        position = Position.of(game, node)

        def on_progress(progress: Progress) -> None:
            thought.progress = progress

        try:
            await self._prepare(thought, seat, position)
            time = AT_ONCE
            # While a move was judged or a network loaded, the computer may have been hurried, before its search.
            if not thought.hurried:
                timed = self._match.time_left(thought.colour)
                time = time_for_move(seat.seconds, timed, points=game.torus.points, played=node.number)
            return await players.think(
                thought.colour,
                seat,
                position,
                time=time,
                on_progress=on_progress,
                on_crash=self._notify_crash,
            )
        except PlayerError as error:
            return error
        except asyncio.CancelledError:
            # A request to a GTP engine cannot be cancelled, so the engine is ended and restarted.
            if isinstance(seat, EngineSeat):
                ended = players.dismiss(thought.colour)
                if self._spawn is None:
                    await asyncio.gather(*ended)
            raise

    async def _prepare(self, thought: Thinking, seat: Computer | EngineSeat, position: Position) -> None:
        """Have the computer load what it needs; then its time runs."""

        def notify(stage: Stage) -> None:
            thought.stage = stage
            self._match.notify(Prepares(thought))

        # A clock must not pay for the compiler; without one, nobody need wait for it.
        wait = self._match.session.clock is not None
        await self.players.prepare(
            thought.colour, seat, position, wait=wait, on_stage=notify, on_crash=self._notify_crash
        )
        thought.ready, thought.since = True, monotonic()
        self._match.sync_clock()

    def _notify_crash(self, problem: PlayerError) -> None:
        self._match.notify(Crashed(problem))

    def make(self, answer: Answer | PlayerError) -> None:
        """Make the move that :meth:`ask` returned, at the node it is for, whichever node is viewed.

        After an error or an illegal move the computers are paused.
        """
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415 (a start needs no player)
        from daoqi_tui.gtp.player import ResignationPolicy, apply_answer  # noqa: PLC0415

        match = self._match
        game, node, viewed = match.session.game, self._thought_node, match.session.game.node
        self.thinking = self.due = None
        if isinstance(answer, PlayerError):
            self._wait(answer)
            return
        game.goto(node)
        self._note(answer)
        match.notify(Answered(game.node, game.to_move, answer))
        self._resignation = self._resignation or ResignationPolicy()
        # A move requested for a human's side never resigns.
        own = match.session.resigns and game.to_move not in match.session.persons
        resignation = self._resignation if own else None
        refusal = match.make_move(lambda: apply_answer(game, answer, resignation), computer=True)
        if refusal is not None:
            game.goto(viewed)
            self._wait(IllegalMove(refusal))

    @property
    def _thought_node(self) -> Node:
        return self.thinking.node if self.thinking is not None else self._match.session.game.node

    def _note(self, answer: Answer) -> None:
        """Keep the evaluation of a computer that plays; only analyses go into the record."""
        session = self._match.session
        node, mover = session.game.node, session.game.to_move
        seat = session.seats[mover]
        engine, command = (session.player(mover), seat.command) if isinstance(seat, EngineSeat) else ("", "")
        found = Evaluation.of(answer, mover, engine, command=command, network=self.players.network)
        if found is not None:
            self._match.evaluations.note(node, found, record=False)

    def _wait(self, problem: PlayerError | IllegalMove) -> None:
        self.paused, self.trouble = True, problem
        self._match.sync_clock()
        self._match.notify(Trouble(problem))

    # Teach mode

    async def judge(self) -> EvaluatedMove | None:
        """Judge the move that the computer is about to answer; None if teach mode has no objection.

        Each move is judged once; a cancelled judgement is repeated. The clock is stopped meanwhile.
        """
        match, game, node = self._match, self._match.session.game, self._thought_node
        least = self._teach()
        mine = node.move is not None and (node.move.colour,) == match.session.persons
        if not least or not mine or node.is_over or node is self._taught:
            return None
        if game.torus.points - game.board_at(node).empty.bit_count() <= 1:
            return None
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415 (a start needs no player)
        from daoqi_tui.play.analyst import evaluate_move, evaluation_wait  # noqa: PLC0415

        self._evaluating, thought = node, self.thinking
        if thought is not None:
            thought.evaluating = evaluation_wait()
        match.sync_clock()
        try:
            evaluated = await evaluate_move(self.players, game, node, lambda: thought is not None and thought.hurried)
            self._taught = node
        except PlayerError as error:
            self._taught = node
            match.notify(NotEvaluated(error))
            return None
        finally:
            if self._evaluating is node:
                self._evaluating = None
            if thought is not None:
                thought.evaluating = None
            match.sync_clock()
        if evaluated is None:
            return None
        assert node.parent is not None
        match.evaluations.note(node.parent, evaluated.before, record=False)
        return evaluated if evaluated.lost >= least else None

    def question(self, evaluated: EvaluatedMove) -> None:
        """Ask whether to undo a move, and view it; :meth:`keep_move` or an undo answers."""
        self.thinking = self.due = self._turn = None
        self.questioned = evaluated
        if evaluated.node is not self._match.session.game.node:
            self._match.goto(evaluated.node)
        self._match.sync_clock()
        self._match.notify(Questioned(evaluated))

    def keep_move(self) -> None:
        self.questioned = None
        self._match.sync_clock()
        self.go_on(asked=True)


def _computer(seat: Seat) -> Computer | EngineSeat | None:
    return seat if isinstance(seat, Computer | EngineSeat) else None
