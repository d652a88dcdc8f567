"""``problems``: make problems with proved answers, check those of a collection from scratch, or count them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from daoqi_tui.cli.errors import CommandError, UsageError, writing
from daoqi_tui.cli.options import add_command, network, whole
from daoqi_tui.i18n import _, plural
from daoqi_tui.streams import write_text
from daoqi_tui.text import plain_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daoqi_tui.analysis.problems import Problem
    from daoqi_tui.cli.options import Subparsers

_KINDS = ("ladder", "capture", "life", "seki", "superko", "opening")
_MAKING = {"count": 20, "seed": 1, "kind": None, "visits": 800, "net": "auto"}
"""The options of ``make``, with their defaults."""


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parser of ``problems``."""
    parser = add_command(
        subparsers,
        "problems",
        _problems,
        _("count, make or prove problems"),
        _(
            "Count the problems of a collection (list), add new ones with proved answers (make), or prove every "
            "answer from scratch (check). Without a file, this is the collection that comes with the program. The "
            "board has a command to solve them."
        ),
        "daoqi-tui problems list",
        "daoqi-tui problems make more.sgf --count 20 --seed 7",
        "daoqi-tui problems check more.sgf",
    )
    parser.add_argument(
        "action",
        nargs="?",
        default="list",
        choices=("list", "make", "check"),
        help=_("list counts the problems by kind and level, make adds some, check proves them"),
    )
    parser.add_argument("file", nargs="?", type=Path, metavar=_("FILE"), help=_("an SGF collection of problems"))
    parser.add_argument(
        "--count", type=_count, metavar="N", help=_("with make: how many problems to add (default: 20)")
    )
    parser.add_argument(
        "--seed",
        type=_seed,
        metavar="N",
        help=_("with make: the seed of the random positions; the same one goes on where it stopped (default: 1)"),
    )
    parser.add_argument("--kind", choices=_KINDS, help=_("with make: only this kind (default: all by turns)"))
    parser.add_argument(
        "--visits",
        type=_visits,
        metavar="N",
        help=_("with make --kind opening: visits of the network for each opening (default: 800)"),
    )
    parser.add_argument("--net", type=network, metavar=_("NET"), help=_("with make: the network that grades problems"))


def _count(text: str) -> int:
    return whole(text, 1, 100_000, _("{text} is not a number of problems: a whole number from {least} to {most}"))


def _seed(text: str) -> int:
    return whole(text, 0, 999_999_999, _("{text} is not a seed: a whole number from {least} to {most}"))


def _visits(text: str) -> int:
    return whole(text, 16, 1_000_000, _("{text} is not a number of visits: a whole number from {least} to {most}"))


def _problems(options: argparse.Namespace) -> int:
    given = {name for name in _MAKING if getattr(options, name) is not None}
    if options.action == "make":
        if "visits" in given and options.kind != "opening":
            raise UsageError(_("--visits is for --kind opening: leave it out"))
        if "seed" in given and options.kind == "opening":
            raise UsageError(_("--seed is not for --kind opening: leave it out"))
        for name in _MAKING.keys() - given:
            setattr(options, name, _MAKING[name])
        return _make(options)
    if given:
        raise UsageError(_("--count, --seed, --kind, --visits and --net are for make: leave them out"))
    problems = _read(options.file)
    return _check(problems) if options.action == "check" else _list(problems)


def _read(file: Path | None) -> tuple[Problem, ...]:
    from daoqi_tui.play.problem_files import read_collection, shipped  # noqa: PLC0415

    return shipped() if file is None else read_collection(file).problems


def _list(problems: tuple[Problem, ...]) -> int:
    from daoqi_tui.analysis.problems import LEVELS  # noqa: PLC0415
    from daoqi_tui.i18n import listed  # noqa: PLC0415
    from daoqi_tui.play.problems import describe_kind  # noqa: PLC0415

    counts = Counter((problem.kind, problem.level) for problem in problems)
    for kind in dict.fromkeys(problem.kind for problem in problems):
        levels = [counts[kind, level] for level in range(1, LEVELS + 1)]
        words = _("{kind}: {count}; by level from 1 to 5: {levels}")
        write_text(words.format(kind=describe_kind(kind), count=sum(levels), levels=listed(map(str, levels))) + "\n")
    write_text(plural("{count} problem", "{count} problems", len(problems)) + "\n")
    return 0


def _check(problems: tuple[Problem, ...]) -> int:
    from daoqi_tui.analysis.problems import faults  # noqa: PLC0415

    wrong = judged = 0
    for problem in problems:
        if not problem.is_proved:
            judged += 1
            continue
        for fault in faults(problem):
            wrong += 1
            sys.stderr.write(plain_line(f"{problem.name}: {fault}") + "\n")
    if wrong:
        raise CommandError(plural("{count} fault was found", "{count} faults were found", wrong))
    write_text(plural("{count} problem proved", "{count} problems proved", len(problems) - judged) + "\n")
    if judged:
        words = plural("{count} problem that cannot be proved", "{count} problems that cannot be proved", judged)
        write_text(words + "\n")
    return 0


def _make(options: argparse.Namespace) -> int:
    if options.file is None:
        raise UsageError(_("make needs a file: daoqi-tui problems make FILE"))
    from daoqi_tui.ai.nets import checked  # noqa: PLC0415
    from daoqi_tui.lab.problems.making import NetworkJudge, make, make_openings  # noqa: PLC0415

    judge = NetworkJudge(checked(options.net))
    if options.kind == "opening":
        made = make_openings(options.file, options.visits, judge, options.count)
    else:
        made = make(options.file, options.count, options.seed, judge, (options.kind,) if options.kind else ())
    words = _("{name}: level {level}, depth {plies}, policy {prior:.1%}")
    for problem in _written(made, options.file):
        write_text(
            words.format(name=problem.name, level=problem.level, plies=problem.plies, prior=problem.prior) + "\n"
        )
    return 0


def _written(made: Iterator[Problem], file: Path) -> Iterator[Problem]:
    """Yield problems that are made and added to a file; what goes wrong where they are shown is not the file's."""
    with writing(file):
        yield from made
