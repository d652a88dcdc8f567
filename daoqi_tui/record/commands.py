"""What the command line does with records, as functions of values: it only adds files, options and exit codes.

Each raises :class:`~daoqi_tui.record.problem.SgfError`, one sentence, for what cannot be done.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from daoqi_tui.engine import Game, Node, PlayerArea, Style, points_text
from daoqi_tui.engine.colour import name_of
from daoqi_tui.record.info import Info
from daoqi_tui.record.picture import Stones, ansi_picture, text_picture
from daoqi_tui.record.portable import dump_portable
from daoqi_tui.record.problem import SgfError
from daoqi_tui.record.result import last_of
from daoqi_tui.record.sgf import Loaded, dump
from daoqi_tui.record.svg import svg_picture
from daoqi_tui.record.text import plain_line

Format: TypeAlias = Literal["text", "ansi", "svg"]


def go_to_move(game: Game, number: int | None) -> Node:
    """Set the cursor on the main line after ``number`` moves, None for its end.

    Raises:
        SgfError: the main line has no such move.
    """
    if number is None:
        game.goto(last_of(game))
        return game.node
    found = None
    for node in (game.root, *game.root.line()):
        if node.number == number:
            found = node
    if found is None:
        raise SgfError(
            f"there is no move {number}; the main line has moves 1 to {last_of(game).number}, 0 is the start"
        )
    game.goto(found)
    return found


def title_of(game: Game, info: Info) -> str:
    """One line for a game: the players, the place in the game and the result.

    >>> title_of(Game(size=9), Info(black="Ke", white="Go", white_rank="9p", result="B+2"))
    'Ke (Black) – Go 9p (White), 9×9, start, B+2'
    """
    players = [
        " ".join(filter(None, (name or side, rank))) + (f" ({side})" if name else "")
        for name, rank, side in ((info.black, info.black_rank, "Black"), (info.white, info.white_rank, "White"))
    ]
    move = game.node.move
    place = f"move {game.node.number}" if game.node.number else "start"
    if move is not None:
        place += f" {name_of(move.colour)} {'pass' if move.is_pass else game.torus.name(move.point)}"
    size = game.torus.size
    return plain_line(", ".join(filter(None, (" – ".join(players), f"{size}×{size}", place, info.result))))


def show(
    loaded: Loaded,
    move: int | None = None,
    format: Format = "text",  # noqa: A002 - the option is called so
    style: Style = "daoqi",
    stones: Stones = "ascii",
) -> str:
    """A board for ``daoqi-tui show``, after ``move`` moves or at the end of the main line; ends with a line break."""
    game = loaded.game
    go_to_move(game, move)
    title = title_of(game, loaded.info)
    if format == "svg":
        return svg_picture(game, style, title)
    picture = ansi_picture(game, style) if format == "ansi" else text_picture(game, style, stones)
    return f"{title}\n{picture}\n"


def score(loaded: Loaded) -> str:
    """The count of the end of the main line for ``daoqi-tui score``, as the board stands; ends with a line break."""
    game = loaded.game
    go_to_move(game, None)
    count = game.area()
    lines = [
        title_of(game, loaded.info),
        "",
        f"{'':6}{'stones':>8}{'territory':>11}{'passes':>8}{'komi':>7}{'total':>8}",
    ]
    lines += [_score_line(name, side) for name, side in (("Black", count.black), ("White", count.white))]
    if count.neutral:
        lines.append(f"{count.neutral} empty points count for nobody")
    lines += ["", f"As the board stands: {count}"]
    if loaded.info.result:
        lines.append(f"The record says: {plain_line(loaded.info.result)}")
    return "\n".join(lines) + "\n"


def _score_line(name: str, side: PlayerArea) -> str:
    """One player's row of the count."""
    passes = f"-{side.passes}" if side.passes else "0"
    komi, total = points_text(side.komi), points_text(side.total)
    return f"{name:6}{side.stones:>8}{side.territory:>11}{passes:>8}{komi:>7}{total:>8}"


def convert(loaded: Loaded, *, portable: bool = False) -> bytes:
    """The record written anew for ``daoqi-tui convert``; ``portable`` for programs that know only a flat board."""
    return dump_portable(loaded.game, loaded.info) if portable else dump(loaded.game, loaded.info)


def problems_text(loaded: Loaded) -> str:
    """What reading had to skip, a line each, for standard error; empty when nothing."""
    lines = [plain_line(str(problem)) for problem in loaded.problems]
    if loaded.more_problems:
        lines.append(f"and {loaded.more_problems} more like these")
    return "".join(f"{line}\n" for line in lines)
