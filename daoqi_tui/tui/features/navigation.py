"""Navigation: over the board (panning, cursor, cell size) and through the game tree, by steps and by replay.

While a line is shown over the board, such as a ladder, it is stepped through instead of the game.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from textual.timer import Timer

from daoqi_tui.i18n import N_, _
from daoqi_tui.play.match import View
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import Unable, with_keys
from daoqi_tui.tui.board.screen import STEPS
from daoqi_tui.tui.host import Feature, Handlers, Host, SidePane
from daoqi_tui.tui.panes.history import HistoryPane

if TYPE_CHECKING:
    from daoqi_tui.record.journal import SavedView
    from daoqi_tui.tui.panes.minimap import MinimapPane
    from daoqi_tui.tui.panes.study import TreePane
    from daoqi_tui.tui.panes.torus import TorusView

_REST: Final = 1.0
"""Seconds from a pan to writing the view to the journal."""


class Navigation(Feature):
    """Moves the view and the cursor over the board, and the current node through the tree."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._view_timer: Timer | None = None

    def handlers(self) -> Handlers:
        return {
            **{f"pan_{way}": partial(self.host.cursor.pan, *step) for way, step in STEPS.items()},
            **{f"pan_{way}_4": partial(self.host.cursor.pan, 4 * x, 4 * y) for way, (x, y) in STEPS.items()},
            **{f"cursor_{way}": partial(self.move_cursor, *step) for way, step in STEPS.items()},
            "centre_last": self.centre_last,
            "reset_view": self.reset_view,
            "follow": self.follow,
            "zoom_in": partial(self.zoom, 1),
            "zoom_out": partial(self.zoom, -1),
            "torus": self.show_torus,
            "back": partial(self.step_game, -1),
            "forward": partial(self.step_game, 1),
            "back_10": partial(self.step_game, -10),
            "forward_10": partial(self.step_game, 10),
            "start": partial(self.go_to, end=False),
            "end": partial(self.go_to, end=True),
            "variation": self.next_variation,
        }

    def panes(self) -> tuple[SidePane, ...]:
        return (
            SidePane("history", N_("History"), partial(HistoryPane, id="history")),
            SidePane("tree", N_("Tree"), _make_tree),
            SidePane("minimap", N_("Map"), _make_minimap, self._show_minimap, least=8, stands=17),
            SidePane("torus", N_("3-D torus"), _make_torus, self._show_torus, least=8),
        )

    def _show_minimap(self, pane: MinimapPane, view: View) -> None:
        pane.follow(self.host.board, view.names)

    def _show_torus(self, pane: TorusView, _view: View) -> None:
        pane.follow(self.host.board)

    # The board

    def move_cursor(self, right: int, down: int) -> None:
        """Move the cursor over the board; the view follows at its edge."""
        host, torus = self.host, self.match.game.torus
        viewport = host.board.viewport
        middle_x, middle_y = viewport.cell.middle
        x, y = viewport.place_of(*torus.position(host.cursor.point))
        x, y = x + right * viewport.cell.width, y + down * viewport.cell.height
        host.cursor.move(right, down)
        across, along = viewport.bright_columns, viewport.bright_rows
        if right and not across.start <= x - middle_x <= across.stop - viewport.cell.width:
            viewport = viewport.pan_points(right, 0)
        if down and not along.start <= y - middle_y <= along.stop - viewport.cell.height:
            viewport = viewport.pan_points(0, down)
        host.board.set_viewport(viewport)
        host.cursor.show()

    def centre_last(self) -> None:
        point = self.view.last_point
        if point is None:
            raise Unable(_("There is no last move to centre"))
        self.host.cursor.centre(point)

    def reset_view(self) -> None:
        before = self.host.board.viewport
        self.host.cursor.reset_view()
        if self.host.board.viewport == before:
            self.say(_("The view was not moved"))

    def follow(self) -> None:
        options = self.host.options
        self.host.apply_options(options._replace(follow=not options.follow))
        self.say(_("No longer following the last move") if options.follow else _("Following the last move"))

    def zoom(self, step: int) -> None:
        if self.host.board.zoom(step):
            self.host.cursor.keep_in_view()
        else:
            self.say(_("This is the largest size") if step > 0 else _("This is the smallest size"))

    async def show_torus(self) -> None:
        from daoqi_tui.tui.features.torus import TorusScreen  # noqa: PLC0415 (numpy costs 100 ms)

        await self.host.app.push_screen(TorusScreen(self.host))

    # The tree

    def step_game(self, moves: int) -> None:
        """Go forward some moves, or back if negative, through the shown line or else the game."""
        if self.host.step_shown(moves):
            return
        self.host.stop_replay()
        if not (self.match.forward(moves) if moves > 0 else self.match.back(-moves)):
            self.say(_("There are no more moves") if moves > 0 else _("This is the start"))

    def go_to(self, *, end: bool) -> None:
        """Go to the start or the end of the shown line, or else of the game."""
        if self.host.go_shown(end=end):
            return
        self.host.stop_replay()
        before = self.match.game.node
        self.match.goto(self.match.variations.line[-1] if end else self.match.session.start)
        if self.match.game.node is before:
            self.say(_("There are no more moves") if end else _("This is the start"))

    def next_variation(self) -> None:
        self.match.next_variation()
        self.host.stop_replay()

    # The view in the journal

    def note_view(self) -> None:
        """Write the view to the journal after a moment, once for all steps of a pan until then."""
        if self.match.keeper is not None and self._view_timer is None:
            self._view_timer = self.host.set_timer(_REST, self._write_view)

    def _write_view(self) -> None:
        from daoqi_tui.record.journal import SavedView  # noqa: PLC0415 (a first paint reads no journal)

        self._view_timer = None
        board, keeper = self.host.board, self.match.keeper
        viewport = board.viewport
        cell = viewport.cell.width, viewport.cell.height
        if keeper is not None:
            saved = SavedView(viewport.x, viewport.y, *cell, self.host.cursor.point, board.at_home)
            keeper.journal_of(self.match.session).note(saved)

    def restore_view(self, view: SavedView) -> None:
        board, cursor = self.host.board, self.host.cursor
        viewport = board.viewport
        if view.home:
            board.reset_view()
        else:
            x = view.x * viewport.cell.width // view.width
            y = view.y * viewport.cell.height // view.height
            board.set_viewport(viewport._replace(x=0, y=0).pan(x, y).aligned())
        if view.point is not None:
            cursor.point = view.point
        cursor.keep_in_view()
        self.host.show_board()


def _make_tree() -> TreePane:
    from daoqi_tui.tui.panes.study import TreePane  # noqa: PLC0415 (created when it is first shown)

    return TreePane(id="tree")


def _make_minimap() -> MinimapPane:
    from daoqi_tui.tui.panes.minimap import MinimapPane  # noqa: PLC0415

    return MinimapPane(id="minimap")


def _make_torus() -> TorusView:
    from daoqi_tui.tui.panes.torus import TorusView  # noqa: PLC0415 (numpy costs 100 ms)

    return TorusView(id="torus")


_SPEEDS: Final = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1)
"""Seconds between two moves of a replay."""


class Replay(Feature):
    """Steps through the game automatically while it is on."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._timer: Timer | None = None
        self._speed = 2

    def handlers(self) -> Handlers:
        return {
            "replay": self.toggle,
            "faster": partial(self.change_speed, 1),
            "slower": partial(self.change_speed, -1),
        }

    def begin(self, session: Session) -> None:  # noqa: ARG002 (the interface)
        self.stop()

    @property
    def on(self) -> bool:
        return self._timer is not None

    def toggle(self) -> None:
        if self.on:
            self.stop()
            self.say(_("Replay stopped"))
            return
        match = self.match
        if match.variations.next_node(match.game.node) is None:
            match.goto(match.session.start)
        if match.variations.next_node(match.game.node) is None:
            raise Unable(_("There is nothing to replay yet"))
        self._start()

    def change_speed(self, step: int) -> None:
        self._speed = max(0, min(len(_SPEEDS) - 1, self._speed + step))
        if self.on:
            self.stop()
            self._start()
        self.say(_("Replay: a move every {seconds} s").format(seconds=_SPEEDS[self._speed]))

    def _start(self) -> None:
        self._timer = self.host.set_interval(_SPEEDS[self._speed], self._step)
        self.say(with_keys(_("Replaying: {replay} stops, {faster} and {slower} change the speed")))

    def _step(self) -> None:
        if not self.match.forward():
            self.stop()
            self.say(_("End of the replay"))

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
