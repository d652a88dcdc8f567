"""A test driver that uses the app as a person would: sends key and mouse events and reads the screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from textual import events
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from daoqi_tui.engine import BLACK, Colour, Game, Node
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.board.lines import GUTTER, HEADER
from daoqi_tui.tui.board.viewport import Viewport
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.screen import GameScreen
from tests import waiting
from tests.engine.pictures import drawn, game_of, rows_of

_LAYOUTS = 8
_NO_STONES = {ord(stone): None for stone in "●○"}

_Screen = TypeVar("_Screen", bound=Screen)  # type: ignore[type-arg]


def _rests(pump: MessagePump) -> bool:
    """Whether a part of the app waits for its next message, or takes no more."""
    if pump._closing or pump._closed or not pump.is_running:
        return True
    queue = pump._message_queue
    return queue.empty() and any(not waiter.done() for waiter in queue.ready_event._waiters)


def _awaits_layout(screen: Screen[object]) -> bool:
    """Whether a screen will lay out or paint something when its timer fires next, or call back after that."""
    return bool(
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
        or screen._callbacks
    )


def _busy(app: DaoqiApp) -> object:
    """Return the key, or the first part of the app and its top screen, that is being processed; None if all rest.

    Unlike Textual's ``Pilot``, this sends no message to every widget: that took half of the time of a key.
    """
    if app._keys._current is not None:
        return app._keys._current
    screens = app._screen_stack[-1:]
    pumps = (app, *(widget for screen in screens for widget in screen.walk_children(with_self=True)))
    return next((pump for pump in pumps if not _rests(pump)), None)


async def settle(app: DaoqiApp) -> None:
    """Wait until an app has processed everything done so far."""
    for _ in range(2):
        for _turn in range(6):
            await asyncio.sleep(0)
        await waiting.until(
            lambda: app._exit or app._exception is not None or not _busy(app),
            lambda: f"{_busy(app)} goes on",
            lambda _seconds: asyncio.sleep(0),
        )
        if app._exception is not None:
            raise app._exception


async def draw(app: DaoqiApp) -> None:
    """Have an app draw its next frame, and those that this calls for."""
    # On a busy machine time may pass in one turn of the event loop, and what it sets off takes several; and a layout
    # may call for the next one. What is animated is never done.
    for _ in range(_LAYOUTS):
        if app.screen_stack:
            app.screen._on_timer_update()
        await settle(app)
        if not app.screen_stack or not _awaits_layout(app.screen):
            break
    await settle(app)


class Person:
    """A user at the terminal. Points have names like ``C3``, in the coordinate style ``daoqi``."""

    def __init__(self, app: DaoqiApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot
        screen = app.screen_stack[0]
        assert isinstance(screen, GameScreen)
        self.screen: GameScreen = screen

    # State

    @property
    def session(self) -> Session:
        return self.screen.session

    @property
    def game(self) -> Game:
        return self.screen.session.game

    @property
    def board(self) -> BoardView:
        return self.screen.query_one(BoardView)

    @property
    def viewport(self) -> Viewport:
        return self.board.viewport

    @property
    def position(self) -> str:
        """The stones as an ASCII diagram."""
        return str(self.game.board)

    @property
    def cursor(self) -> str:
        return self.game.torus.name(self.screen.cursor.point)

    @property
    def cursor_place(self) -> tuple[int, int]:
        """The place of the cursor in the viewport."""
        return self.viewport.place_of(*self.game.torus.position(self.screen.cursor.point))

    @property
    def moves(self) -> list[str]:
        """The names of the plays and passes from the start of the game to the current node."""
        return [self.move_name(node) for node in self.game.node.path() if node.move is not None]

    def move_name(self, node: Node) -> str:
        assert node.move is not None
        return "pass" if node.move.is_pass else self.game.torus.name(node.move.point)

    def text(self, selector: str) -> str:
        """Return the text of a pane or line of the game screen."""
        widget = self.screen.query_one(selector)
        return str(widget.content if isinstance(widget, Static) else widget.render())

    def players(self) -> list[str]:
        """Return the lines of the game pane about Black and White, without the stone symbols."""
        lines = self.text("#game").split("\n")
        return [line.translate(_NO_STONES).strip() for line in lines if any(map(line.__contains__, "●○"))]

    def tallies(self) -> list[str]:
        """Return the captures, losses and passes of Black and White as a wide window shows them."""
        lines = self.text("#game").split("\n")
        return [line.strip() for line in (lines[1], lines[3])]

    @property
    def status(self) -> str:
        return self.text("#status")

    def open(self, kind: type[_Screen]) -> _Screen:
        """Return the top screen; fail unless it is of this class."""
        assert isinstance(self.app.screen, kind), f"{self.app.screen} is on top"
        return self.app.screen

    @property
    def at_the_board(self) -> bool:
        """Whether no dialog covers the game screen."""
        return self.app.screen is self.screen

    def question(self) -> str:
        """Return all text of the top dialog."""
        assert not self.at_the_board
        return "\n".join(str(static.content) for static in self.app.screen.query(Static))

    def history_lines(self) -> list[str]:
        """Return the rows of the history pane."""
        history = self.screen.query_one("#history")
        return [history.render_line(y).text.translate(_NO_STONES).rstrip() for y in range(history.content_size.height)]

    # Actions

    async def settle(self) -> None:
        """Wait until the app has processed everything done so far."""
        await settle(self.app)

    async def press(self, *keys: str) -> None:
        """Press keys, given by Textual's names, one after another."""
        for key in keys:
            driver = self.app._driver
            assert driver is not None
            driver.send_message(events.Key(key, key if len(key) == 1 else None))
            await self.settle()

    async def type(self, text: str) -> None:
        """Type characters into the focused widget."""
        await self.press(*text)

    async def mouse(
        self,
        kind: type[events.MouseEvent],
        x: float,
        y: float,
        button: int = 0,
        *,
        shift: bool = False,
        alt: bool = False,
        ctrl: bool = False,
        times: int = 1,
    ) -> None:
        """Send a mouse event at a screen cell, as the terminal would, so many times one right after another."""
        driver = self.app._driver
        assert driver is not None
        for _ in range(times):
            driver.process_message(kind(None, x, y, 0, 0, button, shift, alt, ctrl))
        await self.settle()

    async def click(self, x: int, y: int, button: int = 1) -> None:
        """Press and release a button at a screen cell."""
        await self.mouse(events.MouseDown, x, y, button)
        await self.mouse(events.MouseUp, x, y, button)

    async def drag(self, start: tuple[int, int], *way: tuple[int, int]) -> None:
        """Press the left button at ``start``, move along ``way``, and release it at the end."""
        await self.mouse(events.MouseDown, *start, button=1)
        for place in way:
            await self.mouse(events.MouseMove, *place, button=1)
        await self.mouse(events.MouseUp, *way[-1], button=1)

    def screen_place(self, name: str) -> tuple[int, int]:
        """Return the screen cell where a point is drawn."""
        torus = self.game.torus
        return screen_place(self.board, *torus.position(torus.parse(name)))

    async def click_point(self, name: str, button: int = 1) -> None:
        await self.click(*self.screen_place(name), button=button)

    async def hover_point(self, name: str) -> None:
        """Move the mouse to a point without pressing a button."""
        await self.mouse(events.MouseMove, *self.screen_place(name))

    async def click_widget(self, widget: Widget) -> None:
        region = widget.region
        await self.click(region.x + region.width // 2, region.y + region.height // 2)

    async def enter_text(self, selector: str, text: str) -> None:
        """Replace the value of an input in the top dialog."""
        self.app.screen.query_one(selector, Input).value = text
        await self.settle()

    async def resize(self, width: int, height: int) -> None:
        """Resize the window, and wait for the new layout."""
        await self.pilot.resize_terminal(width, height)
        # The app passes its new size on to the screen after a moment.
        await until(self, lambda: self.app.screen.size == (width, height))
        await self.wait()

    async def show_pane(self, name: str) -> None:
        """Press Tab until the named pane shows at the side, unless it stands there of its own accord."""
        panes = self.screen.panes
        for _ in panes.offered:
            if name in {pane.id for pane in (panes.side, *panes.standing)}:
                break
            await self.press("tab")
        assert name in {pane.id for pane in (panes.side, *panes.standing)}
        await until(self, lambda: any(pane.region for pane in self.screen.query(f"#{name}")))
        # Its first size may not be its last one: then a click would miss what has moved.
        await draw(self.app)

    async def wait(self, seconds: float = 0.02) -> None:
        """Let real time pass, for timers and layout; use :func:`until` for anything that may take longer."""
        await self.settle()
        await asyncio.sleep(seconds)
        await draw(self.app)

    # Shortcuts for setting up a test

    async def play(self, *names: str) -> None:
        """Play points, or ``pass``, one after another."""
        for name in names:
            if name == "pass":
                self.screen.match.pass_turn()
            else:
                before = self.game.node
                self.screen.playing.play_at(self.game.torus.parse(name))
                assert self.game.node is not before, f"{name} was refused: {self.status}"
        await self.settle()

    async def lay_out(self, picture: str, to_move: Colour = BLACK, komi: float = 4) -> None:
        """Begin a game at a position drawn with ``X``, ``O`` and ``.``."""
        self.screen.begin(Session(GameSetup(len(rows_of(picture)), komi), game_of(picture, to_move, komi)))
        await self.wait()

    def stands(self, picture: str) -> None:
        """Assert that the board matches the diagram."""
        assert self.position == drawn(picture)


def screen_place(board: BoardView, row: int, column: int) -> tuple[int, int]:
    """Return the screen cell where a point of a board is drawn."""
    x, y = board.viewport.place_of(row, column)
    width, height = board.viewport.unit
    return board.region.x + GUTTER + x // width, board.region.y + HEADER + y // height


async def until(person: Person, condition: Callable[[], object]) -> None:
    """Wait until ``condition`` holds and the top screen is composed, however slow the machine is."""
    await waiting.until(condition, lambda: f"status: {person.status}; pane: {person.text('#game')}", person.wait)
    # A new screen is on top before it has its widgets.
    await waiting.until(
        lambda: all(screen.is_mounted for screen in person.app.screen_stack[-1:]),
        lambda: f"{person.app.screen} is not mounted",
        person.wait,
    )


@asynccontextmanager
async def playing(
    size: tuple[int, int] = (120, 40), setup: GameSetup | None = None, options: Options | None = None
) -> AsyncIterator[Person]:
    """Run the app in a window of ``size`` (columns, rows) and yield a :class:`Person`."""
    app = DaoqiApp(Session(setup), options)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        person = Person(app, pilot)
        await person.settle()
        yield person
