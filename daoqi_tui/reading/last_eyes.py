"""The end of a game where nothing but eyes is left, solved.

Three kinds of moves give nothing away there:

* filling an eye of one's own that its chain can spare;
* a one-stone suicide in an eye of the opponent, which hands the same board over and costs nothing. Superko allows it
  once: after that, whoever is to move has faced this board, until an eye is filled;
* a pass, which costs.

All others lose a chain. The side with more eyes to spare gains one pass at the most, see :func:`gain_of`. That no side
can profit by losing a chain is clear only where a pass costs little: :data:`MOST_COST` is the limit of all this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from daoqi_tui.engine import BLACK, PASS, SITUATIONAL, WHITE, Board, Colour, area, opponent

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
