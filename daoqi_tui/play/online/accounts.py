"""Accounts: who a player is, which names can be claimed, and how a finished rated game is told to the store.

A secret is never stored: the store knows an account by the digests of the keys and links that open it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Annotated, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar
from unicodedata import category, normalize

from msgspec import Meta

from daoqi_tui.engine import LARGEST
from daoqi_tui.message import Message
from daoqi_tui.play.online.correspondence import AccountId
from daoqi_tui.play.online.protocol import Name
from daoqi_tui.play.online.table import skeleton

LONGEST_CLAIM: Final = 24
"""Characters in the name of an account."""
GUEST_MARK: Final = "~"
"""What stands before the name of a guest who is called like somebody with an account, and in no name of an account."""
Kind: TypeAlias = Literal["ssh", "link"]
"""How an account is opened: by the key of an ssh client, or by a link with a secret."""

_RESERVED: Final = (
    "admin",
    "anonymous",
    "black",
    "computer",
    "guest",
    "moderator",
    "operator",
    "player",
    "server",
    "white",
)
_BOT: Final = "botlevel"
_SIGNS: Final = " -_.'"
# Letters and digits that look like a Latin letter, in the fonts of terminals and browsers, after case folding.
_LOOK_ALIKE: Final = str.maketrans(
    {
        **dict(zip("авеёзікмнорстухјѕԁԛԝһԍ", "abee3ikmhopctyxjsdqwhg", strict=True)),
        **dict(zip("αβγεηικνορτυχωϲ", "abyeniknoptuxwc", strict=True)),
        **dict(zip("օսհոցզյ", "ouhngqj", strict=True)),
        **dict(zip("0158", "olsb", strict=True)),
        "ı": "l",
        "i": "l",
        "j": "l",
        "ß": "b",
        "ł": "l",
        "ø": "o",
        "đ": "d",
        "3": "e",
        "з": "e",
        "一": "l",
        "ー": "l",
        "〇": "o",
        "○": "o",
        "口": "o",
        "ロ": "o",
        "カ": "力",
        "ニ": "二",
        "ハ": "八",
        "エ": "工",
        "ト": "卜",
        "夕": "タ",
    }
)
_PAIRS: Final = (("rn", "m"), ("vv", "w"), ("cl", "d"))


class ClaimError(ValueError):
    """A name cannot be claimed; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Account:
    """A player who comes back.

    Attributes:
        id: names the account for ever.
        name: can be changed by the operator.
        banned: the operator's reason for which it is kept out, empty if it is not.
        muted: whether it may not chat.
        created, seen: when, in seconds of the epoch.
    """

    id: Annotated[str, Meta(pattern="^[a-z2-7]{0,20}$")]
    name: str
    banned: str = ""
    muted: bool = False
    created: float = 0.0
    seen: float = 0.0


@dataclass(frozen=True, slots=True)
class NetworkBan:
    """A network, or a single address, whose guests are kept out.

    Attributes:
        network: as :mod:`ipaddress` writes it.
        ended: until when, in seconds of the epoch.
        reason: the operator's.
    """

    network: str
    ended: float
    reason: str

    def covers(self, address: str) -> bool:
        """Return whether an address, or a network of one host, is banned."""
        try:
            visitor, banned = ip_network(address), ip_network(self.network)
        except ValueError:
            return False
        return visitor.version == banned.version and visitor.overlaps(banned)


def check_network(text: str) -> str:
    """Return a network as it is banned.

    Raises:
        ValueError: it is none, or has this computer in it.
    """
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        raise ValueError(Message("an address is such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/64")) from None
    if any(network.version == own.version and network.overlaps(own) for own in _OWN):
        raise ValueError(Message("{address} is this computer; behind a proxy, see --trust-proxy", address=text))
    return str(network)


_OWN: Final = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


@dataclass(frozen=True, slots=True)
class Report:
    """What a player tells the operator of a server about another.

    Attributes:
        by: the id of the account that reports, or the address of a guest.
        by_name, name: as they were called; the name is that of the one who is reported.
        account: the id of the account that is reported, empty for a guest.
        game: the id of the table.
        reason: what the player wrote.
        chat: the last lines there.
        at: when, in seconds of the epoch.
        id: names the report.
    """

    by: str
    by_name: str
    account: str
    name: str
    game: str
    reason: str
    chat: str
    at: float
    id: str = ""


# What a server answers as JSON

_Size: TypeAlias = Annotated[int, Meta(ge=0, le=LARGEST)]


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A rated game that is over, as lists of games show it.

    Attributes:
        name: of the table and the round, by which it is counted once and its record is found.
        size: of the board.
        black, white: the ids of the accounts, empty for one that is gone.
        black_name, white_name: as they were called.
        result: as in SGF.
        moves: their number.
        played: when it ended, in seconds of the epoch.
        has_record: whether there is a record that others may see, or still is.
    """

    name: Annotated[str, Meta(max_length=80)]
    size: _Size
    black: AccountId
    white: AccountId
    black_name: Name
    white_name: Name
    result: Annotated[str, Meta(max_length=20)]
    moves: int
    played: float
    has_record: bool


@dataclass(frozen=True, slots=True)
class FoundMove:
    """A move that was played in a position.

    Attributes:
        points: the equivalent points, named as in GTP; several if the position is symmetric.
        colour: the side that played it.
        games, black, white: their number, and of those that each side won.
    """

    points: Annotated[tuple[Annotated[str, Meta(max_length=8)], ...], Meta(max_length=LARGEST * LARGEST)]
    colour: Literal["black", "white"]
    games: int
    black: int
    white: int


@dataclass(frozen=True, slots=True)
class FoundGame:
    """A game that reached a position, and the number of moves made until there."""

    game: RatedGame
    move: int


@dataclass(frozen=True, slots=True)
class FoundPosition:
    """The games of a server that reached a position, up to symmetry and exchange of colours.

    Attributes:
        searched: the number of games in the index.
        games, black, white: those that reached it, and of these those that each side won.
        moves: those played there, the most frequent first.
        found: the last ones of these games.
    """

    searched: int
    games: int
    black: int
    white: int
    moves: Annotated[tuple[FoundMove, ...], Meta(max_length=1000)] = ()
    found: Annotated[tuple[FoundGame, ...], Meta(max_length=1000)] = ()


@dataclass(frozen=True, slots=True)
class NewAccount:
    """Asks for an account with a name."""

    name: Name


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """The answer: the account, and the secret of the link that opens it, which is told this once."""

    id: AccountId
    name: Name
    secret: Annotated[str, Meta(max_length=100)]


@dataclass(frozen=True, slots=True)
class NewLink:
    """Asks for another link to one's account; with ``alone``, the earlier ones open it no longer."""

    alone: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """The answer: the secret of the link."""

    secret: Annotated[str, Meta(max_length=100)]


@dataclass(frozen=True, slots=True)
class Player:
    """An account as others see it."""

    id: AccountId
    name: Name


@dataclass(frozen=True, slots=True)
class SizeRating:
    """A rating on one size, and when it was which: seconds of the epoch, and values."""

    size: _Size
    value: float
    deviation: float
    history: Annotated[tuple[tuple[float, float], ...], Meta(max_length=10_000)] = ()


@dataclass(frozen=True, slots=True)
class Games:
    """Rated games, the last ones first."""

    games: Annotated[tuple[RatedGame, ...], Meta(max_length=1000)] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """A player, their ratings, and their last games."""

    player: Player
    ratings: Annotated[tuple[SizeRating, ...], Meta(max_length=30)] = ()
    games: Annotated[tuple[RatedGame, ...], Meta(max_length=1000)] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """The strongest players on a size, with rating and deviation."""

    players: Annotated[tuple[tuple[Player, float, float], ...], Meta(max_length=1000)] = ()


@dataclass(frozen=True, slots=True)
class OwnGame:
    """A correspondence game of one's own.

    Attributes:
        game: its id.
        opponent: the name.
        size: of the board.
        moves: their number.
        counting: whether the count is to be agreed on.
        my_turn: whether a move is waited for that is one's own; while counting, True.
        seconds: the time left for it, or for the opponent's move.
        away: whether that time stands still, since the player is on vacation.
    """

    game: Annotated[str, Meta(pattern="^[a-z2-7]{1,40}$")]
    opponent: Name
    size: _Size
    moves: Annotated[int, Meta(ge=0)]
    counting: bool
    my_turn: bool
    seconds: float
    away: bool = False


@dataclass(frozen=True, slots=True)
class OwnGames:
    """One's correspondence games, those in which one has least time first, and one's vacation.

    Attributes:
        games: that are not over.
        vacation: the seconds until it is over; 0 without one.
        days: of vacation that are left this year.
        webhook: the address to which one's turn is told, empty for none.
    """

    games: Annotated[tuple[OwnGame, ...], Meta(max_length=1000)] = ()
    vacation: float = 0.0
    days: int = 0
    webhook: Annotated[str, Meta(max_length=400)] = ""


@dataclass(frozen=True, slots=True)
class NewWebhook:
    """Sets the address to which one's turn is told; empty for none."""

    address: Annotated[str, Meta(max_length=400)]


@dataclass(frozen=True, slots=True)
class NewVacation:
    """Asks for a vacation of some days from now on; with none, the one that goes on is over."""

    days: Annotated[int, Meta(ge=0, le=366)]


Answer_co = TypeVar("Answer_co", covariant=True)


class Endpoint(NamedTuple, Generic[Answer_co]):
    """A path of a server, and what it answers there."""

    path: str
    answer: type[Answer_co]


ACCOUNTS: Final = Endpoint("/accounts", OwnAccount)
ME: Final = Endpoint("/accounts/me", Profile)
LINKS: Final = Endpoint("/accounts/links", Link)
OWN_GAMES: Final = Endpoint("/accounts/games", OwnGames)
VACATION: Final = Endpoint("/accounts/vacation", OwnGames)
WEBHOOK: Final = Endpoint("/accounts/webhook", OwnGames)
PLAYERS: Final = "/players"
RECORDS: Final = "/records"
POSITIONS: Final = "/positions"

BEARER: Final = "Bearer "


def bearer(secret: str) -> dict[str, str]:
    """Return the headers of a request by the owner of an account, none for a guest."""
    return {"Authorization": f"{BEARER}{secret}"} if secret else {}


def claim_form(name: str) -> str:
    """Return what is equal for names that people take for one another: case, accents, spaces, look-alike letters.

    >>> claim_form("Ke Jie") == claim_form("ke_jíe") == claim_form("Κе JlE")
    True
    >>> claim_form("modern") == claim_form("rnodem")
    True
    """
    bare = "".join(sign for sign in normalize("NFD", skeleton(name)) if category(sign) != "Mn" and sign not in _SIGNS)
    folded = normalize("NFC", bare).translate(_LOOK_ALIKE).translate(_LOOK_ALIKE)
    for pair, sign in _PAIRS:
        folded = folded.replace(pair, sign)
    return folded


def check_claim(name: str) -> str:
    """Return a name without the spaces around it.

    Raises:
        ClaimError: no account can have it.
    """
    name = " ".join(name.split())
    if not 1 < len(name) <= LONGEST_CLAIM or not all(category(sign)[0] in "LMN" or sign in _SIGNS for sign in name):
        text = Message("a name has 2 to {most} letters or digits, with spaces, - _ . or ' between", most=LONGEST_CLAIM)
        raise ClaimError(text)
    if not re.search(r"[^\W\d_]", name):
        raise ClaimError(Message("a name needs a letter"))
    form = claim_form(name)
    if not form or form.startswith(claim_form(_BOT)) or form in map(claim_form, _RESERVED):
        raise ClaimError(Message("nobody can be called {name}", name=name))
    return name
