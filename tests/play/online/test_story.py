"""The words of an online game are the same on every face, and name only commands that the face has."""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace
from pathlib import Path
from string import Formatter
from types import ModuleType

import pytest
from rich.cells import cell_len

from daoqi_tui.commands.screen import BY_NAME
from daoqi_tui.commands.text import ONLINE_BY_NAME
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.i18n import bot_name, use_language
from daoqi_tui.play.online import story
from daoqi_tui.play.online.client import Lost, OnlineClient
from daoqi_tui.play.online.hosting import Place
from daoqi_tui.play.online.invitation import Invitation
from daoqi_tui.play.online.listing import ListedGame
from daoqi_tui.play.online.match import OnlineMatch
from daoqi_tui.play.online.protocol import (
    FINAL,
    REASONS,
    Declined,
    OpenRequest,
    Refused,
    Role,
    Said,
    State,
    Warned,
    Welcome,
)
from daoqi_tui.play.online.story import Story
from daoqi_tui.play.online.table import Terms
from daoqi_tui.play.players import PlayerTable
from tests.play.online.table import server

ON_THE_SCREEN = {"end", "share_cursor"}
"""Text mode views no earlier moves and has no cursor."""


def commands_named(module: ModuleType) -> set[str]:
    """Return the commands in the sentences of a module: the names in braces that get no other value."""
    named = set()
    for call in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "with_keys":
            (sentence,) = (each.value for each in ast.walk(call.args[0]) if isinstance(each, ast.Constant))
            assert isinstance(sentence, str)
            given = {keyword.arg for keyword in call.keywords}
            named |= {name for _text, name, *_rest in Formatter().parse(sentence) if name} - given
    return named


def test_every_face_has_the_commands_that_sentences_name() -> None:
    named = commands_named(story)
    assert named
    assert named <= BY_NAME.keys()
    assert named - ON_THE_SCREEN <= ONLINE_BY_NAME.keys()


def story_of(game: str = "aaaaaaaa") -> tuple[Story, OnlineClient]:
    match = OnlineMatch(Place(Invitation("ws://127.0.0.1:1", game), "Ke"), PlayerTable, spawn=lambda _work: None)  # type: ignore[arg-type, return-value]
    return Story(match), match.client


async def test_what_a_state_means_and_asks_for(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay(Terms(size=9, black="host", time=TimeControl(600)))
        await table.two()
        now = referee.state()
    told, client = story_of()
    assert told.standing == ("Connecting to ws://127.0.0.1:1 …",)
    client.role, client.connected = "black", True
    client._take(now)
    assert (told.standing, told.turn) == ((), "Your move")
    for phase, words_of_it in (
        ("waiting", "Waiting for the guest; invitation shows the invitation"),
        ("paused", "The clock is paused; resume requests to play on"),
        ("adjourned", "The game is adjourned; resume requests to play on"),
    ):
        client._take(replace(now, phase=phase))  # type: ignore[arg-type]
        assert (told.standing, told.turn) == ((words_of_it,), "")
    for by, answer in (
        ("white", "The opponent requests: undo. Answer with accept or decline."),
        ("black", "Requested: undo. Withdraw it with decline."),
    ):
        client._take(replace(now, request=OpenRequest("undo", by)))  # type: ignore[arg-type]
        assert told.standing == (answer,)
    client.role = "spectator"
    assert told.standing == ("Requested: undo.",)
    assert told.done(told.match.undo()) == "You watch this game."


async def test_a_lost_line_is_news_once_unless_the_server_gives_another_reason() -> None:
    told, _client = story_of()
    assert told.news(Lost("gone")) == ["No connection: gone. Trying again."]
    assert told.news(Lost("still gone")) == []
    assert told.news(Lost("full", refused=True)) == ["No connection: full. Trying again."]
    assert told.news(Lost("full", refused=True)) == []
    assert told.standing == ("No connection: full. Trying again.",)
    assert told.news(Welcome(1, "aaaaaaaa", "black")) == ["Connected again."]
    assert told.news(Welcome(1, "aaaaaaaa", "black")) == []


async def test_chat_that_is_muted_is_no_news_but_kept() -> None:
    told, _client = story_of()
    assert told.news(Said("Ke", "white", "hello")) == ["<Ke (White)> hello"] == [told.chat]
    assert told.mute() == "Chat is muted."
    assert told.news(Said("Ke", "white", "cut!")) == []
    assert told.chat == ""
    assert told.mute() == "Chat is shown."
    assert told.chat.splitlines() == ["<Ke (White)> hello", "<Ke (White)> cut!"]


@pytest.mark.parametrize(
    ("role", "heard"),
    [
        ("black", ["Declined: undo.", "Withdrawn: undo."]),
        ("white", ["The opponent declined: undo.", "Withdrawn: undo."]),
        ("spectator", ["Declined: undo.", "Withdrawn: undo."]),
    ],
)
async def test_who_declined_a_request_or_withdrew_it_is_told(role: Role, heard: list[str]) -> None:
    told, client = story_of()
    client.role = role
    state = State(1, 9, 4.0, 0, "daoqi", "李", "Ke", "playing")
    for by in ("white", "black"):
        client._take(replace(state, request=OpenRequest("undo", by)))  # type: ignore[arg-type]
        assert told.news(Declined("undo", "black")) == [heard[by == "black"]]


@pytest.mark.parametrize("language", ["en", "zh", "zh-TW"])
def test_a_refusal_during_a_game_fits_the_line_of_a_small_window_in_each_language(language: str) -> None:
    forms = {"name", "banned-here", "elsewhere", "webhook"}
    use_language("en")
    refused = [Refused("chat", code, str(reason)) for code, reason in REASONS.items() if code not in FINAL | forms]
    use_language(language)
    said = {event.code: story.describe_refused(event) for event in refused}
    assert {code: text for code, text in said.items() if cell_len(text.rstrip(".。")) > 78} == {}
    assert len({text.isascii() for text in said.values()}) == 1, "all in one language"


def test_what_the_operator_is_told_is_not_called_refused() -> None:
    use_language("en")
    told = story.describe_refused(Refused("chat", "reported", str(REASONS["reported"])))
    assert told == "The operator is told, with the last lines of chat; nobody else sees it."


def test_a_bot_is_called_in_the_language_of_the_lobbys_visitor() -> None:
    listed = ListedGame("a", "Anna", bot_name(5.5), 9, 0, "playing", watch=True)
    assert story.describe_listed(listed).startswith("Anna – Bot level 5.5  9×9")
    use_language("zh")
    assert story.describe_listed(listed).startswith("Anna – 电脑棋手 5.5 级  9×9")


def test_chinese_names_stand_without_spaces_in_chinese_sentences() -> None:
    use_language("zh")
    nobody = State(1, 9, 4.0, 0, "daoqi", "李", "Ke", "playing")
    both = replace(nobody, present=("black", "white"))
    assert list(story.describe_presence(nobody, both, "")) == ["李已到场。", "Ke 已到场。"]


async def test_the_time_until_a_win_can_be_claimed_goes_by(tmp_path: Path) -> None:
    """The server sends it once; without a new state the client counts on."""
    async with server(tmp_path) as table:
        referee = table.lay(Terms(size=9, black="host"))
        await table.two()
        now = referee.state()
    told, client = story_of()
    times = iter((0.0, 0.0, 86_100.0, 86_100.0, 86_400.0, 86_400.0))
    client._now = lambda: next(times)
    client.role = "white"
    client._take(replace(now, present=("white",), warned=Warned("black", 86_400.0)))
    assert told.warning == "The absent side is warned: the win can be claimed in 24 hours."
    refused = told.news(Refused("claim", "warned", "", fatal=False))
    assert refused == ["The absent side is warned: the win can be claimed in 5 minutes."]
    assert told.warning == "The absent side was warned: claim claims the win."
    client.role, client._now = "spectator", lambda: 86_400.0
    assert told.warning == "The absent side was warned: the win can be claimed.", "but not by who watches"
    client.role = "white"
    client._take(replace(now, warned=Warned("black", 0.0)))
    assert not told.warning, "the server lets nobody lose who is there"
    client.role = "black"
    assert told.warning == "You were away: play on, or the opponent may claim the win when you leave again."
