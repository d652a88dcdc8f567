"""The margin by move over the whole game; a click goes there."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from types import MappingProxyType
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.analysis.margin import MarginPoint
from daoqi_tui.engine import BLACK, WHITE, Game, Node, points_text
from daoqi_tui.i18n import _
from daoqi_tui.tui.margin_graph import Graph, draw
from daoqi_tui.tui.margin_keeper import MarginKeeper
from daoqi_tui.tui.widgets.history import HistoryPane
from daoqi_tui.tui.words import colour_word

_AXIS: Final = 5
"""Cells left of the graph for the scale."""
_ROOMY: Final = 6
"""From this height on there is room for a head, the scale and the legend."""
_TALL: Final = 12
"""From this height on there is room for the win rates below the margin."""


class GraphPane(Widget):
    """Black's lead rises from the line of zero, White's hangs from it; below it so do the chances, where known."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {  # noqa: RUF012 (Textual's form)
        "graph--black",
        "graph--white",
        "graph--after",
        "graph--current",
        "graph--axis",
        "graph--head",
        "graph--capture",
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
        & > .graph--capture { color: $error; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self.keeper: Final = MarginKeeper()
        self._points: tuple[MarginPoint, ...] = ()
        self._current = 0
        self._graph: Graph | None = None
        self._shares: list[float] = []
        self._chances: Graph | None = None

    def show(self, game: Game, end: Node, wins: Mapping[Node, float] = MappingProxyType({})) -> None:
        """Draw the line of ``game`` through ``end``, which its cursor stands on.

        ``wins`` has Black's share of the games at the nodes where a search has told it.
        """
        self._points = self.keeper.line(game, end)
        self._current = next(place for place, point in enumerate(self._points) if point.node is game.node)
        self._shares = []
        if any(point.node in wins for point in self._points):
            share = float("nan")
            for point in self._points:
                # Between two searches the last one holds.
                share = wins.get(point.node, share)
                self._shares.append(share)
        self._draw()

    def on_resize(self) -> None:
        """Draw in the new size."""
        self._draw()

    def _draw(self) -> None:
        width, height = self.content_size
        self._graph = self._chances = None
        if self._points and width > _AXIS and height > 1:
            values = [point.margin for point in self._points]
            if self._shares and self._roomy and height >= _TALL:
                rows = height // 3
                shares = [100 * share - 50 for share in self._shares]
                self._chances = draw(shares, width - self._left, rows, span=50)
                height -= rows + 1
            self._graph = draw(values, width - self._left, height - (3 if self._roomy else 1))
        self.refresh()

    @property
    def _roomy(self) -> bool:
        return self.content_size.width > 2 * _AXIS and self.content_size.height >= _ROOMY

    @property
    def _left(self) -> int:
        """Cells beside the graph."""
        return _AXIS if self._roomy else 0

    def render_line(self, y: int) -> Strip:
        """Draw a line: the head, the graph, or what happened at the moves."""
        graph, width = self._graph, self.content_size.width
        segments: list[Segment] = []
        if graph is not None:
            row = y - self._roomy
            if row < 0:
                segments = [Segment(self._head(), self._style("head"))]
            elif row < len(graph.rows):
                segments = [*self._axis(graph, row), *self._row(graph, row)]
            elif row == len(graph.rows):
                segments = [*self._axis(graph, row), *self._events(graph)]
            elif row == len(graph.rows) + 1:
                segments = [Segment(_("× capture  ▴ pass"), self._style("axis"))]
            elif self._chances is not None and row == len(graph.rows) + 2:
                segments = [Segment(self._chances_head(), self._style("head"))]
            elif self._chances is not None:
                segments = self._chances_row(self._chances, row - len(graph.rows) - 3)
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"graph--{name}")

    def _head(self) -> str:
        point = self._points[self._current]
        if isnan(point.margin):
            words = _("one colour only")
        elif not point.margin:
            words = _("equal")
        else:
            leader = colour_word(BLACK if point.margin > 0 else 3 - BLACK)
            words = _("{colour} by {points}").format(colour=leader, points=points_text(abs(point.margin)))
        return _("Move {number}: {margin}").format(number=point.node.number, margin=words)

    def _chances_head(self) -> str:
        share = self._shares[self._current]
        if isnan(share):
            return _("Chances: not searched here")
        leader, share = (BLACK, share) if share >= 0.5 else (WHITE, 1 - share)
        return _("Chances: {colour} {share}").format(colour=colour_word(leader), share=f"{share:.0%}")

    def _chances_row(self, graph: Graph, row: int) -> list[Segment]:
        if row >= len(graph.rows):
            return []
        text = "50%" if row == graph.zero else "100%" if row in (0, len(graph.rows) - 1) else ""
        return [Segment(f"{text:>{_AXIS - 1}} ", self._style("axis")), *self._row(graph, row)]

    def _axis(self, graph: Graph, row: int) -> list[Segment]:
        """The scale beside a row."""
        if not self._roomy:
            return []
        text = ""
        if row == graph.zero:
            text = "0"
        elif row == 0:
            text = f"+{graph.top:.0f}"
        elif row == len(graph.rows) - 1:
            text = f"−{-graph.bottom:.0f}"
        return [Segment(f"{text:>{_AXIS - 1}} ", self._style("axis"))]

    def _row(self, graph: Graph, row: int) -> list[Segment]:
        here = graph.places[self._current]
        last = graph.places[-1]
        side = self._style("black" if row < graph.zero else "white")
        segments = []
        for place, character in enumerate(graph.rows[row]):
            style = side if place < here else self._style("after")
            if place == here:
                style = self._style("current")
            elif row == graph.zero and place > last:
                style, character = self._style("after"), "─"
            elif row == graph.zero:
                style = self._zero_style(graph, place, here)
            segments.append(Segment(character, style))
        return segments

    def _zero_style(self, graph: Graph, place: int, here: int) -> Style:
        """The line of zero holds both sides; the side that leads there gives the colour."""
        if place > here:
            return self._style("after")
        value = graph.value_at(place)
        margin = self._shares[value] - 0.5 if graph is self._chances else self._points[value].margin
        return self._style("black" if margin > 0 else "white")

    def _events(self, graph: Graph) -> list[Segment]:
        """Captures and passes below the moves they happened at."""
        signs = [(" ", "axis")] * len(graph.rows[0])
        for place, point in zip(graph.places, self._points, strict=True):
            if point.captured or point.lost:
                signs[place] = ("×", "capture")
            elif point.is_pass and signs[place][0] == " ":
                signs[place] = ("▴", "black")
        return [Segment(sign, self._style(name)) for sign, name in signs]

    def on_click(self, event: events.Click) -> None:
        """Go to the move that was clicked."""
        graph = self._graph
        if graph is not None:
            place = event.get_content_offset_capture(self).x - self._left
            self.post_message(HistoryPane.NodeSelected(self._points[graph.value_at(place)].node))
