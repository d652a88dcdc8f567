"""``ladder``, ``opening`` and ``openings``: what can be read off a game without opening the board."""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daoqi_tui.cli_options import add_coordinates, add_file, add_move
from daoqi_tui.cli_streams import write_text
from daoqi_tui.i18n import _, plural
from daoqi_tui.lower_words import said

if TYPE_CHECKING:
    from daoqi_tui.analysis.openings import OpeningIndex
    from daoqi_tui.cli import Subparsers


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parsers of the commands about ladders and openings."""
    ladder = subparsers.add_parser(
        "ladder",
        help=_("read a ladder"),
        description=_("Say whether a chain with one or two liberties is captured in a ladder, and how."),
        epilog=_("Example: daoqi-tui ladder game.sgf --move 40 --point K9 --breakers"),
    )
    add_file(ladder)
    add_move(ladder)
    ladder.add_argument("--point", required=True, metavar="K9", help=_("a stone of the chain"))
    ladder.add_argument("--to-play", choices=("black", "white"), help=_("who plays first (default: who is to move)"))
    ladder.add_argument("--breakers", action="store_true", help=_("also where one more stone changes the answer"))
    ladder.add_argument("--nodes", type=_nodes, metavar="N", help=_("give up after N moves tried (default: never)"))
    _add_form(ladder)
    ladder.set_defaults(run=_ladder)

    opening = subparsers.add_parser(
        "opening",
        help=_("name an opening"),
        description=_("Say which of the openings of two moves a game begins with, and its moves in standard form."),
        epilog=_("Example: daoqi-tui opening game.sgf --json"),
    )
    add_file(opening)
    _add_form(opening)
    opening.set_defaults(run=_opening)

    openings = subparsers.add_parser(
        "openings",
        help=_("count the openings of a folder"),
        description=_("Index the SGF files of a folder, those below it too, and count how their games begin."),
        epilog=_("Example: daoqi-tui openings ~/games"),
    )
    openings.add_argument("folder", type=Path, metavar="DIR", help=_("a folder of SGF files"))
    openings.add_argument("--json", action="store_true", help=_("print JSON"))
    openings.set_defaults(run=_openings)


def _add_form(parser: argparse.ArgumentParser) -> None:
    add_coordinates(parser)
    parser.add_argument("--json", action="store_true", help=_("print JSON"))


def _nodes(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 12):
        words = _("{text} is not a number of moves: a whole number such as 100000")
        raise argparse.ArgumentTypeError(words.format(text=repr(text)))
    return int(text)


def _ladder(options: argparse.Namespace) -> int:
    from daoqi_tui.analysis.ladder import ladder_points, read_ladder  # noqa: PLC0415
    from daoqi_tui.analysis_words import ladder_text  # noqa: PLC0415
    from daoqi_tui.cli import UsageError  # noqa: PLC0415
    from daoqi_tui.cli_records import open_record  # noqa: PLC0415
    from daoqi_tui.engine import BLACK, WHITE  # noqa: PLC0415
    from daoqi_tui.record.commands import go_to_move  # noqa: PLC0415

    game = open_record(options).game
    go_to_move(game, options.move)
    torus, style = game.torus, options.coordinates
    try:
        point = torus.parse(options.point, style)
    except ValueError as error:
        raise UsageError(f"--point: {said(error)}") from error
    if game.board.chain_at(point) is None:
        words = _("no stone stands on {point} there; name a stone of the chain to read")
        raise RuntimeError(words.format(point=torus.name(point, style)))
    to_play = {"black": BLACK, "white": WHITE, None: None}[options.to_play]
    ladder = read_ladder(game.board, point, to_play, options.nodes)
    points = ladder_points(game.board, point, to_play, options.nodes) if options.breakers else None
    if options.json:
        _print_json(ladder.as_dict(torus, style) | (points.as_dict(torus, style) if points else {}))
    else:
        write_text(ladder_text(ladder, points, torus, style))
    return 0


def _opening(options: argparse.Namespace) -> int:
    from daoqi_tui.analysis.opening_class import opening_of  # noqa: PLC0415
    from daoqi_tui.analysis_words import opening_text  # noqa: PLC0415
    from daoqi_tui.cli_records import open_record  # noqa: PLC0415
    from daoqi_tui.record.commands import go_to_move  # noqa: PLC0415

    game = open_record(options).game
    go_to_move(game, None)
    opening = opening_of(game)
    if options.json:
        _print_json(opening.as_dict())
    else:
        write_text(opening_text(opening, game.torus, options.coordinates))
    return 0


def _openings(options: argparse.Namespace) -> int:
    from daoqi_tui.indexing import indexed  # noqa: PLC0415
    from daoqi_tui.record.text import plain_line  # noqa: PLC0415

    folder: Path = options.folder
    if not folder.is_dir():
        raise RuntimeError(_("{folder} is not a folder; name a folder of SGF files").format(folder=folder))
    index, added = indexed(folder)
    with index:
        for source, reason in added.refused:
            sys.stderr.write(plain_line(f"{source}: {said(reason)}") + "\n")
        if options.json:
            _print_json([index.as_dict(size) for size in index.sizes()])
        else:
            write_text(_openings_text(index))
            words = _("{read} games read, {known} known already")
            sys.stderr.write(words.format(read=added.indexed, known=added.unchanged) + "\n")
    return 0


def _openings_text(index: OpeningIndex) -> str:
    lines = []
    for size, games in sorted(index.sizes().items(), key=lambda entry: -entry[1]):
        lines += [f"{size}×{size}: " + plural("{count} game", "{count} games", games)]
        lines += ["".join(_right(head) for head in (_("class"), _("games"), _("Black"), _("White")))]
        played = [entry for entry in index.classes(size) if entry.tally.games]
        for entry in sorted(played, key=lambda entry: -entry.tally.games):
            tally, name = entry.tally, entry.kind.name
            counts = f"{tally.games:>7}{tally.black:>7}{tally.white:>7}"
            lines.append(f"{entry.kind.number:>7}{counts}  {name.english} · {name.chinese}")
        if not played:
            lines.append("  " + _("no game begins with a black and a white play on the empty board"))
        lines.append("")
    return "\n".join(lines) if lines else _("The folder holds no game that can be read.") + "\n"


def _right(head: str) -> str:
    """Set the head of a column of seven cells to the right, Chinese characters taking two."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in head)
    return " " * (7 - len(head) - wide) + head


def _print_json(value: Any) -> None:  # noqa: ANN401 (whatever JSON takes)
    write_text(json.dumps(value, ensure_ascii=False) + "\n")
