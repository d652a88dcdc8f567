"""Games as they are indexed, and what a search in their index asks and finds: values without numpy."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, Self, TypeAlias

from daoqi_tui.analysis.opening import OpeningClass, opening_moves
from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Board, Colour, Game, Style, Torus, opponent, torus_of
from daoqi_tui.engine.tree import Move, Setup
from daoqi_tui.message import Message
from daoqi_tui.reading.symmetry import MATRICES, BoardPosition


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game to be indexed.

    Attributes:
        source: a permanent identifier, such as the path of its file.
        size: the side of the board.
        moves: points and passes, with alternating colours, and setups between them.
        winner: the colour that won, EMPTY if unknown.
        start: the position it starts from, None for the empty board with Black to move.
        version: changes when the game does, such as a file's time and length; empty to compare the game itself.
        first: the depth of the node with the start in the record.
    """

    source: str
    size: int
    moves: tuple[int | Setup, ...]
    winner: Colour = EMPTY
    start: BoardPosition | None = None
    version: str = ""
    first: int = 0

    @classmethod
    def of(cls, source: str, game: Game, winner: Colour = EMPTY, version: str = "") -> Self:
        """Return the record of a game's main line, including setup at its start; the game is not changed."""
        end = (game.root, *game.root.line())[-1]
        start, _moves = opening_moves(game, end)
        actions = [node.action for node in end.path()]
        first = next((depth for depth, action in enumerate(actions) if isinstance(action, Move)), len(actions)) - 1
        first = max(first, 0)
        line = (action for action in actions[first + 1 :] if action is not None)
        moves = tuple(action.point if isinstance(action, Move) else action for action in line)
        return cls(source, game.torus.size, moves, winner, start, version, first)

    def fingerprint(self) -> str:
        """Return :attr:`version`, or a digest of the game."""
        if self.version:
            return self.version
        kept = (self.size, self.moves, self.winner, self.start)
        return hashlib.blake2b(repr(kept).encode(), digest_size=16).hexdigest()

    def positions(self) -> Iterator[tuple[bytes, Colour, int | None]]:
        """Yield the colours of all points and the side to move, before each move and last, and the move, if any.

        Raises:
            ValueError: a move is off the board, or the start has a chain without a liberty.
        """
        torus = torus_of(self.size)
        board = Board(torus)
        if self.start is not None:
            board.lay_out(self.start.black, self.start.white, 0, self.start.to_move, recorded=True)
        for move in self.moves:
            if isinstance(move, Setup):
                yield bytes(board.colours), board.to_move, None
                board.lay_out(move.black, move.white, move.empty, move.to_move, recorded=True)
                continue
            if not PASS <= move < torus.points:
                raise ValueError(f"move {move} is off the board: 0 to {torus.points - 1}, or {PASS} for a pass")
            yield bytes(board.colours), board.to_move, move
            board.replay(move)
        yield bytes(board.colours), board.to_move, None


@dataclass(frozen=True, slots=True)
class WinCounts:
    """The number of games, and of wins by each colour; the result of the others is unknown."""

    games: int
    black: int
    white: int

    def as_dict(self) -> dict[str, int]:
        return {"games": self.games, "black": self.black, "white": self.white}


@dataclass(frozen=True, slots=True)
class NextMove:
    """A move played from a position.

    Attributes:
        points: the equivalent points of the move in the queried position; several if the position is symmetric,
            ``(PASS,)`` for a pass.
        tally: the games in which it was played.
        colour: the side that played it.
    """

    points: tuple[int, ...]
    tally: WinCounts
    colour: Colour


@dataclass(frozen=True, slots=True)
class PositionStatistics:
    """The statistics of a position.

    Attributes:
        tally: the games that reached it, in any orientation.
        moves: the moves played there, the most frequent first; games that ended there add none.
    """

    tally: WinCounts
    moves: tuple[NextMove, ...]


class Hit(NamedTuple):
    """A game in which a position or a shape was found, where it was found first.

    Attributes:
        source: the identifier of the game.
        depth: of the node in its main line.
        number: of the moves made until there.
        next: the move played there, as equivalent points of the queried board; empty if there is none.
        colour: the side that played it, in the colours of the query.
        winner: of the game, in the colours of the query; EMPTY if unknown.
    """

    source: str
    depth: int
    number: int
    next: tuple[int, ...]
    colour: Colour
    winner: Colour

    def as_dict(self, torus: Torus, style: Style = "daoqi") -> dict[str, Any]:
        return {
            "source": self.source,
            "move": self.number,
            "next": ["pass" if point == PASS else torus.name(point, style) for point in self.next],
            "colour": _COLOUR_NAMES[self.colour],
            "winner": _COLOUR_NAMES[self.winner],
        }


_COLOUR_NAMES: Final = {EMPTY: None, BLACK: "black", WHITE: "white"}


def statistics_of(hits: Sequence[Hit]) -> PositionStatistics:
    """Count the games found, and the moves played next."""
    won = Counter((hit.next, hit.colour, hit.winner) for hit in hits)

    def counted(chosen: Callable[[tuple[int, ...], Colour], bool]) -> WinCounts:
        found = Counter[Colour]()
        for (points, colour, winner), games in won.items():
            if chosen(points, colour):
                found[winner] += games
        return WinCounts(found.total(), found[BLACK], found[WHITE])

    played = {(points, colour) for points, colour, _winner in won if points}
    moves = [NextMove(move[0], counted(lambda *other, move=move: other == move), move[1]) for move in played]
    moves.sort(key=lambda move: (-move.tally.games, move.points, move.colour))
    return PositionStatistics(counted(lambda *_move: True), tuple(moves))


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found: statistics of all games, and the first of them."""

    statistics: PositionStatistics
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """The number of games of an opening class."""

    kind: OpeningClass
    tally: WinCounts

    def as_dict(self) -> dict[str, Any]:
        return {
            "class": self.kind.number,
            "displacement": list(self.kind.displacement),
            "english": self.kind.name.english,
            "chinese": self.kind.name.chinese,
            **self.tally.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class IndexUpdate:
    """The result of adding games to the index.

    Attributes:
        indexed: games now in the index that were new or had changed.
        unchanged: games that were already in it.
        refused: sources of games that could not be indexed, with the reasons.
    """

    indexed: int
    unchanged: int
    refused: tuple[tuple[str, Message | str], ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """A rectangle of a board, empty points included; it may cross the seam.

    Attributes:
        board: the position around it.
        top, left: its first row and column.
        rows, columns: its height and width.
    """

    board: BoardPosition
    top: int
    left: int
    rows: int
    columns: int

    def __post_init__(self) -> None:
        if not (0 < self.rows <= self.board.size and 0 < self.columns <= self.board.size):
            raise ValueError(Message("a shape has 1 to {size} rows and columns", size=self.board.size))
        if not any(self.colours().values()):
            raise ValueError(Message("there is no stone in this shape"))

    def colours(self) -> dict[int, Colour]:
        torus, board = torus_of(self.board.size), self.board
        corner = torus.point(self.top % board.size, self.left % board.size)
        points = [torus.shift(corner, row, column) for row in range(self.rows) for column in range(self.columns)]
        return {
            point: BLACK if board.black >> point & 1 else WHITE if board.white >> point & 1 else EMPTY
            for point in points
        }

    def variants(self) -> list[Variant]:
        """Return its different images, each shifted so that the first of its rows and columns are 0."""
        torus, colours = torus_of(self.board.size), self.colours()
        found: dict[tuple[Cell, ...], None] = {}
        ways: list[tuple[_Back, bool]] = []
        for a, b, c, d in MATRICES:
            images = {}
            for point in colours:
                row, column = torus.position(torus.shift(point, -self.top, -self.left))
                images[a * row + b * column, c * row + d * column] = point
            top, left = min(row for row, _ in images), min(column for _, column in images)
            back = {(row - top, column - left): point for (row, column), point in images.items()}
            for is_exchanged in (False, True):
                ways.append((back, is_exchanged))
                pattern = [
                    Cell(row, column, colour_seen(colours[point], is_exchanged=is_exchanged))
                    for (row, column), point in back.items()
                ]
                # Stones first, since they exclude most.
                pattern.sort(key=lambda cell: (cell.colour == EMPTY, cell))
                found[tuple(pattern)] = None
        return [Variant(pattern, self._ways(pattern, ways, colours)) for pattern in found]

    def _ways(
        self, pattern: Sequence[Cell], ways: Sequence[tuple[_Back, bool]], colours: dict[int, Colour]
    ) -> tuple[tuple[_Back, bool], ...]:
        """Return those of ``ways`` that lead to a pattern, also shifted along rows or columns that are closed."""
        size = self.board.size
        height, width = (1 + max(cell[axis] for cell in pattern) for axis in (0, 1))
        found = []
        for back, is_exchanged in ways:
            if (height - 1, width - 1) not in back:
                continue
            for down in range(size if height == size else 1):
                for right in range(size if width == size else 1):
                    shifted = partial(_shifted, back, down, right, size)
                    if all(
                        colour_seen(colours[shifted(cell)], is_exchanged=is_exchanged) == cell.colour
                        for cell in pattern
                    ):
                        found.append(({cell[:2]: shifted(cell) for cell in pattern}, is_exchanged))
        return tuple(found)


def colour_seen(colour: Colour, *, is_exchanged: bool) -> Colour:
    return opponent(colour) if is_exchanged and colour != EMPTY else colour


def _shifted(back: _Back, down: int, right: int, size: int, cell: Cell) -> int:
    return back[(cell.row + down) % size, (cell.column + right) % size]


_Back: TypeAlias = dict[tuple[int, int], int]
"""The point of a shape for each row and column of an image of it."""


class Cell(NamedTuple):
    """A point of an image of a shape, and its colour."""

    row: int
    column: int
    colour: Colour


class Variant(NamedTuple):
    """An image of a shape.

    Attributes:
        cells: of the image.
        ways: how the shape leads there: the point of the shape for each row and column of the image, and whether
            colours are exchanged. There are several if the shape is symmetric.
    """

    cells: tuple[Cell, ...]
    ways: tuple[tuple[_Back, bool], ...]

    @property
    def stones(self) -> Iterator[Cell]:
        return (cell for cell in self.cells if cell.colour != EMPTY)
