"""The driver of the program in a browser tab.

The visitor may be someone other than the user who started the program, and has no ``access.LocalAccess``: they play
with that user's games, but cannot start programs, or read or write files by name.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from typing import Any

from textual import events, messages
from textual.app import App
from textual.drivers._byte_stream import ByteStream
from textual.drivers.web_driver import WebDriver, _ExitInput
from textual.geometry import Size
from textual.message import Message

from daoqi_tui.children import clamped
from daoqi_tui.tui.driver import Typed


class ServedDriver(WebDriver):
    """A driver that talks to the browser through the server, and ends the program when the connection is lost."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._write = partial(self._send)

    def process_message(self, message: Message) -> None:
        """Pass on a message; window sizes are clamped, since the browser may report any."""
        if isinstance(message, events.Resize):
            size = Size(*clamped(message.size.width, message.size.height))
            message = events.Resize(size, size, pixel_size=message.pixel_size)
        super().process_message(message)

    def _send(self, data: bytes) -> int:
        # If the server has gone, the end of the input ends the program in an orderly way.
        with suppress(BrokenPipeError):
            while data:
                data = data[os.write(self.fileno, data) :]
        return 0

    def start_application_mode(self) -> None:
        """Start as the base class does, but keep the program's own handler of SIGTERM, as in a terminal."""
        handler = signal.getsignal(signal.SIGTERM)
        super().start_application_mode()
        # On Windows event loops have no signal handlers.
        with suppress(NotImplementedError):
            asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
            signal.signal(signal.SIGTERM, handler)

    def run_input_thread(self) -> None:
        """Read the input; the program ends when it ends."""
        typed = Typed(debug=self._debug)
        packets = ByteStream()
        assert sys.__stdin__ is not None
        file = sys.__stdin__.fileno()
        try:
            for data in typed.pieces(file, partial(os.read, file, 4096), self.exit_event):
                for kind, payload in packets.feed(data) if data else ():
                    if kind == "D":
                        for event in typed.feed(payload):
                            self.process_message(event)
                    else:
                        self._on_meta(kind, payload)
                for event in typed.tick() if not data else ():
                    self.process_message(event)
        except _ExitInput:
            pass
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)  # noqa: SLF001 (there is no public way)
        if not self.exit_event.is_set():
            self._app.post_message(messages.ExitApp())
