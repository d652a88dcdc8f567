"""The format of a journal: its entries, and lines with checksum and sequence number.

A line holds an entry as JSON: a list of its kind and its fields. What is read is checked against their types.

:func:`replay` restores a game. Entries refer to nodes by number, so that entries after a damaged line still apply: only
the subtree of a lost move is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass, field
from math import inf
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, Literal, TypeAlias, get_args
from zlib import crc32

import msgspec
from msgspec import Meta

from daoqi_tui.codec import JsonError, convert, decode, encode
from daoqi_tui.engine import (
    BLACK,
    DAOQI,
    LARGEST,
    PASS,
    SMALLEST,
    WHITE,
    Action,
    Ending,
    Game,
    IllegalMove,
    Move,
    Node,
    OutOfTime,
    Resignation,
    Rules,
    Setup,
    TwoPasses,
    parse_rules,
)
from daoqi_tui.engine.clock import Clock, Press, TimeControl, TimeLeft
from daoqi_tui.engine.game import LARGEST_KOMI
from daoqi_tui.engine.tree import arrange, make, move_of
from daoqi_tui.message import Message, counted_message, reason_of
from daoqi_tui.record.sgf import MOST_BYTES
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.text import plain_line

FORMAT: Final = 2
"""Of games with a clock: versions that know only 1, the format of all others, would lose moves in edits."""
LONGEST_LINE: Final = 6 * MOST_BYTES + 2**20
"""Bytes; what a record says at one node is the longest thing a line holds, and JSON makes six bytes of one where that
is not ASCII: é in Latin-1 is written \\u00e9."""
_MOST_UNSOUND: Final = LONGEST_LINE
"""The number of bytes without a valid line after which the rest of a file is ignored."""
_LAST: Final = LARGEST * LARGEST - 1
_DEFAULTS: Final = asdict(Info())
_Whole: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 53)]
_Point: TypeAlias = Annotated[int, Meta(ge=0, le=_LAST)]
_PointOrPass: TypeAlias = Annotated[int, Meta(ge=PASS, le=_LAST)]
_Side: TypeAlias = Annotated[int, Meta(ge=BLACK, le=WHITE)]
_Komi: TypeAlias = (
    Annotated[int, Meta(ge=-LARGEST_KOMI, le=LARGEST_KOMI)] | Annotated[float, Meta(ge=-LARGEST_KOMI, le=LARGEST_KOMI)]
)
_Seconds: TypeAlias = Annotated[float, Meta(ge=0, le=1e15)]
_Pixels: TypeAlias = Annotated[int, Meta(ge=-(1 << 31), le=1 << 31)]
_CellSide: TypeAlias = Annotated[int, Meta(ge=1, le=99)]
_Mask: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{1,157}\Z")]
"""Points in hexadecimal digits: 157 for the largest board."""
_Stones: TypeAlias = tuple[_Mask, _Mask, _Mask, _Side]
_Control: TypeAlias = tuple[int | float, _Whole, int | float, int | float]


class _Entry(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    pass


class Begin(_Entry, tag="daoqi"):
    """The settings of the game. Written twice at the start of a journal, since it is useless without them.

    Attributes:
        created: local date and time, ISO 8601.
        time: the fields of :attr:`control`, None without a clock.
        root: those of :attr:`setup`, the stones in the root of a game that came from a file.
        rules: of the game, its komi included; Daoqi's are not written, as before there were others.
    """

    format: Literal[1, 2]
    size: Annotated[int, Meta(ge=SMALLEST, le=LARGEST)]
    komi: _Komi
    handicap: _Whole
    created: str
    time: _Control | None
    root: _Stones | None
    rules: str = str(DAOQI)

    def __post_init__(self) -> None:
        _ = self.control, self.parsed_rules

    @classmethod
    def of(cls, game: Game, created: str, time: TimeControl | None) -> Begin:
        root = game.root.action
        return cls(
            1 if time is None else FORMAT,
            game.torus.size,
            game.komi,
            game.handicap,
            created,
            None if time is None else astuple(time),
            _stones(root) if isinstance(root, Setup) else None,
            str(game.rules),
        )

    @property
    def control(self) -> TimeControl | None:
        return None if self.time is None else TimeControl(*self.time)

    @property
    def setup(self) -> Setup | None:
        return None if self.root is None else _setup(*self.root)

    @property
    def parsed_rules(self) -> Rules:
        return parse_rules(self.rules)


class About(_Entry, tag="about"):
    """Game information and komi; the last one counts.

    Attributes:
        rules: those of the game from now on; empty where they stay.
    """

    komi: _Komi
    info: Info
    rules: str = ""


class Seats(_Entry, tag="players"):
    """Who plays each side, as :mod:`daoqi_tui.play.session` writes it; the last one counts. It is not written to SGF.

    A foreign record must not be able to start a program; a journal is the user's own file.
    """

    black: str
    white: str
    resigns: bool = True


class Played(_Entry, tag="move"):
    """A new node of the tree, with a play or pass; the cursor moves there."""

    number: Annotated[int, Meta(ge=1, le=1 << 53)]
    parent: _Whole
    colour: _Side
    point: _PointOrPass

    @property
    def action(self) -> Action:
        return move_of(self.colour, self.point)


class LaidOut(_Entry, tag="setup"):
    """A new node of the tree, with a setup; the cursor moves there."""

    number: Annotated[int, Meta(ge=1, le=1 << 53)]
    parent: _Whole
    black: _Mask
    white: _Mask
    empty: _Mask
    to_move: _Side

    @property
    def action(self) -> Action:
        return _setup(self.black, self.white, self.empty, self.to_move)


class CursorAt(_Entry, tag="at"):
    """The cursor was set on a node: undo, jumps, replay."""

    number: _Whole


class Ended(_Entry, tag="end"):
    """The ending recorded at a node: resignation, loss on time, agreed dead stones, or play resumed.

    Attributes:
        value: the dead stones, or who resigned or lost.
    """

    number: _Whole
    resumed: bool
    how: Literal["dead", "resigned", "time"] | None = None
    value: list[_Point] | _Side | None = None

    def __post_init__(self) -> None:
        if self.how and self.ending is None:
            raise ValueError(f"not the value of an ending: {self.value}")

    @classmethod
    def of(cls, number: int, ending: Ending | None, *, resumed: bool) -> Ended:
        match ending:
            case TwoPasses(dead):
                return cls(number, resumed, "dead", sorted(dead))
            case Resignation(loser):
                return cls(number, resumed, "resigned", loser)
            case OutOfTime(loser):
                return cls(number, resumed, "time", loser)
        return cls(number, resumed)

    @property
    def ending(self) -> Ending | None:
        match self.how, self.value:
            case "dead", list(points):
                return TwoPasses(frozenset(points))
            case "resigned", int(loser):
                return Resignation(loser)
            case "time", int(loser):
                return OutOfTime(loser)
        return None


class Properties(_Entry, tag="properties"):
    """The comment, markup and other SGF properties of a node, raw values by name."""

    number: _Whole
    properties: dict[str, list[str]] | None


class Deleted(_Entry, tag="delete"):
    """A node and its subtree were deleted."""

    number: Annotated[int, Meta(ge=1, le=1 << 53)]


class Promoted(_Entry, tag="promote"):
    """The line through a node was made the main line."""

    number: _Whole


class Arranged(_Entry, tag="arrange"):
    """The children of a node are now these; a child left out, with its subtree, may be put back later."""

    number: _Whole
    children: list[_Whole]


class Edited(_Entry, tag="edit"):
    """Entries that are one edit: on the disk are all or none of them."""

    entries: list[list[Any]]

    @classmethod
    def of(cls, entries: list[JournalEntry]) -> Edited:
        return cls([_values_of(entry) for entry in entries])

    @property
    def parts(self) -> list[JournalEntry]:
        """The entries.

        Raises:
            ValueError, LookupError, TypeError: one of them is invalid.
        """
        return [_entry_of(values) for values in self.entries]


class ClockReading(_Entry, tag="clock"):
    """The time left of both players, and whose clock was running.

    Attributes:
        turn_began: when the turn of a correspondence game began, in seconds of the epoch; 0 for any other game.
    """

    black: TimeLeft
    white: TimeLeft
    running: _Side | None
    turn_began: _Seconds = 0.0

    @classmethod
    def of(cls, clock: Clock, now: float) -> ClockReading:
        return cls(clock.left(BLACK, now), clock.left(WHITE, now), clock.running, clock.turn_began)


class Pressed(_Entry, tag="press"):
    """What the move at a node brought on the clock; the last one of a node counts.

    Attributes:
        colour, gain, had, taken: as of the :class:`~daoqi_tui.engine.clock.Press`; ``had`` is None where it is unknown.
    """

    number: _Whole
    colour: _Side
    gain: _Seconds
    had: _Seconds | None = None
    taken: _Seconds | None = None

    @classmethod
    def of(cls, number: int, press: Press) -> Pressed:
        return cls(number, press.colour, press.gain, press.had if press.had < inf else None, press.taken)

    @property
    def press(self) -> Press:
        return Press(self.colour, self.gain, inf if self.had is None else self.had, self.taken)


class LiveNode(_Entry, tag="front"):
    """The node at which the game continues while others are viewed; the clock runs for it. The last entry counts."""

    number: _Whole


class SavedView(_Entry, tag="view"):
    """The view of the board.

    Attributes:
        x, y: board coordinates of the window's top left corner, in characters or pixels.
        width, height: of a point, in the same.
        point: the point under the keyboard cursor.
        home: whether it is the home view, which begins elsewhere in a window of another size. Of journals that have a
            margin in its place, which is ignored, False.
    """

    x: _Pixels
    y: _Pixels
    width: _CellSide
    height: _CellSide
    point: _Point | None
    home: Any

    def __post_init__(self) -> None:
        self.home = self.home is True


class Helped(_Entry, tag="helped"):
    """The user had help, so that the game is not rated."""


class FiledAs(_Entry, tag="filed"):
    """The file name of the game in the library; written before the file is."""

    name: Annotated[str, Meta(pattern=r"^[^/\\\0]*\.sgf\Z")]


class RecordFiled(_Entry, tag="record"):
    """The record of the game was written into the library; an unchanged one is not written again.

    Attributes:
        digest: of the record, in hexadecimal digits.
    """

    digest: str


JournalEntry: TypeAlias = (
    Begin
    | About
    | Seats
    | Played
    | LaidOut
    | CursorAt
    | Ended
    | Properties
    | Deleted
    | Promoted
    | Arranged
    | Edited
    | ClockReading
    | Pressed
    | LiveNode
    | SavedView
    | Helped
    | FiledAs
    | RecordFiled
)
_NAMES: Final = {kind: kind.__struct_config__.tag for kind in get_args(JournalEntry)}
_KINDS: Final[dict[Any, type[JournalEntry]]] = {name: kind for kind, name in _NAMES.items()}


def added(number: int, parent: int, action: Action) -> Played | LaidOut:
    if isinstance(action, Move):
        return Played(number, parent, action.colour, action.point)
    return LaidOut(number, parent, *_stones(action))


def _stones(setup: Setup) -> _Stones:
    return f"{setup.black:x}", f"{setup.white:x}", f"{setup.empty:x}", setup.to_move


def _setup(black: str, white: str, empty: str, to_move: int) -> Setup:
    return Setup(int(black, 16), int(white, 16), int(empty, 16), to_move)


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
    body = b"%d %s" % (sequence, encode(_values_of(entry)))
    return b"%08x %s\n" % (crc32(body), body)


def _values_of(entry: JournalEntry) -> list[Any]:
    """Return the kind of an entry and its fields, without the last ones where they have their default."""
    values = [_NAMES[type(entry)], *msgspec.structs.astuple(entry)]
    for default in reversed(entry.__struct_defaults__):
        if values[-1] != default:
            break
        values.pop()
    if isinstance(entry, About):
        values[2] = {name: value for name, value in asdict(entry.info).items() if value != _DEFAULTS[name]}
    return values


def _entry_of(values: list[Any]) -> JournalEntry:
    # Msgspec would look at a union of types anew for each value.
    return convert(values, _KINDS[values[0]])


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
    values: list[Any] = []
    try:
        values = decode(payload, list)
        return int(digits), _entry_of(values), None
    except (JsonError, LookupError, TypeError):
        return _read_newer(int(digits), values)


def _read_newer(sequence: int, values: list[Any]) -> tuple[int, None, Message | None]:
    """Return what :func:`_decode_line` does for an entry that is invalid, or of a newer version."""
    match values:
        case ["daoqi", int(version), *_] if version > FORMAT:
            newer = Message(
                "the journal has format {format}; this version reads format {known}", format=version, known=FORMAT
            )
            return sequence, None, newer
        case ["end", _, _, str(how), _] if how not in ("dead", "resigned", "time"):
            return sequence, None, None
        case [str(kind), *_] if kind not in _KINDS:
            return sequence, None, None
    return -1, None, None


class JournalError(Exception):
    """A journal that cannot be opened or has nothing to restore; the text is one sentence."""


@dataclass
class Restored:
    """A game restored from its journal.

    Attributes:
        game: the whole tree, with the cursor where it was.
        clock: the last reading, None without a clock.
        presses: what moves brought on the clock.
        time: the time control, None without a clock.
        names: the game information.
        players: who plays each side; None if not recorded.
        front: the node at which the game continues; None if not recorded.
        view: the last view of the board.
        created: when the game was started, ISO 8601.
        filed: the file name in the library under which the game was filed, None if it was not.
        filed_record: the digest of the record that was written there last, None if none was.
        problems: a sentence for each part that was dropped or could not be restored.
        damaged: whether any line but an incomplete last one was invalid.
        numbers: the nodes by their number in the journal.
        highest: the highest number a node has had, including deleted ones.
        lines: the number of consecutive valid lines from the start.
        sound: the offset of the end of the last of these, in bytes.
    """

    game: Game
    created: str
    time: TimeControl | None
    names: Info = field(default_factory=Info)
    players: Seats | None = None
    clock: ClockReading | None = None
    presses: dict[Node, Press] = field(default_factory=dict)
    front: Node | None = None
    view: SavedView | None = None
    helped: bool = False
    filed: str | None = None
    filed_record: str | None = None
    problems: tuple[Message, ...] = ()
    damaged: bool = False
    numbers: dict[int, Node] = field(default_factory=dict)
    highest: int = 0
    lines: int = 0
    sound: int = 0


def replay(source: Path | BinaryIO) -> Restored:
    """Restore the game of a journal from its valid lines.

    Args:
        source: the path of the journal, or its open file at offset 0.

    Raises:
        JournalError: it cannot be opened, or its first lines are invalid.
    """
    try:
        if not isinstance(source, Path):
            return _replay(source)
        if not source.is_file():
            raise JournalError(Message("{file} is not a file", file=plain_line(str(source))))
        with source.open("rb") as file:
            return _replay(file)
    except OSError as error:
        raise JournalError(Message("the journal cannot be read: {reason}", reason=reason_of(error))) from error


def _replay(file: BinaryIO) -> Restored:
    replayer: _Replayer | None = None
    newer: Message | None = None
    unsound: list[int] = []
    unknown = unplaced = missing = expected = place = end = 0
    for line in read_lines(file):
        place = line.place
        if not line.sound or line.sequence < expected:
            unsound.append(place)
            continue
        missing += line.sequence - expected
        expected = line.sequence + 1
        if not unsound and not missing:
            end = line.end
        newer = newer or line.newer
        if line.entry is None:
            unknown += 1
        elif isinstance(line.entry, Begin):
            replayer = replayer or _Replayer.begin(line.entry)
        elif replayer is None or not replayer.apply(line.entry):
            unplaced += 1
    if replayer is None and newer is not None:
        raise JournalError(newer)
    if replayer is None:
        raise JournalError(Message("the journal holds no game: its beginning is missing or damaged"))
    restored = replayer.finish()
    torn = unsound == [place] and not missing
    restored.damaged = bool(unplaced or missing or (unsound and not torn))
    restored.problems = tuple(_problems(unsound, torn=torn, missing=missing, unplaced=unplaced, unknown=unknown))
    restored.lines, restored.sound = expected, end
    return restored


def _problems(unsound: list[int], *, torn: bool, missing: int, unplaced: int, unknown: int) -> list[Message]:
    problems = []
    if torn:
        problems.append(Message("the last line of the journal is incomplete and was dropped"))
    elif len(unsound) > 1:
        problems.append(
            Message(
                "the journal is damaged at line {line} and {more} more; everything else was restored",
                line=unsound[0],
                more=len(unsound) - 1,
            )
        )
    elif unsound:
        problems.append(Message("the journal is damaged at line {line}; everything else was restored", line=unsound[0]))
    elif missing:
        problems.append(
            counted_message(
                "{count} entry was missing from the journal; everything else was restored",
                "{count} entries were missing from the journal; everything else was restored",
                missing,
            )
        )
    if unplaced:
        problems.append(
            counted_message(
                "{count} entry was left out because what it builds on is lost",
                "{count} entries were left out because what they build on is lost",
                unplaced,
            )
        )
    if unknown:
        problems.append(
            counted_message(
                "{count} entry was skipped because only a newer version knows its kind",
                "{count} entries were skipped because only a newer version knows their kind",
                unknown,
            )
        )
    return problems


class _Replayer:
    """Applies the entries of a journal to a game."""

    def __init__(self, begin: Begin) -> None:
        game = Game(begin.size, begin.komi, begin.handicap, begin.parsed_rules)
        # The journal adds every node except the root itself, including the one for the handicap.
        game.goto(game.root)
        game.root.children = ()
        self._restored = Restored(game, begin.created, begin.control)
        if (setup := begin.setup) is not None:
            if setup.points & ~game.torus.full:
                raise ValueError("a point of the setup is off the board")
            game.root.against = make(game.board, setup)
            game.root.action = setup
        self._nodes = self._restored.numbers
        self._nodes[0] = game.root
        self._families: dict[Node, list[Node]] = {}
        """All children of nodes with several; their tuples are made when all are known, or when one is needed."""
        self._cursor = game.root

    @classmethod
    def begin(cls, begin: Begin) -> _Replayer | None:
        try:
            return cls(begin)
        except (ValueError, TypeError):
            return None

    def finish(self) -> Restored:
        """Return the restored game with the cursor where it was, or before what was deleted."""
        self._unite()
        restored = self._restored
        if restored.front is not None and _first_deleted(restored.front) is not None:
            restored.front = None
        gone = _first_deleted(self._cursor)
        restored.game.goto(self._cursor if gone is None or gone.parent is None else gone.parent)
        return restored

    def apply(self, entry: JournalEntry) -> bool:
        try:
            self._apply(entry)
        except (LookupError, TypeError, ValueError, IllegalMove, JsonError):
            return False
        return True

    def _apply(self, entry: JournalEntry) -> None:
        restored, game = self._restored, self._restored.game
        match entry:
            case Played() | LaidOut():
                self._add(entry.number, self._nodes[entry.parent], entry.action)
            case CursorAt(number):
                # The board is updated only when something is added: going back and forth costs nothing here.
                self._cursor = self._nodes[number]
            case Ended(number, resumed):
                ending = entry.ending
                if isinstance(ending, TwoPasses) and max(ending.dead, default=0) >= game.torus.points:
                    raise ValueError("a dead stone is off the board")
                node = self._nodes[number]
                node.ending, node.resumed = ending, resumed
            case Properties(number, properties):
                self._nodes[number].properties = properties
            case Deleted(number):
                self._delete(self._nodes[number])
            case Promoted(number):
                self._unite()
                game.promote(self._nodes[number])
            case Arranged(number, children):
                self._unite()
                arrange(self._nodes[number], tuple(self._nodes[child] for child in children))
            case Edited():
                for part in entry.parts:
                    self._apply(part)
            case About(komi, info, rules):
                if rules:
                    self._unite()
                    # The node that was added last may have been deleted.
                    game.goto(game.root)
                    game.change_rules(parse_rules(rules))
                restored.names, game.komi = info, komi
            case Seats():
                restored.players = entry
            case ClockReading():
                restored.clock = entry
            case Pressed(number):
                restored.presses[self._nodes[number]] = entry.press
            case LiveNode(number):
                restored.front = self._nodes[number]
            case SavedView(point=point):
                if point is not None and point >= game.torus.points:
                    raise ValueError("the view's point is off the board")
                restored.view = entry
            case Helped():
                restored.helped = True
            case FiledAs(name):
                restored.filed = name
            case RecordFiled(digest):
                restored.filed_record = digest

    def _add(self, number: int, parent: Node, action: Action) -> None:
        game = self._restored.game
        if number in self._nodes:
            raise ValueError(f"node {number} is there already")
        if game.node is not parent:
            game.goto(parent)
        before = parent.children
        node = self._cursor = self._nodes[number] = game.record(action)
        if before:
            # Copying a tuple for each node added to it would take a minute for 100,000 variations.
            self._families.setdefault(parent, list(before)).append(node)
            parent.children = before
        self._restored.highest = max(self._restored.highest, number)

    def _unite(self) -> None:
        """Set the children of nodes from the lists they were collected in."""
        for parent, children in self._families.items():
            parent.children = tuple(children)
        self._families.clear()

    def _delete(self, node: Node) -> None:
        parent = node.parent
        if parent is None:
            raise ValueError(Message("the start cannot be deleted"))
        self._unite()
        arrange(parent, tuple(child for child in parent.children if child is not node))


def _first_deleted(node: Node) -> Node | None:
    return next((step for step in node.path() if step.deleted), None)
