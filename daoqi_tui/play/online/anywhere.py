"""Games that are reached from anywhere: over iroh, by the key of the host's computer in place of an address.

Two computers find each other through a relay server, mostly connect directly then, and encrypt all they send. The
server and its clients speak as always, each with a port of its own computer. iroh is an extra.
"""

from __future__ import annotations

import asyncio
import os
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from daoqi_tui.extras import install_command
from daoqi_tui.message import Message
from daoqi_tui.play.online.invitation import ANYWHERE

if TYPE_CHECKING:
    from iroh.iroh_ffi import BiStream, Endpoint, Incoming

DIRECT: Final = "direct"
"""In place of a relay's URL: none."""
_PROTOCOL: Final = b"daoqi/1"
_CHUNK: Final = 2**16
_PATIENCE: Final = 10.0
"""The timeout in seconds for a relay, and for a host."""


class AnywhereError(OSError):
    """A game cannot be offered, or is not reached, from anywhere.

    Attributes:
        lasts: whether trying again does not help.
    """

    def __init__(self, reason: Message, *, lasts: bool = False) -> None:
        super().__init__(reason)
        self.lasts: Final = lasts


def _iroh() -> ModuleType:
    try:
        import iroh  # noqa: PLC0415 (an extra)
    except ImportError:
        text = Message(
            "games from anywhere need the package iroh: {command} installs it", command=install_command("anywhere")
        )
        raise AnywhereError(text, lasts=True) from None
    return iroh


@asynccontextmanager
async def offered(at: Callable[[], tuple[str, int]], secret: Path, relay: str = "") -> AsyncIterator[str]:
    """Offer a server of this computer while the block lasts; yield its URL.

    Args:
        at: returns the address and port at which the server listens.
        secret: the file of the key, which is written if there is none: with it, the URL leads here again next time.
        relay: the URL of a relay server, or :data:`DIRECT`; empty for the public ones of iroh.

    Raises:
        AnywhereError: iroh is not installed, the URL of the relay is none, or no relay answers.
        OSError: the key cannot be read or written.
    """
    iroh = _iroh()
    key = await asyncio.to_thread(_key, secret, iroh)
    tasks: set[asyncio.Task[None]] = set()

    async def welcome(incoming: Incoming) -> None:
        with suppress(iroh.IrohError, OSError):
            guest = await (await incoming.accept()).connect()
            stream = await guest.accept_bi()
            await _pass_on(*await asyncio.open_connection(*at()), stream)

    async def take() -> None:
        while (incoming := await endpoint.accept_next()) is not None:
            _begin(tasks, welcome(incoming)).add_done_callback(tasks.discard)

    async with _endpoint(iroh, relay, key) as endpoint, _ending(tasks):
        if relay != DIRECT:
            try:
                await asyncio.wait_for(endpoint.online(), _PATIENCE)
            except TimeoutError:
                raise AnywhereError(Message("no relay server answers; is this computer on the internet?")) from None
        _begin(tasks, take())
        yield ANYWHERE + str(iroh.EndpointTicket.from_addr(endpoint.addr()))


@asynccontextmanager
async def reached(server: str) -> AsyncIterator[str]:
    """Yield the URL under which a program of this computer reaches a server while the block lasts.

    Raises:
        AnywhereError: iroh is not installed, or the host is not reached.
    """
    if not server.startswith(ANYWHERE):
        yield server
        return
    iroh = _iroh()
    try:
        address = iroh.EndpointTicket.from_string(server.removeprefix(ANYWHERE)).endpoint_addr()
    except iroh.IrohError:
        raise AnywhereError(
            Message("a part of the invitation is missing or wrong; ask for it to be copied again"), lasts=True
        ) from None
    tasks: set[asyncio.Task[None]] = set()

    async def connect(reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(iroh.IrohError, OSError):
            await _pass_on(reader, writer, await host.open_bi())

    async with _endpoint(iroh, address.relay_url() or DIRECT) as endpoint, _ending(tasks):
        try:
            host = await asyncio.wait_for(endpoint.connect(address, _PROTOCOL), _PATIENCE)
        except (TimeoutError, iroh.IrohError):
            raise AnywhereError(
                Message("the host's computer is not found; perhaps its program is closed, or one of you is not online")
            ) from None
        server_here = await asyncio.start_server(lambda *ends: _begin(tasks, connect(*ends)), "127.0.0.1", 0)
        async with server_here:
            yield f"ws://127.0.0.1:{server_here.sockets[0].getsockname()[1]}"


def _key(file: Path, iroh: ModuleType) -> bytes:
    """Return the key of this computer; nobody else may read it, since whoever has it could receive its guests."""
    with suppress(FileNotFoundError):
        return file.read_bytes()
    key = bytes(iroh.SecretKey.generate().to_bytes())
    file.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as written:
        written.write(key)
    return key


@asynccontextmanager
async def _endpoint(iroh: ModuleType, relay: str, key: bytes | None = None) -> AsyncIterator[Endpoint]:
    """Yield an end of lines of iroh, which takes lines if it has a key.

    Raises:
        AnywhereError: the URL of the relay is none, or there is no network.
    """
    try:
        mode = iroh.RelayMode.default_mode()
        if relay:
            mode = iroh.RelayMode.disabled() if relay == DIRECT else iroh.RelayMode.custom_from_urls([relay])
        options = iroh.EndpointOptions(
            preset=iroh.preset_minimal(), relay_mode=mode, secret_key=key, alpns=[_PROTOCOL] if key else []
        )
        endpoint = await iroh.Endpoint.bind(options)
    except iroh.IrohError as error:
        reason = str(error.message()).partition("\n")[0]
        raise AnywhereError(Message("iroh does not start: {reason}", reason=reason), lasts=True) from None
    try:
        yield endpoint
    finally:
        await endpoint.close()


async def _pass_on(reader: StreamReader, writer: StreamWriter, stream: BiStream) -> None:
    """Pass on what comes, both ways, until one of them ends."""
    sent, received = stream.send(), stream.recv()

    async def out() -> None:
        while data := await reader.read(_CHUNK):
            await sent.write_all(data)
        await sent.finish()

    async def back() -> None:
        while data := await received.read(_CHUNK):
            writer.write(data)
            await writer.drain()

    ways: set[asyncio.Task[None]] = set()
    try:
        async with _ending(ways):
            for way in (out, back):
                _begin(ways, way())
            await asyncio.wait(set(ways), return_when=asyncio.FIRST_COMPLETED)
    finally:
        writer.close()


def _begin(tasks: set[asyncio.Task[None]], work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    task = asyncio.get_running_loop().create_task(work)
    tasks.add(task)
    return task


@asynccontextmanager
async def _ending(tasks: set[asyncio.Task[None]]) -> AsyncIterator[None]:
    """End tasks with the block; what fails in them has ended a line, which both ends see."""
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
