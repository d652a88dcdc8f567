"""Invitations: where an online game is, and what lets one in.

>>> Invitation.parse("192.168.1.5:7777#mzxw6ytb-abcdefghijklmnopqrst").url
'ws://192.168.1.5:7777/game/mzxw6ytb'
>>> Invitation.parse("wss://go.example.org/daoqi#mzxw6ytb-abcdefghijklmnopqrst").url
'wss://go.example.org/daoqi/game/mzxw6ytb'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from daoqi_tui.message import Message

PORT: Final = 7777
"""The port of a host, unless another is chosen."""
JOIN_COMMAND: Final = "daoqi-tui join "
"""What stands before an invitation that was copied with its command."""
_LONGEST: Final = 400
_NOT_IN_ADDRESSES: Final = re.compile(r"[\s\x00-\x1f\x7f?#@]")
"""What would make another URL of an address when ``/game/ID`` or ``#CODE`` follows it, or no URL."""


class InvitationError(ValueError):
    """An invitation that cannot be read."""


def server_of(address: str) -> str | None:
    """Return the URL of the server at an address, as in an invitation before its ``#``; None where it is none.

    >>> server_of("192.168.1.5"), server_of("https://go.example.org/"), server_of("ftp://go.example.org")
    ('ws://192.168.1.5:7777', 'wss://go.example.org', None)
    """
    url = address if "://" in address else f"ws://{address}"
    url = re.sub(r"^http(s?)://", r"ws\1://", url.rstrip("/"))
    try:
        parts = urlsplit(url)
        right = parts.scheme in ("ws", "wss") and bool(parts.hostname) and not _NOT_IN_ADDRESSES.search(url)
        bare = parts.port is None
    except ValueError:
        return None
    if not right:
        return None
    return f"ws://{parts.netloc}:{PORT}{parts.path}" if "://" not in address and bare else url


@dataclass(frozen=True, slots=True)
class Invitation:
    """Where a game is, and what lets one in.

    Attributes:
        server: ``ws://HOST:PORT``, or ``wss://`` with TLS, with a path where a proxy has one.
        game: the id of the game.
        code: the one-time code, empty to watch.
    """

    server: str
    game: str
    code: str = ""

    @staticmethod
    def parse(text: str) -> Invitation:
        """Read ``ADDRESS#GAME-CODE``, or ``ADDRESS#GAME`` to watch.

        The address is ``HOST``, ``HOST:PORT``, or a URL that begins with ``ws://``, ``wss://``, ``http://`` or
        ``https://``.

        Raises:
            InvitationError: it is none.
        """
        address, _hash, secret = text.strip().partition("#")
        game, _hyphen, code = secret.partition("-")
        server = server_of(address)
        if server is None or not re.fullmatch("[a-z2-7]{1,40}", game) or not re.fullmatch("[a-z2-7]{0,100}", code):
            raise InvitationError(
                Message(
                    "{text} is not an invitation: an address, # and a code, such as 192.168.1.5:7777#mzxw6ytb-abcd",
                    text=repr(text),
                )
            )
        host = urlsplit(server).hostname or ""
        try:
            # As the resolver does it, which raises no OSError for a name that cannot be one.
            host.encode("idna")
        except UnicodeError:
            raise InvitationError(
                Message(
                    "{host} is not a host name: between its dots stand 1 to 63 letters or digits",
                    host=repr(host),
                )
            ) from None
        return Invitation(server, game, code)

    @staticmethod
    def pasted(text: str) -> Invitation | None:
        """Return the invitation in a pasted text, with its command or without; None where it is none."""
        if "#" not in text or len(text) > _LONGEST:
            return None
        try:
            return Invitation.parse(text.strip().removeprefix(JOIN_COMMAND))
        except InvitationError:
            return None

    @property
    def url(self) -> str:
        """The address of the WebSocket."""
        return f"{self.server}/game/{self.game}"

    def __str__(self) -> str:
        """Return the invitation as it is passed on; :meth:`parse` reads the same one from it."""
        short = self.server.removeprefix("ws://")
        # Without a scheme an address that names no port gets that of a host.
        server = short if server_of(short) == self.server else self.server
        return f"{server}#{self.game}-{self.code}" if self.code else f"{server}#{self.game}"
