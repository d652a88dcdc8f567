"""Moves, refusals, counts and results in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daoqi_tui.engine import (
    BLACK,
    WHITE,
    Area,
    Chain,
    Colour,
    GameOver,
    Node,
    Occupied,
    OutOfTime,
    Refusal,
    Repeats,
    Resignation,
    Result,
    Style,
    Torus,
    points_text,
)
from daoqi_tui.i18n import _, plural
from daoqi_tui.lower_words import said
from daoqi_tui.tui.bound_keys import with_keys

if TYPE_CHECKING:
    from daoqi_tui.record.journal import Failing


def colour_word(colour: Colour) -> str:
    """``Black`` or ``White``."""
    return _("Black") if colour == BLACK else _("White")


def refusal_words(refusal: Refusal, torus: Torus, style: Style) -> str:
    """Say why a play was refused."""
    match refusal:
        case Occupied(point=point):
            return _("{point} is taken: play on an empty point").format(point=torus.name(point, style))
        case Repeats(point=point, move=0, to_move=to_move):
            return _("{point} would repeat the board of the start with {colour} to move").format(
                point=torus.name(point, style), colour=colour_word(to_move)
            )
        case Repeats(point=point, move=move, to_move=to_move):
            return _("{point} would repeat the board after move {move} with {colour} to move").format(
                point=torus.name(point, style), move=move, colour=colour_word(to_move)
            )
        case GameOver():
            return with_keys(_("The game is over: {resume} plays on, {new_game} begins a new game"))


def no_library_words(error: OSError) -> str:
    """Say why a game that is over is not in the library."""
    return _("The game could not be put into the library: {reason}").format(reason=said(error.strerror or error))


def move_words(node: Node, torus: Torus, style: Style) -> str:
    """Name the move of a node: ``K9``, ``pass``, ``setup`` or ``start``."""
    if node.move is None:
        return _("start") if node.parent is None else _("setup")
    return _("pass") if node.move.is_pass else torus.name(node.move.point, style)


def failing_words(failing: Failing | None) -> str:
    """Say that saving fails and why, or that it works again."""
    if failing is None:
        return _("Saving works again: nothing was lost")
    why = {
        "full": _("the disk is full"),
        "read-only": _("the disk can only be read"),
        "forbidden": _("the folder may not be written to"),
        "other": said(failing.reason),
    }[failing.why]
    words = _("The game cannot be saved in {folder}: {why}. It goes on, and saving is tried again")
    return words.format(folder=failing.folder, why=why)


def no_ladder_words(chain: Chain, name: str) -> str:
    """Say that a chain, called by one of its points, has too many liberties for a ladder."""
    words = _("{chain} has {count} liberties: no ladder")
    return words.format(chain=f"{colour_word(chain.colour)} {name}", count=len(chain.liberties))


def chain_words(chain: Chain) -> str:
    """Say how large a chain is and how many liberties it has."""
    stones = plural("{count} stone", "{count} stones", len(chain.stones))
    return stones + " · " + plural("{count} liberty", "{count} liberties", len(chain.liberties))


def margin_words(area: Area) -> str:
    """Say who is ahead and by how much, with the tie rule."""
    if area.tie:
        return _("Equal: White wins a tie")
    return _("{colour} by {points}").format(colour=colour_word(area.winner), points=points_text(abs(area.margin)))


def sum_words(area: Area, colour: Colour) -> str:
    """Write one player's count out: ``12 + 30 − 1 = 41``."""
    side = area.player(colour)
    words = f"{side.stones} + {side.territory} − {side.passes}"
    if side.komi:
        words += f" + {signed(side.komi)}"
    return f"{words} = {signed(side.total)}"


def signed(points: float) -> str:
    """Points with a minus sign as wide as the plus beside it."""
    return points_text(points).replace("-", "−")


def now_words(area: Area) -> str:
    """Say what a count comes to: ``Black 88 − 2 passes = 86, White 90 + 4 = 94``."""
    return ", ".join(_side_words(area, colour) for colour in (BLACK, WHITE))


def _side_words(area: Area, colour: Colour) -> str:
    side = area.player(colour)
    words = f"{colour_word(colour)} {side.stones + side.territory}"
    if side.passes:
        words += " − " + plural("{count} pass", "{count} passes", side.passes)
    if side.komi:
        words += f" {'+' if side.komi > 0 else '−'} {points_text(abs(side.komi))}"
    return f"{words} = {points_text(side.total)}" if side.passes or side.komi else words


def result_words(result: Result) -> str:
    """Say how the game ended."""
    winner = colour_word(result.winner)
    match result.ending:
        case Resignation(loser=loser):
            return _("{loser} resigns: {winner} wins").format(loser=colour_word(loser), winner=winner)
        case OutOfTime(loser=loser):
            return _("{loser} ran out of time: {winner} wins").format(loser=colour_word(loser), winner=winner)
    if result.margin == 0:
        return _("Equal totals, and White wins a tie: {result}").format(result=result)
    return _("{winner} wins by {points}").format(winner=winner, points=points_text(result.margin or 0))
