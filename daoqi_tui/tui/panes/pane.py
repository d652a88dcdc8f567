"""The small panes beside the board (players with captures and passes, count, comment), and the key hints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Final, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from daoqi_tui.commands import BY_NAME
from daoqi_tui.commands.command import Command, key_sign
from daoqi_tui.commands.keyboard import keys_now
from daoqi_tui.engine import BLACK, WHITE, Area, Colour
from daoqi_tui.engine.clock import TimeLeft
from daoqi_tui.i18n import N_, _
from daoqi_tui.play.wording import colour_word, describe_sum, signed
from daoqi_tui.tui.look.text import STONES, signs_of, tone


class Tally(NamedTuple):
    """A count for each player."""

    black: int
    white: int

    def of(self, colour: Colour) -> int:
        """Return one player's count."""
        return self.black if colour == BLACK else self.white


class GameState(NamedTuple):
    """The state of the game, as the pane shows it.

    Attributes:
        names: the players' names, Black's first, empty if none was given.
        times: the players' clocks, None without clocks.
        captured: the stones each side captured.
        suicided: the stones each side lost by suicide.
        passes: the number of passes of each side.
        pass_cost: the points that a pass costs.
        over: the result in words, empty while the game is on.
        terms: size and komi.
        not_saved: a mark and the reason if the moves cannot be saved, else None.
        line: the state of an online game's connection, empty for any other game.
    """

    to_move: Colour
    number: int
    names: tuple[str, str]
    times: tuple[TimeLeft, TimeLeft] | None
    captured: Tally
    suicided: Tally
    passes: Tally
    pass_cost: int
    over: str
    terms: str
    not_saved: tuple[str, str] | None = None
    line: str = ""


def entitle(widget: Widget, title: str | None) -> None:
    """Set the border title of a widget if it differs; Textual redraws the widget even for the same title."""
    if widget.border_title != title:
        widget.border_title = title


def is_narrow(pane: Widget) -> bool:
    """Return whether a pane has room only for numbers: in the strip below the board, or in a low window."""
    return not pane.screen.has_class("-wide") or pane.screen.has_class("-low")


class Pane(Widget):
    """A pane of text that redraws only changed rows, without laying out the screen again.

    In a narrow window a pane has no border, so its title becomes a line of its own.
    """

    ALLOW_SELECT = False
    TITLE = ""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._text = Text()
        self._rows: list[Text] = []
        self._strips: dict[int, Strip] = {}
        """The rows as last drawn."""

    def write(self, text: Text) -> None:
        """Show ``text``."""
        entitle(self, _(self.TITLE) if self.screen.has_class("-wide") else None)
        signs_of(self).dress(text)
        before, self._text, self._rows = self._rows, text, list(text.split("\n", allow_blank=True))
        width, height = self.content_size
        changed = [y for y, (old, new) in enumerate(zip_longest(before, self._rows)) if not _alike(old, new)]
        for y in changed:
            self._strips.pop(y, None)
        if rows := [y for y in changed if y < height]:
            self.refresh(*(Region(0, y, width, 1) for y in rows))

    def render(self) -> Text:
        """Return the text shown."""
        return self._text

    def render_line(self, y: int) -> Strip:
        """Draw one row, or reuse the existing one."""
        if y not in self._strips:
            width, style = self.content_size.width, self.rich_style
            segments: Iterable[Segment] = ()
            if y < len(self._rows):
                row = self._rows[y].copy()
                row.truncate(width, overflow="ellipsis")
                segments = Segment.apply_style(row.render(self.app.console), style)
            self._strips[y] = Strip(segments).adjust_cell_length(width, style)
        return self._strips[y]

    def notify_style_update(self) -> None:
        """Redraw in other colours."""
        super().notify_style_update()
        self._strips.clear()

    def on_resize(self) -> None:
        """Redraw in the new size."""
        self._strips.clear()
        self.refresh()


def _alike(row: Text | None, other: Text | None) -> bool:
    """Return whether two rows look the same."""
    return row is not None and other is not None and (row.plain, row.spans) == (other.plain, other.spans)


_CAPTURES: Final = 9
"""The width of the column of captures in a narrow window."""
_PASSES: Final = 8
"""The width of the column of passes."""


class GamePane(Pane):
    """The side to move, and for each player the clock, the captures and the passes."""

    TITLE = N_("Game")

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._state: GameState | None = None

    def on_resize(self) -> None:
        """Write for the new width, which is smaller while the count is shown."""
        if self._state is not None:
            self.show(self._state)

    def show(self, state: GameState) -> None:
        """Show the state of the game."""
        self._state = state
        text = Text(no_wrap=True, overflow="ellipsis")
        if is_narrow(self) and 0 < self.content_size.width < _LEAST_ROOM:
            self._append_names(text, state)
        elif is_narrow(self):
            self._append_table(text, state)
        else:
            self._append_players(text, state)
        if state.line:
            text.append("\n").append(state.line, style=tone(self, "muted"))
        if state.not_saved is not None:
            mark, why = state.not_saved
            style = tone(self, "error", bold=True)
            # Reverse video stands out without colours, too.
            text.append("\n").append(f" {mark} ", style=style + Style(reverse=True)).append(f"\n{why}", style=style)
        self.write(text)

    def _append_players(self, text: Text, state: GameState) -> None:
        """Write two rows for each player, and a last one for the game."""
        room, muted = max(_LEAST_ROOM, self.content_size.width), tone(self, "muted")
        for colour in (BLACK, WHITE):
            on_move = colour == state.to_move and not state.over
            text.append(_name_row(state, colour, room) + "\n", style="bold" if on_move else "")
            parts = [_("captured {count}").format(count=state.captured.of(colour))]
            if lost := state.suicided.of(colour):
                parts.append(_("lost {count}").format(count=lost))
            parts.append(_("passes {count}").format(count=state.passes.of(colour)))
            words, cost = "    " + "  ".join(parts), _describe_cost(state, colour)
            if cell_len(cost) + cell_len(words) <= room:
                words += cost
            text.append(words + "\n", style=muted)
        text.append(_head(state), style="bold" if state.over else "")
        text.append(f"  {state.terms}", style=muted)

    def _append_names(self, text: Text, state: GameState) -> None:
        """Write the players' names, with captures where there is room; the count beside them shows the passes."""
        room = self.content_size.width
        for colour in (BLACK, WHITE):
            on_move = colour == state.to_move and not state.over
            taken = state.captured.of(colour)
            words = f" ×{taken}" if taken and room >= _ROOM_FOR_CAPTURES else ""
            name = _name_row(state, colour, room - cell_len(words), gap=1)
            text.append(name + words + "\n", style="bold" if on_move else "")
        text.append(_head(state), style="bold" if state.over else "")

    def _append_table(self, text: Text, state: GameState) -> None:
        """Write a row for each player with captures and passes in columns, and their headings below."""
        room = max(_LEAST_ROOM, self.content_size.width) - _CAPTURES - _PASSES
        for colour in (BLACK, WHITE):
            on_move = colour == state.to_move and not state.over
            text.append(set_cell_size(_name_row(state, colour, room - 1, gap=1), room), style="bold" if on_move else "")
            lost = state.suicided.of(colour)
            text.append(set_cell_size(f"{state.captured.of(colour)}" + (f" †{lost}" if lost else ""), _CAPTURES))
            text.append(f"{state.passes.of(colour)}{_describe_cost(state, colour)}\n")
        text.append(set_cell_size(_head(state), room), style="bold" if state.over else "")
        text.append(set_cell_size(_("Captures"), _CAPTURES) + _("Passes"), style=tone(self, "muted"))


_LEAST_ROOM: Final = 30
"""The minimum width of the pane, also before its first layout; it may be less while the count is shown."""
_ROOM_FOR_CAPTURES: Final = 16
"""The width from which there is room for captures beside a name."""


def _head(state: GameState) -> str:
    """Return the result of the game, or the number of the next move."""
    return state.over or _("Move {number}").format(number=state.number + 1)


def _describe_cost(state: GameState, colour: Colour) -> str:
    """Return the cost of a player's passes in words, empty if they cost nothing."""
    cost = state.passes.of(colour) * state.pass_cost
    return f" (−{cost})" if cost else ""


def _name_row(state: GameState, colour: Colour, room: int, gap: int = 2) -> str:
    """Return the marker, the stone and the name of a player, with the clock right-aligned after ``gap`` cells."""
    marker = "▶" if colour == state.to_move and not state.over else " "
    words = f"{marker} {STONES[colour]} {state.names[colour - 1] or colour_word(colour)}"
    if state.times is None:
        return cut(words, room) if cell_len(words) > room else words
    clock = " " * gap + describe_time(state.times[colour - 1])
    return cut(words, room - cell_len(clock)) + clock


def cut(words: str, width: int) -> str:
    """Return text padded to a width in cells, or cut to it with an ellipsis."""
    return set_cell_size(words, width) if cell_len(words) <= width else set_cell_size(words, width - 1) + "…"


class AreaPane(Pane):
    """The score of the current board."""

    TITLE = N_("Count")

    def show(self, area: Area, ahead: str) -> None:
        """Show the breakdown of a count, and the text ``ahead``, which tells who leads."""
        text = Text(no_wrap=True, overflow="ellipsis")
        if is_narrow(self):
            for colour in (BLACK, WHITE):
                text.append(f"{STONES[colour]} {describe_sum(area, colour).replace(' ', '')}\n")
        else:
            rows = [
                (_("stones"), area.black.stones, area.white.stones),
                (_("territory"), area.black.territory, area.white.territory),
                (_("passes"), _minus(area.black.passes), _minus(area.white.passes)),
                (_("komi"), "", signed(area.white.komi)),
                (_("total"), signed(area.black.total), signed(area.white.total)),
            ]
            text.append(f"{'':<12}{STONES[BLACK]:>7}{STONES[WHITE]:>7}\n")
            for label, black, white in rows:
                style = "bold" if label == rows[-1][0] else ""
                text.append(f"{set_cell_size(label, 12)}{black:>7}{white:>7}\n", style=style)
        text.append(ahead, style="bold")
        self.write(text)


def describe_time(left: TimeLeft) -> str:
    """Write a clock: ``9:58``, in byo-yomi ``0:24 ×3``, tenths in the last ten seconds."""
    seconds = left.seconds
    if seconds < 10:
        words = f"0:0{int(seconds * 10) / 10:.1f}"
    else:
        minutes, rest = divmod(int(seconds), 60)
        words = f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
    return f"{words} ×{left.periods}" if left.in_byoyomi else words


def _minus(count: int) -> str:
    return f"−{count}" if count else "0"


class CommentPane(VerticalScroll):
    """Shows a comment; the screen has the class ``-commented`` where there is one."""

    can_focus = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._text: str | None = None
        self._body = Static("")

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        yield self._body

    def show(self, comment: str, title: str | None, *, at_end: bool = False) -> None:
        """Show a comment without control characters, scrolled to its beginning or its end (``at_end``)."""
        entitle(self, title)
        if comment != self._text:
            self._text = comment
            self._body.update(Text(comment))
            (self.scroll_end if at_end else self.scroll_home)(animate=False)


_GAP: Final = "   "


class KeyHint(NamedTuple):
    """A hint about a key.

    Attributes:
        key: the key as shown.
        deed: its effect, in a word or two.
        action: the Textual action of a click on the hint; empty for keys that need a direction.
    """

    key: str
    deed: str
    action: str = ""


def hint_line(hints: Sequence[KeyHint], width: int, *, last: int = 1, least: int = 2) -> Content:
    """Join as many hints as fit into ``width`` cells.

    Args:
        hints: the hints, the one that leaves the screen last.
        width: the width in cells.
        last: the number of hints at the end that are kept; those before them are dropped first.
        least: the minimum number of hints, whether they fit or not.
    """
    parts = [_part(hint) for hint in hints]
    while len(parts) > least and Content(_GAP).join(parts).cell_length > width:
        del parts[-last - 1]
    return Content(_GAP).join(parts)


def _part(hint: KeyHint) -> Content:
    part = Content.styled(hint.key, "bold") + f" {hint.deed}"
    return part.stylize(f"@click={hint.action}") if hint.action else part


_STAYING: Final = 3
_ALWAYS: Final = ("library", "new_game", "palette", "help", "quit")
_BEGINNING: Final = ("pass", "players", "hint", "count", "settings", *_ALWAYS)
_PLAYING: Final = ("pass", "undo", "count", "hint", "back", "forward", "resign", "players", "settings", *_ALWAYS)
_COUNTED: Final = ("resume", "dead", "count", "review", "undo", "back", "forward", *_ALWAYS)
_GIVEN_UP: Final = ("resume", "review", "count", "undo", "back", "forward", *_ALWAYS)

_ONLINE: Final = ("pass", "undo", "accept", "decline", "chat", "resign", "count", "rematch", "invitation", "adjourn")

GameStage = Literal["beginning", "playing", "counted", "given up", "online"]
"""The stage of a game, which decides which commands the hints show."""
_COMMANDS: Final[Mapping[GameStage, tuple[str, ...]]] = {
    "beginning": _BEGINNING,
    "playing": _PLAYING,
    "counted": _COUNTED,
    "given up": _GIVEN_UP,
    "online": (*_ONLINE, "settings", "palette", "help", "quit"),
}


class HintBar(Static):
    """The line of key hints, which can be clicked."""

    ALLOW_SELECT = False
    _shown: tuple[GameStage, int] | None = None
    """The stage of the game and the width for which the hints were written."""

    def refresh_words(self) -> None:
        """Rewrite the hints in another language."""
        if self._shown is not None:
            stage, self._shown = self._shown[0], None
            self.show(stage)

    def show(self, stage: GameStage) -> None:
        """Show the most useful commands at a stage of the game, as many as fit."""
        shown = stage, self.content_size.width
        if shown != self._shown:
            self._shown = shown
            commands = [BY_NAME[name] for name in _COMMANDS[stage]]
            self.update(self._line(commands, self.content_size.width), layout=False)

    def on_resize(self) -> None:
        """Rewrite the hints for the new width."""
        if self._shown is not None:
            self.show(self._shown[0])

    def _line(self, commands: Iterable[Command], width: int) -> Content:
        """Join as many commands as fit into ``width`` cells; the last ones, help and quit, always stay."""
        hints = [
            KeyHint(key_sign(keys[0]), _(command.label), f"screen.command('{command.name}')")
            for command in commands
            if (keys := keys_now(command))
        ]
        return hint_line(hints, width, last=_STAYING, least=_STAYING)
