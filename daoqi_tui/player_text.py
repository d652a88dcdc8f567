"""A player as text: ``person``, ``level:5``, ``engine:gnugo --mode gtp``, or with a time limit ``time:3 level:5``.

A level may have a style of play: ``level:5:fighting``, at a prompt ``5:fighting``.

This form is used in settings and journals.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, Self

from daoqi_tui.message import Message
from daoqi_tui.numbers import STRONGEST, check_seconds, read_level

TERRITORY, INFLUENCE, FIGHTING, SIMPLE = "territory", "influence", "fighting", "simple"
STYLES: Final = (TERRITORY, INFLUENCE, FIGHTING, SIMPLE)
"""The styles of play; :mod:`daoqi_tui.ai.styles` says how they differ."""
LONGEST: Final = 3600.0
"""The longest time limit of a move, in seconds."""
_PERSON: Final = "person"
_TEXT: Final = (
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
        found = re.fullmatch(_TEXT, text)
        if found is None:
            raise ValueError(
                Message(
                    "invalid player {text}: use person, level:1 to level:{most}, or engine:COMMAND",
                    text=repr(text),
                    most=STRONGEST,
                )
            )
        seconds = float(found["time"]) if found["time"] else None
        check_seconds(seconds, LONGEST)
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
