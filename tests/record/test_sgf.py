"""Reading games from SGF records and writing them back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from daoqi_tui.engine import BLACK, WHITE, Game, Move, Occupied, OutOfTime, Repeats, Resignation, Setup, TwoPasses
from daoqi_tui.play.position import PositionEditor
from daoqi_tui.record import Info, Loaded, SgfError, dump, load, save
from daoqi_tui.record.formats import parse
from daoqi_tui.record.sgf import build
from daoqi_tui.record.sgf.markup import labels, set_label, toggle_letter
from daoqi_tui.record.sgf.read import load_all
from daoqi_tui.record.sgf.write import dump_portable, tree_of
from tests.every import every
from tests.record.trees import trees_equal


def read(text: str, torus: bool | None = None) -> Loaded:
    return load(text.encode(), torus)


def body(game: Game, info: Info | None = None) -> str:
    """Return the written record after the header, without line breaks."""
    return dump(game, info).decode().replace("\n", "").partition("TO[3]")[2]


def moves(loaded: Loaded) -> str:
    game = loaded.game
    names = [(node.move, node) for node in game.root.line()]
    return " ".join(
        f"{'BW'[move.colour - 1]}{'pass' if move.is_pass else game.torus.name(move.point, 'sgf')}" if move else "setup"
        for move, _ in names
    )


def q5go_wraps(record: str) -> bool | None:
    """Return whether q5Go takes the board of a record for a torus, by its reader; None if it refuses the record."""
    first = dict(re.findall(r"([A-Z]+)\[([^]]*)\]", record.partition(";")[2].partition(";")[0]))
    if first.get("FF", "4") not in ("3", "4") or first.get("GM", "1") not in ("1", "q5go-1", "q5go-2"):
        return None
    wraps = first.get("TO", "0") if first.get("GM", "1") != "1" else "0"
    return int(wraps) == 3 if len(wraps) == 1 and wraps.isdecimal() else None


def test_other_programs_read_a_torus_or_nothing_and_the_portable_form_as_flat() -> None:
    game = Game(9)
    game.play(game.torus.parse("A1"))
    texts = {
        "record": dump(game),
        "position": PositionEditor.of(game).record(),
        "portable": dump_portable(game),
    }
    assert {name: q5go_wraps(text.decode()) for name, text in texts.items()} == {
        "record": True,
        "position": True,
        "portable": False,
    }
    # A program that knows only Go refuses a GM other than 1, as the specification of SGF has it.
    assert {name for name, text in texts.items() if b"GM[1]" in text} == {"portable"}


def test_the_header():
    game = Game()
    assert dump(game).decode() == "(;FF[4]GM[q5go-1]CA[UTF-8]AP[daoqi_tui:1.0.0]SZ[16]KM[4]RU[Daoqi]TO[3])\n"


HEADER = "(;FF[4]GM[q5go-1]CA[UTF-8]AP[daoqi_tui:1.0.0]SZ[9]KM[4]RU[Daoqi]TO[3]"


@every(
    "text",
    [
        "RE[W+4];B[aa];W[ia];B[];W[])",
        ";B[aa](;W[bb];B[cc](;W[dd])(;W[ee]))(;W[ff])(;W[bb]))",
        ";B[aa]C[two\nlines, a \\] and a \\: colon]LB[bb:1][cc:x]TR[dd]SQ[ff]CR[gg]MA[hh];W[bb]XX[unknown][values])",
        "PB[黑]PW[白]DT[2005-07-01]EV[a \\[cup\\]]ZZ[kept];B[aa];C[a node with a comment alone];;W[bb])",
        "HA[2]AB[cc][gg]PL[W];W[aa];B[bb])",
        "AB[aa]AW[ab];B[bb];AE[aa]AB[cc];W[dd];PL[B]C[puzzle];B[ee])",
        ";B[aa];B[bb];W[cc];W[dd];B[ee])",
        ";B[aa];B[bb](;B[cc];B[dd])(;W[ee])(;B[ff]))",
        ";W[aa];W[bb])",
        ";B[];W[];B[aa];W[];B[];W[bb])",
        ";PL[W];W[aa])",
        ";B[aa];B[aa]C[illegal but kept];W[bb];B[];W[cc])",
        ";B[aa];PL[W]XSKIPPED[B:a9];W[cc])",
        "AB[ba][ab][cb][bc]AW[bb];B[ee])",
        "RE[W+R];B[aa];W[bb](;B[cc]XEND[B+R])(;B[dd]))",
        "RE[B+Resign];B[aa])",
        "RE[B+3.5];B[aa];W[];B[]XDEAD[aa])",
        ";B[aa]XDEAD[aa];W[]XEND[nonsense])",
        ";B[aa];W[];B[]XRESUMED[])",
        ";B[aa]XRESUMED[];W[bb])",
        ";B[aa];W[];B[];B[bb])",
        "AB[aa:cc]C[impossible?];AE[bb];B[bb])",
        "C[" + "x" * 5000 + "];B[aa])",
    ],
)
def test_round_trip_is_exact_at_the_level_of_the_tree(text: str):
    given = parse((HEADER + text).encode()).roots[0]
    loaded = read(HEADER + text)
    written = parse(dump(loaded.game, loaded.info)).roots[0]
    if "aa:cc" in text:
        given.properties["AB"] = ["aa", "ba", "ca", "ab", "bb", "cb", "ac", "bc", "cc"]
    assert trees_equal(written, given)


def test_unknown_root_properties_and_escapes_come_back():
    loaded = read(r"(;FF[3]GM[1]SZ[9]AP[Other\:Go:2]TO[3]KO[]GN[a\]b]PB[x\\y]QQ[1\]2][3];B[aa])")
    assert loaded.info.name == "a]b"
    assert loaded.info.black == "x\\y"
    written = dump(loaded.game, loaded.info).decode()
    for text in (r"GN[a\]b]", r"PB[x\\y]", r"QQ[1\]2][3]", "KO[]", "AP[daoqi_tui:1.0.0]"):
        assert text in written
    assert "Other" not in written


def test_passes_in_all_styles():
    assert moves(read("(;SZ[19]TO[3];B[];W[tt];B[ ];W[aa])")) == "Bpass Wpass Bpass Waa"
    assert moves(read("(;SZ[21]TO[3];B[];W[tt])")) == "Bpass Wtt"


def test_a_record_goes_on_after_two_passes_and_that_counts_as_resumed():
    loaded = read("(;SZ[9]TO[3];B[aa];W[];B[];W[bb];B[];W[])")
    nodes = loaded.game.root.line()
    loaded.game.goto(nodes[2])
    assert not loaded.game.is_over
    loaded.game.goto(nodes[-1])
    assert loaded.game.ending == TwoPasses()


def test_two_moves_of_one_colour_load_with_a_node_between_that_writing_leaves_out():
    loaded = read("(;SZ[9]TO[3];B[aa];B[bb])")
    first, turn, second = loaded.game.root.line()
    assert (first.action, turn.action, second.action) == (Move(BLACK, 0), Setup(0, 0, 0, BLACK), Move(BLACK, 10))
    assert second.number == 2
    assert body(loaded.game) == ";B[aa];B[bb])"


def test_a_turn_without_moves_after_it_is_written_as_pl():
    game = Game(size=9)
    game.play(0)
    game.setup(to_move=BLACK)
    assert body(game) == ";B[aa];PL[B])"


def test_a_move_on_a_stone_replaces_it_and_is_said_with_its_place():
    loaded = read("(;SZ[9]TO[3]\n;B[aa]\n;W[aa]C[hm]\n;B[bb])")
    assert [str(problem) for problem in loaded.problems] == [
        "line 3, column 1: W[aa] is on a stone, which it replaces; played as recorded"
    ]
    assert moves(loaded) == "Baa Waa Bbb"
    assert [node.against for node in loaded.game.root.line()] == [None, Occupied(0), None]
    assert loaded.game.board.colours[0] == WHITE


def test_a_suicide_is_played_and_a_repetition_too_and_that_is_said():
    start = "(;SZ[5]TO[3]AB[ba][ab][ea][ae]AW[cc][cd][dc][ce][ec]PL[W];W[aa]"
    loaded = read(f"{start};B[bb];W[aa])")
    assert loaded.problems == ()
    assert loaded.game.root.line()[0].lost == 1
    start = "(;SZ[5]TO[3]AB[ba][ab][ea][ae]AW[cb][bc][db][bd]PL[W];W[aa];B[];W[aa])"
    loaded = read(start)
    assert [str(problem) for problem in loaded.problems] == [
        (
            "line 1, column 64: W[aa] repeats the position after move 1, which the rules (Daoqi) forbid; "
            "played as recorded"
        )
    ]
    assert moves(loaded) == "Waa Bpass Waa"
    assert [node.against for node in loaded.game.root.line()] == [None, None, Repeats(0, 1, BLACK)]
    assert body(loaded.game, loaded.info).endswith(";W[aa];B[];W[aa])")


@pytest.mark.parametrize("value", ["99", "a", "aaa", "1", "aa:bb"])
def test_a_move_that_names_no_point_is_skipped(value: str):
    loaded = read(f"(;SZ[9]TO[3];B[{value}];W[bb])")
    assert re.fullmatch(
        rf"line 1, column 13: B\[{value}\] is not a point of a 9×9 board: two letters from a to i; skipped",
        str(loaded.problems[0]),
    )
    assert moves(loaded) == "setup Wbb"


def test_setup_off_the_board_and_setup_without_liberties():
    loaded = read("(;SZ[5]TO[3]AB[aa][zz];AB[aa:ee];C[here])")
    assert [str(problem) for problem in loaded.problems] == [
        "line 1, column 2: AB[zz] is not a point of a 5×5 board: two letters from a to e; skipped",
        ("line 1, column 23: the chain at A5 stands without liberties, as recorded: no play and no score from there"),
    ]
    assert loaded.game.root.action == Setup(1, 0, 0, BLACK)
    assert loaded.game.board.stones(BLACK).bit_count() == 25


@pytest.mark.parametrize(
    "text",
    [
        # Of a flat board: a corner stone without a liberty, or a suicide; and the moves that follow.
        "(;GM[1]SZ[5]TO[0]AB[ba][ab];AW[aa];B[cc];W[dd])",
        "(;GM[1]SZ[5]TO[0]AB[ba][ab];AW[aa]PL[W];B[cc];W[dd])",
        "(;SZ[5]TO[0]RU[suicide=no]AB[ba][ab];W[aa];B[cc];W[dd])",
        "(;SZ[5]TO[0]AB[ba][ab]AW[aa]PL[W];B[cc])",
    ],
)
def test_what_only_a_flat_board_makes_impossible_stays_in_what_is_written(text: str):
    loaded = read(text)
    written = dump(loaded.game, loaded.info)
    again = load(written)
    assert again.problems == ()
    assert str(again.game.board) == str(loaded.game.board)
    assert [node.action for node in again.game.root.walk()] == [node.action for node in loaded.game.root.walk()]
    assert dump(again.game, again.info) == written


def test_what_was_skipped_is_kept_in_the_record():
    loaded = read("(;SZ[5]TO[3]AB[aa][zz];AE[a\\]]AW[cc];AW[99]PL[?])")
    assert body(loaded.game) == ("AB[aa]XSKIPPED[AB:zz];AW[cc]XSKIPPED[AE:a\\]];XSKIPPED[AW:99][PL:?])")
    assert body(load(dump(loaded.game)).game) == body(loaded.game)
    assert body(read("(;SZ[5]TO[0];B[aa];W[a9]C[hm])").game) == ";B[aa];PL[B]C[hm]XSKIPPED[W:a9])"


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("0", "out of range: 2 to 25"),
        ("99", "out of range: 2 to 25"),
        ("1", "out of range: 2 to 25"),
        ("x", "is not a number; it should be 2 to 25"),
        ("-9", "is not a number"),
        ("9" * 5000, "is not a number"),
        ("19:13", "is not square"),
    ],
)
def test_sizes_that_cannot_be(size: str, message: str | None):
    with pytest.raises(SgfError, match=rf"^line 2, column 2: .*{message}"):
        read(f"\n(;SZ[{size}];B[aa])")


def test_size_as_two_numbers_and_no_size():
    assert read("(;SZ[9:9]TO[3])").game.torus.size == 9
    assert read("(;GM[1]TO[3];B[ss])").game.torus.size == 19


@every(
    ("root", "declared"),
    [
        ("TO[3]", True),
        ("GM[q5go-1]", True),
        ("GM[10]", True),
        ("AP[Daoqi:1.10]", True),
        ("AP[Jago-Daoqi:Version 1.0]", True),
        ("AP[daoqi_tui:1.0.0]", True),
        ("TO[0]", False),
        ("AP[daoqi_tui:1.0.0]TO[0]", False),
        ("GM[1]", None),
        ("GM[1]AP[CGoban:3]", None),
    ],
)
def test_what_declares_a_torus(root: str, declared: bool | None):
    loaded = read(f"(;{root}SZ[9];B[aa])")
    assert (loaded.declared, loaded.ask) == (declared, declared is None)
    assert loaded.torus == bool(declared)


@pytest.mark.parametrize(
    ("root", "message"), [("GM[2]", "Othello"), ("GM[TO]", "another game"), ("TO[1]", "wraps in one direction")]
)
def test_records_of_other_games_are_refused(root: str, message: str | None):
    with pytest.raises(SgfError, match=message):
        read(f"(;{root}SZ[9];B[aa])")


# White in the corner with Black on its two flat neighbours: captured on a flat board, alive on the torus.
CORNER = ";B[ab];W[aa];B[ee];W[ff];B[ba]"


def test_a_plain_go_file_asks_and_the_torus_is_the_default_where_only_it_fits():
    either = read(f"(;GM[1]SZ[9]{CORNER};W[gg])")
    assert (either.ask, either.torus) == (True, False)
    flat_only = read(f"(;GM[1]SZ[9]{CORNER};W[gg];B[aa])")
    assert (flat_only.ask, flat_only.torus) == (True, False)
    # Suicide on a flat board.
    torus_only = read("(;GM[1]SZ[9];B[ab];W[ee];B[ba];W[aa];B[ff])")
    assert (torus_only.ask, torus_only.torus) == (True, True)
    # Captured on the torus only, so the point is empty again only there.
    torus_only = read("(;GM[1]SZ[9];B[ia];W[aa];B[ai];W[ee];B[ab];W[ca];B[hh];W[cb];B[ba];W[dd];B[gg];W[aa];B[ff])")
    assert (torus_only.ask, torus_only.torus) == (True, True)


def test_read_as_flat_the_torus_is_corrected_by_setup():
    loaded = read(f"(;GM[1]SZ[9]{CORNER};W[gg])", torus=False)
    assert loaded.torus is False
    game = loaded.game
    game.goto(game.root.line()[-1])
    assert str(game.board).split()[0] == ".X......."
    assert load(dump(game)).torus is True
    as_torus = read(f"(;GM[1]SZ[9]{CORNER};W[gg])", torus=True).game
    as_torus.goto(as_torus.root.line()[-1])
    assert str(as_torus.board).split()[0] == "OX......."


@every(
    ("written", "komi"),
    [
        *(("3 3/4", 3.75), ("2.75", 2.75), ("6,5", 6.5), ("0", 0), ("-3.5", -3.5), ("", 4), ("7½", 7.5), (" 4 ", 4)),
        *(("3  3/4  目", 3.75), ("0.3333333333333333", 1 / 3), ("6.50000000000000", 6.5)),
    ],
)
def test_komi(written: str, komi: float):
    loaded = read(f"(;SZ[9]TO[3]KM[{written}])")
    assert loaded.game.komi == komi
    assert loaded.problems == ()


@every(
    ("root", "komi"),
    [
        ("", 0),
        ("KM[]", 0),
        ("RU[Japanese]", 6.5),
        ("RU[chinese]", 7.5),
        ("RU[AGA]", 7.5),
        ("RU[NZ]", 7),
        ("RU[GOE]", 8),
        ("RU[Daoqi]", 4),
        ("RU[of the village]", 0),
        ("RU[Japanese]HA[4]", 0),
        ("RU[Japanese]KM[5.5]", 5.5),
    ],
)
def test_a_flat_record_without_komi_goes_by_its_rules(root: str, komi: float):
    text = f"(;GM[1]SZ[9]{root};B[aa])"
    assert read(text, torus=False).game.komi == komi
    assert "KM" in root or read(text, torus=True).game.komi == 4


def test_a_komi_that_is_none_in_a_flat_record():
    loaded = read("(;GM[1]SZ[9]RU[Japanese]KM[much];B[aa])", torus=False)
    assert loaded.game.komi == 6.5
    assert "KM[much] is not a number of points from -1000 to 1000; komi 6.5 is used" in str(loaded.problems[0])


def test_a_game_begun_here_has_our_rules_and_a_record_keeps_its_own():
    assert "RU[Daoqi]" in dump(Game(size=9)).decode()
    for rules in ("RU[Chinese]", "RU[Japanese]", "RU[Daoqi]", ""):
        loaded = read(f"(;SZ[9]TO[3]{rules};B[aa])")
        assert loaded.info.rules == rules[3:-1]
        written = dump(loaded.game, loaded.info)
        assert (rules or "SZ[9]KM[4]TO[3]") in written.decode()
        again = load(written)
        assert dump(again.game, again.info) == written


@every(
    "written", ["much", "1/0", "nan", "inf", "1e9", "9" * 400, "100000", pytest.param(f"-{' ' * 20_000}x", id="spaces")]
)
def test_komi_that_is_none(written: str):
    loaded = read(f"(;SZ[9]TO[3]KM[{written}])")
    assert loaded.game.komi == 4
    assert "is not a number of points from -1000 to 1000; komi 4 is used" in str(loaded.problems[0])


def test_komi_survives():
    for komi in (4, 3.75, -0.5, 0.1, 1000, 1e-7, 7.125):
        assert load(dump(Game(size=9, komi=komi))).game.komi == komi


def test_handicap_stones_stand_in_the_root():
    game = Game(size=9, handicap=2)
    game.play(5)
    written = dump(game).decode()
    assert re.search(r"TO\[3\]HA\[2\]AB\[..\]\[..\]PL\[W\]\n?;W\[fa\]\)", written)
    loaded = load(written.encode())
    assert loaded.info.handicap == 2
    assert loaded.game.node.move == Move(WHITE, 5)
    loaded.game.undo()
    assert loaded.game.to_move == WHITE
    assert dump(loaded.game, loaded.info).decode() == written


def test_handicap_without_pl_goes_by_the_first_move():
    loaded = read("(;SZ[9]TO[3]HA[2]AB[cc][gg];W[aa];B[bb])")
    assert moves(loaded) == "Waa Bbb"


def test_a_move_in_the_root_and_beside_setup():
    loaded = read("(;SZ[9]TO[3]PB[x]B[aa]C[first];W[bb]AE[aa]AB[cc];B[dd])")
    assert moves(loaded) == "Baa Wbb setup Bdd"
    assert loaded.game.root.line()[0].properties == {"C": ["first"]}
    assert loaded.problems == ()


def test_results():
    resigned = read("(;SZ[9]TO[3]RE[W+Resign];B[aa](;W[bb])(;W[cc]))").game
    assert resigned.root.line()[-1].ending == Resignation(BLACK)
    assert read("(;SZ[9]TO[3]RE[B+T];B[aa])").game.root.line()[-1].ending == OutOfTime(WHITE)
    game = Game(size=9)
    game.play(0)
    game.pass_turn()
    game.pass_turn()
    assert "RE[B+77]" in dump(game).decode()
    game.agree_dead([0])
    again = load(dump(game)).game
    assert again.root.line()[-1].ending == TwoPasses(frozenset([0]))


def test_a_resignation_in_a_variation_is_kept():
    game = Game(size=9)
    game.play(0)
    game.play(1)
    game.undo()
    game.play(2)
    game.resign()
    again = load(dump(game)).game
    endings = [child.ending for child in again.root.children[0].children]
    assert endings == [None, Resignation(BLACK)]


@pytest.mark.parametrize("handicap", [0, 2])
@pytest.mark.parametrize("moves", [0, 1, 2])
def test_a_resignation_before_the_first_move_is_kept(handicap: int, moves: int):
    game = Game(size=9, handicap=handicap)
    start = game.node
    for point in range(moves):
        game.play(20 + point)
    game.goto(start)
    game.resign()
    written = dump(game)
    again = load(written)
    root = again.game.root
    assert [node.ending for node in (root, *root.line())] == [start.ending] + [None] * moves
    assert again.game.node is root
    assert dump(again.game, again.info) == written


def test_a_resignation_before_the_handicap_stones_is_kept():
    game = Game(size=9, handicap=2)
    game.play(20)
    game.goto(game.root)
    game.resign()
    again = load(dump(game)).game
    assert [node.ending for node in (again.root, *again.root.line())] == [game.root.ending, None]


def test_an_ending_in_the_root_of_a_record_that_does_not_fit_there_is_kept():
    text = "XEND[nonsense]XDEAD[aa];B[aa])"
    assert body(read(HEADER + text).game) == text
    assert read(f"{HEADER}B[aa]XEND[W+R];W[bb])").game.root.children[0].ending == Resignation(BLACK)


def test_a_game_that_was_resumed_and_not_gone_on_with_is_not_over_when_it_is_read():
    game = Game(size=9)
    game.pass_turn()
    game.pass_turn()
    game.resume()
    again = load(dump(game)).game
    assert not again.is_over
    again.pass_turn()
    assert not again.is_over
    again.pass_turn()
    assert again.is_over
    again.undo()
    again.resign()
    assert load(dump(again)).game.ending == Resignation(WHITE)


def test_several_games_in_a_file():
    text = b"(;SZ[9]TO[3];B[aa])(;SZ[5]TO[3])"
    assert load(text).games == 2
    assert load(text, index=1).game.torus.size == 5
    with pytest.raises(SgfError, match="there is no game 3 in the file; it holds 2"):
        load(text, index=2)


def test_dump_leaves_the_cursor():
    loaded = read("(;SZ[9]TO[3];B[aa];W[];B[])")
    loaded.game.goto(loaded.game.root.line()[0])
    node = loaded.game.node
    dump(loaded.game)
    assert loaded.game.node is node


def test_info_given_by_the_program_is_escaped():
    info = Info(black="a]b\\c\nd:e", comment="two\nlines]")
    assert load(dump(Game(size=9), info)).info == Info(black="a]b\\c d:e", comment="two\nlines]", result="")


def test_letters_of_old_records_can_be_removed_and_changed():
    node = read("(;FF[3]SZ[9]TO[3];B[aa]L[bb][cc]LB[dd:1]C[x])").game.root.children[0]
    assert labels(node, 9) == {30: "1", 10: "a", 20: "b"}
    assert toggle_letter(node, 10, 9) == ""
    assert labels(node, 9) == {30: "1", 20: "b"}
    set_label(node, 20, "z", 9)
    assert labels(node, 9) == {30: "1", 20: "z"}
    assert "L" not in node.properties
    assert node.properties["C"] == ["x"]


def test_files_are_written_whole_and_links_followed(tmp_path: Path):
    target, link = tmp_path / "game.sgf", tmp_path / "link.sgf"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    save(link, Game(size=9))
    assert load(target).game.torus.size == 9
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.sgf", "link.sgf"]


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "game.sgf"
    target.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save(target, Game(size=9))
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_files_that_cannot_be_read(tmp_path: Path):
    with pytest.raises(SgfError, match=r"missing.sgf cannot be read: No such file or directory"):
        load(tmp_path / "missing.sgf")
    with pytest.raises(SgfError, match=r"cannot be read: Is a directory"):
        load(tmp_path)


@pytest.mark.parametrize(("value", "few"), [("[]", 20), ("[aa]", 8), ("[zz]", 20)])
def test_each_move_of_a_node_with_many_counts_as_a_node(value: str, few: int, monkeypatch: pytest.MonkeyPatch):
    """A stone on another takes six times as much, for what it replaces."""
    monkeypatch.setattr(build, "MOST_MEMORY", 50 * build.NODE_BYTES)
    assert read(f"(;SZ[9];B{value * few})").game.root.children
    with pytest.raises(SgfError, match=r"^line 1, column 8: the games up to here take more memory"):
        read(f"(;SZ[9];B{value * 60})")


@pytest.mark.parametrize(("passes", "torus"), [(1_000, True), (10_000, False)])
def test_the_torus_is_told_by_the_beginning_of_a_record(passes: int, torus: bool):
    suicide_on_a_flat_board = "W[aa]"
    assert read(f"(;SZ[9]AB[ab][ba];B{'[]' * passes};{suicide_on_a_flat_board})").torus is torus


def test_a_tree_of_many_siblings_and_one_very_deep():
    wide = load(b"(;SZ[9]TO[3]" + b"(;B[aa])" * 3000 + b")").game
    assert len(wide.root.children) == 3000
    deep = load(b"(;SZ[9]TO[3]" + b"(;B[];W[]" * 10_000 + b")" * 10_001)
    assert len(deep.game.root.line()) == 20_000
    assert len(parse(dump(deep.game)).roots[0].children) == 1
    assert len(tree_of(wide).children) == 3000


def test_a_game_resigned_while_it_was_counted_stays_resigned() -> None:
    game = Game(5)
    game.play(12)
    game.pass_turn()
    game.pass_turn()
    game.resume()
    game.resign(WHITE)
    assert str(game.result) == "B+R"
    again = load(dump(game)).game
    again.goto(again.root.line()[-1])
    assert str(again.result) == "B+R"


def test_each_game_of_a_file_has_its_own_problems() -> None:
    text = "(;GM[1]SZ[5]TO[3];B[cc];W[cc])(;GM[1]SZ[5]TO[3];B[cc])"
    first, second = load_all(text.encode())
    assert [len(game.problems) for game in (first, second)] == [1, 0]
