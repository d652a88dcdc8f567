"""Events that a client of an online game sends: messages of the server, and the state of the connection."""

from __future__ import annotations

import os
from typing import Final, NamedTuple, TypeAlias

from daoqi_tui.message import Message, reason_of
from daoqi_tui.play.online.protocol import REASONS, Declined, Moved, Ping, Pointed, Refused, Said, State, Welcome


class Lost(NamedTuple):
    """The connection was lost, or the server cannot be reached; the client retries automatically."""

    reason: Message | str


_NOT_CONNECTED: Final = "Connect call failed"
"""The beginning of asyncio's text for any failure to connect; an address follows, and the number has the reason."""

_UNAVAILABLE: Final = 503
"""The HTTP status of a server that has too many connections."""


def line_reason(error: Exception) -> Message | str:
    """Return why there is no connection, from the error of an attempt to connect or of the connection."""
    # Of an answer that does not open a WebSocket.
    status = getattr(error, "status", None)
    if status == _UNAVAILABLE:
        return REASONS["full"]
    if isinstance(status, int):
        return Message("the server answers with HTTP status {status}; check the address", status=status)
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    if error.errno and error.strerror.startswith(_NOT_CONNECTED):
        return reason_of(OSError(error.errno, os.strerror(error.errno)))
    return reason_of(error)


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
