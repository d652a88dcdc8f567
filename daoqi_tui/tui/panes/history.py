"""The moves of a game as a pane: a list with variations indented.

The current move is always in view; a click goes to a move.
"""

from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.engine import Node
from daoqi_tui.i18n import _
from daoqi_tui.pictures.palettes import GRADES
from daoqi_tui.pictures.picture import Mistake
from daoqi_tui.play.match import View
from daoqi_tui.play.session import is_on
from daoqi_tui.play.wording import annotation_signs, describe_mark, describe_move
from daoqi_tui.tui.board import wheel_step
from daoqi_tui.tui.look import signs_of
from daoqi_tui.tui.output import StripWidget


class HistoryRow(NamedTuple):
    """One move in the list."""

    node: Node
    depth: int
    """The nesting depth of the move's variation; 0 on the main line."""
    first: bool


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


def continued(before: View | None, view: View) -> Node | None:
    """Return the end of a line after which one move was played, which is all that has changed since ``before``."""
    node, parent = view.node, view.node.parent
    played = before is not None and before.tree + 1 == view.tree and before.node is parent
    return parent if played and parent is not None and parent.children == (node,) else None


_CURRENT: Final = "history--current"
_VARIATION: Final = "history--variation"
_AFTER: Final = "history--after"


class HistoryPane(StripWidget):
    """The list of all moves with number, colour, point and captures; a click goes to a move."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {_CURRENT, _VARIATION, _AFTER}  # noqa: RUF012 (Textual's form)
    DEFAULT_CSS = """
    HistoryPane {
        height: 1fr;
        & > .history--current { background: $primary; color: $text; text-style: bold; }
        & > .history--variation { color: $text-muted; }
        & > .history--after { color: $text-disabled; }
    }
    """

    class NodeSelected(Message):
        """A move was clicked."""

        def __init__(self, node: Node) -> None:
            super().__init__()
            self.node = node

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._view: View | None = None
        self._rows: list[HistoryRow] = []
        self._places: dict[Node, int] = {}
        self._current = 0
        self._top = 0
        self._shown: dict[int, tuple[tuple[int, str], Strip]] = {}

    def show(self, view: View) -> None:
        """List the moves, mark the current one and scroll it into view; only changed lines are redrawn."""
        before, self._view = self._view, view
        if before is None or before.tree != view.tree:
            self._list(view, before)
        elif before.mistakes != view.mistakes:
            self._shown.clear()
        self._current = self._places.get(view.node, 0)
        self._keep_in_view()
        height = self.content_size.height
        changed = [y for y in range(height) if y not in self._shown or self._shown[y][0] != self._kind(self._top + y)]
        if changed:
            self.refresh(*(Region(0, y, self.content_size.width, 1) for y in changed))

    def _list(self, view: View, before: View | None) -> None:
        if (parent := continued(before, view)) is not None and self._rows[-1].node is parent:
            self._places[view.node] = len(self._rows)
            self._rows.append(self._rows[-1]._replace(node=view.node, first=False))
            return
        self._rows = history_rows(view.root)
        self._places = {row.node: place for place, row in enumerate(self._rows)}
        self._shown.clear()
        self.refresh()

    def on_resize(self) -> None:
        top, width = self._top, self.content_size.width
        self._keep_in_view()
        # Most were made for this size, with the layout that brought it.
        if self._top != top or any(strip.cell_length != width for _kind, strip in self._shown.values()):
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
            return place, _CURRENT
        view, node = self._view, row.node
        if view is not None and node.depth <= view.node.depth and is_on(view.line, node):
            return place, ""
        return place, _VARIATION if row.depth else _AFTER

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._shown.clear()

    def render_line(self, y: int) -> Strip:
        kind = self._kind(self._top + y)
        if y not in self._shown or self._shown[y][0] != kind:
            above = self._shown.get(y - 1)
            # Below the last move all lines are empty.
            self._shown[y] = above if above is not None and above[0] == kind else (kind, self._line(*kind))
        return self._shown[y][1]

    def _line(self, place: int, kind: str) -> Strip:
        width = self.content_size.width
        view = self._view
        if place < 0 or view is None:
            return Strip.blank(width, self.rich_style)
        row = self._rows[place]
        style = self.get_component_rich_style(kind) if kind else self.rich_style
        node, move = row.node, row.node.move
        indent = "" if not row.depth else "  " * (row.depth - 1) + ("└ " if row.first else "  ")
        name = describe_move(node, view.torus, view.names)
        mark = "  " + describe_mark(node.against) if node.against else ""
        if node.properties and (signs_shown := annotation_signs(node)):
            mark = f"  {signs_shown}{mark}"
        if move is None:
            # In the strip of a narrow window there is no room for the gap of a stone.
            gap = max(1, min(3, width - 3 - cell_len(name)))
            segments = [Segment(f"{indent}{node.number:>3}{' ' * gap}{name}{mark}", style)]
            return Strip(segments).adjust_cell_length(width, style)
        if node.captured:
            name += f"  ×{node.captured}"
        if node.lost:
            name += "  " + _("suicide ×{count}").format(count=node.lost)
        name += mark
        signs = signs_of(self)
        stone = Segment(signs.sign(move.colour), signs.style(move.colour, style, dim=kind in (_VARIATION, _AFTER)))
        segments = [Segment(f"{indent}{node.number:>3} ", style), stone, Segment(f" {name}", style)]
        if node in view.mistakes:
            segments.append(mistake_mark(self, view.mistakes[node], style))
        return Strip(segments).adjust_cell_length(width, style)

    def on_click(self, event: events.Click) -> None:
        place = self._top + event.get_content_offset_capture(self).y
        if 0 <= place < len(self._rows):
            self.post_message(self.NodeSelected(self._rows[place].node))

    @on(events.MouseScrollUp)
    @on(events.MouseScrollDown)
    def _scrolled(self, event: events.MouseEvent) -> None:
        event.stop()
        rows = 3 * wheel_step(event)
        self._top = max(0, min(self._top + rows, len(self._rows) - self.content_size.height))
        self.refresh()


def mistake_mark(pane: Widget, mistake: Mistake, around: Style) -> Segment:
    """Return the mark of a move that lost points, to stand after its text, in the colour of its mark on the board."""
    palette, glyphs = signs_of(pane)
    ink = Style() if palette.plain else Style(color=Color.from_rgb(*getattr(palette.bright, GRADES[mistake.grade])))
    return Segment(" " + glyphs.mistakes[mistake.punished], around + ink)
