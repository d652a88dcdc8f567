"""GoGui's commands: what it may offer in its menu, and the rules of a game it does not know itself.

Through the seven ``gogui-rules_*`` commands GoGui asks for the board after every move, so that it shows captures
across the seam without knowing of it (GoGui's manual, chapters "Analyze Commands" and "Rules").
"""

from __future__ import annotations

from typing import Final

from daoqi_tui.engine import BLACK, WHITE, points_text
from daoqi_tui.gtp.context import Arguments, Context, Table, take
from daoqi_tui.gtp.parsing import colour_name, vertex_name

_MENU: Final = (
    "bwboard/Area/daoqi-owners",
    "dboard/Expected ownership/daoqi-ownership",
    "hstring/Area count/daoqi-area",
    "string/Final score/final_score",
    "plist/Legal moves/daoqi-legal_moves %c",
    "string/Legality/daoqi-legal %c %p",
    "varb/Ladder, Black first/daoqi-ladder %p black",
    "varw/Ladder, White first/daoqi-ladder %p white",
    "plist/Ladder breakers and makers/daoqi-ladder_points %p",
    "hstring/Opening/daoqi-opening",
    "string/Passes/daoqi-passes",
    "varc/Suggested move/reg_genmove %c",
    "hstring/Board/showboard",
)
"""Type, label and command of each menu entry."""


def analyze_commands(_: Context, arguments: Arguments) -> str:
    """The menu."""
    take(arguments, 0, 0, "gogui-analyze_commands")
    return "\n".join(_MENU)


def game_id(_: Context, arguments: Arguments) -> str:
    """The name of the game."""
    take(arguments, 0, 0, "gogui-rules_game_id")
    return "Daoqi"


def board(context: Context, arguments: Arguments) -> str:
    """The stones, row by row from the top."""
    take(arguments, 0, 0, "gogui-rules_board")
    return "\n".join(" ".join(row) for row in str(context.session.game.board).split("\n"))


def board_size(context: Context, arguments: Arguments) -> str:
    """The size."""
    take(arguments, 0, 0, "gogui-rules_board_size")
    return str(context.session.game.torus.size)


def legal_moves(context: Context, arguments: Arguments) -> str:
    """All moves of the side to move; none when the game is over."""
    take(arguments, 0, 0, "gogui-rules_legal_moves")
    game = context.session.game
    if game.is_over:
        return ""
    return " ".join([*(vertex_name(game.torus, point) for point in game.legal_points()), "pass"])


def side_to_move(context: Context, arguments: Arguments) -> str:
    """Whose turn it is."""
    take(arguments, 0, 0, "gogui-rules_side_to_move")
    return colour_name(context.session.game.to_move)


def captured_count(context: Context, arguments: Arguments) -> str:
    """The prisoners of Black and of White; stones lost by suicide are the opponent's."""
    take(arguments, 0, 0, "gogui-rules_captured_count")
    stones = context.session.game.board
    black = stones.captured[BLACK] + stones.suicided[WHITE]
    white = stones.captured[WHITE] + stones.suicided[BLACK]
    return f"{black} {white}"


def final_result(context: Context, arguments: Arguments) -> str:
    """Who has won, in words."""
    take(arguments, 0, 0, "gogui-rules_final_result")
    count = context.session.game.area()
    return f"{count}. Black {points_text(count.black.total)}, White {points_text(count.white.total)}."


COMMANDS: Final[Table] = {
    "gogui-analyze_commands": analyze_commands,
    "gogui-rules_game_id": game_id,
    "gogui-rules_board": board,
    "gogui-rules_board_size": board_size,
    "gogui-rules_legal_moves": legal_moves,
    "gogui-rules_side_to_move": side_to_move,
    "gogui-rules_captured_count": captured_count,
    "gogui-rules_final_result": final_result,
}
