"""Chinese pages, comments and catalogue entries follow the style that CONTRIBUTING describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from daoqi_tui.record import load
from daoqi_tui.record.sgf.markup import comment
from tests.catalogue import read
from tests.chinese_style import LATIN, TERMS, TYPED, faults, faults_of_catalogue
from tests.readme.pages import CHINESE, ROOT, name_of, without_code, without_tables


@pytest.mark.parametrize("page", CHINESE, ids=name_of)
def test_a_chinese_page_has_no_faults(page: Path) -> None:
    assert faults(without_code(without_tables(page.read_text("utf-8")))) == []


def test_the_catalogue_has_no_faults() -> None:
    assert list(faults_of_catalogue()) == []


def test_every_word_that_may_be_typed_is_in_the_catalogue() -> None:
    texts = [
        text for message in read("zh_CN") for text in (message.string if message.pluralizable else [message.string])
    ]
    unused = {word for word in TYPED - LATIN if not any(word in text for text in texts)}
    assert unused == set(), "take these off the list"


@pytest.mark.parametrize("game", sorted((ROOT / "assets" / "games" / "zh").glob("*.sgf")), ids=lambda path: path.stem)
def test_the_comments_of_a_sample_game_have_no_faults(game: Path) -> None:
    comments = [comment(node) for node in load(game).game.root.line()]
    chinese = [line for text in comments for line in text.splitlines() if re.search("[\u4e00-\u9fff]", line)]
    assert chinese
    assert faults("\n".join(chinese)) == []


@pytest.mark.parametrize(
    "text",
    [
        "黑先,白后",
        "黑先, 白后",
        "贴目(黑贴)",
        "贴目 (黑贴 4 目)",
        "K10:落子",
        "落子.",
        "悔棋!",
        "棋谱;",
        "(棋谱)",
        "SGF, 棋谱",
        "{colour},{chain}",
        "{typed}:{deed}。",
        ",{what}：{points}",
        "{count} 手; {chain}",
        "{words}.",
    ],
)
def test_half_width_punctuation_beside_a_chinese_character_is_a_fault(text: str) -> None:
    assert any("half-width" in fault for fault in faults(text))


@pytest.mark.parametrize("text", ["下一手 next", "请用 rated 的网络", "Estimate：黑领先 4 目", "a GTP engine 不懂环面"])
def test_an_english_word_is_a_fault(text: str) -> None:
    assert any("the word" in fault for fault in faults(text))


def test_other_latin_words_can_be_allowed() -> None:
    assert faults("语言；auto 使用系统语言", {"auto"}) == []
    assert faults("语言；auto 使用系统语言") != []


def test_what_is_typed_may_have_a_colon_before_a_placeholder() -> None:
    assert faults("玩家，或 level:{level}", {"level"}) == []


def test_each_term_that_is_not_used_is_a_fault() -> None:
    assert [term for term, better in TERMS.items() if not faults(term) or faults(better)] == []


@pytest.mark.parametrize(
    "text",
    [
        "黑先，白后；落子：K10（在角上）。",
        "{colour}领先 {points} 目，胜率 {share}%",
        "参数 %(argument_name)s：%(message)s",
        "象步(2,2)",
        "象步({x},{y})",
        "保存为 {file}.SGF",
        "在 16×16 棋盘上黑贴 3.5 目",
        '可以写 "level:5"，也可以用 --lang zh',
        "保存为 SGF，按 Ctrl+C 停止",
        "[bold]黑方[/bold]：A5",
    ],
)
def test_what_the_style_allows_is_no_fault(text: str) -> None:
    assert faults(text) == []


def test_the_style_page_names_every_term() -> None:
    style = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert [better for better in TERMS.values() if better not in style] == []
