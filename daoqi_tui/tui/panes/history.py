"""The moves of a game as panes: a list with variations indented, a tree, and a graph of their values.

The current move is always in view; a click goes to a move.
"""

from bisect import bisect_right
from collections.abc import Sequence
from math import isnan, nan
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

from daoqi_tui.engine import BLACK, Node
from daoqi_tui.i18n import _, language
from daoqi_tui.pictures.picture import Mistake
from daoqi_tui.play.evaluation import EvaluatedMove, Evaluation, Evaluations, Grade, describe_lost
from daoqi_tui.play.match import View
from daoqi_tui.play.session import is_on
from daoqi_tui.play.wording import annotation_signs, describe_mark, describe_move, with_keys
from daoqi_tui.tui.board import StripWidget, wheel_step
from daoqi_tui.tui.board.lines import GRADES
from daoqi_tui.tui.look import signs_of


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


def _continued(before: View | None, view: View) -> Node | None:
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
        if (parent := _continued(before, view)) is not None and self._rows[-1].node is parent:
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
            segments.append(_mistake(self, view.mistakes[node], style))
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


def _mistake(pane: Widget, mistake: Mistake, around: Style) -> Segment:
    """Return the mark of a move that lost points, to stand after its text, in the colour of its mark on the board."""
    palette, glyphs = signs_of(pane)
    ink = Style() if palette.plain else Style(color=Color.from_rgb(*getattr(palette.bright, GRADES[mistake.grade])))
    return Segment(" " + glyphs.mistakes[mistake.punished], around + ink)


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
_NUMBERS = 4


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

    _view: View | None = None
    _layout_shown = TreeLayout({}, [], [])
    _top = 0
    _left = 0

    def show(self, view: View) -> None:
        before, self._view = self._view, view
        if before is None or before.tree != view.tree:
            self._lay_out(view, before)
        self._keep_in_view()
        self.refresh()

    def _lay_out(self, view: View, before: View | None) -> None:
        layout = self._layout_shown
        if (parent := _continued(before, view)) is not None:
            row, column = layout.places[parent]
            if row == len(layout.rows) - 1:
                layout.places[view.node] = row + 1, column
                layout.rows.append({column: view.node})
                layout.links.append([])
                return
        self._layout_shown = lay_out(view.root)

    def on_resize(self) -> None:
        self._keep_in_view()
        self.refresh()

    def _keep_in_view(self) -> None:
        width, height = self.content_size
        place = None if self._view is None else self._layout_shown.places.get(self._view.node)
        if place is None or not height:
            return
        row, column = place
        margin = min(2, height // 3)
        self._top = min(self._top, row - margin)
        self._top = max(self._top, row - height + 1 + margin)
        self._top = max(0, min(self._top, len(self._layout_shown.rows) - height))
        columns = max(1, (width - _NUMBERS) // _STEP)
        self._left = max(0, min(self._left, column))
        self._left = max(self._left, column - columns + 1)

    def render_line(self, y: int) -> Strip:
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
            if move is not None and not move.is_pass:
                cells[place] = signs.sign(move.colour), signs.style(move.colour, styles[kind], dim=kind == "other")
            # One sign has room beside the move, unless a line leads on from there.
            if cells[place + 1][0] == " " and self._view is not None:
                if node in self._view.mistakes:
                    mark = _mistake(self, self._view.mistakes[node], styles["path"])
                    cells[place + 1] = mark.text[-1], mark.style or styles[kind]
                elif sign := annotation_signs(node):
                    cells[place + 1] = sign[0], styles[kind]
            if kind == "current":
                # Not on the stone, which has its own colours: in those of the highlight all would look white.
                sign, style = cells[place + 1]
                cells[place + 1] = sign, styles[kind] + Style(color=style.color)
        number = next((node.number for node in nodes.values()), row)
        is_here = self._view is not None and self._view.node in nodes.values()
        heading = self.get_component_rich_style("tree--current" if is_here else "tree--number")
        segments = [Segment(f"{number:>3}", heading), Segment(" ", self.rich_style)]
        segments += [Segment(character, style) for character, style in cells]
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _class_of(self, node: Node) -> str:
        view = self._view
        if view is None or not is_on(view.line, node):
            return "other"
        return "current" if node is view.node else "path"

    def on_click(self, event: events.Click) -> None:
        x, y = event.get_content_offset_capture(self)
        row = self._top + y
        if not 0 <= row < len(self._layout_shown.rows):
            return
        column = self._left + (x - _NUMBERS) // _STEP
        node = self._layout_shown.rows[row].get(column)
        if node is not None:
            self.post_message(HistoryPane.NodeSelected(node))

    @on(events.MouseScrollUp)
    @on(events.MouseScrollDown)
    def _scrolled(self, event: events.MouseEvent) -> None:
        event.stop()
        way = wheel_step(event)
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


_BLOCKS: Final = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""By the sum of the bits of its quarters: 1 and 2 above, 4 and 8 below. Every font has them, unlike braille."""
_LEAST: Final = 8
"""The minimum range of the graph in points, so that small swings stay small."""


class Graph(NamedTuple):
    """A graph drawn in characters.

    Attributes:
        rows: its lines.
        zero: the line of the value zero.
        top: the value at the upper end.
        bottom: the value at the lower end.
        places: for each value the column of characters it is drawn in.
    """

    rows: tuple[str, ...]
    zero: int
    top: float
    bottom: float
    places: tuple[int, ...]

    def value_at(self, place: int) -> int:
        """Return the index of the value drawn nearest to a column; of several in one column, of the last."""
        places = self.places
        following = bisect_right(places, place)
        if not following:
            nearest = places[0]
        elif following == len(places) or place - places[following - 1] < places[following] - place:
            nearest = places[following - 1]
        else:
            nearest = places[following]
        return bisect_right(places, nearest) - 1


def draw(values: Sequence[float], width: int, height: int, span: float | None = None) -> Graph:
    """Draw values as bars from zero, each half a character wide, or narrower if they would not fit.

    NaN is left out. The range is that of the values, or from ``-span`` to ``span``.
    """
    known = [value for value in values if not isnan(value)]
    top, bottom = max(0.0, *known, 0.0), min(0.0, *known, 0.0)
    if top - bottom < _LEAST:
        top, bottom = (top, top - _LEAST) if top > -bottom else (bottom + _LEAST, bottom)
    if span is not None:
        top, bottom = span, -span
    across, down = 2 * width, 2 * height
    step = min(1.0, (across - 1) / max(1, len(values) - 1))
    unit = (down - 1) / (top - bottom)
    zero = round(top * unit)
    bits = [[0] * width for _ in range(height)]
    places = []
    columns: dict[int, float] = {}
    for index, value in enumerate(values):
        place = int(index * step)
        places.append(place // 2)
        # Of several in one column the one farthest from zero is drawn, so that no peak is lost.
        if not isnan(value) and abs(value) >= abs(columns.get(place, 0)):
            columns[place] = value
    for place, value in columns.items():
        end = round((top - value) * unit)
        for dot in range(min(zero, end), max(zero, end) + 1):
            bits[dot // 2][place // 2] |= 1 << (2 * (dot % 2) + place % 2)
    rows = tuple("".join(_BLOCKS[bit] for bit in row) for row in bits)
    return Graph(rows, zero // 2, top, bottom, tuple(places))


_AXIS: Final = 5
"""The width of the scales: points on the left of the graph, win rates on the right."""
_ROOMY: Final = 6
"""The height from which there is room for a heading, the scales and the legend."""
_WIN: Final = "▪"
_LOSSES: Final = {Grade.INACCURACY: "▖", Grade.MISTAKE: "▄", Grade.BLUNDER: "█"}


class GraphPane(StripWidget):
    """The graph: Black's score lead rises from the middle line, White's hangs from it; dots are Black's win rate.

    The middle is a lead of zero and a win rate of 50 %.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {  # noqa: RUF012 (Textual's form)
        "graph--black",
        "graph--white",
        "graph--after",
        "graph--current",
        "graph--axis",
        "graph--head",
        "graph--win",
        "graph--inaccuracy",
        "graph--mistake",
        "graph--blunder",
    }
    DEFAULT_CSS = """
    GraphPane {
        height: 1fr;
        & > .graph--black { color: $accent; }
        & > .graph--white { color: $foreground; }
        & > .graph--after { color: $secondary 70%; }
        & > .graph--current { background: $primary; color: $text; }
        & > .graph--axis { color: $foreground 45%; }
        & > .graph--head { color: $foreground; text-style: bold; }
        & > .graph--win { color: $success; text-style: bold; }
        & > .graph--inaccuracy { color: $foreground 60%; }
        & > .graph--mistake { color: $warning; }
        & > .graph--blunder { color: $error; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._line_nodes: Sequence[Node] = ()
        self._found: list[Evaluation | None] = []
        self._lost: dict[int, float] = {}
        """The points that moves lost, where known, by their place on the line."""
        self._grades: dict[int, Grade] = {}
        self._losses: list[Segment] = []
        self._evaluated: Sequence[EvaluatedMove] | None = None
        self._strips: dict[int, Strip] = {}
        self._styles: dict[str, Style] = {}
        self._current = 0
        self._graph: Graph | None = None
        self._empty_in = ""
        """The language in which the pane says that nothing is evaluated; empty if it does not say so."""
        self._wins: dict[int, int] = {}
        """For each column the row of the win rate's mark."""

    def show(
        self, current: Node, line: Sequence[Node], evaluations: Evaluations, evaluated: Sequence[EvaluatedMove]
    ) -> None:
        """Draw a line.

        Args:
            current: the current node.
            line: its nodes from the root to the end; the graph is redrawn if this is another object than last time.
            evaluations: the evaluations of the positions.
            evaluated: the moves whose loss is known; another object if any evaluation has changed.
        """
        if evaluated is not self._evaluated or line is not self._line_nodes:
            is_longer = evaluated is self._evaluated and bool(self._line_nodes) and is_on(line, self._line_nodes[-1])
            found = self._found if is_longer else []
            self._found = [*found, *map(evaluations.of, line[len(found) :])]
            self._evaluated, self._line_nodes = evaluated, line
            if any(self._found) or self._empty_in != language():
                self._lost = {move.node.depth: move.lost for move in evaluated}
                self._grades = {move.node.depth: move.grade for move in evaluated}
                self._draw()
        self._current = current.depth
        if self._graph is not None:
            self._strips.clear()
            self.refresh()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        width, height = self.content_size
        self._graph = None
        self._empty_in = "" if any(self._found) else language()
        self._strips.clear()
        if any(self._found) and width > _AXIS and height > 1:
            leads = [nan if found is None or found.lead is None else found.lead for found in self._found]
            span = max([_LEAST / 2, *(abs(lead) for lead in leads if not isnan(lead))])
            graph = draw(leads, width - 2 * self._side, height - (3 if self._roomy else 1), span)
            self._graph, self._wins = graph, {}
            for place, found in zip(graph.places, self._found, strict=True):
                if found is not None:
                    self._wins[place] = min(len(graph.rows) - 1, int((1 - found.black) * len(graph.rows)))
            self._losses = self._lost_points(graph)
        self.refresh()

    @property
    def is_empty(self) -> bool:
        """Whether no position is evaluated, which takes three rows to say."""
        return not any(self._found)

    @property
    def _roomy(self) -> bool:
        return self.content_size.width > 4 * _AXIS and self.content_size.height >= _ROOMY

    @property
    def _side(self) -> int:
        return _AXIS if self._roomy else 0

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        self._styles.clear()

    def render_line(self, y: int) -> Strip:
        if y not in self._strips:
            self._strips[y] = self._line(y)
        return self._strips[y]

    def _line(self, y: int) -> Strip:
        graph, width = self._graph, self.content_size.width
        segments: list[Segment] = []
        if graph is None:
            words = [_("No position is evaluated yet"), with_keys(_("{review}: review the game"))]
            words.append(with_keys(_("{analysis}: analyse this position")))
            if y < len(words):
                segments = [Segment(words[y], self._style("axis" if y else "head"))]
        else:
            row = y - self._roomy
            if row < 0:
                segments = [Segment(self._head(), self._style("head"))]
            elif row < len(graph.rows):
                segments = [*self._left_scale(graph, row), *self._row(graph, row), *self._right_scale(graph, row)]
            elif row == len(graph.rows):
                segments = [Segment(" " * self._side, self._ground), *self._losses]
            elif row == len(graph.rows) + 1:
                segments = [Segment(self._legend(width), self._style("axis"))]
        return Strip(segments).adjust_cell_length(width, self._ground)

    def _style(self, name: str) -> Style:
        if name not in self._styles:
            self._styles[name] = self.get_component_rich_style(f"graph--{name}")
        return self._styles[name]

    @property
    def _ground(self) -> Style:
        if "" not in self._styles:
            self._styles[""] = self.rich_style
        return self._styles[""]

    def _head(self) -> str:
        node, found = self._line_nodes[self._current], self._found[self._current]
        head = _("Move {number}").format(number=node.number)
        if found is None:
            return _("{head}: not evaluated").format(head=head)
        parts = [head]
        if found.lead is not None:
            parts.append(found.describe_lead())
        parts.append(_("B {share}").format(share=f"{found.black:.0%}"))
        if self._current in self._lost and self._lost[self._current] >= 0.05:
            parts.append(describe_lost(self._lost[self._current]))
        parts.append(found.describe_source())
        while len(parts) > 3 and cell_len(" · ".join(parts)) > self.content_size.width:
            parts.pop()
        return " · ".join(parts)

    def _legend(self, width: int) -> str:
        text = _("█ lead  ▪ win rate  below: ▖ ▄ █ points lost")
        return text if cell_len(text) <= width else _("█ lead  ▪ win rate")

    def _left_scale(self, graph: Graph, row: int) -> list[Segment]:
        if not self._roomy:
            return []
        last = len(graph.rows) - 1
        text = (
            "0"
            if row == graph.zero
            else f"+{graph.top:.0f}"
            if row == 0
            else f"−{graph.top:.0f}"
            if row == last
            else ""
        )
        return [Segment(f"{text:>{_AXIS - 1}} ", self._style("axis"))]

    def _right_scale(self, graph: Graph, row: int) -> list[Segment]:
        if not self._roomy:
            return []
        text = "50%" if row == graph.zero else "100%" if row == 0 else "0%" if row == len(graph.rows) - 1 else ""
        return [Segment(f" {text}", self._style("axis"))]

    def _row(self, graph: Graph, row: int) -> list[Segment]:
        here, last = graph.places[self._current], graph.places[-1]
        segments = []
        for column, character in enumerate(graph.rows[row]):
            if column > last:
                segments.append(Segment("─" if row == graph.zero else " ", self._style("after")))
                continue
            sign, style = character, self._bar_style(graph, row, column)
            if self._wins.get(column) == row:
                sign, style = _WIN, self._style("win")
            if column == here:
                style = style + self._style("current")
            elif column > here and sign is not _WIN:
                style = self._style("after")
            segments.append(Segment(sign, style))
        return list(Segment.simplify(segments))

    def _bar_style(self, graph: Graph, row: int, column: int) -> Style:
        """Return the style of a bar; on the middle line, which both sides share, that of the leading side."""
        if row != graph.zero:
            return self._style("black" if row < graph.zero else "white")
        found = self._found[graph.value_at(column)]
        return self._style("black" if found is not None and (found.lead or 0) > 0 else "white")

    def _lost_points(self, graph: Graph) -> list[Segment]:
        """Return the marks of moves that lost points; of several in one column the worst."""
        worst: dict[int, Grade] = {}
        for index, grade in self._grades.items():
            place = graph.places[index]
            worst[place] = max(grade, worst.get(place, Grade.GOOD))
        signs = []
        for column in range(len(graph.rows[0])):
            grade = worst.get(column, Grade.GOOD)
            sign, style = (_LOSSES[grade], self._style(grade.name.lower())) if grade else (" ", self._ground)
            signs.append(Segment(sign, style))
        return list(Segment.simplify(signs))

    def on_click(self, event: events.Click) -> None:
        graph = self._graph
        if graph is not None:
            place = event.get_content_offset_capture(self).x - self._side
            self.post_message(HistoryPane.NodeSelected(self._line_nodes[graph.value_at(place)]))
