"""An animated picture of a terminal window, as an SVG that plays by itself in a browser.

Each frame adds what differs from the previous one, and stays; at its end the animation repeats. Block and line
characters are shapes, so that they meet at the edges of their cells; text is placed word by word and stretched to its
cells, so that any monospaced font will do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from PIL import Image
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from tests.readme.cells import BLOCKS, LINES

WIDTH: Final = 8
HEIGHT: Final = 16
"""The size of a cell in SVG units; block characters use eighths of it."""
_PAPER: Final = "#18140f"
_PEN: Final = "#e0e0e0"
_FONT: Final = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace"


Box: TypeAlias = tuple[int, int, int, int, str]
"""Left, top, width and height in units, and a colour."""


class Cell(NamedTuple):
    """One character of a window."""

    sign: str
    pen: str
    paper: str
    bold: bool = False
    underline: bool = False


class Frame(NamedTuple):
    """The contents of a window, and how many seconds they are shown."""

    rows: tuple[tuple[Cell, ...], ...]
    seconds: float


def frame(rows: Iterable[Iterable[Segment]], seconds: float) -> Frame:
    """Return a frame with the rows of a window."""
    return Frame(tuple(tuple(_cells(row)) for row in rows), seconds)


def with_few_colours(frames: Sequence[Frame], count: int) -> list[Frame]:
    """Return the same frames with ``count`` colours, which saves space where there are shades."""
    colours = [colour for each in frames for row in each.rows for cell in row for colour in (cell.pen, cell.paper)]
    image = Image.new("RGB", (len(colours), 1))
    image.putdata([tuple(bytes.fromhex(colour[1:])) for colour in colours])
    quantized = image.quantize(count, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).convert("RGB").tobytes()
    few = {colour: f"#{quantized[3 * place : 3 * place + 3].hex()}" for place, colour in enumerate(colours)}
    return [
        Frame(
            tuple(tuple(cell._replace(pen=few[cell.pen], paper=few[cell.paper]) for cell in row) for row in each.rows),
            each.seconds,
        )
        for each in frames
    ]


def _cells(row: Iterable[Segment]) -> Iterable[Cell]:
    for text, style, _control in row:
        pen, paper, bold, underline = _look(style or Style.null())
        for sign in text:
            yield Cell(" " if sign.isspace() else sign, pen, paper, bold, underline)


def _look(style: Style) -> tuple[str, str, bool, bool]:
    pen, paper = _hex(style.color, _PEN), _hex(style.bgcolor, _PAPER)
    if style.reverse:
        pen, paper = paper, pen
    return pen, paper, bool(style.bold), bool(style.underline)


def _hex(colour: Color | None, default: str) -> str:
    return default if colour is None or colour.is_default else colour.get_truecolor().hex


def moving_picture(frames: Sequence[Frame], title: str, still: int = 0) -> str:
    """Return the SVG of frames of the same size.

    Args:
        frames: the frames.
        title: the title of the picture.
        still: the frame shown to readers who prefer reduced motion.
    """
    columns, rows = len(frames[0].rows[0]), len(frames[0].rows)
    width, height = columns * WIDTH, rows * HEIGHT
    length = sum(each.seconds for each in frames)
    styles, groups, begun = [], [], 0.0
    shown_still = 0
    shown: tuple[tuple[Cell, ...], ...] = ()
    for number, each in enumerate(frames):
        drawing = _changes(shown, each.rows)
        if drawing and number:
            at = f"{100 * begun / length:.2f}%"
            styles.append(f"#f{number}{{animation-name:k{number}}}@keyframes k{number}{{{at}{{visibility:visible}}}}")
        if drawing:
            groups.append(f'<g id="f{number}">{drawing}</g>')
        if number == still:
            shown_still = len(groups)
        shown, begun = each.rows, begun + each.seconds
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"<title>{escape(title)}</title><style>"
        f"text{{font-family:{_FONT};font-size:13px;white-space:pre}}path{{shape-rendering:crispEdges}}.b{{font-weight:bold}}"
        # Once shown, a frame stays visible, below the later ones.
        f"svg>g+g{{visibility:hidden;animation:{length:.2f}s step-end infinite}}"
        + "".join(styles)
        + "@media (prefers-reduced-motion:reduce){svg>g+g{animation:none!important}"
        + f"svg>g:nth-of-type(-n+{shown_still}){{visibility:visible}}}}"
        + f'</style><path fill="{_PAPER}" d="M0 0h{width}v{height}h-{width}z"/>'
        + "\n".join(groups)
        + "</svg>\n"
    )


def _changes(before: tuple[tuple[Cell, ...], ...], after: tuple[tuple[Cell, ...], ...]) -> str:
    """Return what must be drawn over one window to turn it into another."""
    paper: list[Box] = []
    shapes: list[Box] = []
    texts: list[str] = []
    for row, cells in enumerate(after):
        old = before[row] if before else ()
        changed = [column for column, cell in enumerate(cells) if not old or old[column] != cell]
        for start, end in _runs(changed):
            y = row * HEIGHT
            for column in range(start, end):
                cell, x = cells[column], column * WIDTH
                halves, were = _halves(cell), _halves(old[column]) if old else None
                if halves is not None and len(set(halves)) > 1:
                    for half, colour in enumerate(halves):
                        if were is None or were[half] != colour:
                            shapes.append((x, y + half * WIDTH, WIDTH, WIDTH, colour))
                    continue
                paper.append((x, y, WIDTH, HEIGHT, cell.paper))
                for left, top, right, bottom in _boxes(cell):
                    shapes.append((x + left, y + top, right - left, bottom - top, cell.pen))
            texts += _words(cells, row, start, end)
    return _paths(paper) + _paths(shapes) + "".join(texts)


def _runs(columns: list[int]) -> list[tuple[int, int]]:
    """Return adjacent columns as pairs of start and end."""
    if not columns:
        return []
    breaks = [0, *(place + 1 for place, (a, b) in enumerate(pairwise(columns)) if b != a + 1), len(columns)]
    return [(columns[start], columns[end - 1] + 1) for start, end in pairwise(breaks)]


def _halves(cell: Cell) -> tuple[str, str] | None:
    """Return the colours of the upper and lower half of a cell made of halves; None for any other cell."""
    if cell.underline or cell.sign not in " ▀▄█":
        return None
    return cell.pen if cell.sign in "▀█" else cell.paper, cell.pen if cell.sign in "▄█" else cell.paper


def _boxes(cell: Cell) -> Iterable[tuple[int, int, int, int]]:
    """Yield the filled parts of a cell, in units: left, top, right, bottom."""
    for left, top, right, bottom in BLOCKS.get(cell.sign, ()):
        yield left * WIDTH // 8, top * HEIGHT // 8, right * WIDTH // 8, bottom * HEIGHT // 8
    sides = LINES.get(cell.sign, "")
    middle_x, middle_y = WIDTH // 2, HEIGHT // 2
    if "left" in sides:
        yield 0, middle_y, middle_x + 1, middle_y + 1
    if "right" in sides:
        yield middle_x, middle_y, WIDTH, middle_y + 1
    if "up" in sides:
        yield middle_x, 0, middle_x + 1, middle_y + 1
    if "down" in sides:
        yield middle_x, middle_y, middle_x + 1, HEIGHT
    if cell.underline:
        yield 0, HEIGHT - 1, WIDTH, HEIGHT


def _paths(boxes: list[Box]) -> str:
    """Return boxes as one path per colour, merging those that share a whole side."""
    wide: list[Box] = []
    for x, y, width, height, colour in sorted(boxes, key=lambda box: (box[4], box[1], box[3], box[0])):
        if wide and wide[-1][1:2] + wide[-1][3:] == (y, height, colour) and wide[-1][0] + wide[-1][2] == x:
            x, width = wide[-1][0], wide[-1][2] + width
            wide.pop()
        wide.append((x, y, width, height, colour))
    pixels = [box for box in wide if box[3] == WIDTH and not any(side % WIDTH for side in box[:3])]
    return _filled([box for box in wide if box not in set(pixels)]) + _stroked(pixels)


def _stroked(boxes: list[Box]) -> str:
    """Return half cells as strokes, which take half as much text as boxes; the 3-D torus consists of them."""
    paths: dict[str, list[str]] = defaultdict(list)
    for x, y, width, _height, colour in boxes:
        paths[colour].append(f"M{x // WIDTH} {y // WIDTH}h{width // WIDTH}")
    strokes = (f'<path stroke="{_short(colour)}" d="{"".join(parts)}"/>' for colour, parts in paths.items())
    return f'<g class="p" transform="scale({WIDTH})translate(0 .5)">{"".join(strokes)}</g>' if boxes else ""


def _filled(wide: list[Box]) -> str:
    tall: list[Box] = []
    for x, y, width, height, colour in sorted(wide, key=lambda box: (box[4], box[0], box[2], box[1])):
        if tall and (tall[-1][0], *tall[-1][2:3], tall[-1][4]) == (x, width, colour) and tall[-1][1] + tall[-1][3] == y:
            y, height = tall[-1][1], tall[-1][3] + height
            tall.pop()
        tall.append((x, y, width, height, colour))
    paths: dict[str, list[str]] = defaultdict(list)
    for x, y, width, height, colour in tall:
        paths[colour].append(f"M{x} {y}h{width}v{height}h-{width}z")
    return "".join(f'<path fill="{_short(colour)}" d="{"".join(parts)}"/>' for colour, parts in paths.items())


def _words(cells: Sequence[Cell], row: int, start: int, end: int) -> Iterable[str]:
    """Yield words, each stretched to its cells."""
    column = start
    while column < end:
        cell = cells[column]
        if cell.sign == " " or cell.sign in BLOCKS or cell.sign in LINES:
            column += 1
            continue
        stop = column
        while stop < end and cells[stop].sign not in {" ", *BLOCKS, *LINES} and cells[stop][1::2] == cell[1::2]:
            stop += 1
        text = escape("".join(each.sign for each in cells[column:stop]), quote=False)
        bold = ' class="b"' if cell.bold else ""
        yield (
            f'<text x="{column * WIDTH}" y="{row * HEIGHT + 12}" fill="{_short(cell.pen)}"{bold} '
            f'textLength="{(stop - column) * WIDTH}" lengthAdjust="spacingAndGlyphs">{text}</text>'
        )
        column = stop


def _short(colour: str) -> str:
    return "#" + colour[1::2] if colour[1::2] == colour[2::2] else colour
