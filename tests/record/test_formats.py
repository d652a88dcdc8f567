"""Records in other formats are read like the same game in SGF; a board drawn as text is read as a position."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from daoqi_tui.engine import BLACK, WHITE, Game, Style
from daoqi_tui.pictures.text import Stones, text_picture
from daoqi_tui.record import SgfError, dump, load
from daoqi_tui.record.formats import parse, records_below
from daoqi_tui.record.library import Library, split
from daoqi_tui.record.sgf.markup import comment, names_of
from daoqi_tui.record.sgf.read import games_in

GIB = r"""\HS
\[GIBOKIND=Global\]
\[GAMECONDITION=2 Handicap\]
\[GAMEDATE=2024- 5- 1-17-29-25\]
\[GAMEPLACE=Tygem Baduk\]
\[GAMEWHITENAME=Seong (7D)\]
\[GAMEBLACKNAME=Li [x] (5D)\]
\[GAMEINFOMAIN=GBKIND:3,GTYPE:1,GRLT:1,ZIPSU:125,DUM:0,GONGJE:5,TCNT:3,AUSZ:0\]
\HE
\GS
2 1 0
5 0 &4
INI 0 1 2 &4
STO 0 2 2 2 2
SKI 0 3
STO 0 4 2 18 18
STO 0 5 1 19 0
STO 0 6 1 0 18
\GE
"""
NGF = """Rated game
9
seong      7D*
li         5DP
www.example.org
0
0
6
20240501 [09:51]
5
Black wins by  2.5 points!
4
PMABBBBBB
PMACWJJJJ
PMADBZZZZ
PMAEBFFFF
"""
UGF = """[Header]
Ver=UGF3,200
Title=Friendly,,
Place=Club
Date=2024/05/01,22:09:00,2024/05/01,23:16:59
Rule=JPN
Size=9
Hdcp=0,5.50
Winner=W,C
CoordinateType=IGS
PlayerB=li,5d,,
PlayerW=seong,7d?,,
[Data]
AI,B1,1,0
IA,W1,2,0
YA,B1,3,0
[Figure]
"""
UGI = (
    UGF.replace("Winner=W,C", "Winner=B,7.50")
    + """[ReviewNode]
NODE,1,0,0,0
NODE,2,1,1,9
NODE,3,2,9,1
  VARIATION,
    NODE,6,1,5,5
      VARIATION,
        NODE,8,2,4,4
      VARIATIONEND,
    NODE,7,2,3,3
  VARIATIONEND,
NODE,4,1,10,10
NODE,5,0,0,0
[ReviewComment]
.Comment,2
 li: hello [all]
 seong: hi
.Comment,6
tengen
"""
)


def _moves(data: str) -> list[str]:
    game = load(data.encode(), torus=True).game
    torus = game.torus
    return [
        "pass" if node.move.is_pass else torus.name(node.move.point)
        for node in game.root.line()
        if node.move is not None
    ]


def test_gib() -> None:
    loaded = load(GIB.encode(), torus=True)
    info, game = loaded.info, loaded.game
    assert (info.black, info.black_rank, info.white, info.white_rank) == ("Li [x]", "5D", "Seong", "7D")
    assert (info.date, info.place, info.result, info.handicap) == ("2024-05-01", "Tygem Baduk", "W+12.5", 2)
    assert game.torus.size == 19
    assert game.komi == 0.5
    game.goto(game.root)
    assert {game.torus.name(point) for point in range(361) if game.board.colours[point] == BLACK} == {"P16", "D4"}
    assert _moves(GIB) == ["C17", "pass", "S1", "pass", "A1"]
    assert [problem.line for problem in loaded.problems] == [17]
    assert "B[ta] is off the board: read as a pass" in str(loaded.problems[0])


@pytest.mark.parametrize(
    ("written", "name", "rank"),
    [
        ("Li", "Li", ""),
        (" Li  ( 5D ) ", "Li", "5D"),
        ("Li(x) (5D)", "Li(x)", "5D"),
        ("(5D)", "(5D)", ""),
        ("Li (5D", "Li (5D", ""),
        ("Li (5D))", "Li (5D))", ""),
        pytest.param(f"Li{' ' * 200_000}x", f"Li{' ' * 200_000}x", "", id="spaces"),
    ],
)
def test_a_player_of_a_gib_file_may_have_a_rank(written: str, name: str, rank: str) -> None:
    root = parse(GIB.replace("Seong (7D)", written).encode()).roots[0]
    assert root.properties["PW"] == [" ".join(name.split())]
    assert root.properties.get("WR", [""]) == [rank]


def test_the_star_points_of_a_third_stone() -> None:
    game = load(GIB.replace("INI 0 1 2", "INI 0 1 3").encode(), torus=True).game
    game.goto(game.root)
    black = {game.torus.name(point) for point in range(361) if game.board.colours[point] == BLACK}
    assert black == {"P16", "D4", "D16"}


def test_ngf() -> None:
    loaded = load(NGF.encode(), torus=True)
    info = loaded.info
    assert (info.black, info.black_rank, info.white, info.white_rank) == ("li", "5p", "seong", "7d")
    assert (info.date, info.place, info.result, info.event) == ("2024-05-01", "www.example.org", "B+2.5", "Rated game")
    assert (loaded.game.torus.size, loaded.game.komi) == (9, 6.5)
    assert _moves(NGF) == ["A9", "I1", "pass", "E5"]
    assert [problem.line for problem in loaded.problems] == [15]


@pytest.mark.parametrize(
    ("said", "result"),
    [("White wins by 12.5 points!", "W+12.5"), (f"White wins by {'9' * 400}.5 points!", "W+"), ("Black wins!", "B+")],
)
def test_the_result_of_an_ngf_file(said: str, result: str) -> None:
    lines = NGF.splitlines()
    lines[10] = said
    assert load("\n".join(lines).encode(), torus=True).info.result == result


def test_ufg_counts_rows_from_below() -> None:
    loaded = load(UGF.encode(), torus=True)
    info = loaded.info
    assert (info.black, info.black_rank, info.white, info.white_rank) == ("li", "5d", "seong", "7d?")
    assert (info.date, info.place, info.result, info.event) == ("2024-05-01", "Club", "W+R", "Friendly")
    assert (loaded.game.torus.size, loaded.game.komi, info.rules) == (9, 5.5, "Japanese")
    assert _moves(UGF) == ["A9", "I1", "pass"]
    assert _moves(UGF.replace("IGS", "JPN")) == ["A1", "I9", "pass"]


def test_a_reviewed_game_keeps_variations_and_comments() -> None:
    game = load(UGI.encode(), torus=True).game
    assert _moves(UGI) == ["A9", "I1", "pass"]
    first = game.root.children[0]
    assert comment(first) == "li: hello [all]\nseong: hi"
    main, variation = first.children[0].children
    assert main.move is not None
    assert main.move.is_pass
    assert comment(variation) == "tengen"
    assert [node.move and game.torus.name(node.move.point) for node in variation.children] == ["C3", "D4"]


def test_a_comment_of_very_many_lines() -> None:
    lines = "\n".join(f"{'x' * 100}{number}" for number in range(100_000))
    root = parse(f"{UGI}.Comment,2\n{lines}\n".encode()).roots[0]
    assert root.children[0].properties["C"] == [f"li\\: hello [all\\]\nseong\\: hi\n{lines}"]


DIAGRAMS = {
    "of this program": " 3 .(X).  3\n 2 . O .  2\n 1 . . X  1\n   A B C",
    "of Sensei's Library": "$$ Title\n$$ -------\n$$ | . X . |\n$$ | . O . |\n$$ | . . X |\n$$ -------",
    "of stones": "见图：\n┌●┐\n├○┤\n└┴●\n",
    "of GNU Go": "  A B C\n3 . X . 3\n2 + O . 2     WHITE (O) has captured 0\n1 . . X 1\n",
}


@pytest.mark.parametrize("text", DIAGRAMS.values(), ids=DIAGRAMS)
def test_a_diagram_is_a_position(text: str) -> None:
    loaded = load(text.encode())
    assert loaded.torus
    assert not loaded.ask
    assert list(loaded.game.board.colours) == [0, BLACK, 0, 0, WHITE, 0, 0, 0, BLACK]


SENSEI = """$$W White first
$$ -----------
$$ | B a 3 . . |
$$ | # @ Q 2 ? |
$$ | C Y W P S |
$$ | . 1 Z o T |
$$ | X , O x M |
$$ -----------
"""


def test_marked_stones_and_moves_of_a_diagram_of_senseis_library() -> None:
    loaded = load(SENSEI.encode())
    game = loaded.game
    assert not loaded.problems
    assert _moves(SENSEI) == ["B2", "D4", "C5"]
    assert [node.move.colour for node in game.root.line() if node.move] == [WHITE, BLACK, WHITE]
    game.goto(game.root)
    assert str(game.board).split() == ["X....", "XOO..", ".XOO.", "..X..", "X.O.."]
    game = load(SENSEI.translate(str.maketrans("123", "...")).encode()).game
    assert (game.to_move, game.node) == (WHITE, game.root)


@given(
    st.integers(2, 25),
    st.randoms(use_true_random=False),
    st.sampled_from(get_args(Style)),
    st.sampled_from(get_args(Stones)),
)
def test_a_board_drawn_as_text_is_read_back(size: int, random: Random, style: Style, stones: Stones) -> None:
    game = Game(size)
    game.play(random.randrange(size * size))
    for _ in range(size * size // 2):
        point = random.randrange(size * size)
        if game.refusal(point) is None:
            game.play(point)
    assume(game.board.empty != game.torus.full)
    marked = random.sample(names_of(size)[:-1], min(size, 9))
    signs = "ABWXOxo●○#@1(é道"
    properties = {"LB": [f"{name}:{random.choice(signs)}" for name in marked[3:]]}
    game.node.properties = {"TR": marked[:1], "SQ": marked[1:2], "MA": marked[2:3]} | properties
    # Rows that SGF names are found only from the first on.
    corner = random.randrange(size) * (style != "sgf"), random.randrange(size)
    assert load(text_picture(game, style, stones, corner).encode()).game.board.colours == game.board.colours


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("X O\n. . .\n. . X\n", "a row of 2 points in a diagram of 3 rows; only square boards can be read"),
        ("\n".join([". " * 30] * 30), "the diagram has 30 rows; a board has at most 25"),
        ("X X X", "this is not a game record: neither SGF, GIB, NGF nor UGF"),
        ("Dear Li,\nhow about O or X?\n", "this is not a game record"),
        (GIB.replace("INI", "XXX").replace("STO", "XXX").replace("SKI", "XXX"), None),
        (NGF.replace("\n9\n", "\n99\n"), "out of range"),
        (UGF.replace("Size=9", "Size=many"), "is not a number"),
    ],
)
def test_what_is_no_record_is_told_in_one_sentence(text: str, said: str | None) -> None:
    if said is None:
        assert load(text.encode(), torus=True).game.node.number == 0
        return
    with pytest.raises(SgfError, match=r".") as caught:
        load(text.encode())
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [GIB.partition("\\GS")[0], UGF.partition("[Data]")[0]])
def test_a_header_that_no_move_follows_may_be_cut_off(text: str) -> None:
    (problem,) = parse(text.encode()).problems
    assert str(problem).endswith(": the record has no moves; it may be cut off")


SGF = "(;GM[1]FF[4]SZ[9]PB[Li]PW[Ke];B[aa];W[bb]C[hello];B[cc](;W[dd];B[ee])(;W[ff]))\n"


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        (SGF, ";B[aa]", ")\n"),
        (GIB, "STO 0 2 2 2 2", "\\GE"),
        (NGF, "PMABBBB", "ZZ\nPMAEB"),
        (UGF, "AI,B1", "[Figure]"),
        (UGI, "NODE,3,2,9,1\n", "NODE,4"),
    ],
    ids=["SGF", "GIB", "NGF", "UGF", "UGI"],
)
def test_a_record_that_is_cut_off_between_its_moves_or_within_one_says_so(text: str, first: str, end: str) -> None:
    assert not [problem for problem in parse(text.encode()).problems if "cut off" in str(problem)]
    # The first move alone, up to the last piece that does not belong to the end.
    for at in range(text.index(first) + len(first), text.rindex(end)):
        assert parse(text[:at].encode()).problems, text[:at]


COUNTED = UGF.replace("Winner", "Moves=3\nWinner").partition("[Figure]")[0]
"""A UGF record whose header counts the moves, after which none of these files has anything."""
NO_MOVES, NO_END, MAYBE = (
    "the record has no moves; it may be cut off",
    "the end of the record is missing; it may be cut off",
    "nothing follows the last move; the record may be cut off there",
)


def _said(text: str) -> str:
    """Return what is said of the end of a record; "" for nothing."""
    return "".join(
        said.partition(": ")[2] for problem in parse(text.encode()).problems if "cut off" in (said := str(problem))
    )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (GIB, [("STO 0 2 2 2 2", NO_MOVES), ("\\GE", NO_END), ("\n", "")]),
        (NGF, [("PMABBBB", None), ("PMAEBFF", NO_END), ("FF\n", "")]),
        (COUNTED, [("AI,B", NO_MOVES), ("YA,B1,3,0", NO_END), ("\n", "")]),
        # Nothing says how many moves there are, or whether anything follows.
        (UGF, [("AI,B", NO_MOVES), ("1,1,0", NO_END), ("\nI", MAYBE), ("A,W1,2,0", NO_END), ("\nY", MAYBE)]),
        (UGF, [("YA,B1,3,0", None), ("\n[", MAYBE), ("Figure]", NO_END), ("\n", "")]),
        (UGI, [("[ReviewNode]", None), ("NODE,4,1,10,10\n", NO_END), ("N", ""), ("ODE,5,0,0,0", NO_END)]),
        (UGI, [("NODE,5,0,0,0", None), ("\n[", ""), ("ReviewComment]", NO_END), (UGI[-12:], "")]),
    ],
    ids=["GIB", "NGF", "UGF with a count", "UGF", "the end of UGF", "UGI", "the end of UGI"],
)
def test_what_is_said_of_the_end_is_true_wherever_a_record_ends(text: str, parts: list[tuple[str, str | None]]) -> None:
    """From the end of one part to that of the next; None for a part that stands in another case."""
    begin = text.index(parts[0][0]) if parts[0][1] is None else text.index("\n")
    for part, said in parts:
        end = text.index(part, begin) + len(part)
        for at in range(begin, end) if said is not None else ():
            assert _said(text[:at]) == said, text[:at]
        begin = end
    assert _said(text) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\\HS\n\\[GAMENAME=Free\\]\n\\HE\n\\GS\n2 1 0\n1 0 &4\nINI 0 1 0 &4\n\\GE\n", ""),
        (UGF.partition("AI,B1")[0] + "[Figure]\n", ""),
        (UGF.partition("AI,B1")[0], NO_MOVES),
        (UGF.partition("[Data]")[0] + "[Figure]\n", NO_MOVES),
        (COUNTED.partition("AI,B1")[0], NO_MOVES),
        (COUNTED.replace("Moves=3", "Moves=0"), MAYBE),
        (COUNTED.replace("Moves=3", "Moves=4"), NO_END),
        (COUNTED.replace("Moves=3", "Moves=4") + "[Figure]\n", ""),
        (COUNTED.replace("Moves=3", "Moves=2"), ""),
    ],
)
def test_a_record_without_moves_or_with_another_number_of_them(text: str, said: str) -> None:
    assert _said(text) == said


def test_moves_behind_the_place_where_a_review_is_cut_off_are_read() -> None:
    for end in ("NODE,3,2,9,1", "    NODE,6,1,5,5", "NODE,7,2,3,3", "NODE,4,1,10,10"):
        text = UGI[: UGI.index(end) + len(end)] + "\n"
        assert _moves(text) == ["A9", "I1", "pass"]
        assert _said(text) == ("" if end.startswith("NODE,4") else NO_END)
    end = UGI.index("NODE,4,1,10,1") + len("NODE,4,1,10,1")
    assert _moves(UGI[:end]) == ["A9", "I1", "pass"]


@given(st.sampled_from([GIB, NGF, UGF, UGI]), st.data())
def test_damaged_records_are_read_or_refused(text: str, data: st.DataObject) -> None:
    raw = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
        if not raw:
            break
    try:
        loaded = load(bytes(raw), torus=True)
    except SgfError:
        return
    again = load(dump(loaded.game, loaded.info))
    assert again.game.board.colours == loaded.game.board.colours


def test_sgf_with_a_diagram_in_a_comment_is_sgf() -> None:
    collection = parse(b"(;SZ[3]C[. X .\n. O .\n. . X];B[aa])")
    assert collection.format == "SGF"


def test_the_library_takes_them_as_sgf(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for name, text in (("a.gib", GIB), ("b.ngf", NGF), ("c.ugi", UGI)):
        (tmp_path / name).write_text(text)
    library = Library(folder)
    imported = library.import_files([tmp_path / "a.gib", tmp_path / "b.ngf", tmp_path / "c.ugi"], torus=True)
    assert not imported.problems
    assert len(imported.files) == 3
    assert all(library.path(file).read_bytes().startswith(b"(;") for file in imported.files)
    library.close()
    assert split(NGF.encode())[0][0].startswith(b"(;")


def test_the_games_of_a_file_by_their_names() -> None:
    assert [info.black for info in games_in(b"(;PB[Li];B[aa])(;PB[Ke];B[aa])")] == ["Li", "Ke"]
    assert [info.black for info in games_in(GIB.encode())] == ["Li [x]"]


def test_records_below_a_folder(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "trash").mkdir()
    for name in ("b.SGF", "a.gib", "deep/c.ugi", "note.txt", "trash/deleted.sgf"):
        (tmp_path / name).write_text(GIB)
    assert [path.name for path in records_below(tmp_path).files] == ["a.gib", "b.SGF", "c.ugi"]
    assert [path.name for path in records_below(tmp_path / "trash").files] == ["deleted.sgf"]


def test_what_cannot_be_looked_into_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = os.scandir
    locked = tmp_path / "locked"
    locked.mkdir()
    # A link to itself, so that looking at it fails.
    (tmp_path / "loop.sgf").symlink_to("loop.sgf")
    (tmp_path / "nothing.sgf").symlink_to("nowhere.sgf")
    (tmp_path / "a.gib").write_text(GIB)

    def refusing(path: str) -> Any:
        if Path(path) == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr("os.scandir", refusing)
    below = records_below(tmp_path)
    assert [path.name for path in below.files] == ["a.gib", "loop.sgf"]
    assert [error.filename for error in below.unreadable] == [str(locked)]
