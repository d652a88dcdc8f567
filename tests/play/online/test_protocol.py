"""Any input decodes to a message with valid fields or raises an error with a one-sentence message."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any
from unicodedata import bidirectional, category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.online.protocol import (
    FROM_CLIENT,
    FROM_SERVER,
    Answer,
    ClockState,
    Join,
    OpenRequest,
    Play,
    ProtocolError,
    Said,
    Say,
    SideTime,
    State,
    decode,
    encode,
)

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
REORDERING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""The classes of characters that show other characters in another order."""
NAMES = sorted({field.name for kind in (*FROM_CLIENT.values(), *FROM_SERVER.values()) for field in fields(kind)})


def read(text: str | bytes, kinds: dict[str, type]) -> Any:
    """Decode ``text`` and check that the message survives a round trip; return None if it was refused with an error."""
    message, words = None, ""
    try:
        message = decode(text, kinds)
    except ProtocolError as error:
        words = str(error)
    if message is None:
        assert 0 < len(words) < 400
        return None
    again = encode(message)
    assert decode(again, kinds) == message
    again.encode()
    assert not [sign for sign in again if category(sign) in {"Cc", "Cs"} or bidirectional(sign) in REORDERING], again
    return message


@given(st.binary(max_size=200))
def test_random_bytes_are_refused_in_words(data: bytes) -> None:
    for kinds in (FROM_CLIENT, FROM_SERVER):
        assert read(data, dict(kinds)) is None


@given(
    st.sampled_from([*FROM_CLIENT, *FROM_SERVER]),
    st.dictionaries(st.sampled_from(NAMES), ANYTHING, max_size=len(NAMES)),
)
def test_random_members_are_checked(name: str, members: dict[str, Any]) -> None:
    text = json.dumps({"type": name, **members})
    for kinds in (FROM_CLIENT, FROM_SERVER):
        read(text, dict(kinds))


def test_messages_come_back_as_they_were_sent() -> None:
    clock = ClockState(SideTime(60.5, 3), SideTime(10.0, 1, byoyomi=True), "white")
    state = State(
        2,
        9,
        3.75,
        0,
        "daoqi",
        "Ke",
        "Lu",
        "counting",
        ("E5", "pass"),
        ("E5",),
        request=OpenRequest("undo", "black"),
        clock=clock,
    )
    assert decode(encode(state), FROM_SERVER) == state
    assert decode(encode(Answer("undo", accept=False)), FROM_CLIENT) == Answer("undo", accept=False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[" * 15_000, "nested too deeply"),
        # From 3.13 on, Python reads as deep as this: then nobody knows the member.
        ('{"a":' * 3_000 + "1" + "}" * 3_000, "nested too deeply|type of a message has to be one of join, move"),
        ("1" * 5000, "not JSON"),
        ("[]", "`object`"),
        ('{"type":"fly"}', "type of a message has to be one of join, move"),
        ('{"type":["move"]}', "type of a message"),
        ('{"type":"move","number":1}', "type move.*missing.*`move`"),
        ('{"type":"move","number":true,"move":"E5"}', r"type move.*`int`, got `bool`.*number"),
        ('{"type":"move","number":NaN,"move":"E5"}', "not a finite number"),
        ('{"type":"move","number":1,"move":"E5E5E5E5E5"}', r"length <= 8.*\.move"),
        ('{"type":"request","what":"money"}', "what in request has to be one of undo, pause"),
        ('{"type":"answer","what":"undo","accept":1}', r"`bool`.*\.accept"),
        ('{"type":"chat","text":"' + "a" * 401 + '"}', r"length <= 400.*\.text"),
        ('{"type":"agree","dead":"E5"}', r"`array`.*\.dead"),
    ],
)
def test_what_is_wrong_is_said(text: str, words: str) -> None:
    with pytest.raises(ProtocolError, match=words):
        decode(text, FROM_CLIENT)


@pytest.mark.parametrize("member", ["main", "periods", "period", "increment"])
def test_times_of_a_game_that_no_clock_shows_are_refused(member: str) -> None:
    state = State(1, 9, 4.0, 0, "daoqi", "Ke", "Lu", "playing", time=TimeControl(60, 3, 30, 5))
    assert decode(encode(state), FROM_SERVER) == state
    told = json.loads(encode(state))
    told["time"][member] = 1 << 53
    with pytest.raises(ProtocolError, match="too long"):
        decode(json.dumps(told), FROM_SERVER)


def test_escape_sequences_and_half_characters_are_shown_as_text() -> None:
    said = decode('{"type":"chat","text":"\\u001b[31mred\\u0007\\ud800\\u202e\\nnext"}', FROM_CLIENT)
    assert said == Say("␛[31mred␇� next")
    assert decode('{"type":"join","version":1,"name":"\\u009b2J"}', FROM_CLIENT) == Join(1, "�2J")
    assert decode('{"type":"chat","name":"\\u001b]0;x","role":"spectator","text":""}', FROM_SERVER) == Said(
        "␛]0;x", "spectator", ""
    )


def test_members_that_are_not_known_are_passed_over() -> None:
    assert decode('{"type":"move","number":1,"move":"E5","colour":"red"}', FROM_CLIENT) == Play(1, "E5")
