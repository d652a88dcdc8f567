"""An animated picture (SVG) of the program's window: each frame draws what differs from the one before.

A reader who asks for less motion sees one frame. The pictures are WebP files inside the SVG, which needs no others. All
that is flat has the same few colours in all frames, exactly, and what differs of it is one picture with holes; a torus
in the light has thousands, and is shorter with small losses.
"""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import accumulate
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_QUALITY: Final = 25
_COLOURS: Final = 40
_ALIKE: Final = 6
"""The greatest difference of a channel that is not drawn."""
_WORTH: Final = 1.5
"""How much longer a picture without losses may be: the next ones need not mend what it would lose."""
_SAMPLED: Final = 11
"""About how many frames are looked at for the colours."""

_Pixels = NDArray[np.uint8]


class Frame(NamedTuple):
    """A picture of the window, and for how many seconds it is shown."""

    picture: Image.Image
    seconds: float


class _Part(NamedTuple):
    """What changes in a frame: its upper left corner and size, and the file of a picture."""

    corner: tuple[int, int]
    size: tuple[int, int]
    file: bytes


def _parts(frames: Sequence[Frame]) -> Iterator[_Part | None]:
    """Yield what each frame changes, None if nothing."""
    pictures = [frame.picture.convert("RGB") for frame in frames]
    colours = _few_colours(pictures)
    before = shown = None
    for picture in pictures:
        true, flat = np.asarray(picture), np.asarray(_in_colours(picture, colours))
        # What is shown may have small losses, or fewer colours than what was to be.
        changes = _everywhere(true) if before is None else (true != before).any(2)
        differs = _everywhere(true) if shown is None else np.abs(flat.astype(int) - shown).max(2) > _ALIKE
        before = true
        if not (changes.any() and differs.any()):
            yield None
            continue
        exact, lossy = _exact(flat, differs), _part(picture, _box(changes), quality=_QUALITY)
        if shown is None or len(exact.file) <= _WORTH * len(lossy.file):
            shown = flat if shown is None else np.where(differs[:, :, None], flat, shown)
            yield exact
        else:
            decoded = Image.fromarray(shown)
            decoded.paste(Image.open(io.BytesIO(lossy.file)), lossy.corner)
            shown = np.asarray(decoded)
            yield lossy


def _everywhere(pixels: _Pixels) -> NDArray[np.bool_]:
    return np.full(pixels.shape[:2], fill_value=True)


def _few_colours(pictures: Sequence[Image.Image]) -> Image.Image:
    """Return a picture with the palette of them all."""
    sampled = np.concatenate([np.asarray(picture) for picture in pictures[:: max(1, len(pictures) // _SAMPLED)]])
    return Image.fromarray(sampled).quantize(_COLOURS, method=Image.Quantize.MEDIANCUT, kmeans=2)


def _in_colours(picture: Image.Image, colours: Image.Image) -> Image.Image:
    return picture.quantize(palette=colours, dither=Image.Dither.NONE).convert("RGB")


def _box(differs: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    rows, columns = (np.flatnonzero(differs.any(axis)) for axis in (1, 0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _exact(pixels: _Pixels, differs: NDArray[np.bool_]) -> _Part:
    """Return the pixels that differ; the others are transparent."""
    opacity = np.where(differs, 255, 0).astype(np.uint8)
    with_holes = np.dstack([np.where(differs[:, :, None], pixels, 0).astype(np.uint8), opacity])
    return _part(Image.fromarray(with_holes), _box(differs), lossless=True)


def _part(picture: Image.Image, box: tuple[int, int, int, int], **options: object) -> _Part:
    file, cut = io.BytesIO(), picture.crop(box)
    cut.save(file, "WEBP", method=6, **options)
    return _Part(box[:2], cut.size, file.getvalue())


def _element(part: _Part) -> str:
    (x, y), (width, height) = part.corner, part.size
    href = f"data:image/webp;base64,{b64encode(part.file).decode()}"
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
        for number, (begin, part) in enumerate(zip(begins, _parts(frames), strict=False))
        if part is not None
    ]
    shown = sum(number <= still for number, _begin, _part in parts)
    styles = [
        f"svg>image{{visibility:hidden;animation:{length:.2f}s step-end infinite}}",
        *_appearances([100 * begin / length for _number, begin, _part in parts]),
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


def _appearances(percents: Iterable[float]) -> Iterator[str]:
    """Yield the rules by which one picture after another appears."""
    for place, percent in enumerate(percents, 1):
        yield f"svg>image:nth-of-type({place}){{animation-name:k{place}}}"
        yield f"@keyframes k{place}{{{percent:.2f}%{{visibility:visible}}}}"
