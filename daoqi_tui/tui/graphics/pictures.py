"""The pictures of a program: whether its terminal has any, and which widgets show theirs now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, runtime_checkable

from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.screen import ModalScreen

if TYPE_CHECKING:
    from textual.app import App
    from textual.widget import Widget

    from daoqi_tui.tui.graphics.kitty import Stage
    from daoqi_tui.tui.graphics.sixel import Sixel
    from daoqi_tui.tui.graphics.still import Paints, StillBoard

_LARGEST: Final = 200
"""Pixels of a character; what claims to be larger is not believed."""


class Shown(Protocol):
    """The pictures of one widget."""

    def sync(self, covers: Sequence[Region] | None = None, *, shaded: bool | None = None) -> None:
        """Have the terminal show the widget as it is now, less what lies over it, darker below a dialog."""

    def hide(self) -> None:
        """Take the widget off the screen until it is seen again."""

    def close(self) -> None:
        """Take the widget off the screen, and its pictures out of the terminal's memory."""


class Means(NamedTuple):
    """What pictures are shown with.

    Attributes:
        stage: the terminal's pictures.
        cell: the size of a character in pixels.
        depth: how many screens lie below the widget's own.
        may_move: whether anything may glide.
        ready: whether the terminal has taken all that was written to it.
    """

    stage: Stage
    cell: tuple[int, int]
    depth: int
    may_move: Callable[[], bool]
    ready: Callable[[], bool]


class Pictured(Protocol):
    """A widget that is shown as pictures where the terminal can."""

    def show_pictures(self, means: Means) -> Shown:
        """Draw pictures from now on."""

    def show_characters(self) -> None:
        """Draw characters from now on."""

    def redraw(self) -> None:
        """Draw everything anew."""


@runtime_checkable
class Painted(Protocol):
    """A widget of which a picture can be painted over its characters."""

    def paint(self, paints: Paints) -> StillBoard:
        """Draw characters, and paint a picture over them, from now on."""


class Pictures:
    """Gives each widget that can have them its pictures, as long as the terminal shows any.

    Attributes:
        cell: the size of a character in pixels; None if no pictures can be shown.
        wanted: which pictures the person wants, as the setting ``display.graphics`` has it.
        motion: whether anything may glide.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self.write: Callable[[str], None] = self._write_to_driver
        self._shown: dict[Any, Shown] = {}
        self._stages: dict[Any, Stage] = {}
        self._painted: dict[Any, StillBoard] = {}
        self._views: set[Any] = set()
        self._numbers = count(1)
        self.cell: tuple[int, int] | None = None
        self._sixel: Sixel | None = None
        self._by_itself = True
        self.wanted = "auto"
        self.motion = True

    def found(self, cell: tuple[int, int] | None, sixel: Sixel | None = None, *, by_itself: bool = True) -> None:
        """Show pictures with characters of this size from now on; None shows none.

        Args:
            cell: the size of a character in pixels.
            sixel: what Sixel pictures the terminal shows; None if it speaks the kitty graphics protocol.
            by_itself: whether pictures are shown where the person has not asked for them.
        """
        if cell is not None and not (1 <= cell[0] <= _LARGEST and 1 <= cell[1] <= _LARGEST):
            cell = None
        if (cell, sixel, by_itself) != (self.cell, self._sixel, self._by_itself):
            self.cell, self._sixel, self._by_itself = cell, sixel, by_itself
            self.renew()

    def renew(self) -> None:
        """Redraw everything: the terminal, its characters, or the user's choice has changed."""
        for view in list(self._views):
            self._drop(view)
            self._give(view)
            view.redraw()
        self.sync()

    def add(self, view: Pictured) -> None:
        """Let a widget that has come onto a screen show pictures."""
        self._views.add(view)
        self._give(view)

    def remove(self, view: Pictured) -> None:
        """Take away the pictures of a widget that goes."""
        self._views.discard(view)
        self._drop(view)

    def sync(self) -> None:
        """Have the terminal show what is to be seen: called after each frame."""
        if not self._shown:
            return
        seen = _screens_seen(self._app)
        for view, shown in self._shown.items():
            if view.is_attached and view.screen in seen:
                shown.sync(list(_covers(view, self._app)), shaded=view.screen is not self._app.screen)
            else:
                shown.hide()

    def close(self) -> None:
        """Free the terminal's memory, and show characters until the terminal is asked again."""
        self.cell = None
        for view in list(self._views):
            self._drop(view)
            view.redraw()

    def resized(self) -> None:
        """Ask for the size of a character again, which another font has changed."""
        measure = getattr(self._app._driver, "measure", None)  # noqa: SLF001
        if self.cell is not None and measure is not None:
            measure()

    def _give(self, view: Any) -> None:  # noqa: ANN401 (a widget that is Pictured; Python has no such type)
        if self.cell is None or self._app.no_color or self.wanted not in self._offered():
            return
        if self._sixel is not None:
            if isinstance(view, Painted):
                from daoqi_tui.tui.graphics.still import Paints  # noqa: PLC0415

                painted = view.paint(Paints(self.write, self.ready, self.cell, self._sixel))
                self._shown[view] = self._painted[view] = painted
            return
        # Only terminals with pictures have to wait for it.
        from daoqi_tui.tui.graphics.kitty import Stage  # noqa: PLC0415

        stack = self._app.screen_stack
        depth = stack.index(view.screen) if view.screen in stack else 0
        self._stages[view] = stage = Stage(self.write, lambda: next(self._numbers), self._freed)
        self._shown[view] = view.show_pictures(Means(stage, self.cell, depth, lambda: self.motion, self.ready))

    def _drop(self, view: Any) -> None:  # noqa: ANN401
        shown = self._shown.pop(view, None)
        if shown is not None:
            self._stages.pop(view, None)
            self._painted.pop(view, None)
            shown.close()
        view.show_characters()

    def _offered(self) -> tuple[str, ...]:
        """What the person may want to be shown the pictures that the terminal has."""
        named = "kitty" if self._sixel is None else "sixel"
        return (named, "auto") if self._by_itself else (named,)

    def written(self, frame: object) -> None:
        """Take note of a frame that is written to the screen: what was painted where it is written is gone."""
        if self._painted:
            areas = list(areas_of(frame, self._app))
            for painted in self._painted.values():
                painted.written(areas)

    def _freed(self) -> None:
        for stage in self._stages.values():
            stage.lose()

    def _write_to_driver(self, text: str) -> None:
        driver = self._app._driver  # noqa: SLF001 (Textual has no public way to write between frames)
        if driver is not None:
            driver.write(text)
            driver.flush()

    def ready(self) -> bool:
        """True if the terminal has taken all that was written to it; what it has not would only delay what is new."""
        driver = self._app._driver  # noqa: SLF001
        return not getattr(driver, "behind", False)


def areas_of(frame: object, app: App[Any]) -> Iterator[Region]:
    """Yield where a frame of Textual's writes characters."""
    match frame:
        case None:
            return
        case LayoutUpdate(region=region):
            yield region
        case ChopsUpdate(spans=spans, chops=chops, chop_ends=ends):
            for y, left, right in spans:
                for end, (x, strip) in zip(ends[y], chops[y].items(), strict=False):
                    # As it writes them: what begins before a span is written from where it begins.
                    if strip is not None and x <= right and end > left:
                        yield Region(x, y, min(end, right) - x, 1)
        case _:
            yield app.size.region


def _covers(view: Widget, app: App[Any]) -> Iterator[Region]:
    """Return the regions that cover a widget: dialogs, menus, notifications."""
    region = view.region
    stack = app.screen_stack
    for screen in stack[stack.index(view.screen) :]:
        # Textual has no public list of what is drawn where, the uppermost first.
        for widget, geometry in screen._compositor.layers:  # noqa: SLF001
            if widget is view:
                break
            styles = widget.styles
            if widget is screen or (widget.children and not (styles.background.a or styles.border.spacing.width)):
                # A mere container is seen through.
                continue
            if cover := geometry.visible_region.intersection(region):
                yield cover


def _screens_seen(app: App[Any]) -> set[Any]:
    """The screens of which anything is seen: the uppermost, and below it as far as dialogs go."""
    seen = set()
    for screen in reversed(app.screen_stack):
        seen.add(screen)
        if not isinstance(screen, ModalScreen):
            break
    return seen
