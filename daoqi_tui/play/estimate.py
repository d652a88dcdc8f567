"""The estimate of territory and score lead, as it is shown on the board and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Area, Board, Colour, PlayerArea
from daoqi_tui.i18n import _
from daoqi_tui.play.evaluation import source_words
from daoqi_tui.play.words import colour_word

if TYPE_CHECKING:
    from daoqi_tui.ai.protocol import Estimated
    from daoqi_tui.analysis.influence import InfluenceEstimate

OWNED: Final = 0.15
"""The absolute ownership (0 to 1) above which a point counts for a side."""
LOST: Final = 0.6
"""The absolute ownership above which a stone of the other side is shown as dead."""
ESTIMATE_SECONDS: Final = 3.0


def estimate_of(board: Board, komi: float, found: Estimated) -> InfluenceEstimate:
    """Convert the ownership of a search to an estimate of territory.

    The totals are rounded to whole points, so that their difference is the expected margin to within half a point; one
    point may belong to nobody.
    """
    from daoqi_tui.analysis.influence import InfluenceEstimate  # noqa: PLC0415 (numpy costs 100 ms)

    owners = bytes(BLACK if share > OWNED else WHITE if share < -OWNED else EMPTY for share in found.ownership)
    points = len(owners)
    lead = round(found.margin + komi + board.passes[BLACK] - board.passes[WHITE])
    lead = max(-points, min(points, lead))
    black = _side(board, found, BLACK, (points + lead) // 2, 0)
    white = _side(board, found, WHITE, (points - lead) // 2, komi)
    return InfluenceEstimate(Area(black, white, (points + lead) % 2, owners, board.rules.tie), found.ownership)


def _side(board: Board, found: Estimated, colour: Colour, total: int, komi: float) -> PlayerArea:
    """Return the area of ``colour``, ``total`` points altogether; dead stones count as territory of the other side."""
    sign = 1 if colour == BLACK else -1
    shares = zip(found.ownership, board.colours, strict=True)
    stones = min(total, round(sum((1 + sign * share) / 2 for share, stone in shares if stone == colour)))
    return PlayerArea(stones, total - stones, board.passes[colour], komi)


def dead_in(stones: bytes, found: Estimated) -> frozenset[int]:
    """Return the points of the stones that are expected to be captured."""
    return frozenset(
        point
        for point, (stone, share) in enumerate(zip(stones, found.ownership, strict=True))
        if (stone == BLACK and share < -LOST) or (stone == WHITE and share > LOST)
    )


def expected_margin_words(found: Estimated) -> str:
    """Word the expected margin with its standard deviation: ``Black by 4.3 ± 25``."""
    return _("{colour} by {points} ± {spread}").format(
        colour=colour_word(BLACK if found.margin >= 0 else WHITE),
        points=f"{abs(found.margin):.1f}",
        spread=f"{found.spread:.0f}",
    )


def expected_words(found: Estimated) -> str:
    """Word the expected margin with its standard deviation, the win rate, and their source."""
    share = found.black if found.margin >= 0 else 1 - found.black
    source = _("network, no search") if found.by_network else source_words("playouts", found.playouts)
    return _("Estimate: {margin}  ·  win rate {share}  ·  {source}").format(
        margin=expected_margin_words(found), share=f"{share:.0%}", source=source
    )
