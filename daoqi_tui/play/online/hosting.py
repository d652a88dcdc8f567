"""Places in online games: as a guest with an invitation, or as the host, with the server in this program."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from daoqi_tui.config.load import load_config
from daoqi_tui.i18n import N_, _
from daoqi_tui.message import Message
from daoqi_tui.play.online.addresses import Network, Site
from daoqi_tui.play.online.invitation import PORT, Invitation, server_of
from daoqi_tui.play.online.protocol import LONGEST_NAME
from daoqi_tui.play.online.seats import SavedSeat, SeatBook
from daoqi_tui.play.online.server import Lobby, serving
from daoqi_tui.play.online.table import Terms
from daoqi_tui.text import plain_line

HERE: Final = "127.0.0.1"
_GAMES: Final = "games"
_NAME: Final = N_("Player")
"""What a player without a name is called; the server adds a number to the second one at a table."""


class NoGameError(Exception):
    """There is no game to resume."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in an online game.

    Attributes:
        invitation: the address of the game, with the code if the seat is new.
        name: of the player.
        seat: the seat, None before it is taken.
        hosts: whether the server is in this program, which then puts finished games into the library.
        guest: the invitation to pass on to the opponent, None if nobody is invited.
        watch: the invitation for spectators, None if there may be none.
        address: the address under which others reach the server, if it is in this program.
        page: the address of the lobby that the game is in, empty if it is in none.
        server: to be closed when the place is left, if the server was started for it.
    """

    invitation: Invitation
    name: str
    seat: SavedSeat | None = None
    hosts: bool = False
    guest: Invitation | None = None
    watch: Invitation | None = None
    address: str = ""
    page: str = ""
    server: AsyncExitStack | None = None

    @property
    def key(self) -> str:
        """The session key of the seat, empty before it is taken."""
        return self.seat.key if self.seat is not None else ""

    @property
    def table_page(self) -> str:
        """The address of the game in its lobby."""
        return f"{self.page}/table/{self.invitation.game}"


def join(invitation: Invitation, name: str, book: SeatBook) -> Place:
    """Return the place that an invitation leads to; waits for the disk.

    Without a code, join as a spectator, even with a seat; with one, return to a seat taken before.
    """
    known = book.find(invitation)
    seat = known if known is not None and invitation.code else None
    return Place(invitation, seat.name if seat is not None else name, seat)


TABLE: Final = "DAOQI_TABLE"
"""The environment variable by which a web server passes a place to the program of a tab."""


def served_table(key: str, code: str, page: str) -> str:
    """Return the place in the environment variable: its key, the guest's code, and the page's address."""
    return json.dumps([key, code, page])


def served(invitation: Invitation, told: str) -> Place:
    """Return the place of a tab, without any data of the user who runs the server."""
    key, code, page = json.loads(told)
    seat = SavedSeat(invitation.server, invitation.game, key, "") if key else None
    address = re.sub("^http", "ws", page)
    guest = Invitation(address, invitation.game, code) if code else None
    # Not own_name(): the environment is the owner's.
    return Place(invitation, _(_NAME), seat, True, guest, Invitation(address, invitation.game), page=page)


def hosted(folder: Path) -> list[SavedSeat]:
    """Return the host's seats of the games that were opened here, the last one first; waits for the disk.

    Args:
        folder: of seats and games.
    """
    seats = SeatBook.in_folder(folder).seats()
    return [seat for seat in seats if seat.host and (folder / _GAMES / seat.game).is_dir()]


def served_at(seat: SavedSeat) -> tuple[str, int]:
    """Return the address and port on which the server of a host's seat listened."""
    port = None
    with suppress(ValueError):
        port = urlsplit(seat.server).port
    return seat.listen or HERE, port or PORT


@asynccontextmanager
async def hosting(
    listening: socket.socket,
    opened: Terms | Sequence[SavedSeat],
    name: str,
    *,
    folder: Path,
    library: Path,
    public: str = "",
    proxies: tuple[Network, ...] = (),
) -> AsyncIterator[tuple[Place, list[Message]]]:
    """Serve all games hosted here, and optionally a new one, while the block lasts.

    Args:
        listening: the socket for clients.
        opened: the terms of the new game, or host's seats, of which the first one with a game here is taken.
        name: what the host of a new game is called.
        folder: of seats and games.
        library: the folder of finished games.
        public: the address under which others reach the server, if not its own; a resumed game keeps its address.
        proxies: as for :class:`~daoqi_tui.play.online.addresses.Site`.

    Returns:
        The host's place, and the problems with games that could not be resumed.

    Raises:
        NoGameError: there is none to resume.
        RefusedError: too many games are open.
        ValueError: the terms are invalid.
        OSError: the game cannot be written.
    """
    # All games hosted here are served, and their guests may reach them by other addresses than the new one's.
    known = {server_of(url) for url in (public, *(seat.public for seat in hosted(folder))) if url}
    lobby = Lobby(folder / _GAMES, library, site=Site(tuple(known), proxies))
    try:
        lobby.load()
        place = _place(lobby, listening, opened, name, public)
    except BaseException:
        # Otherwise the games stay locked, and the next attempt in this process would skip them.
        await lobby.close()
        raise
    async with serving(lobby, listening):
        yield place, lobby.problems


def _place(
    lobby: Lobby, listening: socket.socket, opened: Terms | Sequence[SavedSeat], name: str, public: str
) -> Place:
    """Return the host's place at a new game, or at one that was hosted before; as :func:`hosting`."""
    listen, number = listening.getsockname()[:2]
    here = {"0.0.0.0": HERE, "::": "::1"}.get(listen)
    server, code = _url(here or listen, number), ""
    if isinstance(opened, Terms):
        game, key, code = lobby.host(opened, name)
        seat = SavedSeat(server, game.name, key, name, host=True, listen=listen, public=public)
    else:
        found = next((seat for seat in opened if seat.host and seat.game in lobby.games), None)
        if found is None:
            raise NoGameError
        game = lobby.games[found.game]
        seat = replace(found, server=server, listen=listen, public=public or found.public)
    address = server_of(seat.public or _url(_lan_address(here) if here else listen, number))
    guest = Invitation(address, game.name, code) if code else None
    watch = Invitation(address, game.name) if game.terms.watch else None
    return Place(seat.invitation, seat.name, seat, hosts=True, guest=guest, watch=watch, address=address)


def own_name() -> str:
    """Return the name in the settings, or a general one: a login name is not for strangers. Reads the settings."""
    return plain_line(str(load_config()["play.name"]))[:LONGEST_NAME] or _(_NAME)


def _url(host: str, number: int) -> str:
    return f"ws://[{host}]:{number}" if ":" in host else f"ws://{host}:{number}"


def _lan_address(here: str) -> str:
    """Return the address by which this computer is known in its network, of the same family as ``here``.

    If there is none, return ``here``. Nothing is sent to find it.
    """
    # Addresses reserved for documentation, which nobody has.
    family, other = (socket.AF_INET6, "2001:db8::1") if ":" in here else (socket.AF_INET, "192.0.2.1")
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((other, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return here
