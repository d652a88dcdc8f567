"""Comments, labels, marks and evaluations of a node, read from and written into its properties; points in SGF."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, Node, torus_of
from daoqi_tui.message import Message
from daoqi_tui.record.text import decode, decode_line, encode, encode_line

_SPACE = re.compile(r"\s+")
_SETUP: Final = (("AE", 0), ("AB", 1), ("AW", 2))


class PointError(ValueError):
    """A value that is not a point of the board; the message says what would be."""


@lru_cache(maxsize=32)
def moves_of(size: int) -> dict[str, int]:
    """Return all moves by their usual spelling: lower-case points, ``[]`` and, up to 19×19, ``[tt]`` for a pass."""
    torus = torus_of(size)
    known = {torus.name(point, "sgf"): point for point in range(torus.points)}
    known[""] = PASS
    if size <= 19:
        known["tt"] = PASS
    return known


@lru_cache(maxsize=32)
def plays_of(size: int) -> dict[str, tuple[Colour, int]]:
    """Return colour and point of all moves by their usual spelling as properties, such as ``B[aa]``."""
    sides = (("B", BLACK), ("W", WHITE))
    return {f"{name}[{raw}]": (colour, point) for name, colour in sides for raw, point in moves_of(size).items()}


@lru_cache(maxsize=32)
def names_of(size: int) -> tuple[str, ...]:
    """Return the name of each point; the last, at index :data:`~daoqi_tui.engine.PASS`, is the empty name of a pass."""
    torus = torus_of(size)
    return (*(torus.name(point, "sgf") for point in range(torus.points)), "")


def point_of(raw: str, size: int) -> int:
    """Parse a raw value to a point or :data:`~daoqi_tui.engine.PASS`, ignoring case and white space.

    Raises:
        PointError: it is not a point of this board.
    """
    known = moves_of(size)
    point = known.get(raw)
    if point is None:
        word = _SPACE.sub("", raw[:50]).lower()
        point = PASS if word == "pass" else known.get(word)
    if point is None:
        shown = raw if len(raw) <= 12 else raw[:12] + "…"
        last = chr(ord("a") + size - 1)
        raise PointError(
            Message(
                "[{text}] is not a point of a {size}×{size} board: two letters from a to {last}",
                text=shown,
                size=size,
                last=last,
            )
        )
    return point


@lru_cache(maxsize=4096)
def rectangle(raw: str, size: int) -> int:
    """Return the mask of a point ``aa`` or a rectangle ``aa:cc``, given by any two opposite corners.

    Raises:
        PointError: a corner is not a point of the board.
    """
    start, colon, end = raw.partition(":")
    first = point_of(start, size)
    last = point_of(end, size) if colon else first
    if PASS in (first, last):
        raise PointError(Message("[{text}] is not a point where stones can be added or removed", text=raw[:12]))
    top, bottom = sorted((first // size, last // size))
    left, right = sorted((first % size, last % size))
    row = ((1 << (right - left + 1)) - 1) << left
    # Rows repeat every ``size`` bits: the number 1 + 2**size + 2**2size … has one bit for each row wanted.
    rows = ((1 << (size * (bottom - top + 1))) - 1) // ((1 << size) - 1)
    return (row * rows) << (top * size)


def masks_of(properties: dict[str, list[str]], size: int) -> tuple[int, int, int]:
    """Return the masks of the points that AE, AB and AW name; if they contradict each other, the later counts.

    What names no points is ignored.
    """
    masks = [0, 0, 0]
    order = {name: place for place, name in enumerate(properties)}
    for name, colour in sorted(_SETUP, key=lambda pair: order.get(pair[0], 0)):
        mask = 0
        for raw in properties.get(name, ()):
            with suppress(PointError):
                mask |= rectangle(raw, size)
        masks = [other & ~mask for other in masks]
        masks[colour] = mask
    return masks[0], masks[1], masks[2]


def values_of(mask: int, size: int) -> list[str]:
    """Return raw values that list the points of a mask one by one, which every program can read."""
    names = names_of(size)
    return [names[point] for point in torus_of(size).points_in(mask)]


COLOURS: Final = {"B": BLACK, "W": WHITE}
LETTER_OF: Final = {colour: letter for letter, colour in COLOURS.items()}
"""The letters of the colours: the properties of their moves, and the values of PL."""

Mark: TypeAlias = Literal["triangle", "square", "circle", "cross"]
MARKS: Final[dict[Mark, str]] = {"triangle": "TR", "square": "SQ", "circle": "CR", "cross": "MA"}

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOST_VALUES: Final = 4096
"""Marks or labels of one kind in a node that are looked at, each time it is drawn. The largest board has 625 points."""


def _values(node: Node, name: str) -> list[str]:
    values: list[str] = (node.properties or {}).get(name, [])
    return values


def _set(node: Node, name: str, values: list[str]) -> None:
    properties = {key: old for key, old in (node.properties or {}).items() if key != name}
    if values:
        properties[name] = values
    node.properties = properties or None


def comment(node: Node) -> str:
    """Return the comment of a node, unescaped; show it through :func:`~daoqi_tui.record.text.plain`."""
    return "\n".join(decode(raw) for raw in _values(node, "C"))


def set_comment(node: Node, text: str) -> None:
    _set(node, "C", [encode(text)] if text else [])


def labels(node: Node, size: int) -> dict[int, str]:
    """Return the labels by point; values that name no point are ignored (and kept in the record)."""
    found: dict[int, str] = {}
    for raw in _values(node, "LB")[:_MOST_VALUES]:
        name, colon, text = raw.partition(":")
        try:
            point = point_of(name, size)
        except PointError:
            continue
        if colon and point != PASS:
            found[point] = decode_line(text)
    # The letters of FF[3], a b c … on the points listed.
    letters = [point for point in _listed(node, "L", size) if point not in found]
    return found | {point: chr(ord("a") + place) for place, point in enumerate(letters[:26])}


def set_label(node: Node, point: int, text: str, size: int) -> None:
    """Replace the label on a point; an empty text removes it."""
    name = names_of(size)[point]
    if _values(node, "L"):
        # The letters of FF[3] depend on their position in the list, so none can be changed alone.
        before = labels(node, size)
        _set(node, "L", [])
        letters = before.items() - labels(node, size).items()
        _set(node, "LB", [*_values(node, "LB"), *(f"{names_of(size)[at]}:{letter}" for at, letter in sorted(letters))])
    others = [raw for raw in _values(node, "LB") if raw.partition(":")[0].strip().lower() != name]
    _set(node, "LB", [*others, f"{name}:{encode_line(text)}"] if text.strip() else others)


def marks(node: Node, size: int) -> dict[int, Mark]:
    """Return the marks by point; SGF allows one on each."""
    return {point: mark for mark, name in MARKS.items() for point in _listed(node, name, size)}


def set_mark(node: Node, point: int, mark: Mark | None, size: int) -> None:
    """Replace the mark on a point; None removes it."""
    for kind, name in MARKS.items():
        points = _listed(node, name, size)
        if kind == mark and point not in points:
            points.append(point)
        elif kind != mark and point in points:
            points.remove(point)
        else:
            continue
        _set(node, name, [names_of(size)[marked] for marked in points])


def next_mark(node: Node, point: int, size: int) -> Mark | None:
    """Replace the mark on a point by the next kind, or remove the last kind; return the new mark."""
    kinds: list[Mark | None] = [None, *MARKS]
    mark = kinds[(kinds.index(marks(node, size).get(point)) + 1) % len(kinds)]
    set_mark(node, point, mark, size)
    return mark


def toggle_letter(node: Node, point: int, size: int) -> str:
    """Remove the label of a point, or add the first free letter; return the letter, empty after a removal."""
    used = labels(node, size)
    if point in used:
        set_label(node, point, "", size)
        return ""
    letter = next((letter for letter in _LETTERS if letter not in used.values()), "*")
    set_label(node, point, letter, size)
    return letter


LinkKind: TypeAlias = Literal["arrow", "line"]
LINKS: Final[dict[LinkKind, str]] = {"arrow": "AR", "line": "LN"}


class Link(NamedTuple):
    """An arrow or a line from a point to another; an arrow ends there."""

    kind: LinkKind
    start: int
    end: int


def links(node: Node, size: int) -> tuple[Link, ...]:
    """Return the arrows and the lines; values that name no two points are ignored (and kept in the record)."""
    return tuple(
        found
        for kind, name in LINKS.items()
        for raw in _values(node, name)[:_MOST_VALUES]
        if (found := _link(kind, raw, size)) is not None
    )


def _link(kind: LinkKind, raw: str, size: int) -> Link | None:
    start, _colon, end = raw.partition(":")
    try:
        found = Link(kind, point_of(start, size), point_of(end, size))
    except PointError:
        return None
    return None if PASS in found or found.start == found.end else found


def toggle_link(node: Node, link: Link, size: int) -> bool:
    """Add an arrow or a line, or remove it if it is there, a line in either direction; return whether it is now."""
    names, name = names_of(size), LINKS[link.kind]
    same = {link, link._replace(start=link.end, end=link.start)} if link.kind == "line" else {link}
    before = _values(node, name)
    others = [raw for raw in before if _link(link.kind, raw, size) not in same]
    added = len(others) == len(before)
    _set(node, name, [*others, f"{names[link.start]}:{names[link.end]}"] if added else others)
    return added


Annotation: TypeAlias = Literal[
    "good move",
    "very good move",
    "bad move",
    "very bad move",
    "doubtful move",
    "interesting move",
    "hotspot",
    "even",
    "good for Black",
    "good for White",
    "unclear",
]
ANNOTATIONS: Final[dict[Annotation, tuple[str, str, str]]] = {
    "good move": ("TE", "1", "!"),
    "very good move": ("TE", "2", "!!"),
    "bad move": ("BM", "1", "?"),
    "very bad move": ("BM", "2", "??"),
    "doubtful move": ("DO", "", "?!"),
    "interesting move": ("IT", "", "!?"),
    "hotspot": ("HO", "1", "*"),
    "even": ("DM", "1", "="),
    "good for Black": ("GB", "1", "+B"),
    "good for White": ("GW", "1", "+W"),
    "unclear": ("UC", "1", "~"),
}
"""The SGF property of each annotation, its value, and a sign for lists of moves."""
_EXCLUSIVE: Final = (("TE", "BM", "DO", "IT"), ("DM", "GB", "GW", "UC"), ("HO",))
"""Those of the move and those of the position: a node has at most one of each."""


def annotations_of(node: Node) -> list[Annotation]:
    """Return the annotations of the move and of the position; only good and bad moves are told from very good ones."""
    found: list[Annotation] = []
    for annotation, (name, value, _sign) in ANNOTATIONS.items():
        values = _values(node, name)
        if values and (name not in ("TE", "BM") or (values[0].strip() == "2") == (value == "2")):
            found.append(annotation)
    return found


def move_sign(node: Node) -> str:
    """Return the sign for how good the move is, such as ``!?``; empty without one."""
    signs = (ANNOTATIONS[each][2] for each in annotations_of(node) if ANNOTATIONS[each][0] in _EXCLUSIVE[0])
    return next(signs, "")


def toggle_annotation(node: Node, annotation: Annotation) -> None:
    """Add an annotation, in place of another of the move or of the position, or remove it if it is there."""
    name, value, _sign = ANNOTATIONS[annotation]
    there = annotation in annotations_of(node)
    for other in next(group for group in _EXCLUSIVE if name in group):
        _set(node, other, [])
    if not there:
        _set(node, name, [value])


class RecordedEvaluation(NamedTuple):
    """The evaluation of a position in a record.

    Attributes:
        black: Black's win rate, 0 to 1.
        lead: the score lead, Black's points minus White's; None if the record does not say.
        visits: the number of evaluations; 0 if the record does not say.
        source: the evaluator, empty if the record does not say.
        engine_id: tells engines of one name apart, empty if the record does not say.
    """

    black: float
    lead: float | None = None
    visits: int = 0
    source: str = ""
    engine_id: str = ""


_WIN_RATE: Final = "SBKV"
_LEAD: Final = "SBKS"
"""Sabaki's properties: Black's win rate in per cent, and Black's score lead."""
_SOURCE: Final = "DQEV"
"""Our own property: the evaluator, a colon, and the visits; for an engine a second value, its id."""
BETTER: Final = "DQPV"
"""Our own property: the moves that a review would have played from that of a node on, one a value."""
_LONGEST_LINE: Final = 100
_ENGINE_ID: Final = re.compile(r"[0-9a-f]{8}")
_FARTHEST_LEAD: Final = 2000.0
_MOST_VISITS: Final = 10**12
_LONGEST_SOURCE: Final = 60


def evaluation(node: Node) -> RecordedEvaluation | None:
    """Return the evaluation in the record, None if there is no readable one."""
    black = _number(node, _WIN_RATE, 0.0, 100.0)
    if black is None:
        return None
    lead = _number(node, _LEAD, -_FARTHEST_LEAD, _FARTHEST_LEAD)
    raw, engine_id = [*_values(node, _SOURCE), "", ""][:2]
    source, _colon, count = raw.rpartition(":")
    visits = int(count) if count.isascii() and count.isdecimal() and len(count) <= len(str(_MOST_VISITS)) else 0
    if not visits:
        return RecordedEvaluation(black / 100, lead)
    known_id = engine_id if _ENGINE_ID.fullmatch(engine_id) else ""
    return RecordedEvaluation(black / 100, lead, visits, decode_line(source)[:_LONGEST_SOURCE], known_id)


def set_evaluation(node: Node, value: RecordedEvaluation | None) -> None:
    lead = None if value is None else value.lead
    _set(node, _WIN_RATE, [] if value is None else [f"{100 * value.black:.2f}"])
    _set(node, _LEAD, [] if lead is None else [f"{lead:.2f}"])
    known: list[str] = []
    if value is not None and value.source and value.visits:
        known = [f"{encode_line(value.source)}:{value.visits}", *filter(None, (value.engine_id,))]
    _set(node, _SOURCE, known)


def better_line(node: Node, size: int) -> tuple[int, ...]:
    """Return the moves that a review would have played from that of a node on, as far as they can be read."""
    line: list[int] = []
    with suppress(PointError):
        line.extend(point_of(raw, size) for raw in _values(node, BETTER)[:_LONGEST_LINE])
    return tuple(line)


def set_better_line(node: Node, line: Sequence[int], size: int) -> None:
    names = names_of(size)
    _set(node, BETTER, [names[move] for move in line])


def _number(node: Node, name: str, least: float, most: float) -> float | None:
    """Return the number in a property, None if there is none in the range."""
    try:
        number = float(next(iter(_values(node, name)), "")[:40])
    except ValueError:
        return None
    return number if math.isfinite(number) and least <= number <= most else None


def _listed(node: Node, name: str, size: int) -> list[int]:
    """Return the points of a list property in order, rectangles expanded."""
    torus = torus_of(size)
    points: list[int] = []
    seen = 0
    for raw in _values(node, name)[:_MOST_VALUES]:
        try:
            mask = rectangle(raw, size)
        except PointError:
            continue
        points += torus.points_in(mask & ~seen)
        seen |= mask
    return points
