"""The terminal driver, robust against any input and the loss of the terminal."""

from __future__ import annotations

import fcntl
import os
import selectors
import struct
import sys
import termios
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, Final, TextIO, cast

from textual import events, messages
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.keys import Keys
from textual.message import Message

from daoqi_tui import signals
from daoqi_tui.tui.graphics import sixel
from daoqi_tui.tui.graphics.kitty import ASK, ASK_CELL, DELETE_ALL, PLAIN_TERMINALS, Answer, Answers


class Parser(XTermParser):
    """Parses the keys and clicks that a terminal sends, and ignores invalid input."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        ignored = [events.Key(Keys.Ignore, sequence)]
        try:
            keys = list(super()._sequence_to_key_events(sequence, alt))
        except (OverflowError, ValueError):
            # A key goes by the number of its character, and there is none of that number.
            return ignored
        # Half of a character cannot be written, neither to a file nor on the screen.
        return ignored if any(_is_surrogate(key.character or "") for key in keys) else keys

    def parse_mouse_code(self, code: str) -> Message | None:
        """As in the base class; an unknown place is None."""
        try:
            return super().parse_mouse_code(code)
        except ZeroDivisionError:
            # The terminal has said that it is no pixels wide.
            return None


def _is_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


class Typed:
    """Turns bytes into events; what is not UTF-8 becomes U+FFFD, which is bound to nothing."""

    def __init__(self, *, debug: bool = False) -> None:
        self.parser = Parser(debug)
        self.answers = Answers()
        self.heard: Callable[[Answer], object] = lambda _answer: None
        """Called with the terminal's replies about itself."""
        self._decode = getincrementaldecoder("utf-8")("replace").decode

    def feed(self, data: bytes) -> Iterable[Message]:
        """The events of more bytes, which may end in the middle of a character."""
        # Nothing would mean the end of the input.
        text, answers = self.answers.take(self._decode(data))
        for answer in answers:
            self.heard(answer)
        return self.parser.feed(text) if text else ()

    def tick(self) -> Iterable[Message]:
        """The events that only time brings: a lone Esc. To be called when nothing has come for a moment.

        Straight after :meth:`feed` it would part an answer of the terminal from its rest, which is still on the way.
        """
        if text := self.answers.give_up():
            yield from self.parser.feed(text)
        yield from self.parser.tick()


_PUT_BACK: Final = (
    # The end of a picture, of which a part may have been written.
    "\x1b\\"
    # Mouse, paste, window size and focus reports; line wrap; keyboard; second screen; cursor.
    "\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b[?2048l\x1b[?1004l\x1b[?7h"
    "\x1b[<u\x1b[?1049l\x1b[?25h"
)


class _Output:
    """Writes to a terminal, which may be slow; what is written once it has gone goes nowhere.

    A stream of Python's would raise an error where the terminal has gone, or where a program that shares it has made
    it non-blocking. That would end the thread that writes, and everything would wait for it.
    """

    def __init__(self, stream: TextIO) -> None:
        self._number = stream.fileno()
        self._encoding = stream.encoding
        self._held: list[str] = []
        self.busy = False
        """True if there is output that the terminal has not accepted."""

    def fileno(self) -> int:
        return self._number

    def write(self, text: str) -> None:
        self.busy = True
        self._held.append(text)

    def flush(self) -> None:
        data = "".join(self._held).encode(self._encoding, "backslashreplace")
        self._held.clear()
        while data:
            try:
                data = data[os.write(self._number, data) :]
            except BlockingIOError:
                self._wait()
            except OSError:
                break
        self.busy = False

    def write_at_once(self, data: bytes) -> None:
        """Write as much of the data as the terminal takes without waiting."""
        # The terminal may accept only a part of the data: a blocking write would wait for room for the rest.
        blocking = os.get_blocking(self._number)
        os.set_blocking(self._number, False)
        try:
            os.write(self._number, data)
        finally:
            # The shell that started the program shares this.
            os.set_blocking(self._number, blocking)

    def _wait(self) -> None:
        with selectors.SelectSelector() as selector:
            selector.register(self._number, selectors.EVENT_WRITE)
            selector.select()


class TerminalDriver(LinuxDriver):
    """Reads any bytes, ends the program when the terminal has gone, and always puts the terminal back."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._context = copy_context()
        """The context in which Textual finds the app; threads and signal handlers do not have it."""
        self._output = _Output(cast("TextIO", sys.__stderr__))
        self._file = cast("Any", self._output)
        self._typed = Typed(debug=debug)
        self._said = Answer()
        """The terminal's replies about itself."""
        self._asked_more = False
        """True if it was asked what Sixel pictures it shows."""
        # Where a record came through standard input this is the terminal itself.
        self.fileno = sys.stdin.fileno()
        self.input_tty = sys.stdin.isatty()
        self._named = False
        """True if the window bears a name of ours, and the terminal holds its own."""
        self._title = ""
        """The name of ours, also while the program is stopped and the window bears its own."""

    def start_application_mode(self) -> None:
        """As in the base class; however the program ends from now on, the terminal is put back."""
        self._typed = Typed(debug=self._debug)
        self._typed.heard = self._answered
        self._said, self._asked_more = Answer(), False
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._ask()
        # A start in the background only stops again, and writes nothing.
        self._named = False
        self._write_title(self._title)
        signals.last_resorts.add(self._put_back)

    def stop_application_mode(self) -> None:
        """As in the base class."""
        pictures = getattr(self._app, "pictures", None)
        if pictures is not None:
            pictures.close()
        self._write_title("")
        super().stop_application_mode()
        signals.last_resorts.discard(self._put_back)

    def name_window(self, title: str) -> None:
        """Name the terminal's window; an empty title gives it back the one it had."""
        self._title = title
        self._write_title(title)

    def _write_title(self, title: str) -> None:
        if title and not self._named:
            self.write("\x1b[22;2t")
        if title or self._named:
            self.write(f"\x1b]2;{title}\x07" if title else "\x1b[23;2t")
            self.flush()
        self._named = bool(title)

    def _disable_mouse_support(self) -> None:
        """As in the base class; mouse coordinates are reported in characters instead of pixels again."""
        if self._mouse_pixels:
            self.write("\x1b[?1016l")
            self._mouse_pixels = False
            self._typed.parser.mouse_pixels = False
        super()._disable_mouse_support()

    def _ask(self, question: str = ASK) -> None:
        """Ask the terminal whether it shows pictures; nothing waits for the answer."""
        if self.input_tty and not os.environ.get("TERM", "").startswith(PLAIN_TERMINALS):
            self._typed.answers.awaited = True
            self.write(question)
            self.flush()

    def _answered(self, answer: Answer) -> None:
        """Take note of one answer, in the thread that reads; act on them all in the event loop."""
        self._said = said = self._said.then(answer)
        if answer.ended and said.sixel is not None and not said.graphics and not self._asked_more:
            if not sixel.is_shared(os.environ):
                self._asked_more = True
                self._soon(partial(self._ask, sixel.ASK))
        elif answer.ended or answer.graphics:
            self._soon(self._use_graphics)

    def _use_graphics(self) -> None:
        """Show pictures if the terminal can, and have it tell the mouse's place in pixels."""
        pictures, said = getattr(self._app, "pictures", None), self._said
        cell = self._cell_size() or said.cell
        if pictures is not None and said.sixel is not None and not said.graphics:
            pictures.found(cell, said.sixel, by_itself=not sixel.is_remote(os.environ))
        if pictures is None or not said.graphics:
            return
        pictures.found(cell)
        if said.pixels and cell and self._mouse and not self._mouse_pixels:
            self._enable_mouse_pixels()
        if self._mouse_pixels and cell:
            columns, rows = self._get_terminal_size()
            parser = self._typed.parser
            parser.terminal_size, parser.terminal_pixel_size = (columns, rows), (columns * cell[0], rows * cell[1])
            parser.mouse_pixels = True

    def measure(self) -> None:
        """Determine the size of a character again; if the system does not know it, ask the terminal."""
        if self._cell_size() is not None:
            self._use_graphics()
        elif self._said.cell is not None:
            self._ask(ASK_CELL)

    def _cell_size(self) -> tuple[int, int] | None:
        """The size of a character in pixels, where the system knows it."""
        try:
            answer = fcntl.ioctl(self._output.fileno(), termios.TIOCGWINSZ, bytes(8))
        except OSError:
            return None
        rows, columns, width, height = struct.unpack("HHHH", answer)
        return (width // columns, height // rows) if width and height and columns and rows else None

    @property
    def behind(self) -> bool:
        """True if the terminal has not yet taken what was written to it."""
        writer = self._writer_thread
        return self._output.busy or (writer is not None and writer._queue.qsize() > 0)  # noqa: SLF001

    def _put_back(self) -> None:
        """Put the terminal back without waiting for it."""
        if self.attrs_before is not None:
            with suppress(termios.error):
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
        more = (DELETE_ALL if self._said.graphics else "") + ("\x1b[23;2t" if self._named else "")
        with suppress(OSError):
            self._output.write_at_once((_PUT_BACK + more).encode())

    def _sigtstp_application(self, *_: object) -> None:
        """Give the terminal back and stop, in the event loop.

        A signal handler may interrupt the main thread while it holds the lock of the writer's queue, which stopping
        the writer takes again: the program would hang.
        """
        self._soon(super()._sigtstp_application)

    def _sigcont_application(self, *_: object) -> None:
        """Take the terminal again after a stop, in the event loop for the same reason."""
        self._soon(self._continue)

    def _soon(self, handle: Callable[[], object]) -> None:
        # The loop may have ended already; then there is no terminal to release or take. A timer that is started outside
        # the app's context never fires.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(handle, context=self._context)

    def _continue(self) -> None:
        """Take the terminal again, even after a stop without notice, by SIGSTOP or a debugger."""
        if self._auto_restart and not self._must_signal_resume:
            # Else a second thread would read, and the program would wait for the first for ever.
            self.suspend_application_mode()
        super()._sigcont_application()
        if self._auto_restart:
            # The second screen of the terminal is empty when it is taken.
            self._app.refresh(layout=True)

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)  # noqa: SLF001 (there is no public way)

    def run_input_thread(self) -> None:
        """Read what is typed and clicked; its end is the end of the program."""
        typed = self._typed
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0.1):
                    data = self._read()
                    if not data:
                        self._app.post_message(messages.ExitApp())
                        return
                    for event in typed.feed(data):
                        self.process_message(event)
                else:
                    for event in typed.tick():
                        self.process_message(event)

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            # The terminal has gone, or is another program's for good.
            return b""
