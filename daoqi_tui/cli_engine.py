"""``gtp`` and ``match``: our player as a GTP engine, and engines against each other."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from daoqi_tui.cli_play import komi, size
from daoqi_tui.cli_players import NETWORK_WORDS, level, network, seconds
from daoqi_tui.cli_streams import telling_output
from daoqi_tui.i18n import _
from daoqi_tui.lower_words import said
from daoqi_tui.numbers_typed import whole_number

if TYPE_CHECKING:
    from daoqi_tui.cli import Subparsers


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parsers of the commands about engines."""
    gtp = subparsers.add_parser(
        "gtp",
        help=_("be a GTP engine on standard input and output"),
        description=_("Serve the computer player over GTP 2 on standard input and output."),
        epilog=_("Examples: {examples}").format(examples="daoqi-tui gtp --level 5 · gogui -program 'daoqi-tui gtp'"),
    )
    gtp.add_argument("--size", type=size, default=16, metavar="N", help=_("board size, 5 to 25 (default: 16)"))
    gtp.add_argument("--komi", type=komi, default=4, metavar="K", help=_("points for White (default: 4)"))
    gtp.add_argument("--level", type=level, default=10, metavar="L", help=_("1 to 10 (default: 10)"))
    gtp.add_argument("--time", type=seconds, metavar="S", help=_("seconds a move at most"))
    gtp.add_argument("--net", type=network, metavar=_("NET"), default="auto", help=_(NETWORK_WORDS))
    gtp.add_argument("--never-resign", action="store_true", help=_("play every game to its end"))
    gtp.set_defaults(run=_gtp)

    match = subparsers.add_parser(
        "match",
        help=_("let two engines play a match on the torus"),
        description=_(
            "Let two players play a match on the torus, alternating colours. A player is level:N, our own at that "
            "level, net:FILE, our own with another network (net:none: without), or the command line of a GTP engine."
        ),
        epilog=_("Examples: {examples}").format(
            examples="daoqi-tui match level:4 level:5 --size 9 · "
            "daoqi-tui match level:8 'gnugo --mode gtp' --games 40 --out results"
        ),
    )
    match.add_argument("first", metavar="A", help=_("the first player: level:N, net:FILE or a command line"))
    match.add_argument("second", metavar="B", help=_("the second player"))
    match.add_argument("--games", type=count, default=40, metavar="G", help=_("how many games (default: 40)"))
    match.add_argument("--size", type=size, default=16, metavar="N", help=_("board size, 5 to 25 (default: 16)"))
    match.add_argument("--komi", type=komi, default=4, metavar="K", help=_("points for White (default: 4)"))
    match.add_argument("--time", type=seconds, metavar="S", help=_("seconds a move (default: as the players like)"))
    match.add_argument(
        "--opening",
        type=opening,
        default=2,
        metavar="M",
        help=_("begin every two games with so many plays by chance, alike in both (default: 2)"),
    )
    match.add_argument("--parallel", type=count, default=2, metavar="P", help=_("games at a time (default: 2)"))
    match.add_argument(
        "--out", type=Path, metavar="DIR", help=_("keep records and results here, and go on where they end")
    )
    match.set_defaults(run=_match)


def _gtp(options: argparse.Namespace) -> int:
    from daoqi_tui.gtp.server import ServeOptions, serve  # noqa: PLC0415

    return serve(
        ServeOptions(
            options.size, options.komi, options.level, options.time, resign=not options.never_resign, net=options.net
        )
    )


def _match(options: argparse.Namespace) -> int:
    from daoqi_tui.cli import UsageError  # noqa: PLC0415 (it imports this module)
    from daoqi_tui.gtp.match import MatchOptions  # noqa: PLC0415
    from daoqi_tui.gtp.match_log import WrongMatch  # noqa: PLC0415
    from daoqi_tui.gtp.match_report import run_match  # noqa: PLC0415

    wanted = MatchOptions(
        options.first,
        options.second,
        games=options.games,
        size=options.size,
        komi=options.komi,
        out=options.out,
        parallel=options.parallel,
        opening=options.opening,
        seconds=options.time,
    )
    try:
        with telling_output():
            return run_match(wanted)
    except WrongMatch as error:
        raise UsageError(said(error)) from error


def opening(text: str) -> int:
    """Read a number of plays."""
    number = whole_number(text, 0, 100)
    if number is None:
        raise argparse.ArgumentTypeError(_("{text} is not a number of plays: 0 to 100").format(text=repr(text)))
    return number


def count(text: str) -> int:
    """Read a number of games."""
    number = whole_number(text, 1, 100_000)
    if number is None:
        raise argparse.ArgumentTypeError(_("{text} is not a number of games: 1 to 100000").format(text=repr(text)))
    return number
