"""The endless board as a widget: draws a picture through a viewport, and reports mouse input in messages.

Panning must be cheap enough to follow a mouse at full speed, also over ssh. So :class:`BoardLines` caches its lines,
and they are passed to the compositor unchanged, by a :class:`~daoqi_tui.tui.output.StripWidget`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from time import monotonic
from typing import Final, NamedTuple

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.filter import ANSIToTruecolor, NoColor
from textual.geometry import Region, Size
from textual.message import Message
from textual.signal import Signal
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from daoqi_tui.engine import Style as NameStyle
from daoqi_tui.engine import torus_of
from daoqi_tui.pictures.palettes import RGB, Palette
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.tui.board.lines import GUTTER, HEADER, BoardLines
from daoqi_tui.tui.board.viewport import CELLS, Cell, Viewport, shortest
from daoqi_tui.tui.fitting import fit_soon
from daoqi_tui.tui.look import AsciiFilter, Glyphs, Options, board_style_for
from daoqi_tui.tui.output import StripWidget


class PicturedWidget(Widget):
    """A widget that is drawn in pixels where the terminal shows pictures."""

    def on_mount(self) -> None:
        if pictures := getattr(self.app, "pictures", None):
            pictures.add(self)

    def on_unmount(self) -> None:
        if pictures := getattr(self.app, "pictures", None):
            pictures.remove(self)


_JITTER: Final = 1
"""The number of cells that a pressed mouse may move before it pans, since a click is rarely quite still."""
_NEEDLESS_FILTERS: Final = (ANSIToTruecolor, NoColor, AsciiFilter)
_WHOLE: Final = (1, 1)
"""The unit of a window that is measured in characters."""
_SEEN: Final = 8
"""A cell is larger or smaller than another to the eye if they differ by more than this part of their height."""


class BoardView(PicturedWidget, StripWidget):
    """A window over the endless board.

    Messages report what the mouse points at. A press that hardly moves is a click, otherwise a drag.

    Args:
        size: the size of the board.
        centred: whether the home view of a board larger than the window shows its middle, not its first corner.
        id: the widget's.

    Attributes:
        picture: what is shown.
        lines: the lines of the board, which also give the names of rows and columns.
        pixels: the board as a picture, where the terminal shows pictures; None elsewhere.
    """

    ALLOW_SELECT = False
    # The board has true colours or none, and the characters of the chosen set, so these filters change nothing.
    NEEDLESS_FILTERS = _NEEDLESS_FILTERS
    DEFAULT_CSS = """
    BoardView { width: 1fr; height: 1fr; }
    """

    class Pointed(Message):
        """The mouse pointed at something on a board of this size."""

        def __init__(self, size: int, point: int | None, board: BoardView | None = None) -> None:
            super().__init__()
            self.size, self.point, self.board = size, point, board

    class PointChosen(Pointed):
        """A point was clicked."""

        point: int

    class PointRecentred(Pointed):
        """A point was clicked with the right button, to be centred: on ``board``, or on the map if that is None."""

        point: int

    class PointHovered(Pointed):
        """The mouse moved to another point, or away from the board (None)."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, BoardView.PointHovered)

    class LabelsClicked(Message):
        """The names of the rows or columns were clicked."""

    class Panned(Message):
        """The view was panned by mouse."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, BoardView.Panned)

    def __init__(self, size: int, *, centred: bool = False, id: str | None = None) -> None:  # noqa: A002 (Textual's)
        super().__init__(id=id)
        self._centred: Final = centred
        self.picture = Picture(size, bytes(size * size))
        self.lines: Final = BoardLines(self.picture, Viewport(size, CELLS[0], 1, 1))
        self._cell: Cell | None = None
        self.pixels: Motion | None = None
        self._painted: Palette | None = None
        self._moved = False
        """True if the window has been moved from the home view; until then it stays there, whatever its size."""
        self._pressed_at: tuple[int, int] | None = None
        self._pressed_point: int | None = None
        self._to_recentre: int | None = None
        self._dragging = False
        self._dragged_to = 0.0, 0.0
        self._hovered: int | None = None
        self.mouse: tuple[int, int] | None = None
        """The place in the window under the mouse, if it points at the board."""
        self.changed: Signal[BoardView] = Signal(self, "changed")
        """Published when the picture, the window or the look changes, for other views of the same board."""
        self.resized: Signal[BoardView] = Signal(self, "resized")
        """Published in the frame after the window was resized."""

    # Contents

    @property
    def shown(self) -> Picture:
        return self.lines.shown

    @property
    def palette(self) -> Palette:
        return self.lines.palette

    @property
    def painted(self) -> Palette:
        """The colours for pictures of the board, which may be more than characters can have."""
        return self._painted or self.palette

    @property
    def glyphs(self) -> Glyphs:
        return self.lines.glyphs

    def show_pictures(self, pictures: Motion | None) -> None:
        """Show pictures, or characters for None."""
        self.pixels = pictures
        unit = _WHOLE if pictures is None else pictures.cell
        if unit != self.viewport.unit:
            self._fit(self.size, unit)
            self.changed.publish(self)

    @property
    def viewport(self) -> Viewport:
        return self.lines.viewport

    def show_picture(self, picture: Picture) -> None:
        """Draw another picture; only changed rows are redrawn."""
        before = self.picture
        if picture == before:
            return
        self.picture = picture
        lines = self.lines
        if picture.size != before.size:
            self._moved = False
            self._pressed_point = self._hovered = None
            lines.move_to(self._home(lines.viewport._replace(size=picture.size)))
            self.lines.show(self.picture)
            self._fit(self.size)
            self.redraw()
            self.changed.publish(self)
            return
        dirty = lines.show(picture)
        if self.pixels is not None:
            self.pixels.sync()
        else:
            width = self.size.width
            if dirty:
                self.refresh(*(Region(0, y + HEADER, width, 1) for y in dirty))
        self.changed.publish(self)

    def redraw(self) -> None:
        self.lines.forget_styles()
        self.refresh()

    def set_viewport(self, viewport: Viewport) -> None:
        before = self.viewport
        self._moved = viewport != self._home(viewport)
        if viewport == before:
            return
        self.lines.move_to(viewport)
        if (viewport.cell, viewport.margin, viewport.orientation) != (before.cell, before.margin, before.orientation):
            self.lines.forget()
        if viewport.orientation != before.orientation:
            self.lines.show(self.picture)
        if self.pixels is not None:
            self.pixels.viewport_changed(before, viewport)
        else:
            self.refresh()
        self.changed.publish(self)

    @property
    def at_home(self) -> bool:
        """True if the board shows its home view, which it keeps in a window of any size."""
        return not self._moved

    def reset_view(self) -> None:
        self.set_viewport(self._home(self.viewport))

    def _home(self, viewport: Viewport) -> Viewport:
        return viewport.at_origin(centred=self._centred)

    def use_options(self, options: Options) -> None:
        look = board_style_for(self.app, options)
        self.set_look(palette=look.palette, glyphs=look.glyphs, painted=look.painted, name_style=options.names)

    def set_look(
        self,
        *,
        palette: Palette | None = None,
        glyphs: Glyphs | None = None,
        painted: Palette | None = None,
        name_style: NameStyle | None = None,
    ) -> None:
        """Change the look of the board; None keeps a part of it."""
        lines = self.lines
        lines.palette = palette or lines.palette
        lines.glyphs = glyphs or lines.glyphs
        self._painted = painted or self._painted
        lines.names = name_style or lines.names
        self.redraw()
        self.changed.publish(self)

    def render_line(self, y: int) -> Strip:
        return self.lines.strip(y) if self.pixels is None else _ground(self.size.width, self.painted.frame)

    def set_cell(self, cell: Cell | None) -> None:
        """Draw points in cells of a fixed size, in characters; None takes the largest that shows a whole period."""
        self._cell = cell
        viewport = self.viewport.with_cell(self._liked_cell(self.size, self.viewport.unit))
        across, along = viewport.period
        whole = across <= viewport.width and along <= viewport.height
        # A widget without a size has no middle to keep, and a board that fits as a whole needs none.
        if not self._moved and (whole or not self.size):
            viewport = self._home(viewport)
        self.set_viewport(viewport)

    def zoom(self, step: int) -> bool:
        """Draw points larger by a step, or smaller if ``step`` is negative; return whether that is possible."""
        now, unit = self.viewport.cell.height, self.viewport.unit
        # A picture may have points of nearly one of these sizes: nobody would see that as a step.
        others = [cell for cell in CELLS if step * (cell.times(unit).height - now) * _SEEN > now]
        if others:
            self.set_cell(others[0] if step > 0 else others[-1])
        return bool(others)

    # Size

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Take a size as the base class does, and fit the window to it for the frame of this layout."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if not self.is_fitted:
            self._fit(self.size)
        return changed

    def on_resize(self) -> None:
        fit_soon(self)

    def fit(self) -> None:
        self.changed.publish(self)
        self.resized.publish(self)

    @property
    def is_fitted(self) -> bool:
        """Whether the window has the widget's size, as after each layout."""
        return (self.viewport.width, self.viewport.height) == _window(self.size, self.viewport.unit)

    def _fit(self, size: Size, unit: tuple[int, int] | None = None) -> None:
        """Fit the window to the size of the widget, and measure it in other units if some are given."""
        lines, before = self.lines, self.viewport
        lines.forget()
        unit = unit or before.unit
        cell = self._liked_cell(size, unit)
        width, height = _window(size, unit)
        viewport = before._replace(width=width, height=height, cell=cell, unit=unit)
        if not self._moved:
            viewport = self._home(viewport)
        elif cell == before.cell and unit == before.unit:
            viewport = before.resized(width, height)
        else:
            viewport = viewport.centred_on(*before.middle_point())
        lines.move_to(viewport)

    def fitting_cell(self, points: int) -> Cell:
        """Return the largest cell in which this shows the whole of a board of so many points along a side."""
        return self._largest_cell(points, self.size, self.viewport.unit)

    def _liked_cell(self, size: Size, unit: tuple[int, int]) -> Cell:
        return self._cell.times(unit) if self._cell else self._largest_cell(self.picture.size, size, unit)

    def _largest_cell(self, points: int, size: Size, unit: tuple[int, int]) -> Cell:
        return largest_cell(points, size, unit, in_cells=self.pixels is None or self.pixels.in_cells)

    # The mouse

    def _point_at(self, event: events.MouseEvent) -> int | None:
        place = self.viewport.point_at(*self._place(event))
        if self._is_label(event) or place is None:
            return None
        return torus_of(self.viewport.size).point(*place)

    def _place(self, event: events.MouseEvent) -> tuple[int, int]:
        """Return the place of the mouse in the window: the middle of its character if the terminal tells only that."""
        width, height = self.viewport.unit
        # There is no public way to know whether the terminal reports pixels, which are fractions of characters here.
        if getattr(self.app._driver, "_mouse_pixels", False):  # noqa: SLF001
            x, y = event.pointer_x - GUTTER, event.pointer_y - HEADER
            return round(x * width), round(y * height)
        return (event.x - GUTTER) * width + width // 2, (event.y - HEADER) * height + height // 2

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()
        if event.button == 3 and self._pressed_at is None:
            self._to_recentre = self._point_at(event)
        if event.button == 1:
            self.capture_mouse()
            self._pressed_at = event.screen_x, event.screen_y
            self._dragged_to = event.pointer_screen_x, event.pointer_screen_y
            if self.pixels is not None:
                self.pixels.stop()
            self._pressed_point = self._point_at(event)
            self._dragging = False

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Pan while dragging; otherwise report the point under the mouse."""
        event.stop()
        if not event.button and self._pressed_at is not None:
            # A dialog that opened meanwhile received the release.
            self.let_go()
        if self._pressed_at is None:
            point = self._point_at(event)
            self.mouse = None if point is None else self._place(event)
            self._hover(point)
            return
        x, y = event.screen_x, event.screen_y
        right, down = self._pressed_at[0] - x, self._pressed_at[1] - y
        if not self._dragging and max(abs(right), abs(down)) > _JITTER:
            self._dragging = True
            self.mouse = None
            self._hover(None)
        if not self._dragging:
            return
        if self.pixels is not None:
            exact = event.pointer_screen_x, event.pointer_screen_y
            across, along = exact[0] - self._dragged_to[0], exact[1] - self._dragged_to[1]
            self._dragged_to = exact
            if across or along:
                self.pixels.drag(across * self.pixels.cell[0], along * self.pixels.cell[1])
        elif right or down:
            self._pressed_at = x, y
            self.set_viewport(self.viewport.pan(right, down))
            self.post_message(self.Panned())

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """End a drag, or a click, which is a press released on the point where it began."""
        event.stop()
        point = self._point_at(event)
        if event.button == 3:
            wanted, self._to_recentre = self._to_recentre, None
            if point is not None and point == wanted:
                self.mouse = self._place(event)
                self.post_message(self.PointRecentred(self.viewport.size, point, self))
        if event.button != 1 or self._pressed_at is None:
            return
        dragged = self._dragging
        self.let_go()
        if dragged:
            return
        if self._pressed_point is None and self._is_label(event):
            self.post_message(self.LabelsClicked())
        elif point is not None and point == self._pressed_point:
            self.post_message(self.PointChosen(self.viewport.size, point))

    @staticmethod
    def _is_label(event: events.MouseEvent) -> bool:
        return event.x < GUTTER or event.y < HEADER

    def let_go(self) -> None:
        """End a press, also one whose release went to a dialog that opened meanwhile."""
        if self._pressed_at is not None:
            self.release_mouse()
        self._pressed_at, self._dragging = None, False
        if self.pixels is not None:
            self.pixels.release()

    def on_leave(self) -> None:
        self.mouse = None
        self._hover(None)

    def hover_again(self) -> None:
        """Report the point that the view now has under the mouse."""
        self._hovered = None
        place = self.viewport.point_at(*self.mouse) if self.mouse is not None else None
        if place is not None:
            self._hover(torus_of(self.viewport.size).point(*place))

    def _hover(self, point: int | None) -> None:
        if point != self._hovered:
            self._hovered = point
            self.post_message(self.PointHovered(self.viewport.size, point))

    @on(events.MouseScrollUp)
    @on(events.MouseScrollDown)
    @on(events.MouseScrollLeft)
    @on(events.MouseScrollRight)
    def _scrolled(self, event: events.MouseEvent) -> None:
        """Pan by a point; sideways with a modifier, of which terminals may keep Shift or Ctrl for themselves."""
        event.stop()
        step = wheel_step(event)
        is_sideways = isinstance(event, events.MouseScrollLeft | events.MouseScrollRight)
        sideways = is_sideways or event.shift or event.meta or event.ctrl
        self.set_viewport(self.viewport.pan_points(step, 0) if sideways else self.viewport.pan_points(0, step))
        self.post_message(self.Panned())


def largest_cell(points: int, size: Size, unit: tuple[int, int] = _WHOLE, *, in_cells: bool = True) -> Cell:
    """Return the largest cell in which a widget of some size shows all points of a row and of a column.

    ``in_cells`` it is one of three. Otherwise it may have any size between the smallest and the largest of these, and
    leaves room for the copies of a point on each side: a board that ended with the window would look like a flat one.
    """
    width, height = _window(size, unit)
    if not in_cells:
        side = min(width // (points + 2), height // (points + 2), CELLS[-1].times(unit).height)
        least = CELLS[0].times(unit)
        return Cell(side, side) if side > max(least) else least
    cells = [cell.times(unit) for cell in CELLS]
    fitting = [cell for cell in cells if cell.width * points <= width and cell.height * points <= height]
    return fitting[-1] if fitting else cells[0]


def _window(size: Size, unit: tuple[int, int]) -> tuple[int, int]:
    """Return the width and height that a widget of a size has for the board, beside its labels."""
    return max(1, size.width - GUTTER) * unit[0], max(1, size.height - HEADER) * unit[1]


@lru_cache(maxsize=4)
def _ground(width: int, frame: RGB) -> Strip:
    """Return a line in the colour of the frame, under pictures: they leave out names that the window cuts."""
    return Strip([Segment(" " * width, Style(bgcolor=Color.from_rgb(*frame)))], width)


def wheel_step(event: events.MouseEvent) -> int:
    """Return the step that the wheel was turned: 1 down or to the right, -1 up or to the left."""
    return 1 if isinstance(event, events.MouseScrollDown | events.MouseScrollRight) else -1


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
    """Moves one board that the terminal shows as a picture.

    Args:
        view: the board.
        cell: the size of a character.
        may_move: returns whether the board glides, or jumps to its new position.
        sync: updates the board in the terminal.
        in_cells: whether it is painted in whole characters.
    """

    def __init__(
        self,
        view: BoardView,
        cell: Cell,
        may_move: Callable[[], bool],
        sync: Callable[[], None],
        *,
        in_cells: bool = False,
    ) -> None:
        self._view = view
        self.cell = cell
        self.in_cells: Final = in_cells
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
        """Return the viewport at the present position of the board."""
        return self._view.viewport.pan(-round(self._offset.right), -round(self._offset.down))

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
            right, down = shortest(after.x - before.x, across), shortest(after.y - before.y, along)
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
            self._view.set_viewport(self._view.viewport.pan(-columns * self.cell.width, -rows * self.cell.height))
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
