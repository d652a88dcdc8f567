"""How a person likes the board."""

from __future__ import annotations

from dataclasses import dataclass

from daoqi_tui.engine import STYLES, Style


@dataclass(frozen=True, slots=True)
class Options:
    """Choices that hold for every game.

    Attributes:
        margin: lines of copies around the bright period; None fills the window.
        confirm_click: whether a click must be repeated on the same point to play there.
        follow: whether the last move is kept in the middle of the window.
        names: style of coordinates.
        mark_atari: whether chains in atari are marked.
        mark_ladders: whether chains that a ladder captures are marked.
    """

    margin: int | None = None
    confirm_click: bool = False
    follow: bool = False
    names: Style = STYLES[0]
    mark_atari: bool = False
    mark_ladders: bool = False
