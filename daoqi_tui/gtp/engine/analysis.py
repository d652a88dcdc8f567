"""KataGo's analysis engine: queries and results in JSON, each on one line of standard input and output.

https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md — what is told differs in this: boards are
square and have no edge, the values are Black's, and a query or a setting that is not known is answered by an error or a
warning. Positions are searched one after the other.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Annotated, Any, Final, Literal, TextIO, TypeAlias

import msgspec
from msgspec import Meta

from daoqi_tui import __version__, codec
from daoqi_tui.ai import Answer, Candidate, Position, Progress, Restriction, Think
from daoqi_tui.ai.process import PlayerError
from daoqi_tui.codec import JsonError
from daoqi_tui.engine import BLACK, PASS, STANDARD_KOMI, WHITE, Colour, IllegalMove, Rules, Torus, opponent, torus_of
from daoqi_tui.gtp import (
    COLOURS,
    LONGEST_LINE,
    GtpError,
    is_too_long,
    lower_bound,
    parse_vertex,
    root_win,
    shown,
    vertex_name,
)
from daoqi_tui.gtp.engine.katago_commands import changed_rules, read_rules
from daoqi_tui.gtp.engine.session import GtpSession, LineReader, internal_error, write_now
from daoqi_tui.gtp.player import Player
from daoqi_tui.streams import StreamError

DEFAULT_VISITS: Final = 500
_ALL_MOVES: Final = 10_000
_HURRY_SECONDS: Final = 0.05
_COORDINATES: Final = re.compile(r"\((\d{1,4}),\s*(\d{1,4})\)")
_FIELD: Final = re.compile(r"`\$\.(\w+)|required field `(\w+)`")
"""Where an error of the codec names the field that is wrong."""

_Mover: TypeAlias = Literal["B", "W", "b", "w"]
_Count: TypeAlias = Annotated[int, Meta(ge=1, le=1_000_000_000)]
_Seconds: TypeAlias = Annotated[float, Meta(ge=0.001, le=86_400)]
_Turn: TypeAlias = Annotated[int, Meta(ge=0)]
_Priority: TypeAlias = Annotated[int, Meta(ge=-(2**31), le=2**31)]


class _Restricted(msgspec.Struct, rename="camel"):
    """An object of ``avoidMoves`` and ``allowMoves``."""

    player: _Mover
    moves: list[str]
    until_depth: _Count


class _Settings(msgspec.Struct, rename="camel"):
    """What ``overrideSettings`` may set."""

    max_time: _Seconds | None = None
    max_visits: _Count | None = None
    report_analysis_winrates_as: Literal["BLACK"] = "BLACK"


class _Fields(msgspec.Struct, rename="camel"):
    """The fields of a query."""

    id: str
    moves: list[tuple[_Mover, str]]
    rules: str | dict[str, Any]
    board_x_size: int
    board_y_size: int
    komi: float = STANDARD_KOMI
    white_handicap_bonus: str | int | None = None
    initial_stones: list[tuple[_Mover, str]] = []
    initial_player: _Mover | None = None
    analyze_turns: Annotated[list[_Turn], Meta(min_length=1)] | None = None
    max_visits: _Count | None = None
    analysis_pv_len: Annotated[int, Meta(ge=0)] = msgspec.field(default=15, name="analysisPVLen")
    avoid_moves: list[_Restricted] = []
    allow_moves: Annotated[list[_Restricted], Meta(max_length=1)] = []
    override_settings: dict[str, Any] = {}
    report_during_search_every: _Seconds | None = None
    priority: _Priority = 0
    priorities: list[_Priority] | None = None
    include_ownership: bool = False
    include_ownership_stdev: bool = False
    include_moves_ownership: bool = False
    include_moves_ownership_stdev: bool = False
    include_policy: bool = False
    include_pv_visits: bool = msgspec.field(default=False, name="includePVVisits")
    include_no_result_value: bool = False
    """Ignored: every game here has a result."""


class _Action(msgspec.Struct, rename="camel"):
    """The fields of an action."""

    id: str
    action: str
    terminate_id: str | None = None
    turn_numbers: list[int] | None = None


class QueryError(Exception):
    """A query cannot be answered.

    Attributes:
        field: the field that is wrong; empty for the whole.
    """

    def __init__(self, text: str, name: str = "") -> None:
        super().__init__(text)
        self.field = name

    @classmethod
    @contextmanager
    def at(cls, name: str) -> Iterator[None]:
        """Raise this error, for a field, in place of what its value causes."""
        try:
            yield
        except (GtpError, ValueError) as error:
            raise cls(str(error), name) from error


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked about some positions of a game.

    Attributes:
        fields: of the query.
        positions: to search, by the number of moves before them.
        priorities: of the positions.
        visits: the limit of evaluations.
        seconds: the limit of time; None for none.
        restrictions: moves to avoid or allow.
        warnings: what was not understood, by its field.
    """

    fields: _Fields
    positions: Mapping[int, Position]
    priorities: Mapping[int, int]
    visits: int
    seconds: float | None
    restrictions: tuple[Restriction, ...]
    warnings: Mapping[str, str]


def parse_query(values: Mapping[str, Any], usual_rules: Rules, visits: int = DEFAULT_VISITS) -> Query:
    """Read a query.

    Args:
        values: the JSON object of the line.
        usual_rules: those of fields that its rules do not name.
        visits: where it names none.

    Raises:
        QueryError: a field is missing or wrong.
    """
    fields = _converted(values, _Fields)
    own = _converted(fields.override_settings, _Settings, "overrideSettings")
    session = _session(fields, usual_rules)
    turns = fields.analyze_turns or [len(fields.moves)]
    priorities = fields.priorities or [fields.priority] * len(turns)
    if len(priorities) != len(turns):
        raise QueryError("priorities is as long as analyzeTurns", "priorities")
    warnings = {name: f"{shown(name)} is not known here, and was ignored" for name in _unknown(values, _Fields)}
    if ignored := _unknown(fields.override_settings, _Settings):
        warnings["overrideSettings"] = f"not known here, and ignored: {', '.join(map(shown, ignored))}"
    return Query(
        fields,
        dict(_positions(fields, session, set(turns))),
        dict(zip(turns, priorities, strict=True)),
        fields.max_visits or own.max_visits or visits,
        own.max_time,
        _restrictions(fields, session.game.torus),
        warnings,
    )


def _converted(values: Mapping[str, Any], kind: Any, within: str = "") -> Any:  # noqa: ANN401 - the codec's
    try:
        return codec.convert(values, kind)
    except JsonError as error:
        found = _FIELD.search(str(error))
        raise QueryError(str(error), within or (found[1] or found[2] if found else "")) from error


def _unknown(values: Iterable[str], kind: type[msgspec.Struct]) -> list[str]:
    return sorted(set(values) - {field.encode_name for field in msgspec.structs.fields(kind)})


def _session(fields: _Fields, usual: Rules) -> GtpSession:
    """Return the session with the initial position of a query."""
    if fields.board_x_size != fields.board_y_size:
        raise QueryError("boards on the torus are square here: boardXSize and boardYSize are equal", "boardYSize")
    with QueryError.at("rules"):
        rules = read_rules(fields.rules) if isinstance(fields.rules, str) else changed_rules(usual, fields.rules)
        if fields.white_handicap_bonus is not None:
            rules = changed_rules(rules, {"whiteHandicapBonus": str(fields.white_handicap_bonus)})
    with QueryError.at("boardXSize"):
        torus_of(fields.board_x_size)
    with QueryError.at("komi"):
        session = GtpSession(fields.board_x_size, fields.komi, rules)
    torus = session.game.torus
    stones: dict[Colour, list[int]] = {BLACK: [], WHITE: []}
    for colour, point in _read_moves(fields.initial_stones, torus, "initialStones"):
        if point == PASS:
            raise QueryError("a stone is on a point, not on pass", "initialStones")
        stones[colour].append(point)
    if fields.initial_player is not None:
        to_move = COLOURS[fields.initial_player.lower()]
    elif fields.moves:
        to_move = COLOURS[fields.moves[0][0].lower()]
    else:
        # As KataGo takes it: White moves after handicap stones.
        to_move = WHITE if stones[BLACK] and not stones[WHITE] else BLACK
    with QueryError.at("initialStones"):
        if fields.initial_stones:
            session.lay_out(stones[BLACK], stones[WHITE], to_move)
        elif to_move != session.game.to_move:
            session.turn_to(to_move)
    return session


def _positions(fields: _Fields, session: GtpSession, turns: set[int]) -> Iterator[tuple[int, Position]]:
    """Make the moves of a query, and yield the positions at some turns."""
    moves = list(_read_moves(fields.moves, session.game.torus, "moves"))
    if max(turns) > len(moves):
        raise QueryError(f"there is no turn {max(turns)}; the last is {len(moves)}", "analyzeTurns")
    to_move = session.game.to_move
    for turn in range(len(moves) + 1):
        if turn in turns:
            # Whoever moves next, as the record has it.
            yield turn, session.position(moves[turn][0] if turn < len(moves) else to_move)
        if turn < len(moves):
            colour, point = moves[turn]
            try:
                session.play(colour, point)
            except IllegalMove as error:
                name = vertex_name(session.game.torus, point)
                raise QueryError(f"Illegal move {turn}: {name}: {error}", "moves") from error
            to_move = opponent(colour)


def _read_moves(moves: Sequence[tuple[str, str]], torus: Torus, name: str) -> Iterator[tuple[Colour, int]]:
    for player, vertex in moves:
        yield COLOURS[player.lower()], _point(torus, vertex, name)


def _point(torus: Torus, word: str, name: str) -> int:
    """Return the point of a vertex, or of KataGo's ``(x,y)`` from the top left; PASS for a pass."""
    found = _COORDINATES.fullmatch(word)
    if found is not None and int(found[1]) < torus.columns and int(found[2]) < torus.rows:
        return int(found[2]) * torus.columns + int(found[1])
    with QueryError.at(name):
        return parse_vertex(torus, word)


def _restrictions(fields: _Fields, torus: Torus) -> tuple[Restriction, ...]:
    if fields.avoid_moves and fields.allow_moves:
        raise QueryError("allowMoves has no avoidMoves beside it", "allowMoves")
    return tuple(
        Restriction(
            COLOURS[each.player.lower()],
            tuple(_point(torus, word, name) for word in each.moves),
            each.until_depth,
            each in fields.allow_moves,
        )
        for name, several in (("avoidMoves", fields.avoid_moves), ("allowMoves", fields.allow_moves))
        for each in several
    )


def result(query: Query, turn: int, colour: Colour, progress: Progress | Answer, *, during: bool) -> dict[str, Any]:
    """Return what is told of a position with ``colour`` to move; win rates and leads are Black's."""
    torus = torus_of(query.positions[turn].size)
    told: dict[str, Any] = {
        "id": query.fields.id,
        "isDuringSearch": during,
        "turnNumber": turn,
        "moveInfos": [_move(query, torus, colour, line, order) for order, line in enumerate(progress.lines)],
        "rootInfo": {
            "currentPlayer": "B" if colour == BLACK else "W",
            "visits": progress.visits,
            **_values(_black(colour, root_win(progress)), progress.margin),
        },
    }
    details = progress.details
    if details is not None:
        if query.fields.include_ownership:
            told["ownership"] = details.ownership.mean
        if query.fields.include_ownership_stdev:
            told["ownershipStdev"] = details.ownership.deviation
        if query.fields.include_policy:
            told["policy"] = details.policy
    return told


def _move(query: Query, torus: Torus, colour: Colour, line: Candidate, order: int) -> dict[str, Any]:
    bound = _black(colour, lower_bound(line))
    end = query.fields.analysis_pv_len + 1
    told: dict[str, Any] = {
        "move": vertex_name(torus, line.move),
        "order": order,
        "visits": line.visits,
        "prior": line.prior,
        **_values(_black(colour, line.win), line.margin),
        "lcb": bound,
        "utilityLcb": 2 * bound - 1,
        "pv": [vertex_name(torus, move) for move in line.line[:end]],
    }
    if query.fields.include_pv_visits:
        # A position has one node for each way to it, so that as many visits lead to it as there are in it.
        told["pvVisits"] = told["pvEdgeVisits"] = line.line_visits[:end]
    if line.ownership is not None:
        if query.fields.include_moves_ownership:
            told["ownership"] = line.ownership.mean
        if query.fields.include_moves_ownership_stdev:
            told["ownershipStdev"] = line.ownership.deviation
    return told


def _values(win: float, margin: float) -> dict[str, float]:
    """Return Black's win rate and lead by KataGo's names; the search keeps one score, which all of them are."""
    lead = round(margin, 3)
    return {
        "winrate": round(win, 6),
        "utility": round(2 * win - 1, 6),
        "scoreLead": lead,
        "scoreMean": lead,
        "scoreSelfplay": lead,
    }


def _black(colour: Colour, win: float) -> float:
    return win if colour == BLACK else 1.0 - win


@dataclass(slots=True)
class _Task:
    """A position to search."""

    query: Query
    turn: int
    number: int
    is_ended: bool = False

    @property
    def rank(self) -> tuple[int, int]:
        return -self.query.priorities[self.turn], self.number


class AnalysisServer:
    """The engine.

    Args:
        source: queries are read from here.
        target: results are written there.
        player: searches.
        rules: where a query's rules do not name a field.
        visits: where a query names none.
        version: that ``query_version`` tells.
    """

    def __init__(
        self,
        source: TextIO,
        target: TextIO,
        player: Player,
        *,
        rules: Rules,
        visits: int = DEFAULT_VISITS,
        version: str = __version__,
    ) -> None:
        self._source: Final = source
        self._target: Final = target
        self._player: Final = player
        self._rules: Final = rules
        self._visits: Final = visits
        self._version: Final = version
        self._numbers: Final = count()
        self._waiting: list[_Task] = []
        self._current: _Task | None = None
        self._news = asyncio.Event()
        self._is_complete = False

    async def run(self) -> None:
        """Answer all queries until the end of the input, or until the output is closed.

        Raises:
            StreamError: the results cannot be written, for a reason other than a closed pipe.
        """
        searching = asyncio.create_task(self._search_all())
        reading = asyncio.create_task(self._read())
        try:
            await asyncio.wait((searching, reading), return_when=asyncio.FIRST_EXCEPTION)
            for task in (searching, reading):
                if task.done():
                    task.result()
        except BrokenPipeError:
            pass
        finally:
            for task in (searching, reading):
                task.cancel()
            await asyncio.gather(searching, reading, return_exceptions=True)
            await self._player.close()

    async def _read(self) -> None:
        lines = LineReader(self._source)
        while (line := await lines.get()) is not None:
            if line.strip():
                self._receive(line)
        self._is_complete = True
        self._news.set()

    def _receive(self, line: str) -> None:
        """Take a line: queue its positions, or do its action."""
        name: object = None
        try:
            if is_too_long(line):
                raise QueryError(f"the line is longer than {LONGEST_LINE} characters")
            try:
                values = codec.decode(line, dict[str, Any])
            except JsonError as error:
                raise QueryError("the line is not a JSON object") from error
            name = values.get("id")
            if "action" in values:
                self._act(values)
                return
            query = parse_query(values, self._rules, self._visits)
            for where, text in query.warnings.items():
                self._send({"warning": text, "field": where, "id": query.fields.id})
            self._waiting += [_Task(query, turn, next(self._numbers)) for turn in query.priorities]
            self._news.set()
        except QueryError as error:
            told = {"error": str(error), **({"field": error.field} if error.field else {})}
            self._send({**told, **({"id": name} if isinstance(name, str) else {})})

    def _act(self, values: Mapping[str, Any]) -> None:
        asked = _converted(values, _Action)
        more: dict[str, Any] = {}
        turns = None if asked.turn_numbers is None else set(asked.turn_numbers)
        if asked.action == "query_version":
            more = {"version": self._version, "git_hash": "<omitted>"}
        elif asked.action == "query_models":
            more = {"models": []}
        elif asked.action == "clear_cache":
            self._player.forget()
        elif asked.action == "terminate" and asked.terminate_id is not None:
            self._terminate(asked.terminate_id, turns)
        elif asked.action == "terminate":
            raise QueryError("terminateId is missing", "terminateId")
        elif asked.action == "terminate_all":
            self._terminate(None, turns)
        else:
            known = "query_version, query_models, clear_cache, terminate and terminate_all"
            raise QueryError(f"{shown(asked.action)} is not an action; those that are: {known}", "action")
        self._send({**values, **more})

    def _terminate(self, name: str | None, turns: set[int] | None) -> None:
        for task in self._waiting if self._current is None else [*self._waiting, self._current]:
            if name in (None, task.query.fields.id) and (turns is None or task.turn in turns):
                task.is_ended = True
        for task in [task for task in self._waiting if task.is_ended]:
            self._waiting.remove(task)
            self._send(
                {"id": task.query.fields.id, "isDuringSearch": False, "noResults": True, "turnNumber": task.turn}
            )

    async def _search_all(self) -> None:
        while True:
            while self._waiting:
                task = min(self._waiting, key=lambda each: each.rank)
                self._waiting.remove(task)
                self._current = task
                await self._search(task)
                self._current = None
            if self._is_complete:
                return
            await self._news.wait()
            self._news.clear()

    async def _search(self, task: _Task) -> None:
        query, turn = task.query, task.turn
        fields, every = query.fields, query.fields.report_during_search_every
        colour = query.positions[turn].board().to_move
        due = time.monotonic() + (every or 0.0)

        def report(progress: Progress) -> None:
            nonlocal due
            if every is not None and progress.lines and time.monotonic() >= due:
                due = time.monotonic() + every
                self._send(result(query, turn, colour, progress, during=True))

        # So that the result does not depend on what was asked before.
        self._player.forget()
        thinking = asyncio.create_task(
            self._player.think(
                Think(
                    query.positions[turn],
                    seconds=query.seconds,
                    visits=query.visits,
                    analyse=True,
                    shown=_ALL_MOVES,
                    restrictions=tuple(query.restrictions),
                    details=fields.include_ownership or fields.include_ownership_stdev or fields.include_policy,
                    owned=fields.include_moves_ownership or fields.include_moves_ownership_stdev,
                ),
                report,
            )
        )
        try:
            while not thinking.done():
                if task.is_ended:
                    self._player.hurry()
                await asyncio.wait((thinking,), timeout=_HURRY_SECONDS)
            self._send(result(query, turn, colour, thinking.result(), during=False))
        except PlayerError as error:
            self._send({"error": str(error), "id": fields.id, "turnNumber": turn})
        except (BrokenPipeError, StreamError):
            raise
        except Exception as error:  # whatever goes wrong, the client is waiting for an answer
            self._send({"error": internal_error(error).replace("\n", "; "), "id": fields.id, "turnNumber": turn})
        finally:
            thinking.cancel()

    def _send(self, told: Mapping[str, Any]) -> None:
        write_now(self._target, f"{codec.encode(told).decode()}\n")
