"""The sample games are what the script generates, in each language."""

from __future__ import annotations

import pytest

from daoqi_tui.engine import Game, Node
from daoqi_tui.i18n import LANGUAGES
from daoqi_tui.record.sgf.info import Info, last_of
from daoqi_tui.record.sgf.markup import comment
from daoqi_tui.record.sgf.read import load
from daoqi_tui.record.sgf.write import dump
from tests.readme.sample_games import GAMES, SAMPLES, sample


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_game_is_what_the_script_makes(name: str, code: str) -> None:
    if code == "zh-TW":
        pytest.importorskip("opencc", reason="OpenCC is not installed")
    game, info = sample(name, code)
    assert info.name.isascii() is (code == "en")
    assert _without_version((GAMES / code / f"{name}.sgf").read_bytes()) == _without_version(dump(game, info))


def _without_version(record: bytes) -> bytes:
    before, _mark, after = record.partition(b"]SZ[")
    return before.rpartition(b"AP[")[0] + after


def test_there_are_no_other_samples() -> None:
    assert sorted(GAMES.rglob("*.sgf")) == sorted(
        GAMES / code / f"{name}.sgf" for code in LANGUAGES for name in SAMPLES
    )


@pytest.mark.parametrize(
    ("name", "moves", "result", "comments"),
    [("across-the-seams", 77, "B+R", 8), ("three-kos-and-a-tie", 266, "W+0", 10)],
)
@pytest.mark.parametrize("code", LANGUAGES)
def test_whole_games_end_as_their_comments_say(name: str, code: str, moves: int, result: str, comments: int) -> None:
    loaded = load((GAMES / code / f"{name}.sgf").read_bytes())
    assert not loaded.problems
    game: Game = loaded.game
    info: Info = loaded.info
    last: Node = last_of(game)
    game.goto(last)
    assert (last.number, str(game.result), info.result) == (moves, result, result)
    said = [comment(node) for node in last.path() if comment(node)]
    assert len(said) == comments
    for words in said:
        assert "\n\n" not in words
        assert words.isascii() is (code == "en")
