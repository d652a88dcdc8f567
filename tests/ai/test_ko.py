"""Captures with a stone that the opponent surrounds: kos, throw-ins and snapbacks are played when they decide the game.

In each position the capture at ``a`` wins and all other moves lose. The 9×9 positions come from self-play games; they
were checked with 300 evaluations by the network, and 40 for each of the twelve next best moves.
"""

from __future__ import annotations

import pytest

from daoqi_tui.ai import Position, Think
from daoqi_tui.ai.levels import LEVELS, Level
from daoqi_tui.ai.passing import decide
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.ai.search.puct import PuctSearch
from daoqi_tui.engine import BLACK, WHITE, Colour, Game, Repeats
from tests.ai.networks import shipped
from tests.engine.pictures import game_of, points_of

LAST_KO = """
    X X X X O O O
    X . X X O . O
    X X X X O O O
    X X X O a O O
    X X X X O O O
    X . X X O . O
    X X X X O O O
"""
"""27 points to 22 as it stands, 29 to 20 after Black takes the ko and connects. Komi 7."""

KO_FOR_A_GROUP = """
    X O O X . . . O X
    X X O O X X . O .
    O X O X b X X O O
    . X O O X . X O X
    X X O X a X O O X
    X O O O X X O X O
    X X X O X O O X O
    O O O O O X O X O
    X O . X X X X X O
"""
"""White to move. b wins as well: after either, games with 300 evaluations per move end W+81."""

SNAPBACK = """
    X O O X . . . O X
    X X O O X X . O .
    O X O X . X X O O
    . X O O X a X O X
    X X O . O X O O X
    X O O O X X O X O
    X X X O X O O X O
    O O O O O X O X O
    X O X X X X X X O
"""
"""White to move: Black captures the stone, and White recaptures four."""

KO_FOR_TWO_GROUPS = """
    X X O X X X O O O
    X O a O . X X X O
    X X O O X X X O O
    X O . O O O X O O
    X O O O X X X X O
    O X X X . X X O .
    O O O X X O O O .
    O X X X X O . . .
    X X O O . X O . O
"""
"""Black to move."""

THROW_IN = """
    O a O X X . X X O
    O O O X X X X X X
    X O O O X X X X X
    X X O O O O X X X
    X . X X O O O X O
    X X X O O O O O O
    O O O O O O O O X
    X X X O O O X X X
    O O X O O X X X X
"""
"""Black to move: a throw-in into the only eye of 38 stones."""

KO_TO_COME = """
    X X X X O O O
    X . X X O . O
    X b X X O c O
    X X X d a O O
    X X X X O O O
    X . X X O . O
    X X X X O O O
"""
"""Black holds the ko with a stone at a; White is about to take it at d. Komi 7."""


# With its 12 evaluations, the network at level 7.5 overlooks one of the captures; at level 7 its policy has them all.
SEARCHING = [pytest.param(level, id=str(level.number)) for level in LEVELS if level.number >= 7 and level.number != 7.5]


def move_at(game: Game, level: Level) -> int:
    """Return the move of a level with its usual number of evaluations; 400 for the level limited by time."""
    visits = 400 if level.timed else None
    request = Think(Position.of(game), level.number, visits=visits, seconds=3600.0, seed=1)
    return SearchPlayer().think(request).move


POSITIONS = [
    pytest.param(LAST_KO, BLACK, 7, id="last-ko"),
    pytest.param(KO_FOR_A_GROUP, WHITE, 4, id="ko-for-a-group"),
    pytest.param(SNAPBACK, WHITE, 4, id="snapback"),
    pytest.param(KO_FOR_TWO_GROUPS, BLACK, 4, id="ko-for-two-groups"),
    pytest.param(THROW_IN, BLACK, 4, id="throw-in"),
]


@pytest.mark.parametrize("level", SEARCHING)
@pytest.mark.parametrize(("picture", "to_move", "komi"), POSITIONS)
def test_the_deciding_capture_is_played(picture: str, to_move: Colour, komi: float, level: Level) -> None:
    game = game_of(picture.replace("a", ".").replace("b", "."), to_move, komi)
    assert move_at(game, level) in (*points_of(picture, "a"), *points_of(picture, "b"))


@pytest.mark.parametrize("level", SEARCHING)
def test_a_ko_is_taken_back_as_soon_as_superko_allows_it(level: Level) -> None:
    game = game_of(KO_TO_COME.replace("a", "X"), WHITE, 7)
    (ko,), (white_takes,) = points_of(KO_TO_COME, "a"), points_of(KO_TO_COME, "d")
    game.play(white_takes)
    assert isinstance(game.refusal(ko), Repeats)
    assert move_at(game, level) != ko
    for sign in "bc":
        game.play(*points_of(KO_TO_COME, sign))
    assert move_at(game, level) == ko


def test_an_unvisited_play_never_replaces_a_searched_one() -> None:
    # The only play searched fills an own eye, and the search prefers it.
    game = game_of(KO_TO_COME.replace("a", "X"), BLACK, 20)
    search = PuctSearch(game.board, game.komi, shipped())
    eye = search.root.index_of(game.torus.point(5, 1))
    assert eye is not None
    search.root.visit(eye)
    search.root.add_value(eye, 0.0, 0.0)
    before = search.root.visits.copy()
    decision = decide(search, lambda: True)
    assert decision.move == game.torus.point(5, 1)
    assert (search.root.visits == before).all()


def test_a_replacement_for_an_unsound_play_is_searched_first() -> None:
    game = game_of(LAST_KO.replace("a", "."), BLACK, 7)
    search = PuctSearch(game.board, game.komi, shipped())
    eye = search.root.index_of(game.torus.point(1, 1))
    assert eye is not None
    search.root.visit(eye)
    search.root.add_value(eye, 0.5, 0.0)
    move = decide(search).move
    assert (move,) == points_of(LAST_KO, "a")
    place = search.root.index_of(move)
    assert place is not None
    assert search.root.visits[place] >= search.min_visits
