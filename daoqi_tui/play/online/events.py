"""Events that a client of an online game sends: messages of the server, and the state of the connection."""

from __future__ import annotations

import os
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Final, NamedTuple, TypeAlias

from daoqi_tui.message import Message, reason_of
from daoqi_tui.play.online.protocol import Declined, Moved, Ping, Pointed, Refused, Said, State, Welcome


class Lost(NamedTuple):
    """The connection was lost, or the server cannot be reached or refuses for now; the client tries again.

    Attributes:
        reason: why, in words.
        wait: the seconds until the next attempt.
        refused: whether the server refused, with a reason of its own.
    """

    reason: Message | str
    wait: float = 0.0
    refused: bool = False


_NOT_CONNECTED: Final = "Connect call failed"
"""The beginning of asyncio's text for any failure to connect; an address follows, and the number has the reason."""

_UNAVAILABLE: Final = (502, 503, 504)
"""The HTTP statuses of a server that is overloaded, and of a proxy before one that is being restarted."""
_LONGEST_WAIT: Final = 300.0
"""The maximum seconds for which a client waits because a server asks it to."""


def line_reason(error: Exception) -> Message | str:
    """Return why there is no connection, from the error of an attempt to connect or of the connection."""
    # Of an answer that does not open a WebSocket.
    status = getattr(error, "status", None)
    if status in _UNAVAILABLE:
        return Message("the server is not available at the moment")
    if isinstance(status, int):
        return Message("the server answers with HTTP status {status}; check the address", status=status)
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    if error.errno and error.strerror.startswith(_NOT_CONNECTED):
        return reason_of(OSError(error.errno, os.strerror(error.errno)))
    return reason_of(error)


def asked_wait(error: Exception) -> float:
    """Return the seconds that an answer to an attempt to connect asks to wait (``Retry-After``), 0 if it does not."""
    headers = getattr(error, "headers", None) or {}
    told = str(headers.get("Retry-After", ""))
    if told.isdecimal():
        return bounded_wait(float(told))
    try:
        until = parsedate_to_datetime(told)
        return bounded_wait((until - datetime.now(until.tzinfo)).total_seconds())
    except (ValueError, OverflowError):
        return 0.0


def bounded_wait(seconds: float) -> float:
    """Return the seconds that a server asks to wait, within bounds."""
    return min(max(seconds, 0.0), _LONGEST_WAIT)


class Pending(NamedTuple):
    """A move was made here that the server has not acknowledged yet."""

    number: int
    move: str


class Ended(NamedTuple):
    """The server will not admit this client again; the client has stopped.

    Attributes:
        reason: why, in words.
        code: the same as the server sent it, one of those in :data:`~daoqi_tui.play.online.protocol.FINAL`.
    """

    reason: Message | str
    code: str


ClientEvent: TypeAlias = Welcome | State | Moved | Refused | Said | Declined | Pointed | Ping | Lost | Pending | Ended
