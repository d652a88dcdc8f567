"""Check the terminal, the settings and the game folders, and advise what to set if something looks wrong.

The width of ● is measured: print one, request the cursor position (Device Status Report 6, ECMA-48), and read the
reply. Everything else comes from the environment, since terminals ignore requests that they do not know.
"""

from __future__ import annotations

import argparse
import locale
import os
import re
import select
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Final, Literal, TextIO

from daoqi_tui.ai.compiled import CacheState
from daoqi_tui.ai.player import cache_state
from daoqi_tui.cli.options import wrapped
from daoqi_tui.commands.screen import COMMANDS
from daoqi_tui.config import load_config
from daoqi_tui.extras import install_command
from daoqi_tui.i18n import _, plural
from daoqi_tui.paths import own_folder
from daoqi_tui.play.keeper import Folders
from daoqi_tui.streams import PLAIN_TERMINALS, is_east_asian, locale_in, without_colours, write_text
from daoqi_tui.text import cell_width, plain
from daoqi_tui.tui.access import is_remote
from daoqi_tui.tui.graphics import Answers, is_shared, question

_STONE: Final = "●"
_ASK_WIDTH: Final = f"\r{_STONE}\x1b[6n"
"""A stone at the start of the line, and a request for the cursor position."""
_WIPE: Final = "\r\x1b[K"
_ANSWER: Final = re.compile(rb"\x1b\[(\d+);(\d+)R")
_KIND: Final = re.compile(rb"\x1b\[\?[\d;]*c")
_TIMEOUT: Final = 0.25
SMALLEST: Final = (40, 14)
COMFORTABLE: Final = (100, 34)
_LEAST_ROOM: Final = 20
"""The columns of values and advice in a terminal that has no room for them."""


def run_doctor(_options: argparse.Namespace) -> int:
    config = load_config(command.name for command in COMMANDS)
    found = [
        *findings(examine()),
        settings_finding(config.path, config.problems),
        saving_finding(Folders.standard()),
        compiled_finding(cache_state(), own_folder("cache")),
    ]
    write_text(plain(report(found, shutil.get_terminal_size().columns if sys.stdout.isatty() else 0)))
    return int(any(each.is_problem for each in found))


@contextmanager
def _silent_terminal(descriptor: int) -> Iterator[None]:
    """Switch off echo and line buffering in the block."""
    import termios  # noqa: PLC0415 (missing on Windows)
    import tty  # noqa: PLC0415

    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSANOW)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


def ambiguous_width(timeout: float = _TIMEOUT, lines: TextIO | None = None, out: TextIO | None = None) -> int | None:
    """Return how many columns the terminal gives ● and other characters of ambiguous width (Unicode annex 11).

    Args:
        timeout: seconds to wait for a reply; most terminals take one or two milliseconds.
        lines: where the reply comes from, by default standard input.
        out: where the request is written, by default standard output.

    Returns:
        1 or 2; None without a terminal, in the background, or if the terminal does not answer in time. Keys typed
        meanwhile are lost.
    """
    answer = _reply(_ASK_WIDTH, _ANSWER, timeout, lines, out)
    column = 0 if answer is None else int(answer[2])
    return column - 1 if column in (2, 3) else None


Graphics = Literal["kitty", "sixel", "none"]
"""How a terminal shows pictures."""


def graphics_of(timeout: float = _TIMEOUT, lines: TextIO | None = None, out: TextIO | None = None) -> Graphics | None:
    """Return how the terminal shows pictures, None if it cannot be asked or does not answer.

    The arguments are those of :func:`ambiguous_width`.
    """
    if os.environ.get("TERM", "").startswith(PLAIN_TERMINALS):
        return None
    # Every terminal reports its type, which is requested last.
    answer = _reply(question(os.environ), _KIND, timeout, lines, out)
    if answer is None:
        return None
    _keys, answers = Answers().take(answer.string.decode("ascii", "replace"))
    if any(each.graphics for each in answers):
        return "kitty"
    return "sixel" if any(each.sixel for each in answers) else "none"


def _reply(
    asked: str, pattern: re.Pattern[bytes], timeout: float, lines: TextIO | None, out: TextIO | None
) -> re.Match[bytes] | None:
    """Return the match of the terminal's answer to a request, None without a terminal or an answer in time."""
    lines, out = lines or sys.stdin, out or sys.stdout
    try:
        known = os.environ.get("TERM", "") not in ("", "dumb") and find_spec("termios") is not None
        if not (known and lines.isatty() and out.isatty()):
            return None
        descriptor = lines.fileno()
        if os.tcgetpgrp(descriptor) != os.getpgrp():
            return None
        with _silent_terminal(descriptor):
            out.write(asked)
            out.flush()
            answer = _read_until(pattern, descriptor, timeout)
            out.write(_WIPE)
            out.flush()
    except (OSError, ValueError, ImportError, AttributeError):
        # Not a terminal after all, or a system without these calls.
        return None
    return answer


def _read_until(pattern: re.Pattern[bytes], descriptor: int, timeout: float) -> re.Match[bytes] | None:
    """Read until a pattern matches; return None on a timeout."""
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
        if match := pattern.search(answer):
            return match
    return None


@dataclass(frozen=True, slots=True)
class Terminal:
    """The capabilities of a terminal.

    Attributes:
        name: the value of TERM.
        colours: 0 for none, 16, 256, or 1 << 24.
        width: columns of ●; None if the terminal did not say.
        mouse: whether the mouse can be expected to work; None if unknown.
        size: columns and rows.
        encoding: of standard output.
        locale: the language and encoding that the environment asks for.
        is_terminal: whether standard input and output are one.
        graphics: how it shows pictures; None if it was not asked.
        is_remote: whether it is reached by ssh.
        is_shared: whether it is tmux or screen.
    """

    name: str
    colours: int
    width: int | None
    mouse: bool | None
    size: tuple[int, int]
    encoding: str
    locale: str
    is_terminal: bool
    graphics: Graphics | None = None
    is_remote: bool = False
    is_shared: bool = False


def colours_of(environment: Mapping[str, str]) -> int:
    """Return the number of colours declared by the environment: 0, 16, 256 or 1 << 24."""
    name = environment.get("TERM", "")
    if without_colours(environment) or name in ("", "dumb"):
        return 0
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") or name.endswith("-direct"):
        return 1 << 24
    return 256 if "256color" in name or name.startswith(("xterm-kitty", "alacritty", "foot", "wezterm")) else 16


def examine() -> Terminal:
    """Return the capabilities of the terminal this process runs in."""
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
        locale=locale_in(environment) or locale.setlocale(locale.LC_CTYPE),
        is_terminal=is_terminal,
        graphics=graphics_of(),
        is_remote=is_remote(environment),
        is_shared=is_shared(environment),
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report.

    Attributes:
        name: of the check.
        value: the result.
        advice: what to set; empty if all is well.
        is_problem: whether the program does not work properly; other advice is a matter of taste, or a guess.
    """

    name: str
    value: str
    advice: str = ""
    is_problem: bool = False


def findings(terminal: Terminal) -> list[Finding]:
    """Return the findings about a terminal, with advice where something looks wrong."""
    return [
        _terminal(terminal),
        _colours(terminal),
        _width(terminal),
        _mouse(terminal),
        _graphics(terminal),
        _size(terminal),
        _text(terminal),
    ]


def _terminal(terminal: Terminal) -> Finding:
    name = terminal.name or _("unknown")
    if not terminal.is_terminal:
        advice = _("input or output is not a terminal: run this in one, or play with daoqi-tui --plain")
        return Finding(_("Terminal"), _("none"), advice, is_problem=True)
    if terminal.name in ("", "dumb"):
        advice = _("the board cannot be drawn: set TERM to your terminal's type, or play with daoqi-tui --plain")
        return Finding(_("Terminal"), name, advice, is_problem=True)
    return Finding(_("Terminal"), name)


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
            # The program asks the terminal itself where the locale makes two columns likely.
            return Finding(name, _("two columns"), advice, is_problem=not is_east_asian(terminal.locale))
    return Finding(name, _("unknown"), _("the terminal did not say; if lines look ragged, use ASCII stones"))


def _mouse(terminal: Terminal) -> Finding:
    match terminal.mouse:
        case True:
            return Finding(_("Mouse"), _("yes"))
        case False:
            return Finding(_("Mouse"), _("no"), _("everything can be done by keys; ? lists them"))
    return Finding(_("Mouse"), _("unknown"), _("if clicks do nothing, use the keys; ? lists them"))


def _graphics(terminal: Terminal) -> Finding:
    if terminal.graphics == "kitty":
        return Finding(_("Graphics"), _("kitty graphics protocol: the board is drawn as a picture"))
    if terminal.graphics == "sixel" and terminal.is_shared:
        advice = _(
            'if the terminal around tmux shows Sixel, let tmux pass it on (tmux set -as terminal-features ",*:sixel") '
            'and set display.graphics to "sixel"'
        )
        return Finding(_("Graphics"), _("Sixel, not used by itself in tmux: the board is drawn in characters"), advice)
    if terminal.graphics == "none" and terminal.is_shared:
        advice = _("tmux passes pictures on from version 3.4 on, if it was built with Sixel")
        return Finding(_("Graphics"), _("none in tmux or screen: the board is drawn in characters"), advice)
    if terminal.graphics == "sixel" and terminal.is_remote:
        advice = _('set display.graphics to "sixel" if the line is fast: a picture may have 400 kB')
        return Finding(_("Graphics"), _("Sixel, not used over ssh: the board is drawn in characters"), advice)
    if terminal.graphics == "sixel":
        return Finding(_("Graphics"), _("Sixel: the board is drawn as a picture"))
    if terminal.graphics is None:
        return Finding(_("Graphics"), _("unknown"))
    return Finding(_("Graphics"), _("none: the board is drawn in characters"))


def _size(terminal: Terminal) -> Finding:
    width, rows = terminal.size
    value = _("{columns} columns, {rows} rows").format(columns=width, rows=rows)
    advice = ""
    is_problem = width < SMALLEST[0] or rows < SMALLEST[1]
    if is_problem:
        advice = _("too small: at least {columns} columns and {rows} rows").format(
            columns=SMALLEST[0], rows=SMALLEST[1]
        )
    elif width < COMFORTABLE[0] or rows < COMFORTABLE[1]:
        advice = _("from {columns}×{rows} on all panes fit beside the board").format(
            columns=COMFORTABLE[0], rows=COMFORTABLE[1]
        )
    return Finding(_("Size"), value, advice, is_problem=is_problem)


def _text(terminal: Terminal) -> Finding:
    advice = ""
    if terminal.encoding.replace("-", "") != "utf8":
        advice = _("stones and lines need UTF-8: set LANG=C.UTF-8, or your language's, such as zh_CN.UTF-8")
    return Finding(_("Text"), f"{terminal.encoding}, {terminal.locale}", advice, is_problem=bool(advice))


def settings_finding(file: Path, problems: Sequence[str]) -> Finding:
    """Return the finding about the settings, with one line of advice for each mistake."""
    return Finding(_("Settings"), str(file), "\n".join(problems), is_problem=bool(problems))


def compiled_finding(state: CacheState, folder: Path) -> Finding:
    """Return the finding about the compiled code of the computer player.

    Args:
        state: of its cache.
        folder: of the cache.
    """
    name = _("Compiled code")
    match state:
        case "cached":
            return Finding(name, _("in the cache: the computer starts at once"))
        case "missing":
            advice = _("the computer compiles when it is first used: about a minute, and once after an update")
            return Finding(name, _("not yet"), advice)
        case "impossible":
            advice = _("the computer compiles for about a minute at every start: make {folder} writable")
            return Finding(name, _("not in the cache"), advice.format(folder=folder))
    advice = _("the computer is stronger with numba: {command}").format(command=install_command("fast"))
    return Finding(name, _("none"), advice)


def saving_finding(folders: Iterable[Path]) -> Finding:
    """Return the finding about the folders that games are kept in, which need not exist yet."""
    places = {folder: _existing(folder) for folder in folders}
    refused = [folder for folder, place in places.items() if place is None or not os.access(place, os.W_OK | os.X_OK)]
    if refused:
        advice = _("nothing can be saved in {folders}: make it writable").format(folders=", ".join(map(str, refused)))
        return Finding(_("Saving"), _("impossible"), advice, is_problem=True)
    full = [folder for folder, place in places.items() if place and shutil.disk_usage(place).free < _ROOM]
    if full:
        advice = _("the disk of {folders} is full: make room").format(folders=", ".join(map(str, full)))
        return Finding(_("Saving"), _("impossible"), advice, is_problem=True)
    return Finding(_("Saving"), _("possible"))


_ROOM: Final = 1 << 16
"""The bytes that have to be free on a disk for a game."""


def _existing(folder: Path) -> Path | None:
    """Return a folder, or what is there of the path to it; None if that is no folder."""
    existing = next((each for each in (folder, *folder.parents) if os.path.lexists(each)), None)
    return existing if existing is not None and existing.is_dir() else None


def report(found: Sequence[Finding], columns: int = 0) -> str:
    """Return findings as text: a line for each, ``!`` before a problem and ``-`` before other advice, and a summary.

    Args:
        found: the findings.
        columns: the width after which lines are wrapped; 0 for lines however long.
    """
    names = max(cell_width(each.name) for each in found)
    room = max(columns - names - 4, _LEAST_ROOM)
    lines = []
    for each in found:
        sign = "!" if each.is_problem else "-" if each.advice else " "
        texts = each.value, *each.advice.splitlines()
        told = chain.from_iterable(wrapped(text, room) or [""] if columns else [text] for text in texts)
        begun = f"{sign} {each.name}{' ' * (names - cell_width(each.name))}"
        for line in told:
            lines.append(f"{begun}  {line}")
            begun = " " * (names + 2)
    count = sum(each.is_problem for each in found)
    lines += [
        "",
        plural("{count} problem found.", "{count} problems found.", count) if count else _("No problems found."),
    ]
    return "\n".join(lines) + "\n"
