"""The board a record is replayed on while it is read, and, for a flat record, the flat board beside it."""

from __future__ import annotations

from typing import Final

from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Board, Colour, IllegalMove, Setup
from daoqi_tui.record.flat import flat_of

MOST_LAID_OUT: Final = 800_000
"""Points that all setup of a record together may lay out anew: some 2,200 boards of 19×19, 3,100 of 16×16. Each
costs as much as a hundred moves, and this keeps the reading of any file below two seconds."""


class TooMuchSetup(Exception):
    """A record lays out more boards than can be played through in reasonable time.

    Attributes:
        most: how many of this size can be.
    """

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most


class Boards:
    """One or two boards on which the same actions are made and taken back.

    The position is the same on both after every :meth:`lay_out`; after a :meth:`play` the flat board is right.

    Attributes:
        board: the torus, of the game that is read.
        depth: how many actions have been made.
    """

    def __init__(self, board: Board, *, flat: bool) -> None:
        self.board: Final = board
        self.depth = 0
        self._flat = Board(flat_of(board.torus.size)) if flat else None
        self._laid_out = 0

    def play(self, point: int) -> None:
        """Make a play or a pass.

        Raises:
            IllegalMove: one of the boards refuses it. Nothing changes.
        """
        board, flat = self.board, self._flat
        if point == PASS:
            board.pass_turn()
            if flat is not None:
                flat.pass_turn()
        else:
            board.play(point)
            if flat is not None:
                try:
                    flat.play(point)
                except IllegalMove:
                    board.undo()
                    raise
        self.depth += 1

    def lay_out(self, colours: list[Colour], to_move: Colour) -> None:
        """Set up a whole position.

        Raises:
            ValueError: a chain would have no liberty. Nothing changes.
            TooMuchSetup: after :data:`MOST_LAID_OUT`.
        """
        board, flat = self.board, self._flat
        if colours != board.colours or to_move != board.to_move:
            points = board.torus.points * (1 if flat is None else 2)
            self._laid_out += points
            if self._laid_out > MOST_LAID_OUT:
                raise TooMuchSetup(MOST_LAID_OUT // points)
        if flat is not None:
            flat.setup(colours, to_move)  # It refuses more than the torus does: chains have fewer liberties.
        board.setup(colours, to_move)
        self.depth += 1

    def correct(self) -> Setup | None:
        """Make the torus show the position of the flat board; returns the setup that did, None if it was so."""
        flat, board = self._flat, self.board
        if flat is None or flat.key == board.key:
            return None
        masks = [0, 0, 0]
        for point, (shown, meant) in enumerate(zip(board.colours, flat.colours, strict=True)):
            if shown != meant:
                masks[meant] |= 1 << point
        action = Setup(masks[BLACK], masks[WHITE], masks[EMPTY], flat.to_move)
        self.lay_out(flat.colours, flat.to_move)
        return action

    def rewind(self, depth: int) -> None:
        """Take back until ``depth`` actions are left."""
        while self.depth > depth:
            self.board.undo()
            if self._flat is not None:
                self._flat.undo()
            self.depth -= 1
