"""The gogui- commands: the Analyze menu, many moves at once, and the rules of a game that GoGui does not know.

Through the seven ``gogui-rules_*`` commands GoGui asks for the board after every move, so that it shows captures
across the seam without knowing of it (GoGui's manual, chapters "Analyze Commands" and "Rules").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from daoqi_tui.engine import BLACK, WHITE, Colour, IllegalMove, Torus, points_text
from daoqi_tui.gtp.engine.session import Arguments, CommandTable, Context
from daoqi_tui.gtp.parsing import GtpError, colour_name, counted, parse_colour, parse_point, parse_vertex, vertex_name

COMMANDS: Final = CommandTable()

_MENU: Final = (
    "bwboard/Area/daoqi-owners",
    "dboard/Expected ownership/daoqi-ownership",
    "hstring/Area count/daoqi-area",
    "string/Final score/final_score",
    "plist/Legal moves/daoqi-legal_moves %c",
    "string/Legality/daoqi-legal %c %p",
    "varb/Ladder, Black first/daoqi-ladder %p black",
    "varw/Ladder, White first/daoqi-ladder %p white",
    "hpstring/Ladder breakers and makers/daoqi-ladder_points %p",
    "hstring/Opening/daoqi-opening",
    "string/Passes/daoqi-passes",
    "varc/Suggested move/reg_genmove %c",
    "hstring/Board/showboard",
)
"""Type, label and command of each menu entry. Points are a plain list (``plist``) or within text (``hpstring``)."""


@COMMANDS.command("gogui-analyze_commands")
def analyze_commands(*_: object) -> str:
    return "\n".join(_MENU)


@COMMANDS.command("gogui-play_sequence …")
def play_sequence(context: Context, arguments: Arguments) -> str:
    """Play moves of either colour, all of them or none."""
    moves = _moves(context, arguments, "gogui-play_sequence", parse_vertex)
    try:
        context.session.play_all(moves)
    except IllegalMove as error:
        raise GtpError("illegal move") from error
    return ""


@COMMANDS.command("gogui-setup …")
def setup(context: Context, arguments: Arguments) -> str:
    """Place stones on an empty board before the first move."""
    session = context.session
    if not session.is_empty or session.game.node.number:
        raise GtpError("board not empty: stones are laid out before the first move; use clear_board first")
    stones = _moves(context, arguments, "gogui-setup", parse_point)
    black, white = ([point for colour, point in stones if colour == side] for side in (BLACK, WHITE))
    session.lay_out(black, white, session.game.to_move)
    context.begin_anew()
    return ""


@COMMANDS.command("gogui-setup_player COLOR")
def setup_player(context: Context, arguments: Arguments) -> str:
    """Set the side to move."""
    (side,) = arguments
    context.session.set_turn(parse_colour(side))
    return ""


def _moves(
    context: Context, arguments: Arguments, name: str, parse: Callable[[Torus, str], int]
) -> list[tuple[Colour, int]]:
    """Parse pairs of a colour and a vertex.

    Raises:
        GtpError: a word does not fit.
    """
    if len(arguments) % 2:
        given = counted(len(arguments), "argument")
        raise GtpError(f"syntax error: {given}; the form is: {name} COLOR VERTEX COLOR VERTEX …")
    torus = context.session.game.torus
    words = zip(arguments[::2], arguments[1::2], strict=True)
    return [(parse_colour(side), parse(torus, where)) for side, where in words]


@COMMANDS.command("gogui-rules_game_id")
def game_id(*_: object) -> str:
    return "Daoqi"


@COMMANDS.command("gogui-rules_board")
def board(context: Context, _: Arguments) -> str:
    """Answer the stones, row by row from the top."""
    return "\n".join(" ".join(row) for row in str(context.session.game.board).split("\n"))


@COMMANDS.command("gogui-rules_board_size")
def board_size(context: Context, _: Arguments) -> str:
    return str(context.session.game.torus.size)


@COMMANDS.command("gogui-rules_legal_moves")
def legal_moves(context: Context, _: Arguments) -> str:
    """List the legal moves of the side to move; none when the game is over."""
    game = context.session.game
    if game.is_over:
        return ""
    return " ".join([*(vertex_name(game.torus, point) for point in game.legal_points()), "pass"])


@COMMANDS.command("gogui-rules_side_to_move")
def side_to_move(context: Context, _: Arguments) -> str:
    return colour_name(context.session.game.to_move)


@COMMANDS.command("gogui-rules_captured_count")
def captured_count(context: Context, _: Arguments) -> str:
    """Answer the prisoners of Black and of White; stones lost by suicide are the opponent's prisoners."""
    stones = context.session.game.board
    black = stones.captured[BLACK] + stones.suicided[WHITE]
    white = stones.captured[WHITE] + stones.suicided[BLACK]
    return f"{black} {white}"


@COMMANDS.command("gogui-rules_final_result")
def final_result(context: Context, _: Arguments) -> str:
    count = context.session.game.area()
    return f"{count}. Black {points_text(count.black.total)}, White {points_text(count.white.total)}."
