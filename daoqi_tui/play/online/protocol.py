"""The messages between server and clients: JSON objects over a WebSocket, one a message, described in docs/online.md.

Each message is a frozen dataclass; the value of ``type`` in the JSON is its name in :data:`FROM_CLIENT` or
:data:`FROM_SERVER`. :func:`decode` checks everything that a peer sent, unknown members are ignored.

>>> encode(Play(number=1, move="E5"))
'{"type":"move","number":1,"move":"E5"}'
>>> decode('{"type":"move","number":1,"move":"E5"}', FROM_CLIENT)
Play(number=1, move='E5')
>>> decode('{"type":"move","number":-1,"move":"E5"}', FROM_CLIENT)
Traceback (most recent call last):
    ...
daoqi_tui.play.online.protocol.ProtocolError: a message of type move: Expected `int` >= 1 - at `$.number`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

from msgspec import Meta

from daoqi_tui import codec
from daoqi_tui.engine import BLACK, LARGEST, SMALLEST, WHITE, Colour, parse_rules
from daoqi_tui.engine.clock import TimeControl, TimeLeft
from daoqi_tui.message import Message
from daoqi_tui.play.online.invitation import LONGEST_DELAY, LONGEST_NAME
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.text import plain_line

T = TypeVar("T")

VERSION: Final = 1
LONGEST_FROM_CLIENT: Final = 8192
"""Bytes in a message of a client; a longer one ends the connection."""
LONGEST_FROM_SERVER: Final = 1 << 20
LONGEST_CHAT: Final = 400
LONGEST_PLAN: Final = 20
"""Lines in a plan of conditional moves, and moves in a line."""
LONGEST_TEXT: Final = 400
"""Characters in the reason of a refusal."""
MOST_MOVES: Final = 100_000
_LARGEST_NUMBER: Final = 1_000_000_000

Side: TypeAlias = Literal["black", "white"]
Role: TypeAlias = Literal["black", "white", "spectator"]
Phase: TypeAlias = Literal["waiting", "playing", "paused", "adjourned", "counting", "over"]
RequestKind: TypeAlias = Literal["undo", "pause", "adjourn", "continue", "rematch"]
ROLES: Final[dict[Colour, Side]] = {BLACK: "black", WHITE: "white"}
COLOURS: Final[dict[str, Colour]] = {side: colour for colour, side in ROLES.items()}

RefusalCode: TypeAlias = Literal[
    "bad-message",
    "version",
    "no-game",
    "in-use",
    "code",
    "key",
    "too-many-tries",
    "not-watched",
    "full",
    "replaced",
    "too-fast",
    "too-slow",
    "spectator",
    "not-playing",
    "not-your-turn",
    "old-position",
    "illegal",
    "no-undo",
    "nothing-to-undo",
    "no-request",
    "asked-already",
    "not-now",
    "not-counting",
    "no-stone",
    "other-count",
    "adjourned",
    "quota",
    "timed",
    "not-away",
    "warned",
    "unsaved",
    "account",
    "banned",
    "muted",
    "name",
    "nobody",
    "rated",
    "reported",
    "uneven",
    "members",
    "plan",
    "vacation",
    "webhook",
    "banned-here",
    "elsewhere",
]
REASONS: Final[Mapping[RefusalCode, Message]] = {
    "bad-message": Message("the message cannot be understood"),
    "version": Message("the host and you have different versions of the program; update the older one"),
    "no-game": Message("there is no such game on this server any more; ask for a new invitation"),
    "in-use": Message("another program on the server still has the game open; wait a moment"),
    "code": Message("the code is not that of the invitation; copy it whole, or ask for it again"),
    "key": Message("the server does not know this seat any more"),
    "too-many-tries": Message("too many wrong codes came from this address; wait a minute"),
    "not-watched": Message("this game has no spectators"),
    "full": Message("the server has no room for more; try again later"),
    "replaced": Message("the seat was taken over by another connection with the same key"),
    "too-fast": Message("too many messages in a short time"),
    "too-slow": Message("the connection is too slow for what is sent"),
    "spectator": Message("spectators only watch and chat"),
    "not-playing": Message("no moves are played now"),
    "not-your-turn": Message("it is the opponent's turn"),
    "old-position": Message("the position has changed meanwhile; look at it again"),
    "illegal": Message("the rules forbid this move"),
    "no-undo": Message("this game is played without undo"),
    "nothing-to-undo": Message("there is no move of yours to undo"),
    "no-request": Message("nothing was requested that could be answered"),
    "asked-already": Message("a request is open already; it has to be answered first"),
    "not-now": Message("this cannot be requested now"),
    "not-counting": Message("dead stones are marked after two passes in a row"),
    "no-stone": Message("no stone stands on the point"),
    "other-count": Message("the marked stones have changed meanwhile; look at them again"),
    "adjourned": Message("the game is adjourned until one of its players returns"),
    "quota": Message("too many games from here; finish one, or try again later"),
    "timed": Message("the clock decides this game: it cannot be claimed"),
    "not-away": Message(
        "a win is claimed on the opponent's turn, {minutes} minutes after they left",
        minutes=round(Limits().away / 60),
    ),
    "warned": Message("the opponent is warned, and still has time to return"),
    "unsaved": Message("the server cannot save this at the moment; try again later"),
    "account": Message("the server does not know this account; make another, or ask its operator"),
    "banned": Message("the operator of this server has banned this account"),
    "muted": Message("the operator of this server does not let this account chat"),
    "name": Message("nobody can have this name: it belongs to somebody else, or could be taken for another"),
    "nobody": Message("begin with the name of somebody at this game: /report NAME REASON"),
    "reported": Message("the operator is told, with the last lines of chat; nobody else sees it"),
    "rated": Message("a rated game is between two players with an account on its server"),
    "uneven": Message("a rated game has no handicap, the komi of its rules, and no undo"),
    "members": Message("a game with days for each move is between two players with an account on its server"),
    "plan": Message("conditional moves are for the opponent's turn, each with one answer"),
    "vacation": Message("so many days of vacation are not left this year"),
    "banned-here": Message("the operator of this server admits no guests from this address at present"),
    "elsewhere": Message("the server that has this game is down; the game goes on when it is back"),
    "webhook": Message("a webhook is an address that begins with https:// or http://, without a password"),
}
TAKEN: Final = Message("both seats are taken: somebody has used this invitation; without its code you can watch")
"""The text of a refused code whose seat is taken; with a code of its own, older clients would try for ever."""
FINAL: Final[frozenset[RefusalCode]] = frozenset(
    {"version", "no-game", "code", "key", "not-watched", "replaced", "account", "banned", "rated", "members"}
)
"""The reasons that time does not heal: a client whose connection is closed with one of them has ended.

With any other one, or an unknown one, it tries again; most of them answer a request and close nothing.
"""


class ProtocolError(ValueError):
    """A message that violates the protocol; the text is English, for the author of the other program."""


# What members may be

_Move: TypeAlias = Annotated[str, Meta(max_length=8)]
_Moves: TypeAlias = Annotated[tuple[_Move, ...], Meta(max_length=MOST_MOVES)]
_Points: TypeAlias = Annotated[tuple[_Move, ...], Meta(max_length=LARGEST * LARGEST)]
_Sides: TypeAlias = Annotated[tuple[_Move, ...], Meta(max_length=2)]
Name: TypeAlias = Annotated[str, Meta(max_length=LONGEST_NAME)]
_Key: TypeAlias = Annotated[str, Meta(max_length=100)]
_Chat: TypeAlias = Annotated[str, Meta(max_length=LONGEST_CHAT)]
_Number: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_MOVES)]
_Count: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]
MOST_PERIODS: Final = 10_000
_Periods: TypeAlias = Annotated[int, Meta(ge=0, le=MOST_PERIODS)]
_Id: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 53)]
_Float: TypeAlias = Annotated[float, Meta(ge=-_LARGEST_NUMBER, le=_LARGEST_NUMBER)]


# Messages of clients


@dataclass(frozen=True, slots=True)
class Join:
    """The first message: join with a code, return with a key, or watch with neither.

    A key next to the code is the client's choice of key for its seat: if no answer arrives, sending the same message
    again leads to the same seat. A key of fewer than 20 characters is ignored.

    With ``peek`` and a key, the server answers with the state and closes; the seat is not affected.
    """

    version: _Count
    name: Name = ""
    code: _Key = ""
    key: _Key = ""
    peek: bool = False


@dataclass(frozen=True, slots=True)
class Play:
    """Make move ``number``: a point as GTP names it, or ``pass``. If sent again, it is acknowledged again."""

    number: _Number
    move: _Move


@dataclass(frozen=True, slots=True)
class Resign:
    """Resign."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Request something of the opponent."""

    what: RequestKind


@dataclass(frozen=True, slots=True)
class Answer:
    """Accept or refuse the opponent's request; the requester withdraws it with ``accept`` false."""

    what: RequestKind
    accept: bool


@dataclass(frozen=True, slots=True)
class MarkDead:
    """Mark the chain on a point as dead, or as alive where it was marked."""

    point: _Move


@dataclass(frozen=True, slots=True)
class ProposeDead:
    """Mark the chains on these points as dead, unless something is marked already."""

    dead: _Points = ()


@dataclass(frozen=True, slots=True)
class Agree:
    """Agree to the score with these points marked as dead."""

    dead: _Points = ()


@dataclass(frozen=True, slots=True)
class PlayOn:
    """Continue play instead of scoring."""


@dataclass(frozen=True, slots=True)
class Say:
    """A line of chat, for the room of the one who says it: the players', or the spectators'."""

    text: _Chat


@dataclass(frozen=True, slots=True)
class Listen:
    """Hear what spectators say, or no longer; at first a player does not."""

    on: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """Warn an absent opponent whose turn it is, or win the game when the warning has run out; without a clock only."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The conditional moves of a player in a correspondence game, in place of those before; the opponent is to move.

    A line begins with a move of the opponent, then come one's own answer, the next move of the opponent, and so on. The
    server plays the answer at once, and drops the lines in which another move stands. Nobody else is told of them; to
    the player the server sends the message, too, as it stands after each change.

    Attributes:
        number: of moves made so far.
        lines: that may have the same beginning; none for no conditional moves.
    """

    number: Annotated[int, Meta(ge=0, le=MOST_MOVES)]
    lines: Annotated[
        tuple[Annotated[tuple[_Move, ...], Meta(max_length=LONGEST_PLAN)], ...], Meta(max_length=LONGEST_PLAN)
    ] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """Agree, or no longer agree, to share cursors with the opponent; both have to agree."""

    on: bool


@dataclass(frozen=True, slots=True)
class Point:
    """The point of the cursor, empty if there is none; passed on to the opponent if both agreed to share."""

    point: _Move


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to a ping, by which the server measures the lag."""

    id: _Id


# Messages of the server


@dataclass(frozen=True, slots=True)
class Welcome:
    """The answer to :class:`Join`; ``key`` is the session key of a seat, empty for a spectator."""

    version: _Count
    game: Annotated[str, Meta(max_length=40)]
    role: Role
    key: _Key = ""


@dataclass(frozen=True, slots=True)
class SideTime:
    """The time left of one side: seconds of the main time or of the period."""

    seconds: _Float
    periods: _Periods = 0
    byoyomi: bool = False

    @property
    def left(self) -> TimeLeft:
        return TimeLeft(self.seconds, self.periods, self.byoyomi)


@dataclass(frozen=True, slots=True)
class ClockState:
    """The clock when the message was sent; ``running`` is empty while it is stopped."""

    black: SideTime
    white: SideTime
    running: Literal["black", "white", ""] = ""


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A request that is not answered yet."""

    what: RequestKind
    by: Side


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning to an absent side, which any change of the game ends.

    Attributes:
        side: that has to move, or to answer.
        seconds: until the opponent may claim the win while the side is away.
    """

    side: Side
    seconds: _Float


@dataclass(frozen=True, slots=True)
class State:
    """The complete state of a game. Sent after :class:`Welcome`, and whenever more changes than a move.

    Attributes:
        round: 1 for the first game at this table, one more with each rematch.
        moves: all moves, named as in :class:`Play`; Black and White alternate.
        dead: points marked as dead.
        agreed: the sides that agreed to the score as marked.
        result: as in SGF, once the phase is ``over``.
        undo: whether undo may be requested.
        present: the sides that are connected.
        spectators: their number.
        clock: None for a game without clocks.
        time: the settings of the clock.
        sharing: the sides that agreed to show their cursors.
        listening: the sides that hear what spectators say.
        delay: the delay for spectators in seconds, and of what they say.
        watch: whether there may be spectators.
        warned: the side whose absence may be claimed as a loss.
        vacation: the sides on vacation, whose time in a correspondence game stands still.
    """

    round: Annotated[int, Meta(ge=1, le=1_000_000)]
    size: Annotated[int, Meta(ge=SMALLEST, le=LARGEST)]
    komi: _Float
    handicap: Annotated[int, Meta(ge=0, le=9)]
    rules: Annotated[str, Meta(max_length=200)]
    black: Name
    white: Name
    phase: Phase
    moves: _Moves = ()
    dead: _Points = ()
    agreed: _Sides = ()
    result: Annotated[str, Meta(max_length=20)] = ""
    undo: bool = True
    request: OpenRequest | None = None
    present: _Sides = ()
    spectators: _Count = 0
    clock: ClockState | None = None
    time: TimeControl | None = None
    sharing: _Sides = ()
    delay: Annotated[int, Meta(ge=0, le=LONGEST_DELAY)] = 0
    watch: bool = True
    listening: _Sides = ()
    warned: Warned | None = None
    vacation: _Sides = ()

    def __post_init__(self) -> None:
        if (time := self.time) is not None and (
            max(time.main, time.period, time.increment) > _LARGEST_NUMBER or time.periods > MOST_PERIODS
        ):
            raise ValueError(Message("the times of a game are too long"))

    @property
    def mover(self) -> Literal[0, 1]:
        """The side to move: 0 for Black, 1 for White, who moves first where there is a handicap."""
        return 1 if (len(self.moves) + bool(self.handicap)) % 2 else 0

    @property
    def terms(self) -> tuple[object, ...]:
        """What differs from the terms of another game at this table; rules may be spelled in several ways."""
        return self.round, self.size, self.komi, self.handicap, parse_rules(self.rules)


@dataclass(frozen=True, slots=True)
class Moved:
    """A move was made, and is saved in the server's journal."""

    number: _Number
    colour: Side
    move: _Move
    clock: ClockState | None = None


def after_move(state: State, moved: Moved) -> State:
    """Return the state after a move, which closes the request that was open, and ends a warning."""
    return replace(state, moves=(*state.moves, moved.move), clock=moved.clock, request=None, warned=None)


@dataclass(frozen=True, slots=True)
class Refused:
    """Something was refused and nothing has changed; ``what`` is the type of the message that was refused.

    Attributes:
        what: the type of the message that was refused, empty if it had none.
        code: the reason, one of :data:`REASONS`.
        text: the reason in English.
        fatal: whether the connection is closed now.
        wait: the seconds after which trying again makes sense, 0 if unknown.
    """

    what: Annotated[str, Meta(max_length=20)]
    code: Annotated[str, Meta(max_length=40)]
    text: Annotated[str, Meta(max_length=LONGEST_TEXT)]
    fatal: bool = False
    wait: Annotated[int, Meta(ge=0, le=_LARGEST_NUMBER)] = 0


@dataclass(frozen=True, slots=True)
class Said:
    """A line of chat, in the room of its speaker's role; the last ones are repeated to whoever joins.

    ``number`` identifies known ones; it is 0 for a line from the other room that was held back by the delay.
    """

    name: Name
    role: Role
    text: _Chat
    number: _Id = 0


@dataclass(frozen=True, slots=True)
class Pointed:
    """The point of the opponent's cursor, empty if there is none."""

    point: _Move


@dataclass(frozen=True, slots=True)
class Declined:
    """The opponent refused a request, or withdrew it."""

    what: RequestKind
    by: Side


@dataclass(frozen=True, slots=True)
class Ping:
    """Asks for a :class:`Pong` with the same id, at once; ``lag`` is the recent round-trip time in seconds."""

    id: _Id
    lag: _Float = 0.0


def describe_reason(refused: Refused) -> Message | str:
    """Return why the server refused something, as a message if this program knows the reason."""
    known = cast("Mapping[str, Message]", REASONS).get(refused.code)
    if known is None or (refused.code in ("bad-message", "illegal", "plan") and refused.text != str(known)):
        return refused.text
    return TAKEN if refused.text == str(TAKEN) else known


ClientMessage: TypeAlias = (
    Join
    | Play
    | Resign
    | Ask
    | Answer
    | MarkDead
    | ProposeDead
    | Agree
    | PlayOn
    | Say
    | Listen
    | Claim
    | Plan
    | Share
    | Point
    | Pong
)
ServerMessage: TypeAlias = Welcome | State | Moved | Refused | Said | Declined | Pointed | Plan | Ping
FROM_CLIENT: Final[Mapping[str, type[ClientMessage]]] = {
    "join": Join,
    "move": Play,
    "resign": Resign,
    "request": Ask,
    "answer": Answer,
    "dead": MarkDead,
    "propose-dead": ProposeDead,
    "agree": Agree,
    "play-on": PlayOn,
    "chat": Say,
    "listen": Listen,
    "claim": Claim,
    "plan": Plan,
    "share": Share,
    "point": Point,
    "pong": Pong,
}
FROM_SERVER: Final[Mapping[str, type[ServerMessage]]] = {
    "welcome": Welcome,
    "state": State,
    "moved": Moved,
    "refused": Refused,
    "chat": Said,
    "declined": Declined,
    "pointed": Pointed,
    "plan": Plan,
    "ping": Ping,
}
_TYPES: Final = {kind: name for table in (FROM_CLIENT, FROM_SERVER) for name, kind in table.items()}
_CHOICES: Final[dict[type, dict[str, tuple[str, ...]]]] = {
    kind: {name: get_args(hint) for name, hint in get_type_hints(kind).items() if get_origin(hint) is Literal}
    for kind in _TYPES
}
"""The members of messages with a choice of values, of which an error of the codec does not say which there are."""


def type_of(message: ClientMessage | ServerMessage) -> str:
    return _TYPES[message.__class__]


def encode(message: ClientMessage | ServerMessage) -> str:
    members = {each.name: getattr(message, each.name) for each in fields(message)}
    return codec.encode({"type": type_of(message), **members}).decode()


def decode(text: str | bytes, kinds: Mapping[str, type[T]]) -> T:
    """Return the message in ``text``, checked.

    Args:
        text: the received text.
        kinds: :data:`FROM_CLIENT` or :data:`FROM_SERVER`.

    Raises:
        ProtocolError: it is not a message; the text says what would be valid.
    """
    subject = "a message"
    try:
        held = codec.decode(text, dict[str, Any])
        name = str(held.get("type"))
        subject = f"a message of type {name}"
        kind = kinds.get(name)
        if kind is None:
            raise ProtocolError(f"the type of a message has to be one of {', '.join(kinds)}")
        for member, hint in _CHOICES[kind].items():
            if member in held and held[member] not in hint:
                raise ProtocolError(f"{member} in {name} has to be one of {', '.join(hint)}")
        return cleaned(codec.convert(held, kind))
    except codec.JsonError as error:
        raise ProtocolError(f"{subject}: {error}"[:LONGEST_TEXT]) from error


def cleaned(value: T) -> T:
    """Return a value whose texts are harmless to terminals, and can be sent again: without half a surrogate pair."""
    found: Any = value
    if isinstance(value, str):
        found = plain_line(value)
    elif isinstance(value, tuple):
        found = tuple(map(cleaned, value))
    elif is_dataclass(value) and not isinstance(value, type):
        found = replace(value, **{each.name: cleaned(getattr(value, each.name)) for each in fields(value)})
    return cast("T", found)
