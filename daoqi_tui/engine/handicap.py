"""Where handicap stones go on a board that has no star points."""

from __future__ import annotations

from typing import Final

from daoqi_tui.engine.torus import Torus

MOST: Final = 9


def handicap_points(torus: Torus, stones: int) -> tuple[int, ...]:
    """Points for 0 or 2 to 9 handicap stones, spread as evenly as the torus allows.

    The first stands in the middle of the unshifted board and each next one farthest from those before it
    (squared distance; the first such point from the top left), so that the layout for n begins that for n + 1.

    Raises:
        TypeError: ``stones`` is not a whole number.
        ValueError: it is out of range for the board.
    """
    if isinstance(stones, bool) or not isinstance(stones, int):
        raise TypeError(f"the handicap is a whole number, not {stones!r}")
    most = min(MOST, torus.points // 4)
    if stones and not 2 <= stones <= most:
        allowed = f"0, or 2 to {most}" if most >= 2 else "0 on a board this small"
        raise ValueError(f"handicap {stones} is out of range: {allowed}")
    points: list[int] = []
    while len(points) < stones:
        if not points:
            points.append(torus.point(torus.rows // 2, torus.columns // 2))
            continue
        points.append(max(range(torus.points), key=lambda point: min(_apart(torus, point, p) for p in points)))
    return tuple(points)


def _apart(torus: Torus, start: int, end: int) -> int:
    down, right = torus.offset(start, end)
    return down * down + right * right
