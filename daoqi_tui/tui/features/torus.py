"""The 3-D torus on the whole screen."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Static

from daoqi_tui.commands import key_signs
from daoqi_tui.commands.screen import TORUS_KEYS, TORUS_MOUSE, TorusKeys
from daoqi_tui.engine import Node
from daoqi_tui.i18n import _
from daoqi_tui.play.match import View
from daoqi_tui.play.wording import colour_word, describe_move, describe_result
from daoqi_tui.tui.board.screen import BoardScreen
from daoqi_tui.tui.host import Host
from daoqi_tui.tui.look import signs_of
from daoqi_tui.tui.panes import KeyHint
from daoqi_tui.tui.panes.torus import TorusView
from daoqi_tui.tui.screens.hinted import KeyLine, key_line, list_keys


class TorusScreen(BoardScreen[None]):
    """The flat board bent into a torus that faces the last move.

    Arrow keys pan it with the flat board, the mouse turns it and plays on it, 3 bends it back, Esc returns at once.
    """

    CSS = """
    TorusScreen {
        background: $background;
        TorusView { height: 1fr; }
        #round-line, #round-hints { text-align: center; }
        #round-line { height: 1; text-overflow: ellipsis; text-wrap: nowrap; }
        &.-tiny #round-hints { display: none; }
    }
    """
    shows_game = True
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (12, "-roomy")]  # noqa: RUF012 (Textual's form)
    BINDINGS = [  # noqa: RUF012 (Textual's form)
        *(Binding(key, action, show=False) for keys in TORUS_KEYS for key, action in keys.actions.items()),
        Binding("question_mark,f1", "list_keys", show=False),
    ]

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._host = host
        # Stored, since a query finds nothing on a screen that is closed before it is laid out.
        self._torus = TorusView(id="round")
        self._line = Static("", id="round-line", markup=False)
        self._hints = KeyLine(id="round-hints")
        self._node: Node | None = None
        self._unbending = False

    def compose(self) -> ComposeResult:
        yield self._line
        yield self._torus
        yield self._hints

    def on_mount(self) -> None:
        board = self._host.board
        if self._torus.is_attached:
            self._torus.follow(board)
            last = board.shown.last
            if last is not None:
                # The last move should stay in view.
                self._torus.set_turning(turning=False)
                self._torus.face(last)
            self._torus.bend()
        self._host.position_shown.subscribe(self, self._position_shown, immediate=True)
        self._show_line()
        self.fit()

    def _position_shown(self, view: View) -> None:
        moved = view.node is not self._node
        self._show_line()
        if moved:
            self._torus.show_last()

    def _show_line(self) -> None:
        game = self._host.match.game
        self._node, result = game.node, game.result
        if result is not None:
            parts = [describe_result(result)]
        else:
            parts = [_("{colour} to move").format(colour=colour_word(game.to_move))]
        move = game.node.move
        if move is not None:
            text = describe_move(game.node, game.torus, self._host.options.names)
            parts.append(_("last: {colour} {move}").format(colour=colour_word(move.colour), move=text))
        black, white = game.board.captured[1:]
        parts.append(_("captures: {stones}").format(stones=f"● {black}  ○ {white}"))
        self._line.update(signs_of(self).replace_stones(Text("  ·  ".join(parts))), layout=False)

    def on_screen_resume(self) -> None:
        self._host.questions.run_next()

    def fit(self) -> None:
        turning = self._torus.turning
        still = getattr(self.app, "still", False)
        hints = (
            *(() if still else (KeyHint("Space", _("Stop") if turning else _("Turn"), "screen.turning"),)),
            KeyHint("←↑↓→", _("Pan")),
            KeyHint("hjkl", _("Tilt and turn")),
            KeyHint("+ -", _("Zoom")),
            KeyHint("[ ]", _("Step through the game")),
            KeyHint("Esc", _("Go back"), "screen.close"),
        )
        self._hints.update(key_line(hints, self.size.width - 2), layout=False)

    def action_list_keys(self) -> None:
        gestures = (KeyHint(_(gesture), _(deed)) for gesture, deed in TORUS_MOUSE)
        list_keys(self, (*map(_hint, TORUS_KEYS), *gestures))

    def on_torus_view_turning_changed(self) -> None:
        self.fit()

    def on_unmount(self) -> None:
        self._host.point_hovered(None)

    def action_unbend(self) -> None:
        """Bend the torus back into the flat board, and return to it; at once if it is bending back already."""
        if self._unbending:
            self.dismiss()
        else:
            self._unbending = True
            self._torus.unbend()

    def on_torus_view_unbent(self) -> None:
        if self.is_current:
            self.dismiss()

    @property
    def board_size(self) -> int:
        return self._host.board_size

    def point_chosen(self, point: int) -> None:
        """Play at a clicked point as on the flat board; if nothing was played, show the reason."""
        game = self._host.match.game
        node = game.node
        self._host.point_chosen(point)
        if game.node is node:
            self._line.update(self._host.said, layout=False)

    def point_hovered(self, point: int | None) -> None:
        self._host.point_hovered(point)

    def action_zoom(self, steps: int) -> None:
        self._torus.zoom(steps)

    def action_turning(self) -> None:
        torus = self._torus
        torus.set_turning(turning=not torus.turning)

    def action_turn(self, across: int, up: int) -> None:
        self._torus.turn_by_hand(across, up)

    async def action_board(self, command: str) -> None:
        await self._host.action_command(command)


def _hint(keys: TorusKeys) -> KeyHint:
    """Return a hint for keys; it can be clicked if all of them do the same."""
    actions = set(keys.actions.values())
    return KeyHint(key_signs(keys.actions), _(keys.help), actions.pop() if len(actions) == 1 else "")
