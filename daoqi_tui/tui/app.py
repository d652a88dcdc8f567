"""The Textual app."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn

from rich.color import ColorSystem
from rich.console import RenderableType
from textual import constants, events, messages
from textual._compositor import CompositorUpdate
from textual.actions import ActionParseResult
from textual.app import App
from textual.binding import Binding
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.driver import Driver
from textual.geometry import Region
from textual.keys import _character_to_key
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from daoqi_tui import crash, signals
from daoqi_tui.children import end_exhausted, is_exhaustion
from daoqi_tui.commands.screen import use_keys
from daoqi_tui.config import Config, Value
from daoqi_tui.i18n import _, translate, use_language
from daoqi_tui.play.evaluation import set_grades
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import with_keys
from daoqi_tui.streams import without_colours
from daoqi_tui.text import cell_width, key_meant, plain_line
from daoqi_tui.tui.access import local_access
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.fitting import CachedStylesheet, fit_soon
from daoqi_tui.tui.graphics.pictures import Pictures, areas_of
from daoqi_tui.tui.look import (
    ASCII,
    AsciiFilter,
    Options,
    board_style_for,
    frames_for,
    options_of,
    settings_of,
    theme_for,
)
from daoqi_tui.tui.output import Frame, Terminal
from daoqi_tui.tui.prefetch import Prefetch, widget_classes
from daoqi_tui.tui.screen import GameScreen
from daoqi_tui.watchdog import watching

if TYPE_CHECKING:
    from daoqi_tui.play.online.hosting import Place, Visit
    from daoqi_tui.play.profile import Habits

_PATIENCE: Final = 1.0
"""Seconds after which the next key is passed on even if a widget has not yet handled the previous one."""


_AT_A_TIME: Final = 0.005
_BETWEEN: Final = 0.02
"""Seconds that style sheets are parsed at a time, and those between, in which a key finds its way."""


class KeyQueue:
    """Holds keys and pastes back while one of them bubbles through the widgets of an app."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._waiting: deque[events.Event] = deque()
        self._current: events.Event | None = None
        self._sentinel: _Sentinel | None = None
        self._timer: asyncio.TimerHandle | None = None

    def holds(self, event: events.Event) -> bool:
        """Return whether an event has to wait; it is passed to the app's ``on_event`` again when its turn comes."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if self._current is not None:
            self._waiting.append(event)
            return True
        self._current = event
        return False

    def follow(self, event: events.Event) -> None:
        """Send a sentinel after a key that the app has passed to a widget, or whose binding it has run.

        It passes through the same queues as the key, or the messages of the binding, and so arrives after them.
        """
        if event is self._current and self._app.screen_stack:
            self._send_sentinel()

    def _send_sentinel(self) -> None:
        screen, widget = self._app.screen, self._app.focused
        self._sentinel = sentinel = _Sentinel(self, screen, widget if widget and widget.is_attached else screen)
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(_PATIENCE, self._app.call_later, sentinel.arrive)
        sentinel.bubble()

    async def end_turn(self, sentinel: _Sentinel) -> None:
        """Pass on the next key, unless a later sentinel is under way or has to be sent."""
        if sentinel is not self._sentinel or not self._app.screen_stack:
            return
        if self._app.screen is not sentinel.screen:
            # The new top screen first has to be laid out and to set the focus.
            self._send_sentinel()
            return
        if self._timer is not None:
            self._timer.cancel()
        self._current = None
        if self._waiting:
            await self._app.on_event(self._waiting.popleft())


class _Sentinel:
    """A message that passes through the queues of a widget and of all its ancestors, the app's last."""

    def __init__(self, queue: KeyQueue, screen: Screen[Any], widget: Widget) -> None:
        self.screen = screen
        self._queue = queue
        self._nodes = deque(widget.ancestors_with_self)

    def bubble(self) -> None:
        """Post to the next node; those that are being removed accept no more messages."""
        while self._nodes:
            node = self._nodes.popleft()
            # A bound method instead of a partial or call_later: Textual inspects a partial at each call.
            step = self.bubble if self._nodes else self.arrive
            if node.post_message(events.Callback(callback=step)):
                return

    async def arrive(self) -> None:
        await self._queue.end_turn(self)


SMALLEST_WINDOW: Final = (40, 14)
_LOOK_AGAIN: Final = 1 / 60
_REPORT_PATIENCE: Final = 5.0
"""The maximum seconds for writing a report before the program is ended."""
_PAGING: Final = ("page_up", "page_down")
_STYLES: Final = Path(__file__).parent
"""The folder of the style sheets."""


class DaoqiApp(App[None], inherit_bindings=False):
    """Daoqi in a terminal."""

    # The keys of the menu and of quitting are in the table of commands; Textual's own would take precedence over it.
    BINDINGS = [Binding("ctrl+c,ctrl+q", "help_quit", show=False, system=True)]  # noqa: RUF012 (Textual's form)

    TITLE = "Daoqi"
    CSS_PATH = "app.tcss"
    STATES: ClassVar = frozenset(
        (
            "-narrow",
            "-middling",
            "-low",
            "-short",
            "-tall",
            "-focus",
            "-online",
            "-not-saved",
            "-counting",
            "-commented",
        )
    )
    """The classes of game screens whose rules are in a style sheet of their own, which a start in a window of the usual
    shape does not parse."""
    ENABLE_COMMAND_PALETTE = False
    # Textual's text selection fails when a click hits a closing dialog; terminals can select with Shift.
    ALLOW_SELECT = False

    _has_theme = False

    def __init__(
        self,
        session: Session | None = None,
        options: Options | None = None,
        *,
        config: Config | None = None,
        folders: Folders | None = None,
        offer_resume: bool = False,
        asked_for: bool = False,
        wide_signs: bool = False,
        when_shown: Callable[[], object] | None = None,
        when_ready: Callable[[], object] | None = None,
        place: Place | None = None,
        visit: Visit | None = None,
    ) -> None:
        """Create the app.

        Args:
            session: the session to begin with, a new game by default.
            options: the options of display and play.
            config: the settings; changes are saved in its file. None saves nothing.
            folders: where games are saved; None saves nothing.
            offer_resume: whether to ask about unfinished games at the start.
            asked_for: whether the user requested the session, so that unfinished games are only mentioned.
            wide_signs: whether the terminal draws ● and similar symbols two cells wide, which would break every line.
            when_shown: called once the first frame is on the screen.
            when_ready: called once, when all has been made ahead of need, in an idle moment.
            place: a place at an online game to begin with, instead of the session.
            visit: the lobby to begin in.
        """
        no_colours = without_colours(os.environ)
        if not no_colours:
            # For Textual, an empty value disables colours, too.
            os.environ.pop("NO_COLOR", None)
        # Without colours only the terminal's default colours may be used; Textual would send greys.
        super().__init__(ansi_color=True if no_colours else None)
        if self.no_color:
            self.css_path.append(_STYLES / "nocolor.tcss")
        self._folders = folders
        self._make_game = partial(
            GameScreen, session or Session(), offer_resume=offer_resume, asked_for=asked_for, place=place
        )
        self.visit = visit
        self.window_title = ""
        """The title of the terminal's window; empty to leave it to the terminal."""
        self._when_shown = when_shown
        self._when_ready = when_ready
        self.config = config
        self._unsaved_settings: SimpleQueue[Mapping[str, Value]] = SimpleQueue()
        self._saving_settings = Lock()
        self.rebound: Mapping[str, tuple[str, ...]] = config.keys if config else {}
        """The keys that replace those of commands, by the commands' names."""
        use_keys(self.rebound)
        self._options = options or (options_of(config) if config else Options())
        self.wide_signs = wide_signs
        self._keys = KeyQueue(self)
        self._prefetch = Prefetch(partial(self.call_later, self.style_ahead))
        self._styling: Timer | None = None
        self._frames_wait = False
        self._resized = False
        self._left_out: set[tuple[Screen[Any], Region]] = set()
        """The regions that skipped frames would have updated, with their screens."""
        self._writes_frames = config is not None and config["display.output"] == "frames"
        self.output = Terminal()
        """The cells that the terminal shows."""
        self._frame: list[str] | None = None
        """What is written of a frame, while it is put together."""
        self._under_way: tuple[Screen[Any], Frame] | None = None
        """The last frame written, and its screen, unless all of it has to be sent."""
        self.pictures = Pictures(self, self.write, self._rewrite)
        """The manager of pictures, if the terminal supports them."""
        self.pictures.wanted = self._options.graphics
        self._use_motion(self._options)
        set_grades(self._options.grades)
        for theme in frames_for(self):
            self.register_theme(theme)
        # Set before the style sheet is parsed: with a theme set later it would be parsed twice.
        self.set_reactive(App.theme, theme_for(self, self._options))
        self._has_theme = True
        self.stylesheet: CachedStylesheet = CachedStylesheet(variables=self.get_css_variables())
        self._ascii = AsciiFilter(enabled=board_style_for(self, self._options).glyphs is ASCII)
        self._filters.append(self._ascii)

    def get_css_variables(self) -> dict[str, str]:
        """Return the colours of the theme; none while the base class makes a style sheet, which ours replaces."""
        return super().get_css_variables() if self._has_theme else {}

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return the default background of a field with the focus, for frames that do not define one."""
        return {"focused": f"{self.current_theme.primary} 30%"}

    def get_driver_class(self) -> type[Driver]:
        """Return the program's own driver for terminals; Textual's on Windows, in tests and in a browser."""
        if constants.DRIVER is not None or sys.platform == "win32":
            return super().get_driver_class()
        from daoqi_tui.tui.driver import TerminalDriver  # noqa: PLC0415 (Windows has no such terminals)

        return TerminalDriver

    async def run_async(self, **options: Any) -> Any:  # noqa: ANN401 (those of the base class)
        """Run as the base class does; a signal ends the program like Quit, without a question.

        If the event loop is stuck, so that neither keys nor signals are handled, the program is ended with a report.
        """

        def end(number: int) -> None:
            self.exit(return_code=128 + number)

        loop = asyncio.get_running_loop()
        signals.take_interrupts()
        with signals.handling_in(loop, end), watching(loop, self._end_stuck):
            try:
                return await super().run_async(**options)
            finally:
                self._prefetch.stop()

    def _end_stuck(self) -> NoReturn:
        """End the program on the watchdog's thread, waiting for nothing that the stuck event loop may hold."""
        lost = True
        # The stuck loop may be changing the stack of screens.
        with suppress(Exception):
            lost = self._moves_at_risk()
        if lost:
            text = _("the screen stopped responding and was ended; the moves that could not be saved are lost")
        else:
            text = _(
                "the screen stopped responding and was ended; "
                "all moves are saved: start daoqi-tui again to resume the game"
            )
        file, stacks = crash.report_stacks(_REPORT_PATIENCE)
        if file is not None:
            text = _("{problem}; a report of it is in {file}").format(problem=text, file=file)
        signals.end_at_once(crash.EXIT_STATUS, f"{stacks}daoqi-tui: {plain_line(text)}\n")

    @property
    def failure(self) -> Exception | None:
        """The unexpected exception that ended the program, to be reported by the caller."""
        # Textual wraps exceptions of workers.
        inner = getattr(self._exception, "error", None)
        return inner if isinstance(inner, Exception) else self._exception

    def panic(self, *_renderables: RenderableType) -> None:
        """Exit without output: the caller reports :attr:`failure`."""
        self._close_messages_no_wait()

    def _fatal_error(self) -> None:
        self.panic()

    @cached_property
    def habits(self) -> Habits:
        from daoqi_tui.play.profile import Habits  # noqa: PLC0415 (a start needs none)

        folders = self._folders
        return Habits(None if folders is None else folders.journal.parent)

    def keep_habits(self) -> None:
        self.run_worker(self.habits.save, group="habits", thread=True)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Write a frame, or skip it if the terminal has not taken the previous one, and catch up later.

        Queued frames would lag behind the input, over a slow line by many seconds.
        """
        if not getattr(self._driver, "behind", False):
            self._write_frame(screen, renderable)
            return
        if self._under_way is not None and self._under_way[0] is not screen is self.screen:
            # What the terminal has not taken yet shows a screen that has been left.
            if self._under_way[1].give_up():
                self.output.forget()
                self._left_out.add((screen, self.size.region))
            self._under_way = None
        self._left_out.update((screen, area) for area in areas_of(renderable, self))
        if not self._frames_wait:
            self._frames_wait = True
            self.set_timer(_LOOK_AGAIN, self._catch_up)

    def _write_frame(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Write what a frame changes on the terminal, together with the pictures that belong to it."""
        text, driver = None, self._driver
        is_whole = driver is not None and not driver.is_inline and not self.is_headless
        is_now = self._running and not (self._batch_count or self._closed)
        if isinstance(renderable, CompositorUpdate) and is_whole and is_now:
            cursor = screen.outer_size.clamp_offset(self.cursor_position)
            if self._writes_frames:
                self.output.forget()
            try:
                text = self.output.frame(renderable, self.console, self.size, cursor)
            except Exception as error:
                self.output.forget()
                self._handle_exception(error)
                return
        if text is None:
            if self.pictures.painters:
                self.pictures.written(areas_of(renderable, self))
            super()._display(screen, renderable)
            return
        if self.pictures.painters:
            self.pictures.written(self.output.areas())
        self._frame = [text]
        try:
            self.post_display_hook()
        finally:
            written, self._frame = "".join(self._frame), None
            self._under_way = None
            if written == text:  # Of a picture, all has to be sent.
                written = Frame(text)
                self._under_way = screen, written
            self.write(written)

    def write(self, text: str) -> None:
        """Write text to the terminal: with the frame that is being written, or else as one of its own."""
        if self._frame is not None:
            self._frame.append(text)
        elif text and (driver := self._driver) is not None:
            self._begin_update()
            driver.write(text)
            self._end_update()
            driver.flush()

    def _catch_up(self) -> None:
        if not self._screen_stack:
            # The program has ended before the terminal took its last frame.
            return
        if getattr(self._driver, "behind", False):
            self.set_timer(_LOOK_AGAIN, self._catch_up)
            return
        self._frames_wait = False
        left_out, self._left_out = self._left_out, set()
        screen = self.screen
        areas = {area for of, area in left_out if of is screen}
        if len(areas) < len(left_out) or self.size.region in areas:
            # If any update was for another screen, it is unknown which parts of this one are up to date.
            screen.refresh()
        elif areas:
            self._redraw(*areas)
        else:
            self.post_display_hook()

    def _redraw(self, *areas: Region) -> None:
        """Draw regions of the screen again, as Widget.refresh does: Screen.refresh would forget the widgets waiting."""
        screen = self.screen
        screen._set_dirty(*(area.translate(-screen.content_offset) for area in areas))  # noqa: SLF001
        screen.post_message(messages.Update(screen))

    def _rewrite(self, area: Region) -> None:
        """Write the characters of a region again, even if the terminal shows them below a picture."""
        self.output.forget(area)
        if self._screen_stack:
            self._redraw(area)

    def post_display_hook(self) -> None:
        if self.pictures.shown:
            self.pictures.sync()

    def apply_options(self, options: Options) -> None:
        name = theme_for(self, options)
        if self.theme != name:
            self.theme = name
            # Else what is written now would have the colours of the former theme.
            self.get_css_variables()
        self._use_motion(options)
        set_grades(options.grades)
        self._ascii.enabled = board_style_for(self, options).glyphs is ASCII
        if self.pictures.wanted != options.graphics:
            self.pictures.wanted = options.graphics
            self.pictures.renew()
        for screen in self._screen_stack:
            if isinstance(screen, GameScreen):
                screen.apply_options(options)
            else:
                for board in screen.query(BoardView):
                    board.use_options(options)

    def use_colours(self, said: str) -> None:
        """Use the colours that the terminal says it has, where its environment promises fewer and nobody chose them."""
        few = self.console.color_system
        if self.no_color or constants.COLOR_SYSTEM != "auto" or few == said or few not in ("standard", "256"):
            return
        if few == "256" and said != "truecolor":
            return
        self.console._color_system = ColorSystem[said.upper() if said == "truecolor" else "EIGHT_BIT"]  # noqa: SLF001
        for theme in frames_for(self):
            self.register_theme(theme)
        # A frame of the same name has other colours now.
        self._invalidate_css()
        self.refresh_css(animate=False)
        for game in self._games:
            self.apply_options(game.options)

    def _use_motion(self, options: Options) -> None:
        self.still = options.motion == "reduced"
        self.pictures.motion = not self.still
        self.animation_level = "none" if self.still else constants.TEXTUAL_ANIMATIONS

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if self.still and hasattr(event.widget, "cursor_blink"):
            event.widget.cursor_blink = False

    def keep(self, before: Options, after: Options) -> None:
        old = settings_of(before)
        self.keep_settings({name: value for name, value in settings_of(after).items() if value != old[name]})

    def keep_settings(self, changes: Mapping[str, Value]) -> None:
        """Save settings, by their paths, in the file, in the background; show an error if that fails."""
        if self.config is None or not changes:
            return
        self._unsaved_settings.put(changes)
        self.run_worker(partial(self._save_settings, self.config.path), group="settings", thread=True)

    def _save_settings(self, path: Path) -> None:
        """Save the settings that are not saved yet; waits for the disk, and for other windows."""
        from daoqi_tui.config.save import ConfigError, save  # noqa: PLC0415 (only changes need it)

        with self._saving_settings:
            changes: dict[str, Value] = {}
            while not self._unsaved_settings.empty():
                changes |= self._unsaved_settings.get()
            try:
                if changes:
                    save(path, changes)
            except ConfigError as error:
                self.call_later(partial(self.notify, translate(error), severity="warning", markup=False))

    def style_ahead(self, kinds: Iterable[type[Widget]] | None = None) -> None:
        """Add the styles of classes of widgets, a few at a time, while nobody presses keys or moves the mouse."""
        if self._styling is not None:
            self._styling.stop()
            self._styling = None
        left = iter(widget_classes() if kinds is None else kinds)
        wait, start = self._prefetch.wait, monotonic()
        while wait <= 0 and monotonic() < start + _AT_A_TIME:
            if (kind := next(left, None)) is None:
                if self._when_ready is not None:
                    self._when_ready()
                    self._when_ready = None
                return
            self.stylesheet.add_ahead(kind)
        self._styling = self.set_timer(max(wait, _BETWEEN), partial(self.style_ahead, left))

    def refresh_css(self, animate: bool = True) -> None:
        """Use other colours; what was parsed ahead of need is parsed again in idle moments."""
        super().refresh_css(animate)
        if self._prefetch.is_done:
            self.style_ahead()

    def set_language(self, language: str) -> None:
        use_language(language)
        self.keep_settings({"language": language})
        for game in self._games:
            game.language_changed()

    def on_ready(self) -> None:
        if self._when_shown is not None:
            self.call_after_refresh(self._when_shown)
        # Not in a browser: a server has many such programs, and most tabs show one game.
        if constants.DRIVER is None and not self.is_headless:
            self.call_after_refresh(self._prefetch.start)
        if self.rebound:
            self.set_keymap({name: ",".join(keys) for name, keys in self.rebound.items()})
        if self.config is not None:
            for problem in self.config.problems:
                self.notify(problem, severity="warning", timeout=12, markup=False)
        if self._options.net != Options().net:
            from daoqi_tui.ai.nets import is_for_flat_boards  # noqa: PLC0415 (a start with the built-in ones needs none)

            if is_for_flat_boards(self._options.net):
                text = _(
                    "This network was trained on boards with edges: its win rate and lead on a nearly empty torus are "
                    "worth little"
                )
                self.notify(text, timeout=12, markup=False)

    def get_default_screen(self) -> Screen[Any]:
        """Return a game screen, so that the first thing the user sees is a board."""
        screen = self._make_game(self._options, self._folders, window=self.size)
        # Textual asks for no style sheets of a default screen.
        self._load_states(screen)
        return screen

    @property
    def _games(self) -> list[GameScreen]:
        return [screen for screen in self.screen_stack if isinstance(screen, GameScreen)] if self._screen_stack else []

    @property
    def game(self) -> GameScreen:
        return self._games[-1]

    def open_online(self, place: Place) -> None:
        options = self.game.options
        self.push_screen(GameScreen(Session(), options, self._folders, window=self.size, place=place))

    def leave_game(self) -> None:
        games = self._games
        if len(games) > 1:
            games[-1].dismiss()
            if self.visit is not None and local_access(self) is None:
                # There is nothing else for a visitor of this computer.
                games[-2].questions.run(games[-2].network.ask)
        else:
            self.exit()

    def name_window(self, title: str) -> None:
        if title != self.window_title:
            self.window_title = title
            name = getattr(self._driver, "name_window", None)
            if name is not None:
                name(f"{title} – Daoqi" if title else "")

    def action_command_palette(self) -> None:
        """Open the menu of all commands, if a game is on top: it has no commands for other screens."""
        from daoqi_tui.tui.features.program.menu import CommandProvider, Menu  # noqa: PLC0415 (only opened menus need it)

        if isinstance(self.screen, GameScreen):
            self.push_screen(Menu([CommandProvider], placeholder=_("Search for commands…")))

    def action_help_quit(self) -> None:
        """Show which key quits the program, for users who expect Ctrl+c or Ctrl+q to do so everywhere."""
        self.notify(with_keys(_("At the board, {quit} leaves the program")), markup=False)

    def notify(self, message: str, **options: Any) -> None:  # noqa: ANN401 (those of the base class)
        """Show a notification, but not twice at a time: a key that is held would pile it up over the screen."""
        if all(shown.message != message for shown in self._notifications):
            super().notify(message, **options)

    def _moves_at_risk(self) -> bool:
        # An online game is saved by its server.
        return any(game.online is None and game.records.at_risk for game in self._games)

    def _load_screen_css(self, screen: Screen[Any]) -> None:
        """Load the style sheet of a screen as the base class does, and style the screen before it is mounted.

        With its styles changed later, all that it holds would be laid out a second time.
        """
        super()._load_screen_css(screen)
        self._load_states(screen)
        self.stylesheet.apply(screen)

    def _load_states(self, node: DOMNode) -> None:
        """Load the rules of a game screen that is not in the usual state, before it is styled."""
        if isinstance(node, GameScreen) and not self.STATES.isdisjoint(node.classes):
            file = str(_STYLES / "states.tcss")
            if not self.stylesheet.has_source(file):
                self.stylesheet.read(file)

    def update_styles(self, node: DOMNode, animate: bool = True) -> None:
        """Update styles as the base class does; a widget that is not attached yet is styled when it is mounted."""
        if not isinstance(node, Widget) or node.is_attached:
            self._load_states(node)
            super().update_styles(node, animate)

    async def on_event(self, event: events.Event) -> None:
        """Handle an event, with keys one at a time; ignore input after exit was requested, when screens may be gone."""
        if self._exit and isinstance(event, events.InputEvent | events.Paste):
            return
        if isinstance(event, events.InputEvent):
            self._prefetch.last_input = monotonic()
        if not self._keys.holds(event):
            meant = event
            if isinstance(event, events.Key) and event.character and not event.character.isascii():
                meant = self._key_meant(event, event.character)
            await super().on_event(meant)
            self._keys.follow(event)

    def _key_meant(self, event: events.Key, character: str) -> events.Key:
        """Return the key that was meant with an input method on, or in another layout; in a field, the typed one."""
        sign, focused = getattr(event, "place", "") or key_meant(character), self.focused
        if focused is not None and focused.check_consume_key(event.key, character):
            return event
        if len(sign) != 1 or not sign.isascii():
            if cell_width(character) > 1 and self.screen is self.game:
                text = _("“{typed}” is no key: an input method is on; switch it off, often by Shift, to use the keys")
                self.game.say(text.format(typed=character))
            return event
        return events.Key(_character_to_key(sign), sign)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run the action of a key once its screen is mounted; do nothing after exit was requested."""
        if self._exit:
            return False
        node = default_namespace
        # What is clicked names the screen on top as its target; a key's target is its screen.
        target = self._parse_action(action, node or self.screen, namespaces)[0]
        if isinstance(target, Screen):
            if isinstance(node, Widget) and (not node.is_attached or node.screen is not target):
                # The first of two clicks has left the screen that the second one was meant for.
                return True
            if not target.is_mounted:
                # A key may arrive before the screen opened by the previous one has its widgets.
                target.call_later(self._run_on_top, action, target, namespaces)
                return True
        if action in _PAGING and isinstance(node, Widget) and not node.scrollable_content_region:
            # A list of Textual 8.2 without room on the screen has no lines yet, and raises KeyError.
            return True
        return await super().run_action(action, default_namespace, namespaces)

    async def _run_on_top(
        self, action: str | ActionParseResult, screen: Screen[Any], namespaces: Mapping[str, DOMNode] | None
    ) -> None:
        """Run an action that waited for its screen, unless the screen has been left."""
        if self.screen is screen:
            await self.run_action(action, screen, namespaces)

    def _handle_exception(self, error: Exception) -> None:
        """Exit with an error, except for missing widgets of a dialog that was opening when exit was requested."""
        # Workers wrap their errors.
        if self.is_web and is_exhaustion(getattr(error, "error", error)):
            end_exhausted()
        if not (self._exit and isinstance(error, NoMatches)):
            super()._handle_exception(error)

    def on_resize(self) -> None:
        self._resized = True
        self.output.forget()
        if self._screen_stack:
            fit_soon(self.screen)

    def fit(self) -> None:
        """Cover everything while the window is too small, and fit the pictures to the characters of the terminal."""
        if self._resized:
            self._resized = False
            self.pictures.resized()
        columns, rows = SMALLEST_WINDOW
        small = self.size.width < columns or self.size.height < rows
        covered = self.screen.has_class("too-small")
        if small and not covered:
            from daoqi_tui.tui.screens import TooSmall  # noqa: PLC0415 (dialogs cost a start 10 ms)

            self.push_screen(TooSmall(columns, rows, self._moves_at_risk))
        elif covered and not small:
            self.screen.dismiss()
