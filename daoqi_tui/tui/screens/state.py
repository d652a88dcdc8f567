"""What the game screen knows: the session, where the person looks, and what is on."""

from __future__ import annotations

from typing import Any, Final

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from daoqi_tui.engine import Area, Node, TwoPasses
from daoqi_tui.tui.options import Options
from daoqi_tui.tui.session import Session
from daoqi_tui.tui.side_panes import SIDE_PANES
from daoqi_tui.tui.stone_sign import StoneSigns
from daoqi_tui.tui.widgets.board import BoardView
from daoqi_tui.tui.widgets.comment import CommentPane
from daoqi_tui.tui.widgets.hints import HintBar
from daoqi_tui.tui.widgets.panes import AreaPane, CapturesPane, PassesPane, TurnPane

WIDE: Final = 100
"""From this many columns on the panes stand beside the board."""
HIGH: Final = 20
"""From this many rows on there is room for everything."""


class GameState(Screen[Any]):
    """State of the game screen and what is laid out on it."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-middling"), (WIDE, "-wide")]  # noqa: RUF012 (Textual's form)
    VERTICAL_BREAKPOINTS = [(0, "-low"), (HIGH, "-high")]  # noqa: RUF012 (Textual's form)

    # Children cover the whole screen; as a blank it costs a pan nothing.
    BLANK = True

    def __init__(self, session: Session, options: Options, window: tuple[int, int]) -> None:
        """Make the screen of a session for a window of so many columns and rows."""
        # Textual sets these classes after the first layout, and would style every widget anew for each.
        steps = zip(window, (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS), strict=True)
        super().__init__(
            classes=" ".join([name for least, name in names if length >= least][-1] for length, names in steps)
        )
        self.session = session
        self.options = options
        self.board = BoardView(session.game.torus.size, id="board")
        """The board widget."""
        self._status = Static("", id="status")
        self.cursor_point = self._middle_point()
        self.hovered: int | None = None
        self.pending: int | None = None
        """The point of a first click that a second is to confirm."""
        self.counting = False
        self.numbering = False
        self.marking_dead = False
        self._refused: int | None = None
        self._remembered: dict[Node, Node] = {}
        self.tree_version = 0
        """Counts the changes of the tree, so that panes know when to lay it out anew."""
        self.side = SIDE_PANES[0]
        self._words = ""
        self._line_timer: Timer | None = None
        self._flash_timer: Timer | None = None
        self._unkept = False
        """Whether the position is not on the disk yet, so that it must not be shown."""

    def compose(self) -> ComposeResult:
        """Lay out the board, the panes beside or below it, the status line and the hints.

        The board is the screen's own child: every container above it would be drawn below it at each pan.
        """
        yield self.board
        with Container(id="panes"):
            yield TurnPane(id="turn")
            yield CapturesPane(id="captures")
            yield PassesPane(id="passes")
            yield AreaPane(id="area")
            yield CommentPane(id="comment")
            with Container(id="side"):
                yield SIDE_PANES[0].make()
        yield self._status
        yield HintBar(id="hints")

    def on_screen_suspend(self) -> None:
        """End a drag when something is laid over the game."""
        self.board.let_go()

    def _middle_point(self) -> int:
        torus = self.session.game.torus
        return torus.point(torus.size // 2, torus.size // 2)

    @property
    def dead(self) -> frozenset[int]:
        """The stones agreed to be dead."""
        ending = self.session.game.ending
        return ending.dead if isinstance(ending, TwoPasses) else frozenset()

    @property
    def stone_signs(self) -> StoneSigns:
        """How stones are written beside the board: as it draws them."""
        return StoneSigns(self.board.palette, self.board.glyphs)

    @property
    def count(self) -> Area:
        """The area of the position shown, less agreed dead stones."""
        return self.session.game.area(self.dead)

    @property
    def last_point(self) -> int | None:
        """The point of the last move, None after a pass or at the start."""
        move = self.session.game.node.move
        return None if move is None or move.is_pass else move.point

    def next_node(self) -> Node | None:
        """The child that was looked at last, or the main one."""
        node = self.session.game.node
        return self._remembered.get(node) or (node.children[0] if node.children else None)

    def last_node(self) -> Node:
        """The end of the line that was looked at last."""
        node = self.session.game.node
        while following := self._remembered.get(node) or (node.children[0] if node.children else None):
            node = following
        return node

    def tree_changed(self) -> None:
        """Note that moves were added to the tree."""
        self.tree_version += 1

    def _remember_path(self) -> None:
        node = self.session.game.node
        while (parent := node.parent) is not None and self._remembered.get(parent) is not node:
            self._remembered[parent] = node
            node = parent
