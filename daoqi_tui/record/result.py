"""How records tell the end of a game: RE for the main line, private properties for the rest.

SGF has one result for a file. A resignation in a variation, and stones agreed to be dead, are kept in
properties of this program's own, which others carry along unread.
"""

from __future__ import annotations

import re
from typing import Final

from daoqi_tui.engine import BLACK, WHITE, Game, Node, OutOfTime, Resignation, Result, TwoPasses, area
from daoqi_tui.engine.ending import uncounted
from daoqi_tui.record.points import values_of

ENDED: Final = "XEND"
"""At a node where a game ended off the main line or before the end of it: ``XEND[W+R]``."""
AGREED_DEAD: Final = "XDEAD"
"""The stones both players agreed are dead, at the second of two passes: ``XDEAD[aa][ab]``."""

_UNCOUNTED = re.compile(r"\s*([BW])\w*\s*\+\s*(R|Resign|T|Time)\s*", re.IGNORECASE)


def read_ending(result: str) -> Resignation | OutOfTime | None:
    """The ending that a result such as ``W+Resign`` names, None when it names no such one."""
    found = _UNCOUNTED.fullmatch(result)
    if found is None:
        return None
    loser = WHITE if found[1].upper() == "B" else BLACK
    return Resignation(loser) if found[2][0].upper() == "R" else OutOfTime(loser)


def last_of(game: Game) -> Node:
    """Where the main line ends: its last node, or one before that at which somebody gave up or lost on time."""
    last = game.root
    for node in (game.root, *game.root.line()):
        last = node
        if isinstance(node.ending, Resignation | OutOfTime):
            break
    return last


def result_of(game: Game) -> str:
    """The result at the end of the main line, empty while that is not over; the cursor stays, for it may be in use."""
    last = last_of(game)
    if not last.is_over:
        return ""
    ending = last.ending
    if isinstance(ending, Resignation | OutOfTime):
        return str(uncounted(ending))
    ending = ending or TwoPasses()
    count = area(game.board_at(last), game.komi, ending.dead)
    return str(Result(count.winner, abs(count.margin), ending))


def ending_properties(node: Node, size: int, *, main_end: bool, result: str) -> dict[str, list[str]]:
    """The properties that keep the ending at a node, beyond what RE says for the end of the main line."""
    ending = node.ending
    if isinstance(ending, TwoPasses):
        mask = sum(1 << point for point in ending.dead)
        return {AGREED_DEAD: values_of(mask, size)} if mask else {}
    if ending is None or (main_end and not node.children and read_ending(result) == ending):
        return {}
    return {ENDED: [str(uncounted(ending))]}
