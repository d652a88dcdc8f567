"""Playing, taking back, and moves of our own."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from daoqi_tui.ai.protocol import Answer, Progress
from daoqi_tui.engine import Colour, IllegalMove
from daoqi_tui.gtp.context import Arguments, Context, Table, take
from daoqi_tui.gtp.giving_up import RESIGN
from daoqi_tui.gtp.parsing import GtpError, parse_colour, parse_vertex, parse_whole, vertex_name


def play(context: Context, arguments: Arguments) -> str:
    """A move of either colour; ``daoqi-legal`` says why one is illegal."""
    side, where = take(arguments, 2, 2, "play COLOR VERTEX")
    session = context.session
    colour, point = parse_colour(side), parse_vertex(session.game.torus, where)
    try:
        session.play(colour, point)
    except IllegalMove as error:
        raise GtpError("illegal move") from error
    return ""


def undo(context: Context, arguments: Arguments) -> str:
    """Take the last move back."""
    take(arguments, 0, 0, "undo")
    return _undo(context, 1)


def gg_undo(context: Context, arguments: Arguments) -> str:
    """Take so many moves back, one by default: all of them or none."""
    words = take(arguments, 0, 1, "gg-undo [MOVES]")
    return _undo(context, parse_whole(words[0], 0, 999_999) if words else 1)


def _undo(context: Context, moves: int) -> str:
    try:
        context.session.undo(moves)
    except ValueError as error:
        raise GtpError(f"cannot undo: {error}") from error
    return ""


async def genmove(context: Context, arguments: Arguments) -> str:
    """Our move, made on the board."""
    (side,) = take(arguments, 1, 1, "genmove COLOR")
    answer = await choose_move(context, parse_colour(side))
    return move_text(context, answer.move)


async def reg_genmove(context: Context, arguments: Arguments) -> str:
    """Our move, without making it and without regard to the clock."""
    (side,) = take(arguments, 1, 1, "reg_genmove COLOR")
    answer = await context.thinker.think(context.session.position(parse_colour(side)))
    return move_text(context, answer.move)


async def choose_move(
    context: Context, colour: Colour, on_progress: Callable[[Progress], None] | None = None
) -> Answer:
    """Think within the clock, and make the move unless it is to resign; the answer tells which it is."""
    session, timing = context.session, context.timing
    game = session.game
    start = time.monotonic()
    budget = timing.budget(colour, game.torus.points, game.node.number)
    answer = await context.thinker.think(session.position(colour), seconds=budget, on_progress=on_progress)
    timing.spend(colour, time.monotonic() - start)
    if context.giving_up is not None and context.giving_up.now(game, colour, answer):
        return replace(answer, move=RESIGN)
    if answer.move != RESIGN:
        try:
            session.play(colour, answer.move)
        except IllegalMove as error:
            raise GtpError(f"the player's own move {move_text(context, answer.move)} is illegal: {error}") from error
    return answer


def move_text(context: Context, move: int) -> str:
    """How GTP writes a move of ours."""
    return "resign" if move == RESIGN else vertex_name(context.session.game.torus, move)


COMMANDS: Final[Table] = {
    "play": play,
    "genmove": genmove,
    "reg_genmove": reg_genmove,
    "undo": undo,
    "gg-undo": gg_undo,
}
