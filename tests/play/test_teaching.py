"""Teach mode: which moves against a computer are questioned, and the effect of each answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import pytest

from daoqi_tui.ai import Answer, Position, Progress, Think
from daoqi_tui.ai.process import PlayerCrashed
from daoqi_tui.engine import BLACK, WHITE
from daoqi_tui.engine.clock import TimeControl
from daoqi_tui.gtp.client import Engine
from daoqi_tui.gtp.player import EnginePlayer
from daoqi_tui.play.events import Crashed, Declined, Event, NotEvaluated, Questioned
from daoqi_tui.play.match import Match
from daoqi_tui.play.players import AT_ONCE, PlayerTable, usual_net
from daoqi_tui.play.review import describe_why
from daoqi_tui.play.session import Computer, GameSetup, Session
from tests.play.quick import PlayerFactory, QuickAnalyst, leading
from tests.waiting import HANG

AS_BLACK = GameSetup(size=5, white_seat=Computer(3))


class Lesson:
    """A game against a fake computer in which a fake analyst evaluates the human's moves."""

    def __init__(self, setup: GameSetup = AS_BLACK, *, least: int = 3) -> None:
        self.least = least
        self.factory = PlayerFactory()
        self.match = Match(
            Session(setup),
            partial(PlayerTable, lambda seat: self.factory.make(seat, usual_net)),
            spawn=lambda work: asyncio.create_task(work()),
            teach=lambda: self.least,
        )
        self.analyst = QuickAnalyst()
        self.match.turns.players._adviser = self.analyst  # type: ignore[assignment]
        self.told: list[Event] = []
        self.match.subscribe(self.told.append)

    @property
    def moves(self) -> list[str]:
        torus = self.match.game.torus
        return ["pass" if move.is_pass else torus.name(move.point) for move in self.match.game.moves()]

    async def play_and_be_judged(self, point: int) -> None:
        """Play at a point and return while the analyst, which is not yet allowed to answer, evaluates the move."""
        self.analyst.may_answer.clear()
        assert self.match.play(point) is None
        async with asyncio.timeout(HANG):
            while not self.analyst.asked:
                await asyncio.sleep(0)

    async def play(self, name: str) -> None:
        assert self.match.play(self.match.game.torus.parse(name)) is None
        await self.settle()

    async def settle(self) -> None:
        async with asyncio.timeout(HANG):
            for _ in range(3):
                await asyncio.sleep(0)
            while self.match.turns.thinking is not None:
                await asyncio.sleep(0)

    @property
    def questioned(self) -> list[Questioned]:
        return [event for event in self.told if isinstance(event, Questioned)]


async def opened(lesson: Lesson, lost: float) -> None:
    """Play two moves for Black; the second loses ``lost`` points compared with E1."""
    await lesson.play("C3")
    assert lesson.moves == ["C3", "A5"]
    point = lesson.match.game.torus.parse("E1")
    lesson.analyst.answers[2] = leading(Position.of(lesson.match.game), 6.0, point)
    lesson.analyst.leads_alone = 6.0 - lost
    await lesson.play("B2")


async def test_a_move_that_loses_much_is_questioned_and_the_computer_waits() -> None:
    lesson = Lesson()
    await opened(lesson, 5.0)
    (question,) = lesson.questioned
    assert question.move.lost == pytest.approx(5.0)
    assert lesson.match.turns.questioned is question.move
    assert lesson.moves == ["C3", "A5", "B2"]
    words = describe_why(question.move, lesson.match.game.torus, "daoqi")
    assert words.startswith("Mistake: E1 was 5.0 points better")
    assert "network" in words
    assert lesson.match.play(12) is Declined.THINKING
    assert lesson.match.pass_turn() is Declined.THINKING


async def test_a_kept_move_is_answered_and_not_questioned_again() -> None:
    lesson = Lesson()
    await opened(lesson, 5.0)
    lesson.match.turns.keep_move()
    await lesson.settle()
    assert len(lesson.moves) == 4
    assert len(lesson.questioned) == 1
    assert lesson.match.turns.questioned is None


async def test_a_move_taken_back_leaves_the_turn_to_the_person() -> None:
    lesson = Lesson()
    await opened(lesson, 5.0)
    assert lesson.match.undo() is None
    await lesson.settle()
    assert lesson.moves == ["C3", "A5"]
    assert lesson.match.turns.questioned is None
    assert lesson.match.game.to_move == BLACK


@pytest.mark.parametrize(("lost", "least"), [(2.0, 3), (9.0, 0)])
async def test_what_loses_less_than_was_asked_for_is_answered_at_once(lost: float, least: int) -> None:
    lesson = Lesson(least=least)
    await opened(lesson, lost)
    assert not lesson.questioned
    assert len(lesson.moves) == 4
    assert bool(lesson.analyst.asked) == bool(least)


async def test_move_now_while_a_move_is_judged_has_the_computer_answer_it_at_once() -> None:
    lesson = Lesson()
    await lesson.play("C3")
    await lesson.play_and_be_judged(lesson.match.game.torus.parse("D3"))
    assert lesson.match.turns.hurry() is None
    lesson.analyst.may_answer.set()
    await lesson.settle()
    await lesson.play("B2")
    assert lesson.factory.last.seconds == [None, AT_ONCE.seconds, None], "the move that was hurried, and no other"


async def test_a_move_whose_judgement_was_cancelled_is_judged_when_the_computer_is_to_answer_it() -> None:
    lesson = Lesson()
    await lesson.play("C3")
    lesson.analyst.answers[2] = leading(Position.of(lesson.match.game), 6.0, 24)
    await lesson.play_and_be_judged(13)
    lesson.match.pause()
    await lesson.settle()
    assert not lesson.questioned
    lesson.analyst.may_answer.set()
    lesson.match.unpause()
    await lesson.settle()
    assert len(lesson.questioned) == 1
    assert len(lesson.moves) == 3


async def test_a_person_who_looks_back_while_a_move_is_judged_is_asked_about_it_where_it_was_made() -> None:
    lesson = Lesson(AS_BLACK._replace(time=TimeControl(600)))
    await lesson.play("C3")
    lesson.analyst.answers[2] = leading(Position.of(lesson.match.game), 6.0, 24)
    await lesson.play_and_be_judged(13)
    clock = lesson.match.session.clock
    assert clock is not None
    assert clock.running is None
    assert lesson.match.back(2)
    assert clock.running is None, "it stands still while the move is judged"
    lesson.analyst.may_answer.set()
    await lesson.settle()
    (question,) = lesson.questioned
    assert lesson.match.turns.questioned is question.move
    assert lesson.match.game.node is question.move.node
    assert lesson.match.undo() is None
    assert lesson.moves == ["C3", "A5"]


async def test_the_clock_stands_still_while_the_person_decides() -> None:
    lesson = Lesson(AS_BLACK._replace(time=TimeControl(600)))
    lesson.match.start()
    await opened(lesson, 5.0)
    clock = lesson.match.session.clock
    assert clock is not None
    assert clock.running is None
    lesson.match.undo()
    assert clock.running == BLACK


async def test_two_persons_are_not_taught() -> None:
    lesson = Lesson(GameSetup(size=5))
    await lesson.play("C3")
    await lesson.play("D4")
    assert not lesson.analyst.asked


class QuickEngine(EnginePlayer):
    """A GTP engine player whose analyses come from a fake analyst."""

    def __init__(self, analyst: QuickAnalyst) -> None:
        super().__init__(Engine("quick"))
        self._analyst = analyst

    async def _think(self, request: Think, on_progress: Callable[[Progress], None] | None = None) -> Answer:
        return await self._analyst.think(Think(request.position, analyse=request.analyse))


@pytest.mark.parametrize(("after", "questions"), [(1.0, 1), (4.0, 0)])
async def test_an_engine_that_did_not_look_at_a_move_searches_the_position_after_it(
    after: float, questions: int
) -> None:
    lesson = Lesson()
    players = lesson.match.turns.players
    players._analyst_command = lambda: "quick"
    players._engine = "quick", QuickEngine(lesson.analyst)
    lesson.analyst.leads[3] = after
    await opened(lesson, 0.0)
    assert [len(position.actions) for position in lesson.analyst.asked] == [2, 3]
    assert [question.move.lost for question in lesson.questioned] == [6.0 - after] * questions
    assert not any(isinstance(event, NotEvaluated) for event in lesson.told)


async def test_a_judge_that_fails_lets_the_game_go_on() -> None:
    lesson = Lesson()
    await lesson.play("C3")
    lesson.analyst.problem = PlayerCrashed("it ended")
    await lesson.play("B2")
    assert len(lesson.moves) == 4
    assert [str(event.problem) for event in lesson.told if isinstance(event, NotEvaluated)] == ["it ended"]
    assert not any(isinstance(event, Crashed) for event in lesson.told), "nobody asks it again"
    assert lesson.match.game.to_move != WHITE
