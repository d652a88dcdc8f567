"""The picture at the top of the README: ``python -m tests.readme.bending`` regenerates it.

On the left is a board as ``export`` draws it; on the right the same board bends into the torus, turns once and becomes
flat again. It is an SVG that plays by itself in a browser, and shows the torus at rest to readers who prefer reduced
motion.
"""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

import numpy as np
from PIL import Image

from daoqi_tui.engine import Game
from daoqi_tui.pictures.palettes import BOARDS
from daoqi_tui.pictures.picture import Drawing, last_point
from daoqi_tui.pictures.pixels import still_of
from daoqi_tui.pictures.torus import Camera, PixelArray, Scene, render_frame
from tests.readme.pages import DOCS
from tests.readme.pictures import sample_game

PICTURE: Final = DOCS / "images" / "bending.svg"
_MOVES: Final = 115
_THEME: Final = "kaya"
_SIDE: Final = 400
"""The side of the board, and the height of the torus, in SVG units."""
_WIDE: Final = 460
"""The width of the torus, in SVG units."""
_GAP: Final = 20
_FINE: Final = 2
"""Pixels per unit of the board, which does not move."""
_TILT: Final = 0.75
_FACING: Final = (6.0, 3.0)
"""The row and column of the torus that face the viewer."""
_BENDING: Final = 20
_TURNING: Final = 26
"""The number of frames that bend the board, and that turn the torus."""
_FLAT_SECONDS, _BENDING_SECONDS, _TURNING_SECONDS, _TORUS_SECONDS = 1.4, 0.08, 0.11, 1.0
"""Seconds for the flat board, for each bending and each turning frame, and for the torus at rest."""


class Shown(NamedTuple):
    """Which picture is visible, and for how many seconds."""

    picture: int
    seconds: float


def cameras(size: int) -> Iterator[Camera]:
    """Yield the camera of each picture: flat, bending into the torus, and turning once."""
    middle, (row, column) = (size - 1) / 2, _FACING
    for step in range(_BENDING):
        share = step / _BENDING
        share *= share * (3 - 2 * share)
        yield Camera(middle + (column - middle) * share, middle + (row - middle) * share, _TILT * share, bend=share)
    for step in range(_TURNING):
        yield Camera(column + size * step / _TURNING, row, _TILT)


def moments() -> list[Shown]:
    """Return the whole sequence: bend, turn, and bend back through the same pictures."""
    torus = _BENDING
    bending = [Shown(picture, _BENDING_SECONDS) for picture in range(1, torus)]
    turning = [Shown(torus + step, _TURNING_SECONDS) for step in range(1, _TURNING)]
    return [
        Shown(0, _FLAT_SECONDS),
        *bending,
        Shown(torus, _TORUS_SECONDS),
        *turning,
        Shown(torus, _TORUS_SECONDS),
        *reversed(bending),
    ]


def playing_picture(pictures: Sequence[bytes], shown: Sequence[Shown], still: int, where: str) -> str:
    """Return SVG elements of WebP files that are shown one at a time.

    Args:
        pictures: the files.
        shown: the sequence, which repeats from its start.
        still: the picture shown to readers who prefer reduced motion.
        where: the attributes that position each picture.
    """
    length = sum(moment.seconds for moment in shown)
    begins = [100 * begin / length for begin in accumulate((moment.seconds for moment in shown), initial=0.0)]
    styles = []
    for number in range(len(pictures)):
        steps = [("hidden", 0.0)]
        for moment, (begin, end) in zip(shown, pairwise(begins), strict=True):
            if moment.picture == number:
                steps += [("visible", begin), ("hidden", end)]
        frames = "".join(f"{at:.2f}%{{visibility:{state}}}" for state, at in steps if at < 100)
        styles.append(f"#p{number}{{animation-name:k{number}}}@keyframes k{number}{{{frames}}}")
    images = [
        f'<image id="p{number}" class="p" {where} href="data:image/webp;base64,{b64encode(file).decode()}"/>'
        for number, file in enumerate(pictures)
    ]
    return (
        f"<style>.p{{visibility:hidden;animation:{length:.2f}s step-end infinite}}{''.join(styles)}"
        "@media (prefers-reduced-motion:reduce){.p{animation:none!important}"
        f"#p{still}{{visibility:visible}}}}</style>" + "\n".join(images)
    )


def _webp(pixels: PixelArray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "WEBP", quality=50, method=6)
    return file.getvalue()


def _fitted(picture: Image.Image, side: int) -> Image.Image:
    return picture.convert("RGB").resize((side, side), Image.Resampling.LANCZOS)


def draw(game: Game) -> str:
    """Return the whole SVG of a position."""
    theme, size = BOARDS[_THEME], game.torus.size
    board = _fitted(Image.open(io.BytesIO(still_of(game, Drawing(_THEME, point=48, margin=1)))), _FINE * _SIDE)
    scene = Scene(bytes(game.board.colours), size, theme.bright, theme.frame, last_point(game))
    pictures = [_webp(render_frame(scene, each, each.frame(_WIDE, _SIDE))) for each in cameras(size)]
    width, sky = _SIDE + _GAP + _WIDE, "#{:02x}{:02x}{:02x}".format(*theme.frame)
    title = escape("A game of Daoqi on its endless board, which is bent into a torus")
    flat = b64encode(_webp(np.asarray(board))).decode()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_SIDE}" width="{width}" height="{_SIDE}">'
        f'<title>{title}</title><path fill="{sky}" d="M0 0h{width}v{_SIDE}H0z"/>'
        f'<image width="{_SIDE}" height="{_SIDE}" href="data:image/webp;base64,{flat}"/>'
        + playing_picture(pictures, moments(), _BENDING, f'x="{_SIDE + _GAP}" width="{_WIDE}" height="{_SIDE}"')
        + "</svg>\n"
    )


def main() -> None:
    """Write the picture."""
    picture = draw(sample_game(_MOVES))
    PICTURE.write_text(picture, encoding="utf-8")
    print(f"{PICTURE.name}: {len(picture.encode()) / 1024:.0f} KB")  # noqa: T201


if __name__ == "__main__":
    main()
