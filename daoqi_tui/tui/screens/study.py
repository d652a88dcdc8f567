"""A board to learn on, with words beside it: what the lesson and the problems have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from textual.binding import Binding
from textual.timer import Timer

from daoqi_tui.tui.board.screen import BoardScreen, point_in_view
from daoqi_tui.tui.board.widget import BoardView

if TYPE_CHECKING:
    from daoqi_tui.engine import Game

STEPS: Final = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
"""Columns and rows of a step each way."""
WIDE: Final = 76
"""From this many columns on the words stand beside the board."""


class StudyScreen(BoardScreen[None]):
    """A board of its own to play on, with a cursor, panned by keys and mouse. Esc leaves."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 (Textual's form)
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape,q", "close", show=False),
        Binding("enter,space", "play", show=False),
        Binding("p", "pass", show=False),
        Binding("0", "reset_view", show=False),
        *(Binding(way, f"pan('{way}')", show=False) for way in STEPS),
        *(Binding(f"shift+{way}", f"pan('{way}', 4)", show=False) for way in STEPS),
        *(
            Binding(key, f"cursor('{way}')", show=False)
            for key, way in zip("hjkl", ("left", "down", "up", "right"), strict=True)
        ),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._cursor = self._middle()
        self._hovered: int | None = None
        self._coming: list[int] = []
        """Moves that are still to make themselves."""
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
    def board(self) -> BoardView:
        """The board widget."""
        return self.query_one(BoardView)

    @property
    def narrow(self) -> bool:
        """Whether the words stand below the board."""
        return self.size.width < WIDE

    def _middle(self) -> int:
        torus = self.game.torus
        return torus.point(torus.size // 2, torus.size // 2)

    @abstractmethod
    def show_board(self) -> None:
        """Show the position."""

    @abstractmethod
    def play_at(self, point: int) -> None:
        """Play for the learner."""

    def panned(self, points: int) -> None:
        """Do what follows a pan by so many points."""

    # What the learner does

    def action_close(self) -> None:
        """Leave."""
        self.dismiss(None)

    def action_pan(self, way: str, points: int = 1) -> None:
        """Move the window over the board."""
        right, down = STEPS[way]
        self._cursor = self.game.torus.shift(self._cursor, down * points, right * points)
        self._hovered = None
        self.board.set_viewport(self.board.viewport.pan_points(right * points, down * points))
        self.show_board()
        self.panned(points)

    def action_cursor(self, way: str) -> None:
        """Move the cursor over the board; the window follows."""
        right, down = STEPS[way]
        torus = self.game.torus
        self._cursor, self._hovered = torus.shift(self._cursor, down, right), None
        self.board.set_viewport(self.board.viewport.showing(*torus.position(self._cursor)))
        self.show_board()

    def action_reset_view(self) -> None:
        """Show the board as it was before any panning, its middle where not all of it fits."""
        viewport = self.board.viewport
        if viewport.period[1] > viewport.height:
            self.board.set_viewport(viewport.centred_on(*self.game.torus.position(self._middle())))
        else:
            self.board.set_viewport(viewport.at_origin())
        self._keep_in_view()

    def _keep_in_view(self) -> None:
        """Stay where the learner can see the cursor."""
        point = point_in_view(self.board, self._cursor)
        if point != self._cursor:
            self._cursor = point
            self.show_board()

    def on_board_view_resized(self, message: BoardView.Resized) -> None:
        """Keep the cursor in a window of another size."""
        message.stop()
        self._keep_in_view()

    def on_board_view_panned(self, message: BoardView.Panned) -> None:
        """Keep the cursor in the window that the mouse moved, and count the pans, one point a message."""
        message.stop()
        self._keep_in_view()
        self.panned(1)

    def point_chosen(self, point: int) -> None:
        """Play where the mouse clicked."""
        if not self._coming:
            self._cursor, self._hovered = point, None
            self.play_at(point)

    def point_recentred(self, point: int) -> None:
        """Centre a point clicked with the right button."""
        self.board.set_viewport(self.board.viewport.centred_on(*self.game.torus.position(point)))
        self._keep_in_view()

    def point_hovered(self, point: int | None) -> None:
        """Show the ghost of a stone, or the chain, under the mouse."""
        self._hovered = point
        self.show_board()
