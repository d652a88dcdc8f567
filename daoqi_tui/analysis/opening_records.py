"""The values that go into the index of openings and come out of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Self

from daoqi_tui.analysis.canonical import Position
from daoqi_tui.analysis.opening_class import OpeningClass, opening_moves
from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Board, Colour, Game, Style, torus_of

DEPTH: Final = 30
"""Positions after 0 to this many moves are indexed."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game to be indexed.

    Attributes:
        source: what names it for good, such as the path of its file.
        size: the side of the board.
        moves: points and passes, colours taking turns; only the first 31 matter.
        winner: the colour that won, EMPTY when that is not known.
        start: the position it starts from, None for the empty board with Black to move.
        version: changes when the game does, such as a file's time and length; empty to compare the game itself.
    """

    source: str
    size: int
    moves: tuple[int, ...]
    winner: Colour = EMPTY
    start: Position | None = None
    version: str = ""

    @classmethod
    def of(cls, source: str, game: Game, winner: Colour = EMPTY, version: str = "") -> Self:
        """The record of a game's main line, setup at its start included; the game stays as it is."""
        start, moves = opening_moves(game, (game.root, *game.root.line())[-1])
        return cls(source, game.torus.size, moves, winner, start, version)

    def fingerprint(self) -> str:
        """:attr:`version`, or a digest of what the index keeps of the game."""
        if self.version:
            return self.version
        kept = (self.size, self.moves[: DEPTH + 1], self.winner, self.start)
        return hashlib.blake2b(repr(kept).encode(), digest_size=16).hexdigest()

    def positions(self) -> Iterator[tuple[Position, int | None]]:
        """The position after each of the first moves, with the move played next, None where there is none.

        Raises:
            ValueError: a move is off the board or illegal, or the start has a chain without a liberty.
        """
        torus = torus_of(self.size)
        board = Board(torus)
        if self.start is not None:
            colours = [EMPTY] * torus.points
            for mask, colour in ((self.start.black, BLACK), (self.start.white, WHITE)):
                for point in torus.points_in(mask):
                    colours[point] = colour
            board.setup(colours, self.start.to_move)
        for move in self.moves[:DEPTH]:
            if not PASS <= move < torus.points:
                raise ValueError(f"move {move} is off the board: 0 to {torus.points - 1}, or {PASS} for a pass")
            yield Position.of(board), move
            board.make(move)
        yield Position.of(board), self.moves[DEPTH] if len(self.moves) > DEPTH else None


@dataclass(frozen=True, slots=True)
class Tally:
    """How many games, and how many of them each colour won; the result of the others is not known."""

    games: int
    black: int
    white: int

    def as_dict(self) -> dict[str, int]:
        """The counts as plain values."""
        return {"games": self.games, "black": self.black, "white": self.white}


@dataclass(frozen=True, slots=True)
class NextMove:
    """What was played from a position.

    Attributes:
        points: the points of the position asked about where the move may stand; several where the position has a
            symmetry, ``(PASS,)`` for a pass.
        tally: the games in which it was played.
    """

    points: tuple[int, ...]
    tally: Tally


@dataclass(frozen=True, slots=True)
class Found:
    """What the index knows of a position.

    Attributes:
        tally: the games that came to it, in any orientation.
        moves: what was played there, the most frequent first; games that ended there add nothing.
    """

    tally: Tally
    moves: tuple[NextMove, ...]

    def as_dict(self, size: int, style: Style = "daoqi") -> dict[str, Any]:
        """The counts as plain values, points by name."""
        torus = torus_of(size)
        moves = [
            {
                "points": ["pass" if point == PASS else torus.name(point, style) for point in move.points],
                **move.tally.as_dict(),
            }
            for move in self.moves
        ]
        return {**self.tally.as_dict(), "moves": moves}


@dataclass(frozen=True, slots=True)
class ClassTally:
    """How often a class of openings was played."""

    kind: OpeningClass
    tally: Tally

    def as_dict(self) -> dict[str, Any]:
        """Class, displacement, names and counts as plain values."""
        return {
            "class": self.kind.number,
            "displacement": list(self.kind.displacement),
            "english": self.kind.name.english,
            "chinese": self.kind.name.chinese,
            **self.tally.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class Added:
    """What became of the games given to the index.

    Attributes:
        indexed: games now in the index that were new or had changed.
        unchanged: games that were in it already.
        refused: sources of games that could not be indexed, each with the reason.
    """

    indexed: int
    unchanged: int
    refused: tuple[tuple[str, str], ...]
