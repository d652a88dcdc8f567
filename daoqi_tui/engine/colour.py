"""The colours of points and players: small integers, so that a board is a flat list of them."""

from __future__ import annotations

from typing import Final, TypeAlias

from daoqi_tui.message import Message

Colour: TypeAlias = int

EMPTY: Final[Colour] = 0
BLACK: Final[Colour] = 1
WHITE: Final[Colour] = 2


def opponent(colour: Colour) -> Colour:
    return 3 - colour


def name_of(colour: Colour) -> str:
    """Return ``Black`` or ``White``, for messages to programmers."""
    return ("Empty", "Black", "White")[colour]


def colour_message(colour: Colour) -> Message:
    """Return ``Black`` or ``White``, for messages to a person."""
    return Message("Black") if colour == BLACK else Message("White")
