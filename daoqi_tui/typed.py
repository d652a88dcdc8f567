"""What a user types: numbers, with the ranges of sizes, komi, handicaps, levels and time limits; and players.

A player is ``person``, ``level:5``, ``engine:gnugo --mode gtp``, or with a time limit ``time:3 level:5``, in settings
and journals as well. A level may have a style of play: ``level:5:fighting``, at a prompt ``5:fighting``.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, Self

from daoqi_tui.message import Message

WEAKEST: Final = 1
STRONGEST: Final = 10
LEVEL_NUMBERS: Final[tuple[float, ...]] = tuple(
    half / 2 if half % 2 else half // 2 for half in range(2 * WEAKEST, 2 * STRONGEST + 1)
)
"""The levels of play, in steps of a half; :mod:`daoqi_tui.ai.levels` says how each plays.

A whole one is an ``int``, so that each is shown as it is typed: ``4``, ``4.5``.
"""
MOST_THREADS: Final = 64
"""The maximum number of processor cores for a search."""
MOST_KOMI: Final = 200
"""The maximum komi that the user may choose, for either side; records may have more."""

SMALLEST_OFFERED: Final = 5
LARGEST_OFFERED: Final = 25
MOST_HANDICAP: Final = 9

_DECIMAL: Final = r"[+-]?(?:[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})"


def whole_number(text: str, least: int, most: int) -> int | None:
    """Return the whole number that `text` names, or None unless it is from `least` (0 or more) to `most`.

    Only ASCII digits count, in any number: Python's ``int`` also accepts spaces, underscores and the digits of other
    scripts, and refuses thousands of digits.

    >>> [whole_number(text, 1, 10) for text in ("007", "11", "1_0", "-1", "9" * 5000)]
    [7, None, None, None, None]
    """
    if not (text.isascii() and text.isdecimal()):
        return None
    digits = text.lstrip("0") or "0"
    if len(digits) > len(str(most)):
        return None
    number = int(digits)
    return number if least <= number <= most else None


def decimal_number(text: str) -> int | float | None:
    """Return the number that `text` names in ASCII digits, None if it names none.

    >>> [decimal_number(text) for text in ("-7", "3.75", "1_6", " 9", "1e2", "nan")]
    [-7, 3.75, None, None, None, None]
    """
    if not re.fullmatch(_DECIMAL, text):
        return None
    return float(text) if "." in text else int(text)


def is_komi(points: float) -> bool:
    """Return whether the user may choose a komi."""
    return -MOST_KOMI <= points <= MOST_KOMI


def read_size(text: str) -> int:
    """Return the board size that `text` names.

    Raises:
        ValueError: it names none that is offered.
    """
    size = whole_number(text, SMALLEST_OFFERED, LARGEST_OFFERED)
    if size is None:
        raise ValueError(
            Message(
                "The board size must be a whole number from {least} to {most}",
                least=SMALLEST_OFFERED,
                most=LARGEST_OFFERED,
            )
        )
    return size


def read_komi(text: str) -> float:
    """Return the komi that `text` names.

    Raises:
        ValueError: it names none, or more than :data:`MOST_KOMI` for a side.

    >>> read_komi("3.75"), read_komi("-4")
    (3.75, -4.0)
    """
    komi = decimal_number(text)
    if komi is None or not is_komi(komi):
        raise ValueError(Message("Komi must be a number such as 4 or 3.75"))
    return float(komi)


def read_handicap(text: str, most: int = MOST_HANDICAP) -> int:
    """Return the number of handicap stones that `text` names.

    Args:
        text: as typed.
        most: that fit the board.

    Raises:
        ValueError: it names none, or more.
    """
    handicap = whole_number(text, 0, most)
    if handicap is None or handicap == 1:
        raise ValueError(Message("The handicap must be 0, or 2 to 9 stones that fit the board"))
    return handicap


def level_number(text: str) -> float | None:
    """Return the level of play that `text` names, None if there is no such level.

    >>> [level_number(text) for text in ("4", "4.5", "4.0", "4.25", "0.5", "10.5")]
    [4, 4.5, 4, None, None, None]
    """
    number = decimal_number(text)
    return next((level for level in LEVEL_NUMBERS if level == number), None)


def read_level(text: str) -> float:
    """Return the level of play that `text` names.

    Raises:
        ValueError: there is no such level.
    """
    level = level_number(text)
    if level is None:
        raise ValueError(_no_level(text))
    return level


def nearest_level(number: float) -> float:
    """Return the level of play nearest to a number, the weaker of two.

    >>> [nearest_level(number) for number in (-3.0, 4.2, 4.3, 4.75, 99.0)]
    [1, 4, 4.5, 4.5, 10]
    """
    return min(LEVEL_NUMBERS, key=lambda level: abs(level - number))


def check_level(level: float) -> None:
    """Check a level of play.

    Raises:
        ValueError: there is no such level.
    """
    if level not in LEVEL_NUMBERS:
        raise ValueError(_no_level(f"{level:g}"))


def _no_level(text: str) -> Message:
    return Message(
        "there is no level {level}: {least} to {most}, in steps of 0.5", level=text, least=WEAKEST, most=STRONGEST
    )


def check_seconds(seconds: float | None, most: float) -> None:
    """Check a time limit of a move, None for none.

    Raises:
        ValueError: it is not more than 0, or more than ``most``.
    """
    if seconds is not None and not 0 < seconds <= most:
        raise ValueError(
            Message(
                "{seconds} seconds per move are out of range: more than 0, at most {most}",
                seconds=f"{seconds:g}",
                most=f"{most:g}",
            )
        )


# Players

TERRITORY, INFLUENCE, FIGHTING, SIMPLE = "territory", "influence", "fighting", "simple"
STYLES: Final = (TERRITORY, INFLUENCE, FIGHTING, SIMPLE)
"""The styles of play; :mod:`daoqi_tui.ai.styles` says how they differ."""
MOST_SECONDS: Final = 3600.0
"""The longest time limit of a move, in seconds."""
_PERSON: Final = "person"
MINE: Final = "mine"
"""At a prompt, the computer at the level by the human's rating."""
_PLAYER: Final = (
    r"(?s)(?:time:(?P<time>[0-9]{1,4}(?:\.[0-9]+)?) )?"
    r"(?:level:(?P<level>[0-9]{1,2}(?:\.[0-9])?(?::[a-z]{1,20})?)|engine:(?P<command>.*))"
)


class Skill(NamedTuple):
    """How our own player plays: its level, and its style, empty for none.

    >>> Skill.parse("4.5"), str(Skill.parse("4.5:fighting"))
    (Skill(level=4.5, style=''), '4.5:fighting')
    """

    level: float
    style: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse what :meth:`__str__` returns.

        Raises:
            ValueError: there is no such level or style.
        """
        level, colon, style = text.partition(":")
        return cls(read_level(level), checked_style(style) if colon else "")

    def __str__(self) -> str:
        return f"{self.level}:{self.style}" if self.style else str(self.level)


def checked_style(style: str) -> str:
    """Return a style.

    Raises:
        ValueError: there is no such style.
    """
    if style not in STYLES:
        raise ValueError(
            Message("there is no style {style}: {styles}", style=repr(style[:40]), styles=", ".join(STYLES))
        )
    return style


class PlayerText(NamedTuple):
    """The player described by a text, a human unless there is a level or a command.

    Attributes:
        level: of our own player.
        style: its style, empty for none.
        command: of a GTP engine: program and arguments, quoted as for a shell.
        seconds: the time limit of a move.
    """

    level: float | None = None
    command: str | None = None
    seconds: float | None = None
    style: str = ""

    @classmethod
    def parse(cls, text: str) -> PlayerText:
        """Parse what :meth:`__str__` returns.

        Raises:
            ValueError: it is not a player.
        """
        if text == _PERSON:
            return cls()
        found = re.fullmatch(_PLAYER, text)
        if found is None:
            raise ValueError(
                Message(
                    "invalid player {text}: use person, level:1 to level:{most}, or engine:COMMAND",
                    text=repr(text),
                    most=STRONGEST,
                )
            )
        seconds = float(found["time"]) if found["time"] else None
        check_seconds(seconds, MOST_SECONDS)
        if found["level"] is None:
            command_words(found["command"])
            return cls(command=found["command"], seconds=seconds)
        level, style = Skill.parse(found["level"])
        return cls(level, seconds=seconds, style=style)

    def __str__(self) -> str:
        if self.level is not None:
            text = f"level:{Skill(self.level, self.style)}"
        elif self.command is not None:
            text = f"engine:{self.command}"
        else:
            return _PERSON
        return text if self.seconds is None else f"time:{_decimal(self.seconds)} {text}"


def _decimal(seconds: float) -> str:
    """Return a number in digits only, which reads back as the same number."""
    from decimal import Decimal  # noqa: PLC0415 (few set a time)

    return f"{Decimal(repr(float(seconds))):f}".removesuffix(".0")


def command_words(command: str) -> list[str]:
    """Split the command line of an engine like a shell: the program, then its arguments.

    Raises:
        ValueError: a quotation is not closed, or there is no program.
    """
    from shlex import split  # noqa: PLC0415 (most games are played without engines)

    try:
        words = split(command)
    except ValueError as error:
        raise ValueError(
            Message("the command {command} cannot be read: a quotation mark is not closed", command=repr(command))
        ) from error
    if not words:
        raise ValueError(Message("no command is given; write the program and its arguments"))
    return words
