"""The game library: files are authoritative, the index follows them, and nothing is ever lost."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from daoqi_tui.engine import Game
from daoqi_tui.i18n import translate, use_language
from daoqi_tui.record import Info, SgfError, library_index, load
from daoqi_tui.record import library as library_module
from daoqi_tui.record.library import INDEX, Library, safe_stem
from daoqi_tui.record.sgf import read
from daoqi_tui.record.sgf.read import load_all
from tests.full_disk import fail_as_full
from tests.shared_data import data_path


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    library = Library(tmp_path / "games")
    yield library
    library.close()


def game_of(*points: int, size: int = 5) -> Game:
    game = Game(size)
    for point in points:
        game.play(point)
    return game


def names(library: Library) -> list[str]:
    return [entry.file for entry in library.games().entries]


def sgf(**properties: str) -> bytes:
    said = "".join(f"{name}[{value}]" for name, value in properties.items())
    return f"(;GM[1]SZ[5]TO[3]{said};B[aa];W[bb])".encode()


# Names


@pytest.mark.parametrize(
    ("text", "stem"),
    [
        ("2024-05-01 Ke – Go", "2024-05-01 Ke – Go"),
        ("../../etc/passwd", "etc passwd"),
        (r"C:\games\a?b*c", "C games a b c"),
        (" .hidden. ", "hidden"),
        ("NUL", "NUL_"),
        ("com1.x", "com1_"),
        ("", "game"),
        ("\x1b]0;title\x07 \u202e道棋", "]0;title 道棋"),
        ("Cafe\u0301", "Café"),
    ],
)
def test_names_are_safe(text: str, stem: str):
    assert safe_stem(text) == stem


@pytest.mark.parametrize("letter", ["x", "é", "道", "🀄"])
def test_long_names_fit(letter: str):
    stem = safe_stem(letter * 500)
    assert 150 < len(stem.encode()) <= 180
    assert set(stem) == {letter}


def test_two_games_called_the_same_are_both_kept(library: Library):
    info = Info(black="Ke", white="Go", date="2024-05-01")
    paths = [library.add(game_of(point), info) for point in range(3)]
    assert [path.name for path in paths] == [
        "2024-05-01 Ke – Go.sgf",
        "2024-05-01 Ke – Go (2).sgf",
        "2024-05-01 Ke – Go (3).sgf",
    ]
    assert [load(path).game.root.children[0].move.point for path in paths] == [0, 1, 2]


# The list


def test_an_entry_tells_what_the_list_shows(library: Library):
    game = game_of(0, 24)
    game.resign()
    library.add(game, Info(black="Ke\x1b[31m", white="Go", black_rank="9p", date="2024-05-01", event="Cup"))
    (entry,) = library.games().entries
    assert (entry.black, entry.white, entry.date, entry.name) == ("Ke␛[31m 9p", "Go", "2024-05-01", "Cup")
    assert (entry.size, entry.moves, entry.komi, entry.result) == (5, 2, 4, "W+R")
    assert entry.stones() == bytes([1] + [0] * 23 + [2])


@pytest.mark.parametrize("size", [2, 3, 7, 16, 19, 25])
def test_the_final_board_survives_packing(library: Library, size: int):
    rng, game = Random(size), Game(size)
    for _ in range(size * size):
        points = game.legal_points()
        if points:
            game.play(rng.choice(points))
    library.add(game)
    (entry,) = library.games().entries
    assert entry.stones() == bytes(game.board.colours)


def test_newest_first(library: Library):
    for date in ("2021-01-02", "2024-01-01", "", "2021-01-01"):
        library.add(game_of(1), Info(black="B", date=date))
    assert [entry.date for entry in library.games().entries] == ["2024-01-01", "2021-01-02", "2021-01-01", ""]


def test_files_may_come_change_and_go(library: Library):
    library.folder.mkdir()
    path = library.folder / "by hand.SGF"
    path.write_bytes(sgf(PB="Ann"))
    (library.folder / "other.txt").write_bytes(sgf(PB="Text"))
    (library.folder / ".hidden.sgf").write_bytes(sgf(PB="Hidden"))
    (library.folder / "empty.sgf").touch()
    (library.folder / "folder.sgf").mkdir()
    (library.folder / "link.sgf").symlink_to(library.folder / "missing")
    assert [entry.black for entry in library.games().entries] == ["Ann"]
    path.write_bytes(sgf(PB="Beatrix"))
    assert [entry.black for entry in library.games().entries] == ["Beatrix"]
    path.write_bytes(sgf(PB="Cecilia"))
    os.utime(path, ns=(1, 1))
    assert [entry.black for entry in library.games().entries] == ["Cecilia"]
    path.unlink()
    assert library.games().entries == ()
    assert library.search("cecilia", library.games().entries) == ()


def test_a_file_that_cannot_be_read_is_listed_with_its_reason(library: Library):
    library.folder.mkdir()
    (library.folder / "bad.sgf").write_bytes(b"no game")
    (entry,) = library.games().entries
    assert entry.size == 0
    assert "not a game record" in str(entry.problem)
    assert library.games().unread == 0


def test_reading_is_spread_over_time(library: Library):
    for point in range(25):
        for other in range(5):
            if other != point:
                library.add(game_of(point, other), Info(black=f"{point} {other}"))
    (library.folder / INDEX).unlink()
    library.close()
    listing = library.games(budget=0)
    assert (len(listing.entries), listing.unread) == (50, 70)
    listing = library.games()
    assert (len(listing.entries), listing.unread) == (120, 0)


def test_each_file_is_read_once_without_its_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    games = Library(tmp_path)
    for number in range(120):
        (games.folder / f"{number}.sgf").write_bytes(sgf(GN=f"{number}"))
    calls: Counter[str] = Counter()

    def counted(name: str, before: Any, *given: Any) -> Any:
        calls[name] += 1
        return before(*given)

    # A plain game is replayed without the nodes of a tree.
    for module, name in ((library_module, "read_record"), (read, "_parsed"), (read, "_built"), (games._index, "put")):
        monkeypatch.setattr(module, name, partial(counted, name, getattr(module, name)))
    games.games()
    assert calls == {"read_record": 120, "_parsed": 120, "put": 3}
    (games.folder / "0.sgf").write_bytes(sgf(GN="another name"))
    assert len(games.games().entries) == 120
    assert calls == {"read_record": 121, "_parsed": 121, "put": 4}


def test_however_slow_the_machine_a_listing_is_whole_unless_it_is_given_a_time(
    library: Library, monkeypatch: pytest.MonkeyPatch
):
    library.folder.mkdir()
    for number in range(101):
        (library.folder / f"{number}.sgf").write_bytes(sgf(GN=f"{number}"))
    seconds = iter(range(0, 10_000, 60))
    monkeypatch.setattr("daoqi_tui.record.library.time.monotonic", lambda: next(seconds))
    listing = library.games()
    assert (len(listing.entries), listing.unread) == (101, 0)


def test_a_missing_or_unreadable_folder(tmp_path: Path):
    with closing(Library(tmp_path / "missing")) as missing:
        assert missing.games().entries == ()
    assert not (tmp_path / "missing").exists()
    (tmp_path / "file").touch()
    with closing(Library(tmp_path / "file")) as unreadable:
        assert "cannot be read" in str(unreadable.games().problem)


# Searching


def test_search(library: Library):
    library.add(game_of(1), Info(black="Ke Jie", white="AlphaGo", date="2017-05-27", result="W+R"))
    library.add(game_of(2), Info(black="appoolloo", white="Yufeng", date="2005-03-01", comment="第一届道棋棋王赛"))
    library.folder.joinpath("c.sgf").write_bytes(sgf(PB="Éva", C="A ladder round the world, 100% sure_"))
    entries = library.games().entries

    def found(text: str) -> list[str]:
        return [entry.black for entry in library.search(text, entries)]

    assert found("") == [entry.black for entry in entries]
    assert found("kE jie") == ["Ke Jie"]
    assert found("jie 2017") == ["Ke Jie"]
    assert found("w+r") == ["Ke Jie"]
    assert found("道棋") == ["appoolloo"]
    assert found("éVA") == ["Éva"]
    assert found("Ladder") == ["Éva"]
    assert found("100%") == ["Éva"]
    assert found("sure_") == ["Éva"]
    assert found("%") == ["Éva"]
    assert found("ke yufeng") == []
    assert found("'; DROP TABLE games; --") == []
    assert found("\x00\ud800") == []


# The index


@pytest.mark.parametrize("damage", ["missing", "random", "empty", "folder", "beginning", "middle", "cut", "version"])
def test_a_damaged_index_is_made_again(library: Library, damage: str):
    for point in range(20):
        library.add(game_of(point), Info(black=f"Player {point}", comment="x" * 500))
    before = library.games().entries
    library.close()
    index = library.folder / INDEX
    data = index.read_bytes()
    if damage == "missing":
        index.unlink()
    elif damage == "random":
        index.write_bytes(Random(1).randbytes(20_000))
    elif damage == "empty":
        index.write_bytes(b"")
    elif damage == "folder":
        index.unlink()
        index.mkdir()
        (index / "file").touch()
    elif damage == "version":
        index.write_bytes(data[:60] + b"\0\0\0\x63" + data[64:])
    elif damage == "cut":
        index.write_bytes(data[: len(data) // 2])
    else:
        start = 0 if damage == "beginning" else len(data) // 2
        index.write_bytes(data[:start] + Random(1).randbytes(5000) + data[start + 5000 :])
    assert library.games().entries == before
    assert library.games(budget=0).unread == 0
    assert len(library.search("player", before)) == 20


def test_an_index_damaged_while_it_is_open(library: Library):
    for point in range(20):
        library.add(game_of(point), Info(black=f"Player {point}"))
    before = library.games().entries
    index = library.folder / INDEX
    index.write_bytes(Random(2).randbytes(index.stat().st_size))
    os.utime(index)
    for _ in range(2):
        assert library.games().entries == before
    library.search("player", before)


def test_a_game_is_found_by_the_words_of_its_row(tmp_path: Path):
    for language, words in (
        ("en", {"b+r": "A", "w+t": "B", "9x9": "B", "5×5": "ACD", "w+0": "C"}),
        (
            "zh",
            {"中盘胜": "A", "黑中盘胜 a": "A", "超时": "B", "平局": "C", "黑胜 3 目": "D", "黑胜3目": "D", "b+r": "A"},
        ),
        ("zh-TW", {"中盤勝": "A", "超時": "B", "白勝": "C"}),
    ):
        use_language(language)
        with closing(Library(tmp_path / language, translate=translate)) as library:
            for black, size, result in (("A", 5, "B+R"), ("B", 9, "W+Time"), ("C", 5, "W+0"), ("D", 5, "B+3")):
                library.add(game_of(1, size=size), Info(black=black, result=result))
            entries = library.games().entries
            for text, found in words.items():
                assert "".join(sorted(entry.black for entry in library.search(text, entries))) == found, (
                    language,
                    text,
                )


def test_a_search_for_very_many_words_keeps_the_index(library: Library):
    said = [f"word{number}" for number in range(1200)]
    library.add(game_of(1), Info(black="Ann", comment=" ".join(said)))
    library.add(game_of(2), Info(black="Bea", comment=" ".join(said[:-1])))
    entries = library.games().entries
    assert [entry.black for entry in library.search(" ".join(said), entries)] == ["Ann"]
    library.search("\ud800", entries)
    assert len(rows_of(library)) == 2


def test_a_busy_index_is_kept(library: Library, monkeypatch: pytest.MonkeyPatch):
    library.add(game_of(1), Info(black="Ann"))
    entries = library.games().entries
    library.close()
    monkeypatch.setattr(library_index, "_BUSY", 0)
    assert len(rows_of(library)) == 1
    with closing(sqlite3.connect(library.folder / INDEX)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert names(library) == ["Ann – White.sgf"]
        library.search("ann", entries)
    assert len(rows_of(library)) == 1


def rows_of(library: Library) -> list[tuple[object, ...]]:
    """Return the rows of the index on disk."""
    library.games(budget=0)
    with closing(sqlite3.connect(library.folder / INDEX)) as database:
        return database.execute("SELECT file FROM games").fetchall()


def test_bits_turned_in_the_index_never_raise(library: Library):
    for point in range(10):
        library.add(game_of(point), Info(black=f"Player {point}"))
    library.close()
    index = library.folder / INDEX
    data, rng = index.read_bytes(), Random(7)
    for place in rng.sample(range(len(data)), 150):
        flipped = bytearray(data)
        flipped[place] ^= 1 << rng.randrange(8)
        index.write_bytes(flipped)
        listing = library.games()
        assert len(listing.entries) == 10
        library.search("player", listing.entries)
        library.close()


def test_without_a_place_for_the_index_it_is_in_memory(library: Library, monkeypatch: pytest.MonkeyPatch):
    library.add(game_of(1), Info(black="Ke"))
    library.close()
    real = sqlite3.connect

    def refusing(name: str, **options: Any):
        if name != ":memory:":
            raise sqlite3.OperationalError("unable to open database file")
        return real(name, **options)

    monkeypatch.setattr(library_index.sqlite3, "connect", refusing)
    assert names(library) == ["Ke – White.sgf"]
    assert len(library.search("ke", library.games().entries)) == 1


def test_two_windows_see_each_others_games(library: Library):
    other = Library(library.folder)
    assert names(other) == names(library) == []
    library.add(game_of(1), Info(black="Ann"))
    other.add(game_of(2), Info(black="Bea"))
    assert sorted(names(library)) == sorted(names(other)) == ["Ann – White.sgf", "Bea – White.sgf"]
    other.close()


# Importing


def test_import_keeps_a_record_byte_for_byte(library: Library):
    path = data_path("historic", "2748_YufengW-appoollooB.sgf")
    imported = library.import_files([path])
    assert imported.problems == ()
    (file,) = imported.files
    assert library.path(file).read_bytes() == path.read_bytes()
    assert "道棋棋王赛" in library.games().entries[0].name
    assert library.import_files([path]).files == (file,), "the same file again is the same game"


_NGF = "Friendly game\n19\nwhitey 9D\nblacky 8D\nwww\n0\n0\n6\n20230213\n5\nWhite wins by 3.5\n2\n"
_UGF = "[Header]\nSize=19\nHdcp=0,6.5\nLang=X\nPlayerB=Ke\nPlayerW=Go\n[Data]\nQD,B1,1,0\n##,W2,2,0\n"
_GIB = (
    "\\HS\n\\[GAMEBLACKNAME=Ke\\]\n\\[GAMEWHITENAME=Go\\]\n\\HE\n\\GS\n"
    "INI 0 1 0 &4\nSTO 0 2 1 3 3\nSTO 0 3 2 99 3\nSTO 0 4 1 3 3\n"
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("game.ngf", _NGF + "PMABBQEEQ\nPMACW##QQ\n"),
        ("game.ugf", _UGF),
        ("game.gib", _GIB),
        ("game.sgf", "(;GM[1]SZ[9]AP[foxwq]KM[375]PB[Ke];B[aa];W[zz])"),
        ("games.sgf", "(;SZ[9]PB[Ke];B[aa];W[zz])(;SZ[9]PB[Go];B[zz])"),
    ],
)
def test_an_import_lists_what_opening_the_file_lists(name: str, text: str, library: Library, tmp_path: Path):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    games = list(load_all(path))
    listed = [str(problem.message) for loaded in games for problem in loaded.problems]
    assert listed
    imported = library.import_files([path])
    assert len(imported.files) == len(games)
    told = " ".join(map(str, imported.repairs))
    assert all(message in told for message in listed)
    assert all(str(repair).startswith(name) for repair in imported.repairs)


def test_import_makes_a_file_of_each_game(library: Library, tmp_path: Path):
    path = tmp_path / "collection.sgf"
    path.write_bytes("".join(f"(;GM[1]SZ[5]CA[GBK]PB[黑{n}]PW[白];B[aa]C[好 {n}])" for n in range(3)).encode("gbk"))
    imported = library.import_files([path])
    assert imported.problems == ()
    assert sorted(imported.files) == [f"黑{n} – 白.sgf" for n in range(3)]
    assert load(library.path("黑2 – 白.sgf")).game.root.children[0].properties == {"C": ["好 2"]}


def test_the_index_takes_many_imported_games_at_a_time(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "many.sgf"
    path.write_bytes(b"".join(b"(;GM[1]SZ[5]TO[3]PB[Ann %d];B[aa])" % number for number in range(120)))
    put, counts = library_index.Index.put, []

    def counting(self: library_index.Index, rows: Iterable[tuple[library_index.LibraryEntry, str]]):
        rows = list(rows)
        counts.append(len(rows))
        put(self, rows)

    monkeypatch.setattr(library_index.Index, "put", counting)
    assert len(library.import_files([path]).files) == 120
    assert counts == [50, 50, 20]
    listing = library.games(budget=0)
    assert (len(listing.entries), listing.unread) == (120, 0)
    assert len(counts) == 3, "no file has to be read again"
    assert len(library.import_files([path]).files) == 120
    assert len(counts) == 3, "nothing is new"


def test_importing_games_called_the_same_opens_each_file_once(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "unnamed.txt"
    path.write_bytes(b"".join(b"(;GM[1]SZ[9]TO[3];B[aa]C[%03d])" % number for number in range(100)))
    opened: Counter[str] = Counter()
    real = Path.open

    def counting(self: Path, *args: Any, **kwargs: Any):
        opened[self.name] += 1
        return real(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", counting)
    files = library.import_files([path]).files
    assert files[:2] == ("unnamed.sgf", "unnamed (2).sgf")
    assert len(set(files)) == 100
    # Created, found to exist, and read for comparison with the next game of the same size.
    assert max(opened.values()) <= 3
    opened.clear()
    assert library.import_files([path]).files == files
    assert max(opened.values()) <= 2


def test_importing_goes_on_in_a_gap_and_after_a_game_that_was_removed_meanwhile(library: Library, tmp_path: Path):
    for number in range(3):
        library.add(game_of(number), Info(black="Ann", white="W"))
    library.path("Ann – W (2).sgf").unlink()
    assert library.add(game_of(2), Info(black="Ann", white="W")).name == "Ann – W (2).sgf"
    twice = sgf(PB="Bea")
    paths = [tmp_path / "one.sgf", tmp_path / "two.sgf"]

    def removing() -> Iterator[Path]:
        for path in paths:
            path.write_bytes(twice)
            yield path
            library.path("Bea – White.sgf").unlink()

    assert library.import_files(removing()).files == ("Bea – White.sgf", "Bea – White.sgf")


def test_an_imported_file_is_listed_whatever_it_is_called(library: Library, tmp_path: Path):
    (tmp_path / ".hidden.sgf").write_bytes(sgf())
    assert library.import_files([tmp_path / ".hidden.sgf"]).files == ("hidden.sgf",)
    assert names(library) == ["hidden.sgf"]


@pytest.mark.skipif(sys.platform in {"darwin", "win32"}, reason="names of files are Unicode on this system")
def test_a_name_that_is_not_utf_8(library: Library, tmp_path: Path):
    """As in old archives: it can be listed and searched, also from the index, and imported, renamed and deleted."""
    name = os.fsdecode(b"Gr\xfc\xdfe.sgf")
    (tmp_path / name).write_bytes(sgf())
    (imported,) = library.import_files([tmp_path / name]).files
    library.folder.joinpath(name).write_bytes(sgf(PB="Ke"))
    for _ in range(2):
        assert {entry.file for entry in library.games().entries} == {name, imported}
        assert [entry.file for entry in library.search("ke", library.games().entries)] == [name]
        library.close()
    library.delete(imported)
    library.rename(name, black="Shi")
    assert [entry.black for entry in library.games().entries] == ["Shi"]


def test_import_goes_on_after_a_file_that_cannot_be_read(library: Library, tmp_path: Path):
    (tmp_path / "bad.sgf").write_bytes(b"no game")
    (tmp_path / "good.sgf").write_bytes(sgf())
    imported = library.import_files([tmp_path / "bad.sgf", tmp_path / "missing.sgf", tmp_path / "good.sgf"])
    assert imported.files == ("good.sgf",)
    assert [str(problem) for problem in imported.problems] == [
        "bad.sgf: line 1, column 1: this is not a game record: neither SGF, GIB, NGF nor UGF",
        "missing.sgf: No such file or directory",
    ]


def test_import_of_a_folder_tells_which_folder_below_cannot_be_read(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (locked := tmp_path / "games" / "locked").mkdir(parents=True)
    (tmp_path / "games" / "a.sgf").write_text("(;GM[1]SZ[9]TO[3];B[aa])")
    scan = os.scandir

    def refusing(path: str):
        if Path(path) == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr("os.scandir", refusing)
    imported = library.import_below(tmp_path / "games")
    assert len(imported.files) == 1
    assert [str(problem) for problem in imported.problems] == ["locked: Permission denied"]


def test_import_remembers_that_a_record_is_of_a_torus(library: Library, tmp_path: Path):
    path = tmp_path / "plain.sgf"
    path.write_bytes(b"(;GM[1]SZ[5]PB[Ke];B[aa])")
    (file,) = library.import_files([path], torus=True).files
    assert load(library.path(file)).declared is True


# Changing


def test_rename_changes_the_names_and_nothing_else(library: Library):
    path = data_path("historic", "appoollooW-XuqibinB.sgf")
    (file,) = library.import_files([path]).files
    before = load(library.path(file))
    renamed = library.rename(file, black="徐]启彬", name="Final\nround")
    after = load(renamed)
    assert (after.info.black, after.info.white, after.info.name) == ("徐]启彬", before.info.white, "Final round")
    for node, copy in zip(before.game.root.walk(), after.game.root.walk(), strict=True):
        assert copy.action == node.action
        if node.parent is not None:
            assert copy.properties == node.properties
    assert names(library) == [renamed.name]
    assert "徐]启彬" in renamed.name


def test_rename_keeps_what_it_could_not_keep_in_the_trash(library: Library):
    library.folder.mkdir()
    path = library.folder / "a.sgf"
    path.write_bytes(b"(;GM[1]SZ[5]PB[Ann] junk [x];B[aa]")
    old = path.read_bytes()
    library.rename("a.sgf", black="Bea")
    (kept,) = (library.folder / "trash").iterdir()
    assert kept.read_bytes() == old
    assert [entry.black for entry in library.games().entries] == ["Bea"]


def test_rename_onto_a_name_that_is_taken(library: Library):
    library.add(game_of(1), Info(black="Ann", white="W"))
    path = library.add(game_of(2), Info(black="Bea", white="W"))
    assert library.rename(path.name, black="Ann").name == "Ann – W (2).sgf"
    assert sorted(names(library)) == ["Ann – W (2).sgf", "Ann – W.sgf"]


def test_a_rename_that_fails_reserves_no_name(library: Library, monkeypatch: pytest.MonkeyPatch):
    path = library.add(game_of(2), Info(black="Bea", white="W"))
    replace = Path.replace

    def refuse(path: Path, target: Path) -> Path:
        if target.name.startswith("Ann"):
            raise OSError("refused")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="refused"):
        library.rename(path.name, black="Ann")
    assert [file.name for file in library.folder.glob("*.sgf")] == [path.name]


def test_a_rename_that_cannot_keep_the_old_file_leaves_nothing_in_the_trash(
    library: Library, monkeypatch: pytest.MonkeyPatch
):
    library.folder.mkdir()
    (library.folder / "a.sgf").write_bytes(b"(;GM[1]SZ[5]PB[Ann] junk [x];B[aa]")
    monkeypatch.setattr("daoqi_tui.record.library.write_atomically", _refused)
    with pytest.raises(OSError, match="refused"):
        library.rename("a.sgf", black="Bea")
    assert list((library.folder / "trash").iterdir()) == []


def _refused(*_: object) -> None:
    raise OSError("refused")


def test_rename_what_cannot_be_read(library: Library):
    library.folder.mkdir()
    (library.folder / "bad.sgf").write_bytes(b"no game")
    with pytest.raises(SgfError):
        library.rename("bad.sgf", black="Ann")
    assert (library.folder / "bad.sgf").read_bytes() == b"no game"


def test_deleted_games_are_in_the_trash_and_come_back(library: Library):
    info = Info(black="Ann", white="W")
    trashed = []
    for point in (1, 2):
        path = library.add(game_of(point), info)
        trashed.append(library.delete(path.name))
    assert names(library) == []
    assert [path.name for path in trashed] == ["Ann – W.sgf", "Ann – W (2).sgf"]
    assert load(trashed[0]).game.root.children[0].move.point == 1
    restored = library.restore(trashed[1], "Ann – W.sgf")
    assert load(restored).game.root.children[0].move.point == 2
    assert names(library) == ["Ann – W.sgf"], "whatever the trash called it"
    library.restore(trashed[0], "Ann – W.sgf")
    assert sorted(names(library)) == ["Ann – W (2).sgf", "Ann – W.sgf"], "as names that are taken are elsewhere"


def test_a_deleted_game_comes_back_with_the_ending_of_its_name(library: Library):
    library.folder.mkdir()
    for _again in range(2):
        (library.folder / "a.SGF").write_bytes(sgf())
        trashed = library.delete("a.SGF")
    assert library.restore(trashed, "a.SGF").name == "a.SGF"
    assert names(library) == ["a.SGF"]


def test_deleting_what_is_gone_leaves_no_trace(library: Library):
    with pytest.raises(FileNotFoundError):
        library.delete("missing.sgf")
    assert list((library.folder / "trash").iterdir()) == []


def test_names_from_outside_stay_inside(library: Library, tmp_path: Path):
    (tmp_path / "secret.sgf").write_bytes(sgf())
    with pytest.raises(FileNotFoundError):
        library.delete("../secret.sgf")
    assert (tmp_path / "secret.sgf").exists()


def test_a_full_disk_leaves_no_half_game(library: Library, monkeypatch: pytest.MonkeyPatch):
    library.folder.mkdir()
    monkeypatch.setattr(os, "fsync", fail_as_full)
    with pytest.raises(OSError, match="No space"):
        library.add(game_of(1), Info(black="Ann"))
    assert [path for path in library.folder.iterdir() if path.name != INDEX] == []


def test_renaming_a_record_whose_encoding_was_guessed_keeps_the_old_one(tmp_path: Path):
    library = Library(tmp_path)
    old = "(;SZ[9]TO[3]PB[井山裕太];B[aa])".encode("cp932")
    with closing(library):
        file = library.put("old.sgf", old).name
        library.rename(file, white="x")
    assert [path.read_bytes() for path in (tmp_path / "trash").glob("*.sgf")] == [old]


# Fields


def test_fields_are_searched(tmp_path: Path):
    with closing(Library(tmp_path / "games", classify=lambda game: len(game.moves()))) as library:
        library.add(game_of(1), Info(black="Ke Jie", white="AlphaGo", date="2017-05-27", result="W+R"))
        library.add(game_of(2, 3, size=9), Info(black="appoolloo", white="Ke Xin", date="2005-03", result="B+12"))
        library.folder.joinpath("c.sgf").write_bytes(b"no game")
        entries = library.games().entries

        def found(text: str) -> list[str]:
            return sorted(entry.black for entry in library.search(text, entries))

        assert found("player:ke") == ["Ke Jie", "appoolloo"]
        assert found("black:ke") == ["Ke Jie"]
        assert found("white:KE") == ["appoolloo"]
        assert found("size:9") == found("size:>5") == found("moves:2") == found("opening:2") == ["appoolloo"]
        assert found("size:<=5") == found("result:w+") == found("date:2017") == found("date:>2016") == ["Ke Jie"]
        assert found("date:<2017") == found("date:>=2005 date:<=2016") == found("date:=2005-03") == ["appoolloo"]
        assert found("date:>2017") == found("date:<2005-03-07") == found("date:=2005-03-07") == []
        assert found("date:<=2005-03-07") == ["appoolloo"]
        assert found("date:>=2017 jie") == ["Ke Jie"]
        assert found("size:many") == found("nothing:9") == found("whıte:ke") == []
        assert found("komi:4") == ["Ke Jie", "appoolloo"]
