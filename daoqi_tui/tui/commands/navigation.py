"""Navigation: over the board (panning, cursor, cell size) and through the game tree, by steps and by replay.

While a ladder is shown, it is stepped through instead of the game.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from daoqi_tui.i18n import _
from daoqi_tui.tui.commands.handlers import Handlers

if TYPE_CHECKING:
    from daoqi_tui.tui.game.screen import GameScreen


def pan(screen: GameScreen, right: int, down: int) -> None:
    """Pan the view by points; the cursor keeps its place on the screen."""
    screen.cursor.move(right, down)
    screen.board.set_viewport(screen.board.viewport.pan_points(right, down))
    screen.cursor.show()


def cursor(screen: GameScreen, right: int, down: int) -> None:
    """Move the cursor over the board; the view follows at its edge."""
    torus = screen.session.game.torus
    viewport = screen.board.viewport
    middle_x, middle_y = viewport.cell.middle
    x, y = viewport.place_of(*torus.position(screen.cursor.point))
    x, y = x + right * viewport.cell.width, y + down * viewport.cell.height
    screen.cursor.move(right, down)
    across, along = viewport.bright_columns, viewport.bright_rows
    if right and not across.start <= x - middle_x <= across.end - viewport.cell.width:
        viewport = viewport.pan_points(right, 0)
    if down and not along.start <= y - middle_y <= along.end - viewport.cell.height:
        viewport = viewport.pan_points(0, down)
    screen.board.set_viewport(viewport)
    screen.cursor.show()


def centre_last(screen: GameScreen) -> None:
    """Centre the last move."""
    point = screen.last_point
    if point is None:
        screen.say(_("There is no last move to centre"))
        return
    screen.cursor.centre(point)


def reset_view(screen: GameScreen) -> None:
    """Reset the view."""
    screen.cursor.look(screen.board.viewport.at_origin())


def follow(screen: GameScreen) -> None:
    """Keep the last move centred, or stop."""
    screen.options = screen.options._replace(follow=not screen.options.follow)
    screen.show_position()
    screen.say(_("Following the last move") if screen.options.follow else _("No longer following the last move"))


def zoom(screen: GameScreen, step: int) -> None:
    """Draw the board larger or smaller."""
    from daoqi_tui.tui.board.viewport import CELLS  # noqa: PLC0415 (the table of commands is read without a screen)

    place = CELLS.index(screen.board.viewport.cell) + step
    if not 0 <= place < len(CELLS):
        screen.say(_("This is the largest size") if step > 0 else _("This is the smallest size"))
        return
    screen.board.set_cell(CELLS[place])
    screen.cursor.keep_in_view()


async def show_torus(screen: GameScreen) -> None:
    """Show the board as a torus."""
    from daoqi_tui.tui.screens.torus import TorusScreen  # noqa: PLC0415 (numpy costs 100 ms)

    await screen.app.push_screen(TorusScreen(screen))


_left, _right, _up, _down = (partial(pan, right=x, down=y) for x, y in ((-1, 0), (1, 0), (0, -1), (0, 1)))
_far_left, _far_right, _far_up, _far_down = (
    partial(pan, right=x, down=y) for x, y in ((-4, 0), (4, 0), (0, -4), (0, 4))
)


def back(screen: GameScreen, moves: int = 1) -> None:
    """Go back some moves, up to the start."""
    if screen.ladder.step(-moves):
        return
    screen.replay.stop()
    if not screen.match.back(moves):
        screen.say(_("This is the start"))


def forward(screen: GameScreen, moves: int = 1) -> None:
    """Go forward some moves, up to the end."""
    if screen.ladder.step(moves):
        return
    screen.replay.stop()
    if not screen.match.forward(moves):
        screen.say(_("There are no more moves"))


def go_to_start(screen: GameScreen) -> None:
    """Go to the start."""
    if not screen.ladder.go(end=False):
        screen.replay.stop()
        screen.match.goto(screen.session.start)


def go_to_end(screen: GameScreen) -> None:
    """Go to the end of this line of play."""
    if not screen.ladder.go(end=True):
        screen.replay.stop()
        screen.match.goto(screen.match.variations.last_node())


def next_variation(screen: GameScreen) -> None:
    """Go to the next variation of this move."""
    if screen.match.next_variation():
        screen.replay.stop()
    else:
        screen.say(_("There is no other variation here"))


def replay(screen: GameScreen) -> None:
    """Start replaying the game from here, or stop."""
    screen.replay.toggle()


def change_speed(screen: GameScreen, step: int) -> None:
    """Replay faster or more slowly."""
    screen.replay.change_speed(step)


HANDLERS: Final[Handlers] = {
    "pan_left": _left,
    "pan_right": _right,
    "pan_up": _up,
    "pan_down": _down,
    "pan_left_4": _far_left,
    "pan_right_4": _far_right,
    "pan_up_4": _far_up,
    "pan_down_4": _far_down,
    "cursor_left": partial(cursor, right=-1, down=0),
    "cursor_down": partial(cursor, right=0, down=1),
    "cursor_up": partial(cursor, right=0, down=-1),
    "cursor_right": partial(cursor, right=1, down=0),
    "centre_last": centre_last,
    "reset_view": reset_view,
    "follow": follow,
    "zoom_in": partial(zoom, step=1),
    "zoom_out": partial(zoom, step=-1),
    "torus": show_torus,
    "back": back,
    "forward": forward,
    "back_10": partial(back, moves=10),
    "forward_10": partial(forward, moves=10),
    "start": go_to_start,
    "end": go_to_end,
    "variation": next_variation,
    "replay": replay,
    "faster": partial(change_speed, step=1),
    "slower": partial(change_speed, step=-1),
}
