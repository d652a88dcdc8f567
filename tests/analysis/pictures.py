"""Boards drawn as text: X is black, O is white, . is empty; other letters name points."""

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Board, Colour, torus_of

_COLOURS = {"X": BLACK, "O": WHITE}


def draw(picture: str, to_move: Colour = BLACK) -> tuple[Board, dict[str, int]]:
    """Return the board of ``picture`` and its named points.

    The letters x and o name points with a black or a white stone, other letters name empty points.
    """
    rows = picture.split()
    torus = torus_of(len(rows), len(rows[0]))
    text = "".join(rows)
    board = Board(torus)
    board.setup([_COLOURS.get(sign.upper(), EMPTY) for sign in text], to_move)
    named = {sign: point for point, sign in enumerate(text) if sign not in ".XO"}
    return board, named


def bare_ladder(size: int) -> tuple[Board, int]:
    """Return a ladder on an otherwise empty torus with the attacker to move, and the point of the chain."""
    torus = torus_of(size)
    middle = size // 2
    colours = [EMPTY] * torus.points
    target = torus.point(middle, middle)
    colours[target] = WHITE
    for down, right in ((0, -1), (1, 0), (1, 1)):
        colours[torus.shift(target, down, right)] = BLACK
    board = Board(torus)
    board.setup(colours, BLACK)
    return board, target
