"""Clients that play random moves, game after game, and detect what was acknowledged and then lost."""

from __future__ import annotations

import asyncio
import random

from daoqi_tui.play.online.client import ClientEvent
from daoqi_tui.play.online.protocol import Answer, Ask, Moved, Resign, State
from tests.play.online.table import Player


class Mover(Player):
    """A client that plays a random move on every turn and checks that no acknowledged move is lost.

    Attributes:
        acknowledged: the moves of the game as last reported by the server.
        told: the moves that were acknowledged individually, by move number.
        lost: pairs of the known moves and the reported moves, where the latter did not start with the former.
        length: the moves after which a game is resigned and another one begun, by its number; None for one game.
        over: the results of the games that were told to be over, and their moves.
    """

    def __init__(self, url: str, game: str, chance: random.Random, **seat: object) -> None:
        self.acknowledged: list[str] = []
        self.told: dict[int, str] = {}
        self.lost: list[tuple[object, object]] = []
        self.chance = chance
        self.length: dict[int, int] | None = None
        self.over: dict[int, tuple[str, list[str]]] = {}
        self._round = 1
        super().__init__(url, game, **seat)
        inner = self.heard.append

        def hear(event: ClientEvent) -> None:
            inner(event)
            if isinstance(event, Moved):
                self.told[event.number] = event.move
            if isinstance(event, Moved | State) and self.client.state is not None:
                self.compare(self.client.state)
            # Try on every event: after a refused move, the server's next ping may be the only one that follows.
            asyncio.get_running_loop().call_soon(self.move)

        self.client._on_event = hear

    def compare(self, state: State) -> None:
        """Compare what is reported with what was before."""
        if state.round == self._round + 1 and self._round in self.over:
            self._round, self.acknowledged = state.round, []
        moves = list(state.moves)
        if state.round != self._round or moves[: len(self.acknowledged)] != self.acknowledged:
            self.lost.append((self.acknowledged, state))
        self.acknowledged = moves
        ended = (state.result, moves) if state.phase == "over" else None
        if ended != self.over.get(state.round, ended):
            self.lost.append((self.over[state.round], state))
        if ended is not None:
            self.over[state.round] = ended

    def move(self) -> None:
        """Play a random legal move if it is this client's turn, or end the game, or begin another."""
        client, state = self.client, self.client.state
        if state is None or not client.connected:
            return
        if self.length is not None and client.my_turn and len(state.moves) >= self.length.get(state.round, 0):
            client.send(Resign())
        elif client.my_turn:
            client.play(self.chance.choice([*client.game.legal_points()]))
        elif self.length is not None and state.phase == "over" and state.round + 1 in self.length:
            if state.request is None and client.role == "black":
                client.send(Ask("rematch"))
            elif state.request is not None and state.request.by != client.role:
                client.send(Answer("rematch", accept=True))
