"""What a key runs does not grow with the number of moves: the lines of the program that are executed are counted."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import daoqi_tui
from daoqi_tui.engine import Game
from daoqi_tui.play.evaluation import Evaluation
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.match import Match
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record.sgf.info import Info
from daoqi_tui.record.sgf.write import dump
from tests.tui.driving import Person, playing, until

pytestmark = pytest.mark.usefixtures("every_frame")

_PACKAGE = str(Path(daoqi_tui.__file__).parent) + "/"
_SIZE = 9
_MOVES = 300
_GROWTH = 1.1
"""How much more a key may run in a game of ten times as many moves: positions and the text of numbers differ."""
_KEYS = ("left_square_bracket", "right_square_bracket", "right", "enter", "u")


@contextmanager
def lines_run() -> Iterator[Counter[str]]:
    """Count the lines of the program that this thread executes, by function."""
    lines: Counter[str] = Counter()

    def called(frame: FrameType, _event: str, _argument: object) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(_PACKAGE):
            return None
        name = f"{code.co_filename.removeprefix(_PACKAGE)} {code.co_qualname}"

        def count(_frame: FrameType, event: str, _argument: object) -> Any:
            lines[name] += event == "line"
            return count

        return count

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield lines
    finally:
        sys.settrace(before)


def play_at_random(game: Game, moves: int) -> None:
    """Play a whole number of rounds on a part of the board, so that positions of all lengths look alike."""
    pick = random.Random(1)
    while game.node.number < moves:
        game.play(pick.choice(game.legal_points()))


async def cost_of(person: Person, key: str) -> Counter[str]:
    before = person.game.node
    person.screen.cursor.point = person.game.legal_points()[0]
    with lines_run() as lines:
        await person.press(key)
        if key != "right":
            await until(person, lambda: person.game.node is not before)
        await person.wait()
    return lines


async def costs(pane: str, moves: int, *, evaluated: bool) -> dict[str, Counter[str]]:
    session = Session(GameSetup(size=_SIZE))
    play_at_random(session.game, moves)
    async with playing() as person:
        person.screen.begin(session)
        if evaluated:
            for node in session.game.node.path()[:-2]:
                lead = float(node.number % 7)
                person.screen.match.evaluations.note(node, Evaluation(0.5, lead, 100, "network"), record=False)
        await person.show_pane(pane)
        person.screen.match.goto(session.game.node)
        await person.wait()
        return {key: await cost_of(person, key) for key in _KEYS}


@pytest.mark.parametrize(
    ("pane", "evaluated"), [("history", False), ("tree", False), ("graph", False), ("history", True), ("graph", True)]
)
async def test_no_key_runs_more_in_a_long_game(pane: str, evaluated: bool) -> None:
    short, long = [await costs(pane, moves, evaluated=evaluated) for moves in (_MOVES, 10 * _MOVES)]
    # The graph of an evaluated game is drawn again with each move.
    keys = [key for key in _KEYS if not (evaluated and key == "enter")]
    for key in keys:
        grown = {name: (short[key][name], count) for name, count in long[key].items() if count > short[key][name] + 50}
        assert long[key].total() <= _GROWTH * short[key].total(), f"{key}: {grown}"


def test_a_step_through_a_record_with_a_result_runs_no_more_in_a_long_one(tmp_path: Path) -> None:
    ran = {}
    for moves in (_MOVES, 10 * _MOVES):
        game = Game(_SIZE)
        play_at_random(game, moves)
        session = Session.opened(dump(game, Info(result="B+3")), torus=True)
        keeper = Keeper(Folders(tmp_path / "journal", tmp_path / "library"), lambda _failing: None)
        match = Match(session, make_no_players, keeper)
        match.begin(session)
        keeper.begin(session)
        match.forward(2)
        with lines_run() as lines:
            assert match.forward()
            assert match.back()
        ran[moves] = lines.total()
        assert session.record_info().result == "B+3"
        keeper.close()
    assert ran[10 * _MOVES] <= ran[_MOVES] + 10


def make_no_players() -> PlayerTable:
    raise AssertionError("nobody plays")
