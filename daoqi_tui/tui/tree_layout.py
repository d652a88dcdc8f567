"""The tree of a game laid out on a grid: time runs down, variations stand to the right of what they replace."""

from __future__ import annotations

from dataclasses import dataclass

from daoqi_tui.engine import Node


@dataclass(frozen=True, slots=True)
class TreeLayout:
    """Where each node stands.

    Attributes:
        places: row and column of each node; the root is at (0, 0).
        rows: for each row its nodes by column.
        links: for each row the pairs of columns that a horizontal line joins: what was played, and instead of it.
    """

    places: dict[Node, tuple[int, int]]
    rows: list[dict[int, Node]]
    links: list[list[tuple[int, int]]]

    @property
    def width(self) -> int:
        """How many columns there are."""
        return 1 + max((max(row) for row in self.rows if row), default=0)


def lay_out(root: Node) -> TreeLayout:
    """Lay out the tree below ``root``: each line in the first column to the right where it fits."""
    places: dict[Node, tuple[int, int]] = {}
    rows: list[dict[int, Node]] = []
    links: list[list[tuple[int, int]]] = []
    filled: list[int] = []  # for each row the first column that is still free
    # Lines to lay out, the next one last: their first node, its row, and the column of the move it replaces.
    waiting: list[tuple[Node, int, int | None]] = [(root, 0, None)]
    while waiting:
        node, row, beside = waiting.pop()
        line = [node, *node.line()]
        while len(rows) < row + len(line):
            rows.append({})
            links.append([])
            filled.append(0)
        column = max(filled[row : row + len(line)])
        if beside is not None:
            column = max(column, beside + 1)
            links[row].append((beside, column))
        for depth, step in enumerate(line, row):
            places[step] = depth, column
            rows[depth][column] = step
            filled[depth] = column + 1
        # Variations near the end of the line are placed first, so that earlier ones stand outside them.
        for depth, step in enumerate(line, row):
            waiting.extend((child, depth + 1, column) for child in reversed(step.children[1:]))
    return TreeLayout(places, rows, links)
