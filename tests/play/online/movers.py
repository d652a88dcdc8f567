"""Clients that play random moves and detect acknowledged moves that were lost."""

from __future__ import annotations

import asyncio
import random

from daoqi_tui.play.online.client import ClientEvent
from daoqi_tui.play.online.protocol import Moved, State
from tests.play.online.table import Player


class Mover(Player):
    """A client that plays a random move on every turn and checks that no acknowledged move is lost.

    Attributes:
        acknowledged: the moves of the game as last reported by the server.
        told: the moves that were acknowledged individually, by move number.
        lost: pairs of the known moves and the reported moves, where the latter did not start with the former.
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
            # Try on every event: after a refused move, the server's next ping may be the only one that follows.
            asyncio.get_running_loop().call_soon(self.move)

        self.client._on_event = hear

    def move(self) -> None:
        """Play a random legal move if it is this client's turn."""
        if self.client.my_turn and self.client.connected:
            game = self.client.game
            self.client.play(self.chance.choice([*game.legal_points()]))
