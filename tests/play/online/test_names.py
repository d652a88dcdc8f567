"""Names at a table: nobody carries the name of another, nor one that looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from daoqi_tui.config import load_config
from daoqi_tui.i18n import use_language
from daoqi_tui.play.online.invitation import LONGEST_NAME
from daoqi_tui.play.online.protocol import Said, Say, Welcome
from daoqi_tui.play.online.seat_book import own_name
from daoqi_tui.play.online.table import distinct
from tests.play.online.table import server


@pytest.mark.parametrize(
    "alike",
    [
        "Lu Xun",
        "lu xun",
        "LUXUN",
        "Lu  Xun ",
        "Ｌｕ Ｘｕｎ",
        "Lu\u200b Xun",
        "L\u00adu Xun",
        "Lu\u3164Xun",
        "Lu Xun\ufe0f",
        "Lu\u2800Xun",
    ],
)
def test_what_looks_alike_is_numbered(alike: str) -> None:
    assert distinct(alike, ["Lu Xun"]) == f"{alike} 2"
    assert distinct(alike, ["Ke", ""]) == alike


@pytest.mark.parametrize("blank", ["", " ", "\u3164", "\u200b\u2060", "\u2800"])
def test_what_shows_nothing_is_no_name(blank: str) -> None:
    assert distinct(blank, [""]) == ""


def test_numbers_are_not_taken_twice_and_a_long_name_stays_as_long() -> None:
    assert distinct("Ke", ["Ke", "KE 2", "ke3"]) == "Ke 4"
    assert distinct("Straße", ["STRASSE"]) == "Straße 2"
    long = "x" * LONGEST_NAME
    assert distinct(long, [long]) == "x" * (LONGEST_NAME - 2) + " 2"


async def test_nobody_at_a_table_speaks_with_the_name_of_another(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        squatters = [await table.wire() for _ in range(3)]
        for wire, name in zip(squatters, ("Ke", "KE", "lu"), strict=True):
            await wire.join(name=name)
        for wire in squatters:
            await wire.say(Say("I am the player"))
        said = [(await squatters[0].hear(Said)).name for _ in squatters]
        assert sorted(said) == ["KE 2", "Ke", "lu 2"]
        # A spectator does not keep a player from a name.
        host, guest, _key = await table.two()
        assert (referee.state().black, referee.state().white) == ("Lu", "Ke")
        await squatters[0].say(Say("and now?"))
        while (line := await squatters[0].hear(Said)).text != "and now?":
            pass
        assert (line.name, line.role) == ("Ke 3", "spectator")
        await guest.say(Say("hello"))
        assert (await host.hear(Said)).name == "Ke"


@pytest.mark.parametrize("mark", ["\u0301", "\u0489", "\u0e49", "\u20dd", "\ufe0f"])
async def test_no_pile_of_marks_covers_the_lines_of_others(mark: str, tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        host, guest = await table.wire(), await table.wire()
        await host.join(key=table.host_key)
        await guest.join(table.code, name=f"Ze{mark * 30}")
        assert referee.state().white == f"Ze{mark * 4}"
        await guest.say(Say(f"a{mark * 300}b ắ \u05d1\u05b0\u05bc\u05e8\u05b5"))
        assert (await host.hear(Said)).text == f"a{mark * 4}b ắ \u05d1\u05b0\u05bc\u05e8\u05b5"


async def test_a_guest_with_the_name_of_the_host_is_numbered(tmp_path: Path) -> None:
    async with server(tmp_path) as table:
        referee = table.lay()
        assert isinstance(await (await table.wire()).join(table.code, name="ＬＵ"), Welcome)
        assert (referee.state().black, referee.state().white) == ("Lu", "ＬＵ 2")
        table.lay(name="")
        await (await table.wire()).join(table.code, name="\u3164")


def test_a_player_is_not_called_by_the_login_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(variable, "secret")
    assert own_name() == "Player"
    use_language("zh")
    assert own_name() == "玩家"
    use_language("en")
    monkeypatch.setenv("DAOQI_TUI_PLAY_NAME", "Shusaku")
    assert load_config()["play.name"] == "Shusaku"
    assert own_name() == "Shusaku"
