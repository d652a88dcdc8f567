"""Tests sorting the list of games by each column, by click and by key."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from daoqi_tui.i18n import use_language
from daoqi_tui.record.library_index import LibraryEntry
from daoqi_tui.tui.features.records.game_list import (
    Columns,
    GameList,
    Order,
    column_at,
    describe_row,
    heading,
    listing_of,
)
from daoqi_tui.tui.features.records.library import LibraryScreen
from tests.tui.driving import Person, until
from tests.tui.test_keeping import keeping


def entry(file: str, **fields: object) -> LibraryEntry:
    values: dict[str, object] = {"modified": 0, "length": 9, "black": "", "white": "", "date": "", "name": ""}
    values |= {"size": 9, "moves": 3, "komi": 4.0, "result": "", "opening": 0, "board": b"", "problem": None}
    return LibraryEntry(file=file, **values | fields)  # type: ignore[arg-type]


async def library_list(person: Person) -> GameList:
    """Open the library and return its list, which may still be empty."""
    await person.press("b")
    await until(person, lambda: isinstance(person.app.screen, LibraryScreen))
    return person.app.screen.query_one(GameList)


def test_the_orders() -> None:
    entries = [
        entry("a", date="2024", name="b", size=9, moves=30, result="W+R"),
        entry("b", date="2020", name="C", size=19, moves=200, result="B+12.5"),
        entry("c", date="2022", name="a", size=13, moves=5, result="B+3"),
    ]

    def files(order: Order) -> str:
        return "".join(found.file for found in order.sorted(entries))

    order = Order()
    assert files(order) == "abc", "as the library lists them"
    assert files(order.by("date")) == "bca"
    assert files(order.by("title")) == "cab"
    assert files(order.by("title").by("title")) == "bac"
    assert files(order.by("size")) == "acb"
    assert files(order.by("moves")) == "bac"
    assert files(order.by("result")) == "cba"
    assert [order := order.following for _ in range(5)][-1].column == "date"


def test_the_heading_tells_the_order_and_where_its_columns_are() -> None:
    columns = Columns(20)
    words = heading(80, columns, Order("moves", down=False))
    assert "Moves▴" in words
    for word, column in (
        ("Date", "date"),
        ("Game", "title"),
        ("Size", "size"),
        ("Moves", "moves"),
        ("Result", "result"),
    ):
        assert column_at(words.index(word) + 1, 80, columns) == column
    assert column_at(79, 80, columns) is None


@pytest.mark.parametrize(
    ("language", "results"),
    [
        ("en", {"B+R": "B+R", "W+12.5": "W+12.5", "see below": "see bel…"}),
        (
            "zh",
            {
                "B+R": "黑中盘胜",
                "W+12.5": "白胜 12.5 目",
                "W+Time": "白超时胜",
                "W+0": "平局白胜",
                "0": "和棋",
                "?": "?",
            },
        ),
        ("zh-TW", {"W+R": "白中盤勝", "B+3": "黑勝 3 目"}),
    ],
)
def test_a_row_has_the_result_in_the_words_of_its_readers(language: str, results: dict[str, str]) -> None:
    use_language(language)
    columns = heading(80)
    for result, shown in results.items():
        row = describe_row(entry("a", result=result), 80)
        assert row.endswith(f" {shown}")
        assert cell_len(row) == cell_len(columns) == 80


def test_a_date_takes_the_cells_of_its_column() -> None:
    for date in ("2024-05-01", "2024-05-01,02", "2024", "2024年5月1日", "二〇二四年五月一日", ""):
        words = describe_row(entry("a", date=date, name="Final"), 80)
        assert cell_len(words[: words.index("Final")]) == 12, date


async def test_the_highlighted_game_stays_in_view_when_the_window_shrinks(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        games = await library_list(person)
        await until(person, lambda: games._entries)
        games.show(listing_of([entry(f"{number:02}", name=f"Game {number:02}") for number in range(30)], Order()))
        games.action_move(20)
        await person.resize(100, 20)
        lines = [games.render_line(y).text for y in range(games.size.height)]
        assert any("Game 20" in line for line in lines)


async def test_by_click_and_by_key(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        games = await library_list(person)
        await until(person, lambda: len(games._entries) > 2)
        x = heading(games.size.width, games._columns).index("Moves")
        await person.click(games.region.x + x, games.region.y)
        counts = [each.moves for each in games._entries]
        await until(person, lambda: [each.moves for each in games._entries] == sorted(counts, reverse=True))
        await person.press("f6")
        await until(person, lambda: [each.moves for each in games._entries] == sorted(counts))
        await person.press("f5")
        await until(person, lambda: games._order.column == "result")


async def test_the_second_click_on_a_game_opens_it_the_first_one_too(tmp_path: Path) -> None:
    async with keeping(tmp_path) as person:
        games = await library_list(person)
        await until(person, lambda: games._entries)
        await person.click(games.region.x + 1, games.region.y + 1)
        await person.wait()
        person.open(LibraryScreen)
        await person.click(games.region.x + 1, games.region.y + 1)
        await until(person, lambda: person.at_the_board)
