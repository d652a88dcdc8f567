"""What is certain about a position: chains that live however often the opponent plays, and stones that cannot live.

All of it is exact and holds without a search. Every question takes the rules, since a region in which the opponent may
play a suicide is worth less to the chain around it: the suicide empties the region.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from daoqi_tui.engine import BLACK, PASS, SITUATIONAL, WHITE, Board, Colour, Rules, Torus, area, opponent


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
        torus, own = board.torus, board.stones(colour)
        if not own:
            return cls([], 0, 0, [])
        regions = list(torus.regions(torus.full ^ own))
        filled = 0 if rules.suicide else board.stones(opponent(colour))
        alive = pass_alive(torus, own, regions, filled=filled)
        sheltered = [region for region in regions if alive and not torus.dilate(region) & own & ~alive]
        return cls(regions, torus.dilate(own), alive, sheltered)

    def surrounded(self, empty: int) -> int:
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


# The last eyes


MOST_COST: Final = 1
"""The highest cost of a pass for which the end is taken as solved. Where passes cost more, the moves that a lost
chain leaves may be worth more than the chain."""


def spare_eyes(board: Board) -> dict[Colour, int] | None:
    """Return how many eyes each side can fill and still live, None unless nothing but eyes is left.

    That is so where each empty point has neighbours of one colour only, and each chain two liberties, which are eyes
    then: all chains are pass-alive.
    """
    torus, empty = board.torus, board.empty
    if empty & torus.dilate(empty) or not empty:
        return None
    black = torus.dilate(board.stones(BLACK)) & empty
    if black & torus.dilate(board.stones(WHITE)):
        return None
    found = {}
    for colour in (BLACK, WHITE):
        eyes = [board.liberties_of(head) for head in board.chains_of(colour)]
        if not eyes or any(not some & (some - 1) for some in eyes):
            return None
        found[colour] = _spare(eyes)
    return found


def _spare(chains: list[int]) -> int:
    """Return how many eyes can be filled, one after the other, so that each chain keeps two.

    Args:
        chains: the eyes of each chain, as masks. Filling one joins the chains around it; those shared go first.
    """
    filled = 0
    while True:
        eyes = 0
        for chain in chains:
            eyes |= chain
        best: tuple[int, list[int]] | None = None
        while eyes:
            eye = eyes & -eyes
            eyes ^= eye
            joined, apart = 0, []
            for chain in chains:
                if chain & eye:
                    joined |= chain
                else:
                    apart.append(chain)
            joined ^= eye
            if joined & (joined - 1) and (best is None or len(apart) < len(best[1])):
                best = joined, apart
        if best is None:
            return filled
        chains = [best[0], *best[1]]
        filled += 1


def gain_of(mine: int, theirs: int, *, passed: bool, suicide: bool) -> int:
    """Return how many passes the side to move gains on the score as it stands if both sides play best: 1, 0 or −1.

    Args:
        mine: the eyes that the side to move can spare.
        theirs: those of the opponent.
        passed: whether the opponent has just passed, so that a pass ends the game.
        suicide: whether the side to move may play a one-stone suicide.
    """
    if suicide:
        return int(mine > theirs)
    return int(mine > theirs) - 1 if passed else int(mine >= theirs) - 1


def final_margin(board: Board, komi: float, *, passed: bool) -> float | None:
    """Return Black's points less White's at the end if both sides play best, None unless nothing but eyes is left.

    ``passed`` tells that the last move was a pass.
    """
    eyes = _last_eyes(board, passed=passed)
    return None if eyes is None else area(board, komi).margin + eyes.sign * eyes.gain * board.rules.pass_cost


@dataclass(frozen=True, slots=True)
class BestMove:
    """A best move where nothing but eyes is left.

    Attributes:
        move: a point or PASS.
        margin: Black's points less White's at the end if both sides play best.
        given_up: whether not even a mistake of the opponent would turn the game.
    """

    move: int
    margin: float
    given_up: bool


MISTAKE: Final = 2
"""The passes that a mistake at the end loses at most, and with it the hope of who is behind."""


def best_move(board: Board, komi: float, *, passed: bool) -> BestMove | None:
    """Return a best move, None unless nothing but eyes is left.

    That is the pass where it is as good as any and the game is won, or lost beyond a mistake.
    """
    eyes = _last_eyes(board, passed=passed)
    if eyes is None:
        return None
    count, cost = area(board, komi).margin, board.rules.pass_cost

    def worth(gain: float) -> float:
        black = board.rules.value(count + eyes.sign * gain * cost)
        return black if eyes.sign > 0 else 1 - black

    margin = count + eyes.sign * eyes.gain * cost
    gains = {PASS: -1.0 if passed else -1.0 - gain_of(eyes.theirs, eyes.mine, passed=True, suicide=False)}
    if eyes.suicide is not None:
        gains[eyes.suicide] = -gain_of(eyes.theirs, eyes.mine, passed=False, suicide=False)
    if eyes.mine and (fill := _fill(board, eyes.mine)) is not None:
        gains[fill] = -gain_of(eyes.theirs, eyes.mine - 1, passed=False, suicide=True)
    given_up = not worth(eyes.gain + MISTAKE)
    best = max(gains.values())
    if worth(gains[PASS]) == worth(best) and (worth(best) or given_up):
        return BestMove(PASS, margin, given_up)
    return BestMove(next(move for move in reversed(gains) if gains[move] == best), margin, given_up)


@dataclass(frozen=True, slots=True)
class _LastEyes:
    """The end of a game as the side to move sees it: spare eyes, where it may play a suicide, and what it gains."""

    mine: int
    theirs: int
    suicide: int | None
    gain: int
    sign: int


def _last_eyes(board: Board, *, passed: bool) -> _LastEyes | None:
    rules = board.rules
    if not rules.suicide or rules.superko != SITUATIONAL or rules.pass_cost > MOST_COST:
        return None
    spare = spare_eyes(board)
    if spare is None:
        return None
    mine, theirs = spare[board.to_move], spare[opponent(board.to_move)]
    # Any play beside stones of the opponent alone is a suicide, since they have two eyes.
    inside = board.legal_mask() & ~board.torus.dilate(board.stones(board.to_move))
    suicide = (inside & -inside).bit_length() - 1 if inside else None
    gain = gain_of(mine, theirs, passed=passed, suicide=suicide is not None)
    return _LastEyes(mine, theirs, suicide, gain, 1 if board.to_move == BLACK else -1)


def _fill(board: Board, spare: int) -> int | None:
    """Return an eye of the side to move whose filling leaves it one less of its ``spare`` eyes."""
    mine = board.to_move
    for point in board.torus.points_in(board.legal_mask() & board.torus.dilate(board.stones(mine))):
        board.play(point)
        left = spare_eyes(board)
        board.undo()
        if left is not None and left[mine] == spare - 1:
            return point
    return None
