"""What a journal says, one entry a line, as values.

Nodes of the tree are called by the small numbers they were given when they were added; the root is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from daoqi_tui.engine import Action, Colour, Ending, Setup
from daoqi_tui.engine.clock import TimeControl, TimeLeft
from daoqi_tui.record.info import Info


@dataclass(frozen=True, slots=True)
class Begin:
    """How the game was begun. Stands twice at the head of a journal, since nothing can be read without it.

    Attributes:
        created: local date and time, ISO 8601.
        root: the setup in the root of a game that came from a file.
    """

    size: int
    komi: float
    handicap: int
    created: str
    time: TimeControl | None = None
    root: Setup | None = None


@dataclass(frozen=True, slots=True)
class About:
    """Names and whatever else is said of the game as a whole, and the komi; the last one counts."""

    info: Info
    komi: float


@dataclass(frozen=True, slots=True)
class Players:
    """Who plays each side, in words of the screen's own; the last one counts. It stays out of records.

    A record may come from anyone and must not say which program to start; a journal is the person's own.
    """

    black: str
    white: str
    resigns: bool = True


@dataclass(frozen=True, slots=True)
class Added:
    """A play, pass or setup that the tree did not have; the cursor goes there."""

    number: int
    parent: int
    action: Action


@dataclass(frozen=True, slots=True)
class At:
    """The cursor was set on a node: take-backs, jumps, replay."""

    number: int


@dataclass(frozen=True, slots=True)
class Ended:
    """What a node says of the game's end: a resignation, a loss on time, agreed dead stones, play resumed."""

    number: int
    ending: Ending | None
    resumed: bool


@dataclass(frozen=True, slots=True)
class Properties:
    """The comment, markup and other SGF properties of a node, raw values by name."""

    number: int
    properties: dict[str, list[str]] | None


@dataclass(frozen=True, slots=True)
class Deleted:
    """A node was taken out of the tree with all below it."""

    number: int


@dataclass(frozen=True, slots=True)
class Promoted:
    """The line through a node was made the main line."""

    number: int


@dataclass(frozen=True, slots=True)
class ClockReading:
    """What both players had left, and whose time ran."""

    black: TimeLeft
    white: TimeLeft
    running: Colour | None


@dataclass(frozen=True, slots=True)
class Front:
    """The game goes on at a node, whatever is looked at: its clock measures what is thought there; the last counts."""

    number: int


@dataclass(frozen=True, slots=True)
class View:
    """Where the person looked.

    Attributes:
        x, y: board coordinates of the window's top left corner, in character cells.
        cell: width and height of a point in character cells.
        point: the point under the cursor of the keyboard.
        margin: points of copies shown around the board, None for as many as fit.
    """

    x: int
    y: int
    cell: tuple[int, int]
    point: int | None = None
    margin: int | None = None


@dataclass(frozen=True, slots=True)
class Filed:
    """The file name under which the game goes into the library; said before it is written there."""

    name: str


Entry: TypeAlias = (
    Begin | About | Players | Added | At | Ended | Properties | Deleted | Promoted | ClockReading | Front | View | Filed
)
