"""One line of the most used commands, each of which can be clicked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from textual.content import Content
from textual.widgets import Static

from daoqi_tui.i18n import _
from daoqi_tui.tui.commands import COMMANDS, Command, key_sign, keys_of

_BY_ID = {command.id: command for command in COMMANDS}
_GAP: Final = 3
_STAYING: Final = 3
_ALWAYS: Final = ("back", "forward", "library", "palette", "new_game", "help", "quit")
_PLAYING: Final = ("pass", "take_back", "count", *_ALWAYS[:2], "resign", "options", *_ALWAYS[2:])
_OVER: Final = ("resume", "dead", "count", "take_back", *_ALWAYS)


class HintBar(Static):
    """What can be done now, by key or by click."""

    ALLOW_SELECT = False
    _shown: tuple[bool, int] | None = None
    """What stands there, whether for a game that is over, and in what width; None draws it anew."""

    def refresh_words(self) -> None:
        """Write the commands in another language."""
        over = self._shown is not None and self._shown[0]
        self._shown = None
        self.show(over=over)

    def show(self, *, over: bool) -> None:
        """Show the commands of a game that is on, or of one that is over, as many as fit."""
        shown = over, self.content_size.width
        if shown != self._shown:
            self._shown = shown
            names = _OVER if over else _PLAYING
            self.update(self._line([_BY_ID[name] for name in names], self.content_size.width), layout=False)

    def on_resize(self) -> None:
        """Use the new width."""
        if self._shown is not None:
            self.show(over=self._shown[0])

    def _line(self, commands: Iterable[Command], width: int) -> Content:
        """Join as many commands as fit into ``width`` cells; the last ones, help and quit, always stay."""
        rebound = getattr(self.app, "rebound", {})
        parts = [_part(command, keys[0]) for command in commands if (keys := keys_of(command, rebound))]
        while len(parts) > _STAYING and sum(part.cell_length for part in parts) + _GAP * (len(parts) - 1) > width:
            parts.pop(-_STAYING - 1)
        return Content(" " * _GAP).join(parts)


def _part(command: Command, key_name: str) -> Content:
    key = Content.styled(key_sign(key_name), "bold $accent")
    return (key + f" {_(command.label)}").stylize(f"@click=screen.{command.id}")
