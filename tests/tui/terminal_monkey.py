"""A user of a real terminal who does random things, and resizes it faster than frames are drawn."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ptyprocess

from tests.tui.in_terminal import homes, read_output, welcome
from tests.waiting import HANG

_PROBED = Path(__file__).with_name("probed.py")
_MARK = b"\x1b[24~"
"""The key F12."""
_MARK_AGAIN = 0.5
"""Seconds after which the key is sent again: with an Esc just before it, it is another key."""
_ASK_AGAIN = 1.0
"""Seconds after which the question is repeated if there was no answer: the screen may have closed meanwhile."""
WINDOWS = [(120, 40), (80, 24), (100, 20), (60, 20), (40, 14), (39, 13), (10, 4), (200, 60), (99, 50), (1, 1)]
_LARGEST = 120, 40
OFTEN = [b"\r", b" ", b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", *b"h j k l p u [ y".split(), b"\x1b"]
_SHIFTED = [b"\x1b[1;2" + way for way in (b"A", b"B", b"C", b"D")]
_SPECIAL = [
    *(b"\x7f", b"\t", b"\x1b[Z", b"\x1b[3~", b"\x1b[5~", b"\x1b[6~", b"\x1b[H", b"\x1b[F", *_SHIFTED),
    *(b"\x1bOP", b"\x1bOQ", b"\x1bOR", b"\x1bOS", b"\x1b[15~", b"\x1b[17~", b"\x1b[18~", b"\x1b[19~", b"\x1b[20~"),
    *(b"\x10", b"\x12", b"\x13", b"\x1a", b"\x03", b"\x1b[200~pasted\x1b[201~"),
]
_TYPED = [bytes([code]) for code in range(0x21, 0x7F)]


class Frozen(AssertionError):
    """The program no longer answers."""


class TerminalMonkey:
    """A program in a terminal of its own, with all its files in ``folder``.

    Attributes:
        did: what was done so far, the latest last.
        counts: how often each kind of thing was done.
        ended: the exit status, None while the program runs.
        slowest: the longest that an answer took, in seconds.
    """

    def __init__(self, folder: Path, arguments: Sequence[str], pick: random.Random) -> None:
        welcome(folder)
        kept = {name: os.environ[name] for name in ("PATH", "VIRTUAL_ENV", "XDG_CACHE_HOME") if name in os.environ}
        environment = {**kept, **homes(folder), "HOME": str(folder), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        self._answers, theirs = os.pipe()
        os.set_inheritable(theirs, True)
        self.size = _LARGEST
        self._process: Any = ptyprocess.PtyProcess.spawn(
            [sys.executable, str(_PROBED), str(theirs), *arguments],
            cwd=str(folder),
            env=environment,
            dimensions=(self.size[1], self.size[0]),
            pass_fds=(theirs,),
        )
        os.close(theirs)
        os.set_blocking(self._process.fd, False)
        os.set_blocking(self._answers, False)
        self._folder = folder
        self._pick = pick
        self._marks = 0
        self._told = b""
        self._drawn = 0
        self.did: deque[str] = deque(maxlen=80)
        self.counts: Counter[str] = Counter()
        self.ended: int | None = None
        self.slowest = 0.0
        self._wait(lambda _answer: True, mark=False)

    # Acting

    def act(self) -> None:
        """Do one random thing."""
        kinds = (self._key, self._click, self._drag, self._wheel, self._resize, self._rest)
        self._pick.choices(kinds, (56, 14, 7, 7, 12, 4))[0]()

    def _send(self, data: bytes, *, noted: bool = True) -> None:
        if noted:
            self.did.append(repr(data))
        end = time.monotonic() + HANG
        while data and self.ended is None:
            try:
                data = data[os.write(self._process.fd, data) :]
            except BlockingIOError:
                self._read(0.05)
                if time.monotonic() > end:
                    raise Frozen(self._described("it takes no input")) from None
            except OSError:
                self._read(0.05)

    def _key(self) -> None:
        self.counts["keys"] += 1
        pool = self._pick.choices((OFTEN, _TYPED, _SPECIAL), (5, 4, 2))[0]
        self._send(self._pick.choice(pool))

    def _mouse(self, button: int, *, release: bool = False) -> None:
        # Sometimes a place that the window no longer has.
        column, row = (self._pick.randrange(1, length + 2) for length in self.size)
        self._send(f"\x1b[<{button};{column};{row}{'m' if release else 'M'}".encode())

    def _click(self) -> None:
        self.counts["clicks"] += 1
        button = self._pick.choice((0, 0, 0, 0, 1, 2))
        column, row = (self._pick.randrange(1, length + 1) for length in self.size)
        for _ in range(self._pick.choice((1, 1, 2))):
            self._send(f"\x1b[<{button};{column};{row}M\x1b[<{button};{column};{row}m".encode())

    def _drag(self) -> None:
        self.counts["drags"] += 1
        self._mouse(0)
        for _ in range(self._pick.randrange(6)):
            self._mouse(32)
        if self._pick.random() < 0.8:
            self._mouse(0, release=True)
        self._mouse(35)

    def _wheel(self) -> None:
        self.counts["wheel"] += 1
        self._mouse(self._pick.choice((64, 65, 66, 67)) + self._pick.choice((0, 4)))

    def _resize(self) -> None:
        """Resize several times, mostly within one frame, with input between the sizes."""
        for _ in range(self._pick.choice((1, 2, 2, 3, 5))):
            self.counts["resizes"] += 1
            self.size = self._pick.choice(WINDOWS)
            if self._pick.random() < 0.3:
                self.size = self._pick.randrange(1, 210), self._pick.randrange(1, 65)
            self.did.append(f"resize {self.size[0]}×{self.size[1]}")
            # The kernel sends SIGWINCH.
            self._process.setwinsize(self.size[1], self.size[0])
            self._read(self._pick.choice((0, 0, 0.0005, 0.002, 0.005, 0.012)))
            if self._pick.random() < 0.5:
                self._pick.choice((self._key, self._wheel, self._click))()

    def _rest(self) -> None:
        self._read(self._pick.choice((0.001, 0.01, 0.03)))

    # Looking

    def check(self) -> None:
        """Wait until all keys are handled and the screen has the size of the window; raise :class:`Frozen` if never."""
        marks, size = self._marks, list(self.size)
        self._wait(
            lambda answer: (
                answer["marks"] > marks and answer["idle"] and answer["fitted"] and answer["sizes"] == [size, size]
            ),
            mark=True,
        )

    def close(self) -> None:
        """End the program."""
        self._process.close(force=True)
        os.close(self._answers)

    def _wait(self, is_right: Callable[[dict[str, Any]], object], *, mark: bool) -> None:
        """Ask until the answer is right or the program has ended."""
        begun = time.monotonic()
        mark_at = ask_at = begun
        used, drawn, answers = self._cpu(), self._drawn, 0
        answer: dict[str, Any] = {}
        while self.ended is None:
            now = time.monotonic()
            if mark and now >= mark_at:
                mark_at = now + _MARK_AGAIN
                self._send(_MARK, noted=False)
            # Earlier it would not know the signal, and end.
            if self._drawn and now >= ask_at and self.ended is None:
                ask_at = now + _ASK_AGAIN
                self._process.kill(signal.SIGUSR1)
            self._read(0.02)
            *lines, self._told = self._told.split(b"\n")
            for line in lines:
                answers += 1
                ask_at = min(ask_at, time.monotonic() + 0.005)
                answer = json.loads(line)
                if is_right(answer):
                    self._marks = answer["marks"]
                    self.slowest = max(self.slowest, time.monotonic() - begun)
                    return
            if now > begun + HANG:
                told = (
                    f"{answers} answers, {self._cpu() - used:.1f} CPU seconds used, {self._drawn - drawn} bytes drawn"
                )
                raise Frozen(self._described(f"{told} in {HANG:g} s; window {self.size}, last answer {answer}"))

    def _read(self, seconds: float) -> None:
        """Read what the program draws and answers within some seconds; note its end."""
        ready = select.select([self._process.fd, self._answers], [], [], seconds)[0]
        if self._answers in ready:
            self._told += os.read(self._answers, 1 << 16)
        if self._process.fd in ready:
            data = read_output(self._process.fd)
            self._drawn += len(data)
            if not data:
                self._process.wait()
                killed_by = self._process.signalstatus
                # A question may come when the program has forgotten the signal at its end.
                self.ended = (
                    self._process.exitstatus if killed_by is None else 0 if killed_by == signal.SIGUSR1 else 128
                )

    def _cpu(self) -> float:
        """Return the CPU seconds that the program has used."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _described(self, trouble: str) -> str:
        """Describe why the program counts as frozen, with the stacks of its threads."""
        self._process.kill(signal.SIGUSR2)
        end = time.monotonic() + 2
        while time.monotonic() < end and self.ended is None:
            self._read(0.1)
        stacks = [file.read_text("utf-8") for file in self._folder.glob("stacks-*.txt")]
        return "\n".join((trouble, "done last:", *self.did, *stacks))
