"""The delayed feed for spectators and the chat log: neither grows without limit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from daoqi_tui.play.background import DiskWork
from daoqi_tui.play.online import audience as module
from daoqi_tui.play.online.audience import ChatLog, DelayedFeed
from daoqi_tui.play.online.protocol import ClockState, Declined, Moved, OpenRequest, Said, SideTime, State

START = State(1, 19, 4.0, 0, "Daoqi", "Lu", "Ke", "playing")
MOVES = tuple(f"A{number}" for number in range(1, 20))


def test_when_the_game_is_over_a_late_spectator_gets_one_state_and_the_chat() -> None:
    feed = DelayedFeed(START, 600.0)
    lines = [Said("Ke", "white", "hello", number) for number in range(1, 81)]
    for number, move in enumerate(MOVES, 1):
        feed.put(Moved(number, "black", move), float(number))
    for said in lines:
        feed.put(said, 30.0)
    over = replace(START, moves=MOVES, phase="over", result="B+R")
    feed.put(over, 40.0)
    assert feed.due(40.0, all_of_it=False) == []
    assert feed.due(40.0, all_of_it=True) == [*lines[-50:], over]
    assert feed.due(40.0, all_of_it=True) == []


def test_what_comes_after_the_end_is_told_as_it_is() -> None:
    feed = DelayedFeed(START, 600.0)
    said = Said("Ke", "white", "thanks", 1)
    feed.put(said, 0.0)
    assert feed.due(0.0, all_of_it=True) == [said]


def test_visits_of_spectators_do_not_pile_up_in_the_delay() -> None:
    feed = DelayedFeed(START, 600.0)
    for second in range(100):
        side = SideTime(60.0 - second / 2)
        feed.put(replace(START, spectators=second % 2, clock=ClockState(side, side, "black")), float(second))
    assert len(feed._coming) == 1
    [state] = feed.due(600.0, all_of_it=False)
    # The merged state keeps the time and clock of the first one.
    assert (state.spectators, state.clock.black.seconds) == (1, 60.0)  # type: ignore[union-attr]
    feed.put(START, 700.0)
    feed.put(replace(START, phase="paused"), 701.0)
    assert len(feed.due(1400.0, all_of_it=False)) == 2


def test_requests_and_marks_that_come_and_go_do_not_pile_up_in_the_delay() -> None:
    feed = DelayedFeed(START, 600.0)
    feed.put(Moved(1, "black", "C3"), 0.0)
    on = replace(START, moves=("C3",))
    asked = replace(on, request=OpenRequest("undo", "black"))
    for second in range(1, 101):
        feed.put(asked, float(second))
        feed.put(Said("Ke", "white", "please not", second), float(second))
        feed.put(Declined("undo", "black"), float(second))
        feed.put(replace(on, spectators=second % 2), float(second))
    said = [message for _time, message in feed._coming if isinstance(message, Said)]
    assert len(said) == 100
    assert len(feed._coming) <= len(said) + 4
    counted = replace(on, phase="counting")
    for second in range(101, 201):
        feed.put(replace(counted, dead=(f"A{second % 7 + 1}",)), float(second))
    assert len(feed._coming) <= len(said) + 6
    # No message is delivered before the delay has passed.
    assert feed.due(699.0, all_of_it=False)[:2] == [Moved(1, "black", "C3"), asked]
    assert feed.state == asked
    assert feed.due(799.0, all_of_it=False)[-1] == replace(counted, dead=("A4",))
    assert feed.due(800.0, all_of_it=False) == [replace(counted, dead=("A5",))]


def test_late_spectators_see_that_an_undo_was_requested_before_it_is_done() -> None:
    feed = DelayedFeed(START, 600.0)
    on = replace(START, moves=("C3", "D4"))
    asked, undone = replace(on, request=OpenRequest("undo", "black")), replace(on, moves=("C3",))
    for state in (on, replace(on, present=("black",)), asked, on, asked, undone):
        feed.put(state, 0.0)
    assert feed.due(600.0, all_of_it=False)[-2:] == [asked, undone]


async def test_the_file_of_chat_is_written_anew_when_it_has_grown_long(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    for _start in range(2):
        log = ChatLog(path, DiskWork())
        before = log._count
        for number in range(module._CHAT_WRITTEN + 10):
            await log.add("Ke", "white", f"line {number}")
        assert len(path.read_text("utf-8").splitlines()) <= module._CHAT_WRITTEN
        again = ChatLog(path, DiskWork())
        assert again.players == log.players
        assert (len(again.players), again._count) == (50, before + module._CHAT_WRITTEN + 10)
