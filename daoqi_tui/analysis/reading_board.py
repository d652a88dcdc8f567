"""A board to read ahead on: a private copy."""

from __future__ import annotations

from collections.abc import Iterator

from daoqi_tui.engine import WHITE, Board, Colour


class ReadingBoard(Board):
    """A copy of ``board``, its faced states included; what is played here never shows on the original.

    Args:
        board: the position to read from.
        to_move: the colour to read for. When it is not that board's turn, the other side passes first.
    """

    def __init__(self, board: Board, to_move: Colour | None = None) -> None:
        # Copying the lists costs a tenth of laying the position out anew. Moves made before cannot be undone here.
        self.__dict__.update(board.__dict__)
        self.colours = self.colours.copy()
        self.captured, self.suicided, self.passes = self.captured.copy(), self.suicided.copy(), self.passes.copy()
        self.faced = self.faced.copy()
        self._heads, self._liberties = self._heads.copy(), self._liberties.copy()
        self._stones = [stones.copy() for stones in self._stones]
        self._vacated = self._vacated.copy()
        self._records = []
        if to_move is not None and to_move != self.to_move:
            self.pass_turn()

    def vacated(self, colour: Colour) -> int:
        """The mask of points that may have lost a stone of ``colour``; an empty point outside has held none."""
        return self._vacated[colour]

    def faced_without(self, point: int, colour: Colour, to_move: Colour) -> Iterator[int]:
        """The keys of faced states with ``to_move`` to move and no stone of ``colour`` on ``point``."""
        count = self.torus.points
        bit = 1 << (point + count * (colour == WHITE))
        turn = to_move == WHITE
        return (key for key in self.faced if not key & bit and key >> (2 * count) == turn)

    def lay(self, point: int, colour: Colour) -> None:
        """Put one more stone on an empty ``point``, as if it had stood there since the start.

        It is no move: the turn stays, and the faced states in which the point was empty are faced with the stone.

        Raises:
            ValueError: some chain would have no liberty. Then the board is of no further use.
        """
        count, to_move, vacated, faced = self.torus.points, self.to_move, self._vacated, self.faced
        black, white = 1 << point, 1 << (point + count)
        stone = white if colour == WHITE else black
        self.colours[point] = colour
        self._lay_out(self.colours)
        self._begin(to_move)
        self.faced = {key | stone: number for key, number in faced.items() if not key & (black | white)}
        self._vacated = vacated
