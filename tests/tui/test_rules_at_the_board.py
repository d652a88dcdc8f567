"""The rules on the game screen: refusals without side effects, captures across the seam, suicide, repetition."""

from __future__ import annotations

import pytest

from daoqi_tui.engine import WHITE
from daoqi_tui.play.session import GameSetup
from tests.tui.driving import Person, playing, until

SMALL = GameSetup(size=5)


def state(person: Person) -> list[object]:
    """Return everything that a refused move must leave unchanged."""
    board = person.game.board
    return [
        person.position,
        person.moves,
        person.game.node,
        board.key,
        dict(board.faced),
        list(board.captured),
        len(list(person.game.root.walk())),
        person.viewport,
        person.text("#game"),
        person.history_lines(),
    ]


@pytest.mark.parametrize("by_mouse", [False, True], ids=["keyboard", "mouse"])
async def test_a_taken_point_is_refused_flashes_and_changes_nothing(by_mouse: bool) -> None:
    async with playing(setup=SMALL) as person:
        await person.play("C3")
        await person.click_point("C3", button=3)
        before = state(person)
        if by_mouse:
            await person.click_point("C3")
        else:
            await person.press("enter")
        assert "C3 is occupied" in person.status
        assert person.board.picture.refused == person.game.torus.parse("C3")
        assert state(person) == before
        await until(person, lambda: person.board.picture.refused is None)


async def test_a_repetition_is_refused_with_the_move_and_the_side() -> None:
    # If Black retook the ko at once, the position after move 2 would recur with White to move.
    async with playing(setup=SMALL) as person:
        await person.lay_out(
            """
            . . . . .
            . X O . .
            X . X O .
            . X O . .
            . . . . .
            """,
            to_move=WHITE,
        )
        await person.play("E1", "A1", "B3")
        person.stands(
            """
            . . . . .
            . X O . .
            X O . O .
            . X O . .
            X . . . O
            """
        )
        before = state(person)
        await person.click_point("C3")
        assert "C3 would repeat the position after move 2 with White to move" in person.status
        assert state(person) == before


async def test_captures_across_the_seam_are_shown() -> None:
    async with playing(setup=SMALL) as person:
        # White's two stones are connected across the left and right edges of the picture.
        await person.lay_out(
            """
            . . . . .
            X . . . X
            O X . X O
            X . . . .
            . . . . .
            """
        )
        await person.click_point("E2")
        person.stands(
            """
            . . . . .
            X . . . X
            . X . X .
            X . . . X
            . . . . .
            """
        )
        assert person.tallies() == ["captured 2  passes 0", "captured 0  passes 0"]
        assert any("E2" in line and "×2" in line for line in person.history_lines())


async def test_suicide_is_played_and_shown() -> None:
    async with playing(setup=SMALL) as person:
        await person.lay_out(
            """
            . . . . .
            . O . . .
            O . O . .
            . O . . .
            . . . . .
            """
        )
        await person.click_point("B3")
        person.stands(
            """
            . . . . .
            . O . . .
            O . O . .
            . O . . .
            . . . . .
            """
        )
        assert person.game.to_move == WHITE
        assert person.tallies() == ["captured 0 †1  passes 0", "captured 0  passes 0"]
        # The same move is no suicide for White, whose stones surround the point.
        await person.click_point("B3")
        assert person.moves == ["B3", "B3"]


async def test_the_second_suicide_in_a_row_is_a_repetition() -> None:
    async with playing(setup=SMALL) as person:
        await person.lay_out(
            """
            . . . . .
            . O . . .
            O . O . .
            . O . X .
            . . X . X
            """
        )
        # D5 surrounds D1 from across the seam, so D1 is suicide for White, as B3 is for Black.
        await person.play("D5", "A5", "B3")
        assert person.game.node.lost == 1
        await person.click_point("D1")
        assert "D1 would repeat the position after move 2 with Black to move" in person.status
