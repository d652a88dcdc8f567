"""Board size, komi, handicap, and loading and writing SGF."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from daoqi_tui.engine import LARGEST, SMALLEST, WHITE, points_text
from daoqi_tui.engine.game import LARGEST_KOMI, handicap_points, most_handicap
from daoqi_tui.gtp.engine.session import Arguments, CommandTable, Context, take
from daoqi_tui.gtp.parsing import GtpError, parse_number, parse_point, parse_whole, vertex_name
from daoqi_tui.message import NOT_A_FILE, reason_of
from daoqi_tui.paths import is_open


async def boardsize(context: Context, arguments: Arguments) -> str:
    """Start an empty board of another size; answers once the player is ready to move on it."""
    (word,) = take(arguments, 1, 1, "boardsize SIZE")
    size = parse_whole(word, SMALLEST, LARGEST, f"unacceptable size: {SMALLEST} to {LARGEST}")
    context.session.new_game(size)
    context.begin_anew()
    await context.prepare()
    return ""


def query_boardsize(context: Context, arguments: Arguments) -> str:
    """Answer the size of the board."""
    take(arguments, 0, 0, "query_boardsize")
    return str(context.session.game.torus.size)


async def clear_board(context: Context, arguments: Arguments) -> str:
    """Start an empty board of the same size; answers once the player is ready to move on it."""
    take(arguments, 0, 0, "clear_board")
    context.session.new_game()
    context.begin_anew()
    await context.prepare()
    return ""


def komi(context: Context, arguments: Arguments) -> str:
    """Set komi."""
    (word,) = take(arguments, 1, 1, "komi POINTS")
    context.session.game.komi = parse_number(word, -LARGEST_KOMI, LARGEST_KOMI)
    return ""


def get_komi(context: Context, arguments: Arguments) -> str:
    """Answer komi."""
    take(arguments, 0, 0, "get_komi")
    return points_text(context.session.game.komi)


def fixed_handicap(context: Context, arguments: Arguments) -> str:
    """Place handicap stones where Daoqi's rules put them; the torus has no star points."""
    (word,) = take(arguments, 1, 1, "fixed_handicap STONES")
    _check_empty(context)
    most = _most_handicap(context)
    return _lay_out(context, parse_whole(word, 2, most, f"invalid number of stones: 2 to {most}"))


def place_free_handicap(context: Context, arguments: Arguments) -> str:
    """Place handicap stones as ``fixed_handicap`` does, up to its maximum."""
    (word,) = take(arguments, 1, 1, "place_free_handicap STONES")
    _check_empty(context)
    torus = context.session.game.torus
    stones = parse_whole(word, 2, torus.points - 1, f"invalid number of stones: 2 to {torus.points - 1}")
    return _lay_out(context, min(stones, _most_handicap(context)))


def set_free_handicap(context: Context, arguments: Arguments) -> str:
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
    return ""


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


async def loadsgf(context: Context, arguments: Arguments) -> str:
    """Load a record up to its end or before a move; answers the side to move, as GNU Go does."""
    if not arguments:
        raise GtpError("syntax error: no file; the form is: loadsgf FILE [MOVE_NUMBER]")
    name, before = context.rest, None
    if len(arguments) > 1 and arguments[-1].isascii() and arguments[-1].isdigit():
        name = name.removesuffix(arguments[-1]).rstrip(" ")
        before = parse_whole(arguments[-1], 1, 999_999)
    from daoqi_tui.record import SgfError, load  # noqa: PLC0415 - an engine starts without the readers of records
    from daoqi_tui.record.files import read_record  # noqa: PLC0415

    try:
        data = read_record(Path(name), open_files=False)
        loaded = load(data)
        if loaded.ask:
            # Most controllers write no TO property; such a record is read as played on the torus.
            loaded = load(data, torus=True)
    except SgfError as error:
        raise GtpError(f"cannot load file: {error}") from error
    game = loaded.game
    if before is not None:
        line = [game.root, *game.root.line()]
        # The setup that follows a move is part of the position before the next.
        reached = [node for node in line if node.number < before]
        game.goto(reached[-1])
    context.session.load(game, loaded.info)
    context.begin_anew()
    await context.prepare()
    return "black" if game.to_move == 1 else "white"


def printsgf(context: Context, arguments: Arguments) -> str:
    """Write the record of the game, as the answer or to a file; never over a file of another kind."""
    from daoqi_tui.record import dump, write_atomically  # noqa: PLC0415 - an engine starts without the writers of records
    from daoqi_tui.record.files import may_replace  # noqa: PLC0415

    data = dump(context.session.game, context.session.info)
    if not arguments:
        return data.decode("utf-8")
    path = Path(context.rest)
    if is_open(path):
        # The file may be the stream of the answers.
        raise GtpError(f"cannot write {str(path)!r}: {NOT_A_FILE}")
    try:
        if not may_replace(path, "SGF"):
            raise GtpError(f"cannot write {str(path)!r}: the file there is no SGF record; choose another name")
        write_atomically(path, data)
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise GtpError(f"cannot write {str(path)!r}: {reason}") from error
    return ""


COMMANDS: Final[CommandTable] = {
    "boardsize": boardsize,
    "query_boardsize": query_boardsize,
    "clear_board": clear_board,
    "komi": komi,
    "get_komi": get_komi,
    "fixed_handicap": fixed_handicap,
    "place_free_handicap": place_free_handicap,
    "set_free_handicap": set_free_handicap,
    "loadsgf": loadsgf,
    "printsgf": printsgf,
}
