"""A server on a local socket, with clients whose messages a test reads one by one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from socket import create_server
from time import monotonic, time
from typing import TYPE_CHECKING, Any

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType, web

from daoqi_tui.play.online.accounts import bearer
from daoqi_tui.play.online.client import ClientEvent, OnlineClient
from daoqi_tui.play.online.connections import Site
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.members import Members
from daoqi_tui.play.online.protocol import FROM_SERVER, VERSION, Join, Ping, Welcome, decode, encode
from daoqi_tui.play.online.referee import Referee
from daoqi_tui.play.online.seat_book import SavedSeat, Standing
from daoqi_tui.play.online.seats import PATIENCE, current_states
from daoqi_tui.play.online.server import Lobby, serving
from daoqi_tui.play.online.table import Terms
from tests.waiting import HANG, until

if TYPE_CHECKING:
    from daoqi_tui.play.online.store import Store

SMALL = Terms(size=5, black="host")


class Time:
    """A fake clock that a test advances."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Wire:
    """A raw connection on which a test sends and receives single messages."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket

    async def say(self, message: Any) -> None:
        await self.socket.send_str(message if isinstance(message, str) else encode(message))

    async def hear(self, kind: type | None = None) -> Any:
        """Return the next message (of type ``kind`` if given), or None if the server closed the connection."""
        async with asyncio.timeout(HANG):
            while True:
                received = await self.socket.receive()
                if received.type is not WSMsgType.TEXT:
                    return None
                message: Any = decode(received.data, FROM_SERVER)
                if not isinstance(message, Ping) and (kind is None or isinstance(message, kind)):
                    return message

    async def join(self, code: str = "", key: str = "", name: str = "Ke") -> Any:
        await self.say(Join(VERSION, name, code, key))
        return await self.hear()


class Server:
    """A running server with one game."""

    def __init__(self, lobby: Lobby, address: tuple[str, int], session: ClientSession) -> None:
        self.lobby = lobby
        self.address = address
        self.session = session
        self.wires: list[Wire] = []
        self.game = ""
        self.host_key = self.code = ""

    def lay(self, terms: Terms = SMALL, name: str = "Lu") -> Referee:
        referee, self.host_key, self.code = self.lobby.host(terms, name)
        self.game = referee.name
        return referee

    @property
    def url(self) -> str:
        return f"ws://{self.address[0]}:{self.address[1]}"

    async def wire(self, game: str = "", address: str = "", secret: str = "") -> Wire:
        """Connect, from ``address`` if the server trusts this computer as a proxy, with the secret of an account."""
        headers = {**({"X-Forwarded-For": address} if address else {}), **bearer(secret)}
        url = f"{self.url}/game/{game or self.game}"
        wire = Wire(await self.session.ws_connect(url, max_msg_size=0, headers=headers))
        self.wires.append(wire)
        return wire

    async def two(self) -> tuple[Wire, Wire, str]:
        """Connect and seat host and guest; return both connections and the guest's key."""
        host, guest = await self.wire(), await self.wire()
        assert isinstance(await host.join(key=self.host_key), Welcome)
        welcome = await guest.join(code=self.code)
        assert isinstance(welcome, Welcome), welcome
        return host, guest, welcome.key


async def tick(referee: Referee) -> None:
    """Have the referee check the clock now.

    Where a check by the server itself is under way, the referee would leave it at that one, which may have read the
    time before the test advanced it.
    """
    async with referee._lock:
        pass
    await referee.tick()


class _LobbyWithMembers(Lobby):
    """A lobby whose accounts are served with it, as ``serve`` does."""

    def add_to(self, app: web.Application) -> None:
        super().add_to(app)
        if self.store is not None:
            Members(self, self.store, self._now).add_to(app)


@asynccontextmanager
async def server(
    folder: Path,
    limits: Limits | None = None,
    now: Callable[[], float] = monotonic,
    port: int = 0,
    site: Site | None = None,
    *,
    store: Store | None = None,
    wall: Callable[[], float] = time,
    private_webhooks: bool = False,
) -> AsyncIterator[Server]:
    with create_server(("127.0.0.1", port)) as listening:
        lobby = _LobbyWithMembers(
            folder / "online",
            folder / "library",
            limits,
            now,
            site=site,
            store=store,
            wall=wall,
            private_webhooks=private_webhooks,
            address=f"http://127.0.0.1:{listening.getsockname()[1]}",
        )
        await asyncio.to_thread(lobby.folder.mkdir, parents=True, exist_ok=True)
        lobby.load()
        async with serving(lobby, listening), ClientSession() as session:
            running = Server(lobby, listening.getsockname(), session)
            try:
                yield running
            finally:
                for wire in running.wires:
                    # An open response would fail a later test when it is garbage-collected there.
                    wire.socket._response.close()


class Player:
    """The program's own client, with a log of its events."""

    def __init__(
        self,
        url: str,
        game: str,
        *,
        code: str = "",
        key: str = "",
        name: str = "Ke",
        account: str = "",
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.heard: list[ClientEvent] = []
        self.client = OnlineClient(
            Invitation(url, game, code), name, self.heard.append, key=key, account=account, sleep=sleep
        )
        self.task = asyncio.create_task(self.client.run())

    async def until(self, condition: Callable[[], object]) -> None:
        await until(condition, lambda: f"{self.client.state}, heard {self.heard[-5:]}")

    async def moves(self, count: int) -> None:
        await self.until(lambda: self.client.state is not None and len(self.client.state.moves) == count)

    async def my_turn(self) -> None:
        await self.until(lambda: self.client.my_turn and self.client.connected)

    async def end(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def standing(seat: SavedSeat, patience: float = PATIENCE) -> Standing:
    """Ask the server of a seat how its game stands."""
    (found,) = await current_states([seat], patience)
    return found
