"""The pane of players with captures and passes, the key hints, and what all panes have in common."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from time import monotonic
from typing import Final, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.content import Content
from textual.geometry import Region
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from daoqi_tui.commands import key_sign
from daoqi_tui.commands.screen import BY_NAME, keys_now
from daoqi_tui.engine import BLACK, WHITE, Colour, points_text
from daoqi_tui.engine.clock import DAY, TimeLeft
from daoqi_tui.i18n import N_, _
from daoqi_tui.play.match import View
from daoqi_tui.play.wording import brief_result, colour_word, describe_days, fitting
from daoqi_tui.tui.look import STONES, signs_of, tone


def entitle(widget: Widget, title: str | None) -> None:
    """Set the border title of a widget if it differs; Textual redraws the widget even for the same title."""
    if widget.border_title != title:
        widget.border_title = title


def is_narrow(pane: Widget) -> bool:
    """Return whether a pane has room only for numbers: in the strip below the board, or at a side with few rows."""
    screen = pane.screen
    return not screen.has_class("-wide") or screen.has_class("-low") or screen.has_class("-short")


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

    def write(self, text: Text) -> None:
        entitle(self, _(self.TITLE) if self.screen.has_class("-wide") else None)
        signs_of(self).replace_stones(text)
        before, self._text, self._rows = self._rows, text, list(text.split("\n", allow_blank=True))
        width, height = self.content_size
        changed = [y for y, (old, new) in enumerate(zip_longest(before, self._rows)) if old != new]
        for y in changed:
            self._strips.pop(y, None)
        if rows := [y for y in changed if y < height]:
            self.refresh(*(Region(0, y, width, 1) for y in rows))

    def render(self) -> Text:
        return self._text

    def render_line(self, y: int) -> Strip:
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
        super().notify_style_update()
        self._strips.clear()

    def on_resize(self) -> None:
        width = self.content_size.width
        # Most were made for this size, with the layout that brought it.
        if any(strip.cell_length != width for strip in self._strips.values()):
            self._strips.clear()
            self.refresh()


class GamePane(Pane):
    """The side to move, and for each player the clock, the captures and the passes."""

    TITLE = N_("Game")
    _shown: tuple[View, tuple[str, str] | None, str] | None = None
    _room = 0
    """The width for which the text was written."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Render as the base class does, but never what was written for another width than the layout has given it."""
        if self._room != self.content_size.width:
            self.show_again()
        return super().render_lines(crop)

    def show_again(self) -> None:
        """Write the same in the colours, the words and the width of now."""
        if self._shown is not None:
            self.show(*self._shown)

    def show(self, view: View, unsaved: tuple[str, str] | None, line: str) -> None:
        """Show who is to move, with the clocks, captures and passes.

        Args:
            view: the position.
            unsaved: a mark and the reason if moves are not saved, else None.
            line: the state of an online game's connection, empty for any other game.
        """
        self._shown, self._room = (view, unsaved, line), self.content_size.width
        text = Text(no_wrap=True, overflow="ellipsis")
        if not is_narrow(self):
            self._append_players(text, view)
        elif 0 < self.content_size.width < _LEAST_ROOM:
            self._append_names(text, view)
        else:
            self._append_table(text, view)
        if line:
            room = self.content_size.width or _LEAST_ROOM
            text.append("\n").append(fitting(line.split(" · "), room), style=tone(self, "muted"))
        if unsaved is not None:
            mark, why = unsaved
            style = tone(self, "error", bold=True)
            # Reverse video stands out without colours, too.
            text.append("\n").append(f" {mark} ", style=style + Style(reverse=True))
            # Where rows are few, one has to do; the reason was said in the status line.
            text.append(f" {why}" if is_narrow(self) else f"\n{why}", style=style)
        self.write(text)

    def _append_players(self, text: Text, view: View) -> None:
        room, muted = max(_LEAST_ROOM, self.content_size.width), tone(self, "muted")
        for side in _sides(view):
            text.append(_name_row(view, side, room) + "\n", style=side.style)
            words = _tally(side, room)
            if cell_len(side.cost) + cell_len(words) <= room:
                words += side.cost
            text.append(words + "\n", style=muted)
        self._append_head(text, view)
        size, komi = view.torus.rows, points_text(view.rules.komi)
        text.append("  " + _("{size}×{size}, komi {komi}").format(size=size, komi=komi), style=muted)

    def _append_names(self, text: Text, view: View) -> None:
        """Write the players' names, with captures where there is room; the count beside them shows the passes."""
        room = self.content_size.width
        for side in _sides(view):
            wording = f" ×{side.captured}" if side.captured and room >= _ROOM_FOR_CAPTURES else ""
            name = _name_row(view, side, room - cell_len(wording), gap=1)
            text.append(name + wording + "\n", style=side.style)
        self._append_head(text, view)

    def _append_table(self, text: Text, view: View) -> None:
        """Write a row for each player with captures and passes in columns, and their headings below."""
        sides = [
            (side, (f"{side.captured}" + (f" †{side.lost}" if side.lost else ""), f"{side.passes}{side.cost}"))
            for side in _sides(view)
        ]
        headings = _("Captures"), _("Passes")
        # As narrow as they can be, so that the names have room.
        first, second = (
            max(map(cell_len, column)) for column in zip(headings, *(cells for _side, cells in sides), strict=True)
        )
        # A pane beside it would begin at once, with a number: the last cell is free unless a name needs it.
        room = max(_LEAST_ROOM, self.content_size.width) - first - second - 2
        room += any("…" in _name_row(view, side, room - 1, gap=1) for side, _cells in sides)
        for side, (captures, passed) in sides:
            name = set_cell_size(_name_row(view, side, room - 1, gap=1), room)
            text.append(name, style=side.style)
            text.append(f"{set_cell_size(captures, first)} {passed}\n")
        self._append_head(text, view, room)
        text.append(f"{set_cell_size(headings[0], first)} {headings[1]}", style=tone(self, "muted"))

    @staticmethod
    def _append_head(text: Text, view: View, room: int = 0) -> None:
        """Write the result of the game, or the number of the next move, in ``room`` cells, as many as needed if 0."""
        number = _("Move {number}").format(number=view.node.number + 1)
        head = brief_result(str(view.result)) if view.result else number
        text.append(set_cell_size(head, room) if room else head, style="bold" if view.result else "")


_LEAST_ROOM: Final = 30
"""The minimum width of the pane, also before its first layout; it may be less while the count is shown."""
_ROOM_FOR_CAPTURES: Final = 16
"""The width from which there is room for captures beside a name."""


class _Side(NamedTuple):
    """What the pane tells about a player: stones captured and lost by suicide, passes and what these cost."""

    colour: Colour
    captured: int
    lost: int
    passes: int
    cost: str
    marker: str
    style: str


def _sides(view: View) -> Iterator[_Side]:
    for colour, captured, lost, passes in zip((BLACK, WHITE), view.captured, view.suicided, view.passes, strict=True):
        cost = f" (−{passes * view.rules.pass_cost})" if passes * view.rules.pass_cost else ""
        marker, style = ("▶", "bold") if colour == view.to_move and not view.result else (" ", "")
        yield _Side(colour, captured, lost, passes, cost, marker, style)


def _tally(side: _Side, room: int) -> str:
    """Write what a player captured, lost and passed; the losses as in the table where the words do not fit."""
    parts = [_("captured {count}").format(count=side.captured), _("passes {count}").format(count=side.passes)]
    if side.lost:
        text = "    " + "  ".join([parts[0], _("lost {count}").format(count=side.lost), parts[1]])
        if cell_len(text) <= room:
            return text
        parts[0] += f" †{side.lost}"
    text = "  ".join(parts)
    return " " * max(0, min(4, room - cell_len(text))) + text


def _name_row(view: View, side: _Side, room: int, gap: int = 2) -> str:
    """Return the marker, the stone and the name of a player, with the clock right-aligned after ``gap`` cells."""
    colour = side.colour
    text = f"{side.marker} {STONES[colour]} {view.players[colour - 1] or colour_word(colour)}"
    if view.clock is None:
        return cut(text, room) if cell_len(text) > room else text
    clock = " " * gap + describe_time(view.clock.left(colour, monotonic()))
    return cut(text, room - cell_len(clock)) + clock


def cut(text: str, width: int) -> str:
    """Return text padded to a width in cells, or cut to it with an ellipsis."""
    return set_cell_size(text, width) if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"


def right(text: str, width: int) -> str:
    """Return text right-aligned in a width in cells."""
    return " " * (width - cell_len(text)) + text


def describe_time(left: TimeLeft) -> str:
    """Write a clock: ``9:58``, in byo-yomi ``0:24 ×3``, tenths in the last ten seconds."""
    seconds = left.seconds
    if seconds >= DAY:
        return describe_days(seconds)
    if seconds < 10:
        text = f"0:0{int(seconds * 10) / 10:.1f}"
    else:
        minutes, rest = divmod(int(seconds), 60)
        text = f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
    return f"{text} ×{left.periods}" if left.in_byoyomi else text


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
    # The least of a narrow window stand closer together before the last one is cut.
    lines = [Content(_GAP[:gap]).join(parts) for gap in range(1, len(_GAP) + 1)]
    return max((line for line in lines if line.cell_length <= width), key=len, default=lines[0])


def _part(hint: KeyHint) -> Content:
    part = Content.styled(hint.key, "bold") + f" {hint.deed}"
    return part.stylize(f"@click={hint.action}") if hint.action else part


_STAYING: Final = 3
_ALWAYS: Final = ("library", "new_game", "palette", "help", "quit")
_BEGINNING: Final = ("pass", "players", "hint", "count", "settings", *_ALWAYS)
_PLAYING: Final = ("pass", "undo", "count", "hint", "back", "forward", "resign", "players", "settings", *_ALWAYS)
_COUNTED: Final = ("resume", "dead", "count", "review", "undo", "back", "forward", *_ALWAYS)
_GIVEN_UP: Final = ("resume", "review", "count", "undo", "back", "forward", *_ALWAYS)
_STUDIED: Final = (
    "previous_mistake",
    "next_mistake",
    "back",
    "forward",
    "review",
    "summary",
    "result",
    "undo",
    *_ALWAYS,
)

GameStage = Literal[
    "beginning",
    "playing",
    "counted",
    "given up",
    "studied",
    "waiting",
    "online",
    "online forward",
    "asked",
    "challenged",
    "requesting",
    "challenging",
    "paused",
    "agreeing",
    "over",
    "over studied",
    "watching",
    "turned away",
]

_ONLINE: Final[Mapping[GameStage, tuple[str, ...]]] = {
    "waiting": ("invitation", "chat"),
    "online": ("pass", "undo", "chat", "resign", "count", "invitation", "adjourn"),
    "online forward": ("pass", "chat", "resign", "count", "invitation", "adjourn"),
    "asked": ("accept", "decline", "chat", "resign", "count", "invitation"),
    "challenged": ("accept", "decline", "review", "result", "save", "chat"),
    "requesting": ("decline", "chat", "resign", "count", "invitation"),
    "challenging": ("decline", "review", "result", "save", "chat"),
    "paused": ("resume", "chat", "resign", "count", "invitation"),
    "agreeing": ("accept", "resume", "dead", "chat", "count", "invitation"),
    "over": ("rematch", "review", "result", "save", "chat", "back", "forward"),
    "over studied": (
        "previous_mistake",
        "next_mistake",
        "rematch",
        "back",
        "forward",
        "chat",
        "review",
        "result",
        "save",
    ),
    "watching": ("chat", "back", "forward", "mute", "invitation"),
    "turned away": ("network", "new_game", "library"),
}

_COMMANDS: Final[Mapping[GameStage, tuple[str, ...]]] = {
    "beginning": _BEGINNING,
    "playing": _PLAYING,
    "counted": _COUNTED,
    "given up": _GIVEN_UP,
    "studied": _STUDIED,
    **{stage: (*names, "settings", "palette", "help", "quit") for stage, names in _ONLINE.items()},
}


def lit(widget: Widget, line: Strip) -> Strip:
    """Light up the bold key under the mouse with its words: Textual knows them as two links."""
    if click := widget.hover_style.meta.get("@click"):
        for style in [part.style for part in line]:
            if style is not None and style.meta.get("@click") == click:
                line = line.style_links(style.link_id, widget.link_style_hover)
    return line


class HintBar(Widget):
    """The line of the commands that are most useful at a stage of the game, which can be clicked."""

    ALLOW_SELECT = False
    stage: reactive[GameStage | None] = reactive(None)

    def render(self) -> Content:
        """Join as many commands as fit; the last ones, help and quit, always stay."""
        hints = [
            KeyHint(key_sign(keys[0]), self._deed(name), f"screen.command('{name}')")
            for name in (_COMMANDS[self.stage] if self.stage else ())
            if (keys := keys_now(BY_NAME[name]))
        ]
        return hint_line(hints, self.content_size.width, last=_STAYING, least=_STAYING)

    def _deed(self, name: str) -> str:
        withdraws = name == "decline" and self.stage in ("requesting", "challenging")
        return _("Withdraw") if withdraws else _(BY_NAME[name].label)

    def render_line(self, y: int) -> Strip:
        return lit(self, super().render_line(y))
