"""File names for games: readable, unique, and safe on every system."""

from __future__ import annotations

import re
import secrets
import unicodedata
from typing import Final

from daoqi_tui.record.info import Info
from daoqi_tui.record.text import plain_line

SUFFIX: Final = ".sgf"
_LONGEST: Final = 180
"""Bytes of a name in UTF-8 without its ending; systems allow 255 with everything added."""
_UNSAFE = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f␀-␡�]+')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


def safe_stem(text: str, otherwise: str = "game") -> str:
    r"""``text`` as a file name without ending, for Linux, macOS and Windows alike.

    >>> safe_stem("../a: b?\x1b[31m"), safe_stem("con"), safe_stem("...")
    ('a b [31m', 'con_', 'game')
    """
    text = _UNSAFE.sub(" ", unicodedata.normalize("NFC", plain_line(text)))
    text = " ".join(text.split()).strip(". ")
    while len(text.encode()) > _LONGEST:
        text = text[: min(len(text) - 1, _LONGEST)].rstrip(". ")
    if _RESERVED.match(text):
        text = f"{text.partition('.')[0]}_"
    return text or otherwise


def stem_of(info: Info) -> str:
    """How a game is called: its date and players, or its name.

    >>> stem_of(Info(black="Ke Jie", white="Go", date="2024-05-01"))
    '2024-05-01 Ke Jie – Go'
    """
    players = f"{info.black[:60] or 'Black'} – {info.white[:60] or 'White'}" if info.black or info.white else ""
    return safe_stem(f"{info.date[:10]} {players or info.name[:100]}")


def numbered(stem: str, number: int) -> str:
    """The file name of the ``number``-th game that would be called the same."""
    return f"{stem}{SUFFIX}" if number < 2 else f"{stem} ({number}){SUFFIX}"


def with_token(stem: str) -> str:
    """A file name that no other window will choose at the same moment."""
    return f"{stem} {secrets.token_hex(3)}{SUFFIX}"
