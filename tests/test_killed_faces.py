"""Kills each face at random moments: what it acknowledged is in the record, and every start goes on from there.

The screen is killed in ``tests/tui/test_killed.py``, servers in ``tests/play/online/test_kill.py``.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple, Protocol, Self

import pytest

from tests.journals import moves_in
from tests.thorough import report, rounds
from tests.waiting import HANG

pytest.importorskip("termios", reason="this system has no pseudo-terminals to play in")

from tests.tui.in_terminal import Driven

SIZE = 25
GAME = 5
"""The number of kills per game; after them a new game begins in an empty folder."""
MOST: Final = 50
"""The number of moves before a kill at most, so that the points of the board suffice for a game."""
POINTS: Final = tuple(point for point in range(SIZE * SIZE) if (point // SIZE + point % SIZE) % 2)
"""Points of which no two are adjacent, so that every move is legal and nothing is captured."""

Moves = tuple[int, ...]


def name_of(point: int, letters: str) -> str:
    return f"{letters[point % SIZE]}{SIZE - point // SIZE}"


def own_name(point: int) -> str:
    return name_of(point, "ABCDEFGHIJKLMNOPQRSTUVWXY")


class Step(NamedTuple):
    """Something typed, the output that acknowledges it, and the game afterwards."""

    typed: str
    acknowledged: bytes
    after: Moves


class Face(Protocol):
    arguments: tuple[str, ...]
    ready: bytes
    """The output after which something can be typed."""

    def begin(self, known: Moves) -> list[Step]:
        """Return what continues a game whose record is known."""

    def play(self, before: Moves, point: int) -> Step: ...

    def undo(self, before: Moves) -> Step: ...


class TextMode:
    arguments = ("--plain", "--size", str(SIZE))
    ready = b"Move 1,"

    def begin(self, known: Moves) -> list[Step]:
        return [Step("continue 1", b"Move %d," % (len(known) + 1), known)] if known else []

    def play(self, before: Moves, point: int) -> Step:
        return Step(own_name(point), b"Move %d," % (len(before) + 2), (*before, point))

    def undo(self, before: Moves) -> Step:
        return Step("undo", b"Undone: ", before[:-1])


class Gtp:
    """An engine, to which its controller sends the moves again after each start."""

    arguments = ("gtp", "--save", "--size", str(SIZE), "--level", "1")
    ready = b""

    def __init__(self) -> None:
        self._number = 0

    def _step(self, command: str, after: Moves) -> Step:
        self._number += 1
        return Step(f"{self._number} {command}", b"=%d\r\n" % self._number, after)

    def begin(self, known: Moves) -> list[Step]:
        return [self.play(known[:number], point) for number, point in enumerate(known)]

    def play(self, before: Moves, point: int) -> Step:
        vertex = name_of(point, "ABCDEFGHJKLMNOPQRSTUVWXYZ")
        return self._step(f"play {'bw'[len(before) % 2]} {vertex}", (*before, point))

    def undo(self, before: Moves) -> Step:
        return self._step("undo", before[:-1])


def kill_through_a_game(face: Face, folder: Path, rng: random.Random, kills: int) -> int:
    """Return how many steps were acknowledged."""
    points = rng.sample(POINTS, len(POINTS))
    journals = folder / "state" / "daoqi-tui" / "journal"
    known: Moves = ()
    acknowledgements = 0
    for kill in range(kills):
        before: set[Path] = set(journals.glob("*.journal")) if isinstance(face, Gtp) else set()
        program = Driven(folder, *face.arguments)
        app = program.terminal
        # Every fifth time, the program is killed while it starts.
        hurried = kill % 5 == 4
        until = time.monotonic() + (rng.uniform(0.0, 1.0) if hurried else HANG)
        steps = face.begin(known)
        states, acknowledged = [() if isinstance(face, Gtp) else known], 0
        ready = app.wait_until(face.ready, until - time.monotonic())
        assert ready or hurried, app.output[-2000:]
        ends, last = False, len(points) - MOST
        while ready and len(points) > last and (steps or not ends or time.monotonic() < until):
            if not steps and not ends:
                ends, until = True, time.monotonic() + rng.uniform(0.0, 1.0)
            here = states[-1]
            if steps:
                step = steps.pop(0)
            elif here and rng.random() < 0.2:
                step = face.undo(here)
            else:
                step = face.play(here, points.pop())
            app.output.clear()
            states.append(step.after)
            app.send(f"{step.typed}\n")
            heard = app.wait_until(step.acknowledged, max(0.0, until - time.monotonic()))
            assert heard or ends or hurried, app.output[-2000:]
            if not heard:
                break
            acknowledged = len(states) - 1
            acknowledgements += 1
        program.kill_and_read()
        if len(states) > acknowledged + 1 and step.acknowledged in app.output:
            acknowledged += 1
            acknowledgements += 1
        found = [path for path in journals.glob("*.journal") if path not in before]
        assert len(found) <= 1
        recorded = moves_in(found[0]) if found else ()
        assert recorded in states[acknowledged:], (kill, recorded, states[acknowledged:])
        # An engine that was killed before it heard of all moves is sent them again.
        known = known if isinstance(face, Gtp) and len(recorded) < len(known) and hurried else recorded
    return acknowledgements


@pytest.mark.parametrize("face", [TextMode, Gtp])
def test_a_face_is_killed_at_random_moments(face: Callable[[], Face], tmp_path: Path) -> None:
    rng, kills = random.Random(2004), rounds(3, 60)
    counts = [
        kill_through_a_game(face(), tmp_path / str(begun), rng, min(GAME, kills - begun))
        for begun in range(0, kills, GAME)
    ]
    report(kills=kills, acknowledged=sum(counts))


class Side:
    """A player of an online game, in a program that is killed."""

    def __init__(self, folder: Path, colour: str, resume: tuple[str, ...]) -> None:
        self._folder, self._resume = folder, resume
        self.colour = colour
        self.kills = 0

    def start(self, *arguments: str) -> None:
        self.program = Driven(self._folder, *arguments, "--plain")
        self.app = self.program.terminal

    def kill(self) -> None:
        self.program.kill_and_read()
        self.kills += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.program.kill()

    def start_again(self) -> None:
        self.start(*self._resume)


def test_host_and_guest_are_killed_at_random_moments(tmp_path: Path) -> None:
    rng = random.Random(2005)
    kills = rounds(2, 80)
    sides: list[Side] = []
    acknowledgements = 0
    for begun in range(0, kills, GAME):
        folder = tmp_path / str(begun)
        with (
            Side(folder / "host", "Black", ("host", "--resume")) as host,
            Side(folder / "guest", "White", ("join",)) as guest,
        ):
            sides += [host, guest]
            acknowledgements += kill_two(host, guest, folder, rng, min(GAME, kills - begun))
    of_host, of_guest = (sum(side.kills for side in sides[place::2]) for place in (0, 1))
    report(kills_of_host=of_host, kills_of_join=of_guest, acknowledged=acknowledgements)


def kill_two(host: Side, guest: Side, folder: Path, rng: random.Random, kills: int) -> int:
    host.start("host", "--port", "0", "--size", str(SIZE), "--black", "host", "--name", "Lu")
    assert host.app.wait_until(b"Spectators type: ")
    [invitation] = [word for word in bytes(host.app.output).decode().split() if word.count("#") and "-" in word]
    guest.start("join", invitation, "--name", "Ke")
    assert guest.app.wait_until(b"You play White.")
    points = rng.sample(POINTS, len(POINTS))
    acknowledged: Moves = ()
    acknowledgements = 0
    for kill in range(kills):
        victim = rng.choice((host, guest))
        until = time.monotonic() + (rng.uniform(0.0, 1.0) if kill % 5 == 4 else HANG)
        # Once both are connected again, some more moves until the kill.
        first, pending, words, last = True, None, b"", len(points) - MOST
        while len(points) > last and time.monotonic() < until:
            side = (host, guest)[len(acknowledged) % 2]
            pending = points[-1]
            words = f"{side.colour} {own_name(pending)}.".encode()
            if not told((host, guest), side, own_name(pending), words, until):
                break
            acknowledged, acknowledgements, pending = (*acknowledged, points.pop()), acknowledgements + 1, None
            if first and kill % 5 != 4:
                first, until = False, time.monotonic() + rng.uniform(0.0, 2.0)
        assert not first or kill % 5 == 4, (host.app.output[-1000:], guest.app.output[-1000:])
        victim.kill()
        if pending is not None and (words in host.app.output or words in guest.app.output):
            acknowledged, acknowledgements, pending = (*acknowledged, points.pop()), acknowledgements + 1, None
        [journal] = (folder / "host" / "state" / "daoqi-tui" / "online" / "games").rglob("*.journal")
        recorded = moves_in(journal)
        assert recorded in (acknowledged, (*acknowledged, *([] if pending is None else [pending]))), kill
        if len(recorded) > len(acknowledged):
            acknowledged = (*acknowledged, points.pop())
        victim.start_again()
    return acknowledgements


def told(sides: tuple[Side, Side], side: Side, typed: str, words: bytes, until: float) -> bool:
    """Type a move until one of the programs says that it was made; return whether one did in time."""
    for each in sides:
        each.app.output.clear()
    while time.monotonic() < until:
        # It is refused while there is no connection, and again when it was made.
        side.app.send(f"{typed}\n")
        again = min(until, time.monotonic() + 1.0)
        while time.monotonic() < again:
            for each in sides:
                each.app.read(0.02)
                if words in each.app.output:
                    return True
    return False
