"""JSON read and written: what is no JSON, what is of another type, and texts that UTF-8 cannot hold."""

from __future__ import annotations

import contextlib
import math
import os
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from daoqi_tui.codec import JsonError, decode, encode
from daoqi_tui.message import Message


@dataclass(frozen=True)
class Held:
    size: Annotated[int, Meta(ge=2, le=25)]
    why: Message | None = None


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(values)
def test_values_survive(value: object) -> None:
    assert decode(encode(value), Any) == value
    assert encode(value).isascii()
    assert b"\n" not in encode(value)


@given(st.binary() | st.text())
def test_any_input_is_a_value_or_an_error_of_json(data: bytes | str) -> None:
    for kind in (Any, int, str, Held):
        with contextlib.suppress(JsonError):
            decode(data, kind)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"[" * 100_000, "nested"),
        (b"NaN", "finite"),
        (b"1e999", "finite"),
        (b'"\xff"', "UTF-8"),
        (b"", "not JSON"),
        (b"{} {}", "not JSON"),
        (b"9" * 5_000, "not JSON"),
        (b'{"size":1}', r"`int` >= 2.*size"),
        (b'{"size":true}', r"`int`, got `bool`.*size"),
        (b'{"size":2.5}', r"`int`, got `float`.*size"),
        (b"{}", "`size`"),
        (b'{"size":5,"why":3}', "message.*why"),
        (b'{"size":5,"why":{"template":"{a[0]}","many":"","values":{"a":1}}}', "message.*why"),
    ],
)
def test_what_is_wrong_is_said(text: bytes, said: str) -> None:
    with pytest.raises(JsonError, match=said):
        decode(text, Held)


def test_file_names_that_are_no_utf_8_survive() -> None:
    held = Held(9, Message("{file} is damaged", file=os.fsdecode(b"\xff.sgf")))
    assert decode(encode(held), Held) == held


@pytest.mark.parametrize("value", [math.nan, -math.inf, [math.inf]])
def test_no_number_that_json_lacks_is_written(value: object) -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode(value)
