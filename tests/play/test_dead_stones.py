"""Proposals of dead stones after two passes, and their effect on the score."""

from __future__ import annotations

import pytest

from daoqi_tui.ai.protocol import Estimated, Position
from daoqi_tui.engine import BLACK
from daoqi_tui.play.dead_stones import difference_words, propose_dead
from daoqi_tui.play.players import PlayerTable
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


class Adviser:
    """A fake adviser: assigns the stray stone to White with the given certainty, by the network and by playouts."""

    def __init__(self, network: float | None, playouts: float) -> None:
        self.network, self.playouts = network, playouts

    async def estimate(self, position: Position, *, seconds: float = 1.0, by_playouts: bool = False) -> Estimated:
        share = self.playouts if by_playouts or self.network is None else self.network
        by_network = self.network is not None and not by_playouts
        board = position.board()
        ownership = [{0: 0.0, 1: 0.9, 2: -0.9}[colour] for colour in board.colours]
        ownership[STRAY] = 1 - 2 * share
        return Estimated(1, 1 if by_network else 400, tuple(ownership), 0.0, 5.0, 0.5, by_network)

    async def close(self) -> None: ...


@pytest.mark.parametrize(
    ("network", "playouts", "dead"),
    [
        (0.95, 0.6, True),
        (0.7, 0.95, True),
        (0.4, 0.99, False),
        (0.7, 0.7, False),
        (None, 0.95, True),
        (None, 0.9, False),
    ],
)
async def test_one_that_is_sure_proposes_what_the_other_does_not_doubt(
    network: float | None, playouts: float, dead: bool
) -> None:
    game = game_of(ONE_STRAY, BLACK, 4)
    game.pass_turn()
    game.pass_turn()
    table = PlayerTable(lambda _seat: Adviser(network, playouts))  # type: ignore[arg-type,return-value]
    proposal = await propose_dead(table, game)
    assert proposal.stones == ({STRAY} if dead else set())
    assert proposal.by_network == (network is not None)
    assert "network" in proposal.words() or network is None
    assert "400 playouts" in proposal.words()


def test_the_difference_to_a_count_of_all_stones_is_said() -> None:
    game = game_of(ONE_STRAY, BLACK, 4)
    game.pass_turn()
    game.pass_turn()
    (alive,) = difference_words(game)
    assert alive.startswith("All alive (Tromp–Taylor): ")
    game.agree_dead([STRAY])
    dead, again = difference_words(game)
    assert dead.startswith("1 stone dead: White by ")
    assert again == alive
