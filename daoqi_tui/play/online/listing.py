"""What a lobby shows, as one document: its games, and the bots that wait for anybody."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from msgspec import Meta

from daoqi_tui.engine import LARGEST, SMALLEST, parse_rules, torus_of
from daoqi_tui.engine.clock import parse_clock
from daoqi_tui.engine.game import most_handicap
from daoqi_tui.message import Message
from daoqi_tui.numbers import STRONGEST, WEAKEST
from daoqi_tui.play.online.invitation import LONGEST_NAME
from daoqi_tui.play.online.protocol import Phase
from daoqi_tui.play.online.table import Chooser, Terms

LISTING: Final = "/games"
"""The path of the document on a server."""
BOTS: Final = "/bots"
"""The path to which a challenge is sent."""
MOST_LISTED: Final = 2000
"""The most games in a listing, which is a message of limited length."""

_Game: TypeAlias = Annotated[str, Meta(pattern="^[a-z2-7]{1,40}$")]
_Name: TypeAlias = Annotated[str, Meta(max_length=LONGEST_NAME)]
_Size: TypeAlias = Annotated[int, Meta(ge=SMALLEST, le=LARGEST)]
_Level: TypeAlias = Annotated[float, Meta(ge=WEAKEST, le=STRONGEST)]


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game of a lobby.

    Attributes:
        game: its id.
        black, white: the names of the players, empty while there is none.
        moves: their number.
        watch: whether others may watch.
        code: that of the invitation if anybody may sit down, else empty.
        rated: whether it counts for ratings.
        days: for each move of a correspondence game, 0 for any other.
        server: the URL of the server that has it, empty for the one that lists it.
    """

    game: _Game
    black: _Name
    white: _Name
    size: _Size
    moves: Annotated[int, Meta(ge=0)]
    phase: Phase
    watch: bool
    code: Annotated[str, Meta(pattern="^[a-z2-7]{0,100}$")] = ""
    rated: bool = False
    days: Annotated[int, Meta(ge=0, le=366)] = 0
    server: Annotated[str, Meta(pattern=r"^(https?://[^\s/?#@]+(/[^\s?#@]*)?)?$", max_length=300)] = ""


@dataclass(frozen=True, slots=True)
class NewGame:
    """Asks for a new game of one's own.

    Attributes:
        name: of the host.
        size, komi, handicap, rules, black, undo, watch, rated: as of the terms of a table.
        clock: as it is typed, empty for none.
        anyone: whether anybody may sit down.
    """

    name: _Name = ""
    size: _Size = 16
    komi: Annotated[float, Meta(ge=-1000, le=1000)] = 4.0
    handicap: Annotated[int, Meta(ge=0, le=9)] = 0
    rules: Annotated[str, Meta(max_length=200)] = "daoqi"
    clock: Annotated[str, Meta(max_length=20)] = ""
    black: Chooser = "nigiri"
    undo: bool = True
    watch: bool = True
    anyone: bool = True
    rated: bool = False

    def terms(self) -> Terms:
        """Return the terms of the table.

        Raises:
            ValueError: they are impossible; the message says why.
        """
        most = most_handicap(torus_of(self.size))
        if self.handicap == 1 or self.handicap > most:
            raise ValueError(Message("a handicap has 2 to {most} stones on this board", most=most))
        return Terms(
            self.size,
            self.komi,
            self.handicap,
            str(parse_rules(self.rules)),
            parse_clock(self.clock) if self.clock else None,
            self.black,
            undo=self.undo and not self.rated,
            watch=self.watch,
            open=self.anyone,
            rated=self.rated,
        )


@dataclass(frozen=True, slots=True)
class Opened:
    """The answer: the game, the key of the host's seat, and the code for the other."""

    game: _Game
    key: Annotated[str, Meta(max_length=100)]
    code: Annotated[str, Meta(max_length=100)]


@dataclass(frozen=True, slots=True)
class Bots:
    """The bots of a lobby: one for each level and size."""

    levels: Annotated[tuple[_Level, ...], Meta(min_length=1, max_length=100)]
    sizes: Annotated[tuple[_Size, ...], Meta(min_length=1, max_length=30)]


@dataclass(frozen=True, slots=True)
class Listing:
    """What a lobby shows.

    Attributes:
        games: those that may be joined or watched, the newest first.
        bots: None where there are none.
        accounts: whether players can have accounts.
        cut_off: whether the games of other servers of the lobby are missing, since its database is away.
    """

    games: Annotated[tuple[ListedGame, ...], Meta(max_length=MOST_LISTED)] = ()
    bots: Bots | None = None
    accounts: bool = False
    cut_off: bool = False

    def without(self, known: Container[str]) -> tuple[list[ListedGame], list[ListedGame]]:
        """Return the games with a free seat, and those to watch, but none that the visitor knows by its id.

        A game in which a seat is free has nothing to be watched yet.
        """
        others = [game for game in self.games if game.game not in known]
        return [game for game in others if game.code], [game for game in others if game.watch and not game.code]


@dataclass(frozen=True, slots=True)
class Challenge:
    """Asks a bot for a game.

    Attributes:
        level, size: of the bot, as listed.
        name: of the challenger.
        black: who plays Black; the bot is the host.
    """

    level: _Level
    size: _Size
    name: _Name = ""
    black: Chooser = "nigiri"


@dataclass(frozen=True, slots=True)
class Challenged:
    """The answer to a challenge: a game that has begun, and the key of the challenger's seat."""

    game: _Game
    key: Annotated[str, Meta(max_length=100)]
