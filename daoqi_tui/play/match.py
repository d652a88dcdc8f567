"""A game in progress, without a screen: turns, moves of people and computers, clocks, and saving.

A face (the screen, text mode, a server) calls the methods of :class:`Match` and receives every change once, after the
journal has it. A command that cannot be carried out returns the reason as a value and changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from daoqi_tui import log
from daoqi_tui.engine import Colour, Game, GameOver, IllegalMove, Node, Refusal, Resignation, Setup, TwoPasses, opponent
from daoqi_tui.play.announcer import Announcer
from daoqi_tui.play.background import Background, Spawn
from daoqi_tui.play.evaluation import Evaluation, Evaluations
from daoqi_tui.play.events import (
    Answered,
    Change,
    Crashed,
    Declined,
    Event,
    Filed,
    Kind,
    NotJudged,
    Questioned,
    Saving,
    Thinks,
    Trouble,
)
from daoqi_tui.play.seats import Computer, EngineSeat, Seat
from daoqi_tui.play.session import Session

if TYPE_CHECKING:
    from daoqi_tui.ai.process import PlayerError
    from daoqi_tui.ai.protocol import Answer, Progress
    from daoqi_tui.engine.clock import Clock
    from daoqi_tui.gtp.player import ResignationPolicy
    from daoqi_tui.play.evaluation import JudgedMove
    from daoqi_tui.play.keeper import Keeper
    from daoqi_tui.play.players import PlayerTable, Thinking
    from daoqi_tui.play.position import PositionEditor
    from daoqi_tui.play.rating import Rating
    from daoqi_tui.record.journal.journal import SaveFailure

_CLOCK_KEPT: Final = 5.0
"""Seconds from one reading of the clock in the journal to the next, while nobody moves."""
_ENDS: Final = frozenset({"move", "redo", "resign", "dead", "time"})
"""Kinds of changes that may end a game; it is put into the library then."""


class Match:
    """A session with its players, its keeper, and the turns.

    With ``spawn`` a computer moves by itself when it is its turn, and changes are told as soon as the journal has
    them. Without it nothing happens between two calls, for a face that blocks while it waits for a person: commands
    return when the disk has what they did, clocks stand still, and as long as :attr:`due` names a computer, the face
    awaits :meth:`ask` and hands what it returns to :meth:`make`.

    Args:
        session: what is played.
        make_players: makes the table of players; called when the first computer is to move.
        keeper: keeps what is played; None keeps nothing.
        spawn: runs a coroutine function in the background.
        teach: returns the points from which a lost move is questioned before the computer answers it; 0 for never.
        pace: returns the least number of seconds from move to move where nobody but computers plays.
        now: returns the time by which the clocks go, in seconds of a steady clock.
        ponders: returns whether the computer searches on while a person thinks; asked after each of its moves.

    Attributes:
        session: what is played.
        keeper: keeps what is played.
        thinking: the thought under way, None while no computer thinks.
        due: the computer that is to move now, None where a person is to move, or nobody.
        paused: whether the computers wait until they are told to move.
        trouble: why they wait, None where a person had them wait.
        questioned: the move of a person that teach mode asks about; the computer waits until it is kept or undone.
        rated: the person's rating after the game that ended, None where it was not rated.
        single: the level that moves where no computer sits: the last one that played.
        evaluations: what searches found at the positions of the game, those of computers that play among them.
    """

    def __init__(
        self,
        session: Session,
        make_players: Callable[[], PlayerTable],
        keeper: Keeper | None = None,
        *,
        spawn: Spawn | None = None,
        teach: Callable[[], float] = lambda: 0.0,
        pace: Callable[[], float] = lambda: 0.0,
        now: Callable[[], float] | None = None,
        ponders: Callable[[], bool] = lambda: False,
    ) -> None:
        self.session = session
        self.keeper = keeper
        self.thinking: Thinking | None = None
        self.due: Computer | EngineSeat | None = None
        self.paused = False
        self.trouble: PlayerError | IllegalMove | None = None
        self.questioned: JudgedMove | None = None
        self.rated: Rating | None = None
        self.single = Computer()
        self.evaluations = Evaluations()
        self._make_players = make_players
        self._players: PlayerTable | None = None
        self._spawn = spawn
        self._pace = pace
        self._teach = teach
        self._taught: Node | None = None
        """The move that teach mode judged last, or could not judge."""
        self._judging: Node | None = None
        """The move that teach mode looks at."""
        self._now = now or monotonic
        self._ponders = ponders
        self._announcer: Final = Announcer(spawn)
        self._turn: Background | None = None
        self._resignation: ResignationPolicy | None = None
        self._remembered: dict[Node, Node] = {}
        self._clock_kept = 0.0
        self._remember_path()

    # Who plays and who listens

    def subscribe(self, hear: Callable[[Event], object]) -> None:
        """Subscribe ``hear`` to all events from now on."""
        self._announcer.subscribe(hear)

    @property
    def game(self) -> Game:
        """The game."""
        return self.session.game

    @property
    def players(self) -> PlayerTable:
        """The players that are not persons; made when they are first asked for."""
        if self._players is None:
            self._players = self._make_players()
        return self._players

    @property
    def has_players(self) -> bool:
        """Whether the table of players was made."""
        return self._players is not None

    @property
    def persons(self) -> tuple[Colour, ...]:
        """The colours that persons play."""
        return self.session.persons

    @property
    def awaits_person(self) -> bool:
        """Whether a person at this keyboard may make the next move."""
        return self.thinking is None

    @property
    def awaits_count(self) -> bool:
        """Whether the game has ended but the players have still to agree on the count."""
        return False

    @property
    def written(self) -> bool:
        """Whether every change of the game has been told, so that the position may be shown."""
        return not self._announcer.waits

    def begin(self, session: Session) -> None:
        """Switch to another session; its computers move after :meth:`start`.

        Players that have no seat there are ended; without ``spawn`` :meth:`release_absent` does that.
        """
        self._stop_thinking()
        self.session = session
        if self._players is not None and self._spawn is not None:
            self._players.dismiss_absent(session.seats)
        self.paused, self.trouble, self._resignation = False, None, None
        self.questioned = self._taught = self.rated = None
        self._remembered.clear()
        self._announcer.clear()
        self.evaluations.clear()
        self._remember_path()
        self._sync_clock()

    async def release_absent(self) -> None:
        """End the players that have no seat in the session, and wait until they are gone."""
        if self._players is not None:
            await asyncio.gather(*self._players.dismiss_absent(self.session.seats), return_exceptions=True)

    def start(self) -> None:
        """Let a computer move if it is its turn."""
        self._let_play()

    async def seat(self, black: Seat | None, white: Seat | None, *, resigns: bool | None = None) -> Declined | None:
        """Change the players from here on; None leaves a side as it is.

        Args:
            black: who plays Black.
            white: who plays White.
            resigns: whether a computer may resign; None leaves that as it is.
        """
        session = self.session
        session.sit(black, white)
        self.questioned = None
        if session.touched:
            self.note_help()
        if resigns is not None:
            session.resigns = resigns
        self._stop_thinking()
        await self.release_absent()
        self.paused, self.trouble, self._resignation = False, None, None
        if self.keeper is not None:
            self.keeper.write_seats(session)
        self._changed("seats", asked=True)
        return None

    async def leave(self) -> None:
        """Stop searching and saving: a finished game goes into the library, any other can be resumed.

        Raises:
            OSError: the game cannot be written into the library.
        """
        self._stop_thinking()
        if self.keeper is not None:
            await asyncio.to_thread(self.keeper.leave)

    async def close(self) -> None:
        """Stop searching and end the players' processes."""
        self._stop_thinking()
        if self._players is not None:
            players, self._players = self._players, None
            await players.close()

    # Commands of a person

    def play(self, point: int) -> Refusal | Declined | None:
        """Play at ``point`` for the side to move. Raises ValueError where it is off the board."""
        if self.thinking is not None or self.questioned is not None:
            return Declined.THINKING
        return self._moved(lambda: self.game.play(point))

    def pass_turn(self) -> Refusal | Declined | None:
        """Pass; the second pass in a row ends the game."""
        if self.thinking is not None or self.questioned is not None:
            return Declined.THINKING
        return self._moved(self.game.pass_turn)

    def undo(self) -> Declined | None:
        """Undo the last move or the end of the game; against a computer, a person's move and the answer to it."""
        session, game, persons = self.session, self.game, self.persons
        if len(persons) == 1:
            if not session.take_back_turn(persons[0]):
                return Declined.NO_MOVE_OF_YOURS
        elif game.node.ending is not None:
            session.undo_end()
        elif game.node is session.start or game.node.parent is None:
            return Declined.AT_START
        else:
            game.undo()
        self._stop_thinking()
        if not persons:
            # The next of two computers would move again at once.
            self.paused = True
        self.note_help()
        self._play_goes_on_here()
        self._changed("undo")
        return None

    def redo(self) -> Declined | None:
        """Redo an undone move; against a computer, with the answer to it. Sends a change for each move."""
        game, persons = self.game, self.persons
        if self.next_node(game.node) is None:
            return Declined.NOTHING_TO_REDO
        while (node := self.next_node(game.node)) is not None:
            before = bytes(game.board.colours)
            game.goto(node)
            if node.parent is self.session.front:
                self._play_goes_on_here()
            self._changed("redo", self._removed(before))
            if len(persons) != 1 or game.to_move == persons[0]:
                break
        return None

    def goto(self, node: Node) -> None:
        """View another node; the game still continues from where it was, and a computer that thinks there goes on."""
        self.game.goto(node)
        self._changed("goto")

    def back(self, moves: int = 1) -> bool:
        """View a node some moves earlier, at the earliest the start of the game; return whether there is one."""
        node = self.game.node
        for _move in range(moves):
            if node.parent is None or node is self.session.start:
                break
            node = node.parent
        return self._goto_another(node)

    def forward(self, moves: int = 1) -> bool:
        """View a node some moves on along the line viewed last, at most its end; return whether there is one."""
        node = self.game.node
        for _move in range(moves):
            following = self.next_node(node)
            if following is None:
                break
            node = following
        return self._goto_another(node)

    def next_variation(self) -> bool:
        """View the next move that was played in place of this one; return whether there is one."""
        node = self.game.node
        siblings = node.parent.children if node.parent is not None else [node]
        return self._goto_another(siblings[(siblings.index(node) + 1) % len(siblings)])

    def _goto_another(self, node: Node) -> bool:
        if node is self.game.node:
            return False
        self.goto(node)
        return True

    @property
    def resigning(self) -> Colour | None:
        """The side that :meth:`resign` means: the only person, else the side to move; None after the end."""
        front = self.session.front or self.game.node
        if front.is_over:
            return None
        return self.persons[0] if len(self.persons) == 1 else front.to_move

    def resign(self, loser: Colour | None = None) -> Refusal | Declined | None:
        """Resign for ``loser``, or for :attr:`resigning`, at the front of the game, whichever node is viewed."""
        resigning = self.resigning
        if resigning is None:
            return GameOver()
        self._stop_thinking()
        # A move that a computer made meanwhile belongs to the game that is given up.
        self.game.goto(self.session.front or self.game.node)
        self.game.resign(loser or resigning)
        self._play_goes_on_here()
        self._changed("resign")
        return None

    def resume(self) -> Declined | None:
        """Resume the game after its end; the result of a resignation or a loss on time stays rated."""
        if not self.game.is_over:
            return Declined.NOT_OVER
        if self.session.ended_uncounted:
            self.note_help()
        self.session.resume()
        self._play_goes_on_here()
        self._changed("resume", tree=True)
        return None

    def mark_dead(self, point: int) -> Declined | None:
        """Agree that the chain on ``point`` is dead, or alive where it was agreed to be dead."""
        ending = self.game.ending
        if not isinstance(ending, TwoPasses):
            return Declined.NOT_COUNTED
        chain = self.game.chain_at(point)
        if chain is None:
            return Declined.NO_STONE
        stones = frozenset(chain.stones)
        return self.agree_dead(ending.dead - stones if stones <= ending.dead else ending.dead | stones)

    def agree_dead(self, dead: frozenset[int]) -> Declined | None:
        """Agree which stones are dead: these and no others."""
        if not isinstance(self.game.ending, TwoPasses):
            return Declined.NOT_COUNTED
        self.game.agree_dead(dead)
        self._changed("dead")
        return None

    def set_up(self, editor: PositionEditor) -> Refusal | Declined | None:
        """Set a position up after the current node; play goes on from there.

        Raises:
            ValueError: a chain has no liberty.
        """
        try:
            editor.insert(self.game)
        except IllegalMove as error:
            return error.refusal
        self._stop_thinking()
        self._play_goes_on_here()
        self._changed("setup", tree=True)
        return None

    def note_help(self) -> None:
        """Note that the person was helped, so that the game is not rated from here on."""
        if not self.session.helped:
            self.session.helped = True
            if self.keeper is not None:
                self.keeper.write_help(self.session)

    def _rate(self, keeper: Keeper) -> None:
        """Rate the game that ended, where a person played the computer without help and on even terms.

        These are an empty board, the komi of the rules, and a computer with the time of its level.
        """
        from daoqi_tui.play.rating import LEAST_MOVES, Played  # noqa: PLC0415

        session, result = self.session, self.game.result
        if len(self.persons) != 1 or session.helped or result is None:
            return
        other = session.seats[opponent(self.persons[0])]
        if not isinstance(other, Computer) or other.seconds is not None or self.game.node.number < LEAST_MOVES:
            return
        set_up = any(isinstance(node.action, Setup) for node in self.game.node.path())
        if set_up or self.game.komi != self.game.rules.komi:
            return
        score = 1.0 if result.winner == self.persons[0] else 0.0 if result.winner else 0.5
        size = self.game.torus.size
        self.rated = keeper.ratings.note(size, Played(other.level, score), again=self.rated is not None)

    def note(self, node: Node) -> None:
        """Save and announce an edited comment or mark of a node."""
        ticket = self.keeper.write_notes(self.session, node) if self.keeper is not None else None
        self._announcer.tell_when_written(Change("notes", node), ticket)

    # Commands about computers

    def pause(self) -> Declined | None:
        """Pause the computers and the clock; a running search is cancelled."""
        self.paused, self.trouble = True, None
        self._stop_thinking()
        self._sync_clock()
        return None

    def unpause(self) -> Declined | None:
        """Resume after :meth:`pause`."""
        self.paused, self.trouble = False, None
        self._sync_clock()
        self._let_play(asked=True)
        return None

    def move_now(self) -> Refusal | Declined | None:
        """Have a computer make one move for the side to move, whoever plays it."""
        if self.game.is_over:
            return GameOver()
        if self.thinking is not None:
            return Declined.THINKING
        self.questioned = None
        if self.game.to_move in self.persons:
            self.note_help()
        self._set_due(_computer(self.session.seats[self.game.to_move]) or self.single)
        return None

    def hurry(self) -> Declined | None:
        """Have the computer that thinks move at once, which helps the person whom it plays."""
        thought = self.thinking
        if thought is None or self.due is None:
            return Declined.NOT_THINKING
        if isinstance(self.due, EngineSeat):
            return Declined.NOT_HURRIED
        if not thought.hurried:
            thought.hurried = True
            if self.persons:
                self.note_help()
            self.players.of(thought.colour, self.due).hurry()
        return None

    # The turns of computers

    def _let_play(self, *, asked: bool = False) -> None:
        """Let a computer move if it is its turn.

        Viewing earlier moves starts no search, and ends none: a computer moves at the end of a line, or when ``asked``
        to, as after a move just made.
        """
        game = self.game
        if self.thinking is not None:
            return
        waits = self._waits(asked=asked)
        self._set_due(None if waits else _computer(self.session.seats[game.to_move]))
        if not waits and self.due is None and self._spawn is not None:
            self._ponder(self._spawn)

    def _waits(self, *, asked: bool) -> bool:
        """Return whether computers neither move nor ponder here, as :meth:`_let_play` says."""
        game = self.game
        seen_before = bool(game.node.children) and not asked
        return self.paused or game.is_over or seen_before or self.questioned is not None

    @property
    def may_ponder(self) -> bool:
        """Whether a computer is to search on while a person thinks here."""
        return self.due is None and not self._waits(asked=False) and self._ponderer() is not None

    async def ponder_until(self, moment: Awaitable[object]) -> None:
        """Let the computer search on, where that is wanted, until ``moment``: for a face that blocks afterwards."""
        if self.may_ponder:
            self._ponder(lambda work: asyncio.create_task(work()))
        try:
            await moment
        finally:
            self._rest()
            # The process is told to stop before the face blocks.
            await asyncio.sleep(0)

    def _ponderer(self) -> Computer | None:
        """Return the computer that is to search the position of the person to move, None where none is.

        Only one whose time limits its strength: any other level would be stronger by it.
        """
        other = self.session.seats[opponent(self.game.to_move)]
        if not isinstance(other, Computer) or not self.game.node.number or not self._ponders():
            return None
        from daoqi_tui.ai.levels import level_of  # noqa: PLC0415 (a start needs no player)

        return other if level_of(other.level).timed else None

    def _ponder(self, spawn: Spawn) -> None:
        """Let the computer search the position of the person to move in the background, if that is wanted."""
        ponderer = self._ponderer()
        if ponderer is None:
            return
        from daoqi_tui.ai.protocol import Position  # noqa: PLC0415 (a start needs no player)

        self.players.ponder(opponent(self.game.to_move), ponderer, Position.of(self.game), spawn)

    def _set_due(self, seat: Computer | EngineSeat | None) -> None:
        self.due = seat
        if seat is not None and self._spawn is not None:
            self._begin_thought(seat)
            self._turn = self._spawn(self._take_turn)

    def _begin_thought(self, seat: Computer | EngineSeat) -> Thinking:
        from daoqi_tui.play.players import Thinking  # noqa: PLC0415 (a start waits for no thought)
        from daoqi_tui.play.seats import seat_name  # noqa: PLC0415

        if isinstance(seat, Computer):
            self.single = seat
        self.trouble = None
        self.thinking = thought = Thinking(self.game.node, self.game.to_move, seat_name(seat), monotonic())
        self._sync_clock()
        self._tell(Thinks(thought))
        return thought

    def _stop_thinking(self) -> None:
        self.thinking = self.due = None
        self._rest()
        if self._turn is not None:
            turn, self._turn = self._turn, None
            turn.cancel()

    def _rest(self) -> None:
        if self._players is not None:
            self._players.rest()

    async def _take_turn(self) -> None:
        thought = self.thinking
        assert thought is not None
        judged = await self.judge()
        if self.thinking is not thought:
            return
        if judged is not None:
            self.question(judged)
            return
        answer = await self.ask()
        if not self.persons:
            await asyncio.sleep(self._pace() - (monotonic() - thought.since))
        if self.thinking is thought:
            self._turn = None
            self.make(answer)

    async def judge(self) -> JudgedMove | None:
        """Judge the move that the computer is about to answer; None where teach mode has nothing to say of it.

        Each move is judged once; a judgement that is cancelled is made anew. The clock stands still meanwhile.
        """
        node, least = self._thought_node, self._teach()
        mine = node.move is not None and (node.move.colour,) == self.persons
        if not least or not mine or node.is_over or node is self._taught:
            return None
        if self.game.torus.points - self.game.board_at(node).empty.bit_count() <= 1:
            return None
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415 (a start needs no player)
        from daoqi_tui.play.teaching import judge_move  # noqa: PLC0415

        self._judging = node
        self._sync_clock()
        try:
            judged = await judge_move(self.players, self.game, node)
            self._taught = node
        except PlayerError as error:
            self._taught = node
            self._tell(NotJudged(error))
            return None
        finally:
            if self._judging is node:
                self._judging = None
            self._sync_clock()
        if judged is None:
            return None
        assert node.parent is not None
        self.evaluations.note(node.parent, judged.before, record=False)
        return judged if judged.lost >= least else None

    def question(self, judged: JudgedMove) -> None:
        """Ask whether to take a move back, and view it; :meth:`keep_move` or :meth:`undo` answers."""
        self.thinking = self.due = self._turn = None
        self.questioned = judged
        self._goto_another(judged.node)
        self._sync_clock()
        self._tell(Questioned(judged))

    def keep_move(self) -> None:
        """Keep the move that was questioned; the computer answers it."""
        self.questioned = None
        self._sync_clock()
        self._let_play(asked=True)

    async def ask(self) -> Answer | PlayerError:
        """Ask the computer that is :attr:`due` for its move; return its answer, or the error."""
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415 (a start needs no player)
        from daoqi_tui.ai.protocol import Position  # noqa: PLC0415
        from daoqi_tui.play.players import AT_ONCE, time_for_move  # noqa: PLC0415

        seat, players = self.due, self.players
        assert seat is not None, "no computer is to move"
        thought = self.thinking or self._begin_thought(seat)
        node, clock = thought.node, self._clock
        time = AT_ONCE
        # A move that was judged first may have been hurried already, before there was a search to end.
        if not thought.hurried:
            time = time_for_move(
                seat.seconds,
                clock.left(thought.colour, self._now()) if clock is not None else None,
                increment=clock.control.increment if clock is not None else 0.0,
                points=self.game.torus.points,
                played=node.number,
            )

        def hear(progress: Progress) -> None:
            thought.progress = progress

        try:
            return await players.think(
                thought.colour,
                seat,
                Position.of(self.game, node),
                time=time,
                on_progress=hear,
                on_crash=lambda problem: self._tell(Crashed(problem)),
            )
        except PlayerError as error:
            return error
        except asyncio.CancelledError:
            # What a GTP engine was asked for cannot be called off, so it is ended and begins anew.
            if isinstance(seat, EngineSeat):
                ended = players.dismiss(thought.colour)
                if self._spawn is None:
                    await ended
            raise

    def make(self, answer: Answer | PlayerError) -> None:
        """Make the move that :meth:`ask` returned, where it was thought about, whichever node is viewed.

        After an error or an illegal move the computers are paused.
        """
        from daoqi_tui.ai.process import PlayerError  # noqa: PLC0415 (a start needs no player)
        from daoqi_tui.gtp.player import ResignationPolicy, apply_answer  # noqa: PLC0415

        game, node, viewed = self.game, self._thought_node, self.game.node
        self.thinking = self.due = None
        if isinstance(answer, PlayerError):
            self._wait(answer)
            return
        game.goto(node)
        self._note(answer)
        self._tell(Answered(game.node, game.to_move, answer))
        self._resignation = self._resignation or ResignationPolicy()
        # A move requested for a person's side never resigns.
        own = self.session.resigns and game.to_move not in self.persons
        resignation = self._resignation if own else None
        refusal = self._moved(lambda: apply_answer(game, answer, resignation), computer=True)
        if refusal is not None:
            game.goto(viewed)
            self._wait(IllegalMove(refusal))

    @property
    def _thought_node(self) -> Node:
        """The node at which a computer thinks, or is to think."""
        return self.thinking.node if self.thinking is not None else self.game.node

    def _note(self, answer: Answer) -> None:
        """Keep what a computer that plays found; only what an analysis finds goes into the record."""
        node, mover = self.game.node, self.game.to_move
        seat = self.session.seats[mover]
        engine = self.session.player(mover) if isinstance(seat, EngineSeat) else ""
        found = Evaluation.of(answer, mover, engine)
        if found is not None:
            self.evaluations.note(node, found, record=False)

    def _wait(self, problem: PlayerError | IllegalMove) -> None:
        self.paused, self.trouble = True, problem
        self._sync_clock()
        self._tell(Trouble(problem))

    # What follows from a change

    def _moved(self, make: Callable[[], object], *, computer: bool = False) -> Refusal | None:
        """Make a move with the clock of its side; it may turn out to be a resignation.

        A move made elsewhere than at the front of the game takes back what was played from there on.
        """
        game, front = self.game, self.session.front
        made_at, before = game.node, bytes(game.board.colours)
        # Where the front is not known, as in a game taken up that has no clock, it is the end of the line.
        takes_back = made_at is not front if front is not None else bool(made_at.children)
        try:
            make()
        except IllegalMove as error:
            return error.refusal
        if isinstance(game.ending, Resignation):
            self._changed("resign")
            return None
        clock = self._clock
        if takes_back:
            self.note_help()
        if clock is not None and made_at is front:
            # A variation from an earlier move earns no time: none was measured for it.
            clock.press(self._now())
        self._play_goes_on_here()
        self._changed("move", self._removed(before), tree=True, asked=True, computer=computer)
        return None

    def _removed(self, before: bytes) -> tuple[int, ...]:
        node = self.game.node
        if not (node.captured or node.lost):
            return ()
        colours = self.game.board.colours
        return tuple(point for point, colour in enumerate(before) if colour and not colours[point])

    def _play_goes_on_here(self) -> None:
        """Make this node the front of the game, for which its clock runs."""
        self.session.front = self.game.node

    def _changed(
        self,
        kind: Kind,
        removed: tuple[int, ...] = (),
        *,
        tree: bool = False,
        asked: bool = False,
        computer: bool = False,
    ) -> None:
        """Write the change to the journal, announce it once it is on the disk, and let a computer move."""
        game, keeper = self.game, self.keeper
        self._rest()
        if self.questioned is not None and self.questioned.node is not game.node:
            self.questioned = None
        if self.thinking is not None:
            at = self.thinking.node
            # The opponent thinks on while a person looks back.
            if at.is_over or (at is not game.node and at is not self.session.front):
                self._stop_thinking()
        self._remember_path()
        self._sync_clock()
        ticket = keeper.follow(self.session) if keeper is not None else None
        # A variation that ended earlier may be viewed while the game goes on elsewhere.
        ends = kind in _ENDS and game.is_over and self.session.front in (None, game.node)
        filing = keeper if keeper is not None and keeper.has_news and ends else None
        if filing is not None:
            if filing.promote_end(self.session):
                tree, ticket = True, filing.follow(self.session)
            self._rate(filing)
        self._announcer.tell_when_written(Change(kind, game.node, removed, tree, computer), ticket)
        if filing is not None:
            if self._spawn is None:
                self._tell(_file(filing, self.session))
            else:
                self._spawn(partial(self._file_later, filing, self.session))
        self._let_play(asked=asked)

    def _tell(self, event: Event) -> None:
        self._announcer.tell(event)

    async def _file_later(self, keeper: Keeper, session: Session) -> None:
        filed = await asyncio.to_thread(_file, keeper, session)
        # After the change that ended the game, which a slow disk may hold up.
        self._announcer.tell_when_written(filed, None)

    def saving_changed(self, failing: SaveFailure | None) -> None:
        """Announce that saving began to fail, or works again: after the changes that wait for the disk."""
        self._announcer.tell_when_written(Saving(failing), None)

    # Where the game stands

    def next_node(self, node: Node) -> Node | None:
        """Return the child of ``node`` that was viewed last, or the first one."""
        return self._remembered.get(node) or next(iter(node.children), None)

    def last_node(self) -> Node:
        """Return the end of the line that was viewed last."""
        node = self.game.node
        while following := self.next_node(node):
            node = following
        return node

    def _remember_path(self) -> None:
        node = self.game.node
        while (parent := node.parent) is not None and self._remembered.get(parent) is not node:
            self._remembered[parent] = node
            node = parent

    # The clock

    @property
    def _clock(self) -> Clock | None:
        """The clock; None without ``spawn``, since it then stands still between two calls."""
        return None if self._spawn is None else self.session.clock

    def _sync_clock(self) -> None:
        """Let the clock run at the front of the game, whichever node is viewed.

        As on a server: if the clock stopped while earlier moves are viewed, a player could think for free
        by going back one move. A computer's clock runs only while it thinks: one that waits until its turn is viewed
        loses no time by it.
        """
        session, clock = self.session, self._clock
        if clock is None:
            return
        if session.front is None:
            session.front = self.last_node()
        front = session.front
        thinks = self.thinking is not None and self.thinking.node is front
        waits = self.paused or self.questioned is not None or self._judging is front
        if waits or front.is_over or (_computer(session.seats[front.to_move]) is not None and not thinks):
            clock.stop(self._now())
        elif clock.running != front.to_move:
            clock.start(front.to_move, self._now())

    def tick(self) -> None:
        """Check the clock; call it a few times a second. A side whose time is up loses."""
        session, clock = self.session, self._clock
        if clock is None or clock.running is None:
            return
        now = self._now()
        if clock.left(clock.running, now).is_out:
            if session.front is not None:
                session.game.goto(session.front)
            session.game.lose_on_time(clock.running)
            self._changed("time")
        elif self.keeper is not None and now - self._clock_kept > _CLOCK_KEPT:
            self._clock_kept = now
            self.keeper.write_clock(session)


def _computer(seat: Seat) -> Computer | EngineSeat | None:
    """Return the seat if it is a computer's, else None."""
    return seat if isinstance(seat, Computer | EngineSeat) else None


def _file(keeper: Keeper, session: Session) -> Filed:
    """Write a finished game into the library. Waits for the disk."""
    try:
        keeper.ratings.save()
    except OSError as error:
        log.warning("the ratings cannot be saved: %r", error)
    try:
        return Filed(keeper.file(session))
    except OSError as error:
        return Filed(None, error)
