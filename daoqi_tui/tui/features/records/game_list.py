"""The list of games in the library: a row per game below the headings, sorted by any column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from string import hexdigits
from typing import Any, Final, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import events, on
from textual.binding import Binding
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.i18n import N_, _, name_in_language
from daoqi_tui.play.wording import brief_result
from daoqi_tui.record.library_index import LibraryEntry, folded
from daoqi_tui.text import plain_line
from daoqi_tui.tui.board import wheel_step
from daoqi_tui.tui.panes import cut, right


class GameList(Widget, can_focus=True):
    """The list of games, one per row, with the highlighted one always in view."""

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
    COMPONENT_CLASSES = {"games--highlighted", "games--dim", "games--heading"}  # noqa: RUF012 (Textual's form)
    DEFAULT_CSS = """
    GameList {
        width: 1fr; height: 1fr;
        & > .games--highlighted { background: $primary; color: $text; text-style: bold; }
        & > .games--heading { color: $foreground 70%; text-style: underline; }
        & > .games--dim { color: $text-muted; }
    }
    """

    @dataclass
    class Highlighted(Message):
        """Another game was highlighted, or none."""

        entry: LibraryEntry | None

    @dataclass
    class Chosen(Message):
        """A game was chosen, to be opened."""

        entry: LibraryEntry

    @dataclass
    class HeadingClicked(Message):
        """The heading of a column was clicked."""

        column: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._entries: Sequence[LibraryEntry] = ()
        self._columns = Columns()
        self._order = Order()
        self._place = 0
        self._clicked: int | None = None
        self._top = 0

    @property
    def highlighted(self) -> LibraryEntry | None:
        return self._entries[self._place] if self._place < len(self._entries) else None

    def show(self, listing: Listing) -> None:
        """List other games; the highlight stays on its game if it is among them."""
        before = self.highlighted
        self._entries, self._order, self._columns = listing
        files = [entry.file for entry in self._entries]
        self._place = files.index(before.file) if before is not None and before.file in files else 0
        self._moved()

    def drop(self, file: str) -> None:
        """Remove a game from the list; the highlight stays in place, on the next game."""
        self._entries = [entry for entry in self._entries if entry.file != file]
        self.action_move(0)

    def rename(self, file: str, new: str) -> None:
        """Rename a game's file, so that the highlight stays on it when the list is updated."""
        self._entries = [replace(entry, file=new) if entry.file == file else entry for entry in self._entries]

    def action_move(self, rows: int) -> None:
        self._place = max(0, min(self._place + rows, len(self._entries) - 1))
        self._moved()

    def action_page(self, pages: int) -> None:
        self.action_move(pages * max(1, self.size.height - 2))

    def action_choose(self) -> None:
        if (entry := self.highlighted) is not None:
            self.post_message(self.Chosen(entry))

    def on_resize(self) -> None:
        self._keep_in_view()

    def _moved(self) -> None:
        self._clicked = None
        self._keep_in_view()
        self.post_message(self.Highlighted(self.highlighted))

    def _keep_in_view(self) -> None:
        height = max(1, self.size.height - 1)
        self._top = max(min(self._top, self._place), self._place - height + 1, 0)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Highlight a game, or open it at the second click; a click on a heading is reported."""
        place = self._top + event.y - 1
        if event.y == 0 and (column := column_at(event.x, self.size.width, self._columns)) is not None:
            self.post_message(self.HeadingClicked(column))
        if event.y < 1 or place >= len(self._entries):
            return
        again = place == self._clicked
        self._place = place
        self._moved()
        self._clicked = place
        if again:
            self.action_choose()

    @on(events.MouseScrollUp)
    @on(events.MouseScrollDown)
    def _scrolled(self, event: events.MouseEvent) -> None:
        event.stop()
        self.action_move(3 * wheel_step(event))

    def render_line(self, y: int) -> Strip:
        place, width = self._top + y - 1, self.size.width
        if y == 0:
            style = self.get_component_rich_style("games--heading")
            text = heading(width, self._columns, self._order)
            return Strip([Segment(text, style)]).adjust_cell_length(width, style)
        if place >= len(self._entries):
            return Strip.blank(width, self.rich_style)
        entry = self._entries[place]
        if place == self._place:
            style = self.get_component_rich_style("games--highlighted")
        else:
            style = self.get_component_rich_style("games--dim") if entry.problem else self.rich_style
        return Strip([Segment(describe_row(entry, width, self._columns), style)]).adjust_cell_length(width, style)


_TITLE_LEAST: Final = 16
"""The minimum width of the column of titles."""
_TITLE_FAIR: Final = 24
"""The width of titles that the columns of sizes and moves must leave."""
_HEADINGS: Final = {
    "date": N_("Date"),
    "title": N_("Game"),
    "size": N_("Size"),
    "moves": N_("Moves"),
    "result": N_("Result"),
}
"""The columns by which the list can be sorted."""
_DIGITS: Final = 6
"""How many digits the library puts behind the names in the name of a file."""
_NOBODY: Final = ("", "Black", "White")
"""Player names that stand for no name."""


class Columns(NamedTuple):
    """The layout of the list, without gaps.

    Attributes:
        title: the width of the longest title; None uses all the space.
        dated: whether any game has a date.
    """

    title: int | None = None
    dated: bool = True


class Order(NamedTuple):
    """The order of the list.

    Attributes:
        column: a key of the headings.
        down: whether the greatest, or latest, comes first.
    """

    column: str = "date"
    down: bool = True

    def by(self, column: str) -> Order:
        return Order(column, not self.down if column == self.column else column in ("date", "moves"))

    @property
    def following(self) -> Order:
        columns = list(_HEADINGS)
        return self.by(columns[(columns.index(self.column) + 1) % len(columns)])

    def sorted(self, entries: Sequence[LibraryEntry]) -> Sequence[LibraryEntry]:
        if self == Order():
            return entries  # The library's own order, with the samples last.
        key: Callable[[LibraryEntry], Any] = {
            "date": lambda entry: entry.date,
            "title": lambda entry: folded(title_of(entry)),
            "size": lambda entry: entry.size,
            "moves": lambda entry: entry.moves,
            "result": lambda entry: _result_key(entry.result),
        }[self.column]
        found = sorted(entries, key=key, reverse=self.down)
        return sorted(found, key=lambda entry: entry.problem is not None)


class Listing(NamedTuple):
    """Sorted games, and the layout of their columns."""

    entries: Sequence[LibraryEntry]
    order: Order
    columns: Columns


def listing_of(entries: Sequence[LibraryEntry], order: Order) -> Listing:
    """Sort games and measure their titles; 20,000 take a second, so this runs in a thread."""
    entries = order.sorted(entries)
    longest = max((cell_len(title_of(entry)) for entry in entries), default=0)
    columns = Columns(max(longest, _TITLE_LEAST), dated=any(entry.date for entry in entries))
    return Listing(entries, order, columns)


def _result_key(result: str) -> tuple[str, float]:
    side, _plus, margin = result.partition("+")
    try:
        return side, float(margin)
    except ValueError:
        return side, 1000.0 if margin else 0.0


_ALL_COLUMNS: Final = Columns()


def title_of(entry: LibraryEntry) -> str:
    black, white = ("" if name in _NOBODY else name_in_language(name) for name in (entry.black, entry.white))
    players = f"{black or _('Black')} – {white or _('White')}" if black or white else ""
    # The files of games without names begin with the date, which has a column of its own, and go on with digits.
    file = entry.file.removeprefix(entry.date).removesuffix(".sgf")
    if len(file) == 1 + _DIGITS and file[0] == " " and not set(file[1:]) - set(hexdigits):
        file = f"{_('Black')} – {_('White')}"
    return " · ".join(filter(None, (entry.name, players))) or plain_line(file.strip() or entry.file)


def describe_row(entry: LibraryEntry, width: int, columns: Columns = _ALL_COLUMNS) -> str:
    size = f"{entry.size}×{entry.size}" if entry.size else "?"
    result = brief_result(entry.result)
    return _row(set_cell_size(entry.date, 10), title_of(entry), size, str(entry.moves), result, width, columns)


def heading(width: int, columns: Columns = _ALL_COLUMNS, order: Order | None = None) -> str:
    words = {column: _(name) for column, name in _HEADINGS.items()}
    if order is not None:
        words[order.column] += "▾" if order.down else "▴"
    return _row(
        set_cell_size(words["date"], 10), words["title"], words["size"], words["moves"], words["result"], width, columns
    )


def column_at(x: int, width: int, columns: Columns = _ALL_COLUMNS) -> str | None:
    line = _row("d" * 10, "t", "s" * 5, "m" * 5, "r" * _result_width(), width, columns)
    if not 0 <= x < len(line):
        return None
    # Everything between the date and the other columns is the title.
    return {"d": "date", "s": "size", "m": "moves", "r": "result"}.get(line[x], "title")


def _row(  # noqa: PLR0917 (the columns)
    date: str, title: str, size: str, moves: str, result: str, width: int, columns: Columns
) -> str:
    date = f" {date}" if columns.dated else ""
    counts = f" {right(size, 5)} {right(moves, 5)}"
    most = _result_width()
    end = f" {right(cut(result, most) if cell_len(result) > most else result, most)}"
    if width - cell_len(date + counts + end) > _TITLE_FAIR:
        end = counts + end
    room = width - cell_len(date + end) - 1
    if room < _TITLE_LEAST:
        return f" {cut(title, width - 1)}"
    return f"{date} {cut(title, room if columns.title is None else min(room, columns.title))}{end}"


def _result_width() -> int:
    return max(8, cell_len(brief_result("W+12.5")))
