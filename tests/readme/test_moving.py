"""The animated picture of the README: its elements, and that only differences are drawn."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from rich.segment import Segment
from rich.style import Style

from tests.readme.moving import frame, moving_picture, with_few_colours
from tests.readme.recording import PICTURE

SVG = "{http://www.w3.org/2000/svg}"
WOOD = Style.parse("#ffffff on #aa7733")


def drawn(*rows: str) -> list[list[Segment]]:
    return [[Segment(row, WOOD)] for row in rows]


def groups(picture: str) -> list[ET.Element]:
    return list(ET.fromstring(picture).findall(f"{SVG}g"))


def test_a_frame_draws_what_differs_from_the_one_before() -> None:
    picture = moving_picture([frame(drawn("ab ", "   "), 1), frame(drawn("ab ", " c "), 3)], "a < b")
    first, second = groups(picture)
    assert [text.text for text in first.iter(f"{SVG}text")] == ["ab"]
    [text] = second.iter(f"{SVG}text")
    assert (text.text, text.get("x"), text.get("y"), text.get("textLength")) == ("c", "8", "28", "8")
    [paper] = second.iter(f"{SVG}path")
    assert (paper.get("fill"), paper.get("d")) == ("#a73", "M8 16h8v16h-8z")
    # It appears after a quarter of the total time.
    assert "@keyframes k1{25.00%{visibility:visible}}" in picture
    assert "animation:4.00s step-end infinite" in picture


def test_frames_alike_draw_nothing() -> None:
    same = frame(drawn("▀▄"), 1)
    assert len(groups(moving_picture([same, same], ""))) == 1


def test_half_cells_are_strokes_and_only_the_half_that_changed() -> None:
    picture = moving_picture([frame(drawn("▀▀"), 1), frame(drawn("▀█"), 1), frame(drawn("▀▄"), 1)], "")
    lines = [
        [(path.get("stroke"), path.get("d")) for path in group.iter(f"{SVG}path") if path.get("stroke")]
        for group in groups(picture)
    ]
    assert lines == [[("#a73", "M0 1h2"), ("#fff", "M0 0h2")], [], [("#a73", "M1 0h1")]]


def test_a_reader_who_asks_for_less_motion_sees_one_frame() -> None:
    frames = [frame(drawn(text), 1) for text in ("a", "a", "b", "c")]
    assert "{svg>g:nth-of-type(-n+2){visibility:visible}}" not in moving_picture(frames, "", 3)
    assert "svg>g:nth-of-type(-n+2){visibility:visible}}" in moving_picture(frames, "", 2)


def test_fewer_colours() -> None:
    shades = [[Segment("▀", Style.parse(f"#{shade:02x}0000 on #ffffff")) for shade in range(100, 120)]]
    [few] = with_few_colours([frame(shades, 1)], 2)
    assert len({cell.pen for cell in few.rows[0]} | {cell.paper for cell in few.rows[0]}) == 2


def test_the_picture_is_small_and_needs_nothing_from_elsewhere() -> None:
    text = PICTURE.read_text("utf-8")
    assert len(text.encode()) < 400 * 1024
    picture = ET.fromstring(text)
    assert {element.tag.removeprefix(SVG) for element in picture.iter()} == {
        "svg",
        "title",
        "style",
        "g",
        "path",
        "text",
    }
    assert "url(" not in text
    words = {each.text for each in picture.iter(f"{SVG}text")}
    assert "captured" in words, "the ladder was read"
    assert "×2" in words, "two stones were captured across the seam"
