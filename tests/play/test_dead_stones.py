"""Proposals of dead stones after two passes, and their effect on the score."""

from __future__ import annotations

import pytest

from daoqi_tui.ai import Estimated, Position
from daoqi_tui.engine import BLACK
from daoqi_tui.play.analyst import Proposal, describe_difference, propose_dead
from tests.engine.pictures import game_of

ONE_STRAY = """
    . X . O .
    X X . O .
    . X O O .
    X X . O .
    . X . O X
"""
STRAY = 24
"""The rightmost black stone in the bottom row."""


ALIVE = """
    X X X X X X X
    X . X O . . X
    X X X X X X X
    . . . . . . .
    . O O O O O .
    . O . O . O .
    . O O O O O .
"""


class Adviser:
    """A fake adviser: gives ``stones`` to White with the given share, all others to their owners."""

    def __init__(self, share: float, stones: tuple[int, ...] = (STRAY,)) -> None:
        self.share, self.stones = share, stones

    async def estimate(self, position: Position) -> Estimated:
        board = position.board()
        ownership = [{0: 0.0, 1: 0.9, 2: -0.9}[colour] for colour in board.colours]
        for stone in self.stones:
            ownership[stone] = 1 - 2 * self.share
        return Estimated(1, tuple(ownership), 0.0, 5.0, 0.5)

    async def close(self) -> None: ...


async def proposed(picture: str, adviser: Adviser) -> Proposal:
    game = game_of(picture, BLACK, 4)
    game.pass_turn()
    game.pass_turn()
    return await propose_dead(adviser.estimate, game)


@pytest.mark.parametrize(("share", "dead"), [(0.85, True), (0.8, False), (0.4, False)])
async def test_what_the_network_is_sure_of_is_proposed(share: float, dead: bool) -> None:
    proposal = await proposed(ONE_STRAY, Adviser(share))
    assert proposal.stones == ({STRAY} if dead else set())
    assert proposal.certain == 0
    assert ("look dead" in proposal.describe()) is dead


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
async def test_what_is_certain_is_proposed_whatever_the_network_says(share: float) -> None:
    """The white stone cannot live, and no black stone can be captured."""
    inside = 1 * 7 + 3
    black = tuple(point for point in range(21) if point not in (8, inside, inside + 1, inside + 2))
    proposal = await proposed(ALIVE, Adviser(share, black))
    assert proposal.stones == {inside}
    assert proposal.certain == 1
    assert proposal.describe() == "Dead for certain"


def test_the_difference_to_a_count_of_all_stones_is_said() -> None:
    game = game_of(ONE_STRAY, BLACK, 4)
    game.pass_turn()
    game.pass_turn()
    (alive,) = describe_difference(game)
    assert alive.startswith("All alive (Tromp–Taylor): ")
    game.agree_dead([STRAY])
    dead, again = describe_difference(game)
    assert dead.startswith("1 stone dead: White by ")
    assert again == alive
