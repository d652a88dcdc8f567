"""A picture as a turned view shows it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from daoqi_tui.tui.orientation import Orientation
from daoqi_tui.tui.picture import Ghost, Picture


@lru_cache(maxsize=32)
def _tables(orientation: Orientation, size: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For each point where it is shown, and for each shown place its point."""
    places, points = [0] * (size * size), [0] * (size * size)
    for point in range(size * size):
        row, column = orientation.shown(size, *divmod(point, size))
        places[point] = row * size + column
        points[row * size + column] = point
    return tuple(places), tuple(points)


def turned(picture: Picture, orientation: Orientation) -> Picture:
    """The picture as it is shown: every point where the view has it."""
    if orientation.upright:
        return picture
    places, points = _tables(orientation, picture.size)

    def moved(point: int | None) -> int | None:
        return None if point is None else places[point]

    def all_moved(some: Iterable[int]) -> frozenset[int]:
        return frozenset(places[point] for point in some)

    def values(each: bytes | None) -> bytes | None:
        return None if each is None else bytes([each[point] for point in points])

    return picture._replace(
        stones=bytes([picture.stones[point] for point in points]),
        last=moved(picture.last),
        cursor=moved(picture.cursor),
        ghost=picture.ghost and Ghost(places[picture.ghost.point], picture.ghost.colour),
        chain=all_moved(picture.chain),
        liberties=all_moved(picture.liberties),
        owners=values(picture.owners),
        strength=values(picture.strength),
        dead=all_moved(picture.dead),
        refused=moved(picture.refused),
        labels={places[point]: label for point, label in picture.labels.items()},
        marks={places[point]: mark for point, mark in picture.marks.items()},
        badges={places[point]: badge for point, badge in picture.badges.items()},
    )
