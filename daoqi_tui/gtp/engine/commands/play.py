"""Playing a game: moves, the clock, and the score.

Time settings are standard or those of KGS (http://www.gokgs.com/help/timesystems.html). For the score all stones count
as alive: there are no dead stones and no seki.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from daoqi_tui.ai.protocol import SHOWN, Answer, Progress, Restriction
from daoqi_tui.engine import BLACK, WHITE, Colour, Game, IllegalMove, area
from daoqi_tui.gtp.engine.session import SHORTEST, Arguments, CommandTable, Context, TimeSettings, take
from daoqi_tui.gtp.parsing import GtpError, parse_colour, parse_number, parse_vertex, parse_whole, shown, vertex_name
from daoqi_tui.gtp.player import RESIGN


def play(context: Context, arguments: Arguments) -> str:
    """Play a move of either colour; ``daoqi-legal`` answers why a move is illegal."""
    side, where = take(arguments, 2, 2, "play COLOR VERTEX")
    session = context.session
    colour, point = parse_colour(side), parse_vertex(session.game.torus, where)
    try:
        session.play(colour, point)
    except IllegalMove as error:
        raise GtpError("illegal move") from error
    return ""


def undo(context: Context, arguments: Arguments) -> str:
    """Undo the last move."""
    take(arguments, 0, 0, "undo")
    return _undo(context, 1)


def gg_undo(context: Context, arguments: Arguments) -> str:
    """Undo a number of moves, one by default: all of them or none."""
    words = take(arguments, 0, 1, "gg-undo [MOVES]")
    return _undo(context, parse_whole(words[0], 0, 999_999) if words else 1)


def _undo(context: Context, moves: int) -> str:
    try:
        context.session.undo(moves)
    except ValueError as error:
        raise GtpError(f"cannot undo: {error}") from error
    context.timing.take_back(context.session.game.node.number)
    return ""


async def genmove(context: Context, arguments: Arguments) -> str:
    """Choose a move and play it."""
    (side,) = take(arguments, 1, 1, "genmove COLOR")
    answer = await choose_move(context, parse_colour(side))
    return move_text(context, answer.move)


async def reg_genmove(context: Context, arguments: Arguments) -> str:
    """Choose a move without playing it and without regard to the clock."""
    (side,) = take(arguments, 1, 1, "reg_genmove COLOR")
    answer = await context.player.think(context.session.position(parse_colour(side)))
    return move_text(context, answer.move)


async def choose_move(
    context: Context,
    colour: Colour,
    on_progress: Callable[[Progress], None] | None = None,
    shown: int = SHOWN,
    restrictions: Sequence[Restriction] = (),
    *,
    start: float | None = None,
) -> Answer:
    """Search within the time left and play the move or resign; returns the answer.

    ``on_progress``, ``shown`` and ``restrictions`` are those of :meth:`daoqi_tui.gtp.player.Player.think`. ``start`` is
    the start of the move's time by :func:`time.monotonic`, now by default.
    """
    session, timing = context.session, context.timing
    game = session.game
    now = time.monotonic()
    start = now if start is None else start
    played = game.node.number
    budget = context.budget(colour)
    answer = await context.player.think(
        session.position(colour),
        seconds=None if budget is None else max(SHORTEST, budget - (now - start)),
        extra=timing.extra(colour, game.torus.points, played),
        on_progress=on_progress,
        shown=shown,
        restrictions=restrictions,
    )
    timing.spend(colour, time.monotonic() - start, played)
    if context.resignation is not None and context.resignation.should_resign(game, colour, answer):
        return replace(answer, move=RESIGN)
    if answer.move != RESIGN:
        try:
            session.play(colour, answer.move)
        except IllegalMove as error:
            raise GtpError(f"the player's own move {move_text(context, answer.move)} is illegal: {error}") from error
    return answer


def move_text(context: Context, move: int) -> str:
    """Format a move for GTP, resignation included."""
    return "resign" if move == RESIGN else vertex_name(context.session.game.torus, move)


_LONGEST: Final = 1e7
_MOST_STONES: Final = 100_000


def time_settings(context: Context, arguments: Arguments) -> str:
    """Set main time and Canadian overtime in seconds; overtime for 0 stones, or no time at all, is no limit."""
    words = take(arguments, 3, 3, "time_settings MAIN OVERTIME STONES")
    context.timing.set(_canadian(*words))
    return ""


def time_left(context: Context, arguments: Arguments) -> str:
    """Set the time left of a player: main time if the stones are 0, else overtime for that many stones."""
    words = take(arguments, 3, 3, "time_left COLOR SECONDS STONES")
    colour = parse_colour(words[0])
    # Some controllers send a negative time when a clock has just run out.
    seconds = max(0.0, parse_number(words[1], -_LONGEST, _LONGEST))
    context.timing.tell(colour, seconds, _stones(words[2]))
    return ""


def kgs_time_settings(context: Context, arguments: Arguments) -> str:
    """Set one of the time systems of KGS: none, absolute, byoyomi or canadian."""
    form = "kgs-time_settings none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD STONES"
    system = take(arguments, 1, 4, form)[0].lower()
    count = {"none": 1, "absolute": 2, "byoyomi": 4, "canadian": 4}.get(system)
    if count is None:
        raise GtpError(f"syntax error: {shown(arguments[0])} is no time system; the form is: {form}")
    words = take(arguments, count, count, form)
    match system:
        case "none":
            settings = TimeSettings()
        case "absolute":
            settings = TimeSettings("absolute", _seconds(words[1]))
        case "byoyomi":
            settings = TimeSettings("byoyomi", _seconds(words[1]), _seconds(words[2]), _stones(words[3]))
        case _:
            settings = _canadian(*words[1:])
    context.timing.set(settings)
    return ""


def _canadian(main: str, period: str, stones: str) -> TimeSettings:
    """Parse Canadian overtime; in GTP ``period`` seconds for 0 stones mean that there is no limit."""
    settings = TimeSettings("canadian", _seconds(main), _seconds(period), _stones(stones))
    return TimeSettings() if settings.period and not settings.stones else settings


def _seconds(word: str) -> float:
    return parse_number(word, 0, _LONGEST)


def _stones(word: str) -> int:
    return parse_whole(word, 0, _MOST_STONES)


def score_text(game: Game) -> str:
    """Return the result of the board as it stands: ``B+3.5``, ``W+0`` where White wins a tie, ``0`` for a draw."""
    return str(game.area().result())


def final_score(context: Context, arguments: Arguments) -> str:
    """Answer the result if the game ended here."""
    take(arguments, 0, 0, "final_score")
    return score_text(context.session.game)


def final_status_list(context: Context, arguments: Arguments) -> str:
    """List the points of a status: chains, a line each, or territory."""
    (status,) = take(arguments, 1, 1, "final_status_list STATUS")
    game = context.session.game
    match status.lower():
        case "alive":
            board = game.board
            chains = (sorted(board.stones_of(head)) for colour in (BLACK, WHITE) for head in board.chains_of(colour))
            return "\n".join(_names(game, stones) for stones in sorted(chains))
        case "dead" | "seki":
            return ""
        case "black_territory":
            return _names(game, _territory(game, BLACK))
        case "white_territory":
            return _names(game, _territory(game, WHITE))
    known = "alive, dead, seki, black_territory or white_territory"
    raise GtpError(f"syntax error: {shown(status)} is no status; write {known}")


def list_stones(context: Context, arguments: Arguments) -> str:
    """List the stones of a colour."""
    (side,) = take(arguments, 1, 1, "list_stones COLOR")
    game = context.session.game
    return _names(game, game.torus.points_in(game.board.stones(parse_colour(side))))


def showboard(context: Context, arguments: Arguments) -> str:
    """Draw the board."""
    take(arguments, 0, 0, "showboard")
    from daoqi_tui.pictures.text import text_picture  # noqa: PLC0415 - loads the readers and writers of records

    return "\n" + text_picture(context.session.game, "gtp", "ascii")


def _names(game: Game, points: Iterable[int]) -> str:
    return " ".join(vertex_name(game.torus, point) for point in points)


def _territory(game: Game, colour: Colour) -> tuple[int, ...]:
    owners, board = area(game.board, game.komi).owners, game.board
    return tuple(point for point in game.torus.points_in(board.empty) if owners[point] == colour)


COMMANDS: Final[CommandTable] = {
    "play": play,
    "genmove": genmove,
    "reg_genmove": reg_genmove,
    "undo": undo,
    "gg-undo": gg_undo,
    "time_settings": time_settings,
    "time_left": time_left,
    "kgs-time_settings": kgs_time_settings,
    "final_score": final_score,
    "final_status_list": final_status_list,
    "list_stones": list_stones,
    "showboard": showboard,
}
