"""The welcome screen: play the computer or a friend, solve problems, take the tour, or open a game."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets import Button, Static

from daoqi_tui.i18n import N_, _
from daoqi_tui.play.problems import describe_due
from daoqi_tui.play.session import PERSON, Computer, GameSetup
from daoqi_tui.tui.look import Paragraph
from daoqi_tui.tui.screens import DismissibleDialog, labelled
from daoqi_tui.typed import LEVEL_NUMBERS

if TYPE_CHECKING:
    from daoqi_tui.tui.features.program.living import LivingBoard

SIZES: Final = (9, 13, 16, 19)
_HALF: Final = "·"
_BUTTONS: Final = (
    ("computer", "c", N_("Play the computer")),
    ("friend", "f", N_("Play a friend at this keyboard")),
    ("network", "n", N_("Play a friend on the network")),
    ("problems", "p", N_("Solve problems on the torus")),
    ("tour", "t", N_("Take the ten-step tour")),
    ("open", "o", N_("Open a game")),
)

_IDLE: Final = 0.5
"""Seconds after which the board behind comes to life."""

Chosen: TypeAlias = GameSetup | Literal["network", "tour", "open", "problems"] | None


class NumberRow(Static, can_focus=True):
    """A row of numbers, one of which is chosen with the arrow keys or by a click; a half not chosen is shown as a dot.

    Attributes:
        value: the chosen number.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    NumberRow {
        height: 1;
        width: 100%;
        link-style: none;
        link-color: $foreground;
        link-background: transparent;
        link-style-hover: bold;
        link-color-hover: $text;
        link-background-hover: $primary 60%;
        &:focus { background: $focused; }
    }
    """
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("left,minus", "step(-1)", show=False),
        Binding("right,plus", "step(1)", show=False),
    ]

    def __init__(self, label: str, numbers: Sequence[float], value: float, *, id: str) -> None:  # noqa: A002 (Textual's own name)
        super().__init__(id=id)
        self._label, self._numbers, self.value = label, tuple(numbers), value

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        # Each number has a cell on each side for brackets; in a narrow window only the chosen one has.
        line = self._line(" {} ", "")
        if line.cell_length > self.content_size.width:
            line = self._line("{}", "" if self._has_halves else " ")
        self.update(line, layout=False)

    @property
    def _has_halves(self) -> bool:
        return any(number % 1 for number in self._numbers)

    def _line(self, other: str, between: str) -> Content:
        parts = []
        for number in self._numbers:
            chosen = number == self.value
            shown = f"[{number}]" if chosen else _HALF if number % 1 else other.format(number)
            part = Content(shown).stylize(f"@click=choose({number})")
            parts.append(part.stylize("bold reverse") if chosen else part)
        return Content(f"{self._label} {between}") + Content(between).join(parts)

    def action_step(self, step: int) -> None:
        """Choose the next or the previous number, without wrapping."""
        place = self._numbers.index(self.value) + step
        self.action_choose(self._numbers[max(0, min(len(self._numbers) - 1, place))])

    def action_choose(self, number: float) -> None:
        self.value = number
        self._show()


class WelcomeScreen(DismissibleDialog[Chosen]):
    """The choice of what to begin with. Arrow keys and Enter or a letter choose, Esc shows the board.

    Args:
        size: the initial board size.
        level: the initial level of the computer.
        due: how many of the user's mistakes are due, which are offered in the first place then.
        living: makes the board behind the page, for windows with room for it; None leaves the game there.

    Attributes:
        numbers: the size and the level that were chosen.
    """

    CSS = """
    WelcomeScreen {
        layers: game words;
        #welcome { width: 66; layer: words; }
        &.-wide.-high { align: right bottom; }
        &.-wide.-high #welcome { margin: 0 2 1 0; }
        &.-narrow LivingBoard, &.-low LivingBoard { display: none; }
        #greeting, #level { margin-bottom: 1; }
        #welcome Button { width: 100%; margin: 0; content-align: left middle; text-align: left; }
        Button:focus { text-style: bold; }
        &.-narrow #greeting, &.-low #greeting, &.-narrow #level, &.-low #level { margin-bottom: 0; }
    }
    """
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape,q", "close", show=False),
        Binding("down,j,tab", "app.focus_next", show=False),
        Binding("up,k,shift+tab", "app.focus_previous", show=False),
        *(Binding(key, f"begin('{name}')", show=False) for name, key, _label in _BUTTONS),
    ]

    def __init__(
        self,
        size: int,
        level: float,
        due: int = 0,
        living: Callable[[], Awaitable[LivingBoard]] | None = None,
    ) -> None:
        super().__init__()
        self.numbers = size, level
        self._due = due
        self._make_living = living
        self._living: LivingBoard | None = None

    def compose(self) -> ComposeResult:
        labels = _("Board size"), _("Level")
        width = max(map(cell_len, labels))
        size, level = (set_cell_size(label, width) for label in labels)
        board_size, computer_level = self.numbers
        sizes = sorted({*SIZES, board_size})
        with Vertical(classes="dialog", id="welcome") as dialog:
            dialog.border_title = _("Welcome to Daoqi")
            dialog.border_subtitle = Content(_("Esc: to the board")).stylize("@click=screen.close")
            greeting = _(
                "Go on a board without edges: left meets right, top meets bottom. "
                "Level 1 is for beginners, 10 is the strongest."
            )
            yield Static(Paragraph(Text(greeting)), id="greeting")
            yield NumberRow(size, sizes, board_size, id="size")
            yield NumberRow(level, LEVEL_NUMBERS, computer_level, id="level")
            # Mistakes that are due come first.
            for name, key, label in sorted(_BUTTONS, key=lambda button: not (self._due and button[0] == "problems")):
                words = describe_due(self._due) if self._due and name == "problems" else _(label)
                yield Button(labelled(words, key), id=name, variant="primary" if name == "computer" else "default")

    def on_mount(self) -> None:
        self.query_one("#computer", Button).focus()
        if self._make_living is not None and not self.app.is_headless:
            self.set_timer(_IDLE, self.show_living)

    async def show_living(self) -> None:
        """Show the board behind the page, if the window has room for it."""
        assert self._make_living is not None
        if self.has_class("-wide") and self.has_class("-high"):
            living = await self._make_living()
            if self in self.app.screen_stack:
                self._living = living
                await self.mount(living, before=0)

    def dismiss(self, result: Chosen = None) -> AwaitComplete:
        if self._living is not None:
            self._living.stop()
        return super().dismiss(result)

    def get_widget_at(self, x: int, y: int) -> tuple[Widget, Region]:
        """Return the widget at a place; the board behind the page counts as the screen."""
        widget, region = super().get_widget_at(x, y)
        return (self, self.region) if self._living in widget.ancestors_with_self else (widget, region)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.action_begin(str(event.button.id))

    def on_key(self, event: events.Key) -> None:
        if event.key == "enter" and isinstance(self.focused, NumberRow):
            event.stop()
            self.action_begin("computer")

    def action_begin(self, name: str) -> None:
        size, level = int(self.query_one("#size", NumberRow).value), self.query_one("#level", NumberRow).value
        self.numbers = size, level
        match name:
            case "computer":
                self.dismiss(GameSetup(size, black_seat=PERSON, white_seat=Computer(level)))
            case "friend":
                self.dismiss(GameSetup(size))
            case "network" | "tour" | "open" | "problems":
                self.dismiss(name)
