"""Board diagrams for tests, with ``X`` black, ``O`` white and ``.`` empty, and games set up from them."""

from __future__ import annotations

from typing import Any

from daoqi_tui.engine import BLACK, Board, Colour, Game, torus_of


def rows_of(picture: str) -> list[str]:
    """Return the lines of a diagram without the spaces between points."""
    return [line.replace(" ", "") for line in picture.split("\n") if line.strip()]


def colours_of(picture: str) -> list[Colour]:
    """Return the colour of each point of a diagram."""
    return [".XO".index(sign) for row in rows_of(picture) for sign in row]


def points_of(picture: str, sign: str) -> tuple[int, ...]:
    """Return the points of a diagram that are marked with a sign."""
    return tuple(point for point, found in enumerate("".join(rows_of(picture))) if found == sign)


def game_of(picture: str, to_move: Colour = BLACK, komi: float = 4) -> Game:
    """Return a game on a square board, set up as drawn; signs other than X and O mark empty points."""
    rows = rows_of(picture)
    assert all(len(row) == len(rows) for row in rows), "the picture is not square"
    game = Game(len(rows), komi)
    game.setup(black=points_of(picture, "X"), white=points_of(picture, "O"), to_move=to_move)
    return game


def board_of(picture: str, to_move: Colour = BLACK) -> Board:
    """Return a square board, set up as drawn."""
    board = Board(torus_of(len(rows_of(picture))))
    board.setup(colours_of(picture), to_move)
    return board


def drawn(picture: str) -> str:
    """Return a diagram in the format of ``str(board)``."""
    return "\n".join(rows_of(picture))


def board_state(board: Board) -> dict[str, Any]:
    """Return the complete state of a board, with each chain as its stones and liberties."""
    heads = {board._heads[point] for point, colour in enumerate(board.colours) if colour}
    return {
        "colours": list(board.colours),
        "empty": board.empty,
        "key": board.key,
        "to_move": board.to_move,
        "captured": list(board.captured),
        "suicided": list(board.suicided),
        "passes": list(board.passes),
        "move_number": board.move_number,
        "faced": dict(board.faced),
        "vacated": list(board._vacated),
        "chains": {head: (sorted(board._stones[head]), board.liberties_of(head)) for head in heads},
        "heads": {point: board._heads[point] for point, colour in enumerate(board.colours) if colour},
        "records": [repr(record) if record[0] != -2 else "setup" for record in board._records],
    }


def game_state(game: Game) -> dict[str, Any]:
    """Return the complete state of a game: the board, the cursor, and the whole tree."""
    return {
        "board": board_state(game.board),
        "node": id(game.node),
        "komi": game.komi,
        "tree": [
            (
                id(node),
                id(node.parent),
                [id(child) for child in node.children],
                node.action,
                node.number,
                node.captured,
                node.lost,
                node.ending,
                node.resumed,
                node.properties,
            )
            for node in game.root.walk()
        ],
    }
