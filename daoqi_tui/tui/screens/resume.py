"""Asks which unfinished game to take up again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, OptionList, Static

from daoqi_tui.i18n import _
from daoqi_tui.record.journal import Unfinished
from daoqi_tui.record.text import plain_line
from daoqi_tui.tui.screens.dialogs import Dialog


class ResumeScreen(Dialog[Path | None]):
    """Lists the games that were left unfinished, the one played on last first."""

    BINDINGS = [Binding("escape,n", "leave", show=False)]  # noqa: RUF012 (Textual's form)

    def __init__(self, games: Sequence[Unfinished]) -> None:
        super().__init__()
        self._games = games

    def compose(self) -> ComposeResult:
        """Lay out the list above the buttons."""
        with Vertical(classes="dialog", id="resume") as dialog:
            dialog.border_title = _("Unfinished games")
            yield Static(Text(_("These games were left unfinished. Go on with one?")), classes="question")
            yield OptionList(*(Text(_words(game), no_wrap=True, overflow="ellipsis") for game in self._games))
            with Horizontal(classes="buttons"):
                yield Button(_("Go on (Enter)"), id="go-on", variant="primary")
                yield Button(_("New game (n)"), id="new")

    def on_mount(self) -> None:
        """Offer the one played on last."""
        games = self.query_one(OptionList)
        games.highlighted = 0
        games.focus()

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._games[event.option_index].path)

    @on(Button.Pressed, "#go-on")
    def _go_on(self) -> None:
        self.dismiss(self._games[self.query_one(OptionList).highlighted or 0].path)

    @on(Button.Pressed, "#new")
    def action_leave(self) -> None:
        """Leave them as they are."""
        self.dismiss(None)


def _words(game: Unfinished) -> str:
    black, white = plain_line(game.names.black) or _("Black"), plain_line(game.names.white) or _("White")
    changed = datetime.fromtimestamp(game.changed).astimezone()
    return f"{changed:%Y-%m-%d %H:%M}  {game.size}×{game.size}  {black} – {white}"
