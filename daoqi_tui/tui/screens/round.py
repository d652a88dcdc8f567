"""The board in the round, on the whole screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Static

from daoqi_tui.i18n import _
from daoqi_tui.tui.hint_line import KeyHint, hint_line
from daoqi_tui.tui.widgets.torus3d import TorusView

if TYPE_CHECKING:
    from daoqi_tui.tui.screens.game import GameScreen

_WAYS: Final = ("left", "right", "up", "down")
_LOOKING: Final = {
    "left_square_bracket": "back",
    "right_square_bracket": "forward",
    "left_curly_bracket": "back(10)",
    "right_curly_bracket": "forward(10)",
    "home": "start",
    "end": "end",
    "c": "centre_last",
    "0": "origin",
    "a": "replay",
}
"""Keys that do here what they do on the flat board, which lies below and moves along."""


class RoundScreen(Screen[None]):
    """A turning torus. Arrow keys pan it with the flat board, the mouse turns it, Esc goes back."""

    CSS = """
    RoundScreen {
        background: $background;
        TorusView { height: 1fr; }
        #round-hints { text-align: center; }
        &.-tiny #round-hints { display: none; }
    }
    """
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (12, "-roomy")]  # noqa: RUF012 (Textual's form)
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape,3,q", "back", show=False),
        Binding("space", "turning", show=False),
        Binding("h", "turn(-1, 0)", show=False),
        Binding("l", "turn(1, 0)", show=False),
        Binding("k", "turn(0, 1)", show=False),
        Binding("j", "turn(0, -1)", show=False),
        *(Binding(key, f"board(\"pan('{key}')\")", show=False) for key in _WAYS),
        *(Binding(f"shift+{key}", f"board(\"pan('{key}', 4)\")", show=False) for key in _WAYS),
        *(Binding(key, f"board('{action}')", show=False) for key, action in _LOOKING.items()),
    ]

    def __init__(self, game_screen: GameScreen) -> None:
        super().__init__()
        self._game_screen = game_screen
        # Kept here, since a screen closed as fast as it opened has nothing laid out that could be found on it.
        self._torus = TorusView(id="round")
        self._hints = Static("", id="round-hints", classes="key-hints")

    def compose(self) -> ComposeResult:
        """Lay out the torus above a line of hints."""
        yield self._torus
        yield self._hints

    def on_mount(self) -> None:
        """Follow the flat board."""
        if self._torus.is_attached:
            self._torus.follow(self._game_screen.board)
        self._show_hints()

    def on_resize(self) -> None:
        """Use the new width."""
        self._show_hints()

    def _show_hints(self) -> None:
        turning = self._torus.turning
        hints = (
            KeyHint("Space", _("Stop") if turning else _("Turn"), "screen.turning"),
            KeyHint("←↑↓→", _("Pan")),
            KeyHint("hjkl", _("Tilt and turn")),
            KeyHint("[ ]", _("Step through the game")),
            KeyHint("Esc", _("Back"), "screen.back"),
        )
        self._hints.update(hint_line(hints, self.size.width - 2), layout=False)

    def on_torus_view_turning_changed(self) -> None:
        """Say what Space does now."""
        self._show_hints()

    def action_back(self) -> None:
        """Go back to the flat board."""
        self.dismiss(None)

    def action_turning(self) -> None:
        """Let the torus turn by itself, or stop."""
        torus = self._torus
        torus.set_turning(turning=not torus.turning)

    def action_turn(self, across: int, up: int) -> None:
        """Turn the torus by a step."""
        torus = self._torus
        if across:
            torus.set_turning(turning=False)
        torus.turn(across / 64, up * 0.08)

    async def action_board(self, action: str) -> None:
        """Let the flat board do what it does at this key; the torus follows."""
        await self._game_screen.run_action(action)
