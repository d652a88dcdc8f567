"""Opening classes: the first two moves up to symmetry, and the standard form of a game (棋盘标准化).

On the torus all first moves are equivalent, and the second is identified by its displacement from the first, rotated
and reflected so that 0 ≤ x ≤ y ≤ N/2 (x columns, y rows). This gives 44 classes on the standard board. They are
numbered from the nearest ring outwards, y·(y + 1)/2 + x, so that a displacement has the same number on every size.
"""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

from daoqi_tui import codec
from daoqi_tui.engine import BLACK, PASS, Game, Move, Node, Setup
from daoqi_tui.message import Message, reason_of
from daoqi_tui.paths import assets_folder
from daoqi_tui.reading.symmetry import BoardPosition, Symmetry, canonical_moves, images
from daoqi_tui.text import chinese

KNOWN: Final = {
    (0, 1): ("contact", "碰"),
    (1, 1): ("diagonal", "小尖"),
    (1, 2): ("knight's move", "小飞"),
    (2, 2): ("elephant's move", "象步"),
    (1, 3): ("large knight's move", "大飞"),
    (1, 4): ("very large knight's move", "超大飞"),
}
"""English and Chinese names by displacement, where these have a name of their own."""
_ENGLISH: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_CHINESE: Final = "一二三四五六七八九十"


@dataclass(frozen=True, slots=True)
class OpeningName:
    """The name of an opening in English and simplified Chinese, each ending with the displacement."""

    english: str
    chinese: str

    def in_language(self, language: str) -> str:
        return chinese(self.chinese, language) if language.startswith("zh") else self.english


def opening_name(size: int, displacement: tuple[int, int]) -> OpeningName:
    """Return the name of the opening with White ``(x, y)`` from Black.

    Args:
        size: the side of the board.
        displacement: columns x and rows y in standard form, 0 ≤ x ≤ y ≤ size/2 and y ≥ 1.

    Raises:
        ValueError: the displacement is not in standard form.
    """
    x, y = displacement
    if not (0 <= x <= y <= size // 2 and y >= 1):
        raise ValueError(f"({x},{y}) is no standard displacement: 0 ≤ x ≤ y ≤ {size // 2} and y at least 1")
    english, chinese = _describe(x, y, half=2 * y == size)
    return OpeningName(f"{english}, ({x},{y})", f"{chinese}({x},{y})")


def _describe(x: int, y: int, *, half: bool) -> tuple[str, str]:
    """Name a displacement as a jump and how far aside of it, in English and Chinese."""
    if (x, y) in KNOWN:
        return KNOWN[x, y]
    if half and x == y:
        return "at the antipode", "对极点"
    if half and x == 0:
        return "half way round on a line", "直线半周"
    english, chinese = _in_words(y - 1)
    if x == y:
        return f"{english}-space diagonal jump", f"斜{chinese}间跳"
    jump = ("half way round", "半周") if half else (f"{english}-space jump", f"{chinese}间跳")
    aside = "两" if x == 2 else _in_words(x)[1]
    return (f"{jump[0]}, {x} aside", f"{jump[1]}偏{aside}路") if x else jump


def _in_words(number: int) -> tuple[str, str]:
    """Return a number in English and Chinese, in digits where few would write it out."""
    if number > len(_CHINESE):
        return str(number), str(number)
    return _ENGLISH[number - 1], _CHINESE[number - 1]


@dataclass(frozen=True, slots=True)
class OpeningClass:
    """One class: its number from 1, Black's and White's stones in standard form, its name."""

    number: int
    displacement: tuple[int, int]
    """Columns x and rows y from Black's stone to White's."""
    name: OpeningName

    def points(self, size: int) -> tuple[int, int]:
        x, y = self.displacement
        return 0, y * size + x


@dataclass(frozen=True, slots=True)
class Opening:
    """The opening of a game.

    Attributes:
        kind: its class; None before the second move, and if the game does not begin with a black and a white play on
            the empty board.
        moves: all its moves in standard form.
        symmetry: the symmetry that takes the game to the standard form.
    """

    kind: OpeningClass | None
    moves: tuple[int, ...]
    symmetry: Symmetry

    def as_dict(self) -> dict[str, Any]:
        """Return ``{"class": 1…44 or None, "standard": [[column, row], …], "symmetry": …}``; a pass is None."""
        size = self.symmetry.size
        return {
            "class": self.kind.number if self.kind else None,
            "standard": [None if move == PASS else [move % size, move // size] for move in self.moves],
            "symmetry": self.symmetry.as_dict(),
        }


def class_count(size: int) -> int:
    half = size // 2
    return half * (half + 3) // 2


def opening_class(size: int, number: int) -> OpeningClass:
    """Return the class with a number from 1 to :func:`class_count`.

    Raises:
        ValueError: there is no such class.
    """
    if not 1 <= number <= class_count(size):
        raise ValueError(
            Message(
                "opening {number} does not exist: 1 to {last} on size {size}",
                number=number,
                last=class_count(size),
                size=size,
            )
        )
    y = next(y for y in range(1, size) if number <= y * (y + 3) // 2)
    x = number - y * (y + 1) // 2
    return OpeningClass(number, (x, y), opening_name(size, (x, y)))


def opening_classes(size: int) -> Iterator[OpeningClass]:
    """Yield all classes, the nearest first."""
    return (opening_class(size, number) for number in range(1, class_count(size) + 1))


def find_opening(size: int, moves: Sequence[int], start: BoardPosition | None = None) -> Opening:
    """Return the class and the standard form of a game that begins with ``moves``.

    Args:
        size: the side of the board.
        moves: points and passes, with alternating colours.
        start: the position they start from, by default the empty board with Black to move.

    Raises:
        ValueError: a move is neither a point of the board nor a pass.
    """
    form = canonical_moves(size, moves, start)
    number = _class_number(size, moves, start)
    return Opening(opening_class(size, number) if number else None, form.moves, form.symmetry)


def _class_number(size: int, moves: Sequence[int], start: BoardPosition | None) -> int:
    """Return the number of the class of a game that begins with ``moves``, 0 if it has none."""
    usual = start is None or start == BoardPosition(size, to_move=BLACK)
    if not usual or len(moves) < 2 or PASS in moves[:2] or moves[0] == moves[1]:
        return 0
    (row, column), (down, right) = divmod(moves[0], size), divmod(moves[1], size)
    ways = ((down - row) % size, (right - column) % size)
    x, y = sorted(min(way, size - way) for way in ways)
    return y * (y + 1) // 2 + x


def opening_of(game: Game) -> Opening:
    """Return the opening of ``game`` along the line to its cursor; the game is not changed."""
    start, moves = opening_moves(game)
    return find_opening(game.torus.size, moves, start)


def opening_number(game: Game) -> int:
    """Return the class number of a game's line to its cursor, 0 if it has none.

    >>> game = Game(9)
    >>> for name in ("E5", "F7"):
    ...     _ = game.play(game.torus.parse(name))
    >>> opening_number(game)
    4
    """
    start, moves = opening_moves(game)
    return _class_number(game.torus.size, moves, start)


def opening_moves(game: Game, end: Node | None = None) -> tuple[BoardPosition, tuple[int, ...]]:
    """Return the position after the setup a game begins with, and the moves to ``end`` or to a later setup.

    Args:
        game: the game, which is not changed.
        end: the node to stop at, by default the cursor.
    """
    black = white = 0
    to_move = BLACK
    moves: list[int] = []
    for node in (end or game.node).path():
        match node.action:
            case Setup() as setup if not moves:
                gone = setup.points
                black, white = black & ~gone | setup.black, white & ~gone | setup.white
                to_move = setup.to_move
            case Setup():
                break
            case Move(point=point):
                moves.append(point)
    return BoardPosition(game.torus.size, black, white, to_move), tuple(moves)


# Values


SHIPPED: Final = "openings.json.gz"
FORMAT: Final = 2
UNITS: Final = 10
"""Points are stored as whole tenths."""


class Standing(IntEnum):
    """How a position stands at the fair komi, as far as its judges can tell."""

    WHITE_BETTER = -2
    WHITE_SLIGHTLY_BETTER = -1
    EVEN = 0
    BLACK_SLIGHTLY_BETTER = 1
    BLACK_BETTER = 2

    @classmethod
    def of(cls, points: float, noise: float) -> Standing:
        """Return how a position stands in which Black has ``points`` more than in the mean of all openings.

        Args:
            points: as judged.
            noise: the deviation that chance explains.

        >>> [Standing.of(points, noise=1.5).value for points in (-4, 0.5, 1.5, 2.9, 3.1)]
        [-2, 0, 0, 1, 2]
        """
        steps = min(math.floor(abs(points) / noise), 2) if abs(points) > noise else 0
        return cls(steps if points > 0 else -steps)


@dataclass(frozen=True, slots=True)
class ClassValue:
    """What the judges found for a class of two moves.

    Attributes:
        standing: of the position.
        replies: Black's most searched moves there, the most first: each the lowest of the equivalent points.
    """

    standing: Standing
    replies: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FairKomi:
    """The komi at which Black wins half of the games, with its 95 % interval.

    Attributes:
        komi: the estimate.
        low, high: the interval.
        games: their number.
    """

    komi: float
    low: float
    high: float
    games: int


@dataclass(frozen=True, slots=True)
class Judge:
    """A network that judged openings.

    Attributes:
        network: its name.
        sha256: the digest of its file.
        visits: of the search of each class.
        third_visits: of the search after each third move.
    """

    network: str
    sha256: str
    visits: int
    third_visits: int


@dataclass(frozen=True, slots=True)
class Made:
    """The origin of values.

    Attributes:
        judges: the networks whose judgements were averaged.
        date: the day, in ISO 8601.
        version: of the program.
    """

    judges: tuple[Judge, ...]
    date: str
    version: str


@dataclass(frozen=True, slots=True)
class OpeningValues:
    """The values of the openings on boards of one size.

    Attributes:
        size: of the board.
        made: how.
        classes: by number.
        fair_komi: the estimate, None without games.
        thirds: how it stands after third moves, by :func:`third_position`.
    """

    size: int
    made: Made
    classes: Mapping[int, ClassValue]
    fair_komi: FairKomi | None
    thirds: Mapping[tuple[int, int], Standing]

    def third(self, number: int, point: int) -> Standing | None:
        return self.thirds.get(third_position(self.size, number, point))

    def third_values(self, number: int) -> dict[int, Standing]:
        """Return how it stands after each third move, by :func:`third_moves`."""
        found = ((point, self.third(number, point)) for point in third_moves(self.size, number))
        return {point: standing for point, standing in found if standing is not None}


@lru_cache(maxsize=256)
def third_moves(size: int, number: int) -> tuple[int, ...]:
    """Return Black's second moves after a class, one from each set equivalent under symmetries of the two stones.

    Each is the lowest point of its set; the two stones are those of
    :meth:`~daoqi_tui.analysis.opening.OpeningClass.points`.

    >>> sum(len(third_moves(9, number)) for number in range(1, class_count(9) + 1))
    818
    """
    stones = opening_class(size, number).points(size)
    least = {min(images(size, _indices(size, stones), point)) for point in range(size * size)}
    return tuple(sorted(least - {*stones}))


def equivalents(size: int, moves: Sequence[int], point: int) -> tuple[int, ...]:
    return tuple(sorted(set(images(size, _indices(size, tuple(moves)), point))))


def least_equivalent(size: int, moves: Sequence[int], point: int) -> int:
    return equivalents(size, moves, point)[0]


def third_position(size: int, number: int, point: int) -> tuple[int, int]:
    """Return the class and the third move that identify the position after a third move.

    Black's two stones may have been played in either order. The order with the lower class counts, then the one with
    the lower third move.
    """
    first, second = opening_class(size, number).points(size)
    swapped = find_opening(size, (point, second, first))
    assert swapped.kind is not None
    other = swapped.kind.number, least_equivalent(size, swapped.moves[:2], swapped.moves[2])
    return min((number, least_equivalent(size, (first, second), point)), other)


@lru_cache(maxsize=256)
def _indices(size: int, moves: tuple[int, ...]) -> tuple[int, ...]:
    return canonical_moves(size, moves).indices


@lru_cache
def shipped_values(size: int) -> OpeningValues | Message | None:
    """Return the values that come with the program for boards of ``size``.

    None if there are none, and a message if their file cannot be used: the program goes on without them.
    """
    file = Path(SHIPPED)
    try:
        file = assets_folder() / SHIPPED
        return read_values(file, size).get(size)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Message("{file} cannot be read: {reason}", file=file, reason=reason_of(error))
    except ValueError:
        return Message("{file} is damaged: install the program again", file=file)


def read_values(path: Path, only: int | None = None) -> dict[int, OpeningValues]:
    """Read a file of values, by size: all that it holds, or one.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not such a file.
    """
    try:
        held = codec.decode(gzip.decompress(path.read_bytes()), _File)
        sizes = {int(size): entry for size, entry in held.sizes.items()}
        if any(len(entry.classes) != class_count(size) for size, entry in sizes.items()):
            raise ValueError("classes")
        return {size: _values(size, held.made, entry) for size, entry in sizes.items() if only in (None, size)}
    except (EOFError, ValueError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(Message("{file} is not a file of opening values", file=path)) from error


@dataclass(frozen=True, slots=True)
class _Class:
    points: int
    best: tuple[int, ...]
    thirds: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Size:
    noise: int
    third_noise: int
    classes: tuple[_Class, ...]
    fair_komi: FairKomi | None


@dataclass(frozen=True, slots=True)
class _File:
    """What the file holds; Black's points beyond the mean of all openings of two moves, in their units."""

    format: Literal[2]
    made: Made
    sizes: dict[str, _Size]


def _values(size: int, made: Made, held: _Size) -> OpeningValues:
    classes = {}
    thirds = {}
    for number, entry in enumerate(held.classes, 1):
        classes[number] = ClassValue(Standing.of(entry.points, held.noise), entry.best)
        for point, points in entry.thirds:
            thirds[number, point] = Standing.of(points, held.third_noise)
    return OpeningValues(size, made, classes, held.fair_komi, thirds)
