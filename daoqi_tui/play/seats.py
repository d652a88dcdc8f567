"""The seats of a game: a human, our own player at a level, or a GTP engine.

Only values and their texts; the players themselves are in :mod:`~daoqi_tui.play.players`, imported on first use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from daoqi_tui.i18n import N_, _, in_all_languages
from daoqi_tui.numbers import LEVEL_NUMBERS, check_level, check_seconds
from daoqi_tui.player_text import LONGEST, PlayerText, command_words

USUAL_LEVEL: Final = 5
_COMPUTER: Final = N_("Computer {level}")


@dataclass(frozen=True, slots=True)
class Person:
    """A human at this keyboard."""


@dataclass(frozen=True, slots=True)
class Computer:
    """Our own player.

    Attributes:
        level: one of :data:`~daoqi_tui.numbers.LEVEL_NUMBERS`.
        seconds: the time limit of a move, None for that of the level.
        mine: whether the level was chosen by the human's rating, as it will be in the next game.
    """

    level: float = USUAL_LEVEL
    seconds: float | None = None
    mine: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_level(self.level)
        check_seconds(self.seconds, LONGEST)


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
        command_words(self.command)
        check_seconds(self.seconds, LONGEST)

    @property
    def program(self) -> str:
        """The file name of the program, without its folder."""
        return re.split(r"[/\\]", command_words(self.command)[0])[-1]


Seat: TypeAlias = Person | Computer | EngineSeat

PERSON: Final = Person()


def seat_name(seat: Seat) -> str:
    """Return the default name of the player in a seat; empty for a human."""
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


def name_in_language(name: str) -> str:
    """Return a name that was written to a file; the default one of a computer is in the language of now."""
    computer = next((seat for level in LEVEL_NUMBERS if is_seat_name(name, seat := Computer(level))), None)
    return name if computer is None else seat_name(computer)


def seat_text(seat: Seat) -> str:
    """Return a seat as text for the journal, read by :func:`parse_seat`: ``time:3 level:5``, ``engine:gnugo -x``."""
    match seat:
        case Computer(level=level, seconds=seconds):
            return str(PlayerText(level=level, seconds=seconds))
        case EngineSeat(command=command, seconds=seconds):
            return str(PlayerText(command=command, seconds=seconds))
    return str(PlayerText())


def parse_seat(text: str) -> Seat:
    """Parse what :func:`seat_text` wrote.

    Raises:
        ValueError: the text is not a seat.
    """
    level, command, seconds = PlayerText.parse(text)
    if level is not None:
        return Computer(level, seconds)
    return EngineSeat(command, seconds) if command is not None else PERSON
