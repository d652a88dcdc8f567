"""A position as lines of text, for a terminal, a mail or the clipboard."""

from __future__ import annotations

import unicodedata
from typing import Final, Literal, TypeAlias

from daoqi_tui.engine import BLACK, EMPTY, PASS, Game, Style
from daoqi_tui.record.markup import Mark, labels, marks
from daoqi_tui.record.text import plain_line

Stones: TypeAlias = Literal["ascii", "round"]

_SIGNS: Final[dict[Stones, str]] = {"ascii": ".XO", "round": "·●○"}
_MARK_SIGNS: Final[dict[Mark, str]] = {"triangle": "^", "square": "#", "circle": "%", "cross": "*"}
_RESET: Final = "\x1b[0m"
# 256-colour codes: wood, and on it line, black stone, white stone, label.
_WOOD, _LINE, _BLACK, _WHITE, _LABEL = 179, 94, 16, 231, 18
_LAST_WOOD: Final = 215


def column_names(game: Game, style: Style) -> list[str]:
    """What to write above the columns: letters, also for SGF."""
    return [game.torus.name(point, style)[0] for point in range(game.torus.columns)]


def row_names(game: Game, style: Style) -> list[str]:
    """What to write beside the rows, from the top: numbers from the bottom, or letters for SGF."""
    return [game.torus.name(row * game.torus.columns, style)[1:] for row in range(game.torus.rows)]


def last_point(game: Game) -> int | None:
    """Where the move at the cursor put its stone, None after a pass, a setup or a suicide of it."""
    move = game.node.move
    if move is None or move.point == PASS or game.board.colours[move.point] == EMPTY:
        return None
    return move.point


def text_picture(game: Game, style: Style = "daoqi", stones: Stones = "ascii") -> str:
    """The position at the cursor; the last stone stands in parentheses, labels and marks on empty points.

    >>> game = Game(size=5)
    >>> node = game.play(game.torus.parse("C3"))
    >>> print(text_picture(game))
       A B C D E
     5 . . . . .  5
     4 . . . . .  4
     3 . .(X). .  3
     2 . . . . .  2
     1 . . . . .  1
       A B C D E
    """
    signs = _empty_signs(game)
    last = last_point(game)
    columns = game.torus.columns
    header = "   " + " ".join(column_names(game, style))
    lines = [header]
    for row, name in enumerate(row_names(game, style)):
        cells = []
        gaps = [" "] * (columns + 1)
        for column in range(columns):
            point = row * columns + column
            colour = game.board.colours[point]
            sign = (not colour and signs.get(point)) or _SIGNS[stones][colour]
            cells.append(sign)
            if point == last:
                gaps[column : column + 2] = "()"
            elif _wide(sign):
                gaps[column + 1] = ""
        line = "".join(gap + cell for gap, cell in zip(gaps, [*cells, ""], strict=True))
        lines.append(f"{name:>2}{line}{name:>2}")
    return "\n".join([*lines, header])


def ansi_picture(game: Game, style: Style = "daoqi") -> str:
    """The position at the cursor in 256 colours: round stones on wood, the last one on a brighter field."""
    signs = _empty_signs(game)
    last = last_point(game)
    columns = game.torus.columns
    header = "   " + " ".join(column_names(game, style))
    lines = [header]
    for row, name in enumerate(row_names(game, style)):
        cells = []
        for point in range(row * columns, (row + 1) * columns):
            colour = game.board.colours[point]
            wood = _LAST_WOOD if point == last else _WOOD
            sign = signs.get(point, "")
            if colour:
                ink, sign = (_BLACK if colour == BLACK else _WHITE), "●"
            elif sign:
                ink = _LABEL
            else:
                ink, sign = _LINE, "·"
            space = "" if _wide(sign) else " "
            cells.append(f"\x1b[48;5;{wood};38;5;{ink}m{sign}{space}")
        lines.append(f"{name:>2}\x1b[48;5;{_WOOD}m {''.join(cells)}{_RESET}{name:>2}")
    return "\n".join([*lines, header])


def _empty_signs(game: Game) -> dict[int, str]:
    """What stands on empty points: the first character of a label, or the sign of a mark."""
    size = game.torus.size
    signs = {point: _MARK_SIGNS[mark] for point, mark in marks(game.node, size).items()}
    for point, label in labels(game.node, size).items():
        shown = "".join(sign for sign in plain_line(label) if not unicodedata.combining(sign))[:1]
        if shown:
            signs[point] = shown
    return signs


def _wide(sign: str) -> bool:
    return bool(sign) and unicodedata.east_asian_width(sign) in "WF"


__all__ = ["Stones", "ansi_picture", "column_names", "last_point", "row_names", "text_picture"]
