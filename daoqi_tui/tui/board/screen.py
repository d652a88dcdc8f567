"""A screen with a board and mouse input, and the cursor: on the board itself, its map or its 3-D torus."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, Final

from textual import on
from textual.screen import ScreenResultType

from daoqi_tui.engine import Torus, torus_of
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.board.viewport import Viewport
from daoqi_tui.tui.fitting import FittedScreen

STEPS: Final = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def point_in_view(board: BoardView, point: int) -> int:
    """Return the point if the window shows it, otherwise the point in the middle of the window."""
    viewport, torus = board.viewport, torus_of(board.viewport.size)
    # Before its first layout a board has no window that a point could be outside of.
    if not board.size or board.app.screen.has_class("too-small"):
        return point
    x, y = viewport.place_of(*torus.position(point))
    seen = 0 <= x < viewport.width and 0 <= y < viewport.height
    return point if seen else torus.point(*viewport.middle_point())


class BoardScreen(FittedScreen[ScreenResultType]):
    """A screen that handles the mouse on its board.

    A message may arrive after its board was replaced: messages about a board of another size are ignored.
    """

    shows_game: ClassVar[bool] = False
    """True if the game is played on this screen, so that questions about it may be shown here."""

    @property
    @abstractmethod
    def board_size(self) -> int:
        """The size of the board that the screen shows now."""

    @abstractmethod
    def point_chosen(self, point: int) -> None:
        """Handle a click on a point."""

    def point_recentred(self, point: int) -> None:
        """Handle a right click on a point, which is to be centred."""

    @abstractmethod
    def point_hovered(self, point: int | None) -> None:
        """Show information on the point under the mouse; None outside the board."""

    @on(BoardView.Pointed)
    def _pointed(self, message: BoardView.Pointed) -> None:
        if message.size != self.board_size:
            return
        match message:
            case BoardView.PointChosen(point=point):
                self.point_chosen(point)
            case BoardView.PointRecentred(point=point, board=board):
                self.point_recentred(point)
                if board is not None:
                    board.hover_again()
            case BoardView.PointHovered(point=point):
                self.point_hovered(point)


class Cursor:
    """The points of the keyboard and the mouse.

    Args:
        board: the board on which they are.
        show: shows the board again.
        pointed: called when another point is pointed at, or another part of the board is viewed, by the keyboard.

    Attributes:
        point: the point the keyboard plays at.
        hovered: the point under the mouse, None if the keyboard was used last.
    """

    def __init__(
        self, board: BoardView, show: Callable[[], object], pointed: Callable[[], object] = lambda: None
    ) -> None:
        self._board, self._show, self._pointed = board, show, pointed
        self.begin(board.viewport.size)

    def begin(self, size: int) -> None:
        self._torus: Torus = torus_of(size)
        self.point = self._torus.point(size // 2, size // 2)
        self.hovered: int | None = None

    @property
    def pointed_at(self) -> int:
        """The point under the mouse, or under the cursor if the keyboard was used last."""
        return self.point if self.hovered is None else self.hovered

    def move(self, right: int, down: int) -> None:
        orientation = self._board.viewport.orientation
        self.point = self._torus.shift(self.point, *orientation.step_back(down, right))

    def pan(self, right: int, down: int) -> None:
        """Pan the view by points; the cursor keeps its place on the screen."""
        self.move(right, down)
        self._board.set_viewport(self._board.viewport.pan_points(right, down))
        self.show()

    def show(self) -> None:
        self.hovered = None
        self._show()
        self._pointed()

    def put(self, point: int) -> None:
        self.point = point
        self._board.set_viewport(self._board.viewport.showing(*self._torus.position(point)))
        self.show()

    def centre(self, point: int) -> None:
        self.point = point
        self.centre_view(point)

    def centre_view(self, point: int) -> None:
        self.look(self._board.viewport.centred_on(*self._torus.position(point)))

    def look(self, viewport: Viewport) -> None:
        self._board.set_viewport(viewport)
        self.keep_in_view()
        self.show()

    def reset_view(self) -> None:
        self._board.reset_view()
        self.keep_in_view()
        self.show()

    def keep_in_view(self) -> None:
        """Keep the cursor visible, if a board is visible at all."""
        point = point_in_view(self._board, self.point)
        if point != self.point:
            self.point = point
            self._show()
