"""``gtp``: serve the computer player over GTP."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from daoqi_tui.cli.options import NETWORK_WORDS, THREADS_WORDS, add_command, level, network, seconds, threads, whole
from daoqi_tui.cli.play import add_rules, komi, size
from daoqi_tui.i18n import _
from daoqi_tui.numbers import STRONGEST, WEAKEST

if TYPE_CHECKING:
    from daoqi_tui.cli.options import Subparsers
    from daoqi_tui.gtp.engine.session import GameSaver


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parser of ``gtp``."""
    gtp = add_command(
        subparsers,
        "gtp",
        _gtp,
        _("run as a GTP engine (stdio)"),
        _("Serve the computer player over GTP 2 on standard input and output."),
        "daoqi-tui gtp --level 5",
        "gogui -program 'daoqi-tui gtp'",
    )
    add_board(gtp)
    levels = _("{weakest} to {strongest}, in steps of 0.5 (default: {strongest})").format(
        weakest=WEAKEST, strongest=STRONGEST
    )
    gtp.add_argument("--level", type=level, default=STRONGEST, metavar="L", help=levels)
    gtp.add_argument("--time", type=seconds, metavar="S", help=_("at most this many seconds per move"))
    gtp.add_argument("--net", type=network, metavar=_("NET"), default="auto", help=_(NETWORK_WORDS))
    gtp.add_argument("--threads", type=threads, metavar="N", default="auto", help=_(THREADS_WORDS))
    add_limits(gtp)
    saves = _("save each move before it is answered: a game that is cut off can be resumed, others go into the library")
    gtp.add_argument("--save", action="store_true", help=saves)
    gtp.add_argument("--never-resign", action="store_true", help=_("play every game to its end"))


def add_board(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is played."""
    parser.add_argument("--size", type=size, default=16, metavar="N", help=_("board size, 5 to 25 (default: 16)"))
    parser.add_argument("--komi", type=komi, default=4, metavar="K", help=_("points for White (default: 4)"))
    add_rules(parser)


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the options for fair limits on our own player."""
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help=_("count the CPU time of the built-in computer for --time, which a busy machine does not change"),
    )
    parser.add_argument(
        "--visits", type=visits, metavar="N", help=_("visits per move of the built-in computer, whatever its level")
    )


def visits(text: str) -> int:
    return whole(text, 1, 1_000_000, _("{text} is not a number of visits: {least} to {most}"))


def _gtp(options: argparse.Namespace) -> int:
    from daoqi_tui.ai.process import thread_count  # noqa: PLC0415
    from daoqi_tui.engine import DAOQI  # noqa: PLC0415
    from daoqi_tui.gtp.engine.server import ServeOptions, serve  # noqa: PLC0415

    return serve(
        ServeOptions(
            options.size,
            options.komi,
            options.level,
            options.time,
            resign=not options.never_resign,
            net=options.net,
            rules=options.rules or DAOQI,
            visits=options.visits,
            cpu=options.cpu_time,
            threads=thread_count(options.threads),
        ),
        _saver() if options.save else None,
    )


def _saver() -> GameSaver:
    from daoqi_tui.gtp.engine.session import GameSaver  # noqa: PLC0415
    from daoqi_tui.play.keeper import Folders, open_library  # noqa: PLC0415

    folders = Folders.standard()
    return GameSaver(folders.journal, partial(open_library, folders.library))
