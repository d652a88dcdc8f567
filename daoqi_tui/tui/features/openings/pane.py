"""The pane of the opening of the game."""

from __future__ import annotations

from rich.cells import set_cell_size
from rich.text import Text
from textual.widgets import Static

from daoqi_tui.analysis.opening_index import NextMove
from daoqi_tui.engine import PASS, Style, Torus
from daoqi_tui.i18n import _, language, plural
from daoqi_tui.play.openings import OpeningView
from daoqi_tui.play.wording import with_keys
from daoqi_tui.tui.look import STONES, tone
from daoqi_tui.tui.panes import is_narrow

_BARS = 8


class OpeningPane(Static):
    """The opening of the game by number and name, and the next moves in the games of the library."""

    DEFAULT_CSS = """
    OpeningPane { height: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    .-wide OpeningPane { text-wrap: wrap; }
    """

    def show(self, view: OpeningView, torus: Torus, style: Style) -> None:
        text = Text(no_wrap=True, overflow="ellipsis")
        kind = view.opening.kind
        if kind is None:
            text.append(_("No opening yet") + "\n", style="bold")
            if not is_narrow(self):
                text.append(_("Identified by the first\ntwo moves.") + "\n", style=tone(self, "muted"))
        else:
            number = _("Opening {number} of {count}").format(number=kind.number, count=view.classes)
            text.append(number, style=tone(self, "accent", bold=True))
            text.append(f"\n{kind.name.in_language(language())}\n")
        if not is_narrow(self):
            text.append(with_keys(_("{standard} standard form  ·  {openings} all")) + "\n\n", style=tone(self, "muted"))
        self._append_moves(text, view, torus, style)
        self.update(text, layout=False)

    def _append_moves(self, text: Text, view: OpeningView, torus: Torus, style: Style) -> None:
        found = view.found
        if found is None or not found.tally.games:
            if not is_narrow(self):
                text.append(_("No game in your library\nreached this position."), style=tone(self, "muted"))
            return
        games = plural("{count} game in the library", "{count} games in the library", found.tally.games)
        if is_narrow(self):
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
    """Return the first point of a move, with an ellipsis if others are equivalent by symmetry."""
    if move.points == (PASS,):
        return _("pass")
    name = torus.name(move.points[0], style)
    return f"{name}…" if len(move.points) > 1 else name
