"""No terminal control sequence gets through, and markup in names stays literal text."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from daoqi_tui.record.text import decode, encode, safe
from daoqi_tui.text import plain, plain_line


@given(st.text())
@example("\x1b]0;title\x07\x9b31m\x7f\u202egnp.exe\u2066\ufeff\U000e0041\ud800")
def test_plain_text_holds_nothing_a_terminal_obeys(text: str):
    shown = plain(text)
    bad = [sign for sign in shown if sign != "\n" and unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")]
    assert bad == []
    assert not any(
        unicodedata.bidirectional(sign) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI") for sign in shown
    )
    assert "\n" not in plain_line(text)


def test_ordinary_text_is_left_alone():
    for text in ("道棋 [bold]x[/bold] ½ é 👩‍💻", "two\nlines"):
        assert plain(text) == text


@given(st.text(st.characters(exclude_characters="\r")) | st.text("\\\n]:a", max_size=8))
@example("a line that ends with a backslash\\\nand another")
def test_text_survives_a_record(text: str):
    assert decode(encode(text)) == text
    assert safe(encode(text)) == encode(text)
