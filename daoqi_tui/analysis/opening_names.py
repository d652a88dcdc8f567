"""A systematic name for every opening of two moves, by how far White's stone is from Black's.

>>> opening_name(16, (1, 2)).english
"a knight's move apart, (1,2)"
>>> opening_name(16, (8, 8)).chinese
'对极点 (8,8)'

The near ones have the names Go players know, the others say the displacement: along a line, a diagonal, or x by y.
On a board of even size the greatest displacement is half way round the torus, and the names say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

KNOWN: Final = {
    (0, 1): ("in contact", "紧贴"),
    (1, 1): ("a diagonal move apart", "小尖"),
    (0, 2): ("a one-space jump apart", "一间跳"),
    (1, 2): ("a knight's move apart", "小飞"),
    (2, 2): ("an elephant's move apart", "象步"),
    (0, 3): ("a two-space jump apart", "二间跳"),
    (1, 3): ("a large knight's move apart", "大飞"),
    (1, 4): ("a very large knight's move apart", "超大飞"),
}
"""English and Chinese by displacement, for those that have a name of their own."""


@dataclass(frozen=True, slots=True)
class OpeningName:
    """The name of an opening in both languages, each ending with the displacement."""

    english: str
    chinese: str


def opening_name(size: int, displacement: tuple[int, int]) -> OpeningName:
    """The name of the opening with White ``(x, y)`` from Black.

    Args:
        size: the side of the board.
        displacement: columns x and rows y in standard form, 0 ≤ x ≤ y ≤ size/2 and y ≥ 1.

    Raises:
        ValueError: the displacement is not in standard form.
    """
    x, y = displacement
    if not (0 <= x <= y <= size // 2 and y >= 1):
        raise ValueError(f"({x},{y}) is no standard displacement: 0 ≤ x ≤ y ≤ {size // 2} and y at least 1")
    english, chinese = _words(x, y, half=2 * y == size)
    return OpeningName(f"{english}, ({x},{y})", f"{chinese} ({x},{y})")


def _words(x: int, y: int, *, half: bool) -> tuple[str, str]:
    if (x, y) in KNOWN:
        return KNOWN[x, y]
    if half and x == y:
        return "at the antipode", "对极点"
    if half and x == 0:
        return "half way round on a line", "直线半周"
    if half:
        return f"half way round, {x} aside", f"半周偏{x}路"
    if x == 0:
        return f"{y - 1} points between on a line", f"直线隔{y - 1}路"
    if x == y:
        return f"{y - 1} points between on a diagonal", f"斜线隔{y - 1}路"
    return f"{x} by {y} apart", f"相距{x}路与{y}路"
