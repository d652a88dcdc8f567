"""What is certain about a position: chains that live however often the opponent plays, and stones that cannot live.

All of it is exact and holds without a search. Every question takes the rules, since a region in which the opponent may
play a suicide is worth less to the chain around it: the suicide empties the region.
"""

from __future__ import annotations

from dataclasses import dataclass

from daoqi_tui.engine import BLACK, WHITE, Board, Colour, Rules, Torus, opponent


@dataclass(frozen=True, slots=True)
class Status:
    """What is certain about a colour's stones, as masks of points.

    Attributes:
        alive: the stones of its pass-alive chains (Benson 1976): no sequence of the opponent's plays captures them,
            even if their side always passes.
        territory: the regions that pass-alive chains alone surround and in which the opponent cannot make two eyes,
            the opponent's stones in them included.
    """

    alive: int
    territory: int

    @property
    def certain(self) -> int:
        """The points that are certainly this colour's."""
        return self.alive | self.territory


def status(board: Board, rules: Rules) -> dict[Colour, Status]:
    """Return what is certain about the stones of each colour under ``rules``.

    An opponent's eye needs a point that touches none of the stones around. So a region has no room for two eyes if all
    such points are adjacent to each other.
    """
    found = {}
    for colour in (BLACK, WHITE):
        regions = _Regions.of(board, colour, rules)
        territory = 0
        for region in regions.sheltered:
            inner = region & ~regions.touched
            if not inner or (not inner & ~board.torus.dilate(inner & -inner) and inner.bit_count() <= 2):
                territory |= region
        found[colour] = Status(regions.alive, territory)
    return found


def dead_stones(board: Board, rules: Rules) -> int:
    """Return the mask of the stones that stand in the opponent's certain territory: they cannot be saved."""
    found = status(board, rules)
    return (board.stones(BLACK) & found[WHITE].territory) | (board.stones(WHITE) & found[BLACK].territory)


def safe_points(board: Board, rules: Rules) -> dict[Colour, int]:
    """Return for each colour the mask of its pass-alive chains and the regions that they alone surround.

    Those are empty ones of any size, and others with at most one point that touches no stone around: the area that
    KataGo's networks are given (nninputs.cpp). In a large empty region the opponent may still live.
    """
    return {colour: _safe(_Regions.of(board, colour, rules), board.empty) for colour in (BLACK, WHITE)}


def area_points(board: Board, rules: Rules) -> dict[Colour, int]:
    """Return for each colour the mask of its area; stones that cannot live in safe territory count as dead."""
    found = {colour: _Regions.of(board, colour, rules) for colour in (BLACK, WHITE)}
    safe = {colour: _safe(regions, board.empty) for colour, regions in found.items()}
    claimed = safe[BLACK] | safe[WHITE]
    return {
        colour: safe[colour] | ((regions.surrounded(board.empty) | board.stones(colour)) & ~claimed)
        for colour, regions in found.items()
    }


@dataclass(frozen=True, slots=True)
class _Regions:
    """The regions without stones of a colour, as masks.

    Attributes:
        regions: all of them; none on a board without stones of the colour.
        touched: the points that touch a stone of the colour, and its stones.
        alive: the stones of the colour's pass-alive chains.
        sheltered: the regions that only pass-alive chains surround.
    """

    regions: list[int]
    touched: int
    alive: int
    sheltered: list[int]

    @classmethod
    def of(cls, board: Board, colour: Colour, rules: Rules) -> _Regions:
        """Find the regions of ``colour`` on ``board``."""
        torus, own = board.torus, board.stones(colour)
        if not own:
            return cls([], 0, 0, [])
        regions = list(torus.regions(torus.full ^ own))
        filled = 0 if rules.suicide else board.stones(opponent(colour))
        alive = pass_alive(torus, own, regions, filled=filled)
        sheltered = [region for region in regions if alive and not torus.dilate(region) & own & ~alive]
        return cls(regions, torus.dilate(own), alive, sheltered)

    def surrounded(self, empty: int) -> int:
        """Return the mask of the empty regions."""
        mask = 0
        for region in self.regions:
            if not region & ~empty:
                mask |= region
        return mask


def _safe(regions: _Regions, empty: int) -> int:
    mask = regions.alive
    for region in regions.sheltered:
        if not region & ~empty or (region & ~regions.touched).bit_count() <= 1:
            mask |= region
    return mask


def pass_alive(torus: Torus, own: int, regions: list[int], *, filled: int = 0, immortal: int = 0) -> int:
    """Return the mask of the pass-alive chains among ``own`` by Benson's algorithm (1976).

    A region is vital to a chain if all its points are the chain's liberties.

    Args:
        torus: of the board.
        own: the stones of the colour.
        regions: the connected parts of the rest of the board.
        filled: opposing stones that need not be liberties, since without suicide they never leave the board.
        immortal: points on which nobody may play: chains with a liberty there live.
    """
    if len(regions) < 2 and not immortal:
        return 0
    chains = list(torus.regions(own))
    around = {chain: torus.dilate(chain) for chain in chains}
    while chains:
        alive = [
            chain
            for chain in chains
            if around[chain] & immortal or sum(not region & ~(around[chain] | filled) for region in regions) >= 2
        ]
        if len(alive) == len(chains):
            break
        dead = 0
        for chain in set(chains).difference(alive):
            dead |= around[chain]
        regions = [region for region in regions if not region & dead]
        chains = alive
    mask = 0
    for chain in chains:
        mask |= chain
    return mask
