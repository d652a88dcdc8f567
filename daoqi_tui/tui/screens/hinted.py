"""The keys of screens other than the game: as many as fit on a line, and all of them on a page."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen, ScreenResultType
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from daoqi_tui.i18n import _
from daoqi_tui.tui.board.screen import CursorScreen
from daoqi_tui.tui.fitting import window_classes
from daoqi_tui.tui.panes.pane import KeyHint, hint_line
from daoqi_tui.tui.screens.dialogs import DismissibleDialog, Page

if TYPE_CHECKING:
    from daoqi_tui.engine import Game


class KeyList(DismissibleDialog[str | None]):
    """The list of all keys of a screen; its result is the action of the one that was clicked.

    Args:
        hints: the keys.
    """

    BINDINGS = [Binding("escape,question_mark,f1,q,enter", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, hints: Sequence[KeyHint]) -> None:
        super().__init__()
        self._hints = hints

    def compose(self) -> ComposeResult:
        width = max(cell_len(hint.key) for hint in self._hints)
        with VerticalScroll(classes="dialog", id="keys") as page:
            page.border_title = _("Keys")
            page.border_subtitle = Page.way_out()
            yield Static(Content("\n").join(self._line(place, width) for place in range(len(self._hints))))

    def _line(self, place: int, width: int) -> Content:
        hint = self._hints[place]
        line = Content.styled(hint.key, "bold") + " " * (width - cell_len(hint.key) + 2) + hint.deed
        return line.stylize(f"@click=screen.choose({place})") if hint.action else line

    def action_choose(self, place: int) -> None:
        self.dismiss(self._hints[place].action)

    def action_close(self) -> None:
        self.dismiss(None)


def key_line(hints: Sequence[KeyHint], width: int, key: str = "?") -> Content:
    """Return as many keys as fit, ending with ``key``, which lists all of them, and the key that leaves."""
    *others, leave = hints
    return hint_line((*others, KeyHint(key, _("Keys"), "screen.list_keys"), leave), width, last=2, least=3)


def list_keys(screen: Screen[Any], hints: Sequence[KeyHint]) -> None:
    """List all keys of a screen; a click on one runs its action."""

    async def run(action: str | None) -> None:
        if action is not None:
            await screen.run_action(action)

    screen.app.push_screen(KeyList(hints), run)


class HintedScreen(CursorScreen[ScreenResultType]):
    """A screen that shows its keys on the last line, and lists all of them at ``?``."""

    BINDINGS = [Binding("question_mark,f1", "list_keys", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self) -> None:
        super().__init__(classes=window_classes(type(self), self.app.size))

    @abstractmethod
    def key_hints(self) -> Sequence[KeyHint]:
        """Return the keys and their current effects, the most important first and the key that leaves last."""

    def show_hints(self) -> None:
        self.query_one(".key-hints", Static).update(key_line(self.key_hints(), self.size.width - 2), layout=False)

    def action_list_keys(self) -> None:
        list_keys(self, self.key_hints())


WIDE: Final = 76
"""The minimum number of columns for text beside the board."""


class StudyScreen(HintedScreen[None]):
    """A screen with its own board to play on. Esc leaves."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 (Textual's form)
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape,q", "close", show=False),
        Binding("enter,space", "play", show=False),
        Binding("p", "pass", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._coming: list[int] = []
        """The automatic moves still to be made."""
        self._timer: Timer | None = None

    @property
    @abstractmethod
    def game(self) -> Game:
        """The position."""

    @property
    def board_size(self) -> int:
        return self.game.torus.size

    @property
    def narrow(self) -> bool:
        return self.size.width < WIDE

    @abstractmethod
    def show(self) -> None:
        """Show the position and the words."""

    @property
    @abstractmethod
    def answer(self) -> Widget:
        """The widget with the answer to the last move; hidden if there is none."""

    def show_answer(self) -> None:
        """Show the position and the words with a new answer, which may be out of view in a low window."""
        self.show()
        if self.answer.display:
            self.call_after_refresh(self.answer.scroll_visible, animate=False)

    def fit(self) -> None:
        self.show()
        if self.answer.display:
            self.answer.scroll_visible(animate=False, immediate=True)

    @abstractmethod
    def play_at(self, point: int) -> None:
        """Play for the learner."""

    # Actions of the learner

    def action_close(self) -> None:
        self.dismiss(None)

    def point_chosen(self, point: int) -> None:
        if not self._coming:
            self._cursor, self._hovered = point, None
            self.play_at(point)
