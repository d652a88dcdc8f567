"""Events that a client of an online game sends: messages of the server, and the state of the connection."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from daoqi_tui.message import Message
from daoqi_tui.play.online.protocol import Declined, Moved, Ping, Pointed, Refused, Said, State, Welcome


class Lost(NamedTuple):
    """The connection was lost, or the server cannot be reached; the client retries automatically."""

    reason: Message | str


class Pending(NamedTuple):
    """A move was made here that the server has not acknowledged yet."""

    number: int
    move: str


class Ended(NamedTuple):
    """The server will not admit this client again; the client has stopped.

    Attributes:
        reason: why, in words.
        code: the same as the server sent it, one of those in :data:`~daoqi_tui.play.online.protocol.FATAL`.
    """

    reason: Message | str
    code: str


ClientEvent: TypeAlias = Welcome | State | Moved | Refused | Said | Declined | Pointed | Ping | Lost | Pending | Ended
