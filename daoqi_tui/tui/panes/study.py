"""The panes of study: the count, the comment, the tree, the graph of the values, and the best moves."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from math import isnan, nan
from operator import itemgetter
from typing import Final, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from daoqi_tui.engine import BLACK, PASS, WHITE, Area, Node
from daoqi_tui.i18n import N_, _, language
from daoqi_tui.pictures.palettes import GRADES
from daoqi_tui.play.evaluation import (
    EvaluatedMove,
    Evaluation,
    Evaluations,
    Grade,
    describe_lead,
    describe_lost,
    grade_of,
)
from daoqi_tui.play.hints import BestMoves, all_equal, describe_balance, short_count
from daoqi_tui.play.match import View
from daoqi_tui.play.session import is_on
from daoqi_tui.play.wording import annotation_signs, colour_word, describe_sum, move_name, signed, with_keys
from daoqi_tui.tui.board import wheel_step
from daoqi_tui.tui.look import STONES, Paragraph, signs_of, tone
from daoqi_tui.tui.output import DrawnWidget, StripWidget, style_of
from daoqi_tui.tui.panes import Pane, entitle, is_narrow, right
from daoqi_tui.tui.panes.history import HistoryPane, continued, mistake_mark


class AreaPane(Pane):
    """The score of the current board; the screen has the class ``-counting`` where it is shown."""

    DEFAULT_CSS = "AreaPane { display: none; height: 9; }"
    TITLE = N_("Count")

    def show(self, area: Area, ahead: str) -> None:
        """Show the breakdown of a count, and the text ``ahead``, which tells who leads."""
        text = Text(no_wrap=True, overflow="ellipsis")
        if is_narrow(self):
            for colour in (BLACK, WHITE):
                text.append(f"{STONES[colour]} {describe_sum(area, colour).replace(' ', '')}\n")
        else:
            rows = [
                (_("stones"), area.black.stones, area.white.stones),
                (_("territory"), area.black.territory, area.white.territory),
                (_("passes"), _minus(area.black.passes), _minus(area.white.passes)),
                (_("komi"), "", signed(area.white.komi)),
                (_("total"), signed(area.black.total), signed(area.white.total)),
            ]
            text.append(f"{'':<12}{STONES[BLACK]:>7}{STONES[WHITE]:>7}\n")
            for label, black, white in rows:
                style = "bold" if label == rows[-1][0] else ""
                text.append(f"{set_cell_size(label, 12)}{black:>7}{white:>7}\n", style=style)
        text.append(ahead, style="bold")
        self.write(text)


def _minus(count: int) -> str:
    return f"−{count}" if count else "0"


class CommentPane(VerticalScroll):
    """Shows a comment; the screen has the class ``-commented`` where there is one."""

    DEFAULT_CSS = "CommentPane { display: none; height: auto; max-height: 10; }"
    can_focus = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._text: str | None = None
        self._body = Static("")

    def compose(self) -> ComposeResult:
        yield self._body

    def show(self, comment: str, title: str | None, *, at_end: bool = False) -> None:
        """Show a comment without control characters, scrolled to its beginning or its end (``at_end``)."""
        entitle(self, title)
        if comment != self._text:
            self._text = comment
            self._body.update(Paragraph(Text(comment)))
            (self.scroll_end if at_end else self.scroll_home)(animate=False)


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
        & > .tree--other { color: $text-muted; }
        & > .tree--number { color: $text-muted; }
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
        if (parent := continued(before, view)) is not None:
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
                    mark = mistake_mark(self, self._view.mistakes[node], styles["path"])
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
_CUT_OUT: Final = Style(reverse=True)
_LOSSES: Final = {Grade.INACCURACY: "▖", Grade.MISTAKE: "▄", Grade.BLUNDER: "█"}


class GraphPane(DrawnWidget, StripWidget):
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
        & > .graph--axis { color: $text-muted; }
        & > .graph--head { color: $foreground; text-style: bold; }
        & > .graph--win { color: $success; text-style: bold; }
        & > .graph--inaccuracy { color: $text-muted; }
        & > .graph--mistake { color: $warning; }
        & > .graph--blunder { color: $error; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._line_nodes: Sequence[Node] = ()
        self._found: list[Evaluation | None] = []
        self._evaluated: Sequence[EvaluatedMove] = []
        self._current = 0
        self._graph: Graph | None = None
        self._empty_in = ""
        """The language in which the pane says that nothing is evaluated; empty if it does not say so."""
        self._wins: dict[int, int] = {}
        """For each column the row of the win rate's mark."""
        self._lost: dict[int, float] = {}
        """The points that moves lost, where known, by their place on the line."""
        self._worst: dict[int, Grade] = {}
        """For each column the grade of its worst move."""

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
                self._lay_out()
        self._current = current.depth
        if self._graph is not None:
            self.redraw()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        width, height = self.content_size
        self._graph = None
        self._empty_in = "" if any(self._found) else language()
        if any(self._found) and width > _AXIS and height > 1:
            leads = [nan if found is None or found.lead is None else found.lead for found in self._found]
            span = max([_LEAST / 2, *(abs(lead) for lead in leads if not isnan(lead))])
            graph = draw(leads, width - 2 * self._side, height - (3 if self._roomy else 1), span)
            self._graph, self._wins = graph, {}
            for place, found in zip(graph.places, self._found, strict=True):
                if found is not None:
                    self._wins[place] = min(len(graph.rows) - 1, int((1 - found.black) * len(graph.rows)))
            self._lost = {move.node.depth: move.lost for move in self._evaluated}
            by_loss = sorted(self._lost.items(), key=itemgetter(1))
            self._worst = {graph.places[depth]: grade_of(lost) for depth, lost in by_loss}
        self.redraw()

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

    def _draw(self) -> list[Strip]:
        ground = self.rich_style
        return [self._line(y, ground) for y in range(self.content_size.height)]

    def _line(self, y: int, ground: Style) -> Strip:
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
                segments = [Segment(" " * self._side, ground), *self._lost_points(graph, ground)]
            elif row == len(graph.rows) + 1:
                segments = [Segment(self._legend(width), self._style("axis"))]
        return Strip(segments).adjust_cell_length(width, ground)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"graph--{name}")

    def _head(self) -> str:
        node, found = self._line_nodes[self._current], self._found[self._current]
        head = _("Move {number}").format(number=node.number)
        if found is None:
            return _("{head}: not evaluated").format(head=head)
        parts = [head]
        if found.lead is not None:
            parts.append(found.describe_lead())
        parts.append(_("B {share}").format(share=f"{found.black:.0%}"))
        lost = self._lost.get(self._current, 0.0)
        if lost >= 0.05:
            parts.append(describe_lost(lost))
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
            won = self._wins.get(column) == row
            full = row != graph.zero and _BLOCKS.index(character).bit_count() > 2
            if won and not full:
                sign, style = _WIN, self._style("win")
            if column == here:
                style = style + self._style("current")
            elif column > here and sign is not _WIN:
                style = self._style("after")
            if won and full:
                # Where the lead is large the bars reach the win rates: the mark is cut out of them.
                sign, style = _WIN, style + _CUT_OUT
            segments.append(Segment(sign, style))
        return list(Segment.simplify(segments))

    def _bar_style(self, graph: Graph, row: int, column: int) -> Style:
        """Return the style of a bar; on the middle line, which both sides share, that of the leading side."""
        if row != graph.zero:
            return self._style("black" if row < graph.zero else "white")
        found = self._found[graph.value_at(column)]
        return self._style("black" if found is not None and (found.lead or 0) > 0 else "white")

    def _lost_points(self, graph: Graph, ground: Style) -> list[Segment]:
        """Return the marks of moves that lost points; of several in one column the worst."""
        signs = []
        for column in range(len(graph.rows[0])):
            grade = self._worst.get(column, Grade.GOOD)
            sign, style = (_LOSSES[grade], self._style(grade.name.lower())) if grade else (" ", ground)
            signs.append(Segment(sign, style))
        return list(Segment.simplify(signs))

    def on_click(self, event: events.Click) -> None:
        graph = self._graph
        if graph is not None:
            place = event.get_content_offset_capture(self).x - self._side
            self.post_message(HistoryPane.NodeSelected(self._line_nodes[graph.value_at(place)]))


_LEAST_WIDTHS = (4, 5, 6, 5, 5)
"""The minimum widths of the columns: move, win rate, score lead, points lost and visits."""


class CandidatesPane(Static):
    """The moves, best first, in the colours of their marks on the board.

    Args:
        choose: called with the point of a move that was clicked.
    """

    DEFAULT_CSS = """
    CandidatesPane { height: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    """
    ALLOW_SELECT = False
    _best: BestMoves | None = None
    _first: int = 0

    def __init__(self, choose: Callable[[int], None], *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._choose = choose

    def show(self, best: BestMoves | None, pointed_at: int, view: View, *, on: bool, searching: bool) -> None:
        """Show the analysis of a position.

        Args:
            best: the result of the search, None without one.
            pointed_at: the point under the cursor or the mouse, whose move stands out.
            view: the position.
            on: whether the analysis is on.
            searching: whether a search is under way.
        """
        self._best = best
        text = Text(no_wrap=True, overflow="ellipsis")
        if best is None:
            text.append(_state(view, on=on, searching=searching), style=tone(self, "muted"))
            self.update(text, layout=False)
            return
        if not is_narrow(self):
            text.append(describe_balance(best.lines[0].win, best.mover) + "\n", style="bold")
            whose = _("Win rates for {colour}").format(colour=colour_word(best.mover))
            text.append(whose + "\n" + best.evaluation.describe_source() + "\n", style=tone(self, "muted"))
        heads = () if is_narrow(self) else (_("Move"), _("Win%"), _("Lead"), _("Lost"), _("Visits"))
        self._first = text.plain.count("\n") + bool(heads)
        torus, style = view.torus, view.names
        pointed = best.at(pointed_at)
        lines = best.lines[: max(1, self.content_size.height - self._first)]
        rows = [
            (
                move_name(candidate.move, torus, style),
                f"{candidate.win:.0%}",
                # In whole points from 10 on: with another decimal there would be no room for the visits.
                describe_lead(candidate.margin, short=True),
                describe_lost(best.lost(candidate), short=True),
                short_count(candidate.visits),
            )
            for candidate in lines
        ]
        widths = _fitting((heads, *rows) if heads else rows, self.content_size.width - 2)
        if heads:
            text.append("  " + _cells(heads, widths) + "\n", style=tone(self, "muted"))
        for candidate, cells in zip(lines, rows, strict=True):
            text.append("■ ", style=self._colour(grade_of(best.lost(candidate))))
            text.append(_cells(cells, widths) + "\n", style="reverse" if candidate is pointed else "")
        self.update(text, layout=False)

    def _colour(self, grade: int) -> Style:
        palette = signs_of(self).palette
        if palette.plain:
            return Style()
        background = self.rich_style.bgcolor
        triplet = background.triplet if background is not None else None
        ground = (triplet.red, triplet.green, triplet.blue) if triplet is not None else palette.frame
        return style_of(getattr(palette.bright, GRADES[grade]), ground)

    def on_click(self, event: events.Click) -> None:
        place, best = event.get_content_offset_capture(self).y - self._first, self._best
        if best is not None and 0 <= place < len(best.lines):
            move = best.lines[place].move
            if move != PASS:
                self._choose(move)


def _state(view: View, *, on: bool, searching: bool) -> str:
    if not on:
        return with_keys(_("{analysis} starts the analysis"))
    if view.is_over:
        return _("The game is over here")
    if all_equal(view.node, view.stones):
        return _("All points are equal")
    return _("Looking for the best moves …") if searching else _("Nothing is found yet")


def _fitting(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return the widths of the columns that fit; the last ones are dropped whole if they do not."""
    columns = [max(map(cell_len, texts)) + (place > 0) for place, texts in enumerate(zip(*rows, strict=True))]
    widths = [max(column, least) for column, least in zip(columns, _LEAST_WIDTHS, strict=True)]
    while len(widths) > 1 and sum(widths) > room:
        widths.pop()
    return widths


def _cells(texts: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(texts, widths, strict=False)
    return set_cell_size(*first) + "".join(right(*other) for other in others)
