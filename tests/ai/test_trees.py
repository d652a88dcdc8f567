"""The search trees kept by an analysis: going forward and back in a game, and limits on their number and size."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from daoqi_tui.ai import RESUME, USUAL, Answer, Position, Restriction, Think
from daoqi_tui.ai import player as ai_player
from daoqi_tui.ai.network import NetError
from daoqi_tui.ai.player import MOST_TREES, SearchPlayer
from daoqi_tui.ai.search import Evaluation, Inputs
from daoqi_tui.engine import BLACK, PASS, WHITE, Setup
from daoqi_tui.engine.tree import Move
from tests.ai.test_puct import Counting
from tests.engine.pictures import game_of

START = Position(5, 4.0, (12, 13))


def analyse(player: SearchPlayer, position: Position, visits: int, **more: object) -> Answer:
    return player.think(Think(position, 10, visits=visits, analyse=True, **more))  # type: ignore[arg-type]


def after(position: Position, *moves: int) -> Position:
    return Position(position.size, position.komi, (*position.actions, *moves))


def test_going_back_goes_on_where_the_search_stopped() -> None:
    player = SearchPlayer()
    first = analyse(player, START, 120)
    assert first.visits == 120
    inside = analyse(player, after(START, first.move), 60)
    best = first.lines[0]
    assert inside.visits >= max(60, best.visits // 2), "the subtree below the move is taken along"
    again = analyse(player, START, 1)
    assert again.visits == 120, "nothing is searched anew"
    assert again.lines[0].visits == best.visits
    assert analyse(player, START, 140).visits == 140


def test_a_variation_does_not_disturb_the_other() -> None:
    player = SearchPlayer()
    analyse(player, START, 100)
    one, other = after(START, 0), after(START, 24)
    analyse(player, one, 50)
    analyse(player, other, 70)
    assert analyse(player, one, 1).visits == 50
    assert analyse(player, other, 1).visits == 70
    assert analyse(player, START, 1).visits == 100


def test_what_is_found_on_a_kept_board_is_legal() -> None:
    player = SearchPlayer()
    # Nothing has been searched below the last move of a line.
    *moves, _ = analyse(player, START, 80).lines[0].line
    answer = analyse(player, after(START, *moves), 40)
    assert moves
    board = after(START, *moves).board()
    for line in answer.lines:
        trial = after(START, *moves).board()
        assert line.move == PASS or board.refusal(line.move) is None
        for move in line.line:
            trial.make(move)


@pytest.mark.parametrize(
    "position",
    [
        Position(5, 3.0, (12, 13, 0)),
        Position(6, 4.0, (12, 13, 0)),
        Position(5, 4.0, (12, 14, 0)),
        Position(5, 4.0, (12,)),
        Position(5, 4.0, (12, 13, RESUME)),
        Position(5, 4.0, (12, 13, Setup(1 << 3, 0, 0, BLACK))),
    ],
)
def test_another_position_begins_a_tree_of_its_own(position: Position) -> None:
    player = SearchPlayer()
    analyse(player, START, 50)
    assert analyse(player, position, 5).visits == 5


def test_positions_on_the_way_to_one_that_was_not_searched_are_not_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    player, network = SearchPlayer(), Counting()
    monkeypatch.setattr(player._networks, "load", lambda _: network)
    analyse(player, START, 3, net="counting")
    network.seen.clear()
    analyse(player, after(START, 0, 1, 2, 3, 4, 5, 6), 1, net="counting")
    # The position itself, and one after it.
    assert len(network.seen) == 2


def test_a_tree_whose_network_failed_in_a_search_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(Counting):
        fails = True

        def evaluate(self, batch: Sequence[Inputs], size: int) -> list[Evaluation]:
            if self.fails and self.batches:
                raise NetError("no numbers")
            return super().evaluate(batch, size)

    player, network = SearchPlayer(), Failing({7: 20.0})
    monkeypatch.setattr(player._networks, "load", lambda _: network)
    with pytest.raises(NetError):
        analyse(player, START, 20, net="failing")
    network.fails = False
    # A leaf left waiting by the failed request would be selected for ever.
    request, polls = Think(START, 10, visits=20, analyse=True, net="failing"), itertools.count()
    assert player.think(request, lambda: next(polls) > 100).visits == 20


def test_a_tree_of_the_file_before_hides_none_of_the_new_network(monkeypatch: pytest.MonkeyPatch) -> None:
    player, networks = SearchPlayer(), [Counting({7: 5.0}), Counting({7: 5.0})]
    monkeypatch.setattr(player._networks, "load", lambda _: networks[0])
    below = after(START, 7)
    analyse(player, below, 30, net="counting")
    del networks[0]
    best = analyse(player, START, 100, net="counting").lines[0]
    assert best.move == 7
    assert analyse(player, below, 1, net="counting").visits >= best.visits // 2


def test_a_recorded_move_that_repeats_a_position_can_be_searched_from_there() -> None:
    game = game_of("""
        . . . . .
        . X O . .
        X O . O .
        . X O . .
        . . . . .
    """)
    player, before = SearchPlayer(), Position.of(game)
    game.play(12)
    analyse(player, before, 60)
    assert game.record(Move(WHITE, 11)).against is not None
    assert analyse(player, Position.of(game), 5).visits == 5


def test_restrictions_have_a_tree_of_their_own() -> None:
    player = SearchPlayer()
    analyse(player, START, 50)
    avoid = (Restriction(BLACK, (0,), 1),)
    assert analyse(player, START, 5, restrictions=avoid).visits == 5
    assert analyse(player, after(START, 1), 5, restrictions=avoid).visits == 5
    assert analyse(player, START, 1).visits == 50


def test_trees_are_bounded_by_number_and_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    player = SearchPlayer()
    for move in range(MOST_TREES + 1):
        analyse(player, Position(6, 4.0, (move,)), 3)
    assert analyse(player, Position(6, 4.0, (0,)), 1).visits == 3
    for move in range(30):
        analyse(player, Position(6, 3.0, (move,)), 2)
    assert len(player._trees._trees) <= MOST_TREES + 1
    assert analyse(player, Position(6, 4.0, (0,)), 1).visits == 1
    monkeypatch.setattr(ai_player, "MOST_ENTRIES", 100 * 25)
    player.forget()
    analyse(player, START, 60)
    for _looked_at_twice in range(2):
        analyse(player, after(START, 0), 60)
    assert len(player._trees._trees) == 1
    assert analyse(player, START, 1).visits == 1


@pytest.mark.parametrize("level", [8, 9])
def test_a_level_that_is_limited_by_evaluations_does_not_gain_by_an_analysis(level: int) -> None:
    player = SearchPlayer()
    own = player.think(Think(START, level)).visits
    move = analyse(player, START, 4 * own).lines[0].move
    below = after(START, move)
    for position in (START, below):
        answer = player.think(Think(position, level))
        assert answer.visits < 2 * own
        # The level's own trees are reused.
        reply = after(position, answer.move)
        assert player._trees.find(reply, player._networks.load(USUAL), (), analyse=False) is not None
        analyse(player, START, 4 * own)
    analyse(player, below, 4 * own)
    assert player.think(Think(below, level)).visits < 2 * own
    analyse(player, START, 4 * own)
    assert player.think(Think(START, 10, seconds=0.01)).visits >= 4 * own, "a limit of time is none of strength"


def test_an_analysis_below_a_tree_of_play_grows_it_too() -> None:
    player = SearchPlayer()
    own = player.think(Think(START, 5))
    below = after(START, own.move)
    analyse(player, below, 600)
    assert player.think(Think(below, 5)).visits < 300
    analyse(player, below, 600)
    assert player.think(Think(START, 5)).visits < 300


def test_a_move_off_the_board_is_refused_and_leaves_the_trees() -> None:
    player = SearchPlayer()
    analyse(player, START, 30)
    with pytest.raises(ValueError, match="no point of the board"):
        analyse(player, after(START, 25), 5)
    assert analyse(player, START, 1).visits == 30
