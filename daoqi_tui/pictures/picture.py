"""Everything that a board shows, as one immutable value: what the screen and the pictures to share draw."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import product
from math import atan2, hypot, pi
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from daoqi_tui.engine import EMPTY, PASS, Colour, Game, Node, Style, opponent, torus_of

if TYPE_CHECKING:
    from daoqi_tui.record.sgf.markup import Link, Mark

NOBODY: Final = 128
"""The strength, in a picture, of a point that belongs to nobody."""
RADIUS: Final = 0.475
"""That of a stone. This and the following are parts of the length of a point, in pixels as in an SVG."""
DOT: Final = 0.15
PUNISHED: Final = 0.24
"""The radius of the mark of a mistake that was punished; that of another is as large as the mark of the last move."""
PLATE: Final = 0.37
"""Half the side of the ground of a label on an empty point: a square, since a disc would be a stone."""
SIGNS: Final[dict["Mark", str]] = {"triangle": "▲", "square": "■", "circle": "○", "cross": "×"}


class CancelledExport(Exception):
    """The drawing was cancelled; nothing was made."""


class Chip(NamedTuple):
    """An analysis of a move, written on its point.

    Attributes:
        grade: the class of the move by the points it loses, 0 for the best; it gives the colour.
        rows: the win rate, the points lost and the visits, one per line of a cell, up to 4 characters each.
        rank: the place of the move, 1 for the best.
    """

    grade: int
    rows: tuple[str, ...]
    rank: int

    @property
    def short(self) -> str:
        """The win rate in two digits."""
        return self.rows[0].rstrip("%")[-2:].rjust(2)

    @property
    def sign(self) -> str:
        """The rank in one character, the tenth as 0 and later ones as a plus."""
        return str(self.rank % 10) if self.rank <= 10 else "+"


class Mistake(NamedTuple):
    """The mark of a move that lost points, on its stone.

    Attributes:
        grade: the class of the move by the points it lost, from 1; it gives the colour.
        punished: whether the opponent's answer took advantage of it; then the mark is larger.
    """

    grade: int
    punished: bool


_NO_STONES: Final[Mapping[int, Colour]] = MappingProxyType({})
_NO_LABELS: Final[Mapping[int, str]] = MappingProxyType({})
_NO_CHIPS: Final[Mapping[int, Chip]] = MappingProxyType({})
NO_MISTAKES: Final[Mapping[int, Mistake]] = MappingProxyType({})


class Ghost(NamedTuple):
    """The preview of the stone that a click would play."""

    point: int
    colour: Colour


class Picture(NamedTuple):
    """Everything drawn on a board of ``size`` × ``size`` points.

    Attributes:
        stones: the colour of each point.
        last: the point of the last move.
        cursor: the point the keyboard plays at.
        ghost: the stone that a click would play.
        chain: the stones of the chain under the pointer.
        liberties: its liberties.
        owners: for each point the colour it counts for; None when the count is not shown.
        dead: stones agreed to be dead.
        refused: a point where a play was just refused.
        labels: up to three characters to show on a point; in a cell with room for two, a number shows its last digits.
        strength: for each point from 125 (certainly White's) to 131 (certainly Black's), 128 being nobody's; None when
            the estimate is not shown.
        marks: the kind of a mark on an empty point: ``black``, ``white`` or ``both``, the colour of the stone that
            would matter.
        proposed: the colours of stones that are shown but not played, from a hint, a ladder or a variation, on points
            that are empty in ``stones``.
        badges: the warning on a stone: ``atari``, or ``ladder`` if a ladder captures it.
        chips: the analysis of moves on empty points.
        mistakes: the moves that lost points, on their stones.
        links: arrows and lines between points, each the shortest way around the torus.
    """

    size: int
    stones: bytes
    last: int | None = None
    cursor: int | None = None
    ghost: Ghost | None = None
    chain: frozenset[int] = frozenset()
    liberties: frozenset[int] = frozenset()
    owners: bytes | None = None
    dead: frozenset[int] = frozenset()
    refused: int | None = None
    labels: Mapping[int, str] = _NO_LABELS
    strength: bytes | None = None
    marks: Mapping[int, str] = _NO_LABELS
    badges: Mapping[int, str] = _NO_LABELS
    proposed: Mapping[int, Colour] = _NO_STONES
    chips: Mapping[int, Chip] = _NO_CHIPS
    mistakes: Mapping[int, Mistake] = NO_MISTAKES
    links: "tuple[Link, ...]" = ()

    def stone_at(self, point: int) -> tuple[Colour, bool]:
        """Return the colour of the stone that a point shows, and whether it has been played."""
        if self.stones[point] != EMPTY:
            return self.stones[point], True
        if point in self.proposed:
            return self.proposed[point], False
        if self.ghost is not None and self.ghost.point == point:
            return self.ghost.colour, False
        return EMPTY, False

    def owner_at(self, point: int) -> Colour:
        """Return the colour for which an empty point or a dead stone counts; a dead stone's is its captor."""
        if point in self.dead:
            return opponent(self.stones[point])
        return EMPTY if self.owners is None or self.stone_at(point)[0] != EMPTY else self.owners[point]

    def strength_at(self, point: int) -> int:
        """Return how certain an empty point is Black's, from 1 to 3, or White's, from -1 to -3; 0 if nobody's."""
        if self.strength is None or self.stone_at(point)[0] != EMPTY:
            return 0
        return self.strength[point] - NOBODY

    def row_signatures(self) -> tuple[tuple[Hashable, ...], ...]:
        """Return a cache key for each board row: equal keys mean that the row need not be rendered again.

        The first part is the row, the last one the marks in it, empty if there are none.
        """
        size = self.size
        marks: list[list[Hashable]] = [[] for _ in range(size)]
        for name, point in (("last", self.last), ("cursor", self.cursor), ("refused", self.refused)):
            if point is not None:
                marks[point // size].append((name, point))
        if self.ghost is not None:
            marks[self.ghost.point // size].append(self.ghost)
        for name, points in (("chain", self.chain), ("liberty", self.liberties), ("dead", self.dead)):
            for point in sorted(points):
                marks[point // size].append((name, point))
        for place, signs in enumerate((self.labels, self.marks, self.badges, self.proposed, self.chips, self.mistakes)):
            for point, sign in sorted(signs.items()):
                marks[point // size].append((place, sign, point))
        owners, strength = self.owners, self.strength
        return tuple(
            (
                row,
                self.stones[start : start + size],
                owners and owners[start : start + size],
                strength and strength[start : start + size],
                tuple(marks[row]),
            )
            for row, start in enumerate(range(0, size * size, size))
        )


def picture_of(game: Game) -> Picture:
    """Return the position at the game's cursor as a picture: stones, the last move, marks and labels."""
    size = game.torus.size
    stones, node = bytes(game.board.colours), game.node
    return Picture(size, stones, last_point(game), labels=marks_shown(node, size), links=links_shown(node, size))


def column_names(game: Game, style: Style) -> list[str]:
    return [game.torus.name(point, style)[0] for point in range(game.torus.columns)]


def row_names(game: Game, style: Style) -> list[str]:
    """Return the labels of the rows from the top: numbers counted from the bottom, or letters for SGF."""
    return [game.torus.name(row * game.torus.columns, style)[1:] for row in range(game.torus.rows)]


def last_point(game: Game) -> int | None:
    """Return the point of the last move, None after a pass, a setup or a suicide of that stone."""
    move = game.node.move
    if move is None or move.point == PASS or game.board.colours[move.point] == EMPTY:
        return None
    return move.point


def marks_shown(node: Node, size: int) -> dict[int, str]:
    """Return the marks and the labels of a node, cut to three characters; one with wide characters is an asterisk.

    On the move without either stands how good it is, where the record says so.
    """
    if not node.properties:
        return {}
    from daoqi_tui.record.sgf.markup import labels, marks, move_sign  # noqa: PLC0415 (few nodes have any)

    shown = {node.move.point: sign} if node.move and not node.move.is_pass and (sign := move_sign(node)) else {}
    shown |= {point: SIGNS[mark] for point, mark in marks(node, size).items()}
    for point, text in labels(node, size).items():
        short = text[:3]
        shown[point] = short if short and all(map(_is_narrow, short)) else "*"
    return shown


def links_shown(node: Node, size: int) -> "tuple[Link, ...]":
    if not node.properties:
        return ()
    from daoqi_tui.record.sgf.markup import links  # noqa: PLC0415 (few nodes have any)

    return links(node, size)


_WAYS: Final = "→↘↓↙←↖↑↗"
_LINE_END: Final = "•"


def with_link_signs(picture: Picture) -> Picture:
    """Return the picture for characters, which draw no lines: signs at the ends of links, and the way of an arrow."""
    signs: dict[int, str] = {}
    for kind, start, end in picture.links:
        down, right = torus_of(picture.size).offset(start, end)
        way = round(4 * atan2(down, right) / pi) % len(_WAYS)
        signs |= {start: _LINE_END, end: _WAYS[way] if kind == "arrow" else _LINE_END}
    return picture._replace(labels=signs | dict(picture.labels)) if signs else picture


Place: TypeAlias = tuple[float, float]


class Stroke(NamedTuple):
    """A drawn link or a copy of it, as columns and rows from the middle of the first point.

    Attributes:
        start: where it begins.
        end: where its line ends.
        head: the corners of the head of an arrow; none for a line.
    """

    start: Place
    end: Place
    head: tuple[Place, ...] = ()


def strokes_of(links: "Iterable[Link]", size: int) -> Iterator[Stroke]:
    """Yield the strokes of links, with their copies around a board, which may reach into it."""
    for kind, start, end in links:
        row, column = divmod(start, size)
        down, right = torus_of(size).offset(start, end)
        along, across = right / hypot(right, down), down / hypot(right, down)
        for y, x in product((row - size, row, row + size), (column - size, column, column + size)):
            if kind == "line":
                yield Stroke((x, y), (x + right, y + down))
                continue
            tip_x, tip_y = x + right - 0.12 * along, y + down - 0.12 * across
            foot_x, foot_y = tip_x - 0.46 * along, tip_y - 0.46 * across
            sides = ((foot_x - side * across, foot_y + side * along) for side in (0.24, -0.24))
            yield Stroke((x, y), (foot_x, foot_y), ((tip_x, tip_y), *sides))


def _is_narrow(character: str) -> bool:
    """Return whether a character is visible and takes one terminal column."""
    from unicodedata import category, east_asian_width  # noqa: PLC0415

    return character.isprintable() and category(character)[0] != "M" and east_asian_width(character) not in "WF"


class Drawing(NamedTuple):
    """The options of drawing pictures.

    Attributes:
        theme: the board theme, one of :data:`~daoqi_tui.config.BOARDS`.
        point: the size of a point in pixels; 0 for the default.
        margin: points of dimmed copies on each side.
        periods: how many times the board is shown in each direction.
        names: the notation of columns and rows.
        seconds: the time each move of a game is shown.
        mistakes: the moves that lost points, on the stones of a still picture.
    """

    theme: str = "kaya"
    point: int = 0
    margin: int = 2
    periods: int = 1
    names: Style = "daoqi"
    seconds: float = 0.7
    mistakes: Mapping[int, Mistake] = NO_MISTAKES


USUAL: Final = Drawing()
Progress: TypeAlias = Callable[[float], bool]
"""Called with the fraction done, from 0 to 1; returns whether to continue."""
