"""The list of all moves, variations set in; the current one is always in view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.engine import Node, Style, Torus
from daoqi_tui.i18n import _
from daoqi_tui.tui.history_rows import HistoryRow
from daoqi_tui.tui.stone_sign import signs_of
from daoqi_tui.tui.words import move_words


class HistoryPane(Widget):
    """Every move with number, colour, name and what it captured; a click goes there."""

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
        """Which state of the tree is listed; whoever feeds the pane compares it."""
        self._rows: Sequence[HistoryRow] = ()
        self._places: dict[Node, int] = {}
        self._path: frozenset[Node] = frozenset()
        self._current = 0
        self._top = 0
        self._torus: Torus | None = None
        self._style: Style = "daoqi"

    def show_rows(self, rows: Sequence[HistoryRow], torus: Torus, style: Style) -> None:
        """List another tree, or the same one grown."""
        self._rows, self._torus, self._style = rows, torus, style
        self._places = {row.node: place for place, row in enumerate(rows)}
        self.refresh()

    def show_current(self, node: Node) -> None:
        """Mark where the game stands and bring it into view."""
        self._current = self._places.get(node, 0)
        self._path = frozenset(node.path())
        self._keep_in_view()
        self.refresh()

    def on_resize(self) -> None:
        """Keep the current move in view."""
        self._keep_in_view()
        self.refresh()

    def _keep_in_view(self) -> None:
        height = self.content_size.height
        if height:
            self._top = min(self._top, self._current)
            self._top = max(self._top, self._current - height + 1)
            self._top = max(0, min(self._top, len(self._rows) - height))

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        width = self.content_size.width
        place = self._top + y
        if place >= len(self._rows) or self._torus is None:
            return Strip.blank(width, self.rich_style)
        row = self._rows[place]
        style = self.rich_style
        if place == self._current:
            style = self.get_component_rich_style("history--current")
        elif row.node not in self._path:
            after = "history--variation" if row.depth else "history--after"
            style = self.get_component_rich_style(after)
        before, after = self._words(row)
        segments = [Segment(before, style)]
        if row.node.move is not None:
            signs, colour = signs_of(self), row.node.move.colour
            dim = row.node not in self._path
            segments.append(Segment(signs.sign(colour), signs.style(colour, style, dim=dim)))
        segments.append(Segment(after, style))
        return Strip(segments).adjust_cell_length(width, style)

    def _words(self, row: HistoryRow) -> tuple[str, str]:
        """Return what stands before the stone of a row, and what stands after it."""
        assert self._torus is not None
        node = row.node
        indent = "" if not row.depth else "  " * (row.depth - 1) + ("└ " if row.first else "  ")
        name = move_words(node, self._torus, self._style)
        if node.move is None:
            return f"{indent}{node.number:>3}   {name}", ""
        if node.captured:
            name += f"  ×{node.captured}"
        if node.lost:
            name += "  " + _("suicide ×{count}").format(count=node.lost)
        return f"{indent}{node.number:>3} ", f" {name}"

    def on_click(self, event: events.Click) -> None:
        """Go to the move that was clicked."""
        place = self._top + event.get_content_offset_capture(self).y
        if 0 <= place < len(self._rows):
            self.post_message(self.NodeSelected(self._rows[place].node))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Look at earlier moves."""
        self._scroll_by(event, -3)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Look at later moves."""
        self._scroll_by(event, 3)

    def _scroll_by(self, event: events.MouseEvent, rows: int) -> None:
        event.stop()
        self._top = max(0, min(self._top + rows, len(self._rows) - self.content_size.height))
        self.refresh()
