"""Collections of problems as SGF: the shipped ones, and the user's own.

A problem is a game of the collection: the position in its root, below it the moves that are right and wrong ones with
their refutations. As on goproblems.com and in Sabaki a line is right if a comment in it says ``RIGHT`` or ``CORRECT``;
where no comment does, the main line is right, unless no stones were set up but those of a handicap, as in the record of
a game. Our own property ``DQPZ`` holds kind, task, depth, the policy's share, and the visits of the network that judged
it (0 if it is proved), separated by colons. The stone in question is marked by a triangle, ``SL`` marks the area, and
points to choose from have letters. ``DQLO`` is what a move loses according to a review, in points. ``DQMN`` is the
number of the last move before a mistake; with it, ``PB``, ``PW`` and ``DT`` are those of the game.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, get_args

from daoqi_tui.analysis.problems import KINDS, Kind, Origin, Problem, Step, Task
from daoqi_tui.engine import BLACK, LARGEST, PASS, SMALLEST, WHITE, Board, Colour, IllegalMove, opponent
from daoqi_tui.message import Message
from daoqi_tui.paths import assets_folder, library_folder
from daoqi_tui.reading.symmetry import BoardPosition, canonical_position
from daoqi_tui.record.files import changing, read_record, write_atomically
from daoqi_tui.record.formats import parse
from daoqi_tui.record.sgf import RawNode
from daoqi_tui.record.sgf.info import TORUS_GAME
from daoqi_tui.record.sgf.markup import (
    COLOURS,
    LETTER_OF,
    PointError,
    masks_of,
    names_of,
    point_of,
    rectangle,
    values_of,
)
from daoqi_tui.record.sgf.write import serialise
from daoqi_tui.record.text import SgfError, decode, decode_line, encode, encode_line
from daoqi_tui.typed import whole_number

SHIPPED: Final = "problems.sgf"
"""The collection in the assets folder."""
_PROPERTY: Final = "DQPZ"
_HEAD: Final = re.compile(rf"{_PROPERTY}\[((?:[a-z]+:){{2}}\d+:[\d.e-]+:\d+)\]")
"""The property in the shipped collection, which has it once in each game."""
_LOST: Final = "DQLO"
_NUMBER: Final = "DQMN"
_PLAYED: Final = ("PB", "PW", "DT")
_MOST_MOVES: Final = 10**6
_MOST_LOST: Final = 2000.0
_OURS: Final = (*KINDS, "mistake")
"""The kinds that have this property."""
_RIGHT: Final = re.compile(r"\b(?:RIGHT|CORRECT)\b")
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DEEPEST: Final = 400
"""The maximum number of moves read of a line; the rest is ignored."""
_MOST_PLIES: Final = 1000
"""More plies than the answer to any problem has, including ladders around the largest board."""
_SIDES: Final = {BLACK: "Black", WHITE: "White"}
_TASKS: Final = {
    "capture": "{side} to play: capture the marked chain.",
    "save": "{side} to play: save the marked chain.",
    "ladder": "{side} to play: start the ladder that captures the marked stone, or pass if there is none.",
    "break": "{side} to play: one of the points breaks the ladder.",
    "make": "{side} to play: one of the points makes the ladder work.",
    "reply": "{side} to play: the best reply, as judged by the network.",
}
"""The task texts in the records themselves, which are in English."""


class Collection(NamedTuple):
    """The problems of a file.

    Attributes:
        problems: those that can be played.
        skipped: the number of its games without a problem.
        repairs: what was skipped or corrected in reading, a sentence each.
        more_repairs: the number of further ones.
    """

    problems: tuple[Problem, ...]
    skipped: int
    repairs: tuple[Message, ...]
    more_repairs: int


@lru_cache(maxsize=1)
def shipped() -> tuple[Problem, ...]:
    """Return the problems that come with the program.

    Only what a list of them needs is read at once: to read them all takes 0.3 s.

    Raises:
        FileNotFoundError, SgfError: the installation lacks them.
    """
    text = read_record(assets_folder() / SHIPPED).decode("utf-8", "replace")
    heads = [_known(wording.split(":"), place) for place, wording in enumerate(_HEAD.findall(text))]
    return tuple(heads) or _read_shipped()


def _known(words: list[str], place: int) -> Problem:
    kind, task, plies, prior, visits = words
    return Problem.late(
        lambda: _read_shipped()[place],
        kind=kind,
        task=task,
        plies=int(plies),
        prior=float(prior),
        visits=int(visits),
    )


@lru_cache(maxsize=1)
def _read_shipped() -> tuple[Problem, ...]:
    # Tests play all of its lines; to play them again would take half of the time.
    return read_collection(assets_folder() / SHIPPED, played=False).problems


def read_collection(source: Path | bytes, encoding: str | None = None, *, played: bool = True) -> Collection:
    """Read a collection of problems.

    Args:
        source: the file, or what is in it.
        encoding: of the text, by default what the file says.
        played: whether its lines are played, to end them before an illegal move.

    Raises:
        SgfError: it cannot be read, or there is no problem in it; the text is one sentence.
    """
    read = parse(read_record(source) if isinstance(source, Path) else source, encoding)
    roots = read.roots
    found = [
        problem
        for number, root in enumerate(roots, 1)
        if (problem := _problem(root, number, played=played)) is not None
    ]
    if not found:
        raise SgfError(Message("there is no problem in the file: stones that are set up, and the moves that follow"))
    repairs = tuple(problem.as_message() for problem in read.problems)
    return Collection(tuple(found), len(roots) - len(found), repairs, read.more_problems)


def add_to_collection(path: Path, problem: Problem) -> None:
    """Add a problem at the end of a collection, created if missing, atomically; its games stay byte for byte.

    Raises:
        OSError: it cannot be read or written.
    """
    before = path.read_bytes() if path.exists() else b""
    write_atomically(path, before + record_of(problem))


def own_file() -> Path:
    return library_folder().with_name(SHIPPED)


def keep(problem: Problem, path: Path) -> bool:
    """Add a problem to a collection, created if missing, atomically; return whether it was not there yet.

    Raises:
        SgfError: the file exists and is not a collection of problems; it is not changed.
        InUse: another process kept changing it.
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with changing(path):
        number = 1
        if path.exists():
            known = read_collection(path)
            if key_of(problem) in map(key_of, known.problems):
                return False
            number += len(known.problems) + known.skipped
        add_to_collection(path, replace(problem, name=f"own-{number}"))
    return True


def known_mistakes(path: Path) -> tuple[Problem, ...]:
    """Return the user's own mistakes; none where there is no file.

    Raises:
        SgfError: it cannot be read, or is not a collection of problems.
    """
    return read_collection(path).problems if path.exists() else ()


def keep_mistakes(found: Sequence[Problem], path: Path) -> int:
    """Add mistakes to a collection, created if missing, atomically; return how many positions were not there yet.

    A position that is there already stays one problem, with the answers of the review with more visits.

    Raises:
        SgfError: the file exists and is not a collection of problems; it is not changed.
        InUse: another process kept changing it.
        OSError: it cannot be written.
    """
    if not found:
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with changing(path):
        before = {key_of(problem): problem for problem in known_mistakes(path)}
        after = dict(before)
        for problem in found:
            key = key_of(problem)
            if key not in after or after[key].visits < problem.visits:
                after[key] = problem
        if after != before:
            write_atomically(path, b"".join(map(record_of, after.values())))
    return len(after) - len(before)


def record_of(problem: Problem) -> bytes:
    return serialise(_root(problem))


def key_of(problem: Problem) -> str:
    """Return the key of a problem, independent of name and collection: its position and task.

    That of a mistake is the same for all positions that are equal up to a symmetry of the torus.
    """
    position = problem.position
    target = problem.target
    if problem.task == "mistake":
        position, target = _canonical(position), PASS
    text = f"{position.size} {position.black} {position.white} {position.to_move} {problem.task} {target}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@lru_cache(maxsize=4096)
def _canonical(position: BoardPosition) -> BoardPosition:
    return canonical_position(position).position


# Reading


def _problem(root: RawNode, number: int, *, played: bool) -> Problem | None:
    """Return the problem in a game of a collection, None if there is none."""
    node, black, white = root, 0, 0
    size = _size(root)
    if size is None:
        return None
    while True:
        empty, more_black, more_white = masks_of(node.properties, size)
        black = (black | more_black) & ~more_white & ~empty
        white = (white | more_white) & ~more_black & ~empty
        if len(node.children) != 1 or _move(node.children[0], size) is not None:
            break
        node = node.children[0]
    first = next((move for child in node.children if (move := _move(child, size)) is not None), None)
    if first is None:
        return None
    position = BoardPosition(size, black, white, first[0])
    try:
        board = position.board() if played else None
    except ValueError:
        return None
    # The task may contain the word as well: "find the RIGHT move".
    marked = any(_is_right(below) for below in _all(node)[1:])
    properties = root.properties
    is_set_up = bool(black | white) and properties.get("HA", ["0"])[0].strip() in ("", "0")
    if not is_set_up and not marked and _PROPERTY not in properties:
        # The record of a game.
        return None
    steps = _steps(node, size, board, marked=marked)
    if not any(step.right for step in steps):
        return None
    name = decode_line(properties.get("GN", [""])[0]) or str(number)
    comment = decode("\n".join(node.properties.get("C", root.properties.get("C", []))))
    own = Problem(name, "own", "own", position, steps, plies=_depth(steps), comment=comment)
    return _ours(own, properties) or own


def _size(root: RawNode) -> int | None:
    text = decode_line(root.properties.get("SZ", ["19"])[0])
    size = int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0
    return size if SMALLEST <= size <= LARGEST else None


def _move(node: RawNode, size: int) -> tuple[Colour, int] | None:
    """Return the move of a raw node, None if it has no readable move."""
    for name, colour in COLOURS.items():
        for raw in node.properties.get(name, ())[:1]:
            try:
                return colour, point_of(raw, size)
            except PointError:
                return None
    return None


def _is_right(node: RawNode) -> bool:
    return any(_RIGHT.search(raw) for raw in node.properties.get("C", ()))


def _all(root: RawNode) -> list[RawNode]:
    nodes = [root]
    for node in nodes:
        nodes += node.children
    return nodes


def _steps(root: RawNode, size: int, board: Board | None, *, marked: bool) -> tuple[Step, ...]:
    """Return the moves below a raw node, without recursion: a file may nest deeply.

    A line ends before its first move that is illegal on the torus, as in collections made for flat boards, and after
    two passes.

    Args:
        root: the node of the position.
        size: of the board.
        board: the position, as before when this returns; None if all moves are known to be legal.
        marked: whether comments say which lines are right; else the main line is.
    """
    found: dict[int, list[Step]] = {id(root): []}
    waiting: list[tuple[RawNode, RawNode, bool, bool]] = []
    line: list[int] = []

    def visit(parent: RawNode, *, main: bool) -> None:
        if len(line) < _DEEPEST and line[-2:] != [PASS, PASS]:
            for place, child in reversed(list(enumerate(parent.children))):
                waiting.append((parent, child, main and place == 0, False))

    visit(root, main=True)
    while waiting:
        parent, node, main, seen = waiting.pop()
        if not seen:
            move = _move(node, size)
            if move is None or (board is not None and not _made(board, move)):
                continue
            line.append(move[1])
            found[id(node)] = []
            waiting.append((parent, node, main, True))
            visit(node, main=main)
            continue
        if board is not None:
            board.undo()
        replies = tuple(found.pop(id(node)))
        right = _is_right(node) or any(step.right for step in replies) if marked else main
        found[id(parent)].append(Step(line.pop(), right, replies, _lost(node)))
    return tuple(found[id(root)])


def _lost(node: RawNode) -> float | None:
    """Return what a move loses according to a review; None if the record does not say."""
    if _LOST not in node.properties:
        return None
    try:
        lost = float(node.properties[_LOST][0][:20])
    except ValueError:
        return None
    return lost if 0 <= lost <= _MOST_LOST else None


def _made(board: Board, move: tuple[Colour, int]) -> bool:
    """Make a move if it is legal; return whether it is."""
    if move[0] != board.to_move:
        return False
    try:
        board.make(move[1])
    except IllegalMove:
        return False
    return True


def _depth(steps: tuple[Step, ...]) -> int:
    """Return the number of moves of the longest right line along first right moves."""
    depth = 0
    while right := [step for step in steps if step.right]:
        depth += 1
        steps = right[0].replies
    return max(1, depth)


def _ours(problem: Problem, properties: dict[str, list[str]]) -> Problem | None:
    """Return a problem with the data of our own property; None if that is missing or invalid."""
    words = properties.get(_PROPERTY, [""])[0].split(":")
    size = problem.position.size
    if len(words) != 5 or words[0] not in _OURS or words[1] not in get_args(Task):
        return None
    try:
        plies, prior, visits = int(words[2]), float(words[3]), int(words[4])
        target = next((point_of(raw, size) for raw in properties.get("TR", ())), PASS)
        area = 0
        for raw in properties.get("SL", ()):
            area |= rectangle(raw, size)
        choices = tuple(sorted({point_of(raw.partition(":")[0], size) for raw in properties.get("LB", ())}))
    except ValueError:
        return None
    stones = problem.position.black | problem.position.white
    needs_target = words[1] not in ("reply", "mistake")
    if needs_target and (target == PASS or not stones >> target & 1):
        return None
    if PASS in choices or visits < 0 or not 0 <= prior <= 1 or not 1 <= plies <= _MOST_PLIES:
        return None
    kind: Kind = words[0]
    task: Task = words[1]  # type: ignore[assignment]
    return replace(
        problem,
        kind=kind,
        task=task,
        target=target,
        area=area,
        choices=choices,
        plies=plies,
        prior=prior,
        visits=visits,
        origin=_origin(properties),
    )


def _origin(properties: dict[str, list[str]]) -> Origin | None:
    number = whole_number(properties.get(_NUMBER, [""])[0], 0, _MOST_MOVES)
    if number is None:
        return None
    black, white, date = (decode_line(properties.get(name, [""])[0]) for name in _PLAYED)
    return Origin(black, white, date, number)


# Writing


def _root(problem: Problem) -> RawNode:
    """Return the game of a problem."""
    position = problem.position
    size, names = position.size, names_of(position.size)
    root = RawNode()
    root.properties = {
        "GM": [TORUS_GAME],
        "FF": ["4"],
        "SZ": [str(size)],
        "TO": ["3"],
        "GN": [encode_line(problem.name)],
    }
    for name, mask in (("AB", position.black), ("AW", position.white), ("SL", problem.area)):
        if mask:
            root.properties[name] = values_of(mask, size)
    root.properties["PL"] = [LETTER_OF[position.to_move]]
    if problem.target != PASS:
        root.properties["TR"] = [names[problem.target]]
    if problem.choices:
        labels = zip(problem.choices, _LETTERS, strict=False)
        root.properties["LB"] = [f"{names[point]}:{label}" for point, label in labels]
    asked = _TASKS.get(problem.task)
    text = problem.comment if asked is None else asked.format(side=_SIDES[position.to_move])
    if text:
        root.properties["C"] = [encode(text)]
    if problem.origin is not None:
        texts = zip(_PLAYED, problem.origin[:3], strict=True)
        root.properties |= {name: [encode_line(text)] for name, text in texts if text}
        root.properties[_NUMBER] = [str(problem.origin.number)]
    if problem.kind in _OURS:
        root.properties[_PROPERTY] = [
            f"{problem.kind}:{problem.task}:{problem.plies}:{problem.prior:g}:{problem.visits}"
        ]
    _add(root, problem.steps, position.to_move, names)
    return root


def _add(parent: RawNode, steps: tuple[Step, ...], colour: Colour, names: tuple[str, ...]) -> None:
    for step in sorted(steps, key=lambda step: not step.right):
        node = RawNode()
        node.properties = {LETTER_OF[colour]: [names[step.move]]}
        parent.children.append(node)
        if step.lost is not None:
            node.properties[_LOST] = [f"{step.lost:.2f}"]
        _add(node, step.replies, opponent(colour), names)
        if step.right and not any(reply.right for reply in step.replies):
            node.properties["C"] = ["RIGHT"]


def numbers_of(problem: Problem) -> dict[int, str]:
    """Return the labels of the points to choose from: numbers, since letters are the names of columns."""
    return {point: str(number) for number, point in enumerate(problem.choices, 1)}
