"""One line of the most used commands, each of which can be clicked."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content
from textual.widgets import Static

from daoqi_tui.i18n import _
from daoqi_tui.tui.commands import COMMANDS, Command, key_sign

_BY_ID = {command.id: command for command in COMMANDS}
_PLAYING = ("pass", "take_back", "count", "back", "forward", "new_game", "options", "help", "resign", "quit")
_OVER = ("resume", "dead", "count", "take_back", "back", "forward", "new_game", "help", "quit")


class HintBar(Static):
    """What can be done now, by key or by click."""

    ALLOW_SELECT = False
    _over: bool | None = None

    def show(self, *, over: bool) -> None:
        """Show the commands of a game that is on, or of one that is over."""
        if over != self._over:
            self._over = over
            self.update(_line(_BY_ID[name] for name in (_OVER if over else _PLAYING)), layout=False)


def _line(commands: Iterable[Command]) -> Content:
    parts: list[Content] = []
    for command in commands:
        key = Content.from_markup("[b $accent]$key[/]", key=key_sign(command.keys[0]))
        label = Content.from_text(f" {_(command.label)}", markup=False)
        parts.append((key + label).stylize(f"@click=screen.{command.id}"))
    return Content("   ").join(parts)
