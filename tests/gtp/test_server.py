"""The GTP commands of our engine, one by one."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daoqi_tui import __version__
from daoqi_tui.ai import Answer, Position, Restriction, Stage, Think
from daoqi_tui.ai.process import PlayerCrashed, PlayerError, PlayerProcess
from daoqi_tui.engine import BLACK, PASS, WHITE
from daoqi_tui.gtp import LONGEST_LINE, engine
from daoqi_tui.gtp.engine import COMMANDS
from daoqi_tui.gtp.engine.session import Command
from daoqi_tui.gtp.player import LevelPlayer
from tests.forked import forked_command
from tests.gtp import talking
from tests.gtp.talking import Talk, Told, plays, split
from tests.waiting import HANG

ROOT = Path(__file__).resolve().parents[2]
REQUIRED = """
    protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove undo gg-undo
    reg_genmove final_score final_status_list list_stones showboard loadsgf printsgf set_free_handicap
    place_free_handicap fixed_handicap time_settings time_left kgs-time_settings lz-analyze kata-analyze
    kata-time_settings kata-list_time_settings kgs-genmove_cleanup rectangular_boardsize
    lz-genmove_analyze kata-genmove_analyze gogui-analyze_commands gogui-rules_game_id gogui-rules_board
    gogui-rules_captured_count gogui-rules_board_size gogui-rules_legal_moves gogui-rules_side_to_move
    gogui-rules_final_result cputime clear_cache stop kata-get-rules kata-set-rules gogui-play_sequence gogui-setup
"""


def test_who_it_is():
    told = Talk().all("protocol_version", "name", "version", "known_command play", "known_command fly")
    assert [answer.text for answer in told] == ["2", "Daoqi", __version__, "true", "false"]


def test_it_calls_itself_what_it_is_told_to():
    told = Talk(name="KataGo 道棋", version="1.16.0").all("name", "version")
    assert [answer.text for answer in told] == ["KataGo 道棋", "1.16.0"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("9 9", ""),
        ("19 19", ""),
        ("009 9", ""),
        ("9 13", "unacceptable size: 9 by 13; the board must be square"),
        ("13 9", "unacceptable size: 13 by 9; the board must be square"),
        ("1 1", "unacceptable size: 2 to 25"),
        ("26 26", "unacceptable size: 2 to 25"),
        ("26 27", "unacceptable size: 26 by 27; the board must be square"),
        ("9", "syntax error: 1 argument; the form is: rectangular_boardsize WIDTH HEIGHT"),
        ("9 9 9", "syntax error: 3 arguments; the form is: rectangular_boardsize WIDTH HEIGHT"),
        ("9 x", "syntax error: 'x' is not a whole number from 1 to 999"),
        ("-9 -9", "syntax error: '-9' is not a whole number from 1 to 999"),
    ],
)
def test_a_board_by_its_width_and_height(words: str, text: str):
    _play, told, size, stones = Talk(7).all(
        "play b A1", f"rectangular_boardsize {words}", "query_boardsize", "list_stones b"
    )
    assert told == Told("?" if text else "=", "", text)
    # What is refused changes nothing.
    assert (size.text, stones.text) == (("7", "A1") if text else (str(int(words.split(maxsplit=1)[0])), ""))


def test_all_commands_are_listed():
    listed = Talk().last("list_commands").text.split("\n")
    assert set(REQUIRED.split()) <= set(listed)
    assert listed == list(COMMANDS)


def test_ids_comments_blanks_and_control_characters():
    output = Talk().raw("\r\n# a comment\r\n  \t\n12\tname # who?\r\n\x07\x01 7 na\x08me\n\x7f\nname")
    assert output == "=12 Daoqi\n\n=7 Daoqi\n\n= Daoqi\n\n"


def test_an_id_alone_and_an_unknown_command():
    assert Talk().raw("3\nfly me\n00004 fly\n") == (
        "?3 syntax error: no command follows the id\n\n? unknown command\n\n?00004 unknown command\n\n"
    )


def test_a_line_without_end():
    told = Talk().all("5 play b " + "d" * 300_000, "6 name")
    assert (told[0].sign, told[0].id) == ("?", "5")
    assert "longer than" in told[0].text
    assert told[1] == Told("=", "6", "Daoqi")


def test_the_longest_line_is_read():
    told = Talk().all("name".ljust(LONGEST_LINE), "name".ljust(LONGEST_LINE + 1))
    assert [answer.sign for answer in told] == ["=", "?"]


def test_a_quit_that_is_too_long_does_not_end():
    told = Talk().all("quit".ljust(LONGEST_LINE + 1), "name")
    assert "longer than" in told[0].text
    assert told[1].text == "Daoqi"


def test_the_end_of_the_input_and_quit_both_end():
    talk = Talk()
    assert talk.raw("quit\nname\n") == "=\n\n"
    assert talk.player is not None
    assert talk.player.closed
    assert talk.raw("quit now\nname\n").endswith("= Daoqi\n\n")


@pytest.mark.parametrize(("word", "hint"), [("I5", True), ("i9", True), ("K5", False), ("A0", False), ("A10", False)])
def test_the_letter_i_is_skipped(word: str, hint: bool):
    told = Talk().last(f"play b {word}")
    assert told.sign == "?"
    assert told.text.startswith("invalid color or coordinate")
    assert ("the column after H is J" in told.text) is hint


def test_the_ninth_column_is_j():
    assert Talk().last("play b J9", "list_stones b").text == "J9"


def test_captures_across_the_seam():
    talk = Talk(5)
    told = talk.all(
        *plays("""
            OX..X
            X....
            .....
            .....
            .....
        """),
        "play black A1",
        "list_stones white",
        "list_stones black",
        "gogui-rules_captured_count",
    )
    assert [answer.text for answer in told[-3:]] == ["", "B5 E5 A4 A1", "1 0"]


def test_a_play_on_a_stone_is_illegal():
    assert Talk().last("play b C3", "play w C3") == Told("?", "", "illegal move")


def test_a_repetition_is_illegal_and_says_why():
    talk = Talk(5)
    ko = [
        *plays("""
            .....
            .XO..
            X.XO.
            .XO..
            .....
        """),
        "play white B3",
    ]
    told = talk.all(*ko, "play black C3", "daoqi-legal black C3", "list_stones black", "play black E1", "play white E5")
    assert told[-5].text == "illegal move"
    assert re.fullmatch(
        r"illegal: the move would repeat the position after move \d+ with White to move; .*", told[-4].text
    )
    assert told[-3].text == "B4 A3 B2"
    assert [answer.sign for answer in told[-2:]] == ["=", "="]


def test_plays_after_two_passes_are_accepted():
    talk = Talk()
    told = talk.all("play b pass", "play w pass", "play b E5", "play w PASS", "play b pass", "play w pass", "play b E4")
    assert {answer.sign for answer in told} == {"="}
    assert [move.point == PASS for move in talk.game.moves()] == [True, True, False, True, True, True, False]


def test_the_same_colour_may_move_twice():
    talk = Talk()
    assert talk.last("play b C3", "play b D4", "play b E5", "list_stones b").text == "E5 D4 C3"


def test_a_refused_move_out_of_turn_leaves_the_turn():
    told = Talk().all(
        "play b C3", "play b C3", "gogui-rules_side_to_move", "daoqi-legal b D3", "gogui-rules_side_to_move"
    )
    assert [answer.text for answer in told] == ["", "illegal move", "white", "legal", "white"]


def test_undo():
    talk = Talk()
    moves = ("play b C3", "play b D3", "play w pass", "play b pass")
    told = talk.all(*moves, "undo", "gg-undo 2", "list_stones b", "gg-undo 2", "gg-undo", "undo", "list_stones b")
    assert told[6].text == "C3"
    assert told[7].text == "cannot undo: there is 1 move to undo"
    assert [answer.sign for answer in told[8:]] == ["=", "?", "="]
    assert told[-1].text == ""


def test_undo_brings_back_the_end_of_the_game():
    talk = Talk()
    talk.all("play b pass", "play w pass", "play b C3", "undo")
    assert talk.game.is_over
    assert talk.last("play b pass", "play w pass", "gogui-rules_legal_moves").text == ""


def test_genmove_makes_a_legal_move_for_either_colour():
    talk = Talk()
    told = talk.all("genmove w", "list_stones w", "genmove w", "play b pass", "play w pass", "genmove b")
    assert told[0].text == told[1].text
    assert {answer.sign for answer in told} == {"="}
    assert talk.game.node.number == 5


def test_reg_genmove_makes_none():
    told = Talk().all("reg_genmove b", "list_stones b", "genmove b")
    assert told[0].text == told[2].text
    assert told[1].text == ""


def test_it_resigns_when_there_has_long_been_no_hope(monkeypatch: pytest.MonkeyPatch):
    class Hopeless(talking.SimplePlayer):
        async def think(self, *asked: Any) -> Answer:
            return replace(await super().think(*asked), hopeless=True)

    monkeypatch.setattr(talking, "SimplePlayer", Hopeless)
    moves = [answer.text for answer in Talk().all(*["genmove b", "genmove w"] * 3)]
    assert "resign" not in moves[:4]
    assert moves[4:] == ["resign", "resign"]
    assert "resign" not in [answer.text for answer in Talk(resign=False).all(*["genmove b", "genmove w"] * 3)]


def test_komi_and_the_count():
    talk = Talk(5)
    wall = plays("""
        .X.O.
        .X.O.
        .X.O.
        .X.O.
        .X.O.
    """)
    told = talk.all(*wall, "komi 0", "final_score", "komi 0.5", "final_score", "komi -3.25", "final_score", "get_komi")
    assert [told[place].text for place in (-6, -4, -2, -1)] == ["W+0", "W+0.5", "B+3.25", "-3.25"]
    assert Talk().last("komi nan").text.startswith("syntax error: 'nan' is not a number")


@pytest.mark.parametrize("word", ["-0", "-0.0", "-1e-9"])
def test_nothing_is_never_less_than_nothing(word: str):
    assert Talk().last(f"komi {word}", "get_komi").text == "0"


def test_a_pass_costs_a_point():
    told = Talk(5, 0).all("play b C3", "final_score", "play w pass", "final_score", "daoqi-passes", "daoqi-area")
    assert [answer.text for answer in told[1:5:2]] == ["B+25", "B+26"]
    assert told[4].text == "black 0 white 1"
    assert told[5].text.split("\n") == [
        "black stones 1 territory 24 passes 0 komi 0 total 25",
        "white stones 0 territory 0 passes 1 komi 0 total -1",
        "neutral 0",
        "Black wins by 26",
    ]


def test_passes_are_counted_that_cost_nothing():
    told = Talk(5, 0).all("kata-set-rules tromp-taylor", "play b pass", "daoqi-passes")
    assert told[-1].text == "black 1 white 0"


def test_what_stands_counts():
    talk = Talk(5)
    stones = plays("""
        X....
        X....
        .....
        ...O.
        .....
    """)
    told = talk.all(
        *stones, *(f"final_status_list {status}" for status in ("alive", "dead", "seki", "black_territory"))
    )
    assert [answer.text for answer in told[-4:]] == ["A5 A4\nD2", "", "", ""]
    assert Talk().last("final_status_list gone").sign == "?"


@pytest.mark.parametrize("size", ["1", "26", "0", "-5", "99999999999"])
def test_sizes_out_of_range(size: str):
    assert Talk().last(f"boardsize {size}").sign == "?"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("boardsize x", "syntax error: 'x' is not a whole number from 2 to 25"),
        ("boardsize 99999999999", "unacceptable size: 2 to 25"),
        ("boardsize 0x9", "syntax error: '0x9' is not a whole number from 2 to 25"),
        ("fixed_handicap x", "syntax error: 'x' is not a whole number from 2 to 9"),
        ("fixed_handicap -3", "invalid number of stones: 2 to 9"),
        ("place_free_handicap x", "syntax error: 'x' is not a whole number from 2 to 80"),
        ("place_free_handicap 81", "invalid number of stones: 2 to 80"),
        ("gg-undo 0000000000000000000x", "syntax error: '0000000000000000000x' is not a whole number from 0 to 999999"),
    ],
)
def test_what_is_refused_names_what_would_be_right(command: str, text: str):
    assert Talk().last(command) == Told("?", "", text)


def test_numbers_of_any_length_are_read():
    assert Talk().last("boardsize " + "0" * 5000 + "9").sign == "="
    assert Talk().last("boardsize " + "9" * 5000).text == "unacceptable size: 2 to 25"


@pytest.mark.parametrize("command", ["daoqi-ladder foo", "set_free_handicap foo bar"])
def test_where_a_pass_is_refused_it_is_not_offered(command: str):
    assert Talk().last(command).text.endswith("'foo' is not a vertex: a letter from A to J and a number from 1 to 9")


@pytest.mark.parametrize("size", [2, 5, 16, 25])
def test_sizes_in_range(size: int):
    told = Talk().all(
        f"boardsize {size}", "gogui-rules_board_size", "gogui-rules_board", f"play b A{size}", "showboard"
    )
    assert told[1].text == str(size)
    assert [len(row.split()) for row in told[2].text.split("\n")] == [size] * size
    assert told[3].sign == "="
    assert "(X)" in told[4].text


def test_the_picture():
    assert Talk(5).last("play b C4", "showboard").text.split("\n") == [
        "   A B C D E",
        " 5 . . . . .  5",
        " 4 . .(X). .  4",
        " 3 . . . . .  3",
        " 2 . . . . .  2",
        " 1 . . . . .  1",
        "   A B C D E",
    ]


def test_handicaps():
    told = Talk().all(
        "fixed_handicap 4", "gogui-rules_side_to_move", "fixed_handicap 2", "clear_board", "fixed_handicap 10"
    )
    assert len(set(told[0].text.split())) == 4
    assert told[1].text == "white"
    assert told[2].text.startswith("board not empty")
    assert told[4].text.startswith("invalid number of stones: 2 to 9")
    told = Talk().all(
        "place_free_handicap 30", "clear_board", "set_free_handicap A1 J9 E5", "list_stones b", "printsgf"
    )
    assert len(told[0].text.split()) == 9
    assert told[3].text == "J9 E5 A1"
    assert "HA[3]" in told[4].text


@pytest.mark.parametrize("points", ["A1", "A1 A1", "A1 pass", "A1 I1", ""])
def test_bad_free_handicaps(points: str):
    told = Talk().last(f"set_free_handicap {points}")
    assert told.sign == "?"
    assert told.text.startswith("bad vertex list")


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("gogui-setup b J5 w J5", "bad vertex list: J5 is set up twice; name each point once"),
        (
            "gogui-setup w J5 b J6 b J4 b H5 b A5",
            "bad vertex list: the chain at J5 would have no liberties; leave it at least one",
        ),
    ],
)
def test_refused_setups_name_points_as_gtp_does(command: str, text: str):
    assert Talk().last(command) == Told("?", "", text)


def test_records_go_out_and_come_back(tmp_path: Path):
    path = tmp_path / "a game.sgf"
    moves = ("play b E5", "play w E4", "play b pass", "play w D4")
    assert Talk().last(*moves, f"printsgf {path}").sign == "="
    told = Talk(5).all(
        f"loadsgf {path}", "list_stones w", "undo", "list_stones w", f"loadsgf {path} 2", "list_stones w"
    )
    assert [answer.text for answer in told] == ["black", "D4 E4", "", "E4", "white", ""]
    record = Talk().last(*moves, "undo", "play w F6", "printsgf").text
    assert record.startswith("(;FF[4]GM[q5go-1]")
    assert "W[fd]" in record
    assert "W[df]" not in record


@pytest.mark.parametrize("name", ["two  spaces.sgf", "全　角.sgf", "no\N{NO-BREAK SPACE}break.sgf"])
def test_spaces_in_the_names_of_files_are_kept(tmp_path: Path, name: str):
    path = tmp_path / name
    assert Talk().last("play b E5", "play w D4", f"printsgf {path}").sign == "="
    assert list(tmp_path.iterdir()) == [path]
    told = Talk().all(f"loadsgf {path}", "list_stones w", f"  7\tloadsgf \t {path}  2 ", "list_stones w")
    assert [answer.text for answer in told] == ["black", "D4", "white", ""]


def test_what_a_record_says_of_its_game_is_kept(tmp_path: Path):
    (tmp_path / "game.sgf").write_text(
        "(;SZ[9]TO[3]CA[UTF-8]PB[Shusaku]KM[2.5]RE[B+R];B[aa]C[good　游戏\x07\n\nmore];W[bb])", encoding="utf-8"
    )
    record = Talk().last(f"loadsgf {tmp_path / 'game.sgf'}", "undo", "play w C3", "printsgf").text
    assert "PB[Shusaku]" in record
    assert "KM[2.5]" in record
    assert "C[good　游戏�\nmore]" in record
    assert "RE[" not in record
    assert "PB[" not in Talk().last(f"loadsgf {tmp_path / 'game.sgf'}", "clear_board", "printsgf").text


def test_records_that_cannot_be_read(tmp_path: Path):
    (tmp_path / "no.sgf").write_text("no record")
    for name in ("no.sgf", "none.sgf", "."):
        told = Talk().last(f"loadsgf {tmp_path / name}")
        assert told.text.startswith("cannot load file: ")
    assert Talk().last(f"printsgf {tmp_path / 'no' / 'such' / 'folder.sgf'}").text.startswith("cannot write ")


def _answered(*commands: str) -> list[str]:
    """Return the responses of an engine in its own process, which must be all of its standard output."""
    lines = "".join(f"{command}\n" for command in commands)
    done = subprocess.run(
        forked_command("-m", "daoqi_tui", "gtp"), input=lines, capture_output=True, text=True, timeout=HANG, check=False
    )
    *answers, rest = done.stdout.split("\n\n")
    assert not rest
    return answers


@pytest.mark.parametrize("device", ["/dev/stdin", "/proc/self/fd/0"])
def test_the_commands_themselves_are_not_read_as_a_record(device: str) -> None:
    refused, name = _answered(f"loadsgf {device}", "name")
    assert refused == f"? cannot load file: {device} cannot be read: it is a pipe or a device, not a file"
    assert name.startswith("= ")


@pytest.mark.parametrize("device", ["/dev/stdout", "/proc/self/fd/1"])
def test_a_record_is_not_written_among_the_answers(device: str) -> None:
    refused, name = _answered(f"printsgf {device}", "name")
    assert refused == f"? cannot write {device!r}: it is a pipe or a device, not a file"
    assert name.startswith("= ")


def test_a_record_does_not_replace_a_file_of_another_kind(tmp_path: Path):
    path = tmp_path / "game.sgf"
    path.write_text("my notes", "utf-8")
    reason = "the file there is no SGF record; choose another name"
    assert Talk().last(f"printsgf {path}") == Told("?", "", f"cannot write {str(path)!r}: {reason}")
    assert path.read_text("utf-8") == "my notes"
    path.unlink()
    assert Talk().last(f"printsgf {path}", "play b C3", f"printsgf {path}").sign == "="
    assert "B[cg]" in path.read_text("utf-8")


def test_a_record_that_names_no_board_is_read_on_the_torus(tmp_path: Path):
    # On a flat board Black's four stones would not surround the one in the corner.
    (tmp_path / "game.sgf").write_text("(;SZ[5];B[ba];W[aa];B[ab];W[cc];B[ea];W[dd];B[ae])")
    assert Talk().last(f"loadsgf {tmp_path / 'game.sgf'}", "list_stones w").text == "C3 D2"


def test_analysis_ends_with_the_next_line():
    output = Talk().raw("1 lz-analyze b 1\n2 kata-analyze 1 rootInfo true ownership true\n\n3 name\n")
    first, second, third = output.split("\n\n")[:-1]
    assert re.fullmatch(r"=1\n(info move \S+ visits 10 winrate 6250 prior 2500 lcb \d+ order 0 pv \S+\n?)+", first)
    assert second.startswith("=2\ninfo move ")
    assert "scoreLead 3.500" in second
    assert "rootInfo visits 10 winrate 0.625000 scoreLead 3.500" in second
    assert len(second.split("\n")[1].partition("ownership ")[2].split()) == 81
    assert third == "=3 Daoqi"


def test_analysis_for_the_side_out_of_turn():
    output = Talk().raw("kata-analyze w 1\n")
    assert "scoreLead -3.500" in output


def test_analysis_arguments_that_do_not_fit():
    for words in (
        "b x",
        "b 10 interval",
        "b avoid b A1",
        "allow b I5 1",
        "avoid b A1 0",
        "foo true",
        "b -1",
        "maxmoves 0",
    ):
        assert Talk().last(f"lz-analyze {words}").sign == "?"
    assert Talk().last("kata-analyze b 10 ownership maybe").sign == "?"


def test_moves_to_avoid_and_to_allow():
    talk = Talk()
    talk.all("kata-analyze b 1 avoid b A1,B2,pass 3 avoid w C3 20")
    assert talk.player is not None
    points = [talk.game.torus.parse(name, "gtp") for name in ("A1", "B2", "C3")]
    assert talk.player.restrictions == (
        Restriction(BLACK, (points[0], points[1], PASS), 3),
        Restriction(WHITE, (points[2],), 20),
    )
    talk.all("lz-genmove_analyze w allow w C3 1")
    assert talk.player.restrictions == (Restriction(WHITE, (points[2],), 1, only=True),)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("avoid b", "syntax error: the form is: avoid COLOR VERTEX,VERTEX,… PLIES"),
        ("allow b A1 1 avoid b A2 1", "syntax error: allow may be given once, and not together with avoid"),
        ("allow b A1 1 allow w A2 1", "syntax error: allow may be given once, and not together with avoid"),
        ("allow b C3 1", "no legal move of black is left to analyse; avoid fewer, or allow others"),
    ],
)
def test_restrictions_that_leave_nothing_or_do_not_fit(words: str, text: str):
    assert Talk().last("play w C3", f"kata-analyze b 10 {words}") == Told("?", "", text)


def test_genmove_analyze_plays():
    told = Talk().all("lz-genmove_analyze b 1", "kata-genmove_analyze w 1", "list_stones b", "list_stones w")
    for place in (0, 1):
        line, play = told[place].text.split("\n")
        assert line.startswith("info move ")
        assert play == f"play {told[place + 2].text}"


def test_the_clock_reaches_the_player():
    talk = Talk()
    talk.all(
        "genmove b",
        "time_settings 0 10 1",
        "genmove b",
        "time_left b 2 1",
        "genmove b",
        "kgs-time_settings none",
        "genmove b",
    )
    assert talk.player is not None
    seconds = [seconds for _, seconds in talk.player.asked]
    assert seconds[0] is None
    assert 5 < seconds[1] < 10
    assert 1 < seconds[2] < 2
    assert seconds[3] is None


def test_without_a_clock_no_move_is_limited():
    talk = Talk()
    talk.all(
        *["genmove b", "genmove w"] * 3,
        "undo",
        "genmove w",
        "clear_board",
        "genmove b",
        "kgs-time_settings none",
        *["genmove w", "genmove b"] * 2,
        "time_settings 0 1 0",
        *["kata-genmove_analyze w", "genmove b"] * 2,
    )
    assert talk.player is not None
    assert [seconds for _, seconds in talk.player.asked] == [None] * 16


def test_the_clocks_of_kgs():
    told = Talk().all(
        "kgs-time_settings absolute 300",
        "kgs-time_settings byoyomi 300 30 5",
        "kgs-time_settings canadian 300 60 25",
        "kgs-time_settings fischer 1 2",
        "kgs-time_settings byoyomi 300",
        "time_settings 1 2",
        "time_left x 1 2",
        "time_left w -1 0",
    )
    assert "".join(answer.sign for answer in told) == "===????="


SYSTEMS = [
    # The words, the sign of kgs-time_settings, that of kata-time_settings.
    ("none", "=="),
    ("NONE", "=="),
    ("none 1", "??"),
    ("absolute 300", "=="),
    ("absolute 2147483647", "=="),
    ("absolute 0.5", "=="),
    ("absolute", "??"),
    ("absolute -1", "??"),
    ("absolute inf", "??"),
    ("byoyomi 5 2.5 3", "=="),
    ("byoyomi 5 2", "??"),
    ("byoyomi 5 2 0.5", "??"),
    ("canadian 300 60 25", "=="),
    ("canadian 300 60 25 1", "??"),
    ("fischer 20 2", "?="),
    ("Fischer 20.5 0", "?="),
    ("fischer 20", "??"),
    ("fischer 20 2 1", "??"),
    ("fischer 20 -2", "??"),
    ("fischer 20 nan", "??"),
    ("fischer-capped 20 2 60 10", "?="),
    ("fischer-capped 20 2 60 -1", "?="),
    ("fischer-capped 20 2 -1 -0.5", "?="),
    ("fischer-capped 20 2 60", "??"),
    ("fischer-capped 20 2 60 inf", "??"),
    ("fischer-capped 20 -2 60 -1", "??"),
    ("fischer-capped 20 2 60 -1 1", "??"),
    ("hourglass 20", "??"),
    ("", "??"),
]


@pytest.mark.parametrize(("words", "signs"), SYSTEMS)
def test_the_time_systems_of_kgs_and_of_katago(words: str, signs: str):
    told = Talk().all(f"kgs-time_settings {words}", f"kata-time_settings {words}")
    assert "".join(answer.sign for answer in told) == signs


def test_the_time_systems_of_katago_are_listed():
    listed = Talk().last("kata-list_time_settings").text
    assert listed == "none absolute byoyomi canadian fischer fischer-capped"
    refused = Talk().all("kata-time_settings hourglass")[0].text
    assert all(system in refused for system in listed.split())


def test_settings_that_are_refused_leave_the_clock():
    talk = Talk()
    talk.all("kata-time_settings fischer 20 2", "kata-time_settings fischer 20", "genmove b", "kgs-genmove_cleanup w")
    assert talk.player is not None
    seconds = [seconds or 0 for _, seconds in talk.player.asked]
    assert len(seconds) == 2
    assert all(2 < each < 3 for each in seconds)


def clock_of_gtp2ogs(played: int, spent: float) -> list[str]:
    """Return what gtp2ogs sends before each move of a Fischer game (its ``loadClock``), after its ``loadState``."""
    left = [f"time_left black {60 - spent:.0f} 0", "time_left white 90 0"]
    moves = ("play black C3", "play white D5", "play black E7", "play white F2")[:played]
    return [
        "boardsize 9",
        "clear_board",
        "komi 4",
        *moves,
        "kata-time_settings fischer-capped 60 5 90 -1",
        *left,
        "genmove black",
    ]


def test_the_clock_of_gtp2ogs():
    """Like it, each move is asked for after the whole game has been sent again."""
    assert "fischer-capped" in Talk().last("kata-list_time_settings").text
    asked = []
    for played, spent in ((0, 0.0), (2, 30.0), (4, 59.0)):
        talk = Talk()
        told = talk.all(*clock_of_gtp2ogs(played, spent))
        assert {answer.sign for answer in told} == {"="}
        assert talk.player is not None
        asked.append(talk.player.asked[-1][1])
    # The last second is never spent whole.
    assert asked[0] > asked[1] > asked[2] > 0
    assert asked[2] < 1


def test_a_move_of_the_cleanup_is_played():
    told = Talk().all("kgs-genmove_cleanup w", "list_stones w", "kgs-genmove_cleanup")
    assert told[0].text == told[1].text != ""
    assert told[2].text == "syntax error: 0 arguments; the form is: kgs-genmove_cleanup COLOR"


def test_goguis_sequences():
    talk = Talk()
    told = talk.all(
        "gogui-play_sequence b C3 W D4 b pass b E5",
        "list_stones b",
        "gogui-play_sequence w A1 w A2 b C3",
        "list_stones w",
        "gogui-play_sequence b",
        "gogui-play_sequence",
        "gogui-play_sequence w I5 w A2",
        "gg-undo 3",
        "list_stones b",
    )
    assert [answer.text for answer in told[:5]] == [
        "",
        "E5 C3",
        "illegal move",
        "D4",
        "syntax error: 1 argument; the form is: gogui-play_sequence COLOR VERTEX COLOR VERTEX …",
    ]
    assert [answer.sign for answer in told[5:8]] == ["=", "?", "="]
    assert told[-1].text == "C3"


def test_goguis_setup():
    talk = Talk()
    told = talk.all(
        "komi 2",
        "gogui-setup b C3 w D4 b E5",
        "gogui-setup_player w",
        "gogui-rules_side_to_move",
        "list_stones b",
        "play w A1",
        "undo",
        "gogui-rules_side_to_move",
        "list_stones w",
        "get_komi",
    )
    assert [answer.text for answer in told] == ["", "", "", "white", "E5 C3", "", "", "white", "D4", "2"]


@pytest.mark.parametrize(
    ("before", "stones", "text"),
    [
        ("play b C3", "b D4", "board not empty: .*; use clear_board first"),
        ("play b pass", "b D4", "board not empty: .*; use clear_board first"),
        ("komi 4", "b pass", "invalid color or coordinate: a point is wanted here, not pass"),
        ("komi 4", "b", "syntax error: 1 argument; the form is: gogui-setup COLOR VERTEX COLOR VERTEX …"),
        ("komi 4", "b C3 w C3", "bad vertex list: .*twice.*"),
        ("komi 4", "w C3 b B3 b D3 b C2 b C4", "bad vertex list: .*no liberties.*"),
    ],
)
def test_setups_that_are_refused_change_nothing(before: str, stones: str, text: str):
    talk = Talk()
    told = talk.all(before, "daoqi-passes", "showboard", f"gogui-setup {stones}", "daoqi-passes", "showboard")
    assert told[3].sign == "?"
    assert re.fullmatch(text, told[3].text)
    assert told[1:3] == told[4:6]


def test_the_rules_are_told_and_taken_back():
    talk = Talk()
    told = talk.last("kata-get-rules").text
    rules = json.loads(told)
    assert (rules["ko"], rules["scoring"], rules["suicide"], rules["tax"]) == ("SITUATIONAL", "AREA", True, "NONE")
    accepted = (told, json.dumps(rules, indent=1).replace("\n", " "), "daoqi", '{"ko": "SITUATIONAL"}')
    assert {answer.sign for answer in talk.all(*(f"kata-set-rules {text}" for text in accepted))} == {"="}
    fields = ("ko SITUATIONAL", "suicide true", "whiteHandicapBonus 0", "passCost 1")
    assert {answer.sign for answer in talk.all(*(f"kata-set-rule {text}" for text in fields))} == {"="}


def test_rules_are_set_and_played_by():
    talk = Talk()
    told = talk.all(
        "kata-set-rules tromp-taylor",
        "kata-get-rules",
        "play b e5",
        "play w pass",
        "play b pass",
        "final_score",
        'kata-set-rules {"passCost": 3}',
        "final_score",
        "komi 81",
        "kata-set-rule passCost 0",
        "final_score",
        "kata-set-rule tie BLACK",
        "final_score",
    )
    assert {answer.sign for answer in told} == {"="}
    rules = json.loads(told[1].text)
    assert [rules[name] for name in ("ko", "suicide", "passCost", "tie")] == ["POSITIONAL", True, 0, "NONE"]
    assert [told[place].text for place in (5, 7, 10, 12)] == ["B+77", "B+77", "0", "B+0"]


def test_rules_hold_for_new_games_and_for_plays():
    suicide = ("play w a2", "play w b1", "play w j1", "play w a9", "play b a1")
    told = Talk().all(*suicide, "undo", "kata-set-rule suicide false", "play b a1", "clear_board", *suicide)
    assert told[4].sign == "="
    assert told[7].text == "illegal move"
    assert told[-1].text == told[7].text
    told = Talk().all(*suicide, "kata-set-rule suicide false", "kata-get-rules")
    assert told[5].text.startswith("rules not set: they forbid a move of this game (the move would be suicide")
    assert json.loads(told[6].text)["suicide"] is True


def test_other_rules_keep_the_position_that_a_record_begins_with(tmp_path: Path):
    path = tmp_path / "handicap.sgf"
    path.write_text("(;SZ[5]TO[3]AB[aa][bb]AW[cc]PL[W]C[two stones];W[dd])")
    told = Talk().all(
        f"loadsgf {path}",
        "kata-set-rule suicide false",
        "list_stones b",
        "list_stones w",
        "undo",
        "list_stones b",
        "list_stones w",
        "gogui-rules_side_to_move",
        "printsgf",
    )
    assert {answer.sign for answer in told} == {"="}
    assert [answer.text for answer in told[2:8]] == ["A5 B4", "C3 D2", "", "A5 B4", "C3", "white"]
    assert "AB[aa][bb]AW[cc]PL[W]" in told[8].text
    assert "C[two stones]" in told[8].text


def test_other_rules_leave_handicap_stones_where_records_have_them():
    told = Talk(9).all("fixed_handicap 3", "play w B2", "printsgf", "kata-set-rule suicide false", "printsgf", "undo")
    assert {answer.sign for answer in told} == {"="}
    assert told[4].text == told[2].text.replace("RU[Daoqi]", "RU[suicide=no]")


@pytest.mark.parametrize("begin", ["clear_board", "fixed_handicap 2"])
def test_after_other_rules_undo_restores_the_side_to_move_and_the_end(begin: str):
    """The moves are one out of turn, two passes that end the game, and one after the end."""
    moves = ("play black C3", "play black C4", "play white pass", "play black pass", "play black C7")
    shown_after_undo = ("gogui-rules_side_to_move", "gogui-rules_legal_moves", "showboard", "undo")
    told = [
        Talk().all(begin, *moves, rules, *(shown_after_undo * len(moves)), *shown_after_undo[:-1])[len(moves) + 2 :]
        for rules in ("kata-get-rules", "kata-set-rule passCost 0")
    ]
    assert {answer.sign for answer in told[0]} == {"="}
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("kata-set-rules japanese", "rules not supported: 'japanese'; those that are: daoqi, tromp-taylor"),
        ('kata-set-rules {"scoring":"TERRITORY"}', 'rules not supported: scoring is "AREA", not "TERRITORY"'),
        (
            'kata-set-rules {"ko":"NONE"}',
            'rules not supported: ko is one of "SITUATIONAL", "POSITIONAL", "SIMPLE", not .*',
        ),
        ('kata-set-rules {"ko":[]}', r"rules not supported: ko is one of .*, not a list"),
        ('kata-set-rules {"tie":{}}', "rules not supported: tie is one of .*, not an object"),
        ('kata-set-rules {"suicide":1}', "rules not supported: suicide is one of true, false, not 1"),
        ('kata-set-rules {"passCost":-1}', "rules not supported: the cost of a pass is out of range: -1; 0 to 100"),
        ('kata-set-rules {"passCost":true}', "rules not supported: passCost is a whole number, not true"),
        ('kata-set-rules {"oneStoneSuicide":false}', "rules not supported: oneStoneSuicide is always the same as .*"),
        ('kata-set-rules {"cleanup":1}', "rules not supported: 'cleanup' is not a field; .*"),
        ("kata-set-rules {", "syntax error: '{' is no JSON; the form is: .*"),
        ('kata-set-rules {"ko":' + "[" * 20_000, "syntax error: .* is no JSON; the form is: .*"),
        ("kata-set-rules", "syntax error: no rules; the form is: .*"),
        ("kata-set-rule suicide maybe", "syntax error: 'maybe' is no value; .*"),
        ("kata-set-rule ko NONE", 'rules not supported: ko is one of .*, not "NONE"'),
    ],
)
def test_rules_that_cannot_be_played(command: str, text: str):
    told = Talk().last(command)
    assert told.sign == "?"
    assert re.fullmatch(text, told.text)
    assert len(told.text) < 300


def test_rules_nested_however_deeply_are_refused():
    # At around a thousand nesting levels JSON can still be read but no longer written.
    told = Talk().all(*(f"kata-set-rule suicide {'[' * depth}{']' * depth}" for depth in range(800, 1000)))
    assert {answer.sign for answer in told} == {"?"}
    assert {answer.text.partition(":")[0] for answer in told} <= {"rules not supported", "syntax error"}


def test_what_was_thought_is_forgotten_and_an_analysis_stopped():
    talk = Talk()
    told = talk.all("clear_cache", "1 kata-analyze", "2 stop", "clear_cache now")
    assert [answer.sign for answer in told] == ["=", "=", "=", "?"]
    assert (told[2].id, told[2].text) == ("2", "")
    assert told[3].text == "syntax error: 1 argument; the form is: clear_cache"
    assert Talk().last("komi").text == "syntax error: 0 arguments; the form is: komi POINTS"
    assert talk.player is not None
    assert talk.player.forgotten == 1


def test_goguis_rules():
    told = Talk(5).all(
        "play b A1",
        "gogui-rules_game_id",
        "gogui-rules_board",
        "gogui-rules_legal_moves",
        "gogui-rules_side_to_move",
        "gogui-rules_final_result",
        "gogui-analyze_commands",
    )
    assert told[1].text == "Daoqi"
    assert told[2].text == ". . . . .\n" * 4 + "X . . . ."
    legal = told[3].text.split()
    assert (len(legal), legal[-1], "A1" in legal) == (25, "pass", False)
    assert told[4].text == "white"
    assert told[5].text == "Black wins by 21. Black 25, White 4."
    menu = [line.split("/") for line in told[6].text.split("\n")]
    assert {len(entry) for entry in menu} == {3}
    assert {entry[2].split()[0] for entry in menu} <= set(COMMANDS)


def test_goguis_lists_of_points_are_nothing_else():
    """GoGui refuses a point list that contains any other word."""
    menu = [line.split("/") for line in Talk(5).last("gogui-analyze_commands").text.split("\n")]
    lists = [command.replace("%c", "black").replace("%p", "C3") for kind, _, command in menu if kind == "plist"]
    assert lists
    for told in Talk(5).all("play b C3", *lists)[1:]:
        assert told.sign == "="
        assert re.fullmatch(r"[A-E][1-5](?: [A-E][1-5])*", told.text)


def test_the_commands_that_gtp_lacks():
    bare = plays("""
        .........
        .........
        .........
        ....X....
        ....OX...
        .....X...
        .........
        .........
        .........
    """)
    told = Talk().all(*bare, "daoqi-ladder E5 black", "daoqi-ladder A1", "daoqi-ladder_points E5 black")
    assert re.fullmatch(r"captured in \d+, black first: (?:(?:[A-J]\d|pass) ?)+", told[4].text)
    assert told[5].text.startswith("there is no stone at A1")
    black, white = told[6].text.split("\n")
    assert black.startswith("black breakers:")
    assert len(white.split()) > 10
    assert Talk().last("play b C3", "play w J1", "daoqi-opening").text == (
        "class 8: two-space jump, 2 aside, (2,3)\nstandard: (0,0) (2,3)"
    )
    told = Talk(5).all("play b C3", "daoqi-owners", "daoqi-ownership", "daoqi-legal b C3", "daoqi-legal w pass")
    assert told[1].text == "\n".join(["b b b b b"] * 5)
    assert told[2].text == "\n".join(["1.00 1.00 1.00 1.00 1.00"] * 5)
    assert told[3].text == "illegal: that point is occupied; play on an empty point"
    assert told[4].text == "legal"


def test_an_undecided_ladder_has_no_breakers(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("daoqi_tui.gtp.engine.daoqi_commands._POINTS_NODES", 1)
    told = Talk(9).last("play b E6", "play w E5", "play b F5", "play b F4", "daoqi-ladder_points E5 black")
    assert told.text == "undecided: 77"


def test_processor_time_is_told():
    assert float(Talk().last("cputime").text) > 0


def test_an_internal_error_is_answered_and_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def broken(*_: object) -> str:
        raise RuntimeError("two\n\nlines")

    monkeypatch.setitem(COMMANDS, "name", Command(broken, "name"))
    answers = Talk().raw("4 name\n5 version\n")
    [report] = (tmp_path / "daoqi-tui" / "reports").iterdir()
    assert answers == (
        f"?4 internal error: RuntimeError: two\nlines\na report of it is in {report}\n\n=5 {__version__}\n\n"
    )
    assert "RuntimeError: two" in report.read_text("utf-8")
    told = capsys.readouterr().err
    assert str(report) in told
    assert "Traceback" not in told


def test_a_whole_process():
    words = forked_command("-m", "daoqi_tui", "gtp", "--level", "1", "--size", "7")
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        engine.stdin.write(b"1 \xff\xfename\r\n2 boardsize 5\r\n3 genmove w\r\n4 list_stones w\n5 quit\n")
        engine.stdin.flush()
        # It must end on "quit" although its input stays open.
        assert engine.wait(HANG) == 0
        output = engine.stdout.read()
    assert b"\r" not in output
    told = split(output.decode())
    assert [(answer.sign, answer.id) for answer in told] == [("?", "1"), ("=", "2"), ("=", "3"), ("=", "4"), ("=", "5")]
    assert told[2].text == told[3].text


def test_a_byte_order_mark_is_no_part_of_the_first_command():
    words = forked_command("-m", "daoqi_tui", "gtp", "--level", "1")
    ended = subprocess.run(words, input=b"\xef\xbb\xbfname\nquit\n", capture_output=True, cwd=ROOT, check=True)
    assert [answer.text for answer in split(ended.stdout.decode())] == ["Daoqi", ""]


def test_the_command_line_names_the_engine():
    words = forked_command("-m", "daoqi_tui", "gtp", "--gtp-name", "Daoqi 道棋", "--gtp-version", "1.16.0")
    ended = subprocess.run(words, input=b"name\nversion\nquit\n", capture_output=True, cwd=ROOT, check=True)
    assert [answer.text for answer in split(ended.stdout.decode())] == ["Daoqi 道棋", "1.16.0", ""]


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--gtp-name=", "'' cannot be an answer: write a line of text"),
        ("--gtp-name= ", "' ' cannot be an answer: write a line of text"),
        ("--gtp-version=1.16\n", r"'1.16\n' cannot be an answer: write a line of text"),
        ("--gtp-version=\x1b[2J", r"'\x1b[2J' cannot be an answer: write a line of text"),
        ("--size=99", "The board size must be a whole number from 5 to 25"),
        ("--komi=nan", "Komi must be a number such as 4 or 3.75"),
        ("--level=11", "there is no level 11: 1 to 10, in steps of 0.5"),
        ("--time=0", "'0' is not a time"),
    ],
)
def test_options_out_of_range(option: str, told: str):
    words = forked_command("-m", "daoqi_tui", "gtp", "--lang", "en", option)
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_an_analysis_ends_when_nobody_reads_it():
    """Tested with a whole process, since the analysis then runs in a child process too."""
    engine = subprocess.Popen(
        forked_command("-m", "daoqi_tui", "gtp", "--size", "5"),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert engine.stdin is not None
    assert engine.stdout is not None
    assert engine.stderr is not None
    with engine:
        engine.stdin.write(b"kata-analyze 10\n")
        engine.stdin.flush()
        engine.stdout.readline()
        engine.stdout.close()
        try:
            assert engine.wait(HANG) == 0
        finally:
            engine.kill()
        assert engine.stderr.read() == b""


async def test_a_player_that_crashed_is_asked_once_more():
    class Crashing(PlayerProcess):
        asked = 0

        async def think(self, *_: Any) -> Answer:
            self.asked += 1
            if self.asked == 1:
                raise PlayerCrashed("it fell over")
            return Answer(1, 7, 0.5, False, 0, 0.0, (), 0.0)

    told: list[str] = []
    thinker = LevelPlayer(1, process=Crashing(), on_crash=told.append)
    assert (await thinker.think(Think(Position(9, 4)))).move == 7
    assert told == ["it fell over"]


@pytest.mark.parametrize(
    ("command", "size"),
    [("boardsize 13", 13), ("clear_board", 9), ("loadsgf game.sgf", 5)],
    ids=str,
)
def test_the_player_loads_before_what_fixes_the_size_is_answered(
    command: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "game.sgf").write_text("(;FF[4]GM[1]SZ[5]TO[3];B[cc])")
    monkeypatch.chdir(tmp_path)
    written: list[str] = []

    class Loading(talking.SimplePlayer):
        async def prepare(self, position: Position, on_stage: Callable[[Stage], object]) -> None:  # type: ignore[override]
            on_stage("compiling")
            await asyncio.sleep(0)
            written.append("loaded")
            await super().prepare(position)

    monkeypatch.setattr(talking, "SimplePlayer", Loading)
    monkeypatch.setattr(engine, "write_now", lambda target, text: (written.append(text), target.write(text)))
    talk = Talk()
    assert talk.last(command).sign == "="
    assert talk.player is not None
    assert talk.player.prepared == [size]
    assert written[0] == "loaded"


def test_what_cannot_be_loaded_is_an_error_of_the_first_move(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(talking.SimplePlayer):
        async def prepare(self, *_: object) -> None:
            raise PlayerError("the network cannot be read")

        async def think(self, *_: Any) -> Answer:
            raise PlayerError("the network cannot be read")

    monkeypatch.setattr(talking, "SimplePlayer", Broken)
    told = Talk().all("boardsize 9", "genmove b")
    assert [each.sign for each in told] == ["=", "?"]
    assert told[1].text == "the network cannot be read"


def test_compiling_is_written_to_the_log(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Compiling(talking.SimplePlayer):
        async def prepare(self, position: Position, on_stage: Callable[[Stage], object]) -> None:  # type: ignore[override]
            on_stage("compiling")

    monkeypatch.setattr(talking, "SimplePlayer", Compiling)
    Talk().last("clear_board")
    assert "about a minute" in capsys.readouterr().err
