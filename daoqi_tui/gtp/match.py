"""Matches on the torus between any two players, ours by level and GTP engines by their command line.

The colours alternate, several games run at once, and every finished game is in a log from which an interrupted match
goes on. Nothing here prints; whoever shows the match is told by events.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, Literal, TypeAlias

from daoqi_tui.ai.levels import STRONGEST
from daoqi_tui.ai.nets import USUAL
from daoqi_tui.engine import BLACK, STANDARD_KOMI, STANDARD_SIZE, WHITE, Game
from daoqi_tui.gtp.client import Engine, EngineError
from daoqi_tui.gtp.engine_thinker import MOVE_PATIENCE, EngineThinker
from daoqi_tui.gtp.match_log import MatchError, MatchLog, Played, WrongMatch
from daoqi_tui.gtp.referee import Outcome, referee
from daoqi_tui.gtp.standing import Standing, standing
from daoqi_tui.gtp.thinker import LevelThinker, Thinker
from daoqi_tui.record import Info, save

Side: TypeAlias = Literal["A", "B"]

_OWN = re.compile(r"level:\s*(?P<level>[0-9]{1,2})(?:\s+net:(?P<net>.+))?|net:(?P<alone>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """A match.

    Attributes:
        engine_a, engine_b: ``level:N`` for our own player, ``level:N net:FILE`` or ``net:FILE`` for it with another
            network, ``net:none`` for it by playouts, or the command line of a GTP engine.
        games: how many; odd ones have A as Black.
        size: of the board, 2 to 25.
        komi: points for White.
        out: the folder for the log and the records; None keeps neither.
        parallel: games at a time.
        opening: so many plays by chance begin every two games, alike in both; players that do not vary would else
            play the same two games again and again.
        seconds: time for each move, None for what the players see fit.
        limit: moves after which a game is counted as it stands; None for three a point.
        patience: seconds a GTP engine may take for a move where ``seconds`` is None.
    """

    engine_a: str
    engine_b: str
    games: int = 40
    size: int = STANDARD_SIZE
    komi: float = STANDARD_KOMI
    out: Path | None = None
    parallel: int = 2
    opening: int = 2
    seconds: float | None = None
    limit: int | None = None
    patience: float = MOVE_PATIENCE

    def settings(self) -> dict[str, Any]:
        """What may not change when a match is resumed; the number of games may grow."""
        names = ("engine_a", "engine_b", "size", "komi", "opening", "seconds", "limit")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Moved:
    """A move was made in a game."""

    game: int
    moves: int


@dataclass(frozen=True, slots=True)
class Finished:
    """A game has ended."""

    played: Played


Event: TypeAlias = Moved | Finished


@dataclass
class _Seats:
    """The two players of one game at a time, kept from game to game."""

    options: MatchOptions
    players: dict[Side, Thinker] = field(default_factory=dict)

    def player(self, side: Side) -> Thinker:
        """The player, made where there is none."""
        if side not in self.players:
            self.players[side] = make_player(
                self.options.engine_a if side == "A" else self.options.engine_b, self.options.patience
            )
        return self.players[side]

    async def leave(self, *sides: Side) -> None:
        """End players."""
        for side in sides:
            player = self.players.pop(side, None)
            if player is not None:
                await player.close()


class Match:
    """A match that can be run once; it goes on where the log in its folder ends.

    Raises:
        WrongMatch: an option is out of range.
        MatchError: the folder cannot be used, holds another match, or is in use by one.
    """

    def __init__(self, options: MatchOptions) -> None:
        if not 1 <= options.games <= 100_000:
            raise WrongMatch(f"{options.games} games cannot be played; 1 to 100000 can")
        if not 1 <= options.parallel <= 64:
            raise WrongMatch(f"{options.parallel} games at a time are out of range: 1 to 64")
        most = options.size * options.size // 4
        if not 0 <= options.opening <= most:
            raise WrongMatch(f"an opening of {options.opening} plays is out of range: 0 to {most} on this board")
        try:
            Game(options.size, options.komi)
            for command in (options.engine_a, options.engine_b):
                make_player(command, options.patience)
        except (ValueError, EngineError) as error:
            raise WrongMatch(str(error)) from error
        self.options: Final = options
        self._log = MatchLog(options.out, options.settings()) if options.out is not None else None
        self._played = dict(self._log.played) if self._log is not None else {}

    @property
    def played(self) -> tuple[Played, ...]:
        """The finished games by number."""
        return tuple(self._played[game] for game in sorted(self._played))

    @property
    def standing(self) -> Standing:
        """The table so far."""
        return standing((self.options.engine_a, self.options.engine_b), self.played)

    async def run(self, tell: Callable[[Event], None] = lambda _: None) -> Standing:
        """Play the games that are missing. When cancelled, all engines are ended, and the log is whole.

        The folder is then free for another match.

        Raises:
            MatchError: an engine cannot be started at all, or the log cannot be written.
        """
        missing = [game for game in range(1, self.options.games + 1) if game not in self._played]
        missing.reverse()

        async def play_on() -> None:
            seats = _Seats(self.options)
            try:
                while missing:
                    await self._play(missing.pop(), seats, tell)
            finally:
                await asyncio.shield(seats.leave("A", "B"))

        slots = [asyncio.create_task(play_on()) for _ in range(min(self.options.parallel, len(missing)))]
        try:
            await asyncio.gather(*slots)
        finally:
            for slot in slots:
                slot.cancel()
            await asyncio.gather(*slots, return_exceptions=True)
            if self._log is not None:
                self._log.close()
        return self.standing

    async def _play(self, number: int, seats: _Seats, tell: Callable[[Event], None]) -> None:
        options = self.options
        black: Side = "A" if number % 2 else "B"
        white: Side = "B" if number % 2 else "A"
        players = {BLACK: seats.player(black), WHITE: seats.player(white)}
        for player in players.values():
            await _be_ready(player)
        game = Game(options.size, options.komi)
        chance = Random((number - 1) // 2)
        for _ in range(options.opening):
            game.play(chance.choice(game.legal_points()))
        start = time.monotonic()
        outcome = await referee(
            game, players, options.seconds, options.limit, lambda game: tell(Moved(number, game.node.number))
        )
        if outcome.end == "forfeit":
            # Whatever state a player that failed is in, the next game begins with a new one.
            await seats.leave("A", "B")
        played = Played(
            number,
            black,
            black if outcome.winner == BLACK else white,
            outcome.result,
            outcome.end,
            game.node.number,
            round(time.monotonic() - start, 1),
            outcome.reason,
        )
        self._keep(game, played, outcome)
        tell(Finished(played))

    def _keep(self, game: Game, played: Played, outcome: Outcome) -> None:
        options = self.options
        self._played[played.game] = played
        if self._log is None:
            return
        names = {"A": options.engine_a, "B": options.engine_b}
        info = Info(
            black=names[played.black],
            white=names["B" if played.black == "A" else "A"],
            result=outcome.result,
            round=str(played.game),
            comment=outcome.reason,
        )
        path = self._log.folder / f"game-{played.game:04}.sgf"
        try:
            save(path, game, info)
        except OSError as error:
            raise MatchError(f"the record {path} cannot be written: {error.strerror or error}") from error
        # Last of all, so that a game in the log has its record.
        self._log.add(played)


def make_player(command: str, patience: float = MOVE_PATIENCE) -> Thinker:
    """The player that ``level:N``, ``level:N net:FILE``, ``net:FILE`` or a command line names; nothing is started yet.

    Raises:
        ValueError: there is no such level, or the network cannot be used.
        EngineError: the command line cannot be read.
    """
    own = _OWN.fullmatch(command.strip())
    if own is not None:
        net = own["net"] or own["alone"]
        return LevelThinker(int(own["level"] or STRONGEST), net=net or USUAL)
    return EngineThinker(Engine(command), patience)


async def _be_ready(player: Thinker) -> None:
    """Start an engine before its game begins: a wrong command ends the match rather than losing every game.

    Raises:
        MatchError: it does not start.
    """
    if isinstance(player, EngineThinker) and player.pid is None:
        try:
            await player.engine.start()
        except EngineError as error:
            raise MatchError(str(error)) from error
