"""The list of boards: the game behind it wears each as it is pointed at."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from daoqi_tui.i18n import _
from daoqi_tui.tui.boards import BOARDS
from daoqi_tui.tui.options import Options
from daoqi_tui.tui.palette import RGB, Palette
from daoqi_tui.tui.screens.dialogs import Dialog
from daoqi_tui.tui.themes import BOARD_LABELS


class BoardsScreen(Dialog[Options | None]):
    """Asks for a board; None goes back to the one there was."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape", "cancel", show=False),
        Binding("T", "next", show=False),
    ]

    def __init__(self, options: Options, wear: Callable[[Options], None]) -> None:
        """Begin at the board of ``options``; ``wear`` shows the game as liked."""
        super().__init__()
        self._before, self._wear = options, wear

    def compose(self) -> ComposeResult:
        """Lay out the names, each on its own wood."""
        with Vertical(classes="dialog", id="boards") as dialog:
            dialog.border_title = _("Board")
            dialog.border_subtitle = _("Enter keeps, Esc goes back")
            yield OptionList(
                *(Option(_sample(palette, _(BOARD_LABELS[name])), id=name) for name, palette in BOARDS.items())
            )

    def on_mount(self) -> None:
        """Point at the board there is."""
        names = self.query_one(OptionList)
        names.highlighted = list(BOARDS).index(self._before.board)
        names.focus()

    def action_next(self) -> None:
        """Point at the next."""
        names = self.query_one(OptionList)
        names.highlighted = ((names.highlighted or 0) + 1) % names.option_count

    def _options(self, name: str | None) -> Options:
        return self._before._replace(board=name or self._before.board)

    @on(OptionList.OptionHighlighted)
    def _point(self, event: OptionList.OptionHighlighted) -> None:
        self._wear(self._options(event.option_id))

    @on(OptionList.OptionSelected)
    def _keep(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._options(event.option_id))

    def action_cancel(self) -> None:
        """Wear the board of before again."""
        self._wear(self._before)
        self.dismiss(None)


def _sample(palette: Palette, name: str) -> Text:
    shades = palette.bright
    text = Text(no_wrap=True)
    for sign, ink in (
        (" ", shades.black),
        ("●", shades.black),
        (" ", shades.black),
        ("●", shades.white_fill),
        (" ", shades.white_fill),
    ):
        text.append(sign, style=f"{_rgb(ink)} on {_rgb(shades.board)}")
    return text.append(f"  {name}")


def _rgb(colour: RGB) -> str:
    return f"rgb({colour[0]},{colour[1]},{colour[2]})"
