"""The boards for terminals of sixteen colours, each told by its ground: light ones light, dark ones dark.

Every colour is one of rich's standard palette, so that none is moved to a neighbour. Terminals show the sixteen each
in its own way, so black and white stones differ by shape there, and nothing but the ground relies on a hue. What
one calls silver is all but white on another: on grounds as light as that White's stones are rings of black ink.
"""

from __future__ import annotations

from typing import Final

from daoqi_tui.tui.palette import RGB, Palette, Shades

_BLACK: Final[RGB] = (0, 0, 0)
_GREY: Final[RGB] = (85, 85, 85)
_SILVER: Final[RGB] = (170, 170, 170)
_WHITE: Final[RGB] = (255, 255, 255)
_RED: Final[RGB] = (170, 0, 0)
_BROWN: Final[RGB] = (170, 85, 0)
_GREEN: Final[RGB] = (0, 170, 0)
_BLUE: Final[RGB] = (0, 0, 170)
_CYAN: Final[RGB] = (0, 170, 170)
_LIGHT_RED: Final[RGB] = (255, 85, 85)
_LIGHT_BLUE: Final[RGB] = (85, 85, 255)
_LIGHT_CYAN: Final[RGB] = (85, 255, 255)
_YELLOW: Final[RGB] = (255, 255, 85)

_PALE: Final = (_SILVER, _WHITE)

DARK: Final = "sixteen"
LIGHT: Final = "sixteen-light"
"""The frames the boards lie in."""


class _Unmixed(Shades):
    """Shades between which there are none: the sizes of marks alone tell how sure an owner is."""

    __slots__ = ()

    def _towards(self, area: RGB, share: float) -> RGB:  # noqa: ARG002 (nothing lies between)
        return area


def _board(
    ground: RGB,
    copies: RGB,
    *,
    line: RGB = _BLACK,
    copied_line: RGB = _BLACK,
    seam: RGB = _RED,
    cursor: RGB = _RED,
    last: RGB = _LIGHT_RED,
    chain: RGB = _CYAN,
    liberty: RGB = _LIGHT_CYAN,
    refused: RGB = _RED,
    light: bool = False,
) -> Palette:
    """A board of a ground, a ground of its copies, and its signs."""
    # A stone of the ground's own colour would not be seen.
    black_ghost = _BLACK if ground == _GREY else _GREY
    white = _BLACK if ground in _PALE else _WHITE
    bright = _Unmixed(
        board=ground,
        line=line,
        seam=seam,
        black=_BLACK,
        black_shine=_BLACK,
        white=white,
        white_shade=_WHITE,
        black_ghost=black_ghost,
        white_ghost=_GREY if ground in _PALE else _SILVER,
        cursor=cursor,
        last=last,
        chain=chain,
        liberty=liberty,
        black_area=_BLACK,
        white_area=white,
        refused=refused,
        label=_BLACK if light else _WHITE,
        label_mark=liberty,
    )
    black = _BLACK if copies == _GREY else _GREY
    white = _GREY if copies in _PALE else _SILVER
    dim = bright._replace(
        board=copies,
        line=copied_line,
        black=black,
        black_shine=black,
        white=white,
        white_shade=_SILVER,
        black_ghost=black,
        white_ghost=white,
        chain=_BLUE if copies != _BLUE else _CYAN,
        black_area=black,
        white_area=white,
        label=_GREY if light else _SILVER,
    )
    return Palette(LIGHT if light else DARK, bright, dim, _WHITE if light else _BLACK)


BOARDS16: Final = {
    "kaya": _board(_BROWN, _GREY),
    "slate": _board(_CYAN, _GREY, chain=_BLUE, liberty=_YELLOW, seam=_YELLOW),
    "paper": _board(
        _SILVER, _WHITE, line=_GREY, copied_line=_SILVER, last=_RED, chain=_YELLOW, liberty=_BLUE, light=True
    ),
    "night": _board(_GREY, _BLACK, line=_BLUE, copied_line=_BLUE, seam=_CYAN, cursor=_YELLOW, chain=_BLUE),
    "jade": _board(_GREEN, _GREY, seam=_YELLOW, cursor=_YELLOW, liberty=_BLUE),
    "contrast": _board(
        _LIGHT_BLUE, _BLACK, copied_line=_GREY, seam=_YELLOW, cursor=_YELLOW, last=_YELLOW, chain=_BLUE, liberty=_YELLOW
    ),
    "deuteranopia": _board(
        _SILVER,
        _GREY,
        line=_GREY,
        seam=_BLUE,
        cursor=_BLUE,
        last=_LIGHT_BLUE,
        chain=_YELLOW,
        liberty=_BLUE,
        refused=_LIGHT_BLUE,
    ),
}
"""By the names of the boards."""
