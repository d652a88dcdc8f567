"""Draw a position as lines of text, for a terminal, an e-mail or the clipboard; its score as a table; both as data.

``show`` and ``score`` implement the commands of those names.
"""

from __future__ import annotations

import unicodedata
from typing import Any, Final, Literal, TypeAlias

from daoqi_tui.engine import BLACK, WHITE, Game, PlayerArea, Style, points_text
from daoqi_tui.engine.colour import colour_message
from daoqi_tui.message import Message, Translate
from daoqi_tui.pictures.picture import column_names, last_point, row_names
from daoqi_tui.pictures.svg import svg_picture
from daoqi_tui.record.sgf.info import go_to_move, title_of
from daoqi_tui.record.sgf.markup import Mark, labels, marks
from daoqi_tui.record.sgf.read import Loaded
from daoqi_tui.text import cell_width, plain_line

Stones: TypeAlias = Literal["ascii", "round"]
Format: TypeAlias = Literal["text", "ansi", "svg"]

_SIGNS: Final[dict[Stones, str]] = {"ascii": ".XO", "round": "·●○"}
_MARK_SIGNS: Final[dict[Mark, str]] = {"triangle": "^", "square": "#", "circle": "%", "cross": "*"}
_RESET: Final = "\x1b[0m"
# 256-colour codes: wood, and on it line, black stone, white stone, label.
_WOOD, _LINE, _BLACK, _WHITE, _LABEL = 179, 94, 16, 231, 18
_LAST_WOOD: Final = 215
_JSON_COLOURS: Final = {BLACK: "black", WHITE: "white"}
_COLUMNS: Final = (
    (Message("stones"), 8),
    (Message("territory"), 11),
    (Message("passes"), 8),
    (Message("komi"), 7),
    (Message("total"), 8),
)


def text_picture(game: Game, style: Style = "daoqi", stones: Stones = "ascii", corner: tuple[int, int] = (0, 0)) -> str:
    """Draw the position at the cursor: the last stone in parentheses, labels and marks on empty points.

    Row and column of `corner` are drawn at the top left; the names of points belong to the points and move along.

    >>> game = Game(size=5)
    >>> node = game.play(game.torus.parse("C3"))
    >>> print(text_picture(game))
       A B C D E
     5 . . . . .  5
     4 . . . . .  4
     3 . .(X). .  3
     2 . . . . .  2
     1 . . . . .  1
       A B C D E
    """
    signs = _empty_signs(game)
    last = last_point(game)
    torus, (down, right) = game.torus, corner
    columns = torus.columns
    header = "   " + " ".join(_turned(column_names(game, style), right))
    lines = [header]
    for row, name in enumerate(_turned(row_names(game, style), down)):
        cells = []
        gaps = [" "] * (columns + 1)
        for column in range(columns):
            point = torus.point(down + row, right + column)
            colour = game.board.colours[point]
            sign = (not colour and signs.get(point)) or _SIGNS[stones][colour]
            cells.append(sign)
            if point == last:
                gaps[column : column + 2] = "()"
            elif cell_width(sign) > 1:
                gaps[column + 1] = ""
        line = "".join(gap + cell for gap, cell in zip(gaps, [*cells, ""], strict=True))
        lines.append(f"{name:>2}{line}{name:>2}")
    return "\n".join([*lines, header])


def _turned(names: list[str], by: int) -> list[str]:
    by %= len(names)
    return names[by:] + names[:by]


def ansi_picture(game: Game, style: Style = "daoqi") -> str:
    """Draw the position at the cursor in 256 colours: round stones on wood, the last one on a lighter cell."""
    signs = _empty_signs(game)
    last = last_point(game)
    columns = game.torus.columns
    header = "   " + " ".join(column_names(game, style))
    lines = [header]
    for row, name in enumerate(row_names(game, style)):
        cells = []
        for point in range(row * columns, (row + 1) * columns):
            colour = game.board.colours[point]
            wood = _LAST_WOOD if point == last else _WOOD
            sign = signs.get(point, "")
            if colour:
                ink, sign = (_BLACK if colour == BLACK else _WHITE), "●"
            elif sign:
                ink = _LABEL
            else:
                ink, sign = _LINE, "·"
            space = "" if cell_width(sign) > 1 else " "
            cells.append(f"\x1b[48;5;{wood};38;5;{ink}m{sign}{space}")
        lines.append(f"{name:>2}\x1b[48;5;{_WOOD}m {''.join(cells)}{_RESET}{name:>2}")
    return "\n".join([*lines, header])


def _empty_signs(game: Game) -> dict[int, str]:
    """Return the characters drawn on empty points: the first character of a label, or the sign of a mark."""
    size = game.torus.size
    signs = {point: _MARK_SIGNS[mark] for point, mark in marks(game.node, size).items()}
    for point, label in labels(game.node, size).items():
        # Without zero-width characters: combining marks, and format characters such as U+200B.
        signs_of = (sign for sign in plain_line(label) if not unicodedata.combining(sign))
        shown = next((sign for sign in signs_of if unicodedata.category(sign) != "Cf"), "")
        if shown:
            signs[point] = shown
    return signs


def show(
    loaded: Loaded,
    move: int | None = None,
    *,
    format: Format = "text",  # noqa: A002 - the option is called so
    style: Style = "daoqi",
    stones: Stones = "ascii",
    translate: Translate = str,
) -> str:
    """Draw a board for ``daoqi-tui show``, after ``move`` moves or at the end of the main line; ends with a newline."""
    game = loaded.game
    go_to_move(game, move)
    title = title_of(game, loaded.info, translate, style)
    if format == "svg":
        return svg_picture(game, style, title)
    picture = ansi_picture(game, style) if format == "ansi" else text_picture(game, style, stones)
    return f"{title}\n{picture}\n"


def position(loaded: Loaded, move: int | None = None, style: Style = "daoqi") -> dict[str, Any]:
    """Return the data of :func:`show` for JSON: the game, the stones by colour, the captures."""
    game, info = loaded.game, loaded.info
    go_to_move(game, move)
    torus, node = game.torus, game.node
    played = node.move
    return {
        "size": torus.size,
        "komi": game.komi,
        "rules": str(game.rules),
        "black": info.black,
        "white": info.white,
        "recorded_result": info.result,
        "move": node.number,
        "last": played and ("pass" if played.is_pass else torus.name(played.point, style)),
        "to_play": _JSON_COLOURS[game.to_move],
        "stones": {
            name: [torus.name(at, style) for at, here in enumerate(game.board.colours) if here == colour]
            for colour, name in _JSON_COLOURS.items()
        },
        "captures": {name: game.board.captured[colour] for colour, name in _JSON_COLOURS.items()},
        "problems": [str(problem) for problem in loaded.problems],
    }


def score_values(loaded: Loaded) -> dict[str, Any]:
    """Return the data of :func:`score` for JSON."""
    game = loaded.game
    go_to_move(game, None)
    count = game.area()
    return {
        "size": game.torus.size,
        "rules": str(game.rules),
        "moves": game.node.number,
        **{
            name: {**count.player(colour)._asdict(), "total": count.player(colour).total}
            for colour, name in _JSON_COLOURS.items()
        },
        "neutral": count.neutral,
        "margin": count.margin,
        "result": str(count.result()),
        "recorded_result": loaded.info.result,
        "problems": [str(problem) for problem in loaded.problems],
    }


def score(loaded: Loaded, translate: Translate = str) -> str:
    """Score the board at the end of the main line for ``daoqi-tui score``; ends with a newline."""
    game = loaded.game
    go_to_move(game, None)
    count = game.area()
    lines = [
        title_of(game, loaded.info, translate),
        "",
        " " * 6 + "".join(_right(translate(name), columns) for name, columns in _COLUMNS),
    ]
    lines += [_score_line(translate(colour_message(colour)), count.player(colour)) for colour in (BLACK, WHITE)]
    if count.neutral:
        lines.append(translate(Message("{count} empty points are neutral", count=count.neutral)))
    lines += ["", translate(Message("As the board stands: {result}", result=count))]
    if loaded.info.result:
        lines.append(translate(Message("The record says: {result}", result=plain_line(loaded.info.result))))
    return "\n".join(lines) + "\n"


def _score_line(name: str, side: PlayerArea) -> str:
    """Return one player's row of the score table."""
    passes = f"-{side.passes}" if side.passes else "0"
    komi, total = points_text(side.komi), points_text(side.total)
    cells = (side.stones, side.territory, passes, komi, total)
    return (
        name
        + _right("", 6 - cell_width(name))
        + "".join(f"{cell:>{columns}}" for cell, (_, columns) in zip(cells, _COLUMNS, strict=True))
    )


def _right(text: str, columns: int) -> str:
    return " " * (columns - cell_width(text)) + text
