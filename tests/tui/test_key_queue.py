"""Tests that keys typed faster than they are handled each see the effects of the keys before them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest
from textual import _callback, events
from textual.widgets import Input

from daoqi_tui.engine import BLACK
from daoqi_tui.play.session import Computer, GameSetup
from daoqi_tui.record.sgf.markup import comment
from daoqi_tui.tui.app import KeyQueue
from daoqi_tui.tui.features.notes.dialogs import CommentScreen
from daoqi_tui.tui.screens.form import Choice
from daoqi_tui.tui.screens.setup import PlayersScreen, SetupScreen
from tests import waiting
from tests.thorough import THOROUGH
from tests.tui.driving import Person, playing, until

SMALL = GameSetup(size=5)


def burst(person: Person, *typed: str) -> None:
    """Type keys in one go; text in angle brackets is pasted."""
    for key in typed:
        text = key.strip("<>")
        if key != text:
            person.app.post_message(events.Paste(text))
        else:
            person.app.post_message(events.Key(key, key if len(key) == 1 else None))


@pytest.mark.parametrize("begin", ["enter", "ctrl+s"])
@pytest.mark.parametrize("typed", [("1", "3"), ("<13>",)])
async def test_a_form_is_read_with_all_that_was_typed_before_enter(begin: str, typed: Sequence[str]) -> None:
    async with playing(setup=SMALL) as person:
        await person.press("n")
        person.open(SetupScreen).query_one("#size", Input).value = ""
        burst(person, *typed, begin)
        await until(person, lambda: person.at_the_board)
        assert person.session.setup.size == 13


async def test_what_is_typed_after_enter_is_for_the_board() -> None:
    # Where White has a name, the form proposes no computer, which might answer the move.
    async with playing(setup=SMALL._replace(white="Ben")) as person:
        await person.press("n")
        form = person.open(SetupScreen)
        form.query_one("#size", Input).value = ""
        komi = form.query_one("#komi", Input)
        komi.value = ""
        burst(person, "9", "down", "3", "enter", "l", "5", "l", "enter")
        await until(person, lambda: bool(person.moves))
        assert (person.session.setup.size, person.session.setup.komi) == (9, 3)
        assert person.moves == [person.cursor]


async def test_a_form_may_be_filled_in_before_it_shows() -> None:
    async with playing(setup=SMALL) as person:
        burst(person, "n", "backspace", "7", "enter")
        await until(person, lambda: person.session.setup.size != 5)
        assert person.session.setup.size == 7


@pytest.mark.parametrize("typed", [tuple("good"), ("<good>",)])
async def test_a_comment_is_saved_with_all_that_was_typed_before(typed: Sequence[str]) -> None:
    async with playing(setup=SMALL) as person:
        await person.press("i")
        person.open(CommentScreen)
        burst(person, *typed, "ctrl+s")
        await until(person, lambda: person.at_the_board)
        assert comment(person.game.node) == "good"


@pytest.mark.parametrize("late", range(0, 12, 1 if THOROUGH else 2))
async def test_a_choice_is_made_before_enter_answers(late: int) -> None:
    async with playing(setup=SMALL) as person:
        await person.press("C")
        person.open(PlayersScreen).query_one("#black-kind", Choice).focus()
        await person.settle()
        burst(person, "right")
        for _ in range(late):
            await asyncio.sleep(0)
        burst(person, "enter")
        await until(person, lambda: person.at_the_board)
        assert isinstance(person.session.seats[BLACK], Computer)


async def test_a_line_of_text_ends_at_enter() -> None:
    async with playing(setup=SMALL) as person:
        burst(person, "g", "B", "3", "enter", "l", "l")
        await until(person, lambda: person.moves and person.cursor == "D3")
        assert person.moves == ["B3"]


async def test_keys_come_through_though_a_widget_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daoqi_tui.tui.app._PATIENCE", 0.05)
    async with playing(setup=SMALL) as person:
        await person.press("n")
        field = person.open(SetupScreen).focused
        assert field is not None
        stuck = asyncio.Event()
        field.call_later(stuck.wait)
        burst(person, "1", "ctrl+s")
        await waiting.until(lambda: person.at_the_board)
        stuck.set()
        await person.press("l")
        assert person.cursor == "D3"


async def test_what_follows_a_key_is_not_inspected_anew_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    inspected: list[str] = []
    count = _callback._count_parameters

    def noted(function: Callable[..., object]) -> int:
        inspected.append(function.__module__)
        return count(function)

    async with playing(setup=SMALL) as person:
        await person.press("l")
        monkeypatch.setattr(_callback, "_count_parameters", noted)
        await person.press("l", "h")
        assert KeyQueue.__module__ not in inspected


async def test_a_widget_being_removed_gets_no_focus_and_keys_come_through() -> None:
    """As after a click on a field of a form that is just laid out anew."""
    async with playing(setup=SMALL) as person:
        await person.press("n")
        form = person.open(SetupScreen)
        field = form.query_one("#komi", Input)
        removal = field.remove()
        form.set_focus(field)
        await removal
        form.set_focus(field)
        assert form.focused is not field
        form.query_one("#size", Input).focus()
        await person.settle()
        await person.press("backspace", "backspace", "9")
        assert form.query_one("#size", Input).value == "9"


async def test_a_key_after_one_for_a_removed_widget_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daoqi_tui.tui.app._PATIENCE", 3600.0)
    async with playing(setup=SMALL) as person:
        await person.press("n")
        form = person.open(SetupScreen)
        field = form.query_one("#komi", Input)
        await field.remove()
        form.focused = field
        holds, turns = KeyQueue.holds, list[events.Event]()

        def noted(queue: KeyQueue, event: events.Event) -> bool:
            held = holds(queue, event)
            if isinstance(event, events.Key) and not held:
                turns.append(event)
            return held

        monkeypatch.setattr(KeyQueue, "holds", noted)
        burst(person, "f12", "f12")
        await waiting.until(lambda: len(turns) == 2)
