"""Computers and advice in a game in lines of text."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import cast

import pytest

from daoqi_tui.ai.player import PlayerError
from daoqi_tui.ai.protocol import Answer, Estimated, Line
from daoqi_tui.engine import BLACK, PASS, WHITE, Game
from daoqi_tui.gtp.giving_up import RESIGN
from daoqi_tui.plain.computers import Computers
from daoqi_tui.plain.game import PlainGame, play
from daoqi_tui.plain.interrupts import held_interrupts
from daoqi_tui.plain.keeping import PlainKeeper
from daoqi_tui.record import load
from daoqi_tui.record.journal import Journal
from daoqi_tui.tui.keeper import Folders
from daoqi_tui.tui.opponents import PERSON, Computer, EngineSeat, Seat
from daoqi_tui.tui.session import GameSetup, Session
from tests.plain.test_game import home
from tests.tui.thinkers import answer, first_legal

CHECKOUT = Path(__file__).resolve().parents[2]
SIMPLE = f"'{sys.executable}' '{CHECKOUT / 'tests' / 'gtp' / 'simple.py'}' 5"
AS_BLACK = GameSetup(size=5, white_seat=Computer(3))
BOTH = GameSetup(size=5, black_seat=Computer(1), white_seat=Computer(2))


class Quick:
    """Plays what the script says, then the first legal point."""

    def __init__(self, *script: Answer | BaseException) -> None:
        self.script = list(script)
        self.asked: list[Seat] = []
        self.closed = 0
        self.last_told = ""

    def seated(self, session: Session) -> None:
        self.seats = dict(session.seats)

    def move(self, game: Game, seat: Computer | EngineSeat) -> Answer:
        self.asked.append(seat)
        step = self.script.pop(0) if self.script else answer(first_legal(game.board))
        if isinstance(step, BaseException):
            raise step
        return step

    def hint(self, game: Game) -> Answer:
        return self.move(game, Computer(10))

    def estimate(self, game: Game) -> Estimated:
        self.move(game, Computer(10))
        return Estimated(1, 400, (0.0,) * game.torus.points, 6.5, 9.0, 0.8)

    def close(self) -> None:
        self.closed += 1


class Table:
    """A game in lines of text and everything that is told in it."""

    def __init__(self, setup: GameSetup, quick: Quick, folder: Path | None = None) -> None:
        self.session, self.quick = Session(setup), quick
        keeper = PlainKeeper(self.session, Folders(folder / "journal", folder / "library")) if folder else None
        self.person = PlainGame(self.session, keeper=keeper, computers=lambda: cast("Computers", quick))

    def say(self, *lines: str) -> list[str]:
        """What is told after the last line."""
        told: list[str] = []
        for line in lines:
            told = [*self.person.answer(line), *self.replies()]
        return told

    def replies(self) -> list[str]:
        told: list[str] = []
        try:
            told.extend(self.person.replies())
        except KeyboardInterrupt:
            told.extend(self.person.stopped())
        return told


def test_a_computer_answers_and_only_its_move_is_told() -> None:
    table = Table(AS_BLACK, Quick())
    assert list(table.person.greeting())[1:] == ["Computer 3 plays White.", "Move 1, Black to move."]
    assert list(table.person.replies()) == []
    assert table.say("c3") == ["Black C3.", "White A5.", "Move 3, Black to move."]
    assert table.say("c3") == ["C3 is taken: play on an empty point."]
    assert table.quick.asked == [Computer(3)]


def test_one_that_plays_black_begins() -> None:
    table = Table(GameSetup(size=5, black_seat=Computer(3)), Quick())
    assert list(table.person.replies()) == ["Black A5.", "Move 2, White to move."]


def test_taking_back_takes_both_moves() -> None:
    table = Table(AS_BLACK, Quick())
    assert table.say("undo") == ["There is no move of yours to take back."]
    assert table.say("c3", "undo") == ["Taken back: A5, C3.", "Move 1, Black to move."]
    assert table.say("redo") == ["Black C3.", "White A5.", "Move 3, Black to move."]
    assert len(table.quick.asked) == 1, "what it answered is known"
    assert table.say("undo", "c3")[1] == "White A5.", "a move that is known is answered too"


def test_computers_are_let_in_and_out() -> None:
    table = Table(GameSetup(size=5), Quick())
    assert table.say("c3", "white 7") == ["Computer 7 plays White.", "White A5.", "Move 3, Black to move."]
    assert table.say("white person") == ["You play White.", "Move 3, Black to move."]
    assert table.say("white engine gnugo --mode gtp") == ["gnugo plays White.", "Move 3, Black to move."]
    assert table.session.seats == {BLACK: PERSON, WHITE: EngineSeat("gnugo --mode gtp")}
    assert table.session.record_info().white == "gnugo"


@pytest.mark.parametrize("rest", ["", "0", "11", "²", "five", "0011", "engine", "engine   ", "person 5", "1" * 5000])
def test_nobody_that_can_play_is_explained(rest: str) -> None:
    table = Table(GameSetup(size=5), Quick())
    assert table.say(f"black {rest}") == [
        "Say who plays: black 5 for a computer of level 5, black person, black engine COMMAND."
    ]
    assert table.session.persons == (BLACK, WHITE)


def test_a_command_that_cannot_be_read_is_explained() -> None:
    table = Table(GameSetup(size=5), Quick())
    (words,) = table.say("black engine 'gnugo")
    assert "cannot be read" in words
    assert table.session.persons == (BLACK, WHITE)


def test_a_computer_makes_a_single_move_for_a_person() -> None:
    table = Table(GameSetup(size=5), Quick())
    assert table.say("go") == ["Black A5.", "Move 2, White to move."]
    assert table.session.persons == (BLACK, WHITE)


def test_its_pass_ends_the_game_with_the_count() -> None:
    table = Table(AS_BLACK, Quick(answer(PASS)))
    told = table.say("pass")
    assert told[:3] == ["Black passes.", "White passes.", "The game is over: White wins by 4."]
    assert told[-1] == "White by 4."
    assert table.say("go")[0].startswith("The game is over")
    assert table.say("resume") == ["Move 3, Black to move."]


@pytest.mark.parametrize("script", [[answer(RESIGN)], [answer(point, hopeless=True) for point in (0, 1, 2)]])
def test_it_gives_up(script: list[Answer]) -> None:
    table = Table(AS_BLACK, Quick(*script))
    told: list[str] = []
    for point in ("c3", "d3", "e3")[: len(script)]:
        told = table.say(point)
    assert told[-1] == "The game is over: White resigns: Black wins."
    assert table.say("undo")[0] == "The end of the game is taken back."


def test_a_person_resigns_whoever_is_to_move() -> None:
    table = Table(AS_BLACK, Quick(PlayerError("no")))
    table.say("c3")
    assert table.person.game.to_move == WHITE
    assert table.say("resign") == ["The game is over: Black resigns: White wins."]


def test_a_player_that_fails_waits_to_be_asked_again() -> None:
    table = Table(AS_BLACK, Quick(PlayerError("the player is ill")))
    asks = "go asks again, white person lets you play for it."
    assert table.say("c3") == ["Black C3.", "the player is ill.", asks]
    assert table.say("board")[0] == "   A B C D E"
    assert table.say("go") == ["White A5.", "Move 3, Black to move."]
    assert table.say("d3")[1] == "White B5.", "and plays on"


def test_an_illegal_move_is_told_and_changes_nothing() -> None:
    table = Table(AS_BLACK, Quick(answer(12)))
    told = table.say("c3")
    assert told[1].startswith("The computer's move is illegal: ")
    assert table.person.game.node.number == 1
    assert table.say("white person", "d3")[0] == "White D3."


def test_ctrl_c_stops_a_thought_and_not_the_game() -> None:
    table = Table(BOTH, Quick(answer(0), answer(1), KeyboardInterrupt()))
    assert table.replies() == [
        "Black A5.",
        "White B5.",
        "Stopped: Computer 1 waits. go lets it move, undo takes back.",
    ]
    assert table.say("undo") == ["Taken back: B5.", "Move 2, White to move."], "nobody moves at once"
    table.quick.script = [answer(2), answer(3), KeyboardInterrupt()]
    assert table.say("go")[:2] == ["White C5.", "Black D5."]


def test_a_move_cut_off_while_it_was_told_is_told_again() -> None:
    table = Table(BOTH, Quick(answer(0)))
    telling = table.person.replies()
    assert next(telling) == "Black A5."
    telling.close()
    assert next(iter(table.person.stopped())) == "Black A5."


def test_ctrl_c_waits_for_a_move_that_is_being_made() -> None:
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        done = []

        def move() -> None:
            with held_interrupts():
                signal.raise_signal(signal.SIGINT)
                done.append("the move")

        with pytest.raises(KeyboardInterrupt):
            move()
        assert done == ["the move"]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, handler)


def test_after_ctrl_c_and_undo_the_computer_plays_on() -> None:
    table = Table(AS_BLACK, Quick(KeyboardInterrupt()))
    assert table.say("c3")[-1].startswith("Stopped")
    assert table.say("undo")[-1] == "Move 1, Black to move."
    assert table.say("d3")[1] == "White A5."


def test_who_makes_single_moves_for_a_person_does_not_give_the_game_up() -> None:
    table = Table(GameSetup(size=5), Quick(*(answer(point, hopeless=True) for point in range(4))))
    for _ in range(4):
        told = table.say("go")
    assert told == ["White D5.", "Move 5, Black to move."]


def test_hopeless_moves_that_were_taken_back_do_not_count() -> None:
    table = Table(AS_BLACK, Quick(*(answer(point, hopeless=True) for point in range(4))))
    table.say("c3", "undo", "d3", "undo")
    assert table.say("e3") == ["Black E3.", "White C5.", "Move 3, Black to move."]


@pytest.mark.parametrize("line", ["pass now", "undo 5", "quit now", "resign it", "help me", "score x"])
def test_words_behind_a_whole_command_do_nothing(line: str) -> None:
    table = Table(GameSetup(size=5), Quick())
    table.say("c3")
    command = line.split(maxsplit=1)[0]
    assert table.say(line) == [f"Nothing comes after {command}: type it alone."]
    assert table.person.game.node.number == 1
    assert not table.person.over


def test_each_move_of_a_computer_is_on_the_disk_before_it_is_told(tmp_path: Path) -> None:
    table = Table(BOTH, Quick(), tmp_path)
    telling = table.person.replies()
    for moves in (1, 2, 3):
        next(telling)
        (journal,) = (tmp_path / "journal").glob("*.journal")
        copy = tmp_path / f"{moves}.journal"
        copy.write_bytes(journal.read_bytes())
        found, restored = Journal.resume(copy)
        found.close()
        assert restored.game.node.number == moves


def test_advice_is_told() -> None:
    lines = (Line(12, 60, 0.54, (12, 13, PASS)), Line(7, 40, 0.5, (7,)))
    table = Table(GameSetup(size=5), Quick(Answer(1, 12, 0.54, False, 1234, 1.0, lines, 2.0, by_network=True)))
    assert "no corner" in table.say("hint")[0]
    assert table.say("a1", "hint") == [
        "Best moves, with the chance to win: C3 54%, C4 50%.",
        "Expected: C3 D3 pass.",
        "1,234 positions judged.",
    ]
    assert table.say("estimate") == ["Expected: Black by 6.5 ± 9  ·  wins 80% of 400 playouts."]
    table.quick.script = [PlayerError("the player is ill"), KeyboardInterrupt(), KeyboardInterrupt()]
    assert table.say("hint") == ["the player is ill."]
    assert table.say("hint") == table.say("estimate") == ["Stopped."]
    assert table.say("resign", "hint")[0].startswith("The game is over")


def test_ladders_and_openings_are_told() -> None:
    table = Table(GameSetup(size=9), Quick())
    assert table.say("ladder e5") == ["No stone stands on E5."]
    assert table.say("ladder") == ["Name a point: ladder E5."]
    table.say("d5", "e5", "e4", "pass", "f4", "pass")
    assert table.say("ladder d5") == ["Black D5 has 3 liberties: no ladder."]
    told = table.say("ladder e5")
    assert told[0].startswith("White E5, 2 liberties, Black to play: captured in ")
    assert told[1].startswith("  1.B ")
    assert any("breaks it" in line for line in told)
    assert table.say("opening")[0].startswith("Opening ")
    assert table.quick.asked == [], "that needs no player"


def test_players_are_ended_with_the_game() -> None:
    table = Table(AS_BLACK, Quick())
    out = io.StringIO()
    assert play(table.person, io.StringIO("c3\n"), out) == 0
    assert "White A5." in out.getvalue().splitlines()
    assert table.quick.closed == 1


# The program itself


def lines_of(folder: Path, *options: str, typed: str = "") -> list[str]:
    """What the program tells until its input ends."""
    done = subprocess.run(
        [sys.executable, "-m", "daoqi_tui", "--plain", "--size", "5", *options],
        input=typed,
        env=home(folder),
        capture_output=True,
        text=True,
        check=True,
        cwd=CHECKOUT,
    )
    return done.stdout.splitlines()


def test_two_computers_play_a_game_to_its_end(tmp_path: Path) -> None:
    lines = lines_of(tmp_path, "--black", "1", "--white", "2", "--net", "none")
    assert "Computer 1 plays Black." in lines
    assert any(line.startswith("The game is over: ") for line in lines)
    assert lines[-1] == "Goodbye."
    (file,) = (tmp_path / "data").rglob("*.sgf")
    game = load(file).game
    told = [line for line in lines if line.startswith(("Black ", "White ")) and "by" not in line]
    assert len(game.root.line()) == len(told)


def test_a_gtp_engine_plays(tmp_path: Path) -> None:
    typed = "c3\nwhite engine nothing-of-this-name\nd3\n"
    lines = lines_of(tmp_path, "--white-engine", SIMPLE, typed=typed)
    assert lines[lines.index("Black C3.") + 1].startswith("White ")
    assert any("nothing-of-this-name" in line and "plays" not in line for line in lines)
    assert "go asks again, white person lets you play for it." in lines


def test_ctrl_c_in_the_program_stops_the_thought_alone(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "daoqi_tui", "--plain", "--size", "5", "--white", "10", "--time", "600"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=home(tmp_path),
        text=True,
        cwd=CHECKOUT,
        # Where tests run in the background, Ctrl+C may be ignored by all that they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 (it takes no lock)
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        too_long = threading.Timer(60, process.kill)
        too_long.start()
        process.stdin.write("c3\n")
        process.stdin.flush()
        told = [""]
        while told[-1] != "Computer 10 thinks.":
            told.append(process.stdout.readline().rstrip("\n"))
            assert told[-1], told
        os.kill(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "Stopped: Computer 10 waits. go lets it move, undo takes back.\n"
        process.stdin.write("white person\nd3\nquit\n")
        process.stdin.close()
        assert "White D3.\n" in process.stdout.readlines()
        assert process.wait() == 0
        too_long.cancel()
