"""The latency of moves in online games, and what spectators cost, on a server with many games on one core.

    python tests/benchmarks/online.py [--games 500] [--spectators 1000] [--watched 500] [--pace 5] [--moves 10]

The server is a process alone on one core; the clients are in processes on the others, an echo server for comparison is
on the same core. Each move is on the server's disk before it is announced. Latency is the wall-clock time from sending
a move to receiving its announcement, which acknowledges it to the sender and reports it to the opponent.

The same number of moves is played without and with spectators, and nothing is played for a while before that: what a
spectator costs is the difference, for each move of the watched games, and what all connections cost while nothing
happens. Where clients and server share cores, or others use them, the latency is that of the crowd as well; CPU time
is not.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import os
import pstats
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from socket import create_server
from statistics import median, quantiles
from typing import Any, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from aiohttp import web

from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.protocol import (
    FROM_SERVER,
    VERSION,
    ClientMessage,
    Join,
    Moved,
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

SIZE: Final = 16
CONNECTING: Final = 20
"""The connections that a process of clients opens at a time."""
PING: Final = b'{"type":"ping","id":'
PATIENCE: Final = 120.0
"""Seconds after which something that does not happen is a fault."""


class Used(NamedTuple):
    """What a process has used so far: CPU time in seconds, and memory in bytes."""

    cpu: float
    memory: int
    at: float

    @staticmethod
    def now() -> Used:
        pages = Path("/proc/self/statm")
        memory = int(pages.read_text().split()[1]) * os.sysconf("SC_PAGESIZE") if pages.exists() else 0
        return Used(time.process_time(), memory, time.perf_counter())


class Seats(NamedTuple):
    """A game with the secrets of its two seats, and the number of its spectators."""

    game: str
    key: str
    code: str
    spectators: int


# Servers


def on_cores(*, of_server: bool) -> None:
    """Run on the core of the server, or on the others if there are any."""
    if hasattr(os, "sched_setaffinity"):
        cores = os.sched_getaffinity(0)
        own = {min(cores)}
        os.sched_setaffinity(0, own if of_server else cores - own or cores)


def serve(pipe: Connection, games: int, folder: str, profile: str) -> None:
    """Serve games on one core; send the port and the seats, and on each request what was used."""
    on_cores(of_server=True)
    asyncio.run(_serve(pipe, games, Path(folder), profile))


async def _serve(pipe: Connection, games: int, folder: Path, profile: str) -> None:
    (folder / "games").mkdir()
    most = 10**6
    # All come from this computer.
    limits = Limits(games, tables_per_address=most, connections=most, per_address=most, passing=most, spectators=most)
    lobby = Lobby(folder / "games", folder / "library", limits)
    seats = []
    for _ in range(games):
        game, key, code = lobby.host(Terms(SIZE, black="host"), "Lu")
        seats.append((game.name, key, code))
    with create_server(("127.0.0.1", 0), backlog=1024) as listening:
        async with serving(lobby, listening):
            pipe.send((listening.getsockname()[1], seats))
            await told_to_end(pipe, profile)


def echo(pipe: Connection) -> None:
    """Answer every message with itself, on one core."""
    on_cores(of_server=True)

    async def answer(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(compress=False)
        await socket.prepare(request)
        async for message in socket:
            await socket.send_str(message.data)
        return socket

    async def main() -> None:
        app = web.Application()
        app.router.add_get("/{any:.*}", answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        with create_server(("127.0.0.1", 0), backlog=1024) as listening:
            await web.SockSite(runner, listening).start()
            pipe.send(listening.getsockname()[1])
            await told_to_end(pipe, "")
            await runner.cleanup()

    asyncio.run(main())


async def told_to_end(pipe: Connection, profile: str) -> None:
    """Send what was used so far on each request, and return on the last; write a profile of all in between."""
    profiler = cProfile.Profile()
    while wish := await asyncio.to_thread(pipe.recv):
        pipe.send(Used.now())
        if profile and wish == "profile":
            profiler.enable()
    if profile:
        profiler.disable()
        pstats.Stats(profiler).dump_stats(profile)
    pipe.send(None)


# Clients


class Wire(asyncio.Protocol):
    """The client's end of a WebSocket; that of aiohttp takes longer for a message than the server takes to send it.

    Args:
        game: the id of the game.
        hear: is told each message.
    """

    def __init__(self, game: str, hear: Callable[[bytes], None]) -> None:
        self._game = game
        self._hear = hear
        self._received = bytearray()
        self._transport: asyncio.Transport
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ended = False

    @classmethod
    async def open(cls, port: int, game: str, hear: Callable[[bytes], None]) -> Wire:
        _transport, wire = await asyncio.get_running_loop().create_connection(
            partial(cls, game, hear), "127.0.0.1", port
        )
        await wire.opened
        return wire

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(
            f"GET /game/{self._game} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def connection_lost(self, _error: Exception | None) -> None:
        self.ended = True
        if not self.opened.done():
            self.opened.set_exception(ConnectionError("the server has closed the connection"))

    def send(self, text: bytes, kind: int = 1) -> None:
        length = bytes([128 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
        # The mask of a client may be 0, which changes nothing.
        self._transport.write(bytes([128 | kind]) + length + bytes(4) + text)

    def say(self, message: ClientMessage) -> None:
        self.send(encode(message).encode())

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self.opened.done():
            head, end, rest = bytes(self._received).partition(b"\r\n\r\n")
            if not end:
                return
            assert b" 101 " in head, head
            self._received = bytearray(rest)
            self.opened.set_result(None)
        for kind, payload in self._frames():
            if kind == 9:
                self.send(payload, 10)
            elif kind == 1 and payload.startswith(PING):
                self.say(Pong(int(payload[len(PING) :].partition(b",")[0])))
            elif kind == 1:
                self._hear(payload)

    def _frames(self) -> Iterator[tuple[int, bytes]]:
        received = self._received
        while len(received) >= 2:
            length, start = received[1] & 127, 2
            if length > 125:
                start = 4 if length == 126 else 10
                length = int.from_bytes(received[2:start], "big")
            if len(received) < start + length:
                return
            kind, payload = received[0] & 15, bytes(received[start : start + length])
            del received[: start + length]
            yield kind, payload


@dataclass
class Times:
    """The measurements, in seconds, and what went wrong."""

    acknowledged: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    refused: int = 0
    lost: int = 0

    def add(self, other: Times) -> None:
        self.acknowledged += other.acknowledged
        self.told += other.told
        self.refused += other.refused
        self.lost += other.lost


class Table:
    """A game as its clients see it: two seats, and spectators that count what they hear."""

    def __init__(self, clients: Clients, seats: Seats, points: Sequence[str]) -> None:
        self.clients = clients
        self.seats = seats
        self.points = points
        self.made = 0
        self.goal = 0
        self.sent = 0.0
        self.watched = 0
        self.wires: list[Wire] = []
        self.roles: list[str] = ["", ""]
        self.playing = asyncio.Event()
        self.over = asyncio.Event()

    async def sit(self) -> None:
        host, guest = (Join(VERSION, "Lu", key=self.seats.key), Join(VERSION, "Ke", code=self.seats.code))
        for seat, join in enumerate((host, guest)):
            self.wires.append(await self.clients.open(self.seats.game, partial(self.hear, seat)))
            self.wires[-1].say(join)
        await self.playing.wait()

    async def watch(self) -> None:
        """Have a spectator watch."""
        seated = asyncio.Event()

        def hear(payload: bytes) -> None:
            # To decode all would take longer than the server takes to send it.
            self.watched += payload.startswith(b'{"type":"moved"')
            seated.set()

        wire = await self.clients.open(self.seats.game, hear)
        wire.say(Join(VERSION, "Wu"))
        self.wires.append(wire)
        await seated.wait()

    def hear(self, seat: int, payload: bytes) -> None:
        match decode(payload, FROM_SERVER):
            case Welcome(role=role):
                self.roles[seat] = role
            case State(phase="playing"):
                self.playing.set()
            case Moved(number=number, colour=colour):
                own = colour == self.roles[seat]
                times = self.clients.times
                (times.acknowledged if own else times.told).append(time.perf_counter() - self.sent)
                if not own:
                    self.made = number
                    self.go_on()
            case Refused():
                self.clients.times.refused += 1

    def go_on(self) -> None:
        if self.made >= self.goal:
            self.over.set()
            return
        pause = self.clients.chance.uniform(0, 2 * self.clients.pace)
        asyncio.get_running_loop().call_later(pause, self.move)

    def move(self) -> None:
        self.sent = time.perf_counter()
        mover = self.roles.index(("black", "white")[self.made % 2])
        self.wires[mover].say(Play(self.made + 1, self.points[self.made]))


class Clients:
    """The clients of one process."""

    def __init__(self, port: int, pace: float, chance: random.Random) -> None:
        self.port, self.pace, self.chance = port, pace, chance
        self.times = Times()
        self.opening = asyncio.Semaphore(CONNECTING)

    async def open(self, game: str, hear: Callable[[bytes], None]) -> Wire:
        async with self.opening:
            return await Wire.open(self.port, game, hear)


def take_part(pipe: Connection, port: int, games: Sequence[Seats], pace: float, seed: int) -> None:
    """Be the clients of some games, as told."""
    on_cores(of_server=False)
    asyncio.run(_take_part(pipe, port, games, pace, random.Random(seed)))


async def _take_part(pipe: Connection, port: int, games: Sequence[Seats], pace: float, chance: random.Random) -> None:
    letters = "ABCDEFGHJKLMNOPQRST"[:SIZE]
    # No two of these points are adjacent, so every move is legal.
    points = [f"{letters[column]}{row + 1}" for row in range(0, SIZE, 2) for column in range(0, SIZE, 2)]
    clients = Clients(port, pace, chance)
    tables = [Table(clients, each, chance.sample(points, len(points))) for each in games]
    while wish := await asyncio.to_thread(pipe.recv):
        match wish:
            case "sit":
                await asyncio.gather(*(table.sit() for table in tables))
            case "watch":
                await asyncio.gather(*(table.watch() for table in tables for _ in range(table.seats.spectators)))
            case int(moves):
                clients.times = Times()
                for table in tables:
                    table.goal, table.watched = table.goal + moves, 0
                    table.over.clear()
                    table.go_on()
                await asyncio.gather(*(table.over.wait() for table in tables))
                clients.times.lost = sum(wire.ended for table in tables for wire in table.wires)
        pipe.send((clients.times, Used.now()))


class Process:
    """A process that answers what it is sent over a pipe."""

    def __init__(self, target: Callable[..., None], *arguments: object) -> None:
        context = get_context("spawn")
        self.pipe, there = context.Pipe()
        self.process = context.Process(target=target, args=(there, *arguments), daemon=True)
        self.process.start()
        there.close()

    def hear(self) -> Any:
        if not self.pipe.poll(PATIENCE):
            raise TimeoutError("a process of the benchmark does not answer")
        return self.pipe.recv()

    def ask(self, wish: object) -> Any:
        self.pipe.send(wish)
        return self.hear()

    def end(self) -> None:
        self.pipe.send(None)
        self.process.join(10)
        self.process.terminate()


@contextmanager
def running(*processes: Process) -> Iterator[None]:
    try:
        yield
    finally:
        for process in processes:
            if process.process.is_alive():
                process.end()


def tell(name: str, found: Sequence[float]) -> None:
    cuts = quantiles(found, n=100)
    print(
        f"  {name}: median {median(found) * 1e3:.1f} ms, 95 of 100 under {cuts[94] * 1e3:.1f} ms, "
        f"99 under {cuts[98] * 1e3:.1f} ms, worst {max(found) * 1e3:.0f} ms ({len(found)} messages)"
    )


class Measurement:
    """A server with its clients."""

    def __init__(self, server: Process, clients: Sequence[Process]) -> None:
        self.server, self.clients = server, clients

    def used(self) -> Used:
        used: Used = self.server.ask(True)
        return used

    def all(self, wish: object) -> tuple[Times, float]:
        """Have all clients do something; return their measurements and the CPU time of the busiest."""
        before = [client.ask("nothing")[1] for client in self.clients]
        for client in self.clients:
            client.pipe.send(wish)
        times, busiest = Times(), 0.0
        for client, then in zip(self.clients, before, strict=True):
            # As long as the moves take.
            while not client.pipe.poll(1.0):
                assert client.process.is_alive(), "a process of clients has ended"
            found, used = client.pipe.recv()
            times.add(found)
            busiest = max(busiest, (used.cpu - then.cpu) / (used.at - then.at))
        return times, busiest

    def idle(self, seconds: float) -> float:
        """Return the part of a core that the server uses while nothing is played."""
        before = self.used()
        time.sleep(seconds)
        after = self.used()
        return (after.cpu - before.cpu) / (after.at - before.at)

    def play(self, moves: int, idle: float) -> tuple[int, float]:
        """Have all games go on; print the measurements, return the number of moves, and their CPU time alone."""
        before = self.used()
        times, busiest = self.all(moves)
        after = self.used()
        busy, passed, made = after.cpu - before.cpu, after.at - before.at, len(times.acknowledged)
        tell("acknowledged", times.acknowledged)
        tell("told to the opponent", times.told)
        print(
            f"  {made / passed:.0f} moves a second, {busy / passed:.0%} of the server's core, {idle:.0%} while nothing "
            f"is played; {busiest:.0%} of a core for the busiest clients"
        )
        if times.refused or times.lost:
            print(f"  {times.refused} messages refused, {times.lost} connections lost")
        return made, busy - idle * passed


def measure(options: argparse.Namespace, folder: str) -> None:
    server = Process(serve, options.games, folder, options.profile)
    with running(server):
        port, seats = server.hear()
        watched = options.watched or options.games
        audience = [
            len(range(number, options.spectators, watched)) if number < watched else 0
            for number in range(options.games)
        ]
        games = [Seats(game, key, code, count) for (game, key, code), count in zip(seats, audience, strict=True)]
        clients = [
            Process(take_part, port, games[number :: options.processes], options.pace, number)
            for number in range(options.processes)
        ]
        with running(*clients):
            all_of_it = Measurement(server, clients)
            empty = all_of_it.used()
            all_of_it.all("sit")
            seated = all_of_it.used()
            print(f"{options.games} games, {2 * options.games} players, no spectators")
            print(f"  {(seated.memory - empty.memory) / options.games / 1e3:.0f} kB a game with its players")
            idle = all_of_it.idle(options.rest)
            made, alone = all_of_it.play(options.moves, idle)
            print(f"  {alone / made * 1e3:.2f} ms of CPU time a move")
            if not options.spectators:
                return
            before = all_of_it.used()
            all_of_it.all("watch")
            after = all_of_it.used()
            print(f"{options.games} games, {2 * options.games} players, {options.spectators} spectators of {watched}")
            memory = (after.memory - before.memory) / options.spectators
            print(f"  {memory / 1e3:.0f} kB of memory a spectator, ", end="")
            letting_in = after.cpu - before.cpu - idle * (after.at - before.at)
            print(f"{letting_in / options.spectators * 1e3:.1f} ms of CPU time to let one in")
            idle = all_of_it.idle(options.rest)
            if options.profile:
                server.ask("profile")
            again, crowded = all_of_it.play(options.moves, idle)
            heard = options.moves * options.spectators
            print(f"  {crowded / again * 1e3:.2f} ms of CPU time a move, ", end="")
            print(f"{(crowded - alone) / heard * 1e3:.3f} ms of it for each spectator")


def measure_echo(options: argparse.Namespace) -> None:
    """Send messages at the same rate, on as many connections, each answered once."""
    server = Process(echo)
    with running(server):
        port = server.hear()
        before = server.ask(True)
        times = asyncio.run(_echoed(options, port))
        after = server.ask(True)
        print(f"echo, {2 * options.games} clients")
        tell("answered", times)
        print(f"  {(after.cpu - before.cpu) / len(times) * 1e3:.2f} ms of CPU time each")


async def _echoed(options: argparse.Namespace, port: int) -> list[float]:
    times, chance, text = list[float](), random.Random(1), encode(Play(1, "K10")).encode()
    clients = Clients(port, options.pace, chance)

    async def talk() -> None:
        heard = asyncio.Event()
        wire = await clients.open("", lambda _payload: heard.set())
        for _ in range(options.moves // 2):
            # Each seat plays every second move.
            await asyncio.sleep(chance.uniform(0, 4 * options.pace))
            sent = time.perf_counter()
            heard.clear()
            wire.send(text)
            await heard.wait()
            times.append(time.perf_counter() - sent)

    await asyncio.gather(*(talk() for _ in range(2 * options.games)))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--spectators", type=int, default=1000)
    parser.add_argument("--watched", type=int, default=0, help="games with spectators, all by default")
    parser.add_argument("--pace", type=float, default=5.0, help="seconds from move to move in a game, on average")
    parser.add_argument("--moves", type=int, default=10, help="moves in each game, each without and with spectators")
    parser.add_argument("--processes", type=int, default=2, help="processes of clients")
    parser.add_argument("--rest", type=float, default=10.0, help="seconds without moves")
    parser.add_argument("--profile", default="", help="file for a profile of the server with spectators")
    options = parser.parse_args()
    measure_echo(options)
    with tempfile.TemporaryDirectory() as folder:
        measure(options, folder)


if __name__ == "__main__":
    main()
