"""Invitations: the address of an online game, and the code to join it.

>>> Invitation.parse("192.168.1.5:7777#mzxw6ytb-abcdefghijklmnopqrst").url
'ws://192.168.1.5:7777/game/mzxw6ytb'
>>> Invitation.parse("wss://go.example.org/daoqi#mzxw6ytb-abcdefghijklmnopqrst").url
'wss://go.example.org/daoqi/game/mzxw6ytb'
"""

from __future__ import annotations

import ipaddress
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from daoqi_tui.message import Message
from daoqi_tui.text import plain_line

PORT: Final = 7777
"""The port of a host, unless another is chosen."""
ANYWHERE: Final = "iroh://"
"""How the URL of a server begins that is reached from anywhere; the rest is a ticket of iroh."""
JOIN_COMMAND: Final = "daoqi-tui join "
"""The command before an invitation that was copied with it."""
LONGEST_NAME: Final = 40
"""Characters in the name of a player."""
LONGEST_DELAY: Final = 3600
"""Seconds by which spectators may see a game late."""
_LONGEST: Final = 1000
_LONGEST_URL: Final = 40
_QUIET: Final = 4
"""The light modules around a QR code, as its standard asks for."""
_HALVES: Final = {(0, 0): "█", (0, 1): "▀", (1, 0): "▄", (1, 1): " "}
"""The characters of two modules of a QR code, the upper and the lower one: what is light is drawn."""
_NOT_IN_ADDRESSES: Final = re.compile(r"[\s?#@]")
"""Characters that would change the URL when ``/game/ID`` or ``#CODE`` is appended to an address, or make it invalid."""
_LINK: Final = re.compile(
    r"(?P<server>(?:https?|wss?)://[^#?]+)/table/(?P<game>[a-z2-7]{1,40})(?:\?code=(?P<code>[a-z2-7]{1,100}))?"
)
"""The address of a game in a browser."""
_TICKET: Final = re.compile(r"[a-z0-9]+")
_SCHEMES: Final = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}


class InvitationError(ValueError):
    """An invitation, or an address in one, that cannot be parsed."""


def server_of(address: str) -> str:
    """Return the URL of the server at an address, as in an invitation before its ``#``.

    >>> server_of("192.168.1.5"), server_of("https://go.example.org/")
    ('ws://192.168.1.5:7777', 'wss://go.example.org')

    Raises:
        InvitationError: it is none.
    """
    if address.startswith(ANYWHERE) and _TICKET.fullmatch(address.removeprefix(ANYWHERE)):
        return address
    scheme, has_scheme, rest = address.partition("://")
    scheme, rest = scheme.rstrip("/"), rest.rstrip("/")
    url = f"{_SCHEMES.get(scheme.lower(), '')}://{rest}" if has_scheme else f"ws://{scheme}"
    try:
        parts = urlsplit(url)
        host = parts.hostname if parts.scheme else None
        if parts.port is None and not has_scheme:
            url = f"ws://{parts.netloc}:{PORT}{parts.path}"
    except ValueError:
        host = None
    # The address must not contain terminal escapes, nor look like another one.
    if not host or _NOT_IN_ADDRESSES.search(address) or plain_line(address) != address:
        raise InvitationError(
            Message(
                "{text} is not the address of a server, such as wss://go.example.org or 192.168.1.5:7777",
                text=repr(address),
            )
        )
    try:
        # As the resolver does, which does not raise an OSError for an invalid name.
        host.encode("idna")
    except UnicodeError:
        raise InvitationError(
            Message("{host} is not a host name: between its dots stand 1 to 63 letters or digits", host=repr(host))
        ) from None
    return url


def is_local(server: str) -> bool:
    """Return whether the URL of a server is an address that leads every computer to itself.

    >>> is_local("ws://127.0.0.1:7777"), is_local("ws://192.168.1.5:7777")
    (True, False)
    """
    try:
        return ipaddress.ip_address(urlsplit(server).hostname or "").is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Invitation:
    """The address of a game, and the code to join it.

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
        """Read ``ADDRESS#GAME-CODE``, or ``ADDRESS#GAME`` to watch, or the link of a lobby's page to a game.

        The address is ``HOST``, ``HOST:PORT``, or a URL that begins with ``ws://``, ``wss://``, ``http://`` or
        ``https://``.

        >>> str(Invitation.parse("https://go.example.org/table/mzxw6ytb?code=abcd"))
        'wss://go.example.org#mzxw6ytb-abcd'

        Raises:
            InvitationError: it is none.
        """
        link = _LINK.fullmatch(text.strip())
        if link is not None:
            return Invitation(server_of(link["server"]), link["game"], link["code"] or "")
        address, _hash, secret = text.strip().partition("#")
        game, _hyphen, code = secret.partition("-")
        if not re.fullmatch("[a-z2-7]{1,40}", game) or not re.fullmatch("[a-z2-7]{0,100}", code):
            raise InvitationError(
                Message(
                    "{text} is not an invitation: an address, # and a code, such as 192.168.1.5:7777#mzxw6ytb-abcd",
                    text=repr(text),
                )
            )
        return Invitation(server_of(address), game, code)

    @staticmethod
    def pasted(text: str) -> Invitation | None:
        """Return the invitation in a pasted text, with or without its command; None if there is none."""
        if len(text) > _LONGEST or not ("#" in text or _LINK.fullmatch(text.strip())):
            return None
        try:
            return Invitation.parse(without_command(text))
        except InvitationError:
            return None

    @property
    def url(self) -> str:
        return f"{self.server}/game/{self.game}"

    @property
    def join_command(self) -> str:
        return f"{JOIN_COMMAND}{self}"

    def __str__(self) -> str:
        server = self.server
        short = server.removeprefix("ws://")
        with suppress(InvitationError):
            # Without a scheme, an address without a port gets the default port of a host.
            server = short if server_of(short) == server else server
        return f"{server}#{self.game}-{self.code}" if self.code else f"{server}#{self.game}"


def qr_code(text: str) -> list[str]:
    """Return the lines of a QR code, to be shown light on dark: a terminal's usual colours, and right for cameras."""
    from segno import make_qr  # noqa: PLC0415 (few show one)

    rows = [*make_qr(text, error="l").matrix_iter(border=_QUIET)]
    # A code has an odd number of rows.
    rows.append(bytes(len(rows)))
    return [
        "".join(_HALVES[upper, lower] for upper, lower in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    ]


_ACCOUNT: Final = re.compile(r"(?P<server>(?:https?|wss?)://[^#?]+)/lobby/account#(?P<secret>[A-Za-z0-9_-]{20,100})")


def account_link(text: str) -> tuple[str, str] | None:
    """Return the server and the secret of a link that opens an account, None if the text is none.

    >>> account_link("https://go.example.org/lobby/account#abcdefghijklmnopqrstuvwx")
    ('wss://go.example.org', 'abcdefghijklmnopqrstuvwx')

    Raises:
        InvitationError: the server in it is none.
    """
    link = _ACCOUNT.fullmatch(text.strip())
    return None if link is None else (server_of(link["server"]), link["secret"])


def link_to_account(server: str, secret: str) -> str:
    """Return the link that opens an account, in a browser and for ``join``."""
    return f"{re.sub('^ws', 'http', server)}/lobby/account#{secret}"


def read_address(text: str) -> Invitation | str:
    """Return the invitation in a text, or the URL of the server whose lobby is at the address in it.

    >>> read_address("https://go.example.org/lobby"), read_address("192.168.1.5:8000")
    ('wss://go.example.org', 'ws://192.168.1.5:8000')

    Raises:
        InvitationError: it is neither.
    """
    try:
        return Invitation.parse(text)
    except InvitationError:
        # What has neither dot nor port is hardly an address, but perhaps a code alone.
        if "#" in text or not re.search(r"[.:]|^localhost$", text.strip()):
            raise
    return server_of(text.strip().rstrip("/").removesuffix("/lobby"))


def without_command(text: str) -> str:
    """Return a pasted text without the command before an invitation, and without quotes around it.

    >>> without_command(' daoqi-tui join "go.example.org#mzxw6ytb" '), without_command("'daoqi-tui join localhost#a'")
    ('go.example.org#mzxw6ytb', 'localhost#a')
    """
    around = " \t\r\n'\""
    return text.strip(around).removeprefix(JOIN_COMMAND).strip(around)


def shortened(server: str) -> str:
    """Return the URL of a server for a line of text; a ticket is long, and says nothing to anybody."""
    text = plain_line(server)
    return text if len(text) <= _LONGEST_URL else f"{text[: _LONGEST_URL - 1]}…"
