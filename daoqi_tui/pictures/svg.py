"""Draw a position, or a game move by move, as SVG, with faint wrapped copies outside the seam."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from daoqi_tui.engine import BLACK, EMPTY, Game, Style
from daoqi_tui.pictures.picture import column_names, last_point, row_names
from daoqi_tui.record.sgf.markup import Mark, labels, marks
from daoqi_tui.text import plain_line

_CELL: Final = 30
_AROUND: Final = 1
"""The number of rows and columns of the other side repeated outside the seam."""
_FAINT: Final = ' opacity="0.35"'
"""The attributes that make a copy fainter than its stone."""
_NAMES: Final = 26
"""Width of the margin that holds the names of columns and rows."""

_HEAD: Final = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" width="{side}" height="{side}" \
font-family="Helvetica, Arial, 'Noto Sans CJK SC', sans-serif">
<title>{title}</title>
<defs>
<radialGradient id="black" cx="35%" cy="30%" r="75%"><stop offset="0" stop-color="#666"/>\
<stop offset="1" stop-color="#111"/></radialGradient>
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
    side = 2 * _NAMES + (size + 2 * _AROUND) * _CELL
    parts = [_HEAD.format(side=side, title=escape(plain_line(title)) or f"Daoqi, {size} × {size}")]
    parts += _svg_grid(game, style, side)
    ghosts, stones = _svg_stones(game)
    parts += [f"<g{_FAINT}>", *ghosts, "</g>", *stones, *_svg_signs(game), "</svg>\n"]
    return "\n".join(parts)


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
    side = 2 * _NAMES + (size + 2 * _AROUND) * _CELL
    # The last position stays for a few moves longer.
    frames = len(boards) + 4
    parts = [_HEAD.format(side=side, title=escape(plain_line(title)) or f"Daoqi, {size} × {size}")]
    rules = [f".s{{animation:{frames * seconds:g}s steps(1,end) infinite}}"]
    stones: list[str] = []
    for point in range(size * size):
        for colour, begin, end in _spans([board[point] for board in boards]):
            name = f"s{len(stones)}"
            stays = end == len(boards)
            rules.append(_blink(name, begin / frames, 1.0 if stays else end / frames))
            fill = "black" if colour == BLACK else "white"
            kind = "s" if stays else "s gone"
            row, column = divmod(point, size)
            copies = "".join(
                f'<circle cx="{_middle(across):g}" cy="{_middle(down):g}" r="{_CELL * 0.47:g}" fill="url(#{fill})" '
                f'stroke="#222" stroke-width="0.6"{"" if (down, across) == (row, column) else _FAINT}/>'
                for down in _copies(row, size)
                for across in _copies(column, size)
            )
            stones.append(f'<g id="{name}" class="{kind}">{copies}</g>')
    rules.append("@media (prefers-reduced-motion:reduce){.s{animation:none!important}.gone{opacity:0}}")
    style_sheet = f"<style>{''.join(rules)}</style>"
    return "\n".join([*parts, style_sheet, *_svg_grid(game, style, side), *stones, "</svg>\n"])


def _spans(colours: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield each stone that stood on a point: its colour, the position it came with, and the first without it."""
    begin = 0
    for place in range(1, len(colours) + 1):
        if place == len(colours) or colours[place] != colours[begin]:
            if colours[begin] != EMPTY:
                yield colours[begin], begin, place
            begin = place


def _copies(place: int, size: int) -> list[int]:
    """Return where a row or column and its copies are drawn."""
    return [each for each in (place - size, place, place + size) if -_AROUND <= each < size + _AROUND]


def _blink(name: str, begin: float, end: float) -> str:
    """Return the style rules of an element that is visible from one fraction of an animation to another."""
    hidden = "0%{opacity:0}" if begin else ""
    gone = f"{end:.4%}{{opacity:0}}" if end < 1 else ""
    return f"#{name}{{animation-name:{name}}}@keyframes {name}{{{hidden}{begin:.4%}{{opacity:1}}{gone}}}"


def _middle(place: int) -> float:
    """Return the coordinate of the middle of a row or column."""
    return _NAMES + (place + _AROUND + 0.5) * _CELL


def _svg_grid(game: Game, style: Style, side: int) -> list[str]:
    """Draw the lines, continued across the seam, the seam itself, and the coordinates."""
    size = game.torus.size
    low, high = _NAMES, side - _NAMES
    seam_low, seam_high = _middle(0) - _CELL / 2, _middle(size - 1) + _CELL / 2
    inner = _svg_lines(range(size), seam_low, seam_high)
    whole = _svg_lines(range(-_AROUND, size + _AROUND), low, high)
    length = seam_high - seam_low
    seam = f'<rect x="{seam_low:g}" y="{seam_low:g}" width="{length:g}" height="{length:g}" fill="none"'
    parts = [
        f'<path d="{whole}" stroke="#5a3c10" stroke-opacity="0.3" fill="none"/>',
        f'<path d="{inner}" stroke="#5a3c10" fill="none"/>',
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


def _svg_stones(game: Game) -> tuple[list[str], list[str]]:
    """Draw circles for the wrapped copies of stones outside the seam, and for the stones on the board."""
    size, colours = game.torus.size, game.board.colours
    ghosts: list[str] = []
    stones: list[str] = []
    reach = range(-_AROUND, size + _AROUND)
    for row in reach:
        for column in reach:
            colour = colours[game.torus.point(row, column)]
            if colour:
                inside = 0 <= row < size and 0 <= column < size
                fill = "black" if colour == BLACK else "white"
                place = f'cx="{_middle(column):g}" cy="{_middle(row):g}"'
                circle = f'<circle {place} r="{_CELL * 0.47:g}" fill="url(#{fill})" stroke="#222" stroke-width="0.6"/>'
                (stones if inside else ghosts).append(circle)
    return ghosts, stones


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


def _svg_place(game: Game, point: int) -> tuple[float, float, str]:
    """Return the middle of a point and the ink that shows there."""
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
