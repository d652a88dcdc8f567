"""Read the records of other programs: GIB (Tygem), NGF (WBaduk), UGF and UGI (PandaNet), and boards drawn as text.

None of these formats was ever published; their meaning is known from files and from programs that read them (Sabaki,
xyz2sgf). Each is converted to the raw nodes that the same game would have in SGF, so that everything after that, from
the rules to the library, has to know only one kind of record.

    from daoqi_tui.record import load
    load(Path("game.gib"))
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from daoqi_tui.engine import LARGEST
from daoqi_tui.message import Message
from daoqi_tui.record.files import TRASH
from daoqi_tui.record.sgf import (
    MOST_MEMORY,
    NODE_BYTES,
    PROPERTY_BYTES,
    Collection,
    RawNode,
    decoded,
    has_game,
    read_games,
)
from daoqi_tui.record.text import encode_line

_SIDE: Final = {"B": "B", "W": "W", "1": "B", "2": "W"}


def parse(data: bytes, encoding: str | None = None) -> Collection:
    """Read the bytes of a file with games, in ``encoding`` if given, regardless of the file's own declaration.

    Raises:
        SgfError: there is no game in it, or it is larger than :data:`MOST_BYTES` or :data:`MOST_MEMORY`; or its
            encoding is unknown.
        TypeError: the argument is not bytes, but for example a path.
    """
    collection = decoded(data, encoding)
    other = next((format_ for format_ in FORMATS if format_.sign.match(collection.text)), None)
    if other is not None:
        is_whole = other.read(collection)
        if not is_whole:
            if not collection.roots[0].children:
                said = Message("the record has no moves; it may be cut off")
            elif is_whole is None:
                said = Message("nothing follows the last move; the record may be cut off there")
            else:
                said = Message("the end of the record is missing; it may be cut off")
            collection.report(len(collection.text), said)
        collection.format = other.name
    elif not has_game(collection.text) and _rows(collection):
        _read_diagram(collection)
        collection.format = "text"
    else:
        read_games(collection)
    return collection


def is_record(text: str) -> bool:
    """Return whether a text, such as a pasted one, has a game or a diagram in it."""
    return any(format_.sign.match(text) for format_ in FORMATS) or has_game(text) or bool(_rows(Collection(text)))


class RecordsBelow(NamedTuple):
    """The records of a folder and its subfolders.

    Attributes:
        files: their paths, in order.
        unreadable: the errors of the folders that cannot be read; each names its folder.
    """

    files: tuple[Path, ...]
    unreadable: tuple[OSError, ...]


def records_below(folder: Path) -> RecordsBelow:
    """Return the files with a record's suffix in a folder and its subfolders.

    Deleted games, in a subfolder named :data:`~daoqi_tui.record.files.TRASH`, are skipped.
    """
    unreadable: list[OSError] = []
    files: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=unreadable.append):
        if TRASH in folders:
            folders.remove(TRASH)
        files += [file for file in map(Path(place).joinpath, names) if file.suffix.lower() in ENDINGS and _holds(file)]
    return RecordsBelow(tuple(sorted(files)), tuple(unreadable))


def _holds(path: Path) -> bool:
    """Return whether a path is that of a file, or cannot be looked up: whoever reads it is told why."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False
    except OSError:
        return True


class Format(NamedTuple):
    """A format of records.

    Attributes:
        name: its usual name.
        endings: file name suffixes.
        sign: a pattern that the text of every such record begins with, and no other.
        read: adds the games in the text of a collection to it; returns whether its end is there, None if the text does
            not say where that would be.
    """

    name: str
    endings: tuple[str, ...]
    sign: re.Pattern[str]
    read: Callable[[Collection], bool | None]


class _Line(NamedTuple):
    """A line of the text without the spaces around it, and the index where it starts."""

    at: int
    text: str


def _lines(collection: Collection) -> Iterator[_Line]:
    for found in re.finditer(r"[^\r\n]+", collection.text):
        stripped = found[0].strip()
        if stripped:
            yield _Line(found.start(), stripped)


class _Tree:
    """The game being read: the root node, and the node that the next move follows."""

    def __init__(self, collection: Collection) -> None:
        self.root = self.node = RawNode()
        self._collection = collection
        self._room = MOST_MEMORY
        collection.roots.append(self.root)

    def say(self, name: str, text: str) -> None:
        """Set a property of the root node to the first non-empty value."""
        if text.strip() and name not in self.root.properties:
            self.root.properties[name] = [encode_line(text)]

    def move(self, at: int, side: str, point: str) -> RawNode:
        """Add a move after the last one; an empty point is a pass."""
        self._room -= NODE_BYTES + PROPERTY_BYTES
        if self._room < 0:
            raise self._collection.too_large(at)
        node = RawNode(at)
        node.properties[side] = [point]
        self.node.children.append(node)
        self.node = node
        return node

    def skip(self, line: _Line) -> None:
        text = line.text if len(line.text) <= 30 else line.text[:30] + "…"
        self._collection.report(line.at, Message("{text} is not a move on this board; skipped", text=text))


def _point(column: int, row: int) -> str:
    """Return a point as SGF writes it, counted from 0 from the upper left corner; a pass before the first line.

    It may lie beyond the last line.
    """
    return "" if min(column, row) < 0 else "".join(chr(97 + min(place, 25)) for place in (column, row))


def _named(tree: _Tree, colour: str, raw: str) -> None:
    """Take over a player, whose rank may follow in parentheses: ``Li (5D)``."""
    before, opened, behind = raw.strip().rpartition("(")
    name, rank = before.rstrip(), behind.removesuffix(")")
    if not (name and opened and behind.endswith(")")) or ")" in rank:
        name, rank = raw, ""
    tree.say(f"P{colour}", name)
    tree.say(f"{colour}R", rank)


# GIB

_GIB_RESULTS: Final = {"0": "B+", "1": "W+", "3": "B+R", "4": "W+R", "7": "B+T", "8": "W+T"}
_GIB_HEADER = re.compile(r"\\\[(\w+)=(.*)\\\]")
_GIB_DATE = re.compile(r"(\d{4})\D\s*(\d{1,2})\D\s*(\d{1,2})")
_GIB_SIZE: Final = 19


def _read_gib(collection: Collection) -> bool:
    """Read a record in GIB, which ends with a line of its own."""
    tree = _Tree(collection)
    tree.say("SZ", str(_GIB_SIZE))
    side = "B"
    is_whole = False
    for line in _lines(collection):
        header = _GIB_HEADER.fullmatch(line.text)
        words = line.text.split()
        if header:
            _gib_header(tree, header[1], header[2])
        elif words[0] == "INI" and len(words) > 3 and words[3].isdecimal() and len(words[3]) < 3:
            tree.say("HA", words[3].strip("0"))
            side = "W" if int(words[3]) >= 2 else "B"
        elif words[0] == "STO":
            numbers = [int(word) if word.isdecimal() and len(word) < 4 else -1 for word in words[3:6]]
            if len(numbers) < 3 or words[3] not in _SIDE:
                tree.skip(line)
            else:
                side = _SIDE[words[3]]
                tree.move(line.at, side, _point(numbers[1], numbers[2]))
                side = "W" if side == "B" else "B"
        elif words[0] == "SKI":
            tree.move(line.at, side, "")
            side = "W" if side == "B" else "B"
        elif words[0] == r"\GE":
            is_whole = True
    return is_whole


def _gib_header(tree: _Tree, name: str, value: str) -> None:
    if name in ("GAMEBLACKNAME", "GAMEWHITENAME"):
        _named(tree, name[4], value)
    elif name == "GAMEDATE" and (date := _GIB_DATE.search(value)):
        tree.say("DT", f"{date[1]}-{int(date[2]):02}-{int(date[3]):02}")
    elif name in ("GAMEPLACE", "GAMENAME", "GAMECOMMENT"):
        tree.say({"GAMEPLACE": "PC", "GAMENAME": "EV", "GAMECOMMENT": "GC"}[name], value)
    elif name == "GAMEINFOMAIN":
        found = dict(part.split(":", 1) for part in value.split(",") if ":" in part)
        _gib_result(tree, found.get("GRLT", ""), found.get("ZIPSU", ""), found.get("GONGJE", ""))
    elif name == "GAMETAG":
        found = {part[:1]: part[1:] for part in value.split(",") if part[1:].isdecimal()}
        _gib_result(tree, found.get("W", ""), found.get("Z", ""), found.get("G", ""))


def _gib_result(tree: _Tree, kind: str, margin: str, komi: str) -> None:
    """Take over the result, whose margin is in tenths of a point, and the komi."""
    if kind in _GIB_RESULTS:
        result = _GIB_RESULTS[kind]
        if result.endswith("+") and margin.isdecimal() and len(margin) < 6 and int(margin):
            result += f"{int(margin) / 10:g}"
        tree.say("RE", result)
    tree.say("KM", komi)


# NGF

_NGF_MOVE = re.compile(r"PM..([BW])([A-Z])([A-Z])")
_NGF_DATE = re.compile(r"(\d{4})-?(\d\d?)-?(\d\d?)")


def _read_ngf(collection: Collection) -> bool | None:
    """Read a record in NGF, whose header ends with the number of moves."""
    tree = _Tree(collection)
    # The header has no field names: the meaning of a line depends on its position. It may have empty lines.
    header = [line.strip() for line in collection.text.splitlines()[:12]]
    header += [""] * (12 - len(header))
    if all(line.startswith("GI") for line in header[:6]):
        # Another kind of header, known from one file: title and two players, without their colours.
        header = [line.removeprefix("GI").strip() for line in header]
        tree.say("GN", " – ".join(filter(None, header[1:3])))
        header = [header[0], header[6], "", "", "", header[7], "", header[9], header[5], "", "", header[10]]
    size = int(header[1]) if header[1].isdecimal() and 2 <= len(header[1].zfill(2)) < 4 else 19
    tree.say("SZ", str(size))
    tree.say("EV", header[0])
    for colour, player in (("W", header[2]), ("B", header[3])):
        name, _, rank = player.rpartition(" ") if " " in player else (player, "", "")
        tree.say(f"P{colour}", name)
        tree.say(f"{colour}R", rank.rstrip("*").replace("DP", "p").lower())
    tree.say("PC", header[4])
    tree.say("HA", header[5].strip("0"))
    tree.say("KM", header[7])
    if date := _NGF_DATE.match(header[8]):
        tree.say("DT", f"{date[1]}-{int(date[2]):02}-{int(date[3]):02}")
    tree.say("RE", header[10])
    moves = [line for line in _lines(collection) if line.text.startswith("PM")]
    for line in moves:
        found = _NGF_MOVE.match(line.text)
        if found is None:
            tree.skip(line)
        else:
            tree.move(line.at, found[1], _point(ord(found[2]) - 66, ord(found[3]) - 66))
    count = header[11]
    if count.isdecimal() and len(count) < 5:
        # A last line that is cut off is no move; others that are none were damaged.
        return len(moves) - (bool(moves) and _NGF_MOVE.match(moves[-1].text) is None) >= int(count)
    return True if moves else None


# UGF and UGI

_UGF_NODE = re.compile(r"NODE,(\d{1,6}),([012]),(\d{1,2}),(\d{1,2})\b")
_UGF_MOVE = re.compile(r"([A-Z])([A-Z]),([BW])")
_UGF_LAST: Final = {
    "Data": re.compile(r"[A-Z]{2},[BW]\d*,\d+,\d+\b.*"),
    "ReviewNode": re.compile(r"NODE,\d+,0,\d+,\d+|VARIATION(END)?,"),
}
"""What the last line of a section must be like to be complete without a line break; others end with one."""
_UGF_COMMENT = re.compile(r"\.Comment,(\d{1,6})$")
_UGF_RESULTS: Final = {"C": "R", "T": "T", "O": ""}
"""How a game was won without scoring: by resignation (C), on time (T), otherwise (O)."""


def _read_ugf(collection: Collection) -> bool | None:
    """Read a record in UGF or UGI: sections, each of which ends where the next begins or where the file ends.

    PandaNet's program writes others behind that of the moves, and 0 as their number; other programs neither need do.
    """
    tree = _Tree(collection)
    sections: dict[str, list[_Line]] = {}
    section: list[_Line] = []
    for line in _lines(collection):
        if re.fullmatch(r"\[\w+\]", line.text):
            section = sections.setdefault(line.text[1:-1], [])
        else:
            section.append(line)
    fields = dict(line.text.split("=", 1) for line in sections.get("Header", ()) if "=" in line.text)
    size = _ugf_header(tree, fields)
    from_below = fields.get("CoordinateType", "IGS").strip() == "IGS"
    nodes, moves = sections.get("ReviewNode", []), sections.get("Data", [])
    last = next(reversed(sections), "")
    is_cut = False
    if last in _UGF_LAST and section and not collection.text.endswith(("\n", "\r")):
        is_cut = _UGF_LAST[last].fullmatch(section[-1].text) is None
        if is_cut and not (last == "Data" and _UGF_MOVE.match(section[-1].text)):
            del section[-1]
    played = _ugf_nodes(tree, nodes, sections.get("ReviewComment", []), size)
    is_cut |= "ReviewNode" in sections and played < len(moves)
    # A review has the moves of the game, too; where it is cut off, the rest of them are still here.
    for line in moves[played:]:
        found = _UGF_MOVE.match(line.text)
        if found is None:
            tree.skip(line)
            continue
        row = ord(found[2]) - 65
        tree.move(line.at, found[3], _point(ord(found[1]) - 65, size - 1 - row if from_below else row))
    _main_line_first(tree.root)
    if is_cut or last != "Data":
        return None if "Data" not in sections else not is_cut
    count = fields.get("Moves", "").strip()
    return len(moves) >= int(count) if count.isdecimal() and len(count) < 5 and int(count) else None


def _ugf_header(tree: _Tree, fields: dict[str, str]) -> int:
    """Apply the header; return the size of the board."""
    size = fields.get("Size", "19").strip()
    tree.say("SZ", size)
    handicap, _, komi = fields.get("Hdcp", "").partition(",")
    tree.say("KM", komi)
    tree.say("HA", handicap.strip("0"))
    lines = int(size) if size.isdecimal() and len(size) < 3 else 19
    for colour in "BW":
        name, _, rest = fields.get(f"Player{colour}", "").partition(",")
        tree.say(f"P{colour}", name)
        tree.say(f"{colour}R", rest.partition(",")[0])
    tree.say("EV", fields.get("Title", "").strip(","))
    tree.say("PC", fields.get("Place", ""))
    tree.say("DT", fields.get("Date", "").partition(",")[0].replace("/", "-"))
    tree.say("RU", {"JPN": "Japanese", "CHN": "Chinese"}.get(fields.get("Rule", "").strip(), fields.get("Rule", "")))
    tree.say("CP", fields.get("Copyright", ""))
    winner, _, margin = fields.get("Winner", "").strip().partition(",")
    if winner in ("B", "W"):
        tree.say("RE", f"{winner}+{_UGF_RESULTS.get(margin, _plain_number(margin))}")
    return lines


def _plain_number(text: str) -> str:
    """Return a number without trailing zeros: 7.50 is 7.5; other text is returned unchanged."""
    return f"{float(text):g}" if re.fullmatch(r"-?\d{1,4}(\.\d+)?", text.strip(), re.ASCII) else text


def _ugf_nodes(tree: _Tree, lines: list[_Line], comments: list[_Line], size: int) -> int:
    """Read the tree of a reviewed game: variations are indented between two words, comments follow by number.

    Return the number of moves of its main line; further ones follow it.
    """
    by_number: dict[int, RawNode] = {}
    waiting: list[RawNode] = []
    played = 0
    for line in lines:
        found = _UGF_NODE.match(line.text)
        if line.text.startswith("VARIATIONEND"):
            if waiting:
                tree.node = waiting.pop()
        elif line.text.startswith("VARIATION"):
            waiting.append(tree.node)
        elif found is None:
            tree.skip(line)
        elif found[2] == "0":
            by_number.setdefault(int(found[1]), tree.node)
        else:
            point = _point(int(found[3]) - 1, size - int(found[4]))
            by_number[int(found[1])] = tree.move(line.at, _SIDE[found[2]], point)
            played += not waiting
    if waiting:
        tree.node = waiting[0]
    node = None
    said: dict[RawNode, list[str]] = {}
    for line in comments:
        found = _UGF_COMMENT.match(line.text)
        if found:
            node = by_number.get(int(found[1]))
        elif node is not None:
            said.setdefault(node, []).append(encode_line(line.text))
    for node, texts in said.items():
        node.properties["C"] = ["\n".join(texts)]
    return played


def _main_line_first(root: RawNode) -> None:
    """Order children as SGF does: here a variation stands before the move that it replaces, so that comes last."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if len(node.children) > 1:
            node.children.insert(0, node.children.pop())
        waiting += node.children


# Board diagrams in text

_BLACK: Final = "X#Bx●⚫"
_WHITE: Final = "O@Wo○⚪"
_EMPTY: Final = ".+,*·┼┌┐└┘├┤┬┴┋╋"
_POINTS: Final = frozenset(_BLACK + _WHITE + _EMPTY)
_FRAME: Final = str.maketrans("", "", " \t|│()[]")
"""The characters between the points of a row: blanks, the frame, and the brackets around the last move."""
_LABELLED = re.compile(r"(\d{1,2})([\s(|│].*?[\s)|│])\1(?!\d)")
"""A row between its two numbers; GNU Go tells the captures behind."""
_SHOWN = re.compile(r"(?:(\d\d)|([1-9a-y]))([ (].*?[ )\u2e80-\uffef\U0001f000-\U0003ffff])(?(1)\1| \2)(?!\d)")
"""A row as :func:`~daoqi_tui.pictures.text.text_picture` draws it, with names of two characters.

A character of double width takes the place of the blank behind it, too."""
_COLUMNS = re.compile(r"^ +([A-Za-z](?: [A-Za-z])+) *\r?$", re.MULTILINE)
"""The names above and below the rows, from where the board was shifted to."""
_GAPS: Final = str.maketrans("", "", " ()")
_STONES: Final = frozenset("XO●○")
_SIGNS: Final = str.maketrans(dict.fromkeys("#B@Wxo", "."))
"""What this program draws as labels and marks on empty points, and others as stones."""
_SENSEI = re.compile(r"\$\$ *\|? *([!-{}~](?: [!-{}~])+) *\|?")
_OF_SENSEI: Final = str.maketrans(
    dict.fromkeys("#BYZ", "X") | dict.fromkeys("@WQP", "O") | dict.fromkeys(",CSTM?*abcdefghijklmnopqrstuvwxyz", ".")
)
"""Marked stones, and marks and letters on empty points, in the diagrams of Sensei's Library."""
_NUMBERS: Final = "1234567890"
"""The moves in them, in order."""
_LONGEST_ROW: Final = 200


class _Row(NamedTuple):
    """A row of a diagram.

    Attributes:
        at: where its line starts in the text.
        points: a character each.
        shown: whether it looks as this program draws it, where a point without a stone may have any sign.
        number: its name, 0 if that is none.
    """

    at: int
    points: str
    shown: bool = False
    number: int = 0


def _row(line: _Line, above: int) -> _Row | None:
    """Return a line as a row of a diagram with ``above`` rows before it, None if it is none."""
    text = line.text
    if len(text) > _LONGEST_ROW:
        return None
    shown = _SHOWN.match(text)
    # Letters begin with a: those that stand for stones cannot be the name of the first row.
    if shown and (shown[2] or "1") in ("123456789" + chr(97 + above)):
        points = shown[3].translate(_GAPS)
        name = shown[1] or shown[2]
        number = int(name) if name.isdecimal() else 0
        return _Row(line.at, points, shown=True, number=number) if len(points) > 1 else None
    if sensei := _SENSEI.fullmatch(text):
        points = sensei[1].replace(" ", "").translate(_OF_SENSEI)
        return None if points.strip(f".XO{_NUMBERS}") else _Row(line.at, points)
    text = text.removeprefix("$$")
    labelled = _LABELLED.match(text)
    points = (labelled[2] if labelled else text).translate(_FRAME)
    return _Row(line.at, points) if len(points) > 1 and _POINTS.issuperset(points) else None


def _rows(collection: Collection) -> list[_Row]:
    """Return the rows of the first board in the text. One row alone is no board."""
    rows: list[_Row] = []
    for line in _lines(collection):
        row = _row(line, len(rows))
        if row is not None:
            rows.append(row)
        elif len(rows) > 1:
            break
        else:
            rows.clear()
    return rows if len(rows) > 1 else []


def _at_home(rows: list[_Row], text: str) -> list[_Row]:
    """Return the rows of a diagram as on a board that was not shifted, by the names of its rows and columns."""
    size = len(rows)
    if all((one.number - other.number) % size == 1 for one, other in pairwise(rows)):
        first = rows[0].number % size
        rows = rows[first:] + rows[:first]
    found = _COLUMNS.search(text)
    names = found[1].split() if found else []
    begin = names.index(min(names)) if len(names) == size else 0
    if names[begin:] + names[:begin] != sorted(names):
        return rows
    return [row._replace(points=row.points[begin:] + row.points[:begin]) for row in rows]


def _read_diagram(collection: Collection) -> None:
    rows = _rows(collection)
    size = len(rows)
    for row in rows:
        if len(row.points) != size:
            uneven = Message(
                "a row of {count} points in a diagram of {rows} rows; only square boards can be read",
                count=len(row.points),
                rows=size,
            )
            raise collection.error(row.at, uneven)
    if size > LARGEST:
        large = Message("the diagram has {rows} rows; a board has at most {most}", rows=size, most=LARGEST)
        raise collection.error(rows[0].at, large)
    tree = _Tree(collection)
    tree.root.at = rows[0].at
    if all(row.shown for row in rows):
        rows = _at_home(rows, collection.text)
    tree.say("SZ", str(size))
    # A pasted position is taken as a torus; a flat board would have the same stones.
    tree.say("TO", "3")
    drawn = "".join(row.points for row in rows)
    signs = _SIGNS if all(row.shown for row in rows) and not _STONES.isdisjoint(drawn) else {}
    for name, stones in (("AB", _BLACK), ("AW", _WHITE)):
        found = [
            chr(97 + point % size) + chr(97 + point // size)
            for point, sign in enumerate(drawn.translate(signs))
            if sign in stones
        ]
        if found:
            tree.root.properties[name] = found
    white_first = re.match(r"\s*\$\$W", collection.text) is not None
    if white_first:
        tree.say("PL", "W")
    for number, sign in enumerate(() if any(row.shown for row in rows) else _NUMBERS):
        if sign in drawn:
            down, across = divmod(drawn.index(sign), size)
            tree.move(rows[down].at, "BW"[(number + white_first) % 2], _point(across, down))


FORMATS: Final = (
    Format("GIB", (".gib",), re.compile(r"\s*\\HS\b"), _read_gib),
    Format("UGF", (".ugf", ".ugi"), re.compile(r"\s*\[Header\]\s*$", re.MULTILINE), _read_ugf),
    Format("NGF", (".ngf",), re.compile(r"(?:[^\r\n]*\r?\n){2,14}?PM[A-Z]{2}[BW][A-Z]{2}"), _read_ngf),
)
ENDINGS: Final = (".sgf", *(ending for format_ in FORMATS for ending in format_.endings))
