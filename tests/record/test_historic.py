"""Fourteen real games of 2004 to 2006, as the players' programs wrote them."""

from __future__ import annotations

from pathlib import Path

import pytest

from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.record import dump, load
from daoqi_tui.record.sgf.markup import comment, labels, marks
from tests.shared_data import DATA, data_json, data_path

NAMES = sorted(path.name for path in (DATA / "historic").glob("*.sgf")) or ["none found"]


@pytest.fixture(params=NAMES)
def path(request: pytest.FixtureRequest) -> Path:
    data_path("historic", "expected.json")
    return data_path("historic", request.param)


def test_there_are_fourteen():
    data_path("historic", "expected.json")
    assert len(NAMES) == 14


def test_replays_without_a_refusal_to_the_known_board(path: Path):
    expected = data_json("historic", "expected.json")[path.name]
    loaded = load(path)
    assert loaded.torus
    assert loaded.problems == ()
    game = loaded.game
    last_move = [node for node in game.root.line() if node.move is not None][-1]
    game.goto(last_move)
    assert str(game.board).split() == expected["final_board"]
    plays = sum(not move.is_pass for move in game.moves())
    assert plays == expected["plays"] - sum(move.is_pass for move in game.moves()) or plays == expected["plays"]
    assert {"B": game.board.captured[BLACK], "W": game.board.captured[WHITE]} == expected["captured_by"]
    area = game.area()
    totals = {name: side.stones + side.territory for name, side in (("black", area.black), ("white", area.white))}
    assert totals == expected["area"]


def test_written_and_read_again_it_is_the_same(path: Path):
    loaded = load(path)
    written = dump(loaded.game, loaded.info)
    again = load(written)
    assert again.declared is True
    assert again.problems == ()
    assert again.info == loaded.info
    for node, copy in zip(loaded.game.root.walk(), again.game.root.walk(), strict=True):
        assert copy.action == node.action
        assert copy.properties == node.properties
    assert dump(again.game, again.info) == written


def test_only_the_one_written_by_a_flat_program_asks(path: Path):
    loaded = load(path)
    assert loaded.ask == (path.name == "appoollooW-appoollooB.sgf")
    assert load(path, torus=True).ask is False


def test_chinese_text_is_right():
    loaded = load(data_path("historic", "2748_YufengW-appoollooB.sgf"))
    assert loaded.info.name.startswith("2748: 第一届道棋棋王赛")
    assert comment(loaded.game.root).startswith("第一届道棋棋王赛")
    assert "共320手" in comment(loaded.game.root)
    assert loaded.info.result == "W+R"
    assert loaded.game.komi == 2.75


def test_komi_with_a_fraction():
    assert load(data_path("historic", "RentianshiW-appoollooB.sgf")).game.komi == 3.75


def test_markup_of_a_commented_game():
    loaded = load(data_path("historic", "appoollooW-XuqibinB.sgf"))
    third = loaded.game.root.line()[2]
    torus = loaded.game.torus
    assert {torus.name(point, "sgf"): label for point, label in labels(third, 19).items()} == {
        "pm": "a",
        "ol": "b",
        "nl": "c",
        "nk": "d",
    }
    crosses = [node for node in loaded.game.root.walk() if "cross" in marks(node, 19).values()]
    assert len(crosses) == 7
