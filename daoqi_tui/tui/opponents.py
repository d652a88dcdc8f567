"""Who plays each side: a person, our own player at a level, or any GTP engine.

Only values and their words; the players themselves are in :mod:`~daoqi_tui.tui.minds`, imported when one is to move.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from daoqi_tui.i18n import _

WEAKEST: Final = 1
STRONGEST: Final = 10
USUAL_LEVEL: Final = 5
LONGEST: Final = 3600.0
"""Seconds a move that can be chosen at most."""
_TEXT: Final = r"(?s)(?:time:(?P<time>[0-9.]{1,10}) )?(?:level:(?P<level>[0-9]{1,2})|engine:(?P<command>.*))"


@dataclass(frozen=True, slots=True)
class Person:
    """Someone at the keyboard."""


@dataclass(frozen=True, slots=True)
class Computer:
    """Our own player.

    Attributes:
        level: 1 to 10.
        seconds: a move takes at most so long, None for what the level says.
    """

    level: int = USUAL_LEVEL
    seconds: float | None = None

    def __post_init__(self) -> None:
        if not WEAKEST <= self.level <= STRONGEST:
            raise ValueError(f"level {self.level} is out of range: {WEAKEST} to {STRONGEST}")
        _check_seconds(self.seconds)


@dataclass(frozen=True, slots=True)
class EngineSeat:
    """A GTP engine.

    Attributes:
        command: program and arguments, quoted as for a shell.
        seconds: time for a move, None for what the engine sees fit.
    """

    command: str
    seconds: float | None = None

    def __post_init__(self) -> None:
        try:
            words = _words(self.command)
        except ValueError as error:
            raise ValueError(f"the command {self.command!r} cannot be read: {error}") from error
        if not words:
            raise ValueError("no command is given; write the program and its arguments")
        _check_seconds(self.seconds)

    @property
    def program(self) -> str:
        """The name of the program, without folders."""
        return re.split(r"[/\\]", _words(self.command)[0])[-1]


Seat: TypeAlias = Person | Computer | EngineSeat

PERSON: Final = Person()


def _words(command: str) -> list[str]:
    """The words of a command line; raises ValueError where a quotation does not end."""
    from shlex import split  # noqa: PLC0415 (most games are played without engines)

    return split(command)


def _check_seconds(seconds: float | None) -> None:
    if seconds is not None and not 0 < seconds <= LONGEST:
        raise ValueError(f"{seconds:g} seconds a move are out of range: more than 0, at most {LONGEST:g}")


def seat_name(seat: Seat) -> str:
    """What a player without a name of its own is called; a person has none."""
    match seat:
        case Computer(level=level):
            return _("Computer {level}").format(level=level)
        case EngineSeat():
            return seat.program
    return ""


def seat_text(seat: Seat) -> str:
    """A seat as text for the journal, as :func:`parse_seat` reads it: ``time:3 level:5``, ``engine:gnugo -x``."""
    match seat:
        case Computer(level=level, seconds=seconds):
            text = f"level:{level}"
        case EngineSeat(command=command, seconds=seconds):
            text = f"engine:{command}"
        case _:
            return "person"
    return text if seconds is None else f"time:{seconds:g} {text}"


def parse_seat(text: str) -> Seat:
    """The seat that :func:`seat_text` wrote.

    Raises:
        ValueError: it is none.
    """
    if text == "person":
        return PERSON
    found = re.fullmatch(_TEXT, text)
    if found is None:
        raise ValueError(f"{text!r} is no player: person, level:1 to level:{STRONGEST}, or engine:COMMAND")
    seconds = float(found["time"]) if found["time"] else None
    if found["level"] is not None:
        return Computer(int(found["level"]), seconds)
    return EngineSeat(found["command"], seconds)
