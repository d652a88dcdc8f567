"""A computer loads before its time runs, and says so; only with a clock does it wait for the compiler."""

from __future__ import annotations

import asyncio
import re

import pytest

from daoqi_tui.ai import Stage
from daoqi_tui.ai.process import PlayerError
from daoqi_tui.engine import WHITE
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.events import Prepares, Trouble
from tests.play.quick import QuickPlayer
from tests.play.test_match import AS_BLACK, Table
from tests.waiting import until


def slow_to_load(table: Table, *stages: Stage) -> asyncio.Event:
    """Make players load until the returned event is set."""
    ready = asyncio.Event()
    make = table.factory.make

    def made(*how: object) -> QuickPlayer:
        player = make(*how)  # type: ignore[arg-type]
        player.stages, player.may_load = stages, ready
        return player

    table.factory.make = made  # type: ignore[method-assign]
    return ready


async def test_the_clock_of_a_computer_stands_while_it_loads() -> None:
    time = 1000.0
    table = Table(AS_BLACK._replace(time=TimeControl(60)))
    table.match._now = lambda: time
    ready = slow_to_load(table, "loading")
    table.factory.holding = True
    clock = table.session.clock
    assert clock is not None
    table.match.begin(table.session)
    table.play("C3")
    await until(lambda: any(isinstance(event, Prepares) for event in table.told))
    thought = table.match.turns.thinking
    assert thought is not None
    assert clock.running is None
    words = thought.describe(thought.since + 2, table.session.game.torus, "daoqi", 100)
    assert words.startswith("Loading the network  ·  2.0 s")
    time += 100
    table.match.tick()
    assert not table.session.is_over
    ready.set()
    await until(lambda: clock.running == WHITE)
    assert clock.left(WHITE, time).seconds == 60
    words = thought.describe(thought.since, table.session.game.torus, "daoqi", 100)
    assert words.startswith("Computer 3 is thinking  ·  0.0 s")
    time += 61
    table.match.tick()
    assert str(table.session.game.result) == "B+T"


@pytest.mark.parametrize("time", [None, TimeControl(60)])
async def test_only_with_a_clock_a_computer_waits_for_the_compiler(time: TimeControl | None) -> None:
    table = Table(AS_BLACK._replace(time=time))
    table.match.begin(table.session)
    table.play("C3")
    await until(lambda: len(table.moves) == 2)
    assert [player.waited for player in table.factory.players] == [time is not None]


async def test_a_compiler_that_works_beside_the_search_is_named() -> None:
    table = Table(AS_BLACK)
    ready = slow_to_load(table, "compiling")
    table.factory.holding = True
    table.match.begin(table.session)
    table.play("C3")
    await until(lambda: any(isinstance(event, Prepares) for event in table.told))
    thought = table.match.turns.thinking
    assert thought is not None
    torus = table.session.game.torus
    assert re.match(
        "Compiling for this processor: only this once", thought.describe(thought.since, torus, "daoqi", 100)
    )
    ready.set()
    await until(lambda: thought.ready)
    assert "compiling too, only this once" in thought.describe(thought.since, torus, "daoqi", 100)


async def test_a_computer_that_cannot_load_waits_and_says_why() -> None:
    class Broken(QuickPlayer):
        async def prepare(self, *_where: object, **_how: object) -> None:
            raise PlayerError("the network cannot be read")

    table = Table(AS_BLACK)
    table.factory.make = lambda seat, _net: Broken(seat)  # type: ignore[method-assign]
    table.match.begin(table.session)
    table.play("C3")
    await until(lambda: table.match.turns.trouble is not None)
    assert [str(event.problem) for event in table.told if isinstance(event, Trouble)] == ["the network cannot be read"]
