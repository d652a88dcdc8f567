"""A list of games that stays quick with ten thousand of them: only what is in view is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.i18n import _
from daoqi_tui.record.library_entry import Entry


class GameList(Widget, can_focus=True):
    """One row a game, the highlighted one always in view."""

    ALLOW_SELECT = False
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "move(-1_000_000)", show=False),
        Binding("end", "move(1_000_000)", show=False),
        Binding("enter", "choose", show=False),
    ]
    COMPONENT_CLASSES = {"games--highlighted", "games--dim"}  # noqa: RUF012 (Textual's form)
    DEFAULT_CSS = """
    GameList {
        width: 1fr; height: 1fr;
        & > .games--highlighted { background: $primary; color: $text; text-style: bold; }
        & > .games--dim { color: $foreground 60%; }
    }
    """

    @dataclass
    class Highlighted(Message):
        """Another game is highlighted, or none."""

        entry: Entry | None

    @dataclass
    class Chosen(Message):
        """A game was chosen, to be opened."""

        entry: Entry

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._entries: Sequence[Entry] = ()
        self._place = 0
        self._top = 0

    @property
    def highlighted(self) -> Entry | None:
        """The game under the highlight."""
        return self._entries[self._place] if self._place < len(self._entries) else None

    def show(self, entries: Sequence[Entry]) -> None:
        """List other games; the highlight stays on the same one if it is among them."""
        before = self.highlighted
        self._entries = entries
        files = [entry.file for entry in entries]
        self._place = files.index(before.file) if before is not None and before.file in files else 0
        self._moved()

    def action_move(self, rows: int) -> None:
        """Move the highlight."""
        self._place = max(0, min(self._place + rows, len(self._entries) - 1))
        self._moved()

    def action_page(self, pages: int) -> None:
        """Move the highlight by what is in view."""
        self.action_move(pages * max(1, self.size.height - 1))

    def action_choose(self) -> None:
        """Open the highlighted game."""
        if (entry := self.highlighted) is not None:
            self.post_message(self.Chosen(entry))

    def _moved(self) -> None:
        height = max(1, self.size.height)
        self._top = max(min(self._top, self._place), self._place - height + 1, 0)
        self.post_message(self.Highlighted(self.highlighted))
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Highlight a game; at the second click on it open it."""
        place = self._top + event.y
        if place >= len(self._entries):
            return
        again = place == self._place
        self._place = place
        self._moved()
        if again:
            self.action_choose()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move up."""
        event.stop()
        self.action_move(-3)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move down."""
        event.stop()
        self.action_move(3)

    def render_line(self, y: int) -> Strip:
        """Draw one game."""
        place, width = self._top + y, self.size.width
        if place >= len(self._entries):
            return Strip.blank(width, self.rich_style)
        entry = self._entries[place]
        if place == self._place:
            style = self.get_component_rich_style("games--highlighted")
        else:
            style = self.get_component_rich_style("games--dim") if entry.problem else self.rich_style
        return Strip([Segment(row_words(entry, width), style)]).adjust_cell_length(width, style)


def row_words(entry: Entry, width: int) -> str:
    """Write one game in ``width`` cells: date, players or name, size, moves and result."""
    date = f"{entry.date:10.10}"
    size = f"{entry.size}×{entry.size}" if entry.size else "?"
    end = f" {size:>5} {entry.moves:>4} {entry.result:>8.8}"
    room = width - cell_len(date) - cell_len(end) - 2
    players = f"{entry.black or _('Black')} – {entry.white or _('White')}" if entry.black or entry.white else ""
    # Games without names are called by when they were played, which stands there already.
    file = entry.file.removeprefix(entry.date).removesuffix(".sgf").strip() or entry.file
    players = " · ".join(filter(None, (players, entry.name))) or file
    if room < 8:
        return f" {_cut(players, width - 1)}"
    return f" {date} {_cut(players, room)}{end}"


def _cut(words: str, width: int) -> str:
    """Words in exactly so many cells, with a sign that some are missing."""
    return set_cell_size(words, width) if cell_len(words) <= width else set_cell_size(words, width - 1) + "…"
