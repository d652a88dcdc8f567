"""Shows a match in the terminal: a bar while it runs, the table at its end."""

from __future__ import annotations

import asyncio

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from daoqi_tui.gtp.match import Event, Finished, Match, MatchOptions, Moved
from daoqi_tui.gtp.match_log import MatchError, Played
from daoqi_tui.gtp.rating import elo_text
from daoqi_tui.gtp.standing import Standing


def run_match(options: MatchOptions, console: Console | None = None) -> int:
    """Play a match, show it, and return the exit status: 0, or 130 when interrupted.

    Raises:
        WrongMatch: an option is out of range.
        MatchError: the match cannot be played on; what was played has been shown.
    """
    console = console or Console()
    match = Match(options)
    if match.played:
        console.print(f"{len(match.played)} of {options.games} games are in {options.out} already; going on")
    status = 0
    try:
        _run(match, console)
    except MatchError:
        _show_standing(match, console)
        raise
    except KeyboardInterrupt:
        kept = f"run the same command again to go on in {options.out}" if options.out else "nothing was kept"
        console.print(f"stopped after {len(match.played)} of {options.games} games; {kept}")
        status = 130
    _show_standing(match, console)
    return status


def _show_standing(match: Match, console: Console) -> None:
    if match.played:
        for side, name in zip("AB", match.standing.names, strict=True):
            console.print(Text(f"{side}: {name}"))
        console.print(table(match.standing))


def _run(match: Match, console: Console) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("games", total=match.options.games, completed=len(match.played))
        under_way: dict[int, int] = {}

        def tell(event: Event) -> None:
            match event:
                case Moved(game=game, moves=moves):
                    under_way[game] = moves
                case Finished(played=played):
                    under_way.pop(played.game, None)
                    bar.console.print(Text(_line(played)))
                    bar.advance(task)
            at = ", ".join(f"game {game} move {moves}" for game, moves in sorted(under_way.items()))
            bar.update(task, description=at or "games")

        asyncio.run(match.run(tell))


def _line(played: Played) -> str:
    white = "B" if played.black == "A" else "A"
    line = f"game {played.game}: {played.black} Black, {white} White: {played.result}, {played.moves} moves"
    return f"{line}; {played.reason}" if played.reason else line


def table(standing: Standing) -> Table:
    """The table of a match: wins, colours, and the difference in Elo with its 95 % interval."""
    found = Table("", "wins", "as Black", "as White", "forfeits", "share [95 %]", "Elo [95 %]")
    games, wins, share, elo = standing.games, standing.wins, standing.share, standing.elo
    (black, blacks), (white, whites) = standing.as_black, standing.as_white
    found.add_row(
        "A",
        f"{wins}/{games}",
        f"{black}/{blacks}",
        f"{white}/{whites}",
        str(standing.forfeits[0]),
        f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]",
        elo_text(elo),
    )
    found.add_row(
        "B",
        f"{games - wins}/{games}",
        f"{whites - white}/{whites}",
        f"{blacks - black}/{blacks}",
        str(standing.forfeits[1]),
        "",
        "",
    )
    found.caption = f"mean length {standing.moves:.0f} moves; intervals after Wilson (1927)"
    return found
