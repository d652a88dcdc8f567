"""Seats that are kept from one start to the next: who opens a game and is its guest as well has two of them."""

from __future__ import annotations

import socket
from pathlib import Path

from daoqi_tui.play.online.hosting import hosting, join
from daoqi_tui.play.online.seats import SavedSeat, SeatBook
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
