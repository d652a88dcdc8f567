"""Tests that every screen comes to rest at the size of the window, whatever comes between two changes of it.

Two Resize events with something between them in the queue are not merged. Textual then lays the screen out for one size
after the other, and posts each again, without end and without a turn of the event loop.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual import events, messages
from textual.app import App, ComposeResult
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.geometry import Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widgets import Static

import daoqi_tui.tui
from daoqi_tui.engine import PASS
from daoqi_tui.gtp.client import Engine
from daoqi_tui.gtp.player import EnginePlayer
from daoqi_tui.play.online.hosting import Visit
from daoqi_tui.play.online.listing import Bots
from daoqi_tui.play.online.seat_book import SeatBook
from daoqi_tui.play.position import PositionEditor
from daoqi_tui.play.session import GameSetup
from daoqi_tui.record.journal import UnfinishedGame
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.tui.access import local_access
from daoqi_tui.tui.board.screen import BoardScreen
from daoqi_tui.tui.features.notes.dialogs import CommentScreen, InformationScreen
from daoqi_tui.tui.features.online.form import NetworkScreen
from daoqi_tui.tui.features.online.lobby import BotForm, LobbyScreen, TableForm
from daoqi_tui.tui.features.openings.screen import OpeningScreen, OpeningsScreen
from daoqi_tui.tui.features.playing.result import ResultScreen
from daoqi_tui.tui.features.problems.position import PositionScreen, Proving
from daoqi_tui.tui.features.problems.screen import GuessScreen, ProblemList, ProblemScreen
from daoqi_tui.tui.features.program.lesson import LessonScreen
from daoqi_tui.tui.features.program.menu import HelpScreen, Menu
from daoqi_tui.tui.features.program.options import BoardsScreen, OptionsScreen
from daoqi_tui.tui.features.program.welcome import WelcomeScreen
from daoqi_tui.tui.features.records.library import LibraryScreen
from daoqi_tui.tui.features.torus import TorusScreen
from daoqi_tui.tui.fitting import CachedStylesheet, FittedScreen, fit_soon
from daoqi_tui.tui.panes import KeyHint
from daoqi_tui.tui.screen import GameScreen
from daoqi_tui.tui.screens import (
    ChoiceDialog,
    Dialog,
    DismissibleDialog,
    EngineLog,
    PathPrompt,
    Picker,
    Prompt,
    Question,
    ResumeScreen,
    SideQuestion,
    TextPage,
    TooSmall,
)
from daoqi_tui.tui.screens.form import Choice, ChoiceList, Form
from daoqi_tui.tui.screens.hinted import CursorScreen, HintedDialog, HintedScreen, KeyList, StudyScreen
from daoqi_tui.tui.screens.setup import PlayersScreen, SetupScreen
from tests import waiting
from tests.thorough import rounds
from tests.tui.cheaper import parse_alone
from tests.tui.driving import Person, playing, until
from tests.tui.test_keeping import keeping

pytestmark = pytest.mark.usefixtures("every_frame")

for module in pkgutil.walk_packages(daoqi_tui.tui.__path__, "daoqi_tui.tui."):
    importlib.import_module(module.name)


def _subclasses(base: type[Any]) -> Iterator[type[Any]]:
    for each in base.__subclasses__():
        yield each
        yield from _subclasses(each)


def _of_program(base: type[Any]) -> set[type[Any]]:
    """Return all subclasses of ``base`` in the program."""
    return {each for each in _subclasses(base) if each.__module__.startswith("daoqi_tui.")}


Opens = Callable[[Person], object]
"""Opens a screen over the game; it may be awaited."""


def _pushes(make: Callable[[], Screen[Any]]) -> Opens:
    return lambda person: person.app.push_screen(make())


def _presses(*keys: str) -> Opens:
    return lambda person: person.press(*keys)


async def _open_choice(person: Person) -> None:
    await person.press("n")
    await until(person, lambda: isinstance(person.app.screen, SetupScreen) and bool(person.app.screen.query(Choice)))
    person.app.screen.query(Choice).first().action_open()


async def _open_problem(person: Person) -> None:
    await person.press("f7")
    await until(person, lambda: isinstance(person.app.screen, ProblemList) and person.app.screen.focused is not None)
    await person.press("enter")


async def _open_guess(person: Person) -> None:
    await person.play("A1", "B2")
    await person.press("Q")
    await until(person, lambda: isinstance(person.app.screen, ChoiceDialog))
    await person.wait()
    await person.press("w")


async def _open_opening(person: Person) -> None:
    await person.press("O")
    await until(person, lambda: isinstance(person.app.screen, OpeningsScreen) and person.app.screen.is_mounted)
    await person.press("enter")


async def _end_game(person: Person) -> None:
    GameScreen.shows_result = True
    await person.play("pass", "pass")


def _ask_for_path(person: Person) -> object:
    access = local_access(person.app)
    assert access is not None
    return person.app.push_screen(PathPrompt(access, "File: ", "", str, "a note"))


GAME = UnfinishedGame(Path("a.journal"), 9, Info(), 0)
SMALL = [(30, 10), (35, 12)]
"""Sizes for the screen that asks for a larger window."""
SIZES = [(60, 20), (110, 35)]
BASES = {
    *(FittedScreen, BoardScreen, CursorScreen, HintedScreen, StudyScreen),
    *(Dialog, DismissibleDialog, HintedDialog, Form, ChoiceDialog),
}
"""Classes that are never on the screen themselves."""
OPENED_BY: dict[type[Screen[Any]], Opens] = {
    GameScreen: lambda _person: None,
    HelpScreen: _presses("question_mark"),
    Menu: _presses("ctrl+p"),
    CommentScreen: _pushes(lambda: CommentScreen("words")),
    EngineLog: _pushes(lambda: EngineLog([EnginePlayer(Engine("engine"))])),
    PathPrompt: _ask_for_path,
    Picker: _pushes(lambda: Picker("Title", "Which?", ["one", "two"], choose="Open", leave="Go back")),
    Prompt: _pushes(lambda: Prompt("Name: ", "", str)),
    Question: _pushes(lambda: Question("Quit?", "Quit", "No")),
    ResumeScreen: _pushes(lambda: ResumeScreen([GAME], requested=True)),
    SideQuestion: _pushes(lambda: SideQuestion("Play it?", (("y", "Yes", True), ("n", "No", False)), left=False)),
    TextPage: _pushes(lambda: TextPage("Title", "some\nlines")),
    TooSmall: lambda person: person.resize(*SMALL[0]),
    ChoiceList: _open_choice,
    KeyList: _pushes(lambda: KeyList([KeyHint("a", "Do this"), KeyHint("Esc", "Close")])),
    LessonScreen: _presses("f2"),
    LibraryScreen: _presses("b"),
    LobbyScreen: _pushes(lambda: LobbyScreen(Visit("ws://127.0.0.1:1", "Wu"), SeatBook(Path("seats.json")))),
    TableForm: _pushes(lambda: TableForm("Wu", accounts=True)),
    BotForm: _pushes(lambda: BotForm(Bots((1, 2), (9, 13)), "Wu")),
    NetworkScreen: _pushes(lambda: NetworkScreen(GameSetup(), [])),
    OpeningsScreen: _presses("O"),
    OpeningScreen: _open_opening,
    BoardsScreen: lambda person: person.app.push_screen(BoardsScreen(person.screen.options, lambda _options: None)),
    OptionsScreen: _presses("o"),
    Proving: lambda person: person.app.push_screen(Proving(PositionEditor.of(person.game).position(), PASS)),
    PositionScreen: _presses("f6"),
    ProblemList: _presses("f7"),
    ProblemScreen: _open_problem,
    GuessScreen: _open_guess,
    ResultScreen: _end_game,
    PlayersScreen: _presses("C"),
    InformationScreen: _presses("f5"),
    SetupScreen: _presses("n"),
    TorusScreen: _presses("3"),
    WelcomeScreen: _pushes(lambda: WelcomeScreen(9, 5)),
}

Between = Callable[[App[Any]], object]
BETWEEN: dict[str, Between] = {
    "a callback": lambda app: app.screen.call_later(lambda: None),
    "a callback of each widget": lambda app: [each.call_after_refresh(lambda: None) for each in app.screen.query("*")],
    "a callback after the refresh": lambda app: app.screen.call_after_refresh(lambda: None),
    "a callback of the next turn": lambda app: app.screen.call_next(lambda: None),
    "a key without a meaning": lambda app: app.screen.post_message(events.Key("f35", None)),
    "the mouse": lambda app: app.screen.post_message(events.MouseMove(None, 0, 0, 0, 0, 0, False, False, False)),
    "a frame": lambda app: app.screen._on_timer_update(),
    "a layout": lambda app: app.screen.refresh(layout=True),
    "nothing": lambda _app: None,
}
HANDLER: ContextVar[str] = ContextVar("handler", default="")
"""What handles a Resize now."""
MOST = 40
"""The most layouts of one screen for one change of the window; endless ones would never be counted to their end."""
AT_OPENING: dict[type[Screen[Any]], int] = {
    **dict.fromkeys((HelpScreen, LobbyScreen, OpeningsScreen, LessonScreen, PositionScreen), 2),
    **dict.fromkeys((GuessScreen, ProblemScreen, ResultScreen), 2),
    # What they list comes from the disk, on a busy machine after the second.
    **dict.fromkeys((LibraryScreen, ProblemList), 3),
    Menu: 4,
}
"""The most layouts of a screen until it rests after it was opened; of all others one."""


class Layouts:
    """Counts the layouts of each screen and the calls that fit it; too many raise an error, so that a test ends."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.of: Counter[Screen[Any]] = Counter()
        self.fits: Counter[object] = Counter()
        lay_out = Screen._refresh_layout

        def counted(screen: Screen[Any], size: Size | None = None, scroll: bool = False) -> None:
            self.of[screen] += 1
            assert self.of[screen] < MOST, f"{screen} alternates between sizes: {size} now"
            lay_out(screen, size, scroll)

        monkeypatch.setattr(Screen, "_refresh_layout", counted)
        self.queued: set[str] = set()
        """What handlers of Resize queued: callbacks, and messages of the program."""
        dispatch, post = MessagePump._dispatch_message, MessagePump.post_message

        async def dispatched(pump: MessagePump, message: Message) -> None:
            handler = HANDLER.set(f"{pump!r}" if isinstance(message, events.Resize) else "")
            await dispatch(pump, message)
            HANDLER.reset(handler)

        def posted(pump: MessagePump, message: Message) -> bool:
            own = type(message).__module__.startswith("daoqi_tui.")
            calls = isinstance(message, events.Callback | messages.InvokeLater) and not _looks_for_the_mouse(message)
            if HANDLER.get() and (own or calls):
                self.queued.add(f"{HANDLER.get()}: {message!r}")
            return post(pump, message)

        monkeypatch.setattr(MessagePump, "_dispatch_message", dispatched)
        monkeypatch.setattr(MessagePump, "post_message", posted)

    async def rest(self, person: Person) -> Counter[Screen[Any]]:
        """Wait until nothing is laid out any more; return how often each screen was since the last time."""
        before: Counter[Screen[Any]] | None = None
        while before != self.of:
            before = self.of.copy()
            for _ in range(3):
                await person.wait()
        self.of.clear()
        return before


def _looks_for_the_mouse(message: events.Callback | messages.InvokeLater) -> bool:
    """Return whether a callback is Textual's own after a layout: it looks which widget is below the mouse now."""
    callback = message.callback
    while isinstance(callback, partial):
        callback = callback.func
    return getattr(callback, "__qualname__", "").startswith(f"{App._update_mouse_over.__qualname__}.")


def styles_of(node: DOMNode) -> list[RulesMap]:
    """Return the rules of a node and of its component classes."""
    return [node.styles.base.get_rules(), *(each.base.get_rules() for each in node._component_styles.values())]


def styles_by_textual(node: DOMNode) -> list[RulesMap]:
    """Return the rules of a node after Textual has applied its style sheet to it."""
    sheet = node.app.stylesheet
    Stylesheet.apply(sheet, node)
    for each in node._component_styles.values():
        each.base.reset()
        Stylesheet.apply(sheet, each.node)
    return styles_of(node)


def _resize_screens(app: App[Any], size: tuple[int, int]) -> None:
    """Send a size to the screens, as the app does once it has it."""
    app._size = Size(*size)
    for screen in (app.screen, *app._background_screens):
        screen.post_message(events.Resize(app._size, app._size, app._size))


def _resize_app(app: App[Any], size: tuple[int, int]) -> None:
    """Send a size to the app, as the driver does."""
    app.post_message(events.Resize(Size(*size), Size(*size), Size(*size)))


def _all_have(app: App[Any], size: tuple[int, int]) -> bool:
    """Return whether the app and all its visible screens have a size, and are fitted to it."""
    screens = (app.screen, *app._background_screens)
    return app.size == size and all(screen.size == size and not screen._unfitted for screen in screens)


def test_every_screen_is_known_to_this_test_and_fitted() -> None:
    screens = _of_program(Screen)
    assert screens - BASES == set(OPENED_BY), "a new screen needs a line in OPENED_BY"
    assert not [screen for screen in screens if not issubclass(screen, FittedScreen)]


@pytest.mark.parametrize("kind", OPENED_BY, ids=lambda kind: kind.__name__)
async def test_every_screen_comes_to_rest_at_the_size_of_the_window(
    kind: type[Screen[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Proving, "_prove", lambda _self: None)
    monkeypatch.setattr(CachedStylesheet, "parse", parse_alone)
    layouts = Layouts(monkeypatch)
    async with keeping(tmp_path, setup=GameSetup(7)) as person:
        app = person.app
        opening = OPENED_BY[kind](person)
        if inspect.isawaitable(opening):
            await opening
        await until(person, lambda: type(app.screen) is kind)
        screen = app.screen
        assert (await layouts.rest(person))[screen] <= AT_OPENING.get(kind, 1)
        assert not [node for node in screen.walk_children() if styles_of(node) != styles_by_textual(node)]
        sizes = SMALL if kind is TooSmall else SIZES
        for come_between in [*BETWEEN.values()][: rounds(2, len(BETWEEN))]:
            for resize in (_resize_screens, _resize_app):
                resize(app, sizes[0])
                come_between(app)
                resize(app, sizes[1])
                come_between(app)
                await waiting.until(
                    partial(_all_have, app, sizes[1]), lambda: str(app.screen), lambda _seconds: person.settle()
                )
                layouts.of.clear()
                sizes = sizes[::-1]
        await layouts.rest(person)
        assert not layouts.queued
        assert app.screen is screen
        assert _all_have(app, sizes[0])


@pytest.mark.parametrize("kind", [GuessScreen, TorusScreen, Menu, SetupScreen], ids=lambda kind: kind.__name__)
async def test_a_screen_closes_itself_alone_and_once_also_below_another(kind: type[Screen[Any]]) -> None:
    async with playing() as person:
        opening = OPENED_BY[kind](person)
        if inspect.isawaitable(opening):
            await opening
        await until(person, lambda: type(person.app.screen) is kind)
        screen, below = person.app.screen, person.app.screen_stack[-2]
        await person.resize(*SMALL[0])
        plea = person.open(TooSmall)
        screen.dismiss()
        screen.dismiss()
        await person.wait()
        assert person.app.screen is plea
        await person.resize(120, 40)
        await until(person, lambda: person.app.screen is below)
        screen.dismiss()
        await person.wait()
        assert person.app.screen is below


class Careless(FittedScreen[None]):
    """A screen that queues callbacks wherever it can."""

    def __init__(self) -> None:
        super().__init__()
        self.fits = 0

    def compose(self) -> ComposeResult:
        yield Static("words")

    def _again(self) -> None:
        self.call_later(lambda: None)
        self.post_message(events.Resize(Size(1, 1), Size(1, 1)))

    def on_resize(self) -> None:
        for _ in range(3):
            self.call_after_refresh(self._again)
            self.call_later(self._again)

    def fit(self) -> None:
        self.fits += 1
        self.on_resize()


class Host(App[None]):
    def get_default_screen(self) -> Screen[Any]:
        return Careless()


async def test_a_screen_that_queues_callbacks_in_its_handlers_comes_to_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    layouts = Layouts(monkeypatch)
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = app.screen
        assert isinstance(screen, Careless)
        for come_between in BETWEEN.values():
            for size in ((50, 20), (90, 30)):
                _resize_screens(app, size)
                come_between(app)
            before = -1
            while before != screen.fits:
                before = screen.fits
                await pilot.pause(0.05)
            layouts.of.clear()
            assert screen.size == (90, 30)


async def test_any_number_of_requests_is_one_fit_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing((120, 40)) as person:
        await person.wait()
        fits: list[object] = []
        fit = GameScreen.fit

        async def counted(screen: GameScreen) -> None:
            fits.append(screen)
            await fit(screen)

        monkeypatch.setattr(GameScreen, "fit", counted)
        for _ in range(100):
            fit_soon(person.screen)
            fit_soon(person.board)
        await until(person, lambda: fits)
        await person.wait()
        assert fits == [person.screen]


async def test_a_window_that_grows_below_a_dialog_over_the_plea_for_more_room_is_shown() -> None:
    async with playing((80, 24)) as person:
        await person.resize(30, 10)
        plea = person.open(TooSmall)
        person.app.push_screen(TextPage("Title", "words"))
        await until(person, lambda: isinstance(person.app.screen, TextPage))
        await person.resize(80, 24)
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        assert not plea.is_attached


# Handlers of layouts in the source

QUEUE = {
    *("call_after_refresh", "call_later", "call_next", "set_timer", "set_interval"),
    *("post_message", "post_message_no_wait", "run_worker", "call_soon", "create_task"),
}
"""Methods that queue callbacks or messages."""
OPEN = {"push_screen", "push_screen_wait", "pop_screen", "switch_screen", "dismiss", "mount", "remove", "exit"}
"""Methods that do so, too, and are allowed once a frame."""


def _calls(kind: type[Any], name: str, seen: set[str]) -> Iterator[str]:
    """Yield the names of all methods that a method of a class calls, and its other own methods called by it."""
    method = inspect.getattr_static(kind, name, None)
    method = getattr(method, "fget", getattr(method, "__func__", method))
    if name in seen or not inspect.isfunction(method) or not method.__module__.startswith(("daoqi_tui.", __name__)):
        return
    seen.add(name)
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(method)))):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute):
                yield called.attr
                own = isinstance(called.value, ast.Name) and called.value.id == "self"
                of_super = ast.unparse(called.value) == "super()"
                if own or (of_super and called.attr != name):
                    yield from _calls(kind, called.attr, seen)
            elif isinstance(called, ast.Name):
                yield called.id


def _is_layout_handler(name: str, method: object) -> bool:
    of_event = events.Resize in {event for event, _selectors in getattr(method, "_textual_on", ())}
    return name.endswith("on_resize") or (name.startswith("on_") and name.endswith("_resized")) or of_event


def test_handlers_of_layouts_queue_nothing() -> None:
    handlers = [
        (kind, name)
        for kind in sorted(_of_program(MessagePump), key=lambda kind: f"{kind.__module__}.{kind.__qualname__}")
        for name, method in vars(kind).items()
        if _is_layout_handler(name, method)
    ]
    found = {f"{kind.__qualname__}.{name}": set(_calls(kind, name, set())) & (QUEUE | OPEN) for kind, name in handlers}
    assert not {handler: called for handler, called in found.items() if called}
    assert len(found) > 5
    assert not [kind for kind, _name in handlers if issubclass(kind, Screen)], "a screen has fit instead"


def test_fitting_queues_nothing_but_opens_and_closes() -> None:
    fitted = [kind for kind in _of_program(MessagePump) if "fit" in vars(kind)]
    for kind in fitted:
        assert not (set(_calls(kind, "fit", set())) & QUEUE), kind.__qualname__
    assert len(fitted) > 10


def test_what_a_handler_queues_in_a_method_it_calls_is_found() -> None:
    assert QUEUE & set(_calls(Careless, "on_resize", set())) == {"call_after_refresh", "call_later"}
    assert "post_message" in set(_calls(Careless, "_again", set()))
    assert "call_after_refresh" in set(_calls(Careless, "fit", set()))
