"""The program in a real kitty on a screen of its own (Xvfb): keys are typed, and the window is taken as a picture.

OpenGL is drawn in software, so all is slower than on a real screen; what is drawn is what a user of kitty sees.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Final, Self

from PIL import Image, ImageGrab

NEEDED: Final = "kitty", "Xvfb"
_KEYS: Final = {
    "Enter": "\r",
    "Esc": "\x1b",
    "Tab": "\t",
    "Left": "\x1b[D",
    "Right": "\x1b[C",
    "Up": "\x1b[A",
    "Down": "\x1b[B",
    "Home": "\x1b[H",
    "End": "\x1b[F",
}
_PATIENCE: Final = 60.0
_LOOK: Final = 0.15
"""Seconds between two looks at the window."""
_ALIKE: Final = 4
"""Looks without a difference after which the window is at rest."""


def missing() -> str:
    """Return why there can be no pictures, empty if there can."""
    lacking = [name for name in NEEDED if shutil.which(name) is None]
    return f"no pictures: {', '.join(lacking)} not installed (apt-get install kitty xvfb)" if lacking else ""


class Kitty:
    """A window of kitty in which the program runs without animations, and after its welcome.

    Args:
        arguments: what follows ``daoqi-tui``.
        size: width and height of the window in pixels.
        font: the size of the font in points; at 12 a character is 10 × 19 pixels.
    """

    def __init__(self, arguments: Sequence[str], size: tuple[int, int], font: float = 12) -> None:
        self._arguments, self._size, self._font = arguments, size, font
        self._folder = Path(tempfile.mkdtemp(prefix="kitty-"))
        self._address = f"unix:{self._folder / 'kitty'}"
        self._running: list[subprocess.Popen[bytes]] = []
        self._display = ""

    def __enter__(self) -> Self:
        width, height = self._size
        reading, writing = os.pipe()
        screen = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{width}x{height}x24"]
        self._start(screen, pass_fds=(writing,))
        os.close(writing)
        with os.fdopen(reading, encoding="ascii") as numbers:
            self._display = f":{numbers.readline().strip()}"
        state = self._folder / "state" / "daoqi-tui"
        state.mkdir(parents=True)
        (state / "welcomed").touch()
        settings = self._folder / "config" / "daoqi-tui" / "config.toml"
        settings.parent.mkdir(parents=True)
        # Else a torus at the side would turn for ever.
        settings.write_text('[display]\nmotion = "reduced"\n', encoding="utf-8")
        homes = {f"XDG_{name.upper()}_HOME": str(self._folder / name) for name in ("state", "data", "config", "cache")}
        locale = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "LANGUAGE": ""}
        environment = {**os.environ, **homes, **locale, "DISPLAY": self._display, "LIBGL_ALWAYS_SOFTWARE": "1"}
        for name in ("TMUX", "NO_COLOR", "SSH_CONNECTION", "SSH_TTY"):
            environment.pop(name, None)
        options = {
            "allow_remote_control": "yes",
            "remember_window_size": "no",
            "initial_window_width": width,
            "initial_window_height": height,
            "window_margin_width": 0,
            "placement_strategy": "top-left",
            "font_family": "DejaVu Sans Mono",
            "font_size": self._font,
            "cursor_blink_interval": 0,
            "update_check_interval": 0,
            "confirm_os_window_close": 0,
        }
        words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        program = [sys.executable, "-m", "daoqi_tui", *self._arguments]
        self._start(["kitty", "--config", "NONE", "--listen-on", self._address, *words, *program], env=environment)
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._running):
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, command: Sequence[str], **options: object) -> None:
        self._running.append(
            subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)  # type: ignore[call-overload]
        )

    def _ask(self, *words: str, text: str = "") -> str:
        command = ["kitty", "@", "--to", self._address, *words]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False).stdout

    def press(self, *keys: str) -> None:
        """Type keys: the names of special ones, or characters."""
        self._ask("send-text", "--stdin", text="".join(_KEYS.get(key, key) for key in keys))

    def until(self, condition: Callable[[str], bool]) -> None:
        """Wait until the text of the window fulfils a condition."""
        end = monotonic() + _PATIENCE
        while not condition(text := self._ask("get-text")):
            if monotonic() > end or self._running[-1].poll() is not None:
                raise AssertionError(f"what was waited for did not come:\n{text}")
            sleep(_LOOK)

    def look(self) -> Image.Image:
        """Return the window as it is now."""
        return ImageGrab.grab(xdisplay=self._display).convert("RGB")

    def after(self, *keys: str) -> Image.Image:
        """Type keys that change what is shown, and return the window once it no longer changes."""
        before, end = self.look(), monotonic() + _PATIENCE
        self.press(*keys)
        while self.look() == before:
            if monotonic() > end:
                raise AssertionError(f"nothing came of {keys}")
            sleep(_LOOK)
        return self.at_rest()

    def at_rest(self) -> Image.Image:
        """Return the window once it no longer changes."""
        shown, alike = self.look(), 0
        while alike < _ALIKE:
            sleep(_LOOK)
            now = self.look()
            alike = alike + 1 if now == shown else 0
            shown = now
        return shown
