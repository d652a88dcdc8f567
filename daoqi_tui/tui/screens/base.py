"""The game screen without its actions: one session after another, kept on disk before it shows, and timed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Final

from textual import work
from textual.message import Message
from textual.timer import Timer

from daoqi_tui.engine import Node, TwoPasses
from daoqi_tui.i18n import _
from daoqi_tui.tui.keeper import Folders, Keeper
from daoqi_tui.tui.options import Options
from daoqi_tui.tui.screens.display import GameDisplay
from daoqi_tui.tui.screens.state import HIGH, WIDE
from daoqi_tui.tui.session import Session
from daoqi_tui.tui.words import failing_words, no_library_words, result_words

if TYPE_CHECKING:
    from daoqi_tui.record.journal import Failing, Ticket

_CLOCK_TICK: Final = 0.2
_CLOCK_KEPT: Final = 5.0
"""Seconds from one reading of the clock in the journal to the next, while nobody moves."""
_PATIENCE: Final = 2.0
"""Seconds after which a move shows even though the disk has not taken it yet."""
_REST: Final = 1.0
"""Seconds from a pan to writing down the place of the window."""


class GameBase(GameDisplay):
    """What all actions build on: they change the game and call :meth:`show_position`."""

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
        window: tuple[int, int] = (WIDE, HIGH),
    ) -> None:
        super().__init__(session, options, window)
        self.offer_resume = offer_resume
        """Whether to ask about unfinished games at the start."""
        self.keeper = None if folders is None else Keeper(folders, self._saving_changed)
        """Keeps what is played; None where nothing is to be kept."""
        self._view_timer: Timer | None = None
        self._clock_timer: Timer | None = None
        self._clock_kept = 0.0

    def on_mount(self) -> None:
        """Show the session, as the person likes it."""
        self.dress(self.options)
        self.begin(self.session)

    async def on_unmount(self) -> None:
        """Let go of the game, however the program ends."""
        if self.keeper is not None:
            with suppress(OSError):
                await asyncio.to_thread(self.keeper.leave)

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
        if session.info is None:
            self.call_after_refresh(self._begin_keeping)
        else:
            # What a record holds already is told from what is played in it by when the journal began.
            self._begin_keeping()
        self._remember_path()
        self._sync_clock()
        self._show_now()

    async def ask(self, question: str, yes: str, no: str) -> bool:
        """Ask a question over the game; only workers may."""
        from daoqi_tui.tui.screens.dialogs import Question  # noqa: PLC0415 (dialogs cost a start 10 ms)

        return await self.app.push_screen_wait(Question(question, yes, no))

    def go(self, node: Node) -> None:
        """Set the game on a node and show it."""
        self.session.game.goto(node)
        self.show_position()

    def noted(self, node: Node) -> None:
        """Keep and show what was written on a node."""
        self._when_kept(self.keeper.edited(self.session, node) if self.keeper is not None else None, self._show_notes)

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
            self._wait_and_show(ticket, show)

    @work(group="keeping", exclusive=True)
    async def _wait_and_show(self, ticket: Ticket, show: Callable[[], None]) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await ticket
        self._unkept = False
        # At the end of the program a slow disk may answer when there are no panes left to show anything in.
        if self.app.is_running and self.board.is_attached:
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
            self.say(no_library_words(error))

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
            self.say(no_library_words(error))
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
        """Write down where the person looks, a moment from now, once for all steps of a pan until then."""
        if self.keeper is not None and self._view_timer is None:
            self._view_timer = self.set_timer(_REST, self._write_view)

    def _write_view(self) -> None:
        from daoqi_tui.record.journal import View  # noqa: PLC0415

        self._view_timer = None
        viewport = self.board.viewport
        view = View(
            viewport.x, viewport.y, (viewport.cell.width, viewport.cell.height), self.cursor_point, viewport.margin
        )
        if self.keeper is not None:
            self.keeper.looked(self.session, view)

    def _sync_clock(self) -> None:
        """Let the clock run at the front of the game, wherever the person looks meanwhile.

        As on a server: if the time stood still while earlier moves are looked at, a player could think about the
        present move for nothing by standing on the one before.
        """
        session = self.session
        clock = session.clock
        if clock is None:
            return
        if session.front is None:
            session.front = self.last_node()
        if self.waiting or session.front.is_over:
            clock.stop(monotonic())
        elif clock.running != session.front.to_move:
            clock.start(session.front.to_move, monotonic())

    @property
    def waiting(self) -> bool:
        """Whether the game stands still for the time being, its clock too."""
        return False

    def play_goes_on_here(self) -> None:
        """Make the node shown the front of the game, which its clock measures: after a move, or one taken back."""
        self.session.front = self.session.game.node

    def _tick(self) -> None:
        session = self.session
        clock = session.clock
        if clock is None or clock.running is None:
            return
        if clock.left(clock.running, monotonic()).is_out:
            if session.front is not None:
                # Where the game was lost, whatever was looked at.
                session.game.goto(session.front)
            session.game.lose_on_time(clock.running)
            self.show_position()
            self.ended()
            return
        self._show_turn()
        if self.keeper is not None and monotonic() - self._clock_kept > _CLOCK_KEPT:
            self._clock_kept = monotonic()
            self.keeper.timed(session)
