"""The latency of moves in online games, on a server with many games, compared with a server that only echoes.

    python tests/benchmarks/online.py [--games 200] [--spectators 200] [--pace 5] [--moves 10]

The server is a separate process on one core; the clients in all seats and the spectators run in this process. Each move
is on the server's disk before it is announced. Latency is the wall-clock time from sending a move to receiving its
announcement, which acknowledges it to the sender and reports it to the opponent. The echo server answers messages of
the same size, at the same rate, on as many connections, on the same core.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from socket import create_server
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from aiohttp import ClientSession, ClientWebSocketResponse, TCPConnector, web

from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.protocol import (
    FROM_SERVER,
    VERSION,
    Join,
    Moved,
    Ping,
    Play,
    Pong,
    Refused,
    State,
    Welcome,
    decode,
    encode,
)
from daoqi_tui.play.online.server import Lobby, serving
from daoqi_tui.play.online.table import Terms

SIZE = 16


def serve(pipe: Connection, games: int, folder: str) -> None:
    """Serve games on one core; send the port and the seats, and later the CPU time used."""
    alone_on_a_core()
    asyncio.run(_serve(pipe, games, Path(folder)))


async def _serve(pipe: Connection, games: int, folder: Path) -> None:
    (folder / "games").mkdir()
    most = 10**6
    # All come from this computer.
    limits = Limits(games, tables_per_address=most, connections=most, per_address=most, passing=most)
    lobby = Lobby(folder / "games", folder / "library", limits)
    seats = []
    for _ in range(games):
        game, key, code = lobby.host(Terms(SIZE, black="host"), "Lu")
        seats.append((game.name, key, code))
    with create_server(("127.0.0.1", 0), backlog=1024) as listening:
        async with serving(lobby, listening):
            pipe.send((listening.getsockname()[1], seats))
            await told_to_end(pipe)


def echo(pipe: Connection) -> None:
    """Answer every message with itself, on one core."""
    alone_on_a_core()

    async def answer(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(compress=False)
        await socket.prepare(request)
        async for message in socket:
            await socket.send_str(message.data)
        return socket

    async def main() -> None:
        app = web.Application()
        app.router.add_get("/", answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        with create_server(("127.0.0.1", 0), backlog=1024) as listening:
            await web.SockSite(runner, listening).start()
            pipe.send(listening.getsockname()[1])
            await told_to_end(pipe)
            await runner.cleanup()

    asyncio.run(main())


async def told_to_end(pipe: Connection) -> None:
    """Send the CPU time used so far on each request, and return on the last."""
    while await asyncio.to_thread(pipe.recv):
        pipe.send(time.process_time())
    pipe.send(None)


def alone_on_a_core() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@dataclass
class Times:
    """The measurements, in seconds."""

    acknowledged: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    refused: int = 0


@dataclass
class Table:
    """A game with its two seats, as seen by the clients."""

    times: Times
    pace: float
    moves: int
    chance: random.Random
    begun: asyncio.Event
    points: list[str]
    sent: float = 0.0

    async def move(self, socket: ClientWebSocketResponse, number: int) -> None:
        await self.begun.wait()
        await asyncio.sleep(self.chance.uniform(0, 2 * self.pace))
        self.sent = time.perf_counter()
        await socket.send_str(encode(Play(number, self.points[number - 1])))

    async def play(self, socket: ClientWebSocketResponse, secret: Join, seated: asyncio.Event) -> None:
        """Take a seat until all moves are played; reading never stops, so that the server's heartbeat is answered."""
        await socket.send_str(encode(secret))
        role, made, asked, playing = "", 0, 0, False
        moving = asyncio.create_task(asyncio.sleep(0))
        while made < self.moves:
            message = decode(await socket.receive_str(), FROM_SERVER)
            match message:
                case Ping(id=number):
                    await socket.send_str(encode(Pong(number)))
                case Welcome():
                    role = message.role
                case State(phase=phase):
                    playing = phase == "playing"
                    seated.set()
                case Moved(number=made, colour=colour):
                    heard = self.times.acknowledged if colour == role else self.times.told
                    heard.append(time.perf_counter() - self.sent)
                case Refused():
                    self.times.refused += 1
            if playing and asked <= made < self.moves and role == ("black", "white")[made % 2]:
                asked = made + 1
                moving = asyncio.create_task(self.move(socket, asked))
        await moving


async def measure(options: argparse.Namespace, port: int, seats: list[tuple[str, str, str]]) -> Times:
    """Play all games; return the measurements."""
    times, chance, begun = Times(), random.Random(1), asyncio.Event()
    letters = "ABCDEFGHJKLMNOPQRST"[:SIZE]
    # No two of these points are adjacent, so every move is legal.
    points = [f"{letters[column]}{row + 1}" for row in range(0, SIZE, 2) for column in range(0, SIZE, 2)]
    async with ClientSession(connector=TCPConnector(limit=0)) as session:

        async def connect(game: str) -> ClientWebSocketResponse:
            return await session.ws_connect(Invitation(f"ws://127.0.0.1:{port}", game).url, compress=0)

        async def watch(game: str, seated: asyncio.Event) -> None:
            socket = await connect(game)
            await socket.send_str(encode(Join(VERSION, "Wu")))
            async for received in socket:
                seated.set()
                # Decoding all that spectators are sent would take longer than the server takes to send it.
                if received.data.startswith('{"type":"ping"'):
                    message = decode(received.data, FROM_SERVER)
                    assert isinstance(message, Ping)
                    await socket.send_str(encode(Pong(message.id)))

        players, places = [], [asyncio.Event() for _ in range(2 * len(seats) + options.spectators)]
        free = iter(places)
        for game, *secrets in seats:
            table = Table(times, options.pace, options.moves, chance, begun, chance.sample(points, len(points)))
            host, guest = Join(VERSION, "Lu", key=secrets[0]), Join(VERSION, "Ke", code=secrets[1])
            players += [
                asyncio.create_task(table.play(await connect(game), seat, next(free))) for seat in (host, guest)
            ]
        watched = [seats[number % len(seats)][0] for number in range(options.spectators)]
        watchers = [asyncio.create_task(watch(game, next(free))) for game in watched]
        await asyncio.gather(*(place.wait() for place in places))
        begun.set()
        await asyncio.gather(*players)
        for task in watchers:
            task.cancel()
        await asyncio.gather(*watchers, return_exceptions=True)
    return times


async def measure_echo(options: argparse.Namespace, port: int) -> Times:
    """Send messages at the same rate, on as many connections, each answered once; return the measurements."""
    times, chance = Times(), random.Random(1)
    text = encode(Play(1, "K10"))
    async with ClientSession(connector=TCPConnector(limit=0)) as session:

        async def talk(socket: ClientWebSocketResponse) -> None:
            for _ in range(options.moves // 2):
                # Each seat plays every second move.
                await asyncio.sleep(chance.uniform(0, 4 * options.pace))
                sent = time.perf_counter()
                await socket.send_str(text)
                await socket.receive_str()
                times.acknowledged.append(time.perf_counter() - sent)

        sockets = [await session.ws_connect(f"ws://127.0.0.1:{port}/", compress=0) for _ in range(2 * options.games)]
        await asyncio.gather(*map(talk, sockets))
    return times


def run(
    target: Callable[..., None], arguments: tuple[object, ...], use: Callable[..., Coroutine[Any, Any, Times]]
) -> None:
    """Start a server, measure, and print the results."""
    here, there = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=target, args=(there, *arguments))
    process.start()
    try:
        told = here.recv()
        here.send(True)
        before, start = here.recv(), time.perf_counter()
        times = asyncio.run(use(*told) if isinstance(told, tuple) else use(told))
        here.send(True)
        busy, passed = here.recv() - before, time.perf_counter() - start
        for name, found in (("acknowledged", times.acknowledged), ("told to the opponent", times.told)):
            if found:
                cuts = quantiles(found, n=100)
                print(
                    f"  {name}: median {median(found) * 1e3:.1f} ms, 95 of 100 under {cuts[94] * 1e3:.1f} ms, "
                    f"99 under {cuts[98] * 1e3:.1f} ms, worst {max(found) * 1e3:.0f} ms ({len(found)} messages)"
                )
        sent = len(times.acknowledged)
        print(f"  {sent / passed:.0f} a second, {busy / sent * 1e3:.2f} ms of the server's CPU time each", end="")
        print(f", {busy / passed:.0%} of its core, {times.refused} refused")
        here.send(False)
        here.recv()
    finally:
        process.terminate()
        process.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--spectators", type=int, default=200)
    parser.add_argument("--pace", type=float, default=5.0, help="seconds from move to move in a game, on average")
    parser.add_argument("--moves", type=int, default=10, help="moves in each game")
    options = parser.parse_args()
    print(f"echo, {2 * options.games} clients")
    run(echo, (), lambda port: measure_echo(options, port))
    with tempfile.TemporaryDirectory() as folder:
        print(f"{options.games} games, {2 * options.games} clients, {options.spectators} spectators")
        run(serve, (options.games, folder), lambda port, seats: measure(options, port, seats))


if __name__ == "__main__":
    main()
