"""The command line. Every room is imported only when a command needs it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from daoqi_tui import __version__


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the program and exit: 0 when all went well, 2 on wrong usage, 1 on any other error."""
    try:
        status = _run(arguments)
    except BrokenPipeError:
        # What reads our output has gone; there is nobody left to tell.
        sys.stderr.close()
        status = 1
    except KeyboardInterrupt:
        status = 130
    except Exception as error:  # the last resort: a person gets a sentence, never a traceback
        print(f"daoqi-tui: {_sentence(error)}", file=sys.stderr)  # noqa: T201
        status = 1
    sys.exit(status)


def _sentence(error: Exception) -> str:
    words = " ".join(str(error).split())
    return words or type(error).__name__


def _run(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise RuntimeError("the board needs a terminal for input and output; run it in one")
    from daoqi_tui.tui.app import DaoqiApp  # noqa: PLC0415
    from daoqi_tui.tui.session import GameSetup  # noqa: PLC0415

    app = DaoqiApp(GameSetup(options.size, options.komi, options.handicap))
    app.run()
    return app.return_code or 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="daoqi-tui",
        description="Play Daoqi (道棋), the game of Go on a torus, in the terminal.",
        epilog="Example: daoqi-tui --size 9 --komi 3.75",
    )
    parser.add_argument("--version", action="version", version=f"daoqi-tui {__version__}")
    parser.add_argument("--size", type=_size, default=16, metavar="N", help="board size, 5 to 25 (default: 16)")
    parser.add_argument("--komi", type=_komi, default=4, metavar="K", help="points for White (default: 4)")
    parser.add_argument("--handicap", type=_handicap, default=0, metavar="H", help="0, or 2 to 9 stones (default: 0)")
    return parser


def _size(text: str) -> int:
    if not text.isdecimal() or not 5 <= int(text) <= 25:
        raise argparse.ArgumentTypeError(f"{text!r} is not a board size: a whole number from 5 to 25")
    return int(text)


def _komi(text: str) -> float:
    try:
        komi = float(text)
    except ValueError:
        komi = float("nan")
    if not -200 <= komi <= 200:
        raise argparse.ArgumentTypeError(f"{text!r} is not a komi: a number such as 4 or 3.75")
    return komi


def _handicap(text: str) -> int:
    if not text.isdecimal() or not (int(text) == 0 or 2 <= int(text) <= 9):
        raise argparse.ArgumentTypeError(f"{text!r} is not a handicap: 0, or 2 to 9")
    return int(text)
