"""What all pictures of widgets have in common: when they are drawn, what covers them, and how they end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from textual.geometry import Region
from textual.timer import Timer
from textual.widget import Widget

from daoqi_tui.pictures.palettes import RGB
from daoqi_tui.pictures.raster import sheet
from daoqi_tui.tui.graphics import Placement, Stage

AGAIN: Final = 1 / 60
"""Seconds until the next attempt after the terminal was busy."""
SHADE: Final = 0.45
"""The share of the background in pictures below a dialog."""
LEVELS: Final = 5
"""The number of levels of a widget: the board, the marks of a chain, the cursor, the light, and a shade over all."""


class Shown:
    """The pictures of one widget.

    Args:
        view: the widget; its cells stay empty.
        ready: returns whether the terminal has taken all output.

    Attributes:
        covers: the regions that cover the widget, in characters of the screen.
        shaded: whether a dialog lies over the widget's screen.
    """

    def __init__(self, view: Widget, ready: Callable[[], bool]) -> None:
        self._view = view
        self._ready = ready
        self.covers: Sequence[Region] = ()
        self.shaded = False
        self._hidden = False
        """True if the widget is not shown: another screen covers it, or it has been closed."""
        self._waiting: Timer | None = None

    def draw(self) -> None:
        """Update the terminal, which has taken all output."""
        raise NotImplementedError

    def erase(self) -> None:
        """Take the widget off the screen."""
        raise NotImplementedError

    def free(self) -> None:
        """Take the widget off the screen, and its pictures out of the terminal's memory."""
        raise NotImplementedError

    def sync(self, covers: Sequence[Region] | None = None, *, shaded: bool | None = None) -> None:
        """Update the widget in the terminal, or later in one step if that is busy with earlier output.

        Args:
            covers: the regions that cover the widget, which is visible again; unchanged by default.
            shaded: whether a dialog lies over the widget's screen; unchanged by default.
        """
        if covers is not None:
            self.covers, self._hidden = covers, False
        if shaded is not None:
            self.shaded = shaded
        view = self._view
        if self._hidden:
            return
        if not (view.is_attached and view.display and view.region):
            self.hide()
        elif self._ready():
            self.draw()
        else:
            self.again()

    def again(self, seconds: float = AGAIN) -> None:
        """Call :meth:`sync` again after some seconds; all changes until then are shown in one step."""
        if self._waiting is None:
            self._waiting = self._view.set_timer(seconds, self._try_again)

    def _try_again(self) -> None:
        self._waiting = None
        self.sync()

    def hide(self) -> None:
        """Take the widget off the screen until it is visible again."""
        self._hidden = True
        self.erase()

    def close(self) -> None:
        # A pending attempt must not send them again.
        self._hidden = True
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        self.free()


class Canvas(NamedTuple):
    """The means by which a widget shows pictures.

    Attributes:
        stage: the widget's pictures in the terminal.
        cell: the size of a character in pixels.
        depth: the number of screens below the widget's own.
        may_move: returns whether animation is allowed.
        ready: returns whether the terminal has taken all output.
    """

    stage: Stage
    cell: tuple[int, int]
    depth: int
    may_move: Callable[[], bool]
    ready: Callable[[], bool]

    @property
    def level(self) -> int:
        """The lowest of the levels of the widget's pictures: above those of the screens below."""
        return LEVELS * self.depth

    def show(self, placements: Iterable[Placement], covers: Sequence[Region]) -> None:
        """Show these placements and no others, without their parts under ``covers``, in characters of the screen."""
        self.stage.show(uncovered(placements, covers, self.cell), self.cell)

    def shade(self, region: Region, colour: RGB, level: int) -> Placement:
        """Return a translucent sheet over a region, in characters of the screen."""
        (width, height), (x, y) = self.cell, region.offset
        size = region.width * width, region.height * height
        image = self.stage.image(("shade", size, colour), lambda: sheet(*size, colour, SHADE))
        return Placement(image, 0, 0, *size, x * width, y * height, level)


def uncovered(placements: Iterable[Placement], covers: Sequence[Region], cell: tuple[int, int]) -> Iterator[Placement]:
    """Yield placements without the parts under ``covers`` (in characters of the screen), which they would hide."""
    width, height = cell
    areas = [(each.x * width, each.y * height, each.right * width, each.bottom * height) for each in covers]
    for placement in placements:
        parts = [placement]
        for area in areas:
            parts = [rest for part in parts for rest in _without(part, area, cell)]
        yield from parts


def _without(placement: Placement, cover: tuple[int, int, int, int], cell: tuple[int, int]) -> Iterator[Placement]:
    """Yield the parts of a placement outside a rectangle of the screen (left, top, right, bottom, in pixels)."""
    left, top, columns, rows = placement.left, placement.top, placement.columns, placement.rows
    width, height = (columns * cell[0], rows * cell[1]) if columns else (placement.width, placement.height)
    right, bottom = left + width, top + height
    inner_left, inner_top = max(left, cover[0]), max(top, cover[1])
    inner_right, inner_bottom = min(right, cover[2]), min(bottom, cover[3])
    if inner_left >= inner_right or inner_top >= inner_bottom:
        yield placement
        return
    parts = (
        (left, top, right, inner_top),
        (left, inner_top, inner_left, inner_bottom),
        (inner_right, inner_top, right, inner_bottom),
        (left, inner_bottom, right, bottom),
    )
    for begin, above, end, below in parts:
        if begin < end and above < below:
            yield placement._replace(
                x=placement.x + (begin - left) * placement.width // width,
                y=placement.y + (above - top) * placement.height // height,
                width=(end - begin) * placement.width // width,
                height=(below - above) * placement.height // height,
                left=begin,
                top=above,
                columns=(end - begin) // cell[0] if columns else 0,
                rows=(below - above) // cell[1] if columns else 0,
            )
