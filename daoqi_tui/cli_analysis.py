"""``ladder``, ``opening`` and ``openings``: what can be read off a game without opening the board."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daoqi_tui.cli_play import add_torus_options
from daoqi_tui.i18n import _

if TYPE_CHECKING:
    from daoqi_tui.analysis.ladder import Ladder, LadderPoints
    from daoqi_tui.analysis.opening_class import Opening
    from daoqi_tui.analysis.openings import OpeningIndex
    from daoqi_tui.analysis.symmetry import Symmetry
    from daoqi_tui.cli import Subparsers
    from daoqi_tui.engine import Style, Torus

_SHOWN = 30
"""Moves of a standard form that are printed; ``--json`` has them all."""


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parsers of the commands about ladders and openings."""
    ladder = subparsers.add_parser(
        "ladder",
        help=_("read a ladder"),
        description=_("Say whether a chain with one or two liberties is captured in a ladder, and how."),
        epilog=_("Example: daoqi-tui ladder game.sgf --move 40 --point K9 --breakers"),
    )
    _add_file(ladder)
    ladder.add_argument("--move", type=int, metavar="N", help=_("after move N of the main line (default: at its end)"))
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
    _add_file(opening)
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


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar=_("FILE"), help=_("an SGF file; - reads standard input"))
    add_torus_options(parser)


def _add_form(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--coordinates", choices=("daoqi", "gtp", "sgf"), default="daoqi", help=_("names of points"))
    parser.add_argument("--json", action="store_true", help=_("print JSON"))


def _nodes(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 12):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of moves: a whole number such as 100000")
    return int(text)


def _ladder(options: argparse.Namespace) -> int:
    from daoqi_tui.analysis.ladder import ladder_points, read_ladder  # noqa: PLC0415
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
        raise UsageError(f"--point: {error}") from error
    if game.board.chain_at(point) is None:
        raise RuntimeError(f"no stone stands on {torus.name(point, style)} there; name a stone of the chain to read")
    to_play = {"black": BLACK, "white": WHITE, None: None}[options.to_play]
    ladder = read_ladder(game.board, point, to_play, options.nodes)
    points = ladder_points(game.board, point, to_play, options.nodes) if options.breakers else None
    if options.json:
        _print_json(ladder.as_dict(torus, style) | (points.as_dict(torus, style) if points else {}))
    else:
        sys.stdout.write(_ladder_text(ladder, points, torus, style))
    return 0


def _ladder_text(ladder: Ladder, points: LadderPoints | None, torus: Torus, style: Style) -> str:
    from daoqi_tui.engine import PASS, opponent  # noqa: PLC0415
    from daoqi_tui.engine.colour import name_of  # noqa: PLC0415

    target = ladder.target
    names = " ".join(torus.name(stone, style) for stone in target.stones)
    liberties = len(target.liberties)
    whose, first = name_of(target.colour).capitalize(), name_of(ladder.to_move).capitalize()
    room = f"{liberties} {'liberty' if liberties == 1 else 'liberties'}"
    lines = [f"{whose} {names}, {room}, {first} to play: {ladder.result}"]
    if ladder.line:
        lines[0] += f" in {ladder.plies} {'ply' if ladder.plies == 1 else 'plies'}"
    moves = []
    for number, point in enumerate(ladder.line, 1):
        colour = ladder.to_move if number % 2 else opponent(ladder.to_move)
        moves.append(f"{number}.{name_of(colour)[0].upper()} {'pass' if point == PASS else torus.name(point, style)}")
    lines += ["  " + "  ".join(moves[start : start + 8]) for start in range(0, len(moves), 8)]
    if points is not None:
        what = "breaks it" if ladder.result == "captured" else "makes it work"
        for side, found in (("black", points.black), ("white", points.white)):
            where = " ".join(torus.name(point, style) for point in found) or "nowhere"
            lines.append(f"One more {side} stone {what} on {len(found)} points: {where}")
        if points.undecided:
            lines.append(f"{len(points.undecided)} questions stayed undecided")
    return "\n".join(lines) + "\n"


def _opening(options: argparse.Namespace) -> int:
    from daoqi_tui.analysis.opening_class import opening_of  # noqa: PLC0415
    from daoqi_tui.cli_records import open_record  # noqa: PLC0415
    from daoqi_tui.record.commands import go_to_move  # noqa: PLC0415

    game = open_record(options).game
    go_to_move(game, None)
    opening = opening_of(game)
    if options.json:
        _print_json(opening.as_dict())
    else:
        sys.stdout.write(_opening_text(opening, game.torus, options.coordinates))
    return 0


def _opening_text(opening: Opening, torus: Torus, style: Style) -> str:
    from daoqi_tui.analysis.opening_class import class_count  # noqa: PLC0415
    from daoqi_tui.engine import PASS  # noqa: PLC0415

    kind = opening.kind
    if kind is None:
        head = "No class: the game does not begin with a black and a white play on the empty board"
    else:
        name = f"{kind.name.english} · {kind.name.chinese}"
        head = f"Opening {kind.number} of {class_count(torus.size)}: {name}"
    moves = ["pass" if move == PASS else torus.name(move, style) for move in opening.moves[:_SHOWN]]
    more = " …" if len(opening.moves) > _SHOWN else ""
    return f"{head}\nStandard moves: {' '.join(moves) or 'none'}{more}\nSymmetry: {_symmetry_words(opening.symmetry)}\n"


def _symmetry_words(symmetry: Symmetry) -> str:
    steps = []
    if symmetry.transposed:
        steps.append("rows and columns swapped")
    if symmetry.turns:
        steps.append(f"{symmetry.turns} quarter {'turn' if symmetry.turns == 1 else 'turns'} clockwise")
    if symmetry.down or symmetry.right:
        steps.append(f"shifted {symmetry.down} down and {symmetry.right} right")
    return ", then ".join(steps) or "none needed"


def _openings(options: argparse.Namespace) -> int:
    from daoqi_tui.indexing import open_index, update  # noqa: PLC0415

    folder: Path = options.folder
    if not folder.is_dir():
        raise RuntimeError(f"{folder} is not a folder; name a folder of SGF files")
    with open_index(folder) as index:
        added = update(index, folder)
        for source, reason in added.refused:
            sys.stderr.write(f"{' '.join(f'{source}: {reason}'.split())}\n")
        if options.json:
            _print_json([index.as_dict(size) for size in index.sizes()])
        else:
            sys.stdout.write(_openings_text(index))
            sys.stderr.write(f"{added.indexed} games read, {added.unchanged} known already\n")
    return 0


def _openings_text(index: OpeningIndex) -> str:
    lines = []
    for size, games in sorted(index.sizes().items(), key=lambda entry: -entry[1]):
        lines += [f"{size}×{size}: {games} {'game' if games == 1 else 'games'}"]
        lines += [f"{'class':>7}{'games':>7}{'Black':>7}{'White':>7}"]
        played = [entry for entry in index.classes(size) if entry.tally.games]
        for entry in sorted(played, key=lambda entry: -entry.tally.games):
            tally, name = entry.tally, entry.kind.name
            counts = f"{tally.games:>7}{tally.black:>7}{tally.white:>7}"
            lines.append(f"{entry.kind.number:>7}{counts}  {name.english} · {name.chinese}")
        if not played:
            lines.append("  no game begins with a black and a white play on the empty board")
        lines.append("")
    return "\n".join(lines) if lines else "The folder holds no game that can be read.\n"


def _print_json(value: Any) -> None:  # noqa: ANN401 (whatever JSON takes)
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
