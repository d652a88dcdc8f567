"""Analysis that goes on until the next line of input, and moves told with what was thought."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import Final

from daoqi_tui.ai.protocol import Answer, Progress
from daoqi_tui.engine import Colour
from daoqi_tui.gtp.commands.moves import choose_move, move_text
from daoqi_tui.gtp.context import Arguments, Context, Handler, Table
from daoqi_tui.gtp.infos import Dialect, write_infos, write_ownership, write_root
from daoqi_tui.gtp.parsing import GtpError, parse_colour, parse_whole, shown

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
"""Of these the first two are told; the others, which playouts do not know, are accepted and left out."""
_HURRY_SECONDS: Final = 0.05
_DEFAULT_INTERVAL: Final = 100
_LONGEST_INTERVAL: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class _Wish:
    """What an analysis command asks for.

    Attributes:
        colour: to move.
        interval: centiseconds between lines.
        most: moves to tell, None for all that are known.
        ownership, root: whether these are told too.
    """

    colour: Colour
    interval: int = _DEFAULT_INTERVAL
    most: int | None = None
    ownership: bool = False
    root: bool = False


def _wish(context: Context, arguments: Arguments, dialect: Dialect) -> _Wish:
    """The wish in ``[COLOR] [INTERVAL] [KEY VALUE]…``.

    Raises:
        GtpError: a word does not fit.
    """
    words = list(arguments)
    wish = _Wish(context.session.game.to_move)
    if words and words[0].lower() in ("b", "w", "black", "white"):
        wish = replace(wish, colour=parse_colour(words.pop(0)))
    if words and words[0][:1].isdecimal():
        wish = replace(wish, interval=parse_whole(words.pop(0), 0, _LONGEST_INTERVAL))
    while words:
        key = words.pop(0)
        if key in ("avoid", "allow"):
            raise GtpError(f"syntax error: {key} is not supported; analyse all moves")
        if not words:
            raise GtpError(f"syntax error: {shown(key)} has no value")
        value = words.pop(0)
        if key == "interval":
            wish = replace(wish, interval=parse_whole(value, 0, _LONGEST_INTERVAL))
        elif key == "maxmoves":
            wish = replace(wish, most=parse_whole(value, 1, 10_000))
        elif key == "minmoves":
            parse_whole(value, 0, 10_000)
        elif dialect == "kata" and key in _SWITCHES:
            if value.lower() not in ("true", "false"):
                raise GtpError(f"syntax error: {key} is true or false, not {shown(value)}")
            on = value.lower() == "true"
            if key == "ownership":
                wish = replace(wish, ownership=on)
            elif key == "rootInfo":
                wish = replace(wish, root=on)
        else:
            raise GtpError(f"syntax error: {shown(key)} is not known; interval, maxmoves … are")
    return wish


class _Teller:
    """Says lines of analysis, at most one in each interval, and one at least."""

    def __init__(self, context: Context, wish: _Wish, dialect: Dialect, tail: str) -> None:
        self._context = context
        self._wish = wish
        self._dialect = dialect
        self._tail = tail
        self._due = 0.0

    def tell(self, progress: Progress) -> None:
        """Say how far the thinking has come, unless something was said a moment ago."""
        now = time.monotonic()
        if progress.lines and now >= self._due:
            # A little early is better than a whole report late.
            self._due = now + self._wish.interval / 100 - 0.05
            self._say(progress)

    def conclude(self, answer: Answer) -> None:
        """Say what was found in the end, if nothing was said before."""
        if self._due == 0.0 and answer.lines:
            self._say(Progress(answer.id, answer.playouts, answer.seconds, answer.lines, answer.margin))

    def _say(self, progress: Progress) -> None:
        wish = self._wish
        torus = self._context.session.game.torus
        parts = [write_infos(torus, wish.colour, progress, self._dialect, wish.most)]
        if wish.root:
            parts.append(write_root(wish.colour, progress))
        if self._tail:
            parts.append(self._tail)
        self._context.reply.say(" ".join(parts))


async def _teller(context: Context, wish: _Wish, dialect: Dialect) -> _Teller:
    tail = ""
    if wish.ownership:
        found = await context.thinker.estimate(context.session.position(wish.colour))
        tail = write_ownership(wish.colour, found.ownership)
    return _Teller(context, wish, dialect, tail)


async def _analyse(context: Context, arguments: Arguments, dialect: Dialect) -> str:
    wish = _wish(context, arguments, dialect)
    teller = await _teller(context, wish, dialect)
    position = context.session.position(wish.colour)
    thinking = asyncio.create_task(context.thinker.think(position, analyse=True, on_progress=teller.tell))
    arrival = asyncio.create_task(context.lines.arrival())
    try:
        await asyncio.wait((thinking, arrival), return_when=asyncio.FIRST_COMPLETED)
        while not thinking.done():
            # Again and again: a player that is still being started hears nothing yet.
            context.thinker.hurry()
            await asyncio.wait((thinking,), timeout=_HURRY_SECONDS)
        teller.conclude(await thinking)
        # The answer ends with the next input, not before, whatever limit the thinking met.
        await arrival
    finally:
        thinking.cancel()
        arrival.cancel()
    return ""


async def _genmove(context: Context, arguments: Arguments, dialect: Dialect) -> str:
    wish = _wish(context, arguments, dialect)
    teller = await _teller(context, wish, dialect)
    answer = await choose_move(context, wish.colour, teller.tell)
    teller.conclude(answer)
    context.reply.say(f"play {move_text(context, answer.move)}")
    return ""


def _in(dialect: Dialect, *, moving: bool) -> Handler:
    async def handler(context: Context, arguments: Arguments) -> str:
        return await (_genmove if moving else _analyse)(context, arguments, dialect)

    return handler


COMMANDS: Final[Table] = {
    "lz-analyze": _in("lz", moving=False),
    "kata-analyze": _in("kata", moving=False),
    "lz-genmove_analyze": _in("lz", moving=True),
    "kata-genmove_analyze": _in("kata", moving=True),
}
