"""Input of arbitrary bytes, from a terminal or a browser, and the terminal's answers about itself."""

from __future__ import annotations

import asyncio
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import _parser, constants, events, messages
from textual.app import App
from textual.driver import Driver
from textual.message import Message

from daoqi_tui.tui.driver import TerminalDriver, Typed
from daoqi_tui.tui.graphics import Answer, Sixel
from daoqi_tui.tui.web_driver import ServedDriver
from tests.tui.in_terminal import Emulator
from tests.waiting import HANG, wait_until

ROOT = Path(__file__).resolve().parents[2]
STRANGE = [
    b"\xff",
    "é".encode("latin-1"),
    b"\x9b",
    b"\xc3\xc3",
    "道".encode()[:2],
    "\ud800".encode("utf-8", "surrogatepass"),
    b"\x1b[200~one\xfftwo\x1b[201~",
    # Key codes that are not code points, and a surrogate.
    b"\x1b[1114112u",
    b"\x1b[99999999999999999999u",
    b"\x1b[1;1;99999999999u",
    b"\x1b[55296u",
]
PIECES = [*STRANGE, b"\x1b", b"[", b"<", b";", b"u", b"M", b"m", b"t", b"48", b"0", b"-1", b"9" * 12, b"\x1b[200~"]


@pytest.mark.parametrize(
    ("sequence", "key", "character", "place"),
    [
        ("1092::97;;1092u", "ф", "ф", "a"),
        ("1092:1060:97;2;1060u", "Ф", "Ф", "A"),
        ("1102::46;;1102u", "ю", "ю", "."),
        ("1102:1070:46;2;1070u", "Ю", "Ю", ">"),
        ("1092::97;5u", "ctrl+a", None, "a"),
        ("97:65;2;65u", "A", "A", ""),
        ("113::97;;113u", "q", "q", ""),
        ("1092;;1092u", "ф", "ф", ""),
        ("1092::9999;;1092u", "ф", "ф", ""),
    ],
)
def test_the_place_of_a_key_is_taken_where_the_terminal_tells_it(
    sequence: str, key: str, character: str | None, place: str
) -> None:
    [typed] = Typed().feed(f"\x1b[{sequence}".encode())
    assert isinstance(typed, events.Key)
    assert (typed.key, typed.character, typed.place) == (key, character, place)  # type: ignore[attr-defined]


def keys_of(typed: Typed, data: bytes) -> list[str]:
    return [event.key for event in typed.feed(data) if isinstance(event, events.Key)]


@pytest.mark.parametrize("data", STRANGE)
def test_what_is_typed_after_it_is_read(data: bytes) -> None:
    typed = Typed()
    list(typed.feed(data))
    assert keys_of(typed, b"ab")[-2:] == ["a", "b"]


def test_a_character_may_come_in_parts() -> None:
    typed = Typed()
    assert [key for byte in "道".encode() for key in keys_of(typed, bytes([byte]))] == ["道"]


def test_an_esc_is_a_key_after_half_the_time_that_textual_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(_parser, "get_time", lambda: now)
    typed = Typed()
    assert not typed.is_amid_sequence
    assert keys_of(typed, b"\x1b") == []
    now = 0.04
    assert typed.is_amid_sequence
    assert list(typed.tick()) == []
    now = 0.06
    [escape] = typed.tick()
    assert isinstance(escape, events.Key)
    assert escape.key == "escape"
    assert not typed.is_amid_sequence


def test_the_environment_says_how_long_an_esc_waits() -> None:
    code = "from textual import constants; import daoqi_tui.tui.driver; print(constants.ESCAPE_DELAY)"
    command = [sys.executable, "-c", code]
    assert subprocess.check_output(command, env={**os.environ, "ESCDELAY": "300"}, text=True) == "0.3\n"


def test_a_paste_keeps_what_can_be_read() -> None:
    pasted, *_ = Typed().feed(b"\x1b[200~one\xfftwo\x1b[201~ ")
    assert isinstance(pasted, events.Paste)
    assert pasted.text == "one\ufffdtwo"


def test_a_click_in_a_window_of_no_pixels_is_passed_over() -> None:
    typed = Typed()
    list(typed.feed(b"\x1b[48;24;80;0;0t"))
    assert list(typed.feed(b"\x1b[<0;5;5M")) == []
    assert keys_of(typed, b"a") == ["a"]


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=8)))
def test_any_bytes_are_read(pieces: list[bytes]) -> None:
    typed = Typed()
    for piece in pieces:
        for event in [*typed.feed(piece), *typed.tick()]:
            text = event.text if isinstance(event, events.Paste) else getattr(event, "character", None)
            (text or "").encode()


def read_until(output: IO[bytes], seen: Emulator, text: str) -> None:
    """Show the data of packets until they show a text."""
    while text not in seen.text:
        kind, size = output.read(1), int.from_bytes(output.read(4), "big")
        assert kind, f"the output has ended; it shows:\n{seen.text}"
        data = output.read(size)
        if kind == b"D":
            seen.feed(data)


def test_a_game_in_a_browser_goes_on(tmp_path: Path) -> None:
    welcomed = tmp_path / "state" / "daoqi-tui" / "welcomed"
    welcomed.parent.mkdir(parents=True)
    welcomed.touch()
    homes = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("STATE", "DATA", "CONFIG")}
    program = subprocess.Popen(
        [sys.executable, "-m", "daoqi_tui", "--size", "5"],
        cwd=ROOT,
        env={**os.environ, **homes, "TEXTUAL_DRIVER": "daoqi_tui.tui.web_driver:ServedDriver"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with program:
        assert program.stdin is not None
        assert program.stdout is not None
        assert program.stderr is not None
        try:
            assert program.stdout.readline() == b"__GANGLION__\n"
            seen = Emulator(80, 24)
            read_until(program.stdout, seen, "Move 1")
            for data in STRANGE:
                program.stdin.write(b"D" + len(data).to_bytes(4, "big") + data)
            program.stdin.write(b"D\0\0\0\1\r")
            program.stdin.flush()
            read_until(program.stdout, seen, "Move 2")
            leave = json.dumps({"type": "quit"}).encode()
            program.stdin.write(b"M" + len(leave).to_bytes(4, "big") + leave)
            program.stdin.flush()
            program.stdout.read()
            assert program.wait(HANG) == 0
        finally:
            program.kill()
        assert program.stderr.read() == b""


class Reads:
    """A fake app with its input, whose pieces follow each other without a pause that would end a sequence."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)
        self.seen: list[Message] = []
        self.heard = Answer()

    def read(self) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""

    def post_message(self, message: Message) -> None:
        assert isinstance(message, messages.ExitApp)

    def hear(self, answer: Answer) -> None:
        self.heard = self.heard.then(answer)

    def keys(self) -> list[str]:
        return [event.key for event in self.seen if isinstance(event, events.Key)]


ANSWERS = b"\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?1016;2$y\x1b[?62;4c"


def test_answers_of_the_terminal_that_come_in_two_parts_are_heard() -> None:
    for cut in range(1, len(ANSWERS)):
        ours, theirs = os.pipe()
        os.write(theirs, b"there is always something to read")
        reads = Reads(ANSWERS[:cut], ANSWERS[cut:] + b"a")
        run_input_thread(reads, ours, reads.read)
        os.close(ours)
        os.close(theirs)
        assert reads.keys() == ["a"], ANSWERS[:cut]
        assert reads.heard == Answer(graphics=True, cell=(10, 20), pixels=True, sixel=Sixel(), ended=True)


def test_an_esc_alone_is_a_key_while_answers_are_awaited() -> None:
    ours, theirs = os.pipe()
    reads = Reads()
    reading = threading.Thread(target=run_input_thread, args=(reads, ours, lambda: os.read(ours, 4096)))
    reading.start()
    os.write(theirs, b"\x1b")
    try:
        wait_until(reads.keys)
    finally:
        os.close(theirs)
        reading.join()
        os.close(ours)
    assert reads.keys() == ["escape"]


@pytest.mark.parametrize("kind", [TerminalDriver, ServedDriver])
def test_an_esc_waits_as_long_in_a_browser_as_in_a_terminal(
    kind: type[Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Selector(selectors.SelectSelector):
        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            waits.append(timeout)
            return super().select(timeout)

    ours, theirs = os.pipe()
    waits: list[float | None] = []
    seen: list[Message] = []
    stdin = SimpleNamespace(fileno=lambda: ours)
    app = SimpleNamespace(post_message=seen.append, call_later=lambda _handle, error: seen.append(error))
    driver: Any = object.__new__(kind)
    monkeypatch.setattr(selectors, "SelectSelector", Selector)
    monkeypatch.setattr(sys, "__stdin__", stdin)
    driver._app, driver.fileno, driver.exit_event, driver._debug = app, ours, threading.Event(), False
    driver._typed, driver._read, driver.process_message = Typed(), lambda: os.read(ours, 4096), seen.append
    app._handle_exception = None
    reading = threading.Thread(target=driver.run_input_thread)
    reading.start()
    os.write(theirs, b"\x1b" if kind is TerminalDriver else b"D\0\0\0\1\x1b")
    try:
        wait_until(lambda: seen)
    finally:
        os.close(theirs)
        reading.join()
        os.close(ours)
    assert constants.ESCAPE_DELAY in waits
    escape, end = seen
    assert isinstance(escape, events.Key)
    assert escape.key == "escape"
    assert isinstance(end, messages.ExitApp)


def run_input_thread(reads: Reads, number: int, read: Callable[[], bytes]) -> None:
    """Run the input thread of the terminal driver on the file descriptor ``number``."""
    driver: Any = object.__new__(TerminalDriver)
    driver._app, driver.fileno, driver.exit_event = reads, number, threading.Event()
    driver._read, driver.process_message = read, reads.seen.append
    driver._typed = Typed()
    driver._typed.on_answer = reads.hear
    driver._typed.answers.awaited = True
    driver.run_input_thread()


async def test_a_stopped_program_takes_the_terminal_again_in_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = object.__new__(TerminalDriver)
    driver._loop, driver._context = asyncio.get_running_loop(), copy_context()
    driver._auto_restart, driver._must_signal_resume = True, False
    done: list[str] = []
    monkeypatch.setattr(driver, "suspend_application_mode", lambda: done.append("suspended"))
    monkeypatch.setattr(driver, "resume_application_mode", lambda: done.append("resumed"))
    # Nothing is done in the handler itself: it may have interrupted code that holds the lock of the output.
    driver._sigcont_application(signal.SIGCONT, None)
    assert not done
    await asyncio.sleep(0)
    assert done == ["suspended", "resumed"]


async def test_what_the_terminal_answers_may_start_timers(monkeypatch: pytest.MonkeyPatch) -> None:
    # The input thread has no active app in its context, and without one no timer fires.
    fired = asyncio.Event()
    app = App[None]()
    async with app.run_test():
        with Path(os.devnull).open(encoding="utf-8") as nothing, app._context():
            monkeypatch.setattr(sys, "stdin", nothing)
            monkeypatch.setattr(signal, "signal", lambda *_: None)
            driver = TerminalDriver(app)
        await asyncio.to_thread(Context().run, driver._soon, lambda: app.set_timer(0.001, fired.set))
        await asyncio.wait_for(fired.wait(), HANG)
