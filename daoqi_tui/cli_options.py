"""Options that several commands about records share."""

from __future__ import annotations

import argparse
from pathlib import Path

from daoqi_tui.i18n import _


def add_file(parser: argparse.ArgumentParser, name: str = "") -> None:
    """Let a person name the record, and say whether it was played on a torus."""
    parser.add_argument("file", type=Path, metavar=name or _("FILE"), help=_("an SGF file; - reads standard input"))
    add_torus_options(parser)


def add_move(parser: argparse.ArgumentParser) -> None:
    """Let a person choose the position."""
    parser.add_argument("--move", type=int, metavar="N", help=_("after move N of the main line (default: at its end)"))


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
