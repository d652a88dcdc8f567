"""A game in text mode: moves, captures, refusals, scoring, saving and help."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from daoqi_tui.commands.text import BY_NAME, ONLINE_BY_NAME, ONLINE_COMMANDS, TextCommand, command_in
from daoqi_tui.commands.text import TEXT_COMMANDS as COMMANDS
from daoqi_tui.engine import BLACK, LARGEST, STYLES, TROMP_TAYLOR, WHITE, Game, torus_of
from daoqi_tui.i18n import use_language
from daoqi_tui.plain import execute, play
from daoqi_tui.plain import game as game_module
from daoqi_tui.plain.commands import HANDLERS
from daoqi_tui.plain.game import PlainGame, Waiting
from daoqi_tui.play.background import Wait
from daoqi_tui.play.session import GameSetup, Session
from daoqi_tui.record import load
from tests.chinese_style import faults
from tests.engine.pictures import game_of
from tests.forked import forked_command


def home(folder: Path) -> dict[str, str]:
    """Return environment variables with which all user files are kept in ``folder``."""
    homes = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("STATE", "DATA", "CONFIG")}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("DAOQI", "LC_", "LANG"))}
    return {**clean, **homes, "HOME": str(folder), "LANG": "C.UTF-8"}


def person_at(game: Game) -> PlainGame:
    return PlainGame(Session(game=game))


def talk(game: Game, *lines: str) -> list[str]:
    """Type the lines and return the answer to the last one."""
    person = person_at(game)
    answer: list[str] = []
    for line in lines:
        answer = execute(person, line)
    return answer


def test_a_move_is_told_and_who_is_next() -> None:
    assert talk(Game(9), "e5") == ["Black E5.", "Move 2, White to move."]
    assert talk(Game(9), "E5", " f5 ") == ["White F5.", "Move 3, Black to move."]


@pytest.mark.parametrize("line", ["", "   ", "\t", "\n"])
def test_an_empty_line_does_nothing(line: str) -> None:
    game = Game(9)
    assert talk(game, line) == []
    assert game.node is game.root


def test_a_capture_across_the_seam_is_told_with_its_points() -> None:
    game = game_of(
        """
        O . . . X
        X . . . .
        . . . . .
        . . . . .
        O X . . X
        """
    )
    assert talk(game, "b5") == ["Black B5.", "Move 2, White to move."]
    assert talk(game, "c3", "a2") == ["Black A2, captures 2 stones: A5, A1.", "Move 4, White to move."]


def test_a_suicide_is_told_as_one() -> None:
    game = game_of(
        """
        . . . . .
        . . O . .
        . O . O .
        . . O . .
        . . . . .
        """
    )
    assert talk(game, "c3") == ["Black C3, suicide, 1 stone lost: C3.", "Move 2, White to move."]
    assert game.node.lost == 1


def test_refusals_say_why() -> None:
    assert talk(Game(9), "e5", "e5") == ["E5 is occupied: play on an empty point."]
    ko = game_of(
        """
        . . . . .
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        """
    )
    assert talk(ko, "c3", "b3") == ["B3 would repeat the starting position with Black to move."]
    assert talk(Game(9), "k9") == ["k9 is neither a point from A1 to I9 nor a command. Type help for a list."]
    use_language("zh")
    try:
        assert talk(Game(9), "k9") == ["k9 既不是 A1 到 I9 的点，也不是命令。输入 help 查看命令列表。"]
    finally:
        use_language("en")


def test_two_passes_end_the_game_with_the_score() -> None:
    game = game_of(
        """
        . X . O .
        . X . O .
        . X . O .
        . X . O .
        . X . O .
        """
    )
    assert talk(game, "pass") == ["Black passes.", "Move 2, White to move."]
    assert talk(game, "pass") == [
        "White passes.",
        "The game is over. White wins by 4.",
        "Black, 4 in all: stones 5, territory 0, minus 1 for passes.",
        "White, 8 in all: stones 5, territory 0, minus 1 for passes, komi 4.",
    ]
    over = "The game is over. Type resume to play on, undo, save FILE, or quit."
    assert talk(game, "a1") == talk(game, "pass") == talk(game, "resign") == [over]
    assert talk(game, "resume") == ["The game goes on.", "Move 3, Black to move."]
    assert talk(game, "a1")[0] == "Black A1."


def test_the_score_at_any_time_changes_nothing() -> None:
    game = Game(9)
    assert talk(game, "e5", "score")[-1] == "Black by 77."
    assert game.node.number == 1


def test_undo_and_redo() -> None:
    game = Game(9)
    person = person_at(game)
    assert execute(person, "undo") == ["This is the start: there is nothing to undo."]
    assert execute(person, "redo") == ["There is nothing to redo."]
    execute(person, "e5")
    execute(person, "f5")
    assert execute(person, "undo") == ["Undone: F5.", "Move 2, White to move."]
    execute(person, "g5")
    execute(person, "undo")
    assert execute(person, "redo") == ["White G5.", "Move 3, Black to move."]
    assert execute(person, "resign") == ["The game is over. Black resigns: White wins."]
    assert execute(person, "undo") == ["The end of the game is undone.", "Move 3, Black to move."]


def test_a_resignation_in_chinese_is_told_without_a_colon() -> None:
    use_language("zh")
    assert talk(Game(5), "resign") == ["棋局已结束。黑认输，白中盘胜。"]


def test_names_stay_with_their_points_when_the_board_is_shifted() -> None:
    game = Game(5)
    assert talk(game, "a5", "shift r1 u1") == [
        "B1 is now at the top left.",
        "   B C D E A",
        " 1 . . . . .  1",
        " 5 . . . .(X) 5",
        " 4 . . . . .  4",
        " 3 . . . . .  3",
        " 2 . . . . .  2",
        "   B C D E A",
    ]
    assert talk(game, "shift r1 u1", "a1")[0] == "White A1."
    assert game.board.colours[game.torus.parse("A1")] == WHITE
    assert talk(Game(5), "shift r3", "shift l2 l1", "board") == talk(Game(5), "board")


def test_the_board_shows_labels_and_marks() -> None:
    game = load("(;SZ[5]TO[3];B[aa]LB[bb:黑][cc:A]TR[dd])".encode()).game
    assert talk(game, "forward", "shift r1") == [
        "B5 is now at the top left.",
        "   B C D E A",
        " 5 . . . .(X) 5",
        " 4 黑. . . .  4",
        " 3 . A . . .  3",
        " 2 . . ^ . .  2",
        " 1 . . . . .  1",
        "   B C D E A",
    ]


@pytest.mark.parametrize("rest", ["", "3", "north", "r3 x", "r1000"])
def test_a_shift_that_says_nothing_is_explained(rest: str) -> None:
    assert talk(Game(5), f"shift {rest}") == ["Give a direction and a distance: shift r3, or shift l2 u1."]


def test_a_chain_is_told() -> None:
    game = Game(9)
    game.setup(black=[game.torus.parse("A1"), game.torus.parse("I1")], to_move=BLACK)
    assert talk(game, "chain a1") == [
        "Black, 2 stones; 6 liberties.",
        "Stones: A1, I1.",
        "Liberties: A9, I9, A2, I2, B1, H1.",
    ]
    assert talk(game, "chain e5") == ["There is no stone at E5."]
    assert talk(game, "chain") == ["Name a point: chain E5."]


def test_saving(tmp_path: Path) -> None:
    file = tmp_path / "a game.sgf"
    person = person_at(Game(9))
    execute(person, "e5")
    assert execute(person, f"save {file}") == [f"Saved as {file}."]
    assert len(load(file).game.root.line()) == 1
    execute(person, "f5")
    assert execute(person, f"save {file}") == [f"Saved as {file}."], "its own file may be written again"
    assert len(load(file).game.root.line()) == 2
    other = person_at(Game(9))
    asked = [f"{file} already exists. Type save {file} again to replace it, or choose another name."]
    assert execute(other, f"save {file}") == asked
    assert len(load(file).game.root.line()) == 2
    execute(other, "turn")
    assert execute(other, f"save {file}") == asked, "something else was typed in between"
    another = tmp_path / "another.sgf"
    another.touch()
    execute(other, f"save {another}")
    assert execute(other, f"save {file}") == asked, "it was asked about another file"
    assert execute(other, f"save {file}") == [f"Saved as {file}."]
    assert not load(file).game.root.line()
    missing = tmp_path / "nowhere"
    told = [f"There is no folder {missing}: name one that exists."]
    assert execute(other, f"save {missing / 'game.sgf'}") == told
    assert execute(other, "save") == ["Name a file: save game.sgf."]


def test_an_opened_file_is_saved_again(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[1]SZ[9]TO[3];B[ee])")
    person = person_at(Game(9))
    for line in (f"open {file}", "forward", "f5"):
        execute(person, line)
    assert execute(person, f"save {file}") == [f"Saved as {file}."]
    assert len(load(file).game.root.line()) == 2


def test_leaving_an_unsaved_game_has_to_be_meant(tmp_path: Path) -> None:
    person = person_at(Game(9))
    execute(person, "e5")
    warning = ["The game is not saved. Type save FILE to save it, or quit again to leave without saving."]
    assert execute(person, "quit") == warning
    assert execute(person, "score")
    assert execute(person, "quit") == warning, "something was done in between"
    assert execute(person, "quit") == ["Goodbye."]
    assert person.over
    saved = person_at(Game(9))
    execute(saved, "e5")
    execute(saved, f"save {tmp_path / 'game.sgf'}")
    execute(saved, "comment a good move")
    assert execute(saved, "quit") == warning, "the file lacks the comment"
    execute(saved, f"save {tmp_path / 'game.sgf'}")
    assert execute(saved, "quit") == ["Goodbye."]
    assert execute(person_at(Game(9)), "quit") == ["Goodbye."]
    back = person_at(Game(9))
    execute(back, "e5")
    execute(back, "back")
    assert execute(back, "quit") == warning, "the move is still there"
    opened = person_at(Game(9))
    execute(opened, f"open {tmp_path / 'game.sgf'}")
    execute(opened, "forward")
    assert execute(opened, "quit") == ["Goodbye."], "nothing was changed"


def test_help_tells_of_every_command_under_the_heading_of_its_group() -> None:
    told = execute(person_at(Game(9)), "help")
    headings = list(dict.fromkeys(command.group for command in COMMANDS))
    assert [line[:-1] for line in told if line.endswith(":")] == headings
    assert len(told) == len(headings) + 1 + len(COMMANDS)
    for command in COMMANDS:
        assert any(line.startswith((f"{command.name}: ", f"{command.name} ", f"{command.name}, ")) for line in told), (
            command.name
        )


def test_the_help_tells_of_both_seats_before_the_rating_and_names_what_else_may_be_typed() -> None:
    lines = talk(Game(5), "help")
    [black, white, rating] = [
        place for place, line in enumerate(lines) if line.startswith(("black 5", "white 5", "rating"))
    ]
    assert (white, rating) == (black + 1, black + 2)
    assert "black engine COMMAND: choose who plays Black" in lines[black]
    assert "white engine COMMAND: choose who plays White" in lines[white]
    use_language("zh")
    lines = talk(Game(5), "help")
    assert any(line.startswith("save 文件名") for line in lines)
    assert any("white engine 命令" in line for line in lines)
    assert not any(word in line for line in lines for word in ("FILE", "TEXT", "COMMAND"))


def test_text_mode_has_a_function_for_every_command_and_no_other() -> None:
    assert HANDLERS.keys() == {command.name for command in COMMANDS}


def test_help_names_the_levels_there_are() -> None:
    assert any("at a level from 1 to 10 in steps of 0.5" in line for line in execute(person_at(Game(9)), "help"))


def test_a_command_that_stands_alone_takes_nothing_more() -> None:
    for command in COMMANDS:
        if not command.typed:
            told = execute(person_at(Game(9)), f"{command.name} c3")
            assert told == [f"{command.name} takes no arguments: type it alone."]


def test_what_is_typed_cannot_reach_the_terminal_as_orders() -> None:
    (answer,) = talk(Game(9), "\x1b[31mred\x07")
    assert "\x1b" not in answer
    assert "\x07" not in answer


def test_the_end_of_the_input_ends_politely() -> None:
    out = io.StringIO()
    assert play(person_at(Game(9)), io.StringIO("e5\n\nboard"), out) == 0
    lines = out.getvalue().splitlines()
    assert lines[0] == "Daoqi, 9 by 9, komi 4. Type a point such as E5, or help."
    assert lines[-1] == "Goodbye."
    assert " 5 . . . .(X). . . .  5" in lines


def test_from_the_command_line_without_a_terminal_and_without_textual(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from daoqi_tui.cli.main import main\n"
        "try:\n    main(['--plain', '--size', '5', '--komi', '3.75'])\n"
        "except SystemExit as end:\n"
        "    print(end.code, [name for name in ('textual', 'numpy', 'rich') if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="c3\nquit\n",
        env=home(tmp_path),
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.splitlines() == [
        "Daoqi, 5 by 5, komi 3.75. Type a point such as C3, or help.",
        "Move 1, Black to move.",
        "Black C3.",
        "Move 2, White to move.",
        "The game is kept. Type continue 1 at the next start to resume it.",
        "Goodbye.",
        "0 []",
    ]


@pytest.mark.parametrize(
    ("setting", "options", "told"),
    [
        ("tromp-taylor", [], ["The rules: Tromp–Taylor (free passes, draws)."]),
        ("superko=simple, suicide=no", [], ["The rules: simple ko, no suicide."]),
        ("pass_cost=3, tie=none", [], ["The rules: a pass costs 3 points, draws."]),
        ("tromp-taylor", ["--rules", "suicide=no"], ["The rules: no suicide."]),
        ("tromp-taylor", ["--rules", "daoqi"], []),
        ("daoqi", [], []),
    ],
)
def test_the_rules_of_a_new_game_are_those_of_the_settings_unless_an_option_names_others(
    setting: str, options: list[str], told: list[str], tmp_path: Path
) -> None:
    done = subprocess.run(
        forked_command("-m", "daoqi_tui", "--plain", *options),
        input="quit\n",
        env={**home(tmp_path), "DAOQI_TUI_PLAY_RULES": setting},
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stderr == ""
    assert [line for line in done.stdout.splitlines() if "rules" in line] == told


def test_a_pass_costs_what_the_rules_say() -> None:
    game = Game(5, rules=TROMP_TAYLOR)
    told = execute(person_at(game), "pass") + execute(person_at(game), "score")
    assert "Black, 0 in all: stones 0, territory 0." in told


def test_a_mistyped_command_brings_the_nearest() -> None:
    told = "is neither a point from A1 to I9 nor a command; did you mean"
    assert talk(Game(9), "unod") == [f"unod {told} undo?"]
    assert talk(Game(9), "ladr c3") == [f"ladr c3 {told} ladder?"]


def test_what_a_board_shows_is_told_in_words() -> None:
    game = Game(5)
    assert talk(game, "turn") == ["Move 1, Black to move."]
    assert talk(game, "moves") == ["No move has been made."]
    assert talk(game, "a1", "a5", "pass", "e1") == ["White E1.", "Move 5, Black to move."]
    assert talk(game, "turn") == ["The last move: White E1.", "Move 5, Black to move."]
    assert talk(game, "moves") == ["From move 1: Black A1, White A5, Black pass, White E1."]
    assert talk(game, "stones") == ["Black, 1 stone: A1.", "White, 2 stones: A5, E1."]
    # The neighbours of a corner wrap around to the opposite edges of the diagram.
    assert talk(game, "around a1") == [
        "A1 Black.",
        "Above: A2 empty; to the right: B1 empty; below: A5 White; to the left: E1 White.",
    ]
    assert talk(game, "around") == talk(game, "around z9") == ["Name a point: around C3."]
    assert game.node.number == 4


def test_on_the_smallest_board_a_point_has_one_neighbour_on_two_sides() -> None:
    game = Game(2)
    assert talk(game, "a1", "around a1")[-2:] == [
        "A1 Black.",
        "Above: A2 empty; to the right: B1 empty; below: A2 empty; to the left: B1 empty.",
    ]


def test_moves_are_told_ten_to_a_line() -> None:
    game = Game(9)
    for point in range(12):
        game.play(point * 2)
    assert [line.split(": ")[0] for line in talk(game, "moves")] == ["From move 1", "From move 11"]


def test_the_stones_of_a_game_that_is_begun_are_told_at_the_start() -> None:
    told = list(person_at(game_of("X . . . .\n. . . . .\n. . O . .\n. . . . .\nX . . . .")).greeting())
    assert "Stones on the board: Black 2, White 1. Type stones to list them." in told
    assert not any("Stones" in line for line in person_at(Game(5)).greeting())


def test_examples_in_the_help_are_points_of_this_board() -> None:
    lines = talk(Game(5), "help")
    assert any(line.startswith("chain C3: ") for line in lines)
    assert not any("K9" in line or "{" in line for line in lines)


WHOLE_GAME = [
    "help",
    "nonsense",
    "c3",
    "c3",
    "b3",
    "undo",
    "redo",
    "turn",
    "moves",
    "stones",
    "around c3",
    "chain c3",
    "chain",
    "ladder c3",
    "opening",
    "score",
    "black person",
    "black 99",
    "resume",
    "pass",
    "pass",
    "e5",
    "resume",
    "resign",
    "undo",
    "save",
    "save {folder}/a.sgf",
    "save {folder}/a.sgf",
    "games",
    "continue 7",
    "quit now",
    "quit",
]


def test_chinese_answers_have_full_width_punctuation() -> None:
    use_language("zh")
    person = person_at(
        game_of(
            """
            O . . . X
            X . . . .
            . . . . .
            . . . . .
            X . . . .
            """
        )
    )
    typed = ("b5", "c3", "moves", "stones", "around c3", "chain a4", "ladder c3", "opening", "undo", "redo", "back 2")
    typed += ("turn", "forward", "score", "comment 好", "teach 3", "white 99", "new 5 colour", "help", "problem", "d2")
    told = [line for one in typed for line in execute(person, one)]
    told += execute(person, "problem ladders 1")
    assert any("黑 B5，提 1 子：A5。" in line for line in told)
    assert any("、" in line for line in told)
    assert [fault for line in told for fault in faults(line) if "half-width" in fault] == []


def test_every_line_of_a_game_is_a_sentence(tmp_path: Path) -> None:
    """For screen readers, all output consists of sentences without diagrams or symbols."""
    script = "\n".join(WHOLE_GAME).format(folder=tmp_path) + "\n"
    done = subprocess.run(
        forked_command("-m", "daoqi_tui", "--plain", "--size", "5"),
        cwd=Path(__file__).resolve().parents[2],
        env=home(tmp_path),
        input=script,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) > 2 * len(WHOLE_GAME)
    assert [line for line in lines if not line.endswith((".", "?", ":"))] == []
    assert [line for line in lines if any(sign in line for sign in "·…─●○│|")] == []
    assert [line for line in lines if line.startswith(" ") or "  " in line] == []


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ([], "c3"),
        (["c3"], "undo"),
        (["c3", "undo"], "redo"),
        ([], "pass"),
        (["c3"], "resign"),
        (["pass", "pass"], "resume"),
        ([], "white 3"),
        (["white 3"], "white person"),
        ([], "save {folder}/b.sgf"),
    ],
)
def test_a_change_of_state_is_never_silent(before: list[str], line: str, tmp_path: Path) -> None:
    with closing(person_at(Game(5))) as person:
        for earlier in before:
            execute(person, earlier)
        answer = execute(person, line.format(folder=tmp_path))
    assert answer
    assert all(told.endswith(".") for told in answer)


def test_stones_are_set_up_and_taken_away() -> None:
    game = Game(5)
    assert talk(game, "c3", "put black a1 b1", "put empty c3", "put turn black") == [
        "Set up.",
        "Black, 2 stones: A1, B1.",
        "White, 0 stones.",
        "Move 2, Black to move.",
    ]
    assert len(game.moves()) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("put", "Name what to put and where: put black C3, put empty C3, put turn white."),
        ("put green a1", "Name what to put and where: put black C3, put empty C3, put turn white."),
        ("put black", "Name what to put and where: put black C3, put empty C3, put turn white."),
        ("put black a1 z9", "z9 is not a point of this board; nothing was changed."),
        ("put white a1", "The chain at A1 would have no liberty; nothing was changed."),
    ],
)
def test_what_cannot_be_set_up_changes_nothing(line: str, words: str) -> None:
    game = game_of(
        """
        X . . . .
        . . . . .
        . . . . .
        X . . . .
        . X . . X
        """
    )
    before = bytes(game.board.colours)
    assert talk(game, line) == [words]
    assert bytes(game.board.colours) == before


def _wide(text: str) -> str:
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else "\u3000" for sign in text)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_a_chinese_word_and_may_be_typed_with_an_input_method_on(command: TextCommand) -> None:
    use_language("zh")
    *_others, chinese = command.examples()
    assert not chinese.isascii()
    for typed in (command.name, command.name.upper(), _wide(command.name), chinese, f"{chinese}。"):
        assert command_in(typed, BY_NAME, torus_of(9), "daoqi") == (command, "")
    rest = command_in(f"{_wide(command.name)}\u3000Ｅ５", BY_NAME, torus_of(9), "daoqi")[1]
    assert rest == ("Ｅ５" if command.name in ("comment", "open", "save") else "E5")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("猜着 黑", "black"),
        ("猜着　停止。", "stop"),
        ("题目 停止", "stop"),
        ("题目 死活 2", "死活 2"),
        ("题目 打开 提示.sgf", "open 提示.sgf"),
        ("題目 下一題", "next"),
        ("白方 ５：力战", "5:fighting"),
        ("白方 引擎 提示 黑", "engine 提示 黑"),
        ("新对局 9 贴目 4 让子 2 白方 玩家", "9 komi 4 handicap 2 white person"),
        ("教学 关闭", "off"),
        ("摆子 轮到 白", "turn white"),
        ("平移 右3", "r3"),
        ("注解 黑", "黑"),
        ("打开 白", "白"),
    ],
)
def test_arguments_may_be_chinese_words_where_they_are_no_free_text(typed: str, meant: str) -> None:
    assert command_in(typed, BY_NAME, torus_of(9), "daoqi")[1] == meant


@pytest.mark.parametrize("command", ONLINE_COMMANDS, ids=lambda command: command.name)
def test_every_command_of_online_games_has_a_chinese_word(command: TextCommand) -> None:
    use_language("zh")
    *_others, chinese = command.examples()
    assert not chinese.isascii()
    assert command_in(chinese, ONLINE_BY_NAME, torus_of(9), "daoqi") == (command, "")


@pytest.mark.parametrize("typed", ["e5", "E5", "Ｅ５", "ｅ５", "Ｅ5。", " Ｅ５　"])
def test_a_point_may_be_typed_with_an_input_method_on(typed: str) -> None:
    assert execute(PlainGame(Session(GameSetup(9))), typed)[0] == "Black E5."


def test_a_long_wait_says_what_it_is_for_and_then_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_module, "_LONG", 0)
    monkeypatch.setattr(game_module, "_BETWEEN", 0)
    told: list[str] = []
    wait = Wait("Counting, at most 600 s; Ctrl+C stops.", most=600)

    async def count() -> int:
        while len(told) < 3:
            await asyncio.sleep(0)
        wait.done = "Position 3 of 9"
        while len(told) < 5:
            await asyncio.sleep(0)
        return 5

    waiting = Waiting(told.append)
    try:
        assert waiting.run(count(), wait) == 5
    finally:
        waiting.close()
    assert told[0] == wait.what
    assert told[1].endswith(" of 600 s; Ctrl+C stops.")
    assert "Position 3 of 9; Ctrl+C stops." in told


def test_with_the_coordinates_of_sgf_every_point_can_be_played() -> None:
    game = PlainGame(Session(GameSetup(16)), "sgf")
    assert execute(game, "go") == ["Black go.", "Move 2, White to move."]
    assert execute(game, "GO.") == ["go is occupied: play on an empty point."]
    assert execute(PlainGame(Session(GameSetup(16))), "go now") == ["go takes no arguments: type it alone."]


@pytest.mark.parametrize("commands", [BY_NAME, ONLINE_BY_NAME])
def test_a_command_that_is_called_like_a_point_has_another_name(commands: Mapping[str, TextCommand]) -> None:
    torus = torus_of(LARGEST)
    assert commands.keys() >= {command.name for command in commands.values()}
    for style in STYLES:
        named = [command_in(name, commands, torus, style)[0] for name in commands]
        assert {*filter(None, named)} == {*commands.values()}
