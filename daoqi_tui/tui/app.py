"""The program on the screen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from textual import events
from textual.actions import ActionParseResult
from textual.app import App, SystemCommand
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.screen import Screen

from daoqi_tui.config import Config
from daoqi_tui.config_keys import Value
from daoqi_tui.i18n import _, use_language
from daoqi_tui.lower_words import said
from daoqi_tui.tui.ascii_filter import AsciiFilter
from daoqi_tui.tui.bound_keys import use_keys
from daoqi_tui.tui.commands import COMMANDS
from daoqi_tui.tui.glyphs import ASCII
from daoqi_tui.tui.keeper import Folders
from daoqi_tui.tui.looks import Look, frames_for, look_for, theme_for
from daoqi_tui.tui.options import Options, options_of, settings_of
from daoqi_tui.tui.screens.game import GameScreen
from daoqi_tui.tui.session import Session

SMALLEST_WINDOW: Final = (40, 14)


class DaoqiApp(App[None]):
    """Daoqi in a terminal."""

    TITLE = "Daoqi"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    # Textual's selecting of text fails when a click meets a dialog on its way out; terminals select with Shift.
    ALLOW_SELECT = False

    def __init__(
        self,
        session: Session | None = None,
        options: Options | None = None,
        *,
        config: Config | None = None,
        folders: Callable[[], Folders] | None = None,
        offer_resume: bool = False,
        wide_signs: bool = False,
        when_shown: Callable[[], object] | None = None,
    ) -> None:
        """Make the program.

        Args:
            session: what to begin with, a new game by default.
            options: how the board is liked.
            config: the settings; changes of them are kept in its file. None keeps nothing.
            folders: says where games are kept; None keeps nothing.
            offer_resume: whether to ask about unfinished games at the start.
            wide_signs: whether the terminal draws ● and its like two cells wide, which would break every line.
            when_shown: called once the first frame is on the screen.
        """
        # Without colours nothing may be sent but the terminal's own two; Textual would send greys.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self._folders = folders
        self._offer_resume = offer_resume
        self._session = session or Session()
        self._when_shown = when_shown
        self.config = config
        self.rebound: Mapping[str, tuple[str, ...]] = config.keys if config else {}
        """For commands, by name, the keys that replace their own."""
        use_keys(self.rebound)
        self._options = options or (options_of(config) if config else Options())
        self.wide_signs = wide_signs
        for theme in frames_for(self):
            self.register_theme(theme)
        # Set before the style sheet is read: a theme set later has it read twice.
        self.set_reactive(App.theme, theme_for(self, self._options))
        self.stylesheet.set_variables(self.get_css_variables())
        self._ascii = AsciiFilter(enabled=self.look(self._options).glyphs is ASCII)
        self._filters.append(self._ascii)

    def look(self, options: Options) -> Look:
        """How the board is drawn as liked."""
        return look_for(self, options, wide_signs=self.wide_signs)

    def wear(self, options: Options) -> None:
        """Show the game and its frame as liked, from now on."""
        name = theme_for(self, options)
        if self.theme != name:
            self.theme = name
        self._ascii.enabled = self.look(options).glyphs is ASCII
        for screen in self.screen_stack:
            if isinstance(screen, GameScreen):
                screen.dress(options)

    def keep(self, before: Options, after: Options) -> None:
        """Write what differs into the settings file; says so if that fails."""
        old = settings_of(before)
        self.keep_settings({name: value for name, value in settings_of(after).items() if value != old[name]})

    def keep_settings(self, changes: Mapping[str, Value]) -> None:
        """Write settings, by their paths, into the file; says so if that fails."""
        if self.config is None or not changes:
            return
        from daoqi_tui.config_save import save  # noqa: PLC0415 (only changes need it)

        try:
            save(self.config.path, changes)
        except RuntimeError as error:
            self.notify(said(error), severity="warning")

    def speak(self, language: str) -> None:
        """Use another language from now on, and keep it for the next time."""
        use_language(language)
        self.keep_settings({"language": language})
        for screen in self.screen_stack:
            if isinstance(screen, GameScreen):
                screen.rewrite()

    def on_ready(self) -> None:
        """Say what is wrong with the settings, and give commands the keys that were chosen for them."""
        if self._when_shown is not None:
            self.call_after_refresh(self._when_shown)
        if self.rebound:
            self.set_keymap({name: ",".join(keys) for name, keys in self.rebound.items()})
        if self.config is not None:
            for problem in self.config.problems:
                self.notify(problem, severity="warning", timeout=12, markup=False)

    def get_default_screen(self) -> Screen[Any]:
        """Begin with a game: the first thing a person sees is a board."""
        return GameScreen(
            self._session, self._options, self._folders, offer_resume=self._offer_resume, window=self.size
        )

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Offer every command of the table in the palette."""
        if isinstance(screen, GameScreen):
            for command in COMMANDS:
                yield SystemCommand(_(command.label), _(command.help), partial(screen.run_action, command.id))

    def action_command_palette(self) -> None:
        """Open the menu of all commands."""
        from daoqi_tui.tui.screens.menu import Menu  # noqa: PLC0415 (only opened menus need it)

        if not isinstance(self.screen, Menu):
            self.push_screen(Menu())

    def search_themes(self) -> None:
        """Open a menu of all themes."""
        from textual.theme import ThemeProvider  # noqa: PLC0415

        from daoqi_tui.tui.screens.menu import Menu  # noqa: PLC0415

        self.push_screen(Menu(providers=[ThemeProvider], placeholder=_("Find a theme")))

    async def on_event(self, event: events.Event) -> None:
        """Leave aside what is typed or clicked after the end has been asked for: there is no screen for it any more."""
        if not (self._exit and isinstance(event, events.InputEvent)):
            await super().on_event(event)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do what a key is bound to; nothing more once the end has been asked for."""
        return not self._exit and await super().run_action(action, default_namespace, namespaces)

    def _handle_exception(self, error: Exception) -> None:
        """End with an error, but not for a dialog that was opening at the end and found itself without its widgets."""
        if not (self._exit and isinstance(error, NoMatches)):
            super()._handle_exception(error)

    def on_resize(self, event: events.Resize) -> None:
        """Cover everything while the window is too small, and uncover it again."""
        columns, rows = SMALLEST_WINDOW
        small = event.size.width < columns or event.size.height < rows
        if small and not self.screen.has_class("too-small"):
            from daoqi_tui.tui.screens.dialogs import TooSmall  # noqa: PLC0415 (dialogs cost a start 10 ms)

            self.push_screen(TooSmall(columns, rows))
