"""Tests the estimate of ownership and score on the board and in its pane."""

from __future__ import annotations

import pytest

from daoqi_tui.ai import Estimated
from daoqi_tui.ai.process import PlayerCrashed
from daoqi_tui.engine import BLACK, Game
from daoqi_tui.pictures.picture import NOBODY
from daoqi_tui.play.analyst import dead_in, estimate_of
from daoqi_tui.play.session import GameSetup
from tests.engine.pictures import game_of
from tests.tui.driving import playing, until
from tests.tui.thinkers import analysed_by

DEAD_STONE = """
    . X . O .
    X X . O .
    . X O O .
    X X . O .
    . X . O X
"""


def found(board: Game, owners: str) -> Estimated:
    shares = {"X": 0.9, "O": -0.9, ".": -0.1}
    return Estimated(1, tuple(shares[sign] for sign in owners.split()), 2.5, 7.0, 0.75)


OWNERS = """
    X X X O O
    X X . O O
    X X O O O
    X X . O O
    X X . O O
"""


def test_the_expected_territory_counts_every_point_by_its_share() -> None:
    game = game_of(DEAD_STONE, BLACK, 4)
    expected = found(game, OWNERS)
    assert dead_in(bytes(game.board.colours), expected) == {24}
    area = estimate_of(game.board, 4, expected).area
    # Black is expected to have 6.5 points more on the board; of its eight stones it keeps seven.
    assert (area.black.stones, area.black.territory) == (7, 8)
    assert (area.white.stones, area.white.territory, area.white.komi) == (6, 3, 4)
    assert area.neutral == 1
    assert area.margin == 2, "the margin of 2.5, in whole points"


@pytest.mark.parametrize("size", [8, 9])
@pytest.mark.parametrize("share", [-1.0, -0.4, -0.03, 0.0, 0.012, 0.15, 0.2, 1.0])
def test_a_board_that_is_a_little_blacks_everywhere_is_not_counted_for_black(size: int, share: float) -> None:
    game = Game(size, komi=4)
    game.play(0)
    expected = Estimated(1, (share,) * size**2, share * size**2 - 4, 9.0, 0.5)
    area = estimate_of(game.board, 4, expected).area
    assert abs(area.margin + 4 - share * size**2) <= 0.5
    assert area.black.total + area.white.total - 4 + area.neutral == size**2
    assert min(area.black.stones, area.black.territory, area.white.stones, area.white.territory) >= 0


async def test_the_networks_estimate_is_the_only_one() -> None:
    async with playing() as person:
        await person.lay_out(DEAD_STONE)
        adviser = analysed_by(person)
        adviser.ownership = found(person.game, OWNERS).ownership
        adviser.may_answer.clear()
        await person.press("e")
        assert person.status.startswith("Estimating")
        assert not person.screen.query("#area"), "no other estimate comes first"
        assert person.board.picture.strength is None
        assert person.board.picture.dead == frozenset()
        adviser.may_answer.set()
        await until(person, lambda: "win rate" in person.status)
        assert person.status.startswith("Estimate: Black is ahead, by about 6 points  ·  win rate 80%  ·  at a glance")
        picture = person.board.picture
        assert picture.dead == {24}
        assert picture.strength is not None
        assert picture.strength[4] == NOBODY - 3
        assert "Black by 6.5 ± 9" in person.text("#area"), "the figures"
        await person.press("e")
        assert person.board.picture.strength is None
        assert person.board.picture.dead == frozenset()


async def test_on_an_empty_board_no_point_is_marked_as_anybodys() -> None:
    async with playing(setup=GameSetup(size=9)) as person:
        adviser = analysed_by(person)
        adviser.ownership = (0.023,) * 81
        await person.press("e")
        await until(person, lambda: "win rate" in person.status)
        assert person.board.picture.strength == bytes([NOBODY]) * 81


async def test_the_influence_shows_where_there_is_no_network() -> None:
    async with playing() as person:
        await person.lay_out(DEAD_STONE)
        analysed_by(person).problem = PlayerCrashed("the computer player's process ended with status 1")
        await person.press("e")
        await until(person, lambda: "ended with status 1" in person.status)
        assert "(influence)" in person.text("#area")
        assert person.board.picture.strength is not None


async def test_the_result_takes_the_place_of_the_estimate_at_the_counted_end() -> None:
    async with playing(setup=GameSetup(size=5)) as person:
        await person.play("C3")
        await person.press("p")
        await person.press("p", "y")
        await person.press("left_square_bracket", "e")
        assert person.screen.estimate.on
        await person.press("right_square_bracket")
        await until(person, lambda: "wins" in person.status)
        assert not person.screen.estimate.on
