"""Game information of a record: players, date, result and the rest of the root node.

Numbers of points and results are read as people and programs write them: ``三又四分之三子``,
``White wins by 3.5 points``.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass, fields, replace
from typing import Final, NamedTuple

from daoqi_tui.engine import (
    BLACK,
    DAOQI,
    POSITIONAL,
    SIMPLE,
    SITUATIONAL,
    WHITE,
    Game,
    Node,
    OutOfTime,
    Resignation,
    Rules,
    Setup,
    Superko,
    TwoPasses,
    area,
    parse_rules,
    points_text,
)
from daoqi_tui.engine.game import LARGEST_KOMI
from daoqi_tui.engine.result import uncounted
from daoqi_tui.message import Message
from daoqi_tui.record.sgf.markup import values_of
from daoqi_tui.record.text import SgfError, decode, decode_line, encode, encode_line, safe
from daoqi_tui.text import plain_line


@dataclass(frozen=True, slots=True)
class Info:
    """The game information of a record, as display text; empty if the record has none.

    Attributes:
        handicap: the number of handicap stones, 0 for none.
        rules: their name; in writing, the rules of the game take precedence.
        time: main time in seconds, as in SGF; ``overtime`` is free text.
        result: ``B+3.5``, ``W+0``, ``W+R``, ``Void`` … or whatever the record says, empty if it says nothing; None
            to write the result of the game.
    """

    black: str = ""
    white: str = ""
    black_rank: str = ""
    white_rank: str = ""
    black_team: str = ""
    white_team: str = ""
    date: str = ""
    result: str | None = None
    name: str = ""
    event: str = ""
    round: str = ""
    place: str = ""
    handicap: int = 0
    rules: str = "Daoqi"
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
HEADER_PROPERTIES: Final = frozenset(("FF", "GM", "CA", "AP", "SZ", "KM", "TO"))
"""Root properties that say how to read the file; regenerated each time."""
TORUS_GAME: Final = "q5go-1"
"""The GM of torus records: q5Go heeds TO only there, and programs for flat boards refuse to read another game."""
assert {field.name for field in fields(Info)} == set(_PROPERTY)


def read_info(properties: dict[str, list[str]]) -> Info:
    found: dict[str, str] = {}
    for field, name in _PROPERTY.items():
        raw = properties.get(name)
        if raw:
            found[field] = decode(raw[0]) if field == "comment" else decode_line(raw[0])
    handicap = _whole(found.pop("handicap", ""))
    # A record without rules is not assumed to use ours, and one without a result gets none.
    found.setdefault("rules", "")
    found.setdefault("result", "")
    return Info(handicap=handicap, **found)


def info_properties(info: Info, properties: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the root properties for ``info``, in a root node that was read with ``properties``.

    A property with an unchanged meaning is written back byte for byte.
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


_CHINESE: Final = Rules(POSITIONAL, suicide=False, pass_cost=0, komi=7.5, tie=None)
_UNKNOWN: Final = Rules(SIMPLE, pass_cost=0, komi=0, tie=None)
_AREA_RULES: Final = (
    (re.compile(r"chin|\bcn\b|中国|中國|数子|數子|\barea"), _CHINESE),
    (re.compile(r"\baga\b"), replace(_CHINESE, superko=SITUATIONAL)),
    (re.compile(r"\bnz\b|new zealand"), Rules(SITUATIONAL, pass_cost=0, komi=7, tie=None)),
    (re.compile(r"\bgoe\b|\bing\b|应氏|應氏|计点|計點"), Rules(SITUATIONAL, pass_cost=0, komi=8, tie=BLACK)),
)
"""Rules of flat boards that count area, by what their names contain, with the komi of an even game."""
_TERRITORY_RULES = re.compile(r"japan|\bjp\b|kor|\bkr\b|日本|日式|日韩|韩国|韓國|한국|数目|數目|territory")
_SUPERKO: Final[dict[str, Superko]] = {"simple": SIMPLE, "positional": POSITIONAL, "situational": SITUATIONAL}
_KATAGO_RULES = re.compile(r"ko(SIMPLE|POSITIONAL|SITUATIONAL)score(AREA|TERRITORY)\w*?sui([01])\w*")


def _named_rules(text: str) -> tuple[Rules, bool] | None:
    """Return the rules that a record names, None if it names none, and whether this program can score by them.

    Those of flat boards take no points for passes.
    """
    if not text.strip():
        return None
    try:
        return parse_rules(text), True
    except ValueError:
        pass
    if katago := _KATAGO_RULES.match(text):
        rules = Rules(_SUPERKO[katago[1].lower()], suicide=katago[3] == "1", pass_cost=0, komi=7.5, tie=None)
        return rules, katago[2] == "AREA"
    for name, rules in _AREA_RULES:
        if name.search(text.lower()):
            return rules, True
    return replace(_UNKNOWN, komi=6.5 if _TERRITORY_RULES.search(text.lower()) else 0), False


def read_rules(text: str) -> Rules | None:
    named = _named_rules(text)
    return named and named[0]


def are_chinese(rules: str) -> bool:
    return read_rules(rules) is _CHINESE


def describe_unknown_rules(text: str) -> Message | None:
    """Say that a record names rules by which this program cannot score; None if it can."""
    named = _named_rules(text)
    if named is None or named[1]:
        return None
    return Message(
        "the rules of the record, {rules}, are not known here: the score is by area, and passes cost nothing",
        rules=plain_line(text),
    )


def rules_text(game: Game, text: str) -> str:
    """Return RU for ``game``: ``text``, the name given by its record or players, unless it contradicts the rules."""
    named = read_rules(text)
    if named is None:
        # Another program's record may name rules that this program interprets as its own.
        return text if replace(game.rules, komi=DAOQI.komi) == DAOQI else str(game.rules)
    return text if replace(named, komi=game.rules.komi) == game.rules else str(game.rules)


def _whole(text: str) -> int:
    """Parse a number of handicap stones; anything invalid is 0."""
    return int(text) if re.fullmatch(r"[0-9]{1,3}", text) else 0


def komi_text(komi: float) -> str:
    """Format komi for a record: ``4``, ``3.75``, never with an exponent."""
    if not math.isfinite(komi):
        raise ValueError(Message("komi {komi} is not a number of points", komi=komi))
    text = f"{komi:.9f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


ENDED: Final = "XEND"
"""At a node where a game ended outside the main line or before its end: ``XEND[W+R]``."""
AGREED_DEAD: Final = "XDEAD"
"""The stones both players agreed are dead, at the second of two passes: ``XDEAD[aa][ab]``."""

RESUMED: Final = "XRESUMED"
"""At two passes after which play was resumed, where nothing follows that shows it: ``XRESUMED[]``."""

SKIPPED: Final = "XSKIPPED"
"""Moves and setup that reading skipped, each prefixed by its property: ``XSKIPPED[W:aa][AB:zz]``.

They are not executed when the record is read again: what was impossible on a flat board may be legal on the torus, and
everything after it would be played in a different position.
"""

_UNCOUNTED = re.compile(r"\s*([BW])\w*\s*\+\s*(R|Resign|T|Time)\s*", re.IGNORECASE)


def read_ending(result: str | None) -> Resignation | OutOfTime | None:
    """Parse a result such as ``W+Resign`` or ``B+T``; None for one by score, or anything else."""
    found = _UNCOUNTED.fullmatch(result or "")
    if found is None:
        return None
    loser = WHITE if found[1].upper() == "B" else BLACK
    return Resignation(loser) if found[2][0].upper() == "R" else OutOfTime(loser)


def last_of(game: Game) -> Node:
    """Return the end of the main line: its last node, or an earlier one with a resignation or loss on time."""
    last = game.root
    for node in (game.root, *game.root.line()):
        last = node
        if isinstance(node.ending, Resignation | OutOfTime):
            break
    return last


def go_to_move(game: Game, number: int | None) -> Node:
    """Set the cursor on the main line after ``number`` moves, None for its end.

    Raises:
        SgfError: the main line has no such move.
    """
    if number is None:
        game.goto(last_of(game))
        return game.node
    found = None
    for node in (game.root, *game.root.line()):
        if node.number == number:
            found = node
    if found is None:
        raise SgfError(
            Message(
                "there is no move {number}; the main line has moves 1 to {last}, 0 is the start",
                number=number,
                last=last_of(game).number,
            )
        )
    game.goto(found)
    return found


def result_of(game: Game) -> str:
    """Return the result at the end of the main line, empty if there is none; the cursor stays."""
    last = last_of(game)
    if not last.is_over:
        return ""
    ending = last.ending
    if isinstance(ending, Resignation | OutOfTime):
        return str(uncounted(ending))
    ending, board = ending or TwoPasses(), game.board_at(last)
    return "" if board.no_liberties() else str(area(board, game.komi, ending.dead).result(ending))


def ending_properties(node: Node, size: int, *, main_end: bool, result: str | None) -> dict[str, list[str]]:
    """Return the properties that store the ending of a node where RE does not, or that play was resumed there."""
    ending = node.ending
    if isinstance(ending, TwoPasses):
        mask = sum(1 << point for point in ending.dead)
        return {AGREED_DEAD: values_of(mask, size)} if mask else {}
    if ending is None:
        return {RESUMED: [""]} if node.resumed and not any(map(_goes_on, node.children)) else {}
    if main_end and not node.children and read_ending(result) == ending:
        return {}
    return {ENDED: [str(uncounted(ending))]}


def _goes_on(node: Node) -> bool:
    """Return whether a node shows that play was resumed before it: a move, or one that only sets whose turn it is."""
    if node.move is not None or node.properties or node.ending is not None:
        return node.move is not None
    turns = isinstance(node.action, Setup) and not node.action.points
    return turns and bool(node.children) and all(child.move is not None for child in node.children)


_NUMERALS: Final = {sign: place for place, signs in enumerate(("〇零", *"一二三四五六七八九")) for sign in signs}
_NUMERALS.update({"两": 2, "兩": 2})
_NUMERAL: Final = "[〇零一二三四五六七八九十两兩]{1,3}"
_OVER = re.compile(rf"({_NUMERAL})分之({_NUMERAL})")
_FRACTIONS: Final = {"½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3", "半": " 1/2 ", "반": " 1/2 "}
_POINTS: Final = r"目|집|points?|pts?|moku"
_ZI: Final = r"子|stones?|zi"
_AMOUNT: Final = (
    r"(?P<sign>[+-])?\s?(?:(?P<whole>\d{1,9})(?:[.,](?P<decimals>\d{0,60}))?)??"
    rf"\s?(?:(?P<points>{_POINTS})|(?P<zi>{_ZI}))?\s?(?P<and>又)?\s?(?:(?P<over>\d{{1,4}})/(?P<under>\d{{1,4}}))?"
    rf"\s?(?P<unit>{_POINTS}|(?P<zi_behind>{_ZI}))?"
)
_KOMI: Final = r"(?:贴|貼|コミ|komi\b|덤)(?:出|目)?\s?[:=]?\s?"
_WHOLE_TEXT = re.compile(rf"(?:(?:黑|black)?\s?{_KOMI})?{_AMOUNT}", re.IGNORECASE | re.ASCII)
_KOMI_IN_TEXT = re.compile(rf"{_KOMI}(?P<amount>{_AMOUNT})(?![\d.])", re.IGNORECASE | re.ASCII)
_MARGIN = re.compile(rf"(?<![\d.]){_AMOUNT}(?![\d.])(?!\s?(?:手|moves?))", re.IGNORECASE | re.ASCII)


class Amount(NamedTuple):
    """A number as a record writes it.

    Attributes:
        number: its value.
        zi: whether it counts zi, of two points each; None if the text does not say.
    """

    number: float
    zi: bool | None

    @property
    def is_quarter(self) -> bool:
        """Whether it is an odd number of quarters, as half a point counts in zi and no komi in points does."""
        return self.number * 4 % 2 == 1


def read_amount(text: str) -> Amount | None:
    """Parse a number of points or zi as records write it, None if it is none.

    >>> [read_amount(text) for text in ("6,5", "三又四分之三子", "六目半")]
    [Amount(number=6.5, zi=None), Amount(number=3.75, zi=True), Amount(number=6.5, zi=False)]
    """
    found = _WHOLE_TEXT.fullmatch(in_digits(text))
    return None if found is None else _amount(found)


def komi_in(text: str) -> str:
    """Return the number of points or zi that a text names as komi, empty if it names none.

    >>> komi_in("分先:黑贴7目半")
    '7目 1/2'
    """
    found = _KOMI_IN_TEXT.search(in_digits(text))
    return found["amount"].strip() if found is not None and _amount(found) is not None else ""


def _amount(found: re.Match[str]) -> Amount | None:
    over, under = found["over"], found["under"]
    if (found["whole"] is None and over is None) or (over is not None and not int(under)):
        return None
    number = float(f"{found['whole'] or 0}.{found['decimals'] or 0}")
    if over is not None:
        number += int(over) / int(under)
    in_zi = found["zi"] or found["zi_behind"] or found["and"]
    zi = True if in_zi else False if found["points"] or found["unit"] else None
    return Amount(-number if found["sign"] == "-" else number, zi)


def in_digits(text: str) -> str:
    """Return text with its fractions, Chinese numerals and full-width characters in ASCII, without runs of spaces."""
    text = _OVER.sub(lambda found: f" {_value(found[2])}/{_value(found[1])}", text[:100_000])
    for sign, fraction in _FRACTIONS.items():
        text = text.replace(sign, fraction)
    text = re.sub(_NUMERAL, lambda found: str(_value(found[0])), text)
    # Without runs of spaces, on which the patterns would backtrack.
    return " ".join(unicodedata.normalize("NFKC", text).replace("−", "-").split())


def _value(numeral: str) -> int:
    tens, ten, ones = numeral.rpartition("十")
    unit = int("".join(str(_NUMERALS.get(sign, "")) for sign in ones) or 0)
    return (10 * (_NUMERALS.get(tens, 1)) if ten else 0) + unit


STANDARD_RESULT = re.compile(
    r"[BW]\w*\s*\+\s*(?:R|Resign|T|Time|F|Forfeit|\d+(?:\.\d*)?)?|0|Draw|Void|\?|", re.IGNORECASE
)
_BLACK_WORDS: Final = r"black|\bb\b|黑|黒|흑"
_WHITE_WORDS: Final = r"white|\bw\b|白|백"
_WINS: Final = r"\bw[io]n|beats?\b|胜|勝|승|\+"
_LOSES: Final = r"\blos[et]|resign|forfeit|负|負|敗|败|认输|認輸|投了|투료|패|超时|超時|time"
_EITHER: Final = rf"(?:(?P<black>{_BLACK_WORDS})|{_WHITE_WORDS})(?P<how>(?:(?!{_BLACK_WORDS}|{_WHITE_WORDS}).)*?)"
_WINNER = re.compile(rf"{_EITHER}(?:{_WINS})", re.IGNORECASE)
_LOSER = re.compile(rf"{_EITHER}(?:{_LOSES})", re.IGNORECASE)
_NO_WINNER: Final = {
    "Void": re.compile(r"void|no result|both lose|无胜负|無勝負|无结果|無效|无效|무효", re.IGNORECASE),
    "0": re.compile(r"jigo|draw|\btied?\b|持碁|持棋|和棋|平局|무승부|\A\s*和\s*\Z", re.IGNORECASE),
    "?": re.compile(r"unknown|unfinished|suspended|打挂|打掛|未完|封棋|봉수", re.IGNORECASE),
}
_HOW: Final = {
    "R": re.compile(r"resign|\bR\b|中盘|中盤|中押|不计|不計|불계|投了|认输|認輸|투료", re.IGNORECASE),
    "T": re.compile(r"time|\bT\b|超时|超時|时间|時間|시간", re.IGNORECASE),
    "F": re.compile(r"forfeit|default|弃权|棄權|判|反则|反則|违规|기권", re.IGNORECASE),
}


def standard_result(text: str, *, in_zi: bool = False) -> str | None:
    """Return a result in the form of SGF, None if the text says none.

    >>> [standard_result(text) for text in ("黑中盘胜", "White wins by 3.5 points", "白胜四分之三子", "Jigo")]
    ['B+R', 'W+3.5', 'W+1.5', '0']

    Args:
        text: as a record writes it.
        in_zi: whether a margin with a quarter counts zi.
    """
    said = in_digits(text)
    found, won = _WINNER.search(said), True
    if found is None:
        found, won = _LOSER.search(said), False
    if found is None:
        return next((form for form, pattern in _NO_WINNER.items() if pattern.search(said)), None)
    winner = "B" if bool(found["black"]) == won else "W"
    rest = said[found.start() :]
    how = next((letter for letter, pattern in _HOW.items() if pattern.search(said)), None)
    if how is None:
        amounts = (_amount(margin) for margin in _MARGIN.finditer(rest) if margin["whole"] or margin["over"])
        amount = next((one for one in amounts if one is not None), None)
        if amount is None and _NO_WINNER["0"].search(said):
            return f"{winner}+0"
        if amount is None or abs(amount.number) > LARGEST_KOMI:
            return f"{winner}+"
        twice = amount.zi or (amount.zi is None and in_zi and amount.is_quarter)
        how = points_text(abs(amount.number) * (2 if twice else 1))
    return f"{winner}+{how}"


def result_message(result: str) -> Message | str:
    """Return a result in the form of SGF as a list of games shows it; any other text as it is.

    >>> [str(result_message(result)) for result in ("B+R", "W+Time", "W+3.5", "see below")]
    ['B+R', 'W+T', 'W+3.5', 'see below']
    """
    if not STANDARD_RESULT.fullmatch(result):
        return result
    letter, _plus, how = result.replace(" ", "").upper().partition("+")
    winner = Message("B") if letter.startswith("B") else Message("W")
    match letter, how:
        case ("0" | "DRAW", _):
            return Message("0")
        case ("VOID", _):
            return Message("Void")
        case ("" | "?", _):
            return result
        case (_, "R" | "RESIGN"):
            return Message("{winner}+R", winner=winner)
        case (_, "T" | "TIME"):
            return Message("{winner}+T", winner=winner)
        case (_, "F" | "FORFEIT"):
            return Message("{winner}+F", winner=winner)
        case (_, ""):
            return Message("{winner}+", winner=winner)
        case (_, "0"):
            return Message("{winner}+0", winner=winner)
    return Message("{winner}+{points}", winner=winner, points=how)


def read_result(text: str) -> str:
    """Return a typed result in the form of SGF, or as it is where its words say none.

    >>> [read_result(text) for text in ("B+R", "黑中盘胜", "see below")]
    ['B+R', 'B+R', 'see below']
    """
    return text if STANDARD_RESULT.fullmatch(text) else standard_result(text) or text
