"""Numbers of points and results as people and programs write them: ``三又四分之三子``, ``White wins by 3.5 points``."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from daoqi_tui.engine import points_text
from daoqi_tui.engine.game import LARGEST_KOMI

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
        if amount is None or abs(amount.number) > LARGEST_KOMI:
            return f"{winner}+"
        twice = amount.zi or (amount.zi is None and in_zi and amount.is_quarter)
        how = points_text(abs(amount.number) * (2 if twice else 1))
    return f"{winner}+{how}"


def read_result(text: str) -> str:
    """Return a typed result in the form of SGF, or as it is where its words say none.

    >>> [read_result(text) for text in ("B+R", "黑中盘胜", "see below")]
    ['B+R', 'B+R', 'see below']
    """
    return text if STANDARD_RESULT.fullmatch(text) else standard_result(text) or text
