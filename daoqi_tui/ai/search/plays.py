"""What the rules say about plays and scores in a search: bounds of the score, values after a pass, sensible plays."""

from __future__ import annotations

from daoqi_tui.engine import BLACK, WHITE, Board, opponent


def margin_bounds(board: Board, komi: float) -> tuple[float, float]:
    """Return the lowest and the highest score possible on a board, Black's points less White's."""
    points = board.torus.points
    beside = board.passes[WHITE] - board.passes[BLACK] - komi
    return beside - points, beside + points


def value_after_cost(board: Board, cost: int, margin: float) -> float:
    """Return what a game that ends now is worth to the side to move, which first pays ``cost`` points.

    Args:
        board: says whose move it is, and by its rules who wins a tie.
        cost: in points.
        margin: Black's points less White's before the payment.

    Returns:
        1 for a won, 0.5 for a drawn, 0 for a lost game.
    """
    if board.to_move == BLACK:
        return board.rules.value(margin - cost)
    return 1 - board.rules.value(margin + cost)


def sensible_plays(board: Board, legal: int) -> int:
    """Return the ``legal`` plays with only the first of all one-stone suicides, which lead to the same position."""
    torus = board.torus
    mine = board.stones(board.to_move)
    lone = legal & ~torus.dilate(board.empty | mine)
    if not lone:
        return legal
    kept = False
    for point in torus.points_in(lone):
        if captures(board, point):
            continue
        if kept:
            legal ^= torus.bits[point]
        kept = True
    return legal


def captures(board: Board, point: int) -> bool:
    """Return whether a play of the side to move at ``point`` captures stones of the opponent."""
    theirs, own = opponent(board.to_move), board.torus.bits[point]
    return any(
        board.colours[nearby] == theirs and board.liberties_of(nearby) == own
        for nearby in board.torus.neighbours[point]
    )
