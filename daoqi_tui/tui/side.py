"""The panes next to or below the board: the game, the count, the comment, and below them the pane that Tab selects.

In a high window some are shown below it permanently. A pane is created when it first shows, and updated only while it
shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Container

from daoqi_tui.i18n import _
from daoqi_tui.play.match import View
from daoqi_tui.tui.feature import Remarks, ShownArea, SidePane
from daoqi_tui.tui.fitting import fit_soon
from daoqi_tui.tui.panes import AreaPane, CommentPane, GamePane, entitle

LONGEST_COMMENT: Final = 20_000
"""The maximum number of characters of a comment that are shown: millions would take minutes to wrap."""


class Panes(Container):
    """The panes of a game screen.

    Args:
        offered: the panes of the side, in the order in which Tab selects them.
        may_help: returns whether panes that help a player may be shown.

    Attributes:
        offered: the panes of the side, in the order in which Tab selects them.
        side: the pane chosen for the side's lower part.
    """

    def __init__(self, offered: Sequence[SidePane], may_help: Callable[[], bool]) -> None:
        super().__init__(id="panes")
        self.offered = tuple(offered)
        self._may_help = may_help
        self.side = self.offered[0]
        self._view: View | None = None
        self._said: tuple[Remarks, bool] | None = None

    def compose(self) -> ComposeResult:
        yield GamePane(id="game")
        yield AreaPane(id="area")
        yield CommentPane(id="comment")
        yield _box(self.side)

    def show(self, view: View, area: ShownArea | None, remarks: Remarks) -> None:
        screen = self.screen
        screen.set_class(area is not None, "-counting")
        screen.set_class(bool(remarks.text), "-commented")
        if area is not None:
            pane = self.query_one(AreaPane)
            pane.TITLE = area.title
            pane.show(area.area, area.ahead)
        if (said := (remarks, screen.has_class("-wide"))) != self._said:
            self._said = said
            title = remarks.title if said[1] else None
            self.query_one(CommentPane).show(remarks.text, title, at_end=remarks.at_end)
        self._view = view
        self._show_side()

    def _show_side(self) -> None:
        for pane in self.offered:
            for box in self.query_children(f"#{pane.id}-box"):
                widget = next(iter(box.children), None)
                if box.display:
                    entitle(box, _(pane.title) if self.screen.has_class("-wide") else None)
                    # A pane that is being created is updated when it exists.
                    if self._view is not None and widget is not None and widget.is_running:
                        pane.show(widget, self._view)

    @property
    def standing(self) -> tuple[SidePane, ...]:
        """The panes that are always shown below the selected one because there is room."""
        if not self.screen.has_class("-wide"):
            return ()
        height = self.screen.size.height
        panes = sorted(self.offered, key=lambda pane: pane.stands_from)
        return tuple(pane for pane in panes if 0 < pane.stands_from <= height and self._may_show(pane))

    @property
    def chosen(self) -> tuple[SidePane, ...]:
        return tuple(pane for pane in self.offered if pane not in self.standing and self._may_show(pane))

    def _may_show(self, pane: SidePane) -> bool:
        return not pane.helps or self._may_help()

    async def select(self, name: str) -> None:
        """Show another pane, given by its identifier, in the lower part of the side, creating it on first use."""
        pane = next(pane for pane in self.offered if pane.id == name)
        if pane not in self.standing:
            self.side = pane
        await self.fit_side()
        self._show_side()

    async def turn(self, step: int) -> None:
        # The selected pane may be a permanent one now: panes are fitted to a larger window only after a refresh.
        chosen, offered, place = self.chosen, self.offered, self.offered.index(self.side)
        ring = (offered[(place + turn * step) % len(offered)] for turn in range(1, len(offered) + 1))
        await self.select(next(pane.id for pane in ring if pane in chosen))

    async def fit_side(self) -> None:
        if not self.is_attached:
            return
        standing = self.standing
        if self.side in standing or not self._may_show(self.side):
            self.side = self.offered[0]
        for pane in (self.side, *standing):
            # Queried each time: a key may create the pane while another one is being mounted.
            if not self.query_children(f"#{pane.id}-box"):
                await self.mount(_box(pane))
                # Before its first layout it has no size that its contents could fit.
                fit_soon(self.screen)
        boxes = {box.id: box for box in self.query_children(".side")}
        standing = tuple(pane for pane in self.standing if f"{pane.id}-box" in boxes)
        below = [boxes[f"{pane.id}-box"] for pane in standing]
        if list(self.children)[len(self.children) - len(below) :] != below:
            for box in below:
                if self.children[-1] is not box:
                    self.move_child(box, after=-1)
        for pane in self.offered:
            if (shown := boxes.get(f"{pane.id}-box")) is not None:
                shown.display = pane is self.side or pane in standing
                shown.set_class(pane in standing, "-standing")


def _box(pane: SidePane) -> Container:
    return Container(pane.make(), id=f"{pane.id}-box", classes="side")
