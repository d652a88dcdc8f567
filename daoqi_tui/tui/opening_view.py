"""What is known of the opening of a game: its class, its standard form, and what others played."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from daoqi_tui.analysis.opening_class import Opening, class_count, find_opening, opening_moves
from daoqi_tui.analysis.opening_records import DEPTH, Found
from daoqi_tui.analysis.openings import OpeningIndex
from daoqi_tui.engine import PASS, Board, Game

_MOST_MARKED = 64
"""Where more points than this are alike, marks would say nothing."""


@dataclass(frozen=True, slots=True)
class OpeningView:
    """The opening of the game shown.

    Attributes:
        opening: class and standard form.
        classes: how many classes boards of this size have.
        found: what other games did in the position; None without an index, or where it was not asked.
    """

    opening: Opening
    classes: int
    found: Found | None

    def counts(self) -> dict[int, str]:
        """How often each point was played next, to be written on the board."""
        counts: dict[int, str] = {}
        for move in self.found.moves if self.found else ():
            if move.points != (PASS,) and len(move.points) <= _MOST_MARKED:
                games = move.tally.games
                counts.update((point, str(games) if games < 100 else "+") for point in move.points)
        return counts


def look(game: Game, index: OpeningIndex | None) -> OpeningView:
    """What is known of the opening of ``game`` at its cursor."""
    start, moves = opening_moves(game)
    size = game.torus.size
    opening = find_opening(size, moves[:DEPTH], start)
    return OpeningView(opening, class_count(size), _found(index, game.board) if len(moves) <= DEPTH else None)


def _found(index: OpeningIndex | None, board: Board) -> Found | None:
    if index is None:
        return None
    try:
        return index.at(board)
    except sqlite3.Error:
        # Someone else deleted or damaged the file; it is only a cache.
        return None


def library_index() -> OpeningIndex | None:
    """The index of the library's games as it was last brought up to date, to be closed; None without a library."""
    from daoqi_tui.indexing import open_index  # noqa: PLC0415
    from daoqi_tui.record.paths import library_folder  # noqa: PLC0415

    folder = library_folder()
    if not folder.is_dir():
        return None
    try:
        return open_index(folder)
    except (OSError, ValueError):
        return None
