"""A disk that is full in mid-game, in real programs: the file is named, the game goes on, and then all is saved."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.journals import moves_in
from tests.test_killed_faces import SIZE, Gtp, Side, TextMode, own_name
from tests.waiting import HANG, wait_until

pytest.importorskip("termios", reason="this system has no pseudo-terminals to play in")

from tests.tui.in_terminal import Driven, place

resource = pytest.importorskip("resource", reason="this system does not limit its processes")
pytestmark = pytest.mark.skipif(
    not hasattr(resource, "prlimit"), reason="this system cannot limit the files of another process"
)
POINTS = (1, 3, 5, 7)


def fill(program: Driven, *, full: bool = True) -> None:
    """Have no file of the program grow any more: the system refuses it, as on a full disk."""
    room = 1 if full else resource.RLIM_INFINITY
    resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))


def journal_in(folder: Path) -> Path:
    [journal] = (folder / "state").rglob("*.journal")
    return journal


@pytest.mark.parametrize(
    ("face", "mark", "over"),
    [
        (TextMode, b"The game cannot be saved: the disk is full. You can play on; saving in %s", b"Saving works again"),
        (Gtp, b"the game cannot be saved in %s: the disk is full; saving is tried again", b"everything is saved now"),
    ],
    ids=["text mode", "GTP"],
)
def test_a_game_goes_on_and_is_saved_when_there_is_room(
    tmp_path: Path, face: Callable[[], TextMode | Gtp], mark: bytes, over: bytes
) -> None:
    played = face()
    with Driven(tmp_path, *played.arguments) as program:
        app = program.terminal

        def play(number: int) -> None:
            step = played.play(POINTS[:number], POINTS[number])
            app.output.clear()
            app.send(f"{step.typed}\n")
            assert app.wait_until(step.acknowledged), app.output

        assert app.wait_until(played.ready)
        play(0)
        fill(program)
        play(1)
        named = mark % bytes(journal_in(tmp_path))
        assert app.wait_until(named), app.output
        play(2)
        assert moves_in(journal_in(tmp_path)) == POINTS[:1]
        fill(program, full=False)
        play(3)
        assert app.wait_until(over), app.output
    assert moves_in(journal_in(tmp_path)) == POINTS


def test_the_screen_marks_what_is_not_saved(tmp_path: Path) -> None:
    with Driven(tmp_path) as program:
        app = program.terminal
        assert app.wait_until(b"Move 1")

        def play(number: int, shown: bytes) -> None:
            x, y = place(POINTS[number])
            app.output.clear()
            until = time.monotonic() + HANG
            # A click on a stone does nothing; one that comes while the screen is still being made may be lost.
            while time.monotonic() < until:
                app.send(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m")
                if app.wait_until(shown, 5.0):
                    return
            raise AssertionError(app.output[-2000:])

        play(0, b"Move 2")
        fill(program)
        play(1, b"NOT SAVED")
        fill(program, full=False)
        wait_until(lambda: moves_in(journal_in(tmp_path)) == POINTS[:2], lambda: journal_in(tmp_path).read_text())


def test_the_moves_of_both_players_wait_for_the_disk_of_the_host(tmp_path: Path) -> None:
    with Side(tmp_path / "host", "Black", ()) as host, Side(tmp_path / "guest", "White", ()) as guest:
        host.start("host", "--port", "0", "--size", str(SIZE), "--black", "host", "--name", "Lu")
        assert host.app.wait_until(b"Spectators type: ")
        invitation = next(word for word in host.app.output.decode().split() if "#" in word and "-" in word)
        guest.start("join", invitation, "--name", "Ke")
        assert guest.app.wait_until(b"You play White.")
        host.app.send(f"{own_name(POINTS[0])}\n")
        assert guest.app.wait_until(b"Your move.")
        fill(host.program)
        guest.app.send(f"{own_name(POINTS[1])}\n")
        journal = journal_in(tmp_path / "host")
        assert host.app.wait_until(b"not saved: %s cannot be written: the disk is full" % bytes(journal))
        assert guest.app.wait_until(b"NOT SAVED YET: slow server, ")
        told = f"White {own_name(POINTS[1])}.".encode()
        assert told not in host.app.output + guest.app.output
        assert moves_in(journal) == POINTS[:1]
        fill(host.program, full=False)
        assert guest.app.wait_until(told)
        assert host.app.wait_until(told)
        host.app.send(f"{own_name(POINTS[2])}\n")
        assert guest.app.wait_until(f"Black {own_name(POINTS[2])}.".encode())
    assert moves_in(journal) == POINTS[:3]
