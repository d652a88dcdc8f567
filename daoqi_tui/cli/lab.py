"""The commands of the laboratory, and ``problems``, which it makes."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Any, Final

from daoqi_tui import __version__
from daoqi_tui.ai.compiled import compile_all
from daoqi_tui.ai.nets import NetworkFiles, checked, named_file, net_of, read
from daoqi_tui.ai.player import KERNELS
from daoqi_tui.analysis.opening import read_values
from daoqi_tui.analysis.problems import LEVELS, Problem, faults
from daoqi_tui.cli import CommandError, UsageError, needing
from daoqi_tui.engine import DAOQI
from daoqi_tui.extras import install_command
from daoqi_tui.i18n import _, listed, plural, translate
from daoqi_tui.lab.cluster import Cluster
from daoqi_tui.lab.conformance.check import cases_file, read_cases
from daoqi_tui.lab.conformance.report import run_check
from daoqi_tui.lab.match.match import MatchOptions
from daoqi_tui.lab.match.report import run_match as play_match
from daoqi_tui.lab.match.results import WrongMatch
from daoqi_tui.lab.match.sprt import Sprt
from daoqi_tui.lab.openings.judging import JudgementFile, Plan, Task, compact, how_made, judge
from daoqi_tui.lab.problems.making import NetworkJudge, make, make_openings
from daoqi_tui.lab.training.settings import Settings, read_settings, toml_of
from daoqi_tui.message import first_of
from daoqi_tui.paths import NoHome, is_replaced, mistakes_file
from daoqi_tui.play.problem_files import known_mistakes, read_collection, shipped
from daoqi_tui.play.problems import describe_due, describe_kind, due_mistakes, kind_named
from daoqi_tui.record.files import InUse, write_atomically
from daoqi_tui.streams import output_errors, write_bytes, write_text
from daoqi_tui.text import plain_line

_MAKING: Final = {"count": 20, "seed": 1, "kind": None, "visits": 800, "net": "auto"}
"""The options of ``problems make``, with their defaults."""


@contextmanager
def cluster_of(options: argparse.Namespace) -> Iterator[Cluster | None]:
    """Yield the cluster that the options name, None without one, and shut it down at the end.

    Raises:
        ClusterError: it cannot be used.
    """
    if options.ray is None:
        yield None
        return
    with Cluster(options.ray) as cluster:
        yield cluster


def run_match(options: argparse.Namespace) -> int:
    wanted = MatchOptions(
        options.first,
        options.second,
        games=options.games,
        size=options.size,
        komi=options.komi,
        out=options.out,
        parallel=options.parallel,
        opening=options.opening,
        seconds=options.time,
        rules=options.rules or DAOQI,
        visits=options.visits,
        cpu=options.cpu_time,
        sprt=_sprt(options.sprt),
    )
    with UsageError.instead_of(WrongMatch), output_errors(), cluster_of(options) as cluster:
        return play_match(wanted, cluster=cluster)


def run_conformance(options: argparse.Namespace) -> int:
    if options.print:
        write_bytes(cases_file().read_bytes())
        return 0
    if options.engine is None:
        raise UsageError(_("which engine? name its command line, or print the cases with --print"))
    with output_errors():
        return run_check(options.engine, read_cases(), options.rules or DAOQI)


def run_export_net(options: argparse.Namespace) -> int:
    with needing("onnx", _("the file is written by onnx: {command} installs it"), install_command("onnx")):
        from daoqi_tui.lab.onnx_graph import onnx_of  # noqa: PLC0415

    file: Path = options.out
    with CommandError.writing(file):
        if file.exists() and not options.force:
            raise CommandError(_("{file} exists: choose another name, or --force to replace it"), file=file)
    header, parameters = read(named_file(options.net))
    units = header.units
    properties = {
        "name": header.name,
        "inputs": f"KataGo's, model format {header.format}, on a torus",
        "points": f"mean {units.mean:g}, spread {units.spread:g}, lead {units.lead:g}",
    }
    with CommandError.writing(file):
        write_atomically(file, onnx_of(parameters, properties))
    write_text(_("the network is in {file}").format(file=file) + "\n")
    return 0


def run_train(options: argparse.Namespace) -> int:
    if options.print_settings:
        write_text(toml_of(read_settings(options.settings) if options.settings else Settings()))
        return 0
    with needing("torch", _("training needs torch: {command} installs it"), install_command("train")):
        from daoqi_tui.lab.training.run import Training, settings_of  # noqa: PLC0415

    try:
        settings = settings_of(options.folder, options.settings, on_cluster=options.ray is not None)
        with cluster_of(options) as cluster:
            network = Training(options.folder, settings, cluster=cluster).run()
    except KeyboardInterrupt:
        sys.stderr.write(
            _("interrupted; daoqi-tui train {folder} goes on from here").format(folder=options.folder) + "\n"
        )
        return 130
    write_text(_("the network is in {file}").format(file=network) + "\n")
    return 0


def run_judge(options: argparse.Namespace) -> int:
    if options.compact is not None:
        return _compact(options.files, options.compact)
    if len(options.files) > 1:
        raise UsageError(_("several files are for --compact: judge with one network after the other"))
    (path,) = options.files
    net_file = named_file(options.net)
    plan = Plan(
        options.sizes,
        visits=options.visits,
        third_visits=options.third_visits,
        komi_games=options.komi_games,
    )
    network = NetworkFiles().load(net_of(options.net))
    with closing(_judgements(path, how_made(plan, net_file, network.name))) as file:
        compile_all(KERNELS)
        try:
            judge(plan, network, file, _show_progress)
        except KeyboardInterrupt:
            text = _("interrupted; the same command goes on from here")
            sys.stderr.write(f"\n{text}\n")
            return 130
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    write_text(_("the results are in {file}").format(file=path) + "\n")
    return 0


def _compact(paths: Sequence[Path], out: Path) -> int:
    for path in paths:
        _check_compacting(path, out)
    with ExitStack() as opened:
        files = [opened.enter_context(closing(_judgements(path, None))) for path in paths]
        with CommandError.instead_of(ValueError):
            values = compact(files, date.today().isoformat(), __version__)
        with CommandError.writing(out):
            write_atomically(out, values)
    write_text(_("the values are in {file}").format(file=out) + "\n")
    return 0


def _judgements(path: Path, made: dict[str, Any] | None) -> JudgementFile:
    with CommandError.instead_of(ValueError, InUse):
        return JudgementFile(path, made)


def _show_progress(done: int, tasks: int, task: Task) -> None:
    """Show the progress on a line, which the next one replaces in a terminal."""
    begin, end = ("\r\x1b[K", "") if sys.stderr.isatty() else ("", "\n")
    words = {
        "class": _("{size}×{size}: opening {number}"),
        "third": _("{size}×{size}: third moves of opening {number}"),
        "komi": _("{size}×{size}: games for the fair komi"),
    }[task.kind].format(size=task.size, number=task.number)
    sys.stderr.write(f"{begin}{done}/{tasks}  {words}{end}")
    sys.stderr.flush()


def _check_compacting(results: Path, out: Path) -> None:
    """Check that there are results, whose file would be created otherwise, and that nothing but values is overwritten.

    Raises:
        CommandError: something else is in ``out``.
        OSError: there are no results, or ``out`` cannot be read.
    """
    results.stat()
    if is_replaced(out) and out.exists():
        try:
            read_values(out)
        except ValueError as error:
            raise CommandError(
                _("{file} is another kind of file and is not replaced; choose another name"), file=out
            ) from error


def _sprt(differences: list[float] | None) -> Sprt | None:
    if differences is None:
        return None
    with UsageError.instead_of(ValueError):
        return Sprt(*differences)


def run_problems(options: argparse.Namespace) -> int:
    given = {name for name in _MAKING if getattr(options, name) is not None}
    if options.action == "make":
        if "visits" in given and options.kind != "openings":
            raise UsageError(_("--visits is for --kind openings: leave it out"))
        if "seed" in given and options.kind == "openings":
            raise UsageError(_("--seed is not for --kind openings: leave it out"))
        for name in _MAKING.keys() - given:
            setattr(options, name, _MAKING[name])
        return _make_problems(options)
    if given:
        raise UsageError(_("--count, --seed, --kind, --visits and --net are for make: leave them out"))
    if options.file is None:
        problems = shipped()
    else:
        collection = read_collection(options.file)
        problems = collection.problems
        repairs = first_of(collection.repairs, collection.more_repairs)
        sys.stderr.writelines(f"{translate(repair)}\n" for repair in repairs)
    if options.action == "list" and options.file is None:
        with suppress(NoHome):
            problems = (*known_mistakes(mistakes_file()), *problems)
        if due := due_mistakes(date.today()):
            write_text(describe_due(due) + "\n")
    return _check_problems(problems) if options.action == "check" else _list_problems(problems)


def _list_problems(problems: tuple[Problem, ...]) -> int:
    counts = Counter((problem.kind, problem.level) for problem in problems)
    for kind in dict.fromkeys(problem.kind for problem in problems):
        levels = [counts[kind, level] for level in range(1, LEVELS + 1)]
        text = _("{kind}: {count}; by level from 1 to 5: {levels}")
        if kind == "mistake":
            text = _("{kind}: {count}")
        write_text(text.format(kind=describe_kind(kind), count=sum(levels), levels=listed(map(str, levels))) + "\n")
    write_text(plural("{count} problem", "{count} problems", len(problems)) + "\n")
    return 0


def _check_problems(problems: tuple[Problem, ...]) -> int:
    wrong = unproved = 0
    for problem in problems:
        if not problem.is_proved:
            unproved += 1
            continue
        for fault in faults(problem):
            wrong += 1
            sys.stderr.write(plain_line(f"{problem.name}: {fault}") + "\n")
    if wrong:
        raise CommandError(plural("{count} fault was found", "{count} faults were found", wrong))
    write_text(plural("{count} problem proved", "{count} problems proved", len(problems) - unproved) + "\n")
    if unproved:
        text = plural("{count} problem that cannot be proved", "{count} problems that cannot be proved", unproved)
        write_text(text + "\n")
    return 0


def _make_problems(options: argparse.Namespace) -> int:
    if options.file is None:
        raise UsageError(_("make needs a file: daoqi-tui problems make FILE"))
    judge = NetworkJudge(checked(options.net))
    kind = kind_named(options.kind or "")
    if kind == "opening":
        made = make_openings(options.file, options.visits, judge, options.count)
    else:
        made = make(options.file, options.count, options.seed, judge, (kind,) if kind else ())
    text = _("{name}: level {level}, depth {plies}, policy {prior:.1%}")
    for problem in _written(made, options.file):
        write_text(text.format(name=problem.name, level=problem.level, plies=problem.plies, prior=problem.prior) + "\n")
    return 0


def _written(made: Iterator[Problem], file: Path) -> Iterator[Problem]:
    """Yield problems that are made and added to a file; what goes wrong where they are shown is not the file's."""
    with CommandError.writing(file):
        yield from made
