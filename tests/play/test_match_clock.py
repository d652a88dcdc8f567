"""The clock in a match: for which side it runs, when it stops, and when its readings are journalled."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from daoqi_tui.engine import BLACK, WHITE, OutOfTime
from daoqi_tui.engine.clock import TimeControl, TimeLeft
from daoqi_tui.play.keeper import Folders, Keeper
from daoqi_tui.play.match import _CLOCK_READ as READ_EVERY
from daoqi_tui.play.match import Match
from daoqi_tui.play.players import PlayerTable
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record.journal.format import Edited, Pressed, encode_line, read_lines
from tests.thorough import rounds


class Watched:
    """A match of two people with a fake time, and a keeper that counts the readings of the clock."""

    def __init__(self, time: TimeControl | None, *, keeps_time: bool = True) -> None:
        self.time = 1000.0
        self.readings = 0
        session = Session(GameSetup(size=5, time=time))
        spawn: Any = None if keeps_time is False else lambda _work: None
        self.match = Match(session, PlayerTable, spawn=spawn, now=lambda: self.time)
        self.clock: Any = session.clock
        self.match.sync_clock()

    def tick(self) -> bool:
        """Tick with a keeper that only takes readings; return whether it was due."""
        due = self.match.clock_is_due
        keeper: Any = SimpleNamespace(write_clock=lambda _session: setattr(self, "readings", self.readings + 1))
        self.match.keeper = keeper
        self.match.tick()
        self.match.keeper = None
        return due


def test_it_runs_at_the_front_until_the_end_or_until_it_is_held() -> None:
    watched = Watched(TimeControl(60))
    match, clock = watched.match, watched.clock
    assert clock.running == BLACK
    match.play(0)
    match.back()
    assert clock.running == WHITE, "it runs on while an earlier move is viewed"
    watched.time += 10
    match.pause()
    assert clock.running is None
    timed = match.time_left(WHITE)
    assert timed is not None
    assert timed == (TimeControl(60), clock.left(WHITE, 0))
    assert timed[1].seconds == 50
    match.unpause()
    assert clock.running == WHITE
    match.resign()
    assert clock.running is None


def test_a_move_adds_its_increment_and_a_side_runs_out_of_time() -> None:
    watched = Watched(TimeControl(10, increment=5))
    match = watched.match
    watched.time += 3
    match.play(0)
    timed = match.time_left(BLACK)
    assert timed is not None
    assert timed[1].seconds == 12
    watched.time += 9
    match.tick()
    assert not match.game.is_over
    watched.time += 2
    assert match.clock_is_due
    match.tick()
    assert match.game.ending == OutOfTime(WHITE)


def seconds_left(watched: Watched) -> tuple[float, float]:
    black, white = (left.seconds for left in times_left(watched))
    return black, white


def times_left(watched: Watched) -> tuple[TimeLeft, TimeLeft]:
    black, white = (watched.clock.left(colour, watched.time) for colour in (BLACK, WHITE))
    return black, white


def test_an_undone_move_brings_no_increment_until_it_is_redone() -> None:
    watched = Watched(TimeControl(60, increment=5))
    match = watched.match
    for point in range(3):
        watched.time += 2
        match.play(point)
    assert seconds_left(watched) == (60 - 2 + 5 - 2 + 5, 60 - 2 + 5)
    watched.time += 1
    match.undo()
    assert seconds_left(watched) == (61, 62)
    match.undo()
    assert seconds_left(watched) == (61, 57)
    match.redo()
    assert seconds_left(watched) == (61, 62)
    match.undo()
    match.play(9)
    assert seconds_left(watched) == (61, 62), "another move in its place brings its own"
    match.back(2)
    match.play(8)
    assert seconds_left(watched) == (61, 57), "a variation has that of the move in its place, and takes the later ones"


def test_an_undone_move_brings_no_period_until_it_is_redone() -> None:
    watched = Watched(TimeControl(10, 3, 30))
    match = watched.match
    watched.time += 9
    match.play(0)
    match.undo()
    assert seconds_left(watched) == (1, 10), "a move in the main time brought nothing"
    watched.time += 1 + 30 + 22
    match.play(0)
    assert watched.clock.left(BLACK, watched.time) == (30, 2, True)
    watched.time += 2
    match.undo()
    assert watched.clock.left(BLACK, watched.time) == (8, 2, True)
    match.redo()
    assert seconds_left(watched) == (30, 8)
    match.undo()
    watched.time += 7
    match.play(1)
    assert seconds_left(watched) == (30, 8), "another move in its place brings its own"
    match.back()
    match.play(2)
    assert seconds_left(watched) == (30, 8), "a variation has that of the move in its place"
    match.undo()
    assert seconds_left(watched) == (1, 8)


def test_an_undo_leaves_the_time_that_there_was() -> None:
    watched = Watched(TimeControl(6, increment=5))
    match = watched.match
    watched.time += 5
    match.play(0)
    match.play(1)
    watched.time += 4
    match.undo()
    match.undo()
    assert seconds_left(watched) == (1, 6)
    match.tick()
    assert not match.game.is_over


@pytest.mark.parametrize(
    "control", [TimeControl(12, increment=5), TimeControl(0, 3, 30), TimeControl(20, 2, 7), TimeControl(99)]
)
def test_no_undo_gains_time_nor_does_a_redo_after_it(control: TimeControl) -> None:
    chance = Random(11)
    for _game in range(rounds(20, 1000)):
        watched = Watched(control)
        match = watched.match
        for point in range(24):
            watched.time += chance.choice((0.0, 1.0, 4.0, chance.uniform(0, 20)))
            match.tick()
            if match.game.is_over:
                break
            match.play(point)
            before = times_left(watched)
            undone = chance.randrange(4)
            for _move in range(undone):
                match.undo()
            after = times_left(watched)
            assert all(new <= old and not new.is_out for new, old in zip(after, before, strict=True))
            if chance.random() < 0.5:
                for _move in range(undone):
                    match.redo()
                assert seconds_left(watched) == pytest.approx([left.seconds for left in before])


def test_a_move_made_while_the_clock_stands_earns_nothing_that_an_undo_could_take() -> None:
    watched = Watched(TimeControl(60, increment=5))
    watched.match.pause()
    watched.match.play(0)
    assert seconds_left(watched) == (60, 60)
    watched.match.undo()
    assert seconds_left(watched) == (60, 60)


@pytest.mark.parametrize("moves", [1, 2])
async def test_a_game_taken_up_from_its_journal_knows_which_moves_brought_an_increment(
    moves: int, tmp_path: Path
) -> None:
    watched = Watched(TimeControl(60, increment=5))
    folders = Folders(tmp_path / "journal", tmp_path / "library")
    watched.match.keeper = keeper = Keeper(folders, lambda _failing: None, now=lambda: watched.time)
    for point in range(moves):
        watched.match.play(point)
    keeper.close()
    (journal,) = keeper.unfinished().journals
    resumed = keeper.open(journal.path)
    watched.match.keeper, watched.clock = None, resumed.session.clock
    watched.match.begin(resumed.session)
    before = seconds_left(watched)
    assert sum(before) == 120 + 5 * moves
    watched.match.undo()
    assert sum(seconds_left(watched)) == 115 + 5 * moves
    watched.match.redo()
    assert seconds_left(watched) == before
    resumed.journal.close()


def test_a_variation_of_a_resumed_or_late_move_has_its_increment_and_no_more() -> None:
    watched = Watched(TimeControl(6, increment=5))
    match = watched.match
    watched.time += 5
    match.play(0)
    watched.time += 4
    match.play(1)
    match.resign()
    match.resume()
    assert seconds_left(watched) == (6, 7)
    match.undo()
    assert seconds_left(watched) == (6, 2)
    watched.time += 1
    match.play(2)
    assert seconds_left(watched) == (6, 6)
    match.back()
    match.play(3)
    assert seconds_left(watched) == (6, 6)


CONTROLS = [
    TimeControl(60),
    TimeControl(12, increment=5),
    TimeControl(0, 3, 30),
    TimeControl(20, 2, 7),
    TimeControl(0, 1, 4),
    TimeControl(5, 2, 9, 3),
]


def begun(session: Session, time: Callable[[], float], folder: Path | None = None) -> Match:
    spawn: Any = lambda _work: None  # noqa: E731
    keeper = None
    if folder is not None:
        keeper = Keeper(Folders(folder, folder / "library"), lambda _failing: None, now=time)
    match = Match(session, PlayerTable, keeper, spawn=spawn, now=time)
    match.sync_clock()
    return match


def taken_up(folder: Path, time: Callable[[], float]) -> Match:
    """Return the match of the only journal in a folder."""
    match = begun(Session(), time, folder)
    assert match.keeper is not None
    (journal,) = folder.glob("*.journal")
    resumable = match.keeper.open(journal)
    match.keeper.take(resumable)
    match.begin(resumable.session)
    return match


def lasts(match: Match) -> tuple[float, float]:
    """Return the seconds after which each side loses on time if it does not move."""
    assert match.session.clock is not None
    found = [match.time_left(colour) for colour in (BLACK, WHITE)]
    black, white = (
        left.seconds + (left.periods - left.in_byoyomi) * control.period
        for timed in found
        if timed is not None
        for control, left in (timed,)
    )
    return black, white


def act(chance: Random, matches: Sequence[Match], point: int) -> None:
    """Do the same in each match, at random."""
    done = chance.choice(("play", "play", "play", "undo", "redo"))
    for match in matches:
        match.play(point) if done == "play" else match.redo() if done == "redo" else match.undo()


def wait(time: list[float], chance: Random, matches: Sequence[Match]) -> Iterator[float]:
    """Have some time pass, and yield it as it does."""
    yield time[0]
    for _quarter in range(chance.choice((0, 1, 4, chance.randrange(60)))):
        time[0] += 0.25
        for match in matches:
            match.tick()
        yield time[0]


@pytest.mark.parametrize("control", CONTROLS, ids=str)
async def test_a_restart_changes_a_clock_by_the_seconds_since_its_last_reading_at_most(
    control: TimeControl, tmp_path: Path
) -> None:
    """And what is undone and redone after it is on the clock as without it."""
    chance, time = Random(5), [1000.0]
    for game in range(rounds(8, 300)):
        folder = tmp_path / str(game)
        steady = begun(Session(GameSetup(size=9, time=control)), lambda: time[0])
        other = begun(Session(GameSetup(size=9, time=control)), lambda: time[0], folder)
        for point in range(40):
            act(chance, (steady, other), point)
            for _now in wait(time, chance, (steady, other)):
                pass
            assert lasts(other) == pytest.approx(lasts(steady))
            assert other.keeper is not None
            journal = other.keeper.journal_of(other.session)
            if steady.game.is_over:
                break
            if journal.begun and chance.random() < 0.5:
                journal.whole().wait()
                killed = tmp_path / f"{game}-{point}"
                shutil.copytree(folder, killed)
                again = taken_up(killed, lambda: time[0])
                assert again.game.moves() == other.game.moves()
                for before, after in zip(lasts(other), lasts(again), strict=True):
                    assert -1e-9 <= after - before <= READ_EVERY + 0.25
                assert again.keeper is not None
                again.keeper.close()
                # One that ends in order loses nothing.
                other.keeper.write_clock(other.session)
                other.keeper.close()
                other = taken_up(folder, lambda: time[0])
        assert other.keeper is not None
        other.keeper.close()


def without_presses(journal: Path) -> None:
    """Make a journal one of a version that did not store what moves brought on the clock."""
    with journal.open("rb") as file:
        entries = [line.entry for line in read_lines(file)]
    for entry in entries:
        if isinstance(entry, Edited):
            entry.entries[:] = [values for values in entry.entries if values[0] != "press"]
    kept = [entry for entry in entries if entry is not None and not isinstance(entry, Pressed)]
    journal.write_bytes(b"".join(encode_line(number, entry) for number, entry in enumerate(kept)))


async def test_increments_that_an_earlier_version_did_not_store_are_taken_back_after_several_restarts(
    tmp_path: Path,
) -> None:
    match = begun(Session(GameSetup(size=9, time=TimeControl(60, increment=5))), lambda: 7.0, tmp_path)
    for point in range(4):
        match.play(point)
    assert match.keeper is not None
    match.keeper.close()
    (journal,) = tmp_path.glob("*.journal")
    without_presses(journal)
    for point in (4, 5):
        match = taken_up(tmp_path, lambda: 7.0)
        match.play(point)
        assert match.keeper is not None
        match.keeper.close()
    match = taken_up(tmp_path, lambda: 7.0)
    assert lasts(match) == (75, 75)
    for _move in range(6):
        match.undo()
    match.play(6)
    assert lasts(match) == (65, 60)
    assert match.keeper is not None
    match.keeper.close()


@pytest.mark.parametrize("control", CONTROLS, ids=str)
async def test_wherever_a_journal_ends_its_clock_is_one_that_the_position_had(
    control: TimeControl, tmp_path: Path
) -> None:
    """No move is paid for that is not there, so that who makes it again is not paid twice."""
    chance, time = Random(7), [1000.0]
    match = begun(Session(GameSetup(size=9, time=control)), lambda: time[0], tmp_path / "whole")
    stood: set[object] = set()

    def seen(match: Match) -> object:
        left = (match.time_left(colour) for colour in (BLACK, WHITE))
        return tuple(match.game.moves()), *(each[1] for each in left if each is not None)

    for point in range(30):
        act(chance, (match,), point)
        stood.update(seen(match) for _now in wait(time, chance, (match,)))
        if match.game.is_over:
            break
    assert match.keeper is not None
    match.keeper.journal_of(match.session).whole().wait()
    (journal,) = (tmp_path / "whole").glob("*.journal")
    lines = journal.read_bytes().splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if b'"clock"' in line)
    assert len(lines) - first > 5
    for number in range(first + 1, len(lines) + 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / journal.name).write_bytes(b"".join(lines[:number]))
        again = taken_up(folder, lambda: time[0])
        assert seen(again) in stood, lines[number - 1]
        assert again.keeper is not None
        again.keeper.close()
    match.keeper.close()


def test_the_journal_hears_of_it_every_few_seconds_while_it_runs() -> None:
    watched = Watched(TimeControl(60))
    found = []
    for _second in range(12):
        before = watched.readings
        assert watched.tick() == (watched.readings > before)
        found.append(watched.readings > before)
        watched.time += 1
    assert [place for place, due in enumerate(found) if due] == [0, 6]
    watched.match.pause()
    watched.time += 10
    assert not watched.tick(), "a clock that stands is not read"


def test_without_a_clock_or_without_keeping_it_nothing_happens() -> None:
    for watched in (Watched(None), Watched(TimeControl(60), keeps_time=False)):
        watched.match.play(0)
        assert watched.match.time_left(BLACK) is None
        assert not watched.tick()
        assert not watched.readings
    assert watched.clock.running is None
