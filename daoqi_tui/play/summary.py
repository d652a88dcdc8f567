"""The summary of a finished game: result, score, and the biggest mistake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daoqi_tui.engine import BLACK, WHITE, Area, Colour, Node, Result, Style, Torus, TwoPasses, points_text
from daoqi_tui.i18n import _, plural
from daoqi_tui.play.session import Session
from daoqi_tui.play.wording import colour_word, describe_move, describe_result, signed

if TYPE_CHECKING:
    from daoqi_tui.play.evaluation import Evaluations, JudgedMove
    from daoqi_tui.play.rating import Rating


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a finished game.

    Attributes:
        result: the winner and how the game ended.
        area: the score, without the stones agreed dead; None if the game was not scored.
        stones: the colour of each point at the end.
        last: the point of the last move, None after a pass.
        moves: their number.
        players: the names of Black and White, empty if unknown.
        rating: the human's rating after the game, empty if it was not rated.
        dead: the effect of the stones agreed dead, empty if there are none.
        judged: the moves with known losses.
        mistake: a sentence on the move that lost most, empty if unknown.
        play: lines on how both sides played; empty if no move was evaluated.
        picture: the board at the end as text.
    """

    result: Result
    area: Area | None
    stones: bytes
    last: int | None
    moves: int
    players: tuple[str, str]
    rating: str
    dead: str
    judged: Sequence[JudgedMove]
    mistake: str
    play: tuple[str, ...]
    picture: str

    def lines(self) -> list[str]:
        """Return the result, its count and the biggest mistake as lines of text."""
        lines = [describe_result(self.result)]
        names = [
            f"{sign} {colour_word(colour)}" + (f" · {name}" if name else "")
            for sign, colour, name in zip("●○", (BLACK, WHITE), self.players, strict=True)
        ]
        if self.area is None:
            lines += names
        else:
            for name, colour in zip(names, (BLACK, WHITE), strict=True):
                lines += [name, "  " + describe_count(self.area, colour)]
        lines.append(plural("{count} move", "{count} moves", self.moves))
        lines += [words for words in (self.dead, self.rating) if words]
        if self.play:
            return [*lines, "", *self.play]
        return [*lines, self.mistake] if self.mistake else lines

    def text(self) -> str:
        return "\n".join((*self.lines(), "", self.picture)) + "\n"


def describe_count(area: Area, colour: Colour) -> str:
    """Word the parts of a side's score; only White has komi."""
    side = area.player(colour)
    words = _("stones {stones} + territory {territory} − passes {passes}").format(
        stones=side.stones, territory=side.territory, passes=points_text(side.passes)
    )
    if side.komi:
        words += _(" + komi {komi}").format(komi=signed(side.komi))
    return f"{words} = {signed(side.total)}"


def summary(
    session: Session, end: Node, evaluations: Evaluations, style: Style, rating: Rating | None = None
) -> Summary | None:
    """Sum up the game that ended at ``end``; None if it is not over there.

    Args:
        session: the game; its cursor stays where it is.
        end: the node where it ended.
        evaluations: of the positions.
        style: of coordinates.
        rating: the human's rating after the game.
    """
    from daoqi_tui.pictures.picture import last_point  # noqa: PLC0415
    from daoqi_tui.pictures.text import text_picture  # noqa: PLC0415
    from daoqi_tui.play.dead_stones import describe_difference  # noqa: PLC0415
    from daoqi_tui.play.evaluation import judged_moves  # noqa: PLC0415
    from daoqi_tui.play.review import summary_lines  # noqa: PLC0415 (needs what plays)

    game, line = session.game, end.path()
    here = game.node
    game.goto(end)
    try:
        result = game.result
        if result is None:
            return None
        ending = result.ending
        dead = "  ·  ".join(describe_difference(game)) if isinstance(ending, TwoPasses) and ending.dead else ""
        judged = judged_moves(line, evaluations)
        return Summary(
            result,
            game.area(ending.dead) if isinstance(ending, TwoPasses) else None,
            bytes(game.board.colours),
            last_point(game),
            end.number,
            (session.player(BLACK), session.player(WHITE)),
            "" if rating is None else rating.words(),
            dead,
            judged,
            _biggest_mistake(line, judged, game.torus, style),
            tuple(summary_lines(judged, game.torus, style)),
            text_picture(game, style),
        )
    finally:
        game.goto(here)


def _biggest_mistake(line: Sequence[Node], judged: Sequence[JudgedMove], torus: Torus, style: Style) -> str:
    """Name the move that lost most, by the evaluations or else by the marks of the record; empty if unknown."""
    from daoqi_tui.play.review import describe_mistake, marked_worst, mistakes  # noqa: PLC0415 (needs what plays)

    found = mistakes(judged)
    if found:
        worst = max(found, key=lambda move: move.lost)
        return _("Biggest mistake: {move}").format(move=describe_mistake(worst, torus, style))
    marked = marked_worst(line)
    if marked is None:
        return ""
    node, mover = marked
    return _("Biggest mistake: move {number}, {colour} {move}").format(
        number=node.number, colour=colour_word(mover), move=describe_move(node, torus, style)
    )
