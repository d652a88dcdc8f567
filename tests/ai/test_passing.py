"""Endings: a pass costs a point, dead stones count until they are captured, and passing must not lose a won game."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from daoqi_tui.ai import Position, Think, passing
from daoqi_tui.ai.levels import level_of
from daoqi_tui.ai.passing import decide, instant_move
from daoqi_tui.ai.player import VERIFYING, SearchPlayer
from daoqi_tui.ai.search.puct import Limits, PuctSearch
from daoqi_tui.engine import BLACK, PASS, TROMP_TAYLOR, WHITE, Board, Colour, Game, Rules, torus_of
from daoqi_tui.gtp.engine.session import TimeSettings, Timing
from daoqi_tui.reading.status import best_move, dead_stones, safe_points
from tests.ai.networks import shipped
from tests.ai.test_puct import ROOMY, WON, Counting
from tests.benchmarks.ai_gates import SettledGame, settled_games
from tests.engine.pictures import board_of, colours_of, game_of, points_of

Other = Callable[[Game, random.Random], int]

SETTLED = """
    X X X X O O O
    X . X X O . O
    X X X X O O O
    X . X X O . O
    X X X X O O O
    X X X X O O O
    X X X X O O O
"""
"""Black has 28 points, White 21."""

DEAD_STONE = """
    X X . X X O O . O
    X X . X X O O . O
    X X . X X O O . O
    X X . X X O O . O
    X X O X X O O . O
    X X . X X O O . O
    X X . X X O O . O
    X X . X X O O . O
    X X . X X O O . O
"""
"""36 points to 37 as it stands, 45 to 36 after the white stone is captured."""

THIRD_EYE = """
    X X X X O O O
    X . X X O . O
    X X X X O O O
    X . X X O . O
    X X X X O O O
    X a X X O O O
    X X X X O O O
"""


def move_at(game: Game, *, seed: int = 1, level: int = 4) -> int:
    return SearchPlayer().think(Think(Position.of(game), level, seconds=60.0, seed=seed)).move


def passes(game: Game, rng: random.Random) -> int:
    return PASS


def plays_anything(game: Game, rng: random.Random) -> int:
    legal = game.legal_points()
    return rng.choice(legal) if legal else PASS


def plays_and_passes(game: Game, rng: random.Random) -> int:
    return PASS if rng.random() < 0.5 else plays_anything(game, rng)


def play_out(game: Game, computer: Colour, other: Other, level: int, seed: int) -> None:
    """Play to the end; an illegal move raises an error."""
    search_player, rng = SearchPlayer(), random.Random(seed)
    while not game.is_over:
        if game.to_move == computer:
            move = search_player.think(Think(Position.of(game), level, seconds=60.0)).move
        else:
            move = other(game, rng)
        if move == PASS:
            game.pass_turn()
        else:
            game.play(move)
        assert game.node.number < 400, "the game does not end"


OTHERS = [passes, plays_anything, plays_and_passes]


@pytest.mark.parametrize("level", [1, 3])
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("to_move", [BLACK, WHITE])
@pytest.mark.parametrize(("picture", "komi", "winner"), [(SETTLED, 4, BLACK), (SETTLED, 7, WHITE)])
def test_a_settled_win_is_won(
    picture: str, *, komi: float, winner: Colour, to_move: Colour, other: Other, level: int
) -> None:
    game = game_of(picture, to_move, komi)
    play_out(game, winner, other, level, seed=level)
    assert game.result is not None
    assert game.result.winner == winner, str(game.result)


@pytest.mark.parametrize("level", [2, 4])
@pytest.mark.parametrize("other", OTHERS)
def test_dead_stones_are_captured_where_the_count_needs_it(other: Other, level: int) -> None:
    game = game_of(DEAD_STONE, BLACK, 4)
    play_out(game, BLACK, other, level, seed=level)
    assert game.result is not None
    assert game.result.winner == BLACK, str(game.result)


@pytest.mark.parametrize("rules", [Rules(), TROMP_TAYLOR])
@pytest.mark.parametrize(("size", "stones"), [(7, 4), (7, 9), (9, 4), (9, 9)])
def test_handicap_stones_are_answered_by_a_play(rules: Rules, size: int, stones: int) -> None:
    game = Game(size, 0.5, handicap=stones, rules=rules)
    assert all(move_at(game, level=level) != PASS for level in (1, 3, 8))


@pytest.mark.parametrize("level", [1, 3, 5])
def test_the_opponents_pass_is_not_answered_where_the_count_would_lose(level: int) -> None:
    game = game_of(DEAD_STONE, WHITE, 4)
    game.pass_turn()
    assert move_at(game, level=level) != PASS


@pytest.mark.parametrize("level", [1, 3, 5])
@pytest.mark.parametrize(("komi", "answer"), [(6, True), (7, False)])
def test_a_pass_is_answered_when_the_count_with_its_cost_wins(komi: float, answer: bool, level: int) -> None:
    # Black leads by 7 on the board, by 8 after White's pass, and by 7 again after its own; White wins a tie.
    game = game_of(SETTLED, WHITE, komi)
    game.pass_turn()
    position = Position.of(game)
    reply = SearchPlayer().think(Think(position, level, seconds=60.0, seed=1))
    if answer:
        assert reply.move == PASS
        assert reply.visits == 0
    else:
        # The game is lost either way; any legal move will do.
        assert reply.move == PASS or reply.move in game.legal_points()


def test_a_third_eye_is_a_free_move_when_a_pass_would_lose_the_point() -> None:
    game = game_of(THIRD_EYE.replace("a", "."), WHITE, 7)
    game.pass_turn()
    assert move_at(game, level=6) in (*points_of(THIRD_EYE, "a"), 8, 22)
    play_out(game, BLACK, lambda game, rng: move_at(game, level=4), 6, seed=1)
    assert str(game.result) == "B+1"


def stubborn(game: Game, rng: random.Random) -> int:
    """Make any play that does not endanger what lives for certain; pass when there is none."""
    board, mine = game.board_at(game.node), game.to_move
    safe = safe_points(board, board.rules)[mine]

    def keeps(point: int) -> bool:
        board.play(point)
        kept = not safe & ~safe_points(board, board.rules)[mine]
        board.undo()
        return kept

    plays = list(game.legal_points())
    rng.shuffle(plays)
    return next(filter(keeps, plays), PASS)


def finished() -> list[SettledGame]:
    """Return finished games whose boards have no dead stones, and where more than eyes is left."""
    boards = [(game, game.board()) for size in (9, 13) for game in settled_games(size)]
    return [
        game
        for game, board in boards
        if not dead_stones(board, board.rules) and best_move(board, played_komi(game, 1, WHITE), passed=False) is None
    ]


def played_komi(played: SettledGame, ahead: int, computer: Colour) -> int:
    """Return the komi at which a side wins a finished game by so many points; White by one less, with the tie."""
    return round(played.margin) + (-ahead if computer == BLACK else ahead - 1)


@pytest.mark.parametrize("ahead", [2, 3])
@pytest.mark.parametrize("computer", [BLACK, WHITE])
@pytest.mark.parametrize("played", finished())
def test_a_won_game_is_won_against_who_never_passes(played: SettledGame, computer: Colour, ahead: int) -> None:
    game = Game(played.size, played_komi(played, ahead, computer))
    for move in played.moves:
        game.make(move)
    play_out(game, computer, stubborn, 8, seed=ahead)
    assert game.result is not None
    assert game.result.winner == computer, str(game.result)


@pytest.mark.parametrize("level", range(1, 8))
def test_nothing_passed_yet_and_won_the_computer_passes_itself(level: int) -> None:
    assert move_at(game_of(SETTLED, BLACK, 4), level=level) == PASS
    assert move_at(game_of(SETTLED, WHITE, 9), level=level) == PASS


def test_a_dead_stone_is_not_passed_over_by_the_side_that_needs_it() -> None:
    game = game_of(DEAD_STONE, BLACK, 4)
    for level in (2, 4, 6):
        assert move_at(game, level=level) != PASS


def test_a_lost_game_is_ended_and_called_hopeless() -> None:
    game = game_of(SETTLED, BLACK, 20)
    reply = SearchPlayer().think(Think(Position.of(game), 5, seconds=60.0, seed=1))
    assert reply.move == PASS
    assert reply.hopeless


@pytest.mark.parametrize(("cost", "move"), [(1, None), (0, PASS)])
def test_the_rules_say_what_a_pass_costs(cost: int, move: int | None) -> None:
    board = Board(torus_of(7), Rules(pass_cost=cost))
    board.setup(colours_of(SETTLED), BLACK)
    # After komi Black leads by half a point, which a pass that costs a point would lose.
    search = PuctSearch(board, 6.5, shipped(), passes_in_row=1)
    assert instant_move(search) == move


@pytest.mark.parametrize(
    ("tie", "to_move", "at_once"),
    [
        (WHITE, WHITE, True),
        (WHITE, BLACK, False),
        (BLACK, BLACK, True),
        (BLACK, WHITE, False),
        (None, BLACK, False),
        (None, WHITE, False),
    ],
)
def test_a_pass_that_ties_wins_as_the_rules_say(tie: Colour | None, to_move: Colour, at_once: bool) -> None:
    board = Board(torus_of(7), Rules(pass_cost=0, tie=tie))
    board.setup(colours_of(SETTLED), to_move)
    search = PuctSearch(board, 7, shipped(), passes_in_row=1)
    assert instant_move(search) == (PASS if at_once else None)
    passing = len(search.root.moves) - 1
    search.step(passing)
    ended = search.root.children[passing].terminal
    assert ended is not None
    assert ended.margin == 0
    assert ended.black == pytest.approx({WHITE: 0, BLACK: 1, None: 0.5}[tie], abs=0.03)


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_a_drawn_game_is_passed_rather_than_spoilt(to_move: Colour) -> None:
    game = Game(7, komi=7, rules=TROMP_TAYLOR)
    colours = colours_of(SETTLED)
    sides = {colour: [point for point, found in enumerate(colours) if found == colour] for colour in (BLACK, WHITE)}
    game.setup(black=sides[BLACK], white=sides[WHITE], to_move=to_move)
    game.pass_turn()
    for level in (8, 9):
        reply = SearchPlayer().think(Think(Position.of(game), level, seconds=60.0, seed=1))
        assert reply.move == PASS
        assert not reply.hopeless, "half a win is nothing to resign"


@pytest.mark.parametrize("seed", range(3))
def test_whole_games_between_levels_end_by_two_passes(seed: int) -> None:
    game = Game(5, komi=4)
    thinkers = {BLACK: (SearchPlayer(), 3), WHITE: (SearchPlayer(), 4)}
    while not game.is_over:
        search_player, level = thinkers[game.to_move]
        move = search_player.think(Think(Position.of(game), level, seconds=60.0, seed=seed)).move
        game.pass_turn() if move == PASS else game.play(move)
        assert game.node.number < 300
    assert game.node.ends_by_passes


def test_a_reused_tree_does_not_stand_for_the_ownership(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def settled(search: PuctSearch) -> bool:
        asked.append(search.owner_visits)
        return False

    monkeypatch.setattr(passing, "_is_settled", settled)
    board = board_of(ROOMY)
    search = PuctSearch(board, -20, Counting({8: 9.0}))
    search.run(Limits(visits=600))
    search.advance(int(search.root.moves[search.root.best()[0]]))
    assert search.visits >= search.min_visits
    decide(search)
    assert asked
    assert min(asked) >= search.min_visits


def test_the_score_of_a_reused_tree_is_told_before_anything_is_evaluated() -> None:
    search = PuctSearch(board_of(ROOMY), -20, Counting({8: 9.0}))
    search.run(Limits(visits=200))
    search.advance(search.candidates(1)[0].move)
    below = search.candidates(1000)
    assert search.visits == sum(found.visits for found in below) > 0
    assert search.margin == pytest.approx(sum(found.visits * found.margin for found in below) / search.visits)


def seconds_of(monkeypatch: pytest.MonkeyPatch, request: Think, cost: float) -> float:
    """Think with a network whose evaluations take ``cost`` seconds each; return the total time in seconds."""
    player, network = SearchPlayer(), Counting()
    monkeypatch.setattr(player._networks, "load", lambda _: network)
    monkeypatch.setattr(PuctSearch, "clock", staticmethod(lambda: sum(network.batches) * cost))
    player.think(request)
    return sum(network.batches) * cost


@pytest.mark.parametrize("seconds", [2.0, 3.0, 4.0])
def test_a_pass_is_verified_within_the_time_of_the_move(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    request = Think(Position.of(game_of(WON, BLACK, -20)), 10, seconds=seconds, net="counting")
    assert 0.8 * seconds < seconds_of(monkeypatch, request, 0.1) < seconds + 0.01


@pytest.mark.parametrize("seconds", [2.0, 3.0, 4.0])
def test_where_no_pass_is_verified_the_search_has_all_of_the_time(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    game = Game(5, 0)
    for point in (6, 18):
        game.play(point)
    request = Think(Position.of(game), 10, seconds=seconds, net="counting")
    assert 0.95 * seconds < seconds_of(monkeypatch, request, 0.02) < seconds + 0.03


@pytest.mark.parametrize("cost", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("period", [5.0, 10.0])
@pytest.mark.parametrize("picture", [WON, ROOMY], ids=["won", "roomy"])
def test_a_won_game_is_not_lost_on_time(
    monkeypatch: pytest.MonkeyPatch, picture: str, period: float, cost: float
) -> None:
    game, timing = game_of(picture, BLACK, -20), Timing()
    timing.set(TimeSettings("byoyomi", 0, period, 1))
    timing.set_left(BLACK, period, 1)
    budget = timing.budget(BLACK, game.torus.points, 40)
    assert seconds_of(monkeypatch, Think(Position.of(game), 10, seconds=budget, net="counting"), cost) < period


def test_without_a_time_limit_the_search_has_all_of_its_level(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = level_of(10).seconds
    request = Think(Position.of(game_of(WON, BLACK, -20)), 10, net="counting")
    assert seconds < seconds_of(monkeypatch, request, 0.1) <= seconds * (1 + VERIFYING)
