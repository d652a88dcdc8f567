"""The motion of a board shown as a picture: it glides to its window's new position, and follows the mouse."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic
from typing import Final, NamedTuple

from textual.timer import Timer

from daoqi_tui.pictures.raster import Pixels
from daoqi_tui.tui.board.viewport import Cell, Viewport, shortest
from daoqi_tui.tui.board.widget import BoardView

_FRAMES: Final = 60
_GLIDE: Final = 0.1
_FRICTION: Final = 4.0
"""The rate, per second, at which the speed of a flicked board decays exponentially."""
_SLOWEST: Final = 24.0
"""The speed, in pixels per second, below which a flicked board stops."""
_MEMORY: Final = 0.09
"""The last seconds of a drag, over which the speed of a flick is measured."""


class Offset(NamedTuple):
    """The offset of the picture from its viewport's position, in pixels."""

    right: float = 0.0
    down: float = 0.0

    @property
    def none(self) -> bool:
        """True if the offset is less than half a pixel in each direction."""
        return abs(self.right) < 0.5 and abs(self.down) < 0.5


_NONE: Final = Offset()


class Motion:
    """Moves one board.

    Args:
        view: the board.
        cell: the size of a character.
        may_move: returns whether the board glides, or jumps to its new position.
        sync: updates the board in the terminal.
    """

    def __init__(self, view: BoardView, cell: Pixels, may_move: Callable[[], bool], sync: Callable[[], None]) -> None:
        self._view = view
        self.cell = cell
        self._may_move = may_move
        self.sync = sync
        self._offset = _NONE
        self._from = _NONE
        self._glide_start = 0.0
        self._speed = _NONE
        self._track: list[tuple[float, float, float]] = []
        self._dragging = False
        self._timer: Timer | None = None
        self._last_frame = 0.0

    @property
    def moving(self) -> bool:
        return self._timer is not None

    @property
    def at_rest(self) -> bool:
        """True if the board is where its window's characters are."""
        return self._offset.none and self._speed == _NONE and not self._dragging

    def viewport(self) -> Viewport:
        """Return the viewport in pixels, at the present position of the board."""
        scaled = in_pixels(self._view.viewport, self.cell)
        return scaled.pan(-round(self._offset.right), -round(self._offset.down))

    def close(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def viewport_changed(self, before: Viewport, after: Viewport) -> None:
        if self._dragging:
            return
        same = before._replace(x=0, y=0) == after._replace(x=0, y=0)
        if not same or not self._may_move():
            self._rest()
        else:
            across, along = after.period
            right = shortest(before.x - after.x, across) * self.cell.width
            down = shortest(before.y - after.y, along) * self.cell.height
            self._speed = _NONE
            self._from = Offset(self._offset.right + right, self._offset.down + down)
            self._offset = self._from
            self._glide_start = monotonic()
            self._keep_moving()
        self.sync()

    def drag(self, right: float, down: float) -> None:
        """Move the board with the mouse, by pixels."""
        if not self._dragging:
            self._dragging = True
            self._track.clear()
            self._speed = _NONE
        now = monotonic()
        self._track.append((now, right, down))
        self._track = [each for each in self._track if now - each[0] <= _MEMORY]
        self.move_by(right, down)

    def release(self) -> None:
        """End a drag: the board coasts on, or settles on whole characters if it was slow."""
        if not self._dragging:
            return
        self._dragging = False
        now = monotonic()
        recent = [each for each in self._track if now - each[0] <= _MEMORY]
        if recent and self._may_move():
            span = max(0.02, now - recent[0][0])
            self._speed = Offset(sum(each[1] for each in recent) / span, sum(each[2] for each in recent) / span)
        self._settle_when_slow()
        self.sync()

    def stop(self) -> None:
        if self._speed != _NONE:
            self._speed = _NONE
            self._settle_when_slow()

    def move_by(self, right: float, down: float) -> None:
        """Move the board by pixels, and its window by whole characters."""
        across = self._offset.right + right
        along = self._offset.down + down
        columns, rows = round(across / self.cell.width), round(along / self.cell.height)
        self._offset = Offset(across - columns * self.cell.width, along - rows * self.cell.height)
        if columns or rows:
            dragging, self._dragging = self._dragging, True
            # A picture that moves right means a window that moves left.
            self._view.set_viewport(self._view.viewport.pan(-columns, -rows))
            self._view.post_message(self._view.Panned())
            self._dragging = dragging
        self.sync()

    def _settle_when_slow(self) -> None:
        if math.hypot(*self._speed) < _SLOWEST:
            self._speed = _NONE
            self._from, self._glide_start = self._offset, monotonic()
            if not self._may_move():
                self._rest()
        self._keep_moving()

    def _rest(self) -> None:
        self._offset = self._from = self._speed = _NONE

    def _keep_moving(self) -> None:
        if self._timer is None and not (self._offset.none and self._speed == _NONE):
            self._last_frame = monotonic()
            self._timer = self._view.set_interval(1 / _FRAMES, self._step)

    def _step(self) -> None:
        now = monotonic()
        passed, self._last_frame = min(0.1, now - self._last_frame), now
        if self._dragging:
            return
        if self._speed != _NONE:
            self.move_by(self._speed.right * passed, self._speed.down * passed)
            share = math.exp(-_FRICTION * passed)
            self._speed = Offset(self._speed.right * share, self._speed.down * share)
            self._settle_when_slow()
            return
        share = (now - self._glide_start) / _GLIDE
        left = (1 - share) ** 3 if share < 1 else 0.0
        self._offset = Offset(self._from.right * left, self._from.down * left)
        if share >= 1:
            self._rest()
            self.close()
        self.sync()


def in_pixels(viewport: Viewport, cell: Pixels) -> Viewport:
    """Return the viewport in pixels, for characters of the size ``cell``."""
    width, height = cell
    return viewport._replace(
        cell=Cell(viewport.cell.width * width, viewport.cell.height * height),
        width=viewport.width * width,
        height=viewport.height * height,
        x=viewport.x * width,
        y=viewport.y * height,
    )
