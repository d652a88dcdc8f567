"""Which moves of a game lost most, and how that is written into its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from daoqi_tui.engine import BLACK, Colour, Node, Style, Torus
from daoqi_tui.i18n import _
from daoqi_tui.tui.thinking import line_words, move_name

MOST: Final = 5
"""Moves that are marked at most."""
DOUBTFUL: Final = 0.1
"""The win rate a move loses from which it is doubtful; then bad, then very bad."""
BAD: Final = 0.15
VERY_BAD: Final = 0.3
_PLIES: Final = 6
_MARKS: Final = ("BM", "DO")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a search found at a node.

    Attributes:
        black: Black's share of the games.
        line: the best move and what is expected to follow; empty where nothing was searched.
    """

    black: float
    line: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Mistake:
    """A move that lost.

    Attributes:
        node: the move.
        mover: who made it.
        before, after: the mover's share of the games.
        loss: by how much the share fell, beyond what it falls with any move of the game.
        better: the move to make instead, and what is expected to follow.
    """

    node: Node
    mover: Colour
    before: float
    after: float
    loss: float
    better: tuple[int, ...]


def mistakes(line: Sequence[Node], seen: Mapping[Node, Seen]) -> list[Mistake]:
    """The moves of a line that lost most, in the order they were played.

    A short search likes the moves of the side that is to move a little too well, on both sides of a move, so that
    every move seems to lose something; the median of the game is taken for that and left out of account.

    Args:
        line: nodes one after the other.
        seen: what was found at them; moves next to a node that is missing are passed over.
    """
    moves: list[tuple[Node, float, float, tuple[int, ...]]] = []
    for before, after in pairwise(line):
        move = after.move
        if move is None or before not in seen or after not in seen:
            continue
        was, came = (seen[node].black if move.colour == BLACK else 1 - seen[node].black for node in (before, after))
        moves.append((after, was, came, seen[before].line))
    usual = max(0.0, median(was - came for _node, was, came, _better in moves)) if moves else 0.0
    found = []
    for node, was, came, better in moves:
        loss = was - came - usual
        assert node.move is not None
        # What the search would have played itself may look worse a move later; that is no mistake of the mover.
        if loss >= DOUBTFUL and better and better[0] != node.move.point:
            found.append(Mistake(node, node.move.colour, was, came, loss, better))
    worst = sorted(found, key=lambda mistake: -mistake.loss)[:MOST]
    return [mistake for mistake in found if mistake in worst]


def prefix() -> str:
    """What a comment of a review begins with."""
    return _("Review: ")


def write(mistake: Mistake, torus: Torus, style: Style) -> None:
    """Write a mistake on its node: a comment, and BM (bad move, 2 for very bad) or DO (doubtful)."""
    from daoqi_tui.record.markup import comment, set_comment  # noqa: PLC0415

    erase(mistake.node)
    words = _("{before} before this move, {after} after it. Better was {move}").format(
        before=f"{mistake.before:.0%}", after=f"{mistake.after:.0%}", move=move_name(mistake.better[0], torus, style)
    )
    if len(mistake.better) > 1:
        words += _(", then {line}").format(line=line_words(mistake.better[1:_PLIES], torus, style))
    node = mistake.node
    said = comment(node)
    set_comment(node, f"{said}\n{prefix()}{words}." if said else f"{prefix()}{words}.")
    properties = dict(node.properties or {})
    if mistake.loss >= BAD:
        properties["BM"] = ["2" if mistake.loss >= VERY_BAD else "1"]
    else:
        properties["DO"] = [""]
    node.properties = properties


def erase(node: Node) -> bool:
    """Take what an earlier review wrote off a node; returns whether there was something."""
    from daoqi_tui.record.markup import comment, set_comment  # noqa: PLC0415

    lines = comment(node).split("\n")
    kept = [line for line in lines if not line.startswith(prefix())]
    if len(kept) == len(lines):
        return False
    set_comment(node, "\n".join(kept))
    properties = {name: values for name, values in (node.properties or {}).items() if name not in _MARKS}
    node.properties = properties or None
    return True


def summary(found: Sequence[Mistake], torus: Torus, style: Style) -> str:
    """The mistakes in one line."""
    if not found:
        return _("Review: no move lost much")
    moves = ", ".join(
        f"{mistake.node.number} {move_name(mistake.node.move.point, torus, style)} −{mistake.loss:.0%}"
        for mistake in found
        if mistake.node.move is not None
    )
    return _("Review: these moves lost most: {moves}").format(moves=moves)
