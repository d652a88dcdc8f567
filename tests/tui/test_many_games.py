"""Choosing a game from a record with several, and pasting records and diagrams."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import OptionList, TextArea

from daoqi_tui.tui.driver import Typed
from daoqi_tui.tui.screens import Picker
from tests.tui.driving import playing, until

GAMES = "(;SZ[5]TO[3]PB[Li]PW[Wu]RE[B+3];B[aa])(;SZ[5]TO[3]PB[[red\\]Ke]PW[Go]RE[W+R];B[bb];W[cc])"


async def test_a_file_with_two_games_asks_which() -> None:
    async with playing() as person:
        person.screen.post_message(Paste(GAMES))
        await until(person, lambda: isinstance(person.app.screen, Picker))
        rows = person.app.screen.query_one(OptionList)
        assert [str(rows.get_option_at_index(place).prompt) for place in range(2)] == [
            "1  Li – Wu  B+3",
            "2  [red]Ke – Go  W+R",
        ]
        await person.press("down", "enter")
        await until(person, lambda: person.at_the_board and person.session.info is not None)
        await person.press("end")
        assert person.moves == ["B4", "C3"]
        assert (person.session.index, person.session.games) == (1, 2)


async def test_none_of_two_games_leaves_the_board_as_it_is() -> None:
    async with playing() as person:
        await person.play("C3")
        person.screen.post_message(Paste(GAMES))
        await until(person, lambda: isinstance(person.app.screen, Picker))
        await person.press("escape")
        assert person.at_the_board
        assert person.moves == ["C3"]


async def test_a_pasted_diagram_is_a_position() -> None:
    async with playing() as person:
        person.screen.post_message(
            Paste("   A B C D E\n 5 . X . . . 5\n 4 . O . . . 4\n 3 . . . . . 3\n 2 . . . . . 2\n 1 . . . . . 1")
        )
        await until(person, lambda: person.game.torus.size == 5)
        assert person.position.count("X") == person.position.count("O") == 1


async def test_a_pasted_path_opens_the_file_and_an_address_says_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "my game.sgf"
    file.write_text("(;SZ[7]TO[3];B[aa])", "utf-8")
    async with playing() as person:
        person.screen.post_message(Paste(str(file).replace(" ", "\\ ") + " "))
        await until(person, lambda: person.game.torus.size == 7)
        assert person.session.source == file
        for address in ("https://online-go.com/game/1", "www.example.org/a.sgf", "online-go.com/game/1"):
            person.screen.say("")
            person.screen.post_message(Paste(address))
            await until(person, lambda: "save the SGF file there" in person.status)


async def test_a_key_at_its_place_wins_over_the_table_of_layouts() -> None:
    async with playing() as person:
        # On a phonetic layout the letter that stands on ``g`` elsewhere is on the key ``p``.
        [event] = Typed().feed(b"\x1b[1087::112;;1087u")
        person.app.post_message(event)
        await until(person, person.game.moves)
        assert person.game.moves()[-1].is_pass


async def test_an_input_method_left_on_is_explained() -> None:
    async with playing() as person:
        await person.press("道")
        assert person.status.startswith("“道” is no key: an input method is on; switch it off")
        await person.press("i")
        await person.press("道")
        assert "道" in person.app.screen.query_one(TextArea).text


@pytest.mark.parametrize("key", ["ｐ", "з", "せ", "ㅔ"])
async def test_a_key_of_an_input_method_or_another_layout_is_the_one_at_its_place(key: str) -> None:
    async with playing() as person:
        await person.press(key)
        assert person.game.moves()[-1].is_pass
