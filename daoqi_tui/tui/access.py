"""What the user's side allows: files and programs of this computer, connections to others, the clipboard and sound."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO
from subprocess import DEVNULL
from typing import Any, Final, Literal

from textual.app import App

from daoqi_tui.i18n import _
from daoqi_tui.paths import assets_folder

_TAKES_OSC_52: Final = ("xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm", "contour")
"""How TERM begins in terminals that let programs set the clipboard by default, also over SSH."""
_PROGRAMS: Final = ("ghostty", "wezterm", "rio", "contour")
"""The same for TERM_PROGRAM."""


class LocalAccess:
    """The right to name a file or a program of this computer and to have it connect to others.

    Every function that asks for a path, accepts a program or connects takes one as an argument: its caller must have
    called :func:`local_access`, and the type checker finds those that have not.
    """

    __slots__ = ()


def local_access(app: App[Any]) -> LocalAccess | None:
    """Return the permission of the user of ``app``; None in a browser, where that may not be the owner."""
    return None if app.is_web else LocalAccess()


def takes_clipboard(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal is known to take OSC 52, which sets the clipboard; none says so itself."""
    if environment.get("TMUX") or environment.get("STY"):
        return False
    program, name = environment.get("TERM_PROGRAM", "").lower(), environment.get("TERM", "")
    return program in _PROGRAMS or name.startswith(_TAKES_OSC_52) or "WT_SESSION" in environment


def copy(app: App[Any], text: str, copied: str) -> str:
    """Copy a text to the clipboard; return ``copied``, or where that is not certain, how to check."""
    app.copy_to_clipboard(text)
    if app.is_web or takes_clipboard(os.environ):
        return copied
    return _("Copied, if this terminal allows it: paste it to check")


def copy_unasked(app: App[Any], text: str) -> bool:
    """Copy a text that nobody has asked to copy; return whether it was sent.

    A browser takes one only after a key or a click on the page.
    """
    if app.is_web:
        return False
    app.copy_to_clipboard(text)
    return True


def download(app: App[Any], name: str, data: bytes, kind: str = "application/x-go-sgf") -> None:
    """Send a file to the downloads of the browser."""
    app.deliver_binary(BytesIO(data), save_filename=name, mime_type=kind)


def is_remote(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal is on another machine, where sounds are not heard and large pictures take long."""
    return bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))


def is_far(app: App[Any]) -> bool:
    """Return whether the screen is on another machine, so that the program does not see what waits for the line."""
    return bool(app.is_web) or is_remote(os.environ)


_PLAYERS: Final = (("pw-play",), ("paplay",), ("aplay", "-q"), ("afplay",))
"""The programs that play a WAV file: of PipeWire, PulseAudio, ALSA and macOS."""


@lru_cache(maxsize=1)
def _player() -> tuple[str, ...] | None:
    return next((player for player in _PLAYERS if shutil.which(player[0])), None)


def why_silent(app: App[Any]) -> str:
    """Return why no sound can be played, empty if it can."""
    if local_access(app) is None:
        return ""
    if is_remote(os.environ):
        return _("Over ssh no sound is heard: it would be played on the other computer")
    if _player() is None:
        return _("No sound: none of {programs} is installed").format(
            programs=", ".join(name for name, *_rest in _PLAYERS)
        )
    return ""


def play_sound(app: App[Any], name: Literal["stone", "capture"]) -> None:
    """Play a recording of the assets, by a program that nothing waits for, or in the browser; silently if it fails."""
    player = _player()
    if local_access(app) is None:
        # Only the driver of a browser can, and Textual has no public way to it.
        send = getattr(app._driver, "write_meta", None)  # noqa: SLF001
        if send is not None:
            send({"type": "sound", "name": name})
    elif player is not None and not is_remote(os.environ):
        app.run_worker(_run(*player, str(assets_folder() / "sounds" / f"{name}.wav")))


async def _run(*command: str) -> None:
    with contextlib.suppress(OSError):
        process = await asyncio.create_subprocess_exec(
            *command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True
        )
        await process.wait()
