"""Guessing the moves of a game: the score by a review's figures or by match alone, in both faces."""

from __future__ import annotations

import random

import pytest

from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, Game
from daoqi_tui.plain import execute
from daoqi_tui.plain.game import PlainGame
from daoqi_tui.play.evaluation import Evaluations
from daoqi_tui.play.review import Guess, Guessing
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.tui.features.problems.screen import GuessScreen
from tests.play.test_own_mistakes import judged_game
from tests.tui.driving import playing, until


@pytest.mark.parametrize("colour", [BLACK, WHITE])
@pytest.mark.parametrize("reviewed", [True, False])
def test_each_guess_is_scored_by_the_figures_of_the_review_or_by_match_alone(colour: Colour, *, reviewed: bool) -> None:
    session, known = judged_game(5, 20)
    evaluations = known if reviewed else Evaluations()
    line, here = session.game.node.path(), session.game.node
    guessing, chance = Guessing(session, line, colour, evaluations, line[0]), random.Random(1)
    guesses = []
    for node in line[1:]:
        assert node.move is not None
        # On an empty board there is nothing to guess.
        if node.move.colour != colour or node.number == 1:
            continue
        assert node.parent is not None
        assert guessing.game.node.number == node.parent.number
        board = guessing.game.board
        legal = [point for point in range(25) if board.refusal(point) is None]
        found = evaluations.found_here(node.parent)
        lines = () if found is None else found.lines
        move = chance.choice([node.move.point, PASS, chance.choice(legal), *(line.move for line in lines)])
        guess = guessing.play(move)
        assert isinstance(guess, Guess)
        assert guessing.play(move) is None, "one guess each"
        guesses.append(guess)
        assert guessing.game.node.number == node.number
        assert guess.made == node.move.point
        assert guess.is_same == (move == node.move.point)
        leads = {line.move: line.margin if colour == BLACK else -line.margin for line in lines}
        assert guessing.is_evaluated == reviewed
        if not guess.is_same:
            wanted = max(leads.values()) - leads[move] if move in leads else None
            assert guess.lost == (None if wanted is None else pytest.approx(wanted))
        assert (guess.made_lost is None) == (not reviewed)
        guessing.next()
    assert guessing.is_over
    assert guessing.play(0) is None
    assert guessing.guesses == guesses
    assert guessing.count == len(guesses) == (9 if colour == BLACK else 10)
    assert session.game.node is here, "the game stays as it is"
    same, *others = guessing.sum_up()
    assert same == f"{sum(guess.is_same for guess in guesses)} of {len(guesses)} moves as in the game"
    evaluated = [guess for guess in guesses if guess.lost is not None and guess.made_lost is not None]
    assert bool(evaluated) == reviewed
    if evaluated:
        mean = sum(guess.lost or 0 for guess in evaluated) / len(evaluated)
        assert others[0].startswith(f"Lost on average: {mean:.1f} points by your moves")


def test_an_illegal_guess_is_refused_and_may_be_made_again() -> None:
    session, evaluations = judged_game(5, 20)
    line = session.game.node.path()
    guessing = Guessing(session, line, WHITE, evaluations, line[0])
    occupied = next(point for point in range(25) if guessing.game.board.colours[point])
    assert not isinstance(guessing.play(occupied), Guess | None)
    assert guessing.guesses == []
    assert isinstance(guessing.play(PASS), Guess)


def test_text_mode_asks_for_one_move_after_another_and_sums_up() -> None:
    game = Game(5)
    person = PlainGame(Session(game=game))
    assert "no move to guess" in execute(person, "guess black")[0]
    assert "Type guess black or guess white" in execute(person, "guess")[0]
    execute(person, "a1")
    assert execute(person, "guess white") == ["There is no move of White to guess from here on."]
    for point in ("b2", "c3", "d4"):
        execute(person, point)
    scoring, *asked = execute(person, "guess white")
    assert scoring.startswith("What counts is whether your move is that of the game")
    assert asked == ["Move 1: Black A1.", "White to play: which move was played in the game?"]
    assert "type guess stop first" in execute(person, "undo")[0]
    assert execute(person, "a1")[0].startswith("A1 is occupied")
    assert execute(person, "b2")[:2] == ["Yes: B2, as in the game.", "Move 3: Black C3."]
    assert execute(person, "pass") == [
        "In the game: D4.",
        "1 of 2 moves as in the game.",
        "Back to the game.",
    ]
    assert person.game is game
    assert game.node.number == 4


async def test_the_screen_asks_whose_moves_and_shows_the_move_of_the_game() -> None:
    async with playing(setup=GameSetup(5)) as person:
        await person.press("Q")
        assert "no move to guess" in person.status
        await person.play("A1", "B2", "C3", "D4")
        await person.press("Q")
        await person.wait()
        await person.press("w")
        await until(person, lambda: isinstance(person.app.screen, GuessScreen))
        page = person.open(GuessScreen)
        torus = page.game.torus
        assert "White to play" in str(page.query_one("#problem-task").content)  # type: ignore[attr-defined]
        page.play_at(torus.parse("B2"))
        assert "Yes: B2" in page._said.plain
        await person.press("enter")
        assert page.game.node.number == 3
        page.play_at(torus.parse("E5"))
        assert "In the game: D4." in page._said.plain
        assert page.board.picture.last == torus.parse("D4")
        assert set(page.board.picture.labels) == {torus.parse("E5")}
        await person.press("enter")
        assert "1 of 2 moves as in the game" in page._said.plain
        await person.press("enter")
        await until(person, lambda: person.at_the_board)
        assert "1 of 2 moves as in the game" in person.status
        assert person.moves == ["A1", "B2", "C3", "D4"]
