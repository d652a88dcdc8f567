"""Between the game screen and its features: what a feature may ask of the screen and the program, and what it gives.

No feature knows the classes behind the protocols: the screen is assembled from its features, on top of them. A feature
gives its commands, what it draws over the board, and its panes. What it asks the user goes through :class:`Questions`.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, get_current_worker

from daoqi_tui.engine import Area
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.match import Changed, Match, View
from daoqi_tui.play.session import Session
from daoqi_tui.tui.look import Options

if TYPE_CHECKING:
    from textual.app import App
    from textual.geometry import Size
    from textual.signal import Signal
    from textual.timer import Timer

    from daoqi_tui.play.background import Wait, Work
    from daoqi_tui.play.events import Declined
    from daoqi_tui.play.keeper import Folders
    from daoqi_tui.play.online.hosting import Place, Visit
    from daoqi_tui.play.profile import Habits
    from daoqi_tui.tui.board import BoardView
    from daoqi_tui.tui.board.screen import Cursor

Asking: TypeAlias = Callable[[], Coroutine[Any, Any, Any]]
"""Asks the user a question with :meth:`Questions.answer_to`, and acts on the answer."""
Answer = TypeVar("Answer")

_QUESTION: Final = "question"
_ANSWERED: Final = "answered"


@runtime_checkable
class Renewable(Protocol):
    """A dialog whose text may become untrue while it is open."""

    def renew(self) -> None:
        """Show what is true now, or close."""


class Questions:
    """The questions of a game screen, and those that wait for their turn.

    Args:
        screen: the screen.
        attempt: awaits a task, or says why it cannot be done.
        in_view: returns whether the game is shown without a dialog over it.
    """

    def __init__(
        self, screen: Screen[Any], attempt: Callable[[Asking], Coroutine[Any, Any, Any]], in_view: Callable[[], bool]
    ) -> None:
        self._screen = screen
        self._attempt = attempt
        self.in_view = in_view
        self._waiting: list[Asking] = []
        """The waiting questions that were not triggered by a key."""
        self._next: Asking | None = None
        """The question triggered by a key while an answer was handled."""
        self._open: Screen[Any] | None = None
        """The dialog that awaits an answer."""

    def run(self, asking: Asking) -> None:
        """Ask in the background, replacing an unanswered question.

        The handling of an answer is completed first: otherwise a game could be left without switching to another, and
        would continue unsaved.
        """
        screen = self._screen
        if any(worker.node is screen and worker.group == _ANSWERED for worker in self._under_way()):
            self._next = asking
        else:
            self._next = None
            screen.run_worker(partial(self._attempt, asking), group=_QUESTION, exclusive=True)

    def run_in_turn(self, asking: Asking) -> None:
        """Ask a question not triggered by a key once no question or dialog is open, so that no typed input is lost."""
        self._waiting.append(asking)
        self.run_next()

    @contextmanager
    def back_to(self, asking: Asking) -> Iterator[None]:
        """Ask a question again if what its answer has opened is closed without an answer."""
        try:
            yield
        except NotGivenError:
            self.run_in_turn(asking)

    def run_next(self) -> None:
        """Ask the next waiting question, if possible."""
        app = self._screen.app
        if not (self._next or self._waiting) or not app.is_running or any(self._under_way()):
            return
        if self._next is not None:
            asking, self._next = self._next, None
            # If the answer led elsewhere, the key was not meant for this game.
            if app.screen is self._screen:
                self.run(asking)
                return
        if self._waiting and self.in_view():
            self.run(self._waiting.pop(0))

    def worker_changed(self, worker: Worker[Any]) -> None:
        if worker.group in (_QUESTION, _ANSWERED) and worker.is_finished:
            self.run_next()

    def _under_way(self) -> Iterator[Worker[Any]]:
        """Return the workers that are asking a question or handling an answer."""
        workers = self._screen.workers
        return (worker for worker in workers if worker.group in (_QUESTION, _ANSWERED) and not worker.is_finished)

    async def answer_to(self, dialog: Screen[Answer]) -> Answer:
        """Show a dialog and return its answer; to be called only in a worker of :meth:`run`.

        Another question replaces an unanswered one, but nothing interrupts the handling of an answer.
        """
        self._open = dialog
        answer = await self._screen.app.push_screen_wait(dialog)
        get_current_worker().group = _ANSWERED
        return answer

    def renew(self) -> None:
        """Have an open question say what is true now, since the game has changed."""
        if isinstance(self._open, Renewable) and self._open.is_attached:
            self._open.renew()

    async def ask(self, question: str | Callable[[], str], yes: str, no: str) -> bool:
        """Ask a yes-or-no question; to be called only in a worker of :meth:`run`.

        A question that may become untrue while it is open is a function that returns it, or an empty text if there is
        nothing to ask any more: then the answer is no.
        """
        from daoqi_tui.tui.screens import Question  # noqa: PLC0415 (dialogs cost a start 10 ms)

        return await self.answer_to(Question(question, yes, no))


class NotGivenError(CancelledError):
    """A dialog was closed without an answer; a worker takes it as if it were cancelled."""


def given(answer: Answer | None) -> Answer:
    """Return the answer to a question; without one, as after Esc, the worker that has asked it ends.

    Raises:
        NotGivenError: there is none; whoever asked because of an answer to another question asks that again.
    """
    if answer is None:
        raise NotGivenError
    return answer


class OnlineGame(Protocol):
    """What differs if the game is played online."""

    @property
    def counts(self) -> bool:
        """True if this player takes part in agreeing on the count."""

    def forbids(self, name: str) -> str:
        """Return why a command is not available in this game now, empty if it is available."""

    def why(self, reason: Declined) -> str:
        """Say why a command did nothing."""

    def pause(self) -> None:
        """Request to pause the clock, or to resume."""

    async def agreed_to_leave(self) -> bool:
        """Ask whether to leave the game, if necessary."""


class Program(Protocol):
    """What a feature may ask of the app.

    Attributes:
        visit: the lobby that the user is in, None for none.
    """

    visit: Visit | None

    @property
    def habits(self) -> Habits:
        """The user's habits."""

    def keep_habits(self) -> None:
        """Save the habits in the background."""

    def apply_options(self, options: Options) -> None:
        """Apply new options to the games, the frame and the pictures."""

    def keep(self, before: Options, after: Options) -> None:
        """Save the changed options in the settings file."""

    def set_language(self, language: str) -> None:
        """Switch to another language, and save it in the settings."""

    @property
    def window_title(self) -> str:
        """The title of the terminal's window; empty if it is left to the terminal."""

    def name_window(self, title: str) -> None:
        """Set the title of the terminal's window; an empty title restores the terminal's own."""

    def open_online(self, place: Place) -> None:
        """Show an online game over the current game, which continues when it is left."""

    def leave_game(self) -> None:
        """Go back to the game below the current one, or exit if there is none."""

    @property
    def game(self) -> Host:
        """The current game, which other screens may cover."""


class Host(Protocol):
    """The screen of a game, as its features see it.

    Attributes:
        match: the game that is played, with its players and its keeper.
        board: the board widget.
        cursor: the points of the keyboard and the mouse, and the view around them.
        questions: the questions asked over the game.
        folders: where games are saved; None saves nothing.
        position_shown: published with each view of another position.
    """

    match: Match
    board: BoardView
    cursor: Cursor
    questions: Questions
    folders: Folders | None
    position_shown: Signal[View]

    @property
    def app(self) -> App[Any]:
        """Textual's side of the app: dialogs, the clipboard, and the end of the program."""

    @property
    def program(self) -> Program:
        """The program's side of the app."""

    @property
    def online(self) -> OnlineGame | None:
        """What differs if the game is played online; None for any other game."""

    @property
    def options(self) -> Options:
        """The options of display and play."""

    @property
    def size(self) -> Size:
        """The columns and rows of the window."""

    @property
    def side(self) -> str:
        """The identifier of the pane selected for the side."""

    @property
    def may_help(self) -> bool:
        """True if help may be shown: not to a player of an online game in progress."""

    @property
    def is_active(self) -> bool:
        """True if no other screen covers the game."""

    @property
    def shows_events(self) -> bool:
        """True unless the program exits, when a slow disk may respond after the panes have been removed."""

    @property
    def board_size(self) -> int:
        """The size of the board of the game."""

    def has_class(self, *class_names: str) -> bool:
        """Return whether the screen has classes of the style sheet, such as that of a low window."""

    def set_class(self, add: bool, *class_names: str) -> object:
        """Add or remove classes of the style sheet."""

    # Messages

    @property
    def said(self) -> str:
        """The message that was shown last."""

    def say(self, text: str) -> None:
        """Show a message on the status line until the position changes."""

    def waiting(
        self, wait: Wait, *, at_once: bool = True, unless: Callable[[], object] = ...
    ) -> AbstractContextManager[Wait]:
        """Show on the status line what is waited for, how far it is and how to stop it, while it lasts.

        Args:
            wait: for what.
            at_once: whether to begin with it, rather than after a second.
            unless: returns whether something else has to be shown there.
        """

    def refuse(self, point: int, text: str) -> None:
        """Show why a play was refused, flash its point, and ring."""

    def ring(self, event: str) -> None:
        """Ring the terminal's bell, if enabled for this event."""

    # What is shown

    def show_position(self, changed: Changed = ...) -> None:
        """Show the current node everywhere."""

    def show_board(self) -> None:
        """Show the board again, since what is drawn over it has changed."""

    def show_panes(self, changed: Changed = ...) -> None:
        """Show the panes again, since what they show has changed."""

    def fit_soon(self) -> None:
        """Have the panes fitted to the window in the next frame."""

    def show_game(self) -> None:
        """Show the clocks, the players and saving again."""

    def is_covered(self) -> bool:
        """Return whether a dialog covers the game; if so, what it hides is shown when it closes."""

    def show_status(self) -> None:
        """Show the state of the game on the status line."""

    def replace_others(self, feature: Feature) -> None:
        """Have the features that would show something else in the same place give way to this one."""

    def apply_options(self, options: Options) -> None:
        """Apply options to this game alone."""

    async def show_side(self, pane: str) -> None:
        """Select a pane for the side."""

    async def turn_side(self, step: int) -> None:
        """Select the next or the previous pane for the side."""

    def set_focus_mode(self, *, on: bool) -> None:
        """Show the board alone, or the panes, the status line and the keys again."""

    @property
    def in_focus_mode(self) -> bool:
        """True if the board fills the window."""

    # The game

    async def action_command(self, name: str) -> None:
        """Run a command by its name."""

    def begin(self, session: Session) -> None:
        """Show another session from its beginning."""

    def stop_replay(self) -> None:
        """Stop a replay, since the user continues from here."""

    def step_shown(self, moves: int) -> bool:
        """Step through a line shown over the board, back if negative; return whether one is shown."""

    def go_shown(self, *, end: bool) -> bool:
        """Go to the start or the end of a line shown over the board; return whether one is shown."""

    def note_players(self) -> None:
        """Note the level of a computer that plays, as the default of the next game."""

    def point_chosen(self, point: int) -> None:
        """Handle a click on a point of the board."""

    def point_hovered(self, point: int | None) -> None:
        """Show information on the point under the mouse; None outside the board."""

    # In the background

    def run_exclusive(self, work: Callable[[], Coroutine[Any, Any, object]], group: str) -> Worker[Any]:
        """Run a task in the background, replacing a running one of its group."""

    def cancel(self, group: str) -> None:
        """Cancel the task of a group."""

    def spawn(self, work: Work) -> Worker[None]:
        """Run a task in the background."""

    def call_later(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:  # noqa: ANN401 (Textual's)
        """Call a function once the messages that wait are handled."""

    def set_timer(self, delay: float, callback: Callable[[], Any]) -> Timer:
        """Call a function after some seconds."""

    def set_interval(self, interval: float, callback: Callable[[], Any]) -> Timer:
        """Call a function every so many seconds."""


Handler: TypeAlias = Callable[[], Awaitable[None] | None]
"""The function of a command; an awaitable that it returns is awaited before the next key.

Where it cannot do what it says, it raises :class:`~daoqi_tui.play.wording.Unable`, as tasks in the background do.
"""
Handlers: TypeAlias = Mapping[str, Handler]


class ShownArea(NamedTuple):
    """What the area pane shows.

    Attributes:
        title: the title of the pane, to be translated.
        area: the breakdown of the count.
        ahead: who is ahead, in words.
    """

    title: str
    area: Area
    ahead: str


class Remarks(NamedTuple):
    """What the comment pane shows.

    Attributes:
        text: the text, empty for none.
        title: the title of the pane, translated.
        at_end: whether the end of a long text shows first.
    """

    text: str
    title: str
    at_end: bool = False


class SidePane(NamedTuple):
    """A pane of the side.

    Attributes:
        id: the identifier of the pane and of its widget.
        title: the title on the border, to be translated.
        make: creates the widget.
        show: shows a view in the widget.
        least: the minimum number of rows in which it is of use.
        stands: the number of rows, with the frame, in which it is shown below the selected pane where there is room; 0
            for never.
        taller: the number of rows that it takes besides in a tall window, as in the style sheet.
        fills: returns whether it has anything to show of a view; until then it is shown only where it is selected.
        helps: whether it would help a player, so that it is hidden from the players of an online game in progress.
    """

    id: str
    title: str
    make: Callable[[], Widget]
    show: Callable[[Any, View], None] = lambda pane, view: pane.show(view)
    least: int = 3
    stands: int = 0
    taller: int = 0
    fills: Callable[[View], bool] = lambda _view: True
    helps: bool = False


class Feature:
    """A part of the game screen. Each method is called for all features in turn, the topmost on the board last.

    Attributes:
        host: the screen.
        view: what the screen shows now; the screen sets it before it asks anything else.
        match: the game that is played.
        active: whether the feature is told of views and asked for what it draws or counts, False while it is off.
        drawn_with: the pane without which the feature draws nothing, empty if it needs none.
        place: what the feature occupies while it shows something; features with the same place replace each other.
    """

    place: ClassVar[str] = ""
    drawn_with: ClassVar[str] = ""
    view: View
    active = True

    def __init__(self, host: Host, match: Match | None = None) -> None:
        self.host = host
        self.match = match or host.match

    def say(self, text: str) -> None:
        """Show a message on the status line until the position changes."""
        self.host.say(text)

    def handlers(self) -> Handlers:
        """Return the functions of the feature's commands."""
        return {}

    def panes(self) -> tuple[SidePane, ...]:
        """Return the feature's panes at the side."""
        return ()

    def begin(self, session: Session) -> None:
        """Drop the state of the previous session, if any; ``session`` is shown next."""

    def show(self, view: View) -> None:
        """Update the state for a view, which is :attr:`view` already; called before it is drawn."""

    def options_changed(self, before: Options) -> None:
        """Adapt to options that were ``before`` until now."""

    def pointed(self) -> None:
        """Adapt to another point under the cursor or the mouse."""

    def decorate(self, picture: Picture) -> Picture:
        """Return the picture of the board with this feature on it."""
        return picture

    def area(self) -> ShownArea | None:
        """Return what the area pane shows, None for nothing."""
        return None

    def remarks(self) -> Remarks | None:
        """Return what the comment pane shows, None for the comment of the record."""
        return None

    def line(self) -> str:
        """Return what the game pane shows below the players, empty for nothing."""
        return ""

    def status(self) -> str | None:
        """Return what the status line shows instead of the state of the game, None for the latter."""
        return None

    def clear(self) -> bool:
        """Remove what is shown, or stop what is under way; return whether there was anything."""
        return False

    def give_way(self) -> None:
        """Remove what is shown, without redrawing: another feature shows something in its place."""

    def step(self, moves: int) -> bool:  # noqa: ARG002 (the interface)
        """Step through the line shown over the board, back if negative; return whether one is shown."""
        return False

    def go(self, *, end: bool) -> bool:  # noqa: ARG002 (the interface)
        """Go to the start or the end of the line shown over the board; return whether one is shown."""
        return False

    async def close(self) -> None:
        """Release processes and files, since the screen is closing."""

    def asking(self, work: Callable[[], Coroutine[Any, Any, object]]) -> Handler:
        """Return the function of a command that asks a question: it runs in the background, one at a time."""
        return lambda: self.host.questions.run(work)
