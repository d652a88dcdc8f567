"""Boards in browsers, each of which is a process: their room, and what pages about games ask of the board server.

Who holds a seat is admitted before who only watches.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from aiohttp import web

from daoqi_tui.i18n import N_
from daoqi_tui.play.online.addresses import Site
from daoqi_tui.play.online.admission import oldest_of_busiest

MADE_WAY: Final = 4002
"""The WebSocket close code for a board that was closed because a player needed its room."""
REPLACED: Final = 4003
"""The WebSocket close code for a board whose seat was taken up in another tab."""


_RETRY: Final = 10
"""The seconds after which a browser asks again if it is unknown when there will be room."""


def unavailable(words: str, wait: float = 0.0) -> web.HTTPServiceUnavailable:
    """Return the answer to a request that should be repeated after some seconds, 0 if it is unknown how many."""
    headers = {"Retry-After": str(math.ceil(wait) or _RETRY)}
    return web.HTTPServiceUnavailable(text=f"{words}\n", headers=headers)


class NoRoomError(Exception):
    """No more boards can be opened now; the text is an English sentence of the catalogue."""


class Board:
    """A board in a browser.

    Args:
        address: that it counts for.
        seat: the seat that its browser holds, empty for none.
        invited: whether its browser was let in by an address that was printed for it.

    Attributes:
        over: set when its program has ended.
    """

    def __init__(self, address: str, seat: str = "", *, invited: bool = False) -> None:
        self.address: Final = address
        self.seat: Final = seat
        self.invited: Final = invited
        self.over: Final = asyncio.Event()
        self.ended: int | None = None
        """The close code, if the server closes the board."""
        self._makes_way = False
        self._close: Callable[[int], object] | None = None
        self._kill: Callable[[], object] | None = None

    @property
    def comes_first(self) -> bool:
        """True if boards of those who only watch make way for it."""
        return bool(self.seat) or self.invited

    def end(self, code: int) -> None:
        """Close it, now or as soon as it is open."""
        self.ended = code
        if self._close is not None:
            self._close(code)

    def make_way(self, code: int) -> None:
        """Close it, and do not wait for its program, whose moves are on disk."""
        self._makes_way = True
        self.end(code)
        if self._kill is not None:
            self._kill()

    def open(self, close: Callable[[int], object]) -> None:
        """Note how it is closed, once it is open."""
        self._close = close
        if self.ended is not None:
            close(self.ended)

    def start(self, kill: Callable[[], object]) -> None:
        """Note how its program is killed, once it runs."""
        self._kill = kill
        if self._makes_way:
            kill()


class Boards:
    """The boards that are open, in the order in which they were opened."""

    def __init__(self) -> None:
        # A dictionary keeps their order.
        self._open: dict[Board, None] = {}

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Board]:
        """Iterate over the boards, the oldest first."""
        return iter(tuple(self._open))

    def add(self, board: Board, most: int) -> Board | None:
        """Add a board if there is room, and end the one in whose place it comes, if any; return that one.

        Args:
            board: the new one.
            most: the number of boards.

        Raises:
            NoRoomError: there is no room for it now.
        """
        before = self.making_way(board, most)
        if before is not None:
            del self._open[before]
            before.make_way(REPLACED if board.seat and before.seat == board.seat else MADE_WAY)
        self._open[board] = None
        return before

    def remove(self, board: Board) -> None:
        self._open.pop(board, None)

    def making_way(self, board: Board, most: int) -> Board | None:
        """Return the board in whose place a new one would come, None if there is room; raises as :meth:`add`."""
        same = next((other for other in self._open if board.seat and other.seat == board.seat), None)
        if same is not None:
            return same
        if not board.seat:
            at_address = sum(other.address == board.address and not other.seat for other in self._open)
            if at_address >= max(1, most // 3):
                raise NoRoomError(N_("Too many boards are open from this address: close one."))
        if len(self._open) < most:
            return None
        others = [other for other in self._open if not other.comes_first] if board.comes_first else []
        if not others and board.comes_first:
            # Seats are free to take, so that many of one address must not keep out those of others.
            busiest = oldest_of_busiest(self._open).address
            held = [other for other in self._open if other.address == busiest]
            own = sum(other.address == board.address for other in self._open)
            others = held if len(held) > own + 1 else []
        if not others:
            raise NoRoomError(N_("Too many boards are open already."))
        return oldest_of_busiest(others)


class BoardServer(Protocol):
    """What shows boards in browsers, as pages about games use it."""

    @property
    def site(self) -> Site:
        """Its names and proxies."""

    @property
    def local_address(self) -> tuple[str, int]:
        """The address under which this computer reaches the server."""

    def base(self, request: web.Request) -> str:
        """Return the address under which a browser sees the server."""

    def board_page(self, request: web.Request, path: str) -> web.Response:
        """Return the page of a board whose game is at the WebSocket ``path``."""

    async def play(
        self, request: web.Request, board: Board, words: Sequence[str], variables: Mapping[str, str]
    ) -> web.StreamResponse:
        """Run one game as long as its tab is open: a command line, with additional environment variables."""
