"""A position as an SVG picture, with what lies round the edge shown faintly outside the seam."""

from __future__ import annotations

from html import escape
from typing import Final

from daoqi_tui.engine import BLACK, Game, Style
from daoqi_tui.record.markup import Mark, labels, marks
from daoqi_tui.record.picture import column_names, last_point, row_names
from daoqi_tui.record.text import plain_line

_CELL: Final = 30
_AROUND: Final = 1
"""Rows and columns of the other side repeated outside the seam."""
_NAMES: Final = 26
"""Room for the names of columns and rows."""

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
    """The position at the cursor, last move, labels and marks included.

    Args:
        game: the game.
        style: how columns and rows are named.
        title: what a viewer shows as the picture's name.
    """
    size = game.torus.size
    side = 2 * _NAMES + (size + 2 * _AROUND) * _CELL
    parts = [_HEAD.format(side=side, title=escape(plain_line(title)) or f"Daoqi, {size} × {size}")]
    parts += _grid(game, style, side)
    ghosts, stones = _stones(game)
    parts += ['<g opacity="0.35">', *ghosts, "</g>", *stones, *_signs(game), "</svg>\n"]
    return "\n".join(parts)


def _at(place: int) -> float:
    """The coordinate of the middle of a row or column."""
    return _NAMES + (place + _AROUND + 0.5) * _CELL


def _grid(game: Game, style: Style, side: int) -> list[str]:
    """Lines that run on over the seam, the seam itself, and names."""
    size = game.torus.size
    low, high = _NAMES, side - _NAMES
    seam_low, seam_high = _at(0) - _CELL / 2, _at(size - 1) + _CELL / 2
    inner = _lines(range(size), seam_low, seam_high)
    whole = _lines(range(-_AROUND, size + _AROUND), low, high)
    length = seam_high - seam_low
    seam = f'<rect x="{seam_low:g}" y="{seam_low:g}" width="{length:g}" height="{length:g}" fill="none"'
    parts = [
        f'<path d="{whole}" stroke="#5a3c10" stroke-opacity="0.3" fill="none"/>',
        f'<path d="{inner}" stroke="#5a3c10" fill="none"/>',
        f'{seam} stroke="#9c2f1f" stroke-opacity="0.6" stroke-dasharray="5 5"/>',
        '<g font-size="13" fill="#5a3c10" text-anchor="middle">',
    ]
    for place, name in enumerate(column_names(game, style)):
        parts += [f'<text x="{_at(place):g}" y="{y:g}">{name}</text>' for y in (_NAMES * 0.7, side - _NAMES * 0.35)]
    for place, name in enumerate(row_names(game, style)):
        parts += [f'<text x="{x:g}" y="{_at(place) + 5:g}">{name}</text>' for x in (_NAMES * 0.5, side - _NAMES * 0.5)]
    return [*parts, "</g>"]


def _lines(places: range, start: float, end: float) -> str:
    """The path of a line across and a line down at each of ``places``, from ``start`` to ``end``."""
    return "".join(f"M{start:g} {_at(n):g}H{end:g}M{_at(n):g} {start:g}V{end:g}" for n in places)


def _stones(game: Game) -> tuple[list[str], list[str]]:
    """Circles for the stones seen again outside the seam, and for those on the board."""
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
                place = f'cx="{_at(column):g}" cy="{_at(row):g}"'
                circle = f'<circle {place} r="{_CELL * 0.47:g}" fill="url(#{fill})" stroke="#222" stroke-width="0.6"/>'
                (stones if inside else ghosts).append(circle)
    return ghosts, stones


def _signs(game: Game) -> list[str]:
    """The ring on the last stone, marks and labels."""
    size = game.torus.size
    parts = []
    last = last_point(game)
    shown_labels = labels(game.node, size)
    shown_marks = marks(game.node, size)
    if last is not None and last not in shown_labels and last not in shown_marks:
        x, y, ink = _place(game, last)
        parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{_CELL * 0.22:g}" fill="none" stroke="{ink}" stroke-width="2"/>'
        )
    for point, mark in shown_marks.items():
        x, y, ink = _place(game, point)
        parts.append(f'<path d="{_mark_path(mark, x, y)}" fill="none" stroke="{ink}" stroke-width="2"/>')
    for point, label in shown_labels.items():
        x, y, ink = _place(game, point)
        text = escape(plain_line(label)[:4])
        if not game.board.colours[point]:
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{_CELL * 0.36:g}" fill="#e3b768"/>')
        font = f'font-size="{16 if len(text) < 3 else 11}"'
        parts.append(f'<text x="{x:g}" y="{y + 5:g}" {font} text-anchor="middle" fill="{ink}">{text}</text>')
    return parts


def _place(game: Game, point: int) -> tuple[float, float, str]:
    """The middle of a point and the ink that shows there."""
    row, column = game.torus.position(point)
    return _at(column), _at(row), "#fff" if game.board.colours[point] == BLACK else "#111"


def _mark_path(mark: Mark, x: float, y: float) -> str:
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
