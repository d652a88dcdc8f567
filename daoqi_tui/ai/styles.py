"""Styles of play: a preference among moves that are about as good, so that the computer plays a kind of game.

A style never looks for moves of its own. It chooses among those that the search found to be close to the best, and
gives up at most :data:`WIN_COST` and :data:`POINTS_COST` for a move. Levels that sample from the policy keep the moves
that they sample from, and prefer some of them (:func:`leaning`). ``simple`` changes nothing until it is ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daoqi_tui.ai import Candidate
from daoqi_tui.engine import BLACK, PASS, Board, opponent
from daoqi_tui.typed import FIGHTING, INFLUENCE, SIMPLE, TERRITORY

WIN_COST: Final = 0.02
"""The win rate that a style may give up for a move."""
POINTS_COST: Final = 0.5
"""The points that a style may give up for a move."""
LEAST_VISITS: Final = 0.3
"""A move has to have this share of the visits of the best one: with fewer, its value is a guess."""
LEANING: Final = 2.5
"""How many times as likely a level that samples plays the move that fits its style best, against one that does not."""
AHEAD: Final = 0.6
"""The win rate from which ``simple`` counts the game as led."""

Values: TypeAlias = NDArray[np.float64]
"""A number for each point."""


def choose(style: str, board: Board, candidates: Sequence[Candidate], black_owns: Values) -> Candidate:
    """Return the candidate that fits a style best among those that are about as good as the best.

    Args:
        style: one of :data:`~daoqi_tui.typed.STYLES`, or empty for the best move itself.
        board: the position.
        candidates: the searched moves, the best first.
        black_owns: the ownership of all points, from −1 (White's) to 1 (Black's).
    """
    best = candidates[0]
    if not _is_followed(style, best.win) or best.move == PASS:
        return best
    sign = _sign(board)
    close = [
        each
        for each in candidates
        if each.move != PASS
        and each.visits >= LEAST_VISITS * best.visits
        and each.win >= best.win - WIN_COST
        and sign * (each.margin - best.margin) >= -POINTS_COST
    ]
    fits = _FITS[style](board, sign * black_owns)
    # The first of those that fit as well.
    return max(close, key=lambda each: float(fits[each.move]))


def leaning(style: str, board: Board, moves: Sequence[int], win: float, black_owns: Values) -> Values:
    """Return factors for the probabilities of plays, from 1 to :data:`LEANING`; 1 for all without a style."""
    if not _is_followed(style, win):
        return np.ones(len(moves))
    fits = _FITS[style](board, _sign(board) * black_owns)[list(moves)]
    return np.asarray(LEANING ** ((fits - fits.min()) / max(float(np.ptp(fits)), 1e-9)), np.float64)


def _is_followed(style: str, win: float) -> bool:
    return bool(style) and (style != SIMPLE or win >= AHEAD)


def _sign(board: Board) -> float:
    return 1.0 if board.to_move == BLACK else -1.0


# How well plays on all points fit. ``owned`` is the ownership, from −1 (the opponent's) to 1 (the mover's).


def contact(board: Board) -> Values:
    """Return how much a play on each point fights: 1 for each of the opponent's chains that it touches.

    A chain that it leaves with two liberties or fewer counts twice, a stone in a diagonal a quarter. To separate two
    chains is to touch both.
    """
    torus, theirs = board.torus, opponent(board.to_move)
    found = np.zeros(torus.points)
    for chain in board.chains_of(theirs):
        liberties = torus.points_in(board.liberties_of(chain))
        found[list(liberties)] += 2.0 if len(liberties) <= 3 else 1.0
    around = (np.array(board.colours) == theirs).reshape(torus.rows, torus.columns)
    diagonal = sum(np.roll(around, (down, right), (0, 1)) for down in (-1, 1) for right in (-1, 1))
    return found + 0.25 * np.ravel(diagonal)


def _quiet(board: Board, _owned: Values) -> Values:
    """Return 1 for a play without contact, and less the more it has."""
    return np.exp(-contact(board) / 2)


def _fighting(board: Board, owned: Values) -> Values:
    return 1.0 - _quiet(board, owned)


def _territory(board: Board, owned: Values) -> Values:
    """Return how much of the area around leans to the mover and is not certain yet."""
    return _mean_around(board, np.where(owned > 0, 4.0 * owned * (1.0 - owned), 0.0), 2)


def _influence(board: Board, owned: Values) -> Values:
    """Return how open the board around is, less for contact."""
    empty = np.array([not colour for colour in board.colours])
    return _mean_around(board, np.where(empty, 1.0 - np.abs(owned), 0.0), 3) * _quiet(board, owned)


def _mean_around(board: Board, values: Values, distance: int) -> Values:
    """Return the mean of values over all points up to a distance from each."""
    square = values.reshape(board.torus.rows, board.torus.columns)
    steps = range(-distance, distance + 1)
    near = [(down, right) for down in steps for right in steps if abs(down) + abs(right) <= distance]
    return np.asarray(np.mean([np.roll(square, each, (0, 1)) for each in near], axis=0).ravel(), np.float64)


_FITS: Final[Mapping[str, Callable[[Board, Values], Values]]] = {
    TERRITORY: _territory,
    INFLUENCE: _influence,
    FIGHTING: _fighting,
    SIMPLE: _quiet,
}
