"""What all parts of the game screen share: the session, where the person looks, and how it is all shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from daoqi_tui.engine import BLACK, WHITE, Area, Chain, Node, TwoPasses, points_text
from daoqi_tui.i18n import _
from daoqi_tui.tui.keeper import Folders, Keeper
from daoqi_tui.tui.looks import look_for
from daoqi_tui.tui.options import Options
from daoqi_tui.tui.picture import Ghost, Picture
from daoqi_tui.tui.session import Session
from daoqi_tui.tui.side_panes import SIDE_PANES, SidePane
from daoqi_tui.tui.tones import tone
from daoqi_tui.tui.widgets.board import BoardView
from daoqi_tui.tui.widgets.comment import CommentPane
from daoqi_tui.tui.widgets.hints import HintBar
from daoqi_tui.tui.widgets.panes import AreaPane, CapturesPane, PassesPane, Tally, TurnPane, TurnState
from daoqi_tui.tui.words import chain_words, colour_word, failing_words, move_words, result_words

if TYPE_CHECKING:
    from daoqi_tui.record.journal import Failing, Ticket

_CLOCK_TICK: Final = 0.2
_FLASH: Final = 0.5
_PATIENCE: Final = 2.0
"""Seconds after which a move shows even though the disk has not taken it yet."""
_REST: Final = 1.0
_LINE_DELAY: Final = 0.12
WIDE: Final = 100
"""From this many columns on the panes stand beside the board."""


class GameBase(Screen[Any]):
    """State and display of the game screen; its actions are in the classes built on this one."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-middling"), (WIDE, "-wide")]  # noqa: RUF012 (Textual's form)
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]  # noqa: RUF012 (Textual's form)

    # Children cover the whole screen; as a blank it costs a pan nothing.
    BLANK = True

    class SavingChanged(Message):
        """Saving began to fail, or works again."""

        def __init__(self, failing: Failing | None) -> None:
            super().__init__()
            self.failing = failing

    def __init__(
        self,
        session: Session,
        options: Options,
        folders: Callable[[], Folders] | None = None,
        *,
        offer_resume: bool = False,
    ) -> None:
        super().__init__()
        self.offer_resume = offer_resume
        """Whether to ask about unfinished games at the start."""
        self.keeper = None if folders is None else Keeper(folders, self._saving_changed)
        """Keeps what is played; None where nothing is to be kept."""
        self._unkept = False
        """Whether the position is not on the disk yet, so that it must not be shown."""
        self._view_timer: Timer | None = None
        self.session = session
        self.options = options
        self.board = BoardView(session.game.torus.size, id="board")
        """The board widget."""
        self._status = Static("", id="status")
        self.cursor_point = self._middle_point()
        self.hovered: int | None = None
        self.pending: int | None = None
        """The point of a first click that a second is to confirm."""
        self.counting = False
        self.numbering = False
        self.marking_dead = False
        self._refused: int | None = None
        self._remembered: dict[Node, Node] = {}
        self.tree_version = 0
        """Counts the changes of the tree, so that panes know when to lay it out anew."""
        self.side = SIDE_PANES[0]
        self._words = ""
        self._line_timer: Timer | None = None
        self._flash_timer: Timer | None = None
        self._clock_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the board, the panes beside or below it, the status line and the hints.

        The board is the screen's own child: every container above it would be drawn below it at each pan.
        """
        yield self.board
        with Container(id="panes"):
            yield TurnPane(id="turn")
            yield CapturesPane(id="captures")
            yield PassesPane(id="passes")
            yield AreaPane(id="area")
            yield CommentPane(id="comment")
            with Container(id="side"):
                yield SIDE_PANES[0].make()
        yield self._status
        yield HintBar(id="hints")

    def on_mount(self) -> None:
        """Show the session, as the person likes it."""
        self.dress(self.options)
        self.begin(self.session)

    def dress(self, options: Options) -> None:
        """Show the board as the person likes it, from now on."""
        self.options = options
        look = look_for(self.app, options, wide_signs=getattr(self.app, "wide_signs", False))
        self.board.set_look(palette=look.palette, glyphs=look.glyphs, name_style=options.names)
        self.board.set_viewport(replace(self.board.viewport, margin=options.margin))

    async def on_unmount(self) -> None:
        """Let go of the game, however the program ends."""
        if self.keeper is not None:
            with suppress(OSError):
                await asyncio.to_thread(self.keeper.leave)

    def on_screen_suspend(self) -> None:
        """End a drag when something is laid over the game."""
        self.board.let_go()

    def begin(self, session: Session) -> None:
        """Show another session from its beginning."""
        self.session = session
        self.cursor_point = self._middle_point()
        self.hovered = self.pending = self._refused = None
        self.counting = self.marking_dead = False
        self._remembered.clear()
        self.tree_changed()
        if self._clock_timer is not None:
            self._clock_timer.stop()
            self._clock_timer = None
        if session.clock is not None:
            self._clock_timer = self.set_interval(_CLOCK_TICK, self._tick)
        # What a session begins with is on the disk already, or nothing worth keeping.
        self._unkept = False
        self.call_after_refresh(self._begin_keeping)
        self._remember_path()
        self._sync_clock()
        self._show_now()

    def _middle_point(self) -> int:
        torus = self.session.game.torus
        return torus.point(torus.size // 2, torus.size // 2)

    async def ask(self, question: str, yes: str, no: str) -> bool:
        """Ask a question over the game; only workers may."""
        from daoqi_tui.tui.screens.dialogs import Question  # noqa: PLC0415 (dialogs cost a start 10 ms)

        return await self.app.push_screen_wait(Question(question, yes, no))

    # Where the person is

    @property
    def dead(self) -> frozenset[int]:
        """The stones agreed to be dead."""
        ending = self.session.game.ending
        return ending.dead if isinstance(ending, TwoPasses) else frozenset()

    @property
    def count(self) -> Area:
        """The area of the position shown, less agreed dead stones."""
        return self.session.game.area(self.dead)

    @property
    def last_point(self) -> int | None:
        """The point of the last move, None after a pass or at the start."""
        move = self.session.game.node.move
        return None if move is None or move.is_pass else move.point

    def next_node(self) -> Node | None:
        """The child that was looked at last, or the main one."""
        node = self.session.game.node
        return self._remembered.get(node) or (node.children[0] if node.children else None)

    def last_node(self) -> Node:
        """The end of the line that was looked at last."""
        node = self.session.game.node
        while following := self._remembered.get(node) or (node.children[0] if node.children else None):
            node = following
        return node

    def go(self, node: Node) -> None:
        """Set the game on a node and show it."""
        self.session.game.goto(node)
        self.show_position()

    def tree_changed(self) -> None:
        """Note that moves were added to the tree."""
        self.tree_version += 1

    def noted(self, node: Node) -> None:
        """Keep and show what was written on a node."""
        self._when_kept(self.keeper.edited(self.session, node) if self.keeper is not None else None, self._show_notes)

    def _show_notes(self) -> None:
        self.show_board()
        self.show_panes()

    # Showing

    def say(self, words: str) -> None:
        """Show a message on the status line until the position changes."""
        self._words = words
        self._show_line()

    def _show_line(self) -> None:
        """Write the status line: the message, and at its end what the cursor or the mouse points at."""
        self._line_timer = None
        status = self._status
        point = self.cursor_point if self.hovered is None else self.hovered
        game = self.session.game
        there = game.torus.name(point, self.options.names)
        chain = game.board.chain_at(point)
        if chain is not None:
            there += f" · {chain_words(chain)}"
        room = status.content_size.width - cell_len(self._words) - cell_len(there)
        text = Text(self._words, no_wrap=True, overflow="ellipsis")
        if room >= 2:
            text.append(" " * room + there, style=tone(self, "muted"))
        status.update(text, layout=False)

    def _show_line_soon(self) -> None:
        """Write the status line a moment after the pointer moved, not at every step of a pan."""
        if self._line_timer is None:
            self._line_timer = self.set_timer(_LINE_DELAY, self._show_line)

    def refuse(self, point: int | None, words: str) -> None:
        """Say why a play was refused, and flash its point."""
        self.say(words)
        if point is None:
            return
        self._refused = point
        self.show_board()
        if self._flash_timer is not None:
            self._flash_timer.stop()
        self._flash_timer = self.set_timer(_FLASH, self._end_flash)

    def _end_flash(self) -> None:
        self._refused = None
        self.show_board()

    def show_position(self) -> None:
        """Show the node the game stands on, everywhere, as soon as the way there is on the disk."""
        self.pending = None
        # Dead stones are chosen of a game that has ended; on another node there is nothing to choose.
        self.marking_dead = self.marking_dead and isinstance(self.session.game.ending, TwoPasses)
        self._remember_path()
        self._sync_clock()
        self._when_kept(self.keeper.follow(self.session) if self.keeper is not None else None, self._show_now)

    def _when_kept(self, ticket: Ticket | None, show: Callable[[], None]) -> None:
        """Show something once it is on the disk, or once writing it has failed or takes too long."""
        if ticket is None or ticket.done:
            self._unkept = False
            show()
        else:
            self._unkept = True
            self.run_worker(partial(self._wait_and_show, ticket, show), group="keeping", exclusive=True)

    async def _wait_and_show(self, ticket: Ticket, show: Callable[[], None]) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await ticket
        self._unkept = False
        show()

    def _begin_keeping(self) -> None:
        """Begin to follow the session, once it shows: the journal costs a start 30 ms."""
        if self.keeper is not None:
            self.keeper.begin(self.session)

    async def leave_game(self) -> None:
        """Give up following the game: what is over goes into the library, what is not can be resumed."""
        if self.keeper is None:
            return
        try:
            await asyncio.to_thread(self.keeper.leave)
        except OSError as error:
            self.say(_("The game could not be put into the library: {reason}").format(reason=error.strerror or error))

    def ended(self) -> None:
        """Put a game that has just ended into the library."""
        game = self.session.game
        if self.keeper is None or not game.is_over:
            return
        if self.keeper.promote_end(self.session):
            self.tree_changed()
        self.show_position()
        self.run_worker(self._file(), group="filing", exclusive=True)

    async def _file(self) -> None:
        assert self.keeper is not None
        try:
            path = await asyncio.to_thread(self.keeper.file)
        except OSError as error:
            self.say(_("The game could not be put into the library: {reason}").format(reason=error.strerror or error))
            return
        result = self.session.game.result
        if path is not None and result is not None:
            self.say(result_words(result) + "  ·  " + _("in the library as {file}").format(file=path.name))

    def _saving_changed(self, failing: Failing | None) -> None:
        """Hear from the thread of the journal."""
        self.post_message(self.SavingChanged(failing))

    def on_game_base_saving_changed(self, message: SavingChanged) -> None:
        """Say in one line that saving fails, or works again."""
        message.stop()
        self.say(failing_words(message.failing))

    def note_view(self) -> None:
        """Write down where the person looks, once panning has come to rest."""
        if self.keeper is None:
            return
        if self._view_timer is not None:
            self._view_timer.stop()
        self._view_timer = self.set_timer(_REST, self._write_view)

    def _write_view(self) -> None:
        from daoqi_tui.record.journal import View  # noqa: PLC0415

        viewport = self.board.viewport
        view = View(viewport.x, viewport.y, (viewport.cell.width, viewport.cell.height), self.cursor_point, viewport.margin)
        if self.keeper is not None:
            self.keeper.looked(self.session, view)

    def _show_now(self) -> None:
        self.show_board()
        if self.options.follow and (point := self.last_point) is not None:
            self.board.set_viewport(self.board.viewport.centred_on(*self.session.game.torus.position(point)))
        self.keep_cursor_in_view()
        self.show_panes()
        self._show_status()

    def keep_cursor_in_view(self) -> None:
        """Let the cursor stay where a person can see it."""
        viewport, torus = self.board.viewport, self.session.game.torus
        x, y = viewport.place_of(*torus.position(self.cursor_point))
        # Before its first layout the board has no window yet that the cursor could be outside of.
        if self.board.size and not (0 <= x < viewport.width and 0 <= y < viewport.height):
            self.cursor_point = torus.point(*viewport.middle_point())
            self.show_board()

    def _remember_path(self) -> None:
        node = self.session.game.node
        while (parent := node.parent) is not None and self._remembered.get(parent) is not node:
            self._remembered[parent] = node
            node = parent

    def show_board(self) -> None:
        """Show the board as it is: stones, marks, and what is pointed at."""
        if self._unkept:
            return
        self._show_line_soon()
        game = self.session.game
        board = game.board
        chain = self._chain_pointed_at()
        ghost = None
        if self.pending is not None:
            ghost = Ghost(self.pending, game.to_move)
        elif self.hovered is not None and not board.colours[self.hovered] and not game.is_over:
            ghost = Ghost(self.hovered, game.to_move)
        self.board.show_picture(
            self.decorated(
                Picture(
                    size=game.torus.size,
                    stones=bytes(board.colours),
                    last=self.last_point,
                    cursor=self.cursor_point,
                    ghost=ghost,
                    chain=frozenset(chain.stones) if chain else frozenset(),
                    liberties=frozenset(chain.liberties) if chain else frozenset(),
                    owners=self.count.owners if self.counting else None,
                    dead=self.dead,
                    refused=self._refused,
                    labels=self._labels(),
                )
            )
        )

    def decorated(self, picture: Picture) -> Picture:
        """Add to the picture what an overlay shows; the classes built on this one have some."""
        return picture

    def _labels(self) -> dict[int, str]:
        """Return the characters to show on points: marks and letters of the record, and move numbers."""
        node = self.session.game.node
        if not node.properties and not self.numbering:
            return {}
        from daoqi_tui.tui.node_marks import marks_shown, move_numbers  # noqa: PLC0415

        numbers = move_numbers(node, bytes(self.session.game.board.colours)) if self.numbering else {}
        return numbers | marks_shown(node, self.session.game.torus.size)

    def _chain_pointed_at(self) -> Chain | None:
        point = self.cursor_point if self.hovered is None else self.hovered
        return self.session.game.board.chain_at(point)

    def show_panes(self) -> None:
        """Write all panes anew."""
        if self._unkept:
            return
        game = self.session.game
        board = game.board
        self._show_turn()
        self.query_one(CapturesPane).show(Tally(*board.captured[1:]), Tally(*board.suicided[1:]))
        self.query_one(PassesPane).show(Tally(*board.passes[1:]))
        self.set_class(self.counting, "-counting")
        if self.counting:
            self.query_one(AreaPane).show(self.count)
        self.query_one(CommentPane).show(self._comment(), titled=self.has_class("-wide"))
        self._feed_side()
        self.query_one(HintBar).show(over=game.is_over)

    def _comment(self) -> str:
        node = self.session.game.node
        if not node.properties:
            return ""
        from daoqi_tui.record.markup import comment  # noqa: PLC0415
        from daoqi_tui.record.text import plain  # noqa: PLC0415

        return plain(comment(node))

    def _feed_side(self) -> None:
        """Write the pane that shows at the side's lower part."""
        container = self.query_one("#side", Container)
        container.border_title = _(self.side.title) if self.has_class("-wide") else None
        for widget in container.children:
            if widget.id == self.side.id:
                self.side.feed(widget, self)

    async def show_side(self, pane: SidePane) -> None:
        """Show another pane at the side's lower part, making it if it has not been looked at yet."""
        container = self.query_one("#side", Container)
        self.side = pane
        if not any(widget.id == pane.id for widget in container.children):
            await container.mount(pane.make())
        for widget in container.children:
            widget.display = widget.id == pane.id
        self._feed_side()

    def _show_turn(self) -> None:
        session, game = self.session, self.session.game
        clock, now = session.clock, monotonic()
        result = game.result
        self.query_one(TurnPane).show(
            TurnState(
                game.to_move,
                game.node.number,
                (session.player(BLACK), session.player(WHITE)),
                (clock.left(BLACK, now), clock.left(WHITE, now)) if clock else None,
                str(result) if result else "",
                _("{size}×{size}, komi {komi}").format(size=game.torus.size, komi=points_text(game.komi)),
            )
        )

    def _show_status(self) -> None:
        game = self.session.game
        result = game.result
        if self.marking_dead:
            self.say(_("Choose dead stones; d ends choosing"))
        elif result is not None:
            self.say(result_words(result) + "  ·  " + _("r plays on, n begins a new game"))
        else:
            words = _("{colour} to move").format(colour=colour_word(game.to_move))
            move = game.node.move
            if move is not None:
                words += "  ·  " + _("last: {colour} {move}").format(
                    colour=colour_word(move.colour), move=move_words(game.node, game.torus, self.options.names)
                )
            self.say(words)

    # The clock

    def _sync_clock(self) -> None:
        """Let the clock run where the game is being played: at the end of a line that is not over."""
        clock, game = self.session.clock, self.session.game
        if clock is None:
            return
        if game.is_over or game.node.children:
            clock.stop(monotonic())
        elif clock.running != game.to_move:
            clock.start(game.to_move, monotonic())

    def _tick(self) -> None:
        session = self.session
        clock = session.clock
        if clock is None or clock.running is None:
            return
        if clock.left(clock.running, monotonic()).is_out:
            session.game.lose_on_time(clock.running)
            self.show_position()
            self.ended()
        else:
            self._show_turn()
