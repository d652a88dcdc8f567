"""One line of the most used commands, each of which can be clicked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from textual.content import Content
from textual.widgets import Static

from daoqi_tui.i18n import _
from daoqi_tui.tui.bound_keys import keys_now
from daoqi_tui.tui.commands import COMMANDS, Command, key_sign
from daoqi_tui.tui.hint_line import KeyHint, hint_line

_BY_ID = {command.id: command for command in COMMANDS}
_STAYING: Final = 3
_ALWAYS: Final = ("library", "palette", "new_game", "help", "quit")
_BEGINNING: Final = ("pass", "players", "hint", "count", "options", *_ALWAYS)
_PLAYING: Final = ("pass", "take_back", "count", "hint", "back", "forward", "resign", "players", "options", *_ALWAYS)
_COUNTED: Final = ("resume", "dead", "count", "review", "take_back", "back", "forward", *_ALWAYS)
_GIVEN_UP: Final = ("resume", "review", "count", "take_back", "back", "forward", *_ALWAYS)

Stage = Literal["beginning", "playing", "counted", "given up"]
"""How far a game has come; who plays is chosen most often before the first move, and dead stones after two passes."""
_COMMANDS: Final[Mapping[Stage, tuple[str, ...]]] = {
    "beginning": _BEGINNING,
    "playing": _PLAYING,
    "counted": _COUNTED,
    "given up": _GIVEN_UP,
}


class HintBar(Static):
    """What can be done now, by key or by click."""

    ALLOW_SELECT = False
    _shown: tuple[Stage, int] | None = None
    """What stands there: for what stage of a game, and in what width."""

    def refresh_words(self) -> None:
        """Write the commands in another language."""
        if self._shown is not None:
            stage, self._shown = self._shown[0], None
            self.show(stage)

    def show(self, stage: Stage) -> None:
        """Show the commands that matter at a stage of the game, as many as fit."""
        shown = stage, self.content_size.width
        if shown != self._shown:
            self._shown = shown
            commands = [_BY_ID[name] for name in _COMMANDS[stage]]
            self.update(self._line(commands, self.content_size.width), layout=False)

    def on_resize(self) -> None:
        """Use the new width."""
        if self._shown is not None:
            self.show(self._shown[0])

    def _line(self, commands: Iterable[Command], width: int) -> Content:
        """Join as many commands as fit into ``width`` cells; the last ones, help and quit, always stay."""
        hints = [
            KeyHint(key_sign(keys[0]), _(command.label), f"screen.{command.id}")
            for command in commands
            if (keys := keys_now(command))
        ]
        return hint_line(hints, width, last=_STAYING, least=_STAYING)
