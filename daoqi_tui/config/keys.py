"""The names of keys in settings, such as ``ctrl+z``, and Textual's names for them."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_NAMED_KEYS: Final = frozenset(
    """up down left right home end pageup pagedown insert delete enter escape tab space backspace plus minus slash
    backslash underscore at less_than_sign greater_than_sign""".split()  # noqa: SIM905 (a list would take 21 lines)
)
_MODIFIERS: Final = frozenset(("ctrl", "shift", "alt", "super", "meta"))


def key_names(value: object) -> tuple[str, ...]:
    """Parse the keys of a command into Textual's names; return () if one of them is not a key."""
    if not isinstance(value, str):
        return ()
    keys = []
    for word in value.split():
        *modifiers, last = word.split("+") if len(word) > 1 and not word.endswith("+") else (word,)
        if word.endswith("+") and len(word) > 1:
            *modifiers, last = [*word[:-2].split("+"), "plus"]
        if not set(modifiers) <= _MODIFIERS or not _is_key(last):
            return ()
        keys.append("+".join([*modifiers, last if len(last) > 1 or last.isalnum() else _name_of(last)]))
    return tuple(keys)


def _is_key(name: str) -> bool:
    if len(name) == 1:
        return name.isprintable() and not name.isspace()
    if name in _NAMED_KEYS or re.fullmatch(r"f([1-9]|1[0-9]|2[0-4])", name):
        return True
    try:
        unicodedata.lookup(name.replace("_", " "))
    except (KeyError, UnicodeEncodeError):
        # Bytes of the command line that are not text have no name either.
        return False
    return True


def _name_of(sign: str) -> str:
    """Return Textual's name of a character: with a few exceptions, that of Unicode."""
    short = {"+": "plus", "-": "minus", "/": "slash", "\\": "backslash", "_": "underscore", "@": "at"}
    return short.get(sign) or unicodedata.name(sign).lower().replace("-", "_").replace(" ", "_")
