"""The picture at the top of the README: its frames are in order, and it needs no external resources."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
from PIL import Image

from tests.readme.bending import PICTURE, Shown, cameras, moments, playing_picture

SVG = "{http://www.w3.org/2000/svg}"


def test_it_goes_from_the_flat_board_to_the_torus_and_back_without_a_leap() -> None:
    shown = list(cameras(16))
    bends = [shown[moment.picture].bend for moment in moments()]
    assert min(bends) == bends[0] == 0
    assert max(bends) == 1
    assert max(abs(one - other) for one, other in pairwise([*bends, bends[0]])) < 0.15
    columns = [shown[moment.picture].column for moment in moments()]
    assert all(abs((one - other + 8) % 16 - 8) < 1.2 for one, other in pairwise([*columns, columns[0]]))


def test_one_picture_shows_at_a_time_and_one_alone_without_motion() -> None:
    text = playing_picture([b"one", b"two"], [Shown(0, 1), Shown(1, 2), Shown(0, 1)], 1, "")
    assert "animation:4.00s step-end infinite" in text
    first, second = re.findall(r"@keyframes k\d\{(.*?\})\}", text)
    hidden, visible = "{visibility:hidden}", "{visibility:visible}"
    assert first == f"0.00%{hidden}0.00%{visible}25.00%{hidden}75.00%{visible}"
    assert second == f"0.00%{hidden}25.00%{visible}75.00%{hidden}"
    assert "@media (prefers-reduced-motion:reduce){.p{animation:none!important}#p1{visibility:visible}}" in text


def test_the_picture_in_the_readme_is_small_and_whole() -> None:
    text = PICTURE.read_text("utf-8")
    assert len(text.encode()) < 750 * 1024
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    board, *torus = ET.fromstring(text).findall(f"{SVG}image")
    assert len(torus) == len(list(cameras(16)))
    files = [b64decode((image.get("href") or "").partition(",")[2]) for image in (board, *torus)]
    pixels = [np.asarray(Image.open(io.BytesIO(file)).convert("RGB")) for file in files]
    assert pixels[0].shape[0] == 2 * int(board.get("height") or 0), "the board is as fine as the best screens"
    assert len({each.shape for each in pixels[1:]}) == 1
