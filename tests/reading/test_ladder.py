import pytest

from daoqi_tui.engine import BLACK, PASS, WHITE, Board, Game
from daoqi_tui.reading.ladder import Ladder, ReadingBoard, ladder_points, read_ladder, threatened_chains
from tests.analysis.pictures import bare_ladder, draw


def stones_taken(board: Board, ladder: Ladder) -> list[tuple[int, int]]:
    """Return the index of each capturing move in the main line, with the number of stones it captures."""
    trial = ReadingBoard(board, ladder.to_move)
    taken = []
    for place, move in enumerate(ladder.line):
        before = sum(trial.captured)
        trial.pass_turn() if move == PASS else trial.play(move)
        if sum(trial.captured) > before:
            taken.append((place, sum(trial.captured) - before))
    return taken


@pytest.mark.parametrize("size", range(5, 20))
def test_a_bare_ladder_circles_the_torus_and_captures(size: int):
    board, target = bare_ladder(size)
    ladder = read_ladder(board, target)
    assert ladder.result == "captured"
    assert ladder.plies % 2 == 1
    assert stones_taken(board, ladder)[-1][0] == ladder.plies - 1


@pytest.mark.parametrize("size", range(5, 20))
def test_a_bare_ladder_fails_when_the_defender_moves_first(size: int):
    board, target = bare_ladder(size)
    assert read_ladder(board, target, WHITE).result == "escapes"


def test_one_more_white_stone_breaks_the_bare_ladder_on_89_of_252_points():
    board, target = bare_ladder(16)
    points = ladder_points(board, target)
    assert board.empty.bit_count() == 252
    assert (len(points.white), points.undecided) == (89, ())
    assert points.black == ()
    for extra in board.torus.points_in(board.empty):
        colours = list(board.colours)
        colours[extra] = WHITE
        trial = Board(board.torus)
        trial.setup(colours, BLACK)
        assert (read_ladder(trial, target).result == "escapes") == (extra in points.white)


def test_makers_are_the_points_that_restore_a_broken_ladder():
    board, target = bare_ladder(7)
    breaker = ladder_points(board, target).white[0]
    colours = list(board.colours)
    colours[breaker] = WHITE
    broken = Board(board.torus)
    broken.setup(colours, BLACK)
    points = ladder_points(broken, target)
    assert points.result == "escapes"
    assert points.black
    for extra in broken.torus.points_in(broken.empty):
        for colour, found in ((BLACK, points.black), (WHITE, points.white)):
            colours = list(broken.colours)
            colours[extra] = colour
            trial = Board(broken.torus)
            trial.setup(colours, BLACK)
            assert (read_ladder(trial, target).result == "captured") == (extra in found)


def test_a_captured_attacker_frees_the_defender():
    board, named = draw(
        """
        .......
        ..XO...
        ..oX...
        .XX....
        .......
        .......
        .......
        """,
        WHITE,
    )
    ladder = read_ladder(board, named["o"])
    assert ladder.result == "escapes"
    assert stones_taken(board, ladder)


def test_capturing_an_attacker_is_a_defence_where_running_is_none():
    board, named = draw(
        """
        .......
        ..XO...
        .XoxO..
        .XAB...
        ..X....
        .......
        .......
        """,
        WHITE,
    )
    ladder = read_ladder(board, named["o"])
    assert (ladder.result, ladder.line[0]) == ("escapes", named["B"])
    assert read_ladder(board, named["o"], BLACK).line == (named["A"],)


def test_a_defender_who_captures_may_still_be_caught():
    board, named = draw(
        """
        .......
        .......
        .....X.
        ..XXoX.
        ....X..
        .X.....
        .......
        """,
        WHITE,
    )
    ladder = read_ladder(board, named["o"])
    assert ladder.result == "captured"
    places = [place for place, _ in stones_taken(board, ladder)]
    assert len(places) >= 2
    assert places[0] % 2 == 0, "the defender captures first"
    assert places[-1] % 2 == 1, "the attacker captures last"


def test_a_defender_who_captures_twice_may_still_be_caught():
    board, named = draw(
        """
        .......
        .XX....
        ..oXO..
        ..XX.X.
        ..O..X.
        ..X....
        .......
        """,
        WHITE,
    )
    ladder = read_ladder(board, named["o"])
    assert ladder.result == "captured"
    assert len([place for place, _ in stones_taken(board, ladder) if place % 2 == 0]) >= 2


def test_suicide_is_no_escape():
    board, named = draw(
        """
        ........
        ...X....
        ..XoX...
        ..XAX...
        ...X....
        ........
        ........
        ........
        """,
        WHITE,
    )
    assert board.refusal(named["A"]) is None, "the suicide is legal"
    ladder = read_ladder(board, named["o"])
    assert ladder.result == "captured"
    assert ladder.line == (PASS, named["A"])


def test_the_attackers_suicide_is_no_atari():
    board, named = draw(
        """
        .XXXXX.
        XOOOOOX
        XOAoBOX
        XOOOOOX
        .XXXXX.
        .......
        .......
        """,
        BLACK,
    )
    assert board.chain_at(named["o"]).liberties == tuple(sorted((named["A"], named["B"])))
    assert read_ladder(board, named["o"]).result == "escapes", "two eyes"


KO = """
    ........
    ...XO...
    ..XoAO..
    ...XO...
    ........
    ........
    ........
    ........
    """


def test_superko_over_the_faced_states_can_forbid_the_capture():
    board, named = draw(KO.replace("o", ".").replace("A", "x"), WHITE)
    taken = named["x"]
    target = taken - 1
    board.play(target)
    assert board.colours[taken] == 0
    assert read_ladder(board, target).result == "escapes", "retaking the ko would repeat the board"
    board.play(60)
    board.play(62)
    assert read_ladder(board, target).result == "captured", "after a threat and its answer it would not"


def test_a_pass_saves_a_chain_that_superko_protects():
    board, named = draw(KO.replace("o", ".").replace("A", "x"), WHITE)
    target = named["x"] - 1
    board.play(target)
    board.pass_turn()
    assert read_ladder(board, target).result == "escapes"


def test_one_more_stone_does_not_lift_a_ko():
    board, named = draw(KO.replace("o", ".").replace("A", "x"), WHITE)
    target = named["x"] - 1
    board.play(target)
    points = ladder_points(board, target)
    assert points.result == "escapes"
    assert points.black == points.white == ()


def test_a_chain_with_three_liberties_has_escaped():
    board, named = draw(".....\n..X..\n..o..\n.....\n.....")
    assert read_ladder(board, named["o"]).as_dict(board.torus) == {"result": "escapes", "plies": 0, "line": []}


def test_the_budget_leaves_the_question_open_and_enough_of_it_answers():
    board, target = bare_ladder(16)
    needed = read_ladder(board, target).nodes
    assert read_ladder(board, target, nodes=needed).result == "captured"
    open_question = read_ladder(board, target, nodes=needed - 1)
    assert (open_question.result, open_question.line, open_question.nodes) == ("undecided", (), needed - 1)
    points = ladder_points(board, target, nodes=1)
    assert points.result == "undecided"
    assert points.black == points.white == ()
    assert len(points.undecided) > 400


def test_the_board_stays_as_it_is():
    game = Game(9)
    for name in ("E5", "E6", "D5", "D6", "F6", "E7"):
        game.play(game.torus.parse(name))
    key, faced, text = game.board.key, dict(game.board.faced), str(game.board)
    read_ladder(game.board, game.torus.parse("E6"))
    ladder_points(game.board, game.torus.parse("E6"), nodes=500)
    threatened_chains(game.board)
    assert (game.board.key, game.board.faced, str(game.board)) == (key, faced, text)
    game.undo()


def test_chains_that_can_be_captured_now():
    board, target = bare_ladder(9)
    ladders = threatened_chains(board)
    assert [ladder.target.stones for ladder in ladders] == [(target,)]
    assert (ladders[0].to_move, ladders[0].target.colour) == (BLACK, WHITE)
    board.pass_turn()
    assert [ladder.target.stones for ladder in threatened_chains(board)] == [(target,)]


def test_plain_values_for_a_program():
    board, target = bare_ladder(6)
    answer = read_ladder(board, target).as_dict(board.torus, "sgf")
    assert (answer["result"], answer["plies"], len(answer["line"])) == ("captured", 21, 21)
    assert answer["line"][:2] == ["dc", "ed"]
    marks = ladder_points(board, target).as_dict(board.torus)
    assert marks["makers"] == {"black": [], "white": []}
    assert marks["breakers"]["white"]


@pytest.mark.parametrize(
    ("point", "nodes", "message"),
    [
        (0, None, "there is no stone at A9; name a stone of the chain to read"),
        (81, None, "point 81 is off the board: 0 to 80"),
        (-1, None, "point -1 is off the board: 0 to 80"),
        (40, -1, "the node budget must be 0 or more, not -1"),
    ],
)
def test_what_cannot_be_read_is_said(point: int, nodes: int | None, message: str):
    board, _ = bare_ladder(9)
    with pytest.raises(ValueError, match=message):
        read_ladder(board, point, nodes=nodes)
