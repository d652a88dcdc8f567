"""Tests that a compact strip, which writes fewer bytes, looks the same in a terminal as Textual's own."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from daoqi_tui.tui.board.strips import CompactStrip
from daoqi_tui.tui.look import style_of

pyte = pytest.importorskip("pyte", reason="pyte, which shows what a terminal would, is not installed")

_COLOURS = st.sampled_from([(0, 0, 0), (222, 184, 110), (150, 113, 58), (250, 248, 242), (1, 2, 3)])
_STYLES = st.builds(style_of, _COLOURS, _COLOURS, st.booleans(), st.booleans())
_SEGMENTS = st.lists(
    st.builds(Segment, st.text("●○┼─│▀▗▖ a1", min_size=1, max_size=6), _STYLES), min_size=1, max_size=12
)


def cells(written: str) -> list[object]:
    """Return the cells of a terminal after the text and one more character, which shows the style left active."""
    screen = pyte.Screen(100, 2)
    pyte.Stream(screen).feed(written + "z")
    return [screen.buffer[line][column] for line in range(2) for column in range(100)]


def fresh(segments: list[Segment]) -> list[Segment]:
    """Return copies with new styles: rich caches a style's sequence for the first colour system it renders."""
    styles = [segment.style for segment in segments]
    return [
        Segment(
            text, style and Style(color=style.color, bgcolor=style.bgcolor, bold=style.bold, underline=style.underline)
        )
        for (text, _, _), style in zip(segments, styles, strict=True)
    ]


@pytest.mark.parametrize("system", ["truecolor", "256", "standard"])
@given(_SEGMENTS)
def test_it_looks_the_same_in_a_terminal(system: str, segments: list[Segment]) -> None:
    console = Console(file=io.StringIO(), color_system=system, force_terminal=True)  # type: ignore[arg-type]
    plain, compact = Strip(fresh(segments)).render(console), CompactStrip(segments).render(console)
    assert cells(compact) == cells(plain)
    assert cells(compact * 2) == cells(plain * 2)
    assert len(compact) <= len(plain) + 8


@given(_SEGMENTS)
def test_it_is_rendered_once(segments: list[Segment]) -> None:
    console = Console(file=io.StringIO(), color_system="truecolor", force_terminal=True)
    strip = CompactStrip(segments)
    assert strip.render(console) is strip.render(console)


def test_a_segment_without_a_style_does_not_break_it() -> None:
    console = Console(file=io.StringIO(), color_system="truecolor", force_terminal=True)
    assert "ab" in CompactStrip([Segment("ab")]).render(console)
