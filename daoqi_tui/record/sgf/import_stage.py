"""The import stage, between parser and game: what other programs write becomes what SGF and this program mean.

:func:`standardise` knows who wrote a record, the units, the words and the conventions. It rewrites the raw nodes of a
game in place, moves what it cannot interpret to :data:`~daoqi_tui.record.sgf.info.SKIPPED`, from where it is written
back, and reports every repair to the collection. What it leaves, it leaves as it is when it comes again.

The conventions are known from files and from programs that read them (KaTrain, KataGo, Sabaki, lizzieyzy).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from daoqi_tui.engine import (
    BLACK,
    DAOQI,
    LARGEST,
    PASS,
    SMALLEST,
    STANDARD_KOMI,
    WHITE,
    Colour,
    Rules,
    opponent,
    points_text,
)
from daoqi_tui.engine.game import LARGEST_KOMI
from daoqi_tui.engine.rules import colour_message
from daoqi_tui.message import Message
from daoqi_tui.record.sgf import Collection, RawNode
from daoqi_tui.record.sgf.build import legal_only_on_torus
from daoqi_tui.record.sgf.info import (
    AGREED_DEAD,
    SKIPPED,
    STANDARD_RESULT,
    TORUS_GAME,
    Amount,
    are_chinese,
    in_digits,
    komi_in,
    komi_text,
    read_amount,
    read_rules,
    standard_result,
)
from daoqi_tui.record.sgf.markup import (
    COLOURS,
    LETTER_OF,
    PointError,
    moves_of,
    names_of,
    plays_of,
    point_of,
    rectangle,
)
from daoqi_tui.record.text import decode_line, encode_line

_SPEC_SIZE: Final = 19
"""SGF: the board of a Go record without SZ."""


def games_of(collection: Collection) -> list[RawNode]:
    """Return the roots of the games of Go in a collection, or all of them if none is; others are reported."""
    others = {root: problem for root in collection.roots if (problem := _other_game(root)) is not None}
    if len(others) == len(collection.roots):
        return collection.roots
    for root, problem in others.items():
        collection.report(root.at, Message("{problem}; skipped", problem=problem))
    return [root for root in collection.roots if root not in others]


class Start(NamedTuple):
    """How a recorded game starts.

    Attributes:
        size, komi, rules: of the game.
        declared: whether the record declares a torus; None without a declaration.
        torus: whether it is read as played on a torus.
    """

    size: int
    komi: float
    rules: Rules
    declared: bool | None
    torus: bool


def standardise(collection: Collection, root: RawNode, torus: bool | None = None) -> Start:
    """Rewrite a game to standard SGF in place.

    Args:
        collection: of the game; repairs are reported to it.
        root: the game.
        torus: whether it was played on a torus; None uses the record's declaration, or without one, whether its main
            line is legal only on a torus.

    Raises:
        SgfError: it is a record of another game, or of Go on a board that this program has not.
    """
    other = _other_game(root)
    if other is not None:
        raise collection.error(root.at, other)
    if first(root, "TO") in ("1", "2"):
        cylinder = Message("TO[1] and TO[2] are a board that wraps in one direction only; the torus is TO[3]")
        raise collection.error(root.at, cylinder)
    size = _size(collection, root)
    _handicap(collection, root, size)
    _result(collection, root)
    _nodes(collection, root, size)
    declared = declared_torus(root)
    if torus is None:
        torus = legal_only_on_torus(root, size) if declared is None else declared
    rules = read_rules(first(root, "RU")) or DAOQI
    usual = STANDARD_KOMI if torus else _flat_komi(root, rules)
    komi = _komi(collection, root, usual)
    return Start(size, komi, rules, declared, torus)


def first(root: RawNode, name: str) -> str:
    """Return the first value of a property as text on one line, empty without one."""
    values = root.properties.get(name)
    return decode_line(values[0]) if values else ""


# The game and its board

_GO: Final = ("", "1", "go", "weiqi", "baduk", "围棋", "圍棋")
_TORUS_GAMES: Final = (TORUS_GAME, "10")
_OTHER_GAMES: Final = {
    "2": Message("Othello"),
    "3": Message("chess"),
    "4": Message("Gomoku"),
    "7": Message("Chinese chess"),
    "8": Message("Shogi"),
    "11": Message("Hex"),
}


def _other_game(root: RawNode) -> Message | None:
    """Return which other game a record is of, None for Go."""
    game = first(root, "GM").lower()
    if game in (*_GO, *_TORUS_GAMES):
        return None
    known = _OTHER_GAMES.get(game, Message("another game"))
    return Message("GM[{text}] is {game}; only records of Go, GM[1], can be read", text=_short(game), game=known)


def declared_torus(root: RawNode) -> bool | None:
    """Return whether the record declares a torus: True, False (``TO[0]``), or None if it says nothing."""
    wraps = first(root, "TO")
    if wraps in ("0", "3"):
        return wraps == "3"
    return True if first(root, "GM").lower() in _TORUS_GAMES or "daoqi" in _writer(root) else None


def _writer(root: RawNode) -> str:
    """Return the programs that wrote a record, in lower case; some add their name and keep that of another."""
    return " ".join(root.properties.get("AP", ())).lower()


def _is_own(root: RawNode) -> bool:
    return "daoqi_tui" in _writer(root)


_SIZE = re.compile(r"0*(\d{1,9})\s*(?:[:xX×*]\s*0*(\d{1,9}))?\s*[路道]?盘?", re.ASCII)


def _size(collection: Collection, root: RawNode) -> int:
    """Return the size of the board.

    Raises:
        SgfError: SZ is invalid, not square, or out of range.
    """
    text = unicodedata.normalize("NFKC", first(root, "SZ"))
    if not text:
        return _SPEC_SIZE
    found = _SIZE.fullmatch(text)
    shown = _short(text)
    if not found:
        wrong = Message(
            "the size SZ[{text}] is not a number; it should be {least} to {most}",
            text=shown,
            least=SMALLEST,
            most=LARGEST,
        )
        raise collection.error(root.at, wrong)
    if found[2] and int(found[2]) != int(found[1]):
        raise collection.error(
            root.at, Message("the board SZ[{text}] is not square; only square boards can be read", text=shown)
        )
    size = int(found[1])
    if not SMALLEST <= size <= LARGEST:
        beyond = Message(
            "the size SZ[{text}] is out of range: {least} to {most}", text=shown, least=SMALLEST, most=LARGEST
        )
        raise collection.error(root.at, beyond)
    return size


# Komi

_KOMI_ELSEWHERE: Final = ("KO", "KI", "KOMI")
"""Properties in which programs write the komi. In SGF, KO says that a move may be illegal, and has no value."""
_WITH_KOMI: Final = ("RU", "GN", "EV", "GC", "RO", "OT", "HA", "C")
"""Properties whose text may name the komi: ``EV[分先:黑贴7目半]``."""
_HUNDREDTHS: Final = ("foxwq", "sgfc:2.0", "sgfc\\:2.0")
"""Programs that write hundredths of points, or of zi."""
_LEAST_OF_PROGRAM: Final = 25
_LEAST_HUNDREDTHS: Final = 100
"""In records of other programs: the files of one are saved again by another."""
_MOST_HUNDREDTHS: Final = 2_000
_USUAL_KOMI: Final = 6.5
_ZI_KOMI: Final = (2, 4)
"""Whole and half komi in this range are zi where a program writes hundredths: 350 is 3.5 zi, 650 is 6.5 points."""


def _flat_komi(root: RawNode, rules: Rules) -> float:
    """Return the default komi of a flat-board record: 0, unless its rules prescribe one.

    Old games had none, and neither have handicap games.
    """
    return rules.komi if first(root, "RU") and not _has_handicap(root) else 0


def _komi(collection: Collection, root: RawNode, usual: float) -> float:
    """Return the komi of a record, and write it into KM; ``usual`` is for one that says none."""
    properties, written = root.properties, first(root, "KM")
    text, where = _recorded_komi(root)
    is_even = not _has_handicap(root)
    counts_hundredths = any(name in _writer(root) for name in _HUNDREDTHS)
    if counts_hundredths and is_even and text in ("", "0", "0.0"):
        rules = read_rules(first(root, "RU"))
        meant = Message("{text} of this program means the komi of the rules", text=where)
        return _set_komi(collection, root, (rules and rules.komi) or _USUAL_KOMI, meant)
    if not text:
        properties.pop("KM", None)
        return usual
    amount, unit = read_amount(text), None
    if amount is not None and amount.zi is None:
        amount, unit = _in_points(amount, collection.format, root, counts_hundredths=counts_hundredths, is_even=is_even)
    if amount is None or abs(amount.number) > LARGEST_KOMI:
        wrong = Message(
            "{text} is not a number of points from {least} to {most}; komi {komi} is used",
            text=where,
            least=-LARGEST_KOMI,
            most=LARGEST_KOMI,
            komi=points_text(usual),
        )
        collection.report(root.at, wrong)
        _put_aside(root, [("KM", raw) for raw in properties.pop("KM", ())])
        return usual
    if amount.zi:
        unit = unit or Message("{text} counts zi, of two points each", text=where)
        return _set_komi(collection, root, amount.number * 2, unit)
    elsewhere = Message("the komi is in {text}", text=where) if text != written else None
    return _set_komi(collection, root, amount.number, unit or elsewhere)


def _recorded_komi(root: RawNode) -> tuple[str, str]:
    """Return the komi of a record as it writes it, empty if it says none, and the property in which it does."""
    text = first(root, "KM")
    if text:
        return text, f"KM[{_short(text)}]"
    for name in _KOMI_ELSEWHERE:
        if read_amount(first(root, name)) is not None:
            text = decode_line(root.properties.pop(name)[0])
            return text, f"{name}[{_short(text)}]"
    for name in _WITH_KOMI:
        if text := komi_in(first(root, name)):
            return text, f"{name}[{_short(first(root, name))}]"
    return "", "KM[]"


def _in_points(
    amount: Amount, format_: str, root: RawNode, *, counts_hundredths: bool, is_even: bool
) -> tuple[Amount, Message | None]:
    """Return a komi without a unit in that of the writer, points or zi, and the repair if there is one.

    Args:
        amount: the komi.
        format_: of the record.
        root: the record.
        counts_hundredths: whether its program writes hundredths.
        is_even: whether it is a game without handicap.
    """
    number = amount.number
    if format_ == "GIB":
        return Amount(number / 10, zi=False), None
    if format_ == "NGF":
        # Only whole numbers are written; in even games, half a point has to be added.
        return Amount(number + 0.5 if is_even and number >= 0 else number, zi=False), None
    if _is_own(root):
        return amount, None
    least = _LEAST_OF_PROGRAM if counts_hundredths else _LEAST_HUNDREDTHS
    if number == int(number) and number % 25 == 0 and least <= abs(number) <= _MOST_HUNDREDTHS:
        hundredths = Amount(number / 100, None)
        zi = hundredths.is_quarter or _ZI_KOMI[0] <= hundredths.number <= _ZI_KOMI[1]
        text = f"KM[{first(root, 'KM')}]"
        unit = Message("{text} counts hundredths of zi", text=text)
        return hundredths._replace(zi=zi), unit if zi else Message("{text} counts hundredths of points", text=text)
    # Half a point is a quarter of a zi. No komi in points has quarters, but the game's author allows them on the torus.
    return amount._replace(zi=amount.is_quarter and (are_chinese(first(root, "RU")) or not declared_torus(root))), None


def _set_komi(collection: Collection, root: RawNode, komi: float, repair: Message | None = None) -> float:
    root.properties["KM"] = [komi_text(komi)]
    if repair is not None:
        collection.report(root.at, Message("{problem}: read as komi {komi}", problem=repair, komi=points_text(komi)))
    return int(komi) if komi == int(komi) else komi


# Handicap

_MOST_HANDICAP: Final = 9


def _has_handicap(root: RawNode) -> bool:
    """Return whether Black has an advantage that komi does not balance: stones, or the first move without komi."""
    if "AB" in root.properties and "AW" not in root.properties and "HA" not in root.properties:
        follows = root.children[0].properties if root.children else {}
        return "W" in follows and len(root.properties["AB"]) > 1
    return first(root, "HA").strip("0") != ""


def _handicap(collection: Collection, root: RawNode, size: int) -> None:
    properties = root.properties
    text = first(root, "HA")
    if text and not re.fullmatch(r"[0-9]{1,3}", text):
        number = re.search(r"\d{1,3}", in_digits(text))
        if number is not None:
            properties["HA"] = [number[0]]
            collection.report(
                root.at, Message("HA[{text}] is read as handicap {count}", text=_short(text), count=number[0])
            )
    stones = first(root, "HA")
    count = int(stones) if re.fullmatch(r"[0-9]{1,3}", stones) else 0
    if count < 2 or "AW" in properties:
        return
    follows = root.children[0].properties.keys() if root.children else ()
    if "AB" in properties:
        if "PL" not in properties and not {"B", "W"} & {*properties, *follows}:
            properties["PL"] = ["W"]
    elif collection.format != "SGF":
        # The servers lay out the stones on star points.
        if count <= _MOST_HANDICAP and size >= 7:
            properties["AB"] = _star_points(count, size)
    elif {"B", "AB"}.isdisjoint({*properties, *follows}):
        collection.report(root.at, Message("HA[{count}]: the record sets up no handicap stones", count=count))


def _star_points(stones: int, size: int) -> list[str]:
    """Return the star points of a flat board in the order in which the Korean servers lay out handicap stones."""
    near, middle, far = 2 if size < 13 else 3, size // 2, size - (3 if size < 13 else 4)
    corners = ((far, near), (near, far), (near, near), (far, far))
    sides = ((near, middle), (far, middle), (middle, near), (middle, far))
    points = list(corners[: min(stones, 4)])
    if stones >= 6:
        points += sides[: 2 if stones < 8 else 4]
    if stones in (5, 7, 9):
        points.append((middle, middle))
    return [chr(97 + column) + chr(97 + row) for column, row in points]


# Results


def _result(collection: Collection, root: RawNode) -> None:
    text = first(root, "RE")
    in_zi = are_chinese(first(root, "RU")) and not _is_own(root)
    if STANDARD_RESULT.fullmatch(text) and not (in_zi and re.search(r"\.[27]5\b", text)):
        return
    result = standard_result(text, in_zi=in_zi)
    if result is not None and result != text:
        root.properties["RE"] = [encode_line(result)]
        if collection.format != "NGF":  # That format has no other results.
            collection.report(root.at, Message("RE[{text}] is read as {result}", text=_short(text), result=result))


# Moves, setup and turns

_PASS_WORDS: Final = ("pass", "--", "虚着", "虛著", "虚手", "虛手", "停一手", "パス")
_OFF_BOARD = re.compile(r"[@`a-z]{2}")
"""A point off the board: beyond its last line, or before its first."""
_STONES: Final = ("AB", "AW", "AE", AGREED_DEAD)
_TOUCHED: Final = frozenset((*COLOURS, *_STONES, "PL"))
_SIDES: Final = {BLACK: "b1x黑黒흑●", WHITE: "w2o白백○"}


def _nodes(collection: Collection, root: RawNode, size: int) -> None:
    known, plays = moves_of(size), plays_of(size)
    passes: list[tuple[int, str]] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        ahead, children = node.ahead()
        waiting += (children if plays.keys() >= set(ahead) else node.children)[::-1]
        properties = node.properties
        if len(properties) == 1:
            ((name, values),) = properties.items()
            if name in COLOURS and len(values) == 1 and values[0] in known:
                continue
        if _TOUCHED.isdisjoint(properties):
            continue
        for name in COLOURS:
            moves = properties.get(name)
            if moves is not None and not (len(moves) == 1 and moves[0] in known):
                _moves(collection, node, name, size, passes)
        if "AB" in properties or "AW" in properties or "AE" in properties or AGREED_DEAD in properties:
            _setup(collection, node, size)
        if "PL" in properties:
            _turn(collection, node)
    if passes and collection.format != "UGF":  # That format has no other passes.
        at, move = passes[0]
        more = len(passes) - 1
        said = Message("{move} is off the board: read as a pass", move=move)
        if more:
            said = Message("{problem}; {more} more in the record", problem=said, more=more)
        collection.report(at, said)


def _moves(collection: Collection, node: RawNode, name: str, size: int, passes: list[tuple[int, str]]) -> None:
    """Standardise the moves of one colour in a node; of one that cannot be read, only the turn remains."""
    properties = node.properties
    read, refused = [], []
    for raw in properties[name]:
        word = "".join(raw[:50].split()).lower()
        try:
            point = PASS if word in _PASS_WORDS else point_of(raw, size)
        except PointError as error:
            if _OFF_BOARD.fullmatch(word):
                passes.append((node.at, f"{name}[{raw}]"))
                point = PASS
            else:
                problem = Message("{name}{problem}", name=name, problem=error)
                collection.report(node.at, Message("{problem}; skipped", problem=problem))
                refused.append((name, raw))
                continue
        read.append(names_of(size)[point])
    if read:
        properties[name] = read
    else:
        del properties[name]
        if "PL" not in properties and COLOURS.keys().isdisjoint(properties):
            properties["PL"] = [LETTER_OF[opponent(COLOURS[name])]]
    _put_aside(node, refused)


def _setup(collection: Collection, node: RawNode, size: int) -> None:
    properties = node.properties
    refused: list[tuple[str, str]] = []
    for name in _STONES:
        if name not in properties:
            continue
        kept = []
        for raw in properties[name]:
            if not raw.strip() and name == "AE":
                continue
            try:
                rectangle(raw, size)
            except PointError as error:
                problem = Message("{name}{problem}", name=name, problem=error)
                collection.report(node.at, Message("{problem}; skipped", problem=problem))
                refused.append((name, raw))
            else:
                kept.append(raw)
        properties[name] = kept
        if not kept:
            del properties[name]
    _put_aside(node, refused)


def _turn(collection: Collection, node: RawNode) -> None:
    values = node.properties.pop("PL")
    word = decode_line(values[0]).lower()[:1]
    side: Colour | None = next((colour for colour, signs in _SIDES.items() if word and word in signs), None)
    if side is None:
        collection.report(node.at, Message("PL is neither B nor W; skipped"))
        _put_aside(node, [("PL", raw) for raw in values])
        return
    if word in "xo":
        read = Message("PL[{text}] is read as {colour}", text=_short(values[0]), colour=colour_message(side))
        collection.report(node.at, read)
    node.properties["PL"] = [LETTER_OF[side]]


def _put_aside(node: RawNode, refused: list[tuple[str, str]]) -> None:
    """Keep values that cannot be interpreted, each with its property, so that writing repeats them."""
    if refused:
        kept = node.properties.get(SKIPPED, [])
        node.properties[SKIPPED] = [*kept, *(f"{name}:{value}" for name, value in refused)]


def _short(text: str) -> str:
    return text if len(text) <= 20 else text[:20] + "…"
