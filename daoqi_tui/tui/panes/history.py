"""The moves of a game as panes: a list with variations indented, and a tree drawn with branches.

The current move is always in view; a click goes to a move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.engine import BLACK, Node, Style, Torus
from daoqi_tui.i18n import _
from daoqi_tui.play.wording import describe_move
from daoqi_tui.tui.board.strips import StripWidget
from daoqi_tui.tui.look.text import signs_of


class HistoryRow(NamedTuple):
    """One move in the list."""

    node: Node
    depth: int
    """The nesting depth of the move's variation; 0 on the main line."""
    first: bool
    """True if a variation begins here."""


def history_rows(root: Node) -> list[HistoryRow]:
    """Return the rows of the whole tree from ``root`` on.

    Where a node has several children, the main one comes first, then each variation in full, indented by one step, and
    then the main line continues.
    """
    rows: list[HistoryRow] = []
    # A stack of lines still to be laid out: each continues after its node, whose row exists already.
    waiting = [HistoryRow(root, 0, first=False)]
    rows.append(waiting[0])
    while waiting:
        node, depth, _ = waiting.pop()
        while node.children:
            main, *variations = node.children
            node = main
            rows.append(HistoryRow(node, depth, first=False))
            if variations:
                waiting.append(HistoryRow(node, depth, first=False))
                waiting.extend(HistoryRow(child, depth + 1, first=True) for child in reversed(variations))
                break
        if waiting and waiting[-1].first:
            row = waiting[-1]
            rows.append(row)
            waiting[-1] = row._replace(first=False)
    return rows


class HistoryPane(StripWidget):
    """The list of all moves with number, colour, point and captures; a click goes to a move."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"history--current", "history--variation", "history--after"}  # noqa: RUF012 (Textual's form)
    DEFAULT_CSS = """
    HistoryPane {
        height: 1fr;
        & > .history--current { background: $primary; color: $text; text-style: bold; }
        & > .history--variation { color: $text-muted; }
        & > .history--after { color: $text-disabled; }
    }
    """

    @dataclass
    class NodeSelected(Message):
        """A move was clicked."""

        node: Node

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self.tree_version = -1
        """The version of the tree that is listed, set and compared by the code that updates the pane."""
        self._rows: Sequence[HistoryRow] = ()
        self._places: dict[Node, int] = {}
        self._path: frozenset[Node] = frozenset()
        self._current = 0
        self._top = 0
        self._shown: dict[int, tuple[tuple[int, str], Strip]] = {}
        """The contents of each line as last drawn."""
        self._torus: Torus | None = None
        self._style: Style = "daoqi"

    def show_rows(self, rows: Sequence[HistoryRow], torus: Torus, style: Style) -> None:
        """List another tree, or the same one grown."""
        self._rows, self._torus, self._style = rows, torus, style
        self._places = {row.node: place for place, row in enumerate(rows)}
        self._shown.clear()
        self.refresh()

    def show_current(self, node: Node) -> None:
        """Mark the current node and scroll it into view; only changed lines are redrawn."""
        self._current = self._places.get(node, 0)
        self._path = frozenset(node.path())
        self._keep_in_view()
        height = self.content_size.height
        changed = [y for y in range(height) if y not in self._shown or self._shown[y][0] != self._kind(self._top + y)]
        if changed:
            self.refresh(*(Region(0, y, self.content_size.width, 1) for y in changed))

    def on_resize(self) -> None:
        """Keep the current move in view."""
        self._keep_in_view()
        self._shown.clear()
        self.refresh()

    def _keep_in_view(self) -> None:
        """Centre the current move if it is out of view; scrolling by half the height keeps full redraws rare."""
        height = self.content_size.height
        if height and not self._top <= self._current < self._top + height:
            self._top = self._current - height // 2
        if height:
            self._top = max(0, min(self._top, len(self._rows) - height))

    def _kind(self, place: int) -> tuple[int, str]:
        """Return what determines the look of a row: its place in the list, and the name of its style."""
        if place >= len(self._rows):
            return -1, ""
        row = self._rows[place]
        if place == self._current:
            return place, "history--current"
        if row.node in self._path:
            return place, ""
        return place, "history--variation" if row.depth else "history--after"

    def notify_style_update(self) -> None:
        """Redraw in other colours."""
        super().notify_style_update()
        self._shown.clear()

    def render_line(self, y: int) -> Strip:
        """Draw one row, or reuse the existing one."""
        kind = self._kind(self._top + y)
        if y not in self._shown or self._shown[y][0] != kind:
            self._shown[y] = kind, self._line(*kind)
        return self._shown[y][1]

    def _line(self, place: int, kind: str) -> Strip:
        width = self.content_size.width
        if place < 0 or self._torus is None:
            return Strip.blank(width, self.rich_style)
        row = self._rows[place]
        style = self.get_component_rich_style(kind) if kind else self.rich_style
        before, after = self._words(row)
        segments = [Segment(before, style)]
        if row.node.move is not None:
            signs, colour = signs_of(self), row.node.move.colour
            dim = row.node not in self._path
            segments.append(Segment(signs.sign(colour), signs.style(colour, style, dim=dim)))
        segments.append(Segment(after, style))
        return Strip(segments).adjust_cell_length(width, style)

    def _words(self, row: HistoryRow) -> tuple[str, str]:
        """Return the text before the stone of a row, and the text after it."""
        assert self._torus is not None
        node = row.node
        indent = "" if not row.depth else "  " * (row.depth - 1) + ("└ " if row.first else "  ")
        name = describe_move(node, self._torus, self._style)
        if node.move is None:
            # In the strip of a narrow window there is no room for the gap of a stone.
            gap = max(1, min(3, self.content_size.width - 3 - cell_len(name)))
            return f"{indent}{node.number:>3}{' ' * gap}{name}", ""
        if node.captured:
            name += f"  ×{node.captured}"
        if node.lost:
            name += "  " + _("suicide ×{count}").format(count=node.lost)
        if node.repeats:
            name += "  " + _("repeats {move}").format(move=node.repeats.move)
        return f"{indent}{node.number:>3} ", f" {name}"

    def on_click(self, event: events.Click) -> None:
        """Go to the move that was clicked."""
        place = self._top + event.get_content_offset_capture(self).y
        if 0 <= place < len(self._rows):
            self.post_message(self.NodeSelected(self._rows[place].node))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll to earlier moves."""
        self._scroll_by(event, -3)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll to later moves."""
        self._scroll_by(event, 3)

    def _scroll_by(self, event: events.MouseEvent, rows: int) -> None:
        event.stop()
        self._top = max(0, min(self._top + rows, len(self._rows) - self.content_size.height))
        self.refresh()


class TreeLayout(NamedTuple):
    """The position of each node.

    Attributes:
        places: row and column of each node; the root is at (0, 0).
        rows: for each row its nodes by column.
        links: for each row the pairs of columns that a horizontal line joins: a move and its alternative.
        width: the number of columns.
    """

    places: dict[Node, tuple[int, int]]
    rows: list[dict[int, Node]]
    links: list[list[tuple[int, int]]]
    width: int = 1


def lay_out(root: Node) -> TreeLayout:
    """Lay out the tree from ``root`` on: each line in the leftmost column where it fits."""
    places: dict[Node, tuple[int, int]] = {}
    rows: list[dict[int, Node]] = []
    links: list[list[tuple[int, int]]] = []
    filled: list[int] = []  # the first free column of each row
    # A stack of lines to lay out: the first node, its row, and the column of the move it replaces.
    waiting: list[tuple[Node, int, int | None]] = [(root, 0, None)]
    while waiting:
        node, row, beside = waiting.pop()
        line = [node, *node.line()]
        while len(rows) < row + len(line):
            rows.append({})
            links.append([])
            filled.append(0)
        column = max(filled[row : row + len(line)])
        if beside is not None:
            column = max(column, beside + 1)
            links[row].append((beside, column))
        for depth, step in enumerate(line, row):
            places[step] = depth, column
            rows[depth][column] = step
            filled[depth] = column + 1
        # Variations near the end of the line are placed first, so that earlier ones stand outside them.
        for depth, step in enumerate(line, row):
            waiting.extend((child, depth + 1, column) for child in reversed(step.children[1:]))
    return TreeLayout(places, rows, links, max(filled))


_STEP = 2
"""The distance between columns of the tree in cells."""
_NUMBERS = 4
"""The width of the move numbers at the left."""


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
        """The version of the tree that is drawn, set and compared by the code that updates the pane."""
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
        """Mark the current node and scroll it into view."""
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
        """Draw one row: its number, its nodes in view, and the lines to their alternatives."""
        width = self.content_size.width
        layout, row = self._layout_shown, self._top + y
        if row >= len(layout.rows):
            return Strip.blank(width, self.rich_style)
        nodes = layout.rows[row]
        signs = signs_of(self)
        styles = {kind: self.get_component_rich_style(f"tree--{kind}") for kind in ("current", "path", "other")}
        # A tree may be a thousand columns wide.
        left, right = self._left, min(layout.width, self._left + -(-(width - _NUMBERS) // _STEP))
        cells = [(" ", styles["other"])] * ((right - left) * _STEP)
        for start, end in layout.links[row]:
            for place in range(max(start * _STEP + 1, left * _STEP), min(end, right) * _STEP):
                cells[place - left * _STEP] = ("─", styles["other"])
        for column in range(left, right):
            node = nodes.get(column)
            if node is None:
                continue
            place = (column - left) * _STEP
            kind, move = self._class_of(node), node.move
            cells[place] = (_sign(node), styles[kind])
            if move is not None and not move.is_pass and kind != "current":
                cells[place] = signs.sign(move.colour), signs.style(move.colour, styles[kind], dim=kind == "other")
        number = next((node.number for node in nodes.values()), row)
        segments = [Segment(f"{number:>3} ", self.get_component_rich_style("tree--number"))]
        segments += [Segment(character, style) for character, style in cells]
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
        """Scroll to earlier moves, with Shift to the left."""
        self._scroll_by(event, -1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll to later moves, with Shift to the right."""
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
