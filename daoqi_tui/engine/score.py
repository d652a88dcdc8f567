"""Tromp–Taylor area on the board as it stands, less one point a pass, with its breakdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from daoqi_tui.engine.board import Board
from daoqi_tui.engine.colour import BLACK, EMPTY, WHITE, Colour, name_of


class PlayerArea(NamedTuple):
    """One player's side of the count, in points."""

    stones: int
    territory: int
    passes: int
    """Passes made; each costs a point."""
    komi: float
    """0 for Black."""

    @property
    def total(self) -> float:
        """Stones + territory − passes + komi."""
        return self.stones + self.territory - self.passes + self.komi


class Area(NamedTuple):
    """The count of a whole board."""

    black: PlayerArea
    white: PlayerArea
    neutral: int
    """Empty points that touch both colours, or none."""
    owners: bytes
    """For each point the colour it counts for, EMPTY for nobody."""

    def player(self, colour: Colour) -> PlayerArea:
        """The side of one colour."""
        return self.black if colour == BLACK else self.white

    @property
    def margin(self) -> float:
        """Black's total less White's."""
        return self.black.total - self.white.total

    @property
    def tie(self) -> bool:
        """Whether the totals are equal, so that White wins by the tie rule."""
        return self.margin == 0

    @property
    def winner(self) -> Colour:
        """The colour with more points; White when they have equally many."""
        return BLACK if self.margin > 0 else WHITE

    def __str__(self) -> str:
        rule = " (equal totals: White wins a tie)" if self.tie else ""
        return f"{name_of(self.winner)} wins by {points_text(abs(self.margin))}{rule}"


def points_text(points: float) -> str:
    """A number of points without needless zeros: ``4``, ``3.75``, ``-0.5``."""
    return f"{points:.4f}".rstrip("0").rstrip(".")


def area(board: Board, komi: float, dead: Iterable[int] = ()) -> Area:
    """Count ``board``. Stones on ``dead`` points, if the players agreed on any, are first taken off."""
    torus = board.torus
    gone = torus.mask(dead)
    stones = {colour: board.stones(colour) & ~gone for colour in (BLACK, WHITE)}
    owners = bytearray(board.colours)
    left = torus.full & ~stones[BLACK] & ~stones[WHITE]
    territory = [0, 0, 0]
    while left:
        region, border = _region(board, left & -left, left)
        left ^= region
        owner = EMPTY
        if bool(border & stones[BLACK]) != bool(border & stones[WHITE]):
            owner = BLACK if border & stones[BLACK] else WHITE
        points = torus.points_in(region)
        territory[owner] += len(points)
        for point in points:
            owners[point] = owner
    black, white = (
        PlayerArea(stones[colour].bit_count(), territory[colour], board.passes[colour], komi if colour == WHITE else 0)
        for colour in (BLACK, WHITE)
    )
    return Area(black, white, territory[EMPTY], bytes(owners))


def _region(board: Board, start: int, empty: int) -> tuple[int, int]:
    """The masks of the empty region around ``start`` and of everything it touches."""
    region = start
    while True:
        border = board.torus.dilate(region) & ~region
        fresh = border & empty
        if not fresh:
            return region, border
        region |= fresh
