"""The tree of variations, drawn with branches; a click goes to a move."""

from __future__ import annotations

from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.engine import BLACK, Node
from daoqi_tui.tui.stone_sign import signs_of
from daoqi_tui.tui.tree_layout import TreeLayout
from daoqi_tui.tui.widgets.history import HistoryPane

_STEP = 2
"""Cells from one column of the tree to the next."""
_NUMBERS = 4
"""Cells that the move numbers at the left take."""


class TreePane(Widget):
    """Draws a laid-out tree and keeps the current node in view."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"tree--current", "tree--path", "tree--other", "tree--number"}  # noqa: RUF012 (Textual's form)
    DEFAULT_CSS = """
    TreePane {
        height: 1fr;
        & > .tree--current { background: $primary; color: $text; text-style: bold; }
        & > .tree--path { color: $foreground; }
        & > .tree--other { color: $foreground 60%; }
        & > .tree--number { color: $foreground 45%; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self.tree_version = -1
        """Which state of the tree is drawn; whoever feeds the pane compares it."""
        self._layout_shown = TreeLayout({}, [], [])
        self._current: Node | None = None
        self._on_path: frozenset[Node] = frozenset()
        self._top = 0
        self._left = 0

    def show_tree(self, layout: TreeLayout) -> None:
        """Draw another tree, or the same one grown."""
        self._layout_shown = layout
        self.refresh()

    def show_current(self, node: Node) -> None:
        """Mark where the game stands and bring it into view."""
        self._current = node
        self._on_path = frozenset((*node.path(), *node.line()))
        self._keep_in_view()
        self.refresh()

    def on_resize(self) -> None:
        """Keep the current node in view."""
        self._keep_in_view()
        self.refresh()

    def _keep_in_view(self) -> None:
        width, height = self.content_size
        if self._current is None or self._current not in self._layout_shown.places or not height:
            return
        row, column = self._layout_shown.places[self._current]
        margin = min(2, height // 3)
        self._top = max(0, min(self._top, row - margin))
        self._top = max(self._top, row - height + 1 + margin)
        columns = max(1, (width - _NUMBERS) // _STEP)
        self._left = max(0, min(self._left, column))
        self._left = max(self._left, column - columns + 1)

    def render_line(self, y: int) -> Strip:
        """Draw one row: its number, its nodes, and the lines to what was played instead."""
        width = self.content_size.width
        layout, row = self._layout_shown, self._top + y
        if row >= len(layout.rows):
            return Strip.blank(width, self.rich_style)
        nodes = layout.rows[row]
        signs = signs_of(self)
        styles = {kind: self.get_component_rich_style(f"tree--{kind}") for kind in ("current", "path", "other")}
        cells = [(" ", styles["other"])] * (layout.width * _STEP)
        for start, end in layout.links[row]:
            for place in range(start * _STEP + 1, end * _STEP):
                cells[place] = ("─", styles["other"])
        for column, node in nodes.items():
            place = column * _STEP
            crossed = any(start < column < end for start, end in layout.links[row])
            kind, move = self._class_of(node), node.move
            cells[place] = (_sign(node), styles[kind])
            if move is not None and not move.is_pass and kind != "current":
                cells[place] = signs.sign(move.colour), signs.style(move.colour, styles[kind], dim=kind == "other")
            if crossed and place + 1 < len(cells):
                cells[place + 1] = ("─", styles["other"])
        number = next((node.number for node in nodes.values()), row)
        segments = [Segment(f"{number:>3} ", self.get_component_rich_style("tree--number"))]
        segments += [Segment(character, style) for character, style in cells[self._left * _STEP :]]
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _class_of(self, node: Node) -> str:
        if node is self._current:
            return "current"
        return "path" if node in self._on_path else "other"

    def on_click(self, event: events.Click) -> None:
        """Go to the node that was clicked."""
        x, y = event.get_content_offset_capture(self)
        row = self._top + y
        if not 0 <= row < len(self._layout_shown.rows):
            return
        column = self._left + (x - _NUMBERS) // _STEP
        node = self._layout_shown.rows[row].get(column)
        if node is not None:
            self.post_message(HistoryPane.NodeSelected(node))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Look at earlier moves, with shift at columns to the left."""
        self._scroll_by(event, -1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Look at later moves, with shift at columns to the right."""
        self._scroll_by(event, 1)

    def _scroll_by(self, event: events.MouseEvent, way: int) -> None:
        event.stop()
        if event.shift:
            self._left = max(0, min(self._left + way, self._layout_shown.width - 1))
        else:
            self._top = max(0, min(self._top + 3 * way, len(self._layout_shown.rows) - self.content_size.height))
        self.refresh()


def _sign(node: Node) -> str:
    move = node.move
    if move is None:
        return "◇"
    if move.is_pass:
        return "▴" if move.colour == BLACK else "▵"
    return "●" if move.colour == BLACK else "○"
