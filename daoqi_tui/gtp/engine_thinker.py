"""Any GTP engine as a player: it is brought to a position move by move, and asked for its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from daoqi_tui.ai.protocol import RESUME, Action, Answer, Estimated, Layout, Line, Position, Progress
from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, IllegalMove, opponent, points_text, torus_of
from daoqi_tui.gtp.client import Engine, EngineError
from daoqi_tui.gtp.giving_up import RESIGN
from daoqi_tui.gtp.infos import Dialect, read_infos
from daoqi_tui.gtp.parsing import GtpError, colour_name, parse_vertex, shown, vertex_name

MOVE_PATIENCE: Final = 120.0
"""Seconds a move may take where no time is said."""
_SPARE: Final = 30.0
"""Seconds beyond the time it was given that an engine may take."""
_INTERVAL: Final = 20
"""Centiseconds between lines of analysis."""


class EngineThinker:
    """A :class:`~daoqi_tui.gtp.thinker.Thinker` in front of an engine, which is started with the first request.

    Everything it raises is an :class:`~daoqi_tui.gtp.client.EngineError`. After one that ended the engine, the next
    request starts it anew.

    Args:
        engine: not yet started.
        patience: seconds a move may take where no time is said.
    """

    def __init__(self, engine: Engine, patience: float = MOVE_PATIENCE) -> None:
        self.engine: Final = engine
        self._patience = patience
        self._at: tuple[int, float, tuple[Action, ...]] | None = None
        self._stop = asyncio.Event()

    @property
    def pid(self) -> int | None:
        """As in the protocol."""
        return self.engine.pid

    async def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        analyse: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Answer:
        """As in the protocol; win rates and lines are told where the engine gives them.

        Raises:
            EngineError: the engine fails, or its move is illegal on the torus.
        """
        self._stop.clear()
        board = position.board()
        colour = board.to_move
        await self._bring_to(position)
        start = time.monotonic()
        last: Progress | None = None
        move: str | None = None

        def hear(line: str) -> None:
            nonlocal last, move
            if line.startswith("play "):
                move = line[5:].strip()
                return
            news = read_infos(board.torus, colour, line, time.monotonic() - start)
            if news is not None:
                last = news
                if on_progress is not None:
                    on_progress(news)

        side = colour_name(colour)
        if analyse:
            await self._analyse(f"{self._dialect('analyze')}-analyze {side} {_INTERVAL}", hear, seconds)
            return _answer(last, last.lines[0].move if last is not None else PASS, start)
        if seconds is not None and "time_settings" in self.engine.known:
            # Overtime for one stone each is how GTP says "so many seconds a move".
            await self.engine.send(f"time_settings 0 {max(1, round(seconds))} 1")
            await self.engine.send(f"time_left {side} {max(1, round(seconds))} 1")
        patience = self._patience if seconds is None else seconds + _SPARE
        # Until its move is heard nobody knows what board the engine has.
        self._at = None
        dialect = self._dialect("genmove_analyze") if on_progress is not None else None
        if dialect is not None:
            await self.engine.send(f"{dialect}-genmove_analyze {side} {_INTERVAL}", patience, hear)
        else:
            move = await self.engine.send(f"genmove {side}", patience)
        chosen = await self._checked(position, move or "")
        return _answer(last, chosen, start)

    async def estimate(self, position: Position) -> Estimated:  # noqa: ARG002 - the protocol's form
        """Not asked of other engines.

        Raises:
            EngineError: always.
        """
        raise EngineError("refused", f"{self.engine.name} is not asked who owns what; our own player is")

    def hurry(self) -> None:
        """End an analysis; a move that GTP has been asked for cannot be hurried."""
        self._stop.set()

    async def close(self) -> None:
        """As in the protocol."""
        self._at = None
        await self.engine.close()

    async def _analyse(self, command: str, hear: Callable[[str], None], seconds: float | None) -> None:
        if command.startswith("None"):
            raise EngineError("refused", f"{self.engine.name} knows neither kata-analyze nor lz-analyze")
        timer = None
        if seconds is not None:
            timer = asyncio.get_running_loop().call_later(seconds, self._stop.set)
        try:
            await self.engine.analyse(command, hear, self._stop)
        finally:
            if timer is not None:
                timer.cancel()

    def _dialect(self, command: str) -> Dialect | None:
        dialects: tuple[Dialect, ...] = ("kata", "lz")
        return next((dialect for dialect in dialects if f"{dialect}-{command}" in self.engine.known), None)

    async def _checked(self, position: Position, word: str) -> int:
        """The move a word means, after it is seen to be legal; the engine has made it on its own board."""
        board = position.board()
        move = RESIGN
        if word.lower() != "resign":
            try:
                move = parse_vertex(board.torus, word)
            except GtpError as error:
                self._at = None
                raise EngineError("nonsense", f"{self.engine.name} answered {shown(word)}, which is no move") from error
            try:
                if move != PASS:
                    board.play(move)
            except IllegalMove as error:
                self._at = None
                text = f"{self.engine.name} played {word.upper()}, which is illegal on the torus: {error}"
                raise EngineError("illegal move", text) from error
            self._at = (position.size, position.komi, (*position.actions, move))
        return move

    async def _bring_to(self, position: Position) -> None:
        """Have the engine's board be the position, with as few commands as that takes."""
        engine = self.engine
        if engine.pid is None:
            self._at = None
            await engine.start()
        done = self._known_part(position)
        commands: list[str] = []
        if done is None:
            done = 0
            commands += [f"boardsize {position.size}", "clear_board", f"komi {points_text(position.komi)}"]
        self._at = None
        torus = torus_of(position.size)
        for mover, point in _moves(position.actions, done):
            commands.append(f"play {colour_name(mover)} {vertex_name(torus, point)}")
        for command in commands:
            await self._set_up(command)
        self._at = (position.size, position.komi, position.actions)

    async def _set_up(self, command: str) -> None:
        try:
            await self.engine.send(command)
        except EngineError as error:
            if error.fault == "refused" and command.startswith("play"):
                raise EngineError("refused", f"{error}, a move that is legal on the torus") from error
            raise

    def _known_part(self, position: Position) -> int | None:
        """How many of the actions the engine has made already; None where it must start anew."""
        if self._at is None or self._at[:2] != (position.size, position.komi):
            return None
        known = self._at[2]
        return len(known) if position.actions[: len(known)] == known else None


def _moves(actions: Sequence[Action], start: int) -> Iterator[tuple[Colour, int]]:
    """The moves of the actions from ``start`` on, each with its colour; stones laid out are played one by one.

    Raises:
        EngineError: stones are taken off, which GTP cannot say.
    """
    mover = BLACK
    for place, action in enumerate(actions):
        if isinstance(action, Layout):
            if action.empty:
                raise EngineError("refused", "a position from which stones were taken by hand cannot be told in GTP")
            if place >= start:
                yield from ((BLACK, point) for point in action.black)
                yield from ((WHITE, point) for point in action.white)
            mover = action.to_move
        elif action != RESUME:
            if place >= start:
                yield mover, action
            mover = opponent(mover)


def _answer(last: Progress | None, move: int, start: float) -> Answer:
    seconds = time.monotonic() - start
    if last is None:
        return Answer(0, move, 0.5, False, 0, seconds, (), 0.0)
    chosen = next((line for line in last.lines if line.move == move), Line(move, 0, last.lines[0].win, (move,)))
    return Answer(0, move, chosen.win, False, last.playouts, seconds, last.lines, last.margin)
