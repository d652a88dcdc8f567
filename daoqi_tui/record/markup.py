"""Comments, labels and marks of a node, read from and written into its properties."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from daoqi_tui.engine import PASS, Node, torus_of
from daoqi_tui.record.points import PointError, names_of, point_of, rectangle, values_of
from daoqi_tui.record.text import decode, decode_line, encode, encode_line

Mark: TypeAlias = Literal["triangle", "square", "circle", "cross"]
MARKS: Final[dict[Mark, str]] = {"triangle": "TR", "square": "SQ", "circle": "CR", "cross": "MA"}
"""Each mark with its SGF property."""


def _values(node: Node, name: str) -> list[str]:
    values: list[str] = (node.properties or {}).get(name, [])
    return values


def _set(node: Node, name: str, values: list[str]) -> None:
    properties = {key: old for key, old in (node.properties or {}).items() if key != name}
    if values:
        properties[name] = values
    node.properties = properties or None


def comment(node: Node) -> str:
    """The comment as its writer meant it; show it through :func:`~daoqi_tui.record.text.plain`."""
    return "\n".join(decode(raw) for raw in _values(node, "C"))


def set_comment(node: Node, text: str) -> None:
    """Replace the comment; an empty one takes it away."""
    _set(node, "C", [encode(text)] if text else [])


def labels(node: Node, size: int) -> dict[int, str]:
    """The label on each labelled point; values that name no point are passed over (and kept in the record)."""
    found: dict[int, str] = {}
    for raw in _values(node, "LB"):
        name, colon, text = raw.partition(":")
        try:
            point = point_of(name, size)
        except PointError:
            continue
        if colon and point != PASS:
            found[point] = decode_line(text)
    # The letters of FF[3], a b c … on the points listed.
    letters = [point for point in _listed(node, "L", size) if point not in found]
    return found | {point: chr(ord("a") + place) for place, point in enumerate(letters[:26])}


def set_label(node: Node, point: int, text: str, size: int) -> None:
    """Replace the label on a point; an empty one takes it away."""
    name = names_of(size)[point]
    others = [raw for raw in _values(node, "LB") if raw.partition(":")[0].strip().lower() != name]
    _set(node, "LB", [*others, f"{name}:{encode_line(text)}"] if text.strip() else others)


def marks(node: Node, size: int) -> dict[int, Mark]:
    """The mark on each marked point; SGF allows one a point."""
    return {point: mark for mark, name in MARKS.items() for point in _listed(node, name, size)}


def set_mark(node: Node, point: int, mark: Mark | None, size: int) -> None:
    """Replace the mark on a point; None takes it away."""
    for kind, name in MARKS.items():
        points = _listed(node, name, size)
        if kind == mark and point not in points:
            points.append(point)
        elif kind != mark and point in points:
            points.remove(point)
        else:
            continue
        _set(node, name, [names_of(size)[marked] for marked in points])


def territory(node: Node, size: int) -> tuple[int, int]:
    """The masks of the points that the record counts for Black (TB) and for White (TW)."""
    torus = torus_of(size)
    return torus.mask(_listed(node, "TB", size)), torus.mask(_listed(node, "TW", size))


def set_territory(node: Node, black: int, white: int, size: int) -> None:
    """Replace the points counted for each side, given as masks."""
    _set(node, "TB", values_of(black, size))
    _set(node, "TW", values_of(white, size))


def _listed(node: Node, name: str, size: int) -> list[int]:
    """The points of a list property, rectangles opened up, in the order of the record."""
    points: dict[int, None] = {}
    for raw in _values(node, name):
        try:
            points |= dict.fromkeys(torus_of(size).points_in(rectangle(raw, size)))
        except PointError:
            continue
    return list(points)


__all__ = [
    "MARKS",
    "Mark",
    "comment",
    "labels",
    "marks",
    "set_comment",
    "set_label",
    "set_mark",
    "set_territory",
    "territory",
]
