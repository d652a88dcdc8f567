"""Places in online games: as a guest with an invitation, or as the host, with the server in this program."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from daoqi_tui.message import Message
from daoqi_tui.play.online.anywhere import offered
from daoqi_tui.play.online.connections import Network, Site, own_addresses
from daoqi_tui.play.online.invitation import PORT, Invitation, InvitationError, is_local, server_of
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook
from daoqi_tui.play.online.server import DiskWatch, Lobby, listening_at, serving
from daoqi_tui.play.online.table import Terms

HERE: Final = "127.0.0.1"
_GAMES: Final = "games"
_KEY: Final = "iroh.key"


class NoGameError(Exception):
    """There is no game to resume; the arguments say of each one here why it cannot be."""


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
        addresses: the addresses under which others reach the server, if it is in this program: the one of the
            invitations first.
        networks: the addresses of this computer in its networks, under which a server there would be reached.
        let_in: has the server in this program listen for these networks, and returns the place as it is then; None if
            it does already, or is reached in another way. Raises an :class:`OSError` if that is impossible.
        offer: likewise has that server reached from anywhere.
        ticket: the URL under which it is reached from anywhere, empty if it is not.
        disks: of the server in this program; None if it is elsewhere.
        account: the secret of the player's account at the server, empty for a guest.
        unreached: whether the player reaches the server at an address that leads nobody else there, and no other one is
            known, as a visitor over ssh may.
        server: to be closed when the place is left, if the server was started for it.
    """

    invitation: Invitation
    name: str
    seat: SavedSeat | None = None
    hosts: bool = False
    guest: Invitation | None = None
    watch: Invitation | None = None
    addresses: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    let_in: Callable[[Place], Awaitable[Place]] | None = None
    offer: Callable[[Place], Awaitable[Place]] | None = None
    ticket: str = ""
    disks: DiskWatch | None = None
    account: str = ""
    unreached: bool = False
    server: AsyncExitStack | None = None

    @property
    def key(self) -> str:
        """The session key of the seat, empty before it is taken."""
        return self.seat.key if self.seat is not None else ""

    @property
    def is_local(self) -> bool:
        """True if the server is in this program, and only this computer reaches it."""
        return self.hosts and len(self.addresses) == 1 and is_local(self.addresses[0])

    @property
    def is_in_network(self) -> bool:
        """True if the server is in this program, and others reach it at an address of this computer."""
        return (
            bool(self.addresses)
            and not self.is_local
            and not self.ticket
            and self.seat is not None
            and not self.seat.public
        )


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit to the lobby of a server.

    Attributes:
        server: its URL.
        name: what the visitor is called.
        account: the secret of the visitor's account there, or of a pass; empty for a guest.
        reached: the address at which others reach it, of a visitor over ssh; empty if none is known.
    """

    server: str
    name: str
    account: str = ""
    reached: str = ""


def join(invitation: Invitation, name: str, book: SeatBook) -> Place:
    """Return the place that an invitation leads to; waits for the disk.

    Without a code, join as a spectator, even with a seat; with one, return to a seat taken before.
    """
    known = book.find(invitation)
    seat = known if known is not None and invitation.code else None
    return Place(invitation, seat.name if seat is not None else name, seat, account=book.account(invitation.server))


def back_at(seat: SavedSeat, book: SeatBook) -> Place:
    """Return the place at a seat that was taken before; waits for the disk."""
    return at_seat(seat, book.account(seat.server))


def at_seat(seat: SavedSeat, account: str) -> Place:
    return Place(seat.invitation, seat.name, seat, guest=seat.guest, account=account)


VISITOR: Final = "DAOQI_VISITOR"
"""The environment variable by which a server passes the secret of a pass to the program of a visitor."""
REACHED: Final = "DAOQI_REACHED"
"""That by which it passes the address at which others reach it."""


def reached_by_others(place: Place, visit: Visit) -> Place:
    """Return the place of a visitor over ssh with the invitations as others need them, if that is known."""
    try:
        server = server_of(visit.reached)
    except InvitationError:
        server = ""
    if not server or is_local(server):
        return replace(place, unreached=True)
    guest = None if place.guest is None else replace(place.guest, server=server)
    return replace(place, guest=guest, watch=Invitation(server, place.invitation.game))


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
    anywhere: str | None = None,
) -> AsyncIterator[tuple[Place, list[Message]]]:
    """Serve all games hosted here, and optionally a new one, while the block lasts.

    Args:
        listening: the socket for clients.
        opened: the terms of the new game, or host's seats, of which the first one with a game here is taken.
        name: what the host of a new game is called.
        folder: of seats and games.
        library: the folder of finished games.
        public: the address under which others reach the server, if not its own; a resumed game keeps its address.
        proxies: as for :class:`~daoqi_tui.play.online.connections.Site`.
        anywhere: the relay by which the server is reached from anywhere, as for
            :func:`~daoqi_tui.play.online.anywhere.offered`; None until it is asked for.

    Returns:
        The host's place, and the problems with games that could not be resumed.

    Raises:
        NoGameError: there is none to resume.
        RefusedError: too many games are open.
        ValueError: the terms are invalid.
        OSError: the game cannot be written, or is not reached from anywhere.
    """
    # All games hosted here are served, and their guests may reach them by other addresses than the new one's.
    known = {server_of(url) for url in (public, *(seat.public for seat in hosted(folder))) if url}
    lobby = Lobby(folder / _GAMES, library, site=Site(tuple(known), proxies))
    listen, number = listening.getsockname()[:2]
    try:
        lobby.load()
        seat, guest = _seat(lobby, (listen, number), opened, name, public)
        watched = lobby.games[seat.game].table.terms.watch
        networks = await asyncio.to_thread(own_addresses)
    except BaseException:
        # Otherwise the games stay locked, and the next attempt in this process would skip them.
        await lobby.close()
        raise
    async with serving(lobby, listening) as port, AsyncExitStack() as offers:

        async def offer(place: Place) -> Place:
            ticket = await offers.enter_async_context(
                offered(lambda: (_ANY.get(listen, listen), number), folder / _KEY, anywhere or "")
            )
            return _reached(replace(place, ticket=ticket), number, networks)

        async def let_in(place: Place) -> Place:
            nonlocal listen, networks
            networks = await asyncio.to_thread(own_addresses)
            listen = everywhere = _everywhere(networks)
            await port.move(everywhere)
            assert place.seat is not None
            return _reached(replace(place, seat=replace(place.seat, listen=everywhere)), number, networks)

        watch = Invitation(seat.server, seat.game) if watched else None
        place = Place(
            seat.invitation,
            seat.name,
            seat,
            hosts=True,
            guest=guest,
            watch=watch,
            let_in=let_in,
            offer=offer,
            disks=lobby.disks,
        )
        place = _reached(place, number, networks)
        yield place if anywhere is None else await offer(place), lobby.problems


def _seat(
    lobby: Lobby, at: tuple[str, int], opened: Terms | Sequence[SavedSeat], name: str, public: str
) -> tuple[SavedSeat, Invitation | None]:
    """Return the host's seat at a new game, with the guest's invitation, or at one that was hosted before.

    Raises:
        NoGameError, RefusedError, ValueError, OSError: as :func:`hosting`.
    """
    listen, number = at
    server = _url(_ANY.get(listen, listen), number)
    if isinstance(opened, Terms):
        game, key, code = lobby.host(opened, name)
        seat = SavedSeat(server, game.name, key, name, host=True, listen=listen, public=public)
        return seat, Invitation(server, game.name, code)
    found = next((seat for seat in opened if seat.host and seat.game in lobby.games), None)
    if found is None:
        raise NoGameError(*lobby.problems)
    return replace(found, server=server, listen=listen, public=public or found.public), None


def _reached(place: Place, number: int, networks: Sequence[str]) -> Place:
    """Return the host's place with the addresses under which its server is reached where it listens now.

    Args:
        place: the place.
        number: the port.
        networks: all addresses of this computer in its networks.
    """
    seat = place.seat
    assert seat is not None
    listens = seat.listen if seat.listen in _ANY else _everywhere(networks)
    own = tuple(each for each in networks if (":" in each) == (listens == "::"))
    addresses: tuple[str, ...]
    if seat.public:
        addresses, let_in = (server_of(seat.public),), None
    elif seat.listen in _ANY:
        addresses, let_in = tuple(_url(each, number) for each in (*own, _ANY[seat.listen])), None
    else:
        addresses = (_url(seat.listen, number),)
        let_in = place.let_in if is_local(addresses[0]) else None
    offer = place.offer if not place.ticket and not seat.public else None
    addresses = (*filter(None, [place.ticket]), *addresses)
    guest, watch = (
        None if invitation is None else replace(invitation, server=addresses[0])
        for invitation in (place.guest, place.watch)
    )
    return replace(place, guest=guest, watch=watch, addresses=addresses, networks=own, let_in=let_in, offer=offer)


_ANY: Final = {"0.0.0.0": HERE, "::": "::1"}
"""The addresses at which a server listens for all networks, with that under which this computer reaches it."""


def _everywhere(networks: Sequence[str]) -> str:
    """Return the address at which a server listens for these networks.

    It is that of IPv4 where there is one: addresses of IPv6 are often reached from the whole internet.
    """
    return "0.0.0.0" if not networks or any("." in address for address in networks) else "::"


def listening_everywhere(number: int) -> socket.socket:
    """Return a socket that listens for the networks of this computer; the port may be another if that is taken.

    Raises:
        OSError: there is none.
    """
    return listening_near(_everywhere(own_addresses()), number)


def listening_near(host: str, number: int) -> socket.socket:
    """Return a socket that listens at an address, at another port if the wanted one is in use, as by another game.

    Raises:
        OSError: the address is not one of this computer.
    """
    try:
        return listening_at(host, number)
    except OSError:
        return listening_at(host, 0)


def _url(host: str, number: int) -> str:
    return f"ws://[{host}]:{number}" if ":" in host else f"ws://{host}:{number}"
