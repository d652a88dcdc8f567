"""The cursor on the board of a game screen, with the view around it."""

from __future__ import annotations

from collections.abc import Callable

from daoqi_tui.engine import Torus, torus_of
from daoqi_tui.tui.board.screen import point_in_view
from daoqi_tui.tui.board.viewport import Viewport
from daoqi_tui.tui.board.widget import BoardView


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

    def __init__(self, board: BoardView, show: Callable[[], object], pointed: Callable[[], object]) -> None:
        self._board, self._show, self._pointed = board, show, pointed
        self.begin(board.viewport.size)

    def begin(self, size: int) -> None:
        """Start in the middle of a board."""
        self._torus: Torus = torus_of(size)
        self.point = self._torus.point(size // 2, size // 2)
        self.hovered: int | None = None

    @property
    def pointed_at(self) -> int:
        """The point under the mouse, or under the cursor if the keyboard was used last."""
        return self.point if self.hovered is None else self.hovered

    def move(self, right: int, down: int) -> None:
        """Move by points of the view, which may be rotated."""
        orientation = self._board.viewport.orientation
        self.point = self._torus.shift(self.point, *orientation.step_back(down, right))

    def show(self) -> None:
        """Show the cursor, and point with it instead of the mouse."""
        self.hovered = None
        self._show()
        self._pointed()

    def put(self, point: int) -> None:
        """Move to a point, which is panned into the window."""
        self.point = point
        self._board.set_viewport(self._board.viewport.showing(*self._torus.position(point)))
        self.show()

    def centre(self, point: int) -> None:
        """Centre a point in the window, and move the cursor there."""
        self.point = point
        self.look(self._board.viewport.centred_on(*self._torus.position(point)))

    def look(self, viewport: Viewport) -> None:
        """Pan to another part of the board."""
        self._board.set_viewport(viewport)
        self.keep_in_view()
        self.show()

    def reset_view(self) -> None:
        """Pan back to the home view."""
        self.look(self._board.viewport.at_origin())

    def keep_in_view(self) -> None:
        """Keep the cursor visible, if a board is visible at all."""
        point = point_in_view(self._board, self.point)
        if point != self.point:
            self.point = point
            self._show()
