"""``serve``: the board in a browser."""

from __future__ import annotations

import argparse
import ipaddress
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from daoqi_tui.cli_options import add_torus_options
from daoqi_tui.cli_play import add_game_options
from daoqi_tui.cli_streams import write_text
from daoqi_tui.i18n import _, language
from daoqi_tui.numbers_typed import whole_number

if TYPE_CHECKING:
    from daoqi_tui.cli import Subparsers

_PORT = 8000
_HOST = "127.0.0.1"


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parser of ``serve``."""
    parser = subparsers.add_parser(
        "serve",
        help=_("show the board in a browser"),
        description=_(
            "Show the board in a browser. Every tab is a game of its own; one whose tab was closed is offered again. "
            "Whoever opens the page plays as you, with your library and your settings, but it starts no programs, "
            "and reads and writes no other files of yours."
        ),
        epilog=_("Examples: {examples}").format(examples="daoqi-tui serve · daoqi-tui serve --port 8080 --size 9"),
    )
    parser.add_argument("file", nargs="?", type=Path, metavar=_("FILE"), help=_("an SGF file to open"))
    parser.add_argument(
        "--host",
        default=_HOST,
        metavar=_("ADDRESS"),
        help=_("the address to listen on (default: 127.0.0.1, which only this computer reaches)"),
    )
    parser.add_argument(
        "--port",
        type=port,
        default=_PORT,
        metavar="N",
        help=_("the port to listen on; 0 takes any that is free (default: 8000)"),
    )
    parser.add_argument(
        "--public-url",
        type=public_url,
        metavar=_("URL"),
        help=_("the address of the page where a proxy stands before it"),
    )
    add_game_options(parser)
    add_torus_options(parser)
    parser.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    try:
        from daoqi_tui.serving import serve  # noqa: PLC0415
    except ImportError as error:
        missing = _("serve needs the package textual-serve: {command} installs it")
        raise RuntimeError(missing.format(command=f"{sys.executable} -m pip install textual-serve")) from error
    words = game_words(options)
    with listening_on(options.host, options.port) as listening:
        host, port = listening.getsockname()[:2]
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        if options.public_url or not ipaddress.ip_address(host).is_loopback:
            warning = _(
                "warning: whoever can reach {address} plays as you: sees your games and can add to them, rename and "
                "remove them, and change settings; nothing is encrypted. Without --host and --public-url only "
                "this computer reaches the board."
            )
            sys.stderr.write(f"daoqi-tui: {warning.format(address=options.public_url or url)}\n")

        def ready() -> None:
            shown = _("The board is at {url} — Ctrl+C ends it.")
            write_text(shown.format(url=options.public_url or url) + "\n")
            sys.stdout.flush()

        serve(words, listening, options.public_url, ready)
    return 0


def game_words(options: argparse.Namespace) -> list[str]:
    """Return the command line of a game as ``options`` want it.

    Raises:
        UsageError: the command line of an engine cannot be read.
        SgfError: the file cannot be read.
    """
    from daoqi_tui.cli_players import seats  # noqa: PLC0415

    seats(options)
    words = [sys.executable, "-m", "daoqi_tui"]
    if language() != _usual_language():
        words += ["--lang", language()]
    words.append("play")
    # Whatever options games have, now and later.
    game = argparse.ArgumentParser(add_help=False)
    add_game_options(game)
    for action in game._actions:  # noqa: SLF001 (argparse has no public way to look into a parser)
        words += _option(action.dest, getattr(options, action.dest))
    if options.torus is not None:
        words.append("--torus" if options.torus else "--flat")
    if options.file is not None:
        words += ["--", str(_checked(options.file, options.torus).resolve())]
    return words


def _option(name: str, value: object) -> list[str]:
    # One word, so that a value that begins with a hyphen is not taken for an option.
    return [] if value is None else [f"--{name.replace('_', '-')}={value}"]


def _usual_language() -> str:
    """The language a game takes by itself."""
    import os  # noqa: PLC0415

    from daoqi_tui.config import load_config  # noqa: PLC0415
    from daoqi_tui.i18n import system_language  # noqa: PLC0415

    chosen = str(load_config()["language"])
    return system_language(os.environ) if chosen == "auto" else chosen


def _checked(file: Path, torus: bool | None) -> Path:
    """Say now what is wrong with a file, not in every tab."""
    from daoqi_tui.cli_records import read_source  # noqa: PLC0415
    from daoqi_tui.record.sgf import load  # noqa: PLC0415

    if str(file) == "-":
        raise RuntimeError(_("a served game cannot come from standard input: save it as a file"))
    load(read_source(file), torus)
    return file


def listening_on(host: str, port: int) -> socket.socket:
    """Open the port.

    Raises:
        RuntimeError: it is taken, or the address is none of this computer's.
    """
    try:
        family, _kind, _protocol, _name, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family)
    except (OSError, UnicodeError) as error:
        import errno  # noqa: PLC0415

        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            words = _("port {port} is taken: choose another with --port, or 0 for any that is free")
            raise RuntimeError(words.format(port=port)) from error
        if isinstance(error, OSError) and error.errno == errno.EACCES:
            words = _("port {port} is not allowed to you: choose one from 1024 on")
            raise RuntimeError(words.format(port=port)) from error
        words = _("{host} is no address of this computer: 127.0.0.1 is for it alone, 0.0.0.0 for all that reach it")
        raise RuntimeError(words.format(host=repr(host))) from error


def port(text: str) -> int:
    """Read a port."""
    number = whole_number(text, 0, 65535)
    if number is None:
        raise argparse.ArgumentTypeError(
            _("{text} is not a port: a whole number from 0 to 65535").format(text=repr(text))
        )
    return number


def public_url(text: str) -> str:
    """Read the address of a page."""
    try:
        parts = urlsplit(text)
        right = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
    except ValueError:
        right = False
    if not right:
        words = _("{text} is not the address of a page, such as https://go.example.org")
        raise argparse.ArgumentTypeError(words.format(text=repr(text)))
    return text.rstrip("/")
