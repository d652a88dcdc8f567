"""Visits to the lobby of a server: what it shows, and challenges to its bots."""

from __future__ import annotations

import re
from typing import TypeVar
from urllib.parse import urlencode

from aiohttp import ClientError, ClientSession, ClientTimeout

from daoqi_tui import codec
from daoqi_tui.engine import PASS, Game
from daoqi_tui.message import Message
from daoqi_tui.play.online.accounts import (
    ACCOUNTS,
    LINKS,
    ME,
    OWN_GAMES,
    POSITIONS,
    VACATION,
    WEBHOOK,
    FoundPosition,
    Link,
    NewAccount,
    NewLink,
    NewVacation,
    NewWebhook,
    OwnAccount,
    OwnGames,
    Profile,
    bearer,
)
from daoqi_tui.play.online.client import trouble_with
from daoqi_tui.play.online.listing import BOTS, LISTING, Challenge, Challenged, Listing, NewGame, Opened
from daoqi_tui.play.online.protocol import (
    FROM_SERVER,
    LONGEST_FROM_SERVER,
    ProtocolError,
    Refused,
    cleaned,
    decode,
    describe_reason,
)
from daoqi_tui.play.online.seat_book import SavedSeat
from daoqi_tui.play.online.seats import PATIENCE

T = TypeVar("T", Listing, Challenged, Opened, OwnAccount, OwnGames, Profile, Link, FoundPosition)


async def look(server: str, account: str = "") -> Listing | Message | str:
    """Return what the lobby of a server shows, or why it cannot be seen."""
    return await _asked(server, LISTING, Listing, account=account)


async def challenge(server: str, asked: Challenge, account: str = "") -> SavedSeat | Message | str:
    """Begin a game with a bot of a lobby; return the seat, or why there is none."""
    begun = await _asked(server, BOTS, Challenged, codec.encode(asked), account=account)
    return SavedSeat(server, begun.game, begun.key, asked.name) if isinstance(begun, Challenged) else begun


async def open_game(server: str, asked: NewGame, account: str = "") -> SavedSeat | Message | str:
    """Open a game of one's own in a lobby; return the host's seat, or why there is none."""
    opened = await _asked(server, LISTING, Opened, codec.encode(asked), account=account)
    return SavedSeat(server, opened.game, opened.key, asked.name) if isinstance(opened, Opened) else opened


async def own_games(server: str, account: str) -> OwnGames | Message | str:
    """Return the correspondence games of the owner of an account, or why they cannot be seen."""
    return await _asked(server, OWN_GAMES, OwnGames, account=account)


async def go_on_vacation(server: str, account: str, days: int) -> OwnGames | Message | str:
    """Begin a vacation of some days, or with 0 end it; return one's games, or why it is refused."""
    return await _asked(server, VACATION, OwnGames, codec.encode(NewVacation(days)), account=account)


async def set_webhook(server: str, account: str, address: str) -> OwnGames | Message | str:
    """Set where one is told of one's turn, or with an empty address nowhere; return one's games, or why not."""
    return await _asked(server, WEBHOOK, OwnGames, codec.encode(NewWebhook(address)), account=account)


async def make_account(server: str, name: str, account: str = "") -> OwnAccount | Message | str:
    """Make an account at a server; return it with its secret, or why there is none."""
    return await _asked(server, ACCOUNTS, OwnAccount, codec.encode(NewAccount(name)), account=account)


async def find_position(server: str, game: Game) -> FoundPosition | Message | str:
    """Return the games of a server that reached the position of a game, or why they cannot be seen."""
    names = ("pass" if move.point == PASS else game.torus.name(move.point, "gtp") for move in game.moves())
    query = urlencode({"size": game.torus.size, "moves": " ".join(names)})
    return await _asked(server, f"{POSITIONS}?{query}", FoundPosition, account="")


async def own_profile(server: str, account: str) -> Profile | Message | str:
    """Return the profile of the owner of an account, or why it cannot be seen."""
    return await _asked(server, ME, Profile, account=account)


async def new_link(server: str, account: str) -> Link | Message | str:
    """Return the secret of another link to an account, or why there is none."""
    return await _asked(server, LINKS, Link, codec.encode(NewLink()), account=account)


async def _asked(
    server: str, path: str, kind: type[T], sent: bytes | None = None, *, account: str
) -> T | Message | str:
    url = re.sub("^ws", "http", server) + path
    try:
        async with (
            ClientSession(timeout=ClientTimeout(PATIENCE)) as session,
            session.request("GET" if sent is None else "POST", url, data=sent, headers=bearer(account)) as answer,
        ):
            received = b""
            async for chunk in answer.content.iter_any():
                received += chunk
                if len(received) > LONGEST_FROM_SERVER:
                    break
            if answer.ok:
                return cleaned(codec.decode(received, kind))
            refused = decode(received, FROM_SERVER)
            if isinstance(refused, Refused):
                return describe_reason(refused)
    except (codec.JsonError, ProtocolError):
        pass
    except (TimeoutError, ClientError, OSError, UnicodeError) as error:
        return trouble_with(server, error).reason
    return Message("the server has no lobby; ask for an invitation")
