"""The base of the features of the game screen: their commands, what they draw over the board, and their panes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, ClassVar, NamedTuple, TypeAlias

from textual.widget import Widget

from daoqi_tui.engine import Area
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.looks import Options
from daoqi_tui.play.match import Match, View
from daoqi_tui.play.session import Session
from daoqi_tui.tui.host import Host

Handler: TypeAlias = Callable[[], Awaitable[None] | None]
"""The function of a command; an awaitable that it returns is awaited before the next key."""
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
        fills: returns whether it has anything to show of a view; until then it is shown only where it is selected.
        helps: whether it would help a player, so that it is hidden from the players of an online game in progress.
    """

    id: str
    title: str
    make: Callable[[], Widget]
    show: Callable[[Any, View], None]
    least: int = 3
    stands: int = 0
    fills: Callable[[View], bool] = lambda _view: True
    helps: bool = False


class Feature:
    """A part of the game screen. Each method is called for all features in turn, the topmost on the board last.

    Attributes:
        host: the screen.
        view: what the screen shows now; the screen sets it before it asks anything else.
        active: whether the feature is told of views and asked for what it draws or counts, False while it is off.
        place: what the feature occupies while it shows something; features with the same place replace each other.
    """

    place: ClassVar[str] = ""
    view: View
    active = True

    def __init__(self, host: Host) -> None:
        self.host = host

    @property
    def match(self) -> Match:
        """The game that is played."""
        return self.host.match

    def say(self, words: str) -> None:
        """Show a message on the status line until the position changes."""
        self.host.say(words)

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
