"""Commands about game records: print, score, convert and draw them; read their ladders and openings."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from daoqi_tui.cli.errors import CommandError, UsageError, writing
from daoqi_tui.cli.options import add_command, add_coordinates, add_encoding, add_file, add_move, whole
from daoqi_tui.config import BOARDS
from daoqi_tui.i18n import _, language, listed, one_of, plural, translate
from daoqi_tui.numbers import decimal_number
from daoqi_tui.paths import SGF, FileKind, may_replace
from daoqi_tui.pictures import EXPORTS, SUBJECTS, Export, Subject
from daoqi_tui.streams import read_input, takes_colours, write_bytes, write_text

if TYPE_CHECKING:
    from daoqi_tui.analysis.opening_index import OpeningIndex
    from daoqi_tui.cli.options import Subparsers
    from daoqi_tui.pictures.text import Format
    from daoqi_tui.record.sgf.read import Loaded

_PICTURES: Final = tuple(export for export in EXPORTS.values() if export.is_picture)
_UNNAMED: Final = ".svg"
"""What is drawn where the file has no ending, as on standard output."""
_DRAWN: Final = ("theme", "point", "periods")
"""The options of drawing that some kinds of pictures have."""


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parsers of the commands about records."""
    show = add_command(
        subparsers,
        "show",
        _show,
        _("print a board"),
        _("Print a board of a game to standard output, in colour only on a terminal."),
        "daoqi-tui show game.sgf --move 40",
    )
    add_file(show)
    add_move(show)
    show.add_argument("--format", choices=("text", "ansi", "svg"), help=_("default: ansi on a terminal, else text"))
    _add_form(show)

    score = add_command(
        subparsers,
        "score",
        _score,
        _("score a game"),
        _("Count the area at the end of a game, by the rules that its record names."),
        "daoqi-tui score game.sgf",
    )
    add_file(score)
    score.add_argument("--json", action="store_true", help=_("print JSON"))

    convert = add_command(
        subparsers,
        "convert",
        _convert,
        _("convert a game to SGF"),
        _("Read a game (SGF of any age and encoding, GIB, NGF, UGF, a diagram as text) and write it as SGF in UTF-8."),
        "daoqi-tui convert old.sgf new.sgf --portable",
    )
    add_file(convert, _("IN"))
    convert.add_argument("out", type=Path, metavar=_("OUT"), help=_("the file to write; - writes to standard output"))
    flat = convert.add_mutually_exclusive_group()
    flat.add_argument(
        "--portable",
        action="store_true",
        help=_("for programs that know only a flat board: add setup where it differs"),
    )
    flat.add_argument(
        "--unrolled",
        type=_periods,
        default=0,
        metavar="K",
        help=_("the same with the board unrolled: K times across and down, stones on every copy"),
    )
    convert.add_argument(
        "--force", action="store_true", help=_("replace the file even if it is of another kind, or IN with more games")
    )

    decides = _("Draw a board as a picture, or a game as an animation. The ending of the file decides: {endings}.")
    export = add_command(
        subparsers,
        "export",
        _export,
        _("draw a board or a game as {kinds}").format_map(_named(_PICTURES)),
        decides.format_map(_named(_PICTURES)),
        "daoqi-tui export game.sgf game.gif --animate game",
    )
    add_file(export)
    export.add_argument(
        "out", type=Path, metavar=_("OUT"), help=_("the file to write; - writes an SVG to standard output")
    )
    add_move(export)
    add_coordinates(export)
    animations = [subject for subject in SUBJECTS if subject != "board" and any(_drawing(subject))]
    export.add_argument(
        "--animate",
        choices=animations,
        help=_("show an animation: {animations}").format(
            animations=listed(
                _("{name} ({kinds}: {label})").format(
                    name=subject,
                    kinds=one_of([each.kind.name for each in _drawing(subject)]),
                    label=_(SUBJECTS[subject]),
                )
                for subject in animations
            )
        ),
    )
    export.add_argument("--theme", choices=tuple(BOARDS), help=_("the board theme (default: kaya)"))
    export.add_argument(
        "--point",
        type=_pixels,
        metavar="PX",
        help=_("pixels of a point (default: 36; 20 in a pan, 32 on the torus)"),
    )
    export.add_argument("--periods", type=_periods, metavar="K", help=_("show the board K times in each direction"))
    export.add_argument(
        "--seconds", type=_frame_seconds, metavar="S", help=_("how long each move is shown (default: 0.7)")
    )
    export.add_argument("--force", action="store_true", help=_("replace the file even if it is of another kind"))

    ladder = add_command(
        subparsers,
        "ladder",
        _ladder,
        _("read a ladder"),
        _("Say whether a chain with one or two liberties is captured in a ladder, and how."),
        "daoqi-tui ladder game.sgf --move 40 --point K9 --breakers",
    )
    add_file(ladder)
    add_move(ladder)
    ladder.add_argument("--point", required=True, metavar="K9", help=_("a stone of the chain"))
    ladder.add_argument("--to-play", choices=("black", "white"), help=_("who plays first (default: who is to move)"))
    ladder.add_argument("--breakers", action="store_true", help=_("also where one more stone changes the answer"))
    ladder.add_argument("--nodes", type=_nodes, metavar="N", help=_("give up after N moves tried (default: never)"))
    _add_form(ladder)

    opening = add_command(
        subparsers,
        "opening",
        _opening,
        _("identify the opening of a game"),
        _("Say which of the openings of two moves a game begins with, and its moves in standard form."),
        "daoqi-tui opening game.sgf --json",
    )
    add_file(opening)
    _add_form(opening)

    openings = add_command(
        subparsers,
        "openings",
        _openings,
        _("count the openings of a folder"),
        _("Index the SGF files of a folder, those below it too, and count how their games begin."),
        "daoqi-tui openings ~/games",
    )
    openings.add_argument("folder", type=Path, metavar=_("DIR"), help=_("a folder of SGF files"))
    openings.add_argument("--json", action="store_true", help=_("print JSON"))
    add_encoding(openings)


def _add_form(parser: argparse.ArgumentParser) -> None:
    add_coordinates(parser)
    parser.add_argument("--json", action="store_true", help=_("print JSON"))


def read_source(file: Path) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``, up to one more than a record may have."""
    from daoqi_tui.record.files import read_record  # noqa: PLC0415
    from daoqi_tui.record.sgf.parse import MOST_BYTES  # noqa: PLC0415

    return read_input(MOST_BYTES + 1) if str(file) == "-" else read_record(file)


def open_record(options: argparse.Namespace) -> Loaded:
    """Load the game that the options name; print its problems to standard error."""
    from daoqi_tui.record.sgf.read import load, problems_text  # noqa: PLC0415

    loaded = load(read_source(options.file), options.torus, options.game - 1, encoding=options.encoding)
    sys.stderr.write(problems_text(loaded, translate))
    return loaded


def write_output(out: Path, data: bytes, kind: FileKind, *, force: bool) -> None:
    """Write a file atomically, or standard output for ``-``; overwrites another kind of file only with `force`."""
    from daoqi_tui.record.files import write_atomically  # noqa: PLC0415

    if str(out) == "-":
        write_bytes(data)
        return
    refuse_other_kinds(out, kind, force=force)
    with writing(out):
        write_atomically(out, data)


def refuse_other_kinds(out: Path, kind: FileKind, *, force: bool) -> None:
    """Refuse to overwrite a file of another kind without `force`, before any work is wasted."""
    with writing(out):
        if not force and str(out) != "-" and not may_replace(out, kind):
            raise CommandError(
                _("{file} exists and is not a valid {kind} file: choose another name, or --force to replace it").format(
                    file=out, kind=kind.name
                )
            )


def _show(options: argparse.Namespace) -> int:
    from daoqi_tui.pictures.text import position, show  # noqa: PLC0415

    if options.json:
        if options.format is not None:
            raise UsageError(_("--json and --format are two forms of the answer: leave one out"))
        _print_json(position(open_record(options), options.move, options.coordinates))
        return 0
    form: Format = options.format or ("ansi" if takes_colours(sys.stdout, os.environ) else "text")
    write_text(show(open_record(options), options.move, format=form, style=options.coordinates, translate=translate))
    return 0


def _score(options: argparse.Namespace) -> int:
    from daoqi_tui.pictures.text import score, score_values  # noqa: PLC0415

    if options.json:
        _print_json(score_values(open_record(options)))
    else:
        write_text(score(open_record(options), translate))
    return 0


def _convert(options: argparse.Namespace) -> int:
    from daoqi_tui.record.sgf.write import (  # noqa: PLC0415
        dump,
        dump_portable,
        dump_unrolled,
    )
    from daoqi_tui.text import plain_line  # noqa: PLC0415

    loaded = open_record(options)
    if loaded.games > 1:
        if not options.force:
            _refuse_own_file(options.file, options.out, loaded.games)
        words = _("{file} has {games} games: game {number} is converted; --game names another")
        words = words.format(file=options.file, games=loaded.games, number=options.game)
        sys.stderr.write(f"daoqi-tui: {plain_line(words)}\n")
    if loaded.guessed:
        words = _("{file} does not say its encoding: read as {encoding}; --encoding names another")
        sys.stderr.write(f"daoqi-tui: {plain_line(words.format(file=options.file, encoding=loaded.encoding))}\n")
    if options.unrolled:
        data = dump_unrolled(loaded.game, loaded.info, options.unrolled)
    else:
        data = (dump_portable if options.portable else dump)(loaded.game, loaded.info)
    write_output(options.out, data, SGF, force=options.force)
    return 0


def _refuse_own_file(file: Path, out: Path, games: int) -> None:
    """Refuse to overwrite a file of several games by one of them."""
    # Standard input and output have no name to compare.
    if "-" in (str(file), str(out)):
        return
    with writing(out):
        if out.exists() and out.samefile(file):
            words = _("{file} has {games} games and would have one: choose another name, or --force to replace it")
            raise CommandError(words.format(file=out, games=games))


def _export(options: argparse.Namespace) -> int:
    from daoqi_tui.pictures.picture import Drawing  # noqa: PLC0415
    from daoqi_tui.record.sgf.info import go_to_move  # noqa: PLC0415

    export = EXPORTS.get(options.out.suffix.lower() or _UNNAMED)
    if export is None or not export.is_picture:
        words = _("{file}: pictures are drawn as {kinds}; end the name in {endings}")
        raise UsageError(words.format(file=options.out, **_named(_PICTURES)))
    subject: Subject = options.animate or export.subjects[0]
    _refuse_unused(options, export, subject)
    refuse_other_kinds(options.out, export.kind, force=options.force)
    loaded = open_record(options)
    go_to_move(loaded.game, options.move)
    given = {name: value for name in (*_DRAWN, "seconds") if (value := getattr(options, name))}
    drawing = Drawing(names=options.coordinates, **given)
    data = export.write(loaded.game, loaded.info, subject, drawing, _print_progress)
    write_output(options.out, data, export.kind, force=options.force)
    return 0


def _drawing(subject: Subject) -> list[Export]:
    """Return the kinds of pictures that can show a subject."""
    return [each for each in _PICTURES if subject in each.subjects]


def _named(exports: Sequence[Export]) -> dict[str, str]:
    """Return the names and the endings of some kinds of files as alternatives within a sentence."""
    return {
        "kinds": one_of([each.kind.name for each in exports]),
        "endings": one_of([each.ending for each in exports]),
    }


def _refuse_unused(options: argparse.Namespace, export: Export, subject: Subject) -> None:
    """Refuse options that have no effect on the requested picture."""
    words = _("{option} is for {kinds}: leave it out, or end the name in {endings}")
    if subject not in export.subjects:
        raise UsageError(words.format(option=f"--animate {subject}", **_named(_drawing(subject))))
    for name in _DRAWN:
        if getattr(options, name) and name not in export.options:
            having = [each for each in _PICTURES if name in each.options]
            raise UsageError(words.format(option=f"--{name}", **_named(having)))
    if options.periods and subject == "torus":
        raise UsageError(_("--periods is not for the turning torus: leave it out"))
    if options.seconds and subject != "game":
        raise UsageError(_("--seconds is for the animation of a game: leave it out, or add --animate game"))


def _print_progress(share: float) -> bool:
    """Show on standard error how much of an animation is drawn, if it is a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{share:4.0%}" if share < 1 else "\r\x1b[K")
        sys.stderr.flush()
    return True


def _pixels(text: str) -> int:
    return whole(text, 8, 120, _("{text} is not a number of pixels: a whole number from 8 to 120"))


def _periods(text: str) -> int:
    return whole(text, 1, 4, _("{text} is not a number of periods: a whole number from 1 to 4"))


def _frame_seconds(text: str) -> float:
    number = decimal_number(text)
    if number is None or not 0.05 <= number <= 60:
        raise argparse.ArgumentTypeError(_("{text} is not a number of seconds from 0.05 to 60").format(text=repr(text)))
    return float(number)


def _nodes(text: str) -> int:
    return whole(text, 0, 10**12 - 1, _("{text} is not a number of moves: a whole number such as 100000"))


def _ladder(options: argparse.Namespace) -> int:
    from daoqi_tui.engine import BLACK, WHITE  # noqa: PLC0415
    from daoqi_tui.play.wording import ladder_text  # noqa: PLC0415
    from daoqi_tui.reading.ladder import ladder_points, read_ladder  # noqa: PLC0415
    from daoqi_tui.record.sgf.info import go_to_move  # noqa: PLC0415

    game = open_record(options).game
    go_to_move(game, options.move)
    torus, style = game.torus, options.coordinates
    try:
        point = torus.parse(options.point, style)
    except ValueError as error:
        raise UsageError(f"--point: {translate(error)}") from error
    if game.board.chain_at(point) is None:
        words = _("there is no stone at {point}; name a stone of the chain to read")
        raise CommandError(words.format(point=torus.name(point, style)))
    to_play = {"black": BLACK, "white": WHITE, None: None}[options.to_play]
    ladder = read_ladder(game.board, point, to_play, options.nodes)
    points = ladder_points(game.board, point, to_play, options.nodes) if options.breakers else None
    if options.json:
        _print_json(ladder.as_dict(torus, style) | (points.as_dict(torus, style) if points else {}))
    else:
        write_text(ladder_text(ladder, points, torus, style))
    return 0


def _opening(options: argparse.Namespace) -> int:
    from daoqi_tui.analysis.opening import opening_of  # noqa: PLC0415
    from daoqi_tui.play.wording import opening_text  # noqa: PLC0415
    from daoqi_tui.record.sgf.info import go_to_move  # noqa: PLC0415

    game = open_record(options).game
    go_to_move(game, None)
    opening = opening_of(game)
    if options.json:
        _print_json(opening.as_dict())
    else:
        write_text(opening_text(opening, game.torus, options.coordinates))
    return 0


def _openings(options: argparse.Namespace) -> int:
    from daoqi_tui.play.openings import indexed  # noqa: PLC0415
    from daoqi_tui.text import plain_line  # noqa: PLC0415

    folder: Path = options.folder
    if not folder.is_dir():
        raise CommandError(_("{folder} is not a folder; name a folder of SGF files").format(folder=folder))
    index, added = indexed(folder, options.encoding)
    with index:
        for source, reason in added.refused:
            sys.stderr.write(plain_line(f"{source}: {translate(reason)}") + "\n")
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
            lines.append(f"{entry.kind.number:>7}{counts}  {name.in_language(language())}")
        if not played:
            lines.append("  " + _("no game begins with a black and a white play on the empty board"))
        lines.append("")
    return "\n".join(lines) if lines else _("The folder holds no game that can be read.") + "\n"


def _right(head: str) -> str:
    """Right-align a column's heading in seven columns of the terminal."""
    from daoqi_tui.text import cell_width  # noqa: PLC0415

    return " " * (7 - cell_width(head)) + head


def _print_json(value: Any) -> None:  # noqa: ANN401 (whatever JSON takes)
    from daoqi_tui.text import plain  # noqa: PLC0415

    text = json.dumps(value, ensure_ascii=False)
    # A terminal would interpret other characters; escaped, they mean the same.
    for sign in set(text) - set(plain(text)):
        text = text.replace(sign, json.dumps(sign)[1:-1])
    write_text(text + "\n")
