"""The board in the round as a widget: turns by itself or under the mouse, and follows the window over the flat board.

This module needs numpy (about 100 ms to import), so nothing imports it before the torus is first looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, tau
from time import monotonic
from typing import Final

import numpy as np
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from daoqi_tui.tui.palette import KAYA, Palette
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.pixel_strip import PixelStrip
from daoqi_tui.tui.torus3d import STEEPEST, Scene, View, render, sketch
from daoqi_tui.tui.viewport import Viewport
from daoqi_tui.tui.widgets.board import BoardView
from daoqi_tui.tui.widgets.drawn import Drawn

_FRAME: Final = 1 / 25
_IDLE_CHECK: Final = 0.5
_SPEED: Final = 0.045
"""Turns a second of a torus that turns by itself."""
_EASE: Final = 11.0
"""How fast the torus follows the window: the rest of the way shrinks by e in 1/11 s."""
_CLOSE: Final = 0.004
_TILT: Final = 0.82
_WIDEST: Final = 2.3
"""Columns for each line that a torus can use; what is beyond stays empty."""


class TorusView(Drawn):
    """The board as a torus in space. Dragging turns it, a click lets it turn by itself or stop."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    TorusView { width: 1fr; height: 1fr; }
    """

    @dataclass
    class TurningChanged(Message):
        """The torus began to turn by itself, or stopped."""

        turning: bool

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._picture: Picture | None = None
        self._look: tuple[bytes, int | None, Palette, bool] | None = None
        self._board: BoardView | None = None
        self._palette: Palette = KAYA
        self._blocks = True
        self._stones = "●○"
        self._goal = (0.0, 0.0)
        """The board's (row, column) in the middle of the window, with fractions."""
        self._facing: tuple[float, float] | None = None
        """The (row, column) that faces the viewer; None before there is a picture."""
        self._homing = False
        """Whether the torus is on its way to where the window stands."""
        self._tilt = _TILT
        self.turning = True
        self.moving = False
        """Whether frames are being drawn."""
        self._timer: Timer | None = None
        self._seen_at = 0.0
        self._strips: list[Strip] = []
        self._grip: tuple[int, int] | None = None
        self._dragged = False

    # What is shown

    def follow(self, board: BoardView) -> None:
        """Show what a board on the screen shows, from now on."""
        if self._board is not board:
            self._board = board
            board.changed.subscribe(self, self._show_board, immediate=True)
        self._show_board(board)

    def _show_board(self, board: BoardView) -> None:
        if self.display:
            self._stones = board.glyphs.black + board.glyphs.white
            self.show(board.shown, board.viewport, board.palette, blocks=board.glyphs.blocks)

    def show(self, picture: Picture, viewport: Viewport, palette: Palette = KAYA, *, blocks: bool = True) -> None:
        """Show a position, the middle of the window facing the viewer; ``blocks``: half blocks are available."""
        row = (viewport.y + viewport.height / 2) / viewport.cell.height - 0.5
        column = (viewport.x + viewport.width / 2) / viewport.cell.width - 0.5
        before = self._picture
        same = before is not None and before.size == picture.size
        goal = row % picture.size, column % picture.size
        look = picture.stones, picture.last, palette, blocks
        changed = look != self._look
        self._look = look
        if same and goal != self._goal:
            # Who pans wants to see where to: the torus comes back to face the window and waits there.
            self.set_turning(turning=False)
            self._homing = True
        if not same:
            self._facing = goal
        self._picture, self._palette, self._blocks, self._goal = picture, palette, blocks, goal
        self._wake()
        if changed:
            self._draw_anew()

    def set_turning(self, *, turning: bool) -> None:
        """Let the torus turn by itself, or stop."""
        if turning != self.turning:
            self.turning = turning
            self.post_message(self.TurningChanged(turning))
        self._homing = False
        self._wake()

    def turn(self, across: float, up: float) -> None:
        """Turn by hand: ``across`` in turns, ``up`` in radians."""
        if self._picture is None or self._facing is None:
            return
        row, column = self._facing
        self._facing = row, column + across * self._picture.size
        self._tilt = max(-STEEPEST, min(STEEPEST, self._tilt + up))
        self._draw_anew()

    # Moving

    def on_mount(self) -> None:
        """Make the timer that moves the torus."""
        self._timer = self.set_interval(_FRAME, self._tick, pause=True)
        self._wake()

    def on_show(self) -> None:
        """Move on once seen again."""
        self._wake()

    def on_hide(self) -> None:
        """Rest while out of sight."""
        self._rest()

    def _wake(self) -> None:
        if self._timer is not None and self._facing is not None and (self.turning or self._homing):
            if not self.moving:
                self._seen_at = monotonic()
            self.moving = True
            self._timer.resume()

    def _rest(self) -> None:
        self.moving = False
        if self._timer is not None:
            self._timer.pause()

    def _tick(self) -> None:
        if self.app.screen is not self.screen or not self.is_on_screen:
            self._rest()
            if self.is_on_screen:
                # No event tells that a dialog above has closed.
                self.set_timer(_IDLE_CHECK, self._wake)
            return
        now = monotonic()
        passed, self._seen_at = min(0.2, now - self._seen_at), now
        if self._picture is None or self._facing is None:
            return
        size, (row, column) = self._picture.size, self._facing
        if self._homing:
            down, right = _way(row, self._goal[0], size), _way(column, self._goal[1], size)
            share = 1 - exp(-_EASE * passed)
            self._homing = max(abs(down), abs(right)) >= _CLOSE
            self._facing = (row + down * share, column + right * share) if self._homing else self._goal
        elif self.turning:
            self._facing = row, column + _SPEED * passed * size
        else:
            self._rest()
            return
        self._draw_anew()

    # Drawing

    def _draw_anew(self) -> None:
        self._strips = []
        self.refresh()

    def on_resize(self) -> None:
        """Draw in the new size."""
        self._draw_anew()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        if not self._strips:
            self._strips = self._frame()
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width, self.rich_style)

    def _frame(self) -> list[Strip]:
        width, height = self.size
        if self._picture is None or self._facing is None or not width or not height:
            return []
        size, sky = self._picture.size, self._palette.frame
        wide = min(width, round(height * _WIDEST))
        view = View(self._facing[1], self._facing[0], self._tilt)
        scene = Scene(self._picture.stones, size, self._palette.bright, sky, self._picture.last)
        if self.app.no_color:
            drawn = sketch(scene, view, wide, height, (self._stones[0], self._stones[1]))
            return [Strip([Segment(line.center(width))], width) for line in drawn]
        pixels = render(scene, view, wide, 2 * height)
        # Shades that a person cannot tell apart are made one: a third less to send.
        packed = (pixels & 0xFC).astype(np.int32) @ np.array((1 << 16, 1 << 8, 1), np.int32)
        ground = (sky[0] & 0xFC) << 16 | (sky[1] & 0xFC) << 8 | (sky[2] & 0xFC)
        left = [ground] * ((width - wide) // 2)
        right = [ground] * (width - wide - len(left))
        lines = [left + line + right for line in packed.tolist()]
        return [
            PixelStrip(upper, lower, blocks=self._blocks) for upper, lower in zip(lines[::2], lines[1::2], strict=True)
        ]

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the torus."""
        event.stop()
        if event.button == 1:
            self.capture_mouse()
            self._grip, self._dragged = (event.screen_x, event.screen_y), False

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Turn it."""
        event.stop()
        if self._grip is None:
            return
        x, y = event.screen_x, event.screen_y
        across, down = x - self._grip[0], y - self._grip[1]
        if not (across or down):
            return
        self._grip, self._dragged = (x, y), True
        self.set_turning(turning=False)
        extent = max(1, min(self.size.width, round(self.size.height * _WIDEST)))
        self.turn(-across / extent * 0.55, down * 2 / extent * tau * 0.4)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go; after a click alone the torus turns by itself, or stops."""
        event.stop()
        if self._grip is None:
            return
        self.release_mouse()
        self._grip = None
        if not self._dragged:
            self.set_turning(turning=not self.turning)


def _way(start: float, end: float, size: int) -> float:
    """The shorter way from one place to another round a board of ``size``."""
    return (end - start + size / 2) % size - size / 2
