"""The panes next to or below the board: the game, the count, the comment, and below them the pane that Tab selects.

In a high window some are shown below it permanently. A pane is created when it first shows, and updated only while it
shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from textual.app import ComposeResult
from textual.containers import Container

from daoqi_tui.engine import BLACK, WHITE, points_text
from daoqi_tui.i18n import _
from daoqi_tui.play.view import View
from daoqi_tui.tui.feature import Remarks, ShownArea, SidePane
from daoqi_tui.tui.fitting import fit_soon
from daoqi_tui.tui.panes.pane import AreaPane, CommentPane, GamePane, GameState, Tally, entitle

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

    def compose(self) -> ComposeResult:
        """Lay out the panes."""
        yield GamePane(id="game")
        yield AreaPane(id="area")
        yield CommentPane(id="comment")
        yield _box(self.side)

    def show(self, view: View, area: ShownArea | None, remarks: Remarks) -> None:
        """Show a view in all panes but the one of the game."""
        self._show_area(area)
        self._show_comment(remarks)
        self._view = view
        self._show_side(view)

    def show_game(self, view: View, unsaved: tuple[str, str] | None, line: str) -> None:
        """Show who is to move, with the clocks, captures and passes.

        Args:
            view: the position.
            unsaved: a mark and the reason if moves are not saved, else None.
            line: the state of an online game's connection, empty for any other game.
        """
        clock, now = view.clock, monotonic()
        self.query_one(GamePane).show(
            GameState(
                view.to_move,
                view.node.number,
                view.players,
                (clock.left(BLACK, now), clock.left(WHITE, now)) if clock is not None else None,
                Tally(*view.captured),
                Tally(*view.suicided),
                Tally(*view.passes),
                view.rules.pass_cost,
                str(view.result) if view.result else "",
                _("{size}×{size}, komi {komi}").format(size=view.torus.size, komi=points_text(view.rules.komi)),
                unsaved,
                line,
            )
        )

    def _show_area(self, shown: ShownArea | None) -> None:
        self.screen.set_class(shown is not None, "-counting")
        if shown is not None:
            pane = self.query_one(AreaPane)
            pane.TITLE = shown.title
            pane.show(shown.area, shown.ahead)

    def _show_comment(self, remarks: Remarks) -> None:
        titled = self.screen.has_class("-wide")
        self.screen.set_class(bool(remarks.text), "-commented")
        self.query_one(CommentPane).show(remarks.text, remarks.title if titled else None, at_end=remarks.at_end)

    def _show_side(self, view: View | None) -> None:
        """Show a view in the visible panes of the side."""
        for pane in (self.side, *self.standing):
            for box in self.query_children(f"#{pane.id}-box"):
                entitle(box, _(pane.title) if self.screen.has_class("-wide") else None)
                widget = next(iter(box.children), None)
                # A pane that is being created is updated when it exists.
                if view is not None and widget is not None and widget.is_running:
                    pane.show(widget, view)

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
        """The panes that Tab cycles through."""
        return tuple(pane for pane in self.offered if pane not in self.standing and self._may_show(pane))

    def _may_show(self, pane: SidePane) -> bool:
        return not pane.helps or self._may_help()

    async def select(self, name: str) -> None:
        """Show another pane, given by its identifier, in the lower part of the side, creating it on first use."""
        pane = next(pane for pane in self.offered if pane.id == name)
        if pane not in self.standing:
            self.side = pane
        await self.fit_side()
        self._show_side(self._view)

    async def turn(self, step: int) -> None:
        """Show the next or the previous of the panes that Tab cycles through."""
        # The selected pane may be a permanent one now: panes are fitted to a larger window only after a refresh.
        chosen, offered, place = self.chosen, self.offered, self.offered.index(self.side)
        ring = (offered[(place + turn * step) % len(offered)] for turn in range(1, len(offered) + 1))
        await self.select(next(pane.id for pane in ring if pane in chosen))

    async def fit_side(self) -> None:
        """Show the panes there is room for, creating them on first use."""
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
    """Return a pane in a frame."""
    return Container(pane.make(), id=f"{pane.id}-box", classes="side")
