"""The import stage: what other programs write is read as they mean it, every repair is said, nothing is invented."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sgfmill import boards, sgf

from daoqi_tui.engine import BLACK, EMPTY, WHITE, IllegalMove, NoLiberties, Occupied, Torus, torus_of
from daoqi_tui.paths import assets_folder
from daoqi_tui.record import Loaded, SgfError, dump, load
from daoqi_tui.record.library import renamed, split
from daoqi_tui.record.sgf.build import flat_of
from daoqi_tui.record.sgf.info import go_to_move, read_amount, standard_result
from tests.every import every
from tests.record.encoding_samples import SAMPLES
from tests.shared_data import DATA


def read(text: str, torus: bool | None = False) -> Loaded:
    return load(text.encode(), torus)


def saved(loaded: Loaded) -> bytes:
    """Return the record, which is the same when it is read and saved again, and then needs no repair of its start."""
    once = dump(loaded.game, loaded.info)
    again = load(once)
    assert dump(again.game, again.info) == once
    assert again.game.komi == loaded.game.komi
    assert again.game.rules == loaded.game.rules
    assert str(again.game.board) == str(loaded.game.board)
    return once


# Komi

FOX = "AP[foxwq]RU[Chinese]HA[0]"


@every(
    ("root", "komi"),
    [
        *(("KM[3又3/4]", 7.5), ("KM[3 3/4]", 7.5), ("KM[3¾]", 7.5), ("KM[3.75]", 7.5), ("KM[三又四分之三子]", 7.5)),
        *(("KM[2又3/4子]", 5.5), ("KM[2.75]RU[Chinese]", 5.5), ("KM[3.25]RU[中国规则]", 6.5), ("KM[3子]", 6)),
        *(("KM[2.75]RU[Chinese]TO[3]", 5.5), ("KM[2.75]TO[3]", 2.75), ("KM[2.75]AP[daoqi_tui:1.0.0]", 2.75)),
        *(("KM[6目半]", 6.5), ("KM[六目半]", 6.5), ("KM[半目]", 0.5), ("KM[十二目]", 12), ("KM[黑贴7目半]", 7.5)),
        *(("KM[コミ6目半]", 6.5), ("KM[６．５]", 6.5), ("KM[6집반]", 6.5), ("KM[6,5 points]", 6.5), ("KM[-0.5]", -0.5)),
        *((f"{FOX}KM[375]", 7.5), (f"{FOX}KM[325]", 6.5), (f"{FOX}KM[350]", 7), (f"{FOX}KM[750]", 7.5)),
        *((f"{FOX}KM[0]", 7.5), (f"{FOX}KM[]", 7.5), ("AP[foxwq]RU[Japanese]HA[0]KM[0]", 6.5), (f"{FOX}KM[650]", 6.5)),
        *(("AP[foxwq]RU[Japanese]HA[2]KM[50]", 0.5), ("AP[foxwq]RU[Chinese]HA[2]KM[0]", 0), ("KM[0]HA[0]", 0)),
        *(("AP[SGFC:2.0]KM[275]", 5.5), ("AP[GNU Go:3.8]KM[375]", 7.5), ("KM[650]RU[Japanese]", 6.5), ("KM[61]", 61)),
        *(("KO[6.5]", 6.5), ("KI[5]", 5), ("KM[]KO[5.5]", 5.5), ("KM[]EV[分先:黑贴7目半]", 7.5), ("KO[]", 0)),
        *(("GN[Japanese rules, komi 5.5]", 5.5), ("RU[Chinese 贴3又3/4子]", 7.5), ("KM[8]KO[5.5]", 8)),
        *(("RU[Chinese]", 7.5), ("AB[aa][bb]RU[Chinese]", 0), ("RU[Chinese]HA[1]", 0), ("HA[2]AB[aa][bb]RU[AGA]", 0)),
    ],
)
def test_komi_is_in_points_whatever_the_record_counts(root: str, komi: float) -> None:
    loaded = read(f"(;GM[1]FF[4]SZ[9]{root};W[ee];B[gg])")
    assert loaded.game.komi == komi
    saved(loaded)


@given(st.integers(-200, 200), st.sampled_from(["", "RU[Chinese]", "RU[Japanese]", "AP[foxwq]"]))
def test_a_komi_in_halves_is_itself_and_in_quarters_it_counts_zi(quarters: int, root: str) -> None:
    number = quarters / 4
    loaded = read(f"(;SZ[9]HA[1]{root}KM[{number:g}];B[aa])")
    if "fox" in root and abs(number) >= 25 and not number % 25:
        return  # Hundredths.
    assert loaded.game.komi == (2 * number if quarters % 2 else number)
    assert bool(loaded.problems) == bool(quarters % 2)


@pytest.mark.parametrize("text", ["much", "1/0", "子", "1e5", "--1"])
def test_a_komi_that_is_none_is_kept_and_said(text: str) -> None:
    loaded = read(f"(;SZ[9]RU[Chinese]KM[{text}];B[aa])")
    assert f"KM[{text}] is not a number of points" in str(loaded.problems[0])
    assert loaded.game.komi == 7.5
    assert f"XSKIPPED[KM:{text}]".encode() in saved(loaded)


@given(
    st.integers(1, 99), st.sampled_from([("", 0.0), ("半", 0.5), ("又3/4", 0.75), ("又1/2", 0.5), ("又四分之一", 0.25)])
)
def test_a_number_in_chinese_is_the_one_in_digits(whole: int, fraction: tuple[str, float]) -> None:
    digits = "〇一二三四五六七八九"
    tens, ones = divmod(whole, 10)
    words = ("" if tens < 2 else digits[tens]) + ("十" if tens else "") + (digits[ones] if ones else "")
    for number in (words, str(whole)):
        amount = read_amount(number + fraction[0])
        assert amount is not None
        assert amount.number == whole + fraction[1]


# Passes


@every("value", ["", "qq", "zz", "pa", "ap", "tt", "``", "@@", "pass", "PASS", "--", "虚着", "停一手"])
def test_what_writers_use_for_a_pass(value: str) -> None:
    loaded = read(f"(;SZ[15]TO[3];B[cc];W[{value}];B[dd])")
    assert [node.move.is_pass for node in loaded.game.root.line() if node.move] == [False, True, False]
    assert b";B[cc];W[];B[dd]" in saved(loaded)


@given(st.integers(2, 25), st.text("abcdefghijklmnopqrstuvwxyz`", min_size=2, max_size=2))
def test_two_letters_are_a_point_or_else_a_pass(size: int, value: str) -> None:
    column, row = (ord(letter) - 97 for letter in value)
    loaded = read(f"(;SZ[{size}]TO[3];B[{value}])")
    (node,) = loaded.game.root.line()
    assert node.move is not None
    on_board = column in range(size) and row in range(size)
    assert node.move.point == (row * size + column if on_board else -1)
    assert bool(loaded.problems) == (not on_board and not (value == "tt" and size <= 19))


# Results


@every(
    ("said", "result"),
    [
        *(
            ("黑中盘胜", "B+R"),
            ("白中盤勝", "W+R"),
            ("黒中押し勝ち", "B+R"),
            ("白番中押し勝", "W+R"),
            ("흑 불계승", "B+R"),
        ),
        *(("Black wins by resignation", "B+R"), ("White resigns", "B+R"), ("White won by resign!", "W+R")),
        *(("黑认输", "W+R"), ("黑超时负", "W+T"), ("Black wins on time", "B+T"), ("White lost on time", "B+T")),
        *(("白胜3又3/4子", "W+7.5"), ("黑胜四分之一子", "B+0.5"), ("白胜43.5目", "W+43.5"), ("白半目胜", "W+0.5")),
        *(
            ("Black wins by 3.5 points", "B+3.5"),
            ("B+3.5目", "B+3.5"),
            ("黒3目半勝ち", "B+3.5"),
            ("백 2집반승", "W+2.5"),
        ),
        *(("共213手，白胜3/4子", "W+1.5"), ("黑胜", "B+"), ("White wins", "W+"), ("W+中盘", "W+R"), ("白+R", "W+R")),
        *(("Jigo", "0"), ("持碁", "0"), ("和棋", "0"), ("Draw!", "0"), ("无胜负", "Void"), ("打挂", "?")),
        *(("B+R", "B+R"), ("W+Resign", "W+Resign"), ("Void", "Void"), ("see the comment", "see the comment")),
    ],
)
def test_a_result_in_words_is_one_of_sgf(said: str, result: str) -> None:
    loaded = read(f"(;SZ[9]TO[3]RE[{said}];B[aa])")
    assert loaded.info.result == result
    assert len(loaded.problems) == (said != result)
    assert f"RE[{result}]".encode() in saved(loaded)


@given(st.sampled_from("BW"), st.one_of(st.sampled_from("RTF"), st.integers(1, 800).map(lambda half: f"{half / 2:g}")))
def test_a_result_in_english_and_chinese_is_that_of_sgf(winner: str, how: str) -> None:
    manner = {"R": ("resignation", "中盘胜"), "T": ("time", "超时胜"), "F": ("forfeit", "弃权胜")}
    english, chinese = manner.get(how, (f"{how} points", f"胜{how}目"))
    assert standard_result(f"{'Black' if winner == 'B' else 'White'} wins by {english}") == f"{winner}+{how}"
    assert standard_result(f"{'黑' if winner == 'B' else '白'}{chinese}") == f"{winner}+{how}"


@every("rules", ["", "RU[Chinese]", "RU[Japanese]", "RU[Daoqi]"])
@every("moves", [";B[];W[]", ";B[ee];W[gg];B[];W[]", ";B[ee];W[];B[]", ""])
def test_no_result_is_invented(rules: str, moves: str) -> None:
    assert b"RE[" not in saved(read(f"(;SZ[9]KM[0]{rules}{moves})"))


# Rules


@every(
    "name", ["Chinese", "chinese rules", "中国规则", "CN", "AGA", "NZ", "New Zealand", "GOE", "Ing", "Japanese", "日本"]
)
def test_no_flat_board_takes_points_for_passes(name: str) -> None:
    loaded = read(f"(;SZ[9]KM[0]RU[{name}];B[ee];W[];B[gg];W[];B[cc];W[];B[];W[])")
    assert str(loaded.game.area().result()) == "B+81"
    assert f"RU[{name}]".encode() in saved(loaded)


# Handicap


@pytest.mark.parametrize(
    ("text", "handicap", "black"),
    [
        ("HA[2]AB[cc][gg];W[ee]", 2, 2),
        ("HA[2]AB[cc][gg]", 2, 2),
        ("HA[让二子]AB[cc][gg];W[ee]", 2, 2),
        ("HA[2 stones]AB[cc][gg];W[ee]", 2, 2),
        ("HA[2];AB[cc][gg];W[ee]", 2, 2),
        ("HA[2];B[cc];B[gg];W[ee]", 2, 2),
        ("AB[cc][gg];W[ee]", 0, 2),
    ],
)
def test_ways_to_write_a_handicap(text: str, handicap: int, black: int) -> None:
    loaded = read(f"(;SZ[9]RU[Japanese]{text})")
    game = loaded.game
    assert (loaded.info.handicap, game.komi, game.board.stones(BLACK).bit_count()) == (handicap, 0, black)
    assert game.to_move == (BLACK if "W[ee]" in text else WHITE)
    saved(loaded)


def test_a_handicap_without_stones_is_said() -> None:
    loaded = read("(;SZ[9]HA[2];W[ee])")
    assert "HA[2]: the record sets up no handicap stones" in str(loaded.problems[0])
    assert loaded.game.board.stones(BLACK) == 0


# Turns, sizes, games of other kinds


@every(
    ("value", "side"),
    [(value, BLACK) for value in ("B", "b", "1", "X", "Black", "黑")] + [(value, WHITE) for value in "Ww2O白"],
)
def test_the_side_to_move(value: str, side: int) -> None:
    loaded = read(f"(;SZ[9]TO[3]AB[ee]AW[dd]PL[{value}])")
    assert loaded.game.to_move == side
    assert bool(loaded.problems) == (value in "XO")
    saved(loaded)


@every(
    ("root", "size"),
    [
        ("", 19),
        ("SZ[]", 19),
        ("SZ[ ]", 19),
        ("SZ[9]", 9),
        ("SZ[９]", 9),
        ("SZ[9x9]", 9),
        ("SZ[9*9]", 9),
        ("SZ[13路]", 13),
    ],
)
def test_the_size_of_the_board(root: str, size: int) -> None:
    loaded = read(f"(;GM[1]{root};B[ee])")
    assert loaded.game.torus.size == size
    saved(loaded)


@pytest.mark.parametrize("others", [1, 2, 3])
def test_games_of_other_kinds_beside_go_are_skipped(others: int) -> None:
    text = "(;GM[2]SZ[8];B[d3])" * others + "(;GM[1]SZ[9]PB[Go];B[ee])(;GM[Go]SZ[9]PB[Weiqi];B[ee])"
    loaded = read(text)
    assert (loaded.info.black, loaded.games) == ("Go", 2)
    assert ["Othello" in str(problem) for problem in loaded.problems] == [True] * others
    assert load(text.encode(), index=1).info.black == "Weiqi"
    assert renamed(text.encode(), black="New", white=None, name=None).info_before.black == "Go"
    with pytest.raises(SgfError, match="Othello"):
        load(b"(;GM[2]SZ[8])")


# Encodings


@every(
    ("declared", "language"),
    itertools.product(
        ["GB2312", "GBK", "GB18030", "Big5", "Shift_JIS", "EUC-JP", "EUC-KR", "ISO-8859-1", "windows-1252", "KOI8-R"],
        SAMPLES,
    ),
)
def test_utf8_wins_over_whatever_is_declared(declared: str, language: str) -> None:
    for text in SAMPLES[language]:
        loaded = read(f"(;CA[{declared}]SZ[9]TO[3]C[{text}];B[aa])".replace("\\", ""))
        if not text.isascii():
            assert f"declares {declared}" in str(loaded.problems[0])
        assert text.replace("\\", "") in saved(loaded).decode()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16", "utf-8-sig"])
def test_wide_encodings_need_no_mark(encoding: str) -> None:
    for text in ("(;SZ[9]TO[3]PB[柯洁];B[ee])", "\r\n(;CA[UTF-16]SZ[9]TO[3]PB[柯洁];B[ee])"):
        loaded = load(text.encode(encoding))
        assert (loaded.info.black, loaded.problems) == ("柯洁", ())
        saved(loaded)


# Other formats


def test_a_record_of_another_format_keeps_its_units_as_sgf() -> None:
    ngf = "Game\n9\nw 1D\nb 1D\nplace\n0\n0\n7\n20240501\n5\nBlack wins by resignation\n2\nPMABBBBBB\nPMACWAAAA\n"
    gib = "\\HS\n\\[GAMETAG=S1,R0,D0,G65,W3,Z0\\]\n\\HE\n\\GS\nINI 0 1 0\nSTO 0 2 1 3 3\n\\GE\n"
    for text, komi in ((ngf, 7.5), (gib, 6.5)):
        loaded = read(text)
        assert (loaded.game.komi, loaded.info.result, loaded.problems) == (komi, "B+R", ())
        again = load(split(text.encode())[0][0])
        assert (again.game.komi, again.info.result) == (komi, "B+R")
        saved(loaded)


# Boards that play may not reach


@st.composite
def _records(draw: st.DrawFn) -> tuple[int, str]:
    size = draw(st.integers(2, 6))
    letters = st.sampled_from("abcdef"[:size])
    point = st.builds("{}{}".format, letters, letters)
    setup = st.lists(
        st.tuples(st.sampled_from(("AB", "AW", "AE")), point), min_size=1, max_size=12, unique_by=lambda p: p[1]
    )
    node = st.one_of(
        st.builds("{}[{}]".format, st.sampled_from("BW"), point),
        setup.map(lambda stones: "".join(f"{name}[{value}]" for name, value in stones)),
    )
    return size, f"(;SZ[{size}]" + "".join(f";{text}" for text in draw(st.lists(node, max_size=25))) + ")"


def _expected(grid: Torus, text: str) -> list[int]:
    """Return the stones at the end, played as SGF says, by a flood fill after each move."""
    stones = [EMPTY] * grid.points

    def capture(colour: int) -> None:
        seen: set[int] = set()
        for start in range(grid.points):
            if stones[start] != colour or start in seen:
                continue
            chain, free = [start], False
            seen.add(start)
            for point in chain:
                for near in grid.neighbours[point]:
                    free = free or not stones[near]
                    if stones[near] == colour and near not in seen:
                        seen.add(near)
                        chain.append(near)
            beside = any(near == last for point in chain for near in grid.neighbours[point]) or last in chain
            if not free and beside:
                for point in chain:
                    stones[point] = EMPTY

    for node in text.strip("()").split(";")[2:]:
        for piece in node.split("]")[:-1]:
            name, value = piece.split("[")
            last = (ord(value[1]) - 97) * grid.rows + ord(value[0]) - 97
            colour = EMPTY if name == "AE" else BLACK if name in ("B", "AB") else WHITE
            stones[last] = colour
            if len(name) == 1:
                capture(3 - colour)
                capture(colour)
    return stones


@given(_records())
def test_any_moves_and_stones_stand_as_sgf_says(record: tuple[int, str]) -> None:
    size, text = record
    for torus in (True, False):
        loaded = read(text, torus)
        game = loaded.game
        assert list(game.board.colours) == _expected(torus_of(size) if torus else flat_of(size), text)
        again = load(saved(loaded))
        assert [node.against for node in again.game.root.walk()] == [node.against for node in game.root.walk()]
        smothered = [p for p in range(size * size) if (chain := game.chain_at(p)) and not chain.liberties]
        assert bool(game.board.no_liberties()) == bool(smothered)
        if smothered:
            assert isinstance(game.node.against, NoLiberties) or any(node.against for node in game.root.line())
            assert game.legal_points() == ()
            with pytest.raises(IllegalMove):
                game.pass_turn()
            assert {type(game.refusal(p)) for p in range(size * size)} == {NoLiberties}


def test_play_goes_on_once_the_chain_without_liberties_is_captured() -> None:
    game = read("(;SZ[5]TO[3]AW[cc]AB[cb][bc][dc][cd];B[aa];B[ee];AE[cc];W[ea])", None).game
    refused = []
    for node in (game.root, *game.root.line()):
        game.goto(node)
        refused.append(game.board.no_liberties() is not None)
    assert refused == [True, True, True, True, False, False]
    game.play(game.torus.parse("C1"))


def test_a_move_on_a_stone_is_marked_and_play_goes_on() -> None:
    game = read("(;SZ[9]TO[3];B[ee];W[ee];B[gg])", None).game
    assert [type(node.against) for node in game.root.line()] == [type(None), Occupied, type(None)]
    game.pass_turn()
    assert game.area().margin


def _games() -> list[tuple[str, bytes]]:
    folders = (assets_folder() / "games" / "en", DATA / "historic", DATA)
    return [(path.name, path.read_bytes()) for folder in folders for path in sorted(folder.glob("*.sgf"))]


@pytest.mark.parametrize(("name", "data"), _games(), ids=[name for name, _ in _games()])
def test_real_games_read_as_flat_have_the_positions_of_sgfmill(name: str, data: bytes) -> None:
    game = load(data, torus=False).game
    size = game.torus.size
    board, shown = boards.Board(size), {"b": BLACK, "w": WHITE, None: EMPTY}
    moves = 0
    sequence = sgf.Sgf_game.from_bytes(data).get_main_sequence()
    for node, following in itertools.pairwise([*sequence, None]):
        if node.has_setup_stones() and not board.apply_setup(*node.get_setup_stones()):
            pytest.skip(f"{name}: sgfmill removes chains without liberties, which SGF keeps")
        colour, point = node.get_move()
        if point is not None:
            if board.get(*point) is not None:
                break  # Legal on the torus alone; sgfmill has no move on a stone.
            board.play(*point, colour)
        moves += colour is not None
        if following is None or following.get_move()[0]:
            go_to_move(game, moves)
            flat = [shown[board.get(size - 1 - row, column)] for row in range(size) for column in range(size)]
            assert flat == list(game.board.colours), (name, moves)
    assert moves > 1


@pytest.mark.parametrize("size", [2, 3, 5])
def test_neighbours_on_a_flat_board_are_those_beside_a_point_and_not_beyond_an_edge(size: int) -> None:
    grid = flat_of(size)
    for row in range(size):
        for column in range(size):
            beside = ((row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1))
            there = {r * size + c for r, c in beside if r in range(size) and c in range(size)}
            point = row * size + column
            assert set(grid.neighbours[point]) == there
            assert grid.around[point] == grid.dilate(1 << point) == sum(1 << near for near in there)
