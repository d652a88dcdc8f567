"""A board to learn on, with text beside it: the common base of the lesson and the problems."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from textual.binding import Binding
from textual.timer import Timer
from textual.widget import Widget

from daoqi_tui.tui.screens.keys import HintedScreen

if TYPE_CHECKING:
    from daoqi_tui.engine import Game

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
        """The size of the board."""
        return self.game.torus.size

    @property
    def narrow(self) -> bool:
        """True if the text is below the board."""
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
        """Use the new width, and keep the answer in view."""
        self.show()
        if self.answer.display:
            self.answer.scroll_visible(animate=False, immediate=True)

    @abstractmethod
    def play_at(self, point: int) -> None:
        """Play for the learner."""

    # Actions of the learner

    def action_close(self) -> None:
        """Leave the screen."""
        self.dismiss(None)

    def point_chosen(self, point: int) -> None:
        """Play at a clicked point."""
        if not self._coming:
            self._cursor, self._hovered = point, None
            self.play_at(point)
