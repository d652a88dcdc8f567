"""SGF: parsing, building games, writing, and the meaning of its properties.

Here the grammar is parsed into a tree of raw nodes, losslessly. A raw node is its properties, name to raw values (still
escaped), in the order of the file; their meaning is handled in the modules. The parser is lenient: text around the
games, a missing ``)``, a missing ``;`` after a ``(``, the lower-case letters of FF[1] to FF[3] (``AddBlack`` is AB).

One regular expression cuts the text into tokens. Each alternative is possessive and the last ones match
anything, so that every token starts where the previous one ended: the time is linear in the length of any text, and no
nesting is too deep, since there is no recursion.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from sys import getsizeof
from typing import Final

from daoqi_tui.message import Message
from daoqi_tui.record.text import MOST_PROBLEMS, SgfError, SgfProblem, decode_bytes
from daoqi_tui.text import plain_line

MOST_BYTES: Final = 16 * 1024 * 1024
MOST_MEMORY: Final = 600 * 2**20
"""The memory in bytes that the games of a file may take, by the estimates below, which are upper bounds: a node with a
move counts as 1.3 kB and takes 0.5 to 1.1. 100,000 variations of four moves count as 523 MB and take 210."""
NODE_BYTES: Final = 1000
PROPERTY_BYTES: Final = 240
VALUE_BYTES: Final = 24
"""Besides the text of the value."""
_MOVE_BYTES: Final = NODE_BYTES + PROPERTY_BYTES + VALUE_BYTES + getsizeof("aa")
"""For a node of one move."""
_PARENTHESIS_BYTES: Final = 64
_MOST_JUNK: Final = 5_000
"""The number of misplaced tokens after which a file is rejected."""

_VALUE_TEXT = r"[^\]\\]*+(?:\\.[^\]\\]*+)*+"
_TOKEN = re.compile(
    rf"""\s*+(?:
      ((?:;[BW]\[[a-z]{{0,2}}\](?!\s*+\[)\s*+){{1,500}}+)  # nodes of one move each, the most of most files
    | (?:(;)\s*+)?([A-Za-z][A-Za-z0-9_]*+)\s*+\[({_VALUE_TEXT})\]\s*+((?:\[{_VALUE_TEXT}\]\s*+)*+)  # a property
    | ([;()])
    | ([A-Za-z0-9_]++)          # a name without a value
    | (\[{_VALUE_TEXT}(\])?+)   # a value without a name, or one that never ends
    | ([^\s;()\[A-Za-z0-9_]++)
    | \Z)""",
    re.DOTALL | re.VERBOSE,
)
_MORE_VALUES = re.compile(rf"\[({_VALUE_TEXT})\]", re.DOTALL)
_START = re.compile(r"\(\s*+(?:;|[A-Z]{1,2}\s*+\[)")
"""Matches the start of a game; some programs omit its first semicolon: ``(TE[…]PB[…];B[pd]``."""
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_LOWER = dict.fromkeys(range(ord("a"), ord("z") + 1))


class RawNode:
    """A node of the file, its values unparsed.

    Attributes:
        properties: raw values by name, in the order of the file; a name given twice has all values in one list.
        children: the nodes that follow, the main continuation first.
        at: the index of the node in the text.
    """

    __slots__ = ("_children", "_folded", "at", "properties")

    def __init__(self, at: int = 0) -> None:
        self.properties: dict[str, list[str]] = {}
        self._children: list[RawNode] = []
        self._folded: tuple[int, str] | None = None
        """Nodes of one move each between this one and its children: their place in the text, and they themselves."""
        self.at = at

    @property
    def children(self) -> list[RawNode]:
        if self._folded is not None:
            self._unfold(*self._folded)
        return self._children

    @children.setter
    def children(self, children: list[RawNode]) -> None:
        self._children, self._folded = children, None

    def ahead(self) -> tuple[list[str], list[RawNode]]:
        """Return what follows: first nodes of one move each, as moves such as ``B[aa]``, then these nodes.

        Most nodes of most records are such, and where only moves are asked for none has to be made.
        """
        moves = [] if self._folded is None else "".join(self._folded[1].split()).split(";")[1:]
        return moves, self._children

    def put_moves(self, text: str) -> RawNode:
        """Make this node and those after it of a text of nodes of one move each; return the last."""
        first, last = text.find(";", 1), text.rfind(";")
        self.properties = _move_in(text)
        if not last:
            return self
        end = RawNode(self.at + last)
        end.properties = _move_in(text[last:])
        self._children.append(end)
        if first < last:
            self._folded = self.at + first, text[first:last]
        return end

    def _unfold(self, at: int, text: str) -> None:
        after, self._folded = self._children, None
        node = self
        for move in text[1:].split(";"):
            following = RawNode(at)
            following.properties = _move_in(f";{move}")
            node.children = [following]
            node = following
            at += len(move) + 1
        node.children = after

    def __repr__(self) -> str:
        inside = "".join(name + "".join(f"[{raw}]" for raw in values) for name, values in self.properties.items())
        return f"<RawNode ;{inside} ({len(self.children)} children)>"


def _move_in(text: str) -> dict[str, list[str]]:
    return {text[1]: [text[3 : text.index("]")]]}


@dataclass
class Collection:
    """All games of a file, and the problems found in it.

    Attributes:
        roots: one or more.
        text: the text, in which :attr:`RawNode.at` is an index.
        encoding: the encoding it was read in.
        guessed: whether the encoding was guessed.
        format: of the games, such as ``SGF``.
        problems: at most :data:`MOST_PROBLEMS`.
        more_problems: the number of further ones.
    """

    text: str
    encoding: str = "UTF-8"
    guessed: bool = False
    format: str = "SGF"
    roots: list[RawNode] = field(default_factory=list)
    problems: list[SgfProblem] = field(default_factory=list)
    more_problems: int = 0

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_BREAK.finditer(self.text))]

    def place(self, at: int) -> tuple[int, int]:
        """Return ``(line, column)`` of an index into the text, both from 1."""
        line = bisect_right(self._line_starts, at)
        return line, at - self._line_starts[line - 1] + 1

    def report(self, at: int, message: Message) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(SgfProblem(*self.place(at), message.map_text(plain_line)))
        else:
            self.more_problems += 1

    def error(self, at: int, message: Message) -> SgfError:
        return SgfError(message, *self.place(at))

    def too_large(self, at: int) -> SgfError:
        """Return the error of a file whose games up to an index of the text take more than :data:`MOST_MEMORY`."""
        size = MOST_MEMORY // 2**20
        return self.error(
            at, Message("the games up to here take more memory than the limit of {size} MB; split the file", size=size)
        )


def decoded(data: bytes, encoding: str | None = None) -> Collection:
    """Return a collection without games yet, which has the text of a file.

    Raises:
        SgfError: the file is larger than :data:`MOST_BYTES`, or ``encoding`` is unknown.
        TypeError: the argument is not bytes, but for example a path.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"a record is bytes, or a pathlib.Path to its file; not {type(data).__name__}")
    if len(data) > MOST_BYTES:
        raise SgfError(Message("the file is larger than the limit of {size} MB; split it", size=MOST_BYTES // 2**20))
    text, encoding, guessed, complaint = decode_bytes(bytes(data), encoding)
    collection = Collection(text, encoding, guessed)
    if complaint:
        collection.problems.append(SgfProblem(0, 0, complaint.map_text(plain_line)))
    return collection


def has_game(text: str) -> bool:
    return _START.search(text) is not None


def read_games(collection: Collection) -> None:
    """Add the games in the text of a collection, which is SGF.

    Raises:
        SgfError: there is no game in it, or it would take more memory than :data:`MOST_MEMORY`.
    """
    text = collection.text
    start = _START.search(text)
    if start is None:
        if not text.strip():
            raise collection.error(0, Message("the file is empty"))
        raise collection.error(0, Message("this is not a game record: neither SGF, GIB, NGF nor UGF"))
    if not (_read(collection, start.start()) and any(root.properties or root.children for root in collection.roots)):
        raise collection.error(start.start(), Message("this is not an SGF file: no property follows '(;'"))


def _read(collection: Collection, start: int) -> bool:
    """Build the trees from the tokens of the text from ``start`` on; return whether a property is in them."""
    text = collection.text
    node: RawNode | None = None
    waiting: list[RawNode | None] = []
    opened: list[int] = []
    begins = False  # True if a node begins here, with or without a semicolon.
    is_game = False
    room = MOST_MEMORY

    def add(at: int) -> RawNode:
        nonlocal room
        room -= NODE_BYTES
        if room < 0:
            raise collection.too_large(at)
        fresh = RawNode(at)
        if node is None:
            collection.roots.append(fresh)
        else:
            node.children.append(fresh)
        return fresh

    for token in _TOKEN.finditer(text, start):
        plain, semicolon, name, first, more, sign = token.group(1, 2, 3, 4, 5, 6)
        if plain is not None:
            if waiting:
                node = add(token.start(1)).put_moves(plain)
                is_game = True
                room -= plain.count(";") * _MOVE_BYTES - NODE_BYTES
                begins = False
        elif name is not None:
            if waiting and (semicolon or begins):
                node = add(token.start(2 if semicolon else 3))
                begins = False
            if node is None or not waiting:
                continue
            is_game = True
            if not name.isupper():
                capitals = name.translate(_LOWER)
                # "x1" would become "1", which is not read as a name again.
                name = capitals if capitals[:1].isalpha() else name.upper()
            if name in node.properties:
                node.properties[name].append(first)
            else:
                node.properties[name] = [first]
                room -= PROPERTY_BYTES
            room -= VALUE_BYTES + getsizeof(first)
            if more:
                values = _MORE_VALUES.findall(more)
                node.properties[name] += values
                room -= VALUE_BYTES * len(values) + sum(map(getsizeof, values)) + getsizeof(more)
            if room < 0:
                raise collection.too_large(token.start(3))
        elif sign == ";":
            if waiting:
                node = add(token.start(6))
                begins = False
        elif sign == "(":
            room -= _PARENTHESIS_BYTES
            if room < 0:
                raise collection.too_large(token.start(6))
            waiting.append(node)
            opened.append(token.start(6))
            begins = node is not None or _START.match(text, token.start(6)) is not None
        elif sign == ")":
            begins = False
            if waiting:
                node = waiting.pop()
                at = opened.pop()
                if not waiting and collection.roots and text[collection.roots[-1].at] != ";":
                    _drop_remark(collection, at)
        elif waiting and node is not None:
            _complain(collection, token)
    if opened:
        line, column = collection.place(opened[-1])
        cut = Message(
            "the file is cut off: the '(' at line {line}, column {column} is never closed; read up to there",
            line=line,
            column=column,
        )
        collection.report(len(text), cut)
    return is_game


def _drop_remark(collection: Collection, at: int) -> None:
    """Drop the tree that began at an index of the text if it is not a game, but a single property, as in "f(A[1])"."""
    root = collection.roots[-1]
    if root.at > at and len(root.properties) == 1 and not root.children:
        collection.roots.pop()


def _complain(collection: Collection, token: re.Match[str]) -> None:
    """Report a token that is out of place; text between games is ignored."""
    if collection.more_problems > _MOST_JUNK:
        raise collection.error(
            token.end(),
            Message("this is not an SGF file: there are over {count} errors up to here", count=_MOST_JUNK),
        )
    bare, value, closed, other = token.group(7, 8, 9, 10)
    if bare is not None:
        collection.report(token.start(7), Message("{name} has no value in brackets; skipped", name=_short(bare)))
    elif value is not None and closed is None:
        collection.report(token.start(8), Message("the bracket opened here is never closed; what follows was skipped"))
    elif value is not None:
        collection.report(token.start(8), Message("a value without a property name; skipped"))
    elif other is not None:
        collection.report(token.start(10), Message("{text} belongs to no property; skipped", text=_short(other)))


def _short(text: str) -> str:
    """Quote a piece of the file for a message, shortened."""
    text = text if len(text) <= 20 else text[:20] + "…"
    return repr(text) if text.isprintable() else ascii(text)
