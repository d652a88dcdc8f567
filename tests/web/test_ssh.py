"""The ssh door: what a visitor sees and may, and what is refused, on this computer."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from pathlib import Path
from socket import create_server
from typing import TYPE_CHECKING

import ptyprocess
import pytest

pytest.importorskip("asyncssh", reason="the extra ssh is not installed: pip install -e '.[ssh]'")
pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")

import asyncssh

from daoqi_tui import crash
from daoqi_tui.play.online.connections import Pass, Site
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.online.table import digest
from daoqi_tui.web import ssh
from daoqi_tui.web.lobby import Boards
from daoqi_tui.web.server import GameServer
from daoqi_tui.web.ssh import SshDoor, terminal_variables
from tests.thorough import rounds
from tests.tui.in_terminal import Terminal
from tests.waiting import HANG, until

if TYPE_CHECKING:
    from daoqi_tui.play.online.store import Store


class Guest(asyncssh.SSHClient):
    """A client without a key."""

    def kbdint_auth_requested(self) -> str:
        return ""

    def kbdint_challenge_received(self, *_challenge: object) -> list[str]:
        return []


class Door:
    """A running lobby with its ssh door."""

    def __init__(self, folder: Path, lobby: Lobby, port: int) -> None:
        self.folder, self.lobby, self.port = folder, lobby, port
        self.boards: Boards = Boards()
        self.door: SshDoor

    def connect(self, user: str = "play", **options: object) -> asyncssh._ACMWrapper[asyncssh.SSHClientConnection]:
        given = {
            "client_keys": None,
            "known_hosts": None,
            "config": None,
            "agent_path": None,
            "client_factory": Guest,
            **options,
        }
        return asyncssh.connect("127.0.0.1", self.port, username=user, **given)


@asynccontextmanager
async def door(folder: Path, store: Store | None = None) -> AsyncIterator[Door]:
    """A lobby over ssh, in this process; what its visitors see runs in processes of their own."""
    ready = asyncio.Event()
    lobby = Lobby(folder / "games", folder / "library", store=store)
    with create_server(("127.0.0.1", 0)) as listening, create_server(("127.0.0.1", 0)) as for_ssh:
        served = Door(folder, lobby, for_ssh.getsockname()[1])

        def serve_ssh(boards: Boards, url: str) -> object:
            served.boards, served.door = boards, SshDoor(folder / "ssh", boards, lobby, url, "https://go.example.org")
            return served.door.serving(for_ssh)

        server = GameServer(["true"], listening, Site(), None, lobby=lobby, ssh=serve_ssh)  # type: ignore[arg-type]
        running = asyncio.create_task(server.run(ready.set))
        async with asyncio.timeout(HANG):
            await ready.wait()
        try:
            yield served
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def shown(process: asyncssh.SSHClientProcess[bytes], *words: bytes) -> bytes:
    """Return what the program has shown once it has shown all these words."""
    found = b""
    async with asyncio.timeout(HANG):
        while not all(word in found for word in words):
            chunk = await process.stdout.read(1 << 14)
            assert chunk, found[-2000:]
            found += chunk
    return found


async def test_a_visitor_sees_the_lobby_and_may_nothing_else(tmp_path: Path) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    async with door(tmp_path) as served:
        async with served.connect("Ke", client_keys=[key]) as visitor:
            for refused in ({"command": "id"}, {"subsystem": "sftp"}, {}):
                # Without a terminal, there is no session either.
                with pytest.raises(asyncssh.ChannelOpenError):
                    await visitor.create_process(**refused)
            with pytest.raises(asyncssh.ChannelOpenError):
                await visitor.open_connection("127.0.0.1", served.port)
            with pytest.raises(asyncssh.ChannelListenError):
                await visitor.forward_remote_port("", 0, "127.0.0.1", 1)
        async with served.connect("Ke", client_keys=[key]) as visitor:
            process = await visitor.create_process(
                term_type="xterm-kitty", term_size=(100, 30), env={"HOME": "/", "LD_PRELOAD": "x"}, encoding=None
            )
            await shown(process, b"Lobby at 127.0.0.1", b"a game of your own")
            with pytest.raises(asyncssh.ChannelOpenError):
                # One session for each connection.
                await visitor.create_process(term_type="xterm", encoding=None)
            [folder] = (tmp_path / "ssh" / "accounts").iterdir()
            [pid] = children()
            environ = Path(f"/proc/{pid}/environ").read_bytes()
            variables = dict(each.split(b"=", 1) for each in environ.split(b"\0") if each)
            assert variables[b"HOME"] == os.fsencode(folder)
            assert variables[b"TERM"] == b"xterm-kitty"
            assert b"LD_PRELOAD" not in variables
            assert variables[b"DAOQI_REACHED"] == b"https://go.example.org"
            # What it does counts for the visitor's address.
            assert served.lobby.passes.find(variables[b"DAOQI_VISITOR"].decode()) == Pass("127.0.0.1")
            assert not {name for name in variables if name.startswith(b"PYTEST")}
            # The window changes, and far more is typed than fits.
            process.change_terminal_size(60, 20)
            await shown(process, b"a game of your own")
            process.stdin.write(b"\x1b[200~" + b"x" * 50_000 + b"\x1b[201~")
            # Esc leaves the lobby, and thereby the program.
            process.stdin.write(b"\x1b")
            async with asyncio.timeout(HANG):
                await process.wait_closed()
            assert process.exit_status == 0
        await until(lambda: not len(served.boards) and not children())
        assert served.lobby.passes.find(variables[b"DAOQI_VISITOR"].decode()) is None
        assert (tmp_path / "ssh" / "ssh_host_key").stat().st_mode & 0o777 == 0o600


async def test_a_key_is_an_account_which_can_be_banned(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="the extra server is not installed: pip install -e '.[server]'")
    from daoqi_tui.play.online.store import Store

    store = Store(f"sqlite:///{tmp_path}/accounts.db")
    keys = [asyncssh.generate_private_key("ssh-ed25519") for _ in range(3)]
    first, second, third = (sha256(key.public_data).hexdigest()[:32] for key in keys)
    async with door(tmp_path, store) as served:
        lobby = served.lobby
        ke = await lobby.account_with_key(first, "Ke", "a")
        assert ke is not None
        # The name is the account's, whatever the visitor calls themselves; a name that is taken makes none.
        assert await lobby.account_with_key(first, "Somebody", "a") == ke
        for other in ((second, "KE"), (second, ""), ("", "Lu")):
            assert await lobby.account_with_key(*other, "a") is None
        # What a client sends in place of a link is no key.
        assert store.opened_with(digest(f"ssh:{first}")) is None
        for number in range(lobby.limits.accounts_daily):
            await lobby.account_with_key(f"{number}", f"Many {'abcde'[number]}", "b")
        assert await lobby.account_with_key(third, "Wu", "b") is None
        store.set_banned(ke.id, "spam")
        async with served.connect("Ke", client_keys=[keys[0]]) as visitor:
            process = await visitor.create_process(term_type="xterm", encoding=None)
            await shown(process, b"the operator of this server has banned this account")
            await process.wait_closed()
            assert process.exit_status == 1
        assert not children()
    store.close()


def children() -> list[str]:
    """Return the processes of visitors."""
    found = []
    for pid in (each.name for each in Path("/proc").iterdir() if each.name.isdecimal()):
        try:
            if f"PPid:\t{os.getpid()}\n" in Path(f"/proc/{pid}/status").read_text("utf-8"):
                line = Path(f"/proc/{pid}/cmdline").read_bytes()
                found += [pid] if b"\0join\0" in line else []
        except OSError:
            continue
    return found


async def test_guests_need_no_key_and_have_none_of_somebody_elses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh, "_IDLE", 0.0)
    monkeypatch.setattr(ssh, "_LOOK", 0.05)
    async with door(tmp_path) as served, served.connect() as guest:
        process = await guest.create_process(term_type="nonsense; rm", term_size=(10**9, 10**9), encoding=None)
        # Nothing is typed, so that it is idle at once.
        async with asyncio.timeout(HANG):
            await process.wait_closed()
        assert not (tmp_path / "ssh" / "accounts").exists()
    visitor = ssh._Visitor(SshDoor(tmp_path, Boards(), Lobby(tmp_path, tmp_path), ""))
    visitor.begin_auth("play")
    visitor.validate_public_key("play", asyncssh.generate_private_key("ssh-ed25519"))
    assert visitor._fingerprint
    # A key that was only asked about is nobody's proof.
    assert visitor.get_kbdint_challenge("play", "", "")
    assert not visitor._fingerprint


async def test_homes_of_guests_whose_server_was_killed_are_removed_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    left, other = temporary / "daoqi-tui-guest-dead", temporary / "daoqi-tui-other"
    for folder in (left / "config", other):
        folder.mkdir(parents=True)
    (temporary / "daoqi-tui-guest-link").symlink_to(other)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    async with door(tmp_path) as served:
        assert not left.exists()
        assert (temporary / "daoqi-tui-guest-link").exists(), "only what a server makes is removed"
        async with served.connect() as guest:
            await guest.create_process(term_type="xterm", term_size=(80, 24), encoding=None)
            await until(lambda: len(list(temporary.glob("daoqi-tui-guest-*"))) == 2)
            ssh._remove_left_homes()
            assert len(list(temporary.glob("daoqi-tui-guest-*"))) == 2, "another server lives"
    assert len(list(temporary.glob("daoqi-tui-guest-*"))) == 1


async def test_a_visitor_has_few_connections_and_a_slow_one_keeps_nobody_waiting(
    tmp_path: Path,
) -> None:
    async with door(tmp_path) as served:
        most = ssh._CONNECTIONS_PER_ADDRESS
        opened = [await served.connect() for _ in range(most)]
        with pytest.raises((OSError, asyncssh.Error)):
            await served.connect()
        slow = await opened[0].create_process(term_type="xterm", encoding=None)
        slow.stdout.channel.pause_reading()
        other = await opened[1].create_process(term_type="xterm", encoding=None)
        await shown(other, b"a game of your own")
        for connection in opened:
            connection.abort()
        await until(lambda: not len(served.boards))


async def test_whoever_opens_no_terminal_makes_way_the_oldest_of_the_busiest_address_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh, "_MOST_CONNECTIONS", 3)
    async with door(tmp_path) as served:
        lone = await served.connect(local_addr=("127.0.0.2", 0))
        busy = [await served.connect() for _ in range(4)]
        async with asyncio.timeout(HANG):
            for connection in busy[:2]:
                await connection.wait_closed()
        # The door is open to others, and those who were few are still there.
        assert (await lone.create_process(term_type="xterm", encoding=None)) is not None
        for connection in (lone, *busy):
            connection.abort()
        await until(lambda: not served.boards and not children())
    monkeypatch.setattr(ssh, "_SESSION", 0.2)
    async with door(tmp_path) as served:
        quiet = await served.connect()
        async with asyncio.timeout(HANG):
            await quiet.wait_closed()


MESSAGES = rounds(40, 10_000)


def hostile_packet(chance: random.Random) -> tuple[int, bytes]:
    """A message of ssh's connection protocol, of a known kind, with fields that may be anything."""

    def field() -> bytes:
        words = (b"session", b"exec", b"env", b"shell", b"subsystem", b"pty-req", b"x11-req", b"direct-tcpip", b"\xff")
        more = (b"tcpip-forward", b"auth-agent-req@openssh.com", b"streamlocal-forward@openssh.com", b"window-change")
        text = chance.choice((*words, *more, b"", b"\x1b[2J\0", b"../../x", b"a" * 3000))
        number = chance.choice((0, 1, 255, 1 << 31, (1 << 32) - 1))
        lies = chance.choice((len(text), len(text), len(text), (1 << 32) - 1, 0))
        return chance.choice(
            (
                lies.to_bytes(4, "big") + text,
                number.to_bytes(4, "big"),
                chance.randbytes(1),
                len(text).to_bytes(4, "big") + text,
            )
        )

    kind = chance.choice((80, 90, 90, 91, 93, 94, 95, 96, 98, 98, 98, 99, 192, chance.randrange(1, 256)))
    return kind, b"".join(field() for _ in range(chance.randrange(5)))


async def test_hostile_messages_end_their_connection_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[object] = []
    monkeypatch.setattr(crash, "report", reported.append)
    chance = random.Random(11)
    async with door(tmp_path) as served:
        for number in range(MESSAGES // 4):
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            begin = chance.choice(
                (b"", b"SSH-2.0-x\r\n", b"SSH-1.5-x\r\n", b"GET / HTTP/1.1\r\n\r\n", b"x" * 9000 + b"\n")
            )
            writer.write(begin + chance.randbytes(chance.randrange(3000)))
            if number % 2:
                writer.write_eof()
                with suppress(ConnectionError):
                    async with asyncio.timeout(HANG):
                        await reader.read()
            writer.transport.abort()
        await until(lambda: not served.door.open)
        visitor = None
        for _ in range(MESSAGES):
            if visitor is None or visitor.is_closed():
                visitor = await served.connect(chance.choice(("play", "Ke", "К\u0435", "--engine", "x" * 300)))
            kind, payload = hostile_packet(chance)
            with suppress(asyncssh.Error, OSError):
                visitor.send_packet(kind, payload)
                # What is said in answer, or that it is over.
                async with asyncio.timeout(HANG):
                    await visitor._make_global_request(b"are you there") if not visitor.is_closed() else None
        if visitor is not None:
            visitor.abort()
        await until(lambda: not served.door.ending and not served.door.open)
        assert reported == []
        assert not children()
        honest = await served.connect("Lu")
        process = await honest.create_process(term_type="xterm", encoding=None)
        await shown(process, b"a game of your own")
        honest.abort()
        await until(lambda: not len(served.boards) and not children())


def test_of_a_terminal_only_its_name_is_believed_if_it_is_known() -> None:
    assert terminal_variables("tmux-256color") == {"TERM": "tmux-256color"}
    for forged in ("xterm\n", "xterm\0", "../xterm", "", "x" * 10_000, "xterm-256color-"):
        assert terminal_variables(forged) == {"TERM": "xterm-256color"}


@pytest.mark.skipif(shutil.which("ssh") is None, reason="there is no ssh on this machine")
async def test_the_ssh_of_openssh_plays(tmp_path: Path) -> None:
    async with door(tmp_path) as served:
        options = ["-F", "/dev/null", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
        command = ["ssh", *options, "-o", "IdentitiesOnly=yes", "-p", str(served.port), "play@127.0.0.1"]
        environment = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "HOME": str(tmp_path)}
        process = ptyprocess.PtyProcess.spawn(command, env=environment, dimensions=(24, 80))
        typed = Terminal(process.fd, lambda: not process.isalive())
        try:
            await asyncio.to_thread(typed.wait_until, b"a game of your own")
            typed.send("\x1b")
            await until(lambda: not process.isalive())
        finally:
            await asyncio.to_thread(process.close, True)
