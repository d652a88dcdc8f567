"""The match clock: for which side it runs, when it stops, and when its readings are journalled."""

from __future__ import annotations

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.play.session import GameSetup, MatchClock, Session


class Watch:
    """A session with a match clock and a fake time."""

    def __init__(self, time: TimeControl | None) -> None:
        self.session = Session(GameSetup(size=5, time=time))
        self.time = 1000.0
        self.clock = MatchClock(self.session, lambda: self.time)


def test_it_runs_at_the_front_until_the_end_or_until_it_is_held() -> None:
    watch = Watch(TimeControl(60))
    clock, game = watch.session.clock, watch.session.game
    assert clock is not None
    front = game.play(0)
    game.undo()
    watch.clock.run(front, stands=False)
    assert clock.running == WHITE
    watch.time += 10
    watch.clock.run(front, stands=True)
    assert clock.running is None
    assert (watch.clock.left(BLACK), watch.clock.left(WHITE)) == (clock.left(BLACK, 0), clock.left(WHITE, 0))
    assert clock.left(WHITE, 0).seconds == 50
    game.goto(front)
    game.resign()
    watch.clock.run(front, stands=False)
    assert clock.running is None


def test_a_move_adds_its_increment_and_a_side_runs_out_of_time() -> None:
    watch = Watch(TimeControl(10, increment=5))
    game = watch.session.game
    watch.clock.run(game.node, stands=False)
    watch.time += 3
    watch.clock.press()
    assert watch.clock.increment == 5
    left = watch.clock.left(BLACK)
    assert left is not None
    assert left.seconds == 12
    watch.clock.run(game.play(0), stands=False)
    watch.time += 9
    assert watch.clock.out_of_time() is None
    watch.time += 2
    assert watch.clock.out_of_time() == WHITE


def test_the_journal_hears_of_it_every_few_seconds_while_it_runs() -> None:
    watch = Watch(TimeControl(60))
    assert not watch.clock.reading_is_due
    watch.clock.run(watch.session.game.node, stands=False)
    found = []
    for _second in range(12):
        found.append(watch.clock.reading_is_due)
        if found[-1]:
            watch.clock.note_reading()
        watch.time += 1
    assert [place for place, due in enumerate(found) if due] == [0, 6]


def test_without_a_clock_nothing_happens() -> None:
    watch = Watch(None)
    watch.clock.run(watch.session.game.node, stands=False)
    watch.clock.press()
    assert watch.clock.left(BLACK) is watch.clock.out_of_time() is None
    assert watch.clock.increment == 0
    assert not watch.clock.reading_is_due
