"""The tree of a game laid out as rows: the main line, with variations set in beside the move they replace."""

from __future__ import annotations

from typing import NamedTuple

from daoqi_tui.engine import Node


class HistoryRow(NamedTuple):
    """One move in the list."""

    node: Node
    depth: int
    """How many variations deep the move lies; 0 on the main line."""
    first: bool
    """Whether a variation begins here."""


def history_rows(root: Node) -> list[HistoryRow]:
    """Lay out the whole tree below ``root``, which comes first.

    Where several moves were played, the main one stands first, then each variation to its end, one step
    further in, and then the main line goes on.
    """
    rows: list[HistoryRow] = []
    # Lines still to be laid out, the next one last: each goes on from its node, whose row is there already.
    waiting = [HistoryRow(root, 0, first=False)]
    rows.append(waiting[0])
    while waiting:
        node, depth, _ = waiting.pop()
        while node.children:
            main, *variations = node.children
            node = main
            rows.append(HistoryRow(node, depth, first=False))
            if variations:
                waiting.append(HistoryRow(node, depth, first=False))
                waiting.extend(HistoryRow(child, depth + 1, first=True) for child in reversed(variations))
                break
        if waiting and waiting[-1].first:
            row = waiting[-1]
            rows.append(row)
            waiting[-1] = row._replace(first=False)
    return rows
