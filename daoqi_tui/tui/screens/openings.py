"""All openings of two moves, as small boards."""

from __future__ import annotations

from typing import Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import ItemGrid, VerticalScroll
from textual.widgets import Static

from daoqi_tui.analysis.opening_class import OpeningClass, class_count, opening_classes
from daoqi_tui.i18n import _, plural
from daoqi_tui.tui.palette import KAYA, RGB, blend
from daoqi_tui.tui.screens.dialogs import Page
from daoqi_tui.tui.tones import tone

_MARGIN: Final = 2
"""Lines of the torus shown before Black's stone."""
_WIDTH: Final = 23
"""Cells that a board of the standard size and its name take at least."""


class OpeningsScreen(Page):
    """A page of small boards in standard form, each with its name and how often it was played."""

    BINDINGS = [Binding("escape,q,O,enter", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, size: int, counts: dict[int, int], present: int | None) -> None:
        """Show the classes of boards of ``size``, with the games of each, the ``present`` one marked."""
        super().__init__()
        self._board_size, self._counts, self._present = size, counts, present

    def compose(self) -> ComposeResult:
        """Lay out one scrolling page."""
        size = self._board_size
        with VerticalScroll(classes="dialog", id="openings") as page:
            page.border_title = _("The {count} openings of {size}×{size}").format(count=class_count(size), size=size)
            page.border_subtitle = self.way_out()
            with ItemGrid(min_column_width=_WIDTH, stretch_height=False):
                for kind in opening_classes(size):
                    here = kind.number == self._present
                    classes = "opening -present" if here else "opening"
                    yield Static(self._picture(kind, here=here), classes=classes, id=f"opening-{kind.number}")

    def on_mount(self) -> None:
        """Begin at the opening of the game."""
        self.query_one("#openings").focus()
        if self._present is not None:
            self.call_after_refresh(self.query_one(f"#opening-{self._present}").scroll_visible, animate=False)

    def _picture(self, kind: OpeningClass, *, here: bool) -> Text:
        text = Text(no_wrap=True, overflow="ellipsis")
        for line in small_board(kind, self._board_size):
            text.append_text(line)
            text.append("\n")
        text.append(f"{kind.number}", style=tone(self, "accent", bold=True))
        games = self._counts.get(kind.number, 0)
        if games:
            text.append("  " + plural("{count} game", "{count} games", games), style="bold")
        if here:
            text.append("  " + _("this game"), style=tone(self, "foreground", bold=True))
        text.append(f"\n{kind.name.english}\n", style=tone(self, "foreground"))
        text.append(kind.name.chinese, style=tone(self, "muted"))
        return text


def small_board(kind: OpeningClass, size: int) -> list[Text]:
    """A board in standard form, a square pixel a point and two rows to a line."""
    black, white = kind.points(size)
    shades, pixels = KAYA.bright, [[KAYA.frame] * size for _row in range(size)]
    for point in range(size * size):
        row, column = divmod(point, size)
        tone = shades.board if (row + column) % 2 else blend(shades.board, shades.line, 0.16)
        pixels[(row + _MARGIN) % size][(column + _MARGIN) % size] = {black: shades.black, white: shades.white}.get(
            point, tone
        )
    lines = []
    for row in range(0, size, 2):
        line = Text()
        for column, upper in enumerate(pixels[row]):
            below = f" on {_hex(pixels[row + 1][column])}" if row + 1 < size else ""
            line.append("▀", style=_hex(upper) + below)
        lines.append(line)
    return lines


def _hex(colour: RGB) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
