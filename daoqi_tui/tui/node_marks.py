"""What a record marks on the board at a node, and the numbers of the moves, as characters on points."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len

from daoqi_tui.engine import PASS, Node
from daoqi_tui.record.markup import MARKS, Mark, labels, marks, set_label, set_mark

SIGNS: Final[dict[Mark, str]] = {"triangle": "▲", "square": "■", "circle": "○", "cross": "×"}
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def marks_shown(node: Node, size: int) -> dict[int, str]:
    """Return the marks and labels of a node; a label that would not fit a cell shows as an asterisk."""
    if not node.properties:
        return {}
    shown = {point: SIGNS[mark] for point, mark in marks(node, size).items()}
    for point, text in labels(node, size).items():
        short = text[:3]
        shown[point] = short if cell_len(short) == len(short) and short.isprintable() and short else "*"
    return shown


def move_numbers(node: Node, stones: bytes) -> dict[int, str]:
    """Return the number of the last move on each point where its stone still stands."""
    numbers: dict[int, str] = {}
    for step in node.path():
        move = step.move
        if move is not None and move.point != PASS and stones[move.point] == move.colour:
            numbers[move.point] = str(step.number)
    return numbers


def next_mark(node: Node, point: int, size: int) -> Mark | None:
    """Put the next kind of mark on a point, after the last none; returns it."""
    kinds: list[Mark | None] = [None, *MARKS]
    mark = kinds[(kinds.index(marks(node, size).get(point)) + 1) % len(kinds)]
    set_mark(node, point, mark, size)
    return mark


def toggle_letter(node: Node, point: int, size: int) -> str:
    """Take the label off a point, or put the first free letter there; returns the letter, or nothing."""
    used = labels(node, size)
    if point in used:
        set_label(node, point, "", size)
        return ""
    letter = next((letter for letter in _LETTERS if letter not in used.values()), "*")
    set_label(node, point, letter, size)
    return letter
