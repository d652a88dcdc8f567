"""Options that several commands about records share."""

from __future__ import annotations

import argparse
from pathlib import Path

from daoqi_tui.i18n import _
from daoqi_tui.numbers_typed import whole_number


def add_file(parser: argparse.ArgumentParser, name: str = "") -> None:
    """Let a person name the record, and say whether it was played on a torus."""
    parser.add_argument("file", type=Path, metavar=name or _("FILE"), help=_("an SGF file; - reads standard input"))
    add_torus_options(parser)


def add_move(parser: argparse.ArgumentParser) -> None:
    """Let a person choose the position."""
    parser.add_argument("--move", type=move, metavar="N", help=_("after move N of the main line (default: at its end)"))


def move(text: str) -> int:
    """Read the number of a move."""
    number = whole_number(text, 0, 999_999_999)
    if number is None:
        raise argparse.ArgumentTypeError(
            _("{text} is not the number of a move: a whole number, 0 is the start").format(text=repr(text))
        )
    return number


def add_coordinates(parser: argparse.ArgumentParser) -> None:
    """Let a person choose how points are named."""
    parser.add_argument("--coordinates", choices=("daoqi", "gtp", "sgf"), default="daoqi", help=_("names of points"))


def add_torus_options(parser: argparse.ArgumentParser) -> None:
    """Let a person say whether a file's game was played on a torus; ``torus`` is then True, False or None."""
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--torus", action="store_true", default=None, dest="torus", help=_("read the file as played on a torus")
    )
    choice.add_argument(
        "--flat", action="store_false", default=None, dest="torus", help=_("… as played on a flat board")
    )
