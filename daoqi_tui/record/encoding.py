"""From the bytes of a record to its text: by what the file declares, else by what its bytes can be."""

from __future__ import annotations

import codecs
import re
from typing import Final

_DECLARED = re.compile(rb"(?<![A-Za-z])C[a-z]*A[a-z]*\s*\[\s*([\w.:+-]{2,40})\s*\]")
_HEAD: Final = 65_536
"""Bytes looked through for CA; it stands in the root node."""

_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# Only encodings that writers of game records have used: Python has others that are slow, or no text at all.
# GB2312 and GBK are read as GB18030, which contains them, and likewise for Japanese and Korean.
_KNOWN: Final = {
    "utf-8": "utf-8",
    "ascii": "utf-8",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "hz": "hz",
    "big5": "big5hkscs",
    "big5hkscs": "big5hkscs",
    "cp950": "cp950",
    "shift_jis": "cp932",
    "cp932": "cp932",
    "euc_jp": "euc_jp",
    "iso2022_jp": "iso2022_jp",
    "euc_kr": "cp949",
    "cp949": "cp949",
    "johab": "johab",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "mac-roman": "mac-roman",
    "tis-620": "tis-620",
}
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_SINGLE_BYTE = re.compile(r"iso8859-\d{1,2}|cp(125\d|437|8\d\d)")


def decode_bytes(data: bytes) -> tuple[str, str | None]:
    """The text of a record, and a sentence about its encoding when that is not as declared, else None.

    Tried in turn: a byte order mark, the CA property, UTF-8, GB18030, and Latin-1, which fits anything.
    """
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return data.decode(name).removeprefix("\ufeff"), None
            except UnicodeDecodeError:
                break
    complaint = None
    found = _DECLARED.search(data, 0, _HEAD)
    if found:
        declared = found[1].decode("ascii", "replace")
        known = _python_name(declared)
        if known is not None:
            try:
                return data.decode(known), None
            except UnicodeDecodeError:
                complaint = f"the file declares {declared} but is not in it"
        else:
            complaint = f"the file declares an encoding unknown here, {declared}"
    for name in ("utf-8", "gb18030"):
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        if name == "utf-8" or _looks_chinese(text):
            return text, complaint and f"{complaint}; read as {name.upper()}"
    return data.decode("latin-1"), complaint and f"{complaint}; read as Latin-1"


def _looks_chinese(text: str) -> bool:
    """Whether GB18030 was a good guess: real text keeps mostly to the characters of GB2312.

    Western text read so turns ``é]`` into one rare character, and a bracket is lost.
    """
    foreign = "".join(_NOT_ASCII.findall(text))
    # Two bytes each, so this asks for half of them.
    return len(foreign.encode("gb2312", "ignore")) >= len(foreign)


def _python_name(declared: str) -> str | None:
    try:
        name = codecs.lookup(declared).name
    except (LookupError, ValueError):
        return None
    return name if _SINGLE_BYTE.fullmatch(name) else _KNOWN.get(name)
