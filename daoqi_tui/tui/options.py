"""How a person likes the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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
        board: the colours of the board, one of :data:`~daoqi_tui.tui.boards.BOARDS`.
        frame: the colours around it: ``auto`` for those made for the board, or the name of a theme.
        glyphs: what stones are drawn with, one of :data:`~daoqi_tui.tui.glyphs.GLYPH_NAMES`.
        cell: the width of a point in characters, 2, 4 or 6; None takes the largest that shows the whole board.
        bells: the events at which the terminal's bell rings: any of :data:`BELLS`.
    """

    margin: int | None = None
    confirm_click: bool = False
    follow: bool = False
    names: Style = STYLES[0]
    mark_atari: bool = False
    mark_ladders: bool = False
    board: str = "kaya"
    frame: str = "auto"
    glyphs: str = "auto"
    cell: int | None = None
    bells: frozenset[str] = frozenset()


BELLS: Final = ("move", "capture", "refusal", "end", "time")
