"""Entries of a journal as JSON and back, with everything checked that comes from a file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any, Final, TypeAlias

from daoqi_tui.engine import (
    BLACK,
    LARGEST,
    PASS,
    SMALLEST,
    WHITE,
    Colour,
    Ending,
    Move,
    OutOfTime,
    Resignation,
    Setup,
    TwoPasses,
)
from daoqi_tui.engine.clock import TimeControl, TimeLeft
from daoqi_tui.engine.node import move_of
from daoqi_tui.record.info import Info
from daoqi_tui.record.journal_entries import (
    About,
    Added,
    At,
    Begin,
    ClockReading,
    Deleted,
    Ended,
    Entry,
    Filed,
    Front,
    Players,
    Promoted,
    Properties,
    View,
)

FORMAT: Final = 1
_LAST: Final = LARGEST * LARGEST - 1
_Values: TypeAlias = list[Any]


class UnknownEntry(ValueError):
    """An entry of a kind this version does not know."""


def encode_entry(entry: Entry) -> bytes:
    """The JSON of an entry, ASCII on one line."""
    return json.dumps(_plain(entry), separators=(",", ":")).encode("ascii")


def _plain(entry: Entry) -> list[Any]:
    match entry:
        case Added(number, parent, Move(colour, point)):
            return ["move", number, parent, colour, point]
        case Added(number, parent, Setup() as setup):
            return ["setup", number, parent, *_plain_setup(setup)]
        case At(number):
            return ["at", number]
        case ClockReading(black, white, running):
            return ["clock", *([left.seconds, left.periods, left.in_byoyomi] for left in (black, white)), running]
        case Front(number):
            return ["front", number]
        case View():
            return ["view", entry.x, entry.y, *entry.cell, entry.point, entry.margin]
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
        case Players(black, white, resigns):
            # As it was written before computers could be told never to resign, where they may.
            return ["players", black, white] if resigns else ["players", black, white, resigns]
        case Filed(name):
            return ["filed", name]
        case Begin():
            time = entry.time
            control = None if time is None else [time.main, time.periods, time.period, time.increment]
            root = None if entry.root is None else _plain_setup(entry.root)
            return ["daoqi", FORMAT, entry.size, entry.komi, entry.handicap, entry.created, control, root]
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


_DEFAULTS: Final = asdict(Info())
_TEXTS: Final = {field.name for field in fields(Info)} - {"handicap"}


def decode_entry(data: bytes) -> Entry:
    """The entry that :func:`encode_entry` wrote.

    Raises:
        UnknownEntry: it is of a kind that only a later version knows.
        ValueError: it is none.
    """
    try:
        kind, *values = json.loads(data)
        read = _READERS.get(kind)
        if read is None:
            raise UnknownEntry(f"an entry of the unknown kind {kind!r:.40}")
        return read(values)
    except (TypeError, AttributeError, KeyError, OverflowError, RecursionError) as error:
        raise ValueError(f"not an entry of a journal: {error}") from None


def _whole(value: object, low: int = 0, high: int = 1 << 53) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"a whole number from {low} to {high} is wanted")
    return value


def _number(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError("a number is wanted")
    return value


def _komi(value: object) -> float:
    if abs(komi := _number(value)) > 1000:
        raise ValueError("komi is at most 1000 points")
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
        raise UnknownEntry(f"a journal of format {version}; this version reads format {FORMAT}")
    size, komi, handicap, created, control, root = rest
    time = None
    if control is not None:
        main, periods, period, increment = control
        time = TimeControl(_number(main), _whole(periods), _number(period), _number(increment))
    setup = None if root is None else _setup(root)
    return Begin(_whole(size, SMALLEST, LARGEST), _komi(komi), _whole(handicap), _text(created), time, setup)


def _about(values: _Values) -> About:
    komi, info = values
    known = {name: _text(value) for name, value in info.items() if name in _TEXTS}
    return About(Info(handicap=_whole(info.get("handicap", 0)), **known), _komi(komi))


def _players(values: _Values) -> Players:
    black, white, *resigns = values
    return Players(_text(black), _text(white), resigns != [False])


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


def _view(values: _Values) -> View:
    x, y, width, height, point, margin = values
    return View(
        _whole(x, -(1 << 31), 1 << 31),
        _whole(y, -(1 << 31), 1 << 31),
        (_whole(width, 1, 99), _whole(height, 1, 99)),
        None if point is None else _whole(point, 0, _LAST),
        None if margin is None else _whole(margin, 0, 999),
    )


def _only(values: _Values, low: int = 0) -> int:
    (number,) = values
    return _whole(number, low)


def _filed(values: _Values) -> Filed:
    (name,) = values
    if not _text(name).endswith(".sgf") or any(sign in name for sign in "/\\\0"):
        raise ValueError("the name of a record is wanted")
    return Filed(name)


_READERS: Final[dict[str, Callable[[_Values], Entry]]] = {
    "daoqi": _begin,
    "about": _about,
    "players": _players,
    "move": _move,
    "setup": _laid_out,
    "at": lambda values: At(_only(values)),
    "end": _ended,
    "properties": _properties,
    "delete": lambda values: Deleted(_only(values, 1)),
    "promote": lambda values: Promoted(_only(values)),
    "clock": _clock,
    "front": lambda values: Front(_only(values)),
    "view": _view,
    "filed": _filed,
}
