"""The user's name, and the seats that are saved between starts of the program. Opens no connection.

So a form can show them without what an online game needs.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from daoqi_tui import codec
from daoqi_tui.config import load_config
from daoqi_tui.engine.clock import DAY
from daoqi_tui.i18n import N_, _, translate
from daoqi_tui.message import Message
from daoqi_tui.play.online.invitation import LONGEST_NAME, Invitation
from daoqi_tui.play.wording import describe_days
from daoqi_tui.record.files import changing, read_json, write_atomically
from daoqi_tui.text import plain_line

if TYPE_CHECKING:
    from daoqi_tui.play.online.protocol import Role, SideTime, State

UNNAMED: Final = N_("Player")
"""What a player without a name is called; the server adds a number to the second one at a table."""
_MOST_BYTES: Final = 16 * 2**20
_FORMAT: Final = 1


def own_name() -> str:
    """Return the name in the settings, or a general one: a login name is not for strangers. Reads the settings."""
    return plain_line(str(load_config()["play.name"]))[:LONGEST_NAME] or _(UNNAMED)


@dataclass(frozen=True, slots=True)
class SavedSeat:
    """A seat in a game that may continue.

    Attributes:
        server, game: as in :class:`Invitation`.
        key: the session key.
        name: of the player.
        opponent: the name of the other player.
        phase: of the game when it was last seen.
        round: of the table, as in :class:`~daoqi_tui.play.online.protocol.State`.
        my_turn: whether a move, an agreement or an answer of this player was waited for then.
        host: whether this player opened the game. A host may also be the guest, in another window.
        listen: the address on which the server of a host listened.
        public: the address under which others reach that server, empty if the host gave none.
        code: for the other seat of a game that this player opened in a lobby, empty for any other.
    """

    server: str
    game: str
    key: str
    name: str
    opponent: str = ""
    phase: str = ""
    round: int = 0
    my_turn: bool = False
    host: bool = False
    listen: str = ""
    public: str = ""
    code: str = ""

    @property
    def invitation(self) -> Invitation:
        return Invitation(self.server, self.game)

    @property
    def guest(self) -> Invitation | None:
        """The invitation to the other seat of a game in a lobby."""
        return Invitation(self.server, self.game, self.code) if self.code else None

    @property
    def place(self) -> tuple[str, str, bool]:
        """The server, the game, and the side of the table, which identify the seat.

        A host may serve the same game elsewhere each time.
        """
        return "" if self.host else self.server, self.game, self.host

    def seen(self, state: State, role: Role) -> SavedSeat:
        opponent = state.white if role == "black" else state.black
        waits = (
            (state.phase == "playing" and role == ("black", "white")[state.mover])
            or (state.phase == "counting" and role not in state.agreed)
            or (state.request is not None and state.request.by != role)
        )
        return replace(self, opponent=opponent, phase=state.phase, round=state.round, my_turn=waits)


class SeatsError(OSError):
    """The file of seats is damaged or of another format; the text is one sentence."""


class SeatBook:
    """The user's seats, and accounts in a file beside theirs; since they hold keys, nobody else may read them."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._accounts: Final = path.with_name("accounts.json")

    @staticmethod
    def in_folder(folder: Path) -> SeatBook:
        return SeatBook(folder / "seats.json")

    # Accounts

    def account(self, server: str) -> str:
        """Return the secret of the user's account at a server, empty for none; waits for the disk."""
        return self._known_accounts().get(server, "")

    def _known_accounts(self) -> dict[str, str]:
        known: dict[str, str] = {}
        with suppress(OSError, ValueError):
            known = read_json(self._accounts, _MOST_BYTES, dict[str, str])
        return known

    def put_account(self, server: str, secret: str) -> None:
        """Save the secret of the user's account at a server, empty to forget it; waits for the disk.

        Raises:
            OSError: it cannot be written.
        """
        self._accounts.parent.mkdir(parents=True, exist_ok=True)
        with changing(self._accounts):
            known = self._known_accounts()
            with suppress(FileExistsError):
                self._accounts.touch(0o600, exist_ok=False)
            write_atomically(self._accounts, codec.encode({**known, server: secret}))

    # Seats

    def seats(self) -> list[SavedSeat]:
        try:
            entries = self._entries()
        except OSError:
            return []
        return [seat for entry in entries if (seat := _seat_of(entry)) is not None]

    def _entries(self) -> list[object]:
        """Return the contents of the file, one entry per seat.

        Raises:
            SeatsError: it is damaged or of another format.
            OSError: it cannot be read.
        """
        try:
            if not self._path.stat().st_size:
                # Created for the first seat, which a kill prevented from being written.
                return []
            held = read_json(self._path, _MOST_BYTES)
            if held["format"] == _FORMAT and isinstance(held["seats"], list):
                return held["seats"]
        except FileNotFoundError:
            return []
        except (ValueError, TypeError, KeyError):
            pass
        raise SeatsError(
            Message("{file} is damaged or of a newer version; move it away to start a new one", file=self._path)
        )

    def put(self, seat: SavedSeat) -> None:
        """Save a seat, replacing its old entry; waits for the disk.

        Two windows may have requested the same seat, each with its own key, and one of them gets it. A seat that the
        server has confirmed replaces all that were requested; a requested one only its own entry.

        Raises:
            SeatsError: the file cannot be read, and is not replaced.
            OSError: it cannot be written.
        """
        self._change(lambda other: other.place == seat.place and (bool(seat.phase) or other.key == seat.key), seat)

    def remove(self, seat: SavedSeat) -> None:
        """Forget a seat; not one with another key at the same table, which another window may have.

        Raises:
            SeatsError: the file cannot be read, and is not replaced.
            OSError: the file cannot be written.
        """
        self._change(lambda other: (other.place, other.key) == (seat.place, seat.key))

    def find(self, invitation: Invitation) -> SavedSeat | None:
        place = (invitation.server, invitation.game, False)
        found = [seat for seat in self.seats() if seat.place == place]
        return next((seat for seat in found if seat.phase), found[0] if found else None)

    def _change(self, is_replaced: Callable[[SavedSeat], bool], *instead: SavedSeat) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with changing(self._path):
            others = [
                entry for entry in self._entries() if (known := _seat_of(entry)) is None or not is_replaced(known)
            ]
            with suppress(FileExistsError):
                self._path.touch(0o600, exist_ok=False)
            saved = [*instead, *others]
            write_atomically(self._path, codec.encode({"format": _FORMAT, "seats": saved}))


def _seat_of(entry: object) -> SavedSeat | None:
    with suppress(codec.JsonError):
        seat = codec.convert(entry, SavedSeat)
        if {field.name for field in fields(seat)}.issuperset(cast("dict[str, object]", entry)):
            return seat
    return None


class Standing(NamedTuple):
    """How a game stands.

    Attributes:
        seat: with the state of the game, as it was last seen if the server did not answer.
        reason: why it did not answer, empty if it did.
        left: the time of the side to move, None if none is known to run.
    """

    seat: SavedSeat
    reason: Message | str = ""
    left: SideTime | None = None


def describe_standing(standing: Standing) -> str:
    """Say whose turn it is in a game, with the time left for it, and why that may be out of date."""
    seat = standing.seat
    states = {
        "": _("not confirmed yet"),
        "waiting": _("waiting for the guest"),
        "paused": _("paused"),
        "adjourned": _("adjourned"),
    }
    text = states.get(seat.phase, _("your move") if seat.my_turn else _("the opponent's move"))
    if standing.left is not None:
        text = _("{state}, {time} left").format(state=text, time=describe_time(standing.left))
    if standing.reason:
        reason = plain_line(translate(standing.reason))
        text = _("{state} (not reached: {reason})").format(state=text, reason=reason)
    return text


def describe_time(left: SideTime) -> str:
    if left.seconds >= DAY:
        return describe_days(left.seconds)
    minutes, seconds = divmod(max(0, int(left.seconds)), 60)
    text = f"{minutes}:{seconds:02}"
    return f"{text} ({left.periods})" if left.byoyomi else text
