"""The grammar of SGF: from text to a tree of raw nodes, losing nothing.

A raw node is its properties, name to raw values (escapes still in them), in the order of the file. What the
properties mean is not known here. The reader forgives what it can: text around the games, a missing ``)``, the
lower-case letters of FF[1] to FF[3] (``AddBlack`` is AB).

One regular expression cuts the text into tokens. Each alternative is possessive and the last ones match
anything, so that every token starts where the one before it ended: the time is linear in the text whatever it
is, and no nesting is too deep, since there is no recursion.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from daoqi_tui.record.encoding import decode_bytes
from daoqi_tui.record.problem import MOST_PROBLEMS, Problem, SgfError
from daoqi_tui.record.text import plain_line

MOST_BYTES: Final = 16 * 1024 * 1024
MOST_NODES: Final = 200_000
"""What one file may hold; the largest collections of openings have about half of it."""
_MOST_JUNK: Final = 5_000
"""Tokens that belong nowhere before a file counts as no record at all."""

_VALUE_TEXT = r"[^\]\\]*+(?:\\.[^\]\\]*+)*+"
_TOKEN = re.compile(
    rf"""\s*+(?:
      (?:(;)\s*+)?([A-Za-z][A-Za-z0-9_]*+)\s*+\[({_VALUE_TEXT})\]\s*+((?:\[{_VALUE_TEXT}\]\s*+)*+)  # a property
    | ([;()])
    | ([A-Za-z0-9_]++)          # a name without a value
    | (\[{_VALUE_TEXT}(\])?+)   # a value without a name, or one that never ends
    | ([^\s;()\[A-Za-z0-9_]++)
    | \Z)""",
    re.DOTALL | re.VERBOSE,
)
_MORE_VALUES = re.compile(rf"\[({_VALUE_TEXT})\]", re.DOTALL)
_START = re.compile(r"\(\s*+;")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_LOWER = dict.fromkeys(range(ord("a"), ord("z") + 1))


class RawNode:
    """A node as the file has it.

    Attributes:
        properties: raw values by name, in the order of the file; a name given twice has all values in one list.
        children: the nodes that follow, the main continuation first.
        at: where the node stands in the text, an index.
    """

    __slots__ = ("at", "children", "properties")

    def __init__(self, at: int = 0) -> None:
        self.properties: dict[str, list[str]] = {}
        self.children: list[RawNode] = []
        self.at = at

    def __repr__(self) -> str:
        inside = "".join(name + "".join(f"[{raw}]" for raw in values) for name, values in self.properties.items())
        return f"<RawNode ;{inside} ({len(self.children)} children)>"


@dataclass
class Collection:
    """All games of a file, and what was wrong with it.

    Attributes:
        roots: one or more.
        text: the text, in which :attr:`RawNode.at` is an index.
        problems: at most :data:`MOST_PROBLEMS`.
        more_problems: how many there were beyond those.
    """

    text: str
    roots: list[RawNode] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    more_problems: int = 0

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_BREAK.finditer(self.text))]

    def place(self, at: int) -> tuple[int, int]:
        """``(line, column)`` of an index into the text, both from 1."""
        line = bisect_right(self._line_starts, at)
        return line, at - self._line_starts[line - 1] + 1

    def report(self, at: int, message: str) -> None:
        """Note a problem at an index of the text."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(*self.place(at), plain_line(message)))
        else:
            self.more_problems += 1

    def error(self, at: int, message: str) -> SgfError:
        """An error at an index of the text, to be raised."""
        return SgfError(message, *self.place(at))


def parse(data: bytes) -> Collection:
    """Read the bytes of an SGF file.

    Raises:
        SgfError: there is no game in it, or it is larger than :data:`MOST_BYTES` or :data:`MOST_NODES`.
        TypeError: these are no bytes, as where a path was meant.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"a record is bytes, or a pathlib.Path to its file; not {type(data).__name__}")
    if len(data) > MOST_BYTES:
        raise SgfError(f"the file is larger than {MOST_BYTES // 2**20} MB, the most that is read; split it")
    text, complaint = decode_bytes(data)
    collection = Collection(text)
    if complaint:
        collection.problems.append(Problem(0, 0, complaint))
    start = _START.search(text)
    if start is None:
        empty = "the file is empty; a game record starts with '(;'"
        raise collection.error(0, "this is not an SGF file: no game starts with '(;'" if text.strip() else empty)
    _read(collection, start.start())
    if not any(root.properties or root.children for root in collection.roots):
        raise collection.error(start.start(), "this is not an SGF file: no property follows '(;'")
    return collection


def _read(collection: Collection, start: int) -> None:
    """Build the trees from the tokens of the text from ``start`` on."""
    text = collection.text
    node: RawNode | None = None
    waiting: list[RawNode | None] = []
    opened: list[int] = []
    room = MOST_NODES

    def add(at: int) -> RawNode:
        nonlocal room
        room -= 1
        if room < 0:
            raise collection.error(at, f"there are more than {MOST_NODES} nodes, the most that is read; split the file")
        fresh = RawNode(at)
        if node is None:
            collection.roots.append(fresh)
        else:
            node.children.append(fresh)
        return fresh

    for token in _TOKEN.finditer(text, start):
        semicolon, name, first, more, sign = token.group(1, 2, 3, 4, 5)
        if name is not None:
            if semicolon and waiting:
                node = add(token.start(1))
            if node is None or not waiting:
                continue
            if not name.isupper():
                name = name.translate(_LOWER) or name.upper()
            if name in node.properties:
                node.properties[name].append(first)
            else:
                node.properties[name] = [first]
            if more:
                node.properties[name] += _MORE_VALUES.findall(more)
        elif sign == ";":
            if waiting:
                node = add(token.start(5))
        elif sign == "(":
            if len(waiting) >= MOST_NODES:
                raise collection.error(token.start(5), f"more than {MOST_NODES} '(' are open at once")
            waiting.append(node)
            opened.append(token.start(5))
        elif sign == ")":
            if waiting:
                node = waiting.pop()
                opened.pop()
        elif waiting and node is not None:
            _complain(collection, token)
    if opened:
        line, column = collection.place(opened[-1])
        place = f"the '(' at line {line}, column {column} is never closed"
        collection.report(len(text), f"the file is cut off: {place}; read up to there")


def _complain(collection: Collection, token: re.Match[str]) -> None:
    """Report a token that belongs nowhere; the text between games is not looked at."""
    if collection.more_problems > _MOST_JUNK:
        raise collection.error(
            token.end(), f"this is not an SGF file: over {_MOST_JUNK} things up to here make no sense"
        )
    bare, value, closed, other = token.group(6, 7, 8, 9)
    if bare is not None:
        collection.report(token.start(6), f"{_short(bare)} has no value in brackets; skipped")
    elif value is not None and closed is None:
        collection.report(token.start(7), "the bracket opened here is never closed; what follows was skipped")
    elif value is not None:
        collection.report(token.start(7), "a value without a property name; skipped")
    elif other is not None:
        collection.report(token.start(9), f"{_short(other)} belongs to no property; skipped")


def _short(text: str) -> str:
    """A piece of the file fit for a message."""
    text = text if len(text) <= 20 else text[:20] + "…"
    return repr(text) if text.isprintable() else ascii(text)
