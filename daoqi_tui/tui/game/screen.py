"""The game screen: a board with overlays, its panes, and the status line.

A key runs a command of :mod:`daoqi_tui.tui.commands`, which calls the :class:`~daoqi_tui.play.match.Match`. That
changes the game, writes the change to the journal, and reports it to :meth:`GameScreen.hear`, which shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.messages import Prune
from textual.signal import Signal
from textual.timer import Timer
from textual.worker import Worker

from daoqi_tui.commands import COMMANDS
from daoqi_tui.engine import Node, TwoPasses
from daoqi_tui.i18n import _, words_of
from daoqi_tui.pictures.picture import Ghost, Picture
from daoqi_tui.play.background import Work
from daoqi_tui.play.evaluation import Evaluations, JudgedMove, judged_moves
from daoqi_tui.play.events import (
    Answered,
    Began,
    Change,
    Crashed,
    Event,
    Filed,
    NotJudged,
    Questioned,
    Saving,
    Thinks,
    Trouble,
)
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.looks import Options
from daoqi_tui.play.match import Match
from daoqi_tui.play.session import Session
from daoqi_tui.play.words import (
    colour_word,
    failing_words,
    no_library_words,
    no_rating_words,
    not_judged_words,
    result_words,
    with_keys,
)
from daoqi_tui.tui.access import local_access
from daoqi_tui.tui.board.screen import BoardScreen
from daoqi_tui.tui.board.viewport import CELLS
from daoqi_tui.tui.board.widget import BoardView
from daoqi_tui.tui.commands import HANDLERS
from daoqi_tui.tui.commands.online import ask_for_online
from daoqi_tui.tui.commands.playing import ask_about_move, play_at, show_card
from daoqi_tui.tui.fitting import fit_soon, window_classes
from daoqi_tui.tui.game.analysis import AnalysisOverlay, EstimateOverlay
from daoqi_tui.tui.game.navigation import Cursor, Replay
from daoqi_tui.tui.game.overlay import BetterMove, Counting, Labels, Overlay
from daoqi_tui.tui.game.panes import Panes, StatusLine
from daoqi_tui.tui.game.questions import Questions
from daoqi_tui.tui.game.reading import LadderReading, OpeningCounts, Warnings
from daoqi_tui.tui.game.records import Records, SavingChanged
from daoqi_tui.tui.game.review import Review
from daoqi_tui.tui.look.text import StoneSigns
from daoqi_tui.tui.panes.history import HistoryPane
from daoqi_tui.tui.panes.pane import GameStage, HintBar

if TYPE_CHECKING:
    from daoqi_tui.play.online.hosting import Place
    from daoqi_tui.play.players import PlayerTable
    from daoqi_tui.tui.app import DaoqiApp
    from daoqi_tui.tui.game.online import OnlinePlay

_WIDE: Final = 100
"""The minimum number of columns for panes next to the board."""
_HIGH: Final = 20
"""The minimum number of rows for everything."""
_TALL: Final = 54
"""The minimum number of rows for win rates in the graph."""
_SHOW_RESULT: Final = frozenset({"move", "resign", "agreed", "time"})
"""Kinds of changes after which the result card shows: not the marking of dead stones, nor redoing an end."""
_ENDS: Final = frozenset({"resign", "agreed", "time"})
"""Kinds of changes that end a game without a move."""
_FLASH: Final = 0.5
"""Seconds for which the point of a refused play is marked."""


class GameScreen(BoardScreen[Any]):
    """The screen on which games are played, replayed and studied.

    Attributes:
        match: the current game, with its players, its clock and its keeper.
        options: the options of display and play.
        board: the board widget.
        cursor: the points of the keyboard and the mouse, and the view.
        panes: the panes beside or below the board.
        status: the status line.
        questions: the questions asked over the game.
        tree_version: counts the changes of the tree, so that panes know when to lay it out again.
        overlays: the overlays over the board, the topmost last.
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
    """True if the result card is shown when a game ends."""

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
        self.online: OnlinePlay | None = None
        if place is not None:
            from daoqi_tui.tui.game.online import OnlinePlay, recorder_of  # noqa: PLC0415 (few games are online)

            self.online = OnlinePlay(self, place, recorder_of(self, place))
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
        self.match.subscribe(self.hear)
        self.options = options
        self.board = BoardView(session.game.torus.size, id="board")
        self.position_shown: Signal[GameScreen] = Signal(self, "position shown")
        self.panes = Panes(self)
        self.status = StatusLine(self)
        self.cursor = Cursor(self)
        self.tree_version = 0

        self.questions = Questions(self)
        self.records = Records(self)
        self.replay = Replay(self)
        self.review = Review(self)
        self.counting = Counting(self)
        self.labels = Labels(self)
        self.opening = OpeningCounts(self)
        self.estimate = EstimateOverlay(self)
        self.ladder = LadderReading(self)
        self.analysis = AnalysisOverlay(self)
        self.overlays: tuple[Overlay, ...] = (
            self.review,
            self.counting,
            self.labels,
            self.opening,
            self.estimate,
            Warnings(self),
            BetterMove(self),
            self.ladder,
            self.analysis,
            *((self.online,) if self.online is not None else ()),
        )

        self._offer_resume = offer_resume
        self._asked_for = asked_for
        self._pending: tuple[Node, int] | None = None
        """The node and the point of a first click that a second one has to confirm."""
        self._judged: tuple[tuple[Node, int, int], list[JudgedMove]] | None = None
        self._refused: int | None = None
        self._flash_timer: Timer | None = None
        self._cell_liked: int | None = None
        self._out_of_date = False
        """True if updates are deferred until a dialog closes."""

    # Life cycle

    def compose(self) -> ComposeResult:
        """Lay out the board, the panes beside or below it, the status line and the hints."""
        yield self.board
        yield self.panes
        yield self.status.widget
        yield HintBar(id="hints")

    def on_mount(self) -> None:
        """Show the session, and ask about unfinished games."""
        if self.keeper is not None:
            if self._asked_for:
                self.call_after_refresh(self.records.mention_unfinished)
            elif self._offer_resume:
                self.call_after_refresh(self.records.offer_unfinished, asked=False)
            self.call_after_refresh(self.run_worker, self.records.mention_online, group="online")
        self.board.resized.subscribe(self, lambda _board: self.cursor.keep_in_view(), immediate=True)
        self.apply_options(self.options)
        self.begin(self.session)
        if self.online is not None:
            self.online.connect()

    async def on_prune(self, event: Prune) -> None:  # noqa: ARG002 (Textual's form)
        """Cancel the workers before the widgets that they use are removed; Textual does so only afterwards."""
        self.workers.cancel_node(self)

    async def on_unmount(self) -> None:
        """Leave the game and end all processes, however the program ends."""
        self.workers.cancel_node(self)
        for overlay in self.overlays:
            await overlay.close()
        await self.match.close()
        with suppress(OSError):
            await self.match.leave()

    def begin(self, session: Session) -> None:
        """Show another session from its beginning."""
        for overlay in self.overlays:
            overlay.begin(session)
        self.replay.stop()
        self.match.begin(session)
        self.cursor.begin()
        self._pending = self._refused = None
        self.tree_changed()
        self.panes.begin(session)
        if session.info is not None:
            # The journal starts now, so that moves already in the file do not count as new.
            self._keep()
        else:
            # Deferred, since it would delay the start by 30 ms.
            self.call_after_refresh(self._keep)
        self.call_after_refresh(self.match.start)
        self.call_after_refresh(self.note_players)
        self.show_position()
        self.records.begun()

    def note_players(self) -> None:
        """Note the level of a computer that plays, as the default of the next game."""
        app = cast("DaoqiApp", self.app)
        if len(self.match.persons) < len(self.session.seats) and app.habits.played_by(self.session.seats.values()):
            app.keep_habits()

    def _keep(self) -> None:
        if self.keeper is not None:
            self.keeper.begin(self.session)

    def apply_options(self, options: Options) -> None:
        """Apply new options to the game."""
        before, self.options = self.options, options
        self.set_look(self.board, options)
        self.board.set_viewport(self.board.viewport._replace(margin=options.margin))
        if options.cell != self._cell_liked:
            self._cell_liked = options.cell
            self.board.set_cell(next((cell for cell in CELLS if cell.width == options.cell), None))
        if options != before:
            # The names of points and the marks of chains may have changed.
            self.tree_changed()
            self.show_position()
            self.analysis.use_budget(before)

    def language_changed(self) -> None:
        """Update everything to the current language."""
        self.query_one(HintBar).refresh_words()
        self.tree_changed()
        self.show_position()

    def set_focus_mode(self, *, on: bool) -> None:
        """Show the board alone, or the panes, the status line and the keys again."""
        self.status.hush()
        self.set_class(on, "-focus")
        if on:
            self.say(with_keys(_("Board only; {focus} shows the rest")))
        else:
            self.status.show()
        fit_soon(self)

    # Commands

    async def action_command(self, name: str) -> None:
        """Run a command of the table."""
        forbidden = self.online.forbids(name) if self.online is not None else None
        if forbidden is not None:
            self.say(forbidden)
            return
        waiting = HANDLERS[name](self)
        if isawaitable(waiting):
            await waiting

    def run_exclusive(self, work: Callable[[], Coroutine[Any, Any, object]], group: str) -> Worker[Any]:
        """Run a task in the background, replacing a running one of its group."""
        worker: Worker[Any] = self.run_worker(work, group=group, exclusive=True)
        return worker

    @property
    def is_in_view(self) -> bool:
        """True if the game is shown, on the flat board or on the torus, without a dialog over it."""
        top = self.app.screen
        return isinstance(top, BoardScreen) and top.shows_game

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Ask the next waiting question once an answer has been handled."""
        self.questions.worker_changed(event.worker)

    # The game

    @property
    def session(self) -> Session:
        """The current session: the game and its players."""
        return self.match.session

    @property
    def keeper(self) -> Keeper | None:
        """The keeper, which saves the games; None if nothing is saved."""
        return self.match.keeper

    @property
    def may_help(self) -> bool:
        """True if help may be shown: not to a player of an online game in progress."""
        return self.online is None or self.online.forbids("analysis") is None

    @property
    def last_point(self) -> int | None:
        """The point of the last move, None after a pass or at the start."""
        move = self.session.game.node.move
        return None if move is None or move.is_pass else move.point

    def tree_changed(self) -> None:
        """Note that the tree, or the text of its moves, has changed."""
        self.tree_version += 1

    @property
    def shows_events(self) -> bool:
        """True unless the program exits, when a slow disk may respond after the panes have been removed."""
        return self.app.is_running and self.board.is_attached

    def hear(self, event: Event) -> None:
        """Show what happened in the game."""
        if not self.shows_events:
            return
        match event:
            case Change():
                self._show_change(event)
            case Thinks():
                self.status.follow_thought()
            case Answered():
                self.panes.feed_side()
            case Crashed(problem=problem):
                self.say(words_of(problem))
            case NotJudged(problem=problem):
                self.say(not_judged_words(problem))
            case Trouble():
                self.status.show()
            case Questioned(move=judged):
                self.questions.run_in_turn(partial(ask_about_move, self, judged))
            case Filed():
                self._say_filed(event)
            case Saving(failing=failing):
                self.say(failing_words(failing))
                self.panes.show_game()
            case Began(session=session):
                self.begin(session)

    def _show_change(self, change: Change) -> None:
        if change.tree:
            self.tree_changed()
        if change.kind == "move":
            self._show_move(change)
        elif change.kind == "notes":
            self.show_board()
            self.show_panes()
        else:
            if change.kind == "resume":
                self.counting.on = False
            self.show_position()
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
            await show_card(self)

    def _show_move(self, change: Change) -> None:
        node, move = change.node, change.node.move
        assert move is not None
        # The user continues from here, so stop the replay.
        self.replay.stop()
        if not change.computer:
            self.cursor.hovered = None
        if move.is_pass and node.is_over:
            self.counting.show_end()
        self.show_position()
        if change.computer and move.is_pass and not node.is_over:
            self.say(_("{colour} passes").format(colour=colour_word(move.colour)))
        self._ring_for_move(node)

    def _say_filed(self, filed: Filed) -> None:
        result = self.session.game.result
        words = []
        if filed.problem is not None:
            words.append(no_library_words(filed.problem))
        elif filed.path is not None and result is not None:
            saved = _("saved in the library as {file}").format(file=filed.path.name)
            words.append(result_words(result) + "  ·  " + saved)
        if filed.unrated is not None:
            words.append(no_rating_words(filed.unrated))
        if words:
            self.say("  ·  ".join(words))

    def make_players(self) -> PlayerTable:
        """Create the computer players."""
        from daoqi_tui.ai.process import thread_count  # noqa: PLC0415 (a start needs no player)
        from daoqi_tui.play.players import PlayerTable, no_network_words  # noqa: PLC0415

        if missing := no_network_words(self.options.net, self.net()):
            self.say(missing)
        threads = thread_count(self.options.threads)
        return PlayerTable(net=self.net, threads=threads, analyst=lambda: self.analyst_command)

    def spawn(self, work: Work) -> Worker[None]:
        """Run a task in the background."""
        return self.run_worker(work)

    def _pace(self) -> float:
        return self.pace if self.is_active else self.covered_pace

    def judged(self) -> list[JudgedMove]:
        """Return the moves of the shown line with known losses; the same list until something changes."""
        end = self.match.variations.last_node()
        known = end, self.evaluations.version, self.tree_version
        if self._judged is None or self._judged[0] != known:
            self._judged = known, judged_moves(end.path(), self.evaluations)
        return self._judged[1]

    @property
    def daoqi(self) -> DaoqiApp:
        """The app."""
        return cast("DaoqiApp", self.app)

    @property
    def evaluations(self) -> Evaluations:
        """The evaluations of the game's positions."""
        return self.match.evaluations

    @property
    def analyst_command(self) -> str:
        """The command of the GTP engine for analysis, empty for the built-in player, as always in a browser."""
        return "" if local_access(self.app) is None else self.options.analysis_engine

    def net(self) -> str | None:
        """Return the network that computers search with, None for playouts."""
        from daoqi_tui.ai.nets import net_of  # noqa: PLC0415 (a start needs no player)

        return net_of(self.options.net)

    # Showing

    def show_position(self) -> None:
        """Show the current node everywhere; if it is not saved yet, the event for its change will show it."""
        node = self.session.game.node
        for overlay in self.overlays:
            overlay.moved(node)
        self._pending = None
        if not self.match.written:
            return
        self.show_board()
        if self.options.follow and (point := self.last_point) is not None:
            self.board.set_viewport(self.board.viewport.centred_on(*self.session.game.torus.position(point)))
        self.cursor.keep_in_view()
        self.show_panes()
        self.status.show()
        self.position_shown.publish(self)

    def show_board(self) -> None:
        """Show the board: stones, marks, and the pointer's target."""
        if not self.match.written:
            return
        self.status.show_line_soon()
        game = self.session.game
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
        picture = Picture(
            size=game.torus.size,
            stones=bytes(board.colours),
            last=self.last_point,
            cursor=self.cursor.point,
            ghost=ghost,
            chain=frozenset(chain.stones) if chain else frozenset(),
            liberties=frozenset(chain.liberties) if chain else frozenset(),
            refused=self._refused,
        )
        self.board.show_picture(self.decorated(picture))

    def decorated(self, picture: Picture) -> Picture:
        """Return the picture with all overlays on it."""
        for overlay in self.overlays:
            picture = overlay.decorate(picture)
        return picture

    @property
    def stone_signs(self) -> StoneSigns:
        """The signs for stones in text, as the board draws them."""
        return StoneSigns(self.board.palette, self.board.glyphs)

    def show_panes(self) -> None:
        """Update all panes and the hints."""
        if self.match.written:
            self.panes.show()
            self.query_one(HintBar).show(self._stage())

    def _stage(self) -> GameStage:
        if self.online is not None:
            return "online"
        if self.session.game.is_over:
            return "counted" if isinstance(self.session.game.ending, TwoPasses) else "given up"
        return "playing" if self.session.start.children else "beginning"

    def is_covered(self) -> bool:
        """Return whether a dialog covers the game; if so, note that updates are deferred until it closes.

        Any change below a dialog redraws the whole window, dimmed: 100 KB each. A running clock has to stay visible, so
        nothing is deferred then.
        """
        clock = self.session.clock
        if self.is_active or (clock is not None and clock.running is not None):
            return False
        self._out_of_date = True
        return True

    def say(self, words: str) -> None:
        """Show a message on the status line until the position changes; for a while even if a computer is thinking."""
        self.status.say(words)

    def refuse(self, point: int, words: str) -> None:
        """Show why a play was refused, flash its point, and ring."""
        self.say(words)
        self._refused = point
        self.show_board()
        if self._flash_timer is not None:
            self._flash_timer.stop()
        self._flash_timer = self.set_timer(_FLASH, self._end_flash)
        self.ring("refusal")

    def _end_flash(self) -> None:
        self._refused = None
        self.show_board()

    def _ring_for_move(self, node: Node) -> None:
        if node.is_over:
            self.ring("end")
        elif node.captured or node.lost:
            self.ring("capture" if "capture" in self.options.bells else "move")
        else:
            self.ring("move")

    def ring(self, event: str) -> None:
        """Ring the terminal's bell, if enabled for this event (see :data:`~daoqi_tui.play.looks.BELLS`)."""
        if event in self.options.bells:
            self.app.bell()

    async def fit(self) -> None:
        """Fit the panes and the status line to the window."""
        await self.panes.fit_side()
        self.show_panes()
        self.status.fit_line()

    # Messages

    def on_screen_suspend(self) -> None:
        """End a drag when a dialog opens."""
        self.board.let_go()

    def on_screen_resume(self) -> None:
        """Show the updates that were deferred while a dialog covered the game."""
        if self._out_of_date:
            self._out_of_date = False
            self.status.show_line()
            self.panes.show_game()
        self.questions.run_next()

    def on_paste(self, event: events.Paste) -> None:
        """Open a pasted record or diagram, or join with a pasted invitation."""
        event.stop()
        if self.online is not None:
            self.say(self.online.forbids("library") or "")
            return
        from daoqi_tui.play.online.invitation import Invitation  # noqa: PLC0415 (few are invited)

        invitation = Invitation.pasted(event.text)
        if invitation is not None:
            self.questions.run(partial(ask_for_online, self, invitation))
        else:
            self.records.paste(event.text)

    def on_saving_changed(self, message: SavingChanged) -> None:
        """Pass a report of the journal's thread to the match."""
        message.stop()
        self.match.saving_changed(message.failing)

    def on_history_pane_node_selected(self, message: HistoryPane.NodeSelected) -> None:
        """Go to a move clicked in the history."""
        message.stop()
        self.replay.stop()
        self.match.goto(message.node)

    @property
    def board_size(self) -> int:
        """The size of the board of the game."""
        return self.session.game.torus.size

    def point_chosen(self, point: int) -> None:
        """Play at a clicked point, at the second click if confirmation is on."""
        game = self.session.game
        self.cursor.point = point
        asks = self.options.confirm_click and self.match.awaits_person and game.refusal(point) is None
        if asks and self._pending != (game.node, point):
            self._pending = game.node, point
            self.show_board()
            self.say(_("Click {point} again to play there").format(point=game.torus.name(point, self.options.names)))
        else:
            play_at(self, point)
            self.show_board()
        # The view may have followed another move since the click.
        self.cursor.keep_in_view()

    def on_board_view_panned(self, message: BoardView.Panned) -> None:
        """Keep the cursor in the window that the mouse moved."""
        message.stop()
        self.cursor.keep_in_view()
        self.cursor.note_view()

    def on_board_view_labels_clicked(self, message: BoardView.LabelsClicked) -> None:
        """Open the menu, for which nothing else can be clicked while the board fills the window."""
        message.stop()
        self.app.action_command_palette()

    def point_recentred(self, point: int) -> None:
        """Centre a point clicked with the right button."""
        self.cursor.centre(point)

    def point_hovered(self, point: int | None) -> None:
        """Show the preview of a stone, or the chain, under the mouse."""
        self.cursor.hovered = point
        self.show_board()
        self.analysis.pointed()
