"""The library screen: importing, exporting, searching, sorting, renaming, deleting and restoring games."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.content import Content
from textual.widgets import Input, Static

from daoqi_tui.record import load
from daoqi_tui.record.library import INDEX, Library
from daoqi_tui.record.library_index import LibraryEntry
from daoqi_tui.tui.features.records import game_list
from daoqi_tui.tui.features.records.game_list import GameList, Order
from daoqi_tui.tui.features.records.library import LibraryScreen
from daoqi_tui.tui.screens import Picker, Prompt, Question
from tests.tui.driving import Person, until
from tests.tui.test_keeping import SAMPLES, keeping

GAME = "(;GM[1]SZ[5]TO[3]RU[Daoqi]PB[Li]PW[Ke];B[cc])"


async def open_library(person: Person, own: int = 0) -> LibraryScreen:
    """Open the library and wait until it lists the samples and ``own`` other games, and has its hints in a frame."""
    await person.press("b")
    await until(person, lambda: isinstance(person.app.screen, LibraryScreen))
    screen = person.open(LibraryScreen)
    await until(person, lambda: len(screen.query_one(GameList)._entries) == SAMPLES + own)
    await until(person, lambda: bool(screen.query_one("#library").border_subtitle))
    await person.wait()
    return screen


def said(screen: LibraryScreen) -> str:
    return str(screen.query_one("#complaint", Static).content)


async def answer(person: Person, key: str, text: str) -> None:
    """Press a key that opens a prompt, and enter the answer."""
    await person.press(key)
    await until(person, lambda: isinstance(person.app.screen, Prompt))
    await person.enter_text("Input", text)
    await person.press("enter")


async def resign(person: Person) -> None:
    """Resign and confirm."""
    await person.press("R")
    await until(person, lambda: isinstance(person.app.screen, Question))
    await person.press("y")
    await until(person, lambda: person.at_the_board and person.session.is_over)


@pytest.mark.parametrize("window", [(120, 40), (80, 24), (60, 20), (44, 20), (40, 14)])
async def test_the_frame_has_room_for_the_way_out(tmp_path: Path, window: tuple[int, int]) -> None:
    async with keeping(tmp_path) as person:
        await person.resize(*window)
        dialog = (await open_library(person)).query_one("#library")
        assert Content.from_markup(dialog.border_subtitle).cell_length <= dialog.outer_size.width - 6


async def test_a_folder_is_searched_for_games_off_the_thread_of_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def below(_folder: Path) -> list[Path]:
        threads.append(threading.current_thread())
        raise PermissionError(13, "Permission denied", "secret")

    monkeypatch.setattr("daoqi_tui.record.library.records_below", below)
    async with keeping(tmp_path) as person:
        screen = await open_library(person)
        await answer(person, "f4", str(tmp_path))
        await until(person, lambda: "Permission denied" in said(screen))
    assert threads
    assert threading.main_thread() not in threads


async def test_what_was_imported_can_be_read_until_the_list_changes(tmp_path: Path) -> None:
    (source := tmp_path / "games").mkdir()
    (source / "bad.sgf").write_text("no game")
    (source / "good.sgf").write_text(GAME)
    async with keeping(tmp_path) as person:
        screen = await open_library(person)
        await answer(person, "f4", str(source))
        games = screen.query_one(GameList)
        await until(person, lambda: len(games._entries) == SAMPLES + 1)
        await until(person, lambda: not any(worker.group == "load" for worker in screen.workers))
        assert "1 game imported" in said(screen)
        assert "bad.sgf" in said(screen)
        await person.press("L", "i")
        await until(person, lambda: said(screen) == "1 game")


@pytest.mark.parametrize("kind", ["down", "escape"])
async def test_a_game_is_exported_once_its_kind_is_chosen(kind: str, tmp_path: Path) -> None:
    target = tmp_path / "copy.sgf"
    async with keeping(tmp_path) as person:
        screen = await open_library(person)
        await answer(person, "f3", str(target))
        await until(person, lambda: isinstance(person.app.screen, Picker))
        await person.press(kind)
        if kind != "escape":
            await person.press("enter")
            await until(person, lambda: "Exported to" in said(screen))
        else:
            await until(person, lambda: isinstance(person.app.screen, Prompt))
            assert person.app.screen.query_one(Input).value == str(target), "it is asked for again as it was typed"
            await person.press("escape")
        await until(person, lambda: not any(worker.group == "change" for worker in screen.workers))
        person.open(LibraryScreen)
    assert target.exists() == (kind != "escape")


async def test_a_game_is_not_exported_over_a_file_and_another_name_can_be_typed(tmp_path: Path) -> None:
    target = tmp_path / "copy.sgf"
    target.write_text("mine")
    async with keeping(tmp_path) as person:
        screen = await open_library(person)
        await answer(person, "f3", str(target))
        prompt = person.open(Prompt)
        await until(person, lambda: "already exists: choose another name" in person.question())
        await person.press("end", *["backspace"] * 4, *"2.sgf", "enter")
        await until(person, lambda: isinstance(person.app.screen, Picker))
        await person.press("enter")
        await until(person, lambda: "Exported to" in said(screen))
        assert not prompt.is_attached
    assert target.read_text() == "mine"
    assert (tmp_path / "copy2.sgf").exists()


async def test_games_are_sorted_and_measured_off_the_thread_of_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []
    key = game_list._result_key

    def result_key(result: str) -> tuple[str, float]:
        threads.append(threading.current_thread())
        return key(result)

    async with keeping(tmp_path) as person:
        screen = await open_library(person)
        games = screen.query_one(GameList)
        measured = []
        title = game_list.title_of

        def title_of(entry: LibraryEntry) -> str:
            measured.append(entry)
            return title(entry)

        monkeypatch.setattr(game_list, "_result_key", result_key)
        screen._sort(Order("result", down=True))
        await until(person, lambda: games._order.column == "result")
        monkeypatch.setattr(game_list, "title_of", title_of)
        games.show(game_list.listing_of(screen._entries, Order("moves")))
        assert len(measured) == SAMPLES, "once each where the listing is made, never where it is shown"
    assert len(threads) == SAMPLES
    assert threading.main_thread() not in threads


async def test_a_search_that_takes_long_does_not_replace_the_one_typed_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, begun, held, ended = Library.search, threading.Event(), threading.Event(), threading.Event()

    def search(library: Library, text: str, among: Sequence[LibraryEntry]) -> tuple[LibraryEntry, ...]:
        if text == "Qaqa":
            begun.set()
            held.wait()
        try:
            return usual(library, text, among)
        finally:
            if text == "Qaqa":
                ended.set()

    monkeypatch.setattr(Library, "search", search)
    (tmp_path / "library").mkdir()
    for name in ("Qaqa", "Qoqo"):
        (tmp_path / "library" / f"{name}.sgf").write_text(GAME.replace("Li", name))
    async with keeping(tmp_path) as person:
        screen = await open_library(person, own=2)
        games = screen.query_one(GameList)
        with screen.prevent(Input.Changed):
            screen.query_one("#search", Input).value = "Qaqa"
        screen._load()  # as after a game was renamed, imported or deleted
        await until(person, begun.is_set)
        await person.enter_text("#search", "Qoqo")
        await until(person, lambda: [entry.black for entry in games._entries] == ["Qoqo"])
        held.set()
        await until(person, ended.is_set)
        await until(person, lambda: not any(worker.group == "load" for worker in screen.workers))
        assert [entry.black for entry in games._entries] == ["Qoqo"]


async def test_all_games_are_listed_and_found_where_no_index_can_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example on a full disk."""
    usual = Library.games
    monkeypatch.setattr(Library, "games", lambda library, _seconds: usual(library, budget=0))
    (tmp_path / "library" / INDEX).mkdir(parents=True)
    for number in range(60):
        (tmp_path / "library" / f"{number}.sgf").write_text(GAME.replace("Li", f"Player {number:02}"))
    async with keeping(tmp_path) as person:
        screen = await open_library(person, own=60)
        games = screen.query_one(GameList)
        await person.enter_text("#search", "player 07")
        await until(person, lambda: len(games._entries) < SAMPLES)
        await until(person, lambda: said(screen) == "1 game")
        assert [entry.file for entry in games._entries] == ["7.sgf"]


@pytest.mark.parametrize("key", ["down", "pagedown"])
async def test_from_the_search_a_key_goes_on_to_the_list(tmp_path: Path, key: str) -> None:
    async with keeping(tmp_path) as person:
        screen = await open_library(person)
        assert not isinstance(screen.focused, GameList)
        await person.press(key)
        assert isinstance(screen.focused, GameList)


async def test_samples_are_searched_as_other_games_are(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        screen = await open_library(person)
        games = screen.query_one(GameList)
        await person.enter_text("#search", "tie w+0")
        await until(person, lambda: len(games._entries) < SAMPLES)
        assert [entry.file for entry in games._entries] == ["samples/three-kos-and-a-tie.sgf"]


async def enter_names(person: Person, black: str, white: str) -> None:
    """Change the players' names in the game highlighted in the library."""
    await answer(person, "f2", black)
    await until(person, lambda: "White: " in person.question())
    await person.enter_text("Input", white)
    await person.press("enter")


async def test_a_game_renamed_while_it_is_open_shows_its_new_names_and_is_filed_by_them(
    tmp_path: Path,
) -> None:
    library = tmp_path / "library"
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await resign(person)
        await until(person, lambda: len(list(library.glob("*.sgf"))) == 1)
        screen = await open_library(person, own=1)
        await enter_names(person, "Li", "Wu")
        await until(person, lambda: any(entry.black == "Li" for entry in screen.query_one(GameList)._entries))
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        assert "Li" in person.text("#game")
        assert "Wu" in person.text("#game")
        (before,) = library.glob("*.sgf")
        record = before.read_bytes()
        await person.press("r")
        await person.click_point("C3")
        await resign(person)
        await until(person, lambda: before.read_bytes() != record)
    assert list(library.glob("*.sgf")) == [before]
    assert load(before).info.black == "Li"


async def test_a_deleted_game_is_put_back(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "one.sgf").write_text(GAME)
    (library / "two.sgf").write_text(GAME.replace("Li", "Wu"))
    async with keeping(tmp_path) as person:
        screen = await open_library(person, own=2)
        games = screen.query_one(GameList)
        for left in (SAMPLES + 1, SAMPLES):
            await person.enter_text("#search", "white:ke")
            await until(person, lambda left=left: len(games._entries) == left - SAMPLES + 1)  # type: ignore[misc]
            await person.press("f8", "y")
            await until(person, lambda left=left: len(games._entries) == left - SAMPLES)  # type: ignore[misc]
            await until(person, lambda: "F9" in said(screen))
        assert not list(library.glob("*.sgf"))
        for count in (1, 2):
            await person.press("f9")
            await until(person, lambda count=count: len(games._entries) == count)  # type: ignore[misc]
            await until(person, lambda: "Put back" in said(screen))
        assert sorted(file.name for file in library.glob("*.sgf")) == ["one.sgf", "two.sgf"]


async def test_with_no_game_moved_to_the_trash_none_is_put_back(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        screen = await open_library(person, own=0)
        await person.press("f9")
        await until(person, lambda: "No game was moved" in said(screen))


async def test_asked_twice_for_the_same_game_it_is_put_back_and_nothing_complained_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, held = Library.restore, threading.Event()

    def restore(library: Library, trashed: Path, file: str) -> Path:
        held.wait()
        return usual(library, trashed, file)

    monkeypatch.setattr(Library, "restore", restore)
    told: list[str] = []
    (library := tmp_path / "library").mkdir()
    (library / "one.sgf").write_text(GAME)
    async with keeping(tmp_path) as person:
        screen = await open_library(person, own=1)
        await person.enter_text("#search", "white:ke")
        await until(person, lambda: screen._searched == "white:ke")
        await person.press("f8", "y")
        await until(person, lambda: "F9" in said(screen))
        monkeypatch.setattr(screen, "complain", told.append)
        await person.press("f9", "f9")
        held.set()
        async with screen._changing:
            assert (library / "one.sgf").exists()
        await person.press("f9")
        async with screen._changing:
            await until(person, lambda: "Put back: one.sgf" in told)
        assert {words for words in told if not words.endswith((" game", " games"))} == {"Put back: one.sgf"}
    assert (library / "one.sgf").read_text() == GAME


async def test_the_highlight_stays_in_its_place_after_a_deletion_and_on_a_game_that_is_renamed(tmp_path: Path) -> None:
    (library := tmp_path / "library").mkdir()
    for day in range(1, 6):
        (library / f"{day}.sgf").write_text(GAME.replace("PW[Ke]", f"PW[Ke]DT[2026-01-0{day}]"))
    async with keeping(tmp_path) as person:
        screen = await open_library(person, own=5)
        games = screen.query_one(GameList)
        await person.enter_text("#search", "date:2026")
        await until(person, lambda: len(games._entries) == 5)
        games.action_move(2)
        for left, file in ((4, "2.sgf"), (3, "1.sgf"), (2, "4.sgf")):
            await person.press("f8", "y")
            await until(person, lambda left=left: len(games._entries) == left)  # type: ignore[misc]
            await until(person, lambda: "F9" in said(screen))
            assert games.highlighted is not None
            assert games.highlighted.file == file
        await answer(person, "f2", "Anna")
        await until(person, lambda: "White: " in person.question())
        await person.press("enter")
        await until(person, lambda: any(entry.black == "Anna" for entry in games._entries))
        assert games.highlighted is not None
        assert games.highlighted.black == "Anna"


async def test_a_game_on_the_board_that_is_put_back_under_another_name_is_written_under_that(tmp_path: Path) -> None:
    library = tmp_path / "library"
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await resign(person)
        await until(person, lambda: len(list(library.glob("*.sgf"))) == 1)
        (own,) = library.glob("*.sgf")
        screen = await open_library(person, own=1)
        await person.press("f8", "y")
        await until(person, lambda: "F9" in said(screen))
        own.write_text(GAME)
        await person.press("f9")
        await until(person, lambda: "Put back" in said(screen))
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        (back,) = set(library.glob("*.sgf")) - {own}
        record = back.read_bytes()
        await person.press("r")
        await person.click_point("C3")
        await resign(person)
        await until(person, lambda: back.read_bytes() != record)
    assert own.read_text() == GAME
    assert sorted(library.glob("*.sgf")) == sorted([own, back])


@pytest.mark.parametrize("key", ["f9", "escape"])
async def test_what_comes_after_a_rename_does_not_hide_it_from_the_game_on_the_board(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, done, held = Library.rename, threading.Event(), threading.Event()

    def rename(library: Library, file: str, *, black: str | None = None, white: str | None = None) -> Path:
        try:
            return usual(library, file, black=black, white=white)
        finally:
            done.set()
            held.wait()

    monkeypatch.setattr(Library, "rename", rename)
    (library := tmp_path / "library").mkdir()
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await resign(person)
        await until(person, lambda: len(list(library.glob("*.sgf"))) == 1)
        screen = await open_library(person, own=1)
        await enter_names(person, "Li", "Ke")
        await until(person, done.is_set)
        await person.press(key)
        held.set()
        (own,) = library.glob("*.sgf")
        assert "Li – Ke" in own.name
        await until(person, lambda: person.screen.match.is_open(own))
        await until(person, lambda: key == "escape" or own.name in {entry.file for entry in screen._entries})


async def test_another_game_that_is_put_back_is_not_taken_for_the_one_on_the_board(tmp_path: Path) -> None:
    (library := tmp_path / "library").mkdir()
    async with keeping(tmp_path) as person:
        await person.click_point("A1")
        await resign(person)
        await until(person, lambda: len(list(library.glob("*.sgf"))) == 1)
        (own,) = library.glob("*.sgf")
        taken = own.with_name(f"{own.name[:10]} Li – Ke.sgf")
        taken.write_text(GAME)
        screen = await open_library(person, own=2)
        await person.enter_text("#search", "white:ke")
        games = screen.query_one(GameList)
        await until(person, lambda: [entry.file for entry in games._entries] == [taken.name])
        await person.press("f8", "y")
        await until(person, lambda: "F9" in said(screen))
        await person.enter_text("#search", own.stem.split()[-1])
        await until(person, lambda: [entry.file for entry in games._entries] == [own.name])
        await enter_names(person, "Li", "Ke")
        await until(person, lambda: not own.exists() and taken.exists())
        await person.press("f9")
        await until(person, lambda: "Put back" in said(screen))
        assert person.app.screen is screen
        assert screen._trashed == []
        await person.press("escape")
        await until(person, lambda: person.at_the_board)
        await person.press("r")
        await person.click_point("C3")
        record = taken.read_bytes()
        await resign(person)
        await until(person, lambda: taken.read_bytes() != record)
    assert taken.with_stem(f"{taken.stem} (2)").read_text() == GAME


async def test_a_game_that_cannot_be_put_back_can_be_later(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "one.sgf").write_text(GAME)
    async with keeping(tmp_path) as person:
        screen = await open_library(person, own=1)
        games = screen.query_one(GameList)
        await person.enter_text("#search", "white:ke")
        await until(person, lambda: len(games._entries) == 1)
        await person.press("f8", "y")
        await until(person, lambda: "F9" in said(screen))
        (trashed,) = (library / "trash").glob("*.sgf")
        away = trashed.rename(tmp_path / "away.sgf")
        await person.press("f9")
        await until(person, lambda: "No such file" in said(screen))
        away.rename(trashed)
        await person.press("f9")
        await until(person, lambda: "Put back" in said(screen))
        assert (library / "one.sgf").read_text() == GAME


async def test_beside_the_board_the_list_has_room_for_results(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        await person.resize(60, 20)
        screen = await open_library(person)
        rows = [line.text for line in screen._compositor.render_strips(person.app.size)]
        assert any("Game" in row and "Result" in row for row in rows)
        assert screen.query_one("#preview").region.width >= 18


@pytest.mark.parametrize(("width", "sorts"), [(80, False), (120, True)])
async def test_the_hints_fit_and_tell_the_way_out(tmp_path: Path, width: int, *, sorts: bool) -> None:
    async with keeping(tmp_path) as person:
        await person.resize(width, 24)
        screen = await open_library(person)
        rows = [line.text for line in screen._compositor.render_strips(person.app.size)]
        hints = next(row for row in rows if "Esc Close" in row)
        assert "F8 Delete" in hints
        assert ("F5 Sort" in hints) == sorts
        assert "…" not in hints


@pytest.mark.parametrize("key", ["enter", "f2", "f3", "f8"])
async def test_a_key_acts_on_what_the_search_typed_now_finds(key: str, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "a.sgf").write_text(GAME.replace("PB[Li]", "PB[Anna]DT[2026-01-02]"))
    (library / "z.sgf").write_text(GAME.replace("PB[Li]", "PB[[b\\]Zed\x07]DT[2026-01-01]"))
    async with keeping(tmp_path) as person:
        screen = await open_library(person, own=2)
        games = screen.query_one(GameList)
        assert games.highlighted is not None
        assert games.highlighted.file == "a.sgf"
        screen.query_one("#search", Input).value = "zed"
        await person.press(key)
        await until(person, lambda: person.app.screen is not screen)
        await until(person, lambda: key in ("enter", "f8") or person.app.screen.query(Input))
        if key == "enter":
            await until(person, lambda: "Zed" in person.players()[0] or "Anna" in person.players()[0])
            assert "Zed" in person.players()[0]
        elif key == "f8":
            await until(person, person.question)
            assert person.question().startswith("[b]Zed␇ – Ke\n")
            await person.press("y")
            await until(person, lambda: "F9" in said(screen))
            assert [file.name for file in library.glob("*.sgf")] == ["a.sgf"]
        else:
            assert "z" in person.app.screen.query_one(Input).placeholder.lower()


async def test_what_was_typed_before_a_deletion_does_not_replace_its_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search waits for a pause in typing, so it may run only after a quick deletion."""
    pause = 0.5
    monkeypatch.setattr("daoqi_tui.tui.features.records.library._PAUSE", pause)
    library = tmp_path / "library"
    library.mkdir()
    (library / "a.sgf").write_text(GAME)
    async with keeping(tmp_path) as person:
        screen = await open_library(person, own=1)
        screen.query_one("#search", Input).value = "li"
        await person.press("f8")
        await until(person, lambda: isinstance(person.app.screen, Question))
        # Restart the delay of the search, as if the deletion had been faster.
        screen._search_soon()
        await person.press("y")
        await until(person, lambda: "F9" in said(screen))
        await asyncio.sleep(2 * pause)
        await person.settle()
        assert "F9" in said(screen)


async def test_a_library_closed_while_it_searches_opens_nothing(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        screen = await open_library(person)
        screen.query_one("#search", Input).value = "size:9"
        screen.action_open()
        screen.action_close()
        await until(person, lambda: person.at_the_board)
        await person.wait(0.2)
        assert person.at_the_board
        assert person.moves == []
