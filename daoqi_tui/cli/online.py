"""``host``, ``join`` and ``games``: play somebody on another machine."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from daoqi_tui.cli.errors import CommandError, UsageError
from daoqi_tui.cli.options import add_command, typed, whole
from daoqi_tui.cli.play import add_rules, check_handicap, check_terminal, handicap, komi, size
from daoqi_tui.cli.serve import add_trust_proxy, listening_on, port
from daoqi_tui.i18n import _, translate
from daoqi_tui.streams import read_from_terminal, read_line, write_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from socket import socket

    from daoqi_tui.cli.options import Subparsers
    from daoqi_tui.engine import Style
    from daoqi_tui.engine.clock import TimeControl
    from daoqi_tui.gtp.player import EnginePlayer
    from daoqi_tui.play.online.hosting import Place
    from daoqi_tui.play.online.seats import SavedSeat
    from daoqi_tui.play.online.table import Chooser, Terms
    from daoqi_tui.play.session import EngineSeat


_NEW_GAME: Final[dict[str, object]] = {
    "size": 16,
    "komi": None,
    "handicap": 0,
    "rules": None,
    "clock": None,
    "black": "nigiri",
    "no_undo": False,
    "no_spectators": False,
    "spectator_delay": 0,
    "name": "",
}
"""The options of ``host`` that apply only to a new game, with their defaults."""


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parsers of ``host``, ``join`` and ``games``."""
    _add_host(subparsers)
    _add_join(subparsers)
    parser = add_command(
        subparsers,
        "games",
        _games,
        _("list your online games and whose turn it is"),
        _(
            "List your online games and whose turn it is. The servers are asked; where one does not answer, what was "
            "last known is shown."
        ),
        "daoqi-tui games",
        "daoqi-tui games --forget 192.168.1.5:7777#mzxw6ytb",
    )
    parser.add_argument(
        "--forget",
        metavar=_("ADDRESS"),
        help=_("give up your seat in the game at this address, as it is listed; nobody can take it again"),
    )


def _add_host(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "host",
        _host,
        _("open a game for somebody on another machine"),
        _(
            "Open a game for somebody on another machine, and print an invitation for them. This program is the "
            "referee; every move is on the disk before it is sent on."
        ),
        "daoqi-tui host --listen 0.0.0.0 --size 13 --clock 20+3x30",
        "daoqi-tui host --resume",
    )
    parser.add_argument("--size", type=size, metavar="N", help=_("board size, 5 to 25 (default: 16)"))
    parser.add_argument("--komi", type=komi, metavar="K", help=_("points for White (default: 4)"))
    parser.add_argument("--handicap", type=handicap, metavar="H", help=_("0, or 2 to 9 stones (default: 0)"))
    add_rules(parser)
    parser.add_argument(
        "--clock",
        type=clock,
        metavar="C",
        help=_("minutes of main time, then +S for an increment or +NxS for N byo-yomi periods of S seconds: 20+3x30"),
    )
    parser.add_argument("--black", choices=("host", "guest", "nigiri"), help=_("who plays Black (default: nigiri)"))
    parser.add_argument("--no-undo", action="store_true", help=_("play without undo"))
    parser.add_argument("--no-spectators", action="store_true", help=_("let nobody watch"))
    parser.add_argument(
        "--spectator-delay",
        type=delay,
        metavar="S",
        help=_("seconds by which spectators see the game late, at most 3600 (default: 0)"),
    )
    parser.add_argument(
        "--listen",
        metavar=_("ADDRESS"),
        help=_("the address to listen on (default: 127.0.0.1, which only this computer reaches)"),
    )
    parser.add_argument("--port", type=port, metavar="N", help=_("the port to listen on; 0 takes any (default: 7777)"))
    parser.add_argument(
        "--public-url",
        type=public_address,
        metavar=_("URL"),
        help=_("the address others reach it by, such as wss://go.example.org"),
    )
    add_trust_proxy(parser)
    parser.add_argument(
        "--resume", action="store_true", help=_("resume the game you hosted last, at the address and port it had")
    )
    _add_player_options(parser)
    parser.set_defaults(**_NEW_GAME)


def _add_join(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "join",
        _join,
        _("play or watch a game on another machine"),
        _(
            "Sit down at a game on another machine with an invitation, which works once; come back to it with the "
            "same command, or watch it with an address without a code."
        ),
        "daoqi-tui join 192.168.1.5:7777#mzxw6ytb-abcdefghijklmnopqrst",
        "daoqi-tui join -",
        "daoqi-tui join",
    )
    parser.add_argument(
        "invitation",
        nargs="?",
        metavar=_("INVITATION"),
        help=_(
            "ADDRESS#CODE as the host has it, or - to type it, so that other users of this computer do not see it; "
            "without one you come back to the game you joined last"
        ),
    )
    _add_player_options(parser)


def _add_player_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plain", action="store_true", help=_("text mode, for screen readers and slow connections"))
    parser.add_argument(
        "--name", default="", metavar=_("NAME"), help=_("your name (default: the setting play.name, or Player)")
    )
    parser.add_argument(
        "--engine",
        type=engine,
        metavar=_("COMMAND"),
        help=_("the command line of a GTP engine that plays for you"),
    )


def engine(text: str) -> EngineSeat:
    """Parse the command line of an engine."""
    from daoqi_tui.play.session import EngineSeat  # noqa: PLC0415

    return typed(EngineSeat, text)


def clock(text: str) -> TimeControl:
    """Parse a time control: ``20``, ``20+5`` or ``20+3x30``."""
    from daoqi_tui.engine.clock import parse_time_control  # noqa: PLC0415

    return typed(parse_time_control, text)


def public_address(text: str) -> str:
    """Check an address under which others reach a game."""
    from daoqi_tui.play.online.invitation import server_of  # noqa: PLC0415

    typed(server_of, text)
    return text


def delay(text: str) -> int:
    return whole(text, 0, 3600, _("{text} is not a delay: a whole number of seconds from {least} to {most}"))


def _host(options: argparse.Namespace) -> int:
    given = [f"--{name.replace('_', '-')}" for name, usual in _NEW_GAME.items() if getattr(options, name) != usual]
    if options.resume and given:
        words = _("--resume continues the game as it was opened: leave out {options}")
        raise UsageError(words.format(options=", ".join(given)))
    from daoqi_tui import signals  # noqa: PLC0415
    from daoqi_tui.play.keeper import Folders  # noqa: PLC0415
    from daoqi_tui.play.online.hosting import HERE, hosted, served_at  # noqa: PLC0415
    from daoqi_tui.play.online.invitation import PORT  # noqa: PLC0415

    _check_terminal(options)
    seats = hosted(Folders.standard().online) if options.resume else []
    address, number = served_at(seats[0]) if seats else (HERE, PORT)
    with listening_on(options.listen or address, number if options.port is None else options.port) as listening:
        return signals.run(_with_engine(options, partial(_hosted, options, listening, seats)))


async def _with_engine(options: argparse.Namespace, play: Callable[[EnginePlayer | None], Awaitable[int]]) -> int:
    """Play with the chosen engine, started before a game is opened or joined; with None if a human plays.

    Raises:
        CommandError: it cannot be started, or does not speak GTP.
    """
    if options.engine is None:
        return await play(None)
    from daoqi_tui.gtp.client import Engine, EngineError  # noqa: PLC0415
    from daoqi_tui.gtp.player import EnginePlayer  # noqa: PLC0415

    player = EnginePlayer(Engine(options.engine.command))
    try:
        await player.start()
    except EngineError as error:
        raise CommandError(_shown(translate(error))) from error
    try:
        return await play(player)
    finally:
        await player.close()


async def _hosted(
    options: argparse.Namespace, listening: socket, seats: list[SavedSeat], player: EnginePlayer | None
) -> int:
    """Host a new game, or one of those with the given host's seats."""
    from daoqi_tui.play.keeper import Folders  # noqa: PLC0415
    from daoqi_tui.play.online.hosting import NoGameError, hosting  # noqa: PLC0415
    from daoqi_tui.play.online.protocol import REASONS  # noqa: PLC0415
    from daoqi_tui.play.online.referee import RefusedError  # noqa: PLC0415
    from daoqi_tui.play.online.story import invitation_lines  # noqa: PLC0415

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
        ) as (place, problems):
            for problem in problems:
                sys.stderr.write(f"daoqi-tui: {_shown(translate(problem))}\n")
            for line in invitation_lines(place, None):
                _tell(line)
            if _in_lines(options) and place.let_in is not None and place.networks:
                _tell(_("Type L to let this network in."))
            return await _play(options, place, player)
    except NoGameError:
        raise CommandError(_("there is no game to resume; without --resume a new one begins")) from None
    except RefusedError as error:
        raise CommandError(translate(REASONS[error.code])) from None


def _terms(options: argparse.Namespace) -> Terms:
    from daoqi_tui.engine import DAOQI  # noqa: PLC0415
    from daoqi_tui.play.online.table import Terms  # noqa: PLC0415

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
    from daoqi_tui.play.online.hosting import own_name  # noqa: PLC0415
    from daoqi_tui.play.online.protocol import LONGEST_NAME  # noqa: PLC0415

    return _shown(options.name)[:LONGEST_NAME] or own_name()


def _join(options: argparse.Namespace) -> int:
    from daoqi_tui import signals  # noqa: PLC0415
    from daoqi_tui.play.keeper import Folders  # noqa: PLC0415
    from daoqi_tui.play.online.hosting import TABLE, Place, join, served  # noqa: PLC0415
    from daoqi_tui.play.online.invitation import Invitation, InvitationError  # noqa: PLC0415
    from daoqi_tui.play.online.seats import SeatBook  # noqa: PLC0415

    book = SeatBook.in_folder(Folders.standard().online)
    # The key is not for the programs that this one starts.
    told = os.environ.pop(TABLE, None)
    seats = book.seats() if options.invitation is None else []
    if seats:
        place = Place(seats[0].invitation, seats[0].name, seats[0])
    else:
        given = _typed_invitation(options) if options.invitation in (None, "-") else options.invitation
        try:
            invitation = Invitation.parse(given)
            place = served(invitation, told) if told else join(invitation, _name(options), book)
        except InvitationError as error:
            raise UsageError(translate(error)) from error
    _check_terminal(options)
    return signals.run(_with_engine(options, partial(_play, options, place)))


def _typed_invitation(options: argparse.Namespace) -> str:
    """Read an invitation from standard input, and ask for it if that is a terminal.

    An argument would be visible to all users of the computer.

    Raises:
        UsageError: there is none.
    """
    from daoqi_tui.play.online.invitation import JOIN_COMMAND  # noqa: PLC0415

    if sys.stdin.isatty():
        sys.stderr.write(_("Invitation:") + " ")
        sys.stderr.flush()
    elif options.invitation is None:
        raise UsageError(
            _("no game was joined before: give the invitation, ADDRESS#CODE, or - to read it from the input")
        )
    typed = read_line().strip().removeprefix(JOIN_COMMAND)
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
        from daoqi_tui.cli.play import show  # noqa: PLC0415

        return await show(place)
    from daoqi_tui.cli.play import players_of  # noqa: PLC0415
    from daoqi_tui.config import load_config  # noqa: PLC0415
    from daoqi_tui.plain.online import PlainOnline, play  # noqa: PLC0415
    from daoqi_tui.play.keeper import Folders  # noqa: PLC0415
    from daoqi_tui.play.online.seats import Recorder, SeatBook  # noqa: PLC0415

    config, folders = load_config(), Folders.standard()
    recorder = Recorder(
        SeatBook.in_folder(folders.online),
        place.seat,
        None if place.hosts else folders.library,
        lambda message: _tell(_shown(translate(message))),
    )
    style = cast("Style", config["look.names"])
    table = PlainOnline(place, partial(players_of, config), style, _tell, recorder)
    if player is None:
        return await play(table, sys.stdin)
    from daoqi_tui.play.online.client import Bot  # noqa: PLC0415

    bot = Bot(table.match.client, player, lambda problem: _tell(_shown(translate(problem))))
    table.match.subscribe_to_server(bot.react)
    try:
        return await play(table, sys.stdin, stays=True)
    finally:
        await bot.close()


def _games(options: argparse.Namespace) -> int:
    if options.forget is not None:
        _forget(options.forget)
        return 0
    from daoqi_tui import signals  # noqa: PLC0415

    return signals.run(_listed())


def _forget(address: str) -> None:
    """Forget the seats at a game.

    Raises:
        UsageError: there are none.
        CommandError: the file of seats cannot be written.
    """
    from daoqi_tui.play.keeper import Folders  # noqa: PLC0415
    from daoqi_tui.play.online.invitation import Invitation, InvitationError  # noqa: PLC0415
    from daoqi_tui.play.online.seats import SeatBook  # noqa: PLC0415

    book = SeatBook.in_folder(Folders.standard().online)
    try:
        meant = Invitation.parse(address)
    except InvitationError as error:
        raise UsageError(translate(error)) from error
    seats = [seat for seat in book.seats() if seat.invitation == replace(meant, code="")]
    if not seats:
        raise UsageError(_("you have no seat at {address}; daoqi-tui games lists those you have").format(address=meant))
    try:
        for seat in seats:
            book.remove(seat)
    except OSError as error:
        raise CommandError(translate(error)) from error
    _tell(_("Forgotten: {address}").format(address=seats[0].invitation))


async def _listed() -> int:
    from daoqi_tui.play.keeper import Folders  # noqa: PLC0415
    from daoqi_tui.play.online.seats import SeatBook, current_states  # noqa: PLC0415

    seats = SeatBook.in_folder(Folders.standard().online).seats()
    shown = 0
    for seat, reason in await current_states(seats):
        if seat.phase == "over":
            continue
        shown += 1
        whose = _("your move") if seat.my_turn else _("the opponent's move")
        states = {
            "": _("not confirmed yet"),
            "waiting": _("waiting for the guest"),
            "paused": _("paused"),
            "adjourned": _("adjourned"),
        }
        words = _("{address} against {name}: {state}")
        if reason:
            words = _("{address} against {name}: {state} (not reached: {reason})")
        _tell(
            words.format(
                address=_shown(str(seat.invitation)),
                name=_shown(seat.opponent) or "?",
                state=states.get(seat.phase, whose),
                reason=_shown(translate(reason)),
            )
        )
    if not shown:
        _tell(_("No online game is on."))
    return 0


def _shown(text: str) -> str:
    """Return others' text as a line that is safe for a terminal."""
    from daoqi_tui.text import plain_line  # noqa: PLC0415 (help loads no other layer)

    return plain_line(text)


def _tell(line: str) -> None:
    write_text(f"{line}\n")
    sys.stdout.flush()
