"""The opening browser: a page of all openings of two moves as small boards, and a page of the moves from each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style as RichStyle
from rich.text import Text
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, ItemGrid, Vertical, VerticalScroll
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Static
from textual.widgets.option_list import Option

from daoqi_tui.ai.process import PlayerError
from daoqi_tui.analysis.opening import OpeningClass, class_count, equivalents
from daoqi_tui.analysis.opening_records import NextMove, SearchResult
from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, Game, Style, Torus
from daoqi_tui.i18n import _, language, plural, translate
from daoqi_tui.pictures.palettes import KAYA, RGB, Palette, blend
from daoqi_tui.play.analyst import OPENING
from daoqi_tui.play.background import Wait, shown
from daoqi_tui.play.evaluation import Evaluation, describe_lead
from daoqi_tui.play.openings import (
    Continuation,
    OpeningBrowser,
    OpeningView,
    Order,
    centring,
    describe_hit,
    describe_next,
    describe_standing,
    file_of,
    shifted,
)
from daoqi_tui.play.wording import colour_word, with_keys
from daoqi_tui.text import plain_line
from daoqi_tui.tui.look import STONES, Paragraph, StoneSigns, folded, signs_of, tone
from daoqi_tui.tui.output import DrawnWidget, PixelStrip, StripWidget, packed
from daoqi_tui.tui.panes import KeyHint, cut, is_narrow, right
from daoqi_tui.tui.panes.minimap import SmallBoard, alternate, board_signs, in_signs
from daoqi_tui.tui.screens import OptionList, Picker
from daoqi_tui.tui.screens.hinted import HintedDialog

Search: TypeAlias = Callable[[Game], Awaitable[Evaluation | None]]
"""Searches the position at a game's cursor."""

_WIDTH: Final = 22
"""The minimum width of a card with a board of the standard size and its name."""
_WIDEST: Final = 34
"""The maximum width of a board in characters with two columns per point."""
_DARKEST: Final = 0.6
_NAME_WIDTH: Final = 6
_STANDING_WIDTH: Final = 25
"""The cells for how it stands after a move, or what a search found."""
_LINES: Final = 3
"""The lines of a card below its board."""


class OpeningCard(DrawnWidget, StripWidget):
    """A class of openings as a small board with its name, its value and the number of games."""

    @dataclass
    class Chosen(Message):
        """The card was clicked."""

        card: OpeningCard

    def __init__(self, size: int, entry: Continuation, *, here: bool) -> None:
        super().__init__(classes="opening")
        self._board_size = size
        self.show(entry, here=here)

    def show(self, entry: Continuation, *, here: bool) -> None:
        """Show a class in the colours of the board; ``here`` marks that of the current game."""
        assert entry.kind is not None
        self.number = entry.kind.number
        self._entry, self._here, self._strips = entry, here, None
        self.set_class(here, "-present")
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 (Textual's form)
        rows = self._board_size
        return _LINES + (rows if in_signs(self) else (rows + 1) // 2)

    def _draw(self) -> list[Strip]:
        # Only when the card comes into view: most cards are below the window.
        entry, here, signs = self._entry, self._here, signs_of(self)
        kind, size, width = entry.kind, self._board_size, self.size.width
        assert kind is not None
        style, words = self.rich_style, tone(self, "foreground")
        if in_signs(self):
            rows = small_board_in_signs(kind, size, entry.replies, signs)
            board = [Strip([Segment(row, style)]).adjust_cell_length(width, style) for row in rows]
        else:
            ground = None if style.bgcolor is None else style.bgcolor.triplet
            pixels = small_board(kind, size, entry.replies, signs.palette)
            board = _in_half_blocks(pixels, width, ground or signs.palette.frame)
        # The accent is not readable on the background of a highlight.
        ink = tone(self, "foreground" if self.has_class("-highlighted") else "accent", bold=True)
        number = Segment(f"{kind.number}", style + ink)
        standing = "" if entry.standing is None else f"  {describe_standing(entry.standing)}"
        games = plural("{count} game", "{count} games", entry.library.games) if entry.library.games else ""
        counts = "  ".join(filter(None, (games, _("this game") if here else "")))
        bold = RichStyle(bold=True)
        # What is left of a long name stands before the counts, which most openings have not.
        name, *rest = folded(Text(kind.name.in_language(language())), width).plain.split("\n")
        more = "".join(f"{part}  " for part in rest)
        lines = (
            [number, Segment(cut(standing, width - len(number.text)), style + bold)],
            [Segment(name, style + words)],
            [Segment(more, style + words), Segment(cut(counts, max(0, width - cell_len(more))), style + words + bold)],
        )
        return [*board, *(Strip(line).adjust_cell_length(width, style) for line in lines)]

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Chosen(self))


class OpeningsScreen(HintedDialog[Path | None]):
    """The page of all openings of two moves; its result is a file of the library to open, or None."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape,q,O", "close", show=False),
        Binding("question_mark", "list_keys", show=False),
        Binding("s", "sort", show=False),
        Binding("enter,space", "open", show=False),
        Binding("left", "move(-1, 0)", show=False, priority=True),
        Binding("right", "move(1, 0)", show=False, priority=True),
        Binding("up", "move(0, -1)", show=False, priority=True),
        Binding("down", "move(0, 1)", show=False, priority=True),
        Binding("home", "move(-1_000_000, 0)", show=False, priority=True),
        Binding("end", "move(1_000_000, 0)", show=False, priority=True),
    ]

    def __init__(self, browser: OpeningBrowser, present: int, search: Search, style: Style) -> None:
        """Show the classes.

        Args:
            browser: the data on the openings.
            present: the number of the class of the current game, which is marked; 0 if it has none.
            search: searches a position.
            style: the notation of points.
        """
        super().__init__()
        self._browser, self._present, self._search = browser, present, search
        self._style = style
        self._place = 0
        self.cards: Final = [
            OpeningCard(browser.size, entry, here=self._is_present(entry)) for entry in browser.classes()
        ]

    def compose(self) -> ComposeResult:
        size = self._browser.size
        with Vertical(classes="dialog", id="openings") as page:
            page.border_title = _("The {count} openings on {size}×{size}").format(count=class_count(size), size=size)
            yield Static("", id="openings-made")
            width = max(_WIDTH, size * _step(size)) if in_signs(self) else _WIDTH
            with VerticalScroll(can_focus=False), ItemGrid(min_column_width=width, stretch_height=False):
                yield from self.cards

    def on_mount(self) -> None:
        browser = self._browser
        words = [browser.describe_made()]
        if browser.values is not None:
            words += [
                _("1 to 3: where Black answers best") if in_signs(self) else _("Shaded: where Black answers best"),
                browser.describe_fair_komi(),
            ]
        self.query_one("#openings-made", Static).update(Paragraph(Text("\n".join(words))))
        self._highlight_number(self._present)
        self.open_at(self.highlighted)

    def _is_present(self, entry: Continuation) -> bool:
        return entry.kind is not None and entry.kind.number == self._present

    @property
    def highlighted(self) -> OpeningCard:
        return self.cards[self._place]

    def _show(self, number: int | None) -> None:
        for card, entry in zip(self.cards, self._browser.classes(), strict=True):
            card.show(entry, here=self._is_present(entry))
        self._highlight_number(number)

    def _highlight_number(self, number: int | None) -> None:
        numbers = [card.number for card in self.cards]
        self._highlight(numbers.index(number) if number in numbers else 0)
        self.show_hints()

    def key_hints(self) -> tuple[KeyHint, ...]:
        return (
            KeyHint("Enter", _("Open"), "screen.open"),
            KeyHint("s", _sorting(self._browser.order, WHITE), "screen.sort"),
            KeyHint("Esc", _("Close"), "screen.close"),
        )

    def _highlight(self, place: int) -> None:
        self.cards[self._place].remove_class("-highlighted")
        self._place = max(0, min(place, len(self.cards) - 1))
        card = self.cards[self._place]
        card.add_class("-highlighted")
        if card.size:  # Else nothing is laid out yet.
            card.scroll_visible(animate=False, immediate=True)

    def _columns(self) -> int:
        cards = self.cards
        return max(1, sum(card.virtual_region.y == cards[0].virtual_region.y for card in cards))

    def action_move(self, across: int, down: int) -> None:
        place = self._place + across + down * self._columns()
        if not down or 0 <= place < len(self.cards):
            self._highlight(place)

    def action_sort(self) -> None:
        number = self.highlighted.number
        self._browser.next_order()
        self._show(number)

    def action_open(self) -> None:
        """Show the moves from the highlighted class, once: a second click may come before they show."""
        if self.app.screen is not self:
            return
        browser, order = self._browser, self._browser.order
        browser.choose_class(self.highlighted.number)

        def closed(file: Path | None) -> None:
            browser.moves, browser.order = browser.moves[:1], order
            if file is not None:
                self.dismiss(file)
            else:
                self._show(self.highlighted.number)

        self.app.push_screen(OpeningScreen(browser, self._search, self._style), closed)

    @on(OpeningCard.Chosen)
    def _clicked(self, message: OpeningCard.Chosen) -> None:
        self._highlight(self.cards.index(message.card))
        self.action_open()


class OpeningScreen(HintedDialog[Path | None]):
    """The moves from one opening with their values and a preview; goes deeper move by move.

    The result is a file of the library to open, or None.
    """

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape,backspace,left", "back", show=False, priority=True),
        Binding("right", "deeper", show=False, priority=True),
        Binding("q,O", "close", show=False),
        Binding("question_mark", "list_keys", show=False),
        Binding("s", "sort", show=False),
        Binding("a", "search", show=False),
        Binding("g", "games", show=False),
    ]

    def __init__(self, browser: OpeningBrowser, search: Search, style: Style) -> None:
        """Show the moves from the current line of ``browser``; see :class:`OpeningsScreen` for the arguments."""
        super().__init__()
        self._browser, self._search, self._style = browser, search, style
        self._rows: Sequence[Continuation] = ()
        self._games: list[Path] | None = None
        self._is_searching = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="opening"):
            with Horizontal():
                with Vertical(id="opening-list"):
                    yield Static("", id="opening-head")
                    yield OptionList(id="opening-moves")
                with Vertical(id="opening-preview"):
                    yield SmallBoard()
                    yield Static("", id="opening-about")
            yield Static("", id="complaint")

    def on_mount(self) -> None:
        self._browser.order = "value"
        self.query_one(OptionList).focus()
        self._say()
        self._show()

    # Display

    def _show(self, highlight: int | None = None) -> None:
        browser, options = self._browser, self.query_one(OptionList)
        line = " ".join(browser.name(move, self._style) for move in browser.moves)
        turn = _("{colour} to move").format(colour=colour_word(browser.to_move))
        self.query_one("#opening").border_title = f"{line}  ·  {turn}"
        self._rows = browser.continuations()
        options.clear_options()
        if self._games is not None:
            head = plural("{count} game in the library", "{count} games in the library", len(self._games))
            options.add_options([Option(Text(plain_line(file.stem))) for file in self._games])
        else:
            head = _heading()
            options.add_options([Option(self._row(entry)) for entry in self._rows])
            if not self._rows:
                head = _("Nothing is known of the moves from here: a searches them")
        self.query_one("#opening-head", Static).update(Text(head, no_wrap=True, overflow="ellipsis"))
        if options.option_count:
            points = [entry.point for entry in self._rows]
            options.highlighted = points.index(highlight) if highlight in points and self._games is None else 0
        self._show_details()
        self.show_hints()

    def _row(self, entry: Continuation) -> Text:
        text = Text(no_wrap=True, overflow="ellipsis")
        style = "" if entry.rank is None else "bold"
        text.append(set_cell_size(self._browser.name(entry.point, self._style), _NAME_WIDTH), style=style)
        if (found := entry.searched) is not None:
            # With the cell of the mark: as wide as the words of a standing.
            wording = f"{found.win:>6.1%} {right(describe_lead(found.lead), 8)} {found.visits:>6} *"
        else:
            wording = "" if entry.standing is None else describe_standing(entry.standing)
        text.append(set_cell_size(wording, _STANDING_WIDTH))
        text.append(f"{entry.library.games or '':>6}")
        return text

    def _show_details(self) -> None:
        browser, entry = self._browser, self._highlighted
        candidate = entry.point if entry is not None else None
        stones = browser.stones(candidate)
        last = browser.shown(candidate if candidate is not None else browser.moves[-1])
        self.query_one(SmallBoard).show(stones, last)
        self.query_one("#opening-about", Static).update(Paragraph(Text("\n".join(browser.describe()))))

    def key_hints(self) -> tuple[KeyHint, ...]:
        deeper = _("Open game") if self._games is not None else _("Deeper")
        return (
            KeyHint("Enter", deeper, "screen.deeper"),
            KeyHint("s", _sorting(self._browser.order, self._browser.to_move), "screen.sort"),
            KeyHint("a", _("Search"), "screen.search"),
            KeyHint("g", _("List of moves") if self._games is not None else _("Library"), "screen.games"),
            KeyHint("Esc", _("Go back"), "screen.back"),
        )

    @property
    def _highlighted(self) -> Continuation | None:
        place = self.query_one(OptionList).highlighted
        return self._rows[place] if self._games is None and place is not None and place < len(self._rows) else None

    @on(OptionList.OptionHighlighted)
    def _moved(self) -> None:
        self._show_details()

    # Actions

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        # The second of two clicks may arrive after the first one replaced the list.
        if event.option in event.option_list.options:
            self.action_deeper()

    def action_deeper(self) -> None:
        place = self.query_one(OptionList).highlighted
        if place is None:
            return
        if self._games is not None:
            self.dismiss(self._games[place])
            return
        self._browser.go(self._rows[place].point)
        self._say()
        self._show()

    def action_back(self) -> None:
        if self._is_searching:
            self.workers.cancel_group(self, "search")
            self._say(_("Search stopped"))
            return
        if self._games is not None:
            self._games = None
            self._show()
            return
        last = self._browser.back()
        if last is None:
            self.dismiss(None)
            return
        self._say()
        self._show(last)

    def action_sort(self) -> None:
        entry = self._highlighted
        self._browser.next_order()
        self._show(entry.point if entry is not None else None)

    def action_games(self) -> None:
        if self._games is not None:
            self._games = None
        elif games := self._browser.library_games():
            self._games = games
        else:
            self._say(_("No game in your library reached this position"))
            return
        self._show()

    @work(exclusive=True, group="search")
    async def action_search(self) -> None:
        browser = self._browser
        moves = browser.moves
        wait = Wait(_("Looking for the best moves …"), _("{key} stops").format(key="Esc"), OPENING.seconds)
        self._say(wait.describe())
        self._is_searching = True
        try:
            with shown(wait, self.set_interval, self._say):
                found = await self._search(browser.game())
        except PlayerError as error:
            self._say(translate(error))
            return
        finally:
            self._is_searching = False
        if found is not None:
            browser.note(moves, found)
        if browser.moves == moves:
            self._say()
            entry = self._highlighted
            self._show(entry.point if entry is not None else None)

    def _say(self, text: str = "") -> None:
        usual = self._browser.describe_made()
        if self._browser.found is not None:
            usual += "  ·  " + _("* searched now")
        self.complain(text or usual)


def _heading() -> str:
    move = set_cell_size(_("Point"), _NAME_WIDTH)
    standing = set_cell_size(_("At the fair komi"), _STANDING_WIDTH)
    return f"{move}{standing}{right(_('Games'), 6)}"


def _sorting(order: Order, mover: Colour) -> str:
    return {
        "number": _("Nearest first"),
        "games": _("Most played first"),
        "value": _("Best for {colour} first").format(colour=colour_word(mover)),
    }[order]


def _step(size: int) -> int:
    return 2 if 2 * size <= _WIDEST else 1


def small_board_in_signs(kind: OpeningClass, size: int, replies: Sequence[int], signs: StoneSigns) -> list[str]:
    points = kind.points(size)
    shift = centring(size, points)
    stones, empty = bytearray(size * size), ["·"] * (size * size)
    for point, colour in zip(points, (BLACK, WHITE), strict=True):
        stones[shifted(size, point, shift)] = colour
    for point, place in _marks(kind, size, replies).items():
        empty[shifted(size, point, shift)] = f"{place + 1}"
    return board_signs(bytes(stones), empty, signs, _step(size))


def small_board(kind: OpeningClass, size: int, replies: Sequence[int] = (), palette: Palette = KAYA) -> list[list[RGB]]:
    """Return the pixels of a class, one per point, with its stones in the middle of the board.

    Args:
        kind: the class.
        size: the size of the board.
        replies: points to shade, the first the darkest, together with those equivalent by symmetry.
        palette: the colours of the board.
    """
    points = kind.points(size)
    shift = centring(size, points)
    shades = palette.bright
    wood = shades.board, alternate(shades)
    pixels = [[wood[(row + column + 1) % 2] for column in range(size)] for row in range(size)]
    marks = {
        point: blend(shades.board, shades.black, _DARKEST / (place + 1))
        for point, place in _marks(kind, size, replies).items()
    }
    for point, colour in {**marks, points[0]: shades.black, points[1]: shades.white}.items():
        row, column = divmod(shifted(size, point, shift), size)
        pixels[row][column] = colour
    return pixels


def _in_half_blocks(pixels: list[list[RGB]], width: int, ground: RGB) -> list[Strip]:
    """Return lines of two rows of pixels, on a ground of this width."""
    rows = [[packed(colour) for colour in row] for row in pixels]
    rows += [[]] * (len(rows) % 2)
    rows = [(row + [packed(ground)] * (width - len(row)))[:width] for row in rows]
    return [PixelStrip(*pair) for pair in zip(rows[::2], rows[1::2], strict=True)]


def _marks(kind: OpeningClass, size: int, replies: Sequence[int]) -> dict[int, int]:
    """Return the ranks of replies by their points and those equivalent by symmetry; the better rank counts."""
    return {
        each: place
        for place, reply in reversed(list(enumerate(replies)))
        for each in (equivalents(size, kind.points(size), reply) if reply != PASS else ())
    }


def subject_picker(sides: Sequence[int]) -> Picker:
    """Ask what to find: the position, or a square around the cursor with one of some sides."""
    shapes = (_("The {side}×{side} points around the cursor").format(side=side) for side in sides)
    return Picker(
        _("Find in the library"),
        _("Shifted, turned and mirrored boards count, and those with colours exchanged."),
        (_("This position"), *shapes),
        choose=_("Find (Enter)"),
        leave=_("Go back (Esc)"),
    )


def found_picker(found: SearchResult, torus: Torus, style: Style) -> Picker:
    """List the games found, below the moves that were played next."""
    moves = [describe_next(move, torus, style) for move in found.statistics.moves[:_MOST_NEXT]]
    games = found.statistics.tally.games
    return Picker(
        plural("{count} game in the library", "{count} games in the library", games),
        "\n".join(moves) or _("No move was played next."),
        [describe_hit(hit, Path(file_of(hit.source)).stem) for hit in found.hits],
        choose=_("Open (Enter)"),
        leave=_("Go back (Esc)"),
    )


_MOST_NEXT: Final = 5
"""The maximum number of next moves that are listed."""
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
        signs_of(self).replace_stones(text)
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
