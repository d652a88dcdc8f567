"""What the command line does with records, as functions of values: it only adds files, options and exit codes.

Each raises :class:`~daoqi_tui.record.problem.SgfError`, one sentence, for what cannot be done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias
from unicodedata import east_asian_width

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
Words: TypeAlias = Callable[[str], str]
"""Puts a word or a sentence into another language."""


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


def title_of(game: Game, info: Info, words: Words = str) -> str:
    """One line for a game: the players, the place in the game and the result, in the language of ``words``.

    >>> title_of(Game(size=9), Info(black="Ke", white="Go", white_rank="9p", result="B+2"))
    'Ke (Black) – Go 9p (White), 9×9, start, B+2'
    """
    players = [
        " ".join(filter(None, (name or side, rank))) + (f" ({side})" if name else "")
        for name, rank, side in (
            (info.black, info.black_rank, words("Black")),
            (info.white, info.white_rank, words("White")),
        )
    ]
    move = game.node.move
    place = words("move {0}").format(game.node.number) if game.node.number else words("start")
    if move is not None:
        place += f" {words(name_of(move.colour))} {words('pass') if move.is_pass else game.torus.name(move.point)}"
    size = game.torus.size
    return plain_line(", ".join(filter(None, (" – ".join(players), f"{size}×{size}", place, info.result))))


def show(
    loaded: Loaded,
    move: int | None = None,
    *,
    format: Format = "text",  # noqa: A002 - the option is called so
    style: Style = "daoqi",
    stones: Stones = "ascii",
    words: Words = str,
) -> str:
    """A board for ``daoqi-tui show``, after ``move`` moves or at the end of the main line; ends with a line break."""
    game = loaded.game
    go_to_move(game, move)
    title = title_of(game, loaded.info, words)
    if format == "svg":
        return svg_picture(game, style, title)
    picture = ansi_picture(game, style) if format == "ansi" else text_picture(game, style, stones)
    return f"{title}\n{picture}\n"


def score(loaded: Loaded, words: Words = str) -> str:
    """The count of the end of the main line for ``daoqi-tui score``, as the board stands; ends with a line break."""
    game = loaded.game
    go_to_move(game, None)
    count = game.area()
    lines = [
        title_of(game, loaded.info, words),
        "",
        " " * 6 + "".join(_right(words(name), width) for name, width in _COLUMNS),
    ]
    lines += [_score_line(words(name), side) for name, side in (("Black", count.black), ("White", count.white))]
    if count.neutral:
        lines.append(words("{0} empty points count for nobody").format(count.neutral))
    lines += ["", words("As the board stands: {0}").format(words(str(count)))]
    if loaded.info.result:
        lines.append(words("The record says: {0}").format(plain_line(loaded.info.result)))
    return "\n".join(lines) + "\n"


def _score_line(name: str, side: PlayerArea) -> str:
    """One player's row of the count."""
    passes = f"-{side.passes}" if side.passes else "0"
    komi, total = points_text(side.komi), points_text(side.total)
    cells = (side.stones, side.territory, passes, komi, total)
    return (
        name
        + _right("", 6 - _cells(name))
        + "".join(f"{cell:>{width}}" for cell, (_, width) in zip(cells, _COLUMNS, strict=True))
    )


_COLUMNS: Final = (("stones", 8), ("territory", 11), ("passes", 8), ("komi", 7), ("total", 8))


def _cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def _right(text: str, width: int) -> str:
    return " " * (width - _cells(text)) + text


def convert(loaded: Loaded, *, portable: bool = False) -> bytes:
    """The record written anew for ``daoqi-tui convert``; ``portable`` for programs that know only a flat board."""
    return dump_portable(loaded.game, loaded.info) if portable else dump(loaded.game, loaded.info)


def problems_text(loaded: Loaded, words: Words = str) -> str:
    """What reading had to skip, a line each, for standard error; empty when nothing."""
    lines = [words(plain_line(str(problem))) for problem in loaded.problems]
    if loaded.more_problems:
        lines.append(words("and {0} more like these").format(loaded.more_problems))
    return "".join(f"{line}\n" for line in lines)
