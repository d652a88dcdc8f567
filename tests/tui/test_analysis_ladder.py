"""Tests ladders in the app: requested by key, shown on the board, stepped through, read in another process."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from daoqi_tui.ai import Position
from daoqi_tui.engine import BLACK, EMPTY, WHITE, Game, Rules
from daoqi_tui.play.hints import LadderView
from daoqi_tui.play.reading import Reader, ReadingFailed
from daoqi_tui.reading.ladder import Ladder, read_ladder
from daoqi_tui.tui.look import Options
from tests import waiting
from tests.engine.pictures import game_of
from tests.tui.driving import Person, playing, until
from tests.tui.thinkers import analysed_by
from tests.waiting import is_running, wait_until

BARE = """
    . . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . . .
    . . . . . . . X O . . . . . . .
    . . . . . . . . X X . . . . . .
    . . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . . .
    . . . . . . . . . . . . . . . .
"""
"""The basic ladder of the rules: captured after wrapping around the torus; 89 points break it."""

STUCK = (
    sys.executable,
    "-c",
    "import daoqi_tui.play.reading_worker as it; it.answer = lambda _: sum(0 for _ in iter(int, 1)); it.main()",
)
"""The command of a worker whose readings never finish."""


async def until_read(person: Person) -> None:
    """Wait for the result of the reading, including its breakers."""
    await until(person, lambda: any(word in person.status for word in ("breaker", "maker", "no ladder")))


def labels(person: Person) -> dict[str, str]:
    """Return the labels on the board by point."""
    return {person.game.torus.name(point): label for point, label in person.board.picture.labels.items()}


async def test_a_ladder_round_the_world_is_shown_on_the_board() -> None:
    async with playing() as person:
        await person.lay_out(BARE)
        await person.press("L")
        await until_read(person)
        assert "White I8 is captured in 61 moves, Black first" in person.status
        assert "89 breakers" in person.status
        assert "61/61" in person.status
        shown = labels(person)
        # One of the 61 plies is a pass, and no stone of the line is captured.
        assert sorted(map(int, shown.values())) == [ply for ply in range(1, 62) if ply != 60]
        # The ladder wraps around at the right and at the top.
        columns = {name[0] for name in shown}
        rows = {name[1:] for name in shown}
        assert columns == set("ABCDEFGHIJKLMNOP")
        assert rows == set(map(str, range(1, 17)))
        marks = person.board.picture.marks
        assert set(marks.values()) == {"white"}
        assert not any(person.board.picture.stones[point] for point in marks)
        # The game itself is unchanged.
        person.stands(BARE)


async def test_the_line_is_played_back_and_on_and_cleared() -> None:
    async with playing() as person:
        await person.lay_out(BARE)
        before = person.board.picture
        await person.press("L")
        await until_read(person)
        await person.press("home")
        assert "0/61" in person.status
        assert labels(person) == {}
        assert person.board.picture.stones == before.stones
        await person.press("right_square_bracket", "right_square_bracket")
        assert labels(person) == {"I9": "1", "J8": "2"}
        torus, picture = person.game.torus, person.board.picture
        assert picture.proposed == {torus.parse("I9"): BLACK, torus.parse("J8"): WHITE}
        # None of these moves is played in the game.
        assert picture.stones == before.stones
        assert picture.last is None
        await person.press("left_square_bracket")
        assert labels(person) == {"I9": "1"}
        await person.press("right_curly_bracket")
        assert "11/61" in person.status
        await person.press("end", "right_square_bracket")
        assert "61/61" in person.status
        await person.press("escape")
        assert person.board.picture == before
        assert "Black to move" in person.status


async def test_undo_and_redo_step_through_the_ladder_that_shows() -> None:
    async with playing() as person:
        await person.lay_out(BARE)
        await person.press("L")
        await until_read(person)
        await person.press("home", "U", "U", "u")
        assert "1/61" in person.status


async def test_asked_again_the_other_side_goes_first() -> None:
    async with playing() as person:
        await person.lay_out(BARE)
        await person.press("L")
        await until_read(person)
        await person.press("L")
        await until_read(person)
        assert "White I8 escapes" in person.status
        assert "White first" in person.status


async def test_the_other_side_goes_first_while_the_breakers_are_still_being_read() -> None:
    async with playing() as person:
        await person.lay_out(BARE)
        await person.press("L")
        await until(person, lambda: "is captured in" in person.status)
        await person.press("L")
        await until_read(person)
        assert "White first" in person.status


async def test_a_request_right_after_a_cancelled_one_is_answered_by_another_process() -> None:
    game = game_of(BARE)
    reader, position, point = Reader(), Position.of(game), 8 * 16 + 8
    asked = asyncio.create_task(reader.points(position, point, BLACK))
    # Once the process is there, the request is sent before any other task runs.
    await waiting.until(lambda: reader.pid is not None)
    asked.cancel()
    try:
        assert (await asyncio.create_task(reader.ladder(position, game.board, point, BLACK))).result == "captured"
        with pytest.raises(asyncio.CancelledError):
            await asked
    finally:
        await reader.close()


@pytest.mark.parametrize("by_mouse", [False, True])
async def test_another_chain_is_read_while_a_reading_shows(by_mouse: bool) -> None:
    async with playing() as person:
        await person.lay_out(BARE)
        torus = person.game.torus

        async def read(name: str) -> None:
            if by_mouse:
                await person.hover_point(name)
            else:
                person.screen.cursor.point = torus.parse(name)
            await person.press("L")
            await until_read(person)

        await read("I8")
        assert "White I8 is captured in 61 moves, Black first" in person.status
        # A chain of the game that does not belong to the first reading.
        await read("H8")
        assert "Black H8" in person.status
        assert "White I8" not in person.status
        await read("J7")
        assert person.screen.ladder.shown is not None
        assert set(person.screen.ladder.shown.ladder.target.stones) == {torus.parse("I7"), torus.parse("J7")}
        await read("I8")
        assert "White I8 is captured in 61 moves, Black first" in person.status
        # The target's stones and those of the line belong to the current reading, so the other side begins.
        await read("I9")
        assert "White I8 escapes" in person.status
        assert "White first" in person.status
        await read("I8")
        assert "Black first" in person.status


async def test_a_move_takes_the_ladder_off_the_board() -> None:
    async with playing() as person:
        await person.lay_out(BARE)
        await person.press("L")
        await until_read(person)
        await person.play("B2")
        assert labels(person) == {}
        assert not person.board.picture.marks
        await person.press("left_square_bracket")
        assert person.moves == []


async def test_words_for_what_is_no_ladder() -> None:
    async with playing() as person:
        await person.lay_out(BARE)
        await person.press("k", "L")
        assert "There is no stone at I9" in person.status
        await person.play("B2")
        person.screen.cursor.point = person.game.torus.parse("B2")
        await person.press("L")
        await until_read(person)
        assert person.status.startswith("Black B2 has 4 liberties: no ladder")


async def test_the_board_pans_while_a_reading_goes_on_and_escape_ends_it() -> None:
    async with playing() as person:
        await person.lay_out(BARE)
        person.screen.ladder._reader = reader = Reader(STUCK)
        await person.press("L")
        await until(person, lambda: reader.pid is not None)
        pid = reader.pid
        assert pid is not None
        before = person.viewport
        await person.press("right")
        assert person.viewport == before.pan_points(1, 0)
        assert "Reading the ladder" in person.status
        await person.press("escape")
        await until(person, lambda: reader.pid is None and not is_running(pid))
        assert "Black to move" in person.status


async def test_leaving_the_app_ends_a_reading() -> None:
    async with playing() as person:
        await person.lay_out(BARE)
        person.screen.ladder._reader = reader = Reader(STUCK)
        await person.press("L")
        await until(person, lambda: reader.pid is not None)
        pid = reader.pid
        assert pid is not None
    # The process is killed at once, but the system needs a moment to end it.
    await waiting.until(lambda: not is_running(pid))


async def test_closing_a_reader_waits_for_a_process_that_was_killed_before() -> None:
    game = Game(9)
    game.play(0)
    reader = Reader(STUCK)
    asked = asyncio.create_task(reader.ladder(Position.of(game), game.board, 0, BLACK))
    await waiting.until(lambda: reader.pid is not None)
    process = reader._process
    assert process is not None
    # The screen cancels a reading, and cancels it again when it closes.
    for _ in range(2):
        asked.cancel()
        await asyncio.sleep(0)
    await reader.close()
    assert process.returncode is not None
    with pytest.raises(asyncio.CancelledError):
        await asked


def test_a_reading_ends_with_an_app_that_is_killed(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    stuck = (*STUCK[:2], STUCK[2].replace("lambda _: ", f"lambda _: open({str(begun)!r}, 'w').close() or "))
    script = f"""
import asyncio
from daoqi_tui.ai import Position
from daoqi_tui.engine import Game
from daoqi_tui.play.reading import Reader
from tests import waiting

async def main():
    game = Game(9)
    game.play(0)
    reader = Reader({stuck!r})
    asked = asyncio.create_task(reader.ladder(Position.of(game), game.board, 0, 1))
    await waiting.until(lambda: reader.pid is not None)
    print(reader.pid, flush=True)
    await asked

asyncio.run(main())
"""
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=root) as app:
        assert app.stdout is not None
        try:
            pid = int(app.stdout.readline())
            wait_until(begun.exists)
            assert is_running(pid)
        finally:
            app.kill()
    wait_until(lambda: not is_running(pid))


async def test_a_reader_starts_again_after_its_process_died() -> None:
    game = game_of(BARE)
    reader = Reader((sys.executable, "-c", "input()"))
    with pytest.raises(ReadingFailed, match="ask again"):
        await reader.ladder(Position.of(game), game.board, 8 * 16 + 8, BLACK)
    reader = Reader()
    ladder = await reader.ladder(Position.of(game), game.board, 8 * 16 + 8, BLACK)
    assert ladder.result == "captured"
    pid = reader.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    await waiting.until(lambda: reader.pid is None)
    points = await reader.points(Position.of(game), 8 * 16 + 8, BLACK)
    assert len(points.white) == 89
    await reader.close()


async def test_chains_in_danger_are_marked_where_a_person_wants_it() -> None:
    danger = """
        . . . . . . . . .
        . O O . . . . . .
        O X X O . . . . .
        . O . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . X O . .
        . . . . . . X X .
        . . . . . . . . .
    """
    async with playing(options=Options(mark_atari=True)) as person:
        await person.lay_out(danger)
        badges = person.board.picture.badges
        assert {person.game.torus.name(point): badge for point, badge in badges.items()} == {
            "B7": "atari",
            "C7": "atari",
        }
    async with playing(options=Options(mark_ladders=True)) as person:
        await person.lay_out(BARE)
        await until(person, lambda: person.board.picture.badges)
        badges = person.board.picture.badges
        assert {person.game.torus.name(point): badge for point, badge in badges.items()} == {"I8": "ladder"}
        await person.play("B2", "J8")
        assert not person.board.picture.badges
    async with playing() as person:
        await person.lay_out(danger)
        assert not person.board.picture.badges


def test_a_capture_shows_with_the_next_ply() -> None:
    game = game_of(
        """
        . . . . . . .
        . . X . . . .
        . X O X O . .
        . . . O X . .
        . X . X . . .
        . . . . . . .
        . . . . . . .
    """,
        WHITE,
    )
    torus = game.torus
    chain = game.chain_at(torus.parse("C5"))
    assert chain is not None
    # The third ply captures D5, where the fifth is played.
    line = tuple(map(torus.parse, ("C4", "B4", "D6", "C3", "D5")))
    view = LadderView.of(game.board, Ladder("escapes", chain, WHITE, line, nodes=0))
    assert view.step == len(line)
    for step, point in enumerate(line, 1):
        shown = view.at(step)
        assert shown.stones[point] == view.colour_of(step)
        assert shown.numbers == {each: str(number) for number, each in enumerate(line[:step], 1)}
    assert [view.at(step).stones[torus.parse("D5")] for step in range(6)] == [*[BLACK] * 4, EMPTY, WHITE]
    assert view.at(-5).step == 0
    assert view.at(10_000).step == view.ladder.plies


def test_reading_takes_the_whole_game_into_account() -> None:
    """Superko needs the game's earlier states; the position alone is not enough."""
    game = Game(5)
    for move in ("A1", "B1", "pass", "A2"):
        if move == "pass":
            game.pass_turn()
        else:
            game.play(game.torus.parse(move))
    assert Position.of(game).board().faced == game.board.faced


async def test_a_ladder_is_read_by_the_rules_of_the_game() -> None:
    """Under the Daoqi rules, where suicide is legal, the line would end with a suicide."""
    game = Game(5, rules=Rules(suicide=False))
    for point in (9, 18, 1, 3, 8, 24, 6, 16, 5, 15, 4, 2, 19, 21, 22, 14, 20, 7, 11, 0, 10, 12, 20, 23):
        game.play(point)
    reader = Reader()
    try:
        for to_move in (BLACK, WHITE):
            found = await reader.ladder(Position.of(game), game.board, 1, to_move)
            assert found == read_ladder(game.board, 1, to_move)
            assert LadderView.of(game.board, found).boards
    finally:
        await reader.close()


async def test_a_ladder_that_shows_stays_when_its_breakers_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async def points(*_asked: object) -> None:
        raise ReadingFailed("the reader died")

    async with playing() as person:
        await person.lay_out(BARE)
        before = person.board.picture
        monkeypatch.setattr(person.screen.ladder._reader, "points", points)
        await person.press("L")
        await until(person, lambda: "the reader died" in person.status)
        assert person.board.picture.proposed
        await person.press("left_square_bracket")
        assert "60/61" in person.status
        await person.press("escape")
        assert person.board.picture == before


async def test_the_analysis_ends_once_a_ladder_is_read_instead() -> None:
    async with playing() as person:
        await person.lay_out(BARE)
        analysed_by(person)
        await person.press("W")
        assert person.screen.analysis.on
        person.screen.cursor.point = person.game.torus.parse("A1")
        await person.press("L")
        assert person.screen.analysis.on, "there is no stone to read"
        person.screen.cursor.point = person.game.torus.parse("I8")
        await person.press("L")
        assert not person.screen.analysis.on
