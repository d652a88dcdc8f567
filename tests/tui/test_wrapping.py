"""Line wrapping of Chinese text: between characters, not only at the spaces around Latin words."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.text import Text
from textual.widgets import Static

from daoqi_tui.i18n import _, use_language
from daoqi_tui.play.session import Session
from daoqi_tui.tui.features.program.lesson import STEPS
from daoqi_tui.tui.look import folded
from daoqi_tui.tui.panes.study import CommentPane
from daoqi_tui.tui.screens import Question
from tests.tui.driving import Person, playing, until


def lines(text: str, width: int) -> list[str]:
    """Wrap a text to a width and return its lines."""
    return folded(Text(text), width).plain.split("\n")


def test_a_point_at_the_beginning_does_not_stand_alone() -> None:
    assert lines("A5 的棋子有四口气，其中一口在它左边。", 16) == ["A5 的棋子有四口", "气，其中一口在它", "左边。"]


def test_closing_punctuation_does_not_begin_a_line() -> None:
    assert lines("提两子。好", 6) == ["提两", "子。好"]
    assert lines("试（劫）吧", 6) == ["试", "（劫）", "吧"]
    assert lines("见《棋经》一书", 8) == ["见《棋", "经》一书"]
    assert lines("他说：‘好’。", 9) == ["他说：", "‘好’。"]
    assert lines("布石「囲碁」", 8) == ["布石「囲", "碁」"]


def test_words_stay_whole_and_line_breaks_stay() -> None:
    assert lines("Play at E5, which is empty.\nThen pass.", 12) == ["Play at E5,", "which is", "empty.", "Then pass."]
    assert lines("按 Ctrl+C 停止", 6) == ["按", "Ctrl+C", "停止"]


def test_an_indent_stays_unless_the_first_word_has_no_room_beside_it() -> None:
    assert lines("Black:\n  a run of 3\n\n  b", 9) == ["Black:", "  a run", "of 3", "", "  b"]
    assert lines("  平均亏 3.1 目", 8) == ["  平均亏", "3.1 目"]
    assert lines("  abcdefgh i", 9) == ["abcdefgh", "i"]
    assert lines("  \nabc", 9) == ["", "abc"]


def test_a_word_that_fits_no_line_is_broken() -> None:
    assert lines("Type iroh://abcdefghij and go", 6) == ["Type", "iroh:/", "/abcde", "fghij", "and go"]


@pytest.mark.parametrize("width", range(8, 40))
def test_an_answer_to_choose_and_its_point_stay_together(width: int) -> None:
    choices = ("A K10", "B P16", "C jk", "D A6")
    for words in ("请从这些点中选一个：A K10、B P16、C jk、D A6。", "Choose one: A K10, B P16, C jk, D A6."):
        told = lines(words, width)
        assert all(any(choice in line for line in told) for choice in choices)


@pytest.mark.parametrize("width", range(10, 40))
def test_a_number_and_its_unit_stay_together(width: int) -> None:
    for words, pairs in (
        ("第 12 手，黑 K10：错着，失 3.1 目。胜率下降 20%，约 1,000 次模拟。", ("第 12 手", "3.1 目", "1,000 次")),
        ("Move 12, Black K10: mistake, 3.1 points lost, of 2 moves.", ("3.1 points", "2 moves.")),
    ):
        told = lines(words, width)
        assert max(map(cell_len, told)) <= width
        assert all(any(pair in line for line in told) for pair in pairs)


def test_a_number_and_its_unit_that_fit_no_line_are_divided_between_them() -> None:
    assert lines("after 2 suicides", 8) == ["after 2", "suicides"]
    assert lines("失 3.1 目", 4) == ["失", "3.1", "目"]


@pytest.mark.parametrize("width", [20, 30, 41])
def test_no_line_of_the_lesson_is_too_wide_and_nothing_is_lost(width: int) -> None:
    use_language("zh")
    for step in STEPS:
        for words in (_(step.text), _(step.task), _(step.hint), _(step.praise)):
            told = lines(words, width)
            assert max(map(cell_len, told)) <= width
            assert "".join(told).replace(" ", "") == words.replace(" ", "")
            assert not any(line[0] in "，。：；）！？、”" for line in told if line)


def written(person: Person, selector: str) -> list[str]:
    """Return the lines of a text on the screen."""
    text = person.app.screen.query_one(selector, Static)
    return [text.render_line(y).text.rstrip() for y in range(text.size.height)]


TEXT = "CommentPane Static"


async def test_a_comment_does_not_divide_a_number_from_its_unit() -> None:
    comment = "黑棋的这一着是错着，损失了 3.1 目，还有 12 处更大。"
    use_language("zh")
    async with playing() as person:
        person.screen.begin(Session.opened(f"(;GM[1]SZ[9]TO[3]CA[UTF-8]C[{comment}])".encode()))
        await person.wait()
        pane = person.screen.query_one(CommentPane)
        for width in range(16, 40):
            pane.styles.width = width
            await until(person, lambda width=width: pane.outer_size.width == width and written(person, TEXT))
            told = written(person, TEXT)
            assert "".join(told).replace(" ", "") == comment.replace(" ", "")
            assert any("3.1 目" in line for line in told)
            assert any("12 处" in line for line in told)


async def test_the_lesson_does_not_leave_a_point_alone_on_a_line() -> None:
    use_language("zh")
    async with playing() as person:
        await person.press("f2")
        await person.settle()
        task = person.app.screen.query_one("#lesson-task", Static)
        shown = [task.render_line(y).text for y in range(task.size.height)]
        assert not any(line.strip() == "A5" for line in shown)
        assert any(line.strip().startswith("A5 的棋子") for line in shown)


@pytest.mark.parametrize("size", [(120, 40), (40, 15)])
async def test_no_line_of_a_question_begins_with_punctuation(size: tuple[int, int]) -> None:
    words = "当前对局已保存，下次启动时可以继续。退出吗？"
    async with playing(size) as person:
        person.app.push_screen(Question(words, "是", "否"))
        await person.wait()
        asked = person.app.screen.query_one(".question", Static)
        shown = [asked.render_line(y).text.strip() for y in range(asked.size.height)]
        assert "".join(shown) == words
        assert not any(line.startswith(("，", "。", "？")) for line in shown)
        assert asked.size.width <= cell_len(words)


@pytest.mark.parametrize("size", [(44, 20), (40, 15)])
async def test_no_line_of_the_greeting_begins_with_punctuation(size: tuple[int, int]) -> None:
    use_language("zh")
    async with playing(size) as person:
        await person.press("f3")
        await person.settle()
        greeting = person.app.screen.query_one("#greeting", Static)
        shown = [greeting.render_line(y).text.strip() for y in range(greeting.size.height)]
        assert "".join(shown) == "没有边的围棋：左边连着右边，上边连着下边。1 级适合初学者，10 级最强。"
        assert not any(line.startswith(("，", "。", "：")) for line in shown)
