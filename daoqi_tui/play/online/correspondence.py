"""Correspondence games: deadlines that are dates, vacations that stop them, and conditional moves.

Everything here is computed from values that are stored, so that a restart changes nothing. Times are seconds of the
epoch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple, TypeAlias

from msgspec import Meta

from daoqi_tui.engine import PASS, Game, IllegalMove, Node, Style, Torus
from daoqi_tui.engine.clock import DAY
from daoqi_tui.gtp import vertex_name
from daoqi_tui.message import Message
from daoqi_tui.play.online.protocol import MOST_MOVES, Name, Plan, Side

YEAR: Final = 365 * DAY
_MOST_TYPED: Final = 400
VACATION_DAYS: Final = 30
"""The days of vacation that an account has within any 365 days."""


class Vacation(NamedTuple):
    """A time in which the deadlines of a player stand still; the end of one that is not over is the planned one."""

    begun: float
    ended: float


def deadline(began: float, seconds: float, vacations: Iterable[Vacation]) -> float:
    """Return when the turn of a player is over: so many seconds after it began, not counting vacations.

    >>> deadline(100, 50, [Vacation(120, 200), Vacation(90, 110)])
    240
    """
    due = began + seconds
    for begun, ended in sorted(vacations):
        if begun >= due:
            break
        due += max(0.0, ended - max(began, begun))
    return due


def is_away(vacations: Iterable[Vacation], now: float) -> bool:
    return any(begun <= now < ended for begun, ended in vacations)


def time_left(began: float, seconds: float, vacations: Sequence[Vacation], now: float) -> float:
    """Return the seconds until the deadline in which no vacation is; 0 if it is over."""
    due = deadline(began, seconds, vacations)
    away = sum(max(0.0, min(ended, due) - max(begun, now)) for begun, ended in vacations)
    return max(0.0, due - max(now, began) - away)


def days_used(vacations: Iterable[Vacation], now: float) -> float:
    """Return the days of vacation of the last year, with those to come."""
    return sum(max(0.0, ended - max(begun, now - YEAR)) for begun, ended in vacations) / DAY


# Conditional moves


class PlanError(ValueError):
    """Conditional moves are not possible; the text is one sentence."""


def check_plan(game: Game, moves: Sequence[str], plan: Plan) -> Plan:
    """Return a plan with its moves named as in states.

    Args:
        game: as it stands, with the opponent to move.
        moves: those made so far.
        plan: for this position.

    Raises:
        PlanError: a line of it cannot be played, or its answer to a move is not the only one.
    """
    lines = tuple(tuple(_name(game.torus, move) for move in line) for line in plan.lines)
    answers: dict[tuple[str, ...], str] = {}
    tried = Game(game.torus.size, game.komi, game.handicap, game.rules)
    for move in moves:
        make_move(tried, point_of(tried.torus, move))
    start = tried.node
    for line in lines:
        if not line or len(line) % 2:
            raise PlanError(Message("a line has a move of the opponent and an answer, once or more often"))
        for place in range(1, len(line), 2):
            if answers.setdefault(line[:place], line[place]) != line[place]:
                raise PlanError(
                    Message("two lines answer {moves} in different ways", moves=" ".join(line[:place]).upper())
                )
        tried.goto(start)
        for move in line:
            _check_legal(tried, move)
            make_move(tried, point_of(tried.torus, move))
    return Plan(plan.number, lines)


def _name(torus: Torus, move: str) -> str:
    try:
        return vertex_name(torus, point_of(torus, move))
    except ValueError as error:
        raise PlanError(*error.args) from None


def _check_legal(game: Game, move: str) -> None:
    refusal = None if move == "pass" else game.refusal(game.torus.parse(move, "gtp"))
    if game.is_over:
        raise PlanError(Message("a line cannot go on after two passes"))
    if refusal is not None:
        raise PlanError(Message("{move}: {reason}", move=move, reason=refusal.as_message()))


def make_move(game: Game, point: int) -> Node:
    """Play at a point, or pass, as the server says, also after two passes: then play was resumed."""
    if game.is_over:
        game.resume()
    return game.make(point)


def point_of(torus: Torus, move: str, style: Style = "gtp") -> int:
    """Return the point of a move by its name, PASS for a pass. Raises ValueError where it is neither."""
    return PASS if move.lower() == "pass" else torus.parse(move, style)


def still_planned(plan: Plan, moves: Sequence[str]) -> Plan | None:
    """Return what is left of a plan after the moves made since; None if nothing is, since another move was made.

    >>> still_planned(Plan(0, (("A1", "B1", "C1", "D1"), ("A2", "B2"))), ["A1", "B1"])
    Plan(number=2, lines=(('C1', 'D1'),))
    """
    made = tuple(moves[plan.number :])
    lines = tuple(line[len(made) :] for line in plan.lines if line[: len(made)] == made and len(line) > len(made))
    return Plan(plan.number + len(made), lines) if lines and plan.number <= len(moves) else None


def read_lines(text: str, torus: Torus) -> tuple[tuple[str, ...], ...]:
    """Read conditional moves as they are typed: ``D4 E5 F6 G7; D4 E5 C3 B2``; an empty text is no line.

    Raises:
        ValueError: a move is not the name of a point, nor pass.
    """
    lines = (line.split() for line in text.split(";"))
    return tuple(tuple(vertex_name(torus, point_of(torus, move, "daoqi")) for move in line) for line in lines if line)


def read_moves(size: int, text: str, style: Style = "daoqi") -> Game:
    """Return a game with moves as they are typed, from the empty board.

    Raises:
        ValueError: a move is not the name of a point, nor pass, or the rules forbid it, or there are very many.
    """
    game, names = Game(size), text.replace(",", " ").split()
    if len(names) > _MOST_TYPED:
        raise ValueError(Message("at most {most} moves", most=_MOST_TYPED))
    try:
        for name in names:
            game.make(point_of(game.torus, name, style))
    except IllegalMove as error:
        raise ValueError(error.refusal.as_message()) from error
    return game


# Whose turn it is, for lists of games

AccountId: TypeAlias = Annotated[str, Meta(max_length=20)]


@dataclass(frozen=True, slots=True)
class Turn:
    """A correspondence game that is not over, as the server's database has it.

    Attributes:
        game: the id of its table.
        size: of the board.
        black, white: the accounts.
        black_name, white_name: what they are called.
        moves: their number.
        mover: the side that has to move; empty while both have to agree to the count.
        began: when the turn began.
        seconds: the time for it.
    """

    game: str
    size: int
    black: AccountId
    white: AccountId
    black_name: Name
    white_name: Name
    moves: Annotated[int, Meta(ge=0, le=MOST_MOVES)]
    mover: Side | str
    began: float
    seconds: float
