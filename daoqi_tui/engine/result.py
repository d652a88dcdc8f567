"""Scoring and results: the area of the board as it stands, minus the cost of passes, and how a game ended."""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from daoqi_tui.engine.board import Board
from daoqi_tui.engine.rules import BLACK, EMPTY, WHITE, Colour, Value, colour_message, opponent
from daoqi_tui.message import Message


class PlayerArea(NamedTuple):
    """The score of one player, in points."""

    stones: int
    territory: int
    passes: int
    """The cost of the player's passes, in points."""
    komi: float
    """0 for Black."""

    @property
    def total(self) -> float:
        return self.stones + self.territory - self.passes + self.komi


class Area(NamedTuple):
    """The score of a whole board.

    Attributes:
        black, white: the score of each player.
        neutral: empty points that touch both colours, or none.
        owners: for each point the colour it counts for, EMPTY for nobody.
        tie_winner: the colour that wins when the totals are equal, None for a drawn game.
    """

    black: PlayerArea
    white: PlayerArea
    neutral: int
    owners: bytes
    tie_winner: Colour | None = WHITE

    def player(self, colour: Colour) -> PlayerArea:
        return self.black if colour == BLACK else self.white

    @property
    def margin(self) -> float:
        """Return Black's total minus White's."""
        return self.black.total - self.white.total

    @property
    def tie(self) -> bool:
        return self.margin == 0

    @property
    def winner(self) -> Colour:
        """Return the colour that wins, EMPTY when the game is drawn."""
        if self.tie:
            return EMPTY if self.tie_winner is None else self.tie_winner
        return BLACK if self.margin > 0 else WHITE

    def result(self, ending: "TwoPasses | None" = None) -> "Result":
        """Return the result of a game that ends with this score; by default by two passes, without dead stones."""
        return Result(self.winner, abs(self.margin), TwoPasses() if ending is None else ending)

    def as_message(self) -> Message:
        """Return who wins and by how much, or that the game is drawn, as a sentence."""
        if not self.winner:
            return Message("the totals are equal: the game is drawn")
        winner, points = colour_message(self.winner), points_text(abs(self.margin))
        if self.tie and self.winner == BLACK:
            return Message("{winner} wins by {points} (equal totals: Black wins a tie)", winner=winner, points=points)
        if self.tie:
            return Message("{winner} wins by {points} (equal totals: White wins a tie)", winner=winner, points=points)
        return Message("{winner} wins by {points}", winner=winner, points=points)

    def __str__(self) -> str:
        return str(self.as_message())


def points_text(points: float) -> str:
    """Format a number of points without needless zeros: ``4``, ``3.75``, ``-0.5``; never ``-0``."""
    # Adding 0 normalises the -0.0 that rounding may give.
    return f"{round(points, 4) + 0:.4f}".rstrip("0").rstrip(".")


def area(board: Board, komi: float, dead: Iterable[int] = ()) -> Area:
    """Score ``board`` by area, with ``komi`` points for White, after removing the stones on ``dead`` points."""
    torus = board.torus
    gone = torus.mask(dead)
    stones = {colour: board.stones(colour) & ~gone for colour in (BLACK, WHITE)}
    owners = bytearray(board.colours)
    territory = [0, 0, 0]
    for region in torus.regions(torus.full & ~stones[BLACK] & ~stones[WHITE]):
        border = torus.dilate(region)
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
    return Area(black, white, territory[EMPTY], bytes(owners), board.rules.tie)


class TwoPasses(NamedTuple):
    """Both players passed in a row; the board is scored.

    Attributes:
        dead: the stones both players agreed are dead; normally none, since all stones on the board count.
    """

    dead: frozenset[int] = frozenset()


class _Lost(Value):
    """An ending with a loser."""

    __slots__ = __match_args__ = ("loser",)

    def __init__(self, loser: Colour) -> None:
        self.loser: Final = loser


class Resignation(_Lost):
    """A player resigned."""

    __slots__ = ()


class OutOfTime(_Lost):
    """A player's clock ran out."""

    __slots__ = ()


Ending: TypeAlias = TwoPasses | Resignation | OutOfTime


class Result(NamedTuple):
    """The winner, the margin and how the game ended.

    Attributes:
        winner: a colour, EMPTY for a drawn game.
        margin: in points, None when the game was not scored.
        ending: how the game ended.
    """

    winner: Colour
    margin: float | None
    ending: Ending

    def __str__(self) -> str:
        """Return the result as SGF writes it: ``B+3.75``, ``W+0`` (a tie that White wins), ``0`` (drawn), ``W+R``."""
        if not self.winner:
            return "0"
        letter = "B" if self.winner == BLACK else "W"
        if self.margin is not None:
            return f"{letter}+{points_text(self.margin)}"
        return f"{letter}+{'R' if isinstance(self.ending, Resignation) else 'T'}"


def uncounted(ending: Resignation | OutOfTime) -> Result:
    """Return the result of a game that a resignation or the clock decided."""
    return Result(opponent(ending.loser), None, ending)
