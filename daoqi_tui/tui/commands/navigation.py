"""Navigation: over the board (panning, cursor, cell size) and through the game tree, by steps and by replay.

While a ladder is shown, it is stepped through instead of the game.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from daoqi_tui.i18n import N_, _
from daoqi_tui.tui.commands.table import Command, group

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

BOARD = group(
    N_("Panning and cursor"),
    Command(
        "pan_left", ("left",), N_("Pan left"), N_("Pan one point to the left"), _left, words=N_("scroll move west")
    ),
    Command(
        "pan_right", ("right",), N_("Pan right"), N_("Pan one point to the right"), _right, words=N_("scroll move east")
    ),
    Command("pan_up", ("up",), N_("Pan up"), N_("Pan one point up"), _up, words=N_("scroll move north")),
    Command("pan_down", ("down",), N_("Pan down"), N_("Pan one point down"), _down, words=N_("scroll move south")),
    Command(
        "pan_left_4",
        ("shift+left",),
        N_("Pan far left"),
        N_("Pan four points to the left"),
        _far_left,
        words=N_("scroll fast west four"),
    ),
    Command(
        "pan_right_4",
        ("shift+right",),
        N_("Pan far right"),
        N_("Pan four points to the right"),
        _far_right,
        words=N_("scroll fast east four"),
    ),
    Command(
        "pan_up_4",
        ("shift+up",),
        N_("Pan far up"),
        N_("Pan four points up"),
        _far_up,
        words=N_("scroll fast north four"),
    ),
    Command(
        "pan_down_4",
        ("shift+down",),
        N_("Pan far down"),
        N_("Pan four points down"),
        _far_down,
        words=N_("scroll fast south four"),
    ),
    Command(
        "cursor_left",
        ("h",),
        N_("Cursor left"),
        N_("Move the cursor one point to the left"),
        partial(cursor, right=-1, down=0),
        words=N_("select move point west"),
    ),
    Command(
        "cursor_down",
        ("j",),
        N_("Cursor down"),
        N_("Move the cursor one point down"),
        partial(cursor, right=0, down=1),
        words=N_("select move point south"),
    ),
    Command(
        "cursor_up",
        ("k",),
        N_("Cursor up"),
        N_("Move the cursor one point up"),
        partial(cursor, right=0, down=-1),
        words=N_("select move point north"),
    ),
    Command(
        "cursor_right",
        ("l",),
        N_("Cursor right"),
        N_("Move the cursor one point to the right"),
        partial(cursor, right=1, down=0),
        words=N_("select move point east"),
    ),
    Command(
        "centre_last",
        ("c",),
        N_("Centre last move"),
        N_("Centre the last move"),
        centre_last,
        words=N_("center middle recent stone find"),
    ),
    Command(
        "reset_view",
        ("0",),
        N_("Reset view"),
        N_("Reset the view"),
        reset_view,
        words=N_("reset view home unshifted"),
    ),
    Command(
        "follow",
        ("f",),
        N_("Follow last move"),
        N_("Keep the last move centred, or stop"),
        follow,
        words=N_("track auto center scroll lock"),
    ),
    Command(
        "zoom_in",
        ("plus", "equals_sign"),
        N_("Zoom in"),
        N_("Make the board larger"),
        partial(zoom, step=1),
        words=N_("bigger larger magnify enlarge"),
    ),
    Command(
        "zoom_out",
        ("minus",),
        N_("Zoom out"),
        N_("Make the board smaller"),
        partial(zoom, step=-1),
        words=N_("smaller shrink reduce"),
    ),
    Command(
        "torus",
        ("3",),
        N_("3-D torus"),
        N_("Show the board as a rotating torus, full screen"),
        show_torus,
        words=N_("3d doughnut donut rotate ring round"),
    ),
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


GAME = group(
    N_("Navigation and replay"),
    Command(
        "back",
        ("left_square_bracket",),
        N_("Back"),
        N_("Go back one move"),
        back,
        words=N_("previous move earlier rewind"),
    ),
    Command(
        "forward",
        ("right_square_bracket",),
        N_("Forward"),
        N_("Go forward one move"),
        forward,
        words=N_("next move later advance"),
    ),
    Command(
        "back_10",
        ("left_curly_bracket",),
        N_("Ten moves back"),
        N_("Go back ten moves"),
        partial(back, moves=10),
        words=N_("rewind previous fast"),
    ),
    Command(
        "forward_10",
        ("right_curly_bracket",),
        N_("Ten moves forward"),
        N_("Go forward ten moves"),
        partial(forward, moves=10),
        words=N_("advance next skip fast"),
    ),
    Command(
        "start",
        ("home",),
        N_("To the start"),
        N_("Go to the start of the game"),
        go_to_start,
        words=N_("beginning first move rewind root"),
    ),
    Command(
        "end",
        ("end",),
        N_("To the end"),
        N_("Go to the end of this variation"),
        go_to_end,
        words=N_("last move latest final"),
    ),
    Command(
        "variation",
        ("v",),
        N_("Next variation"),
        N_("Go to the next variation of this move"),
        next_variation,
        words=N_("branch alternative sibling tree"),
    ),
    Command(
        "replay",
        ("a",),
        N_("Replay"),
        N_("Replay the game automatically, or stop"),
        replay,
        words=N_("autoplay slideshow watch animate"),
    ),
    Command(
        "faster",
        ("full_stop",),
        N_("Faster"),
        N_("Replay faster"),
        partial(change_speed, step=1),
        words=N_("quicker fast replay speed"),
    ),
    Command(
        "slower",
        ("comma",),
        N_("Slower"),
        N_("Replay slower"),
        partial(change_speed, step=-1),
        words=N_("slow replay speed"),
    ),
)
