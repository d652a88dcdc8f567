"""The pane with the name of the current opening and the moves played from it, and small boards."""

from __future__ import annotations

from math import isqrt

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.text import Text
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from daoqi_tui.analysis.opening_index import NextMove
from daoqi_tui.engine import PASS, Style, Torus
from daoqi_tui.i18n import _, language, plural
from daoqi_tui.pictures.palettes import KAYA, RGB, Palette
from daoqi_tui.play.openings import OpeningView
from daoqi_tui.play.wording import with_keys
from daoqi_tui.tui.board.strips import PixelStrip, packed
from daoqi_tui.tui.look.text import STONES, signs_of, tone
from daoqi_tui.tui.panes.minimap import board_pixels, board_signs, fitting_scale
from daoqi_tui.tui.panes.pane import is_narrow

_BARS = 8
"""The width of the longest bar."""


class OpeningPane(Static):
    """The opening of the game by number and name, and the next moves in the games of the library."""

    DEFAULT_CSS = """
    OpeningPane { height: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
    .-wide OpeningPane { text-wrap: wrap; }
    """

    def show(self, view: OpeningView, torus: Torus, style: Style) -> None:
        """Show an opening."""
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


def in_signs(widget: Widget) -> bool:
    """Return whether small boards are drawn in characters, since colours or half blocks are missing."""
    return widget.app.no_color or not signs_of(widget).glyphs.blocks


class SmallBoard(Widget):
    """A board drawn in pixels, as large as it fits, or in characters; see :func:`in_signs`."""

    DEFAULT_CSS = """
    SmallBoard { width: 1fr; height: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._stones = b""
        self._last: int | None = None
        self._palette: Palette = KAYA
        self._strips: list[Strip] | None = None

    def on_mount(self) -> None:
        """Set a class for the style sheets, since a board in characters needs more lines."""
        self.set_class(in_signs(self), "-signs")

    def show(self, stones: bytes, last: int | None = None, palette: Palette = KAYA) -> None:
        """Show a board, given as the colour of each point; nothing if there are none."""
        resized = len(stones) != len(self._stones)
        self._stones, self._last, self._palette = stones, last, palette
        self._strips = None
        self.refresh(layout=resized)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 (Textual's form)
        """Return the height of a board in characters, for a height of ``auto``."""
        return isqrt(len(self._stones))

    def on_resize(self) -> None:
        """Redraw in the new size."""
        self._strips = None

    def render_line(self, y: int) -> Strip:
        """Draw two rows of pixels."""
        if self._strips is None:
            self._strips = self._draw()
        blank = Strip.blank(self.size.width, self.rich_style)
        return self._strips[y] if y < len(self._strips) else blank

    def _draw(self) -> list[Strip]:
        side = isqrt(len(self._stones))
        if not side:
            return []
        if in_signs(self):
            return self._signs(side)
        width, height = self.size
        scale = fitting_scale(side, width, 2 * height)
        if not scale:
            return []
        rows = [[packed(colour) for colour in row] for row in self._pixels(scale)]
        if len(rows) % 2:
            rows.append([packed(self._palette.frame)] * (side * scale))
        return [self._centred(PixelStrip(*pair)) for pair in zip(rows[::2], rows[1::2], strict=True)]

    def _signs(self, side: int) -> list[Strip]:
        """Draw the board in characters, if there is room for a line per row."""
        step = min(self.size.width // side, 2)
        if not step or self.size.height < side:
            return []
        rows = board_signs(self._stones, "·" * len(self._stones), signs_of(self), step, self._last)
        return [self._centred(Strip([Segment(row, self.rich_style)], side * step)) for row in rows]

    def _centred(self, strip: Strip) -> Strip:
        left = (self.size.width - strip.cell_length) // 2
        rest = self.size.width - left - strip.cell_length
        return Strip.join([Strip.blank(left, self.rich_style), strip, Strip.blank(rest, self.rich_style)])

    def _pixels(self, scale: int) -> list[tuple[RGB, ...]]:
        return list(board_pixels(self._stones, self._last, scale, self._palette.bright))
