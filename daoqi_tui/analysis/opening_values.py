"""A network's evaluation of the openings: values of the classes of two moves and of third moves, and the fair komi.

The values are made by ``daoqi-tui judge`` and come with the program in one file. Every win rate and score lead is
Black's.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from daoqi_tui import codec
from daoqi_tui.analysis.opening import class_count, find_opening, opening_class
from daoqi_tui.message import Message, reason_of
from daoqi_tui.paths import assets_folder
from daoqi_tui.reading.symmetry import canonical_moves, point_table

SHIPPED: Final = "openings.json.gz"
"""The file name of the values in the assets folder."""
FORMAT: Final = 1
"""The version of the file."""
WIN_UNITS: Final = 1000
LEAD_UNITS: Final = 10
"""Win rates and leads are stored as whole multiples of 1/1000 and of 1/10 point."""


@dataclass(frozen=True, slots=True)
class Value:
    """The mean of a search, for Black.

    Attributes:
        win: the win rate, 0 to 1.
        lead: the score lead in points, with komi.
        visits: of the search.
    """

    win: float
    lead: float
    visits: int


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply found by a search: the lowest of the equivalent points, and its value with the visits of all of them."""

    point: int
    value: Value


@dataclass(frozen=True, slots=True)
class ClassValue:
    """The values of a class of two moves.

    Attributes:
        value: of the search after the two moves, Black to play.
        replies: of that search, the most visited first.
        games: the number of policy-only games from there, at :attr:`OpeningValues.komi`.
        black_wins: the number of them that Black won.
    """

    value: Value
    replies: tuple[Reply, ...]
    games: int
    black_wins: int


@dataclass(frozen=True, slots=True)
class FairKomi:
    """The komi at which Black wins half of the games, with its 95 % interval.

    Attributes:
        komi: the estimate.
        low, high: the interval.
        games: their number.
        visits: per move in these games; 0 if they were played by the policy alone.
    """

    komi: float
    low: float
    high: float
    games: int
    visits: int


@dataclass(frozen=True, slots=True)
class Made:
    """The origin of values.

    Attributes:
        network: its name.
        sha256: the digest of its file.
        komi: of the searches, and of the games from the classes.
        date: the day, in ISO 8601.
        version: of the program.
    """

    network: str
    sha256: str
    komi: float
    date: str
    version: str


@dataclass(frozen=True, slots=True)
class OpeningValues:
    """The values of the openings on boards of one size.

    Attributes:
        size: of the board.
        made: how.
        classes: by number.
        fair_komi: the estimates, those with searches first.
        third_visits: of the search after each third move.
        thirds: the values after third moves, by :func:`third_position`.
    """

    size: int
    made: Made
    classes: Mapping[int, ClassValue]
    fair_komi: tuple[FairKomi, ...]
    third_visits: int
    thirds: Mapping[tuple[int, int], Value]

    def third(self, number: int, point: int) -> Value | None:
        """Return the value after a class and a third move; None if it was not searched."""
        return self.thirds.get(third_position(self.size, number, point))

    def third_values(self, number: int) -> dict[int, Value]:
        """Return the values of the third moves after a class, the best for Black first, by :func:`third_moves`."""
        found = {point: value for point in third_moves(self.size, number) if (value := self.third(number, point))}
        return dict(sorted(found.items(), key=lambda item: (-item[1].win, -item[1].lead)))


@lru_cache(maxsize=256)
def third_moves(size: int, number: int) -> tuple[int, ...]:
    """Return Black's second moves after a class, one from each set equivalent under symmetries of the two stones.

    Each is the lowest point of its set; the two stones are those of
    :meth:`~daoqi_tui.analysis.opening.OpeningClass.points`.

    >>> sum(len(third_moves(9, number)) for number in range(1, class_count(9) + 1))
    818
    """
    stones = opening_class(size, number).points(size)
    least = _images(size, stones).min(axis=0)
    return tuple(int(point) for point in np.unique(least) if point not in stones)


def equivalents(size: int, moves: Sequence[int], point: int) -> tuple[int, ...]:
    """Return the points equivalent to ``point`` under symmetries of an opening, ascending."""
    return tuple(int(image) for image in np.unique(_images(size, tuple(moves))[:, point]))


def third_position(size: int, number: int, point: int) -> tuple[int, int]:
    """Return the class and the third move that identify the position after a third move.

    Black's two stones may have been played in either order. The order with the lower class counts, then the one with
    the lower third move.
    """
    first, second = opening_class(size, number).points(size)
    swapped = find_opening(size, (point, second, first))
    assert swapped.kind is not None
    other = swapped.kind.number, int(_images(size, swapped.moves[:2])[:, swapped.moves[2]].min())
    return min((number, int(_images(size, (first, second))[:, point].min())), other)


@lru_cache(maxsize=256)
def _images(size: int, moves: tuple[int, ...]) -> Any:  # noqa: ANN401 (an array of numpy)
    """Return the images of all points under the symmetries that fix ``moves``, in standard form."""
    return point_table(size)[list(canonical_moves(size, moves).indices)]


def shipped_values(size: int) -> OpeningValues | Message | None:
    """Return the values that come with the program for boards of ``size``.

    None if there are none, and a message if their file cannot be used: the program goes on without them.
    """
    shipped = _shipped()
    return shipped if isinstance(shipped, Message) else shipped.get(size)


@lru_cache(maxsize=1)
def _shipped() -> Mapping[int, OpeningValues] | Message:
    file = Path(SHIPPED)
    try:
        file = assets_folder() / SHIPPED
        return read_values(file)
    except FileNotFoundError:
        return {}
    except OSError as error:
        return Message("{file} cannot be read: {reason}", file=file, reason=reason_of(error))
    except ValueError:
        return Message("{file} is damaged: install the program again", file=file)


def read_values(path: Path) -> dict[int, OpeningValues]:
    """Read a file of values, by size.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not such a file.
    """
    try:
        held = codec.decode(gzip.decompress(path.read_bytes()), _File)
        return {int(size): _values(int(size), held.made, entry) for size, entry in held.sizes.items()}
    except (EOFError, ValueError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(Message("{file} is not a file of opening values", file=path)) from error


class _Best(NamedTuple):
    point: int
    visits: int
    win: int
    lead: int


@dataclass(frozen=True, slots=True)
class _Class:
    value: tuple[int, int]
    best: tuple[_Best, ...]
    games: tuple[int, int]
    thirds: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class _Size:
    visits: int
    third_visits: int
    classes: tuple[_Class, ...]
    fair_komi: tuple[FairKomi, ...]


@dataclass(frozen=True, slots=True)
class _File:
    """What the file holds; win rates and leads in their units."""

    format: Literal[1]
    made: Made
    sizes: dict[str, _Size]


def _values(size: int, made: Made, held: _Size) -> OpeningValues:
    classes = {}
    thirds = {}
    for number, entry in enumerate(held.classes, 1):
        replies = tuple(Reply(one.point, _value(one.win, one.lead, one.visits)) for one in entry.best)
        classes[number] = ClassValue(_value(*entry.value, held.visits), replies, *entry.games)
        for point, win, lead in entry.thirds:
            thirds[number, point] = _value(win, lead, held.third_visits)
    if len(classes) != class_count(size):
        raise ValueError("classes")
    return OpeningValues(size, made, classes, held.fair_komi, held.third_visits, thirds)


def _value(win: int, lead: int, visits: int) -> Value:
    return Value(win / WIN_UNITS, lead / LEAD_UNITS, visits)
