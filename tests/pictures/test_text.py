"""Boards as plain text, in colour, and as SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import get_args

import pytest

from daoqi_tui.engine import Style
from daoqi_tui.i18n import translate, use_language
from daoqi_tui.pictures.text import Format, Stones, ansi_picture, score, show, text_picture
from daoqi_tui.record import SgfError, load
from daoqi_tui.record.sgf.read import problems_text
from daoqi_tui.record.sgf.write import dump, dump_portable

RECORD = "(;SZ[5]TO[3]PB[Ke]PW[[red\\]\x1b[31m]RE[W+4];B[aa];W[ea]LB[cc:A][bb:黑]TR[ad]SQ[be]CR[ce]MA[de][aa]".encode()


def test_a_title_has_the_punctuation_of_its_language():
    use_language("zh")
    loaded = load("(;SZ[5]TO[3]PB[柯洁]PW[丁]WR[9p]RE[W+4];B[aa];W[])".encode())
    assert show(loaded, translate=translate).startswith("柯洁（黑）对丁 9p（白），5×5，第 2 手，白 虚着，白胜 4 目\n")


def test_a_chinese_title_has_a_space_before_a_latin_name():
    use_language("zh")
    loaded = load(b"(;SZ[5]TO[3]PB[dqdqyq]PW[dqdqmonkey];B[aa])")
    assert show(loaded, translate=translate).startswith("dqdqyq（黑）对 dqdqmonkey（白），5×5，")


def test_a_title_names_a_computer_in_its_language_also_if_the_record_is_in_another():
    record = "(;SZ[5]TO[3]PB[Computer 5]PW[电脑 2.5 级（力战）]BR[3k];B[aa])".encode()
    use_language("zh")
    assert show(load(record), translate=translate).startswith("电脑 5 级 3k（黑）对电脑 2.5 级（力战）（白）")
    use_language("en")
    assert show(load(record), translate=translate).startswith("Computer 5 3k (Black) – ")
    nobody = load(b"(;SZ[5]TO[3]PB[Black]PW[White];B[aa])")
    assert show(nobody, translate=translate).startswith("Black – White, 5")
    assert "电脑" not in score(load(record.replace("（力战）".encode(), b"")), translate=translate)


def test_text():
    loaded = load(RECORD + b")")
    assert show(loaded, stones="round") == (
        "Ke (Black) – [red]␛[31m (White), 5×5, move 2 White E5, W+4\n"
        "   A B C D E\n"
        " 5 ● · · ·(○) 5\n"
        " 4 · 黑· · ·  4\n"
        " 3 · · A · ·  3\n"
        " 2 ^ · · · ·  2\n"
        " 1 · $ % * ·  1\n"
        "   A B C D E\n"
    )


def test_a_label_takes_one_cell_whatever_it_begins_with():
    plain, hidden = (load(f"(;SZ[5]TO[3]LB[cc:{label}])".encode()).game for label in ("e1", "\u200be\u03011"))
    assert text_picture(hidden) == text_picture(plain)


@pytest.mark.parametrize("label", ["X", "O", "●", "○", "(", ")"])
def test_no_label_looks_like_a_stone(label: str):
    game = load(f"(;SZ[5]TO[3];B[aa]LB[cc:{label}1])".encode()).game
    for stones in get_args(Stones):
        row = text_picture(game, stones=stones).splitlines()[3]
        assert row[7] in "*%"
        assert row[7] in ansi_picture(game).splitlines()[3]


def test_names_in_other_styles():
    game = load(b"(;SZ[9]TO[3])").game
    assert text_picture(game, "gtp").splitlines()[0] == "   A B C D E F G H J"
    assert text_picture(game, "sgf").splitlines()[:2] == ["   a b c d e f g h i", " a . . . . . . . . .  a"]


@pytest.mark.parametrize(("style", "name"), [("daoqi", "I9"), ("gtp", "J9"), ("sgf", "ia")])
@pytest.mark.parametrize("form", ["text", "ansi", "svg"])
def test_the_title_names_the_move_as_the_board_does(style: Style, name: str, form: Format):
    picture = show(load(b"(;SZ[9]TO[3];B[ia])"), format=form, style=style)
    assert f"move 1 Black {name}" in picture


def test_colour_is_only_colour():
    game = load(RECORD + b")").game
    game.goto(game.root.line()[-1])
    coloured = ansi_picture(game)
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert "\x1b" not in bare
    assert bare.splitlines()[1] == " 5 ● · · · ●  5"
    assert all(line.endswith(("A B C D E",)) or "\x1b[0m" in line for line in coloured.splitlines())


@pytest.mark.parametrize("number", [0, 1, None])
def test_svg_is_well_formed_and_complete(number: int | None):
    loaded = load(RECORD + b"C[</svg>]LB[dd:<&>])")
    picture = show(loaded, number, format="svg")
    root = ET.fromstring(picture)
    space = "{http://www.w3.org/2000/svg}"
    stones = [node for node in root.findall(f"{space}use") if node.get("href") in ("#black", "#white")]
    # Each corner stone has three copies, at the other corners, which lie in the shade drawn last.
    assert len(stones) == {0: 0, 1: 4, None: 8}[number]
    assert root[-1].get("fill-opacity")
    assert "\x1b" not in picture


def test_a_move_that_is_not_there():
    with pytest.raises(SgfError, match="there is no move 7; the main line has moves 1 to 2, 0 is the start"):
        show(load(RECORD + b")"), 7)


def test_score():
    assert score(load(RECORD + b";B[];W[])")) == (
        "Ke (Black) – [red]␛[31m (White), 5×5, move 4 White pass, W+4\n"
        "\n"
        "        stones  territory  passes   komi   total\n"
        "Black        1          0      -1      0       0\n"
        "White        1          0      -1      4       4\n"
        "23 empty points are neutral\n"
        "\n"
        "As the board stands: White wins by 4\n"
        "The record says: W+4\n"
    )


def test_a_portable_record_and_what_was_skipped():
    loaded = load(b"(;SZ[5]TO[3];B[ab];W[aa];B[ba];W[aa\x1b])")
    assert b";AW[aa]" in dump_portable(loaded.game, loaded.info)
    assert b";AW[aa]" not in dump(loaded.game, loaded.info)
    assert problems_text(loaded).startswith("line 1, column 31: W[aa␛] is not a point")
