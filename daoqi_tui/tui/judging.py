"""What the computer says of a position, in the forms the screen shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Area, Board, Colour, Node, PlayerArea, Style, Torus, opponent
from daoqi_tui.i18n import _
from daoqi_tui.tui.bound_keys import with_keys
from daoqi_tui.tui.picture import Picture
from daoqi_tui.tui.thinking import line_words, move_name

if TYPE_CHECKING:
    from daoqi_tui.ai.protocol import Answer, Estimated, Line, Progress
    from daoqi_tui.analysis.influence import Estimate

OWNED: Final = 0.15
"""The ownership from which a point counts for a side: four of seven playouts."""
LOST: Final = 0.6
"""The ownership from which a stone of the other side is shown as dead."""
HINT_SECONDS: Final = 5.0
"""How long a hint is thought about; asking again goes on from there."""
ESTIMATE_PLAYOUTS: Final = 400
"""After so many the ownership of a point is known to about 5 %."""
ESTIMATE_SECONDS: Final = 3.0
_PLIES: Final = 8
"""Plies of an expected line that are drawn."""
ENOUGH: Final = 30
"""Playouts below which a share of games says nothing."""


def estimate_of(board: Board, komi: float, found: Estimated) -> Estimate:
    """What the computer expects, as the estimate of the board: a point that is Black's to three quarters counts so.

    The sums are rounded to whole points, their difference to the expected lead; one point may be left to nobody.
    """
    from daoqi_tui.analysis.influence import Estimate  # noqa: PLC0415 (numpy costs 100 ms)

    owners = bytes(BLACK if share > OWNED else WHITE if share < -OWNED else EMPTY for share in found.ownership)
    points, lead = len(owners), round(sum(found.ownership))
    black = _side(board, found, BLACK, (points + lead) // 2, 0)
    white = _side(board, found, WHITE, (points - lead) // 2, komi)
    return Estimate(Area(black, white, (points + lead) % 2, owners), found.ownership)


def _side(board: Board, found: Estimated, colour: Colour, total: int, komi: float) -> PlayerArea:
    """The side of ``colour`` where ``total`` points are expected to be its own, dead stones being territory."""
    sign = 1 if colour == BLACK else -1
    shares = zip(found.ownership, board.colours, strict=True)
    stones = min(total, round(sum((1 + sign * share) / 2 for share, stone in shares if stone == colour)))
    return PlayerArea(stones, total - stones, board.passes[colour], komi)


def dead_in(stones: bytes, found: Estimated) -> frozenset[int]:
    """The stones that playouts expect to be captured."""
    return frozenset(
        point
        for point, (stone, share) in enumerate(zip(stones, found.ownership, strict=True))
        if (stone == BLACK and share < -LOST) or (stone == WHITE and share > LOST)
    )


def expected_words(found: Estimated) -> str:
    """The margin to be expected and how sure it is."""
    side = BLACK if found.margin >= 0 else WHITE
    share = found.black if side == BLACK else 1 - found.black
    if found.by_network:
        words = _("Expected: {colour} by {points} ± {spread}  ·  wins with {share}")
    else:
        words = _("Expected: {colour} by {points} ± {spread}  ·  wins {share} of {count} playouts")
    return words.format(
        colour=_("Black") if side == BLACK else _("White"),
        points=f"{abs(found.margin):.1f}",
        spread=f"{found.spread:.0f}",
        share=f"{share:.0%}",
        count=found.playouts,
    )


def black_share(answer: Answer | Progress, mover: Colour) -> float | None:
    """Black's share of games by a search at the mover's turn, None where it has searched too little."""
    if not answer.lines or (answer.playouts < ENOUGH and not answer.by_network):
        return None
    win = answer.lines[0].win
    return win if mover == BLACK else 1 - win


@dataclass(frozen=True, slots=True)
class Hint:
    """The best moves of a position.

    Attributes:
        node: where.
        mover: whose moves.
        lines: the moves, best first.
        effort: what is behind them, in words.
    """

    node: Node
    mover: Colour
    lines: tuple[Line, ...]
    effort: str

    def line_at(self, point: int) -> Line:
        """The line that begins at a point, the best one where none does."""
        return next((line for line in self.lines if line.move == point), self.lines[0])

    def shown_on(self, picture: Picture, point: int) -> Picture:
        """The picture with the win rates on the moves, and the expected line from the move at ``point``."""
        line = self.line_at(point)
        stones = bytearray(picture.stones)
        labels = {}
        for candidate in self.lines:
            if candidate.move != PASS:
                labels[candidate.move] = f"{min(99, round(100 * candidate.win)):02}"
        colour = self.mover
        for ply, move in enumerate(line.line[:_PLIES], 1):
            # Win rates come first: where the line would cover one, its stone is left out.
            if move != PASS and not stones[move] and (ply == 1 or move not in labels):
                stones[move] = colour
                labels.setdefault(move, str(ply))
            colour = opponent(colour)
        return picture._replace(
            stones=bytes(stones),
            labels=labels,
            ghost=None,
            chain=frozenset(),
            liberties=frozenset(),
            badges={},
        )

    def words(self, torus: Torus, style: Style, point: int, room: int) -> str:
        """The moves and the expected line, as much as fits."""
        moves = ", ".join(f"{move_name(line.move, torus, style)} {line.win:.0%}" for line in self.lines)
        parts = [moves, line_words(self.line_at(point).line[:_PLIES], torus, style)]
        parts.append(self.effort)
        parts.append(with_keys(_("{clear} clears")))
        while len("  ·  ".join(parts)) > room and len(parts) > 1:
            parts.pop(1 if len(parts) == 2 else -1)
        return "  ·  ".join(parts)
