"""A computer at a seat of an online game."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from daoqi_tui.ai.process import PlayerError
from daoqi_tui.ai.protocol import Answer as PlayerAnswer
from daoqi_tui.ai.protocol import Position
from daoqi_tui.engine.clock import TimeLeft
from daoqi_tui.gtp.player import RESIGN, Player, asked_again
from daoqi_tui.message import Message
from daoqi_tui.play.online.client import ClientEvent, OnlineClient
from daoqi_tui.play.online.protocol import ROLES, Agree, Answer, PlayOn, Resign, State, Welcome
from daoqi_tui.play.players import MoveTime, time_for_move

_ACCEPTED: Final = ("pause", "adjourn", "continue", "rematch")


class Bot:
    """Plays for a client: moves when it is its turn, counts all stones as alive, and never undoes a move.

    Args:
        client: the seat.
        player: chooses the moves.
        tell: called with the reason when its process has died, before the request is repeated, and when it stops making
            moves.
    """

    def __init__(
        self, client: OnlineClient, player: Player, tell: Callable[[PlayerError | Message], object] = lambda _: None
    ) -> None:
        self._tell = tell
        self._stopped = False
        self._client = client
        self._player = player
        self._thought: asyncio.Task[None] | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._question: object = None
        """What the last state asked of the players."""

    def hear(self, event: ClientEvent) -> None:
        """React to an event of the client."""
        client, state = self._client, self._client.state
        if isinstance(event, Welcome):
            # An answer may have been lost with the connection; the state that follows shows whether it was.
            self._question = None
            return
        if state is None or self._stopped or client.colour is None or not client.connected:
            return
        if self._preparing is None:
            # Before its turn, if possible, since the server's clock does not wait.
            self._preparing = asyncio.get_running_loop().create_task(self._prepare())
        question = state.round, state.moves, state.phase, state.dead, state.request
        if question != self._question:
            self._question = question
            self._answer(state)
        if client.my_turn and (self._thought is None or self._thought.done()):
            self._thought = asyncio.get_running_loop().create_task(self._move())

    def _answer(self, state: State) -> None:
        """Answer what a state asks of this side.

        Only once: other states may come before the answer has been handled, such as when the opponent agrees as well.
        """
        client = self._client
        if state.request is not None:
            if state.request.by != client.role:
                client.send(Answer(state.request.what, accept=state.request.what in _ACCEPTED))
        elif state.phase == "counting" and client.role not in state.agreed:
            client.send(PlayOn() if state.dead else Agree())

    async def _prepare(self) -> None:
        # What fails here fails again with the first move, and is reported then.
        with suppress(PlayerError):
            await self._player.prepare(Position.of(self._client.game))

    async def _move(self) -> None:
        client = self._client
        if self._preparing is not None:
            # The clock of the server is running.
            self._preparing.cancel()
            await asyncio.wait((self._preparing,))
        node, moves, position = client.game.node, len(client.game.moves()), Position.of(client.game)

        async def ask() -> PlayerAnswer:
            time = self._time()
            return await self._player.think(position, seconds=time.seconds, extra=time.extra)

        try:
            answer = await asked_again(ask, self._tell)
        except PlayerError as error:
            self._stop(error)
            return
        if not client.my_turn or len(client.game.moves()) != moves or client.game.node.action != node.action:
            # The state has changed meanwhile; the next event asks again.
            return
        if answer.move == RESIGN:
            client.send(Resign())
        elif answer.move >= 0 and client.game.refusal(answer.move) is not None:
            self._stop(Message("the engine's move is illegal"))
        else:
            client.play(answer.move)

    def _time(self) -> MoveTime:
        """Return the time of the next move."""
        client = self._client
        control = client.state.time if client.state is not None else None
        return time_for_move(
            None,
            self._time_left(),
            increment=control.increment if control is not None else 0.0,
            period=control.period if control is not None else 0.0,
            points=client.game.torus.points,
            played=client.game.node.number,
        )

    def _stop(self, problem: PlayerError | Message) -> None:
        self._stopped = True
        self._tell(problem)

    def _time_left(self) -> TimeLeft | None:
        state, colour = self._client.state, self._client.colour
        if state is None or state.clock is None or colour is None:
            return None
        left = state.clock.black if ROLES[colour] == "black" else state.clock.white
        return TimeLeft(left.seconds, left.periods, left.byoyomi)

    async def close(self) -> None:
        """End the player; later events are ignored."""
        self._stopped = True
        tasks = [task for task in (self._preparing, self._thought) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._player.close()
