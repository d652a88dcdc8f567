"""The game screen, assembled from its features: a board with what they draw over it, panes, and the status line.

A key runs the command that a feature registered for it, which calls the :class:`~daoqi_tui.play.match.Match`. That
changes the game, writes the change to the journal, and reports it to :meth:`GameScreen.show_event`, which makes a
:class:`~daoqi_tui.play.match.View` of it and pushes that to the features and the panes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractContextManager, suppress
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message
from textual.signal import Signal
from textual.timer import Timer
from textual.worker import Worker

from daoqi_tui.commands.screen import COMMANDS
from daoqi_tui.engine import Colour, Node, TwoPasses
from daoqi_tui.i18n import _, translate
from daoqi_tui.pictures.picture import NO_MISTAKES, Ghost, Picture
from daoqi_tui.play.background import Wait, Work
from daoqi_tui.play.evaluation import better_than, mistakes_on
from daoqi_tui.play.events import (
    Answered,
    Began,
    Change,
    Crashed,
    Event,
    Filed,
    NotEvaluated,
    Questioned,
    Saving,
    Thinks,
    Trouble,
)
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.match import Changed, Match, View, Viewer
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import (
    Unable,
    colour_word,
    describe_failing,
    describe_no_library,
    describe_no_rating,
    describe_not_evaluated,
    describe_notes,
    describe_result,
    describe_unsaved,
    with_keys,
)
from daoqi_tui.tui.access import local_access, play_sound
from daoqi_tui.tui.board import BoardView, largest_cell
from daoqi_tui.tui.board.screen import BoardScreen, Cursor
from daoqi_tui.tui.board.viewport import CELLS
from daoqi_tui.tui.features.analysis import Analysis, Review
from daoqi_tui.tui.features.counting import Counting, EstimatedTerritory
from daoqi_tui.tui.features.ladder import LadderReading, Warnings
from daoqi_tui.tui.features.navigation import Navigation, Replay
from daoqi_tui.tui.features.notes import Notes
from daoqi_tui.tui.features.online import Online
from daoqi_tui.tui.features.openings import Openings
from daoqi_tui.tui.features.playing import Playing, Teaching
from daoqi_tui.tui.features.problems import Problems
from daoqi_tui.tui.features.program import ProgramCommands
from daoqi_tui.tui.features.records import Records
from daoqi_tui.tui.fitting import fit_soon, window_classes
from daoqi_tui.tui.host import Feature, Handler, Program, Questions, Remarks
from daoqi_tui.tui.look import Options, StoneSigns
from daoqi_tui.tui.panes import GamePane, GameStage, HintBar
from daoqi_tui.tui.panes.history import HistoryPane
from daoqi_tui.tui.side import LONGEST_COMMENT, Panes
from daoqi_tui.tui.status import Clocks, StatusLine

if TYPE_CHECKING:
    from daoqi_tui.play.online.hosting import Place
    from daoqi_tui.play.players import PlayerTable
    from daoqi_tui.record.journal import SaveFailure
    from daoqi_tui.tui.features.online.game import OnlinePlay

_WIDE: Final = 100
_HIGH: Final = 20
_TALL: Final = 54
_SHOW_RESULT: Final = frozenset({"move", "resign", "agreed", "time"})
"""Kinds of changes after which the result card shows: not the marking of dead stones, nor redoing an end."""
_ENDS: Final = frozenset({"resign", "agreed", "time"})
"""Kinds of changes that end a game without a move."""
_FLASH: Final = 0.5
_SIDE: Final = 34
"""The columns beside the board in a wide window, as the style sheet has them; the first is empty."""


class SavingChanged(Message):
    """Saving has started to fail, or works again; posted by the journal's thread."""

    def __init__(self, failing: SaveFailure | None) -> None:
        super().__init__()
        self.failing = failing


class GameScreen(BoardScreen[Any]):
    """The screen on which games are played, replayed and studied.

    Attributes:
        match: the current game, with its players, its clock and its keeper.
        options: the options of display and play.
        board: the board widget.
        stone_signs: the signs for stones in text, as the board draws them.
        cursor: the points of the keyboard and the mouse, and the view.
        panes: the panes beside or below the board.
        status: the status line.
        questions: the questions asked over the game.
        features: the features, the topmost on the board last.
        handlers: the functions of the commands by the commands' names.
        view: what the screen shows.
        online: the additional parts of an online game; None for any other.
        folders: where games are saved; None saves nothing.
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-middling"), (_WIDE, "-wide")]  # noqa: RUF012 (Textual's form)
    VERTICAL_BREAKPOINTS = [(0, "-low"), (_HIGH, "-high"), (_TALL, "-tall")]  # noqa: RUF012 (Textual's form)

    pace: ClassVar[float] = 0.3
    """The minimum seconds between moves if only computers play, so that one can watch."""
    covered_pace: ClassVar[float] = 1.2
    """The same while a dialog is open over the game: each move then redraws the whole window, dimmed."""

    shows_game = True
    shows_result: ClassVar[bool] = True

    # Its children cover it completely.
    BLANK = True

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding(",".join(command.keys), f"command('{command.name}')", command.label, show=False, id=command.name)
        for command in COMMANDS
    ]

    def __init__(
        self,
        session: Session,
        options: Options,
        folders: Folders | None = None,
        *,
        offer_resume: bool = False,
        asked_for: bool = False,
        window: tuple[int, int] = (_WIDE, _HIGH),
        place: Place | None = None,
    ) -> None:
        """Create the screen of a session.

        Args:
            session: the session to begin with.
            options: the options of display and play.
            folders: where games are saved; None saves nothing.
            offer_resume: whether to ask about unfinished games at the start.
            asked_for: whether the user requested the session, so that unfinished games are only mentioned.
            window: columns and rows of the window.
            place: a place at an online game, which is shown instead of the session.
        """
        super().__init__(classes=window_classes(type(self), window))
        self.folders = folders
        self.options = options
        self.online: OnlinePlay | None = None
        if place is not None:
            from daoqi_tui.tui.features.online.game import OnlinePlay  # noqa: PLC0415 (few games are online)

            self.online = OnlinePlay(self, place, self.make_players)
            self.match: Match = self.online.match
            session = self.match.session
        else:
            keeper = None
            if folders is not None:
                keeper = Keeper(folders, lambda failing: self.post_message(SavingChanged(failing)))
            self.match = Match(
                session,
                self.make_players,
                keeper,
                spawn=self.spawn,
                teach=lambda: self.options.teach,
                pace=self._pace,
                ponders=lambda: self.options.ponder,
            )
        self.match.subscribe(self.show_event)
        self.counting = Counting(self)
        self.board = BoardView(session.game.torus.size, id="board")
        self.stone_signs = StoneSigns()
        self.position_shown: Signal[View] = Signal(self, "position shown")
        self.cursor = Cursor(self.board, self.show_board, self._cursor_moved)
        self.questions = Questions(self, self.attempt, lambda: self.is_in_view)
        self.status = StatusLine(self)
        self._viewer = Viewer(self.match)
        self.view = self._viewer.view(options.names, Changed.POSITION)

        self.navigation = Navigation(self)
        self.replay = Replay(self)
        self.clocks = Clocks(self)
        self.records = Records(self, self.navigation)
        self.teaching = Teaching(self)
        self.playing = Playing(self, self.counting, self.teaching)
        self.analysis = Analysis(self)
        self.review = Review(self, self.analysis)
        self.estimate = EstimatedTerritory(self, self.counting)
        self.ladder = LadderReading(self)
        self.openings = Openings(self, self.records)
        self.network = Online(self)
        problems = Problems(self, self.records, self.analysis)
        self.commands = ProgramCommands(self, self.records, self.network, problems)
        self.features: tuple[Feature, ...] = (
            self.playing,
            self.navigation,
            self.replay,
            self.records,
            self.clocks,
            self.network,
            problems,
            self.commands,
            self.review,
            self.counting,
            Notes(self),
            self.openings,
            self.estimate,
            Warnings(self),
            self.teaching,
            self.ladder,
            self.analysis,
            *((self.online,) if self.online is not None else ()),
        )
        self.handlers: dict[str, Handler] = {"clear": self._clear}
        for feature in self.features:
            self.handlers |= feature.handlers()
            feature.view = self.view
        self._viewing, self._drawing, self._counted, self._remarking, self._noted, self._saying = map(
            self._that_define, ("show", "decorate", "area", "remarks", "line", "status")
        )
        sides = (self.navigation, self.review, self.analysis, self.openings)
        self.panes = Panes([pane for feature in sides for pane in feature.panes()], lambda: self.may_help)

        self._offer_resume = offer_resume
        self._asked_for = asked_for
        self._pending: tuple[Node, int] | None = None
        """The node and the point of a first click that a second one has to confirm."""
        self._refused: int | None = None
        self._flash_timer: Timer | None = None
        self._cell_liked: int | None = None
        self._out_of_date = False
        """True if updates are deferred until a dialog closes."""

    def _that_define(self, method: str) -> list[Feature]:
        """Return the features with a method of their own, so that the others need not be asked."""
        return [feature for feature in self.features if getattr(type(feature), method) is not getattr(Feature, method)]

    # Life cycle

    def compose(self) -> ComposeResult:
        yield self.board
        yield self.panes
        yield self.status
        yield HintBar(id="hints")

    async def on_mount(self) -> None:
        if self.match.keeper is not None:
            if self._asked_for:
                self.call_after_refresh(self.questions.run_in_turn, self.records.mention_unfinished)
            elif self._offer_resume:
                offer = partial(self.records.offer_unfinished, self.commands.welcome_first)
                self.call_after_refresh(self.questions.run_in_turn, offer)
            self.call_after_refresh(self.run_worker, self.records.mention_online, group="online")
        self.board.resized.subscribe(self, lambda _board: self.cursor.keep_in_view(), immediate=True)
        self.apply_options(self.options)
        self.begin(self.session)
        # Before the first layout, so that there is only one.
        await self.panes.fit_side()
        if self.program.visit is not None and self.online is None:
            self.call_after_refresh(self.questions.run, self.network.ask)
        if self.online is not None:
            self.add_class("-online")
            self.online.connect(self.counting)

    async def on_unmount(self) -> None:
        self.workers.cancel_node(self)
        for feature in self.features:
            await feature.close()
        await self.match.close()
        with suppress(OSError):
            await self.match.leave()

    def begin(self, session: Session) -> None:
        for feature in self.features:
            feature.begin(session)
        self.match.begin(session)
        self._use_classes(self.app.size)
        self.cursor.begin(session.game.torus.size)
        self._pending = self._refused = None
        if session.info is not None:
            # The journal starts now, so that moves already in the file do not count as new; that of a new game starts
            # with its first move, since it would delay the first frame by 30 ms.
            self._keep()
        self.call_after_refresh(self.match.start)
        self.call_after_refresh(self.note_players)
        self.show_position(Changed.POSITION | Changed.TREE)
        self.cursor.keep_in_view()
        self.records.begun()

    def _use_classes(self, size: Size) -> None:
        """Set the classes of a window; the side gives the board its empty column if points are drawn larger for it."""
        super()._use_classes(size)
        rows = size.height - (1 if self.has_class("-low") else 2)
        cells = {largest_cell(self.board_size, Size(size.width - columns, rows)) for columns in (_SIDE, _SIDE - 1)}
        self.set_class(len(cells) > 1, "-giving")

    def note_players(self) -> None:
        seats = self.session.seats
        if len(self.match.persons) < len(seats) and self.program.habits.played_by(seats.values()):
            self.program.keep_habits()

    def _keep(self) -> None:
        if self.match.keeper is not None:
            self.match.keeper.begin(self.session)

    def apply_options(self, options: Options) -> None:
        before, self.options = self.options, options
        self.board.use_options(options)
        self.stone_signs = StoneSigns(self.board.palette, self.board.glyphs)
        self.board.set_viewport(self.board.viewport._replace(margin=options.margin))
        if options.cell != self._cell_liked:
            self._cell_liked = options.cell
            self.board.set_cell(next((cell for cell in CELLS if cell.width == options.cell), None))
        if options != before:
            for feature in self.features:
                feature.options_changed(before)
            # The names of points and the marks of chains may have changed.
            self.show_position(Changed.POSITION | Changed.TREE)
            # The choice of a theme covers the game, which holds up this pane alone.
            self.query_one(GamePane).show_again()
            self.cursor.keep_in_view()

    def language_changed(self) -> None:
        self.query_one(HintBar).refresh()
        self.show_position(Changed.POSITION | Changed.TREE)

    @property
    def in_focus_mode(self) -> bool:
        return self.has_class("-focus")

    def set_focus_mode(self, *, on: bool) -> None:
        self.status.hide()
        self.set_class(on, "-focus")
        if on:
            self.say(with_keys(_("Board only; {focus} shows the rest")))
        else:
            self.show_status()
        self.fit_soon()

    def fit_soon(self) -> None:
        fit_soon(self)

    # Commands

    async def action_command(self, name: str) -> None:
        try:
            if self.online is not None and (forbidden := self.online.forbids(name)):
                raise Unable(forbidden)
            waiting = self.handlers[name]()
            if isawaitable(waiting):
                await waiting
        except Unable as error:
            self.say(str(error))

    async def attempt(self, work: Callable[[], Awaitable[object]]) -> None:
        """Await a task, or say why it cannot be done."""
        try:
            await work()
        except Unable as error:
            self.say(str(error))

    def _clear(self) -> None:
        """Clear what is shown over the board, the topmost first, or have the thinking computer move at once."""
        if not any(feature.clear() for feature in reversed(self.features)):
            self.say(_("There is nothing to clear"))

    def run_exclusive(self, work: Callable[[], Coroutine[Any, Any, object]], group: str) -> Worker[Any]:
        return self.run_worker(partial(self.attempt, work), group=group, exclusive=True)

    def cancel(self, group: str) -> None:
        self.workers.cancel_group(self, group)

    @property
    def is_in_view(self) -> bool:
        """True if the game is shown, on the flat board or on the torus, without a dialog over it."""
        top = self.app.screen
        return isinstance(top, BoardScreen) and top.shows_game

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        self.questions.worker_changed(event.worker)

    # The game

    @property
    def session(self) -> Session:
        return self.match.session

    @property
    def may_help(self) -> bool:
        return self.online is None or not self.online.forbids("analysis")

    @property
    def shows_events(self) -> bool:
        return self.app.is_running and self.board.is_attached

    def show_event(self, event: Event) -> None:
        if self.shows_events:
            self._show_event(event)
            self.questions.renew()

    def _show_event(self, event: Event) -> None:
        match event:
            case Change():
                self._show_change(event)
            case Thinks():
                self.status.follow_thought()
            case Answered():
                self.show_panes(Changed.EVALUATION)
            case Crashed(problem=problem):
                self.say(translate(problem))
            case NotEvaluated(problem=problem):
                self.say(describe_not_evaluated(problem))
            case Trouble():
                self.show_status()
            case Questioned(move=evaluated):
                self.questions.run_in_turn(partial(self.teaching.ask_about_move, evaluated))
            case Filed():
                self._say_filed(event)
            case Saving(failing=failing):
                self.say(describe_failing(failing))
                self.show_game()
            case Began(session=session):
                self.begin(session)

    def _show_change(self, change: Change) -> None:
        tree = Changed.TREE if change.tree else Changed(0)
        if change.kind == "move":
            self._show_move(change, tree)
        elif change.kind == "notes":
            self.show_panes(Changed.NOTES | tree)
            self.show_board()
        else:
            if change.kind == "resume":
                self.counting.on = False
            self.show_position(Changed.POSITION | tree)
            if change.kind in _ENDS and change.node.is_over:
                self.ring("end")
        if self.shows_result and change.kind in _SHOW_RESULT and change.node.is_over and not self.match.awaits_count:
            self.call_after_refresh(self._show_result, self.session)

    def _show_result(self, session: Session) -> None:
        """Show how the game ended, unless a dialog is open or the game continues."""
        if self.is_in_view and session is self.session and session.game.is_over:
            self.questions.run_in_turn(partial(self._show_card, session))

    async def _show_card(self, session: Session) -> None:
        if session is self.session and session.game.is_over:
            await self.playing.show_card()

    def _show_move(self, change: Change, tree: Changed) -> None:
        node, move = change.node, change.node.move
        assert move is not None
        # The user continues from here, so stop the replay.
        self.replay.stop()
        if not change.computer:
            self.cursor.hovered = None
        if move.is_pass and node.is_over:
            self.counting.show_end()
        self.show_position(Changed.POSITION | tree)
        if change.computer and move.is_pass and not node.is_over:
            self.say(_("{colour} passes").format(colour=colour_word(move.colour)))
        if node.is_over:
            self.ring("end")
        elif (node.captured or node.lost) and "capture" in self.options.bells:
            self.ring("capture")
        else:
            self.ring("move")
        if self.options.sound and not move.is_pass:
            play_sound(self.app, "capture" if node.captured or node.lost else "stone")

    def _say_filed(self, filed: Filed) -> None:
        result = self.session.game.result
        words = []
        if filed.problem is not None:
            words.append(describe_no_library(filed.problem))
        elif filed.path is not None and result is not None:
            saved = _("saved in the library as {file}").format(file=filed.path.name)
            words.append(describe_result(result) + "  ·  " + saved)
        if filed.unrated is not None:
            words.append(describe_no_rating(filed.unrated))
        if words:
            self.say("  ·  ".join(words))

    def make_players(self) -> PlayerTable:
        from daoqi_tui.ai.process import thread_count  # noqa: PLC0415 (a start needs no player)
        from daoqi_tui.play.players import PlayerTable  # noqa: PLC0415

        threads = thread_count(self.options.threads, spared=1)
        return PlayerTable(net=self.net, threads=threads, analyst=lambda: self.analyst_command)

    def spawn(self, work: Work) -> Worker[None]:
        return self.run_worker(partial(self.attempt, work))

    @property
    def program(self) -> Program:
        return cast("Program", self.app)

    def _pace(self) -> float:
        return self.pace if self.is_active else self.covered_pace

    @property
    def analyst_command(self) -> str:
        """The command of the GTP engine for analysis, empty for the built-in player, as always in a browser."""
        return "" if local_access(self.app) is None else self.options.analysis_engine

    def net(self) -> str:
        from daoqi_tui.ai.nets import net_of  # noqa: PLC0415 (a start needs no player)

        return net_of(self.options.net)

    # Showing

    def _push(self, changed: Changed) -> View:
        self.view = view = self._viewer.view(self.options.names, changed)
        for feature in self.features:
            feature.view = view
        for feature in self._viewing:
            if feature.active:
                feature.show(view)
        self.counting.active = self.counting.on or view.ending is not None
        return view

    def show_position(self, changed: Changed = Changed.POSITION) -> None:
        view = self._push(changed)
        self._pending = None
        if not self.match.written:
            return
        self.show_board()
        if self.options.follow and (point := view.last_point) is not None:
            self.board.set_viewport(self.board.viewport.centred_on(*view.torus.position(point)))
            self.cursor.keep_in_view()
        self._show_panes(view)
        self.show_status()
        self.position_shown.publish(view)

    def show_board(self) -> None:
        if not self.match.written:
            return
        self.status.show_line_soon()
        game, torus = self.match.game, self.view.torus
        board = game.board
        chain = board.chain_at(self.cursor.pointed_at)
        ghost = None
        if not self.match.awaits_person:
            # The next stone is the computer's, or that of a remote opponent.
            pass
        elif self._pending is not None:
            ghost = Ghost(self._pending[1], game.to_move)
        elif self.cursor.hovered is not None and not board.colours[self.cursor.hovered] and not game.is_over:
            ghost = Ghost(self.cursor.hovered, game.to_move)
        view, mistakes = self.view, NO_MISTAKES
        proposed: Mapping[int, Colour] = {}
        if view.mistakes:
            mistakes = mistakes_on(board.colours, view.line[: view.node.depth + 1], view.mistakes)
            if view.is_studied and view.node in view.mistakes:
                proposed = better_than(view.node, view.evaluated, board.colours)
        picture = Picture(
            size=torus.rows,
            stones=bytes(board.colours),
            last=self.view.last_point,
            cursor=self.cursor.point,
            ghost=ghost,
            chain=frozenset(chain.stones) if chain else frozenset(),
            liberties=frozenset(chain.liberties) if chain else frozenset(),
            refused=self._refused,
            mistakes=mistakes,
            proposed=proposed,
        )
        self.board.show_picture(self.decorated(picture))

    def decorated(self, picture: Picture) -> Picture:
        side = self.panes.side.id
        for feature in self._drawing:
            if feature.active and feature.drawn_with in ("", side):
                picture = feature.decorate(picture)
        return picture

    def replace_others(self, feature: Feature) -> None:
        for other in self.features:
            if other is not feature and other.place == feature.place:
                other.give_way()

    def step_shown(self, moves: int) -> bool:
        return any(feature.step(moves) for feature in reversed(self.features))

    def go_shown(self, *, end: bool) -> bool:
        return any(feature.go(end=end) for feature in reversed(self.features))

    def stop_replay(self) -> None:
        self.replay.stop()

    def _cursor_moved(self) -> None:
        """Tell the features that another point is pointed at, and note the view for the next start."""
        for feature in self.features:
            feature.pointed()
        self.navigation.note_view()

    def show_panes(self, changed: Changed = Changed.STATE) -> None:
        view = self._push(changed)
        if self.match.written:
            self._show_panes(view)

    def _show_panes(self, view: View) -> None:
        self.show_game()
        counted = (feature for feature in self._counted if feature.active)
        area = next((shown for feature in counted if (shown := feature.area()) is not None), None)
        said = next((remarks for feature in self._remarking if (remarks := feature.remarks()) is not None), None)
        self.panes.show(view, area, said or Remarks(_notes(view) if view.node.properties else "", _("Comment")))
        self.query_one(HintBar).stage = self._stage()

    def show_game(self) -> None:
        if self.is_covered() or not self.match.written:
            return
        unsaved, keeper = None, self.match.keeper
        if self.online is not None:
            unsaved = self.online.describe_unsaved()
        elif keeper is not None:
            unsaved = describe_unsaved(keeper.failing, keeper.waited)
            self.clocks.watch_disk(keeper)
        self.set_class(unsaved is not None, "-not-saved")
        line = next((line for feature in self._noted if (line := feature.line())), "")
        if self.online is not None:
            # Below the board each row of the panes is one less for the board.
            below = "" if self.has_class("-wide") else line
            self.status.connection = below
            line = "" if below else line
        self.query_one(GamePane).show(self.view, unsaved, line)

    def show_status(self) -> None:
        asked = (feature for feature in reversed(self._saying) if feature.active)
        said = ((feature, text) for feature in asked if (text := feature.status()) is not None)
        feature, standing = next(said, (None, None))
        self.status.show(self.view, standing, urgent=feature is not None and feature is self.online)

    @property
    def side(self) -> str:
        return self.panes.side.id

    async def show_side(self, pane: str) -> None:
        await self.panes.select(pane)
        # The pane of openings also draws on the board.
        self.show_board()

    async def turn_side(self, step: int) -> None:
        await self.panes.turn(step)
        self.show_board()
        if not self.has_class("-wide"):
            # The strip has no frames that could name its pane and the next one.
            pane, following = self.panes.side, self.panes.following[0]
            text = with_keys(_("{pane}  ·  {next_pane}: {next}"), pane=_(pane.title), next=_(following.title))
            self.say(text)

    async def action_show_pane(self, pane: str) -> None:
        await self.show_side(pane)

    def _stage(self) -> GameStage:
        studied = bool(self.view.mistakes) and self.view.is_studied
        if self.online is not None:
            stage = self.online.stage
            return "over studied" if studied and stage == "over" else stage
        if studied:
            return "studied"
        if self.view.ending is not None:
            return "counted" if isinstance(self.view.ending, TwoPasses) else "given up"
        return "playing" if self.match.session.start.children else "beginning"

    def is_covered(self) -> bool:
        """Return whether a dialog covers the game; if so, note that updates are deferred until it closes.

        Any change below a dialog redraws the whole window, dimmed: 100 KB each. A running clock has to stay visible, as
        have an opponent's chat and requests, so nothing is deferred then.
        """
        clock = self.match.session.clock
        if self.is_active or self.online is not None or (clock is not None and clock.running is not None):
            return False
        self._out_of_date = True
        return True

    def say(self, text: str) -> None:
        self.status.say(text)

    def waiting(
        self, wait: Wait, *, at_once: bool = True, unless: Callable[[], object] = lambda: False
    ) -> AbstractContextManager[Wait]:
        return self.status.waiting(wait, at_once=at_once, unless=unless)

    @property
    def said(self) -> str:
        return self.status.text

    def refuse(self, point: int, text: str) -> None:
        self.say(text)
        self._refused = point
        self.show_board()
        if self._flash_timer is not None:
            self._flash_timer.stop()
        self._flash_timer = self.set_timer(_FLASH, self._end_flash)
        self.ring("refusal")

    def _end_flash(self) -> None:
        self._refused = None
        self.show_board()

    def ring(self, event: str) -> None:
        if event in self.options.bells:
            self.app.bell()
        notify = getattr(self.app._driver, "notify_desktop", None)  # noqa: SLF001 (Textual offers no way)
        if event == "turn" and "desktop" in self.options.bells and notify is not None:
            notify(_("Daoqi: it is your turn"))

    async def fit(self) -> None:
        await self.panes.fit_side()
        if self.shows_events and self.match.written:
            self._show_panes(self.view)

    # Messages

    def on_screen_suspend(self) -> None:
        self.board.let_go()

    def on_screen_resume(self) -> None:
        """Show the updates that were deferred while a dialog covered the game."""
        if self._out_of_date:
            self._out_of_date = False
            self.status.show_line()
            self.show_game()
        self.questions.run_next()

    def on_paste(self, event: events.Paste) -> None:
        """Open a pasted record or diagram, or join with a pasted invitation."""
        event.stop()
        if self.online is not None:
            self.say(self.online.forbids("library"))
            return
        from daoqi_tui.play.online.invitation import Invitation  # noqa: PLC0415 (few are invited)

        invitation = Invitation.pasted(event.text)
        if invitation is not None:
            self.questions.run(partial(self.network.ask, invitation))
        else:
            self.records.paste(event.text)

    def on_saving_changed(self, message: SavingChanged) -> None:
        self.match.saving_changed(message.failing)

    def on_history_pane_node_selected(self, message: HistoryPane.NodeSelected) -> None:
        self.replay.stop()
        self.match.goto(message.node)

    @property
    def board_size(self) -> int:
        return self.session.game.torus.size

    def point_chosen(self, point: int) -> None:
        game = self.session.game
        self.cursor.point = point
        asks = self.options.confirm_click and self.match.awaits_person and game.refusal(point) is None
        if asks and self._pending != (game.node, point):
            self._pending = game.node, point
            self.show_board()
            self.say(_("Click {point} again to play there").format(point=game.torus.name(point, self.options.names)))
        else:
            self.playing.play_at(point)
            self.show_board()
        # The view may have followed another move since the click.
        self.cursor.keep_in_view()

    def on_board_view_panned(self) -> None:
        self.cursor.keep_in_view()
        self.navigation.note_view()

    def on_board_view_labels_clicked(self) -> None:
        """Open the menu, for which nothing else can be clicked while the board fills the window."""
        self.app.action_command_palette()

    def point_recentred(self, point: int) -> None:
        self.cursor.centre(point)

    def point_hovered(self, point: int | None) -> None:
        if not self.is_attached:
            return
        self.cursor.hovered = point
        self.show_board()
        for feature in self.features:
            feature.pointed()


def _notes(view: View) -> str:
    from daoqi_tui.record.sgf.markup import comment  # noqa: PLC0415 (few records have comments)
    from daoqi_tui.text import plain  # noqa: PLC0415

    text = "\n".join(filter(None, (*describe_notes(view.node, view.torus, view.names), comment(view.node))))
    if len(text) > LONGEST_COMMENT:
        text = text[:LONGEST_COMMENT] + "…"
    return plain(text)
