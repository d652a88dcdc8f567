"""The program in a real pseudo-terminal: playing, suspending, slow output, and restoring the terminal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import shlex
import shutil
import signal
import struct
import sys
import termios
import threading
import time
import tty
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ptyprocess
import pytest
from rich.console import RenderableType
from textual._compositor import CompositorUpdate
from textual._context import visible_screen_stack
from textual.app import App
from textual.screen import Screen

from daoqi_tui.play.session import GameSetup
from daoqi_tui.tui.driver import TerminalDriver, Typed, _Output
from daoqi_tui.tui.output import Frame
from tests.tui.driving import Person, playing, until
from tests.tui.in_terminal import read_output
from tests.waiting import HANG, wait_until

pytestmark = pytest.mark.usefixtures("every_frame")

pyte = pytest.importorskip("pyte", reason="pyte, which shows what a terminal would, is not installed")

CHECKOUT = Path(__file__).resolve().parents[2]
COLUMNS, ROWS = 80, 24
PROGRAM = (sys.executable, "-m", "daoqi_tui", "--size", "5")


class Terminal:
    """A program in a terminal of 80 × 24, with a screen emulated by pyte."""

    def __init__(self, home: Path, command: Sequence[str] = PROGRAM) -> None:
        kept = {
            name: os.environ[name]
            for name in ("PATH", "PYTHONPATH", "VIRTUAL_ENV", "XDG_CACHE_HOME")
            if name in os.environ
        }
        environment = {**kept, "HOME": str(home), "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        # Otherwise the program would show the welcome screen of the first start.
        state = home / ".local" / "state" / "daoqi-tui"
        state.mkdir(parents=True, exist_ok=True)
        (state / "welcomed").touch()
        self.process: Any = ptyprocess.PtyProcess.spawn(
            list(command), cwd=str(CHECKOUT), dimensions=(ROWS, COLUMNS), env=environment
        )
        self.output = b""
        self.screen: Any = pyte.Screen(COLUMNS, ROWS)
        self.stream: Any = pyte.ByteStream(self.screen)

    def read(self, seconds: float) -> bool:
        """Read output for at most ``seconds``; return False if the program has closed the terminal."""
        if not select.select([self.process.fd], [], [], seconds)[0]:
            return True
        data = read_output(self.process.fd)
        self.output += data
        # pyte does not know these queries of the terminal's capabilities and would show parts of them as text.
        self.stream.feed(data.replace(b"\x1b[?2026$p", b"").replace(b"\x1b[?2048$p", b"").replace(b"\x1b[>0q", b""))
        return bool(data)

    @property
    def is_full(self) -> bool:
        """True if the terminal accepts no more output until some is read."""
        count: int = struct.unpack("i", fcntl.ioctl(self.process.fd, termios.FIONREAD, bytes(4)))[0]
        return count == 4095

    def wait_until_full(self) -> None:
        wait_until(lambda: self.is_full, lambda: "its output fits into the terminal")

    @property
    def shown(self) -> str:
        return "\n".join(self.screen.display)

    def wait_for(self, *words: str) -> None:
        """Wait until the screen shows all of ``words``."""
        end = time.monotonic() + HANG
        while not all(word in self.shown for word in words):
            assert self.read(0.2), f"the program has ended; its screen:\n{self.shown}"
            assert time.monotonic() < end, f"{words} never came; the screen:\n{self.shown}"

    def wait_for_quiet(self) -> None:
        """Wait until nothing has been written for half a second."""
        end, before = time.monotonic() + HANG, -1
        while before != len(self.output) and time.monotonic() < end:
            before = len(self.output)
            self.read(0.5)

    def type(self, keys: str | bytes) -> None:
        try:
            self.process.write(keys.encode() if isinstance(keys, str) else keys)
        except OSError as error:
            raise AssertionError(f"{keys!r} cannot be typed; the screen:\n{self.shown}") from error

    def close(self) -> None:
        """Kill the program if it is still running, and close the terminal, which would otherwise stay open."""
        self.process.close(force=True)

    def wait_for_end(self) -> int:
        end = time.monotonic() + HANG
        while self.read(0.2):
            assert time.monotonic() < end, f"the program goes on; its screen:\n{self.shown}"
        self.process.wait()
        status: int = self.process.exitstatus
        return status


def test_what_a_terminal_tells_ends_with_its_programs_and_other_errors_are_raised() -> None:
    ours, theirs = os.openpty()
    os.write(theirs, b"last words")
    os.close(theirs)
    assert read_output(ours) == b"last words"
    assert read_output(ours) == b""
    os.close(ours)
    with pytest.raises(OSError, match="Bad file descriptor"):
        read_output(ours)


def test_a_game_in_a_real_terminal(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    try:
        # As a rule before the program has the terminal, when the system makes Ctrl+j of it.
        terminal.type("\r")
        terminal.wait_for("White to move", "C3")
        # Four pans around a square bring the cursor back.
        terminal.type("\x1b[C\x1b[A\x1b[D\x1b[B")
        terminal.type("l\r")
        terminal.wait_for("Black to move", "D3")
        terminal.type("p")
        terminal.wait_for("White to move", "pass")
        terminal.type("p")
        terminal.wait_for("ends the game", "(y)", "(n)")
        terminal.type("y")
        terminal.wait_for("wins")
        terminal.type("q")
        status = terminal.wait_for_end()
    finally:
        terminal.close()
    assert status == 0
    for mode in (b"1000", b"1003", b"1006", b"1015", b"1049", b"2004"):
        on, off = terminal.output.rfind(b"\x1b[?%sh" % mode), terminal.output.rfind(b"\x1b[?%sl" % mode)
        assert off > on or on == -1, f"mode {mode.decode()} is left on"
    assert terminal.output.rfind(b"\x1b[?25h") > terminal.output.rfind(b"\x1b[?25l"), "the cursor is left hidden"
    assert b"Traceback" not in terminal.output


def test_a_click_in_a_real_terminal_plays_and_a_drag_pans(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    try:
        terminal.wait_for("Black to move")
        terminal.wait_for_quiet()
        terminal.type("\x1b[<0;40;10M\x1b[<0;40;10m")
        terminal.wait_for("White to move")
        before = terminal.shown
        terminal.type("\x1b[<0;40;10M\x1b[<32;45;12M\x1b[<0;45;12m")
        wait_until(lambda: terminal.read(0.2) and terminal.shown != before, lambda: terminal.shown)
        assert "White to move" in terminal.shown
        terminal.type("q")
        terminal.wait_for("(y)", "(n)")
        terminal.type("y")
        assert terminal.wait_for_end() == 0
    finally:
        terminal.close()


def test_bytes_that_are_no_text_are_survived(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    kinds = (b"\xff", b"\xe9\r", b"\x9b", b"\xe9\x81", b"\x1b[200~a\xffb\x1b[201~", b"\x1b[1114112u")
    try:
        terminal.wait_for("Black to move")
        for move, (data, point) in enumerate(zip(kinds, ("C3", "D3", "E3", "A3", "B3", "C2"), strict=True), 2):
            terminal.type(data)
            terminal.type("\r")
            # Where the data ends with an Enter as well, the second one is refused.
            terminal.wait_for(f"Move {move}", point)
            terminal.type("lj" if point == "B3" else "l")
        terminal.type("q")
        terminal.wait_for("(y)", "(n)")
        terminal.type("y")
        assert terminal.wait_for_end() == 0
    finally:
        terminal.close()
    assert b"Traceback" not in terminal.output


@pytest.mark.parametrize("read", [True, False])
def test_a_full_terminal_is_restored_once_it_is_read_and_not_waited_for_otherwise(read: bool) -> None:
    ours, theirs = os.openpty()
    seen = bytearray()
    last = b"\x1b[?1049l"

    def show() -> None:
        while last not in seen:
            seen.extend(os.read(ours, 1 << 16))

    terminal = threading.Thread(target=show, daemon=True)
    with os.fdopen(theirs, "w") as stream:
        output = _Output(stream)
        os.set_blocking(theirs, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(theirs, b"x" * 1024)
        os.set_blocking(theirs, True)
        if read:
            # As late as possible: it begins once the output is found to be full.
            wait = output._wait
            output._wait = lambda *left: (terminal.start() if not terminal.ident else None, wait(*left))  # type: ignore[method-assign]
        output.close(last)
        assert os.get_blocking(theirs)
        if read:
            # The system may have found room for the end in another of its buffers meanwhile.
            if not terminal.ident:
                terminal.start()
            terminal.join(HANG)
            assert last in seen
    os.close(ours)


def test_a_frame_that_a_slow_terminal_takes_is_given_up() -> None:
    ours, theirs = os.openpty()
    seen = bytearray()
    frame = Frame("".join(f"\x1b[{1 + number % 20}H{number}" for number in range(200_000)))

    def show() -> None:
        while b"end" not in seen:
            seen.extend(os.read(ours, 1 << 16))

    with os.fdopen(theirs, "w") as stream:
        tty.setraw(theirs)
        output = _Output(stream)
        output.write("begin")
        output.write(frame)
        output.write("end")
        writer = threading.Thread(target=output.flush, daemon=True)
        writer.start()
        os.read(ours, 1)  # It is under way, and more than the system holds is left.
        assert frame.give_up()
        show()
        writer.join(HANG)
        assert seen.endswith(b"\x1b[mend")
        assert len(seen) < len(frame) / 2
        assert not output.busy
    os.close(ours)


def test_no_frame_begins_while_esc_may_begin_another_key() -> None:
    """Over a slow line it would delay what Esc shows, as a frame of the torus the board."""
    typed = Typed()
    driver = SimpleNamespace(_typed=typed, _output=SimpleNamespace(busy=False), _writer_thread=None)
    is_behind = vars(TerminalDriver)["behind"].fget
    assert not is_behind(driver)
    assert not list(typed.feed(b"\x1b"))
    assert is_behind(driver)
    assert list(typed.feed(b"[A"))
    assert not is_behind(driver)


def test_a_panic_is_told_by_the_exit_status(tmp_path: Path) -> None:
    code = (
        "from daoqi_tui.tui.driver import Typed\n"
        "def broken(*_): raise RuntimeError('broken')\n"
        "Typed.feed = broken\n"
        "from daoqi_tui.cli.main import main; main(['--size', '5'])\n"
    )
    terminal = Terminal(tmp_path, [sys.executable, "-c", code])
    try:
        terminal.wait_for("Black to move")
        terminal.type("a")
        assert terminal.wait_for_end() == 70
    finally:
        terminal.close()
    assert b"an unexpected error occurred (RuntimeError); a report of it is in " in terminal.output
    assert b"Traceback" not in terminal.output
    [report] = tmp_path.rglob("reports/*.txt")
    assert "RuntimeError: broken" in report.read_text("utf-8")


def test_keys_come_from_the_terminal_where_a_record_came_through_standard_input(tmp_path: Path) -> None:
    record = tmp_path / "game.sgf"
    record.write_text("(;GM[1]SZ[5]TO[3];B[cc])")
    terminal = Terminal(tmp_path, ["sh", "-c", f"cat '{record}' | '{sys.executable}' -m daoqi_tui -"])
    try:
        terminal.wait_for("Black to move")
        terminal.type("]")
        terminal.wait_for("White to move")
        terminal.type("w")
        terminal.wait_for("Save as: game.sgf")
        terminal.type("\x1b")
        terminal.wait_for_quiet()
        terminal.type("q")
        assert terminal.wait_for_end() == 0
    finally:
        terminal.close()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_a_program_that_is_started_in_the_background_of_a_shell_waits_to_be_brought_to_the_front(
    tmp_path: Path,
) -> None:
    terminal = Terminal(tmp_path, ["bash", "--norc", "--noprofile", "-i", "-b"])
    start = shlex.join(PROGRAM)
    try:
        terminal.type(f"{start} &\r")
        terminal.wait_for("Stopped")
        terminal.type("bg; sleep 1; echo again\r")
        terminal.wait_for("again")
        terminal.wait_for_quiet()
        terminal.type("clear; jobs\r")
        terminal.wait_for("Stopped")
        terminal.type("fg; echo status $?\r")
        terminal.wait_for("Black to move")
        terminal.type("q")
        terminal.wait_for("status 0")
        # This one is not a job of the shell, so it cannot be brought to the foreground.
        terminal.type(f"({start} </dev/tty &)\r")
        terminal.wait_for("daoqi-tui: another program is using this terminal")
    finally:
        terminal.close()
    assert b"Traceback" not in terminal.output
    assert b"unexpected" not in terminal.output


def test_a_terminal_is_asked_for_its_characters_again_when_the_window_changes(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)

    def wait_for(code: bytes) -> None:
        """Wait until ``code`` is written after this call."""
        before = len(terminal.output)
        wait_until(lambda: terminal.read(0.2) and code in terminal.output[before:], lambda: f"{code!r} is awaited")
        terminal.wait_for_quiet()

    try:
        terminal.wait_for("Black to move")
        terminal.type("\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62;22c")
        wait_for(b"\x1b_G")
        # The pty has no size in pixels, so only the terminal itself can report a new font size.
        terminal.process.setwinsize(ROWS, COLUMNS - 1)
        wait_for(b"\x1b[16t")
        terminal.type("\x1b[6;30;15t\x1b[?62;22c")
        wait_for(b"\x1b_G")
    finally:
        terminal.close()


def test_a_window_that_was_named_is_named_again_after_a_stop(tmp_path: Path) -> None:
    code = (
        "from daoqi_tui.tui.app import DaoqiApp\n"
        "DaoqiApp.on_ready = lambda app: app.name_window('Your move')\n"
        "from daoqi_tui.cli.main import main; main(['--size', '5'])\n"
    )
    title, given_back = "\x1b]2;Your move – Daoqi\x07".encode(), b"\x1b[23;2t"
    terminal = Terminal(tmp_path, [sys.executable, "-c", code])

    def wait_for(code: bytes, number: int = 1) -> None:
        wait_until(lambda: terminal.read(0.2) and terminal.output.count(code) == number, lambda: f"{code!r} is awaited")

    try:
        wait_for(title)
        terminal.process.kill(signal.SIGTSTP)
        wait_for(given_back)
        assert os.WIFSTOPPED(os.waitpid(terminal.process.pid, os.WUNTRACED)[1])
        terminal.process.kill(signal.SIGCONT)
        wait_for(title, 2)
        terminal.type("q")
        assert terminal.wait_for_end() == 0
    finally:
        terminal.close()
    assert terminal.output.rfind(given_back) > terminal.output.rfind(title)


def test_a_window_resized_again_while_its_size_is_read_has_the_last_size(tmp_path: Path) -> None:
    code = (
        "import fcntl, struct, sys, termios\n"
        "from daoqi_tui.tui.driver import TerminalDriver\n"
        "read = TerminalDriver._get_terminal_size\n"
        "def interrupted(driver):\n"
        "    size = read(driver)\n"
        "    if size == (70, 20):\n"
        "        fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack('HHHH', 10, 30, 0, 0))\n"
        "        for _ in range(100): pass\n"
        "    return size\n"
        "TerminalDriver._get_terminal_size = interrupted\n"
        "from daoqi_tui.cli.main import main; main(['--size', '5'])\n"
    )
    terminal = Terminal(tmp_path, [sys.executable, "-c", code])
    try:
        terminal.wait_for("Black to move")
        terminal.process.setwinsize(20, 70)
        terminal.wait_for("window is too small")
    finally:
        terminal.close()


@pytest.mark.parametrize("stop", [signal.SIGTSTP, signal.SIGSTOP])
def test_a_continued_program_draws_everything_again(stop: signal.Signals, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    try:
        terminal.wait_for("Black to move", "start")
        terminal.wait_for_quiet()
        before = terminal.shown
        terminal.process.kill(stop)
        assert os.WIFSTOPPED(os.waitpid(terminal.process.pid, os.WUNTRACED)[1])
        terminal.wait_for_quiet()
        # Terminals clear the alternate screen when a program enters it; pyte has no alternate screen.
        terminal.screen.erase_in_display(2)
        terminal.process.kill(signal.SIGCONT)
        wait_until(lambda: terminal.read(0.2) and terminal.shown == before, lambda: terminal.shown)
    finally:
        terminal.close()


def test_nothing_is_lost_in_a_slow_terminal_that_another_program_made_non_blocking(tmp_path: Path) -> None:
    shown: list[str] = []
    for blocking in (True, False):
        code = f"import os; os.set_blocking(2, {blocking}); from daoqi_tui.cli.main import main; main(['--size', '5'])"
        terminal = Terminal(tmp_path / str(blocking), [sys.executable, "-c", code])
        try:
            terminal.wait_until_full()
            terminal.wait_for("Black to move")
            terminal.wait_for_quiet()
            shown.append(terminal.shown)
        finally:
            terminal.close()
    assert shown[1] == shown[0]


class Slow:
    """A fake terminal that can fall behind the output of the app."""

    def __init__(self, person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
        self.person = person
        self.frames: list[str] = []
        """The type names of the frames written."""
        self.shows = self._screen()
        write = App._display

        def display(app: App[None], screen: Screen[Any], frame: RenderableType | None) -> None:
            if isinstance(frame, CompositorUpdate):
                self.frames.append(type(frame).__name__)
                self._feed(self.shows, frame)
            write(app, screen, frame)

        monkeypatch.setattr(App, "_display", display)

    @staticmethod
    def _screen() -> Any:
        return pyte.Screen(COLUMNS, ROWS)

    def _feed(self, screen: Any, frame: CompositorUpdate) -> None:
        pyte.Stream(screen).feed(frame.render_segments(self.person.app.console).replace("\n", "\r\n"))

    def behind(self, behind: bool) -> None:
        driver: Any = self.person.app._driver
        driver.behind = behind

    @property
    def shows_everything(self) -> bool:
        """True if it shows the same as an empty terminal after a full update."""
        compositor, anew = self.person.app.screen._compositor, self._screen()
        visible_screen_stack.set(self.person.app._background_screens)
        unwritten = set(compositor._dirty_regions)
        self._feed(anew, compositor.render_full_update())
        compositor._dirty_regions.update(unwritten)
        return all(self.shows.buffer[y][x] == anew.buffer[y][x] for y in range(ROWS) for x in range(COLUMNS))


async def test_of_frames_left_out_only_what_they_would_have_changed_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing((COLUMNS, ROWS), GameSetup(size=9)) as person:
        terminal = Slow(person, monkeypatch)
        person.app.screen.refresh()
        await until(person, lambda: terminal.shows_everything)
        terminal.behind(True)
        terminal.frames.clear()
        await person.hover_point("C3")
        await person.hover_point("D4")
        await until(person, lambda: not terminal.shows_everything)
        assert not terminal.frames
        terminal.behind(False)
        await until(person, lambda: terminal.shows_everything)
        assert "LayoutUpdate" not in terminal.frames


async def test_a_terminal_that_was_behind_shows_everything_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing((COLUMNS, ROWS), GameSetup(size=9)) as person:
        terminal = Slow(person, monkeypatch)
        for keys in (["g"], ["escape"], ["p"], ["p"], ["n", "right"], ["question_mark"], ["escape", "plus"], ["f"]):
            terminal.behind(True)
            await person.press(*keys)
            terminal.behind(False)
            await until(person, lambda: terminal.shows_everything)


async def test_what_changes_while_the_terminal_catches_up_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing((COLUMNS, ROWS), GameSetup(size=9)) as person:
        terminal = Slow(person, monkeypatch)
        person.app.screen.refresh()
        await until(person, lambda: terminal.shows_everything)
        for name in ("C3", "E5", "G7"):
            terminal.behind(True)
            await person.hover_point(name)
            person.screen.playing.play_at(person.game.torus.parse(name))
            terminal.behind(False)
            person.app._catch_up()
            await until(person, lambda: terminal.shows_everything)
