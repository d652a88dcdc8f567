"""An animated picture (SVG) of the program's window: each frame draws what differs from the one before.

A reader who asks for less motion sees one frame. The pictures are WebP files inside the SVG, which needs no others.
"""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops

_QUALITY: Final = 45
_SMALL: Final = 60_000
"""Pixels of a part below which nothing is lost: the edges of many small ones would be seen."""
_GAP: Final = 8
"""Rows or columns without a difference that are worth a cut."""


class Frame(NamedTuple):
    """A picture of the window, and for how many seconds it is shown."""

    picture: Image.Image
    seconds: float


class _Part(NamedTuple):
    """A part of a frame: its upper left corner, and the picture."""

    corner: tuple[int, int]
    picture: Image.Image


def _parts(frames: Sequence[Frame]) -> Iterable[list[_Part]]:
    """Yield the parts of each frame that differ from the one before."""
    yield [_Part((0, 0), frames[0].picture)]
    for before, frame in pairwise(frames):
        differs = np.asarray(ImageChops.difference(before.picture, frame.picture)).any(axis=2)
        yield [_Part(box[:2], frame.picture.crop(box)) for box in _boxes(differs, (0, 0))]


def _boxes(differs: NDArray[np.bool_], corner: tuple[int, int]) -> Iterable[tuple[int, int, int, int]]:
    """Yield rectangles around all that differs, cut where some rows or columns do not."""
    for axis in (0, 1):
        places = np.flatnonzero(differs.any(axis=1 - axis))
        if not places.size:
            return
        cuts = np.flatnonzero(np.diff(places) > _GAP)
        begins, ends = places[[0, *cuts + 1]], places[[*cuts, -1]] + 1
        if len(begins) > 1 or ends[0] - begins[0] < differs.shape[axis]:
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
                part = differs[begin:end] if axis == 0 else differs[:, begin:end]
                x, y = corner
                yield from _boxes(part, (x, y + begin) if axis == 0 else (x + begin, y))
            return
    x, y = corner
    yield x, y, x + differs.shape[1], y + differs.shape[0]


def _element(part: _Part) -> str:
    file = io.BytesIO()
    (x, y), (width, height) = part.corner, part.picture.size
    part.picture.save(file, "WEBP", quality=_QUALITY, method=4, lossless=width * height < _SMALL)
    href = f"data:image/webp;base64,{b64encode(file.getvalue()).decode()}"
    return f'<image x="{x}" y="{y}" width="{width}" height="{height}" href="{href}"/>'


def moving_picture(frames: Sequence[Frame], title: str, still: int = 0) -> str:
    """Return the whole SVG of an animation that repeats.

    Args:
        frames: the frames, all of one size.
        title: the title for readers who do not see it.
        still: the frame shown to readers who prefer reduced motion.
    """
    length = sum(frame.seconds for frame in frames)
    begins = accumulate((frame.seconds for frame in frames), initial=0.0)
    parts = [
        (number, begin, part)
        for number, (begin, some) in enumerate(zip(begins, _parts(frames), strict=False))
        for part in some
    ]
    shown = sum(number <= still for number, _begin, _part in parts)
    styles = [
        f"svg>image{{visibility:hidden;animation:{length:.2f}s step-end infinite}}",
        *(
            f"svg>image:nth-of-type({place}){{animation-name:k{place}}}"
            f"@keyframes k{place}{{{100 * begin / length:.2f}%{{visibility:visible}}}}"
            for place, (_number, begin, _part) in enumerate(parts, 1)
        ),
        "@media (prefers-reduced-motion:reduce){svg>image{animation:none!important}",
        f"svg>image:nth-of-type(-n+{shown}){{visibility:visible}}}}",
    ]
    width, height = frames[0].picture.size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"<title>{escape(title)}</title><style>{''.join(styles)}</style>\n"
        + "\n".join(_element(part) for _number, _begin, part in parts)
        + "\n</svg>\n"
    )
