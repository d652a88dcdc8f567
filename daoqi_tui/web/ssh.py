"""The ssh door of a lobby: ``ssh play@HOST`` opens the program on it, in a terminal of the visitor's.

A session is what a browser's is, a process without access to the owner's files, engines and programs, and counts among
the same boards. There is no shell and no command, no forwarding, no sftp, and no variable of the client's. A client's
key is its account: it gets its own folder, with its settings and seats; a guest needs none and leaves nothing.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import re
import signal
import socket
import struct
import termios
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from time import monotonic
from typing import Final

import asyncssh

from daoqi_tui import crash, log
from daoqi_tui.children import PARENT, STARTED_IN_THREAD, clamped, command, ended, environment, kill
from daoqi_tui.i18n import language, translate
from daoqi_tui.play.online.connections import Pass, network_of, oldest_of_busiest
from daoqi_tui.play.online.hosting import REACHED, VISITOR
from daoqi_tui.play.online.invitation import LONGEST_NAME
from daoqi_tui.play.online.protocol import REASONS
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.record.files import write_atomically
from daoqi_tui.text import plain_line
from daoqi_tui.web.lobby import MOST_GAMES, Board, Boards, NoRoomError, homes

USER: Final = "play"
"""The name with which a visitor has no name yet; any other is what they are called."""
_HOST_KEY: Final = "ssh_host_key"
_GUEST: Final = "daoqi-tui-guest-"
"""The start of the names of the homes of guests, which are locked while their server lives."""
_TERMS: Final = re.compile(
    r"(xterm|screen|tmux|rxvt|rxvt-unicode|linux|vt100|vt220|konsole|st)(-(16|88|256)color)?|alacritty|contour|foot|wezterm"
    r"|xterm-(kitty|ghostty|direct)"
)
"""The terminals whose names are passed on; any other counts as the usual one."""
_USUAL: Final = "xterm-256color"
_TRUE_COLOURS: Final = ("alacritty", "contour", "foot", "wezterm", "xterm-kitty", "xterm-ghostty", "xterm-direct")
_KEPT: Final = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "LC_CTYPE", PARENT, STARTED_IN_THREAD)
"""The variables of the server that a session has: what its program needs to run."""
_PER_KEY: Final = 3
_MOST_CONNECTIONS: Final = 100
_CONNECTIONS_PER_ADDRESS: Final = 10
_MOST_ACCOUNTS: Final = 2000
"""The number of folders of keys; later ones are served as guests."""
_LOGIN: Final = 30
_SESSION: Final = 30.0
"""Seconds in which a client opens its terminal."""
_IDLE: Final = 3600.0
"""Seconds without a key after which a session ends."""
_LOOK: Final = 5.0
_PATIENCE: Final = 5.0
_CHUNK: Final = 1 << 14
_WINDOW: Final = 1 << 16
"""Bytes that a client may send before they are taken."""


def terminal_variables(name: str) -> dict[str, str]:
    """Return the variables of a session for the client's terminal, of whose name nothing else is believed.

    >>> terminal_variables("xterm-kitty"), terminal_variables("../../etc/x")
    ({'TERM': 'xterm-kitty', 'COLORTERM': 'truecolor'}, {'TERM': 'xterm-256color'})
    """
    term = name if _TERMS.fullmatch(name) else _USUAL
    return {"TERM": term} | ({"COLORTERM": "truecolor"} if term in _TRUE_COLOURS else {})


class SshDoor:
    """Serves a lobby over ssh.

    Args:
        folder: for the key of the host, and the folders of visitors with a key.
        boards: the boards of the server, among which sessions count.
        lobby: the lobby.
        url: under which this computer reaches it.
        reached: the address at which others do, for the invitations of visitors.
    """

    def __init__(self, folder: Path, boards: Boards, lobby: Lobby, url: str, reached: str = "") -> None:
        self.folder: Final = folder
        self.boards: Final = boards
        self.lobby: Final = lobby
        self.url: Final = url
        self.reached: Final = reached
        self.keys: Final[Counter[str]] = Counter()
        self.open: Final[dict[_Visitor, asyncssh.SSHServerConnection]] = {}
        """In the order of arrival."""
        self.ending: Final[set[asyncio.Task[None]]] = set()

    @asynccontextmanager
    async def serving(self, listening: socket.socket) -> AsyncIterator[None]:
        """Serve at a listening socket, while the block lasts.

        Raises:
            OSError: the key of the host can neither be read nor made.
        """
        await asyncio.to_thread(_remove_left_homes)
        server = await asyncssh.create_server(
            lambda: _Visitor(self),
            sock=listening,
            server_host_keys=[await asyncio.to_thread(self._host_key)],
            server_version="Daoqi",
            login_timeout=_LOGIN,
            keepalive_interval=30,
            encoding=None,
            line_editor=False,
            agent_forwarding=False,
            x11_forwarding=False,
            gss_host=None,
            window=_WINDOW,
            rekey_bytes=1 << 30,
        )
        log.info("ssh is served at %s", listening.getsockname())
        try:
            yield
        finally:
            server.close()
            for connection in tuple(self.open.values()):
                connection.abort()
            await server.wait_closed()
            while self.ending:
                await asyncio.wait(self.ending)

    def _host_key(self) -> asyncssh.SSHKey:
        """Return the key of the host, which is made at the first start."""
        file = self.folder / _HOST_KEY
        with suppress(FileNotFoundError):
            return asyncssh.read_private_key(file)
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        key = asyncssh.generate_private_key("ssh-ed25519")
        write_atomically(file, key.export_private_key())
        file.chmod(0o600)
        return key

    def account(self, fingerprint: str) -> Path | None:
        """Return the folder of a key, None for a guest; waits for the disk."""
        if not fingerprint:
            return None
        accounts = self.folder / "accounts"
        folder = accounts / fingerprint
        if not folder.is_dir():
            accounts.mkdir(exist_ok=True, mode=0o700)
            if sum(1 for _folder in accounts.iterdir()) >= _MOST_ACCOUNTS:
                return None
            folder.mkdir(mode=0o700)
        return folder


def _locked(home: str | Path) -> int:
    """Open and lock a folder; raises OSError where another process has it, or the file system has no locks."""
    descriptor = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _remove_left_homes() -> None:
    """Remove the homes of guests whose server was killed."""
    for home in Path(gettempdir()).glob(f"{_GUEST}*"):
        with suppress(OSError):
            descriptor = _locked(home)
            if os.fstat(descriptor).st_uid == os.getuid():
                rmtree(home, ignore_errors=True)
            os.close(descriptor)


class _Visitor(asyncssh.SSHServer):
    """A connection, which may have one session."""

    def __init__(self, door: SshDoor) -> None:
        self._door = door
        self.address = ""
        self._connection: asyncssh.SSHServerConnection | None = None
        self._fingerprint = ""
        self._name = ""
        self._session: _Session | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        peer = conn.get_extra_info("peername") or ("",)
        self._connection, self.address = conn, network_of(str(peer[0]))
        self._door.open[self] = conn
        loop = asyncio.get_running_loop()
        loop.call_later(_SESSION, self._expect_session)
        # asyncssh is not ready to be told here.
        if sum(visitor.address == self.address for visitor in self._door.open) > _CONNECTIONS_PER_ADDRESS:
            loop.call_soon(conn.abort)
        elif len(self._door.open) > _MOST_CONNECTIONS:
            idle = [visitor for visitor in self._door.open if not visitor.is_playing]
            loop.call_soon(self._door.open.pop(oldest_of_busiest(idle)).abort)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncssh's form)
        self._connection = None
        self._door.open.pop(self, None)

    @property
    def is_playing(self) -> bool:
        return self._session is not None and self._session.is_running

    def _expect_session(self) -> None:
        """End a connection that has no program, which would only take the room of others."""
        if not self.is_playing and self._connection is not None:
            self._connection.abort()

    # Who it is

    def begin_auth(self, username: str) -> bool:
        self._name = "" if username == USER else plain_line(username)[:LONGEST_NAME]
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:  # noqa: ARG002 (asyncssh's form)
        # Also for a key that a client only asks about; the last one is the one that it then proves to have.
        self._fingerprint = sha256(key.public_data).hexdigest()[:32]
        return True

    def kbdint_auth_supported(self) -> bool:
        return True

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> bool:  # noqa: ARG002 (asyncssh's form)
        # A guest, whatever key was asked about before.
        self._fingerprint = ""
        return True

    # What it may

    def session_requested(self) -> bool | tuple[asyncssh.SSHServerChannel[bytes], asyncssh.SSHServerSession[bytes]]:
        if self._session is not None or self._connection is None:
            return False
        self._session = _Session(self._door, self.address, self._fingerprint, self._name, self._ended)
        return _channel(self._connection), self._session

    def _ended(self) -> None:
        asyncio.get_running_loop().call_later(_PATIENCE, self._expect_session)


class _Channel(asyncssh.SSHServerChannel[bytes]):
    """A channel that refuses variables; asyncssh would keep any number of them, and has no other way to refuse."""

    def _process_env_request(self, _packet: object) -> bool:
        return False


def _channel(connection: asyncssh.SSHServerConnection) -> asyncssh.SSHServerChannel[bytes]:
    channel = connection.create_server_channel(encoding=None)
    channel.__class__ = _Channel
    return channel


class _Session(asyncssh.SSHServerSession[bytes]):
    """A program in a terminal of the visitor's."""

    def __init__(self, door: SshDoor, address: str, fingerprint: str, name: str, ended: Callable[[], object]) -> None:
        self._door = door
        self._ended = ended
        self._fingerprint = fingerprint
        self._name = name
        self._board = Board(address)
        self._term: str | None = None
        self._size = clamped(80, 24)
        self._channel: asyncssh.SSHServerChannel[bytes] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._master: int | None = None
        self._running: asyncio.Task[None] | None = None
        self._typed = bytearray()
        self._last_typed = monotonic()
        self._over = asyncio.Event()

    @property
    def is_running(self) -> bool:
        return self._running is not None and not self._running.done()

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        self._channel = chan

    def pty_requested(
        self,
        term_type: str,
        term_size: tuple[int, int, int, int],
        term_modes: Mapping[int, int],  # noqa: ARG002 (asyncssh's form)
    ) -> bool:
        # A client that knows no size says 0.
        self._term, self._size = term_type, clamped(term_size[0] or 80, term_size[1] or 24)
        return True

    def shell_requested(self) -> bool:
        return self._term is not None and self._running is None

    def session_started(self) -> None:
        self._running = asyncio.get_running_loop().create_task(self._run())
        self._door.ending.add(self._running)
        self._running.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._door.ending.discard(task)
        self._ended()
        if not task.cancelled() and (error := task.exception()) is not None:
            crash.report(error)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncssh's form)
        self._over.set()

    def eof_received(self) -> bool:
        self._over.set()
        return False

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:  # noqa: ARG002 (asyncssh's form)
        self._size = clamped(width, height)
        self._send_size()

    # The program

    async def _run(self) -> None:
        assert self._channel is not None
        key = self._fingerprint
        try:
            if key and self._door.keys[key] >= _PER_KEY:
                raise NoRoomError("Too many boards are open from this address: close one.")
            before = self._door.boards.add(self._board, MOST_GAMES)
        except NoRoomError as error:
            self._channel.write(f"{error}\r\n".encode())
            self._channel.exit(1)
            return
        self._door.keys.update((key,))
        try:
            self._board.open(lambda _code: self._over.set())
            if before is not None:
                await before.over.wait()
            await self._admitted(self._channel)
        finally:
            self._door.keys.subtract((key,))
            if not self._door.keys[key]:
                del self._door.keys[key]
            self._door.boards.remove(self._board)
            self._board.over.set()

    async def _admitted(self, channel: asyncssh.SSHServerChannel[bytes]) -> None:
        """Let the visitor in as the owner of their account, and as from their own address."""
        lobby, address = self._door.lobby, self._board.address
        try:
            known = await lobby.account_with_key(self._fingerprint, self._name, address)
        except RefusedError as error:
            channel.write(f"{translate(REASONS[error.code])}\r\n".encode())
            channel.exit(1)
            return
        visitor = Pass(address) if known is None else Pass(address, known.id)
        with lobby.passes.given(visitor) as secret:
            await self._play(channel, secret, self._name if known is None else known.name)

    async def _play(self, channel: asyncssh.SSHServerChannel[bytes], secret: str, name: str) -> None:
        account = await asyncio.to_thread(self._door.account, self._fingerprint)
        home = str(account) if account is not None else mkdtemp(prefix=_GUEST)
        held = None
        if account is None:
            with suppress(OSError):
                held = _locked(home)
        self._master, slave = pty.openpty()
        status = 1
        try:
            os.set_blocking(self._master, False)
            self._send_size()
            words = [*command("daoqi_tui"), "--lang", language(), "join", self._door.url, f"--name={name}"]
            variables = {**self._variables(home), VISITOR: secret, REACHED: self._door.reached}
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *words, stdin=slave, stdout=slave, stderr=slave, env=variables, start_new_session=True
                )
            finally:
                os.close(slave)
            self._board.start(partial(kill, self._process))
            asyncio.get_running_loop().add_reader(self._master, self._forward)
            await self._until_over()
            status = await self._end()
        finally:
            self._close_terminal()
            if account is None:
                await asyncio.to_thread(rmtree, home, ignore_errors=True)
            if held is not None:
                os.close(held)
            channel.exit(max(0, status))

    def _variables(self, home: str) -> dict[str, str]:
        own = {name: value for name, value in environment().items() if name in _KEPT}
        driver = {"TEXTUAL_DRIVER": "daoqi_tui.tui.driver:GuestDriver", "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"}
        return {**own, **homes(home), **driver, **terminal_variables(self._term or ""), "SSH_CONNECTION": "guest"}

    async def _until_over(self) -> None:
        """Wait until the program or the connection has ended, or nothing was typed for long."""
        assert self._process is not None
        ends = [asyncio.create_task(self._process.wait()), asyncio.create_task(self._over.wait())]
        try:
            while not any(end.done() for end in ends) and monotonic() - self._last_typed < _IDLE:
                await asyncio.wait(ends, timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()

    async def _end(self) -> int:
        process = self._process
        assert process is not None
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGHUP)
        return await ended(process, _PATIENCE)

    def _close_terminal(self) -> None:
        master, self._master = self._master, None
        if master is not None:
            loop = asyncio.get_running_loop()
            loop.remove_reader(master)
            loop.remove_writer(master)
            os.close(master)

    def _send_size(self) -> None:
        if self._master is None:
            return
        columns, rows = self._size
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if self._process is not None and self._process.returncode is None:
            # The terminal controls no process, so that the system tells none.
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGWINCH)

    # What is typed and shown

    def data_received(self, data: bytes, datatype: int | None) -> None:  # noqa: ARG002 (asyncssh's form)
        self._last_typed = monotonic()
        self._typed += data
        self._pass_on()

    def _pass_on(self) -> None:
        """Pass on what was typed; what the program does not take yet waits, and then the client does."""
        if self._master is None or self._channel is None:
            # Typed before the program runs, which would clear it.
            self._typed.clear()
            return
        loop = asyncio.get_running_loop()
        try:
            del self._typed[: os.write(self._master, self._typed)]
        except BlockingIOError:
            pass
        except OSError:
            self._typed.clear()
        if self._typed:
            loop.add_writer(self._master, self._pass_on)
            self._channel.pause_reading()
        else:
            loop.remove_writer(self._master)
            self._channel.resume_reading()

    def _forward(self) -> None:
        assert self._master is not None
        assert self._channel is not None
        try:
            shown = os.read(self._master, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            shown = b""
        if not shown:
            asyncio.get_running_loop().remove_reader(self._master)
        elif not self._channel.is_closing():
            # What is shown after that is dropped, so that the program can end.
            self._channel.write(shown)

    def pause_writing(self) -> None:
        """Have the program wait for a slow reader."""
        if self._master is not None:
            asyncio.get_running_loop().remove_reader(self._master)

    def resume_writing(self) -> None:
        if self._master is not None:
            asyncio.get_running_loop().add_reader(self._master, self._forward)
