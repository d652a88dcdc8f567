import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from daoqi_tui.analysis.opening_index import OpeningIndex
from daoqi_tui.analysis.opening_records import GameRecord, PositionStatistics, WinCounts
from daoqi_tui.engine import BLACK, EMPTY, PASS, WHITE, Board, Game, torus_of
from daoqi_tui.reading.symmetry import BoardPosition, Symmetry


def knights_games() -> list[GameRecord]:
    """Return three games that open with a knight's move in different orientations, and one that does not."""
    torus = torus_of(9)
    middle = torus.point(4, 4)
    return [
        GameRecord("a.sgf", 9, (middle, torus.shift(middle, 2, 1), torus.shift(middle, 4, 4)), BLACK),
        GameRecord("b.sgf", 9, (0, torus.shift(0, -1, 2), torus.shift(0, -4, 4)), WHITE),
        GameRecord("c.sgf", 9, (10, torus.shift(10, 1, -2))),
        GameRecord("d.sgf", 9, (middle, torus.shift(middle, 0, 4)), WHITE),
    ]


def stones(size: int, *points: int) -> Board:
    board = Board(torus_of(size))
    for point in points:
        board.play(point)
    return board


@pytest.fixture
def index():
    with closing(OpeningIndex(":memory:")) as index:
        yield index


def test_games_count_in_whatever_orientation_they_were_played(index: OpeningIndex):
    assert index.add(knights_games()).indexed == 4
    empty = index.at(BoardPosition(9))
    assert empty.tally == WinCounts(4, 1, 2)
    assert [(len(move.points), move.tally.games) for move in empty.moves] == [(81, 4)]
    torus = torus_of(9)
    one = index.at(stones(9, 20))
    assert [move.tally for move in one.moves] == [WinCounts(3, 1, 1), WinCounts(1, 0, 1)]
    knights = {torus.shift(20, down, right) for down, right in ((1, 2), (2, 1), (-1, 2), (-2, 1))}
    knights |= {torus.shift(20, -down, -right) for down, right in ((1, 2), (2, 1), (-1, 2), (-2, 1))}
    assert set(one.moves[0].points) == knights
    two = index.at(stones(9, 20, torus.shift(20, 1, 2)))
    assert two.tally == WinCounts(3, 1, 1)
    assert [move.points for move in two.moves] == [(torus.shift(20, 4, 4),)]


def test_classes_count_all_games_of_a_size(index: OpeningIndex):
    index.add([*knights_games(), GameRecord("e.sgf", 16, (0, 1)), GameRecord("f.sgf", 9, (0,))])
    assert index.sizes() == {9: 5, 16: 1}
    played = {entry.kind.displacement: entry.tally for entry in index.classes(9) if entry.tally.games}
    assert played == {(1, 2): WinCounts(3, 1, 1), (0, 4): WinCounts(1, 0, 1)}
    assert len(index.classes(9)) == 14
    answer = index.as_dict(9)
    assert (answer["games"], [entry["games"] for entry in answer["openings"]]) == (5, [3, 1])
    assert answer["openings"][0]["english"] == "knight's move, (1,2)"


def test_which_games_came_to_a_position(index: OpeningIndex):
    index.add(knights_games())
    assert index.games_at(stones(9, 0, 4)) == ("d.sgf",)
    assert index.games_at(stones(9, 0, 1)) == ()
    assert index.at(stones(9, 0, 1)) == PositionStatistics(WinCounts(0, 0, 0), ())


def test_every_position_of_a_long_game_is_found(index: OpeningIndex):
    chance = random.Random(4)
    board, played = stones(16), []
    for _ in range(60):
        played.append(chance.choice(torus_of(16).points_in(board.legal_mask())))
        board.play(played[-1])
    symmetry = Symmetry.from_index(16, 1234)
    index.add([GameRecord("long.sgf", 16, symmetry.points(played))])
    board = stones(16)
    for move in played:
        found = index.at(board)
        assert found.tally.games == 1
        assert [next_move.points for next_move in found.moves if move in next_move.points] != []
        board.play(move)


def test_a_game_that_comes_to_a_position_twice_counts_once_there(index: OpeningIndex):
    index.add([GameRecord("passes.sgf", 5, (12, PASS, PASS, PASS, 3))])
    found = index.at(BoardPosition(5, 1, 0, WHITE))
    assert found.tally.games == 1
    assert [move.points for move in found.moves] == [(PASS,)]


def test_captures_and_setup_make_the_position(index: OpeningIndex):
    torus = torus_of(5)
    start = BoardPosition(5, torus.mask((1, 5, 11)), torus.mask((6,)), BLACK)
    index.add([GameRecord("setup.sgf", 5, (7, 20), start=start)])
    assert index.at(BoardPosition(5, torus.mask((1, 5, 11, 7)), 0, WHITE)).tally.games == 1
    assert sum(entry.tally.games for entry in index.classes(5)) == 0, "no class without an empty board"


def test_adding_again_is_free_and_changes_are_taken_up(index: OpeningIndex):
    games = knights_games()
    index.add(games)
    again = index.add(games)
    assert (again.indexed, again.unchanged) == (0, 4)
    changed = GameRecord("d.sgf", 9, (0, 1), BLACK)
    added = index.add([*games[:3], changed, GameRecord("e.sgf", 9, (0, 1))])
    assert (added.indexed, added.unchanged) == (2, 3)
    assert index.games_at(stones(9, 0, 4)) == ()
    assert index.at(stones(9, 0, 1)).tally == WinCounts(2, 1, 0)
    assert index.add([GameRecord("e.sgf", 9, (0, 1)), GameRecord("e.sgf", 9, (0, 2))]).indexed == 1
    assert index.games_at(stones(9, 0, 2)) == ("e.sgf",)


def test_a_version_given_with_the_game_decides_whether_it_is_read_again(index: OpeningIndex):
    index.add([GameRecord("a.sgf", 9, (0, 1), version="1")])
    assert index.fingerprints() == {"a.sgf": "1"}
    assert index.add([GameRecord("a.sgf", 9, (0, 2), version="1")]).unchanged == 1
    assert index.add([GameRecord("a.sgf", 9, (0, 2), version="2")]).indexed == 1


def test_removed_games_leave_nothing_behind(index: OpeningIndex):
    index.add(knights_games())
    assert index.remove(["a.sgf", "b.sgf", "nobody.sgf"]) == 2
    assert index.at(BoardPosition(9)).tally == WinCounts(2, 0, 1)
    assert index.remove(["c.sgf", "d.sgf"]) == 2
    assert index.at(BoardPosition(9)) == PositionStatistics(WinCounts(0, 0, 0), ())
    assert index.sizes() == {}


@pytest.mark.parametrize("size", [16, 19])
def test_positions_are_kept_exactly(index: OpeningIndex, size: int):
    points = random.Random(size).sample(range(size * size), 20)
    index.add([GameRecord("game.sgf", size, tuple(points))])
    for moves in range(21):
        assert index.games_at(stones(size, *points[:moves])) == ("game.sgf",)
    free = next(point for point in range(size * size) if point not in points)
    assert index.games_at(stones(size, *points[:19], free)) == (), "one stone stands elsewhere"
    assert index.games_at(stones(size, *points[1:], points[0])) == (), "the colours are others"


def test_games_that_cannot_be_played_are_refused_with_the_reason_and_the_rest_goes_on(index: OpeningIndex):
    added = index.add(
        [
            # A record may play on a stone.
            GameRecord("twice.sgf", 9, (0, 0)),
            GameRecord("off.sgf", 9, (81,)),
            GameRecord("good.sgf", 9, (0, 1)),
            GameRecord("huge.sgf", 99, (0, 1)),
            # The surrogate with which Path represents a file name that is not UTF-8.
            GameRecord("\udcff.sgf", 9, (0, 1)),
        ]
    )
    assert added.indexed == 2
    reasons = {source: str(reason) for source, reason in added.refused}
    assert reasons["off.sgf"] == "move 81 is off the board: 0 to 80, or -1 for a pass"
    assert "99" in reasons["huge.sgf"]
    assert "surrogates not allowed" in reasons["\udcff.sgf"]
    assert index.sizes() == {9: 2}


def test_the_record_of_a_game_is_its_main_line():
    game = Game(9, handicap=2)
    for point in (1, 2, 3):
        game.play(point)
    game.undo()
    game.play(30)
    record = GameRecord.of("game.sgf", game, WHITE)
    assert (record.moves, record.winner) == ((1, 2, 3), WHITE)
    assert record.start is not None
    assert (record.start.black.bit_count(), record.start.to_move) == (2, WHITE)
    assert GameRecord.of("empty.sgf", Game(9)).winner == EMPTY


def test_the_index_is_kept_on_disk(tmp_path: Path):
    path = tmp_path / "openings.sqlite3"
    with closing(OpeningIndex(path)) as index:
        index.add(knights_games())
    with closing(OpeningIndex(path)) as index:
        assert index.at(BoardPosition(9)).tally.games == 4
        assert index.add(knights_games()).unchanged == 4


def test_an_index_of_another_version_is_emptied(tmp_path: Path):
    path = tmp_path / "openings.sqlite3"
    with closing(OpeningIndex(path)) as index:
        index.add(knights_games())
    file = sqlite3.connect(path)
    file.execute("PRAGMA user_version = 99")
    file.close()
    with closing(OpeningIndex(path)) as index:
        assert index.sizes() == {}
        assert index.add(knights_games()).indexed == 4


def test_what_another_program_adds_to_a_new_index_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "openings.sqlite3"
    begin = OpeningIndex._transaction

    def late(index: OpeningIndex) -> sqlite3.Connection:
        monkeypatch.undo()
        with closing(OpeningIndex(path)) as other:
            other.add(knights_games())
        return begin(index)

    monkeypatch.setattr(OpeningIndex, "_transaction", late)
    with closing(OpeningIndex(path)) as index:
        assert index.sizes() == {9: 4}


def test_a_file_that_is_no_index_is_replaced(tmp_path: Path):
    path = tmp_path / "openings.sqlite3"
    path.write_text("not a database, and long enough to be looked at " * 40)
    with closing(OpeningIndex(path)) as index:
        assert index.add(knights_games()).indexed == 4
    other = tmp_path / "other.sqlite3"
    with closing(sqlite3.connect(other)) as file:
        file.executescript(
            "CREATE TABLE games (name TEXT); INSERT INTO games VALUES ('chess'); PRAGMA user_version = 3"
        )
    with closing(OpeningIndex(other)) as index:
        assert index.add(knights_games()).indexed == 4
    with pytest.raises(OSError, match="cannot be opened"):
        OpeningIndex(tmp_path / "nowhere" / "openings.sqlite3")
