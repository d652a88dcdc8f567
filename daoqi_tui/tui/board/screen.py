"""A screen with a board that is pointed at by mouse: on the board itself, its map or its torus."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from textual import on
from textual.screen import Screen, ScreenResultType

from daoqi_tui.engine import torus_of
from daoqi_tui.play.looks import Options
from daoqi_tui.tui.board.widget import BoardView
from daoqi_tui.tui.look.themes import board_style_for


def point_in_view(board: BoardView, point: int) -> int:
    """Return the point, or the one in the middle of the window where that does not show it."""
    viewport, torus = board.viewport, torus_of(board.viewport.size)
    # Before its first layout a board has no window yet that a point could be outside of.
    if not board.size or board.app.screen.has_class("too-small"):
        return point
    x, y = viewport.place_of(*torus.position(point))
    seen = 0 <= x < viewport.width and 0 <= y < viewport.height
    return point if seen else torus.point(*viewport.middle_point())


class BoardScreen(Screen[ScreenResultType]):
    """Is told of the points of its board.

    A message takes its time from the view of a board to the screen. What points at a board of another size, which was
    shown before, is told to nobody.
    """

    shows_game: ClassVar[bool] = False
    """Whether the game is played here, so that what is to be asked about it may be asked here."""

    @property
    @abstractmethod
    def board_size(self) -> int:
        """The size of the board that the screen is about now."""

    @abstractmethod
    def point_chosen(self, point: int) -> None:
        """Do what a click on a point asks for."""

    def point_recentred(self, point: int) -> None:
        """Bring a point into the middle."""

    @abstractmethod
    def point_hovered(self, point: int | None) -> None:
        """Show what there is to show of the point under the mouse, None beside the board."""

    def set_look(self, board: BoardView, options: Options) -> None:
        """Draw a board in the style, and name its points in the way, that a person likes."""
        look = board_style_for(self.app, options, wide_signs=getattr(self.app, "wide_signs", False))
        board.set_look(palette=look.palette, glyphs=look.glyphs, painted=look.painted, name_style=options.names)

    @on(BoardView.Pointed)
    def _pointed(self, message: BoardView.Pointed) -> None:
        message.stop()
        if message.size != self.board_size:
            return
        match message:
            case BoardView.PointChosen(point=point):
                self.point_chosen(point)
            case BoardView.PointRecentred(point=point):
                self.point_recentred(point)
            case BoardView.PointHovered(point=point):
                self.point_hovered(point)
