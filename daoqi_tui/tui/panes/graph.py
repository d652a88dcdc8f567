"""A graph of score lead and win rate over the game, with the moves that lost points; a click goes to a move."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip

from daoqi_tui.engine import Node
from daoqi_tui.i18n import _, language
from daoqi_tui.play.evaluation import Evaluation, Evaluations, Grade, JudgedMove, describe_lost
from daoqi_tui.play.wording import with_keys
from daoqi_tui.tui.board.strips import StripWidget
from daoqi_tui.tui.panes.history import HistoryPane

_BLOCKS: Final = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""By the sum of the bits of its quarters: 1 and 2 above, 4 and 8 below. Every font has them, unlike braille."""
_LEAST: Final = 8
"""The minimum range of the graph in points, so that small swings stay small."""


@dataclass(frozen=True, slots=True)
class Graph:
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
"""The mark of the win rate."""
_LOSSES: Final = {Grade.INACCURACY: "▖", Grade.MISTAKE: "▄", Grade.BLUNDER: "█"}
"""The marks below the graph of moves that lost points."""


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
        self._line_nodes: list[Node] = []
        self._found: list[Evaluation | None] = []
        self._lost: dict[int, float] = {}
        """The points that moves lost, where known, by their place on the line."""
        self._grades: dict[int, Grade] = {}
        self._places: dict[Node, int] = {}
        self._judged: Sequence[JudgedMove] | None = None
        """The judged moves that are drawn."""
        self._strips: dict[int, Strip] = {}
        self._styles: dict[str, Style] = {}
        self._current = 0
        self._graph: Graph | None = None
        self._empty_in = ""
        """The language in which the pane says that nothing is evaluated; empty if it does not say so."""
        self._wins: dict[int, int] = {}
        """For each column the row of the win rate's mark."""

    def show(self, current: Node, end: Node, evaluations: Evaluations, judged: Sequence[JudgedMove]) -> None:
        """Draw the line through ``current`` to ``end``.

        Args:
            current: the current node.
            end: the last node of the line.
            evaluations: the evaluations of the positions.
            judged: the moves whose loss is known; the graph is redrawn only if this is another object than last time.
        """
        if judged is not self._judged:
            self._judged = judged
            self._line_nodes = [*end.path(), *end.line()]
            self._places = {node: place for place, node in enumerate(self._line_nodes)}
            self._found = [evaluations.of(node) for node in self._line_nodes]
            self._lost = {self._places[move.node]: move.lost for move in judged}
            self._grades = {self._places[move.node]: move.grade for move in judged}
            if any(self._found) or self._empty_in != language():
                self._draw()
        self._current = self._places[current]
        if self._graph is not None:
            self._strips.clear()
            self.refresh()

    def on_resize(self) -> None:
        """Redraw in the new size."""
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
        self.refresh()

    @property
    def _roomy(self) -> bool:
        return self.content_size.width > 4 * _AXIS and self.content_size.height >= _ROOMY

    @property
    def _side(self) -> int:
        """The width of the scale on each side of the graph."""
        return _AXIS if self._roomy else 0

    def notify_style_update(self) -> None:
        """Redraw in other colours."""
        super().notify_style_update()
        self._strips.clear()
        self._styles.clear()

    def render_line(self, y: int) -> Strip:
        """Draw a line: the heading, the graph, the marks of losses, or the legend."""
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
                segments = [Segment(" " * self._side, self._ground), *self._losses(graph)]
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
        """Describe the evaluation of the current position, as far as there is room."""
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
        words = _("█ lead  ▪ win rate  below: ▖ ▄ █ points lost")
        return words if cell_len(words) <= width else _("█ lead  ▪ win rate")

    def _left_scale(self, graph: Graph, row: int) -> list[Segment]:
        """Return the scale of points beside a row."""
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
        """Return the scale of Black's win rate beside a row."""
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

    def _losses(self, graph: Graph) -> list[Segment]:
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
        """Go to the move that was clicked."""
        graph = self._graph
        if graph is not None:
            place = event.get_content_offset_capture(self).x - self._side
            self.post_message(HistoryPane.NodeSelected(self._line_nodes[graph.value_at(place)]))
