"""The program in a tab of a browser.

Whoever sits there (``App.is_web``) may be someone else than the one who started the program. They play with that user's
games; but no program is started for them, and no file is read or written whose name they choose.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from io import BytesIO
from typing import Any

from textual import messages
from textual.app import App
from textual.drivers.web_driver import WebDriver


class ServedDriver(WebDriver):
    """Talks to the browser through the server, and ends the program when the server has gone, however it went."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._write = partial(self._send)

    def _send(self, data: bytes) -> int:
        # Nobody reads any more; the end of the input, which says so too, ends the program in good order.
        with suppress(BrokenPipeError):
            while data:
                data = data[os.write(self.fileno, data) :]
        return 0

    def run_input_thread(self) -> None:
        """Read what is typed and clicked; its end is the end of the program."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._app.post_message(messages.ExitApp())


def download(app: App[Any], name: str, data: bytes) -> None:
    """Hand a file to the browser, which keeps it where it keeps downloads."""
    app.deliver_binary(BytesIO(data), save_filename=name, mime_type="application/x-go-sgf")
