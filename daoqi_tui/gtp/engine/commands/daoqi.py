"""The daoqi- commands: legality with reasons, passes, area, ownership, ladders and openings on the torus."""

from __future__ import annotations

from typing import Final

from daoqi_tui.engine import BLACK, PASS, WHITE, IllegalMove, PlayerArea, area, points_text
from daoqi_tui.gtp.engine.session import Arguments, CommandTable, Context, colour_or_turn
from daoqi_tui.gtp.parsing import GtpError, colour_name, parse_colour, parse_point, parse_vertex, vertex_name

COMMANDS: Final = CommandTable()

_LADDER_NODES: Final = 200_000
"""The node budget of one ladder, after which it is undecided: a few seconds at most."""
_POINTS_NODES: Final = 5_000
"""The same for each of the many ladders behind the breakers."""


@COMMANDS.command("daoqi-legal COLOR VERTEX")
def legal(context: Context, arguments: Arguments) -> str:
    """Answer ``legal``, or ``illegal`` with the reason; for a repetition, with the move that led to the state."""
    side, where = arguments
    session = context.session
    colour, point = parse_colour(side), parse_vertex(session.game.torus, where)
    refusal = None if point == PASS else session.refusal(colour, point)
    return "legal" if refusal is None else f"illegal: {IllegalMove(refusal)}"


@COMMANDS.command("daoqi-legal_moves [COLOR]")
def legal_moves(context: Context, arguments: Arguments) -> str:
    """List the points where a colour, by default the side to move, may play; a pass is always legal."""
    colour = colour_or_turn(context, arguments)
    torus = context.session.game.torus
    return " ".join(vertex_name(torus, point) for point in context.session.legal_points(colour))


@COMMANDS.command("daoqi-passes")
def passes(context: Context, _: Arguments) -> str:
    game = context.session.game
    return f"black {game.passes(BLACK)} white {game.passes(WHITE)}"


@COMMANDS.command("daoqi-area")
def area_breakdown(context: Context, _: Arguments) -> str:
    """Score the board: a line with the parts of each player's score, then the neutral points and the result."""
    count = context.session.game.area()

    def line(name: str, player: PlayerArea) -> str:
        return (
            f"{name} stones {player.stones} territory {player.territory} passes {player.passes} "
            f"komi {points_text(player.komi)} total {points_text(player.total)}"
        )

    return "\n".join((line("black", count.black), line("white", count.white), f"neutral {count.neutral}", str(count)))


@COMMANDS.command("daoqi-owners")
def owners(context: Context, _: Arguments) -> str:
    """Answer the owner of each point in area scoring, row by row from the top: ``b``, ``w`` or ``.``."""
    game = context.session.game
    signs = [".bw"[colour] for colour in area(game.board, game.komi).owners]
    return _rows(signs, game.torus.columns)


@COMMANDS.command("daoqi-ownership")
async def ownership(context: Context, _: Arguments) -> str:
    """Estimate the ownership of each point, row by row from the top: 1 Black, −1 White."""
    session = context.session
    found = await context.player.estimate(session.position(session.game.to_move))
    return _rows([f"{share:.2f}" for share in found.ownership], session.game.torus.columns)


@COMMANDS.command("daoqi-ladder VERTEX [COLOR]")
def ladder(context: Context, arguments: Arguments) -> str:
    """Read a ladder: the result, the plies, and the moves; the colour to move first is the turn by default."""
    from daoqi_tui.reading.ladder import read_ladder  # noqa: PLC0415 - imports numpy

    game = context.session.game
    point = _stone(context, arguments[0])
    first = colour_or_turn(context, arguments[1:])
    found = read_ladder(game.board, point, first, _LADDER_NODES)
    moves = " ".join(vertex_name(game.torus, move) for move in found.line)
    return f"{found.result} in {found.plies}, {colour_name(first)} first: {moves}".rstrip(": ")


@COMMANDS.command("daoqi-ladder_points VERTEX [COLOR]")
def ladder_points(context: Context, arguments: Arguments) -> str:
    """List the ladder breakers or makers: points where one more stone changes the result."""
    from daoqi_tui.reading.ladder import ladder_points as find  # noqa: PLC0415 - imports numpy

    game = context.session.game
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
def opening(context: Context, _: Arguments) -> str:
    """Answer the class and name of the opening, and its moves in standard form, column and row from 0."""
    from daoqi_tui.analysis.opening import opening_of  # noqa: PLC0415 - imports numpy

    game = context.session.game
    found = opening_of(game)
    kind = f"class {found.kind.number}: {found.kind.name.english}" if found.kind else "class none"
    size = game.torus.size
    moves = ("pass" if move == PASS else f"({move % size},{move // size})" for move in found.moves)
    return f"{kind}\nstandard: {' '.join(moves)}".rstrip()


def _rows(signs: list[str], columns: int) -> str:
    return "\n".join(" ".join(signs[start : start + columns]) for start in range(0, len(signs), columns))
