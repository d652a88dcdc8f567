"""Plays a match in a terminal, showing its progress, its games as they end, and the table of results."""

from __future__ import annotations

import math

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from daoqi_tui import signals
from daoqi_tui.i18n import _, plural, translate
from daoqi_tui.lab.cluster import Cluster
from daoqi_tui.lab.match.match import EngineMatch, Finished, MatchEvent, MatchOptions, Moved
from daoqi_tui.lab.match.results import Interval, MatchError, Standing
from daoqi_tui.lab.match.sprt import SequentialTest
from daoqi_tui.text import plain_line


def run_match(
    options: MatchOptions,
    console: Console | None = None,
    progress: Console | None = None,
    cluster: Cluster | None = None,
) -> int:
    """Play a match, show it, and return the exit status: 0, or 130 when interrupted.

    Args:
        options: the match.
        console: for the result, by default standard output.
        progress: for everything else, by default `console`, or standard error if there is none.
        cluster: plays the games, None for engines on this machine.

    Raises:
        WrongMatch: an option is out of range.
        MatchError: the match cannot continue; the results so far have been shown.
    """
    progress = progress or console or Console(stderr=True)
    console = console or Console()
    match = EngineMatch(options)
    if match.played:
        text = _("{count} of {games} games are already in {folder}; continuing")
        if not match.missing or match.verdict is not None:
            text = _("{count} of {games} games are already in {folder}; nothing is left to play")
        _print(progress, text.format(count=_done(match), games=options.games, folder=options.out))
    status = 0
    try:
        _run(match, progress, cluster)
    except MatchError:
        _show_standing(match, console)
        raise
    except KeyboardInterrupt:
        text = _("stopped after {count} of {games} games")
        _print(progress, text.format(count=_done(match), games=options.games))
        if options.out is None:
            _print(progress, _("nothing was saved; use --out to save a match and continue it later"))
        else:
            _print(progress, _("run the same command again to continue in {folder}").format(folder=options.out))
        status = 130
    _show_standing(match, console)
    return status


def _done(match: EngineMatch) -> int:
    """Return how many of the requested games have been played; a folder may contain more."""
    return match.options.games - len(match.missing)


def _print(console: Console, text: str) -> None:
    """Print a line verbatim, so that a name in it cannot be markup or an escape sequence."""
    console.print(Text(plain_line(text)))


def _show_standing(match: EngineMatch, console: Console) -> None:
    if match.played:
        for side, name in zip("AB", match.standing.names, strict=True):
            _print(console, f"{side}: {name}")
        console.print(table(match.standing))
        if match.test is not None:
            _print(console, sprt_text(match.test))


def _run(match: EngineMatch, console: Console, cluster: Cluster | None) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(_("games"), total=match.options.games, completed=_done(match))
        under_way: dict[int, int] = {}

        def report(event: MatchEvent) -> None:
            match event:
                case Moved(game=game, moves=moves):
                    under_way[game] = moves
                case Finished(played=played):
                    under_way.pop(played.game, None)
                    _print(bar.console, _line(event))
                    bar.advance(task)
            at = (_("game {game} move {move}").format(game=game, move=move) for game, move in sorted(under_way.items()))
            bar.update(task, description=" · ".join(at) or _("games"))

        signals.run(match.run(report, cluster))


def _line(finished: Finished) -> str:
    """Say how a game ended."""
    played = finished.played
    line = _("game {game}: {black} Black, {white} White: {result}, {moves} moves").format(
        game=played.game,
        black=played.black,
        white="B" if played.black == "A" else "A",
        result=played.result,
        moves=played.moves,
    )
    return line if finished.reason is None else f"{line} · {translate(finished.reason)}"


def table(standing: Standing) -> Table:
    """Return the table of a match: wins by colour, Elo difference with its 95 % interval, forfeits."""
    names = _("wins"), _("as Black"), _("as White"), _("win rate [95 %]"), _("Elo difference [95 %]"), _("forfeited")
    found = Table("", *names)
    games, wins, share, elo = standing.games, standing.wins, standing.share, standing.elo
    (black, blacks), (white, whites) = standing.as_black, standing.as_white
    found.add_row(
        "A",
        f"{wins:g}/{games}",
        f"{black:g}/{blacks}",
        f"{white:g}/{whites}",
        f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]" if games else _("none"),
        elo_text(elo) if games else _("none"),
        str(standing.forfeits[0]),
    )
    found.add_row(
        "B",
        f"{games - wins:g}/{games}",
        f"{whites - white:g}/{whites}",
        f"{blacks - black:g}/{blacks}",
        "",
        "",
        str(standing.forfeits[1]),
    )
    notes = []
    if games:
        notes.append(_("mean length: {moves} moves").format(moves=f"{standing.moves:.0f}"))
        notes.append(_("intervals by the method of Wilson (1927)"))
    for side, seconds in zip("AB", standing.cpu, strict=True):
        if seconds is not None:
            notes.append(_("{side} took {seconds} s of CPU time a move").format(side=side, seconds=f"{seconds:.3g}"))
    if any(standing.forfeits):
        notes.append(plural("without {count} forfeit", "without {count} forfeits", sum(standing.forfeits)))
    found.caption = "\n".join(notes)
    return found


def sprt_text(test: SequentialTest) -> str:
    """Return the current state of a sequential test, in one line."""
    sprt = test.sprt
    low, high = sprt.bounds
    words = {
        "elo0": _("A is not stronger by {elo1} Elo"),
        "elo1": _("A is stronger by more than {elo0} Elo"),
        None: _("no verdict yet"),
    }
    numbers = {"elo0": f"{sprt.elo0:g}", "elo1": f"{sprt.elo1:g}"}
    return _("sequential test of {elo0} and {elo1} Elo: {verdict} (LLR {ratio} of {low} to {high}, {pairs})").format(
        **numbers,
        verdict=words[test.verdict].format(**numbers),
        ratio=f"{test.ratio:+.2f}",
        low=f"{low:+.2f}",
        high=f"{high:+.2f}",
        pairs=plural("{count} pair of games", "{count} pairs of games", test.pairs),
    )


def elo_text(interval: Interval) -> str:
    """Format an Elo difference: ``+191 [+69, +313]``, or ``above +70`` if every game was won."""
    if interval.value == math.inf:
        return _("above {elo}").format(elo=f"{interval.low:+.0f}")
    if interval.value == -math.inf:
        return _("below {elo}").format(elo=f"{interval.high:+.0f}")
    return f"{interval.value:+.0f} [{interval.low:+.0f}, {interval.high:+.0f}]"
