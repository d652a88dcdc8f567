"""lz-analyze and kata-analyze, which run until the next line of input, and genmove_analyze."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import Final

from daoqi_tui.ai.protocol import Answer, Progress, Restriction
from daoqi_tui.engine import PASS, Colour
from daoqi_tui.gtp.engine.commands.standard import choose_move, move_text
from daoqi_tui.gtp.engine.session import Arguments, CommandTable, Context, Handler
from daoqi_tui.gtp.parsing import (
    COLOURS,
    Dialect,
    GtpError,
    colour_name,
    parse_colour,
    parse_vertex,
    parse_whole,
    shown,
    write_infos,
    write_ownership,
    write_root,
)

_SWITCHES: Final = (
    "ownership",
    "rootInfo",
    "ownershipStdev",
    "movesOwnership",
    "movesOwnershipStdev",
    "pvVisits",
    "pvEdgeVisits",
    "noResultValue",
)
"""The first two are supported; the others, which the search does not compute, are accepted and ignored."""
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
        ownership, root: whether to write these as well.
        restrictions: moves to avoid or allow.
    """

    colour: Colour
    interval: int = _DEFAULT_INTERVAL
    most: int = _MOST_MOVES
    ownership: bool = False
    root: bool = False
    restrictions: tuple[Restriction, ...] = ()


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
        elif dialect == "kata" and key in _SWITCHES:
            if value.lower() not in ("true", "false"):
                raise GtpError(f"syntax error: {key} is true or false, not {shown(value)}")
            on = value.lower() == "true"
            if key == "ownership":
                request = replace(request, ownership=on)
            elif key == "rootInfo":
                request = replace(request, root=on)
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

    def __init__(self, context: Context, request: _AnalysisRequest, dialect: Dialect, tail: str) -> None:
        self._context = context
        self._request = request
        self._dialect = dialect
        self._tail = tail
        self._due = 0.0

    def tell(self, progress: Progress) -> None:
        """Write the progress of the search, at most once in each interval."""
        now = time.monotonic()
        if progress.lines and now >= self._due:
            # A slightly early report is better than a missing one.
            self._due = now + self._request.interval / 100 - 0.05
            self._say(progress)

    def conclude(self, answer: Answer) -> None:
        """Write the final result if no progress was written before."""
        if self._due == 0.0 and answer.lines:
            self._say(Progress(answer.id, answer.visits, answer.seconds, answer.lines, answer.margin))

    def _say(self, progress: Progress) -> None:
        request = self._request
        torus = self._context.session.game.torus
        parts = [write_infos(torus, request.colour, progress, self._dialect)]
        if request.root:
            parts.append(write_root(request.colour, progress))
        if self._tail:
            parts.append(self._tail)
        self._context.reply.say(" ".join(parts))


async def _progress_writer(context: Context, request: _AnalysisRequest, dialect: Dialect) -> _ProgressWriter:
    tail = ""
    if request.ownership:
        found = await context.player.estimate(context.session.position(request.colour))
        tail = write_ownership(request.colour, found.ownership)
    return _ProgressWriter(context, request, dialect, tail)


async def _analyse(context: Context, arguments: Arguments, dialect: Dialect) -> str:
    request = _parse_request(context, arguments, dialect)
    writer = await _progress_writer(context, request, dialect)
    position = context.session.position(request.colour)
    thinking = asyncio.create_task(
        context.player.think(
            position, analyse=True, on_progress=writer.tell, shown=request.most, restrictions=request.restrictions
        )
    )
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
    return ""


async def _genmove(context: Context, arguments: Arguments, dialect: Dialect) -> str:
    request = _parse_request(context, arguments, dialect)
    start = time.monotonic()
    writer = await _progress_writer(context, request, dialect)
    answer = await choose_move(context, request.colour, writer.tell, request.most, request.restrictions, start=start)
    writer.conclude(answer)
    await context.save()
    context.reply.say(f"play {move_text(context, answer.move)}")
    return ""


def _in(dialect: Dialect, *, moving: bool) -> Handler:
    async def handler(context: Context, arguments: Arguments) -> str:
        return await (_genmove if moving else _analyse)(context, arguments, dialect)

    return handler


COMMANDS: Final = CommandTable()
COMMANDS.command("lz-analyze …")(_in("lz", moving=False))
COMMANDS.command("kata-analyze …")(_in("kata", moving=False))
COMMANDS.command("lz-genmove_analyze …")(_in("lz", moving=True))
COMMANDS.command("kata-genmove_analyze …")(_in("kata", moving=True))
