"""Clients that play at random, and notice where a move that was acknowledged disappears."""

from __future__ import annotations

import asyncio
import random

from daoqi_tui.play.online.events import ClientEvent
from daoqi_tui.play.online.protocol import Moved, State
from tests.play.online.table import Player


class Mover(Player):
    """Moves at random whenever it is its turn, and checks that no acknowledged move disappears.

    Attributes:
        acknowledged: the moves of the game as it is known here.
        told: the moves that were acknowledged one by one, by their numbers.
        lost: where a game came that did not begin with the moves known: those, and the ones that came.
    """

    def __init__(self, url: str, game: str, chance: random.Random, **seat: str) -> None:
        self.acknowledged: list[str] = []
        self.told: dict[int, str] = {}
        self.lost: list[tuple[list[str], tuple[str, ...]]] = []
        self.chance = chance
        super().__init__(url, game, **seat)
        inner = self.heard.append

        def hear(event: ClientEvent) -> None:
            inner(event)
            if isinstance(event, Moved):
                self.told[event.number] = event.move
            state = self.client.state
            if isinstance(event, Moved | State) and state is not None:
                if list(state.moves[: len(self.acknowledged)]) != self.acknowledged:
                    self.lost.append((self.acknowledged, state.moves))
                self.acknowledged = list(state.moves)
            # At whatever comes: the server's pings are the last resort where a refusal was the answer to a move.
            asyncio.get_running_loop().call_soon(self.move)

        self.client._hear = hear

    def move(self) -> None:
        """Move, if it is our turn."""
        if self.client.my_turn and self.client.connected:
            game = self.client.game
            self.client.play(self.chance.choice([*game.legal_points()]))
