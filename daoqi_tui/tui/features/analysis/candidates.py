"""A list of the best moves in the analysed position; a click puts the cursor on a move."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual import events
from textual.widgets import Static

from daoqi_tui.engine import PASS
from daoqi_tui.i18n import _
from daoqi_tui.play.evaluation import describe_lead, describe_lost, grade_of
from daoqi_tui.play.hints import BestMoves, short_count
from daoqi_tui.play.view import View
from daoqi_tui.play.wording import move_name, with_keys
from daoqi_tui.tui.board.paint import GRADES
from daoqi_tui.tui.look.text import signs_of, style_of, tone
from daoqi_tui.tui.panes.pane import is_narrow

_LEAST = (4, 5, 6, 5, 5)
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
    """The row of the first move."""

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
            text.append(best.describe_state().replace("  ·  ", "\n") + "\n", style="bold")
            text.append(best.evaluation.describe_source() + "\n", style=tone(self, "muted"))
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
        """Put the cursor on the move that was clicked, which shows its line."""
        place, best = event.get_content_offset_capture(self).y - self._first, self._best
        if best is not None and 0 <= place < len(best.lines):
            move = best.lines[place].move
            if move != PASS:
                self._choose(move)


def _state(view: View, *, on: bool, searching: bool) -> str:
    """Describe why there are no moves to show."""
    if not on:
        return with_keys(_("{analysis} starts the analysis"))
    if view.is_over:
        return _("The game is over here")
    return _("Looking for the best moves …") if searching else _("Too few visits")


def _fitting(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return the widths of the columns that fit; the last ones are dropped whole if they do not."""
    columns = [max(map(cell_len, texts)) + (place > 0) for place, texts in enumerate(zip(*rows, strict=True))]
    widths = [max(column, least) for column, least in zip(columns, _LEAST, strict=True)]
    while len(widths) > 1 and sum(widths) > room:
        widths.pop()
    return widths


def _cells(texts: Sequence[str], widths: Sequence[int]) -> str:
    """Lay out texts in the given columns: the first left-aligned, the others right-aligned."""
    first, *others = zip(texts, widths, strict=False)
    return set_cell_size(*first) + "".join(" " * (width - cell_len(text)) + text for text, width in others)
