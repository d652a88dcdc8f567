"""The computer player: neural networks, tree search, and the child process it runs in.

Here are the messages between the app and that process: each one line of JSON, its type's name and its values. They need
no numpy, so that the app may import them at start-up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from itertools import islice, takewhile
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from daoqi_tui import codec
from daoqi_tui.engine import DAOQI, PASS, Board, Game, IllegalMove, Node, Rules, Setup, torus_of
from daoqi_tui.message import Message

CPU_TIME: Final = "--cpu-time"
"""The option of the player's process that limits its searches by CPU time rather than by the clock."""
THREADS: Final = "--threads"
NICE: Final = "--nice"
USUAL: Final = "auto"
"""The bundled network that suits the board."""
RESUME: Final = -2
"""The action that resumes play after two passes."""


PositionAction: TypeAlias = int | Setup


@dataclass(frozen=True, slots=True)
class Position:
    """A position with the actions that led to it, which superko needs.

    Attributes:
        size: points along a side.
        komi: points for White.
        actions: from the start: points played, PASS, RESUME, and setups.
        rules: of the game; ``komi`` overrides theirs.
    """

    size: int
    komi: float
    actions: tuple[PositionAction, ...] = ()
    rules: Rules = DAOQI

    @classmethod
    def of(cls, game: Game, at: Node | None = None) -> Position:
        """Return the position at a node of ``game``, by default at its cursor."""
        actions: list[PositionAction] = []
        for node in (at or game.node).path():
            if isinstance(node.action, Setup):
                actions.append(node.action)
            elif node.move is not None:
                actions.append(node.move.point)
            if node.resumed:
                actions.append(RESUME)
        return cls(game.torus.size, game.komi, tuple(actions), game.rules)

    def board(self) -> Board:
        """Return the board after all actions.

        Raises:
            ValueError: a point is off the board, or a chain has no liberties.
        """
        board = Board(torus_of(self.size), self.rules)
        points = board.torus.points
        for action in self.actions:
            if isinstance(action, Setup):
                if action.points & ~board.torus.full:
                    raise ValueError("a point of the setup is off the board")
                board.lay_out(action.black, action.white, action.empty, action.to_move, recorded=True)
            elif action == PASS or 0 <= action < points:
                board.replay(action)
            elif action != RESUME:
                raise ValueError(f"action {action} is no point of the board: 0 to {points - 1}, {PASS} or {RESUME}")
        if refusal := board.no_liberties():
            raise IllegalMove(refusal)
        return board

    def recent(self, most: int) -> tuple[int, ...]:
        """Return the last consecutive plays and passes, up to ``most``, oldest first."""
        moves = takewhile(lambda action: isinstance(action, int) and action != RESUME, reversed(self.actions))
        return tuple(cast("Iterable[int]", islice(moves, most)))[::-1]

    @property
    def passes_in_row(self) -> int:
        """The number of consecutive passes before this position, since play was last resumed."""
        return sum(1 for _ in takewhile(lambda action: action == PASS, reversed(self.actions)))


@dataclass(frozen=True, slots=True)
class Restriction:
    """Moves that a search avoids, or the only ones it allows (``avoid`` and ``allow`` of GTP analysis commands).

    Attributes:
        colour: the side that is restricted.
        moves: points and PASS.
        plies: the depth to which it applies; 1 is the move in the position itself.
        only: whether ``moves`` are the only ones allowed, rather than avoided.
    """

    colour: int
    moves: tuple[int, ...]
    plies: int
    only: bool = False


FIRST_VISITS: Final = 8
"""The evaluations of a first look, which are too few to be kept."""
SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Think:
    """Requests a move.

    Attributes:
        position: the position to move in.
        level: of play, see :mod:`daoqi_tui.ai.levels`; the player of a seat puts its own here.
        visits, seconds: limits that replace the level's own.
        seed: makes the answer reproducible, unless a clock ends the search.
        analyse: search until stopped or a limit is reached, and report the best move without the rules for passing
            and weak levels; at least one evaluation is made.
        net: the path of a network file, or ``auto`` for the bundled network that suits the board.
        shown: the number of candidates reported.
        restrictions: moves that are not searched. With any, the answer is the best move of the search.
        details: whether the reports have :class:`Details`.
        owned: whether the candidates have the ownership below them.
        style: of the move, see :mod:`daoqi_tui.ai.styles`; empty for none.
        extra: additional seconds while the most visited move is not the best one.
        id: of this request, given when it is sent; every reply to it has the same.
    """

    position: Position
    level: float = 10.0
    visits: int | None = None
    seconds: float | None = None
    seed: int | None = None
    analyse: bool = False
    net: str = USUAL
    shown: int = SHOWN
    restrictions: tuple[Restriction, ...] = ()
    extra: float = 0.0
    details: bool = False
    owned: bool = False
    style: str = ""
    _: KW_ONLY
    id: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """Requests the ownership of all points and the score lead, by one evaluation of ``net``."""

    position: Position
    net: str = USUAL
    _: KW_ONLY
    id: int = 0


@dataclass(frozen=True, slots=True)
class Prepare:
    """Requests to load and compile all that a move at ``level`` on a board of ``size`` needs.

    Attributes:
        size: of the board.
        level, net, id: as for :class:`Think`.
        wait: whether to wait until everything is compiled, rather than have moves do without meanwhile.
    """

    size: int
    level: float
    net: str = USUAL
    wait: bool = True
    _: KW_ONLY
    id: int = 0


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends the search for request ``id``; it is answered with the current result."""

    id: int


@dataclass(frozen=True, slots=True)
class Forget:
    """Drops the search tree kept from earlier requests; there is no reply."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """The ownership of each point over the positions of a search, from −1 (White's) to 1 (Black's).

    Attributes:
        mean: over the positions that were evaluated since the last move.
        deviation: the standard deviation among them.
    """

    mean: tuple[float, ...]
    deviation: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Details:
    """What an analysis finds for a position as a whole.

    Attributes:
        ownership: of the points.
        policy: the probability of each point and, last, of a pass, before any search; −1 for what is not searched:
            illegal moves, restricted ones, and those that cannot help, such as filling an eye.
    """

    ownership: Ownership
    policy: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate move with the statistics of the search.

    Attributes:
        move: a point or PASS.
        visits: evaluations below the move.
        win: the mover's win rate, 0 to 1.
        line: the principal variation, this move first.
        margin: the mean score lead below the move, Black's points minus White's; that of the whole search if the move
            was not visited.
        prior: the probability of the move in the policy; the sum over all moves is 1.
        line_visits: evaluations below each move of ``line``; empty where they are not known.
        ownership: of the positions below the move, if it was asked for and there are any.
    """

    move: int
    visits: int
    win: float
    line: tuple[int, ...]
    margin: float = 0.0
    prior: float = 0.0
    line_visits: tuple[int, ...] = ()
    ownership: Ownership | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """Says that the process is up with the ``interpreted`` kernel, and again once the ``compiled`` one is ready."""

    speed: str


Stage: TypeAlias = Literal["compiling", "loading", "starting"]
"""What a player does before it can think: ``compiling`` takes about a minute, but is done once after an update;
``loading`` is for a network."""


@dataclass(frozen=True, slots=True)
class Preparing:
    """Says what :class:`Prepare` request ``id`` is waiting for."""

    id: int
    stage: Stage


@dataclass(frozen=True, slots=True)
class Prepared:
    """Replies to :class:`Prepare`; ``complete`` is false if compiling goes on."""

    id: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """Reports the progress of a search, a few times a second.

    Attributes:
        id: of the request.
        visits: evaluations so far, including those of a reused tree.
        seconds: since the request.
        lines: the best candidates, best first.
        margin: the score lead, Black's points minus White's.
        details: if they were asked for.
    """

    id: int
    visits: int
    seconds: float
    lines: tuple[Candidate, ...]
    margin: float
    details: Details | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Replies to :class:`Think`.

    Attributes:
        id: of the request.
        move: a point or PASS.
        win: the mover's win rate, 0 to 1.
        hopeless: whether the game counts as lost, so that the mover may resign.
        visits, seconds, lines, margin, details: as in :class:`Progress`.
    """

    id: int
    move: int
    win: float
    hopeless: bool
    visits: int
    seconds: float
    lines: tuple[Candidate, ...]
    margin: float
    details: Details | None = None


@dataclass(frozen=True, slots=True)
class Estimated:
    """Replies to :class:`Estimate`.

    Attributes:
        id: of the request.
        ownership: for each point from −1 (White's) to 1 (Black's).
        margin, spread: mean and standard deviation of Black's points minus White's.
        black: Black's win rate, 0 to 1.
    """

    id: int
    ownership: tuple[float, ...]
    margin: float
    spread: float
    black: float


@dataclass(frozen=True, slots=True)
class Failure:
    """Says in one line why request ``id`` could not be answered, where it is for the user as a message."""

    id: int
    text: str
    message: Message | None = None


Request: TypeAlias = Think | Estimate | Prepare | Stop | Forget
Reply: TypeAlias = Ready | Preparing | Prepared | Progress | Answer | Estimated | Failure
_KINDS: Final = {kind.__name__: kind for kind in (*get_args(Request), *get_args(Reply))}


def encode(message: Request | Reply) -> bytes:
    return codec.encode((type(message).__name__, message)) + b"\n"


def decode(line: bytes) -> Request | Reply:
    """Return the message encoded in a line.

    Raises:
        ValueError: the line is not a message.
    """
    try:
        kind, values = codec.decode(line, tuple[str, dict[str, Any]])
        return cast("Request | Reply", codec.convert(values, _KINDS[kind]))
    except (codec.JsonError, KeyError) as error:
        raise ValueError(f"not a message of the player's protocol: {line[:80]!r}") from error
