"""Text in records: what stands between the brackets, what it means, and how it may be shown.

Three forms of one text are kept apart. *Raw* is what the file has between ``[`` and ``]``, escapes included, and
is what travels from file to file. *Text* is what the writer meant. *Plain* is text without anything that a
terminal would obey.
"""

from __future__ import annotations

import re
from typing import Final

_SOFT_BREAK = re.compile(r"\\(?:\r\n|\n\r|[\r\n])")
_BREAK = re.compile(r"\r\n|\n\r|\r")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SAFE_RAW = re.compile(r"[^\]\\]*+(?:\\.[^\]\\]*+)*+", re.DOTALL)


def _harmless() -> dict[int, str]:
    """For each character a terminal might obey, what to show in its place.

    C0 controls become their Unicode pictures, C1 controls and lone surrogates U+FFFD. Characters that reorder or
    annotate what surrounds them (Unicode Standard Annex 9 and chapter 23.8) are dropped.
    """
    table = {code: chr(0x2400 + code) for code in range(0x20)}
    table[0x7F] = "␡"
    table |= dict.fromkeys(range(0x80, 0xA0), "�")
    table |= dict.fromkeys(range(0xD800, 0xE000), "�")
    invisible = [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC)]
    table |= dict.fromkeys(invisible, "")
    table |= dict.fromkeys((0xFFFE, 0xFFFF), "�")  # No characters, and not allowed in XML.
    table |= dict.fromkeys(range(0xE0000, 0xE0080), "")
    table |= {ord("\t"): "    ", ord("\n"): "\n", 0x85: "\n", 0x2028: "\n", 0x2029: "\n"}
    return table


_HARMLESS: Final = _harmless()


def plain(text: str) -> str:
    r"""``text`` with everything a terminal would obey made visible or dropped; line breaks stay.

    Whatever comes from a file or the network goes through here before it is shown.

    >>> plain("red \x1b[31mink\r\nand a bell\x07")
    'red ␛[31mink\nand a bell␇'
    """
    return _BREAK.sub("\n", text).translate(_HARMLESS)


def plain_line(text: str) -> str:
    r"""As :func:`plain`, on one line, runs of white space made one space.

    >>> plain_line(" two\n lines ")
    'two lines'
    """
    return " ".join(plain(text).split())


def decode(raw: str) -> str:
    r"""The text that a raw value of SGF type Text means.

    >>> decode(r"a \] and a \\, a soft \
    ... break")
    'a ] and a \\, a soft break'
    """
    if "\\" in raw:
        raw = _ESCAPED.sub(r"\1", _SOFT_BREAK.sub("", raw))
    return _BREAK.sub("\n", raw)


def decode_line(raw: str) -> str:
    """The text that a raw value of SGF type SimpleText means: white space is one space each."""
    return decode(raw).replace("\n", " ").replace("\t", " ").strip()


def encode(text: str) -> str:
    r"""The raw value that means ``text``; fits composed values too, since the colon is escaped.

    >>> encode("[a]:b")
    '[a\\]\\:b'
    """
    return text.replace("\\", "\\\\").replace("]", "\\]").replace(":", "\\:")


def encode_line(text: str) -> str:
    """The raw value that means ``text`` where only one line is allowed."""
    return encode(" ".join(text.split()))


def safe(raw: str) -> str:
    """``raw`` itself, or, where it would end its bracket too early or too late, the raw value that means it."""
    return raw if _SAFE_RAW.fullmatch(raw) else encode(raw)
