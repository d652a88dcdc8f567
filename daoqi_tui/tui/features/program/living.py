"""The game behind the welcome: stones appear, the board drifts across its seams, and bends once into the torus.

This module needs numpy, and reads a record: it is imported once the welcome is on the screen.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from textual.app import ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from daoqi_tui.paths import assets_folder
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.record import load
from daoqi_tui.tui.access import is_far
from daoqi_tui.tui.board import BoardView
from daoqi_tui.tui.look import Options
from daoqi_tui.tui.panes.torus import TorusView

STEP: Final = 0.2
"""Seconds between two steps; each moves the board by a character."""
_FINE: Final = 4
"""Of a board in pixels a step is drawn as so many, each a part of a character."""
_DOWN: Final = 4
"""Steps to the right for one down, so that both seams are crossed."""
_MOVE: Final = 2
"""Steps between two moves of the game."""
BEND: Final = 60
"""The step at which the board begins to bend, with enough stones on it to be seen turning."""
TURN: Final = 40
"""Steps for which it stays a torus."""
_STILL_AT: Final = 60
"""The move that is shown where nothing moves."""
_TORUS_FRAME: Final = 1 / 10
_MOST_BEHIND: Final = 10
"""Steps in a row that a terminal may miss before the game stands still."""


class Position(NamedTuple):
    """What the board shows after a move: its stones, and the point of the move, None for a pass."""

    stones: bytes
    last: int | None


class SampleGame(NamedTuple):
    """A game that is shown: the size of its board, and its positions, the empty board first."""

    size: int
    positions: tuple[Position, ...]


def sample_game() -> SampleGame:
    """Read the sample game."""
    game = load((assets_folder() / "sample.sgf").read_bytes()).game
    positions = [Position(bytes(len(game.board.colours)), None)]
    for node in game.root.line():
        game.goto(node)
        move = node.move
        positions.append(Position(bytes(game.board.colours), None if move is None or move.is_pass else move.point))
    return SampleGame(game.torus.size, tuple(positions))


class LivingBoard(Widget):
    """Replays a game on a board that drifts, and bends into the torus once; it ends with the game.

    It takes no keys, and its screen passes no mouse events to it.

    Args:
        game: the game.
        options: the look of the board.

    Attributes:
        board: the flat board.
        torus: the torus, which is displayed instead of it for a while.
        moving: whether more steps follow.
    """

    can_focus = False
    DEFAULT_CSS = """
    LivingBoard { layer: game; dock: top; width: 100%; height: 100%; layout: vertical; }
    """

    def __init__(self, game: SampleGame, options: Options) -> None:
        super().__init__()
        self._game, self._options = game, options
        self.board = BoardView(game.size, centred=True)
        self.torus = TorusView(frame=_TORUS_FRAME)
        self.torus.display = False
        self.moving = False
        self._parts = self._steps = 0
        """The steps of the flat board, and the parts of a step."""
        self._turned = 0
        """The steps as a torus."""
        self._behind = 0
        """The last steps that the terminal has missed."""
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self.board
        yield self.torus

    def on_mount(self) -> None:
        self.board.use_options(self._options)
        if self._may_move():
            self.moving = True
            self._timer = self.set_interval(STEP / _FINE, self._part, pause=self.app.is_headless)
        else:
            self._show(_STILL_AT)

    def _may_move(self) -> bool:
        """Return whether a moving picture suits the terminal and the line to it."""
        app = self.app
        colours = not app.no_color and app.console.color_system in ("truecolor", "256")
        return colours and not (getattr(app, "still", False) or is_far(app))

    def stop(self) -> None:
        """Stand still from now on."""
        self.moving = False
        if self._timer is not None:
            self._timer.stop()
        self.torus.set_turning(turning=False)

    def _part(self) -> None:
        """Take a step, or the part of one that a board in pixels shows."""
        if not (self.moving and self.screen.is_current):
            return
        self._parts = (self._parts + 1) % _FINE
        if not self._parts:
            self.step()
        pixels = self.board.pixels
        if pixels is not None and self._flows and self._ready:
            width, height = pixels.cell
            pixels.move_by(-width / _FINE, -height / (_FINE * _DOWN))

    @property
    def _ready(self) -> bool:
        """True if the terminal has taken all output."""
        return not getattr(self.app._driver, "behind", False)  # noqa: SLF001 (there is no public way)

    @property
    def _flows(self) -> bool:
        """True if the board drifts and bends: one in Sixel would be sent as a whole again at each step."""
        pictures = getattr(self.app, "pictures", None)
        return self.board.display and (pictures is None or self.board not in pictures.painters)

    def step(self) -> None:
        """Go on by one step, unless the terminal has not taken the one before."""
        if not self._ready:
            self._behind += 1
            if self._behind == _MOST_BEHIND:
                self.stop()
                self._flatten()
            return
        self._behind = 0
        if self.torus.display:
            if not self.torus.bending:
                self._turned += 1
                if self._turned == TURN:
                    self.torus.unbend()
            return
        self._steps += 1
        if not self._steps % _MOVE:
            self._show(self._steps // _MOVE)
        if self._steps // _MOVE == len(self._game.positions) - 1:
            self.stop()
        elif self._flows and self._steps == BEND:
            self._bend()
        elif self._flows and self.board.pixels is None:
            self.board.set_viewport(self.board.viewport.pan(1, int(not self._steps % _DOWN)))

    def _show(self, move: int) -> None:
        stones, last = self._game.positions[move]
        self.board.show_picture(Picture(self._game.size, stones, last))

    def _bend(self) -> None:
        self.torus.display, self.board.display = True, False
        self.torus.follow(self.board)
        if (last := self.board.shown.last) is not None:
            self.torus.face(last)
        self.torus.bend()

    def on_torus_view_unbent(self, message: TorusView.Unbent) -> None:
        message.stop()
        self._flatten()

    def _flatten(self) -> None:
        self.torus.display, self.board.display = False, True
