"""The seats of a game: a person, our own player at a level, or a GTP engine.

Only values and their texts; the players themselves are in :mod:`~daoqi_tui.play.players`, imported when one is to move.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from daoqi_tui.i18n import N_, _, in_all_languages
from daoqi_tui.message import Message
from daoqi_tui.numbers import STRONGEST, WEAKEST

USUAL_LEVEL: Final = 5
_COMPUTER: Final = N_("Computer {level}")
LONGEST: Final = 3600.0
"""The longest time limit of a move, in seconds."""
_TEXT: Final = r"(?s)(?:time:(?P<time>[0-9.]{1,10}) )?(?:level:(?P<level>[0-9]{1,2})|engine:(?P<command>.*))"


@dataclass(frozen=True, slots=True)
class Person:
    """A person at this keyboard."""


@dataclass(frozen=True, slots=True)
class Computer:
    """Our own player.

    Attributes:
        level: from :data:`~daoqi_tui.numbers.WEAKEST` to :data:`~daoqi_tui.numbers.STRONGEST`.
        seconds: the time limit of a move, None for that of the level.
        mine: whether the level was chosen by the person's rating, as the next game's will be.
    """

    level: int = USUAL_LEVEL
    seconds: float | None = None
    mine: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not WEAKEST <= self.level <= STRONGEST:
            raise ValueError(
                Message(
                    "level {level} is out of range: {least} to {most}",
                    level=self.level,
                    least=WEAKEST,
                    most=STRONGEST,
                )
            )
        _check_seconds(self.seconds)


@dataclass(frozen=True, slots=True)
class EngineSeat:
    """A GTP engine.

    Attributes:
        command: program and arguments, quoted as for a shell.
        seconds: the time limit of a move, None to leave it to the engine.
    """

    command: str
    seconds: float | None = None

    def __post_init__(self) -> None:
        try:
            words = _words(self.command)
        except ValueError as error:
            raise ValueError(
                Message(
                    "the command {command} cannot be read: a quotation mark is not closed", command=repr(self.command)
                )
            ) from error
        if not words:
            raise ValueError(Message("no command is given; write the program and its arguments"))
        _check_seconds(self.seconds)

    @property
    def program(self) -> str:
        """The file name of the program, without its folder."""
        return re.split(r"[/\\]", _words(self.command)[0])[-1]


Seat: TypeAlias = Person | Computer | EngineSeat

PERSON: Final = Person()


def _words(command: str) -> list[str]:
    """Split a command line as a shell does. Raises ValueError where a quotation does not end."""
    from shlex import split  # noqa: PLC0415 (most games are played without engines)

    return split(command)


def _check_seconds(seconds: float | None) -> None:
    if seconds is not None and not 0 < seconds <= LONGEST:
        raise ValueError(
            Message(
                "{seconds} seconds per move are out of range: more than 0, at most {most}",
                seconds=f"{seconds:g}",
                most=f"{LONGEST:g}",
            )
        )


def seat_name(seat: Seat) -> str:
    """Return the default name of the player in a seat; empty for a person."""
    match seat:
        case Computer(level=level):
            return _(_COMPUTER).format(level=level)
        case EngineSeat():
            return seat.program
    return ""


def is_seat_name(name: str, seat: Seat) -> bool:
    """Return whether a name is the default one of the player in a seat, in any language."""
    if isinstance(seat, Computer):
        return name in (words.format(level=seat.level) for words in in_all_languages(_COMPUTER))
    return name == seat_name(seat)


def seat_text(seat: Seat) -> str:
    """Return a seat as text for the journal, read by :func:`parse_seat`: ``time:3 level:5``, ``engine:gnugo -x``."""
    match seat:
        case Computer(level=level, seconds=seconds):
            text = f"level:{level}"
        case EngineSeat(command=command, seconds=seconds):
            text = f"engine:{command}"
        case _:
            return "person"
    return text if seconds is None else f"time:{seconds:g} {text}"


def parse_seat(text: str) -> Seat:
    """Parse what :func:`seat_text` wrote.

    Raises:
        ValueError: it is none.
    """
    if text == "person":
        return PERSON
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
    if found["level"] is not None:
        return Computer(int(found["level"]), seconds)
    return EngineSeat(found["command"], seconds)
