"""The mouse over a board: clicks, hovering, and drags and wheels that pan."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from textual import events
from textual.message import Message

from daoqi_tui.engine import torus_of
from daoqi_tui.tui.board_lines import GUTTER, HEADER
from daoqi_tui.tui.viewport import Viewport
from daoqi_tui.tui.widgets.drawn import Drawn


class PointedBoard(Drawn):
    """Tells in messages what the mouse points at. A press that does not move is a click, another one a drag."""

    @dataclass
    class PointChosen(Message, namespace="board_view"):
        """A point was clicked."""

        point: int

    @dataclass
    class PointRecentred(Message, namespace="board_view"):
        """A point was clicked with the right button, to be brought into the middle."""

        point: int

    @dataclass
    class PointHovered(Message, namespace="board_view"):
        """The mouse moved to another point, or away from the board (None)."""

        point: int | None

        def can_replace(self, message: Message) -> bool:
            """Let a later hover replace one still waiting."""
            return isinstance(message, PointedBoard.PointHovered)

    class Panned(Message, namespace="board_view"):
        """The view was panned by mouse."""

        def can_replace(self, message: Message) -> bool:
            """Let a later pan replace one still waiting."""
            return isinstance(message, PointedBoard.Panned)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._pressed_at: tuple[int, int] | None = None
        self._dragging = False
        self._hovered: int | None = None

    @property
    @abstractmethod
    def viewport(self) -> Viewport:
        """Where the window stands."""

    @abstractmethod
    def set_viewport(self, viewport: Viewport) -> None:
        """Move the window over the board."""

    def _point_at(self, event: events.MouseEvent) -> int | None:
        place = self.viewport.point_at(event.x - GUTTER, event.y - HEADER)
        if event.x < GUTTER or event.y < HEADER or place is None:
            return None
        return torus_of(self.viewport.size).point(*place)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin a click or a drag."""
        event.stop()
        if event.button == 1:
            self.capture_mouse()
            self._pressed_at = event.screen_x, event.screen_y
            self._dragging = False

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Pan while dragging; otherwise tell what point the mouse is over."""
        event.stop()
        if self._pressed_at is None:
            self._hover(self._point_at(event))
            return
        x, y = event.screen_x, event.screen_y
        right, down = self._pressed_at[0] - x, self._pressed_at[1] - y
        if right or down:
            if not self._dragging:
                self._dragging = True
                self._hover(None)
            self._pressed_at = x, y
            self.set_viewport(self.viewport.pan(right, down))
            self.post_message(self.Panned())

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """End a drag, or a click: a press that did not move."""
        event.stop()
        pressed, dragged = self._pressed_at is not None, self._dragging
        if pressed:
            self.release_mouse()
        self._pressed_at, self._dragging = None, False
        point = self._point_at(event)
        if point is None or dragged:
            return
        if event.button == 3:
            self.post_message(self.PointRecentred(point))
        elif pressed:
            self.post_message(self.PointChosen(point))

    def let_go(self) -> None:
        """Forget a press whose release will not be heard, as when a dialog opens meanwhile."""
        if self._pressed_at is not None:
            self.release_mouse()
        self._pressed_at, self._dragging = None, False

    def on_leave(self) -> None:
        """Forget what the mouse was over."""
        self._hover(None)

    def _hover(self, point: int | None) -> None:
        if point != self._hovered:
            self._hovered = point
            self.post_message(self.PointHovered(point))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Pan with the wheel; with shift sideways."""
        self._scroll(event, -1, sideways=event.shift)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Pan with the wheel; with shift sideways."""
        self._scroll(event, 1, sideways=event.shift)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Pan with a wheel that tilts."""
        self._scroll(event, -1, sideways=True)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Pan with a wheel that tilts."""
        self._scroll(event, 1, sideways=True)

    def _scroll(self, event: events.MouseEvent, step: int, *, sideways: bool) -> None:
        event.stop()
        self.set_viewport(self.viewport.pan_points(step, 0) if sideways else self.viewport.pan_points(0, step))
        self.post_message(self.Panned())
