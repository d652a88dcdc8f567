"""Ladder priors at the root, and which levels read ladders."""

from __future__ import annotations

from daoqi_tui.ai.levels import LEVELS, level_of
from daoqi_tui.ai.player import SearchPlayer
from daoqi_tui.ai.playout.backend import interpreted
from daoqi_tui.ai.protocol import Position, Think
from daoqi_tui.ai.search.rave import add_ladder_priors
from daoqi_tui.engine import BLACK, Game
from tests.ai.test_search import search_at


def ladder(to_move: int) -> Game:
    """Return the bare ladder of the rules page on 9×9: it runs around the torus and ends at its own start."""
    game = Game(9)
    points = [row * 9 + column for column, row in ((7, 8), (8, 0), (0, 0))]
    game.setup(white=[8 * 9 + 8], black=points, to_move=to_move)
    return game


def liberties(game: Game) -> tuple[int, ...]:
    chain = game.chain_at(8 * 9 + 8)
    assert chain is not None
    return chain.liberties


def test_the_attacker_is_shown_the_capture() -> None:
    search = search_at(ladder(BLACK))
    before = search.root.prior_value_sum.copy()
    add_ladder_priors(search.board, search.root)
    better = {int(search.root.moves[place]) for place in (search.root.prior_value_sum > before).nonzero()[0]}
    assert len(better) == 1
    assert better <= set(liberties(ladder(BLACK)))


def test_the_defender_is_told_not_to_run() -> None:
    game = ladder(BLACK)
    game.play(liberties(game)[0])
    search = search_at(game)
    out = search.root.index_of(liberties(game)[0])
    assert out is not None
    before = search.root.win_rate(out)
    add_ladder_priors(search.board, search.root)
    assert search.root.win_rate(out) < 0.6 * before


def test_reading_ends_when_told() -> None:
    search = search_at(ladder(BLACK))
    before = search.root.prior_visits.copy()
    asked: list[None] = []

    def stopped() -> bool:
        asked.append(None)
        return len(asked) > 3

    add_ladder_priors(search.board, search.root, stopped)
    assert len(asked) < 8
    assert (search.root.prior_visits == before).all()


def test_a_reading_that_was_stopped_is_made_again() -> None:
    position = Position.of(ladder(BLACK))

    def priors_after(*stops: bool) -> float:
        player = SearchPlayer(interpreted)
        for stop in stops:
            player.think(Think(1, position, 10, analyse=True, playouts=20), lambda stop=stop: stop)
        tree = player._trees.find(position, None, (), analyse=False)
        assert tree is not None
        return float(tree.search.root.prior_visits.sum())

    assert priors_after(True) < priors_after(True, False) == priors_after(False) == priors_after(False, False)


def test_levels_that_read_ladders_capture_in_one() -> None:
    for level in (level_of(number) for number in (7, 7.5, 8)):
        assert level.ladders
        move = (
            SearchPlayer(interpreted)
            .think(Think(1, Position.of(ladder(BLACK)), level.number, playouts=300, seed=1))
            .move
        )
        assert move in liberties(ladder(BLACK))


def test_weak_levels_do_not_look() -> None:
    assert [level.ladders for level in LEVELS] == [False] * 12 + [True] * 7
