"""The table of a match: who won how often, and what that says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from daoqi_tui.gtp.match_log import Played
from daoqi_tui.gtp.rating import Interval, elo_difference, share_of_wins


@dataclass(frozen=True, slots=True)
class Standing:
    """The table of a match.

    Attributes:
        names: of A and B.
        games: finished.
        wins: of A.
        as_black, as_white: A's wins and games with that colour.
        forfeits: of A and of B.
        moves: the mean length of a game.
        share: of the games that A won.
        elo: by how much A is stronger.
    """

    names: tuple[str, str]
    games: int
    wins: int
    as_black: tuple[int, int]
    as_white: tuple[int, int]
    forfeits: tuple[int, int]
    moves: float
    share: Interval
    elo: Interval


def standing(names: tuple[str, str], played: Sequence[Played]) -> Standing:
    """The table of finished games between A and B of these names."""
    wins = sum(game.winner == "A" for game in played)
    black = [game.winner == "A" for game in played if game.black == "A"]
    white = [game.winner == "A" for game in played if game.black == "B"]
    winners = [game.winner for game in played if game.end == "forfeit"]
    return Standing(
        names,
        len(played),
        wins,
        (sum(black), len(black)),
        (sum(white), len(white)),
        (winners.count("B"), winners.count("A")),
        sum(game.moves for game in played) / max(1, len(played)),
        share_of_wins(wins, len(played)),
        elo_difference(wins, len(played)),
    )
