"""A list of the best moves in the analysed position; a click puts the cursor on a move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual import events
from textual.widgets import Static

from daoqi_tui.engine import PASS
from daoqi_tui.i18n import _
from daoqi_tui.play.evaluation import grade_of, lead_words, lost_words
from daoqi_tui.play.hints import BestMoves, short_count
from daoqi_tui.play.players import no_network_words
from daoqi_tui.play.words import move_name, with_keys
from daoqi_tui.tui.board.paint import GRADES
from daoqi_tui.tui.look.text import signs_of, style_of, tone
from daoqi_tui.tui.panes.pane import is_narrow

if TYPE_CHECKING:
    from daoqi_tui.tui.game.screen import GameScreen

_LEAST = (4, 5, 6, 5, 5)
"""The minimum widths of the columns: move, win rate, score lead, points lost and visits."""


class CandidatesPane(Static):
    """The moves, best first, in the colours of their marks on the board."""

    DEFAULT_CSS = """
    CandidatesPane { height: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    """
    ALLOW_SELECT = False
    _best: BestMoves | None = None
    _first: int = 0
    """The row of the first move."""

    def show(self, screen: GameScreen) -> None:
        """Show the analysis of the position."""
        best = self._best = screen.analysis.best if screen.analysis.on else None
        text = Text(no_wrap=True, overflow="ellipsis")
        if best is None:
            text.append(self._state(screen), style=tone(self, "muted"))
            self.update(text, layout=False)
            return
        if not is_narrow(self):
            text.append(best.state_words().replace("  ·  ", "\n") + "\n", style="bold")
            text.append(best.evaluation.source_words() + "\n", style=tone(self, "muted"))
            if best.evaluation.source == "playouts":
                missing = no_network_words(screen.options.net, screen.net())
                text.append(f"{missing}\n" if missing else "", style=tone(self, "muted"))
        heads = () if is_narrow(self) else (_("Move"), _("Win%"), _("Lead"), _("Lost"), _("Visits"))
        self._first = text.plain.count("\n") + bool(heads)
        torus, style = screen.session.game.torus, screen.options.names
        pointed = best.at(screen.cursor.pointed_at)
        lines = best.lines[: max(1, self.content_size.height - self._first)]
        rows = [
            (
                move_name(candidate.move, torus, style),
                f"{candidate.win:.0%}",
                # In whole points from 10 on: with another decimal there would be no room for the visits.
                lead_words(candidate.margin, short=True),
                lost_words(best.lost(candidate), short=True),
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

    def _state(self, screen: GameScreen) -> str:
        if not screen.analysis.on:
            return with_keys(_("{analysis} starts the analysis"))
        if screen.session.game.is_over:
            return _("The game is over here")
        return _("Looking for the best moves …") if screen.analysis.searching else _("Too few playouts")

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
        from daoqi_tui.tui.game.screen import GameScreen  # noqa: PLC0415 (imports this module)

        place, screen, best = event.get_content_offset_capture(self).y - self._first, self.screen, self._best
        if best is not None and isinstance(screen, GameScreen) and 0 <= place < len(best.lines):
            move = best.lines[place].move
            if move != PASS:
                screen.analysis.point_at(move)


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
