"""Sixel pictures are written as a terminal reads them, and what it says of them is understood."""

from __future__ import annotations

import re

import numpy as np
import pytest

from daoqi_tui.tui.access import is_remote
from daoqi_tui.tui.graphics import Answer, Answers, Sixel, is_shared
from daoqi_tui.tui.graphics.sixel import encode
from tests.tui.graphics.sixel_terminal import decode

_PICTURE = re.compile(r'\x1bP0;1;0q"1;1;(\d+);(\d+)([^\x1b]*)\x1b\\')


@pytest.mark.parametrize(("height", "width"), [(1, 1), (6, 4), (7, 1200), (40, 33), (17, 3)])
@pytest.mark.parametrize("count", [1, 2, 16, 200])
def test_what_is_written_is_read(height: int, width: int, count: int) -> None:
    chance = np.random.default_rng(height * width + count)
    colours = (chance.integers(0, 21, (count, 3)) * 12.75).round().astype(np.uint8)
    indices = chance.integers(0, count, (height, width)).astype(np.uint8)
    # Runs of all lengths.
    indices[:, width // 3 :] = indices[:, width // 3 : width // 3 + 1]
    match = _PICTURE.fullmatch(encode(indices, colours))
    assert match is not None
    assert (int(match[1]), int(match[2])) == (width, height)
    # A band begun below the last one would scroll a picture at the bottom of the screen.
    assert match[3].count("-") == -(-height // 6) - 1
    shown = decode(width, height, match[3])
    assert shown[:, :, 3].all()
    assert abs(shown[:, :, :3].astype(int) - colours[indices]).max() <= 1


def test_alike_pixels_take_few_characters() -> None:
    plain = np.zeros((60, 1000), np.uint8)
    assert len(encode(plain, np.zeros((1, 3), np.uint8))) < 200


def said(text: str) -> Answer:
    """What is known after some answers, none of which may be read as a key."""
    answers = Answers()
    answers.awaited = True
    left, found = answers.take(text)
    assert left == ""
    known = Answer()
    for answer in found:
        known = known.then(answer)
    return known


@pytest.mark.parametrize(
    ("text", "sixel"),
    [
        ("\x1b[?63;1;2;4;6c", Sixel()),
        ("\x1b[?64;1;2c", None),
        ("\x1b[?4c", None),
        ("\x1b[?62;4c\x1b[?1;0;16S\x1b[?2;0;1000;900S\x1b[?62;4c", Sixel(16, (1000, 900))),
        ("\x1b[?62;4c\x1b[?1;3S\x1b[?2;3;0S\x1b[?62;4c", Sixel()),
        ("\x1b[?62;4c\x1b[?1;0;0S\x1b[?2;0;0;0S\x1b[?62;4c", Sixel()),
        ("\x1b[?62;4c\x1b[?2;0;800S\x1b[?62;4c", Sixel()),
    ],
)
def test_what_a_terminal_says_is_understood(text: str, sixel: Sixel | None) -> None:
    assert said(text).sixel == sixel


@pytest.mark.parametrize(
    ("style", "colours"),
    [("0;38:2::1:2:3", "truecolor"), ("38;2;1;2;3", "truecolor"), ("0;38:5:16", "256"), ("0", None), ("0;48:2", None)],
)
def test_how_text_is_coloured_says_how_many_colours_there_are(style: str, colours: str | None) -> None:
    assert said(f"\x1bP1$r{style}m\x1b\\\x1b[?62;4c").colours == colours


def test_remote_and_shared_terminals_are_known() -> None:
    assert is_remote({"SSH_TTY": "/dev/pts/1"})
    assert is_remote({"SSH_CONNECTION": "1 2 3 4"})
    assert not is_remote({"TERM": "xterm"})
    assert is_shared({"TERM": "tmux-256color"})
    assert is_shared({"TERM": "xterm", "TMUX": "/tmp/tmux"})
    assert is_shared({"TERM": "xterm", "STY": "1.a"})
    assert not is_shared({"TERM": "xterm"})
