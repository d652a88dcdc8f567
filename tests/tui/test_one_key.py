"""How far one key reaches: the functions of the program that one move runs, and in which direction they call."""

from __future__ import annotations

import pytest

from daoqi_tui.play.session import GameSetup
from tests.readme.pages import path_on_page
from tests.tracing import Function, is_path, traced
from tests.tui.driving import playing, until

pytestmark = pytest.mark.usefixtures("every_frame")

_MOST = 150
"""The functions that a move may run, drawing included; comprehensions and lambdas do not count. It may only fall."""
_SUBSCRIBED = {"GameScreen.show_event", "GameScreen.spawn"}
"""What the game below calls of the screen: what the screen has subscribed and given to it."""


async def test_one_move_runs_few_functions_and_the_game_calls_the_screen_only_where_it_subscribed() -> None:
    async with playing(setup=GameSetup(size=9)) as person:
        await person.play("C3")
        await person.wait()
        path = path_on_page("A key")
        with traced() as calls:
            await person.press("enter")
            # The program is not asked anything, so that nothing but the key runs functions of it.
            await until(person, lambda: {called for _caller, called in calls} >= {*path})
            await person.wait()
    ran = {called for _caller, called in calls if not called.name.endswith(">")}
    assert Function("engine/game.py", "Game.play") in ran, "the move was traced"
    assert is_path(path, calls)
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
