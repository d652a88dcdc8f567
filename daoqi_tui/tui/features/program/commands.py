"""The program: its options, help, the menu, the panes, and leaving."""

from __future__ import annotations

from functools import partial

from daoqi_tui.i18n import _
from daoqi_tui.play.looks import Options
from daoqi_tui.play.view import Changed
from daoqi_tui.tui.feature import Feature, Handlers
from daoqi_tui.tui.features.records.commands import Records
from daoqi_tui.tui.host import Host


class ProgramCommands(Feature):
    """The commands that are not about the game."""

    def __init__(self, host: Host, records: Records) -> None:
        super().__init__(host)
        self._records = records

    def handlers(self) -> Handlers:
        """Return the commands of the program."""
        return {
            "next_pane": partial(self.host.turn_side, 1),
            "previous_pane": partial(self.host.turn_side, -1),
            "focus": self.focus,
            "boards": self.asking(self.choose_board),
            "settings": self.asking(self.choose_options),
            "help": self.show_help,
            "palette": self.open_menu,
            "quit": self.asking(self.leave),
        }

    def focus(self) -> None:
        """Show the board alone, or everything again."""
        self.host.set_focus_mode(on=not self.host.in_focus_mode)

    async def choose_board(self) -> None:
        """Choose a board theme."""
        from daoqi_tui.tui.features.program.options import BoardsScreen  # noqa: PLC0415 (lists cost 10 ms)

        before = self.host.options
        self._take(before, await self.host.questions.answer_to(BoardsScreen(before, self.host.program.apply_options)))

    async def choose_options(self) -> None:
        """Ask for the options of the board and of play."""
        from daoqi_tui.tui.features.program.options import OptionsScreen  # noqa: PLC0415 (forms cost 20 ms)

        before, app = self.host.options, self.host.program
        form = OptionsScreen(before, self.match.game.torus.size, app.apply_options, app.set_language)
        self._take(before, await self.host.questions.answer_to(form))

    def _take(self, before: Options, after: Options | None) -> None:
        """Apply the chosen options, and save them."""
        if after is None:
            return
        self.host.program.apply_options(after)
        self.host.program.keep(before, after)
        self.host.show_position(Changed.POSITION | Changed.TREE)

    async def show_help(self) -> None:
        """List every key."""
        from daoqi_tui.tui.features.program.menu import HelpScreen  # noqa: PLC0415 (a table costs a start 10 ms)

        await self.host.app.push_screen(HelpScreen())

    def open_menu(self) -> None:
        """Open the menu of all commands."""
        self.host.app.action_command_palette()

    async def leave(self) -> None:
        """Leave the program, or an online game for the one below it; ask first if a game is in progress."""
        if self.host.online is not None:
            if await self.host.online.agreed_to_leave():
                # Later, since this question belongs to the closing screen.
                self.host.app.call_later(self.host.program.leave_game)
            return
        if await self._records.agreed_to_leave(
            lost=_("The current game will be lost. Quit?"),
            unsaved=_("The moves played since then will be lost. Quit?"),
            kept=_("The current game is saved: you can resume it at the next start. Quit?"),
            leave=_("Quit"),
        ):
            await self._records.leave_game()
            self.host.app.exit()
