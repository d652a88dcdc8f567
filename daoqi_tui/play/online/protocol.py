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
daoqi_tui.play.online.protocol.ProtocolError: number in move has to be a whole number from 1 to 100000
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    NoReturn,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_type_hints,
)

from daoqi_tui.engine import BLACK, LARGEST, SMALLEST, WHITE, Colour
from daoqi_tui.message import Message
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.text import plain_line

T = TypeVar("T")

VERSION: Final = 1
LONGEST_FROM_CLIENT: Final = 8192
"""Bytes in a message of a client; a longer one ends the connection."""
LONGEST_FROM_SERVER: Final = 1 << 20
"""Bytes in a message of a server."""
LONGEST_NAME: Final = 40
LONGEST_CHAT: Final = 400
LONGEST_DELAY: Final = 3600
"""Seconds by which spectators may see a game late."""
MOST_MOVES: Final = 100_000
_LARGEST_NUMBER: Final = 1_000_000_000

Role: TypeAlias = Literal["black", "white", "spectator"]
Phase: TypeAlias = Literal["waiting", "playing", "paused", "adjourned", "counting", "over"]
RequestKind: TypeAlias = Literal["undo", "pause", "adjourn", "continue", "rematch"]
ROLES: Final[dict[Colour, Role]] = {BLACK: "black", WHITE: "white"}
REQUESTS: Final[tuple[str, ...]] = get_args(RequestKind)
_SIDES: Final = tuple(ROLES.values())

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
]
REASONS: Final[Mapping[RefusalCode, Message]] = {
    "bad-message": Message("the message cannot be understood"),
    "version": Message("client and server speak different versions of the protocol; update the older one"),
    "no-game": Message("there is no such game on this server; check the invitation"),
    "in-use": Message("another program on the server still has the game open; wait a moment"),
    "code": Message("the code is wrong or was used already; ask for a new invitation"),
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
    "quota": Message("too many games were opened or joined from here; finish one, or try again later"),
    "timed": Message("the clock decides this game: it cannot be claimed"),
    "not-away": Message(
        "the win can be claimed only when it is the opponent's turn, and they have been away for {minutes} minutes",
        minutes=round(Limits().away / 60),
    ),
    "warned": Message("the opponent is warned, and still has time to return"),
    "unsaved": Message("the server cannot save this at the moment; try again later"),
}
FINAL: Final[frozenset[RefusalCode]] = frozenset({"version", "no-game", "code", "key", "not-watched", "replaced"})
"""The reasons that time does not heal: a client whose connection is closed with one of them has ended."""
HEALING: Final[frozenset[RefusalCode]] = frozenset(
    {
        "bad-message",
        "in-use",
        "too-many-tries",
        "full",
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
    }
)
"""All other reasons: a client whose connection is closed with one of them, or with an unknown one, tries again.

Most of them answer a request and close nothing.
"""


class ProtocolError(ValueError):
    """A message that violates the protocol; the text is English, for the author of the other program."""


# Checks of members


_Check: TypeAlias = Callable[[object], object]


class _Wrong(Exception):
    """The valid values of a member."""


def _whole(least: int, most: int) -> _Check:
    def check(value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise _Wrong(f"a whole number from {least} to {most}")
        return value

    return check


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST_NUMBER:
        raise _Wrong(f"a number of at most {_LARGEST_NUMBER}")
    return float(value)


def _text(longest: int) -> _Check:
    def check(value: object) -> object:
        if not isinstance(value, str) or len(value) > longest:
            raise _Wrong(f"a text of at most {longest} characters")
        # Also characters harmless to terminals: half a surrogate pair could not be sent.
        return plain_line(value)

    return check


def _choice(*choices: str) -> _Check:
    def check(value: object) -> object:
        if not isinstance(value, str) or value not in choices:
            raise _Wrong(f"one of {', '.join(choices)}")
        return value

    return check


def _flag(value: object) -> object:
    if not isinstance(value, bool):
        raise _Wrong("true or false")
    return value


def _texts(longest: int, most: int) -> _Check:
    one = _text(longest)

    def check(value: object) -> object:
        if not isinstance(value, list | tuple) or len(value) > most:
            raise _Wrong(f"a list of at most {most} texts")
        return tuple(one(text) for text in value)

    return check


def _nested(kind: type, *, optional: bool = False) -> _Check:
    def check(value: object) -> object:
        if value is None and optional:
            return None
        if not isinstance(value, dict):
            raise _Wrong("an object")
        return _made(kind, value, kind.__name__.lower())

    return check


# Messages of clients


@dataclass(frozen=True, slots=True)
class Join:
    """The first message: join with a code, return with a key, or watch with neither.

    A key next to the code is the client's choice of key for its seat: if no answer arrives, sending the same message
    again leads to the same seat. A key of fewer than 20 characters is ignored.

    With ``peek`` and a key, the server answers with the state and closes; the seat is not affected.
    """

    version: Annotated[int, _whole(0, 1_000_000)]
    name: Annotated[str, _text(LONGEST_NAME)] = ""
    code: Annotated[str, _text(100)] = ""
    key: Annotated[str, _text(100)] = ""
    peek: Annotated[bool, _flag] = False


@dataclass(frozen=True, slots=True)
class Play:
    """Make move ``number``: a point as GTP names it, or ``pass``. If sent again, it is acknowledged again."""

    number: Annotated[int, _whole(1, MOST_MOVES)]
    move: Annotated[str, _text(8)]


@dataclass(frozen=True, slots=True)
class Resign:
    """Resign."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Request something of the opponent."""

    what: Annotated[RequestKind, _choice(*REQUESTS)]


@dataclass(frozen=True, slots=True)
class Answer:
    """Accept or refuse the opponent's request; the requester withdraws it with ``accept`` false."""

    what: Annotated[RequestKind, _choice(*REQUESTS)]
    accept: Annotated[bool, _flag]


@dataclass(frozen=True, slots=True)
class MarkDead:
    """Mark the chain on a point as dead, or as alive where it was marked."""

    point: Annotated[str, _text(8)]


@dataclass(frozen=True, slots=True)
class ProposeDead:
    """Mark the chains on these points as dead, unless something is marked already."""

    dead: Annotated[tuple[str, ...], _texts(8, LARGEST * LARGEST)] = ()


@dataclass(frozen=True, slots=True)
class Agree:
    """Agree to the score with these points marked as dead."""

    dead: Annotated[tuple[str, ...], _texts(8, LARGEST * LARGEST)] = ()


@dataclass(frozen=True, slots=True)
class PlayOn:
    """Continue play instead of scoring."""


@dataclass(frozen=True, slots=True)
class Say:
    """A line of chat, for the room of the one who says it: the players', or the spectators'."""

    text: Annotated[str, _text(LONGEST_CHAT)]


@dataclass(frozen=True, slots=True)
class Listen:
    """Hear what spectators say, or no longer; at first a player does not."""

    on: Annotated[bool, _flag]


@dataclass(frozen=True, slots=True)
class Claim:
    """Warn an absent opponent whose turn it is, or win the game when the warning has run out; without a clock only."""


@dataclass(frozen=True, slots=True)
class Share:
    """Agree, or no longer agree, to share cursors with the opponent; both have to agree."""

    on: Annotated[bool, _flag]


@dataclass(frozen=True, slots=True)
class Point:
    """The point of the cursor, empty if there is none; passed on to the opponent if both agreed to share."""

    point: Annotated[str, _text(8)]


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to a ping, by which the server measures the lag."""

    id: Annotated[int, _whole(0, 1 << 53)]


# Messages of the server


@dataclass(frozen=True, slots=True)
class Welcome:
    """The answer to :class:`Join`; ``key`` is the session key of a seat, empty for a spectator."""

    version: Annotated[int, _whole(0, 1_000_000)]
    game: Annotated[str, _text(40)]
    role: Annotated[Role, _choice(*get_args(Role))]
    key: Annotated[str, _text(100)] = ""


@dataclass(frozen=True, slots=True)
class SideTime:
    """The time left of one side: seconds of the main time or of the period."""

    seconds: Annotated[float, _number]
    periods: Annotated[int, _whole(0, 10_000)] = 0
    byoyomi: Annotated[bool, _flag] = False


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """The time settings of a game, in seconds, as in :class:`~daoqi_tui.engine.clock.TimeControl`."""

    main: Annotated[float, _number]
    periods: Annotated[int, _whole(0, 10_000)] = 0
    period: Annotated[float, _number] = 0.0
    increment: Annotated[float, _number] = 0.0


@dataclass(frozen=True, slots=True)
class ClockState:
    """The clock when the message was sent; ``running`` is empty while it is stopped."""

    black: Annotated[SideTime, _nested(SideTime)]
    white: Annotated[SideTime, _nested(SideTime)]
    running: Annotated[str, _choice(*_SIDES, "")] = ""


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A request that is not answered yet."""

    what: Annotated[RequestKind, _choice(*REQUESTS)]
    by: Annotated[str, _choice(*_SIDES)]


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning to an absent side, which any change of the game ends.

    Attributes:
        side: that has to move, or to answer.
        seconds: until the opponent may claim the win while the side is away.
    """

    side: Annotated[str, _choice(*_SIDES)]
    seconds: Annotated[float, _number]


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
    """

    round: Annotated[int, _whole(1, 1_000_000)]
    size: Annotated[int, _whole(SMALLEST, LARGEST)]
    komi: Annotated[float, _number]
    handicap: Annotated[int, _whole(0, 9)]
    rules: Annotated[str, _text(200)]
    black: Annotated[str, _text(LONGEST_NAME)]
    white: Annotated[str, _text(LONGEST_NAME)]
    phase: Annotated[Phase, _choice(*get_args(Phase))]
    moves: Annotated[tuple[str, ...], _texts(8, MOST_MOVES)] = ()
    dead: Annotated[tuple[str, ...], _texts(8, LARGEST * LARGEST)] = ()
    agreed: Annotated[tuple[str, ...], _texts(8, 2)] = ()
    result: Annotated[str, _text(20)] = ""
    undo: Annotated[bool, _flag] = True
    request: Annotated[OpenRequest | None, _nested(OpenRequest, optional=True)] = None
    present: Annotated[tuple[str, ...], _texts(8, 2)] = ()
    spectators: Annotated[int, _whole(0, 1_000_000)] = 0
    clock: Annotated[ClockState | None, _nested(ClockState, optional=True)] = None
    time: Annotated[TimeSettings | None, _nested(TimeSettings, optional=True)] = None
    sharing: Annotated[tuple[str, ...], _texts(8, 2)] = ()
    delay: Annotated[int, _whole(0, LONGEST_DELAY)] = 0
    watch: Annotated[bool, _flag] = True
    listening: Annotated[tuple[str, ...], _texts(8, 2)] = ()
    warned: Annotated[Warned | None, _nested(Warned, optional=True)] = None


@dataclass(frozen=True, slots=True)
class Moved:
    """A move was made, and is saved in the server's journal."""

    number: Annotated[int, _whole(1, MOST_MOVES)]
    colour: Annotated[str, _choice(*_SIDES)]
    move: Annotated[str, _text(8)]
    clock: Annotated[ClockState | None, _nested(ClockState, optional=True)] = None


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

    what: Annotated[str, _text(20)]
    code: Annotated[str, _text(40)]
    text: Annotated[str, _text(400)]
    fatal: Annotated[bool, _flag] = False
    wait: Annotated[int, _whole(0, _LARGEST_NUMBER)] = 0


@dataclass(frozen=True, slots=True)
class Said:
    """A line of chat, in the room of its speaker's role; the last ones are repeated to whoever joins.

    ``number`` identifies known ones; it is 0 for a line from the other room that was held back by the delay.
    """

    name: Annotated[str, _text(LONGEST_NAME)]
    role: Annotated[Role, _choice(*get_args(Role))]
    text: Annotated[str, _text(LONGEST_CHAT)]
    number: Annotated[int, _whole(0, 1 << 53)] = 0


@dataclass(frozen=True, slots=True)
class Pointed:
    """The point of the opponent's cursor, empty if there is none."""

    point: Annotated[str, _text(8)]


@dataclass(frozen=True, slots=True)
class Declined:
    """The opponent refused a request, or withdrew it."""

    what: Annotated[RequestKind, _choice(*REQUESTS)]
    by: Annotated[str, _choice(*_SIDES)]


@dataclass(frozen=True, slots=True)
class Ping:
    """Asks for a :class:`Pong` with the same id, at once; ``lag`` is the recent round-trip time in seconds."""

    id: Annotated[int, _whole(0, 1 << 53)]
    lag: Annotated[float, _number] = 0.0


def describe_reason(refused: Refused) -> Message | str:
    """Return why the server refused something, as a message if this program knows the reason."""
    if refused.code in ("bad-message", "illegal"):
        return refused.text
    return cast("Mapping[str, Message]", REASONS).get(refused.code, refused.text)


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
    | Share
    | Point
    | Pong
)
ServerMessage: TypeAlias = Welcome | State | Moved | Refused | Said | Declined | Pointed | Ping
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
    "ping": Ping,
}
_TYPES: Final = {kind: name for table in (FROM_CLIENT, FROM_SERVER) for name, kind in table.items()}


def type_of(message: ClientMessage | ServerMessage) -> str:
    return _TYPES[message.__class__]


def encode(message: ClientMessage | ServerMessage) -> str:
    return json.dumps({"type": type_of(message), **_members(message)}, ensure_ascii=False, separators=(",", ":"))


def _members(message: object) -> dict[str, object]:
    # Not dataclasses.asdict, which copies deeply.
    values: dict[str, object] = {}
    for each in _MEMBERS[message.__class__]:
        value = getattr(message, each.name)
        values[each.name] = _members(value) if value.__class__ in _MEMBERS else value
    return values


class _Member(NamedTuple):
    name: str
    check: _Check
    needed: bool


def _members_of(kind: type[Any]) -> tuple[_Member, ...]:
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_Member(each.name, hints[each.name].__metadata__[0], each.default is MISSING) for each in fields(kind))


_MEMBERS: Final[dict[type, tuple[_Member, ...]]] = {
    kind: _members_of(kind)
    for kind in (*FROM_CLIENT.values(), *FROM_SERVER.values(), SideTime, TimeSettings, ClockState, OpenRequest, Warned)
}


def decode(text: str | bytes, kinds: Mapping[str, type[T]]) -> T:
    """Return the message in ``text``, checked.

    Args:
        text: the received text.
        kinds: :data:`FROM_CLIENT` or :data:`FROM_SERVER`.

    Raises:
        ProtocolError: it is not a message; the text says what would be valid.
    """
    try:
        held = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ProtocolError("the message is nested too deeply") from None
    except ValueError as error:
        raise ProtocolError("the message is not JSON") from error
    if not isinstance(held, dict):
        raise ProtocolError("a message has to be a JSON object")
    name = held.get("type")
    kind = kinds.get(name) if isinstance(name, str) else None
    if kind is None or not isinstance(name, str):
        raise ProtocolError(f"the type of a message has to be one of {', '.join(kinds)}")
    return cast("T", _made(kind, held, name))


def _no_constant(text: str) -> NoReturn:
    raise ValueError(text)


def _made(kind: type, held: Mapping[str, object], name: str) -> object:
    values: dict[str, object] = {}
    for each in _MEMBERS[kind]:
        if each.name not in held:
            if each.needed:
                raise ProtocolError(f"{each.name} is missing in {name}")
            continue
        try:
            values[each.name] = each.check(held[each.name])
        except _Wrong as wrong:
            raise ProtocolError(f"{each.name} in {name} has to be {wrong}") from None
    return kind(**values)
