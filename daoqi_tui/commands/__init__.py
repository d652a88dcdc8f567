"""The commands of the program as data: names, keys, labels, help, groups and search words, without their functions.

Keys, menu, help, settings and docs are generated from the tables in :mod:`daoqi_tui.commands.screen`, and for
what is typed in :mod:`daoqi_tui.commands.text`; a face registers a function for each name. Here is what a command is,
and how keys are written.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple


class Command(NamedTuple):
    """A command of the game screen; a feature of the screen registers a function for its name.

    Attributes:
        name: its name in the settings file, and of its key binding.
        keys: Textual's names of its keys.
        label: its name in the menu and the hint line.
        help: its effect, in a sentence.
        words: additional search words, separated by spaces; Chinese ones may be pinyin initials.
        terms: those that are the same in every language.
        group: its heading in the help.
        helps: whether it gives advice, which players of a running online game must not get.
        elsewhere: whether it replaces the game, for which an online game has to be left.
    """

    name: str
    keys: tuple[str, ...]
    label: str
    help: str
    words: str = ""
    terms: str = ""
    group: str = ""
    helps: bool = False
    elsewhere: bool = False


def group(heading: str, *commands: Command) -> tuple[Command, ...]:
    return tuple(command._replace(group=heading) for command in commands)


_SIGNS: Final = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "enter": "Enter",
    "space": "Space",
    "escape": "Esc",
    "tab": "Tab",
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "home": "Home",
    "end": "End",
    "insert": "Ins",
    "delete": "Del",
    "full_stop": ".",
    "comma": ",",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "question_mark": "?",
    **{f"f{number}": f"F{number}" for number in range(1, 25)},
}


def key_sign(key: str) -> str:
    """Convert Textual's name of a key to its label on a keyboard."""
    *modifiers, last = key.split("+")
    return "+".join([*(name.capitalize() for name in modifiers), _SIGNS.get(last) or _named_sign(last)])


_EXCEPTIONS: Final = {"at": "@", "slash": "/", "backslash": "\\", "underscore": "_", "plus": "+", "minus": "-"}
"""The names by Textual of characters that Unicode names otherwise."""


def _named_sign(name: str) -> str:
    try:
        sign = _EXCEPTIONS.get(name) or unicodedata.lookup(name.replace("_", " ")) if len(name) > 1 else name
    except KeyError:
        return name
    return sign if sign.isprintable() else name


def key_signs(keys: Iterable[str]) -> str:
    return " ".join(key_sign(key) for key in keys)


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
    exception = next((name for name, each in _EXCEPTIONS.items() if each == sign), None)
    return exception or unicodedata.name(sign).lower().replace("-", "_").replace(" ", "_")
