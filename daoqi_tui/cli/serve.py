"""``serve``: show the board in web browsers."""

from __future__ import annotations

import argparse
import ipaddress
import re
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from daoqi_tui.cli.errors import CommandError, UsageError
from daoqi_tui.cli.options import add_command, add_encoding, add_torus_options, whole
from daoqi_tui.cli.play import add_game_options, check_game_options, check_handicap
from daoqi_tui.i18n import _, language, translate
from daoqi_tui.streams import write_text

if TYPE_CHECKING:
    from daoqi_tui.cli.options import Subparsers
    from daoqi_tui.play.online.connections import Network, Site
    from daoqi_tui.play.online.server import Lobby

_PORT = 8000
_HOST = "127.0.0.1"


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parser of ``serve``."""
    parser = add_command(
        subparsers,
        "serve",
        _serve,
        _("show the board in a browser"),
        _(
            "Show the board in a browser. Every tab is a game of its own; one whose tab was closed is offered again. "
            "The address printed opens one browser, which a cookie then lets in until the program ends; "
            "the address for the next, another of yours or a friend's, is printed once this one has been used. "
            "Whoever opens the page plays as you, with your library and your settings, but cannot start programs other "
            "than the GTP engines named here or in your settings, nor read or write other files of yours."
        ),
        "daoqi-tui serve",
        "daoqi-tui serve --port 8080 --size 9",
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
        help=_("the public URL of the page if it is behind a proxy"),
    )
    add_trust_proxy(parser)
    parser.add_argument(
        "--no-token",
        action="store_true",
        help=_("let in whoever can reach the page, not only browsers that open an address printed here"),
    )
    parser.add_argument(
        "--lobby",
        action="store_true",
        help=_("serve a lobby page as well, where whoever reaches it can open, play and watch online games"),
    )
    parser.add_argument(
        "--game-prefix",
        type=game_prefix,
        metavar="P",
        help=_("letters that begin the ids of the lobby's games, by which a proxy finds this server among several"),
    )
    add_game_options(parser)
    add_torus_options(parser)
    add_encoding(parser)


def _serve(options: argparse.Namespace) -> int:
    if options.game_prefix is not None and not options.lobby:
        raise UsageError(_("--game-prefix goes with --lobby"))
    try:
        from daoqi_tui.play.online.connections import Site  # noqa: PLC0415
        from daoqi_tui.web.server import TOKEN, AccessControl, serve  # noqa: PLC0415
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "textual_serve":
            raise
        from daoqi_tui.extras import install_command  # noqa: PLC0415

        missing = _("serve needs the package textual-serve: {command} installs it")
        raise CommandError(missing.format(command=install_command("web"))) from error
    if options.lobby and sys.platform == "win32":
        raise CommandError(_("the lobby is not available on Windows: its boards could access your games and settings"))
    words = game_arguments(options)
    with listening_on(options.host, options.port) as listening:
        host, port = listening.getsockname()[:2]
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        if options.public_url or not ipaddress.ip_address(host).is_loopback:
            warning = _(
                "warning: whoever opens an address printed here plays as you: sees your games and can add to them, "
                "rename and remove them, and change settings; nothing is encrypted, so that others on the network can "
                "listen in and do the same. Without --host and --public-url only this computer reaches the board."
            )
            if options.no_token:
                warning = _(
                    "warning: whoever can reach {address} plays as you: sees your games and can add to them, rename "
                    "and remove them, and change settings; nothing is encrypted. Without --host and --public-url only "
                    "this computer reaches the board."
                )
            sys.stderr.write(f"daoqi-tui: {warning.format(address=options.public_url or url)}\n")

        def tell(words: str) -> None:
            address = options.public_url or url
            if access is not None:
                address = f"{address}/?{TOKEN}={access.token}"
            write_text(words.format(url=address) + "\n")
            sys.stdout.flush()

        access = None
        if not options.no_token:
            access = AccessControl(
                port, lambda: tell(_("A browser has opened the board. The next one is let in by {url}"))
            )

        def ready() -> None:
            tell(_("The board is at {url} — Ctrl+C ends it."))
            if options.lobby:
                write_text(_("The lobby is at {url}").format(url=f"{options.public_url or url}/lobby") + "\n")
                sys.stdout.flush()

        site = Site((options.public_url,) if options.public_url else (), tuple(options.trust_proxy))
        lobby = _make_lobby(site, options.game_prefix or "") if options.lobby else None
        serve(words, listening, site, ready, access, lobby=lobby)
    return 0


def _make_lobby(site: Site, prefix: str) -> Lobby:
    """Make the lobby; its games and records are in a separate folder, not among the user's."""
    from daoqi_tui.play.keeper import Folders  # noqa: PLC0415
    from daoqi_tui.play.online.server import Lobby  # noqa: PLC0415

    folder = Folders.standard().online / "lobby"
    lobby = Lobby(folder / "games", folder / "library", site=site, prefix=prefix)
    lobby.disks.report = lambda message: sys.stderr.write(f"daoqi-tui: {translate(message)}\n")
    return lobby


def game_arguments(options: argparse.Namespace) -> list[str]:
    """Return the command line that starts a game with the options.

    Raises:
        UsageError: the command line of an engine cannot be parsed, the board is too small for the handicap, or options
            of a new game are given with a file, or those of a file without one.
        SgfError: the file cannot be read.
    """
    from daoqi_tui.children import command  # noqa: PLC0415
    from daoqi_tui.cli.options import seats  # noqa: PLC0415
    from daoqi_tui.config import load_config  # noqa: PLC0415

    # So that errors show up here and not in every tab.
    check_game_options(options)
    seats(options)
    check_handicap(options.size or cast("int", load_config()["play.size"]), options.handicap)
    words = [*command("daoqi_tui")]
    if language() != _usual_language():
        words += ["--lang", language()]
    words.append("play")
    # All options of games, so that new ones need no change here.
    game = argparse.ArgumentParser(add_help=False)
    add_game_options(game)
    for action in game._actions:  # noqa: SLF001 (argparse has no public way to look into a parser)
        words += _option(action.dest, getattr(options, action.dest))
    if options.torus is not None:
        words.append("--torus" if options.torus else "--flat")
    if options.file is not None:
        words += _option("encoding", options.encoding)
        words += ["--", str(_checked(options.file, options.torus, options.encoding).resolve())]
    return words


def _option(name: str, value: object) -> list[str]:
    # One word, so that a value that begins with a hyphen is not taken for an option.
    return [] if value is None else [f"--{name.replace('_', '-')}={value}"]


def _usual_language() -> str:
    """Return the language of a game without --lang."""
    import os  # noqa: PLC0415

    from daoqi_tui.config import load_config  # noqa: PLC0415
    from daoqi_tui.i18n import system_language  # noqa: PLC0415

    chosen = str(load_config()["language"])
    return system_language(os.environ) if chosen == "auto" else chosen


def _checked(file: Path, torus: bool | None, encoding: str | None) -> Path:
    """Return `file` after loading it once, so that errors show here and not in every tab."""
    from daoqi_tui.cli.records import read_source  # noqa: PLC0415
    from daoqi_tui.record.sgf.read import load  # noqa: PLC0415

    if str(file) == "-":
        raise CommandError(_("a served game cannot come from standard input: save it as a file"))
    load(read_source(file), torus, encoding=encoding)
    return file


def listening_on(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a port.

    Raises:
        CommandError: it is in use, or the address is not one of this computer.
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
            raise CommandError(words.format(port=port)) from error
        if isinstance(error, OSError) and error.errno == errno.EACCES:
            words = _("permission denied for port {port}; use 1024 or above")
            raise CommandError(words.format(port=port)) from error
        words = _(
            "{host} is not an address of this computer: use 127.0.0.1 for this computer only, "
            "0.0.0.0 for all interfaces"
        )
        raise CommandError(words.format(host=repr(host))) from error


def port(text: str) -> int:
    return whole(text, 0, 65535, _("{text} is not a port: a whole number from {least} to {most}"))


def add_trust_proxy(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the trusted proxies of a server."""
    parser.add_argument(
        "--trust-proxy",
        type=network,
        action="append",
        default=[],
        metavar=_("ADDRESS"),
        help=_(
            "a proxy, or a network of proxies such as 10.0.0.0/8, whose X-Forwarded-For is believed (default: this "
            "computer with --public-url, none without); may be repeated"
        ),
    )


def network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        words = _("{text} is not an IP address, nor a network such as 10.0.0.0/8")
        raise argparse.ArgumentTypeError(words.format(text=repr(text))) from None


def game_prefix(text: str) -> str:
    if not re.fullmatch("[a-z2-7]{1,8}", text):
        words = _("{text} cannot begin the id of a game: one to eight of the letters a to z and digits 2 to 7")
        raise argparse.ArgumentTypeError(words.format(text=repr(text)))
    return text


def public_url(text: str) -> str:
    """Parse the URL of a page, which invitations of the lobby begin with."""
    from daoqi_tui.play.online.invitation import InvitationError, server_of  # noqa: PLC0415

    try:
        server_of(text)
        right = text.lower().startswith(("http://", "https://"))
    except InvitationError:
        right = False
    if not right:
        words = _("{text} is not the address of a page, such as https://go.example.org")
        raise argparse.ArgumentTypeError(words.format(text=repr(text)))
    return text.rstrip("/")
