"""What the opening is called, and what others played here."""

from __future__ import annotations

from rich.cells import set_cell_size
from rich.text import Text

from daoqi_tui.analysis.opening_records import NextMove
from daoqi_tui.engine import PASS, Style, Torus
from daoqi_tui.i18n import _, plural
from daoqi_tui.tui.bound_keys import with_keys
from daoqi_tui.tui.opening_view import OpeningView
from daoqi_tui.tui.stone_sign import STONES
from daoqi_tui.tui.tones import tone
from daoqi_tui.tui.widgets.panes import Pane

_BARS = 8
"""Cells of the longest bar."""


class OpeningPane(Pane):
    """The class of the present game, by number and by name in both languages."""

    DEFAULT_CSS = """
    OpeningPane { height: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    .-wide OpeningPane { text-wrap: wrap; }
    """

    def show(self, view: OpeningView, torus: Torus, style: Style) -> None:
        """Show what is known of an opening."""
        text = Text(no_wrap=True, overflow="ellipsis")
        kind = view.opening.kind
        if kind is None:
            text.append(_("No opening yet") + "\n", style="bold")
            if not self.narrow:
                text.append(
                    _("It is told by the first black\nand the first white stone.") + "\n", style=tone(self, "muted")
                )
        else:
            number = _("Opening {number} of {count}").format(number=kind.number, count=view.classes)
            text.append(number, style=tone(self, "accent", bold=True))
            text.append(f"\n{kind.name.english}\n")
            if not self.narrow or view.found is None or not view.found.moves:
                text.append(f"{kind.name.chinese}\n")
        if not self.narrow:
            text.append(with_keys(_("{standard} standard form  ·  {openings} all")) + "\n\n", style=tone(self, "muted"))
        self._append_moves(text, view, torus, style)
        self.write(text)

    def write(self, text: Text) -> None:
        """Show ``text``; the title stands on the frame around all such panes."""
        self.update(text, layout=False)

    def _append_moves(self, text: Text, view: OpeningView, torus: Torus, style: Style) -> None:
        found = view.found
        if found is None or not found.tally.games:
            if not self.narrow:
                text.append(_("No game of your library\ncame to this position."), style=tone(self, "muted"))
            return
        games = plural("{count} game of the library", "{count} games of the library", found.tally.games)
        if self.narrow:
            best = "  ".join(f"{_where(move, torus, style)} {move.tally.games}×" for move in found.moves[:6])
            text.append(best or games, style=tone(self, "muted"))
            return
        text.append(games + "\n", style="bold")
        most = max((move.tally.games for move in found.moves), default=1)
        for move in found.moves[: max(1, self.content_size.height - 7)]:
            tally = move.tally
            bar = "▆" * max(1, round(_BARS * tally.games / most))
            text.append(f"{set_cell_size(_where(move, torus, style), 5)}{tally.games:>4} ")
            text.append(f"{bar:<{_BARS}}", style=tone(self, "primary"))
            text.append(f" {STONES[1]}{tally.black:>2} {STONES[2]}{tally.white:>2}\n", style=tone(self, "muted"))


def _where(move: NextMove, torus: Torus, style: Style) -> str:
    """Where a move stands: its first point, and a sign that others are the same by symmetry."""
    if move.points == (PASS,):
        return _("pass")
    name = torus.name(move.points[0], style)
    return f"{name}…" if len(move.points) > 1 else name
