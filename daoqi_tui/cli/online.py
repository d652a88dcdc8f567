"""``serve``, ``host``, ``join`` and ``games``: the board in web browsers, and games with somebody elsewhere."""

from __future__ import annotations

import argparse
import errno
import ipaddress
import os
import re
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, cast

from daoqi_tui import signals
from daoqi_tui.children import command
from daoqi_tui.cli import CommandError, MissingExtra, UsageError, needing
from daoqi_tui.cli.admin import lobby_folder, open_store
from daoqi_tui.cli.options import add_game_options
from daoqi_tui.cli.parsers import NEW_GAME
from daoqi_tui.cli.play import check_game_options, check_handicap, check_terminal, seats, show
from daoqi_tui.cli.records import read_source
from daoqi_tui.config import load_config
from daoqi_tui.engine import DAOQI, Style
from daoqi_tui.extras import install_command
from daoqi_tui.gtp.client import Engine, EngineError
from daoqi_tui.gtp.player import EnginePlayer
from daoqi_tui.i18n import _, language, name_in_language, system_language, translate
from daoqi_tui.message import Message, filled
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.online.anywhere import AnywhereError
from daoqi_tui.play.online.bots import Bot, House, Workers
from daoqi_tui.play.online.connections import Site, own_addresses
from daoqi_tui.play.online.hosting import (
    HERE,
    REACHED,
    VISITOR,
    NoGameError,
    Place,
    Visit,
    back_at,
    hosted,
    hosting,
    join,
    served_at,
)
from daoqi_tui.play.online.invitation import (
    ANYWHERE,
    LONGEST_NAME,
    PORT,
    Invitation,
    InvitationError,
    account_link,
    read_address,
    without_command,
)
from daoqi_tui.play.online.members import Members
from daoqi_tui.play.online.protocol import REASONS
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.seat_book import SavedSeat, SeatBook, describe_standing, own_name
from daoqi_tui.play.online.seats import Recorder, current_states
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.online.story import invitation_lines
from daoqi_tui.play.online.table import Chooser, Terms
from daoqi_tui.record.sgf.read import load
from daoqi_tui.streams import read_from_terminal, read_line, write_text
from daoqi_tui.text import plain_line

if TYPE_CHECKING:
    from daoqi_tui.play.online.store import Store
    from daoqi_tui.web.server import Ssh


def run_serve(options: argparse.Namespace) -> int:
    for name in ("game_prefix", "bots", "database", "ssh", "private_webhooks"):
        if getattr(options, name) is not None and not options.lobby:
            raise UsageError(_("{option} goes with --lobby"), option=f"--{name.replace('_', '-')}")
    if find_spec("fcntl") is None:
        # The boards read what is entered as a terminal of Unix does.
        raise CommandError(_("serve is not available on Windows; the board in a terminal is: daoqi-tui"))
    missing = _("serve needs the package textual-serve: {command} installs it")
    with needing("textual_serve", missing, install_command("web")):
        from daoqi_tui.web.server import TOKEN, AccessControl, serve  # noqa: PLC0415 (an extra)
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

        def say(words: str) -> None:
            address = options.public_url or url
            if access is not None:
                address = f"{address}/?{TOKEN}={access.token}"
            _say(words.format(url=address))

        access = None
        if not options.no_token:
            access = AccessControl(
                port, lambda: say(_("A browser has opened the board. The next one is let in by {url}"))
            )

        def ready() -> None:
            say(_("The board is at {url} — Ctrl+C ends it."))
            if options.lobby:
                _say(_("The lobby is at {url}").format(url=f"{options.public_url or url}/lobby"))

        site = Site((options.public_url,) if options.public_url else (), tuple(options.trust_proxy))
        with ExitStack() as stack:
            store = _open_store(options.database, stack) if options.lobby else None
            address = options.public_url or f"http://{_reached(host)}:{port}"
            lobby = _make_lobby(site, options, store, address) if options.lobby else None
            cores = 1 if options.bots is None else options.bots
            house = House(lobby, Workers(cores)) if lobby is not None and cores else None
            members = None if lobby is None or store is None else Members(lobby, store)
            ssh = None if options.ssh is None or lobby is None else _ssh_door(options, lobby, stack, address)
            serve(words, listening, site, ready, access, lobby=lobby, house=house, members=members, ssh=ssh)
    return 0


def _open_store(address: str | None, stack: ExitStack) -> Store | None:
    """Open the accounts of a lobby; None where the package for it is missing and no database was named.

    Raises:
        CommandError: the package for it is missing, or the database cannot be used.
    """
    if address is None and find_spec("sqlalchemy") is None:
        missing = _("the lobby has no accounts and ratings: {command} installs what they need")
        sys.stderr.write(f"daoqi-tui: {missing.format(command=install_command('server'))}\n")
        return None
    store = open_store(address)
    stack.callback(store.close)
    return store


def _ssh_door(options: argparse.Namespace, lobby: Lobby, stack: ExitStack, address: str) -> Ssh:
    """Return what serves the lobby over ssh, to visitors who invite others to its ``address``.

    Raises:
        CommandError: the package for it is missing, or the port is taken.
    """
    with needing("asyncssh", _("--ssh needs the package asyncssh: {command} installs it"), install_command("ssh")):
        from daoqi_tui.web.ssh import SshDoor  # noqa: PLC0415 (an extra)
    listening = stack.enter_context(listening_on(options.host, options.ssh, "--ssh"))
    host, port = listening.getsockname()[:2]
    write_text(_("By ssh the lobby is at: {command}").format(command=f"ssh -p {port} play@{host}") + "\n")
    folder = lobby_folder() / "ssh"
    return lambda boards, url: SshDoor(folder, boards, lobby, url, address).serving(listening)


def _reached(host: str) -> str:
    """Return the host of a URL by which others reach a server that listens at an address."""
    if host in ("0.0.0.0", "::"):
        host = next(iter(own_addresses()), HERE)
    return f"[{host}]" if ":" in host else host


def _make_lobby(site: Site, options: argparse.Namespace, store: Store | None, address: str) -> Lobby:
    """Make the lobby, to which others with its database send visitors by the address.

    Its games and records are in a separate folder, not among the user's.
    """
    folder = lobby_folder()
    lobby = Lobby(
        folder / "games",
        folder / "library",
        site=site,
        store=store,
        prefix=options.game_prefix or "",
        private_webhooks=bool(options.private_webhooks),
        address=re.sub("^ws", "http", address).rstrip("/"),
    )
    lobby.disks.report = lambda message: sys.stderr.write(f"daoqi-tui: {translate(message)}\n")
    return lobby


def game_arguments(options: argparse.Namespace) -> list[str]:
    """Return the command line that starts a game with the options.

    Raises:
        UsageError: the command line of an engine cannot be parsed, the board is too small for the handicap, or options
            of a new game are given with a file, or those of a file without one.
        SgfError: the file cannot be read.
    """
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
    chosen = str(load_config()["language"])
    return system_language(os.environ) if chosen == "auto" else chosen


def _checked(file: Path, torus: bool | None, encoding: str | None) -> Path:
    """Return `file` after loading it once, so that errors show here and not in every tab."""
    if str(file) == "-":
        raise CommandError(_("a served game cannot come from standard input: save it as a file"))
    load(read_source(file), torus, encoding=encoding)
    return file


def listening_on(host: str, port: int, option: str = "--port") -> socket.socket:
    """Return a socket that listens on the port that an option names.

    Raises:
        CommandError: it is in use, or the address is not one of this computer.
    """
    try:
        family, _kind, _protocol, _name, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family)
    except (OSError, UnicodeError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise CommandError(
                _("port {port} is taken: choose another with {option}, or 0 for any that is free"),
                port=port,
                option=option,
            ) from error
        if isinstance(error, OSError) and error.errno == errno.EACCES:
            raise CommandError(_("permission denied for port {port}; use 1024 or above"), port=port) from error
        raise CommandError(
            _(
                "{host} is not an address of this computer: use 127.0.0.1 for this computer only, "
                "0.0.0.0 for all interfaces"
            ),
            host=repr(host),
        ) from error


def run_host(options: argparse.Namespace) -> int:
    given = [f"--{name.replace('_', '-')}" for name, usual in NEW_GAME.items() if getattr(options, name) != usual]
    if options.resume and given:
        raise UsageError(
            _("--resume continues the game as it was opened: leave out {options}"), options=", ".join(given)
        )
    if options.anywhere is not None:
        _check_anywhere()
    _check_terminal(options)
    seats = hosted(Folders.standard().online) if options.resume else []
    address, number = served_at(seats[0]) if seats else (HERE, PORT)
    with listening_on(options.listen or address, number if options.port is None else options.port) as listening:
        return signals.run(_with_engine(options, partial(_hosted, options, listening, seats)))


def _check_anywhere() -> None:
    """Check that what games from anywhere need is installed.

    Raises:
        MissingExtra: it is not.
    """
    if find_spec("iroh") is None:
        text = _("games from anywhere need the package iroh: {command} installs it")
        raise MissingExtra(text, install_command("anywhere"))


async def _with_engine(options: argparse.Namespace, play: Callable[[EnginePlayer | None], Awaitable[int]]) -> int:
    """Play with the chosen engine, started before a game is opened or joined; with None if a human plays.

    Raises:
        CommandError: it cannot be started, or does not speak GTP.
    """
    if options.engine is None:
        return await play(None)
    player = EnginePlayer(Engine(options.engine.command))
    try:
        await player.start()
    except EngineError as error:
        raise CommandError(plain_line(translate(error))) from error
    try:
        return await play(player)
    finally:
        await player.close()


def _report(problems: Sequence[Message]) -> None:
    for problem in problems:
        sys.stderr.write(f"daoqi-tui: {plain_line(translate(problem))}\n")


async def _hosted(
    options: argparse.Namespace, listening: socket.socket, seats: list[SavedSeat], player: EnginePlayer | None
) -> int:
    """Host a new game, or one of those with the given host's seats."""
    folders = Folders.standard()
    try:
        async with hosting(
            listening,
            seats if options.resume else _terms(options),
            _name(options),
            folder=folders.online,
            library=folders.library,
            public=options.public_url or "",
            proxies=tuple(options.trust_proxy),
            anywhere=options.anywhere,
        ) as (place, problems):
            _report(problems)
            for line in invitation_lines(place, None):
                _say(line)
            if _in_lines(options) and place.let_in is not None and place.networks:
                _say(_("Type L to let this network in."))
            if _in_lines(options) and place.offer is not None:
                _say(_("Type anywhere to let guests in from anywhere."))
            if _in_lines(options):
                _say(_("Type qr to see the invitation as a QR code."))
            return await _play(options, place, player)
    except NoGameError as error:
        _report(error.args)
        raise CommandError(_("there is no game to resume; without --resume a new one begins")) from None
    except AnywhereError as error:
        raise CommandError(translate(error)) from None
    except RefusedError as error:
        raise CommandError(translate(REASONS[error.code])) from None


def _terms(options: argparse.Namespace) -> Terms:
    check_handicap(options.size, options.handicap)
    rules = options.rules or DAOQI
    return Terms(
        options.size,
        rules.komi if options.komi is None else options.komi,
        options.handicap,
        str(rules),
        options.clock,
        cast("Chooser", options.black),
        not options.no_undo,
        not options.no_spectators,
        options.spectator_delay,
    )


def _name(options: argparse.Namespace) -> str:
    return plain_line(options.name)[:LONGEST_NAME] or own_name()


def run_join(options: argparse.Namespace) -> int:
    book = SeatBook.in_folder(Folders.standard().online)
    # The pass is not for the programs that this one starts.
    visitor, reached = os.environ.pop(VISITOR, ""), os.environ.pop(REACHED, "")
    seats = book.seats() if options.invitation is None else []
    if seats:
        place = back_at(seats[0], book)
    else:
        given = _typed_invitation(options) if options.invitation in (None, "-") else options.invitation
        with UsageError.instead_of(InvitationError):
            linked = account_link(given)
            address = read_address(given) if linked is None else linked[0]
        if linked is not None:
            with CommandError.instead_of(OSError):
                book.put_account(*linked)
        if isinstance(address, str):
            return _visit(options, Visit(address, _name(options), visitor or book.account(address), reached), book)
        place = join(address, _name(options), book)
    if place.invitation.server.startswith(ANYWHERE):
        _check_anywhere()
    _check_terminal(options)
    return signals.run(_with_engine(options, partial(_play, options, place)))


def _visit(options: argparse.Namespace, visit: Visit, book: SeatBook) -> int:
    """Show a lobby, and the games that are chosen there."""
    if not _in_lines(options):
        check_terminal()
        return signals.run(show(None, visit))
    from daoqi_tui.plain.online import choose  # noqa: PLC0415 (one of two faces)

    place = choose(visit, book, read_line, _say)
    return 0 if place is None else signals.run(_with_engine(options, partial(_play, options, place)))


def _typed_invitation(options: argparse.Namespace) -> str:
    """Read an invitation from standard input, and ask for it if that is a terminal.

    An argument would be visible to all users of the computer.

    Raises:
        UsageError: there is none.
    """
    if sys.stdin.isatty():
        sys.stderr.write(_("Invitation:") + " ")
        sys.stderr.flush()
    elif options.invitation is None:
        raise UsageError(
            _("no game was joined before: give the invitation, ADDRESS#CODE, or - to read it from the input")
        )
    typed = without_command(read_line())
    if not typed:
        raise UsageError(_("no invitation was typed: the host has it, ADDRESS#CODE"))
    if not _in_lines(options):
        read_from_terminal()
    return typed


def _in_lines(options: argparse.Namespace) -> bool:
    # An engine that plays needs no board.
    return bool(options.plain or options.engine is not None)


def _check_terminal(options: argparse.Namespace) -> None:
    if not _in_lines(options):
        check_terminal()


async def _play(options: argparse.Namespace, place: Place, player: EnginePlayer | None) -> int:
    """Play, on the screen or in text mode, or let an engine play."""
    if not _in_lines(options):
        return await show(place, None)
    from daoqi_tui.plain import players_of  # noqa: PLC0415 (one of two faces)
    from daoqi_tui.plain.online import PlainOnline, play  # noqa: PLC0415

    config, folders = load_config(), Folders.standard()
    recorder = Recorder(
        SeatBook.in_folder(folders.online),
        place.seat,
        None if place.hosts else folders.library,
        lambda message: _say(plain_line(translate(message))),
    )
    style = cast("Style", config["look.names"])
    table = PlainOnline(place, partial(players_of, config), style, _say, recorder)
    if player is None:
        return await play(table, sys.stdin)
    bot = Bot(table.match.client, player, lambda problem: _say(plain_line(translate(problem))))
    table.match.subscribe_to_server(bot.react)
    try:
        return await play(table, sys.stdin, stays=True)
    finally:
        await bot.close()


def run_games(options: argparse.Namespace) -> int:
    if options.forget is not None:
        _forget(options.forget)
        return 0
    return signals.run(_listed())


def _forget(address: str) -> None:
    """Forget the seats at a game.

    Raises:
        UsageError: there are none.
        CommandError: the file of seats cannot be written.
    """
    book = SeatBook.in_folder(Folders.standard().online)
    with UsageError.instead_of(InvitationError):
        meant = Invitation.parse(address)
    seats = [seat for seat in book.seats() if seat.invitation == replace(meant, code="")]
    if not seats:
        raise UsageError(_("you have no seat at {address}; daoqi-tui games lists those you have"), address=meant)
    with CommandError.instead_of(OSError):
        for seat in seats:
            book.remove(seat)
    _say(_("Forgotten: {address}").format(address=seats[0].invitation))


async def _listed() -> int:
    seats = SeatBook.in_folder(Folders.standard().online).seats()
    shown = 0
    for standing in await current_states(seats):
        seat = standing.seat
        if seat.phase == "over":
            continue
        shown += 1
        text = filled(
            _("{address} against {name}: {state}"),
            address=plain_line(str(seat.invitation)),
            name=plain_line(name_in_language(seat.opponent)) or "?",
            state=describe_standing(standing),
        )
        _say(text)
    if not shown:
        _say(_("No online game is on."))
    return 0


def _say(line: str) -> None:
    write_text(f"{line}\n")
    sys.stdout.flush()
