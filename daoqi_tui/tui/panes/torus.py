"""The 3-D torus as a widget: rotates automatically or with the mouse, and follows the window over the flat board.

This module needs numpy (about 100 ms to import), so it is imported only when the torus is first shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, tau
from time import monotonic
from typing import Final, NamedTuple, Protocol

import numpy as np
from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.pictures.palettes import KAYA, Palette
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.pictures.torus import STEEPEST, Camera, PixelArray, Scene, point_at, render, sketch
from daoqi_tui.tui.board import BoardView, PicturedWidget, wheel_step
from daoqi_tui.tui.board.viewport import Viewport
from daoqi_tui.tui.look import StoneSigns, has_256
from daoqi_tui.tui.output import FIRST_FIXED, FIXED, DrawnWidget, PixelStrip, StripWidget, fixed_number

_FRAME: Final = 1 / 25
_IDLE_CHECK: Final = 0.5
_SPEED: Final = 0.045
_EASE: Final = 11.0
"""The speed at which the torus follows the window: the remaining distance shrinks by e in 1/11 s."""
_CLOSE: Final = 0.004
_TILT: Final = 0.82
_WIDEST: Final = 2.3
"""The maximum width of the picture in columns per line of its height."""
_BENDING: Final = 1.3
_NEAREST: Final = 5.0
_ZOOM: Final = 1.15
_SHARES: Final = 12
"""The number of steps of each channel's share in a coarse colour."""
_HUE: Final = 28.0
"""How much more another hue counts in light and shade: the fixed colours there are grey rather than violet or olive."""
_JITTER: Final = 1
"""The number of cells that a pressed mouse may move before it turns the torus, since a click is rarely quite still."""


class TorusShot(NamedTuple):
    """The contents of a picture of the torus.

    Attributes:
        scene: the board painted on the torus.
        camera: the orientation of the torus.
        columns: the width of the picture in characters.
        changing: whether the shape changes: the board is being bent, tilted or zoomed.
        moving: whether more movement follows.
    """

    scene: Scene
    camera: Camera
    columns: int
    changing: bool
    moving: bool


class TorusPictures(Protocol):
    """What draws a torus view in pictures, where the terminal shows them."""

    @property
    def aspect(self) -> float:
        """The ratio of height to width of half a character."""

    def sync(self) -> None:
        """Update the torus in the terminal."""


class TorusView(PicturedWidget, DrawnWidget, StripWidget):
    """The board as a torus in space.

    Dragging turns it and the wheel zooms. A click on it chooses a point, as on the flat board; a click beside it starts
    or stops the automatic rotation.

    Args:
        frame: the seconds between two frames of a movement.
        id: the widget's.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    TorusView { width: 1fr; height: 1fr; }
    """

    @dataclass
    class TurningChanged(Message):
        """The torus started to rotate automatically, or stopped."""

        turning: bool

    class Unbent(Message):
        """The torus has become a flat board again."""

    def __init__(self, *, frame: float = _FRAME, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._seconds = frame
        self._picture: Picture | None = None
        self._look: tuple[object, ...] | None = None
        self._board: BoardView | None = None
        self._palette = self._painted = KAYA
        self._blocks = True
        self._stones = "●", "○"
        self._goal = (0.0, 0.0)
        self._window: tuple[float, float] | None = None
        """The (row, column) in the middle of the window over the flat board."""
        self._facing: tuple[float, float] | None = None
        """The (row, column) that faces the viewer; None before there is a picture."""
        self._homing = False
        self._tilt = _TILT
        self._zoom = 1.0
        self._bent = 1.0
        """The progress of bending, from 0 (flat) to 1 (the torus)."""
        self._bending = 0
        """1 while the board is bent into the torus, -1 while it is flattened, else 0."""
        self._bend_from = (0.0, 0.0)
        """The (row, column) that the flat board faces."""
        self._changing = False
        """True if the latest change was of the shape of the torus, not only of the place that faces the viewer."""
        self.turning = True
        self.moving = False
        self._is_slow = False
        """Whether the terminal has been behind in this movement, whose colours are then coarse."""
        self._timer: Timer | None = None
        self._seen_at = 0.0
        self._pixels: TorusPictures | None = None
        self._grip: tuple[float, float] | None = None
        self._pressed_at = (0, 0)
        self._dragged = False
        self._hovered: int | None = None

    # Contents

    def follow(self, board: BoardView) -> None:
        if self._board is not board:
            self._board = board
            board.changed.subscribe(self, self._show_board, immediate=True)
        self._show_board(board)

    def _show_board(self, board: BoardView) -> None:
        if self.display:
            signs = StoneSigns(board.palette, board.glyphs)
            self._stones = signs.sign(BLACK), signs.sign(WHITE)
            self.show(board.shown, board.viewport, board.palette, painted=board.painted, blocks=board.glyphs.blocks)

    def show(
        self,
        picture: Picture,
        viewport: Viewport,
        palette: Palette = KAYA,
        *,
        painted: Palette | None = None,
        blocks: bool = True,
    ) -> None:
        """Show a position, the middle of the window facing the viewer.

        Args:
            picture: the position.
            viewport: the window over the flat board.
            palette: the colours of the characters.
            painted: the colours of pictures; those of the characters by default.
            blocks: whether half blocks are available.
        """
        row = (viewport.y + viewport.height / 2) / viewport.cell.height - 0.5
        column = (viewport.x + viewport.width / 2) / viewport.cell.width - 0.5
        before = self._picture
        same = before is not None and before.size == picture.size
        window = row % picture.size, column % picture.size
        painted = painted or palette
        look = picture.stones, picture.last, picture.ghost, palette, painted, blocks, self._stones
        changed = look != self._look
        self._look = look
        self._picture, self._palette, self._painted, self._blocks = picture, palette, painted, blocks
        if not same:
            self._facing = self._goal = window
        elif window != self._window:
            # A pan turns the torus to face the window, and stops there.
            self._go_to(window)
        self._window = window
        self._wake()
        if changed:
            self._draw_anew()

    def face(self, point: int) -> None:
        if self._picture is not None:
            row, column = divmod(point, self._picture.size)
            self._facing = self._goal = float(row), float(column)
            self._homing = False
            self._draw_anew()

    def show_last(self) -> None:
        """Turn to the last move if it is more than a fifth of the board away."""
        if self._picture is None or self._facing is None or self._picture.last is None:
            return
        size = self._picture.size
        place = divmod(self._picture.last, size)
        off = (_way(here, there, size) for here, there in zip(self._facing, place, strict=True))
        if max(abs(each) for each in off) > size / 5:
            self._go_to((float(place[0]), float(place[1])))

    def _go_to(self, goal: tuple[float, float]) -> None:
        self.set_turning(turning=False)
        self._goal, self._homing = goal, True
        if not self._may_move and not self.bending:
            self._facing, self._homing = goal, False
            self._draw_anew()
        self._wake()

    def set_turning(self, *, turning: bool) -> None:
        """Start or stop the automatic rotation; with reduced motion it is always stopped."""
        turning = turning and self._may_move
        if turning != self.turning:
            self.turning = turning
            self.post_message(self.TurningChanged(turning))
        self._homing = False
        self._wake()

    def turn_by_hand(self, across: int, up: int) -> None:
        """Turn by steps of the keys; a sideways step stops the automatic rotation."""
        if across:
            self.set_turning(turning=False)
        self.turn(across / 64, up * 0.08)

    def turn(self, across: float, up: float) -> None:
        """Turn by ``across`` in turns and ``up`` in radians."""
        if self._picture is None or self._facing is None:
            return
        row, column = self._facing
        self._facing = row, column + across * self._picture.size
        self._tilt = max(-STEEPEST, min(STEEPEST, self._tilt + up))
        self._changing = bool(up)
        self._draw_anew()

    def zoom(self, steps: int) -> None:
        self._zoom = max(1.0, min(_NEAREST, self._zoom * _ZOOM**steps))
        self._changing = True
        self._draw_anew()

    # Bending between the flat board and the torus

    @property
    def bending(self) -> bool:
        return self._bending != 0

    def bend(self) -> None:
        """Bend the flat board into the torus with its present orientation; without animation if motion is reduced."""
        if self._may_move and self._facing is not None and self._window is not None:
            self._bend_from, self._goal = self._window, self._facing
            self._bent, self._bending = 0.0, 1
            self._wake()
            self._draw_anew()

    def unbend(self) -> None:
        """Flatten the torus, and post :class:`Unbent` afterwards; at once with reduced motion or on a slow line."""
        if not self._may_move or not self._ready or self._facing is None or self._window is None:
            self.post_message(self.Unbent())
            return
        self._bend_from, self._goal = self._window, self._facing
        self._homing = False
        self._bending = -1
        self._wake()

    def _bend_on(self, passed: float) -> None:
        self._bent = max(0.0, min(1.0, self._bent + self._bending * passed / _BENDING))
        self._changing = True
        if self._bending > 0 and self._bent == 1:
            self._bending, self._facing = 0, self._goal
        elif self._bending < 0 and self._bent == 0:
            self._bending = 0
            self._bent = 1e-6
            self.post_message(self.Unbent())

    def _camera(self) -> Camera:
        assert self._picture is not None
        assert self._facing is not None
        row, column = self._facing
        if self._bent == 1:
            return Camera(column, row, self._tilt, self._zoom)
        # Ease in and out.
        share = self._bent * self._bent * (3 - 2 * self._bent)
        size = self._picture.size
        row = self._bend_from[0] + _way(self._bend_from[0], self._goal[0], size) * share
        column = self._bend_from[1] + _way(self._bend_from[1], self._goal[1], size) * share
        return Camera(column, row, self._tilt * share, 1 + (self._zoom - 1) * share, min(share, 0.9999))

    # Moving

    @property
    def _may_move(self) -> bool:
        return not getattr(self.app, "still", False)

    @property
    def _ready(self) -> bool:
        pictures = getattr(self.app, "pictures", None)
        return pictures is None or pictures.ready()

    def on_mount(self) -> None:
        if not self._may_move:
            self.turning = False
        self._timer = self.set_interval(self._seconds, self._tick, pause=True)
        self._wake()

    def on_show(self) -> None:
        self._wake()

    def on_hide(self) -> None:
        self._rest()

    def _wake(self) -> None:
        if self._timer is None or self._facing is None:
            return
        if not self._may_move and self.turning:
            # The setting was changed to reduced motion meanwhile.
            self.turning = False
            self.post_message(self.TurningChanged(turning=False))
        if self.turning or self._homing or self.bending:
            if not self.moving:
                self._seen_at = monotonic()
            self.moving = True
            self._timer.resume()

    def _rest(self) -> None:
        if self.moving:
            self.moving = self._changing = False
            if self._is_slow and self._pixels is None:
                self.redraw()
            self._is_slow = False
            if self._pixels is not None:
                # Otherwise it would not know that there is time for the sharp picture now.
                self._pixels.sync()
        if self._timer is not None:
            self._timer.pause()

    def _tick(self) -> None:
        if self.app.screen is not self.screen or not self.is_on_screen:
            self._rest()
            if self.is_on_screen:
                # No event reports that a dialog above has closed.
                self.set_timer(_IDLE_CHECK, self._wake)
            return
        if self._picture is None or self._facing is None:
            return
        if not self._ready:
            # This frame could not be shown; the next one makes up for the time.
            self._is_slow = True
            return
        now = monotonic()
        passed, self._seen_at = min(0.2, now - self._seen_at), now
        size, (row, column) = self._picture.size, self._facing
        if self.bending:
            self._bend_on(passed)
        elif self._homing:
            self._changing = False
            down, right = _way(row, self._goal[0], size), _way(column, self._goal[1], size)
            share = 1 - exp(-_EASE * passed)
            self._homing = max(abs(down), abs(right)) >= _CLOSE
            self._facing = (row + down * share, column + right * share) if self._homing else self._goal
        elif self.turning:
            self._changing = False
            self._facing = row, column + _SPEED * passed * size
        else:
            self._rest()
            return
        self._draw_anew()

    # Drawing

    def show_pictures(self, pictures: TorusPictures | None) -> None:
        """Show pictures, or characters for None."""
        self._pixels = pictures

    def _draw_anew(self) -> None:
        self._strips = None
        if self._pixels is None:
            self.refresh()
        else:
            self._pixels.sync()

    def seen(self) -> TorusShot | None:
        if self._picture is None or self._facing is None or not self.size:
            return None
        changing = self._changing and (self.moving or self._grip is not None)
        return TorusShot(self._scene(self._painted), self._camera(), self._wide, changing, self.moving or self._dragged)

    @property
    def _wide(self) -> int:
        return min(self.size.width, round(self.size.height * _WIDEST * self._zoom))

    def _scene(self, palette: Palette) -> Scene:
        picture = self._picture
        assert picture is not None
        ghost = None if picture.ghost is None else (picture.ghost.point, picture.ghost.colour)
        return Scene(picture.stones, picture.size, palette.bright, palette.frame, picture.last, ghost)

    def _draw(self) -> list[Strip]:
        width, height = self.size
        if self._picture is None or self._facing is None or not width or not height:
            return []
        sky, wide = self._palette.frame, self._wide
        if self._pixels is not None:
            style = Style.parse("on #{:02x}{:02x}{:02x}".format(*sky))
            return [Strip.blank(width, style)] * height
        view, scene = self._camera(), self._scene(self._palette)
        if self.app.no_color:
            drawn = sketch(scene, view, wide, height, self._stones)
            return [Strip([Segment(line.center(width))], width) for line in drawn]
        pixels = render(scene, view, wide, 2 * height)
        if self._is_slow:
            # With 240 stones 40% have to be sent, and over a slow line more than twice as many frames are shown.
            pixels = np.where((pixels == np.array(sky)).all(2)[..., None], pixels, coarse(pixels))
        # Dropping the two lowest bits is invisible, and a third less has to be sent.
        packed = (pixels & 0xFC).astype(np.int32) @ np.array((1 << 16, 1 << 8, 1), np.int32)
        ground = (sky[0] & 0xFC) << 16 | (sky[1] & 0xFC) << 8 | (sky[2] & 0xFC)
        if has_256(self.app):
            each, places = np.unique(packed, return_inverse=True)
            packed = np.array([_fixed(colour) for colour in each.tolist()])[places.reshape(packed.shape)]
            ground = _fixed(ground)
        left = [ground] * ((width - wide) // 2)
        right = [ground] * (width - wide - len(left))
        lines = [left + line + right for line in packed.tolist()]
        return [
            PixelStrip(upper, lower, blocks=self._blocks) for upper, lower in zip(lines[::2], lines[1::2], strict=True)
        ]

    # The mouse

    def _point_at(self, event: events.MouseEvent) -> int | None:
        """Return the point of the board under the mouse; None beside the torus, and while it is bending."""
        if self._picture is None or self._facing is None or self._bent < 1:
            return None
        wide, camera = self._wide, self._camera()
        # A position reported in whole characters stands for the middle of the character.
        x, y = (each + 0.5 if each == int(each) else each for each in (event.pointer_x, event.pointer_y))
        left = (self.size.width - wide) // 2
        # As with half blocks, a character is two pixels high.
        frame = camera.frame(wide, 2 * self.size.height)
        if self._pixels is not None:
            frame = frame._replace(aspect=self._pixels.aspect)
        shown = point_at(camera, self._picture.size, frame, x - left, 2 * y)
        if shown is None or self._board is None:
            return None
        orientation, size = self._board.viewport.orientation, self._picture.size
        row, column = orientation.board(size, *divmod(shown, size))
        return row * size + column

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()
        if event.button == 1:
            self.capture_mouse()
            self._grip, self._dragged = (event.pointer_screen_x, event.pointer_screen_y), False
            self._pressed_at = event.screen_x, event.screen_y

    def on_mouse_move(self, event: events.MouseMove) -> None:
        event.stop()
        if not event.button:
            # A dialog that opened meanwhile received the release.
            self._let_go()
        if self._grip is None:
            if not self.moving:
                self._hover(self._point_at(event))
            return
        x, y = event.pointer_screen_x, event.pointer_screen_y
        far = max(abs(event.screen_x - self._pressed_at[0]), abs(event.screen_y - self._pressed_at[1]))
        if self.bending or not (self._dragged or far > _JITTER):
            return
        across, down = x - self._grip[0], y - self._grip[1]
        self._grip = x, y
        if not self._dragged:
            self._dragged = True
            self._hover(None)
            self.set_turning(turning=False)
        if across or down:
            extent = max(1, min(self.size.width, round(self.size.height * _WIDEST))) * self._zoom
            self.turn(-across / extent * 0.55, down * 2 / extent * tau * 0.4)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """End a drag or a click; a click chooses a point, or beside the torus starts or stops the rotation."""
        event.stop()
        if self._grip is None or self._let_go():
            return
        if self._picture is not None and (point := self._point_at(event)) is not None:
            self.post_message(BoardView.PointChosen(self._picture.size, point))
        elif not self.bending:
            self.set_turning(turning=not self.turning)

    def _let_go(self) -> bool:
        if self._grip is None:
            return False
        self.release_mouse()
        dragged, self._grip, self._dragged = self._dragged, None, False
        if dragged:
            self._changing = False
            self._draw_anew()
        return dragged

    def on_leave(self) -> None:
        self._hover(None)

    def _hover(self, point: int | None) -> None:
        if self._picture is not None and point != self._hovered:
            self._hovered = point
            self.post_message(BoardView.PointHovered(self._picture.size, point))

    @on(events.MouseScrollUp)
    @on(events.MouseScrollDown)
    def _scrolled(self, event: events.MouseEvent) -> None:
        event.stop()
        self.zoom(-wheel_step(event))


def coarse(pixels: PixelArray) -> PixelArray:
    """Return pixels in eight steps of light that keep their hues; rounded channels would make grey green or violet."""
    wide = pixels.astype(np.int32)
    light = wide.max(2, keepdims=True)
    shares = (wide * _SHARES + light // 2) // np.maximum(light, 1)
    return np.asarray(shares * (light & 0xE0 | 0x10) // _SHARES, np.uint8)


def _fixed(colour: int) -> int:
    """Return the fixed colour that shows a lit colour, both as one number."""
    red, green, blue = FIXED[fixed_number((colour >> 16, colour >> 8 & 0xFF, colour & 0xFF), _HUE) - FIRST_FIXED]
    return red << 16 | green << 8 | blue


def _way(start: float, end: float, size: int) -> float:
    """Return the signed shorter way from one place to another around a board of ``size``."""
    return (end - start + size / 2) % size - size / 2
