"""What a line of GTP says: its id, its command, and the colours, points and numbers among the arguments."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, Torus

LONGEST_LINE: Final = 1 << 16
"""Characters of a line that are looked at; commands are far shorter."""

_DROPPED: Final = dict.fromkeys((*range(9), *range(11, 32), 127)) | {ord("\t"): " "}
_COLOURS: Final[dict[str, Colour]] = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_WHOLE = re.compile(r"([+-]?)0*([0-9]+)")
_BEYOND: Final = 10
"""Digits of a number that is beyond every range, however it goes on."""


class GtpError(Exception):
    """A command cannot be done; the text is what the controller is answered."""


@dataclass(frozen=True, slots=True)
class Command:
    """A line of GTP.

    Attributes:
        id: the digits in front, as they came; empty where there are none.
        name: of the command; empty where the line holds an id alone.
        arguments: the words after it.
    """

    id: str
    name: str
    arguments: tuple[str, ...]


def parse_line(line: str) -> Command | None:
    r"""The command in a line, None where the line is empty or a comment, which GTP leaves unanswered.

    >>> parse_line("12\tplay B  D4 # the first stone\r\n")
    Command(id='12', name='play', arguments=('B', 'D4'))
    """
    words = line.partition("#")[0].translate(_DROPPED).split()
    if not words:
        return None
    number = ""
    if words[0].isascii() and words[0].isdigit():
        number = words.pop(0)
    return Command(number, words[0] if words else "", tuple(words[1:]))


def parse_colour(word: str) -> Colour:
    """The colour a word names: ``b``, ``black``, ``w`` or ``white``, upper or lower case.

    Raises:
        GtpError: it names none.
    """
    try:
        return _COLOURS[word.lower()]
    except KeyError:
        raise GtpError(f"invalid color or coordinate: {shown(word)} is not a color; write black or white") from None


def parse_vertex(torus: Torus, word: str) -> int:
    """The point a word names, or PASS for ``pass``.

    Raises:
        GtpError: it names none; with a hint where the letter I was meant to be a column.
    """
    return PASS if word.lower() == "pass" else _point(torus, word, ", or pass")


def parse_point(torus: Torus, word: str) -> int:
    """The point a word names, where a pass is none; raises as :func:`parse_vertex`."""
    if word.lower() == "pass":
        raise GtpError("invalid color or coordinate: a point is wanted here, not pass")
    return _point(torus, word)


def _point(torus: Torus, word: str, others: str = "") -> int:
    try:
        return torus.parse(word, "gtp")
    except ValueError:
        pass
    last = vertex_name(torus, torus.columns - 1)[0]
    reason = f"{shown(word)} is not a vertex: a letter from A to {last} and a number from 1 to {torus.rows}{others}"
    if word[:1].upper() == "I":
        reason += "; GTP skips the letter I, so the column after H is J"
    raise GtpError(f"invalid color or coordinate: {reason}")


def parse_whole(word: str, least: int, most: int, beyond: str = "") -> int:
    """A whole number.

    Args:
        word: as it came.
        least: the smallest that it may be.
        most: the largest, of nine digits at most.
        beyond: the answer that GTP has for a number out of range, empty where it has none of its own.

    Raises:
        GtpError: it is none, or out of range.
    """
    found = _WHOLE.fullmatch(word)
    number = int(found[1] + found[2][:_BEYOND]) if found else None
    if number is not None and least <= number <= most:
        return number
    if number is not None and beyond:
        raise GtpError(beyond)
    raise GtpError(f"syntax error: {shown(word)} is not a whole number from {least} to {most}")


def parse_number(word: str, least: float, most: float) -> float:
    """A number, perhaps with a fraction.

    Raises:
        GtpError: it is none, or out of range.
    """
    try:
        number = float(word) if word.isascii() and "_" not in word else math.nan
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        raise GtpError(f"syntax error: {shown(word)} is not a number from {least:g} to {most:g}")
    return number


def vertex_name(torus: Torus, point: int) -> str:
    """How GTP writes a point or a pass."""
    return "pass" if point == PASS else torus.name(point, "gtp")


def colour_name(colour: Colour) -> str:
    """How GTP writes a colour."""
    return "black" if colour == BLACK else "white"


def shown(word: str) -> str:
    """A word from outside in quotation marks, shortened where it is long, fit to be repeated in an answer."""
    return repr(word if len(word) <= 40 else word[:40] + "…")
