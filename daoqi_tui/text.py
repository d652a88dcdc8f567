"""Text from files, settings, other programs and peers, made safe to show in a terminal or a web page."""

from __future__ import annotations

import re
from typing import Final
from unicodedata import east_asian_width, normalize

_PUNCTUATION: Final = str.maketrans("。、・「」【】《》“”‘’—", ".,/[][]<>\"\"''_")
"""What the keys of a punctuation mark give with an input method, besides its full-width form."""
_LAYOUTS: Final = (
    str.maketrans("йцукенгшщзхъфывапролджэячсмитьбю", "qwertyuiop[]asdfghjkl;'zxcvbnm,.")
    | str.maketrans("ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ", 'QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>')
    | str.maketrans("たていすかんなにらせちとしはきくまのりつさそひこみもねるめ", "qwertyuiopasdfghjklzxcvbnm,./")
    | str.maketrans("ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ", "qwertyuiopasdfghjklzxcvbnm")
)
"""The keys of other layouts by their places: Russian, Japanese kana, Korean."""


def _harmless() -> dict[int, str]:
    """Return the replacement of each character that a terminal might interpret.

    C0 controls become their Unicode pictures, C1 controls and lone surrogates U+FFFD. Characters that reorder or
    annotate the surrounding text (Unicode Standard Annex 9 and chapter 23.8) are dropped.
    """
    table = {code: chr(0x2400 + code) for code in range(0x20)}
    table[0x7F] = "␡"
    table |= dict.fromkeys(range(0x80, 0xA0), "�")
    table |= dict.fromkeys(range(0xD800, 0xE000), "�")
    invisible = [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC)]
    table |= dict.fromkeys(invisible, "")
    table |= dict.fromkeys((0xFFFE, 0xFFFF), "�")  # Noncharacters, not allowed in XML.
    table |= dict.fromkeys(range(0xE0000, 0xE0080), "")
    table |= {ord("\t"): "    ", ord("\n"): "\n", 0x85: "\n", 0x2028: "\n", 0x2029: "\n"}
    return table


_HARMLESS: Final = _harmless()
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f"
)
_PILE: Final = f"([{_MARKS}]{{4}})[{_MARKS}]+"
"""Marks on one character beyond the four that a language may need: a pile of them covers the lines above and below."""


def plain(text: str) -> str:
    r"""Make ``text`` safe for a terminal: control characters become visible or are dropped, newlines stay.

    Of marks on one character, the first four are left. All text from files or the network goes through here before it
    is shown.

    >>> plain("red \x1b[31mink\r\nand a bell\x07")
    'red ␛[31mink\nand a bell␇'
    """
    # Most texts need nothing done, which takes a tenth of the time to tell.
    if not text.isprintable():
        text = re.sub(r"\r\n|\n\r|\r", "\n", text).translate(_HARMLESS)
    return text if text.isascii() else re.sub(_PILE, r"\1", text)


def plain_line(text: str) -> str:
    r"""Return :func:`plain` text on one line, with runs of white space collapsed to one space.

    >>> plain_line(" two\n lines ")
    'two lines'
    """
    return " ".join(plain(text).split())


def half_width(text: str) -> str:
    """Return text that was typed with an input method left on in the characters of a keyboard without one.

    >>> half_width("Ｅ５　ｐ。²")
    'E5 p.²'
    """
    signs = (normalize("NFKC", sign) if east_asian_width(sign) in "FH" else sign for sign in text)
    return "".join(signs).translate(_PUNCTUATION)


def key_meant(sign: str) -> str:
    """Return the character of the key that gave ``sign`` with an input method or another keyboard layout.

    >>> "".join(map(key_meant, "ｐ？。пбㅔせ道"))
    'p?.g,pp道'
    """
    return half_width(sign.translate(_LAYOUTS))


def cell_width(text: str) -> int:
    """Return how many columns of a terminal a text takes; a Chinese character takes two.

    >>> cell_width("Go"), cell_width("围棋。")
    (2, 6)
    """
    return len(text) if text.isascii() else sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


_TO_TRADITIONAL: Final = str.maketrans(
    "与准删制势变叠后听围块复学对帮开总执摆数断时暂来极标注点盘着码离级线结络绝继续维网联胜虚认评误说请贴轮输进钟间静题飞",
    "與準刪製勢變疊後聽圍塊復學對幫開總執擺數斷時暫來極標註點盤著碼離級線結絡絕繼續維網聯勝虛認評誤說請貼輪輸進鐘間靜題飛",
)
"""The characters of names that are in no catalogue: of openings, and of the commands of text mode."""


def chinese(name: str, language: str) -> str:
    """Return a Chinese name in the characters of a language."""
    return name.replace("复制", "複製").translate(_TO_TRADITIONAL) if language == "zh-TW" else name
