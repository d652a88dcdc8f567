"""Moving over the board: panning, the cursor, the size of the cells."""

from __future__ import annotations

from typing import Final

from daoqi_tui.i18n import _
from daoqi_tui.tui.screens.base import GameBase
from daoqi_tui.tui.side_panes import SIDE_PANES
from daoqi_tui.tui.viewport import CELLS, Viewport
from daoqi_tui.tui.widgets.board import BoardView

_STEPS: Final = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


class ViewActions(GameBase):
    """Actions that change what is seen, never the game."""

    def action_pan(self, direction: str, points: int = 1) -> None:
        """Move the window over the board; the cursor keeps its place on the screen."""
        right, down = _STEPS[direction]
        self._move_cursor(down * points, right * points)
        self.board.set_viewport(self.board.viewport.pan_points(right * points, down * points))
        self._pointed_by_key()

    def action_cursor(self, direction: str) -> None:
        """Move the cursor over the board; the window follows at its edge."""
        torus = self.session.game.torus
        right, down = _STEPS[direction]
        viewport = self.board.viewport
        middle_x, middle_y = viewport.cell.middle
        x, y = viewport.place_of(*torus.position(self.cursor_point))
        x, y = x + right * viewport.cell.width, y + down * viewport.cell.height
        self._move_cursor(down, right)
        across, along = viewport.bright_columns, viewport.bright_rows
        if right and not across.start <= x - middle_x <= across.end - viewport.cell.width:
            viewport = viewport.pan_points(right, 0)
        if down and not along.start <= y - middle_y <= along.end - viewport.cell.height:
            viewport = viewport.pan_points(0, down)
        self.board.set_viewport(viewport)
        self._pointed_by_key()

    def _move_cursor(self, down: int, right: int) -> None:
        """Move the cursor as the view has it, which may be turned."""
        torus = self.session.game.torus
        self.cursor_point = torus.shift(self.cursor_point, *self.board.viewport.orientation.step_back(down, right))

    def _pointed_by_key(self) -> None:
        self.hovered = None
        self.show_board()
        self.note_view()

    def action_centre_last(self) -> None:
        """Bring the last move into the middle."""
        point = self.last_point
        if point is None:
            self.say(_("There is no last stone to centre"))
            return
        self.centre(point)

    def centre(self, point: int) -> None:
        """Bring a point into the middle of the window, the cursor with it."""
        self.cursor_point = point
        self._look(self.board.viewport.centred_on(*self.session.game.torus.position(point)))

    def action_origin(self) -> None:
        """Show the board as it was before any panning."""
        self._look(self.board.viewport.at_origin())

    def action_follow(self) -> None:
        """Keep the last move in the middle, or stop doing so."""
        self.options = self.options._replace(follow=not self.options.follow)
        self.show_position()
        self.say(_("Following the last move") if self.options.follow else _("No longer following the last move"))

    def action_zoom(self, step: int) -> None:
        """Draw the board larger or smaller."""
        viewport = self.board.viewport
        place = CELLS.index(viewport.cell) + step
        if not 0 <= place < len(CELLS):
            self.say(_("This is the largest size") if step > 0 else _("This is the smallest size"))
            return
        self.board.set_cell(CELLS[place])
        self.keep_cursor_in_view()

    async def action_side(self, step: int) -> None:
        """Show the next or the previous of the panes at the side."""
        place = SIDE_PANES.index(self.side) + step
        await self.show_side(SIDE_PANES[place % len(SIDE_PANES)])

    def _look(self, viewport: Viewport) -> None:
        self.board.set_viewport(viewport)
        self.keep_cursor_in_view()
        self._pointed_by_key()

    def on_board_view_resized(self, message: BoardView.Resized) -> None:
        """Keep the cursor in a window of another size."""
        message.stop()
        self.keep_cursor_in_view()

    def on_board_view_panned(self, message: BoardView.Panned) -> None:
        """Keep the cursor in the window that the mouse moved."""
        message.stop()
        self.keep_cursor_in_view()
        self.note_view()

    def on_board_view_point_recentred(self, message: BoardView.PointRecentred) -> None:
        """Centre a point clicked with the right button."""
        message.stop()
        self.centre(message.point)

    def on_board_view_point_hovered(self, message: BoardView.PointHovered) -> None:
        """Show the ghost of a stone, or the chain, under the mouse."""
        message.stop()
        self.hovered = message.point
        self.show_board()
