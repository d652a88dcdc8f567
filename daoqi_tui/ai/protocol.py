"""What the app and the player's process say to each other: values, and how each is one line of JSON.

Nothing here needs more than the standard library, so that the app may import it at once.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, TypeAlias

from daoqi_tui.engine import EMPTY, PASS, Board, Game, Node, Setup, torus_of
from daoqi_tui.engine.colour import BLACK, WHITE

RESUME: Final = -2
"""Stands among the actions for the resumption of play after two passes."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Stones laid out or taken off by hand, as points, and the colour then to move."""

    black: tuple[int, ...]
    white: tuple[int, ...]
    empty: tuple[int, ...]
    to_move: int


Action: TypeAlias = int | Layout


@dataclass(frozen=True, slots=True)
class Position:
    """A position with all that led to it, so that repetition is judged exactly.

    Attributes:
        size: of the board.
        komi: points for White.
        actions: from the start: points played, PASS, RESUME, and layouts by hand.
    """

    size: int
    komi: float
    actions: tuple[Action, ...] = ()

    @classmethod
    def of(cls, game: Game, at: Node | None = None) -> Position:
        """The position at a node of ``game``, by default at its cursor."""
        actions: list[Action] = []
        points_in = game.torus.points_in
        for node in (at or game.node).path():
            if isinstance(node.action, Setup):
                setup = node.action
                masks = (setup.black, setup.white, setup.empty)
                black, white, empty = (points_in(mask) for mask in masks)
                actions.append(Layout(black, white, empty, setup.to_move))
            elif node.move is not None:
                actions.append(node.move.point)
            if node.resumed:
                actions.append(RESUME)
        return cls(game.torus.size, game.komi, tuple(actions))

    def board(self) -> Board:
        """The board after all actions.

        Raises:
            IllegalMove: the rules refuse a play.
            ValueError: a layout leaves a chain without liberty, or a point is off the board.
        """
        board = Board(torus_of(self.size))
        points = board.torus.points
        for action in self.actions:
            if isinstance(action, Layout):
                colours = list(board.colours)
                for stones, colour in ((action.black, BLACK), (action.white, WHITE), (action.empty, EMPTY)):
                    for point in stones:
                        colours[point] = colour
                board.setup(colours, action.to_move)
            elif action == PASS:
                board.pass_turn()
            elif 0 <= action < points:
                board.play(action)
            elif action != RESUME:
                raise ValueError(f"action {action} is no point of the board: 0 to {points - 1}, {PASS} or {RESUME}")
        return board

    @property
    def last(self) -> int:
        """The point of the last action, PASS where that was no play."""
        action = self.actions[-1] if self.actions else PASS
        return action if isinstance(action, int) and action >= 0 else PASS

    def recent(self, most: int) -> tuple[int, ...]:
        """Up to ``most`` plays and passes that led here by turns, the last one last."""
        moves: list[int] = []
        for action in reversed(self.actions):
            if not isinstance(action, int) or action == RESUME or len(moves) == most:
                break
            moves.append(action)
        return tuple(reversed(moves))

    @property
    def passes_in_row(self) -> int:
        """How many passes in a row led here since the last resumption."""
        count = 0
        for action in reversed(self.actions):
            if action != PASS:
                break
            count += 1
        return count


@dataclass(frozen=True, slots=True)
class Think:
    """Ask for a move.

    Attributes:
        id: of this request; everything said in answer carries it.
        position: where.
        level: 1 to 10.
        playouts, seconds: instead of the level's own limits.
        seed: makes the answer reproducible, as far as no clock ends the thinking.
        analyse: think until stopped or a limit is reached, and answer with what the search found alone.
        net: the file of a network to think with, None for playouts.
    """

    id: int
    position: Position
    level: int
    playouts: int | None = None
    seconds: float | None = None
    seed: int | None = None
    analyse: bool = False
    net: str | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """Ask for the ownership of all points and the expected margin, by playouts or one look of a network ``net``."""

    id: int
    position: Position
    playouts: int = 400
    seconds: float | None = None
    seed: int | None = None
    net: str | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """End the thinking of request ``id`` now; it is answered with what is known."""

    id: int


@dataclass(frozen=True, slots=True)
class Line:
    """A candidate move: the evaluations below it, the mover's win rate, 0 to 1, and the expected line, it first."""

    move: int
    visits: int
    win: float
    line: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ready:
    """The process is up; ``speed`` is ``interpreted``, and ``compiled`` when it says so again."""

    speed: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the thinking has come, a few times a second.

    Attributes:
        id: of the request.
        playouts: evaluations so far, those kept from before included.
        seconds: since the request.
        lines: the best candidates, best first.
        margin: the expected margin, Black's points less White's.
        by_network: whether a network evaluated, rather than playouts.
    """

    id: int
    playouts: int
    seconds: float
    lines: tuple[Line, ...]
    margin: float
    by_network: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The move.

    Attributes:
        id: of the request.
        move: a point or PASS.
        win: the mover's expected share of games, 0 to 1.
        hopeless: whether the mover has nothing left to hope for.
        playouts, seconds, lines, margin, by_network: as in :class:`Progress`.
    """

    id: int
    move: int
    win: float
    hopeless: bool
    playouts: int
    seconds: float
    lines: tuple[Line, ...]
    margin: float
    by_network: bool = False


@dataclass(frozen=True, slots=True)
class Estimated:
    """The estimate.

    Attributes:
        id: of the request.
        playouts: how many games it is the mean of.
        ownership: for each point from −1 (White's) to 1 (Black's).
        margin, spread: mean and standard deviation of Black's points less White's.
        black: Black's share of the games.
        by_network: whether a network said so at a look, rather than playouts.
    """

    id: int
    playouts: int
    ownership: tuple[float, ...]
    margin: float
    spread: float
    black: float
    by_network: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Request ``id`` could not be answered; ``text`` says why in one line."""

    id: int
    text: str


Request: TypeAlias = Think | Estimate | Stop
Reply: TypeAlias = Ready | Progress | Answer | Estimated | Failure
_KINDS: Final = {kind.__name__: kind for kind in (Think, Estimate, Stop, Ready, Progress, Answer, Estimated, Failure)}


def encode(message: Request | Reply) -> bytes:
    """One line of JSON, its newline included."""
    return json.dumps({"kind": type(message).__name__, **asdict(message)}, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> Request | Reply:
    """The message in a line.

    Raises:
        ValueError: it holds none.
    """
    try:
        values: dict[str, Any] = json.loads(line)
        kind = _KINDS[values.pop("kind")]
        for field in fields(kind):
            if field.name in values:
                values[field.name] = _value(field.name, values[field.name])
        message: Request | Reply = kind(**values)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"not a message of the player's protocol: {line[:80]!r}") from error
    return message


def _value(name: str, value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """A field's value as it was before JSON made lists of tuples and dictionaries of values."""
    match name:
        case "position":
            actions = tuple(action if isinstance(action, int) else _layout(action) for action in value["actions"])
            return Position(value["size"], value["komi"], actions)
        case "lines":
            return tuple(Line(**{**line, "line": tuple(line["line"])}) for line in value)
        case "ownership":
            return tuple(value)
    return value


def _layout(value: dict[str, Any]) -> Layout:
    return Layout(tuple(value["black"]), tuple(value["white"]), tuple(value["empty"]), value["to_move"])
