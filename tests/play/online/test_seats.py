"""Seats that are kept from one start to the next, and the games that a host has opened.

Who opens a game and is its guest as well has two seats.
"""

from __future__ import annotations

import os
import socket
from functools import partial
from pathlib import Path
from time import time

import pytest

from daoqi_tui.play.online import hosting as module
from daoqi_tui.play.online.hosting import Place, hosting, join
from daoqi_tui.play.online.limits import Limits
from daoqi_tui.play.online.referee import RefusedError
from daoqi_tui.play.online.seats import SavedSeat, SeatBook
from daoqi_tui.play.online.server import Lobby
from daoqi_tui.play.online.table import Terms


def _listening() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


async def test_host_and_guest_of_one_home_come_back_each_to_their_seat(tmp_path: Path) -> None:
    book = SeatBook.in_folder(tmp_path)
    with _listening() as listening:
        async with hosting(listening, Terms(), "Li", folder=tmp_path, library=tmp_path / "games") as (place, _problems):
            host, invitation = place.seat, place.guest
            assert host is not None
            assert invitation is not None
            book.put(host)
            assert join(invitation, "Ke", book).seat is None, "the seat of the host is not the guest's"
            guest = SavedSeat(invitation.server, invitation.game, "k" * 32, "Ke")
            book.put(guest)
            assert book.seats() == [guest, host]
            assert join(invitation, "?", book).seat == guest
    with _listening() as listening:
        async with hosting(listening, None, "Li", folder=tmp_path, library=tmp_path / "games") as (again, _problems):
            assert again.key == host.key
            assert again.name == "Li"
    book.remove(host)
    assert book.seats() == [guest]


async def _opened(folder: Path, terms: Terms) -> Place:
    """Open a game and leave it at once."""
    with _listening() as listening:
        async with hosting(listening, terms, "Li", folder=folder, library=folder / "library") as (place, problems):
            assert problems == []
            return place


async def test_a_game_that_cannot_be_opened_leaves_the_others_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = await _opened(tmp_path, Terms())
    with pytest.raises(ValueError, match="banana"):
        await _opened(tmp_path, Terms(rules="banana"))
    with monkeypatch.context() as patched:
        patched.setattr(module, "Lobby", partial(Lobby, limits=Limits(games=1)))
        with pytest.raises(RefusedError, match="full"):
            await _opened(tmp_path, Terms())
    assert place.seat is not None
    SeatBook.in_folder(tmp_path).put(place.seat)
    with _listening() as listening:
        async with hosting(listening, None, "Li", folder=tmp_path, library=tmp_path / "library") as (again, _problems):
            assert again.key == place.key


async def test_a_game_whose_guest_does_not_come_is_kept_for_a_week(tmp_path: Path) -> None:
    old, young = [tmp_path / "games" / (await _opened(tmp_path, Terms())).invitation.game for _ in range(2)]
    for folder, days in ((old, 8), (young, 6)):
        os.utime(folder, (time() - days * 86_400,) * 2)
    await _opened(tmp_path, Terms())
    assert not old.exists()
    assert young.exists()
