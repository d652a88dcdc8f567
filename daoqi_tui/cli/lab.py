"""The laboratory's commands: play matches, train a network, evaluate the openings."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from daoqi_tui.cli.errors import CommandError, UsageError, writing
from daoqi_tui.cli.gtp import add_board, add_limits, visits
from daoqi_tui.cli.options import NETWORK_WORDS, add_command, network, seconds, whole
from daoqi_tui.cli.play import size
from daoqi_tui.i18n import _, translate
from daoqi_tui.numbers import decimal_number
from daoqi_tui.streams import output_errors, write_text

if TYPE_CHECKING:
    from daoqi_tui.cli.options import Subparsers
    from daoqi_tui.lab.cluster import Cluster
    from daoqi_tui.lab.match.sprt import Sprt
    from daoqi_tui.lab.openings.judging import JudgementFile, Task


def add_parsers(subparsers: Subparsers) -> None:
    """Add the parsers of ``match``, ``train`` and ``judge``."""
    match = add_command(
        subparsers,
        "match",
        _match,
        _("play a match between two engines on the torus"),
        _(
            "Let two players play a match on the torus, alternating colours. A player is level:N, our own at that "
            "level; net:FILE, our own at its highest level with another network (net:auto means the built-in ones, "
            "net:none plays without); level:N net:FILE, both; or the command line of a GTP engine that knows the "
            "torus. Games lost by an illegal move or a failure of an engine are counted apart."
        ),
        "daoqi-tui match level:4 level:5 --size 9",
        "daoqi-tui match level:8 'daoqi-tui gtp --time 2' --games 40 --out results",
    )
    match.add_argument("first", metavar="A", help=_("the first player: level:N, net:FILE or a command line"))
    match.add_argument("second", metavar="B", help=_("the second player"))
    match.add_argument("--games", type=count, default=40, metavar="G", help=_("how many games (default: 40)"))
    add_board(match)
    match.add_argument("--time", type=seconds, metavar="S", help=_("seconds per move (default: up to the players)"))
    add_limits(match)
    match.add_argument(
        "--sprt",
        type=elo,
        nargs=2,
        metavar=("E0", "E1"),
        help=_("end the match once it is 95 %% sure whether A is stronger by E0 or by E1 Elo; --games is the most"),
    )
    match.add_argument(
        "--opening",
        type=opening,
        default=2,
        metavar="M",
        help=_("start each pair of games from the same M random moves (default: 2)"),
    )
    match.add_argument("--parallel", type=count, default=2, metavar="P", help=_("games at a time (default: 2)"))
    match.add_argument(
        "--out",
        type=Path,
        metavar=_("DIR"),
        help=_("folder for the records and results; a match found there is continued"),
    )
    _add_ray(match)

    train = add_command(
        subparsers,
        "train",
        _train,
        _("train a network from a teacher or from scratch"),
        _(
            "Train a network in a folder, from a teacher or from scratch; continue where it was interrupted. All "
            "settings are in one TOML file, which is stored in the folder."
        ),
        "daoqi-tui train my-net --settings my-net.toml",
        "daoqi-tui train my-net",
    )
    train.add_argument("folder", type=Path, metavar=_("DIR"), help=_("the training folder"))
    train.add_argument("--settings", type=Path, metavar=_("FILE"), help=_("the settings of a new training"))
    _add_ray(train)
    train.add_argument("--print-settings", action="store_true", help=_("print all settings as TOML and exit"))

    judge = add_command(
        subparsers,
        "judge",
        _judge,
        _("evaluate the openings with a network"),
        _(
            "Search all openings of two moves and their third moves with a network, let it play games from them, and "
            "estimate the fair komi. Results are added to a file, so an interrupted run continues. The values shown "
            "in the program were made this way."
        ),
        "daoqi-tui judge judged.jsonl --sizes 9,16",
        "daoqi-tui judge judged.jsonl --compact openings.json.gz",
    )
    judge.add_argument("file", type=Path, metavar=_("FILE"), help=_("the file of results"))
    judge.add_argument(
        "--sizes",
        type=sizes,
        metavar="N,N",
        default=_JUDGED,
        help=_("board sizes, the most important first (default: {sizes})").format(sizes=",".join(map(str, _JUDGED))),
    )
    for option, parse, usual, words in (
        ("--visits", visits, 800, _("visits of the search of each opening (default: {default})")),
        ("--third-visits", number, 24, _("visits after each third move (default: {default}; 0 searches none)")),
        ("--games", number, 16, _("games from each opening, by the policy alone (default: {default})")),
        ("--komi-games", number, 160, _("games for the fair komi of each size (default: {default})")),
        ("--komi-visits", visits, 8, _("visits for each move of these (default: {default})")),
        ("--policy-games", number, 192, _("more games for it by the policy alone (default: {default})")),
    ):
        judge.add_argument(option, type=parse, metavar="N", default=usual, help=words.format(default=usual))
    judge.add_argument("--net", type=network, metavar=_("NET"), default="auto", help=_(NETWORK_WORDS))
    judge.add_argument(
        "--compact",
        type=Path,
        metavar=_("OUT"),
        help=_("evaluate nothing; write the results so far in the program's format"),
    )


_JUDGED: Final = (16, 9, 13, 19, 11)
"""The sizes whose openings are judged."""


def _add_ray(parser: argparse.ArgumentParser) -> None:
    """Add the option that spreads games over several machines."""
    parser.add_argument(
        "--ray",
        metavar=_("ADDRESS"),
        help=_("play the games on the Ray cluster at this address; auto finds the one of this machine, or starts one"),
    )


@contextmanager
def cluster_of(options: argparse.Namespace) -> Iterator[Cluster | None]:
    """Yield the cluster that the options name, None without one, and shut it down at the end.

    Raises:
        ClusterError: it cannot be used.
    """
    if options.ray is None:
        yield None
        return
    from daoqi_tui.lab.cluster import Cluster  # noqa: PLC0415

    with Cluster(options.ray) as cluster:
        yield cluster


def _match(options: argparse.Namespace) -> int:
    from daoqi_tui.engine import DAOQI  # noqa: PLC0415
    from daoqi_tui.lab.match.match import MatchOptions  # noqa: PLC0415
    from daoqi_tui.lab.match.report import run_match  # noqa: PLC0415
    from daoqi_tui.lab.match.results import WrongMatch  # noqa: PLC0415

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
    try:
        with output_errors(), cluster_of(options) as cluster:
            return run_match(wanted, cluster=cluster)
    except WrongMatch as error:
        raise UsageError(translate(error)) from error


def _train(options: argparse.Namespace) -> int:
    from daoqi_tui.lab.training.settings import Settings, read_settings, toml_of  # noqa: PLC0415

    if options.print_settings:
        write_text(toml_of(read_settings(options.settings) if options.settings else Settings()))
        return 0
    if importlib.util.find_spec("torch") is None:
        from daoqi_tui.extras import install_command  # noqa: PLC0415

        words = _("training needs torch: {command} installs it")
        raise CommandError(words.format(command=install_command("train")))
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


def _judge(options: argparse.Namespace) -> int:
    from daoqi_tui.ai.compiled import compile_all  # noqa: PLC0415
    from daoqi_tui.ai.nets import NetworkFiles, checked, file_for  # noqa: PLC0415
    from daoqi_tui.ai.player import KERNELS  # noqa: PLC0415
    from daoqi_tui.lab.openings.judging import JudgementFile, Plan, how_made, judge  # noqa: PLC0415
    from daoqi_tui.record.files import InUse  # noqa: PLC0415

    net_file = file_for(checked(options.net))
    if options.compact is not None:
        _check_compacting(options.file, options.compact)
    plan = Plan(
        options.sizes,
        visits=options.visits,
        third_visits=options.third_visits,
        games=options.games,
        komi_games=options.komi_games,
        komi_visits=options.komi_visits,
        policy_games=options.policy_games,
    )
    network = NetworkFiles().load(net_file)
    try:
        file = JudgementFile(options.file, how_made(plan, Path(net_file), network.name))
    except (ValueError, InUse) as error:
        raise CommandError(translate(error)) from error
    with closing(file):
        if options.compact is not None:
            _compact_judgements(file, options.compact)
            write_text(_("the values are in {file}").format(file=options.compact) + "\n")
            return 0
        compile_all(KERNELS)
        try:
            judge(plan, network, file, _show_judging)
        except KeyboardInterrupt:
            words = _("interrupted; the same command goes on from here")
            sys.stderr.write(f"\n{words}\n")
            return 130
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    write_text(_("the results are in {file}").format(file=options.file) + "\n")
    return 0


def _show_judging(done: int, tasks: int, task: Task) -> None:
    """Show the progress on a line, which the next one replaces in a terminal."""
    begin, end = ("\r\x1b[K", "") if sys.stderr.isatty() else ("", "\n")
    words = {
        "class": _("{size}×{size}: opening {number}"),
        "third": _("{size}×{size}: third moves of opening {number}"),
        "games": _("{size}×{size}: games from opening {number}"),
        "komi": _("{size}×{size}: games for the fair komi"),
        "policy": _("{size}×{size}: games for the fair komi, by the policy alone"),
    }[task.kind].format(size=task.size, number=task.number)
    sys.stderr.write(f"{begin}{done}/{tasks}  {words}{end}")
    sys.stderr.flush()


def _check_compacting(results: Path, out: Path) -> None:
    """Check that there are results, whose file would be created otherwise, and that nothing but values is overwritten.

    Raises:
        CommandError: something else is in ``out``.
        OSError: there are no results, or ``out`` cannot be read.
    """
    from daoqi_tui.analysis.opening import read_values  # noqa: PLC0415
    from daoqi_tui.paths import is_replaced  # noqa: PLC0415

    results.stat()
    if is_replaced(out) and out.exists():
        try:
            read_values(out)
        except ValueError as error:
            words = _("{file} is another kind of file and is not replaced; choose another name")
            raise CommandError(words.format(file=out)) from error


def _compact_judgements(file: JudgementFile, out: Path) -> None:
    from datetime import date  # noqa: PLC0415

    from daoqi_tui import __version__  # noqa: PLC0415
    from daoqi_tui.lab.openings.judging import compact  # noqa: PLC0415
    from daoqi_tui.record.files import write_atomically  # noqa: PLC0415

    with writing(out):
        write_atomically(out, compact(file, date.today().isoformat(), __version__))


def _sprt(differences: list[float] | None) -> Sprt | None:
    from daoqi_tui.lab.match.sprt import Sprt  # noqa: PLC0415

    if differences is None:
        return None
    try:
        return Sprt(*differences)
    except ValueError as error:
        raise UsageError(translate(error)) from error


def elo(text: str) -> float:
    """Parse an Elo difference."""
    number = decimal_number(text)
    if number is None or not -1000 <= number <= 1000:
        raise argparse.ArgumentTypeError(_("{text} is not an Elo difference: -1000 to 1000").format(text=repr(text)))
    return float(number)


def number(text: str) -> int:
    """Parse a number of visits or games, which may be 0."""
    return whole(text, 0, 1_000_000, _("{text} is not a number from {least} to {most}"))


def sizes(text: str) -> tuple[int, ...]:
    """Parse board sizes with commas between them."""
    return tuple(size(part) for part in text.split(","))


def opening(text: str) -> int:
    return whole(text, 0, 100, _("{text} is not a number of plays: {least} to {most}"))


def count(text: str) -> int:
    return whole(text, 1, 100_000, _("{text} is not a number of games: {least} to {most}"))
