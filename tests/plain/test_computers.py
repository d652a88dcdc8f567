"""Computer players and analysis in text mode."""

from __future__ import annotations

import io
import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from daoqi_tui.ai import Answer, Candidate, Estimated, Position, Think
from daoqi_tui.ai.process import PlayerError
from daoqi_tui.engine import BLACK, PASS, WHITE
from daoqi_tui.gtp.player import RESIGN
from daoqi_tui.i18n import use_language
from daoqi_tui.plain import execute, play
from daoqi_tui.plain.game import PlainGame, PlainKeeper, can_watch_terminals, held_interrupts
from daoqi_tui.play.events import Prepares
from daoqi_tui.play.keeper import Folders
from daoqi_tui.play.players import PlayerTable, Thinking, usual_net
from daoqi_tui.play.session import PERSON, Computer, EngineSeat, GameSetup, Seat, Session
from daoqi_tui.record import load
from daoqi_tui.record.journal import Journal
from tests.forked import forked_command
from tests.plain.test_game import home
from tests.play.quick import PlayerFactory, QuickAnalyst, answer, first_legal, leading
from tests.waiting import wait_until

CHECKOUT = Path(__file__).resolve().parents[2]
SIMPLE = shlex.join(forked_command("-m", "tests.gtp.simple", "5"))
AS_BLACK = GameSetup(size=5, white_seat=Computer(3))
BOTH = GameSetup(size=5, black_seat=Computer(1), white_seat=Computer(2))


class Quick:
    """A factory of fake players that share a script and then play the first legal point."""

    def __init__(self, *script: Answer | BaseException) -> None:
        self.script = list(script)
        self.asked: list[Seat] = []
        self.closed = 0

    def make(self, seat: Seat) -> QuickPlayer:
        return QuickPlayer(self, seat)


class QuickPlayer:
    def __init__(self, quick: Quick, seat: Seat) -> None:
        self.quick, self.seat = quick, seat

    async def prepare(self, position: Position, on_stage: object, *, wait: bool) -> None:
        """Load nothing."""

    async def think(self, request: Think, *_: object) -> Answer:
        self.quick.asked.append(self.seat)
        step = self.quick.script.pop(0) if self.quick.script else answer(first_legal(request.position.board()))
        if isinstance(step, BaseException):
            raise step
        return step

    async def estimate(self, position: Position) -> Estimated:
        await self.think(Think(position))
        return Estimated(1, (0.0,) * position.board().torus.points, 6.5, 9.0, 0.8)

    async def close(self) -> None:
        self.quick.closed += 1


class Table:
    """A text-mode game with fake players."""

    opened: ClassVar[list[Table]] = []

    def __init__(self, setup: GameSetup, quick: Quick, folder: Path | None = None) -> None:
        self.opened.append(self)
        self.session, self.quick = Session(setup), quick
        keeper = PlainKeeper(self.session, Folders(folder / "journal", folder / "library")) if folder else None
        self.person = PlainGame(self.session, keeper=keeper, players=lambda: PlayerTable(cast("Any", quick.make)))

    def say(self, *lines: str) -> list[str]:
        """Type the lines and return the output after the last one."""
        told: list[str] = []
        for line in lines:
            told = [*execute(self.person, line), *self.replies()]
        return told

    def replies(self) -> list[str]:
        told: list[str] = []
        try:
            told.extend(self.person.replies())
        except KeyboardInterrupt:
            told.extend(self.person.stopped())
        return told


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    """Close the games and their event loops."""
    yield
    while Table.opened:
        Table.opened.pop().person.close()


def test_a_computer_answers_and_only_its_move_is_told() -> None:
    table = Table(AS_BLACK, Quick())
    assert list(table.person.greeting())[1:] == ["Computer 3 plays White.", "Move 1, Black to move."]
    assert list(table.person.replies()) == []
    assert table.say("c3") == ["Black C3.", "White A5.", "Move 3, Black to move."]
    assert table.say("c3") == ["C3 is occupied: play on an empty point."]
    assert table.quick.asked == [Computer(3)]


def test_a_computer_ends_when_another_game_begins_without_it() -> None:
    table = Table(AS_BLACK, Quick())
    table.say("c3")
    assert table.quick.closed == 0
    table.person.begin(Session(GameSetup(size=5)))
    assert table.quick.closed == 1


@pytest.mark.skipif(not can_watch_terminals(), reason="this system does not tell of a typed line")
def test_the_strongest_searches_on_until_a_line_was_typed() -> None:
    read, write = os.pipe()
    factory = PlayerFactory()
    session = Session(GameSetup(size=5, white_seat=Computer(10)))
    players = partial(PlayerTable, lambda seat: factory.make(seat, usual_net))
    person = PlainGame(session, players=players, ponders=lambda: True)
    asked: list[tuple[int | str, ...]] = []

    def type_a_line() -> None:
        wait_until(lambda: bool(factory.players and factory.players[0].pondered))
        asked.extend(tuple(position.actions) for position in factory.players[0].pondered)
        os.write(write, b"d3\n")

    typing = threading.Thread(target=type_a_line)
    with os.fdopen(read) as lines:
        person.wait_for_line(lines.fileno())  # returns immediately: there is no search before the first reply
        execute(person, "c3")
        list(person.replies())
        typing.start()
        person.wait_for_line(lines.fileno())
        assert lines.readline() == "d3\n"
    typing.join()
    (player,) = factory.players
    assert asked == [(12, 0)]
    assert player.pondered == []
    assert player.ended == 1
    os.close(write)
    person.close()


def test_one_that_plays_black_begins() -> None:
    table = Table(GameSetup(size=5, black_seat=Computer(3)), Quick())
    assert list(table.person.replies()) == ["Black A5.", "Move 2, White to move."]


def test_taking_back_takes_both_moves() -> None:
    table = Table(AS_BLACK, Quick())
    assert table.say("undo") == ["You have no move to undo."]
    assert table.say("c3", "undo") == ["Undone: A5, C3.", "Move 1, Black to move."]
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


@pytest.mark.parametrize(("seat", "told"), [("7", "电脑 7 级执白。"), ("engine gnugo", "gnugo 执白。")])
def test_the_name_of_an_engine_has_a_space_beside_chinese(seat: str, told: str) -> None:
    use_language("zh")
    assert Table(GameSetup(size=5), Quick()).say(f"white {seat}")[0] == told


@pytest.mark.parametrize("rest", ["", "0", "11", "²", "five", "0011", "engine", "engine   ", "person 5", "1" * 5000])
def test_nobody_that_can_play_is_explained(rest: str) -> None:
    table = Table(GameSetup(size=5), Quick())
    assert table.say(f"black {rest}") == [
        f"invalid player {rest.strip()[:40]!r}: use a level from 1 to 10, such as 4.5, mine, person, or engine COMMAND."
        if rest
        else (
            "Name a player: black 5 for the computer at level 5, black person for a human, "
            "black engine COMMAND for a GTP engine."
        )
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
    assert told[:3] == ["Black passes.", "White passes.", "The game is over. White wins by 4."]
    assert told[-1] == "White, 3 in all: stones 0, territory 0, minus 1 for passes, komi 4."
    assert table.say("go")[0].startswith("The game is over")
    assert table.say("resume") == ["The game goes on.", "Move 3, Black to move."]


@pytest.mark.parametrize("script", [[answer(RESIGN)], [answer(point, hopeless=True) for point in (0, 1, 2)]])
def test_it_gives_up(script: list[Answer]) -> None:
    table = Table(AS_BLACK, Quick(*script))
    told: list[str] = []
    for point in ("c3", "d3", "e3")[: len(script)]:
        told = table.say(point)
    assert told[-1] == "The game is over. White resigns: Black wins."
    assert table.say("undo")[0] == "The end of the game is undone."


def test_a_person_resigns_whoever_is_to_move() -> None:
    table = Table(AS_BLACK, Quick(PlayerError("no")))
    table.say("c3")
    assert table.person.game.to_move == WHITE
    assert table.say("resign") == ["The game is over. Black resigns: White wins."]


def test_a_player_that_fails_waits_to_be_asked_again() -> None:
    table = Table(AS_BLACK, Quick(PlayerError("the player is ill")))
    asks = "Type go to ask again, or white person to play that side yourself."
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
        "Stopped: Computer 1 is waiting. Type go to let it move, or undo.",
    ]
    assert table.say("undo") == ["Undone: B5.", "Move 2, White to move."], "nobody moves at once"
    table.quick.script = [answer(2), answer(3), KeyboardInterrupt()]
    assert table.say("go")[:2] == ["White C5.", "Black D5."]


def test_two_computers_wait_after_a_move_is_taken_back() -> None:
    table = Table(BOTH, Quick(answer(0), answer(1), KeyboardInterrupt()))
    table.replies()
    table.quick.asked.clear()
    table.quick.script = [KeyboardInterrupt()]
    assert table.say("undo", "redo") == ["White B5.", "Move 3, Black to move."], "where play goes on too"
    assert table.say("undo", "undo", "c3") == ["Black C3.", "Move 2, White to move."], "and after a move by hand"
    assert table.quick.asked == []
    table.quick.script = [answer(3), answer(4), KeyboardInterrupt()]
    assert table.say("go")[:2] == ["White D5.", "Black E5."]
    assert table.quick.asked == [Computer(2), Computer(1), Computer(2)]


def test_two_computers_wait_after_a_resignation_is_taken_back() -> None:
    table = Table(BOTH, Quick(answer(0), answer(RESIGN)))
    assert table.replies()[-1] == "The game is over. White resigns: Black wins."
    table.quick.asked.clear()
    table.quick.script = [KeyboardInterrupt()]
    assert table.say("undo") == ["The end of the game is undone.", "Move 2, White to move."]
    assert table.quick.asked == []
    table.quick.script = [answer(1), KeyboardInterrupt()]
    assert table.say("go")[0] == "White B5."
    assert table.quick.asked == [Computer(2), Computer(1)]


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
    assert table.say(line) == [f"{command} takes no arguments: type it alone."]
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


def found(*lines: Candidate, visits: int = 1234) -> Answer:
    return Answer(1, lines[0].move, 0.54, False, visits, 1.0, lines, 2.0)


LINES = (Candidate(12, 60, 0.54, (12, 13, PASS), -2.0), Candidate(7, 40, 0.5, (7,), 0.5))


def test_a_hint_tells_more_each_time() -> None:
    table = Table(GameSetup(size=5), Quick(found(*LINES)))
    assert "no corner" in table.say("hint")[0]
    assert table.say("a1", "hint") == ["The best move is in the rectangle from A5 to C3. Type hint again for more."]
    assert table.say("hint") == ["One of these is best: C4, C3. Type hint again for more."]
    assert table.say("hint") == [
        "Best: C3. About even.",
        "Then D3, pass.",
    ]
    assert len(table.quick.asked) == 1, "what is known is only said more clearly"
    table.quick.script = [found(Candidate(PASS, 9, 0.9, (PASS,), 3.0))]
    assert table.say("b1", "hint") == ["The best move is a pass."]


def test_an_analysis_tells_the_value_and_the_best_moves() -> None:
    table = Table(GameSetup(size=5), Quick(found(*LINES)))
    assert table.say("a1", "analyse 300") == [
        "Best: C3. About even.",
        "Then D3, pass.",
        "Win rates for White:",
        "C3: win rate 54%, score lead W+2.0, points lost 0.0, 60 visits.",
        "C4: win rate 50%, score lead B+0.5, points lost 2.5, 40 visits.",
        "network, 1,234 visits.",
    ]
    for typed in ("analyse 0", "analyse x", "analyse 99999999"):
        assert table.say(typed) == ["Give a number of visits from 1 to 1000000: analyse 400."]
    table.quick.script = [replace(found(LINES[0], visits=3), lines=())]
    assert table.say("b1", "analyse") == ["Nothing is found yet: ask again."]


def test_an_analysis_is_kept_with_the_game(tmp_path: Path) -> None:
    table = Table(GameSetup(size=5), Quick(found(*LINES)), tmp_path)
    table.say("a1", "analyse 300", "quit")
    (journal,) = (tmp_path / "journal").glob("*.journal")
    again, restored = Journal.resume(journal)
    again.close()
    assert (restored.game.node.properties or {})["SBKS"] == ["-2.00"]
    viewed = Table(GameSetup(size=5), Quick(found(*LINES)), tmp_path / "viewed")
    viewed.say("analyse 300", "quit")
    assert not (tmp_path / "viewed").exists(), "nothing was played"


def test_what_stops_an_analysis_is_told() -> None:
    table = Table(GameSetup(size=5), Quick())
    assert table.say("a1", "estimate") == [
        "Estimate: Black is ahead, by about 6 points; win rate 80%; at a glance, without reading."
    ]
    table.quick.script = [PlayerError("the player is ill"), *[KeyboardInterrupt()] * 3]
    assert table.say("hint") == ["the player is ill."]
    assert table.say("hint") == table.say("estimate") == table.say("mistakes") == ["Stopped."]
    assert table.say("resign", "hint")[0].startswith("The game is over")


def test_mistakes_and_the_summary_are_told() -> None:
    table = Table(GameSetup(size=5), Quick())
    assert table.say("mistakes") == ["There is no move to review yet."]
    table.quick.script = [found(Candidate(24, 60, 0.5, (24, 3), 0.0), visits=100) for _position in range(3)]
    assert table.say("a1", "b1", "mistakes") == ["Well played: no move lost 3 points or more."]
    table = Table(GameSetup(size=5), Quick())
    table.quick.script = [found(Candidate(24, 60, 0.5, (24, 3), lead), visits=100) for lead in (0.0, -9.0, -9.0)]
    worst = "The biggest mistake was move 1, Black A1, which cost 9.0 points."
    assert table.say("a1", "b1", "mistakes") == [
        worst,
        "Move 1, Black A1: blunder, 9.0 points lost. E1 was better, then D5.",
    ]
    assert "Before this move the game was even, after it White led" in " ".join(table.say("back 1", "turn"))
    table.say("forward")
    told = table.say("summary")
    assert told[0] == worst
    assert told[1] == "Black: 1 blunder in 1 move; 9.00 points lost a move on average."
    assert told[-1] == "By: network, 100 visits a position."
    assert len(table.quick.asked) == 3, "a position is searched once"
    assert b"SBKS[-9.00]" in table.session.record()


def test_ladders_and_openings_are_told() -> None:
    table = Table(GameSetup(size=9), Quick())
    assert table.say("ladder e5") == ["There is no stone at E5."]
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
    """Return the output of the program for this input."""
    done = subprocess.run(
        forked_command("-m", "daoqi_tui", "--plain", "--size", "5", *options),
        input=typed,
        env=home(folder),
        capture_output=True,
        text=True,
        check=True,
        cwd=CHECKOUT,
    )
    return done.stdout.splitlines()


def test_two_computers_play_a_game_to_its_end(tmp_path: Path) -> None:
    lines = lines_of(tmp_path, "--black", "1", "--white", "2")
    assert "Computer 1 plays Black." in lines
    assert any(line.startswith("The game is over. ") for line in lines)
    assert lines[-1] == "Goodbye."
    (file,) = (tmp_path / "data").rglob("*.sgf")
    game = load(file).game
    told = [line for line in lines if line.startswith(("Black ", "White ")) and "by" not in line]
    assert len(game.root.line()) == len(told)


def test_a_computer_at_the_level_of_ones_rating(tmp_path: Path) -> None:
    ratings = tmp_path / "data" / "daoqi-tui" / "ratings.json"
    ratings.parent.mkdir(parents=True)
    ratings.write_text('{"5": [[2, 0], [2, 0], [2, 1]], "9": [[9, 1]]}')
    lines = lines_of(tmp_path, "--black", "mine", "--time", "0.01", typed="quit\n")
    assert "Computer 2 plays Black." in lines


def test_a_gtp_engine_plays(tmp_path: Path) -> None:
    typed = "c3\nwhite engine nothing-of-this-name\nd3\n"
    # On a slow machine the program also reports that the engine is thinking.
    told = lines_of(tmp_path, "--white-engine", SIMPLE, typed=typed)
    lines = [line for line in told if not line.endswith(" is thinking.")]
    assert lines[lines.index("Black C3.") + 1].startswith("White ")
    assert any("nothing-of-this-name" in line and "plays" not in line for line in lines)
    assert "Type go to ask again, or white person to play that side yourself." in lines


def test_ctrl_c_in_the_program_stops_the_thought_alone(tmp_path: Path) -> None:
    with subprocess.Popen(
        forked_command("-m", "daoqi_tui", "--plain", "--size", "5", "--white", "10", "--time", "600"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=home(tmp_path),
        text=True,
        cwd=CHECKOUT,
        # If the tests run as a background job, their child processes may inherit an ignored SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 (it takes no lock)
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        too_long = threading.Timer(60, process.kill)
        too_long.start()
        process.stdin.write("c3\n")
        process.stdin.flush()
        told = [""]
        while told[-1] != "Computer 10 is thinking.":
            told.append(process.stdout.readline().rstrip("\n"))
            assert told[-1], told
        os.kill(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "Stopped: Computer 10 is waiting. Type go to let it move, or undo.\n"
        process.stdin.write("white person\nd3\nquit\n")
        process.stdin.close()
        assert "White D3.\n" in process.stdout.readlines()
        assert process.wait() == 0
        too_long.cancel()


def test_teach_mode_asks_whether_to_take_a_move_back() -> None:
    session = Session(GameSetup(size=5, white_seat=Computer(1)))
    person = PlainGame(session)
    analyst = QuickAnalyst()
    factory = PlayerFactory()
    person.match.turns._make_players = lambda: PlayerTable(lambda seat: factory.make(seat, usual_net))
    person.match.turns.players._adviser = analyst  # type: ignore[assignment]
    assert execute(person, "teach 0")[0].startswith("Give the loss in points")
    assert execute(person, "teach")[0].endswith(
        "when a move against the computer loses 3 points or more; at most 3 s a move."
    )
    execute(person, "c3")
    list(person.replies())
    analyst.answers[2] = leading(Position.of(person.game), 6.0, person.game.torus.parse("E1"))
    execute(person, "b2")
    told = list(person.replies())
    assert "6.0 points better" in told[0]
    assert told[1] == "Type undo to choose another move, or go to keep this one."
    assert execute(person, "d4") == [told[1]]
    assert execute(person, "undo")[0] == "Undone: B2."
    assert list(person.replies()) == []
    execute(person, "b2")
    assert "points lost" not in next(person.replies()), "who plays it again means it"
    assert execute(person, "teach off") == ["Teach mode off."]
    person.close()


def test_that_something_is_compiled_is_said_once_though_it_goes_on_for_moves() -> None:
    said: list[str] = []
    person = PlainGame(Session(GameSetup(9)), say=said.append)
    for _move in range(3):
        thought = Thinking(person.game.node, BLACK, "Computer 5", 0.0, stage="compiling")
        person.match.notify(Prepares(thought))
    assert said == ["Compiling for this processor: only this once, about a minute."]
