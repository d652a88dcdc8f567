"""What a command is, and which keys it has now."""

from __future__ import annotations

import unicodedata
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from daoqi_tui.tui.game.screen import GameScreen


class Command(NamedTuple):
    """Something a person can have the game screen do.

    Attributes:
        name: its name in the settings file, and of its key binding.
        keys: Textual's names of its keys.
        label: what the menu and the hint line call it.
        help: what it does, in a sentence.
        run: does it; one that returns an awaitable is waited for before the next key.
        words: further words a person may look for it by, between spaces; the Chinese ones may be pinyin initials.
        group: the heading it stands under in the help.
        helps: whether it tells how to play, which a player of an online game may not be told while that is on.
        elsewhere: whether it puts something else in the place of the game, for which an online game has to be left.
    """

    name: str
    keys: tuple[str, ...]
    label: str
    help: str
    run: Callable[[GameScreen], Awaitable[None] | None]
    words: str = ""
    group: str = ""
    helps: bool = False
    elsewhere: bool = False


def group(heading: str, *commands: Command) -> tuple[Command, ...]:
    """Return commands that stand under one heading."""
    return tuple(command._replace(group=heading) for command in commands)


def question(command: Callable[[GameScreen], Coroutine[Any, Any, None]]) -> Callable[[GameScreen], None]:
    """Run a command that asks something in the background, as the one question asked at a time."""

    @wraps(command)
    def run(screen: GameScreen) -> None:
        screen.questions.run(partial(command, screen))

    return run


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
    "full_stop": ".",
    "comma": ",",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "question_mark": "?",
    **{f"f{number}": f"F{number}" for number in range(1, 25)},
}


def key_sign(key: str) -> str:
    """Write Textual's name of a key as it stands on a keyboard."""
    *modifiers, last = key.split("+")
    return "+".join([*(name.capitalize() for name in modifiers), _SIGNS.get(last) or _named_sign(last)])


def _named_sign(name: str) -> str:
    """Return the character that Unicode calls so: Textual takes its names from there, but for a few."""
    few = {"at": "@", "slash": "/", "backslash": "\\", "underscore": "_"}
    try:
        sign = few.get(name) or unicodedata.lookup(name.replace("_", " ")) if len(name) > 1 else name
    except KeyError:
        return name
    return sign if sign.isprintable() else name


def key_signs(keys: Iterable[str]) -> str:
    """Write keys as they stand on a keyboard."""
    return " ".join(key_sign(key) for key in keys)


def keys_of(command: Command, rebound: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the keys of a command: its own, or those that ``rebound`` gives it by its name.

    A key that another command was given is no longer its own.
    """
    if command.name in rebound:
        return rebound[command.name]
    given = {key for keys in rebound.values() for key in keys}
    return tuple(key for key in command.keys if key not in given)
