"""The game in lines of text: every move in words, and nothing done that was not asked for."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from daoqi_tui.engine import BLACK, WHITE, Game
from daoqi_tui.plain.game import HELP, PlainGame, play
from daoqi_tui.record import load
from daoqi_tui.tui.session import Session
from tests.engine.pictures import game_of


def home(folder: Path) -> dict[str, str]:
    """The variables of a person who keeps everything in a folder."""
    homes = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("STATE", "DATA", "CONFIG", "CACHE")}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("DAOQI", "LC_", "LANG"))}
    return {**clean, **homes, "HOME": str(folder), "LANG": "C.UTF-8"}


def person_at(game: Game) -> PlainGame:
    return PlainGame(Session(game=game))


def talk(game: Game, *lines: str) -> list[str]:
    """What is answered to the last line."""
    person = person_at(game)
    answer: list[str] = []
    for line in lines:
        answer = person.answer(line)
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
    assert talk(Game(9), "e5", "e5") == ["E5 is taken: play on an empty point."]
    ko = game_of(
        """
        . . . . .
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        """
    )
    assert talk(ko, "c3", "b3") == ["B3 would repeat the board of the start with Black to move."]
    assert talk(Game(9), "k9") == ["k9 is neither a point from A1 to I9 nor a command. Type help for a list."]


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
        "The game is over: White wins by 4.",
        "Black: stones 5, territory 0, passes -1, komi 0: 4.",
        "White: stones 5, territory 0, passes -1, komi 4: 8.",
        "White by 4.",
    ]
    over = "The game is over: resume plays on, undo takes back, save FILE keeps it, quit leaves."
    assert talk(game, "a1") == talk(game, "pass") == talk(game, "resign") == [over]
    assert talk(game, "resume") == ["Move 3, Black to move."]
    assert talk(game, "a1")[0] == "Black A1."


def test_the_score_at_any_time_changes_nothing() -> None:
    game = Game(9)
    assert talk(game, "e5", "score")[-1] == "Black by 77."
    assert game.node.number == 1


def test_undo_and_redo() -> None:
    game = Game(9)
    person = person_at(game)
    assert person.answer("undo") == ["This is the start: there is nothing to take back."]
    assert person.answer("redo") == ["There is nothing to play again."]
    person.answer("e5")
    person.answer("f5")
    assert person.answer("undo") == ["Taken back: F5.", "Move 2, White to move."]
    person.answer("g5")
    person.answer("undo")
    assert person.answer("redo") == ["White G5.", "Move 3, Black to move."]
    assert person.answer("resign") == ["The game is over: Black resigns: White wins."]
    assert person.answer("undo") == ["The end of the game is taken back.", "Move 3, Black to move."]


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


@pytest.mark.parametrize("rest", ["", "3", "north", "r3 x", "r1000"])
def test_a_shift_that_says_nothing_is_explained(rest: str) -> None:
    assert talk(Game(5), f"shift {rest}") == ["Say where to and how far: shift r3, or shift l2 u1."]


def test_a_chain_is_told() -> None:
    game = Game(9)
    game.setup(black=[game.torus.parse("A1"), game.torus.parse("I1")], to_move=BLACK)
    assert talk(game, "chain a1") == [
        "Black, 2 stones · 6 liberties.",
        "Stones: A1, I1.",
        "Liberties: A9, I9, A2, I2, B1, H1.",
    ]
    assert talk(game, "chain e5") == ["No stone stands on E5."]
    assert talk(game, "chain") == ["Name a point: chain E5."]


def test_saving(tmp_path: Path) -> None:
    file = tmp_path / "a game.sgf"
    person = person_at(Game(9))
    person.answer("e5")
    assert person.answer(f"save {file}") == [f"Saved as {file}."]
    assert len(load(file).game.root.line()) == 1
    person.answer("f5")
    assert person.answer(f"save {file}") == [f"Saved as {file}."], "its own file may be written again"
    assert len(load(file).game.root.line()) == 2
    other = person_at(Game(9))
    assert other.answer(f"save {file}") == [f"{file} is there already: choose another name."]
    assert len(load(file).game.root.line()) == 2
    missing = tmp_path / "nowhere" / "game.sgf"
    assert other.answer(f"save {missing}") == [f"{missing} cannot be written: No such file or directory."]
    assert other.answer("save") == ["Say where to: save game.sgf."]


def test_leaving_an_unsaved_game_has_to_be_meant(tmp_path: Path) -> None:
    person = person_at(Game(9))
    person.answer("e5")
    warning = ["The game is not saved: save FILE keeps it, quit again leaves without it."]
    assert person.answer("quit") == warning
    assert person.answer("score")
    assert person.answer("quit") == warning, "something was done in between"
    assert person.answer("quit") == ["Goodbye."]
    assert person.over
    saved = person_at(Game(9))
    saved.answer("e5")
    saved.answer(f"save {tmp_path / 'game.sgf'}")
    assert saved.answer("quit") == ["Goodbye."]
    assert person_at(Game(9)).answer("quit") == ["Goodbye."]


def test_help_tells_of_every_command() -> None:
    person = person_at(Game(9))
    told = " ".join(typed for typed, _deed in HELP)
    assert len(person.answer("help")) == 1 + len(HELP)
    for command in person._commands:
        assert command in told or command == "help"


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
        "from daoqi_tui.cli import main\n"
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
        "The game is kept: continue 1 goes on with it at the next start.",
        "Goodbye.",
        "0 []",
    ]
