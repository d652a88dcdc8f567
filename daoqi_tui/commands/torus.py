"""The keys and gestures of the full-screen 3-D torus, which are fixed; used by the help and the docs."""

from __future__ import annotations

from typing import Final, NamedTuple

from daoqi_tui.i18n import N_

HEADING: Final = N_("On the 3-D torus")


class TorusKeys(NamedTuple):
    """A group of similar keys.

    Attributes:
        actions: by key, the action on the screen of the torus.
        help: what they do.
    """

    actions: dict[str, str]
    help: str


def _board(**commands: str) -> dict[str, str]:
    """Return keys with the actions of commands of the flat board, which is below and moves along."""
    return {key.replace("__", "+"): f"board('{command}')" for key, command in commands.items()}


KEYS: Final = (
    TorusKeys(
        _board(left="pan_left", right="pan_right", up="pan_up", down="pan_down"),
        N_("Pan the board, on the torus as below it"),
    ),
    TorusKeys(
        _board(shift__left="pan_left_4", shift__right="pan_right_4", shift__up="pan_up_4", shift__down="pan_down_4"),
        N_("Pan four points at a time"),
    ),
    TorusKeys({"h": "turn(-1, 0)", "l": "turn(1, 0)", "k": "turn(0, 1)", "j": "turn(0, -1)"}, N_("Turn and tilt it")),
    TorusKeys({"space": "turning"}, N_("Let it turn by itself, or stop it")),
    TorusKeys({"plus": "zoom(1)", "equals_sign": "zoom(1)", "minus": "zoom(-1)"}, N_("Make it larger or smaller")),
    TorusKeys(
        _board(
            left_square_bracket="back",
            right_square_bracket="forward",
            left_curly_bracket="back_10",
            right_curly_bracket="forward_10",
            home="start",
            end="end",
            a="replay",
        ),
        N_("Step through the game, or replay it"),
    ),
    TorusKeys(_board(c="centre_last"), N_("Centre the last move")),
    TorusKeys({"0": "board('reset_view')"}, N_("Reset the view")),
    TorusKeys({"3": "unbend"}, N_("Bend it back into the flat board")),
    TorusKeys({"escape": "back", "q": "back"}, N_("Go back at once")),
)

MOUSE: Final = (
    (N_("Click"), N_("Play on the point")),
    (N_("Click outside"), N_("Let it turn by itself, or stop it")),
    (N_("Drag"), N_("Turn and tilt it")),
    (N_("Wheel"), N_("Make it larger or smaller")),
)
