"""The terminal driver, robust against invalid input and the loss of the terminal."""

from __future__ import annotations

import fcntl
import os
import re
import selectors
import signal
import struct
import sys
import termios
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Event
from time import monotonic
from typing import Any, BinaryIO, Final, TextIO, cast

from textual import constants, events, messages
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.constants import DISABLE_KITTY_KEY
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.keys import Keys
from textual.message import Message

from daoqi_tui import signals
from daoqi_tui.streams import PLAIN_TERMINALS
from daoqi_tui.tui.access import is_remote
from daoqi_tui.tui.graphics import (
    ASK_CELL,
    ASK_SIXEL,
    DELETE_ALL,
    Answer,
    Answers,
    is_shared,
    question,
)
from daoqi_tui.tui.output import PART, Frame

_REPORT_PLACES: Final = "\x1b[=4;2u"
"""Has a terminal with kitty's keyboard protocol add to each key the one at its place on a keyboard of the USA."""
_PLACED: Final = r"\x1b\[(\d{1,7}):\d*:?(\d{0,7})((?:;(\d*)[\d:]*)?(;[\d:]+)?u)"
_SHIFTED: Final = str.maketrans("`1234567890-=[]\\;',./", '~!@#$%^&*()_+{}|:"<>?')
_ESC_DELAY: Final = 0.05
"""Seconds after which an Esc is a key, unless ``ESCDELAY`` says otherwise: the rest of a sequence follows at once.

Textual waits twice as long, most of the time in which the board may come back from the torus over a slow line.
"""
_MOMENT: Final = 0.1
"""Seconds after which an answer of the terminal has come as a whole, and the end of the program is noticed."""
if "ESCDELAY" not in os.environ:
    vars(constants)["ESCAPE_DELAY"] = _ESC_DELAY


class Parser(XTermParser):
    """A parser of terminal input that ignores invalid sequences, and knows the places of keys."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        ignored, place = [events.Key(Keys.Ignore, sequence)], ""
        if (placed := re.fullmatch(_PLACED, sequence)) is not None:
            code, base, rest, modifiers, text = placed.groups("")
            if 0x7F < int(code) < 0xE000 and 0x20 < int(base or 0) < 0x7F:
                # Without a text it is a shortcut, as of Ctrl with a Cyrillic letter.
                place, code = chr(int(base)), code if text else base
                place = place.upper().translate(_SHIFTED) if int(modifiers or 1) - 1 & 1 else place
            sequence = f"\x1b[{code}{rest}"
        try:
            keys = list(super()._sequence_to_key_events(sequence, alt))
        except (OverflowError, ValueError):
            # The key is encoded as a code point that does not exist.
            return ignored
        for key in keys:
            key.place = place  # type: ignore[attr-defined]
        # A surrogate can be written neither to a file nor to the screen.
        return ignored if any(_is_surrogate(key.character or "") for key in keys) else keys

    def parse_mouse_code(self, code: str) -> Message | None:
        """Parse a mouse sequence as the base class does; return None if the position is unknown."""
        try:
            return super().parse_mouse_code(code)
        except ZeroDivisionError:
            # The terminal has reported a width of zero pixels.
            return None


def _is_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


class Typed:
    """Converts bytes to events; invalid UTF-8 becomes U+FFFD, which has no binding."""

    def __init__(self, *, debug: bool = False) -> None:
        self.parser = Parser(debug)
        self.answers = Answers()
        self.on_answer: Callable[[Answer], object] = lambda _answer: None
        self._decode = getincrementaldecoder("utf-8")("replace").decode

    def feed(self, data: bytes) -> Iterable[Message]:
        """Return the events of more bytes, which may end in the middle of a character."""
        # Feeding an empty text would mean the end of the input.
        text, answers = self.answers.take(self._decode(data))
        for answer in answers:
            self.on_answer(answer)
        return self.parser.feed(text) if text else ()

    @property
    def is_amid_sequence(self) -> bool:
        """True after an Esc, which is a key if nothing follows it."""
        return self.parser._timeout_time is not None  # noqa: SLF001 (there is no public way)

    def tick(self) -> Iterable[Message]:
        """Yield the events that depend on time, such as a lone Esc; to be called after a moment without input.

        Called right after :meth:`feed`, it would split an answer of the terminal whose rest has not arrived yet.
        """
        if text := self.answers.give_up():
            yield from self.parser.feed(text)
        yield from self.parser.tick()

    def pieces(self, file: int, read: Callable[[], bytes], ended: Event) -> Iterator[bytes]:
        """Yield what is read from a file until its end or that of the program; nothing after a moment without input."""
        with selectors.SelectSelector() as selector:
            selector.register(file, selectors.EVENT_READ)
            while not ended.is_set():
                if not selector.select(constants.ESCAPE_DELAY if self.is_amid_sequence else _MOMENT):
                    yield b""
                elif data := read():
                    yield data
                else:
                    return


_PUT_BACK: Final = (
    # End a picture that may have been written in part.
    "\x1b\\"
    # Mouse, paste, window size and focus reports; line wrap; keyboard protocol; alternate screen; cursor.
    "\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b[?2048l\x1b[?1004l\x1b[?7h"
    "\x1b[<u\x1b[?1049l\x1b[?25h"
)


_PATIENCE: Final = 1.0
"""Seconds for which a terminal is restored that takes no more for now."""


class _Output:
    """Writes to a terminal, which may be slow; output after it has gone is discarded.

    A Python stream would raise an error if the terminal has gone, or if a program that shares it has made it
    non-blocking. That would end the writer thread, and everything would wait for it.
    """

    def __init__(self, stream: TextIO) -> None:
        self._number = stream.fileno()
        self._encoding = stream.encoding
        self._held: list[str] = []
        self._closed = False
        self.busy = False
        """True while there is output that the terminal has not accepted."""

    def fileno(self) -> int:
        return self._number

    def write(self, text: str) -> None:
        self.busy = True
        self._held.append(text)

    def flush(self) -> None:
        held, self._held = self._held, []
        waiting = ""
        for text in held:
            for part in text.parts() if isinstance(text, Frame) else (text,):
                waiting += part
                if len(waiting) >= PART:  # Before the next part, since the frame may be given up meanwhile.
                    self._send(waiting)
                    waiting = ""
        self._send(waiting)
        self.busy = False

    def _send(self, text: str) -> None:
        data = text.encode(self._encoding, "backslashreplace")
        while data and not self._closed:
            try:
                data = data[os.write(self._number, data) :]
            except BlockingIOError:
                self._wait()
            except OSError:
                break

    def close(self, data: bytes) -> None:
        """Write the data as soon as the terminal takes it, for a second at most, and discard all later output.

        A terminal that shows frame after frame is full most of the time, but takes more in a moment.
        """
        self._closed = True
        end = monotonic() + _PATIENCE
        # If the terminal accepts only part of the data, a blocking write would wait for room for the rest.
        blocking = os.get_blocking(self._number)
        os.set_blocking(self._number, False)
        try:
            while data and (left := end - monotonic()) > 0:
                with suppress(BlockingIOError):
                    data = data[os.write(self._number, data) :]
                    continue
                self._wait(left)
        finally:
            # The mode is shared with the shell that started the program.
            os.set_blocking(self._number, blocking)

    def _wait(self, seconds: float | None = None) -> None:
        with selectors.SelectSelector() as selector:
            selector.register(self._number, selectors.EVENT_WRITE)
            selector.select(seconds)


class TerminalDriver(LinuxDriver):
    """A driver that accepts any input, ends the program when the terminal has gone, and always restores it."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._context = copy_context()
        """The context in which Textual finds the active app; threads and signal handlers do not have it."""
        self._output = _Output(cast("TextIO", sys.__stderr__))
        self._file = cast("Any", self._output)
        self._typed = Typed(debug=debug)
        self._said = Answer()
        self._asked_more = False
        # If a record was read from standard input, that has since been replaced by the terminal.
        self.fileno = sys.stdin.fileno()
        self.input_tty = sys.stdin.isatty()
        self._named = False
        """True if the window has the program's title, with the original one saved by the terminal."""
        self._title = ""
        """The program's title, also while it is suspended and the window has the original one."""

    def start_application_mode(self) -> None:
        """Start as the base class does; from now on the terminal is restored however the program ends."""
        self._typed = Typed(debug=self._debug)
        self._typed.on_answer = self._answered
        self._said, self._asked_more = Answer(), False
        output = getattr(self._app, "output", None)
        if output is not None:
            output.forget()
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._writer_thread is not None:
            signal.signal(signal.SIGWINCH, self._window_changed)
        if not DISABLE_KITTY_KEY:
            self.write(_REPORT_PLACES)
        self._ask(question(os.environ))
        # A start in the background only suspends again, and writes nothing.
        self._named = False
        self._write_title(self._title)
        signals.last_resorts.add(self._put_back)

    def _window_changed(self, *_: object) -> None:
        """Send the size of the window from the event loop.

        Textual reads it in the signal handler. A handler that interrupts another there would send its newer size first.
        """
        self._soon(self._send_size)

    def _send_size(self) -> None:
        if not self._in_band_window_resize:
            size = Size(*self._get_terminal_size())
            self._app.post_message(events.Resize(size, size))

    def stop_application_mode(self) -> None:
        """Free the pictures, restore the title, and stop as the base class does."""
        pictures = getattr(self._app, "pictures", None)
        if pictures is not None:
            pictures.close()
        self._write_title("")
        super().stop_application_mode()
        signals.last_resorts.discard(self._put_back)

    def name_window(self, title: str) -> None:
        self._title = title
        self._write_title(title)

    def notify_desktop(self, text: str) -> None:
        """Have the terminal show a notification, by the sequence that it knows; others ignore it."""
        knows_777 = os.environ.get("TERM", "").startswith(("rxvt", "foot"))
        self.write(f"\x1b]777;notify;Daoqi;{text}\x07" if knows_777 else f"\x1b]9;{text}\x07")
        self.flush()

    def _write_title(self, title: str) -> None:
        if title and not self._named:
            self.write("\x1b[22;2t")
        if title or self._named:
            self.write(f"\x1b]2;{title}\x07" if title else "\x1b[23;2t")
            self.flush()
        self._named = bool(title)

    def _disable_mouse_support(self) -> None:
        """Disable the mouse as the base class does, after switching its reports back from pixels to characters."""
        if self._mouse_pixels:
            self.write("\x1b[?1016l")
            self._mouse_pixels = False
            self._typed.parser.mouse_pixels = False
        super()._disable_mouse_support()

    def _ask(self, asked: str) -> None:
        """Query the terminal's support for pictures, without waiting for the answer."""
        if self.input_tty and not os.environ.get("TERM", "").startswith(PLAIN_TERMINALS):
            self._typed.answers.awaited = True
            self.write(asked)
            self.flush()

    def _answered(self, answer: Answer) -> None:
        """Store one answer, in the input thread; act on all of them later in the event loop."""
        self._said = said = self._said.then(answer)
        if answer.ended and said.sixel is not None and not said.graphics and not self._asked_more:
            self._asked_more = True
            self._soon(partial(self._ask, ASK_SIXEL))
        elif answer.ended or answer.graphics:
            self._soon(self._use_graphics)

    def _use_graphics(self) -> None:
        pictures, said = getattr(self._app, "pictures", None), self._said
        cell = self._cell_size() or said.cell
        use_colours = getattr(self._app, "use_colours", None)
        if use_colours is not None and said.colours is not None:
            use_colours(said.colours)
        if pictures is not None and said.sixel is not None and not said.graphics:
            pictures.found(cell, said.sixel, by_itself=not (is_remote(os.environ) or is_shared(os.environ)))
        if pictures is None or not said.graphics:
            return
        pictures.found(cell, edits=bool(said.edits))
        if said.pixels and cell and self._mouse and not self._mouse_pixels:
            self._enable_mouse_pixels()
        if self._mouse_pixels and cell:
            columns, rows = self._get_terminal_size()
            parser = self._typed.parser
            parser.terminal_size, parser.terminal_pixel_size = (columns, rows), (columns * cell[0], rows * cell[1])
            parser.mouse_pixels = True

    def measure(self) -> None:
        """Determine the size of a character again, from the system or else by a query to the terminal."""
        if self._cell_size() is not None:
            self._use_graphics()
        elif self._said.cell is not None:
            self._ask(ASK_CELL)

    def _cell_size(self) -> tuple[int, int] | None:
        try:
            answer = fcntl.ioctl(self._output.fileno(), termios.TIOCGWINSZ, bytes(8))
        except OSError:
            return None
        rows, columns, width, height = struct.unpack("HHHH", answer)
        return (width // columns, height // rows) if width and height and columns and rows else None

    @property
    def behind(self) -> bool:
        writer = self._writer_thread
        # A frame sent while an Esc may begin another key would delay what the Esc shows.
        waits = self._typed.is_amid_sequence
        return waits or self._output.busy or (writer is not None and writer._queue.qsize() > 0)  # noqa: SLF001

    def _put_back(self) -> None:
        """Restore the terminal, if it takes that soon."""
        if self.attrs_before is not None:
            with suppress(termios.error):
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
        more = (DELETE_ALL if self._said.graphics else "") + ("\x1b[23;2t" if self._named else "")
        with suppress(OSError):
            self._output.close((_PUT_BACK + more).encode())

    def _sigtstp_application(self, *_: object) -> None:
        """Release the terminal and suspend, in the event loop.

        A signal handler may interrupt the main thread while it holds the lock of the writer's queue, which stopping the
        writer acquires again: the program would hang.
        """
        self._soon(super()._sigtstp_application)

    def _sigcont_application(self, *_: object) -> None:
        """Take the terminal again after a suspension, in the event loop for the same reason."""
        self._soon(self._continue)

    def _soon(self, handle: Callable[[], object]) -> None:
        # The loop may have ended already; then there is no terminal to release or take. A timer started outside the
        # app's context never fires.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(handle, context=self._context)

    def _continue(self) -> None:
        """Take the terminal again, even after a suspension without notice, by SIGSTOP or a debugger."""
        if self._auto_restart and not self._must_signal_resume:
            # Otherwise there would be a second input thread, and the program would wait for the first forever.
            self.suspend_application_mode()
        super()._sigcont_application()
        if self._auto_restart:
            # The alternate screen of the terminal is empty when it is entered.
            self._app.refresh(layout=True)

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)  # noqa: SLF001 (there is no public way)

    def run_input_thread(self) -> None:
        """Read the input; the program ends when it ends."""
        typed = self._typed
        # Until a program takes the keys one by one, the system makes Ctrl+j of each Enter.
        early = True
        for data in typed.pieces(self.fileno, self._read, self.exit_event):
            if data and early:
                data, early = data.replace(b"\n", b"\r"), False
            for event in typed.feed(data) if data else typed.tick():
                self.process_message(event)
        if not self.exit_event.is_set():
            self._app.post_message(messages.ExitApp())

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            # The terminal has gone, or belongs to another program for good.
            return b""


class GuestDriver(TerminalDriver):
    """The driver of somebody else's terminal, as over ssh: like in a browser, this computer is not the visitor's."""

    @property
    def is_web(self) -> bool:
        return True

    def open_url(self, url: str, new_tab: bool = True) -> None:
        """Open nothing: the browser would be this computer's."""

    def deliver_binary(self, binary: BinaryIO | TextIO, **_options: object) -> None:
        """Save nothing: the file would be on this computer."""
        binary.close()
