"""Commands that pan the board, move the cursor, and go through the game."""

from __future__ import annotations

from typing import Final

from daoqi_tui.commands.command import Command, group
from daoqi_tui.i18n import N_

BOARD: Final = group(
    N_("Panning and cursor"),
    Command("pan_left", ("left",), N_("Pan left"), N_("Pan one point to the left"), words=N_("scroll move west")),
    Command("pan_right", ("right",), N_("Pan right"), N_("Pan one point to the right"), words=N_("scroll move east")),
    Command("pan_up", ("up",), N_("Pan up"), N_("Pan one point up"), words=N_("scroll move north")),
    Command("pan_down", ("down",), N_("Pan down"), N_("Pan one point down"), words=N_("scroll move south")),
    Command(
        "pan_left_4",
        ("shift+left",),
        N_("Pan far left"),
        N_("Pan four points to the left"),
        words=N_("scroll fast west four"),
    ),
    Command(
        "pan_right_4",
        ("shift+right",),
        N_("Pan far right"),
        N_("Pan four points to the right"),
        words=N_("scroll fast east four"),
    ),
    Command("pan_up_4", ("shift+up",), N_("Pan far up"), N_("Pan four points up"), words=N_("scroll fast north four")),
    Command(
        "pan_down_4",
        ("shift+down",),
        N_("Pan far down"),
        N_("Pan four points down"),
        words=N_("scroll fast south four"),
    ),
    Command(
        "cursor_left",
        ("h",),
        N_("Cursor left"),
        N_("Move the cursor one point to the left"),
        words=N_("select move point west"),
    ),
    Command(
        "cursor_down",
        ("j",),
        N_("Cursor down"),
        N_("Move the cursor one point down"),
        words=N_("select move point south"),
    ),
    Command(
        "cursor_up", ("k",), N_("Cursor up"), N_("Move the cursor one point up"), words=N_("select move point north")
    ),
    Command(
        "cursor_right",
        ("l",),
        N_("Cursor right"),
        N_("Move the cursor one point to the right"),
        words=N_("select move point east"),
    ),
    Command(
        "centre_last",
        ("c",),
        N_("Centre last move"),
        N_("Centre the last move"),
        words=N_("center middle recent stone find"),
    ),
    Command("reset_view", ("0",), N_("Reset view"), N_("Reset the view"), words=N_("reset view home unshifted")),
    Command(
        "follow",
        ("f",),
        N_("Follow last move"),
        N_("Keep the last move centred, or stop"),
        words=N_("track auto center scroll lock"),
    ),
    Command(
        "zoom_in",
        ("plus", "equals_sign"),
        N_("Zoom in"),
        N_("Make the board larger"),
        words=N_("bigger larger magnify enlarge"),
    ),
    Command("zoom_out", ("minus",), N_("Zoom out"), N_("Make the board smaller"), words=N_("smaller shrink reduce")),
    Command(
        "torus",
        ("3",),
        N_("3-D torus"),
        N_("Show the board as a rotating torus, full screen"),
        words=N_("3d doughnut donut rotate ring round"),
    ),
)

GAME: Final = group(
    N_("Navigation and replay"),
    Command(
        "back", ("left_square_bracket",), N_("Back"), N_("Go back one move"), words=N_("previous move earlier rewind")
    ),
    Command(
        "forward",
        ("right_square_bracket",),
        N_("Forward"),
        N_("Go forward one move"),
        words=N_("next move later advance"),
    ),
    Command(
        "back_10",
        ("left_curly_bracket",),
        N_("Ten moves back"),
        N_("Go back ten moves"),
        words=N_("rewind previous fast"),
    ),
    Command(
        "forward_10",
        ("right_curly_bracket",),
        N_("Ten moves forward"),
        N_("Go forward ten moves"),
        words=N_("advance next skip fast"),
    ),
    Command(
        "start",
        ("home",),
        N_("To the start"),
        N_("Go to the start of the game"),
        words=N_("beginning first move rewind root"),
    ),
    Command(
        "end", ("end",), N_("To the end"), N_("Go to the end of this variation"), words=N_("last move latest final")
    ),
    Command(
        "variation",
        ("v",),
        N_("Next variation"),
        N_("Go to the next variation of this move"),
        words=N_("branch alternative sibling tree"),
    ),
    Command(
        "replay",
        ("a",),
        N_("Replay"),
        N_("Replay the game automatically, or stop"),
        words=N_("autoplay slideshow watch animate"),
    ),
    Command("faster", ("full_stop",), N_("Faster"), N_("Replay faster"), words=N_("quicker fast replay speed")),
    Command("slower", ("comma",), N_("Slower"), N_("Replay slower"), words=N_("slow replay speed")),
)
