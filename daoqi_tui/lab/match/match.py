"""Matches on the torus between any two players: our own by level, GTP engines by their command line.

The referee's rules decide what is legal, whatever the players think. The colours alternate, several games run at once,
and every finished game is in a log from which an interrupted match resumes. :class:`EngineMatch` prints nothing: it
reports events, which :mod:`~daoqi_tui.lab.match.report` shows in a terminal.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Final, Literal, TypeAlias

from daoqi_tui.ai import USUAL, Position, Think
from daoqi_tui.ai.process import PlayerError, thread_count
from daoqi_tui.children import complete
from daoqi_tui.engine import (
    BLACK,
    DAOQI,
    EMPTY,
    STANDARD_KOMI,
    STANDARD_SIZE,
    WHITE,
    Colour,
    Game,
    IllegalMove,
    Resignation,
    Rules,
    opponent,
)
from daoqi_tui.gtp.client import Engine, EngineError
from daoqi_tui.gtp.player import (
    LONGEST_THOUGHT,
    MOVE_PATIENCE,
    EnginePlayer,
    LevelPlayer,
    Player,
    ResignationPolicy,
    apply_answer,
)
from daoqi_tui.lab.cluster import Cluster
from daoqi_tui.lab.match.cpu import cpu_seconds
from daoqi_tui.lab.match.results import (
    RECORD_NAME,
    End,
    MatchError,
    MatchLog,
    Played,
    Standing,
    WrongMatch,
    standing,
)
from daoqi_tui.lab.match.sprt import SequentialTest, Sprt, Verdict, paired_scores
from daoqi_tui.message import Message, reason_of
from daoqi_tui.record import Info, dump, write_atomically
from daoqi_tui.typed import STRONGEST, Skill, check_seconds

Side: TypeAlias = Literal["A", "B"]
SIDES: Final[tuple[Side, Side]] = ("A", "B")

_LONGEST: Final = 3
"""Moves per point of the board after which a game is scored as it stands."""
_OWN = re.compile(r"level:\s*(?P<level>\S{1,100})(?:\s+net:(?P<net>.+))?|net:(?P<alone>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """The options of a match.

    Attributes:
        engine_a, engine_b: ``level:N`` for our own player, ``level:N:STYLE`` for it in a style, ``level:N net:FILE`` or
            ``net:FILE`` for it with another network, or the command line of a GTP engine.
        games: the number of games; A is Black in odd ones.
        size: of the board, 2 to 25.
        komi: points for White.
        out: the folder for the log and the records; None keeps neither.
        parallel: the number of simultaneous games, which share the processor's cores.
        opening: the number of random moves from which each pair of games starts; deterministic players would otherwise
            repeat the same two games.
        seconds: time for each move, None for the players' own limits.
        limit: moves after which a game is scored as it stands; None for three per point.
        patience: the timeout in seconds of a GTP engine's move if ``seconds`` is None.
        rules: of the referee and our own player; sent to GTP engines that support ``kata-set-rules``.
        visits: our own player's evaluations per move, instead of its level's.
        cpu: for our own player, ``seconds`` limits CPU time.
        sprt: ends the match as soon as it has a verdict; None plays all games.
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
    rules: Rules = DAOQI
    visits: int | None = None
    cpu: bool = False
    sprt: Sprt | None = None

    def player(self, side: Side) -> Player:
        """Make the player of a side; raises as :func:`make_player` does."""
        command = self.engine_a if side == "A" else self.engine_b
        # A search for a number of visits is to be the same on every machine.
        threads = 1 if self.visits else max(1, thread_count("auto") // self.parallel)
        return make_player(command, self.patience, visits=self.visits, cpu=self.cpu, threads=threads)

    def settings(self) -> dict[str, Any]:
        """Return the settings that must not change when a match is resumed; the number of games may grow."""
        names = ("engine_a", "engine_b", "size", "komi", "opening", "seconds", "limit", "visits", "cpu")
        return {name: getattr(self, name) for name in names} | {"rules": str(self.rules)}


@dataclass(frozen=True, slots=True)
class Moved:
    """A move was made in a game."""

    game: int
    moves: int


@dataclass(frozen=True, slots=True)
class Finished:
    """A game has ended.

    Attributes:
        played: its entry in the log.
        reason: of a forfeit, to be put into words.
    """

    played: Played
    reason: Message | str | None


MatchEvent: TypeAlias = Moved | Finished


@dataclass
class _PlayerPair:
    """The two players of one game at a time; their processes are reused from game to game."""

    options: MatchOptions
    players: dict[Side, Player] = field(default_factory=dict)

    def player(self, side: Side) -> Player:
        """Return the player of a side, creating it if necessary."""
        if side not in self.players:
            self.players[side] = self.options.player(side)
        return self.players[side]

    async def leave(self, *sides: Side) -> None:
        """End players."""
        for side in sides:
            player = self.players.pop(side, None)
            if player is not None:
                await player.close()


class EngineMatch:
    """A match that can be run once; it is resumed from the log in its folder.

    Attributes:
        options: of the match.
        test: the sequential test that ends it, None without one.

    Raises:
        WrongMatch: an option is out of range.
        MatchError: the folder cannot be used, contains another match, or is in use by one.
    """

    def __init__(self, options: MatchOptions) -> None:
        if not 1 <= options.games <= 100_000:
            raise WrongMatch(Message("{count} games are out of range: 1 to 100000", count=options.games))
        if not 1 <= options.parallel <= 64:
            raise WrongMatch(Message("{count} games at a time are out of range: 1 to 64", count=options.parallel))
        most = options.size * options.size // 4
        if not 0 <= options.opening <= most:
            raise WrongMatch(
                Message(
                    "{count} opening moves are out of range: 0 to {most} on this board",
                    count=options.opening,
                    most=most,
                )
            )
        if options.limit is not None and not options.limit >= 1:
            raise WrongMatch(Message("a limit of {count} moves is out of range: at least 1", count=options.limit))
        if options.visits is not None and not options.visits >= 1:
            raise WrongMatch(Message("{count} visits per move are out of range: at least 1", count=options.visits))
        try:
            check_seconds(options.seconds, LONGEST_THOUGHT)
            check_seconds(options.patience, LONGEST_THOUGHT)
            Game(options.size, options.komi, rules=options.rules)
            for side in SIDES:
                options.player(side)
            if (options.cpu or options.visits) and not (is_own(options.engine_a) or is_own(options.engine_b)):
                raise ValueError(
                    Message(
                        "CPU time and visits limit level:N and net:FILE alone, and neither player is one; a GTP engine "
                        "takes its limits on its own command line"
                    )
                )
            if options.cpu and options.seconds is None:
                raise ValueError(Message("CPU time is given without an amount; add --time"))
        except (ValueError, EngineError) as error:
            raise WrongMatch(reason_of(error)) from error
        self.options: Final = options
        self._log = MatchLog(options.out, options.settings()) if options.out is not None else None
        self._played = dict(self._log.played) if self._log is not None else {}
        self.test: Final = SequentialTest(options.sprt) if options.sprt is not None else None
        self._count_pairs()

    @property
    def played(self) -> tuple[Played, ...]:
        """The finished games by number."""
        return tuple(self._played[game] for game in sorted(self._played))

    @property
    def missing(self) -> tuple[int, ...]:
        """The numbers of the games that have not been played."""
        return tuple(game for game in range(1, self.options.games + 1) if game not in self._played)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of the sequential test, None until then or without a test. No game is started after it."""
        return None if self.test is None else self.test.verdict

    @property
    def standing(self) -> Standing:
        """The current table."""
        return standing((self.options.engine_a, self.options.engine_b), self.played, self.options.opening)

    async def run(
        self, report: Callable[[MatchEvent], None] = lambda _: None, cluster: Cluster | None = None
    ) -> Standing:
        """Play the missing games. If cancelled, all engines are ended, and the log is consistent.

        Afterwards the folder is free for another match.

        Args:
            report: called with the events.
            cluster: plays the games, as many at a time as it has processors; None for engines on this machine.

        Raises:
            MatchError: an engine cannot be started at all, or the log cannot be written.
        """
        missing = list(reversed(self.missing))

        async def play_on() -> None:
            seats = _PlayerPair(self.options)
            try:
                while missing and self.verdict is None:
                    self._keep(await play_game(self.options, missing.pop(), seats, report), report)
            finally:
                await complete(seats.leave("A", "B"))

        async def have_played(cluster: Cluster) -> None:
            # The path need not exist on another machine, and only this one writes.
            options = replace(self.options, out=None)
            while missing and self.verdict is None:
                found = await asyncio.wrap_future(cluster.submit(play_alone, options, missing.pop()))
                if isinstance(found, MatchError):
                    raise found
                self._keep(found, report)

        count = min(len(missing), self.options.parallel if cluster is None else cluster.processors)
        slots = [asyncio.create_task(play_on() if cluster is None else have_played(cluster)) for _ in range(count)]
        try:
            await asyncio.gather(*slots)
        finally:
            for slot in slots:
                slot.cancel()
            await asyncio.gather(*slots, return_exceptions=True)
            if self._log is not None:
                self._log.close()
        return self.standing

    def _count_pairs(self) -> None:
        """Pass the finished pairs of games to the sequential test."""
        if self.test is not None:
            self.test.go_on(paired_scores(self.played))

    def _keep(self, found: PlayedGame, report: Callable[[MatchEvent], None]) -> None:
        """Write a game's record and its entry in the log."""
        played = found.played
        self._played[played.game] = played
        self._count_pairs()
        if self._log is not None:
            path = self._log.folder / RECORD_NAME.format(f"{played.game:04}")
            try:
                write_atomically(path, found.record)
            except OSError as error:
                raise MatchError(
                    Message("the record {file} cannot be written: {reason}", file=path, reason=reason_of(error))
                ) from error
            # Last, so that every game in the log has its record.
            self._log.add(played)
        report(Finished(played, found.reason))


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game of a match.

    Attributes:
        played: its entry in the log.
        record: in SGF.
        reason: of a forfeit, to be put into words.
    """

    played: Played
    record: bytes
    reason: Message | str | None


async def play_game(
    options: MatchOptions, number: int, seats: _PlayerPair, report: Callable[[MatchEvent], None] = lambda _: None
) -> PlayedGame:
    """Play a game of a match.

    Args:
        options: of the match.
        number: of the game, from 1.
        seats: the players.
        report: called with each move.

    Raises:
        MatchError: an engine cannot be started.
    """
    black: Side = "A" if number % 2 else "B"
    white: Side = "B" if number % 2 else "A"
    players = {BLACK: seats.player(black), WHITE: seats.player(white)}
    for player in players.values():
        await _be_ready(player)
    game = Game(options.size, options.komi, rules=options.rules)
    chance = Random((number - 1) // 2)
    for _ply in range(options.opening):
        game.play(chance.choice(game.legal_points()))
    before = _cpu_of(seats)
    start = time.monotonic()
    outcome = await referee(
        game, players, options.seconds, options.limit, lambda game: report(Moved(number, game.node.number))
    )
    after = _cpu_of(seats)
    if outcome.end == "forfeit":
        # A player that failed is in an unknown state: the next game starts with a new one.
        await seats.leave("A", "B")
    played = Played(
        number,
        black,
        {BLACK: black, WHITE: white, EMPTY: None}[outcome.winner],
        outcome.result,
        outcome.end,
        game.node.number,
        round(time.monotonic() - start, 1),
        str(outcome.reason or ""),
        (_used(before[0], after[0]), _used(before[1], after[1])),
    )
    names = {"A": options.engine_a, "B": options.engine_b}
    info = Info(black=names[black], white=names[white], result=outcome.result, round=str(number), comment=played.reason)
    return PlayedGame(played, dump(game, info), outcome.reason)


def play_alone(options: MatchOptions, number: int) -> PlayedGame | MatchError:
    """Play a game of a match with its own players, in a dedicated process.

    Returns:
        The game, or the reason why it cannot be played.
    """

    async def play() -> PlayedGame:
        seats = _PlayerPair(options)
        try:
            return await play_game(options, number, seats)
        finally:
            await seats.leave("A", "B")

    try:
        return asyncio.run(play())
    except MatchError as error:
        return error


_Cpu: TypeAlias = tuple[int | None, float | None]
"""A player's process and the CPU seconds it has used."""


def _cpu_of(seats: _PlayerPair) -> tuple[_Cpu, _Cpu]:
    pids = seats.player("A").pid, seats.player("B").pid
    return (pids[0], cpu_seconds(pids[0])), (pids[1], cpu_seconds(pids[1]))


def _used(before: _Cpu, after: _Cpu) -> float | None:
    """Return the CPU seconds between two readings; None if the process has changed meanwhile."""
    if before[0] is None:
        # Our own player's process starts with its first move.
        before = after[0], 0.0
    if before[0] != after[0] or before[1] is None or after[1] is None:
        return None
    return round(after[1] - before[1], 2)


def is_own(command: str) -> bool:
    """Return whether a player is our own, ``level:N`` or ``net:FILE``, rather than the command line of an engine."""
    return _OWN.fullmatch(command.strip()) is not None


def make_player(
    command: str, patience: float = MOVE_PATIENCE, *, visits: int | None = None, cpu: bool = False, threads: int = 1
) -> Player:
    """Make the player that ``level:N``, ``level:N net:FILE``, ``net:FILE`` or a command line names; starts nothing.

    Raises:
        ValueError: there is no such level, or the network cannot be used.
        EngineError: the command line cannot be read.
    """
    own = _OWN.fullmatch(command.strip())
    if own is not None:
        net = own["net"] or own["alone"]
        level, style = Skill.parse(own["level"]) if own["level"] else Skill(STRONGEST)
        return LevelPlayer(level, net=net or USUAL, visits=visits, cpu=cpu, threads=threads, style=style)
    return EnginePlayer(Engine(command), patience)


async def _be_ready(player: Player) -> None:
    """Start an engine before its game begins, so that a wrong command ends the match instead of losing every game.

    Raises:
        MatchError: it cannot be started.
    """
    if isinstance(player, EnginePlayer) and player.pid is None:
        try:
            await player.start()
        except EngineError as error:
            raise MatchError(reason_of(error)) from error


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """The result of a game.

    Attributes:
        winner: the colour, EMPTY for a drawn game.
        result: as in records, ``B+F`` for a forfeit, ``0`` for a drawn game.
        end: two passes, a resignation, a forfeit, or the maximum length.
        reason: of a forfeit, one sentence; else None.
    """

    winner: Colour
    result: str
    end: End
    reason: Message | str | None = None


def longest(size: int) -> int:
    """Return the maximum number of moves of a game on a board."""
    return _LONGEST * size * size


async def referee(
    game: Game,
    players: Mapping[Colour, Player],
    seconds: float | None = None,
    limit: int | None = None,
    on_move: Callable[[Game], None] = lambda _: None,
) -> GameOutcome:
    """Play ``game`` to its end.

    Args:
        game: a game that has not ended; the moves are made in it.
        players: who plays which colour.
        seconds: time for each move, None for the players' own limits.
        limit: the number of moves after which the game is scored as it stands, :func:`longest` by default.
        on_move: called after every move.
    """
    most = longest(game.torus.size) if limit is None else limit
    resignation = ResignationPolicy()
    for colour in (BLACK, WHITE):
        try:
            await players[colour].prepare(Position.of(game))
        except PlayerError as error:
            return _forfeit(colour, reason_of(error))
    while not game.is_over:
        if game.node.number >= most:
            return _counted(game, "length")
        colour = game.to_move
        try:
            answer = await players[colour].think(Think(Position.of(game), seconds=seconds))
            apply_answer(game, answer, resignation)
        except PlayerError as error:
            return _forfeit(colour, reason_of(error))
        except IllegalMove as error:
            point = game.torus.name(answer.move)
            return _forfeit(colour, Message("the move {point} is illegal: {reason}", point=point, reason=error))
        if isinstance(game.ending, Resignation):
            return GameOutcome(opponent(colour), str(game.result), "resignation")
        on_move(game)
    return _counted(game, "passes")


def _counted(game: Game, end: End) -> GameOutcome:
    count = game.area()
    return GameOutcome(count.winner, str(count.result()), end)


def _forfeit(loser: Colour, reason: Message | str) -> GameOutcome:
    return GameOutcome(opponent(loser), "W+F" if loser == BLACK else "B+F", "forfeit", reason)
