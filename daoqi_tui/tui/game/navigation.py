"""Navigation: the cursor and the view on the board, and steps and replay through the game tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.timer import Timer

from daoqi_tui.engine import Torus
from daoqi_tui.i18n import _
from daoqi_tui.play.words import with_keys
from daoqi_tui.tui.board.screen import point_in_view
from daoqi_tui.tui.board.viewport import Viewport

if TYPE_CHECKING:
    from daoqi_tui.record.journal.journal import SavedView
    from daoqi_tui.tui.game.screen import GameScreen

_REST: Final = 1.0
"""Seconds from a pan to writing the view to the journal."""


class Cursor:
    """The cursor on the board of a game screen, with the view around it.

    Attributes:
        point: the point the keyboard plays at.
        hovered: the point under the mouse, None if the keyboard was used last.
    """

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen
        self._view_timer: Timer | None = None
        self.begin()

    def begin(self) -> None:
        """Start in the middle of the board."""
        torus = self._torus
        self.point = torus.point(torus.size // 2, torus.size // 2)
        self.hovered: int | None = None

    @property
    def _torus(self) -> Torus:
        return self._screen.session.game.torus

    @property
    def pointed_at(self) -> int:
        """The point under the mouse, or under the cursor if the keyboard was used last."""
        return self.point if self.hovered is None else self.hovered

    def move(self, right: int, down: int) -> None:
        """Move by points of the view, which may be rotated."""
        orientation = self._screen.board.viewport.orientation
        self.point = self._torus.shift(self.point, *orientation.step_back(down, right))

    def show(self) -> None:
        """Show the cursor, and point with it instead of the mouse."""
        self.hovered = None
        self._screen.show_board()
        self._screen.analysis.pointed()
        self.note_view()

    def centre(self, point: int) -> None:
        """Centre a point in the window, and move the cursor there."""
        self.point = point
        self.look(self._screen.board.viewport.centred_on(*self._torus.position(point)))

    def look(self, viewport: Viewport) -> None:
        """Pan to another part of the board."""
        self._screen.board.set_viewport(viewport)
        self.keep_in_view()
        self.show()

    def keep_in_view(self) -> None:
        """Keep the cursor visible, if a board is visible at all."""
        point = point_in_view(self._screen.board, self.point)
        if point != self.point:
            self.point = point
            self._screen.show_board()

    # The view in the journal

    def note_view(self) -> None:
        """Write the view to the journal after a moment, once for all steps of a pan until then."""
        if self._screen.keeper is not None and self._view_timer is None:
            self._view_timer = self._screen.set_timer(_REST, self._write_view)

    def _write_view(self) -> None:
        from daoqi_tui.record.journal.journal import SavedView  # noqa: PLC0415

        self._view_timer = None
        screen = self._screen
        viewport, home = screen.board.viewport, screen.board.at_home
        cell = viewport.cell.width, viewport.cell.height
        if screen.keeper is not None:
            screen.keeper.write_view(screen.session, SavedView(viewport.x, viewport.y, cell, self.point, home))

    def restore_view(self, view: SavedView) -> None:
        """Restore the last viewed part of the board, with a cell size that fits this window."""
        board = self._screen.board
        viewport = board.viewport
        if view.home:
            board.reset_view()
        else:
            x = view.x * viewport.cell.width // max(1, view.cell[0])
            y = view.y * viewport.cell.height // max(1, view.cell[1])
            board.set_viewport(viewport._replace(x=0, y=0).pan(x, y))
        if view.point is not None:
            self.point = view.point
        self.keep_in_view()
        self._screen.show_board()


_SPEEDS: Final = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1)
"""Seconds between two moves of a replay."""


class Replay:
    """Steps through the game automatically while it is on."""

    def __init__(self, screen: GameScreen) -> None:
        self._screen = screen
        self._timer: Timer | None = None
        self._speed = 2

    @property
    def on(self) -> bool:
        """True if the game is being replayed."""
        return self._timer is not None

    def toggle(self) -> None:
        """Start replaying the game from here, or stop."""
        screen = self._screen
        if self.on:
            self.stop()
            screen.say(_("Replay stopped"))
            return
        match = screen.match
        if match.variations.next_node(match.game.node) is None:
            match.goto(match.session.start)
        if match.variations.next_node(match.game.node) is None:
            screen.say(_("There is nothing to replay yet"))
            return
        self._start()

    def change_speed(self, step: int) -> None:
        """Replay faster or more slowly."""
        self._speed = max(0, min(len(_SPEEDS) - 1, self._speed + step))
        if self.on:
            self.stop()
            self._start()
        self._screen.say(_("Replay: a move every {seconds} s").format(seconds=_SPEEDS[self._speed]))

    def _start(self) -> None:
        self._timer = self._screen.set_interval(_SPEEDS[self._speed], self._step)
        self._screen.say(with_keys(_("Replaying: {replay} stops, {faster} and {slower} change the speed")))

    def _step(self) -> None:
        if not self._screen.match.forward():
            self.stop()
            self._screen.say(_("End of the replay"))

    def stop(self) -> None:
        """Stop replaying."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
