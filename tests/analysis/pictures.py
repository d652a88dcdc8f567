"""Boards drawn as pictures: X black, O white, . empty; letters name points."""

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Board, Colour, torus_of

_COLOURS = {"X": BLACK, "O": WHITE}


def draw(picture: str, to_move: Colour = BLACK) -> tuple[Board, dict[str, int]]:
    """The board of ``picture`` and the points its letters name.

    A capital letter is an empty point; x and o are points named so that hold a black or a white stone.
    """
    rows = picture.split()
    torus = torus_of(len(rows), len(rows[0]))
    text = "".join(rows)
    board = Board(torus)
    board.setup([_COLOURS.get(sign.upper(), EMPTY) for sign in text], to_move)
    named = {sign: point for point, sign in enumerate(text) if sign not in ".XO"}
    return board, named


def bare_ladder(size: int) -> tuple[Board, int]:
    """A ladder on an otherwise empty torus, the attacker to move, and the chain's point."""
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
