"""How far one key reaches: the functions of the program that one move runs, and in which direction they call."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import daoqi_tui
from daoqi_tui.play.session import GameSetup
from tests.tui.driving import playing, until

_PACKAGE = str(Path(daoqi_tui.__file__).parent) + "/"
_MOST = 180
"""The functions that a move may run, drawing included; comprehensions and lambdas do not count. It may only fall."""
_SUBSCRIBED = {"GameScreen.show_event", "GameScreen.spawn"}
"""What the game below calls of the screen: what the screen has subscribed and given to it."""


class Function(NamedTuple):
    """A function of the program, by its file in the package and its name."""

    file: str
    name: str

    @property
    def is_of_screen(self) -> bool:
        return self.file.startswith("tui/")


Calls = Counter[tuple[Function | None, Function]]
"""How often each function was called, by its caller in the program, if any."""


@contextmanager
def traced() -> Iterator[Calls]:
    """Record the calls of functions of the program in this thread."""
    calls: Calls = Counter()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and (called := _function(frame)) is not None:
            before = frame.f_back
            calls[None if before is None else _function(before), called] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def _function(frame: FrameType) -> Function | None:
    code = frame.f_code
    if not code.co_filename.startswith(_PACKAGE):
        return None
    return Function(code.co_filename.removeprefix(_PACKAGE), code.co_qualname)


async def test_one_move_runs_few_functions_and_the_game_calls_the_screen_only_where_it_subscribed() -> None:
    async with playing(setup=GameSetup(size=9)) as person:
        await person.play("C3")
        await person.wait()
        with traced() as calls:
            await person.press("enter")
            await until(person, lambda: len(person.moves) == 2)
            await person.wait()
    ran = {called for _caller, called in calls if not called.name.endswith(">")}
    assert Function("engine/game.py", "Game.play") in ran, "the move was traced"
    assert len(ran) <= _MOST, f"{len(ran)}: {sorted(ran)}"
    upward = {
        (caller, called)
        for caller, called in calls
        if caller is not None
        and not caller.is_of_screen
        and called.is_of_screen
        and not called.name.endswith("<lambda>")
        and called.name not in _SUBSCRIBED
    }
    assert not upward
