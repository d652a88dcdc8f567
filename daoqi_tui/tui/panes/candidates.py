"""The best moves of the position that is analysed, in a list; a click brings the cursor to a move."""

from __future__ import annotations

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
from daoqi_tui.tui.look.palette import style_of
from daoqi_tui.tui.look.text import signs_of, tone
from daoqi_tui.tui.panes.pane import is_narrow

if TYPE_CHECKING:
    from daoqi_tui.tui.game.screen import GameScreen

_WIDTHS = (4, 5, 7, 5, 5)
"""Cells of a move, its win rate, its score lead, the points it loses and its visits."""


class CandidatesPane(Static):
    """The moves, best first, in the colours that they have on the board."""

    DEFAULT_CSS = """
    CandidatesPane { height: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    """
    ALLOW_SELECT = False
    _best: BestMoves | None = None
    _first: int = 0
    """The row of the first move."""

    def show(self, screen: GameScreen) -> None:
        """Show what is known of the position."""
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
        counted = _("Playouts") if best.evaluation.source == "playouts" else _("Visits")
        heads = _("Move"), _("Win%"), _("Lead"), _("Lost"), counted
        if not is_narrow(self):
            text.append("  " + _cells(heads) + "\n", style=tone(self, "muted"))
        self._first = text.plain.count("\n")
        torus, style = screen.session.game.torus, screen.options.names
        pointed = best.at(screen.cursor.pointed_at)
        rows = max(1, self.content_size.height - self._first)
        for candidate in best.lines[:rows]:
            lost = best.lost(candidate)
            cells = (
                move_name(candidate.move, torus, style),
                f"{candidate.win:.0%}",
                # In whole points from 10 on: a decimal more of each would cut the visits off.
                lead_words(candidate.margin, short=True),
                lost_words(lost, short=True),
                short_count(candidate.visits),
            )
            text.append("■ ", style=self._colour(grade_of(lost)))
            text.append(_cells(cells) + "\n", style="reverse" if candidate is pointed else "")
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
        """Bring the cursor to the move that was clicked, whose line then shows."""
        from daoqi_tui.tui.game.screen import GameScreen  # noqa: PLC0415 (which shows this)

        place, screen, best = event.get_content_offset_capture(self).y - self._first, self.screen, self._best
        if best is not None and isinstance(screen, GameScreen) and 0 <= place < len(best.lines):
            move = best.lines[place].move
            if move != PASS:
                screen.analysis.point_at(move)


def _cells(texts: tuple[str, ...]) -> str:
    """Lay texts out in columns: the first to the left, the others to the right."""
    first, *others = zip(texts, _WIDTHS, strict=True)
    return set_cell_size(*first) + "".join(_right(text, width) for text, width in others)


def _right(text: str, width: int) -> str:
    return " " * max(1, width - cell_len(text)) + text
