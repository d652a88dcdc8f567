"""The format of a journal: its entries, the JSON of each, and lines with checksum and sequence number.

Everything read from a file is validated.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any, BinaryIO, Final, TypeAlias
from zlib import crc32

from daoqi_tui.engine import (
    BLACK,
    DAOQI,
    LARGEST,
    PASS,
    SMALLEST,
    WHITE,
    Action,
    Colour,
    Ending,
    Move,
    OutOfTime,
    Resignation,
    Rules,
    Setup,
    TwoPasses,
    parse_rules,
)
from daoqi_tui.engine.clock import TimeControl, TimeLeft
from daoqi_tui.engine.game import LARGEST_KOMI
from daoqi_tui.engine.tree import move_of
from daoqi_tui.message import Message
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.record.sgf.parse import MOST_BYTES

FORMAT: Final = 1
_LAST: Final = LARGEST * LARGEST - 1
_Values: TypeAlias = list[Any]
_DEFAULTS: Final = asdict(Info())
_TEXTS: Final = {field.name for field in fields(Info)} - {"handicap"}
LONGEST_LINE: Final = 6 * MOST_BYTES + 2**20
"""Bytes; what a record says at one node is the longest thing a line holds, and JSON makes six bytes of one where that
is not ASCII: é in Latin-1 is written \\u00e9."""
_MOST_UNSOUND: Final = LONGEST_LINE
"""The number of bytes without a valid line after which the rest of a file is ignored."""


@dataclass(frozen=True, slots=True)
class Begin:
    """The settings of the game. Written twice at the start of a journal, since it is useless without them.

    Attributes:
        created: local date and time, ISO 8601.
        root: the setup in the root of a game that came from a file.
        rules: of the game, its komi included.
    """

    size: int
    komi: float
    handicap: int
    created: str
    time: TimeControl | None = None
    root: Setup | None = None
    rules: Rules = DAOQI


@dataclass(frozen=True, slots=True)
class About:
    """Game information and komi; the last one counts."""

    info: Info
    komi: float


@dataclass(frozen=True, slots=True)
class Seats:
    """Who plays each side, as :mod:`daoqi_tui.play.seats` writes it; the last one counts. It is not written to SGF.

    A foreign record must not be able to start a program; a journal is the user's own file.
    """

    black: str
    white: str
    resigns: bool = True


@dataclass(frozen=True, slots=True)
class Added:
    """A new node of the tree, with a play, pass or setup; the cursor moves there."""

    number: int
    parent: int
    action: Action


@dataclass(frozen=True, slots=True)
class CursorAt:
    """The cursor was set on a node: undo, jumps, replay."""

    number: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The ending recorded at a node: resignation, loss on time, agreed dead stones, or play resumed."""

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
    """A node and its subtree were deleted."""

    number: int


@dataclass(frozen=True, slots=True)
class Promoted:
    """The line through a node was made the main line."""

    number: int


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The time left of both players, and whose clock was running."""

    black: TimeLeft
    white: TimeLeft
    running: Colour | None


@dataclass(frozen=True, slots=True)
class LiveNode:
    """The node at which the game continues while others are viewed; the clock runs for it. The last entry counts."""

    number: int


@dataclass(frozen=True, slots=True)
class SavedView:
    """The view of the board.

    Attributes:
        x, y: board coordinates of the window's top left corner, in character cells.
        cell: width and height of a point in character cells.
        point: the point under the keyboard cursor.
        home: whether it is the home view, which begins elsewhere in a window of another size.
    """

    x: int
    y: int
    cell: tuple[int, int]
    point: int | None = None
    home: bool = False


@dataclass(frozen=True, slots=True)
class Helped:
    """The user had help, so that the game is not rated."""


@dataclass(frozen=True, slots=True)
class FiledAs:
    """The file name of the game in the library; written before the file is."""

    name: str


@dataclass(frozen=True, slots=True)
class RecordFiled:
    """The record of the game was written into the library; an unchanged one is not written again.

    Attributes:
        digest: of the record, in hexadecimal digits.
    """

    digest: str


JournalEntry: TypeAlias = (
    Begin
    | About
    | Seats
    | Added
    | CursorAt
    | Ended
    | Properties
    | Deleted
    | Promoted
    | ClockReading
    | LiveNode
    | SavedView
    | Helped
    | FiledAs
    | RecordFiled
)


class UnknownEntry(ValueError):
    """An entry of a kind this version does not know."""


class UnknownFormat(UnknownEntry):
    """The beginning of a journal in a format of a newer version; :attr:`message` says so."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message: Final = message


@dataclass(frozen=True, slots=True)
class JournalLine:
    """A line of a journal.

    Attributes:
        place: its line number, from 1.
        sequence: its sequence number, from 0; -1 for an invalid line.
        entry: its entry, None for an invalid line or an unknown kind.
        end: the offset in bytes just after it.
        newer: the problem with the format, at the beginning of a journal of a newer version.
    """

    place: int
    sequence: int
    entry: JournalEntry | None
    end: int
    newer: Message | None = None

    @property
    def sound(self) -> bool:
        """True if the line is valid: complete, with the right checksum."""
        return self.sequence >= 0


def encode_line(sequence: int, entry: JournalEntry) -> bytes:
    body = b"%d %s" % (sequence, encode_entry(entry))
    return b"%08x %s\n" % (crc32(body), body)


def read_lines(file: BinaryIO) -> Iterator[JournalLine]:
    """Yield every line of a file, valid or not; stops early in a file that is not a journal."""
    end = unsound = place = 0
    while data := file.readline(LONGEST_LINE):
        end += len(data)
        place += 1
        sequence, entry, newer = _decode_line(data)
        yield JournalLine(place, sequence, entry, end, newer)
        unsound = unsound + len(data) if sequence < 0 else 0
        if unsound > _MOST_UNSOUND:
            return


def read_names(file: BinaryIO) -> Info | None:
    """Return the last game information in the rest of a file, None if there is none; decodes no other line."""
    names: Info | None = None
    while data := file.readline(LONGEST_LINE):
        if data.split(b" ", 2)[-1].startswith(b'["about",'):
            _sequence, entry, _newer = _decode_line(data)
            names = entry.info if isinstance(entry, About) else names
    return names


def _decode_line(data: bytes) -> tuple[int, JournalEntry | None, Message | None]:
    """Return the sequence number, -1 for an invalid line, the entry, and any problem with the journal's format."""
    checksum, _, body = data[:-1].partition(b" ")
    if data[-1:] != b"\n" or checksum != b"%08x" % crc32(body):
        return -1, None, None
    digits, _, payload = body.partition(b" ")
    if not digits.isdigit() or len(digits) > 15:
        return -1, None, None
    try:
        return int(digits), decode_entry(payload), None
    except UnknownFormat as error:
        return int(digits), None, error.message
    except UnknownEntry:
        return int(digits), None, None
    except ValueError:
        return -1, None, None


def encode_entry(entry: JournalEntry) -> bytes:
    """Encode an entry as JSON, ASCII on one line."""
    return json.dumps(_plain(entry), separators=(",", ":")).encode("ascii")


def decode_entry(data: bytes) -> JournalEntry:
    """Decode what :func:`encode_entry` wrote.

    Raises:
        UnknownEntry: it is of a kind that only a later version knows.
        ValueError: it is not an entry.
    """
    try:
        kind, *values = json.loads(data)
        read = _READERS.get(kind)
        if read is None:
            raise UnknownEntry(f"an entry of the unknown kind {kind!r:.40}")
        return read(values)
    except (TypeError, AttributeError, KeyError, OverflowError, RecursionError) as error:
        raise ValueError(f"not an entry of a journal: {error}") from None


def _plain(entry: JournalEntry) -> list[Any]:
    match entry:
        case Added(number, parent, Move(colour, point)):
            return ["move", number, parent, colour, point]
        case Added(number, parent, Setup() as setup):
            return ["setup", number, parent, *_plain_setup(setup)]
        case CursorAt(number):
            return ["at", number]
        case ClockReading(black, white, running):
            return ["clock", *([left.seconds, left.periods, left.in_byoyomi] for left in (black, white)), running]
        case LiveNode(number):
            return ["front", number]
        case SavedView():
            # Earlier versions ignore what is in the last place, which once held the margin.
            return ["view", entry.x, entry.y, *entry.cell, entry.point, entry.home or None]
        case Ended(number, ending, resumed):
            return ["end", number, resumed, *_plain_ending(ending)]
        case Properties(number, properties):
            return ["properties", number, properties]
        case Deleted(number):
            return ["delete", number]
        case Promoted(number):
            return ["promote", number]
        case About(info, komi):
            return ["about", komi, {name: value for name, value in asdict(info).items() if value != _DEFAULTS[name]}]
        case Seats(black, white, resigns):
            # The old form, before computers could be told never to resign, is used if they may.
            return ["players", black, white] if resigns else ["players", black, white, resigns]
        case Helped():
            return ["helped"]
        case FiledAs(name):
            return ["filed", name]
        case RecordFiled(digest):
            return ["record", digest]
        case Begin():
            time = entry.time
            control = None if time is None else [time.main, time.periods, time.period, time.increment]
            root = None if entry.root is None else _plain_setup(entry.root)
            plain = ["daoqi", FORMAT, entry.size, entry.komi, entry.handicap, entry.created, control, root]
            # Games with Daoqi's rules are written in the old form, before there were others.
            return plain if entry.rules == DAOQI else [*plain, str(entry.rules)]
    raise TypeError(f"an entry is wanted, not {entry!r}")


def _plain_setup(setup: Setup) -> list[Any]:
    return [f"{setup.black:x}", f"{setup.white:x}", f"{setup.empty:x}", setup.to_move]


def _plain_ending(ending: Ending | None) -> list[Any]:
    match ending:
        case TwoPasses(dead):
            return ["dead", sorted(dead)]
        case Resignation(loser):
            return ["resigned", loser]
        case OutOfTime(loser):
            return ["time", loser]
    return []


def _whole(value: object, low: int = 0, high: int = 1 << 53) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"a whole number from {low} to {high} is wanted")
    return value


def _number(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError("a number is wanted")
    return value


def _komi(value: object) -> float:
    if abs(komi := _number(value)) > LARGEST_KOMI:
        raise ValueError(f"komi is at most {LARGEST_KOMI} points")
    return komi


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("text is wanted")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false is wanted")
    return value


def _colour(value: object) -> Colour:
    return _whole(value, BLACK, WHITE)


def _setup(values: _Values) -> Setup:
    *masks, to_move = values
    black, white, empty = (_whole(int(_text(mask), 16), 0, (2 << _LAST) - 1) for mask in masks)
    return Setup(black, white, empty, _colour(to_move))


def _begin(values: _Values) -> Begin:
    version, *rest = values
    if _whole(version) != FORMAT:
        raise UnknownFormat(
            Message("the journal has format {format}; this version reads format {known}", format=version, known=FORMAT)
        )
    size, komi, handicap, created, control, root, *named = rest
    rules = DAOQI
    if named:
        (text,) = named
        rules = parse_rules(_text(text))
    time = None
    if control is not None:
        main, periods, period, increment = control
        time = TimeControl(_number(main), _whole(periods), _number(period), _number(increment))
    setup = None if root is None else _setup(root)
    return Begin(_whole(size, SMALLEST, LARGEST), _komi(komi), _whole(handicap), _text(created), time, setup, rules)


def _about(values: _Values) -> About:
    komi, info = values
    known = {name: _text(value) for name, value in info.items() if name in _TEXTS}
    return About(Info(handicap=_whole(info.get("handicap", 0)), **known), _komi(komi))


def _players(values: _Values) -> Seats:
    black, white, *resigns = values
    return Seats(_text(black), _text(white), resigns != [False])


def _move(values: _Values) -> Added:
    number, parent, colour, point = values
    return Added(_whole(number, 1), _whole(parent), move_of(_colour(colour), _whole(point, PASS, _LAST)))


def _laid_out(values: _Values) -> Added:
    number, parent, *setup = values
    return Added(_whole(number, 1), _whole(parent), _setup(setup))


def _ended(values: _Values) -> Ended:
    number, resumed, *how = values
    ending: Ending | None = None
    if how:
        kind, value = how
        if kind == "dead":
            ending = TwoPasses(frozenset(_whole(point, 0, _LAST) for point in value))
        elif kind == "resigned":
            ending = Resignation(_colour(value))
        elif kind == "time":
            ending = OutOfTime(_colour(value))
        else:
            raise UnknownEntry(f"an ending of the unknown kind {kind!r:.40}")
    return Ended(_whole(number), ending, _flag(resumed))


def _properties(values: _Values) -> Properties:
    number, properties = values
    if properties is not None:
        properties = {_text(name): [_text(raw) for raw in texts] for name, texts in properties.items()}
    return Properties(_whole(number), properties)


def _clock(values: _Values) -> ClockReading:
    *players, running = values
    black, white = (
        TimeLeft(_number(seconds), _whole(periods), _flag(in_byoyomi)) for seconds, periods, in_byoyomi in players
    )
    return ClockReading(black, white, None if running is None else _colour(running))


def _view(values: _Values) -> SavedView:
    x, y, width, height, point, home = values
    return SavedView(
        _whole(x, -(1 << 31), 1 << 31),
        _whole(y, -(1 << 31), 1 << 31),
        (_whole(width, 1, 99), _whole(height, 1, 99)),
        None if point is None else _whole(point, 0, _LAST),
        home is True,
    )


def _only(values: _Values, low: int = 0) -> int:
    (number,) = values
    return _whole(number, low)


def _helped(values: _Values) -> Helped:
    if values:
        raise ValueError("nothing more is wanted")
    return Helped()


def _filed(values: _Values) -> FiledAs:
    (name,) = values
    if not _text(name).endswith(".sgf") or any(sign in name for sign in "/\\\0"):
        raise ValueError("the name of a record is wanted")
    return FiledAs(name)


def _record_filed(values: _Values) -> RecordFiled:
    (digest,) = values
    return RecordFiled(_text(digest))


_READERS: Final[dict[str, Callable[[_Values], JournalEntry]]] = {
    "daoqi": _begin,
    "about": _about,
    "players": _players,
    "move": _move,
    "setup": _laid_out,
    "at": lambda values: CursorAt(_only(values)),
    "end": _ended,
    "properties": _properties,
    "delete": lambda values: Deleted(_only(values, 1)),
    "promote": lambda values: Promoted(_only(values)),
    "clock": _clock,
    "front": lambda values: LiveNode(_only(values)),
    "view": _view,
    "helped": _helped,
    "filed": _filed,
    "record": _record_filed,
}
