"""``show``, ``score``, ``convert`` and ``export``: what can be done with a record without opening the board."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from daoqi_tui.cli_options import add_coordinates, add_file, add_move
from daoqi_tui.cli_streams import read_input, write_bytes, write_text
from daoqi_tui.i18n import _
from daoqi_tui.lower_words import said, translated

if TYPE_CHECKING:
    from daoqi_tui.cli import Subparsers
    from daoqi_tui.record.commands import Format
    from daoqi_tui.record.sgf import Loaded


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parsers of the commands about records."""
    show = subparsers.add_parser(
        "show",
        help=_("print a board"),
        description=_("Print a board of a game to standard output, in colour only on a terminal."),
        epilog=_("Example: daoqi-tui show game.sgf --move 40"),
    )
    add_file(show)
    add_move(show)
    show.add_argument("--format", choices=("text", "ansi", "svg"), help=_("default: ansi on a terminal, else text"))
    add_coordinates(show)
    show.set_defaults(run=_show)

    score = subparsers.add_parser(
        "score",
        help=_("count a game"),
        description=_("Count the board at the end of a game: Tromp-Taylor area, less a point a pass."),
        epilog=_("Example: daoqi-tui score game.sgf"),
    )
    add_file(score)
    score.set_defaults(run=_score)

    convert = subparsers.add_parser(
        "convert",
        help=_("write a record anew"),
        description=_("Read a record of any age and encoding and write it as FF[4] in UTF-8."),
        epilog=_("Example: daoqi-tui convert old.sgf new.sgf --portable"),
    )
    add_file(convert, "IN")
    convert.add_argument("out", type=Path, metavar=_("OUT"), help=_("the file to write; - writes to standard output"))
    convert.add_argument(
        "--portable",
        action="store_true",
        help=_("for programs that know only a flat board: add setup where it differs"),
    )
    convert.set_defaults(run=_convert)

    export = subparsers.add_parser(
        "export",
        help=_("draw a board as SVG"),
        description=_("Draw a board of a game as a picture."),
        epilog=_("Example: daoqi-tui export game.sgf board.svg --move 40"),
    )
    add_file(export)
    export.add_argument(
        "out", type=Path, metavar=_("OUT.svg"), help=_("the file to write; - writes to standard output")
    )
    add_move(export)
    add_coordinates(export)
    export.set_defaults(run=_export)


def read_source(file: Path) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``, as far as they are of use in a record."""
    from daoqi_tui.record.files import read_record  # noqa: PLC0415
    from daoqi_tui.record.sgf_parse import MOST_BYTES  # noqa: PLC0415

    return read_input(MOST_BYTES + 1) if str(file) == "-" else read_record(file)


def open_record(options: argparse.Namespace) -> Loaded:
    """Read the record that the options name; what had to be skipped goes to standard error."""
    from daoqi_tui.record.commands import problems_text  # noqa: PLC0415
    from daoqi_tui.record.sgf import load  # noqa: PLC0415

    loaded = load(read_source(options.file), options.torus)
    sys.stderr.write(problems_text(loaded, translated))
    return loaded


def write_output(out: Path, data: bytes) -> None:
    """Write a file whole, or standard output for ``-``."""
    from daoqi_tui.record.files import write_atomically  # noqa: PLC0415

    if str(out) == "-":
        write_bytes(data)
        return
    try:
        write_atomically(out, data)
    except OSError as error:
        raise RuntimeError(
            _("{file} cannot be written: {reason}").format(file=out, reason=said(error.strerror or error))
        ) from error


def _show(options: argparse.Namespace) -> int:
    from daoqi_tui.record.commands import show  # noqa: PLC0415

    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    form: Format = options.format or ("ansi" if colour else "text")
    write_text(show(open_record(options), options.move, format=form, style=options.coordinates, words=translated))
    return 0


def _score(options: argparse.Namespace) -> int:
    from daoqi_tui.record.commands import score  # noqa: PLC0415

    write_text(score(open_record(options), translated))
    return 0


def _convert(options: argparse.Namespace) -> int:
    from daoqi_tui.record.commands import convert  # noqa: PLC0415

    write_output(options.out, convert(open_record(options), portable=options.portable))
    return 0


def _export(options: argparse.Namespace) -> int:
    from daoqi_tui.record.commands import show  # noqa: PLC0415

    picture = show(open_record(options), options.move, format="svg", style=options.coordinates, words=translated)
    write_output(options.out, picture.encode())
    return 0
