"""Draw a position as lines of text, for a terminal, an e-mail or the clipboard, or as SVG; its score as a table.

SVG has faint wrapped copies outside the seam. Position and score are also returned as data.
``show`` and ``score`` implement the commands of those names.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, Final, Literal, TypeAlias

from daoqi_tui.engine import BLACK, EMPTY, WHITE, Area, Colour, Game, Move, PlayerArea, Style, Torus, points_text
from daoqi_tui.engine.rules import colour_message
from daoqi_tui.i18n import name_in_language
from daoqi_tui.message import Message, Translate
from daoqi_tui.pictures.palettes import KAYA
from daoqi_tui.pictures.picture import column_names, last_point, links_shown, row_names, strokes_of
from daoqi_tui.record.sgf.info import Info, describe_unknown_rules, go_to_move, result_message
from daoqi_tui.record.sgf.markup import Mark, labels, marks
from daoqi_tui.record.sgf.read import Loaded
from daoqi_tui.record.text import SgfError
from daoqi_tui.text import cell_width, plain_line

_CELL: Final = 30
_AROUND: Final = 1
"""The number of rows and columns of the other side repeated outside the seam."""
_NAMES: Final = 26
"""Width of the margin that holds the names of columns and rows."""

_HEAD: Final = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" width="{side}" height="{side}" \
font-family="Helvetica, Arial, 'Noto Sans CJK SC', sans-serif">
<title>{title}</title>
<defs>
<radialGradient id="black" cx="35%" cy="30%" r="75%"><stop offset="0" stop-color="#444"/>\
<stop offset="1" stop-color="#0c0c0c"/></radialGradient>
<radialGradient id="white" cx="35%" cy="30%" r="75%"><stop offset="0" stop-color="#fff"/>\
<stop offset="1" stop-color="#cfcfcf"/></radialGradient>
</defs>
<rect width="{side}" height="{side}" fill="#e3b768"/>
"""


def svg_picture(game: Game, style: Style = "daoqi", title: str = "") -> str:
    """Draw the position at the cursor with last move, labels and marks.

    Args:
        game: the game.
        style: how columns and rows are named.
        title: what a viewer shows as the picture's name.
    """
    size = game.torus.size
    stones = [_svg_stone(size, point, colour) for point, colour in enumerate(game.board.colours[: size**2]) if colour]
    return _document(game, style, title, [*stones, *_svg_signs(game), *_svg_links(game)])


def animated_svg(game: Game, style: Style = "daoqi", title: str = "", seconds: float = 0.7) -> str:
    """Draw the line through the cursor as a looping animation; only the last position if reduced motion is preferred.

    Args:
        game: the game; its cursor is put back.
        style: how columns and rows are named.
        title: what a viewer shows as the picture's name.
        seconds: the time each move is shown.
    """
    here = game.node
    boards = []
    for node in (*here.path(), *here.line()):
        game.goto(node)
        boards.append(bytes(game.board.colours))
    game.goto(here)
    size = game.torus.size
    # The last position stays for a few moves longer.
    frames = len(boards) + 4
    rules = [f".s{{animation:{frames * seconds:g}s steps(1,end) infinite}}"]
    stones: list[str] = []
    for point in range(size * size):
        for colour, begin, end in _spans([board[point] for board in boards]):
            name = f"s{len(stones)}"
            stays = end == len(boards)
            rules.append(_blink(name, begin / frames, 1.0 if stays else end / frames))
            kind = "s" if stays else "s gone"
            stones.append(f'<g id="{name}" class="{kind}">{_svg_stone(size, point, colour)}</g>')
    rules.append("@media (prefers-reduced-motion:reduce){.s{animation:none!important}.gone{opacity:0}}")
    return _document(game, style, title, [f"<style>{''.join(rules)}</style>", *stones])


def _spans(colours: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield each stone that stood on a point: its colour, the position it came with, and the first without it."""
    begin = 0
    for place in range(1, len(colours) + 1):
        if place == len(colours) or colours[place] != colours[begin]:
            if colours[begin] != EMPTY:
                yield colours[begin], begin, place
            begin = place


def _document(game: Game, style: Style, title: str, drawn: Iterable[str]) -> str:
    """Return the picture of a board with elements drawn on it."""
    size, side = game.torus.size, _side(game)
    head = _HEAD.format(side=side, title=escape(plain_line(title)) or f"Daoqi, {size} × {size}")
    return "\n".join([head, *_svg_grid(game, style), *drawn, _svg_shade(game), "</svg>\n"])


def _side(game: Game) -> int:
    """Return the width and height of the picture."""
    return 2 * _NAMES + (game.torus.size + 2 * _AROUND) * _CELL


def _blink(name: str, begin: float, end: float) -> str:
    """Return the style rules of an element that is visible from one fraction of an animation to another."""
    hidden = "0%{opacity:0}" if begin else ""
    gone = f"{end:.4%}{{opacity:0}}" if end < 1 else ""
    return f"#{name}{{animation-name:{name}}}@keyframes {name}{{{hidden}{begin:.4%}{{opacity:1}}{gone}}}"


def _middle(place: float) -> float:
    return _NAMES + (place + _AROUND + 0.5) * _CELL


def _svg_grid(game: Game, style: Style) -> list[str]:
    """Draw the lines, continued across the seam, the seam itself, and the coordinates."""
    size, side = game.torus.size, _side(game)
    low, high = _NAMES, side - _NAMES
    seam_low, seam_high = _middle(0) - _CELL / 2, _middle(size - 1) + _CELL / 2
    whole = _svg_lines(range(-_AROUND, size + _AROUND), low, high)
    length = seam_high - seam_low
    seam = f'<rect x="{seam_low:g}" y="{seam_low:g}" width="{length:g}" height="{length:g}" fill="none"'
    parts = [
        f'<path d="{whole}" stroke="#5a3c10" fill="none"/>',
        f'{seam} stroke="#9c2f1f" stroke-opacity="0.6" stroke-dasharray="5 5"/>',
        '<g font-size="13" fill="#5a3c10" text-anchor="middle">',
    ]
    for place, name in enumerate(column_names(game, style)):
        parts += [f'<text x="{_middle(place):g}" y="{y:g}">{name}</text>' for y in (_NAMES * 0.7, side - _NAMES * 0.35)]
    for place, name in enumerate(row_names(game, style)):
        parts += [
            f'<text x="{x:g}" y="{_middle(place) + 5:g}">{name}</text>' for x in (_NAMES * 0.5, side - _NAMES * 0.5)
        ]
    return [*parts, "</g>"]


def _svg_lines(places: range, start: float, end: float) -> str:
    """Return the path of a line across and a line down at each of ``places``, from ``start`` to ``end``."""
    return "".join(f"M{start:g} {_middle(n):g}H{end:g}M{_middle(n):g} {start:g}V{end:g}" for n in places)


def _svg_shade(game: Game) -> str:
    """Put the copies outside the seam in the shade."""
    low, high = _NAMES, _side(game) - _NAMES
    seam_low, seam_high = _middle(0) - _CELL / 2, _middle(game.torus.size - 1) + _CELL / 2
    ring = f"M{low} {low}H{high}V{high}H{low}ZM{seam_low:g} {seam_low:g}V{seam_high:g}H{seam_high:g}V{seam_low:g}Z"
    fill = "#{:02x}{:02x}{:02x}".format(*KAYA.shade)
    return f'<path d="{ring}" fill="{fill}" fill-opacity="{KAYA.near:g}"/>'


def _svg_stone(size: int, point: int, colour: Colour) -> str:
    """Draw circles for a stone and its wrapped copies outside the seam."""
    fill = "black" if colour == BLACK else "white"
    rows, columns = (
        [copy for copy in (place - size, place, place + size) if -_AROUND <= copy < size + _AROUND]
        for place in divmod(point, size)
    )
    return "".join(
        f'<circle cx="{_middle(column):g}" cy="{_middle(row):g}" r="{_CELL * 0.47:g}" fill="url(#{fill})" '
        f'stroke="#222" stroke-width="0.6"/>'
        for row in rows
        for column in columns
    )


def _svg_signs(game: Game) -> list[str]:
    """Draw the ring on the last stone, marks and labels."""
    size = game.torus.size
    parts = []
    last = last_point(game)
    shown_labels = labels(game.node, size)
    shown_marks = marks(game.node, size)
    if last is not None and last not in shown_labels and last not in shown_marks:
        x, y, ink = _svg_place(game, last)
        parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{_CELL * 0.22:g}" fill="none" stroke="{ink}" stroke-width="2"/>'
        )
    for point, mark in shown_marks.items():
        x, y, ink = _svg_place(game, point)
        parts.append(f'<path d="{_svg_mark_path(mark, x, y)}" fill="none" stroke="{ink}" stroke-width="2"/>')
    for point, label in shown_labels.items():
        x, y, ink = _svg_place(game, point)
        text = escape(plain_line(label)[:4])
        if not game.board.colours[point]:
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{_CELL * 0.36:g}" fill="#e3b768"/>')
        font = f'font-size="{16 if len(text) < 3 else 11}"'
        parts.append(f'<text x="{x:g}" y="{y + 5:g}" {font} text-anchor="middle" fill="{ink}">{text}</text>')
    return parts


def _svg_links(game: Game) -> list[str]:
    """Draw the arrows and lines, cut off at the edge of the copies."""
    strokes = list(strokes_of(links_shown(game.node, game.torus.size), game.torus.size))
    if not strokes:
        return []
    path = ""
    for stroke in strokes:
        (x, y), (end_x, end_y), *head = ((_middle(x), _middle(y)) for x, y in (stroke.start, stroke.end, *stroke.head))
        path += f"M{x:g} {y:g}L{end_x:g} {end_y:g}"
        if head:
            path += "M" + "L".join(f"{x:g} {y:g}" for x, y in head) + "Z"
    length = _side(game) - 2 * _NAMES
    box = f'x="{_NAMES}" y="{_NAMES}" width="{length}" height="{length}"'
    drawn = [
        f'<path d="{path}" stroke="{ink}" fill="{ink}" stroke-width="{width}" stroke-linejoin="round"/>'
        for ink, width in (("#fff", 5), ("#0c286e", 3))
    ]
    return [f'<svg {box} viewBox="{_NAMES} {_NAMES} {length} {length}">', *drawn, "</svg>"]


def _svg_place(game: Game, point: int) -> tuple[float, float, str]:
    row, column = game.torus.position(point)
    return _middle(column), _middle(row), "#fff" if game.board.colours[point] == BLACK else "#111"


def _svg_mark_path(mark: Mark, x: float, y: float) -> str:
    reach = _CELL * 0.25
    if mark == "triangle":
        return f"M{x:g} {y - reach:g}L{x + reach:g} {y + reach * 0.8:g}H{x - reach:g}Z"
    if mark == "square":
        return f"M{x - reach:g} {y - reach:g}h{2 * reach:g}v{2 * reach:g}h{-2 * reach:g}Z"
    if mark == "circle":
        half = f"a{reach:g} {reach:g} 0 1 0"
        return f"M{x - reach:g} {y:g}{half} {2 * reach:g} 0{half} {-2 * reach:g} 0Z"
    down, right = y + reach, x + reach
    return f"M{x - reach:g} {y - reach:g}L{right:g} {down:g}M{right:g} {y - reach:g}L{x - reach:g} {down:g}"


Stones: TypeAlias = Literal["ascii", "round"]
Format: TypeAlias = Literal["text", "ansi", "svg"]

_SIGNS: Final[dict[Stones, str]] = {"ascii": ".XO", "round": "·●○"}
_MARK_SIGNS: Final[dict[Mark, str]] = {"triangle": "^", "square": "$", "circle": "%", "cross": "*"}
_LIKE_MARKS: Final = str.maketrans("XO●○()", "*%%%**")
"""Labels that look like stones, or like the parentheses around the last one, are drawn as marks."""
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
            signs[point] = shown.translate(_LIKE_MARKS)
    return signs


def title_of(game: Game, info: Info, translate: Translate = str, style: Style = "daoqi") -> str:
    """Describe a game on one line, in the language of ``translate``: players, position in the game, result.

    The last move is named in ``style``, as the columns and rows of a board below the title are.

    >>> title_of(Game(size=9), Info(black="Ke", white="Go", white_rank="9p", result="B+2"))
    'Ke (Black) – Go 9p (White), 9×9, start, B+2'
    """
    names = ((info.black, info.black_rank), (info.white, info.white_rank))
    players = tuple(" ".join(filter(None, (name_in_language(name), rank))) for name, rank in names)
    title = describe_place(players, game.torus, game.node.number, game.node.move, translate=translate, style=style)
    result = info.result and result_message(info.result)
    return plain_line(translate(Message("{title}, {result}", title=title, result=result)) if result else title)


def describe_place(
    players: Sequence[str],
    torus: Torus,
    number: int,
    move: Move | None,
    *,
    translate: Translate = str,
    style: Style = "daoqi",
) -> str:
    """Describe a place in a game: Black and White by their names, size, the number of the move and the move."""
    named = []
    for name, colour in zip(players, (BLACK, WHITE), strict=True):
        side = translate(colour_message(colour))
        named.append(
            translate(Message("{player} ({side})", player=name, side=side)) if name not in ("", side) else side
        )
    both = translate(Message("{black} – {white}", black=named[0], white=named[1]))
    place = translate(Message("move {number}", number=number) if number else Message("start"))
    if move is not None:
        colour_word = translate(colour_message(move.colour))
        played = translate(Message("pass")) if move.is_pass else torus.name(move.point, style)
        place = translate(Message("move {number} {colour} {move}", number=number, colour=colour_word, move=played))
    size = f"{torus.size}×{torus.size}"
    return translate(Message("{players}, {size}, {place}", players=both, size=size, place=place))


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


def _scored(loaded: Loaded) -> Area:
    """Score the board at the end of the main line.

    Raises:
        SgfError: a chain has no liberties there.
    """
    go_to_move(loaded.game, None)
    if refusal := loaded.game.board.no_liberties():
        raise SgfError(refusal.as_message())
    return loaded.game.area()


def score_values(loaded: Loaded) -> dict[str, Any]:
    """Return the data of :func:`score` for JSON; raises as that."""
    game, count = loaded.game, _scored(loaded)
    unknown = describe_unknown_rules(loaded.info.rules)
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
        "problems": [*map(str, loaded.problems), *filter(None, [unknown and str(unknown)])],
    }


def score(loaded: Loaded, translate: Translate = str) -> str:
    """Score the board at the end of the main line for ``daoqi-tui score``; ends with a newline.

    Raises:
        SgfError: a chain has no liberties there.
    """
    count = _scored(loaded)
    lines = [
        title_of(loaded.game, loaded.info, translate),
        "",
        " " * 6 + "".join(_right(translate(name), columns) for name, columns in _COLUMNS),
    ]
    lines += [_score_line(translate(colour_message(colour)), count.player(colour)) for colour in (BLACK, WHITE)]
    if count.neutral:
        lines.append(translate(Message("{count} empty points are neutral", count=count.neutral)))
    lines += ["", translate(Message("As the board stands: {result}", result=count))]
    if unknown := describe_unknown_rules(loaded.info.rules):
        lines.append(translate(unknown))
    if loaded.info.result:
        lines.append(
            translate(Message("The record says: {result}", result=result_message(plain_line(loaded.info.result))))
        )
    return "\n".join(lines) + "\n"


def _score_line(name: str, side: PlayerArea) -> str:
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
