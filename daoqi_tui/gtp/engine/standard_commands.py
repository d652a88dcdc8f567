"""The standard commands: the engine itself, the board, records, moves, clocks and the score.

Time settings are standard, those of KGS (http://www.gokgs.com/help/timesystems.html), or KataGo's. For the score all
stones count as alive: there are no dead stones and no seki.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from daoqi_tui.ai import Answer, Progress, Think
from daoqi_tui.engine import BLACK, LARGEST, SMALLEST, WHITE, Colour, Game, IllegalMove, area, points_text
from daoqi_tui.engine.game import LARGEST_KOMI, handicap_points, most_handicap
from daoqi_tui.gtp import (
    GtpError,
    parse_colour,
    parse_number,
    parse_point,
    parse_vertex,
    parse_whole,
    shown,
    vertex_name,
)
from daoqi_tui.gtp.engine.session import SHORTEST, Arguments, CommandTable, Context, TimeSettings, check_count
from daoqi_tui.gtp.player import RESIGN
from daoqi_tui.message import NOT_A_FILE, reason_of
from daoqi_tui.paths import SGF, is_open, may_replace
from daoqi_tui.streams import write_error

COMMANDS: Final = CommandTable()


@COMMANDS.command("protocol_version")
def protocol_version(*_: object) -> str:
    return "2"


@COMMANDS.command("name")
def name(context: Context) -> str:
    return context.engine_name


@COMMANDS.command("version")
def version(context: Context) -> str:
    return context.engine_version


@COMMANDS.command("known_command COMMAND")
def known_command(context: Context, word: str) -> str:
    return "true" if word in context.names else "false"


@COMMANDS.command("list_commands")
def list_commands(context: Context) -> str:
    return "\n".join(context.names)


@COMMANDS.command("quit")
def quit_(context: Context) -> None:
    context.quitting = True


@COMMANDS.command("clear_cache")
def clear_cache(context: Context) -> None:
    """Clear the search tree and caches: the next search starts from scratch."""
    context.player.forget()


@COMMANDS.command("stop")
def stop(*_: object) -> None:
    """End an analysis, as every line does; there is no pondering to stop."""


@COMMANDS.command("cputime")
def cputime(context: Context) -> str:
    """Answer the CPU seconds used so far, including the player's process if the system reports it."""
    return f"{time.process_time() + _cpu_seconds(context.player.pid):.3f}"


def _cpu_seconds(pid: int | None) -> float:
    """Return the CPU seconds of another process, fields 14 and 15 of proc(5)'s stat; 0 if there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


_LONGEST_SIDE: Final = 999


@COMMANDS.command("boardsize SIZE")
async def boardsize(context: Context, word: str) -> None:
    """Start an empty board of another size; answers once the player is ready to move on it."""
    await _begin(context, word)


@COMMANDS.command("rectangular_boardsize WIDTH HEIGHT")
async def rectangular_boardsize(context: Context, *arguments: str) -> None:
    """Start an empty board as ``boardsize`` does, if its width and height are the same."""
    width, height = (parse_whole(word, 1, _LONGEST_SIDE) for word in arguments)
    if width != height:
        raise GtpError(f"unacceptable size: {width} by {height}; the board must be square")
    await _begin(context, arguments[0])


async def _begin(context: Context, word: str) -> None:
    size = parse_whole(word, SMALLEST, LARGEST, f"unacceptable size: {SMALLEST} to {LARGEST}")
    context.session.new_game(size)
    context.begin_anew()
    await context.prepare()


@COMMANDS.command("query_boardsize")
def query_boardsize(context: Context) -> str:
    return str(context.session.game.torus.size)


@COMMANDS.command("clear_board")
async def clear_board(context: Context) -> None:
    """Start an empty board of the same size; answers once the player is ready to move on it."""
    context.session.new_game()
    context.begin_anew()
    await context.prepare()


@COMMANDS.command("komi POINTS")
def komi(context: Context, word: str) -> None:
    context.session.game.komi = parse_number(word, -LARGEST_KOMI, LARGEST_KOMI)


@COMMANDS.command("get_komi")
def get_komi(context: Context) -> str:
    return points_text(context.session.game.komi)


@COMMANDS.command("fixed_handicap STONES")
def fixed_handicap(context: Context, word: str) -> str:
    """Place handicap stones where Daoqi's rules put them; the torus has no star points."""
    _check_empty(context)
    most = _most_handicap(context)
    return _lay_out(context, parse_whole(word, 2, most, f"invalid number of stones: 2 to {most}"))


@COMMANDS.command("place_free_handicap STONES")
def place_free_handicap(context: Context, word: str) -> str:
    """Place handicap stones as ``fixed_handicap`` does, up to its maximum."""
    _check_empty(context)
    torus = context.session.game.torus
    stones = parse_whole(word, 2, torus.points - 1, f"invalid number of stones: 2 to {torus.points - 1}")
    return _lay_out(context, min(stones, _most_handicap(context)))


@COMMANDS.command("set_free_handicap …")
def set_free_handicap(context: Context, *arguments: str) -> None:
    """Place handicap stones where the controller wants them."""
    session = context.session
    torus = session.game.torus
    _check_empty(context)
    if not 2 <= len(arguments) < torus.points:
        raise GtpError(f"bad vertex list: 2 to {torus.points - 1} points are wanted")
    try:
        points = [parse_point(torus, word) for word in arguments]
    except GtpError as error:
        raise GtpError(f"bad vertex list: {str(error).partition(': ')[2]}") from error
    if len(set(points)) < len(points):
        raise GtpError("bad vertex list: a point is named twice")
    session.lay_out(points, (), WHITE)
    session.begin_record(len(points))
    context.begin_anew()


def _check_empty(context: Context) -> None:
    if not context.session.is_empty:
        raise GtpError("board not empty: handicap stones come before everything else; use clear_board first")


def _most_handicap(context: Context) -> int:
    most = most_handicap(context.session.game.torus)
    if most < 2:
        raise GtpError("invalid number of stones: there is no handicap on a board this small")
    return most


def _lay_out(context: Context, stones: int) -> str:
    session = context.session
    session.new_game(handicap=stones)
    context.begin_anew()
    torus = session.game.torus
    return " ".join(vertex_name(torus, point) for point in handicap_points(torus, stones))


@COMMANDS.command("loadsgf …")
async def loadsgf(context: Context, *arguments: str) -> str:
    """Load a record up to its end or before a move; answers the side to move, as GNU Go does."""
    if not arguments:
        raise GtpError("syntax error: no file; the form is: loadsgf FILE [MOVE_NUMBER]")
    name, before = context.rest, None
    if len(arguments) > 1 and arguments[-1].isascii() and arguments[-1].isdigit():
        name = name.removesuffix(arguments[-1]).rstrip(" ")
        before = parse_whole(arguments[-1], 1, 999_999)
    from daoqi_tui.record import SgfError, load  # noqa: PLC0415 - an engine starts without the readers of records
    from daoqi_tui.record.files import read_record  # noqa: PLC0415
    from daoqi_tui.record.sgf.read import problems_text  # noqa: PLC0415

    with GtpError.instead_of(SgfError, "cannot load file:"):
        data = read_record(Path(name), open_files=False)
        loaded = load(data)
        if loaded.ask:
            # Most controllers write no TO property; such a record is read as played on the torus.
            loaded = load(data, torus=True)
    game = loaded.game
    if before is not None:
        line = [game.root, *game.root.line()]
        # The setup that follows a move is part of the position before the next.
        reached = [node for node in line if node.number < before]
        game.goto(reached[-1])
    repairs = problems_text(loaded)
    if repairs:
        write_error(repairs)
    context.session.load(game, loaded.info, repairs)
    context.begin_anew()
    await context.prepare()
    return "black" if game.to_move == 1 else "white"


@COMMANDS.command("printsgf …")
def printsgf(context: Context, *arguments: str) -> str:
    """Write the record of the game, as the answer or to a file; never over a file of another kind."""
    from daoqi_tui.record import dump, write_atomically  # noqa: PLC0415 - an engine starts without the writers of records

    data = dump(context.session.game, context.session.info)
    if not arguments:
        return data.decode("utf-8")
    path = Path(context.rest)
    if is_open(path):
        # The file may be the stream of the answers.
        raise GtpError(f"cannot write {str(path)!r}: {NOT_A_FILE}")
    try:
        if not may_replace(path, SGF):
            raise GtpError(f"cannot write {str(path)!r}: the file there is no SGF record; choose another name")
        write_atomically(path, data)
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise GtpError(f"cannot write {str(path)!r}: {reason}") from error
    return ""


@COMMANDS.command("play COLOR VERTEX")
def play(context: Context, side: str, where: str) -> None:
    """Play a move of either colour; ``daoqi-legal`` answers why a move is illegal."""
    session = context.session
    colour, point = parse_colour(side), parse_vertex(session.game.torus, where)
    with GtpError.instead_of(IllegalMove, "illegal move"):
        session.play(colour, point)


@COMMANDS.command("undo")
def undo(context: Context) -> None:
    _undo(context, 1)


@COMMANDS.command("gg-undo [MOVES]")
def gg_undo(context: Context, *arguments: str) -> None:
    """Undo a number of moves, one by default: all of them or none."""
    _undo(context, parse_whole(arguments[0], 0, 999_999) if arguments else 1)


def _undo(context: Context, moves: int) -> None:
    with GtpError.instead_of(ValueError, "cannot undo:"):
        context.session.undo(moves)
    context.timing.take_back(context.session.game.node.number)


# On KGS a player may not pass in the cleanup while dead stones are left; here all stones are alive.
@COMMANDS.command("kgs-genmove_cleanup COLOR")
@COMMANDS.command("genmove COLOR")
async def genmove(context: Context, side: str) -> str:
    colour = parse_colour(side)
    answer = await choose_move(context, colour, Think(context.session.position(colour)))
    return move_text(context, answer.move)


@COMMANDS.command("reg_genmove COLOR")
async def reg_genmove(context: Context, side: str) -> str:
    """Choose a move without playing it and without regard to the clock."""
    answer = await context.player.think(Think(context.session.position(parse_colour(side))))
    return move_text(context, answer.move)


async def choose_move(
    context: Context, colour: Colour, request: Think, on_progress: Callable[[Progress], None] | None = None
) -> Answer:
    """Search within the time left and play the move or resign; returns the answer.

    Args:
        context: of the command.
        colour: the side to move.
        request: for its position, without a limit of time.
        on_progress: called a few times a second.
    """
    session, timing = context.session, context.timing
    game = session.game
    start = time.monotonic()
    played = game.node.number
    budget = context.budget(colour)
    seconds = None if budget is None else max(SHORTEST, budget)
    request = replace(request, seconds=seconds, extra=timing.extra(colour, game.torus.points, played))
    answer = await context.player.think(request, on_progress)
    timing.spend(colour, time.monotonic() - start, played)
    if context.resignation is not None and context.resignation.should_resign(game, colour, answer):
        return replace(answer, move=RESIGN)
    if answer.move != RESIGN:
        with GtpError.instead_of(IllegalMove, f"the player's own move {move_text(context, answer.move)} is illegal:"):
            session.play(colour, answer.move)
    return answer


def move_text(context: Context, move: int) -> str:
    return "resign" if move == RESIGN else vertex_name(context.session.game.torus, move)


_LONGEST: Final = 3e9
"""Seconds; KataGo asks for at least 2³¹ - 1."""
_MOST_STONES: Final = 100_000
_OF_KGS: Final = {
    "none": "",
    "absolute": "MAIN",
    "byoyomi": "MAIN PERIOD PERIODS",
    "canadian": "MAIN PERIOD STONES",
}
_OF_KATAGO: Final = {
    **_OF_KGS,
    "fischer": "MAIN INCREMENT",
    "fischer-capped": "MAIN INCREMENT MOST_MAIN MOST_OF_MOVE",
}


@COMMANDS.command("time_settings MAIN OVERTIME STONES")
def time_settings(context: Context, *arguments: str) -> None:
    """Set main time and Canadian overtime in seconds; overtime for 0 stones, or no time at all, is no limit."""
    context.timing.set(_canadian(*arguments))


@COMMANDS.command("time_left COLOR SECONDS STONES")
def time_left(context: Context, *arguments: str) -> None:
    """Set the time left of a player: main time if the stones are 0, else overtime for that many stones."""
    colour = parse_colour(arguments[0])
    # Some controllers send a negative time when a clock has just run out.
    seconds = max(0.0, parse_number(arguments[1], -_LONGEST, _LONGEST))
    context.timing.set_left(colour, seconds, _stones(arguments[2]))


@COMMANDS.command("kgs-time_settings …")
def kgs_time_settings(context: Context, *arguments: str) -> None:
    context.timing.set(_time_system("kgs-time_settings", _OF_KGS, arguments))


@COMMANDS.command("kata-time_settings …")
def kata_time_settings(context: Context, *arguments: str) -> None:
    context.timing.set(_time_system("kata-time_settings", _OF_KATAGO, arguments))


@COMMANDS.command("kata-list_time_settings")
def kata_list_time_settings(*_: object) -> str:
    return " ".join(_OF_KATAGO)


def _time_system(command: str, systems: Mapping[str, str], arguments: Arguments) -> TimeSettings:
    """Parse a time system and its times; ``systems`` are those of the command, with the names of their times."""
    form = f"{command} {' | '.join(f'{system} {times}'.rstrip() for system, times in systems.items())}"
    check_count(arguments, 1, 5, form)
    system, *times = arguments[0].lower(), *arguments[1:]
    if system not in systems:
        raise GtpError(f"syntax error: {shown(arguments[0])} is no time system; the form is: {form}")
    count = 1 + len(systems[system].split())
    check_count(arguments, count, count, form)
    match system:
        case "absolute":
            return TimeSettings("absolute", _seconds(times[0]))
        case "byoyomi":
            return TimeSettings("byoyomi", _seconds(times[0]), _seconds(times[1]), _stones(times[2]))
        case "canadian":
            return _canadian(*times)
        case "fischer":
            return TimeSettings("fischer", _seconds(times[0]), increment=_seconds(times[1]))
        case "fischer-capped":
            main, increment, most, most_of_move = _seconds(times[0]), _seconds(times[1]), *map(_limit, times[2:])
            return TimeSettings(system, main, increment=increment, most=most, most_of_move=most_of_move)
    return TimeSettings()


def _canadian(main: str, period: str, stones: str) -> TimeSettings:
    """Parse Canadian overtime; in GTP ``period`` seconds for 0 stones mean that there is no limit."""
    settings = TimeSettings("canadian", _seconds(main), _seconds(period), _stones(stones))
    return TimeSettings() if settings.period and not settings.stones else settings


def _seconds(word: str) -> float:
    return parse_number(word, 0, _LONGEST)


def _limit(word: str) -> float:
    """Parse seconds that time may not exceed; negative ones are no limit."""
    seconds = parse_number(word, -_LONGEST, _LONGEST)
    return math.inf if seconds < 0 else seconds


def _stones(word: str) -> int:
    return parse_whole(word, 0, _MOST_STONES)


@COMMANDS.command("final_score")
def final_score(context: Context) -> str:
    """Return the result of the board as it stands: ``B+3.5``, ``W+0`` where White wins a tie, ``0`` for a draw."""
    return str(context.session.playable_game.area().result())


@COMMANDS.command("final_status_list STATUS")
def final_status_list(context: Context, status: str) -> str:
    """List the points of a status: chains, a line each, or territory."""
    game = context.session.game
    match status.lower():
        case "alive":
            board = game.board
            chains = (sorted(board.stones_of(head)) for colour in (BLACK, WHITE) for head in board.chains_of(colour))
            return "\n".join(_names(game, stones) for stones in sorted(chains))
        case "dead" | "seki":
            return ""
        case "black_territory":
            return _names(game, _territory(context, BLACK))
        case "white_territory":
            return _names(game, _territory(context, WHITE))
    known = "alive, dead, seki, black_territory or white_territory"
    raise GtpError(f"syntax error: {shown(status)} is no status; write {known}")


@COMMANDS.command("list_stones COLOR")
def list_stones(context: Context, side: str) -> str:
    game = context.session.game
    return _names(game, game.torus.points_in(game.board.stones(parse_colour(side))))


@COMMANDS.command("showboard")
def showboard(context: Context) -> str:
    from daoqi_tui.pictures.text import text_picture  # noqa: PLC0415 - loads the readers and writers of records

    return "\n" + text_picture(context.session.game, "gtp", "ascii")


def _names(game: Game, points: Iterable[int]) -> str:
    return " ".join(vertex_name(game.torus, point) for point in points)


def _territory(context: Context, colour: Colour) -> tuple[int, ...]:
    game = context.session.playable_game
    owners, board = area(game.board, game.komi).owners, game.board
    return tuple(point for point in game.torus.points_in(board.empty) if owners[point] == colour)
