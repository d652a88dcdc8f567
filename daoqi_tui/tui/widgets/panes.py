"""The small panes beside the board: whose move it is, captures, passes and the count."""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import set_cell_size
from rich.text import Text
from textual.widgets import Static

from daoqi_tui.engine import BLACK, WHITE, Area, Colour
from daoqi_tui.engine.clock import TimeLeft
from daoqi_tui.i18n import N_, _
from daoqi_tui.tui.stone_sign import STONES, signs_of
from daoqi_tui.tui.words import colour_word, margin_words, signed, sum_words


class TurnState(NamedTuple):
    """Whose move it is.

    Attributes:
        names: the players' names by colour, empty where none was given.
        times: what their clocks show, None without clocks.
        over: how the game ended, empty while it is on.
        terms: size and komi.
    """

    to_move: Colour
    number: int
    names: tuple[str, str]
    times: tuple[TimeLeft, TimeLeft] | None
    over: str
    terms: str


class Tally(NamedTuple):
    """A count by player: black, white."""

    black: int
    white: int

    def of(self, colour: Colour) -> int:
        """Return one player's count."""
        return self.black if colour == BLACK else self.white


class Pane(Static):
    """A pane that is written anew without laying the screen out again.

    In a narrow window a pane has no border, so its title becomes a line of its own.
    """

    ALLOW_SELECT = False
    TITLE = ""
    FOLDS = True
    """Whether it is written as in a narrow window where a wide one is low."""

    @property
    def narrow(self) -> bool:
        """Whether there is room only for numbers: in the strip below the board, or in a low window."""
        return not self.screen.has_class("-wide") or (self.FOLDS and self.screen.has_class("-low"))

    def write(self, text: Text) -> None:
        """Show ``text``."""
        self.border_title = _(self.TITLE) if self.screen.has_class("-wide") else None
        signs_of(self).dress(text)
        self.update(text, layout=False)


class TurnPane(Pane):
    """Players, clocks, and whose move it is."""

    TITLE = N_("Game")
    FOLDS = False

    def show(self, state: TurnState) -> None:
        """Show who is to move."""
        text = Text(no_wrap=True, overflow="ellipsis")
        for colour in (BLACK, WHITE):
            marker = "▶" if colour == state.to_move and not state.over else " "
            name = state.names[colour - 1] or colour_word(colour)
            line = f"{marker} {STONES[colour]} {name}"
            if state.times is not None:
                left = state.times[colour - 1]
                line += f"  {time_words(left)}"
            text.append(line + "\n", style="bold" if marker == "▶" else "")
        if state.over:
            text.append(state.over, style="bold")
        else:
            text.append(_("Move {number}").format(number=state.number + 1))
        if not self.narrow:
            text.append(f"  {state.terms}", style="dim")
        self.write(text)


class CapturesPane(Pane):
    """Stones each side took, and lost by suicide."""

    TITLE = N_("Captures")

    def show(self, captured: Tally, suicided: Tally) -> None:
        """Show what was taken."""
        text = Text(no_wrap=True, overflow="ellipsis")
        if self.narrow:
            text.append(_("Captures") + "\n", style="dim")
        for colour in (BLACK, WHITE):
            lost = suicided.of(colour)
            line = f"{STONES[colour]} {captured.of(colour)}"
            if not self.narrow:
                line = _("{stone} took {count}").format(stone=STONES[colour], count=captured.of(colour))
                if lost:
                    line += _(", lost {count} by suicide").format(count=lost)
            elif lost:
                line += f" †{lost}"
            text.append(line + "\n")
        self.write(text)


class PassesPane(Pane):
    """Passes and what they cost."""

    TITLE = N_("Passes")

    def show(self, passes: Tally) -> None:
        """Show how often each side passed."""
        text = Text(no_wrap=True, overflow="ellipsis")
        if self.narrow:
            text.append(_("Passes") + "\n", style="dim")
        for colour in (BLACK, WHITE):
            count = passes.of(colour)
            line = f"{STONES[colour]} {count}"
            if count:
                line += f"  (−{count})"
            text.append(line + "\n")
        self.write(text)


class AreaPane(Pane):
    """The count of the board as it stands."""

    TITLE = N_("Count")

    def show(self, area: Area) -> None:
        """Show the breakdown of a count."""
        text = Text(no_wrap=True, overflow="ellipsis")
        if self.narrow:
            for colour in (BLACK, WHITE):
                text.append(f"{STONES[colour]} {sum_words(area, colour).replace(' ', '')}\n")
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
        text.append(margin_words(area), style="bold")
        self.write(text)


def time_words(left: TimeLeft) -> str:
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
