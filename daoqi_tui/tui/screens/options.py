"""The options screen."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Checkbox, Label, Select

from daoqi_tui.engine import Style
from daoqi_tui.i18n import _
from daoqi_tui.tui.options import Options
from daoqi_tui.tui.screens.dialogs import Dialog

_FILL = -1


class OptionsScreen(Dialog[Options | None]):
    """Asks how the board is shown and played on."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape", "close", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(self, options: Options, size: int) -> None:
        super().__init__()
        self._options, self._board_size = options, size

    def compose(self) -> ComposeResult:
        """Lay out the choices."""
        options = self._options
        with Vertical(classes="dialog", id="options") as dialog:
            dialog.border_title = _("Options")
            with Horizontal(classes="field"):
                yield Label(_("Copies around the board"))
                yield Select(
                    [(_("fill the window"), _FILL), *((str(lines), lines) for lines in range(self._board_size + 1))],
                    value=_FILL if options.margin is None else min(options.margin, self._board_size),
                    allow_blank=False,
                    compact=True,
                    id="margin",
                )
            with Horizontal(classes="field"):
                yield Label(_("Names of points"))
                yield Select(
                    [
                        (_("A–P with I (Daoqi)"), "daoqi"),
                        (_("without I (GTP)"), "gtp"),
                        (_("two letters (SGF)"), "sgf"),
                    ],
                    value=options.names,
                    allow_blank=False,
                    compact=True,
                    id="names",
                )
            with Horizontal(classes="field"):
                yield Checkbox(_("Click twice to play"), options.confirm_click, compact=True, id="confirm")
            with Horizontal(classes="field"):
                yield Checkbox(_("Follow the last move"), options.follow, compact=True, id="follow")
            with Horizontal(classes="field"):
                yield Checkbox(_("Mark chains in atari"), options.mark_atari, compact=True, id="mark-atari")
            with Horizontal(classes="field"):
                yield Checkbox(
                    _("Mark chains that a ladder captures"), options.mark_ladders, compact=True, id="mark-ladders"
                )
            with Horizontal(classes="buttons"):
                yield Button(_("Done (Esc)"), id="done", variant="primary")

    @on(Button.Pressed, "#done")
    def action_close(self) -> None:
        """Go back to the game with what was chosen."""
        margin = cast("int", self.query_one("#margin", Select).value)
        names = cast("Style", self.query_one("#names", Select).value)
        self.dismiss(
            replace(
                self._options,
                margin=None if margin == _FILL else margin,
                names=names,
                confirm_click=self.query_one("#confirm", Checkbox).value,
                follow=self.query_one("#follow", Checkbox).value,
                mark_atari=self.query_one("#mark-atari", Checkbox).value,
                mark_ladders=self.query_one("#mark-ladders", Checkbox).value,
            )
        )
