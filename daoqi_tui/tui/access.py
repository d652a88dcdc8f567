"""What the user's side allows: files and programs of this computer, connections to others, and the clipboard."""

from __future__ import annotations

import os
from collections.abc import Mapping
from io import BytesIO
from typing import Any, Final

from textual.app import App

from daoqi_tui.i18n import _
from daoqi_tui.play.wording import with_keys

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
    return with_keys(
        _("Sent to the clipboard, which not every terminal allows: paste it to check; {save} saves the game")
    )


def download(app: App[Any], name: str, data: bytes, kind: str = "application/x-go-sgf") -> None:
    """Send a file to the downloads of the browser."""
    app.deliver_binary(BytesIO(data), save_filename=name, mime_type=kind)
