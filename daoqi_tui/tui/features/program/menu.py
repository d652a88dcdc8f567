"""The menu of the game screen's commands, and the list of all keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, combinations, pairwise, zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from rich.align import Align
from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.markup import escape
from textual.types import IgnoreReturnCallbackType
from textual.widgets import Static
from textual.widgets.option_list import Option
from textual.worker import Worker

from daoqi_tui.commands import Command, key_signs
from daoqi_tui.commands.screen import (
    BOARD,
    COMMANDS,
    EDITING,
    GAME,
    NOTES,
    ONLINE,
    PLAYING,
    PROGRAM,
    READING,
    TORUS_HEADING,
    TORUS_KEYS,
    TORUS_MOUSE,
    keys_now,
)
from daoqi_tui.i18n import N_, _
from daoqi_tui.tui.fitting import FittedScreen
from daoqi_tui.tui.look import folded
from daoqi_tui.tui.screens import FRAME_ENDS, OptionList, TextPage, widget_at

if TYPE_CHECKING:
    from daoqi_tui.play.profile import Habits
    from daoqi_tui.tui.host import Program

_IN_NAME, _IN_WORDS, _IN_HELP = 3.0, 2.0, 1.0
"""The scores by where all typed terms are found; a fuzzy match of a name scores below 1."""

_BEGINNING: Final = ("library", "new_game", "problems")
"""What to begin with; a mouse alone finds it here."""


class CommandProvider(Provider):
    """Finds commands of the game screen, in the language of the program and in English."""

    async def discover(self) -> Hits:
        """Offer every command: the most used first, then what to begin with, others in the order of the table.

        Panning and the cursor come last, since nobody opens a menu for every step.
        """

        def place(command: Command) -> tuple[int, bool, bool]:
            return -self._habits.uses(command.name), command in BOARD, command.name not in _BEGINNING

        order = sorted(COMMANDS, key=place)
        for command in order:
            yield DiscoveryHit(_prompt(command), self._run(command), _(command.label), escape(_(command.help)))

    async def search(self, query: str) -> Hits:
        """Offer the commands that match a query; Textual sorts them by score."""
        terms = query.casefold().split()
        if not terms:
            return
        fuzzy = self.matcher(query).fuzzy_search
        for command in COMMANDS:
            label = _(command.label)
            likeness, offsets = fuzzy.match(query, label)
            score = _score(command, terms) or likeness / (1 + likeness)
            if score > 0:
                prompt = _prompt(command)
                for offset in offsets:
                    prompt = prompt.stylize(self.match_style or "", offset, offset + 1)
                yield Hit(score, prompt, self._run(command), label, escape(_(command.help)))

    @property
    def _habits(self) -> Habits:
        return cast("Program", self.app).habits

    def _run(self, command: Command) -> IgnoreReturnCallbackType:
        async def run() -> None:
            self._habits.used(command.name)
            cast("Program", self.app).keep_habits()
            # Not the screen below the menu: if the window was too small for a moment, Textual takes another one for it.
            await cast("Program", self.app).game.action_command(command.name)

        return run


def _prompt(command: Command) -> Content:
    parts = [Content(_(command.label)), Content.styled(f"  {key_signs(keys_now(command))}", "dim")]
    if command.group:
        parts.append(Content.styled(f"  · {_(command.group)}", "dim italic"))
    return Content.assemble(*parts)


def _score(command: Command, terms: Sequence[str]) -> float:
    name = f"{_(command.label)} {command.label}"
    wording = f"{name} {_(command.words)} {command.words} {command.terms}"
    helped = f"{wording} {_(command.help)} {command.help}"
    for score, text in ((_IN_NAME, name), (_IN_WORDS, wording), (_IN_HELP, helped)):
        if all(_found(term, text.casefold()) for term in terms):
            return score
    return 0


def _found(term: str, text: str) -> bool:
    """Return whether a word of a text begins with a term; Chinese terms, without spaces, may be anywhere."""
    return f" {term}" in f" {text}" if term.isascii() else term in text


class _Found(CommandList, OptionList):
    """The list of commands found, which changes with every key."""


class Menu(CommandPalette, FittedScreen[None]):
    """Textual's command palette, robust against being closed right after opening, and against second clicks."""

    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]  # noqa: RUF012 (Textual's form)
    CSS = """
    /* An emoji, which not every terminal has. */
    Menu SearchIcon { display: none; }
    Menu Input > .input--placeholder { color: auto 85%; }
    Menu Input:ansi > .input--placeholder { color: ansi_default; }
    Menu.-low {
        & > Vertical { margin-top: 0; }
        #--input { height: 3; padding: 0; }
        CommandList { max-height: 80vh; border-top: none; }
    }
    """

    def on_mount(self) -> None:
        # Textual 8 leaves the palette out when the colours change.
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self.app.stylesheet.update(self))

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            yield _Found() if isinstance(widget, CommandList) else widget

    def _on_click(self, event: events.Click) -> None:  # type: ignore[override]
        """Ignore a click from before the window was resized, at which Textual 8.2 raises NoWidget."""
        if widget_at(self, event.screen_offset) is None:
            event.prevent_default()

    def _gather_commands(self, search_value: str) -> Worker[None] | None:  # type: ignore[override]
        """Search as the base class does, unless the palette is closing: the last key may arrive afterwards."""
        is_open = self.app.screen is self and bool(self.query(CommandList))
        return super()._gather_commands(search_value) if is_open else None

    def _start_no_matches_countdown(self, search_value: str) -> None:
        super()._start_no_matches_countdown(search_value)
        if search_value:
            self._stop_no_matches_countdown()
            self._no_matches_timer = self.set_timer(self._NO_MATCHES_COUNTDOWN, self._say_no_match)

    def _say_no_match(self) -> None:
        text = Align.center(Text(_("No command is called that"), style="not bold"))
        self.query_one(CommandList).add_option(Option(text, disabled=True, id=self._NO_MATCHES))
        self._list_visible = True

    def _action_command_list(self, action: str) -> None:
        """Pass a key to the list, but a page only once it is laid out: before, Textual 8.2 raises KeyError."""
        if not action.startswith("page") or self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)


MOUSE = (
    (N_("Left click"), N_("Play on the point")),
    (N_("Drag"), N_("Pan the board in any direction, endlessly")),
    (N_("Wheel"), N_("Pan up and down; with Shift or Alt left and right")),
    (N_("Right click"), N_("Centre the point")),
    (N_("Click a move"), N_("Go to that move")),
    (N_("Coordinates"), N_("A click on them opens the menu")),
)


_COLUMN: Final = 44
"""The minimum width of a column of the help."""
_WIDEST: Final = 70
_BETWEEN: Final = 3
_AFTER_KEYS: Final = 2
_HEADING: Final = "bold underline"
_ORDER: Final = (PLAYING, BOARD, GAME, READING, PROGRAM, NOTES, EDITING, ONLINE)
"""The groups of commands in the help, most used first."""


class HelpScreen(TextPage):
    """The list of keys, in as many columns as fit; a click on one runs its command."""

    CSS = """
    HelpScreen #help { width: 96%; max-width: 96%; }
    HelpScreen.-narrow #help { width: 100%; max-width: 100%; }
    """
    BINDINGS = [Binding("question_mark,f1", "close", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self) -> None:
        self._columns = 0
        self._rows: list[list[Text]] = []
        self._without: int | None = None
        """The row that is shown without the headings that begin there."""
        super().__init__(_("Keys"), "")

    def compose(self) -> ComposeResult:
        self._write()
        yield from super().compose()

    def on_mount(self) -> None:
        self.watch(self.query_one("#help"), "scroll_y", self._hide_headings)

    def fit(self) -> None:
        if self._write():
            self.query_one("#help > Static", Static).update(self._content)
        self._hide_headings()

    async def action_run_command(self, name: str) -> None:
        self.dismiss()
        await cast("Program", self.app).game.action_command(name)

    def _hide_headings(self) -> None:
        """Hide the headings on the last line of the window, where they would stand without a key."""
        page = self.query_one("#help")
        end = page.scroll_offset.y + page.scrollable_content_region.height
        last = end - 1 if any(map(_is_heading, chain(*self._rows[max(0, end - 1) : end]))) else None
        if last != self._without:
            self._without = last
            self.query_one("#help > Static", Static).update(_page_of(self._rows, last), layout=False)

    def _write(self) -> bool:
        """Lay the keys out for the width of the window; return whether that has changed anything."""
        width = self.app.size.width
        # Beside the frame there is a scroll bar.
        room = width - FRAME_ENDS + 1 if self.has_class("-narrow") else width * 96 // 100 - FRAME_ENDS - 1
        before, self._columns = self._columns, room
        if before != room:
            self._rows, self._without = _keys_page(room), None
            self._content = _page_of(self._rows)
        return before != room


class _Heading(NamedTuple):
    """A heading of the help with its keys, what each of them does, and the names of the commands, if they are some."""

    words: str
    rows: tuple[tuple[str, str], ...]
    commands: tuple[str, ...] = ()

    def lines(self, keys: int, width: int) -> list[Text]:
        """Return the lines of a column of this width, after `keys` cells for the keys, and an empty one after them."""
        indent = keys + _AFTER_KEYS
        written = [Text(" " * indent).append(self.words, style=_HEADING)]
        for (signs, deed), command in zip(self.rows, self.commands or [""] * len(self.rows), strict=True):
            left, right = (folded(Text(words), room).split() for words, room in ((signs, keys), (deed, width - indent)))
            for sign, words in zip_longest(left, right, fillvalue=Text()):
                line = sign.copy()
                line.stylize("bold")
                line.truncate(indent, pad=True)
                line.append_text(words)
                if command:
                    line.apply_meta({"@click": f"screen.run_command('{command}')"})
                written.append(line)
        return [*written, Text()]


def _headings() -> list[_Heading]:
    groups = [
        _Heading(
            _(group[0].group),
            tuple((key_signs(keys_now(command)), _(command.help)) for command in group),
            tuple(command.name for command in group),
        )
        for group in _ORDER
    ]
    on_torus = tuple((key_signs(keys.actions), _(keys.help)) for keys in TORUS_KEYS)
    mouse = _Heading(_("Mouse"), _translated(MOUSE))
    torus = _Heading(_(TORUS_HEADING), (*on_torus, *_translated(TORUS_MOUSE)))
    return [*groups[:2], mouse, *groups[2:], torus]


def _is_heading(line: Text) -> bool:
    return any(span.style == _HEADING for span in line.spans)


def _page_of(rows: Iterable[Sequence[Text]], without: int | None = None) -> Text:
    """Return the rows as one text, one of them ``without`` its headings."""
    return Text("\n", no_wrap=True).join(
        Text().join(Text(" " * line.cell_len) if at == without and _is_heading(line) else line for line in row)
        for at, row in enumerate(rows)
    )


def _keys_page(room: int) -> list[list[Text]]:
    """Return the rows of the keys in columns for a width in cells, each heading whole, read from top to bottom."""
    headings = _headings()
    # Those on the torus are long enough to be wrapped.
    keys = max(cell_len(sign) for heading in headings[:-1] for sign, _deed in heading.rows)
    count = max(1, min(len(headings), (room + _BETWEEN) // (_COLUMN + _BETWEEN)))
    width = min(_WIDEST, (room - _BETWEEN * (count - 1)) // count)
    columns = _in_columns([heading.lines(keys, width) for heading in headings], count)
    for column in columns[:-1]:
        for line in column:
            line.truncate(width + _BETWEEN, pad=True)
    filling = Text(" " * (width + _BETWEEN))
    return [list(row) for row in zip_longest(*columns, fillvalue=filling)]


def _in_columns(headings: Sequence[list[Text]], count: int) -> list[list[Text]]:
    """Divide the lines of headings into columns of about the same height: the highest one is as low as possible."""
    heights = [len(lines) for lines in headings]
    divisions = (list(pairwise((0, *cuts, len(headings)))) for cuts in combinations(range(1, len(headings)), count - 1))
    best = min(divisions, key=lambda spans: max(sum(heights[start:stop]) for start, stop in spans))
    return [[*chain(*headings[start:stop])][:-1] for start, stop in best]


def _translated(gestures: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((_(gesture), _(deed)) for gesture, deed in gestures)
