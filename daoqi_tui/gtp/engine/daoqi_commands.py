"""The daoqi- commands, of what is peculiar to the torus, and the gogui- commands, whose menu shows them.

Through the seven ``gogui-rules_*`` commands GoGui asks for the board after every move, so that it shows captures
across the seam without knowing of it (GoGui's manual, chapters "Analyze Commands" and "Rules").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from daoqi_tui.engine import BLACK, PASS, WHITE, Colour, IllegalMove, PlayerArea, Torus, area, points_text
from daoqi_tui.gtp import GtpError, colour_name, counted, parse_colour, parse_point, parse_vertex, vertex_name
from daoqi_tui.gtp.engine.session import Arguments, CommandTable, Context, colour_or_turn

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
def play_sequence(context: Context, *arguments: str) -> None:
    moves = _moves(context, arguments, "gogui-play_sequence", parse_vertex)
    with GtpError.instead_of(IllegalMove, "illegal move"):
        context.session.play_all(moves)


@COMMANDS.command("gogui-setup …")
def setup(context: Context, *arguments: str) -> None:
    """Place stones on an empty board before the first move."""
    session = context.session
    if not session.is_empty or session.game.node.number:
        raise GtpError("board not empty: stones are laid out before the first move; use clear_board first")
    stones = _moves(context, arguments, "gogui-setup", parse_point)
    black, white = ([point for colour, point in stones if colour == side] for side in (BLACK, WHITE))
    session.lay_out(black, white, session.game.to_move)
    context.begin_anew()


@COMMANDS.command("gogui-setup_player COLOR")
def setup_player(context: Context, side: str) -> None:
    context.session.turn_to(parse_colour(side))


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
def board(context: Context) -> str:
    """Answer the stones, row by row from the top."""
    return "\n".join(" ".join(row) for row in str(context.session.game.board).split("\n"))


@COMMANDS.command("gogui-rules_board_size")
def board_size(context: Context) -> str:
    return str(context.session.game.torus.size)


@COMMANDS.command("gogui-rules_legal_moves")
def rules_legal_moves(context: Context) -> str:
    """List the legal moves of the side to move; none when the game is over."""
    game = context.session.game
    if game.is_over:
        return ""
    return " ".join([*(vertex_name(game.torus, point) for point in game.legal_points()), "pass"])


@COMMANDS.command("gogui-rules_side_to_move")
def side_to_move(context: Context) -> str:
    return colour_name(context.session.game.to_move)


@COMMANDS.command("gogui-rules_captured_count")
def captured_count(context: Context) -> str:
    """Answer the prisoners of Black and of White; stones lost by suicide are the opponent's prisoners."""
    stones = context.session.game.board
    black = stones.captured[BLACK] + stones.suicided[WHITE]
    white = stones.captured[WHITE] + stones.suicided[BLACK]
    return f"{black} {white}"


@COMMANDS.command("gogui-rules_final_result")
def final_result(context: Context) -> str:
    count = context.session.playable_game.area()
    return f"{count}. Black {points_text(count.black.total)}, White {points_text(count.white.total)}."


_LADDER_NODES: Final = 200_000
"""The node budget of one ladder, after which it is undecided: a few seconds at most."""
_POINTS_NODES: Final = 5_000
"""The same for each of the many ladders behind the breakers."""


@COMMANDS.command("daoqi-legal COLOR VERTEX")
def legal(context: Context, side: str, where: str) -> str:
    """Answer ``legal``, or ``illegal`` with the reason; for a repetition, with the move that led to the state."""
    session = context.session
    colour, point = parse_colour(side), parse_vertex(session.game.torus, where)
    refusal = None if point == PASS else session.refusal(colour, point)
    return "legal" if refusal is None else f"illegal: {IllegalMove(refusal)}"


@COMMANDS.command("daoqi-legal_moves [COLOR]")
def legal_moves(context: Context, *arguments: str) -> str:
    """List the points where a colour, by default the side to move, may play; a pass is always legal."""
    colour = colour_or_turn(context, arguments)
    torus = context.session.game.torus
    return " ".join(vertex_name(torus, point) for point in context.session.legal_points(colour))


@COMMANDS.command("daoqi-passes")
def passes(context: Context) -> str:
    game = context.session.game
    return f"black {game.passes(BLACK)} white {game.passes(WHITE)}"


@COMMANDS.command("daoqi-area")
def area_breakdown(context: Context) -> str:
    """Score the board: a line with the parts of each player's score, then the neutral points and the result."""
    count = context.session.playable_game.area()

    def line(name: str, player: PlayerArea) -> str:
        return (
            f"{name} stones {player.stones} territory {player.territory} passes {player.passes} "
            f"komi {points_text(player.komi)} total {points_text(player.total)}"
        )

    return "\n".join((line("black", count.black), line("white", count.white), f"neutral {count.neutral}", str(count)))


@COMMANDS.command("daoqi-owners")
def owners(context: Context) -> str:
    """Answer the owner of each point in area scoring, row by row from the top: ``b``, ``w`` or ``.``."""
    game = context.session.playable_game
    signs = [".bw"[colour] for colour in area(game.board, game.komi).owners]
    return _rows(signs, game.torus.columns)


@COMMANDS.command("daoqi-ownership")
async def ownership(context: Context) -> str:
    """Estimate the ownership of each point, row by row from the top: 1 Black, −1 White."""
    session = context.session
    found = await context.player.estimate(session.position(session.game.to_move))
    return _rows([f"{share:.2f}" for share in found.ownership], session.game.torus.columns)


@COMMANDS.command("daoqi-ladder VERTEX [COLOR]")
def ladder(context: Context, *arguments: str) -> str:
    """Read a ladder: the result, the plies, and the moves; the colour to move first is the turn by default."""
    from daoqi_tui.reading.ladder import read_ladder  # noqa: PLC0415 - imports numpy

    game = context.session.playable_game
    point = _stone(context, arguments[0])
    first = colour_or_turn(context, arguments[1:])
    found = read_ladder(game.board, point, first, _LADDER_NODES)
    moves = " ".join(vertex_name(game.torus, move) for move in found.line)
    return f"{found.result} in {found.plies}, {colour_name(first)} first: {moves}".rstrip(": ")


@COMMANDS.command("daoqi-ladder_points VERTEX [COLOR]")
def ladder_points(context: Context, *arguments: str) -> str:
    """List the ladder breakers or makers: points where one more stone changes the result."""
    from daoqi_tui.reading.ladder import ladder_points as find  # noqa: PLC0415 - imports numpy

    game = context.session.playable_game
    point = _stone(context, arguments[0])
    found = find(game.board, point, colour_or_turn(context, arguments[1:]), _POINTS_NODES)
    lines = []
    if found.result != "undecided":
        kind = "breakers" if found.result == "captured" else "makers"
        lines = [
            f"{colour_name(colour)} {kind}: " + " ".join(vertex_name(game.torus, point) for point in points)
            for colour, points in ((BLACK, found.black), (WHITE, found.white))
        ]
    if found.undecided:
        lines.append(f"undecided: {found.undecided_points}")
    return "\n".join(line.rstrip() for line in lines)


def _stone(context: Context, word: str) -> int:
    game = context.session.game
    point = parse_point(game.torus, word)
    if game.chain_at(point) is None:
        raise GtpError(f"there is no stone at {vertex_name(game.torus, point)}; name a stone of the chain to read")
    return point


@COMMANDS.command("daoqi-opening")
def opening(context: Context) -> str:
    """Answer the class and name of the opening, and its moves in standard form, column and row from 0."""
    from daoqi_tui.analysis.opening import opening_of  # noqa: PLC0415 (most commands need none)

    game = context.session.game
    found = opening_of(game)
    kind = f"class {found.kind.number}: {found.kind.name.english}" if found.kind else "class none"
    size = game.torus.size
    moves = ("pass" if move == PASS else f"({move % size},{move // size})" for move in found.moves)
    return f"{kind}\nstandard: {' '.join(moves)}".rstrip()


def _rows(signs: list[str], columns: int) -> str:
    return "\n".join(" ".join(signs[start : start + columns]) for start in range(0, len(signs), columns))
