"""From a tree of raw nodes to the bytes of a file."""

from __future__ import annotations

from typing import Final

from daoqi_tui.record.sgf_parse import RawNode
from daoqi_tui.record.text import safe

_NODES_PER_LINE: Final = 10


def serialise(root: RawNode) -> bytes:
    """Write one tree in UTF-8. Lines are broken between nodes only, where white space means nothing."""
    pieces: list[str] = ["("]
    waiting: list[RawNode | str] = [")\n", root]
    on_line = 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            pieces.append(node)
            on_line = 0
            continue
        if on_line >= _NODES_PER_LINE:
            pieces.append("\n")
            on_line = 0
        pieces.append(";")
        for name, values in node.properties.items():
            pieces.append(name)
            pieces += [f"[{safe(raw)}]" for raw in values]
        # The root and nodes with a comment or markup end their line.
        on_line = on_line + 1 if len(node.properties) == 1 else _NODES_PER_LINE
        if len(node.children) == 1:
            waiting.append(node.children[0])
        else:
            for child in reversed(node.children):
                waiting += (")", child, "\n(")
    return "".join(pieces).encode("utf-8", "replace")
