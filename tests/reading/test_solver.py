"""The capture solver: eyes, ko, limited areas and budgets, and a comparison with a brute-force search."""

from random import Random

import pytest

from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Board, Colour, IllegalMove, torus_of
from daoqi_tui.reading.ladder import BudgetSpent, ReadingBoard
from daoqi_tui.reading.solver import Outcome, Solver
from tests.analysis.pictures import draw
from tests.thorough import rounds


class TooLong(Exception):
    """The move budget is used up."""


class Exhaustive:
    """A brute-force search of all plays and passes under superko, without a table, move ordering or life detection."""

    def __init__(self, board: Board, target: int, area: int, most: int) -> None:
        self.board = ReadingBoard(board)
        self.target, self.area, self.most = target, area, most
        self.defender: Colour = board.colours[target]

    def captured(self, passes: int = 0) -> bool:
        board = self.board
        if board.colours[self.target] != self.defender:
            return True
        if passes == 2:
            return False
        defending = board.to_move == self.defender
        for move in (PASS, *board.torus.points_in(board.empty & self.area)):
            self.most -= 1
            if not self.most:
                raise TooLong
            try:
                board.make(move)
            except IllegalMove:
                continue
            try:
                result = self.captured(passes + 1 if move == PASS else 0)
            finally:
                board.undo()
            if result != defending:
                return result
        return defending


def random_board(random: Random, size: int, empty: int) -> Board | None:
    torus = torus_of(size)
    colours: list[Colour] = [random.choice((BLACK, WHITE)) for _ in range(torus.points)]
    for point in random.sample(range(torus.points), empty):
        colours[point] = EMPTY
    board = Board(torus)
    try:
        board.setup(colours, random.choice((BLACK, WHITE)))
    except ValueError:
        return None
    return board


@pytest.mark.parametrize("superko", [False, True])
def test_it_agrees_with_a_search_that_tries_everything(superko: bool) -> None:
    random, compared, captured = Random(5), 0, 0
    for _ in range(rounds(250, 40_000)):
        board = random_board(random, random.choice((3, 4)), random.randint(2, 4))
        if board is None:
            continue
        target = next(point for point in range(board.torus.points) if board.colours[point])
        try:
            expected = Exhaustive(board, target, board.torus.full, 2000).captured()
            found = Solver(board, target, superko=superko, budget=4000).outcome(12)
        except (TooLong, BudgetSpent):
            continue
        if found is not None:
            assert found.captured == expected, board
            compared += 1
            captured += expected
    assert compared > 20
    assert 4 < captured < compared - 4


def test_two_eyes_live_and_one_does_not() -> None:
    board, named = draw(
        """
        XXXXXXX
        XOOOOOX
        XO.o.OX
        XOOOOOX
        XXXXXXX
        .......
        .......
        """
    )
    solver = Solver(board, named["o"])
    assert solver.is_safe
    assert solver.outcome(0) == Outcome(captured=False, plies=0)
    board, named = draw(
        """
        XXXXXXX
        XOOOOOX
        XOOo.OX
        XOOOOOX
        XXXXXXX
        .......
        .......
        """
    )
    solver = Solver(board, named["o"])
    assert not solver.is_safe
    assert solver.outcome(5) == Outcome(captured=True, plies=1)


def test_an_eye_with_a_dead_stone_in_it_is_no_certain_eye() -> None:
    # Black can empty the eye by suicide, and its middle point is not adjacent to the chain.
    board, named = draw(
        """
        OOOOOOO
        OOO.OOO
        OO.X.OO
        OOO.OOO
        OOOOOOO
        OOoO.OO
        OOOOOOO
        """
    )
    assert not Solver(board, named["o"]).is_safe


def test_the_winner_is_quick_and_the_loser_slow() -> None:
    board, named = draw(
        """
        .......
        ..XXX..
        .XOoOX.
        .X.A.X.
        .XXXXX.
        .......
        .......
        """
    )
    solver = Solver(board, named["o"], board.torus.mask((16, 17, 18, 23, 24, 25)))
    # Passing would delay the capture longest, but the line shows the loser's resistance.
    assert solver.outcome_after(named["A"], 9) == Outcome(captured=True, plies=4)
    assert len(solver.line(9)) == 3
    assert str(solver.board) == str(board)


def test_a_lost_chain_is_not_removed_by_its_own_side() -> None:
    board, named = draw(
        """
        XXXXX
        XOoOX
        XOA.X
        XXXXX
        .....
        """
    )
    board.pass_turn()
    solver = Solver(board, named["o"], board.torus.mask((6, 7, 8, 11, 12, 13)))
    assert solver.board.to_move == WHITE
    outcome = solver.outcome(9)
    assert outcome is not None
    assert outcome.captured
    for move in (move for move in solver.line(9) if move != PASS):
        assert solver.board.colours[named["o"]] == WHITE
        solver.board.make(move)


def test_a_chain_with_a_liberty_out_of_the_area_is_safe() -> None:
    board, named = draw(
        """
        .....
        .XX..
        XOo..
        .XX..
        .....
        """
    )
    with pytest.raises(ValueError, match="reaches out of the area"):
        Solver(board, named["o"], 1 << named["o"] + 1)
    assert Solver(board, named["o"], 0).is_safe


def test_a_ko_is_open_without_superko_and_settled_with_it() -> None:
    """Black takes the ko; White, who has no ko threats, may not take it back."""
    board, named = draw(
        """
        XXXXXXX
        XXXOOOX
        XXO.o.O
        XXXOOOX
        XXXXXXX
        X.XX.XX
        XXXXXXX
        """
    )
    target = named["o"]
    assert Solver(board, target).outcome(7) is None
    found = Solver(board, target, superko=True).outcome(7)
    assert found is not None
    assert found.captured
    assert found.plies == 3


def test_a_spent_budget_says_so() -> None:
    board, named = draw(
        """
        XXXXXX
        X....X
        XOoOOX
        X....X
        XXXXXX
        ......
        """
    )
    with pytest.raises(BudgetSpent):
        Solver(board, named["o"], budget=5).outcome(9)


@pytest.mark.parametrize(
    "picture",
    [
        """
        .xX
        OOX
        XO.
        """,
        """
        xX.
        XOO
        .OX
        """,
        """
        xX.
        OXO
        O.X
        """,
        """
        x.X
        XOO
        .XO
        """,
    ],
)
def test_a_defender_who_loses_with_every_play_passes(picture: str) -> None:
    board, named = draw(picture)
    target = named["x"]
    assert Exhaustive(board, target, board.torus.full, 3000).captured() is False
    solver = Solver(board, target)
    assert board.to_move == solver.defender
    assert solver.outcome(12) == Outcome(captured=False, plies=5)
    assert solver.line(12)[0] == PASS
    for play in solver.moves():
        after = solver.outcome_after(play, 12)
        assert after is not None
        assert after.captured, board.torus.name(play)
