"""Draw a position as lines of text, for a terminal, an e-mail or the clipboard, or as SVG; its score as a table.

An SVG has the colours, margin and names of the pictures in pixels. Position and score are also returned as data.
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
from daoqi_tui.pictures.palettes import BOARDS, GRADES, RGB, blend
from daoqi_tui.pictures.picture import (
    DOT,
    PLATE,
    PUNISHED,
    RADIUS,
    USUAL,
    Drawing,
    Picture,
    column_names,
    last_point,
    picture_of,
    row_names,
    strokes_of,
)
from daoqi_tui.record.sgf.info import Info, describe_unknown_rules, go_to_move, result_message
from daoqi_tui.record.sgf.markup import Mark, labels, marks
from daoqi_tui.record.sgf.read import Loaded
from daoqi_tui.record.text import SgfError
from daoqi_tui.text import cell_width, plain_line

_CELL: Final = 36
"""The length of a point, in the units of an SVG: pixels, unless another size is asked for."""
_NAMES: Final = 28
"""Width of the border that holds the names of columns and rows."""


def svg_picture(game: Game, drawing: Drawing = USUAL, title: str = "") -> str:
    """Draw the position at the cursor with last move, labels and marks, as other pictures to share do.

    Args:
        game: the game.
        drawing: the options.
        title: what a viewer shows as the picture's name.
    """
    board = _SvgBoard(game, drawing)
    picture = picture_of(game)._replace(mistakes=drawing.mistakes)
    stones = [board.stone(point, colour) for point, colour in enumerate(picture.stones) if colour]
    texts = {point: plain_line(text)[:4] for point, text in labels(game.node, picture.size).items()}
    picture = picture._replace(labels={**picture.labels, **texts})
    return board.document(title, [*stones, *board.signs(picture), *board.links(picture)])


def animated_svg(game: Game, drawing: Drawing = USUAL, title: str = "") -> str:
    """Draw the line through the cursor as a looping animation; only the last position if reduced motion is preferred.

    Args:
        game: the game; its cursor is put back.
        drawing: the options.
        title: what a viewer shows as the picture's name.
    """
    here, board = game.node, _SvgBoard(game, drawing)
    positions = []
    for node in (*here.path(), *here.line()):
        game.goto(node)
        positions.append(bytes(game.board.colours))
    game.goto(here)
    # The last position stays for a few moves longer.
    frames = len(positions) + 4
    rules = [f".s{{animation:{frames * drawing.seconds:g}s steps(1,end) infinite}}"]
    stones: list[str] = []
    for point in range(game.torus.size**2):
        for colour, begin, end in _spans([position[point] for position in positions]):
            name = f"s{len(stones)}"
            stays = end == len(positions)
            rules.append(_blink(name, begin / frames, 1.0 if stays else end / frames))
            kind = "s" if stays else "s gone"
            stones.append(f'<g id="{name}" class="{kind}">{board.stone(point, colour)}</g>')
    rules.append("@media (prefers-reduced-motion:reduce){.s{animation:none!important}.gone{opacity:0}}")
    return board.document(title, [f"<style>{''.join(rules)}</style>", *stones])


def _spans(colours: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield each stone that stood on a point: its colour, the position it came with, and the first without it."""
    begin = 0
    for place in range(1, len(colours) + 1):
        if place == len(colours) or colours[place] != colours[begin]:
            if colours[begin] != EMPTY:
                yield colours[begin], begin, place
            begin = place


def _blink(name: str, begin: float, end: float) -> str:
    """Return the style rules of an element that is visible from one fraction of an animation to another."""
    hidden = "0%{opacity:0}" if begin else ""
    gone = f"{end:.4%}{{opacity:0}}" if end < 1 else ""
    return f"#{name}{{animation-name:{name}}}@keyframes {name}{{{hidden}{begin:.4%}{{opacity:1}}{gone}}}"


class _SvgBoard:
    """A board with its margin of copies and the names around it, as SVG."""

    def __init__(self, game: Game, drawing: Drawing) -> None:
        self._game, self._drawing, self._palette = game, drawing, BOARDS[drawing.theme]
        self._size = game.torus.size
        self._places = range(-drawing.margin, drawing.periods * self._size + drawing.margin)
        self._low, self._high = _NAMES, _NAMES + len(self._places) * _CELL
        self._seam_low, self._seam_high = self._edge(0), self._edge(drawing.periods * self._size)

    def document(self, title: str, drawn: Iterable[str]) -> str:
        """Return the picture of the board with elements drawn on it."""
        size, side = self._size, self._high + _NAMES
        length = side * (self._drawing.point or _CELL) / _CELL
        box = f'viewBox="0 0 {side} {side}" width="{length:g}" height="{length:g}"'
        fonts = "Helvetica, Arial, 'Noto Sans CJK SC', sans-serif"
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="{fonts}">',
            f"<title>{escape(plain_line(title)) or f'Daoqi, {size} × {size}'}</title>",
        )
        return "\n".join([*head, *self._definitions(), *self._grid(), *drawn, self._shade(), "</svg>\n"])

    def stone(self, point: int, colour: Colour) -> str:
        """Draw a stone and its copies."""
        name = "black" if colour == BLACK else "white"
        return "".join(f'<use href="#{name}" x="{x:g}" y="{y:g}"/>' for x, y in self._middles(point))

    def signs(self, picture: Picture) -> list[str]:
        """Draw the mark of the last move, marks, labels and mistakes."""
        shades, parts = self._palette.bright, []
        marked = {*picture.labels, *picture.mistakes, *(() if picture.last is None else (picture.last,))}
        for point in sorted(marked):
            stone, label, mistake = picture.stones[point], picture.labels.get(point), picture.mistakes.get(point)
            on_stone = shades.white_fill if stone == BLACK else shades.black
            graded = getattr(shades, GRADES[mistake.grade]) if mistake else None
            last = shades.last if point == picture.last else None
            for x, y in self._middles(point):
                if label is not None:
                    half = PLATE * _CELL
                    if not stone:
                        plate = f'width="{2 * half:g}" height="{2 * half:g}" fill="{_hex(shades.label_mark)}"'
                        parts.append(f'<rect x="{x - half:g}" y="{y - half:g}" {plate}/>')
                    ink = (graded or last or on_stone) if stone else shades.on_label
                    parts.append(_svg_sign(label, x, y, _hex(ink)))
                elif mistake and graded:
                    radius = PUNISHED if mistake.punished else DOT
                    parts += [_disc(x, y, radius + 0.04, on_stone), _disc(x, y, radius, graded)]
                elif last:
                    parts.append(_disc(x, y, DOT, last))
        return parts

    def links(self, picture: Picture) -> list[str]:
        """Draw the arrows and lines, cut off at the edge of the copies."""
        path = ""
        for stroke in strokes_of(picture.links, self._size):
            (x, y), (end_x, end_y), *head = (
                (self._middle(x), self._middle(y)) for x, y in (stroke.start, stroke.end, *stroke.head)
            )
            path += f"M{x:g} {y:g}L{end_x:g} {end_y:g}"
            if head:
                path += "M" + "L".join(f"{x:g} {y:g}" for x, y in head) + "Z"
        if not path:
            return []
        shades, length = self._palette.bright, self._high - self._low
        drawn = "".join(
            f'<path d="{path}" stroke="{_hex(ink)}" fill="{_hex(ink)}" stroke-width="{width}" stroke-linejoin="round"/>'
            for ink, width in ((shades.on_label, 6), (shades.label_mark, 3))
        )
        periods = [period * self._size * _CELL for period in range(self._drawing.periods)]
        copies = (f'<use href="#links" x="{x}" y="{y}"/>' for y in periods for x in periods if x or y)
        box = f'x="{_NAMES}" y="{_NAMES}" width="{length}" height="{length}"'
        return [
            f'<svg {box} viewBox="{_NAMES} {_NAMES} {length} {length}">',
            f'<g id="links">{drawn}</g>',
            *copies,
            "</svg>",
        ]

    def _edge(self, place: float) -> float:
        return self._low + (place + self._drawing.margin) * _CELL

    def _middle(self, place: float) -> float:
        return self._edge(place + 0.5)

    def _middles(self, point: int) -> Iterator[tuple[float, float]]:
        """Yield where a point and its copies are."""
        row, column = divmod(point, self._size)
        for y in self._places:
            for x in self._places:
                if y % self._size == row and x % self._size == column:
                    yield self._middle(x), self._middle(y)

    def _definitions(self) -> list[str]:
        """Define the stones, lit from the top left."""
        shades = self._palette.bright
        rim = f'stroke="{_hex(blend(shades.white_shade, (0, 0, 0), 0.55))}" stroke-opacity="0.7" stroke-width="0.7"'
        stones = (
            ("black", (shades.black_shine, blend(shades.black, shades.black_shine, 0.3), shades.black), ""),
            (
                "white",
                (
                    blend(shades.white_fill, (255, 255, 255), 0.6),
                    shades.white_fill,
                    blend(shades.white_shade, (0, 0, 0), 0.14),
                ),
                rim,
            ),
        )
        parts = ["<defs>"]
        for name, colours, stroke in stones:
            stops = "".join(
                f'<stop offset="{offset}" stop-color="{_hex(colour)}"/>'
                for offset, colour in zip((0, 0.4, 1), colours, strict=True)
            )
            shadow = f'<circle cx="1.2" cy="1.6" r="{RADIUS * _CELL:g}" fill-opacity="0.35"/>'
            stone = f'<circle r="{RADIUS * _CELL:g}" fill="url(#{name}-light)" {stroke}/>'
            parts += [
                f'<radialGradient id="{name}-light" cx="32%" cy="29%" r="75%">{stops}</radialGradient>',
                f'<g id="{name}">{shadow}{stone}</g>',
            ]
        return [*parts, "</defs>"]

    def _grid(self) -> list[str]:
        """Draw the ground, the lines, continued across the seam, the seam itself, and the coordinates."""
        shades, low, high = self._palette.bright, self._low, self._high
        side, length = high + _NAMES, high - low
        seams = (self._edge(period * self._size) for period in range(self._drawing.periods + 1))
        parts = [
            f'<rect width="{side}" height="{side}" fill="{_hex(self._palette.frame)}"/>',
            f'<rect x="{low}" y="{low}" width="{length}" height="{length}" fill="{_hex(shades.board)}"/>',
            f'<path d="{self._lines(map(self._middle, self._places))}" stroke="{_hex(shades.line)}" fill="none"/>',
            f'<path d="{self._lines(seams)}" stroke="{_hex(shades.seam)}" stroke-width="2" stroke-dasharray="4 4"/>',
            f'<g font-size="{0.7 * _NAMES:g}" fill="{_hex(shades.label)}" text-anchor="middle">',
        ]
        columns, rows = (named(self._game, self._drawing.names) for named in (column_names, row_names))
        for place in self._places:
            middle, across, down = self._middle(place), columns[place % self._size], rows[place % self._size]
            for border in (_NAMES / 2, side - _NAMES / 2):
                parts.append(f'<text x="{middle:g}" y="{border + 7:g}">{across}</text>')
                parts.append(f'<text x="{border:g}" y="{middle + 7:g}">{down}</text>')
        return [*parts, "</g>"]

    def _lines(self, places: Iterable[float]) -> str:
        """Return the path of a line across and a line down the window at each of ``places``."""
        low, high = self._low, self._high
        return "".join(f"M{low} {place:g}H{high}M{place:g} {low}V{high}" for place in places)

    def _shade(self) -> str:
        """Put the copies outside the seam in the shade."""
        low, high, seam_low, seam_high = self._low, self._high, self._seam_low, self._seam_high
        ring = f"M{low} {low}H{high}V{high}H{low}ZM{seam_low:g} {seam_low:g}V{seam_high:g}H{seam_high:g}V{seam_low:g}Z"
        return f'<path d="{ring}" fill="{_hex(self._palette.shade)}" fill-opacity="{self._palette.near:g}"/>'


def _hex(colour: RGB) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _disc(x: float, y: float, radius: float, colour: RGB) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius * _CELL:g}" fill="{_hex(colour)}"/>'


def _svg_sign(label: str, x: float, y: float, ink: str) -> str:
    """Draw a mark or the text of a label."""
    unit = _CELL
    match label:
        case "▲":
            path = f"M{x:g} {y - 0.28 * unit:g}L{x + 0.24 * unit:g} {y + 0.14 * unit:g}H{x - 0.24 * unit:g}Z"
            return f'<path d="{path}" fill="{ink}"/>'
        case "■":
            half = 0.17 * unit
            return f'<rect x="{x - half:g}" y="{y - half:g}" width="{2 * half:g}" height="{2 * half:g}" fill="{ink}"/>'
        case "○":
            ring = f'fill="none" stroke="{ink}" stroke-width="{0.06 * unit:g}"'
            return f'<circle cx="{x:g}" cy="{y:g}" r="{0.22 * unit:g}" {ring}/>'
        case "×":
            reach = 0.2 * unit
            down, right = y + reach, x + reach
            path = f"M{x - reach:g} {y - reach:g}L{right:g} {down:g}M{right:g} {y - reach:g}L{x - reach:g} {down:g}"
            return f'<path d="{path}" fill="none" stroke="{ink}" stroke-width="3"/>'
    height = (0.62, 0.52, 0.4, 0.3)[max(0, cell_width(label) - 1)] * unit if cell_width(label) < 5 else 0.2 * unit
    place = f'x="{x:g}" y="{y + 0.36 * height:g}" font-size="{height:g}"'
    return f'<text {place} text-anchor="middle" fill="{ink}">{escape(label)}</text>'


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
        return svg_picture(game, USUAL._replace(names=style), title)
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
