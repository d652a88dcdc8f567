"""Comparison of raw trees: the same nodes with the same values; the order of properties in a node is ignored."""

from __future__ import annotations

from daoqi_tui.record.sgf import RawNode


def trees_equal(one: RawNode, other: RawNode) -> bool:
    waiting = [(one, other)]
    while waiting:
        left, right = waiting.pop()
        if left.properties != right.properties or len(left.children) != len(right.children):
            return False
        waiting += zip(left.children, right.children, strict=True)
    return True
