"""The pictures of the program: whether its terminal can show them, and which widgets show theirs now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.screen import ModalScreen

from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.graphics import Sixel, Stage
from daoqi_tui.tui.output import pieces_of

if TYPE_CHECKING:
    from textual.app import App
    from textual.widget import Widget

    from daoqi_tui.tui.graphics.shown import Shown
    from daoqi_tui.tui.graphics.sixel import SixelBoard
    from daoqi_tui.tui.panes.torus import TorusView

View: TypeAlias = "BoardView | TorusView"
"""A widget that is shown as pictures where the terminal supports them."""
_LARGEST: Final = 200
"""The largest plausible width or height of a character in pixels; reports of larger ones are ignored."""


class Pictures:
    """Gives each widget that supports them its pictures, as long as the terminal shows any.

    Args:
        app: the app.
        write: sends text to the terminal.
        rewrite: has the characters of a region of the screen written again, whatever they replace.

    Attributes:
        cell: the size of a character in pixels; None if no pictures can be shown.
        wanted: the value of the setting ``display.graphics``.
        motion: whether animation is allowed.
        shown: the pictures of each widget that has any.
        painters: those of them that characters replace.
    """

    def __init__(self, app: App[Any], write: Callable[[str], None], rewrite: Callable[[Region], None]) -> None:
        self._app = app
        self.write = write
        self._rewrite = rewrite
        self.shown: dict[View, Shown] = {}
        self._stages: dict[View, Stage] = {}
        self.painters: dict[View, SixelBoard] = {}
        self._views: set[View] = set()
        self._numbers = count(1)
        self.cell: tuple[int, int] | None = None
        self._sixel: Sixel | None = None
        self._by_itself = True
        self._edits = False
        self.wanted = "auto"
        self.motion = True

    def found(
        self,
        cell: tuple[int, int] | None,
        sixel: Sixel | None = None,
        *,
        by_itself: bool = True,
        edits: bool = False,
    ) -> None:
        """Show pictures with characters of this size from now on; None shows none.

        Args:
            cell: the size of a character in pixels.
            sixel: the terminal's limits for Sixel pictures; None if it supports the kitty graphics protocol.
            by_itself: whether the setting ``auto`` shows pictures.
            edits: whether the terminal edits pictures that it holds.
        """
        if cell is not None and not (1 <= cell[0] <= _LARGEST and 1 <= cell[1] <= _LARGEST):
            cell = None
        if (cell, sixel, by_itself, edits) != (self.cell, self._sixel, self._by_itself, self._edits):
            self.cell, self._sixel, self._by_itself, self._edits = cell, sixel, by_itself, edits
            self.renew()

    def renew(self) -> None:
        """Redraw everything: the terminal, its characters, or the user's choice has changed."""
        for view in list(self._views):
            self._drop(view)
            self._give(view)
            view.redraw()
        self.sync()

    def add(self, view: View) -> None:
        self._views.add(view)
        self._give(view)

    def remove(self, view: View) -> None:
        self._views.discard(view)
        self._drop(view)

    def sync(self) -> None:
        """Update all pictures in the terminal; called after each frame."""
        seen = _screens_seen(self._app)
        for view, shown in self.shown.items():
            if view.is_attached and view.screen in seen:
                shown.sync(_largest(_covers(view, self._app)), shaded=_is_shaded(view, self._app))
            else:
                shown.hide()

    def close(self) -> None:
        """Free the terminal's memory, and show characters until the terminal is queried again."""
        self.cell = None
        for view in list(self._views):
            self._drop(view)
            view.redraw()

    def resized(self) -> None:
        """Query the size of a character again, since another font may have changed it."""
        measure = getattr(self._app._driver, "measure", None)  # noqa: SLF001
        if self.cell is not None and measure is not None:
            measure()

    def _give(self, view: View) -> None:
        if self.cell is None or self._app.no_color or self.wanted not in self._offered():
            return
        # What draws is imported here, so that only terminals with pictures wait the tenth of a second that numpy and
        # fonts take.
        if self._sixel is not None:
            if isinstance(view, BoardView):
                from daoqi_tui.tui.graphics.sixel import Paints, SixelBoard  # noqa: PLC0415

                painter = SixelBoard(view, Paints(self.write, self._rewrite, self.ready, self.cell, self._sixel))
                self.shown[view] = self.painters[view] = painter
                view.show_pictures(painter.motion)
            return
        from daoqi_tui.tui.graphics.shown import Canvas  # noqa: PLC0415

        stack = self._app.screen_stack
        depth = stack.index(view.screen) if view.screen in stack else 0
        stage = Stage(self.write, lambda: next(self._numbers), edits=self._edits, freed=self._freed)
        self._stages[view] = stage
        canvas = Canvas(stage, self.cell, depth, lambda: self.motion, self.ready)
        if isinstance(view, BoardView):
            from daoqi_tui.tui.graphics.board import PixelBoard  # noqa: PLC0415

            self.shown[view] = board = PixelBoard(view, canvas)
            view.show_pictures(board.motion)
        else:
            from daoqi_tui.tui.graphics.torus import PixelTorus  # noqa: PLC0415

            self.shown[view] = torus = PixelTorus(view, canvas)
            view.show_pictures(torus)

    def _drop(self, view: View) -> None:
        shown = self.shown.pop(view, None)
        if shown is not None:
            self._stages.pop(view, None)
            self.painters.pop(view, None)
            shown.close()
        view.show_pictures(None)

    def _offered(self) -> tuple[str, ...]:
        """Return the values of the setting for which the pictures that the terminal supports are shown."""
        named = "kitty" if self._sixel is None else "sixel"
        return (named, "auto") if self._by_itself else (named,)

    def written(self, areas: Iterable[Region]) -> None:
        """Tell the painters where a frame writes characters."""
        areas = list(areas)
        for painter in self.painters.values():
            painter.written(areas)

    def _freed(self) -> None:
        for stage in self._stages.values():
            stage.lose()

    def ready(self) -> bool:
        """Return whether the terminal has taken all output; while it has not, more would only add to the delay."""
        driver = self._app._driver  # noqa: SLF001
        return not getattr(driver, "behind", False)


def areas_of(frame: object, app: App[Any]) -> Iterator[Region]:
    """Yield the regions in which a frame of Textual's writes characters."""
    match frame:
        case None:
            return
        case LayoutUpdate(region=region):
            yield region
        case ChopsUpdate():
            for x, y, strip in pieces_of(frame) or ():
                yield Region(x, y, strip.cell_length, 1)
        case _:
            yield app.size.region


def _covers(view: Widget, app: App[Any]) -> Iterator[Region]:
    """Return the regions that cover a widget: dialogs, menus, notifications."""
    region = view.region
    stack = app.screen_stack
    for screen in stack[stack.index(view.screen) :]:
        # The visible widgets, the uppermost first; Textual has no public list of them.
        for widget, geometry in screen._compositor.layers:  # noqa: SLF001
            if widget is view:
                break
            styles = widget.styles
            if widget is screen or (widget.children and not (styles.background.a or styles.border.spacing.width)):
                # A container without a background or border is transparent.
                continue
            if cover := geometry.visible_region.intersection(region):
                yield cover


def _largest(covers: Iterable[Region]) -> list[Region]:
    """Return the covers that lie in no other: each one cuts every picture below it into up to four."""
    found: list[Region] = []
    for cover in sorted(covers, key=lambda region: region.area, reverse=True):
        if not any(other.contains_region(cover) for other in found):
            found.append(cover)
    return found


def _is_shaded(view: Widget, app: App[Any]) -> bool:
    """Return whether a dialog dims the screen of a widget; some leave it as it is, to show what they change."""
    stack = app.screen_stack
    return any(screen.styles.background.a for screen in stack[stack.index(view.screen) + 1 :])


def _screens_seen(app: App[Any]) -> set[Any]:
    """Return the visible screens: the uppermost, and each one below a dialog."""
    seen = set()
    for screen in reversed(app.screen_stack):
        seen.add(screen)
        if not isinstance(screen, ModalScreen):
            break
    return seen
