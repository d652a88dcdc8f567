"""The game screen: a board, its panes, and every action of the table of commands."""

from __future__ import annotations

from textual import work
from textual.binding import Binding

from daoqi_tui.i18n import _
from daoqi_tui.tui.commands import COMMANDS
from daoqi_tui.tui.screens.analysis_actions import AnalysisActions
from daoqi_tui.tui.screens.extra_actions import ExtraActions
from daoqi_tui.tui.screens.ladder_actions import LadderActions
from daoqi_tui.tui.screens.look_actions import LookActions
from daoqi_tui.tui.screens.note_actions import NoteActions
from daoqi_tui.tui.screens.play_actions import PlayActions
from daoqi_tui.tui.screens.record_actions import RecordActions
from daoqi_tui.tui.screens.replay_actions import ReplayActions
from daoqi_tui.tui.screens.review_actions import ReviewActions
from daoqi_tui.tui.screens.view_actions import ViewActions
from daoqi_tui.tui.session import Session


class GameScreen(
    LookActions,
    ReviewActions,
    LadderActions,
    ReplayActions,
    AnalysisActions,
    ViewActions,
    PlayActions,
    NoteActions,
    RecordActions,
    ExtraActions,
):
    """Where games are played, replayed and studied."""

    BINDINGS = [  # noqa: RUF012
        Binding(",".join(command.keys), command.id, command.label, show=False, id=command.name) for command in COMMANDS
    ]

    def on_resize(self) -> None:
        """Write the panes in the form that fits the new window."""
        self.call_after_refresh(self.show_panes)
        self.call_after_refresh(self._show_line)

    def begin(self, session: Session) -> None:
        """Show another session from its beginning."""
        super().begin(session)
        self._stop_replay()
        self.show_problems()
        self.ask_about_torus()

    def on_mount(self) -> None:
        """Ask about unfinished games; Textual calls the handler of the base class, which shows the session, itself."""
        if self.offer_resume and self.keeper is not None:
            self.call_after_refresh(self.offer_unfinished, asked=False)

    def welcome(self) -> None:
        """Offer the first lesson, once."""
        self.offer_lesson()

    def _moved(self) -> None:
        """Show a move just made; the person plays on from here, so the replay does not."""
        self._stop_replay()
        super()._moved()
        self.ring_for_move()

    def action_take_back(self) -> None:
        """Take back the last move, or a resignation."""
        self._stop_replay()
        super().action_take_back()

    @work(exclusive=True, group="question")
    async def action_new_game(self) -> None:
        """Ask what to play, and begin it."""
        from daoqi_tui.tui.screens.setup import SetupScreen  # noqa: PLC0415 (forms cost 20 ms that a start can do without)

        setup = await self.app.push_screen_wait(SetupScreen(self.session.setup))
        if setup is None:
            return
        await self.open_session(Session(setup))

    def action_palette(self) -> None:
        """Open the command palette."""
        self.app.action_command_palette()

    async def action_help(self) -> None:
        """List every key."""
        from daoqi_tui.tui.screens.help import HelpScreen  # noqa: PLC0415 (a table costs a start 10 ms)

        await self.app.push_screen(HelpScreen())

    @work(exclusive=True, group="question")
    async def action_quit(self) -> None:
        """Leave the program; ask first while a game is under way."""
        if await self.agreed_to_leave(
            lost=_("The game under way will be lost. Quit?"),
            unsaved=_("What was played since would be lost. Quit?"),
            kept=_("The game under way is kept: the next start offers to go on with it. Quit?"),
            leave=_("Quit"),
        ):
            await self.leave_game()
            self.app.exit()
