"""KataGo's commands, as its GTP_Extensions document specifies them, for rules and analysis; the latter as Leela Zero's.

The fields of the rules that can be set are ours (:data:`~daoqi_tui.engine.RULE_FIELDS`), by KataGo's names where it has
them; its other fields have one value each. An analysis runs until the next line of input.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from daoqi_tui.ai import Answer, Position, Progress, Restriction, Think
from daoqi_tui.codec import JsonError, decode, encode
from daoqi_tui.engine import PASS, PRESETS, RULE_FIELDS, Colour, IllegalMove, RuleField, Rules, parse_rules
from daoqi_tui.gtp import (
    COLOURS,
    OWNERSHIP,
    OWNERSHIP_OF_MOVES,
    SWITCHES,
    Dialect,
    GtpError,
    Switch,
    colour_name,
    parse_colour,
    parse_vertex,
    parse_whole,
    shown,
    write_analysis,
)
from daoqi_tui.gtp.engine.session import Arguments, CommandTable, Context
from daoqi_tui.gtp.engine.standard_commands import choose_move, move_text

COMMANDS: Final = CommandTable()


def _name(field: str) -> str:
    """Return the name of a field in GTP: KataGo's for the repetition, else ours, written as KataGo writes names."""
    first, *rest = ("ko" if field == "superko" else field).split("_")
    return first + "".join(part.title() for part in rest)


_SETTABLE: Final = {_name(field): field for field in RULE_FIELDS}
_FIXED: Final[dict[str, str | bool]] = {
    "scoring": "AREA",
    "tax": "NONE",
    "hasButton": False,
    "whiteHandicapBonus": "0",
    "friendlyPassOk": False,
    "topology": "TORUS",
}
_SAME: Final = {"oneStoneSuicide": "suicide"}
"""KataGo's fields that are always the same as another."""
_NAMES: Final = ", ".join(name.lower() for name in PRESETS)
_LONGEST: Final = 40


@COMMANDS.command("kata-get-rules")
def get_rules(context: Context) -> str:
    return _json(_fields(context.session.game.rules))


@COMMANDS.command("kata-set-rules …")
def set_rules(context: Context, *arguments: str) -> None:
    """Set the rules: ``daoqi``, ``tromp-taylor``, ``superko=simple, suicide=no``, or JSON as kata-get-rules writes it.

    In JSON, fields that are not named keep their value.
    """
    form = f"kata-set-rules {_NAMES}, or JSON as kata-get-rules writes it"
    if not arguments:
        raise GtpError(f"syntax error: no rules; the form is: {form}")
    text = " ".join(arguments)
    if not text.startswith("{"):
        _set(context, read_rules(text))
        return
    with GtpError.instead_of(JsonError, f"syntax error: {shown(text)} is no JSON; the form is: {form}"):
        wanted = decode(text, dict[str, Any])
    _set(context, changed_rules(context.session.game.rules, wanted))


def read_rules(text: str) -> Rules:
    """Return the rules that a name or a list of our fields means.

    Raises:
        GtpError: it means none.
    """
    with GtpError.instead_of(ValueError, f"rules not supported: {shown(text)}; those that are: {_NAMES}"):
        return parse_rules(text)


@COMMANDS.command("kata-set-rule FIELD VALUE")
def set_rule(context: Context, name: str, value: str) -> None:
    wrong = f"syntax error: {shown(value)} is no value; kata-get-rules tells those that are"
    with GtpError.instead_of(JsonError, wrong):
        # Strings come without the quotation marks that they have in JSON.
        found = value if isinstance(_fields(context.session.game.rules).get(name), str) else decode(value, Any)
    _set(context, changed_rules(context.session.game.rules, {name: found}))


def _set(context: Context, rules: Rules) -> None:
    try:
        context.session.set_rules(rules)
    except IllegalMove as error:
        raise GtpError(f"rules not set: they forbid a move of this game ({error}); clear_board first") from error


def _fields(rules: Rules) -> dict[str, str | bool | int]:
    """Return the rules by KataGo's field names, and by our own names for fields that KataGo lacks."""
    ours = {name: _json_value(RULE_FIELDS[field], getattr(rules, field)) for name, field in _SETTABLE.items()}
    return {**ours, **_FIXED, **{name: ours[other] for name, other in _SAME.items()}}


def _json_value(field: RuleField, value: Any) -> str | bool | int:  # noqa: ANN401 - each field has its own type
    """Return the value of a field as JSON has it: a flag, a number, or a word in capitals."""
    return value if field.words is None or isinstance(value, bool) else field.word(value).upper()


def _values(field: RuleField) -> dict[str | bool | int, Any]:
    """Return the values of a field that is no number by what JSON has for them."""
    return {_json_value(field, value): value for value in (field.words or {}).values()}


def changed_rules(rules: Rules, wanted: Mapping[str, object]) -> Rules:
    """Return ``rules`` with some fields set.

    Raises:
        GtpError: a field is unknown or cannot have the value.
    """
    changed = rules
    for name, value in wanted.items():
        if name in _SETTABLE:
            changed = _with_field(changed, name, value)
        elif name in _SAME:
            other = _SAME[name]
            if not _equal(value, wanted.get(other, _fields(changed)[other])):
                raise GtpError(f"rules not supported: {name} is always the same as {other}; set that")
        elif name not in _FIXED:
            raise GtpError(f"rules not supported: {shown(name)} is not a field; kata-get-rules lists the fields")
        elif not _equal(value, _FIXED[name]):
            raise GtpError(f"rules not supported: {name} is {_json(_FIXED[name])}, not {_text(value)}")
    return changed


def _with_field(rules: Rules, name: str, value: object) -> Rules:
    field = RULE_FIELDS[_SETTABLE[name]]
    if field.words is None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise GtpError(f"rules not supported: {name} is a whole number, not {_text(value)}")
        meant: Any = value
    else:
        values = _values(field)
        found = [meant for json_value, meant in values.items() if _equal(value, json_value)]
        if not found:
            listed = ", ".join(_json(each) for each in values)
            raise GtpError(f"rules not supported: {name} is one of {listed}, not {_text(value)}")
        meant = found[0]
    with GtpError.instead_of(ValueError, "rules not supported:"):
        return replace(rules, **{_SETTABLE[name]: meant})


def _equal(value: object, other: object) -> bool:
    """Return whether two values of JSON are the same; to Python, ``true`` equals 1."""
    return isinstance(value, bool) == isinstance(other, bool) and value == other


def _json(value: object) -> str:
    return encode(value).decode()


def _text(value: object) -> str:
    if isinstance(value, list | dict):
        # These may be nested arbitrarily deeply, and no field takes one.
        return "a list" if isinstance(value, list) else "an object"
    text = _json(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


_NO_RESULT: Final = "noResultValue"
"""Accepted and ignored: every game here has a result."""
_HURRY_SECONDS: Final = 0.05
_DEFAULT_INTERVAL: Final = 100
_LONGEST_INTERVAL: Final = 1_000_000
_MOST_MOVES: Final = 10_000
_DEEPEST: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class _AnalysisRequest:
    """The arguments of an analysis command.

    Attributes:
        colour: to move.
        interval: centiseconds between lines.
        most: the maximum number of moves to report.
        switches: what to write as well.
        restrictions: moves to avoid or allow.
    """

    colour: Colour
    interval: int = _DEFAULT_INTERVAL
    most: int = _MOST_MOVES
    switches: frozenset[Switch] = frozenset()
    restrictions: tuple[Restriction, ...] = ()

    def of(self, position: Position, *, analyse: bool = False) -> Think:
        """Return what the player is asked in a position."""
        return Think(
            position,
            analyse=analyse,
            shown=self.most,
            restrictions=self.restrictions,
            details=bool(self.switches & OWNERSHIP),
            owned=bool(self.switches & OWNERSHIP_OF_MOVES),
        )


def _parse_request(context: Context, arguments: Arguments, dialect: Dialect) -> _AnalysisRequest:
    """Parse ``[COLOR] [INTERVAL] [KEY VALUE]…``.

    Raises:
        GtpError: a word does not fit.
    """
    words = list(arguments)
    request = _AnalysisRequest(context.session.game.to_move)
    if words and words[0].lower() in COLOURS:
        request = replace(request, colour=parse_colour(words.pop(0)))
    if words and words[0][:1].isdecimal():
        request = replace(request, interval=parse_whole(words.pop(0), 0, _LONGEST_INTERVAL))
    while words:
        key = words.pop(0)
        if key in ("avoid", "allow"):
            restriction = _restriction(context, key, words[:3])
            words = words[3:]
            if request.restrictions and (restriction.only or request.restrictions[0].only):
                raise GtpError("syntax error: allow may be given once, and not together with avoid")
            request = replace(request, restrictions=(*request.restrictions, restriction))
            continue
        if not words:
            raise GtpError(f"syntax error: {shown(key)} has no value")
        value = words.pop(0)
        if key == "interval":
            request = replace(request, interval=parse_whole(value, 0, _LONGEST_INTERVAL))
        elif key == "maxmoves":
            request = replace(request, most=parse_whole(value, 1, _MOST_MOVES))
        elif key == "minmoves":
            parse_whole(value, 0, _MOST_MOVES)
        elif dialect == "kata" and (key in SWITCHES or key == _NO_RESULT):
            if value.lower() not in ("true", "false"):
                raise GtpError(f"syntax error: {key} is true or false, not {shown(value)}")
            named = {switch for switch in SWITCHES if switch == key}
            on = value.lower() == "true"
            request = replace(request, switches=request.switches | named if on else request.switches - named)
        else:
            raise GtpError(f"syntax error: {shown(key)} is not known; interval, maxmoves, avoid, allow … are")
    _check_something_left(context, request)
    return request


def _restriction(context: Context, key: str, words: list[str]) -> Restriction:
    """Parse the words after ``avoid`` or ``allow``: a colour, points separated by commas, a number of plies.

    Raises:
        GtpError: a word does not fit.
    """
    if len(words) < 3:
        raise GtpError(f"syntax error: the form is: {key} COLOR VERTEX,VERTEX,… PLIES")
    torus = context.session.game.torus
    moves = tuple(parse_vertex(torus, vertex) for vertex in words[1].split(","))
    return Restriction(parse_colour(words[0]), moves, parse_whole(words[2], 1, _DEEPEST), key == "allow")


def _check_something_left(context: Context, request: _AnalysisRequest) -> None:
    """Check that the restrictions leave a legal move to analyse.

    Raises:
        GtpError: they do not.
    """
    if not request.restrictions:
        return
    left = {*context.session.legal_points(request.colour), PASS}
    for restriction in request.restrictions:
        if restriction.colour == request.colour:
            left = left.intersection(restriction.moves) if restriction.only else left.difference(restriction.moves)
    if not left:
        raise GtpError(
            f"no legal move of {colour_name(request.colour)} is left to analyse; avoid fewer, or allow others"
        )


class _ProgressWriter:
    """Writes lines of analysis, at most one in each interval, and at least one."""

    def __init__(self, context: Context, request: _AnalysisRequest, dialect: Dialect) -> None:
        self._context = context
        self._request = request
        self._dialect = dialect
        self._due = 0.0

    def write(self, progress: Progress) -> None:
        """Write the progress of the search, at most once in each interval."""
        now = time.monotonic()
        if progress.lines and now >= self._due:
            # A slightly early report is better than a missing one.
            self._due = now + self._request.interval / 100 - 0.05
            self._say(progress)

    def conclude(self, answer: Answer) -> None:
        """Write the final result if no progress was written before."""
        if self._due == 0.0 and answer.lines:
            self._say(Progress(answer.id, answer.visits, answer.seconds, answer.lines, answer.margin, answer.details))

    def _say(self, progress: Progress) -> None:
        request = self._request
        torus = self._context.session.game.torus
        self._context.reply.say(write_analysis(torus, request.colour, progress, self._dialect, request.switches))


async def _analyse(context: Context, *arguments: str, dialect: Dialect) -> None:
    request = _parse_request(context, arguments, dialect)
    writer = _ProgressWriter(context, request, dialect)
    position = context.session.position(request.colour)
    thinking = asyncio.create_task(context.player.think(request.of(position, analyse=True), writer.write))
    arrival = asyncio.create_task(context.lines.arrival())
    try:
        await asyncio.wait((thinking, arrival), return_when=asyncio.FIRST_COMPLETED)
        while not thinking.done():
            # Repeatedly, since a player that is still starting does not react yet.
            context.player.hurry()
            await asyncio.wait((thinking,), timeout=_HURRY_SECONDS)
        writer.conclude(await thinking)
        # The answer ends only with the next input, even if the search has reached a limit.
        await arrival
    finally:
        thinking.cancel()
        arrival.cancel()


async def _genmove(context: Context, *arguments: str, dialect: Dialect) -> None:
    request = _parse_request(context, arguments, dialect)
    writer = _ProgressWriter(context, request, dialect)
    colour = request.colour
    answer = await choose_move(context, colour, request.of(context.session.position(colour)), writer.write)
    writer.conclude(answer)
    await context.save()
    context.reply.say(f"play {move_text(context, answer.move)}")


# Sabaki's names for Leela Zero's commands.
for _prefix in ("lz-", ""):
    COMMANDS.command(f"{_prefix}analyze …")(partial(_analyse, dialect="lz"))
    COMMANDS.command(f"{_prefix}genmove_analyze …")(partial(_genmove, dialect="lz"))
COMMANDS.command("kata-analyze …")(partial(_analyse, dialect="kata"))
COMMANDS.command("kata-genmove_analyze …")(partial(_genmove, dialect="kata"))
