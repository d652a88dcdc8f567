"""The animated picture of the README: only differences are drawn, and it needs nothing from elsewhere."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from xml.etree import ElementTree as ET

from PIL import Image, ImageChops

from tests.readme.moving import Frame, moving_picture
from tests.readme.pages import DOCS
from tests.readme.recording import PICTURE, WINDOW

SVG = "{http://www.w3.org/2000/svg}"
_SHOTS = 3
"""Screenshots of the window, each in two languages."""


def window(*boxes: tuple[int, int, int, int]) -> Image.Image:
    picture = Image.new("RGB", (80, 40))
    for box in boxes:
        picture.paste((255, 255, 255), box)
    return picture


def images(picture: str) -> list[ET.Element]:
    return list(ET.fromstring(picture).findall(f"{SVG}image"))


def place(image: ET.Element) -> list[str | None]:
    return [image.get(name) for name in ("x", "y", "width", "height")]


def pixels(image: ET.Element) -> Image.Image:
    kind, data = (image.get("href") or "").split(",", 1)
    assert kind == "data:image/webp;base64"
    return Image.open(io.BytesIO(b64decode(data)))


def test_a_frame_draws_what_differs_from_the_one_before() -> None:
    box = (20, 10, 50, 30)
    picture = moving_picture([Frame(window(), 1), Frame(window(box), 2), Frame(window(box), 1)], "a < b")
    assert "<title>a &lt; b</title>" in picture
    first, second = images(picture)
    assert place(first) == ["0", "0", "80", "40"]
    assert place(second) == ["20", "10", "30", "20"]
    assert pixels(second).convert("L").getextrema()[0] > 240  # type: ignore[operator]
    # It appears after a quarter of the total time.
    assert "@keyframes k2{25.00%{visibility:visible}}" in picture
    assert "animation:4.00s step-end infinite" in picture


def test_one_picture_with_holes_draws_all_that_differs() -> None:
    frames = [window(), window((4, 4, 12, 12), (60, 20, 76, 36)), window((60, 20, 68, 36))]
    whole, *later = images(moving_picture([Frame(each, 1) for each in frames], ""))
    shown = pixels(whole).convert("RGB")
    for image, frame in zip(later, frames[1:], strict=True):
        part = pixels(image).convert("RGBA")
        shown.paste(part, (int(image.get("x", "")), int(image.get("y", ""))), part)
        assert ImageChops.difference(shown, frame).getextrema() == ((0, 0),) * 3


def test_a_reader_who_asks_for_less_motion_sees_one_frame() -> None:
    frames = [Frame(window(*[(0, 0, 8 * size, 8)] * bool(size)), 1) for size in (0, 0, 1, 2)]
    assert "svg>image:nth-of-type(-n+1){visibility:visible}}" in moving_picture(frames, "", 1)
    assert "svg>image:nth-of-type(-n+2){visibility:visible}}" in moving_picture(frames, "", 2)


def test_the_pictures_of_the_readme_are_small_and_need_nothing_from_elsewhere() -> None:
    text = PICTURE.read_text("utf-8")
    assert len(text.encode()) < 250 * 1000
    assert not re.search(r"https?://(?!www\.w3\.org)|url\(", text)
    whole, *parts = images(text)
    assert pixels(whole).size == WINDOW
    assert len(parts) > 30
    shots = sorted((DOCS / "images").glob("*.png"))
    assert len(shots) == 2 * _SHOTS
    assert [shot.name for shot in shots if shot.stat().st_size > 150 * 1024] == []
