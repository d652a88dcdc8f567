"""A table: the terms of its games, its seats, the names of its players, which differ, and their agreements.

The file of a table holds only digests of codes and keys, except for a public code; moves and clocks are in the journals
next to it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b32encode
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias
from unicodedata import category, normalize

from msgspec import Meta

from daoqi_tui import codec
from daoqi_tui.engine import BLACK, WHITE, Colour, parse_rules
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.message import Message
from daoqi_tui.play.online.protocol import LONGEST_NAME, RequestKind, Side
from daoqi_tui.play.session import GameSetup
from daoqi_tui.record.files import Release, lock_file, read_json, write_atomically

_FORMAT: Final = 1
_FILE: Final = "game.json"
_MOST_BYTES: Final = 1 << 20
_TIME: Final = ("main", "periods", "period", "increment")
"""The time control in the file, a list."""
SHORTEST_KEY: Final = 20
"""Characters of a key that a client chooses."""

Chooser: TypeAlias = Literal["host", "guest", "nigiri"]
HOST, GUEST = 0, 1
"""The seats of a table."""


class GameFileError(Exception):
    """A table cannot be loaded."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms set by the host before the game.

    Attributes:
        black: who plays Black in the first game.
        undo: whether undo may be requested.
        watch: whether others may watch.
        delay: their delay in seconds.
        open: whether anyone may join, so that the code is public.
    """

    size: int = 16
    komi: float = 4.0
    handicap: int = 0
    rules: str = "daoqi"
    time: TimeControl | None = None
    black: Chooser = "nigiri"
    undo: bool = True
    watch: bool = True
    delay: int = 0
    open: bool = False

    def setup(self, black: str, white: str) -> GameSetup:
        """Return the setup of a game between two names.

        Raises:
            ValueError: the rules are unknown.
        """
        return GameSetup(
            self.size, self.komi, self.handicap, black, white, self.time, rules=parse_rules(self.rules), resigns=False
        )


def new_code() -> str:
    """Return a one-time code of 100 bits."""
    return b32encode(secrets.token_bytes(13)).decode().rstrip("=").lower()[:20]


def new_key() -> str:
    return secrets.token_urlsafe(24)


def locked(folder: Path) -> Release:
    """Lock a table against other processes; return a function that releases it. Raises InUse if it is locked."""
    return lock_file(folder / "lock")


def table_file(folder: Path) -> Path:
    return folder / _FILE


def digest(secret: str) -> str:
    """Return what is stored of a code or a key."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _is(secret: str, stored: str) -> bool:
    return bool(secret) and bool(stored) and hmac.compare_digest(digest(secret), stored)


@dataclass(frozen=True)
class Table:
    """The contents of a table's file, with only digests of keys.

    Attributes:
        terms: of its games.
        code: the digest of the code of the guest's seat, empty when it is used up.
        open_code: the code itself if anyone may join, empty when it is used up.
        keys, names: of host and guest.
        blacks: who had Black in each round, the current one last.
        stopped: what the players agreed on, empty while they play.
        counted: whether they agreed on the count.
        request: the open request and its side; it is in the file to survive a restart.
        warned: the side that was warned for its absence, and when, in seconds of the epoch.
    """

    terms: Terms
    code: str
    open_code: str
    keys: tuple[str, str]
    names: tuple[str, str]
    blacks: Annotated[tuple[Annotated[int, Meta(ge=HOST, le=GUEST)], ...], Meta(min_length=1)]
    stopped: Literal["", "paused", "adjourned"] = ""
    counted: bool = False
    request: tuple[RequestKind, Side] | None = None
    warned: tuple[Side, float] | None = None

    @staticmethod
    def lay(terms: Terms, host: str) -> tuple[Table, str, str]:
        """Return a table with the key of the host's seat, and the one-time code of the other."""
        key, code = new_key(), new_code()
        first = {"host": HOST, "guest": GUEST}.get(terms.black, secrets.randbelow(2))
        open_code = code if terms.open else ""
        return Table(terms, digest(code), open_code, (digest(key), ""), (host, ""), (first,)), key, code

    # Seats

    @property
    def has_guest(self) -> bool:
        return bool(self.keys[GUEST])

    def opens(self, code: str) -> bool:
        return _is(code, self.code)

    def given_to_guest(self, key: str, name: str) -> tuple[Table, str]:
        """Return the table with its guest, the code used up, and the seat's key: a new one if ``key`` is too short."""
        if len(key) < SHORTEST_KEY:
            key = new_key()
        host = (self.keys[HOST], self.names[HOST])
        return replace(self, code="", open_code="", keys=(host[0], digest(key)), names=(host[1], name)), key

    def seat_with(self, key: str) -> int | None:
        return next((seat for seat in (HOST, GUEST) if _is(key, self.keys[seat])), None)

    def seat_of(self, colour: Colour) -> int:
        """Return who plays a colour in the current round."""
        black = self.blacks[-1]
        return black if colour == BLACK else 1 - black

    def colour_of(self, seat: int) -> Colour:
        """Return what a seat plays in the current round."""
        return BLACK if seat == self.blacks[-1] else WHITE

    def name_of(self, colour: Colour) -> str:
        return self.names[self.seat_of(colour)]

    # The file

    def save(self, folder: Path) -> None:
        """Write the file into the folder of the table; waits for the disk.

        Raises:
            OSError: it cannot be written.
        """
        write_atomically(table_file(folder), self._as_json())

    @staticmethod
    def load(folder: Path) -> Table:
        """Read the file in the folder of a table.

        Raises:
            GameFileError: it is damaged.
            OSError: it cannot be read.
        """
        try:
            held = codec.convert(read_json(table_file(folder), _MOST_BYTES), dict[str, Any])
            if held["format"] != _FORMAT:
                raise GameFileError(Message("the game was kept by a newer version of the program"))
            terms = held["terms"]
            if terms["time"] is not None:
                terms["time"] = dict(zip(_TIME, terms["time"], strict=True))
            return codec.convert(held, Table)
        except (ValueError, TypeError, KeyError) as error:
            raise GameFileError(Message("the file of the game is damaged")) from error

    def _as_json(self) -> bytes:
        time = self.terms.time
        terms = {**asdict(self.terms), "time": time and [getattr(time, name) for name in _TIME]}
        held = {"format": _FORMAT, **vars(self), "terms": terms}
        if self.warned is None:
            # As older versions write and read it.
            del held["warned"]
        return codec.encode(held, indent=1)


_BLANK: Final = frozenset(
    map(
        chr,
        (
            # Default-ignorable characters that are letters, marks or symbols, and the blank pattern of Braille.
            *(0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x2800, 0x3164, 0xFFA0),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xFFF0, 0xFFF9),
            *range(0xE0000, 0xE1000),
        ),
    )
)


def skeleton(name: str) -> str:
    r"""Return what is equal for names that differ in case, width, spaces or invisible characters alone.

    It is NFKC_Casefold of Unicode without spaces and controls; letters of different scripts stay different.

    >>> skeleton("Ke Jie") == skeleton("ｋｅ\u200bＪＩＥ")
    True
    """
    folded = normalize("NFKC", normalize("NFKC", name).casefold())
    return "".join(sign for sign in folded if sign not in _BLANK and category(sign)[0] not in "CZ")


def distinct(name: str, taken: Iterable[str]) -> str:
    r"""Return a name that looks like none of those ``taken``, with a number behind it if necessary.

    A name that shows nothing is no name.

    >>> distinct("Ke", ["KE", "Lu"]), distinct("Ke", ["ke", "Ke 2"]), distinct("\u3164", [])
    ('Ke 2', 'Ke 3', '')
    """
    if not skeleton(name):
        return ""
    known = {skeleton(other) for other in taken}
    if skeleton(name) not in known:
        return name
    tries = (f"{name[: LONGEST_NAME - len(end)]}{end}" for number in count(2) for end in (f" {number}",))
    return next(one for one in tries if skeleton(one) not in known)
