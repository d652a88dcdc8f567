"""The board as it stands: its picture, its stones, its count.

What stands on the board counts, so no stone is ever dead and none in seki.
"""

from __future__ import annotations

from typing import Final

from daoqi_tui.engine import BLACK, WHITE, Colour, Game, area, points_text
from daoqi_tui.gtp.context import Arguments, Context, Table, take
from daoqi_tui.gtp.parsing import GtpError, parse_colour, shown, vertex_name
from daoqi_tui.record.picture import text_picture


def score_text(game: Game) -> str:
    """The count as results are written, ``W+0`` where the totals are equal: White wins a tie."""
    count = game.area()
    return f"{'B' if count.winner == BLACK else 'W'}+{points_text(abs(count.margin))}"


def final_score(context: Context, arguments: Arguments) -> str:
    """The result if the game ended here."""
    take(arguments, 0, 0, "final_score")
    return score_text(context.session.game)


def final_status_list(context: Context, arguments: Arguments) -> str:
    """The points of a status: chains, a line each, or territory."""
    (status,) = take(arguments, 1, 1, "final_status_list STATUS")
    game = context.session.game
    match status.lower():
        case "alive":
            return "\n".join(_names(game, stones) for stones in _chains(game))
        case "dead" | "seki":
            return ""
        case "black_territory":
            return _names(game, _territory(game, BLACK))
        case "white_territory":
            return _names(game, _territory(game, WHITE))
    known = "alive, dead, seki, black_territory or white_territory"
    raise GtpError(f"syntax error: {shown(status)} is no status; write {known}")


def list_stones(context: Context, arguments: Arguments) -> str:
    """The points where a colour's stones stand."""
    (side,) = take(arguments, 1, 1, "list_stones COLOR")
    game = context.session.game
    return _names(game, game.torus.points_in(game.board.stones(parse_colour(side))))


def showboard(context: Context, arguments: Arguments) -> str:
    """A picture."""
    take(arguments, 0, 0, "showboard")
    return "\n" + text_picture(context.session.game, "gtp", "ascii")


def _names(game: Game, points: tuple[int, ...]) -> str:
    return " ".join(vertex_name(game.torus, point) for point in points)


def _chains(game: Game) -> list[tuple[int, ...]]:
    chains: list[tuple[int, ...]] = []
    seen: set[int] = set()
    for point in range(game.torus.points):
        chain = game.chain_at(point)
        if chain is not None and point not in seen:
            seen.update(chain.stones)
            chains.append(chain.stones)
    return chains


def _territory(game: Game, colour: Colour) -> tuple[int, ...]:
    owners, board = area(game.board, game.komi).owners, game.board
    return tuple(point for point in game.torus.points_in(board.empty) if owners[point] == colour)


COMMANDS: Final[Table] = {
    "final_score": final_score,
    "final_status_list": final_status_list,
    "list_stones": list_stones,
    "showboard": showboard,
}
