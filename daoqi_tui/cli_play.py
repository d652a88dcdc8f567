"""``daoqi-tui play``: the board on the screen."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daoqi_tui.cli import Subparsers


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parser of ``play``."""
    parser = subparsers.add_parser(
        "play",
        help="open the board; this is what happens without a command",
        description="Open the board, with a new game or with a game from an SGF file.",
        epilog="Examples: daoqi-tui --size 9 --komi 3.75 · daoqi-tui game.sgf",
    )
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="an SGF file to open; - reads standard input"
    )
    parser.add_argument("--size", type=size, default=16, metavar="N", help="board size, 5 to 25 (default: 16)")
    parser.add_argument("--komi", type=komi, default=4, metavar="K", help="points for White (default: 4)")
    parser.add_argument("--handicap", type=handicap, default=0, metavar="H", help="0, or 2 to 9 stones (default: 0)")
    parser.add_argument(
        "--plain", action="store_true", help="play in lines of text, for screen readers and slow lines"
    )
    add_torus_options(parser)
    parser.set_defaults(run=_play)


def add_torus_options(parser: argparse.ArgumentParser) -> None:
    """Let a person say whether a file's game was played on a torus; ``torus`` is then True, False or None."""
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--torus", action="store_true", default=None, dest="torus", help="read the file as played on a torus"
    )
    choice.add_argument("--flat", action="store_false", default=None, dest="torus", help="… as played on a flat board")


def _play(options: argparse.Namespace) -> int:
    from daoqi_tui.tui.session import GameSetup, Session  # noqa: PLC0415

    if options.file is not None:
        session = Session.opened(_read(options.file), options.torus, options.file)
    else:
        session = Session(GameSetup(options.size, options.komi, options.handicap))
    if options.plain:
        from daoqi_tui.plain import PlainGame, play  # noqa: PLC0415

        return play(PlainGame(session.game, session.info), sys.stdin, sys.stdout)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise RuntimeError("the board needs a terminal for input and output; run it in one")
    from daoqi_tui.tui.app import DaoqiApp  # noqa: PLC0415
    from daoqi_tui.tui.keeper import Folders  # noqa: PLC0415

    app = DaoqiApp(session, folders=Folders.standard, offer_resume=options.file is None)
    app.run()
    return app.return_code or 0


def _read(file: Path) -> bytes:
    from daoqi_tui.cli_records import read_source  # noqa: PLC0415

    data = read_source(file)
    if str(file) == "-":
        # The record came through standard input; the keys come from the terminal itself.
        try:
            sys.stdin = open("/dev/tty")  # noqa: PTH123, SIM115 (it stays open for as long as the program runs)
        except OSError as error:
            raise RuntimeError("the board needs a terminal for input; run it in one") from error
    return data


def size(text: str) -> int:
    """Read a board size."""
    if not (text.isascii() and text.isdecimal() and 5 <= int(text[:4]) <= 25):
        raise argparse.ArgumentTypeError(f"{text!r} is not a board size: a whole number from 5 to 25")
    return int(text)


def komi(text: str) -> float:
    """Read a komi."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not -200 <= number <= 200:
        raise argparse.ArgumentTypeError(f"{text!r} is not a komi: a number such as 4 or 3.75")
    return number


def handicap(text: str) -> int:
    """Read a number of handicap stones."""
    if text not in ("0", *map(str, range(2, 10))):
        raise argparse.ArgumentTypeError(f"{text!r} is not a handicap: 0, or 2 to 9")
    return int(text)
