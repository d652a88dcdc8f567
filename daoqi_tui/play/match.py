"""A game in progress, without a screen: turns, moves of humans and computers, clocks, and saving.

A face (the screen, text mode, a server) calls the methods of :class:`Match` and receives every change once, after the
journal has it. A command that cannot be carried out returns the reason as a value and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Flag, auto
from functools import partial
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from daoqi_tui.engine import (
    BLACK,
    WHITE,
    Colour,
    Ending,
    GameOver,
    IllegalMove,
    Node,
    Refusal,
    Resignation,
    Result,
    Rules,
    Style,
    Torus,
    TwoPasses,
)
from daoqi_tui.engine.clock import Clock, Press, TimeControl, TimeLeft
from daoqi_tui.i18n import _
from daoqi_tui.pictures.picture import Mistake
from daoqi_tui.play.background import Spawn, on_disk
from daoqi_tui.play.editing import Edit, Editor
from daoqi_tui.play.evaluation import EvaluatedMove, Evaluations, evaluated_moves, mistakes_of
from daoqi_tui.play.events import Announcer, Change, Declined, Event, Kind, Saving
from daoqi_tui.play.session import Seat, Session, Variations
from daoqi_tui.play.turns import Turns
from daoqi_tui.play.wording import Unable

if TYPE_CHECKING:
    from pathlib import Path

    from daoqi_tui.play.keeper import Keeper
    from daoqi_tui.play.players import PlayerTable
    from daoqi_tui.play.position import PositionEditor
    from daoqi_tui.play.profile import Rating
    from daoqi_tui.record.journal import SaveFailure

_ENDS: Final = frozenset({"move", "redo", "resign", "dead", "time"})
"""Kinds of changes that may end a game, which is then saved in the library."""
_CLOCK_READ: Final = 5.0
"""Seconds between readings of the clock in the journal, while nobody moves."""
_PLAYS: Final = frozenset({"move", "redo", "setup", "resign", "time"})
"""Kinds of changes that undo takes back before earlier edits."""


class Match:
    """A session with its players, its keeper, and the turns.

    With ``spawn``, a computer moves automatically when it is its turn, and changes are announced as soon as the journal
    has them. Without it nothing happens between calls, for a face that blocks while it waits for input: commands return
    when their changes are on disk, clocks are stopped, and while ``turns.due`` names a computer, the face awaits
    ``turns.ask()`` and passes the result to ``turns.make()``.

    Args:
        session: what is played.
        make_players: makes the table of players; called when the first computer is to move.
        keeper: saves the game; None saves nothing.
        spawn: runs a coroutine function in the background.
        teach: returns the points lost from which teach mode warns about a move before the computer answers; 0 for
            never.
        pace: returns the minimum seconds between moves if only computers play.
        now: returns the time for the clocks, in seconds of a monotonic clock.
        ponders: returns whether the computer ponders while a human thinks; called after each of its moves.
        keeps_time: whether the match runs the clock, which a server does for an online game; never without ``spawn``.

    Attributes:
        session: what is played.
        keeper: saves the game.
        turns: the turns of the computers.
        variations: for stepping through the lines of the game.
        editor: edits the record; use :meth:`edit` and :meth:`annotate`, so that the change is saved and shown.
        rated: the human's rating after the finished game, None if it was not rated.
        evaluations: of the positions of the game, including those by computers that play.
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
        keeps_time: bool = True,
    ) -> None:
        self.session = session
        self.game = session.game
        self.keeper = keeper
        self.rated: Rating | None = None
        self.evaluations = Evaluations()
        self.turns: Final = Turns(self, make_players, spawn=spawn, teach=teach, pace=pace, ponders=ponders)
        self.variations = Variations(session)
        self.editor: Final = Editor(session)
        self._spawn = spawn
        self._now = now or monotonic
        self._keeps_time = keeps_time and spawn is not None
        self._clock_read = 0.0
        """When the journal was told last how the clock stands."""
        self._presses: dict[Node, Press] = {}
        """What the moves of the game brought on the clock."""
        self._new_presses: dict[Node, Press] = {}
        """Those of which the journal has not been told."""
        self._take_presses()
        self._announcer: Final = Announcer(spawn)

    # Players and subscribers

    def subscribe(self, on_event: Callable[[Event], object]) -> None:
        self._announcer.subscribe(on_event)

    @property
    def persons(self) -> tuple[Colour, ...]:
        return self.session.persons

    @property
    def awaits_person(self) -> bool:
        """True if a person at this keyboard may make the next move."""
        return self.turns.thinking is None

    @property
    def awaits_count(self) -> bool:
        """True if the game has ended but the players have still to agree on the count."""
        return False

    @property
    def written(self) -> bool:
        """True if every change of the game has been told, so that the position may be shown."""
        return not self._announcer.waits

    def begin(self, session: Session) -> None:
        """Switch to another session; its computers move after :meth:`start`.

        Players without a seat there are ended; without ``spawn``, ``turns.release_absent()`` does that.
        """
        self.turns.stop()
        self.session, self.game = session, session.game
        self.turns.begin()
        self.rated = None
        self._announcer.clear()
        self.evaluations.clear()
        self.variations = Variations(session)
        self.editor.begin(session)
        self._clock_read = 0.0
        # First, since the journal of a game of one move names no front.
        self.sync_clock()
        self._take_presses()

    def start(self) -> None:
        self.turns.go_on()

    async def seat(self, black: Seat | None, white: Seat | None, *, resigns: bool | None = None) -> Declined | None:
        """Change the players from here on; None leaves a side as it is.

        Args:
            black: who plays Black.
            white: who plays White.
            resigns: whether a computer may resign; None leaves that as it is.
        """
        session = self.session
        session.sit(black, white)
        if session.touched:
            self.note_help()
        if resigns is not None:
            session.resigns = resigns
        self.turns.stop()
        self.turns.forget()
        await self.turns.release_absent()
        if self.keeper is not None:
            self.keeper.write_seats(session)
        self._changed("seats", asked=True)
        return None

    async def leave(self) -> None:
        """Stop searching and saving: a finished game goes into the library, any other can be resumed.

        Raises:
            OSError: the game cannot be written into the library.
        """
        self.turns.stop()
        if self.keeper is not None:
            await on_disk(self.keeper.leave)

    async def close(self) -> None:
        await self.turns.close()

    # Commands of the user

    def play(self, point: int) -> Refusal | Declined | None:
        """Play at ``point`` for the side to move. Raises ValueError where it is off the board."""
        if self.turns.thinking is not None or self.turns.questioned is not None:
            return Declined.THINKING
        return self.make_move(lambda: self.game.play(point))

    def pass_turn(self) -> Refusal | Declined | None:
        if self.turns.thinking is not None or self.turns.questioned is not None:
            return Declined.THINKING
        return self.make_move(self.game.pass_turn)

    def undo(self) -> Declined | Edit | None:
        """Undo the last edit, move or end of the game, whichever came last; return the edit if it was one.

        Against a computer, the human's move and its answer are undone.
        """
        can_edit = not self.refuses_edits and self.turns.questioned is None
        if can_edit and (edit := self.editor.undo()) is not None:
            self._edited(edit)
            return edit
        session, game, persons = self.session, self.game, self.persons
        before, ended = game.node.depth, game.node.ending is not None
        if len(persons) == 1:
            if not session.take_back_turn(persons[0]):
                return Declined.NO_MOVE_OF_YOURS
        elif game.node.ending is not None:
            session.undo_end()
        elif game.node is session.start or game.node.parent is None:
            return Declined.AT_START
        else:
            game.undo()
        self.turns.stop()
        if not persons:
            # With two computers, the next one would move again immediately.
            self.turns.paused = True
        self.editor.played(game.node.depth - before - ended)
        self.note_help()
        self._go_on_here()
        self._changed("undo")
        return None

    def redo(self) -> Declined | Edit | None:
        """Redo an undone edit or move, and return the edit; against a computer, with its answer.

        Sends a change for each move.
        """
        if not self.refuses_edits and (edit := self.editor.redo()) is not None:
            self._edited(edit)
            return edit
        game, persons = self.game, self.persons
        if game.is_over or self.variations.next_node(game.node) is None:
            return Declined.NOTHING_TO_REDO
        while (node := self.variations.next_node(game.node)) is not None:
            before = bytes(game.board.colours)
            game.goto(node)
            if node.parent is self.session.front:
                self._go_on_here()
            self._changed("redo", self._removed(before))
            if len(persons) != 1 or game.to_move == persons[0]:
                break
        return None

    def goto(self, node: Node) -> None:
        """View another node; the game still continues from where it was, and a computer thinking there continues."""
        self.game.goto(node)
        self._changed("goto")

    def back(self, moves: int = 1) -> bool:
        """View a node some moves earlier, but not before the start of the game; return whether there is one."""
        return self._goto_another(self.variations.earlier(moves))

    def forward(self, moves: int = 1) -> bool:
        """View a node some moves later on the line viewed last, up to its end; return whether there is one."""
        return self._goto_another(self.variations.later(moves))

    def next_variation(self) -> None:
        """View the next variation of this move.

        Raises:
            Unable: there is none.
        """
        if not self._goto_another(self.variations.sibling()):
            raise Unable(_("There is no other variation here"))

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
        self.turns.stop()
        # A move that a computer made meanwhile belongs to the resigned game.
        self.game.goto(self.session.front or self.game.node)
        self.game.resign(loser or resigning)
        self.session.go_on_here()
        self._changed("resign")
        return None

    def resume(self) -> Declined | None:
        """Resume the game after its end; the result of a resignation or a loss on time stays rated."""
        if not self.game.is_over:
            return Declined.NOT_OVER
        if self.session.ended_uncounted:
            self.note_help()
        self.session.resume()
        self._go_on_here()
        self._changed("resume", tree=True)
        return None

    def mark_dead(self, point: int) -> Declined | None:
        """Agree that the chain on ``point`` is dead, or alive where it was agreed to be dead."""
        if not isinstance(self.game.ending, TwoPasses):
            return Declined.NOT_COUNTED
        chain = self.game.chain_at(point)
        if chain is None:
            return Declined.NO_STONE
        stones, dead = frozenset(chain.stones), self.game.dead
        return self.agree_dead(dead - stones if stones <= dead else dead | stones)

    def agree_dead(self, dead: frozenset[int]) -> Declined | None:
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
        self.turns.stop()
        self._go_on_here()
        self._changed("setup", tree=True)
        return None

    def note(self, node: Node) -> None:
        ticket = self.keeper.journal_of(self.session).edited(node) if self.keeper is not None else None
        self._announcer.notify_when_written(Change("notes", node), ticket)

    @property
    def refuses_edits(self) -> str:
        """The reason why the record cannot be edited now, except for notes; empty if it can."""
        if self.session.clock is None or self.session.is_over:
            return ""
        return _("The clock is running; edit the record when the game is over")

    def edit(self, operation: Callable[[Editor], Edit]) -> Edit:
        """Edit the variations or the information of the record; return what that did.

        Raises:
            Unable: that is impossible.
        """
        if self.refuses_edits:
            raise Unable(self.refuses_edits)
        made = operation(self.editor)
        self._edited(made)
        return made

    def annotate(self, node: Node, change: Callable[[], object]) -> None:
        """Edit the comment, the marks or the annotation of a node, by a function that changes its properties."""
        made = self.editor.note(node, change)
        if made is not None:
            self._edited(made)

    def _edited(self, edit: Edit) -> None:
        """Write an edit to the journal, and announce it once it is on the disk."""
        session = self.session
        if edit.children:
            self.variations.forget_deleted()
            self.turns.stop()
            # Without its end the game would run on.
            session.clock = None
            if len(self.persons) < 2 and not session.is_over:
                # A computer would move again immediately.
                self.turns.paused = True
                self.note_help()
        if edit.details is not None and edit.details[0].counts != edit.details[1].counts:
            self.evaluations.clear()
        self.turns.follow()
        self.variations.remember()
        self.sync_clock()
        ticket = self.keeper.write_edit(session, edit) if self.keeper is not None else None
        kind: Kind = "notes" if edit.notes is not None else "edit"
        tree = edit.notes is None or edit.annotates
        self._announcer.notify_when_written(Change(kind, edit.nodes[1], tree=tree), ticket)

    def note_help(self) -> None:
        """Note that the human had help, so that the game is not rated from here on."""
        if not self.session.helped:
            self.session.helped = True
            if self.keeper is not None:
                self.keeper.journal_of(self.session).helped()

    def keep_evaluation(self, node: Node) -> None:
        """Write the evaluation of a node to the journal, if the game already has one."""
        if self.keeper is not None and self.keeper.has_news:
            self.keeper.journal_of(self.session).edited(node)

    def is_open(self, path: Path) -> bool:
        return self.keeper is not None and self.keeper.is_open(self.session, path)

    def renamed(self, old: Path, new: Path, black: str | None, white: str | None) -> None:
        """Follow the game to its new file and names in the library, if ``old`` was the file of this game."""
        if self.keeper is not None and self.keeper.follow_renamed(self.session, old, new, black, white):
            self._announcer.notify_when_written(Change("notes", self.game.node), None)

    # Commands about computers

    def pause(self) -> Declined | None:
        self.turns.pause()
        return None

    def unpause(self) -> Declined | None:
        self.turns.unpause()
        return None

    def move_now(self) -> Refusal | Declined | None:
        """Have a computer make one move for the side to move, whoever plays it."""
        return self.turns.move_now()

    # Handling changes

    def make_move(self, make: Callable[[], object], *, computer: bool = False) -> Refusal | None:
        """Make a move of a person or a computer with the clock of its side; it may turn out to be a resignation.

        A move made elsewhere than at the front of the game replaces what was played from there on.
        """
        game, session = self.game, self.session
        front = session.front
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
        if takes_back:
            self.note_help()
        if made_at is not front:
            # A variation from an earlier move earns no increment of its own.
            self._go_on_here()
        else:
            clock = session.clock
            if clock is not None and self._keeps_time and (press := clock.press(self._now())) is not None:
                self._press(game.node, press)
            session.go_on_here()
        self._changed("move", self._removed(before), tree=True, asked=True, computer=computer)
        return None

    def _removed(self, before: bytes) -> tuple[int, ...]:
        node = self.game.node
        if not (node.captured or node.lost):
            return ()
        colours = self.game.board.colours
        return tuple(point for point, colour in enumerate(before) if colour and not colours[point])

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
        if kind in _PLAYS:
            self.editor.played(1)
        self.turns.follow()
        self.variations.remember()
        self.sync_clock()
        presses, self._new_presses = self._new_presses, {}
        viewing = kind == "goto" and not tree
        ticket = keeper.follow(self.session, presses, viewing=viewing) if keeper is not None else None
        # A variation that ended earlier may be viewed while the game continues elsewhere.
        ends = kind in _ENDS and game.is_over and self.session.front in (None, game.node)
        filing = keeper if keeper is not None and keeper.has_news and ends else None
        if filing is not None:
            if filing.promote_end(self.session):
                tree, ticket = True, filing.follow(self.session)
            self.rated = filing.rate(self.session, self.rated)
        self._announcer.notify_when_written(Change(kind, game.node, removed, tree, computer), ticket)
        if filing is not None:
            if self._spawn is None:
                self.notify(filing.file_end(self.session))
            else:
                self._spawn(partial(self._file_later, filing, self.session))
        self.turns.go_on(asked=asked)

    def notify(self, event: Event) -> None:
        self._announcer.notify(event)

    async def _file_later(self, keeper: Keeper, session: Session) -> None:
        filed = await on_disk(partial(keeper.file_end, session))
        # After the change that ended the game, which a slow disk may delay.
        self._announcer.notify_when_written(filed, None)

    def saving_changed(self, failing: SaveFailure | None) -> None:
        """Announce that saving has started to fail, or works again, after the changes that wait for the disk."""
        self._announcer.notify_when_written(Saving(failing), None)

    # The clock

    @property
    def _clock(self) -> Clock | None:
        """The clock of the session; None if it has none, or the match keeps no time."""
        return self.session.clock if self._keeps_time else None

    def time_left(self, colour: Colour) -> tuple[TimeControl, TimeLeft] | None:
        """Return the settings of the clock, and what a side has left on it; None if no time is kept."""
        clock = self._clock
        return None if clock is None else (clock.control, clock.left(colour, self._now()))

    def sync_clock(self) -> None:
        """Start or stop the clock, according to the current state.

        As on a server it runs at the front of the game: if it stopped while earlier moves are viewed, a player could
        think for free by going back one move.
        """
        session, clock = self.session, self.session.clock
        if clock is None or not self._keeps_time:
            return
        front = session.front = session.front or self.variations.line[-1]
        if front.is_over or self.turns.holds_clock(front):
            clock.stop(self._now())
        elif clock.running != front.to_move:
            clock.start(front.to_move, self._now())

    def _go_on_here(self) -> None:
        """Go on from the viewed node, without what undone moves brought on the clock, and with what redone ones did.

        Otherwise a player would gain time with each undo.
        """
        front = self.session.front
        self.session.go_on_here()
        if self._clock is None or front is None:
            return
        before, after = front.path(), self.game.node.path()
        common = sum(old is new for old, new in zip(before, after, strict=False))
        undone, redone = before[common:], after[common:]
        self._settle(self._clock, undone[::-1])
        if undone and redone and (press := self._presses.get(undone[0])) and _mover(redone[0]) == press.colour:
            # A variation has what the move that it replaces brought: no time was measured for it.
            self._press(redone[0], self._presses.get(redone[0], press))
        self._settle(self._clock, redone)

    def _take_presses(self) -> None:
        """Take what the session knows of it; where an earlier version did not store it, the increments of all moves."""
        session, clock = self.session, self.session.clock
        self._presses, self._new_presses = dict(session.presses), {}
        if self._presses or clock is None or session.front is None or not clock.control.increment:
            return
        for node in session.front.path()[session.start.depth + 1 :]:
            if node.move is not None:
                self._press(node, Press(node.move.colour, clock.control.increment))

    def _press(self, node: Node, press: Press) -> None:
        self._presses[node] = self._new_presses[node] = press

    def _settle(self, clock: Clock, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if (press := self._presses.get(node)) is not None:
                self._press(node, clock.settle(press, self._now()))

    def lose_on_time(self, loser: Colour) -> None:
        """End the game because the time of a side is up, on a clock or elsewhere."""
        session = self.session
        if session.front is not None:
            session.game.goto(session.front)
        session.game.lose_on_time(loser)
        self._changed("time")

    @property
    def clock_is_due(self) -> bool:
        """True if :meth:`tick` would do something."""
        clock, now = self._clock, self._now()
        if clock is None or clock.running is None:
            return False
        return now - self._clock_read > _CLOCK_READ or clock.out_of_time(now) is not None

    def tick(self) -> None:
        """Check the clock, to be called a few times a second. A side whose time is up loses."""
        clock, now = self._clock, self._now()
        if clock is None or clock.running is None:
            return
        if (loser := clock.out_of_time(now)) is not None:
            self.lose_on_time(loser)
        elif self.keeper is not None and now - self._clock_read > _CLOCK_READ:
            self._clock_read = now
            self.keeper.write_clock(self.session)


def _mover(node: Node) -> Colour | None:
    return node.move.colour if node.move is not None else None


# What a face shows of a match: one immutable value for each change, pushed to everything that shows something


class Changed(Flag):
    """What differs from the previous view."""

    POSITION = auto()
    """Another node is current, or the game has ended or been resumed."""
    TREE = auto()
    """Nodes were added to the tree, removed or reordered, or the text of moves has changed."""
    NOTES = auto()
    """The comment or the marks of a node, or the names in the record."""
    EVALUATION = auto()
    """What is known of the values of positions."""
    STATE = auto()
    """The players, the clocks, saving or the connection."""


class View(NamedTuple):
    """The shown position of a game, with what belongs to it.

    Attributes:
        changed: what differs from the previous view.
        torus: the board.
        rules: the rules of the game.
        names: how points are named.
        root: the root of the game tree.
        node: the current node.
        line: the line of play through ``node``, from the root to its end; the same object while it does not change.
        stones: the colour of each point, as in :attr:`.Board.colours`.
        to_move: the side to move.
        ending: how the game ended at ``node``, None while it is on.
        result: the result, None while the game is on.
        captured: the stones captured by Black and by White.
        suicided: the stones lost by suicide by Black and by White.
        passes: the passes of Black and of White.
        players: the names of Black and of White, empty if none was given.
        clock: the clock, None without one. It runs on: its times are those of the moment they are read.
        tree: counts the changes of the tree, so that a view of it knows when to lay it out again.
        evaluations: of the positions of the game.
        evaluated: the moves of the line with known losses.
        mistakes: the marks of those that lost points, to be shown on their stones; empty while one person plays: marks
            would judge each move at once, which is for teach mode to do.
    """

    changed: Changed
    torus: Torus
    rules: Rules
    names: Style
    root: Node
    node: Node
    line: Sequence[Node]
    stones: bytes
    to_move: Colour
    ending: Ending | None
    result: Result | None
    captured: tuple[int, int]
    suicided: tuple[int, int]
    passes: tuple[int, int]
    players: tuple[str, str]
    clock: Clock | None
    tree: int
    evaluations: Evaluations
    evaluated: Sequence[EvaluatedMove]
    mistakes: Mapping[Node, Mistake]

    @property
    def is_over(self) -> bool:
        return self.ending is not None

    @property
    def is_studied(self) -> bool:
        """Whether mistakes that are shown are studied: the game is over, or an earlier move is viewed."""
        return self.is_over or bool(self.node.children)

    @property
    def last_point(self) -> int | None:
        """The point of the last move, None after a pass or at the start."""
        move = self.node.move
        return None if move is None or move.is_pass else move.point


_NO_MISTAKES: Final[Mapping[Node, Mistake]] = MappingProxyType({})


class Viewer:
    """Makes the views of a match."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._tree = 0
        self._last: View | None = None
        self._evaluated: Sequence[EvaluatedMove] = ()
        self._mistakes: Mapping[Node, Mistake] = _NO_MISTAKES
        self._evaluated_at: tuple[Sequence[Node], int, int] = (), 0, 0
        """The line, the version of the evaluations and the count of changes of the tree, to which that applies."""

    def view(self, names: Style, changed: Changed) -> View:
        """Return the view of the current position, whose points are named in a style."""
        if Changed.TREE in changed:
            self._tree += 1
        match, session = self._match, self._match.session
        game = session.game
        board, line = game.board, match.variations.line
        players = session.player(BLACK), session.player(WHITE)
        evaluated = self._evaluate(line)
        is_shown = bool(evaluated) and (len(match.persons) != 1 or session.is_over)
        mistakes = self._mistakes if is_shown else _NO_MISTAKES
        last = self._last
        if last is not None and last.node is game.node and not changed & (Changed.POSITION | Changed.TREE):
            # Counting takes time in proportion to the board.
            self._last = last._replace(
                changed=changed, line=line, players=players, evaluated=evaluated, mistakes=mistakes
            )
            return self._last
        ending = game.ending
        self._last = View(
            changed,
            game.torus,
            board.rules,
            names,
            game.root,
            game.node,
            line,
            bytes(board.colours),
            board.to_move,
            ending,
            None if ending is None else game.result,
            (board.captured[BLACK], board.captured[WHITE]),
            (board.suicided[BLACK], board.suicided[WHITE]),
            game.node.passes,
            players,
            session.clock,
            self._tree,
            match.evaluations,
            evaluated,
            mistakes,
        )
        return self._last

    def _evaluate(self, line: Sequence[Node]) -> Sequence[EvaluatedMove]:
        """Return the moves of a line with known losses; the same sequence until something changes."""
        evaluations = self._match.evaluations
        before, version, tree = self._evaluated_at
        if line is before and (version, tree) == (evaluations.version, self._tree):
            return self._evaluated
        self._evaluated_at = line, evaluations.version, self._tree
        is_longer = bool(before) and line[-1].parent is before[-1]
        # A move that was just played changes nothing before its position is evaluated.
        if not (is_longer and (version, tree + 1) == self._evaluated_at[1:] and evaluations.of(line[-1]) is None):
            self._evaluated = evaluated_moves(line, evaluations, self._match.game.torus.size)
            self._mistakes = mistakes_of(self._evaluated) if self._evaluated else _NO_MISTAKES
        return self._evaluated
