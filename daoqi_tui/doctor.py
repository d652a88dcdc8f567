"""What the terminal can do, and what to set where something looks wrong.

The width of ● is asked of the terminal itself, as anyone can: print one, ask where the cursor stands, and read the
answer (Device Status Report 6, ECMA-48). Everything else is read from the environment, since terminals that do
not know a question leave it unanswered.
"""

from __future__ import annotations

import locale
import os
import re
import select
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TextIO

from daoqi_tui.i18n import _

_STONE: Final = "●"
_ASK: Final = f"\r{_STONE}\x1b[6n"
"""A stone at the start of the line, and: where is the cursor?"""
_WIPE: Final = "\r\x1b[K"
_ANSWER: Final = re.compile(rb"\x1b\[(\d+);(\d+)R")
_TIMEOUT: Final = 0.25
SMALLEST: Final = (40, 14)
COMFORTABLE: Final = (100, 34)


@contextmanager
def _silent_terminal(descriptor: int) -> Iterator[None]:
    """Neither echo nor wait for a line, and leave the terminal as it was."""
    import termios  # noqa: PLC0415 (missing on Windows)
    import tty  # noqa: PLC0415

    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSANOW)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


def ambiguous_width(timeout: float = _TIMEOUT, lines: TextIO | None = None, out: TextIO | None = None) -> int | None:
    """How many columns the terminal gives ● and the other characters whose width is ambiguous (Unicode annex 11).

    Args:
        timeout: seconds to wait for an answer; the usual terminal needs one or two thousandths.
        lines: where the answer comes from, standard input if not given.
        out: where the terminal reads, standard output if not given.

    Returns:
        1 or 2; None without a terminal, in the background, or when the terminal does not answer in time. What a
        person types meanwhile is lost.
    """
    lines, out = lines or sys.stdin, out or sys.stdout
    try:
        if not (lines.isatty() and out.isatty()) or os.environ.get("TERM", "") in ("", "dumb"):
            return None
        descriptor = lines.fileno()
        if os.tcgetpgrp(descriptor) != os.getpgrp():
            return None
        with _silent_terminal(descriptor):
            out.write(_ASK)
            out.flush()
            column = _read_column(descriptor, timeout)
            out.write(_WIPE)
            out.flush()
    except (OSError, ValueError, ImportError, AttributeError):
        # No terminal after all, or a system without these calls.
        return None
    return column - 1 if column in (2, 3) else None


def _read_column(descriptor: int, timeout: float) -> int | None:
    """The column of the cursor as the terminal reports it, None when it does not in time."""
    deadline = time.monotonic() + timeout
    answer = b""
    while (left := deadline - time.monotonic()) > 0:
        ready, _writable, _failed = select.select([descriptor], [], [], left)
        if not ready:
            break
        piece = os.read(descriptor, 64)
        if not piece:
            break
        answer += piece
        if match := _ANSWER.search(answer):
            return int(match[2])
    return None


@dataclass(frozen=True, slots=True)
class Terminal:
    """What was found out.

    Attributes:
        name: what TERM says.
        colours: 0 for none, 16, 256, or 1 << 24.
        width: columns of ●; None when the terminal did not say.
        mouse: whether the mouse can be expected to work; None when nobody knows.
        size: columns and rows.
        encoding: of standard output.
        locale: the language and encoding that the environment asks for.
        is_terminal: whether standard input and output are one.
    """

    name: str
    colours: int
    width: int | None
    mouse: bool | None
    size: tuple[int, int]
    encoding: str
    locale: str
    is_terminal: bool


def colours_of(environment: Mapping[str, str]) -> int:
    """How many colours the environment promises: 0, 16, 256 or 1 << 24."""
    name = environment.get("TERM", "")
    if environment.get("NO_COLOR") or name in ("", "dumb"):
        return 0
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") or name.endswith("-direct"):
        return 1 << 24
    return 256 if "256color" in name or name.startswith(("xterm-kitty", "alacritty", "foot", "wezterm")) else 16


def examine() -> Terminal:
    """Look at the terminal this process runs in."""
    environment = os.environ
    name = environment.get("TERM", "")
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    size = shutil.get_terminal_size()
    mouse = None if is_terminal else False
    if name in ("", "dumb", "linux", "vt100", "vt220"):
        mouse = False
    elif is_terminal and name.startswith(("xterm", "tmux", "screen", "rxvt", "alacritty", "foot", "wezterm")):
        mouse = True
    return Terminal(
        name=name,
        colours=colours_of(environment),
        width=ambiguous_width(),
        mouse=mouse,
        size=(size.columns, size.lines),
        encoding=(sys.stdout.encoding or "ascii").lower(),
        locale=_locale(environment),
        is_terminal=is_terminal,
    )


def _locale(environment: Mapping[str, str]) -> str:
    for variable in ("LC_ALL", "LC_CTYPE", "LANG"):
        if environment.get(variable):
            return environment[variable]
    return locale.setlocale(locale.LC_CTYPE)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report.

    Attributes:
        name: what was looked at.
        value: what was found.
        advice: what to set; empty where all is well.
    """

    name: str
    value: str
    advice: str = ""


def findings(terminal: Terminal) -> list[Finding]:
    """Put what was found into words, with what to set where something looks wrong."""
    return [
        _terminal(terminal),
        _colours(terminal),
        _width(terminal),
        _mouse(terminal),
        _size(terminal),
        _text(terminal),
    ]


def _terminal(terminal: Terminal) -> Finding:
    name = terminal.name or _("unknown")
    if terminal.is_terminal:
        return Finding(_("Terminal"), name)
    return Finding(
        _("Terminal"), _("none"), _("input or output is no terminal: run this in one, or play with daoqi-tui --plain")
    )


def _colours(terminal: Terminal) -> Finding:
    words = {0: _("none"), 16: "16", 256: "256"}.get(terminal.colours, _("16 million"))
    advice = {
        0: _("stones differ by shape; unset NO_COLOR for colours"),
        16: _("set TERM=xterm-256color, and COLORTERM=truecolor if your terminal has all colours"),
        256: _("set COLORTERM=truecolor if your terminal has all colours, as most have"),
    }.get(terminal.colours, "")
    return Finding(_("Colours"), words, advice)


def _width(terminal: Terminal) -> Finding:
    name = _("Width of {stone}").format(stone=_STONE)
    match terminal.width:
        case 1:
            return Finding(name, _("one column"))
        case 2:
            advice = _("set your terminal to draw characters of ambiguous width narrow, or use ASCII stones")
            return Finding(name, _("two columns"), advice)
    return Finding(name, _("unknown"), _("the terminal did not say; if lines look ragged, use ASCII stones"))


def _mouse(terminal: Terminal) -> Finding:
    match terminal.mouse:
        case True:
            return Finding(_("Mouse"), _("yes"))
        case False:
            return Finding(_("Mouse"), _("no"), _("everything can be done by keys; ? lists them"))
    return Finding(_("Mouse"), _("unknown"), _("if clicks do nothing, use the keys; ? lists them"))


def _size(terminal: Terminal) -> Finding:
    columns, rows = terminal.size
    value = _("{columns} columns, {rows} rows").format(columns=columns, rows=rows)
    advice = ""
    if columns < SMALLEST[0] or rows < SMALLEST[1]:
        advice = _("too small: at least {columns} columns and {rows} rows").format(
            columns=SMALLEST[0], rows=SMALLEST[1]
        )
    elif columns < COMFORTABLE[0] or rows < COMFORTABLE[1]:
        advice = _("from {columns}×{rows} on all panes fit beside the board").format(
            columns=COMFORTABLE[0], rows=COMFORTABLE[1]
        )
    return Finding(_("Size"), value, advice)


def _text(terminal: Terminal) -> Finding:
    advice = ""
    if terminal.encoding.replace("-", "") != "utf8":
        advice = _("stones and lines need UTF-8: set LANG=C.UTF-8, or your language's, such as zh_CN.UTF-8")
    return Finding(_("Text"), f"{terminal.encoding}, {terminal.locale}", advice)


def report(terminal: Terminal) -> str:
    """All findings, a line each, what to set below what it is about."""
    found = findings(terminal)
    names = max(_columns(each.name) for each in found)
    lines = []
    for each in found:
        sign = "!" if each.advice else " "
        lines.append(f"{sign} {each.name}{' ' * (names - _columns(each.name))}  {each.value}")
        if each.advice:
            lines.append(f"  {' ' * names}  {each.advice}")
    return "\n".join(lines) + "\n"


def _columns(text: str) -> int:
    """Columns of a text, Chinese characters taking two."""
    return sum(2 if ord(sign) >= 0x2E80 else 1 for sign in text)
