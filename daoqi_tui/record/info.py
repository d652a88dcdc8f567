"""What a record says about a game as a whole: players, date, result and the rest of the root node."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from typing import Final

from daoqi_tui.record.text import decode, decode_line, encode, encode_line, safe


@dataclass(frozen=True, slots=True)
class Info:
    """The game information of a record, as text for people; empty where nothing is said.

    Attributes:
        handicap: the number of handicap stones, 0 for none.
        time: main time in seconds, as SGF has it; ``overtime`` in words.
        result: ``B+3.5``, ``W+0``, ``W+R``, ``Void`` … or whatever the record says.
    """

    black: str = ""
    white: str = ""
    black_rank: str = ""
    white_rank: str = ""
    black_team: str = ""
    white_team: str = ""
    date: str = ""
    result: str = ""
    name: str = ""
    event: str = ""
    round: str = ""
    place: str = ""
    handicap: int = 0
    rules: str = "Chinese"
    time: str = ""
    overtime: str = ""
    opening: str = ""
    comment: str = ""
    annotator: str = ""
    source: str = ""
    user: str = ""
    copyright: str = ""


_PROPERTY: Final = {
    "handicap": "HA",
    "rules": "RU",
    "black": "PB",
    "black_rank": "BR",
    "black_team": "BT",
    "white": "PW",
    "white_rank": "WR",
    "white_team": "WT",
    "date": "DT",
    "result": "RE",
    "name": "GN",
    "event": "EV",
    "round": "RO",
    "place": "PC",
    "time": "TM",
    "overtime": "OT",
    "opening": "ON",
    "comment": "GC",
    "annotator": "AN",
    "source": "SO",
    "user": "US",
    "copyright": "CP",
}
INFO_PROPERTIES: Final = frozenset(_PROPERTY.values())
assert {field.name for field in fields(Info)} == set(_PROPERTY)


def read_info(properties: dict[str, list[str]]) -> Info:
    """The information in the properties of a root node."""
    found: dict[str, str] = {}
    for field, name in _PROPERTY.items():
        raw = properties.get(name)
        if raw:
            found[field] = decode(raw[0]) if field == "comment" else decode_line(raw[0])
    handicap = _whole(found.pop("handicap", ""))
    if not found.get("rules", "x"):
        found["rules"] = ""
    return Info(handicap=handicap, **found)


def info_properties(info: Info, properties: dict[str, list[str]]) -> dict[str, list[str]]:
    """The properties that write ``info`` into a root node that was read with ``properties``.

    A property that still says what the info says is written back exactly as it was.
    """
    was = read_info(properties)
    written: dict[str, list[str]] = {}
    for field, name in _PROPERTY.items():
        value = getattr(info, field)
        if name in properties and value == getattr(was, field):
            written[name] = properties[name]
        elif value:
            written[name] = [encode(value) if field == "comment" else encode_line(str(value))]
    return {name: [safe(raw) for raw in values] for name, values in written.items()}


def _whole(text: str) -> int:
    """A number of handicap stones; what is none counts as 0."""
    return int(text) if re.fullmatch(r"[0-9]{1,3}", text) else 0


_FRACTIONS: Final = {"½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3"}
_KOMI = re.compile(
    r"(?P<sign>[+-])?\s*(?:(?P<whole>\d{1,9})(?:[.,](?P<decimals>\d{0,12}))?)??\s*(?:(?P<over>\d{1,4})/(?P<under>\d{1,4}))?"
    r"(?:\s*(?:目|子|points?|pts?))?",
    re.ASCII | re.IGNORECASE,
)


def parse_komi(text: str) -> float | None:
    """A number of points as records write it, None when it is none or out of all range.

    >>> [parse_komi(text) for text in ("3 3/4", "2.75", "6,5", "3¾", "-1/2", "many")]
    [3.75, 2.75, 6.5, 3.75, -0.5, None]
    """
    for sign, fraction in _FRACTIONS.items():
        text = text.replace(sign, fraction)
    found = _KOMI.fullmatch(text.strip())
    if found is None or (found["whole"] is None and found["over"] is None):
        return None
    if found["over"] is not None and not int(found["under"]):
        return None
    komi = float(f"{found['whole'] or 0}.{found['decimals'] or 0}")
    if found["over"] is not None:
        komi += int(found["over"]) / int(found["under"])
    komi = -komi if found["sign"] == "-" else komi
    return komi if abs(komi) <= 1000 else None


def komi_text(komi: float) -> str:
    """A number of points for a record: ``4``, ``3.75``, never with an exponent."""
    if not math.isfinite(komi):
        raise ValueError(f"komi {komi} is not a number of points")
    text = f"{komi:.9f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
