"""The board in lines of text, begun at any of its points."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daoqi_tui.engine import Game, Style
from daoqi_tui.record.picture import last_point

_STEP: Final = re.compile(r"([lrud])\s*(\d{0,3})[\s,]*")
_WAYS: Final = {"l": (0, -1), "r": (0, 1), "u": (-1, 0), "d": (1, 0)}
_SIGNS: Final = ".XO"


def read_shift(text: str) -> tuple[int, int] | None:
    """Read a way such as ``r3`` or ``l2 u1`` as ``(down, right)``; None where it is not one.

    >>> read_shift("r3"), read_shift("L2 u"), read_shift("north")
    ((0, 3), (-1, -2), None)
    """
    text = text.lower()
    if not re.fullmatch(f"(?:{_STEP.pattern})+", text):
        return None
    down = right = 0
    for way, number in _STEP.findall(text):
        count = int(number or 1)
        down, right = down + _WAYS[way][0] * count, right + _WAYS[way][1] * count
    return down, right


def shifted_picture(game: Game, down: int, right: int, style: Style = "daoqi") -> Iterator[str]:
    r"""The position with the point at row ``down`` and column ``right`` at the top left; names stay with their points.

    >>> game = Game(size=5)
    >>> node = game.play(game.torus.parse("A5"))
    >>> print("\n".join(shifted_picture(game, 4, 2)))
       C D E A B
     1 . . . . .  1
     5 . . .(X).  5
     4 . . . . .  4
     3 . . . . .  3
     2 . . . . .  2
       C D E A B
    """
    torus, last = game.torus, last_point(game)
    names = "   " + " ".join(torus.name(torus.point(0, right + column), style)[0] for column in range(torus.columns))
    yield names
    for line in range(torus.rows):
        points = [torus.point(down + line, right + column) for column in range(torus.columns)]
        row = torus.name(points[0], style)[1:]
        text = f"{row:>2} " + " ".join(_SIGNS[game.board.colours[point]] for point in points) + f" {row:>2}"
        if last is not None and last in points:
            place = 3 + 2 * points.index(last)
            text = f"{text[: place - 1]}({text[place]}){text[place + 2 :]}"
        yield text
    yield names
