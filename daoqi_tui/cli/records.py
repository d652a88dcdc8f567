"""Commands about game records: print, score, convert and draw them; read their ladders and openings."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from daoqi_tui import signals
from daoqi_tui.cli import CommandError, UsageError
from daoqi_tui.cli.parsers import PICTURES, drawing, named
from daoqi_tui.config import Config, load_config
from daoqi_tui.engine import BLACK, WHITE, Style
from daoqi_tui.i18n import _, language, plural, translate
from daoqi_tui.message import reason_of
from daoqi_tui.paths import SGF, FileKind, may_replace
from daoqi_tui.pictures import EXPORTS, Export, Subject
from daoqi_tui.pictures.picture import Drawing
from daoqi_tui.pictures.text import Format, position, score, score_values, show
from daoqi_tui.play.evaluation import Evaluations, evaluated_moves, mistakes_of, mistakes_on, set_grades
from daoqi_tui.play.wording import ladder_text, opening_text
from daoqi_tui.reading.ladder import ladder_points, read_ladder
from daoqi_tui.record.files import read_record, write_atomically
from daoqi_tui.record.sgf import MOST_BYTES
from daoqi_tui.record.sgf.info import go_to_move
from daoqi_tui.record.sgf.read import Loaded, load, problems_text
from daoqi_tui.record.sgf.write import dump, dump_portable, dump_unrolled
from daoqi_tui.streams import read_input, takes_colours, write_bytes, write_text
from daoqi_tui.text import cell_width, plain, plain_line

if TYPE_CHECKING:
    from daoqi_tui.analysis.opening_index import OpeningIndex
    from daoqi_tui.analysis.opening_records import IndexUpdate

_UNNAMED: Final = ".svg"
"""What is drawn where the file has no ending, as on standard output."""


def read_source(file: Path) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``, up to one more than a record may have."""
    return read_input(MOST_BYTES + 1) if str(file) == "-" else read_record(file)


def open_record(options: argparse.Namespace) -> Loaded:
    """Load the game that the options name; print its problems to standard error."""
    loaded = load(read_source(options.file), options.torus, (options.game or 1) - 1, encoding=options.encoding)
    sys.stderr.write(problems_text(loaded, translate))
    return loaded


def write_output(out: Path, data: bytes, kind: FileKind, *, force: bool) -> None:
    """Write a file atomically, or standard output for ``-``; overwrites another kind of file only with `force`."""
    if str(out) == "-":
        write_bytes(data)
        return
    refuse_other_kinds(out, kind, force=force)
    with CommandError.writing(out):
        write_atomically(out, data)


def refuse_other_kinds(out: Path, kind: FileKind, *, force: bool) -> None:
    """Refuse to overwrite a file of another kind without `force`, before any work is wasted."""
    with CommandError.writing(out):
        if not force and str(out) != "-" and not may_replace(out, kind):
            raise CommandError(
                _("{file} exists and is not a valid {kind} file: choose another name, or --force to replace it"),
                file=out,
                kind=kind.name,
            )


def run_show(options: argparse.Namespace) -> int:
    if options.json:
        if options.format is not None:
            raise UsageError(_("--json and --format are two forms of the answer: leave one out"))
        _print_json(position(open_record(options), options.move, options.coordinates))
        return 0
    form: Format = options.format or ("ansi" if takes_colours(sys.stdout, os.environ) else "text")
    write_text(show(open_record(options), options.move, format=form, style=options.coordinates, translate=translate))
    return 0


def run_score(options: argparse.Namespace) -> int:
    if options.json:
        _print_json(score_values(open_record(options)))
    else:
        write_text(score(open_record(options), translate))
    return 0


def run_convert(options: argparse.Namespace) -> int:
    loaded = open_record(options)
    if loaded.games > 1:
        if not options.force:
            _refuse_own_file(options.file, options.out, loaded.games)
        if options.game is None:
            text = _("{file} has {games} games: game {number} is converted; --game names another")
        else:
            text = _("{file} has {games} games: game {number} is converted")
        text = text.format(file=options.file, games=loaded.games, number=options.game or 1)
        sys.stderr.write(f"daoqi-tui: {plain_line(text)}\n")
    if loaded.guessed:
        text = _("{file} does not say its encoding: read as {encoding}; --encoding names another")
        sys.stderr.write(f"daoqi-tui: {plain_line(text.format(file=options.file, encoding=loaded.encoding))}\n")
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
    with CommandError.writing(out):
        if out.exists() and out.samefile(file):
            raise CommandError(
                _("{file} has {games} games and would have one: choose another name, or --force to replace it"),
                file=out,
                games=games,
            )


def run_export(options: argparse.Namespace) -> int:
    export = EXPORTS.get(options.out.suffix.lower() or _UNNAMED)
    if export is None or not export.is_picture:
        raise UsageError(
            _("{file}: pictures are drawn as {kinds}; end the name in {endings}"), file=options.out, **named(PICTURES)
        )
    subject: Subject = options.animate or export.subjects[0]
    _refuse_unused(options, export, subject)
    refuse_other_kinds(options.out, export.kind, force=options.force)
    loaded = open_record(options)
    go_to_move(loaded.game, options.move)
    given = {name: value for name in ("theme", "point", "periods", "seconds") if (value := getattr(options, name))}
    line = loaded.game.node.path()
    evaluated = evaluated_moves([*line, *loaded.game.node.line()], Evaluations(), loaded.game.torus.size)
    given["mistakes"] = mistakes_on(loaded.game.board.colours, line, mistakes_of(evaluated))
    data = export.write(loaded.game, loaded.info, subject, Drawing(names=options.coordinates, **given), _print_progress)
    write_output(options.out, data, export.kind, force=options.force)
    return 0


def _refuse_unused(options: argparse.Namespace, export: Export, subject: Subject) -> None:
    """Refuse options that have no effect on the requested picture."""
    if subject not in export.subjects:
        text = _("{option} is for {kinds}: leave it out, or end the name in {endings}")
        raise UsageError(text, option=f"--animate {subject}", **named(drawing(subject)))
    if options.periods and subject == "torus":
        raise UsageError(_("--periods is not for the turning torus: leave it out"))
    if options.seconds and subject != "game":
        if "game" in export.subjects:
            raise UsageError(_("--seconds is for the animation of a game: leave it out, or use --animate game"))
        raise UsageError(
            _(
                "--seconds is for the animation of a game: leave it out, or use --animate game and end the name in "
                "{endings}"
            ),
            endings=named(drawing("game"))["endings"],
        )


def _print_progress(share: float, text: str = "") -> bool:
    """Show on standard error how much of the work is done, as a bar before ``text``, if it is a terminal."""
    if sys.stderr.isatty():
        filled = round(_BAR * share)
        bar = f"{'█' * filled}{'░' * (_BAR - filled)} {share:4.0%}  {text}"
        sys.stderr.write(f"\r{bar}" if share < 1 else "\r\x1b[K")
        sys.stderr.flush()
    return True


_BAR: Final = 20
"""The cells of a progress bar."""


def run_ladder(options: argparse.Namespace) -> int:
    game = open_record(options).game
    go_to_move(game, options.move)
    torus, style = game.torus, options.coordinates
    try:
        point = torus.parse(options.point, style)
    except ValueError as error:
        raise UsageError(f"--point: {translate(error)}") from error
    if game.board.chain_at(point) is None:
        raise CommandError(
            _("there is no stone at {point}; name a stone of the chain to read"), point=torus.name(point, style)
        )
    if refusal := game.board.no_liberties():
        raise CommandError(translate(refusal.as_message()))
    to_play = {"black": BLACK, "white": WHITE, None: None}[options.to_play]
    ladder = read_ladder(game.board, point, to_play, options.nodes)
    points = ladder_points(game.board, point, to_play, options.nodes) if options.breakers else None
    if options.json:
        _print_json(ladder.as_dict(torus, style) | (points.as_dict(torus, style) if points else {}))
    else:
        write_text(ladder_text(ladder, points, torus, style))
    return 0


def _check_folder(folder: Path) -> None:
    """Check that the records of a folder can be listed.

    Raises:
        CommandError: it is no folder, or cannot be read.
    """
    if not folder.is_dir():
        raise CommandError(_("{folder} is not a folder; name a folder of SGF files"), folder=folder)
    try:
        os.scandir(folder).close()
    except OSError as error:
        raise CommandError(
            _("{file} cannot be read: {reason}"), file=folder, reason=translate(reason_of(error))
        ) from error


def _open_index(options: argparse.Namespace) -> tuple[OpeningIndex, IndexUpdate]:
    """Return the index of a folder, brought up to date; show progress and problems on standard error."""
    from daoqi_tui.play.openings import indexed  # noqa: PLC0415 (most commands need no openings)

    folder: Path = options.folder
    _check_folder(folder)
    try:
        index, added = indexed(folder, options.encoding, _print_progress)
    finally:
        _print_progress(1)  # Ctrl+C leaves no bar behind.
    for source, reason in added.refused:
        sys.stderr.write(plain_line(f"{source}: {translate(reason)}") + "\n")
    return index, added


def run_search(options: argparse.Namespace) -> int:
    from daoqi_tui.analysis.opening_records import SearchResult, statistics_of  # noqa: PLC0415
    from daoqi_tui.play.openings import search, search_lines, shape_between  # noqa: PLC0415

    game = open_record(options).game
    go_to_move(game, options.move)
    style = options.coordinates
    try:
        shape = None if options.shape is None else shape_between(game, options.shape, style)
    except ValueError as error:
        raise UsageError(f"--shape: {translate(error)}") from error
    options.encoding = None  # That was the encoding of the file; the games of the folder have their own.
    index, _added = _open_index(options)
    with closing(index):
        hits = search(index, game.board, shape)
    if options.json:
        _print_json([hit.as_dict(game.torus, style) for hit in hits])
    else:
        found = SearchResult(statistics_of(hits), tuple(hits))
        write_text("".join(f"{line}\n" for line in search_lines(found, game.torus, style)))
    return 0


def run_review(options: argparse.Namespace) -> int:
    _check_folder(options.folder)
    config = load_config()
    set_grades(str(config["analysis.grades"]))
    reviewed, known = signals.run(_review(options.folder, config))
    text = plural("{count} game reviewed", "{count} games reviewed", reviewed)
    write_text(_("{games}, {known} reviewed before").format(games=text, known=known) + "\n")
    return 0


async def _review(folder: Path, config: Config) -> tuple[int, int]:
    """Review a folder; return how many games were reviewed, and how many had been before."""
    from daoqi_tui.plain import players_of  # noqa: PLC0415
    from daoqi_tui.play.analyst import Budget  # noqa: PLC0415
    from daoqi_tui.play.review import describe_outcome, review_folder  # noqa: PLC0415

    budget = Budget(cast("int", config["analysis.review_visits"]), cast("int", config["analysis.review_seconds"]))
    style = cast("Style", config["look.names"])
    reviewed = known = 0
    players = players_of(config)
    try:
        async for done in review_folder(players, folder, budget, style, _print_progress):
            _print_progress(1)
            name = plain_line(str(done.file))
            if done.refused is not None:
                sys.stderr.write(f"{name}{_(': ')}{plain_line(translate(done.refused))}\n")
            elif done.evaluated is None or done.torus is None:
                known += 1
            else:
                reviewed += 1
                outcome = describe_outcome(done.evaluated, done.torus, style) if done.evaluated else _("no moves")
                write_text(f"{name}{_(': ')}{outcome}\n")
    finally:
        _print_progress(1)
        await players.close()
    return reviewed, known


def run_openings(options: argparse.Namespace) -> int:
    """Count the openings of a folder, or name that of a game."""
    if options.file.is_dir():
        return _count_openings(options)
    from daoqi_tui.analysis.opening import opening_of  # noqa: PLC0415 (other commands need no openings)

    game = open_record(options).game
    go_to_move(game, None)
    opening = opening_of(game)
    if options.json:
        _print_json(opening.as_dict())
    else:
        write_text(opening_text(opening, game.torus, options.coordinates))
    return 0


def _count_openings(options: argparse.Namespace) -> int:
    options.folder = options.file
    index, added = _open_index(options)
    with closing(index):
        if options.json:
            _print_json([index.as_dict(size) for size in index.sizes()])
        else:
            write_text(_openings_text(index))
            text = _("{read} games read, {known} known already")
            sys.stderr.write(text.format(read=added.indexed, known=added.unchanged) + "\n")
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
    return " " * (7 - cell_width(head)) + head


def _print_json(value: Any) -> None:  # noqa: ANN401 (whatever JSON takes)
    text = json.dumps(value, ensure_ascii=False)
    # A terminal would interpret other characters; escaped, they mean the same.
    for sign in set(text) - set(plain(text)):
        text = text.replace(sign, json.dumps(sign)[1:-1])
    write_text(text + "\n")
